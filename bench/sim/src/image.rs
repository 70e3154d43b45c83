//! Programs in C, built as firmware and booted: start-up code, clocks, UART, and core 1 launched by core 0 through the FIFOs.

use crate::programs::Case;
use crate::simulators::Simulator;
use intercore_sim::image::Image;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes from one core's results to the other's.
const RESULT: u32 = 8;

/// Each program in SRAM and in flash.
pub fn cases() -> Result<Vec<Case>, String> {
    Ok(vec![
        case("both cores, image booted in SRAM", "work", "sram")?,
        case("both cores, image booted in flash", "work", "flash")?,
        case("both cores, CoreMark's mix in SRAM", "mix", "sram")?,
        case("both cores, CoreMark's mix in flash", "mix", "flash")?,
        tasks("both cores, tasks of FreeRTOS in SRAM", "sram")?,
        tasks("both cores, tasks of FreeRTOS in flash", "flash")?,
    ])
}

fn case(name: &'static str, program: &str, memory: &str) -> Result<Case, String> {
    booted(name, &build(program, memory)?)
}

fn tasks(name: &'static str, memory: &str) -> Result<Case, String> {
    booted(name, &build_tasks(memory)?)
}

fn booted(name: &'static str, elf: &Path) -> Result<Case, String> {
    let image = Image::open(elf, None, &intercore_sim::rp2040::boot::IMAGES).map_err(|why| why.to_string())?;
    let symbol = image.symbols.iter().find(|symbol| symbol.name == "results");
    let symbol = symbol.ok_or_else(|| format!("{} has no results", elf.display()))?;
    let results = vec![symbol.address, symbol.address + RESULT];
    Ok(Case { name, results, start: Box::new(move |simulator: &mut dyn Simulator| simulator.boot(&image)) })
}

/// As `sim/tests/examples.rs` builds the examples, whose start-up code this uses.
fn build(program: &str, memory: &str) -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let elf = here.join("target").join(format!("{program}-{memory}.elf"));
    let source = [here.join("src"), here.join("../../sim/examples")].map(|folder| folder.join(format!("{program}.c")));
    let source = source.iter().find(|file| file.exists()).ok_or_else(|| format!("there is no {program}.c"))?;
    let mut compiler = Command::new("arm-none-eabi-gcc");
    compiler
        .current_dir(here.join("../../sim/examples"))
        .args(["-mcpu=cortex-m0plus", "-mthumb", "-O2", "-std=c11", "-ffreestanding", "-nostartfiles", "-static"])
        .args(["-Wall", "-Wextra", "-Werror", "-Wl,--no-warn-rwx-segments", "-Wl,--fatal-warnings"])
        .args(["-I.", "-L.", "-T", &format!("{memory}.ld"), "chip.c"])
        .arg(source)
        .args(["-lgcc", "-o"])
        .arg(&elf);
    run(&mut compiler, "gcc-arm-none-eabi")?;
    Ok(elf)
}

/// With the firmware's own start-up code and kernel.
fn build_tasks(memory: &str) -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.join("target").join(format!("tasks-{memory}"));
    let addition = here.join("src/tasks.cmake");
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(here.join("../../firmware")).arg("-B").arg(&folder);
    cmake.args(["-DIC_BOARD=rp2040".to_owned(), format!("-DIC_CODE={memory}")]);
    cmake.arg(format!("-DCMAKE_PROJECT_intercore_INCLUDE={}", addition.display()));
    run(&mut cmake, "cmake")?;
    run(Command::new("cmake").arg("--build").arg(&folder).args(["--target", "tasks"]), "cmake")?;
    Ok(folder.join("tasks"))
}

fn run(command: &mut Command, package: &str) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|why| format!("{program}: {why} (apt-get install {package})"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
