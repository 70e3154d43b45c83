//! What one core does before the other one, by what orders them: spinlocks, FIFOs, resets, and words of memory.
//!
//! Each core counts its releases. A clock says up to which release of each core somebody has heard of what that core did
//! ("vector clock"). Two accesses without an order might as well have come the other way round.

use std::collections::{BTreeMap, VecDeque};

/// By core, the number of its last release that is known of.
pub(super) type Clock = [u32; 2];

/// Joins what two know.
pub(super) fn join(into: &mut Clock, other: Clock) {
    for (one, other) in into.iter_mut().zip(other) {
        *one = (*one).max(other);
    }
}

/// Words that a FIFO holds (DS 2.3.1.4).
const FIFO_WORDS: usize = 8;

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// What each core knows; of itself, what it will release next.
    clocks: [Clock; 2],
    /// By address of the spinlock.
    locks: BTreeMap<u32, Clock>,
    /// Those that each core holds, a bit each.
    held: [u32; 2],
    /// Words on their way from each core, and what it knew when it sent them.
    fifos: [VecDeque<(u32, Clock)>; 2],
}

impl Default for Order {
    fn default() -> Self {
        Self { clocks: [[1, 0], [0, 1]], locks: BTreeMap::new(), held: [0; 2], fifos: Default::default() }
    }
}

impl Order {
    /// The release that will be the next one of a core.
    pub fn epoch(&self, core: usize) -> u32 {
        self.clocks[core][core]
    }

    /// Whether a core knows of what the other one did before its release of this number.
    pub fn knows(&self, core: usize, of: usize, epoch: u32) -> bool {
        core == of || self.clocks[core][of] >= epoch
    }

    /// A core releases all that it knows to whoever acquires it: it goes on with its next one.
    pub fn release(&mut self, core: usize) -> Clock {
        let released = self.clocks[core];
        self.clocks[core][core] += 1;
        released
    }

    /// A core comes to know of what was released.
    pub fn acquire(&mut self, core: usize, released: Clock) {
        let own = self.clocks[core][core];
        join(&mut self.clocks[core], released);
        self.clocks[core][core] = own;
    }

    /// A core reads a spinlock, or writes to it.
    pub fn lock(&mut self, core: usize, address: u32, write: bool, value: u32) {
        let bit = 1 << (address / 4 % 32);
        if write {
            self.held.iter_mut().for_each(|held| *held &= !bit);
            let released = self.release(core);
            join(self.locks.entry(address).or_default(), released);
        } else if value != 0 {
            self.held[core] |= bit;
            if let Some(&released) = self.locks.get(&address) {
                self.acquire(core, released);
            }
        }
    }

    /// The spinlocks that a core holds, a bit each (DS 2.3.1.3: there are 32).
    pub fn held(&self, core: usize) -> u32 {
        self.held[core]
    }

    /// Both cores come to know of all that was done.
    pub fn meet(&mut self) {
        let released = [0, 1].map(|core| self.release(core));
        for core in [0, 1] {
            self.acquire(core, released[1 - core]);
        }
    }

    /// A core sends a word.
    pub fn send(&mut self, core: usize, value: u32) {
        let released = self.release(core);
        if self.fifos[core].len() < FIFO_WORDS {
            self.fifos[core].push_back((value, released));
        }
    }

    /// A core reads a word that the other one has sent, if there is one. If some were lost, it is the next one of its value.
    pub fn receive(&mut self, core: usize, value: u32) {
        while let Some((sent, released)) = self.fifos[1 - core].pop_front() {
            if sent == value {
                return self.acquire(core, released);
            }
        }
    }

    /// A core is put into reset by the other one, or let out of it: it goes on where the other one is, and the other way round.
    pub fn resets(&mut self, core: usize) {
        for core in [core, 1 - core] {
            let released = self.release(1 - core);
            self.acquire(core, released);
        }
        self.fifos = Default::default();
    }
}
