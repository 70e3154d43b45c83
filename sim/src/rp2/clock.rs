//! The chip's clocks, and the way from cycles of `clk_sys` to real time while firmware changes their rates.

use crate::core::time::Cycle;
use std::collections::VecDeque;

/// A clock of the chip (2.15.1) that blocks run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// `clk_sys`.
    Sys,
    /// `clk_ref`.
    Ref,
    /// `clk_peri`.
    Peri,
    /// `clk_adc`.
    Adc,
    /// `clk_rtc`.
    Rtc,
    /// `clk_usb`.
    Usb,
}

/// Rates in Hz of the clocks that the model uses; 0 is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the datasheet's names, without clk_
pub struct Rates {
    pub sys: u64,
    pub reference: u64,
    pub peri: u64,
    pub usb: u64,
    pub adc: u64,
    pub rtc: u64,
}

/// Rates of the clocks that the model uses, and real time.
#[derive(Clone, Debug, Hash)]
pub struct Clocks {
    rates: Rates,
    /// Real time in femtoseconds at `since`; it grows by 10^15 / `sys` with each cycle after.
    base_fs: u128,
    since: Cycle,
    /// Earlier rates of `clk_sys`, oldest first.
    past: VecDeque<Stretch>,
}

/// A time in which `clk_sys` had one rate.
#[derive(Clone, Debug, Hash)]
struct Stretch {
    sys: u64,
    base_fs: u128,
    since: Cycle,
}

/// Stretches that are remembered: firmware that keeps changing its clock does not fill the memory.
const REMEMBERED: usize = 4096;

/// Femtoseconds per second.
pub(crate) const FS: u128 = 1_000_000_000_000_000;

impl Clocks {
    /// Clocks at power-on: everything runs from the ring oscillator, nominally 6.5 MHz (datasheet 2.17).
    pub fn at_power_on() -> Self {
        let rates = Rates { sys: 6_500_000, reference: 6_500_000, ..Rates::default() };
        Self { rates, base_fs: 0, since: 0, past: VecDeque::new() }
    }

    /// All rates: those of `clk_sys` and `clk_ref` are at least 1.
    pub fn rates(&self) -> Rates {
        self.rates
    }

    /// Rate of `clk_sys` in Hz, at least 1.
    pub fn sys(&self) -> u64 {
        self.rates.sys
    }

    /// Rate of `clk_ref` in Hz, at least 1.
    pub fn reference(&self) -> u64 {
        self.rates.reference
    }

    /// Rate of `clk_peri` in Hz; 0 while it is off.
    pub fn peri(&self) -> u64 {
        self.rates.peri
    }

    /// Changes the rates from cycle `now` on. `sys` and `reference` of 0 are taken for 1: a stopped chip has no time.
    pub fn set(&mut self, now: Cycle, rates: Rates) {
        let rates = Rates { sys: rates.sys.max(1), reference: rates.reference.max(1), ..rates };
        if self.rates.sys != rates.sys {
            self.begin_stretch(now);
        }
        self.rates = rates;
    }

    /// Real time at cycle `at`; exact for all cycles since the 4096th last change of `clk_sys`.
    pub fn femtoseconds(&self, at: Cycle) -> u128 {
        if at < self.since {
            let after = self.past.partition_point(|stretch| stretch.since <= at);
            if let Some(then) = self.past.get(after.saturating_sub(1)) {
                return then.base_fs + u128::from(at.saturating_sub(then.since)) * FS / u128::from(then.sys);
            }
        }
        self.base_fs + u128::from(at.saturating_sub(self.since)) * FS / u128::from(self.rates.sys)
    }

    /// For how many femtoseconds it is not a real time yet in cycle `now`.
    pub fn until(&self, moment: u128, now: Cycle) -> u128 {
        moment.saturating_sub(self.femtoseconds(now))
    }

    /// Lets real time pass in cycle `now`, while `clk_sys` stands still.
    pub fn pass(&mut self, now: Cycle, femtoseconds: u128) {
        self.begin_stretch(now);
        self.base_fs += femtoseconds;
    }

    fn begin_stretch(&mut self, now: Cycle) {
        if self.past.len() == REMEMBERED {
            self.past.pop_front();
        }
        self.past.push_back(Stretch { sys: self.rates.sys, base_fs: self.base_fs, since: self.since });
        self.base_fs = self.femtoseconds(now);
        self.since = now;
    }

    /// The first cycle at or after a real time in femtoseconds, if the rates stay as they are; the last change of `clk_sys` if
    /// it was before that.
    pub fn cycle_of(&self, femtoseconds: u128) -> Cycle {
        let cycles = (femtoseconds.saturating_sub(self.base_fs) * u128::from(self.rates.sys)).div_ceil(FS);
        self.since.saturating_add(u64::try_from(cycles).unwrap_or(Cycle::MAX))
    }
}
