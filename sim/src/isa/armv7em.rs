//! The processors of ARMv7E-M, for function only: the Cortex-M4 with FPv4-SP and the Cortex-M7 with FPv5-D16.
//!
//! [`Processor::step`] executes one instruction or enters one exception, without timing: how long a Cortex-M7 takes is not
//! documented (dual issue, caches, bridges). Memory and peripherals are behind [`bus::Bus`]; registers, floating point,
//! exceptions, NVIC, MPU, `SysTick`, the system control space and the Cortex-M7's data cache are here.
//!
//! Sections are those of the ARMv7-M Architecture Reference Manual (DDI 0403E); names in backticks with capitals inside are those
//! of its pseudo-code. Where it leaves the choice to an implementation, the source says what is chosen. The manual was not at
//! hand, so that what the code does was compared with QEMU's cores (`tests/armv7em/qemu.rs`).

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)] // a register is signed or not as its instruction says

mod arithmetic;
pub mod bus;
pub mod cache;
mod control;
mod data;
mod dwt;
pub mod exception;
pub mod fault;
mod float;
mod fpu;
mod media;
mod memory;
pub mod model;
pub mod mpu;
mod multiple;
mod multiply;
mod narrow;
mod nvic;
mod pages;
pub(crate) mod registers;
mod scs;
mod transfer;

use crate::core::cortex_m::systick::SysTick;
use crate::core::time::{Cycle, NEVER};
use bus::Bus;
use cache::Cache;
use dwt::Dwt;
use fault::{Fault, FaultStatus};
use fpu::Fpu;
use memory::is_wide;
use model::Model;
use mpu::Mpu;
use nvic::Nvic;
use pages::Pages;
use registers::Flags;
use scs::SystemControl;

/// How an instruction ended. One that faulted has had no effect.
pub(crate) type ExecutionResult = Result<(), Fault>;

/// Outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An instruction was executed, or was skipped by its condition.
    Executed,
    /// The exception of this number was entered, or chained to the one before. (An instruction that faulted had no effect.)
    Entered(u8),
    /// Nothing: the core sleeps.
    Asleep,
    /// Nothing: the core is at BKPT with this immediate, until `skip_breakpoint` or `escalate_breakpoint`.
    Breakpoint(u8),
    /// Nothing until a reset: a fault at a priority at which faults cannot be handled (B1.5.15).
    LockedUp,
    /// The instruction has set `AIRCR.SYSRESETREQ`.
    ResetRequested,
}

/// Why a core executes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sleep {
    Awake,
    /// WFI, or `SCR.SLEEPONEXIT`.
    ForInterrupt,
    /// WFE.
    ForEvent,
    /// Lockup.
    Lockup,
}

/// One core: registers, NVIC, MPU, caches, FPU and system control.
#[derive(Clone, Debug, Hash)]
#[allow(clippy::struct_excessive_bools)] // flags of the architecture
pub struct Processor {
    model: Model,
    /// R0 to R12, the stack pointer in use, LR; the last one is not used.
    r: [u32; 16],
    /// The stack pointer that is not in use.
    other_sp: u32,
    /// The instruction being executed.
    pc: u32,
    /// The one after it.
    next: u32,
    flags: Flags,
    /// EPSR.IT (B1.4.2).
    it: u8,
    /// The instruction being executed is in an IT block.
    conditional: bool,
    /// EPSR.T.
    thumb: bool,
    ipsr: u8,
    primask: bool,
    faultmask: bool,
    basepri: u8,
    /// CONTROL.nPRIV.
    unprivileged: bool,
    /// CONTROL.SPSEL.
    spsel: bool,
    /// CONTROL.FPCA: there is a floating-point context.
    fpca: bool,
    fpu: Fpu,
    nvic: Nvic,
    mpu: Mpu,
    pages: Pages,
    /// The data cache, of a Cortex-M7.
    cache: Option<Cache>,
    dwt: Dwt,
    systick: SysTick,
    scs: SystemControl,
    faults: FaultStatus,
    /// The local monitor is in its exclusive state. It does not compare addresses, as in both processors.
    exclusive: bool,
    /// The event register of WFE (B1.5.18).
    event: bool,
    sleep: Sleep,
    /// Pending exceptions or priorities may have changed: the next instruction boundary checks them.
    exceptions_changed: bool,
    /// Steps so far: what `SysTick` counts.
    now: Cycle,
    /// The step in which `SysTick` raises its exception.
    tick_at: Cycle,
    /// An `EXC_RETURN` value was branched to.
    returning: Option<u32>,
    reset_requested: bool,
}

impl Processor {
    /// A core in reset. Call `reset` before the first step.
    pub fn new(model: Model) -> Self {
        Self {
            model,
            r: [0; 16],
            other_sp: 0,
            pc: 0,
            next: 0,
            flags: Flags::default(),
            it: 0,
            conditional: false,
            thumb: true,
            ipsr: 0,
            primask: false,
            faultmask: false,
            basepri: 0,
            unprivileged: false,
            spsel: false,
            fpca: false,
            fpu: Fpu::new(),
            nvic: Nvic::new(model.interrupts, model.priority_bits),
            mpu: Mpu::new(model.regions),
            pages: Pages::new(),
            cache: model.memories.map(|memories| Cache::new(memories.data_cache)),
            dwt: Dwt::new(model.memories.is_some()),
            systick: SysTick::new(),
            scs: SystemControl::new(),
            faults: FaultStatus::default(),
            exclusive: false,
            event: false,
            sleep: Sleep::Awake,
            exceptions_changed: false,
            now: 0,
            tick_at: NEVER,
            returning: None,
            reset_requested: false,
        }
    }

    /// Resets the core, which starts from the vector table at `vectors` (B1.5.5; the reset value of VTOR is the chip's:
    /// B3.2.5). Interrupt lines keep their levels. A table that cannot be read locks the core up.
    pub fn reset(&mut self, vectors: u32, bus: &mut impl Bus) {
        *self = Self { nvic: self.nvic.after_reset(), now: self.now, ..Self::new(self.model) };
        self.exceptions_changed = true;
        self.scs.vtor = vectors;
        self.r[14] = 0xffff_ffff;
        match (self.read_vector(0, bus), self.read_vector(1, bus)) {
            (Some(stack), Some(entry)) => {
                self.r[13] = stack & !3;
                self.start_at(entry);
            }
            _ => self.sleep = Sleep::Lockup,
        }
    }

    /// Goes on at an address, whatever the core was about to do or was kept from doing: for debuggers.
    pub fn send_to(&mut self, address: u32) {
        self.sleep = Sleep::Awake;
        self.it = 0;
        self.start_at(address | 1);
    }

    /// Continues at `entry`, whose bit 0 becomes EPSR.T.
    fn start_at(&mut self, entry: u32) {
        self.pc = entry & !1;
        self.next = self.pc;
        self.thumb = entry & 1 != 0;
    }

    /// Executes one instruction or enters an exception; does nothing while the core sleeps.
    #[inline(always)]
    pub fn step(&mut self, bus: &mut impl Bus) -> Step {
        self.begin_step(bus).unwrap_or_else(|| self.execute(bus))
    }

    /// The step up to where an instruction begins; None if one does, and `execute` is the rest of the step.
    #[inline(always)]
    pub fn begin_step(&mut self, bus: &mut impl Bus) -> Option<Step> {
        self.now += 1;
        if self.now >= self.tick_at {
            self.tick();
        }
        if self.sleep != Sleep::Awake && !self.wakes() {
            return Some(if self.sleep == Sleep::Lockup { Step::LockedUp } else { Step::Asleep });
        }
        (self.exceptions_changed && self.take_pending(bus)).then(|| self.entered())
    }

    /// Takes `begin_step` back, which said that an instruction begins: the core stops before it. What `begin_step` has found
    /// to be due stays found.
    pub fn stop_before_instruction(&mut self) {
        self.now -= 1;
    }

    /// Executes the instruction that begins.
    #[inline(always)]
    pub fn execute(&mut self, bus: &mut impl Bus) -> Step {
        let it = self.it;
        match self.fetch_and_execute(bus) {
            Ok(()) => {
                self.pc = self.next;
                if self.returning.is_some() || self.reset_requested {
                    self.return_or_reset(bus)
                } else {
                    Step::Executed
                }
            }
            Err(fault) => {
                self.it = it;
                self.fail(fault, bus)
            }
        }
    }

    /// What an instruction has asked for that is done behind it.
    #[inline(never)]
    fn return_or_reset(&mut self, bus: &mut impl Bus) -> Step {
        if let Some(value) = self.returning.take() {
            self.return_from_exception(value, bus);
        }
        if std::mem::take(&mut self.reset_requested) { Step::ResetRequested } else { Step::Executed }
    }

    /// An instruction has faulted.
    #[inline(never)]
    fn fail(&mut self, fault: Fault, bus: &mut impl Bus) -> Step {
        self.returning = None;
        if let Fault::Breakpoint(number) = fault {
            return Step::Breakpoint(number);
        }
        self.record_fault(fault);
        self.enter_fault(bus)
    }

    /// Enters the exception that a fault has made pending, unless the fault has locked the core up.
    fn enter_fault(&mut self, bus: &mut impl Bus) -> Step {
        if self.sleep != Sleep::Lockup {
            self.take_pending(bus);
        }
        self.entered()
    }

    fn entered(&self) -> Step {
        if self.sleep == Sleep::Lockup { Step::LockedUp } else { Step::Entered(self.ipsr) }
    }

    #[inline(always)]
    fn fetch_and_execute(&mut self, bus: &mut impl Bus) -> ExecutionResult {
        if !self.thumb {
            return Err(Fault::InvalidState);
        }
        let fetched = self.fetch_instruction(bus)?;
        let first = fetched as u16;
        let wide = is_wide(first);
        self.next = self.pc.wrapping_add(if wide { 4 } else { 2 });
        self.conditional = self.it & 15 != 0;
        if self.conditional {
            let condition = u32::from(self.it >> 4);
            self.advance_it();
            // BKPT is executed whatever the condition.
            if !self.flags.condition_passed(condition) && first >> 8 != 0xbe {
                return Ok(());
            }
        }
        if wide { self.execute_wide(u32::from(first), fetched >> 16, bus) } else { self.execute_narrow(first, bus) }
    }

    /// A 32-bit instruction by its class (A5.3).
    #[inline(always)]
    fn execute_wide(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let kind = first >> 4 & 0x7f;
        match first >> 11 & 3 {
            1 => match kind {
                _ if kind & 0x40 != 0 => self.coprocessor(first, second, bus),
                _ if kind & 0x20 != 0 => self.shifted_register(first, second),
                _ if kind & 4 == 0 => self.transfer_multiple(first, second, bus),
                _ => self.transfer_dual(first, second, bus),
            },
            2 if second & 0x8000 != 0 => self.branch_or_control(first, second, bus),
            2 if kind & 0x20 == 0 => self.modified_immediate(first, second),
            2 => self.plain_immediate(first, second),
            _ => match kind {
                _ if kind & 0x40 != 0 => self.coprocessor(first, second, bus),
                0x20..=0x2f => self.register_operands(first, second),
                0x30..=0x37 => self.multiply(first, second),
                0x38..=0x3f => self.long_multiply(first, second),
                _ if kind & 1 != 0 && kind & 7 != 7 => self.load_one(first, second, bus),
                _ if kind & 0x11 == 0 => self.store_one(first, second, bus),
                _ => Err(Fault::Undefined),
            },
        }
    }

    /// `ITAdvance`: to the next instruction of the IT block.
    fn advance_it(&mut self) {
        self.it = if self.it.is_multiple_of(8) { 0 } else { self.it & 0xe0 | self.it << 1 & 0x1f };
    }

    /// `SysTick` has reached zero.
    #[inline(never)]
    fn tick(&mut self) {
        if self.systick.take_exception(self.now).is_some() {
            self.pend(crate::core::cortex_m::SYS_TICK);
        }
        self.tick_at = self.systick.next_exception();
    }

    /// Continues after the BKPT that the core is at, as a debugger does.
    pub fn skip_breakpoint(&mut self) {
        self.pc = self.pc.wrapping_add(2);
        if self.it & 15 != 0 {
            self.advance_it();
        }
    }

    /// Turns the BKPT that the core is at into a `HardFault`: there is no debugger, and no debug monitor.
    pub fn escalate_breakpoint(&mut self, bus: &mut impl Bus) -> Step {
        self.record_breakpoint();
        self.enter_fault(bus)
    }

    /// Sets the level of an interrupt line. One that rises makes its interrupt pending.
    pub fn set_interrupt(&mut self, number: u8, level: bool) {
        if self.nvic.set_line(number, level) {
            self.newly_pending();
        }
    }

    /// Sets the event register (B1.5.18).
    pub fn receive_event(&mut self) {
        self.event = true;
    }

    /// Advances a core that sleeps or is held in reset by `steps`, none of them past `next_tick`. `counting`: CYCCNT counts
    /// them.
    pub fn pass(&mut self, steps: u64, counting: bool) {
        self.now += steps;
        if !counting {
            self.dwt.exclude(steps);
        }
    }

    /// The step in which `SysTick` raises its exception next; `NEVER` if it does not.
    pub fn next_tick(&self) -> u64 {
        self.tick_at
    }

    /// `SCR.SLEEPDEEP`.
    pub fn sleeps_deeply(&self) -> bool {
        self.scs.scr & scs::scr::SLEEPDEEP != 0
    }

    /// Steps made so far.
    pub fn steps(&self) -> u64 {
        self.now
    }

    /// Whether the core sleeps in WFI or WFE.
    pub fn is_asleep(&self) -> bool {
        matches!(self.sleep, Sleep::ForInterrupt | Sleep::ForEvent)
    }

    /// Whether it sleeps until an event (WFE).
    pub fn waits_for_event(&self) -> bool {
        self.sleep == Sleep::ForEvent
    }

    /// Whether the core is locked up.
    pub fn is_locked_up(&self) -> bool {
        self.sleep == Sleep::Lockup
    }
}
