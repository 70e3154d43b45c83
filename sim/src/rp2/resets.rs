//! The reset controller of the peripherals (RP2040 datasheet 2.14, RP2350 datasheet 7.5).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::{Block, Context, Effect, Peripheral};

/// Register offsets (RP2040 datasheet 2.14.3, RP2350 datasheet 7.5.3).
const RESET: u32 = 0x0;
const WDSEL: u32 = 0x4;
const RESET_DONE: u32 = 0x8;

/// What is the same of the reset controllers.
pub const RESETS: Block = Block {
    effect: Effect::Resets,
    modelled: "all blocks that are modelled, at once",
    missing: "delays",
    ..Block::new("RESETS", 0)
};

/// The reset controller of the blocks in the set `ALL`, a bit each. After power-on it holds everything.
#[derive(Clone, Debug, Hash)]
pub struct Resets<const ALL: u32> {
    reset: u32,
    wdsel: u32,
}

impl<const ALL: u32> Resets<ALL> {
    /// The blocks that are held in reset.
    pub fn held(&self) -> u32 {
        self.reset
    }

    /// Does what the watchdog does: resets the blocks in `WDSEL`, and tells which.
    pub fn watchdog(&mut self) -> u32 {
        self.reset |= self.wdsel;
        self.wdsel
    }
}

impl<const ALL: u32> Peripheral for Resets<ALL> {
    fn new(_: &'static Block) -> Self {
        Self { reset: ALL, wdsel: 0 }
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            RESET => self.reset,
            WDSEL => self.wdsel,
            // At once: how long a block takes is not documented, and firmware polls.
            RESET_DONE => !self.reset & ALL,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            RESET => self.reset = value & ALL,
            WDSEL => self.wdsel = value & ALL,
            RESET_DONE => {}
            _ => context.diagnostics.unmodelled(RESETS.name, offset, "write to", context.now),
        }
    }
}
