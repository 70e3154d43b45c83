//! Start-up code as the pico-sdk's, in our own words (`start_up/start_up.c`): it runs unmodified, everything it checks is so, and
//! it meets nothing that is not modelled. Says so and passes where there is no compiler, unless `INTERCORE_NO_SKIP` is set.

use intercore_sim::bootrom;
use intercore_sim::image::Image;
use intercore_sim::machine::{Machine, Stop};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the program for `sram` or `flash`. None where there is no compiler.
fn build(memory: &str) -> Option<PathBuf> {
    if Command::new("arm-none-eabi-gcc").arg("--version").output().is_err() {
        assert!(std::env::var_os("INTERCORE_NO_SKIP").is_none(), "there is no arm-none-eabi-gcc here");
        eprintln!("skipped: no arm-none-eabi-gcc here (apt-get install gcc-arm-none-eabi)");
        return None;
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let elf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("start_up-{memory}.elf"));
    let output = Command::new("arm-none-eabi-gcc")
        .current_dir(manifest.join("examples")) // for the linker scripts
        .args(["-mcpu=cortex-m0plus", "-mthumb", "-O2", "-std=c11", "-ffreestanding", "-nostartfiles", "-static"])
        .args(["-Wall", "-Wextra", "-Werror", "--param=min-pagesize=0"]) // the ROM is at address 0
        .args(["-Wl,--no-warn-rwx-segments", "-Wl,--fatal-warnings", "-L.", "-T"])
        .arg(format!("{memory}.ld"))
        .arg(manifest.join("tests/start_up/start_up.c"))
        .args(["-lgcc", "-o"])
        .arg(&elf)
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(elf)
}

#[test]
fn ordinary_start_up_code_runs_unmodified() {
    for memory in ["sram", "flash"] {
        let Some(elf) = build(memory) else { return };
        let image = Image::open(&elf, None).expect("an image");
        let mut machine = Machine::new();
        machine.boot(&image, &bootrom::ours()).expect("it fits");
        let stop = machine.run_until(50_000_000);
        assert_eq!(machine.bus.diagnostics.pending, [""; 0], "{memory}");
        assert_eq!(stop, Stop::Exit { core: 0, code: 0 }, "{memory}: the code is the line of the check that failed");
        assert_eq!(machine.take_uart(0), b"Hello\r\ndone\r\n", "{memory}");
        assert_eq!((machine.bus.clocks.sys(), machine.bus.clocks.peri()), (125_000_000, 125_000_000));
    }
}
