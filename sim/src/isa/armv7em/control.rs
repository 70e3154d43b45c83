//! Branches, hints, barriers, SVC.

use crate::core::cortex_m::SV_CALL;
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
                    self.branch_by(near_offset(first, second));
                }
            }
            (0, 0) => return self.special(first, second, bus),
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

    fn special(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
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
}

/// The offset of a conditional branch (B, encoding T3).
fn near_offset(first: u32, second: u32) -> u32 {
    let (sign, one, two) = (first >> 10 & 1, second >> 13 & 1, second >> 11 & 1);
    let offset = sign << 20 | two << 19 | one << 18 | (first & 0x3f) << 12 | (second & 0x7ff) << 1;
    ((offset << 11) as i32 >> 11) as u32
}
