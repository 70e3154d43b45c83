//! Core registers, flags and special registers (B1.4).

use crate::core::register::Register;
use crate::isa::armv7em::{Processor, fpu};

/// The flags of APSR (B1.4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)] // the architecture's names
pub struct Flags {
    pub n: bool,
    pub z: bool,
    pub c: bool,
    pub v: bool,
    pub q: bool,
    /// Greater or equal, one bit for each byte.
    pub ge: u8,
}

impl Flags {
    /// `ConditionPassed` of a 4-bit condition.
    #[inline]
    pub fn condition_passed(self, condition: u32) -> bool {
        let holds = match condition >> 1 {
            0 => self.z,
            1 => self.c,
            2 => self.n,
            3 => self.v,
            4 => self.c && !self.z,
            5 => self.n == self.v,
            6 => self.n == self.v && !self.z,
            _ => return true,
        };
        holds != (condition & 1 != 0)
    }

    /// The APSR.
    pub fn word(self) -> u32 {
        let bit = |flag: bool, place: u32| u32::from(flag) << place;
        bit(self.n, 31)
            | bit(self.z, 30)
            | bit(self.c, 29)
            | bit(self.v, 28)
            | bit(self.q, 27)
            | u32::from(self.ge) << 16
    }

    /// Sets N, Z, C, V and Q from an APSR.
    pub fn set_nzcvq(&mut self, word: u32) {
        self.n = word >> 31 & 1 != 0;
        self.z = word >> 30 & 1 != 0;
        self.c = word >> 29 & 1 != 0;
        self.v = word >> 28 & 1 != 0;
        self.q = word >> 27 & 1 != 0;
    }

    /// Sets GE from an APSR.
    pub fn set_ge(&mut self, word: u32) {
        self.ge = (word >> 16 & 15) as u8;
    }

    /// N and Z of a result.
    pub fn set_nz(&mut self, result: u32) {
        self.n = result >> 31 != 0;
        self.z = result == 0;
    }
}

/// What data processing and branches depend on: R0 to R14, PC, the flags and IT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Registers {
    r: [u32; 16],
    pc: u32,
    flags: Flags,
    it: u8,
}

impl Processor {
    /// A copy of them.
    pub(crate) fn registers(&self) -> Registers {
        Registers { r: self.r, pc: self.pc, flags: self.flags, it: self.it }
    }

    /// A register as an instruction reads it: PC is the instruction's address + 4.
    #[inline]
    pub(crate) fn reg(&self, number: u32) -> u32 {
        if number == 15 { self.pc.wrapping_add(4) } else { self.r[number as usize & 15] }
    }

    /// `Align(PC, 4)`, the base of literals.
    pub(crate) fn literal_base(&self) -> u32 {
        self.reg(15) & !3
    }

    /// Sets R0 to R14; bits 1 and 0 of the stack pointer stay 0.
    #[inline]
    pub(crate) fn set(&mut self, number: u32, value: u32) {
        self.r[number as usize & 15] = if number == 13 { value & !3 } else { value };
    }

    /// A register for a debugger: 0 to 12, 13 current SP, 14 LR, 15 address of the next instruction.
    pub fn register(&self, number: usize) -> u32 {
        if number & 15 == 15 { self.pc } else { self.r[number & 15] }
    }

    /// A register as a debugger sees it.
    pub fn peek_register(&self, register: Register) -> u64 {
        let narrow = match register {
            Register::R(number) => self.register(usize::from(number)),
            Register::Xpsr => self.xpsr(),
            Register::Msp | Register::Psp if (register == Register::Psp) == self.uses_psp() => self.r[13],
            Register::Msp | Register::Psp => self.other_sp,
            Register::Primask => u32::from(self.primask),
            Register::Basepri => u32::from(self.basepri),
            Register::Faultmask => u32::from(self.faultmask),
            Register::Control => self.control(),
            Register::D(number) => return self.fpu.get(fpu::Register::double(u32::from(number))),
            Register::Fpscr => self.fpu.status.0,
            Register::X(_) | Register::Pc => 0,
        };
        u64::from(narrow)
    }

    /// A debugger sets a register, not PC (`send_to`). False for CONTROL, which cannot be set.
    pub fn poke_register(&mut self, register: Register, value: u64) -> bool {
        let narrow = value as u32;
        match register {
            Register::R(number) => self.set(u32::from(number), narrow),
            // Which exception is active is not for a debugger to say.
            Register::Xpsr => self.restore_psr(narrow),
            Register::Msp | Register::Psp => {
                let in_use = (register == Register::Psp) == self.uses_psp();
                *(if in_use { &mut self.r[13] } else { &mut self.other_sp }) = narrow & !3;
            }
            Register::Primask => self.primask = narrow & 1 != 0,
            Register::Basepri => self.basepri = self.nvic.implemented(narrow as u8),
            Register::Faultmask => self.change_faultmask(narrow & 1 != 0),
            Register::Control | Register::X(_) | Register::Pc => return false,
            Register::D(number) => self.fpu.put(fpu::Register::double(u32::from(number)), value),
            Register::Fpscr => self.fpu.set_status(narrow),
        }
        self.exceptions_changed = true;
        true
    }

    /// xPSR: flags, IT, T, exception number.
    pub fn xpsr(&self) -> u32 {
        let it = u32::from(self.it);
        self.flags.word() | (it & 3) << 25 | (it >> 2) << 10 | u32::from(self.thumb) << 24 | u32::from(self.ipsr)
    }

    /// Sets flags, IT and T from an xPSR.
    pub(crate) fn restore_psr(&mut self, psr: u32) {
        self.flags.set_nzcvq(psr);
        self.flags.set_ge(psr);
        self.it = (psr >> 25 & 3 | psr >> 8 & 0xfc) as u8;
        self.thumb = psr & 1 << 24 != 0;
    }

    /// Whether the core is in handler mode.
    pub(crate) fn is_handler(&self) -> bool {
        self.ipsr != 0
    }

    /// Whether accesses are privileged.
    pub fn is_privileged(&self) -> bool {
        self.is_handler() || !self.unprivileged
    }

    pub(crate) fn uses_psp(&self) -> bool {
        self.spsel && !self.is_handler()
    }

    /// CONTROL: nPRIV, SPSEL, FPCA (B1.4.4).
    pub(crate) fn control(&self) -> u32 {
        u32::from(self.fpca) << 2 | u32::from(self.spsel) << 1 | u32::from(self.unprivileged)
    }

    /// `BranchWritePC`: bit 0 of the address is ignored.
    pub(crate) fn branch(&mut self, target: u32) {
        self.next = target & !1;
    }

    /// `BXWritePC` (A2.3.1): bit 0 of the address becomes EPSR.T; an `EXC_RETURN` value returns from an exception.
    pub(crate) fn branch_exchange(&mut self, target: u32) {
        if self.is_handler() && target >> 28 == 15 {
            self.returning = Some(target);
        } else {
            self.thumb = target & 1 != 0;
            self.next = target & !1;
        }
    }
}
