//! Software errors, planted one by one: each is reported, and correct code is not.

use super::access::*;
use super::start_up::{ORDER, Step, divided, with};
use intercore_sim::stm32h745::peripherals::Peripherals;
use intercore_sim::stm32h745::peripherals::board::{Board, OptionBytes};
use intercore_sim::stm32h745::{M4, M7};

fn without(step: Step) -> Vec<String> {
    with(&ORDER.into_iter().filter(|&other| other != step).collect::<Vec<_>>()).1
}

/// The order with one step moved to before another.
fn moved(step: Step, before: Step) -> Vec<String> {
    let mut order: Vec<Step> = ORDER.into_iter().filter(|&other| other != step).collect();
    let place = order.iter().position(|&other| other == before).expect("both are steps");
    order.insert(place, step);
    with(&order).1
}

#[test]
fn voltage_before_the_supply_is_ready() {
    assert_reported(&without(Step::AwaitSupply), "VOS is changed before PWR_CSR1.ACTVOSRDY");
    assert_reported(&moved(Step::RaiseVoltage, Step::ConfigureSupply), "VOS is changed before PWR_CSR1.ACTVOSRDY");
}

#[test]
fn no_supply_at_all() {
    let skipped = [Step::ConfigureSupply, Step::AwaitSupply, Step::RaiseVoltage, Step::AwaitVoltage];
    let (_, reports) = with(&ORDER.into_iter().filter(|step| !skipped.contains(step)).collect::<Vec<_>>());
    assert_reported(&reports, "before the supply is configured in PWR_CR3");
    assert_reported(&reports, "CPU1 is clocked with 400000000 Hz, but VOS3 allows 200 MHz");
}

#[test]
fn the_supply_of_another_board() {
    let mut bus = Bus::new();
    bus.write(PWR_CR3, 0x2);
    assert!(!bus.until(PWR_CSR1, 1 << 13));
    assert_reported(&bus.reports(), "the board supplies the core by the step-down converter");
}

#[test]
fn the_overdrive_of_the_regulator_while_the_converter_supplies() {
    let (mut bus, _) = with(&ORDER[..4]);
    bus.enable(M7, RCC_APB4ENR, 1);
    bus.write(SYSCFG_PWRCR, 1);
    assert_reported(&bus.reports(), "only the regulator has an overdrive");
}

#[test]
fn the_overdrive_outside_of_scale_1() {
    let mut bus = Bus::with_regulator();
    bus.write(PWR_CR3, 0x2);
    assert!(bus.until(PWR_CSR1, 1 << 13));
    bus.enable(M7, RCC_APB4ENR, 1);
    bus.write(SYSCFG_PWRCR, 1);
    assert_reported(&bus.reports(), "SYSCFG_PWRCR.ODEN is set while VOS is not scale 1");
}

#[test]
fn clock_before_voltage() {
    let mut order = ORDER.to_vec();
    order.retain(|step| !matches!(step, Step::RaiseVoltage | Step::AwaitVoltage));
    assert_reported(&with(&order).1, "but VOS3 allows 200 MHz");
}

#[test]
fn voltage_lowered_before_the_clock_is() {
    let (mut bus, reports) = with(&ORDER);
    assert!(reports.is_empty());
    bus.write(PWR_D3CR, 2 << 14);
    assert_reported(&bus.reports(), "CPU1 is clocked with 400000000 Hz, but VOS2 allows 300 MHz");
}

#[test]
fn a_flash_latency_too_small() {
    for latency in 0..2 {
        let (mut bus, _) = with(&ORDER);
        bus.write(FLASH_ACR, 0x20 | latency);
        assert_reported(&bus.reports(), "flash has");
    }
    let (mut bus, _) = with(&ORDER[..9]);
    bus.write(FLASH_ACR, 0x21);
    for step in [Step::Dividers, Step::SwitchClock] {
        super::start_up::carry_out(&mut bus, step);
    }
    assert_reported(&bus.reports(), "flash has 1 wait states, but 200000000 Hz at VOS1 need 2");
}

#[test]
fn dividers_after_the_clock() {
    let reports = moved(Step::SwitchClock, Step::Dividers);
    assert_reported(&reports, "CPU2, AXI and AHB is clocked with 400000000 Hz, but VOS1 allows 200 MHz");
    assert_reported(&reports, "flash has 2 wait states");
    assert_reported(&reports, "APB1 is clocked with");
}

#[test]
fn a_pll_without_its_reference() {
    let unlocked = [Step::AwaitHse, Step::AwaitPll];
    let (bus, reports) = with(&ORDER.into_iter().filter(|step| !unlocked.contains(step)).collect::<Vec<_>>());
    assert_eq!(bus.chip.conditions.clocks.sysclk, 64_000_000, "the system clock waits for the PLL");
    assert_reported(&reports, "PLL1 is switched on without a reference that is ready");
}

/// Leaves out `AwaitPll` where the PLL cannot lock; else the order would wait for ever.
fn with_pll(ckselr: u32, cfgr: u32, divr: u32) -> Vec<String> {
    let (mut bus, reports) = with(&ORDER[..6]);
    assert!(reports.is_empty());
    bus.write(RCC_PLLCKSELR, ckselr);
    bus.write(RCC_PLLCFGR, cfgr);
    bus.write(RCC_PLL1DIVR, divr);
    bus.set(RCC_CR, 1 << 24);
    bus.reports()
}

#[test]
fn a_pll_set_up_wrongly() {
    let (ckselr, cfgr, divr) = (1 << 4 | 2, 1 << 16 | 2 << 2, divided(1, 99));
    assert_eq!(with_pll(ckselr, cfgr, divr), Vec::<String>::new());
    assert_reported(&with_pll(ckselr, 1 << 16, divr), "outside of the range that PLL1RGE says");
    assert_reported(&with_pll(ckselr, cfgr | 2, divr), "outside of its range of 150000000 to 420000000 Hz");
    assert_reported(&with_pll(ckselr, cfgr, divided(1, 130)), "outside of its range of 192000000 to 960000000 Hz");
    assert_reported(&with_pll(ckselr, cfgr, divided(2, 99)), "odd factors are not allowed");
    assert_reported(&with_pll(3, cfgr, divr), "without a reference");
}

#[test]
fn a_running_pll_is_changed() {
    let (mut bus, _) = with(&ORDER);
    bus.write(RCC_PLL1DIVR, divided(1, 49));
    assert_reported(&bus.reports(), "RCC_PLL1DIVR is written while the PLL runs: ignored");
    bus.write(RCC_PLLCKSELR, 2 << 4 | 2);
    assert_reported(&bus.reports(), "RCC_PLLCKSELR changes what a running PLL is made of: ignored");
    bus.write(RCC_PLLCFGR, 3 << 16 | 2 << 2);
    assert_reported(&bus.reports(), "RCC_PLLCFGR changes outputs or ranges of a running PLL: ignored");
    let cr = bus.read(RCC_CR);
    bus.write(RCC_CR, cr & !(1 << 24));
    assert_reported(&bus.reports(), "RCC_CR switches PLL1 off, which is the system clock: ignored");
    bus.write(RCC_CR, cr & !(1 << 16));
    assert_reported(&bus.reports(), "RCC_CR switches Hse off");
    assert_eq!(bus.chip.conditions.clocks.sysclk, 400_000_000);
}

#[test]
fn hse_without_bypass() {
    let mut bus = Bus::new();
    bus.set(RCC_CR, 1 << 16);
    assert!(!bus.until(RCC_CR, 1 << 17));
    assert_reported(&bus.reports(), "the board has a clock at OSC_IN: it is never ready");
}

#[test]
fn a_block_without_its_clock() {
    let mut bus = Bus::new();
    bus.write(TIM2 + 0x2c, 99);
    bus.write(HSEM, 1 << 31 | 3 << 8);
    assert_eq!(bus.read(USART3), 0);
    let reports = bus.reports();
    for block in ["TIM2", "HSEM", "USART3"] {
        assert_reported(&reports, &format!("{block} is accessed without its clock: it does nothing"));
    }
    bus.enable(M7, RCC_APB1LENR, 0);
    assert_eq!(bus.read(TIM2 + 0x2c), u32::MAX, "the write before did nothing");
    assert!(bus.reports().is_empty());
}

#[test]
fn a_block_that_only_the_other_core_has_enabled() {
    let mut bus = Bus::new();
    bus.enable(M7, RCC_AHB4ENR, 25);
    bus.write_by(M4, HSEM + 4, 1 << 31 | 1 << 8 | 7);
    assert_reported(
        &bus.reports(),
        "HSEM is accessed by a core that has not enabled it in RCC: only the Cortex-M7 keeps its clock",
    );
    assert_eq!(bus.read(HSEM + 4), 1 << 31 | 1 << 8 | 7, "but it works");
    bus.enable(M4, RCC_AHB4ENR, 25);
    bus.write_by(M4, HSEM + 4, 1 << 8 | 7);
    assert!(bus.reports().is_empty());
}

#[test]
fn a_wrong_divider_of_the_usart() {
    let mut bus = Bus::new();
    super::usart::set_up(&mut bus, 64_000_000 / 115_200 * 2);
    bus.write(USART3 + 0x28, u32::from(b'x'));
    bus.wait(1000 * MICROSECOND);
    assert_reported(&bus.reports(), "USART3 sends at 57657 bits per second, but its line has 115200");
    assert_eq!(bus.chip.usart3.take_sent(usize::MAX)[0].rate, 57_657);
}

#[test]
fn hsem_release_by_another_process_is_ignored() {
    let mut bus = super::hsem::both_enabled();
    assert_eq!(bus.read(HSEM + 0x80 + 4 * 5), 1 << 31 | 3 << 8);
    bus.write_by(M4, HSEM + 4 * 5, 1 << 8);
    assert_reported(
        &bus.reports(),
        "semaphore 5 is released by COREID 1 with PROCID 0, but COREID 3 with PROCID 0 holds it",
    );
    bus.write_by(M4, HSEM + 4 * 5, 3 << 8);
    assert_reported(&bus.reports(), "HSEM_R5 is written with COREID 3, but this core's is 1: ignored");
    assert_eq!(bus.read(HSEM + 4 * 5), 1 << 31 | 3 << 8);
}

#[test]
fn a_swapped_semaphore_number() {
    let mut bus = super::hsem::both_enabled();
    bus.read(HSEM + 0x84);
    bus.write(HSEM + 4 * 2, 3 << 8);
    assert_reported(&bus.reports(), "semaphore 2 is released while it is free");
    bus.read_by(M4, HSEM + 0x80 + 4 * 2);
    bus.write(HSEM + 4 * 2, 3 << 8);
    assert_reported(&bus.reports(), "semaphore 2 is released by COREID 3 with PROCID 0, but COREID 1");
}

#[test]
fn a_semaphore_interrupt_that_is_lost() {
    let mut bus = super::hsem::both_enabled();
    bus.write_by(M4, HSEM + 0x110, 1 << 4);
    bus.read(HSEM + 0x80 + 4 * 4);
    bus.write(HSEM + 4 * 4, 3 << 8);
    assert!(bus.chip.interrupts[M4].is_high(126));
    // Clearing more than what was served loses the other one: no line is high, and the status is gone.
    bus.write_by(M4, HSEM + 0x114, u32::MAX);
    assert!(!bus.chip.interrupts[M4].is_high(126));
    assert_eq!(bus.read_by(M4, HSEM + 0x118), 0);
}

#[test]
fn the_cortex_m4_is_released_before_the_supply_is_valid() {
    let options = OptionBytes { boot: [true, false], ..OptionBytes::default() };
    let mut bus = Bus { chip: Peripherals::new(options, Board::default()), now: 0 };
    assert!(!bus.chip.is_released(M4));
    bus.set(RCC_GCR, 1 << 3);
    assert!(bus.chip.is_released(M4));
    assert_reported(&bus.reports(), "RCC_GCR lets the other core run before PWR_CSR1.ACTVOSRDY");
}

/// 9.7.39 and 9.7.41: the memories of a core's own domain have no enable bits for it.
#[test]
fn a_core_enables_memories_that_are_its_own() {
    let mut bus = Bus::new();
    bus.write_by(M4, RCC + 0xdc, 7 << 29);
    assert_reported(&bus.reports(), "bits 0xe0000000 of RCC_C2_AHB2ENR are reserved");
    assert_eq!(bus.read_by(M4, RCC + 0xdc), 0);
    bus.write_by(M7, RCC + 0xd4, 1 << 31 | 1 << 8 | 1);
    assert_reported(&bus.reports(), "bits 0x80000100 of RCC_C1_AHB3ENR are reserved");
    assert_eq!(bus.read_by(M7, RCC + 0xd4), 1);
    bus.write_by(M7, RCC + 0xdc, 7 << 29);
    bus.write_by(M4, RCC + 0xd4, 1 << 31 | 1 << 8);
    assert!(bus.reports().is_empty());
}

#[test]
fn the_backup_domain_without_its_key() {
    let mut bus = Bus::new();
    bus.write(RCC + 0x70, 1);
    assert_reported(&bus.reports(), "RCC_BDCR is written while PWR_CR1.DBP protects the backup domain");
    bus.set(PWR_CR1, 1 << 8);
    bus.write(RCC + 0x70, 1);
    assert!(bus.reports().is_empty());
}

#[test]
fn unmodelled_block_reads_as_zero_and_is_reported_once() {
    let mut bus = Bus::new();
    for offset in [0, 4, 8] {
        bus.write(0x4001_0000 + offset, 1);
        assert_eq!(bus.read_by(M4, 0x4001_0000 + offset), 0);
    }
    assert_eq!(bus.reports(), ["TIM1 is not modelled: its registers read as 0 and ignore writes"]);
}
