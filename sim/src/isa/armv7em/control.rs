//! Branches, hints, barriers, SVC, MRS, MSR, CPS.

use crate::core::cortex_m::SV_CALL;
use crate::core::register::Register;
use crate::isa::armv7em::bus::{Bus, Event};
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::{ExecutionResult, Processor, Sleep};
use crate::isa::thumb::bl_offset;

impl Processor {
    /// Branches and miscellaneous control.
    pub(crate) fn branch_or_control(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        match (second >> 14 & 1, second >> 12 & 1) {
            (0, 0) if first >> 7 & 7 != 7 => {
                if self.flags.condition_passed(first >> 6 & 15) {
                    self.branch_by(conditional_branch_offset(first, second));
                }
            }
            (0, 0) => return self.miscellaneous_control(first, second, bus),
            (0, _) => self.branch_by(bl_offset(first, second)),
            (_, 1) => {
                self.set(14, self.next | 1);
                self.branch_by(bl_offset(first, second));
            }
            _ => return Err(Fault::Undefined),
        }
        Ok(())
    }

    fn branch_by(&mut self, offset: u32) {
        self.branch(self.reg(15).wrapping_add(offset));
    }

    fn miscellaneous_control(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        match first >> 4 & 0x7f {
            0x38 | 0x39 => return self.write_special(second & 0xff, second >> 10 & 3, self.reg(first & 15)),
            0x3e | 0x3f => {
                let value = self.read_special(second & 0xff)?;
                self.set(second >> 8 & 15, value);
            }
            0x3a if (second >> 8).is_multiple_of(8) => self.hint(second & 0xff, bus),
            0x3b => match second >> 4 & 15 {
                2 => self.exclusive = false,
                // DSB, DMB, ISB: accesses are in order and complete at once.
                4 => {
                    self.mpu.data_barrier();
                    bus.observe(Event::DataSynchronizationBarrier);
                }
                5 => bus.observe(Event::DataMemoryBarrier),
                6 => self.mpu.instruction_barrier(),
                _ => return Err(Fault::Undefined),
            },
            _ => return Err(Fault::Undefined),
        }
        Ok(())
    }

    /// NOP, YIELD, WFE, WFI, SEV, DBG: hint number in bits 7:4 of the 16-bit encoding (A5.2.5), or in bits 3:0.
    pub(crate) fn hint(&mut self, number: u32, bus: &mut impl Bus) {
        match if number.is_multiple_of(16) { number >> 4 } else { number } {
            2 if !std::mem::take(&mut self.event) => self.sleep = Sleep::ForEvent,
            3 => self.sleep = Sleep::ForInterrupt,
            4 => {
                self.event = true;
                bus.send_event();
            }
            _ => {}
        }
    }

    /// SVC escalates to `HardFault` where its priority is not above the execution priority (B1.5.4).
    pub(crate) fn supervisor_call(&mut self) -> ExecutionResult {
        if self.nvic.group_priority(SV_CALL) >= self.execution_priority() {
            return Err(Fault::SupervisorCall);
        }
        self.pend(SV_CALL);
        Ok(())
    }

    /// A special register by `SYSm`. Privileged ones read as 0 in unprivileged code.
    fn read_special(&self, number: u32) -> Result<u32, Fault> {
        Ok(match number {
            // EPSR reads as 0.
            0..=7 => {
                let flags = if number & 4 == 0 { self.flags.word() } else { 0 };
                flags | if number & 1 != 0 { u32::from(self.ipsr) } else { 0 }
            }
            8 | 9 | 16..=19 if !self.is_privileged() => 0,
            _ => self.peek_register(special_register(number).ok_or(Fault::Undefined)?) as u32,
        })
    }

    /// Writes a special register; `mask` selects N, Z, C, V, Q (bit 1) and GE (bit 0) of APSR.
    fn write_special(&mut self, number: u32, mask: u32, value: u32) -> ExecutionResult {
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
            18 => {
                // BASEPRI_MAX only raises the priority.
                let value = self.nvic.implemented(value as u8);
                if value != 0 && (value < self.basepri || self.basepri == 0) {
                    self.basepri = value;
                }
            }
            19 => self.set_faultmask(value & 1 != 0),
            20 => self.write_control(value),
            _ => {
                let register = special_register(number).ok_or(Fault::Undefined)?;
                self.poke_register(register, u64::from(value));
            }
        }
        self.exceptions_changed = true;
        Ok(())
    }

    /// FAULTMASK can be set at priorities below that of `HardFault` only (B1.4.3).
    fn set_faultmask(&mut self, set: bool) {
        if !set || self.execution_priority() > -1 {
            self.change_faultmask(set);
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

/// A special register that MRS and MSR move as a debugger does, by `SYSm`; 18 is `BASEPRI_MAX`.
fn special_register(number: u32) -> Option<Register> {
    Some(match number {
        8 => Register::Msp,
        9 => Register::Psp,
        16 => Register::Primask,
        17 | 18 => Register::Basepri,
        19 => Register::Faultmask,
        20 => Register::Control,
        _ => return None,
    })
}

/// The offset of a conditional branch (B, encoding T3).
fn conditional_branch_offset(first: u32, second: u32) -> u32 {
    let (sign, one, two) = (first >> 10 & 1, second >> 13 & 1, second >> 11 & 1);
    let offset = sign << 20 | two << 19 | one << 18 | (first & 0x3f) << 12 | (second & 0x7ff) << 1;
    ((offset << 11) as i32 >> 11) as u32
}
