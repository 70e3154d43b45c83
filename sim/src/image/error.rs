//! Why a file is no image for a chip, each reason a sentence.

use crate::image::MAX_FILE;

/// Why a file is no image for a chip.
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
    #[error("no ELF file (it begins with {first:02x?})")]
    NoElf { first: Vec<u8> },
    #[error("the ELF file is damaged: {0}")]
    DamagedElf(String),
    #[error("a 64-bit ELF file; the chip is a 32-bit one")]
    WrongClass,
    #[error("a big-endian ELF file; the chip is little-endian")]
    WrongEndianness,
    #[error("an ELF file for machine {0}, not for Arm (40); was it built with arm-none-eabi-gcc?")]
    WrongMachine(u16),
    #[error("an ELF file of type {0}, which is not linked to run (type 2, executable)")]
    NotExecutable(u16),
    #[error("nothing in the file is to be loaded")]
    NothingToLoad,
    #[error("{size} bytes at {address:#010x} are not within {memories}")]
    OutOfRange { address: u32, size: u64, memories: &'static str },
    #[error("two parts of the image overlap at {0:#010x}")]
    Overlap(u32),
    #[error("entry point {0:#010x} is not in what the image loads")]
    BadEntry(u32),
    #[error("the UF2 file is truncated: {size} bytes are no whole number of 512-byte blocks")]
    TruncatedUf2 { size: usize },
    #[error("UF2 block {block} of the file has no valid magic numbers")]
    BadUf2Block { block: usize },
    #[error("no UF2 block is for the {chip} (family {family:#010x}); the first family in the file is {first:#010x}")]
    WrongFamily { chip: &'static str, family: u32, first: u32 },
    #[error("UF2 block {block} of the file has a payload of {size} bytes; the {chip} takes 256")]
    BadUf2Payload { block: usize, size: u32, chip: &'static str },
    #[error("UF2 block {block} of the file is for {address:#010x}, which is not a multiple of 256")]
    UnalignedUf2 { block: usize, address: u32 },
    #[error("UF2 block {block} of the file says it is number {number} of {count}, earlier ones said of {expected}")]
    BadUf2Number { block: usize, number: u32, count: u32, expected: u32 },
    #[error("the UF2 file is incomplete: block {number} of {count} is missing")]
    MissingUf2Block { number: u32, count: u32 },
    #[error("the UF2 file has two different blocks with number {0}")]
    DoubleUf2Block(u32),
}
