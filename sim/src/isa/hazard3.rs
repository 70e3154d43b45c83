//! Hazard3, the RISC-V core of the RP2350, cycle by cycle (RP2350 datasheet 3.8).
//!
//! Three stages: the front end fetches, X decodes and executes, M has the data phase of loads and stores. In each cycle a core first
//! says what it asks of its two ports ([`Core::begin`]), and then deals with what they answered ([`Core::end`]), as on AHB: a port takes
//! an address in the cycle in which it completes the transfer before. [`Core::cycle`] does the same at once, and quickly ([`memo`]).

#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)] // a register is signed or not as its instruction says
#![allow(clippy::struct_excessive_bools)] // they are flip-flops
#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

pub mod alu;
pub mod compressed;
pub mod csr;
pub mod decode;
pub mod fetch;
mod finish;
mod host;
pub mod interrupts;
mod look;
pub mod memo;
pub mod op;
pub mod pmp;
pub mod ports;
pub mod sequence;
mod sleep;
pub mod triggers;

use crate::isa::hazard3::csr::{Csrs, Trap};
use crate::isa::hazard3::fetch::FrontEnd;
pub use crate::isa::hazard3::look::Cycle;
use crate::isa::hazard3::op::{Cause, Memory};
use crate::isa::hazard3::ports::{Lines, Reply};
use crate::isa::hazard3::sleep::{Sleep, Wait};

/// The instruction in stage M.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
struct Behind {
    rd: u8,
    memory: Memory,
    /// The lowest bits of the address.
    lane: u32,
    /// What it stores, each byte or halfword in each of its places.
    value: u32,
    cause: Option<Cause>,
    wait: Option<Wait>,
    keeps_pc: bool,
}

impl Behind {
    const NOTHING: Self =
        Self { rd: 0, memory: Memory::None, lane: 0, value: 0, cause: None, wait: None, keeps_pc: false };
}

/// A Hazard3.
#[derive(Clone, Debug)]
pub struct Core {
    registers: [u32; 32],
    front: FrontEnd,
    /// See there.
    pub csrs: Csrs,
    /// Address of the instruction in X.
    pc: u32,
    /// Of a sequence.
    step: u8,
    /// The instruction in X has jumped already, and is not done.
    has_jumped: bool,
    /// Of an atomic access: read address, read data, write address, write data, failed.
    phase: u8,
    /// What an atomic access has read.
    old: u32,
    /// What it writes.
    new: u32,
    /// Cycles that the divider still takes; none if it has not begun.
    division: Option<u32>,
    /// The instruction in X is on the bus and cannot be interrupted any more.
    is_committed: bool,
    was_wide: bool,
    behind: Behind,
    reserved: bool,
    /// Transfers in their data phases.
    fetching: bool,
    /// The address of the word that is fetched.
    fetched: u32,
    accessing: bool,
    sleep: Sleep,
    unblocks: bool,
    /// The trap that was entered, or left by `mret`, and nobody has taken note of.
    trapped: Option<Trap>,
    /// The number of the state that it is in, see [`memo`].
    at: u32,
}

impl Core {
    /// Where registers are in it, for native code.
    pub(crate) const REGISTERS_AT: usize = std::mem::offset_of!(Self, registers);

    /// A core out of reset, which begins at an address.
    pub fn new(hart: u32, entry: u32) -> Self {
        Self {
            registers: [0; 32],
            front: FrontEnd::new(entry),
            csrs: Csrs::new(hart),
            pc: entry,
            step: 0,
            has_jumped: false,
            phase: 0,
            old: 0,
            new: 0,
            division: None,
            is_committed: false,
            was_wide: false,
            behind: Behind::NOTHING,
            reserved: false,
            fetching: false,
            fetched: 0,
            accessing: false,
            sleep: Sleep::default(),
            unblocks: false,
            trapped: None,
            at: memo::NONE,
        }
    }

    /// A register.
    pub fn register(&self, number: usize) -> u32 {
        self.registers[number & 31]
    }

    /// Sets a register other than x0.
    pub fn set_register(&mut self, number: u8, value: u32) {
        if number & 31 != 0 {
            self.registers[usize::from(number & 31)] = value;
        }
    }

    /// What the data port's transfer in its data phase stores, each byte or halfword in each of its places.
    pub fn stored(&self) -> u32 {
        if self.phase == 3 { self.new } else { self.behind.value }
    }

    /// Whether it has executed `h3.unblock` in the cycle before.
    pub fn unblocks(&self) -> bool {
        self.unblocks
    }

    /// Whether the instruction in stage M waits to be woken.
    fn sleeps(&self) -> bool {
        self.behind.wait.is_some() && !self.sleep.releases
    }

    fn reg(&self, number: u8) -> u32 {
        self.registers[usize::from(number & 31)]
    }

    /// Begins a cycle, which has what the core asks for; none while its clock is stopped.
    pub fn begin(&mut self, lines: &Lines) -> Option<Cycle> {
        if self.sleep.is_stopped {
            return None;
        }
        self.csrs.interrupts.set_lines(lines.external);
        Some(self.look())
    }

    /// Ends the cycle that was begun with what the ports of instructions and of data have answered: address and encoding of the
    /// instruction, or step of one, that was executed.
    pub fn end(&mut self, cycle: Option<&Cycle>, fetch: Reply, data: Reply, lines: &Lines) -> Option<(u32, u32)> {
        let wakes = self.csrs.wakes();
        let rests = self.front.is_full() && cycle.is_none_or(|cycle| cycle.redirect.is_none());
        let wait = self.behind.wait;
        let executed = cycle.and_then(|cycle| self.finish(cycle, fetch, data));
        let settings = self.csrs.sleep;
        self.sleep.clock(wait, settings, wakes, rests, lines.unblocked);
        self.csrs.set_lines(lines.timer, lines.software);
        executed
    }
}
