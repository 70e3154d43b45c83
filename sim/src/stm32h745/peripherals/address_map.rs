//! The address map of the peripherals, with the clock gates of RCC.
//!
//! The addresses are those of ST's header `stm32h745xx.h`, with which Zephyr's device tree `stm32h7.dtsi` agrees where
//! it was looked at (timers, serial ports, DMA, ADC, RTC). The bits are those of the reset registers (RM0399 sections
//! 9.7.27 to 9.7.35) and of the enable registers of AHB3, AHB1, AHB2, AHB4, APB3 and APB1L (9.7.39 to 9.7.44), which
//! have the same places; the other enable registers' places are those of ST's header.

/// A clock enable register: its index among `AHB3ENR` to `APB4ENR`, and among `AHB3RSTR` to `APB4RSTR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Bus {
    Ahb3,
    Ahb1,
    Ahb2,
    Ahb4,
    Apb3,
    Apb1L,
    Apb1H,
    Apb2,
    Apb4,
}

/// A block's clock enable bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gate {
    /// Register.
    pub bus: Bus,
    /// Bit number.
    pub bit: u32,
}

impl Gate {
    /// Whether its bit is set in registers of one kind.
    pub fn is_set(self, registers: &[u32]) -> bool {
        registers[self.bus as usize] >> self.bit & 1 != 0
    }
}

/// A block of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Block {
    Rcc,
    Pwr,
    Flash,
    Syscfg,
    Hsem,
    Exti,
    Dbgmcu,
    Art,
    AxiInterconnect,
    Usart3,
    /// Port A is 0.
    Gpio(usize),
    /// TIM2 is 0.
    Timer(usize),
    /// CPU1 is 0.
    Iwdg(usize),
    /// Not modelled.
    Other,
}

/// A block with its address range.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// First address.
    pub base: u32,
    /// Bytes.
    pub size: u32,
    /// As in ST's manual.
    pub name: &'static str,
    /// The block.
    pub block: Block,
    /// Clock enable bit; None if it is always clocked.
    pub gate: Option<Gate>,
}

const fn at(base: u32, size: u32, name: &'static str, block: Block) -> Region {
    Region { base, size, name, block, gate: None }
}

const fn gated(base: u32, name: &'static str, block: Block, bus: Bus, bit: u32) -> Region {
    Region { base, size: 0x400, name, block, gate: Some(Gate { bus, bit }) }
}

/// A block that is not modelled.
const fn other(base: u32, size: u32, name: &'static str) -> Region {
    at(base, size, name, Block::Other)
}

/// All blocks, by address.
#[rustfmt::skip]
pub const REGIONS: &[Region] = &[
    gated(0x4000_0000, "TIM2", Block::Timer(0), Bus::Apb1L, 0),
    gated(0x4000_0400, "TIM3", Block::Timer(1), Bus::Apb1L, 1),
    gated(0x4000_0800, "TIM4", Block::Timer(2), Bus::Apb1L, 2),
    gated(0x4000_0c00, "TIM5", Block::Timer(3), Bus::Apb1L, 3),
    other(0x4000_1000, 0x400, "TIM6"),
    other(0x4000_1400, 0x400, "TIM7"),
    other(0x4000_1800, 0x400, "TIM12"),
    other(0x4000_1c00, 0x400, "TIM13"),
    other(0x4000_2000, 0x400, "TIM14"),
    other(0x4000_2400, 0x400, "LPTIM1"),
    other(0x4000_2c00, 0x400, "WWDG2"),
    other(0x4000_3800, 0x400, "SPI2"),
    other(0x4000_3c00, 0x400, "SPI3"),
    other(0x4000_4000, 0x400, "SPDIFRX"),
    other(0x4000_4400, 0x400, "USART2"),
    gated(super::USART3, "USART3", Block::Usart3, Bus::Apb1L, 18),
    other(0x4000_4c00, 0x400, "UART4"),
    other(0x4000_5000, 0x400, "UART5"),
    other(0x4000_5400, 0x400, "I2C1"),
    other(0x4000_5800, 0x400, "I2C2"),
    other(0x4000_5c00, 0x400, "I2C3"),
    other(0x4000_6c00, 0x400, "HDMI-CEC"),
    other(0x4000_7400, 0x400, "DAC"),
    other(0x4000_7800, 0x400, "UART7"),
    other(0x4000_7c00, 0x400, "UART8"),
    other(0x4000_8400, 0x400, "CRS"),
    other(0x4000_8800, 0x400, "SWPMI"),
    other(0x4000_9000, 0x400, "OPAMP"),
    other(0x4000_9400, 0x400, "MDIOS"),
    other(0x4000_a000, 0x3400, "FDCAN"),
    other(0x4001_0000, 0x400, "TIM1"),
    other(0x4001_0400, 0x400, "TIM8"),
    other(0x4001_1000, 0x400, "USART1"),
    other(0x4001_1400, 0x400, "USART6"),
    other(0x4001_3000, 0x400, "SPI1"),
    other(0x4001_3400, 0x400, "SPI4"),
    other(0x4001_4000, 0x400, "TIM15"),
    other(0x4001_4400, 0x400, "TIM16"),
    other(0x4001_4800, 0x400, "TIM17"),
    other(0x4001_5000, 0x400, "SPI5"),
    other(0x4001_5800, 0x400, "SAI1"),
    other(0x4001_5c00, 0x400, "SAI2"),
    other(0x4001_6000, 0x400, "SAI3"),
    other(0x4001_7000, 0x400, "DFSDM1"),
    other(0x4001_7400, 0x400, "HRTIM"),
    other(0x4002_0000, 0x400, "DMA1"),
    other(0x4002_0400, 0x400, "DMA2"),
    other(0x4002_0800, 0x400, "DMAMUX1"),
    other(0x4002_2000, 0x400, "ADC1 and ADC2"),
    gated(0x4002_4400, "ART", Block::Art, Bus::Ahb1, 14),
    other(0x4002_8000, 0x1400, "Ethernet MAC"),
    other(0x4004_0000, 0x40000, "USB1 OTG_HS"),
    other(0x4008_0000, 0x40000, "USB2 OTG_HS"),
    other(0x4802_0000, 0x400, "DCMI"),
    other(0x4802_1000, 0x400, "CRYP"),
    other(0x4802_1400, 0x400, "HASH"),
    other(0x4802_1800, 0x400, "RNG"),
    other(0x4802_2400, 0x400, "SDMMC2"),
    other(0x4802_2800, 0x400, "DLYB of SDMMC2"),
    other(0x4802_3000, 0x400, "RAMECC2"),
    other(0x5000_0000, 0x1000, "DSI host"),
    other(0x5000_1000, 0x1000, "LTDC"),
    other(0x5000_3000, 0x1000, "WWDG1"),
    at(0x5100_0000, 0x10_0000, "AXI interconnect", Block::AxiInterconnect),
    other(0x5200_0000, 0x1000, "MDMA"),
    other(0x5200_1000, 0x1000, "DMA2D"),
    at(0x5200_2000, 0x1000, "FLASH", Block::Flash),
    other(0x5200_3000, 0x1000, "JPEG"),
    other(0x5200_4000, 0x1000, "FMC"),
    other(0x5200_5000, 0x1000, "QUADSPI"),
    other(0x5200_6000, 0x1000, "DLYB of QUADSPI"),
    other(0x5200_7000, 0x1000, "SDMMC1"),
    other(0x5200_8000, 0x1000, "DLYB of SDMMC1"),
    other(0x5200_9000, 0x400, "RAMECC1"),
    at(0x5800_0000, 0x400, "EXTI", Block::Exti),
    gated(0x5800_0400, "SYSCFG", Block::Syscfg, Bus::Apb4, 1),
    other(0x5800_0c00, 0x400, "LPUART1"),
    other(0x5800_1400, 0x400, "SPI6"),
    other(0x5800_1c00, 0x400, "I2C4"),
    other(0x5800_2400, 0x400, "LPTIM2"),
    other(0x5800_2800, 0x400, "LPTIM3"),
    other(0x5800_2c00, 0x400, "LPTIM4"),
    other(0x5800_3000, 0x400, "LPTIM5"),
    other(0x5800_3800, 0x400, "COMP"),
    other(0x5800_3c00, 0x400, "VREFBUF"),
    other(0x5800_4000, 0x400, "RTC"),
    at(0x5800_4800, 0x400, "IWDG1", Block::Iwdg(0)),
    at(0x5800_4c00, 0x400, "IWDG2", Block::Iwdg(1)),
    other(0x5800_5400, 0x400, "SAI4"),
    gated(0x5802_0000, "GPIOA", Block::Gpio(0), Bus::Ahb4, 0),
    gated(0x5802_0400, "GPIOB", Block::Gpio(1), Bus::Ahb4, 1),
    gated(0x5802_0800, "GPIOC", Block::Gpio(2), Bus::Ahb4, 2),
    gated(0x5802_0c00, "GPIOD", Block::Gpio(3), Bus::Ahb4, 3),
    gated(0x5802_1000, "GPIOE", Block::Gpio(4), Bus::Ahb4, 4),
    gated(0x5802_1400, "GPIOF", Block::Gpio(5), Bus::Ahb4, 5),
    gated(0x5802_1800, "GPIOG", Block::Gpio(6), Bus::Ahb4, 6),
    gated(0x5802_1c00, "GPIOH", Block::Gpio(7), Bus::Ahb4, 7),
    gated(0x5802_2000, "GPIOI", Block::Gpio(8), Bus::Ahb4, 8),
    gated(0x5802_2400, "GPIOJ", Block::Gpio(9), Bus::Ahb4, 9),
    gated(0x5802_2800, "GPIOK", Block::Gpio(10), Bus::Ahb4, 10),
    at(0x5802_4400, 0x400, "RCC", Block::Rcc),
    at(0x5802_4800, 0x400, "PWR", Block::Pwr),
    other(0x5802_4c00, 0x400, "CRC"),
    other(0x5802_5400, 0x400, "BDMA"),
    other(0x5802_5800, 0x400, "DMAMUX2"),
    other(0x5802_6000, 0x400, "ADC3"),
    gated(super::hsem::BASE, "HSEM", Block::Hsem, Bus::Ahb4, 25),
    other(0x5802_7000, 0x400, "RAMECC3"),
    at(0x5c00_1000, 0x1000, "DBGMCU", Block::Dbgmcu),
];

/// The block at an address, if there is one.
pub fn region(address: u32) -> Option<&'static Region> {
    let after = REGIONS.partition_point(|region| region.base <= address);
    let region = REGIONS.get(after.checked_sub(1)?)?;
    (address - region.base < region.size).then_some(region)
}

/// Base address of a block.
///
/// # Panics
/// If the block is `Other`, which stands for many.
pub fn base(block: Block) -> u32 {
    assert!(block != Block::Other);
    REGIONS.iter().find(|region| region.block == block).map_or(0, |region| region.base)
}
