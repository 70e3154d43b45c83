//! Floating-point numbers: formats, status, unpacking of operands (ARMv7-M ARM A2.5, B1.4.7).
//!
//! A number is the bits of its format, in the low part of a `u64`. All arithmetic is on integers: the same on every host.

pub(crate) mod arithmetic;
pub(crate) mod convert;
pub(crate) mod round;

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
    pub fn negate(self, bits: u64) -> u64 {
        bits ^ self.zero(true)
    }

    /// The number without its sign.
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

/// Class of a floating-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Zero,
    /// Neither zero nor one of the following.
    Finite,
    Infinity,
    QuietNan,
    SignallingNan,
}

/// A number taken apart.
#[derive(Clone, Copy, Debug)]
struct Unpacked {
    /// Its format's bits, flushed to zero where FPSCR.FZ says so.
    bits: u64,
    class: Class,
    /// The sign of every class; the significand is 0 unless the class is `Finite`.
    value: Finite,
}

impl Unpacked {
    fn is_nan(self) -> bool {
        matches!(self.class, Class::QuietNan | Class::SignallingNan)
    }
}

/// `FPUnpack`. With FPSCR.FZ a denormal becomes zero and raises IDC, except in half precision.
fn unpack(format: Format, mut bits: u64, status: &mut Status) -> Unpacked {
    let exponent = bits >> format.fraction_bits & format.exponent_mask();
    if exponent == 0 && bits & format.fraction_mask() != 0 && status.flushes() && format != Format::HALF {
        status.raise(Status::INPUT_DENORMAL);
        bits &= !format.fraction_mask();
    }
    let fraction = bits & format.fraction_mask();
    let special = exponent == format.exponent_mask() && !(format == Format::HALF && status.alternative_half());
    let class = match fraction {
        0 if special => Class::Infinity,
        _ if special && fraction & format.quiet_bit() != 0 => Class::QuietNan,
        _ if special => Class::SignallingNan,
        0 if exponent == 0 => Class::Zero,
        _ => Class::Finite,
    };
    let hidden = u64::from(exponent != 0) << format.fraction_bits;
    let value = Finite {
        negative: bits >> format.sign_bit() & 1 != 0,
        exponent: exponent.max(1) as i32 - format.bias() - format.fraction_bits as i32,
        significand: if class == Class::Finite { u128::from(fraction | hidden) } else { 0 },
    };
    Unpacked { bits, class, value }
}

/// `FPProcessNaNs`: the NaN result if an operand is a NaN: the first signalling one made quiet, else the first quiet one; with
/// FPSCR.DN the default NaN.
fn propagated_nan(format: Format, operands: &[Unpacked], status: &mut Status) -> Option<u64> {
    let signalling = operands.iter().find(|operand| operand.class == Class::SignallingNan);
    if signalling.is_some() {
        status.raise(Status::INVALID);
    }
    let nan = signalling.or_else(|| operands.iter().find(|operand| operand.is_nan()))?;
    Some(if status.default_nan() { format.default_nan() } else { nan.bits | format.quiet_bit() })
}
