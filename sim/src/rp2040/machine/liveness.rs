//! Whether anything can still come of a run in which a core has crashed.

use crate::core::time::{Cycle, NEVER};
use crate::rp2040::machine::Machine;
use crate::rp2040::peripherals::Peripheral;

impl Machine {
    /// Whether a core has crashed: it is locked up, or stays in its handler of a `HardFault` by a branch to itself.
    pub fn has_crashed(&self, number: usize) -> bool {
        self.core(number).is_locked_up() || self.spins_in_hard_fault(number)
    }

    /// Whether all that a core does is a branch to itself in its handler of a `HardFault`.
    pub fn spins_in_hard_fault(&self, number: usize) -> bool {
        let core = self.core(number);
        let pc = core.register(15);
        core.spins_in_hard_fault(self.peek(pc).map(|word| (word >> ((pc & 2) * 8)) as u16))
    }

    /// Whether a core has crashed and no core will ever do anything else: the other one has crashed, too, is held in reset,
    /// or sleeps with no interrupt enabled. Peripherals may go on, but a watchdog that is running is hope. So is DMA's
    /// writing registers of reset, which nobody is known to do and this does not look for.
    pub fn is_lost(&self) -> bool {
        let ended = |number| {
            let core = self.core(number);
            self.has_crashed(number) || core.is_off() || core.is_stuck() || core.sleeps_for_good()
        };
        let watched = self.bus.peripherals.watchdog.next_event() != NEVER;
        (0..2).any(|number| self.has_crashed(number)) && (0..2).all(ended) && !watched
    }

    /// While a UART sends: a cycle at which it has got further.
    pub fn next_character(&self) -> Option<Cycle> {
        let sending = self.bus.peripherals.uarts.iter().filter(|uart| uart.is_sending());
        let next = sending.map(Peripheral::next_event).min().unwrap_or(NEVER);
        (next != NEVER).then(|| next.max(self.now()) + 1)
    }
}
