//! Images of firmware: ELF, UF2 and raw files, taken apart into what goes where in memory and how it is started.
//!
//! Nothing in a file is believed: each defect is one sentence, and no more memory is taken than the chip has.

mod boot;
mod elf;
mod error;
mod lines;
mod uf2;

use std::ops::Range;
use std::path::Path;

use boot::{boot_at, boot_without_entry};

pub use boot::Boot;
pub use error::ImageError;
pub use lines::Lines;

/// Flash, by its address in the XIP window that is cached (datasheet 2.2).
pub const FLASH: Range<u32> = 0x1000_0000..0x1100_0000;
/// The XIP cache's memory while it serves as SRAM.
pub const XIP_SRAM: Range<u32> = 0x1500_0000..0x1500_4000;
/// SRAM banks 0 to 3 striped, then 4 and 5.
pub const SRAM: Range<u32> = 0x2000_0000..0x2004_2000;
/// A chip that images are for.
#[derive(Debug)]
pub struct Chip {
    /// Memories that an image can be loaded into.
    pub memories: &'static [Range<u32>],
    /// The same in words.
    pub named: &'static str,
    /// How an ELF file with these segments and this entry point is started.
    pub(crate) boot: fn(&[Segment], u32) -> Boot,
}

/// The RP2040.
pub const RP2040: Chip = Chip {
    memories: &[FLASH, XIP_SRAM, SRAM],
    named: "flash (0x10000000) or SRAM (0x20000000 to 0x20042000)",
    boot: boot_at,
};

/// The STM32H745: its two banks of flash (RM0399 4.3.2), from which each core starts as the option bytes say.
pub const STM32H745: Chip = Chip {
    memories: &[0x0800_0000..0x0810_0000, 0x0810_0000..0x0820_0000],
    named: "a bank of flash (0x08000000 to 0x08100000, 0x08100000 to 0x08200000)",
    boot: |_, _| Boot::Flash,
};

/// Files longer than this are refused; debug information of the largest firmware takes a tenth of it.
pub const MAX_FILE: u64 = 256 << 20;

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

/// Firmware, ready to be put into memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// By rising address, without overlap, each within one memory.
    pub segments: Vec<Segment>,
    /// How to start it.
    pub boot: Boot,
    /// By rising address.
    pub symbols: Vec<Symbol>,
    /// Source lines of the code.
    pub lines: Lines,
}

impl Image {
    /// Reads a file; with `base` it is a raw image for that address, otherwise an ELF or a UF2 file.
    ///
    /// # Errors
    /// If the file cannot be read or is not a valid image for this chip.
    pub fn open(path: &Path, base: Option<u32>) -> Result<Self, ImageError> {
        Self::parse(&contents(path)?, base)
    }

    /// Reads an ELF file for a chip.
    ///
    /// # Errors
    /// If the file cannot be read or is no ELF file for that chip.
    pub fn open_elf(path: &Path, chip: &Chip) -> Result<Self, ImageError> {
        Self::parse_elf(&contents(path)?, chip)
    }

    /// Takes the contents of an ELF file for a chip apart.
    ///
    /// # Errors
    /// If they are none.
    pub fn parse_elf(bytes: &[u8], chip: &Chip) -> Result<Self, ImageError> {
        match bytes {
            [] => Err(ImageError::Empty),
            _ if elf::is_elf(bytes) => elf::read(bytes, chip),
            _ => Err(ImageError::NoElf { first: bytes[..bytes.len().min(4)].to_vec() }),
        }
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
        if elf::is_elf(bytes) {
            return elf::read(bytes, &RP2040);
        }
        if uf2::is_uf2(bytes) {
            return uf2::read(bytes);
        }
        Err(ImageError::Unknown { first: bytes[..bytes.len().min(4)].to_vec() })
    }

    fn raw(bytes: &[u8], base: u32) -> Result<Self, ImageError> {
        check_range(base, bytes.len() as u64, &RP2040)?;
        let segments = vec![Segment { address: base, bytes: bytes.to_vec() }];
        let boot = boot_without_entry(&segments);
        Ok(Self { segments, boot, symbols: Vec::new(), lines: Lines::default() })
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

fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

/// Reads a whole file, if it is not too long.
fn contents(path: &Path) -> Result<Vec<u8>, ImageError> {
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
    Ok(bytes)
}

fn check_range(address: u32, size: u64, chip: &Chip) -> Result<(), ImageError> {
    let fits = |memory: &Range<u32>| memory.contains(&address) && u64::from(address) + size <= u64::from(memory.end);
    let fits = chip.memories.iter().any(fits);
    if fits { Ok(()) } else { Err(ImageError::OutOfRange { address, size, memories: chip.named }) }
}

/// Puts segments in order and finds overlaps.
fn sort(segments: &mut [Segment]) -> Result<(), ImageError> {
    segments.sort_by_key(|segment| segment.address);
    match segments.windows(2).find(|pair| pair[0].end() > u64::from(pair[1].address)) {
        Some(pair) => Err(ImageError::Overlap(pair[1].address)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn set(bytes: &mut [u8], offset: usize, value: u32) {
        bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    }

    pub(super) fn error(bytes: &[u8]) -> ImageError {
        Image::parse(bytes, None).expect_err("a bad image was accepted")
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
        let out_of_range = ImageError::OutOfRange { address: 0x2004_1ffc, size: 8, memories: RP2040.named };
        assert_eq!(Image::parse(&[1; 8], Some(0x2004_1ffc)), Err(out_of_range));
    }

    /// Whatever is accepted keeps what the rest of the simulator relies on.
    pub(super) fn check(image: &Image) {
        assert!(!image.segments.is_empty());
        for segment in &image.segments {
            assert!(!segment.bytes.is_empty());
            check_range(segment.address, segment.bytes.len() as u64, &RP2040).expect("in range");
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
    }
}
