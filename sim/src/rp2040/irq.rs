//! The interrupts of the RP2040.

use crate::core::time::Cycle;

/// Cycles from the one in which a block raises its interrupt to the NVIC. Measured: 30 from before a write that forces one to
/// the reading of `SysTick` in its handler (github.com/zakimadaoui/rp2040-experiments), of which TRM and datasheet explain the
/// others; two times from a pin to an answer agree (raspberrypi/pico-sdk issue 2543). One may be the register of the interrupt,
/// and two a synchroniser: the blocks have several clocks. That all interrupts take as long, and that a line falls at once, is
/// assumed.
pub const LINE_CYCLES: Cycle = 3;

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
