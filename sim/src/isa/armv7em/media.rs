//! Data processing (register): shifts by a register, extension, parallel arithmetic, bit counts, reversal (A5.3).

use crate::isa::armv7em::arithmetic::{Shift, saturate_signed, saturate_unsigned};
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::{ExecutionResult, Processor};

impl Processor {
    pub(crate) fn register_operands(&mut self, first: u32, second: u32) -> ExecutionResult {
        if second >> 12 != 15 {
            return Err(Fault::Undefined);
        }
        let (n, d, m) = (first & 15, second >> 8 & 15, second & 15);
        let (one, two) = (first >> 4 & 15, second >> 4 & 15);
        match (one, two) {
            (0..=7, 0) => {
                let (value, carry) = Shift::by_register(one >> 1, self.reg(m)).apply(self.reg(n), self.flags.c);
                if one & 1 != 0 {
                    self.flags.c = carry;
                    self.flags.set_nz(value);
                }
                self.set(d, value);
            }
            (0..=5, 8..) => {
                let value = self.extend(one, n, self.reg(m).rotate_right(8 * (two & 3)));
                self.set(d, value);
            }
            (8.., 0..=7) => {
                if one & 3 == 3 || two & 3 == 3 {
                    return Err(Fault::Undefined);
                }
                self.parallel_add_subtract(one & 7, two & 3, two & 4 == 0, (d, n, m));
            }
            (8..=11, 8..=11) => return self.one_operand(one & 3, two & 3, (d, n, m)),
            _ => return Err(Fault::Undefined),
        }
        Ok(())
    }

    /// SXTH, UXTH, SXTB16, UXTB16, SXTB, UXTB, and with an addend SXTAH and so on.
    fn extend(&self, kind: u32, n: u32, rotated: u32) -> u32 {
        let addend = if n == 15 { 0 } else { self.reg(n) };
        let halves = |low: u32, high: u32| (addend >> 16).wrapping_add(high) << 16 | addend.wrapping_add(low) & 0xffff;
        match kind {
            0 => addend.wrapping_add(rotated as i16 as u32),
            1 => addend.wrapping_add(rotated & 0xffff),
            2 => halves(rotated as i8 as u32, (rotated >> 16) as i8 as u32),
            3 => halves(rotated & 0xff, rotated >> 16 & 0xff),
            4 => addend.wrapping_add(rotated as i8 as u32),
            _ => addend.wrapping_add(rotated & 0xff),
        }
    }

    /// Saturating arithmetic, reversals, SEL, CLZ.
    fn one_operand(&mut self, kind: u32, which: u32, (d, n, m): (u32, u32, u32)) -> ExecutionResult {
        let (first, second) = (self.reg(n), self.reg(m));
        let value = match (kind, which) {
            (0, _) => self.saturating(which, first as i32, second as i32),
            (1, 0) => second.swap_bytes(),
            (1, 1) => second.swap_bytes().rotate_left(16),
            (1, 2) => second.reverse_bits(),
            (1, _) => (second as u16).swap_bytes() as i16 as u32,
            (2, 0) => {
                let mask =
                    (0..4).map(|lane| (u32::from(self.flags.ge) >> lane & 1) * (0xff << (8 * lane))).sum::<u32>();
                first & mask | second & !mask
            }
            (3, 0) => second.leading_zeros(),
            _ => return Err(Fault::Undefined),
        };
        self.set(d, value);
        Ok(())
    }

    /// QADD, QDADD, QSUB, QDSUB: `m` plus or minus `n` or its double.
    fn saturating(&mut self, which: u32, n: i32, m: i32) -> u32 {
        let (n, doubled) = if which & 1 != 0 { saturate_signed(2 * i64::from(n), 32) } else { (n as u32, false) };
        let (n, m) = (i64::from(n as i32), i64::from(m));
        let (value, saturated) = saturate_signed(if which & 2 == 0 { m + n } else { m - n }, 32);
        self.flags.q |= doubled || saturated;
        value
    }

    /// SADD8 and its like. `operation`: 0 and 1 add bytes or halfwords, 4 and 5 subtract them; 2 (ASX) and 6 (SAX) exchange the
    /// halves of the second operand and subtract one, add the other. `overflow`: 0 wraps and sets GE, 1 saturates, 2 halves.
    fn parallel_add_subtract(&mut self, operation: u32, overflow: u32, signed: bool, (d, n, m): (u32, u32, u32)) {
        let [first, second] = [n, m].map(|register| self.reg(register));
        let (width, count) = if matches!(operation, 0 | 4) { (8, 4) } else { (16, 2) };
        let exchanged = operation & 3 == 2;
        let (mut result, mut ge) = (0, 0);
        for lane in 0..count {
            let subtracts = (operation & 4 != 0) != (exchanged && lane == 0);
            let one = part(first, width, lane, signed);
            let other = part(second, width, if exchanged { 1 - lane } else { lane }, signed);
            let exact = if subtracts { one - other } else { one + other };
            let value = match overflow {
                0 => exact as u32,
                1 if signed => saturate_signed(exact, width).0,
                1 => saturate_unsigned(exact, width).0,
                _ => (exact >> 1) as u32,
            };
            result |= (value & ((1 << width) - 1)) << (width * lane);
            // GE of an unsigned sum is its carry.
            let greater = if signed || subtracts { exact >= 0 } else { exact >> width != 0 };
            let bits = if width == 8 { 1 } else { 3 };
            ge |= if greater { bits << (lane * width / 8) } else { 0 };
        }
        if overflow == 0 {
            self.flags.ge = ge;
        }
        self.set(d, result);
    }
}

/// The part of a word in a lane.
fn part(word: u32, width: u32, lane: u32, signed: bool) -> i64 {
    let high = word << (32 - width * (lane + 1));
    if signed { i64::from(high as i32 >> (32 - width)) } else { i64::from(high >> (32 - width)) }
}
