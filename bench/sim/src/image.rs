//! Programs in C, built as firmware and booted: start-up code, clocks, UART, and core 1 launched by core 0 through the FIFOs.

use crate::programs::Case;
use crate::simulators::Simulator;
use intercore_sim::firmware::image::Image;
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
    ])
}

fn case(name: &'static str, program: &str, memory: &str) -> Result<Case, String> {
    let image = Image::open(&build(program, memory)?, None).map_err(|why| why.to_string())?;
    let symbol = image.symbols.iter().find(|symbol| symbol.name == "results");
    let symbol = symbol.ok_or_else(|| format!("{program}.c has no results"))?;
    let results = vec![symbol.address, symbol.address + RESULT];
    Ok(Case { name, results, start: Box::new(move |simulator: &mut dyn Simulator| simulator.boot(&image)) })
}

/// As `sim/tests/examples.rs` builds the examples, whose start-up code this uses.
fn build(program: &str, memory: &str) -> Result<PathBuf, String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let elf = here.join("target").join(format!("{program}-{memory}.elf"));
    let source = [here.join("src"), here.join("../../sim/examples")].map(|folder| folder.join(format!("{program}.c")));
    let source = source.iter().find(|file| file.exists()).ok_or_else(|| format!("there is no {program}.c"))?;
    let output = Command::new("arm-none-eabi-gcc")
        .current_dir(here.join("../../sim/examples"))
        .args(["-mcpu=cortex-m0plus", "-mthumb", "-O2", "-std=c11", "-ffreestanding", "-nostartfiles", "-static"])
        .args(["-Wall", "-Wextra", "-Werror", "-Wl,--no-warn-rwx-segments", "-Wl,--fatal-warnings"])
        .args(["-I.", "-L.", "-T", &format!("{memory}.ld"), "chip.c"])
        .arg(source)
        .args(["-lgcc", "-o"])
        .arg(&elf)
        .output()
        .map_err(|why| format!("arm-none-eabi-gcc: {why} (apt-get install gcc-arm-none-eabi)"))?;
    if output.status.success() { Ok(elf) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
