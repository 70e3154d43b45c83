//! What is told at the end of a run: statistics, and where the cores were when something went wrong.

use std::fmt::Write as _;
use std::time::Duration;

use intercore_sim::bootrom;
use intercore_sim::bus::Slave;
use intercore_sim::image::Image;
use intercore_sim::machine::Machine;

/// Registers of both cores, with the functions they are in.
pub fn registers(machine: &Machine, image: &Image) -> String {
    let mut text = String::new();
    for number in 0..2 {
        let core = machine.core(number);
        let state = match () {
            () if core.is_off() => "off",
            () if core.is_locked_up() => "locked up",
            () if core.is_asleep() => "asleep",
            () => "running",
        };
        // Writing to a String does not fail.
        let _ = write!(text, "core {number} is {state} at {}", place(core.register(15), image));
        for register in 0..16 {
            let name =
                ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"]
                    [register];
            let separator = if register % 4 == 0 { "\n   " } else { "" };
            let _ = write!(text, "{separator} {name:>4} {:08x}", core.register(register));
        }
        let _ = writeln!(
            text,
            "\n    xpsr {:08x}  msp {:08x}  psp {:08x} primask {} control {}",
            core.xpsr(),
            core.msp(),
            core.psp(),
            u8::from(core.primask()),
            core.control()
        );
    }
    text
}

fn place(pc: u32, image: &Image) -> String {
    match image.function_at(pc) {
        Some((name, offset)) => format!("{pc:#010x} ({name} + {offset})"),
        None if pc < bootrom::SIZE as u32 => format!("{pc:#010x} (boot ROM)"),
        None => format!("{pc:#010x}"),
    }
}

/// Cycles, instructions and stalls by cause of each core, and how fast that went.
#[allow(clippy::cast_precision_loss)] // for people
pub fn statistics(machine: &Machine, took: Duration) -> String {
    let cycles = machine.now();
    let mut text = String::new();
    let seconds = machine.bus.clocks.femtoseconds(cycles) as f64 / 1e15;
    let _ = writeln!(text, "simulated: {cycles} cycles of clk_sys, {seconds:.6} s of the chip's time");
    for number in 0..2 {
        let core = machine.core(number).statistics();
        let _ = writeln!(
            text,
            "core {number}: {} instructions, {} exceptions, {} cycles asleep",
            core.instructions, core.exceptions, core.asleep
        );
        for (what, lost) in [("waiting for another master", &core.conflicts), ("waiting for the slave", &core.waits)] {
            let by_slave: Vec<_> = Slave::ALL
                .iter()
                .zip(lost)
                .filter(|(_, cycles)| **cycles > 0)
                .map(|(slave, cycles)| format!("{} {cycles}", slave.name()))
                .collect();
            if !by_slave.is_empty() {
                let _ = writeln!(text, "    cycles {what}: {}", by_slave.join(", "));
            }
        }
    }
    let seconds = took.as_secs_f64();
    let _ = writeln!(text, "emulated: {:.1} MHz ({seconds:.3} s on this machine)", cycles as f64 / seconds / 1e6);
    text
}
