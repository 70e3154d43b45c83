//! What every peripheral has in common: registers at offsets, a clock to ask, interrupt lines to pull.

use crate::core::diagnostics::Diagnostics;
use crate::core::time::{Cycle, NEVER};
use crate::rp2040::clock::Clocks;
use crate::rp2040::irq::IrqLines;

/// What a peripheral may use while it is accessed or woken.
pub struct Context<'a> {
    /// The cycle of `clk_sys` in which this happens.
    pub now: Cycle,
    /// Rates of all clocks, and the way from cycles to real time; changed by the clock registers alone.
    pub clocks: &'a mut Clocks,
    /// Lines to the cores' interrupt controllers.
    pub irq: &'a mut IrqLines,
    /// Where what firmware should not have done is told, once per place.
    pub diagnostics: &'a mut Diagnostics,
}

/// A block of registers on the APB or AHB-Lite bus. Offsets are those of the datasheet, without the bits that choose an
/// atomic alias: the bus carries those out with `peek` and `write`.
pub trait Peripheral {
    /// Name of the block as in the datasheet's address map, for diagnostics.
    const NAME: &'static str;

    /// Reads a word, with whatever that does to the peripheral.
    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> u32;

    /// Reads a word without any effect: for debuggers, and for the atomic aliases.
    fn peek(&self, offset: u32, now: Cycle, clocks: &Clocks) -> u32;

    /// Writes a word. (The RP2040's peripherals take narrow writes as words of which all lanes hold the data: 2.1.4.)
    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>);

    /// The cycle in which the peripheral next does something by itself; `NEVER` if it will not.
    fn next_event(&self) -> Cycle {
        NEVER
    }

    /// Does what is due at `context.now`.
    fn wake(&mut self, _context: &mut Context<'_>) {}
}
