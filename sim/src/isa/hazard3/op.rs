//! What an instruction asks of the core, decoded.

use crate::core::access::Width;

/// An operation of the arithmetic unit on two operands.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Alu {
    Add,
    Sub,
    /// Set if less than, signed.
    Slt,
    /// Set if less than, unsigned.
    Sltu,
    And,
    Or,
    Xor,
    Sll,
    Srl,
    Sra,
    /// The second operand.
    Second,
    /// Shifts the first operand left by so many bits, and adds.
    ShiftAdd(u8),
    Andn,
    Orn,
    Xnor,
    Clz,
    Ctz,
    Cpop,
    Max,
    Maxu,
    Min,
    Minu,
    OrcB,
    Rev8,
    Rol,
    Ror,
    SextB,
    SextH,
    ZextH,
    Bclr,
    Bext,
    Binv,
    Bset,
    Pack,
    Packh,
    Brev8,
    Zip,
    Unzip,
    /// Extracts so many bits (`h3.bextm`).
    ExtractBits(u8),
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Div,
    Divu,
    Rem,
    Remu,
}

impl Alu {
    /// Whether the sequential divider computes it.
    pub fn divides(self) -> bool {
        matches!(self, Self::Div | Self::Divu | Self::Rem | Self::Remu)
    }
}

/// What an instruction does to memory.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Memory {
    /// Nothing.
    None,
    /// Loads.
    Load(Width),
    /// Stores.
    Store(Width),
    /// `lr.w`.
    LoadReserved,
    /// `sc.w`.
    StoreConditional,
    /// An atomic read-modify-write; the operation is the arithmetic unit's.
    Amo,
}

impl Memory {
    /// Width of the access.
    pub fn width(self) -> Width {
        match self {
            Self::Load(width) | Self::Store(width) => width,
            _ => Width::Word,
        }
    }

    /// Whether there is an access, and an address is no multiple of its width.
    pub fn is_misaligned(self, address: u32) -> bool {
        self != Self::None && address & self.width().misaligned() != 0
    }

    /// Whether the address comes with an exclusive access of the bus.
    pub fn is_exclusive(self) -> bool {
        matches!(self, Self::LoadReserved | Self::StoreConditional | Self::Amo)
    }

    /// Whether stage M has its data phase.
    pub fn has_data_phase(self) -> bool {
        !matches!(self, Self::None | Self::Amo)
    }
}

/// When an instruction jumps.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Jump {
    Never,
    Always,
    /// If the comparison by the arithmetic unit's operation does, or does not, hold.
    If(bool),
}

/// How a CSR is written.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum CsrWrite {
    Write,
    Set,
    Clear,
}

/// An access to a CSR.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct Csr {
    /// Its number.
    pub number: u16,
    /// Whether it is read.
    pub reads: bool,
    /// Whether it is written.
    pub writes: bool,
    /// How.
    pub how: CsrWrite,
    /// The operand is the number of `rs1` itself.
    pub immediate: bool,
}

/// Why a trap is entered, or left.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
#[repr(u8)]
pub enum Cause {
    /// The bus answered a fetch with an error, or the PMP does not let it execute.
    FetchFault = 1,
    /// No such instruction or CSR.
    Illegal = 2,
    /// `ebreak`.
    Breakpoint = 3,
    /// The address of a load is no multiple of its size.
    LoadMisaligned = 4,
    /// The bus answered with an error, or the PMP does not let it read.
    LoadFault = 5,
    /// As of a load.
    StoreMisaligned = 6,
    /// As of a load; also of atomic accesses.
    StoreFault = 7,
    /// `ecall` in user mode.
    CallFromUser = 8,
    /// `mret`: no trap, but it takes the same way.
    Return = 10,
    /// `ecall` in machine mode.
    CallFromMachine = 11,
}

/// What an instruction does besides.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Hint {
    None,
    Wfi,
    /// `h3.block`: sleeps until it is unblocked.
    Block,
    /// `h3.unblock`: wakes the other core.
    Unblock,
}

/// Where a jump or an access goes to.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub enum Base {
    /// Relative to the instruction.
    Pc,
    /// Relative to `rs1`.
    Register,
}

/// An instruction, decoded. Registers that it does not use are 0, but for those that the core's hazard detection takes for used.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct Op {
    /// First source.
    pub rs1: u8,
    /// Second source.
    pub rs2: u8,
    /// Destination.
    pub rd: u8,
    /// The first operand is the address of the instruction.
    pub from_pc: bool,
    /// The second operand, unless it is `rs2`.
    pub immediate: Option<u32>,
    /// What is computed.
    pub alu: Alu,
    /// What is loaded or stored, at `base` + `offset`.
    pub memory: Memory,
    /// When it jumps to `base` + `offset`.
    pub jump: Jump,
    /// See `offset`.
    pub base: Base,
    /// Of an address.
    pub offset: u32,
    /// The CSR that is accessed.
    pub csr: Option<Csr>,
    /// The trap that it causes by itself.
    pub cause: Option<Cause>,
    /// Anything else.
    pub hint: Hint,
}

impl Op {
    /// Does nothing.
    pub const NOP: Self = Self {
        rs1: 0,
        rs2: 0,
        rd: 0,
        from_pc: false,
        immediate: None,
        alu: Alu::Add,
        memory: Memory::None,
        jump: Jump::Never,
        base: Base::Register,
        offset: 0,
        csr: None,
        cause: None,
        hint: Hint::None,
    };

    /// Only traps.
    pub const fn trap(cause: Cause) -> Self {
        Self { cause: Some(cause), ..Self::NOP }
    }
}
