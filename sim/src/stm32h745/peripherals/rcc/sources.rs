//! Oscillators and PLLs (RM0399 sections 9.5.2, 9.5.5, 9.7.2, 9.7.10 to 9.7.17, 9.7.25 and 9.7.26).
//!
//! Start-up times are in the datasheet, which was not read: those here are of the right order, and not zero, to find software
//! that does not wait.

use crate::stm32h745::peripherals::board::Board;
use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::{NEVER, SECOND, Time};

/// Register offsets.
const CR: u32 = 0x00;
const PLLCKSELR: u32 = 0x28;
const PLLCFGR: u32 = 0x2c;
const PLL1DIVR: u32 = 0x30;
const PLL3FRACR: u32 = 0x44;
const BDCR: u32 = 0x70;
const CSR: u32 = 0x74;

const HSI: u64 = 64_000_000;
const CSI: u64 = 4_000_000;
const HSI48: u64 = 48_000_000;
const MHZ: u64 = 1_000_000;

/// A clock source, in the order of [`CONTROLS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Source {
    Hsi,
    Csi,
    Hsi48,
    Hse,
    Pll1P,
    Pll2Q,
    Pll3Q,
    /// In the backup domain, not in `RCC_CR`.
    Lse,
}

impl Source {
    /// By `RCC_CFGR.SW` or `SWS`.
    #[must_use]
    pub fn of_system(field: u32) -> Self {
        [Self::Hsi, Self::Csi, Self::Hse, Self::Pll1P][field as usize & 3]
    }
}

const MICROSECOND: Time = SECOND / 1_000_000;
/// Sources in `RCC_CR`: enable bit, ready bit, and start-up time.
const CONTROLS: [(u32, u32, Time); 7] = [
    (HSION, 1 << 2, 2 * MICROSECOND),
    (CSION, 1 << 8, 2 * MICROSECOND),
    (1 << 12, 1 << 13, 4 * MICROSECOND),
    (HSEON, 1 << 17, 500 * MICROSECOND),
    (PLL1ON, 1 << 25, 50 * MICROSECOND),
    (1 << 26, 1 << 27, 50 * MICROSECOND),
    (1 << 28, 1 << 29, 50 * MICROSECOND),
];
const CONTROL_HSE: usize = Source::Hse as usize;
const CONTROL_PLL: usize = Source::Pll1P as usize;
/// Start-up times of LSE and LSI.
const LSE_STARTUP: Time = SECOND / 1000;
const LSI_STARTUP: Time = 100 * MICROSECOND;

/// `RCC_CR`.
const HSION: u32 = 1;
const CSION: u32 = 1 << 7;
const HSEON: u32 = 1 << 16;
const PLL1ON: u32 = 1 << 24;
const HSIDIV_SHIFT: u32 = 3;
const HSIDIV: u32 = 3 << HSIDIV_SHIFT;
const HSIDIVF: u32 = 1 << 5;
const HSEBYP: u32 = 1 << 18;
const HSECSSON: u32 = 1 << 19;
const DOMAINS_READY: u32 = 3 << 14;
const CR_MASK: u32 = 0x150d_129b;
const CR_RESET: u32 = 1;
const PLLS_ON: u32 = PLL1ON | 1 << 26 | 1 << 28;
/// `RCC_PLLCKSELR`, `RCC_PLLCFGR` and `RCC_PLLxDIVR` after reset.
const PLLCKSELR_RESET: u32 = 0x0202_0200;
const PLLCFGR_RESET: u32 = 0x01ff_0000;
const DIVR_RESET: u32 = 0x0101_0280;
/// `RCC_PLLCKSELR`: where DIVM1 to DIVM3 are.
const DIVM_SHIFT: [u32; 3] = [4, 12, 20];
/// `RCC_BDCR`: LSEON, LSERDY, LSEBYP, and what is kept.
const LSEON: u32 = 1;
const LSERDY: u32 = 1 << 1;
const BDCR_MASK: u32 = 0x0001_833d;
const BDRST: u32 = 1 << 16;

/// One PLL.
#[derive(Clone, Copy, Debug, Hash)]
struct Pll {
    divr: u32,
    fracr: u32,
    /// FRACN as the modulator has it (9.5.5: latched when FRACEN rises).
    fraction: u32,
}

/// Oscillators and PLLs.
#[derive(Clone, Debug, Hash)]
pub struct Sources {
    hse: u64,
    hse_is_clock: bool,
    lse: u64,
    cr: u32,
    ready: [Time; 7],
    pllckselr: u32,
    pllcfgr: u32,
    plls: [Pll; 3],
    bdcr: u32,
    lse_ready: Time,
    csr: u32,
    lsi_ready: Time,
}

impl Sources {
    /// After power-on: HSI runs.
    #[must_use]
    pub fn new(board: &Board) -> Self {
        Self {
            hse: board.hse,
            hse_is_clock: board.hse_is_clock,
            lse: board.lse,
            cr: CR_RESET,
            ready: [0, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER],
            pllckselr: PLLCKSELR_RESET,
            pllcfgr: PLLCFGR_RESET,
            plls: [Pll { divr: DIVR_RESET, fracr: 0, fraction: 0 }; 3],
            bdcr: 0,
            lse_ready: NEVER,
            csr: 0,
            lsi_ready: NEVER,
        }
    }

    /// After a reset of the system, which leaves the backup domain alone.
    #[must_use]
    pub fn after_reset(&self, board: &Board) -> Self {
        Self { bdcr: self.bdcr, lse_ready: self.lse_ready, ..Self::new(board) }
    }

    /// A register.
    pub fn peek(&self, offset: u32, now: Time) -> Option<u32> {
        Some(match offset {
            CR => {
                let ready = CONTROLS.iter().zip(self.ready).filter(|(_, at)| *at <= now);
                ready.fold(self.cr | HSIDIVF | DOMAINS_READY, |cr, ((_, bit, _), _)| cr | bit)
            }
            PLLCKSELR => self.pllckselr,
            PLLCFGR => self.pllcfgr,
            PLL1DIVR..=PLL3FRACR => {
                let pll = &self.plls[((offset - PLL1DIVR) / 8) as usize];
                if offset & 4 == 0 { pll.divr } else { pll.fracr }
            }
            BDCR => self.bdcr | if self.lse_ready <= now { LSERDY } else { 0 },
            CSR => self.csr | if self.lsi_ready <= now { 2 } else { 0 },
            _ => return None,
        })
    }

    /// A write to a register that `peek` has. `in_use` are the sources of the system clock, now and as selected.
    pub fn write(&mut self, offset: u32, value: u32, in_use: [Source; 2], backup: bool, context: &mut Context<'_>) {
        match offset {
            CR => self.control(value, in_use, context),
            PLLCKSELR => self.select(value, context),
            PLLCFGR => self.configure(value, context),
            PLL1DIVR..=PLL3FRACR => self.divide(((offset - PLL1DIVR) / 8) as usize, offset & 4 != 0, value, context),
            BDCR if !backup => {
                context.warn("RCC_BDCR is written while PWR_CR1.DBP protects the backup domain: ignored");
            }
            BDCR => self.backup(value, context.now),
            _ => {
                self.lsi_ready = started(self.lsi_ready, value & 1 != 0, context.now + LSI_STARTUP);
                self.csr = value & 1;
            }
        }
    }

    /// `RCC_CR` (9.7.2): what is in use cannot be switched off.
    fn control(&mut self, value: u32, in_use: [Source; 2], context: &mut Context<'_>) {
        let mut wanted = value & CR_MASK | self.cr & HSECSSON;
        let pll_in_use = in_use.contains(&Source::Pll1P);
        let reference = self.reference();
        for (bit, source) in [(HSION, Source::Hsi), (CSION, Source::Csi), (HSEON, Source::Hse)] {
            let used = in_use.contains(&source) || self.cr & PLL1ON != 0 && pll_in_use && reference == Some(source);
            if self.cr & bit != 0 && wanted & bit == 0 && used {
                context.warn(format!("RCC_CR switches {source:?} off, which the system clock is made of: ignored"));
                wanted |= bit;
            }
        }
        if pll_in_use && self.cr & !wanted & PLL1ON != 0 {
            context.warn("RCC_CR switches PLL1 off, which is the system clock: ignored");
            wanted |= PLL1ON;
        }
        if (wanted ^ self.cr) & HSEBYP != 0 && self.cr & HSEON != 0 {
            context.warn("RCC_CR.HSEBYP is changed while HSE is on: ignored");
            wanted ^= HSEBYP;
        }
        if (wanted ^ self.cr) & HSIDIV != 0 && self.cr & PLLS_ON != 0 && reference == Some(Source::Hsi) {
            context.warn("RCC_CR.HSIDIV is changed while a PLL runs from HSI: ignored");
            wanted = wanted & !HSIDIV | self.cr & HSIDIV;
        }
        let begun = wanted & !self.cr;
        self.cr = wanted;
        for (index, (bit, _, startup)) in CONTROLS.into_iter().enumerate() {
            if begun & bit != 0 && self.can_start(index, context) {
                self.ready[index] = context.now + startup;
            } else if begun & bit != 0 || wanted & bit == 0 {
                self.ready[index] = NEVER;
            }
        }
    }

    /// Whether a source that `RCC_CR` enables will become ready.
    fn can_start(&self, control: usize, context: &mut Context<'_>) -> bool {
        match control {
            CONTROL_HSE => {
                let bypassed = self.cr & HSEBYP != 0;
                if self.hse == 0 {
                    context.warn("HSE is switched on, but the board has nothing at OSC_IN: it is never ready");
                } else if bypassed != self.hse_is_clock {
                    context.warn(format!(
                        "HSE is switched on with HSEBYP = {}, but the board has a {} at OSC_IN: it is never ready",
                        u32::from(bypassed),
                        if self.hse_is_clock { "clock" } else { "crystal" }
                    ));
                }
                self.hse != 0 && bypassed == self.hse_is_clock
            }
            CONTROL_PLL.. => self.can_lock(control - CONTROL_PLL, context),
            _ => true,
        }
    }

    /// The reference of the PLLs (9.7.10).
    fn reference(&self) -> Option<Source> {
        [Some(Source::Hsi), Some(Source::Csi), Some(Source::Hse), None][self.pllckselr as usize & 3]
    }

    /// The rate of a PLL's reference, and what DIVM divides it by; either is 0 if there is none.
    fn input(&self, index: usize, now: Time) -> (u64, u64) {
        let rate = self.reference().map_or(0, |source| self.rate(source, now));
        (rate, u64::from(self.pllckselr >> DIVM_SHIFT[index] & 0x3f))
    }

    /// Whether a PLL can lock. Reports a configuration outside of 9.5.5 and 9.7.11 to 9.7.16.
    fn can_lock(&self, index: usize, context: &mut Context<'_>) -> bool {
        let name = format!("PLL{}", index + 1);
        let (input, divm) = self.input(index, context.now);
        if input == 0 || divm == 0 {
            context.warn(format!("{name} is switched on without a reference that is ready: it never locks"));
            return false;
        }
        let reference = input / divm;
        let range = self.pllcfgr >> (2 + 4 * index) & 3;
        if !(MHZ << range..=(2 * MHZ) << range).contains(&reference) {
            context.warn(format!("{name}'s reference is {reference} Hz, outside of the range that {name}RGE says"));
        }
        let channel = self.pllcfgr >> (1 + 4 * index) & 1 != 0;
        let (low, high) = if channel { (150 * MHZ, 420 * MHZ) } else { (192 * MHZ, 960 * MHZ) };
        let vco = self.vco(index, context.now);
        if !(low..=high).contains(&vco) {
            context.warn(format!("{name}'s VCO is to run at {vco} Hz, outside of its range of {low} to {high} Hz"));
        }
        let dividers = self.plls[index].divr;
        if dividers & 0x1ff < 3 {
            context.warn(format!("{name}'s DIVN is {}, less than 4", (dividers & 0x1ff) + 1));
        }
        let output = (dividers >> 9 & 0x7f) + 1;
        if index == 0 && output > 1 && !output.is_multiple_of(2) {
            context.warn(format!("PLL1's DIVP is {output}: odd factors are not allowed"));
        }
        true
    }

    /// Whether a PLL is enabled.
    fn is_on(&self, index: usize) -> bool {
        self.cr >> (24 + 2 * index) & 1 != 0
    }

    fn select(&mut self, value: u32, context: &mut Context<'_>) {
        let mut kept = if self.cr & PLLS_ON != 0 { 3 } else { 0 };
        for (index, shift) in DIVM_SHIFT.into_iter().enumerate() {
            kept |= if self.is_on(index) { 0x3f << shift } else { 0 };
        }
        if (value ^ self.pllckselr) & kept != 0 {
            context.warn("RCC_PLLCKSELR changes what a running PLL is made of: ignored");
        }
        self.pllckselr = value & !kept & 0x03f3_f3f3 | self.pllckselr & kept;
    }

    fn configure(&mut self, value: u32, context: &mut Context<'_>) {
        let mut kept = 0;
        for index in 0..3 {
            let outputs_range_and_vco = 7 << (16 + 3 * index) | 0xe << (4 * index);
            kept |= if self.is_on(index) { outputs_range_and_vco } else { 0 };
        }
        if (value ^ self.pllcfgr) & kept != 0 {
            context.warn("RCC_PLLCFGR changes outputs or ranges of a running PLL: ignored");
        }
        let value = value & !kept & 0x01ff_0fff | self.pllcfgr & kept;
        for (index, pll) in self.plls.iter_mut().enumerate() {
            let enabled = value >> (4 * index) & 1 != 0;
            if enabled && self.pllcfgr >> (4 * index) & 1 == 0 {
                pll.fraction = pll.fracr >> 3;
            }
        }
        self.pllcfgr = value;
    }

    fn divide(&mut self, index: usize, fraction: bool, value: u32, context: &mut Context<'_>) {
        if fraction {
            self.plls[index].fracr = value & 0xfff8;
        } else if self.is_on(index) && value != self.plls[index].divr {
            context.warn(format!("RCC_PLL{}DIVR is written while the PLL runs: ignored", index + 1));
        } else {
            self.plls[index].divr = value & 0x7f7f_ffff;
        }
    }

    fn backup(&mut self, value: u32, now: Time) {
        let value = if value & BDRST != 0 { BDRST } else { value & BDCR_MASK };
        self.lse_ready = started(self.lse_ready, value & LSEON != 0 && self.lse != 0, now + LSE_STARTUP);
        self.bdcr = value;
    }

    /// Whether a source is ready.
    pub fn is_ready(&self, source: Source, now: Time) -> bool {
        now >= self.ready.get(source as usize).copied().unwrap_or(self.lse_ready)
    }

    /// The rate of a source in Hz, 0 if it is not ready.
    pub fn rate(&self, source: Source, now: Time) -> u64 {
        if !self.is_ready(source, now) {
            return 0;
        }
        match source {
            Source::Hsi => HSI >> ((self.cr & HSIDIV) >> HSIDIV_SHIFT),
            Source::Csi => CSI,
            Source::Hse => self.hse,
            Source::Hsi48 => HSI48,
            Source::Lse => self.lse,
            Source::Pll1P => self.output(0, 0, now),
            Source::Pll2Q => self.output(1, 1, now),
            Source::Pll3Q => self.output(2, 1, now),
        }
    }

    /// Fvco = Fref × (DIVN + FRACN / 2^13) (9.5.5).
    fn vco(&self, index: usize, now: Time) -> u64 {
        let (input, divm) = self.input(index, now);
        let pll = &self.plls[index];
        let times = u64::from((pll.divr & 0x1ff) + 1) << 13 | u64::from(pll.fraction);
        if divm == 0 { 0 } else { input * times / (divm << 13) }
    }

    /// Output P (0), Q (1) or R (2) of a PLL.
    fn output(&self, index: usize, output: u32, now: Time) -> u64 {
        let enabled = self.pllcfgr >> (16 + 3 * index as u32 + output) & 1 != 0;
        let by = (self.plls[index].divr >> [9, 16, 24][output as usize] & 0x7f) + 1;
        if enabled { self.vco(index, now) / u64::from(by) } else { 0 }
    }

    /// When a source becomes ready after `now`.
    pub fn next_event(&self, now: Time) -> Time {
        let all = self.ready.into_iter().chain([self.lse_ready, self.lsi_ready]);
        all.filter(|at| *at > now).min().unwrap_or(NEVER)
    }
}

/// When a source is ready, given when it was so far, whether it is enabled, and when it would be if it started now.
fn started(ready: Time, on: bool, at: Time) -> Time {
    match (on, ready) {
        (false, _) => NEVER,
        (true, NEVER) => at,
        (true, _) => ready,
    }
}
