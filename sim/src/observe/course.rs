//! What both cores do from cycle to cycle: for a window of a run that is short and matters, as the wait for an answer that
//! came late.

use crate::core::bus::Slave;
use crate::core::chip::{CORES, Chip};
use crate::core::profile::Activity;
use crate::core::statistics::Statistics;
use crate::core::time::Cycle;

/// What cycles of a core were lost to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Another master had the slave.
    Conflict(Slave),
    /// Wait states of the slave.
    Wait(Slave),
}

/// Cycles in a row in which a core did one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The core.
    pub core: u8,
    /// The first cycle.
    pub begin: Cycle,
    /// How many, at least one.
    pub cycles: Cycle,
    /// The node of the profile's tree of calls.
    pub node: usize,
    /// Whether the core executes, enters or leaves an exception, sleeps, or is off.
    pub activity: Activity,
    /// What the cycles were lost to, if they were.
    pub lost: Option<Lost>,
    /// How many losses began in it: misses of the flash cache, for example.
    pub losses: u64,
}

/// Losses of a core that it was told of at once, and whose cycles go by one after the other.
#[derive(Clone, Debug)]
struct Owed {
    conflicts: [Cycle; Slave::COUNT],
    waits: [Cycle; Slave::COUNT],
}

/// See the module. The chip records a profile meanwhile, and is run a cycle at a time.
#[derive(Clone, Debug)]
pub struct Course {
    /// By core, in the order of time, with no gap.
    pub stretches: [Vec<Stretch>; CORES],
    before: [Statistics; CORES],
    owed: [Owed; CORES],
}

impl Course {
    /// Begins now.
    pub fn new(chip: &impl Chip) -> Self {
        let nothing = Owed { conflicts: [0; Slave::COUNT], waits: [0; Slave::COUNT] };
        Self {
            stretches: [const { Vec::new() }; CORES],
            before: [0, 1].map(|core| chip.statistics(core)),
            owed: [nothing.clone(), nothing],
        }
    }

    /// The chip has gone on by a cycle, up to now.
    pub fn pass(&mut self, chip: &impl Chip) {
        let Some(profile) = &chip.watch().profile else { return };
        for core in 0..CORES {
            let now = chip.statistics(core);
            let before = std::mem::replace(&mut self.before[core], now);
            let (losses, lost) = self.owed[core].next(&before, &self.before[core]);
            let (node, activity) = profile.cores[core].doing();
            let begin = chip.now() - 1;
            match self.stretches[core].last_mut() {
                Some(open) if (open.node, open.activity, open.lost) == (node, activity, lost) => {
                    open.cycles += 1;
                    open.losses += losses;
                }
                _ => {
                    self.stretches[core].push(Stretch {
                        core: core as u8,
                        begin,
                        cycles: 1,
                        node,
                        activity,
                        lost,
                        losses,
                    });
                }
            }
        }
    }
}

impl Owed {
    /// Adds what a core lost between two looks: how many losses began, and what the cycle in between was lost to.
    fn next(&mut self, before: &Statistics, now: &Statistics) -> (u64, Option<Lost>) {
        let mut losses = 0;
        let mut first = None;
        for number in 0..Slave::COUNT {
            let slave = Slave(number as u8);
            let more = [now.conflicts[number] - before.conflicts[number], now.waits[number] - before.waits[number]];
            losses += u64::from(more[0] != 0) + u64::from(more[1] != 0);
            self.conflicts[number] += more[0];
            self.waits[number] += more[1];
            // A conflict comes before the wait states of the same access.
            if first.is_none() && self.conflicts[number] != 0 {
                first = Some(Lost::Conflict(slave));
            }
        }
        let waits = (0..Slave::COUNT).find(|&number| self.waits[number] != 0);
        let first = first.or_else(|| waits.map(|number| Lost::Wait(Slave(number as u8))));
        match first {
            Some(Lost::Conflict(slave)) => self.conflicts[slave.number()] -= 1,
            Some(Lost::Wait(slave)) => self.waits[slave.number()] -= 1,
            None => {}
        }
        (losses, first)
    }
}
