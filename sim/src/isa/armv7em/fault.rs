//! Faults: their status registers, and which exception they become (B1.5.14, B3.2).

use crate::core::cortex_m::HARD_FAULT;
use crate::isa::armv7em::exception::{BUS_FAULT, MEM_MANAGE, USAGE_FAULT};
use crate::isa::armv7em::{Processor, Sleep};

/// Why an instruction has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// UNDEFINED.
    Undefined,
    /// EPSR.T is 0.
    InvalidState,
    /// A coprocessor that is not implemented, or floating point disabled in CPACR.
    NoCoprocessor,
    Unaligned,
    DivideByZero,
    /// The MPU forbids the data access to this address.
    DataAccessViolation(u32),
    InstructionAccessViolation,
    /// Bus error of the data access to this address.
    DataBusError(u32),
    InstructionBusError,
    /// SVC at an execution priority at which it cannot be taken.
    SupervisorCall,
    /// BKPT.
    Breakpoint(u8),
    /// Lazy saving of the floating-point context has faulted before the instruction; that fault is pending already.
    Pending,
}

/// Bits of CFSR: `MemManage`, `BusFault` and `UsageFault` status.
pub(crate) mod status {
    pub(crate) const IACCVIOL: u32 = 1;
    pub(crate) const DACCVIOL: u32 = 1 << 1;
    pub(crate) const MUNSTKERR: u32 = 1 << 3;
    pub(crate) const MSTKERR: u32 = 1 << 4;
    pub(crate) const MLSPERR: u32 = 1 << 5;
    pub(crate) const MMARVALID: u32 = 1 << 7;
    pub(crate) const IBUSERR: u32 = 1 << 8;
    pub(crate) const PRECISERR: u32 = 1 << 9;
    pub(crate) const UNSTKERR: u32 = 1 << 11;
    pub(crate) const STKERR: u32 = 1 << 12;
    pub(crate) const LSPERR: u32 = 1 << 13;
    pub(crate) const BFARVALID: u32 = 1 << 15;
    pub(crate) const UNDEFINSTR: u32 = 1 << 16;
    pub(crate) const INVSTATE: u32 = 1 << 17;
    pub(crate) const INVPC: u32 = 1 << 18;
    pub(crate) const NOCP: u32 = 1 << 19;
    pub(crate) const UNALIGNED: u32 = 1 << 24;
    pub(crate) const DIVBYZERO: u32 = 1 << 25;
    /// Of HFSR.
    pub(crate) const VECTTBL: u32 = 1 << 1;
    pub(crate) const FORCED: u32 = 1 << 30;
    pub(crate) const DEBUGEVT: u32 = 1 << 31;
    /// Of DFSR.
    pub(crate) const BKPT: u32 = 1 << 1;
}

/// CFSR, HFSR, DFSR, MMFAR, BFAR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FaultStatus {
    /// `MemManage` status in the lowest byte, `BusFault` in the next, `UsageFault` in the upper half.
    pub cfsr: u32,
    /// `HardFault` status.
    pub hfsr: u32,
    /// Debug fault status.
    pub dfsr: u32,
    /// Address of a `MemManage` fault, while MMARVALID is set.
    pub mmfar: u32,
    /// Address of a precise `BusFault`, while BFARVALID is set.
    pub bfar: u32,
}

impl Processor {
    /// The fault status registers.
    pub fn fault_status(&self) -> FaultStatus {
        self.faults
    }

    /// Sets the fault status of the instruction at PC and makes its exception pending, or `HardFault`, or locks up.
    pub(crate) fn record_fault(&mut self, fault: Fault) {
        let (bits, exception) = match fault {
            Fault::Undefined => (status::UNDEFINSTR, USAGE_FAULT),
            Fault::InvalidState => (status::INVSTATE, USAGE_FAULT),
            Fault::NoCoprocessor => (status::NOCP, USAGE_FAULT),
            Fault::Unaligned => (status::UNALIGNED, USAGE_FAULT),
            Fault::DivideByZero => (status::DIVBYZERO, USAGE_FAULT),
            Fault::InstructionAccessViolation => (status::IACCVIOL, MEM_MANAGE),
            Fault::InstructionBusError => (status::IBUSERR, BUS_FAULT),
            Fault::DataAccessViolation(address) => {
                self.faults.mmfar = address;
                (status::DACCVIOL | status::MMARVALID, MEM_MANAGE)
            }
            Fault::DataBusError(address) => {
                self.faults.bfar = address;
                (status::PRECISERR | status::BFARVALID, BUS_FAULT)
            }
            Fault::SupervisorCall => return self.escalate(status::FORCED),
            Fault::Breakpoint(_) => return self.record_breakpoint(),
            Fault::Pending => return,
        };
        self.faults.cfsr |= bits;
        self.raise(exception);
    }

    /// BKPT without a debugger, and without the debug monitor, which is not modelled.
    pub(crate) fn record_breakpoint(&mut self) {
        self.faults.dfsr |= status::BKPT;
        self.escalate(status::DEBUGEVT);
    }

    /// Makes a fault pending; it escalates to `HardFault` if it is disabled or not urgent enough (B1.5.14).
    pub(crate) fn raise(&mut self, exception: u8) {
        if self.would_preempt(exception) { self.pend(exception) } else { self.escalate(status::FORCED) }
    }

    /// A fault that cannot be taken becomes a `HardFault` with this bit of HFSR, and where that cannot be taken, lockup
    /// (B1.5.15).
    fn escalate(&mut self, cause: u32) {
        if self.execution_priority() <= -1 {
            return self.lock_up();
        }
        self.faults.hfsr |= cause;
        self.pend(HARD_FAULT);
    }

    pub(crate) fn lock_up(&mut self) {
        self.sleep = Sleep::Lockup;
    }

    /// Sets the fault status of a fault while stacking or unstacking. Returns the exception.
    pub(crate) fn record_stacking_fault(&mut self, fault: Fault, protected: u32, refused: u32) -> u8 {
        let (bits, exception) = match fault {
            Fault::DataAccessViolation(_) => (protected, MEM_MANAGE),
            Fault::NoCoprocessor => (status::NOCP, USAGE_FAULT),
            Fault::Unaligned => (status::UNALIGNED, USAGE_FAULT),
            _ => (refused, BUS_FAULT),
        };
        self.faults.cfsr |= bits;
        exception
    }
}
