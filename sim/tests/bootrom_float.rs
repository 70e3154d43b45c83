//! The floating-point library of our boot ROM, through its tables as firmware calls it, against the host's own arithmetic.

#![allow(clippy::float_cmp)] // results are right to the bit
#![allow(clippy::cast_sign_loss)]

use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;
use intercore_sim::rp2040::bootrom;
use intercore_sim::rp2040::machine::Machine;
use proptest::prelude::*;

const SRAM: u32 = 0x2000_0000;

/// Places in both tables (datasheet 2.8.3.2.2).
const ADD: u32 = 0x00;
const SUB: u32 = 0x04;
const MUL: u32 = 0x08;
const DIV: u32 = 0x0C;
const COMPARE_FAST: u32 = 0x10;
const SQRT: u32 = 0x18;
const TO_INT: u32 = 0x1C;
const TO_FIX: u32 = 0x20;
const TO_UINT: u32 = 0x24;
const TO_UFIX: u32 = 0x28;
const FROM_INT: u32 = 0x2C;
const FROM_FIX: u32 = 0x30;
const FROM_UINT: u32 = 0x34;
const FROM_UFIX: u32 = 0x38;
const COS: u32 = 0x3C;
const SIN: u32 = 0x40;
const TAN: u32 = 0x44;
const SINCOS: u32 = 0x48;
const EXP: u32 = 0x4C;
const LN: u32 = 0x50;
const COMPARE: u32 = 0x54;
const ATAN2: u32 = 0x58;
const FROM_INT64: u32 = 0x5C;
const FROM_FIX64: u32 = 0x60;
const FROM_UINT64: u32 = 0x64;
const TO_INT64: u32 = 0x6C;
const TO_UINT64: u32 = 0x74;
const TO_UFIX64: u32 = 0x78;
const CONVERT: u32 = 0x7C;

/// A machine with our ROM and, at the start of SRAM, WFI and a branch back to it.
fn machine() -> Machine {
    let mut machine = Machine::new();
    machine.load(0, &bootrom::ours()[..]);
    machine.load(SRAM, &[0x30, 0xBF, 0xFD, 0xE7]);
    machine
}

/// The address that the ROM's data table has for a code.
fn data(code: [u8; 2]) -> u32 {
    let rom = bootrom::ours();
    let half = |at: usize| u32::from(rom[at]) | u32::from(rom[at + 1]) << 8;
    let mut at = half(0x16) as usize;
    while rom[at..at + 2] != code {
        assert_ne!(half(at), 0, "the ROM has no {code:?}");
        at += 4;
    }
    half(at + 2)
}

/// Calls what is at an address; returns R0 to R3.
fn call_at(machine: &mut Machine, function: u32, arguments: [u32; 4]) -> [u32; 4] {
    machine.start_core(0, function, 0x2004_1000);
    for (register, argument) in arguments.into_iter().enumerate() {
        machine.core_mut(0).set_register(register, argument);
    }
    machine.core_mut(0).set_register(4, 0x4444_4444);
    machine.core_mut(0).set_register(14, SRAM | 1);
    assert_eq!(machine.run_until(machine.now() + 10_000), Stop::DeadEnd);
    assert_eq!(machine.core(0).register(15) & !3, SRAM, "the function returned");
    assert_eq!(machine.core(0).register(4), 0x4444_4444, "registers of the caller are kept");
    [0, 1, 2, 3].map(|register| machine.core(0).register(register))
}

fn call(table: [u8; 2], offset: u32, arguments: [u32; 4]) -> [u32; 4] {
    let mut machine = machine();
    let function = machine.peek(data(table) + offset).expect("in the ROM");
    call_at(&mut machine, function, arguments)
}

fn single(offset: u32, x: f32, y: f32) -> f32 {
    f32::from_bits(call(*b"SF", offset, [x.to_bits(), y.to_bits(), 0, 0])[0])
}

fn words(x: f64) -> [u32; 2] {
    [x.to_bits() as u32, (x.to_bits() >> 32) as u32]
}

fn wide([low, high, ..]: [u32; 4]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn double(offset: u32, x: f64, y: f64) -> f64 {
    let ([x0, x1], [y0, y1]) = (words(x), words(y));
    f64::from_bits(wide(call(*b"SD", offset, [x0, x1, y0, y1])))
}

fn assert_near(found: f64, expected: f64, bits: u32) {
    let bound = expected.abs().max(f64::MIN_POSITIVE) * 0.5_f64.powi(bits.cast_signed());
    assert!((found - expected).abs() <= bound, "{found:e} for {expected:e}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn sums_products_quotients_and_roots_are_correctly_rounded(
        x in proptest::num::f32::NORMAL, y in proptest::num::f32::NORMAL,
        u in proptest::num::f64::NORMAL, v in proptest::num::f64::NORMAL,
    ) {
        let flushed = |x: f32| if x.is_subnormal() { 0.0_f32.copysign(x) } else { x };
        for (offset, expected) in [(ADD, x + y), (SUB, x - y), (MUL, x * y), (DIV, x / y), (SQRT, x.abs().sqrt())] {
            let first = if offset == SQRT { x.abs() } else { x };
            prop_assert_eq!(single(offset, first, y).to_bits(), flushed(expected).to_bits());
        }
        let flushed = |x: f64| if x.is_subnormal() { 0.0_f64.copysign(x) } else { x };
        for (offset, expected) in [(ADD, u + v), (SUB, u - v), (MUL, u * v), (DIV, u / v), (SQRT, u.abs().sqrt())] {
            let first = if offset == SQRT { u.abs() } else { u };
            prop_assert_eq!(double(offset, first, v).to_bits(), flushed(expected).to_bits());
        }
    }

    #[test]
    fn integers_become_the_nearest_number_and_back(n: i32, wide_n: i64, point in 0_u32..32) {
        let bits = |n: i32| n.cast_unsigned();
        let float = |offset, a: [u32; 4]| f32::from_bits(call(*b"SF", offset, a)[0]);
        prop_assert_eq!(float(FROM_INT, [bits(n), 0, 0, 0]), n as f32);
        prop_assert_eq!(float(FROM_UINT, [bits(n), 0, 0, 0]), bits(n) as f32);
        prop_assert_eq!(float(FROM_FIX, [bits(n), point, 0, 0]), n as f32 / (1_u64 << point) as f32);
        prop_assert_eq!(float(FROM_UFIX, [bits(n), point, 0, 0]), bits(n) as f32 / (1_u64 << point) as f32);
        let [low, high] = [wide_n as u32, (wide_n >> 32) as u32];
        prop_assert_eq!(float(FROM_INT64, [low, high, 0, 0]), wide_n as f32);
        prop_assert_eq!(float(FROM_UINT64, [low, high, 0, 0]), wide_n.cast_unsigned() as f32);
        let double = |offset, a: [u32; 4]| f64::from_bits(wide(call(*b"SD", offset, a)));
        prop_assert_eq!(double(FROM_INT, [bits(n), 0, 0, 0]), f64::from(n));
        prop_assert_eq!(double(FROM_FIX64, [low, high, point, 0]), wide_n as f64 / (1_u64 << point) as f64);
        let back = |offset, x: f64| { let [a, b] = words(x); call(*b"SD", offset, [a, b, point, 0]) };
        prop_assert_eq!(back(TO_INT, f64::from(n) + 0.5)[0], bits(n));
        prop_assert_eq!(back(TO_FIX, f64::from(n) / f64::from(1_u32 << point))[0], bits(n));
        prop_assert_eq!(wide(back(TO_INT64, f64::from(n) + 0.5)).cast_signed(), i64::from(n));
    }

    #[test]
    fn functions_of_angles_and_logarithms_are_near(x in -100.0_f64..100.0, y in -100.0_f64..100.0) {
        for (offset, expected) in [(COS, x.cos()), (SIN, x.sin()), (TAN, x.tan()), (EXP, x.exp()), (ATAN2, x.atan2(y))] {
            assert_near(double(offset, x, y), expected, 48);
            let (x, y) = (x as f32, y as f32);
            let (a, b) = (f64::from(x), f64::from(y));
            let expected = match offset {
                COS => a.cos(),
                SIN => a.sin(),
                TAN => a.tan(),
                EXP if a.exp() > f64::from(f32::MAX) => f64::INFINITY,
                EXP if a.exp() < f64::from(f32::MIN_POSITIVE) => 0.0,
                EXP => a.exp(),
                _ => a.atan2(b),
            };
            if expected.is_infinite() {
                prop_assert!(single(offset, x, y).is_infinite());
            } else {
                assert_near(f64::from(single(offset, x, y)), expected, 22);
            }
        }
        assert_near(double(LN, x.abs() + 1.5, 0.0), (x.abs() + 1.5).ln(), 48);
    }
}

/// As the chip's ROM has it: the results of its published source, run on this simulator.
#[test]
fn a_nan_is_an_infinity_and_a_denormal_number_is_zero() {
    let (infinity, tiny) = (f32::INFINITY, f32::from_bits(1));
    assert_eq!(single(ADD, f32::NAN, 1.0), infinity);
    assert_eq!(single(ADD, -infinity, infinity), infinity);
    assert_eq!(single(MUL, 0.0, -infinity), -infinity);
    assert_eq!(single(DIV, 0.0, 0.0), infinity);
    assert_eq!(single(ADD, tiny, tiny).to_bits(), 0);
    assert_eq!(single(MUL, f32::MIN_POSITIVE, 0.5).to_bits(), 0);
    assert_eq!(single(DIV, 1.0, -tiny), -infinity);
    assert_eq!(single(SQRT, -2.5, 0.0), -infinity);
    assert_eq!(single(LN, 0.0, 0.0), -infinity);
    assert_eq!(double(EXP, 1000.0, 0.0), f64::INFINITY);
    assert_eq!(double(CONVERT, f64::NAN, 0.0).to_bits() as u32, f32::INFINITY.to_bits());
}

#[test]
fn numbers_out_of_range_are_clamped_and_fractions_rounded_down() {
    let float = |offset, x: f32, point| call(*b"SF", offset, [x.to_bits(), point, 0, 0]);
    // Datasheet 2.8.3.2.2: "rounding towards -Infinity, and clamping the result".
    assert_eq!(float(TO_INT, -2.5, 0)[0], (-3_i32).cast_unsigned());
    assert_eq!(float(TO_INT, 3e9, 0)[0], 0x7FFF_FFFF);
    assert_eq!(float(TO_INT, -3e9, 0)[0], 0x8000_0000);
    assert_eq!(float(TO_UINT, -1.0, 0)[0], 0);
    assert_eq!(float(TO_UINT, 5e9, 0)[0], u32::MAX);
    // The datasheet's own example.
    assert_eq!(float(TO_FIX, 0.5, 16)[0], 0x8000);
    assert_eq!(float(TO_UFIX, 0.5, 16)[0], 0x8000);
    assert_eq!(wide(float(TO_UFIX64, 0.5, 16)), 0x8000);
    assert_eq!(wide(float(TO_INT64, -1e30, 0)), 1 << 63);
    assert_eq!(wide(float(TO_UINT64, 1e30, 0)), u64::MAX);
    assert_eq!(f64::from_bits(wide(float(CONVERT, 0.1, 0))), f64::from(0.1_f32));
}

#[test]
fn comparisons_give_minus_1_0_or_1_and_the_flags() {
    for (x, y, result) in [(1.0, 2.0, -1), (2.0, 2.0, 0), (3.0, 2.0, 1), (-1.0, 1.0, -1), (0.0, -0.0, 0)] {
        let ([x0, x1], [y0, y1]) = (words(x), words(y));
        for offset in [COMPARE_FAST, COMPARE] {
            let expected = i32::cast_unsigned(result);
            assert_eq!(call(*b"SD", offset, [x0, x1, y0, y1])[0], expected, "{x} and {y}");
            let (x, y) = ((x as f32).to_bits(), (y as f32).to_bits());
            let mut machine = machine();
            let function = machine.peek(data(*b"SF") + offset).expect("in the ROM");
            assert_eq!(call_at(&mut machine, function, [x, y, 7, 8]), [expected, y, 7, 8]);
            assert_eq!(machine.core(0).xpsr() >> 30, u32::from(result < 0) << 1 | u32::from(result == 0), "N and Z");
        }
    }
    // Only the full comparison takes denormal numbers for zero.
    assert_eq!(call(*b"SF", COMPARE, [1, 0, 0, 0])[0], 0);
    assert_eq!(call(*b"SF", COMPARE_FAST, [1, 0, 0, 0])[0], 1);
}

#[test]
fn sine_and_cosine_come_together() {
    let [sine, cosine, ..] = call(*b"SF", SINCOS, [1.0_f32.to_bits(), 0, 0, 0]).map(f32::from_bits);
    assert_eq!((sine, cosine), (1.0_f32.sin(), 1.0_f32.cos()));
    let [x0, x1] = words(1.0);
    let [s0, s1, c0, c1] = call(*b"SD", SINCOS, [x0, x1, 0, 0]);
    assert_near(f64::from_bits(wide([s0, s1, 0, 0])), 1.0_f64.sin(), 51);
    assert_near(f64::from_bits(wide([c0, c1, 0, 0])), 1.0_f64.cos(), 51);
}

/// Cycles of a function from its first instruction to the one that it returns to.
fn cycles(table: [u8; 2], offset: u32, arguments: [u32; 4]) -> u64 {
    let mut machine = machine();
    let function = machine.peek(data(table) + offset).expect("in the ROM");
    let begin = machine.bus.fabric.watch.probe(Watch::Execute, function & !1, 1);
    let end = machine.bus.fabric.watch.probe(Watch::Execute, SRAM, 1);
    call_at(&mut machine, function, arguments);
    machine.bus.fabric.watch.hits(end)[0].cycle - machine.bus.fabric.watch.hits(begin)[0].cycle
}

/// Beside ours stands what the chip's ROM takes on average: its published source on this simulator; the last two are those of
/// the datasheet (2.8.3.2.2).
#[test]
fn functions_take_about_the_cycles_of_the_chips_rom() {
    let (one, [two_low, two_high]) = (1.5_f32.to_bits(), words(2.5));
    for (table, offset, ours, silicon) in [
        (b"SF", ADD, 73, 72),
        (b"SF", MUL, 58, 57),
        (b"SF", DIV, 70, 71),
        (b"SF", COMPARE_FAST, 13, 13),
        (b"SF", SQRT, 64, 63),
        (b"SF", SIN, 598, 597),
        (b"SF", LN, 787, 786),
        (b"SD", ADD, 91, 90),
        (b"SD", MUL, 157, 156),
        (b"SD", DIV, 184, 184),
        (b"SD", COS, 1621, 1622),
        (b"SD", TO_UFIX64, 52, 52),
        (b"SD", CONVERT, 22, 23),
    ] {
        let arguments = if table == b"SF" { [one, one, 0, 0] } else { [two_low, two_high, two_low, two_high] };
        assert_eq!(cycles(*table, offset, arguments), ours, "{offset:#x}");
        assert!(ours.abs_diff(silicon) <= 1);
    }
    // The library shifts an integer into place bit by bit: measured as above.
    for (value, silicon) in [(1, 198), (1 << 8, 158), (1 << 16, 118), (1 << 24, 78)] {
        assert!(cycles(*b"SF", FROM_INT, [value, 0, 0, 0]).abs_diff(silicon) <= 1);
    }
}

/// Datasheet 2.8.3.3: with the pointers to its start and end, the library can be copied to SRAM.
#[test]
fn a_copy_in_sram_does_the_same() {
    let mut machine = machine();
    for (start, end, table, arguments, expected) in [
        (*b"FS", *b"FE", *b"SF", [1.5_f32.to_bits(), 2.0_f32.to_bits(), 0, 0], 3.5_f32.to_bits()),
        (*b"DS", *b"DE", *b"SD", [0, words(1.5)[1], 0, words(2.0)[1]], 0),
    ] {
        let (start, end) = (data(start), data(end));
        let copy = SRAM + 0x1000;
        let code = machine.peek_bytes(start, (end - start) as usize);
        machine.load(copy, &code);
        let function = machine.peek(data(table)).expect("in the ROM") - start + copy;
        assert_eq!(call_at(&mut machine, function, arguments)[0], expected);
    }
}

/// Both engines stop for the library and go on the same.
#[test]
fn both_engines_agree_on_the_library() {
    let run = |engine| {
        let mut machine = machine();
        machine.engine = engine;
        let function = machine.peek(data(*b"SD") + DIV).expect("in the ROM");
        let ([x0, x1], [y0, y1]) = (words(355.0), words(113.0));
        call_at(&mut machine, function, [x0, x1, y0, y1]);
        (machine.now(), machine.state_hash())
    };
    assert_eq!(run(intercore_sim::engine::Engine::LockStep), run(intercore_sim::engine::Engine::Decoupled));
}
