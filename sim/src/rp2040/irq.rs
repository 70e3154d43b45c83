//! The interrupts of the RP2040.

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

impl From<Irq> for u8 {
    fn from(irq: Irq) -> Self {
        irq as Self
    }
}
