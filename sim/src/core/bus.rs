//! What a core asks of a chip's bus, what the bus answers, and who comes first.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::access::Width;
use crate::core::diagnostics::Diagnostics;
use crate::core::time::{Cycle, NEVER, Ticks};
use crate::core::watch::Watchpoints;

/// Who answers at an address: a downstream port of the bus, or one of the places that are not on it. A chip gives numbers
/// below [`Slave::SHARED`] to the ports that masters share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slave(pub u8);

impl Slave {
    /// Ports that masters share, at most.
    pub const SHARED: u8 = 10;
    /// The core's own single-cycle I/O port.
    pub const IO: Self = Self(10);
    /// The core's own private peripheral bus.
    pub const PRIVATE: Self = Self(11);
    /// No slave has this address.
    pub const NONE: Self = Self(12);
    /// Nothing is asked of the bus.
    pub const INTERNAL: Self = Self(13);
    /// How many numbers there are.
    pub const COUNT: usize = 14;

    /// All numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }

    /// Its number.
    #[inline(always)]
    #[must_use]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// Whether masters share it, one access at a time.
    #[inline(always)]
    #[must_use]
    pub const fn is_shared(self) -> bool {
        self.0 < Self::SHARED
    }
}

/// A slave's answer to an address phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Ask again in this cycle.
    Busy(Cycle),
    /// The data phase takes so many cycles; 1 without wait states.
    Takes(Cycle),
}

/// A bus error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault;

/// What cores have done that concerns more than themselves. The machine deals with it before any core goes on.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// There is something to deal with.
    pub touched: bool,
    /// When that came up.
    pub touched_at: Cycle,
    /// A peripheral's register was written.
    pub registers_written: bool,
    /// SEV, and its cycle.
    pub event: Option<Cycle>,
    /// A core asks the host for a service.
    pub host_call: Option<u8>,
    /// A core stands before an instruction at which it is to stop.
    pub breakpoint: Option<(u8, u32)>,
    /// A core asks for its reset.
    pub reset: Option<u8>,
    /// A core has locked up.
    pub locked_up: Option<u8>,
}

impl Requests {
    /// Something happened at cycle `now` that concerns more than the core that did it.
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

    /// A core asks the host for a service.
    pub fn ask_host(&mut self, core: u8) {
        self.host_call = Some(core);
        self.touched = true;
    }

    /// A core stops before the instruction at `pc`.
    pub fn stop_at_breakpoint(&mut self, core: u8, pc: u32) {
        self.breakpoint = Some((core, pc));
        self.touched = true;
    }

    /// A core asks for its reset.
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

/// Who gets a slave that several masters ask for: round robin among those of the same priority.
#[derive(Clone, Debug)]
pub struct Arbiter {
    /// Master last granted, by slave: the state of round robin.
    pub last: [u8; Slave::COUNT],
    /// First cycle in which a slave takes the next access after one with wait states.
    pub free_at: [Cycle; Slave::COUNT],
    /// The cycle of the last access without wait states of a master that asked by `begin`.
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
    /// A master gets a slave at once.
    #[inline(always)]
    pub fn grant(&mut self, master: u8, slave: Slave) {
        self.last[slave.number()] = master;
    }

    /// Which of the masters in the set `asking` (a bit each, 4 of them) gets the slave: those of high priority first, among
    /// equals the next in turn after the one last granted (that the turn goes 0, 1, 2, 3 and begins with 0 after reset is an
    /// assumption).
    #[must_use]
    pub fn arbitrate(&self, slave: Slave, asking: u8) -> u8 {
        let high = asking & self.priority;
        let asking = if high == 0 { asking } else { high };
        let first = self.last[slave.number()].wrapping_add(1) & 3;
        let turned = (asking >> first | asking << (4 - first)) & 15;
        (first + turned.trailing_zeros() as u8) & 3
    }

    /// Which core gets a slave (by number) that both ask for, if both have the same priority and no one else asks.
    #[must_use]
    pub fn arbitrate_cores(&self, slave: usize) -> u8 {
        u8::from(self.last.get(slave) == Some(&0))
    }

    /// The cycle in which a master may ask a slave again that is busy in cycle `now`; none if it has it now.
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

    /// The data phase of an access that begins in cycle `now` takes so many cycles.
    pub fn hold(&mut self, slave: Slave, now: Cycle, cycles: Cycle) {
        if cycles == 1 {
            self.taken_at[slave.number()] = now;
        } else {
            self.free_at[slave.number()] = now + cycles;
        }
    }
}

/// What the buses of all chips have.
#[derive(Clone, Debug, Default)]
pub struct Fabric {
    /// Who comes first.
    pub arbiter: Arbiter,
    /// What cores ask of the machine.
    pub requests: Requests,
    /// Probes, breakpoints, timeline.
    pub watch: Watchpoints,
    /// What firmware did that is not modelled.
    pub diagnostics: Diagnostics,
}

/// A chip's bus as its cores see it.
pub trait Bus: Clone + std::fmt::Debug {
    /// What all buses have.
    fn fabric(&self) -> &Fabric;

    /// The same, to change it.
    fn fabric_mut(&mut self) -> &mut Fabric;

    /// Which slave an address belongs to, and for memory without wait states the index of its word.
    fn locate(address: u32) -> (Slave, u32);

    /// Whether a slave is memory without wait states, whose words are reached by index.
    fn is_ram(slave: Slave) -> bool;

    /// Whether instructions may be fetched from an address of a slave.
    fn holds_code(slave: Slave, address: u32) -> bool;

    /// Whether a slave is a bridge to registers that takes several cycles for each access.
    fn is_bridge(slave: Slave) -> bool;

    /// Whether a read from an address takes data away.
    fn takes_data(address: u32) -> bool;

    /// Slave and place in it of a word that can be had in cycle `now` without wait states: the index of a word of RAM, or the
    /// way of a cache where a word to be read is.
    fn at_once(&self, address: u32, write: bool, now: Cycle) -> Option<(Slave, u32)>;

    /// Reads the word that `at_once` has found.
    fn read_at_once(&mut self, slave: Slave, address: u32, place: u32) -> u32;

    /// Reads a word of RAM by index.
    fn read_ram(&self, index: u32) -> u32;

    /// Stores to RAM by the index of a word.
    fn store_ram(&mut self, index: u32, address: u32, width: Width, value: u32);

    /// The address phase of an access to a slave that may be busy or slow, at cycle `now`.
    fn begin(&mut self, master: u8, slave: Slave, address: u32, write: bool, now: Cycle) -> Access;

    /// The data phase of a read. The word that holds `address`.
    ///
    /// # Errors
    /// If the slave refuses it.
    fn read(&mut self, slave: Slave, address: u32, now: Cycle) -> Result<u32, Fault>;

    /// The data phase of a write. `value` is on all lanes.
    ///
    /// # Errors
    /// If the slave refuses it.
    fn write(&mut self, slave: Slave, address: u32, value: u32, width: Width, now: Cycle) -> Result<(), Fault>;

    /// A core reads its I/O port.
    fn read_io(&mut self, core: u8, address: u32, now: Cycle) -> u32;

    /// A core writes its I/O port.
    fn write_io(&mut self, core: u8, address: u32, value: u32, now: Cycle);

    /// Notes an access to a core's I/O port that is narrower than it takes.
    fn note_narrow_io(&mut self, address: u32, now: Cycle);

    /// A word of memory without side effects; None where there is no memory.
    fn peek_word(&self, address: u32) -> Option<u32>;

    /// The ticks that a core's `SysTick` counts when its clock source is the reference.
    fn reference_ticks(&self) -> &Ticks;

    /// Whether performance counters are to hear of each access (`count`).
    fn counts(&self) -> bool;

    /// An access to a slave is granted; `contested` if it had to wait for another master. For the performance counters.
    fn count(&mut self, slave: Slave, contested: bool);
}
