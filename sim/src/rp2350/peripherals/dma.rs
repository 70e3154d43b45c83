//! The DMA controller of the RP2350: sixteen channels, four interrupt lines (DS 12.6).

use crate::core::time::{Cycle, NEVER};
use crate::rp2::dma::requests::Requesters;
use crate::rp2::dma::{self, Model};
use crate::rp2::peripheral::{Block, Dreq};
use crate::rp2350::irq::Irq;
use crate::rp2350::peripherals::{Peripherals, REQUESTS};

/// Channels (DS 12.6.10, `N_CHANNELS`).
pub const CHANNELS: usize = 16;

/// `DMA`.
pub const DMA: Block = Block {
    reset: 1 << 2,
    interrupts: &[Irq::Dma0 as u8, Irq::Dma1 as u8, Irq::Dma2 as u8, Irq::Dma3 as u8],
    write_one_clears: &[0x400, 0x40c, 0x410, 0x41c, 0x420, 0x42c, 0x430, 0x43c, 0x464],
    modelled: "16 channels, chaining, rings, directions, modes of counts, pacing, sniffer, errors",
    missing: "security, requests of blocks that are not modelled, erratum E5",
    ..dma::DMA
};

/// See there.
#[derive(Clone, Debug, Hash)]
pub struct Rp2350;

impl Model for Rp2350 {
    const REVERSES: bool = true;

    fn has_request(treq: u32) -> bool {
        REQUESTS.of(treq).is_some()
    }
}

/// See there.
pub type Dma = dma::Dma<Rp2350, CHANNELS>;

impl Requesters<Rp2350, CHANNELS> for Peripherals {
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
