//! A profile: where the cycles of each core went, by function and caller, by instruction, and by what held the core up.
//!
//! It only looks: each core says when it begins an instruction, enters and leaves exceptions, sleeps, and loses cycles. The
//! time from one of these to the next belongs to what the core did in between, so the sum over all functions, handlers and
//! sleep is the time of the run, exactly.

mod accesses;
mod blocks;
mod calls;
mod collisions;
mod contention;
mod counts;
mod hunt;
mod lines;
mod order;
mod places;
mod quantum;
mod quick_map;
mod races;
mod registers;
mod stacks;
mod suspicions;
mod tasks;
mod timed;
mod torn;
mod touched;
mod transfers;
mod turns;
mod visits;

use crate::core::time::Cycle;
use crate::core::watch::CoreEvent;
pub(crate) use accesses::{Accessor, LockAccess, Noted, When};
use blocks::Blocks;
pub(crate) use blocks::{Begun, BlockShape, Lost, Wait, op_of};
use calls::{Calls, Parked};
pub use calls::{Costs, Frame, Node};
pub use contention::{Access, Contention, Culprit, Holder, LockUse, LockWait, Loss};
use counts::Taken;
pub use hunt::{Delay, Doer, Hunt, InterruptUse, Storm, Suspected, Suspicion};
pub use lines::Line;
use lines::Lines;
pub use places::{Place, Places};
use quantum::Visited;
pub(crate) use quantum::{LOG_CYCLES, Quantum, STEPS};
pub use races::{Race, RaceKind, Races, Who};
use stacks::InTask;
pub use stacks::{Bounds, Stack, StackFinder, Stacks};
use std::ops::Range;
pub use suspicions::Ports;
pub use tasks::{Kernel, Tasks};
pub(crate) use tasks::{NewTask, follow_up};
pub use timed::{CostsOfNodes, Timed, TimedCalls};
pub use touched::Touched;
pub(crate) use touched::{Masks, kind as touch_kind};
use turns::Told;
use visits::{Move, Visits};

/// What a profile has to know of a chip and its program.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Functions and data of the program.
    pub places: Places,
    /// Addresses of hardware spinlocks, one word each: a read that is not 0 claims one, a write releases it.
    pub locks: Range<u32>,
    /// Those that the cores have now.
    pub tasks: Tasks,
    /// Whether each core executes, sleeps, or does neither.
    pub states: [Activity; 2],
    /// First address of a function each of whose calls is timed.
    pub timed: Option<u32>,
    /// What else is to be found out, for a hunt for faults.
    pub hunt: Option<Box<Hunt>>,
}

/// What a core does with its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Activity {
    /// It is in reset, locked up, or stuck.
    #[default]
    Off,
    /// It executes instructions.
    Executes,
    /// It enters or leaves an exception.
    Switches,
    /// It sleeps.
    Sleeps,
}

/// Time of one core.
#[derive(Clone, Debug)]
pub struct CoreProfile {
    calls: Calls,
    lines: Lines,
    activity: Activity,
    /// Up to when its time is accounted for: at the end, the core may have gone a little further than the chip.
    pub until: Cycle,
    /// Time in which it did nothing at all: in reset, locked up, or stuck.
    pub off: Cycle,
    /// Cycles that were lost on the way into or out of an exception, and are not accounted for yet.
    lost_on_the_way: Cycle,
    /// Cycles and instructions of the function that is executed, to be added to its node once that is left.
    pending: (Cycle, u64),
}

impl CoreProfile {
    /// The tree of calls; a node comes after its parent.
    pub fn nodes(&self) -> &[Node] {
        self.calls.nodes()
    }

    /// What each instruction that was executed cost, by its address.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &Line)> {
        self.lines.iter()
    }

    /// The calls of the function that is timed, which returned on this core.
    pub fn timed(&self) -> &TimedCalls {
        &self.calls.timed
    }

    /// The task or handler that is executed, the last one, and those that it has interrupted: the node that each is in.
    pub fn path(&self) -> impl Iterator<Item = usize> {
        self.calls.path()
    }

    /// The node of what it does now, and whether it executes it.
    pub fn doing(&self) -> (usize, Activity) {
        (self.calls.node(), self.activity)
    }

    /// Whether there were more different calls than the tree holds; the rest was added to their callers.
    pub fn is_truncated(&self) -> bool {
        self.calls.is_truncated()
    }

    /// So many cycles are lost, of each turn. They belong to the instruction, or to the way into or out of an exception.
    fn lose(&mut self, cycles: Cycle, counter: impl Fn(&mut Line) -> &mut Cycle) {
        if self.activity == Activity::Switches {
            self.lost_on_the_way += cycles;
        } else if self.calls.is_in_function() {
            *counter(self.lines.current()) += cycles * self.calls.weight;
        }
    }

    /// As `charge`, while the core goes on in the same function.
    #[inline]
    fn go_on(&mut self, now: Cycle) {
        let cycles = now.saturating_sub(self.until);
        self.until += cycles;
        self.pending.0 += cycles * self.calls.weight;
        self.lines.current().cycles += cycles * self.calls.weight;
    }

    /// Adds what is pending to the function that is executed.
    #[inline]
    fn settle_pending(&mut self) {
        let (cycles, instructions) = std::mem::take(&mut self.pending);
        if cycles | instructions != 0 {
            self.calls.spend(|costs| {
                costs.cycles += cycles;
                costs.instructions += instructions;
            });
        }
    }

    /// Accounts for the time up to `now`.
    fn charge(&mut self, now: Cycle) {
        self.settle_pending();
        let cycles = now.saturating_sub(self.until) * self.calls.weight;
        if cycles == 0 {
            return;
        }
        self.until = now;
        if self.activity == Activity::Off {
            self.off += cycles;
            return;
        }
        let (asleep, switching) = match self.activity {
            Activity::Sleeps => (cycles, 0),
            Activity::Switches => (0, cycles - std::mem::take(&mut self.lost_on_the_way).min(cycles)),
            _ => (0, 0),
        };
        self.calls.spend(|costs| {
            costs.cycles += cycles;
            costs.asleep += asleep;
            costs.switching += switching;
        });
        if self.activity != Activity::Switches && self.calls.is_in_function() {
            let line = self.lines.current();
            line.cycles += cycles;
            line.asleep += if self.activity == Activity::Sleeps { cycles } else { 0 };
        }
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Profile {
    /// By core.
    pub cores: [CoreProfile; 2],
    /// What the cores lost to each other, and their spinlocks.
    pub contention: Contention,
    places: Places,
    /// Those that native code executes.
    blocks: Blocks,
    /// What cores execute in quanta.
    visits: Visits,
    /// Tasks that no core executes now.
    parked: Parked,
    /// Those that a core has had.
    pub tasks: Tasks,
    /// What a hunt for faults has found out, if there is one.
    pub hunt: Option<Box<Hunt>>,
    /// When it began.
    pub begun: Cycle,
    /// When it ended.
    pub ended: Cycle,
    /// What it was told since a turn of a busy wait is being recorded.
    told: Option<Vec<Told>>,
    /// Room for what cores visit in a quantum; none while it is in use, or before.
    visited: Option<Box<Visited>>,
}

impl Profile {
    /// Begins in cycle `now`.
    pub fn new(setup: Setup, now: Cycle) -> Self {
        let cores = [0, 1].map(|core: usize| CoreProfile {
            calls: Calls::new(core as u8, setup.tasks.current[core], setup.timed),
            lines: Lines::default(),
            activity: setup.states[core],
            until: now,
            off: 0,
            lost_on_the_way: 0,
            pending: (0, 0),
        });
        Self {
            cores,
            contention: Contention::new(setup.locks),
            places: setup.places,
            blocks: Blocks::default(),
            visits: Visits::default(),
            parked: Parked::default(),
            tasks: setup.tasks,
            hunt: setup.hunt,
            begun: now,
            ended: now,
            told: None,
            visited: None,
        }
    }

    /// Whether each call of some function is timed.
    pub(crate) fn times_calls(&self) -> bool {
        self.cores[0].timed().is_in_use()
    }

    /// What is noted of a word by accesses of a core, if anything is.
    pub(crate) fn touch_masks(&self, core: u8, in_handler: bool) -> Masks {
        let touched = self.hunt.as_ref().and_then(|hunt| hunt.touched.as_ref());
        touched.map_or_else(Masks::default, |touched| touched.masks(core, in_handler))
    }

    /// Where it is noted who accesses which word, if it is.
    #[inline]
    pub(crate) fn touched(&mut self) -> Option<&mut Touched> {
        self.hunt.as_mut()?.touched.as_mut()
    }

    /// Whether it may be told of the cores one after the other: not while one comes back from an exception, maybe to a task
    /// that the other one has left, and not of calls that are timed.
    pub(crate) fn lets_cores_run_apart(&self) -> bool {
        !self.times_calls() && !self.cores.iter().any(|core| core.calls.is_unstacking())
    }

    /// First and last address of what it has to know each load and store of.
    pub(crate) fn watched(&self) -> impl Iterator<Item = (u32, u32)> {
        self.hunt.iter().flat_map(|hunt| hunt.watched())
    }

    /// Keeps what it is told, if a turn of a busy wait is being recorded.
    #[inline]
    fn keep(&mut self, told: Told) {
        if let Some(all) = &mut self.told {
            all.push(told);
        }
    }

    /// First addresses of the functions that a task has called which is on no core and has this stack, the outermost one first.
    pub fn functions_of_task(&self, stack: &Range<u32>) -> Vec<u32> {
        self.parked.functions(stack)
    }

    /// Accounts for all time up to `now`.
    pub fn finish(&mut self, now: Cycle) {
        for core in &mut self.cores {
            core.charge(now);
            core.calls.restart();
        }
        self.settle_visits();
        self.cores[0].calls.timed.unfinished += self.parked.timed();
        self.contention.finish();
        if let Some(hunt) = &mut self.hunt {
            hunt.finish(now);
        }
        self.ended = now;
    }

    /// A core begins an instruction at `pc`, where these two halfwords are, the first one lowest.
    pub(crate) fn instruction(&mut self, core: u8, now: Cycle, pc: u32, op: u32) {
        self.keep(Told::Instruction { core, now, pc, op });
        let number = usize::from(core & 1);
        self.comes_to(number, now, pc, op);
        let this = &mut self.cores[number];
        this.calls.set_last(pc, op);
        let weight = this.calls.weight;
        this.pending.1 += weight;
        this.lines.at(pc).executed += weight;
    }

    /// A core, by number, comes to an instruction, where it may be in another function, and all time before is accounted for.
    /// How it came there.
    #[inline]
    fn comes_to(&mut self, number: usize, now: Cycle, pc: u32, op: u32) -> Move {
        let Self { cores, places, parked, tasks, .. } = self;
        let this = &mut cores[number];
        if this.activity == Activity::Executes && this.calls.stays(pc) {
            this.go_on(now);
            return Move::Stay;
        }
        this.charge(now);
        this.activity = Activity::Executes;
        this.calls.advance(now, pc, op, tasks.current[number], places, parked)
    }

    /// The number of a block that native code is made for; none if a profile must be told of each of its instructions.
    pub(crate) fn block(&mut self, shape: &BlockShape) -> Option<u32> {
        self.blocks.number(shape, &self.places)
    }

    /// A core begins to enter an exception, whose frame is at an address; it may say so in each cycle that it waits.
    pub(crate) fn enters(&mut self, core: u8, now: Cycle, frame_at: u32) {
        let number = usize::from(core & 1);
        let this = &mut self.cores[number];
        if this.calls.is_entering() {
            return;
        }
        this.charge(now);
        this.activity = Activity::Switches;
        if let Some(hunt) = &mut self.hunt {
            let doer = Doer { core, cycle: now, pc: 0, node: this.calls.node(), value: 0 };
            let task = InTask { number: self.tasks.current[number], on_its_stack: this.calls.is_in_task() };
            hunt.stacks.stored(frame_at, frame_at.wrapping_add(4), doer, task);
        }
        this.calls.interrupt(now, frame_at, self.tasks.current[number], &mut self.parked);
    }

    /// A core reads back the frame at an address, and goes on with what was interrupted.
    pub(crate) fn returns(&mut self, core: u8, frame_at: u32) {
        self.cores[usize::from(core & 1)].calls.unstack(frame_at);
    }

    /// Something else happens in the life of a core.
    pub(crate) fn event(&mut self, core: u8, now: Cycle, event: CoreEvent) {
        let this = &mut self.cores[usize::from(core & 1)];
        let weight = this.calls.weight;
        match event {
            // Their time is accounted for with all that goes by meanwhile.
            CoreEvent::Conflicts(slave, cycles) => {
                this.calls.spend(|costs| costs.conflicts[slave.number()] += cycles * weight);
                this.lose(cycles, |line| &mut line.conflicts);
                return self.keep(Told::Conflicts { core, now, slave, cycles });
            }
            CoreEvent::Waits(slave, cycles) => {
                this.calls.spend(|costs| costs.waits[slave.number()] += cycles * weight);
                this.lose(cycles, |line| &mut line.waits);
                return self.keep(Told::Waits { core, now, slave, cycles });
            }
            CoreEvent::Misses => return, // `misses` has more to say of it
            _ => this.charge(now),
        }
        let (interrupted, node) = (this.calls.interrupted(), this.calls.node());
        match event {
            CoreEvent::Enters(exception) => this.calls.begin_handler(exception),
            CoreEvent::Leaves(_) => this.calls.end_handler(now),
            CoreEvent::Starts => this.calls.restart(),
            _ => {}
        }
        this.activity = match event {
            CoreEvent::Enters(_) | CoreEvent::Leaves(_) => Activity::Switches,
            CoreEvent::Sleeps => Activity::Sleeps,
            CoreEvent::Stops | CoreEvent::Sticks | CoreEvent::LocksUp => Activity::Off,
            _ => Activity::Executes,
        };
        if let Some(hunt) = &mut self.hunt {
            match event {
                CoreEvent::Enters(exception) => hunt.enters(core, now, exception, interrupted),
                CoreEvent::Leaves(exception) => hunt.leaves(core, now, exception),
                CoreEvent::Starts => hunt.restarts(Doer { core, cycle: now, pc: 0, node, value: 0 }),
                CoreEvent::Stops => hunt.stops(core),
                _ => {}
            }
        }
    }

    /// What cores lose in cycle `now`, they lose to a master. Those that ask for the same slave do so at these addresses.
    pub(crate) fn contend(&mut self, now: Cycle, winner: u8, addresses: [u32; 2]) {
        self.keep(Told::Contend { now, winner, addresses });
        self.contention.winner = Some((now, winner, addresses));
    }

    /// A core loses cycles from `now` on: to the master that `contend` said, else to the `holder` of the slave.
    pub(crate) fn loses(&mut self, core: u8, now: Cycle, at: Access, cycles: Cycle, holder: u8) {
        self.keep(Told::Loses { core, now, at, cycles, holder });
        if self.hunt.is_some() {
            return; // whom cycles were lost to is nothing that it asks for
        }
        let functions = [0, 1].map(|core: usize| self.cores[core].calls.function());
        let (winner, theirs) = self.contention.winner_at(now).unwrap_or((holder, 0));
        let asked = [0, 1].map(|number| if number == core & 1 { at.address } else { theirs });
        let Self { contention, places, .. } = self;
        let objects = asked.map(|address| contention.objects.at(address, places));
        let times = contention.weight;
        contention.lose(Taken::new(Taken::who(core, winner), at.slave.0, functions, objects), times, times * cycles);
    }

    /// A core waits for flash, and the line that comes replaces that of another address.
    pub(crate) fn misses(&mut self, core: u8, at: Access, cycles: Cycle, replaced: Option<u32>) {
        if self.is_of_races() {
            return;
        }
        let function = self.cores[usize::from(core & 1)].calls.function();
        self.contention.miss(core, at, cycles, replaced, function, &self.places);
    }
}
