//! Loops of one instruction, which jumps to itself: their turns are skipped, and made up for if somebody looks before the end.

use crate::rp2040::peripherals::pio::instruction::Instruction;
use crate::rp2040::peripherals::pio::machine::StateMachine;
use crate::rp2040::peripherals::pio::setup::Settings;

/// What takes one from a register in each turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Counter {
    #[default]
    None,
    X,
    Y,
}

/// Turns in which nothing can happen.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub struct Turns {
    counter: Counter,
    left: u32,
    /// Ticks of each.
    ticks: u64,
}

impl Turns {
    /// Ticks of all of them.
    #[inline]
    pub fn ticks(&self) -> u64 {
        u64::from(self.left) * self.ticks
    }
}

impl StateMachine {
    /// After a turn of an instruction that jumps to itself: the turns that are certain to be like it.
    #[inline]
    pub(super) fn find_turns(&mut self, instruction: &Instruction, settings: &Settings) {
        // Others may write to the pins of a side-set.
        let is_alike = settings.has_own_pins || instruction.side_pins == 0;
        if !is_alike {
            return;
        }
        let (counter, left) = match instruction.operand {
            2 => (Counter::X, self.x),
            4 => (Counter::Y, self.y),
            _ => (Counter::None, u32::MAX),
        };
        self.turns = Turns { counter, left, ticks: u64::from(instruction.delay) + 1 };
    }

    /// All turns are over.
    #[inline]
    pub(super) fn end_turns(&mut self) {
        if self.turns.left > 0 {
            self.count(self.turns.left);
            self.turns = Turns::default();
        }
    }

    /// So many ticks of them are over, and of their delay cycles, but not more than there are: no more turns are skipped. The delay
    /// cycles left.
    pub(super) fn interrupt_turns(&mut self, passed: u64, delay: u8) -> u8 {
        let Turns { left, ticks, .. } = self.turns;
        if left == 0 {
            return delay - passed as u8;
        }
        self.count((passed / ticks) as u32);
        self.turns = Turns::default();
        delay - (passed % ticks) as u8
    }

    fn count(&mut self, turns: u32) {
        match self.turns.counter {
            Counter::None => {}
            Counter::X => self.x -= turns,
            Counter::Y => self.y -= turns,
        }
    }
}
