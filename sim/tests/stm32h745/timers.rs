//! TIM2 to TIM5: counting, updates, interrupts, and one timer that clocks another.

use super::access::*;
use intercore_sim::stm32h745::{M7, SECOND, Time};
use proptest::prelude::*;

const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const SMCR: u32 = 0x08;
const DIER: u32 = 0x0c;
const SR: u32 = 0x10;
const EGR: u32 = 0x14;
const CCMR1: u32 = 0x18;
const CNT: u32 = 0x24;
const PSC: u32 = 0x28;
const ARR: u32 = 0x2c;
const CCR1: u32 = 0x34;
/// A period of the timers' clock after reset.
const TICK: Time = SECOND / 64_000_000;

fn enabled() -> Bus {
    let mut bus = Bus::new();
    bus.write(RCC_APB1LENR, 0xf);
    bus
}

/// A timer that has been set up, and runs from the time that is returned.
fn running(timer: u32, prescaler: u32, reload: u32) -> (Bus, Time) {
    let mut bus = enabled();
    bus.write(timer + PSC, prescaler);
    bus.write(timer + ARR, reload);
    bus.write(timer + EGR, 1);
    bus.write(timer + SR, 0);
    bus.write(timer + CR1, 1);
    let begun = bus.now;
    (bus, begun)
}

fn read_at(bus: &mut Bus, address: u32, time: Time) -> u32 {
    bus.now = time;
    bus.chip.read(M7, address, 4, time).expect("there is a block")
}

#[test]
fn a_timer_counts_to_its_reload_value_and_begins_again() {
    let (mut bus, begun) = running(TIM5, 0, 9);
    for (ticks, count, flag) in [(0, 0, 0), (9, 9, 0), (10, 0, 1), (25, 5, 1)] {
        assert_eq!(read_at(&mut bus, TIM5 + CNT, begun + ticks * TICK), count, "after {ticks}");
        assert_eq!(bus.read(TIM5 + SR) & 1, flag);
    }
}

#[test]
fn the_prescaler_divides_by_one_more_than_its_value() {
    let (mut bus, begun) = running(TIM3, 63, 0xffff);
    assert_eq!(read_at(&mut bus, TIM3 + CNT, begun + 1000 * MICROSECOND), 1000);
    assert_eq!(read_at(&mut bus, TIM3 + CNT, begun + 65_536 * MICROSECOND + 5 * MICROSECOND), 5);
}

#[test]
fn an_update_interrupts_when_it_comes() {
    let (mut bus, begun) = running(TIM2, 0, 639);
    bus.write(TIM2 + DIER, 1);
    let due = begun + 640 * TICK;
    assert_eq!(bus.chip.next_event(), due);
    bus.chip.advance(due - 1);
    assert!(!bus.chip.interrupts[M7].is_high(28));
    bus.chip.advance(due);
    assert!(bus.chip.interrupts[M7].is_high(28));
    bus.now = due;
    bus.write(TIM2 + SR, !1);
    assert!(!bus.chip.interrupts[M7].is_high(28));
    assert_eq!(bus.chip.next_event(), begun + 1280 * TICK);
}

#[test]
fn a_channel_flags_its_value() {
    let (mut bus, begun) = running(TIM2, 0, 99);
    bus.write(TIM2 + CCR1, 40);
    bus.write(TIM2 + CCR1 + 4, 200);
    bus.write(TIM2 + DIER, 1 << 1);
    assert_eq!(bus.chip.next_event(), begun + 40 * TICK);
    assert_eq!(read_at(&mut bus, TIM2 + SR, begun + 40 * TICK) & 0b110, 0b010);
    assert!(bus.chip.interrupts[M7].is_high(28));
    assert_eq!(
        read_at(&mut bus, TIM2 + SR, begun + 100 * TICK) & 0b100,
        0b100,
        "beyond the reload value: at the overflow"
    );
}

#[test]
fn a_flag_is_cleared_by_writing_0_and_left_by_writing_1() {
    let (mut bus, begun) = running(TIM2, 0, 9);
    bus.write(TIM2 + CCR1, 5);
    assert_eq!(read_at(&mut bus, TIM2 + SR, begun + 10 * TICK) & 3, 3);
    bus.write(TIM2 + SR, !1);
    assert_eq!(bus.read(TIM2 + SR) & 3, 2);
    bus.write(TIM2 + SR, u32::MAX);
    assert_eq!(bus.read(TIM2 + SR) & 3, 2);
}

#[test]
fn preloads_wait_for_an_update() {
    let (mut bus, begun) = running(TIM2, 0, 99);
    bus.write(TIM2 + CR1, 1 | 1 << 7);
    bus.write(TIM2 + ARR, 49);
    bus.write(TIM2 + PSC, 1);
    bus.write(TIM2 + CCMR1, 1 << 3);
    assert_eq!(read_at(&mut bus, TIM2 + CNT, begun + 99 * TICK), 99, "the old reload value");
    assert_eq!(read_at(&mut bus, TIM2 + CNT, begun + 100 * TICK + 98 * TICK), 49, "the new one, half as fast");
    assert_eq!(read_at(&mut bus, TIM2 + CNT, begun + 100 * TICK + 100 * TICK), 0);
}

#[test]
fn one_pulse_mode_stops_at_the_update() {
    let (mut bus, begun) = running(TIM5, 0, 9);
    bus.write(TIM5 + CR1, 1 | 1 << 3);
    assert_eq!(read_at(&mut bus, TIM5 + CNT, begun + 1000 * TICK), 0);
    assert_eq!(bus.read(TIM5 + CR1) & 1, 0);
}

#[test]
fn an_update_by_software_sets_the_flag_unless_urs_or_udis() {
    for (cr1, flag) in [(0, 1), (1 << 2, 0), (1 << 1, 0)] {
        let mut bus = enabled();
        bus.write(TIM3 + CR1, cr1);
        bus.write(TIM3 + CNT, 77);
        bus.write(TIM3 + EGR, 1);
        assert_eq!((bus.read(TIM3 + SR) & 1, bus.read(TIM3 + CNT)), (flag, 0));
    }
}

#[test]
fn without_updates_the_counter_goes_on_and_no_flag_comes() {
    let (mut bus, begun) = running(TIM3, 0, 9);
    bus.write(TIM3 + CR1, 1 | 1 << 1);
    assert_eq!(read_at(&mut bus, TIM3 + CNT, begun + 25 * TICK), 5);
    assert_eq!(bus.read(TIM3 + SR) & 1, 0);
}

#[test]
fn the_timers_have_16_or_32_bits() {
    let mut bus = enabled();
    for (timer, max) in [(TIM2, u32::MAX), (TIM3, 0xffff), (TIM5, u32::MAX)] {
        assert_eq!(bus.read(timer + ARR), max);
        bus.write(timer + CNT, 0x1234_5678);
        assert_eq!(bus.read(timer + CNT), 0x1234_5678 & max);
    }
}

/// TIM3 with its updates as trigger output, TIM2 clocked by ITR2.
fn chained(prescaler: u32, reload: u32) -> (Bus, Time) {
    let mut bus = enabled();
    bus.write(TIM2 + SMCR, 2 << 4 | 7);
    bus.write(TIM2 + CR1, 1);
    bus.write(TIM3 + CR2, 2 << 4);
    bus.write(TIM3 + PSC, prescaler);
    bus.write(TIM3 + ARR, reload);
    bus.write(TIM3 + CR1, 1 << 2);
    bus.write(TIM3 + CR1, 1);
    let begun = bus.now;
    assert!(bus.reports().is_empty());
    (bus, begun)
}

#[test]
fn a_timer_clocks_another() {
    let (mut bus, begun) = chained(0, 63);
    for microseconds in [0, 1, 2, 999, 1_000_000] {
        assert_eq!(u64::from(read_at(&mut bus, TIM2 + CNT, begun + microseconds * MICROSECOND)), microseconds);
    }
    assert_eq!(read_at(&mut bus, TIM3 + CNT, begun + 1_000_000 * MICROSECOND + 5 * TICK), 5);
}

#[test]
fn a_timer_that_is_clocked_by_another_interrupts_when_it_is_due() {
    let (mut bus, begun) = chained(0, 63);
    bus.write(TIM2 + CCR1, 1000);
    bus.write(TIM2 + DIER, 1 << 1);
    assert_eq!(bus.chip.next_event(), begun + 1000 * MICROSECOND);
    bus.chip.advance(begun + 1000 * MICROSECOND);
    assert!(bus.chip.interrupts[M7].is_high(28));
}

#[test]
fn a_timer_stands_still_without_its_clock() {
    let (mut bus, begun) = running(TIM5, 0, u32::MAX);
    bus.now = begun + 100 * TICK;
    bus.write(RCC_APB1LENR, 0);
    bus.now = begun + 900 * TICK;
    bus.write(RCC_APB1LENR, 0xf);
    assert_eq!(bus.read(TIM5 + CNT), 100);
}

#[test]
fn a_timer_follows_its_clock() {
    let (mut bus, begun) = running(TIM5, 0, u32::MAX);
    bus.now = begun + 1000 * TICK - 1;
    bus.write(RCC_D1CFGR, 8);
    let count = read_at(&mut bus, TIM5 + CNT, begun + 3000 * TICK);
    assert!((1999..=2001).contains(&count), "{count}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// A counter's value is the prescaled ticks so far, modulo its period, however often one looks.
    #[test]
    fn counts(prescaler in 0..70_u32, reload in 1..3000_u32, looks in prop::collection::vec(1..100_000_u64, 1..20)) {
        let (mut bus, begun) = running(TIM2, prescaler, reload);
        let mut ticks = 0;
        for look in looks {
            ticks += look;
            let counted = ticks / (u64::from(prescaler) + 1) % (u64::from(reload) + 1);
            prop_assert_eq!(u64::from(read_at(&mut bus, TIM2 + CNT, begun + ticks * TICK)), counted);
        }
    }

    /// A chain of two counters is one counter with the product of their periods.
    #[test]
    fn chains(prescaler in 0..5_u32, reload in 0..200_u32, looks in prop::collection::vec(1..10_000_u64, 1..20)) {
        let reload = reload + 1;
        let (mut bus, begun) = chained(0, reload);
        bus.write(TIM3 + PSC, prescaler);
        bus.write(TIM3 + EGR, 1);
        let (begun, first) = (bus.now.max(begun), bus.read(TIM2 + CNT));
        let mut ticks = 0;
        for look in looks {
            ticks += look;
            let counted = ticks / (u64::from(prescaler) + 1);
            let period = u64::from(reload) + 1;
            let time = begun + ticks * TICK;
            prop_assert_eq!(u64::from(read_at(&mut bus, TIM3 + CNT, time)), counted % period);
            prop_assert_eq!(u64::from(read_at(&mut bus, TIM2 + CNT, time) - first), counted / period);
        }
    }
}
