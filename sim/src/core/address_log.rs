//! Places where software did one kind of thing that deserves a note: the first few by name, all of them as a number, so
//! that a pointer gone wild costs no more memory than a single wrong access.

use std::collections::{BTreeMap, BTreeSet};

/// Places of a kind that are named.
pub const MAX_NAMED: usize = 32;

/// The places of one kind. What it comes to does not depend on the order in which accesses between two calls of `take`
/// are noted: an engine may let one core run ahead of the other.
#[derive(Clone, Debug, Default, Hash)]
pub struct AddressLog {
    /// Those not taken yet, each with the time of its first access.
    fresh: BTreeMap<u32, u64>,
    taken: BTreeSet<u32>,
    accesses: u64,
    /// Accesses when the count was last taken.
    counted: u64,
    /// There are more places than are named.
    more: bool,
}

impl AddressLog {
    /// Notes an access to a place.
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

    /// Accesses so far, to all places.
    #[must_use]
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Places that were not taken yet, each with the time of its first access.
    pub fn fresh(&self) -> impl Iterator<Item = (u64, u32)> {
        self.fresh.iter().map(|(&place, &time)| (time, place))
    }

    /// Takes those.
    pub fn take(&mut self) -> Vec<(u64, u32)> {
        let fresh = self.fresh().collect();
        self.taken.extend(std::mem::take(&mut self.fresh).into_keys());
        fresh
    }

    /// Accesses so far, if there are more places than are named, and more accesses than when this was last called.
    pub fn take_count(&mut self) -> Option<u64> {
        let grown = self.more && self.accesses > self.counted;
        self.counted = self.accesses;
        grown.then_some(self.accesses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_million_places_are_as_many_names_as_are_kept_and_a_count() {
        let mut places = AddressLog::default();
        (0..1_000_000_u32).for_each(|index| places.note(4 * index, u64::from(index)));
        let expected: Vec<_> = (0..MAX_NAMED as u32).map(|index| (u64::from(index), 4 * index)).collect();
        assert_eq!(places.take(), expected);
        assert_eq!(places.take_count(), Some(1_000_000));
        assert_eq!(places.take_count(), None, "nothing happened since");
        places.note(0, 1_000_000);
        places.note(u32::MAX, 1_000_001);
        assert_eq!((places.take().len(), places.take_count()), (0, Some(1_000_002)));
    }

    #[test]
    fn few_places_are_all_named_and_not_counted() {
        let mut places = AddressLog::default();
        (0..1000).for_each(|time| places.note(time as u32 % MAX_NAMED as u32, time));
        assert_eq!((places.take().len(), places.take_count(), places.accesses()), (MAX_NAMED, None, 1000));
    }

    proptest! {
        #[test]
        fn the_order_in_which_accesses_are_noted_does_not_matter(
            all in proptest::collection::vec((0..60_u32, 0..50_u64), 0..200),
            ahead: u64,
        ) {
            let noted = |accesses: &[(u32, u64)]| {
                let mut places = AddressLog::default();
                for &(place, time) in accesses {
                    places.note(place, time);
                }
                (places.take(), places.take_count())
            };
            let mut mixed = all.clone();
            mixed.sort_by_key(|&(place, time)| (u64::from(place) + 100 * time).wrapping_mul(ahead | 1));
            prop_assert_eq!(noted(&all), noted(&mixed));
        }
    }
}
