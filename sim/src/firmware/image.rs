//! Images of firmware: ELF, UF2 and raw files, taken apart into what goes where in memory and how it is started.
//!
//! Nothing in a file is believed: each defect is one sentence, and no more memory is taken than the chip has.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use object::elf;
use object::read::elf::{FileHeader as _, ProgramHeader as _, Sym as _};
use object::{Endianness, FileKind};

/// Flash, by its address in the XIP window that is cached (datasheet 2.2).
pub const FLASH: Range<u32> = 0x1000_0000..0x1100_0000;
/// The XIP cache's memory while it serves as SRAM.
pub const XIP_SRAM: Range<u32> = 0x1500_0000..0x1500_4000;
/// SRAM banks 0 to 3 striped, then 4 and 5.
pub const SRAM: Range<u32> = 0x2000_0000..0x2004_2000;
/// Files longer than this are refused; debug information of the largest firmware takes a tenth of it.
pub const MAX_FILE: u64 = 256 << 20;

/// Family of the RP2040 in UF2 files.
const UF2_FAMILY: u32 = 0xE48B_FF56;
const UF2_BLOCK: usize = 512;
/// The boot ROM takes no other size (datasheet 2.8.4.2).
const UF2_PAYLOAD: u32 = 256;
/// First and last magic number of each block.
const UF2_MAGIC: [u32; 3] = [0x0A32_4655, 0x9E5D_5157, 0x0AB1_6F30];
const UF2_NOT_MAIN_FLASH: u32 = 0x0001;
const UF2_FAMILY_PRESENT: u32 = 0x2000;

/// Why a file is no image for this chip.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[allow(missing_docs)] // the messages say it
pub enum ImageError {
    #[error("cannot read {path}: {why}")]
    Unreadable { path: String, why: String },
    #[error("the file has {size} bytes, more than the {MAX_FILE} that are accepted")]
    TooLong { size: u64 },
    #[error("the file is empty")]
    Empty,
    #[error("neither an ELF nor a UF2 file (it begins with {first:02x?}); for a raw image give its address (base)")]
    Unknown { first: Vec<u8> },
    #[error("the ELF file is damaged: {0}")]
    DamagedElf(String),
    #[error("a 64-bit ELF file; the RP2040 is a 32-bit chip")]
    WrongClass,
    #[error("a big-endian ELF file; the RP2040 is little-endian")]
    WrongEndianness,
    #[error("an ELF file for machine {0}, not for Arm (40); was it built with arm-none-eabi-gcc?")]
    WrongMachine(u16),
    #[error("an ELF file of type {0}, which is not linked to run (type 2, executable)")]
    NotExecutable(u16),
    #[error("nothing in the file is to be loaded")]
    NothingToLoad,
    #[error("{size} bytes at {address:#010x} are not within flash (0x10000000) or SRAM (0x20000000 to 0x20042000)")]
    OutOfRange { address: u32, size: u64 },
    #[error("two parts of the image overlap at {0:#010x}")]
    Overlap(u32),
    #[error("entry point {0:#010x} is not in what the image loads")]
    BadEntry(u32),
    #[error("the UF2 file is truncated: {size} bytes are no whole number of 512-byte blocks")]
    TruncatedUf2 { size: usize },
    #[error("UF2 block {block} of the file has no valid magic numbers")]
    BadUf2Block { block: usize },
    #[error("no UF2 block is for the RP2040 (family 0xe48bff56); the first family in the file is {first:#010x}")]
    WrongFamily { first: u32 },
    #[error("UF2 block {block} of the file has a payload of {size} bytes; the RP2040 takes 256")]
    BadUf2Payload { block: usize, size: u32 },
    #[error("UF2 block {block} of the file is for {address:#010x}, which is not a multiple of 256")]
    UnalignedUf2 { block: usize, address: u32 },
    #[error("UF2 block {block} of the file says it is number {number} of {count}, earlier ones said of {expected}")]
    BadUf2Number { block: usize, number: u32, count: u32, expected: u32 },
    #[error("the UF2 file is incomplete: block {number} of {count} is missing")]
    MissingUf2Block { number: u32, count: u32 },
    #[error("the UF2 file has two different blocks with number {0}")]
    DoubleUf2Block(u32),
}

/// Bytes that belong at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Of the first byte.
    pub address: u32,
    /// At least one.
    pub bytes: Vec<u8>,
}

impl Segment {
    fn end(&self) -> u64 {
        u64::from(self.address) + self.bytes.len() as u64
    }

    fn contains(&self, address: u32) -> bool {
        address >= self.address && u64::from(address) < self.end()
    }
}

/// A name for an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// As in the file.
    pub name: String,
    /// Without the Thumb bit.
    pub address: u32,
    /// 0 if the file does not say.
    pub size: u32,
    /// Code rather than data.
    pub is_function: bool,
}

/// How an image is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boot {
    /// As at power-on: the boot ROM looks into the flash.
    Flash,
    /// At an entry point, with a stack pointer, as the boot ROM does for UF2 images in SRAM and picotool for ELF ones.
    Direct {
        /// With the Thumb bit.
        entry: u32,
        /// Stack pointer.
        stack: u32,
    },
    /// Through a vector table in SRAM.
    Table(u32),
}

/// Firmware, ready to be put into memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// By rising address, without overlap, each within one memory.
    pub segments: Vec<Segment>,
    /// How to start it.
    pub boot: Boot,
    /// By rising address.
    pub symbols: Vec<Symbol>,
}

impl Image {
    /// Reads a file; with `base` it is a raw image for that address, otherwise an ELF or a UF2 file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a valid image for this chip.
    pub fn open(path: &Path, base: Option<u32>) -> Result<Self, ImageError> {
        let unreadable =
            |why: std::io::Error| ImageError::Unreadable { path: path.display().to_string(), why: why.to_string() };
        let file = std::fs::File::open(path).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        if size > MAX_FILE {
            return Err(ImageError::TooLong { size });
        }
        let mut bytes = Vec::new();
        // A pipe has no size to be known beforehand.
        std::io::Read::read_to_end(&mut std::io::Read::take(file, MAX_FILE + 1), &mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(ImageError::TooLong { size: bytes.len() as u64 });
        }
        Self::parse(&bytes, base)
    }

    /// Takes the contents of a file apart; see [`Image::open`].
    ///
    /// # Errors
    /// If they are not a valid image for this chip.
    pub fn parse(bytes: &[u8], base: Option<u32>) -> Result<Self, ImageError> {
        if bytes.is_empty() {
            return Err(ImageError::Empty);
        }
        if let Some(base) = base {
            return Self::raw(bytes, base);
        }
        if bytes.starts_with(&elf::ELFMAG) {
            return Self::elf(bytes);
        }
        if word(bytes, 0) == Some(UF2_MAGIC[0]) {
            return Self::uf2(bytes);
        }
        Err(ImageError::Unknown { first: bytes[..bytes.len().min(4)].to_vec() })
    }

    fn raw(bytes: &[u8], base: u32) -> Result<Self, ImageError> {
        check_range(base, bytes.len() as u64)?;
        let segments = vec![Segment { address: base, bytes: bytes.to_vec() }];
        let boot = boot_without_entry(&segments);
        Ok(Self { segments, boot, symbols: Vec::new() })
    }

    fn elf(bytes: &[u8]) -> Result<Self, ImageError> {
        match FileKind::parse(bytes) {
            Ok(FileKind::Elf32) => {}
            Ok(FileKind::Elf64) => return Err(ImageError::WrongClass),
            _ => return Err(ImageError::DamagedElf("unknown class".to_owned())),
        }
        let header = elf::FileHeader32::<Endianness>::parse(bytes).map_err(damaged)?;
        let endian = header.endian().map_err(damaged)?;
        if endian == Endianness::Big {
            return Err(ImageError::WrongEndianness);
        }
        if header.e_machine(endian) != elf::EM_ARM {
            return Err(ImageError::WrongMachine(header.e_machine(endian).0));
        }
        if header.e_type(endian) != elf::ET_EXEC {
            return Err(ImageError::NotExecutable(header.e_type(endian).0));
        }
        let mut segments = Vec::new();
        let mut total = 0;
        for part in header.program_headers(endian, bytes).map_err(damaged)? {
            if part.p_type(endian) != elf::PT_LOAD || part.p_filesz(endian) == 0 {
                continue;
            }
            let data = part.data(endian, bytes).map_err(|()| ImageError::DamagedElf("a segment is cut off".into()))?;
            let address = part.p_paddr(endian);
            check_range(address, data.len() as u64)?;
            // Overlaps are found below; until then, many copies of one large segment must not fill the memory.
            total += data.len();
            if total > FLASH.len() + SRAM.len() + XIP_SRAM.len() {
                return Err(ImageError::Overlap(address));
            }
            segments.push(Segment { address, bytes: data.to_vec() });
        }
        if segments.is_empty() {
            return Err(ImageError::NothingToLoad);
        }
        sort(&mut segments)?;
        let entry = header.e_entry(endian);
        if !segments.iter().any(|segment| segment.contains(entry & !1)) {
            return Err(ImageError::BadEntry(entry));
        }
        let boot = boot_at(&segments, entry);
        Ok(Self { segments, boot, symbols: elf_symbols(header, endian, bytes)? })
    }

    fn uf2(bytes: &[u8]) -> Result<Self, ImageError> {
        let blocks = bytes.chunks_exact(UF2_BLOCK);
        if !blocks.remainder().is_empty() {
            return Err(ImageError::TruncatedUf2 { size: bytes.len() });
        }
        let mut first_family = None;
        let mut count = None;
        let mut numbers = BTreeMap::new();
        for (index, block) in blocks.enumerate() {
            let Some((family, part)) = uf2_block(index, block)? else { continue };
            if family != UF2_FAMILY {
                first_family.get_or_insert(family);
                continue;
            }
            let expected = *count.get_or_insert(part.count);
            if part.count != expected || part.number >= expected {
                return Err(ImageError::BadUf2Number {
                    block: index,
                    number: part.number,
                    count: part.count,
                    expected,
                });
            }
            // A block may come twice (UF2 specification), but not with different contents.
            if *numbers.entry(part.number).or_insert(part) != part {
                return Err(ImageError::DoubleUf2Block(part.number));
            }
        }
        let Some(count) = count else {
            return Err(ImageError::WrongFamily { first: first_family.unwrap_or(0) });
        };
        if let Some(number) = (0..count).find(|number| !numbers.contains_key(number)) {
            return Err(ImageError::MissingUf2Block { number, count });
        }
        let mut segments: Vec<_> =
            numbers.values().map(|part| Segment { address: part.address, bytes: part.payload.to_vec() }).collect();
        sort(&mut segments)?;
        let segments = join(segments);
        let boot = boot_without_entry(&segments);
        Ok(Self { segments, boot, symbols: Vec::new() })
    }

    /// The address of a symbol.
    #[must_use]
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address)
    }

    /// The function an address is in, and how far.
    #[must_use]
    pub fn function_at(&self, address: u32) -> Option<(&str, u32)> {
        let upto = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols[..upto].iter().rev().find(|symbol| symbol.is_function)?;
        let offset = address - symbol.address;
        // Assembler functions often have no size; a page is as far as such a name is believed to reach.
        (offset < if symbol.size == 0 { 4096 } else { symbol.size }).then_some((symbol.name.as_str(), offset))
    }
}

/// One block of a UF2 file.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Uf2Part<'a> {
    address: u32,
    number: u32,
    count: u32,
    payload: &'a [u8],
}

/// A block's family and contents; `None` for one that is not for the main memory or names no family.
fn uf2_block(index: usize, block: &[u8]) -> Result<Option<(u32, Uf2Part<'_>)>, ImageError> {
    let field = |offset: usize| word(block, offset).unwrap_or(0);
    if [field(0), field(4), field(0x1FC)] != UF2_MAGIC {
        return Err(ImageError::BadUf2Block { block: index });
    }
    let (flags, address, size, family) = (field(0x08), field(0x0C), field(0x10), field(0x1C));
    if flags & UF2_NOT_MAIN_FLASH != 0 {
        return Ok(None);
    }
    let family = if flags & UF2_FAMILY_PRESENT != 0 { family } else { 0 };
    let part = Uf2Part {
        address,
        number: field(0x14),
        count: field(0x18),
        payload: &block[0x20..0x20 + UF2_PAYLOAD as usize],
    };
    if family == UF2_FAMILY {
        if size != UF2_PAYLOAD {
            return Err(ImageError::BadUf2Payload { block: index, size });
        }
        check_range(address, u64::from(size))?;
        if address % UF2_PAYLOAD != 0 {
            return Err(ImageError::UnalignedUf2 { block: index, address });
        }
    }
    Ok(Some((family, part)))
}

fn elf_symbols(
    header: &elf::FileHeader32<Endianness>,
    endian: Endianness,
    bytes: &[u8],
) -> Result<Vec<Symbol>, ImageError> {
    let sections = header.sections(endian, bytes).map_err(damaged)?;
    let table = sections.symbols(endian, bytes, elf::SHT_SYMTAB).map_err(damaged)?;
    let mut symbols = Vec::new();
    for symbol in table.iter() {
        let kind = symbol.st_type();
        let of_interest = matches!(kind, elf::STT_FUNC | elf::STT_OBJECT | elf::STT_NOTYPE);
        if !of_interest || symbol.st_shndx(endian) == elf::SHN_UNDEF {
            continue;
        }
        let name = symbol.name(endian, table.strings()).map_err(damaged)?;
        // $t, $d and the like mark stretches of code and data.
        if name.is_empty() || name.starts_with(b"$") {
            continue;
        }
        let is_function = kind == elf::STT_FUNC;
        symbols.push(Symbol {
            name: String::from_utf8_lossy(name).into_owned(),
            address: symbol.st_value(endian) & if is_function { !1 } else { !0 },
            size: symbol.st_size(endian),
            is_function,
        });
    }
    symbols.sort_by_key(|symbol| symbol.address);
    Ok(symbols)
}

fn damaged(why: impl std::fmt::Display) -> ImageError {
    ImageError::DamagedElf(why.to_string())
}

fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

fn check_range(address: u32, size: u64) -> Result<(), ImageError> {
    let fits = |memory: &Range<u32>| memory.contains(&address) && u64::from(address) + size <= u64::from(memory.end);
    if [FLASH, XIP_SRAM, SRAM].iter().any(fits) { Ok(()) } else { Err(ImageError::OutOfRange { address, size }) }
}

/// Puts segments in order and finds overlaps.
fn sort(segments: &mut [Segment]) -> Result<(), ImageError> {
    segments.sort_by_key(|segment| segment.address);
    match segments.windows(2).find(|pair| pair[0].end() > u64::from(pair[1].address)) {
        Some(pair) => Err(ImageError::Overlap(pair[1].address)),
        None => Ok(()),
    }
}

/// Makes one segment of those that follow each other without a gap.
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

/// An image that names no entry starts at its lowest address in SRAM, if it is for SRAM (datasheet 2.8.4.2).
fn boot_without_entry(segments: &[Segment]) -> Boot {
    if segments.iter().any(|segment| FLASH.contains(&segment.address)) {
        return Boot::Flash;
    }
    let lowest_in = |memory: Range<u32>| segments.iter().map(|s| s.address).find(|address| memory.contains(address));
    let lowest = lowest_in(SRAM).or_else(|| lowest_in(XIP_SRAM)).unwrap_or(SRAM.start);
    if vector_table(segments, lowest).is_some() { Boot::Table(lowest) } else { direct(lowest) }
}

/// An ELF image starts at its entry point; if that is the reset vector of a table at its lowest address, through that.
fn boot_at(segments: &[Segment], entry: u32) -> Boot {
    if FLASH.contains(&entry) {
        return Boot::Flash;
    }
    segments
        .iter()
        .map(|segment| segment.address)
        .find(|address| vector_table(segments, *address).is_some_and(|reset| reset | 1 == entry | 1))
        .map_or(direct(entry), Boot::Table)
}

fn direct(entry: u32) -> Boot {
    Boot::Direct { entry: entry | 1, stack: SRAM.end }
}

/// The reset vector, if there is what looks like a vector table at `address`.
fn vector_table(segments: &[Segment], address: u32) -> Option<u32> {
    let segment = segments.iter().find(|segment| segment.contains(address))?;
    let offset = (address - segment.address) as usize;
    let (stack, reset) = (word(&segment.bytes, offset)?, word(&segment.bytes, offset + 4)?);
    let is_table = address.is_multiple_of(256)
        && stack % 4 == 0
        && (SRAM.start + 1..=SRAM.end).contains(&stack)
        && reset & 1 == 1
        && segments.iter().any(|segment| segment.contains(reset & !1));
    is_table.then_some(reset)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An ELF file with these (physical address, contents) to load.
    fn elf_file(entry: u32, parts: &[(u32, &[u8])]) -> Vec<u8> {
        let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        file.extend([2, 0, 40, 0]);
        for field in [1, entry, 52, 0, 0x0500_0200] {
            file.extend(u32::to_le_bytes(field));
        }
        for field in [52, 32, parts.len() as u16, 40, 0, 0] {
            file.extend(field.to_le_bytes());
        }
        let mut offset = 52 + 32 * parts.len() as u32;
        for (address, contents) in parts {
            let size = contents.len() as u32;
            for field in [1, offset, *address, *address, size, size, 5, 4] {
                file.extend(u32::to_le_bytes(field));
            }
            offset += size;
        }
        for (_, contents) in parts {
            file.extend(*contents);
        }
        file
    }

    fn uf2_block(address: u32, number: u32, count: u32, fill: u8) -> Vec<u8> {
        let mut block = Vec::new();
        for field in [UF2_MAGIC[0], UF2_MAGIC[1], UF2_FAMILY_PRESENT, address, UF2_PAYLOAD, number, count, UF2_FAMILY] {
            block.extend(field.to_le_bytes());
        }
        block.resize(0x20 + 256, fill);
        block.resize(0x1FC, 0);
        block.extend(UF2_MAGIC[2].to_le_bytes());
        block
    }

    fn set(bytes: &mut [u8], offset: usize, value: u32) {
        bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    }

    fn error(bytes: &[u8]) -> ImageError {
        Image::parse(bytes, None).expect_err("a bad image was accepted")
    }

    #[test]
    fn an_elf_file_for_flash_starts_from_flash() {
        let image = Image::parse(&elf_file(0x1000_0101, &[(0x1000_0000, &[7; 600])]), None).expect("valid");
        assert_eq!(image.boot, Boot::Flash);
        assert_eq!(image.segments, [Segment { address: 0x1000_0000, bytes: vec![7; 600] }]);
    }

    #[test]
    fn an_elf_file_for_sram_starts_at_its_entry_point() {
        let image = Image::parse(&elf_file(0x2000_0011, &[(0x2000_0000, &[7; 60])]), None).expect("valid");
        assert_eq!(image.boot, Boot::Direct { entry: 0x2000_0011, stack: 0x2004_2000 });
    }

    #[test]
    fn an_elf_file_with_its_vector_table_first_starts_through_it() {
        let mut contents = [0; 256];
        set(&mut contents, 0, 0x2004_0000);
        set(&mut contents, 4, 0x2000_00c1);
        let image = Image::parse(&elf_file(0x2000_00c1, &[(0x2000_0000, &contents)]), None).expect("valid");
        assert_eq!(image.boot, Boot::Table(0x2000_0000));
        assert_eq!(Image::parse(&contents, Some(0x2000_0000)).expect("valid").boot, image.boot);
    }

    #[test]
    fn defects_of_an_elf_file_are_told_apart() {
        let good = elf_file(0x2000_0001, &[(0x2000_0000, &[0; 64])]);
        let with = |offset: usize, value: u8| {
            let mut file = good.clone();
            file[offset] = value;
            error(&file)
        };
        assert_eq!(with(4, 2), ImageError::WrongClass);
        assert!(matches!(with(4, 9), ImageError::DamagedElf(_)));
        assert_eq!(with(18, 62), ImageError::WrongMachine(62));
        assert_eq!(with(16, 3), ImageError::NotExecutable(3));
        assert_eq!(with(27, 0x30), ImageError::BadEntry(0x3000_0001));
        assert_eq!(with(52 + 15, 0x30), ImageError::OutOfRange { address: 0x3000_0000, size: 64 });
        assert!(matches!(error(&good[..good.len() - 1]), ImageError::DamagedElf(_)));
        assert!(matches!(error(&good[..60]), ImageError::DamagedElf(_)));
        assert!(matches!(error(&good[..20]), ImageError::DamagedElf(_)));
        assert_eq!(error(&elf_file(0, &[])), ImageError::NothingToLoad);
        let overlap = elf_file(0x2000_0001, &[(0x2000_0000, &[0; 8]), (0x2000_0004, &[0; 8])]);
        assert_eq!(error(&overlap), ImageError::Overlap(0x2000_0004));
        let too_large = elf_file(0x2000_0001, &[(0x2000_0000, &vec![0; 0x42001])]);
        assert_eq!(error(&too_large), ImageError::OutOfRange { address: 0x2000_0000, size: 0x42001 });
    }

    #[test]
    fn a_big_endian_elf_file_is_refused_as_such() {
        let mut file = elf_file(0x2000_0001, &[(0x2000_0000, &[0; 64])]);
        file[5] = 2;
        assert_eq!(error(&file), ImageError::WrongEndianness);
    }

    #[test]
    fn what_is_no_image_is_told_how_it_begins() {
        assert_eq!(error(b"#!/bin/sh"), ImageError::Unknown { first: b"#!/b".to_vec() });
        assert_eq!(error(b""), ImageError::Empty);
        assert_eq!(error(&[0x7f]), ImageError::Unknown { first: vec![0x7f] });
    }

    #[test]
    fn a_raw_image_must_fit_where_it_is_to_go() {
        assert_eq!(Image::parse(&[1; 8], Some(0x1000_0000)).expect("valid").boot, Boot::Flash);
        let out_of_range = ImageError::OutOfRange { address: 0x2004_1ffc, size: 8 };
        assert_eq!(Image::parse(&[1; 8], Some(0x2004_1ffc)), Err(out_of_range));
    }

    #[test]
    fn uf2_blocks_may_come_in_any_order_and_twice() {
        let (first, second) = (uf2_block(0x2000_0000, 0, 2, 1), uf2_block(0x2000_0100, 1, 2, 2));
        let image = Image::parse(&[&second[..], &first, &second].concat(), None).expect("valid");
        assert_eq!(image.segments.len(), 1);
        assert_eq!(image.segments[0].bytes, [[1; 256], [2; 256]].concat());
        assert_eq!(image.boot, Boot::Direct { entry: 0x2000_0001, stack: 0x2004_2000 });
    }

    #[test]
    fn uf2_blocks_of_another_family_are_passed_over() {
        let ours = uf2_block(0x1000_0000, 0, 1, 1);
        let mut other = uf2_block(0x1000_0000, 0, 1, 2);
        set(&mut other, 0x1C, 0xE48B_FF59);
        let image = Image::parse(&[&other[..], &ours].concat(), None).expect("valid");
        assert_eq!(image.segments[0].bytes, [1; 256]);
        assert_eq!(error(&other), ImageError::WrongFamily { first: 0xE48B_FF59 });
    }

    #[test]
    fn defects_of_a_uf2_file_are_told_apart() {
        let block = |number| uf2_block(0x1000_0000 + 256 * number, number, 3, 0);
        let good = [block(0), block(1), block(2)].concat();
        assert!(Image::parse(&good, None).is_ok());
        let with = |offset: usize, value: u32| {
            let mut file = good.clone();
            set(&mut file, 512 + offset, value);
            error(&file)
        };
        assert_eq!(error(&good[..1000]), ImageError::TruncatedUf2 { size: 1000 });
        assert_eq!(error(&good[..1024]), ImageError::MissingUf2Block { number: 2, count: 3 });
        assert_eq!(with(0, 0), ImageError::BadUf2Block { block: 1 });
        assert_eq!(with(0x1FC, 0), ImageError::BadUf2Block { block: 1 });
        assert_eq!(with(0x10, 476), ImageError::BadUf2Payload { block: 1, size: 476 });
        assert_eq!(with(0x0C, 0x1000_0080), ImageError::UnalignedUf2 { block: 1, address: 0x1000_0080 });
        assert_eq!(with(0x0C, 0x4000_0000), ImageError::OutOfRange { address: 0x4000_0000, size: 256 });
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

    /// Whatever is accepted keeps what the rest of the simulator relies on.
    fn check(image: &Image) {
        assert!(!image.segments.is_empty());
        for segment in &image.segments {
            assert!(!segment.bytes.is_empty());
            check_range(segment.address, segment.bytes.len() as u64).expect("in range");
        }
        for pair in image.segments.windows(2) {
            assert!(pair[0].end() <= u64::from(pair[1].address));
        }
        for address in [0, 0x1000_0000, 0x2000_0000, u32::MAX] {
            assert!(image.function_at(address).is_none_or(|(name, _)| !name.is_empty()));
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..2000), base: Option<u32>) {
            if let Ok(image) = Image::parse(&bytes, base) {
                check(&image);
            }
        }

        #[test]
        fn damaged_elf_files_never_panic(
            damage in proptest::collection::vec((0_usize..600, any::<u8>()), 0..8),
            length in 0_usize..600,
        ) {
            let mut file = elf_file(0x2000_0001, &[(0x2000_0000, &[0; 200]), (0x1000_0000, &[1; 200])]);
            file.resize(600, 0);
            for (offset, value) in damage {
                file[offset] = value;
            }
            if let Ok(image) = Image::parse(&file[..length], None) {
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
            if let Ok(image) = Image::parse(&file, None) {
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
            prop_assert_eq!(Image::parse(&file(&order), None), Image::parse(&file(&sorted), None));
        }
    }
}
