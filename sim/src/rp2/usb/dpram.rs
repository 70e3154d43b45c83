//! The 4 KB of dual-ported memory that firmware and the USB controller share (datasheet 4.1.2.5).

use crate::core::access::{Width, merge};

/// Bytes of the memory.
pub const SIZE: u32 = 0x1000;
/// Where the packet of a SETUP transaction is put.
const SETUP: u32 = 0x000;
/// Buffers of end point 0: fixed (table 387).
const EP0_BUFFER: u32 = 0x100;
/// Bytes of a buffer, and the distance of the second buffer from the first one, except for isochronous end points.
pub const BUFFER: u32 = 64;

/// `EP_CTRL` bits (table 388).
pub const EP_ENABLE: u32 = 1 << 31;
const EP_DOUBLE: u32 = 1 << 30;
const EP_INT_1BUF: u32 = 1 << 29;
const EP_INT_2BUF: u32 = 1 << 28;
const EP_TYPE_SHIFT: u32 = 26;
const EP_INT_STALL: u32 = 1 << 17;
const EP_INT_NAK: u32 = 1 << 16;
/// A buffer's address is within the memory, and a multiple of 64.
const EP_ADDRESS: u32 = 0xfc0;
/// The type of an isochronous end point.
const ISOCHRONOUS: u32 = 1;

/// Bits of `BUFF_CTRL` for buffer 0 (table 389); those for buffer 1 are 16 higher.
pub const FULL: u32 = 1 << 15;
pub const LAST: u32 = 1 << 14;
pub const DATA1: u32 = 1 << 13;
pub const RESET_SELECT: u32 = 1 << 12;
pub const STALL: u32 = 1 << 11;
pub const AVAILABLE: u32 = 1 << 10;
pub const LENGTH: u32 = 0x3ff;

/// An end point in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// 0 to 15.
    pub number: u8,
    /// Whether it takes data from the host.
    pub out: bool,
}

impl Endpoint {
    /// Its bit in `BUFF_STATUS` and registers like it.
    pub fn bit(self) -> u32 {
        1 << (u32::from(self.number) * 2 + u32::from(self.out))
    }

    /// Offset of its buffer control register.
    fn buffer_control(self) -> u32 {
        0x80 + u32::from(self.number) * 8 + u32::from(self.out) * 4
    }
}

/// How an end point is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // bits of a register
pub struct Setup {
    pub enabled: bool,
    pub double: bool,
    pub interrupt_1: bool,
    pub interrupt_2: bool,
    pub interrupt_stall: bool,
    pub interrupt_nak: bool,
    pub isochronous: bool,
    /// Offset of its first buffer.
    pub buffer: u32,
}

/// The memory.
#[derive(Clone, Debug, Hash)]
pub struct Dpram(Box<[u32; SIZE as usize / 4]>);

impl Default for Dpram {
    fn default() -> Self {
        Self(Box::new([0; SIZE as usize / 4]))
    }
}

impl Dpram {
    /// A word.
    pub fn word(&self, offset: u32) -> u32 {
        self.0[(offset % SIZE / 4) as usize]
    }

    /// Stores a word, or a part of one: this memory, unlike registers, takes narrow writes as they are (4.1.2.5).
    pub fn store(&mut self, offset: u32, width: Width, value: u32) {
        let word = &mut self.0[(offset % SIZE / 4) as usize];
        *word = merge(*word, offset, width, value);
    }

    /// Bytes of a buffer.
    pub fn bytes(&self, offset: u32, count: u32) -> Vec<u8> {
        (offset..offset + count).map(|at| self.word(at).to_le_bytes()[at as usize % 4]).collect()
    }

    /// Stores bytes into a buffer.
    pub fn put(&mut self, offset: u32, bytes: &[u8]) {
        for (at, &byte) in (offset..).zip(bytes) {
            self.store(at, Width::Byte, u32::from(byte) * 0x0101_0101);
        }
    }

    /// Stores the packet of a SETUP transaction.
    pub fn put_setup(&mut self, packet: &[u8]) {
        self.put(SETUP, packet);
    }

    /// The buffer control register of an end point.
    pub fn buffer_control(&self, endpoint: Endpoint) -> u32 {
        self.word(endpoint.buffer_control())
    }

    /// Changes it.
    pub fn set_buffer_control(&mut self, endpoint: Endpoint, value: u32) {
        self.store(endpoint.buffer_control(), Width::Word, value);
    }

    /// How an end point other than 0 is set up.
    pub fn setup(&self, endpoint: Endpoint) -> Setup {
        let control = self.word(u32::from(endpoint.number) * 8 + u32::from(endpoint.out) * 4);
        Setup {
            enabled: control & EP_ENABLE != 0,
            double: control & EP_DOUBLE != 0,
            interrupt_1: control & EP_INT_1BUF != 0,
            interrupt_2: control & EP_INT_2BUF != 0,
            interrupt_stall: control & EP_INT_STALL != 0,
            interrupt_nak: control & EP_INT_NAK != 0,
            isochronous: control >> EP_TYPE_SHIFT & 3 == ISOCHRONOUS,
            buffer: control & EP_ADDRESS,
        }
    }

    /// How end point 0 is set up by bits of `SIE_CTRL`.
    pub fn setup_0(sie_ctrl: u32) -> Setup {
        Setup {
            enabled: true,
            double: sie_ctrl & EP_DOUBLE != 0,
            interrupt_1: sie_ctrl & EP_INT_1BUF != 0,
            interrupt_2: sie_ctrl & EP_INT_2BUF != 0,
            interrupt_stall: sie_ctrl >> 31 != 0,
            interrupt_nak: sie_ctrl >> 27 & 1 != 0,
            isochronous: false,
            buffer: EP0_BUFFER,
        }
    }

    /// Whether an offset is of a register of an end point, which the controller looks at.
    pub fn is_control(offset: u32) -> bool {
        (0x8..0x100).contains(&(offset % SIZE))
    }

    /// Whether a word is the control register of an isochronous end point that is enabled.
    pub fn sets_up_isochronous(&self, offset: u32) -> bool {
        let control = self.word(offset);
        (0x8..0x80).contains(&(offset % SIZE))
            && control & EP_ENABLE != 0
            && control >> EP_TYPE_SHIFT & 3 == ISOCHRONOUS
    }
}
