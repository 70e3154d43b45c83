//! The encodings of 32 bits: RV32IMA, Zicsr, Zifencei, Zba, Zbb, Zbs, Zbkb (The RISC-V Instruction Set Manual, volume I), and
//! Hazard3's own (RP2350 datasheet 3.8.6).

use crate::core::access::Width;
use crate::isa::hazard3::op::{Alu, Base, Cause, Csr, CsrWrite, Hint, Jump, Memory, Op};

/// `fence.i`.
pub const FENCE_I: u32 = 0x0000_100f;

fn bits(word: u32, low: u32, count: u32) -> u32 {
    word >> low & ((1 << count) - 1)
}

fn signed(word: u32, count: u32) -> u32 {
    ((word << (32 - count)) as i32 >> (32 - count)) as u32
}

fn i_immediate(word: u32) -> u32 {
    signed(word >> 20, 12)
}

fn s_immediate(word: u32) -> u32 {
    signed(bits(word, 25, 7) << 5 | bits(word, 7, 5), 12)
}

fn b_immediate(word: u32) -> u32 {
    signed(bits(word, 31, 1) << 12 | bits(word, 7, 1) << 11 | bits(word, 25, 6) << 5 | bits(word, 8, 4) << 1, 13)
}

fn j_immediate(word: u32) -> u32 {
    signed(bits(word, 31, 1) << 20 | bits(word, 12, 8) << 12 | bits(word, 20, 1) << 11 | bits(word, 21, 10) << 1, 21)
}

/// The instruction of a word. None if there is none.
pub fn decode(word: u32) -> Option<Op> {
    let op = Op { rs1: bits(word, 15, 5) as u8, rs2: bits(word, 20, 5) as u8, rd: bits(word, 7, 5) as u8, ..Op::NOP };
    let funct3 = bits(word, 12, 3);
    match word & 0x7f {
        0x03 => load(op, word, funct3),
        0x0b => extract_bits(op, word, funct3),
        0x0f => fence(op, word, funct3),
        0x13 => immediate(op, word, funct3),
        0x17 => {
            let immediate = Some(word & 0xffff_f000);
            Some(Op { rs1: 0, rs2: 0, from_pc: true, immediate, ..op })
        }
        0x23 => store(op, word, funct3),
        0x2f => atomic(op, word, funct3),
        0x33 => register(op, word, funct3),
        0x37 => Some(Op { rs1: 0, rs2: 0, immediate: Some(word & 0xffff_f000), alu: Alu::Second, ..op }),
        0x63 => branch(op, word, funct3),
        0x67 if funct3 == 0 => {
            Some(Op { rs2: 0, from_pc: true, immediate: Some(4), jump: Jump::Always, offset: i_immediate(word), ..op })
        }
        0x6f => Some(Op {
            rs1: 0,
            rs2: 0,
            from_pc: true,
            immediate: Some(4),
            jump: Jump::Always,
            base: Base::Pc,
            offset: j_immediate(word),
            ..op
        }),
        0x73 => system(op, word, funct3),
        _ => None,
    }
}

fn load(op: Op, word: u32, funct3: u32) -> Option<Op> {
    let width = match funct3 {
        0 => Width::SignedByte,
        1 => Width::SignedHalf,
        2 => Width::Word,
        4 => Width::Byte,
        5 => Width::Half,
        _ => return None,
    };
    Some(Op { rs2: 0, memory: Memory::Load(width), offset: i_immediate(word), ..op })
}

fn store(op: Op, word: u32, funct3: u32) -> Option<Op> {
    let width = match funct3 {
        0 => Width::Byte,
        1 => Width::Half,
        2 => Width::Word,
        _ => return None,
    };
    Some(Op { rd: 0, alu: Alu::Second, memory: Memory::Store(width), offset: s_immediate(word), ..op })
}

fn branch(op: Op, word: u32, funct3: u32) -> Option<Op> {
    let (alu, taken_if) = match funct3 {
        0 => (Alu::Sub, false),
        1 => (Alu::Sub, true),
        4 => (Alu::Slt, true),
        5 => (Alu::Slt, false),
        6 => (Alu::Sltu, true),
        7 => (Alu::Sltu, false),
        _ => return None,
    };
    Some(Op { rd: 0, alu, jump: Jump::If(taken_if), base: Base::Pc, offset: b_immediate(word), ..op })
}

fn immediate(op: Op, word: u32, funct3: u32) -> Option<Op> {
    let unary = |alu| Some(Op { rs2: 0, alu, ..op });
    let alu = match (funct3, word >> 20) {
        (0, _) => Alu::Add,
        (2, _) => Alu::Slt,
        (3, _) => Alu::Sltu,
        (4, _) => Alu::Xor,
        (6, _) => Alu::Or,
        (7, _) => Alu::And,
        (1, 0x600) => return unary(Alu::Clz),
        (1, 0x601) => return unary(Alu::Ctz),
        (1, 0x602) => return unary(Alu::Cpop),
        (1, 0x604) => return unary(Alu::SextB),
        (1, 0x605) => return unary(Alu::SextH),
        (1, 0x08f) => return unary(Alu::Zip),
        (5, 0x08f) => return unary(Alu::Unzip),
        (5, 0x287) => return unary(Alu::OrcB),
        (5, 0x698) => return unary(Alu::Rev8),
        (5, 0x687) => return unary(Alu::Brev8),
        (1, _) => match word >> 25 {
            0x00 => Alu::Sll,
            0x24 => Alu::Bclr,
            0x34 => Alu::Binv,
            0x14 => Alu::Bset,
            _ => return None,
        },
        _ => match word >> 25 {
            0x00 => Alu::Srl,
            0x20 => Alu::Sra,
            0x30 => Alu::Ror,
            0x24 => Alu::Bext,
            _ => return None,
        },
    };
    Some(Op { rs2: 0, alu, immediate: Some(i_immediate(word)), ..op })
}

fn register(op: Op, word: u32, funct3: u32) -> Option<Op> {
    let alu = match (word >> 25, funct3) {
        (0x00, 0) => Alu::Add,
        (0x20, 0) => Alu::Sub,
        (0x00, 1) => Alu::Sll,
        (0x00, 2) => return Some(less_than(op)),
        (0x00, 3) => Alu::Sltu,
        (0x00, 4) => Alu::Xor,
        (0x00, 5) => Alu::Srl,
        (0x20, 5) => Alu::Sra,
        (0x00, 6) => Alu::Or,
        (0x00, 7) => Alu::And,
        (0x01, 0) => Alu::Mul,
        (0x01, 1) => Alu::Mulh,
        (0x01, 2) => Alu::Mulhsu,
        (0x01, 3) => Alu::Mulhu,
        (0x01, 4) => Alu::Div,
        (0x01, 5) => Alu::Divu,
        (0x01, 6) => Alu::Rem,
        (0x01, 7) => Alu::Remu,
        (0x10, 2) => Alu::ShiftAdd(1),
        (0x10, 4) => Alu::ShiftAdd(2),
        (0x10, 6) => Alu::ShiftAdd(3),
        (0x20, 7) => Alu::Andn,
        (0x20, 6) => Alu::Orn,
        (0x20, 4) => Alu::Xnor,
        (0x05, 4) => Alu::Min,
        (0x05, 5) => Alu::Minu,
        (0x05, 6) => Alu::Max,
        (0x05, 7) => Alu::Maxu,
        (0x30, 1) => Alu::Rol,
        (0x30, 5) => Alu::Ror,
        // `zext.h` is `pack` with x0, and the core decodes no second source.
        (0x04, 4) if op.rs2 == 0 => Alu::ZextH,
        (0x04, 4) => Alu::Pack,
        (0x04, 7) => Alu::Packh,
        (0x24, 1) => Alu::Bclr,
        (0x24, 5) => Alu::Bext,
        (0x34, 1) => Alu::Binv,
        (0x14, 1) => Alu::Bset,
        _ => return None,
    };
    Some(Op { alu, ..op })
}

/// `slt`; without a destination, two hints of Hazard3's (RP2350 datasheet 3.8.6.3).
fn less_than(op: Op) -> Op {
    let hint = match (op.rd, op.rs1, op.rs2) {
        (0, 0, 0) => Hint::Block,
        (0, 0, 1) => Hint::Unblock,
        _ => Hint::None,
    };
    Op { alu: Alu::Slt, hint, ..op }
}

/// `h3.bextm` and `h3.bextmi` (RP2350 datasheet 3.8.6.2).
fn extract_bits(op: Op, word: u32, funct3: u32) -> Option<Op> {
    if word >> 29 != 0 || bits(word, 25, 1) != 0 {
        return None;
    }
    let alu = Alu::ExtractBits(bits(word, 26, 3) as u8 + 1);
    match funct3 {
        0 => Some(Op { alu, ..op }),
        4 => Some(Op { rs2: 0, alu, immediate: Some(i_immediate(word)), ..op }),
        _ => None,
    }
}

fn fence(op: Op, word: u32, funct3: u32) -> Option<Op> {
    match funct3 {
        0 if op.rd == 0 && op.rs1 == 0 => Some(Op { rs2: 0, ..op }),
        1 if word == FENCE_I => Some(Op { jump: Jump::Always, base: Base::Pc, offset: 4, ..Op::NOP }),
        _ => None,
    }
}

fn atomic(op: Op, word: u32, funct3: u32) -> Option<Op> {
    if funct3 != 2 {
        return None;
    }
    let alu = match word >> 27 {
        0x02 if op.rs2 == 0 => return Some(Op { memory: Memory::LoadReserved, ..op }),
        0x03 => return Some(Op { alu: Alu::Second, memory: Memory::StoreConditional, ..op }),
        0x00 => Alu::Add,
        0x01 => Alu::Second,
        0x04 => Alu::Xor,
        0x08 => Alu::Or,
        0x0c => Alu::And,
        0x10 => Alu::Min,
        0x14 => Alu::Max,
        0x18 => Alu::Minu,
        0x1c => Alu::Maxu,
        _ => return None,
    };
    Some(Op { alu, memory: Memory::Amo, ..op })
}

fn system(op: Op, word: u32, funct3: u32) -> Option<Op> {
    match word {
        0x0000_0073 => return Some(Op::trap(Cause::CallFromMachine)),
        0x0010_0073 => return Some(Op::trap(Cause::Breakpoint)),
        0x3020_0073 => return Some(Op::trap(Cause::Return)),
        0x1050_0073 => return Some(Op { hint: Hint::Wfi, ..Op::NOP }),
        _ => {}
    }
    let how = match funct3 & 3 {
        0 => return None,
        1 => CsrWrite::Write,
        2 => CsrWrite::Set,
        _ => CsrWrite::Clear,
    };
    let plain = how == CsrWrite::Write;
    let csr = Csr {
        number: (word >> 20) as u16,
        reads: !plain || op.rd != 0,
        writes: plain || op.rs1 != 0,
        how,
        immediate: funct3 & 4 != 0,
    };
    // The hazard detection takes what stands where registers stand for registers.
    Some(Op { csr: Some(csr), ..op })
}
