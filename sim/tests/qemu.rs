//! The cores' function against QEMU's Cortex-M0 (which has the instruction set of the Cortex-M0+): random instruction
//! sequences and compiled programs leave the same registers, flags and memory. Needs `qemu-system-arm` and
//! `arm-none-eabi-gcc`; says so and passes where they are missing, unless `INTERCORE_NO_SKIP` is set.
//!
//! `INTERCORE_RANDOM_INSTRUCTIONS` is the number of random instructions (default 60,000; `make test-long`: 2,000,000), of
//! which branches skip about a tenth; `INTERCORE_SEED` chooses others.

mod generator;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::random::Random;
use generator::Sequence;

/// Instructions per sequence, and in all sequences of one start of QEMU: they have to fit into 200 KiB.
const SEQUENCE: u32 = 120;
const BATCH: u32 = 40_000;
/// Names of what `sequences.S` prints.
const NAMES: &str = "apsr r8 r9 r10 r11 r12 primask psp r0 r1 r2 r3 r4 r5 r6 r7 lr sp memory";

pub(crate) fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

pub(crate) fn have(programs: &[&str]) -> bool {
    let missing: Vec<_> =
        programs.iter().filter(|program| Command::new(program).arg("--version").output().is_err()).collect();
    if missing.is_empty() {
        return true;
    }
    assert!(std::env::var_os("INTERCORE_NO_SKIP").is_none(), "not here: {missing:?}");
    eprintln!("skipped: not here: {missing:?} (apt-get install gcc-arm-none-eabi qemu-system-arm qemu-system-misc)");
    false
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("qemu")
}

/// A folder for what one test builds; kept if the test fails.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

pub(crate) fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} ended with {}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// Has one of QEMU's machines run a program, and returns what it prints by semihosting.
pub(crate) fn on_qemu(machine: &str, elf: &Path) -> String {
    output(
        Command::new("qemu-system-arm")
            .args(["-M", machine, "-display", "none", "-monitor", "none", "-serial", "none"])
            .args(["-semihosting-config", "enable=on,target=native,chardev=out"])
            .args(["-chardev", "stdio,id=out,signal=off", "-kernel"])
            .arg(elf),
    )
}

/// The assembler's option to find what programs include: in the folder of what a test builds, and what all of them share.
pub(crate) fn included(folder: &Path) -> String {
    format!("-Wa,-I,{},-I,{}", folder.display(), sources().display())
}

/// Builds a program for each machine and returns what it prints on QEMU and on the simulated RP2040.
fn run_on_both(folder: &Path, options: &[&str], files: &[&str]) -> [String; 2] {
    ["qemu", "rp2040"].map(|machine| {
        let elf = folder.join(machine).with_extension("elf");
        output(
            Command::new("arm-none-eabi-gcc")
                .args(["-mcpu=cortex-m0", "-mthumb", "-nostartfiles", "-static", "-Wl,--build-id=none"])
                .args(["-Wl,--no-warn-rwx-segments", "-Wl,--fatal-warnings"])
                .args(options)
                .arg("-I")
                .arg(folder)
                .arg("-L")
                .arg(sources())
                .arg("-T")
                .arg(sources().join(machine).with_extension("ld"))
                .args(files.iter().map(|file| sources().join(file)))
                .arg("-o")
                .arg(&elf)
                .args(["-lc", "-lgcc"]),
        );
        if machine == "qemu" {
            on_qemu("microbit", &elf)
        } else {
            output(Command::new(env!("CARGO_BIN_EXE_intercore-sim-tested")).args(["--max-cycles", "4e9"]).arg(&elf))
        }
    })
}

#[test]
fn random_instructions_do_the_same_as_on_qemu() {
    if !have(&["qemu-system-arm", "arm-none-eabi-gcc"]) {
        return;
    }
    let (wanted, first_seed) = (number("INTERCORE_RANDOM_INSTRUCTIONS", 60_000), number("INTERCORE_SEED", 1));
    let mut done = 0;
    for seed in first_seed.. {
        if done >= wanted {
            break;
        }
        let folder = folder("random");
        let mut random = Random(seed);
        let sequences: Vec<_> = (0..BATCH / SEQUENCE).map(|_| Sequence::random(&mut random, SEQUENCE)).collect();
        let mut blob = (sequences.len() as u32).to_le_bytes().to_vec();
        for sequence in &sequences {
            sequence.encode(&mut random, &mut blob);
            done += u64::from(sequence.instructions);
        }
        std::fs::write(folder.join("blob.bin"), blob).expect("written");
        let option = included(&folder);
        let [theirs, ours] = run_on_both(&folder, &[&option], &["sequences.S"]);
        assert_eq!(theirs.lines().count(), sequences.len(), "QEMU did not run all sequences: {theirs}");
        for (index, (theirs, ours)) in theirs.lines().zip(ours.lines()).enumerate() {
            let code = &sequences[index].code;
            assert!(theirs == ours, "sequence {index} of seed {seed} {}", explain(&folder, NAMES, code, theirs, ours));
        }
        assert_eq!(theirs.len(), ours.len(), "the simulator did not run all sequences");
    }
    println!("{done} random instructions agree");
}

/// What differs after a sequence, by the names of what is printed of it, and the sequence.
pub(crate) fn explain(folder: &Path, names: &str, code: &[u16], theirs: &str, ours: &str) -> String {
    let differing: Vec<_> = names
        .split_whitespace()
        .zip(theirs.split_whitespace().zip(ours.split_whitespace()))
        .filter(|(_, (theirs, ours))| theirs != ours)
        .map(|(name, (theirs, ours))| format!("    {name}: QEMU {theirs}, here {ours}"))
        .collect();
    let code: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
    let file = folder.join("sequence.bin");
    std::fs::write(&file, code).expect("written");
    let listing = output(
        Command::new("arm-none-eabi-objdump")
            .args(["-D", "-b", "binary", "-m", "arm", "-M", "force-thumb", "--adjust-vma=0x20000000"])
            .arg(file),
    );
    format!("differs:\n{}\n{listing}", differing.join("\n"))
}

#[test]
fn compiled_programs_do_the_same_as_on_qemu() {
    if !have(&["qemu-system-arm", "arm-none-eabi-gcc"]) {
        return;
    }
    for level in ["-O0", "-O1", "-O2", "-O3", "-Os", "-Ofast"] {
        let folder = folder(&format!("kernels{level}"));
        let options = [level, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fno-builtin-memcpy", "-fno-builtin-memset"];
        let loops = "-fno-tree-loop-distribute-patterns"; // memcpy and memset must not call themselves
        let [theirs, ours] = run_on_both(&folder, &[&options[..], &[loops]].concat(), &["start.c", "kernels.c"]);
        assert!(theirs.lines().count() > 15, "QEMU did not run all kernels at {level}: {theirs}");
        assert_eq!(theirs, ours, "at {level}");
    }
}
