//! Why a run of a simulated chip ended.

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The cycle limit was reached.
    Limit,
    /// A core is about to execute the instruction at a breakpoint.
    Breakpoint {
        /// Which core.
        core: u8,
        /// Where.
        pc: u32,
    },
    /// A core has completed an instruction that accessed a watched location.
    Watchpoint {
        /// Which core.
        core: u8,
        /// Address of the access.
        address: u32,
    },
    /// One instruction was executed (`step`).
    Stepped,
    /// Firmware ended the simulation by semihosting.
    Exit {
        /// The core that called.
        core: u8,
        /// Exit code.
        code: i32,
    },
    /// Firmware left its program for the chip's boot loader, which waits for a host on USB.
    BootLoader {
        /// The core that asked for it.
        core: u8,
    },
    /// Both cores sleep or are off, and nothing is pending that could wake them.
    DeadEnd,
    /// The UART of `Chip::stop_on_output` has sent a byte; it ends in this cycle.
    ByteSent,
    /// A core locks up in this cycle: it faulted where it could not handle a fault. The other core can go on.
    Lockup {
        /// Which core.
        core: u8,
        /// Where.
        pc: u32,
    },
}
