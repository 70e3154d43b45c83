//! What the state machines of a block have in common.

use crate::rp2040::peripherals::pins::Outputs;

/// What the state machines of a block share, in one cycle of `clk_sys`.
#[derive(Clone, Debug, Default, Hash)]
pub struct Shared {
    /// Output levels and output enables.
    pub out: u32,
    /// See `out`.
    pub dirs: u32,
    /// Input levels, behind the synchronisers.
    pub input: u32,
    /// IRQ flags as they are at the beginning of the cycle, and those that are raised and lowered in it.
    pub irq: u8,
    /// See `irq`.
    pub raised: u8,
    /// See `irq`.
    pub lowered: u8,
    /// `FDEBUG`.
    pub fdebug: u32,
    /// Somebody has written to pins.
    pub wrote_pins: bool,
    /// State machines that have pushed or pulled.
    pub moved: u8,
}

impl Shared {
    /// What the block drives.
    #[inline]
    pub fn outputs(&self) -> Outputs {
        Outputs { levels: self.out, enables: self.dirs }
    }

    /// Raises and lowers flags at the end of a cycle. Whether any has changed.
    #[inline]
    pub fn change_irqs(&mut self) -> bool {
        let (raised, lowered) = (std::mem::take(&mut self.raised), std::mem::take(&mut self.lowered));
        let before = self.irq;
        self.irq = (self.irq & !lowered) | raised;
        self.irq != before
    }

    /// Writes levels or directions of pins.
    #[inline]
    pub fn drive(&mut self, pins: u32, data: u32, dirs: bool) {
        let target = if dirs { &mut self.dirs } else { &mut self.out };
        *target = (*target & !pins) | (data & pins);
    }
}
