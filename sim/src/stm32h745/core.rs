//! One core with its clock.

use crate::isa::armv7em::Processor;
use crate::isa::armv7em::model::Model;
use crate::stm32h745::{NEVER, SECOND, Time};

/// Edges of a clock whose period need not be a whole number of picoseconds, without rounding.
#[derive(Clone, Debug, Default, Hash)]
struct Edges {
    /// The next edge.
    at: Time,
    /// Fraction of a picosecond to add, in units of 1 / `hz`.
    fraction: u64,
    /// Rate; 0 while the clock is stopped.
    hz: u64,
    /// Whole picoseconds of a period, and the remainder in units of 1 / `hz`.
    period: Time,
    remainder: u64,
}

impl Edges {
    fn set_rate(&mut self, hz: u64) {
        self.hz = hz;
        self.fraction = 0;
        self.period = SECOND.checked_div(hz).unwrap_or(0);
        self.remainder = SECOND.checked_rem(hz).unwrap_or(0);
    }

    #[inline]
    fn next(&mut self) {
        let fraction = self.fraction + self.remainder;
        let whole = fraction >= self.hz;
        self.fraction = if whole { fraction - self.hz } else { fraction };
        self.at += self.period + Time::from(whole);
    }

    /// Time and fraction of the edge that is `edges` after the next one.
    fn after(&self, edges: u64) -> (Time, u64) {
        let (whole, hz) = (u128::from(edges) * u128::from(SECOND) + u128::from(self.fraction), u128::from(self.hz));
        let later = Time::try_from(whole / hz).unwrap_or(NEVER);
        (self.at.saturating_add(later), (whole % hz) as u64)
    }

    /// Edges before `now`, including the next one.
    fn until(&self, now: Time) -> u64 {
        let span = u128::from(now.saturating_sub(self.at)) * u128::from(self.hz);
        let edges = span.saturating_sub(u128::from(self.fraction)).div_ceil(u128::from(SECOND));
        u64::try_from(edges).unwrap_or(u64::MAX)
    }

    fn pass(&mut self, edges: u64) {
        (self.at, self.fraction) = self.after(edges);
    }
}

/// Whether a core executes, sleeps or is in reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PowerState {
    /// Held in reset by its boot gate, or by an injected fault.
    InReset,
    /// Executes, or locked up.
    Running,
    /// In WFI or WFE.
    Asleep,
    /// Executes nothing because of an injected fault.
    Stuck,
}

/// A core.
#[derive(Clone, Debug, Hash)]
pub struct Core {
    /// The processor.
    pub processor: Processor,
    pub(crate) power_state: PowerState,
    edges: Edges,
    /// Time of its next step; `NEVER` if only an interrupt or event can wake it.
    pub(crate) next: Time,
    /// When it fell asleep.
    pub(crate) slept_at: Time,
}

impl Core {
    pub(crate) fn new(model: Model) -> Self {
        let processor = Processor::new(model);
        Self { processor, power_state: PowerState::InReset, edges: Edges::default(), next: NEVER, slept_at: 0 }
    }

    /// Schedules the step after the one just made.
    pub(crate) fn stepped(&mut self) {
        self.edges.next();
        self.next = self.edges.at;
    }

    /// Schedules the next step at the first clock edge from `now` on.
    pub(crate) fn wake_at(&mut self, now: Time) {
        self.next = if self.edges.hz == 0 { NEVER } else { self.edges.after(self.edges.until(now)).0 };
    }

    /// Schedules the next step at the `SysTick` exception of a core that sleeps.
    pub(crate) fn sleep_until_tick(&mut self) {
        let tick = self.processor.next_tick();
        let before = tick.saturating_sub(self.processor.steps() + 1);
        let sleeps = self.power_state == PowerState::Asleep && tick != NEVER && self.edges.hz != 0;
        self.next = if sleeps { self.edges.after(before).0 } else { NEVER };
    }

    /// Advances the core's own counters to `now`. `counting`: CYCCNT, too.
    pub(crate) fn catch_up(&mut self, now: Time, counting: bool) {
        if self.edges.hz == 0 {
            self.edges.at = now;
            return;
        }
        let edges = self.edges.until(now);
        if edges > 0 {
            self.processor.pass(edges, counting);
            self.edges.pass(edges);
        }
    }

    /// Steps before `end`, and before `SysTick` raises its exception.
    pub(crate) fn steps_before(&self, end: Time) -> u64 {
        let tick = self.processor.next_tick().saturating_sub(self.processor.steps() + 1);
        self.edges.until(end).min(tick)
    }

    /// Counts steps as if they had been made.
    pub(crate) fn skip(&mut self, steps: u64) {
        self.processor.pass(steps, true);
        self.edges.pass(steps);
        self.next = self.edges.at;
    }

    pub(crate) fn rate(&self) -> u64 {
        self.edges.hz
    }

    /// Changes the rate of its clock from `now` on.
    pub(crate) fn set_rate(&mut self, hz: u64, now: Time, counting: bool) {
        if self.power_state != PowerState::Running {
            self.catch_up(now, counting);
        } else if self.edges.hz == 0 {
            self.edges.at = now;
        }
        self.edges.set_rate(hz);
        match self.power_state {
            PowerState::Running if !self.processor.is_locked_up() => self.wake_at(now),
            PowerState::Asleep => self.sleep_until_tick(),
            _ => {}
        }
    }

    /// Its state for messages.
    pub fn state(&self) -> &'static str {
        match self.power_state {
            PowerState::InReset => "off",
            PowerState::Stuck => "stuck",
            PowerState::Asleep => "asleep",
            PowerState::Running if self.processor.is_locked_up() => "locked up",
            PowerState::Running => "running",
        }
    }
}
