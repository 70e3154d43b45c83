//! Whole instructions, one after the other, from what the code cache holds decoded: the fast path of a core that accesses only
//! RAM and lines in the flash cache, and that no exception is due for. A core that knows the time also accesses registers whose
//! access concerns nobody else (`slow_path`).
//!
//! It stops before an instruction that needs more. Lock-step executes that one. Both read the same table of bus cycles
//! ([`super::cycles`]); tests/engines compares the two.

pub(crate) mod memory;
mod slow_path;

use crate::core::access::extract;
use crate::core::bus::Slave;
use crate::core::profile::Masks;
use crate::core::time::Cycle;
use crate::engine::cpu::FastCpu;
use crate::engine::fast_bus::{FastBus, FlashCache};
use crate::engine::grant_log::NativeContext;
use crate::engine::policy::PeerPolicy;
use crate::isa::armv6m::code_cache::{CodeCache, CodeView, Instructions};
use crate::isa::armv6m::cycles::{self, BRANCH, LOAD, MAX_CYCLES, STORE};
use crate::isa::armv6m::execute::Effect;
use crate::isa::armv6m::native::region::words_moved;
use crate::isa::armv6m::native::{Native, NativeExit};
use crate::isa::armv6m::pipeline::lockstep::is_short_loop;
use crate::isa::armv6m::{Core, Phase, wide};
use crate::isa::thumb::decode::{Code, Op, TABLE};
use memory::{FastMemory, half_at, prefetched, unreachable};

/// Cycles from which on looking for native code pays.
const MIN_NATIVE_BUDGET: u32 = 16;

/// Cycles of an instruction at most, waits not counted, if it is one for the hot loop.
fn most_cycles(op: &Op) -> u32 {
    match op.code {
        code if code.branches_directly() => BRANCH.count(),
        code if code.needs_slow_path() => MAX_CYCLES,
        code => cycles::of(code).count() + words_moved(op) as u32,
    }
}

/// Why the hot loop ends.
pub(crate) enum FastPathExit {
    /// There is no more time, or lock-step has to execute the next instruction.
    Stop,
    /// The last instruction branched to another view of memory, or to where there may be native code.
    OtherView,
    /// The next instruction is one for the slow path.
    SlowPath(Op),
    /// A probe or a breakpoint watches the next instruction.
    Watched(Op),
    /// What is at this address has to be decoded first.
    Undecoded(u32),
}

impl<B: FastBus> FastCpu<B> for Core<B> {
    type CodeCache = CodeCache;

    const MAX_CYCLES: u32 = MAX_CYCLES;

    fn begun(&self) -> u64 {
        self.stats.instructions
    }

    fn is_in_fast_memory(&self) -> bool {
        CodeView::of::<B>(self.pc).is_some()
    }

    fn is_in_handler(&self) -> bool {
        self.ipsr != 0
    }

    fn can_run_fast(&self, bus: &B) -> bool {
        self.phase == Phase::Start && prefetched(self.pc, bus) == Some(self.queue)
    }

    fn needs_the_time(&self, code: &CodeCache, bus: &B, contended: u64) -> bool {
        let (pc, op) = (self.pc, &TABLE[usize::from(self.queue as u16)]);
        if self.phase != Phase::Start || code.is_watched(pc) {
            return self.phase == Phase::Start;
        }
        let needs_time = |address| {
            let timed = !B::is_timeless_io(address) || B::shared_io(address) & contended != 0;
            timed && bus.is_event_free_io(address)
        };
        let target = match op.code {
            Code::LoadImm | Code::LoadReg => {
                let address = self.effective_address(op);
                let contends = B::is_io(address) && B::shared_io(address) & contended != 0;
                return B::register_port(address).is_some() || contends || needs_time(address);
            }
            Code::StoreImm | Code::StoreReg => {
                let address = self.effective_address(op);
                return B::may_write_register(address) || needs_time(address);
            }
            Code::Ldm => return B::register_port(self.reg(op.n)).is_some(),
            Code::Wide => wide::branch_target(pc, op.immediate as u16, (self.queue >> 16) as u16),
            Code::Bx | Code::Blx => Some(self.high(op.m, pc) & !1),
            direct => direct.branches_directly().then(|| pc.wrapping_add(4).wrapping_add(op.immediate as u32)),
        };
        target.is_some_and(|target| code.is_watched(target))
    }

    fn run_fast<P: PeerPolicy>(
        &mut self,
        bus: &mut B,
        code: &mut CodeCache,
        policy: &mut P,
        mut clock: P::Clock,
        flash_ready: bool,
    ) -> P::Clock {
        policy.log().registers.forget();
        loop {
            let CodeCache { instructions, native, .. } = code;
            let profile = bus.fabric().watch.profile.as_ref().filter(|_| P::TRACES);
            let touch = profile.map_or_else(Masks::default, |profile| profile.touch_masks(self.id, self.ipsr != 0));
            let mut fast = FastMemory { bus, flash_ready, hits: 0, policy, touch };
            let exit = self.run_native_code(&mut fast, native, instructions, &mut clock).and_then(|()| {
                let view = CodeView::of::<B>(self.pc).ok_or(FastPathExit::Stop)?;
                let all = instructions.of::<B>(view);
                match self.run_view(&mut fast, native, instructions, &mut clock, view, all) {
                    Err(FastPathExit::Watched(op)) => {
                        self.run_watched(&mut fast, native, instructions, &mut clock, view, op)
                    }
                    exit => exit,
                }
            });
            let hits = fast.hits;
            bus.cache_mut().count_hits(hits);
            let goes_on = match exit {
                Ok(()) | Err(FastPathExit::OtherView) => true,
                Err(FastPathExit::Undecoded(address)) => code.decode(address, bus),
                Err(_) => false,
            };
            if !goes_on {
                break;
            }
        }
        self.post_internal(Phase::Start);
        self.queue = prefetched(self.pc, bus).unwrap_or(0);
        clock
    }

    fn set_next_cycle(&mut self, time: Cycle) {
        self.t = time;
    }

    fn count_conflicts(&mut self, slave: Slave, cycles: u32) {
        self.stats.conflicts[slave.number()] += u64::from(cycles);
        self.contested |= cycles > 0;
    }
}

impl<B: FastBus> Core<B> {
    /// Executes instructions of a view, which `from` has with the address of the first.
    ///
    /// # Errors
    /// Why the fast path cannot go on after them.
    fn run_view<P: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        native: &mut Native,
        all: &Instructions,
        clock: &mut P::Clock,
        view: CodeView,
        from: (&[Op], u32),
    ) -> Result<(), FastPathExit> {
        let exit = match view {
            CodeView::Ram => self.run_hot_loop::<P, { CodeView::Ram as u8 }>(fast, native, all, clock, from),
            CodeView::Unstriped => {
                self.run_hot_loop::<P, { CodeView::Unstriped as u8 }>(fast, native, all, clock, from)
            }
            CodeView::Flash => self.run_hot_loop::<P, { CodeView::Flash as u8 }>(fast, native, all, clock, from),
        };
        match exit {
            FastPathExit::SlowPath(op) => self.run_slow_path(fast, all, clock, op),
            exit => Err(exit),
        }
    }

    /// Executes an instruction that is watched, if the core knows the time, and records the hit.
    #[cold]
    fn run_watched<P: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        native: &mut Native,
        all: &Instructions,
        clock: &mut P::Clock,
        view: CodeView,
        op: Op,
    ) -> Result<(), FastPathExit> {
        let (pc, begun) = (self.pc, self.stats.instructions);
        let now = fast
            .policy
            .chip_cycle(*clock)
            .filter(|_| !fast.bus.fabric().watch.has_breakpoint(pc))
            .ok_or(FastPathExit::Stop)?;
        let half = half_at(pc, fast.bus).ok_or(FastPathExit::Stop)?;
        let op = Op { fetch: op.fetch, ..TABLE[usize::from(half)] };
        if op.code.branches_directly() && op.immediate == -4 {
            // It would be executed for ever, and recorded once.
            return Err(FastPathExit::Stop);
        }
        let exit = self.run_view(fast, native, all, clock, view, (&[op], pc));
        if self.stats.instructions == begun {
            return exit;
        }
        fast.bus.fabric_mut().watch.record_execution(now, self.id, pc);
        Ok(())
    }

    /// The hot loop, for as long as code is in one view (by number).
    #[inline(never)]
    fn run_hot_loop<P: PeerPolicy, const VIEW: u8>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        native: &mut Native,
        all: &Instructions,
        time: &mut P::Clock,
        (ops, base): (&[Op], u32),
    ) -> FastPathExit {
        let view = CodeView::ALL[VIEW as usize];
        let in_flash = view == CodeView::Flash;
        let near = if in_flash { CodeView::Ram } else { view };
        let mut pc = self.pc;
        let mut clock = *time;
        let mut instructions = 0;
        let exit = loop {
            let Some(op) = ops.get((pc.wrapping_sub(base) >> 1) as usize) else { break FastPathExit::Undecoded(pc) };
            if !fast.policy.has_room(clock, MAX_CYCLES) && !fast.policy.has_room(clock, most_cycles(op)) {
                break FastPathExit::Stop;
            }
            // Only accesses to data change which words are most recently used.
            let unknown = in_flash && op.fetch == B::MEMORY.flash_slave && !fast.has_mru(pc.wrapping_add(4));
            // A branch that is taken fetches its target instead.
            let missing = unknown && !fast.may_hit_unknown(pc.wrapping_add(4));
            if missing && !op.code.branches() {
                break FastPathExit::Stop;
            }
            fast.policy.begin(self.stats.instructions + instructions, pc, || half_at(pc, fast.bus).unwrap_or(0), clock);
            match self.execute(op, pc) {
                Effect::Next => {
                    if missing {
                        break FastPathExit::Stop;
                    }
                    clock = if unknown {
                        fast.hit_unknown(clock, pc.wrapping_add(4))
                    } else {
                        fast.fetch_known(clock, op, pc, in_flash)
                    };
                    pc = pc.wrapping_add(2);
                }
                Effect::Branch => {
                    let may_wait = P::TRACES && is_short_loop(op) && fast.is_to_look_for_a_wait();
                    let target = pc.wrapping_add(4).wrapping_add(op.immediate as i32 as u32);
                    if in_flash && fast.is_mru(target) {
                        clock = fast.refill_cycles_from_mru(clock, target);
                        pc = target;
                        instructions += 1;
                        if may_wait {
                            break FastPathExit::Stop;
                        }
                        if native.bump_hot_counter(view, view.index::<B>(pc)) {
                            break FastPathExit::OtherView;
                        }
                        continue;
                    }
                    let Some(refill) = fast.refill(all, near, target) else { break unreachable::<B>(target) };
                    clock = fast.refill_cycles(clock, target, refill);
                    pc = target;
                    let is_hot = native.bump_hot_counter(view, view.index::<B>(pc));
                    if CodeView::of::<B>(pc) != Some(view) || is_hot {
                        instructions += 1;
                        break FastPathExit::OtherView;
                    }
                    if may_wait {
                        instructions += 1;
                        break FastPathExit::Stop;
                    }
                }
                Effect::Load(address) => {
                    if address & op.width.misaligned() != 0 {
                        break FastPathExit::Stop;
                    }
                    let Some(readable_word) = fast.readable_word(address) else {
                        break if B::register_port(address).is_some() || B::is_io(address) {
                            FastPathExit::SlowPath(*op)
                        } else {
                            FastPathExit::Stop
                        };
                    };
                    fast.note_touched_by(op, address, false);
                    clock = fast.request(clock, readable_word.slave, address);
                    self.set(op.d, extract(readable_word.word, address, op.width));
                    clock = fast.finish(clock, LOAD, op, pc, in_flash);
                    pc = pc.wrapping_add(2);
                }
                Effect::Store(address) => {
                    if address & op.width.misaligned() != 0 {
                        break FastPathExit::Stop;
                    }
                    let Some((slave, index)) = fast.writable_word(address) else {
                        break if B::is_io(address) || B::may_write_register(address) {
                            FastPathExit::SlowPath(*op)
                        } else {
                            FastPathExit::Stop
                        };
                    };
                    fast.note_touched_by(op, address, true);
                    clock = fast.write(clock, slave, index, address, op.width, self.reg(op.d));
                    clock = fast.finish(clock, STORE, op, pc, in_flash);
                    pc = pc.wrapping_add(2);
                }
                Effect::SlowPath if op.code == Code::Undecoded => break FastPathExit::Undecoded(pc),
                Effect::SlowPath if op.code == Code::Watched => break FastPathExit::Watched(*op),
                Effect::SlowPath => break FastPathExit::SlowPath(*op),
            }
            instructions += 1;
        };
        self.pc = pc;
        *time = clock;
        self.stats.instructions += instructions;
        exit
    }

    /// Executes native code for as long as there is any, and single instructions in between. Then it is the hot loop's turn.
    ///
    /// # Errors
    /// Why the fast path cannot go on.
    fn run_native_code<P: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        native: &mut Native,
        all: &Instructions,
        clock: &mut P::Clock,
    ) -> Result<(), FastPathExit> {
        if !fast.policy.has_room(*clock, MIN_NATIVE_BUDGET) {
            return Ok(());
        }
        fast.policy.forget_unless_begun(self.stats.instructions);
        native.set_tracing(P::TRACES);
        let context = fast.native_context();
        while let Some(number) = native.entry(self.pc, all, fast.bus, &fast.policy.log().contended) {
            let mut exit = (NativeExit::Stop, 0);
            let touch = fast.touch; // other spinlocks may be held than before
            fast.policy.run_native(clock, |log| {
                log.native = NativeContext { clock: log.native.clock, touch, ..context };
                exit = (native.run(number, P::ROLE, self, log), log.native.counts);
            });
            let (exit, counts) = exit;
            self.stats.instructions += u64::from(counts >> 16);
            fast.hits += counts & 0xffff;
            let registers = &fast.policy.log().registers;
            if registers.reads | registers.stored != 0 {
                self.catch_up_registers(fast);
            }
            let goes_on = match exit {
                NativeExit::Branch => true,
                NativeExit::SlowPath => self.run_one_on_slow_path(fast, all, clock)?,
                NativeExit::Unknown => {
                    native.entry(self.pc, all, fast.bus, &fast.policy.log().contended).is_some_and(|number| {
                        let (words, more) = native.words(number);
                        for &word in more {
                            fast.ensure_mru(word);
                        }
                        words.iter().all(|&word| fast.ensure_mru(word))
                    })
                }
                NativeExit::Stop => false,
            };
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    /// Executes one instruction on the slow path. False if the hot loop has to look at it.
    ///
    /// # Errors
    /// If the fast path cannot execute it.
    fn run_one_on_slow_path<P: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        all: &Instructions,
        clock: &mut P::Clock,
    ) -> Result<bool, FastPathExit> {
        let pc = self.pc;
        let Some(view) = CodeView::of::<B>(pc) else { return Ok(false) };
        let Some(&op) = all.at::<B>(view, pc) else { return Ok(false) };
        let fetches = op.fetch == B::MEMORY.flash_slave && !op.code.branches();
        if (fetches && !fast.may_hit(pc.wrapping_add(4))) || !fast.policy.has_room(*clock, MAX_CYCLES) {
            return Ok(false);
        }
        self.run_slow_path(fast, all, clock, op).map(|()| true)
    }
}
