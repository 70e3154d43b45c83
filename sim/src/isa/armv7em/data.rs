//! Data processing with an immediate or a shifted register (A5.3.1).

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::isa::armv7em::arithmetic::{
    Shift, add_with_carry, expand_immediate, saturate_signed, saturate_unsigned, signed_halves,
};
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::{ExecutionResult, Processor};

/// An operation, by its 4-bit `op` field in 32-bit instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    And,
    Bic,
    Orr,
    Orn,
    Eor,
    Add,
    Adc,
    Sbc,
    Sub,
    Rsb,
}

impl Operation {
    fn of(bits: u32) -> Option<Self> {
        use Operation::{Adc, Add, And, Bic, Eor, Orn, Orr, Rsb, Sbc, Sub};
        let low = [Some(And), Some(Bic), Some(Orr), Some(Orn), Some(Eor), None, None, None];
        let high = [Some(Add), None, Some(Adc), Some(Sbc), None, Some(Sub), Some(Rsb), None];
        (if bits & 8 == 0 { low } else { high })[bits as usize & 7]
    }

    /// Whether it has an encoding without a result: TST, TEQ, CMN, CMP.
    fn compares(self) -> bool {
        matches!(self, Self::And | Self::Eor | Self::Add | Self::Sub)
    }
}

impl Processor {
    /// The result of an operation, with its flags. `carry` is the shifter's, for logical operations.
    #[inline(always)]
    pub(crate) fn operate(&mut self, operation: Operation, (a, b, carry): (u32, u32, bool), sets_flags: bool) -> u32 {
        let old = self.flags.c;
        let mut sum = |a, b, carry| {
            let (value, c, v) = add_with_carry(a, b, carry);
            if sets_flags {
                (self.flags.c, self.flags.v) = (c, v);
            }
            value
        };
        let value = match operation {
            Operation::Add => sum(a, b, false),
            Operation::Adc => sum(a, b, old),
            Operation::Sbc => sum(a, !b, old),
            Operation::Sub => sum(a, !b, true),
            Operation::Rsb => sum(!a, b, true),
            logical => {
                if sets_flags {
                    self.flags.c = carry;
                }
                match logical {
                    Operation::And => a & b,
                    Operation::Bic => a & !b,
                    Operation::Orr => a | b,
                    Operation::Orn => a | !b,
                    _ => a ^ b,
                }
            }
        };
        if sets_flags {
            self.flags.set_nz(value);
        }
        value
    }

    fn two_operands(&mut self, first: u32, d: u32, operand: (u32, bool)) -> ExecutionResult {
        let Some(operation) = Operation::of(first >> 5) else { return Err(Fault::Undefined) };
        let (n, sets_flags) = (first & 15, first & 0x10 != 0);
        // MOV and MVN are ORR and ORN without a first operand.
        let moves = n == 15 && matches!(operation, Operation::Orr | Operation::Orn);
        let a = if moves { 0 } else { self.reg(n) };
        let value = self.operate(operation, (a, operand.0, operand.1), sets_flags);
        if !(d == 15 && sets_flags && operation.compares()) {
            self.set(d, value);
        }
        Ok(())
    }

    /// Data processing (modified immediate).
    pub(crate) fn modified_immediate(&mut self, first: u32, second: u32) -> ExecutionResult {
        let bits = (first >> 10 & 1) << 11 | (second >> 12 & 7) << 8 | second & 0xff;
        self.two_operands(first, second >> 8 & 15, expand_immediate(bits, self.flags.c))
    }

    /// Data processing (shifted register), and PKH.
    pub(crate) fn shifted_register(&mut self, first: u32, second: u32) -> ExecutionResult {
        let amount = (second >> 12 & 7) << 2 | second >> 6 & 3;
        let m = self.reg(second & 15);
        let d = second >> 8 & 15;
        if first >> 5 & 15 == 6 {
            let (operand, _) = Shift::by_immediate(second >> 4 & 2, amount).apply(m, false);
            let n = self.reg(first & 15);
            let top = second & 0x20 != 0; // PKHTB
            let (high, low) = if top { (n, operand) } else { (operand, n) };
            self.set(d, high & 0xffff_0000 | low & 0xffff);
            return Ok(());
        }
        self.two_operands(first, d, Shift::by_immediate(second >> 4, amount).apply(m, self.flags.c))
    }

    /// Data processing (plain binary immediate): 12 and 16 bits, saturation, bit fields.
    pub(crate) fn plain_immediate(&mut self, first: u32, second: u32) -> ExecutionResult {
        let (n, d) = (first & 15, second >> 8 & 15);
        let low = (first >> 10 & 1) << 11 | (second >> 12 & 7) << 8 | second & 0xff;
        let (place, width) = ((second >> 12 & 7) << 2 | second >> 6 & 3, second & 31);
        let base = if n == 15 { self.literal_base() } else { self.reg(n) };
        let value = match first >> 4 & 0x1f {
            0 => base.wrapping_add(low),
            10 => base.wrapping_sub(low),
            4 => n << 12 | low,
            12 => self.reg(d) & 0xffff | (n << 12 | low) << 16,
            kind @ (16 | 18 | 24 | 26) => {
                self.saturate(kind, (d, n), (place, width));
                return Ok(());
            }
            20 => ((self.reg(n) << (31 - (place + width).min(31))) as i32 >> (31 - width)) as u32,
            28 => self.reg(n) >> place & (u32::MAX >> (31 - width)),
            22 => {
                let Some(more) = width.checked_sub(place) else { return Err(Fault::Undefined) };
                let field = u32::MAX >> (31 - more) << place;
                let inserted = if n == 15 { 0 } else { self.reg(n) << place & field };
                self.reg(d) & !field | inserted
            }
            _ => return Err(Fault::Undefined),
        };
        self.set(d, value);
        Ok(())
    }

    /// SSAT, SSAT16, USAT, USAT16.
    fn saturate(&mut self, kind: u32, (d, n): (u32, u32), (amount, bits): (u32, u32)) {
        let signed = kind < 24;
        let one = |value: i64| if signed { saturate_signed(value, bits + 1) } else { saturate_unsigned(value, bits) };
        let halves = kind & 2 != 0 && amount == 0;
        let (value, saturated) = if halves {
            let [low, high] = signed_halves(self.reg(n)).map(|half| one(i64::from(half)));
            (high.0 << 16 | low.0 & 0xffff, high.1 || low.1)
        } else {
            let (shifted, _) = Shift::by_immediate(kind & 2, amount).apply(self.reg(n), false);
            one(i64::from(shifted as i32))
        };
        self.set(d, value);
        self.flags.q |= saturated;
    }
}
