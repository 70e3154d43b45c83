//! What is outside of a core.

use crate::chip::cpu::decode::Width;

/// Nothing there takes the access: the core gets a bus fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused;

/// Memory and peripherals as one core sees them. All accesses are aligned; those to the system control space (0xE000E000
/// to 0xE000EFFF) do not come here.
pub trait Bus {
    /// The halfword of code at an even address.
    ///
    /// # Errors
    /// If nothing there holds code.
    fn fetch(&mut self, address: u32) -> Result<u16, Refused>;

    /// What a load of this width gets, in the low bits and without its sign.
    ///
    /// # Errors
    /// If nothing there can be read.
    fn read(&mut self, address: u32, width: Width) -> Result<u32, Refused>;

    /// Stores the low bits of `value`.
    ///
    /// # Errors
    /// If nothing there can be written.
    fn write(&mut self, address: u32, width: Width, value: u32) -> Result<(), Refused>;

    /// The core has executed SEV; its own event register is set already.
    fn send_event(&mut self) {}
}
