//! What a core does in a cycle: asks the bus for something (`issue`), and deals with what it was given (`complete`).

#![allow(clippy::trivially_copy_pass_by_ref)] // of a decoded instruction, only what is needed is then read: measured, see bench/sim

use crate::core::access::{Width, extract};
use crate::core::bus::{Bus, Slave};
use crate::core::time::Cycle;
use crate::engine::LONG_STALL_CYCLES;
use crate::engine::cpu::{Cpu, Pipeline, Request};
use crate::isa::armv6m::decode::{Code, Op, TABLE};
use crate::isa::armv6m::execute::{Effect, Progress};
use crate::isa::armv6m::{Core, Phase};

/// What the next cycle of a pipeline is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The first of an instruction.
    Ready,
    /// The same again, lost to the other core.
    Waits,
    /// The last of an instruction, in which nothing is asked for.
    Rests,
    /// The last of an instruction, in which the next word is fetched.
    Last,
    /// The one in which the word is fetched where execution goes on.
    RefillSlaves,
    /// The next element of LDM or POP.
    LoadNext,
    /// The next element of STM or PUSH.
    StoreNext,
    /// What the core has posted, since it is more than a pipeline can hold.
    Posted,
}

/// What changes with every cycle, kept out of a `Core` while cycles follow each other in which nothing but SRAM and hits in
/// the flash cache is asked for. All else is posted in the core meanwhile, and carried out there (`Core::perform`).
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
            state: if begins { State::Ready } else { State::Posted },
        }
    }

    /// Puts back into the core what was issued for cycle `now`.
    pub fn post<B: Bus>(&self, core: &mut Core<B>, now: Cycle) {
        if self.state == State::Posted {
            return;
        }
        if self.slave != Slave::INTERNAL {
            self.put_back(core, now);
            core.post(self.address, self.phase);
            return;
        }
        self.put_back(core, now + 1);
        if self.state == State::RefillSlaves {
            core.post(self.pc & !3, Phase::Target);
        } else {
            core.post_internal(Phase::Start);
        }
    }

    /// Nothing is asked of the bus.
    #[inline(always)]
    fn asks_nothing(&mut self) -> bool {
        self.slave = Slave::INTERNAL;
        true
    }

    /// What is next stands in the core. It may be due in this cycle already.
    fn leave_to<B: Bus>(&mut self, core: &Core<B>, now: Cycle) {
        self.state = State::Posted;
        self.slave = match core.slave {
            _ if core.t > now => Slave::INTERNAL,
            Slave::INTERNAL => Slave::NONE,
            slave => slave,
        };
    }

    /// One cycle is left of an instruction.
    #[inline(always)]
    fn end(&mut self) {
        self.state = if self.pc & 2 == 0 { State::Rests } else { State::Last };
    }

    fn put_back<B: Bus>(&self, core: &mut Core<B>, now: Cycle) {
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
    /// Whether the next element of POP is the program counter: more than a pipeline can hold.
    #[inline(always)]
    fn loads_pc(&self) -> bool {
        self.phase == Phase::LoadMany && self.list == 1 << 15
    }

    /// Begins cycle `now`: all that needs no bus is done, and the pipeline has what is asked of it. False if the core does nothing
    /// for a while, or stops before its next instruction.
    #[inline(always)]
    pub(crate) fn issue_cycle<const WATCH: bool>(
        &mut self,
        pipeline: &mut PipelineState,
        now: Cycle,
        bus: &mut B,
    ) -> bool {
        if pipeline.state != State::Ready {
            return self.go_on::<WATCH>(pipeline, now, bus);
        }
        if now >= self.attention && self.take_pending_exception(pipeline, now) {
            return self.resume::<WATCH>(pipeline, now, bus);
        }
        let op = &TABLE[(pipeline.queue & 0xffff) as usize];
        let pc = pipeline.pc;
        if WATCH && bus.fabric_mut().watch.may_concern(pc) {
            pipeline.put_back(self, now);
            if self.watch_execution(bus) {
                return false;
            }
        }
        match self.execute(op, pc) {
            Effect::Next => {
                self.pass(pipeline);
                self.fetch_if_due(pipeline, now, bus)
            }
            Effect::Branch => {
                self.stats.instructions += 1;
                pipeline.pc = pc.wrapping_add(4).wrapping_add(op.immediate as i32 as u32);
                self.ask(pipeline, pipeline.pc & !3, Phase::Target, now, bus)
            }
            Effect::Load(address) => self.transfer(pipeline, op, address, Phase::Load, now, bus),
            Effect::Store(address) => self.transfer(pipeline, op, address, Phase::Store, now, bus),
            Effect::Rare => self.issue_on_slow_path::<WATCH>(pipeline, now, bus),
        }
    }

    /// Begins a cycle that is not the first of an instruction.
    #[inline(always)]
    fn go_on<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) -> bool {
        match std::mem::replace(&mut pipeline.state, State::Ready) {
            State::Ready | State::Rests => pipeline.asks_nothing(),
            State::Waits => true,
            State::Last => self.fetch_if_due(pipeline, now, bus),
            State::RefillSlaves => self.ask(pipeline, pipeline.pc & !3, Phase::Target, now, bus),
            State::LoadNext => self.next_element(pipeline, Phase::LoadMany, now, bus),
            State::StoreNext => self.next_element(pipeline, Phase::StoreMany, now, bus),
            State::Posted => self.resume::<WATCH>(pipeline, now, bus),
        }
    }

    /// Whether an exception is entered instead of the instruction that the pipeline is before.
    #[cold]
    fn take_pending_exception(&mut self, pipeline: &mut PipelineState, now: Cycle) -> bool {
        pipeline.put_back(self, now);
        self.attend()
    }

    /// Begins cycle `now` with what is posted. The pipeline takes it over if it can.
    #[inline(never)]
    fn resume<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) -> bool {
        if now < self.t {
            pipeline.leave_to(self, now);
            return self.t - now < LONG_STALL_CYCLES;
        }
        *pipeline = PipelineState::of(self, now);
        if pipeline.state == State::Ready {
            return self.issue_cycle::<WATCH>(pipeline, now, bus);
        }
        let moves_many = matches!(self.phase, Phase::LoadMany | Phase::StoreMany);
        if self.phase.is_plain() && !(moves_many && (self.loads_pc() || now >= self.attention)) {
            pipeline.state = State::Ready;
            return self.ask(pipeline, pipeline.address, pipeline.phase, now, bus);
        }
        pipeline.leave_to(self, now);
        true
    }

    /// Deals with what the pipeline has got in cycle `now`.
    #[inline(always)]
    pub(crate) fn complete_cycle<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) {
        if pipeline.state == State::Posted {
            return self.complete_posted::<WATCH>(pipeline, now, bus);
        }
        bus.fabric_mut().arbiter.grant(self.id, pipeline.slave);
        if WATCH {
            self.count(bus, pipeline.slave);
        }
        match pipeline.phase {
            Phase::Fetch => pipeline.queue |= u64::from(word(pipeline, bus)) << 16,
            Phase::Load => {
                let value = extract(word(pipeline, bus), pipeline.address, pipeline.width);
                self.set_number(pipeline.register, value);
                self.see::<WATCH>(pipeline, now, bus, false, value);
                pipeline.end();
            }
            Phase::Store => {
                let value = self.regs[(pipeline.register & 15) as usize];
                bus.store_ram(pipeline.index, pipeline.address, pipeline.width, value);
                self.see::<WATCH>(pipeline, now, bus, true, value);
                pipeline.end();
            }
            Phase::Target => {
                pipeline.queue = u64::from(word(pipeline, bus)) >> ((pipeline.pc & 2) * 8);
                pipeline.end();
            }
            Phase::FetchThenTarget => {
                word(pipeline, bus);
                pipeline.state = State::RefillSlaves;
            }
            Phase::LoadMany => {
                let value = word(pipeline, bus);
                self.see::<WATCH>(pipeline, now, bus, false, value);
                pipeline.state = if self.element_loaded(value) { State::Last } else { State::LoadNext };
            }
            Phase::StoreMany => {
                let value = self.next_element_to_store();
                bus.store_ram(pipeline.index, pipeline.address, Width::Word, value);
                self.see::<WATCH>(pipeline, now, bus, true, value);
                pipeline.state = if self.element_stored() { State::Last } else { State::StoreNext };
            }
            _ => unreachable!("a pipeline asks for nothing else"),
        }
    }

    /// The same of what is posted.
    #[inline(never)]
    fn complete_posted<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) {
        self.perform_posted::<WATCH>(bus);
        // A lockup is of the cycle of the fault that led to it.
        if self.t == now && self.phase == Phase::Lockup && !bus.fabric().requests.touched {
            self.perform_posted::<WATCH>(bus);
        }
        *pipeline = PipelineState::of(self, now + 1);
    }

    /// Stops before cycle `now`, whether the pipeline has something to ask for already or not.
    pub(crate) fn stop_before<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) {
        match pipeline.state {
            State::Ready => {
                pipeline.put_back(self, now);
                self.post_internal(Phase::Start);
            }
            State::Posted => {}
            _ => {
                if self.issue_cycle::<WATCH>(pipeline, now, bus) {
                    pipeline.post(self, now);
                }
            }
        }
    }

    /// Begins the instruction at boundary `t`, or an exception before it, without doing anything on the bus.
    #[inline(never)]
    pub(crate) fn begin_instruction<const WATCH: bool>(&mut self, bus: &mut B) {
        let now = self.t;
        let mut pipeline = PipelineState::of(self, now);
        if self.issue_cycle::<WATCH>(&mut pipeline, now, bus) {
            pipeline.post(self, now);
        }
    }

    /// The cycle is lost to the other core.
    #[inline(always)]
    pub(crate) fn lose_pipeline_cycle<const WATCH: bool>(
        &mut self,
        pipeline: &mut PipelineState,
        now: Cycle,
        bus: &mut B,
    ) {
        match pipeline.phase {
            _ if pipeline.state == State::Posted => self.lose_cycle::<WATCH>(bus),
            // It may be abandoned before it is asked for again.
            Phase::LoadMany | Phase::StoreMany => {
                pipeline.post(self, now);
                pipeline.state = State::Posted;
                self.lose_cycle::<WATCH>(bus);
            }
            _ => {
                pipeline.state = State::Waits;
                self.lost::<WATCH>(pipeline.slave, now, bus);
            }
        }
    }

    /// The instruction at the pipeline's place is begun.
    #[inline(always)]
    fn pass(&mut self, pipeline: &mut PipelineState) {
        self.stats.instructions += 1;
        pipeline.pc = pipeline.pc.wrapping_add(2);
        pipeline.queue >>= 16;
    }

    /// Asks for memory. It is posted instead if others have to do with it.
    #[inline(always)]
    fn ask(&mut self, pipeline: &mut PipelineState, address: u32, phase: Phase, now: Cycle, bus: &mut B) -> bool {
        pipeline.phase = phase;
        pipeline.address = address;
        if let Some((slave, index)) = bus.at_once(address, matches!(phase, Phase::Store | Phase::StoreMany), now) {
            pipeline.slave = slave;
            pipeline.index = index;
            return true;
        }
        pipeline.put_back(self, now);
        self.post(address, phase);
        pipeline.leave_to(self, now);
        true
    }

    /// The last cycle of an instruction: the next word is asked for if the lower halfword was executed.
    #[inline(always)]
    fn fetch_if_due(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) -> bool {
        if pipeline.pc & 2 == 0 {
            return pipeline.asks_nothing();
        }
        self.ask(pipeline, pipeline.pc.wrapping_add(2), Phase::Fetch, now, bus)
    }

    /// The first cycle of a load or store.
    #[inline(always)]
    fn transfer(
        &mut self,
        pipeline: &mut PipelineState,
        op: &Op,
        address: u32,
        phase: Phase,
        now: Cycle,
        bus: &mut B,
    ) -> bool {
        self.pass(pipeline);
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
        pipeline.put_back(self, now);
        self.address = address;
        self.post_transfer(op, address, phase);
        pipeline.leave_to(self, now);
        true
    }

    /// LDM, POP, STM, PUSH go on.
    #[inline(always)]
    fn next_element(&mut self, pipeline: &mut PipelineState, phase: Phase, now: Cycle, bus: &mut B) -> bool {
        let address = pipeline.address.wrapping_add(4);
        if self.list == 1 << 15 || now >= self.attention {
            pipeline.put_back(self, now);
            self.post(address, phase);
            pipeline.leave_to(self, now);
            return true;
        }
        self.ask(pipeline, address, phase, now, bus)
    }

    /// Instructions that are not worth a place in the hot loop. If all that one does in its first cycle is to ask for memory,
    /// the pipeline goes on with it.
    #[inline(never)]
    fn issue_on_slow_path<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) -> bool {
        let halfword = pipeline.queue as u16;
        let op = &TABLE[usize::from(halfword)];
        let pc = pipeline.pc;
        self.pass(pipeline);
        pipeline.phase = Phase::Start;
        pipeline.put_back(self, now);
        self.post_internal(Phase::Start);
        if matches!(op.code, Code::Push | Code::Pop | Code::PopPc | Code::Stm | Code::Ldm) {
            self.address = self.reg(op.n);
        }
        let end = match op.code {
            Code::Push => self.store_many(op, true),
            Code::Stm => self.store_many(op, false),
            Code::Ldm | Code::Pop => self.load_many(op, 0),
            Code::PopPc => self.load_many(op, 1 << 15),
            Code::MovPc => self.branch_to(self.high(op.m, pc)),
            Code::AddPc => self.branch_to(pc.wrapping_add(4).wrapping_add(self.high(op.m, pc))),
            Code::Bx => self.branch_exchange(self.high(op.m, pc), pc),
            Code::Blx => {
                let target = self.high(op.m, pc);
                self.regs[14] = pc.wrapping_add(2) | 1;
                self.branch_exchange(target, pc)
            }
            Code::Wide => self.wide(pc, op.immediate as u16),
            _ => self.rare(op, pc, halfword),
        };
        if end == Progress::Boundary {
            self.post_internal(Phase::Start);
            *pipeline = PipelineState::of(self, now + 1);
            return pipeline.asks_nothing();
        }
        if self.t == now + 1 && self.phase == Phase::Target {
            // BL in an upper halfword.
            pipeline.pc = self.pc;
            pipeline.state = State::RefillSlaves;
            return pipeline.asks_nothing();
        }
        self.resume::<WATCH>(pipeline, now, bus)
    }

    /// Tells probes of a load or store.
    #[inline(always)]
    fn see<const WATCH: bool>(&self, pipeline: &PipelineState, now: Cycle, bus: &mut B, write: bool, value: u32) {
        if WATCH {
            let pc = pipeline.pc.wrapping_sub(2);
            bus.fabric_mut().watch.data(now, self.id, pc, pipeline.address, pipeline.width.bytes(), write, value);
        }
    }
}

/// The word that a pipeline is given.
#[inline(always)]
fn word<B: Bus>(pipeline: &PipelineState, bus: &mut B) -> u32 {
    bus.read_at_once(pipeline.slave, pipeline.address, pipeline.index)
}

impl Pipeline for PipelineState {
    #[inline(always)]
    fn slave(&self) -> Slave {
        self.slave
    }

    #[inline(always)]
    fn request(&self) -> Request {
        let writes = matches!(self.phase, Phase::Store | Phase::StoreMany);
        Request { slave: self.slave, address: self.address, place: self.index, writes }
    }

    #[inline(always)]
    fn is_ready(&self) -> bool {
        self.state == State::Ready
    }

    #[inline(always)]
    fn is_posted(&self) -> bool {
        self.state == State::Posted
    }

    fn pc(&self) -> u32 {
        self.pc
    }
}

impl<B: Bus> Cpu<B> for Core<B> {
    type Pipeline = PipelineState;

    fn id(&self) -> u8 {
        self.id
    }

    #[inline(always)]
    fn time(&self) -> Cycle {
        self.t
    }

    #[inline(always)]
    fn attention(&self) -> Cycle {
        self.attention
    }

    #[inline(always)]
    fn is_at_boundary(&self) -> bool {
        self.phase == Phase::Start
    }

    fn posted_slave(&self) -> Slave {
        self.slave
    }

    fn reads_bridge(&self) -> bool {
        self.reads_registers()
    }

    #[inline(always)]
    fn pipeline(&self, now: Cycle) -> PipelineState {
        PipelineState::of(self, now)
    }

    #[inline(always)]
    fn post_pipeline(&mut self, pipeline: &PipelineState, now: Cycle) {
        pipeline.post(self, now);
    }

    #[inline(always)]
    fn issue<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) -> bool {
        self.issue_cycle::<WATCH>(pipeline, now, bus)
    }

    #[inline(always)]
    fn complete<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) {
        self.complete_cycle::<WATCH>(pipeline, now, bus);
    }

    #[inline(always)]
    fn lose<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) {
        self.lose_pipeline_cycle::<WATCH>(pipeline, now, bus);
    }

    fn stop<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) {
        self.stop_before::<WATCH>(pipeline, now, bus);
    }

    fn begin<const WATCH: bool>(&mut self, bus: &mut B) {
        self.begin_instruction::<WATCH>(bus);
    }

    fn perform<const WATCH: bool>(&mut self, bus: &mut B) {
        self.perform_posted::<WATCH>(bus);
    }
}
