//! Pin functions and the interrupts of pins (DS 9.11.1). The levels of pins are those that SIO drives, as far as their pads let them
//! in.

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::{Block, Context, Effect, Peripheral};
use crate::rp2::pin_interrupts::PinInterrupts;
use crate::rp2350::irq::Irq;
use crate::rp2350::peripherals::Peripherals;
use crate::rp2350::peripherals::configuration::Functions;
use crate::rp2350::peripherals::registers::Registers;

const PINS: usize = 48;
/// Offset of `INTR0`.
const INTERRUPTS: u32 = 0x230;
/// `FUNCSEL` of SIO.
const FUNCTION_SIO: u32 = 5;
/// Bits of a pad (DS 9.11.3).
const PAD_INPUT_ENABLE: u32 = 1 << 6;
const PAD_OUTPUT_DISABLE: u32 = 1 << 7;
const PAD_ISOLATION: u32 = 1 << 8;

/// `IO_BANK0`.
pub const IO_BANK0: Block = Block {
    reset: 1 << 6,
    interrupts: &[Irq::IoBank0 as u8],
    write_one_clears: &[0x230, 0x234, 0x238, 0x23c, 0x240, 0x244],
    effect: Effect::Pins,
    modelled: "registers of functions that read back, interrupts of pins that SIO drives",
    missing: "other levels of pins, overrides, `STATUS`, `IRQSUMMARY`",
    ..Block::new("IO_BANK0", 0x4002_8000)
};

/// The block.
#[derive(Clone, Debug, Hash)]
pub struct IoBank0 {
    functions: Registers<Functions>,
    interrupts: PinInterrupts,
    /// Levels at the pads.
    levels: u64,
}

impl IoBank0 {
    fn update_line(&self, context: &mut Context<'_>) {
        context.irq.set_each(Irq::IoBank0, self.interrupts.lines());
    }
}

impl Peripheral for IoBank0 {
    fn new(block: &'static Block) -> Self {
        Self { functions: Registers::new(block), interrupts: PinInterrupts::default(), levels: 0 }
    }

    fn peek(&self, offset: u32, now: Cycle, clocks: &Clocks) -> Option<u32> {
        match offset.checked_sub(INTERRUPTS) {
            Some(place) => self.interrupts.peek(place as usize / 4, PINS, self.levels),
            None => self.functions.peek(offset, now, clocks),
        }
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let Some(place) = offset.checked_sub(INTERRUPTS) else { return self.functions.write(offset, value, context) };
        self.interrupts.note_pads(self.levels);
        if self.interrupts.write(place as usize / 4, PINS, value) {
            self.update_line(context);
        } else {
            context.diagnostics.unmodelled(IO_BANK0.name, offset, "write to", context.now);
        }
    }

    fn next_event(&self) -> Cycle {
        self.interrupts.next_event()
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.interrupts.advance(context.now);
        self.update_line(context);
    }
}

impl Peripherals {
    /// After a write that may have changed the level of a pin, in cycle `now`.
    pub fn follow_pins(&mut self, now: Cycle) {
        let driven = self.sio.driven();
        let seen = (0..PINS).filter(|&pin| driven >> pin & 1 != 0 && self.lets_in(pin as u32));
        self.io_bank0.levels = seen.fold(0, |levels, pin| levels | 1 << pin);
        if self.io_bank0.interrupts.is_used() {
            self.io_bank0.interrupts.set_levels(self.io_bank0.levels, now + 1);
        }
        self.schedule();
    }

    /// Whether a pin is SIO's, and its pad drives it and reads it.
    fn lets_in(&self, pin: u32) -> bool {
        let pad = self.pads_bank0.value(4 + 4 * pin);
        self.io_bank0.functions.value(8 * pin + 4) & 0x1f == FUNCTION_SIO
            && pad & (PAD_INPUT_ENABLE | PAD_OUTPUT_DISABLE | PAD_ISOLATION) == PAD_INPUT_ENABLE
    }
}
