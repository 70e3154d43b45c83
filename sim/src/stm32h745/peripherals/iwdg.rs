//! An independent watchdog (RM0399 section 48).
//!
//! Modelled: all registers, the window, and the reset. Not modelled: the freeze in debug mode and in Stop mode. The
//! clock (LSI) has exactly 32 kHz.

use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::{NEVER, SECOND, Time};

/// LSI in Hz (9.5.2: around 32 kHz).
pub const LSI: u64 = 32_000;
/// Register offsets.
const KR: u32 = 0x00;
const PR: u32 = 0x04;
const RLR: u32 = 0x08;
const SR: u32 = 0x0c;
const WINR: u32 = 0x10;
/// Keys of `IWDG_KR` (48.4.1).
const REFRESH: u32 = 0xaaaa;
const UNLOCK: u32 = 0x5555;
const START: u32 = 0xcccc;
/// How long PVU, RVU and WVU stay set: up to five cycles (48.4.4).
const UPDATE: Time = 5 * SECOND / LSI;

/// One watchdog.
#[derive(Clone, Debug, Hash)]
pub struct Iwdg {
    running: bool,
    unlocked: bool,
    /// `IWDG_PR`, `IWDG_RLR` and `IWDG_WINR`, and when the last write to each takes effect.
    values: [u32; 3],
    updated: [Time; 3],
    /// When the counter was last reloaded.
    reloaded: Time,
    /// It was refreshed outside of its window.
    window_violated: bool,
}

impl Iwdg {
    /// A watchdog after reset at `now`; a hardware watchdog runs at once (48.3.4).
    #[must_use]
    pub fn new(by_software: bool, now: Time) -> Self {
        Self {
            running: !by_software,
            unlocked: false,
            values: [0, 0xfff, 0xfff],
            updated: [now; 3],
            reloaded: now,
            window_violated: false,
        }
    }

    /// Period of the counter.
    fn step(&self) -> Time {
        SECOND * (4 << self.values[0].min(6)) / LSI
    }

    fn counter(&self, now: Time) -> u32 {
        let steps = (now - self.reloaded) / self.step();
        u64::from(self.values[1]).saturating_sub(steps) as u32
    }

    /// A register.
    pub fn peek(&self, offset: u32, now: Time) -> Option<u32> {
        Some(match offset {
            KR => 0,
            PR => self.values[0],
            RLR => self.values[1],
            SR => (0..3).filter(|&value| self.updated[value] > now).fold(0, |flags, value| flags | 1 << value),
            WINR => self.values[2],
            _ => return None,
        })
    }

    /// A write.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            KR => self.key(value & 0xffff, context.now),
            PR => self.set(0, value & 7, context),
            RLR => self.set(1, value & 0xfff, context),
            WINR => {
                self.set(2, value & 0xfff, context);
                self.reloaded = context.now;
            }
            SR => {}
            _ => _ = context.unmodelled(),
        }
    }

    fn key(&mut self, key: u32, now: Time) {
        self.unlocked = key == UNLOCK;
        match key {
            REFRESH => {
                self.window_violated |= self.running && self.counter(now) > self.values[2];
                self.reloaded = now;
            }
            START if !self.running => {
                self.running = true;
                self.values[1] = self.values[1].min(0xfff);
                self.reloaded = now;
            }
            _ => {}
        }
    }

    fn set(&mut self, which: usize, value: u32, context: &mut Context<'_>) {
        if !self.unlocked {
            context.warn("a protected register of IWDG is written without 0x5555 in IWDG_KR before it: ignored");
        } else if self.updated[which] > context.now {
            context.warn("a register of IWDG is written while IWDG_SR says that the last write is under way: ignored");
        } else {
            self.values[which] = value;
            self.updated[which] = context.now + UPDATE;
        }
    }

    /// When it resets the system: at underflow of the counter, or at a refresh outside of the window.
    pub fn next_event(&self) -> Time {
        match (self.running, self.window_violated) {
            (false, _) => NEVER,
            (true, true) => self.reloaded,
            (true, false) => self.reloaded + (u64::from(self.values[1]) + 1) * self.step(),
        }
    }
}
