//! The watchdog: the microsecond tick, the count to a reset, and registers that survive it (datasheet 4.7).

use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2040::peripherals::{Block, Context, Effect, Peripheral};

/// Register offsets (4.7.6).
const CTRL: u32 = 0x00;
const LOAD: u32 = 0x04;
const REASON: u32 = 0x08;
const SCRATCH0: u32 = 0x0c;
const SCRATCH7: u32 = 0x28;
const TICK: u32 = 0x2c;

/// `CTRL` fields (4.7.6); the pause bits are set after reset.
const CTRL_TRIGGER: u32 = 1 << 31;
const CTRL_ENABLE: u32 = 1 << 30;
const CTRL_PAUSE: u32 = 0x0700_0000;
const TIME_MASK: u32 = 0x00ff_ffff;

/// `REASON` bits (4.7.6).
const REASON_TIMER: u32 = 1 << 0;
const REASON_FORCE: u32 = 1 << 1;

/// `TICK` fields (4.7.6).
const TICK_CYCLES: u32 = 0x1ff;
const TICK_ENABLE: u32 = 1 << 9;
const TICK_RUNNING: u32 = 1 << 10;
const TICK_COUNT_SHIFT: u32 = 11;

/// The counter goes down by two in each tick: erratum RP2040-E1.
const DECREMENT: u64 = 2;

/// `WATCHDOG`.
pub const WATCHDOG: Block = Block {
    clock: Clock::Ref,
    effect: Effect::Ticks,
    modelled: "all, with erratum E1",
    missing: "debug pause",
    ..Block::new("WATCHDOG", 0x4005_8000)
};

/// The watchdog. Not reset by itself, nor by `RESETS`.
#[derive(Clone, Debug, Hash)]
pub struct Watchdog {
    /// Rates of `clk_sys` and `clk_ref` in Hz.
    sys: u64,
    reference: u64,
    ticks: Ticks,
    /// `TICK`, the writable part.
    tick: u32,
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

impl Watchdog {
    /// The ticks that the timer and `SysTick` count.
    pub fn ticks(&self) -> &Ticks {
        &self.ticks
    }

    /// Whether a reset was asked for since the last call.
    pub fn take_reset(&mut self) -> bool {
        std::mem::take(&mut self.reset)
    }

    /// A tick comes every `CYCLES` of `clk_ref`. With `CYCLES` at 0, as after reset, no tick is assumed: the datasheet
    /// asks for the field to be set up and does not say what 0 does.
    fn set_tick_rate(&mut self, now: Cycle) {
        let cycles = u64::from(self.tick & TICK_CYCLES);
        let running = self.tick & TICK_ENABLE != 0 && cycles != 0;
        self.ticks.set_rate(now, if running { self.reference } else { 0 }, self.sys * cycles.max(1));
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

    fn tick_register(&self, now: Cycle) -> u32 {
        let cycles = u64::from(self.tick & TICK_CYCLES);
        if self.tick & TICK_ENABLE == 0 || cycles == 0 {
            return self.tick;
        }
        let (done, whole) = self.ticks.progress(now);
        let gone = (u128::from(done) * u128::from(cycles) / u128::from(whole)) as u64;
        self.tick | TICK_RUNNING | ((cycles - 1).saturating_sub(gone) as u32) << TICK_COUNT_SHIFT
    }
}

impl Peripheral for Watchdog {
    fn new(_: &'static Block) -> Self {
        let clocks = Clocks::at_power_on();
        let mut watchdog = Self {
            sys: clocks.sys(),
            reference: clocks.reference(),
            ticks: Ticks::stopped(),
            tick: TICK_ENABLE,
            ctrl: CTRL_PAUSE,
            count: 0,
            base_tick: 0,
            reason: 0,
            scratch: [0; 8],
            fires: NEVER,
            reset: false,
        };
        watchdog.set_tick_rate(0);
        watchdog
    }

    fn peek(&self, offset: u32, now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            CTRL => self.ctrl | self.time(now),
            REASON => self.reason,
            SCRATCH0..=SCRATCH7 => self.scratch[((offset - SCRATCH0) / 4) as usize],
            TICK => self.tick_register(now),
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
            TICK => {
                self.rebase(now);
                self.tick = value & (TICK_CYCLES | TICK_ENABLE);
                self.set_tick_rate(now);
                self.ticks.restart(now);
                self.schedule(now);
            }
            _ => context.diagnostics.unmodelled(WATCHDOG.name, offset, "write to", now),
        }
    }

    fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        (self.sys, self.reference) = (clocks.sys(), clocks.reference());
        self.rebase(now);
        self.set_tick_rate(now);
        self.schedule(now);
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
