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
        let mut then = [before; 3];
        for (then, ago) in then.iter_mut().zip([2, 1, 0]) {
            while self.next < until.saturating_sub(ago) {
                let now = self.next;
                self.cycle(now, settings, program, shared);
                if shared.change_irqs() && self.stalled == Some(Stall::Irq) {
                    self.wake(now + 1, settings.divisor);
                }
            }
            *then = shared.outputs();
        }
        (shared.moved, shared.wrote_pins) = (0, false);
        let [two_ago, one_ago, _] = then;
        for (earlier, then) in earlier.iter_mut().zip([one_ago, two_ago]) {
            // State machines that run alone do not write to each other's pins.
            earlier.levels ^= before.levels ^ then.levels;
            earlier.enables ^= before.enables ^ then.enables;
        }
    }
}
