//! The accounts of a stretch of two cores (`machine::decoupled`): who asked whom in which cycle, and what it cost.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use super::native::Host;
use crate::chip::bus::Slave;
use crate::chip::bus::decoded::Mark;

/// Number of the first cycle of a stretch. Those before say who was last granted a slave before it began.
pub(crate) const FIRST: u32 = 2;
/// Room for the notes of a stretch: a power of two, so that an index needs no check.
pub(crate) const NOTES: usize = 4096;
/// Room for what is kept by slave, likewise.
pub(crate) const SLAVES: usize = 16;
/// In the notes: nobody was asked.
pub(crate) const NOBODY: u8 = 15;

/// See the module's description. Code that was made for the host reads and writes it, too (`native`).
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Ledger {
    /// The cycle of the stretch before which a core is to stop.
    pub end: u32,
    /// Marks of words that the leader reads and writes.
    pub read: Mark,
    pub written: Mark,
    /// What native code needs, see there.
    pub(super) host: Host,
    /// The leader has read what the follower could change in SIO.
    pub relies_on_io: bool,
    /// How many words the leader has overwritten.
    pub(super) overwritten: u32,
    /// By slave, the cycle in which the leader last asked for it; 0 if it has not.
    pub led: [u32; SLAVES],
    /// By slave, the cycle in which the follower last had it. Before the first: whether it was the one who had it.
    pub followed: [u32; SLAVES],
    /// By slave, cycles that the follower has lost to the leader, and the leader to the follower.
    pub lost: [u32; SLAVES],
    pub leader_lost: [u32; SLAVES],
    /// By cycle, the number of the slave that the leader asked.
    pub(super) asked: [u8; NOTES],
    /// By cycle, that in which the leader had asked the same one before; 0 if not in this stretch.
    pub(super) before: [u16; NOTES],
    /// What the leader has overwritten, in order: index of a word of SRAM, and what was there.
    pub(super) kept: [(u32, u32); NOTES],
}

impl Ledger {
    #[allow(clippy::large_stack_arrays)] // once, and not too large
    pub fn new() -> Box<Self> {
        Box::new(Self {
            end: 0,
            read: 0,
            written: 0,
            host: Host::default(),
            relies_on_io: false,
            overwritten: 0,
            led: [0; SLAVES],
            followed: [0; SLAVES],
            lost: [0; SLAVES],
            leader_lost: [0; SLAVES],
            asked: [NOBODY; NOTES],
            before: [0; NOTES],
            kept: [(0, 0); NOTES],
        })
    }

    /// The leader begins, and is to stop before cycle `end`, at most `NOTES`.
    pub fn lead(&mut self, end: u32) {
        self.end = end;
        self.overwritten = 0;
        self.relies_on_io = false;
        self.led = [0; SLAVES];
    }

    /// The follower begins, and is to stop where the leader has. `had` says for each slave whether it was the one who had it.
    pub fn follow(&mut self, end: u32, had: impl Fn(usize) -> bool) {
        self.end = end;
        self.followed = std::array::from_fn(|slave| u32::from(had(slave)));
        self.lost = [0; SLAVES];
        self.leader_lost = [0; SLAVES];
    }

    /// The leader asks for a slave, or for `NOBODY`.
    #[inline(always)]
    pub fn note(&mut self, cycle: u32, slave: u8) {
        let at = cycle as usize & (NOTES - 1);
        let last = &mut self.led[slave as usize & (SLAVES - 1)];
        self.asked[at] = slave;
        self.before[at] = *last as u16;
        *last = cycle;
    }

    /// Whether the leader asked for a slave in a cycle.
    #[inline(always)]
    pub fn meets(&self, cycle: u32, slave: Slave) -> bool {
        self.asked[cycle as usize & (NOTES - 1)] == slave as u8
    }

    /// Whether the follower waits for the leader, in a cycle in which both ask for the same slave: equals take turns
    /// (`Bus::arbitrate`), so the one that had it last does.
    #[inline(always)]
    pub fn waits(&self, cycle: u32, slave: Slave) -> bool {
        let before = u32::from(self.before[cycle as usize & (NOTES - 1)]);
        self.followed[slave as usize & (SLAVES - 1)] > before
    }

    /// Whether the follower, now at a cycle of the leader's, has just had what the leader asks for in it.
    pub fn is_lost_by_leader(&self, cycle: u32, slave: Slave) -> bool {
        self.followed[slave as usize & (SLAVES - 1)] == cycle && self.meets(cycle, slave)
    }

    /// The follower asks for a slave that the leader may ask for, too. The time behind the cycle in which it gets it. (Without
    /// a branch: who meets whom is hard to foretell.)
    #[inline(always)]
    pub fn meet(&mut self, cycle: u32, slave: Slave) -> u32 {
        let number = slave as usize & (SLAVES - 1);
        let waits = u32::from(self.meets(cycle, slave) & self.waits(cycle, slave));
        self.lost[number] += waits;
        let got = cycle + waits;
        self.followed[number] = got;
        // In the cycle after a wait it is the follower's turn, if the leader asks again.
        let leader_waits = u32::from(self.meets(got, slave));
        self.leader_lost[number] += leader_waits;
        got + 1 - leader_waits
    }

    /// The leader overwrites a word of SRAM; what stood there before.
    #[inline(always)]
    pub fn keep(&mut self, index: u32, old: u32) {
        self.kept[self.overwritten as usize & (NOTES - 1)] = (index, old);
        self.overwritten += 1;
    }

    /// What the leader has overwritten, last first.
    pub fn kept(&self) -> impl Iterator<Item = (u32, u32)> {
        self.kept[..self.overwritten as usize].iter().rev().copied()
    }

    /// Lets native code go on from a cycle.
    pub fn run_native(&mut self, cycle: &mut u32, run: impl FnOnce(&mut Self)) {
        self.host.clock = *cycle;
        run(self);
        *cycle = self.host.clock;
    }
}
