//! What every peripheral has in common: what the rest of the chip has to know of its block of registers, and what it does
//! when it is accessed or when time passes.

use crate::core::diagnostics::Diagnostics;
use crate::core::time::{Cycle, NEVER};
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2::irq::IrqLines;
use std::fmt::{self, Display, Formatter};
use std::hash::{Hash, Hasher};

/// What a peripheral may use while it is accessed or woken.
pub struct Context<'a> {
    /// The cycle of `clk_sys` in which this happens.
    pub now: Cycle,
    /// Rates of all clocks, and the way from cycles to real time; changed by the clock registers alone.
    pub clocks: &'a mut Clocks,
    /// Lines to the cores' interrupt controllers.
    pub irq: &'a mut IrqLines,
    /// Notes on what firmware should not have done, once per place.
    pub diagnostics: &'a mut Diagnostics,
}

/// What a write to a block changes outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing but its interrupt lines and DMA requests.
    Lines,
    /// Rates of clocks.
    Rates,
    /// Blocks are held in reset, or let go.
    Resets,
    /// Cores are held in reset, or let go.
    Cores,
    /// The ticks of TIMER and `SysTick`; a reset by the watchdog.
    Ticks,
    /// Whether dormant oscillators are woken.
    Wakes,
    /// Which block drives a pin, and what its pad does.
    Pins,
    /// What a block drives onto pins.
    Drives,
    /// How a block moves pins over time.
    Moves,
    /// How a block moves pins over time, and what a block of the same kind at the other end of wires gets.
    Shifts,
    /// DMA channels are triggered.
    Triggers,
    /// Where the outside sends its text.
    Console,
    /// What a block of the same kind at the other end of wires is asked, or answers.
    Talks,
}

/// A block of registers: what the bus, the DMA, the interrupt controllers and the fast path have to know of it.
#[derive(Debug)]
pub struct Block {
    /// Name in the datasheet's address map (2.2), without what tells blocks of one kind apart.
    pub name: &'static str,
    /// The rest of the name: `0` of `UART0`, `_SYS` of `PLL_SYS`.
    pub instance: &'static str,
    /// Address of its first register.
    pub base: u32,
    /// Its bit in the registers of RESETS (2.14.3); 0 if RESETS does not hold it.
    pub reset: u32,
    /// Numbers of its interrupt lines (2.3.2).
    pub interrupts: &'static [u8],
    /// Its request signals to the DMA: numbers for `TREQ_SEL` (2.5.3.1).
    pub dreqs: &'static [u8],
    /// What it counts or shifts by; registers are always on `clk_sys`.
    pub clock: Clock,
    /// Offsets of registers whose bits are cleared by writing 1. Atomic aliases pass on what is written to them, as the
    /// datasheet's own example relies on (4.6.4.2 clears `INTR` through the CLR alias).
    pub write_one_clears: &'static [u32],
    /// Offsets of registers from which a read takes data, so that an interrupt or a DMA request may end. Reads from all
    /// others have no effect outside of the block: the fast path makes those without synchronising the cores.
    pub data: &'static [u32],
    /// Offsets of registers to which a write has no effect outside of the block unless it `is_followed`.
    pub quiet: &'static [u32],
    /// A read first brings the block up to its time, or depends on other blocks: `peek` alone may give what was before.
    pub lazy: bool,
    /// Its state stays behind until somebody reads it: the later a `peek` is, the longer it takes.
    pub stays_behind: bool,
    /// What writes change outside of it.
    pub effect: Effect,
    /// What of it is modelled, and what is not, for the table in `docs/simulator.md`.
    pub modelled: &'static str,
    /// See `modelled`.
    pub missing: &'static str,
}

impl Block {
    /// A block on `clk_sys` at an address, that RESETS does not hold and that has no lines.
    pub const fn new(name: &'static str, base: u32) -> Self {
        Self {
            name,
            instance: "",
            base,
            reset: 0,
            interrupts: &[],
            dreqs: &[],
            clock: Clock::Sys,
            write_one_clears: &[],
            data: &[],
            quiet: &[],
            lazy: false,
            stays_behind: false,
            effect: Effect::Lines,
            modelled: "all",
            missing: "",
        }
    }

    /// Whether its bit is set in a register of RESETS.
    pub const fn is_reset_by(&self, register: u32) -> bool {
        self.reset & register != 0
    }
}

/// It is no state.
impl Hash for Block {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// Its name in the address map.
impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.instance)
    }
}

/// What a request signal to the DMA asks for (2.5.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dreq {
    /// As many writes as there are free places; those of transfers in flight are still to come.
    Room(u32),
    /// As many reads as there are words.
    Data(u32),
    /// One transfer per pulse: pulses so far.
    Pulses(u64),
}

/// A block of registers on the APB or AHB-Lite bus. Offsets are those of the datasheet, without the bits that choose an
/// atomic alias: the bus carries those out with `peek` and `write`. What else there is to know is in its [`Block`], and the
/// list in `peripherals.rs` has both.
pub trait Peripheral {
    /// The state at power-on.
    fn new(block: &'static Block) -> Self
    where
        Self: Sized;

    /// Reads a word, with whatever that does to the peripheral; none where no register is modelled.
    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        self.peek(offset, context.now, context.clocks)
    }

    /// Reads a word without any effect: for debuggers, and for the atomic aliases.
    fn peek(&self, offset: u32, now: Cycle, clocks: &Clocks) -> Option<u32>;

    /// The first cycle after `now` in which `peek` may give something else of a register, if nothing is due or accessed before.
    fn stays_until(&self, _offset: u32, now: Cycle) -> Cycle {
        now + 1
    }

    /// Writes a word. (The RP2040's peripherals take narrow writes as words of which all lanes hold the data: 2.1.4.)
    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>);

    /// The cycle in which the peripheral next does something by itself; `NEVER` if it will not.
    fn next_event(&self) -> Cycle {
        NEVER
    }

    /// Whether others notice what comes of writes to its quiet registers.
    fn is_followed(&self) -> bool {
        true
    }

    /// Does what is due at `context.now`.
    fn wake(&mut self, _context: &mut Context<'_>) {}

    /// Goes into reset. Its interrupt lines are lowered by the caller.
    fn reset(&mut self, block: &'static Block, _context: &mut Context<'_>)
    where
        Self: Sized,
    {
        *self = Self::new(block);
    }

    /// Follows a change of the clocks at cycle `now`. Called only if the block has another clock than `clk_sys`.
    fn clocks_changed(&mut self, _now: Cycle, _clocks: &Clocks) {}

    /// What a request signal asks for at cycle `now`; `line` is its index in [`Block::dreqs`].
    fn dreq(&self, _line: usize, _now: Cycle) -> Dreq {
        Dreq::Data(0)
    }

    /// For a request signal that pulses: the cycle after `now` by which `pulses` pulses will have come, or an earlier one.
    fn cycle_of_dreq_pulse(&self, _line: usize, _pulses: u64, _now: Cycle) -> Cycle {
        NEVER
    }
}
