//! Simulated dual-core chips: an RP2040 that counts every cycle (docs/simulator.md says from which sources), and an
//! STM32H745 for function only.
//!
//! [`core`] is what any chip is made of, [`isa`] has the instruction sets, [`engine`] takes a chip through its cycles; [`rp2040`]
//! and [`stm32h745`] are chips. [`image`] is what is put into one, [`observe`] what watches the truth, and [`fault`] what a run can
//! be made to suffer. People come in by a [`session`], as the Python module does, by a debugger ([`debug`]), or by the command
//! line ([`cli`]).

pub mod cli;
pub mod core;
pub mod debug;
pub mod engine;
pub mod fault;
pub mod image;
pub mod isa;
pub mod observe;
pub mod rp2;
pub mod rp2040;
pub mod rp2350;
pub mod session;
pub mod stm32h745;
