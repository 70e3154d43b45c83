//! DBGMCU: device identity, and clocks of a sleeping or halted core.
//!
//! The text of RM0399 section 63 was not at hand. Registers and bits are those of ST's header `stm32h745xx.h`. That
//! 0x2003 is revision V is in ST's `stm32h7xx_hal.h` (`REV_ID_V`). That 0x450 is the device is from
//! posts in ST's forum.
//!
//! Modelled: `DBGMCU_IDC`, and the bits of `DBGMCU_CR` that keep a sleeping core's clock. Not modelled: the freeze
//! registers are kept, but nothing stops when a core halts.

use crate::stm32h745::peripherals::context::Context;

/// Register offsets.
const IDC: u32 = 0x00;
const CR: u32 = 0x04;
const APB3FZ1: u32 = 0x34;
const APB4FZ2: u32 = 0x58;

/// Revision V of the STM32H742/743/745/747/753/755/757.
const IDENTITY: u32 = 0x2003_6450;
/// `DBGMCU_CR.DBGSLEEP_D1` and `DBGSLEEP_D2`.
const DEBUG_IN_SLEEP: [u32; 2] = [1, 1 << 3];
const CR_MASK: u32 = 0x1070_01bf;

/// The registers; a system reset leaves them alone (Table 56: the debug parts are not reset).
#[derive(Clone, Debug, Default, Hash)]
pub struct Dbgmcu {
    cr: u32,
    freeze: [u32; 10],
}

impl Dbgmcu {
    /// A register.
    pub fn peek(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            IDC => IDENTITY,
            CR => self.cr,
            APB3FZ1..=APB4FZ2 => self.freeze[((offset - APB3FZ1) / 4) as usize],
            _ => return None,
        })
    }

    /// A write.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            IDC => {}
            CR => self.cr = value & CR_MASK,
            APB3FZ1..=APB4FZ2 => self.freeze[((offset - APB3FZ1) / 4) as usize] = value,
            _ => _ = context.unmodelled(),
        }
    }

    /// Whether a core's clock, and with it CYCCNT, runs while it sleeps.
    pub fn counts_in_sleep(&self, core: usize) -> bool {
        self.cr & DEBUG_IN_SLEEP[core] != 0
    }
}
