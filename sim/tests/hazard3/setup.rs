//! What stands around random programs: how they begin, what handles traps, and when interrupts and wait states come.

use crate::hazard3::assembler::{addi, branch, csr, i_type, jal, r_type};
use crate::hazard3::program::{DATA, ENTRY, FREE, HANDLER, LinesAt, MAIN, POINTER, SP, Writer};

const MTVEC: u32 = 0x305;
pub const MIE: u32 = 0x304;

impl Writer {
    /// Sets up pointers, values, the handler, and counters.
    pub fn entry(&mut self) {
        for (i, register) in FREE.into_iter().enumerate() {
            let value = match self.dice.below(4) {
                0 => self.dice.below(8).wrapping_sub(4),
                _ => self.dice.below(u32::MAX),
            };
            self.li(register, value);
            let at = (DATA as usize) + 8 * i;
            self.memory[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        self.li(POINTER, DATA);
        self.li(SP, DATA + 0x800);
        self.word(addi(5, 0, HANDLER as i32 + 1));
        self.word(csr(1, 0, MTVEC, 5));
        self.word(csr(5, 0, 0x320, 0)); // csrwi mcountinhibit, 0
        if self.interrupts {
            self.li(5, 0x888);
            self.word(csr(1, 0, MIE, 5));
            self.li(5, 0xffff_0000);
            self.word(csr(2, 0, 0xbe0, 5)); // meiea: lines 0 to 15
            self.word(csr(6, 0, 0x300, 8));
        }
        self.protection();
        let by = MAIN as i32 - self.at as i32;
        let odd = self.dice.below(2) as i32 * 2;
        assert!(self.at < HANDLER, "the beginning is too long");
        self.memory[MAIN as usize..MAIN as usize + 2].copy_from_slice(&1u16.to_le_bytes());
        self.word(jal(0, by + odd));
    }

    /// A region with random permissions in the data, one for user mode, and a breakpoint.
    fn protection(&mut self) {
        if !self.dice.once_in(3) {
            return;
        }
        let first = DATA + 32 * self.dice.below(4);
        self.li(5, first >> 2 | 3);
        self.word(csr(1, 0, 0x3b0, 5));
        self.word(addi(5, 0, -1));
        self.word(csr(1, 0, 0x3b1, 5));
        let settings = 0x1f18 | self.dice.below(8) | self.dice.below(2) << 7;
        self.li(5, settings);
        self.word(csr(1, 0, 0x3a0, 5));
        let for_machine_mode = self.dice.below(2);
        self.word(csr(5, 0, 0xbd0, for_machine_mode));
        let breakpoint = ENTRY + MAIN + 2 * self.dice.below(80);
        self.li(5, breakpoint);
        self.word(csr(1, 0, 0x7a2, 5));
        self.word(addi(5, 0, 0x4c));
        self.word(csr(1, 0, 0x7a1, 5));
        self.word(csr(5, 0, 0x7a5, 8));
    }

    /// Vectors; an exception goes on behind its instruction, an interrupt switches all of its kind off.
    pub fn handler(&mut self) {
        let (exceptions, interrupts) = (HANDLER + 0x40, HANDLER + 0xa0);
        for vector in 0..12 {
            self.at = HANDLER + 4 * vector;
            let to = if vector == 0 { exceptions } else { interrupts };
            self.word(jal(0, to as i32 - self.at as i32));
        }
        self.at = exceptions;
        self.word(csr(1, 0, 0x340, 31)); // csrw mscratch, x31
        self.word(csr(2, 31, 0x342, 0)); // csrr x31, mcause
        self.word(addi(31, 31, -1));
        self.word(branch(1, 31, 0, 20)); // bnez: not a fetch
        self.word(csr(1, 0, 0x341, 26)); // csrw mepc, x26
        self.word(addi(26, 0, MAIN as i32 + 2)); // the next time from the beginning
        self.word(csr(2, 31, 0x340, 0));
        self.word(0x3020_0073);
        self.word(csr(2, 31, 0x341, 0)); // csrr x31, mepc
        self.word(i_type(0x03, 5, 31, 31, 0)); // lhu x31, 0(x31)
        self.word(i_type(0x13, 7, 31, 31, 3)); // andi x31, x31, 3
        self.word(i_type(0x13, 3, 31, 31, 3)); // sltiu x31, x31, 3
        self.word(i_type(0x13, 4, 31, 31, 1)); // xori x31, x31, 1
        self.word(r_type(0x33, 2, 0x10, 31, 31, 0)); // sh1add x31, x31, x0
        self.word(addi(31, 31, 2));
        self.word(csr(2, 27, 0x341, 0));
        self.word(r_type(0x33, 0, 0, 31, 31, 27));
        self.word(csr(1, 0, 0x341, 31));
        self.word(csr(2, 31, 0x340, 0));
        self.word(0x3020_0073);
        self.at = interrupts;
        self.word(csr(1, 0, 0x340, 31));
        self.word(csr(2, 31, 0x342, 0)); // mcause
        self.word(i_type(0x13, 1, 31, 31, 0x14 << 5)); // bseti x31, x31, 0
        self.word(csr(6, 31, 0xbe4, 1)); // csrrsi x31, meinext, 1
        self.word(csr(5, 0, MIE, 0)); // csrwi mie, 0
        self.word(csr(2, 31, 0x340, 0));
        self.word(0x3020_0073);
    }

    pub fn waits(&mut self, some: bool) -> Vec<u8> {
        let count = if some { 3 + self.dice.below(12) } else { 1 };
        (0..count).map(|_| if some && self.dice.once_in(3) { self.dice.below(4) as u8 } else { 0 }).collect()
    }

    pub fn lines(&mut self) -> Vec<LinesAt> {
        let mut cycle = 0;
        (0..=self.dice.below(3))
            .map(|_| {
                cycle += 40 + u64::from(self.dice.below(120));
                let external = if self.dice.once_in(2) { 1 << self.dice.below(16) } else { 0 };
                LinesAt { cycle, external, software: self.dice.once_in(3), timer: self.dice.once_in(3) }
            })
            .collect()
    }
}
