//! What is told when something went wrong: where the cores were.

use std::fmt::Write as _;

use crate::rp2040::crash::CrashReport;

/// Registers of both cores, with the functions they are in.
pub fn registers(crash_report: &CrashReport<'_>) -> String {
    let mut text = String::new();
    for number in 0..2 {
        let core = crash_report.machine.core(number);
        let state = core.state();
        // Writing to a String does not fail.
        let _ = write!(text, "core {number} is {state} at {}", crash_report.place(core.register(15)));
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
