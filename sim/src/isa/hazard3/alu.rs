//! Results of operations.

use crate::isa::hazard3::op::Alu;

/// The result of an operation.
#[inline]
pub fn compute(alu: Alu, a: u32, b: u32) -> u32 {
    let (signed_a, signed_b) = (a as i32, b as i32);
    let shift = b & 31;
    match alu {
        Alu::Add => a.wrapping_add(b),
        Alu::Sub => a.wrapping_sub(b),
        Alu::Slt => u32::from(signed_a < signed_b),
        Alu::Sltu => u32::from(a < b),
        Alu::And => a & b,
        Alu::Or => a | b,
        Alu::Xor => a ^ b,
        Alu::Sll => a << shift,
        Alu::Srl => a >> shift,
        Alu::Sra => (signed_a >> shift) as u32,
        Alu::Second => b,
        Alu::ShiftAdd(by) => (a << by).wrapping_add(b),
        Alu::Andn => a & !b,
        Alu::Orn => a | !b,
        Alu::Xnor => !(a ^ b),
        Alu::Clz => a.leading_zeros(),
        Alu::Ctz => a.trailing_zeros(),
        Alu::Cpop => a.count_ones(),
        Alu::Max => signed_a.max(signed_b) as u32,
        Alu::Maxu => a.max(b),
        Alu::Min => signed_a.min(signed_b) as u32,
        Alu::Minu => a.min(b),
        Alu::OrcB => u32::from_le_bytes(a.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 0xff })),
        Alu::Rev8 => a.swap_bytes(),
        Alu::Rol => a.rotate_left(shift),
        Alu::Ror => a.rotate_right(shift),
        Alu::SextB => a as i8 as u32,
        Alu::SextH => a as i16 as u32,
        Alu::ZextH => a & 0xffff,
        Alu::Bclr => a & !(1 << shift),
        Alu::Bext => a >> shift & 1,
        Alu::Binv => a ^ 1 << shift,
        Alu::Bset => a | 1 << shift,
        Alu::Pack => a & 0xffff | b << 16,
        Alu::Packh => a & 0xff | (b & 0xff) << 8,
        Alu::Brev8 => u32::from_le_bytes(a.to_le_bytes().map(u8::reverse_bits)),
        Alu::Zip => (0..16).map(|i| (a >> i & 1) << (2 * i) | (a >> (16 + i) & 1) << (2 * i + 1)).sum(),
        Alu::Unzip => (0..16).map(|i| (a >> (2 * i) & 1) << i | (a >> (2 * i + 1) & 1) << (16 + i)).sum(),
        Alu::ExtractBits(count) => a >> shift & ((1 << count) - 1),
        Alu::Mul => a.wrapping_mul(b),
        Alu::Mulh => ((i64::from(signed_a) * i64::from(signed_b)) >> 32) as u32,
        Alu::Mulhsu => ((i64::from(signed_a) * i64::from(b)) >> 32) as u32,
        Alu::Mulhu => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Alu::Div if b == 0 => u32::MAX,
        Alu::Div => signed_a.wrapping_div(signed_b) as u32,
        Alu::Divu => a.checked_div(b).unwrap_or(u32::MAX),
        Alu::Rem if b == 0 => a,
        Alu::Rem => signed_a.wrapping_rem(signed_b) as u32,
        Alu::Remu => a.checked_rem(b).unwrap_or(a),
    }
}

/// Whether the comparison of a branch holds: unequal, or less than.
pub fn compare(alu: Alu, a: u32, b: u32) -> bool {
    match alu {
        Alu::Sub => a != b,
        Alu::Slt => (a as i32) < b as i32,
        _ => a < b,
    }
}

/// Cycles that the divider takes, from the one in which it gets its operands to the one in which its result is taken.
///
/// It works on magnitudes, two bits a cycle (`MULDIV_UNROLL` is 2 in the RP2350, datasheet 3.8.8), and takes a cycle more where a
/// negative dividend is negated. The datasheet's table says 18 and 19 (3.8.7.2); the RTL takes 19 and 20.
pub fn division_cycles(alu: Alu, dividend: u32) -> u32 {
    let is_negative = matches!(alu, Alu::Div | Alu::Rem) && (dividend as i32) < 0;
    19 + u32::from(is_negative)
}
