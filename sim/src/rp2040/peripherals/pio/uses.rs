//! What state machines may come to do, as their programs are: the pins that they look at and write to, and whether one of them can
//! concern another.

use crate::rp2040::peripherals::pio::machine::StateMachine;
use crate::rp2040::peripherals::pio::setup::{INSTRUCTIONS, MACHINES, Settings, op};

/// What instructions use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// Pins that they look at.
    pub reads: u32,
    /// Pins whose levels or directions they write.
    pub writes: u32,
    /// IRQ flags.
    irqs: bool,
    /// They may execute any instruction.
    any: bool,
}

impl Uses {
    fn all() -> Self {
        Self { reads: u32::MAX, writes: u32::MAX, irqs: true, any: true }
    }

    fn with(self, other: Self) -> Self {
        Self {
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
            irqs: self.irqs | other.irqs,
            any: self.any | other.any,
        }
    }

    fn of_instruction(instruction: u16, settings: &Settings) -> Self {
        let (operation, operand) = (instruction >> 13, instruction >> 5 & 7);
        let side = settings.side_set(instruction).map_or(0, |_| settings.side_pins);
        let writes = match (operation, operand) {
            (op::OUT, 7) | (op::MOV, 4) => return Self::all(),
            (op::OUT, 0 | 4) | (op::MOV, 0) => settings.out_pins,
            (op::SET, 0 | 4) => settings.set_pins,
            _ => 0,
        };
        let irqs = operation == op::IRQ || operation == op::WAIT && operand & 3 == 2;
        Self { reads: settings.pins_read_by(instruction), writes: writes | side, irqs, any: false }
    }

    /// Of what a state machine may execute from now on, if nobody changes its program.
    pub fn of(machine: &StateMachine, settings: &Settings, memory: &[u16; INSTRUCTIONS]) -> Self {
        let mut uses = Self::default();
        let mut reached = if machine.enabled { 1 << (machine.pc & 31) } else { 0 };
        for instruction in machine.instructions_of_its_own() {
            uses = uses.with(Self::of_instruction(instruction, settings));
            reached |= successors(instruction, 0, settings) & if machine.enabled { u32::MAX } else { 0 };
        }
        let mut done = 0_u32;
        while reached & !done != 0 {
            let at = (reached & !done).trailing_zeros();
            done |= 1 << at;
            let instruction = memory[at as usize % INSTRUCTIONS];
            uses = uses.with(Self::of_instruction(instruction, settings));
            reached |= successors(instruction, at, settings);
        }
        uses
    }
}

/// The addresses that may come after an instruction at an address.
fn successors(instruction: u16, at: u32, settings: &Settings) -> u32 {
    let next = if at == u32::from(settings.wrap_top) { u32::from(settings.wrap_bottom) } else { (at + 1) & 31 };
    match (instruction >> 13, instruction >> 5 & 7) {
        (op::JMP, 0) => 1 << (instruction & 31),
        (op::JMP, _) => 1 << (instruction & 31) | 1 << next,
        (op::OUT | op::MOV, 5) | (op::OUT, 7) | (op::MOV, 4) => u32::MAX,
        _ => 1 << next,
    }
}

/// Whether it makes no difference which of the state machines goes first, for as long as one likes: none sees or overwrites what
/// another one does.
pub fn are_independent(all: &[Uses; MACHINES]) -> bool {
    let mut written = 0;
    let disjoint = all.iter().all(|uses| {
        let is_new = written & uses.writes == 0;
        written |= uses.writes;
        is_new
    });
    disjoint && all.iter().filter(|uses| uses.irqs).count() <= 1 && !all.iter().any(|uses| uses.any)
}
