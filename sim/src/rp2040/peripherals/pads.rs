//! Pads of the two banks of pins (datasheet 2.19.4): they read back; `pins.rs` has what they do.

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2040::peripherals::{Block, Context, Effect, Peripheral};

/// Writable bits of a pad (2.19.6.3).
const PAD_MASK: u32 = 0xff;
/// Reset values (2.19.6.3, 2.19.6.4): of a pin, of SWCLK and SWD, and of the QSPI pads from SCLK to SS.
const PIN_RESET: u32 = 0x56;
const DEBUG_RESET: [u32; 2] = [0xda, 0x5a];
const QSPI_RESET: [u32; 6] = [0x56, 0x52, 0x52, 0x52, 0x52, 0x5a];

/// `PADS_BANK0`.
pub const PADS_BANK0: Block = Block {
    reset: 1 << 8,
    effect: Effect::Pins,
    modelled: "`IE`, `OD`, pulls",
    missing: "bus keepers, electrical settings, `IE` in what SIO reads of pins that it drives",
    ..Block::new("PADS_BANK0", 0x4001_c000)
};
/// `PADS_QSPI`.
pub const PADS_QSPI: Block = Block {
    reset: 1 << 9,
    modelled: "registers read back",
    missing: "electrical settings",
    ..Block::new("PADS_QSPI", 0x4002_0000)
};

/// The pads of one bank: `VOLTAGE_SELECT`, then a register per pad.
#[derive(Clone, Debug, Hash)]
pub struct Pads<const REGISTERS: usize> {
    registers: [u32; REGISTERS],
}

/// `PADS_BANK0`: 30 pins and the two debug pins.
pub type PadsBank0 = Pads<33>;
/// `PADS_QSPI`.
pub type PadsQspi = Pads<7>;

impl<const REGISTERS: usize> Pads<REGISTERS> {
    const BLOCK: &'static Block = if REGISTERS == 7 { &PADS_QSPI } else { &PADS_BANK0 };

    /// The pad of a pin.
    pub(super) fn pad(&self, pin: usize) -> u32 {
        self.registers[(1 + pin) % REGISTERS]
    }
}

impl<const REGISTERS: usize> Peripheral for Pads<REGISTERS> {
    fn new(_: &'static Block) -> Self {
        let mut registers = [PIN_RESET; REGISTERS];
        registers[0] = 0;
        let last: &[u32] = if REGISTERS == 7 { &QSPI_RESET } else { &DEBUG_RESET };
        registers[REGISTERS - last.len()..].copy_from_slice(last);
        Self { registers }
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        self.registers.get((offset / 4) as usize).copied()
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match self.registers.get_mut((offset / 4) as usize) {
            Some(register) => *register = value & if offset < 4 { 1 } else { PAD_MASK },
            None => context.diagnostics.unmodelled(Self::BLOCK.name, offset, "write to", context.now),
        }
    }
}
