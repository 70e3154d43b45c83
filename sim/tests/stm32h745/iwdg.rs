//! Independent watchdogs (RM0399 section 48).

use super::access::*;
use intercore_sim::stm32h745::peripherals::board::{Board, OptionBytes};
use intercore_sim::stm32h745::peripherals::{Peripherals, Reset};
use intercore_sim::stm32h745::{M4, M7, NEVER, SECOND, Time};

const KR: u32 = IWDG1;
const PR: u32 = IWDG1 + 4;
const RLR: u32 = IWDG1 + 8;
const SR: u32 = IWDG1 + 12;
const WINR: u32 = IWDG1 + 16;
/// A cycle of LSI.
const LSI: Time = SECOND / 32_000;

fn bites(bus: &mut Bus) -> bool {
    bus.chip.advance(bus.now);
    bus.chip.reset_request(bus.now) == Some(Reset::IndependentWatchdog(M7))
}

#[test]
fn iwdg_resets_at_counter_underflow() {
    let mut bus = Bus::new();
    bus.write(KR, 0xcccc);
    bus.write(KR, 0x5555);
    bus.write(PR, 2);
    bus.write(RLR, 9);
    assert_eq!(bus.read(SR), 0b011);
    assert!(bus.until(SR, 0) && bus.read(RLR) == 9);
    bus.write(KR, 0xaaaa);
    let begun = bus.now;
    bus.now = begun + 10 * 16 * LSI - 1;
    assert!(!bites(&mut bus));
    bus.now += 1;
    assert!(bites(&mut bus));
    assert_eq!(bus.chip.next_event(), bus.now);
    assert!(bus.reports().is_empty());
}

#[test]
fn what_is_protected_needs_its_key() {
    let mut bus = Bus::new();
    bus.write(RLR, 9);
    assert_reported(&bus.reports(), "without 0x5555 in IWDG_KR");
    bus.write(KR, 0x5555);
    bus.write(KR, 0xaaaa);
    bus.write(PR, 1);
    assert_reported(&bus.reports(), "without 0x5555 in IWDG_KR");
    assert_eq!((bus.read(PR), bus.read(RLR)), (0, 0xfff));
}

#[test]
fn a_refresh_outside_of_the_window_bites() {
    let mut bus = Bus::new();
    bus.write(KR, 0xcccc);
    bus.write(KR, 0x5555);
    bus.write(RLR, 100);
    bus.wait(6 * LSI);
    bus.write(WINR, 50);
    bus.write(KR, 0x5555);
    bus.wait(52 * 4 * LSI);
    bus.write(KR, 0xaaaa);
    assert!(!bites(&mut bus), "the counter was below 50");
    bus.wait(10 * 4 * LSI);
    bus.write(KR, 0xaaaa);
    assert!(bites(&mut bus), "it was above");
}

#[test]
fn one_of_hardware_runs_from_the_beginning() {
    let options = OptionBytes { software_watchdog: [true, false], ..OptionBytes::default() };
    let chip = Peripherals::new(options, Board::default());
    assert_eq!(chip.next_event(), 4096 * 4 * LSI);
    assert_eq!(chip.reset_request(SECOND), Some(Reset::IndependentWatchdog(M4)));
    assert_eq!(Bus::new().chip.next_event(), NEVER);
}
