//! The checksum that the DMA can keep over the data of one channel (datasheet 2.5.5.2).

/// `SNIFF_CTRL` fields (2.5.7).
const EN: u32 = 1 << 0;
const BSWAP: u32 = 1 << 9;
const OUT_REV: u32 = 1 << 10;
const OUT_INV: u32 = 1 << 11;
const CTRL_MASK: u32 = 0xfff;
/// `SNIFF_CTRL.CALC` values.
const CRC32: u32 = 0x0;
const CRC32R: u32 = 0x1;
const CRC16: u32 = 0x2;
const CRC16R: u32 = 0x3;
const EVEN: u32 = 0xe;
const SUM: u32 = 0xf;

const POLYNOMIAL_32: u32 = 0x04c1_1db7;
const POLYNOMIAL_16: u32 = 0x1021;

/// The sniff hardware.
#[derive(Clone, Debug, Default, Hash)]
pub struct Sniffer {
    /// `SNIFF_CTRL`.
    pub(super) ctrl: u32,
    /// The checksum; a write to `SNIFF_DATA` sets it.
    pub(super) data: u32,
}

impl Sniffer {
    /// Writes `SNIFF_CTRL`; true if the calculation it selects is known.
    pub fn set_ctrl(&mut self, value: u32) -> bool {
        self.ctrl = value & CTRL_MASK;
        matches!(self.calc(), CRC32 | CRC32R | CRC16 | CRC16R | EVEN | SUM)
    }

    /// `SNIFF_DATA` as the bus sees it.
    pub fn data(&self) -> u32 {
        let data = if self.ctrl & OUT_REV != 0 { self.data.reverse_bits() } else { self.data };
        if self.ctrl & OUT_INV != 0 { !data } else { data }
    }

    /// Takes in one transfer of a channel: the low `bytes` bytes of `value`.
    pub fn sniff(&mut self, channel: usize, value: u32, bytes: u32) {
        if self.ctrl & EN == 0 || (self.ctrl >> 1 & 15) as usize != channel {
            return;
        }
        let bits = 8 * bytes;
        let mut value = value & (u32::MAX >> (32 - bits));
        if self.ctrl & BSWAP != 0 {
            value = value.swap_bytes() >> (32 - bits);
        }
        match self.calc() {
            CRC32 | CRC32R => self.crc(value, bits, 31, POLYNOMIAL_32),
            CRC16 | CRC16R => self.crc(value, bits, 15, POLYNOMIAL_16),
            EVEN => self.data ^= value.count_ones() & 1,
            SUM => self.data = self.data.wrapping_add(value),
            _ => {}
        }
    }

    fn calc(&self) -> u32 {
        self.ctrl >> 5 & 15
    }

    /// Most significant bit first, or least significant first in the modes "with bit reversed data".
    fn crc(&mut self, value: u32, bits: u32, top: u32, polynomial: u32) {
        let reversed = self.calc() & 1 == 1;
        for index in 0..bits {
            let bit = value >> if reversed { index } else { bits - 1 - index } & 1;
            let feedback = (self.data >> top & 1) ^ bit;
            self.data = (self.data << 1) ^ if feedback == 1 { polynomial } else { 0 };
        }
        if top == 15 {
            self.data &= 0xffff;
        }
    }
}
