//! Which transfers the DMA may make: the request signals of the peripherals (RP2040 datasheet 2.5.3, RP2350 datasheet 12.6.4).

use crate::core::bits::set_bits;
use crate::core::time::{Cycle, NEVER};
use crate::rp2::dma::channel::{Channel, TREQ_PERMANENT};
use crate::rp2::dma::{Dma, DmaAccess, Model};
use crate::rp2::peripheral::{Context, Dreq};

/// A channel's credit counter has six bits and saturates (RP2040 datasheet 2.5.3.2).
const MOST_CREDITS: u64 = 63;
/// Cycles from a request to the address of the read that it allows: the counter is a register (RP2040 datasheet 2.5.3.2, figure
/// 13). With the data phases of both writes, two transfers from PIO to PIO take the 11 cycles that were measured
/// (raspberrypi/pico-feedback issue 202).
pub(super) const CREDIT_CYCLES: Cycle = 1;

/// A chip's peripherals with their DMA, as the bus sees it.
pub trait Requesters<M: Model, const CHANNELS: usize> {
    /// The DMA.
    fn dma(&self) -> &Dma<M, CHANNELS>;

    /// The same.
    fn dma_mut(&mut self) -> &mut Dma<M, CHANNELS>;

    /// What a request signal asks for; none if no block that is modelled has it.
    fn request(&self, treq: u32, now: Cycle) -> Option<Dreq>;

    /// For a request signal that pulses: the cycle after `now` by which `pulses` pulses will have come, or an earlier one.
    fn cycle_of_pulse(&self, treq: u32, pulses: u64, now: Cycle) -> Cycle;

    /// The next cycle, from `now` on, in which the DMA could want something of the bus; to be asked again after every
    /// access to a peripheral and every `wake`.
    #[inline]
    fn dma_next(&self, now: Cycle) -> Cycle {
        if self.dma().idle() { NEVER } else { self.busy_dma_next(now) }
    }

    /// What the read master wants in cycle `context.now`.
    fn dma_read_wanted(&mut self, context: &mut Context<'_>) -> Option<DmaAccess> {
        self.dma_mut().chain(context);
        self.note_started(context.now);
        let issues = self.dma().may_issue_read();
        let requested = self.note_requests(context.now);
        let wanted = self.dma_mut().read_wanted(context.now, requested);
        if issues && let Some(access) = wanted {
            self.drop_excess(access.channel, context.now);
            if self.credits(self.dma().channel(access.channel), context.now) == 0 {
                self.dma_mut().channel_mut(access.channel).requested_at = NEVER;
            }
        }
        wanted
    }

    /// Sequences begin without credits: pulses that came before do not count.
    fn note_started(&mut self, now: Cycle) {
        let started = self.dma_mut().take_started();
        for index in set_bits(u64::from(started)).map(usize::from) {
            let pulses = self.pulses(self.dma().channel(index).treq(), now).unwrap_or(0);
            self.dma_mut().channel_mut(index).pulses_before = pulses;
        }
    }

    /// Pulses so far of a request signal that pulses.
    fn pulses(&self, treq: u32, now: Cycle) -> Option<u64> {
        match self.request(treq, now) {
            Some(Dreq::Pulses(pulses)) => Some(pulses),
            _ => None,
        }
    }

    /// Transfers that its request signal allows a channel to issue.
    fn credits(&self, channel: &Channel, now: Cycle) -> u64 {
        if channel.treq() == TREQ_PERMANENT {
            return 1;
        }
        match self.request(channel.treq(), now) {
            None => 0,
            Some(Dreq::Room(places)) => u64::from(places.saturating_sub(channel.in_flight())),
            // What was read is out of the FIFO already: one read at a time is all that could be counted twice.
            Some(Dreq::Data(words)) => u64::from(words),
            Some(Dreq::Pulses(pulses)) => pulses.saturating_sub(channel.pulses_before).saturating_sub(channel.issued),
        }
    }

    /// Takes note of who has credits in cycle `now`, to be called in each cycle in which that may change: the channels whose
    /// request signal allows a transfer.
    fn note_requests(&mut self, now: Cycle) -> u32 {
        let mut allowed = 0;
        for index in 0..CHANNELS {
            let channel = self.dma().channel(index);
            if channel.wants().is_none() {
                continue;
            }
            let requested_at = if self.credits(channel, now) > 0 { channel.requested_at.min(now) } else { NEVER };
            self.dma_mut().channel_mut(index).requested_at = requested_at;
            allowed |= u32::from(self.dma().channel(index).may_transfer_from() <= now) << index;
        }
        allowed
    }

    /// Of a channel that has just issued a transfer: its counter held no more before.
    fn drop_excess(&mut self, index: usize, now: Cycle) {
        let channel = self.dma().channel(index);
        let before = channel.pulses_before.saturating_add(channel.issued);
        if let Some(pulses) = self.pulses(channel.treq(), now) {
            let excess = pulses.saturating_sub(before).saturating_sub(MOST_CREDITS - 1);
            self.dma_mut().channel_mut(index).pulses_before += excess;
        }
    }

    /// See `dma_next`.
    #[cold]
    fn busy_dma_next(&self, now: Cycle) -> Cycle {
        self.dma_next_read(now).min(self.dma().next_write(now))
    }

    /// The same of the read master alone.
    fn dma_next_read(&self, now: Cycle) -> Cycle {
        let mut next = NEVER;
        let mut paced = 0;
        for index in (0..CHANNELS).filter(|&index| self.dma().channel(index).wants().is_some()) {
            let channel = self.dma().channel(index);
            if self.credits(channel, now) > 0 {
                let allowed_from = channel.may_transfer_from();
                if allowed_from > now {
                    paced |= 1 << index;
                    next = next.min(if allowed_from == NEVER { now } else { allowed_from });
                }
                continue;
            }
            paced |= 1 << index;
            let pulses = channel.pulses_before.saturating_add(channel.issued).saturating_add(1);
            next = next.min(self.cycle_of_pulse(channel.treq(), pulses, now));
        }
        next.max(now).min(self.dma().next_read(now, paced))
    }
}
