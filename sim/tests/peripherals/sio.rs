use super::bench::{Bench, IO_BANK0};
use intercore_sim::rp2040::irq::Irq;
use proptest::prelude::*;
use std::collections::VecDeque;

const CPUID: u32 = 0x00;
const GPIO_OUT: u32 = 0x10;
const FIFO_ST: u32 = 0x50;
const FIFO_WR: u32 = 0x54;
const FIFO_RD: u32 = 0x58;
const SPINLOCK_ST: u32 = 0x5c;
const DIV_UDIVIDEND: u32 = 0x60;
const DIV_QUOTIENT: u32 = 0x70;
const DIV_CSR: u32 = 0x78;
const INTERP0: u32 = 0x80;
const SPINLOCK0: u32 = 0x100;

impl Bench {
    fn get(&mut self, core: usize, offset: u32) -> u32 {
        self.with(|p, context| p.sio.read(core, offset, context))
    }

    fn put(&mut self, core: usize, offset: u32, value: u32) {
        self.with(|p, context| p.sio.write(core, offset, value, context));
    }

    /// Quotient and remainder, once ready.
    fn divide(&mut self, dividend: u32, divisor: u32, signed: bool) -> (u32, u32) {
        let offset = if signed { 0x68 } else { 0x60 };
        self.put(0, offset, dividend);
        self.wait(1);
        self.put(0, offset + 4, divisor);
        self.wait(9);
        let remainder = self.get(0, 0x74);
        (self.get(0, 0x70), remainder)
    }
}

#[test]
fn each_core_reads_its_own_number() {
    let mut bench = Bench::new();
    assert_eq!((bench.get(0, 0), bench.get(1, 0)), (0, 1));
}

#[test]
fn a_word_crosses_in_one_cycle_and_pulls_the_line_of_the_reader() {
    let mut bench = Bench::new();
    bench.put(0, FIFO_WR, 42);
    assert_eq!(bench.get(1, FIFO_ST) & 1, 0, "not in the same cycle");
    assert!(!bench.line(Irq::SioProc1));
    bench.wait(1);
    assert_eq!(bench.get(1, FIFO_ST) & 1, 1);
    assert!(bench.line(Irq::SioProc1) && !bench.line(Irq::SioProc0));
    assert_eq!(bench.get(1, FIFO_RD), 42);
    assert!(!bench.line(Irq::SioProc1));
}

#[test]
fn misuse_of_a_fifo_is_remembered_until_it_is_cleared() {
    let mut bench = Bench::new();
    bench.get(0, FIFO_RD);
    assert_eq!(bench.get(0, FIFO_ST), 0b1010, "ROE, RDY");
    assert!(bench.line(Irq::SioProc0));
    for word in 0..9 {
        bench.put(0, FIFO_WR, word);
        bench.wait(1);
    }
    assert_eq!(bench.get(0, FIFO_ST), 0b1100, "ROE, WOF, no room");
    bench.put(0, FIFO_ST, 0xf);
    assert_eq!(bench.get(0, FIFO_ST), 0);
    assert!(!bench.line(Irq::SioProc0));
    for word in 0..8 {
        assert_eq!(bench.get(1, FIFO_RD), word);
        bench.wait(1);
    }
}

#[test]
fn a_spinlock_is_had_once_until_released() {
    let mut bench = Bench::new();
    assert_eq!(bench.get(0, 0x100 + 4 * 5), 1 << 5);
    assert_eq!(bench.get(1, 0x100 + 4 * 5), 0);
    assert_eq!(bench.get(1, 0x5c), 1 << 5);
    bench.put(0, 0x100 + 4 * 5, 0);
    assert_eq!(bench.get(1, 0x100 + 4 * 5), 1 << 5);
}

#[test]
fn a_quotient_is_ready_in_the_ninth_cycle() {
    let mut bench = Bench::new();
    bench.put(0, 0x60, 100);
    bench.put(0, 0x64, 7);
    for _ in 0..8 {
        bench.wait(1);
        assert_eq!(bench.get(0, 0x78), 0b10);
    }
    assert!(bench.diagnostics.pending().is_empty());
    bench.get(0, 0x74);
    assert_eq!(bench.diagnostics.pending().len(), 1, "an early read is told of");
    bench.wait(1);
    assert_eq!(bench.get(0, 0x78), 0b11);
    assert_eq!((bench.get(0, 0x74), bench.get(0, 0x70)), (2, 14));
    assert_eq!(bench.get(0, 0x78), 0b01, "reading the quotient clears DIRTY");
}

#[test]
fn divisions_by_zero_and_overflow_are_those_measured_on_a_chip() {
    let mut bench = Bench::new();
    // https://vak.dreamwidth.org/1097369.html
    let minus = |value: u32| value.wrapping_neg();
    let cases = [
        (100, 9, 11, 1),
        (minus(100), 9, minus(11), minus(1)),
        (100, minus(9), minus(11), 1),
        (minus(100), minus(9), 11, minus(1)),
        (100, 0, minus(1), 100),
        (minus(100), 0, 1, minus(100)),
        (0, 0, minus(1), 0),
        (0x8000_0000, minus(1), 0x8000_0000, 0),
    ];
    for (dividend, divisor, quotient, remainder) in cases {
        assert_eq!(bench.divide(dividend, divisor, true), (quotient, remainder), "{dividend:#x} / {divisor:#x}");
    }
    assert_eq!(bench.divide(100, 0, false), (u32::MAX, 100));
}

#[test]
fn the_state_of_the_divider_can_be_saved_and_restored() {
    let mut bench = Bench::new();
    assert_eq!(bench.divide(u32::MAX - 99, 7, true), (14u32.wrapping_neg(), 2u32.wrapping_neg()));
    let saved = [0x60, 0x64, 0x74, 0x70].map(|offset| bench.get(0, offset));
    bench.divide(1, 1, false);
    for (offset, value) in [0x60, 0x64, 0x74, 0x70].into_iter().zip(saved) {
        bench.put(0, offset, value);
    }
    assert_eq!([0x60, 0x64, 0x74, 0x70].map(|offset| bench.get(0, offset)), saved);
}

#[test]
fn an_output_is_seen_by_both_cores_once_the_pin_is_given_to_sio() {
    let mut bench = Bench::started();
    bench.put(0, 0x24, 1 << 25);
    bench.put(1, 0x14, 1 << 25);
    assert_eq!(bench.get(0, 0x04), 0);
    bench.write(IO_BANK0 + 8 * 25 + 4, 5);
    assert_eq!((bench.get(0, 0x04), bench.get(1, 0x04)), (1 << 25, 1 << 25));
    bench.put(0, 0x1c, 1 << 25);
    assert_eq!(bench.get(1, 0x04), 0);
}

#[test]
fn an_interpolator_masks_and_sign_extends_as_the_datasheet_prints() {
    // 2.3.1.6.1, moving_mask
    let expected = [0xfffffffd, 0xffffffc0, 0xfffffb00, 0xffffa000, 0x00040000, 0x00300000, 0x02000000, 0x10000000u32];
    let mut bench = Bench::new();
    bench.put(0, 0x80, 0x1234_abcd);
    for (nibble, expected) in expected.into_iter().enumerate() {
        let lsb = 4 * nibble as u32;
        bench.put(0, 0xac, 1 << 15 | (lsb + 3) << 10 | lsb << 5);
        assert_eq!(bench.get(0, 0xb4), expected);
        bench.put(0, 0xac, (lsb + 3) << 10 | lsb << 5);
        assert_eq!(bench.get(0, 0xb4), 0x1234_abcd & 0xf << lsb);
    }
}

#[test]
fn results_cross_over_as_the_datasheet_prints() {
    // 2.3.1.6.1, cross_lanes
    let mut bench = Bench::new();
    let ctrl = 1 << 17 | 31 << 10;
    for (offset, value) in [(0xac, ctrl), (0xb0, ctrl), (0x80, 123), (0x84, 456), (0x88, 1), (0x8c, 0)] {
        bench.put(0, offset, value);
    }
    let printed: Vec<_> = (0..6).map(|_| (bench.get(0, 0xa0), bench.get(0, 0x98))).collect();
    assert_eq!(printed, [(124, 456), (457, 124), (125, 457), (458, 125), (126, 458), (459, 126)]);
}

#[test]
fn blending_goes_from_one_base_to_the_other() {
    // 2.3.1.6.2, simple_blend1
    let mut bench = Bench::new();
    for (offset, value) in [(0xac, 1 << 21 | 31 << 10), (0xb0, 31 << 10), (0x88, 500), (0x8c, 1000)] {
        bench.put(0, offset, value);
    }
    let blended: Vec<_> = (0..=6)
        .map(|i| {
            bench.put(0, 0x84, 255 * i / 6);
            bench.get(0, 0xa4)
        })
        .collect();
    assert_eq!(blended, [500, 582, 666, 748, 832, 914, 998]);
}

#[test]
fn clamping_keeps_between_the_bases() {
    // 2.3.1.6.3: only INTERP1 clamps
    let mut bench = Bench::new();
    let minus = |value: u32| value.wrapping_neg();
    for (offset, value) in [(0xec, 1 << 22 | 1 << 15 | 29 << 10 | 2), (0xc8, 0), (0xcc, 255)] {
        bench.put(0, offset, value);
    }
    for (accumulator, clamped) in [(minus(1024), 0), (400, 100), (1020, 255), (2048, 255)] {
        bench.put(0, 0xc0, accumulator);
        assert_eq!(bench.get(0, 0xe0), clamped);
    }
}

proptest! {
    #[test]
    fn a_division_agrees_with_that_of_64_bits(dividend: u32, divisor in prop_oneof![any::<u32>(), 0u32..20], signed: bool) {
        let mut bench = Bench::new();
        let result = bench.divide(dividend, divisor, signed);
        prop_assume!(divisor != 0);
        let wide = |value: u32| if signed { i64::from(value as i32) } else { i64::from(value) };
        let expected = (wide(dividend) / wide(divisor), wide(dividend) % wide(divisor));
        prop_assert_eq!(result, (expected.0 as u32, expected.1 as u32));
    }

    #[test]
    fn the_fifos_are_queues_of_eight(actions in proptest::collection::vec((0usize..2, any::<bool>(), any::<u32>()), 1..300)) {
        let mut bench = Bench::new();
        let mut queues = [VecDeque::new(), VecDeque::new()];
        for (core, write, value) in actions {
            bench.wait(1);
            let status = bench.get(core, FIFO_ST);
            prop_assert_eq!(status & 1 == 1, !queues[core].is_empty());
            prop_assert_eq!(status >> 1 & 1 == 1, queues[core ^ 1].len() < 8);
            prop_assert_eq!(bench.line(Irq::SioProc0), bench.p.sio.peek(0, FIFO_ST, bench.now) & !2 != 0);
            if write {
                bench.put(core, FIFO_WR, value);
                if queues[core ^ 1].len() < 8 {
                    queues[core ^ 1].push_back(value);
                }
            } else {
                let read = bench.get(core, FIFO_RD);
                if let Some(expected) = queues[core].pop_front() {
                    prop_assert_eq!(read, expected);
                }
            }
        }
    }
}

#[test]
fn what_is_still_reads_the_same_at_any_time_and_no_read_changes_it() {
    let mut bench = Bench::new();
    for (offset, value) in [(FIFO_WR, 5), (GPIO_OUT, 0x155), (GPIO_OUT + 16, 0xff), (DIV_UDIVIDEND, 7)] {
        bench.put(0, offset, value);
    }
    bench.get(0, SPINLOCK0 + 4);
    let before = format!("{:?}", bench.p.sio);
    let stable = |bench: &Bench, offset| bench.p.sio.stable_value(0, offset);
    let still: Vec<u32> = (0..0x200).step_by(4).filter(|&offset| stable(&bench, offset).is_some()).collect();
    assert!([CPUID, FIFO_ST, SPINLOCK_ST, SPINLOCK0 + 4].iter().all(|offset| still.contains(offset)));
    assert!(![FIFO_RD, DIV_CSR, DIV_QUOTIENT, INTERP0, SPINLOCK0].iter().any(|offset| still.contains(offset)));
    let wrote = bench.now;
    for offset in still {
        for later in [1, 2, 990] {
            bench.now = wrote + later;
            assert_eq!(Some(bench.get(0, offset)), stable(&bench, offset), "{offset:#x}, {later} cycles later");
        }
    }
    assert_eq!(format!("{:?}", bench.p.sio), before);
}
