//! Busy waits for USART3: a core that loads its status, tests it and branches back comes to the same state in each turn until
//! the next event. Turns that are the same are counted, not executed.

use crate::isa::armv7em::registers::Registers;
use crate::stm32h745::Time;
use crate::stm32h745::core::Core;
use crate::stm32h745::port::Port;

/// Instructions of a turn.
const TURN: u64 = 3;

/// The state of a core after it has loaded the status, and in which step.
#[derive(Clone, Debug, Default)]
pub(super) struct Poll(Option<(Registers, u64)>);

impl Poll {
    /// Skips turns that end before `end`, up to which nothing but this core does anything, if the last turn has come back to
    /// where it began. Returns the instructions skipped.
    pub(super) fn skip(&mut self, core: &mut Core, port: &Port<'_>, end: Time) -> u64 {
        let (now, step) = (core.processor.registers(), core.processor.steps());
        let before = self.0.replace((now, step));
        let same = before.is_some_and(|(then, at)| then == now && at + TURN == step);
        if !same || !core.processor.tests_and_branches(port) {
            return 0;
        }
        let steps = core.steps_before(end);
        let skipped = steps - steps % TURN;
        core.skip(skipped);
        self.0 = None;
        skipped
    }
}
