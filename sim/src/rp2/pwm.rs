//! The PWM block: counters that wrap (datasheet 4.5). The RP2350 has 12 of them and two interrupts (RP2350 datasheet 12.5).

pub mod slice;

use crate::core::time::{Cycle, NEVER};
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::{Block, Context, Dreq, Effect, Peripheral};
use slice::{CSR_DIVMODE, CSR_EN, Slice};

/// Bytes between the registers of two slices (4.5.3).
const STRIDE: u32 = 0x14;
/// Register offsets in a slice.
const CSR: u32 = 0x00;
const DIV: u32 = 0x04;
const CTR: u32 = 0x08;
const CC: u32 = 0x0c;
/// Register offsets of an interrupt, behind `INTR`; then comes `INTS`. The bytes between those of two interrupts.
const INTE: u32 = 0x0;
const INTF: u32 = 0x4;
const LINE_STRIDE: u32 = 0xc;

/// The offset of `EN`, behind all slices.
const fn en(slices: usize) -> u32 {
    STRIDE * slices as u32
}

/// The offset of `INTR` of a block with so many slices.
pub const fn intr(slices: usize) -> u32 {
    en(slices) + 4
}

/// What the PWM blocks of all chips have in common. Their request signals are the wraps of the slices.
pub const PWM: Block = Block::new("PWM", 0);

/// Which interrupts a slice raises when it wraps.
#[derive(Clone, Copy, Debug, Default, Hash)]
struct Line {
    enabled: u32,
    forced: u32,
}

impl Line {
    /// `INTS`.
    fn status(self, intr: u32) -> u32 {
        (intr & self.enabled) | self.forced
    }
}

/// The PWM block, of so many slices and interrupts.
#[derive(Clone, Debug, Hash)]
pub struct Pwm<const SLICES: usize, const LINES: usize> {
    block: &'static Block,
    slices: [Slice; SLICES],
    /// Wraps of each slice that are in `intr`.
    noted: [u64; SLICES],
    intr: u32,
    lines: [Line; LINES],
    event: Cycle,
}

impl<const SLICES: usize, const LINES: usize> Pwm<SLICES, LINES> {
    const EN: u32 = en(SLICES);
    const INTR: u32 = intr(SLICES);
    const MASK: u32 = (1 << SLICES) - 1;

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
        let waited_for = self.lines.iter().fold(0, |all, line| all | line.enabled) & !self.intr;
        self.event = NEVER;
        for (index, slice) in self.slices.iter().enumerate() {
            if waited_for >> index & 1 == 1 {
                self.event = self.event.min(slice.next_wrap());
            }
        }
    }

    fn update_irq(&mut self, context: &mut Context<'_>) {
        self.schedule_wrap_irq();
        for (&irq, line) in self.block.interrupts.iter().zip(&self.lines) {
            context.irq.set(irq, line.status(self.intr) != 0);
        }
    }

    /// The interrupt and the register of it that an offset stands for.
    fn line(offset: u32) -> Option<(usize, u32)> {
        let behind = offset.checked_sub(Self::INTR + 4)?;
        let line = (behind / LINE_STRIDE) as usize;
        (line < LINES).then_some((line, behind % LINE_STRIDE))
    }

    fn write_slice(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        if offset % STRIDE == CSR && value & CSR_DIVMODE != 0 && self.block.effect != Effect::Moves {
            // Counting by pins that nobody moves.
            context.diagnostics.unmodelled(self.block.name, offset, "DIVMODE of", context.now);
        }
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

impl<const SLICES: usize, const LINES: usize> Peripheral for Pwm<SLICES, LINES> {
    fn new(block: &'static Block) -> Self {
        let slices = std::array::from_fn(|_| Slice::default());
        Self { block, slices, noted: [0; SLICES], intr: 0, lines: [Line::default(); LINES], event: NEVER }
    }

    fn peek(&self, offset: u32, now: Cycle, _clocks: &Clocks) -> Option<u32> {
        let raw = || {
            let wrapped = (0..SLICES).filter(|&index| self.slice(index, now).wraps != self.noted[index]);
            wrapped.fold(self.intr, |intr, index| intr | 1 << index)
        };
        let value = match offset {
            _ if offset < Self::EN => {
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
            _ if offset == Self::EN => (0..SLICES).fold(0, |en, index| en | (self.slices[index].csr & CSR_EN) << index),
            _ if offset == Self::INTR => raw(),
            _ => match Self::line(offset)? {
                (line, INTE) => self.lines[line].enabled,
                (line, INTF) => self.lines[line].forced,
                (line, _) => self.lines[line].status(raw()),
            },
        };
        Some(value)
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        self.advance(context.now);
        match (offset, Self::line(offset)) {
            _ if offset < Self::EN => self.write_slice(offset, value, context),
            _ if offset == Self::EN => {
                for (index, slice) in self.slices.iter_mut().enumerate() {
                    slice.write_csr((slice.csr & !CSR_EN) | (value >> index & CSR_EN));
                }
            }
            _ if offset == Self::INTR => self.intr &= !value,
            (_, Some((line, INTE))) => self.lines[line].enabled = value & Self::MASK,
            (_, Some((line, INTF))) => self.lines[line].forced = value & Self::MASK,
            _ => context.diagnostics.unmodelled(self.block.name, offset, "write to", context.now),
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
