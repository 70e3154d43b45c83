//! What a core in a burst shares the chip with: nobody, the core that is to follow it, or the one that has led it.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::chip::bus::decoded::{CODE, Mark, WATCHED};
use crate::chip::bus::xip::Xip;
use crate::chip::bus::{Bus, Slave};
use crate::chip::clock::Cycle;
use crate::chip::cpu::burst::Company;
use crate::chip::cpu::burst::ledger::{FIRST, Ledger, NOBODY, NOTES, SLAVES};
use crate::chip::cpu::burst::native::Role;
use crate::chip::cpu::lane::Lane;

/// Marks of the sets of the flash cache have a bit for each way that the leader has read in a stretch, a bit that says that
/// the follower has read the same, one that says that the leader's reading has changed which way is the oldest, and above
/// them the number of the stretch.
const WAYS: u32 = 4;
const BOTH_WAYS: u32 = 3;
const FOLLOWED: u32 = 4;
const AGED: u32 = 8;

/// A core that is alone on the bus.
pub(super) struct Alone<'a> {
    pub ledger: &'a mut Ledger,
    pub end: u64,
}

impl Company for Alone<'_> {
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
    fn may_read(&mut self, mark: &mut Mark) -> bool {
        *mark < WATCHED
    }

    #[inline(always)]
    fn may_write(&mut self, mark: &mut Mark) -> bool {
        *mark < CODE
    }

    #[inline(always)]
    fn wrote(&mut self, _: u32, _: u32) {}

    #[inline(always)]
    fn may_hit(&mut self, _: u32, _: u32) -> bool {
        true
    }

    #[inline(always)]
    fn hits(&mut self, _: &Xip, _: u32, _: u32) {}

    const ROLE: Option<Role> = Some(Role::Alone);

    fn may_know(&mut self, _: u32, _: u32) -> bool {
        true
    }

    fn run_native(&mut self, (cycle, asked): &mut Self::Clock, run: impl FnOnce(&mut Ledger)) {
        let mut reached = FIRST;
        let room = (self.end - *cycle).min(NOTES as u64 / 2);
        self.ledger.lead(FIRST + room as u32);
        self.ledger.run_native(&mut reached, run);
        *cycle += u64::from(reached - FIRST);
        for (slave, led) in self.ledger.led.iter().enumerate() {
            *asked |= u32::from(*led != 0) << slave;
        }
    }
}

/// The core that runs ahead. Its time is the number of its next cycle.
pub(super) struct Leader<'a> {
    pub ledger: &'a mut Ledger,
    pub aged: &'a mut Vec<(usize, u8)>,
    pub ways: &'a mut [u32],
    pub stretch: u32,
}

impl Company for Leader<'_> {
    type Clock = u32;

    #[inline(always)]
    fn has_room(&self, cycle: u32, cycles: u32) -> bool {
        cycle + cycles <= self.ledger.end
    }

    #[inline(always)]
    fn ask(&mut self, cycle: u32, slave: Slave) -> u32 {
        // So that no slave of the follower's is the same as nobody.
        let noted = if slave == Slave::Internal { NOBODY } else { slave as u8 };
        self.ledger.note(cycle, noted);
        cycle + 1
    }

    #[inline(always)]
    fn may_read(&mut self, mark: &mut Mark) -> bool {
        *mark = (*mark).max(self.ledger.read);
        *mark < WATCHED
    }

    #[inline(always)]
    fn may_write(&mut self, mark: &mut Mark) -> bool {
        let may = *mark < CODE;
        if may {
            *mark = self.ledger.written;
        }
        may
    }

    #[inline(always)]
    fn wrote(&mut self, index: u32, old: u32) {
        self.ledger.keep(index, old);
    }

    #[inline(always)]
    fn may_hit(&mut self, address: u32, way: u32) -> bool {
        let seen = &mut self.ways[Xip::set(address)];
        if *seen >> WAYS != self.stretch {
            *seen = self.stretch << WAYS;
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

    fn relies_on_io(&mut self) {
        self.ledger.relies_on_io = true;
    }

    const ROLE: Option<Role> = Some(Role::Leader);

    fn run_native(&mut self, clock: &mut u32, run: impl FnOnce(&mut Ledger)) {
        self.ledger.run_native(clock, run);
    }
}

/// The core that goes through the same cycles after the leader. Its time is the number of the leader's cycle that is next;
/// it stays when the leader loses one to the follower.
pub(super) struct Follower<'a> {
    pub ledger: &'a mut Ledger,
    pub ways: &'a mut [u32],
    pub hit: &'a mut Vec<(usize, u8)>,
    pub stretch: u32,
    pub began: Cycle,
}

impl Follower<'_> {
    /// The cycle of the chip at a time of the follower's.
    pub fn now(&self, cycle: u32) -> Cycle {
        let waits: u32 = self.ledger.leader_lost.iter().sum();
        self.began + Cycle::from(cycle - FIRST + waits)
    }

    /// Whether it may have what a lane asks for.
    pub fn allows(&mut self, lane: &Lane, bus: &mut Bus) -> bool {
        let (address, place) = lane.place();
        if lane.slave == Slave::Xip {
            return self.may_hit(address, place);
        }
        let mark = *bus.memory.decoded.marks.of(place) & !WATCHED;
        if lane.writes() { mark < self.ledger.read } else { mark != self.ledger.written }
    }
}

impl Company for Follower<'_> {
    type Clock = u32;

    #[inline(always)]
    fn has_room(&self, cycle: u32, cycles: u32) -> bool {
        // In each of them it may wait once.
        cycle + 2 * cycles <= self.ledger.end
    }

    fn cycle(&self, cycle: u32) -> Option<Cycle> {
        Some(self.now(cycle))
    }

    #[inline(always)]
    fn ask(&mut self, cycle: u32, slave: Slave) -> u32 {
        if self.ledger.meets(cycle, slave) {
            return self.ledger.meet(cycle, slave);
        }
        self.ledger.followed[slave as usize & (SLAVES - 1)] = cycle;
        cycle + 1
    }

    #[inline(always)]
    fn ask_flash(&mut self, cycle: u32) -> u32 {
        self.ledger.meet(cycle, Slave::Xip)
    }

    #[inline(always)]
    fn may_read(&mut self, mark: &mut Mark) -> bool {
        *mark != self.ledger.written && *mark < WATCHED
    }

    #[inline(always)]
    fn may_write(&mut self, mark: &mut Mark) -> bool {
        *mark < self.ledger.read
    }

    #[inline(always)]
    fn wrote(&mut self, _: u32, _: u32) {}

    #[inline(always)]
    fn may_hit(&mut self, address: u32, way: u32) -> bool {
        let seen = self.ways[Xip::set(address)];
        seen >> WAYS != self.stretch || seen & BOTH_WAYS & !(1 << way) == 0
    }

    #[inline(always)]
    fn hits(&mut self, _: &Xip, address: u32, way: u32) {
        let set = Xip::set(address);
        let seen = &mut self.ways[set];
        // Only what the leader has read is taken back.
        if *seen >> WAYS == self.stretch && *seen & FOLLOWED == 0 {
            *seen |= FOLLOWED;
            self.hit.push((set, way as u8));
        }
    }

    fn may_know(&mut self, address: u32, way: u32) -> bool {
        let seen = self.ways[Xip::set(address)];
        let aged = seen >> WAYS == self.stretch && seen & AGED != 0;
        !aged && self.may_hit(address, way)
    }

    fn may_change_io(&self) -> bool {
        !self.ledger.relies_on_io
    }

    const ROLE: Option<Role> = Some(Role::Follower);

    fn run_native(&mut self, clock: &mut u32, run: impl FnOnce(&mut Ledger)) {
        self.ledger.run_native(clock, run);
    }
}
