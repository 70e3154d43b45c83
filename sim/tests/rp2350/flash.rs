//! Flash behind QMI: the boot ROM's functions that change it, and who reads it meanwhile.

use crate::hazard3::assembler::{addi, branch, csr, i_type, store};
use crate::rp2350::machine::{SRAM, booted, exit, li, lw, sw};
use intercore_sim::core::chip::Chip as _;
use intercore_sim::core::stop::Stop;
use intercore_sim::fault::{Fault, Faults};
use intercore_sim::rp2350::machine::Machine;

const FLASH: u32 = 0x1000_0000;
/// The same without the cache (DS 4.4.1).
const NOT_CACHED: u32 = 0x1400_0000;
const QMI: u32 = 0x400d_0000;
const PAGE: u32 = 256;
const SECTOR: u32 = 4096;
/// Cycles of a millisecond.
const MILLISECOND: u32 = 150_000;
const PAGES: u32 = SRAM + 0x4000;
/// Registers that the functions of the ROM leave alone.
const S2: u32 = 18;
const S3: u32 = 19;

/// Calls a function of the boot ROM by its code, as the vendor's header file does.
fn call(words: &mut Vec<u32>, code: [u8; 2], arguments: &[u32]) {
    words.extend(li(5, 0x7dfa));
    words.push(i_type(0x03, 5, 5, 5, 0)); // lhu t0, (t0)
    words.extend(li(10, u16::from_le_bytes(code).into()));
    words.extend([addi(11, 0, 1), i_type(0x67, 0, 1, 5, 0), addi(6, 10, 0)]); // jalr ra, t0; mv t1, a0
    for (number, &argument) in (10..).zip(arguments) {
        words.extend(li(number, argument));
    }
    words.push(i_type(0x67, 0, 1, 6, 0)); // jalr ra, t1
}

fn begin() -> Vec<u32> {
    vec![csr(5, 0, 0x320, 0), csr(2, S2, 0xb00, 0)] // mcycle counts; from here
}

/// Ends with the cycles since `begin` in S3.
fn finished(mut words: Vec<u32>) -> Machine {
    words.push(csr(2, S3, 0xb00, 0));
    exit(&mut words);
    booted(&words)
}

fn run(machine: &mut Machine) -> u32 {
    assert!(matches!(machine.run_until(200_000_000), Stop::Exit { .. }));
    machine.core(0).register(S3 as usize) - machine.core(0).register(S2 as usize)
}

/// Erases the second of three sectors that are full of zeros, and programs its first two pages.
fn changes_a_sector() -> Machine {
    let mut words = begin();
    call(&mut words, *b"IF", &[]);
    call(&mut words, *b"EX", &[]);
    call(&mut words, *b"RE", &[SECTOR, SECTOR, 1 << 16, 0xd8]);
    call(&mut words, *b"RP", &[SECTOR, PAGES, 2 * PAGE]);
    call(&mut words, *b"FC", &[]);
    call(&mut words, *b"CX", &[]);
    let mut machine = finished(words);
    assert!(machine.load(FLASH, &vec![0; 3 * SECTOR as usize]));
    let pages: Vec<_> = (0..2 * PAGE).map(|at| (at * 7) as u8).collect();
    assert!(machine.load(PAGES, &pages));
    machine
}

/// The W25Q16JV's data sheet, 9.6: a sector takes 45 ms, a page 0.4 ms, or at most 400 and 3 ms.
#[test]
fn the_boot_roms_functions_erase_and_program() {
    for (fault, least) in [(None, 45 * MILLISECOND + 8 * MILLISECOND / 10), (Some(Fault::SlowFlash), 406 * MILLISECOND)]
    {
        let mut machine = changes_a_sector();
        Faults::new(fault, &mut machine).expect("a fault of this chip");
        let took = run(&mut machine);
        assert!((least..least + MILLISECOND).contains(&took), "{took} cycles");
        assert_eq!(machine.peek_bytes(FLASH + SECTOR, 2 * PAGE as usize), machine.peek_bytes(PAGES, 2 * PAGE as usize));
        assert_eq!(machine.peek_bytes(FLASH + SECTOR + 2 * PAGE, (SECTOR - 2 * PAGE) as usize), vec![0xff; 3584]);
        for other in [0, 2 * SECTOR] {
            assert_eq!(machine.peek_bytes(FLASH + other, SECTOR as usize), vec![0; 4096]);
        }
        assert_eq!(machine.bus.diagnostics.take(), [""; 0]);
    }
}

#[test]
fn a_block_is_erased_at_once_where_it_fits() {
    let mut words = begin();
    call(&mut words, *b"EX", &[]);
    call(&mut words, *b"RE", &[0xf000, 0x1_1000, 1 << 16, 0xd8]);
    let mut machine = finished(words);
    assert!(machine.load(FLASH, &vec![0; 0x2_1000]));
    let took = run(&mut machine);
    let least = (45 + 150) * MILLISECOND;
    assert!((least..least + MILLISECOND).contains(&took), "{took} cycles");
    let content = machine.peek_bytes(FLASH, 0x2_1000);
    assert!((0..).zip(&content).all(|(at, &byte)| (byte == 0xff) == (0xf000..0x2_0000).contains(&at)));
}

#[test]
fn a_code_that_the_rom_does_not_have_is_not_found() {
    for (code, flags) in [(*b"RB", 1), (*b"RE", 4)] {
        let mut words = li(5, 0x7dfa).to_vec();
        words.push(i_type(0x03, 5, 5, 5, 0));
        words.extend(li(10, u16::from_le_bytes(code).into()));
        words.extend([addi(11, 0, flags), i_type(0x67, 0, 1, 5, 0), addi(S2, 10, 0)]);
        let mut machine = finished(words);
        run(&mut machine);
        assert_eq!(machine.core(0).register(S2 as usize), 0);
    }
}

/// However its cycles are gone through.
#[test]
fn both_ways_of_running_come_to_the_same_state() {
    let mut quick = changes_a_sector();
    let mut slow = quick.clone();
    slow.watch_mut().add_breakpoint(SRAM + 0x3ffe);
    for at in [1_000, 100_000, 3_000_000, 6_900_000, 7_000_000] {
        for machine in [&mut quick, &mut slow] {
            _ = machine.run_until(at);
        }
        assert_eq!(quick.state_hash(), slow.state_hash(), "at cycle {at}");
    }
}

/// Sends bytes with the chip select low, over direct mode, and leaves it.
fn send(words: &mut Vec<u32>, bytes: &[u8]) {
    words.extend(li(8, QMI));
    words.extend(li(9, 6 << 22 | 4 | 1)); // EN, ASSERT_CS0N
    words.push(sw(9, 8, 0));
    for &byte in bytes {
        words.extend(li(9, 1 << 20 | u32::from(byte))); // NOPUSH
        words.push(sw(9, 8, 4));
        words.extend([lw(9, 8, 0), i_type(0x13, 7, 9, 9, 2), branch(1, 9, 0, -8)]); // until it is not BUSY
    }
    words.extend(li(9, 6 << 22));
    words.push(sw(9, 8, 0));
}

#[test]
fn a_busy_flash_answers_ones_but_for_what_is_in_the_cache() {
    let mut words = li(7, FLASH + 0x100).to_vec();
    words.push(lw(12, 7, 0));
    send(&mut words, &[0x06]);
    send(&mut words, &[0x20, 0, 0x10, 0]);
    words.extend([lw(13, 7, 0), lw(14, 7, 0x40)]);
    words.extend(li(7, NOT_CACHED + 0x100));
    words.push(lw(15, 7, 0));
    let mut machine = finished(words);
    assert!(machine.load(FLASH, &vec![0x11; 0x3000]));
    assert!(matches!(machine.run_until(100_000), Stop::Exit { .. }));
    let read = [12, 13, 14, 15].map(|number| machine.core(0).register(number));
    assert_eq!(read, [0x1111_1111, 0x1111_1111, u32::MAX, u32::MAX]);
    assert!(machine.bus.diagnostics.take().join("").contains("(flash-busy)"));
    assert_eq!(machine.peek_bytes(FLASH + 0x1000, SECTOR as usize), vec![0xff; 4096]);
}

/// "Memory-mapped accesses will generate bus errors when direct serial mode is enabled" (DS 12.14.6, `DIRECT_CSR.EN`).
#[test]
fn a_read_by_address_is_a_bus_error_in_direct_mode() {
    let handler = SRAM + 0x800;
    let mut words = li(9, handler).to_vec();
    words.push(csr(1, 0, 0x305, 9)); // mtvec
    words.extend(li(8, QMI));
    words.extend([addi(9, 0, 1), sw(9, 8, 0)]);
    words.extend(li(7, FLASH));
    words.push(lw(12, 7, 0));
    words.resize(0x200, 0);
    words.push(csr(2, 11, 0x342, 0)); // mcause
    exit(&mut words);
    let mut machine = booted(&words);
    assert!(matches!(machine.run_until(100_000), Stop::Exit { .. }));
    assert_eq!(machine.core(0).register(11), 5, "load access fault");
    assert!(machine.bus.diagnostics.take().join("").contains("direct mode"));
}

/// DS 12.14.6: levels of the FIFOs, and a transfer that waits for room for its answer.
#[test]
fn frames_take_their_time_and_wait_for_room() {
    let mut words = li(8, QMI).to_vec();
    words.extend(li(9, 10 << 22 | 4 | 1));
    words.push(sw(9, 8, 0));
    words.push(addi(9, 0, 0x9f));
    words.extend([store(2, 8, 9, 4); 4]);
    words.push(lw(12, 8, 0));
    words.extend(li(7, 400));
    words.extend([addi(7, 7, -1), branch(1, 7, 0, -4), lw(13, 8, 0)]);
    words.extend([store(2, 8, 9, 4); 3]);
    words.extend(li(7, 400));
    words.extend([addi(7, 7, -1), branch(1, 7, 0, -4), lw(14, 8, 0)]);
    words.extend([lw(15, 8, 8), lw(16, 8, 8), lw(17, 8, 8), lw(18, 8, 8)]);
    let mut machine = finished(words);
    assert!(matches!(machine.run_until(100_000), Stop::Exit { .. }));
    let register = |number: usize| machine.core(0).register(number);
    let levels = |status: u32| (status >> 1 & 1, status >> 12 & 7, status >> 18 & 7);
    assert_eq!(levels(register(12)), (1, 4, 0), "80 cycles each");
    assert_eq!(levels(register(13)), (0, 0, 4));
    assert_eq!(levels(register(14)), (1, 3, 4), "no room for an answer");
    assert_eq!([15, 16, 17, 18].map(register), [0, 0xef, 0x40, 0x16], "the IDs of a W25Q32");
}
