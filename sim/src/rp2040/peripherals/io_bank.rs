//! Pin functions, for the user bank and the QSPI bank (datasheet 2.19): they say who drives a pin, and have its
//! interrupts.

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2::pin_interrupts::PinInterrupts;
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::{Block, Context, Effect, Peripheral};

/// `GPIOn_CTRL` after reset: no function (2.19.6).
const CTRL_RESET: u32 = 0x1f;
const CTRL_MASK: u32 = 0x3003_331f;
/// The pin of the QSPI bank that selects the flash (2.19.6.2).
pub const QSPI_SS: usize = 1;

/// `IO_BANK0`.
pub const IO_BANK0: Block = Block {
    reset: 1 << 5,
    interrupts: &[Irq::IoBank0 as u8],
    lazy: true,
    write_one_clears: &[0xf0, 0xf4, 0xf8, 0xfc],
    effect: Effect::Pins,
    modelled: "pins of SIO, PIO, PWM, UARTs (what they send) and clock outputs, overrides, `STATUS`, interrupts of pins",
    missing: "other functions, overrides in what SIO reads of pins that it drives",
    ..Block::new("IO_BANK0", 0x4001_4000)
};
/// `IO_QSPI`.
pub const IO_QSPI: Block = Block {
    reset: 1 << 6,
    interrupts: &[Irq::IoQspi as u8],
    write_one_clears: &[0x30],
    effect: Effect::Pins,
    modelled: "overrides and interrupts of `QSPI_SS`, which is high otherwise (BOOTSEL is not pressed); registers read back",
    missing: "levels of other pins, and of `QSPI_SS` while the flash is read",
    ..Block::new("IO_QSPI", 0x4001_8000)
};

/// One bank of pins.
#[derive(Clone, Debug, Hash)]
pub struct IoBank<const PINS: usize> {
    ctrl: [u32; PINS],
    pub(super) interrupts: PinInterrupts,
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

    /// Pins whose `IRQOVER` keeps their level, and those whose it inverts: as it is, inverted, low, high (2.19.6).
    pub(super) fn interrupt_overrides(&self) -> (u32, u32) {
        let pins = self.ctrl.iter().enumerate();
        pins.fold((0, 0), |(kept, inverted), (pin, ctrl)| {
            let choice = ctrl >> 28 & 3;
            (kept | u32::from(choice < 2) << pin, inverted | (choice & 1) << pin)
        })
    }

    /// Brings the lines up to date.
    fn update_lines(&self, context: &mut Context<'_>) {
        for &irq in Self::BLOCK.interrupts {
            context.irq.set_each(irq, self.interrupts.lines());
        }
    }

    /// The pin whose registers are at an offset.
    fn pin(offset: u32) -> Option<usize> {
        Some((offset / 8) as usize).filter(|pin| *pin < PINS)
    }

    /// A register of interrupts; `levels` are those at the pads.
    pub(super) fn interrupt_register(&self, offset: u32, levels: u32) -> Option<u32> {
        self.interrupts.peek((offset as usize / 4).checked_sub(2 * PINS)?, PINS, levels.into())
    }
}

impl<const PINS: usize> Peripheral for IoBank<PINS> {
    fn new(_: &'static Block) -> Self {
        Self { ctrl: [CTRL_RESET; PINS], interrupts: PinInterrupts::default() }
    }

    /// All but what depends on levels: `pin_levels.rs` has that.
    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        match Self::pin(offset) {
            Some(pin) => (offset & 4 != 0).then(|| self.ctrl[pin]),
            None => self.interrupt_register(offset, 0),
        }
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match Self::pin(offset) {
            Some(pin) if offset & 4 != 0 => self.ctrl[pin] = value & CTRL_MASK,
            // STATUS.
            Some(_) => {}
            None => {
                if self.interrupts.write(offset as usize / 4 - 2 * PINS, PINS, value) {
                    self.update_lines(context);
                } else {
                    context.diagnostics.unmodelled(Self::BLOCK.name, offset, "write to", context.now);
                }
            }
        }
    }

    fn next_event(&self) -> Cycle {
        self.interrupts.next_event()
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.interrupts.advance(context.now);
        self.update_lines(context);
    }
}
