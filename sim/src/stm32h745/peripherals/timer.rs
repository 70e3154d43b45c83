//! A general-purpose timer: TIM2 and TIM5 with 32 bits, TIM3 and TIM4 with 16.
//!
//! Of RM0399 section 41 no more than the introduction was at hand. Registers and bits are those of ST's header
//! `stm32h745xx.h`; what they do is taken from the manual of a sister chip with the same timers: RM0440 sections 30.4.3
//! and 30.4.4 (STM32G4). That a channel beyond the reload value matches at the overflow, and that a counter stands
//! still while its reload value is 0, is of ST's manuals for all these timers, as known and not as read.
//!
//! Modelled: counting up by the timer's clock or by another timer (external clock mode 1 with an internal trigger),
//! prescaler and preloads, updates with their interrupt and as trigger output, one-pulse mode, and the flags of compare
//! channels. Not modelled: counting down or centre-aligned, capture (no pin moves), outputs, DMA, other slave modes,
//! and encoders.

use crate::core::time::Ticks;
use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::{NEVER, SECOND, Time};

/// Register offsets.
const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const SMCR: u32 = 0x08;
const DIER: u32 = 0x0c;
const SR: u32 = 0x10;
const EGR: u32 = 0x14;
const CCMR1: u32 = 0x18;
const CCMR2: u32 = 0x1c;
const CCER: u32 = 0x20;
const CNT: u32 = 0x24;
const PSC: u32 = 0x28;
const ARR: u32 = 0x2c;
const CCR1: u32 = 0x34;
const CCR4: u32 = 0x40;

/// `TIMx_CR1`.
const CEN: u32 = 1;
const UDIS: u32 = 1 << 1;
const URS: u32 = 1 << 2;
const OPM: u32 = 1 << 3;
const DOWN_OR_CENTRE: u32 = 7 << 4;
const ARPE: u32 = 1 << 7;
const UIFREMAP: u32 = 1 << 11;
const CR1_MASK: u32 = 0xbff;
/// `TIMx_CR2.MMS`: the trigger output is an update, or only that of UG (reset).
const MMS_SHIFT: u32 = 4;
const MMS_RESET: u32 = 0;
const MMS_UPDATE: u32 = 2;
/// `TIMx_SMCR`: SMS and TS with their upper bits.
const SMS: u32 = 1 << 16 | 7;
const SMS_EXTERNAL_CLOCK: u32 = 7;
const TS_SHIFT: u32 = 4;
const SMCR_MASK: u32 = 0x0031_fff7;
/// `TIMx_SR` and `TIMx_DIER`: update, then the four channels; flags that exist.
const UIF: u32 = 1;
const SR_MASK: u32 = 0x1e5f;
const INTERRUPTS: u32 = 0x1f;
const DIER_MASK: u32 = 0x5f5f;
/// `TIMx_EGR`.
const UG: u32 = 1;
const CHANNEL_EVENTS: u32 = 0x1e;

/// One timer.
#[derive(Clone, Debug, Hash)]
pub struct Timer {
    name: &'static str,
    /// The highest value of the counter.
    max: u32,
    cr1: u32,
    cr2: u32,
    smcr: u32,
    dier: u32,
    sr: u32,
    ccmr: [u32; 2],
    ccer: u32,
    /// What software has written, and what counts: it gets there with an update.
    prescaler: [u32; 2],
    reload: [u32; 2],
    compare: [[u32; 2]; 4],
    counter: u32,
    /// Pulses of another timer that the prescaler has not passed on yet.
    pulses: u64,
    /// Ticks of the prescaled clock, and how many of them were counted.
    ticks: Ticks,
    counted: u64,
    /// Rate of the timer's clock in Hz; 0 while it is gated.
    rate: u64,
}

/// Index of a preload register's two values.
const WRITTEN: usize = 0;
const ACTIVE: usize = 1;

impl Timer {
    /// A timer after reset, by its index: TIM2 is 0.
    #[must_use]
    pub fn new(index: usize) -> Self {
        let max = if matches!(index, 0 | 3) { u32::MAX } else { 0xffff };
        Self {
            name: ["TIM2", "TIM3", "TIM4", "TIM5"][index],
            max,
            cr1: 0,
            cr2: 0,
            smcr: 0,
            dier: 0,
            sr: 0,
            ccmr: [0; 2],
            ccer: 0,
            prescaler: [0; 2],
            reload: [max; 2],
            compare: [[0; 2]; 4],
            counter: 0,
            pulses: 0,
            ticks: Ticks::stopped(),
            counted: 0,
            rate: 0,
        }
    }

    /// The timer's clock has another rate from `now` on.
    pub fn set_rate(&mut self, rate: u64, now: Time) {
        self.rate = rate;
        self.update_tick_rate(now);
    }

    fn is_external(&self) -> bool {
        self.smcr & SMS == SMS_EXTERNAL_CLOCK
    }

    fn update_tick_rate(&mut self, now: Time) {
        let counts = self.cr1 & CEN != 0 && !self.is_external();
        let unit = SECOND.saturating_mul(u64::from(self.prescaler[ACTIVE]) + 1);
        self.ticks.set_rate(now, if counts { self.rate } else { 0 }, unit);
    }

    /// A register. The timer has been run until now.
    pub fn peek(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            CR1 => self.cr1,
            CR2 => self.cr2,
            SMCR => self.smcr,
            DIER => self.dier,
            SR => self.sr,
            EGR => 0,
            CCMR1 | CCMR2 => self.ccmr[((offset - CCMR1) / 4) as usize],
            CCER => self.ccer,
            CNT if self.cr1 & UIFREMAP != 0 => self.counter & 0x7fff_ffff | self.sr << 31,
            CNT => self.counter,
            PSC => self.prescaler[WRITTEN],
            ARR => self.reload[WRITTEN],
            CCR1..=CCR4 => self.compare[((offset - CCR1) / 4) as usize][WRITTEN],
            _ => return None,
        })
    }

    /// A write; the timer has been run until now. Returns the pulses of its trigger output.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) -> u64 {
        let now = context.now;
        match offset {
            CR1 => self.control(value, context),
            CR2 => {
                self.cr2 = value & 0xf8;
                if !matches!(value >> MMS_SHIFT & 7, MMS_RESET | 1 | MMS_UPDATE) {
                    context.warn(format!(
                        "{}_CR2.MMS: this trigger output is not modelled: nothing comes of it",
                        self.name
                    ));
                }
            }
            SMCR => self.slave(value, context),
            DIER => self.dier = value & DIER_MASK,
            SR => self.sr &= value | !SR_MASK,
            EGR => return self.generate(value, now),
            CCMR1 | CCMR2 => self.channels(((offset - CCMR1) / 4) as usize, value, context),
            CCER => self.ccer = value & 0xbbbb,
            CNT => self.counter = value & self.max,
            PSC => self.prescaler[WRITTEN] = value & 0xffff,
            ARR => {
                self.reload[WRITTEN] = value & self.max;
                if self.cr1 & ARPE == 0 {
                    self.reload[ACTIVE] = value & self.max;
                }
            }
            CCR1..=CCR4 => {
                let channel = ((offset - CCR1) / 4) as usize;
                self.compare[channel][WRITTEN] = value & self.max;
                if !self.is_preloaded(channel) {
                    self.compare[channel][ACTIVE] = value & self.max;
                }
            }
            _ => _ = context.unmodelled(),
        }
        0
    }

    fn control(&mut self, value: u32, context: &mut Context<'_>) {
        if value & DOWN_OR_CENTRE != 0 {
            context.warn(format!("{}_CR1: counting down or centre-aligned is not modelled: it counts up", self.name));
        }
        self.cr1 = value & CR1_MASK;
        if value & ARPE == 0 {
            self.reload[ACTIVE] = self.reload[WRITTEN];
        }
        self.update_tick_rate(context.now);
    }

    fn slave(&mut self, value: u32, context: &mut Context<'_>) {
        self.smcr = value & SMCR_MASK;
        if value & SMS != 0 && (!self.is_external() || self.trigger().is_none()) {
            context.warn(format!(
                "{}_SMCR: of the slave modes only external clock mode 1 by ITR0 to ITR3 is modelled",
                self.name
            ));
        }
        self.update_tick_rate(context.now);
    }

    fn channels(&mut self, register: usize, value: u32, context: &mut Context<'_>) {
        if value & 0x0303 != 0 {
            context.warn(format!("{}_CCMR{}: capture is not modelled: no edge comes", self.name, register + 1));
        }
        self.ccmr[register] = value & 0x0101_ffff;
        for channel in 2 * register..2 * register + 2 {
            if !self.is_preloaded(channel) {
                self.compare[channel][ACTIVE] = self.compare[channel][WRITTEN];
            }
        }
    }

    fn field(&self, channel: usize) -> u32 {
        self.ccmr[channel / 2] >> (8 * (channel % 2))
    }

    /// `OCxPE`.
    fn is_preloaded(&self, channel: usize) -> bool {
        self.field(channel) >> 3 & 1 != 0
    }

    /// `CCxS`: a channel that captures has no matches.
    fn compares(&self, channel: usize) -> bool {
        self.field(channel).trailing_zeros() >= 2
    }

    /// `TIMx_EGR`: an update without a change of the counter's clock, unless URS keeps its flag away.
    fn generate(&mut self, value: u32, now: Time) -> u64 {
        self.sr |= value & CHANNEL_EVENTS;
        if value & UG == 0 {
            return 0;
        }
        self.counter = 0;
        self.pulses = 0;
        self.ticks.restart(now);
        let flag = self.sr & UIF;
        let updated = self.update();
        if self.cr1 & URS != 0 {
            self.sr = self.sr & !UIF | flag;
        }
        self.update_tick_rate(now);
        u64::from(self.cr2 >> MMS_SHIFT & 7 == MMS_RESET || updated && self.outputs_updates())
    }

    fn outputs_updates(&self) -> bool {
        self.cr2 >> MMS_SHIFT & 7 == MMS_UPDATE
    }

    /// An update event, unless UDIS forbids it: preloads become active.
    fn update(&mut self) -> bool {
        if self.cr1 & UDIS != 0 {
            return false;
        }
        self.prescaler[ACTIVE] = self.prescaler[WRITTEN];
        self.reload[ACTIVE] = self.reload[WRITTEN];
        for compare in &mut self.compare {
            compare[ACTIVE] = compare[WRITTEN];
        }
        self.sr |= UIF;
        if self.cr1 & OPM != 0 {
            self.cr1 &= !CEN;
        }
        true
    }

    /// Whether an update changes how the timer counts.
    fn update_changes(&self) -> bool {
        let differs = |pair: &[u32; 2]| pair[WRITTEN] != pair[ACTIVE];
        self.cr1 & OPM != 0 || differs(&self.prescaler) || differs(&self.reload) || self.compare.iter().any(differs)
    }

    /// Counts until the next overflow, and whether that is an update: a counter beyond its reload value runs to its
    /// end.
    fn counts_to_overflow(&self) -> (u64, bool) {
        let reload = self.reload[ACTIVE];
        if self.counter <= reload {
            (u64::from(reload - self.counter) + 1, true)
        } else {
            (u64::from(self.max - self.counter) + 1, false)
        }
    }

    /// Counts `due` times, or until an update that changes how the timer counts. Returns the counts that were made, and
    /// the updates among them.
    fn count(&mut self, mut due: u64) -> (u64, u64) {
        let (mut made, mut updates) = (0, 0);
        while due > 0 && self.reload[ACTIVE] != 0 {
            let (step, is_update) = self.counts_to_overflow();
            if due < step {
                self.match_channels(u64::from(self.counter) + due);
                self.counter += due as u32;
                return (made + due, updates);
            }
            self.match_channels(u64::from(self.counter) + step);
            self.counter = 0;
            (made, due) = (made + step, due - step);
            if is_update {
                let changes = self.update_changes();
                updates += u64::from(self.update());
                if changes {
                    return (made, updates);
                }
                // Whole periods in which nothing else happens.
                let period = u64::from(self.reload[ACTIVE]) + 1;
                let periods = due / period;
                if periods > 0 {
                    self.match_channels(period);
                    updates += if self.update() { periods } else { 0 };
                    (made, due) = (made + periods * period, due % period);
                }
            }
        }
        (made + due, updates)
    }

    /// Raises the flags of channels whose value is passed while the counter goes up to `end`; one beyond the reload
    /// value counts as the overflow.
    fn match_channels(&mut self, end: u64) {
        let reload = self.reload[ACTIVE];
        let overflows = end > u64::from(reload.max(self.counter));
        for channel in 0..4 {
            let compare = self.compare[channel][ACTIVE];
            let passed = compare > self.counter && u64::from(compare) <= end.min(u64::from(reload));
            if self.compares(channel) && (passed || overflows && (compare == 0 || compare > reload)) {
                self.sr |= 2 << channel;
            }
        }
    }

    /// Runs the timer until `now` by its clock. Returns the pulses of its trigger output.
    pub fn run(&mut self, now: Time) -> u64 {
        let mut pulses = 0;
        loop {
            let due = self.ticks.count(now) - self.counted;
            if due == 0 {
                return pulses;
            }
            let (made, updates) = self.count(due);
            self.counted += made;
            pulses += if self.outputs_updates() { updates } else { 0 };
            if made < due {
                let at = self.ticks.cycle_of(self.counted);
                self.update_tick_rate(at);
            }
        }
    }

    /// Counts pulses of the trigger that it is clocked by. Returns the pulses of its trigger output.
    pub fn clock(&mut self, pulses: u64) -> u64 {
        if self.cr1 & CEN == 0 || !self.is_external() || self.rate == 0 {
            return 0;
        }
        let mut out = 0;
        let mut pulses = self.pulses + pulses;
        loop {
            let by = u64::from(self.prescaler[ACTIVE]) + 1;
            let due = pulses / by;
            let (made, updates) = self.count(due);
            pulses -= made * by;
            out += if self.outputs_updates() { updates } else { 0 };
            if made == due || self.cr1 & CEN == 0 {
                self.pulses = pulses;
                return out;
            }
        }
    }

    /// The internal trigger (0 to 3) that clocks it.
    pub fn trigger(&self) -> Option<usize> {
        let ts = self.smcr >> TS_SHIFT & 7 | self.smcr >> 20 << 3 & 0x18;
        (self.is_external() && ts < 4).then_some(ts as usize)
    }

    /// The level of the interrupt line.
    pub fn interrupt(&self) -> bool {
        self.sr & self.dier & (INTERRUPTS | 1 << 6) != 0
    }

    /// Counts until the line rises, or may rise; `None` if it will not.
    fn counts_to_interrupt(&self) -> Option<u64> {
        let enabled = self.dier & !self.sr & INTERRUPTS;
        if enabled == 0 || self.reload[ACTIVE] == 0 || self.cr1 & CEN == 0 {
            return None;
        }
        let (overflow, _) = self.counts_to_overflow();
        let channel = |channel: usize| {
            let compare = self.compare[channel][ACTIVE];
            if compare > self.counter && compare <= self.reload[ACTIVE] {
                u64::from(compare - self.counter)
            } else {
                overflow
            }
        };
        (0..5).filter(|bit| enabled >> bit & 1 != 0).map(|bit| if bit == 0 { overflow } else { channel(bit - 1) }).min()
    }

    /// When its line next rises, or may rise, by its own clock.
    pub fn next_event(&self) -> Time {
        match self.counts_to_interrupt() {
            Some(counts) if !self.is_external() => self.ticks.cycle_of(self.counted + counts),
            _ => NEVER,
        }
    }

    /// When the line of a timer next rises that this one's updates clock.
    pub fn next_event_of_slave(&self, slave: &Self) -> Time {
        match slave.counts_to_interrupt() {
            Some(counts) if self.outputs_updates() && self.reload[ACTIVE] != 0 => {
                let pulses = counts * (u64::from(slave.prescaler[ACTIVE]) + 1) - slave.pulses;
                let (first, _) = self.counts_to_overflow();
                let more = pulses.saturating_sub(1).saturating_mul(u64::from(self.reload[ACTIVE]) + 1);
                self.ticks.cycle_of(self.counted.saturating_add(first).saturating_add(more))
            }
            _ => NEVER,
        }
    }
}
