//! The processors of ARMv7E-M.

mod bench;
mod encodings;
mod exceptions;
mod faults;
mod float_context;
mod generator;
mod memory;
mod pages;
mod protection;
mod qemu;
