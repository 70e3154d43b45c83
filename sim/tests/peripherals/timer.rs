use super::bench::{Bench, CLR, PSM, RESETS, TIMER, WATCHDOG};
use intercore_sim::rp2040::irq::Irq;
use proptest::prelude::*;

/// Cycles of a microsecond at 125 MHz.
const US: u64 = 125;

#[test]
fn time_goes_by_a_microsecond_every_125_cycles() {
    let mut bench = Bench::started();
    let start = bench.read(TIMER + 0x28);
    bench.wait(US * 1000);
    assert_eq!(bench.read(TIMER + 0x28), start + 1000);
    let mut changes = Vec::new();
    let mut last = bench.read(TIMER + 0x28);
    for _ in 0..1000 {
        bench.wait(1);
        let time = bench.read(TIMER + 0x28);
        if time != last {
            changes.push(bench.now);
            last = time;
        }
    }
    assert!(changes.windows(2).all(|pair| pair[1] - pair[0] == US), "{changes:?}");
}

#[test]
fn an_alarm_comes_in_the_cycle_in_which_the_time_becomes_it() {
    let mut bench = Bench::started();
    bench.write(TIMER + 0x38, 0xf);
    let now = bench.read(TIMER + 0x28);
    for (alarm, delay) in [(0, 10), (1, 3), (2, 7), (3, 1)] {
        bench.write(TIMER + 0x10 + 4 * alarm, now + delay);
    }
    assert_eq!(bench.read(TIMER + 0x20), 0xf);
    let mut seen = Vec::new();
    for irq in [Irq::Timer3, Irq::Timer1, Irq::Timer2, Irq::Timer0] {
        seen.push(bench.rises(irq, 100 * US).expect("an alarm"));
    }
    assert_eq!(seen.iter().map(|at| at - seen[0]).collect::<Vec<_>>(), [0, 2 * US, 6 * US, 9 * US]);
    assert_eq!(bench.read(TIMER + 0x28), now + 10);
    assert_eq!(bench.read(TIMER + 0x20), 0, "alarms disarm themselves");
    // As the datasheet's example does it: through the CLR alias.
    bench.write(TIMER + 0x34 + CLR, 1 << 1);
    assert_eq!(bench.read(TIMER + 0x34), 0b1101);
    assert!(!bench.line(Irq::Timer1) && bench.line(Irq::Timer0));
}

#[test]
fn reading_the_low_half_latches_the_high_half() {
    let mut bench = Bench::started();
    bench.write(TIMER + 4, u32::MAX);
    bench.write(TIMER, 6);
    assert_eq!(bench.read(TIMER + 0xc), u32::MAX);
    bench.wait(2 * US);
    assert_eq!(bench.read(TIMER + 8), 6);
    assert_eq!(bench.read(TIMER + 8), 7);
    assert_eq!((bench.read(TIMER + 0x24), bench.read(TIMER + 0x28)), (7, 1));
}

#[test]
fn a_paused_timer_stands_still() {
    let mut bench = Bench::started();
    bench.write(TIMER + 0x30, 1);
    let time = bench.read(TIMER + 0x28);
    bench.write(TIMER + 0x38, 1);
    bench.write(TIMER + 0x10, time + 2);
    bench.wait(50 * US);
    assert_eq!(bench.read(TIMER + 0x28), time);
    bench.write(TIMER + 0x30, 0);
    let resumed = bench.now;
    let rise = bench.rises(Irq::Timer0, 10 * US).expect("an alarm");
    assert!((US..=2 * US).contains(&(rise - resumed)), "{}", rise - resumed);
}

#[test]
fn the_watchdog_counts_two_per_tick_and_resets_what_is_selected() {
    let mut bench = Bench::started();
    bench.write(PSM + 8, 0x1_ffff & !3);
    bench.write(WATCHDOG + 0x0c, 0x1234_5678);
    bench.write(WATCHDOG + 4, 2 * 1000);
    bench.write(WATCHDOG, 1 << 30);
    let start = bench.now;
    bench.wait(500 * US);
    assert_eq!(bench.read(WATCHDOG) & 0xff_ffff, 1000);
    let end = bench.p.next_event();
    assert!((end - start).abs_diff(1000 * US) < US);
    bench.until(end);
    let signals = bench.p.take_signals().expect("a reset");
    assert_eq!(signals.watchdog_reset, 0x1_fffc);
    assert_eq!(bench.read(WATCHDOG + 8), 1, "REASON.TIMER");
    assert_eq!(bench.read(WATCHDOG + 0x0c), 0x1234_5678);
    assert_eq!(bench.read(RESETS), 0x01ff_ffff);
    assert_eq!(bench.clocks.sys(), 6_500_000, "back on the ring oscillator");
}

#[test]
fn core_1_is_held_by_the_power_on_state_machine() {
    let mut bench = Bench::started();
    bench.p.take_signals();
    bench.write(PSM + 4 + 0x2000, 1 << 16);
    assert_eq!(bench.p.take_signals().map(|signals| signals.core_held), Some([false, true]));
    assert_eq!(bench.read(PSM + 4), 1 << 16);
    assert_eq!(bench.read(PSM + 0xc), 0xffff);
    bench.write(PSM + 4 + CLR, 1 << 16);
    assert_eq!(bench.p.take_signals().map(|signals| signals.core_held), Some([false, false]));
}

#[test]
fn a_block_held_in_reset_reads_as_0_and_starts_anew() {
    let mut bench = Bench::started();
    bench.write(TIMER + 0x38, 5);
    bench.write(RESETS + 0x2000, 1 << 21);
    assert_eq!(bench.read(TIMER + 0x28), 0);
    assert_eq!(bench.diagnostics.pending().len(), 1);
    bench.wait(1000);
    bench.write(RESETS + CLR, 1 << 21);
    assert_eq!(bench.read(RESETS + 8) >> 21 & 1, 1);
    assert_eq!((bench.read(TIMER + 0x28), bench.read(TIMER + 0x38)), (0, 0));
}

proptest! {
    /// Against a timer that is stepped cycle by cycle.
    #[test]
    fn the_timer_agrees_with_one_that_ticks(
        cycles in 1u32..40,
        sys_div in 1u32..4,
        actions in proptest::collection::vec((0u32..6, 0u32..6, 1u64..400), 1..40),
    ) {
        let mut bench = Bench::started();
        bench.write(0x4000_8040, sys_div << 8);
        bench.write(TIMER + 0x38, 0xf);
        let (sys, reference) = (bench.clocks.sys(), bench.clocks.reference());
        bench.write(WATCHDOG + 0x2c, 1 << 9 | cycles);
        let (mut time, mut phase) = (u64::from(bench.read(TIMER + 0x28)), 0);
        let (mut alarms, mut armed, mut raised, mut paused) = ([0u32; 4], 0u32, 0u32, false);
        for (action, value, wait) in actions {
            match action {
                0..4 => {
                    alarms[action as usize] = time as u32 + value;
                    armed |= 1 << action;
                    bench.write(TIMER + 0x10 + 4 * action, alarms[action as usize]);
                }
                4 => {
                    raised &= !(1 << (value % 4));
                    bench.write(TIMER + 0x34, 1 << (value % 4));
                }
                _ => {
                    paused = !paused;
                    bench.write(TIMER + 0x30, u32::from(paused));
                }
            }
            let fire = |time: u64, armed: &mut u32, raised: &mut u32| {
                for (alarm, at) in alarms.iter().enumerate() {
                    if *armed >> alarm & 1 == 1 && *at == time as u32 {
                        *armed &= !(1 << alarm);
                        *raised |= 1 << alarm;
                    }
                }
            };
            fire(time, &mut armed, &mut raised);
            for _ in 0..wait {
                bench.wait(1);
                phase += reference;
                if phase >= sys * u64::from(cycles) {
                    phase -= sys * u64::from(cycles);
                    time += u64::from(!paused);
                }
                fire(time, &mut armed, &mut raised);
                prop_assert_eq!(u64::from(bench.read(TIMER + 0x28)), time);
                prop_assert_eq!(bench.irq.of_core(0) & 0xf, u64::from(raised));
                prop_assert_eq!(bench.read(TIMER + 0x20), armed);
            }
        }
    }
}
