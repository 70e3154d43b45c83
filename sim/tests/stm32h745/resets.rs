//! What a reset keeps, and the reset cause (RM0399 sections 9.4.3, 9.4.4 and 9.7.38).

use super::access::*;
use intercore_sim::stm32h745::peripherals::Reset;
use intercore_sim::stm32h745::{M4, M7};

#[test]
fn the_flags_of_power_on_stay_until_they_are_removed() {
    let mut bus = Bus::new();
    assert_eq!(bus.read_by(M7, RCC_RSR), 0x00fe_0000);
    bus.write_by(M7, RCC_RSR, 1 << 16);
    assert_eq!(bus.read_by(M7, RCC_RSR), 1 << 16);
    assert_eq!(bus.read_by(M4, RCC_RSR), 0x00fe_0000, "each core has its own");
}

/// Table 57: each of these resets the pin as well, and both cores.
#[test]
fn rsr_shows_the_reset_cause() {
    for (why, flag) in [
        (Reset::Software(M7), 1 << 24),
        (Reset::Software(M4), 1 << 25),
        (Reset::IndependentWatchdog(M7), 1 << 26),
        (Reset::IndependentWatchdog(M4), 1 << 27),
        (Reset::Pin, 0),
    ] {
        let mut bus = Bus::new();
        for core in [M7, M4] {
            bus.write_by(core, RCC_RSR, 1 << 16);
        }
        bus.chip.reset(why, bus.now);
        for core in [M7, M4] {
            assert_eq!(bus.read_by(core, RCC_RSR), 1 << 16 | 1 << 17 | 1 << 18 | 1 << 22 | flag, "{why:?}");
        }
    }
}

#[test]
fn system_reset_keeps_supply_and_backup_domain() {
    let mut bus = Bus::new();
    bus.write(PWR_CR3, 0x4);
    bus.set(PWR_CR1, 1 << 8);
    bus.write(RCC + 0x70, 1);
    bus.write(FLASH_ACR, 0);
    bus.enable(M7, RCC_AHB4ENR, 25);
    bus.read(HSEM + 0x80);
    bus.wait(10_000 * MICROSECOND);
    bus.chip.reset(Reset::Software(M7), bus.now);
    assert_eq!(bus.read(RCC_AHB4ENR), 0);
    assert_eq!(bus.read(FLASH_ACR) & 0xf, 7);
    assert_eq!(bus.read(PWR_CR1), 0xf000_c000);
    assert_eq!(bus.read(RCC + 0x70), 3, "LSE goes on");
    bus.enable(M7, RCC_AHB4ENR, 25);
    assert_eq!(bus.read(HSEM), 0);
}
