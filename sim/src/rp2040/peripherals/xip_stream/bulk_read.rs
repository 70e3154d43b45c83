//! A read of many words over the SSI's own FIFO, at the DMA's request (datasheet 4.10.11), in one transfer on the wire.

use crate::core::diagnostics::Diagnostics;
use crate::core::time::{Cycle, NEVER};
use std::collections::VecDeque;

/// Register offset in the SSI (4.10.13): which requests are on.
pub const DMACR: u32 = 0x4c;
/// The level of the receive FIFO above which there is a request.
pub const DMARDLR: u32 = 0x54;
/// `DMACR.RDMAE`.
const RDMAE: u32 = 1;
/// Words of the receive FIFO (4.10.3).
const DEPTH: usize = 16;

/// The words still to come, and those received: addresses, as in the FIFO of a stream.
#[derive(Clone, Debug, Hash)]
pub struct BulkRead {
    address: u32,
    left: u32,
    period: Cycle,
    next_at: Cycle,
    fifo: VecDeque<u32>,
    dmacr: u32,
    threshold: u32,
}

impl BulkRead {
    pub(super) fn new() -> Self {
        Self {
            address: 0,
            left: 0,
            period: 1,
            next_at: NEVER,
            fifo: VecDeque::with_capacity(DEPTH),
            dmacr: 0,
            threshold: 0,
        }
    }

    /// Whether received words are to be taken by DMA.
    pub fn is_on(&self) -> bool {
        self.dmacr & RDMAE != 0
    }

    /// Whether a word is here or still to come.
    pub fn is_active(&self) -> bool {
        self.left != 0 || !self.fifo.is_empty()
    }

    /// Begins to read words, the first of which arrives at a cycle, the others in steps.
    pub fn start(&mut self, address: u32, words: u32, first_at: Cycle, period: Cycle) {
        (self.address, self.left, self.next_at, self.period) = (address, words, first_at, period);
    }

    /// The SSI is turned on or off: both empty its FIFO.
    pub fn stop(&mut self) {
        self.fifo.clear();
        (self.left, self.next_at) = (0, NEVER);
    }

    /// A register of DMA requests.
    pub fn control(&self, offset: u32) -> u32 {
        match offset {
            DMACR => self.dmacr,
            DMARDLR => self.threshold,
            _ => 0,
        }
    }

    /// Writes one.
    pub fn set_control(&mut self, offset: u32, value: u32) {
        match offset {
            DMACR => self.dmacr = value & 3,
            DMARDLR => self.threshold = value & 0xff,
            _ => {}
        }
    }

    /// `SR`, apart from the transmit FIFO, which is empty.
    pub fn status(&self) -> u32 {
        u32::from(self.left != 0)
            | 1 << 1
            | 1 << 2
            | u32::from(!self.fifo.is_empty()) << 3
            | u32::from(self.fifo.len() == DEPTH) << 4
    }

    /// Words in the FIFO.
    pub fn level(&self) -> u32 {
        self.fifo.len() as u32
    }

    /// Takes a word: its address, or none if there is none.
    pub fn take(&mut self) -> Option<u32> {
        self.fifo.pop_front()
    }

    /// Words that the DMA is to take.
    pub(super) fn requested(&self) -> u32 {
        if self.is_on() { self.level().saturating_sub(self.threshold) } else { 0 }
    }

    pub(super) fn next_event(&self) -> Cycle {
        self.next_at
    }

    pub(super) fn wake(&mut self, now: Cycle, diagnostics: &mut Diagnostics) {
        if self.next_at > now {
            return;
        }
        if self.fifo.len() < DEPTH {
            self.fifo.push_back(self.address);
        } else {
            diagnostics.misuse("SSI", 0x60, "the receive FIFO is full: a word is lost", now);
        }
        self.address = self.address.wrapping_add(4);
        self.left -= 1;
        self.next_at = if self.left == 0 { NEVER } else { self.next_at + self.period };
    }
}
