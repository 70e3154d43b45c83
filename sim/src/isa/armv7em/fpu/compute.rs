//! Data processing with floating-point registers (A6.4).

use crate::isa::armv7em::bus::Bus;
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::float::arithmetic::{
    add, compare, divide, fused_multiply_add, min_max, multiply, square_root,
};
use crate::isa::armv7em::float::convert::{Fixed, from_fixed, to_fixed, to_format};
use crate::isa::armv7em::float::round::round_to_integral;
use crate::isa::armv7em::float::{Format, Rounding, Status};
use crate::isa::armv7em::fpu::Register;
use crate::isa::armv7em::{ExecutionResult, Processor};

/// The destination and the result; None of a comparison, which sets the flags of FPSCR.
type FloatResult = Option<(Register, u64)>;

/// Conditions of VSEL: EQ, VS, GE, GT.
const SELECTED_BY: [u32; 4] = [0, 6, 10, 12];

fn format(double: bool) -> Format {
    if double { Format::DOUBLE } else { Format::SINGLE }
}

impl Processor {
    pub(super) fn compute_float(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let (double, unconditional) = (second & 0x100 != 0, first & 0x1000 != 0);
        if !self.model.double_precision && (double || unconditional) {
            return Err(Fault::Undefined);
        }
        // An UNDEFINED instruction neither saves a context nor starts one: so the result comes first.
        let mut status = self.status_in_context();
        let result = match (first & 0xb0 == 0xb0, unconditional) {
            (false, _) => self.three_registers(first, second, &mut status),
            (true, true) => self.round_directed(first, second, &mut status),
            (true, false) => self.two_registers(first, second, &mut status),
        };
        let result = result.ok_or(Fault::Undefined)?;
        self.use_float(bus)?;
        self.fpu.status = status;
        if let Some((register, value)) = result {
            self.fpu.put(register, value);
        }
        Ok(())
    }

    /// Operations on two or three operands; those that are unconditional are `FPv5`'s. None: UNDEFINED.
    fn three_registers(&self, first: u32, second: u32, status: &mut Status) -> Option<FloatResult> {
        let (double, six) = (second & 0x100 != 0, second & 0x40 != 0);
        let format = format(double);
        let d = Register::of(double, second >> 12, first >> 6)?;
        let a = self.fpu.get(Register::of(double, first, second >> 7)?);
        let b = self.fpu.get(Register::of(double, second, second >> 5)?);
        let old = self.fpu.get(d);
        let negated_if = |negates: bool, bits: u64| if negates { format.negate(bits) } else { bits };
        let value = match (first >> 12 & 1, first >> 7 & 1, first >> 4 & 3) {
            // VSEL
            (1, 0, condition) if !six => {
                if self.flags.condition_passed(SELECTED_BY[condition as usize]) {
                    a
                } else {
                    b
                }
            }
            // VMAXNM, VMINNM
            (1, 1, 0) => min_max(format, a, b, six, status),
            (1, ..) => return None,
            // VMLA, VMLS, VNMLS, VNMLA: two roundings.
            (_, 0, kind @ (0 | 1)) => {
                let product = multiply(format, a, b, status);
                add(format, negated_if(kind == 1, old), negated_if(six, product), false, status)
            }
            // VMUL, VNMUL
            (_, 0, 2) => negated_if(six, multiply(format, a, b, status)),
            // VADD, VSUB
            (_, 0, _) => add(format, a, b, six, status),
            (_, _, 0) if !six => divide(format, a, b, status),
            // VFNMS, VFNMA, VFMA, VFMS: one rounding.
            (_, _, kind @ (1 | 2)) => {
                fused_multiply_add(format, negated_if(kind == 1, old), negated_if(six, a), b, status)
            }
            _ => return None,
        };
        Some(Some((d, value)))
    }

    /// Operations on one operand. None: UNDEFINED.
    fn two_registers(&self, first: u32, second: u32, status: &mut Status) -> Option<FloatResult> {
        let (double, seven, fpv5) = (second & 0x100 != 0, second & 0x80 != 0, self.model.double_precision);
        let format = format(double);
        let rounding = if seven { Rounding::Zero } else { status.rounding() };
        let d = |double| Register::of(double, second >> 12, first >> 6);
        let m = |double| Register::of(double, second, second >> 5).map(|register| self.fpu.get(register));
        if second & 0x40 == 0 {
            return Some(Some((d(double)?, expand_immediate(double, (first & 15) << 4 | second & 15))));
        }
        Some(Some(match (first & 15, seven) {
            (0, false) => (d(double)?, m(double)?),
            (0, true) => (d(double)?, format.absolute(m(double)?)),
            (1, false) => (d(double)?, format.negate(m(double)?)),
            (1, true) => (d(double)?, square_root(format, m(double)?, status)),
            // VCVTB, VCVTT: half precision in the lower or upper half of a single register.
            (2, top) => {
                let half = m(false)? >> (16 * u32::from(top)) & 0xffff;
                (d(double)?, to_format(Format::HALF, format, half, status))
            }
            (3, top) => {
                let (d, half) = (d(false)?, to_format(format, Format::HALF, m(double)?, status));
                let place = 16 * u32::from(top);
                (d, self.fpu.get(d) & !(0xffff << place) | half << place)
            }
            // VCMP, VCMPE: with a register, or with zero.
            (kind @ (4 | 5), signals) => {
                let other = if kind == 4 { m(double)? } else { 0 };
                let flags = compare(format, self.fpu.get(d(double)?), other, signals, status);
                status.0 = status.0 & 0x0fff_ffff | flags << 28;
                return Some(None);
            }
            // VRINTR, VRINTZ
            (6, _) if fpv5 => (d(double)?, round_to_integral(format, m(double)?, rounding, false, status)),
            // VRINTX
            (7, false) if fpv5 => (d(double)?, round_to_integral(format, m(double)?, rounding, true, status)),
            (7, true) if fpv5 => (d(!double)?, to_format(format, self::format(!double), m(double)?, status)),
            // VCVT from and to an integer in a single register
            (8, signed) => {
                let value = from_fixed(format, m(false)? as u32, Fixed::integer(signed), status.rounding(), status);
                (d(double)?, value)
            }
            (kind @ (12 | 13), _) => {
                (d(false)?, to_fixed(format, m(double)?, Fixed::integer(kind == 13), rounding, status))
            }
            // VCVT from and to fixed point in the same register; RMode is ignored.
            (kind @ (10 | 11 | 14 | 15), word) => {
                let bits = if word { 32 } else { 16 };
                let fraction_bits = u32::checked_sub(bits, (second & 15) << 1 | second >> 5 & 1)?;
                let fixed = Fixed { bits, fraction_bits, signed: kind & 1 == 0 };
                let d = d(double)?;
                let old = self.fpu.get(d);
                let value = match kind & 4 {
                    0 => from_fixed(format, old as u32, fixed, Rounding::Nearest, status),
                    _ => to_fixed(format, old, fixed, Rounding::Zero, status),
                };
                (d, value)
            }
            _ => return None,
        }))
    }

    /// VRINTA to VRINTM, VCVTA to VCVTM of `FPv5`: the rounding mode is in the encoding. None: UNDEFINED.
    fn round_directed(&self, first: u32, second: u32, status: &mut Status) -> Option<FloatResult> {
        let double = second & 0x100 != 0;
        let rounding = [Rounding::Away, Rounding::Nearest, Rounding::Up, Rounding::Down][first as usize & 3];
        let m = self.fpu.get(Register::of(double, second, second >> 5)?);
        let (d_double, value) = match (first >> 2 & 3, second & 0xc0) {
            (2, 0x40) => (double, round_to_integral(format(double), m, rounding, false, status)),
            (3, signed @ (0x40 | 0xc0)) => {
                (false, to_fixed(format(double), m, Fixed::integer(signed == 0xc0), rounding, status))
            }
            _ => return None,
        };
        Some(Some((Register::of(d_double, second >> 12, first >> 6)?, value)))
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
