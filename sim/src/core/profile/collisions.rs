//! Cycles that cores lose to each other in quanta. The same instructions lose most of them, again and again: they are counted, and
//! accounted for together.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/observation.py

use crate::core::profile::CoreProfile;
use crate::core::profile::blocks::{Blocks, Wait};
use crate::core::profile::visits::Instruction;
use crate::core::time::Cycle;

/// A lost cycle, as far as it matters for what the loser does in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Collision {
    /// The visit that the loser was in.
    pub visit: u32,
    /// What it executed there: of the speculative core, cycles since that began; else the number.
    pub instruction: u16,
    /// The slave, and whether the speculative core has lost the cycle.
    pub slave: u8,
    pub by_speculative: bool,
}

const PLACES_BITS: u32 = 10;

/// Those of a core that are not accounted for yet, and how often each was lost.
#[derive(Clone, Debug)]
pub(super) struct Collisions(Vec<(Collision, u64)>);

impl Default for Collisions {
    fn default() -> Self {
        Self(vec![(Collision::default(), 0); 1 << PLACES_BITS])
    }
}

impl Collisions {
    /// Counts one. Another one that was counted in its place, if there is one, and how often.
    #[inline(always)]
    fn add(&mut self, collision: Collision) -> Option<(Collision, u64)> {
        let Collision { visit, instruction, slave, by_speculative } = collision;
        let how = u32::from(instruction) << 6 ^ u32::from(slave) << 1 ^ u32::from(by_speculative);
        let mixed = (u64::from(visit) << 32 | u64::from(how)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> (64 - PLACES_BITS)) as usize;
        for place in [place, place ^ 1] {
            let (counted, times) = &mut self.0[place];
            if *counted == collision {
                *times += 1;
                return None;
            }
        }
        self.0.swap(place, place ^ 1);
        let other = std::mem::replace(&mut self.0[place], (collision, 1));
        (other.1 != 0).then_some(other)
    }
}

impl CoreProfile {
    /// The core has lost a cycle.
    #[inline(always)]
    pub(super) fn collide(&mut self, collision: Collision, blocks: &Blocks) {
        if let Some((other, times)) = self.collisions.add(collision) {
            self.account(other, times, blocks);
        }
    }

    /// Accounts for all that was counted, here and in visits.
    pub(super) fn settle_visits(&mut self, blocks: &Blocks) {
        for (collision, times) in std::mem::take(&mut self.collisions).0.into_iter().filter(|&(_, times)| times != 0) {
            self.account(collision, times, blocks);
        }
        self.visits.settle(self.calls.tree(), &mut self.lines, blocks);
    }

    /// The core has waited in the last instruction of a visit.
    pub(super) fn wait(&mut self, visit: u32, wait: &Wait, blocks: &Blocks) {
        let (_, node) = self.visits.function_in(visit);
        let (pc, _) = self.visits.last(visit, blocks);
        self.calls.tree().costs(node).waits[usize::from(wait.slave)] += Cycle::from(wait.cycles);
        self.lines.aside(pc).waits += Cycle::from(wait.cycles);
    }

    /// Accounts for so many cycles that were lost in the same way.
    #[inline(never)]
    fn account(&mut self, collision: Collision, times: u64, blocks: &Blocks) {
        let Collision { visit, instruction, slave, by_speculative } = collision;
        let instruction =
            if by_speculative { Instruction::InCycle(instruction.into()) } else { Instruction::Number(instruction) };
        let (node, pc, is_before_last) = self.visits.place(visit, instruction, blocks);
        let before_last: Cycle = if is_before_last { times } else { 0 };
        let costs = self.calls.tree().costs(node);
        costs.conflicts[usize::from(slave)] += times;
        costs.cycles = costs.cycles.wrapping_add(before_last);
        let line = self.lines.aside(pc);
        line.conflicts += times;
        line.cycles = line.cycles.wrapping_add(before_last);
        // What is counted for the visit is that of its last instruction.
        self.visits.spend(visit, before_last.wrapping_neg());
    }
}
