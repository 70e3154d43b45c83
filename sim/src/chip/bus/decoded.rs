//! Instructions as they were decoded from SRAM and flash, and marks on the words of SRAM that say who relies on them.
//!
//! A core that runs in bursts (`cpu::burst`) executes what stands here instead of decoding each halfword that it fetches. The
//! word of an instruction and the next one, which is fetched before the instruction ends, carry the mark `CODE` for as long as
//! the instruction stands here: no burst writes to them, and any other write makes the instruction be forgotten. So what
//! stands here is what memory holds.
//!
//! The marks below `CODE` say which words the core that ran ahead has read and written since both cores last stood at the
//! same cycle (`machine::decoupled`).

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::chip::bus::memory::{SRAM_ROOM, zeroed};
use crate::chip::bus::{Slave, locate_sram};
use crate::chip::cpu::decode::{Code, Op, TABLE};

/// First address of SRAM; code is executed in bursts in the view that begins there.
const SRAM: u32 = 0x2000_0000;
/// First address of flash, in the view that is read through the cache.
const FLASH: u32 = 0x1000_0000;
/// Halfwords that one core's instruction can be in: as many as SRAM has.
const SRAM_HALVES: usize = crate::chip::bus::memory::SRAM_WORDS * 2;
/// The mark of a word that a decoded instruction was made of, or that is fetched with one.
pub(crate) const CODE: Mark = 1 << 31;
/// The last stretch whose marks can be told from `CODE`.
const LAST_STRETCH: Mark = (CODE >> 1) - 1;
/// What was not decoded yet.
const UNDECODED: Op = {
    let mut op = TABLE[0];
    op.code = Code::Undecoded;
    op
};

/// `CODE`, or twice the number of the stretch in which a word of SRAM was last read, and one more if it was written.
pub(crate) type Mark = u32;

/// Which of its two memories code is executed from: they differ in what a fetch needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Sram,
    Flash,
}

impl Place {
    /// Where an address is, if code there can be executed in bursts.
    pub fn of(address: u32) -> Option<Self> {
        if ((address.wrapping_sub(SRAM) >> 1) as usize) < SRAM_HALVES {
            return Some(Self::Sram);
        }
        (address >> 24 == FLASH >> 24).then_some(Self::Flash)
    }
}

/// See the module's description.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    sram: Vec<Op>,
    flash: Vec<Op>,
    /// By word of SRAM.
    marks: Box<[Mark; SRAM_ROOM]>,
    stretch: u32,
}

impl Decoded {
    pub fn new() -> Self {
        Self { sram: vec![UNDECODED; SRAM_HALVES], flash: Vec::new(), marks: zeroed(), stretch: 1 }
    }

    /// The instruction at an address, which may be `Undecoded`.
    #[inline(always)]
    pub fn op<const IN_FLASH: bool>(&self, pc: u32) -> Op {
        let (ops, base) = if IN_FLASH { (&self.flash, FLASH) } else { (&self.sram, SRAM) };
        ops.get((pc.wrapping_sub(base) >> 1) as usize).copied().unwrap_or(UNDECODED)
    }

    /// Decodes the halfword at an address of SRAM. False if it cannot be executed in a burst: the word after it is no SRAM, or
    /// one of the two words was written in this stretch, so that it depends on the core who has which.
    pub fn decode_sram(&mut self, pc: u32, half: u16) -> bool {
        let (Some((_, word)), Some((bank, next))) = (locate_sram(pc), locate_sram((pc & !3).wrapping_add(4))) else {
            return false;
        };
        let written = self.written();
        if [word, next].iter().any(|&index| self.marks[index as usize] == written) {
            return false;
        }
        for index in [word, next] {
            self.marks[index as usize] |= CODE;
        }
        let fetch = if pc & 2 == 0 { bank } else { Slave::Internal };
        self.sram[(pc.wrapping_sub(SRAM) >> 1) as usize] = Op { fetch, ..TABLE[half as usize] };
        true
    }

    /// Decodes the halfword at an address of flash, which has so many words. False if flash ends there.
    pub fn decode_flash(&mut self, pc: u32, half: u16, words: usize) -> bool {
        let at = (pc.wrapping_sub(FLASH) >> 1) as usize;
        // The word after it is fetched, too.
        if at / 2 + 1 >= words {
            return false;
        }
        if self.flash.len() < 2 * words {
            self.flash.resize(2 * words, UNDECODED);
        }
        let fetch = if pc & 2 == 0 { Slave::Xip } else { Slave::Internal };
        self.flash[at] = Op { fetch, ..TABLE[half as usize] };
        true
    }

    /// Whether a word of SRAM is part of what was decoded.
    #[inline(always)]
    pub fn is_code(&self, index: u32) -> bool {
        self.marks[index as usize & (SRAM_ROOM - 1)] >= CODE
    }

    /// Forgets what was decoded from a word of SRAM, or fetched along with it.
    #[cold]
    pub fn forget_sram(&mut self, index: u32) {
        let first = 2 * index as usize;
        for op in &mut self.sram[first.saturating_sub(2)..first + 2] {
            *op = UNDECODED;
        }
        self.marks[index as usize] &= !CODE;
    }

    /// Forgets what was decoded at an offset in flash.
    pub fn forget_flash(&mut self, offset: u32) {
        if let Some(op) = self.flash.get_mut(offset as usize / 2) {
            *op = UNDECODED;
        }
    }

    /// The mark of a word of SRAM.
    #[inline(always)]
    pub fn mark(&mut self, index: u32) -> &mut Mark {
        &mut self.marks[index as usize & (SRAM_ROOM - 1)]
    }

    /// A new stretch begins, in which nothing was read or written yet. Its number, below 2^30.
    pub fn begin_stretch(&mut self) -> u32 {
        if self.stretch == LAST_STRETCH {
            for mark in &mut self.marks[..] {
                *mark &= CODE;
            }
            self.stretch = 0;
        }
        self.stretch += 1;
        self.stretch
    }

    /// The mark of a word that was read in this stretch, and not written.
    pub fn read(&self) -> u32 {
        self.stretch << 1
    }

    /// The mark of a word that was written in this stretch.
    pub fn written(&self) -> u32 {
        self.stretch << 1 | 1
    }
}
