//! Clocks of blocks by core, and the boot gates (RM0399 sections 9.5.10, 9.7.1 and 9.7.36).

use super::access::*;
use intercore_sim::stm32h745::peripherals::Peripherals;
use intercore_sim::stm32h745::peripherals::board::{Board, OptionBytes};
use intercore_sim::stm32h745::{M4, M7};

#[test]
fn each_core_has_its_own_enable_registers_at_the_same_address() {
    let mut bus = Bus::new();
    bus.write_by(M7, RCC_APB1LENR, 1 << 1);
    bus.write_by(M4, RCC_APB1LENR, 1 << 3);
    assert_eq!(bus.read_by(M7, RCC_APB1LENR), 1 << 1);
    assert_eq!(bus.read_by(M4, RCC_APB1LENR), 1 << 3);
    let (c1, c2) = (RCC + 0x148, RCC + 0x1a8);
    assert_eq!((bus.read_by(M4, c1), bus.read_by(M7, c2)), (1 << 1, 1 << 3), "and either core has both");
    bus.write_by(M4, c1, 1 << 18);
    assert_eq!(bus.read_by(M7, RCC_APB1LENR), 1 << 18);
}

#[test]
fn the_registers_have_the_places_that_the_manual_gives() {
    for (offset, c1, c2) in [
        (0xd0, 0x130, 0x190),
        (0xd4, 0x134, 0x194),
        (0xd8, 0x138, 0x198),
        (0xdc, 0x13c, 0x19c),
        (0xe0, 0x140, 0x1a0),
        (0xf4, 0x154, 0x1b4),
        (0xfc, 0x15c, 0x1bc),
        (0x11c, 0x17c, 0x1dc),
    ] {
        let mut bus = Bus::new();
        for (core, bank) in [(M7, c1), (M4, c2)] {
            let value = if offset == 0xd0 { 1 << 16 } else { 0x1234 + core as u32 };
            bus.write_by(core, RCC + offset, value);
            assert_eq!(bus.read(RCC + bank), value, "{offset:#x}");
        }
        assert!(bus.reports().is_empty());
    }
}

#[test]
fn backup_ram_is_clocked_for_a_core_that_enables_it() {
    let mut bus = Bus::new();
    assert!(!bus.chip.is_memory_clocked(M7, 0x3880_0ffc) && bus.chip.is_memory_clocked(M7, 0x3000_0000));
    bus.enable(M7, RCC_AHB4ENR, 28);
    assert!(bus.chip.is_memory_clocked(M7, 0x3880_0ffc) && !bus.chip.is_memory_clocked(M4, 0x3880_0ffc));
}

#[test]
fn a_core_runs_if_an_option_byte_or_the_other_core_lets_it() {
    let gated = |boot| Peripherals::new(OptionBytes { boot, ..OptionBytes::default() }, Board::default());
    assert_eq!([M7, M4].map(|core| gated([true, true]).is_released(core)), [true, true]);
    assert_eq!([M7, M4].map(|core| gated([true, false]).is_released(core)), [true, false]);
    assert_eq!([M7, M4].map(|core| gated([false, true]).is_released(core)), [false, true]);
    assert_eq!([M7, M4].map(|core| gated([false, false]).is_released(core)), [true, false]);
    let mut chip = gated([true, false]);
    chip.write(M7, RCC_GCR, 1 << 3, 4, 1).expect("there is a block");
    assert!(chip.is_released(M4));
    chip.write(M7, RCC_GCR, 0, 4, 2).expect("there is a block");
    assert!(chip.is_released(M4), "the bit cannot be cleared");
    assert_eq!((chip.boot_address(M7), chip.boot_address(M4)), (0x0800_0000, 0x0810_0000));
}

#[test]
fn a_reset_bit_clears_a_block_and_holds_it() {
    let mut bus = Bus::new();
    bus.enable(M7, RCC_APB1LENR, 3);
    bus.write(TIM5 + 0x2c, 99);
    bus.write(RCC + 0x90, 1 << 3);
    assert_eq!(bus.read(TIM5 + 0x2c), 0);
    assert_reported(&bus.reports(), "TIM5 is accessed while RCC holds it in reset");
    bus.write(RCC + 0x90, 0);
    assert_eq!(bus.read(TIM5 + 0x2c), u32::MAX);
}

#[test]
fn a_hole_is_a_bus_error() {
    let mut bus = Bus::new();
    for address in [0x4000_2800, 0x4800_0000, 0x5802_5000, 0x5fff_fffc] {
        assert!(bus.chip.read(M7, address, 4, bus.now).is_err(), "{address:#x}");
        assert!(bus.chip.write(M7, address, 0, 4, bus.now).is_err(), "{address:#x}");
    }
}

#[test]
fn sleeping_core_keeps_clocks_of_its_lpenr() {
    let mut bus = Bus::new();
    bus.enable(M7, RCC_APB1LENR, 3);
    assert_eq!(bus.read(RCC + 0x110), 0xe8ff_cbff, "Table 84");
    bus.write(TIM5, 1);
    let count = |bus: &mut Bus| {
        let before = bus.chip.peek(M7, TIM5 + 0x24, 4, bus.now).expect("there is a block");
        bus.wait(MICROSECOND);
        bus.chip.peek(M7, TIM5 + 0x24, 4, bus.now).expect("there is a block") - before
    };
    bus.chip.set_asleep(M7, true, false, bus.now);
    assert_eq!(count(&mut bus), 64);
    bus.chip.set_asleep(M7, false, false, bus.now);
    bus.write(RCC + 0x110, 0xe8ff_cbf7);
    assert_eq!(count(&mut bus), 64, "the core is awake");
    bus.chip.set_asleep(M7, true, false, bus.now);
    assert_eq!(count(&mut bus), 0);
    bus.chip.set_asleep(M7, false, false, bus.now);
    assert_eq!(count(&mut bus), 64);
    bus.chip.set_asleep(M7, true, true, bus.now);
    assert_reported(&bus.reports(), "SLEEPDEEP");
}
