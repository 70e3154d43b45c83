//! SYSCFG (RM0399 section 13.3).
//!
//! Modelled: `SYSCFG_PWRCR` with the overdrive that is VOS0, `SYSCFG_EXTICRx`, `SYSCFG_PMCR` and `SYSCFG_CFGR` as
//! storage, and user registers 0 to 4 with option bytes. Not modelled: the I/O compensation cell, the
//! other user registers, and writing boot addresses for the next reset of a core.

use crate::stm32h745::peripherals::board::OptionBytes;
use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::{M4, M7};

/// Register offsets.
const PMCR: u32 = 0x04;
const EXTICR1: u32 = 0x08;
const EXTICR4: u32 = 0x14;
const CFGR: u32 = 0x18;
const PWRCR: u32 = 0x2c;
const SR0: u32 = 0x100;
const PKGR: u32 = 0x124;
const UR0: u32 = 0x300;
const UR4: u32 = 0x310;

/// LQFP144 (13.3.12).
const PACKAGE: u32 = 0b0011;
/// `SYSCFG_PMCR`: the four analogue switches are open where the package has both pads (13.3.1).
const PMCR_RESET: u32 = 0;
const PMCR_MASK: u32 = 0x0fe0_03ff;
const CFGR_MASK: u32 = 0xfecd;

/// The registers.
#[derive(Clone, Debug, Hash)]
pub struct Syscfg {
    pmcr: u32,
    exticr: [u32; 4],
    cfgr: u32,
    pwrcr: u32,
}

impl Default for Syscfg {
    fn default() -> Self {
        Self { pmcr: PMCR_RESET, exticr: [0; 4], cfgr: 0, pwrcr: 0 }
    }
}

impl Syscfg {
    /// A register.
    pub fn peek(&self, offset: u32, options: &OptionBytes) -> Option<u32> {
        Some(match offset {
            PMCR => self.pmcr,
            EXTICR1..=EXTICR4 => self.exticr[((offset - EXTICR1) / 4) as usize],
            CFGR => self.cfgr,
            PWRCR => self.pwrcr,
            SR0 => 1 << 16,
            PKGR => PACKAGE,
            UR0..=UR4 => user_register((offset - UR0) / 4, options),
            _ => return None,
        })
    }

    /// A write.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            PMCR => self.pmcr = value & PMCR_MASK,
            EXTICR1..=EXTICR4 => self.exticr[((offset - EXTICR1) / 4) as usize] = value & 0xffff,
            CFGR => self.cfgr |= value & CFGR_MASK,
            PWRCR => self.pwrcr = value & 1,
            _ => _ = context.unmodelled(),
        }
    }

    /// The pins of a port that are inputs of EXTI.
    pub fn exti_pins(&self, port: usize) -> u32 {
        let of_port = |pin: usize| (self.exticr[pin / 4] >> (4 * (pin % 4)) & 0xf) as usize == port;
        (0..16).filter(|&pin| of_port(pin)).fold(0, |pins, pin| pins | 1 << pin)
    }

    /// `SYSCFG_PWRCR.ODEN`.
    pub fn overdrive(&self) -> bool {
        self.pwrcr & 1 != 0
    }
}

fn user_register(index: u32, options: &OptionBytes) -> u32 {
    let boot = |core: usize, which: usize| u32::from(options.boot_address[core][which]);
    match index {
        0 => 0x00aa_0000 | u32::from(!options.swap_banks),
        1 => u32::from(options.boot[M7]) << 16 | u32::from(options.boot[M4]),
        2 => boot(M7, 0) << 16,
        3 => boot(M7, 1) << 16 | boot(M4, 0),
        _ => boot(M4, 1),
    }
}
