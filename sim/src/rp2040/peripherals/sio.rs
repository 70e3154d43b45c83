//! SIO, the single-cycle I/O block (datasheet 2.3.1): what the two cores tell each other with, and the pins.
//!
//! Each core sees its own FIFO ends, divider and interpolators; pins and spinlocks are shared. There are no atomic
//! aliases and every access takes one cycle.

use crate::core::time::{Cycle, NEVER};
use crate::rp2::interpolator::{Interpolator, Variant};
use crate::rp2::sio::{Fifo, Pins, ROE, VLD, WOF, status};
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::divider::{Divider, Signedness};
use crate::rp2040::peripherals::io_bank::QSPI_SS;
use crate::rp2040::peripherals::pins::Outputs;
use crate::rp2040::peripherals::{Block, Context};

/// `SIO`. It is on each core's own port instead of the bus.
pub const SIO: Block = Block {
    interrupts: &[Irq::SioProc0 as u8, Irq::SioProc1 as u8],
    modelled: "FIFOs, spinlocks, dividers, interpolators, pins",
    ..Block::new("SIO", 0xd000_0000)
};

/// Register offsets (2.3.1.7).
const CPUID: u32 = 0x000;
const GPIO_IN: u32 = 0x004;
const GPIO_HI_IN: u32 = 0x008;
const GPIO_OUT: u32 = 0x010;
const GPIO_OE_XOR: u32 = 0x02c;
const GPIO_HI_OUT: u32 = 0x030;
const GPIO_HI_OE_XOR: u32 = 0x04c;
pub(in crate::rp2040) const FIFO_ST: u32 = 0x050;
const FIFO_WR: u32 = 0x054;
const FIFO_RD: u32 = 0x058;
const SPINLOCK_ST: u32 = 0x05c;
pub(crate) const DIV_UDIVIDEND: u32 = 0x060;
const DIV_UDIVISOR: u32 = 0x064;
const DIV_SDIVIDEND: u32 = 0x068;
pub(crate) const DIV_SDIVISOR: u32 = 0x06c;
const DIV_QUOTIENT: u32 = 0x070;
const DIV_REMAINDER: u32 = 0x074;
const DIV_CSR: u32 = 0x078;
const INTERP0: u32 = 0x080;
const INTERP1: u32 = 0x0c0;
const SPINLOCK0: u32 = 0x100;
const SPINLOCK31: u32 = 0x17c;

/// Entries of each FIFO (2.3.1.4).
pub const FIFO_DEPTH: usize = 8;

/// What both cores share of the block: a bit for each spinlock, and one for all pins.
pub(crate) const PINS: u64 = 1 << 32;

/// Pins of bank 0 and of the QSPI bank (2.3.1.2).
const GPIO_MASK: u32 = (1 << 30) - 1;
const GPIO_HI_MASK: u32 = (1 << 6) - 1;

/// What belongs to one core alone.
#[derive(Clone, Debug, Hash)]
struct PerCore {
    divider: Divider,
    interpolators: [Interpolator; 2],
}

/// The state of what both cores share of the block, but for what is on its way between them.
#[derive(Clone, Debug, Default)]
pub struct SharedState {
    pins: Pins,
    pins_hi: Pins,
    spinlocks: u32,
}

/// The single-cycle I/O block.
#[derive(Clone, Debug, Hash)]
pub struct Sio {
    pins: Pins,
    pins_hi: Pins,
    /// Levels of the pins of bank 0, and of the QSPI bank, that SIO does not drive.
    input: u32,
    input_hi: u32,
    /// Pins whose output is given to SIO by `IO_BANK0`.
    selected: u32,
    /// Spinlocks that are taken, a bit each.
    spinlocks: u32,
    /// `fifos[n]` is read by core `n`.
    fifos: [Fifo<FIFO_DEPTH>; 2],
    cores: [PerCore; 2],
    event: Cycle,
}

impl Default for Sio {
    fn default() -> Self {
        Self::new()
    }
}

impl Sio {
    /// SIO after reset.
    pub fn new() -> Self {
        let core = PerCore {
            divider: Divider::default(),
            interpolators: [Interpolator::new(Variant::Blends), Interpolator::new(Variant::Clamps)],
        };
        Self {
            pins: Pins::default(),
            pins_hi: Pins::default(),
            input: 0,
            // QSPI_SS is pulled up: BOOTSEL is not pressed.
            input_hi: 1 << QSPI_SS,
            selected: 0,
            spinlocks: 0,
            fifos: [Fifo::default(), Fifo::default()],
            cores: [core.clone(), core],
            event: NEVER,
        }
    }

    /// Reads a register as core `core` (0 or 1) sees it.
    pub fn read(&mut self, core: usize, offset: u32, context: &mut Context<'_>) -> u32 {
        let core = core & 1;
        let now = context.now;
        match offset {
            FIFO_RD => {
                let value = self.fifos[core].pop(now);
                self.update_lines(context);
                value
            }
            DIV_QUOTIENT | DIV_REMAINDER => {
                let divider = &mut self.cores[core].divider;
                if !divider.ready(now) {
                    let what = "result of the divider read before DIV_CSR.READY: it is undefined";
                    context.diagnostics.misuse(SIO.name, offset, what, now);
                }
                if offset == DIV_QUOTIENT { divider.read_quotient(now) } else { divider.remainder(now) }
            }
            INTERP0..INTERP1 => self.cores[core].interpolators[0].read(offset - INTERP0),
            INTERP1..SPINLOCK0 => self.cores[core].interpolators[1].read(offset - INTERP1),
            SPINLOCK0..=SPINLOCK31 => {
                let bit = spinlock_bit(offset);
                let free = !self.spinlocks & bit;
                self.spinlocks |= bit;
                free
            }
            0..SPINLOCK0 => self.peek(core, offset, now),
            _ => {
                context.diagnostics.unmodelled(SIO.name, offset, "read of", now);
                0
            }
        }
    }

    /// Reads a register as core `core` sees it, without any effect.
    pub fn peek(&self, core: usize, offset: u32, now: Cycle) -> u32 {
        let core = core & 1;
        let divider = &self.cores[core].divider;
        match offset {
            CPUID => core as u32,
            GPIO_IN => self.gpio_in(self.input),
            GPIO_HI_IN => (self.pins_hi.out & self.pins_hi.oe) | (self.input_hi & !self.pins_hi.oe),
            GPIO_OUT..=GPIO_OE_XOR => self.pins.read((offset - GPIO_OUT) / 4),
            GPIO_HI_OUT..=GPIO_HI_OE_XOR => self.pins_hi.read((offset - GPIO_HI_OUT) / 4),
            FIFO_ST => self.fifo_status(core, now),
            FIFO_RD => self.fifos[core].front(),
            SPINLOCK_ST => self.spinlocks,
            DIV_UDIVIDEND | DIV_SDIVIDEND => divider.dividend,
            DIV_UDIVISOR | DIV_SDIVISOR => divider.divisor,
            DIV_QUOTIENT => divider.quotient(now),
            DIV_REMAINDER => divider.remainder(now),
            DIV_CSR => divider.status(now),
            INTERP0..INTERP1 => self.cores[core].interpolators[0].peek(offset - INTERP0),
            INTERP1..SPINLOCK0 => self.cores[core].interpolators[1].peek(offset - INTERP1),
            SPINLOCK0..=SPINLOCK31 => !self.spinlocks & spinlock_bit(offset),
            _ => 0,
        }
    }

    /// What a register reads as for as long as neither core writes to this block or takes anything from it. None if a read
    /// takes something, or if time passes for what it gives.
    pub fn stable_value(&self, core: usize, offset: u32) -> Option<u32> {
        match offset {
            CPUID..=GPIO_HI_OE_XOR | FIFO_ST | SPINLOCK_ST => Some(self.peek(core, offset, NEVER)),
            SPINLOCK0..=SPINLOCK31 if self.spinlocks & spinlock_bit(offset) != 0 => Some(0),
            _ => None,
        }
    }

    /// Whether all that a read or write at an offset comes to is in what it gives or leaves behind here: no interrupt, and nothing that is
    /// due later. So it is with a core's own divider and interpolators, and with spinlocks.
    pub(crate) fn effects_stay_in_sio(offset: u32) -> bool {
        matches!(offset, DIV_UDIVIDEND..=DIV_CSR | INTERP0..=SPINLOCK31)
    }

    /// What both cores share of what is read or changed at an offset, see [`PINS`].
    pub(crate) fn shared(offset: u32) -> u64 {
        match offset {
            GPIO_IN..=GPIO_HI_OE_XOR => PINS,
            SPINLOCK_ST => u64::from(u32::MAX),
            SPINLOCK0..=SPINLOCK31 => u64::from(spinlock_bit(offset)),
            _ => 0,
        }
    }

    /// Whether an offset is that of a spinlock.
    pub(crate) fn is_spinlock(offset: u32) -> bool {
        (SPINLOCK0..=SPINLOCK31).contains(&offset)
    }

    /// The state of what cores share, which `restore` takes.
    pub(crate) fn shared_state(&self) -> SharedState {
        SharedState { pins: self.pins.clone(), pins_hi: self.pins_hi.clone(), spinlocks: self.spinlocks }
    }

    /// Brings back some of what cores share.
    pub(crate) fn restore(&mut self, state: &SharedState, shared: u64) {
        if shared & PINS != 0 {
            (self.pins, self.pins_hi) = (state.pins.clone(), state.pins_hi.clone());
        }
        let locks = shared as u32;
        self.spinlocks = self.spinlocks & !locks | state.spinlocks & locks;
    }

    /// Writes a register as core `core`.
    pub fn write(&mut self, core: usize, offset: u32, value: u32, context: &mut Context<'_>) {
        let core = core & 1;
        let now = context.now;
        let divider = &mut self.cores[core].divider;
        match offset {
            GPIO_OUT..=GPIO_OE_XOR => self.pins.write((offset - GPIO_OUT) / 4, value, GPIO_MASK),
            GPIO_HI_OUT..=GPIO_HI_OE_XOR => self.pins_hi.write((offset - GPIO_HI_OUT) / 4, value, GPIO_HI_MASK),
            FIFO_ST => {
                self.fifos[core].roe = false;
                self.fifos[core ^ 1].wof = false;
                self.update_lines(context);
            }
            FIFO_WR => {
                self.fifos[core ^ 1].push(value, now);
                self.event = self.event.min(now.saturating_add(self.fifos[core ^ 1].latency));
                self.update_lines(context);
            }
            DIV_UDIVIDEND => divider.write_dividend(value, Signedness::Unsigned, now),
            DIV_UDIVISOR => divider.write_divisor(value, Signedness::Unsigned, now),
            DIV_SDIVIDEND => divider.write_dividend(value, Signedness::Signed, now),
            DIV_SDIVISOR => divider.write_divisor(value, Signedness::Signed, now),
            DIV_QUOTIENT => divider.write_quotient(value, now),
            DIV_REMAINDER => divider.write_remainder(value, now),
            INTERP0..INTERP1 => self.cores[core].interpolators[0].write(offset - INTERP0, value),
            INTERP1..SPINLOCK0 => self.cores[core].interpolators[1].write(offset - INTERP1, value),
            SPINLOCK0..=SPINLOCK31 => self.spinlocks &= !spinlock_bit(offset),
            _ => context.diagnostics.unmodelled(SIO.name, offset, "write to", now),
        }
    }

    /// Has words take so many cycles to the other core from now on.
    pub(in crate::rp2040) fn set_fifo_latency(&mut self, latency: Cycle) {
        for fifo in &mut self.fifos {
            fifo.latency = latency;
        }
    }

    /// Puts a word into the FIFO that a core reads.
    pub(in crate::rp2040) fn hand(&mut self, core: usize, now: Cycle) {
        self.fifos[core & 1].push(0, now);
    }

    /// Empties the FIFO that a core writes to.
    pub(in crate::rp2040) fn make_room(&mut self, core: usize) {
        let fifo = &mut self.fifos[core & 1 ^ 1];
        *fifo = fifo.emptied();
    }

    /// Whether a write by core `core` at `offset` puts a word into the FIFO to the other core, which has room for it.
    pub fn takes_word(&self, core: usize, offset: u32, now: Cycle) -> bool {
        offset == FIFO_WR && !self.fifos[core & 1 ^ 1].is_full(now)
    }

    /// When an interrupt line next changes by itself: one cycle after a push.
    pub fn next_event(&self) -> Cycle {
        self.event
    }

    /// Brings the interrupt lines up to date.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        if self.event <= context.now {
            self.event = NEVER;
        }
        self.update_lines(context);
    }

    /// Sets the levels of pins 0 to 29 that SIO does not drive.
    pub fn set_input(&mut self, pins: u32) {
        self.input = pins & GPIO_MASK;
    }

    /// Levels on the pins of the QSPI bank, as far as SIO does not drive them.
    pub(super) fn set_input_high(&mut self, levels: u32) {
        self.input_hi = levels;
    }

    /// Tells which pins `IO_BANK0` gives to SIO.
    pub fn set_selected(&mut self, pins: u32) {
        self.selected = pins & GPIO_MASK;
    }

    /// What SIO drives, for pins that are given to it.
    pub fn outputs(&self) -> Outputs {
        Outputs { levels: self.pins.out, enables: self.pins.oe }
    }

    /// Whether a write at an offset may change what SIO drives onto pins 0 to 29.
    pub fn is_output(offset: u32) -> bool {
        (GPIO_OUT..=GPIO_OE_XOR).contains(&offset)
    }

    /// The same of the QSPI bank.
    pub(crate) fn is_high_output(offset: u32) -> bool {
        (GPIO_HI_OUT..=GPIO_HI_OE_XOR).contains(&offset)
    }

    /// Whether a read at an offset gives the levels of pins 0 to 29.
    pub fn is_input(offset: u32) -> bool {
        offset == GPIO_IN
    }

    /// `GPIO_IN`, if `input` are the levels of pins that SIO does not drive.
    pub fn gpio_in(&self, input: u32) -> u32 {
        let driven = self.pins.oe & self.selected;
        (self.pins.out & driven) | (input & !driven)
    }

    fn fifo_status(&self, core: usize, now: Cycle) -> u32 {
        status(&self.fifos[core], &self.fifos[core ^ 1], now)
    }

    /// The interrupt of a core is VLD, WOF or ROE of its own status (2.3.1.4).
    fn update_lines(&mut self, context: &mut Context<'_>) {
        for (core, &irq) in SIO.interrupts.iter().enumerate() {
            context.irq.set(irq, self.fifo_status(core, context.now) & (VLD | WOF | ROE) != 0);
        }
    }
}

/// Where in this block an address is.
pub(crate) fn offset(address: u32) -> u32 {
    address & 0x0fff_fffc
}

fn spinlock_bit(offset: u32) -> u32 {
    1 << (((offset - SPINLOCK0) / 4) & 31)
}
