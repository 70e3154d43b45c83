//! From a chip's list of peripherals to all that is found by it: addresses, request signals, what is woken and what is reset.

use crate::rp2::peripheral::{Block, Peripheral};

/// A block on the list of a chip's peripherals `P`, and the way to what models it.
pub(crate) struct Entry<P: 'static> {
    pub block: &'static Block,
    pub of: fn(&P) -> &dyn Peripheral,
    pub of_mut: fn(&mut P) -> &mut dyn Peripheral,
}

/// Defines `Peripherals` with a field per line, hashed in this order, and what has to be done for all of them. The first part has the
/// fields that are no blocks behind the bus. A field with several peripherals of a kind is an array, and gives the block of each index.
macro_rules! peripherals {
    (
        { $($(#[$doc:meta])* $vis:vis $other:ident: $other_type:ty = $value:expr;)* }
        $($field:ident: $type:ty => $($($index:literal:)? $block:path),+;)*
    ) => {
        /// All peripherals.
        #[derive(Clone, Debug, Hash)]
        #[allow(missing_docs)] // the datasheet's names
        pub struct Peripherals {
            $($(#[$doc])* $vis $other: $other_type,)*
            $(pub $field: $type,)*
        }

        /// All blocks behind the bus that are modelled.
        const LIST: &[Entry<Peripherals>] = &[$($(
            Entry {
                block: &$block,
                of: |all| &all.$field $([$index])?,
                of_mut: |all| &mut all.$field $([$index])?,
            },
        )+)*];

        impl Peripherals {
            /// The peripherals at power-on: everything runs from the ring oscillator, and `RESETS` holds what it can.
            pub fn new() -> Self {
                Self {
                    $($other: $value,)*
                    $($field: registration::at_power_on!($($($index:)? $block),+),)*
                }
            }

            fn earliest_event(&self) -> Cycle {
                NEVER$($(.min(self.$field $([$index])?.next_event()))+)*
            }

            fn wake_due(&mut self, context: &mut Context<'_>) {
                $($(
                    if self.$field $([$index])?.next_event() <= context.now {
                        self.$field $([$index])?.wake(context);
                        self.after_wake($block.effect, context);
                    }
                )+)*
            }

            /// Resets the blocks whose bit of RESETS is in `blocks`, and lowers their interrupt lines.
            fn reset_listed(&mut self, blocks: u32, context: &mut Context<'_>) {
                $($(
                    if $block.is_reset_by(blocks) {
                        self.$field $([$index])?.reset(&$block, context);
                        for &irq in $block.interrupts {
                            context.irq.lower(irq);
                        }
                    }
                )+)*
            }

            /// Tells the blocks that have a clock beside `clk_sys` what the rates are from cycle `now` on.
            fn clock_blocks(&mut self, now: Cycle, clocks: &Clocks) {
                $($(
                    if $block.clock != Clock::Sys {
                        self.$field $([$index])?.clocks_changed(now, clocks);
                    }
                )+)*
            }
        }
    };
}

/// A field of `Peripherals` at power-on.
macro_rules! at_power_on {
    ($($index:literal: $block:path),+) => { [$(Peripheral::new(&$block)),+] };
    ($block:path) => { Peripheral::new(&$block) };
}

pub(crate) use {at_power_on, peripherals};

/// What is behind an address.
pub(crate) enum Target<P: 'static> {
    /// A block.
    Block(&'static Entry<P>),
    /// Nothing: a bus error.
    Nothing,
}

impl<P> Clone for Target<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Target<P> {}

/// Bits of an address within the registers of a block, and above them those that choose the atomic alias.
const OFFSET_MASK: u32 = 0xfff;
const REGISTER_BITS: u32 = 14;
/// Windows of APB blocks, from `0x4000_0000` on; after them those of AHB blocks, from `0x5000_0000` on, of 1 MB each.
const APB_WINDOWS: usize = 64;
const WINDOWS: usize = APB_WINDOWS + 16;

/// What is behind each window of a chip whose APB blocks have windows of 2^`BITS` bytes.
pub(crate) struct AddressMap<P: 'static, const BITS: u32>([Target<P>; WINDOWS]);

/// The number of the window that an address is in.
const fn window(address: u32, bits: u32) -> Option<usize> {
    match address >> 20 {
        0x400..=0x401 => Some((address >> bits) as usize % APB_WINDOWS),
        mb @ 0x500..=0x50f => Some(APB_WINDOWS + (mb & 15) as usize),
        _ => None,
    }
}

impl<P, const BITS: u32> AddressMap<P, BITS> {
    /// Of a list of blocks.
    pub const fn new(list: &'static [Entry<P>]) -> Self {
        let mut targets = [Target::Nothing; WINDOWS];
        let mut at = 0;
        while at < list.len() {
            let Some(window) = window(list[at].block.base, BITS) else {
                panic!("a block is outside of the APB and AHB windows")
            };
            assert!(matches!(targets[window], Target::Nothing), "two blocks have one address");
            targets[window] = Target::Block(&list[at]);
            at += 1;
        }
        Self(targets)
    }

    /// What is behind an address, and the offset within it.
    pub fn decode(&self, address: u32) -> (Target<P>, u32) {
        let target = window(address, BITS).map_or(Target::Nothing, |window| self.0[window]);
        // The registers of an AHB block and their aliases are the first part of its window.
        let bits = if address >> 28 == 4 { BITS } else { REGISTER_BITS };
        match target {
            Target::Block(entry) if address.wrapping_sub(entry.block.base) >> bits != 0 => (Target::Nothing, 0),
            _ => (target, address & OFFSET_MASK & !3),
        }
    }
}

/// Values of `TREQ_SEL`.
const TREQS: usize = 64;

/// By request signal, the block that it comes from and its index among those of the block; none if no block that is modelled has it.
pub(crate) struct Requests<P: 'static>([Option<(&'static Entry<P>, usize)>; TREQS]);

impl<P> Requests<P> {
    /// Of a list of blocks.
    pub const fn new(list: &'static [Entry<P>]) -> Self {
        let mut requests = [const { None }; TREQS];
        let mut at = 0;
        while at < list.len() {
            let mut line = 0;
            while line < list[at].block.dreqs.len() {
                let treq = list[at].block.dreqs[line] as usize;
                assert!(requests[treq].is_none(), "two blocks have one request signal");
                requests[treq] = Some((&list[at], line));
                line += 1;
            }
            at += 1;
        }
        Self(requests)
    }

    /// Of a value of `TREQ_SEL`.
    pub fn of(&self, treq: u32) -> Option<(&'static Entry<P>, usize)> {
        self.0[treq as usize % TREQS]
    }
}

/// Asserts that no two blocks of a list have one interrupt line, beside those in the set `taken`.
pub(crate) const fn assert_own_lines<P>(list: &[Entry<P>], mut taken: u64) {
    let mut at = 0;
    while at < list.len() {
        taken = lines_of(list[at].block, taken);
        at += 1;
    }
}

/// The interrupt lines of a block and those in the set `taken`.
pub(crate) const fn lines_of(block: &Block, mut taken: u64) -> u64 {
    let mut line = 0;
    while line < block.interrupts.len() {
        let bit = 1 << block.interrupts[line];
        assert!(taken & bit == 0, "two blocks have one interrupt line");
        taken |= bit;
        line += 1;
    }
    taken
}

/// What an atomic alias makes of a register's `old` content when `value` is written (RP2040 datasheet 2.1.2, RP2350 datasheet 2.1.3).
pub(crate) fn aliased(address: u32, old: u32, value: u32) -> u32 {
    match address >> 12 & 3 {
        0 => value,
        1 => old ^ value,
        2 => old | value,
        _ => old & !value,
    }
}

/// Whether an address is that of an atomic alias.
pub(crate) fn is_alias(address: u32) -> bool {
    address >> 12 & 3 != 0
}
