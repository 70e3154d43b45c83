//! The real-time clock (datasheet 4.8).

pub mod calendar;

use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2::clock::{Clock, Clocks, FS};
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::{Block, Context, Effect, Peripheral};
use calendar::Moment;
use std::collections::VecDeque;

/// Register offsets (4.8.6).
const CLKDIV_M1: u32 = 0x00;
const SETUP_0: u32 = 0x04;
const SETUP_1: u32 = 0x08;
const CTRL: u32 = 0x0c;
const IRQ_SETUP_0: u32 = 0x10;
const IRQ_SETUP_1: u32 = 0x14;
const RTC_1: u32 = 0x18;
const RTC_0: u32 = 0x1c;
const INTR: u32 = 0x20;
const INTE: u32 = 0x24;
const INTF: u32 = 0x28;
const INTS: u32 = 0x2c;

/// `CTRL` bits.
const ENABLE: u32 = 1 << 0;
const ACTIVE: u32 = 1 << 1;
const LOAD: u32 = 1 << 4;
const FORCE_NOTLEAPYEAR: u32 = 1 << 8;
/// `IRQ_SETUP_0` bits, and which bits can be written.
const MATCH_ENA: u32 = 1 << 28;
const MATCH_ACTIVE: u32 = 1 << 29;
const IRQ_SETUP_0_MASK: u32 = 0x17ff_ff1f;
const IRQ_SETUP_1_MASK: u32 = 0xf71f_3f3f;
/// What an alarm may look at: the bit that asks for it, and the bits that must be equal.
const OF_DATE: [(u32, u32); 3] = [(1 << 26, 0xfff << 12), (1 << 25, 0xf << 8), (1 << 24, 0x1f)];
const OF_TIME: [(u32, u32); 4] = [(1 << 31, 7 << 24), (1 << 30, 0x1f << 16), (1 << 29, 0x3f << 8), (1 << 28, 0x3f)];

/// Periods of `clk_rtc` that a write takes to arrive (4.8.4).
const ARRIVAL: u64 = 2;

/// For how many seconds at most an alarm is looked for that wakes a chip which stands still: some 4 years.
const FARTHEST_ALARM: u32 = 1 << 27;

/// `RTC`.
pub const RTC: Block = Block {
    reset: 1 << 15,
    interrupts: &[Irq::Rtc as u8],
    clock: Clock::Rtc,
    data: &[RTC_1, RTC_0],
    effect: Effect::Wakes,
    ..Block::new("RTC", 0x4005_c000)
};

/// A write on its way to the clock domain of `clk_rtc`.
#[derive(Clone, Copy, Debug, Hash)]
enum Write {
    Load,
    Run(bool),
    Match(bool),
}

/// The real-time clock. It stays behind until somebody looks, or an interrupt could come of it.
#[derive(Clone, Debug, Hash)]
pub struct Rtc {
    /// Periods of `clk_rtc`.
    ticks: Ticks,
    divider: u32,
    setup: [u32; 2],
    ctrl: u32,
    alarm: [u32; 2],
    inte: u32,
    intf: u32,
    /// When they arrive, in periods of `clk_rtc`.
    writes: VecDeque<(u64, Write)>,
    /// The period with which the next second begins, while it runs.
    next_second: Option<u64>,
    now: Moment,
    matches: bool,
    /// The alarm has come: the time has become equal to it. It stays as long as that, and the match, last.
    raised: bool,
    /// `RTC_1` as of the last read of `RTC_0`, until it is read.
    latched: Option<u32>,
}

impl Rtc {
    /// Does what is due by cycle `at`.
    fn run(&mut self, at: Cycle) {
        self.run_to(self.ticks.count(at));
    }

    /// Does what is due by period `count` of `clk_rtc`.
    fn run_to(&mut self, count: u64) {
        loop {
            let arrival = self.writes.front().map(|&(tick, _)| tick);
            match (arrival, self.next_second) {
                (Some(tick), second) if tick <= count && second.is_none_or(|second| tick <= second) => {
                    if let Some((_, write)) = self.writes.pop_front() {
                        self.take(write, tick);
                    }
                }
                (_, Some(second)) if second <= count => {
                    self.now.step(self.ctrl & FORCE_NOTLEAPYEAR == 0);
                    self.next_second = Some(second + self.period());
                    self.raised = self.matches && self.is_time();
                }
                _ => break,
            }
        }
    }

    fn period(&self) -> u64 {
        u64::from(self.divider) + 1
    }

    fn take(&mut self, write: Write, tick: u64) {
        match write {
            Write::Load => {
                self.now = Moment::new(self.setup[0], self.setup[1]);
                self.next_second = self.next_second.map(|_| tick + self.period());
                self.raised = self.matches && self.is_time();
            }
            Write::Run(true) => self.next_second = self.next_second.or(Some(tick + self.period())),
            Write::Run(false) => self.next_second = None,
            Write::Match(on) => {
                self.matches = on;
                self.raised &= on;
            }
        }
    }

    /// Whether all that the alarm looks at is equal.
    fn is_time(&self) -> bool {
        let equal = |fields: &[(u32, u32)], setup: u32, now: u32| {
            fields.iter().all(|&(asked, mask)| setup & asked == 0 || (setup ^ now) & mask == 0)
        };
        equal(&OF_DATE, self.alarm[0], self.now.date) && equal(&OF_TIME, self.alarm[1], self.now.time)
    }

    fn status(&self) -> u32 {
        u32::from(self.raised) & self.inte | self.intf
    }

    /// Whether it interrupts; that also wakes dormant oscillators (4.8.5.5).
    pub(super) fn interrupts(&self) -> bool {
        self.status() != 0
    }

    /// In how many femtoseconds an alarm interrupts, at a rate of `clk_rtc` in Hz, while no cycle passes.
    pub(super) fn alarm_after(&self, now: Cycle, rate: u64) -> Option<u128> {
        let mut then = self.clone();
        then.run(now);
        if self.inte == 0 || rate == 0 {
            return None;
        }
        for _ in 0..FARTHEST_ALARM {
            let arrival = then.writes.front().map(|&(tick, _)| tick);
            let tick = [arrival, then.next_second.filter(|_| then.matches)].into_iter().flatten().min()?;
            then.run_to(tick);
            if then.raised {
                let ticks = tick.saturating_sub(self.ticks.count(now));
                return Some((u128::from(ticks) * FS).div_ceil(u128::from(rate)));
            }
        }
        None
    }

    /// Real time passes, at a rate of `clk_rtc` in Hz, and no cycle.
    pub(super) fn pass(&mut self, femtoseconds: u128, rate: u64, context: &mut Context<'_>) {
        self.run(context.now);
        let ticks = u64::try_from(femtoseconds * u128::from(rate) / FS).unwrap_or(u64::MAX);
        self.ticks.skip(context.now, ticks);
        self.wake(context);
    }

    fn send(&mut self, write: Write, context: &mut Context<'_>) {
        self.writes.push_back((self.ticks.count(context.now) + ARRIVAL, write));
        if self.ticks.rate().0 == 0 {
            let what = "written while clk_rtc is off: it never arrives";
            context.diagnostics.misuse(RTC.name, CTRL, what, context.now);
        }
    }
}

impl Peripheral for Rtc {
    fn new(_: &'static Block) -> Self {
        Self {
            ticks: Ticks::stopped(),
            divider: 0,
            setup: [0; 2],
            ctrl: 0,
            alarm: [0; 2],
            inte: 0,
            intf: 0,
            writes: VecDeque::new(),
            next_second: None,
            now: Moment::default(),
            matches: false,
            raised: false,
            latched: None,
        }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        let value = self.peek(offset, context.now, context.clocks);
        match offset {
            RTC_0 => self.latched = self.peek(RTC_1, context.now, context.clocks),
            RTC_1 => self.latched = None,
            _ => {}
        }
        value
    }

    fn peek(&self, offset: u32, now: Cycle, _clocks: &Clocks) -> Option<u32> {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let mut then = self.clone();
        then.run(now);
        Some(match offset {
            CLKDIV_M1 => self.divider,
            SETUP_0 => self.setup[0],
            SETUP_1 => self.setup[1],
            CTRL => self.ctrl | flag(then.next_second.is_some(), ACTIVE),
            IRQ_SETUP_0 => self.alarm[0] | flag(then.matches, MATCH_ACTIVE),
            IRQ_SETUP_1 => self.alarm[1],
            RTC_1 => self.latched.unwrap_or(then.now.date),
            RTC_0 => then.now.time,
            INTR => u32::from(then.raised),
            INTE => self.inte,
            INTF => self.intf,
            INTS => then.status(),
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        self.run(context.now);
        match offset {
            CLKDIV_M1 => self.divider = value & 0xffff,
            SETUP_0 | SETUP_1 => {
                let Moment { date, time } = Moment::new(value, value);
                *(if offset == SETUP_0 { &mut self.setup[0] } else { &mut self.setup[1] }) =
                    if offset == SETUP_0 { date } else { time };
            }
            CTRL => {
                let changed = self.ctrl ^ value;
                self.ctrl = value & (ENABLE | FORCE_NOTLEAPYEAR);
                if value & LOAD != 0 {
                    self.send(Write::Load, context);
                }
                if changed & ENABLE != 0 {
                    self.send(Write::Run(value & ENABLE != 0), context);
                }
            }
            IRQ_SETUP_0 => {
                let changed = self.alarm[0] ^ value;
                self.alarm[0] = value & IRQ_SETUP_0_MASK;
                if changed & MATCH_ENA != 0 {
                    self.send(Write::Match(value & MATCH_ENA != 0), context);
                }
            }
            IRQ_SETUP_1 => self.alarm[1] = value & IRQ_SETUP_1_MASK,
            INTE => self.inte = value & 1,
            INTF => self.intf = value & 1,
            RTC_1 | RTC_0 | INTR | INTS => {}
            _ => context.diagnostics.unmodelled(RTC.name, offset, "write to", context.now),
        }
        context.irq.set(Irq::Rtc, self.interrupts());
    }

    /// Only what may change the line.
    fn next_event(&self) -> Cycle {
        if self.inte == 0 {
            return NEVER;
        }
        let arrival = self.writes.front().map(|&(tick, _)| tick);
        let second = self.next_second.filter(|_| self.matches);
        let next = [arrival, second].into_iter().flatten().min();
        next.map_or(NEVER, |tick| self.ticks.cycle_of(tick))
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.run(context.now);
        context.irq.set(Irq::Rtc, self.interrupts());
    }

    fn reset(&mut self, block: &'static Block, context: &mut Context<'_>) {
        *self = Self::new(block);
        self.clocks_changed(context.now, context.clocks);
    }

    fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        self.run(now);
        self.ticks.set_rate(now, clocks.rates().rtc, clocks.sys());
    }
}
