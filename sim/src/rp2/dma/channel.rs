//! One channel of the DMA: its registers, and what is left of its transfer sequence (RP2040 datasheet 2.5.1, 2.5.2, RP2350 datasheet
//! 12.6.2).

use crate::core::time::{Cycle, NEVER};
use crate::rp2::dma::requests::CREDIT_CYCLES;

/// `CTRL` fields as the RP2350 has them (RP2350 datasheet 12.6.10).
pub const CTRL_EN: u32 = 1 << 0;
/// Served before channels without it.
pub const CTRL_HIGH_PRIORITY: u32 = 1 << 1;
const CTRL_INCR_READ: u32 = 1 << 4;
const CTRL_INCR_READ_REV: u32 = 1 << 5;
const CTRL_INCR_WRITE: u32 = 1 << 6;
const CTRL_INCR_WRITE_REV: u32 = 1 << 7;
const CTRL_RING_SEL: u32 = 1 << 12;
/// No interrupt at completion, but at null triggers.
pub const CTRL_IRQ_QUIET: u32 = 1 << 23;
const CTRL_BSWAP: u32 = 1 << 24;
/// The sniffer sees the data.
pub const CTRL_SNIFF_EN: u32 = 1 << 25;
const CTRL_BUSY: u32 = 1 << 26;
/// A write, or a read, met a bus error.
pub const CTRL_WRITE_ERROR: u32 = 1 << 29;
/// See `CTRL_WRITE_ERROR`.
pub const CTRL_READ_ERROR: u32 = 1 << 30;
const CTRL_AHB_ERROR: u32 = 1 << 31;
const CTRL_WRITABLE: u32 = 0x03ff_ffff;

/// `CTRL.TREQ_SEL` without pacing. The other values are request signals of blocks.
pub const TREQ_PERMANENT: u32 = 63;

/// Modes of a count (RP2350 datasheet 12.6.2.2.1).
const TRIGGER_SELF: u32 = 1;
const ENDLESS: u32 = 15;
const MODE_SHIFT: u32 = 28;

/// The RP2040's `CTRL` (RP2040 datasheet 2.5.7) as the RP2350 has it: fields for the direction came in between.
fn widened(ctrl: u32) -> u32 {
    ctrl & 0xe000_001f | (ctrl & 0x20) << 1 | (ctrl & 0x01ff_ffc0) << 2
}

/// The way back.
fn narrowed(ctrl: u32) -> u32 {
    ctrl & 0xe000_001f | ctrl >> 1 & 0x20 | ctrl >> 2 & 0x01ff_ffc0
}

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
    /// Transfers that the next sequence begins with, and what comes behind them.
    reload: u32,
    mode: u32,
    /// Transfers of this sequence whose write is not done, and whose read is not issued.
    left: u32,
    to_issue: u32,
    /// Transfers that were read but not yet written.
    in_flight: u32,
    /// The first cycle in which the channel asks for a transfer.
    ready_from: Cycle,
    /// Pulses of its request signal that were there before the sequence began, and transfers issued since.
    pub pulses_before: u64,
    /// See `pulses_before`.
    pub issued: u64,
    /// Since when its request signal has asked for a transfer that is not issued; `NEVER` if it has not.
    pub requested_at: Cycle,
}

impl Channel {
    /// A channel after reset, and to which one it chains; to its own number is to none.
    pub fn new(chain_to: usize) -> Self {
        Self { ctrl: (chain_to as u32) << 13, requested_at: NEVER, ..Self::default() }
    }

    /// Reads a register, which on the RP2040 has other fields.
    pub fn peek(&self, register: Register, is_wide: bool) -> u32 {
        match register {
            Register::ReadAddr => self.read_addr,
            Register::WriteAddr => self.write_addr,
            Register::TransCount => self.left | self.mode << MODE_SHIFT,
            Register::Ctrl => {
                let error = self.ctrl & (CTRL_READ_ERROR | CTRL_WRITE_ERROR) != 0;
                let busy = if self.is_busy() { CTRL_BUSY } else { 0 };
                let ctrl = self.ctrl | busy | if error { CTRL_AHB_ERROR } else { 0 };
                if is_wide { ctrl } else { narrowed(ctrl) }
            }
        }
    }

    /// Writes a register, without triggering.
    pub fn write(&mut self, register: Register, value: u32, is_wide: bool) {
        match register {
            Register::ReadAddr => self.read_addr = value,
            Register::WriteAddr => self.write_addr = value,
            Register::TransCount if is_wide => {
                (self.reload, self.mode) = (value & !(u32::MAX << MODE_SHIFT), value >> MODE_SHIFT);
            }
            Register::TransCount => self.reload = value,
            Register::Ctrl => {
                let value = if is_wide { value } else { widened(value) };
                let errors = self.ctrl & (CTRL_READ_ERROR | CTRL_WRITE_ERROR) & !value;
                self.ctrl = (value & CTRL_WRITABLE) | errors;
                self.requested_at = NEVER;
            }
        }
    }

    /// Reads a debug register: that with the count to be reloaded; the other one is not modelled.
    pub fn debug(&self, offset: u32) -> u32 {
        if offset & 0x3f == 4 { self.reload | self.mode << MODE_SHIFT } else { 0 }
    }

    /// `CTRL.EN`.
    pub fn is_enabled(&self) -> bool {
        self.has(CTRL_EN)
    }

    /// Whether a transfer sequence is in progress.
    pub fn is_busy(&self) -> bool {
        self.left > 0
    }

    /// `CTRL` bits.
    pub fn has(&self, bits: u32) -> bool {
        self.ctrl & bits != 0
    }

    /// `CTRL.TREQ_SEL`.
    pub fn treq(&self) -> u32 {
        self.ctrl >> 17 & 63
    }

    /// `CTRL.CHAIN_TO`.
    pub fn chain_to(&self) -> usize {
        (self.ctrl >> 13 & 15) as usize
    }

    /// Bytes of a transfer. The reserved size acts as a word.
    pub fn bytes(&self) -> u32 {
        1 << (self.ctrl >> 2 & 3).min(2)
    }

    /// Transfers in flight: read but not yet written.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Whether it begins anew when it is complete. (With nothing to transfer it would do so without end: it does not.)
    pub fn triggers_self(&self) -> bool {
        self.mode == TRIGGER_SELF && self.reload > 0
    }

    /// A count after a transfer.
    fn counted(&self, count: u32) -> u32 {
        if self.mode == ENDLESS { count } else { count.saturating_sub(1) }
    }

    /// Starts a sequence if the channel is enabled and idle; true if it has nothing to transfer and so is complete.
    pub fn trigger(&mut self, ready_from: Cycle) -> bool {
        if self.is_busy() || !self.has(CTRL_EN) {
            return false;
        }
        (self.left, self.to_issue) = (self.reload, self.reload);
        (self.ready_from, self.issued, self.requested_at) = (ready_from, 0, NEVER);
        !self.is_busy()
    }

    /// Whether it has a transfer to issue, its request signal aside; the cycle from which.
    pub fn wants(&self) -> Option<Cycle> {
        (self.is_busy() && self.has(CTRL_EN) && self.to_issue > 0).then_some(self.ready_from)
    }

    /// The first cycle in which what its request signal has asked for may be issued.
    pub fn may_transfer_from(&self) -> Cycle {
        if self.treq() == TREQ_PERMANENT { 0 } else { self.requested_at.saturating_add(CREDIT_CYCLES) }
    }

    /// Issues the read of a transfer: its address.
    pub fn issue_read(&mut self) -> u32 {
        let address = self.read_addr;
        self.to_issue = self.counted(self.to_issue);
        self.issued += 1;
        self.in_flight += 1;
        let steps = self.steps(CTRL_INCR_READ, CTRL_INCR_READ_REV);
        self.read_addr = self.next_address(address, steps, !self.has(CTRL_RING_SEL));
        address
    }

    /// Takes note that a write is done; true if it was the last.
    pub fn written(&mut self) -> bool {
        let steps = self.steps(CTRL_INCR_WRITE, CTRL_INCR_WRITE_REV);
        self.write_addr = self.next_address(self.write_addr, steps, self.has(CTRL_RING_SEL));
        self.left = self.counted(self.left);
        self.in_flight = self.in_flight.saturating_sub(1);
        !self.is_busy()
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
        (self.left, self.to_issue, self.in_flight) = (0, 0, 0);
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

    /// By how many transfers an address goes on (RP2350 datasheet 12.6.2.1.1).
    fn steps(&self, increments: u32, reverses: u32) -> u32 {
        match (self.has(increments), self.has(reverses)) {
            (true, false) => 1,
            (true, true) => 1_u32.wrapping_neg(),
            (false, true) => 2,
            (false, false) => 0,
        }
    }

    /// So many transfers further; wrapped if this address is the one in a ring.
    fn next_address(&self, address: u32, steps: u32, ring: bool) -> u32 {
        let next = address.wrapping_add(self.bytes().wrapping_mul(steps));
        let size = self.ctrl >> 8 & 15;
        if !ring || size == 0 {
            return next;
        }
        let mask = (1 << size) - 1;
        (address & !mask) | (next & mask)
    }
}
