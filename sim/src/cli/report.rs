//! What is told when something went wrong: where the cores were.

use std::fmt::Write as _;

use crate::core::chip::{CORES, Chip};
use crate::core::cortex_m::Register;
use crate::core::names::Names;

/// Registers of all cores, with the functions they are in.
pub fn registers<C: Chip>(chip: &C, names: &dyn Names) -> String {
    let mut text = String::new();
    for core in 0..CORES {
        let register = |register| chip.register(core, register);
        let place = chip.place(register(Register::R(15)) as u32, names);
        // Writing to a String does not fail.
        let _ = write!(text, "core {core} is {} at {place}", chip.core_state(core));
        for number in 0..16_u8 {
            let name =
                ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"]
                    [usize::from(number)];
            let separator = if number % 4 == 0 { "\n   " } else { "" };
            let _ = write!(text, "{separator} {name:>4} {:08x}", register(Register::R(number)));
        }
        let _ = writeln!(
            text,
            "\n    xpsr {:08x}  msp {:08x}  psp {:08x} primask {} control {}",
            register(Register::Xpsr),
            register(Register::Msp),
            register(Register::Psp),
            register(Register::Primask),
            register(Register::Control)
        );
    }
    text
}
