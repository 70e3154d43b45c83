//! A start-up as the manual wants it, step by step, so that tests can leave a step out or change it.

use super::access::*;
use intercore_sim::stm32h745::M7;
use intercore_sim::stm32h745::peripherals::board::{Board, Supply};
use intercore_sim::stm32h745::peripherals::flash::wait_states;
use intercore_sim::stm32h745::peripherals::pwr::Scale;

/// What a start-up does, in its order; 400 MHz from 8 MHz on a board with the step-down converter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    ConfigureSupply,
    AwaitSupply,
    RaiseVoltage,
    AwaitVoltage,
    StartHse,
    AwaitHse,
    SetUpPll,
    StartPll,
    AwaitPll,
    FlashLatency,
    Dividers,
    SwitchClock,
}

/// The order of RM0399 sections 7.4.1, 7.6.2, 9.5.5 and 4.3.8.
pub const ORDER: [Step; 12] = [
    Step::ConfigureSupply,
    Step::AwaitSupply,
    Step::RaiseVoltage,
    Step::AwaitVoltage,
    Step::StartHse,
    Step::AwaitHse,
    Step::SetUpPll,
    Step::StartPll,
    Step::AwaitPll,
    Step::FlashLatency,
    Step::Dividers,
    Step::SwitchClock,
];

/// `RCC_PLL1DIVR` with its fields for output P and for the VCO.
pub fn divided(output: u32, vco: u32) -> u32 {
    0x0101_0000 | output << 9 | vco
}

pub fn carry_out(bus: &mut Bus, step: Step) {
    match step {
        Step::ConfigureSupply => bus.write(PWR_CR3, 0x4),
        Step::AwaitSupply => assert!(bus.until(PWR_CSR1, 1 << 13), "ACTVOSRDY"),
        Step::RaiseVoltage => bus.write(PWR_D3CR, 3 << 14),
        Step::AwaitVoltage => assert!(bus.until(PWR_D3CR, 1 << 13), "VOSRDY"),
        Step::StartHse => {
            bus.set(RCC_CR, 1 << 18);
            bus.set(RCC_CR, 1 << 16);
        }
        Step::AwaitHse => assert!(bus.until(RCC_CR, 1 << 17), "HSERDY"),
        Step::SetUpPll => {
            // 8 MHz / 1 × 100 / 2, wide VCO, reference of 4 to 8 MHz.
            bus.write(RCC_PLLCKSELR, 1 << 4 | 2);
            bus.write(RCC_PLLCFGR, 1 << 16 | 2 << 2);
            bus.write(RCC_PLL1DIVR, divided(1, 99));
        }
        Step::StartPll => bus.set(RCC_CR, 1 << 24),
        Step::AwaitPll => assert!(bus.until(RCC_CR, 1 << 25), "PLL1RDY"),
        Step::FlashLatency => bus.write(FLASH_ACR, 0x22),
        Step::Dividers => {
            bus.write(RCC_D1CFGR, 4 << 4 | 8);
            bus.write(RCC_D2CFGR, 4 << 8 | 4 << 4);
            bus.write(RCC_D3CFGR, 4 << 4);
        }
        Step::SwitchClock => bus.set(RCC_CFGR, 3),
    }
}

/// Executes steps on a Nucleo board and lets some time pass. Returns the reports.
pub fn with(steps: &[Step]) -> (Bus, Vec<String>) {
    let mut bus = Bus::new();
    for &step in steps {
        carry_out(&mut bus, step);
    }
    bus.wait(1000 * MICROSECOND);
    let reports = bus.reports();
    (bus, reports)
}

#[test]
fn correct_start_up_reaches_400_mhz_without_report() {
    let (bus, reports) = with(&ORDER);
    assert_eq!(reports, Vec::<String>::new());
    let clocks = &bus.chip.conditions.clocks;
    assert_eq!((clocks.sysclk, clocks.cpu, clocks.hclk), (400_000_000, [400_000_000, 200_000_000], 200_000_000));
    assert_eq!(clocks.pclk, [100_000_000; 4]);
    assert_eq!(clocks.timers, [200_000_000; 2]);
}

#[test]
fn ldo_with_overdrive_reaches_480_mhz_without_report() {
    let mut bus = Bus::with_regulator();
    bus.write(PWR_CR3, 0x2);
    carry_out(&mut bus, Step::AwaitSupply);
    carry_out(&mut bus, Step::RaiseVoltage);
    carry_out(&mut bus, Step::AwaitVoltage);
    bus.enable(M7, RCC_APB4ENR, 1);
    bus.write(SYSCFG_PWRCR, 1);
    assert_eq!(bus.read(PWR_D3CR) >> 13 & 1, 0, "VOS0 takes its time");
    carry_out(&mut bus, Step::AwaitVoltage);
    for step in [Step::StartHse, Step::AwaitHse, Step::SetUpPll] {
        carry_out(&mut bus, step);
    }
    bus.write(RCC_PLL1DIVR, divided(1, 119));
    for step in [Step::StartPll, Step::AwaitPll] {
        carry_out(&mut bus, step);
    }
    bus.write(FLASH_ACR, 0x24);
    carry_out(&mut bus, Step::Dividers);
    carry_out(&mut bus, Step::SwitchClock);
    assert_eq!(bus.reports(), Vec::<String>::new());
    assert_eq!(bus.chip.conditions.clocks.cpu, [480_000_000, 240_000_000]);
}

/// What the images of this project do, in their order: wait states are lowered last.
fn as_the_images_do(m7: u32, m4: u32, vos: u32, supply: Supply) -> (Bus, Vec<String>) {
    let mut bus = Bus::on(Board { supply, ..Board::default() });
    bus.write(PWR_CR3, if supply == Supply::Ldo { 0x2 } else { 0x4 });
    carry_out(&mut bus, Step::AwaitSupply);
    bus.write(PWR_D3CR, if vos == 0 { 3 } else { 4 - vos } << 14);
    carry_out(&mut bus, Step::AwaitVoltage);
    if vos == 0 {
        bus.enable(M7, RCC_APB4ENR, 1);
        bus.write(SYSCFG_PWRCR, 1);
        carry_out(&mut bus, Step::AwaitVoltage);
    }
    carry_out(&mut bus, Step::StartHse);
    carry_out(&mut bus, Step::AwaitHse);
    let output = (2..).step_by(2).find(|by| m7 * by >= 192).expect("there is a factor");
    bus.write(RCC_PLLCKSELR, 1 << 4 | 2);
    bus.write(RCC_PLLCFGR, 1 << 16 | 3 << 2);
    bus.write(RCC_PLL1DIVR, divided(output - 1, m7 * output / 8 - 1));
    carry_out(&mut bus, Step::StartPll);
    carry_out(&mut bus, Step::AwaitPll);
    let ratio = m7 / m4;
    bus.write(RCC_D1CFGR, 4 << 4 | if ratio == 1 { 0 } else { 7 + ratio.ilog2() });
    bus.write(RCC_D2CFGR, 0x440);
    bus.write(RCC_D3CFGR, 0x40);
    bus.write(RCC_CFGR, 3);
    let scale = [Scale::Vos0, Scale::Vos1, Scale::Vos2, Scale::Vos3][vos as usize];
    let states = wait_states(u64::from(m4) * 1_000_000, scale).unwrap_or(7);
    bus.write(FLASH_ACR, 0x20 | states);
    let reports = bus.reports();
    (bus, reports)
}

/// The most MHz of the Cortex-M7 and of the buses at a voltage, as the images have them.
const MOST: [(u32, u32); 4] = [(480, 240), (400, 200), (300, 150), (200, 100)];

#[test]
fn every_clock_of_the_images_is_reached_without_report() {
    let mut reached = 0;
    for supply in [Supply::Smps, Supply::Ldo] {
        for (vos, (core, bus)) in (0..).zip(MOST) {
            for m7 in [480, 400, 240, 120, 60] {
                for m4 in [240, 200, 120, 60, 50] {
                    let ratio = m7 % m4 == 0 && [1, 2, 4, 8].contains(&(m7 / m4));
                    if !ratio || m7 > core || m4 > bus || vos == 0 && supply == Supply::Smps {
                        continue;
                    }
                    let (chip, reports) = as_the_images_do(m7, m4, vos, supply);
                    assert_eq!(reports, Vec::<String>::new(), "{m7} and {m4} MHz at VOS{vos} from {supply:?}");
                    assert_eq!(chip.chip.conditions.clocks.cpu, [m7, m4].map(|mhz| u64::from(mhz) * 1_000_000));
                    reached += 1;
                }
            }
        }
    }
    assert_eq!(reached, 39);
}

/// One step too fast for the voltage, or one wait state too few: each is reported.
#[test]
fn every_clock_beyond_its_voltage_is_reported() {
    for (m7, m4, vos) in [(480, 240, 1), (400, 200, 2), (240, 120, 3), (240, 60, 3)] {
        let (_, reports) = as_the_images_do(m7, m4, vos, Supply::Ldo);
        assert_reported(&reports, "CPU1 is clocked with");
    }
    for (m7, m4, vos) in [(240, 240, 1), (200, 200, 2), (120, 120, 3)] {
        let (_, reports) = as_the_images_do(m7, m4, vos, Supply::Ldo);
        assert_reported(&reports, "CPU2, AXI and AHB is clocked with");
    }
}
