//! A core as the lock-step engine sees it.

use super::{PipelineState, State, read_word};
use crate::core::access::{Width, extract};
use crate::core::bus::{Bus, Slave};
use crate::core::profile::{Access, Accessor, op_of};
use crate::core::time::Cycle;
use crate::engine::cpu::{Cpu, IoAccess, Pipeline, Request};
use crate::isa::armv6m::cycles::{LOAD, LOAD_MULTIPLE, REGISTERS, STORE, STORE_MULTIPLE};
use crate::isa::armv6m::execute::Effect;
use crate::isa::armv6m::{Core, Phase};
use crate::isa::thumb::decode::{Op, TABLE};

/// Offset of a branch to the beginning of a short loop, at least.
const SHORT_LOOP: i16 = -32;

/// Whether an instruction closes a loop that may be a busy wait that reads memory, or nothing at all.
#[inline(always)]
pub(crate) fn is_short_loop(op: &Op) -> bool {
    op.code.branches_directly() && (SHORT_LOOP..0).contains(&op.immediate)
}

impl Pipeline for PipelineState {
    #[inline(always)]
    fn slave(&self) -> Slave {
        self.slave
    }

    #[inline(always)]
    fn request(&self) -> Request {
        let writes = matches!(self.phase, Phase::Store | Phase::StoreMultiple);
        Request { slave: self.slave, address: self.address, place: self.index, writes }
    }

    #[inline(always)]
    fn is_at_boundary(&self) -> bool {
        self.state == State::Boundary
    }

    #[inline(always)]
    fn is_deferred(&self) -> bool {
        self.state == State::Deferred
    }

    fn next_pc(&self) -> u32 {
        self.pc
    }

    fn next_half(&self) -> u16 {
        self.queue as u16
    }
}

impl<B: Bus> Cpu<B> for Core<B> {
    type Pipeline = PipelineState;

    fn id(&self) -> u8 {
        self.id
    }

    #[inline(always)]
    fn next_cycle(&self) -> Cycle {
        self.t
    }

    #[inline(always)]
    fn exceptions_from(&self) -> Cycle {
        self.exceptions_from
    }

    #[inline(always)]
    fn is_at_boundary(&self) -> bool {
        self.phase == Phase::Start
    }

    fn deferred_slave(&self) -> Slave {
        self.slave
    }

    fn is_pure_bridge_read(&self) -> bool {
        let (slave, phase) =
            if self.phase == Phase::Delayed { (self.delayed, self.resume) } else { (self.slave, self.phase) };
        B::is_bridge(slave)
            && matches!(phase, Phase::Load | Phase::LoadMultiple)
            && !B::has_read_side_effect(self.address)
    }

    fn pending_io(&self) -> Option<IoAccess> {
        let is_io = self.phase == Phase::Io && self.width == Width::Word;
        is_io.then_some(IoAccess { address: self.io_address, writes: self.resume == Phase::Store })
    }

    fn access_io_in_lost_cycle<const WATCH: bool>(&mut self, bus: &mut B) {
        self.t -= 1;
        self.access_before_fetch::<WATCH>(bus);
        self.t += 1;
    }

    fn io_accessor(&self) -> (Accessor, u32) {
        (self.accessor(self.pc), self.regs[(self.register & 15) as usize])
    }

    fn can_replay(&self) -> bool {
        self.phase == Phase::Start || self.phase.is_plain() || self.is_pure_bridge_read()
    }

    #[inline(always)]
    fn pipeline(&self, now: Cycle) -> PipelineState {
        PipelineState::of(self, now)
    }

    #[inline(always)]
    fn defer(&mut self, pipeline: &PipelineState, now: Cycle) {
        pipeline.post(self, now);
    }

    #[inline(always)]
    fn begin_cycle<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) -> bool {
        if pipeline.state != State::Boundary {
            return self.continue_instruction::<WATCH>(pipeline, now, bus);
        }
        if now >= self.exceptions_from && self.take_pending_exception(pipeline, now) {
            return self.resume::<WATCH>(pipeline, now, bus);
        }
        let op = &TABLE[(pipeline.queue & 0xffff) as usize];
        let pc = pipeline.pc;
        if WATCH && bus.fabric_mut().watch.may_watch(pc) {
            pipeline.store_in(self, now);
            if self.watch_execution(bus) {
                return false;
            }
        }
        if WATCH && let Some(profile) = &mut bus.fabric_mut().watch.profile {
            profile.instruction(self.id, now, pc, op_of(pipeline.next_half()));
            if is_short_loop(op) {
                bus.fabric_mut().count_register_read();
            }
        }
        match self.execute(op, pc) {
            Effect::Next => {
                self.advance(pipeline);
                self.fetch_if_due(pipeline, now, bus)
            }
            Effect::Branch => {
                self.stats.instructions += 1;
                pipeline.pc = pc.wrapping_add(4).wrapping_add(op.immediate as i32 as u32);
                self.request(pipeline, pipeline.pc & !3, Phase::Target, now, bus)
            }
            Effect::Load(address) => self.begin_transfer(pipeline, op, address, Phase::Load, now, bus),
            Effect::Store(address) => self.begin_transfer(pipeline, op, address, Phase::Store, now, bus),
            Effect::SlowPath => self.issue_on_slow_path::<WATCH>(pipeline, now, bus),
        }
    }

    #[inline(always)]
    fn complete<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) {
        if pipeline.state == State::Deferred {
            return self.complete_deferred::<WATCH>(pipeline, now, bus);
        }
        let fabric = bus.fabric_mut();
        if !(WATCH && fabric.watch.is_apart(pipeline.address)) {
            fabric.arbiter.grant(self.id, pipeline.slave);
        }
        self.count::<WATCH>(bus, pipeline.slave);
        match pipeline.phase {
            Phase::Fetch => pipeline.queue |= u64::from(read_word(pipeline, bus)) << 16,
            Phase::Load => {
                let value = extract(read_word(pipeline, bus), pipeline.address, pipeline.width);
                self.set_number(pipeline.register, value);
                self.record_access::<WATCH>(pipeline, now, bus, value);
                pipeline.finish(LOAD);
            }
            Phase::Store => {
                let value = self.regs[(pipeline.register & 15) as usize];
                bus.store_ram(pipeline.index, pipeline.address, pipeline.width, value);
                self.record_access::<WATCH>(pipeline, now, bus, value);
                pipeline.finish(STORE);
            }
            Phase::Target => {
                pipeline.queue = u64::from(read_word(pipeline, bus)) >> ((pipeline.pc & 2) * 8);
                // The second cycle of a refill asks for the same word as the last one of an instruction.
                pipeline.finish(REGISTERS);
            }
            Phase::FetchThenTarget => {
                read_word(pipeline, bus);
                pipeline.state = State::Refill;
            }
            Phase::LoadMultiple => {
                let value = read_word(pipeline, bus);
                self.record_access::<WATCH>(pipeline, now, bus, value);
                if self.element_loaded(value) {
                    pipeline.finish(LOAD_MULTIPLE);
                } else {
                    pipeline.state = State::LoadNext;
                }
            }
            Phase::StoreMultiple => {
                let value = self.next_element_to_store();
                bus.store_ram(pipeline.index, pipeline.address, Width::Word, value);
                self.record_access::<WATCH>(pipeline, now, bus, value);
                if self.element_stored() {
                    pipeline.finish(STORE_MULTIPLE);
                } else {
                    pipeline.state = State::StoreNext;
                }
            }
            _ => unreachable!("a pipeline asks for nothing else"),
        }
    }

    #[inline(always)]
    fn lose<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) {
        match pipeline.phase {
            _ if pipeline.state == State::Deferred => self.perform_stalled_cycle::<WATCH>(bus),
            // It may be abandoned before it is asked for again.
            Phase::LoadMultiple | Phase::StoreMultiple => {
                pipeline.post(self, now);
                pipeline.state = State::Deferred;
                self.perform_stalled_cycle::<WATCH>(bus);
            }
            _ => {
                pipeline.state = State::Waits;
                self.record_stall_cycles::<WATCH>(
                    Access { slave: pipeline.slave, address: pipeline.address },
                    1,
                    now,
                    bus,
                );
            }
        }
    }

    fn stop<const WATCH: bool>(&mut self, pipeline: &mut PipelineState, now: Cycle, bus: &mut B) {
        match pipeline.state {
            State::Boundary => {
                pipeline.store_in(self, now);
                self.post_internal(Phase::Start);
            }
            State::Deferred => {}
            _ => {
                if self.begin_cycle::<WATCH>(pipeline, now, bus) {
                    pipeline.post(self, now);
                }
            }
        }
    }

    fn begin<const WATCH: bool>(&mut self, bus: &mut B) {
        let now = self.t;
        let mut pipeline = PipelineState::of(self, now);
        if self.begin_cycle::<WATCH>(&mut pipeline, now, bus) {
            pipeline.post(self, now);
        }
    }

    fn perform_deferred<const WATCH: bool>(&mut self, bus: &mut B) {
        self.perform_deferred_cycle::<WATCH>(bus);
    }
}
