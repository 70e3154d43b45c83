//! The commands behind GDB's `monitor`.

use std::fmt::Write as _;

use crate::core::chip::{CORES, Chip};
use crate::core::time::{NEVER, Unit, cycles};
use crate::debug::DebugTarget;

const HELP: &str = "\
monitor cycles  where time is, and each core in it
monitor run N   N cycles (of the STM32H745, picoseconds), or fewer if a core stops before (then: maintenance flush register-cache)
monitor stats   what each core did, and what it waited for
monitor reset   power-on: time 0, all as it was but for the memories (then: maintenance flush register-cache)
monitor help    this
";

/// The most that `run` does: GDB cannot interrupt it, and takes the connection for lost if it lasts over two seconds
/// (`remotetimeout`).
const fn most(unit: Unit) -> u64 {
    if matches!(unit, Unit::Cycles(_)) { 10_000_000 } else { 100_000_000_000 }
}

/// Answers a command. `at_start` is the chip before its first cycle.
pub fn answer<C: DebugTarget>(command: &str, chip: &mut C, at_start: &C) -> String {
    let command = command.trim();
    if let Some(count) = command.strip_prefix("run ") {
        return run(count.trim(), chip);
    }
    match command {
        "cycles" => times(chip),
        "stats" => statistics(chip),
        "reset" => {
            chip.reset_keeping_memory(at_start);
            "The chip is reset. GDB does not know yet: maintenance flush register-cache\n".to_owned()
        }
        "help" | "" => HELP.to_owned(),
        other => format!("There is no such command: {other}. There are:\n{HELP}"),
    }
}

fn run<C: DebugTarget>(count: &str, chip: &mut C) -> String {
    let most = most(C::UNIT);
    let count = match cycles(count) {
        Ok(count) if count <= most => count,
        Ok(_) => return format!("monitor run {count}: at most {most} at a time\n"),
        Err(why) => return format!("monitor run {count}: {why}\n"),
    };
    let end = chip.now().saturating_add(count);
    chip.run_until(end);
    let early = if chip.now() < end { "It stopped before. " } else { "" };
    format!("{early}GDB does not know yet: maintenance flush register-cache\n{}", times(chip))
}

fn times<C: Chip>(chip: &C) -> String {
    let clock = if let Unit::Cycles(clock) = C::UNIT { format!(" of {clock}") } else { String::new() };
    let mut text = format!("{}{clock}\n", chip.moment());
    for core in 0..CORES {
        let state = chip.core_state(core);
        // Writing to a String does not fail.
        let _ = match chip.next_step(core) {
            NEVER => writeln!(text, "core {core}: {state}, with no {} to wake in", C::UNIT.name()),
            at => writeln!(text, "core {core}: {state}, next in {}", C::UNIT.moment(at)),
        };
    }
    text
}

fn statistics<C: Chip>(chip: &C) -> String {
    let mut text = String::new();
    for core in 0..CORES {
        let did = chip.statistics(core);
        let _ = writeln!(
            text,
            "core {core}: {} instructions, {} exceptions; {}: {} asleep, {} lost to other masters, {} to slaves",
            did.instructions,
            did.exceptions,
            C::UNIT.plural(),
            did.asleep,
            did.conflicts.iter().sum::<u64>(),
            did.waits.iter().sum::<u64>()
        );
    }
    text
}
