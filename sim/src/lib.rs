//! A simulated RP2040 that counts every cycle: as true as what docs/simulator.md lists as assumed.
//!
//! [`chip`] is what is simulated: [`chip::machine::Machine`] has cores, bus, memories and peripherals. [`firmware`] is what
//! is put into it, [`observe`] what watches the truth, and [`fault`] what a run can be made to suffer. People come in by a
//! [`session`], as the Python module does, by a debugger ([`gdb`]), or by the command line ([`cli`]).

pub mod armv7em;
pub mod chip;
pub mod cli;
pub mod fault;
pub mod firmware;
pub mod gdb;
pub mod observe;
pub mod places;
pub mod session;
pub mod stm32h745;
