//! The frequency counter FC0 of the clocks block (datasheet 2.15.4).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;

/// Registers, as word offsets from `FC0_REF_KHZ` (2.15.7).
const MIN_KHZ: u32 = 1;
const MAX_KHZ: u32 = 2;
const DELAY: u32 = 3;
const INTERVAL: u32 = 4;
const SRC: u32 = 5;
const STATUS: u32 = 6;
const RESULT: u32 = 7;
/// Writable bits of the registers from `REF_KHZ` to `SRC`, and their reset values.
const MASKS: [u32; 6] = [0x000f_ffff, 0x01ff_ffff, 0x01ff_ffff, 7, 15, 0xff];
const RESET: [u32; 6] = [0, 0, 0x01ff_ffff, 1, 8, 0];

/// `FC0_STATUS` bits.
const PASS: u32 = 1 << 0;
const DONE: u32 = 1 << 4;
const RUNNING: u32 = 1 << 8;
const FAIL: u32 = 1 << 16;
const SLOW: u32 = 1 << 20;
const FAST: u32 = 1 << 24;
const DIED: u32 = 1 << 28;

/// The test interval is 1 µs x 2^`INTERVAL` ("0.98 µs ... but let's call it 1 µs").
const FS_PER_US: u128 = 1_000_000_000;
/// `RESULT` is in kHz with five fractional bits.
const FRACTION_BITS: u32 = 5;
/// What one edge more in the shortest interval adds to the result: 2048 kHz (2.15.4, table of accuracies).
const COARSEST_KHZ: u64 = 2048;

/// The counter.
#[derive(Clone, Debug, Hash)]
pub struct FrequencyCounter {
    registers: [u32; 6],
    /// Rate of the clock under test in Hz, and the real time at which the test is over.
    test: Option<(u64, u128)>,
}

impl Default for FrequencyCounter {
    fn default() -> Self {
        Self { registers: RESET, test: None }
    }
}

impl FrequencyCounter {
    /// Reads a register, by its number.
    pub fn peek(&self, register: u32, now: Cycle, clocks: &Clocks) -> u32 {
        match register {
            0..=SRC => self.registers[register as usize],
            STATUS => self.status(now, clocks),
            RESULT if self.is_done(now, clocks) => self.result(clocks),
            _ => 0,
        }
    }

    /// Writes a register, by its number; `rate` is the rate in Hz of the clock that a given `FC0_SRC` selects.
    pub fn write(&mut self, register: u32, value: u32, now: Cycle, clocks: &Clocks, rate: impl Fn(u32) -> u64) {
        if register > SRC {
            return;
        }
        let value = value & MASKS[register as usize];
        self.registers[register as usize] = value;
        if register == SRC {
            let length = FS_PER_US << self.registers[INTERVAL as usize];
            let settling =
                u128::from(self.registers[DELAY as usize]) * FS_PER_US * 1_000_000 / u128::from(clocks.reference());
            self.test = (value != 0).then(|| (rate(value), clocks.femtoseconds(now) + settling + length));
        }
    }

    fn is_done(&self, now: Cycle, clocks: &Clocks) -> bool {
        self.test.is_some_and(|(_, end)| clocks.femtoseconds(now) >= end)
    }

    /// Edges counted in the interval, taken against `REF_KHZ` as firmware gives it: a wrong value there gives a wrong
    /// result on the chip too.
    fn result(&self, clocks: &Clocks) -> u32 {
        let Some((rate, _)) = self.test else { return 0 };
        let step = (COARSEST_KHZ << FRACTION_BITS) >> self.registers[INTERVAL as usize];
        let exact =
            u128::from(rate) * u128::from(self.registers[0]) * (1 << FRACTION_BITS) / u128::from(clocks.reference());
        let khz = exact as u64 / step.max(1) * step.max(1);
        khz as u32 & 0x3fff_ffff
    }

    fn status(&self, now: Cycle, clocks: &Clocks) -> u32 {
        let Some((rate, _)) = self.test else { return 0 };
        if !self.is_done(now, clocks) {
            return RUNNING;
        }
        if rate == 0 {
            return DONE | DIED | FAIL;
        }
        let khz = self.result(clocks) >> FRACTION_BITS;
        if khz < self.registers[MIN_KHZ as usize] {
            DONE | FAIL | SLOW
        } else if khz > self.registers[MAX_KHZ as usize] {
            DONE | FAIL | FAST
        } else {
            DONE | PASS
        }
    }
}
