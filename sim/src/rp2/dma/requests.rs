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
pub(crate) const CREDIT_CYCLES: Cycle = 1;

/// What the read master does next, if nothing comes in between.
#[derive(Clone, Copy, Debug)]
pub struct NextRead {
    /// The cycle in which it notes a request; a read follows from it in the next cycle at the earliest.
    pub notes_at: Cycle,
    /// The cycle in which it reads, or triggers a channel.
    pub reads_at: Cycle,
}

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
        let issues = self.dma().may_issue_read();
        let requested = self.note_all(context.now);
        let wanted = self.dma_mut().read_wanted(context.now, requested);
        if issues && let Some(access) = wanted {
            self.note_issued(access.channel, context.now);
        }
        wanted
    }

    /// Takes note, in cycle `now`, of what has begun and of who has credits: the channels whose request signal allows a transfer.
    fn note_all(&mut self, now: Cycle) -> u32 {
        self.note_started(now);
        self.note_requests(now)
    }

    /// Sequences begin without credits: pulses that came before do not count.
    fn note_started(&mut self, now: Cycle) {
        let started = self.dma_mut().take_started();
        for index in set_bits(u64::from(started)).map(usize::from) {
            let request = self.request(self.dma().channel(index).treq(), now);
            let pulses = if let Some(Dreq::Pulses(pulses)) = request { pulses } else { 0 };
            self.dma_mut().channel_mut(index).pulses_before = pulses;
        }
    }

    /// Takes note of who has credits in cycle `now`, to be called in each cycle in which that may change: the channels whose
    /// request signal allows a transfer.
    fn note_requests(&mut self, now: Cycle) -> u32 {
        let mut allowed = 0;
        for index in self.dma().busy() {
            let channel = self.dma().channel(index);
            if channel.wants().is_none() {
                continue;
            }
            let has_credits = credits(channel, self.request(channel.treq(), now)) > 0;
            let requested_at = if has_credits { channel.requested_at.min(now) } else { NEVER };
            self.dma_mut().channel_mut(index).requested_at = requested_at;
            allowed |= u32::from(self.dma().channel(index).may_transfer_from() <= now) << index;
        }
        allowed
    }

    /// Of a channel that has just issued a transfer: its counter held no more than it can before, and may hold nothing now.
    fn note_issued(&mut self, index: usize, now: Cycle) {
        let request = self.request(self.dma().channel(index).treq(), now);
        let channel = self.dma_mut().channel_mut(index);
        if matches!(request, Some(Dreq::Pulses(_))) {
            channel.pulses_before += credits(channel, request).saturating_sub(MOST_CREDITS - 1);
        }
        if credits(channel, request) == 0 {
            channel.requested_at = NEVER;
        }
    }

    /// See `dma_next`.
    #[cold]
    fn busy_dma_next(&self, now: Cycle) -> Cycle {
        let next = self.dma_next_read(now);
        next.notes_at.min(next.reads_at).min(self.dma().next_write(now))
    }

    /// The same of the read master alone.
    fn dma_next_read(&self, now: Cycle) -> NextRead {
        let (mut notes_at, mut reads_at) = (NEVER, NEVER);
        let mut paced = 0;
        for index in self.dma().busy() {
            let channel = self.dma().channel(index);
            if channel.wants().is_none() {
                continue;
            }
            let allowed_from = channel.may_transfer_from();
            if credits(channel, self.request(channel.treq(), now)) == 0 {
                let pulses = channel.pulses_before.saturating_add(channel.issued).saturating_add(1);
                notes_at = notes_at.min(self.cycle_of_pulse(channel.treq(), pulses, now));
            } else if allowed_from == NEVER {
                notes_at = now;
            } else if allowed_from > now {
                reads_at = reads_at.min(allowed_from);
            } else {
                continue;
            }
            paced |= 1 << index;
        }
        let reads_at = reads_at.min(self.dma().next_read(now, paced));
        NextRead { notes_at: notes_at.max(now), reads_at }
    }
}

/// Transfers that a channel may issue, by what its request signal asks for.
fn credits(channel: &Channel, request: Option<Dreq>) -> u64 {
    match request {
        _ if channel.treq() == TREQ_PERMANENT => 1,
        None => 0,
        Some(Dreq::Room(places)) => u64::from(places.saturating_sub(channel.in_flight())),
        // What was read is out of the FIFO already: one read at a time is all that could be counted twice.
        Some(Dreq::Data(words)) => u64::from(words),
        Some(Dreq::Pulses(pulses)) => pulses.saturating_sub(channel.pulses_before).saturating_sub(channel.issued),
    }
}
