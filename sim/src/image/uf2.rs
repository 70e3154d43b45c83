//! UF2 files: blocks of 256 bytes, in any order.

use std::collections::BTreeMap;

use crate::image::{Image, ImageError, Lines, Segment, Target, check_range, sort, word};

const BLOCK: usize = 512;
/// The only payload size that the boot ROM accepts (datasheet 2.8.4.2).
const PAYLOAD: u32 = 256;
/// First and last magic number of each block.
const MAGIC: [u32; 3] = [0x0A32_4655, 0x9E5D_5157, 0x0AB1_6F30];
const NOT_MAIN_FLASH: u32 = 0x0001;
const FAMILY_PRESENT: u32 = 0x2000;

/// Whether a file begins as a UF2 file does.
pub(super) fn is_uf2(bytes: &[u8]) -> bool {
    word(bytes, 0) == Some(MAGIC[0])
}

/// Takes the blocks of a UF2 file apart that are for the family of a chip.
pub(super) fn read(bytes: &[u8], wanted: u32, target: &Target) -> Result<Image, ImageError> {
    let blocks = bytes.chunks_exact(BLOCK);
    if !blocks.remainder().is_empty() {
        return Err(ImageError::TruncatedUf2 { size: bytes.len() });
    }
    let mut first_family = None;
    let mut count = None;
    let mut numbers = BTreeMap::new();
    for (index, block) in blocks.enumerate() {
        let Some((family, part)) = read_block(index, block, wanted, target)? else { continue };
        if family != wanted {
            first_family.get_or_insert(family);
            continue;
        }
        let expected = *count.get_or_insert(part.count);
        if part.count != expected || part.number >= expected {
            return Err(ImageError::BadUf2Number { block: index, number: part.number, count: part.count, expected });
        }
        // A block may come twice (UF2 specification), but not with different contents.
        if *numbers.entry(part.number).or_insert(part) != part {
            return Err(ImageError::DoubleUf2Block(part.number));
        }
    }
    let Some(count) = count else {
        let (chip, family) = (target.chip, wanted);
        return Err(ImageError::WrongFamily { chip, family, first: first_family.unwrap_or(0) });
    };
    if let Some(number) = (0..count).find(|number| !numbers.contains_key(number)) {
        return Err(ImageError::MissingUf2Block { number, count });
    }
    let mut segments: Vec<_> =
        numbers.values().map(|part| Segment { address: part.address, bytes: part.payload.to_vec() }).collect();
    sort(&mut segments)?;
    let segments = join(segments);
    let boot = (target.boot)(&segments, None);
    Ok(Image { segments, boot, symbols: Vec::new(), lines: Lines::default() })
}

/// One block of a UF2 file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Part<'a> {
    address: u32,
    number: u32,
    count: u32,
    payload: &'a [u8],
}

/// A block's family and contents; `None` for one that is not for the main memory or names no family.
fn read_block<'a>(
    index: usize,
    block: &'a [u8],
    wanted: u32,
    target: &Target,
) -> Result<Option<(u32, Part<'a>)>, ImageError> {
    let field = |offset: usize| word(block, offset).unwrap_or(0);
    if [field(0), field(4), field(0x1FC)] != MAGIC {
        return Err(ImageError::BadUf2Block { block: index });
    }
    let (flags, address, size, family) = (field(0x08), field(0x0C), field(0x10), field(0x1C));
    if flags & NOT_MAIN_FLASH != 0 {
        return Ok(None);
    }
    let family = if flags & FAMILY_PRESENT != 0 { family } else { 0 };
    let part =
        Part { address, number: field(0x14), count: field(0x18), payload: &block[0x20..0x20 + PAYLOAD as usize] };
    if family == wanted {
        if size != PAYLOAD {
            return Err(ImageError::BadUf2Payload { block: index, size, chip: target.chip });
        }
        check_range(address, u64::from(size), target)?;
        if address % PAYLOAD != 0 {
            return Err(ImageError::UnalignedUf2 { block: index, address });
        }
    }
    Ok(Some((family, part)))
}

/// Joins adjacent segments.
fn join(segments: Vec<Segment>) -> Vec<Segment> {
    let mut joined: Vec<Segment> = Vec::new();
    for segment in segments {
        match joined.last_mut() {
            Some(last) if last.end() == u64::from(segment.address) => last.bytes.extend(segment.bytes),
            _ => joined.push(segment),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{CHIP, check, error, parse, set};
    use super::*;

    fn uf2_block(address: u32, number: u32, count: u32, fill: u8) -> Vec<u8> {
        let mut block = Vec::new();
        for field in [MAGIC[0], MAGIC[1], FAMILY_PRESENT, address, PAYLOAD, number, count, 0xE48B_FF56] {
            block.extend(field.to_le_bytes());
        }
        block.resize(0x20 + 256, fill);
        block.resize(0x1FC, 0);
        block.extend(MAGIC[2].to_le_bytes());
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
        assert_eq!(
            with(0x18, u32::MAX),
            ImageError::BadUf2Number { block: 1, number: 1, count: u32::MAX, expected: 3 }
        );
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

    proptest! {
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
}
