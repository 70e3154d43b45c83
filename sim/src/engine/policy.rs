//! What a core on the fast path shares the chip with: nobody, a core that will replay what it does, or one whose cycles it
//! replays.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::bus::Slave;
use crate::core::time::Cycle;
use crate::engine::access_tags::AccessTag;
use crate::engine::grant_log::BusGrantLog;
use crate::engine::native_context::Role;

/// What a core in a fast run shares the chip with. It also keeps account of time, in a `Clock` that the hot loop can hold in
/// registers.
pub(crate) trait PeerPolicy {
    /// The time.
    type Clock: Copy;
    /// Whether there is time for an instruction of so many cycles, waits not counted.
    fn has_room(&self, clock: Self::Clock, cycles: u32) -> bool;
    /// The core's next cycle, in which it asks for a slave, or for nothing (`Slave::INTERNAL`). The time behind it.
    fn ask(&mut self, clock: Self::Clock, slave: Slave) -> Self::Clock;
    /// The cycle of the chip at a time, where it is known: not for a core that runs ahead of the other one.
    fn cycle(&self, _: Self::Clock) -> Option<Cycle> {
        None
    }
    /// The same of the flash cache, which two cores that execute from flash ask for at once more often than not.
    #[inline(always)]
    fn ask_flash(&mut self, clock: Self::Clock, flash: Slave) -> Self::Clock {
        self.ask(clock, flash)
    }
    /// Whether a word of RAM with this tag may be read.
    fn may_read(&mut self, tag: &mut AccessTag) -> bool;
    /// Whether a word of RAM with this tag may be written.
    fn may_write(&mut self, tag: &mut AccessTag) -> bool;
    /// A word of RAM was written; what stood there before.
    fn wrote(&mut self, index: u32, old: u32);
    /// Whether a way of a set of the flash cache may be read.
    fn may_hit(&mut self, set: usize, way: u32) -> bool;
    /// A way of a set of the flash cache is about to be read; `was_lru` if that makes the other one the next to be replaced.
    fn hits(&mut self, set: usize, way: u32, was_lru: bool);
    /// A register of the I/O port was read that is the same for as long as nobody changes anything there.
    fn read_stable_io(&mut self) {}
    /// Whether something may be changed there.
    fn may_change_io(&self) -> bool {
        true
    }
    /// Which native code is for it, if any is.
    const ROLE: Option<Role> = None;
    /// Whether native code may read a way of the flash cache, the one of its set that was read last, without telling.
    fn may_know(&mut self, _: usize, _: u32) -> bool {
        false
    }
    /// Lets native code go on from a time, which it moves.
    fn run_native(&mut self, _: &mut Self::Clock, _: impl FnOnce(&mut BusGrantLog)) {}
}
