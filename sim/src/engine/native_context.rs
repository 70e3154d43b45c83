//! What native code, compiled for the host, needs to know of the chip.

/// Which core native code is for: one of the two of a quantum, or one whose neighbour is idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It runs ahead.
    Speculative,
    /// It goes through the same cycles afterwards.
    Replaying,
    /// Its neighbour is idle.
    Solo,
}

/// How many roles there are.
pub const ROLES: usize = 3;

impl Role {
    /// All of them.
    pub const ALL: [Self; ROLES] = [Self::Speculative, Self::Replaying, Self::Solo];
}

/// Addresses are the host's.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct NativeContext {
    /// The cycle of the quantum.
    pub clock: u32,
    /// Instructions, times 2^16, and hits in the flash cache. There are fewer than `LOG_CYCLES` of each in a quantum.
    pub counts: u32,
    /// Words of RAM, and their access tags.
    pub ram: usize,
    /// See `ram`.
    pub tags: usize,
    /// The flash.
    pub flash: usize,
    /// How much of it there is.
    pub flash_bytes: u32,
    /// The number of the run on the fast path.
    pub run: u32,
    /// By word of flash, the number of the last run on the fast path that found it to be the most recently used of its set.
    pub mru: usize,
    /// Where code is.
    pub code: usize,
    /// Where BX or POP goes.
    pub target: u32,
    /// The offset of the code for that.
    pub target_code: u32,
}
