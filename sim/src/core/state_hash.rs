//! The hash of a state, from the fields in each part's `Hash`.

use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// A hasher whose result depends neither on the machine nor on the version of Rust: SipHash-1-3 with key 0 over numbers
/// of fixed size, lowest byte first. (Only arrays of numbers come in the byte order of the machine, since `std` hands them
/// over as bytes; it is the same one on all machines that matter.)
#[derive(Clone, Debug, Default)]
pub struct StableHasher(SipHasher13);

impl Hasher for StableHasher {
    fn finish(&self) -> u64 {
        self.0.finish()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn write_u16(&mut self, value: u16) {
        self.write(&value.to_le_bytes());
    }

    fn write_u32(&mut self, value: u32) {
        self.write(&value.to_le_bytes());
    }

    fn write_u64(&mut self, value: u64) {
        self.write(&value.to_le_bytes());
    }

    fn write_u128(&mut self, value: u128) {
        self.write(&value.to_le_bytes());
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    /// Which variant of an enum follows.
    fn write_isize(&mut self, value: isize) {
        self.write(&(value as i64).to_le_bytes());
    }
}

/// Hashes words of memory, each with its lowest byte first.
pub(crate) fn hash_words(words: &[u32], hasher: &mut impl Hasher) {
    hasher.write_usize(words.len());
    let mut bytes = [0; 4096];
    for words in words.chunks(bytes.len() / 4) {
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        hasher.write(&bytes[..4 * words.len()]);
    }
}
