//! One slice of the PWM block: a counter that runs by itself, computed when somebody looks (datasheet 4.5.2).

use crate::core::time::{Cycle, NEVER};
use crate::rp2::pin_interrupts::SYNCHRONISER;
use std::collections::VecDeque;

/// `CHx_CSR` fields (4.5.3).
pub const CSR_EN: u32 = 1 << 0;
/// Counts up and down.
pub const CSR_PH_CORRECT: u32 = 1 << 1;
/// The first of the bits that invert A and B.
const CSR_A_INV: u32 = 2;
/// What the divider counts: every cycle, those in which the B pin is high, or its edges (4.5.2.5).
pub(super) const CSR_DIVMODE: u32 = 3 << 4;
const WHILE_HIGH: u32 = 1 << 4;
const RISING: u32 = 2 << 4;
/// Takes one count back.
pub const CSR_PH_RET: u32 = 1 << 6;
/// Puts one count in.
pub const CSR_PH_ADV: u32 = 1 << 7;
/// What a read of `CHx_CSR` shows.
pub const CSR_STORED: u32 = 0x3f;
/// `CHx_DIV` reset value: 1.0.
const DIV_RESET: u32 = 0x10;
/// Fractional steps of a cycle in `CHx_DIV`.
const STEPS: u64 = 16;
const TOP_RESET: u32 = 0xffff;
/// Counts of the 16-bit counter.
const RANGE: u64 = 0x1_0000;

/// The state of a slice at cycle `since`.
#[derive(Clone, Debug, Hash)]
pub struct Slice {
    /// `CHx_CSR` without the bits that clear themselves.
    pub csr: u32,
    /// `CHx_DIV`.
    pub div: u32,
    /// `CHx_CC` and `CHx_TOP` as firmware sees them.
    pub cc: u32,
    /// See `cc`.
    pub top: u32,
    since: Cycle,
    /// What the divider has gathered, in steps; a count comes when it is `divisor()`.
    gathered: u64,
    pub(super) counter: u32,
    down: bool,
    /// The copies that count, taken over when the counter wraps (4.5.2.3).
    latched_top: u32,
    latched_cc: u32,
    /// Counts yet to be left out, for `PH_RET`.
    retarded: u64,
    /// Wraps so far.
    pub(super) wraps: u64,
    /// The level of the B pin behind the synchroniser, if the divider counts by it and it is known already.
    input: Option<bool>,
    /// Levels that are in the synchroniser, and when they come out.
    coming: VecDeque<(Cycle, bool)>,
}

impl Default for Slice {
    fn default() -> Self {
        Self {
            csr: 0,
            div: DIV_RESET,
            cc: 0,
            top: TOP_RESET,
            since: 0,
            gathered: 0,
            counter: 0,
            down: false,
            latched_top: TOP_RESET,
            latched_cc: 0,
            retarded: 0,
            wraps: 0,
            input: None,
            coming: VecDeque::new(),
        }
    }
}

impl Slice {
    /// Steps between two counts. An integer part of 0 stands for 256 (4.5.2.4).
    fn divisor(&self) -> u64 {
        match u64::from(self.div >> 4 & 0xff) {
            0 => 256 * STEPS,
            _ => u64::from(self.div & 0xfff),
        }
    }

    /// Whether it is enabled.
    pub(super) fn is_enabled(&self) -> bool {
        self.csr & CSR_EN != 0
    }

    /// Whether it counts by the B pin, which is an input then.
    pub(super) fn counts_pin(&self) -> bool {
        self.is_enabled() && self.csr & CSR_DIVMODE != 0
    }

    /// Whether each cycle counts as things are.
    fn runs(&self) -> bool {
        match self.csr & CSR_DIVMODE {
            _ if !self.is_enabled() => false,
            0 => true,
            WHILE_HIGH => self.input == Some(true),
            _ => false,
        }
    }

    /// The level at the B pin from cycle `from` on. That the divider has it as late as inputs of PIO have is an assumption; the
    /// first one after it was told to count by the pin, it has at once.
    pub(super) fn set_input(&mut self, high: bool, from: Cycle) {
        if self.input.is_none() {
            self.input = Some(high);
        } else if self.coming.back().map_or(self.input, |last| Some(last.1)) != Some(high) {
            self.coming.push_back((from.saturating_add(SYNCHRONISER), high));
        }
    }

    /// Brings the slice to cycle `now`.
    pub fn advance(&mut self, now: Cycle) {
        while let Some((at, high)) = self.coming.front().copied().filter(|&(at, _)| at <= now) {
            self.coming.pop_front();
            self.run_to(at);
            self.input = Some(high);
            if self.csr & CSR_DIVMODE != WHILE_HIGH && high == (self.csr & CSR_DIVMODE == RISING) {
                self.divide(1);
            }
        }
        self.run_to(now);
    }

    fn run_to(&mut self, now: Cycle) {
        let cycles = now.saturating_sub(self.since);
        self.since = self.since.max(now);
        if self.runs() && cycles > 0 {
            self.divide(cycles);
        }
    }

    /// So many cycles or edges come to the divider.
    fn divide(&mut self, inputs: u64) {
        let divisor = self.divisor();
        let gathered = u128::from(inputs) * u128::from(STEPS) + u128::from(self.gathered);
        self.gathered = (gathered % u128::from(divisor)) as u64;
        let pulses = (gathered / u128::from(divisor)) as u64;
        let left_out = pulses.min(self.retarded);
        self.retarded -= left_out;
        self.count(pulses - left_out);
    }

    /// The cycle of the next wrap, if nothing is written before; if the B pin moves, an earlier one at which to look again.
    pub fn next_wrap(&self) -> Cycle {
        self.cycle_of_count(self.counts_to_wrap())
    }

    /// The cycle in which it will have counted so much, or one at which to look again.
    fn cycle_of_count(&self, counts: u64) -> Cycle {
        let moved = self.coming.front().map_or(NEVER, |&(at, _)| at);
        if !self.runs() {
            return moved;
        }
        let steps = (counts + self.retarded) * self.divisor() - self.gathered;
        self.since.saturating_add(steps.div_ceil(STEPS)).min(moved)
    }

    /// What it compares channel A (0) or B (1) with.
    fn compared(&self, channel: usize) -> u64 {
        u64::from(self.latched_cc >> (16 * channel) & 0xffff)
    }

    /// The level of channel A (0) or B (1): high while the counter is below `CHx_CC` (4.5.2.2), unless it is inverted.
    pub fn is_high(&self, channel: usize) -> bool {
        let inverted = self.csr >> (CSR_A_INV + channel as u32) & 1 == 1;
        (u64::from(self.counter) < self.compared(channel)) != inverted
    }

    /// The first cycle after this one in which a channel may have another level, if nothing is written before.
    pub fn next_edge(&self, channel: usize) -> Cycle {
        let (counter, top, compared) = (u64::from(self.counter), u64::from(self.latched_top), self.compared(channel));
        let counts = if self.down {
            // Down to the first count below.
            (counter + 1).checked_sub(compared)
        } else if counter < compared {
            compared.checked_sub(counter)
        } else if self.csr & CSR_PH_CORRECT != 0 {
            // Up, twice TOP, and down to the first count below.
            (2 * top + 2).checked_sub(compared + counter)
        } else {
            None
        };
        let to_wrap = self.counts_to_wrap();
        self.cycle_of_count(counts.filter(|&counts| counts > 0 && counts < to_wrap).unwrap_or(to_wrap))
    }

    /// Writes `CHx_CSR`. Inserting a count is possible only where the divider leaves a gap (4.5.2.8).
    pub fn write_csr(&mut self, value: u32) {
        self.csr = value & CSR_STORED;
        if !self.counts_pin() {
            self.input = None;
            self.coming.clear();
        }
        if self.csr & CSR_PH_CORRECT == 0 {
            self.down = false;
        }
        if self.runs() && value & CSR_PH_ADV != 0 && self.divisor() > STEPS {
            self.count(1);
        }
        if self.runs() && value & CSR_PH_RET != 0 {
            self.retarded += 1;
        }
        self.buffers_written();
    }

    /// Writes `CHx_DIV`.
    pub fn write_div(&mut self, value: u32) {
        self.div = value & 0xfff;
        self.gathered = self.gathered.min(self.divisor() - 1);
    }

    /// To be called after `cc` or `top` was written: a slice that is off takes the new values over at once (4.5.2.3 tells
    /// only of wraps, but the first period after enabling has them).
    pub fn buffers_written(&mut self) {
        if self.csr & CSR_EN == 0 {
            self.latch();
        }
    }

    fn latch(&mut self) {
        (self.latched_top, self.latched_cc) = (self.top & 0xffff, self.cc);
    }

    /// Counts until the counter next wraps. One that was set beyond TOP goes on to the end of its 16 bits.
    fn counts_to_wrap(&self) -> u64 {
        let (counter, top) = (u64::from(self.counter), u64::from(self.latched_top));
        if self.down {
            counter + 1
        } else if counter > top {
            RANGE - counter
        } else if self.csr & CSR_PH_CORRECT != 0 {
            2 * (top + 1) - counter
        } else {
            top + 1 - counter
        }
    }

    fn count(&mut self, mut pulses: u64) {
        let first = self.counts_to_wrap();
        if pulses >= first {
            pulses -= first;
            self.wraps += 1;
            self.latch();
            (self.counter, self.down) = (0, false);
            let period = self.counts_to_wrap();
            self.wraps += pulses / period;
            pulses %= period;
        }
        self.count_within_period(pulses as u32);
    }

    /// Counts on by less than is left of the period.
    fn count_within_period(&mut self, pulses: u32) {
        let top = self.latched_top;
        if self.down {
            self.counter -= pulses;
        } else if self.csr & CSR_PH_CORRECT != 0 && self.counter <= top && self.counter + pulses > top {
            // The counter stays at TOP for two counts, as it stays at 0 (4.5.2.3).
            self.counter = 2 * top + 1 - (self.counter + pulses);
            self.down = true;
        } else {
            self.counter += pulses;
        }
    }
}
