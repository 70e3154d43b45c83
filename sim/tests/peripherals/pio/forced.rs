//! Instructions that the system writes (datasheet 3.5.7): when they come, and what they leave as it was.

use super::assembly::{
    ALWAYS, AUTOPULL, COPY, Desk, Machine, NOP, NULL, OSR, PINDIRS, PINS, PLAIN, PULL, X, X_DEC, Y, delay, irq_wait,
    jmp, mov, out, set, set_pins, side, side_pins,
};
use super::{CTRL, EXECCTRL, FSTAT, INSTR, IRQ, PADOUT, PIO, at_machine};

/// 3.5.7: at once, whatever the divider says; without delay; PC stays unless it is a jump.
#[test]
fn a_forced_instruction_comes_at_once() {
    let mut desk = Desk::new(&[NOP, NOP, NOP]);
    desk.set_up(0, Machine { clkdiv: 1000 << 16, ..PLAIN });
    desk.enable(1);
    desk.bench.wait(5);
    assert_eq!(desk.read(at_machine(0xd4, 0)), 1);
    desk.bench.write(PIO[0] + INSTR, u32::from(delay(set(PINS, 1), 31)));
    desk.bench.wait(2);
    assert_eq!(desk.read(PADOUT), 0);
    desk.bench.wait(1);
    assert_eq!((desk.read(PADOUT), desk.read(at_machine(0xd4, 0))), (1, 1));
    assert_eq!(desk.read(INSTR), u32::from(NOP), "what PC is at");
    desk.bench.wait(994);
    assert_eq!(desk.read(at_machine(0xd4, 0)), 2, "its own next cycle is where it was");
    desk.force(0, jmp(ALWAYS, 9));
    desk.bench.wait(1);
    assert_eq!(desk.read(at_machine(0xd4, 0)), 9);
}

/// The SDK's `pio_sm_drain_tx_fifo`: behind each OUT, `FSTAT` is read two cycles after `INSTR` was written, and says what was before. So
/// there is an OUT more than words, and none is left in the OSR.
#[test]
fn the_loop_that_drains_a_fifo_leaves_the_osr_empty() {
    let mut desk = Desk::new(&[]);
    desk.set_up(0, Machine { shiftctrl: AUTOPULL, ..PLAIN });
    for word in 1..=4 {
        desk.put(0, word);
    }
    while desk.read(FSTAT) >> 24 & 1 == 0 {
        desk.write(INSTR, u32::from(out(NULL, 32)));
        desk.bench.wait(1);
    }
    desk.put(0, 77);
    desk.force(0, out(X, 32));
    assert_eq!(desk.register(0, X), 77);
}

/// 3.5.7: one that stalls is kept until it is done, until a restart, or until another is written.
#[test]
fn a_forced_instruction_may_stall() {
    let mut desk = Desk::new(&[]);
    let stalled = |desk: &mut Desk| desk.read(at_machine(EXECCTRL, 0)) >> 31 == 1;
    desk.set_up(0, PLAIN);
    desk.force(0, PULL);
    desk.bench.wait(5);
    assert!(stalled(&mut desk));
    desk.force(0, NOP);
    desk.bench.wait(1);
    assert!(!stalled(&mut desk));
    desk.force(0, PULL);
    desk.write(CTRL, 0x10);
    assert!(!stalled(&mut desk));
    desk.force(0, PULL);
    desk.put(0, 77);
    desk.bench.wait(1);
    assert!(!stalled(&mut desk));
    desk.force(0, mov(Y, COPY, OSR));
    assert_eq!(desk.register(0, Y), 77);
}

/// It comes in the second cycle after the write, also for who looks without bringing the block up to that cycle.
#[test]
fn an_instruction_is_seen_to_come_in_the_second_cycle() {
    let mut desk = Desk::new(&[]);
    desk.set_up(0, PLAIN);
    desk.bench.write(PIO[0] + INSTR, u32::from(PULL));
    let stalled = [1, 2, 3].map(|_| {
        desk.bench.wait(1);
        desk.bench.p.peek(PIO[0] + EXECCTRL, desk.bench.now, &desk.bench.clocks) >> 31 == 1
    });
    assert_eq!(stalled, [false, true, true]);
}

/// It begins anew, whatever has become of the one whose place it takes: with its side-set, and with a flag of its own.
#[test]
fn a_forced_instruction_owes_nothing_to_one_that_stalled() {
    let mut desk = Desk::new(&[]);
    desk.set_up(0, Machine { pinctrl: side_pins(0, 1), ..PLAIN });
    desk.force(0, side(PULL, 1, 0));
    desk.force(0, side(PULL, 1, 1));
    assert_eq!(desk.read(PADOUT) & 1, 1);
    for flag in [2, 3] {
        desk.force(0, side(irq_wait(flag), 1, 0));
    }
    assert_eq!(desk.read(IRQ), 0b1100);
}

/// It takes the place of one cycle: what is left of a delay, or of the turns of a loop, comes behind it.
#[test]
fn a_forced_instruction_takes_a_cycle_of_a_delay_or_a_loop() {
    let wave_with = |each: u16, forced_after: Option<u64>| {
        let turn = delay(jmp(X_DEC, 2), each);
        let mut desk = Desk::new(&[set(PINS, 1), delay(set(PINS, 0), 9), turn, set(PINS, 1), jmp(ALWAYS, 4)]);
        desk.set_up(0, Machine { pinctrl: set_pins(0, 1), ..PLAIN });
        desk.force(0, set(PINDIRS, 1));
        desk.force(0, set(X, 9));
        desk.enable(1);
        let start = desk.bench.now;
        if let Some(cycles) = forced_after {
            desk.bench.wait(cycles);
            desk.bench.write(PIO[0] + INSTR, u32::from(mov(Y, COPY, X)));
        }
        // The SET behind ten of delay and ten turns.
        let changes = (0..60).find(|_| {
            desk.bench.wait(1);
            desk.bench.now > start + 4 && desk.bench.p.pin_levels(desk.bench.now) & 1 == 1
        });
        changes.expect("the loop ends");
        (desk.bench.now - start, desk.register(0, Y))
    };
    assert_eq!([0, 2].map(|each| wave_with(each, None)), [(23, 0), (43, 0)]);
    // In the delay, as it ends, and in some turns of the loop: it finds X as it is by then.
    for (after, x) in [(3, 9), (8, 9), (11, 8), (14, 5), (18, 1)] {
        assert_eq!(wave_with(0, Some(after)), (24, x), "written {after} cycles after the start");
    }
    for (after, x) in [(13, 8), (14, 7), (15, 7), (20, 5)] {
        assert_eq!(wave_with(2, Some(after)), (44, x), "turns of 3 cycles, {after} cycles after the start");
    }
}
