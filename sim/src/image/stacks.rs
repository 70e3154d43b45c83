//! Where the stacks of the cores are, as far as an image says so.

use crate::core::profile::StackFinder;
use crate::image::{Boot, Image};

/// Names of the lowest address and of the end of each core's stack in the linker scripts of the Pico SDK and others.
const NAMES: [(&[&str], &str); 2] =
    [(&["__StackBottom", "__StackLimit"], "__StackTop"), (&["__StackOneBottom"], "__StackOneTop")];
/// Where the vector table of an image in flash is: behind the second-stage boot loader, or at its beginning.
const TABLES: [u32; 2] = [0x1000_0100, 0x1000_0000];
const FLASH: u32 = 0x1000_0000;

impl Image {
    /// What finds stacks in the banks of RAM that begin, and the last of which ends, at these addresses.
    pub(crate) fn stack_finder(&self, banks: &'static [u32]) -> StackFinder {
        let named = NAMES.iter().filter_map(|(bottoms, top)| {
            let top = self.symbol(top)?;
            let bottom = bottoms.iter().filter_map(|name| self.symbol(name)).find(|&bottom| bottom < top)?;
            Some(bottom..top)
        });
        let data = self.symbols.iter().filter(|symbol| symbol.size > 0 && symbol.address >= banks[0]);
        let data = data.map(|symbol| symbol.address..symbol.address.saturating_add(symbol.size));
        StackFinder { named: named.collect(), data: data.collect(), banks }
    }

    /// Where the stack pointer of core 0 begins.
    pub(crate) fn first_stack(&self) -> Option<u32> {
        let word = |address: u32| {
            let segment = self.segments.iter().find(|segment| segment.contains(address))?;
            super::word(&segment.bytes, (address - segment.address) as usize)
        };
        match self.boot {
            Boot::Direct { stack, .. } => Some(stack),
            Boot::Table(table) => word(table),
            Boot::Flash => {
                let table = || TABLES.into_iter().filter_map(word).find(|sp| sp % 4 == 0 && sp >> 28 > FLASH >> 28);
                self.symbol(NAMES[0].1).or_else(table)
            }
        }
    }
}
