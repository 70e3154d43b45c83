//! Blocks whose registers are kept, and that do nothing else: pins, pads, power.

use crate::rp2::peripheral::{Block, Effect};
use crate::rp2350::peripherals::registers::{Register, layout};

const KEPT: &str = "registers that read back";

/// `SYSINFO`.
pub const SYSINFO: Block = Block { reset: 1 << 21, ..Block::new("SYSINFO", 0x4000_0000) };

layout! {
    /// What chip this is (DS 12.15.1): A2 silicon in the package with 60 pins.
    Sysinfo:
    Register::new(0x00, 0x00, 0x2000_4927, 0),
    Register::new(0x04, 0x04, 1, 0),
    Register::new(0x08, 0x08, 2, 0),
}

layout! {
    /// Pin functions (DS 9.11.1): STATUS and CTRL of each pin.
    Functions:
    Register::new(0x000, 0x17c, 0x1f, 0x3003_f01f),
}

/// `IO_QSPI`.
pub const IO_QSPI: Block =
    Block { reset: 1 << 7, modelled: KEPT, missing: "all else", ..Block::new("IO_QSPI", 0x4003_0000) };

layout! {
    /// Pin functions of the QSPI bank (DS 9.11.2).
    IoQspi:
    Register::new(0x000, 0x03c, 0x1f, 0x3003_f01f),
}

/// `PADS_BANK0`.
pub const PADS_BANK0: Block = Block {
    reset: 1 << 9,
    effect: Effect::Pins,
    modelled: KEPT,
    missing: "what they do, but to interrupts of pins",
    ..Block::new("PADS_BANK0", 0x4003_8000)
};

layout! {
    /// Pads (DS 9.11.3): the voltage, then one register for each pin, and for SWCLK and SWD.
    PadsBank0:
    Register::new(0x00, 0x00, 0, 1),
    Register::new(0x04, 0xc4, 0x116, 0x1ff),
}

/// `PADS_QSPI`.
pub const PADS_QSPI: Block =
    Block { reset: 1 << 10, modelled: KEPT, missing: "all else", ..Block::new("PADS_QSPI", 0x4004_0000) };

layout! {
    /// Pads of the QSPI bank (DS 9.11.4).
    PadsQspi:
    Register::new(0x00, 0x00, 0, 1),
    Register::new(0x04, 0x18, 0x156, 0x1ff),
}

/// `ROSC`.
pub const ROSC: Block =
    Block { modelled: KEPT, missing: "its rate, which is nominal", ..Block::new("ROSC", 0x400e_8000) };

layout! {
    /// The ring oscillator (DS 8.3.11).
    Rosc:
    Register::new(0x00, 0x00, 0xaa0, 0x00ff_ffff),
    Register::new(0x04, 0x08, 0, 0xffff_ffff),
    Register::new(0x0c, 0x0c, 0x3f04_b16d, 0xffff_ffff),
    Register::new(0x10, 0x10, 0x7761_6b65, 0),
    Register::new(0x14, 0x14, 0xaa08, 0xffff),
    Register::new(0x18, 0x18, 8, 0xfff),
    Register::new(0x1c, 0x1c, 0x8001_1000, 0),
}

/// `POWMAN`.
pub const POWMAN: Block =
    Block { modelled: "the voltage regulator's registers", missing: "all else", ..Block::new("POWMAN", 0x4010_0000) };

layout! {
    /// The power manager (DS 6.4): the voltage regulator.
    Powman:
    Register::new(0x04, 0x08, 0, 0xffff),
    Register::new(0x0c, 0x0c, 0xb0, 0x1f0),
    Register::new(0x10, 0x2c, 0, 0xffff),
}
