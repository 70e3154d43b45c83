//! Code for the host, made of blocks of instructions that are executed often, for the two cores of a quantum
//! and for one that is alone.
//!
//! It does to the core, to SRAM, to its tags and to the log what the hot loop of a fast run does, and leaves before all that
//! is more than that. `region` chooses what is translated together, `x86_64` makes the code. Where the host is another one,
//! or does not let code be made, the hot loop does everything.
//!
//! # Why running it is sound
//! It is the one place where the simulator trusts more than the compiler checks. Code reads and writes a `Core`, a `BusGrantLog`,
//! SRAM with its tags, and reads flash and `MruWords`; all of them live and are borrowed for as long as it runs. It reaches
//! words of SRAM by offsets that were compared with its size, those of flash likewise (`NativeContext::flash_bytes`), entries of the
//! log by cycles before `BusGrantLog::end`, which is at most `LOG_CYCLES`, those of a trace by what took a cycle of the chip each
//! (`engine::trace`), and code by tables that it compares indices with. What it notes of accesses has an entry for each word
//! that the tags have one for. It reaches known registers by two bits of an address, and writes to them that are not made yet by
//! a count that it has compared with their number. It reaches what was read last of a contended set by a byte, and there are 256.

pub(crate) mod region;
mod x86_64;

use crate::core::bus::Slave;
use crate::core::profile::BlockShape;
use crate::engine::contended_sets::ContendedSets;
use crate::engine::fast_bus::{FastBus, FlashCache, MemoryLayout};
use crate::engine::gate::RUNS_HERE;
use crate::engine::grant_log::BusGrantLog;
use crate::engine::policy::{ROLES, Role};
use crate::isa::armv6m::Core;
use crate::isa::armv6m::code_cache::{CodeView, Instructions};
use crate::isa::armv6m::fast_path::memory::half_at;
use crate::isa::thumb::decode::Code;
use dynasmrt::DynasmApi;
use dynasmrt::x64::Assembler;
use dynasmrt::{AssemblyOffset, DynamicLabel};
use region::{Block, BlockEnd, Source, may_access_register};
use std::collections::HashSet;
use x86_64::{NativeEntry, Translator};

/// How often a place is branched to before it is translated: where 32 or 400 times do, a suite of short programs takes longer
/// than without any translation, as most of them end before it has paid.
pub(crate) const JIT_THRESHOLD: u32 = 3000;
/// The same where nothing is ever translated.
const NEVER: u32 = u32::MAX;

/// Why native code was left; the core's PC is where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum NativeExit {
    /// For a place for which there is no code.
    Branch,
    /// Before an instruction that the hot loop does not know either.
    SlowPath,
    /// Before a block of which not all is known to be in the flash cache.
    Unknown,
    /// Before something that the hot loop must look at.
    Stop,
}

impl NativeExit {
    fn of(number: u32) -> Self {
        [Self::Branch, Self::SlowPath, Self::Unknown, Self::Stop][number as usize & 3]
    }
}

/// Bytes of code after which all is forgotten, and what is hot by then translated again: a program of 16 MB, all of it hot,
/// would take gigabytes.
const MOST_CODE: usize = 32 << 20;

/// The code of a block, by role.
struct Entry {
    labels: [DynamicLabel; ROLES],
    offsets: [usize; ROLES],
    /// Words of flash that it fetches whatever happens, and those that it may fetch or read.
    words: Vec<u32>,
    more: Vec<u32>,
}

/// What the code of a region needs to know of the chip and of other code.
struct RegionContext<'a> {
    traces: bool,
    /// Whether it is noted who accesses which word.
    touches: bool,
    place: CodeView,
    source: Source<'a>,
    /// How many words of flash there are.
    words: usize,
    layout: MemoryLayout,
    /// The bank and index of a word of RAM.
    locate_ram: fn(u32) -> Option<(Slave, u32)>,
    /// Which view of memory an address is in.
    view_of: fn(u32) -> Option<CodeView>,
    /// The label of the code at an address, if there is any.
    label: &'a dyn Fn(u32, Role) -> Option<DynamicLabel>,
    /// By role, where the offsets of code are, by halfword; 0 where there is none.
    targets: [usize; ROLES],
    /// How many halfwords there are.
    halves: usize,
    /// None if there are no contended sets of the flash cache.
    contended: Option<ContendedContext<'a>>,
}

/// What it needs to know of them.
#[derive(Clone, Copy)]
struct ContendedContext<'a> {
    /// The number of the one that an address belongs to.
    number: &'a dyn Fn(u32) -> Option<usize>,
    line_bytes: u32,
    sets: usize,
}

impl RegionContext<'_> {
    /// First address of RAM, and the bytes of its striped banks.
    fn ram(&self) -> (i32, i32) {
        (self.layout.ram as i32, self.layout.striped_bytes as i32)
    }

    /// The lowest bit that chooses the bank in the unstriped view.
    fn bank_shift(&self) -> i8 {
        (self.layout.striped_bytes / 4).trailing_zeros() as i8
    }

    /// The number of the contended set that an address of flash belongs to, if it does.
    fn contended_set(&self, address: u32) -> Option<usize> {
        self.contended.and_then(|contended| (contended.number)(address))
    }

    /// Whom a fetch from an address asks.
    fn slave(&self, address: u32) -> Slave {
        (self.locate_ram)(address).map_or(self.layout.flash_slave, |(bank, _)| bank)
    }
}

struct Compiled {
    assembler: Assembler,
    native_entry: NativeEntry,
    /// Where code is.
    base: usize,
    entries: Vec<Entry>,
    /// By place and role, the offset of the code for each halfword; 0 if there is none. Code knows where they are.
    targets: [[Box<[u32]>; ROLES]; 3],
    /// Addresses of words that code was made of.
    sources: HashSet<u32>,
}

/// All that was translated.
pub(crate) struct Native {
    /// How often a place is branched to before it is translated.
    threshold: u32,
    /// Whether what is made writes a trace.
    traces: bool,
    /// By place and halfword, how often it was branched to; above `threshold`, the number of an entry.
    hot_counters: [Vec<u32>; 3],
    compiled: Option<Box<Compiled>>,
}

impl Clone for Native {
    /// Another chip makes code of its own.
    fn clone(&self) -> Self {
        Self::new(self.threshold)
    }
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Native").field("blocks", &self.blocks()).finish_non_exhaustive()
    }
}

impl Native {
    /// Nothing is translated yet; a place will be when it is branched to so many times.
    pub fn new(threshold: u32) -> Self {
        let threshold = if RUNS_HERE { threshold.max(1) } else { NEVER };
        Self { threshold, traces: false, hot_counters: [const { Vec::new() }; 3], compiled: None }
    }

    /// What is run from now on writes a trace, or writes none.
    pub fn set_tracing(&mut self, traces: bool) {
        if self.traces != traces {
            self.forget_all();
            self.traces = traces;
        }
    }

    pub fn blocks(&self) -> usize {
        self.compiled.as_ref().map_or(0, |compiled| compiled.entries.len())
    }

    /// Execution goes on at a halfword, by number, after a branch. Whether there is code for that, or ought to be.
    #[inline(always)]
    pub fn bump_hot_counter(&mut self, place: CodeView, index: usize) -> bool {
        let Some(hot_counters) = self.hot_counters[place as usize].get_mut(index) else { return false };
        if *hot_counters < self.threshold {
            *hot_counters += 1;
        }
        *hot_counters >= self.threshold
    }

    /// Execution goes on at an address. The number of the code for that, which is made if it is worth it.
    pub fn entry<B: FastBus>(
        &mut self,
        pc: u32,
        all: &Instructions,
        bus: &mut B,
        contended: &ContendedSets,
    ) -> Option<usize> {
        let place = CodeView::of::<B>(pc)?;
        let (ops, base) = all.of::<B>(place);
        let source = Source { ops, base };
        let hot_counters = &mut self.hot_counters[place as usize];
        if hot_counters.is_empty() {
            // Memory that is not touched until it is needed.
            *hot_counters = vec![0; ops.len()];
        }
        let index = source.index(pc);
        if !self.bump_hot_counter(place, index) || !source.is_decoded(pc) {
            return None;
        }
        if self.hot_counters[place as usize][index] == self.threshold {
            if self.compiled.as_ref().is_some_and(|compiled| compiled.assembler.offset().0 > MOST_CODE) {
                self.forget_all();
            } else if self.translate(pc, place, source, bus, contended).is_none() {
                // The host does not let code be made.
                *self = Self::new(NEVER);
            }
        }
        self.number(place, index)
    }

    fn number(&self, place: CodeView, index: usize) -> Option<usize> {
        number(*self.hot_counters[place as usize].get(index)?, self.threshold)
    }

    /// Makes code of the region that begins at an address. None if that cannot be done; then some of it may be there.
    fn translate<B: FastBus>(
        &mut self,
        pc: u32,
        place: CodeView,
        source: Source,
        bus: &mut B,
        contended: &ContendedSets,
    ) -> Option<()> {
        let is_known = |pc| self.number(place, source.index(pc)).is_some();
        let mut blocks = region::discover(source, pc, |pc| half_at(pc, bus), is_known);
        number_for_profile(&mut blocks, bus);
        let touches = bus.fabric_mut().watch.profile.as_mut().is_some_and(|profile| profile.touched().is_some());
        if self.compiled.is_none() {
            self.compiled = Some(Box::new(Compiled::new()?));
        }
        let compiled = self.compiled.as_mut()?;
        let first = compiled.entries.len();
        for block in &blocks {
            compiled.add(block);
            *self.hot_counters[place as usize].get_mut(source.index(block.pc))? =
                self.threshold + compiled.entries.len() as u32;
        }
        let (hot_counters, threshold) = (&self.hot_counters[place as usize], self.threshold);
        let Compiled { assembler, native_entry, entries, targets, base, .. } = &mut **compiled;
        let targets = &mut targets[place as usize];
        if targets[0].is_empty() {
            *targets = [(); ROLES].map(|()| vec![0; source.ops.len()].into());
        }
        let label = |pc, role: Role| {
            let number = number(*hot_counters.get(source.index(pc))?, threshold)?;
            entries.get(number).map(|entry| entry.labels[role as usize])
        };
        let contended_number = |address| contended.number::<B::Cache>(address);
        let context = RegionContext {
            traces: self.traces,
            touches,
            place,
            source,
            words: bus.flash().len(),
            layout: B::MEMORY,
            locate_ram: B::locate_ram,
            view_of: CodeView::of::<B>,
            label: &label,
            targets: targets.each_ref().map(|targets| targets.as_ptr() as usize),
            halves: targets[0].len(),
            contended: (contended.count() > 0).then_some(ContendedContext {
                number: &contended_number,
                line_bytes: B::Cache::LINE_BYTES,
                sets: B::Cache::SETS,
            }),
        };
        for role in Role::ALL {
            Translator::new(assembler, native_entry, role, &context).region(&blocks);
        }
        assembler.commit().ok()?;
        *base = assembler.reader().lock().ptr(AssemblyOffset(0)) as usize;
        for (block, entry) in blocks.iter().zip(&mut entries[first..]) {
            for role in Role::ALL.map(|role| role as usize) {
                entry.offsets[role] = assembler.labels().resolve_dynamic(entry.labels[role]).ok()?.0;
                if let Some(target) = targets[role].get_mut(source.index(block.pc)) {
                    *target = entry.offsets[role] as u32;
                }
            }
        }
        Some(())
    }

    /// The word at an address is about to be another one.
    pub fn forget(&mut self, address: u32) {
        if self.compiled.as_ref().is_some_and(|compiled| compiled.sources.contains(&(address & !3))) {
            self.forget_all();
        }
    }

    /// The same of all words between two addresses.
    pub fn forget_range(&mut self, first: u32, last: u32) {
        if self
            .compiled
            .as_ref()
            .is_some_and(|compiled| compiled.sources.iter().any(|at| (first & !3..=last).contains(at)))
        {
            self.forget_all();
        }
    }

    /// What was translated is translated once more when it is executed next.
    pub fn retranslate(&mut self) {
        self.compiled = None;
        for counter in self.hot_counters.iter_mut().flatten() {
            *counter = (*counter).min(self.threshold);
        }
    }

    /// Nothing is translated any more.
    pub fn forget_all(&mut self) {
        *self = Self { traces: self.traces, ..Self::new(self.threshold) };
    }

    /// The words of flash that a block fetches whatever happens, and those that it may fetch or read.
    pub fn words(&self, number: usize) -> (&[u32], &[u32]) {
        let entry = self.compiled.as_ref().and_then(|compiled| compiled.entries.get(number));
        entry.map_or((&[], &[]), |entry| (&entry.words, &entry.more))
    }

    /// Runs code from an entry on.
    pub fn run<B>(&self, number: usize, role: Role, core: &mut Core<B>, log: &mut BusGrantLog) -> NativeExit {
        let Some(compiled) = &self.compiled else { return NativeExit::Stop };
        let Some(entry) = compiled.entries.get(number) else { return NativeExit::Stop };
        log.native.code = compiled.base;
        NativeExit::of(compiled.native_entry.enter(compiled.base, entry.offsets[role as usize], core, log))
    }
}

/// Makes blocks known to a profile, if there is one.
fn number_for_profile<B: FastBus>(blocks: &mut [Block], bus: &mut B) {
    for block in blocks.iter_mut().filter(|block| block.instructions() > 0) {
        let (pc, begins) = (block.pc, block.begins());
        let mut number = |instructions: usize| {
            let last_half = half_at(pc.wrapping_add(2 * (instructions as u32 - 1)), bus)?;
            let profile = bus.fabric_mut().watch.profile.as_mut()?;
            profile.block(&BlockShape { pc, begins: begins[..instructions].to_vec(), last_half })
        };
        block.number = number(begins.len());
        let up_to = |(at, op)| if may_access_register(op) { number(at + 1) } else { None };
        block.up_to = block.ops.iter().enumerate().map(up_to).collect();
    }
}

/// The number of an entry.
fn number(hot_counters: u32, threshold: u32) -> Option<usize> {
    hot_counters.checked_sub(threshold.checked_add(1)?).map(|number| number as usize)
}

impl Compiled {
    fn new() -> Option<Self> {
        let mut assembler = Assembler::new().ok()?;
        let native_entry = NativeEntry::new(&mut assembler);
        let (entries, targets, sources) = (Vec::new(), Default::default(), HashSet::new());
        Some(Self { assembler, native_entry, base: 0, entries, targets, sources })
    }

    /// A block is about to be translated.
    fn add(&mut self, block: &Block) {
        let labels = [(); ROLES].map(|()| self.assembler.new_dynamic_label());
        self.entries.push(Entry { labels, offsets: [0; ROLES], words: fetched(block), more: perhaps_fetched(block) });
        // A branch that is not taken fetches the next word if it begins one.
        self.sources.extend((block.pc & !3..block.end_pc().wrapping_add(5)).step_by(4));
        if let BlockEnd::Branch(_, target) | BlockEnd::Call(_, target) = block.end {
            self.sources.extend(fetched_by_branch(target));
        }
    }
}

/// The words that a block fetches whatever happens; its first one was fetched before.
fn fetched(block: &Block) -> Vec<u32> {
    let end = match block.end {
        // It asks for the next word in vain.
        BlockEnd::Call(..) => block.end_pc().wrapping_add(2),
        _ => block.end_pc(),
    };
    (block.pc..end).step_by(2).filter(|pc| pc & 2 == 0).map(|pc| pc.wrapping_add(4)).collect()
}

/// The words that a branch to a target fetches.
fn fetched_by_branch(target: u32) -> impl Iterator<Item = u32> {
    let upper = (target & 2 != 0).then(|| target.wrapping_add(2));
    [target & !3].into_iter().chain(upper)
}

/// The words that a block may fetch or read beside those.
fn perhaps_fetched(block: &Block) -> Vec<u32> {
    let mut words = Vec::new();
    for (op, pc) in block.ops.iter().zip((block.pc..).step_by(2)) {
        if op.code == Code::LdrLiteral {
            words.push((pc.wrapping_add(4) & !3).wrapping_add(op.immediate as i32 as u32));
        }
    }
    if let BlockEnd::Branch(_, target) | BlockEnd::Call(_, target) = block.end {
        words.extend(fetched_by_branch(target));
    }
    // Behind a branch that is not taken.
    if block.end_pc() & 2 == 0 && matches!(block.end, BlockEnd::Branch(op, _) if op.code != Code::B) {
        words.push(block.end_pc().wrapping_add(4));
    }
    words
}
