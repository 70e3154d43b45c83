//! Fault injection ([`crate::fault`]): the console's line, the cores, and interrupts of hardware semaphores. Times behind @ are
//! picoseconds since power-on.

use crate::core::loss::{InterCoreChannel, Loss};
use crate::core::uart_frame::Format;
use crate::fault::FaultTarget;
use crate::stm32h745::Time;
use crate::stm32h745::core::PowerState;
use crate::stm32h745::machine::Machine;

impl FaultTarget for Machine {
    type Stuck = PowerState;

    const CHANNEL: InterCoreChannel = InterCoreChannel::Hsem;

    fn reset_chip(&mut self) {
        Self::reset_chip(self);
    }

    fn reset_core_alone(&mut self, core: usize) {
        self.reset_core(core);
    }

    fn switch_off(&mut self, core: usize, until: Time) {
        Self::switch_off(self, core, until);
    }

    fn end_forced_resets(&mut self) {
        Self::end_forced_resets(self);
    }

    fn stick_core(&mut self, core: usize) -> Option<PowerState> {
        self.stick(core)
    }

    fn unstick_core(&mut self, core: usize, stuck: PowerState) {
        self.unstick(core, stuck);
    }

    fn set_losses(&mut self, losses: Vec<Loss>) {
        self.shared.peripherals.lose_interrupts(losses);
    }

    fn console_format(&self) -> Format {
        Format::EIGHT_N_ONE
    }

    fn send_console(&mut self, byte: u8, flipped: u16, not_before: Time) {
        self.send(byte, flipped, not_before);
    }
}
