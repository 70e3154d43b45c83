//! The cycle counter of the data watchpoint and trace unit (C1.8); its comparators are not modelled.

use crate::core::time::Cycle;

/// `DWT_CTRL` after reset: four comparators (NUMCOMP).
const CONTROL: u32 = 4 << 28;
/// The bits of `DWT_CTRL` that can be written.
const WRITABLE: u32 = 0x007f_ffff;
const CYCCNTENA: u32 = 1;
/// Unlocks by a write to `DWT_LAR`.
const KEY: u32 = 0xc5ac_ce55;

/// One core's unit. CYCCNT counts steps of the core.
#[derive(Clone, Debug, Hash)]
pub struct Dwt {
    control: u32,
    /// CYCCNT at step `since`.
    counted: u32,
    since: Cycle,
    /// Whether there is a software lock (a Cortex-M4 has none), and whether it is set.
    lockable: bool,
    locked: bool,
}

impl Dwt {
    pub(crate) fn new(lockable: bool) -> Self {
        Self { control: CONTROL, counted: 0, since: 0, lockable, locked: lockable }
    }

    /// CYCCNT at a step. It counts only with `DEMCR.TRCENA` (`trace_enabled`).
    fn count(&self, now: Cycle, trace_enabled: bool) -> u32 {
        let counts = trace_enabled && self.control & CYCCNTENA != 0;
        if counts { self.counted.wrapping_add(now.saturating_sub(self.since) as u32) } else { self.counted }
    }

    /// Brings CYCCNT up to date before `DEMCR.TRCENA` or `DWT_CTRL` changes.
    pub(crate) fn accumulate(&mut self, now: Cycle, trace_enabled: bool) {
        self.counted = self.count(now, trace_enabled);
        self.since = now;
    }

    /// Excludes steps from the count.
    pub(crate) fn exclude(&mut self, steps: Cycle) {
        self.since += steps;
    }

    pub(crate) fn read(&self, offset: u32, now: Cycle, trace_enabled: bool) -> u32 {
        match offset {
            0x000 => self.control,
            0x004 => self.count(now, trace_enabled),
            // LSR: SLI (lock implemented), SLK (locked).
            0xfb4 => u32::from(self.lockable) | u32::from(self.locked) << 1,
            _ => 0,
        }
    }

    pub(crate) fn write(&mut self, offset: u32, value: u32, now: Cycle, trace_enabled: bool) {
        if offset == 0xfb0 {
            self.locked = self.lockable && value != KEY;
            return;
        }
        if self.locked || !trace_enabled {
            return;
        }
        self.accumulate(now, trace_enabled);
        match offset {
            0x000 => self.control = CONTROL | value & WRITABLE,
            0x004 => self.counted = value,
            _ => {}
        }
    }
}
