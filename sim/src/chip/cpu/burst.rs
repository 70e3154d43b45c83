//! Instructions one after the other, whole, from what `Decoded` holds of memory: the quick way for a core that asks for
//! nothing but SRAM and hits in the flash cache, and that no exception is due for.
//!
//! A burst ends before an instruction that is more than that. `lane` and `step` then take it cycle by cycle. Which port a
//! core asks for in each cycle of an instruction stands here once more, in the order of [`super::Phase`]; that both ways come
//! to the same is what `tests/engines` is for.

#![allow(clippy::trivially_copy_pass_by_ref)] // as in `execute`

use super::decode::{Code, Op, Width};
use super::execute::Then;
use super::step::extract;
use super::{Core, Phase};
use crate::chip::bus::decoded::{Decoded, Mark, Place};
use crate::chip::bus::memory::{Memory, Sram};
use crate::chip::bus::xip::Xip;
use crate::chip::bus::{Bus, Slave, locate_sram};

/// Cycles of the longest instruction in a burst that moves no list of registers: BL.
pub(crate) const SHORT: u32 = 3;

/// What a core in a burst shares the chip with. It also keeps account of time, in a `Clock` that the hot loop can hold in
/// registers.
pub(crate) trait Company {
    /// The time.
    type Clock: Copy;
    /// Whether there is time for an instruction of so many cycles, waits not counted.
    fn has_room(&self, clock: Self::Clock, cycles: u32) -> bool;
    /// The core's next cycle, in which it asks for a slave, or for nothing (`Internal`). The time behind it.
    fn ask(&mut self, clock: Self::Clock, slave: Slave) -> Self::Clock;
    /// Whether a word of SRAM with this mark may be read.
    fn may_read(&mut self, mark: &mut Mark) -> bool;
    /// Whether a word of SRAM with this mark may be written.
    fn may_write(&mut self, mark: &mut Mark) -> bool;
    /// A word of SRAM was written; what stood there before.
    fn wrote(&mut self, index: u32, old: u32);
    /// Whether a way of the flash cache may be read.
    fn may_hit(&mut self, address: u32, way: u32) -> bool;
    /// A way of the flash cache is about to be read.
    fn hits(&mut self, xip: &Xip, address: u32, way: u32);
}

/// Why the hot loop was left.
enum Left {
    /// There is no more time, or the next instruction is none for a burst.
    Ends,
    /// The last instruction went to the other memory.
    Crosses,
    /// The next instruction is none for the hot loop. What is fetched in its last cycle, in flash.
    Rare(Op, Hit),
}

/// What a burst needs of the bus.
struct Ground<'a, C> {
    sram: &'a mut Sram,
    flash: &'a [u32],
    decoded: &'a mut Decoded,
    xip: &'a mut Xip,
    /// The flash interface is not busy with a miss or a flush.
    flash_ready: bool,
    company: &'a mut C,
}

/// A word of flash that is in the cache: its address and way.
type Hit = Option<(u32, u32)>;

/// The two last cycles of a branch: who is asked, and for which words of flash.
struct Refill {
    slaves: [Slave; 2],
    hits: [Hit; 2],
}

/// A word to be loaded: whom to ask, and what it is.
struct Datum {
    slave: Slave,
    hit: Hit,
    word: u32,
}

impl Core {
    /// Whether a burst can begin: at an instruction, in memory that holds what was fetched of it.
    pub(crate) fn can_burst(&self, bus: &Bus) -> bool {
        self.phase == Phase::Start && prefetched(self.pc, &bus.memory) == Some(self.queue)
    }

    /// Executes instructions until there is no more room, or up to one that a burst cannot execute. Returns the time; `t` is
    /// not touched.
    pub(crate) fn burst<C: Company>(
        &mut self,
        bus: &mut Bus,
        company: &mut C,
        mut clock: C::Clock,
        flash_ready: bool,
    ) -> C::Clock {
        let Memory { sram, flash, decoded, .. } = &mut bus.memory;
        let mut ground = Ground { sram, flash, decoded, xip: &mut bus.xip, flash_ready, company };
        loop {
            let left = match Place::of(self.pc) {
                Some(Place::Sram) => self.burst_in::<C, false>(&mut ground, &mut clock),
                Some(Place::Flash) => self.burst_in::<C, true>(&mut ground, &mut clock),
                None => break,
            };
            match left {
                Left::Ends => break,
                Left::Crosses => {}
                Left::Rare(op, fetched) => {
                    let goes_on = if op.code == Code::Undecoded {
                        ground.decode(self.pc)
                    } else if Place::of(self.pc) == Some(Place::Flash) {
                        self.burst_rarely::<C, true>(&mut ground, &mut clock, op, fetched)
                    } else {
                        self.burst_rarely::<C, false>(&mut ground, &mut clock, op, fetched)
                    };
                    if !goes_on {
                        break;
                    }
                }
            }
        }
        self.post_internal(Phase::Start);
        self.queue = prefetched(self.pc, &bus.memory).unwrap_or(0);
        clock
    }

    /// The hot loop, for as long as code is in one of the two memories.
    #[inline(never)]
    fn burst_in<C: Company, const IN_FLASH: bool>(&mut self, ground: &mut Ground<C>, time: &mut C::Clock) -> Left {
        let mut pc = self.pc;
        let mut clock = *time;
        let mut instructions = 0;
        let left = loop {
            if !ground.company.has_room(clock, SHORT) {
                break Left::Ends;
            }
            let op = ground.decoded.op::<IN_FLASH>(pc);
            let due = IN_FLASH && op.fetch == Slave::Xip;
            let fetched = if due { ground.hit(pc.wrapping_add(4)) } else { None };
            // A branch that is taken fetches its target instead.
            let missing = due && fetched.is_none();
            if missing && !op.code.branches() {
                break Left::Ends;
            }
            match self.execute(&op, pc) {
                Then::Next => {
                    if missing {
                        break Left::Ends;
                    }
                    clock = ground.fetch::<IN_FLASH>(clock, &op, fetched);
                    pc = pc.wrapping_add(2);
                }
                Then::Branch => {
                    let target = pc.wrapping_add(4).wrapping_add(op.immediate as i32 as u32);
                    let Some(refill) = ground.refill::<IN_FLASH>(target) else { break Left::Ends };
                    clock = ground.go(clock, &refill);
                    pc = target;
                    if Place::of(pc) != Some(if IN_FLASH { Place::Flash } else { Place::Sram }) {
                        instructions += 1;
                        break Left::Crosses;
                    }
                }
                Then::Load(address) => {
                    if address & op.width.misaligned() != 0 {
                        break Left::Ends;
                    }
                    let Some(datum) = ground.datum(address) else { break Left::Ends };
                    clock = ground.read(clock, &datum);
                    self.set(op.d, extract(datum.word, address, op.width));
                    clock = ground.fetch::<IN_FLASH>(clock, &op, fetched);
                    pc = pc.wrapping_add(2);
                }
                Then::Store(address) => {
                    if address & op.width.misaligned() != 0 {
                        break Left::Ends;
                    }
                    let Some((slave, index)) = ground.writable(address) else { break Left::Ends };
                    clock = ground.write(clock, slave, index, address, op.width, self.reg(op.d));
                    clock = ground.fetch::<IN_FLASH>(clock, &op, fetched);
                    pc = pc.wrapping_add(2);
                }
                Then::Rare => break Left::Rare(op, fetched),
            }
            instructions += 1;
        };
        self.pc = pc;
        *time = clock;
        self.stats.instructions += instructions;
        left
    }

    /// Instructions that are not worth a place in the hot loop. False if a burst cannot execute this one.
    #[inline(never)]
    fn burst_rarely<C: Company, const IN_FLASH: bool>(
        &mut self,
        ground: &mut Ground<C>,
        clock: &mut C::Clock,
        op: Op,
        fetched: Hit,
    ) -> bool {
        let Some((next, time)) = self.rare_burst::<C, IN_FLASH>(ground, *clock, op, fetched) else { return false };
        self.pc = next;
        *clock = time;
        self.stats.instructions += 1;
        true
    }

    /// The address of the next instruction, and the time.
    #[inline(always)]
    fn rare_burst<C: Company, const IN_FLASH: bool>(
        &mut self,
        ground: &mut Ground<C>,
        mut clock: C::Clock,
        op: Op,
        fetched: Hit,
    ) -> Option<(u32, C::Clock)> {
        let pc = self.pc;
        let next = match op.code {
            Code::Push | Code::Stm => {
                let list = op.immediate as u16;
                let downwards = op.code == Code::Push;
                let first = self.reg(op.n).wrapping_sub(if downwards { 4 * list.count_ones() } else { 0 });
                ground.all(clock, first, list, |company, mark| company.may_write(mark))?;
                self.store_many(&op, downwards);
                clock = self.store_elements(ground, clock, first)?;
                clock = ground.fetch::<IN_FLASH>(clock, &op, fetched);
                pc.wrapping_add(2)
            }
            Code::Pop | Code::Ldm => {
                ground.all(clock, self.reg(op.n), op.immediate as u16, |company, mark| company.may_read(mark))?;
                clock = self.load_elements(ground, clock, &op, 0)?;
                clock = ground.fetch::<IN_FLASH>(clock, &op, fetched);
                pc.wrapping_add(2)
            }
            Code::PopPc => {
                let list = op.immediate as u16 | 1 << 15;
                let base = self.reg(op.n);
                ground.all(clock, base, list, |company, mark| company.may_read(mark))?;
                let (slave, index) = locate_sram(base.wrapping_add(4 * (list.count_ones() - 1)))?;
                let target = self.exchangeable(ground.sram.word(index))?;
                let refill = ground.refill::<IN_FLASH>(target)?;
                clock = self.load_elements(ground, clock, &op, 1 << 15)?;
                clock = ground.company.ask(clock, slave);
                self.list = 0;
                self.regs[13] = self.writeback;
                clock = ground.company.ask(clock, Slave::Internal);
                clock = ground.go(clock, &refill);
                target
            }
            Code::Bx | Code::Blx => {
                let target = self.exchangeable(self.high(op.m, pc))?;
                let refill = ground.refill::<IN_FLASH>(target)?;
                if op.code == Code::Blx {
                    self.regs[14] = pc.wrapping_add(2) | 1;
                }
                clock = ground.go(clock, &refill);
                target
            }
            Code::MovPc | Code::AddPc => {
                let value = self.high(op.m, pc);
                let target = if op.code == Code::MovPc { value } else { pc.wrapping_add(4).wrapping_add(value) } & !1;
                let refill = ground.refill::<IN_FLASH>(target)?;
                clock = ground.go(clock, &refill);
                target
            }
            Code::Wide => {
                let second = half_at(pc.wrapping_add(2), ground.sram, ground.flash)?;
                let target = super::wide::branch_target(pc, op.immediate as u16, second)?;
                let refill = ground.refill::<IN_FLASH>(target)?;
                self.regs[14] = pc.wrapping_add(4) | 1;
                // One that begins a word asks for the next word in vain.
                clock = ground.fetch::<IN_FLASH>(clock, &op, fetched);
                clock = ground.go(clock, &refill);
                target
            }
            _ => return None,
        };
        Some((next, clock))
    }

    /// Stores all registers of STM or PUSH from an address on.
    fn store_elements<C: Company>(
        &mut self,
        ground: &mut Ground<C>,
        mut clock: C::Clock,
        mut address: u32,
    ) -> Option<C::Clock> {
        loop {
            let (slave, index) = locate_sram(address)?;
            let value = self.next_element_to_store();
            clock = ground.write(clock, slave, index, address, Width::Word, value);
            address = address.wrapping_add(4);
            if self.element_stored() {
                return Some(clock);
            }
        }
    }

    /// Loads all registers of LDM or POP but PC, which `more` has.
    fn load_elements<C: Company>(
        &mut self,
        ground: &mut Ground<C>,
        mut clock: C::Clock,
        op: &Op,
        more: u16,
    ) -> Option<C::Clock> {
        let mut address = self.reg(op.n);
        self.load_many(op, more);
        while self.list & 0x7fff != 0 {
            let (slave, index) = locate_sram(address)?;
            clock = ground.company.ask(clock, slave);
            let word = ground.sram.word(index);
            address = address.wrapping_add(4);
            self.element_loaded(word);
        }
        Some(clock)
    }

    /// Where BX, BLX or POP goes; none if it returns from an exception, or faults.
    fn exchangeable(&self, target: u32) -> Option<u32> {
        let returns = target >> 28 == 15 && self.ipsr != 0;
        (target & 1 != 0 && !returns).then_some(target & !1)
    }
}

impl<C: Company> Ground<'_, C> {
    /// Decodes what is at `pc`. False if it is nothing that a burst can execute.
    #[cold]
    fn decode(&mut self, pc: u32) -> bool {
        let Some(half) = half_at(pc, self.sram, self.flash) else { return false };
        match Place::of(pc) {
            Some(Place::Sram) => self.decoded.decode_sram(pc, half),
            Some(Place::Flash) => self.decoded.decode_flash(pc, half, self.flash.len()),
            None => false,
        }
    }

    /// A word of flash in the cache that may be read.
    #[inline(always)]
    fn hit(&mut self, address: u32) -> Hit {
        let way = self.xip.holds_ready(address).filter(|_| self.flash_ready)?;
        self.company.may_hit(address, way).then_some((address, way))
    }

    /// The cycle in which a word is read from the flash cache.
    #[inline(always)]
    fn take(&mut self, clock: C::Clock, (address, way): (u32, u32)) -> C::Clock {
        self.company.hits(self.xip, address, way);
        self.xip.hit(address, way);
        self.company.ask(clock, Slave::Xip)
    }

    /// The last cycle of an instruction, in which the next word is fetched if it is due.
    #[inline(always)]
    fn fetch<const IN_FLASH: bool>(&mut self, clock: C::Clock, op: &Op, fetched: Hit) -> C::Clock {
        match fetched {
            Some(hit) if IN_FLASH => self.take(clock, hit),
            _ => self.company.ask(clock, op.fetch),
        }
    }

    /// What a branch to `target` fetches. None if it goes where a burst cannot go on.
    #[inline(always)]
    fn refill<const IN_FLASH: bool>(&mut self, target: u32) -> Option<Refill> {
        if IN_FLASH { self.refill_far(target) } else { self.refill_near(target) }
    }

    #[inline(always)]
    fn refill_near(&mut self, target: u32) -> Option<Refill> {
        // What is fetched must be what is executed: so it is decoded now, or is already.
        if self.decoded.op::<false>(target).code == Code::Undecoded {
            return self.refill_far(target);
        }
        self.refill_sram(target)
    }

    #[inline(always)]
    fn refill_sram(&self, target: u32) -> Option<Refill> {
        let second = if target & 2 == 0 { Slave::Internal } else { locate_sram(target.wrapping_add(2))?.0 };
        Some(Refill { slaves: [locate_sram(target)?.0, second], hits: [None; 2] })
    }

    #[inline(never)]
    fn refill_far(&mut self, target: u32) -> Option<Refill> {
        if Place::of(target)? == Place::Sram {
            return if self.decode(target) { self.refill_sram(target) } else { None };
        }
        let first = self.hit(target & !3)?;
        let second = if target & 2 == 0 { None } else { Some(self.hit(target.wrapping_add(2))?) };
        Some(Refill { slaves: [Slave::Internal; 2], hits: [Some(first), second] })
    }

    /// The two last cycles of a branch.
    #[inline(always)]
    fn go(&mut self, mut clock: C::Clock, refill: &Refill) -> C::Clock {
        for (slave, hit) in refill.slaves.into_iter().zip(refill.hits) {
            clock = match hit {
                Some(hit) => self.take(clock, hit),
                None => self.company.ask(clock, slave),
            };
        }
        clock
    }

    /// The word at an address that a load may have.
    #[inline(always)]
    fn datum(&mut self, address: u32) -> Option<Datum> {
        if let Some((slave, index)) = locate_sram(address) {
            let readable = self.company.may_read(self.decoded.mark(index));
            return readable.then(|| Datum { slave, hit: None, word: self.sram.word(index) });
        }
        let hit = self.hit(address)?;
        Some(Datum { slave: Slave::Xip, hit: Some(hit), word: word_of_flash(address, self.flash) })
    }

    /// The cycle in which it is read.
    #[inline(always)]
    fn read(&mut self, clock: C::Clock, datum: &Datum) -> C::Clock {
        match datum.hit {
            Some(hit) => self.take(clock, hit),
            None => self.company.ask(clock, datum.slave),
        }
    }

    /// The bank and index of a word of SRAM that may be written.
    #[inline(always)]
    fn writable(&mut self, address: u32) -> Option<(Slave, u32)> {
        let (slave, index) = locate_sram(address)?;
        self.company.may_write(self.decoded.mark(index)).then_some((slave, index))
    }

    #[inline(always)]
    fn write(&mut self, clock: C::Clock, slave: Slave, index: u32, address: u32, width: Width, value: u32) -> C::Clock {
        let old = self.sram.write(index, address, width, value);
        self.company.wrote(index, old);
        self.company.ask(clock, slave)
    }

    /// Whether there is time for LDM, STM and the like, and they may have all the words that they move, from an aligned
    /// address on.
    #[inline(always)]
    fn all(&mut self, clock: C::Clock, first: u32, list: u16, may: impl Fn(&mut C, &mut Mark) -> bool) -> Option<()> {
        let count = list.count_ones();
        // One more cycle, and the two of a branch if PC is among them.
        if first & 3 != 0 || count == 0 || !self.company.has_room(clock, count + SHORT) {
            return None;
        }
        for number in 0..count {
            let (_, index) = locate_sram(first.wrapping_add(4 * number))?;
            if !may(self.company, self.decoded.mark(index)) {
                return None;
            }
        }
        Some(())
    }
}

fn word_of_flash(address: u32, flash: &[u32]) -> u32 {
    flash.get((address & 0xff_ffff) as usize / 4).copied().unwrap_or(u32::MAX)
}

/// A word of the memories that bursts know.
fn word_at(address: u32, sram: &Sram, flash: &[u32]) -> Option<u32> {
    match Place::of(address)? {
        Place::Sram => locate_sram(address).map(|(_, index)| sram.word(index)),
        Place::Flash => Some(word_of_flash(address, flash)),
    }
}

fn half_at(address: u32, sram: &Sram, flash: &[u32]) -> Option<u16> {
    word_at(address, sram, flash).map(|word| (word >> ((address & 2) * 8)) as u16)
}

/// What a core has fetched when it begins the instruction at `pc`, if memory has not changed since: the rest of the word,
/// and the next word if that is an upper halfword.
fn prefetched(pc: u32, memory: &Memory) -> Option<u64> {
    let word = |address| word_at(address, &memory.sram, &memory.flash);
    if pc & 2 == 0 {
        return word(pc).map(u64::from);
    }
    Some(u64::from(word(pc)? >> 16) | u64::from(word(pc.wrapping_add(2))?) << 16)
}
