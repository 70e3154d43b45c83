//! How the RP2040 has faults.

use super::{Faulty, Loss, Medium};
use crate::chip::clock::Cycle;
use crate::chip::cpu::Stuck;
use crate::chip::machine::Machine;
use crate::chip::peripherals::uart::frame::Format;
use crate::observe::probe::Life;

/// `UARTLCR_H` of UART0 (DS 4.2.8).
const UARTLCR_H: u32 = 0x4003_402c;

impl Faulty for Machine {
    type Stuck = Stuck;

    const MEDIUM: Medium = Medium::Fifo;

    fn now(&self) -> Cycle {
        Self::now(self)
    }

    fn reset_chip(&mut self) {
        Self::reset_chip(self);
    }

    fn reset_core_alone(&mut self, core: usize) {
        if !self.bus.peripherals.psm.core_held(core) {
            self.reset_core(core);
        }
    }

    fn switch_off(&mut self, core: usize, until: Cycle) {
        Self::switch_off(self, core, until);
    }

    fn forget_off(&mut self) {
        Self::forget_off(self);
    }

    fn stick_core(&mut self, core: usize) -> Option<Stuck> {
        let now = self.now();
        let stuck = self.core_mut(core).stick(now)?;
        self.bus.watch.life(now, core as u8, Life::Sticks);
        Some(stuck)
    }

    fn unstick_core(&mut self, core: usize, stuck: Stuck) {
        let now = self.now();
        if self.core_mut(core).unstick(stuck, now) {
            self.bus.watch.life(now, core as u8, Life::Resumes);
            if self.core(core).is_asleep() {
                self.bus.watch.life(now, core as u8, Life::Sleeps);
            }
        }
    }

    fn lose(&mut self, losses: Vec<Loss>) {
        self.bus.fifo_losses.set(losses);
    }

    fn console_format(&self) -> Format {
        Format::from_lcr_h(self.peek_register(UARTLCR_H))
    }

    fn send_console(&mut self, byte: u8, flipped: u16, not_before: Cycle) {
        let now = self.now();
        self.bus.peripherals.inject(0, byte, flipped, not_before, now);
    }
}
