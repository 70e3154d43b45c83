//! What a core is to the engines: a state machine that stops before everything that another master could see or delay.

use crate::core::bus::{Bus, Slave};
use crate::core::profile::Accessor;
use crate::core::time::Cycle;
use crate::engine::fast_bus::FastBus;
use crate::engine::policy::PeerPolicy;

/// What a core asks of the bus in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whom; [`Slave::INTERNAL`] if there is nothing to do in this cycle, [`Slave::NONE`] if there is, but not on the bus.
    pub slave: Slave,
    /// Which address.
    pub address: u32,
    /// Its place in the slave: see [`Bus::at_once`].
    pub place: u32,
    /// Whether it is a write.
    pub writes: bool,
}

/// An access to a core's I/O port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IoAccess {
    /// Its address.
    pub address: u32,
    /// Whether it is a write.
    pub writes: bool,
}

/// Per-core state that changes with every cycle, kept out of a [`Cpu`] for as long as it asks for nothing but memory without
/// wait states. All else is deferred to the core, which carries it out ([`Cpu::perform_deferred`]).
pub(crate) trait Pipeline: Copy {
    /// The slave of the request of this cycle.
    fn slave(&self) -> Slave;

    /// All of that request.
    fn request(&self) -> Request;

    /// Whether the next cycle is the first of an instruction.
    fn is_at_boundary(&self) -> bool;

    /// Whether the next step is held in the core, for [`Cpu::perform_deferred`].
    fn is_deferred(&self) -> bool;

    /// The address of the next instruction.
    fn next_pc(&self) -> u32;

    /// Its first halfword as it was fetched.
    fn next_half(&self) -> u16;
}

/// A core, cycle by cycle. In each cycle it first says what it asks of the bus (`begin_cycle`); of those who ask for the same, all but
/// one lose the cycle (`lose`); the others deal with what they are given (`complete`).
pub(crate) trait Cpu<B: Bus>: Clone {
    /// What changes with every cycle.
    type Pipeline: Pipeline;

    /// Number of the core, 0 or 1.
    fn id(&self) -> u8;

    /// The cycle of its next step; `NEVER` if it will do none by itself.
    fn next_cycle(&self) -> Cycle;

    /// From this cycle on, an instruction boundary looks at exceptions.
    fn exceptions_from(&self) -> Cycle;

    /// Whether it stands before an instruction of which nothing has happened.
    fn is_at_boundary(&self) -> bool;

    /// What it asks for in cycle `next_cycle`.
    fn deferred_slave(&self) -> Slave;

    /// Whether the deferred step is part of a read over a bridge that has no side effect.
    fn is_pure_bridge_read(&self) -> bool;

    /// The access of a word to the core's I/O port that the deferred step makes, in the first cycle in which the core asks for
    /// what else it needs.
    fn pending_io(&self) -> Option<IoAccess>;

    /// Makes that access if its cycle, the last one, was lost to another master.
    fn access_io_in_lost_cycle<const WATCH: bool>(&mut self, bus: &mut B);

    /// Who has made it, and the value.
    fn io_accessor(&self) -> (Accessor, u32);

    /// Whether the replaying core may go on with its next step.
    fn can_replay(&self) -> bool;

    /// Where it stands in cycle `now`, which is not behind its next step.
    fn pipeline(&self, now: Cycle) -> Self::Pipeline;

    /// Defers the request of cycle `now` to the core.
    fn defer(&mut self, pipeline: &Self::Pipeline, now: Cycle);

    /// Begins cycle `now`: all that needs no bus is done, and `pipeline` has what is asked of it. False if the core does
    /// nothing for a while, or stops before its next instruction.
    fn begin_cycle<const WATCH: bool>(&mut self, pipeline: &mut Self::Pipeline, now: Cycle, bus: &mut B) -> bool;

    /// Deals with what it has got in cycle `now`.
    fn complete<const WATCH: bool>(&mut self, pipeline: &mut Self::Pipeline, now: Cycle, bus: &mut B);

    /// Cycle `now` is lost to another master.
    fn lose<const WATCH: bool>(&mut self, pipeline: &mut Self::Pipeline, now: Cycle, bus: &mut B);

    /// Stops before cycle `now`, whether there is something to ask for already or not.
    fn stop<const WATCH: bool>(&mut self, pipeline: &mut Self::Pipeline, now: Cycle, bus: &mut B);

    /// Begins the instruction at boundary `next_cycle`, or an exception before it, without doing anything on the bus.
    fn begin<const WATCH: bool>(&mut self, bus: &mut B);

    /// Carries out the deferred step of cycle `next_cycle`, whose request was granted if other masters made the same one.
    fn perform_deferred<const WATCH: bool>(&mut self, bus: &mut B);
}

/// A core that can execute whole instructions without asking for the bus in each of their cycles.
pub(crate) trait FastCpu<B: FastBus>: Cpu<B> {
    /// Instructions that are held decoded.
    type CodeCache: CodeCache<B>;

    /// Cycles of the longest instruction on the fast path that moves no list of registers.
    const MAX_CYCLES: u32;

    /// Instructions that it has begun so far.
    fn begun(&self) -> u64;

    /// Whether the next instruction is in memory that the fast path can execute code from.
    fn is_in_fast_memory(&self) -> bool;

    /// Whether it executes the handler of an exception.
    fn is_in_handler(&self) -> bool;

    /// Whether the fast path can begin: at an instruction, in memory that holds what was fetched of it.
    fn can_run_fast(&self, bus: &B) -> bool;

    /// Whether the only reason why the core cannot speculate is that its next instruction uses a register whose value depends
    /// on the time, or what both cores contend for at their I/O ports ([`FastBus::shared_io`]), or goes where a probe watches.
    fn needs_the_time(&self, code: &Self::CodeCache, bus: &B, contended: u64) -> bool;

    /// Executes instructions until there is no more room, or up to one that the fast path cannot execute. Returns the time;
    /// `next_cycle` stays.
    fn run_fast<P: PeerPolicy>(
        &mut self,
        bus: &mut B,
        code: &mut Self::CodeCache,
        policy: &mut P,
        clock: P::Clock,
        flash_ready: bool,
    ) -> P::Clock;

    /// Sets the cycle of its next step.
    fn set_next_cycle(&mut self, time: Cycle);

    /// So many cycles were lost to another master of `slave`.
    fn count_conflicts(&mut self, slave: Slave, cycles: u32);
}

/// Instructions that are held decoded, and code for the host that was made of them.
pub(crate) trait CodeCache<B: FastBus>: Clone + std::fmt::Debug + Default {
    /// Takes note of what is watched, if that has changed.
    fn sync_watchpoints(&mut self, bus: &mut B);

    /// Drops what memory does not hold any more.
    fn drop_stale(&mut self, bus: &mut B);

    /// Has code for the host made anew, as something that it knew is not so any more.
    fn retranslate(&mut self);
}
