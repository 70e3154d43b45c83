//! Add, multiply, divide, square root, the fused multiply and add, comparison (ARMv7-M ARM: `FPAdd` to `FPMulAdd`,
//! `FPCompare`, `FPMaxNum`, `FPMinNum`).

use crate::isa::armv7em::float::round::round;
use crate::isa::armv7em::float::{Class, Finite, Format, Rounding, Status, Unpacked, propagated_nan, unpack};
use std::cmp::Ordering;

/// Bit of the leading one of a term: leaves room for the carry of a sum.
const TOP: u32 = 124;
/// Bit of the leading one of a normalised operand.
const OPERAND_TOP: u32 = Format::DOUBLE.fraction_bits;

/// The rounded sum of two exact numbers of at most 107 bits, each of which may be zero.
fn sum(format: Format, one: Finite, other: Finite, status: &mut Status) -> u64 {
    let rounding = status.rounding();
    if one.significand == 0 && other.significand == 0 {
        let negative = if one.negative == other.negative { one.negative } else { rounding == Rounding::Down };
        return format.zero(negative);
    }
    if one.significand == 0 || other.significand == 0 {
        return round(format, if one.significand == 0 { other } else { one }, false, rounding, status);
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

/// VADD, or VSUB if `subtracts`.
pub(crate) fn add(format: Format, a: u64, b: u64, subtracts: bool, status: &mut Status) -> u64 {
    let (x, mut y) = (unpack(format, a, status), unpack(format, b, status));
    if let Some(nan) = propagated_nan(format, &[x, y], status) {
        return nan;
    }
    y.value.negative ^= subtracts;
    add_unpacked(format, x, y, status)
}

/// The sum of two numbers, neither of which is a NaN.
fn add_unpacked(format: Format, x: Unpacked, y: Unpacked, status: &mut Status) -> u64 {
    let signs_differ = x.value.negative != y.value.negative;
    match (x.class, y.class) {
        (Class::Infinity, Class::Infinity) if signs_differ => status.invalid(format),
        (Class::Infinity, _) => format.infinity(x.value.negative),
        (_, Class::Infinity) => format.infinity(y.value.negative),
        _ => sum(format, x.value, y.value, status),
    }
}

/// The exact product of two numbers, neither of which is a NaN. None: of infinity and zero there is none.
fn product(x: Unpacked, y: Unpacked) -> Option<Unpacked> {
    let class = match (x.class, y.class) {
        (Class::Infinity, Class::Zero) | (Class::Zero, Class::Infinity) => return None,
        (Class::Infinity, _) | (_, Class::Infinity) => Class::Infinity,
        _ => Class::Finite,
    };
    let value = Finite {
        negative: x.value.negative != y.value.negative,
        exponent: x.value.exponent + y.value.exponent,
        significand: x.value.significand * y.value.significand,
    };
    Some(Unpacked { bits: 0, class, value })
}

/// VMUL.
pub(crate) fn multiply(format: Format, a: u64, b: u64, status: &mut Status) -> u64 {
    let (x, y) = (unpack(format, a, status), unpack(format, b, status));
    if let Some(nan) = propagated_nan(format, &[x, y], status) {
        return nan;
    }
    match product(x, y) {
        None => status.invalid(format),
        Some(Unpacked { class: Class::Infinity, value, .. }) => format.infinity(value.negative),
        Some(product) => round(format, product.value, false, status.rounding(), status),
    }
}

/// VDIV.
pub(crate) fn divide(format: Format, a: u64, b: u64, status: &mut Status) -> u64 {
    let (x, y) = (unpack(format, a, status), unpack(format, b, status));
    if let Some(nan) = propagated_nan(format, &[x, y], status) {
        return nan;
    }
    let negative = x.value.negative != y.value.negative;
    match (x.class, y.class) {
        (Class::Infinity, Class::Infinity) | (Class::Zero, Class::Zero) => status.invalid(format),
        (Class::Infinity, _) => format.infinity(negative),
        (_, Class::Zero) => {
            status.raise(Status::DIVISION_BY_ZERO);
            format.infinity(negative)
        }
        (Class::Zero, _) | (_, Class::Infinity) => format.zero(negative),
        _ => {
            let (x, y) = (x.value.normalised_to(OPERAND_TOP), y.value.normalised_to(OPERAND_TOP));
            let dividend = x.significand << 64;
            let significand = dividend / y.significand;
            let exact = Finite { negative, exponent: x.exponent - y.exponent - 64, significand };
            round(format, exact, dividend % y.significand != 0, status.rounding(), status)
        }
    }
}

/// VSQRT.
pub(crate) fn square_root(format: Format, a: u64, status: &mut Status) -> u64 {
    let x = unpack(format, a, status);
    if let Some(nan) = propagated_nan(format, &[x], status) {
        return nan;
    }
    match x.class {
        Class::Infinity | Class::Finite if x.value.negative => status.invalid(format),
        Class::Zero | Class::Infinity => x.bits,
        _ => {
            let finite = x.value.normalised_to(OPERAND_TOP + 64);
            // The exponent must be even.
            let odd = finite.exponent & 1;
            let square = finite.significand << odd;
            let root = square.isqrt();
            let exact = Finite { negative: false, exponent: (finite.exponent - odd) / 2, significand: root };
            round(format, exact, root * root != square, status.rounding(), status)
        }
    }
}

/// VFMA: `addend` + `a` * `b`, rounded once.
pub(crate) fn fused_multiply_add(format: Format, addend: u64, a: u64, b: u64, status: &mut Status) -> u64 {
    let [third, x, y] = [addend, a, b].map(|bits| unpack(format, bits, status));
    let nan = propagated_nan(format, &[third, x, y], status);
    match (product(x, y), nan) {
        (None, _) if third.class != Class::SignallingNan => status.invalid(format),
        (_, Some(nan)) => nan,
        (Some(product), None) => add_unpacked(format, third, product, status),
        (None, None) => unreachable!("a signalling NaN gives a NaN"),
    }
}

/// An integer that orders like the number, which is no NaN; both zeros are 0.
fn order(format: Format, number: Unpacked) -> i64 {
    let magnitude = format.absolute(number.bits) as i64;
    if number.value.negative { -magnitude } else { magnitude }
}

/// `FPCompare`: N, Z, C, V in bits 3:0. `signals`: VCMPE, for which a quiet NaN is invalid too.
pub(crate) fn compare(format: Format, a: u64, b: u64, signals: bool, status: &mut Status) -> u32 {
    let (x, y) = (unpack(format, a, status), unpack(format, b, status));
    if propagated_nan(format, &[x, y], status).is_some() {
        if signals {
            status.raise(Status::INVALID);
        }
        return 0b0011;
    }
    match order(format, x).cmp(&order(format, y)) {
        Ordering::Less => 0b1000,
        Ordering::Equal => 0b0110,
        Ordering::Greater => 0b0010,
    }
}

/// `FPMaxNum`, or `FPMinNum` if `min`: a number wins against a quiet NaN, and +0 is greater than -0.
pub(crate) fn min_max(format: Format, a: u64, b: u64, min: bool, status: &mut Status) -> u64 {
    let (x, y) = (unpack(format, a, status), unpack(format, b, status));
    match (x.class, y.class) {
        (Class::QuietNan, _) if !y.is_nan() => return y.bits,
        (_, Class::QuietNan) if !x.is_nan() => return x.bits,
        _ => {}
    }
    if let Some(nan) = propagated_nan(format, &[x, y], status) {
        return nan;
    }
    let a_is_greater = match order(format, x).cmp(&order(format, y)) {
        Ordering::Equal => !x.value.negative,
        ordering => ordering == Ordering::Greater,
    };
    if a_is_greater == min { y.bits } else { x.bits }
}
