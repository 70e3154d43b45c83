//! Interrupts and `STATUS` of pins (datasheet 2.19.3, 2.19.6): by whomever a pin is driven.

use super::bench::{Bench, IO_BANK0};
use super::pio;
use intercore_sim::core::time::Cycle;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::pins::{Outputs, Wire};
use proptest::prelude::*;

const IO_QSPI: u32 = 0x4001_8000;
const INTR: u32 = IO_BANK0 + 0xf0;
/// `PROC0_INTE0`, `PROC0_INTF0`, `PROC0_INTS0`; those of core 1 follow.
const INTE: u32 = IO_BANK0 + 0x100;
const INTF: u32 = IO_BANK0 + 0x110;
const INTS: u32 = IO_BANK0 + 0x120;
const CORE1: u32 = 0x30;
/// The four bits of a pin.
const LOW: u32 = 1;
const HIGH: u32 = 2;
const FALL: u32 = 4;
const RISE: u32 = 8;
/// Registers of SIO.
const GPIO_OUT_SET: u32 = 0x14;
const GPIO_OUT_CLR: u32 = 0x18;
const GPIO_OE_SET: u32 = 0x24;

/// Where the bits of a pin are: which word, and how far up.
fn place(pin: u32) -> (u32, u32) {
    (4 * (pin / 8), 4 * (pin % 8))
}

fn drive(bench: &mut Bench, levels: u32, enables: u32) {
    bench.with(|p, context| p.set_outside(Outputs { levels, enables }, context));
}

fn write_sio(bench: &mut Bench, offset: u32, value: u32) {
    bench.with(|p, context| {
        p.sio.write(0, offset, value, context);
        p.update_sio_pins(context);
    });
}

fn enable(bench: &mut Bench, pin: u32, bits: u32) {
    let (word, shift) = place(pin);
    bench.write(INTR + word, 0xf << shift);
    bench.write(INTE + word, bits << shift);
}

fn bits(bench: &mut Bench, register: u32, pin: u32) -> u32 {
    let (word, shift) = place(pin);
    bench.read(register + word) >> shift & 0xf
}

/// The cycle in which the line to core 0 rises, at most so many cycles from now.
fn interrupt(bench: &mut Bench, within: Cycle) -> Option<Cycle> {
    let end = bench.now + within;
    while bench.now < end && !bench.line(Irq::IoBank0) {
        bench.wait(1);
    }
    bench.line(Irq::IoBank0).then_some(bench.now)
}

#[test]
fn edges_stay_until_they_are_cleared_and_levels_do_not() {
    for pin in [0, 7, 8, 29] {
        let mut bench = Bench::started();
        drive(&mut bench, 0, 1 << pin);
        bench.wait(5);
        enable(&mut bench, pin, RISE);
        assert_eq!(bits(&mut bench, INTR, pin), LOW);
        drive(&mut bench, 1 << pin, 1 << pin);
        assert!(interrupt(&mut bench, 5).is_some());
        assert_eq!((bits(&mut bench, INTR, pin), bits(&mut bench, INTS, pin)), (HIGH | RISE, RISE));
        drive(&mut bench, 0, 1 << pin);
        bench.wait(5);
        assert_eq!((bits(&mut bench, INTR, pin), bits(&mut bench, INTS, pin)), (LOW | RISE | FALL, RISE));
        let (word, shift) = place(pin);
        bench.write(INTR + word, RISE << shift);
        assert_eq!((bits(&mut bench, INTR, pin), bench.line(Irq::IoBank0)), (LOW | FALL, false));
        bench.write(INTE + word, LOW << shift);
        assert!(bench.line(Irq::IoBank0));
        bench.write(INTR + word, 0xf << shift);
        assert!(bench.line(Irq::IoBank0), "a level is not cleared");
        drive(&mut bench, 1 << pin, 1 << pin);
        bench.wait(5);
        assert!(!bench.line(Irq::IoBank0));
    }
}

#[test]
fn each_core_has_interrupts_of_its_own() {
    let mut bench = Bench::started();
    enable(&mut bench, 3, RISE);
    bench.write(INTE + CORE1, FALL << 12);
    let lines = |bench: &Bench| [0, 1].map(|core| bench.line_of(core, Irq::IoBank0));
    drive(&mut bench, 1 << 3, 1 << 3);
    bench.wait(5);
    assert_eq!(lines(&bench), [true, false]);
    drive(&mut bench, 0, 1 << 3);
    bench.wait(5);
    assert_eq!(lines(&bench), [true, true]);
    assert_eq!(bench.read(INTS + CORE1), FALL << 12);
    bench.write(INTR, RISE << 12);
    assert_eq!(lines(&bench), [false, true]);
    bench.write(INTE + CORE1, 0);
    assert_eq!(lines(&bench), [false, false]);
    bench.write(INTF + CORE1, FALL << 20);
    assert_eq!((lines(&bench), bench.read(INTS + CORE1)), ([false, true], FALL << 20));
    bench.write(0x4000_c000, 1 << 5);
    assert_eq!(lines(&bench), [false, false], "reset");
}

/// A write of SIO is at the pad in the next cycle; two flip-flops later it interrupts.
#[test]
fn a_pin_that_sio_drives_interrupts_three_cycles_after_the_write() {
    let mut bench = Bench::started();
    bench.write(IO_BANK0 + 8 * 4 + 4, 5);
    write_sio(&mut bench, GPIO_OE_SET, 1 << 4);
    bench.wait(10);
    enable(&mut bench, 4, RISE | FALL);
    for offset in [GPIO_OUT_SET, GPIO_OUT_CLR] {
        let written = bench.now;
        write_sio(&mut bench, offset, 1 << 4);
        assert_eq!(interrupt(&mut bench, 10), Some(written + 3));
        bench.write(INTR, 0xf << 16);
    }
    // And a pin that a wire connects with it.
    bench.with(|p, context| assert!(p.add_wire(Wire::new(4, 9).expect("two pins"), context)));
    bench.wait(10);
    enable(&mut bench, 4, 0);
    enable(&mut bench, 9, RISE);
    let written = bench.now;
    write_sio(&mut bench, GPIO_OUT_SET, 1 << 4);
    assert_eq!(interrupt(&mut bench, 10), Some(written + 3));
}

/// A program of one SET and one SET back, 20 cycles each: the first one to the pin is a rising edge.
#[test]
fn a_pin_that_pio_drives_interrupts() {
    let mut bench = Bench::started();
    pio::give(&mut bench, 6, 0);
    bench.write(pio::PIO[0] + pio::INSTR_MEM, 0xe001 | 19 << 8); // SET PINS, 1 [19]
    bench.write(pio::PIO[0] + pio::INSTR_MEM + 4, 0xe000 | 19 << 8);
    bench.write(pio::PIO[0] + pio::EXECCTRL, 1 << 12); // wraps from 1 to 0
    bench.write(pio::PIO[0] + 0xdc, 1 << 26 | 6 << 5); // one pin from 6
    bench.write(pio::PIO[0] + pio::INSTR, 0xe081); // SET PINDIRS, 1
    bench.wait(10);
    enable(&mut bench, 6, RISE);
    bench.write(pio::PIO[0] + pio::CTRL, 1);
    let first = interrupt(&mut bench, 20).expect("an edge");
    for _ in 0..4 {
        bench.write(INTR, 0xf << 24);
        assert!(!bench.line(Irq::IoBank0));
        interrupt(&mut bench, 60).expect("another edge");
    }
    assert_eq!(bench.now - first, 4 * 40);
    enable(&mut bench, 6, FALL);
    assert_eq!(interrupt(&mut bench, 60).map(|at| at - first), Some(4 * 40 + 20));
}

#[test]
fn status_tells_what_comes_and_goes() {
    let mut bench = Bench::started();
    let control = IO_BANK0 + 8 * 2 + 4;
    bench.write(control, 5);
    let status = |bench: &mut Bench, ctrl| {
        bench.write(control, ctrl);
        bench.read(control - 4)
    };
    // OUTFROMPERI, OUTTOPAD, OEFROMPERI, OETOPAD, INFROMPAD, INTOPERI, IRQFROMPAD, IRQTOPROC.
    assert_eq!(status(&mut bench, 5), 0);
    write_sio(&mut bench, GPIO_OUT_SET, 1 << 2);
    assert_eq!(status(&mut bench, 5), 1 << 8 | 1 << 9);
    write_sio(&mut bench, GPIO_OE_SET, 1 << 2);
    let high = 1 << 8 | 1 << 9 | 1 << 12 | 1 << 13 | 1 << 17 | 1 << 19 | 1 << 24 | 1 << 26;
    assert_eq!(status(&mut bench, 5), high);
    // OUTOVER, OEOVER, INOVER, IRQOVER.
    assert_eq!(status(&mut bench, 5 | 1 << 8), 1 << 8 | 1 << 12 | 1 << 13);
    assert_eq!(status(&mut bench, 5 | 2 << 12), 1 << 8 | 1 << 9 | 1 << 12);
    assert_eq!(status(&mut bench, 5 | 1 << 16), high & !(1 << 19));
    assert_eq!(status(&mut bench, 5 | 1 << 28), high & !(1 << 26));
    assert_eq!(status(&mut bench, 5 | 2 << 28), high & !(1 << 26));
    assert_eq!(status(&mut bench, 0x1f | 3 << 28), 1 << 26);
}

#[test]
fn an_override_interrupts() {
    let mut bench = Bench::started();
    enable(&mut bench, 2, HIGH);
    assert!(!bench.line(Irq::IoBank0));
    bench.write(IO_BANK0 + 8 * 2 + 4, 0x1f | 3 << 28);
    bench.wait(5);
    assert!(bench.line(Irq::IoBank0));
    bench.write(IO_BANK0 + 8 * 2 + 4, 0x1f | 1 << 28);
    bench.wait(5);
    assert!(bench.line(Irq::IoBank0), "a low level, inverted");
    bench.write(IO_BANK0 + 8 * 2 + 4, 0x1f);
    bench.wait(5);
    assert!(!bench.line(Irq::IoBank0));
}

/// `QSPI_SS` is the second pin: its bits are 7 to 4.
#[test]
fn the_bank_of_the_flash_has_interrupts_too() {
    let mut bench = Bench::started();
    bench.write(IO_QSPI + 0x34, FALL << 4);
    assert_eq!((bench.read(IO_QSPI + 0x30) >> 4 & 0xf, bench.line(Irq::IoQspi)), (HIGH, false));
    bench.write(IO_QSPI + 0xc, 2 << 8);
    bench.wait(5);
    assert_eq!((bench.read(IO_QSPI + 0x30) >> 4 & 0xf, bench.line(Irq::IoQspi)), (LOW | FALL, true));
    assert!(!bench.line_of(1, Irq::IoQspi));
    bench.write(IO_QSPI + 0x30, FALL << 4);
    assert!(!bench.line(Irq::IoQspi));
    bench.write(IO_QSPI + 0x44, 1);
    assert_eq!((bench.line_of(1, Irq::IoQspi), bench.read(IO_QSPI + 0x48)), (true, 1));
}

proptest! {
    /// Whatever comes from outside, and whenever edges are cleared: what is latched is what has happened since.
    #[test]
    fn edges_are_those_since_they_were_cleared(steps in prop::collection::vec((any::<u32>(), any::<u32>(), 0..6u8), 1..40)) {
        let all = (1 << 30) - 1;
        let mut bench = Bench::started();
        drive(&mut bench, 0, all);
        bench.wait(5);
        for word in 0..4 {
            bench.write(INTR + 4 * word, u32::MAX);
        }
        let (mut levels, mut fallen, mut risen) = (0, 0, 0);
        for (value, mask, kind) in steps {
            if kind == 0 {
                for word in 0..4 {
                    bench.write(INTR + 4 * word, value);
                    for pin in 0..8 {
                        fallen &= !((value >> (4 * pin + 2) & 1) << (8 * word + pin));
                        risen &= !((value >> (4 * pin + 3) & 1) << (8 * word + pin));
                    }
                }
            } else {
                let new = (levels & !mask | value & mask) & all;
                drive(&mut bench, new, all);
                // A change that lasts for a cycle is one.
                bench.wait(Cycle::from(kind));
                (fallen, risen, levels) = (fallen | levels & !new, risen | new & !levels, new);
                bench.wait(if mask & 1 == 0 { 5 } else { 0 });
            }
            if bench.p.next_event() == Cycle::MAX {
                let expected = |pin: u32| {
                    let of = |pins: u32| pins >> pin & 1;
                    of(!levels) | of(levels) << 1 | of(fallen) << 2 | of(risen) << 3
                };
                for pin in 0..30 {
                    prop_assert_eq!(bits(&mut bench, INTR, pin), expected(pin), "pin {}", pin);
                }
            } else {
                bench.wait(if kind == 0 { 0 } else { 5 });
            }
        }
    }
}
