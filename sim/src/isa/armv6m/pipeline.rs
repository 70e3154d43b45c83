//! What a core does in a cycle: asks the bus for something (`issue`), and deals with what it was given (`complete`).

pub(crate) mod lockstep;

use crate::core::access::Width;
use crate::core::bus::{Bus, Slave};
use crate::core::profile;
use crate::core::time::Cycle;
use crate::engine::LONG_STALL_CYCLES;
use crate::engine::cpu::Cpu;
use crate::isa::armv6m::cycles::{BRANCH, Cycles, Last};
use crate::isa::armv6m::{Core, Phase};
use crate::isa::thumb::decode::{Code, Op, TABLE};

/// What the next cycle of a pipeline is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The first of an instruction.
    Boundary,
    /// The same again, lost to the other core.
    Waits,
    /// So many in which nothing is asked for, before the last.
    Idle(u32),
    /// The last of an instruction, in which nothing is asked for.
    Rests,
    /// The last of an instruction, in which the next word is fetched if that is due.
    Last,
    /// The one in which the word is fetched where execution goes on.
    Refill,
    /// The next element of LDM or POP.
    LoadNext,
    /// The next element of STM or PUSH.
    StoreNext,
    /// The core holds the step (`Core::perform_deferred`): it needs more than a pipeline can hold.
    Deferred,
}

/// What changes with every cycle, kept out of a `Core` while cycles follow each other in which nothing but SRAM and hits in
/// the flash cache is asked for. All else is deferred to the core, which carries it out (`Core::perform_deferred`).
#[derive(Clone, Copy)]
pub(crate) struct PipelineState {
    pc: u32,
    /// Halfwords that have been fetched, the one at `pc` lowest.
    queue: u64,
    /// What is asked of the bus in this cycle.
    phase: Phase,
    /// The slave that is asked; `Internal` if there is nothing to do in this cycle; `None` if there is, but not on the bus.
    pub slave: Slave,
    address: u32,
    /// Place in the slave, see `Bus::at_once`.
    index: u32,
    /// Of a load or store.
    register: u8,
    width: Width,
    state: State,
}

impl PipelineState {
    /// Where a core stands in cycle `now`, which is not behind its next step.
    pub fn of<B: Bus>(core: &Core<B>, now: Cycle) -> Self {
        let begins = core.phase == Phase::Start && core.t == now;
        Self {
            pc: core.pc,
            queue: core.queue,
            phase: core.phase,
            slave: core.slave,
            address: core.address,
            index: core.index,
            register: core.register,
            width: core.width,
            state: if begins { State::Boundary } else { State::Deferred },
        }
    }

    /// Puts back into the core what was issued for cycle `now`.
    pub fn post<B: Bus>(&self, core: &mut Core<B>, now: Cycle) {
        if self.state == State::Deferred {
            return;
        }
        if self.slave != Slave::INTERNAL {
            self.store_in(core, now);
            core.post(self.address, self.phase);
            return;
        }
        self.store_in(core, now + 1);
        match self.state {
            State::Refill => core.finish(BRANCH),
            State::Last => core.end_cycle(),
            State::Idle(idle) => core.finish(Cycles { idle, last: Last::Fetch }),
            _ => core.post_internal(Phase::Start),
        }
    }

    /// Nothing is asked of the bus.
    #[inline(always)]
    fn request_nothing(&mut self) -> bool {
        self.slave = Slave::INTERNAL;
        true
    }

    /// What is next stands in the core. It may be due in this cycle already.
    fn hand_over_to<B: Bus>(&mut self, core: &Core<B>, now: Cycle) {
        self.state = State::Deferred;
        self.address = core.address; // for whoever asks what it wants: SIO's may differ from what is fetched meanwhile
        self.slave = match core.slave {
            _ if core.t > now => Slave::INTERNAL,
            Slave::INTERNAL => Slave::NONE,
            slave => slave,
        };
    }

    /// What is left of an instruction when its data has come.
    #[inline(always)]
    fn finish(&mut self, cycles: Cycles) {
        debug_assert!(cycles.last == Last::Fetch, "else it is deferred");
        self.state = match cycles.idle {
            0 if self.pc & 2 == 0 => State::Rests,
            0 => State::Last,
            idle => State::Idle(idle),
        };
    }

    fn store_in<B: Bus>(&self, core: &mut Core<B>, now: Cycle) {
        core.t = now;
        core.pc = self.pc;
        core.queue = self.queue;
        if matches!(self.phase, Phase::Load | Phase::Store) {
            core.register = self.register;
            core.width = self.width;
        }
    }
}

impl<B: Bus> Core<B> {
    /// Begins a cycle that is not the first of an instruction.
    #[inline(always)]
    fn continue_instruction<const WATCH: bool>(
        &mut self,
        pipeline: &mut PipelineState,
        now: Cycle,
        bus: &mut B,
    ) -> bool {
        match std::mem::replace(&mut pipeline.state, State::Boundary) {
            State::Boundary | State::Rests => pipeline.request_nothing(),
            State::Waits if B::is_ram(pipeline.slave) => true,
            // Who won may have deleted or replaced the line of the cache.
            State::Waits => self.request(pipeline, pipeline.address, pipeline.phase, now, bus),
            State::Idle(left) => {
                pipeline.state = if left > 1 { State::Idle(left - 1) } else { State::Last };
                pipeline.request_nothing()
            }
            State::Last => self.fetch_if_due(pipeline, now, bus),
            State::Refill => self.request(pipeline, pipeline.pc & !3, Phase::Target, now, bus),
            State::LoadNext => self.request_next_element(pipeline, Phase::LoadMultiple, now, bus),
            State::StoreNext => self.request_next_element(pipeline, Phase::StoreMultiple, now, bus),
            State::Deferred => self.resume::<WATCH>(pipeline, now, bus),
        }
    }

    /// Whether an exception is entered instead of the instruction that the pipeline is before.
    #[cold]
    fn take_pending_exception(&mut self, pipeline: &mut PipelineState, now: Cycle) -> bool {
        pipeline.store_in(self, now);
        self.take_exception_if_due()
    }

    /// Begins cycle `now` with the deferred step. The pipeline takes it over if it can.
    #[inline(never)]
    fn resume<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) -> bool {
        if now < self.t {
            pipeline.hand_over_to(self, now);
            return self.t - now < LONG_STALL_CYCLES;
        }
        *pipeline = PipelineState::of(self, now);
        if pipeline.state == State::Boundary {
            return self.begin_cycle::<WATCH>(pipeline, now, bus);
        }
        // An element that is PC, or before which the instruction may be abandoned, is more than a pipeline can hold.
        let moves_many = matches!(self.phase, Phase::LoadMultiple | Phase::StoreMultiple);
        if self.phase.is_plain() && !(moves_many && (self.list == 1 << 15 || now >= self.exceptions_from)) {
            pipeline.state = State::Boundary;
            return self.request(pipeline, pipeline.address, pipeline.phase, now, bus);
        }
        pipeline.hand_over_to(self, now);
        true
    }

    /// The same of a deferred step.
    #[inline(never)]
    fn complete_deferred<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) {
        self.perform_deferred_cycle::<WATCH>(bus);
        // A lockup is of the cycle of the fault that led to it.
        if self.t == now && self.phase == Phase::Lockup && !bus.fabric().requests.touched {
            self.perform_deferred_cycle::<WATCH>(bus);
        }
        *pipeline = PipelineState::of(self, now + 1);
    }

    /// The instruction at the pipeline's place is begun.
    #[inline(always)]
    fn advance(&mut self, pipeline: &mut PipelineState) {
        self.stats.instructions += 1;
        pipeline.pc = pipeline.pc.wrapping_add(2);
        pipeline.queue >>= 16;
    }

    /// Asks for memory. It is deferred to the core if others have to do with it.
    #[inline(always)]
    fn request(&mut self, pipeline: &mut PipelineState, address: u32, phase: Phase, now: Cycle, bus: &mut B) -> bool {
        pipeline.phase = phase;
        pipeline.address = address;
        if let Some((slave, index)) = bus.at_once(address, matches!(phase, Phase::Store | Phase::StoreMultiple), now) {
            pipeline.slave = slave;
            pipeline.index = index;
            return true;
        }
        self.post_request(pipeline, address, phase, now)
    }

    /// Posts what is more than a pipeline can hold.
    #[inline(always)]
    fn post_request(&mut self, pipeline: &mut PipelineState, address: u32, phase: Phase, now: Cycle) -> bool {
        pipeline.store_in(self, now);
        self.post(address, phase);
        pipeline.hand_over_to(self, now);
        true
    }

    /// The last cycle of an instruction: the next word is asked for if the lower halfword was executed.
    #[inline(always)]
    fn fetch_if_due(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) -> bool {
        if pipeline.pc & 2 == 0 {
            return pipeline.request_nothing();
        }
        self.request(pipeline, pipeline.pc.wrapping_add(2), Phase::Fetch, now, bus)
    }

    /// The first cycle of a load or store.
    #[inline(always)]
    fn begin_transfer(
        &mut self,
        pipeline: &mut PipelineState,
        op: &Op,
        address: u32,
        phase: Phase,
        now: Cycle,
        bus: &mut B,
    ) -> bool {
        self.advance(pipeline);
        pipeline.register = op.d as u8;
        pipeline.width = op.width;
        pipeline.phase = phase;
        pipeline.address = address;
        if address & op.width.misaligned() == 0
            && let Some((slave, index)) = bus.at_once(address, phase == Phase::Store, now)
        {
            pipeline.slave = slave;
            pipeline.index = index;
            return true;
        }
        pipeline.store_in(self, now);
        self.address = address;
        self.post_transfer(op, address, phase);
        pipeline.hand_over_to(self, now);
        true
    }

    /// LDM, POP, STM, PUSH go on.
    #[inline(always)]
    fn request_next_element(&mut self, pipeline: &mut PipelineState, phase: Phase, now: Cycle, bus: &mut B) -> bool {
        let address = pipeline.address.wrapping_add(4);
        if self.list == 1 << 15 || now >= self.exceptions_from {
            return self.post_request(pipeline, address, phase, now);
        }
        self.request(pipeline, address, phase, now, bus)
    }

    /// Instructions that are not worth a place in the hot loop. If all that one does in its first cycle is to ask for memory,
    /// the pipeline goes on with it.
    #[inline(never)]
    fn issue_on_slow_path<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) -> bool {
        let halfword = pipeline.queue as u16;
        let op = &TABLE[usize::from(halfword)];
        let pc = pipeline.pc;
        self.advance(pipeline);
        pipeline.phase = Phase::Start;
        pipeline.store_in(self, now);
        self.post_internal(Phase::Start);
        if matches!(op.code, Code::Push | Code::Pop | Code::PopPc | Code::Stm | Code::Ldm) {
            self.address = self.reg(op.n);
        }
        match op.code {
            Code::Push => self.post_store_multiple(op, true),
            Code::Stm => self.post_store_multiple(op, false),
            Code::Ldm | Code::Pop => self.post_load_multiple(op, 0),
            Code::PopPc => self.post_load_multiple(op, 1 << 15),
            Code::MovPc => self.branch_to(self.high(op.m, pc)),
            Code::AddPc => self.branch_to(pc.wrapping_add(4).wrapping_add(self.high(op.m, pc))),
            Code::Bx => self.branch_exchange(self.high(op.m, pc), pc),
            Code::Blx => {
                let target = self.high(op.m, pc);
                self.regs[14] = pc.wrapping_add(2) | 1;
                self.branch_exchange(target, pc);
            }
            Code::Wide => self.wide(pc, op.immediate as u16),
            _ => self.issue_system_instruction(op, pc, halfword),
        }
        if self.phase == Phase::Start {
            *pipeline = PipelineState::of(self, now + 1);
            return pipeline.request_nothing();
        }
        if self.t == now + 1 && self.phase == Phase::Target {
            // BL in an upper halfword.
            pipeline.pc = self.pc;
            pipeline.state = State::Refill;
            return pipeline.request_nothing();
        }
        self.resume::<WATCH>(pipeline, now, bus)
    }

    /// Tells probes of a load or store.
    #[inline(always)]
    fn record_access<const WATCH: bool>(&self, pipeline: &PipelineState, now: Cycle, bus: &mut B, value: u32) {
        if WATCH {
            let by = self.accessor(pipeline.pc);
            let (address, write, bytes) = (pipeline.address, pipeline.phase.writes(), pipeline.width.bytes());
            let noted = bus.fabric_mut().watch.record_access(now, by, address, bytes, write, value);
            if noted.calls_for_something() {
                profile::follow_up(bus, address, noted);
            }
        }
    }
}

/// The word that a pipeline is given.
#[inline(always)]
fn read_word<B: Bus>(pipeline: &PipelineState, bus: &mut B) -> u32 {
    bus.read_at_once(pipeline.slave, pipeline.address, pipeline.index)
}
