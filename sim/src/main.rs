//! `intercore-sim firmware.elf`: see [`intercore_sim::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(intercore_sim::cli::main(std::env::args_os()))
}
