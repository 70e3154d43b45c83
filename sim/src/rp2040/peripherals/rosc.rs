//! The ring oscillator (datasheet 2.17).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2::xosc::{COMA, DISABLE, ENABLE, STATUS_BADWRITE, STATUS_ENABLED, STATUS_STABLE, WAKE};
use crate::rp2040::peripherals::{Block, Context, Effect, Peripheral};

/// Nominal rate in Hz at reset settings: 1.8 to 12 MHz, typically 6.5 MHz (2.17).
pub const NOMINAL: u64 = 6_500_000;

/// Register offsets (2.17.8).
const CTRL: u32 = 0x00;
const FREQA: u32 = 0x04;
const FREQB: u32 = 0x08;
const DORMANT: u32 = 0x0c;
const DIV: u32 = 0x10;
const PHASE: u32 = 0x14;
const STATUS: u32 = 0x18;
const RANDOMBIT: u32 = 0x1c;
const COUNT: u32 = 0x20;

const CTRL_RESET: u32 = 0x0aa0;
/// `FREQA` and `FREQB` take drive strengths only with this in the upper half.
const FREQ_PASSWORD: u32 = 0x9696;
/// `DIV` is this + the divisor, of which 0 means 32; 16 after reset.
const DIV_PASS: u32 = 0xaa0;
const DIV_RESET: u32 = 16;
/// `PHASE` takes its bits only with this above them.
const PHASE_PASSWORD: u32 = 0xaa;
/// A bit of `STATUS`, beside those that XOSC has, too.
const STATUS_DIV_RUNNING: u32 = 1 << 16;

/// `ROSC`.
pub const ROSC: Block = Block {
    write_one_clears: &[STATUS],
    effect: Effect::Rates,
    modelled: "rate by `DIV`, dormant mode",
    missing: "drive strengths, stages; `RANDOMBIT` repeats from run to run with the same seed",
    ..Block::new("ROSC", 0x4006_0000)
};

/// The ring oscillator; it runs from power-on, at exactly its nominal rate.
#[derive(Clone, Debug, Hash)]
pub struct Rosc {
    ctrl: u32,
    freqa: u32,
    freqb: u32,
    divisor: u32,
    phase: u32,
    badwrite: bool,
    on: bool,
    dormant: bool,
    /// What `RANDOMBIT` depends on, beside time.
    pub chance: u64,
}

impl Rosc {
    /// Rate in Hz; 0 while off. It follows `DIV`; drive strengths and the number of stages are not modelled.
    pub fn rate(&self) -> u64 {
        if self.on && !self.is_dormant() { NOMINAL * u64::from(DIV_RESET) / u64::from(self.divisor) } else { 0 }
    }

    /// Whether it pauses.
    pub(super) fn is_dormant(&self) -> bool {
        self.dormant
    }

    /// Something ends its pause.
    pub(super) fn wake_up(&mut self) {
        self.dormant = false;
    }
}

impl Peripheral for Rosc {
    fn new(_: &'static Block) -> Self {
        Self {
            ctrl: CTRL_RESET,
            freqa: 0,
            freqb: 0,
            divisor: DIV_RESET,
            phase: 8,
            badwrite: false,
            on: true,
            dormant: false,
            chance: 0,
        }
    }

    fn peek(&self, offset: u32, now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            CTRL => self.ctrl,
            FREQA => self.freqa,
            FREQB => self.freqb,
            DORMANT => {
                if self.is_dormant() {
                    COMA
                } else {
                    WAKE
                }
            }
            DIV => DIV_PASS + (self.divisor & 31),
            PHASE => self.phase,
            STATUS => {
                let running = if self.on { STATUS_STABLE | STATUS_DIV_RUNNING | STATUS_ENABLED } else { 0 };
                running | if self.badwrite { STATUS_BADWRITE } else { 0 }
            }
            // Not random: runs repeat. The top bit of a product mixes the bits of the cycle well enough.
            RANDOMBIT => ((now ^ self.chance).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63) as u32,
            COUNT => 0,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            CTRL => {
                self.ctrl = value & 0x00ff_ffff;
                match self.ctrl >> 12 {
                    ENABLE => self.on = true,
                    DISABLE => self.on = false,
                    _ => {
                        // "An invalid setting will enable the oscillator." (2.17.8)
                        self.on = true;
                        self.badwrite = true;
                    }
                }
            }
            FREQA | FREQB => {
                let drives = if value >> 16 == FREQ_PASSWORD { value & 0x7777 } else { 0 };
                let stored = FREQ_PASSWORD << 16 | drives;
                *(if offset == FREQA { &mut self.freqa } else { &mut self.freqb }) = stored;
                if drives != 0 {
                    context.diagnostics.unmodelled(ROSC.name, offset, "drive strength in", context.now);
                }
            }
            DIV => match value.wrapping_sub(DIV_PASS) {
                0 => self.divisor = 32,
                divisor @ 1..32 => self.divisor = divisor,
                _ => {
                    // "any other value sets div = 31" (2.17.8)
                    self.divisor = 31;
                    self.badwrite = true;
                }
            },
            PHASE if value >> 4 & 0xff == PHASE_PASSWORD => self.phase = value & 0xfff,
            // Anything else wakes it (2.17.8).
            DORMANT => self.dormant = value == COMA,
            STATUS => self.badwrite &= value & STATUS_BADWRITE == 0,
            PHASE | RANDOMBIT => {}
            _ => context.diagnostics.unmodelled(ROSC.name, offset, "write to", context.now),
        }
    }
}
