//! Interface of a core to memory and peripherals.

use crate::core::access::Width;

/// The bus answers an access with an error: the core takes a bus fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusError;

/// Cache, barrier and exclusive operations of a core, for checks of what two cores share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The data cache has filled the line with this address.
    LineFilled(u32),
    /// A load from this address hit the data cache.
    LineRead(u32),
    /// The line with this address has become dirty.
    LineDirty(u32),
    /// The line with this address has been written back.
    LineCleaned(u32),
    /// The line with this address has been invalidated or evicted.
    LineInvalidated(u32),
    /// The data cache was enabled before all of it was invalidated: its contents are unknown.
    UninvalidatedCacheEnabled,
    /// LDREX or STREX.
    Exclusive {
        /// Of the access.
        address: u32,
        /// The MPU says that the memory is Shareable, so that the local monitor is not enough.
        shareable: bool,
    },
    /// DMB: accesses before it are observed before those after it.
    DataMemoryBarrier,
    /// DSB: accesses before it are complete.
    DataSynchronizationBarrier,
    /// An access that depends on a change of the MPU, without the barriers after the change that make it effective.
    MissingMpuBarrier {
        /// Of the access.
        address: u32,
        /// It is an instruction fetch.
        code: bool,
    },
    /// An exception is entered, by number, chained ones included.
    ExceptionEntered(u8),
    /// What is interrupted was stored in a frame at this address.
    FrameStacked(u32),
    /// What goes on was loaded from a frame at this address.
    FrameUnstacked(u32),
    /// An exception is left, by number.
    ExceptionReturned(u8),
    /// An exception return with a frame at this address, which is not aligned to 8 bytes as on entry (B1.5.7).
    UnalignedReturnFrame(u32),
}

/// Bytes of a page of memory.
pub const PAGE: u32 = 0x1000;

/// A page of plain memory: accesses to it neither fail nor do anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Where the bus has it; the lowest 12 bits are 0.
    pub place: u32,
    /// Whether it can be written.
    pub writable: bool,
}

/// Memory and peripherals as one core sees them. All accesses are aligned; those to the system control space (0xE000E000
/// to 0xE000EFFF) do not come here.
pub trait Bus {
    /// Fetches the halfword at an even address.
    ///
    /// # Errors
    /// If the bus answers with an error.
    fn fetch(&mut self, address: u32) -> Result<u16, BusError>;

    /// Reads a value of this width, zero-extended.
    ///
    /// # Errors
    /// If the bus answers with an error.
    fn read(&mut self, address: u32, width: Width) -> Result<u32, BusError>;

    /// Writes the low bits of `value`.
    ///
    /// # Errors
    /// If the bus answers with an error.
    fn write(&mut self, address: u32, width: Width, value: u32) -> Result<(), BusError>;

    /// The memory that is the whole page at an address, until the next reset. Its bytes are then accessed by their places,
    /// which are `place` and up.
    fn memory(&self, _page: u32) -> Option<Memory> {
        None
    }

    /// The word of code at a place of memory. It may cross words, but no page.
    fn fetch_at(&self, _place: u32) -> u32 {
        0
    }

    /// Reads as `read` does, from an address at a place of memory.
    fn read_at(&mut self, _place: u32, address: u32, width: Width) -> u32 {
        self.read(address, width).unwrap_or_default()
    }

    /// Writes as `write` does, to an address at a place of memory that can be written.
    fn write_at(&mut self, _place: u32, address: u32, width: Width, value: u32) {
        let _ = self.write(address, width, value);
    }

    /// Reports an operation of the core.
    fn observe(&mut self, _event: Event) {}

    /// An instruction has loaded or stored this value; an access that is not aligned, byte by byte.
    fn accessed(&mut self, _address: u32, _width: Width, _write: bool, _value: u32) {}

    /// Whether there is a global exclusive monitor. Without one, STREX to Shareable memory fails.
    fn has_global_monitor(&self) -> bool {
        true
    }

    /// The core has executed SEV; its own event register is set already.
    fn send_event(&mut self) {}
}
