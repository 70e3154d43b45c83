//! Context of an access to a block.

use crate::core::loss::Losses;
use crate::stm32h745::Time;
use crate::stm32h745::report::Reports;

/// An access in progress.
pub struct Context<'a> {
    /// Accessing core.
    pub core: usize,
    /// Name of the accessed block.
    pub block: &'static str,
    /// Word address.
    pub address: u32,
    /// Mask of the accessed byte lanes.
    pub lanes: u32,
    /// Time of the access.
    pub now: Time,
    /// Reports of software errors.
    pub reports: &'a mut Reports,
    /// Interrupts of the hardware semaphores to lose, as injected faults.
    pub losses: &'a mut Losses,
}

impl Context<'_> {
    /// Reports a software error of this access.
    pub fn warn(&mut self, sentence: impl Into<String>) {
        self.reports.record(Some(self.core), self.address, self.now, sentence);
    }

    /// Reports that a register is not modelled. Returns 0, its value.
    pub fn unmodelled(&mut self) -> u32 {
        let block = self.block;
        self.warn(format!("{block}: this register is not modelled: it reads as 0 and ignores writes"));
        0
    }
}
