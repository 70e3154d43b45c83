//! The power-on state machine (datasheet 2.13): the order in which the chip comes up, and how core 1 is reset.

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2040::peripherals::{Block, Context, Effect, Peripheral};

/// Register offsets (2.13.5).
const FRCE_ON: u32 = 0x0;
const FRCE_OFF: u32 = 0x4;
const WDSEL: u32 = 0x8;
const DONE: u32 = 0xc;

/// Stages in their order, bit 0 first (2.13.5).
pub const ALL: u32 = 0x0001_ffff;
#[allow(missing_docs)] // the datasheet's names
pub mod bit {
    pub const CLOCKS: u32 = 1 << 2;
    pub const RESETS: u32 = 1 << 3;
    pub const SIO: u32 = 1 << 14;
    pub const PROC0: u32 = 1 << 15;
    pub const PROC1: u32 = 1 << 16;
}

/// `PSM`.
pub const PSM: Block = Block {
    effect: Effect::Cores,
    modelled: "reset of the cores; what the watchdog resets",
    missing: "order and delays of power-on, other stages held off",
    ..Block::new("PSM", 0x4001_0000)
};

/// The state machine, when power-on is over.
#[derive(Clone, Debug, Default, Hash)]
pub struct Psm {
    frce_on: u32,
    frce_off: u32,
    wdsel: u32,
}

impl Psm {
    /// Stages that are held off. Each waits for the one before it (2.13.2), but the cores, the last two, for no one that
    /// firmware could hold off and go on.
    pub fn held(&self) -> u32 {
        let stages = self.frce_off & !self.frce_on;
        let before_cores = stages & (bit::PROC0 - 1);
        (if before_cores == 0 { stages } else { stages | from(before_cores) }) & ALL
    }

    /// Whether a core is held in reset.
    pub fn core_held(&self, core: usize) -> bool {
        self.held() >> (15 + (core & 1)) & 1 == 1
    }

    /// The stages that the watchdog resets: those in `WDSEL`, and all that come after (2.13.4).
    pub fn watchdog(&self) -> u32 {
        if self.wdsel == 0 { 0 } else { from(self.wdsel) & ALL }
    }
}

/// The lowest bit of `stages` and all above.
fn from(stages: u32) -> u32 {
    !((stages & stages.wrapping_neg()).wrapping_sub(1))
}

impl Peripheral for Psm {
    fn new(_: &'static Block) -> Self {
        Self::default()
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            FRCE_ON => self.frce_on,
            FRCE_OFF => self.frce_off,
            WDSEL => self.wdsel,
            DONE => !self.held() & ALL,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let value = value & ALL;
        match offset {
            FRCE_ON => self.frce_on = value,
            FRCE_OFF => {
                self.frce_off = value;
                if value & !(bit::PROC0 | bit::PROC1) != 0 {
                    let what = "holding off stages other than the cores by";
                    context.diagnostics.unmodelled(PSM.name, offset, what, context.now);
                }
            }
            WDSEL => self.wdsel = value,
            DONE => {}
            _ => context.diagnostics.unmodelled(PSM.name, offset, "write to", context.now),
        }
    }
}
