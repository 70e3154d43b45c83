//! Torn reads: of two words that belong together, somebody loads one before and one after somebody else has stored both.

use crate::core::profile::Doer;
use crate::core::profile::order::Order;
use crate::core::profile::races::{Race, RaceKind, Who};
use crate::core::time::Cycle;
use std::collections::VecDeque;

/// Loads and stores of a core or task that are remembered.
const REMEMBERED: usize = 32;
/// Cycles between two loads of a pair: they are next to each other, or a few instructions apart.
const PAIR: Cycle = 24;
/// The same of its stores, which come of one update.
const UPDATE: Cycle = 100;
/// Cycles after a pair within which whoever loaded it looks whether it was torn.
const CHECKED_WITHIN: Cycle = 400;
/// Readers and writers that are told apart, at most.
const MOST: usize = 64;

/// A load or store of a whole word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Single {
    pub address: u32,
    pub doer: Doer,
    /// First address of the function.
    pub function: u32,
    /// The next release of the core.
    pub epoch: u32,
    /// It has stored what was there already.
    pub silent: bool,
    /// It is one of a pair.
    pub paired: bool,
}

/// Two of them, of adjacent words.
type Pair = [Single; 2];

/// A torn read that may yet be noticed by who has done it.
#[derive(Clone, Debug)]
struct Pending {
    reader: Who,
    /// Address and instruction of what was loaded in the same function up to the pair.
    before: Vec<(u32, u32)>,
    race: Race,
    until: Cycle,
}

#[derive(Clone, Debug)]
struct Side {
    who: Who,
    recent: VecDeque<Single>,
    pair: Option<Pair>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Torn {
    loads: Vec<Side>,
    stores: Vec<Side>,
    pending: Vec<Pending>,
}

fn side(all: &mut Vec<Side>, who: Who) -> usize {
    all.iter().position(|side| side.who == who).unwrap_or_else(|| {
        if all.len() == MOST {
            all.remove(0);
        }
        all.push(Side { who, recent: VecDeque::new(), pair: None });
        all.len() - 1
    })
}

impl Side {
    /// Remembers an access. Whether it makes a pair with one before.
    fn note(&mut self, single: Single, within: Cycle) -> bool {
        let is_partner = |other: &&Single| {
            other.address ^ single.address == 4
                && !other.paired
                && other.function == single.function
                && single.doer.cycle - other.doer.cycle <= within
        };
        let at = self.recent.iter().rev().take(4).position(|other| is_partner(&other));
        let partner = at.and_then(|back| {
            let at = self.recent.len() - 1 - back;
            let partner = self.recent.get_mut(at)?;
            partner.paired = true;
            Some(*partner)
        });
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(Single { paired: partner.is_some(), ..single });
        if let Some(partner) = partner {
            self.pair = Some([partner, single]);
        }
        partner.is_some()
    }
}

impl Torn {
    /// A whole word is loaded. What is certain now.
    pub fn load(&mut self, who: Who, single: Single, order: &Order) -> Vec<Race> {
        let found = self.check(who, single);
        let at = side(&mut self.loads, who);
        if self.loads[at].note(single, PAIR) {
            let pair = self.loads[at].pair;
            let updates: Vec<(Who, Pair)> = self
                .stores
                .iter()
                .filter(|side| side.who != who)
                .filter_map(|side| Some((side.who, side.pair?)))
                .collect();
            for (_, update) in updates {
                self.compare(at, pair, update, order);
            }
        }
        found
    }

    /// A whole word is stored.
    pub fn store(&mut self, who: Who, single: Single, order: &Order) {
        let at = side(&mut self.stores, who);
        if self.stores[at].note(single, UPDATE)
            && let Some(update) = self.stores[at].pair
        {
            for reader in 0..self.loads.len() {
                if self.loads[reader].who != who {
                    self.compare(reader, self.loads[reader].pair, update, order);
                }
            }
        }
    }

    /// Whether the reader of a pair has seen a part of an update.
    fn compare(&mut self, reader: usize, pair: Option<Pair>, update: Pair, order: &Order) {
        let Some(pair) = pair.filter(|pair| pair[0].address & !7 == update[0].address & !7) else { return };
        let stored = |address: u32| update.iter().find(|single| single.address == address);
        let [Some(first), Some(second)] = pair.map(|single| stored(single.address)) else { return };
        let sees = [(pair[0], first), (pair[1], second)].map(|(load, store)| load.doer.cycle > store.doer.cycle);
        let [from_core, to_core] = [&pair[1], &update[1]].map(|single| usize::from(single.doer.core & 1));
        let is_free = from_core != to_core && !order.knows(to_core, from_core, pair[1].epoch);
        let kind = match sees {
            [false, false] if is_free => RaceKind::MayTear,
            [true, false] | [false, true] => RaceKind::Torn,
            _ => return,
        };
        let Side { who, recent, .. } = &self.loads[reader];
        let of_pair = |single: &&Single| single.function == pair[0].function;
        let (from, to) = (pair[0].doer.cycle, pair[1].doer.cycle);
        let near = |single: &&Single| single.doer.cycle + CHECKED_WITHIN >= from;
        let before: Vec<(u32, u32)> = recent
            .iter()
            .filter(of_pair)
            .filter(near)
            .filter(|single| single.doer.cycle <= from)
            .map(|single| (single.address, single.doer.pc))
            .collect();
        let after = recent.iter().filter(of_pair).filter(|single| single.doer.cycle > to);
        for single in after {
            match seen_again(&before, single) {
                Some(true) => return,
                Some(false) => break,
                None => {}
            }
        }
        let race = Race {
            kind,
            address: pair[0].address & !7,
            bytes: 8,
            before: Some(pair[0].doer),
            other: if sees[0] { first.doer } else { second.doer },
            last: pair[1].doer,
            happened: kind == RaceKind::Torn && !first.silent && !second.silent,
            times: 1,
        };
        self.pending.push(Pending { reader: *who, before, race, until: to + CHECKED_WITHIN });
    }

    /// Somebody loads once more: whether torn reads turn out to be noticed, or not.
    fn check(&mut self, who: Who, single: Single) -> Vec<Race> {
        let mut found = Vec::new();
        self.pending.retain(|pending| {
            if single.doer.cycle > pending.until {
                found.push(pending.race);
                return false;
            }
            match seen_again(&pending.before, &single).filter(|_| pending.reader == who) {
                Some(true) => false,
                Some(false) => {
                    found.push(pending.race);
                    false
                }
                None => true,
            }
        });
        found
    }

    /// What is not certain yet.
    pub fn pending(&self) -> impl Iterator<Item = Race> {
        self.pending.iter().map(|pending| pending.race)
    }
}

/// Whether a load is one of those before a pair, once more: by another instruction, then it looks whether anything has changed
/// (a sequence number, the higher word). By the same one, it is the next turn of a loop.
fn seen_again(before: &[(u32, u32)], single: &Single) -> Option<bool> {
    let mut same = before.iter().filter(|(address, _)| *address == single.address).peekable();
    same.peek()?;
    Some(same.all(|&(_, pc)| pc != single.doer.pc))
}
