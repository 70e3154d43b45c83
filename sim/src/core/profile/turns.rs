//! Turns of a busy wait that the simulator does not execute one by one: each is accounted for as the one that was recorded.

use crate::core::bus::Slave;
use crate::core::profile::{Access, Accessor, Profile};
use crate::core::time::Cycle;
use crate::core::watch::CoreEvent;
use std::ops::Range;

/// What a profile was told in a turn.
#[derive(Clone, Copy, Debug)]
pub(super) enum Told {
    Instruction { core: u8, now: Cycle, pc: u32, op: u32 },
    Loses { core: u8, now: Cycle, at: Access, cycles: Cycle, holder: u8 },
    Contend { now: Cycle, winner: u8, addresses: [u32; 2] },
    Waits { core: u8, now: Cycle, slave: Slave, cycles: Cycle },
    Conflicts { core: u8, now: Cycle, slave: Slave, cycles: Cycle },
    Reads { by: Accessor, now: Cycle, address: u32, value: u32 },
}

impl Profile {
    /// Keeps what it is told from now on, for `repeat`.
    pub(crate) fn begin_turns(&mut self) {
        self.told = Some(Vec::new());
    }

    /// How much it was told since then.
    pub(crate) fn told(&self) -> usize {
        self.told.as_ref().map_or(0, Vec::len)
    }

    /// No turn is recorded any more.
    pub(crate) fn end_turns(&mut self) {
        self.told = None;
    }

    /// Cores do the same again for a number of turns of `period` cycles each, of which the last one was just told.
    pub(crate) fn repeat(&mut self, turn: Range<usize>, turns: u64, period: Cycle) {
        let Some(told) = self.told.take() else { return };
        let told = told.get(turn).unwrap_or_default();
        // All turns are accounted for in the last one.
        let before = (turns - 1) * period;
        let mut busy = [false; 2];
        let mut locks = Vec::new();
        for one in told {
            match *one {
                Told::Instruction { core, .. } => busy[usize::from(core & 1)] = true,
                Told::Reads { by, address, .. } if !locks.contains(&(by.core, address)) => {
                    locks.push((by.core, address));
                }
                _ => {}
            }
        }
        for (core, _) in self.cores.iter_mut().zip(busy).filter(|(_, busy)| *busy) {
            core.until += before;
            core.calls.weight = turns;
        }
        for (core, address) in locks {
            self.contention.went_on_waiting(core, address, before);
        }
        self.contention.weight = turns;
        let later = turns * period;
        for one in told {
            match *one {
                Told::Instruction { core, now, pc, op } => self.instruction(core, now + later, pc, op),
                Told::Loses { core, now, at, cycles, holder } => self.loses(core, now + later, at, cycles, holder),
                Told::Contend { now, winner, addresses } => self.contend(now + later, winner, addresses),
                Told::Waits { core, now, slave, cycles } => {
                    self.event(core, now + later, CoreEvent::Waits(slave, cycles));
                }
                Told::Conflicts { core, now, slave, cycles } => {
                    self.event(core, now + later, CoreEvent::Conflicts(slave, cycles));
                }
                Told::Reads { by, now, address, value } => {
                    let _ = self.access(by, now + later, (address, 4), false, value);
                }
            }
        }
        for core in &mut self.cores {
            core.calls.weight = 1;
        }
        self.contention.weight = 1;
    }
}
