//! VCVT: between formats, and to and from integers and fixed-point numbers (ARMv7-M ARM: `FPSingleToDouble`,
//! `FPHalfToSingle`, `FPToFixed`, `FixedToFP` and their like).

use crate::isa::armv7em::float::round::{round, shift_and_round};
use crate::isa::armv7em::float::{Finite, Format, Number, Rounding, Status, unpack};

/// An integer or fixed-point number.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// 16 or 32.
    pub bits: u32,
    /// Fraction bits.
    pub fraction_bits: u32,
    /// Whether it has a sign.
    pub signed: bool,
}

impl Fixed {
    /// A 32-bit integer.
    #[must_use]
    pub fn integer(signed: bool) -> Self {
        Self { bits: 32, fraction_bits: 0, signed }
    }

    fn range(self) -> (i128, i128) {
        if self.signed { (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1) } else { (0, (1 << self.bits) - 1) }
    }
}

/// Converts to another format.
#[must_use]
pub fn to_format(from: Format, to: Format, bits: u64, status: &mut Status) -> u64 {
    let alternative = to == Format::HALF && status.alternative_half();
    let sign = bits >> from.sign_bit() & 1 != 0;
    match unpack(from, bits, status) {
        Number::Nan { .. } if alternative => {
            status.raise(Status::INVALID);
            to.zero(sign)
        }
        Number::Infinity(negative) if alternative => {
            status.raise(Status::INVALID);
            to.zero(negative) | 0x7fff
        }
        Number::Nan { quiet } => {
            if !quiet {
                status.raise(Status::INVALID);
            }
            if status.default_nan() {
                return to.default_nan();
            }
            // The payload stays aligned to the top of the fraction.
            let payload = (bits & from.fraction_mask()) << (64 - from.fraction_bits) >> (64 - to.fraction_bits);
            to.infinity(sign) | to.quiet_bit() | payload
        }
        Number::Infinity(negative) => to.infinity(negative),
        Number::Zero(negative) => to.zero(negative),
        Number::Finite(finite) => round(to, finite, false, status.rounding(), status),
    }
}

/// `FPToFixed`: the integer or fixed-point number, sign-extended to 64 bits. Saturates, and gives 0 for a NaN; both raise IOC.
#[must_use]
pub fn to_fixed(format: Format, bits: u64, to: Fixed, rounding: Rounding, status: &mut Status) -> u64 {
    let (least, most) = to.range();
    let finite = match unpack(format, bits, status) {
        Number::Nan { .. } => {
            status.raise(Status::INVALID);
            return 0;
        }
        Number::Zero(_) => return 0,
        Number::Infinity(negative) => {
            status.raise(Status::INVALID);
            return (if negative { least } else { most }) as u64;
        }
        Number::Finite(finite) => finite,
    };
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
#[must_use]
pub fn from_fixed(format: Format, value: u32, from: Fixed, rounding: Rounding, status: &mut Status) -> u64 {
    let unused = 32 - from.bits;
    let value =
        if from.signed { i64::from((value << unused) as i32 >> unused) } else { i64::from(value << unused >> unused) };
    if value == 0 {
        return format.zero(false);
    }
    let exact = Finite {
        negative: value < 0,
        exponent: -(from.fraction_bits as i32),
        significand: u128::from(value.unsigned_abs()),
    };
    round(format, exact, false, rounding, status)
}
