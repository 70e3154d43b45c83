//! XIP streaming (datasheet 2.6.3.3): the flash is read word by word into a FIFO while no cache miss needs the wire.
//!
//! The FIFO is on a bus port of its own (`XIP_AUX`); the registers that start a stream are among those of the cache. The
//! FIFO holds addresses: the bus, which knows the flash, supplies the words.

pub mod bulk_read;

use crate::core::time::{Cycle, NEVER};
use crate::rp2::clock::Clocks;
use crate::rp2040::peripherals::{Block, Context, Dreq, Peripheral};
use bulk_read::BulkRead;
use std::collections::VecDeque;

/// Register offset in `XIP_CTRL` (2.6.3.6): state of cache and FIFO.
pub const STAT: u32 = 0x08;
/// The address of the next word.
pub const STREAM_ADDR: u32 = 0x14;
/// Words still to come; written, it starts or halts.
pub const STREAM_CTR: u32 = 0x18;
/// The FIFO, on the port of the cache.
pub const STREAM_FIFO: u32 = 0x1c;
/// `STAT` bits.
const FIFO_EMPTY: u32 = 1 << 1;
const FIFO_FULL: u32 = 1 << 2;
/// `STREAM_CTR` has 22 bits.
const COUNT_MASK: u32 = 0x3f_ffff;
/// Cycles between the last cache miss and the next read of a stream (2.6.3.3).
const COOLDOWN: Cycle = 7;
/// Words of the FIFO (`STAT.FIFO_FULL`).
const DEPTH: usize = 2;

/// `XIP_AUX`. Request 39 is that of the SSI, whose registers are not on these buses either.
pub const XIP_AUX: Block = Block {
    dreqs: &[37, 39],
    data: &[0],
    lazy: true,
    modelled: "the FIFO of XIP streaming",
    ..Block::new("XIP_AUX", 0x5040_0000)
};

/// A stream, and its FIFO.
#[derive(Clone, Debug, Hash)]
pub struct XipStream {
    address: u32,
    count: u32,
    fifo: VecDeque<u32>,
    /// First cycle of the read that is on the wire, or will be, and the one in which its word arrives; `NEVER` if there is none.
    begins_at: Cycle,
    ends_at: Cycle,
    /// The wire serves a cache miss, or waits for the next one, up to here.
    busy_until: Cycle,
    /// Cycles of a read.
    cycles: Cycle,
    /// The SSI's own way to read many words.
    pub bulk: BulkRead,
}

impl XipStream {
    /// A register of `XIP_CTRL`, or the stream's bits of `STAT`.
    pub fn control(&self, offset: u32) -> u32 {
        match offset {
            STAT if self.fifo.is_empty() => FIFO_EMPTY,
            STAT if self.fifo.len() == DEPTH => FIFO_FULL,
            STREAM_ADDR => self.address,
            STREAM_CTR => self.count,
            _ => 0,
        }
    }

    /// Writes a register of `XIP_CTRL`. A read of flash takes `cycles`.
    pub fn set_control(&mut self, offset: u32, value: u32, cycles: Cycle, now: Cycle) {
        match offset {
            STREAM_ADDR => self.address = value & !3,
            STREAM_CTR => {
                // A stream that is halted discards the read on the wire.
                (self.begins_at, self.ends_at) = (NEVER, NEVER);
                self.count = value & COUNT_MASK;
                self.cycles = cycles;
                self.go_on(now);
            }
            _ => {}
        }
    }

    /// Takes a word: its address, or none if the FIFO is empty.
    pub fn take(&mut self, now: Cycle) -> Option<u32> {
        let address = self.fifo.pop_front();
        self.go_on(now);
        address
    }

    /// A cache miss of so many cycles. Gives the cycles that it first has to wait for the stream's read on the wire, which
    /// it comes before otherwise.
    pub fn give_way(&mut self, miss: Cycle, now: Cycle) -> Cycle {
        let on_the_wire = self.begins_at < now && now < self.ends_at;
        let wait = if on_the_wire { self.ends_at - now } else { 0 };
        self.busy_until = now + wait + miss + COOLDOWN;
        if !on_the_wire && self.ends_at != NEVER {
            self.begins_at = self.busy_until;
            self.ends_at = self.begins_at + self.cycles;
        }
        wait
    }

    /// Whether a stream is under way.
    pub fn is_active(&self) -> bool {
        self.ends_at != NEVER
    }

    /// Begins the next read if there is one, and room for its word.
    fn go_on(&mut self, now: Cycle) {
        if self.ends_at == NEVER && self.count != 0 && self.fifo.len() < DEPTH {
            self.begins_at = now.max(self.busy_until);
            self.ends_at = self.begins_at + self.cycles;
        }
    }
}

impl Peripheral for XipStream {
    fn new(_: &'static Block) -> Self {
        Self {
            address: 0,
            count: 0,
            fifo: VecDeque::with_capacity(DEPTH),
            begins_at: NEVER,
            ends_at: NEVER,
            busy_until: 0,
            cycles: 1,
            bulk: BulkRead::new(),
        }
    }

    fn read(&mut self, _offset: u32, context: &mut Context<'_>) -> Option<u32> {
        Some(self.take(context.now).unwrap_or(0))
    }

    fn peek(&self, _offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(self.fifo.front().copied().unwrap_or(0))
    }

    fn write(&mut self, _offset: u32, _value: u32, _context: &mut Context<'_>) {}

    fn next_event(&self) -> Cycle {
        self.ends_at.min(self.bulk.next_event())
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.bulk.wake(context.now, context.diagnostics);
        if self.ends_at <= context.now {
            self.fifo.push_back(self.address);
            self.address = self.address.wrapping_add(4);
            self.count -= 1;
            (self.begins_at, self.ends_at) = (NEVER, NEVER);
            self.go_on(context.now);
        }
    }

    fn dreq(&self, line: usize, _now: Cycle) -> Dreq {
        Dreq::Data(if line == 0 { self.fifo.len() as u32 } else { self.bulk.requested() })
    }
}
