//! Registers of peripherals, for a core in a fast run: what it reads there without anybody else having to hear of it.

use crate::core::diagnostics::Diagnostics;
use crate::core::time::Cycle;
use crate::rp2040::bus::APB_READ;
use crate::rp2040::clock::Clocks;
use crate::rp2040::irq::IrqLines;
use crate::rp2040::peripherals::sio::{Sio, offset};
use crate::rp2040::peripherals::{Context, Peripherals};

/// Part of a `Bus`.
pub(crate) struct Registers<'a> {
    pub peripherals: &'a mut Peripherals,
    pub clocks: &'a mut Clocks,
    pub irq: &'a mut IrqLines,
    pub diagnostics: &'a mut Diagnostics,
    /// First cycle in which the APB bridge takes another access.
    pub bridge_free_at: &'a mut Cycle,
}

impl Registers<'_> {
    /// A register of SIO, see `Sio::stable_value`.
    pub fn read_stable(&self, core: u8, address: u32) -> Option<u32> {
        self.peripherals.sio.stable_value(usize::from(core), offset(address))
    }

    /// A core reads a register of SIO in cycle `now`. None, and nothing is done, if that is more than `Sio::has_no_side_effects`.
    pub fn read_io(&mut self, core: u8, address: u32, now: Cycle) -> Option<u32> {
        let harmless = Sio::has_no_side_effects(address);
        harmless.then(|| self.use_sio(now, |sio, context| sio.read(usize::from(core), offset(address), context)))
    }

    /// The same of a write.
    pub fn write_io(&mut self, core: u8, address: u32, value: u32, now: Cycle) -> Option<()> {
        let harmless = Sio::has_no_side_effects(address);
        harmless
            .then(|| self.use_sio(now, |sio, context| sio.write(usize::from(core), offset(address), value, context)))
    }

    fn use_sio<T>(&mut self, now: Cycle, access: impl FnOnce(&mut Sio, &mut Context<'_>) -> T) -> T {
        let Self { peripherals, clocks, irq, diagnostics, .. } = self;
        access(&mut peripherals.sio, &mut Context { now, clocks, irq, diagnostics })
    }

    /// Whether a core may read so many registers behind the APB bridge, one after the other from cycle `now` on: the bridge is
    /// free, and the reads concern nobody else, as they take nothing away and no peripheral does anything meanwhile.
    pub fn may_read(&self, first: u32, count: u32, now: Cycle) -> bool {
        let end = now + APB_READ * Cycle::from(count);
        let mut all = (first..).step_by(4).take(count as usize);
        first.is_multiple_of(4)
            && now >= *self.bridge_free_at
            && self.peripherals.next_event() >= end
            && all.all(|address| Peripherals::is_modelled(address) && !Peripherals::takes_data(address))
    }

    /// One of them: its address phase is in cycle `now`, and its data comes in the last of `APB_READ` cycles.
    pub fn read(&mut self, address: u32, now: Cycle) -> Option<u32> {
        let Self { peripherals, clocks, irq, diagnostics, bridge_free_at } = self;
        **bridge_free_at = now + APB_READ;
        let before = irq.0;
        let value = peripherals.read(address, &mut Context { now: now + (APB_READ - 1), clocks, irq, diagnostics });
        debug_assert!(irq.0 == before, "a read from {address:#x} that others must hear of");
        value
    }
}
