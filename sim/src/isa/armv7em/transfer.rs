//! Load and store single register, and their addressing modes (A5.3).

use crate::core::access::Width;
use crate::isa::armv7em::bus::Bus;
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::{ExecutionResult, Processor};

/// Address of a load or store, and its write-back.
struct Addressing {
    address: u32,
    /// The new value of the base register.
    writeback: Option<u32>,
    /// LDRT, STRT: an unprivileged access.
    unprivileged: bool,
}

impl Processor {
    /// Loads a register; PC is a branch.
    pub(crate) fn load_to(&mut self, t: u32, address: u32, width: Width, bus: &mut impl Bus) -> ExecutionResult {
        let value = self.load(address, width, self.is_privileged(), bus)?;
        self.set_loaded(t, value);
        Ok(())
    }

    fn set_loaded(&mut self, t: u32, value: u32) {
        if t == 15 {
            self.branch_exchange(value);
        } else {
            self.set(t, value);
        }
    }

    pub(crate) fn store_from(&mut self, t: u32, address: u32, width: Width, bus: &mut impl Bus) -> ExecutionResult {
        self.store(address, width, self.reg(t), self.is_privileged(), bus)
    }

    /// Addressing by 12-bit immediate, 8-bit immediate, or register. None: UNDEFINED.
    fn addressing(&self, first: u32, second: u32) -> Option<Addressing> {
        let plain = |address| Some(Addressing { address, writeback: None, unprivileged: false });
        let base = self.reg(first & 15);
        if first & 0x80 != 0 {
            return plain(base.wrapping_add(second & 0xfff));
        }
        if second & 0x800 == 0 {
            let index = self.reg(second & 15) << (second >> 4 & 3);
            return if (second >> 6).is_multiple_of(32) { plain(base.wrapping_add(index)) } else { None };
        }
        let (indexed, up, writes_back) = (second & 0x400 != 0, second & 0x200 != 0, second & 0x100 != 0);
        let moved = if up { base.wrapping_add(second & 0xff) } else { base.wrapping_sub(second & 0xff) };
        if !indexed && !writes_back {
            return None;
        }
        Some(Addressing {
            address: if indexed { moved } else { base },
            writeback: writes_back.then_some(moved),
            unprivileged: indexed && up && !writes_back,
        })
    }

    pub(crate) fn load_one(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let width = width(first >> 5 & 3, first & 0x100 != 0).ok_or(Fault::Undefined)?;
        let t = second >> 12;
        let to = if first & 15 == 15 {
            let (base, distance) = (self.literal_base(), second & 0xfff);
            let address = if first & 0x80 != 0 { base.wrapping_add(distance) } else { base.wrapping_sub(distance) };
            Addressing { address, writeback: None, unprivileged: false }
        } else {
            self.addressing(first, second).ok_or(Fault::Undefined)?
        };
        // PLD, PLI and unallocated hints do nothing.
        if t == 15 && width != Width::Word {
            return Ok(());
        }
        let value = self.load(to.address, width, self.is_privileged() && !to.unprivileged, bus)?;
        if let Some(base) = to.writeback {
            self.set(first & 15, base);
        }
        self.set_loaded(t, value);
        Ok(())
    }

    pub(crate) fn store_one(&mut self, first: u32, second: u32, bus: &mut impl Bus) -> ExecutionResult {
        let width = width(first >> 5 & 3, false).ok_or(Fault::Undefined)?;
        if first & 15 == 15 {
            return Err(Fault::Undefined);
        }
        let to = self.addressing(first, second).ok_or(Fault::Undefined)?;
        let privileged = self.is_privileged() && !to.unprivileged;
        self.store(to.address, width, self.reg(second >> 12), privileged, bus)?;
        if let Some(base) = to.writeback {
            self.set(first & 15, base);
        }
        Ok(())
    }
}

fn width(size: u32, signed: bool) -> Option<Width> {
    Some(match (size, signed) {
        (0, false) => Width::Byte,
        (1, false) => Width::Half,
        (2, false) => Width::Word,
        (0, true) => Width::SignedByte,
        (1, true) => Width::SignedHalf,
        _ => return None,
    })
}
