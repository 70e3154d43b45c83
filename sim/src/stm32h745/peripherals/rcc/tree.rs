//! The clock tree (RM0399 sections 9.5.6 and 9.5.8; Table 59; Figure 55).

use crate::stm32h745::peripherals::clocks::Clocks;
use crate::stm32h745::peripherals::rcc::sources::Source;

/// `RCC_CFGR.TIMPRE`.
const TIMPRE: u32 = 1 << 15;

/// What `D1CPRE` and `HPRE` divide by.
fn divider(field: u32) -> u64 {
    match field & 0xf {
        field @ 8..=11 => 2 << (field - 8),
        field @ 12..=15 => 64 << (field - 12),
        _ => 1,
    }
}

/// What `D1PPRE`, `D2PPRE1`, `D2PPRE2` and `D3PPRE` divide by.
fn bus_divider(field: u32) -> u64 {
    if field & 4 == 0 { 1 } else { 2 << (field & 3) }
}

/// The kernel clock of timers whose bus divides by `bus` (Table 59).
fn timer(hclk: u64, bus: u64, timpre: bool) -> u64 {
    let multiple = if timpre { 4 } else { 2 };
    if bus <= multiple { hclk } else { hclk / bus * multiple }
}

/// All rates, given those of the sources.
pub(super) fn clocks(
    rate: impl Fn(Source) -> u64,
    system: u32,
    cfgr: u32,
    [d1, d2, d3]: [u32; 3],
    d2ccip2r: u32,
) -> Clocks {
    let sysclk = rate(Source::of_system(system));
    let cpu1 = sysclk / divider(d1 >> 8);
    let hclk = cpu1 / divider(d1);
    let [apb3, apb1, apb2, apb4] = [d1 >> 4, d2 >> 4, d2 >> 8, d3 >> 4].map(bus_divider);
    let timpre = cfgr & TIMPRE != 0;
    let usart3 = match d2ccip2r & 7 {
        0 => hclk / apb1,
        1 => rate(Source::Pll2Q),
        2 => rate(Source::Pll3Q),
        3 => rate(Source::Hsi),
        4 => rate(Source::Csi),
        5 => rate(Source::Lse),
        _ => 0,
    };
    Clocks {
        sysclk,
        cpu: [cpu1, hclk],
        systick: [cpu1 / 8, hclk / 8],
        hclk,
        pclk: [hclk / apb1, hclk / apb2, hclk / apb3, hclk / apb4],
        timers: [timer(hclk, apb1, timpre), timer(hclk, apb2, timpre)],
        usart3,
    }
}
