//! What a profile takes from an image.

use crate::core::profile::Place;
use crate::image::Image;

/// Where `FreeRTOS` holds the current task: of each core, or of the only one.
const CURRENT_TASKS: [(&str, bool); 2] = [("pxCurrentTCBs", true), ("pxCurrentTCB", false)];

impl Image {
    /// Functions and data. Labels within functions, and those of a linker script, have no size, and are left out.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> {
        let symbols = self.symbols.iter().filter(|symbol| symbol.is_function || symbol.size > 0);
        symbols.map(|symbol| {
            // A function of an assembler may have none either: it goes up to the next one.
            let size = if symbol.size == 0 { u32::MAX / 2 } else { symbol.size };
            Place { range: symbol.address..symbol.address.saturating_add(size), is_function: symbol.is_function }
        })
    }

    /// Where the kernel holds the current task of each core, the second one only if it is for two; 0 without a kernel.
    pub(crate) fn current_tasks(&self) -> [u32; 2] {
        let found = CURRENT_TASKS.iter().find_map(|&(name, both)| Some((self.symbol(name)?, both)));
        found.map_or([0; 2], |(address, both)| [address, if both { address.wrapping_add(4) } else { 0 }])
    }
}
