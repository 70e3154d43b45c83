//! The DMA controller of the RP2040: twelve channels, two interrupt lines.

use crate::core::time::{Cycle, NEVER};
use crate::rp2::dma::requests::Requesters;
use crate::rp2::dma::{self, Model};
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::{Block, Dreq, Peripherals, REQUESTS};

pub use crate::rp2::dma::{BusError, DmaAccess};

/// Channels (2.5.7, `N_CHANNELS`).
pub const CHANNELS: usize = 12;

/// `DMA`.
pub const DMA: Block = Block {
    reset: 1 << 2,
    interrupts: &[Irq::Dma0 as u8, Irq::Dma1 as u8],
    write_one_clears: &[0x400, 0x40c, 0x410, 0x41c, 0x444],
    modelled: "12 channels, chaining, rings, pacing, sniffer, errors",
    missing: "requests of blocks that are not modelled, erratum E13, idle cycles behind high priority",
    ..dma::DMA
};

/// See there.
#[derive(Clone, Debug, Hash)]
pub struct Rp2040;

impl Model for Rp2040 {
    const REVERSES: bool = false;

    fn has_request(treq: u32) -> bool {
        REQUESTS.of(treq).is_some()
    }
}

/// See there.
pub type Dma = dma::Dma<Rp2040, CHANNELS>;

impl Requesters<Rp2040, CHANNELS> for Peripherals {
    fn dma(&self) -> &Dma {
        &self.dma
    }

    fn dma_mut(&mut self) -> &mut Dma {
        &mut self.dma
    }

    fn request(&self, treq: u32, now: Cycle) -> Option<Dreq> {
        REQUESTS.of(treq).map(|(entry, line)| (entry.of)(self).dreq(line, now))
    }

    fn cycle_of_pulse(&self, treq: u32, pulses: u64, now: Cycle) -> Cycle {
        REQUESTS.of(treq).map_or(NEVER, |(entry, line)| (entry.of)(self).cycle_of_dreq_pulse(line, pulses, now))
    }
}

impl Peripherals {
    /// Tells the PIO blocks which of their FIFOs channels may wait for: their request signals are the first 16 (2.5.3.1).
    pub(in crate::rp2040::peripherals) fn watch_fifos(&mut self, now: Cycle) {
        let channels = (0..CHANNELS).map(|index| self.dma.channel(index));
        let waiting = channels.filter(|channel| channel.is_enabled() && channel.treq() < 16);
        let signals = waiting.fold(0_u16, |signals, channel| signals | 1 << channel.treq());
        for (pio, fifos) in self.pios.iter_mut().zip(signals.to_le_bytes()) {
            pio.watch_fifos(fifos, now);
        }
    }
}
