//! How the RP2350 has faults.

use crate::core::loss::{InterCoreChannel, Loss};
use crate::core::time::Cycle;
use crate::core::uart_frame::Format;
use crate::core::watch::CoreEvent;
use crate::fault::FaultTarget;
use crate::rp2::flash::Times;
use crate::rp2::serial_ports::SerialPorts;
use crate::rp2::uart::format;
use crate::rp2350::bus::ResetBy;
use crate::rp2350::machine::Machine;

/// `UARTLCR_H` of UART0.
const UARTLCR_H: u32 = 0x4007_002c;

impl FaultTarget for Machine {
    type Stuck = ();

    const CHANNEL: InterCoreChannel = InterCoreChannel::Fifo;

    fn reset_chip(&mut self) {
        Self::reset_chip(self, ResetBy::Pin);
        self.boot_again();
    }

    fn reset_core_alone(&mut self, core: usize) {
        self.reset_core(core);
    }

    fn switch_off(&mut self, core: usize, until: Cycle) {
        self.off_until[core] = self.off_until[core].max(until);
        self.hold_core(core);
    }

    fn end_forced_resets(&mut self) {
        self.off_until = [0; 2];
    }

    fn stick_core(&mut self, core: usize) -> Option<()> {
        if self.is_off(core) || self.is_stuck(core) {
            return None;
        }
        self.set_stuck(core, true);
        self.bus.watch.core_event(self.now(), core as u8, CoreEvent::Sticks);
        Some(())
    }

    fn unstick_core(&mut self, core: usize, (): ()) {
        if self.is_stuck(core) {
            self.set_stuck(core, false);
            self.bus.watch.core_event(self.now(), core as u8, CoreEvent::Resumes);
        }
    }

    fn set_losses(&mut self, losses: Vec<Loss>) {
        self.bus.losses.set(losses);
    }

    fn set_slow_flash(&mut self, slow: bool) -> bool {
        self.bus.qmi.direct.set_flash_times(if slow { Times::MAXIMUM } else { Times::TYPICAL });
        true
    }

    fn console_format(&self) -> Format {
        format(self.bus.peripherals.peek(UARTLCR_H, self.now(), &self.bus.clocks).unwrap_or(0))
    }

    fn send_console(&mut self, byte: u8, flipped: u16, not_before: Cycle) {
        let now = self.now();
        let port = self.bus.peripherals.input_port();
        self.bus.peripherals.inject(port, byte, flipped, not_before, now);
    }
}
