//! TIM2 to TIM5 together: a timer can be clocked by the updates of another.
//!
//! Which internal trigger is which timer is in a table of RM0399 section 41 that was not at hand. What is taken here is
//! what Table 291 of RM0440 (STM32G4) has at the same places, and ST's example `TIM_Synchronization` for the STM32H743
//! agrees in ITR0: ITR1 of TIM3 and TIM4 is TIM2, ITR2 of the others is TIM3, and ITR3 is TIM4.

use crate::stm32h745::Time;
use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::peripherals::timer::Timer;

/// The timer (TIM2 is 0) behind ITR0 to ITR3 of TIM2 to TIM5; others are not modelled (TIM1, TIM8, TIM15).
const TRIGGERS: [[Option<usize>; 4]; 4] = [
    [None, None, Some(1), Some(2)],
    [None, Some(0), None, Some(2)],
    [None, Some(0), Some(1), None],
    [None, None, Some(1), Some(2)],
];

/// Timers that one clocks through others, at most: more than these make a ring.
const MAX_CHAIN: u32 = 3;

/// The four timers; TIM2 is 0.
#[derive(Clone, Debug, Hash)]
pub struct Timers(pub [Timer; 4]);

impl Default for Timers {
    fn default() -> Self {
        Self([0, 1, 2, 3].map(Timer::new))
    }
}

impl Timers {
    /// Advances all timers to `now`.
    pub fn run(&mut self, now: Time) {
        for index in 0..4 {
            let pulses = self.0[index].run(now);
            self.propagate(index, pulses, MAX_CHAIN);
        }
    }

    fn master_of(&self, slave: usize) -> Option<usize> {
        self.0[slave].trigger().and_then(|trigger| TRIGGERS[slave][trigger])
    }

    /// Counts pulses of a timer's trigger output in the timers that it clocks; to a depth, as timers may form a ring.
    fn propagate(&mut self, from: usize, pulses: u64, depth: u32) {
        if pulses == 0 || depth == 0 {
            return;
        }
        for slave in 0..4 {
            if self.master_of(slave) == Some(from) {
                let out = self.0[slave].clock(pulses);
                self.propagate(slave, out, depth - 1);
            }
        }
    }

    /// A write.
    pub fn write(&mut self, index: usize, offset: u32, value: u32, context: &mut Context<'_>) {
        let pulses = self.0[index].write(offset, value, context);
        self.propagate(index, pulses, MAX_CHAIN);
        if self.0[index].trigger().is_some() && self.master_of(index).is_none() {
            context.warn("the internal trigger that this timer is clocked by is not modelled: it does not count");
        }
    }

    /// Time of the next interrupt, at the earliest.
    pub fn next_event(&self) -> Time {
        let event = |index: usize| match self.master_of(index) {
            Some(master) => self.0[master].next_event_of_slave(&self.0[index]),
            None => self.0[index].next_event(),
        };
        (0..4).map(event).min().unwrap_or(Time::MAX)
    }
}
