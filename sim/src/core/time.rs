//! Time in cycles of the system clock, and other clocks related to it.

/// A point in time since power-on: the one global time of a simulated chip, in cycles of its system clock.
pub type Cycle = u64;

/// Later than any time.
pub const NEVER: Cycle = u64::MAX;

/// What a chip counts its time in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Cycles of the clock of this name.
    Cycles(&'static str),
    /// Picoseconds, where clocks come and go.
    Picoseconds,
}

impl Unit {
    /// One, in words.
    pub const fn name(self) -> &'static str {
        if matches!(self, Self::Cycles(_)) { "cycle" } else { "ps" }
    }

    /// Several, in words.
    pub const fn plural(self) -> &'static str {
        if matches!(self, Self::Cycles(_)) { "cycles" } else { "ps" }
    }

    /// A point in time, in words: `cycle 7`, `7 ps`.
    pub fn moment(self, at: Cycle) -> String {
        if matches!(self, Self::Cycles(_)) { format!("cycle {at}") } else { format!("{at} ps") }
    }
}

/// A whole number, as people write large ones: 1000000, `1_000_000`, 1e6, 1.5e6.
///
/// # Errors
/// If it is none, or too large to be told from its neighbours.
pub fn cycles(text: &str) -> Result<Cycle, String> {
    let plain = text.replace('_', "");
    if let Ok(number) = plain.parse() {
        return Ok(number);
    }
    match plain.parse::<f64>() {
        #[allow(clippy::cast_sign_loss)] // checked
        Ok(number) if (1.0..1e18).contains(&number) && number.fract() == 0.0 => Ok(number as u64),
        _ => Err(format!("'{text}' is not a whole number: give a number such as 125e6")),
    }
}

/// Counts the ticks of another clock: `rate` ticks in every `unit` cycles, from a known phase, without rounding. Ticks are
/// computed on demand, so that a fast clock costs no more than a slow one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ticks {
    since: Cycle,
    count: u64,
    /// How far the next tick has come at `since`, in parts of `unit`.
    phase: u64,
    rate: u64,
    unit: u64,
}

impl Ticks {
    /// A stopped clock.
    pub const fn stopped() -> Self {
        Self { since: 0, count: 0, phase: 0, rate: 0, unit: 1 }
    }

    /// Ticks so far, at cycle `at`.
    pub fn count(&self, at: Cycle) -> u64 {
        self.split(at).0
    }

    /// The first cycle by which `count` ticks have happened; `NEVER` if the clock is stopped.
    pub fn cycle_of(&self, count: u64) -> Cycle {
        if count <= self.count {
            return self.since;
        }
        if self.rate == 0 {
            return NEVER;
        }
        let parts = u128::from(count - self.count) * u128::from(self.unit) - u128::from(self.phase);
        let cycles = match u64::try_from(parts) {
            Ok(parts) => parts.div_ceil(self.rate),
            Err(_) => u64::try_from(parts.div_ceil(u128::from(self.rate))).unwrap_or(NEVER),
        };
        self.since.saturating_add(cycles)
    }

    /// Ticks, and in how many cycles.
    pub fn rate(&self) -> (u64, u64) {
        (self.rate, self.unit)
    }

    /// Changes the rate from cycle `now` on to `rate` ticks in `unit` cycles; the phase of the current tick is kept.
    pub fn set_rate(&mut self, now: Cycle, rate: u64, unit: u64) {
        let unit = unit.max(1);
        if (rate, unit) == (self.rate, self.unit) {
            return;
        }
        let (count, phase) = self.split(now);
        self.count = count;
        self.phase = ((u128::from(phase) * u128::from(unit)) / u128::from(self.unit)) as u64;
        (self.since, self.rate, self.unit) = (now, rate, unit);
    }

    /// Lets so many ticks happen in cycle `now`.
    pub fn skip(&mut self, now: Cycle, ticks: u64) {
        let (count, phase) = self.split(now);
        (self.since, self.count, self.phase) = (now, count.saturating_add(ticks), phase);
    }

    /// Restarts the current tick at cycle `now`.
    pub fn restart(&mut self, now: Cycle) {
        self.count = self.count(now);
        self.phase = 0;
        self.since = now;
    }

    /// How much of the tick under way is done at `at`, and what the whole is, in the same parts.
    pub fn progress(&self, at: Cycle) -> (u64, u64) {
        (self.split(at).1, self.unit)
    }

    fn split(&self, at: Cycle) -> (u64, u64) {
        let cycles = at.saturating_sub(self.since);
        if let Some(parts) = cycles.checked_mul(self.rate).and_then(|parts| parts.checked_add(self.phase)) {
            return (self.count.saturating_add(parts / self.unit), parts % self.unit);
        }
        let parts = u128::from(cycles) * u128::from(self.rate) + u128::from(self.phase);
        let unit = u128::from(self.unit);
        (self.count.saturating_add((parts / unit) as u64), (parts % unit) as u64)
    }
}
