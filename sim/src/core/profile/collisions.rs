//! Cycles that cores lose to each other in quanta. The same instructions lose most of them to the same ones, again and again:
//! they are counted, and accounted for together.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/observation.py

use crate::core::bus::Slave;
use crate::core::profile::blocks::{Blocks, Wait};
use crate::core::profile::contention::Access;
use crate::core::profile::visits::Instruction;
use crate::core::profile::{CoreProfile, Profile};
use crate::core::time::Cycle;

/// Where both cores are in a cycle that one of them loses. By role, the speculative core first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Collision {
    /// The visits that they are in, or `NO_VISIT`.
    pub visits: [u32; 2],
    /// What they ask for.
    pub addresses: [u32; 2],
    /// What they execute there: of the speculative core, cycles since that began, and of the other one the number.
    pub instructions: [u16; 2],
    pub slave: u8,
    /// The speculative core.
    pub speculative: u8,
    /// Whether that loses the cycle.
    pub by_speculative: bool,
}

/// A core has begun nothing yet.
pub(super) const NO_VISIT: u32 = u32::MAX;

const PLACES_BITS: u32 = 11;

/// Those that are not accounted for yet, and how many cycles each.
#[derive(Clone, Debug)]
pub(super) struct Collisions(Vec<(Collision, u64)>);

impl Default for Collisions {
    fn default() -> Self {
        Self(vec![(Collision::default(), 0); 1 << PLACES_BITS])
    }
}

impl Collision {
    /// Where it is looked for.
    #[inline(always)]
    fn place(&self) -> usize {
        let pair = |[one, other]: [u32; 2]| u64::from(one) << 32 | u64::from(other);
        let [first, second] = self.instructions.map(u64::from);
        let how = first << 48 | second << 16 | u64::from(self.slave) << 2 | u64::from(self.by_speculative) << 1;
        // Odd factors of random bits.
        let mixed = (pair(self.visits) ^ how).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = mixed ^ (pair(self.addresses) ^ u64::from(self.speculative)).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        ((mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACES_BITS)) as usize
    }
}

impl Collisions {
    /// Counts one. Another one that was counted in its place, if there is one, and how often.
    #[inline(always)]
    fn add(&mut self, collision: Collision) -> Option<(Collision, u64)> {
        let place = collision.place();
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

impl Profile {
    /// A cycle is lost. Where a core has begun nothing yet, it was in one of these functions, by role.
    #[inline(always)]
    pub(super) fn collide(&mut self, collision: Collision, before: [u32; 2]) {
        if collision.visits.contains(&NO_VISIT) {
            self.account(collision, 1, before);
        } else if let Some((other, times)) = self.collisions.add(collision) {
            self.account(other, times, before);
        }
    }

    /// Accounts for all that was counted, here and in the visits of a core, by number.
    pub(super) fn settle_visits(&mut self, number: usize) {
        for (collision, times) in std::mem::take(&mut self.collisions).0.into_iter().filter(|&(_, times)| times != 0) {
            self.account(collision, times, [0; 2]);
        }
        let core = &mut self.cores[number];
        core.visits.settle(core.calls.tree(), &mut core.lines, &self.blocks);
    }

    /// Accounts for so many cycles that were lost in the same way.
    #[inline(never)]
    fn account(&mut self, collision: Collision, times: u64, before: [u32; 2]) {
        let Collision { visits, addresses, slave, speculative, by_speculative, .. } = collision;
        let numbers = [speculative, speculative ^ 1];
        let loser = usize::from(!by_speculative);
        let mut functions = before;
        for (role, visit) in visits.into_iter().enumerate().filter(|&(_, visit)| visit != NO_VISIT) {
            let core = &mut self.cores[usize::from(numbers[role] & 1)];
            functions[role] = core.visits.function(visit);
            // In the quantum's cycles, a wait of the replaying core took time, and one of the speculative core took none.
            core.visits.spend(visit, if by_speculative { times } else { 0 });
            if role == loser {
                let instruction = if by_speculative {
                    Instruction::InCycle(collision.instructions[role].into())
                } else {
                    Instruction::Number(collision.instructions[role])
                };
                core.lose_in(visit, instruction, (slave, times), &self.blocks);
            }
        }
        let functions = if speculative & 1 == 0 { functions } else { [functions[1], functions[0]] };
        let access = Access { slave: Slave(slave), address: addresses[loser] };
        let winner = (numbers[1 - loser], addresses[1 - loser]);
        self.contention.lose(numbers[loser], access, (times, times), winner, functions, &self.places);
    }
}

impl CoreProfile {
    /// The core has waited in the last instruction of a visit.
    pub(super) fn wait(&mut self, visit: u32, wait: Wait, blocks: &Blocks) {
        let (_, node) = self.visits.function_in(visit);
        let (pc, _) = self.visits.last(visit, blocks);
        self.calls.tree().costs(node).waits[usize::from(wait.slave)] += Cycle::from(wait.cycles);
        self.lines.aside(pc).waits += Cycle::from(wait.cycles);
    }

    /// An instruction of a visit has lost cycles at a slave.
    fn lose_in(&mut self, visit: u32, instruction: Instruction, (slave, cycles): (u8, Cycle), blocks: &Blocks) {
        let (node, pc, is_before_last) = self.visits.place(visit, instruction, blocks);
        let before_last = if is_before_last { cycles } else { 0 };
        let costs = self.calls.tree().costs(node);
        costs.conflicts[usize::from(slave)] += cycles;
        costs.cycles = costs.cycles.wrapping_add(before_last);
        let line = self.lines.aside(pc);
        line.conflicts += cycles;
        line.cycles = line.cycles.wrapping_add(before_last);
        // What is counted for the visit is that of its last instruction.
        self.visits.spend(visit, before_last.wrapping_neg());
    }
}
