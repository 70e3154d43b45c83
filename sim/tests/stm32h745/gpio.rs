//! GPIO ports (RM0399 section 12.4).

use super::access::*;
use intercore_sim::stm32h745::M7;

fn enabled() -> Bus {
    let mut bus = Bus::new();
    bus.write(RCC_AHB4ENR, 0x7ff);
    bus
}

#[test]
fn ports_come_out_of_reset_as_the_manual_says() {
    let mut bus = enabled();
    for (port, moder, speed, pull) in [
        (GPIOA, 0xabff_ffff, 0x0c00_0000, 0x6400_0000),
        (GPIOB, 0xffff_febf, 0x0000_00c0, 0x0000_0100),
        (GPIOD, 0xffff_ffff, 0, 0),
    ] {
        assert_eq!([0, 8, 0xc].map(|offset| bus.read(port + offset)), [moder, speed, pull]);
    }
}

#[test]
fn setting_a_bit_has_priority_over_resetting_it() {
    let mut bus = enabled();
    bus.write(GPIOD + 0x14, 0xf0f0);
    bus.write(GPIOD + 0x18, 0xffff_000f);
    assert_eq!(bus.read(GPIOD + 0x14), 0x000f);
    bus.write(GPIOD + 0x18, 0x0003_0000);
    assert_eq!(bus.read(GPIOD + 0x14), 0x000c);
    bus.chip.write(M7, GPIOD + 0x1a, 0x0004, 2, bus.now).expect("there is a block");
    assert_eq!(bus.read(GPIOD + 0x14), 0x0008, "by a halfword too");
}

#[test]
fn gpio_input_reads_pull_and_output_reads_odr() {
    let mut bus = enabled();
    bus.write(GPIOD, 0xffff_ff00 | 1 << 4);
    bus.write(GPIOD + 0xc, 0b01_10_01);
    bus.write(GPIOD + 0x14, 0x4);
    assert_eq!(bus.read(GPIOD + 0x10), 0b0101, "pins 0 up, 1 down, 2 high, 3 nothing");
    assert_eq!(bus.chip.gpios[3].outputs(), (1 << 2, 1 << 2));
}

#[test]
fn a_register_that_is_not_modelled_is_reported_by_the_name_of_its_port() {
    let mut bus = enabled();
    bus.write(GPIOB + 0x3f0, 1);
    assert_reported(&bus.reports(), "GPIOB: this register is not modelled");
}
