//! Instructions as they were decoded from RAM and flash.
//!
//! A core on the fast path executes what stands here instead of decoding each halfword that it fetches. The word of an
//! instruction and the next one, which is fetched before the instruction ends, carry the tag [`CODE`] for as long as the
//! instruction stands here: the fast path does not write to them, and any other write has the instruction dropped before the
//! fast path goes on ([`StaleCode`](crate::engine::fast_bus::StaleCode)). So what stands here is what memory holds.
//!
//! What is watched ([`Watchpoints`](crate::core::watch::Watchpoints)) is apart: words of data carry the tag [`WATCHED`], and instructions are `Code::Watched`.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::bus::Slave;
use crate::engine::access_tags::{CODE, WATCHED};
use crate::engine::cpu;
use crate::engine::fast_bus::{FastBus, MemoryLayout, StaleCode};
use crate::engine::mru_words::MruWords;
use crate::isa::armv6m::decode::{Code, Op, TABLE};
use crate::isa::armv6m::fast_path::memory::half_at;
use crate::isa::armv6m::native::{JIT_THRESHOLD, Native};

/// What was not decoded yet.
const UNDECODED: Op = {
    let mut op = TABLE[0];
    op.code = Code::Undecoded;
    op
};

/// Which view of which memory code is executed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum CodeView {
    /// RAM by index, its first banks taking turns word by word.
    Ram,
    /// These banks one after the other.
    Unstriped,
    /// Flash through its cache.
    Flash,
}

impl CodeView {
    /// All of them, by number.
    pub const ALL: [Self; 3] = [Self::Ram, Self::Unstriped, Self::Flash];

    /// Where an address is, if the fast path can execute code there.
    #[inline(always)]
    pub fn of<B: FastBus>(address: u32) -> Option<Self> {
        if address.wrapping_sub(B::MEMORY.ram) < B::MEMORY.ram_bytes {
            return Some(Self::Ram);
        }
        if address.wrapping_sub(B::MEMORY.unstriped) < B::MEMORY.striped_bytes {
            return Some(Self::Unstriped);
        }
        (address >> 24 == B::MEMORY.flash >> 24).then_some(Self::Flash)
    }
}

/// Instructions by the halfword that they begin with. There is no room for those of a place where none was decoded yet.
#[derive(Clone, Debug)]
pub(crate) struct Instructions {
    ram: Vec<Op>,
    unstriped: Vec<Op>,
    flash: Vec<Op>,
}

/// See the module's description.
#[derive(Clone, Debug)]
pub(crate) struct CodeCache {
    pub instructions: Instructions,
    pub native: Native,
    pub mru: MruWords,
    /// First and last address of all whose execution somebody watches.
    watched: Vec<(u32, u32)>,
    /// Changes of the watchpoints that are known here.
    changes: u64,
}

impl Instructions {
    /// All of a place, and the address of the first.
    #[inline(always)]
    pub fn of<B: FastBus>(&self, view: CodeView) -> (&[Op], u32) {
        match view {
            CodeView::Ram => (&self.ram, B::MEMORY.ram),
            CodeView::Unstriped => (&self.unstriped, B::MEMORY.unstriped),
            CodeView::Flash => (&self.flash, B::MEMORY.flash),
        }
    }

    fn all_mut(&mut self) -> [&mut Vec<Op>; 3] {
        let Self { ram, unstriped, flash } = self;
        [ram, unstriped, flash]
    }
}

impl Default for CodeCache {
    fn default() -> Self {
        let instructions = Instructions { ram: Vec::new(), unstriped: Vec::new(), flash: Vec::new() };
        let (native, mru) = (Native::new(JIT_THRESHOLD), MruWords::new());
        Self { instructions, native, mru, watched: Vec::new(), changes: 0 }
    }
}

impl<B: FastBus> cpu::CodeCache<B> for CodeCache {
    fn sync_watchpoints(&mut self, bus: &mut B) {
        let watch = &bus.fabric().watch;
        if self.changes == watch.changes() {
            return;
        }
        self.changes = watch.changes();
        self.watched = watch.executed().collect();
        for instructions in self.instructions.all_mut() {
            instructions.fill(UNDECODED);
        }
        self.native.forget_all();
        let accessed: Vec<_> = watch.accessed().collect();
        bus.tags().clear_watches_and_code();
        for (first, last) in accessed {
            let MemoryLayout { ram, ram_bytes, unstriped, striped_bytes, .. } = B::MEMORY;
            for (begin, end) in [(ram, ram + ram_bytes - 1), (unstriped, unstriped + striped_bytes - 1)] {
                for address in (first.max(begin) & !3..=last.min(end)).step_by(4) {
                    if let Some((_, index)) = B::locate_ram(address) {
                        *bus.tags().of(index) |= WATCHED;
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn drop_stale(&mut self, bus: &mut B) {
        if !bus.stale_code().is_empty() {
            self.drop_all_stale(bus);
        }
    }
}

impl CodeCache {
    #[cold]
    fn drop_all_stale<B: FastBus>(&mut self, bus: &mut B) {
        let layout = B::MEMORY;
        let StaleCode { ram, flash } = std::mem::take(bus.stale_code());
        for index in ram {
            drop_word(&mut self.instructions.ram, index);
            self.native.forget(layout.ram + 4 * index);
            if index < layout.striped_words() {
                let word = layout.unstriped_word(index);
                drop_word(&mut self.instructions.unstriped, word);
                self.native.forget(layout.unstriped + 4 * word);
            }
        }
        if let Some((first, last)) = flash {
            let halves = self.instructions.flash.iter_mut().take(last as usize / 2 + 1);
            halves.skip(first as usize / 2).for_each(|op| *op = UNDECODED);
            self.native.forget_range(layout.flash + first, layout.flash + last);
        }
    }

    /// Whether somebody watches the execution of the halfword at an address.
    pub fn is_watched(&self, pc: u32) -> bool {
        self.watched.iter().any(|&(first, last)| (first..=last).contains(&pc))
    }

    /// Decodes what is at an address. False if that is done, or if the fast path cannot execute it: the word after it is not in
    /// the same memory, or one of the two words was written in this quantum (the two cores may see different versions).
    #[cold]
    pub fn decode<B: FastBus>(&mut self, pc: u32, bus: &mut B) -> bool {
        let Some(half) = half_at(pc, bus) else { return false };
        match CodeView::of::<B>(pc) {
            Some(CodeView::Flash) => self.decode_flash(pc, half, bus),
            Some(view) => self.decode_ram(pc, half, view, bus),
            None => false,
        }
    }

    fn decode_ram<B: FastBus>(&mut self, pc: u32, half: u16, view: CodeView, bus: &mut B) -> bool {
        let layout = B::MEMORY;
        let watched = self.is_watched(pc);
        let (instructions, first, bytes) = if view == CodeView::Unstriped {
            (&mut self.instructions.unstriped, layout.unstriped, layout.striped_bytes)
        } else {
            (&mut self.instructions.ram, layout.ram, layout.ram_bytes)
        };
        if instructions.is_empty() {
            instructions.resize(bytes as usize / 2, UNDECODED);
        }
        let op = &mut instructions[(pc.wrapping_sub(first) >> 1) as usize];
        if op.code != Code::Undecoded {
            return false;
        }
        let (Some((_, word)), Some((bank, next))) = (B::locate_ram(pc), B::locate_ram((pc & !3).wrapping_add(4)))
        else {
            return false;
        };
        let tags = bus.tags();
        let written = tags.written();
        if [word, next].iter().any(|&index| *tags.of(index) == written) {
            return false;
        }
        for index in [word, next] {
            *tags.of(index) |= CODE;
        }
        let fetch = if pc & 2 == 0 { bank } else { Slave::INTERNAL };
        *op = decoded(half, fetch, watched);
        true
    }

    fn decode_flash<B: FastBus>(&mut self, pc: u32, half: u16, bus: &B) -> bool {
        let (at, words) = ((pc.wrapping_sub(B::MEMORY.flash) >> 1) as usize, bus.flash().len());
        // The word after it is fetched, too.
        if at / 2 + 1 >= words {
            return false;
        }
        let watched = self.is_watched(pc);
        let ops = &mut self.instructions.flash;
        if ops.len() < 2 * words {
            ops.resize(2 * words, UNDECODED);
        }
        let fetch = if pc & 2 == 0 { B::MEMORY.flash_slave } else { Slave::INTERNAL };
        ops[at] = decoded(half, fetch, watched);
        true
    }
}

/// What an instruction is on the fast path, which fetches the next word from a slave.
fn decoded(half: u16, fetch: Slave, watched: bool) -> Op {
    let op = TABLE[half as usize];
    Op { fetch, code: if watched { Code::Watched } else { op.code }, ..op }
}

/// Drops what was decoded from a word, or fetched along with it.
fn drop_word(instructions: &mut [Op], word: u32) {
    let first = 2 * word as usize;
    for op in instructions.iter_mut().take(first + 2).skip(first.saturating_sub(2)) {
        *op = UNDECODED;
    }
}
