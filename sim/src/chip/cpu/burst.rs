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
use crate::chip::bus::decoded::{Decoded, Instructions, Mark, Marks, Place};
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
    Rare(Op, Option<Way>),
    /// What is at this address is to be decoded first.
    Undecoded(u32),
}

/// What a burst needs of the bus.
struct Ground<'a, C> {
    sram: &'a mut Sram,
    flash: &'a [u32],
    marks: &'a mut Marks,
    xip: &'a mut Xip,
    /// The flash interface is not busy with a miss or a flush.
    flash_ready: bool,
    /// Hits in the flash cache that are not counted yet.
    hits: u32,
    company: &'a mut C,
}

/// The way of the flash cache that has a word.
type Way = u8;

/// The two last cycles of a branch: who is asked, and if that is the flash, for which ways. (A few bytes, so that it stays in
/// a register: measured, see bench/sim.)
#[derive(Clone, Copy)]
struct Refill {
    slaves: [Slave; 2],
    ways: [Way; 2],
}

/// A word to be loaded: whom to ask, and what it is.
struct Datum {
    slave: Slave,
    way: Way,
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
        loop {
            let Memory { sram, flash, decoded: Decoded { instructions, marks, .. }, .. } = &mut bus.memory;
            let mut ground = Ground { sram, flash, marks, xip: &mut bus.xip, flash_ready, hits: 0, company };
            let place = Place::of(self.pc);
            let left = match place {
                Some(Place::Sram) => self.burst_in::<C, false>(&mut ground, instructions, &mut clock),
                Some(Place::Flash) => self.burst_in::<C, true>(&mut ground, instructions, &mut clock),
                None => break,
            };
            let left = match left {
                Left::Rare(op, fetched) if place == Some(Place::Flash) => {
                    self.burst_rarely::<C, true>(&mut ground, instructions, &mut clock, op, fetched)
                }
                Left::Rare(op, fetched) => {
                    self.burst_rarely::<C, false>(&mut ground, instructions, &mut clock, op, fetched)
                }
                left => Err(left),
            };
            let hits = ground.hits;
            bus.xip.count_hits(hits);
            let goes_on = match left {
                Ok(()) | Err(Left::Crosses) => true,
                Err(Left::Undecoded(address)) => decode(address, &mut bus.memory),
                Err(_) => false,
            };
            if !goes_on {
                break;
            }
        }
        self.post_internal(Phase::Start);
        self.queue = prefetched(self.pc, &bus.memory).unwrap_or(0);
        clock
    }

    /// The hot loop, for as long as code is in one of the two memories.
    #[inline(never)]
    fn burst_in<C: Company, const IN_FLASH: bool>(
        &mut self,
        ground: &mut Ground<C>,
        all: &Instructions,
        time: &mut C::Clock,
    ) -> Left {
        let (ops, base) = all.of::<IN_FLASH>();
        let mut pc = self.pc;
        let mut clock = *time;
        let mut instructions = 0;
        let left = loop {
            if !ground.company.has_room(clock, SHORT) {
                break Left::Ends;
            }
            let Some(op) = ops.get((pc.wrapping_sub(base) >> 1) as usize) else { break Left::Undecoded(pc) };
            let due = IN_FLASH && op.fetch == Slave::Xip;
            let fetched = if due { ground.hit(pc.wrapping_add(4)) } else { None };
            // A branch that is taken fetches its target instead.
            let missing = due && fetched.is_none();
            if missing && !op.code.branches() {
                break Left::Ends;
            }
            match self.execute(op, pc) {
                Then::Next => {
                    if missing {
                        break Left::Ends;
                    }
                    clock = ground.fetch::<IN_FLASH>(clock, op, pc, fetched);
                    pc = pc.wrapping_add(2);
                }
                Then::Branch => {
                    let target = pc.wrapping_add(4).wrapping_add(op.immediate as i32 as u32);
                    let Some(refill) = ground.refill(all, target) else { break unreachable(target) };
                    clock = ground.go(clock, target, refill);
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
                    clock = ground.read(clock, address, &datum);
                    self.set(op.d, extract(datum.word, address, op.width));
                    clock = ground.fetch::<IN_FLASH>(clock, op, pc, fetched);
                    pc = pc.wrapping_add(2);
                }
                Then::Store(address) => {
                    if address & op.width.misaligned() != 0 {
                        break Left::Ends;
                    }
                    let Some((slave, index)) = ground.writable(address) else { break Left::Ends };
                    clock = ground.write(clock, slave, index, address, op.width, self.reg(op.d));
                    clock = ground.fetch::<IN_FLASH>(clock, op, pc, fetched);
                    pc = pc.wrapping_add(2);
                }
                Then::Rare if op.code == Code::Undecoded => break Left::Undecoded(pc),
                Then::Rare => break Left::Rare(*op, fetched),
            }
            instructions += 1;
        };
        self.pc = pc;
        *time = clock;
        self.stats.instructions += instructions;
        left
    }

    /// Instructions that are not worth a place in the hot loop. Why a burst cannot execute this one, if so.
    #[inline(never)]
    fn burst_rarely<C: Company, const IN_FLASH: bool>(
        &mut self,
        ground: &mut Ground<C>,
        all: &Instructions,
        clock: &mut C::Clock,
        op: Op,
        fetched: Option<Way>,
    ) -> Result<(), Left> {
        (self.pc, *clock) = self.rare_burst::<C, IN_FLASH>(ground, all, *clock, op, fetched)?;
        self.stats.instructions += 1;
        Ok(())
    }

    /// The address of the next instruction, and the time.
    #[inline(always)]
    fn rare_burst<C: Company, const IN_FLASH: bool>(
        &mut self,
        ground: &mut Ground<C>,
        all: &Instructions,
        mut clock: C::Clock,
        op: Op,
        fetched: Option<Way>,
    ) -> Result<(u32, C::Clock), Left> {
        let pc = self.pc;
        let next = match op.code {
            Code::Push | Code::Stm => {
                let list = op.immediate as u16;
                let downwards = op.code == Code::Push;
                let first = self.reg(op.n).wrapping_sub(if downwards { 4 * list.count_ones() } else { 0 });
                ground.all(clock, first, list, C::may_write).ok_or(Left::Ends)?;
                self.store_many(&op, downwards);
                clock = self.store_elements(ground, clock, first).ok_or(Left::Ends)?;
                clock = ground.fetch::<IN_FLASH>(clock, &op, pc, fetched);
                pc.wrapping_add(2)
            }
            Code::Pop | Code::Ldm => {
                ground.all(clock, self.reg(op.n), op.immediate as u16, C::may_read).ok_or(Left::Ends)?;
                clock = self.load_elements(ground, clock, &op, 0).ok_or(Left::Ends)?;
                clock = ground.fetch::<IN_FLASH>(clock, &op, pc, fetched);
                pc.wrapping_add(2)
            }
            Code::PopPc => {
                let list = op.immediate as u16 | 1 << 15;
                let base = self.reg(op.n);
                ground.all(clock, base, list, C::may_read).ok_or(Left::Ends)?;
                let (slave, index) = locate_sram(base.wrapping_add(4 * (list.count_ones() - 1))).ok_or(Left::Ends)?;
                let target = self.exchangeable(ground.sram.word(index)).ok_or(Left::Ends)?;
                let refill = ground.refill(all, target).ok_or_else(|| unreachable(target))?;
                clock = self.load_elements(ground, clock, &op, 1 << 15).ok_or(Left::Ends)?;
                clock = ground.company.ask(clock, slave);
                self.list = 0;
                self.regs[13] = self.writeback;
                clock = ground.company.ask(clock, Slave::Internal);
                clock = ground.go(clock, target, refill);
                target
            }
            Code::Bx | Code::Blx => {
                let target = self.exchangeable(self.high(op.m, pc)).ok_or(Left::Ends)?;
                let refill = ground.refill(all, target).ok_or_else(|| unreachable(target))?;
                if op.code == Code::Blx {
                    self.regs[14] = pc.wrapping_add(2) | 1;
                }
                clock = ground.go(clock, target, refill);
                target
            }
            Code::MovPc | Code::AddPc => {
                let value = self.high(op.m, pc);
                let target = if op.code == Code::MovPc { value } else { pc.wrapping_add(4).wrapping_add(value) } & !1;
                let refill = ground.refill(all, target).ok_or_else(|| unreachable(target))?;
                clock = ground.go(clock, target, refill);
                target
            }
            Code::Wide => {
                let second = half_at(pc.wrapping_add(2), ground.sram, ground.flash).ok_or(Left::Ends)?;
                let target = super::wide::branch_target(pc, op.immediate as u16, second).ok_or(Left::Ends)?;
                let refill = ground.refill(all, target).ok_or_else(|| unreachable(target))?;
                self.regs[14] = pc.wrapping_add(4) | 1;
                // One that begins a word asks for the next word in vain.
                clock = ground.fetch::<IN_FLASH>(clock, &op, pc, fetched);
                clock = ground.go(clock, target, refill);
                target
            }
            _ => return Err(Left::Ends),
        };
        Ok((next, clock))
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
    /// The way of the flash cache that has a word, if it may be read.
    #[inline(always)]
    fn hit(&mut self, address: u32) -> Option<Way> {
        let way = self.xip.holds_ready(address).filter(|_| self.flash_ready)?;
        self.company.may_hit(address, way).then_some(way as Way)
    }

    /// The cycle in which a word is read from the flash cache.
    #[inline(always)]
    fn take(&mut self, clock: C::Clock, address: u32, way: Way) -> C::Clock {
        self.company.hits(self.xip, address, u32::from(way));
        self.xip.set_oldest(Xip::set(address), way ^ 1);
        self.hits += 1;
        self.company.ask(clock, Slave::Xip)
    }

    /// The last cycle of the instruction at `pc`, in which the next word is fetched if it is due.
    #[inline(always)]
    fn fetch<const IN_FLASH: bool>(&mut self, clock: C::Clock, op: &Op, pc: u32, fetched: Option<Way>) -> C::Clock {
        match fetched {
            Some(way) if IN_FLASH => self.take(clock, pc.wrapping_add(4), way),
            _ => self.company.ask(clock, op.fetch),
        }
    }

    /// What a branch to `target` fetches. None if a burst cannot go on there, or not yet (`unreachable`).
    #[inline(always)]
    fn refill(&mut self, all: &Instructions, target: u32) -> Option<Refill> {
        let (ops, base) = all.of::<false>();
        let Some(op) = ops.get((target.wrapping_sub(base) >> 1) as usize) else {
            return self.refill_from_flash(target);
        };
        // What is fetched must be what is executed: so it has to be decoded before.
        if op.code == Code::Undecoded {
            return None;
        }
        let second = if target & 2 == 0 { Slave::Internal } else { bank(target.wrapping_add(2))? };
        Some(Refill { slaves: [bank(target)?, second], ways: [0; 2] })
    }

    #[inline(never)]
    fn refill_from_flash(&mut self, target: u32) -> Option<Refill> {
        let first = self.hit(target & !3)?;
        if target & 2 == 0 {
            return Some(Refill { slaves: [Slave::Xip, Slave::Internal], ways: [first, 0] });
        }
        Some(Refill { slaves: [Slave::Xip; 2], ways: [first, self.hit(target.wrapping_add(2))?] })
    }

    /// The two last cycles of a branch.
    #[inline(always)]
    fn go(&mut self, mut clock: C::Clock, target: u32, refill: Refill) -> C::Clock {
        for (number, address) in [target & !3, target.wrapping_add(2)].into_iter().enumerate() {
            clock = match refill.slaves[number] {
                Slave::Xip => self.take(clock, address, refill.ways[number]),
                slave => self.company.ask(clock, slave),
            };
        }
        clock
    }

    /// The word at an address that a load may have.
    #[inline(always)]
    fn datum(&mut self, address: u32) -> Option<Datum> {
        if let Some((slave, index)) = locate_sram(address) {
            let readable = self.company.may_read(self.marks.of(index));
            return readable.then(|| Datum { slave, way: 0, word: self.sram.word(index) });
        }
        let way = self.hit(address)?;
        Some(Datum { slave: Slave::Xip, way, word: word_of_flash(address, self.flash) })
    }

    /// The cycle in which it is read.
    #[inline(always)]
    fn read(&mut self, clock: C::Clock, address: u32, datum: &Datum) -> C::Clock {
        match datum.slave {
            Slave::Xip => self.take(clock, address, datum.way),
            slave => self.company.ask(clock, slave),
        }
    }

    /// The bank and index of a word of SRAM that may be written.
    #[inline(always)]
    fn writable(&mut self, address: u32) -> Option<(Slave, u32)> {
        let (slave, index) = locate_sram(address)?;
        self.company.may_write(self.marks.of(index)).then_some((slave, index))
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
            if !may(self.company, self.marks.of(index)) {
                return None;
            }
        }
        Some(())
    }
}

/// The bank that an address is in.
#[inline(always)]
fn bank(address: u32) -> Option<Slave> {
    locate_sram(address).map(|(bank, _)| bank)
}

/// What is to be done about a target that has no `Refill`: in SRAM it was not decoded yet.
#[cold]
fn unreachable(target: u32) -> Left {
    if Place::of(target) == Some(Place::Sram) { Left::Undecoded(target) } else { Left::Ends }
}

/// Decodes what is at an address. False if it is nothing that a burst can execute.
#[cold]
fn decode(address: u32, memory: &mut Memory) -> bool {
    let Some(half) = half_at(address, &memory.sram, &memory.flash) else { return false };
    match Place::of(address) {
        Some(Place::Sram) => memory.decoded.decode_sram(address, half),
        Some(Place::Flash) => memory.decoded.decode_flash(address, half, memory.flash.len()),
        None => false,
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
