//! How fast the simulated RP2040 is, side by side with the crate `rp2040-emu`, in one run and on the same programs, and how fast the
//! RP2350 is:
//! `make bench`, or `cargo run --release --manifest-path bench/sim/Cargo.toml [-- SECONDS [TEXT]]`: SECONDS of each case
//! (default 6), of those cases only whose names contain TEXT.

mod image;
mod measure;
mod programs;
mod simulators;

use measure::measure;
use programs::{Case, kernels};
use std::process::ExitCode;

const EXPLANATION: &str = "\
MHz: cycles of clk_sys that the simulated chip gets through per second of CPU time: median, quartiles and best of turns
that the simulators take alternately; the ratio is that of the two turns of a pair. In intercore a cycle is one of the
chip's. In rp2040-emu the clock advances, for each pair of instructions (one per core), by the longer of their two
fixed costs: no core ever waits for the other, for a fetch or for the flash. Instructions per second, of both cores
together, mean the same in both.";

fn main() -> ExitCode {
    let argument = std::env::args().nth(1);
    let Some(seconds) = argument.map_or(Some(6.0), |text| text.parse::<f64>().ok().filter(|&it| it > 0.0)) else {
        eprintln!("usage: intercore-bench-sim [SECONDS [TEXT]]");
        return ExitCode::from(2);
    };
    let text = std::env::args().nth(2).unwrap_or_default();
    println!("{EXPLANATION}");
    let mut cases = kernels();
    match image::cases() {
        Ok(booted) => cases.extend(booted),
        Err(why) => eprintln!("\nno booted images: {why}"),
    }
    cases.retain(|case| case.name.contains(&text));
    let differing = cases.iter().filter(|case| !report(case, seconds)).count();
    if differing > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Measures and prints one case. False if the simulators came to different results.
fn report(case: &Case, seconds: f64) -> bool {
    println!("\n{}", case.name);
    match measure(case, seconds) {
        Ok(comparison) => print!("{comparison}"),
        Err(why) => {
            println!("  WRONG: {why}");
            return false;
        }
    }
    true
}
