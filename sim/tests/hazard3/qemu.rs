//! Function against QEMU's RV32: random instructions leave the same registers and memory. Needs `qemu-system-riscv32`; says so and
//! passes where it is missing, unless `INTERCORE_NO_SKIP` is set.
//!
//! `INTERCORE_RANDOM_INSTRUCTIONS` is the number of random instructions (default 50,000; `make test-long`: 2,000,000);
//! `INTERCORE_SEED` chooses others. Debian's QEMU has neither Zcb nor Zcmp, and no QEMU has Xh3bextm: these are not among them, nor is
//! what traps.

use super::assembler::{Dice, addi, branch, c_branch, c_j, csr, i_type, jal, lui, r_type, store};
use super::program::{FREE, POINTER, REGISTER, SHORT, SP, UNARY};
use crate::qemu::{folder, have, number};
use intercore_sim::isa::hazard3::Core;
use intercore_sim::isa::hazard3::ports::{Access, Lines, Reply};
use std::process::Command;

/// Address of RAM in QEMU's machine `virt`, and offsets in it.
const RAM: u32 = 0x8000_0000;
const DATA: u32 = 0x10_0000;
const RESULTS: u32 = 0x10_1000;
const MEMORY: usize = 0x20_0000;
/// Instructions of a sequence, after which registers are stored, and of all sequences of one start of QEMU.
const SEQUENCE: u32 = 100;
const BATCH: u64 = 50_000;
/// Where the next result goes to, a count, and an address.
const RESULT: u32 = 18;
const COUNTER: u32 = 30;
const TARGET: u32 = 31;
const EBREAK: u32 = 0x0010_0073;

struct Writer {
    code: Vec<u8>,
    dice: Dice,
    instructions: u64,
}

impl Writer {
    fn word(&mut self, word: u32) {
        self.code.extend(word.to_le_bytes());
    }

    fn half(&mut self, half: u32) {
        self.code.extend((half as u16).to_le_bytes());
    }

    fn li(&mut self, rd: u32, value: u32) {
        let low = (value << 20) as i32 >> 20;
        self.word(lui(rd, value.wrapping_sub(low as u32)));
        self.word(addi(rd, rd, low));
    }

    fn value(&mut self) -> u32 {
        let word = self.dice.below(1 << 16) << 16 | self.dice.below(1 << 16);
        match self.dice.below(4) {
            0 => self.dice.one_of(&[0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0x00ff_00ff]),
            1 => word & 0xff,
            _ => word,
        }
    }

    fn any(&mut self) -> u32 {
        if self.dice.once_in(12) { 0 } else { self.dice.one_of(&FREE) }
    }

    fn compute(&mut self) {
        let (rd, rs1, rs2) = (self.any(), self.any(), self.any());
        let word = match self.dice.below(8) {
            0..=3 => {
                let (funct7, funct3) = self.dice.one_of(&REGISTER);
                // `slt x0, x0, …` are hints of the core's own.
                let rd = if (funct7, funct3) == (0, 2) && rd == 0 { 5 } else { rd };
                r_type(0x33, funct3, funct7, rd, rs1, rs2)
            }
            4 => i_type(0x13, self.dice.one_of(&[0, 2, 3, 4, 6, 7]), rd, rs1, self.dice.below(4096)),
            5 => {
                let shifts = [(1, 0), (5, 0), (5, 0x20), (5, 0x30), (1, 0x24), (5, 0x24), (1, 0x34), (1, 0x14)];
                let (funct3, funct7) = self.dice.one_of(&shifts);
                i_type(0x13, funct3, rd, rs1, funct7 << 5 | self.dice.below(32))
            }
            6 => {
                let (funct3, number) = self.dice.one_of(&[&UNARY[..], &[(5, 0x687)]].concat());
                i_type(0x13, funct3, rd, rs1, number)
            }
            _ => self.dice.one_of(&[0x17, 0x37]) | rd << 7 | self.dice.below(1 << 20) << 12,
        };
        self.word(word);
    }

    fn compute_short(&mut self) {
        let (rd, rs) = (self.dice.one_of(&SHORT), self.dice.one_of(&SHORT));
        let (long, other) = (self.dice.one_of(&FREE), self.dice.one_of(&FREE));
        let (low, sign) = (self.dice.below(32), self.dice.below(2) << 12);
        let shift = low.max(1);
        let half = match self.dice.below(9) {
            0 => 0x0001 | long << 7 | shift << 2 | sign,
            1 => 0x4001 | long << 7 | low << 2 | sign,
            2 => 0x6001 | long << 7 | shift << 2 | sign,
            3 => 0x0002 | long << 7 | shift << 2,
            4 => 0x8001 | (rd & 7) << 7 | shift << 2 | self.dice.below(2) << 10,
            5 => 0x8801 | (rd & 7) << 7 | low << 2 | sign,
            6 => 0x8c01 | (rd & 7) << 7 | (rs & 7) << 2 | self.dice.below(4) << 5,
            7 => 0x8002 | long << 7 | other << 2,
            _ => 0x9002 | long << 7 | other << 2,
        };
        self.half(half);
    }

    fn access(&mut self) {
        let (rd, rs2) = (self.any(), self.any());
        let base = self.dice.one_of(&[SP, POINTER]);
        let (funct3, size) = self.dice.one_of(&[(0, 1), (1, 2), (2, 4), (2, 4), (4, 1), (5, 2)]);
        let offset = self.dice.below(64 / size) * size;
        match self.dice.below(7) {
            0 | 1 => self.word(i_type(0x03, funct3, rd, base, offset)),
            2 => self.word(store(funct3 & 3, base, rs2, offset)),
            3 => {
                let other = self.dice.one_of(&SHORT) & 7;
                let code = self.dice.one_of(&[0x4000, 0xc000]) | self.dice.below(4) << 10;
                self.half(code | (POINTER & 7) << 7 | other << 2);
            }
            4 => {
                let (long, low) = (self.dice.one_of(&FREE), self.dice.below(8));
                let half =
                    if self.dice.once_in(2) { 0x4002 | long << 7 | low << 4 } else { 0xc002 | long << 2 | low << 9 };
                self.half(half);
            }
            5 => {
                let funct5 = self.dice.one_of(&[0, 1, 4, 8, 12, 16, 20, 24, 28]);
                self.word(r_type(0x2f, 2, funct5 << 2, rd, base, rs2));
            }
            _ => {
                self.word(r_type(0x2f, 2, 2 << 2, rd, base, 0));
                let failed = self.dice.one_of(&FREE);
                self.word(r_type(0x2f, 2, 3 << 2, failed, base, rs2));
                self.instructions += 1;
            }
        }
    }

    fn flat(&mut self) {
        self.instructions += 1;
        match self.dice.below(10) {
            0..=4 => self.compute(),
            5 | 6 => self.compute_short(),
            7 => {
                let (funct3, rd, rs1) = (self.dice.one_of(&[1, 2, 3, 5, 6, 7]), self.any(), self.any());
                self.word(csr(funct3, rd, 0x340, rs1));
            }
            _ => self.access(),
        }
    }

    /// A jump or a branch over up to four instructions, which may be taken.
    fn forward(&mut self) {
        self.instructions += 1;
        let (kind, begin) = (self.dice.below(5), self.code.len());
        match kind {
            0..=2 => self.word(0),
            3 => self.half(0),
            _ => {
                self.word(0x17 | TARGET << 7);
                self.word(0);
            }
        }
        for _ in 0..self.dice.below(5) {
            self.flat();
        }
        let by = (self.code.len() - begin) as i32;
        let (rs1, rs2) = (self.any(), self.any());
        let funct3 = self.dice.one_of(&[0, 1, 4, 5, 6, 7]);
        let short = self.dice.one_of(&SHORT);
        let (at, word) = match kind {
            0 | 1 => (begin, branch(funct3, rs1, rs2, by)),
            2 => (begin, jal(self.dice.one_of(&[0, 1, 5]), by)),
            3 if self.dice.once_in(3) => return self.put(begin, &c_j(by).to_le_bytes()),
            3 => {
                let half = c_branch(self.dice.once_in(2), short, by);
                return self.put(begin, &half.to_le_bytes());
            }
            _ => (begin + 4, i_type(0x67, 0, self.dice.one_of(&[0, 1, 6]), TARGET, by as u32)),
        };
        self.put(at, &word.to_le_bytes());
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.code[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// A loop.
    fn repeat(&mut self) {
        let times = 1 + self.dice.below(4) as i32;
        self.word(addi(COUNTER, 0, times));
        let begin = self.code.len();
        for _ in 0..=self.dice.below(6) {
            self.flat();
        }
        self.word(addi(COUNTER, COUNTER, -1));
        let by = begin as i32 - self.code.len() as i32;
        self.word(branch(1, COUNTER, 0, by));
        self.instructions += 3;
    }

    /// Random instructions with random values before, and after which these are stored.
    fn sequence(&mut self) {
        for register in FREE {
            let value = self.value();
            self.li(register, value);
        }
        let end = self.instructions + u64::from(SEQUENCE);
        while self.instructions < end {
            match self.dice.below(10) {
                0 => self.forward(),
                1 => self.repeat(),
                _ => self.flat(),
            }
        }
        for register in FREE {
            self.word(store(2, RESULT, register, 0));
            self.word(addi(RESULT, RESULT, 4));
        }
    }

    /// A call of the host, of which only QEMU has one.
    fn call(&mut self, number: u32, argument: u32) {
        self.li(10, number);
        self.li(11, argument);
        while !self.code.len().is_multiple_of(16) {
            self.half(1);
        }
        for word in [0x01f0_1013, EBREAK, 0x4070_5013] {
            self.word(word);
        }
    }
}

/// A program of at least so many instructions and, for each of its sequences, where that begins; and how many results there are.
fn program(seed: u64, wanted: u64) -> (Writer, Vec<usize>) {
    let mut writer = Writer { code: Vec::new(), dice: Dice::new(seed), instructions: 0 };
    for (register, value) in [(POINTER, RAM + DATA + 0x100), (SP, RAM + DATA + 0x200), (RESULT, RAM + RESULTS)] {
        writer.li(register, value);
    }
    let mut begins = Vec::new();
    while writer.instructions < wanted {
        begins.push(writer.code.len());
        writer.sequence();
    }
    let results = RESULTS - DATA + (begins.len() * FREE.len() * 4) as u32;
    // What calls need: the name of the output, the mode "w", its handle, which is 1; and what is written to it.
    writer.li(RESULT, RAM + DATA - 0x40);
    let name = u32::from_le_bytes(*b":tt\0");
    for (offset, value) in [(0, RAM + DATA - 0x10), (4, 4), (8, 3), (0x10, 1), (0x14, RAM + DATA), (0x18, results)] {
        writer.li(10, value);
        writer.word(store(2, RESULT, 10, offset));
    }
    writer.li(10, name);
    writer.word(store(2, RESULT, 10, 0x30));
    writer.call(1, RAM + DATA - 0x40);
    writer.word(store(2, RESULT, 10, 0x10));
    writer.call(5, RAM + DATA - 0x30);
    writer.call(0x18, 0x2_0026);
    assert!(writer.code.len() < (DATA - 0x40) as usize && (DATA + results) as usize <= MEMORY);
    (writer, begins)
}

fn on_qemu(name: &str, code: &[u8]) -> Vec<u8> {
    let file = folder(name).join("program.bin");
    std::fs::write(&file, code).unwrap();
    let output = Command::new("qemu-system-riscv32")
        .args(["-M", "virt", "-cpu", "rv32,zba=true,zbb=true,zbs=true,zbkb=true", "-bios", "none", "-display", "none"])
        .args(["-monitor", "none", "-serial", "none", "-semihosting-config", "enable=on,target=native,chardev=out"])
        .args(["-chardev", "stdio,id=out,signal=off", "-device"])
        .arg(format!("loader,addr={RAM:#x},force-raw=on,file={}", file.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// What is from `DATA` on when a core comes to the first call of the host. Memory answers at once.
fn here(code: &[u8]) -> Vec<u8> {
    let mut memory = vec![0; MEMORY];
    memory[..code.len()].copy_from_slice(code);
    let place = |address: u32| (address - RAM) as usize & !3;
    let word = |memory: &[u8], at: usize| u32::from_le_bytes(memory[at..at + 4].try_into().unwrap());
    let mut hart = Core::new(0, RAM);
    let (mut fetching, mut accessing) = (None, None::<Access>);
    let mut reserved = false;
    loop {
        let mut data = Reply { ready: true, ..Reply::default() };
        if let Some(Access { address, width, writes, is_exclusive, .. }) = accessing {
            data.word = word(&memory, place(address));
            data.exclusive = is_exclusive && (!writes || reserved);
            reserved = if is_exclusive { !writes } else { reserved };
            if writes && (!is_exclusive || data.exclusive) {
                let (first, lanes) = ((address - RAM) as usize, hart.stored().to_le_bytes());
                for byte in 0..width.bytes() as usize {
                    memory[first + byte] = lanes[(first + byte) % 4];
                }
            }
        }
        let fetch = Reply {
            ready: true,
            word: fetching.map_or(0, |(address, _)| word(&memory, place(address))),
            ..Reply::default()
        };
        let begun = hart.begin(&Lines::default());
        let executed = hart.end(begun.as_ref(), fetch, data, &Lines::default());
        if executed.is_some_and(|(_, word)| word == EBREAK) {
            return memory.split_off(DATA as usize);
        }
        assert!(hart.take_trap().is_none(), "a trap at {:#x}", hart.pc());
        (fetching, accessing) = begun.map_or((None, None), |begun| (begun.request.fetch, begun.request.access));
    }
}

#[test]
fn random_instructions_do_the_same_as_on_qemu() {
    if !have(&["qemu-system-riscv32"]) {
        return;
    }
    let (wanted, first_seed) = (number("INTERCORE_RANDOM_INSTRUCTIONS", 50_000), number("INTERCORE_SEED", 1));
    let mut done = 0;
    for seed in first_seed.. {
        if done >= wanted {
            break;
        }
        let (program, begins) = program(seed, BATCH.min(wanted - done));
        let (theirs, ours) = (on_qemu("hazard3-qemu", &program.code), here(&program.code));
        let results = (RESULTS - DATA) as usize;
        assert_eq!(theirs.len(), results + 4 * FREE.len() * begins.len(), "QEMU did not run all sequences");
        for (index, begin) in begins.iter().enumerate() {
            for (number, register) in FREE.iter().enumerate() {
                let at = results + 4 * (index * FREE.len() + number);
                let [theirs, ours] =
                    [&theirs, &ours].map(|all| u32::from_le_bytes(all[at..at + 4].try_into().unwrap()));
                assert_eq!(
                    theirs,
                    ours,
                    "x{register} on QEMU and here, after sequence {index} of seed {seed}: {:02x?}",
                    &program.code[*begin..begins.get(index + 1).copied().unwrap_or(program.code.len())]
                );
            }
        }
        assert!(theirs[..results] == ours[..results], "memory differs after seed {seed}");
        done += program.instructions;
    }
    println!("{done} random instructions agree");
}
