//! A simulated RP2040 that is exact in time.
//!
//! [`machine::Machine`] is the chip: two Cortex-M0+ cores ([`cpu`]), the crossbar between them and the memories ([`bus`],
//! [`memory`], [`xip`]), the peripherals ([`peripherals`]), and probes that watch the truth ([`probe`]). [`image`] and
//! [`bootrom`] are what is put into it, [`host`] is the way in, [`gdb`] the way for a debugger; [`timeline`], [`trace_hash`]
//! and [`fault`] are what a run can leave behind and suffer. [`cli`] is the command line.

pub mod bootrom;
pub mod bus;
pub mod cli;
pub mod clock;
pub mod cpu;
mod dma_masters;
pub mod fault;
pub mod gdb;
pub mod host;
pub mod image;
pub mod machine;
pub mod memory;
pub mod peripheral;
pub mod peripherals;
pub mod probe;
mod schedule;
mod semihosting;
pub mod session;
pub mod ssi;
pub mod timeline;
pub mod trace_hash;
pub mod xip;
