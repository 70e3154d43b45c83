//! A state machine (datasheet 3.2, 3.4): its registers, and when its cycles come.

#![allow(clippy::inline_always)] // the hot loop: measured

mod operations;

use crate::core::time::{Cycle, NEVER};
use crate::rp2040::peripherals::pio::divider::Divider;
use crate::rp2040::peripherals::pio::fifo::Fifo;
use crate::rp2040::peripherals::pio::instruction::{Instruction, Program};
use crate::rp2040::peripherals::pio::setup::Settings;
use crate::rp2040::peripherals::pio::shared::Shared;
use crate::rp2040::peripherals::pio::turns::Turns;
use operations::Outcome;

/// `FDEBUG`: the flags of state machine 0.
pub const RXSTALL: u32 = 1 << 0;
/// See `RXSTALL`.
pub const RXUNDER: u32 = 1 << 8;
/// See `RXSTALL`.
pub const TXOVER: u32 = 1 << 16;
/// See `RXSTALL`.
pub const TXSTALL: u32 = 1 << 24;

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Source {
    /// Instruction memory.
    #[default]
    Memory,
    /// OUT EXEC or MOV EXEC.
    Exec(u16),
    /// `SMx_INSTR`: in each cycle of `clk_sys`, also while the state machine is disabled.
    Forced(u16),
}

/// What a state machine that stalls waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stall {
    /// Its next cycle.
    Cycle,
    /// An input.
    Pins,
    /// An IRQ flag.
    Irq,
    /// A FIFO: for the system.
    Fifo,
}

/// The last write of OUT or SET to pins.
#[derive(Clone, Copy, Debug, Default, Hash)]
struct Assertion {
    pins: u32,
    data: u32,
    dirs: bool,
}

/// A state machine.
#[derive(Clone, Debug, Hash)]
pub struct StateMachine {
    number: u8,
    pub(super) enabled: bool,
    pub(super) pc: u8,
    pub(super) x: u32,
    pub(super) y: u32,
    isr: u32,
    osr: u32,
    isr_count: u8,
    osr_count: u8,
    /// Delay cycles that are left before the next instruction.
    delay: u8,
    /// Delay cycles between the divider's tick and `next`, in which nothing can happen.
    skipped: u8,
    /// Turns of a loop that are skipped before that.
    pub(super) turns: Turns,
    pub(super) source: Source,
    /// What was written to `SMx_INSTR`, until the cycle in which it comes.
    written: Option<(Cycle, u16)>,
    /// Why the instruction under way stalls; none if it has not begun.
    pub(super) stalled: Option<Stall>,
    /// IRQ WAIT has raised its flag.
    raised_flag: bool,
    asserted: Assertion,
    pub(super) tx: Fifo,
    pub(super) rx: Fifo,
    pub(super) divider: Divider,
    /// The cycle in which it next does something; `NEVER` if others have to come first.
    pub(super) next: Cycle,
}

impl StateMachine {
    /// After reset: both shift registers are empty.
    pub fn new(number: usize) -> Self {
        Self {
            number: number as u8,
            enabled: false,
            pc: 0,
            x: 0,
            y: 0,
            isr: 0,
            osr: 0,
            isr_count: 0,
            osr_count: 32,
            delay: 0,
            skipped: 0,
            turns: Turns::default(),
            source: Source::Memory,
            written: None,
            stalled: None,
            raised_flag: false,
            asserted: Assertion::default(),
            tx: Fifo::default(),
            rx: Fifo::default(),
            divider: Divider::default(),
            next: NEVER,
        }
    }

    /// `CTRL.SM_RESTART`: all but PC, OSR, X, Y and the FIFOs.
    pub fn restart(&mut self) {
        (self.isr, self.isr_count, self.osr_count, self.delay) = (0, 0, 32, 0);
        (self.source, self.stalled, self.raised_flag) = (Source::Memory, None, false);
        self.asserted = Assertion::default();
    }

    /// A write to `SMx_INSTR`: takes the place of what would have been next in cycle `from`.
    pub fn force(&mut self, instruction: u16, from: Cycle) {
        self.written = Some((from, instruction));
    }

    /// When an instruction that was written comes.
    #[inline]
    pub fn forced_from(&self) -> Cycle {
        self.written.map_or(NEVER, |(from, _)| from)
    }

    /// It has come, if it has.
    pub fn take_written(&mut self, now: Cycle, divisor: u32) {
        if let Some((_, instruction)) = self.written.take_if(|(from, _)| *from <= now) {
            self.settle(now, divisor);
            (self.source, self.stalled, self.raised_flag) = (Source::Forced(instruction), None, false);
            self.wake(now, divisor);
        }
    }

    /// The instructions that are next and do not come from memory.
    pub fn instructions_of_its_own(&self) -> impl Iterator<Item = u16> {
        let next = match self.source {
            Source::Memory => None,
            Source::Exec(instruction) | Source::Forced(instruction) => Some(instruction),
        };
        next.into_iter().chain(self.written.map(|(_, instruction)| instruction))
    }

    /// Whether an instruction written to `SMx_INSTR` waits.
    pub fn is_exec_stalled(&self) -> bool {
        matches!(self.source, Source::Forced(_))
    }

    /// Makes its divider and its delay those of cycle `at`, before the system changes something.
    pub fn settle(&mut self, at: Cycle, divisor: u32) {
        if self.skipped > 0 || self.turns.ticks() > 0 {
            let (passed, skipped) = (self.divider.advance_to(at, divisor), std::mem::take(&mut self.skipped));
            self.delay = self.interrupt_turns(passed, skipped);
        }
        self.divider.advance_to(at, divisor);
    }

    /// Lets it go on from cycle `at`, after something has changed.
    pub fn wake(&mut self, at: Cycle, divisor: u32) {
        self.next = match self.source {
            Source::Forced(_) => at,
            _ if !self.enabled => NEVER,
            _ => {
                self.divider.advance_to(at, divisor);
                self.divider.tick()
            }
        };
    }

    /// Continues to assert the last write of OUT or SET (`OUT_STICKY`).
    pub fn reassert(&self, shared: &mut Shared) {
        let Assertion { pins, data, dirs } = self.asserted;
        shared.drive(pins, data, dirs);
    }

    /// One cycle, in cycle `now` of `clk_sys`: what is due, and when something is next.
    #[inline(always)]
    pub fn cycle(&mut self, now: Cycle, settings: &Settings, program: &Program, shared: &mut Shared) {
        let ticks = u64::from(self.skipped) + self.turns.ticks() + 1;
        self.skipped = 0;
        self.end_turns();
        let divisor = settings.divisor;
        let mut repeated = None;
        if let Source::Forced(word) = self.source {
            self.instruct(&self.decode(word, settings), settings, shared);
            self.divider.advance_to(now + 1, divisor);
        } else {
            // Its own tick has brought it here: that is the one after those in which nothing could happen.
            self.divider.advance_by(ticks, divisor);
            if self.delay > 0 {
                self.delay -= 1;
                self.refill(settings, shared);
            } else if let Source::Exec(word) = self.source {
                self.instruct(&self.decode(word, settings), settings, shared);
            } else {
                let (instruction, address) = (program.at(self.pc), self.pc);
                self.instruct(instruction, settings, shared);
                if instruction.repeats && self.pc == address {
                    repeated = Some(instruction);
                }
            }
        }
        self.next = match (self.source, self.stalled) {
            (Source::Forced(_), None | Some(Stall::Cycle)) => now + 1,
            (_, Some(Stall::Pins | Stall::Irq | Stall::Fifo)) => NEVER,
            _ if !self.enabled => NEVER,
            _ => {
                // Nothing can come of a delay cycle: if the OSR waits to be filled, the FIFO is empty.
                self.skipped = std::mem::take(&mut self.delay);
                if let Some(instruction) = repeated {
                    self.find_turns(instruction, settings);
                }
                self.divider.tick_after(u64::from(self.skipped) + self.turns.ticks(), divisor)
            }
        };
    }

    #[cold]
    fn decode(&self, word: u16, settings: &Settings) -> Instruction {
        Instruction::decode(word, self.pc, usize::from(self.number), settings)
    }

    #[inline(always)]
    fn instruct(&mut self, instruction: &Instruction, settings: &Settings, shared: &mut Shared) {
        let begins = self.stalled.is_none();
        let outcome = self.execute(instruction, settings, shared);
        // It comes with the first cycle of an instruction, whether that stalls or not, and before OUT and SET (3.5.1, 3.5.6).
        if begins && instruction.side_pins != 0 {
            shared.drive(instruction.side_pins, instruction.side_data, settings.side_pindir);
            shared.wrote_pins = true;
        }
        self.refill(settings, shared);
        if let Outcome::Stalls(stall) = outcome {
            self.stalled = Some(stall);
            return;
        }
        let forced = matches!(self.source, Source::Forced(_));
        (self.stalled, self.raised_flag) = (None, false);
        if !forced {
            self.delay = instruction.delay;
        }
        match outcome {
            Outcome::Jump(target) => self.pc = (target & 31) as u8,
            _ if self.source != Source::Memory => {}
            _ => self.pc = instruction.next,
        }
        self.source = Source::Memory;
        if let Outcome::Exec(word) = outcome {
            let word = word as u16;
            if !forced {
                self.delay = 0;
            }
            self.source = if forced { Source::Forced(word) } else { Source::Exec(word) };
        }
    }
}
