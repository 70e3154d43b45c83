//! PWR: supply and voltage scale of the core domain (RM0399 sections 7.4, 7.6.2 and 7.8).
//!
//! Modelled: the supply's configuration, which can be written once after power-on, the four voltage scales with the
//! time that they take, and DBP. Not modelled: detectors, monitoring, low-power modes and wake-up pins: their registers
//! are storage. Settling times are in the datasheet, which was not read: those here are of the right order, and not zero, to
//! find software that does not wait.

use crate::stm32h745::peripherals::board::Supply;
use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::{SECOND, Time};

/// Register offsets.
const CR1: u32 = 0x00;
const CSR1: u32 = 0x04;
const CR2: u32 = 0x08;
const CR3: u32 = 0x0c;
const CPU1CR: u32 = 0x10;
const CPU2CR: u32 = 0x14;
const D3CR: u32 = 0x18;
const WKUPCR: u32 = 0x20;
const WKUPFR: u32 = 0x24;
const WKUPEPR: u32 = 0x28;

/// `PWR_CR1.DBP`.
const DBP: u32 = 1 << 8;
const CR1_RESET: u32 = 0xf000_c000;
const CR1_MASK: u32 = 0x0007_c3f1;
/// `PWR_CR2`: MONEN, BREN and BRRDY.
const CR2_MASK: u32 = 1 << 4 | 1;
const BRRDY: u32 = 1 << 16;
/// `PWR_CR3`: the lower byte, which is written once after power-on (7.8.4).
const CR3_ONCE: u32 = 0x3f;
const CR3_RESET: u32 = 0x06;
const CR3_MASK: u32 = 0x0300_0300 | CR3_ONCE;
const BYPASS: u32 = 1 << 0;
const LDOEN: u32 = 1 << 1;
const SDEN: u32 = 1 << 2;
const SDEXTHP: u32 = 1 << 3;
const SDLEVEL: u32 = 3 << 4;
/// `PWR_CPUxCR`: `RUN_D3`, HOLD and the three PDDS.
const CPUCR_MASK: u32 = 0x0c07;
/// `ACTVOSRDY` of `PWR_CSR1`, and `VOSRDY` of `PWR_D3CR`.
const READY: u32 = 1 << 13;
/// Where VOS and ACTVOS are.
const VOS_SHIFT: u32 = 14;

/// Settling time of the supply after its configuration, and of a higher voltage scale.
const SUPPLY_SETTLING_TIME: Time = SECOND / 10_000;
const VOS_RISE_TIME: Time = SECOND / 50_000;

/// A voltage scale; the highest voltage is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Scale {
    Vos3,
    Vos2,
    Vos1,
    Vos0,
}

impl Scale {
    fn of(vos: u32, overdrive: bool) -> Self {
        match vos {
            3 if overdrive => Self::Vos0,
            3 => Self::Vos1,
            2 => Self::Vos2,
            _ => Self::Vos3,
        }
    }
}

/// Supply configuration in the lower byte of `PWR_CR3` (Table 33).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SupplyConfiguration {
    Ldo,
    Smps,
    SmpsFeedsLdo,
    Bypass,
    Illegal,
}

fn supply_configuration(cr3: u32) -> SupplyConfiguration {
    let level = cr3 & SDLEVEL != 0;
    match (cr3 & SDEXTHP != 0, cr3 & SDEN != 0, cr3 & LDOEN != 0, cr3 & BYPASS != 0) {
        (_, false, true, false) => SupplyConfiguration::Ldo,
        (false, true, false, false) => SupplyConfiguration::Smps,
        (_, true, true, false) if level => SupplyConfiguration::SmpsFeedsLdo,
        (true, true, false, true) if level => SupplyConfiguration::Bypass,
        (_, false, false, true) => SupplyConfiguration::Bypass,
        _ => SupplyConfiguration::Illegal,
    }
}

/// The controller.
#[derive(Clone, Debug, Hash)]
pub struct Pwr {
    board_supply: Supply,
    cr1: u32,
    cr2: u32,
    cr3: u32,
    /// The lower byte of `PWR_CR3` has been written.
    pub(super) configured: bool,
    /// When ACTVOSRDY rises; `None` if it does not.
    supply_ready: Option<Time>,
    cpu: [u32; 2],
    vos: u32,
    overdrive: bool,
    /// The scale before the selected one.
    before: Scale,
    /// When the selected scale is reached.
    scale_ready: Time,
    wake_up: u32,
}

impl Pwr {
    /// The controller after power-on, on a board with this supply.
    #[must_use]
    pub fn new(board_supply: Supply) -> Self {
        Self {
            board_supply,
            cr1: CR1_RESET,
            cr2: 0,
            cr3: CR3_RESET,
            configured: false,
            supply_ready: None,
            cpu: [0; 2],
            vos: 1,
            overdrive: false,
            before: Scale::Vos3,
            scale_ready: 0,
            wake_up: 0,
        }
    }

    /// After a reset of the system: the supply stays as it was configured.
    #[must_use]
    pub fn after_reset(&self, now: Time) -> Self {
        Self {
            cr2: self.cr2,
            cr3: self.cr3,
            configured: self.configured,
            supply_ready: self.supply_ready,
            scale_ready: now,
            ..Self::new(self.board_supply)
        }
    }

    /// A register.
    pub fn peek(&self, offset: u32, now: Time) -> Option<u32> {
        let ready = |is: bool| if is { READY } else { 0 };
        Some(match offset {
            CR1 => self.cr1,
            // ACTVOS: the reserved value 0 selects scale 3.
            CSR1 => self.vos.max(1) << VOS_SHIFT | ready(self.is_supplied(now)),
            CR2 => self.cr2 | if self.cr2 & 1 != 0 { BRRDY } else { 0 },
            CR3 => self.cr3,
            CPU1CR => self.cpu[0],
            CPU2CR => self.cpu[1],
            D3CR => self.vos << VOS_SHIFT | ready(now >= self.scale_ready),
            WKUPCR | WKUPFR => 0,
            WKUPEPR => self.wake_up,
            _ => return None,
        })
    }

    /// A write.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            CR1 => self.cr1 = CR1_RESET & !CR1_MASK | value & CR1_MASK,
            CSR1 | WKUPCR | WKUPFR => {}
            CR2 if !self.backup_writable() => context.warn("PWR_CR2 is written while PWR_CR1.DBP protects it: ignored"),
            CR2 => self.cr2 = value & CR2_MASK,
            CR3 => self.configure(value, context),
            CPU1CR => self.cpu[0] = value & CPUCR_MASK,
            CPU2CR => self.cpu[1] = value & CPUCR_MASK,
            D3CR => self.write_vos(value >> VOS_SHIFT & 3, context),
            WKUPEPR => self.wake_up = value,
            _ => _ = context.unmodelled(),
        }
    }

    /// `PWR_CR3` (7.8.4): an illegal combination is not stored and cannot be mended until the power goes.
    fn configure(&mut self, value: u32, context: &mut Context<'_>) {
        let once = value & CR3_ONCE;
        self.cr3 = self.cr3 & !(CR3_MASK & !CR3_ONCE) | value & CR3_MASK & !CR3_ONCE;
        if context.lanes & CR3_ONCE == 0 {
            return;
        }
        if self.configured {
            if once != self.cr3 & CR3_ONCE {
                context.warn("the supply is configured in PWR_CR3 a second time since power-on: ignored");
            }
            return;
        }
        self.configured = true;
        let wanted = supply_configuration(once);
        if wanted == SupplyConfiguration::Illegal {
            context.warn(format!(
                "PWR_CR3 is written with {once:#04x}, a combination that Table 33 forbids: ignored, and locked until \
                 power-off"
            ));
            return;
        }
        self.cr3 = self.cr3 & !CR3_ONCE | once;
        let fits = match self.board_supply {
            Supply::Ldo => wanted == SupplyConfiguration::Ldo,
            Supply::Smps => wanted == SupplyConfiguration::Smps,
        };
        if fits {
            self.supply_ready = Some(context.now + SUPPLY_SETTLING_TIME);
        } else {
            context.warn(format!(
                "PWR_CR3 is written with {once:#04x}, but the board supplies the core by {}: ACTVOSRDY never rises",
                match self.board_supply {
                    Supply::Ldo => "the regulator (LDO)",
                    Supply::Smps => "the step-down converter (SMPS)",
                }
            ));
        }
    }

    fn write_vos(&mut self, vos: u32, context: &mut Context<'_>) {
        if vos == self.vos {
            return;
        }
        if !self.is_supplied(context.now) {
            context.warn("VOS is changed before PWR_CSR1.ACTVOSRDY says that the supply is valid");
        }
        if self.overdrive {
            context.warn("VOS is changed while SYSCFG_PWRCR.ODEN still asks for VOS0");
        }
        if vos == 0 {
            context.warn("VOS is written with the reserved value 0: scale 3 is selected");
        }
        self.change(vos, self.overdrive, context.now);
    }

    /// `SYSCFG_PWRCR.ODEN` has been written (7.6.2): scale 1 of the regulator becomes scale 0.
    pub fn set_overdrive(&mut self, overdrive: bool, context: &mut Context<'_>) {
        if overdrive == self.overdrive {
            return;
        }
        if overdrive && self.vos != 3 {
            context.warn("SYSCFG_PWRCR.ODEN is set while VOS is not scale 1: there is no VOS0 then");
        }
        if overdrive && supply_configuration(self.cr3) == SupplyConfiguration::Smps {
            context.warn(
                "SYSCFG_PWRCR.ODEN is set, but only the regulator has an overdrive, and the converter feeds the core",
            );
        }
        self.change(self.vos, overdrive, context.now);
    }

    fn change(&mut self, vos: u32, overdrive: bool, now: Time) {
        self.before = self.level(now);
        (self.vos, self.overdrive) = (vos, overdrive);
        self.scale_ready = if self.selected_scale() > self.before { now + VOS_RISE_TIME } else { now };
    }

    fn selected_scale(&self) -> Scale {
        let possible = self.overdrive && supply_configuration(self.cr3) != SupplyConfiguration::Smps;
        Scale::of(self.vos, possible)
    }

    /// The voltage scale of the core domain; a higher one applies once it is reached.
    pub fn level(&self, now: Time) -> Scale {
        if now >= self.scale_ready { self.selected_scale() } else { self.before.min(self.selected_scale()) }
    }

    /// Whether the supply has been configured and is valid: RAM may be written, and VOS changed (7.4.1).
    pub fn is_supplied(&self, now: Time) -> bool {
        self.supply_ready.is_some_and(|since| now >= since)
    }

    /// `PWR_CR1.DBP`: the backup domain may be written.
    pub fn backup_writable(&self) -> bool {
        self.cr1 & DBP != 0
    }

    /// When the selected scale is reached, if after `now`.
    pub fn next_event(&self, now: Time) -> Time {
        if self.scale_ready > now { self.scale_ready } else { Time::MAX }
    }
}
