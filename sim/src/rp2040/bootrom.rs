//! The boot ROM: our own (`bootrom/bootrom.s`, assembled into `bootrom/bootrom.bin`), or one that the user has.

mod float;
pub(super) mod service;

use std::path::Path;

use crate::image::Boot;

/// Bytes of ROM (datasheet 2.6.1).
pub const SIZE: usize = 16 * 1024;

/// The contents of the ROM.
pub type Bootrom = Box<[u8; SIZE]>;

/// Scratch register 4 of the watchdog asks for a direct boot with this (datasheet 2.8.1.1).
const DIRECT_BOOT: u32 = 0xB007_C0D3;
/// And our ROM, with this, for a boot through a vector table in SRAM.
const TABLE_BOOT: u32 = 0x1C0D_E7AB;

/// Why a file is no boot ROM.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
pub enum BootromError {
    #[error("cannot read {path}: {why}")]
    Unreadable { path: String, why: std::io::Error },
    #[error("a boot ROM has 16384 bytes, {path} has {size}")]
    WrongSize { path: String, size: u64 },
    #[error("{path} is no boot ROM of the RP2040: it has no 'Mu' and 1 at 0x10")]
    NoMagic { path: String },
}

/// The boot ROM that comes with the simulator.
pub fn ours() -> Bootrom {
    let assembled = include_bytes!("bootrom/bootrom.bin");
    let mut rom = Box::new([0; SIZE]);
    rom[..assembled.len()].copy_from_slice(assembled);
    rom
}

/// Reads a boot ROM, for instance one saved from a chip.
///
/// # Errors
/// If the file cannot be read or is not a boot ROM of this chip.
pub fn open(path: &Path) -> Result<Bootrom, BootromError> {
    let unreadable = |why| BootromError::Unreadable { path: path.display().to_string(), why };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    std::io::Read::read_to_end(&mut std::io::Read::take(file, SIZE as u64 + 1), &mut bytes).map_err(unreadable)?;
    let size = bytes.len() as u64;
    let rom: Bootrom = bytes
        .into_boxed_slice()
        .try_into()
        .map_err(|_| BootromError::WrongSize { path: path.display().to_string(), size })?;
    // Datasheet 2.8.3: the magic number and the version of the layout; the version of the ROM follows.
    if rom[0x10..0x13] == *b"Mu\x01" {
        Ok(rom)
    } else {
        Err(BootromError::NoMagic { path: path.display().to_string() })
    }
}

/// What the loader puts into scratch registers 4 to 7 of the watchdog so that the ROM starts an image in SRAM.
pub fn scratch(boot: Boot) -> [u32; 4] {
    match boot {
        Boot::Flash => [0; 4],
        Boot::Direct { entry, stack } => [DIRECT_BOOT, entry ^ DIRECT_BOOT.wrapping_neg(), stack, entry],
        Boot::Table(table) => [TABLE_BOOT, table ^ TABLE_BOOT.wrapping_neg(), 0, table],
    }
}

/// Why a core that stopped at `pc` in our ROM did so: it holds a few places where nothing goes on.
pub fn why_stopped(pc: u32) -> Option<&'static str> {
    match pc {
        0x20..0x24 => Some("flash holds neither a second-stage boot loader nor a vector table"),
        0x24..0x28 => Some("core 1 returned from the entry point it was started with"),
        0x28..0x2C => Some("the image returned from its entry point"),
        0x2E..0x30 => Some("an exception was taken while the vector table was that of the boot ROM"),
        _ => None,
    }
}
