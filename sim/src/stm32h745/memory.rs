//! Memories and their map (RM0399 2.3.2), and how the cores use them.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::access::Width;
use crate::image::{Architecture, Boot, Target};
use crate::stm32h745::peripherals::flash::Change;
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
    architecture: Architecture::Arm(&[10, 11, 12, 13]),
    uf2_family: None,
    boot: |_, _| Boot::Flash,
};
/// Bytes of all RAM.
const RAM: usize = 0x10_9000;
/// Bytes that share use flags: a line of the Cortex-M7's data cache.
const GRANULE: usize = 32;

/// A byte of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// By its offset in both banks.
    Flash(usize),
    /// By its offset in all of RAM.
    Ram(usize),
}

/// A [`Location`] in 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub u32);

impl Place {
    const RAM: u32 = 1 << 24;

    /// Its offset in all of RAM, if it is there.
    #[inline(always)]
    pub(crate) fn ram(self) -> Option<usize> {
        (self.0 & Self::RAM != 0).then_some((self.0 & !Self::RAM) as usize)
    }
}

impl From<Location> for Place {
    fn from(location: Location) -> Self {
        match location {
            Location::Flash(offset) => Self(offset as u32),
            Location::Ram(offset) => Self(Self::RAM | offset as u32),
        }
    }
}

/// Decodes an address of `core`; the TCMs are the Cortex-M7's alone.
pub(crate) fn locate(core: usize, address: u32) -> Option<Location> {
    let offset = address.wrapping_sub(FLASH) as usize;
    if offset < 2 * BANK {
        return Some(Location::Flash(offset));
    }
    let (bytes, begin) = match address >> 20 {
        0x000 if core == M7 => (0x1_0000, 0),        // ITCM
        0x200 if core == M7 => (0x2_0000, 0x1_0000), // DTCM
        0x240 => (0x8_0000, 0x3_0000),               // AXI SRAM
        0x300 | 0x100 => (0x4_8000, 0xb_0000), // SRAM1 to SRAM3; the second address is of the Cortex-M4's code bus
        0x380 => (0x1_0000, 0xf_8000),         // SRAM4
        0x388 => (0x1000, 0x10_8000),          // backup SRAM
        _ => return None,
    };
    let offset = (address & 0xf_ffff) as usize;
    (offset < bytes).then_some(Location::Ram(begin + offset))
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
    /// Both banks, bank 1 first. Snapshots share it, as it rarely changes.
    flash: Arc<[u8]>,
    ram: Vec<u8>,
    use_flags: Vec<u8>,
}

impl Memory {
    /// Erased flash, and RAM of zeros (undefined on the chip).
    pub(crate) fn new() -> Self {
        Self { flash: vec![0xff; 2 * BANK].into(), ram: vec![0; RAM], use_flags: vec![0; RAM / GRANULE] }
    }

    pub(crate) fn read(&self, location: Location, width: Width) -> u32 {
        match location {
            Location::Flash(offset) => load(&self.flash, offset, width),
            Location::Ram(offset) => load(&self.ram, offset, width),
        }
    }

    /// The word from a byte's place on.
    #[inline(always)]
    pub(crate) fn word_at(&self, place: Place) -> u32 {
        let (memory, offset) = self.at(place);
        memory.get(offset..).and_then(|bytes| bytes.first_chunk()).map_or(0, |&bytes| u32::from_le_bytes(bytes))
    }

    /// What is at a place.
    #[inline(always)]
    pub(crate) fn read_at(&self, place: Place, width: Width) -> u32 {
        let (memory, offset) = self.at(place);
        load(memory, offset, width)
    }

    #[inline(always)]
    fn at(&self, place: Place) -> (&[u8], usize) {
        match place.ram() {
            Some(offset) => (&self.ram, offset),
            None => (&self.flash, place.0 as usize),
        }
    }

    pub(crate) fn set_ram(&mut self, offset: usize, width: Width, value: u32) {
        let bytes = width.bytes() as usize;
        if let Some(place) = self.ram.get_mut(offset..offset + bytes) {
            place.copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
    }

    /// Erases or programs flash. Whether that went well: a flash word that is not erased has an ECC which the new bits do
    /// not fit (RM 4.3.9).
    pub(crate) fn change_flash(&mut self, change: Change) -> bool {
        let flash = Arc::make_mut(&mut self.flash);
        match change {
            Change::Erase(bytes) => flash[bytes].fill(0xff),
            Change::Program(offset, bytes) => {
                let word = &mut flash[offset..offset + bytes.len()];
                let erased = word.iter().all(|&byte| byte == 0xff);
                for (old, new) in word.iter_mut().zip(bytes) {
                    *old &= new;
                }
                return erased;
            }
        }
        true
    }

    #[inline(always)]
    pub(crate) fn use_flags(&mut self, offset: usize) -> &mut u8 {
        &mut self.use_flags[offset / GRANULE % (RAM / GRANULE)]
    }

    /// Clears the use flags, at a reset; the contents stay.
    pub(crate) fn clear_use_flags(&mut self) {
        self.use_flags.fill(0);
    }

    /// Writes a byte as a debugger does.
    pub(crate) fn poke(&mut self, location: Location, byte: u8) {
        match location {
            Location::Flash(offset) => Arc::make_mut(&mut self.flash)[offset] = byte,
            Location::Ram(offset) => self.ram[offset] = byte,
        }
    }
}

#[inline(always)]
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
