//! EXTI: events that wake a core or interrupt it (RM0399 section 21).
//!
//! Modelled: pending and mask registers of both cores, software triggers, edges of pins, which the program itself drives
//! (inputs 0 to 15), and events of the direct inputs that HSEM and the other core's SEV are (77 to 80). Not modelled:
//! other inputs, and the wake-up of D3 in autonomous mode (`EXTI_D3PMRx` and `EXTI_D3PCRx` are storage only).
//!
//! Interrupt positions are those of ST's header `stm32h745xx.h`: the text of section 20 was not at hand.

use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::peripherals::interrupts::InterruptLines;
use crate::stm32h745::{M4, M7};

/// Configurable inputs in each of the three words (Table 152).
const CONFIGURABLE: [u32; 3] = [0x003f_ffff, 1 << 17 | 1 << 19, 1 << 18 | 7 << 20];
/// `EXTI_CnIMRx` after reset (21.6.19, 21.6.22, 21.6.25): direct inputs are unmasked.
const IMR_RESET: [u32; 3] = [0xffc0_0000, 0xfff5_ffff, 0x018b_ffff];
/// Event inputs of each core in the third word: HSEM's interrupt, and SEV of the other core.
pub const HSEM_EVENT: [u32; 2] = [77 - 64, 78 - 64];
const SEV_EVENT: [u32; 2] = [79 - 64, 80 - 64];

/// Positions of inputs 0 to 4, 5 to 9 and 10 to 15 in the vector table.
const INTERRUPTS: [(u8, u32); 7] =
    [(6, 1), (7, 1 << 1), (8, 1 << 2), (9, 1 << 3), (10, 1 << 4), (23, 0x03e0), (40, 0xfc00)];

/// One core's registers.
#[derive(Clone, Debug, Hash)]
struct Masks {
    interrupt: [u32; 3],
    event: [u32; 3],
    pending: [u32; 3],
    /// An event has occurred since `take_event`.
    event_received: bool,
}

/// The controller.
#[derive(Clone, Debug, Hash)]
pub struct Exti {
    rising: [u32; 3],
    falling: [u32; 3],
    /// `D3PMR`, `D3PCRL`, `D3PCRH` by word.
    d3: [[u32; 3]; 3],
    cores: [Masks; 2],
}

impl Default for Exti {
    fn default() -> Self {
        let masks = Masks { interrupt: IMR_RESET, event: [0; 3], pending: [0; 3], event_received: false };
        Self { rising: [0; 3], falling: [0; 3], d3: [[0; 3]; 3], cores: [masks.clone(), masks] }
    }
}

/// Decodes an offset: word (0 to 2), core if the register is a core's, and register.
fn decode(offset: u32) -> Option<(usize, Option<usize>, u32)> {
    match offset {
        0..0x60 => Some(((offset >> 5) as usize, None, offset & 0x1c)),
        0x80..0xb0 => Some((((offset - 0x80) >> 4) as usize, Some(M7), offset & 0xc)),
        0xc0..0xf0 => Some((((offset - 0xc0) >> 4) as usize, Some(M4), offset & 0xc)),
        _ => None,
    }
}

impl Exti {
    /// A register.
    pub fn peek(&self, offset: u32) -> Option<u32> {
        Some(match decode(offset)? {
            (word, None, 0x00) => self.rising[word],
            (word, None, 0x04) => self.falling[word],
            (_, None, 0x08) => 0,
            (word, None, register @ 0x0c..=0x14) => self.d3[word][(register as usize - 0x0c) / 4],
            (word, Some(core), 0x0) => self.cores[core].interrupt[word],
            (word, Some(core), 0x4) => self.cores[core].event[word],
            (word, Some(core), 0x8) => self.cores[core].pending[word],
            _ => return None,
        })
    }

    /// A write.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let Some(register) = decode(offset) else {
            context.unmodelled();
            return;
        };
        match register {
            (word, None, 0x00) => self.rising[word] = value & CONFIGURABLE[word],
            (word, None, 0x04) => self.falling[word] = value & CONFIGURABLE[word],
            (word, None, 0x08) => self.trigger(word, value & CONFIGURABLE[word]),
            (word, None, register @ 0x0c..=0x14) => self.d3[word][(register as usize - 0x0c) / 4] = value,
            (word, Some(core), 0x0) => self.cores[core].interrupt[word] = value,
            (word, Some(core), 0x4) => self.cores[core].event[word] = value,
            (word, Some(core), 0x8) => self.cores[core].pending[word] &= !value,
            _ => _ = context.unmodelled(),
        }
    }

    /// Pins 0 to 15 rise and fall.
    pub fn follow_edges(&mut self, rising: u32, falling: u32) {
        self.trigger(0, rising & self.rising[0] | falling & self.falling[0]);
    }

    /// An edge of configurable inputs (21.5, Table 153).
    fn trigger(&mut self, word: usize, inputs: u32) {
        for core in &mut self.cores {
            core.pending[word] |= inputs & core.interrupt[word];
            core.event_received |= inputs & core.event[word] != 0;
        }
    }

    /// A direct input of the third word rises for a core; its pending bit is in its peripheral (21.3.3).
    pub fn raise_direct_input(&mut self, core: usize, input: u32) {
        self.cores[core].event_received |= self.cores[core].event[2] >> input & 1 != 0;
    }

    /// A core has executed SEV: an event input of the other one, and no interrupt (Table 152, inputs 79 and 80).
    pub fn send_event(&mut self, core: usize) {
        self.raise_direct_input(1 - core, SEV_EVENT[1 - core]);
    }

    /// Takes the event for a core since the last call.
    pub fn take_event(&mut self, core: usize) -> bool {
        std::mem::take(&mut self.cores[core].event_received)
    }

    /// Sets a core's interrupt lines.
    pub fn interrupts(&self, core: usize, lines: &mut InterruptLines) {
        let masks = &self.cores[core];
        for (interrupt, inputs) in INTERRUPTS {
            lines.set(interrupt, masks.pending[0] & masks.interrupt[0] & inputs != 0);
        }
    }
}
