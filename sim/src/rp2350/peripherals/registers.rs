//! Blocks of registers that keep what is written to them, and mean nothing to anything that is modelled.

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::{Block, Context, Peripheral};

/// What a register holds after reset, and which bits of it can be written.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// First offset.
    pub first: u32,
    /// Last offset.
    pub last: u32,
    /// After reset.
    pub reset: u32,
    /// Writable bits.
    pub mask: u32,
}

impl Register {
    /// Registers at offsets from `first` to `last`.
    pub const fn new(first: u32, last: u32, reset: u32, mask: u32) -> Self {
        Self { first, last, reset, mask }
    }
}

/// A block that consists of such registers.
pub trait Layout: Clone + std::fmt::Debug + 'static {
    /// Its registers, in the order of their offsets.
    const REGISTERS: &'static [Register];
}

/// The block. Registers are kept by number.
#[derive(Clone, Debug, Hash)]
pub struct Registers<L> {
    block: &'static Block,
    layout: std::marker::PhantomData<L>,
    values: Vec<u32>,
}

impl<L: Layout> Registers<L> {
    fn place(offset: u32) -> Option<(usize, &'static Register)> {
        let mut before = 0;
        for register in L::REGISTERS {
            if (register.first..=register.last).contains(&offset) {
                return Some((before + (offset - register.first) as usize / 4, register));
            }
            before += (register.last - register.first) as usize / 4 + 1;
        }
        None
    }

    /// What a register holds; 0 if there is none.
    pub fn value(&self, offset: u32) -> u32 {
        Self::place(offset).map_or(0, |(place, _)| self.values[place])
    }
}

impl<L: Layout> Peripheral for Registers<L> {
    fn new(block: &'static Block) -> Self {
        let of = |register: &Register| {
            let count = (register.last - register.first) as usize / 4 + 1;
            std::iter::repeat_n(register.reset, count)
        };
        Self { block, layout: std::marker::PhantomData, values: L::REGISTERS.iter().flat_map(of).collect() }
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Self::place(offset).map(|(place, _)| self.values[place])
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match Self::place(offset) {
            Some((place, register)) => self.values[place] = self.values[place] & !register.mask | value & register.mask,
            None => context.diagnostics.unmodelled(self.block.name, offset, "write to", context.now),
        }
    }
}

/// Declares such a block.
macro_rules! layout {
    ($(#[$doc:meta])* $name:ident: $($register:expr),+ $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Hash)]
        pub struct $name;

        impl $crate::rp2350::peripherals::registers::Layout for $name {
            const REGISTERS: &'static [$crate::rp2350::peripherals::registers::Register] = &[$($register),+];
        }
    };
}
pub(super) use layout;
