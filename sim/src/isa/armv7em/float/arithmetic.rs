//! Add, multiply, divide, square root, and the fused multiply and add (ARMv7-M ARM: `FPAdd` to `FPMulAdd`).

use crate::isa::armv7em::float::round::round;
use crate::isa::armv7em::float::{Finite, Format, Number, Rounding, Status, propagated_nan, unpack};

/// Bit of the leading one of a term: leaves room for the carry of a sum.
const TOP: u32 = 124;
/// Bit of the leading one of a normalised operand.
const OPERAND_TOP: u32 = Format::DOUBLE.fraction_bits;

/// A zero as the term of a sum.
fn term(number: Number) -> Finite {
    match number {
        Number::Finite(finite) => finite,
        Number::Zero(negative) | Number::Infinity(negative) => Finite { negative, exponent: 0, significand: 0 },
        Number::Nan { .. } => Finite { negative: false, exponent: 0, significand: 0 },
    }
}

/// The rounded sum of two exact numbers of at most 107 bits, each of which may be zero.
fn sum(format: Format, one: Finite, other: Finite, status: &mut Status) -> u64 {
    let rounding = status.rounding();
    if one.significand == 0 && other.significand == 0 {
        let negative = if one.negative == other.negative { one.negative } else { rounding == Rounding::Down };
        return format.zero(negative);
    }
    if one.significand == 0 {
        return round(format, other, false, rounding, status);
    }
    if other.significand == 0 {
        return round(format, one, false, rounding, status);
    }
    let (one, other) = (one.normalised_to(TOP), other.normalised_to(TOP));
    let one_is_larger = (one.exponent, one.significand) >= (other.exponent, other.significand);
    let (large, small) = if one_is_larger { (one, other) } else { (other, one) };
    let distance = large.exponent.abs_diff(small.exponent);
    let (part, lost) = match distance {
        0 => (small.significand, false),
        1..=TOP => (small.significand >> distance, small.significand & ((1 << distance) - 1) != 0),
        _ => (0, true),
    };
    let significand = if large.negative == small.negative {
        large.significand + part
    } else {
        // The bits shifted out are subtracted too: round down by one, with the sticky bit set.
        large.significand - part - u128::from(lost)
    };
    if significand == 0 {
        return format.zero(rounding == Rounding::Down);
    }
    round(format, Finite { significand, ..large }, lost, rounding, status)
}

/// VADD.
#[must_use]
pub fn add(format: Format, a: u64, b: u64, status: &mut Status) -> u64 {
    add_or_subtract(format, a, b, false, status)
}

/// VSUB.
#[must_use]
pub fn subtract(format: Format, a: u64, b: u64, status: &mut Status) -> u64 {
    add_or_subtract(format, a, b, true, status)
}

fn add_or_subtract(format: Format, a: u64, b: u64, subtracts: bool, status: &mut Status) -> u64 {
    let (x, y) = (unpack(format, a, status), unpack(format, b, status));
    if let Some(nan) = propagated_nan(format, &[(a, x), (b, y)], status) {
        return nan;
    }
    let second = Finite { negative: negative(y) != subtracts, ..term(y) };
    match (x, y) {
        (Number::Infinity(first), Number::Infinity(_)) if first != second.negative => status.invalid(format),
        (Number::Infinity(first), _) => format.infinity(first),
        (_, Number::Infinity(_)) => format.infinity(second.negative),
        _ => sum(format, term(x), second, status),
    }
}

fn negative(number: Number) -> bool {
    match number {
        Number::Infinity(negative) => negative,
        number => term(number).negative,
    }
}

/// VMUL.
#[must_use]
pub fn multiply(format: Format, a: u64, b: u64, status: &mut Status) -> u64 {
    let (x, y) = (unpack(format, a, status), unpack(format, b, status));
    if let Some(nan) = propagated_nan(format, &[(a, x), (b, y)], status) {
        return nan;
    }
    let negative = negative(x) != negative(y);
    match (x, y) {
        (Number::Infinity(_), Number::Zero(_)) | (Number::Zero(_), Number::Infinity(_)) => status.invalid(format),
        (Number::Infinity(_), _) | (_, Number::Infinity(_)) => format.infinity(negative),
        (Number::Zero(_), _) | (_, Number::Zero(_)) => format.zero(negative),
        _ => round(format, product(term(x), term(y)), false, status.rounding(), status),
    }
}

/// The exact product, with its sign if it is zero.
fn product(x: Finite, y: Finite) -> Finite {
    Finite {
        negative: x.negative != y.negative,
        exponent: x.exponent + y.exponent,
        significand: x.significand * y.significand,
    }
}

/// VDIV.
#[must_use]
pub fn divide(format: Format, a: u64, b: u64, status: &mut Status) -> u64 {
    let (x, y) = (unpack(format, a, status), unpack(format, b, status));
    if let Some(nan) = propagated_nan(format, &[(a, x), (b, y)], status) {
        return nan;
    }
    let negative = negative(x) != negative(y);
    match (x, y) {
        (Number::Infinity(_), Number::Infinity(_)) | (Number::Zero(_), Number::Zero(_)) => status.invalid(format),
        (Number::Infinity(_), _) => format.infinity(negative),
        (_, Number::Zero(_)) => {
            status.raise(Status::DIVISION_BY_ZERO);
            format.infinity(negative)
        }
        (Number::Zero(_), _) | (_, Number::Infinity(_)) => format.zero(negative),
        _ => {
            let (x, y) = (term(x).normalised_to(OPERAND_TOP), term(y).normalised_to(OPERAND_TOP));
            let dividend = x.significand << 64;
            let significand = dividend / y.significand;
            let exact = Finite { negative, exponent: x.exponent - y.exponent - 64, significand };
            round(format, exact, dividend % y.significand != 0, status.rounding(), status)
        }
    }
}

/// VSQRT.
#[must_use]
pub fn square_root(format: Format, a: u64, status: &mut Status) -> u64 {
    let x = unpack(format, a, status);
    if let Some(nan) = propagated_nan(format, &[(a, x)], status) {
        return nan;
    }
    match x {
        Number::Zero(negative) => format.zero(negative),
        Number::Infinity(false) => format.infinity(false),
        Number::Finite(finite) if !finite.negative => {
            let finite = finite.normalised_to(OPERAND_TOP + 64);
            // The exponent must be even.
            let odd = finite.exponent & 1;
            let square = finite.significand << odd;
            let root = square.isqrt();
            let exact = Finite { negative: false, exponent: (finite.exponent - odd) / 2, significand: root };
            round(format, exact, root * root != square, status.rounding(), status)
        }
        _ => status.invalid(format),
    }
}

/// VFMA: `addend` + `a` * `b`, rounded once.
#[must_use]
pub fn fused_multiply_add(format: Format, addend: u64, a: u64, b: u64, status: &mut Status) -> u64 {
    let third = unpack(format, addend, status);
    let [x, y] = [a, b].map(|bits| unpack(format, bits, status));
    let no_product = matches!((x, y), (Number::Infinity(_), Number::Zero(_)) | (Number::Zero(_), Number::Infinity(_)));
    let nan = propagated_nan(format, &[(addend, third), (a, x), (b, y)], status);
    if no_product && !matches!(third, Number::Nan { quiet: false }) {
        return status.invalid(format);
    }
    if let Some(nan) = nan {
        return nan;
    }
    let infinite_product = matches!(x, Number::Infinity(_)) || matches!(y, Number::Infinity(_));
    let product_negative = negative(x) != negative(y);
    match third {
        Number::Infinity(other) if infinite_product && other != product_negative => status.invalid(format),
        Number::Infinity(negative) => format.infinity(negative),
        _ if infinite_product => format.infinity(product_negative),
        _ => sum(format, term(third), product(term(x), term(y)), status),
    }
}
