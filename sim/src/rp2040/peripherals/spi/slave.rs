//! A port as a slave (datasheet 4.4.3.1): it takes the frames of a master on the other port, if a wire connects their clocks.

use super::{Frame, MOTOROLA, MS, SOD, SPH, SPI0, SPO, SSE, SSPDR, Spi};
use crate::core::time::{Cycle, NEVER};
use crate::rp2040::peripherals::{Context, Peripherals};

/// How a master's pins are wired to those of the other port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::rp2040::peripherals) struct Wiring {
    /// SCK to SCK.
    pub clock: bool,
    /// TX to RX.
    pub there: bool,
    /// RX to TX.
    pub back: bool,
}

/// When its `CSn` was last low.
#[derive(Clone, Debug, Hash)]
pub(super) struct Selected {
    from: Cycle,
    until: Cycle,
    /// A frame has been taken since it went low.
    taken: bool,
}

impl Selected {
    pub const NEVER: Self = Self { from: NEVER, until: 0, taken: false };
}

impl Spi {
    /// Whether it is a slave that is enabled.
    pub(super) fn is_slave(&self) -> bool {
        self.cr1 & (SSE | MS) == SSE | MS
    }

    /// Whether a slave may hear its frames.
    pub(super) fn is_heard(&self) -> bool {
        self.is_master() && self.connection.wiring.clock
    }

    /// The level of its `CSn`, as a slave, from cycle `from` on.
    pub(in crate::rp2040::peripherals) fn set_own_select(&mut self, levels: u32, from: Cycle) {
        let low = levels & self.connection.select == 0;
        if low && self.selected.until != NEVER {
            self.selected = Selected { from, until: NEVER, taken: false };
        } else if !low && self.selected.until == NEVER {
            self.selected.until = from;
        }
    }

    /// Notes that nobody can send anything to it.
    pub(super) fn note_solitude(&self, context: &mut Context<'_>) {
        if self.is_slave() && !self.connection.wiring.clock {
            let what = "a slave takes frames of the other SPI only, and no wire connects their SCK: nothing comes";
            context.diagnostics.misuse(SPI0.name, SSPDR, what, context.now);
        }
    }

    /// Takes a frame of a master, from its first to its last edge: what it sends at the same time, if it does.
    fn answer(&mut self, master: &Self, frame: Frame, context: &mut Context<'_>) -> Option<u32> {
        let [begin, end] = [frame.begin + 1, frame.begin + 2 * u64::from(master.bits())];
        let [begin, end] = [begin, end].map(|half| master.halves.cycle_of(half));
        // Without a pin, CSn is low.
        let is_selected = self.connection.select == 0 || self.selected.from <= begin && self.selected.until >= end;
        if !self.is_slave() || !is_selected {
            return None;
        }
        let shape = |port: &Self| (port.bits(), port.format(), port.cr0 & (SPO | SPH));
        let what = if shape(self) != shape(master) || self.format() != MOTOROLA {
            Some("a frame comes that is not of the slave's size, mode and format (Motorola): it is ignored")
        } else if self.cr0 & SPH == 0 && self.selected.taken {
            Some("a second frame comes while CSn stays low, which a slave ignores with SPH = 0 (4.4.3.9)")
        } else {
            None
        };
        if let Some(what) = what {
            context.diagnostics.misuse(SPI0.name, SSPDR, what, context.now);
            return None;
        }
        self.selected.taken = true;
        let received = if master.connection.wiring.there { frame.sent } else { 0 };
        let sent = self.tx.pop_front().unwrap_or(0);
        self.keep(received, self.halves.count(context.now));
        (self.cr1 & SOD == 0 && master.connection.wiring.back).then_some(sent)
    }
}

/// Ends frames of a master that a slave may hear.
fn pass(master: &mut Spi, slave: &mut Spi, context: &mut Context<'_>) {
    master.run(context);
    while master.is_heard()
        && let Some(frame) = master.ended(context.now)
    {
        let answer = slave.answer(master, frame, context);
        master.end(frame, answer, context);
        master.run(context);
    }
}

impl Peripherals {
    /// Brings both ports up to the present cycle, if a wire connects their clocks.
    pub(in crate::rp2040::peripherals) fn exchange_spi(&mut self, context: &mut Context<'_>) {
        let [zero, one] = &mut self.spis;
        if zero.connection.wiring.clock || one.connection.wiring.clock {
            pass(zero, one, context);
            pass(one, zero, context);
            zero.set_line(context);
            one.set_line(context);
        }
    }
}
