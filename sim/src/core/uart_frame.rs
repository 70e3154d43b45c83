//! What goes over a serial line for one character, and what a receiver makes of the levels it samples (datasheet
//! 4.2.3.3: start bit, 5 to 8 data bits, parity, one or two stop bits).

/// `UARTLCR_H` fields that say how a character looks (4.2.8).
pub const LCR_H_BRK: u32 = 1 << 0;
const LCR_H_PEN: u32 = 1 << 1;
const LCR_H_EPS: u32 = 1 << 2;
const LCR_H_STP2: u32 = 1 << 3;
const LCR_H_WLEN_SHIFT: u32 = 5;
const LCR_H_SPS: u32 = 1 << 7;

/// Errors of a character, as in bits 11:8 of `UARTDR` (4.2.8).
pub const FE: u16 = 1 << 8;
/// Parity error.
pub const PE: u16 = 1 << 9;
/// Break error.
pub const BE: u16 = 1 << 10;
/// Overrun error.
pub const OE: u16 = 1 << 11;

/// How characters look on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Data bits, 5 to 8.
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

impl Format {
    /// The format that `UARTLCR_H` asks for.
    #[must_use]
    pub fn from_lcr_h(lcr_h: u32) -> Self {
        let parity = match (lcr_h & LCR_H_PEN != 0, lcr_h & LCR_H_SPS != 0, lcr_h & LCR_H_EPS != 0) {
            (false, _, _) => Parity::None,
            (true, false, false) => Parity::Odd,
            (true, false, true) => Parity::Even,
            (true, true, false) => Parity::Mark,
            (true, true, true) => Parity::Space,
        };
        Self {
            data_bits: 5 + (lcr_h >> LCR_H_WLEN_SHIFT & 3),
            parity,
            stop_bits: if lcr_h & LCR_H_STP2 != 0 { 2 } else { 1 },
        }
    }

    /// Bits of a character with start, parity and stop bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        1 + self.data_bits + u32::from(self.parity != Parity::None) + self.stop_bits
    }

    /// Bits up to and with the first stop bit: a receiver looks no further.
    #[must_use]
    pub fn sampled_bits(self) -> u32 {
        self.bits() - self.stop_bits + 1
    }

    /// The levels of a character's bits, the start bit in bit 0; above the stop bits the line is idle, at 1.
    #[must_use]
    pub fn encode(self, byte: u8) -> u16 {
        let data = u16::from(byte) & self.data_mask();
        let mut levels = !0 << (1 + self.data_bits) | data << 1;
        if self.parity_bit(data) == Some(false) {
            levels &= !(1 << (1 + self.data_bits));
        }
        levels
    }

    /// The entry of the receive FIFO for the levels that were sampled, the start bit in bit 0.
    #[must_use]
    pub fn decode(self, levels: u16) -> u16 {
        let data = levels >> 1 & self.data_mask();
        let parity_level = levels >> (1 + self.data_bits) & 1 == 1;
        let stop = levels >> (self.sampled_bits() - 1) & 1 == 1;
        let mut entry = data;
        if self.parity_bit(data).is_some_and(|expected| expected != parity_level) {
            entry |= PE;
        }
        if !stop {
            entry |= FE;
            if levels & ((1 << self.sampled_bits()) - 1) == 0 {
                entry |= BE;
            }
        }
        entry
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
