//! What both cores have done in a quantum, once that is certain.
//!
//! First each core is followed through the tree of its calls, in the quantum's cycles, in which the speculative core loses none.
//! Then each lost cycle is added to what both cores executed at that time. So neither needs to wait for the other.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/sim

use crate::core::bus::Slave;
use crate::core::profile::accesses::{LockAccess, When};
use crate::core::profile::blocks::{Begun, Lost, Wait};
use crate::core::profile::collisions::{Collision, NO_VISIT};
use crate::core::profile::visits::Move;
use crate::core::profile::{Activity, CoreProfile, Profile};
use crate::core::time::Cycle;
use crate::core::watch::CoreEvent;

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
    /// By cycle, what the speculative core asked for; as many as a power of two.
    pub addresses: &'a [u32],
    /// By role.
    pub waits: [&'a [Wait]; 2],
    /// By role, accesses to spinlocks.
    pub locks: [&'a [LockAccess]; 2],
    /// Instructions that the replaying core had fetched before, and that the other one has overwritten: address and halfwords.
    pub stale: &'a [(u32, u32)],
}

impl Quantum<'_> {
    /// How many cycles were lost before the core of a role began anything.
    fn lost_before(&self, role: usize) -> usize {
        let is_before = |lost: &&Lost| match (role, self.begun[role].first()) {
            (_, None) => true,
            (0, Some(first)) => lost.cycle < u32::from(first.cycle),
            (_, Some(_)) => lost.begun == 0,
        };
        self.lost.iter().take_while(is_before).count()
    }
}

/// What cores have visited in a quantum.
#[derive(Clone, Debug, Default)]
pub(super) struct Visited {
    /// By role, one visit after the other.
    visits: [Vec<u32>; 2],
    /// By cycle, which of its visits the speculative core was in.
    by_cycle: Vec<u16>,
}

/// Cycles that one store to `Visited::by_cycle` is for.
const AT_ONCE: usize = 8;

impl Visited {
    /// Finds out where the speculative core was, up to a cycle.
    fn set_cycles(&mut self, begun: &[Begun], last: u32) {
        self.by_cycle.resize(usize::from(u16::MAX) + AT_ONCE, 0);
        let ends = begun.iter().skip(1).map(|next| usize::from(next.cycle)).chain([last as usize + 1]);
        for (number, (begun, end)) in begun.iter().zip(ends).enumerate() {
            let (number, from) = (number as u16, usize::from(begun.cycle));
            self.by_cycle[from..from + AT_ONCE].copy_from_slice(&[number; AT_ONCE]);
            if end > from + AT_ONCE {
                self.by_cycle[from + AT_ONCE..end].fill(number);
            }
        }
    }

    /// Which visit of the speculative core a cycle was lost in, and how many cycles since that began.
    #[inline(always)]
    fn speculative_at(&self, begun: &[Begun], lost: &Lost) -> (u32, u16) {
        let number = usize::from(self.by_cycle[lost.cycle as usize]);
        (self.visits[0][number], (lost.cycle as u16).wrapping_sub(begun[number].cycle))
    }

    /// The same of the replaying core, with the number of the instruction.
    #[inline(always)]
    fn replaying_at(&self, lost: &Lost) -> (u32, u16) {
        (self.visits[1][lost.begun as usize - 1], lost.instruction)
    }
}

impl Profile {
    /// Accounts for a quantum, in a program that has the two halfwords `op_at` an address, the first one lowest.
    pub(crate) fn quantum(&mut self, quantum: &Quantum, op_at: impl Fn(u32) -> u32 + Copy) {
        let mut visited = std::mem::take(&mut self.visited);
        let before = quantum.cores.map(|core| self.cores[usize::from(core & 1)].calls.function());
        let alone = [0, 1].map(|role| quantum.lost_before(role));
        for (role, alone) in alone.into_iter().enumerate() {
            let fetched = |pc| match quantum.stale.iter().find(|stale| role == 1 && stale.0 == pc) {
                Some(&(_, op)) => op,
                None => op_at(pc),
            };
            self.follow(quantum, role, alone, &mut visited.visits[role], fetched);
        }
        for role in [0, 1] {
            let core = &mut self.cores[usize::from(quantum.cores[role] & 1)];
            for &wait in quantum.waits[role] {
                core.wait(visited.visits[role][wait.begun as usize - 1], wait, &self.blocks);
            }
        }
        self.tell_of_locks(quantum, &visited);
        let lost = if self.is_of_races() { &[] } else { quantum.lost };
        if let Some(last) = lost.last() {
            visited.set_cycles(quantum.begun[0], last.cycle);
        }
        for (number, lost) in lost.iter().enumerate() {
            let nowhere = (NO_VISIT, 0);
            let first = if number < alone[0] { nowhere } else { visited.speculative_at(quantum.begun[0], lost) };
            let second = if number < alone[1] { nowhere } else { visited.replaying_at(lost) };
            if self.hunt.is_some() {
                // Whom cycles were lost to is nothing that it asks for.
                self.pass_lost(quantum, lost, [first.0, second.0]);
                continue;
            }
            let asked = quantum.addresses[lost.cycle as usize & (quantum.addresses.len() - 1)];
            let collision = Collision {
                visits: [first.0, second.0],
                addresses: [asked, lost.address],
                instructions: [first.1, second.1],
                slave: lost.slave,
                speculative: quantum.cores[0],
                by_speculative: lost.by_speculative,
            };
            self.collide(collision, before);
        }
        self.visited = visited;
    }

    /// A cycle goes by that was lost, by role in a visit or in `NO_VISIT`. In the quantum's cycles, a wait of the replaying core took
    /// time, and one of the speculative core took none.
    #[inline(always)]
    fn pass_lost(&mut self, quantum: &Quantum, lost: &Lost, visits: [u32; 2]) {
        for (core, visit) in quantum.cores.into_iter().zip(visits).filter(|&(_, visit)| visit != NO_VISIT) {
            self.cores[usize::from(core & 1)].visits.spend(visit, lost.by_speculative.into());
        }
    }

    /// Accounts for accesses to spinlocks, in the order of time.
    fn tell_of_locks(&mut self, quantum: &Quantum, visited: &Visited) {
        if quantum.locks.iter().all(|locks| locks.is_empty()) {
            return;
        }
        let time = |access: &LockAccess| match access.at {
            When::Chip(now) => now,
            When::Quantum(cycle) => {
                let before = quantum.lost.iter().take_while(|lost| lost.cycle < cycle);
                let waits = before.filter(|lost| lost.by_speculative).count();
                quantum.start.wrapping_add(Cycle::from(cycle) + waits as Cycle)
            }
        };
        let of = |role: usize| quantum.locks[role].iter().map(move |access| (role, access));
        let mut all: Vec<_> = of(0).chain(of(1)).map(|(role, access)| (time(access), role, access)).collect();
        all.sort_by_key(|&(now, role, _)| (now, quantum.cores[role]));
        for (now, role, access) in all {
            let visit = visited.visits[role][access.begun as usize - 1];
            let function = self.cores[usize::from(quantum.cores[role] & 1)].visits.function_in(visit);
            self.lock(access, now, function);
        }
    }

    /// Accounts for a core up to the last instruction that it has begun, but for cycles that were lost behind the first one. So
    /// many were lost before that.
    fn follow(
        &mut self,
        quantum: &Quantum,
        role: usize,
        alone: usize,
        visited: &mut Vec<u32>,
        op_at: impl Fn(u32) -> u32 + Copy,
    ) {
        visited.clear();
        let number = usize::from(quantum.cores[role] & 1);
        let (alone, later) = quantum.lost.split_at(alone);
        let mut start = quantum.start;
        for lost in alone {
            if lost.by_speculative == (role == 0) {
                let now = start.wrapping_add(Cycle::from(lost.cycle));
                self.event(number as u8, now, CoreEvent::Conflicts(Slave(lost.slave), 1));
            }
            start = start.wrapping_add(Cycle::from(lost.by_speculative));
        }
        let Some((&first, more)) = quantum.begun[role].split_first() else { return };
        if self.cores[number].visits.is_full() {
            self.cores[number].calls.forget_visits();
            self.settle_visits(number);
        }
        let mut at = self.visit_first(number, start.wrapping_add(Cycle::from(first.cycle)), first, op_at);
        visited.push(at);
        let mut since = first.cycle;
        let mut here = self.cores[number].visits.here(at, &self.blocks);
        for &begun in more {
            let cycles = Cycle::from(begun.cycle.wrapping_sub(since));
            let core = &mut self.cores[number];
            core.visits.spend(at, cycles);
            since = begun.cycle;
            if let Some(member) = self.blocks.member(begun)
                && let Some(next) = here.next(member)
            {
                core.visits.execute(next);
                visited.push(next);
                at = next;
                here = here.behind(member);
                continue;
            }
            let next =
                core.calls.context().and_then(|context| core.visits.next(at, begun, context, &self.blocks, op_at));
            at = match next {
                Some(next) => next,
                None => self.visit(number, start, at, begun, op_at),
            };
            visited.push(at);
            here = self.cores[number].visits.here(at, &self.blocks);
        }
        let core = &mut self.cores[number];
        let waits = later.iter().filter(|lost| lost.by_speculative).count();
        let (last, to_last) = (core.visits.last(at, &self.blocks), core.visits.to_last(at, &self.blocks));
        core.visits.spend(at, to_last);
        core.until = start.wrapping_add(Cycle::from(since) + to_last + waits as Cycle);
        core.calls.set_visited(at, last);
        core.lines.at(last.0);
    }

    /// A core, by number, begins something in cycle `now`, and all time before is accounted for: the number of the visit.
    fn visit_first(&mut self, number: usize, now: Cycle, begun: Begun, op_at: impl Fn(u32) -> u32 + Copy) -> u32 {
        let core = &mut self.cores[number];
        core.settle_pending();
        if core.activity == Activity::Executes
            && let Some((before, context)) = core.calls.visited()
            && let Some(next) = core.visits.next(before, begun, context, &self.blocks, op_at)
        {
            core.visits.spend(before, now.saturating_sub(core.until));
            return next;
        }
        let pc = begun.pc(&self.blocks);
        let before = core.calls.visited().map(|(visit, _)| visit);
        let by = self.comes_to(number, now, pc, || op_at(pc));
        self.cores[number].settle_pending();
        self.learn(number, before, by, begun, op_at)
    }

    /// A core, by number, begins something behind a visit in a quantum from cycle `start` on: the number of the visit.
    fn visit(
        &mut self,
        number: usize,
        start: Cycle,
        before: u32,
        begun: Begun,
        op_at: impl Fn(u32) -> u32 + Copy,
    ) -> u32 {
        let pc = begun.pc(&self.blocks);
        let Self { cores, places, parked, tasks, blocks, .. } = self;
        let core = &mut cores[number];
        let (last, op) = core.visits.last(before, blocks);
        core.calls.set_last(last, op);
        let by = if core.calls.stays(pc) {
            Move::Stay
        } else {
            core.calls.advance(start, pc, op_at(pc), tasks.current[number], places, parked)
        };
        self.learn(number, Some(before), by, begun, op_at)
    }

    /// See `Visits::learn`.
    fn learn(&mut self, number: usize, before: Option<u32>, by: Move, begun: Begun, op_at: impl Fn(u32) -> u32) -> u32 {
        let CoreProfile { calls, visits, .. } = &mut self.cores[number];
        visits.learn(before, by, begun, &self.blocks, calls.called(), op_at)
    }
}
