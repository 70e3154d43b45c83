//! Multiply, multiply-accumulate and divide (A5.3).

use crate::isa::armv7em::arithmetic::signed_halves;
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::scs::ccr;
use crate::isa::armv7em::{ExecutionResult, Processor};

/// Register fields of a multiplication.
#[derive(Clone, Copy)]
struct Operands {
    n: u32,
    m: u32,
    /// `Ra`, or `RdLo` of a long one.
    a: u32,
    /// `Rd`, or `RdHi` of a long one.
    d: u32,
}

impl Operands {
    fn of(first: u32, second: u32) -> Self {
        Self { n: first & 15, m: second & 15, a: second >> 12 & 15, d: second >> 8 & 15 }
    }
}

impl Processor {
    fn half(&self, register: u32, upper: bool) -> i64 {
        i64::from(signed_halves(self.reg(register))[usize::from(upper)])
    }

    /// The two 16-bit products; `exchanged` swaps the halves of the second operand (the X forms).
    fn half_products(&self, of: Operands, exchanged: bool) -> [i64; 2] {
        [false, true].map(|upper| self.half(of.n, upper) * self.half(of.m, upper != exchanged))
    }

    fn addend(&self, of: Operands) -> i64 {
        if of.a == 15 { 0 } else { i64::from(self.reg(of.a) as i32) }
    }

    /// Sets `d` to the low word of a sum, and Q if it overflows.
    fn set_with_q(&mut self, d: u32, sum: i64) {
        self.flags.q |= i64::from(sum as i32) != sum;
        self.set(d, sum as u32);
    }

    /// Multiply with a 32-bit result.
    pub(crate) fn multiply(&mut self, first: u32, second: u32) -> ExecutionResult {
        let of = Operands::of(first, second);
        if second >> 6 & 3 != 0 {
            return Err(Fault::Undefined);
        }
        let (one, option) = (second & 0x10 != 0, second & 0x20 != 0);
        let (n, m) = (self.reg(of.n), self.reg(of.m));
        match first >> 4 & 7 {
            0 if !option => {
                let product = n.wrapping_mul(m);
                let addend = self.addend(of) as u32;
                // MLA, MLS
                self.set(of.d, if one { addend.wrapping_sub(product) } else { addend.wrapping_add(product) });
            }
            1 => self.set_with_q(of.d, self.addend(of) + self.half(of.n, option) * self.half(of.m, one)),
            2 if !option => {
                let [low, high] = self.half_products(of, one);
                self.set_with_q(of.d, self.addend(of) + low + high);
            }
            3 if !option => {
                let product = (i64::from(n as i32) * self.half(of.m, one)) >> 16;
                self.set_with_q(of.d, self.addend(of) + product);
            }
            4 if !option => {
                let [low, high] = self.half_products(of, one);
                self.set_with_q(of.d, self.addend(of) + low - high);
            }
            kind @ (5 | 6) if !option => {
                let product = i64::from(n as i32) * i64::from(m as i32);
                let addend = self.addend(of) << 32;
                let sum = if kind == 5 { addend.wrapping_add(product) } else { addend.wrapping_sub(product) };
                let rounded = sum.wrapping_add(if one { 1 << 31 } else { 0 });
                self.set(of.d, (rounded >> 32) as u32);
            }
            7 if !option && !one => {
                let sum: u32 = n.to_le_bytes().iter().zip(m.to_le_bytes()).map(|(a, b)| u32::from(a.abs_diff(b))).sum();
                let addend = self.addend(of) as u32;
                self.set(of.d, addend.wrapping_add(sum));
            }
            _ => return Err(Fault::Undefined),
        }
        Ok(())
    }

    /// Long multiply, and divide.
    pub(crate) fn long_multiply(&mut self, first: u32, second: u32) -> ExecutionResult {
        let of = Operands::of(first, second);
        let (n, m) = (self.reg(of.n), self.reg(of.m));
        let signed = i64::from(n as i32).wrapping_mul(i64::from(m as i32)) as u64;
        let unsigned = u64::from(n) * u64::from(m);
        let addend = u64::from(self.reg(of.d)) << 32 | u64::from(self.reg(of.a));
        let two = second >> 4 & 15;
        let value = match (first >> 4 & 7, two) {
            (0, 0) => signed,
            (2, 0) => unsigned,
            (4, 0) => addend.wrapping_add(signed),
            (6, 0) => addend.wrapping_add(unsigned),
            (6, 6) => unsigned + (addend >> 32) + (addend & 0xffff_ffff),
            (4, 8..=11) => addend.wrapping_add((self.half(of.n, two & 2 != 0) * self.half(of.m, two & 1 != 0)) as u64),
            (kind @ (4 | 5), 12 | 13) => {
                let [low, high] = self.half_products(of, two & 1 != 0);
                addend.wrapping_add(if kind == 4 { low + high } else { low - high } as u64)
            }
            (kind @ (1 | 3), 15) => return self.divide(kind == 1, of),
            _ => return Err(Fault::Undefined),
        };
        self.set(of.a, value as u32);
        self.set(of.d, (value >> 32) as u32);
        Ok(())
    }

    /// SDIV, UDIV: round towards zero; division by zero gives 0, or a fault with `CCR.DIV_0_TRP`.
    fn divide(&mut self, signed: bool, of: Operands) -> ExecutionResult {
        let (n, m) = (self.reg(of.n), self.reg(of.m));
        if m == 0 && self.scs.has(ccr::DIV_0_TRP) {
            return Err(Fault::DivideByZero);
        }
        let value = match m {
            0 => 0,
            _ if signed => (n as i32).wrapping_div(m as i32) as u32,
            _ => n / m,
        };
        self.set(of.d, value);
        Ok(())
    }
}
