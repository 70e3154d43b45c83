//! Encodings for random programs: only what they consist of.

use intercore_sim::core::random::SplitMix64;

/// Random choices.
pub struct Dice(SplitMix64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64(seed))
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        (self.0.next_u64() % u64::from(end)) as u32
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u32) as usize]
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }
}

pub fn r_type(opcode: u32, funct3: u32, funct7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    opcode | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | funct7 << 25
}

pub fn i_type(opcode: u32, funct3: u32, rd: u32, rs1: u32, immediate: u32) -> u32 {
    opcode | rd << 7 | funct3 << 12 | rs1 << 15 | immediate << 20
}

pub fn store(funct3: u32, rs1: u32, rs2: u32, offset: u32) -> u32 {
    0x23 | (offset & 31) << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | (offset >> 5 & 127) << 25
}

pub fn branch(funct3: u32, rs1: u32, rs2: u32, by: i32) -> u32 {
    let by = by as u32;
    0x63 | (by >> 11 & 1) << 7
        | (by >> 1 & 15) << 8
        | funct3 << 12
        | rs1 << 15
        | rs2 << 20
        | (by >> 5 & 63) << 25
        | (by >> 12 & 1) << 31
}

pub fn jal(rd: u32, by: i32) -> u32 {
    let by = by as u32;
    0x6f | rd << 7 | (by >> 12 & 255) << 12 | (by >> 11 & 1) << 20 | (by >> 1 & 1023) << 21 | (by >> 20 & 1) << 31
}

pub fn addi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i_type(0x13, 0, rd, rs1, immediate as u32 & 0xfff)
}

pub fn lui(rd: u32, value: u32) -> u32 {
    0x37 | rd << 7 | value & 0xffff_f000
}

/// `csrrw` (1), `csrrs` (2), `csrrc` (3), and with 4 added those whose operand is a number.
pub fn csr(funct3: u32, rd: u32, number: u32, rs1: u32) -> u32 {
    i_type(0x73, funct3, rd, rs1, number)
}

pub fn c_branch(if_zero: bool, rs1: u32, by: i32) -> u16 {
    let by = by as u32;
    let code = if if_zero { 0xc001 } else { 0xe001 };
    (code
        | (by >> 8 & 1) << 12
        | (by >> 3 & 3) << 10
        | (rs1 & 7) << 7
        | (by >> 6 & 3) << 5
        | (by >> 1 & 3) << 3
        | (by >> 5 & 1) << 2) as u16
}

pub fn c_j(by: i32) -> u16 {
    let by = by as u32;
    (0xa001
        | (by >> 11 & 1) << 12
        | (by >> 4 & 1) << 11
        | (by >> 8 & 3) << 9
        | (by >> 10 & 1) << 8
        | (by >> 6 & 1) << 7
        | (by >> 7 & 1) << 6
        | (by >> 1 & 7) << 3
        | (by >> 5 & 1) << 2) as u16
}
