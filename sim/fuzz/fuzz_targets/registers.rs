//! Whatever both cores load from registers and store to them, nothing panics, and both engines stay equal.
//!
//! The input is a list of accesses, so PIO programs, commands to the flash, descriptors of DMA and USB packets all arise.
#![no_main]

use intercore_sim::engine::Engine;
use intercore_sim::rp2040::machine::Machine;
use intercore_sim::rp2040::peripherals::Peripherals;
use libfuzzer_sys::fuzz_target;

/// Bases of flash, of its cache's registers and its serial interface, of SRAM, of USB's memory, of a core's own registers,
/// and of nothing (datasheet 2.2); those of all other blocks come from the list of peripherals.
const OTHER_BASES: [u32; 10] = [
    0x10000000, 0x13000000, 0x14000000, 0x18000000, 0x20008000, 0x20040000, 0x40070000, 0x50100000, 0xe000e000,
    0xe000ec00,
];
/// Where each core has its program, its accesses, and its stack.
const CODE: [u32; 2] = [0x2000_0000, 0x2004_1000];
const ACCESSES: [u32; 2] = [0x2001_0000, 0x2002_0000];
const STACKS: [u32; 2] = [0x2004_1000, 0x2004_2000];
/// Carries out the accesses from R0 to R7, three words each: an address, a value, and twice the turns of a pause, plus 1
/// for a store.
const PROGRAM: [u16; 12] = [
    0x42b8, // next: cmp r0, r7
    0xd008, // beq stay
    0xc80e, // ldmia r0!, {r1, r2, r3}
    0x085b, // lsrs r3, r3, #1
    0xd201, // bcs store
    0x680a, // ldr r2, [r1]
    0xe000, // b pause
    0x600a, // store: str r2, [r1]
    0x3b01, // pause: subs r3, #1
    0xd8fd, // bhi pause
    0xe7f4, // b next
    0xe7fe, // stay: b stay
];
/// `RESETS`: its alias that clears bits.
const RESETS_CLEAR: u32 = 0x4000_f000;
/// Accesses of a core, at most: its part of SRAM holds them.
const MOST: usize = 1000;
const PIECES: u64 = 4;
const CYCLES: u64 = 15_000;

/// Returns a chip whose cores carry out the accesses that the bytes stand for, eight bytes each.
fn machine(bytes: &[u8]) -> Machine {
    let mut machine = Machine::new();
    machine.set_clock(125_000_000);
    machine.write_register(RESETS_CLEAR, u32::MAX);
    let bases: Vec<_> = Peripherals::blocks().map(|block| block.base).chain(OTHER_BASES).collect();
    let mut accesses = [Vec::new(), Vec::new()];
    for access in bytes.chunks_exact(8) {
        let offset = u32::from(u16::from_le_bytes([access[2], access[3]]));
        let words = [
            bases[usize::from(access[0]) % bases.len()] + (offset & 0x3ffc),
            u32::from_le_bytes([access[4], access[5], access[6], access[7]]),
            u32::from(access[1] >> 1) & 1 | u32::from(access[1] >> 2) << 1,
        ];
        accesses[usize::from(access[1] & 1)].push(words);
    }
    let code: Vec<_> = PROGRAM.iter().flat_map(|half| half.to_le_bytes()).collect();
    for core in 0..2 {
        let words: Vec<_> = accesses[core].iter().take(MOST).flatten().flat_map(|word| word.to_le_bytes()).collect();
        assert!(machine.load(CODE[core], &code) && machine.load(ACCESSES[core], &words));
        machine.start_core(core, CODE[core] | 1, STACKS[core]);
        machine.core_mut(core).set_register(0, ACCESSES[core]);
        machine.core_mut(core).set_register(7, ACCESSES[core] + words.len() as u32);
    }
    machine
}

fuzz_target!(|bytes: &[u8]| {
    let mut decoupled = machine(bytes);
    decoupled.translate_after(2);
    let mut lock_step = decoupled.clone();
    lock_step.engine = Engine::LockStep;
    for piece in 1..=PIECES {
        let seen = [&mut decoupled, &mut lock_step].map(|machine| {
            machine.send_uart(0, piece as u8, machine.now());
            let stop = machine.run_until(piece * CYCLES);
            (stop, machine.bus.fabric.diagnostics.take(), machine.take_uart(0))
        });
        assert_eq!(seen[0], seen[1], "the engines differ");
    }
    assert_eq!(decoupled.state_hash(), lock_step.state_hash(), "the engines end in different states");
});
