//! The commands behind GDB's `monitor`.

use std::fmt::Write as _;

use crate::rp2040::machine::Machine;

const HELP: &str = "\
monitor cycles  where time is, and each core in it
monitor stats   what each core did, and what it waited for
monitor reset   power-on: cycle 0, all as it was but for the memories (then: maintenance flush register-cache)
monitor help    this
";

/// Answers a command. `at_start` is the machine before its first cycle.
pub fn answer(command: &str, machine: &mut Machine, at_start: &Machine) -> String {
    match command.trim() {
        "cycles" => cycles(machine),
        "stats" => statistics(machine),
        "reset" => {
            reset(machine, at_start);
            "The chip is reset. GDB does not know yet: maintenance flush register-cache\n".to_owned()
        }
        "help" | "" => HELP.to_owned(),
        other => format!("There is no such command: {other}. There are:\n{HELP}"),
    }
}

fn cycles(machine: &Machine) -> String {
    let mut text = format!("cycle {} of clk_sys\n", machine.now());
    for number in 0..2 {
        let core = machine.core(number);
        // Writing to a String does not fail.
        let _ = match core.cycle() {
            crate::core::time::NEVER => writeln!(text, "core {number}: {}, with no cycle to wake in", core.state()),
            cycle => writeln!(text, "core {number}: {}, next in cycle {cycle}", core.state()),
        };
    }
    text
}

fn statistics(machine: &Machine) -> String {
    let mut text = String::new();
    for number in 0..2 {
        let core = machine.core(number).statistics();
        let _ = writeln!(
            text,
            "core {number}: {} instructions, {} exceptions; cycles: {} asleep, {} lost to other masters, {} to slaves",
            core.instructions,
            core.exceptions,
            core.asleep,
            machine.conflicts(number),
            core.waits.iter().sum::<u64>()
        );
    }
    text
}

/// Memories keep what they hold, so that an image which GDB has loaded is what starts; breakpoints and probes stay.
fn reset(machine: &mut Machine, at_start: &Machine) {
    let mut fresh = at_start.clone();
    std::mem::swap(&mut fresh.bus.memory, &mut machine.bus.memory);
    std::mem::swap(&mut fresh.bus.fabric.watch, &mut machine.bus.fabric.watch);
    *machine = fresh;
}
