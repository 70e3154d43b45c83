//! Limits of clock rates by voltage scale, wait states and supply.
//!
//! RM0399 sends the reader to the datasheet for the cores' limits and names 200 MHz for the bus matrix (9.5.6), Table
//! 16 goes on to 240 MHz. The datasheet was not at hand: the limits of CPU1 and of the buses are those of Zephyr's
//! `clock_stm32_ll_h7.c` (`VOS_CPU_FREQ_LIMITS_MHZ`, `VOS_AHB_FREQ_LIMITS_MHZ`, `APBx_FREQ_MAX`), and of the
//! `powerctrl.c` of `MicroPython` for VOS2 and VOS3 of CPU1. What an APB bus may have below VOS0 is in neither: only
//! the limit of VOS0 is checked.

use crate::stm32h745::peripherals::clocks::Clocks;
use crate::stm32h745::peripherals::flash::wait_states;
use crate::stm32h745::peripherals::pwr::Scale;

/// Limit of APB clocks in MHz.
const APB: u64 = 120;

/// Limits of CPU1 and the AHB clock in MHz, by scale.
fn limits(scale: Scale) -> (u64, u64) {
    match scale {
        Scale::Vos0 => (480, 240),
        Scale::Vos1 => (400, 200),
        Scale::Vos2 => (300, 150),
        Scale::Vos3 => (200, 100),
    }
}

/// Clock rates with what limits them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conditions {
    /// The rates.
    pub clocks: Clocks,
    /// Voltage scale of the core domain.
    pub scale: Scale,
    /// Wait states of flash.
    pub latency: u32,
    /// The supply has been configured since power-on.
    pub supply_configured: bool,
}

impl Conditions {
    /// Violated limits as sentences.
    pub fn violations(&self) -> Vec<String> {
        let (cpu, ahb) = limits(self.scale);
        let scale = format!("{:?}", self.scale).to_uppercase();
        let rates = [("CPU1", self.clocks.cpu[0], cpu), ("CPU2, AXI and AHB", self.clocks.hclk, ahb)];
        let buses =
            self.clocks.pclk.iter().zip(["APB1", "APB2", "APB3", "APB4"]).map(|(&rate, name)| (name, rate, APB));
        let mut violations: Vec<String> = rates
            .into_iter()
            .chain(buses)
            .filter(|(_, rate, limit)| *rate > limit * 1_000_000)
            .map(|(name, rate, limit)| format!("{name} is clocked with {rate} Hz, but {scale} allows {limit} MHz"))
            .collect();
        let needed = wait_states(self.clocks.hclk, self.scale);
        if needed.is_none_or(|needed| needed > self.latency) {
            let needed = needed.map_or("more than Table 16 knows".to_owned(), |needed| needed.to_string());
            violations.push(format!(
                "flash has {} wait states, but {} Hz at {scale} need {needed}: what is read from it is not what is \
                 there",
                self.latency, self.clocks.hclk
            ));
        }
        if !self.supply_configured && self.clocks.sysclk > Clocks::default().sysclk {
            violations.push("the system clock is made faster before the supply is configured in PWR_CR3".to_owned());
        }
        violations
    }
}
