//! Loops in which a core waits for what will never come: which are recognised, and which might end.

use crate::machine_code::put;
use intercore_sim::rp2040::machine::Machine;
use intercore_sim::rp2040::peripherals::Peripherals;

const CODE: u32 = 0x2000_0000;
const PIO0: u32 = 0x5020_0000;
const TIMER: u32 = 0x4005_4000;

/// Core 0 in a loop, with R0; core 1 is off.
fn looping(code: &[u16], r0: u32) -> Machine {
    let mut machine = Machine::new();
    machine.write_register(0x4000_f000, u32::MAX); // RESETS: lets go of all
    put(&mut machine, CODE, code);
    machine.start_core(0, CODE | 1, CODE + 0x1000);
    machine.core_mut(0).set_register(0, r0);
    machine.run_until(10_000);
    machine
}

/// LDR r1, [r0, #4]; CMP r1, #0; BEQ -6; B .
const UNTIL_SET: [u16; 4] = [0x6841, 0x2900, 0xD0FC, 0xE7FE];
/// LDR r1, [r0, #4]; B -4
const FOR_EVER: [u16; 2] = [0x6841, 0xE7FD];

#[test]
fn a_register_that_nothing_changes_is_named() {
    let machine = looping(&FOR_EVER, PIO0);
    let polling = machine.polling().expect("it polls");
    assert_eq!((polling.core, polling.pc(), &polling.reads[..]), (0, CODE, &[PIO0 + 4][..]));
    assert!(polling.explain("main").starts_with("core 0 polls PIO0 offset 0x004 in the loop at main: "));
    assert!(!polling.may_wait_for_input());
    for (address, waits) in [(0x4003_4014, true), (0x5011_0058, true), (0x4003_8014, false), (0x4003_c00c, false)] {
        let polling = looping(&FOR_EVER, address).polling().expect("it polls");
        assert_eq!(polling.may_wait_for_input(), waits, "{address:#x}");
    }
}

#[test]
fn it_is_the_same_loop_wherever_it_is_looked_at() {
    let mut machine = looping(&FOR_EVER, PIO0);
    let first = machine.polling();
    for cycles in 1..20 {
        let now = machine.now();
        machine.run_until(now + cycles);
        assert_eq!(machine.polling(), first);
    }
    let hash = machine.state_hash();
    machine.polling();
    assert_eq!(machine.state_hash(), hash, "looking changes nothing");
}

#[test]
fn memory_that_nobody_writes_is_waited_for_in_vain() {
    let polling = looping(&UNTIL_SET, CODE + 0x2000).polling().expect("it waits");
    assert!(polling.reads.is_empty());
    assert!(polling.explain("main").contains("stays in the loop at main"));
}

#[test]
fn a_loop_that_counts_writes_or_sleeps_is_none() {
    for (what, code, r0) in [
        ("ADDS r1, #1; B -4", &[0x3101, 0xE7FD][..], 0),
        ("LDR r1, [r0]; ADDS r1, #1; STR r1, [r0]; B -8", &[0x6801, 0x3101, 0x6001, 0xE7FB], CODE + 0x2000),
        ("STR r1, [r0, #0x14]; B -4: SIO", &[0x6141, 0xE7FD], 0xd000_0000),
        ("WFE; B -4", &[0xBF20, 0xE7FD], 0),
    ] {
        assert_eq!(looping(code, r0).polling(), None, "{what}");
    }
}

/// Even if the loop keeps only bits that change after minutes.
#[test]
fn what_tells_the_time_may_end_a_loop() {
    // LDR r1, [r0, #4]; LSRS r1, #24; B -6
    let code = [0x6841, 0x0E09, 0xE7FC];
    for (what, register) in [("TIMERAWL", TIMER + 0x28), ("SysTick", 0xe000_e018), ("CTR_ACC", 0x1400_0010)] {
        let mut machine = looping(&code, register - 4);
        machine.write_register(0x4005_802c, 1 << 9 | 0xc); // WATCHDOG_TICK
        assert_eq!(machine.polling(), None, "{what}");
    }
    assert!(looping(&code, PIO0).polling().is_some());
}

#[test]
fn any_register_may_be_polled() {
    for block in Peripherals::blocks() {
        for offset in (0..0x200).step_by(4) {
            looping(&FOR_EVER, block.base.wrapping_add(offset).wrapping_sub(4)).polling();
        }
    }
}

#[test]
fn whatever_is_pending_may_end_a_loop() {
    let mut machine = looping(&FOR_EVER, PIO0);
    assert!(machine.polling().is_some());
    let mut waits_for_alarm = machine.clone();
    waits_for_alarm.write_register(0x4005_802c, 1 << 9 | 0xc); // WATCHDOG_TICK
    waits_for_alarm.write_register(TIMER + 0x38, 1);
    waits_for_alarm.write_register(TIMER + 0x10, 1_000_000);
    assert_eq!(waits_for_alarm.polling(), None, "an alarm");
    let mut with_pio = machine.clone();
    // JMP 0 with a delay: nothing is seen of it.
    with_pio.write_register(PIO0 + 0x48, 0x1f00);
    with_pio.write_register(PIO0, 1);
    assert_eq!(with_pio.polling(), None, "a PIO program");
    machine.start_core(1, CODE | 1, CODE + 0x1800);
    let now = machine.now();
    machine.run_until(now + 1000);
    assert_eq!(machine.polling(), None, "the other core");
}
