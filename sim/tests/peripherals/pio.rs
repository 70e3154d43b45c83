//! The PIO blocks: what chapter 3 of the datasheet says, cycle by cycle; and against a model of their own.

mod assembly;
mod forced;
mod model;
mod pads;
mod programs;
pub mod random;
mod statements;

use super::bench::{Bench, IO_BANK0};

pub const PIO: [u32; 2] = [0x5020_0000, 0x5030_0000];
/// Register offsets (3.7); of state machine 0 where there are four.
pub const CTRL: u32 = 0x00;
pub const FSTAT: u32 = 0x04;
pub const FDEBUG: u32 = 0x08;
pub const FLEVEL: u32 = 0x0c;
pub const TXF: u32 = 0x10;
pub const RXF: u32 = 0x20;
pub const IRQ: u32 = 0x30;
pub const IRQ_FORCE: u32 = 0x34;
pub const SYNC_BYPASS: u32 = 0x38;
pub const PADOUT: u32 = 0x3c;
pub const PADOE: u32 = 0x40;
pub const INSTR_MEM: u32 = 0x48;
pub const EXECCTRL: u32 = 0xcc;
pub const INSTR: u32 = 0xd8;
pub const INTE: u32 = 0x12c;

/// The offset of a state machine's register.
pub fn at_machine(offset: u32, machine: u32) -> u32 {
    offset + 0x18 * machine
}

/// Gives a pin to a PIO block.
pub fn give(bench: &mut Bench, pin: u32, block: usize) {
    bench.write(IO_BANK0 + 8 * pin + 4, 6 + block as u32);
}
