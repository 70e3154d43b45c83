//! What one core means for the other and what is lost on its way, for faults that were asked for: a doorbell that nobody
//! hears.

use crate::core::random::SplitMix64;
use crate::core::time::Cycle;
use std::hash::{Hash, Hasher};

/// What is between the cores of a chip, and can lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterCoreChannel {
    /// The RP2040's FIFOs: words. One for which a FIFO has no room does not count: SIO refuses it itself.
    Fifo,
    /// The STM32H745's hardware semaphores: a core's interrupts of those that become free. One that the core has not
    /// enabled, or that is pending already, does not count.
    Hsem,
}

/// What is lost of what is for one core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// On its way through what.
    pub channel: InterCoreChannel,
    /// The core that it is for, 0 or 1.
    pub to: usize,
    /// Which of what is for it.
    pub which: LossSelection,
    /// First cycle in which something can be lost.
    pub from: Cycle,
    /// The cycle from which on nothing is lost any more; `NEVER` if there is none.
    pub until: Cycle,
}

/// Which of the words or interrupts between two cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossSelection {
    /// Each with this probability from 0 to 1; another seed loses others at the same rate.
    Each {
        /// The probability.
        lose: f64,
        /// The seed.
        seed: u64,
    },
    /// One alone: the so-and-so-manyth, counted from 1.
    One(u64),
}

/// A loss, and how far it has come.
#[derive(Clone, Debug)]
struct ActiveLoss {
    loss: Loss,
    random: SplitMix64,
    /// What was to come in its time so far.
    count: u64,
}

impl ActiveLoss {
    /// Whether what comes next in its time is lost. As many numbers are drawn for each, whatever becomes of it.
    fn next(&mut self) -> bool {
        self.count += 1;
        match self.loss.which {
            LossSelection::Each { lose, .. } => self.random.happens(lose),
            LossSelection::One(one) => self.count == one,
        }
    }
}

/// The losses of a chip. What they hit depends on what came before, on nothing else.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    running: Vec<ActiveLoss>,
    /// By the core that it was for: how much was lost so far.
    lost: [u64; 2],
}

impl Losses {
    /// Has these losses from now on, instead of those there were. What was lost so far stays counted.
    pub fn set(&mut self, losses: impl IntoIterator<Item = Loss>) {
        let begin = |loss: Loss| {
            let seed = if let LossSelection::Each { seed, .. } = loss.which { seed } else { 0 };
            ActiveLoss { loss, random: SplitMix64(seed), count: 0 }
        };
        self.running = losses.into_iter().map(begin).collect();
    }

    /// Whether nothing is to be lost.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether what is for a core in cycle `now`, and would reach it, is lost.
    pub fn loses_next(&mut self, to: usize, now: Cycle) -> bool {
        let due =
            |running: &&mut ActiveLoss| running.loss.to == to && (running.loss.from..running.loss.until).contains(&now);
        // All that are due are asked: each counts everything.
        let lost = self.running.iter_mut().filter(due).fold(false, |lost, running| running.next() | lost);
        self.lost[to & 1] += u64::from(lost);
        lost
    }

    /// How much for a core was lost so far.
    pub fn lost(&self, to: usize) -> u64 {
        self.lost[to & 1]
    }
}

/// They are asked for from outside: no part of a chip's state.
impl Hash for Losses {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
