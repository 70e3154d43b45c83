//! What a core did.

use crate::core::bus::Slave;

/// Counters of what a core did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Statistics {
    /// Instructions begun.
    pub instructions: u64,
    /// Time asleep in WFI, WFE or by sleep-on-exit.
    pub asleep: u64,
    /// Exceptions entered, tail-chained ones included.
    pub exceptions: u64,
    /// Cycles lost because another master held the slave, by slave; 0 on a chip whose bus has no time.
    pub conflicts: [u64; Slave::COUNT],
    /// Cycles lost to a slave's own wait states, by slave (XIP: misses; APB: the bridge); 0 likewise.
    pub waits: [u64; Slave::COUNT],
}
