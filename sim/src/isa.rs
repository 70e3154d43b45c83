//! Instruction sets: what each instruction does to registers and flags, and which bus cycles it asks for in which order.

pub mod armv6m;
pub mod armv7em;
