//! The integer divider of SIO, one per core (datasheet 2.3.1.5).

use crate::core::time::Cycle;

/// Cycles after the one that writes an operand in which the division runs: results can be read in the ninth (2.3.1.5).
pub const DIVIDE_CYCLES: Cycle = 8;

/// `DIV_CSR.READY`: no division is running.
pub const READY: u32 = 1 << 0;
/// `DIV_CSR.DIRTY`: a register was written since the quotient was last read.
pub const DIRTY: u32 = 1 << 1;

/// Whether a division takes its operands as signed: chosen by the alias through which an operand is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Signedness {
    Unsigned,
    Signed,
}

/// Registers of one divider. Magnitudes are kept and the sign is put on when a result is read, as the chip does it (the
/// `FreeRTOS` port and the SDK's `divider_helper.S` rely on that when they save and restore); the results of a division
/// by zero follow from it, and agree with those measured on a chip: <https://vak.dreamwidth.org/1097369.html>.
#[derive(Clone, Debug, Default, Hash)]
pub struct Divider {
    pub(super) dividend: u32,
    pub(super) divisor: u32,
    quotient: u32,
    remainder: u32,
    /// Results that become visible at `ready_at`.
    next: (u32, u32),
    ready_at: Cycle,
    negate_quotient: bool,
    negate_remainder: bool,
    dirty: bool,
}

impl Divider {
    /// Writes the dividend and starts.
    pub fn write_dividend(&mut self, value: u32, signedness: Signedness, now: Cycle) {
        self.latch_results(now);
        self.dividend = value;
        self.start(signedness, now);
    }

    /// Writes the divisor and starts.
    pub fn write_divisor(&mut self, value: u32, signedness: Signedness, now: Cycle) {
        self.latch_results(now);
        self.divisor = value;
        self.start(signedness, now);
    }

    /// Writes the quotient, which ends a running division.
    pub fn write_quotient(&mut self, value: u32, now: Cycle) {
        self.cancel(now);
        self.quotient = value;
    }

    /// Writes the remainder, which ends a running division.
    pub fn write_remainder(&mut self, value: u32, now: Cycle) {
        self.cancel(now);
        self.remainder = value;
    }

    /// Reads the quotient, which clears `DIRTY`.
    pub fn read_quotient(&mut self, now: Cycle) -> u32 {
        self.dirty = false;
        self.quotient(now)
    }

    /// The quotient; that of the division before while one is running (the datasheet leaves it undefined).
    pub fn quotient(&self, now: Cycle) -> u32 {
        negated_if(self.negate_quotient, if self.ready(now) { self.results().0 } else { self.quotient })
    }

    /// The remainder; that of the division before while one is running (the datasheet leaves it undefined).
    pub fn remainder(&self, now: Cycle) -> u32 {
        negated_if(self.negate_remainder, if self.ready(now) { self.results().1 } else { self.remainder })
    }

    /// `DIV_CSR`.
    pub fn status(&self, now: Cycle) -> u32 {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        flag(self.ready(now), READY) | flag(self.dirty, DIRTY)
    }

    /// Whether no division is running.
    pub fn ready(&self, now: Cycle) -> bool {
        now >= self.ready_at
    }

    fn results(&self) -> (u32, u32) {
        if self.ready_at == 0 { (self.quotient, self.remainder) } else { self.next }
    }

    /// Takes over results that are due, so that a new division can hide them no more.
    fn latch_results(&mut self, now: Cycle) {
        if self.ready(now) {
            (self.quotient, self.remainder) = self.results();
        }
        self.ready_at = 0;
    }

    fn cancel(&mut self, now: Cycle) {
        self.latch_results(now);
        self.dirty = true;
    }

    fn start(&mut self, signedness: Signedness, now: Cycle) {
        let signed = signedness == Signedness::Signed;
        let (negative_dividend, negative_divisor) = (signed && sign(self.dividend), signed && sign(self.divisor));
        let dividend = negated_if(negative_dividend, self.dividend);
        let divisor = negated_if(negative_divisor, self.divisor);
        self.negate_quotient = negative_dividend != negative_divisor;
        self.negate_remainder = negative_dividend;
        self.next = match dividend.checked_div(divisor) {
            Some(quotient) => (quotient, dividend - quotient * divisor),
            None => (u32::MAX, dividend),
        };
        self.ready_at = now.saturating_add(DIVIDE_CYCLES + 1);
        self.dirty = true;
    }
}

fn sign(value: u32) -> bool {
    value >> 31 == 1
}

fn negated_if(negate: bool, value: u32) -> u32 {
    if negate { value.wrapping_neg() } else { value }
}
