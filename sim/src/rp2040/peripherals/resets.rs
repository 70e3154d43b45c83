//! The reset controller of the peripherals (datasheet 2.14).

use crate::core::time::Cycle;
use crate::rp2040::clock::Clocks;
use crate::rp2040::peripherals::{Context, Peripheral};

/// Register offsets (2.14.3).
const RESET: u32 = 0x0;
const WDSEL: u32 = 0x4;
const RESET_DONE: u32 = 0x8;

/// Bits of all registers: one per block (2.14.3).
pub const ALL: u32 = 0x01ff_ffff;
#[allow(missing_docs)] // the datasheet's names
pub mod bit {
    pub const BUSCTRL: u32 = 1 << 1;
    pub const DMA: u32 = 1 << 2;
    pub const IO_BANK0: u32 = 1 << 5;
    pub const IO_QSPI: u32 = 1 << 6;
    pub const PADS_BANK0: u32 = 1 << 8;
    pub const PADS_QSPI: u32 = 1 << 9;
    pub const PLL_SYS: u32 = 1 << 12;
    pub const PLL_USB: u32 = 1 << 13;
    pub const PWM: u32 = 1 << 14;
    pub const RTC: u32 = 1 << 15;
    pub const SYSCFG: u32 = 1 << 18;
    pub const SYSINFO: u32 = 1 << 19;
    pub const TBMAN: u32 = 1 << 20;
    pub const TIMER: u32 = 1 << 21;
    pub const UART0: u32 = 1 << 22;
    pub const UART1: u32 = 1 << 23;
}

/// The reset controller. After power-on it holds everything.
#[derive(Clone, Debug, Hash)]
pub struct Resets {
    reset: u32,
    wdsel: u32,
}

impl Default for Resets {
    fn default() -> Self {
        Self { reset: ALL, wdsel: 0 }
    }
}

impl Resets {
    /// The blocks that are held in reset.
    #[must_use]
    pub fn held(&self) -> u32 {
        self.reset
    }

    /// Lets go of blocks, as the boot ROM does for those it uses.
    pub fn release(&mut self, blocks: u32) {
        self.reset &= !blocks;
    }

    /// Does what the watchdog does: resets the blocks in `WDSEL`, and tells which.
    pub fn watchdog(&mut self) -> u32 {
        self.reset |= self.wdsel;
        self.wdsel
    }
}

impl Peripheral for Resets {
    const NAME: &'static str = "RESETS";

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> u32 {
        if offset > RESET_DONE {
            context.diagnostics.unmodelled(Self::NAME, offset, "read of", context.now);
        }
        self.peek(offset, context.now, context.clocks)
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> u32 {
        match offset {
            RESET => self.reset,
            WDSEL => self.wdsel,
            // At once: how long a block takes is not documented, and firmware polls.
            RESET_DONE => !self.reset & ALL,
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            RESET => self.reset = value & ALL,
            WDSEL => self.wdsel = value & ALL,
            RESET_DONE => {}
            _ => context.diagnostics.unmodelled(Self::NAME, offset, "write to", context.now),
        }
    }
}
