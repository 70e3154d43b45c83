//! Who comes first at a downstream port (DS 2.1.1).

use crate::core::bus::Slave;
use crate::core::time::Cycle;
use crate::rp2350::bus::PORTS;
use crate::rp2350::bus::port::SHARED;
use std::hash::{Hash, Hasher};

/// Upstream ports: instructions and data of core 0, of core 1, and the two of DMA.
pub const MANAGERS: usize = 6;

/// See [`Arbiter::losers`].
pub type Losers = [[u8; 1 << PORTS]; MANAGERS];

/// Numbers that a port may have.
pub const PLACES: usize = 32;

/// Arbitration at all ports: those of high priority first; among equals the next in turn after the one served last. That the turn is
/// the order of the upstream ports, and begins with the first one, is an assumption.
#[derive(Clone, Debug)]
pub struct Arbiter {
    /// By port; behind those that are shared, it means nothing.
    pub(super) last: [u8; PLACES],
    /// First cycle in which a port takes the next access.
    free_at: [Cycle; SHARED],
    /// Managers of high priority, a bit each.
    high: u8,
    losers: Losers,
}

fn next(last: u8, asking: u8, high: u8) -> usize {
    let high = asking & high;
    let asking = u32::from(if high == 0 { asking } else { high });
    let first = (u32::from(last) + 1) % MANAGERS as u32;
    let turned = asking >> first | asking << (MANAGERS as u32 - first);
    (first + turned.trailing_zeros()) as usize % MANAGERS
}

fn losers(high: u8) -> Losers {
    let losers = |last: u8, asking: u8| if asking == 0 { 0 } else { asking & !(1 << next(last, asking, high)) };
    std::array::from_fn(|last| std::array::from_fn(|asking| losers(last as u8, asking as u8)))
}

impl Default for Arbiter {
    fn default() -> Self {
        Self { last: [MANAGERS as u8 - 1; PLACES], free_at: [0; SHARED], high: 0, losers: losers(0) }
    }
}

impl Arbiter {
    /// Takes over `BUS_PRIORITY`: a bit for each core, then for DMA reads and writes, four bits apart (DS 12.15.4).
    pub fn set_priorities(&mut self, register: u32) {
        let high = |bit: u32| register >> bit & 1 != 0;
        let cores = [high(0), high(0), high(4), high(4), high(8), high(12)];
        let high = cores.iter().enumerate().map(|(manager, &high)| u8::from(high) << manager).sum();
        if self.high != high {
            (self.high, self.losers) = (high, losers(high));
        }
    }

    /// Whether a port takes an access in cycle `now`.
    pub fn is_free(&self, port: usize, now: Cycle) -> bool {
        now >= self.free_at[port]
    }

    /// Which of the managers in the set `asking`, a bit each, which is not empty, a port serves next.
    pub fn next(&self, port: usize, asking: u8) -> usize {
        next(self.last[port], asking, self.high)
    }

    /// Which of those ports of cores that ask a port have to wait, by the manager that it has served last, and by who asks.
    pub fn losers(&self) -> &Losers {
        &self.losers
    }

    /// A port serves a manager for so many cycles.
    pub fn hold(&mut self, port: Slave, manager: usize, now: Cycle, cycles: Cycle) {
        self.serve(port, manager);
        if cycles > 1 {
            self.free_at[port.number()] = now + cycles;
        }
    }

    /// A port serves a manager in one cycle.
    #[inline(always)]
    pub fn serve(&mut self, port: Slave, manager: usize) {
        self.last[port.number() % PLACES] = manager as u8;
    }
}

impl Hash for Arbiter {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { last, free_at, high, losers: _ } = self;
        (&last[..SHARED], free_at, high).hash(hasher);
    }
}
