//! Where a program stands, what else goes on in the chip, and how the run is cut.

use super::pio::{self, Pio};
use super::program::{OWN_DATA, PATCHED, Part, SHARED_DATA, SIO, Taste, assemble, program};
use super::transfers::{self, Transfers};
use crate::machine_code::{NVIC_ISER, VTOR, put, put_word, set_bus_priority};
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;
use intercore_sim::fault::{Fault, Faults};
use intercore_sim::rp2040::machine::Machine;
use proptest::prelude::*;

/// Places of code, by core: striped, in a bank of its own, in flash, in one of the large banks alone.
const CODE: [[u32; 2]; 4] =
    [[0x2000_0000, 0x2000_1000], [0x2004_0000, 0x2004_1000], [0x1000_0100, 0x1000_2100], [0x2100_8000, 0x2101_9000]];
pub const HANDLER: u32 = 0x2000_2000;
const VECTORS: u32 = 0x2000_3000;
const DATA: u32 = 0x2000_4000;
/// What both programs access.
pub const SHARED: u32 = DATA + 0x1000;
const STACKS: [u32; 2] = [0x2000_8000, 0x2000_9000];
/// Copied by the DMA, from the first to the second.
const COPIED: [u32; 2] = [0x2000_4100, 0x2000_4180];

/// A part of a run, and what is done before it.
#[derive(Clone, Debug)]
pub struct Piece {
    pub cycles: u64,
    pub before: Event,
}

#[derive(Clone, Debug)]
pub enum Event {
    Nothing,
    Interrupt {
        core: usize,
        number: u8,
    },
    Copy {
        words: u32,
    },
    Priority(u8),
    Probe {
        offset: u32,
    },
    /// Of the execution of an instruction.
    Trace {
        core: usize,
        half: u32,
    },
    Breakpoint {
        core: usize,
        half: u32,
    },
    Poke {
        offset: u32,
        value: u32,
    },
    Patch {
        core: usize,
        half: u32,
    },
    ResetCore(usize),
    Flush,
    /// The costs of an exception, of a word between the cores and of a miss are others from now on.
    Costs([u64; 6]),
    /// Of accesses to a register of `PIO0`.
    ProbeRegister {
        watch: Watch,
        offset: u32,
    },
    Pio(Box<Pio>),
    Transfers(Box<Transfers>),
}

#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is a choice of its own
pub struct Setting {
    pub programs: [Vec<Part>; 2],
    /// Index into `CODE`.
    pub place: [usize; 2],
    /// Halfwords by which the second program is moved.
    pub apart: u32,
    /// Bytes between what both use as their own.
    pub data: u32,
    /// Cycles between interrupts of `SysTick`, by core; 0 if there are none.
    pub ticks: [u32; 2],
    /// What both share is in one bank.
    pub linear_data: bool,
    /// Each overwrites the other's code, not its own.
    pub crossed: bool,
    /// Each goes on with the other's program after its own.
    pub joined: bool,
    /// Code in one of the large banks is overwritten by its striped address.
    pub aliased: bool,
    pub pieces: Vec<Piece>,
    /// After how many branches to a place it becomes code for the host.
    pub translated_after: u32,
    /// Stacks are in the banks that are not striped.
    pub small_banks: bool,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => Just(Event::Nothing),
        2 => (0usize..2, 0u8..32).prop_map(|(core, number)| Event::Interrupt { core, number }),
        1 => (1u32..300).prop_map(|words| Event::Copy { words }),
        1 => (0u8..16).prop_map(Event::Priority),
        1 => (0u32..64).prop_map(|offset| Event::Probe { offset }),
        2 => (0usize..2, 0u32..64).prop_map(|(core, half)| Event::Trace { core, half }),
        1 => (0usize..2, 0u32..64).prop_map(|(core, half)| Event::Breakpoint { core, half }),
        1 => (0u32..64, any::<u32>()).prop_map(|(offset, value)| Event::Poke { offset, value }),
        1 => (0usize..2, 0u32..64).prop_map(|(core, half)| Event::Patch { core, half }),
        1 => (0usize..2).prop_map(Event::ResetCore),
        1 => Just(Event::Flush),
        1 => [1u64..9, 1u64..9, 12u64..20, 6u64..12, 1u64..6, 0u64..12].prop_map(Event::Costs),
        1 => (prop_oneof![Just(Watch::Read), Just(Watch::Write)], 0u32..17)
            .prop_map(|(watch, word)| Event::ProbeRegister { watch, offset: 4 * word }),
        6 => pio::pio().prop_map(|pio| Event::Pio(Box::new(pio))),
        3 => transfers::transfers().prop_map(|transfers| Event::Transfers(Box::new(transfers))),
    ]
}

fn taste() -> impl Strategy<Value = Taste> {
    // Most of the time little that ends a quantum; sometimes much of it.
    let weight = || prop_oneof![4 => Just(0u32), 2 => Just(1u32), 1 => Just(6u32)];
    let wild = prop_oneof![12 => Just(0u32), 1 => Just(2u32)];
    let io = prop_oneof![4 => Just(0u32), 1 => Just(1u32), 2 => Just(12u32)];
    (weight(), weight(), io, weight(), weight(), wild).prop_map(|(outside, pio, io, shared, modifying, wild)| Taste {
        outside,
        pio,
        io,
        shared,
        modifying,
        wild,
    })
}

pub fn setting() -> impl Strategy<Value = Setting> {
    let programs = taste().prop_flat_map(|taste| [program(taste), program(taste)]);
    let tick = || prop_oneof![2 => Just(0u32), 1 => 40u32..3000];
    let piece = (1u64..4000, event()).prop_map(|(cycles, before)| Piece { cycles, before });
    (
        programs,
        [0usize..4, 0usize..4],
        0u32..4,
        prop_oneof![Just(0x800u32), Just(0x400), Just(0x40), Just(0)],
        [tick(), tick()],
        any::<[bool; 3]>(),
        proptest::collection::vec(piece, 1..8),
        (1u32..4, any::<bool>()),
    )
        .prop_map(|(programs, place, apart, data, ticks, flags, pieces, (translated_after, small_banks))| {
            let [linear_data, crossed, aliased] = flags;
            Setting {
                programs,
                place,
                apart,
                data,
                ticks,
                linear_data,
                crossed,
                joined: false,
                aliased,
                pieces,
                translated_after,
                small_banks,
            }
        })
}

/// Programs in the same memory that compute and now and then claim locks or drive pins: more often, and no quantum would go past it.
pub fn of_locks() -> impl Strategy<Value = Setting> {
    let taste = Taste { outside: 0, pio: 0, io: 2, shared: 0, modifying: 0, wild: 0 };
    (setting(), [program(taste), program(taste)], 0usize..3).prop_map(|(setting, programs, place)| Setting {
        programs,
        place: [place; 2],
        pieces: vec![Piece { cycles: 100_000, before: Event::Nothing }],
        ..setting
    })
}

/// Programs that compute, mostly, while the DMA copies what they use.
pub fn of_transfers() -> impl Strategy<Value = Setting> {
    let taste = |io, shared| Taste { outside: 0, pio: 0, io, shared, modifying: 0, wild: 0 };
    let few = || prop_oneof![3 => Just(0u32), 1 => Just(1u32)];
    let programs =
        (few(), few()).prop_flat_map(move |(io, shared)| [program(taste(io, shared)), program(taste(io, shared))]);
    let piece = (1000u64..20_000, transfers::transfers())
        .prop_map(|(cycles, transfers)| Piece { cycles, before: Event::Transfers(Box::new(transfers)) });
    (setting(), programs, proptest::collection::vec(piece, 1..6)).prop_map(|(setting, programs, pieces)| Setting {
        programs,
        pieces,
        ..setting
    })
}

/// Programs that compute, and go through each other's code in flash, 8 kB apart: so both cores read both lines of the same
/// sets of the flash cache, and now and then a third one.
pub fn of_flash() -> impl Strategy<Value = Setting> {
    let few = || prop_oneof![3 => Just(0u32), 1 => Just(1u32)];
    let programs = (few(), few()).prop_flat_map(|(io, shared)| {
        let taste = Taste { outside: 0, pio: 0, io, shared, modifying: 0, wild: 0 };
        [program(taste), program(taste)]
    });
    let events = prop_oneof![
        8 => Just(Event::Nothing),
        1 => (0usize..2, 0u8..32).prop_map(|(core, number)| Event::Interrupt { core, number }),
        1 => Just(Event::Flush),
        1 => (0usize..2, 0u32..64).prop_map(|(core, half)| Event::Trace { core, half }),
        1 => transfers::transfers().prop_map(|transfers| Event::Transfers(Box::new(transfers))),
    ];
    let piece = (500u64..20_000, events).prop_map(|(cycles, before)| Piece { cycles, before });
    let pieces = proptest::collection::vec(piece, 2..10);
    (setting(), programs, any::<bool>(), pieces).prop_map(|(setting, programs, joined, pieces)| Setting {
        programs,
        place: [2; 2],
        joined,
        pieces,
        ..setting
    })
}

impl Setting {
    pub fn code(&self, core: usize) -> u32 {
        CODE[self.place[core]][core] + 2 * self.apart * core as u32
    }

    /// Where the program of a core overwrites code.
    fn patched(&self, core: usize) -> u32 {
        let at = self.code(if self.crossed { 1 - core } else { core });
        if self.aliased && at >> 24 == 0x21 {
            // The same word where the banks take turns (DS 2.6.2, table 153); the four that follow are in it 16 bytes apart.
            let (bank, word) = (at >> 16 & 3, at >> 2 & 0x3fff);
            return 0x2000_0000 | word << 4 | bank << 2;
        }
        at
    }

    /// The machine before its first piece, with both programs about to begin.
    pub fn machine(&self) -> Machine {
        let mut machine = Machine::new();
        assert!(
            machine.write_register(0x4000_f000, 1 << 5 | 1 << 14 | 1 << 21 | 1 << 22),
            "RESETS: let go of pins, PWM, timer and UART0"
        );
        for pin in 0..8 {
            assert!(machine.write_register(0x4001_4004 + 8 * pin, 5), "the function of a pin: SIO");
        }
        assert!(machine.write_register(0x4005_0000, 1), "CH0_CSR of PWM: count");
        put_word(&mut machine, 0x1000_4200, 0);
        for number in 0..48 {
            put_word(&mut machine, VECTORS + 4 * number, HANDLER | 1);
        }
        // Counts, and comes back; after a fault, behind the instruction.
        put(
            &mut machine,
            HANDLER,
            &[0x4648, 0x6fc1, 0x3101, 0x67c1, 0x9906, 0xf3ef, 0x8205, 0x2a03, 0xd101, 0x3102, 0x9106, 0x4770],
        );
        let stacks = if self.small_banks { [0x2004_1000, 0x2004_2000] } else { STACKS };
        for (core, stack) in stacks.into_iter().enumerate() {
            let at = self.code(core);
            // STR R1, [R0, #4]; STR R2, [R0]: SYST_RVR and SYST_CSR.
            let mut code = vec![0x6041, 0x6002];
            let next = if self.joined { self.code(1 - core).wrapping_sub(at) } else { 0 };
            code.extend(assemble(&self.programs[core], next));
            put(&mut machine, at, &code);
            machine.start_core(core, at | 1, stack);
            let unstriped = if self.linear_data { 0x0100_0000 } else { 0 };
            let patched = self.patched(core);
            let tick = self.ticks[core];
            let registers = [
                (0, 0xe000_e010),
                (1, tick),
                (2, if tick == 0 { 0 } else { 7 }),
                (OWN_DATA, DATA + self.data * core as u32),
                (SHARED_DATA, SHARED + unstriped),
                (SIO, 0xd000_0000),
                (PATCHED, if patched >> 28 == 2 { patched } else { DATA }),
            ];
            for (register, value) in registers {
                machine.core_mut(core).set_register(usize::from(register), value);
            }
            machine.write_private(core, VTOR, VECTORS);
            machine.write_private(core, NVIC_ISER, u32::MAX);
        }
        machine
    }
}

impl Piece {
    pub fn run(&self, machine: &mut Machine) -> Stop {
        match self.before {
            Event::Nothing => {}
            Event::Interrupt { core, number } => machine.raise_interrupt(core, number),
            Event::Copy { words } => copy(machine, words),
            Event::Priority(masters) => set_bus_priority(machine, masters),
            Event::Probe { offset } => {
                machine.bus.fabric.watch.probe(Watch::Write, DATA + offset, 4);
            }
            Event::Trace { core, half } => {
                for place in CODE {
                    machine.bus.fabric.watch.probe(Watch::Execute, place[core] + 2 * half, 2);
                }
            }
            Event::Breakpoint { core, half } => {
                let at = CODE[0][core] + 2 * half;
                machine.bus.fabric.watch.add_breakpoint(at);
                let limit = machine.now() + self.cycles;
                let stop = machine.run_until(limit);
                machine.bus.fabric.watch.remove_breakpoint(at);
                return stop;
            }
            Event::Poke { offset, value } => put_word(machine, SHARED + 4 * offset, value),
            Event::Patch { core, half } => {
                for place in CODE {
                    put(machine, place[core] + 2 * half, &[0xbf00]);
                }
            }
            Event::ResetCore(core) => {
                let pc = machine.core(core).register(15);
                let sp = machine.core(core).register(13) & !3;
                machine.start_core(core, pc | 1, sp);
            }
            Event::Flush => machine.bus.xip.flush(),
            Event::Costs([line, decision, exception_return, tail_chain, fifo, flash_miss]) => {
                let costs = format!(
                    "costs:line={line},decision={decision},exception_return={exception_return},\
                     tail_chain={tail_chain},fifo={fifo},flash_miss={flash_miss}"
                );
                let fault: Fault = costs.parse().expect("these are costs");
                Faults::new([fault], machine).expect("the RP2040 has them");
            }
            Event::ProbeRegister { watch, offset } => {
                machine.bus.fabric.watch.probe(watch, 0x5020_0000 + offset, 4);
            }
            Event::Pio(ref pio) => pio.start(machine, SHARED, COPIED[1]),
            Event::Transfers(ref transfers) => transfers.start(machine),
        }
        let limit = machine.now() + self.cycles;
        machine.run_until(limit)
    }
}

/// Triggers channel 0 to copy words, unpaced.
fn copy(machine: &mut Machine, words: u32) {
    assert!(machine.write_register(0x4000_f000, 1 << 2), "RESETS: let go of the DMA");
    let control = 1 | 2 << 2 | 1 << 4 | 1 << 5 | 0x3f << 15;
    for (offset, value) in [(0, COPIED[0]), (4, COPIED[1]), (8, words), (12, control)] {
        machine.write_register(0x5000_0000 + offset, value);
    }
}
