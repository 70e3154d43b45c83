//! What flash at chip select 0 holds.

use crate::rp2::flash::{Cells, program_words};

/// Most that a chip select shows: 16 MB.
pub const LIMIT: usize = 16 << 20;
const ERASED: u32 = u32::MAX;

/// Its words as far as they were loaded or programmed; it is erased beyond.
#[derive(Clone, Debug, Default)]
pub struct Content(Vec<u32>);

impl Content {
    /// The word at an address, of which the bits that a chip select does not show do not count.
    pub fn word(&self, address: u32) -> u32 {
        self.0.get(address as usize % LIMIT / 4).copied().unwrap_or(ERASED)
    }

    /// The same, to be changed.
    pub fn word_mut(&mut self, address: u32) -> &mut u32 {
        let place = address as usize % LIMIT / 4;
        self.grow(place + 1);
        &mut self.0[place]
    }

    /// The words that may not be erased.
    pub fn words(&self) -> &[u32] {
        &self.0
    }

    fn grow(&mut self, words: usize) {
        self.0.resize(self.0.len().max(words), ERASED);
    }
}

impl Cells for Content {
    fn byte(&self, address: u32) -> u8 {
        self.word(address).to_le_bytes()[address as usize % 4]
    }

    fn erase(&mut self, from: u32, bytes: u32) {
        let end = ((from + bytes) as usize / 4).min(self.0.len());
        let first = from as usize / 4;
        if first < end {
            self.0[first..end].fill(ERASED);
        }
    }

    fn program(&mut self, from: u32, page: &[u8]) {
        let first = from as usize / 4;
        self.grow(first + page.len() / 4);
        program_words(&mut self.0[first..], page);
    }
}
