//! From a 16-bit halfword to what it does: one table of all 65536, made at compile time.
//!
//! A table indexed by the halfword itself needs no invalidation when code is written, so that self-modifying code, loaders
//! and flash behave without a second mechanism. Encodings: ARMv6-M Architecture Reference Manual (DDI 0419E), A5.2.

use crate::core::access::Width;
use crate::core::bus::Slave;

/// What a 16-bit instruction does. Names are those of the manual; a suffix tells forms of the same name apart.
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
    /// Memory that was not decoded yet, in `CodeCache` only.
    Undecoded,
    /// An instruction whose execution somebody watches, whatever it is, in `CodeCache` only.
    Watched,
}

impl Code {
    /// Whether it is a branch, taken or not, to a place that its immediate says.
    pub(crate) fn branches_directly(self) -> bool {
        (Code::Beq as u8..=Code::B as u8).contains(&(self as u8))
    }

    /// Whether it is more than registers, one access, or a direct branch: what `execute` calls rare.
    pub(crate) fn is_rare(self) -> bool {
        use Code::{
            AddPc, Bkpt, Blx, Bx, Cps, Ldm, MovPc, Pop, PopPc, Push, Sev, Stm, Svc, Udf, Undecoded, Watched, Wfe, Wfi,
            Wide,
        };
        matches!(
            self,
            AddPc
                | MovPc
                | Bx
                | Blx
                | Push
                | Pop
                | PopPc
                | Stm
                | Ldm
                | Cps
                | Bkpt
                | Wfe
                | Wfi
                | Sev
                | Svc
                | Wide
                | Udf
                | Undecoded
                | Watched
        )
    }

    /// Whether it is a branch without anything else to do, taken or not.
    pub(crate) fn branches(self) -> bool {
        self.branches_directly() || matches!(self, Code::Bx | Code::Blx | Code::MovPc | Code::AddPc | Code::PopPc)
    }
}

/// A core register. An enumeration, since an index made of it needs no check.
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
    const ALL: [Self; 16] = [
        Self::R0,
        Self::R1,
        Self::R2,
        Self::R3,
        Self::R4,
        Self::R5,
        Self::R6,
        Self::R7,
        Self::R8,
        Self::R9,
        Self::R10,
        Self::R11,
        Self::R12,
        Self::Sp,
        Self::Lr,
        Self::Pc,
    ];

    /// The register of a number from 0 to 15, of which only the low four bits count.
    #[must_use]
    pub const fn of(number: u16) -> Self {
        Self::ALL[number as usize & 15]
    }
}

/// A decoded instruction; `immediate` is scaled as the instruction uses it.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// What to do.
    pub code: Code,
    /// Destination (or transferred) register.
    pub d: Reg,
    /// First operand.
    pub n: Reg,
    /// Second operand.
    pub m: Reg,
    /// Immediate, branch offset from PC (instruction address + 4), or register list.
    pub immediate: i16,
    /// Width of a load or store.
    pub width: Width,
    /// Whom the last cycle asks for the next word; `Internal` if none is due, or if the place is not known.
    pub fetch: Slave,
}

const fn op(code: Code, d: u16, n: u16, m: u16, immediate: i32) -> Op {
    let (d, n, m) = (Reg::of(d), Reg::of(n), Reg::of(m));
    Op { code, d, n, m, immediate: immediate as i16, width: Width::Word, fetch: Slave::INTERNAL }
}

const fn narrow(width: Width, code: Code, d: u16, n: u16, m: u16, immediate: u16) -> Op {
    Op { width, ..op(code, d, n, m, immediate as i32) }
}

const DATA_PROCESSING: [Code; 16] = [
    Code::And,
    Code::Eor,
    Code::Lsl,
    Code::Lsr,
    Code::Asr,
    Code::Adc,
    Code::Sbc,
    Code::Ror,
    Code::Tst,
    Code::Rsb,
    Code::Cmp,
    Code::Cmn,
    Code::Orr,
    Code::Mul,
    Code::Bic,
    Code::Mvn,
];

const CONDITIONS: [Code; 16] = [
    Code::Beq,
    Code::Bne,
    Code::Bcs,
    Code::Bcc,
    Code::Bmi,
    Code::Bpl,
    Code::Bvs,
    Code::Bvc,
    Code::Bhi,
    Code::Bls,
    Code::Bge,
    Code::Blt,
    Code::Bgt,
    Code::Ble,
    Code::Udf,
    Code::Svc,
];

/// Decodes one halfword (A5.2, table A5-1). Those that begin a 32-bit instruction give `Wide`.
#[must_use]
pub const fn decode(half: u16) -> Op {
    match half >> 11 {
        0..=7 => shift_add_move(half),
        8 => {
            if half & 0x400 == 0 {
                op(DATA_PROCESSING[(half >> 6 & 15) as usize], half & 7, half & 7, half >> 3 & 7, 0)
            } else {
                special(half)
            }
        }
        9 => op(Code::LdrLiteral, half >> 8 & 7, 15, 0, (half as i32 & 0xff) * 4),
        10 | 11 => load_store_register(half),
        12..=19 => load_store_immediate(half),
        20 => op(Code::Adr, half >> 8 & 7, 15, 0, (half as i32 & 0xff) * 4),
        21 => op(Code::AddSp, half >> 8 & 7, 13, 0, (half as i32 & 0xff) * 4),
        22 | 23 => miscellaneous(half),
        24 => op(Code::Stm, 0, half >> 8 & 7, 0, half as i32 & 0xff),
        25 => op(Code::Ldm, 0, half >> 8 & 7, 0, half as i32 & 0xff),
        26 | 27 => {
            let code = CONDITIONS[(half >> 8 & 15) as usize];
            op(code, 0, 0, 0, (half as u8 as i8 as i32) * 2)
        }
        28 => op(Code::B, 0, 0, 0, ((half << 5) as i16 >> 4) as i32),
        _ => op(Code::Wide, 0, 0, 0, half as i16 as i32),
    }
}

const fn shift_add_move(half: u16) -> Op {
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

/// Special data instructions and branch and exchange (A5.2.3).
const fn special(half: u16) -> Op {
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

const fn load_store_register(half: u16) -> Op {
    let (d, n, m) = (half & 7, half >> 3 & 7, half >> 6 & 7);
    match half >> 9 & 7 {
        0 => narrow(Width::Word, Code::StoreReg, d, n, m, 0),
        1 => narrow(Width::Half, Code::StoreReg, d, n, m, 0),
        2 => narrow(Width::Byte, Code::StoreReg, d, n, m, 0),
        3 => narrow(Width::SignedByte, Code::LoadReg, d, n, m, 0),
        4 => narrow(Width::Word, Code::LoadReg, d, n, m, 0),
        5 => narrow(Width::Half, Code::LoadReg, d, n, m, 0),
        6 => narrow(Width::Byte, Code::LoadReg, d, n, m, 0),
        _ => narrow(Width::SignedHalf, Code::LoadReg, d, n, m, 0),
    }
}

const fn load_store_immediate(half: u16) -> Op {
    let (d, n, imm5) = (half & 7, half >> 3 & 7, half >> 6 & 31);
    match half >> 11 {
        12 => narrow(Width::Word, Code::StoreImm, d, n, 0, imm5 * 4),
        13 => narrow(Width::Word, Code::LoadImm, d, n, 0, imm5 * 4),
        14 => narrow(Width::Byte, Code::StoreImm, d, n, 0, imm5),
        15 => narrow(Width::Byte, Code::LoadImm, d, n, 0, imm5),
        16 => narrow(Width::Half, Code::StoreImm, d, n, 0, imm5 * 2),
        17 => narrow(Width::Half, Code::LoadImm, d, n, 0, imm5 * 2),
        18 => narrow(Width::Word, Code::StoreImm, half >> 8 & 7, 13, 0, (half & 0xff) * 4),
        _ => narrow(Width::Word, Code::LoadImm, half >> 8 & 7, 13, 0, (half & 0xff) * 4),
    }
}

/// Miscellaneous 16-bit instructions (A5.2.5).
const fn miscellaneous(half: u16) -> Op {
    let (d, m) = (half & 7, half >> 3 & 7);
    match half >> 5 & 0x7f {
        0..=3 => op(Code::MoveSp, 13, 13, 0, (half as i32 & 0x7f) * 4),
        4..=7 => op(Code::MoveSp, 13, 13, 0, -(half as i32 & 0x7f) * 4),
        0x10..=0x17 => op(extend(half), d, 0, m, 0),
        0x20..=0x2f => op(Code::Push, 0, 13, 0, half as i32 & 0xff | (half as i32 & 0x100) << 6),
        0x33 => op(Code::Cps, 0, 0, 0, half as i32 >> 4 & 1),
        0x50..=0x57 => match half >> 6 & 3 {
            0 => op(Code::Rev, d, 0, m, 0),
            1 => op(Code::Rev16, d, 0, m, 0),
            3 => op(Code::Revsh, d, 0, m, 0),
            _ => op(Code::Udf, 0, 0, 0, 0),
        },
        0x60..=0x67 => op(Code::Pop, 0, 13, 0, half as i32 & 0xff),
        0x68..=0x6f => op(Code::PopPc, 0, 13, 0, half as i32 & 0xff),
        0x70..=0x77 => op(Code::Bkpt, 0, 0, 0, half as i32 & 0xff),
        0x78..=0x7f => hint(half),
        _ => op(Code::Udf, 0, 0, 0, 0),
    }
}

const fn extend(half: u16) -> Code {
    match half >> 6 & 3 {
        0 => Code::Sxth,
        1 => Code::Sxtb,
        2 => Code::Uxth,
        _ => Code::Uxtb,
    }
}

/// Hints (A5.2.5, table A5-7); unallocated ones execute as NOP.
const fn hint(half: u16) -> Op {
    let code = match half & 0xff {
        0x20 => Code::Wfe,
        0x30 => Code::Wfi,
        0x40 => Code::Sev,
        other if other & 15 != 0 => Code::Udf,
        _ => Code::Nop,
    };
    op(code, 0, 0, 0, 0)
}

/// All halfwords, decoded.
pub static TABLE: [Op; 65536] = table();

#[allow(long_running_const_eval, clippy::large_stack_arrays)] // on the compiler's stack
const fn table() -> [Op; 65536] {
    let mut all = [op(Code::Udf, 0, 0, 0, 0); 65536];
    let mut half = 0;
    while half < all.len() {
        all[half] = decode(half as u16);
        half += 1;
    }
    all
}
