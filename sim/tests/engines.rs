//! Both engines come to the same: random programs on both cores, compared by the hash of the whole state wherever the run
//! is cut. `make test` tries 2,000 of them, `make test-long` a million (`PROPTEST_CASES`).

mod found;
mod program;
mod setting;

use crate::machine_code::cases;
use intercore_sim::chip::machine::{Engine, Machine, Stop};
use intercore_sim::firmware::{bootrom, image::Image};
use intercore_sim::observe::probe::ProbeId;
use proptest::prelude::*;
use setting::{Setting, setting};
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

/// Runs a setting with both engines. An error says where they came to differ.
fn compare(setting: &Setting) -> Result<(), TestCaseError> {
    let mut decoupled = setting.machine();
    let mut lock_step = decoupled.clone();
    decoupled.translate_after(setting.translated_after);
    lock_step.engine = Engine::LockStep;
    assert_eq!(decoupled.engine, Engine::Decoupled);
    for piece in &setting.pieces {
        let stops = [&mut decoupled, &mut lock_step].map(|machine| piece.run(machine));
        prop_assert_eq!(&stops[0], &stops[1], "in {:?}", piece);
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
        let [ours, theirs] = [&decoupled, &lock_step].map(|machine| machine.bus.watch.hits(ProbeId(number)));
        prop_assert_eq!(ours, theirs, "probe {}", number);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 20_000, ..ProptestConfig::with_cases(cases(2000)) })]

    #[test]
    fn two_cores_run_apart_as_they_do_together(setting in setting()) {
        compare(&setting)?;
    }
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

/// Programs with start-up code, interrupts, FIFOs and spinlocks; `mix` keeps both cores at work for ever.
#[test]
fn programs_in_c_come_to_the_same() {
    /// Between two looks: long enough for many stretches, and no multiple of any.
    const SLICE: u64 = 100_003;
    let last = 1000 * u64::from(cases(2000));
    for name in ["mix", "both_cores", "bank_conflict", "fifo_polled", "fifo_interrupt", "spinlock"] {
        for memory in ["sram", "flash"] {
            let Some(elf) = crate::compiler::build_example(name, memory, "engines") else { return };
            let image = Image::open(&elf, None).expect("it was built");
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
