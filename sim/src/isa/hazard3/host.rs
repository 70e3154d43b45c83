//! What a machine, a debugger and the host do with a core between two cycles.

use crate::isa::hazard3::Core;
use crate::isa::hazard3::csr::Trap;
use crate::isa::hazard3::fetch::FrontEnd;
use crate::isa::hazard3::ports::{Lines, Reply, Request};
use std::hash::{Hash, Hasher};

impl Core {
    /// Address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.pc
    }

    /// Address of the instruction that waits to be executed, if nothing of it has happened.
    pub fn begins_instruction(&self) -> Option<u32> {
        let has_begun =
            self.has_jumped || self.is_committed || self.step > 0 || self.phase > 0 || self.division.is_some();
        (!has_begun && !self.front.is_starved() && !self.sleeps()).then_some(self.pc)
    }

    /// Sends it to an address, whatever it was about to do.
    pub fn send_to(&mut self, address: u32) {
        self.front = FrontEnd::new(address & !1);
        (self.pc, self.step, self.phase, self.division) = (address & !1, 0, 0, None);
        (self.has_jumped, self.is_committed) = (false, false);
        self.behind = super::Behind::NOTHING;
        (self.fetching, self.fetched, self.accessing) = (false, 0, false);
    }

    /// Whether it waits to be woken, by `wfi` or `h3.block`.
    pub fn is_asleep(&self) -> bool {
        self.sleeps()
    }

    /// Whether it sleeps, and does nothing at all for as long as the lines are these and no port has a transfer of its.
    pub fn rests(&self, lines: &Lines) -> bool {
        if !self.sleeps() {
            return false;
        }
        let idle = Reply { ready: true, ..Reply::default() };
        let mut next = self.clone();
        let cycle = next.begin(lines);
        if cycle.as_ref().is_some_and(|cycle| cycle.request != Request::default()) {
            return false;
        }
        next.end(cycle.as_ref(), idle, idle, lines);
        next.state() == self.state() && next.csrs.has_stood_still(&self.csrs)
    }

    /// So many cycles pass in which it `rests`.
    pub fn sleep_for(&mut self, cycles: u64) {
        if !self.sleep.is_stopped {
            self.csrs.count(cycles, 0);
        }
    }

    /// The `ebreak` that was executed was a call of the host, which has been served: there is no trap.
    pub fn end_host_call(&mut self) {
        self.behind.cause = None;
    }

    /// The trap that was entered, or left by `mret`, since the last call.
    pub fn take_trap(&mut self) -> Option<Trap> {
        self.trapped.take()
    }

    /// All that decides the future but the CSRs.
    fn state(&self) -> impl Hash + PartialEq {
        (
            (self.registers, self.front, self.pc, self.step, self.has_jumped, self.phase, self.old, self.new),
            (
                self.division,
                self.is_committed,
                self.was_wide,
                self.behind,
                self.reserved,
                self.fetching,
                self.accessing,
            ),
            (self.sleep.clone(), self.unblocks),
        )
    }
}

impl Hash for Core {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state().hash(hasher);
        self.csrs.hash(hasher);
    }
}
