//! Instructions (datasheet 3.4), decoded with the settings of the state machine that executes them: what does not depend on when they
//! are executed is found once.

use crate::rp2040::peripherals::pio::setup::{INSTRUCTIONS, MACHINES, Settings, bit_count, low_bits, op};
use std::hash::{Hash, Hasher};

/// An instruction of a state machine.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// As it is in memory.
    pub word: u16,
    /// Bits 15:13.
    pub operation: u8,
    /// Bits 7:5: a condition, a destination or a source.
    pub operand: u8,
    /// Bits of IN and OUT.
    pub bits: u8,
    /// The IRQ flag that it names (3.4.9.2).
    pub flag: u8,
    /// Delay cycles.
    pub delay: u8,
    /// The address that is next unless it jumps.
    pub next: u8,
    /// It jumps to itself, and no pin can keep it from doing so.
    pub repeats: bool,
    /// Those `bits`; the pin of WAIT and JMP PIN.
    pub mask: u32,
    /// Pins of its side-set, none if it has none, and their data.
    pub side_pins: u32,
    /// See `side_pins`.
    pub side_data: u32,
}

impl Instruction {
    /// Decodes an instruction of state machine `number`, at an address.
    pub fn decode(word: u16, address: u8, number: usize, settings: &Settings) -> Self {
        let (operation, operand) = (word >> 13, (word >> 5 & 7) as u8);
        let bits = bit_count(word);
        let index = word & 7;
        let relative = (index & 4) | ((index + number as u16) & 3);
        let side = settings.side_set(word);
        Self {
            word,
            operation: operation as u8,
            operand,
            bits: bits as u8,
            flag: 1 << if word >> 4 & 1 == 1 { relative } else { index },
            delay: settings.delay(word),
            next: if address == settings.wrap_top { settings.wrap_bottom } else { (address + 1) & 31 },
            repeats: operation == op::JMP && word as u8 & 31 == address && operand != 6,
            mask: match operation {
                op::JMP | op::WAIT => settings.pins_read_by(word),
                _ => low_bits(bits),
            },
            side_pins: side.map_or(0, |_| settings.side_pins),
            side_data: side.map_or(0, |data| data.rotate_left(settings.side_base)),
        }
    }
}

/// The instruction memory as a state machine sees it.
#[derive(Clone, Debug)]
pub struct Program([Instruction; INSTRUCTIONS]);

impl Program {
    /// The instruction at an address.
    #[inline]
    pub fn at(&self, address: u8) -> &Instruction {
        &self.0[usize::from(address) % INSTRUCTIONS]
    }
}

/// The same of each state machine.
#[derive(Clone, Debug)]
pub struct Programs([Program; MACHINES]);

/// They say nothing but what the instruction memory and the settings do.
impl Hash for Programs {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Programs {
    /// Decodes all of the memory for all state machines.
    pub fn of(memory: &[u16; INSTRUCTIONS], settings: &[Settings; MACHINES]) -> Self {
        Self(std::array::from_fn(|number| {
            let decode = |address| Instruction::decode(memory[address], address as u8, number, &settings[number]);
            Program(std::array::from_fn(decode))
        }))
    }

    /// The program of a state machine.
    #[inline]
    pub fn of_machine(&self, number: usize) -> &Program {
        &self.0[number % MACHINES]
    }

    /// Decodes an instruction anew, that of an address.
    pub fn write(&mut self, address: usize, word: u16, settings: &[Settings; MACHINES]) {
        for (number, (program, settings)) in self.0.iter_mut().zip(settings).enumerate() {
            program.0[address % INSTRUCTIONS] = Instruction::decode(word, address as u8, number, settings);
        }
    }

    /// Decodes all of the memory anew for a state machine that has other settings.
    pub fn configure(&mut self, number: usize, settings: &Settings) {
        for (address, instruction) in (0..).zip(&mut self.0[number % MACHINES].0) {
            *instruction = Instruction::decode(instruction.word, address, number, settings);
        }
    }
}
