//! Who relies on the words of RAM: instructions that were decoded from them, whoever watches them, and the core that runs
//! ahead of the other one.
//!
//! | bits | meaning |
//! |---|---|
//! | 31 | [`WATCHED`]: somebody watches loads or stores of the word |
//! | 30 | [`CODE`]: an instruction that is held decoded was made of the word, or fetches it |
//! | 29 | [`STORES_WATCHED`]: somebody watches stores of the word |
//! | 28 to 1 | the quantum in which the speculative core last read or wrote the word |
//! | 0 | it wrote the word in that quantum |

use crate::core::ram::{RAM_ROOM, zeroed};

/// What stands behind a word of RAM, see the module's description.
pub type AccessTag = u32;

/// Somebody watches loads or stores of the word.
pub const WATCHED: AccessTag = 1 << 31;
/// An instruction that is held decoded was made of the word, or fetches it.
pub const CODE: AccessTag = 1 << 30;
/// Somebody watches stores of the word, but not its loads. The least of all tags of words that may not be written at once.
pub const STORES_WATCHED: AccessTag = 1 << 29;
/// The last quantum whose tags are less.
const LAST_QUANTUM: AccessTag = (STORES_WATCHED >> 1) - 1;

/// The tags of all words of RAM.
#[derive(Clone, Debug)]
pub struct AccessTags {
    by_word: Box<[AccessTag; RAM_ROOM]>,
    quantum: u32,
}

impl Default for AccessTags {
    fn default() -> Self {
        Self { by_word: zeroed(), quantum: 1 }
    }
}

impl AccessTags {
    /// The tag of a word of RAM.
    #[inline(always)]
    pub fn of(&mut self, index: u32) -> &mut AccessTag {
        &mut self.by_word[index as usize & (RAM_ROOM - 1)]
    }

    /// Nobody watches a word any more, and no instruction is held decoded.
    pub fn clear_watches_and_code(&mut self) {
        for tag in &mut self.by_word[..] {
            *tag &= !(WATCHED | CODE | STORES_WATCHED);
        }
    }

    /// Nobody watches a word any more.
    pub fn clear_watches(&mut self) {
        for tag in &mut self.by_word[..] {
            *tag &= !(WATCHED | STORES_WATCHED);
        }
    }

    /// Where they are, for native code.
    pub fn address(&mut self) -> usize {
        self.by_word.as_mut_ptr() as usize
    }

    /// A new quantum begins, in which nothing was read or written yet. Its number, below 2^28.
    pub fn begin_quantum(&mut self) -> u32 {
        if self.quantum == LAST_QUANTUM {
            for tag in &mut self.by_word[..] {
                *tag &= WATCHED | CODE | STORES_WATCHED;
            }
            self.quantum = 0;
        }
        self.quantum += 1;
        self.quantum
    }

    /// The tag of a word that was read in this quantum, and not written.
    pub fn read(&self) -> AccessTag {
        self.quantum << 1
    }

    /// The tag of a word that was written in this quantum.
    pub fn written(&self) -> AccessTag {
        self.quantum << 1 | 1
    }
}
