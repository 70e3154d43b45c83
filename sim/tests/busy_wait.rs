//! Busy waits are skipped: with the same results, cycles, counters and notes as if each of their turns had been executed.

use crate::machine_code::{NOP, STAY, VECTORS, VTOR, cases, put, put_word};
use crate::profile::{contents, image};
use intercore_sim::engine::Engine;
use intercore_sim::rp2040::machine::Machine;
use intercore_sim::rp2040::peripherals::Peripherals;
use proptest::prelude::*;

const TIMER: u32 = 0x4005_4000;
const UART0: u32 = 0x4003_4000;
const SIO: u32 = 0xd000_0000;
const SYSTICK: u32 = 0xe000_e010;
const RAM: u32 = 0x2003_0000;
/// What a wait may read: time, flags that change and flags that stay, SIO, memory, what a read changes, what is not modelled
/// or held in reset.
const READ: [u32; 22] = [
    TIMER + 0x28,
    TIMER + 0x28,
    TIMER + 0x24,
    TIMER + 0x0c,
    TIMER + 0x08,
    TIMER + 0x34,
    TIMER + 0x7c,
    UART0 + 0x18,
    UART0 + 0x18,
    UART0,
    0x4000_c008,
    0x4005_0008,
    0x5020_0004,
    0x5000_0000,
    0x4002_4000,
    SIO,
    SIO + 0x04,
    SIO + 0x50,
    SIO + 0x100,
    0xe000_e018,
    RAM,
    0x1000_3000,
];
/// By core: striped, in flash, in a bank of its own.
const PLACES: [[u32; 2]; 3] = [[0x2000_0000, 0x2000_8002], [0x1000_0100, 0x1000_2102], [0x2004_0000, 0x2004_1000]];

/// A wait, and what comes before and after it.
#[derive(Clone, Debug)]
struct Wait {
    /// Sent by UART0 before it begins.
    sends: bool,
    read: usize,
    width: u16,
    /// Bits of the register that are looked at.
    mask: u8,
    /// What is between the load and the comparison.
    between: Vec<u16>,
    /// How the register is compared: bits that are set or clear, or time that has passed.
    comparison: u16,
    /// Turns after which it gives up.
    most: u16,
    /// Instructions of work behind it.
    work: u8,
}

fn between() -> impl Strategy<Value = Vec<u16>> {
    // NOP; ADDS r5, #1; LSLS r5, r3, #3; MOV r5, r8; LDR r5, [r7]; LDR r5, [pc, #0]; B over a NOP.
    let one = prop_oneof![
        Just(vec![NOP]),
        Just(vec![0x3501]),
        Just(vec![0x00dd]),
        Just(vec![0x4645]),
        Just(vec![0x683d]),
        Just(vec![0x4d00]),
        Just(vec![0xe000, NOP]),
        // BL over nothing; BL to BX lr, which comes back to a branch over it; MRS r8, PRIMASK, CPSID i, MSR PRIMASK, r8.
        Just(vec![0xf000, 0xf800]),
        Just(vec![0xf000, 0xf801, 0xe000, 0x4770]),
        Just(vec![0xf3ef, 0x8810, 0xb672, NOP, 0xf388, 0x8810]),
        // MOVS r5, r0; LDM r5!, {r3}. MOVS r3, r0; LDM r3!, {r1, r5}; MOVS r3, r5. MOVS r5, r7; LDM r5!, {r3}.
        Just(vec![0x0005, 0xcd08]),
        Just(vec![0x0003, 0xcb22, 0x002b]),
        Just(vec![0x003d, 0xcd08]),
        // CPSID i; CPSIE i. STR r5, [r7]: no busy wait any more.
        Just(vec![0xb672, 0xb662]),
        Just(vec![0x603d]),
    ];
    proptest::collection::vec(one, 0..4).prop_map(|parts| parts.concat())
}

fn wait() -> impl Strategy<Value = Wait> {
    (any::<bool>(), 0..READ.len(), 0u16..3, any::<u8>(), between(), 0u16..4, 1u16..4000, 0u8..40).prop_map(
        |(sends, read, width, mask, between, comparison, most, work)| Wait {
            sends,
            read,
            width,
            mask,
            between,
            comparison,
            most,
            work,
        },
    )
}

/// `code` has r7 as an address in RAM, and r4 as the number of rounds.
fn append(wait: &Wait, code: &mut Vec<u16>) {
    // Literals: LDR r0, [pc, #4]; LDR r6, [pc, #8]; B over them; the address, turns.
    if code.len() % 2 == 1 {
        code.push(NOP);
    }
    let address = READ[wait.read];
    let literals = [address, u32::from(wait.most), UART0];
    code.extend([0x4801, 0x4e02, 0xe006, NOP]);
    let at = code.len();
    for literal in literals {
        code.extend([literal as u16, (literal >> 16) as u16]);
    }
    assert_eq!(code.len() - at, 6);
    code.push(NOP);
    if wait.sends {
        // MOVS r1, #0x40; LSLS r1, #24; MOVS r2, #0x34; LSLS r2, #12; ORRS r1, r2; STR r4, [r1]
        code.extend([0x2140, 0x0609, 0x2234, 0x0312, 0x4311, 0x600c]);
    }
    // MOVS r2, #mask; LDR r1, [r0]
    code.extend([0x2200 | u16::from(wait.mask), 0x6801]);
    let begin = code.len();
    code.push([0x6803, 0x8803, 0x7803][usize::from(wait.width)]);
    code.extend(&wait.between);
    match wait.comparison {
        // TST r3, r2; BNE +6 or BEQ +6 out of it.
        0 => code.extend([0x4213, 0xd101]),
        1 => code.extend([0x4213, 0xd001]),
        // SUBS r3, r1; CMP r3, r2; BHS out.
        2 => code.extend([0x1a5b, 0x4293, 0xd201]),
        // It only gives up.
        _ => code.extend([NOP, NOP]),
    }
    // SUBS r6, #1; BNE begin
    code.push(0x3e01);
    let back = code.len() + 2 - begin;
    code.push(0xd100 | 0u8.wrapping_sub(back as u8) as u16);
    // STR r3, [r7, #4]; STR r5, [r7, #8]; STR r6, [r7, #12]
    code.extend([0x607b, 0x60bd, 0x60fe]);
    code.extend(std::iter::repeat_n(0x3401, usize::from(wait.work)));
}

/// A machine with the waits of each core, one after the other and again; a core without any is off.
fn waiting(waits: &[Vec<Wait>; 2], place: usize) -> Machine {
    let mut machine = Machine::new();
    machine.write_register(0x4000_f000, 1 << 21 | 1 << 22); // RESETS: lets go of timer and UART0
    machine.write_register(0x4005_802c, 1 << 9 | 0xc); // TICK, of 12 cycles
    for (offset, value) in [(0x24, 2), (0x28, 0), (0x2c, 0x70), (0x30, 0x101)] {
        machine.write_register(UART0 + offset, value);
    }
    machine.write_register(TIMER + 0x10, 40); // an alarm, which nobody takes
    for (core, waits) in waits.iter().enumerate().filter(|(_, waits)| !waits.is_empty()) {
        // MOVS r4, #0; MOVS r5, #0
        let mut code = vec![0x2400, 0x2500];
        for wait in waits {
            append(wait, &mut code);
        }
        let back = code.len() as u16 - 2 + 2;
        code.push(0xe000 | 0u16.wrapping_sub(back) & 0x7ff);
        code.extend([STAY, NOP, NOP]);
        let at = PLACES[place][core] & !3;
        put(&mut machine, at, &code);
        machine.start_core(core, at | 1, RAM + 0x1000 * (core as u32 + 1));
        machine.core_mut(core).set_register(7, RAM + 0x100 * (core as u32 + 1));
    }
    put_word(&mut machine, RAM, 0x1234_5678);
    machine
}

/// `SysTick` interrupts a core after so many cycles, again and again; the handler returns.
fn interrupt_each(machine: &mut Machine, core: usize, cycles: u32) {
    put(machine, VECTORS + 0x100, &[0x4770, NOP]);
    put_word(machine, VECTORS + 4 * 15, VECTORS + 0x101);
    for (register, value) in [(VTOR, VECTORS), (SYSTICK + 4, cycles), (SYSTICK + 8, 0), (SYSTICK, 7)] {
        machine.write_private(core, register, value);
    }
}

fn compare(mut skipping: Machine, pieces: &[u32]) -> Result<Machine, TestCaseError> {
    let mut lock_step = skipping.clone();
    lock_step.engine = Engine::LockStep;
    for &cycles in pieces {
        let both = [&mut skipping, &mut lock_step].map(|machine| {
            let now = machine.now();
            let stop = machine.run_until(now + u64::from(cycles));
            let diagnostics = &mut machine.bus.fabric.diagnostics;
            (stop, diagnostics.unmodelled_uses(), diagnostics.take(), diagnostics.take_suppressed_counts())
        });
        prop_assert_eq!(&both[0], &both[1]);
        for core in 0..2 {
            let [ours, theirs] = [&skipping, &lock_step].map(|machine| {
                let core = machine.core(core);
                let registers: Vec<u32> = (0..16).map(|register| core.register(register)).collect();
                (registers, core.xpsr(), core.cycle(), core.statistics().clone())
            });
            prop_assert_eq!(ours, theirs, "core {} in cycle {}", core, lock_step.now());
        }
        prop_assert_eq!(skipping.bus.xip.counters(), lock_step.bus.xip.counters());
        prop_assert!(skipping.state_hash() == lock_step.state_hash(), "in cycle {}", lock_step.now());
    }
    Ok(skipping)
}

/// Runs a machine with a profile, once with and once without skipping.
fn compare_profiles(machine: &Machine, pieces: &[u32]) -> Result<u64, TestCaseError> {
    // Small ones, which loops go through.
    let starts = PLACES.as_flattened().iter().flat_map(|&at| (0..64).map(move |number| (at & !3) + 16 * number));
    let functions = starts.map(|start| ("", start, 16)).collect::<Vec<_>>();
    let mut both = [Engine::Decoupled, Engine::LockStep].map(|engine| {
        let mut machine = machine.clone();
        machine.engine = engine;
        let timed = pieces.len().is_multiple_of(2).then_some(PLACES[0][0]);
        machine.start_profile(&image(&functions, &[("word", RAM, 4)]), timed);
        for &cycles in pieces {
            let now = machine.now();
            machine.run_until(now + u64::from(cycles));
        }
        machine
    });
    let [skipping, lock_step] = both.each_mut().map(|machine| machine.take_profile().expect("it was started"));
    prop_assert_eq!(contents(&skipping), contents(&lock_step));
    prop_assert_eq!(both[0].state_hash(), both[1].state_hash());
    Ok(both[0].skipped_turns())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(200)))]

    #[test]
    fn waits_end_as_if_each_turn_had_been_executed(
        first in proptest::collection::vec(wait(), 1..6),
        second in proptest::collection::vec(wait(), 0..6),
        place in 0..PLACES.len(),
        pieces in proptest::collection::vec(1u32..40_000, 1..5),
        ticks in proptest::collection::vec(300u32..9000, 0..3),
    ) {
        let mut machine = waiting(&[first, second], place);
        for (core, cycles) in ticks.into_iter().enumerate() {
            interrupt_each(&mut machine, core, cycles);
        }
        compare_profiles(&machine, &pieces)?;
        compare(machine, &pieces)?;
    }
}

fn simple(read: usize, comparison: u16, mask: u8) -> Wait {
    Wait { sends: false, read, width: 0, mask, between: vec![], comparison, most: 60_000, work: 3 }
}

#[test]
fn waits_of_one_core_and_of_both_are_skipped() {
    let timer = simple(0, 2, 200);
    let flag = simple(7, 3, 0);
    for waits in [[vec![timer.clone()], vec![]], [vec![timer.clone()], vec![timer]], [vec![flag.clone()], vec![flag]]] {
        // Native code itself goes on as long as a register stays as it is, and the turns that it is read in do not.
        let is_native = waits[0][0].read == 7;
        let machine = compare(waiting(&waits, 0), &[300_000]).expect("they are the same");
        let turns = machine.skipped_turns();
        assert!(turns > if is_native { 100 } else { 5_000 }, "{turns} turns");
        let profiled = compare_profiles(&waiting(&waits, 0), &[300_000]).expect("they are the same");
        assert!(profiled > 5_000, "{profiled} turns");
    }
}

/// A profile does not execute each turn of a loop that does nothing.
#[test]
fn a_loop_that_does_nothing_is_a_busy_wait_in_a_profile() {
    let mut machine = waiting(&[vec![simple(0, 2, 200)], vec![]], 0);
    put(&mut machine, PLACES[2][1], &[STAY]);
    machine.start_core(1, PLACES[2][1] | 1, RAM);
    interrupt_each(&mut machine, 1, 7700);
    let turns = compare_profiles(&machine, &[300_000]).expect("they are the same");
    assert!(turns > 10_000, "{turns} turns");
}

/// A loop that does nothing, and one that waits for a word of SRAM, which the handler of an interrupt changes.
#[test]
fn idle_loops_are_skipped_without_a_profile() {
    // LDR r1, [r0]; CMP r1, #0; BEQ back; B to the LDR.
    let spin = [0x6801, 0x2900, 0xd0fc, 0xe7fb];
    let stay = [STAY, NOP];
    for (place, codes) in
        [[&stay[..], &stay], [&spin, &stay], [&spin, &spin], [&stay, &[]], [&spin, &[]]].iter().enumerate()
    {
        let mut machine = Machine::new();
        for (core, code) in codes.iter().enumerate().filter(|(_, code)| !code.is_empty()) {
            let at = PLACES[place % PLACES.len()][core] & !3;
            put(&mut machine, at, code);
            machine.start_core(core, at | 1, RAM + 0x1000 * (core as u32 + 1));
            machine.core_mut(core).set_register(0, RAM + 4 * core as u32);
            interrupt_each(&mut machine, core, [8000, 9100][core]);
        }
        // LDR r2, [r0]; MVNS r2, r2; STR r2, [r0]; BX LR
        put(&mut machine, VECTORS + 0x100, &[0x6802, 0x43d2, 0x6002, 0x4770]);
        let machine = compare(machine, &[100_000, 1, 2500, 200_000]).expect("they are the same");
        assert!(machine.core(0).statistics().exceptions > 30);
        let turns = machine.skipped_turns();
        assert!(turns > 10_000, "{codes:x?}: {turns} turns");
    }
}

#[test]
fn interrupts_come_during_a_wait_as_without_skipping() {
    let mut machine = waiting(&[vec![simple(0, 2, 200)], vec![simple(0, 2, 100)]], 0);
    interrupt_each(&mut machine, 0, 9100);
    interrupt_each(&mut machine, 1, 7700);
    let machine = compare(machine, &[300_000]).expect("they are the same");
    let exceptions = [0, 1].map(|core| machine.core(core).statistics().exceptions);
    let turns = machine.skipped_turns();
    assert!(exceptions[0] > 30 && exceptions[1] > 36 && turns > 1000, "{exceptions:?}, {turns} turns");
}

/// A turn that is longer than all code behind the wait, in which native code reads the register: it ends before an interrupt.
#[test]
fn native_code_stops_in_time_for_an_interrupt_in_a_long_turn() {
    let wait = Wait { between: vec![NOP; 12], most: 68, work: 5, ..simple(7, 3, 0) };
    for cycles in 481..501 {
        let mut machine = waiting(&[vec![wait.clone()], vec![]], 0);
        interrupt_each(&mut machine, 0, cycles);
        compare(machine, &[200_000]).expect("they are the same");
    }
}

#[test]
fn what_latches_takes_or_counts_is_no_busy_wait() {
    for read in [3, 4, 9, 19] {
        let machine = compare(waiting(&[vec![simple(read, 3, 0)], vec![]], 0), &[100_000]).expect("they are the same");
        assert_eq!(machine.skipped_turns(), 0, "{:#x}", READ[read]);
    }
}

/// A chip at work, that a core looks at: UART0 and SPI0 send, ADC converts, a state machine of PIO0 toggles a pin that PWM counts,
/// PWM and RTC run, a DMA channel copies by a timer.
fn at_work(address: u32) -> Machine {
    let mut machine = Machine::new();
    let all = [
        (0x4000_f000, u32::MAX),
        (0x4005_802c, 1 << 9 | 0xc),
        (0x4000_8048, 1 << 11),
        (0x4000_8060, 1 << 11 | 1 << 5),
        (0x4000_806c, 1 << 11 | 1 << 5),
        (UART0 + 0x24, 2),
        (UART0 + 0x2c, 0x70),
        (UART0 + 0x30, 0x101),
        (UART0, 0x55),
        (UART0, 0xaa),
        (0x4003_c010, 2),
        (0x4003_c000, 0x2_07),
        (0x4003_c004, 3),
        (0x4003_c008, 0x1234),
        (0x4003_c008, 0x4321),
        (0x4004_c010, 300 << 8),
        (0x4004_c008, 1 << 3 | 1),
        (0x4004_c000, 1 << 3 | 1),
        (0x5020_0048, 0xe101),
        (0x5020_004c, 0xe000),
        (0x5020_00cc, 1 << 12),
        (0x5020_00dc, 1 << 26),
        (0x5020_00c8, 3 << 16),
        (0x4001_4004, 6),
        (0x4001_400c, 4),
        (0x5020_0000, 1),
        (0x4005_0004, 17 << 4),
        (0x4005_0000, 1),
        (0x4005_c000, 20),
        (0x4005_c004, 2024 << 12 | 1 << 8 | 1),
        (0x4005_c00c, 1 << 4),
        (0x4005_c00c, 1),
        (0x5000_0420, 1 << 16 | 0x800),
        (0x5000_0000, RAM),
        (0x5000_0004, RAM + 0x40),
        (0x5000_0008, 1000),
        (0x5000_000c, 0x3b << 15 | 2 << 2 | 1),
        (TIMER + 0x10, 100),
        (TIMER + 0x38, 1),
    ];
    for (register, value) in all {
        machine.write_register(register, value);
    }
    // LDR r1, [r0]; ADDS r2, r2, r1; MOV r3, r1; B back.
    put(&mut machine, 0x2000_0000, &[0x6801, 0x1852, 0x460b, 0xe7fb]);
    machine.start_core(0, 0x2000_0001, RAM + 0x1000);
    machine.core_mut(0).set_register(0, address);
    machine
}

#[test]
fn every_register_of_a_chip_at_work_reads_as_if_each_turn_had_been_executed() {
    let mut skipped = 0;
    for block in Peripherals::blocks().filter(|block| block.base >> 28 != 0xd) {
        for address in (block.base..block.base + 0x80).step_by(4) {
            let machine = compare(at_work(address), &[2000]);
            let machine = machine.unwrap_or_else(|why| panic!("{block} at {address:#x}: {why}"));
            skipped += u32::from(machine.skipped_turns() > 0);
        }
    }
    assert!(skipped > 100, "{skipped} registers");
}
