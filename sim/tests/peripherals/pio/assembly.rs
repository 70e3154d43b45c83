//! PIO instructions (datasheet 3.4), and a block on a desk that runs them.

use super::{CTRL, EXECCTRL, FSTAT, INSTR, INSTR_MEM, PIO, RXF, TXF, at_machine, give};
use crate::peripherals::bench::Bench;

/// Conditions of JMP.
pub const ALWAYS: u16 = 0;
pub const NOT_X: u16 = 1;
pub const X_DEC: u16 = 2;
pub const NOT_Y: u16 = 3;
pub const Y_DEC: u16 = 4;
pub const X_NOT_Y: u16 = 5;
pub const PIN: u16 = 6;
pub const NOT_OSRE: u16 = 7;
/// Sources and destinations; `PINDIRS` and `EXEC` of OUT and MOV have numbers of their own.
pub const PINS: u16 = 0;
pub const X: u16 = 1;
pub const Y: u16 = 2;
pub const NULL: u16 = 3;
pub const PINDIRS: u16 = 4;
pub const PC: u16 = 5;
pub const STATUS: u16 = 5;
pub const ISR: u16 = 6;
pub const OSR: u16 = 7;
/// Operations of MOV.
pub const COPY: u16 = 0;
pub const INVERT: u16 = 1;
pub const REVERSE: u16 = 2;
/// Sources of WAIT.
pub const GPIO: u16 = 0;
pub const MAPPED: u16 = 1;
pub const FLAG: u16 = 2;
/// A flag relative to the number of the state machine.
pub const REL: u16 = 0x10;

pub const fn jmp(condition: u16, to: u16) -> u16 {
    condition << 5 | to
}

pub const fn wait(level: u16, source: u16, index: u16) -> u16 {
    0x2000 | level << 7 | source << 5 | index
}

pub const fn input(source: u16, bits: u16) -> u16 {
    0x4000 | source << 5 | bits & 31
}

pub const fn out(to: u16, bits: u16) -> u16 {
    0x6000 | to << 5 | bits & 31
}

pub const PUSH: u16 = 0x8020;
pub const PUSH_NOBLOCK: u16 = 0x8000;
pub const PUSH_IFFULL: u16 = 0x8060;
pub const PULL: u16 = 0x80a0;
pub const PULL_NOBLOCK: u16 = 0x8080;
pub const PULL_IFEMPTY: u16 = 0x80e0;
pub const NOP: u16 = mov(Y, COPY, Y);

pub const fn mov(to: u16, operation: u16, from: u16) -> u16 {
    0xa000 | to << 5 | operation << 3 | from
}

pub const fn irq(flag: u16) -> u16 {
    0xc000 | flag
}

pub const fn irq_wait(flag: u16) -> u16 {
    0xc020 | flag
}

pub const fn irq_clear(flag: u16) -> u16 {
    0xc040 | flag
}

pub const fn set(to: u16, data: u16) -> u16 {
    0xe000 | to << 5 | data
}

/// An instruction with delay cycles.
pub const fn delay(instruction: u16, cycles: u16) -> u16 {
    instruction | cycles << 8
}

/// An instruction with a side-set of so many bits.
pub const fn side(instruction: u16, bits: u16, data: u16) -> u16 {
    instruction | data << (13 - bits)
}

/// `EXECCTRL` and `SHIFTCTRL` fields.
pub const fn wrap(bottom: u32, top: u32) -> u32 {
    top << 12 | bottom << 7
}

pub const AUTOPUSH: u32 = 1 << 16;
pub const AUTOPULL: u32 = 1 << 17;
pub const IN_RIGHT: u32 = 1 << 18;
pub const OUT_RIGHT: u32 = 1 << 19;

pub const fn push_threshold(bits: u32) -> u32 {
    (bits & 31) << 20
}

pub const fn pull_threshold(bits: u32) -> u32 {
    (bits & 31) << 25
}

/// The settings of a state machine.
#[derive(Clone, Copy)]
pub struct Machine {
    pub clkdiv: u32,
    pub execctrl: u32,
    pub shiftctrl: u32,
    pub pinctrl: u32,
    pub entry: u16,
}

/// As after reset, with all pins an output of SET from pin 0 on, and of OUT.
pub const PLAIN: Machine = Machine {
    clkdiv: 1 << 16,
    execctrl: wrap(0, 31),
    shiftctrl: IN_RIGHT | OUT_RIGHT,
    pinctrl: 5 << 26 | 8 << 20,
    entry: 0,
};

/// `PINCTRL` fields.
pub const fn out_pins(base: u32, count: u32) -> u32 {
    count << 20 | base
}

pub const fn set_pins(base: u32, count: u32) -> u32 {
    count << 26 | base << 5
}

pub const fn side_pins(base: u32, count: u32) -> u32 {
    count << 29 | base << 10
}

pub const fn in_pins(base: u32) -> u32 {
    base << 15
}

/// A chip of which PIO0 has all pins.
pub struct Desk {
    pub bench: Bench,
}

impl Desk {
    pub fn new(program: &[u16]) -> Self {
        let mut bench = Bench::started();
        for pin in 0..30 {
            give(&mut bench, pin, 0);
        }
        let mut desk = Self { bench };
        for (at, &instruction) in program.iter().enumerate() {
            desk.write(INSTR_MEM + 4 * at as u32, u32::from(instruction));
        }
        desk
    }

    pub fn write(&mut self, offset: u32, value: u32) {
        self.bench.write(PIO[0] + offset, value);
        self.bench.wait(1);
    }

    pub fn read(&mut self, offset: u32) -> u32 {
        self.bench.read(PIO[0] + offset)
    }

    /// Sets a state machine up, restarts it and sends it to its first instruction; it is not enabled yet.
    pub fn set_up(&mut self, machine: u32, settings: Machine) {
        let Machine { clkdiv, execctrl, shiftctrl, pinctrl, entry } = settings;
        for (offset, value) in [(0xc8, clkdiv), (EXECCTRL, execctrl), (0xd0, shiftctrl), (0xdc, pinctrl)] {
            self.write(at_machine(offset, machine), value);
        }
        let enabled = self.read(CTRL);
        self.write(CTRL, enabled | 0x110 << machine);
        self.force(machine, jmp(ALWAYS, entry));
    }

    /// Has an instruction executed, to its end unless it stalls.
    pub fn force(&mut self, machine: u32, instruction: u16) {
        self.write(at_machine(INSTR, machine), u32::from(instruction));
        self.bench.wait(2);
    }

    /// Makes pins outputs.
    pub fn drive(&mut self, machine: u32, base: u16, count: u16) {
        let pinctrl = self.read(at_machine(0xdc, machine));
        for pin in base..base + count {
            self.write(at_machine(0xdc, machine), set_pins(u32::from(pin), 1));
            self.force(machine, set(PINDIRS, 1));
        }
        self.write(at_machine(0xdc, machine), pinctrl);
    }

    /// Enables state machines, with their dividers in step. The first cycle that they execute is the next one.
    pub fn enable(&mut self, machines: u32) {
        self.bench.write(PIO[0] + CTRL, machines | machines << 8);
    }

    /// The levels of a pin in the coming cycles, a digit each.
    pub fn wave(&mut self, pin: u32, cycles: usize) -> String {
        self.waves(&[pin], cycles).remove(0)
    }

    pub fn waves(&mut self, pins: &[u32], cycles: usize) -> Vec<String> {
        let mut waves = vec![String::new(); pins.len()];
        for _ in 0..cycles {
            self.bench.wait(1);
            let levels = self.bench.p.pin_levels(self.bench.now);
            for (wave, pin) in waves.iter_mut().zip(pins) {
                wave.push(if levels >> pin & 1 == 1 { '1' } else { '0' });
            }
        }
        waves
    }

    pub fn put(&mut self, machine: u32, word: u32) {
        self.write(TXF + 4 * machine, word);
    }

    /// The word that a state machine pushes within so many cycles.
    pub fn get(&mut self, machine: u32, within: u64) -> Option<u32> {
        for _ in 0..within {
            if self.read(FSTAT) >> (8 + machine) & 1 == 0 {
                return Some(self.read(RXF + 4 * machine));
            }
            self.bench.wait(1);
        }
        None
    }

    /// What a scratch register holds; the state machine is stopped, and its ISR lost.
    pub fn register(&mut self, machine: u32, register: u16) -> u32 {
        self.write(CTRL, 0);
        self.force(machine, mov(ISR, COPY, register));
        self.force(machine, PUSH);
        self.get(machine, 4).expect("a word")
    }
}
