//! A master on one SPI, and a slave on the other one, by wires (datasheet 4.4.3.1 and 4.4.3.9 to 4.4.3.12).

use super::super::bench::{Bench, IO_BANK0};
use super::{CPSR, CR0, CR1, DMACR, DR, ENABLE, IMSC, RIS, SPH, SPI, SR, exchange};
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::pins::Wire;
use intercore_sim::rp2040::peripherals::{Dreq, Peripheral};
use proptest::prelude::*;

const SLAVE: u32 = 4;
const OUTPUT_DISABLED: u32 = 8;
/// By port: pins of RX, `CSn`, SCK and TX.
const PINS: [[u32; 4]; 2] = [[16, 17, 18, 19], [8, 9, 10, 11]];
const SPI_FUNCTION: u32 = 1;
const SIO_FUNCTION: u32 = 5;

fn function(bench: &mut Bench, pin: u32, function: u32) {
    bench.write(IO_BANK0 + 8 * pin + 4, function);
}

/// A port of the given master or slave mode, whose pins are wired to the other port's.
fn pair(master: usize, frame: [u32; 2], mode: u32) -> Bench {
    let mut bench = Bench::started();
    for (line, other) in [(0, 3), (1, 1), (2, 2), (3, 0)] {
        let wire = Wire::new(PINS[0][line], PINS[1][other]).expect("two pins");
        bench.with(|p, context| assert!(p.add_wire(wire, context)));
    }
    for pin in PINS.into_iter().flatten() {
        function(&mut bench, pin, SPI_FUNCTION);
    }
    for (number, cr0, cr1) in [(1 - master, frame[1], SLAVE | mode), (master, frame[0], 0)] {
        bench.write(SPI[number] + CPSR, 4);
        bench.write(SPI[number] + CR0, cr0);
        bench.write(SPI[number] + CR1, cr1);
        bench.write(SPI[number] + CR1, cr1 | ENABLE);
    }
    bench
}

fn received(bench: &mut Bench, number: usize) -> Vec<u32> {
    let mut frames = Vec::new();
    while bench.read(SPI[number] + SR) & 4 != 0 {
        frames.push(bench.read(SPI[number] + DR));
    }
    frames
}

/// SIO drives the master's chip select.
fn select(bench: &mut Bench, master: usize, high: bool) {
    let pin = PINS[master][1];
    function(bench, pin, SIO_FUNCTION);
    bench.with(|p, context| {
        p.sio.write(0, if high { 0x14 } else { 0x18 }, 1 << pin, context);
        p.sio.write(0, 0x24, 1 << pin, context);
        p.update_sio_pins(context);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Frames go both ways at once, whatever their size and mode; a slave without anything to send sends zeros.
    #[test]
    fn frames_go_both_ways(
        master in 0usize..2, bits in 4u32..=16, mode in 0u32..4,
        there in prop::collection::vec(any::<u16>(), 1..9), back in prop::collection::vec(any::<u16>(), 0..9),
    ) {
        let cr0 = (bits - 1) | mode << 6;
        let mut bench = pair(master, [cr0, cr0], 0);
        // Bits above those of a frame do not count (4.4.4, SSPDR).
        let cut = |frames: &[u16]| frames.iter().map(|&frame| u32::from(frame) & ((1 << bits) - 1)).collect::<Vec<_>>();
        for &frame in &back {
            bench.write(SPI[1 - master] + DR, u32::from(frame));
        }
        let (read, _) = exchange(&mut bench, master, &there.iter().copied().map(u32::from).collect::<Vec<_>>());
        let (there, mut back) = (cut(&there), cut(&back));
        prop_assert_eq!(received(&mut bench, 1 - master), &there[..]);
        back.resize(there.len(), 0);
        prop_assert_eq!(read, back);
        prop_assert_eq!(bench.diagnostics.take(), Vec::<String>::new());
    }
}

#[test]
fn a_slave_takes_what_comes_while_its_chip_select_is_low() {
    let mut bench = pair(0, [7 | SPH, 7 | SPH], 0);
    select(&mut bench, 0, true);
    bench.write(SPI[1] + DR, 0xa5);
    assert_eq!(exchange(&mut bench, 0, &[1, 2]).0, [0, 0], "the pull-down of RX");
    assert!(received(&mut bench, 1).is_empty());
    select(&mut bench, 0, false);
    assert_eq!(exchange(&mut bench, 0, &[3, 4]).0, [0xa5, 0]);
    assert_eq!(received(&mut bench, 1), [3, 4]);
    assert!(bench.diagnostics.take().is_empty());
}

/// A frame counts if the chip select is low from its first to its last edge: the clock's 16 edges are 8 cycles apart, but for half
/// of that before the first.
#[test]
fn a_slave_takes_no_part_of_a_frame() {
    let taken = |low: Cycle, high: Cycle| {
        let mut bench = pair(0, [7 | SPH, 7 | SPH], 0);
        select(&mut bench, 0, true);
        let begun = bench.now;
        bench.write(SPI[0] + DR, 0x5a);
        for (at, level) in [(low, false), (high, true)] {
            bench.until(begun + at);
            select(&mut bench, 0, level);
        }
        bench.wait(100);
        received(&mut bench, 1)
    };
    assert_eq!(taken(0, 60), [0x5a]);
    assert!(taken(10, 60).is_empty(), "it came late");
    assert!(taken(0, 20).is_empty(), "it went early");
}

/// A wire that is not there carries nothing: a slave receives zeros, and a master the pull-down of its RX.
#[test]
fn each_direction_has_a_wire_of_its_own() {
    for (cut, there, back) in [(PINS[0][3], 0, 0xa5), (PINS[1][3], 0x3c, 0)] {
        let mut bench = pair(0, [7, 7], 0);
        function(&mut bench, cut, 31);
        bench.write(SPI[1] + DR, 0xa5);
        assert_eq!(exchange(&mut bench, 0, &[0x3c]).0, [back], "without GPIO {cut}");
        assert_eq!(received(&mut bench, 1), [there], "without GPIO {cut}");
    }
}

/// As a master does, a slave announces what it has received, 32 bits later.
#[test]
fn a_slave_announces_frames_that_are_left() {
    let mut bench = pair(0, [7, 7], 0);
    bench.write(SPI[1] + IMSC, 2);
    exchange(&mut bench, 0, &[1]);
    let ended = bench.now;
    let announced = bench.rises(Irq::Spi1, 1000).expect("a time-out") - ended;
    assert!(announced.abs_diff(32 * 4) <= 2, "{announced}");
}

/// With SPH = 0, the chip select has to go high between frames (4.4.3.9).
#[test]
fn a_chip_select_that_stays_low_lets_one_frame_through_without_sph() {
    let mut bench = pair(1, [7, 7], 0);
    for _ in 0..2 {
        select(&mut bench, 1, false);
        exchange(&mut bench, 1, &[1, 2, 3]);
        assert_eq!(received(&mut bench, 0), [1]);
        select(&mut bench, 1, true);
    }
    let notes = bench.diagnostics.take();
    assert!(notes.len() == 1 && notes[0].contains("CSn stays low"), "{notes:?}");
}

#[test]
fn a_slave_whose_output_is_disabled_only_listens() {
    let mut bench = pair(0, [7, 7], OUTPUT_DISABLED);
    bench.write(SPI[1] + DR, 0xff);
    assert_eq!(exchange(&mut bench, 0, &[5]).0, [0]);
    assert_eq!(received(&mut bench, 1), [5]);
}

#[test]
fn frames_of_another_shape_are_ignored_and_told() {
    for other in [6, 7 | SPH, 7 | 1 << 6, 7 | 1 << 4] {
        let mut bench = pair(0, [7, other], 0);
        exchange(&mut bench, 0, &[5]);
        assert!(received(&mut bench, 1).is_empty());
        let notes = bench.diagnostics.take();
        assert!(notes.len() == 1 && notes[0].contains("not of the slave's size, mode and format"), "{notes:?}");
    }
}

#[test]
fn a_slave_interrupts_asks_for_dma_and_loses_the_ninth_frame() {
    let mut bench = pair(0, [7, 7], 0);
    bench.write(SPI[1] + IMSC, 4);
    bench.write(SPI[1] + DMACR, 3);
    exchange(&mut bench, 0, &[1, 2, 3]);
    assert!(!bench.line(Irq::Spi1));
    exchange(&mut bench, 0, &[4]);
    assert!(bench.line(Irq::Spi1), "half of the FIFO");
    assert_eq!(bench.p.spis[1].dreq(1, bench.now), Dreq::Data(4));
    exchange(&mut bench, 0, &[5, 6, 7, 8, 9]);
    assert_eq!(bench.read(SPI[1] + RIS) & 1, 1, "an overrun");
    assert_eq!(received(&mut bench, 1), [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn a_slave_that_nobody_can_reach_says_so() {
    let mut bench = pair(0, [7, 7], 0);
    bench.read(SPI[1] + SR);
    assert!(bench.diagnostics.take().is_empty());
    function(&mut bench, PINS[0][2], 31);
    bench.read(SPI[1] + SR);
    let notes = bench.diagnostics.take();
    assert!(notes.len() == 1 && notes[0].contains("no wire connects their SCK"), "{notes:?}");
}
