//! Hazard3: its time against what the RTL of the core takes, and what its instructions do.
//!
//! `hazard3/rtl.txt` has what the RTL that was taped out (`MIMPID` 0x86fc4e3f) did with random programs: for each, by its number, the
//! cycles, and a hash of all addresses that both ports asked for with their cycles, of each instruction that was executed with its
//! cycle, and of registers and memory at the end.

#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)] // fields of encodings

pub(crate) mod assembler;
mod machine;
mod program;
mod qemu;
mod setup;

use crate::machine_code::cases;
use assembler::{addi, branch, csr, i_type, jal, store};
use intercore_sim::isa::hazard3::memo::Memo;
use machine::{LIMIT, Run, run, run_with};
use program::{ENTRY, MEMORY, Program};
use std::fmt::Write as _;
use std::io::Write as _;

/// 64-bit FNV-1a.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn takes_the_cycles_that_the_rtl_takes() {
    let known: Vec<_> = include_str!("hazard3/rtl.txt").lines().collect();
    assert!(known.len() >= 3000);
    let count = (cases(300) as usize).min(known.len());
    for line in known.iter().step_by(known.len() / count) {
        let seed = line.split(' ').next().unwrap().parse().unwrap();
        let run = run(&Program::new(seed), LIMIT);
        let found = format!("{seed} {} {:016x}", run.requests.len(), hash(&run.trace()));
        assert_eq!(found, *line, "program {seed}: the RTL does it in another way");
    }
}

#[test]
fn does_the_same_where_it_was_before() {
    // What one program leaves is known to the next one.
    let mut memo = Memo::default();
    for seed in 0..u64::from(cases(300)) {
        let program = Program::new(seed);
        let fresh = run(&program, LIMIT);
        for _ in 0..2 {
            if memo.is_full() {
                memo.clear();
            }
            let again = run_with(&program, LIMIT, Some(&mut memo));
            assert!(again == fresh, "program {seed}: it goes another way where it was before");
        }
    }
}

/// A program of halfwords from the entry on.
fn of(halfwords: &[u16]) -> Program {
    let mut memory = vec![0; MEMORY];
    for (place, half) in memory.chunks_mut(2).zip(halfwords) {
        place.copy_from_slice(&half.to_le_bytes());
    }
    Program { memory, lines: Vec::new(), waits: [vec![0], vec![0]] }
}

fn halves(words: &[u32]) -> Vec<u16> {
    words.iter().flat_map(|&word| [word as u16, (word >> 16) as u16]).collect()
}

/// In which cycles an instruction was executed, by its offset.
fn cycles_of(run: &Run, offset: u32) -> Vec<u64> {
    run.executed.iter().filter(|executed| executed.pc == ENTRY + offset).map(|executed| executed.cycle).collect()
}

#[test]
fn copies_ten_bytes_in_the_52_cycles_of_the_datasheet() {
    // DS 3.8.7.10: `lbu`, `sb`, two `addi`, `bltu`.
    let mut code = halves(&[addi(10, 0, 0x400), addi(11, 0, 0x500), addi(12, 0, 0x50a), addi(15, 0, -16)]);
    code.extend(halves(&[i_type(0x03, 4, 13, 10, 0), store(0, 11, 13, 0)]));
    code.extend([0x0505, 0x0585]); // c.addi
    code.extend(halves(&[branch(6, 11, 12, -12), store(2, 15, 0, 0), jal(0, 0)]));
    let mut program = of(&code);
    program.memory[0x400..0x40a].copy_from_slice(b"0123456789");
    let run = run(&program, LIMIT);
    let (loads, ends) = (cycles_of(&run, 16), cycles_of(&run, 32));
    assert_eq!(loads.len(), 10);
    // Up to the instruction behind the loop, whose fetch is what the last, mispredicted branch costs.
    assert_eq!(ends[0] - loads[0], 52);
    assert_eq!(&run.memory[0x500..0x50a], b"0123456789");
}

#[test]
fn a_delay_loop_takes_three_cycles_where_it_is_aligned() {
    // DS 3.8.7.10.1: one instruction of 16 bits and a branch; two cycles where it is not aligned.
    for (padding, expected) in [(0, 3), (1, 2)] {
        let mut code = vec![0x47a9, 0x0001]; // c.li a5, 10; c.nop
        code.extend(vec![0x0001; padding]);
        code.push(0x17fd); // c.addi a5, -1
        code.extend(halves(&[branch(1, 15, 0, -2), jal(0, 0)]));
        let run = run(&of(&code), 100);
        let turns = cycles_of(&run, 4 + 2 * padding as u32);
        assert_eq!(turns.len(), 10);
        assert!(turns[3..].windows(2).all(|pair| pair[1] - pair[0] == expected), "{padding}: {turns:?}");
    }
}

#[test]
fn an_external_interrupt_is_taken_in_the_cycle_of_its_line() {
    let mut code =
        halves(&[addi(5, 0, 0x100), csr(1, 0, 0x305, 5), addi(5, 0, 0x7ff), addi(5, 5, 1), csr(1, 0, 0x304, 5)]);
    code.extend(halves(&[0xffff_02b7, csr(1, 0, 0xbe0, 5), csr(6, 0, 0x300, 8)]));
    code.extend(vec![0x0001; 32]);
    let mut program = of(&code);
    program.lines = vec![program::LinesAt { cycle: 30, external: 1, software: false, timer: false }];
    let run = run(&program, 60);
    assert_eq!(run.requests.iter().position(|requested| requested.fetch == Some(0x100)), Some(30));
}

/// Writes programs for another implementation: `HAZARD3_PROGRAMS=folder HAZARD3_SEEDS=first..end`.
#[test]
#[ignore = "writes files"]
fn writes_programs() {
    let folder = std::path::PathBuf::from(std::env::var("HAZARD3_PROGRAMS").unwrap());
    let seeds = std::env::var("HAZARD3_SEEDS").unwrap();
    let (first, end) = seeds.split_once("..").unwrap();
    for seed in first.parse::<u64>().unwrap()..end.parse().unwrap() {
        let program = Program::new(seed);
        let mut setting = String::new();
        for (port, waits) in ["I", "D"].iter().zip(&program.waits) {
            let waits: Vec<_> = waits.iter().map(u8::to_string).collect();
            writeln!(setting, "{port} {}", waits.join(" ")).unwrap();
        }
        for at in &program.lines {
            let (software, timer) = (u8::from(at.software), u8::from(at.timer));
            writeln!(setting, "L {} {} {software} {timer}", at.cycle, at.external).unwrap();
        }
        let file = |ending| std::fs::File::create(folder.join(format!("{seed}.{ending}"))).unwrap();
        file("bin").write_all(&program.memory).unwrap();
        file("set").write_all(setting.as_bytes()).unwrap();
        file("model").write_all(run(&program, LIMIT).trace().as_bytes()).unwrap();
    }
}
