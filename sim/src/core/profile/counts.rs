//! Counts by kind, where each of millions of events must find its own at once.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/observation.py

/// See the module: each kind in the first free place from where it is looked for on, of at least four times as many. Of
/// each, two numbers.
#[derive(Clone, Debug)]
pub(super) struct Counts<K> {
    places: Vec<(K, u64, u64)>,
    kinds: usize,
}

/// Kinds that are kept, at most: 10 MB.
const MOST: usize = 1 << 16;
/// Places at first.
const FEW: usize = 1 << 9;

/// What is counted: anything but the default.
pub(super) trait Kind: Copy + Default + Eq {
    /// Bits of it all, the first ones mixed best.
    fn mixed(self) -> u64;
}

/// Two numbers in one.
#[inline(always)]
pub(super) fn pair([one, other]: [u32; 2]) -> u64 {
    u64::from(one) << 32 | u64::from(other)
}

/// Mixes two numbers, the first bits best.
#[inline(always)]
pub(super) fn mix(one: u64, other: u64) -> u64 {
    // 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming 6.4).
    (one ^ other.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<K: Kind> Default for Counts<K> {
    fn default() -> Self {
        Self::with_places(FEW)
    }
}

impl<K: Kind> Counts<K> {
    fn with_places(count: usize) -> Self {
        Self { places: vec![(K::default(), 0, 0); count], kinds: 0 }
    }

    /// Where a kind is looked for first.
    #[inline(always)]
    fn first_place(&self, kind: K) -> usize {
        (kind.mixed() >> 32) as usize & (self.places.len() - 1)
    }

    /// Adds to what is counted of a kind. Whether `take` must be called.
    #[inline(always)]
    pub fn add(&mut self, kind: K, one: u64, other: u64) -> bool {
        let at = self.first_place(kind);
        let known = &mut self.places[at];
        if known.0 != kind {
            return self.find(kind, one, other);
        }
        known.1 += one;
        known.2 += other;
        false
    }

    #[inline(never)]
    fn find(&mut self, kind: K, one: u64, other: u64) -> bool {
        let count = self.places.len();
        let mut at = self.first_place(kind);
        while self.places[at].0 != K::default() {
            let known = &mut self.places[at];
            if known.0 == kind {
                known.1 += one;
                known.2 += other;
                return false;
            }
            at = (at + 1) & (count - 1);
        }
        self.places[at] = (kind, one, other);
        self.kinds += 1;
        if self.kinds < count / 4 {
            return false;
        }
        if self.kinds < MOST {
            let larger = Self::with_places(2 * count);
            for (kind, one, other) in std::mem::replace(self, larger).take() {
                self.find(kind, one, other);
            }
        }
        self.kinds >= MOST
    }

    /// All that was counted.
    pub fn take(&mut self) -> impl Iterator<Item = (K, u64, u64)> + use<K> {
        std::mem::take(self).places.into_iter().filter(|known| known.0 != K::default())
    }
}
