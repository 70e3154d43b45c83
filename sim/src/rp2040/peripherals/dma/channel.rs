//! One channel of the DMA: its registers, and what is left of its transfer sequence (datasheet 2.5.1, 2.5.2).

use crate::core::time::Cycle;

/// `CTRL` fields (2.5.7).
pub const CTRL_EN: u32 = 1 << 0;
/// Served before channels without it.
pub const CTRL_HIGH_PRIORITY: u32 = 1 << 1;
const CTRL_INCR_READ: u32 = 1 << 4;
const CTRL_INCR_WRITE: u32 = 1 << 5;
const CTRL_RING_SEL: u32 = 1 << 10;
/// No interrupt at completion, but at null triggers.
pub const CTRL_IRQ_QUIET: u32 = 1 << 21;
const CTRL_BSWAP: u32 = 1 << 22;
/// The sniffer sees the data.
pub const CTRL_SNIFF_EN: u32 = 1 << 23;
const CTRL_BUSY: u32 = 1 << 24;
/// A write, or a read, met a bus error.
pub const CTRL_WRITE_ERROR: u32 = 1 << 29;
/// See `CTRL_WRITE_ERROR`.
pub const CTRL_READ_ERROR: u32 = 1 << 30;
const CTRL_AHB_ERROR: u32 = 1 << 31;
const CTRL_WRITABLE: u32 = 0x00ff_ffff;

/// `CTRL.TREQ_SEL` without pacing (2.5.3). The other values are request signals of blocks.
pub const TREQ_PERMANENT: u32 = 63;

/// The registers of a channel, in the order in which alias 0 has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Register {
    ReadAddr,
    WriteAddr,
    TransCount,
    Ctrl,
}

impl Register {
    /// The register at an offset within a channel, and whether it is a trigger (2.5.2.1, table of aliases).
    pub fn at(offset: u32) -> (Self, bool) {
        use Register::{Ctrl, ReadAddr, TransCount, WriteAddr};
        let aliases = [
            [ReadAddr, WriteAddr, TransCount, Ctrl],
            [Ctrl, ReadAddr, WriteAddr, TransCount],
            [Ctrl, TransCount, ReadAddr, WriteAddr],
            [Ctrl, WriteAddr, TransCount, ReadAddr],
        ];
        let column = (offset >> 2 & 3) as usize;
        (aliases[(offset >> 4 & 3) as usize][column], column == 3)
    }
}

/// A channel.
#[derive(Clone, Debug, Default, Hash)]
pub struct Channel {
    read_addr: u32,
    pub(super) write_addr: u32,
    ctrl: u32,
    /// Transfers that the next sequence begins with.
    pub(super) reload: u32,
    /// Transfers of this sequence whose write is not done, and whose read is not issued.
    left: u32,
    to_issue: u32,
    /// Whether a transfer sequence is in progress.
    pub(super) busy: bool,
    /// The first cycle in which the channel asks for a transfer.
    ready_from: Cycle,
    /// Pulses of its request signal that were there before the sequence began, and transfers issued since.
    pub pulses_before: u64,
    /// See `pulses_before`.
    pub issued: u64,
}

impl Channel {
    /// A channel after reset; it chains to none (its own number).
    pub fn new(index: usize) -> Self {
        Self { ctrl: (index as u32) << 11, ..Self::default() }
    }

    /// Reads a register.
    pub fn peek(&self, register: Register) -> u32 {
        match register {
            Register::ReadAddr => self.read_addr,
            Register::WriteAddr => self.write_addr,
            Register::TransCount => self.left,
            Register::Ctrl => {
                let error = self.ctrl & (CTRL_READ_ERROR | CTRL_WRITE_ERROR) != 0;
                self.ctrl | if self.busy { CTRL_BUSY } else { 0 } | if error { CTRL_AHB_ERROR } else { 0 }
            }
        }
    }

    /// Writes a register, without triggering.
    pub fn write(&mut self, register: Register, value: u32) {
        match register {
            Register::ReadAddr => self.read_addr = value,
            Register::WriteAddr => self.write_addr = value,
            Register::TransCount => self.reload = value,
            Register::Ctrl => {
                let errors = self.ctrl & (CTRL_READ_ERROR | CTRL_WRITE_ERROR) & !value;
                self.ctrl = (value & CTRL_WRITABLE) | errors;
            }
        }
    }

    /// `CTRL` bits.
    pub fn has(&self, bits: u32) -> bool {
        self.ctrl & bits != 0
    }

    /// `CTRL.TREQ_SEL`.
    pub fn treq(&self) -> u32 {
        self.ctrl >> 15 & 63
    }

    /// `CTRL.CHAIN_TO`.
    pub fn chain_to(&self) -> usize {
        (self.ctrl >> 11 & 15) as usize
    }

    /// Bytes of a transfer. The reserved size acts as a word.
    pub fn bytes(&self) -> u32 {
        1 << (self.ctrl >> 2 & 3).min(2)
    }

    /// Transfers in flight: read but not yet written.
    pub fn in_flight(&self) -> u32 {
        self.left.saturating_sub(self.to_issue)
    }

    /// Starts a sequence if the channel is enabled and idle; true if it has nothing to transfer and so is complete.
    pub fn trigger(&mut self, ready_from: Cycle) -> bool {
        if self.busy || !self.has(CTRL_EN) {
            return false;
        }
        (self.left, self.to_issue) = (self.reload, self.reload);
        (self.ready_from, self.issued) = (ready_from, 0);
        self.busy = self.left > 0;
        !self.busy
    }

    /// Whether it has a transfer to issue, its request signal aside; the cycle from which.
    pub fn wants(&self) -> Option<Cycle> {
        (self.busy && self.has(CTRL_EN) && self.to_issue > 0).then_some(self.ready_from)
    }

    /// Issues the read of a transfer: its address.
    pub fn issue_read(&mut self) -> u32 {
        let address = self.read_addr;
        self.to_issue = self.to_issue.saturating_sub(1);
        self.issued += 1;
        if self.has(CTRL_INCR_READ) {
            self.read_addr = self.next_address(address, !self.has(CTRL_RING_SEL));
        }
        address
    }

    /// Takes note that a write is done; true if it was the last.
    pub fn written(&mut self) -> bool {
        if self.has(CTRL_INCR_WRITE) {
            self.write_addr = self.next_address(self.write_addr, self.has(CTRL_RING_SEL));
        }
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.busy = false;
        }
        !self.busy
    }

    /// Whether the next write is the last one of the sequence.
    pub(super) fn is_at_its_last(&self) -> bool {
        self.left <= 1
    }

    /// Where it reads next, and writes next.
    pub(super) fn addresses(&self) -> [u32; 2] {
        [self.read_addr, self.write_addr]
    }

    /// Ends the sequence early; `error` is a bit of `CTRL` to set.
    pub fn halt(&mut self, error: u32) {
        self.busy = false;
        (self.left, self.to_issue) = (0, 0);
        self.ctrl |= error;
    }

    /// Data as it leaves the read master: swapped if asked for, in all byte lanes that a narrow write may use.
    pub fn arrange(&self, value: u32) -> u32 {
        let swap = self.has(CTRL_BSWAP);
        match self.bytes() {
            1 => u32::from(value as u8) * 0x0101_0101,
            2 => u32::from(if swap { (value as u16).swap_bytes() } else { value as u16 }) * 0x0001_0001,
            _ => {
                if swap {
                    value.swap_bytes()
                } else {
                    value
                }
            }
        }
    }

    /// One transfer further; wrapped if this address is the one in a ring.
    fn next_address(&self, address: u32, ring: bool) -> u32 {
        let next = address.wrapping_add(self.bytes());
        let size = self.ctrl >> 6 & 15;
        if !ring || size == 0 {
            return next;
        }
        let mask = (1 << size) - 1;
        (address & !mask) | (next & mask)
    }
}
