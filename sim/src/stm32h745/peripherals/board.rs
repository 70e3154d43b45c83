//! The board around the chip, and option bytes.

use crate::stm32h745::{M4, M7};

/// Modelled option bytes (RM0399 section 4.4.4, Table 20).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OptionBytes {
    /// `BOOT_CM7` and `BOOT_CM4`: a core boots after reset.
    pub boot: [bool; 2],
    /// `BOOT_CMx_ADD0` and `BOOT_CMx_ADD1` by core: the upper halves of addresses.
    pub boot_address: [[u16; 2]; 2],
    /// `SWAP_BANK_OPT`.
    pub swap_banks: bool,
    /// A core's independent watchdog is started by software and not by reset (`IWDG1_SW`, `IWDG2_SW`).
    pub software_watchdog: [bool; 2],
}

impl Default for OptionBytes {
    /// Factory values (Table 20).
    fn default() -> Self {
        Self {
            boot: [true; 2],
            boot_address: [[0x0800, 0x1ff0], [0x0810, 0x1000]],
            swap_banks: false,
            software_watchdog: [true; 2],
        }
    }
}

impl OptionBytes {
    /// `FLASH_OPTSR_CUR`; bits that are not modelled have their factory values.
    pub fn optsr(&self) -> u32 {
        const FACTORY: u32 = 0x1706_aac0;
        FACTORY
            | u32::from(self.swap_banks) << 31
            | u32::from(self.boot[M7]) << 23
            | u32::from(self.boot[M4]) << 22
            | u32::from(self.software_watchdog[M4]) << 5
            | u32::from(self.software_watchdog[M7]) << 4
    }

    /// `FLASH_BOOT7_CUR` or `FLASH_BOOT4_CUR`.
    pub fn boot_register(&self, core: usize) -> u32 {
        u32::from(self.boot_address[core][1]) << 16 | u32::from(self.boot_address[core][0])
    }
}

/// Supply of the core domain, as wired on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Supply {
    /// The LDO regulator: capacitors at the VCAP pins, step-down converter not connected.
    Ldo,
    /// The step-down converter feeds the core domain.
    Smps,
}

/// A board around the chip.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    /// How the core domain is supplied.
    pub supply: Supply,
    /// Rate in Hz of the clock or crystal at `OSC_IN`; 0 if there is none.
    pub hse: u64,
    /// An external clock at `OSC_IN` instead of a crystal: needs `HSEBYP`.
    pub hse_is_clock: bool,
    /// Rate in Hz of the crystal at `OSC32_IN`; 0 if there is none.
    pub lse: u64,
    /// Level of the BOOT0 pin.
    pub boot0: bool,
    /// Bits per second at the other end of USART3.
    pub baud: u32,
}

impl Default for Board {
    /// NUCLEO-H745ZI-Q: SMPS, 8 MHz from the debug probe, 115200 baud on the probe's serial port.
    fn default() -> Self {
        Self { supply: Supply::Smps, hse: 8_000_000, hse_is_clock: true, lse: 32_768, boot0: false, baud: 115_200 }
    }
}
