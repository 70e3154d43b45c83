//! Functions and data of a program, by address.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/observation.py

use std::ops::Range;

/// A function or an object in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its addresses.
    pub range: Range<u32>,
    /// Whether it is code.
    pub is_function: bool,
}

/// Places by rising address; none overlaps another.
#[derive(Clone, Debug, Default)]
pub struct Places(Vec<Place>);

impl Places {
    /// Sorts places. Of those that begin together, the longest stays; others end where the next one begins.
    pub fn new(places: impl IntoIterator<Item = Place>) -> Self {
        let mut all: Vec<_> = places.into_iter().filter(|place| !place.range.is_empty()).collect();
        all.sort_by_key(|place| (place.range.start, std::cmp::Reverse(place.range.end)));
        all.dedup_by_key(|place| place.range.start);
        for at in 1..all.len() {
            let next = all[at].range.start;
            let before = &mut all[at - 1].range;
            before.end = before.end.min(next);
        }
        Self(all)
    }

    /// The place that has an address.
    ///
    /// # Errors
    /// If none has it: then the addresses around it that no place has.
    pub fn find(&self, address: u32) -> Result<&Place, Range<u32>> {
        let next = self.0.partition_point(|place| place.range.start <= address);
        let before = next.checked_sub(1).map(|at| &self.0[at]);
        match before {
            Some(place) if place.range.contains(&address) => Ok(place),
            _ => {
                Err(before.map_or(0, |place| place.range.end)
                    ..self.0.get(next).map_or(u32::MAX, |place| place.range.start))
            }
        }
    }

    /// Where the object or function begins that has an address, or the address itself, to 256 bytes, if none has.
    pub fn object_at(&self, address: u32) -> u32 {
        self.find(address).map_or(address & !0xff, |place| place.range.start)
    }
}

/// Addresses whose objects are found without a search.
const RECENT: usize = 1 << RECENT_BITS;
const RECENT_BITS: u32 = 10;

/// Addresses that were looked up of late, with their objects.
#[derive(Clone, Debug)]
pub(super) struct RecentObjects(Box<[(u32, u32); RECENT]>);

impl Default for RecentObjects {
    fn default() -> Self {
        // All have an address: where 0 is looked for, that has no object.
        Self(Box::new([(0, 0); RECENT]))
    }
}

impl RecentObjects {
    /// See `Places::object_at`; of no address, 0.
    #[inline(always)]
    pub fn at(&mut self, address: u32, places: &Places) -> u32 {
        let recent = &mut self.0[(address.wrapping_mul(0x9e37_79b1) >> (32 - RECENT_BITS)) as usize];
        if recent.0 != address {
            *recent = Self::find(address, places);
        }
        recent.1
    }

    #[cold]
    fn find(address: u32, places: &Places) -> (u32, u32) {
        (address, if address == 0 { 0 } else { places.object_at(address) })
    }
}
