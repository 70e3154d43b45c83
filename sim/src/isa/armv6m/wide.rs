//! 32-bit instructions, and the 16-bit ones that change more than registers.

use crate::core::bus::Bus;
use crate::core::cortex_m::SV_CALL;
use crate::core::time::{Cycle, NEVER};
use crate::core::watch::CoreEvent;
use crate::isa::armv6m::cycles::{CALL, Cycles, Last, SYSTEM};
use crate::isa::armv6m::hard_fault::Cause;
use crate::isa::armv6m::{Core, Phase};
use crate::isa::thumb::bl_offset;
use crate::isa::thumb::decode::{Code, Op};

impl<B: Bus> Core<B> {
    /// BL, MRS, MSR, DMB, DSB, ISB (ARMv6-M A5.3); all else is undefined. Three cycles each (TRM table 3-1).
    #[inline(never)]
    pub(crate) fn wide(&mut self, pc: u32, first: u16) {
        let first = u32::from(first);
        let second = self.queue as u32 & 0xffff;
        self.queue >>= 16;
        if let Some(target) = branch_target(pc, first as u16, second as u16) {
            self.regs[14] = pc.wrapping_add(4) | 1;
            self.pc = target;
            return self.finish_wide(pc, CALL);
        }
        if !self.system_instruction(first, second) {
            return self.fault(pc, Self::undefined(pc, first as u16, Some(second as u16)));
        }
        self.pc = pc.wrapping_add(4);
        self.finish_wide(pc, if refills(first, second) { CALL } else { SYSTEM });
    }

    /// The cycles of a 32-bit instruction at `at`: execution goes on at `pc`.
    fn finish_wide(&mut self, at: u32, cycles: Cycles) {
        self.t += Cycle::from(cycles.idle);
        let upper = at & 2 != 0;
        // In its first cycle one in an upper halfword asks for nothing: the next word was fetched before.
        self.t += Cycle::from(upper);
        match (cycles.last, upper) {
            (Last::FetchTwice, false) => self.post(at.wrapping_add(4), Phase::FetchEarly),
            (Last::FetchTwice, true) => self.post(at.wrapping_add(6), Phase::FetchMiddle),
            (_, false) => self.post(at.wrapping_add(4), Phase::FetchThenTarget),
            (_, true) => self.post(self.pc & !3, Phase::Target),
        }
    }

    /// The effect of MRS, MSR and barriers. False if undefined.
    pub(crate) fn system_instruction(&mut self, first: u32, second: u32) -> bool {
        if first & 0xffe0 == 0xf380 && second & 0xff00 == 0x8800 {
            let value = self.regs[(first & 15) as usize];
            return self.write_special(second & 0xff, value);
        }
        if first & 0xffe0 == 0xf3e0 && second & 0xf000 == 0x8000 {
            let Some(value) = self.read_special(second & 0xff) else { return false };
            self.set_number((second >> 8 & 15) as u8, value);
            return true;
        }
        // DSB, DMB, ISB; the bus does everything in order, so that the first two have nothing to wait for.
        first & 0xfff0 == 0xf3b0 && second & 0xd000 == 0x8000 && matches!(second >> 4 & 15, 4..=6)
    }

    /// Special registers by `SYSm` (B4.1.1, table B4-1).
    fn read_special(&self, number: u32) -> Option<u32> {
        let privileged = self.is_privileged();
        Some(match number {
            0..=7 => {
                let flags = if number & 4 == 0 { self.flags() } else { 0 };
                flags | if number & 1 != 0 { u32::from(self.ipsr) } else { 0 }
            }
            8 if privileged => self.msp(),
            9 if privileged => self.psp(),
            16 => u32::from(self.primask && privileged),
            20 => self.control(),
            8 | 9 => 0,
            _ => return None,
        })
    }

    fn write_special(&mut self, number: u32, value: u32) -> bool {
        if number & !7 == 0 {
            if number & 4 == 0 {
                self.set_apsr(value);
            }
            return true;
        }
        if !self.is_privileged() {
            return matches!(number, 8 | 9 | 16 | 20);
        }
        match number {
            8 | 9 => {
                let in_use = (number == 9) == self.uses_psp();
                *(if in_use { &mut self.regs[13] } else { &mut self.other_sp }) = value & !3;
            }
            16 => self.set_primask(value & 1 != 0),
            20 => {
                self.unprivileged = value & 1 != 0;
                // SPSEL can be written in thread mode only (B1.4.4).
                if self.ipsr == 0 && (value & 2 != 0) != self.spsel {
                    self.spsel = value & 2 != 0;
                    std::mem::swap(&mut self.regs[13], &mut self.other_sp);
                }
            }
            _ => return false,
        }
        true
    }

    /// Sets PRIMASK, if the core may.
    pub(crate) fn set_primask(&mut self, primask: bool) {
        if self.is_privileged() {
            self.primask = primask;
            // Or else it makes no difference.
            if self.nvic.is_pending() {
                self.update_exception_check();
            }
        }
    }

    pub(crate) fn is_privileged(&self) -> bool {
        self.ipsr != 0 || !self.unprivileged
    }

    /// 16-bit instructions that reach beyond registers. Returns as `execute`.
    #[inline(never)]
    pub(crate) fn issue_system_instruction(&mut self, op: &Op, pc: u32, halfword: u16) {
        match op.code {
            Code::Cps => {
                self.set_primask(op.immediate != 0);
                self.end_cycle();
            }
            Code::Sev => {
                self.post_with_fetch(Phase::Sev);
            }
            Code::Wfe | Code::Wfi => {
                self.waits_for_event = op.code == Code::Wfe;
                self.post_internal(Phase::Doze);
            }
            Code::Bkpt if op.immediate == 0xab => {
                self.began = pc;
                self.post_internal(Phase::Semihost);
            }
            Code::Svc if self.nvic.priority(SV_CALL) < self.execution_priority() => {
                self.take_at_once(SV_CALL, pc.wrapping_add(2));
            }
            Code::Svc => self.fault(pc, Cause::SupervisorCall),
            Code::Bkpt => self.fault(pc, Cause::Breakpoint(op.immediate as u8)),
            _ => self.fault(pc, Self::undefined(pc, halfword, None)),
        }
    }

    /// Second half of WFI and WFE: sleeps unless there is a reason not to.
    pub(crate) fn sleep_unless_woken(&mut self, bus: &mut B) {
        self.t += 1;
        if self.has_reason_to_wake() {
            return self.end_cycle();
        }
        self.fall_asleep(bus);
    }

    pub(crate) fn fall_asleep(&mut self, bus: &mut B) {
        self.slept_at = self.t;
        self.post_internal(Phase::Asleep);
        bus.fabric_mut().watch.core_event(self.t, self.id, CoreEvent::Sleeps);
        self.t = NEVER;
        self.schedule_wake(0);
    }

    /// The last cycle of WFI or WFE after a sleep comes one cycle after waking.
    pub(crate) fn wake(&mut self, bus: &mut B) {
        self.pend_systick(self.t);
        if !self.has_reason_to_wake() {
            let now = self.t;
            self.t = NEVER;
            self.schedule_wake(now + 1);
            return;
        }
        self.stats.asleep += self.t - self.slept_at;
        bus.fabric_mut().watch.core_event(self.t, self.id, CoreEvent::Wakes);
        self.t += 1;
        if std::mem::take(&mut self.resume_from_exit) {
            return self.branch_to(self.pc);
        }
        self.end_cycle();
    }

    /// Where the BKPT 0xAB is that the host serves.
    pub(crate) fn semihosting_pc(&self) -> u32 {
        self.began
    }

    /// After the host served BKPT 0xAB: one cycle of nothing, then the next instruction.
    pub(crate) fn end_semihost(&mut self) {
        self.t += 1;
        self.end_cycle();
        if self.phase == Phase::Start {
            self.post_internal(Phase::Idle);
        }
    }
}

/// Whether a system instruction is ISB, which refills the pipeline: as BL, but with the next instruction.
pub(crate) fn refills(first: u32, second: u32) -> bool {
    first & 0xfff0 == 0xf3b0 && second & 0xf0 == 0x60
}

/// Where a BL at `pc` goes; none if the two halfwords are no BL.
pub(crate) fn branch_target(pc: u32, first: u16, second: u16) -> Option<u32> {
    if first & 0xf800 != 0xf000 || second & 0xd000 != 0xd000 {
        return None;
    }
    Some(pc.wrapping_add(4).wrapping_add(bl_offset(u32::from(first), u32::from(second))))
}
