//! What both cores have done in a quantum, once that is certain.
//!
//! First each core is followed through the tree of its calls, in the quantum's cycles, in which the speculative core loses none.
//! Then each lost cycle is added to what both cores executed at that time. So neither needs to wait for the other.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/sim

use crate::core::bus::Slave;
use crate::core::profile::accesses::{LockAccess, When};
use crate::core::profile::blocks::{Begun, Lost, Wait};
use crate::core::profile::visits::{Move, Visits};
use crate::core::profile::{Activity, CoreProfile, Profile};
use crate::core::time::Cycle;
use crate::core::watch::CoreEvent;

/// Cycles of the longest quantum of two cores, and more: a power of two.
pub(crate) const LOG_CYCLES: usize = 4096;

/// Cycles of the chip in the longest quantum that is traced, and one instruction that may not be executed; a power of two. What
/// is begun takes a cycle at least, and a cycle is lost once.
pub(crate) const STEPS: usize = 2 * LOG_CYCLES;

/// See the module. Roles are in the order of the speculative core, or the only one, and the replaying one.
pub(crate) struct Quantum<'a> {
    /// The cycle of the chip in which the quantum's cycle 0 is.
    pub start: Cycle,
    /// By role, the number of the core.
    pub cores: [u8; 2],
    /// By role, what the core has begun.
    pub begun: [&'a [Begun]; 2],
    /// In the order of time.
    pub lost: &'a [Lost],
    /// By cycle, what the speculative core asked for.
    pub addresses: &'a [u32; LOG_CYCLES],
    /// By role.
    pub waits: [&'a [Wait]; 2],
    /// By role, accesses to spinlocks.
    pub locks: [&'a [LockAccess]; 2],
}

impl Quantum<'_> {
    /// How many cycles were lost before the core of a role began anything.
    fn lost_before(&self, role: usize) -> usize {
        let is_before = |lost: &&Lost| match (role, self.begun[role].first()) {
            (_, None) => true,
            (0, Some(first)) => lost.cycle < first.cycle,
            (_, Some(_)) => lost.begun == 0,
        };
        self.lost.iter().take_while(is_before).count()
    }
}

/// What cores have visited in a quantum.
#[derive(Clone, Debug)]
pub(super) struct Visited {
    /// By role, one visit after the other.
    visits: [Vec<u32>; 2],
    /// By cycle, the visit that the speculative core was in, times `LOG_CYCLES`, and the cycle in which that began.
    by_cycle: [u32; LOG_CYCLES + AT_ONCE],
}

/// Cycles that one store to `Visited::by_cycle` is for.
const AT_ONCE: usize = 8;

const _: () = assert!(Visits::MOST_IN_ALL <= 1 << (u32::BITS - LOG_CYCLES.ilog2()), "`Visited::by_cycle` has room");

impl Default for Visited {
    #[allow(clippy::large_stack_arrays)] // once, and not too large
    fn default() -> Self {
        Self { visits: Default::default(), by_cycle: [0; LOG_CYCLES + AT_ONCE] }
    }
}

impl Visited {
    /// Finds out where the speculative core was, up to a cycle.
    fn set_cycles(&mut self, begun: &[Begun], last: u16) {
        let ends = begun.iter().skip(1).map(|next| usize::from(next.cycle)).chain([usize::from(last) + 1]);
        for ((&visit, begun), end) in self.visits[0].iter().zip(begun).zip(ends) {
            let from = usize::from(begun.cycle);
            if from >= LOG_CYCLES {
                return; // nothing is lost there
            }
            let at = visit << LOG_CYCLES.ilog2() | from as u32;
            self.by_cycle[from..from + AT_ONCE].fill(at);
            if end > from + AT_ONCE {
                self.by_cycle[from + AT_ONCE..end.min(LOG_CYCLES)].fill(at);
            }
        }
    }

    /// Which visit of the speculative core a cycle was lost in, and how many cycles since that began.
    #[inline(always)]
    pub fn speculative_at(&self, lost: &Lost) -> (u32, u16) {
        let at = self.by_cycle[usize::from(lost.cycle) % LOG_CYCLES];
        (at >> LOG_CYCLES.ilog2(), lost.cycle.wrapping_sub(at as u16 % LOG_CYCLES as u16))
    }

    /// The same of the replaying core.
    #[inline(always)]
    pub fn replaying_at(&self, lost: &Lost) -> (u32, u16) {
        (self.visits[1][lost.begun as usize - 1], lost.behind)
    }
}

impl Profile {
    /// Accounts for a quantum.
    pub(crate) fn quantum(&mut self, quantum: &Quantum) {
        if self.visits.is_full() {
            self.settle_visits();
        }
        let mut visited = self.visited.take().unwrap_or_default();
        let before = quantum.cores.map(|core| self.cores[usize::from(core & 1)].calls.function());
        let alone = [0, 1].map(|role| quantum.lost_before(role));
        let waits = quantum.lost.iter().map(|lost| Cycle::from(lost.by_speculative)).sum();
        for (role, alone) in alone.into_iter().enumerate() {
            self.follow(quantum, role, (alone, waits), &mut visited.visits[role]);
        }
        for role in [0, 1] {
            for &wait in quantum.waits[role] {
                self.wait(quantum.cores[role], visited.visits[role][wait.begun as usize - 1], wait);
            }
        }
        self.tell_of_locks(quantum, &visited);
        if let (Some(last), false) = (quantum.lost.last(), self.is_of_races()) {
            visited.set_cycles(quantum.begun[0], last.cycle);
            self.tell_of_lost(quantum, &visited, alone, before);
        }
        self.visited = Some(visited);
    }

    /// Accounts for accesses to spinlocks, in the order of time.
    fn tell_of_locks(&mut self, quantum: &Quantum, visited: &Visited) {
        if quantum.locks.iter().all(|locks| locks.is_empty()) {
            return;
        }
        let time = |access: &LockAccess| match access.at {
            When::Chip(now) => now,
            When::Quantum(cycle) => {
                let before = quantum.lost.iter().take_while(|lost| u32::from(lost.cycle) < cycle);
                let waits = before.filter(|lost| lost.by_speculative).count();
                quantum.start.wrapping_add(Cycle::from(cycle) + waits as Cycle)
            }
        };
        let of = |role: usize| quantum.locks[role].iter().map(move |access| (role, access));
        let mut all: Vec<_> = of(0).chain(of(1)).map(|(role, access)| (time(access), role, access)).collect();
        all.sort_by_key(|&(now, role, _)| (now, quantum.cores[role]));
        for (now, role, access) in all {
            let visit = visited.visits[role][access.begun as usize - 1];
            let function = self.visits.function_in(visit);
            self.lock(access, now, function);
        }
    }

    /// The core has waited in the last instruction of a visit.
    fn wait(&mut self, core: u8, visit: u32, wait: Wait) {
        let (_, node) = self.visits.function_in(visit);
        let (pc, _) = self.visits.last(visit, &self.blocks);
        let CoreProfile { calls, lines, .. } = &mut self.cores[usize::from(core & 1)];
        calls.tree().costs(node).waits[usize::from(wait.slave)] += Cycle::from(wait.cycles);
        lines.aside(pc).waits += Cycle::from(wait.cycles);
    }

    /// Accounts for a core up to the last instruction that it has begun, but for cycles that were lost behind the first one. So
    /// many were lost before that; and so many cycles of the quantum went by for the replaying core alone.
    fn follow(&mut self, quantum: &Quantum, role: usize, (alone, mut waits): (usize, Cycle), visited: &mut Vec<u32>) {
        let number = usize::from(quantum.cores[role] & 1);
        let mut start = quantum.start;
        for lost in &quantum.lost[..alone] {
            if lost.by_speculative == (role == 0) {
                let now = start.wrapping_add(Cycle::from(lost.cycle));
                self.event(number as u8, now, CoreEvent::Conflicts(Slave(lost.slave), 1));
            }
            start = start.wrapping_add(Cycle::from(lost.by_speculative));
            waits -= Cycle::from(lost.by_speculative);
        }
        let Some((&first, more)) = quantum.begun[role].split_first() else { return };
        let mut at = self.visit_first(number, start.wrapping_add(Cycle::from(first.cycle)), first);
        visited.resize(more.len() + 1, 0);
        visited[0] = at;
        let mut since = first.cycle;
        let mut done = 0;
        loop {
            let Self { visits, blocks, cores, .. } = self;
            done += visits.go_on((&mut at, &mut since), &more[done..], blocks, &mut visited[done + 1..]);
            let Some(&begun) = more.get(done) else { break };
            visits.pass(at, Cycle::from(begun.cycle.wrapping_sub(since)));
            let next = cores[number].calls.context().and_then(|context| visits.next(at, begun, context, blocks));
            at = match next {
                Some(next) => next,
                None => self.visit(number, start, at, begun),
            };
            (since, done) = (begun.cycle, done + 1);
            visited[done] = at;
        }
        let Self { visits, blocks, cores, .. } = self;
        let core = &mut cores[number];
        let (last, to_last) = (visits.last(at, blocks), visits.to_last(at));
        visits.pass(at, to_last);
        core.until = start.wrapping_add(Cycle::from(since) + to_last + waits);
        core.calls.set_visited(at, last);
        core.lines.at(last.0);
    }

    /// A core, by number, begins something in cycle `now`, and all time before is accounted for: the number of the visit.
    fn visit_first(&mut self, number: usize, now: Cycle, begun: Begun) -> u32 {
        let Self { visits, blocks, cores, .. } = self;
        let core = &mut cores[number];
        core.settle_pending();
        if core.activity == Activity::Executes
            && let Some((before, context)) = core.calls.visited()
            && let Some(next) = visits.next(before, begun, context, blocks)
        {
            visits.spend(before, now.saturating_sub(core.until));
            return next;
        }
        // `follow` says in the end which instruction was the last one.
        let (pc, (_, op)) = (begun.pc(blocks), begun.last(blocks));
        let before = core.calls.visited().map(|(visit, _)| visit);
        let by = self.comes_to(number, now, pc, op);
        self.cores[number].settle_pending();
        self.learn(number, before, by, begun)
    }

    /// A core, by number, begins something behind a visit in a quantum from cycle `start` on: the number of the visit.
    fn visit(&mut self, number: usize, start: Cycle, before: u32, begun: Begun) -> u32 {
        let Self { cores, visits, places, parked, tasks, blocks, .. } = self;
        let pc = begun.pc(blocks);
        let calls = &mut cores[number].calls;
        let (last, op) = visits.last(before, blocks);
        calls.set_last(last, op);
        let by = if calls.stays(pc) {
            Move::Stay
        } else {
            calls.advance(start, pc, begun.last(blocks).1, tasks.current[number], places, parked)
        };
        self.learn(number, Some(before), by, begun)
    }

    /// See `Visits::learn`.
    fn learn(&mut self, number: usize, before: Option<u32>, by: Move, begun: Begun) -> u32 {
        let Self { cores, visits, blocks, .. } = self;
        visits.learn((number as u8, cores[number].calls.called()), before, by, begun, blocks)
    }
}
