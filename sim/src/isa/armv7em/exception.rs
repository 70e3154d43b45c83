//! Exceptions: when they are taken, entry, return, chaining, sleep (B1.5).

use crate::core::access::Width;
use crate::core::cortex_m::{HARD_FAULT, NMI};
use crate::isa::armv7em::bus::{Bus, Event};
use crate::isa::armv7em::fault::{Fault, status};
use crate::isa::armv7em::scs::{ccr, scr};
use crate::isa::armv7em::{Processor, Sleep};

/// Number of the `MemManage` exception (B1.5.2).
pub const MEM_MANAGE: u8 = 4;
/// Number of the `BusFault` exception.
pub const BUS_FAULT: u8 = 5;
/// Number of the `UsageFault` exception.
pub const USAGE_FAULT: u8 = 6;
/// Priority of thread mode: below every exception's.
pub(crate) const THREAD: i16 = 256;
/// Bytes of a frame, and of one with the floating-point context (B1.5.7).
const FRAME: u32 = 0x20;
const LONG_FRAME: u32 = 0x68;

impl Processor {
    /// `ExecutionPriority` (B1.5.4): lower values are more urgent.
    pub(crate) fn execution_priority(&self) -> i16 {
        if self.faultmask {
            return self.nvic.active_priority().min(-1);
        }
        let unmasked = self.priority_without_primask();
        if self.primask { unmasked.min(0) } else { unmasked }
    }

    /// Whether it is negative: in `HardFault` and NMI, and with FAULTMASK.
    pub(crate) fn is_below_zero(&self) -> bool {
        self.faultmask || self.nvic.active.has(NMI) || self.nvic.active.has(HARD_FAULT)
    }

    fn priority_without_primask(&self) -> i16 {
        let active = self.nvic.active_priority();
        match self.basepri {
            0 => active,
            basepri => active.min(self.nvic.group_of(i16::from(basepri))),
        }
    }

    /// Whether an exception is enabled and more urgent than the execution priority.
    pub(crate) fn would_preempt(&self, exception: u8) -> bool {
        self.nvic.enabled.has(exception) && self.nvic.group_priority(exception) < self.execution_priority()
    }

    pub(crate) fn pend(&mut self, exception: u8) {
        if self.nvic.pend(exception) {
            self.newly_pending();
        }
    }

    /// An exception has become pending: an event with `SCR.SEVONPEND` (B1.5.18).
    pub(crate) fn newly_pending(&mut self) {
        self.exceptions_changed = true;
        self.event |= self.scs.scr & scr::SEVONPEND != 0;
    }

    /// Enters the most urgent pending exception at an instruction boundary. True if there was one.
    #[inline(never)]
    pub(crate) fn take_pending(&mut self, bus: &mut impl Bus) -> bool {
        if self.nvic.highest_pending(self.execution_priority()).is_none() {
            self.exceptions_changed = false;
            return false;
        }
        self.mpu.synchronise();
        let return_value = self.push_context(bus);
        self.enter(return_value, bus);
        true
    }

    /// Enters the most urgent exception, the frame being stacked: a fault while stacking may be more urgent than the exception
    /// that caused it (late arrival, B1.5.11).
    fn enter(&mut self, return_value: u32, bus: &mut impl Bus) {
        if self.sleep == Sleep::Lockup {
            return;
        }
        let priority = self.execution_priority();
        let Some(best) = self.nvic.highest_pending(priority) else { return self.lock_up() };
        let Some(vector) = self.read_vector(u32::from(best), bus) else {
            // HFSR.VECTTBL; lockup if `HardFault` cannot be entered, or if it or NMI has no vector itself.
            self.faults.hfsr |= status::VECTTBL;
            if matches!(best, NMI | HARD_FAULT) || priority <= -1 {
                return self.lock_up();
            }
            self.pend(HARD_FAULT);
            return self.enter(return_value, bus);
        };
        self.nvic.activate(best);
        self.forget_pages_of(best);
        bus.observe(Event::ExceptionEntered(best));
        if self.uses_psp() {
            std::mem::swap(&mut self.r[13], &mut self.other_sp);
        }
        self.spsel = false;
        self.fpca = false;
        self.ipsr = best;
        self.it = 0;
        self.r[14] = return_value;
        self.exclusive = false;
        self.event = true;
        self.exceptions_changed = true;
        self.start_at(vector);
    }

    /// Reads a vector, by the default memory map (B3.5).
    pub(crate) fn read_vector(&mut self, number: u32, bus: &mut impl Bus) -> Option<u32> {
        bus.read(self.scs.vtor.wrapping_add(4 * number), Width::Word).ok()
    }

    /// `PushStack` (B1.5.6, B1.5.7). Returns the `EXC_RETURN` value.
    fn push_context(&mut self, bus: &mut impl Bus) -> u32 {
        let long = self.fpca;
        let aligned = u32::from(long || self.scs.has(ccr::STKALIGN));
        let sp = self.r[13];
        let frame = sp.wrapping_sub(if long { LONG_FRAME } else { FRAME }) & !(aligned << 2);
        self.r[13] = frame;
        let padding = sp >> 2 & aligned;
        let [r0, r1, r2, r3, ..] = self.r;
        let psr = self.xpsr() & !(1 << 9) | padding << 9;
        let words = [r0, r1, r2, r3, self.r[12], self.r[14], self.pc, psr];
        if let Err(fault) = self.push(frame, words, long, bus) {
            let exception = self.record_stacking_fault(fault, status::MSTKERR, status::STKERR);
            self.raise(exception);
        }
        bus.observe(Event::FrameStacked(frame));
        let from = match (self.is_handler(), self.spsel) {
            (true, _) => 1,
            (false, false) => 9,
            (false, true) => 13,
        };
        0xffff_ffe0 | u32::from(!long) << 4 | from
    }

    fn push(&mut self, frame: u32, words: [u32; 8], long: bool, bus: &mut impl Bus) -> Result<(), Fault> {
        let privileged = self.is_privileged();
        let mut address = frame;
        for word in words {
            self.write(address, Width::Word, word, privileged, bus)?;
            address = address.wrapping_add(4);
        }
        if long { self.push_float(address, privileged, bus) } else { Ok(()) }
    }

    /// `ExceptionReturn` by an `EXC_RETURN` value (B1.5.8).
    pub(crate) fn return_from_exception(&mut self, value: u32, bus: &mut impl Bus) {
        self.mpu.synchronise();
        let ended = self.ipsr;
        let nested = self.nvic.active_count() > 1;
        let fits = match value & 15 {
            1 => nested,
            9 | 13 => !nested || self.scs.has(ccr::NONBASETHRDENA),
            _ => false,
        };
        let valid = fits && value | 0x1f == u32::MAX && self.nvic.active.has(ended);
        self.nvic.deactivate(ended);
        self.forget_pages_of(ended);
        bus.observe(Event::ExceptionReturned(ended));
        if ended != NMI {
            self.change_faultmask(false);
        }
        self.exceptions_changed = true;
        self.exclusive = false;
        self.event = true;
        if !valid {
            return self.reject_return(value, bus);
        }
        // Tail-chaining: the frame stays on the stack.
        if self.nvic.highest_pending(self.execution_priority()).is_some() {
            return self.enter(value, bus);
        }
        match self.pop(value, bus) {
            Err(fault) => {
                let exception = self.record_stacking_fault(fault, status::MUNSTKERR, status::UNSTKERR);
                self.raise(exception);
                self.enter(value, bus);
            }
            Ok(None) => self.reject_return(value, bus),
            Ok(Some((frame, words))) => {
                bus.observe(Event::FrameUnstacked(frame));
                self.restore(value, frame, words);
            }
        }
    }

    /// INVPC: the return value does not match the active exceptions.
    fn reject_return(&mut self, value: u32, bus: &mut impl Bus) {
        self.faults.cfsr |= status::INVPC;
        self.raise(USAGE_FAULT);
        self.enter(value, bus);
    }

    /// `PopStack`. None: the frame's mode does not match the return value.
    fn pop(&mut self, value: u32, bus: &mut impl Bus) -> Result<Option<(u32, [u32; 8])>, Fault> {
        let frame = if value & 15 == 13 { self.other_sp } else { self.r[13] };
        let aligned = value & 0x10 == 0 || self.scs.has(ccr::STKALIGN);
        if aligned && !frame.is_multiple_of(8) {
            bus.observe(Event::UnalignedReturnFrame(frame));
        }
        let to_thread = value & 8 != 0;
        let privileged = !(to_thread && self.unprivileged);
        let mut words = [0; 8];
        for (word, index) in words.iter_mut().zip(0..) {
            *word = self.read(frame.wrapping_add(4 * index), Width::Word, privileged, bus)?;
        }
        if words[7].is_multiple_of(0x200) != to_thread {
            return Ok(None);
        }
        if value & 0x10 == 0 {
            self.pop_float(frame.wrapping_add(FRAME), privileged, bus)?;
        }
        Ok(Some((frame, words)))
    }

    fn restore(&mut self, value: u32, frame: u32, words: [u32; 8]) {
        let [r0, r1, r2, r3, r12, lr, pc, psr] = words;
        self.r[..4].copy_from_slice(&[r0, r1, r2, r3]);
        self.r[12] = r12;
        self.r[14] = lr;
        self.pc = pc & !1;
        self.next = self.pc;
        self.restore_psr(psr);
        self.ipsr = psr as u8;
        let long = value & 0x10 == 0;
        self.fpca = long;
        let aligned = u32::from(long || self.scs.has(ccr::STKALIGN));
        let bytes = if long { LONG_FRAME } else { FRAME };
        let sp = frame.wrapping_add(bytes) | (psr >> 9 & aligned) << 2;
        if value & 15 == 13 {
            self.other_sp = sp;
            std::mem::swap(&mut self.r[13], &mut self.other_sp);
            self.spsel = true;
        } else {
            self.r[13] = sp;
        }
        if self.scs.scr & scr::SLEEPONEXIT != 0 && !self.is_handler() && self.nvic.active_count() == 0 {
            self.sleep = Sleep::ForInterrupt;
        }
    }

    /// Whether the core is awake, or wakes now. WFI ends for an exception that would be taken if PRIMASK were 0 (B1.5.19), WFE
    /// for an event or an exception that is taken (B1.5.18).
    #[inline(never)]
    pub(crate) fn wakes(&mut self) -> bool {
        let wakes = match self.sleep {
            Sleep::Awake => true,
            Sleep::Lockup => false,
            Sleep::ForInterrupt => {
                let priority = if self.faultmask { self.execution_priority() } else { self.priority_without_primask() };
                self.nvic.highest_pending(priority).is_some()
            }
            Sleep::ForEvent => {
                std::mem::take(&mut self.event) || self.nvic.highest_pending(self.execution_priority()).is_some()
            }
        };
        if wakes {
            self.sleep = Sleep::Awake;
        }
        wakes
    }
}
