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
