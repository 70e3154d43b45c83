//! Loops in which a core waits for what will never come.

use crate::core::stop::Stop;
use crate::core::time::{Cycle, NEVER};
use crate::core::watch::Watchpoints;
use crate::isa::armv6m::wide;
use crate::isa::thumb::decode::{Code, TABLE};
use crate::rp2040::machine::Machine;
use crate::rp2040::peripherals::Peripherals;
use crate::rp2040::peripherals::blocks::UART0;

/// Instructions of the longest loop that is recognised.
const LONGEST: usize = 256;
/// Addresses of registers are not in ROM, in the flash window, or in SRAM.
pub(super) fn is_register(address: u32) -> bool {
    !matches!(address >> 24, 0x00 | 0x10..=0x13 | 0x20..=0x21)
}

/// A loop that leaves the core and the memory as they were, and writes to no peripheral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polling {
    /// Which core.
    pub core: usize,
    /// Registers, with PC at the lowest address of the loop, and flags.
    registers: [u32; 17],
    /// Registers of peripherals that it reads.
    pub reads: Vec<u32>,
}

/// What an instruction of a loop does.
enum Waiting {
    /// It reads a register of a peripheral.
    Reads(u32),
    /// It has to do with registers of the core and with memory only.
    Computes,
    /// It does more than a loop that waits.
    Acts,
}

impl Polling {
    /// The lowest address of its instructions.
    pub fn pc(&self) -> u32 {
        self.registers[15]
    }

    /// Whether it reads registers of a port that gets input, UART0 or USB, so that input might end it.
    pub fn may_wait_for_input(&self) -> bool {
        self.reads.iter().any(|address| address >> 14 == UART0.base >> 14 || matches!(address >> 16, 0x5010 | 0x5011))
    }

    /// Says what it does `at` a place.
    pub fn explain(&self, at: &str) -> String {
        let registers: Vec<_> = self.reads.iter().map(|&address| Peripherals::register_name(address)).collect();
        let core = self.core;
        if registers.is_empty() {
            return format!("core {core} stays in the loop at {at}: nothing is pending that could end it");
        }
        let registers = registers.join(" and ");
        format!("core {core} polls {registers} in the loop at {at}: nothing is pending that could change what it reads")
    }
}

impl Machine {
    /// The loop that a core is in, if nothing is pending that could end it: the other core does nothing, no peripheral has
    /// anything to do, no pin moves, and what it reads does not depend on the time.
    pub fn polling(&self) -> Option<Polling> {
        let is_awake = |number: usize| {
            let core = self.core(number);
            !(self.has_crashed(number) || core.is_off() || core.is_stuck() || core.is_asleep() && core.t == NEVER)
        };
        let core = (0..2).find(|&number| is_awake(number) && !is_awake(1 - number))?;
        let peripherals = &self.bus.peripherals;
        let pending = peripherals.next_event().min(self.bus.dma.next(&self.bus, self.now));
        if pending != NEVER || peripherals.stands_still() || !peripherals.pins_stand_still() {
            return None;
        }
        let mut copy = self.clone();
        copy.bus.fabric.watch = Watchpoints::default();
        copy.settle_in_loop(core).filter(|found| found.reads.iter().all(|&address| self.stays(address)))
    }

    /// Whether a register has the same value at each of many times in the next months, if nothing happens.
    fn stays(&self, address: u32) -> bool {
        let at = |cycle| self.bus.peripherals.peek(address, cycle, &self.bus.clocks);
        match address >> 28 {
            4 | 5 => (0..=50).all(|power| at(self.now + (1 << power)) == at(self.now)),
            // SIO tells no time; `SysTick`, among a core's own registers, does, and counters of the flash cache move.
            0xd => true,
            _ => false,
        }
    }

    /// Finds the loop by executing it once.
    fn settle_in_loop(&mut self, core: usize) -> Option<Polling> {
        let advance = |machine: &mut Self| (machine.step(core) == Stop::Stepped).then_some(());
        advance(self)?;
        let (first, memory) = (self.registers_of(core), self.bus.memory.clone());
        let mut found = Polling { core, registers: first, reads: Vec::new() };
        for _ in 0..LONGEST {
            match self.next_instruction(core) {
                Waiting::Reads(register) => found.reads.push(register),
                Waiting::Computes => {}
                Waiting::Acts => return None,
            }
            advance(self)?;
            let registers = self.registers_of(core);
            if registers == first {
                found.reads.sort_unstable();
                found.reads.dedup();
                return self.bus.memory.has_the_same_sram(&memory).then_some(found);
            }
            if registers[15] < found.registers[15] {
                found.registers = registers;
            }
        }
        None
    }

    pub(super) fn registers_of(&self, number: usize) -> [u32; 17] {
        let core = self.core(number);
        std::array::from_fn(|register| if register < 16 { core.register(register) } else { core.xpsr() })
    }

    fn next_instruction(&self, number: usize) -> Waiting {
        let core = self.core(number);
        let pc = core.register(15);
        let half = |at: u32| self.peek(at & !3).map_or(0, |word| (word >> ((at & 2) * 8)) as u16);
        let first = half(pc);
        let op = &TABLE[usize::from(first)];
        let is_register = is_register(core.effective_address(op));
        let acts = match op.code {
            Code::LoadImm | Code::LoadReg if is_register => return Waiting::Reads(core.effective_address(op)),
            Code::StoreImm | Code::StoreReg => is_register,
            Code::Push | Code::Pop | Code::PopPc | Code::Bx | Code::Blx | Code::MovPc | Code::AddPc => false,
            Code::Wide => wide::branch_target(pc, first, half(pc.wrapping_add(2))).is_none(),
            other => other.needs_slow_path(),
        };
        if acts { Waiting::Acts } else { Waiting::Computes }
    }
}

/// How often a loop is looked at, and how often it has to be the same.
pub const LOOK_EVERY: Cycle = 5_000_000;
/// See `LOOK_EVERY`.
pub const LOOKS: u32 = 64;
