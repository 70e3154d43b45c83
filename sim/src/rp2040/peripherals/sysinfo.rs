//! What chip this is (datasheet 2.20).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2040::peripherals::{Block, Context, Peripheral};

/// Register offsets (2.20.2).
const CHIP_ID: u32 = 0x00;
const PLATFORM: u32 = 0x04;
const GITREF_RP2040: u32 = 0x10;
/// `CHIP_ID`: revision 2 (B2 silicon), part 2, manufacturer 0x927 (2.20.2; the SDK's `rp2040_chip_version`).
const CHIP_ID_B2: u32 = 0x2000_2927;
/// `PLATFORM.ASIC`.
const ASIC: u32 = 1 << 1;

/// `SYSINFO`.
pub const SYSINFO: Block =
    Block { reset: 1 << 19, modelled: "revision 2 of the chip", ..Block::new("SYSINFO", 0x4000_0000) };

/// The system information block.
#[derive(Clone, Debug, Hash)]
pub struct Sysinfo;

impl Peripheral for Sysinfo {
    fn new(_: &'static Block) -> Self {
        Self
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            CHIP_ID => CHIP_ID_B2,
            PLATFORM => ASIC,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, _value: u32, context: &mut Context<'_>) {
        if !matches!(offset, CHIP_ID | PLATFORM | GITREF_RP2040) {
            context.diagnostics.unmodelled(SYSINFO.name, offset, "write to", context.now);
        }
    }
}
