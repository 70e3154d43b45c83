//! The watchdog, which also makes the microsecond tick (datasheet 4.7).

use crate::core::time::{Cycle, Ticks};
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2::tick_generator::TickGenerator;
use crate::rp2::watchdog;
use crate::rp2040::peripherals::{Block, Context, Peripheral};

/// Register offset (4.7.6).
const TICK: u32 = 0x2c;

/// `TICK` fields (4.7.6).
const TICK_CYCLES: u32 = 0x1ff;
const TICK_ENABLE: u32 = 1 << 9;
const TICK_RUNNING: u32 = 1 << 10;
const TICK_COUNT_SHIFT: u32 = 11;

/// The counter goes down by two in each tick: erratum RP2040-E1.
const DECREMENT: u64 = 2;

/// `WATCHDOG`.
pub const WATCHDOG: Block =
    Block { base: 0x4005_8000, clock: Clock::Ref, modelled: "all, with erratum E1", ..watchdog::WATCHDOG };

/// The watchdog. Not reset by itself, nor by `RESETS`.
#[derive(Clone, Debug, Hash)]
pub struct Watchdog {
    generator: TickGenerator,
    watchdog: watchdog::Watchdog<DECREMENT>,
}

impl Watchdog {
    /// The ticks that the timer and `SysTick` count.
    pub fn ticks(&self) -> &Ticks {
        self.generator.ticks()
    }

    /// Whether a reset was asked for since the last call.
    pub fn take_reset(&mut self) -> bool {
        self.watchdog.take_reset()
    }

    fn tick(&self, now: Cycle) -> u32 {
        let generator = &self.generator;
        let set = generator.cycles() | if generator.is_enabled() { TICK_ENABLE } else { 0 };
        if generator.runs() {
            set | TICK_RUNNING | generator.left(now).saturating_sub(1) << TICK_COUNT_SHIFT
        } else {
            set
        }
    }
}

impl Peripheral for Watchdog {
    fn new(block: &'static Block) -> Self {
        Self { generator: TickGenerator::new(true), watchdog: watchdog::Watchdog::new(block) }
    }

    fn peek(&self, offset: u32, now: Cycle, clocks: &Clocks) -> Option<u32> {
        if offset == TICK { Some(self.tick(now)) } else { self.watchdog.peek(offset, now, clocks) }
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        if offset == TICK {
            self.generator.set(value & TICK_ENABLE != 0, value & TICK_CYCLES, context.now);
            self.watchdog.set_ticks(self.generator.ticks(), context.now);
        } else {
            self.watchdog.write(offset, value, context);
        }
    }

    fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        self.generator.clocks_changed(now, clocks);
        self.watchdog.set_ticks(self.generator.ticks(), now);
    }

    fn next_event(&self) -> Cycle {
        self.watchdog.next_event()
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.watchdog.wake(context);
    }
}
