//! Instructions one after the other, whole, from what `Decoded` holds of memory: the quick way for a core that asks for
//! nothing but SRAM and hits in the flash cache, and that no exception is due for.
//!
//! Registers of peripherals, too, if a core knows the time (`Company::cycle`) and nobody else has to hear of it (`rare`).
//!
//! A burst ends before an instruction that is more than that. `lane` and `step` then take it cycle by cycle. Which port a
//! core asks for in each cycle of an instruction stands here once more, in the order of [`super::Phase`]; that both ways come
//! to the same is what `tests/engines` is for.

#![allow(clippy::trivially_copy_pass_by_ref)] // as in `execute`

mod ground;
pub(crate) mod ledger;
pub(crate) mod native;
mod rare;

use super::decode::{Code, Op, TABLE};
use super::execute::Then;
use super::step::extract;
use super::{Core, Phase, wide};
use crate::chip::bus::decoded::{Decoded, Instructions, Mark, Place};
use crate::chip::bus::memory::Memory;
use crate::chip::bus::xip::Xip;
use crate::chip::bus::{Bus, Slave};
use crate::chip::clock::Cycle;
use crate::chip::peripherals::sio::Sio;
use ground::{Ground, decode, half_at, prefetched, unreachable};
use ledger::Ledger;
use native::{Exit, Host, Native, Role};

/// Cycles of the longest instruction in a burst that moves no list of registers: BL.
pub(crate) const SHORT: u32 = 3;

/// Cycles for which it is worth it to look for native code.
const WORTH: u32 = 48;

/// What a core in a burst shares the chip with. It also keeps account of time, in a `Clock` that the hot loop can hold in
/// registers.
pub(crate) trait Company {
    /// The time.
    type Clock: Copy;
    /// Whether there is time for an instruction of so many cycles, waits not counted.
    fn has_room(&self, clock: Self::Clock, cycles: u32) -> bool;
    /// The core's next cycle, in which it asks for a slave, or for nothing (`Internal`). The time behind it.
    fn ask(&mut self, clock: Self::Clock, slave: Slave) -> Self::Clock;
    /// The cycle of the chip at a time, where it is known: not for a core that runs ahead of the other one.
    fn cycle(&self, _: Self::Clock) -> Option<Cycle> {
        None
    }
    /// The same of the flash cache, which two cores that execute from flash ask for at once more often than not.
    #[inline(always)]
    fn ask_flash(&mut self, clock: Self::Clock) -> Self::Clock {
        self.ask(clock, Slave::Xip)
    }
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
    /// A register of SIO was read that is the same for as long as nobody changes anything there.
    fn relies_on_io(&mut self) {}
    /// Whether something may be changed in SIO.
    fn may_change_io(&self) -> bool {
        true
    }
    /// Which native code is for it, if any is.
    const ROLE: Option<Role> = None;
    /// Whether native code may read a way of the flash cache, the one of its set that was read last, without telling.
    fn may_know(&mut self, _: u32, _: u32) -> bool {
        false
    }
    /// Lets native code go on from a time, which it moves.
    fn run_native(&mut self, _: &mut Self::Clock, _: impl FnOnce(&mut Ledger)) {}
}

/// Why the hot loop was left.
enum Left {
    /// There is no more time, or the next instruction is none for a burst.
    Ends,
    /// The last instruction went to the other memory, or to where there may be native code.
    Leaves,
    /// The next instruction is none for the hot loop.
    Rare(Op),
    /// Somebody watches whether the next instruction is executed.
    Watched(Op),
    /// What is at this address is to be decoded first.
    Undecoded(u32),
}

impl Core {
    /// Whether the next instruction is in memory that a burst can execute code from.
    pub(crate) fn is_where_bursts_are(&self) -> bool {
        Place::of(self.pc).is_some()
    }

    /// Whether a burst can begin: at an instruction, in memory that holds what was fetched of it.
    pub(crate) fn can_burst(&self, bus: &Bus) -> bool {
        self.phase == Phase::Start && prefetched(self.pc, &bus.memory) == Some(self.queue)
    }

    /// Whether all that keeps a core that stands before an instruction from running ahead of the other one is that it must know
    /// the time: it is about to use a register of a peripheral, or goes where a probe watches.
    pub(crate) fn needs_the_time(&self, decoded: &Decoded) -> bool {
        let (pc, op) = (self.pc, &TABLE[usize::from(self.queue as u16)]);
        if self.phase != Phase::Start || decoded.is_watched(pc) {
            return self.phase == Phase::Start;
        }
        let immediate = op.immediate as i32 as u32;
        let target = match op.code {
            Code::LoadImm => return is_of_time(self.reg(op.n).wrapping_add(immediate)),
            Code::LoadReg => return is_of_time(self.reg(op.n).wrapping_add(self.reg(op.m))),
            Code::StoreImm => return is_quiet_io(self.reg(op.n).wrapping_add(immediate)),
            Code::StoreReg => return is_quiet_io(self.reg(op.n).wrapping_add(self.reg(op.m))),
            Code::Ldm => return self.reg(op.n) >> 28 == APB,
            Code::Wide => wide::branch_target(pc, op.immediate as u16, (self.queue >> 16) as u16),
            Code::Bx | Code::Blx => Some(self.high(op.m, pc) & !1),
            code => code.branches_directly().then(|| pc.wrapping_add(4).wrapping_add(immediate)),
        };
        target.is_some_and(|target| decoded.is_watched(target))
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
        bus.memory.decoded.youngest.begin_burst(bus.memory.flash.len());
        loop {
            let (memory, xip, registers, watch) = bus.apart();
            let Memory { sram, flash, decoded: Decoded { instructions, native, marks, youngest, .. }, .. } = memory;
            let mut ground =
                Ground { sram, flash, marks, xip, registers, watch, youngest, flash_ready, hits: 0, company };
            if let Some(role) = C::ROLE
                && ground.company.has_room(clock, WORTH)
            {
                self.burst_natively(&mut ground, native, instructions, &mut clock, role);
            }
            let Some(place) = Place::of(self.pc) else { break };
            let all = instructions.of(place);
            let left = match self.burst_from(&mut ground, native, instructions, &mut clock, place, all) {
                Err(Left::Watched(op)) => self.burst_watched(&mut ground, native, instructions, &mut clock, place, op),
                left => left,
            };
            let hits = ground.hits;
            bus.xip.count_hits(hits);
            let goes_on = match left {
                Ok(()) | Err(Left::Leaves) => true,
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

    /// Executes instructions of a place, from those of it that are given with the address of the first. Why a burst cannot go
    /// on behind them, if so.
    fn burst_from<C: Company>(
        &mut self,
        ground: &mut Ground<C>,
        native: &mut Native,
        all: &Instructions,
        clock: &mut C::Clock,
        place: Place,
        from: (&[Op], u32),
    ) -> Result<(), Left> {
        let left = match place {
            Place::Sram => self.burst_in::<C, { Place::Sram as u8 }>(ground, native, all, clock, from),
            Place::Linear => self.burst_in::<C, { Place::Linear as u8 }>(ground, native, all, clock, from),
            Place::Flash => self.burst_in::<C, { Place::Flash as u8 }>(ground, native, all, clock, from),
        };
        match left {
            Left::Rare(op) => self.burst_rarely(ground, all, clock, op, place),
            left => Err(left),
        }
    }

    /// Executes an instruction that is watched, if a core in a burst knows when it does, and tells of it.
    #[cold]
    fn burst_watched<C: Company>(
        &mut self,
        ground: &mut Ground<C>,
        native: &mut Native,
        all: &Instructions,
        clock: &mut C::Clock,
        place: Place,
        op: Op,
    ) -> Result<(), Left> {
        let (pc, begun) = (self.pc, self.stats.instructions);
        let now = ground.company.cycle(*clock).filter(|_| !ground.watch.has_breakpoint(pc)).ok_or(Left::Ends)?;
        let half = half_at(pc, ground.sram, ground.flash).ok_or(Left::Ends)?;
        let op = Op { fetch: op.fetch, ..TABLE[usize::from(half)] };
        if op.code.branches_directly() && op.immediate == -4 {
            // It would be executed for ever, and told of once.
            return Err(Left::Ends);
        }
        let left = self.burst_from(ground, native, all, clock, place, (&[op], pc));
        if self.stats.instructions == begun {
            return left;
        }
        ground.watch.executed_at(now, self.id, pc);
        Ok(())
    }

    /// The hot loop, for as long as code is in one place, by number.
    #[inline(never)]
    fn burst_in<C: Company, const PLACE: u8>(
        &mut self,
        ground: &mut Ground<C>,
        native: &mut Native,
        all: &Instructions,
        time: &mut C::Clock,
        (ops, base): (&[Op], u32),
    ) -> Left {
        let place = Place::ALL[PLACE as usize];
        let in_flash = place == Place::Flash;
        let first = all.of(place).1;
        let near = if in_flash { Place::Sram } else { place };
        let mut pc = self.pc;
        let mut clock = *time;
        let mut instructions = 0;
        let left = loop {
            if !ground.company.has_room(clock, SHORT) {
                break Left::Ends;
            }
            let Some(op) = ops.get((pc.wrapping_sub(base) >> 1) as usize) else { break Left::Undecoded(pc) };
            // Nothing but an access to data changes what is known.
            let unknown = in_flash && op.fetch == Slave::Xip && !ground.youngest.has(pc.wrapping_add(4));
            // A branch that is taken fetches its target instead.
            let missing = unknown && !ground.may_hit_unknown(pc.wrapping_add(4));
            if missing && !op.code.branches() {
                break Left::Ends;
            }
            match self.execute(op, pc) {
                Then::Next => {
                    if missing {
                        break Left::Ends;
                    }
                    if unknown {
                        ground.hit_unknown(pc.wrapping_add(4));
                    }
                    clock = ground.fetch_known(clock, op, in_flash);
                    pc = pc.wrapping_add(2);
                }
                Then::Branch => {
                    let target = pc.wrapping_add(4).wrapping_add(op.immediate as i32 as u32);
                    if in_flash && ground.knows(target) {
                        clock = ground.go_known(clock, target);
                        pc = target;
                        instructions += 1;
                        if C::ROLE.is_some() && native.heats(place, (pc.wrapping_sub(first) >> 1) as usize) {
                            break Left::Leaves;
                        }
                        continue;
                    }
                    let Some(refill) = ground.refill(all, near, target) else { break unreachable(target) };
                    clock = ground.go(clock, target, refill);
                    pc = target;
                    if Place::of(pc) != Some(place)
                        || (C::ROLE.is_some() && native.heats(place, (pc.wrapping_sub(first) >> 1) as usize))
                    {
                        instructions += 1;
                        break Left::Leaves;
                    }
                }
                Then::Load(address) => {
                    if address & op.width.misaligned() != 0 {
                        break Left::Ends;
                    }
                    let Some(datum) = ground.datum(address) else {
                        break if is_of_registers(address) { Left::Rare(*op) } else { Left::Ends };
                    };
                    clock = ground.ask(clock, datum.slave, address);
                    self.set(op.d, extract(datum.word, address, op.width));
                    clock = ground.fetch(clock, op, pc, in_flash);
                    pc = pc.wrapping_add(2);
                }
                Then::Store(address) => {
                    if address & op.width.misaligned() != 0 {
                        break Left::Ends;
                    }
                    let Some((slave, index)) = ground.writable(address) else {
                        break if address >> 28 == IO { Left::Rare(*op) } else { Left::Ends };
                    };
                    clock = ground.write(clock, slave, index, address, op.width, self.reg(op.d));
                    clock = ground.fetch(clock, op, pc, in_flash);
                    pc = pc.wrapping_add(2);
                }
                Then::Rare if op.code == Code::Undecoded => break Left::Undecoded(pc),
                Then::Rare if op.code == Code::Watched => break Left::Watched(*op),
                Then::Rare => break Left::Rare(*op),
            }
            instructions += 1;
        };
        self.pc = pc;
        *time = clock;
        self.stats.instructions += instructions;
        left
    }

    /// Executes native code for as long as there is any, and single instructions between.
    fn burst_natively<C: Company>(
        &mut self,
        ground: &mut Ground<C>,
        native: &mut Native,
        all: &Instructions,
        clock: &mut C::Clock,
        role: Role,
    ) {
        while let Some(number) = native.entry(self.pc, all, ground.sram, ground.flash) {
            let host = ground.host();
            let mut left = (Exit::Stop, 0);
            ground.company.run_native(clock, |ledger| {
                ledger.host = Host { clock: ledger.host.clock, ..host };
                left = (native.run(number, role, self, ledger), ledger.host.counts);
            });
            let (exit, counts) = left;
            self.stats.instructions += u64::from(counts >> 16);
            ground.hits += counts & 0xffff;
            let goes_on = match exit {
                Exit::Branch => true,
                Exit::Rare => self.burst_one(ground, all, clock),
                Exit::Unknown => native.entry(self.pc, all, ground.sram, ground.flash).is_some_and(|number| {
                    let (words, more) = native.words(number);
                    for &word in more {
                        ground.learns(word);
                    }
                    words.iter().all(|&word| ground.learns(word))
                }),
                Exit::Stop => false,
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Executes one instruction that the hot loop does not know. False if a burst cannot.
    fn burst_one<C: Company>(&mut self, ground: &mut Ground<C>, all: &Instructions, clock: &mut C::Clock) -> bool {
        let pc = self.pc;
        let Some(place) = Place::of(pc) else { return false };
        let (ops, base) = all.of(place);
        let Some(&op) = ops.get((pc.wrapping_sub(base) >> 1) as usize) else { return false };
        let fetches = op.fetch == Slave::Xip && !op.code.branches();
        if (fetches && !ground.may_hit(pc.wrapping_add(4))) || !ground.company.has_room(*clock, SHORT) {
            return false;
        }
        self.burst_rarely(ground, all, clock, op, place).is_ok()
    }
}

/// The upper four bits of addresses behind the APB bridge, and behind the core's own I/O port.
const APB: u32 = 4;
const IO: u32 = 0xd;

/// Whether a core that knows the time may read what is at an address.
fn is_of_time(address: u32) -> bool {
    address >> 28 == APB || is_quiet_io(address)
}

/// The same of writing.
fn is_quiet_io(address: u32) -> bool {
    address >> 28 == IO && Sio::is_quiet(address)
}

/// Whether what is at an address are registers that a burst may read.
fn is_of_registers(address: u32) -> bool {
    matches!(address >> 28, APB | IO)
}
