//! ROM, SRAM and flash as flat arrays of words.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::access::{Width, merge};
use crate::core::ram::{RAM_ROOM, zeroed};
use crate::core::state_hash::hash_words;
use crate::engine::access_tags::AccessTags;
use crate::engine::fast_bus::StaleCode;
use crate::rp2::flash::{Cells, program_words};
use std::hash::{Hash, Hasher};

/// Words of boot ROM: 16 kB (DS 2.6.1).
pub const ROM_WORDS: usize = 4096;
/// Words of SRAM in use: 4 banks of 64 kB, 2 of 4 kB (DS 2.6.2).
pub const SRAM_WORDS: usize = 0x42000 / 4;
/// Largest flash that the XIP window shows: 16 MB (DS 2.6.3).
pub const FLASH_LIMIT: usize = 16 << 20;

/// The six banks, by the index that `bus::locate` gives.
#[derive(Clone, Debug)]
pub(crate) struct Sram(Box<[u32; RAM_ROOM]>);

impl Sram {
    /// A word.
    #[inline(always)]
    pub fn word(&self, index: u32) -> u32 {
        self.0[index as usize & (RAM_ROOM - 1)]
    }

    /// Where its words are, for native code.
    pub fn address(&mut self) -> usize {
        self.0.as_mut_ptr() as usize
    }

    /// Writes to a word; returns what was there.
    #[inline(always)]
    pub fn write(&mut self, index: u32, address: u32, width: Width, value: u32) -> u32 {
        let word = &mut self.0[index as usize & (RAM_ROOM - 1)];
        let old = *word;
        *word = merge(old, address, width, value);
        old
    }
}

/// What holds bytes on and beside the chip.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Whoever writes to it elsewhere than here sees to it that no word of it is one that was decoded.
    pub(crate) sram: Sram,
    pub(crate) rom: Box<[u32; ROM_WORDS]>,
    /// Flash as far as it was loaded; erased (all ones) beyond.
    pub(crate) flash: Vec<u32>,
    /// The cache's own 16 kB, when used as memory (DS 2.6.3.1).
    pub(crate) cache: Box<[u32; 4096]>,
    /// Who relies on the words of SRAM.
    pub(crate) tags: AccessTags,
    /// What was changed of code that the fast path holds decoded.
    pub(crate) stale_code: StaleCode,
}

impl Memory {
    pub(crate) fn new() -> Self {
        Self {
            sram: Sram(zeroed()),
            rom: zeroed(),
            flash: Vec::new(),
            cache: zeroed(),
            tags: AccessTags::default(),
            stale_code: StaleCode::default(),
        }
    }

    /// Whether SRAM holds the same as another one.
    pub(crate) fn has_the_same_sram(&self, other: &Self) -> bool {
        self.sram.0[..SRAM_WORDS] == other.sram.0[..SRAM_WORDS]
    }

    /// A word of SRAM by the index that `bus::locate` gives.
    #[inline(always)]
    pub(crate) fn sram(&self, index: u32) -> u32 {
        self.sram.word(index)
    }

    #[inline(always)]
    pub(crate) fn store_sram(&mut self, index: u32, address: u32, width: Width, value: u32) {
        self.stale_code.note_ram(&mut self.tags, index);
        self.sram.write(index, address, width, value);
    }

    /// A word of flash by byte offset.
    pub(crate) fn flash(&self, offset: u32) -> u32 {
        self.flash.get(offset as usize / 4).copied().unwrap_or(u32::MAX)
    }

    /// Makes flash at least `bytes` long.
    pub(crate) fn grow_flash(&mut self, bytes: usize) {
        let words = bytes.min(FLASH_LIMIT).div_ceil(4);
        if self.flash.len() < words {
            self.flash.resize(words, u32::MAX);
        }
    }
}

/// Flash, as its chip erases and programs it.
impl Cells for Memory {
    fn byte(&self, address: u32) -> u8 {
        self.flash(address).to_le_bytes()[address as usize % 4]
    }

    fn erase(&mut self, from: u32, bytes: u32) {
        let end = ((from + bytes) as usize / 4).min(self.flash.len());
        let first = from as usize / 4;
        if first < end {
            self.flash[first..end].fill(u32::MAX);
            self.stale_code.note_flash(from);
            self.stale_code.note_flash(end as u32 * 4 - 1);
        }
    }

    fn program(&mut self, from: u32, page: &[u8]) {
        self.grow_flash(from as usize + page.len());
        program_words(&mut self.flash[from as usize / 4..], page);
        self.stale_code.note_flash(from);
        self.stale_code.note_flash(from + page.len() as u32 - 1);
    }
}

impl Hash for Memory {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { rom, sram, flash, cache, tags: _, stale_code: _ } = self;
        for words in [&rom[..], &sram.0[..SRAM_WORDS], flash, &cache[..]] {
            hash_words(words, hasher);
        }
    }
}
