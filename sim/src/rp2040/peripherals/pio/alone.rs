//! A state machine that nobody else notices meanwhile: it runs through its cycles by itself.

use crate::core::time::Cycle;
use crate::rp2040::peripherals::pins::Outputs;
use crate::rp2040::peripherals::pio::instruction::Program;
use crate::rp2040::peripherals::pio::machine::{Stall, StateMachine};
use crate::rp2040::peripherals::pio::setup::Settings;
use crate::rp2040::peripherals::pio::shared::Shared;

impl StateMachine {
    /// Executes all cycles before `until`. Inputs stay as they are. `earlier` is what the block drives after the last cycle but
    /// one, and after the one before that, but for what this state machine changes.
    pub fn run_alone(
        &mut self,
        until: Cycle,
        settings: &Settings,
        program: &Program,
        shared: &mut Shared,
        earlier: &mut [Outputs; 2],
    ) {
        let before = shared.outputs();
        let mut then = [None; 2];
        while self.next < until {
            let now = self.next;
            if now + 2 >= until {
                then[1].get_or_insert(shared.outputs());
                if now + 1 >= until {
                    then[0].get_or_insert(shared.outputs());
                }
            }
            self.cycle(now, settings, program, shared);
            if shared.change_irqs() && self.stalled == Some(Stall::Irq) {
                self.wake(now + 1, settings.divisor);
            }
        }
        (shared.moved, shared.wrote_pins) = (0, false);
        let now = shared.outputs();
        for (earlier, then) in earlier.iter_mut().zip(then) {
            let then = then.unwrap_or(now);
            // State machines that run alone do not write to each other's pins.
            earlier.levels ^= before.levels ^ then.levels;
            earlier.enables ^= before.enables ^ then.enables;
        }
    }
}
