//! Which block is at which address (datasheet 2.2).

use crate::rp2040::peripherals::resets::bit;

/// Blocks in the address map (datasheet 2.2.4, 2.2.5), by their base address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Sysinfo,
    Syscfg,
    Clocks,
    Resets,
    Psm,
    IoBank0,
    IoQspi,
    PadsBank0,
    PadsQspi,
    Xosc,
    PllSys,
    PllUsb,
    Busctrl,
    Uart0,
    Uart1,
    Pwm,
    Timer,
    Watchdog,
    Rosc,
    Vreg,
    Tbman,
    Dma,
}

/// An address, taken apart.
pub(super) enum Decoded {
    /// A register, at an offset within a block; the atomic alias is apart.
    Modelled(Block, u32),
    /// A block that exists but is not modelled.
    Unmodelled(&'static str),
    /// Nothing is there.
    Nothing,
}

/// Address bits within the window of a block; bits 13:12 choose the atomic alias (2.1.2).
const OFFSET_MASK: u32 = 0xfff;
const APB_BASE: u32 = 0x4000_0000;
const APB_WINDOW_BITS: u32 = 14;
const DMA_BASE: u32 = 0x5000_0000;

pub(super) fn decode(address: u32) -> Decoded {
    let offset = address & OFFSET_MASK & !3;
    if address >> 20 == DMA_BASE >> 20 {
        return match address >> APB_WINDOW_BITS & 0x3f {
            0 => Decoded::Modelled(Block::Dma, offset),
            _ => Decoded::Nothing,
        };
    }
    if address >> 20 != APB_BASE >> 20 {
        return match address >> 20 {
            0x501 => Decoded::Unmodelled("USB"),
            0x502 => Decoded::Unmodelled("PIO0"),
            0x503 => Decoded::Unmodelled("PIO1"),
            0x504 => Decoded::Unmodelled("XIP_AUX"),
            _ => Decoded::Nothing,
        };
    }
    let block = match address >> APB_WINDOW_BITS & 0x3f {
        0x00 => Block::Sysinfo,
        0x01 => Block::Syscfg,
        0x02 => Block::Clocks,
        0x03 => Block::Resets,
        0x04 => Block::Psm,
        0x05 => Block::IoBank0,
        0x06 => Block::IoQspi,
        0x07 => Block::PadsBank0,
        0x08 => Block::PadsQspi,
        0x09 => Block::Xosc,
        0x0a => Block::PllSys,
        0x0b => Block::PllUsb,
        0x0c => Block::Busctrl,
        0x0d => Block::Uart0,
        0x0e => Block::Uart1,
        0x0f => return Decoded::Unmodelled("SPI0"),
        0x10 => return Decoded::Unmodelled("SPI1"),
        0x11 => return Decoded::Unmodelled("I2C0"),
        0x12 => return Decoded::Unmodelled("I2C1"),
        0x13 => return Decoded::Unmodelled("ADC"),
        0x14 => Block::Pwm,
        0x15 => Block::Timer,
        0x16 => Block::Watchdog,
        0x17 => return Decoded::Unmodelled("RTC"),
        0x18 => Block::Rosc,
        0x19 => Block::Vreg,
        0x1b => Block::Tbman,
        _ => return Decoded::Nothing,
    };
    Decoded::Modelled(block, offset)
}

impl Block {
    /// The bit of `RESETS` that holds the block; 0 if none does.
    pub(super) fn reset_bit(self) -> u32 {
        match self {
            Self::Sysinfo => bit::SYSINFO,
            Self::Syscfg => bit::SYSCFG,
            Self::IoBank0 => bit::IO_BANK0,
            Self::IoQspi => bit::IO_QSPI,
            Self::PadsBank0 => bit::PADS_BANK0,
            Self::PadsQspi => bit::PADS_QSPI,
            Self::PllSys => bit::PLL_SYS,
            Self::PllUsb => bit::PLL_USB,
            Self::Busctrl => bit::BUSCTRL,
            Self::Uart0 => bit::UART0,
            Self::Uart1 => bit::UART1,
            Self::Pwm => bit::PWM,
            Self::Timer => bit::TIMER,
            Self::Tbman => bit::TBMAN,
            Self::Dma => bit::DMA,
            _ => 0,
        }
    }

    /// Whether writing 1 to bits of a register clears them: then an atomic alias passes on what was written, as the
    /// datasheet's own example relies on (4.6.4.2 clears `INTR` through the CLR alias).
    pub(super) fn write_one_clears(self, offset: u32) -> bool {
        match self {
            Self::Timer => matches!(offset, 0x20 | 0x34),
            Self::Pwm => offset == 0xa4,
            Self::Dma => matches!(offset, 0x400 | 0x40c | 0x410 | 0x41c | 0x444),
            Self::Xosc => offset == 0x04,
            Self::Rosc => offset == 0x18,
            _ => false,
        }
    }
}

/// What an atomic alias makes of a register's `old` content when `value` is written (2.1.2).
pub(super) fn aliased(address: u32, old: u32, value: u32) -> u32 {
    match address >> 12 & 3 {
        0 => value,
        1 => old ^ value,
        2 => old | value,
        _ => old & !value,
    }
}

/// Whether an address is that of an atomic alias.
pub(super) fn is_alias(address: u32) -> bool {
    address >> 12 & 3 != 0
}
