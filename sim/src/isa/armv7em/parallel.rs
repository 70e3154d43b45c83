//! Parallel addition and subtraction of bytes and halfwords (A5.3).

use crate::isa::armv7em::Processor;
use crate::isa::armv7em::arithmetic::{saturate_signed, saturate_unsigned};

/// Operation by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lanes {
    Add8,
    Add16,
    /// ASX: halves exchanged, the upper added, the lower subtracted.
    AddSubtract,
    Subtract8,
    Subtract16,
    /// SAX: halves exchanged, the upper subtracted, the lower added.
    SubtractAdd,
}

impl Lanes {
    pub(crate) fn of(bits: u32) -> Option<Self> {
        Some(match bits {
            0 => Self::Add8,
            1 => Self::Add16,
            2 => Self::AddSubtract,
            4 => Self::Subtract8,
            5 => Self::Subtract16,
            6 => Self::SubtractAdd,
            _ => return None,
        })
    }
}

/// Treatment of a result that overflows its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Wraps, and sets GE (SADD8, UADD8).
    Plain,
    /// Saturates (QADD8, UQADD8).
    Saturating,
    /// Halves the result (SHADD8, UHADD8).
    Halving,
}

impl Kind {
    pub(crate) fn of(bits: u32) -> Option<Self> {
        [Some(Self::Plain), Some(Self::Saturating), Some(Self::Halving), None][bits as usize & 3]
    }
}

impl Processor {
    pub(crate) fn parallel_add_subtract(&mut self, lanes: Lanes, kind: Kind, signed: bool, (d, n, m): (u32, u32, u32)) {
        let [first, second] = [n, m].map(|register| self.reg(register));
        let (width, count) = if matches!(lanes, Lanes::Add8 | Lanes::Subtract8) { (8, 4) } else { (16, 2) };
        let exchanged = matches!(lanes, Lanes::AddSubtract | Lanes::SubtractAdd);
        let (mut result, mut ge) = (0, 0);
        for lane in 0..count {
            let subtracts = match lanes {
                Lanes::Add8 | Lanes::Add16 => false,
                Lanes::Subtract8 | Lanes::Subtract16 => true,
                Lanes::AddSubtract => lane == 0,
                Lanes::SubtractAdd => lane == 1,
            };
            let one = part(first, width, lane, signed);
            let other = part(second, width, if exchanged { 1 - lane } else { lane }, signed);
            let exact = if subtracts { one - other } else { one + other };
            let value = match kind {
                Kind::Plain => exact as u32,
                Kind::Saturating if signed => saturate_signed(exact, width).0,
                Kind::Saturating => saturate_unsigned(exact, width).0,
                Kind::Halving => (exact >> 1) as u32,
            };
            result |= (value & ((1 << width) - 1)) << (width * lane);
            // GE of an unsigned sum is its carry.
            let greater = if signed || subtracts { exact >= 0 } else { exact >> width != 0 };
            let bits = if width == 8 { 1 } else { 3 };
            ge |= if greater { bits << (lane * width / 8) } else { 0 };
        }
        if kind == Kind::Plain {
            self.flags.ge = ge;
        }
        self.set(d, result);
    }
}

fn part(word: u32, width: u32, lane: u32, signed: bool) -> i64 {
    let high = word << (32 - width * (lane + 1));
    if signed { i64::from(high as i32 >> (32 - width)) } else { i64::from(high >> (32 - width)) }
}
