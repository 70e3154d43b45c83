//! The phase-locked loops, for the system and for USB (datasheet 2.18).

use crate::core::time::Cycle;
use crate::rp2::clock::{Clocks, FS};
use crate::rp2::peripheral::{Block, Context, Effect, Peripheral};
use crate::rp2::xosc::CRYSTAL;

/// Register offsets (2.18.4).
const CS: u32 = 0x00;
const PWR: u32 = 0x04;
const FBDIV_INT: u32 = 0x08;
const PRIM: u32 = 0x0c;

/// `CS` fields.
const CS_LOCK: u32 = 1 << 31;
const CS_BYPASS: u32 = 1 << 8;
const CS_REFDIV: u32 = 0x3f;
/// `PWR` bits: what is powered down.
const PWR_PD: u32 = 1 << 0;
const PWR_POSTDIVPD: u32 = 1 << 3;
const PWR_VCOPD: u32 = 1 << 5;
const PWR_MASK: u32 = 0x2d;
const FBDIV_MASK: u32 = 0xfff;
const PRIM_MASK: u32 = 0x0007_7000;

/// Periods of the divided reference until the loop locks. Not documented; this is 42 µs at 12 MHz.
const LOCK_PERIODS: u64 = 500;

/// What is the same of all PLLs.
pub const PLL: Block = Block { effect: Effect::Rates, modelled: "rates, time to lock", ..Block::new("PLL", 0) };

/// One PLL.
#[derive(Clone, Debug, Hash)]
pub struct Pll {
    block: &'static Block,
    cs: u32,
    pwr: u32,
    fbdiv: u32,
    prim: u32,
    /// Real time in femtoseconds at which it locks, while powered up.
    locks_at: Option<u128>,
}

impl Pll {
    /// Rate of the output in Hz with the reference at `reference` Hz: reference / REFDIV x FBDIV / (POSTDIV1 x POSTDIV2)
    /// (2.18.2). 0 while powered down. Before it locks the final rate is given.
    pub fn rate(&self, reference: u64) -> u64 {
        if self.cs & CS_BYPASS != 0 {
            return reference;
        }
        if self.locks_at.is_none() || self.pwr & PWR_POSTDIVPD != 0 {
            return 0;
        }
        let divisors =
            self.reference_divisor() * u64::from((self.prim >> 16 & 7).max(1) * (self.prim >> 12 & 7).max(1));
        reference * u64::from(self.fbdiv) / divisors
    }

    fn reference_divisor(&self) -> u64 {
        u64::from((self.cs & CS_REFDIV).max(1))
    }

    /// (Re)starts the loop if it is powered up and has what it needs.
    fn relock(&mut self, context: &Context<'_>) {
        let powered = self.pwr & (PWR_PD | PWR_VCOPD) == 0 && self.fbdiv != 0;
        let delay = u128::from(LOCK_PERIODS * self.reference_divisor()) * FS / u128::from(CRYSTAL);
        self.locks_at = powered.then(|| context.clocks.femtoseconds(context.now) + delay);
    }
}

impl Peripheral for Pll {
    fn new(block: &'static Block) -> Self {
        Self { block, cs: 1, pwr: PWR_MASK, fbdiv: 0, prim: PRIM_MASK, locks_at: None }
    }

    fn peek(&self, offset: u32, now: Cycle, clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            CS => {
                let locked = self.locks_at.is_some_and(|at| clocks.femtoseconds(now) >= at);
                self.cs | if locked { CS_LOCK } else { 0 }
            }
            PWR => self.pwr,
            FBDIV_INT => self.fbdiv,
            PRIM => self.prim,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let before = (self.cs, self.pwr & (PWR_PD | PWR_VCOPD), self.fbdiv);
        match offset {
            CS => self.cs = value & (CS_BYPASS | CS_REFDIV),
            PWR => self.pwr = value & PWR_MASK,
            FBDIV_INT => self.fbdiv = value & FBDIV_MASK,
            PRIM => self.prim = value & PRIM_MASK,
            _ => context.diagnostics.unmodelled(self.block.name, offset, "write to", context.now),
        }
        if before != (self.cs, self.pwr & (PWR_PD | PWR_VCOPD), self.fbdiv) {
            self.relock(context);
        }
    }
}
