//! What is outside of a core.

use crate::core::access::Width;

/// Nothing there takes the access: the core gets a bus fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusError;

/// What a core did that only who looks at both cores can judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The data cache has brought in the line with this address.
    LineFilled(u32),
    /// It has answered a load from this address.
    LineRead(u32),
    /// The line with this address has something that memory has not.
    LineDirty(u32),
    /// The line with this address has been written back.
    LineCleaned(u32),
    /// The line with this address is not in the cache any more.
    LineDropped(u32),
    /// The data cache was switched on, and not all of it had been invalidated before: what it holds is unknown.
    UninvalidatedCacheEnabled,
    /// LDREX or STREX.
    Exclusive {
        /// Of the access.
        address: u32,
        /// The protection unit says that the place is Shareable, so that it is not for the core's own monitor.
        shareable: bool,
    },
    /// DMB: who sees an access after it has seen those before it.
    DataMemoryBarrier,
    /// DSB: all accesses before it are complete.
    DataSynchronizationBarrier,
    /// An access to this address for which the protection unit's setting matters that was changed last, and no barrier has
    /// been executed that makes an access find it.
    MissingBarrier {
        /// Of the access.
        address: u32,
        /// It fetches an instruction.
        code: bool,
    },
    /// A return from an exception to the frame at this address, which is not aligned as an entry aligns each (B1.5.7).
    UnalignedFrame(u32),
}

/// Memory and peripherals as one core sees them. All accesses are aligned; those to the system control space (0xE000E000
/// to 0xE000EFFF) do not come here.
pub trait Bus {
    /// The halfword of code at an even address.
    ///
    /// # Errors
    /// If nothing there holds code.
    fn fetch(&mut self, address: u32) -> Result<u16, BusError>;

    /// What a load of this width gets, in the low bits and without its sign.
    ///
    /// # Errors
    /// If nothing there can be read.
    fn read(&mut self, address: u32, width: Width) -> Result<u32, BusError>;

    /// Stores the low bits of `value`.
    ///
    /// # Errors
    /// If nothing there can be written.
    fn write(&mut self, address: u32, width: Width, value: u32) -> Result<(), BusError>;

    /// Something that it may want to know.
    fn observe(&mut self, _event: Event) {}

    /// Whether exclusive accesses to Shareable memory are monitored outside of the core. Where they are not, STREX fails.
    fn has_global_monitor(&self) -> bool {
        true
    }

    /// The core has executed SEV; its own event register is set already.
    fn send_event(&mut self) {}
}
