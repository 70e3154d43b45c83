//! What a core on the fast path shares the chip with: an idle core, one that will replay what it does, or one whose cycles it
//! replays.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::bus::Slave;
use crate::core::time::Cycle;
use crate::engine::access_tags::AccessTag;
use crate::engine::grant_log::BusGrantLog;
use crate::engine::native_context::Role;

/// How a core on the fast path shares the bus, memory and the flash cache with the other core. It keeps account of time in a
/// `Clock` that the hot loop can hold in registers.
pub(crate) trait PeerPolicy {
    /// A point in time of this core.
    type Clock: Copy;
    /// The native code for this policy; none if it has none.
    const ROLE: Option<Role> = None;
    /// Whether there is time for an instruction of so many cycles, waits not counted.
    fn has_room(&self, clock: Self::Clock, cycles: u32) -> bool;
    /// A cycle in which the core requests a slave, or none (`Slave::INTERNAL`). The time after it.
    fn request(&mut self, clock: Self::Clock, slave: Slave) -> Self::Clock;
    /// The same of the flash cache, which two cores that execute from flash request in the same cycle more often than not.
    #[inline(always)]
    fn request_flash(&mut self, clock: Self::Clock, flash: Slave) -> Self::Clock {
        self.request(clock, flash)
    }
    /// The cycle of the chip at a time; none for a core that speculates, which may still lose cycles.
    fn chip_cycle(&self, _: Self::Clock) -> Option<Cycle> {
        None
    }
    /// Whether a word of RAM with this tag may be read.
    fn may_read(&mut self, tag: &mut AccessTag) -> bool;
    /// Whether a word of RAM with this tag may be written.
    fn may_write(&mut self, tag: &mut AccessTag) -> bool;
    /// A word of RAM was written that held `old`.
    fn record_write(&mut self, index: u32, old: u32);
    /// Whether a way of a set of the flash cache may be read.
    fn may_hit(&mut self, set: usize, way: u32) -> bool;
    /// A way of a set of the flash cache is about to be read; `was_lru` if that makes the other one the next to be replaced.
    fn record_hit(&mut self, set: usize, way: u32, was_lru: bool);
    /// Whether native code may read the most recently used way of a set without recording the hit.
    fn may_treat_as_mru(&mut self, _: usize, _: u32) -> bool {
        false
    }
    /// A register of the I/O port was read whose value is stable for as long as no core writes there.
    fn read_stable_io(&mut self) {}
    /// Whether registers of the I/O port may be changed.
    fn may_change_io(&self) -> bool {
        true
    }
    /// Lets native code go on from a time, which it advances.
    fn run_native(&mut self, _: &mut Self::Clock, _: impl FnOnce(&mut BusGrantLog)) {}
}
