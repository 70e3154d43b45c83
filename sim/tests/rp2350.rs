//! The RP2350 with its RISC-V cores: its bus against the RTL of two cores, and what its parts do.
//!
//! `rp2350/rtl.txt` has what two cores of the RTL that was taped out did with random programs that share SRAM: for each, by its
//! number, a hash of each core's instructions with their cycles, and of its registers at the end. The bus between those cores was a
//! second implementation of what the datasheet says of arbitration (2.1.1) and of the exclusive monitor (2.1.6).

#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)] // fields of encodings

mod dma;
mod flash;
mod machine;
mod operations;
mod paths;
mod pwm;
mod shared;
mod usb;

use crate::machine_code::cases;
use shared::{Shared, run};

#[test]
fn two_cores_share_sram_as_the_rtl_says() {
    let known: Vec<_> = include_str!("rp2350/rtl.txt").lines().collect();
    assert!(known.len() >= 2000);
    let count = (cases(200) as usize).min(known.len());
    for line in known.iter().step_by(known.len() / count) {
        let seed = line.split(' ').next().unwrap().parse().unwrap();
        assert_eq!(run(&Shared::new(seed)).summary(seed), *line, "program {seed}: the RTL does it in another way");
    }
}

/// Writes programs for another implementation, and what the model does: `RP2350_PROGRAMS=folder RP2350_SEEDS=first..end`.
#[test]
#[ignore = "writes files"]
fn writes_programs_for_two_cores() {
    let folder = std::path::PathBuf::from(std::env::var("RP2350_PROGRAMS").unwrap());
    let seeds = std::env::var("RP2350_SEEDS").unwrap();
    let (first, end) = seeds.split_once("..").unwrap();
    for seed in first.parse::<u64>().unwrap()..end.parse().unwrap() {
        let program = Shared::new(seed);
        let run = run(&program);
        std::fs::write(folder.join(format!("{seed}.bin")), &program.memory).unwrap();
        std::fs::write(folder.join(format!("{seed}.model")), run.trace()).unwrap();
        std::fs::write(folder.join(format!("{seed}.sum")), run.summary(seed)).unwrap();
    }
}
