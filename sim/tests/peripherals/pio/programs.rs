//! Programs of the kinds of section 3.6 of the datasheet, written for this test, and the waves that they are for.

use super::assembly::{
    ALWAYS, AUTOPULL, AUTOPUSH, COPY, Desk, GPIO, IN_RIGHT, INVERT, ISR, MAPPED, Machine, NOP, NOT_OSRE, NOT_X, NULL,
    OSR, OUT_RIGHT, PC, PINDIRS, PINS, PLAIN, PULL, PULL_NOBLOCK, PUSH, X, X_DEC, X_NOT_Y, Y, Y_DEC, delay, in_pins,
    input, jmp, mov, out, out_pins, pull_threshold, push_threshold, set, set_pins, side, side_pins, wait, wrap,
};
use super::{PIO, TXF};
use intercore_sim::rp2040::peripherals::pins::Outputs;
use proptest::prelude::*;

/// The lengths of the levels of a wave, from the first change on.
fn runs(wave: &str) -> Vec<(char, usize)> {
    let mut runs: Vec<(char, usize)> = Vec::new();
    for level in wave.chars() {
        match runs.last_mut() {
            Some((last, count)) if *last == level => *count += 1,
            _ => runs.push((level, 1)),
        }
    }
    runs.remove(0);
    runs
}

/// 8N1, 8 cycles a bit, as in 3.6.3 and 3.6.4: PULL with the line idle, a start bit, data from the lowest bit on.
const UART_TX: [u16; 4] =
    [delay(side(PULL, 2, 0b11), 7), delay(side(set(X, 7), 2, 0b10), 7), out(PINS, 1), delay(jmp(X_DEC, 2), 6)];
const UART_TX_AT: Machine = Machine {
    execctrl: 1 << 30 | wrap(0, 3),
    shiftctrl: OUT_RIGHT,
    pinctrl: side_pins(4, 2) | out_pins(4, 1),
    ..PLAIN
};
/// Waits for a start bit, goes to the middle of the first bit of data, and samples eight.
const UART_RX: [u16; 4] = [wait(0, MAPPED, 0), delay(set(X, 7), 10), input(PINS, 1), delay(jmp(X_DEC, 10), 6)];
const UART_RX_AT: Machine = Machine {
    execctrl: wrap(8, 11),
    shiftctrl: IN_RIGHT | AUTOPUSH | push_threshold(8),
    pinctrl: in_pins(4),
    entry: 8,
    ..PLAIN
};

fn uart() -> Desk {
    let mut program = [NOP; 12];
    program[..4].copy_from_slice(&UART_TX);
    program[8..].copy_from_slice(&UART_RX);
    let mut desk = Desk::new(&program);
    desk.set_up(0, UART_TX_AT);
    desk.drive(0, 4, 1);
    desk.force(0, side(NOP, 2, 0b11));
    desk.set_up(1, UART_RX_AT);
    desk.enable(3);
    desk
}

#[test]
fn a_uart_sends_a_byte_in_ten_bits_of_eight_cycles() {
    let mut desk = uart();
    desk.bench.wait(20);
    desk.put(0, 0b0110_0101);
    let runs = runs(&desk.wave(4, 100));
    assert_eq!(runs[..7], [('0', 8), ('1', 8), ('0', 8), ('1', 8), ('0', 16), ('1', 16), ('0', 8)]);
    assert_eq!(runs.len(), 8, "and a stop bit without end");
}

/// 3.6.1, mode 0: eight bits out on pin 1 and in from pin 2, clock on pin 0, four cycles a bit.
const SPI: [u16; 2] = [delay(side(out(PINS, 1), 1, 0), 1), delay(side(input(PINS, 1), 1, 1), 1)];

/// A WS2812 (3.6.2): ten cycles a bit, high for 3 of them for a 0 and for 7 for a 1, highest bit first.
const WS2812: [u16; 4] = [
    delay(side(out(X, 1), 1, 0), 2),
    delay(side(jmp(NOT_X, 3), 1, 1), 2),
    delay(side(jmp(ALWAYS, 0), 1, 1), 3),
    delay(side(NOP, 1, 0), 3),
];

/// Manchester (3.6.5): a 1 is low and then high, a 0 high and then low, six cycles each half.
const MANCHESTER_TX: [u16; 6] = [
    delay(side(out(X, 1), 1, 0), 4),
    delay(side(jmp(NOT_X, 4), 1, 0), 0),
    delay(side(NOP, 1, 1), 4),
    delay(side(jmp(ALWAYS, 0), 1, 1), 0),
    delay(side(NOP, 1, 0), 4),
    delay(side(jmp(ALWAYS, 0), 1, 0), 0),
];

/// Adds by counting down (3.6.11): X is inverted and counted down Y times.
const ADDITION: [u16; 9] = [
    PULL,
    mov(X, INVERT, OSR),
    PULL,
    mov(Y, COPY, OSR),
    jmp(ALWAYS, 6),
    jmp(X_DEC, 6),
    jmp(Y_DEC, 5),
    mov(ISR, INVERT, X),
    PUSH,
];

/// Pulse width (3.6.8): ISR has the period, OSR the level; X keeps the last level.
const PWM: [u16; 7] = [
    side(PULL_NOBLOCK, 2, 0b10),
    mov(X, COPY, OSR),
    mov(Y, COPY, ISR),
    jmp(X_NOT_Y, 5),
    jmp(ALWAYS, 6) | 0b11 << 11,
    NOP,
    jmp(Y_DEC, 3),
];

/// A quadrature encoder (3.6.7) by jumps to `old state, new state`: counts Y down for one direction and up for the other.
fn quadrature() -> Vec<u16> {
    let (keep, down, up) = (jmp(ALWAYS, 16), jmp(ALWAYS, 22), jmp(ALWAYS, 24));
    // Of old and new state, 00, 01, 11, 10 is one turn forwards.
    let table = [keep, up, down, keep, down, keep, keep, up, up, keep, keep, down, keep, down, up, keep];
    let mut program = table.to_vec();
    program.extend([
        // 16: the state that was new is old now.
        mov(OSR, COPY, ISR),
        mov(ISR, COPY, NULL),
        input(OSR, 2),
        input(PINS, 2),
        mov(PC, COPY, ISR),
        NOP,
        // 22: down; 24: up, which is inverted, down, inverted.
        jmp(Y_DEC, 16),
        jmp(ALWAYS, 16),
        mov(Y, INVERT, Y),
        jmp(Y_DEC, 26),
        mov(Y, INVERT, Y),
        jmp(ALWAYS, 16),
    ]);
    program
}

#[test]
fn a_pwm_keeps_its_level_until_there_is_another() {
    let mut desk = Desk::new(&PWM);
    desk.set_up(0, Machine { execctrl: 1 << 30 | wrap(0, 6), pinctrl: side_pins(9, 2), ..PLAIN });
    desk.write(super::at_machine(0xdc, 0), set_pins(9, 1));
    desk.force(0, set(PINDIRS, 1));
    desk.write(super::at_machine(0xdc, 0), side_pins(9, 2));
    desk.put(0, 20);
    for instruction in [PULL, mov(ISR, COPY, OSR)] {
        desk.force(0, instruction);
    }
    desk.enable(1);
    for level in [5, 15, 0] {
        desk.put(0, level);
        desk.bench.wait(200);
        let period = 3 + 3 * 21;
        let wave = desk.wave(9, 4 * period);
        let runs = runs(&wave);
        let highs: Vec<usize> = runs[..runs.len() - 1].iter().filter(|run| run.0 == '1').map(|run| run.1).collect();
        // High from the turn in which the counter meets the level until PULL; the meeting takes one cycle and the next jump.
        let expected = 3 * level as usize + 2;
        assert!(highs.len() >= 2 && highs.iter().all(|&high| high.abs_diff(expected) <= 1), "{level}: {highs:?}");
    }
}

#[test]
fn a_quadrature_encoder_counts_both_directions() {
    let mut desk = Desk::new(&quadrature());
    desk.set_up(0, Machine { shiftctrl: 0, pinctrl: in_pins(14), entry: 16, ..PLAIN });
    desk.force(0, set(Y, 20));
    desk.enable(1);
    let turn = |desk: &mut Desk, states: &[u32]| {
        for state in states {
            let outside = Outputs { levels: state << 14, enables: 3 << 14 };
            desk.bench.with(|p, context| p.set_outside(outside, context));
            desk.bench.wait(40);
        }
    };
    turn(&mut desk, &[0b01, 0b11, 0b10, 0b00, 0b01]);
    turn(&mut desk, &[0b00, 0b10]);
    assert_eq!(desk.register(0, Y), 20 + 5 - 2);
}

#[test]
fn an_open_drain_line_is_pulled_up_and_pulled_down() {
    // As I2C and 1-Wire do: the level is 0, and the direction is what is sent.
    let mut desk = Desk::new(&[delay(out(PINDIRS, 1), 2), wait(1, GPIO, 6), jmp(NOT_OSRE, 0), jmp(ALWAYS, 3)]);
    desk.bench.write(0x4001_c004 + 4 * 6, 0x5a);
    desk.set_up(0, Machine { shiftctrl: OUT_RIGHT | pull_threshold(2), pinctrl: out_pins(6, 1), ..PLAIN });
    desk.put(0, 0b10);
    desk.force(0, PULL);
    desk.enable(1);
    // Released, then low for ever: WAIT does not go on.
    assert_eq!(desk.wave(6, 12), "111111000000");
    assert_eq!(desk.read(super::at_machine(0xd4, 0)), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_uart_receives_what_it_sends(bytes in proptest::collection::vec(any::<u8>(), 1..6)) {
        let mut desk = uart();
        let mut received = Vec::new();
        for &byte in &bytes {
            desk.put(0, byte.into());
            desk.bench.wait(3);
        }
        for _ in &bytes {
            received.push(desk.get(1, 200).map(|word| (word >> 24) as u8));
        }
        prop_assert_eq!(received, bytes.into_iter().map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn spi_shifts_a_byte_out_and_one_in(bytes in proptest::collection::vec(any::<u8>(), 1..5)) {
        let mut desk = Desk::new(&SPI);
        desk.set_up(0, Machine {
            execctrl: wrap(0, 1),
            shiftctrl: AUTOPULL | AUTOPUSH | pull_threshold(8) | push_threshold(8),
            // MISO is MOSI.
            pinctrl: side_pins(0, 1) | out_pins(1, 1) | in_pins(1),
            ..PLAIN
        });
        desk.drive(0, 0, 2);
        // The synchroniser would take longer than there is from OUT to IN (3.5.6.3).
        desk.write(super::SYNC_BYPASS, 2);
        desk.enable(1);
        let mut waves = [String::new(), String::new()];
        for &byte in &bytes {
            desk.put(0, u32::from(byte) << 24);
            for (wave, more) in waves.iter_mut().zip(desk.waves(&[0, 1], 45)) {
                wave.push_str(&more);
            }
            prop_assert_eq!(desk.get(0, 10), Some(byte.into()));
        }
        // A device samples data as the clock rises.
        let [clock, data] = waves.map(String::into_bytes);
        let sampled = (1..clock.len()).filter(|&at| clock[at - 1] < clock[at]).map(|at| data[at] - b'0');
        let sent: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
        prop_assert_eq!(sampled.collect::<Vec<_>>(), sent);
    }

    #[test]
    fn a_ws2812_has_a_bit_each_ten_cycles(colour in 0u32..1 << 24) {
        let mut desk = Desk::new(&WS2812);
        desk.set_up(0, Machine {
            execctrl: wrap(0, 3),
            shiftctrl: AUTOPULL | pull_threshold(24),
            pinctrl: side_pins(2, 1),
            ..PLAIN
        });
        desk.write(super::at_machine(0xdc, 0), set_pins(2, 1));
        desk.force(0, set(PINDIRS, 1));
        desk.write(super::at_machine(0xdc, 0), side_pins(2, 1));
        desk.enable(1);
        desk.put(0, colour << 8);
        let wave = desk.wave(2, 300);
        let runs = runs(&wave);
        let highs: Vec<u32> = runs.iter().filter(|run| run.0 == '1').map(|run| u32::from(run.1 == 7)).collect();
        prop_assert!(runs[..47].chunks(2).all(|bit| bit.len() < 2 || bit[0].1 + bit[1].1 == 10), "{:?}", runs);
        prop_assert_eq!(highs.into_iter().fold(0, |word, bit| word << 1 | bit), colour);
    }

    #[test]
    fn manchester_has_an_edge_in_each_bit(word: u32) {
        let mut desk = Desk::new(&MANCHESTER_TX);
        desk.set_up(0, Machine {
            execctrl: wrap(0, 5),
            shiftctrl: OUT_RIGHT | AUTOPULL,
            pinctrl: set_pins(0, 1),
            ..PLAIN
        });
        desk.force(0, set(PINDIRS, 1));
        desk.write(super::at_machine(0xdc, 0), side_pins(0, 1));
        desk.enable(1);
        desk.put(0, word);
        desk.bench.wait(3);
        let wave = desk.wave(0, 32 * 12).into_bytes();
        let bits = wave.chunks(12).map(|bit| u32::from(bit[8] == b'1'));
        prop_assert_eq!(bits.enumerate().fold(0, |word, (at, bit)| word | bit << at), word);
    }

    #[test]
    fn an_addition_adds(a: u32, b in 0u32..60) {
        let mut desk = Desk::new(&ADDITION);
        desk.set_up(0, Machine { execctrl: wrap(0, 8), ..PLAIN });
        desk.enable(1);
        desk.put(0, a);
        desk.put(0, b);
        prop_assert_eq!(desk.get(0, 400), Some(a.wrapping_add(b)));
    }
}

/// A write to a full FIFO in the cycle in which the state machine makes room comes too early.
#[test]
fn room_is_there_from_the_next_cycle_on() {
    for late in [0, 1] {
        let mut desk = Desk::new(&[PULL, jmp(ALWAYS, 1)]);
        desk.set_up(0, PLAIN);
        for word in 0..4 {
            desk.put(0, word);
        }
        desk.enable(1);
        desk.bench.wait(1 + late);
        desk.bench.write(PIO[0] + TXF, 4);
        desk.bench.wait(1);
        assert_eq!((desk.read(super::FLEVEL), desk.read(super::FDEBUG)), if late == 0 { (3, 1 << 16) } else { (4, 0) });
    }
}
