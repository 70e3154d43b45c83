//! Instruction sets: what each instruction does to registers and flags, and which bus cycles it asks for in which order.
//!
//! No instruction set imports another; the encodings that several share are in a module of their own.

pub mod armv6m;
pub mod armv7em;
pub mod hazard3;
pub mod thumb;
