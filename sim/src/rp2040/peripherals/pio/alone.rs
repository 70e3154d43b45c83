//! A state machine that nobody else notices meanwhile: it runs through its cycles by itself.

use crate::core::time::Cycle;
use crate::rp2040::peripherals::pins::Outputs;
use crate::rp2040::peripherals::pio::machine::{Shared, Source, Stall, StateMachine};
use crate::rp2040::peripherals::pio::setup::{INSTRUCTIONS, Settings, op};

impl StateMachine {
    /// Executes all cycles before `until`. Inputs stay as they are. `earlier` is what the block drives after the last cycle but
    /// one, and after the one before that, but for what this state machine changes.
    pub fn run_alone(
        &mut self,
        until: Cycle,
        settings: &Settings,
        memory: &[u16; INSTRUCTIONS],
        shared: &mut Shared,
        earlier: &mut [Outputs; 2],
    ) {
        let before = shared.outputs();
        let mut then = [None; 2];
        while self.next < until {
            let begun = (self.next, self.pc);
            if begun.0 + 2 >= until {
                then[1].get_or_insert(shared.outputs());
                if begun.0 + 1 >= until {
                    then[0].get_or_insert(shared.outputs());
                }
            }
            let begins = self.source == Source::Memory && self.is_at_boundary();
            self.cycle(begun.0, settings, memory, shared);
            if shared.change_irqs() && self.stalled == Some(Stall::Irq) {
                self.wake(begun.0 + 1, settings.divisor);
            }
            if begins && self.pc == begun.1 && self.is_at_boundary() {
                self.skip_turns(memory[usize::from(self.pc) % INSTRUCTIONS], until, settings);
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

    /// After a turn of a loop of one instruction: skips those that are alike and begin before `until`.
    fn skip_turns(&mut self, instruction: u16, until: Cycle, settings: &Settings) {
        let jumps_to_itself = instruction >> 13 == op::JMP && instruction as u8 & 31 == self.pc;
        if !jumps_to_itself || self.source != Source::Memory || self.wants_refill(settings) {
            return;
        }
        let divisor = settings.divisor;
        // The divider stands at the tick after the last one, and delay cycles come first.
        let delay = u64::from(settings.delay(instruction));
        let ticks = self.divider.ticks_before(until, divisor).saturating_sub(delay);
        let turns = if delay == 0 { ticks } else { ticks.div_ceil(delay + 1) };
        let turns = match instruction >> 5 & 7 {
            2 => count_down(&mut self.x, turns),
            4 => count_down(&mut self.y, turns),
            // What it jumps by does not change.
            _ => turns,
        };
        self.divider.advance_by(turns * (delay + 1), divisor);
        self.next = self.divider.tick_after(delay, divisor);
    }
}

/// So many turns that each take one from a counter, or as many as it has; how many those are.
fn count_down(counter: &mut u32, turns: u64) -> u64 {
    let turns = turns.min(u64::from(*counter));
    *counter -= turns as u32;
    turns
}
