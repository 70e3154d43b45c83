//! How a program ended that did not say so by semihosting, in words: a core locked up, a handler of a `HardFault` that does
//! not return, a `main` that did.

use std::fmt::Write as _;

use crate::core::chip::{Chip as _, ExitState};
use crate::core::names::Names;
use crate::isa::armv6m::hard_fault::{Cause, HardFault};
use crate::rp2040::bootrom;
use crate::rp2040::machine::Machine;

/// Where C libraries and the SDK leave a program for good, with its status in r0.
const EXIT: &str = "_exit";
/// The function that calls it: in programs of the SDK 1.2 and 1.3, the compiler builds `_exit` into it.
const CALLER_OF_EXIT: &str = "exit";

/// A machine, and what is known of the firmware in it.
#[derive(Clone, Copy)]
pub(super) struct CrashReport<'a> {
    /// The machine.
    pub(super) machine: &'a Machine,
    /// Names and lines of its firmware.
    pub(super) names: &'a dyn Names,
}

impl CrashReport<'_> {
    /// What has become of a core's program.
    pub(super) fn exit_state(&self, number: usize) -> ExitState {
        let core = self.machine.core(number);
        let first = core.hard_fault().or(core.lockup_fault());
        match first {
            // The SDK's `_exit` is a BKPT, in a loop. Without a debugger that is a fault, whose default handler is another.
            Some(fault)
                if matches!(fault.cause, Cause::Breakpoint(_)) && self.is_in(&[EXIT, CALLER_OF_EXIT], fault.pc) =>
            {
                ExitState::Returned(fault.registers[0].cast_signed())
            }
            Some(_) if core.is_locked_up() => ExitState::LockedUp,
            Some(_) => ExitState::Faulted,
            None if self.is_in(&[EXIT], core.register(15)) => ExitState::Returned(core.register(0).cast_signed()),
            None => ExitState::Alive,
        }
    }

    fn is_in(&self, functions: &[&str], pc: u32) -> bool {
        self.names.function_at(pc).is_some_and(|(name, _)| functions.contains(&name))
    }

    /// The same in a sentence without a full stop; none for a core that is alive.
    pub(super) fn tell(&self, number: usize) -> Option<String> {
        let core = self.machine.core(number);
        Some(match self.exit_state(number) {
            ExitState::Alive => return None,
            ExitState::Returned(status) => {
                format!(
                    "core {number} has ended its program: it called {EXIT}, as when main returns, with status {status}"
                )
            }
            ExitState::Faulted => {
                let first = core.hard_fault().map_or_else(String::new, |fault| self.describe(fault));
                let at = self.place(core.register(15));
                format!("core {number} is in its handler of a HardFault, at {at}: {first}")
            }
            ExitState::LockedUp => self.tell_lockup(number),
        })
    }

    fn tell_lockup(&self, number: usize) -> String {
        let core = self.machine.core(number);
        let pc = core.register(15);
        let rom_says = self.rom_says(pc);
        let mut sentence = format!("core {number} locked up at {}: ", self.place(pc));
        // Writing to a String does not fail.
        let _ = match (rom_says, core.lockup_fault()) {
            (Some(why), _) => write!(sentence, "{why}"),
            (None, Some(fault)) => write!(sentence, "{}, where faults cannot be handled", fault.cause),
            (None, None) => write!(sentence, "a fault where faults cannot be handled"),
        };
        if let Some(first) = core.hard_fault() {
            let _ = write!(sentence, "; before that, {}", self.describe(first));
        }
        sentence
    }

    fn describe(&self, fault: &HardFault) -> String {
        let caller = fault.registers[14];
        // An EXC_RETURN value, or what LR is at reset, is no place.
        let caller = if caller >> 28 == 15 { String::new() } else { format!(", lr {}", self.place(caller & !1)) };
        format!("in cycle {}, {} at {}{caller}", fault.cycle, fault.cause, self.place(fault.pc))
    }

    fn place(&self, pc: u32) -> String {
        self.machine.place(pc, self.names)
    }

    /// Why a core stopped in our own boot ROM, which has reasons of its own to do so.
    fn rom_says(&self, pc: u32) -> Option<&'static str> {
        bootrom::why_stopped(pc).filter(|_| self.machine.has_our_rom())
    }

    /// Why nothing more can happen to a machine that has come to its end, in words.
    pub(super) fn dead_end(&self) -> String {
        if self.machine.bus.peripherals.stands_still() {
            return "dead end: clk_sys stands still, and nothing will start it".to_owned();
        }
        let cores = [0, 1].map(|number| self.machine.core(number));
        if !(0..2).any(|number| self.machine.has_crashed(number)) {
            let rom_says = cores.iter().find_map(|core| self.rom_says(core.register(15)));
            let why = rom_says.unwrap_or("nothing is pending that could wake one");
            return format!("dead end: both cores sleep for good: {why}");
        }
        let [zero, one] = [0, 1].map(|number| match self.exit_state(number) {
            ExitState::Returned(_) => "has ended its program",
            ExitState::Faulted => "stays in its handler of a HardFault",
            _ if cores[number].is_asleep() => "sleeps, and nothing will wake it",
            _ => match cores[number].state() {
                "locked up" => "is locked up",
                "off" => "is off",
                _ => "is stuck",
            },
        });
        format!("nothing more can happen: core 0 {zero}; core 1 {one}")
    }
}
