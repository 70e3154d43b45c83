//! What registers tell of the levels of pins: `STATUS` (datasheet 2.19.6), and the interrupts of pins.

use crate::core::time::Cycle;
use crate::rp2040::peripherals::io_bank::{IO_BANK0, IO_QSPI, QSPI_SS};
use crate::rp2040::peripherals::{Block, Peripherals};

/// Pins of bank 0, whose registers of functions come before those of interrupts.
const PINS: u32 = 30;
/// `STATUS` bits, each followed by the same after the override: 8 and 9, 12 and 13, 17 and 19, 24 and 26.
const OUT_FROM_PERI: u32 = 8;
const OUT_TO_PAD: u32 = 9;
const OE_FROM_PERI: u32 = 12;
const OE_TO_PAD: u32 = 13;
const IN_FROM_PAD: u32 = 17;
const IN_TO_PERI: u32 = 19;
const IRQ_FROM_PAD: u32 = 24;
const IRQ_TO_PROC: u32 = 26;

impl Peripherals {
    /// A register of `IO_BANK0` or `IO_QSPI` that depends on levels of pins, at cycle `now`; none if it is another one.
    pub(super) fn pin_register(&self, block: &Block, offset: u32, now: Cycle) -> Option<u32> {
        if block.base == IO_BANK0.base {
            if offset >= 8 * PINS {
                return self.io_bank0.interrupt_register(offset, self.interrupt_levels(now, now));
            }
            return (offset & 4 == 0).then(|| self.status(offset / 8, now));
        }
        (block.base == IO_QSPI.base).then(|| self.io_qspi.interrupt_register(offset, self.qspi_levels())).flatten()
    }

    /// Tells a bank of pins the levels at the pads in cycle `now`, before a write to its registers.
    pub(super) fn note_pads(&mut self, block: &Block, now: Cycle) {
        if block.base == IO_BANK0.base {
            let levels = self.interrupt_levels(now, now);
            self.io_bank0.interrupts.note_pads(levels.into());
        } else if block.base == IO_QSPI.base {
            let levels = self.qspi_levels();
            self.io_qspi.interrupts.note_pads(levels.into());
        }
    }

    /// Passes levels on to the interrupts of pins, which have them at the pads from cycle `from` on.
    pub(super) fn update_pin_interrupts(&mut self, now: Cycle, from: Cycle) {
        if self.io_bank0.interrupts.is_used() {
            let levels = self.interrupt_levels(now, from);
            self.io_bank0.interrupts.set_levels(levels.into(), from);
        }
        if self.io_qspi.interrupts.is_used() {
            let levels = self.qspi_levels();
            self.io_qspi.interrupts.set_levels(levels.into(), from);
        }
    }

    /// Levels as blocks drive them that write in cycle `now`, and those that move pins by themselves in cycle `at`.
    fn interrupt_levels(&self, now: Cycle, at: Cycle) -> u32 {
        let levels = self.pads().pad_levels(self.driven_from(now, at));
        let (kept, inverted) = self.io_bank0.interrupt_overrides();
        (levels & kept) ^ inverted
    }

    fn qspi_levels(&self) -> u32 {
        let levels = u32::from(self.io_qspi.forced(QSPI_SS) != Some(false)) << QSPI_SS;
        let (kept, inverted) = self.io_qspi.interrupt_overrides();
        (levels & kept) ^ inverted
    }

    fn status(&self, pin: u32, now: Cycle) -> u32 {
        let pads = self.pads();
        let driven = self.driven_at(now);
        let (to_pads, from_pads) = (pads.overridden(driven), pads.pad_levels(driven));
        let bits = [
            (driven.levels, OUT_FROM_PERI),
            (to_pads.levels, OUT_TO_PAD),
            (driven.enables, OE_FROM_PERI),
            (to_pads.enables, OE_TO_PAD),
            (from_pads, IN_FROM_PAD),
            (pads.level(driven), IN_TO_PERI),
            (from_pads, IRQ_FROM_PAD),
            (self.interrupt_levels(now, now), IRQ_TO_PROC),
        ];
        bits.into_iter().fold(0, |status, (pins, bit)| status | (pins >> pin & 1) << bit)
    }
}
