//! VCVT: between formats, and to and from integers and fixed-point numbers (ARMv7-M ARM: `FPSingleToDouble`,
//! `FPHalfToSingle`, `FPToFixed`, `FixedToFP` and their like).

use crate::isa::armv7em::float::round::{round, shift_and_round};
use crate::isa::armv7em::float::{Class, Finite, Format, Rounding, Status, unpack};

/// An integer or fixed-point number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixed {
    /// 16 or 32.
    pub(crate) bits: u32,
    /// Fraction bits.
    pub(crate) fraction_bits: u32,
    /// Whether it has a sign.
    pub(crate) signed: bool,
}

impl Fixed {
    /// A 32-bit integer.
    pub(crate) fn integer(signed: bool) -> Self {
        Self { bits: 32, fraction_bits: 0, signed }
    }

    fn range(self) -> (i128, i128) {
        if self.signed { (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1) } else { (0, (1 << self.bits) - 1) }
    }
}

/// Converts to another format.
pub(crate) fn to_format(from: Format, to: Format, bits: u64, status: &mut Status) -> u64 {
    let alternative = to == Format::HALF && status.alternative_half();
    let number = unpack(from, bits, status);
    let negative = number.value.negative;
    if number.class == Class::SignallingNan || alternative && (number.is_nan() || number.class == Class::Infinity) {
        status.raise(Status::INVALID);
    }
    match number.class {
        Class::QuietNan | Class::SignallingNan if alternative => to.zero(negative),
        Class::QuietNan | Class::SignallingNan if status.default_nan() => to.default_nan(),
        Class::QuietNan | Class::SignallingNan => {
            // The payload stays aligned to the top of the fraction.
            let payload = (bits & from.fraction_mask()) << (64 - from.fraction_bits) >> (64 - to.fraction_bits);
            to.infinity(negative) | to.quiet_bit() | payload
        }
        Class::Infinity if alternative => to.zero(negative) | 0x7fff,
        Class::Infinity => to.infinity(negative),
        Class::Zero | Class::Finite => round(to, number.value, false, status.rounding(), status),
    }
}

/// `FPToFixed`: the integer or fixed-point number, sign-extended to 64 bits. Saturates, and gives 0 for a NaN; both raise IOC.
pub(crate) fn to_fixed(format: Format, bits: u64, to: Fixed, rounding: Rounding, status: &mut Status) -> u64 {
    let (least, most) = to.range();
    let number = unpack(format, bits, status);
    let finite = number.value;
    if number.is_nan() || number.class == Class::Infinity {
        status.raise(Status::INVALID);
        return if number.is_nan() { 0 } else { (if finite.negative { least } else { most }) as u64 };
    }
    let exponent = finite.exponent + to.fraction_bits as i32;
    let (magnitude, inexact) = match exponent {
        // Out of every range.
        70.. => (1 << 70, false),
        0.. => (finite.significand << exponent, false),
        _ => shift_and_round(finite.significand, exponent.unsigned_abs(), false, finite.negative, rounding),
    };
    let value = if finite.negative { -(magnitude as i128) } else { magnitude as i128 };
    if value < least || value > most {
        status.raise(Status::INVALID);
    } else if inexact {
        status.raise(Status::INEXACT);
    }
    value.clamp(least, most) as u64
}

/// `FixedToFP`, of an integer or fixed-point number in the low bits of `value`.
pub(crate) fn from_fixed(format: Format, value: u32, from: Fixed, rounding: Rounding, status: &mut Status) -> u64 {
    let unused = 32 - from.bits;
    let value =
        if from.signed { i64::from((value << unused) as i32 >> unused) } else { i64::from(value << unused >> unused) };
    let exact = Finite {
        negative: value < 0,
        exponent: -(from.fraction_bits as i32),
        significand: u128::from(value.unsigned_abs()),
    };
    round(format, exact, false, rounding, status)
}
