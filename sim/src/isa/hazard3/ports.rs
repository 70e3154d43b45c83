//! What a core asks of its ports, and what these answer.

use crate::core::access::Width;

/// Interrupt lines and the other core's signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// External interrupts, by number.
    pub external: u64,
    /// Of the platform's timer.
    pub timer: bool,
    /// Of software.
    pub software: bool,
    /// The other core has executed `h3.unblock`.
    pub unblocked: bool,
}

/// A load or store, as the data port asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Address.
    pub address: u32,
    /// How much.
    pub width: Width,
    /// Whether it stores; the value follows in the data phase ([`Core::stored`]).
    pub writes: bool,
    /// For the monitor of exclusive accesses.
    pub is_exclusive: bool,
    /// Whether in machine mode.
    pub machine_mode: bool,
}

/// What a core asks for in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The address of a word of code, and whether in machine mode.
    pub fetch: Option<(u32, bool)>,
    /// A load or store.
    pub access: Option<Access>,
}

/// What a port answers in a cycle, about the transfer whose address it took before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Whether that is complete, or there was none: it takes the address of this cycle.
    pub ready: bool,
    /// The word that was read.
    pub word: u32,
    /// It failed; of the data port this is said one cycle before `ready`, too.
    pub failed: bool,
    /// An exclusive access was a success.
    pub exclusive: bool,
}
