//! A flash chip on an SPI bus: the chip that boots the RP2040 ([`Flash`]) with a content of its own.

use crate::core::time::Cycle;
use crate::rp2::flash::{Cells, Flash, Surroundings};
use crate::rp2040::peripherals::Context;

/// Bytes of a W25Q16JV. Higher address bits do not count.
const SIZE: usize = 1 << SIZE_BITS;
const SIZE_BITS: u8 = 21;
const ERASED: u8 = u8::MAX;

/// The bytes that are not erased, and those below them.
#[derive(Clone, Debug, Default, Hash)]
struct Content(Vec<u8>);

impl Cells for Content {
    fn byte(&self, address: u32) -> u8 {
        self.0.get(address as usize % SIZE).copied().unwrap_or(ERASED)
    }

    fn erase(&mut self, from: u32, bytes: u32) {
        let first = from as usize % SIZE;
        let end = (first + bytes as usize).min(self.0.len());
        if first < end {
            self.0[first..end].fill(ERASED);
        }
    }

    fn program(&mut self, from: u32, page: &[u8]) {
        let first = from as usize % SIZE;
        self.0.resize(self.0.len().max(first + page.len()), ERASED);
        for (cell, byte) in self.0[first..].iter_mut().zip(page) {
            *cell &= byte;
        }
    }
}

/// The chip, erased at first.
#[derive(Clone, Debug, Hash)]
pub(super) struct Chip {
    flash: Flash,
    content: Content,
}

impl Chip {
    pub fn new() -> Self {
        Self { flash: Flash::new("flash on SPI", SIZE_BITS), content: Content::default() }
    }

    pub fn is_selected(&self) -> bool {
        self.flash.is_selected()
    }

    /// The level of /CS from cycle `from` on.
    pub fn set_select(&mut self, high: bool, from: Cycle, context: &mut Context<'_>) {
        if high {
            self.flash.deselect(from, &mut surroundings(&mut self.content, context));
        } else {
            self.flash.select();
        }
    }

    /// A byte in, a byte out.
    pub fn exchange(&mut self, byte: u8, context: &mut Context<'_>) -> u8 {
        self.flash.exchange(byte, context.now, &mut surroundings(&mut self.content, context))
    }
}

fn surroundings<'a>(memory: &'a mut Content, context: &'a mut Context<'_>) -> Surroundings<'a, Content> {
    Surroundings { memory, clocks: context.clocks, diagnostics: context.diagnostics }
}
