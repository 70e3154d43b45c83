//! Random programs for Hazard3, and how the bus and interrupts treat them.

use crate::hazard3::assembler::{Dice, addi, branch, c_branch, c_j, csr, i_type, jal, lui, r_type, store};
use crate::hazard3::setup::MIE;

/// Bytes of memory, from address 0 on.
pub const MEMORY: usize = 1 << 16;
/// First of the addresses that the bus answers with errors, and the one behind them.
pub const ERRORS: u32 = 0x8000;
pub const ERRORS_END: u32 = 0xf000;
/// A store here ends a program.
pub const END: u32 = 0xfff0;
/// Address of the first instruction, as in the RTL that the programs are run on: the memory repeats itself.
pub const ENTRY: u32 = 0x2000_0000;
pub const HANDLER: u32 = 0x100;
pub const MAIN: u32 = 0x200;
pub const DATA: u32 = 0x4000;

/// Registers that random instructions write.
pub const FREE: [u32; 12] = [5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 28, 29];
/// Those of them that encodings of 16 bits reach.
pub const SHORT: [u32; 7] = [9, 10, 11, 12, 13, 14, 15];
/// Holds an address of data; encodings of 16 bits reach it, too.
pub const POINTER: u32 = 8;
const COUNTER: u32 = 30;
pub const SP: u32 = 2;

/// CSRs that random instructions write.
const WRITTEN: [u32; 17] = [
    0xb00, 0xb02, 0xb80, 0x320, 0x306, MIE, 0xbe0, 0xbe1, 0xbe2, 0xbe3, 0xbe4, 0xbe5, 0xbf0, 0x3a0, 0xbd0, 0x7a5, 0x7a0,
];

/// `funct7` and `funct3` of what computes with two registers.
pub const REGISTER: [(u32, u32); 36] = [
    (0, 0),
    (0x20, 0),
    (0, 1),
    (0, 2),
    (0, 3),
    (0, 4),
    (0, 5),
    (0x20, 5),
    (0, 6),
    (0, 7),
    (1, 0),
    (1, 1),
    (1, 2),
    (1, 3),
    (0x10, 2),
    (0x10, 4),
    (0x10, 6),
    (0x20, 7),
    (0x20, 6),
    (0x20, 4),
    (5, 4),
    (5, 5),
    (5, 6),
    (5, 7),
    (0x30, 1),
    (0x30, 5),
    (4, 4),
    (4, 7),
    (0x24, 1),
    (0x24, 5),
    (0x34, 1),
    (0x14, 1),
    (1, 4),
    (1, 5),
    (1, 6),
    (1, 7),
];

/// `funct3` and the upper twelve bits of what computes with one.
pub const UNARY: [(u32, u32); 9] =
    [(1, 0x600), (1, 0x601), (1, 0x602), (1, 0x604), (1, 0x605), (1, 0x08f), (5, 0x08f), (5, 0x287), (5, 0x698)];

/// Lines of interrupts from a cycle on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinesAt {
    pub cycle: u64,
    pub external: u64,
    pub software: bool,
    pub timer: bool,
}

/// A program and what happens to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub memory: Vec<u8>,
    pub lines: Vec<LinesAt>,
    /// Wait states of the transfers of instructions and of data, over and over.
    pub waits: [Vec<u8>; 2],
}

pub(super) struct Writer {
    pub memory: Vec<u8>,
    pub at: u32,
    pub dice: Dice,
    /// Whether there are interrupts, which end a sleep.
    pub interrupts: bool,
}

impl Writer {
    pub fn word(&mut self, word: u32) {
        self.half(word as u16);
        self.half((word >> 16) as u16);
    }

    fn half(&mut self, half: u16) {
        let at = self.at as usize;
        self.memory[at..at + 2].copy_from_slice(&half.to_le_bytes());
        self.at += 2;
    }

    fn word_at(&mut self, at: u32, word: u32) {
        let back = std::mem::replace(&mut self.at, at);
        self.word(word);
        self.at = back;
    }

    pub fn li(&mut self, rd: u32, value: u32) {
        let low = (value << 20) as i32 >> 20;
        self.word(lui(rd, value.wrapping_sub(low as u32)));
        self.word(addi(rd, rd, low));
    }

    fn any(&mut self) -> u32 {
        let dice = &mut self.dice;
        if dice.once_in(12) { 0 } else { dice.one_of(&FREE) }
    }

    /// One instruction that only computes.
    fn compute(&mut self) {
        let (rd, rs1, rs2) = (self.any(), self.any(), self.any());
        let word = match self.dice.below(8) {
            0..=2 => {
                let (funct7, funct3) = self.dice.one_of(&REGISTER);
                // `slt x0, x0, …` are hints that sleep.
                let rd = if (funct7, funct3) == (0, 2) && rd == 0 { 5 } else { rd };
                r_type(0x33, funct3, funct7, rd, rs1, rs2)
            }
            3 | 4 => i_type(0x13, self.dice.one_of(&[0, 2, 3, 4, 6, 7]), rd, rs1, self.dice.below(4096)),
            5 => {
                let by = self.dice.below(32);
                let shifts = [(1, 0), (5, 0), (5, 0x20), (5, 0x30), (1, 0x24), (5, 0x24), (1, 0x34), (1, 0x14)];
                let (funct3, funct7) = self.dice.one_of(&shifts);
                i_type(0x13, funct3, rd, rs1, funct7 << 5 | by)
            }
            6 => match self.dice.below(3) {
                0 => r_type(0x0b, 0, self.dice.below(8) << 1, rd, rs1, rs2),
                1 => i_type(0x0b, 4, rd, rs1, self.dice.below(8) << 6 | self.dice.below(32)),
                _ => {
                    let (funct3, number) = self.dice.one_of(&UNARY);
                    i_type(0x13, funct3, rd, rs1, number)
                }
            },
            _ => match self.dice.below(3) {
                0 => lui(rd, self.dice.below(1 << 20) << 12),
                1 => 0x17 | rd << 7 | self.dice.below(1 << 20) << 12,
                _ => i_type(0x13, 5, rd, rs1, 0x687),
            },
        };
        self.word(word);
    }

    /// The same in 16 bits.
    fn compute_short(&mut self) {
        let (rd, rs) = (self.dice.one_of(&SHORT), self.dice.one_of(&SHORT));
        let (long, other) = (self.dice.one_of(&FREE), self.dice.one_of(&FREE));
        let low = self.dice.below(32);
        let pair = |code: u32| code | (rd & 7) << 7 | (rs & 7) << 2;
        let half = match self.dice.below(12) {
            0 => 0x0001 | long << 7 | low << 2 | self.dice.below(2) << 12,
            1 => 0x4001 | long << 7 | low << 2 | self.dice.below(2) << 12,
            2 => 0x6001 | long << 7 | low.max(1) << 2 | self.dice.below(2) << 12,
            3 => 0x0002 | long << 7 | low << 2,
            4 => (0x8001 | (rd & 7) << 7 | low << 2) | self.dice.below(2) << 10,
            5 => 0x8801 | (rd & 7) << 7 | low << 2 | self.dice.below(2) << 12,
            6 | 7 => pair(0x8c01) | self.dice.below(4) << 5,
            8 => 0x8002 | long << 7 | other << 2,
            9 => 0x9002 | long << 7 | other << 2,
            10 => self.dice.one_of(&[0x9c61, 0x9c65, 0x9c69, 0x9c6d, 0x9c75]) | (rd & 7) << 7,
            _ => pair(0x9c41),
        };
        self.half(half as u16);
    }

    /// A load or store near the pointer.
    fn access(&mut self) {
        let (rd, rs2) = (self.any(), self.any());
        let misaligned = self.dice.once_in(40);
        let offset = |dice: &mut Dice, size: u32| {
            let aligned = dice.below(64 / size) * size;
            if misaligned { aligned + 1 } else { aligned }
        };
        let base = if self.dice.once_in(3) { SP } else { POINTER };
        match self.dice.below(9) {
            0 | 1 => {
                let (funct3, size) = self.dice.one_of(&[(0, 1), (1, 2), (2, 4), (2, 4), (4, 1), (5, 2)]);
                let offset = offset(&mut self.dice, size);
                self.word(i_type(0x03, funct3, rd, base, offset));
            }
            2 | 3 => {
                let (funct3, size) = self.dice.one_of(&[(0, 1), (1, 2), (2, 4), (2, 4)]);
                let offset = offset(&mut self.dice, size);
                self.word(store(funct3, base, rs2, offset));
            }
            4 => {
                let funct5 = self.dice.one_of(&[0, 1, 4, 8, 12, 16, 20, 24, 28, 2, 3]);
                let rs2 = if funct5 == 2 { 0 } else { rs2 };
                let by = i32::from(misaligned);
                if misaligned {
                    self.word(addi(base, base, by));
                }
                self.word(r_type(0x2f, 2, funct5 << 2, rd, base, rs2));
                if misaligned {
                    self.word(addi(base, base, -by));
                }
            }
            5 => {
                // lw, sw
                let code = self.dice.one_of(&[0x4000, 0xc000]) | self.dice.below(4) << 10;
                let other = self.dice.one_of(&SHORT);
                self.half((code | (POINTER & 7) << 7 | (other & 7) << 2) as u16);
            }
            6 => {
                // lbu, lhu, lh, sb, sh
                let code = self.dice.one_of(&[0x8000, 0x8400, 0x8440, 0x8800, 0x8c00]);
                let other = self.dice.one_of(&SHORT);
                let high = self.dice.below(2) << 5;
                self.half((code | (POINTER & 7) << 7 | (other & 7) << 2 | high) as u16);
            }
            7 => {
                // lwsp, swsp
                let long = self.dice.one_of(&FREE);
                let low = self.dice.below(8);
                let half =
                    if self.dice.once_in(2) { 0x4002 | long << 7 | low << 4 } else { 0xc002 | long << 2 | low << 9 };
                self.half(half as u16);
            }
            _ if self.dice.once_in(10) => {
                // A load, store or atomic access that the bus answers with an error.
                let word = self.dice.one_of(&[
                    i_type(0x03, 2, rd, 31, 0),
                    store(2, 31, rs2, 0),
                    r_type(0x2f, 2, 0, rd, 31, rs2),
                ]);
                self.word(lui(31, ERRORS));
                self.word(word);
            }
            _ => self.sequence(),
        }
    }

    /// An instruction of Zcmp. Those that pop come in pairs with those that push, and never load what random programs rely on.
    fn sequence(&mut self) {
        if self.dice.once_in(2) {
            let code = self.dice.one_of(&[0xac22, 0xac62]);
            // Registers that are saved: s1 is free, and all from s2 on.
            let pair = self.dice.one_of(&[(1, 2), (2, 3), (4, 1), (5, 6), (7, 1)]);
            return self.half((code | pair.0 << 7 | pair.1 << 2) as u16);
        }
        let list = 4 + self.dice.below(12);
        let extra = self.dice.below(4) << 2;
        self.half((0xb802 | list << 4 | extra) as u16);
        for _ in 0..self.dice.below(3) {
            self.simple();
        }
        if self.dice.once_in(2) {
            return self.half((0xba02 | list << 4 | extra) as u16);
        }
        // Returns to what comes next: `ra` on the stack is what is stored there now.
        let code = self.dice.one_of(&[0xbc02, 0xbe02]);
        let count = if list == 15 { 13 } else { list - 3 };
        let total = 0x10 * [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4][list as usize - 4] + 4 * extra;
        // auipc x31, 0; addi x31, x31, 14 or 16; sw x31, …(sp); the return; a halfword
        let gap = self.dice.below(2);
        self.word(0x17 | 31 << 7);
        self.word(addi(31, 31, 14 + 2 * gap as i32));
        self.word(store(2, SP, 31, total - 4 * count));
        self.half((code | list << 4 | extra) as u16);
        for _ in 0..gap {
            self.half(1);
        }
    }

    fn simple(&mut self) {
        if self.dice.once_in(2) { self.compute() } else { self.compute_short() }
    }

    /// Jumps and branches that go forward, over one to four instructions.
    fn forward(&mut self) {
        let (rs1, rs2) = (self.any(), self.any());
        let kind = self.dice.below(7);
        let begin = self.at;
        match kind {
            0..=3 => self.word(0),
            4 | 5 => self.half(0),
            _ => {
                self.word(0x17 | 31 << 7);
                self.word(0);
            }
        }
        for _ in 0..self.dice.below(4) {
            self.anything_flat();
        }
        let by = (self.at - begin) as i32;
        match kind {
            0..=2 => {
                let funct3 = self.dice.one_of(&[0, 1, 4, 5, 6, 7]);
                self.word_at(begin, branch(funct3, rs1, rs2, by));
            }
            3 => {
                let rd = self.dice.one_of(&[0, 1, 5]);
                self.word_at(begin, jal(rd, by));
            }
            4 => {
                let (at, half) = (begin as usize, c_j(by));
                self.memory[at..at + 2].copy_from_slice(&half.to_le_bytes());
            }
            5 => {
                let half = c_branch(self.dice.once_in(2), self.dice.one_of(&SHORT), by);
                let at = begin as usize;
                self.memory[at..at + 2].copy_from_slice(&half.to_le_bytes());
            }
            _ => {
                let rd = self.dice.one_of(&[0, 1, 6]);
                self.word_at(begin + 4, i_type(0x67, 0, rd, 31, by as u32));
            }
        }
    }

    /// A loop that is left in its middle or at its end.
    fn repeat(&mut self) {
        let times = 1 + self.dice.below(5) as i32;
        self.word(addi(COUNTER, 0, times));
        if self.dice.once_in(2) {
            self.half(1);
        }
        let begin = self.at;
        for _ in 0..self.dice.below(4) {
            self.anything_flat();
        }
        if self.dice.once_in(3) {
            // An own exit: over the rest.
            let (rs1, rs2) = (self.any(), self.any());
            let funct3 = self.dice.one_of(&[0, 4]);
            self.word(branch(funct3, rs1, rs2, 12));
        }
        self.word(addi(COUNTER, COUNTER, -1));
        let by = begin as i32 - self.at as i32;
        self.word(branch(1, COUNTER, 0, by));
    }

    /// A tight loop of one instruction of 16 bits and a branch of either size.
    fn delay(&mut self) {
        let times = 1 + self.dice.below(6);
        self.half((0x4001 | 15 << 7 | times << 2) as u16); // c.li a5, times
        if self.dice.once_in(2) {
            self.half(1);
        }
        self.half(0x17fd); // c.addi a5, -1
        if self.dice.once_in(2) {
            self.half(c_branch(false, 15, -2));
        } else {
            self.word(branch(1, 15, 0, -2));
        }
    }

    fn system(&mut self) {
        let rd = self.any();
        let rs1 = self.any();
        let number = self.dice.one_of(&[0xb00, 0xb02, 0x340, 0xc00, 0x342, 0x341, 0xb80, 0x301, 0x7ff]);
        match self.dice.below(20) {
            14 => self.go_on_as_user(),
            15 => self.jump_into_errors(),
            16..=19 => {
                let number = self.dice.one_of(&WRITTEN);
                // What lines there are not reads as nobody knows what.
                let is_pending = number == 0xbe1;
                let funct3 = if is_pending { 6 } else { self.dice.one_of(&[1, 2, 3, 5, 6, 7]) };
                let operand = if funct3 > 4 { self.dice.below(if is_pending { 4 } else { 32 }) } else { rs1 };
                self.word(csr(funct3, rd, number, operand));
            }
            12 => self.word(r_type(0x33, 2, 0, 0, 0, 1)), // h3.unblock
            13 if self.interrupts => {
                let sleep = self.dice.one_of(&[0x1050_0073, r_type(0x33, 2, 0, 0, 0, 0)]); // wfi, h3.block
                self.word(sleep);
            }
            0 => self.word(0x0000_0073),
            1 => self.word(0x0010_0073),
            2 => self.half(0x9002),
            3 => self.word(0x0000_100f),
            4 => self.word(0x0000_000f),
            5 => self.half(0),
            6 => self.word(0xffff_ffff),
            7 | 8 => self.word(csr(6, 0, 0x300, 8)), // csrsi mstatus, 8
            9 => {
                let value = self.dice.below(32);
                self.word(csr(5, 0, 0x340, value));
            }
            _ => self.word(csr(2, rd, number, if number == 0x340 { rs1 } else { 0 })),
        }
    }

    /// Goes on in user mode.
    fn go_on_as_user(&mut self) {
        self.word(0x17 | 31 << 7); // auipc x31, 0
        self.word(addi(31, 31, 24));
        self.word(csr(1, 0, 0x341, 31)); // csrw mepc, x31
        self.word(lui(31, 0x2000)); // one bit of MPP is as good as both
        self.word(csr(3, 0, 0x300, 31));
        self.word(0x3020_0073);
    }

    /// Jumps to where fetches fail; the handler goes on by x26.
    fn jump_into_errors(&mut self) {
        self.word(0x17 | 26 << 7); // auipc x26, 0
        self.word(addi(26, 26, 16));
        self.word(lui(31, ERRORS));
        self.word(i_type(0x67, 0, 0, 31, 4 * self.at % 8));
    }

    /// What may stand in a loop, or be jumped over.
    fn anything_flat(&mut self) {
        match self.dice.below(10) {
            0..=2 => self.compute(),
            3..=5 => self.compute_short(),
            6..=8 => self.access(),
            _ => self.system(),
        }
    }

    fn anything(&mut self) {
        match self.dice.below(12) {
            0 | 1 => self.forward(),
            2 => self.repeat(),
            3 if self.dice.once_in(2) => self.delay(),
            _ => self.anything_flat(),
        }
    }
}

impl Program {
    /// The program of a seed: with wait states if it is odd, with interrupts if its second bit is set.
    pub fn new(seed: u64) -> Self {
        let memory = vec![0; MEMORY];
        let mut writer = Writer { memory, at: 0, dice: Dice::new(seed), interrupts: seed & 2 != 0 };
        writer.entry();
        writer.handler();
        writer.at = MAIN + 2;
        for _ in 0..12 + writer.dice.below(40) {
            writer.anything();
        }
        writer.li(31, END);
        writer.word(store(2, 31, 0, 0));
        writer.word(jal(0, 0));
        let waits = [0, 1].map(|_| writer.waits(seed & 1 != 0));
        let lines = if writer.interrupts { writer.lines() } else { Vec::new() };
        Self { memory: writer.memory, lines, waits }
    }
}
