//! What a block may know and use while it is accessed.

use crate::core::loss::Losses;
use crate::stm32h745::Time;
use crate::stm32h745::report::Reports;

/// An access under way.
pub struct Context<'a> {
    /// The core that makes it.
    pub core: usize,
    /// Its address, on a word.
    pub address: u32,
    /// Bits of the word that it touches.
    pub lanes: u32,
    /// When.
    pub now: Time,
    /// Where mistakes are told.
    pub reports: &'a mut Reports,
    /// Interrupts of the hardware semaphores that are lost, for faults that were asked for.
    pub losses: &'a mut Losses,
}

impl Context<'_> {
    /// Tells of a mistake of this access.
    pub fn warn(&mut self, sentence: impl Into<String>) {
        self.reports.record(Some(self.core), self.address, self.now, sentence);
    }

    /// Tells that the register of a block is not modelled; it reads as zero.
    pub fn unmodelled(&mut self, block: &str) -> u32 {
        self.warn(format!("{block}: this register is not modelled: it reads as 0 and ignores writes"));
        0
    }
}
