//! The watchdog: the count to a reset, and registers that survive it (RP2040 datasheet 4.7, RP2350 datasheet 12.9).

use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::{Block, Context, Effect, Peripheral};

/// Register offsets (RP2040 datasheet 4.7.6, RP2350 datasheet 12.9.7).
const CTRL: u32 = 0x00;
const LOAD: u32 = 0x04;
const REASON: u32 = 0x08;
const SCRATCH0: u32 = 0x0c;
const SCRATCH7: u32 = 0x28;

/// `CTRL` fields; the pause bits are set after reset.
const CTRL_TRIGGER: u32 = 1 << 31;
const CTRL_ENABLE: u32 = 1 << 30;
const CTRL_PAUSE: u32 = 0x0700_0000;
const TIME_MASK: u32 = 0x00ff_ffff;

/// `REASON` bits.
const REASON_TIMER: u32 = 1 << 0;
const REASON_FORCE: u32 = 1 << 1;

/// What is the same of the watchdogs.
pub const WATCHDOG: Block = Block { effect: Effect::Ticks, missing: "debug pause", ..Block::new("WATCHDOG", 0) };

/// A watchdog whose counter goes down by `DECREMENT` in each tick. Not reset by itself, nor by `RESETS`.
#[derive(Clone, Debug, Hash)]
pub struct Watchdog<const DECREMENT: u64> {
    block: &'static Block,
    ticks: Ticks,
    /// `CTRL`, the writable part.
    ctrl: u32,
    /// The counter at tick `base_tick`.
    count: u32,
    base_tick: u64,
    reason: u32,
    scratch: [u32; 8],
    fires: Cycle,
    /// A reset has been asked for and not yet taken.
    reset: bool,
}

impl<const DECREMENT: u64> Watchdog<DECREMENT> {
    /// Whether a reset was asked for since the last call.
    pub fn take_reset(&mut self) -> bool {
        std::mem::take(&mut self.reset)
    }

    /// Takes over the ticks that it counts, after whatever changed them.
    pub fn set_ticks(&mut self, ticks: &Ticks, now: Cycle) {
        self.count = self.time(now);
        self.ticks = ticks.clone();
        self.base_tick = self.ticks.count(now);
        self.schedule(now);
    }

    fn time(&self, now: Cycle) -> u32 {
        if self.ctrl & CTRL_ENABLE == 0 {
            return self.count;
        }
        let gone = self.ticks.count(now).saturating_sub(self.base_tick).saturating_mul(DECREMENT);
        u64::from(self.count).saturating_sub(gone) as u32
    }

    fn rebase(&mut self, now: Cycle) {
        self.count = self.time(now);
        self.base_tick = self.ticks.count(now);
    }

    fn schedule(&mut self, now: Cycle) {
        self.fires = NEVER;
        if self.ctrl & CTRL_ENABLE != 0 {
            let ticks = u64::from(self.count).div_ceil(DECREMENT).max(1);
            self.fires = self.ticks.cycle_of(self.ticks.count(now).saturating_add(ticks));
        }
    }

    /// `REASON` is that of the last reset that the watchdog made; after it the watchdog is off.
    fn fire(&mut self, reason: u32, now: Cycle) {
        self.rebase(now);
        self.reason = reason;
        self.ctrl &= !CTRL_ENABLE;
        self.fires = NEVER;
        self.reset = true;
    }
}

impl<const DECREMENT: u64> Peripheral for Watchdog<DECREMENT> {
    fn new(block: &'static Block) -> Self {
        Self {
            block,
            ticks: Ticks::stopped(),
            ctrl: CTRL_PAUSE,
            count: 0,
            base_tick: 0,
            reason: 0,
            scratch: [0; 8],
            fires: NEVER,
            reset: false,
        }
    }

    fn peek(&self, offset: u32, now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            CTRL => self.ctrl | self.time(now),
            REASON => self.reason,
            SCRATCH0..=SCRATCH7 => self.scratch[((offset - SCRATCH0) / 4) as usize],
            LOAD => 0,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let now = context.now;
        match offset {
            CTRL => {
                self.rebase(now);
                self.ctrl = value & (CTRL_ENABLE | CTRL_PAUSE);
                self.schedule(now);
                if value & CTRL_TRIGGER != 0 {
                    self.fire(REASON_FORCE, now);
                }
            }
            LOAD => {
                self.rebase(now);
                self.count = value & TIME_MASK;
                self.schedule(now);
            }
            REASON => {}
            SCRATCH0..=SCRATCH7 => self.scratch[((offset - SCRATCH0) / 4) as usize] = value,
            _ => context.diagnostics.unmodelled(self.block.name, offset, "write to", now),
        }
    }

    fn next_event(&self) -> Cycle {
        self.fires
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        if self.fires <= context.now {
            self.fire(REASON_TIMER, context.now);
        }
    }
}
