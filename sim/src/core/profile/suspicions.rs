//! What a core does against what the datasheet says, told from its accesses to registers.

use crate::core::profile::calls::Frame;
use crate::core::profile::hunt::{Doer, Hunt, Suspicion};
use crate::core::profile::registers::Registers;
use std::collections::HashMap;

/// Control and current value of `SysTick` (ARMv6-M B3.3.2).
const SYST_CSR: u32 = 0xe000_e010;
const SYST_CVR: u32 = 0xe000_e018;
/// Registers of the divider, from its first one on (DS 2.3.1.7): operands, alike for unsigned and signed, and results.
const SIGNED_DIVIDEND: u32 = 8;
const OPERANDS: u32 = 16;
const QUOTIENT: u32 = 16;
const REMAINDER: u32 = 20;
/// Bytes from the register that takes words for the other core to those beside it: the state, and words of the other core.
const FIFO_REGISTERS: u32 = 4;
/// Operands of divisions that are remembered, of so many tasks and handlers at most.
const MAX_OPERANDS: usize = 1 << 12;
/// What the boot ROM of core 1 waits for before the table of vectors, the stack and the entry (DS 2.8.2).
const LAUNCH: [u32; 3] = [0, 0, 1];
/// Words of a launch.
const LAUNCH_WORDS: usize = 6;

/// Registers of a chip that this knows of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ports {
    /// The first register of the divider that each core has; 0 if there is none.
    pub divider: u32,
    /// Where a core writes words for the other one; 0 if there is no such place.
    pub fifo: u32,
    /// The end of the boot ROM, in which a core that is started answers with the same words.
    pub rom_end: u32,
}

/// A division that somebody has asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Division {
    dividend: Option<u32>,
    divisor: Option<u32>,
    signed: bool,
}

impl Division {
    /// Quotient and remainder, once both operands are there. Those of a division by 0 are left to the chip.
    fn results(self) -> Option<(u32, u32)> {
        let (dividend, divisor) = (self.dividend?, self.divisor.filter(|&divisor| divisor != 0)?);
        let (signed_dividend, signed_divisor) = (dividend.cast_signed(), divisor.cast_signed());
        Some(if self.signed {
            let quotient = signed_dividend.wrapping_div(signed_divisor);
            (quotient.cast_unsigned(), signed_dividend.wrapping_rem(signed_divisor).cast_unsigned())
        } else {
            (dividend / divisor, dividend % divisor)
        })
    }
}

/// How far a core has come with starting the other one.
#[derive(Clone, Debug, Default)]
pub(super) struct Launching {
    words: Vec<u32>,
    /// How many of them the boot ROM of the other core has answered with the same word.
    answered: usize,
    /// The functions that send a word, and that look for its answer.
    by: [[u32; 2]; 2],
    /// A word was sent last, and not looked for its answer yet.
    asks: bool,
    /// What the other core was started with: stack, entry.
    pub(super) done: Option<(u32, u32)>,
}

impl Launching {
    /// A word is sent. One that comes before the answer to the last one is of no launch.
    fn sends(&mut self, functions: [u32; 2], value: u32) {
        if self.done.is_some() {
            self.asks = value == 0 && self.by[0] == functions;
            return;
        }
        if self.answered < self.words.len() {
            self.words.clear();
        }
        self.words.push(value);
        let expected = &LAUNCH[..self.words.len().min(LAUNCH.len())];
        if !self.words.starts_with(expected) {
            // Zeros may come more often than they must.
            let zeros = self.words.iter().rev().take_while(|&&word| word == 0).count().min(2);
            self.words = vec![0; zeros];
        }
        self.answered = self.words.len().saturating_sub(1);
        self.by[0] = functions;
        self.asks = true;
    }

    /// The sender looks for an answer. Whether it does so as it did for that of the boot ROM, which runs no more.
    fn looks(&mut self, functions: [u32; 2]) -> bool {
        let asks = std::mem::take(&mut self.asks);
        if self.done.is_none() && asks {
            self.by[1] = functions;
        }
        self.done.is_some() && asks && self.by[1] == functions
    }

    /// The boot ROM of the other core answers.
    fn is_answered(&mut self, value: u32) {
        if self.words.last() == Some(&value) {
            self.answered = self.words.len();
        } else {
            self.words.clear();
            self.answered = 0;
        }
        if self.answered == LAUNCH_WORDS {
            self.done = Some((self.words[4], self.words[5]));
        }
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Suspicions {
    ports: Ports,
    systick: [bool; 2],
    divisions: HashMap<(u8, Frame), Division>,
    /// By the core that starts the other one.
    pub(super) launches: [Launching; 2],
}

impl Suspicions {
    pub fn new(ports: Ports) -> Self {
        Self { ports, ..Self::default() }
    }

    /// A core comes out of reset.
    pub fn restarts(&mut self, core: u8) {
        self.systick[usize::from(core & 1)] = false;
        self.launches[usize::from(core & 1 ^ 1)] = Launching::default();
    }

    /// A core enters the handler of an exception, which has divided nothing yet.
    pub fn enters(&mut self, core: u8, exception: u8) {
        self.divisions.remove(&(core, Frame::Handler(exception)));
    }

    /// A core, in a task or handler, has read or written a register. What is suspicious of it.
    pub fn access(
        &mut self,
        core: u8,
        root: Frame,
        functions: [u32; 2],
        address: u32,
        write: bool,
        value: u32,
    ) -> Option<Suspicion> {
        let number = usize::from(core & 1);
        match address {
            SYST_CSR if write => self.systick[number] = value & 1 != 0,
            SYST_CVR if !write && !self.systick[number] => return Some(Suspicion::SysTickOff),
            fifo if fifo == self.ports.fifo && write => {
                if functions[1] >= self.ports.rom_end {
                    self.launches[number].sends(functions, value);
                } else {
                    self.launches[1 - number].is_answered(value);
                }
            }
            fifo if self.ports.fifo != 0
                && !write
                && fifo.wrapping_sub(self.ports.fifo).wrapping_add(FIFO_REGISTERS) <= 2 * FIFO_REGISTERS =>
            {
                return self.launches[number].looks(functions).then_some(Suspicion::StartedTwice);
            }
            _ if self.ports.divider != 0 => {
                let register = address.wrapping_sub(self.ports.divider);
                if register <= REMAINDER {
                    return self.divides((core, root), register, write, value);
                }
            }
            _ => {}
        }
        None
    }

    fn divides(&mut self, by: (u8, Frame), register: u32, write: bool, value: u32) -> Option<Suspicion> {
        if write && register < OPERANDS {
            if self.divisions.len() >= MAX_OPERANDS {
                self.divisions.clear();
            }
            let division = self.divisions.entry(by).or_default();
            division.signed = register >= SIGNED_DIVIDEND;
            let operand = if register & 4 == 0 { &mut division.dividend } else { &mut division.divisor };
            *operand = Some(value);
        } else if write {
            // It restores what it has saved.
            self.divisions.remove(&by);
        } else if let Some((quotient, remainder)) = self.divisions.get(&by).and_then(|division| division.results()) {
            let expected = match register {
                QUOTIENT => quotient,
                REMAINDER => remainder,
                _ => return None,
            };
            return (value != expected).then_some(Suspicion::DividerShared);
        }
        None
    }
}

impl Hunt {
    /// Whether it has to be told of each access to an address of a core's I/O port that is no spinlock.
    pub(super) fn is_told_of(&self, address: u32) -> bool {
        let Ports { divider, fifo, .. } = self.seen.ports;
        self.races.is_some() && Registers::is_looked_at(address)
            || address.wrapping_sub(divider) <= REMAINDER
            || address.wrapping_sub(fifo).wrapping_add(FIFO_REGISTERS) <= 2 * FIFO_REGISTERS
    }

    /// A core, in a task or handler, has accessed a register. Whether that changes what is to be watched.
    pub(super) fn access(&mut self, doer: Doer, root: Frame, functions: [u32; 2], address: u32, write: bool) -> bool {
        let number = usize::from(doer.core & 1);
        if let Some(races) = &mut self.races {
            races.fifo(doer, address.wrapping_sub(self.seen.ports.fifo), write);
        }
        let before = self.seen.launches[1 - number].done.is_some();
        if let Some(what) = self.seen.access(doer.core, root, functions, address, write, doer.value) {
            self.suspect(what, functions[1], doer);
        }
        let launches = !before && self.seen.launches[1 - number].done.is_some();
        if launches {
            self.launched(doer.core ^ 1);
        }
        launches
    }
}
