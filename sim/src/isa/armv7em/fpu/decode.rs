//! Decoding of floating-point data processing (A6.4).

use crate::isa::armv7em::float::Rounding;
use crate::isa::armv7em::float::convert::Fixed;

/// A single or double register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Register {
    pub(super) double: bool,
    pub(super) number: u32,
}

impl Register {
    /// A register from its 4-bit field and the extra bit. None: D16 to D31, which FPv5-D16 has not.
    pub(super) fn of(double: bool, field: u32, bit: u32) -> Option<Self> {
        match (double, bit & 1) {
            (true, 1) => None,
            (true, _) => Some(Self { double, number: field & 15 }),
            (false, bit) => Some(Self { double, number: (field & 15) << 1 | bit }),
        }
    }
}

/// An operation with its variant.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    /// VMLA, VMLS, VNMLA, VNMLS: two roundings.
    MultiplyAccumulate {
        negates_addend: bool,
        negates_product: bool,
    },
    /// VFMA, VFMS, VFNMA, VFNMS: one rounding.
    Fused {
        negates_addend: bool,
        negates_product: bool,
    },
    /// VMUL, VNMUL.
    Multiply {
        negates: bool,
    },
    Add,
    Subtract,
    Divide,
    Immediate(u32),
    Move,
    Absolute,
    Negate,
    SquareRoot,
    /// VCMP, VCMPE.
    Compare {
        with_zero: bool,
        signals: bool,
    },
    /// VRINT; None: by FPSCR.RMode.
    RoundToIntegral {
        rounding: Option<Rounding>,
        exact: bool,
    },
    /// VCVT between single and double.
    ConvertPrecision,
    /// VCVTB, VCVTT: half precision in the lower or upper half of a single register.
    FromHalf {
        top: bool,
    },
    ToHalf {
        top: bool,
    },
    /// To and from an integer in a single register; None: by FPSCR.RMode.
    FromInteger {
        signed: bool,
    },
    ToInteger {
        signed: bool,
        rounding: Option<Rounding>,
    },
    /// To and from fixed point in the same register.
    FromFixed(Fixed),
    ToFixed(Fixed),
    /// VSEL.
    Select {
        condition: u32,
    },
    /// VMAXNM, VMINNM.
    MinMax {
        min: bool,
    },
}

/// An operation and its registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decoded {
    pub(super) operation: Operation,
    /// Double precision.
    pub(super) double: bool,
    pub(super) d: Register,
    pub(super) n: Register,
    pub(super) m: Register,
}

/// Decodes both halfwords. `fpv5`: with double precision and the instructions of `FPv5`.
pub(super) fn decode(first: u32, second: u32, fpv5: bool) -> Option<Decoded> {
    let double = second & 0x100 != 0;
    let unconditional = first & 0x1000 != 0;
    if !fpv5 && (double || unconditional) {
        return None;
    }
    let operation =
        if unconditional { unconditional_operation(first, second) } else { operation(first, second, fpv5) }?;
    let [mut d_double, mut m_double] = [double; 2];
    match operation {
        Operation::ConvertPrecision => d_double = !double,
        Operation::FromHalf { .. } | Operation::FromInteger { .. } => m_double = false,
        Operation::ToHalf { .. } | Operation::ToInteger { .. } => d_double = false,
        _ => {}
    }
    let d = Register::of(d_double, second >> 12, first >> 6)?;
    // In these the field of `m` is part of an immediate or of the opcode.
    let has_m = !matches!(
        operation,
        Operation::Immediate(_)
            | Operation::FromFixed(_)
            | Operation::ToFixed(_)
            | Operation::Compare { with_zero: true, .. }
    );
    let m = if has_m { Register::of(m_double, second, second >> 5)? } else { d };
    let n = if first & 0xb0 == 0xb0 { d } else { Register::of(double, first, second >> 7)? };
    Some(Decoded { operation, double, d, n, m })
}

fn operation(first: u32, second: u32, fpv5: bool) -> Option<Operation> {
    let six = second & 0x40 != 0;
    Some(match (first >> 7 & 1, first >> 4 & 3) {
        (0, 0) => Operation::MultiplyAccumulate { negates_addend: false, negates_product: six },
        (0, 1) => Operation::MultiplyAccumulate { negates_addend: true, negates_product: six },
        (0, 2) => Operation::Multiply { negates: six },
        (0, _) if six => Operation::Subtract,
        (0, _) => Operation::Add,
        (_, 0) if !six => Operation::Divide,
        (_, 1) => Operation::Fused { negates_addend: true, negates_product: six },
        (_, 2) => Operation::Fused { negates_addend: false, negates_product: six },
        (_, 3) if !six => Operation::Immediate((first & 15) << 4 | second & 15),
        (_, 3) => return other(first, second, fpv5),
        _ => return None,
    })
}

/// Operations on one register (A6.4).
fn other(first: u32, second: u32, fpv5: bool) -> Option<Operation> {
    let seven = second & 0x80 != 0;
    Some(match (first & 15, seven) {
        (0, false) => Operation::Move,
        (0, true) => Operation::Absolute,
        (1, false) => Operation::Negate,
        (1, true) => Operation::SquareRoot,
        (2, top) => Operation::FromHalf { top },
        (3, top) => Operation::ToHalf { top },
        (4, signals) => Operation::Compare { with_zero: false, signals },
        (5, signals) => Operation::Compare { with_zero: true, signals },
        (6, false) if fpv5 => Operation::RoundToIntegral { rounding: None, exact: false },
        (6, true) if fpv5 => Operation::RoundToIntegral { rounding: Some(Rounding::Zero), exact: false },
        (7, false) if fpv5 => Operation::RoundToIntegral { rounding: None, exact: true },
        (7, true) if fpv5 => Operation::ConvertPrecision,
        (8, signed) => Operation::FromInteger { signed },
        (12 | 13, to_zero) => {
            Operation::ToInteger { signed: first & 1 != 0, rounding: to_zero.then_some(Rounding::Zero) }
        }
        (10 | 11 | 14 | 15, word) => {
            let bits = if word { 32 } else { 16 };
            let fraction_bits = u32::checked_sub(bits, (second & 15) << 1 | second >> 5 & 1)?;
            let fixed = Fixed { bits, fraction_bits, signed: first & 1 == 0 };
            if first & 4 == 0 { Operation::FromFixed(fixed) } else { Operation::ToFixed(fixed) }
        }
        _ => return None,
    })
}

/// Conditions of VSEL: EQ, VS, GE, GT.
const SELECTED_BY: [u32; 4] = [0, 6, 10, 12];

/// Instructions added with `FPv5`.
fn unconditional_operation(first: u32, second: u32) -> Option<Operation> {
    let six = second & 0x40 != 0;
    let rounding = [Rounding::Away, Rounding::Nearest, Rounding::Up, Rounding::Down][first as usize & 3];
    Some(match (first >> 7 & 1, first >> 4 & 3) {
        (0, condition) if !six => Operation::Select { condition: SELECTED_BY[condition as usize] },
        (1, 0) => Operation::MinMax { min: six },
        (1, 3) if first & 0xc == 8 && second & 0xc0 == 0x40 => {
            Operation::RoundToIntegral { rounding: Some(rounding), exact: false }
        }
        (1, 3) if first & 0xc == 0xc && six => {
            Operation::ToInteger { signed: second & 0x80 != 0, rounding: Some(rounding) }
        }
        _ => return None,
    })
}
