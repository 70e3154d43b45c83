//! What each core waits for: the loop that it is in, what that reads, and whether anything changes from turn to turn.
//!
//! It is found by executing the loop on a copy of the chip on which the other core stands still and no interrupt comes. A core
//! that sleeps is woken on the copy: a loop around WFE goes back to sleep.

use crate::core::cortex_m::systick;
use crate::core::stop::Stop;
use crate::core::time::{Cycle, NEVER};
use crate::isa::thumb::decode::{Code, TABLE};
use crate::rp2040::machine::Machine;
use crate::rp2040::machine::polling::is_register;
use crate::rp2040::peripherals::sio::{self, FIFO_ST, Sio};

/// Instructions of the longest loop that is followed.
const LONGEST: usize = 2048;
/// Cycles that an instruction may take: some misses of the flash cache.
const PATIENCE: Cycle = 10_000;
/// `NVIC_ICER`.
const NVIC_ICER: u32 = 0xe000_e180;
const SYST_CSR: u32 = 0xe000_e010;

/// What of its FIFOs ends a loop of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FifoWait {
    /// A word from the other core.
    Word,
    /// Room for a word to the other core.
    Room,
}

/// What a core is doing over and over again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wait {
    /// It came back to the place where it was, with its stack as it was.
    pub returns: bool,
    /// And with all registers and SRAM as they were.
    pub repeats: bool,
    /// It wrote to registers of peripherals; spinlocks, which it gives back, do not count.
    pub acts: bool,
    /// Addresses of its instructions, in order.
    pub code: Vec<u32>,
    /// Registers of peripherals, SIO and core that it reads, in order.
    pub registers: Vec<u32>,
    /// Addresses in SRAM that it reads and leaves as they are, in order, but for those of its stack.
    pub words: Vec<u32>,
    /// Those of its stack of which that is true.
    pub locals: Vec<u32>,
    /// What it waits for if it reads the state of its FIFOs.
    pub fifo: Option<FifoWait>,
}

impl Machine {
    /// What each core is doing, if it comes back to where it is; none for a core that does nothing at all.
    pub fn waits(&mut self) -> [Option<Wait>; 2] {
        [0, 1].map(|number| {
            let core = self.core(number);
            if self.has_crashed(number) || core.is_off() || core.is_stuck() {
                return None;
            }
            let watch = std::mem::take(&mut self.bus.fabric.watch);
            let mut wait = self.clone().follow(number);
            if wait.returns
                && wait.registers.iter().any(|&address| address >> 28 == 0xd && sio::offset(address) == FIFO_ST)
            {
                wait.fifo = [FifoWait::Word, FifoWait::Room]
                    .into_iter()
                    .find(|&end| self.clone().leaves_by(number, &wait, end));
            }
            self.bus.fabric.watch = watch;
            Some(wait)
        })
    }

    /// Whether a core leaves its loop by a change of its FIFOs.
    fn leaves_by(mut self, number: usize, wait: &Wait, by: FifoWait) -> bool {
        self.isolate(number);
        let now = self.now();
        match by {
            FifoWait::Word => self.bus.peripherals.sio.hand(number, now),
            FifoWait::Room => self.bus.peripherals.sio.make_room(number),
        }
        // It may have read the old state already.
        (0..2 * wait.code.len()).any(|_| {
            let (executed, pc) = (self.executes(number), self.core(number).register(15));
            executed && wait.code.binary_search(&pc).is_err()
        })
    }

    /// Whether nothing will happen but what the cores do: no peripheral, no pin and no `SysTick` has anything to do.
    pub fn nothing_is_pending(&self) -> bool {
        let peripherals = &self.bus.peripherals;
        let ticks = |number| self.core(number).peek_private(SYST_CSR) & (systick::TICKINT | 1) == systick::TICKINT | 1;
        let pending = peripherals.next_event().min(self.bus.dma.next(&self.bus, self.now));
        pending == NEVER && !peripherals.stands_still() && peripherals.pins_stand_still() && !(0..2).any(ticks)
    }

    /// Lets nothing go on but a core, which is woken if it sleeps. False if it then does not come to an instruction.
    fn isolate(&mut self, number: usize) -> bool {
        let now = self.now();
        let _ = self.core_mut(1 - number).stick(now);
        self.write_private(number, NVIC_ICER, u32::MAX);
        let control = self.core(number).peek_private(SYST_CSR);
        self.write_private(number, SYST_CSR, control & !systick::TICKINT);
        if !self.core(number).is_asleep() {
            return self.executes(number);
        }
        let pc = self.core(number).register(15);
        self.core_mut(number).start_at(pc, now);
        true
    }

    /// Executes the loop that a core is in, with nothing else going on.
    fn follow(&mut self, number: usize) -> Wait {
        let mut wait = Wait::default();
        if !self.isolate(number) {
            return wait;
        }
        let (first, memory) = (self.registers_of(number), self.bus.memory.clone());
        let mut written = Vec::new();
        for _ in 0..LONGEST {
            self.look_at_instruction(number, &mut wait, &mut written);
            let executed = self.executes(number);
            let registers = self.registers_of(number);
            if !executed && !self.core(number).is_asleep() {
                break;
            }
            let back = registers[13] == first[13] && registers[15] == first[15];
            wait.returns |= back;
            wait.repeats = back && registers == first && self.bus.memory.has_the_same_sram(&memory);
            if wait.repeats || !executed {
                break;
            }
        }
        for list in [&mut wait.words, &mut wait.locals] {
            list.retain(|address| !written.contains(&(address & !3)));
        }
        for list in [&mut wait.code, &mut wait.registers, &mut wait.words, &mut wait.locals] {
            list.sort_unstable();
            list.dedup();
        }
        wait
    }

    /// Executes an instruction. False if the core falls asleep by it, or does not come to the next one.
    fn executes(&mut self, number: usize) -> bool {
        self.bus.fabric.watch.step(number as u8 & 1);
        let stop = self.run_until(self.now() + PATIENCE);
        self.bus.fabric.watch.end_step();
        stop == Stop::Stepped
    }

    /// Takes note of what the next instruction of a core accesses.
    fn look_at_instruction(&self, number: usize, wait: &mut Wait, written: &mut Vec<u32>) {
        let core = self.core(number);
        let (pc, sp) = (core.register(15), core.register(13));
        wait.code.push(pc);
        let half = self.peek(pc & !3).map_or(0, |word| (word >> ((pc & 2) * 8)) as u16);
        let op = &TABLE[usize::from(half)];
        let address = core.effective_address(op);
        let (loads, stores) = match op.code {
            Code::LoadImm | Code::LoadReg => (true, false),
            Code::StoreImm | Code::StoreReg => (false, true),
            // Registers that are saved are no news.
            Code::Push => {
                written.extend((1..=16).map(|word: u32| sp.wrapping_sub(4 * word)));
                return;
            }
            _ => return,
        };
        let is_lock = address >> 28 == 0xd && Sio::is_spinlock(sio::offset(address));
        if is_register(address) {
            wait.acts |= stores && !is_lock;
            if loads {
                wait.registers.push(address & !3);
            }
        } else if stores {
            written.push(address & !3);
        } else if loads && address >> 28 == 2 {
            // As far as a frame of a function may reach.
            let is_local = (sp..sp.saturating_add(LOCALS)).contains(&address);
            if is_local { &mut wait.locals } else { &mut wait.words }.push(address);
        }
    }
}

/// Bytes above the stack pointer in which a word is one of the core's own.
const LOCALS: u32 = 256;
