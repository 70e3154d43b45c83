//! States of the chip that others bring about before firmware runs: the boot ROM, and start-up code that is skipped.

use crate::rp2040::peripherals::Context;
use crate::rp2040::peripherals::{Peripherals, io_bank, pads, resets, timer, xosc};

/// Addresses of the registers that start-up code writes (2.2.4 and each block's list).
const CLK_REF_CTRL: u32 = 0x4000_8030;
const CLK_SYS_CTRL: u32 = 0x4000_803c;
const CLK_PERI_CTRL: u32 = 0x4000_8048;
const XOSC_CTRL: u32 = 0x4002_4000;
const XOSC_STARTUP: u32 = 0x4002_400c;
const PLL_SYS_PWR: u32 = 0x4002_8004;
const PLL_SYS_FBDIV_INT: u32 = 0x4002_8008;
const PLL_SYS_PRIM: u32 = 0x4002_800c;
const WATCHDOG_TICK: u32 = 0x4005_802c;

/// `XOSC.CTRL` on, in the one range there is.
const XOSC_ON: u32 = 0x00fa_baa0;
const CLK_REF_SRC_XOSC: u32 = 2;
const CLK_SYS_SRC_AUX: u32 = 1;
const CLK_ENABLE: u32 = 1 << 11;
const TICK_ENABLE: u32 = 1 << 9;

/// Where the VCO of a PLL works, and its feedback divisors (2.18.2).
const VCO: std::ops::RangeInclusive<u64> = 750_000_000..=1_600_000_000;
const FBDIV: std::ops::RangeInclusive<u64> = 16..=320;

/// Settings of a PLL.
struct PllSettings {
    fbdiv: u64,
    postdivs: (u64, u64),
}

impl PllSettings {
    fn rate(&self) -> u64 {
        xosc::CRYSTAL * self.fbdiv / (self.postdivs.0 * self.postdivs.1)
    }

    /// The settings whose rate is nearest to the one asked for; among equals those with the fastest VCO, as the SDK's
    /// `vcocalc.py` chooses.
    fn nearest(rate: u64) -> Option<Self> {
        let divisors = (1..=7).flat_map(|first| (1..=first).map(move |second| (first, second)));
        divisors
            .flat_map(|postdivs| FBDIV.map(move |fbdiv| Self { fbdiv, postdivs }))
            .filter(|settings| VCO.contains(&(xosc::CRYSTAL * settings.fbdiv)))
            .min_by_key(|settings| (settings.rate().abs_diff(rate), u64::MAX - settings.fbdiv))
    }
}

impl Peripherals {
    /// Lets go of the blocks that the boot ROM takes out of reset before it starts firmware (2.8.1; the QSPI pins, which
    /// it needs to read the flash, and the timer).
    pub fn after_boot_rom(&mut self) {
        self.resets.release(io_bank::IO_QSPI.reset | pads::PADS_QSPI.reset | timer::TIMER.reset);
    }

    /// Puts everything into the state that the SDK's start-up code leaves, for firmware without such code: nothing in
    /// reset, `clk_ref` from the crystal, `clk_sys` from the PLL at the rate nearest to `rate` Hz, `clk_peri` from
    /// `clk_sys`, ticks of 1 µs. Yields the rate of `clk_sys` in Hz.
    pub fn after_start_up(&mut self, rate: u64, context: &mut Context<'_>) -> u64 {
        self.resets.release(resets::ALL);
        let Some(pll) = PllSettings::nearest(rate) else { return context.clocks.sys() };
        let ticks = (xosc::CRYSTAL / 1_000_000) as u32;
        let prim = (pll.postdivs.0 << 16 | pll.postdivs.1 << 12) as u32;
        let steps = [
            (XOSC_STARTUP, 0),
            (XOSC_CTRL, XOSC_ON),
            (PLL_SYS_FBDIV_INT, pll.fbdiv as u32),
            (PLL_SYS_PWR, 0),
            (PLL_SYS_PRIM, prim),
            (CLK_REF_CTRL, CLK_REF_SRC_XOSC),
            (CLK_SYS_CTRL, CLK_SYS_SRC_AUX),
            (CLK_PERI_CTRL, CLK_ENABLE),
            (WATCHDOG_TICK, TICK_ENABLE | ticks),
        ];
        for (address, value) in steps {
            self.write(address, value, context);
            self.clocks.finish_switches();
            self.update_clocks(context);
        }
        self.schedule();
        context.clocks.sys()
    }
}
