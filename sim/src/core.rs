//! What any simulated chip is made of: time, memory accesses, what is watched, and why a run ends.

pub mod access;
pub mod address_log;
pub mod bits;
pub mod bus;
pub mod chip;
pub mod cortex_m;
pub mod costs;
pub mod diagnostics;
pub mod loss;
pub mod names;
pub mod profile;
pub mod ram;
pub mod random;
pub mod register;
pub mod semihosting;
pub mod state_hash;
pub mod statistics;
pub mod stop;
pub mod time;
pub mod uart_frame;
pub mod watch;
