//! The RP2040: two Cortex-M0+ cores, the crossbar between them with what is behind it ([`bus`]), and the [`peripherals`], all
//! in one time. [`machine::Machine`] is the whole of it.

pub mod boot;
pub mod bootrom;
pub mod bus;
mod chip;
mod crash;
mod debug;
mod fault;
pub mod irq;
pub mod machine;
pub mod peripherals;
