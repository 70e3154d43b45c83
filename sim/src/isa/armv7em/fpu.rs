//! The floating-point extension: registers, stacking of its context, access control (B1.4.6, B1.5.7, A2.5).

mod compute;
mod transfer;

use crate::core::access::Width;
use crate::core::cortex_m::HARD_FAULT;
use crate::isa::armv7em::bus::Bus;
use crate::isa::armv7em::exception::{BUS_FAULT, MEM_MANAGE};
use crate::isa::armv7em::fault::{Fault, status};
use crate::isa::armv7em::float::Status;
use crate::isa::armv7em::{ExecutionResult, Processor};

/// Bits of FPCCR.
mod fpccr {
    pub(super) const LSPACT: u32 = 1;
    pub(super) const USER: u32 = 1 << 1;
    pub(super) const THREAD: u32 = 1 << 3;
    pub(super) const HFRDY: u32 = 1 << 4;
    pub(super) const MMRDY: u32 = 1 << 5;
    pub(super) const BFRDY: u32 = 1 << 6;
    pub(super) const LSPEN: u32 = 1 << 30;
    pub(super) const ASPEN: u32 = 1 << 31;
    /// Includes MONRDY, which the core never sets: there is no debug monitor.
    pub(super) const WRITABLE: u32 = ASPEN | LSPEN | 0x17b;
}

/// A single or double register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Register {
    double: bool,
    number: u32,
}

impl Register {
    /// A register from its 4-bit field and the extra bit. None: D16 to D31, which FPv5-D16 has not.
    fn of(double: bool, field: u32, bit: u32) -> Option<Self> {
        match (double, bit & 1) {
            (true, 1) => None,
            (true, _) => Some(Self::double(field)),
            (false, bit) => Some(Self { double, number: (field & 15) << 1 | bit }),
        }
    }

    /// D0 to D15; higher bits of `number` are ignored.
    pub(super) fn double(number: u32) -> Self {
        Self { double: true, number: number & 15 }
    }

    /// Its first word among S0 to S31.
    fn place(self) -> usize {
        (if self.double { 2 * self.number } else { self.number }) as usize
    }
}

/// Registers of the extension.
#[derive(Clone, Debug, Default, Hash)]
pub struct Fpu {
    /// S0 to S31; D0 to D15 are pairs of them.
    s: [u32; 32],
    pub(super) status: Status,
    /// FPCCR.
    pub(crate) control: u32,
    /// FPCAR.
    pub(crate) address: u32,
    /// FPDSCR.
    pub(crate) default_status: u32,
    /// CPACR, of which only coprocessors 10 and 11 exist.
    pub(crate) access: u32,
}

impl Fpu {
    pub(crate) fn new() -> Self {
        Self { control: fpccr::ASPEN | fpccr::LSPEN, ..Self::default() }
    }

    pub(super) fn get(&self, register: Register) -> u64 {
        let place = register.place();
        let high = if register.double { u64::from(self.s[place + 1]) << 32 } else { 0 };
        u64::from(self.s[place]) | high
    }

    pub(super) fn put(&mut self, register: Register, value: u64) {
        let place = register.place();
        self.s[place] = value as u32;
        if register.double {
            self.s[place + 1] = (value >> 32) as u32;
        }
    }

    pub(super) fn set_status(&mut self, value: u32) {
        self.status = Status(value & Status::BITS);
    }

    pub(crate) fn set_control(&mut self, value: u32) {
        self.control = value & fpccr::WRITABLE;
    }

    fn is_lazy(&self) -> bool {
        self.control & fpccr::LSPACT != 0
    }
}

impl Processor {
    /// Coprocessor instructions: 10 and 11 are floating point, others are not implemented (A6.1).
    pub(crate) fn coprocessor(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        if first >> 8 & 15 == 15 {
            return Err(Fault::Undefined);
        }
        if second >> 9 & 7 != 5 {
            return Err(Fault::NoCoprocessor);
        }
        self.check_float_allowed()?;
        let unconditional = first & 0x1000 != 0;
        match first >> 8 & 15 {
            14 if second & 0x10 == 0 => self.compute_float(first, second, bus),
            14 if !unconditional => self.move_float(first, second, bus),
            _ if !unconditional => self.transfer_float(first, second, bus),
            _ => Err(Fault::Undefined),
        }
    }

    /// `CheckVFPEnabled`: faults unless CPACR allows access at the current privilege.
    fn check_float_allowed(&self) -> ExecutionResult {
        match self.fpu.access >> 20 & 3 {
            3 => Ok(()),
            1 if self.is_privileged() => Ok(()),
            _ => Err(Fault::NoCoprocessor),
        }
    }

    /// `ExecuteFPCheck`, before an instruction of the extension: saves a lazily stacked context, and starts a new one with the
    /// default modes.
    fn use_float(&mut self, bus: &mut impl Bus) -> ExecutionResult {
        if self.fpu.is_lazy() {
            self.save_lazy_context(bus)?;
        }
        self.fpu.status = self.status_in_context();
        self.fpca |= self.fpu.control & fpccr::ASPEN != 0;
        Ok(())
    }

    /// FPSCR as an instruction of the extension finds it: with the default modes if it starts a context.
    fn status_in_context(&self) -> Status {
        let status = self.fpu.status;
        if self.fpu.control & fpccr::ASPEN == 0 || self.fpca {
            return status;
        }
        Status(status.0 & !Status::MODES | self.fpu.default_status & Status::MODES)
    }

    /// Writes S0 to S15 and FPSCR to `address` and up.
    fn write_context(&mut self, address: u32, privileged: bool, bus: &mut impl Bus) -> ExecutionResult {
        let words: [u32; 17] =
            std::array::from_fn(|index| if index < 16 { self.fpu.s[index] } else { self.fpu.status.0 });
        for (word, index) in words.into_iter().zip(0..) {
            self.write(address.wrapping_add(4 * index), Width::Word, word, privileged, bus)?;
        }
        Ok(())
    }

    /// `PreserveFPState`: stores a lazily stacked context to the space reserved for it. Whether a fault can be taken was decided
    /// at the exception entry that reserved it (MMRDY, BFRDY, HFRDY).
    fn save_lazy_context(&mut self, bus: &mut impl Bus) -> ExecutionResult {
        let privileged = self.fpu.control & fpccr::USER == 0;
        let saved = self.write_context(self.fpu.address, privileged, bus);
        self.fpu.control &= !fpccr::LSPACT;
        let Err(fault) = saved else { return Ok(()) };
        let exception = self.record_stacking_fault(fault, status::MLSPERR, status::LSPERR);
        let ready = match exception {
            MEM_MANAGE => fpccr::MMRDY,
            BUS_FAULT => fpccr::BFRDY,
            _ => 0,
        };
        if self.fpu.control & ready != 0 {
            self.pend(exception);
        } else if self.fpu.control & fpccr::HFRDY != 0 {
            self.faults.hfsr |= status::FORCED;
            self.pend(HARD_FAULT);
        } else {
            self.lock_up();
            return Err(Fault::Pending);
        }
        if self.nvic.highest_pending(self.execution_priority()).is_some() { Err(Fault::Pending) } else { Ok(()) }
    }

    /// The floating-point part of a frame: stored, or reserved for lazy stacking (`UpdateFPCCR`).
    pub(crate) fn push_float(&mut self, address: u32, privileged: bool, bus: &mut impl Bus) -> ExecutionResult {
        if self.fpu.control & fpccr::LSPEN == 0 {
            self.check_float_allowed()?;
            return self.write_context(address, privileged, bus);
        }
        self.fpu.address = address;
        let bit = |is: bool, bit: u32| if is { bit } else { 0 };
        let kept = self.fpu.control & (fpccr::ASPEN | fpccr::LSPEN);
        self.fpu.control = kept
            | fpccr::LSPACT
            | bit(!privileged, fpccr::USER)
            | bit(!self.is_handler(), fpccr::THREAD)
            | bit(self.execution_priority() > -1, fpccr::HFRDY)
            | bit(self.would_preempt(MEM_MANAGE), fpccr::MMRDY)
            | bit(self.would_preempt(BUS_FAULT), fpccr::BFRDY);
        Ok(())
    }

    /// Restores it, unless lazy stacking is still pending.
    pub(crate) fn pop_float(&mut self, address: u32, privileged: bool, bus: &mut impl Bus) -> ExecutionResult {
        if self.fpu.is_lazy() {
            self.fpu.control &= !fpccr::LSPACT;
            return Ok(());
        }
        self.check_float_allowed()?;
        let mut words = [0; 17];
        for (word, index) in words.iter_mut().zip(0..) {
            *word = self.read(address.wrapping_add(4 * index), Width::Word, privileged, bus)?;
        }
        self.fpu.s[..16].copy_from_slice(&words[..16]);
        self.fpu.set_status(words[16]);
        Ok(())
    }
}
