//! The command line, whole: arguments in, exit code out.

mod arguments;
mod console;
mod debugger;
mod interrupt;
mod output;
mod report;
mod run;
mod statistics;

use std::ffi::OsString;
use std::io::Write as _;

use arguments::Arguments;
use clap::Parser as _;
use run::Run;

/// Exit codes of our own; others are the firmware's.
const STOPPED: u8 = 1;
const REFUSED: u8 = 2;
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
    match Run::new(&arguments) {
        Ok(run) => run.finish(&arguments),
        Err(why) => {
            tell(&why);
            REFUSED
        }
    }
}

/// Says a sentence on standard error.
fn tell(sentence: &str) {
    print(&format!("intercore-sim: {sentence}\n"));
}

/// Writes to standard error. Unlike `eprint`, does not mind if nobody reads it.
fn print(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
