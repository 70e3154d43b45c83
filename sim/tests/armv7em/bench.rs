//! A core with a program at `CODE`, handlers that return at once, and words to look at.

use super::memory::{Memory, RAM};
use intercore_sim::core::register::Register;
use intercore_sim::isa::armv7em::model::Model;
use intercore_sim::isa::armv7em::{Processor, Step};

/// Where the program is.
pub const CODE: u32 = 0x1000;
/// Where the handler of an exception is: `HANDLERS` + 64 times its number.
pub const HANDLERS: u32 = 0x2000;
/// The top of the main stack.
pub const STACK: u32 = RAM + 0x1000;
/// Data of the program.
pub const DATA: u32 = RAM + 0x2000;

pub const NOP: u16 = 0xbf00;
pub const BX_LR: u16 = 0x4770;
pub const UDF: u16 = 0xde00;
pub const SVC: u16 = 0xdf00;
pub const WFI: u16 = 0xbf30;
pub const WFE: u16 = 0xbf20;
/// LDR r0, [r1] and STR r0, [r1].
pub const LDR: u16 = 0x6808;
pub const STR: u16 = 0x6008;
/// VMOV s0, r0, which needs a floating-point context.
pub const VMOV: [u16; 2] = [0xee00, 0x0a10];

pub const ICSR: u32 = 0xe000_ed04;
pub const AIRCR: u32 = 0xe000_ed0c;
pub const SCR: u32 = 0xe000_ed10;
pub const CCR: u32 = 0xe000_ed14;
pub const SHCSR: u32 = 0xe000_ed24;
pub const CPACR: u32 = 0xe000_ed88;
pub const FPCCR: u32 = 0xe000_ef34;
pub const FPCAR: u32 = 0xe000_ef38;
pub const FPDSCR: u32 = 0xe000_ef3c;

/// Numbers of exceptions.
pub const HARD_FAULT: u8 = 3;
pub const MEM_MANAGE: u8 = 4;
pub const BUS_FAULT: u8 = 5;
pub const USAGE_FAULT: u8 = 6;
pub const SV_CALL: u8 = 11;
pub const PEND_SV: u8 = 14;
pub const SYS_TICK: u8 = 15;

pub struct Bench {
    pub memory: Memory,
    pub processor: Processor,
}

impl Bench {
    pub fn new(model: Model, code: &[u16]) -> Self {
        let mut bench = Self { memory: Memory::new(vec![0; 0x8000], 0x8000), processor: Processor::new(model) };
        bench.memory.put_word(0, STACK);
        bench.memory.put_word(4, CODE | 1);
        for number in 2..64 {
            bench.memory.put_word(4 * number, handler(number as u8) | 1);
            bench.handler(number as u8, &[BX_LR]);
        }
        bench.put(CODE, code);
        bench.processor.reset(0, &mut bench.memory);
        bench
    }

    /// The same on a Cortex-M7.
    pub fn m7(code: &[u16]) -> Self {
        Self::new(Model::cortex_m7(48), code)
    }

    /// Lets privileged and other code use floating point.
    pub fn with_float(mut self) -> Self {
        self.poke(CPACR, 0xf << 20);
        self
    }

    pub fn put(&mut self, address: u32, code: &[u16]) {
        for (half, at) in code.iter().zip((address as usize..).step_by(2)) {
            self.memory.low[at..at + 2].copy_from_slice(&half.to_le_bytes());
        }
    }

    pub fn handler(&mut self, number: u8, code: &[u16]) {
        self.put(handler(number), code);
    }

    pub fn step(&mut self) -> Step {
        self.processor.step(&mut self.memory)
    }

    /// So many steps that execute something or enter an exception.
    pub fn steps(&mut self, count: u32) {
        for _ in 0..count {
            let step = self.step();
            assert!(matches!(step, Step::Executed | Step::Entered(_)), "{step:?}");
        }
    }

    pub fn peek(&self, address: u32) -> u32 {
        self.processor.peek_system_control(address)
    }

    pub fn poke(&mut self, address: u32, value: u32) {
        self.processor.poke_system_control(address, value);
    }

    pub fn r(&self, number: usize) -> u32 {
        self.processor.register(number)
    }

    /// A register as a debugger sees it.
    pub fn register(&self, register: Register) -> u32 {
        self.processor.peek_register(register) as u32
    }

    pub fn set(&mut self, number: usize, value: u32) {
        match number {
            15 => self.processor.send_to(value),
            _ => _ = self.processor.poke_register(Register::R(number as u8), u64::from(value)),
        }
    }

    /// The word of the frame that the stack pointer in use is at.
    pub fn frame(&mut self, index: u32) -> u32 {
        let sp = self.r(13);
        self.memory.word(sp + 4 * index)
    }

    /// Enables an interrupt with a priority byte.
    pub fn enable(&mut self, interrupt: u32, priority: u32) {
        let register = 0xe000_e400 + (interrupt & !3);
        let shift = (interrupt & 3) * 8;
        let others = self.peek(register) & !(0xff << shift);
        self.poke(register, others | priority << shift);
        self.poke(0xe000_e100 + interrupt / 32 * 4, 1 << (interrupt & 31));
    }

    /// Makes an interrupt pending by `NVIC_ISPR`.
    pub fn pend(&mut self, interrupt: u32) {
        self.poke(0xe000_e200 + interrupt / 32 * 4, 1 << (interrupt & 31));
    }
}

pub fn handler(number: u8) -> u32 {
    HANDLERS + 64 * u32::from(number)
}

/// The exception number of an interrupt.
pub fn irq(interrupt: u8) -> u8 {
    16 + interrupt
}
