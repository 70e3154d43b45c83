//! The ADC (datasheet 4.9): 96 cycles of `clk_adc` a conversion, its FIFO, its pacing, and the voltages that it sees.

use super::bench::{Bench, CLOCKS, CLR, RESETS, SET};
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::adc::signal::Signal;
use intercore_sim::rp2040::peripherals::{Dreq, Peripheral};
use proptest::prelude::*;

const ADC: u32 = 0x4004_c000;
const RESULT: u32 = ADC + 4;
const FCS: u32 = ADC + 8;
const FIFO: u32 = ADC + 0xc;
const DIV: u32 = ADC + 0x10;
const INTE: u32 = ADC + 0x18;
const EN: u32 = 1;
const ONCE: u32 = 1 << 2;
const MANY: u32 = 1 << 3;
const READY: u32 = 1 << 8;
/// Cycles of `clk_sys` that a conversion takes: 96 at 48 MHz are 2 µs, which is 250 at 125 MHz.
const CONVERSION: Cycle = 250;

/// A bench whose ADC is on and has these voltages at its inputs, in volts.
fn bench(volts: &[&str]) -> Bench {
    let mut bench = Bench::started();
    bench.start_usb_pll();
    bench.write(CLOCKS + 0x60, 1 << 11); // clk_adc from the USB PLL
    for (input, volts) in volts.iter().enumerate() {
        bench.p.adc.connect(input, volts.parse().expect("volts"));
    }
    bench.write(ADC, EN);
    bench
}

/// Converts once, and gives the code.
fn convert(bench: &mut Bench, input: u32) -> u32 {
    bench.write(ADC, EN | 2 | ONCE | input << 12);
    bench.poll(ADC, |cs| cs & READY != 0);
    bench.read(RESULT)
}

#[test]
fn a_conversion_takes_96_cycles_of_its_clock() {
    let mut bench = bench(&["1.65"]);
    assert_eq!(bench.read(ADC) & READY, READY);
    let begun = bench.now;
    bench.write(ADC + SET, ONCE);
    assert_eq!(bench.read(ADC) & READY, 0);
    bench.until(bench.p.adc.next_event()); // the tick with which it starts
    assert!(bench.now - begun <= 3, "a tick of 48 MHz is 2.6 cycles");
    let started = bench.now;
    bench.until(bench.p.adc.next_event());
    assert!((bench.now - started).abs_diff(CONVERSION) <= 1);
    assert_eq!((bench.read(ADC) & READY, bench.read(RESULT)), (READY, 2048));
}

#[test]
fn codes_are_of_3_3_volts_and_end_at_both_ends() {
    let mut bench = bench(&["0", "3.3", "-0.2", "0.000806"]);
    assert_eq!([0, 1, 2, 3].map(|input| convert(&mut bench, input)), [0, 4095, 0, 1]);
    // The sensor at 27 degrees: 0.706 V; input 5 is not there.
    assert_eq!([4, 5].map(|input| convert(&mut bench, input)), [876, 0]);
    bench.write(ADC, EN | ONCE | 4 << 12);
    bench.wait(2 * CONVERSION);
    assert_eq!(bench.read(RESULT), 0, "the sensor is off");
}

#[test]
fn a_free_run_goes_round_the_inputs_and_fills_the_fifo() {
    let mut bench = bench(&["0.5", "1.0", "1.5", "2.0"]);
    bench.write(FCS, 1 | 1 << 3 | 3 << 24);
    bench.write(INTE, 1);
    bench.write(ADC, EN | MANY | 1 << 12 | 0b1011 << 16);
    assert_eq!(bench.p.adc.dreq(0, bench.now), Dreq::Data(0));
    let full = bench.rises(Irq::AdcFifo, 10 * CONVERSION).expect("three results");
    assert_eq!(bench.p.adc.dreq(0, full), Dreq::Data(3));
    assert_eq!(bench.read(FCS) >> 16 & 0xf, 3);
    bench.wait(2 * CONVERSION);
    assert_eq!(bench.read(FCS) & (1 << 9 | 1 << 11), 1 << 9 | 1 << 11, "full, and one was lost");
    let code = |volts: u32| volts * 4096 / 33;
    assert_eq!([(); 4].map(|()| bench.read(FIFO)), [10, 20, 5, 10].map(code));
    assert!(!bench.line(Irq::AdcFifo));
    assert_eq!(bench.read(FIFO), 0);
    bench.write(FCS, 1 << 11);
    assert_eq!(bench.read(FCS) & (3 << 10), 1 << 10, "it was read when empty");
}

#[test]
fn results_are_shifted_to_bytes_and_a_run_that_is_stopped_ends_its_conversion() {
    let mut bench = bench(&["1.65"]);
    bench.write(FCS, 1 | 2);
    bench.write(ADC, EN | MANY);
    bench.wait(CONVERSION / 2);
    bench.write(ADC, EN);
    assert_eq!(bench.read(ADC) & READY, 0);
    bench.wait(10 * CONVERSION);
    assert_eq!((bench.read(FCS) >> 16 & 0xf, bench.read(FIFO)), (1, 128));
}

/// 4.9.6, `CS`: READY is low while it converts, and high while a free run waits for its divider; then the run can be stopped, or a
/// single conversion be had.
#[test]
fn a_free_run_is_ready_between_its_conversions_and_ends_there() {
    for once in [0, ONCE] {
        let mut bench = bench(&["1"]);
        bench.write(FCS, 1);
        bench.write(DIV, 959 << 8);
        bench.write(ADC, EN | MANY);
        bench.wait(CONVERSION / 2);
        assert_eq!(bench.read(ADC) & READY, 0);
        bench.wait(CONVERSION);
        assert_eq!((bench.read(ADC) & READY, bench.read(FCS) >> 16 & 0xf), (READY, 1));
        bench.write(ADC, EN | once);
        bench.wait(2 * CONVERSION);
        assert_eq!(bench.read(FCS) >> 16 & 0xf, if once == 0 { 1 } else { 2 });
        bench.wait(20 * CONVERSION);
        assert_eq!(bench.read(FCS) >> 16 & 0xf, if once == 0 { 1 } else { 2 });
    }
}

/// 4.9.6: `START_ONCE` is ignored with `START_MANY`; without EN the converter is off, and gives nothing.
#[test]
fn a_conversion_that_is_not_wanted_does_not_come() {
    let mut bench = bench(&["1"]);
    bench.write(ADC, EN | MANY | ONCE);
    bench.write(ADC, EN);
    bench.wait(10 * CONVERSION);
    assert_eq!(bench.read(RESULT), 0);
    bench.write(ADC, EN | ONCE);
    bench.wait(CONVERSION / 2);
    bench.write(ADC, 0);
    bench.wait(10 * CONVERSION);
    assert_eq!((bench.read(ADC) & READY, bench.read(RESULT)), (0, 0));
    bench.write(ADC, EN);
    assert_eq!(bench.read(ADC) & READY, READY);
}

/// 4.9.6: single conversions go round the inputs as well; results are in the FIFO only if FCS.EN is set, and DMA is asked only if
/// there are as many as `THRESH` says.
#[test]
fn single_conversions_go_round_and_leave_a_fifo_that_is_off_empty() {
    let mut bench = bench(&["0.5", "1.0", "1.5"]);
    bench.write(ADC, EN | 0b101 << 16);
    for (volts, fifo) in [(5, 0), (15, 0), (5, 1), (15, 2)] {
        bench.write(FCS, u32::from(fifo > 0) | 1 << 3 | 2 << 24);
        bench.write(ADC + SET, ONCE);
        bench.wait(2 * CONVERSION);
        assert_eq!((bench.read(RESULT), bench.read(FCS) >> 16 & 0xf), (volts * 4096 / 33, fifo));
        assert_eq!(bench.p.adc.dreq(0, bench.now), Dreq::Data(if fifo < 2 { 0 } else { 2 }));
    }
}

#[test]
fn an_interrupt_can_be_forced() {
    let mut bench = bench(&[]);
    bench.write(FCS, 1 << 24);
    assert!(!bench.line(Irq::AdcFifo));
    bench.write(INTE + 4, 1);
    assert_eq!((bench.line(Irq::AdcFifo), bench.read(INTE + 8), bench.read(INTE - 4)), (true, 1, 0), "INTS, INTR");
    bench.write(INTE + 4, 0);
    assert!(!bench.line(Irq::AdcFifo));
}

/// Its clock and what is connected to it are outside of it.
#[test]
fn after_a_reset_it_converts_as_before() {
    let mut bench = bench(&["1.65"]);
    bench.write(RESETS + SET, 1);
    bench.write(RESETS + CLR, 1);
    bench.write(ADC, EN | ONCE);
    bench.wait(CONVERSION + 4);
    assert_eq!((bench.read(ADC) & READY, bench.read(RESULT)), (READY, 2048));
}

#[test]
fn a_conversion_without_a_clock_is_reported_and_does_not_end() {
    let mut bench = Bench::started();
    bench.write(ADC, EN | ONCE);
    bench.wait(1_000_000);
    assert_eq!(bench.read(ADC) & READY, 0);
    assert!(bench.diagnostics.take().iter().any(|note| note.contains("while clk_adc is off")));
}

/// When conversions of a free run end, so many and one.
fn ends(div: u32, count: u64) -> Vec<Cycle> {
    let mut bench = bench(&["1"]);
    bench.write(DIV, div);
    bench.write(FCS, 1);
    bench.write(ADC, EN | MANY);
    let mut ends = Vec::new();
    while ends.len() as u64 <= count {
        let next = bench.p.adc.next_event();
        bench.until(next);
        if bench.read(FCS) >> 16 & 0xf != 0 {
            ends.push(next);
            bench.read(FIFO);
        }
    }
    ends
}

/// How far apart they are, in cycles of `clk_sys`.
fn spacing(div: u32, count: u64) -> f64 {
    let ends = ends(div, count);
    (ends[count as usize] - ends[0]) as f64 / count as f64
}

#[test]
fn a_period_with_a_fraction_over_a_conversion_loses_none() {
    for fraction in [1, 128, 255] {
        let period = (96.0 + f64::from(fraction) / 256.0) * 125.0 / 48.0;
        assert!((spacing(95 << 8 | fraction, 256) - period).abs() < 0.03, "{fraction}");
    }
}

/// With a period of a little less than a conversion, the next one begins when the last one has ended.
#[test]
fn a_conversion_never_begins_before_the_last_one_ends() {
    for fraction in [0, 1, 128, 255] {
        let ends = ends(94 << 8 | fraction, 64);
        assert!(ends.windows(2).all(|pair| pair[1] - pair[0] >= CONVERSION - 1), "{fraction}: {ends:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The period is 1 + INT + FRAC / 256 cycles of `clk_adc`, but a conversion has to end first (4.9.2.2).
    #[test]
    fn a_free_run_is_paced_by_its_divider(whole in 95u32..2000, fraction in 0u32..256) {
        let period = (1.0 + f64::from(whole) + f64::from(fraction) / 256.0) * 125.0 / 48.0;
        prop_assert!((spacing(whole << 8 | fraction, 256) - period).abs() < 0.03);
    }

    #[test]
    fn without_a_divider_or_with_a_small_one_conversions_follow_each_other(whole in 0u32..2) {
        prop_assert!((spacing(whole << 8, 100) - CONVERSION as f64).abs() < 0.03);
    }

    /// A wave stays between its voltages, and repeats.
    #[test]
    fn waves_repeat(shape in prop::sample::select(vec!["sine", "triangle", "square"]), hz in 1u32..100_000, at in 0u64..1_000_000_000) {
        let signal: Signal = format!("{shape}:{hz}:0.5:2.5").parse().expect("a wave");
        let (now, period) = (u128::from(at) * 1_000_000, 1_000_000_000_000_000 / u128::from(hz));
        let value = signal.at(now);
        prop_assert!((500_000..=2_500_000).contains(&value));
        // The period is whole picoseconds, and a slope takes a millionth of it at least.
        if shape != "square" {
            let off = (now + period) / period + 1;
            prop_assert!((signal.at(now + period) - value).abs() <= 50 + (off * u128::from(hz) / 100) as i32);
        }
    }
}

#[test]
fn a_triangle_rises_and_falls_and_a_square_is_low_first() {
    let eighths = |shape: &str| {
        let signal: Signal = format!("{shape}:1000:0.5:2.5").parse().expect("a wave");
        [0, 1, 2, 3, 5, 6, 7].map(|eighth| signal.at(eighth * 125_000_000_000))
    };
    assert_eq!(eighths("triangle"), [500_000, 1_000_000, 1_500_000, 2_000_000, 2_000_000, 1_500_000, 1_000_000]);
    assert_eq!(eighths("square"), [500_000, 500_000, 500_000, 500_000, 2_500_000, 2_500_000, 2_500_000]);
}

#[test]
fn a_sine_is_one_to_a_third_of_a_step() {
    let signal: Signal = "sine:1000:0:3.3".parse().expect("a sine");
    for step in 0..10_000_u32 {
        let at = f64::from(step) / 1e4;
        let exact = 1.65e6 * (1.0 + (at * std::f64::consts::TAU).sin());
        let found = f64::from(signal.at((at * 1e12) as u128));
        assert!((found - exact).abs() < 3.3e6 / 4096.0 / 3.0, "at {at}: {found} for {exact}");
    }
}

#[test]
fn a_recording_is_lines_between_its_points() {
    let signal = Signal::from_csv("seconds,volts\n# a comment\n0.001, 1\n\n0.002,2\n").expect("a recording");
    let at = |microseconds: u128| signal.at(microseconds * 1_000_000_000);
    assert_eq!([0, 1000, 1250, 2000, 9000].map(at), [1_000_000, 1_000_000, 1_250_000, 2_000_000, 2_000_000]);
}

#[test]
fn a_bad_signal_is_refused_with_its_reason() {
    for (text, reason) in [
        ("", "expected volts"),
        ("5", "would destroy the pin"),
        ("nan", "expected volts"),
        ("sine:0:0:1", "expected 0.001 to"),
        ("sine:1000:0", "expected volts"),
        ("sine:1000:0:9", "would destroy the pin"),
        ("saw:1000:0:1", "expected volts"),
    ] {
        let why = text.parse::<Signal>().expect_err(text);
        assert!(why.contains(reason), "{text}: {why}");
    }
    for (text, reason) in [
        ("", "no points"),
        ("a,b\nc,d", "line 2: expected seconds,volts"),
        ("0,1\n0,2", "line 2: times must ascend"),
        ("-1,1", "line 1: times must ascend"),
        ("0,1\n1,7", "line 2: 7 V would destroy"),
    ] {
        let why = Signal::from_csv(text).expect_err(text);
        assert!(why.contains(reason), "{text}: {why}");
    }
}
