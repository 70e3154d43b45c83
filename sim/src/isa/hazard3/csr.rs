//! Control and status registers (RP2350 datasheet 3.8.9).

use crate::isa::hazard3::interrupts::{Interrupts, Written};
use crate::isa::hazard3::op::{Cause, Csr, CsrWrite};
use crate::isa::hazard3::pmp::Protection;
use crate::isa::hazard3::ports::Lines;
use crate::isa::hazard3::triggers::Triggers;

const MTVEC_RESET: u32 = 0x7ffc;
const MISA: u32 = 0x4090_1105;
const VENDOR: u32 = 0x0000_0493;
const ARCHITECTURE: u32 = 27;
const IMPLEMENTATION: u32 = 0x86fc_4e3f;
const EXTERNAL: u32 = 1 << 11;
const TIMER: u32 = 1 << 7;
const SOFTWARE: u32 = 1 << 3;

/// Where a trap comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// An instruction.
    Exception(Cause),
    /// An interrupt, by its number in `mcause`.
    Interrupt(u32),
}

/// What decides on an interrupt.
#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
struct Status {
    enabled: bool,
    was_enabled: bool,
    was_machine: bool,
    /// Loads and stores go by the mode before.
    modifies_privilege: bool,
    traps_wfi: bool,
}

/// A counter that software can set and stop.
#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
struct Counter {
    value: u64,
    runs: bool,
    /// User mode may read it.
    is_open: bool,
}

impl Counter {
    fn half(&self, upper: bool) -> u32 {
        (self.value >> if upper { 32 } else { 0 }) as u32
    }

    fn set_half(&mut self, upper: bool, half: u32) {
        let shift = if upper { 32 } else { 0 };
        self.value = self.value & !(0xffff_ffff << shift) | u64::from(half) << shift;
    }
}

/// How the core sleeps (`msleep`).
#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
pub struct SleepSettings {
    /// Its clock is stopped.
    pub stops_clock: bool,
    /// Its power may be switched off.
    pub powers_down: bool,
    /// Also for `h3.block`.
    pub on_block: bool,
}

/// See the module.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub struct Csrs {
    hart: u32,
    /// Whether it is in machine mode.
    pub machine_mode: bool,
    status: Status,
    scratch: u32,
    vector: u32,
    return_to: u32,
    cause: u32,
    enables: u32,
    /// Lines as they were at the end of the last cycle.
    timer: bool,
    software: bool,
    /// `mcycle`, `minstret`.
    counters: [Counter; 2],
    /// User mode may read a timer, which there is none of.
    time_is_open: bool,
    /// See there.
    pub sleep: SleepSettings,
    /// See there.
    pub interrupts: Interrupts,
    /// See there.
    pub protection: Protection,
    /// See there.
    pub triggers: Triggers,
}

impl Csrs {
    /// Of a core of a number, out of reset.
    pub fn new(hart: u32) -> Self {
        Self {
            hart,
            machine_mode: true,
            status: Status { was_machine: true, ..Status::default() },
            scratch: 0,
            vector: MTVEC_RESET,
            return_to: 0,
            cause: 0,
            enables: 0,
            timer: false,
            software: false,
            counters: [Counter::default(); 2],
            time_is_open: false,
            sleep: SleepSettings::default(),
            interrupts: Interrupts::default(),
            protection: Protection::default(),
            triggers: Triggers::default(),
        }
    }

    /// Interrupt lines of the standard, at the end of a cycle.
    pub fn set_lines(&mut self, timer: bool, software: bool) {
        (self.timer, self.software) = (timer, software);
    }

    /// `mip`.
    fn pending(&self) -> u32 {
        let bit = |is_set: bool, bit| if is_set { bit } else { 0 };
        bit(self.interrupts.is_pending(), EXTERNAL) | bit(self.timer, TIMER) | bit(self.software, SOFTWARE)
    }

    /// Whether an interrupt that is enabled is pending: it ends `wfi`, whether it is taken or not.
    pub fn wakes(&self) -> bool {
        self.pending() & self.enables != 0
    }

    /// The interrupt to take, if any.
    pub fn interrupt(&self) -> Option<u32> {
        if !self.status.enabled {
            return None;
        }
        let asking = self.pending() & self.enables;
        [11, 3, 7].into_iter().find(|number| asking >> number & 1 != 0)
    }

    /// Whether `wfi` and hints of the power management trap.
    pub fn traps_wfi(&self) -> bool {
        self.status.traps_wfi && !self.machine_mode
    }

    /// Whether loads and stores are those of machine mode.
    pub fn accesses_as_machine(&self) -> bool {
        if self.status.modifies_privilege { self.status.was_machine } else { self.machine_mode }
    }

    /// Where a trap goes to, and whether that is executed in machine mode.
    pub fn target(&self, trap: Trap) -> (u32, bool) {
        match trap {
            Trap::Exception(Cause::Return) => (self.return_to, self.status.was_machine),
            Trap::Interrupt(number) if self.vector & 1 != 0 => (self.vector & !3 | number << 2, true),
            _ => (self.vector & !3, true),
        }
    }

    /// A trap is entered or, for `mret`, left.
    pub fn enter(&mut self, trap: Trap, return_to: u32) {
        let status = &mut self.status;
        if trap == Trap::Exception(Cause::Return) {
            status.enabled = status.was_enabled;
            status.was_enabled = true;
            status.modifies_privilege &= status.was_machine;
            self.machine_mode = std::mem::take(&mut status.was_machine);
            self.interrupts.leave();
            self.triggers.leave();
            return;
        }
        status.was_enabled = std::mem::take(&mut status.enabled);
        status.was_machine = std::mem::replace(&mut self.machine_mode, true);
        self.return_to = return_to & !1;
        self.cause = match trap {
            Trap::Exception(cause) => cause as u32,
            Trap::Interrupt(number) => 1 << 31 | number,
        };
        self.interrupts.enter(trap == Trap::Interrupt(11));
        self.triggers.enter();
    }

    /// `mcause` and `mepc`.
    pub fn last_trap(&self) -> (u32, u32) {
        (self.cause, self.return_to)
    }

    /// Whether nothing but an instruction itself can change what it does: it is in machine mode, nothing is protected from that, no
    /// breakpoint is set and no interrupt is to be taken.
    pub fn is_calm(&self) -> bool {
        self.machine_mode
            && !self.status.modifies_privilege
            && !self.protection.binds_machine_mode()
            && !self.triggers.are_enabled()
            && self.interrupt().is_none()
    }

    /// Whether the lines are those of the cycle before.
    pub fn has_lines(&self, lines: &Lines) -> bool {
        self.interrupts.has_lines(lines.external) && (self.timer, self.software) == (lines.timer, lines.software)
    }

    /// Cycles have gone by, in which so many instructions were executed.
    pub fn count(&mut self, passed: u64, executed: u64) {
        let [cycles, instructions] = &mut self.counters;
        cycles.value = cycles.value.wrapping_add(if cycles.runs { passed } else { 0 });
        instructions.value = instructions.value.wrapping_add(if instructions.runs { executed } else { 0 });
    }

    /// Whether it is the same as another one but for the count of cycles.
    pub fn has_stood_still(&self, before: &Self) -> bool {
        let mut before = before.clone();
        before.counters[0].value = self.counters[0].value;
        *self == before
    }

    /// Whether an access to a CSR is none that the core has, in its mode.
    pub fn is_illegal(&self, csr: Csr, operand: u32) -> bool {
        let is_for_user = match csr.number {
            0xc00 | 0xc80 => self.counters[0].is_open,
            0xc02 | 0xc82 => self.counters[1].is_open,
            _ => false,
        };
        let is_read_only = csr.number >> 10 == 3;
        let is_forbidden = !self.machine_mode && !is_for_user || is_read_only && csr.writes;
        is_forbidden || self.read(csr, operand).is_none()
    }

    /// What a CSR reads as; none if there is no such one.
    pub fn read(&self, csr: Csr, operand: u32) -> Option<u32> {
        let bit = |is_set: bool, bit: u32| u32::from(is_set) << bit;
        let status = &self.status;
        Some(match csr.number {
            0x300 => {
                bit(status.traps_wfi, 21)
                    | bit(status.modifies_privilege, 17)
                    | bit(status.was_machine, 12)
                    | bit(status.was_machine, 11)
                    | bit(status.was_enabled, 7)
                    | bit(status.enabled, 3)
            }
            0x301 => MISA,
            0x304 => self.enables,
            0x305 => self.vector,
            0x306 => bit(self.counters[1].is_open, 2) | bit(self.time_is_open, 1) | bit(self.counters[0].is_open, 0),
            0x320 => bit(!self.counters[1].runs, 2) | bit(!self.counters[0].runs, 0),
            0x340 => self.scratch,
            0x341 => self.return_to,
            0x342 => self.cause,
            0x344 => self.pending(),
            // mstatush, menvcfg, mtval, mhpmevent3 to 31, menvcfgh, mhpmcounter3 to 31: nothing in them.
            0x310 | 0x30a | 0x31a | 0x323..=0x33f | 0x343 | 0xb03..=0xb1f | 0xb83..=0xb9f | 0xf15 => 0,
            0xb00 | 0xb02 | 0xb80 | 0xb82 | 0xc00 | 0xc02 | 0xc80 | 0xc82 => {
                self.counters[usize::from(csr.number >> 1 & 1)].half(csr.number & 0x80 != 0)
            }
            0xf11 => VENDOR,
            0xf12 => ARCHITECTURE,
            0xf13 => IMPLEMENTATION,
            0xf14 => self.hart,
            0xbf0 => bit(self.sleep.on_block, 2) | bit(self.sleep.powers_down, 1) | bit(self.sleep.stops_clock, 0),
            number => {
                let written = Self::written(csr, operand, 0);
                let clears = Interrupts::clears_enables(number, written);
                let saved = if clears { self.enables >> 4 & 8 | self.enables >> 1 & 4 } else { 0 };
                let read = self.interrupts.read(number, operand, saved).or_else(|| self.protection.read(number));
                return read.or_else(|| self.triggers.read(number));
            }
        })
    }

    fn written(csr: Csr, operand: u32, old: u32) -> Written {
        let value = match csr.how {
            CsrWrite::Write => operand,
            CsrWrite::Set => old | operand,
            CsrWrite::Clear => old & !operand,
        };
        Written { operand, value, clears: csr.how == CsrWrite::Clear }
    }

    /// An instruction accesses a CSR, which is not illegal. `count` comes before, in the same cycle. What it read before that.
    pub fn access(&mut self, csr: Csr, operand: u32, old: u32) {
        let written = Self::written(csr, operand, old);
        let sampled = if csr.reads { self.interrupts.sampled_by(csr.number) } else { None };
        if csr.writes {
            self.write(csr.number, written);
        }
        if let Some(line) = sampled {
            self.interrupts.end_force(line);
        }
    }

    fn write(&mut self, number: u16, written: Written) {
        let value = written.value;
        let bit = |bit: u32| value >> bit & 1 != 0;
        match number {
            0x300 => {
                self.status = Status {
                    enabled: bit(3),
                    was_enabled: bit(7),
                    was_machine: bit(12),
                    modifies_privilege: bit(17),
                    traps_wfi: bit(21),
                }
            }
            0x304 => self.enables = value & (EXTERNAL | TIMER | SOFTWARE),
            0x305 => self.vector = value & !2,
            0x306 => {
                (self.counters[0].is_open, self.time_is_open, self.counters[1].is_open) = (bit(0), bit(1), bit(2));
            }
            0x320 => (self.counters[0].runs, self.counters[1].runs) = (!bit(0), !bit(2)),
            0x340 => self.scratch = value,
            0x341 => self.return_to = value & !1,
            0x342 => self.cause = value & (1 << 31 | 15),
            0xb00 | 0xb02 | 0xb80 | 0xb82 => {
                self.counters[usize::from(number >> 1 & 1)].set_half(number & 0x80 != 0, value);
            }
            0xbf0 => self.sleep = SleepSettings { on_block: bit(2), powers_down: bit(1), stops_clock: bit(0) },
            _ => {
                if number == crate::isa::hazard3::interrupts::csr::MEICONTEXT {
                    let clears = Interrupts::clears_enables(number, written);
                    let set = value << 4 & TIMER | value << 1 & SOFTWARE;
                    self.enables = (self.enables | set) & if clears { EXTERNAL } else { u32::MAX };
                }
                self.interrupts.write(number, written);
                self.protection.write(number, value);
                self.triggers.write(number, value);
            }
        }
    }
}
