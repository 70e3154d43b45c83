//! Registers of cores of all kinds, by name.

/// A register of a core as a debugger sees it. No core has all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the architecture's names
pub enum Register {
    /// R0 to R12, 13 the stack pointer in use, 14 LR, 15 the address of the next instruction.
    R(u8),
    Xpsr,
    Msp,
    Psp,
    Primask,
    Basepri,
    Faultmask,
    Control,
    /// D0 to D15, each of two registers for single precision.
    D(u8),
    Fpscr,
    /// x0 to x31 of a RISC-V core.
    X(u8),
    /// The address of a RISC-V core's next instruction.
    Pc,
}

/// Names of x0 to x31 (RISC-V psABI 1.1).
const X_NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

impl Register {
    /// What it is called.
    pub fn name(self) -> String {
        match self {
            Self::R(13) => "sp".to_owned(),
            Self::R(14) => "lr".to_owned(),
            Self::R(15) | Self::Pc => "pc".to_owned(),
            Self::R(number) => format!("r{number}"),
            Self::D(number) => format!("d{number}"),
            Self::X(number) => X_NAMES[usize::from(number) % X_NAMES.len()].to_owned(),
            other => format!("{other:?}").to_lowercase(),
        }
    }
}

/// Which registers the cores of a chip have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterSet {
    /// Of a Cortex-M.
    Arm,
    /// Of RV32.
    Riscv,
}

impl RegisterSet {
    /// Those that every core of the kind has, in the order in which GDB numbers them.
    pub fn common(self) -> impl Iterator<Item = Register> {
        let (first, count, last): (fn(u8) -> Register, _, _) = match self {
            Self::Arm => (Register::R, 16, Register::Xpsr),
            Self::Riscv => (Register::X, 32, Register::Pc),
        };
        (0..count).map(first).chain([last])
    }

    /// The address of the next instruction.
    pub fn pc(self) -> Register {
        if self == Self::Arm { Register::R(15) } else { Register::Pc }
    }

    /// The stack pointer in use.
    pub fn sp(self) -> Register {
        if self == Self::Arm { Register::R(13) } else { Register::X(2) }
    }

    /// Where a function returns to.
    pub fn link(self) -> Register {
        if self == Self::Arm { Register::R(14) } else { Register::X(1) }
    }

    /// A function's argument by number, one of the first four.
    pub fn argument(self, number: u8) -> Register {
        if self == Self::Arm { Register::R(number & 3) } else { Register::X(10 + (number & 3)) }
    }
}
