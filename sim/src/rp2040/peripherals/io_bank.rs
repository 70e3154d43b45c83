//! Pin functions, for the user bank and the QSPI bank (datasheet 2.19): they read back, and say who drives a pin.

use crate::core::time::Cycle;
use crate::rp2040::clock::Clocks;
use crate::rp2040::peripherals::{Block, Context, Effect, Peripheral};

/// `GPIOn_CTRL` after reset: no function (2.19.6).
const CTRL_RESET: u32 = 0x1f;
const CTRL_MASK: u32 = 0x3003_331f;
/// The pin of the QSPI bank that selects the flash (2.19.6.2).
pub const QSPI_SS: usize = 1;

/// `IO_BANK0`.
pub const IO_BANK0: Block = Block {
    reset: 1 << 5,
    effect: Effect::Pins,
    modelled: "pins of SIO and PIO, overrides",
    missing: "interrupts of pins, `STATUS`, other functions, overrides in what SIO reads of pins that it drives",
    ..Block::new("IO_BANK0", 0x4001_4000)
};
/// `IO_QSPI`.
pub const IO_QSPI: Block = Block {
    reset: 1 << 6,
    effect: Effect::Pins,
    modelled: "overrides of `QSPI_SS`, which is high otherwise (BOOTSEL is not pressed); registers read back",
    missing: "interrupts of pins, overrides of other pins",
    ..Block::new("IO_QSPI", 0x4001_8000)
};

/// One bank of pins.
#[derive(Clone, Debug, Hash)]
pub struct IoBank<const PINS: usize> {
    ctrl: [u32; PINS],
}

/// Bank 0.
pub type IoBank0 = IoBank<30>;
/// The QSPI bank.
pub type IoQspi = IoBank<6>;

impl<const PINS: usize> IoBank<PINS> {
    const BLOCK: &'static Block = if PINS == 6 { &IO_QSPI } else { &IO_BANK0 };

    /// `GPIOn_CTRL`.
    pub(super) fn control(&self, pin: usize) -> u32 {
        self.ctrl[pin % PINS]
    }

    /// The level that the overrides of a pin give it, whatever its function: an output that is turned off is pulled up, as the
    /// pad of `QSPI_SS` is after reset.
    pub fn forced(&self, pin: usize) -> Option<bool> {
        const DISABLE: u32 = 2;
        const LOW: u32 = 2;
        const HIGH: u32 = 3;
        match (self.ctrl[pin] >> 12 & 3, self.ctrl[pin] >> 8 & 3) {
            (DISABLE, _) | (_, HIGH) => Some(true),
            (_, LOW) => Some(false),
            _ => None,
        }
    }

    /// The pin whose registers are at an offset.
    fn pin(offset: u32) -> Option<usize> {
        Some((offset / 8) as usize).filter(|pin| *pin < PINS)
    }
}

impl<const PINS: usize> Peripheral for IoBank<PINS> {
    fn new(_: &'static Block) -> Self {
        Self { ctrl: [CTRL_RESET; PINS] }
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        // STATUS, and the interrupts of pins, are not modelled.
        Self::pin(offset).filter(|_| offset & 4 != 0).map(|pin| self.ctrl[pin])
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match Self::pin(offset) {
            Some(pin) if offset & 4 != 0 => self.ctrl[pin] = value & CTRL_MASK,
            // Interrupts of pins are not modelled: only turning one on is worth a word.
            _ if value == 0 => {}
            _ => context.diagnostics.unmodelled(Self::BLOCK.name, offset, "write to", context.now),
        }
    }
}
