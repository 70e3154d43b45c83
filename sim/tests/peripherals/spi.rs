//! The SPIs (datasheet 4.4): frames that take the time of their bits, FIFOs of eight, and what comes back.

mod devices;
mod flash;
mod slave;

use super::bench::{Bench, CLOCKS, IO_BANK0};
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::pins::Wire;
use intercore_sim::rp2040::peripherals::{Dreq, Peripheral};
use proptest::prelude::*;

const SPI: [u32; 2] = [0x4003_c000, 0x4004_0000];
const CR0: u32 = 0x00;
const CR1: u32 = 0x04;
const DR: u32 = 0x08;
const SR: u32 = 0x0c;
const CPSR: u32 = 0x10;
const IMSC: u32 = 0x14;
const RIS: u32 = 0x18;
const MIS: u32 = 0x1c;
const ICR: u32 = 0x20;
const DMACR: u32 = 0x24;
const LOOP_BACK: u32 = 1;
const ENABLE: u32 = 2;
const SPH: u32 = 1 << 7;
const BUSY: u32 = 1 << 4;

/// A port that is enabled, with frames of so many bits at `clk_peri` / (prescale x (1 + rate)).
fn bench(number: usize, bits: u32, format: u32, prescale: u32, rate: u32, mode: u32) -> Bench {
    let mut bench = Bench::started();
    bench.write(SPI[number] + CPSR, prescale);
    bench.write(SPI[number] + CR0, (bits - 1) | format | rate << 8);
    bench.write(SPI[number] + CR1, ENABLE | mode);
    bench
}

/// Sends frames as fast as they go; what is received, and the cycles from the first write to the last bit.
fn exchange(bench: &mut Bench, number: usize, frames: &[u32]) -> (Vec<u32>, Cycle) {
    let (begun, base) = (bench.now, SPI[number]);
    let (mut left, mut received, mut ended) = (frames.iter(), Vec::new(), begun);
    loop {
        while bench.read(base + SR) & 2 != 0 {
            let Some(&frame) = left.next() else { break };
            bench.write(base + DR, frame);
        }
        while bench.read(base + SR) & 4 != 0 {
            received.push(bench.read(base + DR));
        }
        if bench.read(base + SR) & BUSY == 0 {
            return (received, ended - begun);
        }
        ended = bench.p.spis[number].next_event();
        bench.until(ended);
    }
}

/// Pins of SPI0 with `CSn`, SCK and TX, and the levels that SIO reads of them.
const LINES: [u32; 3] = [1, 2, 3];

fn levels(bench: &mut Bench) -> [bool; 3] {
    let levels = bench.with(|p, context| {
        p.update_gpio_in(context.now);
        p.sio.read(0, 0x04, context)
    });
    LINES.map(|pin| levels >> pin & 1 == 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// 4.4.3.9 to 4.4.3.12: who samples TX at the clock's edges that the mode names, while `CSn` is low, reads the frames; with
    /// SPH=0, `CSn` is high between them.
    #[test]
    fn the_lines_carry_the_frames(
        bits in 4u32..=16, mode in 0u32..4, rate in 0u32..3, frames in prop::collection::vec(any::<u16>(), 1..4),
    ) {
        let (spo, sph) = (mode & 1 == 1, mode & 2 == 2);
        let mut bench = bench(0, bits, mode << 6, 4, rate, 0);
        for pin in LINES {
            bench.write(IO_BANK0 + 8 * pin + 4, 1);
        }
        prop_assert_eq!(levels(&mut bench), [true, spo, false]);
        let sent: Vec<_> = frames.iter().map(|&frame| u32::from(frame) & ((1 << bits) - 1)).collect();
        for &frame in &sent {
            bench.write(SPI[0] + DR, frame);
        }
        let (mut read, mut before, mut selects) = (Vec::new(), levels(&mut bench), 0);
        while bench.read(SPI[0] + SR) & BUSY != 0 {
            bench.wait(1);
            let [select, clock, data] = levels(&mut bench);
            selects += usize::from(before[0] && !select);
            let captures = spo == sph;
            if !select && before[1] != clock && clock == captures {
                read.push(u32::from(data));
            }
            before = [select, clock, data];
        }
        let read: Vec<_> = read.chunks(bits as usize).map(|bits| bits.iter().fold(0, |all, bit| all << 1 | bit)).collect();
        prop_assert_eq!(&read, &sent);
        prop_assert_eq!(selects, if sph { 1 } else { sent.len() });
        prop_assert_eq!(levels(&mut bench), [true, spo, false]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What is sent comes back by the loop-back, in the width of a frame; a pause of 3 half periods is between frames of
    /// Motorola's format with SPH=0, and none with SPH=1 or in TI's.
    #[test]
    fn frames_come_back_in_the_time_of_their_bits(
        number in 0usize..2, bits in 4u32..=16, format in prop::sample::select(vec![(0, 3), (SPH, 0), (1 << 4, 0)]),
        prescale in 1u32..=127, rate in 0u32..256, frames in prop::collection::vec(0u32..0x10000, 1..30),
    ) {
        let (format, pause) = format;
        let mut bench = bench(number, bits, format, 2 * prescale, rate, LOOP_BACK);
        let (received, cycles) = exchange(&mut bench, number, &frames);
        prop_assert_eq!(received, frames.iter().map(|frame| frame & ((1 << bits) - 1)).collect::<Vec<_>>());
        // clk_peri is clk_sys here: a half period takes prescale x (1 + rate) cycles; the first one is under way.
        let half = u64::from(prescale * (1 + rate));
        let halves = frames.len() as u64 * u64::from(2 * bits + pause);
        prop_assert!((half * halves..=half * (halves + 1)).contains(&cycles), "{cycles} for {halves} of {half}");
    }
}

#[test]
fn a_port_of_which_nothing_is_received_reads_the_level_of_its_pin() {
    const PADS: u32 = 0x4001_c000;
    let mut bench = bench(0, 8, SPH, 2, 0, 0);
    assert_eq!(exchange(&mut bench, 0, &[0x12]).0, [0]);
    bench.write(IO_BANK0 + 8 * 16 + 4, 1);
    assert_eq!(exchange(&mut bench, 0, &[0x12]).0, [0], "pulled down from reset");
    bench.write(PADS + 4 + 4 * 16, 0x4a); // IE, pulled up
    assert_eq!(exchange(&mut bench, 0, &[0x12]).0, [0xff]);
    bench.write(IO_BANK0 + 8 * 19 + 4, 1);
    bench.with(|p, context| assert!(p.add_wire(Wire::new(16, 19).expect("two pins"), context)));
    assert_eq!(exchange(&mut bench, 0, &[0x12]).0, [0x12], "by a wire from TX to RX");
    bench.write(IO_BANK0 + 8 * 19 + 4, 5);
    assert_eq!(exchange(&mut bench, 0, &[0x12]).0, [0xff], "SIO has the pin");
}

#[test]
fn fifos_hold_eight_frames_and_the_ninth_is_lost() {
    let mut bench = bench(0, 8, SPH, 2, 0, LOOP_BACK);
    bench.write(SPI[0] + CR1, LOOP_BACK);
    for frame in 0..9 {
        bench.write(SPI[0] + DR, frame);
    }
    assert_eq!(bench.read(SPI[0] + SR), BUSY, "the transmit FIFO is full");
    assert_eq!(bench.diagnostics.take().len(), 1, "of the ninth");
    bench.write(SPI[0] + CR1, ENABLE | LOOP_BACK);
    bench.wait(8 * 16 + 2);
    assert_eq!((bench.read(SPI[0] + SR), bench.read(SPI[0] + RIS) & 1), (0xf, 0), "the receive FIFO is full");
    bench.write(SPI[0] + DR, 8);
    bench.wait(20);
    assert_eq!(bench.read(SPI[0] + RIS) & 1, 1, "an overrun");
    bench.write(SPI[0] + ICR, 1);
    assert_eq!(bench.read(SPI[0] + RIS) & 1, 0);
    assert_eq!((0..8).map(|_| bench.read(SPI[0] + DR)).collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
}

#[test]
fn interrupts_come_at_half_of_the_fifos_and_after_32_bits_of_silence() {
    let mut bench = bench(1, 8, SPH, 2, 0, LOOP_BACK);
    assert_eq!(bench.read(SPI[1] + RIS), 8, "the transmit FIFO is half empty");
    bench.write(SPI[1] + IMSC, 4);
    for frame in 0..4 {
        bench.write(SPI[1] + DR, frame);
    }
    let begun = bench.now;
    assert_eq!(bench.rises(Irq::Spi1, 1000).map(|at| at - begun), Some(1 + 4 * 16));
    bench.read(SPI[1] + DR);
    assert!(!bench.line(Irq::Spi1));
    let read = bench.now;
    bench.write(SPI[1] + IMSC, 2);
    assert_eq!(bench.rises(Irq::Spi1, 1000).map(|at| at - read), Some(64));
    bench.write(SPI[1] + ICR, 2);
    assert!(!bench.line(Irq::Spi1));
}

/// Arm PL022, SSPRTINTR: data that nobody takes is announced 32 bits after the last of it came; no more once all is taken, and not
/// while more comes. What is masked shows in SSPRIS and not in SSPMIS, and SSPICR clears what it is told to.
#[test]
fn a_time_out_is_of_frames_that_are_left() {
    let mut bench = bench(1, 8, SPH, 2, 0, LOOP_BACK);
    bench.write(SPI[1] + IMSC, 2);
    bench.write(SPI[1] + DR, 1);
    let begun = bench.now;
    assert_eq!(bench.rises(Irq::Spi1, 1000).map(|at| at - begun), Some(1 + 16 + 64));
    bench.write(SPI[1] + ICR, 1);
    assert!(bench.line(Irq::Spi1), "only the overrun was cleared");
    bench.write(SPI[1] + IMSC, 0);
    assert_eq!([RIS, MIS].map(|register| bench.read(SPI[1] + register)), [0b1010, 0]);
    bench.write(SPI[1] + IMSC, 2);
    assert_eq!(bench.read(SPI[1] + MIS), 2);
    bench.write(SPI[1] + DR, 2);
    let begun = bench.now;
    bench.wait(1 + 16);
    assert!(!bench.line(Irq::Spi1), "more has come");
    assert_eq!(bench.rises(Irq::Spi1, 1000).map(|at| at - begun), Some(1 + 16 + 64));
    bench.read(SPI[1] + DR);
    assert!(bench.line(Irq::Spi1), "one is left");
    bench.read(SPI[1] + DR);
    assert!(!bench.line(Irq::Spi1), "the FIFO is empty");
    bench.write(SPI[1] + DR, 1);
    bench.wait(40);
    bench.read(SPI[1] + DR);
    assert_eq!(bench.rises(Irq::Spi1, 1000), None);
}

/// Arm PL022, SSPTXINTR: the transmit interrupt comes with four frames or less in its FIFO.
#[test]
fn a_transmit_fifo_asks_for_more_when_it_is_half_empty() {
    let mut bench = bench(0, 8, SPH, 2, 0, LOOP_BACK);
    bench.write(SPI[0] + CR1, LOOP_BACK);
    for (frames, asks) in [(4, 8), (1, 0)] {
        for frame in 0..frames {
            bench.write(SPI[0] + DR, frame);
        }
        assert_eq!(bench.read(SPI[0] + RIS), asks);
    }
}

/// 4.4.3.4: the serial clock is made of `clk_peri`, also if that changes; bit 0 of SSPCPSR is always 0.
#[test]
fn frames_slow_down_with_clk_peri() {
    let mut bench = bench(0, 8, SPH, 3, 0, LOOP_BACK);
    assert_eq!(bench.read(SPI[0] + CPSR), 2);
    let fast = exchange(&mut bench, 0, &[1; 20]).1;
    bench.write(CLOCKS + 0x48, 1 << 11 | 4 << 5); // the crystal: 12 MHz of 125
    bench.wait(1000);
    let slow = exchange(&mut bench, 0, &[1; 20]).1;
    assert!((12 * slow).abs_diff(125 * fast) <= 12 * 125, "{slow} for {fast}");
}

#[test]
fn dma_is_asked_for_room_and_for_frames() {
    let mut bench = bench(0, 8, SPH, 2, 0, LOOP_BACK);
    let dreqs = |bench: &Bench| [0, 1].map(|line| bench.p.spis[0].dreq(line, bench.now));
    assert_eq!(dreqs(&bench), [Dreq::Room(0), Dreq::Data(0)]);
    bench.write(SPI[0] + DMACR, 3);
    for frame in 0..3 {
        bench.write(SPI[0] + DR, frame);
    }
    assert_eq!(dreqs(&bench), [Dreq::Room(6), Dreq::Data(0)], "one of three is in the shift register");
    bench.wait(2 * 16 + 1);
    assert_eq!(dreqs(&bench), [Dreq::Room(8), Dreq::Data(2)]);
    for (enabled, expected) in [(1, [Dreq::Room(0), Dreq::Data(2)]), (2, [Dreq::Room(8), Dreq::Data(0)])] {
        bench.write(SPI[0] + DMACR, enabled);
        assert_eq!(dreqs(&bench), expected, "RXDMAE, TXDMAE");
    }
}

#[test]
fn what_is_not_modelled_and_what_cannot_go_on_is_reported() {
    for (prescale, format, mode, reason) in
        [(2, 0, 4, "no wire connects their SCK"), (2, 2 << 4, 0, "Microwire"), (0, 0, 0, "without a clock")]
    {
        let mut bench = bench(0, 8, format, prescale, 0, mode);
        bench.write(SPI[0] + DR, 1);
        let notes = bench.diagnostics.take();
        assert!(notes.iter().any(|note| note.contains(reason)), "{reason}: {notes:?}");
        bench.wait(100_000);
        assert_eq!(bench.read(SPI[0] + SR) & 4, 0);
    }
}
