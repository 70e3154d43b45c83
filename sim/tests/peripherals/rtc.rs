//! The real-time clock (datasheet 4.8), on a `clk_rtc` of 46,875 Hz as the SDK has it: 2,666 and 2/3 cycles of 125 MHz.

use super::bench::{Bench, CLOCKS, SET};
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::rtc::calendar::Moment;
use proptest::prelude::*;

const RTC: u32 = 0x4005_c000;
const CLKDIV_M1: u32 = RTC;
const SETUP_0: u32 = RTC + 0x04;
const SETUP_1: u32 = RTC + 0x08;
const CTRL: u32 = RTC + 0x0c;
const IRQ_SETUP_0: u32 = RTC + 0x10;
const IRQ_SETUP_1: u32 = RTC + 0x14;
const RTC_1: u32 = RTC + 0x18;
const RTC_0: u32 = RTC + 0x1c;
const INTR: u32 = RTC + 0x20;
const INTE: u32 = RTC + 0x24;
const ENABLE: u32 = 1;
const ACTIVE: u32 = 2;
const LOAD: u32 = 0x10;
const MATCH_ENA: u32 = 1 << 28;
const MATCH_ACTIVE: u32 = 1 << 29;
const SECOND: Cycle = 125_000_000;

fn date(year: u32, month: u32, day: u32) -> u32 {
    year << 12 | month << 8 | day
}

fn time(day_of_week: u32, hour: u32, minute: u32, second: u32) -> u32 {
    day_of_week << 24 | hour << 16 | minute << 8 | second
}

/// `clk_rtc` is 48 MHz / 1024; the clock stands.
fn bench() -> Bench {
    let mut bench = Bench::started();
    bench.start_usb_pll();
    bench.write(CLOCKS + 0x70, 1024 << 8);
    bench.write(CLOCKS + 0x6c, 1 << 11);
    bench.write(CLKDIV_M1, 46_874);
    bench
}

/// As the SDK sets the date; it is there when the clock is active.
fn start(bench: &mut Bench, date: u32, time: u32) {
    bench.write(CTRL, 0);
    bench.poll(CTRL, |ctrl| ctrl & ACTIVE == 0);
    bench.write(SETUP_0, date);
    bench.write(SETUP_1, time);
    bench.write(CTRL, LOAD);
    bench.write(CTRL, ENABLE);
    bench.poll(CTRL, |ctrl| ctrl & ACTIVE != 0);
}

fn now(bench: &mut Bench) -> (u32, u32) {
    let time = bench.read(RTC_0);
    (bench.read(RTC_1), time)
}

/// 4.8.4: "Writing to the RTC will take 2 `clk_rtc` clock periods to arrive".
#[test]
fn writes_take_two_periods_to_arrive() {
    let mut bench = bench();
    bench.wait(10_000);
    let written = bench.now;
    start(&mut bench, date(2020, 6, 5), time(5, 15, 45, 0));
    let cycles = bench.now - written;
    assert!((2667..=5340).contains(&cycles), "{cycles}");
    assert_eq!(now(&mut bench), (date(2020, 6, 5), time(5, 15, 45, 0)));
    assert_eq!(bench.read(CTRL), ENABLE | ACTIVE, "LOAD clears itself");
    bench.write(CTRL, 0);
    assert_eq!(bench.read(CTRL), ACTIVE);
    bench.wait(5340);
    assert_eq!(bench.read(CTRL), 0);
}

#[test]
fn seconds_pass() {
    let mut bench = bench();
    start(&mut bench, date(2020, 6, 5), time(5, 15, 45, 0));
    bench.wait(SECOND - 3000);
    assert_eq!(now(&mut bench).1, time(5, 15, 45, 0));
    bench.wait(3000);
    assert_eq!(now(&mut bench).1, time(5, 15, 45, 1));
    bench.wait(60 * SECOND);
    assert_eq!(now(&mut bench).1, time(5, 15, 46, 1));
    // It stands while it is off, and goes on with a whole second.
    bench.write(CTRL, 0);
    bench.wait(10 * SECOND);
    assert_eq!(now(&mut bench).1, time(5, 15, 46, 1));
    bench.write(CTRL, ENABLE);
    bench.wait(SECOND + 6000);
    assert_eq!(now(&mut bench).1, time(5, 15, 46, 2));
}

/// 4.8.2: what is divisible by 4 is a leap year, unless `FORCE_NOTLEAPYEAR` is set.
#[test]
fn days_months_and_years_pass() {
    for (before, forced, after) in [
        ((2020, 2, 28), false, (2020, 2, 29)),
        ((2020, 2, 29), false, (2020, 3, 1)),
        ((2021, 2, 28), false, (2021, 3, 1)),
        ((2100, 2, 28), false, (2100, 2, 29)),
        ((2100, 2, 28), true, (2100, 3, 1)),
        ((2024, 4, 30), false, (2024, 5, 1)),
        ((2024, 12, 31), false, (2025, 1, 1)),
    ] {
        let mut bench = bench();
        start(&mut bench, date(before.0, before.1, before.2), time(6, 23, 59, 59));
        if forced {
            bench.write(CTRL + SET, 1 << 8);
        }
        bench.wait(SECOND);
        assert_eq!(now(&mut bench), (date(after.0, after.1, after.2), time(0, 0, 0, 0)), "{before:?}");
    }
}

/// A day may begin between the two reads.
#[test]
fn a_read_of_the_time_keeps_the_date_that_belongs_to_it() {
    let mut bench = bench();
    start(&mut bench, date(2023, 7, 31), time(1, 23, 59, 59));
    assert_eq!(bench.read(RTC_0), time(1, 23, 59, 59));
    bench.wait(SECOND);
    assert_eq!(bench.read(RTC_1), date(2023, 7, 31));
    assert_eq!(bench.read(RTC_1), date(2023, 8, 1));
}

#[test]
fn an_alarm_interrupts_when_its_time_comes() {
    let mut bench = bench();
    start(&mut bench, date(2020, 6, 5), time(5, 15, 45, 0));
    // All that an alarm can look at.
    bench.write(IRQ_SETUP_0, date(2020, 6, 5) | 7 << 24);
    bench.write(IRQ_SETUP_1, time(5, 15, 45, 5) | 0xf << 28);
    bench.write(INTE, 1);
    bench.write(IRQ_SETUP_0 + SET, MATCH_ENA);
    bench.poll(IRQ_SETUP_0, |setup| setup & MATCH_ACTIVE != 0);
    let begin = bench.now;
    while !bench.line(Irq::Rtc) {
        assert!(bench.now < begin + 10 * SECOND);
        bench.wait(1000);
    }
    assert!((5 * SECOND - 10_000..=5 * SECOND).contains(&(bench.now - begin)), "{}", bench.now - begin);
    assert_eq!(now(&mut bench).1, time(5, 15, 45, 5));
    // Off and on again in the same second, as the SDK's handler does it: that time has come already.
    bench.write(IRQ_SETUP_0, date(2020, 6, 5) | 7 << 24);
    bench.poll(IRQ_SETUP_0, |setup| setup & MATCH_ACTIVE == 0);
    assert!(!bench.line(Irq::Rtc));
    bench.write(IRQ_SETUP_0 + SET, MATCH_ENA);
    bench.wait(10 * SECOND);
    assert!(!bench.line(Irq::Rtc));
}

/// An alarm that looks at seconds alone comes once a minute, and is over with its second.
#[test]
fn an_alarm_that_looks_at_less_repeats() {
    let mut bench = bench();
    start(&mut bench, date(2021, 1, 13), time(3, 11, 20, 0));
    bench.write(IRQ_SETUP_1, 30 | 1 << 28);
    bench.write(INTE, 1);
    bench.write(IRQ_SETUP_0, MATCH_ENA);
    let mut raised = Vec::new();
    for _ in 0..4 * 60 {
        bench.wait(SECOND / 2);
        if bench.line(Irq::Rtc) {
            assert_eq!(bench.read(INTR), 1);
            raised.push(now(&mut bench).1);
        }
    }
    assert_eq!(raised, [time(3, 11, 20, 30), time(3, 11, 20, 30), time(3, 11, 21, 30), time(3, 11, 21, 30)]);
}

#[test]
fn it_stands_without_its_clock() {
    let mut bench = bench();
    start(&mut bench, date(2020, 6, 5), time(5, 15, 45, 0));
    bench.write(CLOCKS + 0x6c, 0);
    bench.wait(10 * SECOND);
    assert_eq!(now(&mut bench).1, time(5, 15, 45, 0));
    assert!(bench.diagnostics.take().is_empty());
    bench.write(CTRL, 0);
    bench.wait(10 * SECOND);
    assert_eq!(bench.read(CTRL), ACTIVE);
    assert_eq!(bench.diagnostics.take().len(), 1);
}

/// Days since 1 March of year 0 (a calendar without exceptions for centuries: 1461 days in four years).
fn days((year, month, day): (u32, u32, u32)) -> u32 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    // Five months from March or August on have 153 days.
    year * 1461 / 4 + (153 * month + 2) / 5 + day - 1
}

proptest! {
    /// Against a calendar that counts days.
    #[test]
    fn each_day_follows_the_one_before(year in 4u32..4095, month in 1u32..13, day in 1u32..29, count in 1u32..800) {
        let mut moment = Moment::new(date(year, month, day), time(0, 23, 59, 59));
        for passed in 1..=count {
            moment.step(true);
            prop_assert_eq!(moment.time, time(passed % 7, 0, 0, 0));
            let [year_now, month_now, day_now] = [(12, 0xfff), (8, 0xf), (0, 0x1f)].map(|(at, mask)| moment.date >> at & mask);
            if year_now == 0 {
                break;
            }
            prop_assert_eq!(days((year_now, month_now, day_now)), days((year, month, day)) + passed);
            moment.time = time(passed % 7, 23, 59, 59);
        }
    }
}
