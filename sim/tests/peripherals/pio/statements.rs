//! What chapter 3 of the datasheet says of cycles, instructions and FIFOs.

use super::assembly::{
    ALWAYS, AUTOPULL, AUTOPUSH, COPY, Desk, FLAG, IN_RIGHT, INVERT, ISR, Machine, NOP, NOT_OSRE, NOT_X, NOT_Y, NULL,
    OSR, OUT_RIGHT, PC, PIN, PINDIRS, PINS, PLAIN, PULL, PULL_IFEMPTY, PULL_NOBLOCK, PUSH, PUSH_IFFULL, PUSH_NOBLOCK,
    REL, REVERSE, STATUS, X, X_DEC, X_NOT_Y, Y, Y_DEC, delay, input, irq, irq_clear, irq_wait, jmp, mov, out,
    pull_threshold, push_threshold, set, set_pins, side, side_pins, wait, wrap,
};
use super::{CTRL, EXECCTRL, FDEBUG, FLEVEL, FSTAT, INTE, IRQ, IRQ_FORCE, PADOUT, PIO, RXF, TXF, at_machine};
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::pins::Outputs;

/// 3.2.1: two instructions high, two low.
#[test]
fn a_square_wave_has_four_cycles() {
    let mut desk = Desk::new(&[set(PINDIRS, 1), delay(set(PINS, 1), 1), set(PINS, 0), jmp(ALWAYS, 1)]);
    desk.set_up(0, Machine { pinctrl: set_pins(0, 1), ..PLAIN });
    desk.enable(1);
    // Enabled; the direction; and what an instruction sets is at the pin in the cycle after it.
    assert_eq!(desk.wave(0, 14), "00110011001100");
}

/// 3.2.2: wrapping takes no cycle, and a jump from `wrap_top` comes first.
#[test]
fn a_program_wraps_in_no_time() {
    let mut desk = Desk::new(&[set(PINDIRS, 1), set(PINS, 1), set(PINS, 0), jmp(X_DEC, 2)]);
    desk.set_up(0, Machine { execctrl: wrap(1, 2), pinctrl: set_pins(0, 1), ..PLAIN });
    desk.enable(1);
    assert_eq!(desk.wave(0, 10), "0010101010");
    let mut desk = Desk::new(&[set(PINS, 1), set(PINS, 0), jmp(ALWAYS, 1)]);
    desk.set_up(0, Machine { execctrl: wrap(0, 2), ..PLAIN });
    desk.enable(1);
    desk.bench.wait(101);
    assert!((1..3).contains(&desk.read(at_machine(0xd4, 0))));
}

/// 3.5.5: the clock enable of divisors 1, 2, 2.5; with the fraction gathered.
#[test]
fn a_divider_ticks_as_in_its_figures() {
    for (clkdiv, expected) in [
        (0x1_0000, "01010101010101010101"),
        (0x2_0000, "01100110011001100110"),
        // 0, 2, 5, 7, 10, 12, 15 cycles after the first one.
        (0x2_8000, "01100011000110001100"),
        (0x1_4000, "01010010100101001010"),
    ] {
        let mut desk = Desk::new(&[set(PINS, 1), set(PINS, 0)]);
        desk.set_up(0, Machine { clkdiv, execctrl: wrap(0, 1), pinctrl: set_pins(0, 1), ..PLAIN });
        desk.force(0, set(PINDIRS, 1));
        desk.enable(1);
        assert_eq!(desk.wave(0, 20), expected, "{clkdiv:#x}");
    }
}

/// 3.7, `CTRL.CLKDIV_RESTART`: dividers run on while a state machine is disabled, and go in step once restarted together.
#[test]
fn dividers_run_on_and_can_be_put_in_step() {
    let toggles = [set(PINS, 1), set(PINS, 0)];
    let machine = |pin| Machine { clkdiv: 7 << 16, execctrl: wrap(0, 1), pinctrl: set_pins(pin, 1), ..PLAIN };
    let mut desk = Desk::new(&toggles);
    for number in 0..2 {
        desk.set_up(number, machine(number));
        desk.force(number, set(PINDIRS, 1));
        desk.bench.wait(3);
    }
    desk.enable(3);
    let waves = desk.waves(&[0, 1], 40);
    assert_eq!(waves[0], waves[1]);
    // Disabled for 20 cycles, it goes on at one of the ticks that it would have had: 7 × n cycles after the first one.
    desk.write(CTRL, 0);
    desk.bench.wait(20);
    let before = desk.bench.now;
    desk.bench.write(PIO[0] + CTRL, 3);
    let wave = desk.wave(0, 30);
    let start = before - 61;
    let change = before + 1 + wave.find(if wave.starts_with('1') { '0' } else { '1' }).expect("it goes on") as u64;
    assert_eq!((change - start - 2) % 7, 0, "{wave}, {change}");
}

/// 3.5.5: nor does a divider stop for a stall. With a divisor of 5, ticks are in cycles 1, 6, 11 after the one that enables; what
/// comes behind the tick after the change is 7 cycles apart.
#[test]
fn a_divider_that_is_changed_during_a_stall_keeps_its_tick() {
    let mut desk = Desk::new(&[PULL, set(PINS, 1), jmp(ALWAYS, 2)]);
    desk.set_up(0, Machine { clkdiv: 5 << 16, pinctrl: set_pins(0, 1), ..PLAIN });
    desk.force(0, set(PINDIRS, 1));
    desk.enable(1);
    desk.bench.wait(8);
    desk.write(0xc8, 7 << 16);
    desk.put(0, 0);
    let low = desk.wave(0, 20).find('1').expect("it goes on") as u64;
    // PULL in cycle 11, SET in cycle 18, and the pin is high in the one after it.
    assert_eq!(10 + 1 + low, 19);
}

/// 3.2.4, 3.5.1: a side-set comes with the first cycle of an instruction that stalls, its delay after the last one.
#[test]
fn a_side_set_comes_before_and_a_delay_after_a_stall() {
    let bits = 1;
    let mut desk = Desk::new(&[
        side(set(PINDIRS, 1), bits, 0),
        side(delay(PULL, 3), bits, 1),
        side(delay(NOP, 0), bits, 0),
        side(jmp(ALWAYS, 3), bits, 0),
    ]);
    desk.set_up(0, Machine { pinctrl: side_pins(0, 1) | set_pins(0, 1), ..PLAIN });
    desk.enable(1);
    assert_eq!(desk.wave(0, 6), "001111");
    // The word is there from the next cycle on: PULL, three of delay, and the NOP whose level is at the pin after it.
    desk.bench.write(PIO[0] + TXF, 5);
    assert_eq!(desk.wave(0, 8), "11111000");
}

/// 3.4.2.
#[test]
fn jmp_has_eight_conditions() {
    // X, Y, OSR: full or empty, pin; and which conditions hold.
    let cases = [
        (0, 0, false, false, [ALWAYS, NOT_X, NOT_Y].as_slice()),
        (1, 0, true, false, &[ALWAYS, X_DEC, NOT_Y, X_NOT_Y, NOT_OSRE]),
        (2, 2, false, true, &[ALWAYS, X_DEC, Y_DEC, PIN]),
        (0, 3, true, true, &[ALWAYS, NOT_X, Y_DEC, X_NOT_Y, PIN, NOT_OSRE]),
    ];
    for (x, y, full, pin, holding) in cases {
        for condition in 0..8 {
            let mut desk = Desk::new(&[]);
            desk.set_up(0, Machine { execctrl: 11 << 24, ..PLAIN });
            let outside = Outputs { levels: u32::from(pin) << 11, enables: 1 << 11 };
            desk.bench.with(|p, context| p.set_outside(outside, context));
            for instruction in [set(X, x), set(Y, y), if full { mov(OSR, COPY, X) } else { NOP }, jmp(condition, 20)] {
                desk.force(0, instruction);
            }
            desk.bench.wait(1);
            let taken = desk.read(at_machine(0xd4, 0)) == 20;
            assert_eq!(taken, holding.contains(&condition), "condition {condition} of {x}, {y}, {full}, {pin}");
            let after = desk.register(0, X);
            let decremented = if condition == X_DEC { u32::from(x).wrapping_sub(1) } else { u32::from(x) };
            assert_eq!(after, decremented, "X-- goes on below 0");
        }
    }
}

/// 3.4.4, 3.4.5: bits go in and out at the end that the direction says.
#[test]
fn shift_registers_have_two_directions() {
    for (right, shifted_in, shifted_out) in [(IN_RIGHT | OUT_RIGHT, 0xb500_0000, 0x8), (0, 0xb5, 0x1)] {
        let mut desk = Desk::new(&[]);
        desk.set_up(0, Machine { shiftctrl: right, ..PLAIN });
        desk.put(0, 0x1234_5678);
        for instruction in [PULL, out(X, 4), mov(ISR, COPY, X), PUSH] {
            desk.force(0, instruction);
        }
        assert_eq!(desk.get(0, 4), Some(shifted_out));
        desk.put(0, 0x5);
        desk.put(0, 0xb);
        let nibbles = if right == 0 { [Y, X] } else { [X, Y] };
        for instruction in
            [PULL, mov(X, COPY, OSR), PULL, mov(Y, COPY, OSR), input(nibbles[0], 4), input(nibbles[1], 4)]
        {
            desk.force(0, instruction);
        }
        desk.force(0, PUSH);
        assert_eq!(desk.get(0, 4), Some(shifted_in));
    }
}

/// 3.4.8.
#[test]
fn mov_copies_inverts_and_reverses() {
    for (operation, expected) in [(COPY, 0x8000_00f1_u32), (INVERT, 0x7fff_ff0e), (REVERSE, 0x8f00_0001)] {
        let mut desk = Desk::new(&[]);
        desk.set_up(0, PLAIN);
        desk.put(0, 0x8000_00f1);
        for instruction in [PULL, mov(X, operation, OSR)] {
            desk.force(0, instruction);
        }
        assert_eq!(desk.register(0, X), expected);
    }
}

/// 3.4.8.2: all ones if the level is below N.
#[test]
fn status_compares_a_level() {
    for (sel, n, expected) in [(0, 2, 0), (0, 3, u32::MAX), (1, 1, 0), (1, 2, u32::MAX)] {
        let mut desk = Desk::new(&[]);
        desk.set_up(0, Machine { execctrl: sel << 4 | n, ..PLAIN });
        desk.put(0, 1);
        desk.put(0, 2);
        for instruction in [PUSH, mov(X, COPY, STATUS)] {
            desk.force(0, instruction);
        }
        assert_eq!(desk.get(0, 4), Some(0));
        assert_eq!(desk.register(0, X), expected, "{sel} {n}");
    }
}

/// 3.5.4.2: the OSR is filled while its last bits leave it, but not filled and used in one cycle.
#[test]
fn autopull_moves_a_word_a_cycle() {
    let mut desk = Desk::new(&[out(PINS, 8)]);
    desk.set_up(
        0,
        Machine { execctrl: wrap(0, 0), shiftctrl: OUT_RIGHT | AUTOPULL | pull_threshold(8) | 1 << 30, ..PLAIN },
    );
    for word in 1..=6 {
        desk.put(0, word);
    }
    desk.enable(1);
    // In the first cycle it finds the OSR empty: it fills it, and stalls.
    let seen: Vec<u32> = (0..9)
        .map(|_| {
            desk.bench.wait(1);
            desk.read(PADOUT)
        })
        .collect();
    assert_eq!(seen, [0, 0, 1, 2, 3, 4, 5, 6, 6]);
    assert_eq!(desk.read(FDEBUG), 1 << 24, "TXSTALL: then it has none");
}

/// 3.5.4.2: it happens in the background of any instruction, but not behind the back of one that is disabled.
#[test]
fn autopull_comes_with_any_instruction() {
    let mut desk = Desk::new(&[delay(NOP, 31), jmp(ALWAYS, 0)]);
    desk.set_up(0, Machine { shiftctrl: OUT_RIGHT | AUTOPULL, ..PLAIN });
    desk.put(0, 7);
    assert_eq!(desk.read(FLEVEL), 1);
    desk.enable(1);
    desk.bench.wait(2);
    assert_eq!(desk.read(FLEVEL), 0);
    // And in a delay cycle, too, once the OSR has been used up.
    desk.force(0, out(NULL, 32));
    desk.bench.wait(1);
    desk.bench.write(PIO[0] + TXF, 8);
    desk.bench.wait(1);
    assert_eq!(desk.read(FLEVEL), 1);
    desk.bench.wait(1);
    assert_eq!(desk.read(FLEVEL), 0);
}

/// 3.5.4.1: an IN that fills the ISR pushes it in the same cycle, or stalls.
#[test]
fn autopush_pushes_or_stalls() {
    let mut desk = Desk::new(&[input(X, 16), input(Y, 16)]);
    desk.set_up(0, Machine { execctrl: wrap(0, 1), shiftctrl: AUTOPUSH, ..PLAIN });
    desk.force(0, set(X, 3));
    desk.force(0, set(Y, 9));
    desk.enable(1);
    desk.bench.wait(3);
    assert_eq!(desk.read(FLEVEL), 0x10, "after two instructions");
    desk.bench.wait(20);
    assert_eq!((desk.read(FLEVEL), desk.read(FDEBUG)), (0x40, 1), "RXSTALL");
    assert_eq!(desk.read(at_machine(0xd4, 0)), 1);
    assert_eq!(desk.read(RXF), 3 << 16 | 9);
    // There is room from the next cycle on.
    desk.bench.wait(1);
    assert_eq!(desk.read(FLEVEL), 0x30);
    desk.bench.wait(1);
    assert_eq!(desk.read(FLEVEL), 0x40);
}

/// 3.4.6, 3.4.7: what PUSH and PULL do where there is no room or no word.
#[test]
fn push_and_pull_may_block_or_not() {
    let mut desk = Desk::new(&[]);
    desk.set_up(0, Machine { shiftctrl: push_threshold(8) | pull_threshold(8) | OUT_RIGHT, ..PLAIN });
    for instruction in [set(X, 21), PULL_NOBLOCK, mov(Y, COPY, OSR)] {
        desk.force(0, instruction);
    }
    assert_eq!(desk.register(0, Y), 21, "from X");
    desk.put(0, 0xabcd);
    for instruction in [PULL, out(NULL, 4), PULL_IFEMPTY, out(Y, 8)] {
        desk.force(0, instruction);
    }
    assert_eq!(desk.register(0, Y), 0xbc, "the OSR is not empty yet");
    for instruction in [mov(ISR, COPY, Y), input(Y, 4), PUSH_IFFULL] {
        desk.force(0, instruction);
    }
    assert_eq!(desk.read(FLEVEL) >> 4, 0, "4 bits of 8");
    for _ in 0..5 {
        desk.force(0, PUSH_NOBLOCK);
    }
    assert_eq!((desk.read(FLEVEL), desk.read(FDEBUG)), (0x40, 1));
    desk.write(FDEBUG, 1);
    desk.force(0, PUSH);
    desk.bench.wait(1);
    assert_eq!(desk.read(at_machine(EXECCTRL, 0)) >> 31, 1, "EXEC_STALLED");
    desk.write(FDEBUG, 1);
    desk.bench.wait(1);
    assert_eq!(desk.read(FDEBUG), 1, "it stalls on");
    desk.read(RXF);
    desk.bench.wait(2);
    assert_eq!((desk.read(at_machine(EXECCTRL, 0)) >> 31, desk.read(FLEVEL)), (0, 0x40));
}

/// 3.7: overflow, underflow, joined FIFOs.
#[test]
fn fifos_can_be_joined_and_tell_of_misuse() {
    let mut desk = Desk::new(&[]);
    assert_eq!(desk.read(FSTAT), 0x0f00_0f00);
    assert_eq!(desk.read(0x44), 32 << 16 | 4 << 8 | 4, "DBG_CFGINFO");
    for word in 0..5 {
        desk.put(1, word);
    }
    assert_eq!((desk.read(FLEVEL), desk.read(FSTAT) >> 16 & 15), (4 << 8, 2));
    desk.read(RXF + 8);
    desk.bench.wait(1);
    assert_eq!(desk.read(FDEBUG), 1 << 17 | 1 << 10);
    desk.write(FDEBUG, u32::MAX);
    assert_eq!(desk.read(FDEBUG), 0);
    desk.write(at_machine(0xd0, 1), 1 << 30);
    assert_eq!(desk.read(FLEVEL), 0, "joining empties");
    for word in 0..9 {
        desk.put(1, word);
    }
    assert_eq!((desk.read(FLEVEL), desk.read(FDEBUG)), (8 << 8, 1 << 17));
    assert_eq!(desk.read(FSTAT) & 0x0202, 0x0202, "the other one is full and empty");
    desk.write(at_machine(0xd0, 1), 1 << 31);
    desk.put(1, 1);
    assert_eq!((desk.read(FLEVEL), desk.read(FSTAT) >> 16 & 0x0202), (0, 0x0202));
    for _ in 0..8 {
        desk.force(1, PUSH_NOBLOCK);
    }
    assert_eq!(desk.read(FLEVEL), 0x8000);
}

/// 3.4.9: flags relative to a state machine, as in the datasheet's example; raised, waited for and lowered.
#[test]
fn flags_may_be_relative() {
    let mut desk = Desk::new(&[]);
    for (index, flag) in [(REL | 1, 3), (REL | 3, 1), (REL | 6, 4), (5, 5)] {
        desk.force(2, irq(index));
        assert_eq!(desk.read(IRQ), 1 << flag);
        desk.force(2, wait(1, FLAG, index));
        assert_eq!(desk.read(IRQ), 0, "WAIT 1 lowers it");
    }
    desk.write(IRQ_FORCE, 0x81);
    desk.force(0, irq_clear(7));
    assert_eq!(desk.read(IRQ), 1);
    desk.write(IRQ, 1);
    assert_eq!(desk.read(IRQ), 0);
}

#[test]
fn irq_wait_goes_on_when_its_flag_is_lowered() {
    let mut desk = Desk::new(&[delay(irq_wait(2), 2), set(PINS, 1), jmp(ALWAYS, 2)]);
    desk.set_up(0, PLAIN);
    desk.enable(1);
    desk.bench.wait(20);
    assert_eq!((desk.read(IRQ), desk.read(at_machine(0xd4, 0))), (4, 0));
    desk.bench.write(PIO[0] + IRQ, 4);
    // IRQ ends in the next cycle, two of delay follow, and SET.
    desk.bench.wait(4);
    assert_eq!(desk.read(PADOUT), 0);
    desk.bench.wait(1);
    assert_eq!(desk.read(PADOUT), 1);
}

/// Of state machines that wait for one flag, all go on in the cycle after it was raised.
#[test]
fn machines_that_wait_for_one_flag_go_on_together() {
    let mut desk = Desk::new(&[wait(1, FLAG, 4), set(PINS, 1), jmp(ALWAYS, 2), delay(irq(4), 7), jmp(ALWAYS, 4)]);
    for number in 0..3 {
        desk.set_up(number, Machine { pinctrl: set_pins(number, 1), ..PLAIN });
    }
    desk.set_up(3, Machine { entry: 3, ..PLAIN });
    desk.enable(7);
    desk.bench.wait(9);
    desk.bench.write(PIO[0] + CTRL, 15);
    // IRQ, WAIT, SET.
    desk.bench.wait(3);
    assert_eq!(desk.read(PADOUT), 0);
    desk.bench.wait(1);
    assert_eq!((desk.read(PADOUT), desk.read(IRQ)), (7, 0));
}

/// 3.4.5.2: OUT EXEC takes a cycle, what it gives the next one; its delay counts for nothing, that of the other does.
#[test]
fn an_instruction_may_come_out_of_the_osr() {
    let mut desk = Desk::new(&[PULL, delay(out(7, 16), 9), set(PINS, 2), jmp(ALWAYS, 3)]);
    desk.set_up(0, PLAIN);
    desk.put(0, u32::from(delay(set(PINS, 1), 2)));
    desk.enable(1);
    let seen: Vec<u32> = (0..9)
        .map(|_| {
            desk.bench.wait(1);
            desk.read(PADOUT)
        })
        .collect();
    // PULL, OUT, SET with two of delay, SET.
    assert_eq!(seen, [0, 0, 0, 1, 1, 1, 2, 2, 2]);
    // OUT PC and MOV PC jump.
    desk.put(0, 25);
    for instruction in [PULL, out(PC, 5)] {
        desk.force(0, instruction);
    }
    desk.bench.wait(1);
    let mut desk = Desk::new(&[]);
    desk.set_up(0, PLAIN);
    desk.force(0, set(X, 25));
    desk.force(0, mov(PC, COPY, X));
    desk.bench.wait(1);
    assert_eq!(desk.read(at_machine(0xd4, 0)), 25);
}

/// 3.7: twelve sources, two lines, each with a mask and a force.
#[test]
fn interrupts_follow_fifos_and_flags() {
    let mut desk = Desk::new(&[PUSH]);
    assert_eq!(desk.read(0x128), 0xf0);
    desk.write(INTE, 1 << 2);
    desk.write(INTE + 12, 1 << 9 | 1 << 4);
    desk.bench.wait(1);
    assert_eq!([Irq::Pio0_0, Irq::Pio0_1, Irq::Pio1_0].map(|line| desk.bench.line(line)), [false, true, false]);
    for word in 0..4 {
        desk.put(0, word);
    }
    desk.bench.wait(1);
    assert!(!desk.bench.line(Irq::Pio0_1), "TX 0 is full");
    desk.force(2, irq(1));
    desk.bench.wait(1);
    assert!(desk.bench.line(Irq::Pio0_1));
    assert_eq!([0x134, 0x140].map(|ints| desk.read(ints)), [0, 1 << 9]);
    // A state machine that pushes in its third cycle.
    desk.set_up(2, Machine { clkdiv: 10 << 16, ..PLAIN });
    desk.enable(4);
    let start = desk.bench.now;
    assert_eq!(desk.bench.rises(Irq::Pio0_0, 100), Some(start + 2));
    desk.write(CTRL, 0);
    desk.read(RXF + 8);
    desk.bench.wait(2);
    assert!(!desk.bench.line(Irq::Pio0_0));
    desk.write(INTE + 4, 1 << 11);
    desk.bench.wait(1);
    assert!(desk.bench.line(Irq::Pio0_0), "INTF");
    desk.bench.write(super::super::bench::RESETS + super::super::bench::SET, 1 << 10);
    assert!(!desk.bench.line(Irq::Pio0_0), "held in reset");
}

/// 3.7, `CTRL.SM_RESTART`: what it clears, and what it does not.
#[test]
fn a_restart_keeps_the_registers() {
    let mut desk = Desk::new(&[]);
    desk.set_up(0, Machine { shiftctrl: pull_threshold(8) | OUT_RIGHT, ..PLAIN });
    desk.put(0, 0xfeed);
    for instruction in [PULL, set(X, 5), set(Y, 6), input(X, 5), jmp(ALWAYS, 12)] {
        desk.force(0, instruction);
    }
    desk.write(CTRL, 0x10);
    desk.force(0, jmp(NOT_OSRE, 3));
    desk.bench.wait(1);
    assert_eq!(desk.read(at_machine(0xd4, 0)), 12, "PC stays; the OSR counts as empty");
    desk.force(0, PUSH);
    assert_eq!(desk.get(0, 4), Some(0), "the ISR is cleared");
    assert_eq!([X, Y, OSR].map(|register| desk.register(0, register)), [5, 6, 0xfeed]);
}

#[test]
fn a_reserved_instruction_is_reported() {
    let mut desk = Desk::new(&[mov(3, COPY, X)]);
    assert!(desk.bench.diagnostics.take().iter().any(|note| note.contains("reserved")));
    for instruction in [jmp(ALWAYS, 31), wait(1, FLAG, 31), input(7, 0), out(7, 0), PULL, irq_wait(7), set(4, 1)] {
        desk.force(0, instruction);
    }
    assert!(desk.bench.diagnostics.take().is_empty());
}
