//! Programs for the chip, built with `arm-none-eabi-gcc`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the image called `name` for `sram` or `flash`, with the linker scripts of `sim/examples`, from what `more` says: sources,
/// relative to that folder, and options. None where there is no compiler; unless `INTERCORE_NO_SKIP` is set, when that is an error.
pub fn build(name: &str, memory: &str, more: &[&str]) -> Option<PathBuf> {
    if Command::new("arm-none-eabi-gcc").arg("--version").output().is_err() {
        assert!(std::env::var_os("INTERCORE_NO_SKIP").is_none(), "there is no arm-none-eabi-gcc here");
        eprintln!("skipped: no arm-none-eabi-gcc here (apt-get install gcc-arm-none-eabi)");
        return None;
    }
    let elf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{memory}.elf"));
    let output = Command::new("arm-none-eabi-gcc")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"))
        .args(["-mcpu=cortex-m0plus", "-mthumb", "-O2", "-std=c11", "-ffreestanding", "-nostartfiles", "-static"])
        .args(["-Wall", "-Wextra", "-Werror", "-Wl,--no-warn-rwx-segments", "-Wl,--fatal-warnings"])
        .args(["-L.", "-T", &format!("{memory}.ld")])
        .args(more)
        .args(["-lgcc", "-o"])
        .arg(&elf)
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(elf)
}

/// Builds an example, with its debug information; `test` keeps the files of tests apart that run at once.
#[allow(dead_code)] // one file of tests has a program of its own
pub fn build_example(name: &str, memory: &str, test: &str) -> Option<PathBuf> {
    let source = format!("{name}.c");
    let more = ["-g", "-Wno-unused-parameter", "-Wno-return-type", "chip.c", &source];
    build(&format!("{test}-{name}"), memory, &more)
}
