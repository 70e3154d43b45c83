//! PIO blocks of random programs: what runs in them, who feeds and empties them, who looks at their pins, and what cores do with their
//! registers meanwhile.

use crate::machine_code::{NOP, OWN, STACK, machine, put};
use crate::peripherals::pio::random::{Block, block, instruction};
use crate::peripherals::pio::{
    CTRL, FSTAT, INSTR, INSTR_MEM, INTE, IRQ, IRQ_FORCE, PIO, RXF, SYNC_BYPASS, TXF, at_machine,
};
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;
use intercore_sim::engine::Engine;
use intercore_sim::rp2040::machine::Machine;
use intercore_sim::rp2040::peripherals::pins::Wire;
use proptest::prelude::*;

/// Clears bits of `RESETS`.
const RELEASE: u32 = 0x4000_f000;
const IO_BANK0: u32 = 0x4001_4000;
const PWM: u32 = 0x4005_0000;
const DMA: u32 = 0x5000_0000;

/// A block that is started, and what is connected with it.
#[derive(Clone, Debug)]
pub struct Pio {
    number: usize,
    block: Block,
    inte: [u32; 2],
    /// State machines that the DMA feeds, and empties.
    fed: u32,
    emptied: u32,
    /// The function of each pin.
    functions: Vec<u32>,
    /// `PROC0_INTE` of eight pins: of levels and edges.
    pin_interrupts: (u32, u32),
    wire: Option<(u32, u32)>,
    /// A slice that counts what comes in at its B pin, and how (`DIVMODE`).
    counter: (u32, u32),
}

/// State machines that raise flags and soon lower them, mostly; and do whatever else there is.
fn block_of_flags() -> impl Strategy<Value = Block> {
    let clkdiv = prop_oneof![Just(0x1_0000u32), 0x1_0000u32..0x4_0000, 0x1_0000u32..0x40_0000];
    let instruction = prop_oneof![
        1 => (0u16..4, 0u16..8).prop_map(|(flag, delay)| 0xc000 | flag | delay << 8),
        2 => (0u16..4, 0u16..8).prop_map(|(flag, delay)| 0xc040 | flag | delay << 8),
        6 => any::<u16>().prop_map(|word| word & 0xe7ff),
    ];
    (proptest::collection::vec(instruction, 32), clkdiv, any::<u32>()).prop_map(|(memory, clkdiv, shiftctrl)| {
        let pinctrl = |number: u32| 1 << 29 | 5 << 26 | 8 << 20 | (number * 0x5_1cc7) & 0xf_ffff;
        let settings = |number| [clkdiv << number, 0x1f000, shiftctrl & 0x3fff_0000, pinctrl(number)];
        Block { memory, settings: (0..4).map(settings).collect(), bypass: 0, begins: [0; 4], enabled: 15 }
    })
}

pub fn pio() -> impl Strategy<Value = Pio> {
    // Flags mostly: those of FIFOs stay, and so do their interrupts.
    let inte = || prop_oneof![4 => Just(0u32), 3 => (0u32..16).prop_map(|flags| flags << 8), 1 => 0u32..0x1000];
    // PIO0, PIO1, SIO, PWM, SPI, nobody.
    let function = prop_oneof![6 => Just(6u32), 4 => Just(7), 2 => Just(5), 2 => Just(4), 1 => Just(1), 1 => Just(31)];
    let wire = proptest::option::of((0u32..30, 0u32..30));
    let pin_interrupts = prop_oneof![3 => Just(0u32), 1 => any::<u32>().prop_map(|bits| bits & 0xcccc_cccc)];
    (
        0usize..2,
        prop_oneof![2 => block(), 1 => block_of_flags()],
        [inte(), inte()],
        (0u32..8, 0u32..8),
        proptest::collection::vec(function, 30),
        (0u32..4, pin_interrupts),
        wire,
        (0u32..8, 0u32..4),
    )
        .prop_map(|(number, block, inte, (fed, emptied), functions, pin_interrupts, wire, counter)| Pio {
            number,
            block,
            inte,
            fed,
            emptied,
            functions,
            pin_interrupts,
            wire,
            counter,
        })
}

impl Pio {
    /// Lets go of the block, and starts it with all around it. The DMA feeds it from one address, and empties it to another.
    pub fn start(&self, machine: &mut Machine, from: u32, to: u32) {
        let mut write = |address: u32, value: u32| assert!(machine.write_register(address, value), "{address:#x}");
        // DMA, IO_BANK0, PIO0, PIO1.
        write(RELEASE, 1 << 2 | 1 << 5 | 1 << 10 | 1 << 11);
        for (pin, &function) in (0..).zip(&self.functions) {
            write(IO_BANK0 + 4 + 8 * pin, function);
        }
        write(IO_BANK0 + 0x100 + 4 * self.pin_interrupts.0, self.pin_interrupts.1);
        let (slice, mode) = self.counter;
        write(PWM + 0x14 * slice, 1 | mode << 4);
        let base = PIO[self.number];
        for (at, &instruction) in (0..).zip(&self.block.memory) {
            write(base + INSTR_MEM + 4 * at, u32::from(instruction));
        }
        for (number, settings) in (0..).zip(&self.block.settings) {
            for (offset, &value) in [0xc8, 0xcc, 0xd0, 0xdc].into_iter().zip(settings) {
                write(base + at_machine(offset, number), value);
            }
        }
        write(base + SYNC_BYPASS, self.block.bypass);
        for (line, &sources) in (0..).zip(&self.inte) {
            write(base + INTE + 12 * line, sources);
        }
        for (number, &begin) in (0..).zip(&self.block.begins) {
            write(base + at_machine(INSTR, number), u32::from(begin));
        }
        write(base + CTRL, 0xf00 | self.block.enabled);
        // Channels 1 and 2: EN, words, the request.
        let request = 8 * self.number as u32;
        let control = |channel: u32, request: u32| 1 | 2 << 2 | channel << 11 | request << 15;
        let feeds = (1, from, base + TXF + 4 * self.fed, 1 << 4 | control(1, request + self.fed));
        let empties = (2, base + RXF + 4 * self.emptied, to, 1 << 5 | control(2, request + 4 + self.emptied));
        for (channel, read, write_to, control) in [(feeds, self.fed), (empties, self.emptied)]
            .into_iter()
            .filter(|(_, of)| *of < 4)
            .map(|(channel, _)| channel)
        {
            for (offset, value) in [(0x0, read), (0x4, write_to), (0x8, 100), (0xc, control)] {
                write(DMA + 0x40 * channel + offset, value);
            }
        }
        if let Some(wire) = self.wire.and_then(|(one, other)| Wire::new(one, other)) {
            machine.add_wire(wire);
        }
    }
}

/// What a core does with registers of PIO, by R6.
pub fn access() -> impl Strategy<Value = Vec<u16>> {
    // FDEBUG, FLEVEL, RXF0 to RXF3, IRQ, INPUT_SYNC_BYPASS, DBG_PADOUT; FSTAT most of all.
    let read = prop_oneof![2 => Just(1u16), 3 => prop_oneof![2u16..4, 8u16..13, 14u16..16], 1 => 0u16..81];
    let small = prop_oneof![3 => 0u16..16, 1 => 0u16..256];
    let what = prop_oneof![
        8 => (read, 0u16..6).prop_map(|(word, d)| at(word, &[0x6800 | (word % 31) << 6 | 6 << 3 | d])),
        6 => (prop_oneof![4u16..8, 12u16..14, Just(2)], 0u16..6).prop_map(|(word, d)| store(word, d)),
        // Bytes and halfwords of FIFOs: STRB, LDRB, STRH, LDRH.
        2 => (16u16..32, 0u16..6, 0u16..2).prop_map(|(at, d, load)| vec![0x7000 | load << 11 | at << 6 | 6 << 3 | d]),
        1 => (8u16..24, 0u16..6, 0u16..2).prop_map(|(at, d, load)| vec![0x8000 | load << 11 | at << 6 | 6 << 3 | d]),
        // FSTAT, FDEBUG, FLEVEL; RXF0 to RXF2, one after the other.
        1 => (1u16..8).prop_map(|list| vec![0x3604, 0xce00 | list]),
        1 => (1u16..8).prop_map(|list| vec![0x3620, 0xce00 | list]),
        // Until a flag of FSTAT is set or not: LDR; LSLS; BPL or BMI.
        1 => (0u16..4, 0u16..4, 0u16..2).prop_map(|(kind, sm, is_set)| {
            vec![0x6870, (31 - 8 * kind - sm) << 6, 0xd4fc | is_set << 8]
        }),
        // CTRL; an instruction into SMx_INSTR or INSTR_MEM; CLKDIV, EXECCTRL, SHIFTCTRL, PINCTRL, part of them; INTE.
        2 => small.prop_map(|value| [&[0x2000 | value][..], &store(0, 0)].concat()),
        3 => (0u16..4, instruction()).prop_map(|(sm, word)| [literal(word), store(54 + 6 * sm, 0)].concat()),
        1 => (18u16..50, instruction()).prop_map(|(at, word)| [literal(word), store(at, 0)].concat()),
        1 => (0u16..4, prop_oneof![0u16..3, Just(5)], 0u16..256, 0u16..25).prop_map(|(sm, register, bits, up)| {
            // Through the alias that toggles bits: MOVS R7, #1; LSLS R7, #12; ADDS R6, R7.
            [&[0x2000 | bits, up << 6, 0x2701, 0x033f, 0x19f6][..], &store(50 + 6 * sm + register, 0)].concat()
        }),
        1 => (75u16..79, 0u16..16, 0u16..2).prop_map(|(word, bits, up)| {
            [&[0x2000 | bits, (8 * up) << 6][..], &store(word, 0)].concat()
        }),
    ];
    // MOVS R6, #0x50; LSLS R6, #8; ADDS R6, #0x20 or #0x30; LSLS R6, #16.
    (0u16..2, what).prop_map(|(block, what)| [&[0x2650, 0x0236, 0x3620 + 16 * block, 0x0436][..], &what].concat())
}

/// An instruction with R6 as its base, whose offset is that of a word modulo 31 words: ADDS R6, #124 before it.
fn at(word: u16, code: &[u16]) -> Vec<u16> {
    [&vec![0x367c; usize::from(word / 31)][..], code].concat()
}

fn store(word: u16, register: u16) -> Vec<u16> {
    at(word, &[0x6000 | (word % 31) << 6 | 6 << 3 | register])
}

/// A halfword in R0.
fn literal(half: u16) -> Vec<u16> {
    vec![0x2000 | half >> 8, 0x0200, 0x3000 | half & 0xff]
}

/// Stores r1 to the FIFO, loads the state of the FIFOs, forces flags, and loads the flags, with another r1 each time.
const LOOP: [u16; 6] = [0x6101, 0x6842, 0x6341, 0x6b02, 0x3101, 0xe7f9];

/// Both cores in loops of their own, at registers of both blocks; no state machine runs.
fn cores_with(code: [&[u16]; 2]) -> Machine {
    let mut machine = machine(code[0]);
    put(&mut machine, OWN[1], code[1]);
    machine.start_core(1, OWN[1] | 1, STACK);
    assert!(machine.write_register(RELEASE, 1 << 10 | 1 << 11));
    for (core, base) in PIO.into_iter().enumerate() {
        machine.core_mut(core).set_register(0, base);
    }
    machine
}

#[test]
fn a_probe_sees_what_cores_do_with_registers() {
    let probes = [(Watch::Write, TXF), (Watch::Read, FSTAT), (Watch::Write, IRQ_FORCE), (Watch::Read, IRQ)];
    // The other core as well, a core that does nothing else, and one that sleeps (WFE).
    for other in [&LOOP[..], &[NOP, 0xe7fd], &[0xbf20, 0xe7fd]] {
        for (watch, offset) in probes {
            let mut decoupled = cores_with([&LOOP, other]);
            let probe = decoupled.bus.fabric.watch.probe(watch, PIO[0] + offset, 4);
            let mut lock_step = decoupled.clone();
            lock_step.engine = Engine::LockStep;
            let hits = [&mut decoupled, &mut lock_step].map(|machine| {
                machine.run_until(5000);
                machine.bus.fabric.watch.hits(probe).to_vec()
            });
            assert!(hits[1].len() > 5000 / 20, "{} hits of {watch:?} {offset:#x}", hits[1].len());
            assert_eq!(hits[0].len(), hits[1].len(), "{watch:?} {offset:#x}, the other core at {other:x?}");
            assert_eq!(hits[0], hits[1]);
            assert_eq!(decoupled.state_hash(), lock_step.state_hash());
        }
    }
}

#[test]
fn a_watchpoint_at_a_register_stops_both_engines_alike() {
    for (watch, offset) in [(Watch::Write, TXF), (Watch::Read, FSTAT)] {
        let mut decoupled = cores_with([&LOOP; 2]);
        let mut lock_step = decoupled.clone();
        lock_step.engine = Engine::LockStep;
        let address = PIO[1] + offset;
        let stops = [&mut decoupled, &mut lock_step].map(|machine| {
            // Not before the decoupled engine is under way.
            machine.run_until(1000);
            machine.bus.fabric.watch.add_watchpoint(watch, address, 4);
            (machine.run_until(2000), machine.now())
        });
        assert_eq!(stops[0], stops[1]);
        assert_eq!(stops[0].0, Stop::Watchpoint { core: 1, address });
        assert_eq!(decoupled.state_hash(), lock_step.state_hash());
    }
}
