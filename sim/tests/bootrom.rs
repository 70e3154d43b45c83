//! What our boot ROM does, by running it: its functions, its choice of what to start.

use intercore_sim::chip::machine::{Machine, Stop};
use intercore_sim::firmware::bootrom;
use intercore_sim::firmware::image::{Boot, Image, Lines, Segment};
use proptest::prelude::*;

const SRAM: u32 = 0x2000_0000;
const FLASH: u32 = 0x1000_0000;
/// WFI; B back.
const SLEEP: [u8; 4] = [0x30, 0xBF, 0xFD, 0xE7];

/// Calls a function of the ROM on core 0 and returns what it returns; core 1 stays off.
fn call(machine: &mut Machine, function: u32, arguments: &[u32]) -> u32 {
    machine.load(0, &bootrom::ours()[..]);
    machine.load(SRAM, &SLEEP);
    machine.start_core(0, function, 0x2004_1000);
    for (register, argument) in arguments.iter().enumerate() {
        machine.core_mut(0).set_register(register, *argument);
    }
    machine.core_mut(0).set_register(14, SRAM | 1);
    assert_eq!(machine.run_until(machine.now() + 100_000), Stop::DeadEnd);
    assert_eq!(machine.core(0).register(15) & !3, SRAM, "the function returned");
    machine.core(0).register(0)
}

fn half(at: u32) -> u32 {
    let rom = bootrom::ours();
    u32::from(rom[at as usize]) | u32::from(rom[at as usize + 1]) << 8
}

/// Finds a function as firmware does: through the ROM's own look-up.
fn look_up(code: [u8; 2]) -> u32 {
    call(&mut Machine::new(), half(0x18), &[half(0x14), u32::from(u16::from_le_bytes(code))])
}

#[test]
fn an_unknown_code_is_answered_with_0() {
    assert_eq!(look_up(*b"UB"), 0);
    assert_ne!(look_up(*b"P3"), 0);
    assert_eq!(call(&mut Machine::new(), half(0x18), &[half(0x16), u32::from_le_bytes([b'X', b'Y', 0, 0])]), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bit_functions_do_as_they_are_called(value: u32, shift in 0_u32..33) {
        let mut machine = Machine::new();
        for value in [value, value.checked_shr(shift).unwrap_or(0), value.checked_shl(shift).unwrap_or(0)] {
            prop_assert_eq!(call(&mut machine, look_up(*b"P3"), &[value]), value.count_ones());
            prop_assert_eq!(call(&mut machine, look_up(*b"R3"), &[value]), value.reverse_bits());
            prop_assert_eq!(call(&mut machine, look_up(*b"L3"), &[value]), value.leading_zeros());
            prop_assert_eq!(call(&mut machine, look_up(*b"T3"), &[value]), value.trailing_zeros());
        }
    }

    #[test]
    fn memory_functions_touch_what_they_should(
        from in 0_u32..8, to in 0_u32..8, length in 0_u32..40, words: bool, fill: u8,
    ) {
        let (from, to, length) = if words { (from * 4, to * 4, length * 4) } else { (from, to, length) };
        let (source, target) = (SRAM + 0x100, SRAM + 0x400);
        let mut machine = Machine::new();
        let bytes: Vec<u8> = (0..=255).collect();
        machine.load(source, &bytes);
        let mut expected = vec![0; 256];
        let written = to as usize..(to + length) as usize;
        expected[written.clone()].copy_from_slice(&bytes[from as usize..(from + length) as usize]);
        let code = if words { *b"C4" } else { *b"MC" };
        prop_assert_eq!(call(&mut machine, look_up(code), &[target + to, source + from, length]), target + to);
        prop_assert_eq!(machine.peek_bytes(target, 256), expected.clone());

        expected[written].fill(fill);
        let code = if words { *b"S4" } else { *b"MS" };
        prop_assert_eq!(call(&mut machine, look_up(code), &[target + to, u32::from(fill), length]), target + to);
        prop_assert_eq!(machine.peek_bytes(target, 256), expected);
    }
}

/// Boots an image that is to end asleep, and tells where core 0 sleeps.
fn boot(boot: Boot, segments: &[(u32, &[u8])]) -> (Machine, u32) {
    let segments =
        segments.iter().map(|(address, bytes)| Segment { address: *address, bytes: bytes.to_vec() }).collect();
    let mut machine = Machine::new();
    machine
        .boot(&Image { segments, boot, symbols: Vec::new(), lines: Lines::default() }, &bootrom::ours())
        .expect("it fits");
    assert_eq!(machine.run_until(10_000_000), Stop::DeadEnd);
    assert!(machine.core(1).is_asleep(), "core 1 waits to be launched");
    let pc = machine.core(0).register(15);
    (machine, pc & !3)
}

fn table(stack: u32, entry: u32) -> Vec<u8> {
    [stack.to_le_bytes(), (entry | 1).to_le_bytes()].concat()
}

#[test]
fn an_image_in_sram_starts_at_its_entry_with_its_stack() {
    let direct = Boot::Direct { entry: SRAM + 0x101, stack: 0x2004_2000 };
    let (machine, pc) = boot(direct, &[(SRAM + 0x100, &SLEEP)]);
    assert_eq!((pc, machine.core(0).msp()), (SRAM + 0x100, 0x2004_2000));
    let vectors = table(0x2003_0000, SRAM + 0x100);
    let (machine, pc) = boot(Boot::Table(SRAM), &[(SRAM, &vectors), (SRAM + 0x100, &SLEEP)]);
    assert_eq!((pc, machine.core(0).msp()), (SRAM + 0x100, 0x2003_0000));
}

#[test]
fn an_image_in_flash_starts_through_its_vector_table_wherever_that_is() {
    let vectors = table(0x2003_0000, FLASH + 0x200);
    for at in [FLASH, FLASH + 0x100] {
        let (machine, pc) = boot(Boot::Flash, &[(at, &vectors), (FLASH + 0x200, &SLEEP)]);
        assert_eq!((pc, machine.core(0).msp()), (FLASH + 0x200, 0x2003_0000));
    }
}

#[test]
fn flash_without_an_image_is_a_dead_end_that_can_be_explained() {
    let (machine, _) = boot(Boot::Flash, &[(FLASH, &[0; 8])]);
    let why = bootrom::why_stopped(machine.core(0).register(15)).expect("a known place");
    assert!(why.contains("second-stage"));
}

/// CRC-32 of boot2: polynomial 04C11DB7, most significant bit first (datasheet 2.8.1.3.1).
fn crc32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte) << 24, |crc, _| crc << 1 ^ if crc >> 31 == 1 { 0x04C1_1DB7 } else { 0 })
    })
}

#[test]
fn a_second_stage_runs_in_sram_if_its_check_sum_is_right() {
    assert_eq!(crc32(b"123456789"), 0x0376_E6E7); // the check value of CRC-32/MPEG-2
    let mut boot2 = SLEEP.to_vec();
    boot2.resize(252, 0x55);
    boot2.extend(crc32(&boot2).to_le_bytes());
    let vectors = table(0x2003_0000, FLASH + 0x200);
    let rest = [(FLASH + 0x100, &vectors[..]), (FLASH + 0x200, &SLEEP[..])];
    let (machine, pc) = boot(Boot::Flash, &[&[(FLASH, &boot2[..])], &rest[..]].concat());
    assert_eq!((pc, machine.core(0).register(14)), (0x2004_1f00, 0), "LR = 0 tells it to start the image");
    boot2[100] ^= 1;
    let (_, pc) = boot(Boot::Flash, &[&[(FLASH, &boot2[..])], &rest[..]].concat());
    assert_eq!(pc, FLASH + 0x200);
}
