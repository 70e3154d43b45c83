//! System configuration (datasheet 2.21).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2040::peripherals::{Block, Context, Peripheral};

/// Register offsets (2.21.2).
const PROC0_NMI_MASK: u32 = 0x00;
const PROC1_NMI_MASK: u32 = 0x04;
const PROC_CONFIG: u32 = 0x08;
const PROC_IN_SYNC_BYPASS: u32 = 0x0c;
const PROC_IN_SYNC_BYPASS_HI: u32 = 0x10;
const DBGFORCE: u32 = 0x14;
const MEMPOWERDOWN: u32 = 0x18;
/// Writable bits and reset values of the registers, in order.
const MASKS: [u32; 7] = [!0, !0, 0xff00_0000, 0x3fff_ffff, 0x3f, 0xee, 0xff];
const RESET: [u32; 7] = [0, 0, 0x1000_0000, 0, 0, 0x66, 0];

/// `SYSCFG`.
pub const SYSCFG: Block = Block {
    reset: 1 << 18,
    modelled: "NMI masks",
    missing: "the rest: registers read back",
    ..Block::new("SYSCFG", 0x4000_4000)
};

/// The system configuration block. Only the NMI masks do something.
#[derive(Clone, Debug, Hash)]
pub struct Syscfg {
    registers: [u32; 7],
}

impl Syscfg {
    /// The interrupt lines that make the NMI of a core (2.21.1).
    pub fn nmi_mask(&self, core: usize) -> u32 {
        self.registers[core & 1]
    }
}

impl Peripheral for Syscfg {
    fn new(_: &'static Block) -> Self {
        Self { registers: RESET }
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        self.registers.get((offset / 4) as usize).copied()
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let index = (offset / 4) as usize;
        match offset {
            PROC0_NMI_MASK | PROC1_NMI_MASK | PROC_IN_SYNC_BYPASS | PROC_IN_SYNC_BYPASS_HI => {}
            PROC_CONFIG | DBGFORCE | MEMPOWERDOWN if value & MASKS[index] == RESET[index] & MASKS[index] => {}
            _ => context.diagnostics.unmodelled(SYSCFG.name, offset, "write to", context.now),
        }
        if let Some(register) = self.registers.get_mut(index) {
            *register = (value & MASKS[index]) | (RESET[index] & !MASKS[index]);
        }
    }
}
