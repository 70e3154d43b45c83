//! Maps that are looked up at each access or loss of a profile: std's hash would take longer than the rest of it. Keys are
//! addresses and numbers of a program, which is nobody's attack.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// See the module.
pub type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<QuickHasher>>;

/// A multiplication for each number, and its best bits where a map looks for them.
#[derive(Clone, Debug, Default)]
pub struct QuickHasher(u64);

/// 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming 6.4).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(FACTOR).rotate_left(26);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_usize(number.cast_unsigned());
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
