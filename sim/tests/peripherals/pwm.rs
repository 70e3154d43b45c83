use super::bench::{Bench, PWM};
use intercore_sim::rp2040::irq::Irq;
use proptest::prelude::*;

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
}

impl Model {
    fn step(&mut self) {
        if self.csr & 1 == 0 {
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

proptest! {
    #[test]
    fn a_slice_agrees_with_one_that_is_stepped(
        csr in prop_oneof![Just(1u32), Just(3)],
        div in prop_oneof![Just(0x10u32), 0x10u32..0x50],
        writes in proptest::collection::vec((0u32..5, 0u32..40, 1u32..200), 1..20),
    ) {
        let mut bench = Bench::started();
        let mut model = Model { csr, div, top: 20, latched: 20, ..Model::default() };
        bench.write(PWM + 0x10, 20);
        bench.write(PWM + 0x04, div);
        bench.write(PWM + 0xa8, 1);
        bench.write(PWM, csr);
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
