//! Where the RP2040 has the blocks that the RP2350 has, too.

use crate::rp2::peripheral::Block;
use crate::rp2::pll::PLL;
use crate::rp2::psm;
use crate::rp2::resets;
use crate::rp2::timer;
use crate::rp2::uart::UART;
use crate::rp2::usb;
use crate::rp2::xosc;
use crate::rp2040::irq::Irq;

/// `TIMER`.
pub const TIMER: Block = Block {
    base: 0x4005_4000,
    reset: 1 << 21,
    interrupts: &[Irq::Timer0 as u8, Irq::Timer1 as u8, Irq::Timer2 as u8, Irq::Timer3 as u8],
    ..timer::TIMER
};
/// `UART0`.
pub const UART0: Block = Block {
    instance: "0",
    base: 0x4003_4000,
    reset: 1 << 22,
    interrupts: &[Irq::Uart0 as u8],
    dreqs: &[20, 21],
    ..UART
};
/// `UART1`.
pub const UART1: Block = Block {
    instance: "1",
    base: 0x4003_8000,
    reset: 1 << 23,
    interrupts: &[Irq::Uart1 as u8],
    dreqs: &[22, 23],
    ..UART
};
/// `USBCTRL`.
pub const USBCTRL: Block = Block { reset: 1 << 24, interrupts: &[Irq::UsbCtrl as u8], ..usb::USBCTRL };
/// `PLL_SYS`.
pub const PLL_SYS: Block = Block { instance: "_SYS", base: 0x4002_8000, reset: 1 << 12, ..PLL };
/// `PLL_USB`.
pub const PLL_USB: Block = Block { instance: "_USB", base: 0x4002_c000, reset: 1 << 13, ..PLL };
/// `XOSC`.
pub const XOSC: Block = Block { base: 0x4002_4000, ..xosc::XOSC };
/// `RESETS`.
pub const RESETS: Block = Block { base: 0x4000_c000, ..resets::RESETS };
/// Bits of all its registers: one per block (2.14.3).
pub const ALL_RESETS: u32 = 0x01ff_ffff;
/// `PSM`.
pub const PSM: Block = Block { base: 0x4001_0000, ..psm::PSM };
/// Stages of the power-on state machine (2.13.5).
#[allow(missing_docs)] // the datasheet's names
pub mod stage {
    pub const CLOCKS: u32 = 1 << 2;
    pub const RESETS: u32 = 1 << 3;
    pub const SIO: u32 = 1 << 14;
}
