//! Instructions one after the other, whole, from what `CodeCache` holds of memory: the quick way for a core that asks for
//! nothing but SRAM and hits in the flash cache, and that no exception is due for.
//!
//! Registers of peripherals, too, if a core knows the time (`PeerPolicy::cycle`) and nobody else has to hear of it (`rare`).
//!
//! A fast run ends before an instruction that is more than that. `pipeline` and `step` then take it cycle by cycle. Which port a
//! core asks for in each cycle of an instruction stands here once more, in the order of [`super::Phase`]; that both ways come
//! to the same is what `tests/engines` is for.

#![allow(clippy::trivially_copy_pass_by_ref)] // as in `execute`

pub(crate) mod memory;
mod slow_path;

use crate::core::access::extract;
use crate::core::time::Cycle;
use crate::engine::code_cache::{AccessTag, CodeCache, CodeView, Instructions};
use crate::engine::grant_log::BusGrantLog;
use crate::engine::native::{Native, NativeContext, NativeExit, Role};
use crate::isa::armv6m::decode::{Code, Op, TABLE};
use crate::isa::armv6m::execute::Effect;
use crate::isa::armv6m::{Core, Phase, wide};
use crate::rp2040::bus::memory::Memory;
use crate::rp2040::bus::xip::Xip;
use crate::rp2040::bus::{Bus, Slave};
use crate::rp2040::peripherals::sio::Sio;
use memory::{FastMemory, decode, half_at, prefetched, unreachable};

/// Cycles of the longest instruction in a fast run that moves no list of registers: BL.
pub(crate) const MAX_CYCLES: u32 = 3;

/// Cycles for which it is worth it to look for native code.
const MIN_NATIVE_BUDGET: u32 = 48;

/// What a core in a fast run shares the chip with. It also keeps account of time, in a `Clock` that the hot loop can hold in
/// registers.
pub(crate) trait PeerPolicy {
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
    /// Whether a word of SRAM with this tag may be read.
    fn may_read(&mut self, tag: &mut AccessTag) -> bool;
    /// Whether a word of SRAM with this tag may be written.
    fn may_write(&mut self, tag: &mut AccessTag) -> bool;
    /// A word of SRAM was written; what stood there before.
    fn wrote(&mut self, index: u32, old: u32);
    /// Whether a way of the flash cache may be read.
    fn may_hit(&mut self, address: u32, way: u32) -> bool;
    /// A way of the flash cache is about to be read.
    fn hits(&mut self, xip: &Xip, address: u32, way: u32);
    /// A register of SIO was read that is the same for as long as nobody changes anything there.
    fn read_stable_io(&mut self) {}
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
    fn run_native(&mut self, _: &mut Self::Clock, _: impl FnOnce(&mut BusGrantLog)) {}
}

/// Why the hot loop was left.
pub(crate) enum FastPathExit {
    /// There is no more time, or the next instruction is none for a fast run.
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
    /// Whether the next instruction is in memory that a fast run can execute code from.
    pub(crate) fn is_in_fast_memory(&self) -> bool {
        CodeView::of(self.pc).is_some()
    }

    /// Whether a fast run can begin: at an instruction, in memory that holds what was fetched of it.
    pub(crate) fn can_run_fast(&self, bus: &Bus) -> bool {
        self.phase == Phase::Start && prefetched(self.pc, &bus.memory) == Some(self.queue)
    }

    /// Whether all that keeps a core that stands before an instruction from running ahead of the other one is that it must know
    /// the time: it is about to use a register of a peripheral, or goes where a probe watches.
    pub(crate) fn needs_the_time(&self, decoded: &CodeCache) -> bool {
        let (pc, op) = (self.pc, &TABLE[usize::from(self.queue as u16)]);
        if self.phase != Phase::Start || decoded.is_watched(pc) {
            return self.phase == Phase::Start;
        }
        let immediate = op.immediate as i32 as u32;
        let target = match op.code {
            Code::LoadImm => return is_of_time(self.reg(op.n).wrapping_add(immediate)),
            Code::LoadReg => return is_of_time(self.reg(op.n).wrapping_add(self.reg(op.m))),
            Code::StoreImm => return is_io_without_side_effects(self.reg(op.n).wrapping_add(immediate)),
            Code::StoreReg => return is_io_without_side_effects(self.reg(op.n).wrapping_add(self.reg(op.m))),
            Code::Ldm => return self.reg(op.n) >> 28 == APB,
            Code::Wide => wide::branch_target(pc, op.immediate as u16, (self.queue >> 16) as u16),
            Code::Bx | Code::Blx => Some(self.high(op.m, pc) & !1),
            code => code.branches_directly().then(|| pc.wrapping_add(4).wrapping_add(immediate)),
        };
        target.is_some_and(|target| decoded.is_watched(target))
    }

    /// Executes instructions until there is no more room, or up to one that a fast run cannot execute. Returns the time; `t` is
    /// not touched.
    pub(crate) fn run_fast<C: PeerPolicy>(
        &mut self,
        bus: &mut Bus,
        policy: &mut C,
        mut clock: C::Clock,
        flash_ready: bool,
    ) -> C::Clock {
        bus.memory.decoded.mru.begin_run(bus.memory.flash.len());
        loop {
            let (memory, xip, registers, watch) = bus.apart();
            let Memory { sram, flash, decoded: CodeCache { instructions, native, tags, mru, .. }, .. } = memory;
            let mut fast = FastMemory { sram, flash, tags, xip, registers, watch, mru, flash_ready, hits: 0, policy };
            if let Some(role) = C::ROLE
                && fast.policy.has_room(clock, MIN_NATIVE_BUDGET)
            {
                self.run_native_code(&mut fast, native, instructions, &mut clock, role);
            }
            let Some(place) = CodeView::of(self.pc) else { break };
            let all = instructions.of(place);
            let left = match self.run_view(&mut fast, native, instructions, &mut clock, place, all) {
                Err(FastPathExit::Watched(op)) => {
                    self.run_watched(&mut fast, native, instructions, &mut clock, place, op)
                }
                left => left,
            };
            let hits = fast.hits;
            bus.xip.count_hits(hits);
            let goes_on = match left {
                Ok(()) | Err(FastPathExit::Leaves) => true,
                Err(FastPathExit::Undecoded(address)) => decode(address, &mut bus.memory),
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

    /// Executes instructions of a place, from those of it that are given with the address of the first. Why a fast run cannot go
    /// on behind them, if so.
    fn run_view<C: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<C>,
        native: &mut Native,
        all: &Instructions,
        clock: &mut C::Clock,
        place: CodeView,
        from: (&[Op], u32),
    ) -> Result<(), FastPathExit> {
        let left = match place {
            CodeView::Sram => self.run_hot_loop::<C, { CodeView::Sram as u8 }>(fast, native, all, clock, from),
            CodeView::Unstriped => {
                self.run_hot_loop::<C, { CodeView::Unstriped as u8 }>(fast, native, all, clock, from)
            }
            CodeView::Flash => self.run_hot_loop::<C, { CodeView::Flash as u8 }>(fast, native, all, clock, from),
        };
        match left {
            FastPathExit::Rare(op) => self.run_slow_path(fast, all, clock, op, place),
            left => Err(left),
        }
    }

    /// Executes an instruction that is watched, if a core in a fast run knows when it does, and tells of it.
    #[cold]
    fn run_watched<C: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<C>,
        native: &mut Native,
        all: &Instructions,
        clock: &mut C::Clock,
        place: CodeView,
        op: Op,
    ) -> Result<(), FastPathExit> {
        let (pc, begun) = (self.pc, self.stats.instructions);
        let now = fast.policy.cycle(*clock).filter(|_| !fast.watch.has_breakpoint(pc)).ok_or(FastPathExit::Ends)?;
        let half = half_at(pc, fast.sram, fast.flash).ok_or(FastPathExit::Ends)?;
        let op = Op { fetch: op.fetch, ..TABLE[usize::from(half)] };
        if op.code.branches_directly() && op.immediate == -4 {
            // It would be executed for ever, and told of once.
            return Err(FastPathExit::Ends);
        }
        let left = self.run_view(fast, native, all, clock, place, (&[op], pc));
        if self.stats.instructions == begun {
            return left;
        }
        fast.watch.executed_at(now, self.id, pc);
        Ok(())
    }

    /// The hot loop, for as long as code is in one place, by number.
    #[inline(never)]
    fn run_hot_loop<C: PeerPolicy, const PLACE: u8>(
        &mut self,
        fast: &mut FastMemory<C>,
        native: &mut Native,
        all: &Instructions,
        time: &mut C::Clock,
        (ops, base): (&[Op], u32),
    ) -> FastPathExit {
        let place = CodeView::ALL[PLACE as usize];
        let in_flash = place == CodeView::Flash;
        let first = all.of(place).1;
        let near = if in_flash { CodeView::Sram } else { place };
        let mut pc = self.pc;
        let mut clock = *time;
        let mut instructions = 0;
        let left = loop {
            if !fast.policy.has_room(clock, MAX_CYCLES) {
                break FastPathExit::Ends;
            }
            let Some(op) = ops.get((pc.wrapping_sub(base) >> 1) as usize) else { break FastPathExit::Undecoded(pc) };
            // Nothing but an access to data changes what is known.
            let unknown = in_flash && op.fetch == Slave::Xip && !fast.mru.has(pc.wrapping_add(4));
            // A branch that is taken fetches its target instead.
            let missing = unknown && !fast.may_hit_unknown(pc.wrapping_add(4));
            if missing && !op.code.branches() {
                break FastPathExit::Ends;
            }
            match self.execute(op, pc) {
                Effect::Next => {
                    if missing {
                        break FastPathExit::Ends;
                    }
                    if unknown {
                        fast.hit_unknown(pc.wrapping_add(4));
                    }
                    clock = fast.fetch_known(clock, op, in_flash);
                    pc = pc.wrapping_add(2);
                }
                Effect::Branch => {
                    let target = pc.wrapping_add(4).wrapping_add(op.immediate as i32 as u32);
                    if in_flash && fast.is_mru(target) {
                        clock = fast.go_known(clock, target);
                        pc = target;
                        instructions += 1;
                        if C::ROLE.is_some() && native.bump_hot_counter(place, (pc.wrapping_sub(first) >> 1) as usize) {
                            break FastPathExit::Leaves;
                        }
                        continue;
                    }
                    let Some(refill) = fast.refill(all, near, target) else { break unreachable(target) };
                    clock = fast.go(clock, target, refill);
                    pc = target;
                    if CodeView::of(pc) != Some(place)
                        || (C::ROLE.is_some() && native.bump_hot_counter(place, (pc.wrapping_sub(first) >> 1) as usize))
                    {
                        instructions += 1;
                        break FastPathExit::Leaves;
                    }
                }
                Effect::Load(address) => {
                    if address & op.width.misaligned() != 0 {
                        break FastPathExit::Ends;
                    }
                    let Some(loadable) = fast.loadable(address) else {
                        break if is_of_registers(address) { FastPathExit::Rare(*op) } else { FastPathExit::Ends };
                    };
                    clock = fast.ask(clock, loadable.slave, address);
                    self.set(op.d, extract(loadable.word, address, op.width));
                    clock = fast.fetch(clock, op, pc, in_flash);
                    pc = pc.wrapping_add(2);
                }
                Effect::Store(address) => {
                    if address & op.width.misaligned() != 0 {
                        break FastPathExit::Ends;
                    }
                    let Some((slave, index)) = fast.writable(address) else {
                        break if address >> 28 == IO { FastPathExit::Rare(*op) } else { FastPathExit::Ends };
                    };
                    clock = fast.write(clock, slave, index, address, op.width, self.reg(op.d));
                    clock = fast.fetch(clock, op, pc, in_flash);
                    pc = pc.wrapping_add(2);
                }
                Effect::Rare if op.code == Code::Undecoded => break FastPathExit::Undecoded(pc),
                Effect::Rare if op.code == Code::Watched => break FastPathExit::Watched(*op),
                Effect::Rare => break FastPathExit::Rare(*op),
            }
            instructions += 1;
        };
        self.pc = pc;
        *time = clock;
        self.stats.instructions += instructions;
        left
    }

    /// Executes native code for as long as there is any, and single instructions between.
    fn run_native_code<C: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<C>,
        native: &mut Native,
        all: &Instructions,
        clock: &mut C::Clock,
        role: Role,
    ) {
        while let Some(number) = native.entry(self.pc, all, fast.sram, fast.flash) {
            let host = fast.host();
            let mut left = (NativeExit::Stop, 0);
            fast.policy.run_native(clock, |log| {
                log.host = NativeContext { clock: log.host.clock, ..host };
                left = (native.run(number, role, self, log), log.host.counts);
            });
            let (exit, counts) = left;
            self.stats.instructions += u64::from(counts >> 16);
            fast.hits += counts & 0xffff;
            let goes_on = match exit {
                NativeExit::Branch => true,
                NativeExit::Rare => self.run_one_on_slow_path(fast, all, clock),
                NativeExit::Unknown => native.entry(self.pc, all, fast.sram, fast.flash).is_some_and(|number| {
                    let (words, more) = native.words(number);
                    for &word in more {
                        fast.ensure_mru(word);
                    }
                    words.iter().all(|&word| fast.ensure_mru(word))
                }),
                NativeExit::Stop => false,
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Executes one instruction that the hot loop does not know. False if a fast run cannot.
    fn run_one_on_slow_path<C: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<C>,
        all: &Instructions,
        clock: &mut C::Clock,
    ) -> bool {
        let pc = self.pc;
        let Some(place) = CodeView::of(pc) else { return false };
        let (ops, base) = all.of(place);
        let Some(&op) = ops.get((pc.wrapping_sub(base) >> 1) as usize) else { return false };
        let fetches = op.fetch == Slave::Xip && !op.code.branches();
        if (fetches && !fast.may_hit(pc.wrapping_add(4))) || !fast.policy.has_room(*clock, MAX_CYCLES) {
            return false;
        }
        self.run_slow_path(fast, all, clock, op, place).is_ok()
    }
}

/// The upper four bits of addresses behind the APB bridge, and behind the core's own I/O port.
const APB: u32 = 4;
const IO: u32 = 0xd;

/// Whether a core that knows the time may read what is at an address.
fn is_of_time(address: u32) -> bool {
    address >> 28 == APB || is_io_without_side_effects(address)
}

/// The same of writing.
fn is_io_without_side_effects(address: u32) -> bool {
    address >> 28 == IO && Sio::has_no_side_effects(address)
}

/// Whether what is at an address are registers that a fast run may read.
fn is_of_registers(address: u32) -> bool {
    matches!(address >> 28, APB | IO)
}
