//! Programs in C, built as firmware and booted: start-up code, clocks, UART, and core 1 launched by core 0 through the FIFOs.

use crate::programs::{Case, Chip, Work};
use crate::simulators::Simulator;
use intercore_sim::image::Image;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes from one core's results to the other's.
const RESULT: u32 = 8;

/// Each program in SRAM and in flash.
pub fn cases() -> Result<Vec<Case>, String> {
    let same = Work::Same;
    Ok(vec![
        booted("both cores, image booted in SRAM", &build("work", "sram", None)?, same)?,
        booted("both cores, image booted in flash", &build("work", "flash", None)?, same)?,
        booted("both cores, CoreMark's mix in SRAM", &build("mix", "sram", None)?, same)?,
        booted("both cores, CoreMark's mix in flash", &build("mix", "flash", None)?, same)?,
        booted("both cores, tasks of FreeRTOS in SRAM", &build_tasks("tasks", "sram")?, same)?,
        booted("both cores, tasks of FreeRTOS in flash", &build_tasks("tasks", "flash")?, same)?,
        ordinary("both cores poll TIMER", "timer")?,
        ordinary("core 0 polls UART0, core 1 computes", "uart")?,
        ordinary("core 0 polls a pin that core 1 drives", "gpio")?,
        ordinary("core 0 drives a pin, core 1 polls TIMER", "toggle")?,
        ordinary("core 0 sleeps 500 us at a time, core 1 computes", "sleep")?,
        ordinary("both cores at a hardware spinlock", "lock")?,
        ordinary("both cores compute, an interrupt each 10 us", "interrupt")?,
        ordinary("both cores compute, in loops of a few instructions", "compute")?,
        ordinary("both cores compute beside a DMA that streams", "dma")?,
        booted("tasks of FreeRTOS at a mutex", &build_tasks("mutex", "flash")?, Work::ByTime)?,
        booted("tasks of FreeRTOS with 10,000 messages a second", &build_tasks("queue", "flash")?, Work::ByTime)?,
        on_chip(Chip::Rp2350, "RP2350: both cores, image booted in SRAM", &build_for_riscv("work", "sram")?, same)?,
        on_chip(Chip::Rp2350, "RP2350: both cores, code in flash", &build_for_riscv("work", "flash")?, same)?,
    ])
}

/// What ordinary firmware does, from flash.
fn ordinary(name: &'static str, program: &str) -> Result<Case, String> {
    booted(name, &build("ordinary", "flash", Some(program))?, Work::ByTime)
}

fn booted(name: &'static str, elf: &Path, work: Work) -> Result<Case, String> {
    on_chip(Chip::Rp2040, name, elf, work)
}

fn on_chip(chip: Chip, name: &'static str, elf: &Path, work: Work) -> Result<Case, String> {
    let images = match chip {
        Chip::Rp2040 => &intercore_sim::rp2040::boot::IMAGES,
        Chip::Rp2350 => &intercore_sim::rp2350::boot::IMAGES,
    };
    let image = Image::open(elf, None, images).map_err(|why| why.to_string())?;
    let symbol = image.symbols.iter().find(|symbol| symbol.name == "results");
    let symbol = symbol.ok_or_else(|| format!("{} has no results", elf.display()))?;
    let results = vec![symbol.address, symbol.address + RESULT];
    Ok(Case { name, chip, results, work, start: Box::new(move |simulator: &mut dyn Simulator| simulator.boot(&image)) })
}

/// As `sim/tests/examples.rs` builds the examples, whose start-up code this uses.
fn build(program: &str, memory: &str, part: Option<&str>) -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let elf = here.join("target").join(format!("{}-{memory}.elf", part.unwrap_or(program)));
    let source = [here.join("src"), here.join("../../sim/examples")].map(|folder| folder.join(format!("{program}.c")));
    let source = source.iter().find(|file| file.exists()).ok_or_else(|| format!("there is no {program}.c"))?;
    let mut compiler = Command::new("arm-none-eabi-gcc");
    compiler
        .current_dir(here.join("../../sim/examples"))
        .args(["-mcpu=cortex-m0plus", "-mthumb", "-O2", "-std=c11", "-ffreestanding", "-nostartfiles", "-static"])
        .args(["-Wall", "-Wextra", "-Werror", "-Wl,--no-warn-rwx-segments", "-Wl,--fatal-warnings"])
        .args(["-I.", "-L.", "-T", &format!("{memory}.ld"), "chip.c"])
        .args(part.map(|part| ["-Wno-unused-function".to_owned(), format!("-DPROGRAM={part}")]).into_iter().flatten())
        .arg(source)
        .args(["-lgcc", "-o"])
        .arg(&elf);
    run(&mut compiler, "gcc-arm-none-eabi")?;
    Ok(elf)
}

/// With start-up code for the RP2350's RISC-V cores that sets no clocks.
fn build_for_riscv(program: &str, memory: &str) -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let elf = here.join("target").join(format!("{program}-rp2350-{memory}.elf"));
    let mut compiler = Command::new("riscv64-unknown-elf-gcc");
    compiler
        .current_dir(here.join("src"))
        .args(["-march=rv32imac_zicsr_zba_zbb", "-mabi=ilp32", "-O2", "-std=c11", "-ffreestanding"])
        .args(["-nostdlib", "-nostartfiles", "-static", "-Wall", "-Wextra", "-Werror"])
        .args(["-Wl,--no-warn-rwx-segments", "-Irp2350", &format!("-Trp2350/{memory}.ld"), "rp2350/chip.c"])
        .arg(format!("{program}.c"))
        .args(["-lgcc", "-o"])
        .arg(&elf);
    run(&mut compiler, "gcc-riscv64-unknown-elf")?;
    Ok(elf)
}

/// With the firmware's own start-up code and kernel.
fn build_tasks(program: &str, memory: &str) -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.join("target").join(format!("tasks-{memory}"));
    let addition = here.join("src/tasks.cmake");
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(here.join("../../firmware")).arg("-B").arg(&folder);
    cmake.args(["-DIC_BOARD=rp2040".to_owned(), format!("-DIC_CODE={memory}")]);
    cmake.arg(format!("-DCMAKE_PROJECT_intercore_INCLUDE={}", addition.display()));
    run(&mut cmake, "cmake")?;
    run(Command::new("cmake").arg("--build").arg(&folder).args(["--target", program]), "cmake")?;
    Ok(folder.join(program))
}

fn run(command: &mut Command, package: &str) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|why| format!("{program}: {why} (apt-get install {package})"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
