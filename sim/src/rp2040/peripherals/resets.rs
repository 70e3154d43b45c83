//! The reset controller of the peripherals (datasheet 2.14).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2040::peripherals::{Block, Context, Effect, Peripheral};

/// Register offsets (2.14.3).
const RESET: u32 = 0x0;
const WDSEL: u32 = 0x4;
const RESET_DONE: u32 = 0x8;

/// Bits of all registers: one per block (2.14.3).
pub const ALL: u32 = 0x01ff_ffff;

/// `RESETS`.
pub const RESETS: Block = Block {
    effect: Effect::Resets,
    modelled: "all blocks that are modelled, at once",
    missing: "delays",
    ..Block::new("RESETS", 0x4000_c000)
};

/// The reset controller. After power-on it holds everything.
#[derive(Clone, Debug, Hash)]
pub struct Resets {
    reset: u32,
    wdsel: u32,
}

impl Resets {
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

impl Peripheral for Resets {
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
