//! Cycles that cores lose, by kind, where each of millions of losses must find its own at once.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/observation.py

use crate::core::time::Cycle;

/// How a core loses cycles to a master. None is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taken {
    /// By core, core 0 in the upper half: where the function that it executes begins, and the object or function that it asks for,
    /// 0 if that is not known.
    functions: u64,
    objects: u64,
    how: u32,
}

impl Taken {
    /// By `who` a slave is taken, in functions, from objects.
    #[inline(always)]
    pub fn new(who: u32, slave: u8, functions: [u32; 2], objects: [u32; 2]) -> Self {
        let pair = |[one, other]: [u32; 2]| u64::from(one) << 32 | u64::from(other);
        Self { functions: pair(functions), objects: pair(objects), how: who | u32::from(slave) }
    }

    /// The core that loses, and the master that gets what it asks for: a number that is not 0.
    pub const fn who(core: u8, winner: u8) -> u32 {
        1 << 24 | (winner as u32) << 16 | (core as u32) << 8
    }

    /// The slave, the core that loses, and the master that gets it.
    pub const fn how(self) -> (u8, u8, u8) {
        let [slave, core, winner, _] = self.how.to_le_bytes();
        (slave, core, winner)
    }

    /// Of a core, its function, and the object or function that it asks for.
    pub fn of(self, core: u8) -> [u32; 2] {
        [self.functions, self.objects].map(|by_core| (by_core >> if core & 1 == 0 { 32 } else { 0 }) as u32)
    }

    /// Bits of it all, the first ones mixed best.
    #[inline(always)]
    fn mixed(self) -> u64 {
        mix(self.functions ^ u64::from(self.how), self.objects)
    }
}

/// Mixes two numbers, the first bits best.
#[inline(always)]
fn mix(one: u64, other: u64) -> u64 {
    // 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming 6.4).
    (one ^ other.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// See the module: each kind in the first free place from where it is looked for on, of at least twice as many.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    places: Vec<Place>,
    kinds: usize,
}

/// A kind: never in two lines of the host's cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
struct Place {
    kind: Taken,
    count: Count,
}

/// How often, in bits 31:0, and how many cycles in all: added at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count(u64);

impl Count {
    /// Cycles are added so many at a time, at most.
    pub const MOST: u64 = (1 << 31) - 1;

    /// No more times than cycles, and no more of those than `MOST`.
    #[inline(always)]
    pub const fn new(times: u64, cycles: Cycle) -> Self {
        Self(times | cycles << 32)
    }

    /// Adds another one. Whether there is no room for one more.
    #[inline(always)]
    const fn add(&mut self, other: Self) -> bool {
        self.0 += other.0;
        self.0 >> 63 != 0
    }
}

/// Kinds that are kept, at most: 4 MB.
const MOST: usize = 1 << 16;
/// Places at first: most programs have few kinds, each in the first place where it is looked for.
const FEW: usize = 1 << 12;

impl Default for Counts {
    fn default() -> Self {
        Self::with_places(FEW)
    }
}

impl Counts {
    fn with_places(count: usize) -> Self {
        Self { places: vec![Place::default(); count], kinds: 0 }
    }

    /// Where a kind is looked for first.
    #[inline(always)]
    fn first_place(&self, kind: Taken) -> usize {
        (kind.mixed() >> 32) as usize & (self.places.len() - 1)
    }

    /// Adds to what is counted of a kind. Whether `take` must be called.
    #[inline(always)]
    pub fn add(&mut self, kind: Taken, count: Count) -> bool {
        let at = self.first_place(kind);
        let known = &mut self.places[at];
        if known.kind == kind { known.count.add(count) } else { self.find(kind, count) }
    }

    #[inline(never)]
    fn find(&mut self, kind: Taken, count: Count) -> bool {
        let places = self.places.len();
        let mut at = self.first_place(kind);
        while self.places[at].kind != Taken::default() {
            let known = &mut self.places[at];
            if known.kind == kind {
                return known.count.add(count);
            }
            at = (at + 1) & (places - 1);
        }
        self.places[at] = Place { kind, count };
        self.kinds += 1;
        if self.kinds < places / 2 {
            return false;
        }
        if self.kinds < MOST {
            let smaller = std::mem::replace(self, Self::with_places(2 * places));
            for Place { kind, count } in smaller.into_places() {
                self.find(kind, count);
            }
        }
        self.kinds >= MOST
    }

    /// All that was counted, with how often and how many cycles.
    pub fn take(&mut self) -> impl Iterator<Item = (Taken, u64, Cycle)> + use<> {
        let all = std::mem::take(self).into_places();
        all.map(|Place { kind, count }| (kind, count.0 & u64::from(u32::MAX), count.0 >> 32))
    }

    fn into_places(self) -> impl Iterator<Item = Place> + use<> {
        self.places.into_iter().filter(|known| known.kind != Taken::default())
    }
}
