//! Fault injection ([`crate::fault`]): the console's line, the cores, and interrupts of hardware semaphores. Times behind @ are
//! picoseconds since power-on.

use crate::core::loss::{InterCoreChannel, Loss};
use crate::core::uart_frame::Format;
use crate::core::watch::CoreEvent;
use crate::fault::FaultTarget;
use crate::stm32h745::core::PowerState;
use crate::stm32h745::machine::Machine;
use crate::stm32h745::peripherals::Reset;
use crate::stm32h745::{NEVER, Time};

impl FaultTarget for Machine {
    type Stuck = PowerState;

    const CHANNEL: InterCoreChannel = InterCoreChannel::Hsem;

    fn reset_chip(&mut self) {
        self.reset(Reset::Pin);
        self.handle_requests();
    }

    fn reset_core_alone(&mut self, core: usize) {
        self.reset_core(core);
    }

    fn switch_off(&mut self, core: usize, until: Time) {
        self.off_until[core] = self.off_until[core].max(until);
        self.hold_in_reset(core);
    }

    fn end_forced_resets(&mut self) {
        self.off_until = [0; 2];
    }

    fn stick_core(&mut self, number: usize) -> Option<PowerState> {
        let core = &mut self.cores[number];
        if matches!(core.power_state, PowerState::InReset | PowerState::Stuck) {
            return None;
        }
        core.next = NEVER;
        let before = std::mem::replace(&mut core.power_state, PowerState::Stuck);
        self.core_event(number, CoreEvent::Sticks);
        Some(before)
    }

    /// A core that has been reset since goes on by itself.
    fn unstick_core(&mut self, number: usize, before: PowerState) {
        let now = self.now;
        let core = &mut self.cores[number];
        if core.power_state == PowerState::Stuck {
            core.catch_up(now, true);
            core.power_state = before;
            core.wake_at(now);
            self.core_event(number, CoreEvent::Resumes);
            if before == PowerState::Asleep {
                self.core_event(number, CoreEvent::Sleeps);
            }
        }
    }

    fn set_losses(&mut self, losses: Vec<Loss>) {
        self.shared.peripherals.losses.set(losses);
    }

    fn set_slow_flash(&mut self, _slow: bool) -> bool {
        false
    }

    fn console_format(&self) -> Format {
        Format::EIGHT_N_ONE
    }

    fn send_console(&mut self, byte: u8, flipped: u16, not_before: Time) {
        let now = self.now;
        self.shared.peripherals.uart_input(byte, flipped, not_before, now);
    }
}
