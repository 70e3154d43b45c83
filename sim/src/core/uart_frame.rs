//! Asynchronous serial characters: their bits on the line, and what a receiver makes of the levels that it samples.
//!
//! | bit of the line | level |
//! |---|---|
//! | 0 | start bit: 0 |
//! | 1 to n | n data bits, the lowest first |
//! | n + 1 | parity, if there is one |
//! | then | 1 or 2 stop bits: 1 |

use crate::core::time::Cycle;

/// A character that left on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentByte {
    /// The chip's time at which its last stop bit ended.
    pub at: Cycle,
    /// Its data bits.
    pub byte: u8,
    /// Bits per second that the UART was set to; 0 if that is not defined.
    pub rate: u32,
}

/// Format of the characters on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Data bits, 5 to 9.
    pub data_bits: u32,
    /// The parity bit.
    pub parity: Parity,
    /// Stop bits, 1 or 2.
    pub stop_bits: u32,
}

/// The parity bit of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Parity {
    None,
    Odd,
    Even,
    /// Always 1.
    Mark,
    /// Always 0.
    Space,
}

/// A received character. A ninth data bit is dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The data bits.
    pub data: u8,
    /// The parity bit has the wrong level.
    pub parity_error: bool,
    /// The first stop bit is 0.
    pub framing_error: bool,
    /// All bits up to the first stop bit are 0: the line is held low.
    pub is_break: bool,
}

impl Format {
    /// 8 data bits, no parity, one stop bit.
    pub const EIGHT_N_ONE: Self = Self { data_bits: 8, parity: Parity::None, stop_bits: 1 };

    /// Bits of a character with start, parity and stop bits.
    pub fn bits(self) -> u32 {
        1 + self.data_bits + u32::from(self.parity != Parity::None) + self.stop_bits
    }

    /// Bits up to and with the first stop bit: a receiver looks no further.
    pub fn sampled_bits(self) -> u32 {
        self.bits() - self.stop_bits + 1
    }

    /// The levels of a character's bits, the start bit in bit 0; above the stop bits the line is idle, at 1.
    pub fn encode(self, byte: u8) -> u16 {
        let data = u16::from(byte) & self.data_mask();
        let mut levels = !0 << (1 + self.data_bits) | data << 1;
        if self.parity_bit(data) == Some(false) {
            levels &= !(1 << (1 + self.data_bits));
        }
        levels
    }

    /// The character whose levels were sampled, the start bit in bit 0.
    pub fn decode(self, levels: u16) -> Frame {
        let data = levels >> 1 & self.data_mask();
        let parity = levels >> (1 + self.data_bits) & 1 == 1;
        let stop = levels >> (self.sampled_bits() - 1) & 1 == 1;
        Frame {
            data: data as u8,
            parity_error: self.parity_bit(data).is_some_and(|expected| expected != parity),
            framing_error: !stop,
            is_break: levels & ((1 << self.sampled_bits()) - 1) == 0,
        }
    }

    fn data_mask(self) -> u16 {
        (1 << self.data_bits) - 1
    }

    fn parity_bit(self, data: u16) -> Option<bool> {
        let odd_ones = data.count_ones() % 2 == 1;
        match self.parity {
            Parity::None => None,
            Parity::Odd => Some(!odd_ones),
            Parity::Even => Some(odd_ones),
            Parity::Mark => Some(true),
            Parity::Space => Some(false),
        }
    }
}
