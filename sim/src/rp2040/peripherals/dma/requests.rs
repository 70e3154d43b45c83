//! Which transfers the DMA may make: the request signals of the peripherals (datasheet 2.5.3).

use crate::core::bits::set_bits;
use crate::core::time::{Cycle, NEVER};
use crate::rp2040::peripherals::dma::channel::{CTRL_EN, Channel, TREQ_PERMANENT};
use crate::rp2040::peripherals::dma::{CHANNELS, DmaAccess};
use crate::rp2040::peripherals::{Context, Dreq, Peripherals, REQUESTS};

/// Whether a request signal ever comes: others belong to blocks that are not modelled, and a channel would wait for ever.
pub(super) fn is_modelled(treq: u32) -> bool {
    treq == TREQ_PERMANENT || REQUESTS.of(treq).is_some()
}

/// A channel's credit counter has six bits and saturates (2.5.3.2).
const MOST_CREDITS: u64 = 63;

/// The DMA as the bus sees it.
impl Peripherals {
    /// The next cycle, from `now` on, in which the DMA could want something of the bus; to be asked again after every
    /// access to a peripheral and every `wake`.
    #[inline]
    pub fn dma_next(&self, now: Cycle) -> Cycle {
        if self.dma.idle() { NEVER } else { self.busy_dma_next(now) }
    }

    /// What the read master wants in cycle `context.now`.
    pub fn dma_read_wanted(&mut self, context: &mut Context<'_>) -> Option<DmaAccess> {
        self.dma.chain(context);
        self.note_started(context.now);
        let issues = self.dma.may_issue_read();
        let requested = if issues { self.requested(context.now) } else { 0 };
        let wanted = self.dma.read_wanted(context.now, requested);
        if issues && let Some(access) = wanted {
            self.drop_excess(access.channel, context.now);
        }
        wanted
    }

    /// Sequences begin without credits: pulses that came before do not count.
    pub(in crate::rp2040::peripherals) fn note_started(&mut self, now: Cycle) {
        let started = self.dma.take_started();
        for index in set_bits(u64::from(started)).map(usize::from) {
            let pulses = self.pulses(self.dma.channel(index).treq(), now).unwrap_or(0);
            self.dma.channel_mut(index).pulses_before = pulses;
        }
    }

    /// Tells the PIO blocks which of their FIFOs channels may wait for: their request signals are the first 16 (2.5.3.1).
    pub(in crate::rp2040::peripherals) fn watch_fifos(&mut self, now: Cycle) {
        let channels = (0..CHANNELS).map(|index| self.dma.channel(index));
        let waiting = channels.filter(|channel| channel.has(CTRL_EN) && channel.treq() < 16);
        let signals = waiting.fold(0_u16, |signals, channel| signals | 1 << channel.treq());
        for (pio, fifos) in self.pios.iter_mut().zip(signals.to_le_bytes()) {
            pio.watch_fifos(fifos, now);
        }
    }

    /// What a request signal asks for.
    fn request(&self, treq: u32, now: Cycle) -> Option<Dreq> {
        REQUESTS.of(treq).map(|(entry, line)| (entry.of)(self).dreq(line, now))
    }

    /// Pulses so far of a request signal that pulses.
    fn pulses(&self, treq: u32, now: Cycle) -> Option<u64> {
        match self.request(treq, now) {
            Some(Dreq::Pulses(pulses)) => Some(pulses),
            _ => None,
        }
    }

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

    /// The channels whose request signal allows a transfer now.
    fn requested(&self, now: Cycle) -> u32 {
        let busy = (0..CHANNELS).filter(|&index| self.dma.channel(index).wants().is_some());
        busy.filter(|&index| self.credits(self.dma.channel(index), now) > 0).fold(0, |mask, index| mask | 1 << index)
    }

    /// Of a channel that has just issued a transfer: its counter held no more before.
    fn drop_excess(&mut self, index: usize, now: Cycle) {
        let channel = self.dma.channel_mut(index);
        let before = channel.pulses_before.saturating_add(channel.issued);
        let treq = channel.treq();
        if let Some(pulses) = self.pulses(treq, now) {
            let excess = pulses.saturating_sub(before).saturating_sub(MOST_CREDITS - 1);
            self.dma.channel_mut(index).pulses_before += excess;
        }
    }

    #[cold]
    fn busy_dma_next(&self, now: Cycle) -> Cycle {
        self.dma_next_read(now).min(self.dma.next_write(now))
    }

    /// The same of the read master alone.
    pub(in crate::rp2040) fn dma_next_read(&self, now: Cycle) -> Cycle {
        let mut next = NEVER;
        let mut paced = 0;
        for index in (0..CHANNELS).filter(|&index| self.dma.channel(index).wants().is_some()) {
            let channel = self.dma.channel(index);
            if self.credits(channel, now) > 0 {
                continue;
            }
            paced |= 1 << index;
            if let Some((entry, line)) = REQUESTS.of(channel.treq()) {
                let pulses = channel.pulses_before.saturating_add(channel.issued).saturating_add(1);
                next = next.min((entry.of)(self).cycle_of_dreq_pulse(line, pulses, now));
            }
        }
        next.max(now).min(self.dma.next_read(now, paced))
    }
}
