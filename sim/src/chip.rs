//! The chip: what firmware runs on, cycle by cycle.
//!
//! [`machine::Machine`] is the whole of it: two Cortex-M0+ cores ([`cpu`]), the crossbar between them with what is behind
//! it ([`bus`]), and the [`peripherals`], all in one time ([`clock`]).

pub mod bus;
pub mod clock;
pub mod cpu;
pub mod diagnostics;
pub mod irq;
pub mod machine;
pub mod peripherals;
pub mod state_hash;
