//! What every peripheral has in common: registers at offsets, a clock to ask, interrupt lines to pull.

use crate::clock::{Clocks, Cycle, NEVER};

/// Interrupt numbers of the RP2040 (datasheet 2.3.2, table 80).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)] // the datasheet's names
pub enum Irq {
    Timer0 = 0,
    Timer1 = 1,
    Timer2 = 2,
    Timer3 = 3,
    PwmWrap = 4,
    UsbCtrl = 5,
    Xip = 6,
    Pio0_0 = 7,
    Pio0_1 = 8,
    Pio1_0 = 9,
    Pio1_1 = 10,
    Dma0 = 11,
    Dma1 = 12,
    IoBank0 = 13,
    IoQspi = 14,
    SioProc0 = 15,
    SioProc1 = 16,
    Clocks = 17,
    Spi0 = 18,
    Spi1 = 19,
    Uart0 = 20,
    Uart1 = 21,
    AdcFifo = 22,
    I2c0 = 23,
    I2c1 = 24,
    Rtc = 25,
}

/// The level of each interrupt line, one bit per number. Every line goes to both cores, those of SIO too (2.3.1.4); on
/// the chip `IO_IRQ_BANK0` differs between the cores, but no source of it is modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IrqLines(pub u32);

impl IrqLines {
    /// Sets the level of a line.
    pub fn set(&mut self, irq: Irq, level: bool) {
        let bit = 1 << irq as u8;
        self.0 = if level { self.0 | bit } else { self.0 & !bit };
    }
}

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

/// What firmware did that the chip would not have liked or that is not modelled; each place is told once.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    told: std::collections::BTreeSet<(&'static str, u32, &'static str)>,
    /// Sentences not yet taken.
    pub pending: Vec<String>,
}

impl Diagnostics {
    /// Tells of an access to a register that is not modelled.
    pub fn unmodelled(&mut self, block: &'static str, offset: u32, what: &'static str, now: Cycle) {
        if self.told.insert((block, offset, what)) {
            self.pending.push(format!(
                "cycle {now}: {what} {block} offset {offset:#05x} is not modelled; it reads as 0 and ignores writes"
            ));
        }
    }

    /// Tells of something that firmware did with a register and that the datasheet warns of.
    pub fn misuse(&mut self, block: &'static str, offset: u32, what: &'static str, now: Cycle) {
        if self.told.insert((block, offset, what)) {
            self.pending.push(format!("cycle {now}: {block} offset {offset:#05x}: {what}"));
        }
    }
}
