//! MRS, MSR, CPS.

use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::{ExecutionResult, Processor};

impl Processor {
    /// A special register by `SYSm`. Privileged ones read as 0 in unprivileged code.
    pub(crate) fn read_special(&self, number: u32) -> Result<u32, Fault> {
        let privileged = self.is_privileged();
        Ok(match number {
            // EPSR reads as 0.
            0..=7 => {
                let flags = if number & 4 == 0 { self.flags.word() } else { 0 };
                flags | if number & 1 != 0 { u32::from(self.ipsr) } else { 0 }
            }
            20 => self.control(),
            8 | 9 | 16..=19 if !privileged => 0,
            8 => self.msp(),
            9 => self.psp(),
            16 => u32::from(self.primask),
            17 | 18 => u32::from(self.basepri),
            19 => u32::from(self.faultmask),
            _ => return Err(Fault::Undefined),
        })
    }

    /// Writes a special register; `mask` selects N, Z, C, V, Q (bit 1) and GE (bit 0) of APSR.
    pub(crate) fn write_special(&mut self, number: u32, mask: u32, value: u32) -> ExecutionResult {
        match number {
            0..=3 => {
                if mask & 2 != 0 {
                    self.flags.set_nzcvq(value);
                }
                if mask & 1 != 0 {
                    self.flags.set_ge(value);
                }
            }
            5..=7 => {}
            8 | 9 | 16..=20 if !self.is_privileged() => {}
            8 | 9 => {
                let in_use = (number == 9) == self.uses_psp();
                *(if in_use { &mut self.r[13] } else { &mut self.other_sp }) = value & !3;
            }
            16 => self.primask = value & 1 != 0,
            17 => self.basepri = self.nvic.implemented(value as u8),
            18 => {
                // BASEPRI_MAX only raises the priority.
                let value = self.nvic.implemented(value as u8);
                if value != 0 && (value < self.basepri || self.basepri == 0) {
                    self.basepri = value;
                }
            }
            19 => self.set_faultmask(value & 1 != 0),
            20 => self.write_control(value),
            _ => return Err(Fault::Undefined),
        }
        self.exceptions_changed = true;
        Ok(())
    }

    /// FAULTMASK can be set at priorities below that of `HardFault` only (B1.4.3).
    fn set_faultmask(&mut self, set: bool) {
        if !set || self.execution_priority() > -1 {
            self.faultmask = set;
        }
    }

    fn write_control(&mut self, value: u32) {
        self.unprivileged = value & 1 != 0;
        // SPSEL can be written in thread mode only (B1.4.4).
        if !self.is_handler() && (value & 2 != 0) != self.spsel {
            self.spsel = value & 2 != 0;
            std::mem::swap(&mut self.r[13], &mut self.other_sp);
        }
        self.fpca = value & 4 != 0;
    }

    /// CPS: bit 4 disables, bits 1 and 0 select PRIMASK and FAULTMASK. No effect in unprivileged code.
    pub(crate) fn change_processor_state(&mut self, half: u32) {
        if !self.is_privileged() {
            return;
        }
        let disables = half & 0x10 != 0;
        if half & 2 != 0 {
            self.primask = disables;
        }
        if half & 1 != 0 {
            self.set_faultmask(disables);
        }
        self.exceptions_changed = true;
    }
}
