//! From the list of peripherals to all that is found by it: addresses, request signals, what is woken and what is reset.

use crate::rp2040::peripherals::sio::SIO;
use crate::rp2040::peripherals::{Block, LIST, Peripheral, Peripherals};

/// A block on the list, and the way to what models it.
pub(super) struct Entry {
    pub block: &'static Block,
    pub of: fn(&Peripherals) -> &dyn Peripheral,
    pub of_mut: fn(&mut Peripherals) -> &mut dyn Peripheral,
}

/// Defines `Peripherals` with a field per line, hashed in this order, and what has to be done for all of them. A field with
/// several peripherals of a kind is an array, and gives the block of each index.
macro_rules! peripherals {
    ($($field:ident: $type:ty => $($($index:literal:)? $block:path),+;)*) => {
        /// All peripherals.
        #[derive(Clone, Debug, Hash)]
        #[allow(missing_docs)] // the datasheet's names
        pub struct Peripherals {
            pub sio: sio::Sio,
            $(pub $field: $type,)*
            pins: pins::Pins,
            board: board::Board,
            clock_outputs: moving_pins::ClockOutputs,
            /// `clk_sys` has stopped for good.
            stopped: bool,
            /// Rates in Hz of clocks that the outside drives into pins.
            gpin: [u64; 2],
            /// When the first of the listed peripherals next does something.
            next: Cycle,
            signals: Option<Signals>,
        }

        /// All blocks behind the bus that are modelled.
        const LIST: &[Entry] = &[$($(
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
                    sio: sio::Sio::new(),
                    $($field: registration::at_power_on!($($($index:)? $block),+),)*
                    pins: pins::Pins::default(),
                    board: board::Board::default(),
                    clock_outputs: moving_pins::ClockOutputs::default(),
                    stopped: false,
                    gpin: [0; 2],
                    next: NEVER,
                    signals: None,
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
            pub(in crate::rp2040) fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
                self.board.clocks_changed(clocks);
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

pub(super) use {at_power_on, peripherals};

/// What is behind an address.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// A block.
    Block(&'static Entry),
    /// Nothing: a bus error.
    Nothing,
}

/// Address bits within the window of a block; bits 13:12 choose the atomic alias (2.1.2).
const OFFSET_MASK: u32 = 0xfff;
const WINDOW_BITS: u32 = 14;
/// Windows of APB blocks, from `0x4000_0000` on; after them those of AHB-Lite blocks, from `0x5000_0000` on, of 1 MB each.
const APB_WINDOWS: usize = 64;
const WINDOWS: usize = APB_WINDOWS + 16;

/// The number of the window that an address is in.
const fn window(address: u32) -> Option<usize> {
    match address >> 20 {
        0x400 => Some((address >> WINDOW_BITS) as usize % APB_WINDOWS),
        mb @ 0x500..=0x50f => Some(APB_WINDOWS + (mb & 15) as usize),
        _ => None,
    }
}

static TARGETS: [Target; WINDOWS] = {
    let mut targets = [Target::Nothing; WINDOWS];
    let mut at = 0;
    while at < LIST.len() {
        put(&mut targets, LIST[at].block.base, Target::Block(&LIST[at]));
        at += 1;
    }
    targets
};

const fn put(targets: &mut [Target; WINDOWS], base: u32, target: Target) {
    let Some(window) = window(base) else { panic!("a block is outside of the APB and AHB-Lite windows") };
    assert!(matches!(targets[window], Target::Nothing), "two blocks have one address");
    targets[window] = target;
}

/// What is behind an address, and the offset within it.
pub(super) fn decode(address: u32) -> (Target, u32) {
    let target = window(address).map_or(Target::Nothing, |window| TARGETS[window]);
    match target {
        // The registers of an AHB-Lite block and their aliases are the first 16 KB of its window.
        Target::Block(entry) if address.wrapping_sub(entry.block.base) >> WINDOW_BITS != 0 => (Target::Nothing, 0),
        _ => (target, address & OFFSET_MASK & !3),
    }
}

/// Values of `TREQ_SEL` (2.5.3.1).
const TREQS: usize = 64;

/// The block that a request signal comes from, and its index among those of the block.
static REQUESTS: [Option<(&Entry, usize)>; TREQS] = {
    let mut requests = [None; TREQS];
    let mut at = 0;
    while at < LIST.len() {
        let mut line = 0;
        while line < LIST[at].block.dreqs.len() {
            let treq = LIST[at].block.dreqs[line] as usize;
            assert!(requests[treq].is_none(), "two blocks have one request signal");
            requests[treq] = Some((&LIST[at], line));
            line += 1;
        }
        at += 1;
    }
    requests
};

/// The block that a request signal comes from, and its index among those of the block; none if no block that is modelled
/// has it.
pub(super) fn request_signal(treq: u32) -> Option<(&'static Entry, usize)> {
    REQUESTS[treq as usize % TREQS]
}

/// No two blocks have one interrupt line.
const _: () = {
    let mut taken = lines_of(&SIO, 0);
    let mut at = 0;
    while at < LIST.len() {
        taken = lines_of(LIST[at].block, taken);
        at += 1;
    }
};

const fn lines_of(block: &Block, mut taken: u32) -> u32 {
    let mut line = 0;
    while line < block.interrupts.len() {
        let bit = 1 << block.interrupts[line] as u8;
        assert!(taken & bit == 0, "two blocks have one interrupt line");
        taken |= bit;
        line += 1;
    }
    taken
}

/// What an atomic alias makes of a register's `old` content when `value` is written (2.1.2).
pub(in crate::rp2040) fn aliased(address: u32, old: u32, value: u32) -> u32 {
    match address >> 12 & 3 {
        0 => value,
        1 => old ^ value,
        2 => old | value,
        _ => old & !value,
    }
}

/// Whether an address is that of an atomic alias.
pub(super) fn is_alias(address: u32) -> bool {
    address >> 12 & 3 != 0
}
