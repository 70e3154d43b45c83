//! Faults of one core and between the cores: a reset of one core alone, one that does not come up, words that are lost.

use crate::machine_code::{CODE, STAY, bytes, put};
use intercore_sim::core::stop::Stop;
use intercore_sim::core::time::Cycle;
use intercore_sim::fault::{Fault, Faults};
use intercore_sim::image::{Boot, Image, Lines, Segment};
use intercore_sim::rp2040::bootrom;
use intercore_sim::rp2040::machine::Machine;
use proptest::prelude::*;

const SIO: u32 = 0xd000_0000;
const PSM_FRCE_OFF: u32 = 0x4001_0004;
const PROC1: u32 = 1 << 16;
/// Where core 1 has its program, and where it puts what it reads.
const CODE_1: u32 = 0x2001_0000;
const READ: u32 = 0x2002_0000;
/// ADDS r0, #1; B back: 3 cycles a round.
const COUNT: [u16; 2] = [0x3001, 0xE7FD];
/// WFI; B back.
const SLEEP: [u16; 2] = [0xBF30, 0xE7FD];

fn faults(machine: &mut Machine, all: &[&str]) -> Faults<Machine> {
    Faults::new(all.iter().map(|text| text.parse::<Fault>().expect(text)), machine).expect("faults of this chip")
}

/// Runs to a cycle in pieces of at most `piece` cycles, through the faults on the way.
fn run(machine: &mut Machine, faults: &mut Faults<Machine>, to: Cycle, piece: Cycle) {
    while machine.now() < to {
        faults.apply(machine);
        let limit = faults.next().min(machine.now() + piece).min(to);
        match machine.run_until(limit) {
            Stop::Limit => {}
            Stop::DeadEnd => machine.advance_to(limit),
            stop => panic!("{stop:?}"),
        }
    }
    faults.apply(machine);
}

/// Booted from an image in flash in which core 0 counts in r0; core 1 waits for its launch.
fn booted(code: &[u16]) -> Machine {
    let vectors = [0x2004_0000_u32, 0x1000_0101].map(u32::to_le_bytes).concat();
    let segments =
        vec![Segment { address: 0x1000_0000, bytes: vectors }, Segment { address: 0x1000_0100, bytes: bytes(code) }];
    let mut machine = Machine::new();
    let image = Image { segments, boot: Boot::Flash, symbols: Vec::new(), lines: Lines::default() };
    machine.boot(&image, &bootrom::ours()).expect("it fits");
    machine
}

fn waits_for_launch(machine: &Machine) -> bool {
    let core = machine.core(1);
    core.is_asleep() && core.register(15) < bootrom::SIZE as u32 && bootrom::why_stopped(core.register(15)).is_none()
}

// A reset of one core

#[test]
fn core_1_waits_for_its_launch_again_and_core_0_does_not_notice() {
    let counted = |all: &[&str]| {
        let mut machine = booted(&COUNT);
        put(&mut machine, CODE_1, &COUNT);
        run(&mut machine, &mut Faults::default(), 100_000, 100_000);
        machine.start_core(1, CODE_1 | 1, 0x2004_1000);
        let mut faults = faults(&mut machine, all);
        run(&mut machine, &mut faults, 150_000, 100_000);
        machine
    };
    let (whole, reset) = (counted(&[]), counted(&["reset:core=1@120_000"]));
    assert!(whole.core(1).register(0) > 16_000);
    assert!(waits_for_launch(&reset));
    assert_eq!(whole.core(0).register(0), reset.core(0).register(0));
}

#[test]
fn core_0_boots_again_from_flash_and_core_1_does_not_notice() {
    let mut machine = booted(&COUNT);
    put(&mut machine, CODE_1, &COUNT);
    run(&mut machine, &mut Faults::default(), 100_000, 100_000);
    machine.start_core(1, CODE_1 | 1, 0x2004_1000);
    machine.write_register(0x4005_8018, 42); // a scratch register of the watchdog that the boot ROM does not look at
    let mut faults = faults(&mut machine, &["reset:core=0@120_000"]);
    run(&mut machine, &mut faults, 120_010, 100_000);
    assert!(machine.core(0).register(15) < bootrom::SIZE as u32);
    run(&mut machine, &mut faults, 200_000, 100_000);
    assert_eq!(machine.core(0).register(15) >> 8, 0x10_0001, "in its image");
    assert!(machine.core(1).register(0) > 33_000, "it went on counting");
    assert_eq!(machine.peek_register(0x4005_8018), 42, "peripherals keep what they hold");
}

#[test]
fn core_0_boots_as_the_scratch_registers_of_the_watchdog_say_and_once_only() {
    let mut machine = booted(&COUNT);
    put(&mut machine, CODE, &[STAY]);
    machine.ask_boot(Boot::Flash);
    let direct = Boot::Direct { entry: CODE | 1, stack: 0x2004_2000 };
    run(&mut machine, &mut Faults::default(), 100_000, 100_000);
    machine.ask_boot(direct);
    let mut faults = faults(&mut machine, &["reset:core=0@100_000", "reset:core=0@200_000"]);
    run(&mut machine, &mut faults, 110_000, 100_000);
    assert_eq!((machine.core(0).register(15), machine.core(0).msp()), (CODE, 0x2004_2000));
    run(&mut machine, &mut faults, 300_000, 100_000);
    assert_eq!(machine.core(0).register(15) >> 24, 0x10, "from flash again");
}

#[test]
fn a_core_that_firmware_holds_in_reset_stays_there() {
    let mut machine = booted(&COUNT);
    machine.write_register(PSM_FRCE_OFF, PROC1);
    let mut faults = faults(&mut machine, &["reset:core=1@1000", "off:core=1@2000..3000"]);
    run(&mut machine, &mut faults, 5000, 100_000);
    assert!(machine.core(1).is_off());
    machine.write_register(PSM_FRCE_OFF, 0);
    run(&mut machine, &mut faults, 10_000, 100_000);
    assert!(waits_for_launch(&machine));
}

#[test]
fn a_reset_frees_a_core_that_is_stuck_and_one_that_is_locked_up() {
    let mut machine = booted(&COUNT);
    let mut stuck = faults(&mut machine, &["stuck:core=1@10_000", "reset:core=1@20_000"]);
    run(&mut machine, &mut stuck, 15_000, 100_000);
    assert!(machine.core(1).is_stuck());
    run(&mut machine, &mut stuck, 30_000, 100_000);
    assert!(waits_for_launch(&machine));
    put(&mut machine, CODE_1, &[0xDE00, 0xDE00]); // UDF in the boot ROM's HardFault, too
    machine.start_core(1, CODE_1 | 1, 0x2004_1000);
    assert!(matches!(machine.run_until(40_000), Stop::Lockup { core: 1, .. }));
    let mut reset = faults(&mut machine, &["reset:core=1@50_000"]);
    run(&mut machine, &mut reset, 60_000, 100_000);
    assert!(waits_for_launch(&machine));
}

// A core that does not come up

#[test]
fn a_core_that_is_off_stays_off_whatever_firmware_does_until_it_is_its_time() {
    let mut machine = booted(&COUNT);
    let mut faults = faults(&mut machine, &["off:core=1@0..400_000", "reset@300_000", "reset:core=1@310_000"]);
    run(&mut machine, &mut faults, 1000, 100_000);
    assert!(machine.core(1).is_off());
    for value in [PROC1, 0] {
        machine.write_register(PSM_FRCE_OFF, value);
        let soon = machine.now() + 1000;
        run(&mut machine, &mut faults, soon, 100_000);
        assert!(machine.core(1).is_off());
    }
    run(&mut machine, &mut faults, 399_999, 100_000);
    assert!(machine.core(1).is_off(), "neither by a reset of the chip nor by one of its own");
    run(&mut machine, &mut faults, 401_000, 100_000);
    assert!(waits_for_launch(&machine));
}

#[test]
fn a_core_that_is_off_twice_comes_up_at_the_later_end() {
    let mut machine = booted(&COUNT);
    let mut faults = faults(&mut machine, &["off:core=1@1000..30_000", "off:core=1@2000..20_000"]);
    run(&mut machine, &mut faults, 29_999, 100_000);
    assert!(machine.core(1).is_off());
    run(&mut machine, &mut faults, 31_000, 100_000);
    assert!(waits_for_launch(&machine));
}

#[test]
fn other_faults_let_firmware_reset_a_core_that_was_off_for_good() {
    let mut machine = booted(&COUNT);
    let mut off = faults(&mut machine, &["off:core=1@1000"]);
    run(&mut machine, &mut off, 10_000, 100_000);
    let mut none = faults(&mut machine, &[]);
    run(&mut machine, &mut none, 11_000, 100_000);
    assert!(machine.core(1).is_off());
    machine.write_register(PSM_FRCE_OFF, PROC1);
    machine.write_register(PSM_FRCE_OFF, 0);
    run(&mut machine, &mut none, 20_000, 100_000);
    assert!(waits_for_launch(&machine));
}

#[test]
fn cycles_asleep_before_a_reset_still_count() {
    for fault in ["reset:core=1@120_000", "off:core=1@120_000..120_001", "off:core=1@120_000"] {
        let mut machine = booted(&COUNT);
        put(&mut machine, CODE_1, &SLEEP);
        run(&mut machine, &mut Faults::default(), 100_000, 100_000);
        machine.start_core(1, CODE_1 | 1, 0x2004_1000);
        let before = machine.statistics(1).asleep;
        let mut faults = faults(&mut machine, &[fault]);
        run(&mut machine, &mut faults, 120_000, 100_000);
        let slept = machine.statistics(1).asleep - before;
        assert!((19_980..20_000).contains(&slept), "{fault}: {slept}");
    }
}

// Words that are lost

/// Waits for room, writes r0, which counts from 0, and again. r7 is SIO.
const WRITER: [u16; 7] = [0x6D39, 0x2202, 0x4211, 0xD0FB, 0x6578, 0x3001, 0xE7F8];
/// Waits for a word, puts it to r6, and again, behind it.
const READER: [u16; 8] = [0x6D39, 0x2201, 0x4211, 0xD0FB, 0x6DB8, 0x6030, 0x3604, 0xE7F7];

/// Core `from` writes to the other; without a reader the FIFO fills.
fn talking(from: usize, reader: bool) -> Machine {
    let mut machine = Machine::new();
    put(&mut machine, CODE, &WRITER);
    put(&mut machine, CODE_1, &READER);
    machine.start_core(from, CODE | 1, 0x2004_0800);
    machine.core_mut(from).set_register(7, SIO);
    if reader {
        machine.start_core(1 - from, CODE_1 | 1, 0x2004_1800);
        machine.core_mut(1 - from).set_register(7, SIO);
        machine.core_mut(1 - from).set_register(6, READ);
    }
    machine
}

/// The words that were read, and how many were written.
fn words(machine: &Machine, from: usize) -> (Vec<u32>, u32) {
    let count = (machine.core(1 - from).register(6) - READ) / 4;
    ((0..count).map(|word| machine.peek(READ + 4 * word).expect("memory")).collect(), machine.core(from).register(0))
}

/// What is read with these faults, where core `from` writes.
fn heard(from: usize, all: &[&str], piece: Cycle) -> (Vec<u32>, u32, Machine) {
    let mut machine = talking(from, true);
    let mut faults = faults(&mut machine, all);
    run(&mut machine, &mut faults, 20_000, piece);
    let (heard, written) = words(&machine, from);
    (heard, written, machine)
}

fn without(written: u32, lost: &[u32]) -> Vec<u32> {
    (0..written).filter(|word| !lost.contains(word)).collect()
}

#[test]
fn a_word_that_is_lost_is_missed_by_the_one_and_not_by_the_other() {
    for from in 0..2 {
        let (_, clean, _) = heard(from, &[], 100_000);
        let (read, written, machine) = heard(from, &[&format!("fifo:to={},word=3", 1 - from)], 100_000);
        assert!(written >= clean, "whoever writes is not held up: {written}, {clean}");
        let expected = without(written, &[2]);
        assert_eq!(read, expected[..read.len()]);
        assert!(expected.len() - read.len() <= 9, "all others arrive");
        assert_eq!([machine.fifo_words_lost(from), machine.fifo_words_lost(1 - from)], [0, 1]);
        let (other, ..) = heard(from, &[&format!("fifo:to={from},word=3")], 100_000);
        assert_eq!(other, without(clean, &[])[..other.len()], "the other direction is not hit");
    }
}

#[test]
fn words_without_room_are_not_lost_but_refused() {
    let mut machine = talking(0, false);
    let mut nine = faults(&mut machine, &["fifo:to=1,word=9"]);
    // From the write on: no wait for room.
    machine.start_core(0, (CODE + 8) | 1, 0x2004_0800);
    machine.core_mut(0).set_register(7, SIO);
    put(&mut machine, CODE + 12, &[0xE7FC]);
    run(&mut machine, &mut nine, 1000, 100_000);
    assert_eq!(machine.fifo_words_lost(1), 0, "8 fit, and those behind them are none");
    let status = machine.bus.peripherals.sio.peek(0, 0x50, machine.now());
    assert_eq!(status & 0b110, 0b100, "WOF, not RDY");
}

#[test]
fn to_the_writer_a_lost_word_looks_as_if_it_had_gone() {
    let mut machine = talking(0, false);
    let mut all = faults(&mut machine, &["fifo:to=1@0..1000"]);
    run(&mut machine, &mut all, 1000, 100_000);
    let written = u64::from(machine.core(0).register(0));
    assert!(written > 60 && machine.fifo_words_lost(1).abs_diff(written) <= 1, "far more than 8 fit");
    let sio = &machine.bus.peripherals.sio;
    assert_eq!((sio.peek(0, 0x50, 1000) & 0b110, sio.peek(1, 0x50, 1000) & 0b1001), (0b010, 0));
    run(&mut machine, &mut all, 2000, 100_000);
    let filled = u64::from(machine.core(0).register(0)) - machine.fifo_words_lost(1);
    assert_eq!(filled, 8, "then it fills");
}

#[test]
fn a_reset_of_the_chip_does_not_end_the_losses() {
    let mut machine = talking(0, false);
    let mut all = faults(&mut machine, &["fifo:to=1", "reset@500"]);
    run(&mut machine, &mut all, 600, 100_000);
    machine.start_core(0, CODE | 1, 0x2004_0800);
    machine.core_mut(0).set_register(7, SIO);
    let before = machine.fifo_words_lost(1);
    run(&mut machine, &mut all, 1600, 100_000);
    assert!(before > 10 && machine.fifo_words_lost(1) > before + 50);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn losses_do_not_depend_on_how_a_run_is_cut_nor_on_a_snapshot(
        lose in 0.01..0.9_f64, seed: u32, piece in 1_u64..500, at in 1_u64..19_999,
    ) {
        let fault = format!("fifo:to=1,lose={lose},seed={seed}");
        let (read, _, whole) = heard(0, &[&fault], 100_000);
        prop_assert!(whole.fifo_words_lost(1) > 0);
        let (again, _, cut) = heard(0, &[&fault], piece);
        prop_assert_eq!(&read, &again);
        prop_assert_eq!(whole.state_hash(), cut.state_hash());
        // Kept at some time, and gone on from there twice.
        let mut kept = talking(0, true);
        let mut faults = faults(&mut kept, &[&fault]);
        run(&mut kept, &mut faults, at, 100_000);
        for _ in 0..2 {
            let mut machine = kept.clone();
            run(&mut machine, &mut faults.clone(), 20_000, 100_000);
            prop_assert_eq!(machine.state_hash(), whole.state_hash());
            prop_assert_eq!(machine.fifo_words_lost(1), whole.fifo_words_lost(1));
        }
    }

    #[test]
    fn a_reset_of_a_core_is_the_same_however_a_run_is_cut(at in 1_u64..50_000, core in 0..2, piece in 1_u64..2000) {
        let hash = |piece| {
            let mut machine = booted(&COUNT);
            let mut faults = faults(&mut machine, &[&format!("reset:core={core}@{at}"), "off:core=1@30_000..40_000"]);
            run(&mut machine, &mut faults, 60_000, piece);
            machine.state_hash()
        };
        prop_assert_eq!(hash(100_000), hash(piece));
    }
}
