//! The checksums of the DMA (datasheet 2.5.5.2; 2.5.7, `SNIFF_CTRL`), against their usual check values.

use super::{DMA, EN, INCR_READ, Machine, PERMANENT};

const SNIFF_CTRL: u32 = DMA + 0x434;
const SNIFF_DATA: u32 = DMA + 0x438;
const SNIFFED: u32 = 1 << 23;
/// `SNIFF_CTRL` fields: `CALC`, the byte swap, and what is done to the result.
const CRC32: u32 = 0;
const CRC16: u32 = 2;
const EVEN: u32 = 0xe;
const SUM: u32 = 0xf;
const BSWAP: u32 = 1 << 9;

/// Channel 6 reads bytes, halfwords or words (0, 1, 2), and channel `of` is sniffed: the checksum.
fn checksum(data: &[u8], size: u32, of: u32, control: u32, seed: u32, sniffed: u32) -> u32 {
    let mut machine = Machine::new();
    machine.memory[..data.len()].copy_from_slice(data);
    machine.bench.write(SNIFF_DATA, seed);
    machine.bench.write(SNIFF_CTRL, 1 | of << 1 | control);
    let count = data.len() as u32 >> size;
    machine.channel(6, 0x2000_0000, 0x2000_0100, count, EN | size << 2 | INCR_READ | PERMANENT | sniffed | 6 << 11);
    machine.run_for(100);
    machine.bench.read(SNIFF_DATA)
}

#[test]
fn the_check_values_are_the_usual_ones() {
    let check = b"123456789";
    assert_eq!(
        checksum(check, 0, 6, CRC32 << 5, u32::MAX, SNIFFED),
        !0xfc89_1918,
        "CRC-32/BZIP2, but for its last inversion"
    );
    assert_eq!(checksum(check, 0, 6, CRC16 << 5, 0xffff, SNIFFED) & 0xffff, 0x29b1, "CRC-16/IBM-3740");
    assert_eq!(checksum(check, 0, 6, SUM << 5, 1000, SNIFFED), 1000 + 0x31 * 9 + 36);
}

/// A CRC takes the most significant byte of a word first; swapped, the one at the lowest address.
#[test]
fn a_word_is_sniffed_from_its_top_or_from_its_bottom() {
    let [bytes, turned] = [*b"12345678", *b"43218765"];
    let by_bytes = checksum(&bytes, 0, 6, CRC32 << 5, 0, SNIFFED);
    assert_eq!(checksum(&bytes, 2, 6, CRC32 << 5 | BSWAP, 0, SNIFFED), by_bytes);
    assert_eq!(checksum(&turned, 2, 6, CRC32 << 5, 0, SNIFFED), by_bytes);
    assert_eq!(checksum(b"21436587", 1, 6, CRC32 << 5, 0, SNIFFED), by_bytes);
}

#[test]
fn sums_and_parities_are_of_what_is_transferred() {
    assert_eq!(checksum(&[0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0], 2, 6, SUM << 5, 0, SNIFFED), 1, "modulo 2^32");
    for (data, parity) in [([3, 4, 0, 0], 1), ([2, 4, 0, 0], 0), ([0x80, 0, 0, 0x80], 0), ([6, 0, 0, 1], 1)] {
        assert_eq!(checksum(&data, 2, 6, EVEN << 5, 0, SNIFFED), parity, "{data:?}");
        assert_eq!(checksum(&data, 2, 6, EVEN << 5, 1, SNIFFED), 1 - parity, "{data:?}");
    }
}

#[test]
fn only_the_chosen_channel_is_sniffed_and_only_if_it_asks_for_it() {
    assert_eq!(checksum(&[1; 4], 0, 6, SUM << 5, 0, SNIFFED), 4);
    assert_eq!(checksum(&[1; 4], 0, 5, SUM << 5, 0, SNIFFED), 0);
    assert_eq!(checksum(&[1; 4], 0, 6, SUM << 5, 0, 0), 0);
}
