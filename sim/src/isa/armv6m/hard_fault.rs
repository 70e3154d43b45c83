//! Why a core took a `HardFault` or locked up: kept for whoever asks after a crash, since the chip itself keeps no cause
//! (ARMv6-M has no fault status registers).

use crate::core::bus::Bus;
use crate::core::cortex_m::HARD_FAULT;
use crate::core::time::Cycle;
use crate::isa::armv6m::{Core, Phase};
use std::fmt;

/// What an instruction did that is a `HardFault` (ARMv6-M B1.5.14, table B1-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// No instruction of ARMv6-M has this first halfword, and the second one where the first announces 32 bits.
    Undefined(u16, Option<u16>),
    /// BKPT while no debugger is attached (B1.5.14; 0xAB is semihosting and does not fault here).
    Breakpoint(u8),
    /// SVC where its priority does not let it be taken (B1.5.4).
    SupervisorCall,
    /// A load or store of an address that is not a multiple of its width (B1.5.14: `UNALIGN_TRP` is fixed at 1).
    Unaligned(u32),
    /// LDM, STM, PUSH or POP of no registers: UNPREDICTABLE (A6.7.25), a fault here.
    NoRegisters,
    /// The bus refused a load.
    Read(u32),
    /// The bus refused a store.
    Write(u32),
    /// There is no code at this address: a device, or nothing (B3.1).
    NoCode(u32),
    /// The branch, or the vector of this exception, had bit 0 clear, so that `xPSR.T` is 0: INVSTATE in ARMv7-M's words.
    NoThumb(u32),
    /// A return from an exception with a value, or a frame, that does not fit what is active (B1.5.8).
    Return(u32),
    /// The bus refused a word of the frame of an exception, at this address.
    Frame(u32),
    /// The bus refused the vector at this address.
    Vector(u32),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undefined(first, None) => write!(f, "undefined instruction {first:#06x}"),
            Self::Undefined(first, Some(second)) => write!(f, "undefined instruction {first:#06x} {second:#06x}"),
            Self::Breakpoint(number) => write!(f, "BKPT {number:#04x} without a debugger"),
            Self::SupervisorCall => write!(f, "SVC where its priority does not let it be taken"),
            Self::Unaligned(address) => write!(f, "unaligned access to {address:#010x}"),
            Self::NoRegisters => write!(f, "load or store of an empty list of registers"),
            Self::Read(address) => write!(f, "bus error: load from {address:#010x}"),
            Self::Write(address) => write!(f, "bus error: store to {address:#010x}"),
            Self::NoCode(address) => write!(f, "execution from {address:#010x}, where there is no code"),
            Self::NoThumb(address) => write!(f, "branch to the even address {address:#010x} (xPSR.T is 0)"),
            Self::Return(value) => write!(f, "return from an exception by {value:#010x}, which does not fit"),
            Self::Frame(address) => write!(f, "bus error: frame of an exception at {address:#010x}"),
            Self::Vector(address) => write!(f, "bus error: vector at {address:#010x}"),
        }
    }
}

/// A fault of a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HardFault {
    /// The cycle in which it was recognised.
    pub cycle: Cycle,
    /// The address that is stacked: of the instruction that faulted, or the target of the branch.
    pub pc: u32,
    /// What happened.
    pub cause: Cause,
    /// r0 to r12, sp and lr at that moment.
    pub registers: [u32; 15],
    /// The exception that was active, or 0.
    pub during: u8,
}

impl<B: Bus> Core<B> {
    /// The `HardFault` that the core has taken and not returned from. So a fault that its handler has dealt with is
    /// forgotten, and one that ended the program is there for good, or until the core is reset.
    pub fn hard_fault(&self) -> Option<&HardFault> {
        self.hard_fault.as_deref()
    }

    /// What locked the core up, if it is: a second fault, mostly.
    pub fn lockup_fault(&self) -> Option<&HardFault> {
        self.lockup_fault.as_deref().filter(|_| self.is_locked_up())
    }

    /// Whether all that the core executes is the branch to itself that it stands at, in its handler of a `HardFault`.
    pub fn spins_in_hard_fault(&self, instruction_at_pc: Option<u16>) -> bool {
        const STAY: u16 = 0xe7fe;
        self.ipsr == HARD_FAULT && !self.is_locked_up() && instruction_at_pc == Some(STAY)
    }

    /// A fault is recognised at `t`; the first one is kept.
    pub(crate) fn record_fault(&mut self, pc: u32, cause: Cause) {
        if self.hard_fault.is_none() {
            self.hard_fault = Some(Box::new(self.describe_fault(pc, cause)));
        }
    }

    pub(crate) fn describe_fault(&self, pc: u32, cause: Cause) -> HardFault {
        let registers = std::array::from_fn(|number| self.regs[number]);
        HardFault { cycle: self.t, pc, cause, registers, during: self.ipsr }
    }

    /// What a load or store, one register or a list of them, did wrong: its address is known, but was not put on the bus.
    pub(crate) fn misaligned(&self) -> Cause {
        if self.address.is_multiple_of(4) { Cause::NoRegisters } else { Cause::Unaligned(self.address) }
    }

    /// What an instruction that cannot be executed is.
    pub(crate) fn undefined(pc: u32, first: u16, second: Option<u16>) -> Cause {
        if B::holds_code(B::locate(pc).0, pc) { Cause::Undefined(first, second) } else { Cause::NoCode(pc) }
    }

    /// What the bus has refused.
    pub(crate) fn refused(&self) -> Cause {
        match self.phase {
            Phase::Push | Phase::Unstack => Cause::Frame(self.address),
            Phase::Vector => Cause::Vector(self.address),
            Phase::Store | Phase::StoreMultiple => Cause::Write(self.address),
            _ => Cause::Read(self.address),
        }
    }
}
