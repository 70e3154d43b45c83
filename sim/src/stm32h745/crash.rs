//! Crash reports.

use crate::core::cortex_m::HARD_FAULT;
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

/// Describes a core that is locked up or handles a fault; None for others. `function` gives an address's function and offset.
#[must_use]
pub fn describe<'a>(
    machine: &Machine,
    number: usize,
    function: impl Fn(u32) -> Option<(&'a str, u32)>,
) -> Option<String> {
    let processor = &machine.core(number).processor;
    let exception = (processor.xpsr() & 0x1ff) as u8;
    let does = if processor.is_locked_up() {
        "locked up"
    } else if (HARD_FAULT..=6).contains(&exception) {
        "handles a fault"
    } else {
        return None;
    };
    let pc = processor.register(15);
    let place = function(pc).map_or_else(String::new, |(name, offset)| format!(" ({name} + {offset})"));
    Some(format!("core {number} {does} at {pc:#010x}{place}: {}", causes(processor.fault_status())))
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
