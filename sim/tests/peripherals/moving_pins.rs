//! Pins that move by themselves: outputs of PWM and of clocks, and what UARTs send. Each is followed by whoever looks at it: SIO,
//! interrupts, PIO.

use super::bench::{Bench, CLOCKS, IO_BANK0, PWM, UART0};
use super::pio;
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2040::irq::Irq;
use proptest::prelude::*;

const INTR: u32 = IO_BANK0 + 0xf0;
const INTE: u32 = IO_BANK0 + 0x100;
const GPIO_IN: u32 = 0x04;

fn function(bench: &mut Bench, pin: u32, function: u32) {
    bench.write(IO_BANK0 + 8 * pin + 4, function);
}

/// The level of a pin, as SIO reads it.
fn level(bench: &mut Bench, pin: u32) -> bool {
    bench.with(|p, context| {
        p.update_gpio_in(context.now);
        p.sio.read(0, GPIO_IN, context) >> pin & 1 == 1
    })
}

/// The levels of a pin in so many cycles from now on.
fn levels(bench: &mut Bench, pin: u32, cycles: usize) -> Vec<bool> {
    let mut levels = Vec::new();
    for _ in 0..cycles {
        levels.push(level(bench, pin));
        bench.wait(1);
    }
    levels
}

/// Cycles in which both edges of a pin interrupt, within so many.
fn edges(bench: &mut Bench, pin: u32, cycles: Cycle) -> Vec<(Cycle, u32)> {
    let (word, shift) = (4 * (pin / 8), 4 * (pin % 8));
    bench.write(INTR + word, 0xf << shift);
    bench.write(INTE + word, 0xc << shift);
    let (mut edges, end) = (Vec::new(), bench.now + cycles);
    while bench.now < end {
        bench.wait(1);
        if bench.line(Irq::IoBank0) {
            edges.push((bench.now, bench.read(INTR + word) >> shift & 0xc));
            bench.write(INTR + word, 0xc << shift);
        }
    }
    bench.write(INTE + word, 0);
    edges
}

/// The cycles in which levels change, and to what.
fn changes(levels: &[bool], begin: Cycle) -> Vec<(Cycle, u32)> {
    let pairs = (1..).zip(levels.windows(2));
    pairs.filter(|(_, pair)| pair[0] != pair[1]).map(|(at, pair)| (begin + at, if pair[1] { 8 } else { 4 })).collect()
}

/// 4.5.2.2, figure 106: a period of TOP + 1 counts, high while the counter is below CC.
#[test]
fn pwm_is_high_below_its_compare_level() {
    for (pin, channel) in [(6, 0), (7, 1), (22, 0)] {
        let mut bench = Bench::started();
        let slice = PWM + 0x14 * 3;
        bench.write(slice + 0x10, 9);
        bench.write(slice + 0xc, 4 << (16 * channel));
        function(&mut bench, pin, 4);
        assert!(level(&mut bench, pin), "0 is below 4");
        bench.write(slice, 1);
        let high: String = levels(&mut bench, pin, 20).into_iter().map(|high| if high { '1' } else { '0' }).collect();
        assert_eq!(high, "11110000001111000000");
        bench.write(slice, 1 | 1 << (2 + channel));
        assert!(!level(&mut bench, pin), "inverted");
    }
}

/// 2.15.7: what is put out is the selected clock, divided. The system's 125 MHz by 10 are 6.25 cycles each half.
#[test]
fn a_clock_comes_out_of_its_pin() {
    let mut bench = Bench::started();
    for (number, pin) in [(0, 21), (1, 23), (2, 24), (3, 25)] {
        bench.write(CLOCKS + 12 * number + 4, 10 << 8);
        bench.write(CLOCKS + 12 * number, 1 << 11 | 6 << 5);
        function(&mut bench, pin, 8);
        let levels = levels(&mut bench, pin, 1000);
        assert_eq!(levels.iter().filter(|&&high| high).count(), 500);
        assert_eq!(changes(&levels, 0).len(), 200 - 1);
        bench.write(CLOCKS + 12 * number, 0);
        assert!(changes(&self::levels(&mut bench, pin, 100), 0).is_empty());
    }
    // The reference, divided by 1,000: 12 kHz.
    bench.write(CLOCKS + 4, 1000 << 8);
    bench.write(CLOCKS, 1 << 11 | 10 << 5);
    let edges = edges(&mut bench, 21, 125_000);
    assert!((23..=24).contains(&edges.len()));
    let apart = edges.windows(2).map(|pair| pair[1].0 - pair[0].0);
    assert!(apart.into_iter().all(|cycles| (5208..=5209).contains(&cycles)));
}

/// 8N1 at a million baud: 125 cycles each bit.
#[test]
fn a_uart_sends_its_bits() {
    let mut bench = Bench::started();
    bench.write(UART0 + 0x24, 7);
    bench.write(UART0 + 0x28, 52); // 7.8125 x 16
    bench.write(UART0 + 0x2c, 3 << 5);
    function(&mut bench, 0, 2);
    bench.write(UART0 + 0x30, 1 | 1 << 8);
    assert!(level(&mut bench, 0), "idle");
    bench.write(UART0, 0x53);
    let levels = levels(&mut bench, 0, 2000);
    let begin = levels.iter().position(|high| !high).expect("a start bit");
    let bits: Vec<_> = (0..10).map(|bit| u8::from(levels[begin + 62 + 125 * bit])).collect();
    assert_eq!(bits, [0, 1, 1, 0, 0, 1, 0, 1, 0, 1]);
    assert!(levels[begin + 1250..].iter().all(|&high| high));
    // A break.
    bench.write(UART0 + 0x2c, 3 << 5 | 1);
    assert!(!level(&mut bench, 0));
}

/// SET X, 31; then WAIT for GPIO 6 to be high, and low; each time X counts down: it falls after 40 cycles, and each 100 more.
#[test]
fn pio_follows_what_pwm_drives() {
    let mut bench = Bench::started();
    for (at, instruction) in (0..).zip([0xe03f_u32, 0x2086, 0x2006, 0x0041]) {
        bench.write(pio::PIO[0] + pio::INSTR_MEM + 4 * at, instruction);
    }
    bench.write(pio::PIO[0] + pio::CTRL, 1);
    bench.write(PWM + 0x14 * 3 + 0x10, 99);
    bench.write(PWM + 0x14 * 3 + 0xc, 40);
    function(&mut bench, 6, 4);
    bench.write(PWM + 0x14 * 3, 1);
    bench.wait(1050);
    bench.write(PWM + 0x14 * 3, 0);
    bench.wait(10);
    // MOV ISR, X; PUSH.
    for instruction in [0xa0c1, 0x8020] {
        bench.write(pio::PIO[0] + pio::CTRL, 0);
        bench.write(pio::PIO[0] + pio::INSTR, instruction);
        bench.wait(4);
    }
    assert_eq!(bench.read(pio::PIO[0] + pio::RXF), 31 - 11);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The edges that interrupt are those of the levels that SIO reads, three cycles later: two of the synchroniser.
    #[test]
    fn interrupts_follow_each_edge(top in 4u32..40, compared in 0u32..45, div in 0x30u32..0x80, correct in any::<bool>()) {
        let mut benches = [Bench::started(), Bench::started()];
        for bench in &mut benches {
            bench.write(PWM + 0x10, top);
            bench.write(PWM + 0xc, compared);
            bench.write(PWM + 4, div);
            function(bench, 0, 4);
            bench.wait(10);
            bench.write(PWM, 1 | u32::from(correct) << 1);
        }
        let [looks, waits] = &mut benches;
        let begin = looks.now;
        let levels = levels(looks, 0, 2000);
        let seen = changes(&levels, begin);
        let interrupts = edges(waits, 0, 1990);
        let expected: Vec<_> = seen.into_iter().map(|(at, edge)| (at + 2, edge)).collect();
        let common = interrupts.len().min(expected.len());
        prop_assert!(expected.len() - common <= 2);
        prop_assert_eq!(&interrupts[..common], &expected[..common]);
    }
}
