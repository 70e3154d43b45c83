//! Clocks that stop: what the frequency counter says (datasheet 2.15.4), resus (2.15.5), dormant oscillators (2.11.5.2).

use super::bench::{Bench, CLOCKS, CLR, IO_BANK0, PLL_SYS, SET, XOSC};
use intercore_sim::core::stop::Stop;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::machine::Machine;

const ROSC: u32 = 0x4006_0000;
const RTC: u32 = 0x4005_c000;
const CLK_REF_CTRL: u32 = CLOCKS + 0x30;
const CLK_SYS_CTRL: u32 = CLOCKS + 0x3c;
const CLK_SYS_SELECTED: u32 = CLOCKS + 0x44;
const CLK_RTC_CTRL: u32 = CLOCKS + 0x6c;
const RESUS_CTRL: u32 = CLOCKS + 0x78;
const RESUS_STATUS: u32 = CLOCKS + 0x7c;
const FC0_SRC: u32 = CLOCKS + 0x94;
const FC0_STATUS: u32 = CLOCKS + 0x98;
const FC0_RESULT: u32 = CLOCKS + 0x9c;
const INTE: u32 = CLOCKS + 0xbc;
const INTS: u32 = CLOCKS + 0xc4;
/// "coma" and "wake".
const COMA: u32 = 0x636f_6d61;
const WAKE: u32 = 0x7761_6b65;
const DORMANT_WAKE_INTE: u32 = IO_BANK0 + 0x160;
/// Femtoseconds in a second, and in a millisecond.
const FS: u128 = 1_000_000_000_000_000;
const MS: u128 = FS / 1000;

fn real_time(bench: &Bench) -> u128 {
    bench.clocks.femtoseconds(bench.now)
}

/// `clk_sys` and `clk_ref` are the crystal's.
fn on_crystal() -> Bench {
    let mut bench = Bench::started();
    bench.write(CLK_SYS_CTRL + CLR, 1);
    bench.poll(CLK_SYS_SELECTED, |selected| selected == 1);
    bench.write(PLL_SYS + 4, 0x21);
    assert_eq!(bench.clocks.sys(), 12_000_000);
    bench
}

/// Has GPIO 5 get a level at a time in milliseconds.
fn add_change(bench: &mut Bench, change: &str) {
    let change = change.parse().expect("a change of a pin");
    bench.with(|p, context| p.add_change(change, context));
}

/// DONE, DIED and FAIL: the SDK polls for the first.
#[test]
fn the_frequency_counter_comes_to_an_end_without_a_clock() {
    let mut bench = Bench::started();
    bench.write(CLOCKS + 0x80, 12_000);
    bench.write(FC0_SRC, 2);
    assert_eq!(bench.read(FC0_STATUS), 1 << 8, "running");
    bench.poll(FC0_STATUS, |status| status & 1 << 4 != 0);
    assert_eq!(bench.read(FC0_STATUS), 1 << 4 | 1 << 16 | 1 << 28);
    assert_eq!(bench.read(FC0_RESULT), 0);
}

/// "An invalid setting will enable the oscillator." (2.16.7, 2.17.8)
#[test]
fn an_oscillator_is_enabled_by_whatever_does_not_disable_it() {
    let mut bench = Bench::started();
    let enabled = |bench: &mut Bench| [ROSC + 0x18, XOSC + 4].map(|status| bench.read(status) & (1 << 12 | 1 << 24));
    bench.write(ROSC, 0x00d1_eaa0);
    assert_eq!(enabled(&mut bench), [0, 1 << 12]);
    bench.write(ROSC, 0xaa0);
    assert_eq!(enabled(&mut bench), [1 << 12 | 1 << 24, 1 << 12]);
    assert_eq!(bench.p.clocks.rates().sys, 125_000_000);
    let mut bench = Bench::new();
    bench.write(XOSC, 0x0012_3aa0);
    bench.poll(XOSC + 4, |status| status >> 31 == 1);
    assert_eq!(enabled(&mut bench), [1 << 12, 1 << 12 | 1 << 24]);
}

/// After TIMEOUT periods of `clk_ref` (2.15.7), in which no cycle of `clk_sys` passes.
#[test]
fn resus_puts_clk_sys_on_clk_ref() {
    let mut bench = Bench::started();
    bench.write(INTE, 1);
    bench.write(RESUS_CTRL, 1 << 8 | 120);
    assert_eq!(bench.read(RESUS_STATUS), 0);
    let before = (bench.now, real_time(&bench));
    bench.write(PLL_SYS + 4, 0x21);
    assert_eq!((bench.now, real_time(&bench) - before.1), (before.0, MS / 100), "120 of 12 MHz: 10 us");
    assert_eq!((bench.clocks.sys(), bench.read(RESUS_STATUS), bench.read(INTS)), (12_000_000, 1, 1));
    assert!(bench.line(Irq::Clocks));
    assert_eq!(bench.read(CLK_SYS_SELECTED), 1);
    // As the SDK's handler does it: SRC first, then CLEAR.
    bench.write(CLK_SYS_CTRL, 0);
    bench.write(RESUS_CTRL + SET, 1 << 16);
    bench.write(RESUS_CTRL + CLR, 1 << 16);
    assert_eq!((bench.read(RESUS_STATUS), bench.line(Irq::Clocks)), (0, false));
    assert_eq!((bench.clocks.sys(), bench.p.stands_still()), (12_000_000, false));
    assert!(bench.diagnostics.take().is_empty());
}

#[test]
fn without_resus_or_clk_ref_the_chip_stands_still() {
    for (control, reference) in [(120, 2), (1 << 8 | 120, 1)] {
        let mut bench = Bench::started();
        bench.write(RESUS_CTRL, control);
        // `clk_ref` from the USB PLL, which is off.
        bench.start_usb_pll();
        bench.write(CLK_REF_CTRL, reference);
        bench.wait(100);
        bench.write(PLL_SYS + 0x1000 + 4, 0);
        bench.write(0x4002_c004, 0x2d);
        bench.write(PLL_SYS + 4, 0x21);
        assert!(bench.p.stands_still());
        let notes = bench.diagnostics.take();
        assert!(notes.iter().any(|note| note.contains("the chip stands still")), "{notes:?}");
    }
}

/// The chip goes on where it was: what it waits for comes in real time, and then the crystal needs its start-up delay.
#[test]
fn a_pin_wakes_the_chip_from_its_dormant_mode() {
    for (bits, changes, woken) in [
        (8, &["5=1@10ms", "5=0@15ms", "5=1@20ms"][..], 10),
        (4, &["5=1@10ms", "5=0@15ms"], 15),
        (2, &["5=1@30ms"], 30),
        (1, &["5=1", "5=0@30ms"], 30),
    ] {
        let mut bench = on_crystal();
        for change in changes {
            add_change(&mut bench, change);
        }
        bench.wait(10);
        bench.write(IO_BANK0 + 0xf0, 0xf << 20);
        bench.write(DORMANT_WAKE_INTE, bits << 20);
        let before = bench.now;
        bench.write(XOSC + 8, COMA);
        assert_eq!(bench.now, before);
        // 47 x 256 periods of 12 MHz (2.16.3).
        assert_eq!(real_time(&bench), woken * MS + 47 * 256 * FS / 12_000_000, "{changes:?}");
        assert_eq!(
            (bench.clocks.sys(), bench.read(XOSC + 8), bench.read(XOSC + 4)),
            (12_000_000, WAKE, 1 << 31 | 1 << 12)
        );
        // What woke it is there to be read.
        assert_eq!(bench.read(DORMANT_WAKE_INTE + 0x20), bits << 20);
        assert!(!bench.line(Irq::IoBank0));
    }
}

/// The ring oscillator starts at once.
#[test]
fn a_pin_wakes_a_dormant_ring_oscillator() {
    let mut bench = Bench::new();
    bench.write(0x4000_c000, 0);
    add_change(&mut bench, "5=1@10ms");
    bench.write(DORMANT_WAKE_INTE, 8 << 20);
    bench.write(ROSC + 0xc, COMA);
    assert_eq!((real_time(&bench), bench.clocks.sys(), bench.read(ROSC + 0xc)), (10 * MS, 6_500_000, WAKE));
}

/// The other oscillator goes on: cycles pass meanwhile.
#[test]
fn one_oscillator_may_be_dormant_alone() {
    let mut bench = on_crystal();
    bench.write(DORMANT_WAKE_INTE, 8 << 20);
    bench.write(ROSC + 0xc, COMA);
    assert_eq!((bench.read(ROSC + 0xc), bench.p.stands_still()), (COMA, false));
    add_change(&mut bench, "5=1@10ms");
    let rest = bench.clocks.cycle_of(10 * MS) - bench.now;
    bench.wait(rest);
    assert_eq!(bench.read(ROSC + 0xc), COMA);
    bench.wait(4);
    assert_eq!(bench.read(ROSC + 0xc), WAKE);
    bench.write(ROSC + 0xc, COMA);
    assert_eq!(bench.read(ROSC + 0xc), COMA);
    bench.write(ROSC + 0xc, 1);
    assert_eq!(bench.read(ROSC + 0xc), WAKE, "an invalid write wakes it (2.17.8)");
}

/// 4.8.5.5: the RTC wakes it if it has a clock from outside. The alarm is 3 seconds away.
#[test]
fn an_alarm_wakes_the_chip_from_its_dormant_mode() {
    let mut bench = on_crystal();
    bench.with(|p, context| p.set_gpin(0, 32_768, context));
    bench.write(CLK_RTC_CTRL, 1 << 11 | 4 << 5);
    bench.write(RTC, 32_767);
    bench.write(RTC + 4, 2020 << 12 | 6 << 8 | 5);
    bench.write(RTC + 8, 58);
    bench.write(RTC + 0xc, 0x10);
    bench.write(RTC + 0xc, 1);
    bench.poll(RTC + 0xc, |ctrl| ctrl & 2 != 0);
    let running = real_time(&bench);
    bench.write(RTC + 0x14, 1 << 29 | 1 << 28 | 1 << 8 | 1);
    bench.write(RTC + 0x24, 1);
    bench.write(RTC + 0x10, 1 << 28);
    bench.write(XOSC + 8, COMA);
    let slept = (real_time(&bench) - running) / MS;
    assert!((3000..3003).contains(&slept), "{slept} ms");
    assert!(bench.line(Irq::Rtc));
    assert_eq!((bench.read(RTC + 0x1c), bench.read(XOSC + 8)), (1 << 8 | 1, WAKE));
    // Without an alarm it sleeps for good.
    bench.write(RTC + 0x10, 0);
    bench.poll(RTC + 0x10, |setup| setup & 1 << 29 == 0);
    bench.write(XOSC + 8, COMA);
    assert!(bench.p.stands_still());
}

#[test]
fn a_run_ends_where_the_chip_stands_still() {
    let mut machine = Machine::new();
    machine.reset();
    machine.run_until(1000);
    machine.write_register(ROSC, 0x00d1_eaa0);
    assert_eq!(machine.run_until(1_000_000), Stop::DeadEnd);
    assert_eq!(machine.now(), 1000);
    machine.advance_to(5000);
    machine.reset_chip();
    assert_eq!((machine.run_until(10_000), machine.now()), (Stop::Limit, 10_000));
}
