//! Instructions as they were decoded from RAM and flash.
//!
//! A core on the fast path executes what stands here instead of decoding each halfword that it fetches. The word of an
//! instruction and the next one, which is fetched before the instruction ends, carry the tag [`CODE`] for as long as the
//! instruction stands here: the fast path does not write to them, and any other write has the instruction dropped before the
//! fast path goes on ([`StaleCode`](crate::engine::fast_bus::StaleCode)). So what stands here is what memory holds.
//!
//! What is watched ([`Watchpoints`](crate::core::watch::Watchpoints)) is apart: words of data carry the tag [`WATCHED`], and instructions are `Code::Watched`.

use crate::core::bus::Slave;
use crate::engine::access_tags::{CODE, STORES_WATCHED, WATCHED};
use crate::engine::cpu;
use crate::engine::fast_bus::{FastBus, MemoryLayout, StaleCode};
use crate::isa::armv6m::fast_path::memory::half_at;
use crate::isa::armv6m::native::{JIT_THRESHOLD, Native};
use crate::isa::thumb::decode::{Code, Op, TABLE};

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

    /// The address of its first halfword.
    #[inline(always)]
    pub fn base<B: FastBus>(self) -> u32 {
        [B::MEMORY.ram, B::MEMORY.unstriped, B::MEMORY.flash][self as usize]
    }

    /// The number of the halfword at an address.
    #[inline(always)]
    pub fn index<B: FastBus>(self, address: u32) -> usize {
        (address.wrapping_sub(self.base::<B>()) >> 1) as usize
    }
}

/// By view, instructions by the halfword that they begin with. There is no room for those of a view where none was decoded yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instructions([Vec<Op>; 3]);

/// See the module's description.
#[derive(Clone, Debug)]
pub(crate) struct CodeCache {
    pub instructions: Instructions,
    pub native: Native,
    /// First and last address of all whose execution somebody watches.
    watched: Vec<(u32, u32)>,
    /// Changes of the watchpoints that are known here.
    changes: u64,
    /// The same as far as code is concerned.
    code_changes: u64,
}

impl Instructions {
    /// All of a view, and the address of the first.
    #[inline(always)]
    pub fn of<B: FastBus>(&self, view: CodeView) -> (&[Op], u32) {
        (&self.0[view as usize], view.base::<B>())
    }

    /// The one at an address of a view, if there is room for it.
    #[inline(always)]
    pub fn at<B: FastBus>(&self, view: CodeView, pc: u32) -> Option<&Op> {
        self.0[view as usize].get(view.index::<B>(pc))
    }
}

impl Default for CodeCache {
    fn default() -> Self {
        let native = Native::new(JIT_THRESHOLD);
        Self { instructions: Instructions::default(), native, watched: Vec::new(), changes: 0, code_changes: 0 }
    }
}

impl<B: FastBus> cpu::CodeCache<B> for CodeCache {
    fn sync_watchpoints(&mut self, bus: &mut B) {
        let watch = &bus.fabric().watch;
        if self.changes == watch.changes() {
            return;
        }
        self.changes = watch.changes();
        let all = watch.accessed().map(|range| (range, WATCHED));
        let accessed: Vec<_> = all.chain(watch.stored().map(|word| ((word, word), STORES_WATCHED))).collect();
        if self.code_changes == watch.code_changes() {
            bus.tags().clear_watches();
        } else {
            self.code_changes = watch.code_changes();
            self.watched = watch.executed().collect();
            for instructions in &mut self.instructions.0 {
                instructions.fill(UNDECODED);
            }
            self.native.forget_all();
            bus.tags().clear_watches_and_code();
        }
        for ((first, last), tag) in accessed {
            let MemoryLayout { ram, ram_bytes, unstriped, striped_bytes, .. } = B::MEMORY;
            for (begin, end) in [(ram, ram + ram_bytes - 1), (unstriped, unstriped + striped_bytes - 1)] {
                for address in (first.max(begin) & !3..=last.min(end)).step_by(4) {
                    if let Some((_, index)) = B::locate_ram(address) {
                        *bus.tags().of(index) |= tag;
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

    fn retranslate(&mut self) {
        self.native.retranslate();
    }
}

impl CodeCache {
    #[cold]
    fn drop_all_stale<B: FastBus>(&mut self, bus: &mut B) {
        let layout = B::MEMORY;
        let [in_ram, in_unstriped, in_flash] = &mut self.instructions.0;
        let StaleCode { ram, flash } = std::mem::take(bus.stale_code());
        for index in ram {
            drop_word(in_ram, index);
            self.native.forget(layout.ram + 4 * index);
            if index < layout.striped_words() {
                let word = layout.unstriped_word(index);
                drop_word(in_unstriped, word);
                self.native.forget(layout.unstriped + 4 * word);
            }
        }
        if let Some((first, last)) = flash {
            let halves = in_flash.iter_mut().take(last as usize / 2 + 1);
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
        let (Some(half), Some(view)) = (half_at(pc, bus), CodeView::of::<B>(pc)) else { return false };
        let fetched = (pc & !3).wrapping_add(4);
        let bytes = match view {
            CodeView::Ram => B::MEMORY.ram_bytes,
            CodeView::Unstriped => B::MEMORY.striped_bytes,
            CodeView::Flash => 4 * bus.flash().len() as u32,
        };
        if fetched.wrapping_sub(view.base::<B>()) >= bytes {
            return false;
        }
        let watched = self.is_watched(pc);
        let ops = &mut self.instructions.0[view as usize];
        if ops.len() < bytes as usize / 2 {
            ops.resize(bytes as usize / 2, UNDECODED);
        }
        let op = &mut ops[view.index::<B>(pc)];
        if op.code != Code::Undecoded {
            return false;
        }
        let mut slave = B::MEMORY.flash_slave;
        if view != CodeView::Flash {
            let (Some((_, word)), Some((bank, next))) = (B::locate_ram(pc), B::locate_ram(fetched)) else {
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
            slave = bank;
        }
        *op = TABLE[half as usize];
        op.fetch = if pc & 2 == 0 { slave } else { Slave::INTERNAL };
        if watched {
            op.code = Code::Watched;
        }
        true
    }
}

/// Drops what was decoded from a word, or fetched along with it.
fn drop_word(instructions: &mut [Op], word: u32) {
    let first = 2 * word as usize;
    for op in instructions.iter_mut().take(first + 2).skip(first.saturating_sub(2)) {
        *op = UNDECODED;
    }
}
