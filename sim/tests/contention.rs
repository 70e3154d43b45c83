//! Two masters and one slave: what the arbiters make of it (RP2040 datasheet 2.1.1), and slaves with wait states.

mod common;
use common::{CODE, NOP, STACK, STAY, cycles, machine, put, put_word, times};
use intercore_sim::bus::{APB_READ, APB_WRITE, INTERPOSED, Slave};
use intercore_sim::machine::Machine;

/// `movs r0, #turns; ldr r2, [r1]; subs r0, #1; bne` and a place to stay: a turn takes 5 cycles.
fn loop_of(turns: u16) -> Vec<u16> {
    vec![0x2000 | turns, NOP, 0x680a, 0x3801, 0xd1fc, NOP, STAY, NOP]
}

/// Cycles that the loop takes on each core, code and data at the given addresses. 0 keeps core 1 off.
fn run(code: [u32; 2], data: [u32; 2]) -> [u64; 2] {
    let mut machine = Machine::new();
    for core in (0..2).filter(|&core| code[core] != 0) {
        put(&mut machine, code[core], &loop_of(100));
        machine.start_core(core, code[core] | 1, STACK);
        machine.core_mut(core).set_register(1, data[core]);
    }
    let mut taken = [0; 2];
    let cores: Vec<_> = (0..2).filter(|&core| code[core] != 0).collect();
    let mut copies: Vec<_> = cores.iter().map(|_| machine.clone()).collect();
    for (&core, copy) in cores.iter().zip(&mut copies) {
        let found = times(copy, core as u8, &[code[core] + 4, code[core] + 10], 5000);
        taken[core] = found[1] - found[0];
    }
    taken
}

/// Linear aliases of SRAM0 to 3: each in one bank (datasheet 2.6.2).
const BANK: [u32; 4] = [0x2100_0000, 0x2101_0000, 0x2102_0000, 0x2103_0000];

#[test]
fn cores_in_banks_of_their_own_do_not_feel_each_other() {
    let alone = run([BANK[0], 0], [BANK[1], 0])[0];
    assert_eq!(alone, 100 * 5 - 1);
    assert_eq!(run([BANK[0], BANK[2]], [BANK[1], BANK[3]]), [alone, alone]);
}

#[test]
fn a_core_whose_data_is_in_its_code_bank_takes_no_longer_alone() {
    assert_eq!(run([BANK[0], 0], [BANK[0] + 0x800, 0])[0], 100 * 5 - 1);
}

#[test]
fn two_cores_on_one_bank_take_exactly_what_the_bank_can_give() {
    // A turn of ldr x 4, subs, bne takes 11 cycles alone and asks for 8 accesses: 4 loads, the 3 words of the loop, and the
    // one behind it, fetched in vain. Two cores want 16 accesses of one bank: it is busy always, and a turn takes 16.
    let mut machine = Machine::new();
    let code = [0x680a, 0x680a, 0x680a, 0x680a, 0x3801, 0xd1f9, STAY, STAY];
    for core in 0..2 {
        let at = BANK[0] + 0x100 * core as u32;
        put(&mut machine, at, &code);
        machine.start_core(core, at | 1, STACK);
        machine.core_mut(core).set_register(1, BANK[0] + 0x1000);
        machine.core_mut(core).set_register(0, 1000);
    }
    machine.run_until(5000);
    let lost: Vec<u64> = (0..2).map(|i| machine.core(i).statistics().conflicts[Slave::Sram0 as usize]).collect();
    let done: Vec<u64> = (0..2).map(|i| machine.core(i).statistics().instructions).collect();
    assert!(lost[0].abs_diff(lost[1]) <= 2 && done[0].abs_diff(done[1]) <= 2, "round robin is fair: {lost:?} {done:?}");
    let turn = 6.0 * 5000.0 / done[0] as f64;
    assert!((turn - 16.0).abs() < 0.05, "{turn} cycles a turn");
}

#[test]
fn a_core_of_high_priority_never_waits_for_the_other() {
    let build = |priority: bool| {
        let mut machine = Machine::new();
        for core in 0..2 {
            let at = BANK[0] + 0x100 * core as u32;
            put(&mut machine, at, &[0x680a, 0x680a, 0x680a, 0x680a, 0x3801, 0xd1f9, STAY, STAY]);
            machine.start_core(core, at | 1, STACK);
            machine.core_mut(core).set_register(1, BANK[0] + 0x1000);
            machine.core_mut(core).set_register(0, 1000);
        }
        if priority {
            machine.set_bus_priority(0b10);
        }
        machine.run_until(3000);
        [0, 1].map(|core| machine.core(core).statistics().conflicts[Slave::Sram0 as usize])
    };
    assert!(build(false)[1] > 500);
    assert_eq!(build(true)[1], 0);
}

/// Cycles of one instruction with R0 and R1 as given.
fn one(instruction: u16, r0: u32, r1: u32) -> u64 {
    let code = [NOP, NOP, NOP, NOP, instruction, NOP, NOP, NOP, STAY];
    cycles(&code, 4, 5, |machine| {
        machine.core_mut(0).set_register(0, r0);
        machine.core_mut(0).set_register(1, r1);
        machine.bus.xip.ssi.configure(4);
    })
}

const LDR: u16 = 0x6802;
const STR: u16 = 0x6001;

#[test]
fn the_apb_bridge_makes_reads_and_writes_wait() {
    assert_eq!(one(LDR, 0x4000_0000, 0), 1 + APB_READ, "SYSINFO, DS 2.1.3");
    assert_eq!(one(STR, 0x4005_8010, 0), 1 + APB_WRITE, "WATCHDOG.SCRATCH1, DS 2.1.3");
    assert_eq!(one(STR, 0x4005_a010, 0), 1 + APB_WRITE, "its SET alias costs no more, DS 2.1.2");
    assert_eq!(one(STR, 0x4003_6030, 0), 1 + APB_WRITE + INTERPOSED, "SET alias of UART0, DS 2.1.2");
}

#[test]
fn fast_peripherals_and_memories_answer_at_once() {
    assert_eq!(one(LDR, 0x5000_0000, 0), 2, "DMA");
    assert_eq!(one(LDR, 0x0000_0000, 0), 2, "ROM");
    for address in [0x2001_0000, 0x2101_0000, 0x2004_0000, 0x2004_1000] {
        assert_eq!(one(LDR, address, 0), 2, "{address:#x}");
        assert_eq!(one(STR, address, 0), 2, "{address:#x}");
    }
}

#[test]
fn a_hit_in_the_flash_cache_costs_nothing_and_a_miss_the_wire() {
    let miss = 2 + 20 * 4 + intercore_sim::ssi::OVERHEAD;
    assert_eq!(one(LDR, 0x1000_0000, 0), miss, "20 serial clocks of 4 cycles");
    assert_eq!(one(LDR, 0x1300_0000, 0), miss, "uncached alias");
    let code = [NOP, NOP, LDR, NOP, NOP, NOP, LDR, NOP, NOP, NOP, STAY];
    let with = |address: u32| {
        cycles(&code, 6, 7, move |machine: &mut Machine| {
            machine.core_mut(0).set_register(0, address);
            machine.bus.xip.ssi.configure(2);
        })
    };
    assert_eq!(with(0x1000_0004), 2, "second read of the word");
    assert_eq!(with(0x1300_0004), 2 + 20 * 2 + intercore_sim::ssi::OVERHEAD);
}

#[test]
fn code_in_flash_runs_as_fast_as_in_ram_once_it_is_cached() {
    let mut machine = Machine::new();
    machine.bus.xip.ssi.configure(4);
    let at = 0x1000_0100;
    put(&mut machine, at, &loop_of(100));
    machine.start_core(0, at | 1, STACK);
    machine.core_mut(0).set_register(1, 0x2000_0000);
    let found = times(&mut machine, 0, &[at + 4, at + 10], 5000);
    // The words of the loop and the one behind it, fetched in vain.
    let misses = machine.bus.xip.counters();
    assert_eq!(misses.1 - misses.0, 4, "words missed");
    let cost = 20 * 4 + intercore_sim::ssi::OVERHEAD;
    assert!(found[1] - found[0] >= 499 + cost && found[1] - found[0] <= 499 + 3 * cost);
}

#[test]
fn runs_repeat_and_do_not_depend_on_how_they_are_cut() {
    let build = || {
        let mut machine = Machine::new();
        for core in 0..2 {
            put(&mut machine, CODE + 0x100 * core as u32, &loop_of(200));
            machine.start_core(core, (CODE + 0x100 * core as u32) | 1, STACK);
            machine.core_mut(core).set_register(1, CODE + 0x1000);
        }
        machine
    };
    let mut whole = build();
    whole.run_until(900);
    for cut in [1, 3, 7, 64] {
        let mut pieces = build();
        let mut at = 0;
        while at < 900 {
            at = (at + cut).min(900);
            pieces.run_until(at);
        }
        assert_eq!(pieces.state_hash(), whole.state_hash(), "cut into pieces of {cut}");
    }
    let mut copy = build();
    copy.run_until(333);
    let mut later = copy.clone();
    later.run_until(900);
    assert_eq!(later.state_hash(), whole.state_hash(), "through a snapshot");
    let mut watched = build();
    watched.bus.watch.probe(intercore_sim::probe::Watch::Execute, CODE, 1);
    watched.run_until(900);
    assert_eq!(watched.state_hash(), whole.state_hash(), "a probe changes nothing");
}

/// A DMA channel copies words from one bank to another while a core works in the first. A single access of the core comes
/// after one of the DMA and so is its turn; of two in a row the second waits.
#[test]
fn the_dma_takes_its_turn_at_a_bank() {
    let build = |dma: bool, data: u32| {
        let mut machine = Machine::new();
        put(&mut machine, data, &loop_of(200));
        machine.start_core(0, data | 1, STACK);
        machine.core_mut(0).set_register(1, data + 0x1000);
        for word in 0..64 {
            put_word(&mut machine, BANK[0] + 4 * word, 0x1000 + word);
        }
        if dma {
            // RESETS: let go of the DMA; channel 0: read, write, count, trigger (EN, word, both increment, unpaced).
            assert!(machine.write_register(0x4000_f000, 1 << 2));
            machine.write_register(0x5000_0000, BANK[0]);
            machine.write_register(0x5000_0004, BANK[1]);
            machine.write_register(0x5000_0008, 64);
            machine.write_register(0x5000_000c, 1 | 2 << 2 | 1 << 4 | 1 << 5 | 0x3f << 15);
        }
        machine.run_until(2000);
        machine
    };
    let lost = |machine: &Machine| machine.core(0).statistics().conflicts.iter().sum::<u64>();
    let busy = build(true, BANK[0] + 0x4000);
    assert!((0..64).all(|word| busy.peek(BANK[1] + 4 * word) == Some(0x1000 + word)), "copied");
    assert!(lost(&busy) > 0, "the core has waited");
    assert_eq!(lost(&build(true, BANK[2])), 0, "other banks are free");
    assert_eq!(lost(&build(false, BANK[0] + 0x4000)), 0);
}

#[test]
fn memory_is_where_the_map_says() {
    let mut machine = machine(&[STAY]);
    put_word(&mut machine, 0x2000_0010, 0x1111);
    put_word(&mut machine, 0x2000_0014, 0x2222);
    assert_eq!(machine.peek(0x2100_0004), Some(0x1111), "word 4 of the striped view is word 1 of bank 0");
    assert_eq!(machine.peek(0x2101_0004), Some(0x2222));
    assert_eq!(machine.peek(0x2004_2000), None);
    assert_eq!(machine.peek(0x1000_0000), Some(u32::MAX), "erased flash");
}
