//! What starts, pauses, paces and ends a channel of the DMA, and what it tells of itself (datasheet 2.5.1 to 2.5.5, 2.5.7).

use super::{DMA, EN, INCR_READ, INCR_WRITE, Machine, PERMANENT, WORD, chain_to};
use crate::peripherals::bench::CLR;
use crate::peripherals::pio::{CTRL, INSTR_MEM, PIO, RXF};
use intercore_sim::rp2::dma::requests::Requesters as _;
use intercore_sim::rp2040::irq::Irq;
use intercore_sim::rp2040::peripherals::Peripherals;

const INTR: u32 = DMA + 0x400;
const INTE0: u32 = DMA + 0x404;
const INTF0: u32 = DMA + 0x408;
const INTS0: u32 = DMA + 0x40c;
const INTE1: u32 = DMA + 0x414;
const TIMER0: u32 = DMA + 0x420;
const MULTI_CHAN_TRIGGER: u32 = DMA + 0x430;
const CHAN_ABORT: u32 = DMA + 0x444;
const IRQ_QUIET: u32 = 1 << 21;
const BUSY: u32 = 1 << 24;
const TIMER: u32 = 59 << 15;
const FROM: u32 = 0x2000_0000;
const TO: u32 = 0x2000_0400;

/// The address of a register of a channel: `READ_ADDR`, `WRITE_ADDR`, `TRANS_COUNT`, `CTRL_TRIG`, `AL1_CTRL` are the first five.
fn register(channel: u32, number: u32) -> u32 {
    DMA + 0x40 * channel + 4 * number
}

/// A channel that is set up, and not triggered.
fn set_up(machine: &mut Machine, channel: u32, count: u32, ctrl: u32) {
    for (number, value) in [(0, FROM), (1, TO), (2, count), (4, ctrl | chain_to(channel))] {
        machine.bench.write(register(channel, number), value);
    }
}

fn left(machine: &mut Machine, channel: u32) -> u32 {
    machine.bench.read(register(channel, 2))
}

fn is_busy(machine: &mut Machine, channel: u32) -> bool {
    machine.bench.read(register(channel, 3)) & BUSY != 0
}

#[test]
fn channels_are_triggered_together_and_share_the_bus_evenly() {
    let mut machine = Machine::new();
    for channel in 0..4 {
        set_up(&mut machine, channel, 30, EN | WORD | PERMANENT);
    }
    machine.bench.write(MULTI_CHAN_TRIGGER, 0b1011);
    assert_eq!([0, 1, 2, 3].map(|channel| is_busy(&mut machine, channel)), [true, true, false, true]);
    machine.run_for(40);
    let left = [0, 1, 3].map(|channel| left(&mut machine, channel));
    assert!(left.iter().all(|left| left.abs_diff(30 - 12) <= 1), "round robin (2.5.1): {left:?}");
}

/// 2.5.7, `TRANS_COUNT`: what is written is the length of the next sequence, what is read is left of this one. A trigger does
/// nothing meanwhile.
#[test]
fn a_count_is_for_the_next_sequence() {
    let mut machine = Machine::new();
    set_up(&mut machine, 2, 20, EN | WORD | PERMANENT);
    machine.bench.write(MULTI_CHAN_TRIGGER, 1 << 2);
    machine.run_for(10);
    let before = left(&mut machine, 2);
    assert!((1..20).contains(&before));
    machine.bench.write(register(2, 2), 7);
    machine.bench.write(MULTI_CHAN_TRIGGER, 1 << 2);
    assert_eq!((left(&mut machine, 2), machine.bench.read(DMA + 0x800 + 0x84)), (before, 7), "DBG_TCR");
    machine.run_for(100);
    assert_eq!(machine.writes.len(), 20);
    machine.bench.write(MULTI_CHAN_TRIGGER, 1 << 2);
    machine.run_for(100);
    assert_eq!(machine.writes.len(), 27);
}

/// 2.5.7, `CTRL.EN`: without it a channel ignores triggers, and pauses with BUSY high.
#[test]
fn a_channel_without_its_enable_pauses_and_ignores_triggers() {
    let mut machine = Machine::new();
    set_up(&mut machine, 1, 20, WORD | PERMANENT);
    machine.bench.write(MULTI_CHAN_TRIGGER, 1 << 1);
    assert!(!is_busy(&mut machine, 1));
    set_up(&mut machine, 1, 20, EN | WORD | PERMANENT);
    machine.bench.write(MULTI_CHAN_TRIGGER, 1 << 1);
    machine.run_for(10);
    machine.bench.write(register(1, 4) + CLR, EN);
    machine.run_for(10);
    let paused = machine.writes.len();
    machine.run_for(100);
    assert_eq!((machine.writes.len(), is_busy(&mut machine, 1)), (paused, true));
    assert!(paused < 20);
    set_up(&mut machine, 1, 20, EN | WORD | PERMANENT);
    machine.run_for(100);
    assert_eq!((machine.writes.len(), is_busy(&mut machine, 1)), (20, false));
}

/// 2.5.4: at the end of a sequence, but if `IRQ_QUIET` is set at null triggers instead; at a bus error in any case (2.5.7,
/// `AHB_ERROR`).
#[test]
fn a_channel_interrupts_at_its_end_or_quietly_at_null_triggers() {
    for quiet in [0, IRQ_QUIET] {
        let mut machine = Machine::new();
        set_up(&mut machine, 5, 2, EN | WORD | PERMANENT | quiet);
        machine.bench.write(MULTI_CHAN_TRIGGER, 1 << 5);
        machine.run_for(20);
        assert_eq!(machine.bench.read(INTR), if quiet == 0 { 1 << 5 } else { 0 });
        machine.bench.write(INTR, 1 << 5);
        // AL1_TRANS_COUNT_TRIG
        machine.bench.write(register(5, 7), 0);
        machine.run_for(20);
        assert_eq!(machine.bench.read(INTR), if quiet == 0 { 0 } else { 1 << 5 }, "a null trigger (2.5.2.3)");
        machine.bench.write(INTR, 1 << 5);
        machine.bench.write(register(5, 0), 0x3000_0000);
        machine.bench.write(register(5, 7), 1);
        machine.run_for(20);
        assert_eq!(machine.bench.read(INTR), 1 << 5, "a bus error");
        // The error stays until a one is written to it.
        machine.bench.write(register(5, 4), EN | WORD | PERMANENT);
        assert_eq!(machine.bench.read(register(5, 3)) >> 30, 3, "AHB_ERROR, READ_ERROR");
        machine.bench.write(register(5, 4), EN | WORD | PERMANENT | 1 << 30);
        assert_eq!(machine.bench.read(register(5, 3)) >> 30, 0);
    }
}

/// 2.5.7, `INTR`: "can be cleared by writing a bit mask to INTR, INTS0 or INTS1", whichever line they are enabled for.
#[test]
fn interrupts_are_masked_forced_and_cleared() {
    let mut machine = Machine::new();
    machine.bench.write(INTE1, 1 << 5);
    set_up(&mut machine, 5, 1, EN | WORD | PERMANENT);
    let lines = |machine: &Machine| [Irq::Dma0, Irq::Dma1].map(|irq| machine.bench.line(irq));
    machine.bench.write(MULTI_CHAN_TRIGGER, 1 << 5);
    machine.run_for(20);
    assert_eq!((lines(&machine), machine.bench.read(INTS0)), ([false, true], 0));
    machine.bench.write(INTS0, 1 << 5);
    assert_eq!((lines(&machine), machine.bench.read(INTR)), ([false; 2], 0));
    machine.bench.write(INTE0, 0);
    machine.bench.write(INTF0, 1 << 9);
    assert_eq!((lines(&machine), machine.bench.read(INTS0), machine.bench.read(INTR)), ([true, false], 1 << 9, 0));
    machine.bench.write(INTF0, 0);
    assert_eq!(lines(&machine), [false; 2]);
}

/// 2.5.5.3: an abort clears the counter and is no completion. Once `CHAN_ABORT` reads as 0, what was in flight is over, so that the
/// channel moves nothing but what it is next told to.
#[test]
fn an_abort_ends_a_channel_at_once() {
    for cycles in 0..12 {
        let mut machine = Machine::new();
        machine.memory[..64].copy_from_slice(&[7; 64]);
        machine.memory[64..128].copy_from_slice(&[9; 64]);
        let ctrl = EN | WORD | INCR_READ | INCR_WRITE | PERMANENT;
        set_up(&mut machine, 0, 16, ctrl | chain_to(3));
        machine.bench.write(MULTI_CHAN_TRIGGER, 1);
        machine.run_for(cycles);
        machine.bench.write(CHAN_ABORT, 1);
        machine.bench.poll(CHAN_ABORT, |aborting| aborting == 0);
        assert_eq!((left(&mut machine, 0), is_busy(&mut machine, 0), machine.bench.read(INTR)), (0, false, 0));
        let done = machine.writes.len();
        machine.run_for(50);
        assert_eq!(machine.writes.len(), done, "after {cycles} cycles");
        for (number, value) in [(0, FROM + 64), (1, TO), (2, 16), (3, ctrl)] {
            machine.bench.write(register(0, number), value);
        }
        machine.run_for(50);
        assert_eq!(machine.memory[0x400..0x440], [9; 64], "after {cycles} cycles");
    }
}

/// The same of a read that is still on the bus when the channel is aborted: its data goes nowhere.
#[test]
fn what_an_aborted_channel_reads_is_dropped() {
    let mut machine = Machine::new();
    set_up(&mut machine, 0, 4, EN | WORD | PERMANENT);
    machine.bench.write(MULTI_CHAN_TRIGGER, 1);
    machine.bench.until(machine.bench.p.dma_next(machine.bench.now));
    assert!(machine.bench.with(Peripherals::dma_read_wanted).is_some());
    machine.bench.write(CHAN_ABORT, 1);
    machine.bench.wait(5);
    let now = machine.bench.now;
    machine.bench.with(|p, context| p.dma.read_done(Ok(1), now, context));
    machine.run_for(20);
    assert!(machine.writes.is_empty());
}

/// 2.5.3.2: pulses are counted while the channel waits, but not more than six bits hold, and none from before it was triggered.
#[test]
fn a_channel_catches_up_with_at_most_63_pulses_and_none_of_before() {
    const PERIOD: u32 = 200;
    for (pulses, caught_up) in [(0, 0), (10, 10), (200, 63)] {
        let mut machine = Machine::new();
        machine.bench.write(TIMER0, 1 << 16 | PERIOD);
        machine.run_for(u64::from(20 * PERIOD + PERIOD / 4));
        set_up(&mut machine, 1, 1000, EN | WORD | TIMER);
        machine.bench.write(MULTI_CHAN_TRIGGER, 1 << 1);
        machine.bench.write(register(1, 4) + CLR, EN);
        machine.run_for(u64::from(pulses * PERIOD));
        set_up(&mut machine, 1, 1000, EN | WORD | TIMER);
        // In less than half a period.
        machine.run_for(75);
        let after = machine.writes.len();
        assert_eq!(after, caught_up, "of {pulses}");
        machine.run_for(u64::from(10 * PERIOD));
        assert_eq!(machine.writes.len() - after, 10, "then it goes on at the timer's rate");
    }
}

/// Words come 32 cycles apart, and each is fetched as soon as it is there (2.5.3.1: the request signals of both blocks).
#[test]
fn a_state_machine_is_emptied_as_it_pushes() {
    for (number, base) in PIO.into_iter().enumerate() {
        let mut machine = Machine::new();
        // PUSH with 31 cycles of delay, again and again.
        machine.bench.write(base + INSTR_MEM, 0x8020 | 31 << 8);
        machine.bench.write(base + 0xcc, 0);
        let request = 8 * number as u32 + 4;
        set_up(&mut machine, 0, 20, EN | WORD | request << 15);
        machine.bench.write(register(0, 0), base + RXF);
        machine.bench.write(MULTI_CHAN_TRIGGER, 1);
        machine.bench.write(base + CTRL, 1);
        machine.run_for(19 * 32 + 16);
        assert_eq!(machine.writes.len(), 20, "PIO{number}");
        assert!(machine.writes.windows(2).all(|pair| pair[1] - pair[0] == 32), "{:?}", machine.writes);
    }
}
