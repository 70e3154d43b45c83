//! Images from files: ELF, UF2 and raw, good and damaged, and how an RP2040 starts them.

use crate::elf;
use intercore_sim::core::names::Names as _;
use intercore_sim::image::{Architecture, Boot, Image, ImageError, Segment, Target};
use intercore_sim::rp2040::boot::IMAGES;
use proptest::prelude::*;
use std::ops::Range;

fn set(bytes: &mut [u8], offset: usize, value: u32) {
    bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
}

/// A chip with flash and RAM, which starts images there.
const CHIP: Target = Target {
    chip: "test chip",
    memories: &[0x1000_0000..0x1100_0000, 0x2000_0000..0x2004_2000],
    named: "its memories",
    architecture: Architecture::Arm(&[11, 12]),
    uf2_family: Some(0xe48b_ff56),
    boot: |_, entry| entry.map_or(Boot::Flash, |entry| Boot::Direct { entry, stack: 0x2004_2000 }),
};

fn parse(bytes: &[u8]) -> Result<Image, ImageError> {
    Image::parse(bytes, None, &CHIP)
}

fn error(bytes: &[u8]) -> ImageError {
    parse(bytes).expect_err("a bad image was accepted")
}

/// What a linker drops leaves its line information behind, for address 0.
#[test]
fn a_function_that_was_dropped_gives_its_line_to_no_address() {
    let source = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("dropped.c");
    std::fs::write(&source, "void dropped(void) { for (;;); }\nvoid kept(void) { for (;;); }\n").expect("written");
    let source = source.display().to_string();
    let more = ["-g", "-ffunction-sections", "-Wl,--gc-sections,-e,kept", &source];
    let Some(elf) = crate::compiler::build("dropped", "sram", &more) else { return };
    let image = Image::open(&elf, None, &IMAGES).expect("an image");
    let kept = image.symbol("kept").expect("it is kept");
    assert!(image.symbol("dropped").is_none(), "it is dropped");
    assert_eq!(image.line_at(kept).map(|(_, line)| line), Some(2));
    assert_eq!(image.line_at(0), None);
}

#[test]
fn what_is_no_image_is_told_how_it_begins() {
    assert_eq!(error(b"#!/bin/sh"), ImageError::Unknown { first: b"#!/b".to_vec() });
    assert_eq!(error(b""), ImageError::Empty);
    assert_eq!(error(&[0x7f]), ImageError::Unknown { first: vec![0x7f] });
}

#[test]
fn a_raw_image_must_fit_where_it_is_to_go() {
    assert_eq!(Image::parse(&[1; 8], Some(0x1000_0000), &CHIP).expect("valid").boot, Boot::Flash);
    let out_of_range = ImageError::OutOfRange { address: 0x2004_1ffc, size: 8, memories: CHIP.named };
    assert_eq!(Image::parse(&[1; 8], Some(0x2004_1ffc), &CHIP), Err(out_of_range));
}

/// Whatever is accepted keeps what the rest of the simulator relies on.
fn check(image: &Image) {
    assert!(!image.segments.is_empty());
    for segment in &image.segments {
        assert!(!segment.bytes.is_empty());
        let bytes = segment.address..segment.address + segment.bytes.len() as u32;
        let fits = |memory: &Range<u32>| memory.start <= bytes.start && bytes.end <= memory.end;
        assert!(CHIP.memories.iter().any(fits), "{bytes:x?}");
    }
    for pair in image.segments.windows(2) {
        assert!(u64::from(pair[0].address) + pair[0].bytes.len() as u64 <= u64::from(pair[1].address));
    }
    for address in [0, 0x1000_0000, 0x2000_0000, u32::MAX] {
        assert!(image.function_at(address).is_none_or(|(name, _)| !name.is_empty()));
    }
}

#[test]
fn an_elf_file_is_what_it_loads_and_its_entry_point() {
    let image = parse(&elf::file(0x1000_0101, &[(0x1000_0000, &[7; 600])])).expect("valid");
    assert_eq!(image.boot, Boot::Direct { entry: 0x1000_0101, stack: 0x2004_2000 });
    assert_eq!(image.segments, [Segment { address: 0x1000_0000, bytes: vec![7; 600] }]);
}

#[test]
fn defects_of_an_elf_file_are_told_apart() {
    let memories = CHIP.named;
    let good = elf::file(0x2000_0001, &[(0x2000_0000, &[0; 64])]);
    let with = |offset: usize, value: u8| {
        let mut file = good.clone();
        file[offset] = value;
        error(&file)
    };
    assert_eq!(with(4, 2), ImageError::WrongClass);
    assert!(matches!(with(4, 9), ImageError::DamagedElf(_)));
    assert_eq!(with(18, 62), ImageError::WrongMachine { built_for: 62, chip: CHIP.chip, wanted: 40 });
    assert_eq!(with(16, 3), ImageError::NotExecutable(3));
    assert_eq!(with(27, 0x30), ImageError::BadEntry(0x3000_0001));
    assert_eq!(with(52 + 15, 0x30), ImageError::OutOfRange { address: 0x3000_0000, size: 64, memories });
    assert!(matches!(error(&good[..good.len() - 1]), ImageError::DamagedElf(_)));
    assert!(matches!(error(&good[..60]), ImageError::DamagedElf(_)));
    assert!(matches!(error(&good[..20]), ImageError::DamagedElf(_)));
    assert_eq!(error(&elf::file(0, &[])), ImageError::NothingToLoad);
    let overlap = elf::file(0x2000_0001, &[(0x2000_0000, &[0; 8]), (0x2000_0004, &[0; 8])]);
    assert_eq!(error(&overlap), ImageError::Overlap(0x2000_0004));
    let too_large = elf::file(0x2000_0001, &[(0x2000_0000, &vec![0; 0x42001])]);
    assert_eq!(error(&too_large), ImageError::OutOfRange { address: 0x2000_0000, size: 0x42001, memories });
}

#[test]
fn an_elf_file_for_other_cores_is_refused() {
    let with = |number| elf::for_architecture(elf::file(0x2000_0001, &[(0x2000_0000, &[0; 64])]), number);
    for number in [11, 12] {
        assert_eq!(parse(&with(number)).expect("valid").segments.len(), 1, "{number}");
    }
    for (number, name) in
        [(10, "Armv7,"), (13, "Armv7E-M,"), (17, "the Cortex-M33 of the RP2350,"), (99, "Tag_CPU_arch 99")]
    {
        let why = error(&with(number)).to_string();
        assert!(why.contains(name) && why.contains("cores of the test chip"), "{why}");
    }
    // Damaged attributes say nothing.
    let mut damaged = with(17);
    let place = damaged.windows(6).position(|bytes| bytes == b"aeabi\0").expect("there");
    damaged[place - 4..place].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(parse(&damaged).is_ok());
}

#[test]
fn an_elf_file_for_another_chip_is_for_its_memories() {
    let other = Target { memories: &[0x0800_0000..0x0810_0000, 0x0810_0000..0x0820_0000], uf2_family: None, ..CHIP };
    let file = elf::file(0x0810_0001, &[(0x0810_0000, &[7; 64])]);
    let image = Image::parse(&file, None, &other).expect("valid");
    assert_eq!(image.segments, [Segment { address: 0x0810_0000, bytes: vec![7; 64] }]);
    assert!(matches!(error(&file), ImageError::OutOfRange { address: 0x0810_0000, size: 64, .. }));
    let over = elf::file(0x080f_fff1, &[(0x080f_fff0, &[7; 64])]);
    assert!(matches!(Image::parse(&over, None, &other), Err(ImageError::OutOfRange { .. })));
    assert_eq!(Image::parse(b"UF2\n", None, &other), Err(ImageError::NoElf { first: b"UF2\n".to_vec() }));
}

#[test]
fn a_big_endian_elf_file_is_refused_as_such() {
    let mut file = elf::file(0x2000_0001, &[(0x2000_0000, &[0; 64])]);
    file[5] = 2;
    assert_eq!(error(&file), ImageError::WrongEndianness);
}

/// A block of 256 bytes for the RP2040.
fn uf2_block(address: u32, number: u32, count: u32, fill: u8) -> Vec<u8> {
    let mut block = Vec::new();
    for field in [0x0A32_4655, 0x9E5D_5157, 0x2000, address, 256, number, count, 0xE48B_FF56] {
        block.extend(field.to_le_bytes());
    }
    block.resize(0x20 + 256, fill);
    block.resize(0x1FC, 0);
    block.extend(0x0AB1_6F30_u32.to_le_bytes());
    block
}

#[test]
fn uf2_blocks_may_come_in_any_order_and_twice() {
    let (first, second) = (uf2_block(0x2000_0000, 0, 2, 1), uf2_block(0x2000_0100, 1, 2, 2));
    let image = parse(&[&second[..], &first, &second].concat()).expect("valid");
    assert_eq!(image.segments.len(), 1);
    assert_eq!(image.segments[0].bytes, [[1; 256], [2; 256]].concat());
}

#[test]
fn uf2_blocks_of_another_family_are_passed_over() {
    let ours = uf2_block(0x1000_0000, 0, 1, 1);
    let mut other = uf2_block(0x1000_0000, 0, 1, 2);
    set(&mut other, 0x1C, 0xE48B_FF59);
    let image = parse(&[&other[..], &ours].concat()).expect("valid");
    assert_eq!(image.segments[0].bytes, [1; 256]);
    assert_eq!(error(&other), ImageError::WrongFamily { chip: CHIP.chip, family: 0xE48B_FF56, first: 0xE48B_FF59 });
}

#[test]
fn defects_of_a_uf2_file_are_told_apart() {
    let block = |number| uf2_block(0x1000_0000 + 256 * number, number, 3, 0);
    let good = [block(0), block(1), block(2)].concat();
    assert!(parse(&good).is_ok());
    let with = |offset: usize, value: u32| {
        let mut file = good.clone();
        set(&mut file, 512 + offset, value);
        error(&file)
    };
    assert_eq!(error(&good[..1000]), ImageError::TruncatedUf2 { size: 1000 });
    assert_eq!(error(&good[..1024]), ImageError::MissingUf2Block { number: 2, count: 3 });
    assert_eq!(with(0, 0), ImageError::BadUf2Block { block: 1 });
    assert_eq!(with(0x1FC, 0), ImageError::BadUf2Block { block: 1 });
    assert_eq!(with(0x10, 476), ImageError::BadUf2Payload { block: 1, size: 476, chip: CHIP.chip });
    assert_eq!(with(0x0C, 0x1000_0080), ImageError::UnalignedUf2 { block: 1, address: 0x1000_0080 });
    let out_of_range = with(0x0C, 0x4000_0000);
    assert!(matches!(out_of_range, ImageError::OutOfRange { address: 0x4000_0000, size: 256, .. }));
    assert_eq!(with(0x0C, 0x1000_0000), ImageError::Overlap(0x1000_0000));
    assert_eq!(with(0x14, 0), ImageError::DoubleUf2Block(0));
    let wrong_number = ImageError::BadUf2Number { block: 1, number: 3, count: 3, expected: 3 };
    assert_eq!(with(0x14, 3), wrong_number);
    assert_eq!(with(0x18, u32::MAX), ImageError::BadUf2Number { block: 1, number: 1, count: u32::MAX, expected: 3 });
}

#[test]
fn a_huge_number_of_uf2_blocks_is_told_at_once() {
    assert_eq!(
        error(&uf2_block(0x1000_0000, 1, u32::MAX, 0)),
        ImageError::MissingUf2Block { number: 0, count: u32::MAX }
    );
    let mut none = uf2_block(0x1000_0000, 0, 0, 0);
    set(&mut none, 0x14, 0);
    assert!(matches!(error(&none), ImageError::BadUf2Number { .. }));
}

fn boot(address: u32, bytes: &[u8], entry: Option<u32>) -> Boot {
    (IMAGES.boot)(&[Segment { address, bytes: bytes.to_vec() }], entry)
}

#[test]
fn an_image_for_flash_starts_from_flash() {
    assert_eq!(boot(0x1000_0000, &[7; 600], Some(0x1000_0101)), Boot::Flash);
    assert_eq!(boot(0x1000_0000, &[7; 600], None), Boot::Flash);
}

#[test]
fn an_image_for_sram_starts_at_its_entry_point_or_else_at_its_beginning() {
    assert_eq!(boot(0x2000_0000, &[7; 60], Some(0x2000_0011)), Boot::Direct { entry: 0x2000_0011, stack: 0x2004_2000 });
    assert_eq!(boot(0x2000_0000, &[7; 60], None), Boot::Direct { entry: 0x2000_0001, stack: 0x2004_2000 });
}

#[test]
fn an_image_with_its_vector_table_first_starts_through_it() {
    let mut contents = [0; 256];
    contents[..4].copy_from_slice(&0x2004_0000_u32.to_le_bytes());
    contents[4..8].copy_from_slice(&0x2000_00c1_u32.to_le_bytes());
    assert_eq!(boot(0x2000_0000, &contents, Some(0x2000_00c1)), Boot::Table(0x2000_0000));
    assert_eq!(boot(0x2000_0000, &contents, None), Boot::Table(0x2000_0000));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000), base: Option<u32>) {
        if let Ok(image) = Image::parse(&bytes, base, &CHIP) {
            check(&image);
        }
    }

    #[test]
    fn damaged_elf_files_never_panic(
        damage in proptest::collection::vec((0_usize..600, any::<u8>()), 0..8),
        length in 0_usize..600,
    ) {
        let mut file = elf::file(0x2000_0001, &[(0x2000_0000, &[0; 200]), (0x1000_0000, &[1; 200])]);
        file.resize(600, 0);
        for (offset, value) in damage {
            file[offset] = value;
        }
        if let Ok(image) = parse(&file[..length]) {
            check(&image);
        }
    }

    #[test]
    fn damaged_uf2_files_never_panic(
        damage in proptest::collection::vec((0_usize..1536, any::<u8>()), 0..8),
    ) {
        let mut file: Vec<u8> = (0..3).flat_map(|n| uf2_block(0x1000_0000 + 256 * n, n, 3, n as u8)).collect();
        for (offset, value) in damage {
            file[offset] = value;
        }
        if let Ok(image) = parse(&file) {
            check(&image);
        }
    }

    #[test]
    fn any_shuffling_of_uf2_blocks_is_the_same_image(
        order in Just((0..12_u32).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let file = |order: &[u32]| -> Vec<u8> {
            order.iter().flat_map(|n| uf2_block(0x1000_0000 + 512 * n, *n, 12, *n as u8)).collect()
        };
        let sorted: Vec<u32> = (0..12).collect();
        prop_assert_eq!(parse(&file(&order)), parse(&file(&sorted)));
    }
}
