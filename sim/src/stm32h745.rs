//! The STM32H745, for function only: a Cortex-M7 and a Cortex-M4 of [`crate::isa::armv7em`], memories and peripherals.
//!
//! Its times mean nothing: a core executes one instruction per period of its clock, unlike a Cortex-M7.

mod busy_wait;
mod chip;
pub mod core;
mod crash;
mod debug;
mod fault;
pub mod machine;
pub mod memory;
pub mod peripherals;
pub mod port;
mod profile;
pub mod report;

/// A point in time, or a span of it, in picoseconds since power-on.
pub type Time = u64;

/// Later than anything.
pub const NEVER: Time = Time::MAX;

/// Picoseconds in a second.
pub const SECOND: Time = 1_000_000_000_000;

/// The number of the Cortex-M7: CPU1 in ST's manual.
pub const M7: usize = 0;

/// The number of the Cortex-M4: CPU2 in ST's manual.
pub const M4: usize = 1;
