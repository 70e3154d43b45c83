//! What a core in a fast run shares the chip with: nobody, the core that is to follow it, or the one that has led it.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::time::Cycle;
use crate::engine::code_cache::{AccessTag, CODE, WATCHED};
use crate::engine::fast_path::PeerPolicy;
use crate::engine::grant_log::{BusGrantLog, FIRST, LOG_CYCLES, NO_SLAVE, SLAVES};
use crate::engine::native::Role;
use crate::isa::armv6m::pipeline::PipelineState;
use crate::rp2040::bus::xip::Xip;
use crate::rp2040::bus::{Bus, Slave};

/// Marks of the sets of the flash cache have a bit for each way that the speculative core has read in a quantum, a bit that says that
/// the replaying core has read the same, one that says that the speculative core's reading has changed which way is the oldest, and above
/// them the number of the quantum.
const WAYS: u32 = 4;
const BOTH_WAYS: u32 = 3;
const FOLLOWED: u32 = 4;
const AGED: u32 = 8;

/// A core that is alone on the bus.
pub(crate) struct Solo<'a> {
    pub log: &'a mut BusGrantLog,
    pub end: u64,
}

impl PeerPolicy for Solo<'_> {
    /// Cycles, and the slaves that were asked, a bit each.
    type Clock = (u64, u32);

    #[inline(always)]
    fn has_room(&self, (cycle, _): Self::Clock, cycles: u32) -> bool {
        cycle + u64::from(cycles) <= self.end
    }

    fn cycle(&self, (cycle, _): Self::Clock) -> Option<Cycle> {
        Some(cycle)
    }

    #[inline(always)]
    fn ask(&mut self, (cycle, asked): Self::Clock, slave: Slave) -> Self::Clock {
        (cycle + 1, asked | 1 << (slave as u32 & 31))
    }

    #[inline(always)]
    fn may_read(&mut self, tag: &mut AccessTag) -> bool {
        *tag < WATCHED
    }

    #[inline(always)]
    fn may_write(&mut self, tag: &mut AccessTag) -> bool {
        *tag < CODE
    }

    #[inline(always)]
    fn wrote(&mut self, _: u32, _: u32) {}

    #[inline(always)]
    fn may_hit(&mut self, _: u32, _: u32) -> bool {
        true
    }

    #[inline(always)]
    fn hits(&mut self, _: &Xip, _: u32, _: u32) {}

    const ROLE: Option<Role> = Some(Role::Solo);

    fn may_know(&mut self, _: u32, _: u32) -> bool {
        true
    }

    fn run_native(&mut self, (cycle, asked): &mut Self::Clock, run: impl FnOnce(&mut BusGrantLog)) {
        let mut reached = FIRST;
        let room = (self.end - *cycle).min(LOG_CYCLES as u64 / 2);
        self.log.speculate(FIRST + room as u32);
        self.log.run_native(&mut reached, run);
        *cycle += u64::from(reached - FIRST);
        for (slave, last_requested) in self.log.last_requested.iter().enumerate() {
            *asked |= u32::from(*last_requested != 0) << slave;
        }
    }
}

/// The core that runs ahead. Its time is the number of its next cycle.
pub(crate) struct Speculative<'a> {
    pub log: &'a mut BusGrantLog,
    pub aged: &'a mut Vec<(usize, u8)>,
    pub ways: &'a mut [u32],
    pub quantum: u32,
}

impl PeerPolicy for Speculative<'_> {
    type Clock = u32;

    #[inline(always)]
    fn has_room(&self, cycle: u32, cycles: u32) -> bool {
        cycle + cycles <= self.log.end
    }

    #[inline(always)]
    fn ask(&mut self, cycle: u32, slave: Slave) -> u32 {
        // So that no slave of the replaying core's is the same as nobody.
        let noted = if slave == Slave::Internal { NO_SLAVE } else { slave as u8 };
        self.log.record(cycle, noted);
        cycle + 1
    }

    #[inline(always)]
    fn may_read(&mut self, tag: &mut AccessTag) -> bool {
        *tag = (*tag).max(self.log.read);
        *tag < WATCHED
    }

    #[inline(always)]
    fn may_write(&mut self, tag: &mut AccessTag) -> bool {
        let may = *tag < CODE;
        if may {
            *tag = self.log.written;
        }
        may
    }

    #[inline(always)]
    fn wrote(&mut self, index: u32, old: u32) {
        self.log.keep(index, old);
    }

    #[inline(always)]
    fn may_hit(&mut self, address: u32, way: u32) -> bool {
        let seen = &mut self.ways[Xip::set(address)];
        if *seen >> WAYS != self.quantum {
            *seen = self.quantum << WAYS;
        }
        *seen |= 1 << way;
        true
    }

    #[inline(always)]
    fn hits(&mut self, xip: &Xip, address: u32, way: u32) {
        let (set, younger) = (Xip::set(address), way as u8);
        if xip.oldest(set) == younger {
            self.ways[set] |= AGED;
            self.aged.push((set, younger));
        }
    }

    fn may_know(&mut self, address: u32, way: u32) -> bool {
        self.may_hit(address, way)
    }

    fn read_stable_io(&mut self) {
        self.log.read_stable_io = true;
    }

    const ROLE: Option<Role> = Some(Role::Speculative);

    fn run_native(&mut self, clock: &mut u32, run: impl FnOnce(&mut BusGrantLog)) {
        self.log.run_native(clock, run);
    }
}

/// The core that goes through the same cycles after the speculative core. Its time is the number of the speculative core's cycle that is next;
/// it stays when the speculative core loses one to the replaying core.
pub(crate) struct Replaying<'a> {
    pub log: &'a mut BusGrantLog,
    pub ways: &'a mut [u32],
    pub hit: &'a mut Vec<(usize, u8)>,
    pub quantum: u32,
    pub began: Cycle,
}

impl Replaying<'_> {
    /// The cycle of the chip at a time of the replaying core's.
    pub fn now(&self, cycle: u32) -> Cycle {
        let waits: u32 = self.log.speculative_lost.iter().sum();
        self.began + Cycle::from(cycle - FIRST + waits)
    }

    /// Whether it may have what a pipeline asks for.
    pub fn allows(&mut self, pipeline: &PipelineState, bus: &mut Bus) -> bool {
        let (address, place) = pipeline.place();
        if pipeline.slave == Slave::Xip {
            return self.may_hit(address, place);
        }
        let tag = *bus.memory.decoded.tags.of(place) & !WATCHED;
        if pipeline.writes() { tag < self.log.read } else { tag != self.log.written }
    }
}

impl PeerPolicy for Replaying<'_> {
    type Clock = u32;

    #[inline(always)]
    fn has_room(&self, cycle: u32, cycles: u32) -> bool {
        // In each of them it may wait once.
        cycle + 2 * cycles <= self.log.end
    }

    fn cycle(&self, cycle: u32) -> Option<Cycle> {
        Some(self.now(cycle))
    }

    #[inline(always)]
    fn ask(&mut self, cycle: u32, slave: Slave) -> u32 {
        if self.log.collides(cycle, slave) {
            return self.log.collide(cycle, slave);
        }
        self.log.last_granted[slave as usize & (SLAVES - 1)] = cycle;
        cycle + 1
    }

    #[inline(always)]
    fn ask_flash(&mut self, cycle: u32) -> u32 {
        self.log.collide(cycle, Slave::Xip)
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
    fn wrote(&mut self, _: u32, _: u32) {}

    #[inline(always)]
    fn may_hit(&mut self, address: u32, way: u32) -> bool {
        let seen = self.ways[Xip::set(address)];
        seen >> WAYS != self.quantum || seen & BOTH_WAYS & !(1 << way) == 0
    }

    #[inline(always)]
    fn hits(&mut self, _: &Xip, address: u32, way: u32) {
        let set = Xip::set(address);
        let seen = &mut self.ways[set];
        // Only what the speculative core has read is taken back.
        if *seen >> WAYS == self.quantum && *seen & FOLLOWED == 0 {
            *seen |= FOLLOWED;
            self.hit.push((set, way as u8));
        }
    }

    fn may_know(&mut self, address: u32, way: u32) -> bool {
        let seen = self.ways[Xip::set(address)];
        let aged = seen >> WAYS == self.quantum && seen & AGED != 0;
        !aged && self.may_hit(address, way)
    }

    fn may_change_io(&self) -> bool {
        !self.log.read_stable_io
    }

    const ROLE: Option<Role> = Some(Role::Replaying);

    fn run_native(&mut self, clock: &mut u32, run: impl FnOnce(&mut BusGrantLog)) {
        self.log.run_native(clock, run);
    }
}
