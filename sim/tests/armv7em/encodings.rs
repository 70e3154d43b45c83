//! Encodings of instructions to choose from at random, drawn as ARM's manual does and written apart from the
//! decoder. Letters are fields:
//!
//! - `x` a bit, of any value
//! - `d` a register to write: not r9, which holds the base, nor SP or PC
//! - `h` the same, and another one than `d`
//! - `n`, `a` a register to read: not SP or PC
//! - `m` the same, one for all fields of that name
//! - `b` a register that is set to the base before; no other one of the instruction is the same
//! - `i` a register that is set to a small number before; not the base's
//! - `t` a register to read or write, other than the base's

/// 16 bits, between low registers, or with a high one.
pub const NARROW: &[&str] = &[
    "000 00 xxxxx xxx xxx", // LSL
    "000 01 xxxxx xxx xxx", // LSR
    "000 10 xxxxx xxx xxx", // ASR
    "000110 x xxx xxx xxx", // ADD, SUB register
    "000111 x xxx xxx xxx", // ADD, SUB 3 bits
    "001 00 xxx xxxxxxxx",  // MOV
    "001 01 xxx xxxxxxxx",  // CMP
    "001 10 xxx xxxxxxxx",  // ADD
    "001 11 xxx xxxxxxxx",  // SUB
    "010000 xxxx xxx xxx",  // the sixteen operations on two registers
    "010000 xxxx xxx xxx",
    "01000100 0 mmmm xxx", // ADD to a low register
    "01000100 1 mmmm 010", // ADD to r10
    "01000101 1 mmmm 0xx", // CMP of a high register
    "01000110 0 mmmm xxx", // MOV to a low register
    "01000110 1 mmmm 100", // MOV to r12
    "1010 x xxx xxxxxxxx", // ADR, ADD from SP
    "10110010 xx xxx xxx", // SXTH, SXTB, UXTH, UXTB
    "1011101000 xxx xxx",  // REV
    "1011101001 xxx xxx",  // REV16
    "1011101011 xxx xxx",  // REVSH
    "10111111 000x 0000",  // NOP, YIELD
];

/// 32 bits, between core registers.
pub const WIDE: &[&str] = &[
    // Data processing with a constant: operations 0 to 4, 8, 10, 11, 13, 14.
    "11110 x 0 00xx x nnnn 0 xxx dddd xxxxxxxx",
    "11110 x 0 0100 x nnnn 0 xxx dddd xxxxxxxx",
    "11110 x 0 1000 x nnnn 0 xxx dddd xxxxxxxx",
    "11110 x 0 101x x nnnn 0 xxx dddd xxxxxxxx",
    "11110 x 0 1101 x nnnn 0 xxx dddd xxxxxxxx",
    "11110 x 0 1110 x nnnn 0 xxx dddd xxxxxxxx",
    "11110 x 0 001x x 1111 0 xxx dddd xxxxxxxx", // MOV, MVN
    "11110 x 0 0x00 1 nnnn 0 xxx 1111 xxxxxxxx", // TST, TEQ
    "11110 x 0 1000 1 nnnn 0 xxx 1111 xxxxxxxx", // CMN
    "11110 x 0 1101 1 nnnn 0 xxx 1111 xxxxxxxx", // CMP
    // The same with a shifted register.
    "1110101 00xx x nnnn 0 xxx dddd xx xx mmmm",
    "1110101 0100 x nnnn 0 xxx dddd xx xx mmmm",
    "1110101 1000 x nnnn 0 xxx dddd xx xx mmmm",
    "1110101 101x x nnnn 0 xxx dddd xx xx mmmm",
    "1110101 1101 x nnnn 0 xxx dddd xx xx mmmm",
    "1110101 1110 x nnnn 0 xxx dddd xx xx mmmm",
    "1110101 001x x 1111 0 xxx dddd xx xx mmmm",
    "1110101 0x00 1 nnnn 0 xxx 1111 xx xx mmmm",
    "1110101 1000 1 nnnn 0 xxx 1111 xx xx mmmm",
    "1110101 1101 1 nnnn 0 xxx 1111 xx xx mmmm",
    "1110101 0110 0 nnnn 0 xxx dddd xx x0 mmmm", // PKHBT, PKHTB
    // Plain constants.
    "11110 x 10000 0 nnnn 0 xxx dddd xxxxxxxx",   // ADDW
    "11110 x 10101 0 nnnn 0 xxx dddd xxxxxxxx",   // SUBW
    "11110 x 10000 0 1111 0 xxx dddd xxxxxxxx",   // ADR
    "11110 x 10101 0 1111 0 xxx dddd xxxxxxxx",   // ADR backwards
    "11110 x 10010 0 xxxx 0 xxx dddd xxxxxxxx",   // MOVW
    "11110 x 10110 0 xxxx 0 xxx dddd xxxxxxxx",   // MOVT
    "11110 0 11000 0 nnnn 0 xxx dddd xx 0 xxxxx", // SSAT LSL
    "11110 0 11001 0 nnnn 0 xx1 dddd xx 0 xxxxx", // SSAT ASR
    "11110 0 11001 0 nnnn 0 000 dddd 00 00 xxxx", // SSAT16
    "11110 0 11100 0 nnnn 0 xxx dddd xx 0 xxxxx", // USAT LSL
    "11110 0 11101 0 nnnn 0 xx1 dddd xx 0 xxxxx", // USAT ASR
    "11110 0 11101 0 nnnn 0 000 dddd 00 00 xxxx", // USAT16
    "11110 0 11x10 0 nnnn 0 0xx dddd xx 0 0xxxx", // SBFX, UBFX
    "11110 0 11x10 0 nnnn 0 111 dddd xx 0 00000", // one bit at the top
    "11110 0 11011 0 nnnn 0 0xx dddd xx 0 1xxxx", // BFI
    "11110 0 11011 0 1111 0 0xx dddd xx 0 1xxxx", // BFC
    // Operands in registers.
    "11111010 0xx x nnnn 1111 dddd 0000 mmmm",  // LSL, LSR, ASR, ROR
    "11111010 0 00x nnnn 1111 dddd 10 xx mmmm", // SXTAH, UXTAH
    "11111010 0 01x nnnn 1111 dddd 10 xx mmmm", // SXTAB16, UXTAB16
    "11111010 0 10x nnnn 1111 dddd 10 xx mmmm", // SXTAB, UXTAB
    "11111010 0 0xx 1111 1111 dddd 10 xx mmmm", // without an addend
    "11111010 0 10x 1111 1111 dddd 10 xx mmmm",
    "11111010 1 000 nnnn 1111 dddd 0 x 00 mmmm", // parallel, GE
    "11111010 1 001 nnnn 1111 dddd 0 x 00 mmmm",
    "11111010 1 010 nnnn 1111 dddd 0 x 00 mmmm",
    "11111010 1 10x nnnn 1111 dddd 0 x 00 mmmm",
    "11111010 1 110 nnnn 1111 dddd 0 x 00 mmmm",
    "11111010 1 000 nnnn 1111 dddd 0 x 01 mmmm", // saturating
    "11111010 1 001 nnnn 1111 dddd 0 x 01 mmmm",
    "11111010 1 010 nnnn 1111 dddd 0 x 01 mmmm",
    "11111010 1 10x nnnn 1111 dddd 0 x 01 mmmm",
    "11111010 1 110 nnnn 1111 dddd 0 x 01 mmmm",
    "11111010 1 00x nnnn 1111 dddd 0 x 10 mmmm", // halving
    "11111010 1 010 nnnn 1111 dddd 0 x 10 mmmm",
    "11111010 1 10x nnnn 1111 dddd 0 x 10 mmmm",
    "11111010 1 110 nnnn 1111 dddd 0 x 10 mmmm",
    "11111010 1000 nnnn 1111 dddd 10 xx mmmm", // QADD, QDADD, QSUB, QDSUB
    "11111010 1010 nnnn 1111 dddd 1000 mmmm",  // SEL
    // Multiplication and division.
    "11111011 0000 nnnn aaaa dddd 000x mmmm", // MLA, MLS
    "11111011 0000 nnnn 1111 dddd 0000 mmmm", // MUL
    "11111011 0001 nnnn aaaa dddd 00xx mmmm", // SMLABB and so on
    "11111011 0001 nnnn 1111 dddd 00xx mmmm", // SMULBB and so on
    "11111011 0010 nnnn aaaa dddd 000x mmmm", // SMLAD
    "11111011 0010 nnnn 1111 dddd 000x mmmm", // SMUAD
    "11111011 0011 nnnn aaaa dddd 000x mmmm", // SMLAW
    "11111011 0011 nnnn 1111 dddd 000x mmmm", // SMULW
    "11111011 0100 nnnn aaaa dddd 000x mmmm", // SMLSD
    "11111011 0100 nnnn 1111 dddd 000x mmmm", // SMUSD
    "11111011 0101 nnnn aaaa dddd 000x mmmm", // SMMLA
    "11111011 0101 nnnn 1111 dddd 000x mmmm", // SMMUL
    "11111011 0110 nnnn aaaa dddd 000x mmmm", // SMMLS
    "11111011 0111 nnnn aaaa dddd 0000 mmmm", // USADA8
    "11111011 0111 nnnn 1111 dddd 0000 mmmm", // USAD8
    "11111011 1000 nnnn hhhh dddd 0000 mmmm", // SMULL
    "11111011 1010 nnnn hhhh dddd 0000 mmmm", // UMULL
    "11111011 1100 nnnn hhhh dddd 0000 mmmm", // SMLAL
    "11111011 1110 nnnn hhhh dddd 0000 mmmm", // UMLAL
    "11111011 1110 nnnn hhhh dddd 0110 mmmm", // UMAAL
    "11111011 1100 nnnn hhhh dddd 10xx mmmm", // SMLALBB and so on
    "11111011 1100 nnnn hhhh dddd 110x mmmm", // SMLALD
    "11111011 1101 nnnn hhhh dddd 110x mmmm", // SMLSLD
    "11111011 1001 nnnn 1111 dddd 1111 mmmm", // SDIV
    "11111011 1011 nnnn 1111 dddd 1111 mmmm", // UDIV
    // Special registers that change nothing but a core register.
    "1111001111101111 1000 dddd 00000 0xx", // MRS of APSR, IPSR and so on
    "1111001111101111 1000 dddd 0001000x",  // PRIMASK, BASEPRI
    "1111001111101111 1000 dddd 0001001x",  // BASEPRI_MAX, FAULTMASK
    "1111001111101111 1000 dddd 0000100x",  // MSP, PSP
    "1111001110111111 10001111 0101 1111",  // DMB
    "1111001110111111 10001111 0100 1111",  // DSB
    "1111001110111111 10001111 0110 1111",  // ISB
    "1111001110101111 10000000 00000000",   // NOP.W
];

/// Two more, whose operand is in two fields.
pub const REVERSALS: &[&str] = &[
    "11111010 1001 mmmm 1111 dddd 10xx mmmm", // REV, REV16, RBIT, REVSH
    "11111010 1011 mmmm 1111 dddd 1000 mmmm", // CLZ
];

/// Loads and stores of core registers, near the base.
pub const MEMORY: &[&str] = &[
    "0110 x xxxxx bbb ttt",                    // STR, LDR
    "0111 x xxxxx bbb ttt",                    // bytes
    "1000 x xxxxx bbb ttt",                    // halfwords
    "0101 xxx iii bbb ttt",                    // by a register
    "11111000 1 00 x bbbb tttt 00xx xxxxxxxx", // STRB, LDRB
    "11111000 1 01 x bbbb tttt 00xx xxxxxxxx", // STRH, LDRH
    "11111000 1 10 x bbbb tttt 00xx xxxxxxxx", // STR, LDR
    "11111001 1 0x 1 bbbb tttt 00xx xxxxxxxx", // LDRSB, LDRSH
    "11111000 0 00 x bbbb tttt 1100 xxxxxxxx", // backwards
    "11111000 0 01 x bbbb tttt 1100 xxxxxxxx",
    "11111000 0 10 x bbbb tttt 1100 xxxxxxxx",
    "11111001 0 0x 1 bbbb tttt 1100 xxxxxxxx",
    "11111000 0 00 x bbbb tttt 1xx1 xxxxxxxx", // with a new base
    "11111000 0 01 x bbbb tttt 1xx1 xxxxxxxx",
    "11111000 0 10 x bbbb tttt 1xx1 xxxxxxxx",
    "11111001 0 0x 1 bbbb tttt 1xx1 xxxxxxxx",
    "11111000 0 00 x bbbb tttt 1110 xxxxxxxx", // STRBT, LDRBT
    "11111000 0 01 x bbbb tttt 1110 xxxxxxxx",
    "11111000 0 10 x bbbb tttt 1110 xxxxxxxx",
    "11111001 0 0x 1 bbbb tttt 1110 xxxxxxxx",
    "11111000 0 00 x bbbb tttt 000000 xx iiii", // by a register
    "11111000 0 01 x bbbb tttt 000000 xx iiii",
    "11111000 0 10 x bbbb tttt 000000 xx iiii",
    "11111001 0 0x 1 bbbb tttt 000000 xx iiii",
    "11111000 1 00 1 bbbb 1111 00xx xxxxxxxx", // PLD
    "11111001 1 00 1 bbbb 1111 00xx xxxxxxxx", // PLI
    "1110100 1110 1 bbbb dddd hhhh 0xxxxxxx",  // LDRD
    "1110100 1010 1 bbbb dddd hhhh 00xxxxxx",  // backwards
    "1110100 xx11 1 bbbb dddd hhhh 00xxxxxx",  // with a new base
    "1110100 1110 0 bbbb tttt tttt 0xxxxxxx",  // STRD
    "1110100 1010 0 bbbb tttt tttt 00xxxxxx",
    "1110100 xx11 0 bbbb tttt tttt 00xxxxxx",
];

/// Loads and stores that need nothing before them, for IT blocks.
pub const BASED: &[&str] = &[
    "11111000 1 10 x 1001 dddd 00xx xxxxxxxx", // STR, LDR
    "11111001 1 0x 1 1001 dddd 00xx xxxxxxxx", // LDRSB, LDRSH
    "11101101 1x0x 1001 xxxx 1010 xxxxxxxx",   // VLDR, VSTR
];

/// Floating point in single precision, of both processors.
pub const SINGLE: &[&str] = &[
    "11101110 0x00 xxxx xxxx 1010 xxx0 xxxx", // VMLA, VMLS
    "11101110 0x01 xxxx xxxx 1010 xxx0 xxxx", // VNMLA, VNMLS
    "11101110 0x10 xxxx xxxx 1010 xxx0 xxxx", // VMUL, VNMUL
    "11101110 0x11 xxxx xxxx 1010 xxx0 xxxx", // VADD, VSUB
    "11101110 0x11 xxxx xxxx 1010 xxx0 xxxx",
    "11101110 1x00 xxxx xxxx 1010 x0x0 xxxx", // VDIV
    "11101110 1x01 xxxx xxxx 1010 xxx0 xxxx", // VFNMA, VFNMS
    "11101110 1x10 xxxx xxxx 1010 xxx0 xxxx", // VFMA, VFMS
    "11101110 1x10 xxxx xxxx 1010 xxx0 xxxx",
    "11101110 1x11 xxxx xxxx 1010 0000 xxxx", // VMOV of a constant
    "11101110 1x11 0000 xxxx 1010 x1x0 xxxx", // VMOV, VABS
    "11101110 1x11 0001 xxxx 1010 x1x0 xxxx", // VNEG, VSQRT
    "11101110 1x11 001x xxxx 1010 x1x0 xxxx", // VCVTB, VCVTT
    "11101110 1x11 0100 xxxx 1010 x1x0 xxxx", // VCMP, VCMPE
    "11101110 1x11 0101 xxxx 1010 x100 0000", // with zero
    "11101110 1x11 1000 xxxx 1010 x1x0 xxxx", // VCVT from an integer
    "11101110 1x11 110x xxxx 1010 x1x0 xxxx", // VCVT, VCVTR to an integer
    "11101110 1x11 1x1x xxxx 1010 01x0 0xxx", // VCVT, 16 bits of fixed point
    "11101110 1x11 1x1x xxxx 1010 11x0 xxxx", // 32 bits
    "11101110 000x xxxx dddd 1010 x0010000",  // VMOV of a core register
    "11101110 00xx 0xxx dddd 1011 00010000",  // of half a double one
    "1110111011110001 dddd 1010 00010000",    // VMRS
    "1110111011110001 1111 1010 00010000",    // to the flags
    "11101100 010x hhhh dddd 1010 00x1 0xxx", // VMOV of two
    "11101100 010x hhhh dddd 1011 0001 xxxx", // of a double one
];

/// Loads and stores of floating-point registers, near the base.
pub const FLOAT_MEMORY: &[&str] = &[
    "11101101 1x0x bbbb xxxx 1010 xxxxxxxx", // VLDR, VSTR
    "11101101 0x0x bbbb xxxx 1010 00xxxxxx",
    "11101101 100x bbbb xxxx 1011 xxxxxxxx",
    "11101101 000x bbbb xxxx 1011 00xxxxxx",
    "11101100 1xxx bbbb 0xxx 1010 00000xx1", // VLDM, VSTM
    "11101101 0x1x bbbb 0xxx 1010 00000xx1",
    "11101100 10xx bbbb 0xxx 1011 00000x10",
    "11101101 001x bbbb 0xxx 1011 00000x10",
];

/// What `FPv5` adds in single precision, but for conditional execution.
pub const FPV5: &[&str] = &[
    "11101110 1x11 0110 xxxx 1010 x1x0 xxxx", // VRINTR, VRINTZ
    "11101110 1x11 0111 xxxx 1010 01x0 xxxx", // VRINTX
];

/// The same, never in an IT block.
pub const FPV5_UNCONDITIONAL: &[&str] = &[
    "11111110 0xxx xxxx xxxx 1010 x0x0 xxxx", // VSEL
    "11111110 1x00 xxxx xxxx 1010 xxx0 xxxx", // VMAXNM, VMINNM
    "11111110 1x11 10xx xxxx 1010 01x0 xxxx", // VRINTA, VRINTN, VRINTP, VRINTM
    "11111110 1x11 11xx xxxx 1010 x1x0 xxxx", // VCVTA, VCVTN, VCVTP, VCVTM
    "11111110 00xx xxxx xxxx 1011 0000 xxxx",
    "11111110 1000 xxxx xxxx 1011 0x00 xxxx",
    "11111110 1011 10xx xxxx 1011 0100 xxxx",
    "11111110 1x11 11xx xxxx 1011 x100 xxxx",
];

/// Double precision: undefined on the Cortex-M4.
pub const DOUBLE: &[&str] = &[
    "11101110 0000 xxxx xxxx 1011 0x00 xxxx", // VMLA, VMLS
    "11101110 0001 xxxx xxxx 1011 0x00 xxxx", // VNMLA, VNMLS
    "11101110 0010 xxxx xxxx 1011 0x00 xxxx", // VMUL, VNMUL
    "11101110 0011 xxxx xxxx 1011 0x00 xxxx", // VADD, VSUB
    "11101110 0011 xxxx xxxx 1011 0x00 xxxx",
    "11101110 1000 xxxx xxxx 1011 0000 xxxx", // VDIV
    "11101110 1001 xxxx xxxx 1011 0x00 xxxx", // VFNMA, VFNMS
    "11101110 1010 xxxx xxxx 1011 0x00 xxxx", // VFMA, VFMS
    "11101110 1010 xxxx xxxx 1011 0x00 xxxx",
    "11101110 1011 xxxx xxxx 1011 0000 xxxx", // VMOV of a constant
    "11101110 1011 0000 xxxx 1011 x100 xxxx", // VMOV, VABS
    "11101110 1011 0001 xxxx 1011 x100 xxxx", // VNEG, VSQRT
    "11101110 1011 0010 xxxx 1011 x1x0 xxxx", // VCVTB, VCVTT from a half
    "11101110 1x11 0011 xxxx 1011 x100 xxxx", // to a half
    "11101110 1011 0100 xxxx 1011 x100 xxxx", // VCMP, VCMPE
    "11101110 1011 0101 xxxx 1011 x100 0000", // with zero
    "11101110 1011 0110 xxxx 1011 x100 xxxx", // VRINTR, VRINTZ
    "11101110 1011 0111 xxxx 1011 0100 xxxx", // VRINTX
    "11101110 1011 0111 xxxx 1010 11x0 xxxx", // VCVT from single
    "11101110 1x11 0111 xxxx 1011 1100 xxxx", // to single
    "11101110 1011 1000 xxxx 1011 x1x0 xxxx", // from an integer
    "11101110 1x11 110x xxxx 1011 x100 xxxx", // to an integer
    "11101110 1011 1x1x xxxx 1011 01x0 0xxx", // 16 bits of fixed point
    "11101110 1011 1x1x xxxx 1011 11x0 xxxx", // 32 bits
];
