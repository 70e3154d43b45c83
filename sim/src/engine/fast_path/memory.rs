//! What a core in a fast run stands on: the memories that it reaches at once, and what each access means for its peer policy.

#![allow(clippy::trivially_copy_pass_by_ref)] // as in `execute`

use crate::core::access::Width;
use crate::core::watch::Watchpoints;
use crate::engine::code_cache::{AccessTag, AccessTags, CodeView, Instructions};
use crate::engine::fast_path::{FastPathExit, IO, MAX_CYCLES, PeerPolicy};
use crate::engine::mru_words::MruWords;
use crate::engine::native::NativeContext;
use crate::isa::armv6m::decode::{Code, Op};
use crate::rp2040::bus::memory::{Memory, Sram};
use crate::rp2040::bus::registers::Registers;
use crate::rp2040::bus::xip::Xip;
use crate::rp2040::bus::{APB_READ, Slave, locate_sram};

/// What a fast run needs of the bus.
pub(crate) struct FastMemory<'a, C> {
    pub sram: &'a mut Sram,
    pub flash: &'a [u32],
    pub tags: &'a mut AccessTags,
    pub xip: &'a mut Xip,
    pub registers: Registers<'a>,
    pub watch: &'a mut Watchpoints,
    pub mru: &'a mut MruWords,
    /// The flash interface is not busy with a miss or a flush.
    pub flash_ready: bool,
    /// Hits in the flash cache that are not counted yet.
    pub hits: u32,
    pub policy: &'a mut C,
}

/// Who is asked in the two last cycles of a branch.
pub(crate) type RefillSlaves = [Slave; 2];

/// A word to be loaded: whom to ask, and what it is.
pub(crate) struct LoadedWord {
    pub slave: Slave,
    pub word: u32,
}

impl<C: PeerPolicy> FastMemory<'_, C> {
    /// Whether the flash cache has a word, and it may be read.
    #[inline(always)]
    pub fn may_hit(&mut self, address: u32) -> bool {
        self.mru.has(address) || self.may_hit_unknown(address)
    }

    #[inline(never)]
    pub fn may_hit_unknown(&mut self, address: u32) -> bool {
        let way = self.xip.holds_ready(address).filter(|_| self.flash_ready);
        way.is_some_and(|way| self.policy.may_hit(address, way))
    }

    /// The cycle in which a word is read from the flash cache, which has it.
    #[inline(always)]
    pub fn hit(&mut self, clock: C::Clock, address: u32) -> C::Clock {
        if !self.mru.has(address) {
            self.hit_unknown(address);
        }
        self.hit_known(clock)
    }

    /// The same of a word that is known.
    #[inline(always)]
    fn hit_known(&mut self, clock: C::Clock) -> C::Clock {
        self.hits += 1;
        self.policy.ask_flash(clock)
    }

    #[inline(never)]
    pub fn hit_unknown(&mut self, address: u32) {
        // It does: nothing leaves the cache in a fast run.
        let Some(way) = self.xip.holds_ready(address) else { return };
        self.policy.hits(self.xip, address, way);
        let set = Xip::set(address);
        if u32::from(self.xip.oldest(set)) == way {
            self.mru.remove_line(self.xip.line(set, way ^ 1));
            self.xip.set_oldest(set, way as u8 ^ 1);
        }
        self.mru.insert(address);
    }

    /// What native code needs to know.
    pub fn host(&mut self) -> NativeContext {
        NativeContext {
            clock: 0,
            counts: 0,
            sram: self.sram.address(),
            tags: self.tags.address(),
            flash: self.flash.as_ptr() as usize,
            flash_bytes: 4 * self.flash.len() as u32,
            run_fast: self.mru.run_fast(),
            mru: self.mru.address(),
            ..NativeContext::default()
        }
    }

    /// Whether a word of flash is known, or can be taken as known since it changes nothing to read it.
    pub fn ensure_mru(&mut self, address: u32) -> bool {
        if self.mru.has(address) {
            return true;
        }
        let Some(way) = self.xip.holds_ready(address).filter(|_| self.flash_ready) else { return false };
        let read_last = u32::from(self.xip.oldest(Xip::set(address))) != way;
        let ensure_mru = read_last && self.policy.may_know(address, way);
        if ensure_mru {
            self.mru.insert(address);
        }
        ensure_mru
    }

    /// The last cycle of the instruction at `pc`, in which the next word is fetched if it is due.
    #[inline(always)]
    pub fn fetch(&mut self, clock: C::Clock, op: &Op, pc: u32, in_flash: bool) -> C::Clock {
        if in_flash && op.fetch == Slave::Xip {
            return self.hit(clock, pc.wrapping_add(4));
        }
        self.policy.ask(clock, op.fetch)
    }

    /// The same if the next word is known, should it be one of flash.
    #[inline(always)]
    pub fn fetch_known(&mut self, clock: C::Clock, op: &Op, in_flash: bool) -> C::Clock {
        if in_flash && op.fetch == Slave::Xip { self.hit_known(clock) } else { self.policy.ask(clock, op.fetch) }
    }

    /// Whether all that a branch to `target` fetches is known.
    #[inline(always)]
    pub fn is_mru(&self, target: u32) -> bool {
        self.mru.has(target) && (target & 2 == 0 || self.mru.has(target.wrapping_add(2)))
    }

    /// The two last cycles of a branch, if it `is_mru` the target.
    #[inline(always)]
    pub fn go_known(&mut self, clock: C::Clock, target: u32) -> C::Clock {
        let clock = self.hit_known(clock);
        if target & 2 == 0 { self.policy.ask(clock, Slave::Internal) } else { self.hit_known(clock) }
    }

    /// What a branch to `target` fetches, most likely in the view of SRAM that is near. None if a fast run cannot go on there, or
    /// not yet (`unreachable`).
    #[inline(always)]
    pub fn refill(&mut self, all: &Instructions, near: CodeView, target: u32) -> Option<RefillSlaves> {
        let (ops, base) = all.of(near);
        let Some(op) = ops.get((target.wrapping_sub(base) >> 1) as usize) else {
            return self.refill_from_elsewhere(all, target);
        };
        refill_from_sram(op, target)
    }

    #[inline(never)]
    fn refill_from_elsewhere(&mut self, all: &Instructions, target: u32) -> Option<RefillSlaves> {
        let place = CodeView::of(target)?;
        if place != CodeView::Flash {
            let (ops, base) = all.of(place);
            return refill_from_sram(ops.get((target.wrapping_sub(base) >> 1) as usize)?, target);
        }
        if !self.may_hit(target & !3) {
            return None;
        }
        if target & 2 == 0 {
            return Some([Slave::Xip, Slave::Internal]);
        }
        self.may_hit(target.wrapping_add(2)).then_some([Slave::Xip; 2])
    }

    /// The two last cycles of a branch.
    #[inline(always)]
    pub fn go(&mut self, mut clock: C::Clock, target: u32, refill: RefillSlaves) -> C::Clock {
        for (number, address) in [target & !3, target.wrapping_add(2)].into_iter().enumerate() {
            clock = self.ask(clock, refill[number], address);
        }
        clock
    }

    /// The word at an address that a load may have.
    #[inline(always)]
    pub fn loadable(&mut self, address: u32) -> Option<LoadedWord> {
        if let Some((slave, index)) = locate_sram(address) {
            let readable = self.policy.may_read(self.tags.of(index));
            return readable.then(|| LoadedWord { slave, word: self.sram.word(index) });
        }
        self.may_hit(address).then(|| LoadedWord { slave: Slave::Xip, word: word_of_flash(address, self.flash) })
    }

    /// The cycle in which a word is read that may be, if any is.
    #[inline(always)]
    pub fn ask(&mut self, clock: C::Clock, slave: Slave, address: u32) -> C::Clock {
        if slave == Slave::Xip { self.hit(clock, address) } else { self.policy.ask(clock, slave) }
    }

    /// Whether there is time for reading so many registers behind the APB bridge, and a fast run may: see `Registers::may_read`.
    pub fn all_registers(&self, clock: C::Clock, first: u32, count: u32) -> Option<()> {
        let now = self.policy.cycle(clock)?;
        // And one more cycle, at most with a wait.
        let has_room = self.policy.has_room(clock, count * APB_READ as u32 + MAX_CYCLES);
        (has_room && self.registers.may_read(first, count, now)).then_some(())
    }

    /// One of them, and the time at which the core has it.
    pub fn read_register(&mut self, clock: C::Clock, address: u32) -> Option<(C::Clock, u32)> {
        let value = self.registers.read(address, self.policy.cycle(clock)?)?;
        let clock = self.policy.ask(clock, Slave::Apb);
        Some(((1..APB_READ).fold(clock, |clock, _| self.policy.ask(clock, Slave::Internal)), value))
    }

    /// A register of SIO. None if a core in a fast run may not read it, or not at this time.
    pub fn read_io(&mut self, clock: C::Clock, core: u8, address: u32) -> Option<u32> {
        if let Some(value) = self.registers.read_stable(core, address) {
            self.policy.read_stable_io();
            return Some(value);
        }
        let now = self.policy.cycle(clock)?;
        if self.policy.may_change_io() { self.registers.read_io(core, address, now) } else { None }
    }

    /// Writes a register of SIO. None if a core in a fast run may not.
    pub fn write_io(&mut self, clock: C::Clock, core: u8, address: u32, value: u32) -> Option<()> {
        let now = self.policy.cycle(clock)?;
        let may = address >> 28 == IO && self.policy.may_change_io();
        if may { self.registers.write_io(core, address, value, now) } else { None }
    }

    /// The bank and index of a word of SRAM that may be written.
    #[inline(always)]
    pub fn writable(&mut self, address: u32) -> Option<(Slave, u32)> {
        let (slave, index) = locate_sram(address)?;
        self.policy.may_write(self.tags.of(index)).then_some((slave, index))
    }

    #[inline(always)]
    pub fn write(
        &mut self,
        clock: C::Clock,
        slave: Slave,
        index: u32,
        address: u32,
        width: Width,
        value: u32,
    ) -> C::Clock {
        let old = self.sram.write(index, address, width, value);
        self.policy.wrote(index, old);
        self.policy.ask(clock, slave)
    }

    /// Whether there is time for LDM, STM and the like, and they may have all the words that they move, from an aligned
    /// address on.
    #[inline(always)]
    pub fn all(
        &mut self,
        clock: C::Clock,
        first: u32,
        list: u16,
        may: impl Fn(&mut C, &mut AccessTag) -> bool,
    ) -> Option<()> {
        let count = list.count_ones();
        // One more cycle, and the two of a branch if PC is among them.
        if first & 3 != 0 || count == 0 || !self.policy.has_room(clock, count + MAX_CYCLES) {
            return None;
        }
        for number in 0..count {
            let (_, index) = locate_sram(first.wrapping_add(4 * number))?;
            if !may(self.policy, self.tags.of(index)) {
                return None;
            }
        }
        Some(())
    }
}

#[inline(always)]
fn refill_from_sram(op: &Op, target: u32) -> Option<RefillSlaves> {
    // What is fetched must be what is executed: so it has to be decoded before.
    if op.code == Code::Undecoded {
        return None;
    }
    let second = if target & 2 == 0 { Slave::Internal } else { bank(target.wrapping_add(2))? };
    Some([bank(target)?, second])
}

/// The bank that an address is in.
#[inline(always)]
fn bank(address: u32) -> Option<Slave> {
    locate_sram(address).map(|(bank, _)| bank)
}

/// What is to be done about a target that has no `RefillSlaves`: in SRAM it was not decoded yet.
#[cold]
pub(crate) fn unreachable(target: u32) -> FastPathExit {
    if matches!(CodeView::of(target), Some(CodeView::Sram | CodeView::Unstriped)) {
        FastPathExit::Undecoded(target)
    } else {
        FastPathExit::Ends
    }
}

/// Decodes what is at an address. False if it is nothing that a fast run can execute.
#[cold]
pub(crate) fn decode(address: u32, memory: &mut Memory) -> bool {
    let Some(half) = half_at(address, &memory.sram, &memory.flash) else { return false };
    match CodeView::of(address) {
        Some(CodeView::Sram | CodeView::Unstriped) => memory.decoded.decode_sram(address, half),
        Some(CodeView::Flash) => memory.decoded.decode_flash(address, half, memory.flash.len()),
        None => false,
    }
}

fn word_of_flash(address: u32, flash: &[u32]) -> u32 {
    flash.get((address & 0xff_ffff) as usize / 4).copied().unwrap_or(u32::MAX)
}

/// A word of the memories that fast runs know.
fn word_at(address: u32, sram: &Sram, flash: &[u32]) -> Option<u32> {
    match CodeView::of(address)? {
        CodeView::Sram | CodeView::Unstriped => locate_sram(address).map(|(_, index)| sram.word(index)),
        CodeView::Flash => Some(word_of_flash(address, flash)),
    }
}

pub(crate) fn half_at(address: u32, sram: &Sram, flash: &[u32]) -> Option<u16> {
    word_at(address, sram, flash).map(|word| (word >> ((address & 2) * 8)) as u16)
}

/// What a core has fetched when it begins the instruction at `pc`, if memory has not changed since: the rest of the word,
/// and the next word if that is an upper halfword.
pub(crate) fn prefetched(pc: u32, memory: &Memory) -> Option<u64> {
    let word = |address| word_at(address, &memory.sram, &memory.flash);
    if pc & 2 == 0 {
        return word(pc).map(u64::from);
    }
    Some(u64::from(word(pc)? >> 16) | u64::from(word(pc.wrapping_add(2))?) << 16)
}
