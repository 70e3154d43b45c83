//! Exceptions: when they are taken, entry, return, tail-chaining, late arrival, faults, lockup.
//!
//! What the documents fix: the worst-case latency of 15 cycles, that load and store multiple are abandoned, late arrival and
//! tail-chaining (TRM 3.6.1), the frame (ARMv6-M B1.5.6), `EXC_RETURN` (B1.5.8). What they do not fix is set below.

use crate::core::access::Width;
use crate::core::bus::Bus;
use crate::core::cortex_m::{HARD_FAULT, SYS_TICK};
use crate::core::costs::{AlteredCosts, Cost};
use crate::core::time::{Cycle, NEVER, Ticks};
use crate::core::watch::CoreEvent;
use crate::isa::armv6m::hard_fault::Cause;
use crate::isa::armv6m::{Core, Phase};

/// Cycles from the assertion of an interrupt to the first instruction boundary that takes it (assumption: registered once).
pub const RECOGNITION: Cycle = 1;
/// Cycles from the assertion of an interrupt to the first store of its frame. The entry is 8 stores, the vector and the refill
/// of a branch to it: 12 cycles, and with these the 15 that are both the worst case (TRM 3.6.1) and the exact number that Arm
/// states (J. Yiu, "Beginner guide on interrupt latency", 2016). An instruction takes no more than 3 (load and store multiple are
/// abandoned): the core waits for the rest of them. (That it does not execute another instruction meanwhile is an assumption.)
pub const DECISION: Cycle = 3;
/// Cycles from the start of SVC, or the cycle of a fault, to the entry: the longest instruction, so that these take the 15
/// cycles of the worst case (assumption; TRM table 3-1 note f leaves it open).
pub const SYNCHRONOUS: Cycle = 3;
/// Cycles from a wake-up cause to the last cycle but one of WFI or WFE, so that an interrupt that wakes a core reaches its
/// handler in the 15 cycles of the worst case (assumption; DS 2.4.2.8.4 gives no number).
pub const WAKE: Cycle = 1;
/// Cycles from BX, of the return from an exception, to the next instruction: BX 2, 8 loads, 1 for the last of them, 2 to refill
/// (assumption: no document of the M0+ gives the number).
pub const EXCEPTION_RETURN: Cycle = 13;
/// Cycles from BX to the first instruction of a handler that is chained to it: BX 2, vector 2, refill 2 (assumption; Arm states 6
/// for the Cortex-M3).
pub const TAIL_CHAIN: Cycle = 6;
/// Cycles from SEV to the event register of the other core (assumption: registered once on its way).
pub const EVENT: Cycle = 1;

/// The assumed cycles of a core that can be altered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExceptionCosts {
    decision: Cycle,
    /// Of a return and of a chained handler, beyond what their bus accesses take.
    unstacked: Cycle,
    chained: Cycle,
}

impl ExceptionCosts {
    /// Those assumed, but for what is altered.
    pub(crate) fn new(altered: &AlteredCosts) -> Self {
        Self {
            decision: altered.get(Cost::Decision).unwrap_or(DECISION),
            unstacked: altered.get(Cost::ExceptionReturn).unwrap_or(EXCEPTION_RETURN) - (EXCEPTION_RETURN - 1),
            chained: altered.get(Cost::TailChain).unwrap_or(TAIL_CHAIN) - TAIL_CHAIN,
        }
    }
}

impl<B: Bus> Core<B> {
    /// Recomputes from which cycle on an instruction boundary must look at exceptions.
    pub(crate) fn update_exception_check(&mut self) {
        let due = if self.nvic.is_pending() { self.nvic.first_due(self.execution_priority()) } else { NEVER };
        let tick = self.systick.next_exception();
        self.exceptions_from = due.min(tick).saturating_add(RECOGNITION);
    }

    /// Priority of what executes now: lower is more urgent; 4 is a thread (B1.5.4).
    pub(crate) fn execution_priority(&self) -> i8 {
        let active = self.nvic.active_priority();
        if self.primask { active.min(0) } else { active }
    }

    /// An instruction boundary at which an exception may be due. True if one is being entered.
    #[inline(never)]
    pub(crate) fn take_exception_if_due(&mut self) -> bool {
        self.take_exception_if_due_after(0, self.pc)
    }

    /// The same, with what has to pass before it can be entered, and where execution will resume.
    fn take_exception_if_due_after(&mut self, cycles: Cycle, resume_at: u32) -> bool {
        self.pend_systick(self.t);
        let due = self.most_urgent_exception();
        if let Some(exception) = due {
            self.t = (self.t + cycles).max(self.nvic.since(exception) + self.costs.decision);
            self.enter(resume_at);
        } else {
            self.update_exception_check();
        }
        due.is_some()
    }

    /// The exception that is taken at `t`, of those raised early enough to be seen.
    fn most_urgent_exception(&self) -> Option<u8> {
        self.nvic.best(self.t.saturating_sub(RECOGNITION), self.execution_priority())
    }

    /// Lets `SysTick` raise what it has raised by cycle `now`.
    pub(crate) fn pend_systick(&mut self, now: Cycle) {
        if let Some(at) = self.systick.take_exception(now) {
            self.pend(SYS_TICK, at);
        }
    }

    /// Whether a load or store multiple is abandoned before its next element for an exception (TRM 3.6.1).
    #[inline(always)]
    pub(crate) fn abandons(&mut self) -> bool {
        self.t >= self.exceptions_from && self.abandon()
    }

    #[inline(never)]
    fn abandon(&mut self) -> bool {
        self.take_exception_if_due_after(1, self.began)
    }

    /// Makes an exception pending at cycle `at`, and wakes the core if that is a reason to.
    pub(crate) fn pend(&mut self, exception: u8, at: Cycle) {
        let newly_pending = self.nvic.pend(exception, at);
        self.exceptions_changed(newly_pending, at);
    }

    /// New levels of the interrupt lines from cycle `now` on.
    pub(crate) fn set_lines(&mut self, lines: u32, now: Cycle) {
        let newly_pending = self.nvic.set_lines(lines, self.nvic.nmi_mask, now);
        self.exceptions_changed(newly_pending, now);
    }

    /// The reference that `SysTick` may count has changed its rate, or may have, at cycle `now`.
    pub(crate) fn reference_changed(&mut self, now: Cycle, reference: &Ticks) {
        self.systick.reference_changed(now, reference.rate());
        self.exceptions_changed(false, now);
    }

    fn exceptions_changed(&mut self, newly_pending: bool, at: Cycle) {
        if newly_pending && self.nvic.send_event_on_pend {
            self.event_at = self.event_at.min(at);
        }
        self.update_exception_check();
        self.schedule_wake(0);
    }

    /// Other interrupt lines raise NMI from cycle `now` on.
    pub(crate) fn set_nmi_mask(&mut self, mask: u32, now: Cycle) {
        if self.nvic.set_lines(self.nvic.lines, mask, now) {
            self.exceptions_changed(false, now);
        }
    }

    /// The event register gets set at cycle `at`.
    pub(crate) fn receive_event(&mut self, at: Cycle) {
        self.event_at = self.event_at.min(at);
        self.schedule_wake(0);
    }

    /// If asleep, sets when to look again: not before `earliest`.
    pub(crate) fn schedule_wake(&mut self, earliest: Cycle) {
        if self.phase != Phase::Asleep {
            return;
        }
        let mut at = self.nvic.first_due(self.waking_priority()).min(self.systick.next_exception());
        if self.waits_for_event {
            at = at.min(self.event_at);
        }
        self.t = if at == NEVER { NEVER } else { (at + WAKE).max(earliest).max(self.slept_at) };
    }

    /// WFI wakes for what would be taken if PRIMASK were 0; WFE for what will be taken (B1.5.19, B1.5.18).
    fn waking_priority(&self) -> i8 {
        if self.waits_for_event { self.execution_priority() } else { self.nvic.active_priority() }
    }

    /// Whether the core sleeps, and nothing but the other core could wake it.
    pub fn sleeps_for_good(&self) -> bool {
        self.is_asleep() && self.t == NEVER && !self.nvic.has_enabled_source(self.waking_priority())
    }

    /// Whether WFI or WFE ends at `t`. Takes the event if that is why.
    pub(crate) fn has_reason_to_wake(&mut self) -> bool {
        if self.waits_for_event && self.event_at <= self.t.saturating_sub(WAKE) {
            self.event_at = NEVER;
            return true;
        }
        self.nvic.first_due(self.waking_priority()) <= self.t.saturating_sub(WAKE)
    }

    /// Begins the entry to the most urgent pending exception at `t`; execution will resume at `resume_at`.
    pub(crate) fn enter(&mut self, resume_at: u32) {
        let sp = self.regs[13];
        self.returning = match (self.ipsr, self.spsel) {
            (0, false) => 0xffff_fff9,
            (0, true) => 0xffff_fffd,
            _ => 0xffff_fff1,
        };
        let [r0, r1, r2, r3, ..] = self.regs;
        let psr = self.xpsr() | (sp & 4) << 7;
        self.frame = [r0, r1, r2, r3, self.regs[12], self.regs[14], resume_at, psr];
        self.frame_at = sp.wrapping_sub(32) & !7;
        self.regs[13] = self.frame_at;
        self.count = 0;
        self.exceptions_from = NEVER;
        self.width = Width::Word;
        self.post(self.frame_at, Phase::Push);
    }

    pub(crate) fn end_push(&mut self, bus: &mut B) {
        self.count += 1;
        if self.count == 8 {
            self.begin_handler(bus);
        } else {
            self.post(self.frame_at.wrapping_add(4 * u32::from(self.count)), Phase::Push);
        }
    }

    /// Chooses the exception, only now that the frame is there (late arrival), and posts the read of its vector.
    fn begin_handler(&mut self, bus: &mut B) {
        let best = self.most_urgent_exception().unwrap_or(HARD_FAULT);
        self.entering = best;
        if let Some(profile) = &mut bus.fabric_mut().watch.profile {
            profile.pended(self.id, self.nvic.since(best));
        }
        self.nvic.activate(best);
        if self.uses_psp() {
            std::mem::swap(&mut self.regs[13], &mut self.other_sp);
        }
        self.spsel = false;
        self.ipsr = best;
        self.regs[14] = self.returning;
        self.stats.exceptions += 1;
        bus.fabric_mut().watch.core_event(self.t, self.id, CoreEvent::Enters(best));
        self.event_at = self.event_at.min(self.t);
        self.width = Width::Word;
        self.post(self.nvic.vtor.wrapping_add(4 * u32::from(best)), Phase::Vector);
    }

    /// The vector has come: branch there. Its data cycle passes first.
    pub(crate) fn end_vector(&mut self, vector: u32) {
        self.t += 1;
        self.update_exception_check();
        self.thumb = vector & 1 != 0;
        if !self.thumb {
            return self.fault(vector, Cause::NoThumb(vector));
        }
        self.branch_to(vector);
    }

    /// BX, BLX and POP: to an address, or back from an exception.
    #[inline(never)]
    pub(crate) fn branch_exchange(&mut self, target: u32, pc: u32) {
        if target >> 28 == 15 && self.ipsr != 0 {
            return self.exception_return(target, pc);
        }
        if target & 1 == 0 {
            self.thumb = false;
            return self.fault(target, Cause::NoThumb(target));
        }
        self.branch_to(target);
    }

    /// Leaves the exception that is active; unless another is chained to it, its frame is read back from the second next
    /// cycle on.
    #[inline(never)]
    fn exception_return(&mut self, value: u32, pc: u32) {
        let nested = self.nvic.active_count() > 1;
        let valid = match value {
            0xffff_fff1 => nested,
            0xffff_fff9 | 0xffff_fffd => !nested,
            _ => false,
        };
        if !valid {
            return self.fault(pc, Cause::Return(value));
        }
        if self.ipsr == HARD_FAULT {
            self.hard_fault = None;
        }
        self.nvic.deactivate(self.ipsr, self.t);
        self.returning = value;
        self.event_at = self.event_at.min(self.t);
        self.t += 1;
        self.post_internal(Phase::Return);
    }

    pub(crate) fn tail_chain_or_unstack(&mut self, bus: &mut B) {
        bus.fabric_mut().watch.core_event(self.t, self.id, CoreEvent::Leaves(self.ipsr));
        self.t += 1;
        self.pend_systick(self.t);
        if self.most_urgent_exception().is_some() {
            self.t += self.costs.chained;
            self.begin_handler(bus);
            return;
        }
        self.frame_at = if self.returning == 0xffff_fffd { self.other_sp } else { self.regs[13] };
        self.count = 0;
        self.exceptions_from = NEVER;
        self.width = Width::Word;
        if let Some(profile) = &mut bus.fabric_mut().watch.profile {
            profile.returns(self.id, self.frame_at);
        }
        self.post(self.frame_at, Phase::Unstack);
    }

    pub(crate) fn end_unstack(&mut self, bus: &mut B, word: u32) {
        self.frame[self.count as usize & 7] = word;
        self.count += 1;
        if self.count < 8 {
            self.post(self.frame_at.wrapping_add(4 * u32::from(self.count)), Phase::Unstack);
            return;
        }
        self.t += self.costs.unstacked;
        self.restore_frame();
        self.update_exception_check();
        self.thumb = self.frame[7] & 1 << 24 != 0;
        if !self.thumb {
            self.fault(self.pc, Cause::NoThumb(self.pc));
        } else if (self.returning == 0xffff_fff1) == (self.ipsr == 0) {
            self.fault(self.pc, Cause::Return(self.returning));
        } else if self.nvic.sleep_on_exit && self.ipsr == 0 {
            // As WFI does, before the instruction returned to (B1.5.17, B3.2.7).
            (self.waits_for_event, self.resume_from_exit) = (false, true);
            self.fall_asleep(bus);
        } else {
            self.branch_to(self.pc);
        }
    }

    fn restore_frame(&mut self) {
        let [r0, r1, r2, r3, r12, lr, pc, psr] = self.frame;
        self.regs[..4].copy_from_slice(&[r0, r1, r2, r3]);
        self.regs[12] = r12;
        self.regs[14] = lr;
        self.pc = pc & !1;
        self.set_apsr(psr);
        let sp = self.frame_at.wrapping_add(32) | (psr >> 7 & 4);
        self.ipsr = psr as u8 & 0x3f;
        if self.returning == 0xffff_fffd {
            self.other_sp = sp;
            std::mem::swap(&mut self.regs[13], &mut self.other_sp);
            self.spsel = true;
        } else {
            self.regs[13] = sp;
        }
    }

    /// A `HardFault` of the instruction at `pc`, or lockup if it cannot be taken.
    #[inline(never)]
    pub(crate) fn fault(&mut self, pc: u32, cause: Cause) {
        if self.execution_priority() <= -1 {
            self.lock_up(pc, cause);
            return;
        }
        self.record_fault(pc, cause);
        self.take_at_once(HARD_FAULT, pc);
    }

    pub(crate) fn take_at_once(&mut self, exception: u8, resume_at: u32) {
        self.nvic.pend(exception, 0);
        self.t += SYNCHRONOUS;
        self.enter(resume_at);
    }

    /// Locks up at `t`, for what is at `pc`. The core stays in that cycle until the machine has heard of it: see
    /// `stop_locked_up`.
    fn lock_up(&mut self, pc: u32, cause: Cause) {
        self.lockup_fault = Some(Box::new(self.describe_fault(pc, cause)));
        self.pc = pc & !1;
        self.slept_at = self.t;
        self.post_internal(Phase::Lockup);
    }

    /// From here on a core that has locked up does nothing, until it is reset.
    pub(crate) fn stop_locked_up(&mut self) {
        if self.phase == Phase::Lockup {
            self.t = NEVER;
        }
    }

    /// The bus refused the data access. Faults while a frame or vector is moved are derived exceptions (B1.5.11, B1.5.12):
    /// `HardFault` replaces what was to be entered; if that is the one that fails, lockup.
    pub(crate) fn data_fault(&mut self, bus: &mut B) {
        let handling = self.execution_priority() <= -1;
        let cause = self.refused();
        match self.phase {
            Phase::Push if !handling => {
                self.record_fault(self.frame[6], cause);
                self.nvic.pend(HARD_FAULT, 0);
                self.t += 1;
                self.end_push(bus);
            }
            Phase::Vector | Phase::Unstack if !handling => {
                self.record_fault(self.pc, cause);
                self.nvic.pend(HARD_FAULT, 0);
                self.t += 1;
                self.begin_handler(bus);
            }
            Phase::Push | Phase::Vector | Phase::Unstack => self.lock_up(self.pc, cause),
            Phase::LoadMultiple | Phase::StoreMultiple => {
                self.fault(self.began, cause);
            }
            _ => {
                self.fault(self.pc.wrapping_sub(2), cause);
            }
        }
    }
}
