//! The interrupts of the RP2350.

/// Numbers of the interrupts that are modelled (DS 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)] // the datasheet's names
pub enum Irq {
    Timer0_0 = 0,
    Timer0_1 = 1,
    Timer0_2 = 2,
    Timer0_3 = 3,
    Timer1_0 = 4,
    Timer1_1 = 5,
    Timer1_2 = 6,
    Timer1_3 = 7,
    PwmWrap0 = 8,
    PwmWrap1 = 9,
    Dma0 = 10,
    Dma1 = 11,
    Dma2 = 12,
    Dma3 = 13,
    UsbCtrl = 14,
    IoBank0 = 21,
    SioFifo = 25,
    SioBell = 26,
    SioMtimecmp = 29,
    Clocks = 30,
    Uart0 = 33,
    Uart1 = 34,
}

impl From<Irq> for u8 {
    fn from(irq: Irq) -> Self {
        irq as Self
    }
}

/// Names of all interrupts (DS 3.2).
pub const NAMES: [&str; 52] = [
    "TIMER0_IRQ_0",
    "TIMER0_IRQ_1",
    "TIMER0_IRQ_2",
    "TIMER0_IRQ_3",
    "TIMER1_IRQ_0",
    "TIMER1_IRQ_1",
    "TIMER1_IRQ_2",
    "TIMER1_IRQ_3",
    "PWM_IRQ_WRAP_0",
    "PWM_IRQ_WRAP_1",
    "DMA_IRQ_0",
    "DMA_IRQ_1",
    "DMA_IRQ_2",
    "DMA_IRQ_3",
    "USBCTRL_IRQ",
    "PIO0_IRQ_0",
    "PIO0_IRQ_1",
    "PIO1_IRQ_0",
    "PIO1_IRQ_1",
    "PIO2_IRQ_0",
    "PIO2_IRQ_1",
    "IO_IRQ_BANK0",
    "IO_IRQ_BANK0_NS",
    "IO_IRQ_QSPI",
    "IO_IRQ_QSPI_NS",
    "SIO_IRQ_FIFO",
    "SIO_IRQ_BELL",
    "SIO_IRQ_FIFO_NS",
    "SIO_IRQ_BELL_NS",
    "SIO_IRQ_MTIMECMP",
    "CLOCKS_IRQ",
    "SPI0_IRQ",
    "SPI1_IRQ",
    "UART0_IRQ",
    "UART1_IRQ",
    "ADC_IRQ_FIFO",
    "I2C0_IRQ",
    "I2C1_IRQ",
    "OTP_IRQ",
    "TRNG_IRQ",
    "PROC0_IRQ_CTI",
    "PROC1_IRQ_CTI",
    "PLL_SYS_IRQ",
    "PLL_USB_IRQ",
    "POWMAN_IRQ_POW",
    "POWMAN_IRQ_TIMER",
    "SPAREIRQ_IRQ_0",
    "SPAREIRQ_IRQ_1",
    "SPAREIRQ_IRQ_2",
    "SPAREIRQ_IRQ_3",
    "SPAREIRQ_IRQ_4",
    "SPAREIRQ_IRQ_5",
];
