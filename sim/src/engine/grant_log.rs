//! The accounts of a quantum of two cores (`machine::decoupled`): who asked whom in which cycle, and what it cost.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::bus::Slave;
use crate::engine::access_tags::AccessTag;
use crate::engine::native_context::NativeContext;

/// Number of the first cycle of a quantum. Those before say who was last granted a slave before it began.
pub(crate) const FIRST: u32 = 2;
/// Room for the notes of a quantum: a power of two, so that an index needs no check.
pub(crate) const LOG_CYCLES: usize = 4096;
/// Room for what is kept by slave, likewise.
pub(crate) const SLAVES: usize = 16;
/// In the notes: nobody was asked.
pub(crate) const NO_SLAVE: u8 = 15;

/// See the module's description. Code that was made for the host reads and writes it, too (`native`).
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct BusGrantLog {
    /// The cycle of the quantum before which a core is to stop.
    pub end: u32,
    /// Marks of words that the speculative core reads and writes.
    pub read: AccessTag,
    pub written: AccessTag,
    /// What native code needs, see there.
    pub(crate) native: NativeContext,
    /// The speculative core has read what the replaying core could change in SIO.
    pub read_stable_io: bool,
    /// How many words the speculative core has overwritten.
    pub(crate) overwritten: u32,
    /// By slave, the cycle in which the speculative core last asked for it; 0 if it has not.
    pub last_requested: [u32; SLAVES],
    /// By slave, the cycle in which the replaying core last had it. Before the first: whether it was the one who had it.
    pub last_granted: [u32; SLAVES],
    /// By slave, cycles that the replaying core has lost to the speculative core, and the speculative core to the replaying core.
    pub lost: [u32; SLAVES],
    pub speculative_lost: [u32; SLAVES],
    /// By cycle, the number of the slave that the speculative core asked.
    pub(crate) asked: [u8; LOG_CYCLES],
    /// By cycle, that in which the speculative core had asked the same one before; 0 if not in this quantum.
    pub(crate) before: [u16; LOG_CYCLES],
    /// What the speculative core has overwritten, in order: index of a word of SRAM, and what was there.
    pub(crate) kept: [(u32, u32); LOG_CYCLES],
}

impl BusGrantLog {
    #[allow(clippy::large_stack_arrays)] // once, and not too large
    pub fn new() -> Box<Self> {
        Box::new(Self {
            end: 0,
            read: 0,
            written: 0,
            native: NativeContext::default(),
            read_stable_io: false,
            overwritten: 0,
            last_requested: [0; SLAVES],
            last_granted: [0; SLAVES],
            lost: [0; SLAVES],
            speculative_lost: [0; SLAVES],
            asked: [NO_SLAVE; LOG_CYCLES],
            before: [0; LOG_CYCLES],
            kept: [(0, 0); LOG_CYCLES],
        })
    }

    /// The speculative core begins, and is to stop before cycle `end`, at most `LOG_CYCLES`.
    pub fn speculate(&mut self, end: u32) {
        self.end = end;
        self.overwritten = 0;
        self.read_stable_io = false;
        self.last_requested = [0; SLAVES];
    }

    /// The replaying core begins, and is to stop where the speculative core has. `had` says for each slave whether it was the one who had it.
    pub fn replay(&mut self, end: u32, had: impl Fn(usize) -> bool) {
        self.end = end;
        self.last_granted = std::array::from_fn(|slave| u32::from(had(slave)));
        self.lost = [0; SLAVES];
        self.speculative_lost = [0; SLAVES];
    }

    /// The speculative core asks for a slave, or for `NO_SLAVE`.
    #[inline(always)]
    pub fn record(&mut self, cycle: u32, slave: u8) {
        let at = cycle as usize & (LOG_CYCLES - 1);
        let last = &mut self.last_requested[slave as usize & (SLAVES - 1)];
        self.asked[at] = slave;
        self.before[at] = *last as u16;
        *last = cycle;
    }

    /// Whether the speculative core asked for a slave in a cycle.
    #[inline(always)]
    pub fn collides(&self, cycle: u32, slave: Slave) -> bool {
        self.asked[cycle as usize & (LOG_CYCLES - 1)] == slave.0
    }

    /// Whether the replaying core waits for the speculative core, in a cycle in which both ask for the same slave: equals take turns
    /// (`Bus::arbitrate`), so the one that had it last does.
    #[inline(always)]
    pub fn waits(&self, cycle: u32, slave: Slave) -> bool {
        let before = u32::from(self.before[cycle as usize & (LOG_CYCLES - 1)]);
        self.last_granted[slave.number() & (SLAVES - 1)] > before
    }

    /// Whether the replaying core, now at a cycle of the speculative core's, has just had what the speculative core asks for in it.
    pub fn is_lost_by_speculative(&self, cycle: u32, slave: Slave) -> bool {
        self.last_granted[slave.number() & (SLAVES - 1)] == cycle && self.collides(cycle, slave)
    }

    /// The replaying core asks for a slave that the speculative core may ask for, too. The time behind the cycle in which it gets it. (Without
    /// a branch: who meets whom is hard to foretell.)
    #[inline(always)]
    pub fn collide(&mut self, cycle: u32, slave: Slave) -> u32 {
        let number = slave.number() & (SLAVES - 1);
        let waits = u32::from(self.collides(cycle, slave) & self.waits(cycle, slave));
        self.lost[number] += waits;
        let got = cycle + waits;
        self.last_granted[number] = got;
        // In the cycle after a wait it is the replaying core's turn, if the speculative core asks again.
        let speculative_waits = u32::from(self.collides(got, slave));
        self.speculative_lost[number] += speculative_waits;
        got + 1 - speculative_waits
    }

    /// The speculative core overwrites a word of SRAM; what stood there before.
    #[inline(always)]
    pub fn keep(&mut self, index: u32, old: u32) {
        self.kept[self.overwritten as usize & (LOG_CYCLES - 1)] = (index, old);
        self.overwritten += 1;
    }

    /// What the speculative core has overwritten, last first.
    pub fn kept(&self) -> impl Iterator<Item = (u32, u32)> {
        self.kept[..self.overwritten as usize].iter().rev().copied()
    }

    /// Lets native code go on from a cycle.
    pub fn run_native(&mut self, cycle: &mut u32, run: impl FnOnce(&mut Self)) {
        self.native.clock = *cycle;
        run(self);
        *cycle = self.native.clock;
    }
}
