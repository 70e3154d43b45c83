//! One core with its clock: when it executes its next instruction.

use crate::isa::armv7em::Processor;
use crate::isa::armv7em::model::Model;
use crate::stm32h745::{NEVER, SECOND, Time};

/// Edges of a clock that need not be a whole number of picoseconds apart, without ever rounding.
#[derive(Clone, Debug, Hash)]
struct Edges {
    /// The next edge.
    at: Time,
    /// How much later it truly is, in parts of `hz`.
    fraction: u64,
    /// 0 while the clock stands still.
    hz: u64,
    /// From one edge to the next, and what is left of it.
    period: Time,
    remainder: u64,
}

impl Edges {
    fn new() -> Self {
        Self { at: 0, fraction: 0, hz: 0, period: 0, remainder: 0 }
    }

    fn set_rate(&mut self, hz: u64) {
        self.hz = hz;
        self.fraction = 0;
        self.period = SECOND.checked_div(hz).unwrap_or(0);
        self.remainder = SECOND.checked_rem(hz).unwrap_or(0);
    }

    fn next(&mut self) {
        self.at += self.period;
        self.fraction += self.remainder;
        if self.fraction >= self.hz {
            self.fraction -= self.hz;
            self.at += 1;
        }
    }

    /// The edge that comes so many edges after the next one, and what is left of it.
    fn after(&self, edges: u64) -> (Time, u64) {
        let (whole, hz) = (u128::from(edges) * u128::from(SECOND) + u128::from(self.fraction), u128::from(self.hz));
        let later = Time::try_from(whole / hz).unwrap_or(NEVER);
        (self.at.saturating_add(later), (whole % hz) as u64)
    }

    /// How many edges there are before `now`, the next one included.
    fn until(&self, now: Time) -> u64 {
        let span = u128::from(now.saturating_sub(self.at)) * u128::from(self.hz);
        let edges = span.saturating_sub(u128::from(self.fraction)).div_ceil(u128::from(SECOND));
        u64::try_from(edges).unwrap_or(u64::MAX)
    }

    fn pass(&mut self, edges: u64) {
        (self.at, self.fraction) = self.after(edges);
    }
}

/// What a core does, as far as the chip is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PowerState {
    /// In reset: behind its gate, or for a fault that was asked for.
    InReset,
    /// Executes, or is locked up.
    Running,
    /// Sleeps.
    Asleep,
    /// Executes nothing, for a fault that was asked for.
    Stuck,
}

/// What a core did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Instructions executed.
    pub instructions: u64,
    /// Exceptions entered.
    pub exceptions: u64,
    /// Time asleep.
    pub asleep: Time,
}

/// A core.
#[derive(Clone, Debug, Hash)]
pub struct Core {
    /// The processor.
    pub processor: Processor,
    pub(crate) power_state: PowerState,
    edges: Edges,
    /// When it makes its next step, `NEVER` if only others can wake it.
    pub(crate) next: Time,
    /// Since when it sleeps.
    pub(crate) slept_at: Time,
}

impl Core {
    pub(crate) fn new(model: Model) -> Self {
        let processor = Processor::new(model);
        Self { processor, power_state: PowerState::InReset, edges: Edges::new(), next: NEVER, slept_at: 0 }
    }

    /// It has made a step, and goes on.
    pub(crate) fn stepped(&mut self) {
        self.edges.next();
        self.next = self.edges.at;
    }

    /// It makes its next step at `now` or as soon after as its clock has an edge.
    pub(crate) fn wake_at(&mut self, now: Time) {
        self.next = if self.edges.hz == 0 { NEVER } else { self.edges.after(self.edges.until(now)).0 };
    }

    /// It makes no step before its `SysTick` is due, unless it is woken.
    pub(crate) fn sleep_until_tick(&mut self) {
        let tick = self.processor.next_tick();
        let before = tick.saturating_sub(self.processor.steps() + 1);
        let sleeps = self.power_state == PowerState::Asleep && tick != NEVER && self.edges.hz != 0;
        self.next = if sleeps { self.edges.after(before).0 } else { NEVER };
    }

    /// Lets the core's own counters go on to `now`. `counting`: the one of DWT, too.
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

    pub(crate) fn rate(&self) -> u64 {
        self.edges.hz
    }

    /// Its clock has another rate from `now` on.
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

    /// What it does, in words.
    #[must_use]
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
