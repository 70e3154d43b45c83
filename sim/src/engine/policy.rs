//! What a core on the fast path shares the chip with: an idle core, one that will replay what it does, or one whose cycles it
//! replays.

use crate::core::bus::Slave;
use crate::core::time::Cycle;
use crate::engine::access_tags::{AccessTag, STORES_WATCHED, WATCHED};
use crate::engine::cpu::{IoAccess, Request};
use crate::engine::fast_bus::{FastBus, FlashCache};
use crate::engine::grant_log::{BusGrantLog, FIRST, IoChange, LOG_CYCLES, NO_SLAVE, SLAVES};
use crate::engine::known_registers::NativeStore;
use crate::engine::mru_words::MruWords;

/// Which core native code is for: one of the two of a quantum, or one whose neighbour is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It runs ahead.
    Speculative,
    /// It goes through the same cycles afterwards.
    Replaying,
    /// Its neighbour is idle.
    Solo,
}

pub(crate) const ROLES: usize = 3;

impl Role {
    pub const ALL: [Self; ROLES] = [Self::Speculative, Self::Replaying, Self::Solo];
}

/// How a core on the fast path shares the bus, memory and the flash cache with the other core. It keeps account of time in a
/// `Clock` that the hot loop can hold in registers.
pub(crate) trait PeerPolicy {
    /// A point in time of this core.
    type Clock: Copy;
    /// The native code for this policy.
    const ROLE: Role;
    /// Whether all that the core does is noted for a profile.
    const TRACES: bool = false;
    /// The instruction at an address is about to begin, the one of this number that the core has begun. Its first halfword.
    #[inline(always)]
    fn begin(&mut self, _number: u64, _pc: u32, _half: impl FnOnce() -> u16, _clock: Self::Clock) {}
    /// The last instruction was not executed if it has this number.
    #[inline(always)]
    fn forget_unless_begun(&mut self, _number: u64) {}
    /// The core asks for an address in this cycle.
    #[inline(always)]
    fn ask_for(&mut self, _address: u32, _clock: Self::Clock) {}
    /// The cycle of the quantum at a time.
    fn cycle(&self, clock: Self::Clock) -> u32;
    /// The log of the quantum.
    fn log(&mut self) -> &mut BusGrantLog;
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
    /// A cycle of the chip, counted from the limit of the log on; none for a core that does not replay.
    fn distance_from_limit(&self, _: Cycle) -> Option<i32> {
        None
    }
    /// The cycle of the chip that is so many from the limit of the log on.
    fn cycle_at_distance(&self, _: i32) -> Cycle {
        0
    }
    /// The cycle of the quantum in which the other core next changes something at its I/O port.
    fn next_io_change(&self) -> u32 {
        u32::MAX
    }
    /// Whether a word of RAM with this tag may be read.
    fn may_read(&mut self, tag: &mut AccessTag) -> bool;
    /// Whether a word of RAM with this tag may be written.
    fn may_write(&mut self, tag: &mut AccessTag) -> bool;
    /// A word of RAM was written that held `old`.
    #[inline(always)]
    fn record_write(&mut self, _index: u32, _old: u32) {}
    /// Words of flash that are known to be most recently used.
    fn mru(&mut self) -> &mut MruWords;
    /// Whether a way of a set of the flash cache may be read.
    #[inline(always)]
    fn may_hit(&mut self, _set: usize, _way: u32) -> bool {
        true
    }
    /// A way of a set of the flash cache is about to be read; `was_lru` if that makes the other one the next to be replaced.
    #[inline(always)]
    fn record_hit(&mut self, _set: usize, _way: u32, _was_lru: bool) {}
    /// Whether native code may read the most recently used way of a set without recording the hit.
    fn may_treat_as_mru(&mut self, set: usize, way: u32) -> bool {
        self.may_hit(set, way)
    }
    /// Whether what cores share at their I/O ports may be read where these bits stand for it; it is about to be.
    fn may_read_io(&mut self, _shared: u64) -> bool {
        true
    }
    /// The same of changing it.
    fn may_change_io(&mut self, _shared: u64) -> bool {
        true
    }
    /// Whether the other core, which runs ahead, changes any of it.
    fn other_changes_io(&self, _shared: u64) -> bool {
        false
    }
    /// The core changes it now.
    fn record_io(&mut self, _address: u32, _value: Option<u32>, _clock: Self::Clock) {}
    /// Native code has changed it.
    fn record_native_store(&mut self, _: NativeStore) {}
    /// The core was granted a slave that the other one did not ask for in this quantum.
    fn note_grant(&mut self, _: Slave) {}
    /// The next change of it by the other core that is not made yet, if it comes before this time.
    fn pass_io_change(&mut self, _clock: Self::Clock) -> Option<IoChange> {
        None
    }
    /// Lets native code go on from a time, which it advances.
    fn run_native(&mut self, clock: &mut Self::Clock, run: impl FnOnce(&mut BusGrantLog));
}

// The tag of a set of the flash cache:
//
// | bits | meaning |
// |---|---|
// | 31 to 4 | the quantum that the other bits are of |
// | 3 | the speculative core's reading has changed which way is replaced next |
// | 2 | the replaying core has read the set, too |
// | 1, 0 | the speculative core has read that way |
const QUANTUM_SHIFT: u32 = 4;
const BOTH_WAYS: u32 = 3;
const REPLAYED: u32 = 4;
const LRU_CHANGED: u32 = 8;

/// Cycles that a core alone counts before it begins anew.
const SOLO_CYCLES: u32 = 1 << 20;

/// Cycles that a core may be alone before it is asked again.
pub(crate) const SOLO_LONGEST: Cycle = 1 << 30;

/// A core whose neighbour is idle.
pub(crate) struct Solo<'a> {
    pub log: &'a mut BusGrantLog,
    pub mru: &'a mut MruWords,
    pub began: Cycle,
    pub end: Cycle,
}

impl PeerPolicy for Solo<'_> {
    /// The cycle of the chip, and the slaves that were requested, a bit each.
    type Clock = (u64, u32);
    const ROLE: Role = Role::Solo;

    #[inline(always)]
    fn cycle(&self, (cycle, _): Self::Clock) -> u32 {
        (cycle - self.began) as u32 % SOLO_CYCLES + FIRST
    }

    fn log(&mut self) -> &mut BusGrantLog {
        self.log
    }

    #[inline(always)]
    fn has_room(&self, (cycle, _): Self::Clock, cycles: u32) -> bool {
        cycle + u64::from(cycles) <= self.end
    }

    fn chip_cycle(&self, (cycle, _): Self::Clock) -> Option<Cycle> {
        Some(cycle)
    }

    fn distance_from_limit(&self, cycle: Cycle) -> Option<i32> {
        Some(cycle.saturating_sub(self.began).min(SOLO_LONGEST) as i32)
    }

    fn cycle_at_distance(&self, from_limit: i32) -> Cycle {
        self.began.saturating_add_signed(from_limit.into())
    }

    #[inline(always)]
    fn request(&mut self, (cycle, asked): Self::Clock, slave: Slave) -> Self::Clock {
        (cycle + 1, asked | 1 << (slave.0 & 31))
    }

    #[inline(always)]
    fn mru(&mut self) -> &mut MruWords {
        self.mru
    }

    #[inline(always)]
    fn may_read(&mut self, tag: &mut AccessTag) -> bool {
        *tag < WATCHED
    }

    #[inline(always)]
    fn may_write(&mut self, tag: &mut AccessTag) -> bool {
        *tag < STORES_WATCHED
    }

    fn run_native(&mut self, clock: &mut Self::Clock, run: impl FnOnce(&mut BusGrantLog)) {
        let begun = self.cycle(*clock);
        let (cycle, asked) = clock;
        let mut reached = begun;
        let room = (self.end - *cycle).min(LOG_CYCLES as u64 / 2);
        self.log.speculate(begun + room as u32);
        // From there on, it counts the cycles since it began.
        self.log.limit = begun.wrapping_sub((*cycle - self.began) as u32);
        self.log.run_native(&mut reached, run);
        *cycle += u64::from(reached - begun);
        for (slave, last_requested) in self.log.last_requested.iter().enumerate() {
            *asked |= u32::from(*last_requested != 0) << slave;
        }
    }
}

/// The core that runs ahead. Its clock is the number of its next cycle in the quantum.
pub(crate) struct Speculative<'a> {
    pub log: &'a mut BusGrantLog,
    pub mru: &'a mut MruWords,
    pub lru_changes: &'a mut Vec<(usize, u8)>,
    pub ways: &'a mut [u32],
    pub quantum: u32,
}

impl PeerPolicy for Speculative<'_> {
    type Clock = u32;
    const ROLE: Role = Role::Speculative;

    #[inline(always)]
    fn cycle(&self, cycle: u32) -> u32 {
        cycle
    }

    #[inline(always)]
    fn log(&mut self) -> &mut BusGrantLog {
        self.log
    }

    #[inline(always)]
    fn has_room(&self, cycle: u32, cycles: u32) -> bool {
        cycle + cycles <= self.log.end
    }

    #[inline(always)]
    fn request(&mut self, cycle: u32, slave: Slave) -> u32 {
        // No request of the replaying core may match this.
        let noted = if slave == Slave::INTERNAL { NO_SLAVE } else { slave.0 };
        self.log.record(cycle, noted);
        cycle + 1
    }

    #[inline(always)]
    fn mru(&mut self) -> &mut MruWords {
        self.mru
    }

    #[inline(always)]
    fn may_read(&mut self, tag: &mut AccessTag) -> bool {
        *tag = (*tag).max(self.log.read);
        *tag < WATCHED
    }

    #[inline(always)]
    fn may_write(&mut self, tag: &mut AccessTag) -> bool {
        let may = *tag < STORES_WATCHED;
        if may {
            *tag = self.log.written;
        }
        may
    }

    #[inline(always)]
    fn record_write(&mut self, index: u32, old: u32) {
        self.log.record_overwrite(index, old);
    }

    #[inline(always)]
    fn may_hit(&mut self, set: usize, way: u32) -> bool {
        let seen = &mut self.ways[set];
        if *seen >> QUANTUM_SHIFT != self.quantum {
            *seen = self.quantum << QUANTUM_SHIFT;
        }
        *seen |= 1 << way;
        true
    }

    #[inline(always)]
    fn record_hit(&mut self, set: usize, way: u32, was_lru: bool) {
        if was_lru {
            self.ways[set] |= LRU_CHANGED;
            self.lru_changes.push((set, way as u8));
        }
    }

    fn may_read_io(&mut self, shared: u64) -> bool {
        let may = self.log.io_contended & shared == 0;
        self.log.io_read |= if may { shared } else { 0 };
        may
    }

    fn may_change_io(&mut self, shared: u64) -> bool {
        let may = self.log.io_contended & shared == 0;
        self.log.io_changed |= if may { shared } else { 0 };
        may
    }

    fn record_io(&mut self, address: u32, value: Option<u32>, cycle: u32) {
        self.log.io_changes.push(IoChange { cycle, address, value });
    }

    fn record_native_store(&mut self, NativeStore { cycle, address, value, .. }: NativeStore) {
        self.record_io(address, Some(value), cycle);
    }

    fn run_native(&mut self, clock: &mut u32, run: impl FnOnce(&mut BusGrantLog)) {
        self.log.run_native(clock, run);
    }
}

/// The core that replays the quantum. Its clock is the number of the speculative core's next cycle, which stays the same when
/// the speculative core loses a cycle to this one.
pub(crate) struct Replaying<'a> {
    pub log: &'a mut BusGrantLog,
    pub mru: &'a mut MruWords,
    pub ways: &'a mut [u32],
    pub hit: &'a mut Vec<(usize, u8)>,
    pub quantum: u32,
    pub began: Cycle,
}

impl Replaying<'_> {
    /// The cycle of the chip in which it is at `cycle` of the quantum.
    pub fn now(&self, cycle: u32) -> Cycle {
        // The limit comes a cycle earlier for each one that the speculative core loses.
        self.began + Cycle::from(self.log.time) - Cycle::from(self.log.limit) + Cycle::from(cycle)
    }

    /// Whether the core may access its I/O port in lock-step, in `cycle`, while it makes a request of the bus.
    pub fn allows_io<B: FastBus>(
        &mut self,
        (core, io): (u8, IoAccess),
        request: Request,
        cycle: u32,
        bus: &mut B,
    ) -> bool {
        if request.slave != Slave::NONE && !self.allows(request, bus) {
            return false;
        }
        while let Some(change) = self.pass_io_change(cycle) {
            change.make(bus, core ^ 1);
        }
        let only_reads = !io.writes && bus.read_stable_io(core, io.address).is_some();
        only_reads || bus.is_event_free_io(io.address) && self.may_change_io(B::shared_io(io.address))
    }

    /// Whether a request commutes with what the speculative core has done in this quantum.
    #[inline(always)]
    pub fn allows<B: FastBus>(&mut self, request: Request, bus: &mut B) -> bool {
        if request.slave == B::MEMORY.flash_slave {
            if self.mru.has(request.address) {
                return true;
            }
            let set = B::Cache::set_of(request.address);
            if self.log.contended.number::<B::Cache>(request.address).is_some() {
                return true;
            }
            let may = self.may_hit(set, request.place) && !self.mru.was_read(bus.cache().line(set, request.place ^ 1));
            self.log.contended.refused = (!may).then_some(request.address);
            return may;
        }
        let tag = *bus.tags().of(request.place) & !WATCHED;
        if request.writes { tag < self.log.read } else { tag != self.log.written }
    }
}

impl PeerPolicy for Replaying<'_> {
    type Clock = u32;
    const ROLE: Role = Role::Replaying;

    #[inline(always)]
    fn cycle(&self, cycle: u32) -> u32 {
        cycle
    }

    #[inline(always)]
    fn log(&mut self) -> &mut BusGrantLog {
        self.log
    }

    #[inline(always)]
    fn has_room(&self, cycle: u32, cycles: u32) -> bool {
        // It may wait once in each of them.
        cycle + 2 * cycles <= self.log.end
    }

    fn chip_cycle(&self, cycle: u32) -> Option<Cycle> {
        Some(self.now(cycle))
    }

    #[inline(always)]
    fn request(&mut self, cycle: u32, slave: Slave) -> u32 {
        if self.log.collides(cycle, slave) {
            return self.log.collide(cycle, slave);
        }
        self.log.last_granted[slave.number() & (SLAVES - 1)] = cycle;
        cycle + 1
    }

    #[inline(always)]
    fn request_flash(&mut self, cycle: u32, flash: Slave) -> u32 {
        self.log.collide(cycle, flash)
    }

    #[inline(always)]
    fn mru(&mut self) -> &mut MruWords {
        self.mru
    }

    #[inline(always)]
    fn may_read(&mut self, tag: &mut AccessTag) -> bool {
        *tag != self.log.written && *tag < WATCHED
    }

    #[inline(always)]
    fn may_write(&mut self, tag: &mut AccessTag) -> bool {
        *tag < self.log.read
    }

    #[inline(always)]
    fn may_hit(&mut self, set: usize, way: u32) -> bool {
        let seen = self.ways[set];
        seen >> QUANTUM_SHIFT != self.quantum || seen & BOTH_WAYS & !(1 << way) == 0
    }

    #[inline(always)]
    fn record_hit(&mut self, set: usize, way: u32, _: bool) {
        let seen = &mut self.ways[set];
        // Only sets that the speculative core has read are rolled back.
        if *seen >> QUANTUM_SHIFT == self.quantum && *seen & REPLAYED == 0 {
            *seen |= REPLAYED;
            self.hit.push((set, way as u8));
        }
    }

    fn may_treat_as_mru(&mut self, set: usize, way: u32) -> bool {
        let seen = self.ways[set];
        let lru_changes = seen >> QUANTUM_SHIFT == self.quantum && seen & LRU_CHANGED != 0;
        !lru_changes && self.may_hit(set, way)
    }

    fn may_change_io(&mut self, shared: u64) -> bool {
        self.log.io_refused |= shared & self.log.io_changed;
        shared & (self.log.io_read | self.log.io_changed) == 0
    }

    fn other_changes_io(&self, shared: u64) -> bool {
        shared & self.log.io_changed != 0
    }

    fn distance_from_limit(&self, cycle: Cycle) -> Option<i32> {
        let from_limit = i128::from(cycle) - i128::from(self.began) - i128::from(self.log.time);
        Some(from_limit.clamp(i32::MIN.into(), i32::MAX.into()) as i32)
    }

    fn cycle_at_distance(&self, from_limit: i32) -> Cycle {
        (self.began + Cycle::from(self.log.time)).saturating_add_signed(from_limit.into())
    }

    fn note_grant(&mut self, slave: Slave) {
        self.log.note_grant(FIRST, slave);
    }

    fn next_io_change(&self) -> u32 {
        self.log.io_changes.get(self.log.io_passed).map_or(u32::MAX, |change| change.cycle)
    }

    fn pass_io_change(&mut self, cycle: u32) -> Option<IoChange> {
        self.log.pass_io_change(cycle)
    }

    fn run_native(&mut self, clock: &mut u32, run: impl FnOnce(&mut BusGrantLog)) {
        self.log.run_native(clock, run);
    }
}
