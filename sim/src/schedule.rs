//! Who goes next: always the one that is behind, and the arbiter between those who ask for one slave in one cycle.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::bus::{Bus, Slave};
use crate::clock::{Cycle, NEVER};
use crate::cpu::exception::RECOGNITION;
use crate::cpu::{Core, Phase};

/// How far a core may go by itself. Before `cycle` nobody else does anything; from then on and before `free`, the other core
/// asks for `taken` and for nothing else; and before `known` nothing happens that could raise an interrupt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Horizon {
    pub cycle: Cycle,
    free: Cycle,
    known: Cycle,
    taken: Slave,
}

impl Horizon {
    /// How far one core may go beside the other. Nothing at all is done in the cycle of the limit: what happens there first
    /// is not known yet.
    #[inline(always)]
    fn of(other: &Core, limit: Cycle) -> Self {
        let cycle = other.t.min(limit);
        // No instruction begins in the cycle of the limit, so that all runs up to it end alike.
        let known = (cycle + other.ahead).min(limit - 1);
        // Whatever else is posted is all that happens in its cycle; what an instruction begins with is not known.
        let free = if other.phase == Phase::Start { cycle } else { known.max(cycle + 1).min(limit) };
        Self { cycle, free, known, taken: other.slave }
    }

    /// Whether an access to one of the four large banks of SRAM can be granted at cycle `now` at once.
    #[inline(always)]
    pub fn allows(self, now: Cycle, bank: u32) -> bool {
        now < self.cycle || (now < self.free && Slave::Sram0 as u32 + bank != self.taken as u32)
    }

    /// Whether all is known that decides about exceptions in an instruction boundary at cycle `now`: what was raised in
    /// earlier cycles (`RECOGNITION` is 1).
    #[inline(always)]
    pub fn knows(self, now: Cycle) -> bool {
        now <= self.known
    }

    /// The first cycle in which an instruction boundary is more than the next instruction.
    #[inline(always)]
    pub fn looks(self, attention: Cycle) -> Cycle {
        attention.min(self.known + 1)
    }
}

/// Lets cores that stand before an instruction in cycle `now`, before which all is known, begin it, so that what they ask for
/// in this cycle is known.
pub(crate) fn begin<const WATCH: bool>(cores: &mut [Core; 2], bus: &mut Bus, now: Cycle) {
    for core in cores {
        if core.t == now && core.phase == Phase::Start {
            core.advance::<WATCH>(bus, Horizon { cycle: now, free: now, known: now, taken: Slave::Internal });
        }
    }
}

const _: () = assert!(RECOGNITION == 1, "Horizon::knows");

/// Runs both cores up to, not including, cycle `limit`; returns early when the bus was touched in a way that may move the
/// limit or concern the other core.
pub(crate) fn run_cores<const WATCH: bool>(cores: &mut [Core; 2], bus: &mut Bus, limit: Cycle) {
    let [zero, one] = cores;
    // Room for a few cycles more than the end of time.
    let limit = limit.min(NEVER - 4);
    while !bus.touched {
        let (t0, t1) = (zero.t, one.t);
        // In one cycle core 0 comes first (DS 2.3.1.3 says so of SIO).
        if t0 <= t1 {
            if t0 >= limit {
                return;
            }
            if t0 == t1 && one.phase == Phase::Start {
                // What it asks for in this cycle is not known yet.
                one.advance::<WATCH>(bus, Horizon::of(zero, limit));
                continue;
            }
            if t0 == t1 && zero.slave == one.slave && zero.slave.is_shared() {
                let loser = if bus.arbitrate(zero.slave, 3) == 0 { &mut *one } else { &mut *zero };
                loser.lose_cycle::<WATCH>(bus);
                continue;
            }
            zero.advance::<WATCH>(bus, Horizon::of(one, limit));
        } else {
            if t1 >= limit {
                return;
            }
            one.advance::<WATCH>(bus, Horizon::of(zero, limit));
        }
    }
}
