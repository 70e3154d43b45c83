//! The faults of [`crate::fault`] that this chip can have: of its console's line, of its cores, and of the interrupts by
//! which they ring each other. What stands behind @ are picoseconds since power-on.

use super::Time;
use super::core::Life;
use super::machine::Machine;
use crate::chip::peripherals::uart::frame::Format;
use crate::fault::{Faulty, Loss, Medium};

/// 8 data bits, no parity, one stop bit, in the terms of the RP2040's UART (`UARTLCR_H.WLEN`).
const EIGHT_BITS: u32 = 3 << 5;

impl Faulty for Machine {
    type Stuck = Life;

    const MEDIUM: Medium = Medium::Hsem;

    fn now(&self) -> Time {
        Self::now(self)
    }

    fn reset_chip(&mut self) {
        Self::reset_chip(self);
    }

    fn reset_core_alone(&mut self, core: usize) {
        self.reset_core(core);
    }

    fn switch_off(&mut self, core: usize, until: Time) {
        Self::switch_off(self, core, until);
    }

    fn forget_off(&mut self) {
        Self::forget_off(self);
    }

    fn stick_core(&mut self, core: usize) -> Option<Life> {
        self.stick(core)
    }

    fn unstick_core(&mut self, core: usize, stuck: Life) {
        self.unstick(core, stuck);
    }

    fn lose(&mut self, losses: Vec<Loss>) {
        self.shared.peripherals.lose_interrupts(losses);
    }

    fn console_format(&self) -> Format {
        Format::from_lcr_h(EIGHT_BITS)
    }

    fn send_console(&mut self, byte: u8, flipped: u16, not_before: Time) {
        self.send(byte, flipped, not_before);
    }
}
