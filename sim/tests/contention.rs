//! Two masters and one slave: what the arbiters make of it (RP2040 datasheet 2.1.1).

use crate::machine_code::{
    BANK, LDR, NOP, OWN, STACK, STAY, STR, WIRE, load_loop, machine, put, put_word, set_bus_priority, times,
};
use intercore_sim::core::watch::Watch;
use intercore_sim::engine::Engine;
use intercore_sim::rp2040::bus::slave::SRAM0;
use intercore_sim::rp2040::machine::Machine;

/// Cycles that the loop takes on each core, code and data at the given addresses. 0 keeps core 1 off.
fn run(code: [u32; 2], data: [u32; 2]) -> [u64; 2] {
    let mut machine = Machine::new();
    for core in (0..2).filter(|&core| code[core] != 0) {
        put(&mut machine, code[core], &load_loop(100));
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
    let lost: Vec<u64> = (0..2).map(|i| machine.core(i).statistics().conflicts[SRAM0.number()]).collect();
    let done: Vec<u64> = (0..2).map(|i| machine.core(i).statistics().instructions).collect();
    assert!(lost[0].abs_diff(lost[1]) <= 2 && done[0].abs_diff(done[1]) <= 2, "round robin is fair: {lost:?} {done:?}");
    // A turn is 6 instructions.
    assert!((16 * done[0]).abs_diff(6 * 5000) <= 6 * 16, "{done:?}");
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
            set_bus_priority(&mut machine, 0b10);
        }
        machine.run_until(3000);
        [0, 1].map(|core| machine.core(core).statistics().conflicts[SRAM0.number()])
    };
    assert!(build(false)[1] > 500);
    assert_eq!(build(true)[1], 0);
}

/// "If both cores attempt to claim the same lock on the same clock cycle, core 0 succeeds" (DS 2.3.1.3): so it is, too, if one
/// of them, or both, lose that cycle on the bus, where they ask for their next instructions meanwhile.
#[test]
fn core_0_gets_a_spinlock_that_both_claim_in_one_cycle_whoever_gets_the_bus() {
    let mut met = [0; 4];
    // What each core does before, for the phase: NOPs, and one of them a load from a bank in which no fetch is.
    for (nops, loads, first) in (0..64).flat_map(|i| (0..12).map(move |j| ([i % 8, i / 8], j % 2, j / 2))) {
        let before = [0, 1].map(|core| [&[NOP].repeat(nops[core])[..], &[0x680b].repeat(core ^ loads)].concat());
        let mut machine = Machine::new();
        let mut claims = [0; 2];
        for core in 0..2 {
            let at = BANK[0] + 0x100 * core as u32;
            put(&mut machine, at, &[&before[core], &[LDR, NOP, NOP, STAY, NOP][..]].concat());
            machine.start_core(core, at | 1, STACK);
            machine.core_mut(core).set_register(0, 0xd000_0100);
            machine.core_mut(core).set_register(1, BANK[2 + core]);
            claims[core] = at + 2 * before[core].len() as u32;
        }
        if first < 2 {
            machine.bus.fabric.arbiter.last[SRAM0.number()] = first as u8;
        } else {
            // A DMA of high priority reads that bank in one cycle of four: READ_ADDR, WRITE_ADDR, TRANS_COUNT, CTRL_TRIG.
            set_bus_priority(&mut machine, 0b1100);
            let source = 0x2000_8000 + 4 * first as u32;
            for (offset, value) in [(0, source), (4, BANK[1]), (8, 50), (12, 1 | 2 << 2 | 1 << 4 | 0x3f << 15)] {
                machine.write_register(0x5000_0000 + offset, value);
            }
        }
        let mut lock_step = machine.clone();
        lock_step.engine = Engine::LockStep;
        for machine in [&mut lock_step, &mut machine] {
            let probes = claims.map(|at| [at, at + 2].map(|at| machine.bus.fabric.watch.probe(Watch::Execute, at, 1)));
            machine.run_until(100);
            let [zero, one] = probes.map(|both| both.map(|probe| machine.bus.fabric.watch.hits(probe)[0].cycle));
            let taken = [0, 1].map(|core| machine.core(core).register(2));
            assert_eq!(
                taken,
                if zero[0] <= one[0] { [1, 0] } else { [0, 1] },
                "{first} {nops:?} {loads}: {zero:?} {one:?}"
            );
            if zero[0] == one[0] {
                met[usize::from(zero[1] - zero[0] > 1) + 2 * usize::from(one[1] - one[0] > 1)] += 1;
            }
        }
    }
    assert!(met.iter().all(|&times| times > 0), "neither, core 0, core 1 or both lost that cycle so often: {met:?}");
}

/// Cycles of `instruction` on both cores, which begin it in the same cycle: code in banks of their own, R0 as given (0: the
/// core is off), `high` the masters of high priority.
fn both(instruction: u16, r0: [u32; 2], high: u8) -> [u64; 2] {
    let mut machine = Machine::new();
    machine.bus.xip.ssi.configure(4);
    set_bus_priority(&mut machine, high);
    let code = [NOP, NOP, NOP, NOP, instruction, NOP, NOP, STAY];
    for core in (0..2).filter(|&core| r0[core] != 0) {
        put(&mut machine, OWN[core], &code);
        machine.start_core(core, OWN[core] | 1, STACK);
        machine.core_mut(core).set_register(0, r0[core]);
    }
    [0, 1].map(|core| {
        if r0[core] == 0 {
            return 0;
        }
        let found = times(&mut machine.clone(), core as u8, &[OWN[core] + 8, OWN[core] + 10], 1000);
        found[1] - found[0]
    })
}

/// `ldm r0!, {r0-r7}` and `stm r0!, {r0-r7}`: 1 + 8 cycles, of which the first 8 ask for the bank.
const LDM: u16 = 0xc8ff;
const STM: u16 = 0xc0ff;

/// Round robin among equals (DS 2.1.1.1), core 0 first after reset (assumption): loads at 0, 2, ... 14 and 1, 3, ... 15, each
/// core then has its last cycle.
#[test]
fn two_cores_that_ask_for_one_bank_in_every_cycle_get_it_in_turn() {
    for instruction in [LDM, STM] {
        assert_eq!(both(instruction, [BANK[0] + 0x2000, 0], 0), [9, 0], "alone");
        for bank in [BANK[0], BANK[1], BANK[2], BANK[3]] {
            assert_eq!(both(instruction, [bank + 0x2000, bank + 0x3000], 0), [16, 17]);
        }
        assert_eq!(both(instruction, [BANK[0] + 0x2000, BANK[1] + 0x2000], 0), [9, 9], "different banks");
    }
}

/// Consecutive words of striped memory are in consecutive banks (table 153): two cores that run through them never meet but
/// once.
#[test]
fn two_cores_in_striped_memory_meet_once() {
    assert_eq!(both(LDM, [0x2000_2000, 0x2000_3000], 0), [9, 10], "word n of both in the same bank");
    assert_eq!(both(LDM, [0x2000_2000, 0x2000_3004], 0), [9, 9], "one bank ahead");
}

/// "All high-priority requests first" (DS 2.1.1.1): the other waits for 8 cycles, then takes 9.
#[test]
fn a_master_of_high_priority_comes_first_and_two_of_them_are_equals() {
    let same_bank = [BANK[0] + 0x2000, BANK[0] + 0x3000];
    assert_eq!(both(LDM, same_bank, 0b01), [9, 17]);
    assert_eq!(both(LDM, same_bank, 0b10), [17, 9]);
    assert_eq!(both(LDM, same_bank, 0b11), [16, 17]);
}

/// The port is held for the 3 cycles of a read and the 4 of a write (DS 2.1.3).
#[test]
fn two_cores_at_the_apb_bridge_are_served_one_after_the_other() {
    let scratch = [0x4005_800c, 0x4005_8010];
    assert_eq!(both(LDR, scratch, 0), [4, 3 + 4]);
    assert_eq!(both(STR, scratch, 0), [5, 4 + 5]);
    assert_eq!(both(LDR, scratch, 0b10), [3 + 4, 4]);
    assert_eq!(both(LDR, [0x4005_800c, 0x5000_0800], 0), [4, 2], "APB and fast peripherals are two ports");
}

/// The port is a slave whose HREADY is low meanwhile (DS 2.6.3.4): the second waits for the first, then for its own word.
#[test]
fn a_miss_keeps_the_flash_from_the_other_core() {
    let (miss, hit) = (2 + WIRE, 2);
    assert_eq!(both(LDR, [0x1000_0000, 0x1000_0100], 0), [miss, 1 + WIRE + miss]);
    assert_eq!(both(LDR, [0x1000_0000, 0x1000_0000], 0), [miss, 1 + WIRE + hit], "the same word is there by then");
    assert_eq!(both(LDR, [0x1000_0000, 0x1000_0004], 0), [miss, 1 + WIRE + miss], "the other half of the line is not");
    assert_eq!(both(LDR, [0x1300_0000, 0x1300_0000], 0), [miss, 1 + WIRE + miss], "around the cache");
}

/// SIO has a port for each core (DS 2.3.1), the private peripheral bus is in the core.
#[test]
fn cores_do_not_meet_at_sio_nor_inside_themselves() {
    assert_eq!(both(LDR, [0xd000_0000, 0xd000_0000], 0), [1, 1]);
    assert_eq!(both(LDR, [0xe000_ed00, 0xe000_ed00], 0), [2, 2]);
}

/// Straight code asks for a word in every second cycle: its data can have the other (TRM 2.2.1: one port, at most 32 bits
/// ahead). A core never waits for itself, wherever code and data are.
#[test]
fn fetches_and_data_of_one_core_never_meet() {
    for base in [0x2000_0000, BANK[1], OWN[0]] {
        let mut machine = Machine::new();
        let mut code = vec![0x6802; 40]; // ldr r2, [r0]
        code.extend([0xc8fe, 0xc0fe, NOP, 0xe7ff, STAY]); // ldm, stm, nop, b .+2
        put(&mut machine, base, &code);
        machine.start_core(0, base | 1, STACK);
        machine.core_mut(0).set_register(0, base + 0x200);
        let found = times(&mut machine, 0, &[base, base + 80, base + 88], 500);
        assert_eq!((found[1] - found[0], found[2] - found[1]), (80, 8 + 8 + 1 + 2), "{base:#x}");
    }
}

/// A DMA channel copies words from one bank to another while a core works in the first. A single access of the core comes
/// after one of the DMA and so is its turn; of two in a row the second waits.
#[test]
fn the_dma_takes_its_turn_at_a_bank() {
    let build = |dma: bool, data: u32| {
        let mut machine = Machine::new();
        put(&mut machine, data, &load_loop(200));
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

/// Triggers channel 0 to copy words, unpaced.
fn copy(machine: &mut Machine, from: u32, to: u32, words: u32) {
    assert!(machine.write_register(0x4000_f000, 1 << 2), "RESETS: let go of the DMA");
    let control = 1 | 2 << 2 | 1 << 4 | 1 << 5 | 0x3f << 15; // EN, words, both addresses count, no pacing
    for (offset, value) in [(0, from), (4, to), (8, words), (12, control)] {
        machine.write_register(0x5000_0000 + offset, value);
    }
}

/// Cycles from the trigger until the last word is written.
fn copying(from: u32, to: u32, words: u32) -> u64 {
    let mut machine = Machine::new();
    copy(&mut machine, from, to, words);
    (1..1000)
        .find(|&cycle| {
            machine.run_until(cycle);
            machine.peek_register(0x5000_000c) >> 24 & 1 == 0
        })
        .expect("it ends")
}

/// One read and one write in every cycle (DS 2.5). Read n in cycle 1 + n, write n in 3 + n, as measured on a board (see
/// `rp2::dma`).
#[test]
fn the_dma_moves_a_word_in_each_cycle_between_banks_and_in_two_within_one() {
    for words in [1, 2, 8, 50] {
        let last_write = u64::from(3 + words - 1);
        assert_eq!(copying(BANK[0], BANK[1], words), last_write + 1);
        assert_eq!(copying(0x2000_0000, 0x2000_2004, words), last_write + 1, "striped, not in step");
        // Both masters at one bank take turns: reads at 1, 2, 4, 6, ... 2n - 2, writes at 3, 5, ... and the last two in a row.
        let last_write = u64::from(words + 2).max(2 * u64::from(words));
        assert_eq!(copying(BANK[0], BANK[0] + 0x4000, words), last_write + 1);
    }
}

/// An LDM of 8 in a bank where the DMA reads or writes in every cycle gets it in every second; or in all; or in none until
/// the copy is over.
#[test]
fn the_dma_and_a_core_share_a_bank_as_two_cores_do() {
    let ldm = |bank: u32, high: u8| {
        let code = [NOP, NOP, NOP, NOP, LDM, NOP, NOP, STAY];
        let mut machine = Machine::new();
        set_bus_priority(&mut machine, high);
        put(&mut machine, OWN[0], &code);
        machine.start_core(0, OWN[0] | 1, STACK);
        machine.core_mut(0).set_register(0, bank + 0x4000);
        copy(&mut machine, BANK[0], BANK[1], 40);
        let found = times(&mut machine, 0, &[OWN[0] + 8, OWN[0] + 10], 1000);
        // The first instruction begins in cycle 2, its LDM 4 later.
        assert_eq!(found[0], 6);
        found[1] - found[0]
    };
    assert_eq!(ldm(BANK[2], 0), 9, "no one else is there");
    // The read in cycle 5 was the last grant, so that the core is next, at 6, 8, ... 20.
    assert_eq!(ldm(BANK[0], 0), 16, "reads");
    assert_eq!(ldm(BANK[1], 0), 16, "writes");
    assert_eq!(ldm(BANK[0], 0b0001), 9, "PROC0 high");
    // The last read is in cycle 40, the last write in 42.
    assert_eq!(ldm(BANK[0], 0b0100), (41 - 6) + 9, "DMA_R high");
    assert_eq!(ldm(BANK[1], 0b1000), (43 - 6) + 9, "DMA_W high");
    assert_eq!(ldm(BANK[1], 0b0100), 16, "DMA_R high does nothing for writes");
}

/// `PERFSEL` of the four counters, and what they have counted after both cores have executed an instruction at once, as in
/// `both`, and gone to sleep.
fn counted(events: [u32; 4], instruction: u16, r0: [u32; 2]) -> [u32; 4] {
    let mut machine = Machine::new();
    assert!(machine.write_register(0x4000_f000, 1 << 1), "RESETS: let go of BUSCTRL");
    for (counter, event) in (0u32..).zip(events) {
        machine.write_register(0x4003_000c + 8 * counter, event);
    }
    for core in 0..2 {
        put(&mut machine, OWN[core], &[NOP, NOP, NOP, NOP, instruction, NOP, NOP, 0xbf30]); // wfi
        machine.start_core(core, OWN[core] | 1, STACK);
        machine.core_mut(core).set_register(0, r0[core]);
    }
    machine.run_until(1000);
    [0, 1, 2, 3].map(|counter| machine.peek_register(0x4003_0008 + 8 * counter))
}

/// DS 2.1.1.2: every access that completes, and those that were delayed by another master.
#[test]
fn performance_counters_count_accesses_and_those_that_had_to_wait() {
    const APB_CONTESTED: u32 = 0;
    const APB: u32 = 1;
    const SRAM5: u32 = 5;
    const SRAM4: u32 = 7;
    const SRAM1: u32 = 13;
    const SRAM0_CONTESTED: u32 = 14;
    const SRAM0: u32 = 15;
    // 8 loads each, at 0, 2, ... and 1, 3, ...: all but the very first are granted later than asked for. Each core fetches its 4
    // words and the one behind them.
    let in_one_bank = [BANK[0] + 0x2000, BANK[0] + 0x3000];
    assert_eq!(counted([SRAM0, SRAM0_CONTESTED, SRAM4, SRAM5], LDM, in_one_bank), [16, 15, 5, 5]);
    assert_eq!(counted([SRAM0, SRAM0_CONTESTED, SRAM1, 0x1f], LDM, [BANK[0], BANK[1]]), [8, 0, 8, 0]);
    assert_eq!(counted([APB, APB_CONTESTED, SRAM0, SRAM0], STR, [0x4005_800c, 0x4005_8010]), [2, 1, 0, 0]);
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
