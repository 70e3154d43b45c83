//! The first half of a cycle: what the instruction in X wants, which does not depend on what the ports answer.

use crate::isa::hazard3::csr::{Csrs, Trap};
use crate::isa::hazard3::fetch::Redirect;
use crate::isa::hazard3::memo::Kind;
use crate::isa::hazard3::op::{Base, Cause, Hint, Jump, Memory, Op};
use crate::isa::hazard3::pmp::Use;
use crate::isa::hazard3::ports::{Access, Request};
use crate::isa::hazard3::sequence::Step;
use crate::isa::hazard3::{Core, alu, compressed, decode, sequence};

/// What is known of a cycle before the ports have answered.
#[derive(Debug)]
pub struct Cycle {
    pub(super) op: Op,
    pub(super) step: Option<Step>,
    pub(super) is_starved: bool,
    pub(super) is_wide: bool,
    pub(super) predicted: bool,
    /// A trap is entered in this cycle, if the front end takes the jump.
    pub(super) trap: Option<Trap>,
    /// Or as soon as the load or store in stage M is done.
    pub(super) traps_soon: bool,
    /// X waits for something that does not depend on the ports.
    pub(super) waits: bool,
    pub(super) operands: [u32; 2],
    pub(super) address: u32,
    pub(super) cause: Option<Cause>,
    /// It jumps, if it is the instruction's turn; not always does the front end take it, or does anything trap before.
    pub(super) jumps: bool,
    pub(super) redirect: Option<Redirect>,
    /// What the core asks for.
    pub request: Request,
}

impl Core {
    /// What is in X, as the core takes it in its mode.
    fn decoded(&self) -> (Op, Option<Step>) {
        let word = self.front.instruction();
        let is_wide = self.front.is_wide();
        let step = if is_wide { None } else { sequence::step(word as u16, self.step) };
        let op = match step {
            Some(step) => Some(step.op),
            None if is_wide => decode::decode(word),
            None => compressed::decode(word as u16),
        };
        let mut op = op.unwrap_or(Op::trap(Cause::Illegal));
        let csrs = &self.csrs;
        match (op.cause, op.hint) {
            (Some(Cause::CallFromMachine), _) if !csrs.machine_mode => op = Op::trap(Cause::CallFromUser),
            (Some(Cause::Return), _) if !csrs.machine_mode => op = Op::trap(Cause::Illegal),
            (_, Hint::Wfi | Hint::Block | Hint::Unblock) if csrs.traps_wfi() => op = Op::trap(Cause::Illegal),
            _ => {}
        }
        (op, step)
    }

    /// What is in X, with all that the front end says of it.
    fn in_x(&self) -> (Op, Option<Step>) {
        if self.front.is_starved() {
            return (Op::NOP, None);
        }
        let (mut op, step) = self.decoded();
        let predicted = self.front.predicted();
        let size = if self.front.is_wide() { 4 } else { 2 };
        if matches!(op.jump, Jump::If(_)) && predicted >> (size / 2 - 1) & 1 != 0 {
            // Should it not be taken, then it goes on behind itself.
            op.offset = size;
        }
        if self.front.has_failed() {
            op = Op::trap(Cause::FetchFault);
        } else if size == 4 && matches!(predicted, 1 | 2) {
            // Its halves were fetched before and behind the predicted branch: it is fetched once more.
            op = Op {
                cause: op.cause.filter(|&cause| cause == Cause::Illegal),
                jump: Jump::Always,
                base: Base::Pc,
                ..Op::NOP
            };
        }
        if self.has_jumped {
            op.jump = Jump::Never;
        }
        (op, step)
    }

    /// Of the cycle that begins.
    pub(super) fn look(&self) -> Cycle {
        let (op, step) = self.in_x();
        let (is_starved, is_wide) = (self.front.is_starved(), self.front.is_wide());
        let sleeps = self.sleeps();
        let in_data_phase = self.behind.memory.has_data_phase();
        let is_atomic = step.is_some_and(|step| step.is_atomic);
        let interrupt = self.csrs.interrupt().filter(|_| !(self.is_committed || sleeps || is_atomic));
        let trap = match self.behind.cause {
            Some(cause) => Some(Trap::Exception(cause)),
            None => interrupt.filter(|_| !in_data_phase).map(Trap::Interrupt),
        };
        let traps_soon = trap.is_some() || interrupt.is_some();
        let depends = self.depends_on_load(&op);
        let overlaps =
            op.memory.is_exclusive() && matches!(self.behind.memory, Memory::LoadReserved | Memory::StoreConditional);
        let operands = self.operands(&op);
        let base = if op.base == Base::Pc { self.pc } else { self.reg(op.rs1) };
        let address = base.wrapping_add(op.offset);
        let predicted = !is_starved && self.front.predicted() & 1 != 0;
        let jumps = !depends
            && match op.jump {
                Jump::Never => false,
                Jump::Always => true,
                Jump::If(holds) => (alu::compare(op.alu, operands[0], operands[1]) != predicted) == holds,
            };
        let forbidden = self.forbidden(is_wide);
        let (access, refused) = self.access(&op, address);
        let cause = forbidden.or_else(|| self.cause(&op, operands, address, refused));
        let held_back = depends
            || overlaps
            || refused.is_some()
            || forbidden.is_some()
            || op.memory.is_misaligned(address)
            || traps_soon
            || sleeps;
        let redirect = match trap {
            Some(trap) => {
                let (target, machine_mode) = self.csrs.target(trap);
                Some(Redirect { target, machine_mode })
            }
            None if jumps && forbidden.is_none() => {
                Some(Redirect { target: address & !1, machine_mode: self.csrs.machine_mode })
            }
            None => None,
        };
        let request = Request { fetch: self.front.request(redirect), access: access.filter(|_| !held_back) };
        Cycle {
            op,
            step,
            is_starved,
            is_wide,
            predicted,
            trap,
            traps_soon,
            waits: depends || overlaps,
            operands,
            address,
            cause,
            jumps,
            redirect,
            request,
        }
    }

    /// What is in X while the core is calm: what its outcome depends on, and what it executes.
    pub(super) fn kind(&self) -> (Kind, Op) {
        let (op, step) = self.in_x();
        let is_wide = self.front.is_wide();
        let may_split = self.csrs.protection.may_split(self.pc, is_wide);
        let is_other = op.cause.is_some()
            || op.csr.is_some()
            || op.hint != Hint::None
            || step.is_some()
            || !matches!(op.memory, Memory::None | Memory::Load(_) | Memory::Store(_));
        let kind = match op.jump {
            _ if self.front.is_starved() => Kind::Waits,
            _ if is_other || may_split || self.front.has_errors() => Kind::Other,
            _ if self.depends_on_load(&op) => Kind::Waits,
            Jump::If(_) => Kind::Branches,
            Jump::Always if op.base == Base::Register => Kind::Jumps,
            _ if op.memory != Memory::None => Kind::Accesses,
            _ if op.alu.divides() => Kind::Divides,
            _ => Kind::Computes,
        };
        (kind, op)
    }

    /// Whether X needs what stage M is about to load. A value to be stored comes in time.
    fn depends_on_load(&self, op: &Op) -> bool {
        let loads = matches!(self.behind.memory, Memory::Load(_) | Memory::LoadReserved | Memory::StoreConditional);
        let rd = self.behind.rd;
        let stores = matches!(op.memory, Memory::Store(_));
        loads && rd != 0 && (rd == op.rs1 || rd == op.rs2 && !stores)
    }

    fn operands(&self, op: &Op) -> [u32; 2] {
        let first = if op.from_pc { self.pc } else { self.reg(op.rs1) };
        let first = if op.memory == Memory::Amo && self.phase == 2 { self.old } else { first };
        [first, op.immediate.unwrap_or(self.reg(op.rs2))]
    }

    /// The access that an instruction asks for in this cycle, and why it is refused if it is.
    fn access(&self, op: &Op, address: u32) -> (Option<Access>, Option<Cause>) {
        let asks = match op.memory {
            Memory::None => false,
            Memory::StoreConditional => self.reserved,
            Memory::Amo => matches!(self.phase, 0 | 2),
            _ => true,
        };
        if !asks {
            return (None, None);
        }
        let writes = match op.memory {
            Memory::Store(_) | Memory::StoreConditional => true,
            Memory::Amo => self.phase == 2,
            _ => false,
        };
        let machine_mode = self.csrs.accesses_as_machine();
        let what = if writes { Use::Store } else { Use::Load };
        let refused = self.csrs.protection.refuses_access(address, machine_mode, what);
        let cause = if writes || op.memory == Memory::Amo { Cause::StoreFault } else { Cause::LoadFault };
        let width = op.memory.width();
        let access = Access { address, width, writes, is_exclusive: op.memory.is_exclusive(), machine_mode };
        (Some(access), refused.then_some(cause))
    }

    /// Why the instruction in X must not be executed at all.
    fn forbidden(&self, is_wide: bool) -> Option<Cause> {
        let Csrs { machine_mode, ref triggers, ref protection, .. } = self.csrs;
        if triggers.matches(self.pc, machine_mode) {
            return Some(Cause::Breakpoint);
        }
        protection.refuses_instruction(self.pc, is_wide, machine_mode).then_some(Cause::FetchFault)
    }

    /// Why the instruction in X traps when it leaves.
    fn cause(&self, op: &Op, operands: [u32; 2], address: u32, refused: Option<Cause>) -> Option<Cause> {
        if op.csr.is_some_and(|csr| self.csrs.is_illegal(csr, Self::csr_operand(op, operands))) {
            return Some(Cause::Illegal);
        }
        let is_misaligned = op.memory.is_misaligned(address);
        let stores = matches!(op.memory, Memory::Store(_) | Memory::StoreConditional | Memory::Amo);
        match (is_misaligned, stores) {
            (true, true) => Some(Cause::StoreMisaligned),
            (true, false) => Some(Cause::LoadMisaligned),
            _ if self.phase == 4 => Some(Cause::StoreFault),
            _ => refused.or(op.cause),
        }
    }

    /// What a CSR is written with.
    pub(super) fn csr_operand(op: &Op, operands: [u32; 2]) -> u32 {
        if op.csr.is_some_and(|csr| csr.immediate) { u32::from(op.rs1) } else { operands[0] }
    }
}
