//! Zcmp: instructions of 16 bits that the core executes as a sequence of others (RP2350 datasheet 3.8.1.16).

use crate::core::access::Width;
use crate::isa::hazard3::op::{Alu, Base, Jump, Memory, Op};

const RA: u8 = 1;
const SP: u8 = 2;
const A0: u8 = 10;
const A1: u8 = 11;

/// Steps behind the registers: `a0` is cleared, the core jumps to `ra`, the stack pointer moves.
const CLEAR_A0: u8 = 13;
const RETURN: u8 = 14;
const MOVE_SP: u8 = 15;

/// A step of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it does.
    pub op: Op,
    /// Number of the next one; 0 if this is the last.
    pub next: u8,
    /// No interrupt is taken before it: once the step before it is done, this one will be.
    pub is_atomic: bool,
    /// The address of the instruction stays.
    pub keeps_pc: bool,
}

impl Step {
    /// Whether it is the last one.
    pub fn is_last(&self) -> bool {
        self.next == 0
    }
}

/// One of `s0` to `s7`.
fn saved(half: u16, low: u32) -> u8 {
    let number = (half >> low & 7) as u8;
    number + if number < 2 { 8 } else { 16 }
}

/// The register that the step of a number loads or stores: `ra`, `s0`, `s1`, then `s2` on.
fn register(step: u8) -> u8 {
    match step {
        0 => RA,
        1 => 8,
        2 => 9,
        _ => step + 15,
    }
}

fn add(rd: u8, rs1: u8, immediate: u32) -> Op {
    Op { rd, rs1, alu: Alu::Add, immediate: Some(immediate), ..Op::NOP }
}

/// Step `number` of the sequence of a halfword, if it has one.
pub fn step(half: u16, number: u8) -> Option<Step> {
    match half >> 8 {
        0xb8 | 0xba | 0xbc | 0xbe if half & 3 == 2 => push_or_pop(half, number),
        _ if half & 0xfc63 == 0xac22 => Some(moves([(saved(half, 7), A0), (saved(half, 2), A1)], number)),
        _ if half & 0xfc63 == 0xac62 => Some(moves([(A0, saved(half, 7)), (A1, saved(half, 2))], number)),
        _ => None,
    }
}

fn moves(pairs: [(u8, u8); 2], number: u8) -> Step {
    let (rd, rs1) = pairs[usize::from(number & 1)];
    let first = number == 0;
    Step { op: add(rd, rs1, 0), next: u8::from(first), is_atomic: !first, keeps_pc: first }
}

fn push_or_pop(half: u16, number: u8) -> Option<Step> {
    let list = (half >> 4 & 15) as u8;
    let count = match list {
        0..=3 => return None,
        15 => 13,
        _ => list - 3,
    };
    let aligned = match list {
        15 => 0x40,
        12..=14 => 0x30,
        8..=11 => 0x20,
        _ => 0x10,
    };
    let adjust = aligned + u32::from(half >> 2 & 3) * 16;
    let pushes = half >> 8 == 0xb8;
    let last_moves = match half >> 8 {
        0xbc => CLEAR_A0,
        0xbe => RETURN,
        _ => MOVE_SP,
    };
    Some(match number {
        CLEAR_A0 => Step { op: add(A0, 0, 0), next: RETURN, is_atomic: false, keeps_pc: true },
        RETURN => {
            let op =
                Op { rs1: RA, from_pc: true, immediate: Some(2), jump: Jump::Always, base: Base::Register, ..Op::NOP };
            Step { op, next: MOVE_SP, is_atomic: last_moves == CLEAR_A0, keeps_pc: false }
        }
        MOVE_SP => {
            let by = if pushes { adjust.wrapping_neg() } else { adjust };
            let returns = last_moves != MOVE_SP;
            Step { op: add(SP, SP, by), next: 0, is_atomic: !pushes, keeps_pc: returns }
        }
        _ => {
            let below = u32::from(count - number.min(count)) * 4;
            let op = if pushes {
                let offset = below.wrapping_neg();
                Op {
                    rs1: SP,
                    rs2: register(number),
                    alu: Alu::Second,
                    memory: Memory::Store(Width::Word),
                    offset,
                    ..Op::NOP
                }
            } else {
                let memory = Memory::Load(Width::Word);
                Op { rs1: SP, rd: register(number), memory, offset: adjust.wrapping_sub(below), ..Op::NOP }
            };
            let next = if number + 1 == count { last_moves } else { number + 1 };
            Step { op, next, is_atomic: false, keeps_pc: true }
        }
    })
}
