//! A bounded log of the addresses of one kind of error: the first few by address, all by number, so that a wild pointer does
//! not fill the memory.

use std::collections::{BTreeMap, BTreeSet};

/// Addresses of a kind that are logged, at most.
pub const MAX_NAMED: usize = 32;

/// The addresses of one kind. The result does not depend on the order of `note` between two calls of `take`: an engine may
/// let one core run ahead of the other.
#[derive(Clone, Debug, Default, Hash)]
pub struct AddressLog {
    /// Those not taken yet, each with the time of its first access.
    fresh: BTreeMap<u32, u64>,
    taken: BTreeSet<u32>,
    accesses: u64,
    /// Accesses when the count was last taken.
    counted: u64,
    /// There are more addresses than are logged.
    more: bool,
}

impl AddressLog {
    /// Logs an access.
    pub fn note(&mut self, place: u32, time: u64) {
        self.accesses += 1;
        if self.taken.contains(&place) {
            return;
        }
        if let Some(first) = self.fresh.get_mut(&place) {
            *first = time.min(*first);
            return;
        }
        if self.fresh.len() + self.taken.len() >= MAX_NAMED {
            self.more = true;
            let latest = self.fresh.iter().map(|(&place, &time)| (time, place)).max();
            match latest {
                Some(latest) if (time, place) < latest => self.fresh.remove(&latest.1),
                _ => return,
            };
        }
        self.fresh.insert(place, time);
    }

    /// Number of accesses so far.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Addresses not taken yet, each with the time of its first access.
    pub fn fresh(&self) -> impl Iterator<Item = (u64, u32)> {
        self.fresh.iter().map(|(&place, &time)| (time, place))
    }

    /// Takes them.
    pub fn take(&mut self) -> Vec<(u64, u32)> {
        let fresh = self.fresh().collect();
        self.taken.extend(std::mem::take(&mut self.fresh).into_keys());
        fresh
    }

    /// Number of accesses so far, if there are more addresses than are logged, and new accesses since the last call.
    pub fn take_count(&mut self) -> Option<u64> {
        let grown = self.more && self.accesses > self.counted;
        self.counted = self.accesses;
        grown.then_some(self.accesses)
    }
}
