use super::bench::{Bench, IO_BANK0, PWM};
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::pins::Outputs;
use proptest::prelude::*;
use std::collections::VecDeque;

/// Cycles from a level from outside to the divider: one to the pin, two flip-flops.
const INPUT_CYCLES: u32 = 3;

/// A slice that is stepped cycle by cycle.
#[derive(Default)]
struct Model {
    csr: u32,
    div: u32,
    top: u32,
    latched: u32,
    gathered: u32,
    counter: u32,
    down: bool,
    raised: bool,
    /// The level of the B pin, as the divider has it, and others on their way: cycles that are left, and the level.
    input: bool,
    coming: VecDeque<(u32, bool)>,
}

impl Model {
    /// What the divider counts in a cycle: the cycle, or an edge at its end.
    fn counts(&mut self) -> bool {
        let before = self.input;
        for (left, _) in &mut self.coming {
            *left -= 1;
        }
        if self.coming.front().is_some_and(|next| next.0 == 0) {
            self.input = self.coming.pop_front().is_some_and(|next| next.1);
        }
        match self.csr >> 4 & 3 {
            0 => true,
            1 => before,
            2 => !before && self.input,
            _ => before && !self.input,
        }
    }

    fn step(&mut self) {
        let counts = self.counts();
        if self.csr & 1 == 0 || !counts {
            return;
        }
        let divisor = if self.div >> 4 == 0 { 256 << 4 } else { self.div };
        self.gathered += 16;
        if self.gathered < divisor {
            return;
        }
        self.gathered -= divisor;
        if self.csr & 2 == 0 {
            self.counter = if self.counter == self.latched { self.wrap() } else { (self.counter + 1) & 0xffff };
            return;
        }
        match (self.down, self.counter) {
            (false, counter) if counter == self.latched => self.down = true,
            (false, _) => self.counter += 1,
            (true, 0) => {
                self.down = false;
                self.wrap();
            }
            (true, _) => self.counter -= 1,
        }
    }

    fn wrap(&mut self) -> u32 {
        self.raised = true;
        self.latched = self.top;
        0
    }
}

#[test]
fn a_slice_wraps_every_top_plus_one_counts() {
    let mut bench = Bench::started();
    bench.write(PWM + 0x10, 999);
    bench.write(PWM + 0x04, 2 << 4 | 8); // 2.5
    bench.write(PWM + 0xa8, 1);
    let start = bench.now;
    bench.write(PWM, 1);
    let mut rises = Vec::new();
    for _ in 0..4 {
        rises.push(bench.rises(Irq::PwmWrap, 10_000).expect("a wrap") - start);
        bench.write(PWM + 0xa4, 1);
    }
    assert_eq!(rises, [2500, 5000, 7500, 10000]);
}

#[test]
fn phase_correct_takes_twice_as_long() {
    let mut bench = Bench::started();
    bench.write(PWM + 0x10, 99);
    bench.write(PWM + 0xa8, 1);
    let start = bench.now;
    bench.write(PWM, 3);
    assert_eq!(bench.rises(Irq::PwmWrap, 10_000), Some(start + 200));
}

#[test]
fn slices_enabled_together_run_in_step() {
    let mut bench = Bench::started();
    bench.write(PWM + 0xa0, 0xff);
    bench.wait(12345);
    for slice in 0..8 {
        assert_eq!(bench.read(PWM + 0x14 * slice + 8), 12345);
    }
    bench.write(PWM + 0xa0, 0);
    bench.wait(100);
    assert_eq!(bench.read(PWM + 8), 12345);
}

#[test]
fn a_phase_can_be_advanced_and_retarded() {
    let mut bench = Bench::started();
    bench.write(PWM + 0x04, 10 << 4);
    bench.write(PWM, 1);
    bench.wait(100);
    bench.write(PWM, 1 | 1 << 7);
    assert_eq!(bench.read(PWM + 8), 11);
    bench.write(PWM, 1 | 1 << 6);
    bench.wait(10);
    assert_eq!(bench.read(PWM + 8), 11);
    bench.wait(10);
    assert_eq!(bench.read(PWM + 8), 12);
}

/// Drives a pin from outside.
fn drive(bench: &mut Bench, pin: u32, high: bool) {
    let outside = Outputs { levels: u32::from(high) << pin, enables: 1 << pin };
    bench.with(|p, context| p.set_outside(outside, context));
}

/// 4.5.2.5: the counter is enabled while B is high, or counts its edges; an output of PWM on a wire is a square wave there.
#[test]
fn a_slice_measures_the_duty_cycle_of_another_one() {
    let mut bench = Bench::started();
    bench.with(|p, context| assert!(p.add_wire("0:3".parse().expect("two pins"), context)));
    for pin in [0, 3] {
        bench.write(IO_BANK0 + 8 * pin + 4, 4);
    }
    for (mode, expected) in [(1, 10 * 30), (2, 10), (3, 10)] {
        let measuring = PWM + 0x14;
        bench.write(PWM + 0x10, 99);
        bench.write(PWM + 0x0c, 30);
        bench.write(PWM, 1);
        bench.wait(150);
        bench.write(measuring + 8, 0);
        bench.write(measuring, 1 | mode << 4);
        bench.wait(1000);
        bench.write(measuring, 0);
        assert_eq!(bench.read(measuring + 8), expected, "mode {mode}");
        bench.write(PWM, 0);
        bench.write(PWM + 8, 0);
    }
}

/// A slice has a low B pin until one is connected (2.19.2), so that a high one is an edge then; what it has when the slice begins
/// to count is none.
#[test]
fn a_pin_that_is_connected_later_may_be_an_edge() {
    for (connected_first, high, counts) in [(true, true, 0), (true, false, 0), (false, true, 1), (false, false, 0)] {
        let mut bench = Bench::started();
        drive(&mut bench, 1, high);
        bench.write(PWM + 0x0c, 0xffff << 16);
        let connect = |bench: &mut Bench| bench.write(IO_BANK0 + 8 + 4, 4);
        if connected_first {
            connect(&mut bench);
        }
        bench.wait(10);
        bench.write(PWM, 1 | 2 << 4);
        bench.wait(10);
        connect(&mut bench);
        bench.wait(10);
        assert_eq!(bench.read(PWM + 8), counts, "{connected_first} {high}");
    }
}

/// Either of the two pins of a slice is its input, and a pin that counts is not driven.
#[test]
fn both_pins_of_a_slice_count() {
    let mut bench = Bench::started();
    for pin in [1, 17] {
        bench.write(IO_BANK0 + 8 * pin + 4, 4);
    }
    bench.write(PWM + 0x0c, 0xffff << 16);
    bench.write(PWM, 1 | 2 << 4);
    for pin in [1, 17, 1] {
        drive(&mut bench, pin, true);
        bench.wait(10);
        drive(&mut bench, pin, false);
        bench.wait(10);
    }
    assert_eq!(bench.read(PWM + 8), 3);
}

proptest! {
    #[test]
    fn a_slice_agrees_with_one_that_is_stepped(
        csr in (0u32..2, 0u32..4).prop_map(|(correct, mode)| 1 | correct << 1 | mode << 4),
        div in prop_oneof![Just(0x10u32), 0x10u32..0x50],
        writes in proptest::collection::vec((0u32..7, 0u32..40, 1u32..200), 1..20),
    ) {
        let mut bench = Bench::started();
        let mut model = Model { csr, div, top: 20, latched: 20, ..Model::default() };
        bench.write(PWM + 0x10, 20);
        bench.write(PWM + 0x04, div);
        bench.write(PWM + 0xa8, 1);
        bench.write(IO_BANK0 + 8 + 4, 4);
        bench.write(PWM, csr);
        let mut pin = false;
        for (register, value, wait) in writes {
            match register {
                0 => {
                    model.top = value;
                    bench.write(PWM + 0x10, value);
                }
                1 => {
                    model.div = 16 + value;
                    model.gathered = model.gathered.min(model.div - 1);
                    bench.write(PWM + 0x04, 16 + value);
                }
                2 => {
                    model.raised = false;
                    bench.write(PWM + 0xa4, 1);
                }
                3 => {
                    model.csr ^= 1;
                    if model.csr & 1 == 0 {
                        model.latched = model.top;
                    }
                    bench.write(PWM, model.csr);
                    model.input = pin;
                    model.coming.clear();
                }
                5.. => {
                    pin = !pin;
                    drive(&mut bench, 1, pin);
                    if model.csr & 1 == 1 {
                        model.coming.push_back((INPUT_CYCLES, pin));
                    }
                }
                _ => {
                    if model.csr & 1 == 0 {
                        model.latched = model.top;
                    }
                    model.counter = value.min(model.latched);
                    bench.write(PWM + 0x08, model.counter);
                }
            }
            for _ in 0..wait {
                model.step();
                bench.wait(1);
                prop_assert_eq!(bench.read(PWM + 0x08), model.counter);
                prop_assert_eq!(bench.line(Irq::PwmWrap), model.raised);
            }
            if model.csr & 1 == 0 {
                model.latched = model.top;
            }
        }
    }
}
