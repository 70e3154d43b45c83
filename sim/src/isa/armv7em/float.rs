//! Floating-point numbers: formats, status, unpacking of operands (ARMv7-M ARM A2.5, B1.4.7).
//!
//! A number is the bits of its format, in the low part of a `u64`. All arithmetic is on integers: the same on every host.

pub mod arithmetic;
pub mod compare;
pub mod convert;
pub mod round;

/// A binary interchange format of IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
}

impl Format {
    /// 16 bits; with FPSCR.AHP the alternative format without infinities and NaNs.
    pub const HALF: Self = Self { exponent_bits: 5, fraction_bits: 10 };
    /// 32 bits.
    pub const SINGLE: Self = Self { exponent_bits: 8, fraction_bits: 23 };
    /// 64 bits.
    pub const DOUBLE: Self = Self { exponent_bits: 11, fraction_bits: 52 };

    fn sign_bit(self) -> u32 {
        self.exponent_bits + self.fraction_bits
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn fraction_mask(self) -> u64 {
        (1 << self.fraction_bits) - 1
    }

    fn exponent_mask(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }

    /// The bit that is set in a quiet NaN.
    fn quiet_bit(self) -> u64 {
        1 << (self.fraction_bits - 1)
    }

    fn zero(self, negative: bool) -> u64 {
        u64::from(negative) << self.sign_bit()
    }

    fn infinity(self, negative: bool) -> u64 {
        self.zero(negative) | self.exponent_mask() << self.fraction_bits
    }

    /// The default NaN: the result of an invalid operation.
    fn default_nan(self) -> u64 {
        self.infinity(false) | self.quiet_bit()
    }

    /// The same number with the other sign, NaNs included (VNEG raises nothing).
    #[must_use]
    pub fn negate(self, bits: u64) -> u64 {
        bits ^ self.zero(true)
    }

    /// The number without its sign.
    #[must_use]
    pub fn absolute(self, bits: u64) -> u64 {
        bits & !self.zero(true)
    }
}

/// Rounding modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties to even.
    Nearest,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero.
    Zero,
    /// To nearest, ties away from zero: of VCVTA and VRINTA, not of FPSCR.
    Away,
}

/// FPSCR: modes and cumulative exception flags (B1.4.7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Status(pub u32);

impl Status {
    /// Bits that exist: N, Z, C, V, AHP, DN, FZ, `RMode`, IDC, IXC, UFC, OFC, DZC, IOC.
    pub const BITS: u32 = 0xf7c0_009f;
    /// Modes, which a new context takes from FPDSCR: AHP, DN, FZ, `RMode`.
    pub const MODES: u32 = 0x07c0_0000;
    const INVALID: u32 = 1;
    const DIVISION_BY_ZERO: u32 = 1 << 1;
    const OVERFLOW: u32 = 1 << 2;
    const UNDERFLOW: u32 = 1 << 3;
    const INEXACT: u32 = 1 << 4;
    const INPUT_DENORMAL: u32 = 1 << 7;

    /// `RMode`.
    #[must_use]
    pub fn rounding(self) -> Rounding {
        [Rounding::Nearest, Rounding::Up, Rounding::Down, Rounding::Zero][self.0 as usize >> 22 & 3]
    }

    fn flushes(self) -> bool {
        self.0 & 1 << 24 != 0
    }

    fn default_nan(self) -> bool {
        self.0 & 1 << 25 != 0
    }

    fn alternative_half(self) -> bool {
        self.0 & 1 << 26 != 0
    }

    fn raise(&mut self, flag: u32) {
        self.0 |= flag;
    }

    /// Invalid operation: raises IOC and gives the default NaN.
    fn invalid(&mut self, format: Format) -> u64 {
        self.raise(Self::INVALID);
        format.default_nan()
    }
}

/// A finite number: `significand` × 2^`exponent`. Not normalised; may be zero.
#[derive(Clone, Copy, Debug)]
struct Finite {
    negative: bool,
    exponent: i32,
    significand: u128,
}

impl Finite {
    /// The same number with its leading one at bit `place`. It is not zero, and has no higher bits.
    fn normalised_to(self, place: u32) -> Self {
        let shift = place + 1 - (128 - self.significand.leading_zeros());
        Self { exponent: self.exponent - shift as i32, significand: self.significand << shift, ..self }
    }
}

#[derive(Clone, Copy, Debug)]
enum Number {
    Nan { quiet: bool },
    Infinity(bool),
    Zero(bool),
    Finite(Finite),
}

/// `FPUnpack`. With FPSCR.FZ a denormal becomes zero and raises IDC, except in half precision.
fn unpack(format: Format, bits: u64, status: &mut Status) -> Number {
    let negative = bits >> format.sign_bit() & 1 != 0;
    let exponent = bits >> format.fraction_bits & format.exponent_mask();
    let fraction = bits & format.fraction_mask();
    let lowest = format.bias() + format.fraction_bits as i32;
    if exponent == 0 {
        if fraction != 0 && status.flushes() && format != Format::HALF {
            status.raise(Status::INPUT_DENORMAL);
            return Number::Zero(negative);
        }
        return match fraction {
            0 => Number::Zero(negative),
            _ => Number::Finite(Finite { negative, exponent: 1 - lowest, significand: u128::from(fraction) }),
        };
    }
    if exponent == format.exponent_mask() && !(format == Format::HALF && status.alternative_half()) {
        return match fraction {
            0 => Number::Infinity(negative),
            _ => Number::Nan { quiet: fraction & format.quiet_bit() != 0 },
        };
    }
    let significand = u128::from(fraction | 1 << format.fraction_bits);
    Number::Finite(Finite { negative, exponent: exponent as i32 - lowest, significand })
}

/// `FPProcessNaNs`: the NaN result if an operand is a NaN: the first signalling one made quiet, else the first quiet one; with
/// FPSCR.DN the default NaN.
fn propagated_nan(format: Format, operands: &[(u64, Number)], status: &mut Status) -> Option<u64> {
    let signalling = operands.iter().find(|(_, number)| matches!(number, Number::Nan { quiet: false }));
    if signalling.is_some() {
        status.raise(Status::INVALID);
    }
    let quiet = || operands.iter().find(|(_, number)| matches!(number, Number::Nan { .. }));
    let (bits, _) = signalling.or_else(quiet)?;
    Some(if status.default_nan() { format.default_nan() } else { bits | format.quiet_bit() })
}
