//! Clock rates as derived by RCC.

/// Rates in Hz; 0 for a stopped clock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clocks {
    /// SYSCLK.
    pub sysclk: u64,
    /// The cores': CPU1 (Cortex-M7) after D1CPRE, CPU2 (Cortex-M4) after HPRE as well.
    pub cpu: [u64; 2],
    /// Their `SysTick` reference clocks (CLKSOURCE = 0).
    pub systick: [u64; 2],
    /// AXI and all AHB.
    pub hclk: u64,
    /// APB1 to APB4: `rcc_pclk1` to `rcc_pclk4`.
    pub pclk: [u64; 4],
    /// Kernel clock of timers on APB1 and APB2.
    pub timers: [u64; 2],
    /// Kernel clock of USART3.
    pub usart3: u64,
}

impl Default for Clocks {
    /// After reset: all from HSI at 64 MHz.
    fn default() -> Self {
        let hsi = 64_000_000;
        Self {
            sysclk: hsi,
            cpu: [hsi; 2],
            systick: [hsi / 8; 2],
            hclk: hsi,
            pclk: [hsi; 4],
            timers: [hsi; 2],
            usart3: hsi,
        }
    }
}
