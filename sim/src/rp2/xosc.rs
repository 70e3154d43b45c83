//! The crystal oscillator (datasheet 2.16).

use crate::core::time::Cycle;
use crate::rp2::clock::{Clocks, FS};
use crate::rp2::peripheral::{Block, Context, Effect, Peripheral};

/// The crystal of the reference design and of the Raspberry Pi Pico, in Hz (2.16.1).
pub const CRYSTAL: u64 = 12_000_000;

/// Register offsets (2.16.7).
const CTRL: u32 = 0x00;
const STATUS: u32 = 0x04;
const DORMANT: u32 = 0x08;
const STARTUP: u32 = 0x0c;
const COUNT: u32 = 0x1c;

/// `CTRL.ENABLE` and `CTRL.FREQ_RANGE` values (2.16.7). The ring oscillator has the same `ENABLE`, `STATUS` and `DORMANT`.
pub(crate) const ENABLE: u32 = 0xfab;
pub(crate) const DISABLE: u32 = 0xd1e;
const RANGE_1_15MHZ: u32 = 0xaa0;
/// `STATUS` bits.
pub(crate) const STATUS_STABLE: u32 = 1 << 31;
pub(crate) const STATUS_BADWRITE: u32 = 1 << 24;
pub(crate) const STATUS_ENABLED: u32 = 1 << 12;
/// `DORMANT` reads as this while awake.
pub(crate) const WAKE: u32 = 0x7761_6b65;
/// A write of this makes it dormant.
pub(crate) const COMA: u32 = 0x636f_6d61;
/// `STARTUP` fields; 0xc4 is the reset value that the register's description gives.
const STARTUP_DELAY: u32 = 0x3fff;
const STARTUP_X4: u32 = 1 << 20;
const STARTUP_RESET: u32 = 0x00c4;
/// The start-up delay counts in units of this many crystal periods (2.16.3).
const DELAY_UNIT: u64 = 256;

/// What is the same of all crystal oscillators.
pub const XOSC: Block = Block {
    write_one_clears: &[STATUS],
    effect: Effect::Rates,
    modelled: "rate, start-up delay, `COUNT`, dormant mode",
    ..Block::new("XOSC", 0)
};

/// The crystal oscillator.
#[derive(Clone, Debug, Hash)]
pub struct Xosc {
    block: &'static Block,
    ctrl: u32,
    startup: u32,
    badwrite: bool,
    /// Real time in femtoseconds at which it was started, while enabled.
    started_at: Option<u128>,
    count: u32,
    count_from: u128,
    dormant: bool,
}

impl Xosc {
    /// Frequency in Hz; 0 while disabled. (Before it is stable a crystal's rate is anybody's guess; here it is the final one.)
    pub fn enabled_frequency(&self) -> u64 {
        if self.started_at.is_some() && !self.is_dormant() { CRYSTAL } else { 0 }
    }

    /// Whether it pauses.
    pub(crate) fn is_dormant(&self) -> bool {
        self.dormant
    }

    /// Something ends its pause: it starts as if it had been off.
    pub(crate) fn wake_up(&mut self, context: &Context<'_>) {
        if std::mem::take(&mut self.dormant) && self.started_at.is_some() {
            self.started_at = Some(context.clocks.femtoseconds(context.now));
        }
    }

    /// For how many femtoseconds it is not stable yet; 0 if it is, or is off.
    pub(crate) fn unstable_for(&self, now: Cycle, clocks: &Clocks) -> u128 {
        self.stable_at().map_or(0, |at| clocks.until(at, now))
    }

    /// Real time in femtoseconds at which the start-up delay is over. It is what `STARTUP` says now: the SDK sets it after a
    /// write of the range alone, which enables already (assumption).
    fn stable_at(&self) -> Option<u128> {
        let times = if self.startup & STARTUP_X4 != 0 { 4 } else { 1 };
        let periods = u64::from(self.startup & STARTUP_DELAY) * times * DELAY_UNIT;
        Some(self.started_at? + u128::from(periods) * FS / u128::from(CRYSTAL))
    }

    fn write_ctrl(&mut self, value: u32, context: &Context<'_>) {
        let value = value & 0x00ff_ffff;
        self.ctrl = value;
        self.badwrite |= !matches!(value >> 12, ENABLE | DISABLE) || value & 0xfff != RANGE_1_15MHZ;
        match value >> 12 {
            DISABLE => self.started_at = None,
            // "An invalid setting will enable the oscillator." (2.16.7)
            _ => _ = self.started_at.get_or_insert(context.clocks.femtoseconds(context.now)),
        }
    }
}

impl Peripheral for Xosc {
    fn new(block: &'static Block) -> Self {
        Self {
            block,
            ctrl: 0,
            startup: STARTUP_RESET,
            badwrite: false,
            started_at: None,
            count: 0,
            count_from: 0,
            dormant: false,
        }
    }

    fn peek(&self, offset: u32, now: Cycle, clocks: &Clocks) -> Option<u32> {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        Some(match offset {
            CTRL => self.ctrl,
            STATUS => {
                flag(self.stable_at().is_some_and(|at| clocks.femtoseconds(now) >= at), STATUS_STABLE)
                    | flag(self.badwrite, STATUS_BADWRITE)
                    | flag(self.started_at.is_some(), STATUS_ENABLED)
            }
            DORMANT => {
                if self.is_dormant() {
                    COMA
                } else {
                    WAKE
                }
            }
            STARTUP => self.startup,
            COUNT => {
                let gone = clocks.femtoseconds(now).saturating_sub(self.count_from) * u128::from(CRYSTAL) / FS;
                u128::from(self.count).saturating_sub(gone) as u32
            }
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            CTRL => self.write_ctrl(value, context),
            DORMANT if value == COMA => self.dormant = true,
            // Anything else wakes it (2.16.7).
            DORMANT => self.wake_up(context),
            STATUS => self.badwrite &= value & STATUS_BADWRITE == 0,
            STARTUP => self.startup = value & (STARTUP_DELAY | STARTUP_X4),
            COUNT => {
                self.count = value & 0xff;
                self.count_from = context.clocks.femtoseconds(context.now);
            }
            _ => context.diagnostics.unmodelled(self.block.name, offset, "write to", context.now),
        }
    }
}
