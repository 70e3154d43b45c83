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

/// The level of each interrupt line, one bit per number. Every line goes to both cores, those of SIO too (2.3.1.4); on
/// the chip `IO_IRQ_BANK0` differs between the cores, but no source of it is modelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IrqLines(pub u32);

impl IrqLines {
    /// Sets the level of a line.
    pub fn set(&mut self, irq: Irq, level: bool) {
        let bit = 1 << irq as u8;
        self.0 = if level { self.0 | bit } else { self.0 & !bit };
    }
}
