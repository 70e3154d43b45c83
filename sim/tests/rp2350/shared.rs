//! Random programs for two cores that share SRAM.

use crate::hazard3::assembler::{Dice, addi, branch, csr, i_type, jal, lui, r_type, store};
use intercore_sim::isa::hazard3::Core;
use intercore_sim::isa::hazard3::ports::Lines;
use intercore_sim::rp2350::bus::Fabric;
use std::fmt::Write as _;

/// Where both cores begin.
const ENTRY: u32 = 0x2000_0000;
/// Code of core 1 from here on.
const OTHER: u32 = 0x400;
/// What both use: words of a few granules, in all banks of the first group.
const DATA: u32 = 0x2000_0800;
/// Cycles of a run: each program has come to its `wfi` long before.
const CYCLES: u64 = 4000;

const WFI: u32 = 0x1050_0073;
const FREE: [u32; 8] = [9, 10, 11, 12, 13, 14, 15, 28];
/// Holds `DATA`, and an address that changes.
const BASE: u32 = 8;
const POINTER: u32 = 7;
const COUNTER: u32 = 30;

pub struct Shared {
    pub memory: Vec<u8>,
}

/// What a core did.
#[derive(Default)]
struct Done {
    executed: Vec<(u64, u32)>,
    registers: [u32; 32],
}

pub struct Run([Done; 2]);

impl Run {
    /// Instructions of each core with their cycles, then its registers.
    pub fn trace(&self) -> String {
        let mut text = String::new();
        for (core, done) in self.0.iter().enumerate() {
            for (cycle, pc) in &done.executed {
                writeln!(text, "{core} {cycle} {pc:x}").unwrap();
            }
            for (number, value) in done.registers.iter().enumerate().skip(1) {
                writeln!(text, "{core} R {number} {value:x}").unwrap();
            }
        }
        text
    }

    /// A line of `rtl.txt`.
    pub fn summary(&self, seed: u64) -> String {
        format!("{seed} {:016x}", crate::hazard3::hash(&self.trace()))
    }
}

impl Shared {
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::new(0x2350_0000 ^ seed.wrapping_mul(0x9e37_79b9));
        let mut memory = vec![0; 0x1000];
        let mut begin = vec![csr(2, 10, 0xf14, 0), branch(0, 10, 0, 8), jal(0, OTHER as i32 - 8)];
        begin.extend(code(&mut dice));
        put(&mut memory, 0, &begin);
        put(&mut memory, OTHER, &code(&mut dice));
        for byte in &mut memory[0x800..0xa00] {
            *byte = dice.below(256) as u8;
        }
        Self { memory }
    }
}

fn put(memory: &mut [u8], at: u32, words: &[u32]) {
    assert!(words.len() * 4 <= OTHER as usize);
    for (place, word) in memory[at as usize..].chunks_mut(4).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
}

/// What a core executes: accesses to the same words as the other one, with loops around some of them.
fn code(dice: &mut Dice) -> Vec<u32> {
    let mut code = vec![lui(BASE, 0x2000_1000), addi(BASE, BASE, DATA as i32 - 0x2000_1000), addi(POINTER, BASE, 0)];
    for _ in 0..dice.below(6) {
        code.push(addi(0, 0, 0));
    }
    let blocks = 3 + dice.below(5);
    for _ in 0..blocks {
        let turns = 1 + dice.below(4) as i32;
        code.push(addi(COUNTER, 0, turns));
        let head = code.len();
        for _ in 0..=dice.below(6) {
            instruction(dice, &mut code);
        }
        code.push(addi(COUNTER, COUNTER, -1));
        let back = (head as i32 - code.len() as i32) * 4;
        code.push(branch(1, COUNTER, 0, back));
    }
    code.extend([WFI, jal(0, -4)]);
    code
}

fn instruction(dice: &mut Dice, code: &mut Vec<u32>) {
    let (rd, rs) = (dice.one_of(&FREE), dice.one_of(&FREE));
    let offset = 4 * dice.below(12);
    match dice.below(12) {
        0..3 => code.push(i_type(3, 2, rd, BASE, offset)),
        3..5 => code.push(store(2, BASE, rs, offset)),
        5 => code.push(store(dice.below(2), BASE, rs, offset)),
        6 => code.push(i_type(3, dice.one_of(&[0, 4]), rd, BASE, offset + dice.below(4))),
        7 => code.push(addi(rd, rs, dice.below(64) as i32)),
        8 => {
            code.push(addi(POINTER, BASE, offset as i32));
            let function = dice.one_of(&[0x00, 0x04, 0x10, 0x20, 0x30]);
            code.push(r_type(0x2f, 2, function, rd, POINTER, rs));
        }
        9 => {
            // Until it succeeds, or not.
            code.push(addi(POINTER, BASE, offset as i32));
            let head = code.len();
            code.push(r_type(0x2f, 2, 0x08, rd, POINTER, 0));
            for _ in 0..dice.below(4) {
                code.push(addi(rd, rd, 1));
            }
            code.push(r_type(0x2f, 2, 0x0c, rs, POINTER, rd));
            if dice.once_in(2) {
                let back = (head as i32 - code.len() as i32) * 4;
                code.push(branch(1, rs, 0, back));
            }
        }
        10 => code.push(r_type(0x33, dice.below(4), 1, rd, rs, dice.one_of(&FREE))),
        _ => code.push(r_type(0x33, 0, 0, rd, rs, dice.one_of(&FREE))),
    }
}

/// Runs a program on both cores, which begin in the same cycle.
pub fn run(program: &Shared) -> Run {
    let mut fabric = Fabric::new();
    for (byte, at) in program.memory.iter().zip(ENTRY..) {
        assert!(fabric.poke(at, *byte));
    }
    let mut cores = [Core::new(0, ENTRY), Core::new(1, ENTRY)];
    let mut run = Run(<[Done; 2]>::default());
    for now in 0..CYCLES {
        let executed = fabric.cycle(&mut cores, [true; 2], &[Lines::default(); 2], now);
        for (done, executed) in run.0.iter_mut().zip(executed) {
            // The `wfi` at the end never leaves the pipeline.
            done.executed.extend(executed.filter(|&(_, word)| word != WFI).map(|(pc, _)| (now, pc)));
        }
        if cores.iter().all(Core::is_asleep) && fabric.is_idle(0) && fabric.is_idle(1) {
            break;
        }
    }
    for (core, done) in cores.iter().zip(&mut run.0) {
        assert!(core.is_asleep(), "a program did not come to its end");
        done.registers = std::array::from_fn(|number| core.register(number));
    }
    run
}
