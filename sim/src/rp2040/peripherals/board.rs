//! What a board does to the pins of bank 0 over time, as it was given from outside.

use crate::core::time::{Cycle, NEVER};
use crate::rp2::clock::{Clocks, FS};
use crate::rp2040::peripherals::{Context, Peripherals};
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// Pins of bank 0.
const PINS: usize = 30;

/// When something happens on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// In a cycle of `clk_sys`.
    Cycle(Cycle),
    /// So many femtoseconds after power-on.
    Femtoseconds(u128),
}

/// A pin gets another level from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    pin: usize,
    /// None: nothing drives it any more.
    level: Option<bool>,
    at: Moment,
}

/// `5=1`, `5=0@10ms`, `5=z@2e6`.
impl FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "expected a pin and its level, and when it gets it, such as 5=1, 5=0@10ms, or 5=z@2e6; found {text:?}"
            )
        };
        let (pin, rest) = text.split_once('=').ok_or_else(expected)?;
        let pin = pin.parse().map_err(|_| expected())?;
        if pin >= PINS {
            return Err(format!("there is no GPIO {pin}: pins are 0 to {}", PINS - 1));
        }
        let (level, at) = rest.split_once('@').unwrap_or((rest, "0"));
        let level = match level {
            "0" => Some(false),
            "1" => Some(true),
            "z" => None,
            _ => return Err(format!("{text:?}: the level must be 0, 1, or z to stop driving the pin")),
        };
        Ok(Self { pin, level, at: moment(at).ok_or_else(expected)? })
    }
}

/// Cycles, or a time with its unit.
#[allow(clippy::cast_sign_loss)] // it is not below 0
fn moment(text: &str) -> Option<Moment> {
    let number = |digits: &str| digits.parse().ok().filter(|number: &f64| (0.0..1e18).contains(number));
    let units = [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    for (unit, seconds) in units {
        if let Some(digits) = text.strip_suffix(unit) {
            return number(digits).map(|count| Moment::Femtoseconds((count * seconds * FS as f64).round() as u128));
        }
    }
    number(text).map(|cycles| Moment::Cycle(cycles as u64))
}

/// What is still to come, as it was given.
#[derive(Clone, Debug, Default)]
pub struct Board {
    changes: Vec<Change>,
    /// The cycle of each of them, at the rate that `clk_sys` has now.
    due: Vec<Cycle>,
    next: Option<Cycle>,
}

/// What comes from outside shows in the levels of pins.
impl Hash for Board {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Board {
    /// When it next does something.
    pub fn next_event(&self) -> Cycle {
        self.next.unwrap_or(NEVER)
    }

    /// In how many femtoseconds it next does something, while no cycle passes.
    pub(super) fn next_after(&self, now: Cycle, clocks: &Clocks) -> Option<u128> {
        let moments = self.changes.iter().filter_map(|change| match change.at {
            Moment::Femtoseconds(at) => Some(clocks.until(at, now)),
            Moment::Cycle(_) => None,
        });
        moments.min()
    }

    /// Follows a change of clocks.
    pub fn clocks_changed(&mut self, clocks: &Clocks) {
        self.due.clear();
        self.due.extend(self.changes.iter().map(|change| match change.at {
            Moment::Cycle(cycle) => cycle,
            Moment::Femtoseconds(at) => clocks.cycle_of(at),
        }));
        self.next = self.due.iter().copied().min();
    }

    /// Takes the first of the changes that are due.
    fn take(&mut self, now: Cycle, clocks: &Clocks) -> Option<Change> {
        let due = self.next.filter(|&next| next <= now)?;
        let first = self.due.iter().position(|&at| at == due)?;
        let change = self.changes.remove(first);
        self.clocks_changed(clocks);
        Some(change)
    }
}

impl Peripherals {
    /// Has a pin get a level from outside, now or later.
    pub fn add_change(&mut self, change: Change, context: &mut Context<'_>) {
        self.board.changes.push(change);
        self.board.clocks_changed(context.clocks);
        self.wake_board(context);
        self.schedule();
    }

    pub(super) fn wake_board(&mut self, context: &mut Context<'_>) {
        let before = self.outside();
        let mut outside = before;
        while let Some(Change { pin, level, .. }) = self.board.take(context.now, context.clocks) {
            let bit = 1 << pin;
            outside.enables = outside.enables & !bit | u32::from(level.is_some()) << pin;
            outside.levels = outside.levels & !bit | u32::from(level == Some(true)) << pin;
        }
        if outside != before {
            self.set_outside(outside, context);
        }
    }
}
