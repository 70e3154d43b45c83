//! Instructions as they were decoded from SRAM and flash, and marks on the words of SRAM that say who relies on them.
//!
//! A core that runs in bursts (`cpu::burst`) executes what stands here instead of decoding each halfword that it fetches. The
//! word of an instruction and the next one, which is fetched before the instruction ends, carry the mark `CODE` for as long as
//! the instruction stands here: no burst writes to them, and any other write makes the instruction be forgotten. So what
//! stands here is what memory holds.
//!
//! What is watched (`Watches`) is apart: words of data carry the mark `WATCHED`, and instructions are `Code::Watched`.
//!
//! The marks below `CODE` say which words the core that ran ahead has read and written since both cores last stood at the
//! same cycle (`machine::decoupled`).

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::chip::bus::memory::{SRAM_ROOM, SRAM_WORDS, zeroed};
use crate::chip::bus::xip::FLASH;
use crate::chip::bus::youngest::Youngest;
use crate::chip::bus::{Slave, locate_sram};
use crate::chip::cpu::burst::native::{HOT, Native};
use crate::chip::cpu::decode::{Code, Op, TABLE};
use crate::observe::probe::Watches;

/// First address of SRAM.
const SRAM: u32 = 0x2000_0000;
/// First address of the large banks one after the other: the same memory, in another order.
const LINEAR: u32 = 0x2100_0000;
/// Words of the large banks, and of one of them.
const LINEAR_WORDS: u32 = 0x1_0000;
const BANK_WORDS: u32 = 0x4000;
/// Halfwords that one core's instruction can be in: as many as SRAM has.
const SRAM_HALVES: usize = SRAM_WORDS * 2;
/// The mark of a word whose loads or stores somebody watches.
pub(crate) const WATCHED: Mark = 1 << 31;
/// The mark of a word that a decoded instruction was made of, or that is fetched with one.
pub(crate) const CODE: Mark = 1 << 30;
/// The last stretch whose marks can be told from `CODE`.
const LAST_STRETCH: Mark = (CODE >> 2) - 1;
/// What was not decoded yet.
const UNDECODED: Op = {
    let mut op = TABLE[0];
    op.code = Code::Undecoded;
    op
};

/// `WATCHED`, `CODE`, or twice the number of the stretch in which a word of SRAM was last read, and one more if it was written.
pub(crate) type Mark = u32;

/// Which view of which memory code is executed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Place {
    /// SRAM from its first address on, word by word in another bank.
    Sram,
    /// SRAM bank by bank.
    Linear,
    Flash,
}

impl Place {
    /// All of them, by number.
    pub const ALL: [Self; 3] = [Self::Sram, Self::Linear, Self::Flash];

    /// Where an address is, if code there can be executed in bursts.
    pub fn of(address: u32) -> Option<Self> {
        if ((address.wrapping_sub(SRAM) >> 1) as usize) < SRAM_HALVES {
            return Some(Self::Sram);
        }
        if address.wrapping_sub(LINEAR) < 4 * LINEAR_WORDS {
            return Some(Self::Linear);
        }
        (address >> 24 == FLASH >> 24).then_some(Self::Flash)
    }
}

/// Instructions by the halfword that they begin with. There is no room for those of a place where none was decoded yet.
#[derive(Clone, Debug)]
pub(crate) struct Instructions {
    sram: Vec<Op>,
    linear: Vec<Op>,
    flash: Vec<Op>,
}

/// Who relies on the words of SRAM.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    by_word: Box<[Mark; SRAM_ROOM]>,
    stretch: u32,
}

/// See the module's description.
#[derive(Clone, Debug)]
pub(crate) struct Decoded {
    pub instructions: Instructions,
    pub native: Native,
    pub marks: Marks,
    pub youngest: Youngest,
    /// First and last address of all whose execution somebody watches.
    watched: Vec<(u32, u32)>,
    /// Changes of the `Watches` that are known here.
    changes: u64,
}

impl Instructions {
    /// All of a place, and the address of the first.
    #[inline(always)]
    pub fn of(&self, place: Place) -> (&[Op], u32) {
        match place {
            Place::Sram => (&self.sram, SRAM),
            Place::Linear => (&self.linear, LINEAR),
            Place::Flash => (&self.flash, FLASH),
        }
    }

    fn all_mut(&mut self) -> [&mut Vec<Op>; 3] {
        let Self { sram, linear, flash } = self;
        [sram, linear, flash]
    }
}

impl Marks {
    /// The mark of a word of SRAM.
    #[inline(always)]
    pub fn of(&mut self, index: u32) -> &mut Mark {
        &mut self.by_word[index as usize & (SRAM_ROOM - 1)]
    }

    /// Where they are, for native code.
    pub fn address(&mut self) -> usize {
        self.by_word.as_mut_ptr() as usize
    }

    /// A new stretch begins, in which nothing was read or written yet. Its number, below 2^28.
    pub fn begin_stretch(&mut self) -> u32 {
        if self.stretch == LAST_STRETCH {
            for mark in &mut self.by_word[..] {
                *mark &= WATCHED | CODE;
            }
            self.stretch = 0;
        }
        self.stretch += 1;
        self.stretch
    }

    /// The mark of a word that was read in this stretch, and not written.
    pub fn read(&self) -> Mark {
        self.stretch << 1
    }

    /// The mark of a word that was written in this stretch.
    pub fn written(&self) -> Mark {
        self.stretch << 1 | 1
    }
}

impl Decoded {
    pub fn new() -> Self {
        let instructions = Instructions { sram: Vec::new(), linear: Vec::new(), flash: Vec::new() };
        Self {
            instructions,
            native: Native::new(HOT),
            marks: Marks { by_word: zeroed(), stretch: 1 },
            youngest: Youngest::new(),
            watched: Vec::new(),
            changes: 0,
        }
    }

    /// Takes note of what is watched, if that has changed.
    pub fn heed(&mut self, watches: &Watches) {
        if self.changes == watches.changes() {
            return;
        }
        self.changes = watches.changes();
        self.watched = watches.executed().collect();
        for instructions in self.instructions.all_mut() {
            instructions.fill(UNDECODED);
        }
        self.native.forget_all();
        for mark in &mut self.marks.by_word[..] {
            *mark &= !(WATCHED | CODE);
        }
        for (first, last) in watches.accessed() {
            for (begin, end) in [(SRAM, SRAM + 4 * SRAM_WORDS as u32 - 1), (LINEAR, LINEAR + 0x3_ffff)] {
                for address in (first.max(begin) & !3..=last.min(end)).step_by(4) {
                    if let Some((_, index)) = locate_sram(address) {
                        *self.marks.of(index) |= WATCHED;
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
    /// in a burst: the word after it is no SRAM, or one of the two words was written in this stretch, so that it depends on
    /// the core who has which.
    pub fn decode_sram(&mut self, pc: u32, half: u16) -> bool {
        let watched = self.is_watched(pc);
        let (instructions, first, halves) = if Place::of(pc) == Some(Place::Linear) {
            (&mut self.instructions.linear, LINEAR, 2 * LINEAR_WORDS as usize)
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
        let written = self.marks.written();
        if [word, next].iter().any(|&index| *self.marks.of(index) == written) {
            return false;
        }
        for index in [word, next] {
            *self.marks.of(index) |= CODE;
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
        self.marks.by_word[index as usize & (SRAM_ROOM - 1)] & CODE != 0
    }

    /// Forgets what was decoded from a word of SRAM, or fetched along with it.
    #[cold]
    pub fn forget_sram(&mut self, index: u32) {
        let Instructions { sram, linear, .. } = &mut self.instructions;
        forget_word(sram, index);
        if index < LINEAR_WORDS {
            // Table 153: in one view bits 3:2 of the address choose the bank, in the other one bits 17:16 do.
            forget_word(linear, (index & 3) * BANK_WORDS + index / 4);
        }
        *self.marks.of(index) &= !CODE;
        self.native.forget(SRAM + 4 * index);
        if index < LINEAR_WORDS {
            self.native.forget(LINEAR + 4 * ((index & 3) * BANK_WORDS + index / 4));
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

/// What an instruction is in a burst, which fetches the next word from a slave.
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
