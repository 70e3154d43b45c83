//! A generator of ticks: one in so many cycles of `clk_ref` (RP2040 datasheet 4.7.2, RP2350 datasheet 8.5).

use crate::core::time::{Cycle, Ticks};
use crate::rp2::clock::Clocks;

/// Bits of the number of cycles.
const CYCLES: u32 = 0x1ff;

/// See the module.
#[derive(Clone, Debug, Hash)]
pub struct TickGenerator {
    /// Rates of `clk_sys` and `clk_ref` in Hz.
    sys: u64,
    reference: u64,
    is_enabled: bool,
    cycles: u32,
    ticks: Ticks,
}

impl TickGenerator {
    /// At power-on.
    pub fn new(is_enabled: bool) -> Self {
        let clocks = Clocks::at_power_on();
        Self { sys: clocks.sys(), reference: clocks.reference(), is_enabled, cycles: 0, ticks: Ticks::stopped() }
    }

    /// The ticks.
    pub fn ticks(&self) -> &Ticks {
        &self.ticks
    }

    /// Whether it is enabled.
    pub fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    /// Whether there are ticks. With 0 cycles there are none (assumption: not documented).
    pub fn runs(&self) -> bool {
        self.is_enabled && self.cycles != 0
    }

    /// Cycles from tick to tick.
    pub fn cycles(&self) -> u32 {
        self.cycles
    }

    /// Cycles to the next tick, the one under way included; 0 if there is none.
    pub fn left(&self, now: Cycle) -> u32 {
        if !self.runs() {
            return 0;
        }
        let (done, whole) = self.ticks.progress(now);
        let gone = u128::from(done) * u128::from(self.cycles) / u128::from(whole);
        self.cycles.saturating_sub(gone as u32)
    }

    /// Starts anew, with so many cycles from tick to tick.
    pub fn set(&mut self, is_enabled: bool, cycles: u32, now: Cycle) {
        (self.is_enabled, self.cycles) = (is_enabled, cycles & CYCLES);
        self.update_rate(now);
        self.ticks.restart(now);
    }

    /// Follows a change of the clocks.
    pub fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        (self.sys, self.reference) = (clocks.sys(), clocks.reference());
        self.update_rate(now);
    }

    fn update_rate(&mut self, now: Cycle) {
        let rate = if self.runs() { self.reference } else { 0 };
        self.ticks.set_rate(now, rate, self.sys * u64::from(self.cycles.max(1)));
    }
}
