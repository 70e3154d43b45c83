//! Addition with carry, shifts, immediate operands and saturation (A2.2.1).

/// `AddWithCarry`: sum, carry out, overflow.
#[inline]
pub(crate) fn add_with_carry(a: u32, b: u32, carry: bool) -> (u32, bool, bool) {
    let wide = u64::from(a) + u64::from(b) + u64::from(carry);
    let sum = wide as u32;
    (sum, wide >> 32 != 0, ((a ^ sum) & (b ^ sum)) >> 31 != 0)
}

/// A shift with its amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    Lsl(u32),
    Lsr(u32),
    Asr(u32),
    Ror(u32),
    Rrx,
}

impl Shift {
    /// `DecodeImmShift`: 2-bit type and 5-bit amount.
    #[inline]
    pub(crate) fn by_immediate(kind: u32, amount: u32) -> Self {
        match (kind & 3, amount) {
            (0, _) => Self::Lsl(amount),
            (1, 0) => Self::Lsr(32),
            (1, _) => Self::Lsr(amount),
            (2, 0) => Self::Asr(32),
            (2, _) => Self::Asr(amount),
            (_, 0) => Self::Rrx,
            _ => Self::Ror(amount),
        }
    }

    /// `DecodeRegShift`: 2-bit type, by the lowest byte of a register.
    #[inline]
    pub(crate) fn by_register(kind: u32, amount: u32) -> Self {
        let amount = amount & 0xff;
        match kind & 3 {
            0 => Self::Lsl(amount),
            1 => Self::Lsr(amount),
            2 => Self::Asr(amount),
            _ => Self::Ror(amount),
        }
    }

    /// `Shift_C`: the result, and the carry out, which is `carry` for an amount of 0.
    #[inline]
    pub(crate) fn apply(self, value: u32, carry: bool) -> (u32, bool) {
        match self {
            Self::Lsl(0) | Self::Lsr(0) | Self::Asr(0) | Self::Ror(0) => (value, carry),
            Self::Lsl(by) => {
                let wide = u64::from(value) << by.min(33);
                (wide as u32, wide >> 32 & 1 != 0)
            }
            Self::Lsr(by) => {
                let wide = u64::from(value) << 32 >> by.min(63);
                ((wide >> 32) as u32, by < 33 && wide >> 31 & 1 != 0)
            }
            Self::Asr(by) => {
                let wide = i64::from(value as i32) << 32 >> by.min(63);
                ((wide >> 32) as u32, wide >> 31 & 1 != 0)
            }
            Self::Ror(by) => {
                let value = value.rotate_right(by & 31);
                (value, value >> 31 != 0)
            }
            Self::Rrx => (value >> 1 | u32::from(carry) << 31, value & 1 != 0),
        }
    }
}

/// `ThumbExpandImm_C`: the 32-bit immediate of a 12-bit field, and the carry out.
pub(crate) fn expand_immediate(bits: u32, carry: bool) -> (u32, bool) {
    let byte = bits & 0xff;
    match bits >> 8 & 15 {
        0 => (byte, carry),
        1 => (byte << 16 | byte, carry),
        2 => (byte << 24 | byte << 8, carry),
        3 => (byte * 0x0101_0101, carry),
        _ => Shift::Ror(bits >> 7 & 31).apply(byte & 0x7f | 0x80, carry),
    }
}

/// `SignedSatQ`: the value saturated to `bits` bits, and whether it was.
pub(crate) fn saturate_signed(value: i64, bits: u32) -> (u32, bool) {
    let most = (1 << (bits - 1)) - 1;
    let kept = value.clamp(-most - 1, most);
    (kept as u32, kept != value)
}

/// `UnsignedSatQ`: the value saturated to `bits` bits, and whether it was.
pub(crate) fn saturate_unsigned(value: i64, bits: u32) -> (u32, bool) {
    let kept = value.clamp(0, (1 << bits) - 1);
    (kept as u32, kept != value)
}

/// The signed halves of a word, lower one first.
pub(crate) fn signed_halves(word: u32) -> [i32; 2] {
    [i32::from(word as i16), i32::from((word >> 16) as i16)]
}
