//! Two blocks that affect timing only: the Cortex-M4's ART accelerator (`ART_CTR`) and the AXI interconnect
//! (`TARG7_FN_MOD`, whose bit 0 works around an erratum of revision Y).
//!
//! Both registers are storage. The texts of RM0399 sections 2.2 and 6 were not at hand:
//! registers and bits are those of ST's header `stm32h745xx.h`, and of `SystemInit` in ST's
//! `system_stm32h7xx_dualcore_boot_cm4_cm7.c`.

use crate::stm32h745::peripherals::context::Context;

/// `ART_CTR`: EN, and PCACHEADDR.
const ART_CTR: u32 = 0x4002_4400;
const ART_CTR_MASK: u32 = 0x000f_ff01;
/// Issuing functionality of the AXI SRAM port.
const TARG7_FN_MOD: u32 = 0x5100_8108;

/// The registers.
#[derive(Clone, Debug, Default, Hash)]
pub struct Accelerators {
    art_ctr: u32,
    targ7_fn_mod: u32,
}

impl Accelerators {
    /// A register, by its address.
    pub fn peek(&self, address: u32) -> Option<u32> {
        match address {
            ART_CTR => Some(self.art_ctr),
            TARG7_FN_MOD => Some(self.targ7_fn_mod),
            _ => None,
        }
    }

    /// A write.
    pub fn write(&mut self, value: u32, context: &mut Context<'_>) {
        match context.address {
            ART_CTR => self.art_ctr = value & ART_CTR_MASK,
            TARG7_FN_MOD => self.targ7_fn_mod = value & 3,
            _ => _ = context.unmodelled(),
        }
    }
}
