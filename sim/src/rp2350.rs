//! The RP2350 with its RISC-V cores: two Hazard3, the crossbar between them with what is behind it ([`bus`]), and the
//! [`peripherals`], all in one time. [`machine::Machine`] is the whole of it. DS is the RP2350 datasheet.

pub mod boot;
mod bootrom;
pub mod bus;
mod chip;
mod debug;
mod fault;
pub mod irq;
pub mod machine;
pub mod peripherals;
