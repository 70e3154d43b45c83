//! Devices on the SPIs: registers behind a chip select, from TOML files.

use super::super::bench::{Bench, IO_BANK0};
use super::{CR1, DR, ENABLE, SPI, bench, exchange};
use intercore_sim::rp2040::peripherals::spi::device::Device;
use proptest::prelude::*;

/// GPIO 20 selects the device of either port.
const SELECT: u32 = 20;
/// By port: pins of RX, SCK and TX.
const PINS: [[u32; 3]; 2] = [[16, 18, 19], [8, 10, 11]];
const OUT_SET: u32 = 0x14;
const OUT_CLR: u32 = 0x18;
const OE_SET: u32 = 0x24;
const OE_CLR: u32 = 0x28;

fn sio(bench: &mut Bench, offset: u32) {
    bench.with(|p, context| {
        p.sio.write(0, offset, 1 << SELECT, context);
        p.update_sio_pins(context);
    });
}

/// A port with a device whose chip select SIO drives, high at first.
pub(super) fn with_device(number: usize, bits: u32, description: &str) -> Bench {
    let mut bench = bench(number, bits, 0, 2, 0, 0);
    assert!(bench.p.spis[number].attach(Device::from_toml(description).expect("a device")));
    for pin in PINS[number] {
        bench.write(IO_BANK0 + 8 * pin + 4, 1);
    }
    bench.write(IO_BANK0 + 8 * SELECT + 4, 5);
    sio(&mut bench, OUT_SET);
    sio(&mut bench, OE_SET);
    bench
}

/// Sends bytes while the device is selected: what comes back.
pub(super) fn selected(bench: &mut Bench, number: usize, bytes: &[u8]) -> Vec<u8> {
    sio(bench, OUT_CLR);
    let frames: Vec<_> = bytes.iter().copied().map(u32::from).collect();
    let (received, _) = exchange(bench, number, &frames);
    sio(bench, OUT_SET);
    received.into_iter().map(|frame| frame as u8).collect()
}

#[derive(Clone, Debug)]
enum Access {
    Write {
        register: u8,
        bytes: Vec<u8>,
    },
    Read {
        register: u8,
        count: usize,
    },
    /// Nobody is selected.
    Elsewhere {
        bytes: Vec<u8>,
    },
}

fn access() -> impl Strategy<Value = Access> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..12);
    prop_oneof![
        (0u8..128, bytes()).prop_map(|(register, bytes)| Access::Write { register, bytes }),
        (0u8..128, 1usize..12).prop_map(|(register, count)| Access::Read { register, count }),
        bytes().prop_map(|bytes| Access::Elsewhere { bytes }),
    ]
}

const SENSOR: &str = "select = 20\nread_only = [\"0xd0\"]\n[registers]\n0xd0 = 0x60\n0xf7 = [1, 2, 3]";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A device is an array: the first byte behind a falling chip select is a number, and bit 7 of it asks for a read.
    #[test]
    fn a_device_is_an_array(accesses in prop::collection::vec(access(), 1..10), number in 0usize..2) {
        let mut bench = with_device(number, 8, SENSOR);
        let mut model = [0u8; 256];
        model[0x50] = 0x60;
        model[0x77..0x7a].copy_from_slice(&[1, 2, 3]);
        let mut told_of_it = false;
        for access in accesses {
            match access {
                Access::Write { register, bytes } => {
                    let sent: Vec<_> = std::iter::once(register).chain(bytes.iter().copied()).collect();
                    prop_assert_eq!(selected(&mut bench, number, &sent), vec![0; sent.len()]);
                    for (step, byte) in bytes.into_iter().enumerate() {
                        let at = usize::from(register) + step;
                        model[at] = if at == 0x50 { 0x60 } else { byte };
                    }
                }
                Access::Read { register, count } => {
                    let mut sent = vec![0xff; count + 1];
                    sent[0] = register | 0x80;
                    let from = usize::from(register);
                    prop_assert_eq!(&selected(&mut bench, number, &sent)[1..], &model[from..from + count]);
                }
                Access::Elsewhere { bytes } => {
                    let frames: Vec<_> = bytes.iter().copied().map(u32::from).collect();
                    let (received, _) = exchange(&mut bench, number, &frames);
                    prop_assert_eq!(received, vec![0; frames.len()], "the pull-down of RX");
                    let notes = bench.diagnostics.take();
                    told_of_it |= notes.iter().any(|note| note.contains("no device has its chip select low"));
                    prop_assert!(told_of_it || frames.is_empty());
                }
            }
        }
    }
}

#[test]
fn frames_of_16_bits_are_two_bytes_and_others_are_refused() {
    let mut bench = with_device(0, 16, "select = 20\nregisters = { 0x0f = 0x33 }");
    sio(&mut bench, OUT_CLR);
    assert_eq!(exchange(&mut bench, 0, &[0x8f00]).0, [0x0033]);
    assert!(bench.diagnostics.take().is_empty());
    let mut bench = with_device(0, 9, "select = 20\nregisters = {}");
    sio(&mut bench, OUT_CLR);
    bench.write(SPI[0] + DR, 1);
    let notes = bench.diagnostics.take();
    assert!(notes.iter().any(|note| note.contains("other than 8 or 16 bits")), "{notes:?}");
}

#[test]
fn a_device_without_reads_answers_nothing() {
    let mut bench = with_device(1, 8, "select = 20\nread_bit = 0\nauto_increment = false\nregisters = { 0x8c = 5 }");
    for sent in [[0x8c, 1, 2], [0x8c, 0, 0]] {
        assert_eq!(selected(&mut bench, 1, &sent), [0, 0, 0]);
    }
}

#[test]
fn a_device_that_does_not_increment_stays_at_its_register() {
    let mut bench = with_device(1, 8, "select = 20\nauto_increment = false\nregisters = { 0x0c = 5, 0x0d = 6 }");
    assert_eq!(selected(&mut bench, 1, &[0x8c, 0, 0]), [0, 5, 5]);
    selected(&mut bench, 1, &[0x0c, 1, 2]);
    assert_eq!(selected(&mut bench, 1, &[0x8c, 0, 0]), [0, 2, 2]);
    assert_eq!(selected(&mut bench, 1, &[0x8d, 0]), [0, 6]);
}

#[test]
fn a_device_hears_nothing_without_the_clock_and_zeros_without_the_data() {
    let [clock, data] = [18, 19];
    for (missing, answer) in [(clock, [0, 7]), (data, [0, 0])] {
        let mut bench = with_device(0, 8, "select = 20\nread_bit = 0x01\nregisters = { 0x00 = 7 }");
        bench.write(IO_BANK0 + 8 * missing + 4, 31);
        selected(&mut bench, 0, &[0x40, 8]);
        bench.write(IO_BANK0 + 8 * missing + 4, 1);
        assert_eq!(selected(&mut bench, 0, &[0x01, 0]), answer, "GPIO {missing}");
        assert_eq!(selected(&mut bench, 0, &[0x41, 0]), [0, 0], "GPIO {missing}");
    }
}

#[test]
fn a_chip_select_that_nobody_drives_is_high() {
    let mut bench = with_device(0, 8, SENSOR);
    selected(&mut bench, 0, &[]);
    sio(&mut bench, OUT_CLR);
    sio(&mut bench, OE_CLR);
    assert_eq!(exchange(&mut bench, 0, &[0xd0, 0]).0, [0, 0]);
    sio(&mut bench, OE_SET);
    assert_eq!(exchange(&mut bench, 0, &[0xd0, 0]).0, [0, 0x60]);
}

/// `CSn` of the port itself, which is high between frames with SPH=0: each frame is a transfer.
#[test]
fn the_port_can_select_the_device_itself() {
    let mut bench = with_device(0, 16, "select = 17\nregisters = { 0x0f = 0x33, 0x10 = 0x44 }");
    bench.write(IO_BANK0 + 8 * 17 + 4, 1);
    assert_eq!(exchange(&mut bench, 0, &[0x8f00, 0x9000, 0x8f00]).0, [0x33, 0x44, 0x33]);
    bench.write(SPI[0] + CR1, 0);
    bench.write(SPI[0] + CR1, ENABLE);
    assert_eq!(exchange(&mut bench, 0, &[0x9000]).0, [0x44]);
}

/// The 16 half periods of a byte take a cycle each, the first one from the cycle after the write on: a device whose chip select
/// rises before the last has ended takes no byte.
#[test]
fn a_byte_counts_if_the_chip_select_rises_behind_it() {
    let counts = |cycles| {
        let mut bench = with_device(0, 8, SENSOR);
        sio(&mut bench, OUT_CLR);
        exchange(&mut bench, 0, &[0x20]);
        bench.write(SPI[0] + DR, 5);
        bench.wait(cycles);
        sio(&mut bench, OUT_SET);
        bench.wait(20);
        bench.read(SPI[0] + DR);
        selected(&mut bench, 0, &[0xa0, 0])[1] == 5
    };
    assert_eq!([14, 15, 16, 17, 18, 30].map(counts), [false, false, true, true, true, true]);
}

#[test]
fn a_device_and_its_contents_outlast_a_reset_of_the_port() {
    let mut bench = with_device(0, 8, SENSOR);
    selected(&mut bench, 0, &[0x20, 5]);
    bench.with(|p, context| p.write(0x4000_e000, 1 << 16, context));
    bench.with(|p, context| p.write(0x4000_f000, 1 << 16, context));
    bench.write(SPI[0] + 0x10, 2);
    bench.write(SPI[0], 7);
    bench.write(SPI[0] + CR1, ENABLE);
    assert_eq!(selected(&mut bench, 0, &[0xa0, 0]), [0, 5]);
}

#[test]
fn descriptions_that_are_wrong_are_refused_with_the_reason() {
    for (text, reason) in [
        ("select = 30\nregisters = {}", "pins are GPIO 0 to 29"),
        ("registers = {}", "missing field `select`"),
        ("select = 1\nread_bit = 0x81\nregisters = {}", "expected one bit"),
        ("select = 1\nregisters = { x = 1 }", "\"x\" is no number of a register"),
        ("select = 1\nregisters = { 0x100 = 1 }", "only 256 registers"),
        ("select = 1\nread_only = [\"0x100\"]\nregisters = {}", "only 256 registers"),
        ("select = 1\naddress = 2\nregisters = {}", "unknown field `address`"),
        ("select = 1", "expected registers, or flash = \"W25Q16JV\""),
        ("select = 1\nflash = \"W25Q80\"", "unknown variant `W25Q80`, expected `W25Q16JV`"),
        ("select = 1\nflash = \"W25Q16JV\"\nregisters = {}", "only select stands beside it"),
        ("select = 1\nflash = \"W25Q16JV\"\nread_bit = 1", "only select stands beside it"),
    ] {
        let why = Device::from_toml(text).expect_err(text);
        assert!(why.contains(reason), "{text}: {why}");
    }
    let mut bench = with_device(0, 8, SENSOR);
    let same = Device::from_toml("select = 20\nregisters = {}").expect("a device");
    assert!(!bench.p.spis[0].attach(same.clone()), "the chip select is taken");
    assert!(bench.p.spis[1].attach(same), "on another bus it selects both");
}
