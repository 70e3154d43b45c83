//! Images of firmware: ELF, UF2 and raw files, as segments to load and an entry point.
//!
//! Files are untrusted: each defect is one error, and no more memory is allocated than the chip has.

mod elf;
mod profile;
mod stacks;
mod uf2;

use std::ops::Range;
use std::path::Path;

use crate::core::names::Names;

pub use elf::{Lines, SourceFrame};

/// What images for a chip are.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Name of the chip.
    pub chip: &'static str,
    /// Memories that an image can be loaded into.
    pub memories: &'static [Range<u32>],
    /// The same in words.
    pub named: &'static str,
    /// What its cores run.
    pub architecture: Architecture,
    /// Its family in UF2 files, if it takes them.
    pub uf2_family: Option<u32>,
    /// How an image with these segments and this entry point, if it names one, is started.
    pub boot: fn(&[Segment], Option<u32>) -> Boot,
}

/// What the cores of a chip run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// Arm, of these values of `Tag_CPU_arch` in ELF files.
    Arm(&'static [u64]),
    /// RISC-V.
    Riscv,
}

impl Architecture {
    /// `e_machine` of its ELF files.
    fn machine(self) -> u16 {
        match self {
            Self::Arm(_) => 40,
            Self::Riscv => 243,
        }
    }
}

/// How an image is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boot {
    /// As at power-on.
    Flash,
    /// At an entry point with a stack pointer.
    Direct {
        /// With the Thumb bit.
        entry: u32,
        /// Stack pointer.
        stack: u32,
    },
    /// Through a vector table in SRAM.
    Table(u32),
}

/// Files longer than this are refused; debug information of the largest firmware takes a tenth of it.
pub const MAX_FILE: u64 = 256 << 20;

/// Why a file is no image for a chip, each reason a sentence.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[allow(missing_docs)] // the messages say it
pub enum ImageError {
    #[error("cannot read {path}: {why}")]
    Unreadable { path: String, why: String },
    #[error("the file has {size} bytes, more than the {MAX_FILE} that are accepted")]
    TooLong { size: u64 },
    #[error("the file is empty")]
    Empty,
    #[error(
        "the file is neither an ELF nor a UF2 file (it begins with the bytes {}): of a raw image, intercore-sim takes the load address, with --base ADDRESS",
        in_hexadecimal(.first)
    )]
    Unknown { first: Vec<u8> },
    #[error("the file is not an ELF file (it begins with the bytes {})", in_hexadecimal(.first))]
    NoElf { first: Vec<u8> },
    #[error("the ELF file is damaged: {0}")]
    DamagedElf(String),
    #[error("the file is a 64-bit ELF file, but the chip is 32-bit")]
    WrongClass,
    #[error("the file is a big-endian ELF file, but the chip is little-endian")]
    WrongEndianness,
    #[error("the ELF file is for {}, but the {chip} runs {}", machine(*.built_for), machine(*.wanted))]
    WrongMachine { built_for: u16, chip: &'static str, wanted: u16 },
    #[error("the ELF file is built for {built_for}, which the cores of the {chip} do not run")]
    WrongArchitecture { built_for: String, chip: &'static str },
    #[error("the ELF file is of type {0}, not a linked program (type 2, executable)")]
    NotExecutable(u16),
    #[error("the file has nothing to load into the chip")]
    NothingToLoad,
    #[error("{size} bytes at {address:#010x} are not within {memories}")]
    OutOfRange { address: u32, size: u64, memories: &'static str },
    #[error("two parts of the image overlap at {0:#010x}")]
    Overlap(u32),
    #[error("the entry point {0:#010x} is outside the loaded parts of the image")]
    BadEntry(u32),
    #[error("the UF2 file is truncated: {size} bytes are not a whole number of 512-byte blocks")]
    TruncatedUf2 { size: usize },
    #[error("UF2 block {block} of the file has no valid magic numbers")]
    BadUf2Block { block: usize },
    #[error("no UF2 block is for the {chip} (family {family:#010x}); the first family in the file is {first:#010x}")]
    WrongFamily { chip: &'static str, family: u32, first: u32 },
    #[error("UF2 block {block} of the file has a payload of {size} bytes, but the {chip} accepts only 256")]
    BadUf2Payload { block: usize, size: u32, chip: &'static str },
    #[error("UF2 block {block} of the file is for {address:#010x}, which is not a multiple of 256")]
    UnalignedUf2 { block: usize, address: u32 },
    #[error("UF2 block {block} of the file is number {number} of {count}, but earlier blocks are of {expected}")]
    BadUf2Number { block: usize, number: u32, count: u32, expected: u32 },
    #[error("the UF2 file is incomplete: block {number} of {count} is missing")]
    MissingUf2Block { number: u32, count: u32 },
    #[error("the UF2 file has two different blocks with number {0}")]
    DoubleUf2Block(u32),
}

/// What a value of `e_machine` in ELF files stands for.
fn machine(number: u16) -> String {
    match number {
        3 => "x86".to_owned(),
        40 => "Arm".to_owned(),
        94 => "Xtensa".to_owned(),
        183 => "64-bit Arm".to_owned(),
        243 => "RISC-V".to_owned(),
        _ => format!("machine {number}"),
    }
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

    /// Whether a byte of it is for this address.
    pub fn contains(&self, address: u32) -> bool {
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
    /// Reads a file; with `base` it is a raw image for that address, otherwise an ELF file, or a UF2 file if the chip takes
    /// those.
    ///
    /// # Errors
    /// If the file cannot be read or is not a valid image for the chip.
    pub fn open(path: &Path, base: Option<u32>, target: &Target) -> Result<Self, ImageError> {
        Self::parse(&contents(path)?, base, target)
    }

    /// Parses the contents of a file; see [`Image::open`].
    ///
    /// # Errors
    /// If they are not a valid image for the chip.
    pub fn parse(bytes: &[u8], base: Option<u32>, target: &Target) -> Result<Self, ImageError> {
        let first = || bytes[..bytes.len().min(4)].to_vec();
        match (base, target.uf2_family) {
            _ if bytes.is_empty() => Err(ImageError::Empty),
            (Some(base), _) => Self::raw(bytes, base, target),
            _ if elf::is_elf(bytes) => elf::read(bytes, target),
            (_, Some(family)) if uf2::is_uf2(bytes) => uf2::read(bytes, family, target),
            (_, Some(_)) => Err(ImageError::Unknown { first: first() }),
            (_, None) => Err(ImageError::NoElf { first: first() }),
        }
    }

    fn raw(bytes: &[u8], base: u32, target: &Target) -> Result<Self, ImageError> {
        check_range(base, bytes.len() as u64, target)?;
        let segments = vec![Segment { address: base, bytes: bytes.to_vec() }];
        let boot = (target.boot)(&segments, None);
        Ok(Self { segments, boot, symbols: Vec::new(), lines: Lines::default() })
    }

    /// The address of a symbol.
    pub fn symbol(&self, name: &str) -> Option<u32> {
        self.symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address)
    }
}

/// The word at an offset, lowest byte first.
pub(crate) fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

fn in_hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
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

impl Names for Image {
    fn function_at(&self, address: u32) -> Option<(&str, u32)> {
        let upto = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols[..upto].iter().rev().find(|symbol| symbol.is_function)?;
        let offset = address - symbol.address;
        // Assembler functions often have no size; a page is as far as such a name is believed to reach.
        (offset < if symbol.size == 0 { 4096 } else { symbol.size }).then_some((symbol.name.as_str(), offset))
    }

    fn line_at(&self, address: u32) -> Option<(String, u32)> {
        self.lines.at(address)
    }
}

/// Of several images, for instance one for each core, the first that has a name counts.
impl Names for Vec<Image> {
    fn function_at(&self, address: u32) -> Option<(&str, u32)> {
        self.iter().find_map(|image| image.function_at(address))
    }

    fn line_at(&self, address: u32) -> Option<(String, u32)> {
        self.iter().find_map(|image| image.lines.at(address))
    }
}

fn check_range(address: u32, size: u64, target: &Target) -> Result<(), ImageError> {
    let fits = |memory: &Range<u32>| memory.contains(&address) && u64::from(address) + size <= u64::from(memory.end);
    let fits = target.memories.iter().any(fits);
    if fits { Ok(()) } else { Err(ImageError::OutOfRange { address, size, memories: target.named }) }
}

/// Puts segments in order and finds overlaps.
fn sort(segments: &mut [Segment]) -> Result<(), ImageError> {
    segments.sort_by_key(|segment| segment.address);
    match segments.windows(2).find(|pair| pair[0].end() > u64::from(pair[1].address)) {
        Some(pair) => Err(ImageError::Overlap(pair[1].address)),
        None => Ok(()),
    }
}
