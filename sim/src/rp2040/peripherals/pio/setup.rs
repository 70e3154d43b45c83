//! What firmware has set up of a PIO block: programs, and the settings of its state machines.

use crate::rp2040::peripherals::pins::Pads;
use crate::rp2040::peripherals::pio::divider::Divider;
use crate::rp2040::peripherals::pio::instruction::Programs;
use crate::rp2040::peripherals::pio::machine::StateMachine;
use crate::rp2040::peripherals::pio::uses::{self, Uses};

/// State machines of a block, and instructions that they share (datasheet 3.1).
pub const MACHINES: usize = 4;
/// See `MACHINES`.
pub const INSTRUCTIONS: usize = 32;

/// Reset values of `CLKDIV`, `EXECCTRL`, `SHIFTCTRL`, `PINCTRL` (3.7).
const RESET: [u32; 4] = [0x0001_0000, 0x0001_f000, 0x000c_0000, 0x1400_0000];

/// What an instruction does.
pub mod op {
    /// Bits 15:13 (3.4.1).
    pub const JMP: u16 = 0;
    /// See `JMP`.
    pub const WAIT: u16 = 1;
    /// See `JMP`.
    pub const IN: u16 = 2;
    /// See `JMP`.
    pub const OUT: u16 = 3;
    /// See `JMP`; bit 7 tells PULL from PUSH.
    pub const PUSH_PULL: u16 = 4;
    /// See `JMP`.
    pub const MOV: u16 = 5;
    /// See `JMP`.
    pub const IRQ: u16 = 6;
    /// See `JMP`.
    pub const SET: u16 = 7;
}

/// Pins from `base` on, `count` of them, around behind pin 31.
pub fn pins(base: u32, count: u32) -> u32 {
    low_bits(count).rotate_left(base)
}

/// A mask of the lowest bits.
#[inline]
pub fn low_bits(count: u32) -> u32 {
    if count >= 32 { u32::MAX } else { (1 << count) - 1 }
}

/// The number of bits that IN and OUT move: 0 is 32.
#[inline]
pub fn bit_count(instruction: u16) -> u32 {
    (u32::from(instruction).wrapping_sub(1) & 31) + 1
}

/// The settings of one state machine: its registers, and what they say.
#[derive(Clone, Debug, Hash)]
#[allow(missing_docs, clippy::struct_excessive_bools)] // the datasheet's names; each bit is a choice of its own
pub struct Settings {
    pub clkdiv: u32,
    pub execctrl: u32,
    pub shiftctrl: u32,
    pub pinctrl: u32,
    pub divisor: u32,
    pub wrap_top: u8,
    pub wrap_bottom: u8,
    pub jmp_pin: u32,
    /// Bits of the delay/side-set field that are delay.
    pub delay_bits: u32,
    /// The bit that says whether there is a side-set, if there is such a bit, in what is behind the delay.
    pub side_enable: u32,
    pub side_pins: u32,
    pub side_base: u32,
    pub side_pindir: bool,
    pub out_base: u32,
    pub out_pins: u32,
    pub set_base: u32,
    pub set_pins: u32,
    pub in_base: u32,
    /// No other state machine writes to the pins of this one.
    pub has_own_pins: bool,
    pub out_sticky: bool,
    pub inline_out_en: bool,
    pub out_en_sel: u32,
    pub status_of_rx: bool,
    pub status_n: u8,
    pub autopush: bool,
    pub autopull: bool,
    pub in_shifts_right: bool,
    pub out_shifts_right: bool,
    pub push_threshold: u8,
    pub pull_threshold: u8,
}

impl Default for Settings {
    fn default() -> Self {
        Self::of(RESET)
    }
}

fn threshold(field: u32) -> u8 {
    match field & 31 {
        0 => 32,
        bits => bits as u8,
    }
}

impl Settings {
    /// What the registers `CLKDIV`, `EXECCTRL`, `SHIFTCTRL`, `PINCTRL` say.
    pub fn of([clkdiv, execctrl, shiftctrl, pinctrl]: [u32; 4]) -> Self {
        let bit = |register: u32, number: u32| register >> number & 1 == 1;
        let side_count = (pinctrl >> 29).min(5);
        let has_enable = bit(execctrl, 30) && side_count > 0;
        let side_data = side_count - u32::from(has_enable);
        let (out_base, set_base, side_base) = (pinctrl & 31, pinctrl >> 5 & 31, pinctrl >> 10 & 31);
        Self {
            clkdiv: clkdiv & 0xffff_ff00,
            execctrl: execctrl & 0x7fff_ff9f,
            shiftctrl: shiftctrl & 0xffff_0000,
            pinctrl,
            divisor: Divider::divisor(clkdiv),
            wrap_top: (execctrl >> 12 & 31) as u8,
            wrap_bottom: (execctrl >> 7 & 31) as u8,
            jmp_pin: execctrl >> 24 & 31,
            delay_bits: 5 - side_count,
            side_enable: if has_enable { 1 << side_data } else { 0 },
            side_pins: pins(side_base, side_data),
            side_base,
            side_pindir: bit(execctrl, 29),
            out_base,
            out_pins: pins(out_base, pinctrl >> 20 & 63),
            set_base,
            set_pins: pins(set_base, pinctrl >> 26 & 7),
            in_base: pinctrl >> 15 & 31,
            has_own_pins: false,
            out_sticky: bit(execctrl, 17),
            inline_out_en: bit(execctrl, 18),
            out_en_sel: execctrl >> 19 & 31,
            status_of_rx: bit(execctrl, 4),
            status_n: (execctrl & 15) as u8,
            autopush: bit(shiftctrl, 16),
            autopull: bit(shiftctrl, 17),
            in_shifts_right: bit(shiftctrl, 18),
            out_shifts_right: bit(shiftctrl, 19),
            push_threshold: threshold(shiftctrl >> 20),
            pull_threshold: threshold(shiftctrl >> 25),
        }
    }

    /// The registers.
    pub fn registers(&self) -> [u32; 4] {
        [self.clkdiv, self.execctrl, self.shiftctrl, self.pinctrl]
    }

    /// Delay cycles of an instruction.
    #[inline]
    pub fn delay(&self, instruction: u16) -> u8 {
        (u32::from(instruction >> 8) & low_bits(self.delay_bits)) as u8
    }

    /// The side-set data of an instruction, if it has any.
    #[inline]
    pub fn side_set(&self, instruction: u16) -> Option<u32> {
        let side = u32::from(instruction >> 8 & 31) >> self.delay_bits;
        (self.side_pins != 0 && side & self.side_enable == self.side_enable).then_some(side)
    }

    /// The input pins that an instruction looks at.
    pub fn pins_read_by(&self, instruction: u16) -> u32 {
        let index = u32::from(instruction & 31);
        match (instruction >> 13, instruction >> 5 & 7) {
            (op::JMP, 6) => 1 << self.jmp_pin,
            (op::WAIT, 0 | 4) => 1 << index,
            (op::WAIT, 1 | 5) => 1 << ((index + self.in_base) & 31),
            (op::IN, 0) => pins(self.in_base, bit_count(instruction)),
            // It may come to any instruction.
            (op::OUT, 7) | (op::MOV, 4) => u32::MAX,
            (op::MOV, _) if instruction.trailing_zeros() >= 3 => u32::MAX,
            _ => 0,
        }
    }
}

/// What firmware has set up of a block, and how its pins are connected.
#[derive(Clone, Debug, Hash)]
pub struct Setup {
    /// Instruction memory.
    pub memory: [u16; INSTRUCTIONS],
    /// The same, as each state machine decodes it.
    pub programs: Programs,
    /// Of each state machine.
    pub machines: [Settings; MACHINES],
    /// `INPUT_SYNC_BYPASS`.
    pub sync_bypass: u32,
    /// The pads, and those of them whose function is this block.
    pub pads: Pads,
    /// See `pads`.
    pub mine: u32,
    /// Pins that its programs may look at.
    pub reads: u32,
    /// No state machine notices what the others do: see `State::run_apart`.
    pub apart: bool,
}

impl Default for Setup {
    fn default() -> Self {
        let (memory, machines) = ([0; INSTRUCTIONS], std::array::from_fn(|_| Settings::default()));
        Self {
            memory,
            programs: Programs::of(&memory, &machines),
            machines,
            sync_bypass: 0,
            pads: Pads::default(),
            mine: 0,
            reads: 0,
            apart: false,
        }
    }
}

impl Setup {
    /// A write to instruction memory.
    pub fn write_instruction(&mut self, address: usize, word: u16) {
        self.memory[address % INSTRUCTIONS] = word;
        self.programs.write(address, word, &self.machines);
    }

    /// Gives a state machine other settings.
    pub fn configure(&mut self, number: usize, settings: Settings) {
        self.programs.configure(number, &settings);
        self.machines[number] = settings;
    }

    /// Finds out what programs use, after they, the settings or the pads have changed.
    pub fn find_uses(&mut self, machines: &[StateMachine; MACHINES]) {
        let uses = std::array::from_fn(|number| Uses::of(&machines[number], &self.machines[number], &self.memory));
        self.reads = uses.iter().fold(0, |pins, uses| pins | uses.reads);
        let writes = uses.iter().fold(0, |pins, uses| pins | uses.writes);
        let is_plain = !self.machines.iter().any(|settings| settings.out_sticky);
        self.apart = is_plain && uses::are_independent(&uses) && self.reads & self.pads.joined(writes & self.mine) == 0;
        for (number, settings) in self.machines.iter_mut().enumerate() {
            let others = uses.iter().enumerate().filter(|(other, _)| *other != number);
            settings.has_own_pins =
                is_plain && others.fold(0, |pins, (_, uses)| pins | uses.writes) & uses[number].writes == 0;
        }
    }
}

/// Whether the meaning of an instruction is not defined (3.4).
pub fn is_reserved(instruction: u16) -> bool {
    let (destination, low) = (instruction >> 5 & 7, instruction & 7);
    match instruction >> 13 {
        op::WAIT => destination & 3 == 3,
        op::IN => matches!(destination, 4 | 5),
        op::PUSH_PULL => instruction & 31 != 0,
        op::MOV => destination == 3 || instruction >> 3 & 3 == 3 || low == 4,
        op::IRQ => destination & 4 != 0,
        op::JMP | op::OUT => false,
        _ => !matches!(destination, 0 | 1 | 2 | 4),
    }
}
