//! The system timer: 64 bits of microseconds and four alarms (datasheet 4.6).

use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::{Block, Context, Peripheral};

/// Register offsets (4.6.5).
const TIMEHW: u32 = 0x00;
const TIMELW: u32 = 0x04;
pub(crate) const TIMEHR: u32 = 0x08;
pub(crate) const TIMELR: u32 = 0x0c;
const ALARM0: u32 = 0x10;
const ALARM3: u32 = 0x1c;
const ARMED: u32 = 0x20;
const TIMERAWH: u32 = 0x24;
const TIMERAWL: u32 = 0x28;
const DBGPAUSE: u32 = 0x2c;
const PAUSE: u32 = 0x30;
const INTR: u32 = 0x34;
const INTE: u32 = 0x38;
const INTF: u32 = 0x3c;
const INTS: u32 = 0x40;

const ALARMS: usize = 4;
const ALARM_MASK: u32 = (1 << ALARMS) - 1;
/// `DBGPAUSE` writable bits, all set after reset (4.6.5).
const DBGPAUSE_MASK: u32 = 0x6;
const DBGPAUSE_RESET: u32 = 0x7;

/// What is the same of all system timers.
pub const TIMER: Block = Block { write_one_clears: &[ARMED, INTR], missing: "debug pause", ..Block::new("TIMER", 0) };

/// The timer. Time is computed from its ticks when it is read.
#[derive(Clone, Debug, Hash)]
pub struct Timer {
    block: &'static Block,
    /// The ticks that it counts, as far as they are known.
    ticks: Ticks,
    /// Time at tick `base_tick`; it grows with the ticks unless paused.
    base_time: u64,
    base_tick: u64,
    paused: bool,
    /// `TIMEHR` as frozen by a read of `TIMELR`, until it is read.
    latched: Option<u32>,
    time_low_written: u32,
    alarms: [u32; ALARMS],
    armed: u32,
    /// The cycle in which each armed alarm matches.
    fires: [Cycle; ALARMS],
    intr: u32,
    inte: u32,
    intf: u32,
    dbgpause: u32,
}

impl Timer {
    /// Takes over the ticks that it counts, after whatever changed them.
    pub fn set_ticks(&mut self, ticks: &Ticks, now: Cycle) {
        self.base_time = self.time(now);
        self.ticks = ticks.clone();
        self.base_tick = ticks.count(now);
        self.schedule(now);
    }

    /// The 64-bit time in microseconds (if the ticks are such).
    pub fn time(&self, now: Cycle) -> u64 {
        if self.paused {
            return self.base_time;
        }
        self.base_time.wrapping_add(self.ticks.count(now).wrapping_sub(self.base_tick))
    }

    fn set_time(&mut self, time: u64, now: Cycle) {
        self.base_time = time;
        self.base_tick = self.ticks.count(now);
        self.schedule(now);
    }

    /// Alarms that match at or before `now` and have not fired.
    fn due(&self, now: Cycle) -> u32 {
        (0..ALARMS).filter(|&alarm| self.fires[alarm] <= now).fold(0, |due, alarm| due | 1 << alarm)
    }

    fn fire_alarms(&mut self, now: Cycle) {
        let due = self.due(now);
        self.intr |= due;
        self.disarm(due);
    }

    fn disarm(&mut self, mask: u32) {
        self.armed &= !mask;
        for (alarm, fires) in self.fires.iter_mut().enumerate() {
            if mask >> alarm & 1 == 1 {
                *fires = NEVER;
            }
        }
    }

    /// Computes when each armed alarm matches: in the cycle in which the low half of the time becomes equal to it. One
    /// that is equal already matches at once (4.6.5 says only "fires when ALARM == TIMELR").
    fn schedule(&mut self, now: Cycle) {
        let time = self.time(now);
        for alarm in 0..ALARMS {
            self.fires[alarm] = NEVER;
            if self.armed >> alarm & 1 == 0 {
                continue;
            }
            let distance = u64::from(self.alarms[alarm].wrapping_sub(time as u32));
            if distance == 0 {
                self.fires[alarm] = now;
            } else if !self.paused {
                self.fires[alarm] = self.ticks.cycle_of(self.ticks.count(now).saturating_add(distance));
            }
        }
    }

    fn update_lines(&self, context: &mut Context<'_>) {
        let ints = (self.intr & self.inte) | self.intf;
        for (alarm, &irq) in self.block.interrupts.iter().enumerate() {
            context.irq.set(irq, ints >> alarm & 1 == 1);
        }
    }
}

impl Peripheral for Timer {
    /// Without ticks.
    fn new(block: &'static Block) -> Self {
        Self {
            block,
            ticks: Ticks::stopped(),
            base_time: 0,
            base_tick: 0,
            paused: false,
            latched: None,
            time_low_written: 0,
            alarms: [0; ALARMS],
            armed: 0,
            fires: [NEVER; ALARMS],
            intr: 0,
            inte: 0,
            intf: 0,
            dbgpause: DBGPAUSE_RESET,
        }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        if self.due(context.now) != 0 {
            self.wake(context);
        }
        let value = self.peek(offset, context.now, context.clocks);
        match offset {
            TIMELR => self.latched = Some((self.time(context.now) >> 32) as u32),
            TIMEHR => self.latched = None,
            _ => {}
        }
        value
    }

    fn peek(&self, offset: u32, now: Cycle, _clocks: &Clocks) -> Option<u32> {
        let intr = || self.intr | self.due(now);
        Some(match offset {
            TIMEHR => self.latched.unwrap_or((self.time(now) >> 32) as u32),
            TIMERAWH => (self.time(now) >> 32) as u32,
            TIMELR | TIMERAWL => self.time(now) as u32,
            ALARM0..=ALARM3 => self.alarms[((offset - ALARM0) / 4) as usize],
            ARMED => self.armed & !self.due(now),
            DBGPAUSE => self.dbgpause,
            PAUSE => u32::from(self.paused),
            INTR => intr(),
            INTE => self.inte,
            INTF => self.intf,
            INTS => (intr() & self.inte) | self.intf,
            TIMEHW | TIMELW => 0,
            _ => return None,
        })
    }

    fn stays_until(&self, offset: u32, now: Cycle) -> Cycle {
        match offset {
            TIMERAWH | TIMERAWL if self.paused => NEVER,
            TIMERAWH | TIMERAWL => self.ticks.cycle_of(self.ticks.count(now).saturating_add(1)),
            _ => now + 1,
        }
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let now = context.now;
        self.fire_alarms(now);
        match offset {
            TIMELW => self.time_low_written = value,
            TIMEHW => self.set_time(u64::from(value) << 32 | u64::from(self.time_low_written), now),
            ALARM0..=ALARM3 => {
                let alarm = ((offset - ALARM0) / 4) as usize;
                self.alarms[alarm] = value;
                self.armed |= 1 << alarm;
                self.schedule(now);
                self.fire_alarms(now);
            }
            ARMED => self.disarm(value),
            DBGPAUSE => self.dbgpause = (value & DBGPAUSE_MASK) | (DBGPAUSE_RESET & !DBGPAUSE_MASK),
            PAUSE => {
                let time = self.time(now);
                self.paused = value & 1 == 1;
                self.set_time(time, now);
            }
            INTR => self.intr &= !value,
            INTE => self.inte = value & ALARM_MASK,
            INTF => self.intf = value & ALARM_MASK,
            _ => context.diagnostics.unmodelled(self.block.name, offset, "write to", now),
        }
        self.update_lines(context);
    }

    fn next_event(&self) -> Cycle {
        self.fires.iter().copied().min().unwrap_or(NEVER)
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        if self.next_event() <= context.now {
            self.fire_alarms(context.now);
            self.update_lines(context);
        }
    }
}
