//! The Thumb encodings that ARMv6-M and ARMv7-M share (ARMv6-M Architecture Reference Manual, DDI 0419E, A5.2).

#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)] // an immediate is signed or not as its instruction says

pub mod decode;

use crate::core::access::Width;

/// What a 16-bit instruction does. Names are the manuals'; a suffix distinguishes encodings of one mnemonic.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    LslImm,
    LsrImm,
    AsrImm,
    AddReg,
    SubReg,
    AddImm,
    SubImm,
    MovImm,
    CmpImm,
    And,
    Eor,
    Lsl,
    Lsr,
    Asr,
    Adc,
    Sbc,
    Ror,
    Tst,
    Rsb,
    Cmp,
    Cmn,
    Orr,
    Mul,
    Bic,
    Mvn,
    AddHi,
    CmpHi,
    MovHi,
    AddPc,
    MovPc,
    Bx,
    Blx,
    LdrLiteral,
    LoadReg,
    LoadImm,
    StoreReg,
    StoreImm,
    Adr,
    AddSp,
    MoveSp,
    Sxth,
    Sxtb,
    Uxth,
    Uxtb,
    Push,
    Pop,
    PopPc,
    Stm,
    Ldm,
    Cps,
    Rev,
    Rev16,
    Revsh,
    Bkpt,
    Nop,
    Wfe,
    Wfi,
    Sev,
    Beq,
    Bne,
    Bcs,
    Bcc,
    Bmi,
    Bpl,
    Bvs,
    Bvc,
    Bhi,
    Bls,
    Bge,
    Blt,
    Bgt,
    Ble,
    B,
    Svc,
    Wide,
    Udf,
    /// Not an encoding: marks an entry of a decoded-code cache that is empty.
    Undecoded,
    /// Not an encoding: marks an instruction with a probe or breakpoint in a decoded-code cache.
    Watched,
}

/// A core register. An enumeration, so that indexing with it needs no bounds check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Reg {
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    R8,
    R9,
    R10,
    R11,
    R12,
    Sp,
    Lr,
    Pc,
}

impl Reg {
    /// The register of a 4-bit field; higher bits of `number` are ignored.
    pub const fn of(number: u16) -> Self {
        use Reg::{Lr, Pc, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Sp};
        [R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Sp, Lr, Pc][number as usize & 15]
    }
}

/// A decoded 16-bit instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// What to do.
    pub code: Code,
    /// Destination (or transferred) register.
    pub d: Reg,
    /// First operand.
    pub n: Reg,
    /// Second operand.
    pub m: Reg,
    /// Immediate, scaled as the instruction uses it; branch offset from PC (instruction address + 4); or register list.
    pub immediate: i16,
    /// Width of a load or store.
    pub width: Width,
}

const fn op(code: Code, d: u16, n: u16, m: u16, immediate: i32) -> Instruction {
    let (d, n, m) = (Reg::of(d), Reg::of(n), Reg::of(m));
    Instruction { code, d, n, m, immediate: immediate as i16, width: Width::Word }
}

const fn transfer(width: Width, code: Code, d: u16, n: u16, m: u16, immediate: u16) -> Instruction {
    Instruction { width, ..op(code, d, n, m, immediate as i32) }
}

/// Decodes one halfword (A5.2, table A5-1). Those that begin a 32-bit instruction give `Wide`.
pub const fn decode(half: u16) -> Instruction {
    match half >> 11 {
        0..=7 => shift_add_move(half),
        8 if half & 0x400 == 0 => op(data_processing(half), half & 7, half & 7, half >> 3 & 7, 0),
        8 => special(half),
        9 => op(Code::LdrLiteral, half >> 8 & 7, 15, 0, (half as i32 & 0xff) * 4),
        10 | 11 => load_store_register(half),
        12..=19 => load_store_immediate(half),
        20 => op(Code::Adr, half >> 8 & 7, 15, 0, (half as i32 & 0xff) * 4),
        21 => op(Code::AddSp, half >> 8 & 7, 13, 0, (half as i32 & 0xff) * 4),
        22 | 23 => miscellaneous(half),
        24 => op(Code::Stm, 0, half >> 8 & 7, 0, half as i32 & 0xff),
        25 => op(Code::Ldm, 0, half >> 8 & 7, 0, half as i32 & 0xff),
        26 | 27 => op(conditional(half), 0, 0, 0, (half as u8 as i8 as i32) * 2),
        28 => op(Code::B, 0, 0, 0, ((half << 5) as i16 >> 4) as i32),
        _ => op(Code::Wide, 0, 0, 0, half as i16 as i32),
    }
}

const fn shift_add_move(half: u16) -> Instruction {
    let (d, n, imm5) = (half & 7, half >> 3 & 7, half as i32 >> 6 & 31);
    let (high, imm8) = (half >> 8 & 7, half as i32 & 0xff);
    match half >> 9 {
        0..=3 => op(Code::LslImm, d, 0, n, imm5),
        4..=7 => op(Code::LsrImm, d, 0, n, if imm5 == 0 { 32 } else { imm5 }),
        8..=11 => op(Code::AsrImm, d, 0, n, if imm5 == 0 { 32 } else { imm5 }),
        12 => op(Code::AddReg, d, n, half >> 6 & 7, 0),
        13 => op(Code::SubReg, d, n, half >> 6 & 7, 0),
        14 => op(Code::AddImm, d, n, 0, half as i32 >> 6 & 7),
        15 => op(Code::SubImm, d, n, 0, half as i32 >> 6 & 7),
        16..=19 => op(Code::MovImm, high, 0, 0, imm8),
        20..=23 => op(Code::CmpImm, 0, high, 0, imm8),
        24..=27 => op(Code::AddImm, high, high, 0, imm8),
        _ => op(Code::SubImm, high, high, 0, imm8),
    }
}

/// Data processing (A5.2.2).
const fn data_processing(half: u16) -> Code {
    use Code::{Adc, And, Asr, Bic, Cmn, Cmp, Eor, Lsl, Lsr, Mul, Mvn, Orr, Ror, Rsb, Sbc, Tst};
    [And, Eor, Lsl, Lsr, Asr, Adc, Sbc, Ror, Tst, Rsb, Cmp, Cmn, Orr, Mul, Bic, Mvn][(half >> 6 & 15) as usize]
}

/// Conditional branch, and supervisor call (A5.2.6).
const fn conditional(half: u16) -> Code {
    use Code::{Bcc, Bcs, Beq, Bge, Bgt, Bhi, Ble, Bls, Blt, Bmi, Bne, Bpl, Bvc, Bvs, Svc, Udf};
    [Beq, Bne, Bcs, Bcc, Bmi, Bpl, Bvs, Bvc, Bhi, Bls, Bge, Blt, Bgt, Ble, Udf, Svc][(half >> 8 & 15) as usize]
}

/// Special data instructions and branch and exchange (A5.2.3).
const fn special(half: u16) -> Instruction {
    let (d, m) = (half & 7 | half >> 4 & 8, half >> 3 & 15);
    match half >> 8 & 3 {
        0 if d == 15 => op(Code::AddPc, d, d, m, 0),
        0 => op(Code::AddHi, d, d, m, 0),
        1 => op(Code::CmpHi, 0, d, m, 0),
        2 if d == 15 => op(Code::MovPc, d, 0, m, 0),
        2 => op(Code::MovHi, d, 0, m, 0),
        _ if half & 7 != 0 => op(Code::Udf, 0, 0, 0, 0),
        _ if half & 0x80 == 0 => op(Code::Bx, 0, 0, m, 0),
        _ => op(Code::Blx, 0, 0, m, 0),
    }
}

const fn load_store_register(half: u16) -> Instruction {
    use Width::{Byte, Half, SignedByte, SignedHalf, Word};
    let operation = half as usize >> 9 & 7;
    let width = [Word, Half, Byte, SignedByte, Word, Half, Byte, SignedHalf][operation];
    let code = if operation < 3 { Code::StoreReg } else { Code::LoadReg };
    transfer(width, code, half & 7, half >> 3 & 7, half >> 6 & 7, 0)
}

const fn load_store_immediate(half: u16) -> Instruction {
    let code = if half & 0x800 == 0 { Code::StoreImm } else { Code::LoadImm };
    let (width, bytes) = match half >> 12 {
        6 => (Width::Word, 4),
        7 => (Width::Byte, 1),
        8 => (Width::Half, 2),
        _ => return transfer(Width::Word, code, half >> 8 & 7, 13, 0, (half & 0xff) * 4),
    };
    transfer(width, code, half & 7, half >> 3 & 7, 0, (half >> 6 & 31) * bytes)
}

/// Miscellaneous 16-bit instructions (A5.2.5).
const fn miscellaneous(half: u16) -> Instruction {
    let (d, m) = (half & 7, half >> 3 & 7);
    match half >> 5 & 0x7f {
        0..=3 => op(Code::MoveSp, 13, 13, 0, (half as i32 & 0x7f) * 4),
        4..=7 => op(Code::MoveSp, 13, 13, 0, -(half as i32 & 0x7f) * 4),
        0x10..=0x17 => op([Code::Sxth, Code::Sxtb, Code::Uxth, Code::Uxtb][(half >> 6 & 3) as usize], d, 0, m, 0),
        0x20..=0x2f => op(Code::Push, 0, 13, 0, half as i32 & 0xff | (half as i32 & 0x100) << 6),
        0x33 => op(Code::Cps, 0, 0, 0, half as i32 >> 4 & 1),
        0x50..=0x57 => op([Code::Rev, Code::Rev16, Code::Udf, Code::Revsh][(half >> 6 & 3) as usize], d, 0, m, 0),
        0x60..=0x67 => op(Code::Pop, 0, 13, 0, half as i32 & 0xff),
        0x68..=0x6f => op(Code::PopPc, 0, 13, 0, half as i32 & 0xff),
        0x70..=0x77 => op(Code::Bkpt, 0, 0, 0, half as i32 & 0xff),
        0x78..=0x7f => hint(half),
        _ => op(Code::Udf, 0, 0, 0, 0),
    }
}

/// Hints (A5.2.5, table A5-7); unallocated ones execute as NOP.
const fn hint(half: u16) -> Instruction {
    let code = match half & 0xff {
        0x20 => Code::Wfe,
        0x30 => Code::Wfi,
        0x40 => Code::Sev,
        other if other & 15 != 0 => Code::Udf,
        _ => Code::Nop,
    };
    op(code, 0, 0, 0, 0)
}

/// The branch offset of BL, and of B in ARMv7-M (encoding T4), from both halfwords: S:I1:I2:imm10:imm11:0.
pub(crate) fn bl_offset(first: u32, second: u32) -> u32 {
    let sign = first >> 10 & 1;
    let (i1, i2) = ((second >> 13 ^ sign ^ 1) & 1, (second >> 11 ^ sign ^ 1) & 1);
    let offset = sign << 24 | i1 << 23 | i2 << 22 | (first & 0x3ff) << 12 | (second & 0x7ff) << 1;
    ((offset << 7) as i32 >> 7) as u32
}
