//! Cycles that cores lose to each other in quanta.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/observation.py

use crate::core::profile::Profile;
use crate::core::profile::blocks::Lost;
use crate::core::profile::counts::Taken;
use crate::core::profile::quantum::{LOG_CYCLES, Quantum, Visited};

impl Profile {
    /// Accounts for lost cycles, of which so many were lost, by role, before a core had begun something, in one of these functions.
    pub(super) fn tell_of_lost(&mut self, quantum: &Quantum, visited: &Visited, alone: [usize; 2], before: [u32; 2]) {
        let (early, later) = quantum.lost.split_at(alone[0].max(alone[1]));
        for (number, lost) in early.iter().enumerate() {
            let first = (number >= alone[0]).then(|| visited.speculative_at(lost));
            let second = (number >= alone[1]).then(|| visited.replaying_at(lost));
            self.lose_seldom(quantum, lost, [first, second], before);
        }
        if self.hunt.is_some() {
            // Whom cycles were lost to is nothing that it asks for.
            for lost in later {
                self.visits.spend(visited.speculative_at(lost).0, lost.by_speculative.into());
                self.visits.spend(visited.replaying_at(lost).0, lost.by_speculative.into());
            }
        } else if quantum.cores[0] & 1 == 0 {
            self.lose::<0>(quantum, visited, later);
        } else {
            self.lose::<1>(quantum, visited, later);
        }
    }

    /// As `tell_of_lost`, if both cores have begun something, and `SPECULATIVE` is the number of the speculative one.
    fn lose<const SPECULATIVE: u8>(&mut self, quantum: &Quantum, visited: &Visited, lost: &[Lost]) {
        let by_core = |[first, second]: [u32; 2]| if SPECULATIVE == 0 { [first, second] } else { [second, first] };
        for lost in lost {
            let at = [visited.speculative_at(lost), visited.replaying_at(lost)];
            if lost.beside_others != 0 {
                self.lose_seldom(quantum, lost, at.map(Some), [0; 2]);
                continue;
            }
            let Self { visits, contention, places, .. } = self;
            let functions = by_core(visits.lose(at, lost.slave, lost.by_speculative));
            let asked = by_core([quantum.addresses[usize::from(lost.cycle) % LOG_CYCLES], lost.address]);
            let objects = asked.map(|address| contention.objects.at(address, places));
            let who = if lost.by_speculative {
                const { Taken::who(SPECULATIVE, 1 - SPECULATIVE) }
            } else {
                const { Taken::who(1 - SPECULATIVE, SPECULATIVE) }
            };
            contention.lose(Taken::new(who, lost.slave, functions, objects), 1, 1);
        }
    }

    /// A cycle is lost to whomever, by role in a visit and so many cycles behind its beginning, or before a core had begun something.
    #[inline(never)]
    fn lose_seldom(&mut self, quantum: &Quantum, lost: &Lost, at: [Option<(u32, u16)>; 2], mut functions: [u32; 2]) {
        let Self { visits, contention, places, hunt, .. } = self;
        for (role, (visit, _)) in at.into_iter().enumerate().filter_map(|(role, at)| Some((role, at?))) {
            visits.spend(visit, lost.by_speculative.into());
            functions[role] = visits.function(visit);
        }
        if hunt.is_some() {
            return;
        }
        let loser = usize::from(!lost.by_speculative);
        if let Some(at) = at[loser] {
            visits.lose_alone(at, lost.slave);
        }
        let mut asked = [quantum.addresses[usize::from(lost.cycle) % LOG_CYCLES], lost.address];
        let [core, other] = [loser, 1 - loser].map(|role| quantum.cores[role] & 1);
        let winner = lost.beside_others.checked_sub(1).map_or(other, |winner| winner as u8);
        if lost.beside_others != 0 {
            asked[1 - loser] = 0; // as in lock-step
        }
        let objects = asked.map(|address| contention.objects.at(address, places));
        let by_core = |roles: [u32; 2]| [0, 1].map(|core: u8| roles[usize::from(core != quantum.cores[0] & 1)]);
        let (functions, objects) = (by_core(functions), by_core(objects));
        contention.lose(Taken::new(Taken::who(core, winner), lost.slave, functions, objects), 1, 1);
    }

    /// Accounts for all that was counted in visits.
    pub(super) fn settle_visits(&mut self) {
        for core in &mut self.cores {
            core.calls.forget_visits();
        }
        self.visits.settle(&mut self.cores, &self.blocks);
    }
}
