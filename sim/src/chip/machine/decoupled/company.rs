//! What a core in a burst shares the chip with: nobody, the core that is to follow it, or the one that has led it.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::chip::bus::decoded::{CODE, Mark, WATCHED};
use crate::chip::bus::xip::Xip;
use crate::chip::bus::{Bus, Slave};
use crate::chip::clock::Cycle;
use crate::chip::cpu::burst::Company;
use crate::chip::cpu::lane::Lane;

/// Number of the first cycle of a stretch. Those before say who was last granted a slave before it began.
pub(super) const FIRST: u32 = 2;
/// Room for the notes of a stretch: a power of two, so that an index needs no check.
pub(super) const NOTES: usize = 4096;
/// Room for what is kept by slave, likewise.
pub(super) const SLAVES: usize = 16;
/// In the notes: nobody was asked.
pub(super) const NOBODY: Note = 15;
/// Marks of the sets of the flash cache have a bit for each way that the leader has read in a stretch, a bit that says that
/// the follower has read the same, and above them the number of the stretch.
const WAYS: u32 = 3;
const FOLLOWED: u32 = 4;

/// What the leader did in a cycle: the number of the slave that it asked, in four bits, and the cycle in which it had asked the
/// same one before, in twelve; 0 if not in this stretch.
pub(super) type Note = u16;

/// Whether a note says that a slave was asked.
#[inline(always)]
pub(super) fn asked(note: Note, slave: Slave) -> bool {
    note & 15 == slave as Note
}

/// A core that is alone on the bus.
pub(super) struct Alone {
    pub end: u64,
}

impl Company for Alone {
    /// Cycles, and the slaves that were asked, a bit each.
    type Clock = (u64, u32);

    #[inline(always)]
    fn has_room(&self, (cycle, _): Self::Clock, cycles: u32) -> bool {
        cycle + u64::from(cycles) <= self.end
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
}

/// The core that runs ahead. Its time is the number of its next cycle, and the slaves that it has asked, a bit each.
pub(super) struct Leader<'a> {
    pub end: u32,
    pub notes: &'a mut [Note; NOTES],
    /// By slave, the cycle in which it was last asked.
    pub last: [Note; SLAVES],
    /// Marks of words that it reads and writes.
    pub read: Mark,
    pub written: Mark,
    pub overwritten: &'a mut Vec<(u32, u32)>,
    pub aged: &'a mut Vec<(usize, u8)>,
    pub ways: &'a mut [u32],
    pub stretch: u32,
}

impl Company for Leader<'_> {
    type Clock = (u32, u32);

    #[inline(always)]
    fn has_room(&self, (cycle, _): Self::Clock, cycles: u32) -> bool {
        cycle + cycles <= self.end
    }

    #[inline(always)]
    fn ask(&mut self, (cycle, asked): Self::Clock, slave: Slave) -> Self::Clock {
        // So that no slave of the follower's is the same as nobody.
        let noted = if slave == Slave::Internal { NOBODY } else { slave as Note };
        let last = &mut self.last[noted as usize & (SLAVES - 1)];
        self.notes[cycle as usize & (NOTES - 1)] = *last << 4 | noted;
        *last = cycle as Note;
        (cycle + 1, asked | 1 << (slave as u32 & 31))
    }

    #[inline(always)]
    fn may_read(&mut self, mark: &mut Mark) -> bool {
        *mark = (*mark).max(self.read);
        *mark < WATCHED
    }

    #[inline(always)]
    fn may_write(&mut self, mark: &mut Mark) -> bool {
        let may = *mark < CODE;
        if may {
            *mark = self.written;
        }
        may
    }

    #[inline(always)]
    fn wrote(&mut self, index: u32, old: u32) {
        self.overwritten.push((index, old));
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
            self.aged.push((set, younger));
        }
    }
}

/// The core that goes through the same cycles after the leader. Its time is the number of the leader's cycle that is next;
/// it stays when the leader loses one to the follower.
pub(super) struct Follower<'a> {
    pub end: u32,
    pub notes: &'a [Note; NOTES],
    /// By slave, the cycle in which the follower last had it. Before the first: whether it was the one who had it.
    pub last: [u32; SLAVES],
    pub read: Mark,
    pub written: Mark,
    /// By slave, cycles that each has lost to the other.
    pub lost: [u32; SLAVES],
    pub leader_lost: [u32; SLAVES],
    pub ways: &'a mut [u32],
    pub hit: &'a mut Vec<(usize, u8)>,
    pub stretch: u32,
    pub began: Cycle,
}

impl Follower<'_> {
    /// The cycle of the chip at a time of the follower's.
    pub fn now(&self, cycle: u32) -> Cycle {
        let waits: u32 = self.leader_lost.iter().sum();
        self.began + Cycle::from(cycle - FIRST + waits)
    }

    /// Whether it may have what a lane asks for.
    pub fn allows(&mut self, lane: &Lane, bus: &mut Bus) -> bool {
        let (address, place) = lane.place();
        if lane.slave == Slave::Xip {
            return self.may_hit(address, place);
        }
        let mark = *bus.memory.decoded.marks.of(place) & !WATCHED;
        if lane.writes() { mark < self.read } else { mark != self.written }
    }

    #[inline(always)]
    pub fn meets(&self, cycle: u32, slave: Slave) -> bool {
        asked(self.notes[cycle as usize & (NOTES - 1)], slave)
    }

    /// Whether it waits for the leader, in a cycle in which both ask for the same slave: equals take turns
    /// (`Bus::arbitrate`), so the one that had it last does.
    #[inline(always)]
    pub fn waits(&self, cycle: u32, slave: Slave) -> bool {
        self.last[slave as usize & (SLAVES - 1)] > u32::from(self.notes[cycle as usize & (NOTES - 1)] >> 4)
    }

    /// It asks for a slave that the leader may ask for, too. The time behind the cycle in which it gets it. (Without a branch:
    /// who meets whom is hard to foretell.)
    #[inline(always)]
    fn meet(&mut self, cycle: u32, slave: Slave) -> u32 {
        let number = slave as usize & (SLAVES - 1);
        let waits = u32::from(self.meets(cycle, slave) & self.waits(cycle, slave));
        self.lost[number] += waits;
        let got = cycle + waits;
        self.last[number] = got;
        // In the cycle after a wait it is the follower's turn, if the leader asks again.
        let leader_waits = u32::from(self.meets(got, slave));
        self.leader_lost[number] += leader_waits;
        got + 1 - leader_waits
    }
}

impl Company for Follower<'_> {
    type Clock = u32;

    #[inline(always)]
    fn has_room(&self, cycle: u32, cycles: u32) -> bool {
        // In each of them it may wait once.
        cycle + 2 * cycles <= self.end
    }

    #[inline(always)]
    fn ask(&mut self, cycle: u32, slave: Slave) -> u32 {
        if self.meets(cycle, slave) {
            return self.meet(cycle, slave);
        }
        self.last[slave as usize & (SLAVES - 1)] = cycle;
        cycle + 1
    }

    #[inline(always)]
    fn ask_flash(&mut self, cycle: u32) -> u32 {
        self.meet(cycle, Slave::Xip)
    }

    #[inline(always)]
    fn may_read(&mut self, mark: &mut Mark) -> bool {
        *mark != self.written && *mark < WATCHED
    }

    #[inline(always)]
    fn may_write(&mut self, mark: &mut Mark) -> bool {
        *mark < self.read
    }

    #[inline(always)]
    fn wrote(&mut self, _: u32, _: u32) {}

    #[inline(always)]
    fn may_hit(&mut self, address: u32, way: u32) -> bool {
        let seen = self.ways[Xip::set(address)];
        seen >> WAYS != self.stretch || seen & (FOLLOWED - 1) & !(1 << way) == 0
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
}
