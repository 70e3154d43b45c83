//! VCMP, VMAXNM, VMINNM (ARMv7-M ARM: `FPCompare`, `FPMaxNum`, `FPMinNum`).

use crate::isa::armv7em::float::{Format, Number, Status, propagated_nan, unpack};
use std::cmp::Ordering;

/// An integer that orders like the number, which is no NaN; both zeros are 0.
fn order(format: Format, bits: u64, number: Number) -> i64 {
    if matches!(number, Number::Zero(_)) {
        return 0;
    }
    let magnitude = format.absolute(bits) as i64;
    if bits >> format.sign_bit() & 1 != 0 { -magnitude } else { magnitude }
}

/// `FPCompare`: N, Z, C, V in bits 3:0. `signals`: VCMPE, for which a quiet NaN is invalid too.
#[must_use]
pub fn compare(format: Format, a: u64, b: u64, signals: bool, status: &mut Status) -> u32 {
    let (x, y) = (unpack(format, a, status), unpack(format, b, status));
    if propagated_nan(format, &[(a, x), (b, y)], status).is_some() {
        if signals {
            status.raise(Status::INVALID);
        }
        return 0b0011;
    }
    match order(format, a, x).cmp(&order(format, b, y)) {
        Ordering::Less => 0b1000,
        Ordering::Equal => 0b0110,
        Ordering::Greater => 0b0010,
    }
}

/// `FPMaxNum`, or `FPMinNum` if `min`: a number wins against a quiet NaN, and +0 is greater than -0.
#[must_use]
pub fn min_max(format: Format, a: u64, b: u64, min: bool, status: &mut Status) -> u64 {
    let (x, y) = (unpack(format, a, status), unpack(format, b, status));
    let flushed = |bits, number| if let Number::Zero(negative) = number { format.zero(negative) } else { bits };
    match (x, y) {
        (Number::Nan { .. }, Number::Nan { .. }) => {}
        (Number::Nan { quiet: true }, number) => return flushed(b, number),
        (number, Number::Nan { quiet: true }) => return flushed(a, number),
        _ => {}
    }
    if let Some(nan) = propagated_nan(format, &[(a, x), (b, y)], status) {
        return nan;
    }
    let (a, b) = (flushed(a, x), flushed(b, y));
    let a_is_greater = match order(format, a, x).cmp(&order(format, b, y)) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => a >> format.sign_bit() & 1 == 0,
    };
    if a_is_greater == min { b } else { a }
}
