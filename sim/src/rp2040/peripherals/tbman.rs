//! The test bench manager: whether this is a chip (datasheet 2.22).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2040::peripherals::{Block, Context, Peripheral};

/// Register offset (2.22.1).
const PLATFORM: u32 = 0x0;
/// `PLATFORM.ASIC`.
const ASIC: u32 = 1 << 0;

/// `TBMAN`.
pub const TBMAN: Block = Block { reset: 1 << 20, ..Block::new("TBMAN", 0x4006_c000) };

/// The test bench manager.
#[derive(Clone, Debug, Hash)]
pub struct Tbman;

impl Peripheral for Tbman {
    fn new(_: &'static Block) -> Self {
        Self
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        (offset == PLATFORM).then_some(ASIC)
    }

    fn write(&mut self, offset: u32, _value: u32, context: &mut Context<'_>) {
        if offset != PLATFORM {
            context.diagnostics.unmodelled(TBMAN.name, offset, "write to", context.now);
        }
    }
}
