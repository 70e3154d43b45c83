//! Function against QEMU's Cortex-M4 and Cortex-M7: random instruction sequences leave the same registers, flags and memory.
//! Needs `qemu-system-arm` and `arm-none-eabi-gcc`; says so and passes where they are missing, unless `INTERCORE_NO_SKIP` is
//! set.
//!
//! `INTERCORE_RANDOM_INSTRUCTIONS` is the number of random instructions of each core (default 50,000; `make test-long`:
//! 2,000,000), of which branches and conditions skip about a tenth; `INTERCORE_SEED` chooses others.

use super::generator::Sequence;
use super::memory::{Memory, started};
use crate::qemu::{folder, have, number, output};
use crate::random::Random;
use intercore_sim::armv7em::model::Model;
use intercore_sim::armv7em::{Processor, Step};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Instructions per sequence, and in all sequences of one start of QEMU.
const SEQUENCE: u32 = 120;
const BATCH: u32 = 50_000;
/// Names of what `sequences.S` prints.
const NAMES: &str = "s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 s13 s14 s15 s16 s17 s18 s19 s20 s21 s22 s23 s24 s25 s26 s27 \
    s28 s29 s30 s31 apsr primask basepri faultmask control fpscr sp r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 lr memory";

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/armv7em")
}

/// Builds the program with `blob.bin` of its folder.
fn build(folder: &Path) -> PathBuf {
    let elf = folder.join("sequences.elf");
    output(
        Command::new("arm-none-eabi-gcc")
            .args(["-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments", "-Wl,--fatal-warnings"])
            .arg(format!("-Wa,-I,{}", folder.display()))
            .arg("-T")
            .arg(sources().join("qemu.ld"))
            .arg(sources().join("sequences.S"))
            .arg("-o")
            .arg(&elf),
    );
    elf
}

fn on_qemu(machine: &str, elf: &Path) -> String {
    output(
        Command::new("qemu-system-arm")
            .args(["-M", machine, "-display", "none", "-monitor", "none", "-serial", "none"])
            .args(["-semihosting-config", "enable=on,target=native,chardev=out"])
            .args(["-chardev", "stdio,id=out,signal=off", "-kernel"])
            .arg(elf),
    )
}

fn here(model: Model, elf: &Path) -> String {
    let image = elf.with_extension("bin");
    output(Command::new("arm-none-eabi-objcopy").args(["-O", "binary"]).arg(elf).arg(&image));
    let mut memory = Memory::new(std::fs::read(image).expect("an image"), 0x8000);
    let mut processor = started(model, &mut memory);
    let mut printed = String::new();
    loop {
        match processor.step(&mut memory) {
            Step::Breakpoint(0xab) if serve(&processor, &mut memory, &mut printed) => processor.pass_breakpoint(),
            Step::Breakpoint(_) | Step::LockedUp | Step::Asleep | Step::ResetRequested => return printed,
            Step::Executed | Step::Entered(_) => {}
        }
    }
}

/// Semihosting: false if the program ends.
fn serve(processor: &Processor, memory: &mut Memory, printed: &mut String) -> bool {
    if processor.register(0) != 4 {
        return false;
    }
    let text = memory.text(processor.register(1));
    printed.push_str(&text);
    true
}

#[test]
fn random_instructions_of_the_cortex_m4_do_the_same_as_on_qemu() {
    compare("cortex-m4", "mps2-an386", Model::cortex_m4(32));
}

#[test]
fn random_instructions_of_the_cortex_m7_do_the_same_as_on_qemu() {
    compare("cortex-m7", "mps2-an500", Model::cortex_m7(32));
}

fn compare(name: &str, machine: &str, model: Model) {
    if !have(&["qemu-system-arm", "arm-none-eabi-gcc"]) {
        return;
    }
    let (wanted, first_seed) = (number("INTERCORE_RANDOM_INSTRUCTIONS", 50_000), number("INTERCORE_SEED", 1));
    let folder = folder(name);
    let mut done = 0;
    for seed in first_seed.. {
        if done >= wanted {
            break;
        }
        let mut random = Random(seed);
        let batch = BATCH.min((wanted - done).try_into().unwrap_or(BATCH));
        let sequences: Vec<_> = (0..batch.div_ceil(SEQUENCE))
            .map(|_| Sequence::random(&mut random, SEQUENCE, model.double_precision))
            .collect();
        let mut blob = (sequences.len() as u32).to_le_bytes().to_vec();
        for sequence in &sequences {
            sequence.encode(&mut random, &mut blob);
            done += u64::from(sequence.instructions);
        }
        std::fs::write(folder.join("blob.bin"), blob).expect("written");
        let elf = build(&folder);
        let (theirs, ours) = (on_qemu(machine, &elf), here(model, &elf));
        assert_eq!(theirs.lines().count(), sequences.len(), "QEMU did not run all sequences: {theirs}");
        for (index, (theirs, ours)) in theirs.lines().zip(ours.lines()).enumerate() {
            assert!(theirs == ours, "{}", explain(&folder, seed, index, &sequences[index], theirs, ours));
        }
        assert_eq!(theirs.len(), ours.len(), "the processor did not run all sequences: {ours}");
    }
    println!("{done} random instructions agree");
}

/// What differs after a sequence, and the sequence.
fn explain(folder: &Path, seed: u64, index: usize, sequence: &Sequence, theirs: &str, ours: &str) -> String {
    let differing: Vec<_> = NAMES
        .split_whitespace()
        .zip(theirs.split_whitespace().zip(ours.split_whitespace()))
        .filter(|(_, (theirs, ours))| theirs != ours)
        .map(|(name, (theirs, ours))| format!("    {name}: QEMU {theirs}, here {ours}"))
        .collect();
    let code: Vec<u8> = sequence.code.iter().flat_map(|half| half.to_le_bytes()).collect();
    let file = folder.join("sequence.bin");
    std::fs::write(&file, code).expect("written");
    let listing = output(
        Command::new("arm-none-eabi-objdump")
            .args(["-D", "-b", "binary", "-m", "arm", "-M", "force-thumb", "--adjust-vma=0x20000000"])
            .arg(file),
    );
    format!("sequence {index} of seed {seed} differs:\n{}\n{listing}", differing.join("\n"))
}
