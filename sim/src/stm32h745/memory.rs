//! Memories and their map (RM0399 2.3.2), and how the cores use them.

use crate::core::access::Width;
use crate::image::{Boot, Target};
use crate::stm32h745::{M4, M7};
use std::sync::Arc;

/// Bytes of a bank of flash, of which there are two (RM 4.3.2).
pub const BANK: usize = 0x10_0000;
/// Address of bank 1.
pub const FLASH: u32 = 0x0800_0000;
/// What images for the STM32H745 are: for its two banks of flash (RM 4.3.2), from which each core starts as the option bytes
/// say.
pub const IMAGES: Target = Target {
    chip: "STM32H745",
    memories: &[0x0800_0000..0x0810_0000, 0x0810_0000..0x0820_0000],
    named: "a bank of flash (0x08000000 to 0x08100000, 0x08100000 to 0x08200000)",
    uf2_family: None,
    boot: |_, _| Boot::Flash,
};
/// Bytes of all RAM.
const RAM: usize = 0x10_9000;
/// Bytes that share use flags: a line of the Cortex-M7's data cache.
const GRANULE: usize = 32;

/// A memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the manual's names
pub enum Region {
    Flash,
    Itcm,
    Dtcm,
    AxiSram,
    Sram1,
    Sram2,
    Sram3,
    Sram4,
    BackupSram,
}

/// An address range of a memory other than flash, and its offset in [`Memory`].
struct Mapping {
    region: Region,
    address: u32,
    bytes: u32,
    offset: usize,
}

const fn mapping(region: Region, address: u32, bytes: u32, offset: usize) -> Mapping {
    Mapping { region, address, bytes, offset }
}

/// By the highest byte of the address; SRAM1 to SRAM3 are also mapped for the Cortex-M4's code bus.
const MAPPINGS: [Mapping; 11] = [
    mapping(Region::Itcm, 0, 0x1_0000, 0),
    mapping(Region::Dtcm, 0x2000_0000, 0x2_0000, 0x1_0000),
    mapping(Region::AxiSram, 0x2400_0000, 0x8_0000, 0x3_0000),
    mapping(Region::Sram1, 0x3000_0000, 0x2_0000, 0xb_0000),
    mapping(Region::Sram2, 0x3002_0000, 0x2_0000, 0xd_0000),
    mapping(Region::Sram3, 0x3004_0000, 0x8000, 0xf_0000),
    mapping(Region::Sram1, 0x1000_0000, 0x2_0000, 0xb_0000),
    mapping(Region::Sram2, 0x1002_0000, 0x2_0000, 0xd_0000),
    mapping(Region::Sram3, 0x1004_0000, 0x8000, 0xf_0000),
    mapping(Region::Sram4, 0x3800_0000, 0x1_0000, 0xf_8000),
    mapping(Region::BackupSram, 0x3880_0000, 0x1000, 0x10_8000),
];

/// A byte of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) region: Region,
    /// Offset in all of flash, or in all of RAM.
    pub(crate) offset: usize,
}

/// Decodes an address of `core`; the TCMs are the Cortex-M7's alone.
pub(crate) fn locate(core: usize, address: u32) -> Option<Location> {
    let offset = address.wrapping_sub(FLASH) as usize;
    if offset < 2 * BANK {
        return Some(Location { region: Region::Flash, offset });
    }
    let candidates = match address >> 24 {
        0 => 0..1,
        0x20 => 1..2,
        0x24 => 2..3,
        0x30 => 3..6,
        0x10 => 6..9,
        0x38 => 9..11,
        _ => return None,
    };
    let mapping = MAPPINGS[candidates].iter().find(|mapping| address.wrapping_sub(mapping.address) < mapping.bytes)?;
    let own = matches!(mapping.region, Region::Itcm | Region::Dtcm);
    let offset = mapping.offset + (address - mapping.address) as usize;
    (!own || core == M7).then_some(Location { region: mapping.region, offset })
}

/// Use flags of a granule of RAM.
///
/// | bit | meaning |
/// |---|---|
/// | 1:0 | accessed by the Cortex-M7, the Cortex-M4 |
/// | 3:2 | accessed by LDREX or STREX of the Cortex-M7, the Cortex-M4 |
/// | 4 | in the Cortex-M7's data cache |
/// | 5 | dirty there |
/// | 6 | stored to by the Cortex-M4 since the cache has it |
pub(crate) mod use_flag {
    pub(crate) const USED: u8 = 1;
    pub(crate) const EXCLUSIVE: u8 = 1 << 2;
    pub(crate) const CACHED: u8 = 1 << 4;
    pub(crate) const DIRTY: u8 = 1 << 5;
    pub(crate) const STALE: u8 = 1 << 6;
}

/// All memories.
#[derive(Clone, Debug, Hash)]
pub struct Memory {
    /// Both banks, bank 1 first. Snapshots share it: only the loader writes to it.
    flash: Arc<Vec<u8>>,
    ram: Vec<u8>,
    use_flags: Vec<u8>,
}

impl Memory {
    /// Erased flash, and RAM of zeros (undefined on the chip).
    pub(crate) fn new() -> Self {
        Self { flash: Arc::new(vec![0xff; 2 * BANK]), ram: vec![0; RAM], use_flags: vec![0; RAM / GRANULE] }
    }

    pub(crate) fn flash(&self, offset: usize, width: Width) -> u32 {
        load(&self.flash, offset, width)
    }

    pub(crate) fn ram(&self, offset: usize, width: Width) -> u32 {
        load(&self.ram, offset, width)
    }

    pub(crate) fn set_ram(&mut self, offset: usize, width: Width, value: u32) {
        let bytes = width.bytes() as usize;
        if let Some(place) = self.ram.get_mut(offset..offset + bytes) {
            place.copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
    }

    pub(crate) fn use_flags(&mut self, offset: usize) -> &mut u8 {
        &mut self.use_flags[offset / GRANULE % (RAM / GRANULE)]
    }

    /// Clears the use flags, at a reset; the contents stay.
    pub(crate) fn clear_use_flags(&mut self) {
        self.use_flags.fill(0);
    }

    /// Writes a byte as a debugger does.
    pub(crate) fn poke(&mut self, place: Location, byte: u8) {
        if place.region == Region::Flash {
            Arc::make_mut(&mut self.flash)[place.offset] = byte;
        } else {
            self.ram[place.offset] = byte;
        }
    }

    /// Reads a byte as a debugger does.
    pub(crate) fn peek(&self, place: Location) -> u8 {
        if place.region == Region::Flash { self.flash[place.offset] } else { self.ram[place.offset] }
    }
}

fn load(memory: &[u8], offset: usize, width: Width) -> u32 {
    let word = |bytes: usize| memory.get(offset..offset + bytes);
    match width.bytes() {
        4 => word(4).and_then(|bytes| bytes.first_chunk()).map_or(0, |&bytes| u32::from_le_bytes(bytes)),
        2 => word(2).and_then(|bytes| bytes.first_chunk()).map_or(0, |&bytes| u32::from(u16::from_le_bytes(bytes))),
        _ => memory.get(offset).map_or(0, |&byte| u32::from(byte)),
    }
}

/// A use flag of a core.
pub(crate) const fn of_core(flag: u8, core: usize) -> u8 {
    flag << if core == M4 { 1 } else { 0 }
}
