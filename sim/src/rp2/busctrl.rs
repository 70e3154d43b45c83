//! Bus priorities and performance counters (RP2040 datasheet 2.1.1, RP2350 datasheet 12.15.4).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::{Block, Context, Peripheral};

/// Register offsets (RP2040 datasheet 2.1.5); those of the counters are one further on where these can be switched off.
const BUS_PRIORITY: u32 = 0x00;
const BUS_PRIORITY_ACK: u32 = 0x04;
const COUNTERS_BEGIN: u32 = 0x08;

/// `BUS_PRIORITY` bits: one per master.
const PRIORITY_MASK: u32 = 0x1111;
/// `PERFSEL` after reset.
const SELECTED: u32 = 0x1f;
/// Counters have 24 bits and saturate (RP2040 datasheet 2.1.1.2).
const COUNTER_MAX: u32 = 0x00ff_ffff;
const COUNTERS: usize = 4;

/// What is the same of the blocks.
pub const BUSCTRL: Block =
    Block { reset: 1 << 1, modelled: "priorities, performance counters", ..Block::new("BUSCTRL", 0) };

/// The bus control block. On the RP2350 the counters begin switched off, and choose among more events.
#[derive(Clone, Debug, Hash)]
pub struct Busctrl<const IS_RP2350: bool> {
    block: &'static Block,
    priority: u32,
    enabled: bool,
    counters: [u32; COUNTERS],
    selections: [u32; COUNTERS],
}

impl<const IS_RP2350: bool> Busctrl<IS_RP2350> {
    const COUNTERS_BEGIN: u32 = COUNTERS_BEGIN + if IS_RP2350 { 4 } else { 0 };
    const COUNTERS_END: u32 = Self::COUNTERS_BEGIN + 8 * COUNTERS as u32;
    const SELECTION_MASK: u32 = if IS_RP2350 { 0x7f } else { 0x1f };

    /// Whether any counter counts. What the RP2040's count after reset does not exist.
    #[inline]
    pub fn counts(&self) -> bool {
        self.enabled && (IS_RP2350 || self.selections != [SELECTED; COUNTERS])
    }

    /// Counts an event of a number.
    #[inline]
    pub fn count(&mut self, event: u32) {
        for (counter, selection) in self.counters.iter_mut().zip(self.selections) {
            if selection == event {
                *counter = (*counter + 1).min(COUNTER_MAX);
            }
        }
    }

    /// The priority bits of all masters, 0 if all are equal.
    #[inline]
    pub fn priorities(&self) -> u32 {
        self.priority
    }
}

impl<const IS_RP2350: bool> Peripheral for Busctrl<IS_RP2350> {
    fn new(block: &'static Block) -> Self {
        Self { block, priority: 0, enabled: !IS_RP2350, counters: [0; COUNTERS], selections: [SELECTED; COUNTERS] }
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            BUS_PRIORITY => self.priority,
            BUS_PRIORITY_ACK => 1, // the bus takes a new priority over at once
            COUNTERS_BEGIN if IS_RP2350 => u32::from(self.enabled),
            _ if (Self::COUNTERS_BEGIN..Self::COUNTERS_END).contains(&offset) => {
                let place = offset - Self::COUNTERS_BEGIN;
                let index = (place / 8) as usize;
                if place & 4 == 0 { self.counters[index] } else { self.selections[index] }
            }
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            BUS_PRIORITY => self.priority = value & PRIORITY_MASK,
            BUS_PRIORITY_ACK => {}
            COUNTERS_BEGIN if IS_RP2350 => self.enabled = value & 1 != 0,
            _ if (Self::COUNTERS_BEGIN..Self::COUNTERS_END).contains(&offset) => {
                let place = offset - Self::COUNTERS_BEGIN;
                let index = (place / 8) as usize;
                if place & 4 == 0 {
                    self.counters[index] = 0; // any write clears
                } else {
                    self.selections[index] = value & Self::SELECTION_MASK;
                }
            }
            _ => context.diagnostics.unmodelled(self.block.name, offset, "write to", context.now),
        }
    }
}
