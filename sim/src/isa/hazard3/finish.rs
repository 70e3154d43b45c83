//! The second half of a cycle: all stages move on with what the ports have answered.

use crate::core::access::{extract, replicate};
use crate::isa::hazard3::csr::Trap;
use crate::isa::hazard3::fetch::{Answer, Feedback, Predictor};
use crate::isa::hazard3::look::Cycle;
use crate::isa::hazard3::op::{Cause, Hint, Jump, Memory, Op};
use crate::isa::hazard3::ports::Reply;
use crate::isa::hazard3::sleep::Wait;
use crate::isa::hazard3::{Behind, Core, alu, decode};

/// What the data port has said.
#[derive(Clone, Copy, Debug)]
struct Port {
    takes_address: bool,
    done: bool,
    failed: bool,
    exclusive: bool,
}

/// Stages that keep what they have.
#[derive(Clone, Copy, Debug)]
struct Waits {
    /// M waits for the data port.
    data: bool,
    m: bool,
    x: bool,
}

impl Core {
    /// Ends a cycle with what the ports of instructions and of data have answered.
    pub(super) fn finish(&mut self, cycle: &Cycle, fetch: Reply, data: Reply) -> Option<(u32, u32)> {
        let port = Port {
            takes_address: data.ready && cycle.request.access.is_some(),
            done: data.ready && self.accessing,
            failed: data.failed && self.accessing,
            exclusive: data.exclusive && self.accessing,
        };
        let waits = self.waits(cycle, port);
        let takes_jump = self.front.takes_jump();
        let goes_on = cycle.step.is_some_and(|step| !step.is_last());
        let stays = waits.x || cycle.is_starved || goes_on;
        let used = if stays { 0 } else { 1 + u32::from(cycle.is_wide) };
        let jumped = takes_jump && cycle.redirect.is_some();
        let locks = jumped && cycle.trap.is_none() && stays;
        let trapped = cycle.trap.filter(|_| takes_jump);
        let left_x = !waits.x && !cycle.is_starved && !cycle.traps_soon;

        let csr_value = self.count_and_access(cycle, used > 0, waits.x);
        self.take_load(data.word, port, waits.data);
        if let Some(trap) = trapped {
            self.trapped = Some(trap);
            let size = 2 + 2 * u32::from(self.was_wide);
            let is_before = matches!(trap, Trap::Exception(_)) && !self.behind.keeps_pc;
            self.csrs.enter(trap, self.pc.wrapping_sub(if is_before { size } else { 0 }));
        }
        let reserved = self.next_reservation(&cycle.op, port, waits.m, trapped.is_some());
        let is_committed = self.commits(cycle, port);
        self.advance_amo(cycle, data.word, port, waits);
        self.advance_division(cycle, waits.x);
        self.move_on(cycle, left_x, waits.m, port, csr_value);
        (self.reserved, self.is_committed) = (reserved, is_committed);
        if !waits.x {
            self.was_wide = used == 2;
        }
        let (executed_at, word) = (self.pc, self.front.instruction());
        let keeps_oldest = locks && !self.has_jumped;
        self.clock_front(cycle, fetch, used, keeps_oldest, trapped.is_some());
        self.move_pc(cycle, stays, locks, jumped);
        self.has_jumped = self.has_jumped && stays || locks;
        if let Some(step) = cycle.step {
            self.step = match () {
                () if jumped && !keeps_oldest => 0,
                () if waits.x || cycle.is_starved => self.step,
                () => step.next,
            };
        }
        if fetch.ready {
            self.fetching = cycle.request.fetch.is_some();
            self.fetched = cycle.request.fetch.map_or(0, |(address, _)| address);
        }
        if data.ready {
            self.accessing = cycle.request.access.is_some();
        }
        left_x.then_some((executed_at, word))
    }

    /// Which stages keep what they have.
    fn waits(&self, cycle: &Cycle, port: Port) -> Waits {
        let takes_jump = self.front.takes_jump();
        let is_skipped = self.behind.memory == Memory::StoreConditional && !self.reserved;
        let data = self.behind.memory.has_data_phase() && !port.done && self.behind.cause.is_none() && !is_skipped;
        let is_exception = matches!(cycle.trap, Some(Trap::Exception(_)));
        let m = data || is_exception && !takes_jump || self.sleeps();
        let x = m
            || cycle.redirect.is_some() && !takes_jump
            || cycle.traps_soon && cycle.trap.is_none()
            || cycle.waits
            || self.amo_waits(cycle, port)
            || self.begins_division(cycle)
            || self.division.is_some_and(|left| left > 0)
            || cycle.request.access.is_some() && !port.takes_address;
        Waits { data, m, x }
    }

    /// Counts the cycle and its instruction, and accesses a CSR. What that was.
    fn count_and_access(&mut self, cycle: &Cycle, is_done: bool, x_waits: bool) -> Option<u32> {
        let counts = matches!(
            cycle.cause,
            None | Some(Cause::Breakpoint | Cause::Return | Cause::CallFromMachine | Cause::CallFromUser)
        );
        let csr = cycle.op.csr.filter(|_| !cycle.traps_soon && !x_waits && cycle.cause != Some(Cause::Illegal));
        let operand = Self::csr_operand(&cycle.op, cycle.operands);
        let value = csr.map(|csr| self.csrs.read(csr, operand).unwrap_or(0));
        self.csrs.count(1, u64::from(is_done && counts));
        if let Some(csr) = csr {
            self.csrs.access(csr, operand, value.unwrap_or(0));
        }
        value
    }

    /// Whether what X has on the bus in the next cycle cannot be taken back any more.
    fn commits(&self, cycle: &Cycle, port: Port) -> bool {
        let amo_may_end = port.done && !port.failed && (self.phase == 3 || self.phase == 1 && port.exclusive);
        cycle.request.access.is_some() && !port.takes_address || cycle.op.memory == Memory::Amo && !amo_may_end
    }

    fn begins_division(&self, cycle: &Cycle) -> bool {
        cycle.op.alu.divides() && self.division.is_none() && !cycle.waits && !cycle.traps_soon
    }

    fn advance_division(&mut self, cycle: &Cycle, x_waits: bool) {
        self.division = match self.division {
            _ if !x_waits => None,
            left if cycle.traps_soon => left.map(|_| 0),
            None if self.begins_division(cycle) => Some(alu::division_cycles(cycle.op.alu, cycle.operands[0]) - 2),
            left => left.map(|left| left.saturating_sub(1)),
        };
    }

    fn amo_waits(&self, cycle: &Cycle, port: Port) -> bool {
        let waits = match self.phase {
            0..=2 => true,
            3 => !port.done || !port.exclusive || port.failed,
            _ => false,
        };
        cycle.op.memory == Memory::Amo && !cycle.traps_soon && waits
    }

    /// What stage M has loaded.
    fn take_load(&mut self, word: u32, port: Port, waits: bool) {
        let Behind { rd, memory, lane, cause, .. } = self.behind;
        if waits || cause.is_some() {
            return;
        }
        let value = match memory {
            Memory::Load(width) => extract(word, lane, width),
            Memory::LoadReserved => word,
            Memory::StoreConditional => u32::from(!(self.reserved && port.exclusive)),
            _ => return,
        };
        self.set_register(rd, value);
    }

    fn next_reservation(&self, op: &Op, port: Port, m_waits: bool, trapped: bool) -> bool {
        if trapped {
            return false;
        }
        match self.behind.memory {
            _ if m_waits && !port.failed => self.reserved,
            _ if op.memory == Memory::Amo => false,
            Memory::StoreConditional if port.done || port.failed => false,
            Memory::LoadReserved if port.done => port.exclusive && !port.failed,
            _ => self.reserved,
        }
    }

    /// The phases of an atomic access: it is done as a whole in X.
    fn advance_amo(&mut self, cycle: &Cycle, word: u32, port: Port, waits: Waits) {
        if cycle.op.memory != Memory::Amo {
            return;
        }
        if self.phase == 1 && port.done {
            self.old = word;
        }
        if self.phase == 2 && !waits.m {
            self.new = alu::compute(cycle.op.alu, cycle.operands[0], cycle.operands[1]);
        }
        let is_misaligned = cycle.address & 3 != 0;
        let moves = port.takes_address || port.done || cycle.trap.is_some() || is_misaligned || self.phase == 4;
        if !moves {
            return;
        }
        self.phase = match self.phase {
            _ if cycle.trap.is_some() || cycle.waits || cycle.traps_soon => 0,
            4 if waits.x => 4,
            4 => 0,
            _ if is_misaligned => 4,
            1 if !port.exclusive => 4,
            1 | 3 if port.failed => 4,
            3 => 0,
            phase => phase + 1,
        };
    }

    /// Stage M gets the next instruction.
    fn move_on(&mut self, cycle: &Cycle, left_x: bool, m_waits: bool, port: Port, csr: Option<u32>) {
        let Cycle { op, step, cause, .. } = *cycle;
        self.unblocks = false;
        if m_waits {
            if port.failed {
                let loads = matches!(self.behind.memory, Memory::Load(_) | Memory::LoadReserved);
                self.behind.cause = Some(if loads { Cause::LoadFault } else { Cause::StoreFault });
            }
            return;
        }
        if !left_x {
            self.behind = Behind::NOTHING;
            return;
        }
        let works = cause.is_none();
        let loads = op.memory.has_data_phase();
        if works && !loads {
            let result = match csr {
                Some(value) => value,
                None if op.memory == Memory::Amo => self.old,
                None => alu::compute(op.alu, cycle.operands[0], cycle.operands[1]),
            };
            self.set_register(op.rd, result);
        }
        self.unblocks = works && op.hint == Hint::Unblock;
        self.behind = Behind {
            rd: op.rd,
            memory: if works { op.memory } else { Memory::None },
            lane: if loads { cycle.address & 3 } else { 0 },
            value: if loads { replicate(self.reg(op.rs2), op.memory.width()) } else { 0 },
            cause,
            wait: match op.hint {
                Hint::Wfi if works => Some(Wait::Interrupt),
                Hint::Block if works => Some(Wait::Unblocked),
                _ => None,
            },
            keeps_pc: step.is_some_and(|step| !step.is_last()),
        };
    }

    fn move_pc(&mut self, cycle: &Cycle, stays: bool, locks: bool, jumped: bool) {
        let in_sequence = |keeps_pc| cycle.step.is_some_and(|step| step.keeps_pc == keeps_pc);
        let jumps_now = jumped && (!locks || in_sequence(false));
        let has_jumped = self.has_jumped && !stays && !in_sequence(true);
        if jumps_now || has_jumped {
            self.pc = cycle.redirect.map_or(cycle.address & !1, |to| to.target);
        } else if !stays {
            let size = match cycle.step {
                Some(step) if step.keeps_pc => 0,
                _ if cycle.is_wide => 4,
                _ => 2,
            };
            let target = self.front.predicted_target();
            self.pc = if cycle.predicted { target } else { self.pc.wrapping_add(size) };
        }
    }

    fn clock_front(&mut self, cycle: &Cycle, fetch: Reply, used: u32, keeps_oldest: bool, trapped: bool) {
        let Op { jump, offset, .. } = cycle.op;
        let goes_back = cycle.jumps && (offset as i32) < 0 && matches!(jump, Jump::If(_));
        let feedback = Feedback {
            used,
            keeps_oldest,
            // What is left of instructions that were skipped is recognised, too.
            forgets: self.front.instruction() == decode::FENCE_I || trapped || cycle.predicted && cycle.jumps,
            learns: (goes_back && !cycle.predicted).then(|| Predictor::new(self.pc, cycle.is_wide, cycle.address & !1)),
        };
        let answer = Answer {
            takes_address: fetch.ready,
            arrives: fetch.ready && self.fetching,
            word: fetch.word,
            failed: fetch.failed,
        };
        self.front.clock(cycle.redirect, answer, feedback);
    }
}
