//! A core's interface to a chip's bus, and arbitration between masters.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::access::Width;
use crate::core::diagnostics::Diagnostics;
use crate::core::time::{Cycle, NEVER, Ticks};
use crate::core::watch::Watchpoints;

/// The slave at an address: a downstream port of the bus, or one of the pseudo-slaves below. A chip numbers the ports that
/// masters share from 0 to [`Slave::SHARED`] - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slave(pub u8);

impl Slave {
    /// Ports that masters share, at most.
    pub const SHARED: u8 = 10;
    /// The core's own single-cycle I/O port.
    pub const IO: Self = Self(10);
    /// The core's own private peripheral bus.
    pub const PRIVATE: Self = Self(11);
    /// No slave at this address.
    pub const NONE: Self = Self(12);
    /// No bus access.
    pub const INTERNAL: Self = Self(13);
    /// Numbers of slaves, at most.
    pub const COUNT: usize = 16;

    /// All slaves.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// Its number.
    #[inline(always)]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Whether masters share it, one access at a time.
    #[inline(always)]
    pub const fn is_shared(self) -> bool {
        self.0 < Self::SHARED
    }
}

/// A slave's answer to an address phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Busy: retry in this cycle.
    Busy(Cycle),
    /// Cycles of the data phase; 1 without wait states.
    Takes(Cycle),
}

/// A bus error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault;

/// Requests of the cores to the machine, which handles them before any core continues.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// There are requests.
    pub touched: bool,
    /// Cycle of the last request.
    pub touched_at: Cycle,
    /// A peripheral's register was written.
    pub registers_written: bool,
    /// SEV, and its cycle.
    pub event: Option<Cycle>,
    /// A core requests a semihosting service.
    pub host_call: Option<u8>,
    /// A core is at a breakpoint: core and address.
    pub breakpoint: Option<(u8, u32)>,
    /// A core requests its reset.
    pub reset: Option<u8>,
    /// A core has locked up.
    pub locked_up: Option<u8>,
}

impl Requests {
    /// Requests attention of the machine at cycle `now`.
    #[inline]
    pub fn touch(&mut self, now: Cycle) {
        self.touched = true;
        self.touched_at = now;
    }

    /// SEV at cycle `now`.
    pub fn send_event(&mut self, now: Cycle) {
        self.event = Some(now);
        self.touch(now);
    }

    /// A core requests a semihosting service.
    pub fn ask_host(&mut self, core: u8) {
        self.host_call = Some(core);
        self.touched = true;
    }

    /// A core stops before the instruction at `pc`.
    pub fn stop_at_breakpoint(&mut self, core: u8, pc: u32) {
        self.breakpoint = Some((core, pc));
        self.touched = true;
    }

    /// A core requests its reset.
    pub fn reset(&mut self, core: u8) {
        self.reset = Some(core);
        self.touched = true;
    }

    /// A core has locked up.
    pub fn lock_up(&mut self, core: u8) {
        self.locked_up = Some(core);
        self.touched = true;
    }
}

/// Arbitration of slaves that several masters request: round robin among masters of equal priority.
#[derive(Clone, Debug)]
pub struct Arbiter {
    /// Master last granted, by slave: the state of round robin.
    pub last: [u8; Slave::COUNT],
    /// First cycle in which a slave takes the next access after one with wait states.
    pub free_at: [Cycle; Slave::COUNT],
    /// The cycle of the last access without wait states that `begin` granted.
    taken_at: [Cycle; Slave::COUNT],
    /// Masters of high priority, a bit each.
    pub priority: u8,
}

impl Default for Arbiter {
    fn default() -> Self {
        Self { last: [3; Slave::COUNT], free_at: [0; Slave::COUNT], taken_at: [NEVER; Slave::COUNT], priority: 0 }
    }
}

impl Arbiter {
    /// Grants a slave to a master without contention.
    #[inline(always)]
    pub fn grant(&mut self, master: u8, slave: Slave) {
        self.last[slave.number()] = master;
    }

    /// Which of the masters in the set `asking` (a bit each, 4 of them) gets the slave: those of high priority first, among
    /// equals the next in turn after the one last granted (that the turn goes 0, 1, 2, 3 and begins with 0 after reset is an
    /// assumption).
    pub fn arbitrate(&self, slave: Slave, asking: u8) -> u8 {
        let high = asking & self.priority;
        let asking = if high == 0 { asking } else { high };
        let first = self.last[slave.number()].wrapping_add(1) & 3;
        let turned = (asking >> first | asking << (4 - first)) & 15;
        (first + turned.trailing_zeros() as u8) & 3
    }

    /// The core that is granted a slave (by number) that both request, with equal priorities and no other master.
    pub fn arbitrate_cores(&self, slave: usize) -> u8 {
        u8::from(self.last.get(slave) == Some(&0))
    }

    /// The cycle in which a master retries a slave that is busy in cycle `now`; none if it is granted now.
    pub fn wait_for(&mut self, master: u8, slave: Slave, now: Cycle) -> Option<Cycle> {
        if !slave.is_shared() {
            return None;
        }
        let taken = self.taken_at[slave.number()] == now;
        let free_at = if taken { now + 1 } else { self.free_at[slave.number()] };
        if now < free_at {
            return Some(free_at);
        }
        self.last[slave.number()] = master;
        None
    }

    /// Forgets in which cycle a slave was taken: of those who are left, nobody asks for it in that cycle.
    pub fn release(&mut self, slave: Slave) {
        self.taken_at[slave.number()] = NEVER;
    }

    /// Occupies a slave for a data phase of `cycles` that begins in cycle `now`.
    pub fn hold(&mut self, slave: Slave, now: Cycle, cycles: Cycle) {
        if cycles == 1 {
            self.taken_at[slave.number()] = now;
        } else {
            self.free_at[slave.number()] = now + cycles;
        }
    }
}

/// State that the buses of all chips have.
#[derive(Clone, Debug, Default)]
pub struct Fabric {
    /// Arbitration.
    pub arbiter: Arbiter,
    /// Requests of the cores.
    pub requests: Requests,
    /// Probes, breakpoints, timeline.
    pub watch: Watchpoints,
    /// Diagnostics of firmware.
    pub diagnostics: Diagnostics,
    /// Reads of registers until the engine returns to the machine, which then looks for a busy wait; 0 or less if that is now.
    pub(crate) reads_left: i64,
}

impl Fabric {
    /// A register was read.
    #[inline(always)]
    pub(crate) fn count_register_read(&mut self) {
        self.reads_left -= 1;
    }

    /// So many were.
    pub(crate) fn count_register_reads(&mut self, reads: u32) {
        self.reads_left -= i64::from(reads);
    }
}

/// A chip's bus as its cores see it.
pub trait Bus: Clone + std::fmt::Debug {
    /// The common state.
    fn fabric(&self) -> &Fabric;

    /// The common state.
    fn fabric_mut(&mut self) -> &mut Fabric;

    /// Which slave an address belongs to, and for memory without wait states the index of its word.
    fn locate(address: u32) -> (Slave, u32);

    /// Whether a slave is memory without wait states, whose words are reached by index.
    fn is_ram(slave: Slave) -> bool;

    /// Whether instructions may be fetched from an address of a slave.
    fn holds_code(slave: Slave, address: u32) -> bool;

    /// Whether a slave is a bridge to registers that takes several cycles for each access.
    fn is_bridge(slave: Slave) -> bool;

    /// Whether a read from an address has the side effect of consuming data.
    fn has_read_side_effect(address: u32) -> bool;

    /// The slave of a word that is accessible in cycle `now` without wait states, and its index in RAM or its way in a cache.
    fn at_once(&self, address: u32, write: bool, now: Cycle) -> Option<(Slave, u32)>;

    /// Reads the word that `at_once` has found.
    fn read_at_once(&mut self, slave: Slave, address: u32, place: u32) -> u32;

    /// Reads a word of RAM by index.
    fn read_ram(&self, index: u32) -> u32;

    /// Stores to RAM by the index of a word.
    fn store_ram(&mut self, index: u32, address: u32, width: Width, value: u32);

    /// The address phase of an access to a slave that may be busy or slow, at cycle `now`.
    fn begin(&mut self, master: u8, slave: Slave, address: u32, write: bool, now: Cycle) -> Access;

    /// Whether an address of a slave is read through a cache.
    fn is_cached(_slave: Slave, _address: u32) -> bool {
        false
    }

    /// Nobody wants to know of stores to a word of RAM any more.
    fn unwatch(&mut self, _address: u32) {}

    /// Whether the memory behind a cache can be read in cycle `now`.
    fn is_cache_filled(&self, _now: Cycle) -> bool {
        true
    }

    /// The address of the line of a cache that a read from an address would replace; none if it is a hit, or replaces none.
    fn line_replaced_for(&self, _address: u32) -> Option<u32> {
        None
    }

    /// The data phase of a read. The word that holds `address`.
    ///
    /// # Errors
    /// If the slave answers with a bus error.
    fn read(&mut self, slave: Slave, address: u32, now: Cycle) -> Result<u32, Fault>;

    /// The data phase of a write. `value` is on all lanes.
    ///
    /// # Errors
    /// If the slave answers with a bus error.
    fn write(&mut self, slave: Slave, address: u32, value: u32, width: Width, now: Cycle) -> Result<(), Fault>;

    /// A core reads its I/O port.
    fn read_io(&mut self, core: u8, address: u32, now: Cycle) -> u32;

    /// A core writes its I/O port.
    fn write_io(&mut self, core: u8, address: u32, value: u32, now: Cycle);

    /// Notes a write to a core's I/O port that is narrower than a register.
    fn note_narrow_io(&mut self, address: u32, now: Cycle);

    /// A word of memory without side effects; None where there is no memory.
    fn peek_word(&self, address: u32) -> Option<u32>;

    /// The ticks that a core's `SysTick` counts when its clock source is the reference.
    fn reference_ticks(&self) -> &Ticks;

    /// Whether performance counters are enabled (`count`).
    fn counts(&self) -> bool;

    /// An access to a slave is granted; `contested` if it had to wait for another master. For the performance counters.
    fn count(&mut self, slave: Slave, contested: bool);
}
