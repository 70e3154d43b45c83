//! What our boot ROM does, by running it: its functions, its choice of what to start.

use intercore_sim::core::chip::Chip as _;
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;
use intercore_sim::image::{Boot, Image, Lines, Segment};
use intercore_sim::rp2040::bootrom::{self, BootromError};
use intercore_sim::rp2040::machine::Machine;
use proptest::prelude::*;
use std::process::Command;

const SRAM: u32 = 0x2000_0000;
const FLASH: u32 = 0x1000_0000;
/// WFI; B back.
const SLEEP: [u8; 4] = [0x30, 0xBF, 0xFD, 0xE7];

/// Calls a function of the ROM on core 0 and returns what it returns; core 1 stays off.
pub fn call(machine: &mut Machine, function: u32, arguments: &[u32]) -> u32 {
    machine.load(0, &bootrom::ours()[..]);
    machine.load(SRAM, &SLEEP);
    machine.start_core(0, function, 0x2004_1000);
    for (register, argument) in arguments.iter().enumerate() {
        machine.core_mut(0).set_register(register, *argument);
    }
    machine.core_mut(0).set_register(14, SRAM | 1);
    assert_eq!(machine.run_until(machine.now() + 100_000_000), Stop::DeadEnd);
    assert_eq!(machine.core(0).register(15) & !3, SRAM, "the function returned");
    machine.core(0).register(0)
}

fn half(at: u32) -> u32 {
    let rom = bootrom::ours();
    u32::from(rom[at as usize]) | u32::from(rom[at as usize + 1]) << 8
}

/// Finds a function as firmware does: through the ROM's own look-up.
pub fn look_up(code: [u8; 2]) -> u32 {
    call(&mut Machine::new(), half(0x18), &[half(0x14), u32::from(u16::from_le_bytes(code))])
}

#[test]
fn an_unknown_code_is_answered_with_0() {
    assert_ne!(look_up(*b"P3"), 0);
    let mut machine = Machine::new();
    // One of the first ROM, which later ones lack.
    assert_eq!(call(&mut machine, half(0x18), &[half(0x16), u32::from_le_bytes([b'P', b'8', 0, 0])]), 0);
    let notes = machine.bus.fabric.diagnostics.take();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("the boot ROM has no function or data 'P8'"), "{notes:?}");
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

#[test]
fn memory_functions_touch_what_they_should_at_every_alignment_and_length() {
    const SIZE: usize = 128;
    let bytes: Vec<u8> = (0..SIZE as u8).map(|i| i.wrapping_mul(37) ^ 0xA5).collect();
    let (source, target) = (SRAM + 0x1000, SRAM + 0x2000);
    let [copy, copy_words, set, set_words] = [*b"MC", *b"C4", *b"MS", *b"S4"].map(look_up);
    for (to, from) in (0..4).flat_map(|to| (0..4).map(move |from| (to, from))) {
        for length in 0..SIZE - 8 {
            let mut copied = vec![0xEE; SIZE];
            copied[to..to + length].copy_from_slice(&bytes[from..from + length]);
            let mut filled = vec![0xEE; SIZE];
            filled[to..to + length].fill(0x5A);
            let at = target + to as u32;
            let check = |function: u32, argument: u32, expected: &[u8]| {
                let mut machine = Machine::new();
                machine.load(source, &bytes);
                machine.load(target, &[0xEE; SIZE]);
                // Only the byte of what to fill with counts.
                assert_eq!(call(&mut machine, function, &[at, argument, length as u32]), at);
                assert_eq!(machine.peek_bytes(target, SIZE), expected, "{length} bytes to {to} from {from}");
                assert_eq!(machine.peek_bytes(source, SIZE), bytes, "{length} bytes to {to} from {from}");
            };
            check(copy, source + from as u32, &copied);
            if to == 0 && from == 0 {
                check(copy_words, source, &copied);
                check(set_words, 0xFFFF_FF5A, &filled);
            }
            if from == 0 {
                check(set, 0xFFFF_FF5A, &filled);
            }
        }
    }
}

/// Cycles from the first instruction of a function of the ROM to the one that it returns to.
fn cycles(function: u32, arguments: &[u32]) -> u64 {
    let mut machine = Machine::new();
    let begin = machine.bus.fabric.watch.probe(Watch::Execute, function & !1, 1);
    let end = machine.bus.fabric.watch.probe(Watch::Execute, SRAM, 1);
    call(&mut machine, function, arguments);
    machine.bus.fabric.watch.hits(end)[0].cycle - machine.bus.fabric.watch.hits(begin)[0].cycle
}

/// Code; offsets of target and source; length; cycles of ours and of the chip's.
type Case = (&'static [u8; 2], [u32; 2], u32, u64, u64);

/// Beside what we have stands what the chip's own ROM takes: version B2 of its published source, assembled and run on this
/// simulator.
#[test]
fn memory_functions_take_about_the_cycles_of_the_chips_rom() {
    let (source, target) = (SRAM + 0x1000, SRAM + 0x2000);
    let cases: [Case; 28] = [
        (b"MC", [0, 0], 0, 10, 13),
        (b"MC", [0, 0], 7, 38, 41),
        (b"MC", [0, 0], 8, 43, 44),
        (b"MC", [0, 0], 16, 49, 50),
        (b"MC", [0, 0], 31, 63, 71),
        (b"MC", [0, 0], 256, 244, 245),
        (b"MC", [0, 0], 1024, 868, 869),
        (b"MC", [1, 1], 8, 56, 57),
        (b"MC", [1, 1], 256, 254, 255),
        (b"MC", [2, 2], 256, 248, 251),
        (b"MC", [3, 3], 256, 251, 257),
        (b"MC", [3, 3], 1024, 875, 881),
        // A word of the one is no word of the other: byte by byte, as there.
        (b"MC", [0, 1], 8, 66, 65),
        (b"MC", [0, 1], 256, 1802, 1801),
        (b"MC", [1, 2], 1024, 7178, 7177),
        (b"C4", [0, 0], 16, 42, 38),
        (b"C4", [0, 0], 256, 237, 233),
        (b"C4", [0, 0], 1024, 861, 857),
        (b"MS", [0, 0], 0, 10, 13),
        (b"MS", [0, 0], 7, 24, 27),
        (b"MS", [0, 0], 8, 43, 34),
        (b"MS", [0, 0], 256, 167, 167),
        (b"MS", [0, 0], 1024, 551, 551),
        (b"MS", [1, 0], 1024, 553, 555),
        (b"MS", [2, 0], 1024, 550, 553),
        (b"MS", [3, 0], 1024, 551, 556),
        (b"S4", [0, 0], 8, 39, 25),
        (b"S4", [0, 0], 1024, 547, 542),
    ];
    for (code, [to, from], length, ours, silicon) in cases {
        let second = if code[0] == b'C' || code[1] == b'C' { source + from } else { 0x5A };
        let name = String::from_utf8_lossy(code);
        assert_eq!(cycles(look_up(*code), &[target + to, second, length]), ours, "{name} +{to} +{from} {length}");
        assert!(ours.abs_diff(silicon) <= 14 && ours.abs_diff(silicon) * 20 <= silicon.max(280), "{name} {length}");
    }
}

#[test]
fn bit_functions_take_about_the_cycles_of_the_chips_rom() {
    let taken = |code: &[u8; 2], value: u32| cycles(look_up(*code), &[value]);
    // Values; ours; the chip's, as above.
    for (value, ours, silicon) in [
        (0, 12, 12),
        (1, 12, 12),
        (1 << 4, 13, 13),
        (1 << 12, 14, 11),
        (1 << 16, 13, 13),
        (1 << 24, 14, 14),
        (!0, 14, 11),
    ] {
        assert_eq!(taken(b"L3", value), ours, "clz of {value:#x}");
        assert!(u64::abs_diff(ours, silicon) <= 3);
    }
    for (value, ours, silicon) in [(1, 12, 13), (1 << 4, 12, 14), (1 << 12, 12, 12), (1 << 31, 12, 13), (!0, 12, 13)] {
        assert_eq!(taken(b"T3", value), ours, "ctz of {value:#x}");
        assert!(u64::abs_diff(ours, silicon) <= 3);
    }
    assert_eq!(taken(b"T3", 0), 6, "13 there");
    for value in [0, 1, 0x1234_5678, !0] {
        assert_eq!((taken(b"P3", value), taken(b"R3", value)), (22, 24), "as there");
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

#[test]
fn the_header_is_as_documented() {
    let rom = bootrom::ours();
    let half = |at: usize| usize::from(rom[at]) | usize::from(rom[at + 1]) << 8;
    assert_eq!(rom[0x10..0x14], *b"Mu\x01\x03");
    assert_eq!(half(0x18) & 1, 1);
    let codes = |mut at: usize| {
        let mut codes = Vec::new();
        while half(at) != 0 {
            codes.push(String::from_utf8_lossy(&rom[at..at + 2]).into_owned());
            at += 4;
        }
        codes
    };
    assert_eq!(
        codes(half(0x14)),
        ["P3", "R3", "L3", "T3", "MS", "S4", "MC", "C4", "WV", "UB", "DT", "DE", "IF", "EX", "RE", "RP", "FC", "CX",]
    );
    assert_eq!(codes(half(0x16)), ["CR", "SF", "SD", "GR", "FZ", "FS", "FE", "DS", "DE"]);
}

#[test]
fn the_committed_bytes_are_those_of_the_source() {
    if Command::new("arm-none-eabi-as").arg("--version").output().is_err() {
        eprintln!("skipped: no arm-none-eabi-as here");
        return;
    }
    let folder = std::env::temp_dir().join(format!("intercore-bootrom-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/rp2040/bootrom");
    let source = &format!("{sources}/bootrom.s");
    let file = |name: &str| folder.join(name).display().to_string();
    let run = |program: &str, arguments: &[&str]| {
        assert!(Command::new(program).args(arguments).status().expect(program).success(), "{program} failed");
    };
    run("arm-none-eabi-as", &["-I", sources, "-o", &file("object"), source]);
    run("arm-none-eabi-ld", &["-Ttext=0", "-e", "0", "-o", &file("elf"), &file("object")]);
    run("arm-none-eabi-objcopy", &["-O", "binary", "-j", ".text", &file("elf"), &file("bin")]);
    let assembled = std::fs::read(file("bin")).expect("assembled");
    std::fs::remove_dir_all(&folder).expect("removed");
    assert!(
        assembled == include_bytes!("../src/rp2040/bootrom/bootrom.bin"),
        "run make -C sim/src/rp2040/bootrom and commit"
    );
}

#[test]
fn a_file_that_is_no_boot_rom_is_refused() {
    let path = std::env::temp_dir().join(format!("intercore-rom-{}", std::process::id()));
    for size in [0, bootrom::SIZE - 1, bootrom::SIZE + 1] {
        std::fs::write(&path, vec![0; size]).expect("written");
        assert!(matches!(bootrom::open(&path), Err(BootromError::WrongSize { .. })));
    }
    std::fs::write(&path, [0; bootrom::SIZE]).expect("written");
    assert!(matches!(bootrom::open(&path), Err(BootromError::NoMagic { .. })));
    std::fs::write(&path, &bootrom::ours()[..]).expect("written");
    assert!(bootrom::open(&path).is_ok());
    std::fs::remove_file(&path).expect("removed");
    assert!(matches!(bootrom::open(&path), Err(BootromError::Unreadable { .. })));
}

/// The chip's own ROM knows no boot through a vector table: whoever loads the image sets the table's address.
#[test]
fn another_rom_than_ours_starts_images_in_sram_and_in_flash() {
    let mut other = bootrom::ours();
    let at = other.windows(9).position(|text| text == b"Intercore").expect("in the copyright");
    other[at] = b'i';
    // TABLE_BOOT in the ROM's literals: now it cannot be asked for that.
    let magic = 0x1C0D_E7AB_u32.to_le_bytes();
    let at = other.windows(4).position(|word| word == magic).expect("a literal");
    other[at] ^= 1;
    let vectors = table(0x2003_0000, SRAM + 0x100);
    let segment = |address: u32, bytes: &[u8]| Segment { address, bytes: bytes.to_vec() };
    let segments = vec![segment(SRAM, &vectors), segment(SRAM + 0x100, &SLEEP)];
    let image = Image { segments, boot: Boot::Table(SRAM), symbols: Vec::new(), lines: Lines::default() };
    let mut machine = Machine::booted(&image, Some(&other), None).expect("it fits");
    assert_eq!(machine.run_until(10_000_000), Stop::DeadEnd);
    assert_eq!((machine.core(0).register(15) & !3, machine.core(0).msp()), (SRAM + 0x100, 0x2003_0000));
    machine.raise_interrupt(0, 3);
    let vector = SRAM + 4 * (16 + 3);
    machine.load(vector, &(SRAM + 0x101).to_le_bytes());
    machine.write_private(0, 0xE000_E100, 1 << 3);
    machine.run_until(machine.now() + 1000);
    assert_eq!(machine.core(0).xpsr() & 0x3F, 16 + 3, "in the handler of the table in SRAM");
}

#[test]
fn the_boot_loader_over_usb_is_an_end_of_the_run() {
    let mut machine = Machine::new();
    machine.load(0, &bootrom::ours()[..]);
    machine.start_core(0, look_up(*b"UB"), 0x2004_1000);
    machine.core_mut(0).set_register(14, SRAM + 0x235);
    let stop = machine.run_until(100_000);
    assert_eq!(stop, Stop::BootLoader { core: 0 });
    let why = machine.why_stopped(&stop, &());
    assert!(why.contains("core 0 restarted the chip into its boot loader") && why.contains("0x20000234"), "{why}");
}

#[test]
fn the_debug_trampoline_stops_behind_the_function() {
    let mut machine = Machine::new();
    machine.load(0, &bootrom::ours()[..]);
    let end = look_up(*b"DE");
    machine.start_core(0, look_up(*b"DT"), 0x2004_1000);
    machine.core_mut(0).set_register(0, 0x00F0_0000);
    machine.core_mut(0).set_register(7, look_up(*b"L3"));
    machine.bus.fabric.watch.add_breakpoint(end & !1);
    assert_eq!(machine.run_until(100_000), Stop::Breakpoint { core: 0, pc: end & !1 });
    assert_eq!(machine.core(0).register(0), 8);
}

#[test]
fn a_direct_boot_is_asked_for_as_documented() {
    let boot = Boot::Direct { entry: 0x2000_0001, stack: 0x2004_2000 };
    assert_eq!(bootrom::scratch(boot), [0xB007_C0D3, 0x2000_0001 ^ 0x4FF8_3F2D, 0x2004_2000, 0x2000_0001]);
}
