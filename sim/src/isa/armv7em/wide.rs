//! 32-bit instructions by class (A5.3).

use crate::isa::armv7em::bus::Bus;
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::{ExecutionResult, Processor};

impl Processor {
    pub(crate) fn execute_wide(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let kind = first >> 4 & 0x7f;
        match first >> 11 & 3 {
            1 => match kind {
                _ if kind & 0x40 != 0 => self.coprocessor(first, second, bus),
                _ if kind & 0x20 != 0 => self.shifted_register(first, second),
                _ if kind & 4 == 0 => self.transfer_multiple(first, second, bus),
                _ => self.transfer_dual(first, second, bus),
            },
            2 if second & 0x8000 != 0 => self.branch_or_control(first, second, bus),
            2 if kind & 0x20 == 0 => self.modified_immediate(first, second),
            2 => self.plain_immediate(first, second),
            _ => match kind {
                _ if kind & 0x40 != 0 => self.coprocessor(first, second, bus),
                0x20..=0x2f => self.register_operands(first, second),
                0x30..=0x37 => self.multiply(first, second),
                0x38..=0x3f => self.long_multiply(first, second),
                _ if kind & 1 != 0 && kind & 7 != 7 => self.load_one(first, second, bus),
                _ if kind & 0x11 == 0 => self.store_one(first, second, bus),
                _ => Err(Fault::Undefined),
            },
        }
    }
}
