//! The encodings of 16 bits: C and Zcb (The RISC-V Instruction Set Manual, volume I). Those of Zcmp are sequences of others.

use crate::core::access::Width;
use crate::isa::hazard3::op::{Alu, Base, Cause, Jump, Memory, Op};

const RA: u8 = 1;
const SP: u8 = 2;

fn bits(half: u32, low: u32, count: u32) -> u32 {
    half >> low & ((1 << count) - 1)
}

/// One of x8 to x15.
fn short(half: u32, low: u32) -> u8 {
    bits(half, low, 3) as u8 + 8
}

fn signed(value: u32, count: u32) -> u32 {
    ((value << (32 - count)) as i32 >> (32 - count)) as u32
}

/// The instruction of a halfword. None if there is none.
pub fn decode(half: u16) -> Option<Op> {
    let half = u32::from(half);
    match half & 3 {
        0 => quadrant0(half),
        1 => quadrant1(half),
        _ => quadrant2(half),
    }
}

fn load(rd: u8, rs1: u8, width: Width, offset: u32) -> Op {
    Op { rd, rs1, memory: Memory::Load(width), offset, ..Op::NOP }
}

fn store(rs2: u8, rs1: u8, width: Width, offset: u32) -> Op {
    Op { rs1, rs2, alu: Alu::Second, memory: Memory::Store(width), offset, ..Op::NOP }
}

fn jump(rd: u8, base: Base, rs1: u8, offset: u32) -> Op {
    Op { rd, rs1, from_pc: true, immediate: Some(2), jump: Jump::Always, base, offset, ..Op::NOP }
}

fn with_immediate(alu: Alu, rd: u8, rs1: u8, immediate: u32) -> Op {
    Op { rd, rs1, alu, immediate: Some(immediate), ..Op::NOP }
}

fn quadrant0(half: u32) -> Option<Op> {
    let (low, base) = (short(half, 2), short(half, 7));
    let word = bits(half, 10, 3) << 3 | bits(half, 6, 1) << 2 | bits(half, 5, 1) << 6;
    match half >> 13 {
        0 if half != 0 => {
            let by = bits(half, 7, 4) << 6 | bits(half, 11, 2) << 4 | bits(half, 5, 1) << 3 | bits(half, 6, 1) << 2;
            Some(with_immediate(Alu::Add, low, SP, by))
        }
        2 => Some(load(low, base, Width::Word, word)),
        6 => Some(store(low, base, Width::Word, word)),
        4 => {
            let (byte, at_half) = (bits(half, 6, 1) | bits(half, 5, 1) << 1, bits(half, 5, 1) << 1);
            match (bits(half, 10, 3), bits(half, 6, 1)) {
                (0, _) => Some(load(low, base, Width::Byte, byte)),
                (1, 0) => Some(load(low, base, Width::Half, at_half)),
                (1, _) => Some(load(low, base, Width::SignedHalf, at_half)),
                (2, _) => Some(store(low, base, Width::Byte, byte)),
                (3, 0) => Some(store(low, base, Width::Half, at_half)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn quadrant1(half: u32) -> Option<Op> {
    let rd = bits(half, 7, 5) as u8;
    let immediate = signed(bits(half, 12, 1) << 5 | bits(half, 2, 5), 6);
    match half >> 13 {
        0 => Some(with_immediate(Alu::Add, rd, rd, immediate)),
        1 => Some(jump(RA, Base::Pc, 0, jump_offset(half))),
        2 => Some(with_immediate(Alu::Add, rd, 0, immediate)),
        3 if immediate == 0 => None,
        3 if rd == SP => {
            let by = bits(half, 12, 1) << 9
                | bits(half, 3, 2) << 7
                | bits(half, 5, 1) << 6
                | bits(half, 2, 1) << 5
                | bits(half, 6, 1) << 4;
            Some(with_immediate(Alu::Add, SP, SP, signed(by, 10)))
        }
        3 => Some(with_immediate(Alu::Second, rd, 0, immediate << 12)),
        4 => arithmetic(half, immediate),
        5 => Some(jump(0, Base::Pc, 0, jump_offset(half))),
        taken_if => Some(Op {
            rs1: short(half, 7),
            alu: Alu::Sub,
            jump: Jump::If(taken_if == 7),
            base: Base::Pc,
            offset: branch_offset(half),
            ..Op::NOP
        }),
    }
}

fn jump_offset(half: u32) -> u32 {
    let offset = bits(half, 12, 1) << 11
        | bits(half, 8, 1) << 10
        | bits(half, 9, 2) << 8
        | bits(half, 6, 1) << 7
        | bits(half, 7, 1) << 6
        | bits(half, 2, 1) << 5
        | bits(half, 11, 1) << 4
        | bits(half, 3, 3) << 1;
    signed(offset, 12)
}

fn branch_offset(half: u32) -> u32 {
    let offset = bits(half, 12, 1) << 8
        | bits(half, 5, 2) << 6
        | bits(half, 2, 1) << 5
        | bits(half, 10, 2) << 3
        | bits(half, 3, 2) << 1;
    signed(offset, 9)
}

fn arithmetic(half: u32, immediate: u32) -> Option<Op> {
    let (rd, rs2) = (short(half, 7), short(half, 2));
    let is_long_shift = bits(half, 12, 1) != 0;
    match bits(half, 10, 2) {
        0 if !is_long_shift => return Some(with_immediate(Alu::Srl, rd, rd, immediate)),
        1 if !is_long_shift => return Some(with_immediate(Alu::Sra, rd, rd, immediate)),
        2 => return Some(with_immediate(Alu::And, rd, rd, immediate)),
        3 => {}
        _ => return None,
    }
    let two = |alu| Some(Op { rd, rs1: rd, rs2, alu, ..Op::NOP });
    let one = |alu| Some(Op { rd, rs1: rd, alu, ..Op::NOP });
    match (is_long_shift, bits(half, 5, 2), bits(half, 2, 3)) {
        (false, 0, _) => two(Alu::Sub),
        (false, 1, _) => two(Alu::Xor),
        (false, 2, _) => two(Alu::Or),
        (false, 3, _) => two(Alu::And),
        (true, 2, _) => two(Alu::Mul),
        (true, 3, 0) => Some(with_immediate(Alu::And, rd, rd, 0xff)),
        (true, 3, 1) => one(Alu::SextB),
        (true, 3, 2) => one(Alu::ZextH),
        (true, 3, 3) => one(Alu::SextH),
        (true, 3, 5) => Some(with_immediate(Alu::Xor, rd, rd, u32::MAX)),
        _ => None,
    }
}

fn quadrant2(half: u32) -> Option<Op> {
    let (rd, rs2) = (bits(half, 7, 5) as u8, bits(half, 2, 5) as u8);
    let is_second = bits(half, 12, 1) != 0;
    match half >> 13 {
        0 if !is_second => Some(with_immediate(Alu::Sll, rd, rd, u32::from(rs2))),
        2 if rd != 0 => {
            let offset = bits(half, 2, 2) << 6 | bits(half, 12, 1) << 5 | bits(half, 4, 3) << 2;
            Some(load(rd, SP, Width::Word, offset))
        }
        4 => match (is_second, rd, rs2) {
            (false, 0, 0) => None,
            (false, _, 0) => Some(jump(0, Base::Register, rd, 0)),
            (false, ..) => Some(Op { rs2, rd, ..Op::NOP }),
            (true, 0, 0) => Some(Op::trap(Cause::Breakpoint)),
            (true, _, 0) => Some(jump(RA, Base::Register, rd, 0)),
            (true, ..) => Some(Op { rd, rs1: rd, rs2, ..Op::NOP }),
        },
        6 => Some(store(rs2, SP, Width::Word, bits(half, 7, 2) << 6 | bits(half, 9, 4) << 2)),
        _ => None,
    }
}
