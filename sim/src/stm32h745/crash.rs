//! Crash reports.

use crate::core::chip::{Chip as _, ExitState};
use crate::core::cortex_m::HARD_FAULT;
use crate::core::names::Names;
use crate::isa::armv7em::exception::USAGE_FAULT;
use crate::isa::armv7em::fault::FaultStatus;
use crate::stm32h745::machine::Machine;
use std::fmt::Write as _;

/// Bits of CFSR and their causes.
const CAUSES: [(u32, &str); 14] = [
    (0, "code that the MPU forbids to execute"),
    (1, "data that the MPU forbids to access"),
    (3, "the MPU forbids where a frame is read back from"),
    (4, "the MPU forbids where a frame is to be stored"),
    (5, "the MPU forbids where the floating-point context is to be stored"),
    (8, "code where there is no memory"),
    (9, "data where nothing takes the access"),
    (11, "no memory where a frame is read back from"),
    (12, "no memory where a frame is to be stored"),
    (16, "an undefined instruction"),
    (17, "a branch to an address without the Thumb bit"),
    (18, "an impossible return from an exception"),
    (19, "floating point that CPACR forbids"),
    (24, "an unaligned access"),
];

/// Whether a core's program has ended: locked up, or in the handler of a fault.
pub fn exit_state(machine: &Machine, number: usize) -> ExitState {
    let processor = &machine.core(number).processor;
    let exception = (processor.xpsr() & 0x1ff) as u8;
    if processor.is_locked_up() {
        ExitState::LockedUp
    } else if (HARD_FAULT..=USAGE_FAULT).contains(&exception) {
        ExitState::Faulted
    } else {
        ExitState::Alive
    }
}

impl Machine {
    /// Whether a core has crashed: it is locked up, or stays in its handler of a fault by a branch to itself.
    pub fn has_crashed(&self, number: usize) -> bool {
        const STAY: [u8; 2] = [0xfe, 0xe7];
        match exit_state(self, number) {
            ExitState::LockedUp => true,
            ExitState::Faulted => self.peek_bytes(number, self.core(number).processor.register(15), 2) == STAY,
            ExitState::Alive | ExitState::Returned(_) => false,
        }
    }
}

/// Where and why it has, a clause; none if it goes on.
pub fn tell(machine: &Machine, number: usize, names: &dyn Names) -> Option<String> {
    let does = match exit_state(machine, number) {
        ExitState::LockedUp => "locked up",
        ExitState::Faulted => "handles a fault",
        ExitState::Alive | ExitState::Returned(_) => return None,
    };
    let processor = &machine.core(number).processor;
    let place = machine.place(processor.register(15), names);
    Some(format!("core {number} {does} at {place}: {}", causes(processor.fault_status())))
}

fn causes(status: FaultStatus) -> String {
    let found: Vec<_> = CAUSES.iter().filter(|(bit, _)| status.cfsr >> bit & 1 != 0).map(|&(_, words)| words).collect();
    let mut words = if found.is_empty() { "a fault without a cause".to_owned() } else { found.join(", ") };
    // Writing to a String does not fail.
    if status.cfsr >> 7 & 1 != 0 {
        let _ = write!(words, ", at {:#010x}", status.mmfar);
    } else if status.cfsr >> 15 & 1 != 0 {
        let _ = write!(words, ", at {:#010x}", status.bfar);
    }
    words
}
