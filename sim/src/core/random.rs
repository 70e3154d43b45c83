//! Random numbers that are the same on every machine, for faults.

/// `SplitMix64` (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): small, and the same for good.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let once = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let twice = (once ^ once >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        twice ^ twice >> 31
    }

    /// True with the given probability, to 53 bits.
    #[allow(clippy::cast_precision_loss)] // 53 bits fit
    pub fn happens(&mut self, probability: f64) -> bool {
        ((self.next_u64() >> 11) as f64) < probability * (1_u64 << 53) as f64
    }
}
