//! Voltage regulator and chip-level reset (datasheet 2.10, 2.12.8).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2040::peripherals::{Block, Context, Peripheral};

/// Register offsets (2.10.6).
const VREG: u32 = 0x0;
const BOD: u32 = 0x4;
const CHIP_RESET: u32 = 0x8;
/// `VREG.ROK`: in regulation, always so here.
const VREG_ROK: u32 = 1 << 12;
const VREG_MASK: u32 = 0xf3;
const VREG_RESET: u32 = 0xb1;
const BOD_MASK: u32 = 0xf1;
const BOD_RESET: u32 = 0x91;
/// `CHIP_RESET.HAD_POR`: the last reset was power-on, always so here.
const HAD_POR: u32 = 1 << 8;
const PSM_RESTART_FLAG: u32 = 1 << 24;

/// `VREG_AND_CHIP_RESET`.
pub const VREG_AND_CHIP_RESET: Block = Block {
    modelled: "registers read back",
    missing: "voltages, brown-out",
    ..Block::new("VREG_AND_CHIP_RESET", 0x4006_4000)
};

/// The voltage regulator and chip-level reset registers: they read back, and do nothing.
#[derive(Clone, Debug, Hash)]
pub struct VregAndChipReset {
    vreg: u32,
    bod: u32,
}

impl Peripheral for VregAndChipReset {
    fn new(_: &'static Block) -> Self {
        Self { vreg: VREG_RESET, bod: BOD_RESET }
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            VREG => self.vreg | VREG_ROK,
            BOD => self.bod,
            CHIP_RESET => HAD_POR,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            VREG => self.vreg = value & VREG_MASK,
            BOD => self.bod = value & BOD_MASK,
            CHIP_RESET if value & PSM_RESTART_FLAG == 0 => {}
            _ => context.diagnostics.unmodelled(VREG_AND_CHIP_RESET.name, offset, "write to", context.now),
        }
    }
}
