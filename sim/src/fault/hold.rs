//! A core that is held before an instruction for a while, so that the other core, the peripherals and the DMA get ahead of it:
//! one interleaving of many.

use crate::core::time::{Cycle, cycles};
use crate::fault::{Event, FaultTarget, Faults, core};

/// How it is written.
pub(super) const FORM: &str = "hold:core=1,pc=0x20000304,cycles=5000@2e6";

/// From a cycle on, the first time that a core is about to execute an instruction, it is held for some cycles.
///
/// An instruction rather than a cycle: then it is the same place also if the core comes there sooner or later, as after
/// another hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// 0 or 1.
    pub core: usize,
    /// Address of the instruction, which must be one that the core branches to or goes on to.
    pub pc: u32,
    /// For so long.
    pub cycles: Cycle,
    /// First cycle in which it counts.
    pub from: Cycle,
}

impl Hold {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let expected = || format!("expected {FORM}");
        let (what, from) = text.split_once('@').ok_or_else(expected)?;
        let parts: Vec<&str> = what.split(',').collect();
        let [number, pc, long] = parts[..] else { return Err(expected()) };
        let pc =
            pc.strip_prefix("pc=0x").and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or_else(expected)?;
        let long = cycles(long.strip_prefix("cycles=").ok_or_else(expected)?)?;
        let number = core(number.strip_prefix("core=").ok_or_else(expected)?)?;
        Ok(Self { core: number, pc: pc & !1, cycles: long, from: cycles(from)? })
    }
}

/// What a core has to do with holds that stands before an instruction with a breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breakpoint {
    /// It is held from now on.
    Holds,
    /// The instruction is one of a hold of the other core.
    Passes,
    /// Nothing.
    Unknown,
}

impl<M: FaultTarget> Faults<M> {
    /// To be called when a core has come to a breakpoint.
    pub fn at_breakpoint(&mut self, machine: &mut M, number: u8, pc: u32) -> Breakpoint {
        let core = usize::from(number);
        let Some(at) = self.awaited.iter().position(|hold| hold.pc == pc && hold.core == core) else {
            let passes = self.awaited.iter().any(|hold| hold.pc == pc);
            return if passes { Breakpoint::Passes } else { Breakpoint::Unknown };
        };
        let hold = self.awaited.remove(at);
        machine.watch_mut().remove_breakpoint(hold.pc);
        if let Some(stuck) = machine.stick_core(core) {
            let until = machine.now().saturating_add(hold.cycles);
            self.events.entry(until).or_default().push(Event::Unstick { core, stuck });
        }
        Breakpoint::Holds
    }

    /// Takes back what holds that are awaited have asked of a machine.
    pub(crate) fn end(self, machine: &mut M) {
        for hold in self.awaited {
            machine.watch_mut().remove_breakpoint(hold.pc);
        }
    }
}
