//! Both engines come to the same: random programs on both cores, compared by the hash of the whole state wherever the run
//! is cut. `make test` tries 2,000 of them, `make test-long` a million (`PROPTEST_CASES`).

pub mod found;
mod pio;
pub mod program;
pub mod setting;
mod transfers;

use crate::machine_code::{CODE, NOP, OWN, STACK, STAY, cases, machine, put};
use intercore_sim::core::address_log::MAX_NAMED;
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::{ProbeId, Watch};
use intercore_sim::engine::Engine;
use intercore_sim::image::Image;
use intercore_sim::rp2040::bootrom;
use intercore_sim::rp2040::machine::Machine;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use setting::{Setting, setting};
use std::cell::Cell;
use std::fmt::Write;

/// Where two machines are not the same, for whoever has to find out why.
fn difference(decoupled: &Machine, lock_step: &Machine) -> String {
    let mut all = String::new();
    for number in 0..2 {
        let cores = [decoupled, lock_step].map(|machine| machine.core(number));
        for register in 0..16 {
            let [ours, theirs] = cores.map(|core| core.register(register));
            if ours != theirs {
                let _ = writeln!(all, "core {number} r{register}: {ours:#x} for {theirs:#x}");
            }
        }
        let [ours, theirs] = cores.map(|core| (core.cycle(), core.xpsr(), core.state(), core.statistics().clone()));
        if ours != theirs {
            let _ = writeln!(all, "core {number}: {ours:?}\n for {theirs:?}");
        }
    }
    for address in (0x2000_0000..0x2004_2000).step_by(4) {
        let [ours, theirs] = [decoupled, lock_step].map(|machine| machine.peek(address).unwrap_or(0));
        if ours != theirs {
            let _ = writeln!(all, "{address:#x}: {ours:#x} for {theirs:#x}");
        }
    }
    all
}

/// Runs a setting with both engines: the decoupled one, at its end. An error says where they came to differ.
fn compare(setting: &Setting) -> Result<Machine, TestCaseError> {
    let mut decoupled = setting.machine();
    let mut lock_step = decoupled.clone();
    decoupled.translate_after(setting.translated_after);
    decoupled.take_as_contended_after(setting.translated_after);
    lock_step.engine = Engine::LockStep;
    assert_eq!(decoupled.engine, Engine::Decoupled);
    for piece in &setting.pieces {
        let stops = [&mut decoupled, &mut lock_step].map(|machine| piece.run(machine));
        prop_assert_eq!(&stops[0], &stops[1], "in {:?}", piece);
        let [ours, theirs] = [&mut decoupled, &mut lock_step].map(|machine| {
            let diagnostics = &mut machine.bus.fabric.diagnostics;
            [diagnostics.take(), diagnostics.take_suppressed_counts()]
        });
        prop_assert_eq!(ours, theirs, "after {:?}", piece);
        prop_assert!(
            decoupled.state_hash() == lock_step.state_hash(),
            "after {:?}, in cycle {}:\n{}",
            piece,
            lock_step.now(),
            difference(&decoupled, &lock_step)
        );
    }
    // No piece adds more than four.
    for number in 0..4 * setting.pieces.len() {
        let [ours, theirs] = [&decoupled, &lock_step].map(|machine| machine.bus.fabric.watch.hits(ProbeId(number)));
        prop_assert_eq!(ours, theirs, "probe {}", number);
    }
    Ok(decoupled)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 20_000, ..ProptestConfig::with_cases(cases(2000)) })]

    #[test]
    fn two_cores_run_apart_as_they_do_together(setting in setting()) {
        compare(&setting)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2000, ..ProptestConfig::with_cases(cases(2000) / 10) })]

    /// Where they sometimes claim one lock in the same cycle, and lose cycles to each other at the same time.
    #[test]
    fn cores_that_want_the_same_locks_get_them_in_the_same_order(setting in setting::of_locks()) {
        compare(&setting)?;
    }
}

/// Compares programs of a kind. The sum of what is counted of each, without which this would say nothing.
fn compare_all(cases: u32, settings: impl Strategy<Value = Setting>, count: impl Fn(&Machine) -> u64) -> u64 {
    let mut runner = TestRunner::new(ProptestConfig { max_shrink_iters: 5000, ..ProptestConfig::with_cases(cases) });
    let sum = Cell::new(0);
    let done = runner.run(&settings, |setting| {
        sum.set(sum.get() + count(&compare(&setting)?));
        Ok(())
    });
    assert!(done.is_ok(), "{}", done.expect_err("it is none"));
    sum.get()
}

/// Where both cores read both lines of sets of the flash cache.
#[test]
fn the_line_that_was_read_last_stays_in_the_flash_cache() {
    let cases = cases(2000) / 4;
    let contended = compare_all(cases, setting::of_flash(), |machine| u64::from(machine.contended_sets() > 0));
    assert!(contended > u64::from(cases / 4), "{contended} of {cases} programs");
}

/// Both cores read two lines of a set, until one sleeps: then a third line takes the place of that which the other core did not
/// read last.
#[test]
fn the_line_that_a_core_alone_read_last_stays_in_the_flash_cache() {
    const LINES: [u32; 3] = [0x1000_4000, 0x1000_6000, 0x1000_8000];
    // Loop: LDR r2, [r0]; LDR r3, [r1]; SUBS r4, #1; BNE loop. Then LDR r5, [r6]; B to itself, or WFI.
    let code = |then: [u16; 2]| [0x6802, 0x680b, 0x3c01, 0xd1fb, then[0], then[1]];
    for last in 0..2 {
        let mut decoupled = machine(&code([0x6835, STAY]));
        decoupled.take_as_contended_after(1);
        put(&mut decoupled, OWN[1], &code([0xbf30, STAY]));
        decoupled.start_core(1, OWN[1] | 1, STACK);
        for (core, turns) in [(0, 900), (1, 600)] {
            let lines = [LINES[1 - last], LINES[last], turns, LINES[2]];
            for (register, value) in [0, 1, 4, 6].into_iter().zip(lines) {
                decoupled.core_mut(core).set_register(register, value);
            }
        }
        let mut lock_step = decoupled.clone();
        lock_step.engine = Engine::LockStep;
        for machine in [&mut decoupled, &mut lock_step] {
            machine.run_until(20_000);
            assert_eq!([0, 1].map(|core| machine.core(core).register(4)), [0; 2], "all turns are done");
        }
        assert_eq!(decoupled.state_hash(), lock_step.state_hash());
        assert_eq!(decoupled.contended_sets(), 1);
    }
}

/// Where cores run apart, and lose cycles to the DMA meanwhile.
#[test]
fn transfers_are_made_in_their_cycles_while_cores_run_apart() {
    let cases = cases(2000) / 5;
    let met = compare_all(cases, setting::of_transfers(), Machine::quanta_with_transfers);
    assert!(met > u64::from(cases), "{met} quanta with transfers");
}

/// Two pointers gone wild, at another address of SIO in each turn: a million addresses, 32 of which are named.
#[test]
fn a_million_wild_addresses_leave_the_same_few_notes_and_a_count() {
    // STR r1, [r0] or LDR r1, [r0]; ADDS r0, #4; ADDS r2, #1; B back.
    let code = |access| [access, 0x3004, 0x3201, 0xe7fb];
    let mut decoupled = machine(&code(0x6001));
    put(&mut decoupled, OWN[1], &code(0x6801));
    decoupled.start_core(1, OWN[1] | 1, STACK);
    for (core, address) in [0xd000_1000, 0xd080_0000].into_iter().enumerate() {
        decoupled.core_mut(core).set_register(0, address);
    }
    let mut lock_step = decoupled.clone();
    lock_step.engine = Engine::LockStep;
    let mut noted = Vec::new();
    for limit in [1000, 100_000, 3_000_000] {
        let both = [&mut decoupled, &mut lock_step].map(|machine| {
            machine.run_until(limit);
            let diagnostics = &mut machine.bus.fabric.diagnostics;
            (diagnostics.take(), diagnostics.take_suppressed_counts())
        });
        assert_eq!(both[0], both[1]);
        noted.push(both[0].clone());
    }
    let turns = [0, 1].map(|core| decoupled.core(core).register(2));
    assert!(turns.iter().sum::<u32>() > 1_000_000, "{turns:?}");
    assert_eq!(noted.iter().map(|(places, _)| places.len()).collect::<Vec<_>>(), [2 * MAX_NAMED, 0, 0]);
    let counts = &noted[2].1;
    assert_eq!(counts.len(), 2, "{counts:?}");
    // Of the turns under way, the access may be done already.
    let is_counted = |turns: u32| {
        counts.iter().any(|record| [0, 1].iter().any(|begun| record.contains(&format!(" {} times", turns + begun))))
    };
    assert!(turns.into_iter().all(is_counted), "{turns:?}: {counts:?}");
}

/// Which hits would come too late depends on which core an engine lets run ahead: all or none are kept.
#[test]
fn hits_beyond_those_that_are_kept_are_counted_and_no_others_are_given_for_all_of_them() {
    let code = [0x3201, NOP, 0xe7fc];
    let mut decoupled = machine(&code);
    put(&mut decoupled, OWN[1], &code);
    decoupled.start_core(1, OWN[1] | 1, STACK);
    let places = [CODE, OWN[1], CODE + 0x100];
    let probes = places.map(|place| decoupled.bus.fabric.watch.probe(Watch::Execute, place, 2));
    decoupled.bus.fabric.watch.max_hits = Some(1000);
    let mut lock_step = decoupled.clone();
    lock_step.engine = Engine::LockStep;
    let lost = [&mut decoupled, &mut lock_step].map(|machine| {
        machine.run_until(10_000);
        assert!(probes.iter().all(|&probe| machine.bus.fabric.watch.hits(probe).is_empty()));
        probes.map(|probe| machine.bus.fabric.watch.lost(probe))
    });
    assert_eq!(lost[0], lost[1]);
    // Of the turn under way, the hit may be counted already.
    for (core, lost) in lost[0].into_iter().take(2).enumerate() {
        let turns = u64::from(decoupled.core(core).register(2));
        assert!(lost.is_some_and(|lost| (turns..=turns + 1).contains(&lost)), "{lost:?} of {turns}");
    }
    assert_eq!(lost[0][2], Some(0), "it had none, and nobody knows whether it would have had");
    for probe in probes {
        decoupled.bus.fabric.watch.take_hits(probe);
    }
    decoupled.run_until(10_300);
    assert!(decoupled.bus.fabric.watch.hits(probes[0]).len() > 50, "it begins again with none");
    assert_eq!(decoupled.bus.fabric.watch.lost(probes[0]), None);
}

/// MOVS r0, #16; STR r0, [r0]; ADDS r0, #4; STR r0, [r0]; B back to the last ADDS.
#[test]
fn a_store_to_rom_is_ignored_and_reported_with_its_address() {
    let mut decoupled = machine(&[0x2010, 0x6000, 0x3004, 0x6000, 0xe7fc]);
    let mut lock_step = decoupled.clone();
    lock_step.engine = Engine::LockStep;
    let rom = decoupled.peek(0x10);
    let notes = [&mut decoupled, &mut lock_step].map(|machine| {
        machine.run_until(30);
        machine.bus.fabric.diagnostics.take()
    });
    assert_eq!(notes[0], notes[1]);
    assert!(notes[0].len() > 2 && notes[0][1].contains("ROM offset 0x014: written to"), "{notes:?}");
    assert_eq!(decoupled.peek(0x10), rom);
}

#[test]
fn who_has_lost_the_cycle_before_a_stop_has_begun() {
    compare(&found::that_stops_behind_a_lost_cycle()).expect("both engines come to the same");
}

#[test]
fn a_lock_up_is_of_the_cycle_of_its_fault() {
    compare(&found::that_locks_up()).expect("both engines come to the same");
}

#[test]
fn code_for_the_host_is_forgotten_with_the_word_behind_it() {
    compare(&found::that_overwrite_what_follows_a_branch()).expect("both engines come to the same");
}

#[test]
fn a_list_of_no_registers_is_a_fault_in_both() {
    compare(&found::that_loads_nothing_from_a_peripheral()).expect("both engines come to the same");
}

#[test]
fn a_breakpoint_behind_a_deferred_step_stops_both_in_the_same_state() {
    compare(&found::that_stop_behind_a_deferred_step()).expect("both engines come to the same");
}

/// Programs with start-up code, interrupts, FIFOs and spinlocks; `mix` keeps both cores at work for ever.
#[test]
fn programs_in_c_come_to_the_same() {
    /// Between two looks: long enough for many quanta, and no multiple of any.
    const SLICE: u64 = 100_003;
    let last = 1000 * u64::from(cases(2000));
    for name in ["mix", "both_cores", "bank_conflict", "fifo_polled", "fifo_interrupt", "spinlock", "pio"] {
        for memory in ["sram", "flash"] {
            let Some(elf) = crate::compiler::build_example(name, memory, "engines") else { return };
            let image = Image::open(&elf, None, &intercore_sim::rp2040::boot::IMAGES).expect("it was built");
            let mut machines = [Engine::Decoupled, Engine::LockStep].map(|engine| {
                let mut machine = Machine::new();
                machine.engine = engine;
                machine.translate_after(32);
                machine.boot(&image, &bootrom::ours()).expect("it fits");
                machine
            });
            for cycle in (SLICE..last).step_by(SLICE as usize) {
                let stops = machines.each_mut().map(|machine| machine.run_until(cycle));
                assert_eq!(stops[0], stops[1], "{name} in {memory}, by cycle {cycle}");
                let [ours, theirs] = &machines;
                assert!(
                    ours.state_hash() == theirs.state_hash(),
                    "{name} in {memory}, by cycle {cycle}:\n{}",
                    difference(ours, theirs)
                );
                if stops[0] != Stop::Limit {
                    break;
                }
            }
            // Or else this says nothing of code for the host.
            let translated = machines[0].translated_blocks();
            assert!(name != "mix" || translated > 100 || !cfg!(target_arch = "x86_64"), "{translated} in {memory}");
        }
    }
}
