//! The exactness oracle: random programs on both cores, from and to everything on the bus, with and without a DMA copy beside
//! them, must take exactly the cycles that a small model of its own says (`model.rs`).
//!
//! Programs read `SysTick` again and again and store it, so that time is taken as firmware takes it: no probe is set, and the
//! simulator runs at its full speed.

mod model;
mod program;

use crate::machine_code::{NOP, cases, put};
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;
use intercore_sim::rp2040::machine::Machine;
use model::{Copy, Flash, Outcome};
use program::{Assembly, HOP, Ins, Places, instruction};
use proptest::prelude::*;

/// SRAM0-3 striped, SRAM0 to 3 alone, SRAM4, SRAM5.
const RAM: [u32; 7] = [0x2000_0000, 0x2100_8000, 0x2101_8000, 0x2102_8000, 0x2103_8000, 0x2004_0000, 0x2004_1000];
/// ROM, flash through the cache and around it.
const READ_ONLY: [u32; 3] = [0x0000_1000, 0x1000_1000, 0x1300_1000];
/// Words that share their sets of the cache with those above.
const FLASH: [u32; 4] = [0x1000_1000, 0x1000_3000, 0x1000_5000, 0x1000_7000];
/// Scratch registers of the watchdog, registers of the DMA that read as 0.
const REGISTERS: [u32; 2] = [0x4005_800c, 0x5000_0800];

/// Room for code, data, trace and stack of both cores in each place.
const DATA: u32 = 0x800;
const TRACE: u32 = 0x900;
const STACK: u32 = 0xb80;
const PER_CORE: [u32; 4] = [0x400, 0, 0x100, 0x80];

/// Serial clocks of a word, 8 + 4 + 8 (pico-sdk `boot2_w25q080.S`), times the divider; and 4 cycles that are an assumption.
const DIVIDER: u32 = 2;
const WIRE: u64 = 20 * 2 + 4;

fn places(owner: u32) -> impl Strategy<Value = Places> {
    let ram = || proptest::sample::select(RAM.to_vec());
    let code = prop_oneof![4 => ram(), 1 => proptest::sample::select(READ_ONLY.to_vec())];
    let place = || {
        prop_oneof![
            5 => ram().prop_map(|base| base + DATA),
            1 => proptest::sample::select(READ_ONLY.to_vec()).prop_map(|base| base + DATA),
            1 => proptest::sample::select(FLASH.to_vec()).prop_map(|base| base + DATA),
            1 => proptest::sample::select(REGISTERS.to_vec()),
        ]
    };
    (code, 0u32..2, [place(), place(), place()], ram(), ram()).prop_map(move |(code, half, data, trace, stack)| {
        Places {
            code: code + PER_CORE[0] * owner + 2 * half,
            data,
            trace: trace + TRACE + PER_CORE[2] * owner,
            stack: stack + STACK + PER_CORE[3] * owner,
        }
    })
}

#[derive(Clone, Debug)]
struct Case {
    places: [Places; 2],
    programs: [Vec<Ins>; 2],
    /// How much later core 1 starts.
    late: u64,
    high: u8,
    copy: Option<Copy>,
    /// Whether the simulator has a probe to look after, and in what steps it runs: neither may change any time.
    watched: bool,
    step: u64,
}

fn copy() -> impl Strategy<Value = Option<Copy>> {
    let ram = |offset: u32| proptest::sample::select(RAM.to_vec()).prop_map(move |base| base + offset);
    let slow = || proptest::sample::select(vec![READ_ONLY[0] + DATA, READ_ONLY[2] + DATA, REGISTERS[0]]);
    let from = prop_oneof![3 => ram(0xd00), 1 => slow()];
    let to = ram(0xe00);
    let copy = (from, to, 1usize..60).prop_map(|(from, to, words)| Copy { from, to, words });
    proptest::option::weighted(0.4, copy)
}

fn case() -> impl Strategy<Value = Case> {
    let program = || proptest::collection::vec(instruction(), 1..30);
    let both = ([program(), program()], 0u64..12, 0u8..16, copy());
    let step = prop_oneof![Just(50_000u64), Just(1), 2u64..40];
    (places(0), places(1), both, any::<bool>(), step).prop_map(|(a, b, (programs, late, high, copy), watched, step)| {
        Case { places: [a, b], programs, late, high, copy, watched, step }
    })
}

/// Both forms of a program: a stamp at both ends and after every third instruction.
fn assemble<'a>(places: &'a Places, program: &[Ins]) -> Assembly<'a> {
    let mut assembly = Assembly::new(places);
    assembly.start_clock();
    for (i, ins) in program.iter().enumerate() {
        if i % 3 == 0 {
            assembly.stamp();
        }
        assembly.add(ins);
    }
    assembly.stamp();
    assembly.end();
    assembly
}

fn simulate(case: &Case, programs: &[Assembly; 2]) -> Outcome {
    let mut machine = Machine::new();
    machine.bus.xip.ssi.configure(DIVIDER);
    // RESETS: let go of BUSCTRL and DMA; BUS_PRIORITY.
    machine.write_register(0x4000_f000, 1 << 1 | 1 << 2);
    machine.write_register(0x4003_0000, (0..4).map(|i| u32::from(case.high >> i & 1) << (4 * i)).sum());
    if let Some(copy) = &case.copy {
        // Channel 0: EN, words, both addresses count, unpaced, chained to itself, which is to none.
        let control = 1 | 2 << 2 | 1 << 4 | 1 << 5 | 0x3f << 15;
        for (offset, value) in [(0, copy.from), (4, copy.to), (8, copy.words as u32), (12, control)] {
            machine.write_register(0x5000_0000 + offset, value);
        }
    }
    for (places, program) in case.places.iter().zip(programs) {
        put(&mut machine, places.code, &program.code);
    }
    if case.watched {
        machine.bus.fabric.watch.probe(Watch::Write, RAM[0], 4);
    }
    for (core, places) in case.places.iter().enumerate() {
        machine.start_core(core, places.code | 1, places.stack);
        let registers =
            places.data.into_iter().chain([0xd000_0000, 0xe000_e018, places.trace, 0xe000_e010, 0xff_ffff, HOP]);
        for (number, value) in registers.enumerate() {
            machine.core_mut(core).set_register(number, value);
        }
        machine.core_mut(core).set_apsr(0);
        if core == 0 {
            assert!(case.late == 0 || machine.run_until(case.late) == Stop::Limit);
        }
    }
    let steps = (1..).map(|i| case.late + case.step * i).take_while(|&end| end < 100_000);
    let end = steps.map(|end| machine.run_until(end)).find(|stop| *stop != Stop::Limit);
    assert_eq!(end, Some(Stop::DeadEnd), "both cores sleep");
    let stamps = [0, 1].map(|core| {
        let count = programs[core].slots.iter().filter(|slot| slot.stamp).count() as u32;
        let word = |i| machine.peek(case.places[core].trace + 4 * i).map_or(0, u64::from);
        (0..count).map(|i| word(0).wrapping_sub(word(i)) & 0xff_ffff).collect()
    });
    let lost = [0, 1].map(|core| std::array::from_fn(|port| machine.core(core).statistics().conflicts[port]));
    Outcome { stamps, lost }
}

fn expected(case: &Case, programs: &[Assembly; 2]) -> Outcome {
    let flash = Flash::new(WIRE);
    let slots = [&programs[0].slots[..], &programs[1].slots[..]];
    let Outcome { stamps, lost } = model::run(slots, [0, case.late], case.high, case.copy.as_ref(), flash);
    // Times since the first: all that a core's own clock can tell.
    Outcome { stamps: stamps.map(|all| all.iter().map(|&at| at - all[0]).collect()), lost }
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let programs = [0, 1].map(|core| assemble(&case.places[core], &case.programs[core]));
    prop_assert_eq!(simulate(case, &programs), expected(case, &programs));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(4000)))]

    #[test]
    fn programs_take_the_cycles_of_the_model(case in case()) {
        check(&case)?;
    }

    #[test]
    fn they_do_while_dma_writes_to_slow_registers(case in case(), from in proptest::sample::select(RAM.to_vec())) {
        let copy = Some(Copy { from: from + 0xd00, to: REGISTERS[0], words: 20 });
        check(&Case { copy, ..case })?;
    }
}

#[test]
fn a_core_that_waits_for_a_write_to_flash_finds_its_line_deleted() {
    let access = |write| Ins::Transfer { base: 0, offset: 0, size: 4, write };
    let reads = vec![access(false); 20];
    for (pause, reader) in (0..60).flat_map(|pause| [(pause, 0), (pause, 1)]) {
        let mut write = vec![Ins::One(NOP); pause];
        write.push(access(true));
        let programs = [0, 1].map(|core| if core == reader { &reads } else { &write }.clone());
        let places = [0, 1].map(|core| Places {
            code: RAM[core + 1],
            data: [FLASH[0] + DATA; 3],
            trace: RAM[core + 1] + TRACE,
            stack: RAM[core + 1] + STACK,
        });
        let case = Case { places, programs, late: 0, high: 0, copy: None, watched: false, step: 50_000 };
        check(&case)
            .unwrap_or_else(|error| panic!("core {reader} reads, the other writes after {pause} NOPs: {error}"));
    }
}
