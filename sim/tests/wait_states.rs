//! Slaves that answer late: the bridge to APB, the cache of the flash, and those that add no wait states.

use crate::machine_code::{BANK, LDR, NOP, OWN, STACK, STAY, STR, WIRE, cycles, load_loop, put, times};
use intercore_sim::core::watch::Watch;
use intercore_sim::rp2040::machine::Machine;

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
        put(&mut machine, base, &load_loop(100));
        machine.start_core(0, base | 1, STACK);
        machine.core_mut(0).set_register(1, 0x2000_0000);
        let probe = machine.bus.fabric.watch.probe(Watch::Execute, base + 4, 1);
        machine.run_until(2000);
        let hits = machine.bus.fabric.watch.hits(probe);
        assert_eq!(hits[99].cycle - hits[9].cycle, 90 * 5, "{base:#x}, when it is in the cache");
    }
}

#[test]
fn code_in_flash_runs_as_fast_as_in_ram_once_it_is_cached() {
    let mut machine = Machine::new();
    machine.bus.xip.ssi.configure(4);
    let at = 0x1000_0100;
    put(&mut machine, at, &load_loop(100));
    machine.start_core(0, at | 1, STACK);
    machine.core_mut(0).set_register(1, 0x2000_0000);
    let found = times(&mut machine, 0, &[at + 4, at + 10], 5000);
    // The words of the loop and the one behind it, fetched in vain.
    let misses = machine.bus.xip.counters();
    assert_eq!(misses.1 - misses.0, 4, "words missed");
    let cost = 20 * 4 + intercore_sim::rp2040::bus::ssi::OVERHEAD;
    assert!(found[1] - found[0] >= 499 + cost && found[1] - found[0] <= 499 + 3 * cost);
}
