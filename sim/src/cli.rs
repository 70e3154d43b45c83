//! The command line, whole: arguments in, exit code out.

pub mod arguments;
mod chip;
mod console;
mod debugger;
mod interrupt;
pub mod lines;
mod output;
mod run;
mod statistics;

use std::ffi::OsString;
use std::io::Write as _;

use crate::{rp2040, rp2350, stm32h745};
use arguments::Arguments;
use chip::{ChipKind, Runnable};
use clap::Parser as _;
use run::Run;

/// Exit codes of our own; others are the firmware's.
const STOPPED: u8 = 1;
const REFUSED: u8 = 2;
const UNMODELLED: u8 = 3;
/// As a shell has it for a program that SIGINT ended.
const INTERRUPTED: u8 = 130;

/// Does what a command line asks for, of which the first argument is the name of the program; yields the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::try_parse_from(args) {
        Ok(arguments) => arguments,
        Err(answer) => {
            // Help, the version, or what is wrong. Nothing can be done if nobody reads it.
            let _ = answer.print();
            return if answer.use_stderr() { REFUSED } else { 0 };
        }
    };
    if arguments.list {
        // Nobody may read it to the end.
        let _ = std::io::stdout().write_all(list().as_bytes());
        return 0;
    }
    match arguments.chip {
        ChipKind::Rp2040 => run::<rp2040::machine::Machine>(&arguments),
        ChipKind::Rp2350 => run::<rp2350::machine::Machine>(&arguments),
        ChipKind::Stm32h745 => run::<stm32h745::machine::Machine>(&arguments),
    }
}

/// What is modelled of the RP2040, and what is not, by block.
fn list() -> String {
    let rows = rp2040::peripherals::Peripherals::coverage().into_iter().flat_map(|(names, modelled, missing)| {
        let not = if missing.is_empty() { Vec::new() } else { wrapped("    not: ", missing) };
        [vec![names], wrapped("    ", modelled), not].concat()
    });
    rows.map(|line| line + "\n").collect()
}

/// Words in lines of at most 80 columns; those after the first one are indented as far as its text.
fn wrapped(first: &str, text: &str) -> Vec<String> {
    let mut lines = vec![first.to_owned()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("it has a first one");
        if line.len() > first.len() && line.len() + 1 + word.len() > 80 {
            lines.push(" ".repeat(first.len()) + word);
        } else {
            let gap = if line.len() > first.len() { " " } else { "" };
            line.extend([gap, word]);
        }
    }
    lines
}

fn run<C: Runnable>(arguments: &Arguments) -> u8 {
    match Run::<C>::new(arguments) {
        Ok(run) => run.finish(arguments),
        Err(why) => {
            print_message(&why);
            REFUSED
        }
    }
}

/// Says a sentence on standard error.
fn print_message(sentence: &str) {
    print(&format!("intercore-sim: {}\n", without_codes(sentence)));
}

/// A sentence without the numbers ` (os error 2)` behind the system's words.
fn without_codes(sentence: &str) -> String {
    let mut parts = sentence.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |said, part| {
        let digits = part.trim_start_matches(|one: char| one.is_ascii_digit());
        said + digits.strip_prefix(')').unwrap_or(digits)
    })
}

/// Writes to standard error. Unlike `eprint`, does not mind if nobody reads it.
fn print(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
