//! A generator of random numbers that is the same everywhere (splitmix64), and numbers that programs have.

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn under(&mut self, limit: u32) -> u32 {
        (self.next() % u64::from(limit)) as u32
    }

    /// The same as 16 bits.
    pub fn below(&mut self, limit: u16) -> u16 {
        self.under(u32::from(limit)) as u16
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.under(from.len() as u32) as usize]
    }

    /// A word as programs have them: small, a power of two or near, near the ends of the range, or anything.
    pub fn word(&mut self) -> u32 {
        let any = self.next() as u32;
        match self.below(5) {
            0 => any & 0xFF,
            1 => (1_u32 << (any & 31)).wrapping_sub(any >> 5 & 1),
            2 => u32::MAX - (any & 0xF),
            3 => 0x8000_0000_u32.wrapping_add((any & 7).wrapping_sub(4)),
            _ => any,
        }
    }
}
