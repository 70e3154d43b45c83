//! Function against QEMU's Cortex-M4 and Cortex-M7: random instruction sequences leave the same registers, flags and memory,
//! and random scripts of exceptions enter the same handlers.
//! Needs `qemu-system-arm` and `arm-none-eabi-gcc`; says so and passes where they are missing, unless `INTERCORE_NO_SKIP` is
//! set.
//!
//! `INTERCORE_RANDOM_INSTRUCTIONS` is the number of random instructions of each core (default 50,000; `make test-long`:
//! 2,000,000), of which branches and conditions skip about a tenth; one script of exceptions comes with 200 of them.
//! `INTERCORE_SEED` chooses others.

use super::generator::Sequence;
use super::memory::{Memory, started};
use crate::qemu::{explain, folder, have, included, number, on_qemu, output};
use crate::random::Random;
use intercore_sim::isa::armv7em::model::Model;
use intercore_sim::isa::armv7em::{Processor, Step};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Instructions per sequence, and in all sequences of one start of QEMU.
const SEQUENCE: u32 = 120;
const BATCH: u32 = 50_000;
/// Steps of a script of exceptions, and scripts of one start of QEMU.
const STEPS: u32 = 60;
const SCRIPTS: u64 = 2_000;
/// Names of what `sequences.S` prints.
const NAMES: &str = "s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12 s13 s14 s15 s16 s17 s18 s19 s20 s21 s22 s23 s24 s25 s26 s27 \
    s28 s29 s30 s31 apsr primask basepri faultmask control fpscr sp r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 lr memory";

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("armv7em")
}

/// Builds the program with `blob.bin` of its folder.
fn build(folder: &Path, program: &str) -> PathBuf {
    let elf = folder.join("program.elf");
    output(
        Command::new("arm-none-eabi-gcc")
            .args(["-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,--no-warn-rwx-segments", "-Wl,--fatal-warnings"])
            .arg(included(folder))
            .arg("-T")
            .arg(sources().join("qemu.ld"))
            .arg(sources().join(program))
            .arg("-o")
            .arg(&elf),
    );
    elf
}

fn here(model: Model, elf: &Path) -> String {
    let image = elf.with_extension("bin");
    output(Command::new("arm-none-eabi-objcopy").args(["-O", "binary"]).arg(elf).arg(&image));
    let mut memory = Memory::new(std::fs::read(image).expect("an image"), 0x4_0000);
    let mut processor = started(model, &mut memory);
    let mut printed = String::new();
    loop {
        match processor.step(&mut memory) {
            Step::Breakpoint(0xab) if serve(&processor, &mut memory, &mut printed) => processor.skip_breakpoint(),
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
        let elf = build(&folder, "sequences.S");
        let (theirs, ours) = (on_qemu(machine, &elf), here(model, &elf));
        assert_eq!(theirs.lines().count(), sequences.len(), "QEMU did not run all sequences: {theirs}");
        for (index, (theirs, ours)) in theirs.lines().zip(ours.lines()).enumerate() {
            let code = &sequences[index].code;
            assert!(theirs == ours, "sequence {index} of seed {seed} {}", explain(&folder, NAMES, code, theirs, ours));
        }
        assert_eq!(theirs.len(), ours.len(), "the processor did not run all sequences: {ours}");
    }
    println!("{done} random instructions agree");
}

#[test]
fn random_exceptions_of_the_cortex_m4_come_in_the_order_of_qemu() {
    compare_exceptions("exceptions-m4", "mps2-an386", Model::cortex_m4(32));
}

#[test]
fn random_exceptions_of_the_cortex_m7_come_in_the_order_of_qemu() {
    compare_exceptions("exceptions-m7", "mps2-an500", Model::cortex_m7(32));
}

/// Scripts of exceptions leave the same log of entries with LR, ICSR, BASEPRI, SP and FPCCR.
fn compare_exceptions(name: &str, machine: &str, model: Model) {
    if !have(&["qemu-system-arm", "arm-none-eabi-gcc"]) {
        return;
    }
    let wanted = number("INTERCORE_RANDOM_INSTRUCTIONS", 50_000) / 200;
    let folder = folder(name);
    let mut random = Random(number("INTERCORE_SEED", 1));
    let (mut done, mut entered) = (0, 0);
    while done < wanted {
        let scripts = (wanted - done).min(SCRIPTS);
        let mut blob = (scripts as u32).to_le_bytes().to_vec();
        for _ in 0..scripts {
            let steps: Vec<[u32; 3]> = (0..STEPS).map(|_| exception_step(&mut random)).collect();
            blob.extend(STEPS.to_le_bytes());
            blob.extend(steps.iter().flatten().flat_map(|word| word.to_le_bytes()));
        }
        std::fs::write(folder.join("blob.bin"), blob).expect("written");
        let elf = build(&folder, "exceptions.S");
        let (theirs, ours) = (on_qemu(machine, &elf), here(model, &elf));
        assert_eq!(theirs.lines().count() as u64, scripts, "QEMU did not run all scripts: {theirs}");
        for (theirs, ours) in theirs.lines().zip(ours.lines()) {
            let (theirs, ours) = (entries(theirs), entries(ours));
            for (entry, (one, other)) in theirs.iter().zip(&ours).enumerate() {
                assert_eq!(one, other, "entry {entry} of script {done}: QEMU's and ours");
            }
            assert_eq!(theirs.len(), ours.len(), "entries of script {done}");
            entered += theirs.len();
            done += 1;
        }
        assert_eq!(theirs.len(), ours.len(), "the processor did not run all scripts: {ours}");
    }
    assert!(entered as u64 > 5 * wanted, "hardly an exception: {entered}");
    println!("{entered} entries of exceptions agree");
}

/// A log by entries, of five words each.
fn entries(log: &str) -> Vec<Vec<&str>> {
    let words: Vec<_> = log.split_whitespace().collect();
    words.chunks(5).map(<[&str]>::to_vec).collect()
}

/// What `exceptions.S` carries out: kind, address, value.
fn exception_step(random: &mut Random) -> [u32; 3] {
    const SCB: u32 = 0xe000_ed00;
    const NVIC: u32 = 0xe000_e100;
    let (few, priority) = (1 << random.under(8) | 1 << random.under(32), random.under(16) << 4);
    match random.under(24) {
        0..=3 => [0, NVIC, few | random.next() as u32],              // ISER
        4 => [0, NVIC + 0x80, few],                                  // ICER
        5..=7 => [0, NVIC + 0x100, few],                             // ISPR
        8 => [0, NVIC + 0x180, few],                                 // ICPR
        9 | 10 => [1, NVIC + 0x300 + random.under(32), priority],    // IPR
        11 => [1, SCB + random.pick(&[0x1f, 0x22, 0x23]), priority], // SVCall, PendSV, SysTick
        12 | 13 => [0, SCB + 4, random.pick(&[1 << 28, 1 << 27, 1 << 26, 1 << 25, 1 << 31])], // ICSR
        14 => [0, SCB + 0xc, 0x05fa_0000 | random.under(8) << 8],    // AIRCR.PRIGROUP
        15 => [0, 0xe000_ef00, random.under(32)],                    // STIR
        16 | 17 => [2, 0, priority],
        18 => [3, 0, random.under(2)],
        19 => [4, 0, random.under(2)],
        20 => [5, 0, priority],
        21 | 22 => [6, 0, random.next() as u32],
        _ => [7, 0, 0],
    }
}
