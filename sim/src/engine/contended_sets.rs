//! Sets of the flash cache of which both cores use both lines.
//!
//! Hits leave nothing behind but which line of a set was used last, and nothing asks for that before a miss, which ends the
//! quantum. So both cores may read such a set in one quantum. It is noted for each of them which word it read last, and when,
//! and at the end of the quantum the later one counts.
//!
//! A set that has ended quanta becomes one of these, for good: native code notes reads of none but these.

use crate::engine::cpu::Request;
use crate::engine::fast_bus::{FastBus, FlashCache};
use crate::engine::policy::Role;

/// Sets that there is room for. The number behind the last one stands for all others.
const MOST: usize = 255;
/// Sets of the largest cache.
const SETS: usize = 1024;
/// Quanta that have to end before native code is made anew for the sets that ended them; each time it doubles, up to about as
/// many as take as long as that.
pub(crate) const PATIENCE: u32 = 16;
const MOST_PATIENCE: u32 = 256;

/// What a core read last of a set in this quantum. Native code writes it, too.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct LastRead {
    /// The core's first cycle of the quantum behind that read; 0 if there was none.
    pub after: u32,
    /// The address of the word.
    pub address: u32,
}

/// See the module's description.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct ContendedSets {
    /// By set of the cache, its number here, `MOST` for all others.
    pub(crate) number_of: [u8; SETS],
    /// By number, what was read last by the speculative core, or one that is alone, and by the replaying core.
    pub(crate) last_reads: [[LastRead; MOST + 1]; 2],
    /// By number, the set.
    sets: Vec<usize>,
    /// What the replaying core could not read in this quantum, as the speculative core has read the other line of the set.
    pub refused: Option<u32>,
    /// Sets that have ended quanta and are none of these yet, and how many quanta they have ended.
    candidates: Vec<usize>,
    ended: u32,
    patience: u32,
}

impl ContendedSets {
    /// None, until so many quanta have ended.
    pub fn new(patience: u32) -> Self {
        Self {
            number_of: [MOST as u8; SETS],
            last_reads: [[LastRead::default(); MOST + 1]; 2],
            sets: Vec::new(),
            refused: None,
            candidates: Vec::new(),
            ended: 0,
            patience,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.sets.len()
    }

    /// The number of the set of an address, if it is one of these.
    #[inline(always)]
    pub fn number<C: FlashCache>(&self, address: u32) -> Option<usize> {
        let number = usize::from(self.number_of[C::set_of(address) & (SETS - 1)]);
        (number < MOST).then_some(number)
    }

    /// A quantum has ended. Whether there are more sets from now on, for which all native code has to be made anew.
    pub fn note_end<C: FlashCache>(&mut self) -> bool {
        let Some(address) = self.refused.take().filter(|_| self.sets.len() < MOST) else { return false };
        let set = C::set_of(address) & (SETS - 1);
        if !self.candidates.contains(&set) {
            self.candidates.push(set);
        }
        self.ended += 1;
        if self.ended < self.patience {
            return false;
        }
        self.ended = 0;
        self.patience = (2 * self.patience).min(MOST_PATIENCE);
        for set in self.candidates.drain(..) {
            if self.sets.len() < MOST {
                self.number_of[set] = self.sets.len() as u8;
                self.sets.push(set);
            }
        }
        true
    }

    /// Where native code notes the last reads of a set by its number.
    pub const fn offset(role: Role, number: usize) -> usize {
        std::mem::offset_of!(Self, last_reads) + size_of::<LastRead>() * (side(role) * (MOST + 1) + number)
    }

    /// What the speculative core has read is undone.
    pub fn undo_reads(&mut self) {
        self.last_reads[side(Role::Speculative)][..self.sets.len()].fill(LastRead::default());
    }

    /// It has read a word of the set with a number; its next cycle is `after`.
    #[inline(always)]
    pub fn note_read(&mut self, role: Role, number: usize, address: u32, after: u32) {
        self.last_reads[side(role)][number] = LastRead { after, address };
    }

    /// A core was given what it asked for; its next cycle is `after`.
    #[inline(always)]
    pub fn note_request<B: FastBus>(&mut self, role: Role, request: Request, after: u32) {
        if request.slave == B::MEMORY.flash_slave
            && let Some(number) = self.number::<B::Cache>(request.address)
        {
            self.note_read(role, number, request.address, after);
        }
    }

    /// Has the cache know which line of each set was used last. In a cycle in which both cores asked for the cache, one of
    /// them has read, and the other one goes on in the next cycle of the quantum, or in the same if it speculates.
    pub fn settle<C: FlashCache>(&mut self, cache: &mut C) {
        for (number, &set) in self.sets.iter().enumerate() {
            let [speculative, replaying] = [0, 1].map(|side: usize| std::mem::take(&mut self.last_reads[side][number]));
            let last = if speculative.after > replaying.after { speculative } else { replaying };
            if last.after != 0 {
                let way = u8::from(cache.line(set, 0) != last.address & !(C::LINE_BYTES - 1));
                cache.set_lru(set, way ^ 1);
            }
        }
    }
}

/// Whose reads are noted together.
const fn side(role: Role) -> usize {
    match role {
        Role::Speculative | Role::Solo => 0,
        Role::Replaying => 1,
    }
}
