//! HSEM (RM0399 section 11).

use super::access::*;
use intercore_sim::fault::Fault;
use intercore_sim::stm32h745::peripherals::Reset;
use intercore_sim::stm32h745::{M4, M7};
use proptest::prelude::*;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

const R: u32 = HSEM;
const RLR: u32 = HSEM + 0x80;
const CR: u32 = HSEM + 0x140;
const KEYR: u32 = HSEM + 0x144;
const LOCK: u32 = 1 << 31;
/// Table 95.
const CORE_ID: [u32; 2] = [3, 1];

/// Enable, clear, status and masked status of a core's interrupt.
fn interrupt(core: usize, register: u32) -> u32 {
    HSEM + 0x100 + 0x10 * core as u32 + 4 * register
}

pub fn both_enabled() -> Bus {
    let mut bus = Bus::new();
    for core in [M7, M4] {
        bus.enable(core, RCC_AHB4ENR, 25);
    }
    bus
}

/// The Cortex-M7 takes a semaphore and gives it back.
pub fn ring(bus: &mut Bus, semaphore: u32) {
    bus.read(RLR + 4 * semaphore);
    bus.write(R + 4 * semaphore, 3 << 8);
}

#[test]
fn a_read_locks_a_free_semaphore_for_the_core_that_reads() {
    let mut bus = both_enabled();
    assert_eq!(bus.read_by(M7, RLR), LOCK | 3 << 8);
    assert_eq!(bus.read_by(M4, RLR), LOCK | 3 << 8, "it stays the first core's");
    assert_eq!(bus.read_by(M4, RLR + 4), LOCK | 1 << 8);
    assert_eq!(bus.read_by(M7, R + 4), LOCK | 1 << 8, "both registers have the same bits");
    assert_eq!(bus.read_by(M7, R + 8), 0, "reading HSEM_Rx locks nothing");
}

#[test]
fn a_write_locks_for_a_process_and_only_that_process_releases() {
    let mut bus = both_enabled();
    bus.write(R, LOCK | 3 << 8 | 0x55);
    assert_eq!(bus.read(R), LOCK | 3 << 8 | 0x55);
    bus.write(R, LOCK | 3 << 8 | 0x66);
    assert_eq!(bus.read(R), LOCK | 3 << 8 | 0x55, "a second lock is ignored");
    assert!(bus.reports().is_empty());
    bus.write(R, 3 << 8 | 0x66);
    assert_reported(&bus.reports(), "holds it");
    assert_eq!(bus.read(R), LOCK | 3 << 8 | 0x55);
    bus.write(R, 3 << 8 | 0x55);
    assert_eq!(bus.read(R), 0);
}

#[test]
fn a_release_interrupts_the_cores_that_have_enabled_it() {
    let mut bus = both_enabled();
    bus.write_by(M4, interrupt(M4, 0), 1 << 7);
    bus.read(RLR + 4 * 7);
    bus.write(R + 4 * 7, 3 << 8);
    assert_eq!(bus.read(interrupt(M7, 2)), 1 << 7, "the status is there before the mask");
    assert_eq!(bus.read(interrupt(M7, 3)), 0);
    assert!(!bus.chip.interrupts[M7].is_high(125));
    assert_eq!(bus.read(interrupt(M4, 3)), 1 << 7);
    assert!(bus.chip.interrupts[M4].is_high(126));
    assert!(!bus.chip.interrupts[M4].is_high(125) && !bus.chip.interrupts[M7].is_high(126));
    bus.write_by(M4, interrupt(M4, 1), 1 << 6);
    assert!(bus.chip.interrupts[M4].is_high(126), "another semaphore's status is cleared");
    bus.write_by(M4, interrupt(M4, 1), 1 << 7);
    assert!(!bus.chip.interrupts[M4].is_high(126));
    assert_eq!(bus.read(interrupt(M7, 2)), 1 << 7, "each core has a status of its own");
    bus.write(interrupt(M7, 0), 1 << 7);
    assert!(bus.chip.interrupts[M7].is_high(125), "a status from before the mask interrupts when it is unmasked");
}

fn losing(losses: &[&str]) -> Bus {
    let mut bus = both_enabled();
    bus.write(interrupt(M7, 0), 1 << 7);
    bus.write_by(M4, interrupt(M4, 0), 1 << 7 | 1 << 8);
    let loss = |text: &&str| match text.parse() {
        Ok(Fault::Loss(loss)) => loss,
        other => panic!("no loss: {other:?}"),
    };
    bus.chip.losses.set(losses.iter().map(loss));
    bus
}

/// Semaphore 7 becomes free so often: in which of them the interrupt of a core comes, which it clears.
fn heard(bus: &mut Bus, core: usize, count: u32) -> Vec<u32> {
    let comes = |_: &u32| {
        ring(bus, 7);
        let status = bus.read_by(core, interrupt(core, 3));
        assert_eq!(bus.chip.interrupts[core].is_high([125, 126][core]), status != 0);
        bus.write_by(core, interrupt(core, 1), 1 << 7);
        status != 0
    };
    (1..=count).filter(comes).collect()
}

#[test]
fn hsem_lost_interrupt_leaves_no_trace_in_registers() {
    let mut bus = losing(&["hsem:to=1,interrupt=3"]);
    assert_eq!(heard(&mut bus, M4, 5), [1, 2, 4, 5]);
    assert_eq!(bus.read(interrupt(M7, 3)), 1 << 7, "the other core has its own");
    assert_eq!([M7, M4].map(|core| bus.chip.losses.lost(core)), [0, 1]);
    assert_eq!(bus.read(R + 4 * 7), 0, "the semaphore is free");
    assert!(bus.reports().is_empty());
    assert_eq!(heard(&mut losing(&["hsem:to=0,interrupt=3"]), M4, 5), [1, 2, 3, 4, 5]);
    assert_eq!(heard(&mut losing(&["hsem:to=0,interrupt=3"]), M7, 5), [1, 2, 4, 5]);
    assert_eq!(heard(&mut losing(&["hsem:to=0", "hsem:to=1@0..1"]), M7, 3), [0_u32; 0]);
    assert_eq!(heard(&mut losing(&["hsem:to=1@0..1"]), M4, 3), [1, 2, 3], "its time is over");
}

#[test]
fn hsem_loss_counts_new_enabled_interrupts_only() {
    let mut bus = losing(&["hsem:to=1,interrupt=2"]);
    ring(&mut bus, 9);
    assert_eq!(bus.read(interrupt(M4, 2)), 1 << 9, "not enabled");
    ring(&mut bus, 7);
    ring(&mut bus, 7);
    assert_eq!(bus.read(interrupt(M4, 3)), 1 << 7, "pending already");
    assert_eq!(bus.chip.losses.lost(M4), 0);
    ring(&mut bus, 8);
    assert_eq!(bus.read(interrupt(M4, 3)), 1 << 7, "another semaphore's is one more");
    assert_eq!(bus.chip.losses.lost(M4), 1);
}

#[test]
fn losses_outlast_a_reset_and_are_no_part_of_the_state() {
    let mut bus = losing(&["hsem:to=1"]);
    bus.chip.reset(Reset::Pin, bus.now);
    for core in [M7, M4] {
        bus.enable(core, RCC_AHB4ENR, 25);
    }
    bus.write_by(M4, interrupt(M4, 0), 1 << 7);
    assert_eq!(heard(&mut bus, M4, 3), [0_u32; 0]);
    let hash = |losses| BuildHasherDefault::<DefaultHasher>::default().hash_one(losing(losses).chip);
    assert_eq!(hash(&[]), hash(&["hsem:to=1", "hsem:to=0,lose=0.5"]));
}

#[test]
fn the_key_releases_all_semaphores_of_a_core() {
    let mut bus = both_enabled();
    for index in 0..32 {
        bus.read_by(if index % 2 == 0 { M7 } else { M4 }, RLR + 4 * index);
    }
    bus.write(KEYR, 0xa55a_0000);
    bus.write(CR, 0x1111_0000 | 1 << 8);
    assert_reported(&bus.reports(), "HSEM_CR is written with another key");
    assert_eq!(bus.read(R + 4), LOCK | 1 << 8);
    bus.write(CR, 0xa55a_0000 | 1 << 8);
    for index in 0..32 {
        assert_eq!(bus.read(R + 4 * index), if index % 2 == 0 { LOCK | 3 << 8 } else { 0 });
    }
    assert_eq!(bus.read(interrupt(M7, 2)), 0xaaaa_aaaa);
}

#[test]
fn accesses_narrower_than_a_word_are_bus_errors() {
    let mut bus = both_enabled();
    for size in [1, 2] {
        assert!(bus.chip.read(M7, R, size, bus.now).is_err());
        assert!(bus.chip.write(M7, R, 0, size, bus.now).is_err());
    }
}

#[test]
fn a_debugger_that_looks_locks_nothing() {
    let mut bus = both_enabled();
    assert_eq!(bus.chip.peek(M7, RLR, 4, bus.now), Ok(0));
    assert_eq!(bus.read(R), 0);
}

#[derive(Clone, Copy, Debug)]
enum Action {
    ReadLock,
    WriteLock(u32),
    Release(u32),
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![Just(Action::ReadLock), (0..3_u32).prop_map(Action::WriteLock), (0..3_u32).prop_map(Action::Release)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The core and process that lock a free semaphore own it until they release it.
    #[test]
    fn holders(actions in prop::collection::vec((0..2_usize, 0..3_u32, action()), 1..60)) {
        let mut bus = both_enabled();
        let mut holders = [0_u32; 3];
        for (core, index, action) in actions {
            let holder = &mut holders[index as usize];
            match action {
                Action::ReadLock => {
                    if *holder == 0 { *holder = LOCK | CORE_ID[core] << 8; }
                    prop_assert_eq!(bus.read_by(core, RLR + 4 * index), *holder);
                }
                Action::WriteLock(process) => {
                    let word = LOCK | CORE_ID[core] << 8 | process;
                    bus.write_by(core, R + 4 * index, word);
                    if *holder == 0 { *holder = word; }
                }
                Action::Release(process) => {
                    let word = CORE_ID[core] << 8 | process;
                    bus.write_by(core, R + 4 * index, word);
                    if *holder == LOCK | word { *holder = 0; }
                }
            }
            prop_assert_eq!(bus.read_by(core, R + 4 * index), *holder);
        }
    }
}
