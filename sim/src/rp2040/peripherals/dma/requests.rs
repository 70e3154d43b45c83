//! Which transfers the DMA may make: the request signals of the peripherals (datasheet 2.5.3).

use crate::core::time::{Cycle, NEVER};
use crate::rp2040::peripherals::dma::channel::{TREQ_PERMANENT, TREQ_TIMER0, TREQ_TIMER3};
use crate::rp2040::peripherals::dma::{BusError, CHANNELS, DmaAccess};
use crate::rp2040::peripherals::{Context, Peripherals};

/// `TREQ_SEL` values (2.5.3.1).
const DREQ_UART0_TX: u32 = 20;
const DREQ_UART0_RX: u32 = 21;
const DREQ_UART1_TX: u32 = 22;
const DREQ_UART1_RX: u32 = 23;
const DREQ_PWM_WRAP0: u32 = 24;
const DREQ_PWM_WRAP7: u32 = 31;
/// Whether a request signal ever comes: others belong to blocks that are not modelled, and a channel would wait for ever.
pub(super) fn is_modelled(treq: u32) -> bool {
    matches!(treq, DREQ_UART0_TX..=DREQ_PWM_WRAP7 | TREQ_TIMER0..=TREQ_PERMANENT)
}

/// A channel's credit counter has six bits and saturates (2.5.3.2).
const MOST_CREDITS: u64 = 63;

/// The DMA as the bus sees it.
impl Peripherals {
    /// The next cycle, from `now` on, in which the DMA could want something of the bus; to be asked again after every
    /// access to a peripheral and every `wake`.
    #[inline]
    #[must_use]
    pub fn dma_next(&self, now: Cycle) -> Cycle {
        if self.dma.idle() { NEVER } else { self.busy_dma_next(now) }
    }

    /// What the read master wants in cycle `context.now`.
    pub fn dma_read_wanted(&mut self, context: &mut Context<'_>) -> Option<DmaAccess> {
        self.dma.chain(context);
        self.note_started(context.now);
        let requested = self.requested(context.now);
        let wanted = self.dma.read_wanted(context.now, requested);
        if let Some(access) = wanted {
            self.drop_excess(access.channel, context.now);
        }
        wanted
    }

    /// What the write master wants in cycle `now`.
    #[must_use]
    pub fn dma_write_wanted(&self, now: Cycle) -> Option<DmaAccess> {
        self.dma.write_wanted(now)
    }

    /// The read that was wanted is done; its data was on the bus in cycle `data_at`.
    pub fn dma_read_done(&mut self, result: Result<u32, BusError>, data_at: Cycle, context: &mut Context<'_>) {
        self.dma.read_done(result, data_at, context);
    }

    /// The write that was wanted is done.
    pub fn dma_write_done(&mut self, result: Result<(), BusError>, context: &mut Context<'_>) {
        self.dma.write_done(result, context);
    }

    /// Sequences begin without credits: pulses that came before do not count.
    pub(in crate::rp2040::peripherals) fn note_started(&mut self, now: Cycle) {
        let started = self.dma.take_started();
        for index in (0..CHANNELS).filter(|index| started >> index & 1 == 1) {
            let pulses = self.pulses(self.dma.channel(index).treq(), now).unwrap_or(0);
            self.dma.channel_mut(index).pulses_before = pulses;
        }
    }

    /// Pulses so far of a request signal that pulses.
    fn pulses(&self, treq: u32, now: Cycle) -> Option<u64> {
        match treq {
            DREQ_PWM_WRAP0..=DREQ_PWM_WRAP7 => Some(self.pwm.slice((treq - DREQ_PWM_WRAP0) as usize, now).wraps()),
            TREQ_TIMER0..=TREQ_TIMER3 => Some(self.dma.timer_ticks((treq - TREQ_TIMER0) as usize).count(now)),
            _ => None,
        }
    }

    fn credits(&self, index: usize, now: Cycle) -> u64 {
        let channel = self.dma.channel(index);
        let in_flight = channel.in_flight();
        let left = |level: u32| u64::from(level.saturating_sub(in_flight));
        match channel.treq() {
            TREQ_PERMANENT => 1,
            DREQ_UART0_TX => left(self.uarts[0].tx_dreq()),
            DREQ_UART1_TX => left(self.uarts[1].tx_dreq()),
            // What was read is out of the FIFO already: one read at a time is all that could be counted twice.
            DREQ_UART0_RX => u64::from(self.uarts[0].rx_dreq()),
            DREQ_UART1_RX => u64::from(self.uarts[1].rx_dreq()),
            treq => self
                .pulses(treq, now)
                .map_or(0, |pulses| pulses.saturating_sub(channel.pulses_before).saturating_sub(channel.issued)),
        }
    }

    /// The channels whose request signal allows a transfer now.
    fn requested(&self, now: Cycle) -> u32 {
        let busy = (0..CHANNELS).filter(|&index| self.dma.channel(index).wants().is_some());
        busy.filter(|&index| self.credits(index, now) > 0).fold(0, |mask, index| mask | 1 << index)
    }

    fn drop_excess(&mut self, index: usize, now: Cycle) {
        let channel = self.dma.channel(index);
        if self.pulses(channel.treq(), now).is_some() {
            let excess = self.credits(index, now).saturating_sub(MOST_CREDITS);
            self.dma.channel_mut(index).pulses_before += excess;
        }
    }

    #[cold]
    fn busy_dma_next(&self, now: Cycle) -> Cycle {
        let mut next = NEVER;
        let mut paced = 0;
        for index in (0..CHANNELS).filter(|&index| self.dma.channel(index).wants().is_some()) {
            if self.credits(index, now) > 0 {
                continue;
            }
            paced |= 1 << index;
            let channel = self.dma.channel(index);
            next = next.min(match channel.treq() {
                treq @ DREQ_PWM_WRAP0..=DREQ_PWM_WRAP7 => self.pwm.next_wrap((treq - DREQ_PWM_WRAP0) as usize, now),
                treq @ TREQ_TIMER0..=TREQ_TIMER3 => {
                    let needed = channel.pulses_before.saturating_add(channel.issued).saturating_add(1);
                    self.dma.timer_ticks((treq - TREQ_TIMER0) as usize).cycle_of(needed)
                }
                _ => NEVER, // a UART's own events tell
            });
        }
        next.max(now).min(self.dma.next_activity(now, paced))
    }
}
