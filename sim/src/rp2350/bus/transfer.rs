//! What a core's ports have under way.

use crate::core::access::Width;
use crate::core::bus::Slave;
use crate::core::time::{Cycle, NEVER};
use crate::isa::hazard3::ports::Access;
use crate::rp2350::bus::port;
use std::hash::{Hash, Hasher};

/// A transfer whose address a manager's port has taken.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// For a fetch, a read of a word.
    pub access: Access,
    pub is_fetch: bool,
    /// Address of the instruction that asks.
    pub pc: u32,
    /// `NOWHERE` where nothing is.
    pub slave: Slave,
    /// The cycle that completes its data phase, once it is granted; `NEVER` until then.
    pub ends: Cycle,
}

/// The port where nothing answers.
pub const NOWHERE: Slave = Slave(16);
/// The port of no transfer.
pub const IDLE: Slave = Slave(17);

impl Transfer {
    /// There is none.
    pub const NONE: Self = Self {
        access: Access { address: 0, width: Width::Word, writes: false, is_exclusive: false, machine_mode: true },
        is_fetch: false,
        pc: 0,
        slave: IDLE,
        ends: 0,
    };

    /// Asks for a word of code, and whether in machine mode; or for nothing. Whether it asks.
    #[inline(always)]
    pub fn fetch(&mut self, fetch: Option<(u32, bool)>) -> bool {
        let Some((address, machine_mode)) = fetch else {
            (self.slave, self.ends) = (IDLE, 0);
            return false;
        };
        (self.access.address, self.access.machine_mode) = (address, machine_mode);
        self.slave = port::of(address).filter(|&slave| port::is_memory(slave)).unwrap_or(NOWHERE);
        (self.is_fetch, self.ends) = (true, NEVER);
        true
    }

    /// Loads or stores for the instruction at an address, or does nothing. Whether it asks.
    #[inline(always)]
    pub fn access(&mut self, access: Option<Access>, pc: u32) -> bool {
        let Some(access) = access else {
            (self.slave, self.ends, self.access.writes) = (IDLE, 0, false);
            return false;
        };
        (self.access, self.pc) = (access, pc);
        self.slave = port::of(access.address).unwrap_or(NOWHERE);
        self.ends = NEVER;
        true
    }
}

/// All that decides the future.
impl Hash for Transfer {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { access, is_fetch, pc: _, slave, ends } = *self;
        if slave == IDLE {
            return IDLE.0.hash(hasher);
        }
        let Access { address, width, writes, is_exclusive, machine_mode } = access;
        (address, width, writes, is_exclusive, machine_mode, is_fetch, slave.0, ends).hash(hasher);
    }
}
