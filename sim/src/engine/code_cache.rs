//! Instructions as they were decoded from SRAM and flash, and tags on the words of SRAM that say who relies on them.
//!
//! A core that runs in fast runs (`cpu::run_fast`) executes what stands here instead of decoding each halfword that it fetches. The
//! word of an instruction and the next one, which is fetched before the instruction ends, carry the tag `CODE` for as long as
//! the instruction stands here: no fast run writes to them, and any other write makes the instruction be forgotten. So what
//! stands here is what memory holds.
//!
//! What is watched (`Watchpoints`) is apart: words of data carry the tag `WATCHED`, and instructions are `Code::Watched`.
//!
//! The tags below `CODE` say which words the core that ran ahead has read and written since both cores last stood at the
//! same cycle (`machine::decoupled`).

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::access::zeroed;
use crate::core::watch::Watchpoints;
use crate::engine::mru_words::MruWords;
use crate::engine::native::{JIT_THRESHOLD, Native};
use crate::isa::armv6m::decode::{Code, Op, TABLE};
use crate::rp2040::bus::memory::{SRAM_ROOM, SRAM_WORDS};
use crate::rp2040::bus::xip::FLASH;
use crate::rp2040::bus::{Slave, locate_sram};

/// First address of SRAM.
const SRAM: u32 = 0x2000_0000;
/// First address of the large banks one after the other: the same memory, in another order.
const UNSTRIPED: u32 = 0x2100_0000;
/// Words of the large banks, and of one of them.
const UNSTRIPED_WORDS: u32 = 0x1_0000;
const BANK_WORDS: u32 = 0x4000;
/// Halfwords that one core's instruction can be in: as many as SRAM has.
const SRAM_HALVES: usize = SRAM_WORDS * 2;
/// The tag of a word whose loads or stores somebody watches.
pub(crate) const WATCHED: AccessTag = 1 << 31;
/// The tag of a word that a decoded instruction was made of, or that is fetched with one.
pub(crate) const CODE: AccessTag = 1 << 30;
/// The last quantum whose tags can be told from `CODE`.
const LAST_QUANTUM: AccessTag = (CODE >> 2) - 1;
/// What was not decoded yet.
const UNDECODED: Op = {
    let mut op = TABLE[0];
    op.code = Code::Undecoded;
    op
};

/// `WATCHED`, `CODE`, or twice the number of the quantum in which a word of SRAM was last read, and one more if it was written.
pub(crate) type AccessTag = u32;

/// Which view of which memory code is executed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum CodeView {
    /// SRAM from its first address on, word by word in another bank.
    Sram,
    /// SRAM bank by bank.
    Unstriped,
    Flash,
}

impl CodeView {
    /// All of them, by number.
    pub const ALL: [Self; 3] = [Self::Sram, Self::Unstriped, Self::Flash];

    /// Where an address is, if code there can be executed in fast runs.
    pub fn of(address: u32) -> Option<Self> {
        if ((address.wrapping_sub(SRAM) >> 1) as usize) < SRAM_HALVES {
            return Some(Self::Sram);
        }
        if address.wrapping_sub(UNSTRIPED) < 4 * UNSTRIPED_WORDS {
            return Some(Self::Unstriped);
        }
        (address >> 24 == FLASH >> 24).then_some(Self::Flash)
    }
}

/// Instructions by the halfword that they begin with. There is no room for those of a place where none was decoded yet.
#[derive(Clone, Debug)]
pub(crate) struct Instructions {
    sram: Vec<Op>,
    unstriped: Vec<Op>,
    flash: Vec<Op>,
}

/// Who relies on the words of SRAM.
#[derive(Clone, Debug)]
pub(crate) struct AccessTags {
    by_word: Box<[AccessTag; SRAM_ROOM]>,
    quantum: u32,
}

/// See the module's description.
#[derive(Clone, Debug)]
pub(crate) struct CodeCache {
    pub instructions: Instructions,
    pub native: Native,
    pub tags: AccessTags,
    pub mru: MruWords,
    /// First and last address of all whose execution somebody watches.
    watched: Vec<(u32, u32)>,
    /// Changes of the `Watchpoints` that are known here.
    changes: u64,
}

impl Instructions {
    /// All of a place, and the address of the first.
    #[inline(always)]
    pub fn of(&self, place: CodeView) -> (&[Op], u32) {
        match place {
            CodeView::Sram => (&self.sram, SRAM),
            CodeView::Unstriped => (&self.unstriped, UNSTRIPED),
            CodeView::Flash => (&self.flash, FLASH),
        }
    }

    fn all_mut(&mut self) -> [&mut Vec<Op>; 3] {
        let Self { sram, unstriped, flash } = self;
        [sram, unstriped, flash]
    }
}

impl AccessTags {
    /// The tag of a word of SRAM.
    #[inline(always)]
    pub fn of(&mut self, index: u32) -> &mut AccessTag {
        &mut self.by_word[index as usize & (SRAM_ROOM - 1)]
    }

    /// Where they are, for native code.
    pub fn address(&mut self) -> usize {
        self.by_word.as_mut_ptr() as usize
    }

    /// A new quantum begins, in which nothing was read or written yet. Its number, below 2^28.
    pub fn begin_quantum(&mut self) -> u32 {
        if self.quantum == LAST_QUANTUM {
            for tag in &mut self.by_word[..] {
                *tag &= WATCHED | CODE;
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

impl CodeCache {
    pub fn new() -> Self {
        let instructions = Instructions { sram: Vec::new(), unstriped: Vec::new(), flash: Vec::new() };
        Self {
            instructions,
            native: Native::new(JIT_THRESHOLD),
            tags: AccessTags { by_word: zeroed(), quantum: 1 },
            mru: MruWords::new(),
            watched: Vec::new(),
            changes: 0,
        }
    }

    /// Takes note of what is watched, if that has changed.
    pub fn sync_watchpoints(&mut self, watches: &Watchpoints) {
        if self.changes == watches.changes() {
            return;
        }
        self.changes = watches.changes();
        self.watched = watches.executed().collect();
        for instructions in self.instructions.all_mut() {
            instructions.fill(UNDECODED);
        }
        self.native.forget_all();
        for tag in &mut self.tags.by_word[..] {
            *tag &= !(WATCHED | CODE);
        }
        for (first, last) in watches.accessed() {
            for (begin, end) in [(SRAM, SRAM + 4 * SRAM_WORDS as u32 - 1), (UNSTRIPED, UNSTRIPED + 0x3_ffff)] {
                for address in (first.max(begin) & !3..=last.min(end)).step_by(4) {
                    if let Some((_, index)) = locate_sram(address) {
                        *self.tags.of(index) |= WATCHED;
                    }
                }
            }
        }
    }

    /// Whether somebody watches the execution of the halfword at an address.
    pub fn is_watched(&self, pc: u32) -> bool {
        self.watched.iter().any(|&(first, last)| (first..=last).contains(&pc))
    }

    /// Decodes the halfword at an address of SRAM, in either of its views. False if that is done, or if it cannot be executed
    /// in a fast run: the word after it is no SRAM, or one of the two words was written in this quantum, so that it depends on
    /// the core who has which.
    pub fn decode_sram(&mut self, pc: u32, half: u16) -> bool {
        let watched = self.is_watched(pc);
        let (instructions, first, halves) = if CodeView::of(pc) == Some(CodeView::Unstriped) {
            (&mut self.instructions.unstriped, UNSTRIPED, 2 * UNSTRIPED_WORDS as usize)
        } else {
            (&mut self.instructions.sram, SRAM, SRAM_HALVES)
        };
        if instructions.is_empty() {
            instructions.resize(halves, UNDECODED);
        }
        let op = &mut instructions[(pc.wrapping_sub(first) >> 1) as usize];
        if op.code != Code::Undecoded {
            return false;
        }
        let (Some((_, word)), Some((bank, next))) = (locate_sram(pc), locate_sram((pc & !3).wrapping_add(4))) else {
            return false;
        };
        let written = self.tags.written();
        if [word, next].iter().any(|&index| *self.tags.of(index) == written) {
            return false;
        }
        for index in [word, next] {
            *self.tags.of(index) |= CODE;
        }
        let fetch = if pc & 2 == 0 { bank } else { Slave::Internal };
        *op = decoded(half, fetch, watched);
        true
    }

    /// Decodes the halfword at an address of flash, which has so many words. False if flash ends there.
    pub fn decode_flash(&mut self, pc: u32, half: u16, words: usize) -> bool {
        let at = (pc.wrapping_sub(FLASH) >> 1) as usize;
        // The word after it is fetched, too.
        if at / 2 + 1 >= words {
            return false;
        }
        let watched = self.is_watched(pc);
        let ops = &mut self.instructions.flash;
        if ops.len() < 2 * words {
            ops.resize(2 * words, UNDECODED);
        }
        let fetch = if pc & 2 == 0 { Slave::Xip } else { Slave::Internal };
        ops[at] = decoded(half, fetch, watched);
        true
    }

    /// Whether a word of SRAM is part of what was decoded.
    #[inline(always)]
    pub fn is_code(&self, index: u32) -> bool {
        self.tags.by_word[index as usize & (SRAM_ROOM - 1)] & CODE != 0
    }

    /// Forgets what was decoded from a word of SRAM, or fetched along with it.
    #[cold]
    pub fn forget_sram(&mut self, index: u32) {
        let Instructions { sram, unstriped, .. } = &mut self.instructions;
        forget_word(sram, index);
        if index < UNSTRIPED_WORDS {
            // Table 153: in one view bits 3:2 of the address choose the bank, in the other one bits 17:16 do.
            forget_word(unstriped, (index & 3) * BANK_WORDS + index / 4);
        }
        *self.tags.of(index) &= !CODE;
        self.native.forget(SRAM + 4 * index);
        if index < UNSTRIPED_WORDS {
            self.native.forget(UNSTRIPED + 4 * ((index & 3) * BANK_WORDS + index / 4));
        }
    }

    /// Forgets what was decoded at an offset in flash.
    pub fn forget_flash(&mut self, offset: u32) {
        if let Some(op) = self.instructions.flash.get_mut(offset as usize / 2) {
            *op = UNDECODED;
        }
        self.native.forget(FLASH + offset);
    }
}

/// What an instruction is in a fast run, which fetches the next word from a slave.
fn decoded(half: u16, fetch: Slave, watched: bool) -> Op {
    let op = TABLE[half as usize];
    Op { fetch, code: if watched { Code::Watched } else { op.code }, ..op }
}

/// Forgets what was decoded from a word of a place, or fetched along with it.
fn forget_word(instructions: &mut [Op], word: u32) {
    let first = 2 * word as usize;
    for op in instructions.iter_mut().take(first + 2).skip(first.saturating_sub(2)) {
        *op = UNDECODED;
    }
}
