//! EXTI (RM0399 section 21).

use super::access::*;
use intercore_sim::stm32h745::{M4, M7};

const SWIER1: u32 = EXTI + 0x08;
const GPIOG: u32 = GPIOA + 6 * 0x400;
const SYSCFG_EXTICR4: u32 = 0x5800_0414;
/// Interrupt masks, event masks and pending bits of words 1 to 3.
const C1: u32 = EXTI + 0x80;
const C2: u32 = EXTI + 0xc0;

#[test]
fn direct_inputs_are_unmasked_after_reset() {
    let mut bus = Bus::new();
    for core in [C1, C2] {
        assert_eq!([0, 0x10, 0x20].map(|word| bus.read(core + word)), [0xffc0_0000, 0xfff5_ffff, 0x018b_ffff]);
        assert_eq!([4, 0x14, 0x24].map(|word| bus.read(core + word)), [0; 3]);
    }
}

#[test]
fn exti_software_trigger_interrupts_unmasked_cores() {
    for (input, interrupt) in [(0, 6), (4, 10), (5, 23), (9, 23), (10, 40), (15, 40)] {
        let mut bus = Bus::new();
        bus.write(C2, 1 << input);
        bus.write(SWIER1, 1 << input);
        assert!(bus.chip.interrupts[M4].is_high(interrupt) && !bus.chip.interrupts[M7].is_high(interrupt));
        assert_eq!(bus.read(C1 + 8), 0, "what is masked is not pending");
        assert_eq!(bus.read(C2 + 8), 1 << input);
        bus.write(C2 + 8, 1 << input);
        assert!(!bus.chip.interrupts[M4].is_high(interrupt));
    }
}

/// Whether an edge of pin 12 of port G interrupts the Cortex-M4, which unmasks it; each edge is acknowledged.
fn interrupted_by(bus: &mut Bus, bsrr: u32) -> bool {
    bus.write(GPIOG + 0x18, bsrr);
    assert!(!bus.chip.interrupts[M7].is_high(40));
    let interrupted = bus.chip.interrupts[M4].is_high(40);
    bus.write(C2 + 8, 1 << 12);
    assert!(!bus.chip.interrupts[M4].is_high(40));
    interrupted
}

#[test]
fn an_output_interrupts_by_the_edges_that_are_chosen_of_the_port_that_is_chosen() {
    let (up, down) = (1 << 12, 1 << 28);
    for (port, rising, falling) in [(6, true, true), (6, true, false), (6, false, true), (3, true, true)] {
        let mut bus = Bus::new();
        bus.write(RCC_AHB4ENR, 0x7ff);
        bus.write(RCC_APB4ENR, 1 << 1);
        bus.write(GPIOG, !(3 << 24) | 1 << 24);
        bus.write(SYSCFG_EXTICR4, port);
        bus.write(EXTI, u32::from(rising) << 12);
        bus.write(EXTI + 4, u32::from(falling) << 12);
        bus.write(C2, 1 << 12);
        for _ in 0..2 {
            assert_eq!(interrupted_by(&mut bus, up), port == 6 && rising);
            assert!(!interrupted_by(&mut bus, up), "no edge");
            assert_eq!(interrupted_by(&mut bus, down), port == 6 && falling);
        }
    }
}

#[test]
fn an_event_has_no_pending_bit() {
    let mut bus = Bus::new();
    bus.write(C1 + 4, 1 << 3);
    bus.write(SWIER1, 1 << 3);
    assert!(bus.chip.exti.take_event(M7));
    assert!(!bus.chip.exti.take_event(M7) && !bus.chip.exti.take_event(M4));
    assert_eq!(bus.read(C1 + 8), 0);
}

/// Table 152: input 79 is the Cortex-M4's SEV for CPU1, input 80 the Cortex-M7's for CPU2.
#[test]
fn sev_reaches_the_other_core_only_if_unmasked() {
    let mut bus = Bus::new();
    bus.chip.send_event(M7, bus.now);
    bus.chip.send_event(M4, bus.now);
    assert!(!bus.chip.exti.take_event(M4) && !bus.chip.exti.take_event(M7));
    bus.write(C2 + 0x24, 1 << (80 - 64));
    bus.write(C1 + 0x24, 1 << (79 - 64));
    bus.chip.send_event(M7, bus.now);
    assert!(bus.chip.exti.take_event(M4) && !bus.chip.exti.take_event(M7));
    bus.chip.send_event(M4, bus.now);
    assert!(bus.chip.exti.take_event(M7) && !bus.chip.exti.take_event(M4));
}

#[test]
fn a_semaphore_interrupt_is_an_event_too() {
    let mut bus = super::hsem::both_enabled();
    bus.write(C2 + 0x24, 1 << (78 - 64));
    bus.write_by(M4, HSEM + 0x110, 1);
    bus.read(HSEM + 0x80);
    bus.write(HSEM, 3 << 8);
    assert!(bus.chip.exti.take_event(M4));
}
