//! What the datasheet says of the pins of PIO: who drives them, what their pads do, and when they are seen (3.5.6, 2.19).

use super::assembly::{
    ALWAYS, COPY, Desk, GPIO, ISR, MAPPED, Machine, NOP, PINDIRS, PINS, PLAIN, PULL, PUSH, delay, in_pins, irq, jmp,
    mov, out, out_pins, set, set_pins, side, side_pins, wait, wrap,
};
use super::{CTRL, INSTR, INSTR_MEM, INTE, PADOE, PADOUT, PIO, RXF, SYNC_BYPASS, TXF, at_machine};
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::pins::Outputs;

/// 3.5.1: an enable bit is one of the bits that are counted, and side-set may go to directions.
#[test]
fn a_side_set_may_be_optional_and_of_directions() {
    let mut desk = Desk::new(&[side(NOP, 3, 0b110), side(NOP, 3, 0b001), side(NOP, 3, 0b101), delay(NOP, 3)]);
    desk.set_up(0, Machine { execctrl: 1 << 30 | wrap(0, 2), pinctrl: side_pins(4, 3), ..PLAIN });
    desk.enable(1);
    let seen: Vec<u32> = (0..5)
        .map(|_| {
            desk.bench.wait(1);
            desk.read(PADOUT)
        })
        .collect();
    assert_eq!(seen, [0, 0x20, 0x20, 0x10, 0x20]);
    let mut desk = Desk::new(&[side(NOP, 1, 1)]);
    desk.set_up(0, Machine { execctrl: 1 << 29 | wrap(0, 0), pinctrl: side_pins(9, 1), ..PLAIN });
    desk.enable(1);
    desk.bench.wait(3);
    assert_eq!((desk.read(PADOUT), desk.read(PADOE)), (0, 1 << 9));
}

/// 3.2.5, 3.5.6: the state machine of the highest number wins, side-set wins over OUT and SET, and ranges go around.
#[test]
fn writes_to_one_pin_have_an_order() {
    let mut desk = Desk::new(&[set(PINS, 1), set(PINS, 0), side(set(PINS, 0), 1, 1)]);
    for (number, entry) in [(0, 0), (2, 1), (1, 0)] {
        desk.set_up(number, Machine { execctrl: wrap(entry.into(), entry.into()), entry, ..PLAIN });
    }
    desk.enable(7);
    desk.bench.wait(3);
    assert_eq!(desk.read(PADOUT), 0, "state machine 2 writes 0");
    desk.write(CTRL, 3);
    desk.bench.wait(2);
    assert_eq!(desk.read(PADOUT), 1);
    desk.write(CTRL, 0);
    desk.set_up(3, Machine { entry: 2, execctrl: wrap(2, 2), pinctrl: set_pins(0, 5) | side_pins(3, 1), ..PLAIN });
    desk.enable(8);
    desk.bench.wait(3);
    assert_eq!(desk.read(PADOUT), 8);
    desk.write(CTRL, 0);
    desk.write(at_machine(0xdc, 3), set_pins(29, 4));
    desk.force(3, set(PINS, 0b1011));
    assert_eq!(desk.read(PADOUT), 1 << 29 | 8 | 1, "pins 29, 30 and 0; 31 and 30 are none of this chip");
}

/// 3.5.6.3: two flip-flops, or none.
#[test]
fn inputs_come_two_cycles_later_unless_bypassed() {
    for (bypass, later) in [(0, 2), (1 << 7, 0)] {
        let mut desk = Desk::new(&[wait(1, GPIO, 7), jmp(ALWAYS, 1)]);
        desk.write(SYNC_BYPASS, bypass);
        desk.set_up(0, PLAIN);
        desk.enable(1);
        desk.bench.wait(10);
        let high = Outputs { levels: 1 << 7, enables: 1 << 7 };
        // The pad is high from the next cycle on; WAIT sees it so many cycles later, and PC shows it in the one after.
        desk.bench.with(|p, context| p.set_outside(high, context));
        desk.bench.wait(1 + later);
        assert_eq!(desk.read(at_machine(0xd4, 0)), 0);
        desk.bench.wait(1);
        assert_eq!(desk.read(at_machine(0xd4, 0)), 1);
    }
}

/// A pulse gets through the synchronisers whether somebody looks at the block meanwhile or not.
#[test]
fn pulses_of_any_length_are_seen() {
    let by_sio = |desk: &mut Desk, levels: u32| {
        desk.bench.with(|p, context| {
            p.sio.write(0, 0x10, levels, context);
            p.sio.write(0, 0x20, 1 << 7, context);
            p.update_sio_pins(context);
        });
    };
    let cases = [false, true].into_iter().flat_map(|sio| (1..5).map(move |length| (sio, length)));
    for (sio, length, looks) in cases.flat_map(|(sio, length)| (0..64).map(move |looks| (sio, length, looks))) {
        let mut desk = Desk::new(&[wait(1, GPIO, 7), jmp(ALWAYS, 1)]);
        if sio {
            desk.bench.write(super::IO_BANK0 + 8 * 7 + 4, 5);
        }
        desk.set_up(0, PLAIN);
        desk.enable(1);
        desk.bench.wait(10);
        for cycle in 0..6 {
            let levels = u32::from(cycle < length) << 7;
            if cycle == 0 || cycle == length {
                if sio {
                    by_sio(&mut desk, levels);
                } else {
                    desk.bench.with(|p, context| p.set_outside(Outputs { levels, enables: 1 << 7 }, context));
                }
            }
            desk.bench.wait(1);
            if looks >> cycle & 1 == 1 {
                // The pad is high from the first cycle on, WAIT sees it in the third, and PC shows it in the fourth.
                let pc = desk.read(at_machine(0xd4, 0));
                assert_eq!(pc == 1, cycle + 1 >= 4, "{length} cycles, by SIO: {sio}, looked at as in {looks:#b}");
            }
        }
        desk.bench.wait(3);
        assert_eq!(desk.read(at_machine(0xd4, 0)), 1, "{length} cycles, by SIO: {sio}, looked at as in {looks:#b}");
    }
}

/// What a state machine finds at a pin that another one moves, of its block or of the other, is the same however often somebody has
/// looked before.
#[test]
fn levels_of_late_do_not_depend_on_who_looks() {
    // No three levels in a row come twice.
    let pattern = [1, 1, 0, 1, 0, 0, 0];
    let program: Vec<u16> = pattern.iter().map(|&level| set(PINS, level)).collect();
    let found = |block: usize, at: u64, every: u64| {
        let mut desk = Desk::new(&program);
        for (address, instruction) in (7..).zip([mov(ISR, COPY, PINS), PUSH, jmp(ALWAYS, 9)]) {
            desk.bench.write(PIO[block] + INSTR_MEM + 4 * address, u32::from(instruction));
            desk.bench.wait(1);
        }
        desk.set_up(0, Machine { execctrl: wrap(0, 6), pinctrl: set_pins(0, 1), ..PLAIN });
        desk.bench.write(PIO[block] + INSTR + 0x18, u32::from(jmp(ALWAYS, 7)));
        desk.force(0, set(PINDIRS, 1));
        desk.enable(1);
        let end = desk.bench.now + at;
        while desk.bench.now + every <= end {
            desk.bench.wait(every);
            desk.read(PADOUT);
        }
        desk.bench.until(end);
        desk.bench.write(PIO[block] + CTRL, if block == 0 { 3 } else { 2 });
        desk.bench.wait(4);
        desk.bench.read(PIO[block] + RXF + 4) & 1
    };
    for (block, at) in [0, 1].into_iter().flat_map(|block| (20..27).map(move |at| (block, at))) {
        // In the next cycle it finds what was at the pad two cycles before; SET was in the cycle before that one.
        let level = u32::from(pattern[(at - 3) as usize % 7]);
        assert_eq!([100, 1, 2, 3, 4].map(|every| found(block, at, every)), [level; 5], "PIO{block} in cycle {at}");
    }
}

/// 2.19: a pin that nobody drives has the level of its pull, and neither IE nor OD let a level through.
#[test]
fn pads_pull_and_block() {
    let pad = |desk: &mut Desk, value| {
        desk.bench.write(0x4001_c004 + 4 * 3, value);
        desk.bench.wait(4);
        desk.bench.p.pin_levels(desk.bench.now) >> 3 & 1
    };
    let mut desk = Desk::new(&[set(PINS, 8)]);
    let levels = [(0x56, 0), (0x4a, 1), (0x0a, 0), (0x42, 0)].map(|(value, level)| (pad(&mut desk, value), level));
    assert!(levels.iter().all(|(level, expected)| level == expected), "{levels:?}");
    desk.set_up(0, Machine { execctrl: wrap(0, 0), ..PLAIN });
    desk.drive(0, 3, 1);
    desk.enable(1);
    assert_eq!([0x56, 0xd6, 0x16, 0x56].map(|value| pad(&mut desk, value)), [1, 0, 0, 1]);
    // OUTOVER: inverted, low, high; INOVER: inverted; OEOVER: disabled.
    for (control, level) in [(1 << 8, 0), (2 << 8, 0), (3 << 8, 1), (1 << 16, 0), (2 << 12, 0)] {
        desk.bench.write(super::IO_BANK0 + 8 * 3 + 4, 6 | control);
        assert_eq!(pad(&mut desk, 0x56), level, "{control:#x}");
    }
}

/// What SIO reads is what there is, also if the state machine has come to rest since, and somebody has looked at it.
#[test]
fn sio_reads_what_a_state_machine_has_left() {
    let mut desk = Desk::new(&[PULL, out(PINS, 1)]);
    desk.set_up(0, Machine { execctrl: wrap(0, 1), pinctrl: out_pins(3, 1), ..PLAIN });
    desk.drive(0, 3, 1);
    desk.enable(1);
    for level in [1, 0, 1] {
        desk.put(0, level);
        desk.bench.wait(20);
        desk.read(super::FSTAT);
        let now = desk.bench.now;
        desk.bench.p.update_gpio_in(now);
        let read = desk.bench.with(|p, context| p.sio.read(0, 4, context));
        assert_eq!(read >> 3 & 1, level);
    }
}

/// 3.7, `EXECCTRL`: the last OUT or SET is asserted on, until one whose data says no.
#[test]
fn a_sticky_output_is_asserted_on() {
    let mut desk = Desk::new(&[]);
    let sticky = 1 << 17 | 1 << 18 | 7 << 19;
    desk.set_up(1, Machine { execctrl: sticky, pinctrl: out_pins(0, 4), ..PLAIN });
    desk.set_up(0, Machine { pinctrl: set_pins(0, 4), ..PLAIN });
    desk.put(1, 0x0085);
    for instruction in [PULL, out(PINS, 8)] {
        desk.force(1, instruction);
    }
    desk.force(0, set(PINS, 0xa));
    desk.bench.wait(1);
    assert_eq!(desk.read(PADOUT), 5, "state machine 1 wins on");
    // The bit that enables it is 0 now.
    desk.force(1, out(PINS, 8));
    desk.force(0, set(PINS, 0xa));
    desk.bench.wait(1);
    assert_eq!(desk.read(PADOUT), 0xa);
}

/// 3.4.3: WAIT on a mapped pin, and both polarities.
#[test]
fn wait_looks_at_mapped_pins() {
    let mut desk = Desk::new(&[wait(1, MAPPED, 30), wait(0, GPIO, 5), jmp(ALWAYS, 2)]);
    desk.set_up(0, Machine { pinctrl: in_pins(7), ..PLAIN });
    desk.enable(1);
    desk.bench.wait(10);
    assert_eq!(desk.read(at_machine(0xd4, 0)), 0);
    for (levels, pc) in [(1 << 5, 1), (0, 2)] {
        desk.bench.with(|p, context| p.set_outside(Outputs { levels, enables: 1 << 5 }, context));
        desk.bench.wait(5);
        assert_eq!(desk.read(at_machine(0xd4, 0)), pc);
    }
}

/// Beyond the chip: a wire takes a level from one pin to another, whoever drives it and whoever reads it.
#[test]
fn a_wire_joins_two_pins() {
    let wire = |desk: &mut Desk, text: &str| {
        let wire = text.parse().expect("a wire");
        desk.bench.with(|p, context| assert!(p.add_wire(wire, context)));
    };
    let mut desk = Desk::new(&[wait(1, GPIO, 3), jmp(ALWAYS, 1)]);
    wire(&mut desk, "2:3");
    wire(&mut desk, "20:21");
    desk.set_up(0, PLAIN);
    desk.enable(1);
    // PIO0 drives pin 2 and waits for pin 3.
    desk.bench.wait(5);
    desk.drive(1, 2, 1);
    assert_eq!(desk.read(at_machine(0xd4, 0)), 0);
    desk.write(at_machine(0xdc, 1), set_pins(2, 1));
    desk.force(1, set(PINS, 1));
    desk.bench.wait(4);
    assert_eq!(desk.read(at_machine(0xd4, 0)), 1);
    // SIO drives pin 20 and reads pin 21.
    desk.bench.write(super::IO_BANK0 + 8 * 20 + 4, 5);
    for (offset, level) in [(0x14, 1), (0x18, 0)] {
        desk.bench.with(|p, context| {
            p.sio.write(0, 0x24, 1 << 20, context);
            p.sio.write(0, offset, 1 << 20, context);
            p.update_sio_pins(context);
            assert_eq!(p.sio.read(0, 4, context) >> 20 & 3, 3 * level);
        });
    }
    for nonsense in ["2", "2:2", "2:30", "a:b", ""] {
        assert!(nonsense.parse::<intercore_sim::rp2040::peripherals::pins::Wire>().is_err(), "{nonsense}");
    }
}

/// A state machine of one block sees what the other one drives, also if it begins to look only now.
#[test]
fn a_block_sees_the_pins_of_the_other() {
    let mut desk = Desk::new(&[set(PINS, 1), set(PINS, 0)]);
    desk.set_up(0, Machine { execctrl: wrap(0, 1), pinctrl: set_pins(4, 1), ..PLAIN });
    desk.force(0, set(PINDIRS, 1));
    desk.enable(1);
    desk.bench.wait(101);
    for late in 0..2 {
        desk.bench.wait(late);
        desk.bench.write(PIO[1] + INSTR, u32::from(mov(ISR, COPY, PINS)));
        let before = desk.bench.now;
        desk.bench.wait(2);
        desk.bench.write(PIO[1] + INSTR, u32::from(PUSH));
        desk.bench.wait(3);
        let seen = desk.bench.read(PIO[1] + RXF);
        // MOV was executed two cycles after the write, and saw the pin of two cycles before. It toggles in each cycle.
        let level = desk.bench.p.pin_levels(desk.bench.now) & 1 << 4;
        assert_eq!(desk.bench.now - before, 5);
        assert_ne!(seen, level, "five cycles later");
    }
}

/// The other block's pin has been high for long, and nobody has looked: WAIT in the first cycle finds it so, and IRQ in the second
/// makes the line rise in the third.
#[test]
fn a_block_is_in_time_with_an_interrupt_by_a_pin_that_it_has_not_looked_at_before() {
    let mut desk = Desk::new(&[]);
    desk.set_up(0, Machine { pinctrl: set_pins(4, 1), ..PLAIN });
    for (at, instruction) in (0..).zip([wait(1, GPIO, 4), irq(0), jmp(ALWAYS, 2)]) {
        desk.bench.write(PIO[1] + INSTR_MEM + 4 * at, u32::from(instruction));
    }
    desk.bench.write(PIO[1] + INTE, 1 << 8);
    desk.force(0, set(PINDIRS, 1));
    desk.force(0, set(PINS, 1));
    desk.bench.wait(100);
    let begun = desk.bench.now;
    desk.bench.write(PIO[1] + CTRL, 1);
    assert_eq!(desk.bench.rises(Irq::Pio1_0, 100).map(|at| at - begun), Some(3));
}

/// One master writes to a block, and another one in the same cycle has a pin of it interrupt for the first time.
#[test]
fn a_pin_is_first_looked_at_in_the_cycle_of_a_write_to_its_block() {
    const RISES: u32 = 8;
    let mut desk = Desk::new(&[PULL, set(PINS, 1), jmp(ALWAYS, 2)]);
    desk.set_up(0, Machine { pinctrl: set_pins(4, 1), ..PLAIN });
    desk.force(0, set(PINDIRS, 1));
    desk.enable(1);
    desk.bench.write(PIO[1] + CTRL, 1);
    desk.bench.wait(100);
    let begun = desk.bench.now;
    desk.bench.write(PIO[0] + TXF, 0);
    desk.bench.write(super::IO_BANK0 + 0x100, RISES << 16);
    // PULL and SET; the pad has the level in the cycle after, and it is two flip-flops from there to the interrupt.
    assert_eq!(desk.bench.rises(Irq::IoBank0, 100).map(|at| at - begun), Some(5));
}
