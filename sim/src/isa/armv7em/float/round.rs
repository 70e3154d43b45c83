//! Rounding to a format, and to an integral value (ARMv7-M ARM: `FPRound`, `FPRoundInt`).

use crate::isa::armv7em::float::{Class, Finite, Format, Rounding, Status, propagated_nan, unpack};

/// `significand` / 2^`places`, rounded, and whether it is inexact. `sticky`: nonzero bits below `significand` were dropped.
pub(super) fn shift_and_round(
    significand: u128,
    places: u32,
    sticky: bool,
    negative: bool,
    rounding: Rounding,
) -> (u128, bool) {
    let (kept, rest, half) = match places {
        0 => (significand, 0, 1),
        // More than its 127 bits: less than half a unit remains.
        128.. => (0, u128::from(significand != 0), 2),
        _ => (significand >> places, significand & ((1 << places) - 1), 1 << (places - 1)),
    };
    let inexact = rest != 0 || sticky;
    let above_half = rest > half || rest == half && sticky;
    let at_half = rest == half && !sticky;
    let up = match rounding {
        Rounding::Nearest => above_half || at_half && kept & 1 != 0,
        Rounding::Away => above_half || at_half,
        Rounding::Up => inexact && !negative,
        Rounding::Down => inexact && negative,
        Rounding::Zero => false,
    };
    (kept + u128::from(up), inexact)
}

/// `FPRound` of a number that has at most 127 bits. `sticky` as above.
pub(super) fn round(format: Format, exact: Finite, sticky: bool, rounding: Rounding, status: &mut Status) -> u64 {
    let Finite { negative, exponent, significand } = exact;
    if significand == 0 {
        return format.zero(negative);
    }
    let lowest = 1 - format.bias();
    let top = exponent + 127 - significand.leading_zeros() as i32;
    let tiny = top < lowest;
    if tiny && status.flushes() && format != Format::HALF {
        status.raise(Status::UNDERFLOW);
        return format.zero(negative);
    }
    // Exponent of a unit in the last place.
    let unit = top.max(lowest) - format.fraction_bits as i32;
    debug_assert!(!sticky || exponent < unit, "a number with a part left out has more bits than a format");
    let (kept, inexact) = if exponent < unit {
        shift_and_round(significand, (unit - exponent) as u32, sticky, negative, rounding)
    } else {
        (significand << (exponent - unit), false)
    };
    // The hidden bit of `kept`, and a carry of the rounding, add to the exponent field.
    let field = (top.max(lowest) + format.bias() - 1) as u64;
    let magnitude = (field << format.fraction_bits) + kept as u64;
    let alternative = format == Format::HALF && status.alternative_half();
    let limit = format.exponent_mask() + u64::from(alternative);
    if magnitude >> format.fraction_bits >= limit {
        return overflow(format, negative, rounding, alternative, status);
    }
    if inexact {
        status.raise(if tiny { Status::INEXACT | Status::UNDERFLOW } else { Status::INEXACT });
    }
    format.zero(negative) | magnitude
}

fn overflow(format: Format, negative: bool, rounding: Rounding, alternative: bool, status: &mut Status) -> u64 {
    if alternative {
        status.raise(Status::INVALID);
        return format.zero(negative) | 0x7fff;
    }
    status.raise(Status::OVERFLOW | Status::INEXACT);
    let to_infinity = match rounding {
        Rounding::Nearest | Rounding::Away => true,
        Rounding::Up => !negative,
        Rounding::Down => negative,
        Rounding::Zero => false,
    };
    format.infinity(negative) - u64::from(!to_infinity)
}

/// `FPRoundInt` (VRINT). `exact`: VRINTX, which raises IXC.
pub(crate) fn round_to_integral(
    format: Format,
    bits: u64,
    rounding: Rounding,
    exact: bool,
    status: &mut Status,
) -> u64 {
    let number = unpack(format, bits, status);
    let finite = number.value;
    if let Some(nan) = propagated_nan(format, &[number], status) {
        return nan;
    }
    if number.class != Class::Finite || finite.exponent >= 0 {
        return number.bits;
    }
    let places = finite.exponent.unsigned_abs();
    let (whole, inexact) = shift_and_round(finite.significand, places, false, finite.negative, rounding);
    if inexact && exact {
        status.raise(Status::INEXACT);
    }
    round(format, Finite { exponent: 0, significand: whole, ..finite }, false, rounding, status)
}
