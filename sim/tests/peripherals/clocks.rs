use super::bench::{BUSCTRL, Bench, CLOCKS, PLL_SYS, XOSC};
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2::clock::{Clocks, Rates};
use intercore_sim::rp2040::peripherals::busctrl::Port;

#[test]
fn after_power_on_everything_runs_from_the_ring_oscillator() {
    let mut bench = Bench::new();
    assert_eq!((bench.clocks.sys(), bench.clocks.reference(), bench.clocks.peri()), (6_500_000, 6_500_000, 0));
    assert_eq!(bench.p.clocks.rates(), Rates { sys: 6_500_000, reference: 6_500_000, ..Rates::default() });
    assert_eq!(bench.read(CLOCKS + 0x44), 1);
}

#[test]
fn start_up_code_gets_its_125_mhz() {
    let bench = Bench::started();
    assert_eq!(
        (bench.clocks.sys(), bench.clocks.reference(), bench.clocks.peri()),
        (125_000_000, 12_000_000, 125_000_000)
    );
    // 47 x 256 periods of the crystal until it is stable, 500 until the PLL is.
    let us = bench.clocks.femtoseconds(bench.now) / 1_000_000_000;
    assert!((1044..1060).contains(&us), "{us} µs");
}

/// As the SDK does it: the range, which enables already as no setting of `ENABLE` is valid (2.16.7), the delay, `ENABLE`.
#[test]
fn the_crystal_is_stable_after_the_delay_that_is_set_while_it_starts() {
    let mut bench = Bench::new();
    for (offset, value) in [(0, 0xaa0), (0xc, 47), (0, 0x00fa_baa0)] {
        bench.write(XOSC + offset, value);
    }
    bench.poll(XOSC + 4, |status| status >> 31 == 1);
    let us = bench.clocks.femtoseconds(bench.now) / 1_000_000_000;
    assert!((1002..=1003).contains(&us), "47 x 256 periods, to the poll: {us} µs");
}

#[test]
fn a_divider_divides() {
    let mut bench = Bench::started();
    bench.write(CLOCKS + 0x40, 0x280); // 2.5
    assert_eq!((bench.clocks.sys(), bench.clocks.peri()), (50_000_000, 50_000_000));
}

#[test]
fn the_usb_pll_gives_48_mhz() {
    let mut bench = Bench::started();
    bench.start_usb_pll();
    bench.write(CLOCKS + 0x54, 1 << 11);
    bench.write(CLOCKS + 0x6c, 1 << 11 | 3 << 5);
    bench.write(CLOCKS + 0x70, 256 << 8);
    let rates = bench.p.clocks.rates();
    assert_eq!((rates.usb, rates.adc, rates.rtc), (48_000_000, 0, 46_875));
}

#[test]
fn a_mux_takes_no_clock_that_is_off() {
    let mut bench = Bench::new();
    bench.write(CLOCKS + 0x30, 2);
    bench.wait(1000);
    assert_eq!(bench.read(CLOCKS + 0x38), 1);
    assert_eq!(bench.diagnostics.pending().len(), 1);
}

#[test]
fn the_frequency_counter_counts_right() {
    let mut bench = Bench::started();
    bench.write(CLOCKS + 0x80, 12_000);
    bench.write(CLOCKS + 0x90, 10);
    for (source, khz) in [(9, 125_000), (8, 12_000), (5, 12_000), (3, 6_500)] {
        bench.write(CLOCKS + 0x94, source);
        assert_eq!(bench.read(CLOCKS + 0x98), 1 << 8, "running");
        bench.poll(CLOCKS + 0x98, |status| status & 0x10 != 0);
        assert!((bench.read(CLOCKS + 0x9c) >> 5).abs_diff(khz) <= 2);
        assert_eq!(bench.read(CLOCKS + 0x98) & 1, 1);
    }
}

#[test]
fn oscillators_say_that_they_run() {
    let mut bench = Bench::started();
    assert_eq!(bench.read(XOSC + 4), 1 << 31 | 1 << 12);
    assert_eq!(bench.read(0x4006_0018), 1 << 31 | 1 << 16 | 1 << 12);
    assert_eq!(bench.read(PLL_SYS), 1 << 31 | 1);
}

#[test]
fn the_chip_is_a_b2() {
    let mut bench = Bench::started();
    assert_eq!(bench.read(0x4000_0000), 0x2000_2927);
}

#[test]
fn bus_counters_count_what_they_are_told_to() {
    let mut bench = Bench::started();
    bench.write(BUSCTRL + 0x0c, 15);
    bench.write(BUSCTRL + 0x14, 14);
    for contested in [false, true, false] {
        bench.p.busctrl.count_access(Port::Sram0, contested);
        bench.p.busctrl.count_access(Port::Sram1, true);
    }
    assert_eq!((bench.read(BUSCTRL + 8), bench.read(BUSCTRL + 0x10), bench.read(BUSCTRL + 0x18)), (3, 1, 0));
    bench.write(BUSCTRL + 8, 5);
    assert_eq!(bench.read(BUSCTRL + 8), 0);
    bench.write(BUSCTRL, 1 << 4);
    assert_eq!(bench.p.busctrl.priorities(), 1 << 4);
}

#[test]
fn what_is_not_modelled_says_so_once() {
    let mut bench = Bench::started();
    for _ in 0..3 {
        bench.write(CLOCKS + 0xa0, 0);
    }
    assert_eq!(bench.diagnostics.pending().len(), 1);
    assert_eq!(bench.with(|p, context| p.read(0x4007_0000, context)), None, "nothing there: a bus error");
}

#[test]
fn clk_peri_has_no_divider() {
    let mut bench = Bench::started();
    bench.write(CLOCKS + 0x4c, 1 << 8);
    assert_eq!(bench.diagnostics.pending().len(), 0, "divided by 1: the SDK writes that");
    bench.write(CLOCKS + 0x4c, 2 << 8);
    assert_eq!(bench.read(CLOCKS + 0x4c), 0);
    assert_eq!(bench.clocks.peri(), bench.clocks.sys());
    assert_eq!(bench.diagnostics.pending().len(), 1);
}

/// 0x50400000 is the XIP stream's second FIFO port (datasheet 2.2.5): empty unless a stream was started.
#[test]
fn the_auxiliary_port_of_the_flash_is_there() {
    let mut bench = Bench::started();
    assert_eq!(bench.with(|p, context| p.read(0x5040_0000, context)), Some(0), "its FIFO is empty");
    assert_eq!(bench.diagnostics.pending().len(), 0);
}

#[test]
fn real_time_of_the_past_is_that_of_the_rates_it_had() {
    let mut clocks = Clocks::at_power_on();
    let mut told = Vec::new();
    for (step, rate) in [12_000_000, 125_000_000, 125_000_000, 48_000_000].into_iter().enumerate() {
        let now = 1000 * (step as Cycle + 1);
        told.extend([now - 500, now - 1].map(|at| (at, clocks.femtoseconds(at))));
        clocks.set(now, Rates { sys: rate, reference: 12_000_000, peri: rate, ..Rates::default() });
    }
    for (at, fs) in told {
        assert_eq!(clocks.femtoseconds(at), fs, "cycle {at}");
    }
}
