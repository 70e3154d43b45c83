//! Who goes next: always the one that is behind, and the arbiter between those who ask for one slave in one cycle.

#![allow(clippy::inline_always)] // the hot loop: measured, see examples/speed.rs

use crate::bus::{Bus, Slave};
use crate::clock::{Cycle, NEVER};
use crate::cpu::Core;

/// How far a core may go by itself: before `cycle` nobody else asks for anything; from then on and before `free`, the other
/// core asks for `taken`, once, and nothing else, so that anything else is free.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Horizon {
    pub cycle: Cycle,
    free: Cycle,
    taken: Slave,
}

impl Horizon {
    /// Not at all.
    pub const NOW: Self = Self { cycle: 0, free: 0, taken: Slave::Internal };

    /// How far one core may go beside the other. Nothing at all is done in the cycle of the limit: what happens there first
    /// is not known yet.
    #[inline(always)]
    fn of(other: &Core, limit: Cycle) -> Self {
        let cycle = other.t.min(limit);
        Self { cycle, free: (cycle + 1 + other.quiet).min(limit), taken: other.slave }
    }

    /// Whether an access to one of the four large banks of SRAM can be granted at cycle `now` at once.
    #[inline(always)]
    pub fn allows(self, now: Cycle, bank: u32) -> bool {
        now < self.cycle || (now < self.free && Slave::Sram0 as u32 + bank != self.taken as u32)
    }
}

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
