//! The PWM block (datasheet 4.5).

use crate::rp2::pwm;
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::{Block, Effect};

/// Slices (4.5.1).
const SLICES: usize = 8;

/// `PWM`.
pub const PWM: Block = Block {
    base: 0x4005_0000,
    reset: 1 << 14,
    interrupts: &[Irq::PwmWrap as u8],
    dreqs: &[24, 25, 26, 27, 28, 29, 30, 31],
    write_one_clears: &[pwm::intr(SLICES)],
    effect: Effect::Moves,
    modelled: "8 counters, wraps, interrupts, DMA requests, outputs, counting of pins",
    ..pwm::PWM
};

/// The block.
pub type Pwm = pwm::Pwm<SLICES, 1>;
