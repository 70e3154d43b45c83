//! PWR (RM0399 sections 7.4.1 and 7.8).

use super::access::*;
use intercore_sim::stm32h745::M7;
use intercore_sim::stm32h745::peripherals::Reset;

/// The legal values of the lower byte of `PWR_CR3`, from the rows of Table 33: SDLEVEL, SDEXTHP, SDEN, LDOEN, BYPASS.
fn is_legal(value: u32) -> bool {
    let [bypass, regulator, converter, high_power] = [0, 1, 2, 3].map(|bit| value >> bit & 1 != 0);
    let level = value >> 4 & 3;
    match (regulator, bypass) {
        // 1, 3 and 4.
        (true, false) => !converter || level != 0,
        // 2.
        (false, false) => converter && !high_power,
        // 5 and 6.
        (false, true) => !converter || high_power && level != 0,
        (true, true) => false,
    }
}

#[test]
fn supply_configurations_match_table_33() {
    for value in 0..0x40 {
        let mut bus = Bus::new();
        bus.write(PWR_CR3, value);
        let refused = bus.reports().iter().any(|sentence| sentence.contains("Table 33 forbids"));
        assert_eq!(refused, !is_legal(value), "{value:#x}");
        let stored = bus.read(PWR_CR3);
        assert_eq!(stored, if is_legal(value) { value } else { 0x6 }, "{value:#x}");
    }
}

#[test]
fn the_value_after_reset_cannot_be_written_back() {
    let mut bus = Bus::new();
    let value = bus.read(PWR_CR3);
    assert_eq!(value, 0x6);
    bus.write(PWR_CR3, value);
    assert_reported(&bus.reports(), "Table 33 forbids");
    bus.write(PWR_CR3, 0x4);
    assert_reported(&bus.reports(), "a second time since power-on: ignored");
    assert!(!bus.until(PWR_CSR1, 1 << 13));
}

#[test]
fn the_supply_is_configured_once_and_a_reset_leaves_it() {
    let mut bus = Bus::new();
    assert!(!bus.chip.pwr.is_supplied(bus.now));
    assert_eq!(bus.read(PWR_CSR1), 1 << 14);
    bus.write(PWR_CR3, 0x4);
    assert_eq!(bus.read(PWR_CSR1), 1 << 14, "it takes its time");
    assert!(bus.until(PWR_CSR1, 1 << 13));
    assert!(bus.chip.pwr.is_supplied(bus.now));
    bus.chip.reset(Reset::Software(M7), bus.now);
    assert_eq!(bus.read(PWR_CR3), 0x4);
    assert_eq!(bus.read(PWR_CSR1), 1 << 14 | 1 << 13);
    bus.write(PWR_CR3, 0x4);
    assert!(bus.reports().is_empty(), "the same once more is no mistake");
    bus.write(PWR_CR3, 0x2);
    assert_reported(&bus.reports(), "a second time since power-on");
}

#[test]
fn the_upper_bytes_can_be_written_without_the_lower_one() {
    let mut bus = Bus::new();
    bus.chip.write(M7, PWR_CR3 + 1, 0x3, 1, bus.now).expect("there is a block");
    assert_eq!(bus.read(PWR_CR3), 0x306);
    bus.write(PWR_CR3, 0x304);
    assert!(bus.reports().is_empty());
    assert_eq!(bus.read(PWR_CR3), 0x304);
}

#[test]
fn a_higher_scale_takes_time_and_a_lower_one_does_not() {
    let mut bus = Bus::new();
    assert_eq!(bus.read(PWR_D3CR), 1 << 14 | 1 << 13, "scale 3, ready");
    bus.write(PWR_CR3, 0x4);
    assert!(bus.until(PWR_CSR1, 1 << 13));
    for vos in [2, 3] {
        bus.write(PWR_D3CR, vos << 14);
        assert_eq!(bus.read(PWR_D3CR), vos << 14);
        assert!(bus.until(PWR_D3CR, 1 << 13));
        assert_eq!(bus.read(PWR_CSR1) >> 14 & 3, vos);
    }
    bus.write(PWR_D3CR, 1 << 14);
    assert_eq!(bus.read(PWR_D3CR), 1 << 14 | 1 << 13);
    assert!(bus.reports().is_empty());
}
