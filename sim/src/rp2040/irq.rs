//! The interrupt lines from the peripherals to the cores.

/// Interrupt numbers of the RP2040 (datasheet 2.3.2, table 80).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// The level of each interrupt line, one bit per number: of those that go to both cores, as those of SIO do, too (2.3.1.4);
/// and of those that each core has of its own, `IO_IRQ_BANK0` and `IO_IRQ_QSPI` (2.19.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IrqLines {
    both: u32,
    own: [u32; 2],
}

impl IrqLines {
    /// Sets the level of a line to both cores.
    pub fn set(&mut self, irq: Irq, level: bool) {
        put(&mut self.both, irq, level);
    }

    /// Sets the levels of a line that each core has of its own.
    pub fn set_each(&mut self, irq: Irq, levels: [bool; 2]) {
        for (own, level) in self.own.iter_mut().zip(levels) {
            put(own, irq, level);
        }
    }

    /// Lowers a line, whichever cores it goes to.
    pub fn lower(&mut self, irq: Irq) {
        self.set(irq, false);
        self.set_each(irq, [false; 2]);
    }

    /// The lines as a core sees them.
    pub fn of_core(&self, core: usize) -> u32 {
        self.both | self.own[core & 1]
    }
}

fn put(lines: &mut u32, irq: Irq, level: bool) {
    let bit = 1 << irq as u8;
    *lines = if level { *lines | bit } else { *lines & !bit };
}
