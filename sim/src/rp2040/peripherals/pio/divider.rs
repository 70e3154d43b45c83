//! The clock divider of a state machine (datasheet 3.5.5): 16 bits and 8 of a fraction, a first-order delta-sigma.

use crate::core::time::Cycle;

/// A divisor of 1.
pub const ONE: u32 = 1 << 8;

/// When the clock enable of a state machine comes. A divider never stops: tick `k` after `at` is in cycle
/// `at + (phase + k × divisor) / 256`, rounded down, since the fraction is gathered and lengthens a period when it is whole.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub struct Divider {
    at: Cycle,
    phase: u32,
}

impl Divider {
    /// A divider that begins in cycle `at`, with a tick. That the first tick comes at once is an assumption.
    pub fn restarted(at: Cycle) -> Self {
        Self { at, phase: 0 }
    }

    /// The divisor in 1/256 that `CLKDIV` stands for: 0 is 65536.
    pub fn divisor(clkdiv: u32) -> u32 {
        match clkdiv >> 16 {
            0 => 1 << 24,
            _ => clkdiv >> 8,
        }
    }

    /// The tick that it stands at.
    #[inline]
    pub fn tick(&self) -> Cycle {
        self.at
    }

    /// The tick so many after that one.
    #[inline]
    pub fn tick_after(&self, ticks: u64, divisor: u32) -> Cycle {
        if divisor == ONE {
            return self.at + ticks;
        }
        self.at + ((u64::from(self.phase) + ticks * u64::from(divisor)) >> 8)
    }

    /// Ticks before `cycle`, from the one that it stands at on.
    #[inline]
    pub fn ticks_before(&self, cycle: Cycle, divisor: u32) -> u64 {
        if cycle <= self.at {
            return 0;
        }
        if divisor == ONE {
            return cycle - self.at;
        }
        (((cycle - self.at) << 8) - u64::from(self.phase)).div_ceil(u64::from(divisor))
    }

    /// Moves on by so many ticks.
    #[inline]
    pub fn advance_by(&mut self, ticks: u64, divisor: u32) {
        if divisor == ONE {
            self.at += ticks;
            return;
        }
        let parts = u64::from(self.phase) + ticks * u64::from(divisor);
        (self.at, self.phase) = (self.at + (parts >> 8), (parts & 0xff) as u32);
    }

    /// Moves on to the first tick that is not before `cycle`; how many ticks those were.
    #[inline]
    pub fn advance_to(&mut self, cycle: Cycle, divisor: u32) -> u64 {
        let ticks = self.ticks_before(cycle, divisor);
        self.advance_by(ticks, divisor);
        ticks
    }
}
