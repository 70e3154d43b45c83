//! Two masters and one slave: what the arbiters make of it (RP2040 datasheet 2.1.1), and slaves with wait states.

mod common;
use common::{CODE, NOP, STACK, STAY, cycles, machine, put, put_word, set_bus_priority, times};
use intercore_sim::bus::Slave;
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
        [0, 1].map(|core| machine.core(core).statistics().conflicts[Slave::Sram0 as usize])
    };
    assert!(build(false)[1] > 500);
    assert_eq!(build(true)[1], 0);
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

/// Banks of their own for the code of each core: SRAM4, SRAM5.
const OWN: [u32; 2] = [0x2004_0000, 0x2004_1000];
/// `ldm r0!, {r0-r7}` and `stm r0!, {r0-r7}`: 1 + 8 cycles, of which the first 8 ask for the bank.
const LDM: u16 = 0xc8ff;
const STM: u16 = 0xc0ff;
const LDR: u16 = 0x6802;
const STR: u16 = 0x6001;
/// Cycles that the port is held for a word of flash: 20 serial clocks of 4 cycles (8 for address and mode, 4 of waiting, 8
/// for data: `boot2_w25q080.S` of the SDK), and 4 cycles of overhead (assumption), before the one of a hit.
const WIRE: u64 = 20 * 4 + 4;

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

/// Cycles of one instruction with R0 and R1 as given.
fn one(instruction: u16, r0: u32, r1: u32) -> u64 {
    let code = [NOP, NOP, NOP, NOP, instruction, NOP, NOP, NOP, STAY];
    cycles(&code, 4, 5, |machine| {
        machine.core_mut(0).set_register(0, r0);
        machine.core_mut(0).set_register(1, r1);
        machine.bus.xip.ssi.configure(4);
    })
}

/// DS 2.1.3: two cycles of APB, one more of the bridge for reads, two for writes; the address phase comes before (derived: as
/// an access of one data cycle takes 2, one of 3 takes 4).
#[test]
fn the_apb_bridge_makes_reads_and_writes_wait() {
    assert_eq!(one(LDR, 0x4000_0000, 0), 4, "SYSINFO");
    assert_eq!(one(STR, 0x4005_8010, 0), 5, "WATCHDOG.SCRATCH1");
    for alias in [0x1000, 0x2000, 0x3000] {
        assert_eq!(one(STR, 0x4005_8010 + alias, 0), 5, "\"same timing as normal access\", DS 2.1.2");
        assert_eq!(one(LDR, 0x4005_8010 + alias, 0), 4);
        // UART0, UART1, SPI0, SPI1, I2C0, I2C1: "extends the access time by two system clock cycles", DS 2.1.2.
        for base in [0x4003_4000, 0x4003_8000, 0x4003_c000, 0x4004_0000, 0x4004_4000, 0x4004_8000] {
            assert_eq!(one(STR, base + alias, 0), 7, "{base:#x} + {alias:#x}");
            assert_eq!(one(STR, base, 0), 5);
        }
        assert_eq!(one(STR, 0x4004_c000 + alias, 0), 5, "ADC has aliases of its own");
    }
}

/// SSI is behind the XIP port (DS 2.6.3, figure 14). Assumption: as the blocks behind the APB bridge; that its atomic aliases
/// cost two cycles more is documented (DS 2.1.2).
#[test]
fn the_serial_interface_of_the_flash_costs_what_an_apb_block_does() {
    assert_eq!(one(LDR, 0x1800_0028, 0), 4, "SR");
    assert_eq!(one(STR, 0x1800_0008, 0), 5, "SSIENR");
    for alias in [0x1000, 0x2000, 0x3000] {
        assert_eq!(one(STR, 0x1800_0008 + alias, 0), 7);
    }
    assert_eq!(one(LDR, 0x1400_0000, 0), 2, "XIP_CTRL is an AHB block of the cache (assumption)");
}

/// What answers without wait states: "the bus fabric does not add wait states" (DS 2.1), single-cycle memories (DS 2.6), AHB
/// peripherals (DS 2.5, 3, 4.1).
#[test]
fn fast_peripherals_and_memories_answer_at_once() {
    for address in [0x5000_0000, 0x5010_0000, 0x5020_0000, 0x5030_0000] {
        assert_eq!(one(LDR, address, 0), 2, "{address:#x}");
        assert_eq!(one(STR, address, 0), 2, "{address:#x}");
    }
    assert_eq!(one(STR, 0x5000_2000, 0), 2, "SET alias of the DMA");
    let banks = [0x2001_0000, 0x2001_0004, 0x2001_0008, 0x2001_000c, BANK[0], BANK[1], BANK[2], BANK[3]];
    for address in banks.into_iter().chain([0, OWN[0] + 0x800, OWN[1] + 0x800]) {
        assert_eq!(one(LDR, address, 0), 2, "{address:#x}");
        assert_eq!(one(STR, address, 0), 2, "{address:#x}; writes to ROM are ignored, DS 2.6.1");
    }
}

/// The cache's memory as SRAM: a read right after a write has one wait state (DS 2.6.3.1).
#[test]
fn the_cache_as_memory_makes_a_read_after_a_write_wait() {
    let with = |code: &[u16], to: u32| {
        cycles(code, 6, to, |machine: &mut Machine| {
            machine.core_mut(0).set_register(0, 0x1500_0000);
            machine.core_mut(0).set_register(3, 0x1400_0000);
        })
    };
    // movs r4, #0; str r4, [r3]: CTRL.EN off. Two accesses of STM come one right after the other, those of STR and LDR do not.
    let prelude = [0x2400, 0x601c, NOP, NOP, NOP, NOP];
    let code = |ends: &[u16]| [&prelude[..], ends, &[NOP, NOP, STAY]].concat();
    assert_eq!(with(&code(&[LDR]), 7), 2);
    assert_eq!(with(&code(&[STR]), 7), 2);
    assert_eq!(with(&code(&[STR, LDR]), 8), 4);
}

#[test]
fn a_hit_in_the_flash_cache_costs_nothing_and_a_miss_the_wire() {
    assert_eq!(one(LDR, 0x1000_0000, 0), 2 + WIRE);
    assert_eq!(one(LDR, 0x1300_0000, 0), 2 + WIRE, "around the cache");
    let code = [NOP, NOP, LDR, NOP, NOP, NOP, LDR, NOP, NOP, NOP, STAY];
    let second = |address: u32| {
        cycles(&code, 6, 7, move |machine: &mut Machine| {
            machine.core_mut(0).set_register(0, address);
            machine.bus.xip.ssi.configure(4);
        })
    };
    assert_eq!(second(0x1000_0004), 2, "the word is there: \"1 cycle hit\", DS 2.6.3.1");
    assert_eq!(second(0x1100_0004), 2 + WIRE, "not allocated");
    assert_eq!(second(0x1200_0004), 2 + WIRE, "not looked for");
    assert_eq!(second(0x1300_0004), 2 + WIRE);
}

/// Two ways (DS 2.6.3.1), of which a miss replaces the one not used for longest (assumption: the policy is not documented).
#[test]
fn the_flash_cache_keeps_two_lines_of_a_set() {
    let (a, b, c) = (0x1000_0000, 0x1000_2000, 0x1000_4000);
    let last = |addresses: [u32; 4]| {
        // ldr r5, [r0] ... ldr r5, [r3], apart from each other.
        let code = [NOP, NOP, 0x6805, NOP, 0x680d, NOP, 0x6815, NOP, 0x681d, NOP, STAY];
        cycles(&code, 8, 9, |machine: &mut Machine| {
            machine.bus.xip.ssi.configure(4);
            for (register, address) in addresses.into_iter().enumerate() {
                machine.core_mut(0).set_register(register, address);
            }
        })
    };
    assert_eq!(last([a, a, b, a]), 2);
    assert_eq!(last([a, b, c, b]), 2, "a has been replaced");
    assert_eq!(last([a, b, c, a]), 2 + WIRE);
    assert_eq!(last([b, c, b, c]), 2);
}

/// A line that was used again is not the one to go.
#[test]
fn a_hit_makes_a_line_of_the_flash_cache_young() {
    let code = [NOP, NOP, 0x6805, NOP, 0x680d, NOP, 0x6805, NOP, 0x6815, NOP, 0x6805, NOP, STAY]; // a, b, a, c, a
    let found = cycles(&code, 10, 11, |machine: &mut Machine| {
        machine.bus.xip.ssi.configure(4);
        for (register, address) in [0x1000_0000, 0x1000_2000, 0x1000_4000].into_iter().enumerate() {
            machine.core_mut(0).set_register(register, address);
        }
    });
    assert_eq!(found, 2);
}

/// The place of a line that a write has deleted (DS 2.6.3.2, table 155) is used before any other (assumption).
#[test]
fn a_deleted_line_of_the_flash_cache_makes_room_for_another() {
    // Load b, a; delete b; load b again: a is still there.
    let code = [NOP, NOP, 0x680d, NOP, 0x6805, NOP, 0x600d, NOP, NOP, NOP, 0x680d, NOP, 0x6805, NOP, STAY];
    let after = |index: u32| {
        cycles(&code, index, index + 1, |machine: &mut Machine| {
            machine.bus.xip.ssi.configure(4);
            machine.core_mut(0).set_register(0, 0x1000_0000);
            machine.core_mut(0).set_register(1, 0x1000_2000);
        })
    };
    assert_eq!(after(10), 2 + WIRE, "b is gone");
    assert_eq!(after(12), 2, "a is not");
    // The other way round, where what is deleted is the younger one.
    let code = [NOP, NOP, 0x6805, NOP, 0x680d, NOP, 0x600d, NOP, NOP, NOP, 0x680d, NOP, 0x6805, NOP, STAY];
    let after = cycles(&code, 12, 13, |machine: &mut Machine| {
        machine.bus.xip.ssi.configure(4);
        machine.core_mut(0).set_register(0, 0x1000_0000);
        machine.core_mut(0).set_register(1, 0x1000_2000);
    });
    assert_eq!(after, 2);
}

/// A fetch of one word freezes the pipeline (assumption), so that two instructions take a transfer and two cycles less one:
/// the fetch is itself a cycle of an instruction.
#[test]
fn code_around_the_cache_waits_for_every_word() {
    let mut machine = Machine::new();
    machine.bus.xip.ssi.configure(4);
    put(&mut machine, 0x1300_0000, &[[NOP; 40].as_slice(), &[STAY]].concat());
    machine.start_core(0, 0x1300_0001, STACK);
    let found = times(&mut machine, 0, &[0x1300_0008, 0x1300_0028], 3000);
    assert_eq!(found[1] - found[0], 8 * (2 + WIRE), "8 words of two instructions");
}

#[test]
fn code_in_rom_and_in_cached_flash_runs_as_fast_as_in_ram() {
    for base in [0x0000_0000, 0x1000_0000, BANK[3], OWN[1]] {
        let mut machine = Machine::new();
        machine.bus.xip.ssi.configure(4);
        put(&mut machine, base, &loop_of(100));
        machine.start_core(0, base | 1, STACK);
        machine.core_mut(0).set_register(1, 0x2000_0000);
        let probe = machine.bus.watch.probe(intercore_sim::probe::Watch::Execute, base + 4, 1);
        machine.run_until(2000);
        let hits = machine.bus.watch.hits(probe);
        assert_eq!(hits[99].cycle - hits[9].cycle, 90 * 5, "{base:#x}, when it is in the cache");
    }
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

/// One read and one write in every cycle (DS 2.5). Read n in cycle 1 + n, write n in 3 + n: that the first comes a cycle after
/// the trigger and data rest a cycle between the masters are assumptions.
#[test]
fn the_dma_moves_a_word_in_each_cycle_between_banks_and_in_two_within_one() {
    for words in [1, 2, 8, 50] {
        let last_write = u64::from(3 + words - 1);
        assert_eq!(copying(BANK[0], BANK[1], words), last_write + 1);
        assert_eq!(copying(0x2000_0000, 0x2000_2004, words), last_write + 1, "striped, not in step");
        // Both masters at one bank take turns: reads at 1, 2, 4, ... 2n - 2, writes at 3, 5, ... 2n - 1, and the last at 2n.
        let last_write = if words == 1 { 3 } else { 2 * u64::from(words) };
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
