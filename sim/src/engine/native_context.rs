//! What code that was made for the host needs to know of the chip that it is for.

/// Whom code is for: the two cores of a quantum, or one that is alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It runs ahead.
    Speculative,
    /// It goes through the same cycles afterwards.
    Replaying,
    /// It is alone on the bus.
    Solo,
}

/// How many roles there are.
pub const ROLES: usize = 3;

impl Role {
    /// All of them.
    pub const ALL: [Self; ROLES] = [Self::Speculative, Self::Replaying, Self::Solo];
}

/// What native code needs to know of where it is: addresses are the host's.
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
    /// The number of the fast run.
    pub run: u32,
    /// By word of flash, the number of the last fast run that knows it as the most recently used of its set.
    pub mru: usize,
    /// Where code is.
    pub code: usize,
    /// Where BX or POP goes.
    pub target: u32,
    /// The offset of the code for that.
    pub target_code: u32,
}
