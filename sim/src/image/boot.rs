//! How an image is started, as far as can be told from what it loads.

use std::ops::Range;

use crate::image::{FLASH, SRAM, Segment, XIP_SRAM, word};

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

/// An image that names no entry starts at its lowest address in SRAM, if it is for SRAM (datasheet 2.8.4.2).
pub(super) fn boot_without_entry(segments: &[Segment]) -> Boot {
    if segments.iter().any(|segment| FLASH.contains(&segment.address)) {
        return Boot::Flash;
    }
    let lowest_in = |memory: Range<u32>| segments.iter().map(|s| s.address).find(|address| memory.contains(address));
    let lowest = lowest_in(SRAM).or_else(|| lowest_in(XIP_SRAM)).unwrap_or(SRAM.start);
    if vector_table(segments, lowest).is_some() { Boot::Table(lowest) } else { direct(lowest) }
}

/// An ELF image starts at its entry point; if that is the reset vector of a table at its lowest address, through that.
pub(super) fn boot_at(segments: &[Segment], entry: u32) -> Boot {
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
