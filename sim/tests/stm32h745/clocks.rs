//! The clock tree of RCC (RM0399 section 9.5).

use super::access::*;
use super::start_up::{ORDER, with};
use proptest::prelude::*;

#[test]
fn after_reset_everything_runs_from_hsi() {
    let mut bus = Bus::new();
    assert_eq!(bus.read(RCC_CR), 0xc025, "HSION, HSIRDY, HSIDIVF, D1CKRDY, D2CKRDY");
    assert_eq!(bus.read(RCC_CFGR), 0);
    assert_eq!(bus.read(RCC_PLLCKSELR), 0x0202_0200);
    assert_eq!(bus.read(RCC_PLLCFGR), 0x01ff_0000);
    assert_eq!(bus.read(RCC_PLL1DIVR), 0x0101_0280);
    let clocks = &bus.chip.conditions.clocks;
    assert_eq!((clocks.sysclk, clocks.cpu, clocks.usart3), (64_000_000, [64_000_000; 2], 64_000_000));
}

#[test]
fn hsi_is_divided() {
    let mut bus = Bus::new();
    for (field, rate) in [(0, 64), (1, 32), (2, 16), (3, 8)] {
        bus.write(RCC_CR, 1 | field << 3);
        assert_eq!(bus.chip.conditions.clocks.sysclk, rate * 1_000_000);
    }
}

/// D2PPRE1, TIMPRE, and the rates of Table 59 as parts of hclk1: (timers, pclk1).
const TABLE_59: [(u32, u32, u64, u64); 10] = [
    (0, 0, 1, 1),
    (4, 0, 1, 2),
    (5, 0, 2, 4),
    (6, 0, 4, 8),
    (7, 0, 8, 16),
    (0, 1, 1, 1),
    (4, 1, 1, 2),
    (5, 1, 1, 4),
    (6, 1, 2, 8),
    (7, 1, 4, 16),
];

#[test]
fn timers_have_the_clocks_of_table_59() {
    for (ppre, timpre, timers, pclk) in TABLE_59 {
        let mut bus = Bus::new();
        bus.write(RCC_D2CFGR, ppre << 8 | ppre << 4);
        bus.write(RCC_CFGR, timpre << 15);
        let clocks = &bus.chip.conditions.clocks;
        assert_eq!(clocks.timers, [64_000_000 / timers; 2], "{ppre} {timpre}");
        assert_eq!(clocks.pclk[..2], [64_000_000 / pclk; 2], "{ppre} {timpre}");
    }
}

/// What D1CPRE and HPRE divide by (9.7.7).
fn divider(field: u32) -> u64 {
    [1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 16, 64, 128, 256, 512][field as usize]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// CPU1 is divided by D1CPRE, all buses and CPU2 by HPRE as well, and each APB by its own divider.
    #[test]
    fn dividers(d1cpre in 0..16_u32, hpre in 0..16_u32, ppre in [0..8_u32, 0..8_u32, 0..8_u32, 0..8_u32]) {
        let mut bus = Bus::new();
        bus.write(RCC_D1CFGR, d1cpre << 8 | ppre[2] << 4 | hpre);
        bus.write(RCC_D2CFGR, ppre[1] << 8 | ppre[0] << 4);
        bus.write(RCC_D3CFGR, ppre[3] << 4);
        let cpu = 64_000_000 / divider(d1cpre);
        let hclk = cpu / divider(hpre);
        let clocks = bus.chip.conditions.clocks.clone();
        prop_assert_eq!(clocks.cpu, [cpu, hclk]);
        prop_assert_eq!(clocks.hclk, hclk);
        prop_assert_eq!(clocks.pclk, ppre.map(|field| hclk / [1, 1, 1, 1, 2, 4, 8, 16][field as usize]));
    }

    /// Fpll = Fref / DIVM × (DIVN + FRACN / 2^13) / DIVP (9.5.5), where FRACN counts once it is latched.
    #[test]
    fn the_pll(m in 1..5_u32, n in 50..200_u32, p in 1..64_u32, fraction in 0..0x2000_u32) {
        let (mut bus, _) = with(&ORDER[..6]);
        bus.write(RCC_PLLCKSELR, m << 4 | 2);
        bus.write(RCC_PLL1DIVR, (p - 1) << 9 | (n - 1));
        bus.write(RCC_PLL1FRACR, fraction << 3);
        bus.write(RCC_PLLCFGR, 1 << 16 | 1);
        bus.set(RCC_CR, 1 << 24);
        bus.wait(1000 * MICROSECOND);
        bus.write(RCC_CFGR, 3);
        let exact = 8e6 / f64::from(m) * (f64::from(n) + f64::from(fraction) / 8192.0) / f64::from(p);
        prop_assert!((bus.chip.conditions.clocks.sysclk as f64 - exact).abs() <= 2.0);
    }
}

#[test]
fn the_system_clock_is_switched_when_its_source_is_ready() {
    let mut bus = Bus::new();
    bus.set(RCC_CR, 1 << 7);
    bus.write(RCC_CFGR, 1);
    assert_eq!(bus.read(RCC_CFGR), 1, "SWS is still HSI");
    bus.wait(10 * MICROSECOND);
    assert_eq!(bus.read(RCC_CFGR), 1 << 3 | 1);
    assert_eq!(bus.chip.conditions.clocks.sysclk, 4_000_000);
    assert!(bus.reports().is_empty());
}

#[test]
fn usart3_has_its_own_clock() {
    let mut bus = Bus::new();
    bus.write(RCC_D2CFGR, 5 << 4);
    assert_eq!(bus.chip.conditions.clocks.usart3, 16_000_000);
    bus.write(RCC_D2CCIP2R, 3);
    assert_eq!(bus.chip.conditions.clocks.usart3, 64_000_000);
    bus.write(RCC_D2CCIP2R, 4);
    assert_eq!(bus.chip.conditions.clocks.usart3, 0, "CSI is off");
    bus.set(RCC_CR, 1 << 7);
    bus.wait(10 * MICROSECOND);
    assert_eq!(bus.chip.conditions.clocks.usart3, 4_000_000);
}
