//! Mistakes of software, told to whoever runs it.

use crate::stm32h745::Time;

/// What software did that the chip would not forgive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Report {
    /// When.
    pub at: Time,
    /// The core that did it.
    pub core: usize,
    /// The address of the access, or of the register that the mistake is in.
    pub address: u32,
    /// What it did, as a sentence for people without the address.
    pub sentence: String,
}
