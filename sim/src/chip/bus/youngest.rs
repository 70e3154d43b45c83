//! Words of flash that a burst has found in the cache before, so that it need not look for them again.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::chip::bus::xip::FLASH;

/// Words of flash whose line is in the cache and was the last of its set to be read: reading it again is a hit that changes
/// nothing. Each burst (`cpu::burst`) finds them anew, since what else reads flash does not keep them up to date.
#[derive(Clone, Debug)]
pub(crate) struct Youngest {
    /// By word of flash, the number of the last burst that knows this of it.
    known_in: Vec<u32>,
    burst: u32,
}

impl Youngest {
    pub fn new() -> Self {
        Self { known_in: Vec::new(), burst: 0 }
    }

    /// A new burst begins, which knows of none of so many words.
    pub fn begin_burst(&mut self, words: usize) {
        if self.burst == u32::MAX {
            self.known_in.fill(0);
            self.burst = 0;
        }
        self.burst += 1;
        if self.known_in.len() < words {
            self.known_in.resize(words, 0);
        }
    }

    /// Whether the word at an address is known to be one.
    #[inline(always)]
    pub fn has(&self, address: u32) -> bool {
        self.known_in.get(index(address)) == Some(&self.burst)
    }

    /// The word at an address is one from now on.
    pub fn insert(&mut self, address: u32) {
        if let Some(known_in) = self.known_in.get_mut(index(address)) {
            *known_in = self.burst;
        }
    }

    /// Both words of the line at an address are none any more.
    pub fn remove_line(&mut self, address: u32) {
        let first = index(address & !7);
        for known_in in self.known_in.iter_mut().skip(first).take(2) {
            *known_in = 0;
        }
    }
}

fn index(address: u32) -> usize {
    (address.wrapping_sub(FLASH) >> 2) as usize
}
