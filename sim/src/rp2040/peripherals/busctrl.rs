//! Bus priorities and performance counters (datasheet 2.1.1).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2040::peripherals::{Block, Context, Peripheral};

/// Register offsets (2.1.5).
const BUS_PRIORITY: u32 = 0x00;
const BUS_PRIORITY_ACK: u32 = 0x04;
const PERFCTR0: u32 = 0x08;
const PERFSEL3: u32 = 0x24;

/// `BUS_PRIORITY` bits: one per master.
const PRIORITY_MASK: u32 = 0x1111;
/// `PERFSEL` of a counter that counts nothing.
const NO_EVENT: u32 = 0x1f;
/// Counters have 24 bits and saturate (2.1.1.2).
const COUNTER_MAX: u32 = 0x00ff_ffff;
const COUNTERS: usize = 4;

/// Downstream ports of the crossbar in the order of the event numbers (2.1.1.2, table of PERFSEL): the event of any
/// access to a port is 2n + 1, that of an access that had to wait for another master 2n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)] // the datasheet's names
pub enum Port {
    Apb = 0,
    Fastperi = 1,
    Sram5 = 2,
    Sram4 = 3,
    Sram3 = 4,
    Sram2 = 5,
    Sram1 = 6,
    Sram0 = 7,
    XipMain = 8,
    Rom = 9,
}

/// `BUSCTRL`.
pub const BUSCTRL: Block =
    Block { reset: 1 << 1, modelled: "priorities, performance counters", ..Block::new("BUSCTRL", 0x4003_0000) };

/// The bus control block.
#[derive(Clone, Debug, Hash)]
pub struct Busctrl {
    priority: u32,
    counters: [u32; COUNTERS],
    selections: [u32; COUNTERS],
    /// Events that some counter counts.
    counted: u32,
}

impl Busctrl {
    /// Whether any counter counts.
    pub fn counts(&self) -> bool {
        self.counted != 0
    }

    /// To be called by the bus for every access that completes at a port; `contested` if it had to wait for another
    /// master.
    #[inline]
    pub fn count(&mut self, port: Port, contested: bool) {
        let event = 2 * port as u32;
        if self.counted >> event & 3 != 0 {
            self.count_event(event + 1);
            if contested {
                self.count_event(event);
            }
        }
    }

    /// The priority bits of all masters, 0 if all are equal.
    #[inline]
    pub fn priorities(&self) -> u32 {
        self.priority
    }

    fn count_event(&mut self, event: u32) {
        for (counter, selection) in self.counters.iter_mut().zip(self.selections) {
            if selection == event {
                *counter = (*counter + 1).min(COUNTER_MAX);
            }
        }
    }
}

impl Peripheral for Busctrl {
    fn new(_: &'static Block) -> Self {
        Self { priority: 0, counters: [0; COUNTERS], selections: [NO_EVENT; COUNTERS], counted: 0 }
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            BUS_PRIORITY => self.priority,
            BUS_PRIORITY_ACK => 1, // the bus takes a new priority over at once
            PERFCTR0..=PERFSEL3 => {
                let index = ((offset - PERFCTR0) / 8) as usize;
                if offset & 4 == 0 { self.counters[index] } else { self.selections[index] }
            }
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            BUS_PRIORITY => self.priority = value & PRIORITY_MASK,
            BUS_PRIORITY_ACK => {}
            PERFCTR0..=PERFSEL3 => {
                let index = ((offset - PERFCTR0) / 8) as usize;
                if offset & 4 == 0 {
                    self.counters[index] = 0; // any write clears
                } else {
                    self.selections[index] = value & NO_EVENT;
                    self.counted =
                        self.selections.iter().fold(0, |events, event| events | 1 << event) & !(1 << NO_EVENT);
                }
            }
            _ => context.diagnostics.unmodelled(BUSCTRL.name, offset, "write to", context.now),
        }
    }
}
