//! RCC: oscillators, PLLs, dividers, clocks, resets and gates of peripherals (RM0399 section 9).
//!
//! Modelled: all sources, the three PLLs with what may not be changed while they run, the clock tree as far as a
//! modelled block needs it, peripheral clocks and resets by core, the boot gates, and the cause of a reset. Not
//! modelled: interrupts of oscillators (`RCC_CIER` to `RCC_CICR`), clock security, clock outputs, trimming, CSTOP and
//! its autonomous mode (both domains run always), and the RTC's clock. Divider changes
//! take effect at once, not after some cycles (9.7.7).

pub mod gates;
pub mod sources;
mod tree;

use crate::stm32h745::peripherals::Reset;
use crate::stm32h745::peripherals::board::{Board, OptionBytes};
use crate::stm32h745::peripherals::clocks::Clocks;
use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::{M4, M7, Time};
use gates::Gates;
use sources::{Source, Sources};

/// Register offsets, without those in `sources` and `gates`.
const HSICFGR: u32 = 0x04;
const CRRCR: u32 = 0x08;
const CSICFGR: u32 = 0x0c;
const CFGR: u32 = 0x10;
const D1CFGR: u32 = 0x18;
const D2CFGR: u32 = 0x1c;
const D3CFGR: u32 = 0x20;
const D1CCIPR: u32 = 0x4c;
const D3CCIPR: u32 = 0x58;
const CIER: u32 = 0x60;
const CICR: u32 = 0x68;
const GCR: u32 = 0xa0;
const D3AMR: u32 = 0xa8;

/// `RCC_CFGR`: SW is the lowest field, SWS the next; TIMPRE is bit 15.
const SW: u32 = 7;
const SWS_SHIFT: u32 = 3;
const CFGR_MASK: u32 = 0xffff_ffc7 & !(3 << 16);
/// `RCC_GCR`: resets' scopes of the window watchdogs, and `BOOT_C1`, `BOOT_C2`.
const BOOT_C1: u32 = 1 << 2;
const BOOT_C2: u32 = 1 << 3;
const GCR_MASK: u32 = 0xf;

/// The controller.
#[derive(Clone, Debug, Hash)]
pub struct Rcc {
    pub(super) sources: Sources,
    pub(super) gates: Gates,
    cfgr: u32,
    /// The source of `sys_ck`, by SWS.
    system: u32,
    /// `RCC_D1CFGR`, `RCC_D2CFGR`, `RCC_D3CFGR`.
    dividers: [u32; 3],
    /// `RCC_D1CCIPR` to `RCC_D3CCIPR`.
    kernels: [u32; 4],
    gcr: u32,
    d3amr: u32,
}

impl Rcc {
    /// The controller after power-on.
    #[must_use]
    pub fn new(board: &Board) -> Self {
        Self {
            sources: Sources::new(board),
            gates: Gates::default(),
            cfgr: 0,
            system: 0,
            dividers: [0; 3],
            kernels: [0; 4],
            gcr: 0,
            d3amr: 0,
        }
    }

    /// After a reset of the system: the backup domain and `RCC_RSR` stay.
    #[must_use]
    pub fn after_reset(&self, board: &Board, why: Reset) -> Self {
        Self { sources: self.sources.after_reset(board), gates: self.gates.after_reset(why), ..Self::new(board) }
    }

    /// A register.
    pub fn peek(&self, offset: u32, core: usize, now: Time) -> Option<u32> {
        if let Some(value) = self.sources.peek(offset, now).or_else(|| self.gates.peek(offset, core)) {
            return Some(value);
        }
        Some(match offset {
            CFGR => self.cfgr | self.system << SWS_SHIFT,
            D1CFGR | D2CFGR | D3CFGR => self.dividers[((offset - D1CFGR) / 4) as usize],
            D1CCIPR..=D3CCIPR => self.kernels[((offset - D1CCIPR) / 4) as usize],
            GCR => self.gcr,
            D3AMR => self.d3amr,
            CIER..=CICR => 0,
            _ => return None,
        })
    }

    /// A write. `backup`: the backup domain is writable (`PWR_CR1.DBP`).
    pub fn write(&mut self, offset: u32, value: u32, backup: bool, context: &mut Context<'_>) {
        match offset {
            CFGR => self.configure(value, context),
            D1CFGR => self.dividers[0] = value & 0xf7f,
            D2CFGR => self.dividers[1] = value & 0x770,
            D3CFGR => self.dividers[2] = value & 0x70,
            D1CCIPR..=D3CCIPR => self.kernels[((offset - D1CCIPR) / 4) as usize] = value,
            GCR => self.gcr |= value & GCR_MASK,
            D3AMR => self.d3amr = value,
            CIER | CICR if value != 0 => {
                context.warn("interrupts of RCC are not modelled: none comes of RCC_CIER, and RCC_CIFR reads as 0");
            }
            CIER..=CICR | HSICFGR | CRRCR | CSICFGR => {}
            _ if self.sources.peek(offset, context.now).is_some() => {
                self.sources.write(offset, value, self.in_use(), backup, context);
            }
            _ if self.gates.peek(offset, context.core).is_some() => self.gates.write(offset, value, context),
            _ => _ = context.unmodelled(),
        }
    }

    fn configure(&mut self, value: u32, context: &mut Context<'_>) {
        if value & SW > 3 {
            context.warn("RCC_CFGR.SW is written with a reserved value: the system clock stays");
            self.cfgr = value & CFGR_MASK & !SW | self.cfgr & SW;
        } else {
            self.cfgr = value & CFGR_MASK;
        }
        self.advance(context.now);
    }

    /// The current and the selected source of the system clock.
    fn in_use(&self) -> [Source; 2] {
        [Source::of_system(self.system), Source::of_system(self.cfgr & SW)]
    }

    /// Switches the system clock when the source that was selected is ready (9.5.6).
    pub fn advance(&mut self, now: Time) {
        let wanted = self.cfgr & SW;
        if self.sources.is_ready(Source::of_system(wanted), now) {
            self.system = wanted;
        }
    }

    /// The rates of the clocks.
    pub fn clocks(&self, now: Time) -> Clocks {
        let rate = |source| self.sources.rate(source, now);
        tree::clocks(rate, self.system, self.cfgr, self.dividers, self.kernels[2])
    }

    /// Whether a core may run (9.7.36).
    pub fn is_released(&self, core: usize, options: &OptionBytes) -> bool {
        match core {
            M7 => options.boot[M7] || !options.boot[M4] || self.gcr & BOOT_C1 != 0,
            _ => options.boot[M4] || self.gcr & BOOT_C2 != 0,
        }
    }
}
