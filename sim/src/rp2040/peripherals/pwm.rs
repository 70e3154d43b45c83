//! The PWM block: eight counters (datasheet 4.5).

pub mod slice;

use crate::core::time::{Cycle, NEVER};
use crate::rp2::clock::Clocks;
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::{Block, Context, Dreq, Effect, Peripheral};
use slice::{CSR_EN, Slice};

/// Slices, and the bytes between their registers (4.5.3).
pub const SLICES: usize = 8;
const STRIDE: u32 = 0x14;
/// Register offsets in a slice, and after the slices.
const CSR: u32 = 0x00;
const DIV: u32 = 0x04;
const CTR: u32 = 0x08;
const CC: u32 = 0x0c;
const EN: u32 = 0xa0;
const INTR: u32 = 0xa4;
const INTE: u32 = 0xa8;
const INTF: u32 = 0xac;
const INTS: u32 = 0xb0;
const MASK: u32 = (1 << SLICES) - 1;

/// `PWM`. Its request signals are the wraps of the slices.
pub const PWM: Block = Block {
    reset: 1 << 14,
    interrupts: &[Irq::PwmWrap as u8],
    dreqs: &[24, 25, 26, 27, 28, 29, 30, 31],
    write_one_clears: &[INTR],
    effect: Effect::Moves,
    modelled: "8 counters, wraps, interrupts, DMA requests, outputs, counting of pins",
    ..Block::new("PWM", 0x4005_0000)
};

/// The PWM block.
#[derive(Clone, Debug, Hash)]
pub struct Pwm {
    slices: [Slice; SLICES],
    /// Wraps of each slice that are in `intr`.
    noted: [u64; SLICES],
    intr: u32,
    inte: u32,
    intf: u32,
    event: Cycle,
}

impl Pwm {
    /// A slice as it is at cycle `now`.
    pub fn slice(&self, index: usize, now: Cycle) -> Slice {
        let mut slice = self.slices[index % SLICES].clone();
        slice.advance(now);
        slice
    }

    /// Whether a slice may move its pins.
    pub fn counts(&self, index: usize) -> bool {
        self.slices[index % SLICES].is_enabled()
    }

    /// Whether a slice counts by its B pin.
    pub fn counts_pin(&self, index: usize) -> bool {
        self.slices[index % SLICES].counts_pin()
    }

    /// Whether any does.
    pub fn counts_pins(&self) -> bool {
        self.slices.iter().any(Slice::counts_pin)
    }

    /// The levels at the B pins from cycle `from` on, a bit a slice, for those that count by them.
    pub fn set_inputs(&mut self, high: u32, now: Cycle, from: Cycle) {
        self.advance(now);
        for (index, slice) in self.slices.iter_mut().enumerate().filter(|(_, slice)| slice.counts_pin()) {
            slice.set_input(high >> index & 1 == 1, from);
        }
        self.schedule_wrap_irq();
    }

    /// Counts up to `now`.
    fn advance(&mut self, now: Cycle) {
        for (index, slice) in self.slices.iter_mut().enumerate() {
            slice.advance(now);
            if slice.wraps != self.noted[index] {
                self.noted[index] = slice.wraps;
                self.intr |= 1 << index;
            }
        }
    }

    /// A wrap is of interest only if it changes the line.
    fn schedule_wrap_irq(&mut self) {
        let waited_for = self.inte & !self.intr;
        self.event = NEVER;
        for (index, slice) in self.slices.iter().enumerate() {
            if waited_for >> index & 1 == 1 {
                self.event = self.event.min(slice.next_wrap());
            }
        }
    }

    fn update_irq(&mut self, context: &mut Context<'_>) {
        self.schedule_wrap_irq();
        context.irq.set(Irq::PwmWrap, (self.intr & self.inte) | self.intf != 0);
    }

    fn write_slice(&mut self, offset: u32, value: u32) {
        let slice = &mut self.slices[(offset / STRIDE) as usize];
        match offset % STRIDE {
            CSR => slice.write_csr(value),
            DIV => slice.write_div(value),
            CTR => slice.counter = value & 0xffff,
            CC => {
                slice.cc = value;
                slice.buffers_written();
            }
            _ => {
                slice.top = value & 0xffff;
                slice.buffers_written();
            }
        }
    }
}

impl Peripheral for Pwm {
    fn new(_: &'static Block) -> Self {
        Self { slices: Default::default(), noted: [0; SLICES], intr: 0, inte: 0, intf: 0, event: NEVER }
    }

    fn peek(&self, offset: u32, now: Cycle, _clocks: &Clocks) -> Option<u32> {
        let raw = || {
            let wrapped = (0..SLICES).filter(|&index| self.slice(index, now).wraps != self.noted[index]);
            wrapped.fold(self.intr, |intr, index| intr | 1 << index)
        };
        Some(match offset {
            0..EN => {
                let index = (offset / STRIDE) as usize;
                let slice = &self.slices[index];
                match offset % STRIDE {
                    CSR => slice.csr,
                    DIV => slice.div,
                    CTR => self.slice(index, now).counter,
                    CC => slice.cc,
                    _ => slice.top,
                }
            }
            EN => (0..SLICES).fold(0, |en, index| en | (self.slices[index].csr & CSR_EN) << index),
            INTR => raw(),
            INTE => self.inte,
            INTF => self.intf,
            INTS => (raw() & self.inte) | self.intf,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        self.advance(context.now);
        match offset {
            0..EN => self.write_slice(offset, value),
            EN => {
                for (index, slice) in self.slices.iter_mut().enumerate() {
                    slice.write_csr((slice.csr & !CSR_EN) | (value >> index & CSR_EN));
                }
            }
            INTR => self.intr &= !value,
            INTE => self.inte = value & MASK,
            INTF => self.intf = value & MASK,
            _ => context.diagnostics.unmodelled(PWM.name, offset, "write to", context.now),
        }
        // PH_ADV may have made a slice wrap in this very cycle.
        self.advance(context.now);
        self.update_irq(context);
    }

    fn next_event(&self) -> Cycle {
        self.event
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.advance(context.now);
        self.update_irq(context);
    }
    fn dreq(&self, line: usize, now: Cycle) -> Dreq {
        Dreq::Pulses(self.slice(line, now).wraps)
    }

    fn cycle_of_dreq_pulse(&self, line: usize, _pulses: u64, now: Cycle) -> Cycle {
        self.slice(line, now).next_wrap()
    }
}
