//! What a profile takes from an image.

use crate::core::profile::{Kernel, Place};
use crate::image::Image;

/// Where `FreeRTOS` holds the current task: of each core, or of the only one; and where in a control block the name is
/// (`tskTaskControlBlock`, tasks.c): behind the top of the stack, two list items of 20 bytes, the priority and the stack's
/// address, which is so far before the name; with several cores also behind two words that are never text, and perhaps the
/// mask of the task's cores.
const KERNELS: [(&str, bool, &[u32], u32); 2] =
    [("pxCurrentTCBs", true, &[0x3c, 0x40], 12), ("pxCurrentTCB", false, &[0x34], 4)];

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

    /// The kernel, if there is one: for both cores, or for the first one only.
    pub(crate) fn kernel(&self) -> Kernel {
        let found = KERNELS.iter().find_map(|kernel| Some((self.symbol(kernel.0)?, kernel)));
        found.map_or_else(Kernel::default, |(address, &(_, both, names_at, stack_before))| {
            let current = [address, if both { address.wrapping_add(4) } else { 0 }];
            Kernel { current, names_at, stack_before }
        })
    }
}
