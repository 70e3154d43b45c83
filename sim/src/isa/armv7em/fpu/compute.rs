//! Data processing with floating-point registers (A6.4).

use crate::isa::armv7em::bus::Bus;
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::float::arithmetic::{add, divide, fused_multiply_add, multiply, square_root, subtract};
use crate::isa::armv7em::float::compare::{compare, min_max};
use crate::isa::armv7em::float::convert::{Fixed, from_fixed, to_fixed, to_format};
use crate::isa::armv7em::float::round::round_to_integral;
use crate::isa::armv7em::float::{Format, Rounding};
use crate::isa::armv7em::fpu::Fpu;
use crate::isa::armv7em::fpu::decode::{Decoded, Operation, decode};
use crate::isa::armv7em::{ExecutionResult, Processor};

impl Processor {
    pub(super) fn compute_float(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let decoded = decode(first, second, self.model.double_precision).ok_or(Fault::Undefined)?;
        self.use_float(bus)?;
        let value = match decoded.operation {
            Operation::Select { condition } => {
                let chosen = if self.flags.condition_passed(condition) { decoded.n } else { decoded.m };
                Some(self.fpu.get(chosen.double, chosen.number))
            }
            _ => self.fpu.compute(decoded),
        };
        if let Some(value) = value {
            self.fpu.put(decoded.d.double, decoded.d.number, value);
        }
        Ok(())
    }
}

impl Fpu {
    /// The result; None for a comparison, which sets the flags in FPSCR.
    fn compute(&mut self, decoded: Decoded) -> Option<u64> {
        let Decoded { operation, double, d, n, m } = decoded;
        let format = if double { Format::DOUBLE } else { Format::SINGLE };
        let [old, a, b] = [d, n, m].map(|register| self.get(register.double, register.number));
        let negated_if = |negates: bool, bits: u64| if negates { format.negate(bits) } else { bits };
        let status = &mut self.status;
        Some(match operation {
            Operation::MultiplyAccumulate { negates_addend, negates_product } => {
                let product = multiply(format, a, b, status);
                add(format, negated_if(negates_addend, old), negated_if(negates_product, product), status)
            }
            Operation::Fused { negates_addend, negates_product } => {
                fused_multiply_add(format, negated_if(negates_addend, old), negated_if(negates_product, a), b, status)
            }
            Operation::Multiply { negates } => negated_if(negates, multiply(format, a, b, status)),
            Operation::Add => add(format, a, b, status),
            Operation::Subtract => subtract(format, a, b, status),
            Operation::Divide => divide(format, a, b, status),
            Operation::Immediate(bits) => expand_immediate(double, bits),
            Operation::Move => b,
            Operation::Absolute => format.absolute(b),
            Operation::Negate => format.negate(b),
            Operation::SquareRoot => square_root(format, b, status),
            Operation::Compare { with_zero, signals } => {
                let other = if with_zero { 0 } else { b };
                let flags = compare(format, old, other, signals, status);
                status.0 = status.0 & 0x0fff_ffff | flags << 28;
                return None;
            }
            Operation::RoundToIntegral { rounding, exact } => {
                round_to_integral(format, b, rounding.unwrap_or(status.rounding()), exact, status)
            }
            Operation::ConvertPrecision => {
                let to = if double { Format::SINGLE } else { Format::DOUBLE };
                to_format(format, to, b, status)
            }
            Operation::FromHalf { top } => to_format(Format::HALF, format, b >> (16 * u32::from(top)) & 0xffff, status),
            Operation::ToHalf { top } => {
                let half = to_format(format, Format::HALF, b, status);
                let place = 16 * u32::from(top);
                old & !(0xffff << place) | half << place
            }
            Operation::FromInteger { signed } => {
                from_fixed(format, b as u32, Fixed::integer(signed), status.rounding(), status)
            }
            Operation::ToInteger { signed, rounding } => {
                to_fixed(format, b, Fixed::integer(signed), rounding.unwrap_or(status.rounding()), status)
            }
            // Fixed-point conversions ignore RMode.
            Operation::FromFixed(fixed) => from_fixed(format, old as u32, fixed, Rounding::Nearest, status),
            Operation::ToFixed(fixed) => to_fixed(format, old, fixed, Rounding::Zero, status),
            Operation::MinMax { min } => min_max(format, a, b, min, status),
            Operation::Select { .. } => return None,
        })
    }
}

/// `VFPExpandImm` (A6.4): sign, three bits of exponent, four of fraction.
fn expand_immediate(double: bool, bits: u32) -> u64 {
    let bits = u64::from(bits);
    let (sign, high, low) = (bits >> 7, bits >> 6 & 1, bits & 0x3f);
    if double {
        sign << 63 | (high ^ 1) << 62 | (0xff * high) << 54 | low << 48
    } else {
        sign << 31 | (high ^ 1) << 30 | (0x1f * high) << 25 | low << 19
    }
}
