//! The system timers (DS 12.8): those of the RP2040, which can be locked and can count cycles.

use crate::core::time::{Cycle, Ticks};
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::{Block, Context, Peripheral};
use crate::rp2::timer;
use crate::rp2350::irq::Irq;

/// Register offsets (DS 12.8.5); those from `INTR` on are two registers further than on the RP2040.
const LOCKED: u32 = 0x34;
const SOURCE: u32 = 0x38;
const INTR: u32 = 0x3c;
const SHIFT: u32 = 8;
const ARMED: u32 = 0x20;

/// `TIMER0`.
pub const TIMER0: Block = Block {
    instance: "0",
    base: 0x400b_0000,
    reset: 1 << 23,
    interrupts: &[Irq::Timer0_0 as u8, Irq::Timer0_1 as u8, Irq::Timer0_2 as u8, Irq::Timer0_3 as u8],
    write_one_clears: &[ARMED, INTR],
    ..timer::TIMER
};
/// `TIMER1`.
pub const TIMER1: Block = Block {
    instance: "1",
    base: 0x400b_8000,
    reset: 1 << 24,
    interrupts: &[Irq::Timer1_0 as u8, Irq::Timer1_1 as u8, Irq::Timer1_2 as u8, Irq::Timer1_3 as u8],
    ..TIMER0
};

/// A timer.
#[derive(Clone, Debug, Hash)]
pub struct Timer {
    counter: timer::Timer,
    is_locked: bool,
    counts_cycles: bool,
    ticks: Ticks,
}

impl Timer {
    /// Takes over the ticks of its generator, after whatever changed them.
    pub fn set_ticks(&mut self, ticks: &Ticks, now: Cycle) {
        self.ticks = ticks.clone();
        self.count_from(now);
    }

    fn count_from(&mut self, now: Cycle) {
        if self.counts_cycles {
            let mut cycles = Ticks::stopped();
            cycles.set_rate(now, 1, 1);
            self.counter.set_ticks(&cycles, now);
        } else {
            self.counter.set_ticks(&self.ticks, now);
        }
    }
}

fn shared(offset: u32) -> u32 {
    if offset >= INTR { offset - SHIFT } else { offset }
}

impl Peripheral for Timer {
    fn new(block: &'static Block) -> Self {
        Self { counter: timer::Timer::new(block), is_locked: false, counts_cycles: false, ticks: Ticks::stopped() }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        match offset {
            LOCKED | SOURCE => self.peek(offset, context.now, context.clocks),
            _ => self.counter.read(shared(offset), context),
        }
    }

    fn peek(&self, offset: u32, now: Cycle, clocks: &Clocks) -> Option<u32> {
        match offset {
            LOCKED => Some(u32::from(self.is_locked)),
            SOURCE => Some(u32::from(self.counts_cycles)),
            _ => self.counter.peek(shared(offset), now, clocks),
        }
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            _ if self.is_locked => {}
            LOCKED => self.is_locked = value & 1 != 0,
            SOURCE => {
                self.counts_cycles = value & 1 != 0;
                self.count_from(context.now);
            }
            _ => self.counter.write(shared(offset), value, context),
        }
    }

    fn next_event(&self) -> Cycle {
        self.counter.next_event()
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.counter.wake(context);
    }
}
