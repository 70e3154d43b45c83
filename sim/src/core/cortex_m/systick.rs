//! `SysTick`: a 24-bit counter per core, computed on demand (ARMv6-M B3.3, DS 2.4.5.1.1).

use crate::core::time::{Cycle, NEVER, Ticks};

/// `SYST_CSR.TICKINT`: reaching 0 raises the exception.
pub(crate) const TICKINT: u32 = 1 << 1;

/// Counts down to 0, then reloads: a period of RELOAD + 1 ticks.
#[derive(Clone, Debug, Hash)]
#[allow(clippy::struct_excessive_bools)] // bits of a register
pub struct SysTick {
    ticks: Ticks,
    enabled: bool,
    interrupts: bool,
    /// CLKSOURCE: the core's clock, else the 1 µs reference of the watchdog's tick.
    core_clock: bool,
    reload: u32,
    /// Value of the counter when `start` ticks had been counted.
    value: u32,
    start: u64,
    flag: bool,
    /// Ticks up to which zeros have been counted.
    seen: u64,
}

impl SysTick {
    pub(crate) fn new() -> Self {
        Self {
            ticks: Ticks::stopped(),
            enabled: false,
            interrupts: false,
            core_clock: false,
            reload: 0,
            value: 0,
            start: 0,
            flag: false,
            seen: 0,
        }
    }

    /// Counter after `ticks` ticks.
    fn value_at(&self, ticks: u64) -> u32 {
        let gone = ticks - self.start;
        if gone <= u64::from(self.value) {
            return self.value - gone as u32;
        }
        let after = (gone - u64::from(self.value) - 1) % (u64::from(self.reload) + 1);
        self.reload - after as u32
    }

    /// The first tick after `ticks` at which the counter goes from 1 to 0.
    fn next_zero(&self, ticks: u64) -> Option<u64> {
        let value = self.value_at(ticks);
        match (value, self.reload) {
            (0, 0) => None,
            (0, reload) => Some(ticks + 1 + u64::from(reload)),
            (value, _) => Some(ticks + u64::from(value)),
        }
    }

    /// The cycle of the next exception; `NEVER` if there will be none.
    pub(crate) fn next_exception(&self) -> Cycle {
        if !self.enabled || !self.interrupts {
            return NEVER;
        }
        self.next_zero(self.seen).map_or(NEVER, |tick| self.ticks.cycle_of(tick))
    }

    /// The cycle of the first zero not yet reported, if it raised an exception by `now`.
    pub(crate) fn take_exception(&mut self, now: Cycle) -> Option<Cycle> {
        if !self.enabled {
            return None;
        }
        let ticks = self.ticks.count(now).max(self.seen);
        let zero = self.next_zero(self.seen).filter(|&zero| zero <= ticks);
        self.seen = ticks;
        let at = self.ticks.cycle_of(zero?);
        self.flag = true;
        self.interrupts.then_some(at)
    }

    pub(crate) fn clear_flag(&mut self) {
        self.flag = false;
    }

    /// Reads a register by the low half of its address.
    pub(crate) fn read(&self, address: u32, now: Cycle) -> u32 {
        match address & 0xfffc {
            0xe010 => {
                u32::from(self.enabled)
                    | u32::from(self.interrupts) << 1
                    | u32::from(self.core_clock) << 2
                    | u32::from(self.flag) << 16
            }
            0xe014 => self.reload,
            0xe018 => self.value_at(self.count(now)),
            // CALIB: no calibrated value (DS 2.4.8).
            _ => 0,
        }
    }

    fn count(&self, now: Cycle) -> u64 {
        if self.enabled { self.ticks.count(now).max(self.start) } else { self.start }
    }

    /// Writes a register. Exceptions up to `now` have been taken.
    pub(crate) fn write(&mut self, address: u32, value: u32, now: Cycle, reference: (u64, u64)) {
        let count = self.count(now);
        self.value = self.value_at(count);
        match address & 0xfffc {
            0xe010 => {
                self.enabled = value & 1 != 0;
                self.interrupts = value & TICKINT != 0;
                self.core_clock = value & 4 != 0;
                self.reference_changed(now, reference);
            }
            0xe014 => self.reload = value & 0xff_ffff,
            0xe018 => {
                self.value = 0;
                self.flag = false;
            }
            _ => {}
        }
        self.start = self.ticks.count(now);
        self.seen = self.start;
    }

    /// The reference makes `reference.0` ticks in `reference.1` cycles from `now` on: those of the watchdog (DS 2.4.5.1.1).
    pub(crate) fn reference_changed(&mut self, now: Cycle, reference: (u64, u64)) {
        match (self.enabled, self.core_clock) {
            (false, _) => self.ticks.set_rate(now, 0, 1),
            (true, true) => self.ticks.set_rate(now, 1, 1),
            (true, false) => self.ticks.set_rate(now, reference.0, reference.1),
        }
    }
}
