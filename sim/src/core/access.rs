//! Width of an access to memory, and byte lanes.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim
#![allow(clippy::cast_sign_loss)]

/// Width of a data access, and extension of a narrow load.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Width {
    Word = 0,
    Half = 1,
    Byte = 2,
    SignedHalf = 3,
    SignedByte = 4,
}

impl Width {
    /// Bits of an address that must be zero.
    pub const fn misaligned(self) -> u32 {
        match self {
            Width::Word => 3,
            Width::Half | Width::SignedHalf => 1,
            Width::Byte | Width::SignedByte => 0,
        }
    }

    /// Bytes of the access.
    pub const fn bytes(self) -> u32 {
        self.misaligned() + 1
    }
}

/// The value of a load from a word, extended to 32 bits.
#[inline(always)]
pub(crate) fn extract(word: u32, address: u32, width: Width) -> u32 {
    if width == Width::Word {
        return word;
    }
    let shifted = word >> ((address & 3) * 8);
    match width {
        Width::Word => shifted,
        Width::Half => shifted & 0xffff,
        Width::Byte => shifted & 0xff,
        Width::SignedHalf => shifted as i16 as u32,
        Width::SignedByte => shifted as i8 as u32,
    }
}

/// A narrow store puts its data on all lanes (datasheet 2.1.4).
pub(crate) fn replicate(value: u32, width: Width) -> u32 {
    match width {
        Width::Word => value,
        Width::Half | Width::SignedHalf => (value & 0xffff) * 0x0001_0001,
        Width::Byte | Width::SignedByte => (value & 0xff) * 0x0101_0101,
    }
}

/// `word` after a store of `value`.
#[inline(always)]
pub(crate) fn merge(word: u32, address: u32, width: Width, value: u32) -> u32 {
    let shift = (address & 3) * 8;
    let mask = match width {
        Width::Word => return value,
        Width::Half | Width::SignedHalf => 0xffff << shift,
        Width::Byte | Width::SignedByte => 0xff << shift,
    };
    word & !mask | value << shift & mask
}
