//! The power-on state machine (RP2040 datasheet 2.13, RP2350 datasheet 7.4): the order in which the chip comes up, and how core 1 is reset.

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::{Block, Context, Effect, Peripheral};

/// Register offsets (RP2040 datasheet 2.13.5).
const FRCE_ON: u32 = 0x0;
const FRCE_OFF: u32 = 0x4;
const WDSEL: u32 = 0x8;
const DONE: u32 = 0xc;

/// What is the same of the state machines.
pub const PSM: Block = Block {
    effect: Effect::Cores,
    modelled: "reset of the cores; what the watchdog resets",
    missing: "order and delays of power-on, other stages held off",
    ..Block::new("PSM", 0)
};

/// The state machine, when power-on is over. Its last stages are the cores, from bit `PROC0` on.
#[derive(Clone, Debug, Default, Hash)]
pub struct Psm<const PROC0: u32> {
    frce_on: u32,
    frce_off: u32,
    wdsel: u32,
}

impl<const PROC0: u32> Psm<PROC0> {
    const ALL: u32 = (1 << (PROC0 + 2)) - 1;

    /// Stages that are held off. Each waits for the one before it (RP2040 datasheet 2.13.2), but the cores, the last two, for no one that
    /// firmware could hold off and go on.
    pub fn held(&self) -> u32 {
        let stages = self.frce_off & !self.frce_on;
        let before_cores = stages & ((1 << PROC0) - 1);
        (if before_cores == 0 { stages } else { stages | from(before_cores) }) & Self::ALL
    }

    /// Whether a core is held in reset.
    pub fn core_held(&self, core: usize) -> bool {
        self.held() >> (PROC0 + (core as u32 & 1)) & 1 == 1
    }

    /// The stages that the watchdog resets: those in `WDSEL`, and all that come after (RP2040 datasheet 2.13.4).
    pub fn watchdog(&self) -> u32 {
        if self.wdsel == 0 { 0 } else { from(self.wdsel) & Self::ALL }
    }
}

/// The lowest bit of `stages` and all above.
fn from(stages: u32) -> u32 {
    !((stages & stages.wrapping_neg()).wrapping_sub(1))
}

impl<const PROC0: u32> Peripheral for Psm<PROC0> {
    fn new(_: &'static Block) -> Self {
        Self::default()
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            FRCE_ON => self.frce_on,
            FRCE_OFF => self.frce_off,
            WDSEL => self.wdsel,
            DONE => !self.held() & Self::ALL,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let value = value & Self::ALL;
        match offset {
            FRCE_ON => self.frce_on = value,
            FRCE_OFF => {
                self.frce_off = value;
                if value & !(3 << PROC0) != 0 {
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
