//! Accesses to memory: alignment, protection, the private peripheral bus, and the bus outside (B3.1).

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::access::Width;
use crate::isa::armv7em::Processor;
use crate::isa::armv7em::bus::{Bus, BusError, Event};
use crate::isa::armv7em::cache::Maintenance;
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::mpu::{Access, Policy};
use crate::isa::armv7em::scs::ccr;

/// The software trigger interrupt register.
const STIR: u32 = 0xe000_ef00;

impl Processor {
    /// Fetches the instruction at PC: its first halfword, and above it the second if it has one.
    #[inline(always)]
    pub(crate) fn fetch_instruction(&mut self, bus: &mut impl Bus) -> Result<u32, Fault> {
        match self.code_place(bus) {
            Some(place) => Ok(bus.fetch_at(place)),
            None => self.fetch_halves(bus),
        }
    }

    #[inline(never)]
    fn fetch_halves(&mut self, bus: &mut impl Bus) -> Result<u32, Fault> {
        let first = self.fetch(self.pc, bus)?;
        let second = if is_wide(first) { self.fetch(self.pc.wrapping_add(2), bus)? } else { 0 };
        Ok(u32::from(second) << 16 | u32::from(first))
    }

    /// Fetches a halfword of code.
    fn fetch(&mut self, address: u32, bus: &mut impl Bus) -> Result<u16, Fault> {
        let privileged = self.is_privileged();
        if !self.page(address, privileged, bus).permits(Access::Execute) {
            if self.misses_barrier(address, privileged, Access::Execute) {
                bus.observe(Event::MissingMpuBarrier { address, code: true });
            }
            if !self.permits(address, privileged, Access::Execute) {
                return Err(Fault::InstructionAccessViolation);
            }
        }
        bus.fetch(address).map_err(|_| Fault::InstructionBusError)
    }

    /// A load of any alignment, extended by its width.
    pub(crate) fn load(
        &mut self,
        address: u32,
        width: Width,
        privileged: bool,
        bus: &mut impl Bus,
    ) -> Result<u32, Fault> {
        let value = if address & width.misaligned() == 0 {
            let value = self.read(address, width, privileged, bus)?;
            bus.accessed(address, width, false, value);
            value
        } else {
            self.check_unaligned(address, width)?;
            let mut value = 0;
            for byte in 0..width.bytes() {
                let at = address.wrapping_add(byte);
                let part = self.read(at, Width::Byte, privileged, bus)?;
                bus.accessed(at, Width::Byte, false, part);
                value |= part << (8 * byte);
            }
            value
        };
        Ok(match width {
            Width::SignedHalf => value as i16 as u32,
            Width::SignedByte => value as i8 as u32,
            _ => value,
        })
    }

    /// A store of any alignment.
    pub(crate) fn store(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        privileged: bool,
        bus: &mut impl Bus,
    ) -> Result<(), Fault> {
        if address & width.misaligned() == 0 {
            self.write(address, width, value, privileged, bus)?;
            bus.accessed(address, width, true, value);
            return Ok(());
        }
        self.check_unaligned(address, width)?;
        for byte in 0..width.bytes() {
            let (at, part) = (address.wrapping_add(byte), value >> (8 * byte) & 0xff);
            self.write(at, Width::Byte, part, privileged, bus)?;
            bus.accessed(at, Width::Byte, true, part);
        }
        Ok(())
    }

    /// Loads a word that must be aligned.
    pub(crate) fn load_aligned(&mut self, address: u32, bus: &mut impl Bus) -> Result<u32, Fault> {
        if address & 3 != 0 {
            return Err(Fault::Unaligned);
        }
        self.load(address, Width::Word, self.is_privileged(), bus)
    }

    /// Stores a word that must be aligned.
    pub(crate) fn store_aligned(&mut self, address: u32, value: u32, bus: &mut impl Bus) -> Result<(), Fault> {
        if address & 3 != 0 {
            return Err(Fault::Unaligned);
        }
        self.store(address, Width::Word, value, self.is_privileged(), bus)
    }

    /// An unaligned access faults with `CCR.UNALIGN_TRP`, and outside of Normal memory (there it is UNPREDICTABLE).
    fn check_unaligned(&self, address: u32, width: Width) -> Result<(), Fault> {
        let last = address.wrapping_add(width.bytes() - 1);
        let allowed = !self.scs.has(ccr::UNALIGN_TRP) && self.is_normal(address) && self.is_normal(last);
        if allowed { Ok(()) } else { Err(Fault::Unaligned) }
    }

    /// An aligned read, zero-extended.
    pub(crate) fn read(
        &mut self,
        address: u32,
        width: Width,
        privileged: bool,
        bus: &mut impl Bus,
    ) -> Result<u32, Fault> {
        let page = self.page(address, privileged, bus);
        let policy = if page.permits(Access::Read) {
            if let (Some(place), Policy::NotCached) = (page.place_of(address), page.policy) {
                return Ok(bus.read_at(place, address, width));
            }
            page.policy
        } else {
            self.check(address, privileged, Access::Read, bus)?;
            self.cache_policy(address)
        };
        let answer = if is_private(address) && !privileged {
            None
        } else if is_system_control(address) {
            Some(self.read_system_control(address, width))
        } else {
            self.read_memory(address, width, policy, bus).ok()
        };
        match answer {
            Some(value) => Ok(value),
            None if self.ignores_bus_faults() => Ok(0),
            None => Err(Fault::DataBusError(address)),
        }
    }

    /// An aligned write.
    pub(crate) fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        privileged: bool,
        bus: &mut impl Bus,
    ) -> Result<(), Fault> {
        let page = self.page(address, privileged, bus);
        let policy = if page.permits(Access::Write) {
            if let (Some(place), Policy::NotCached, true) = (page.place_of(address), page.policy, page.writable) {
                bus.write_at(place, address, width, value);
                return Ok(());
            }
            page.policy
        } else {
            self.check(address, privileged, Access::Write, bus)?;
            self.cache_policy(address)
        };
        // Unprivileged code may write STIR with `CCR.USERSETMPEND`.
        let allowed = privileged || address == STIR && self.scs.has(ccr::USERSETMPEND);
        let taken = if is_private(address) && !allowed {
            false
        } else if is_system_control(address) {
            self.write_system_control(address, width, value);
            self.maintain_caches(address, value, bus);
            true
        } else {
            self.write_memory(address, width, value, policy, bus).is_ok()
        };
        if taken || self.ignores_bus_faults() { Ok(()) } else { Err(Fault::DataBusError(address)) }
    }

    /// Checks whether a data access is permitted.
    fn check(&mut self, address: u32, privileged: bool, access: Access, bus: &mut impl Bus) -> Result<(), Fault> {
        if self.misses_barrier(address, privileged, access) {
            bus.observe(Event::MissingMpuBarrier { address, code: false });
        }
        if self.permits(address, privileged, access) { Ok(()) } else { Err(Fault::DataAccessViolation(address)) }
    }

    /// What the data cache does with an address.
    pub(crate) fn cache_policy(&self, address: u32) -> Policy {
        if self.cache.is_some() && self.scs.has(ccr::DC) { self.policy(address) } else { Policy::NotCached }
    }

    fn read_memory(&mut self, address: u32, width: Width, policy: Policy, bus: &mut impl Bus) -> Result<u32, BusError> {
        match &mut self.cache {
            Some(cache) if policy != Policy::NotCached => cache.read(address, width, bus),
            _ => bus.read(address, width),
        }
    }

    fn write_memory(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        policy: Policy,
        bus: &mut impl Bus,
    ) -> Result<(), BusError> {
        match &mut self.cache {
            Some(cache) if policy != Policy::NotCached => cache.write(address, width, value, policy, bus),
            _ => bus.write(address, width, value),
        }
    }

    /// Cache maintenance operations, and the check when `CCR.DC` is set.
    fn maintain_caches(&mut self, address: u32, value: u32, bus: &mut impl Bus) {
        let Some(cache) = &mut self.cache else { return };
        let (by_address, operation) = match address & 0xfff {
            0xd14 if self.scs.has(ccr::DC) && cache.has_uninvalidated_lines() => {
                return bus.observe(Event::UninvalidatedCacheEnabled);
            }
            0xf5c => (true, Maintenance::Invalidate),
            0xf60 => (false, Maintenance::Invalidate),
            0xf64 | 0xf68 => (true, Maintenance::Clean),
            0xf6c => (false, Maintenance::Clean),
            0xf70 => (true, Maintenance::CleanAndInvalidate),
            0xf74 => (false, Maintenance::CleanAndInvalidate),
            _ => return,
        };
        if by_address {
            cache.maintain_address(value, operation, bus);
        } else {
            cache.maintain_set_and_way(value, operation, bus);
        }
    }

    /// The word at an address in this core's data cache, without side effects.
    pub fn peek_cache(&self, address: u32) -> Option<u32> {
        self.cache.as_ref().filter(|_| self.scs.has(ccr::DC)).and_then(|cache| cache.peek(address))
    }

    /// A debugger changes a byte of memory: so it is changed in the data cache, too.
    pub fn poke_cache(&mut self, address: u32, byte: u8) {
        if let Some(cache) = &mut self.cache {
            cache.poke(address, byte);
        }
    }

    /// `CCR.BFHFNMIGN`: data bus faults are ignored at negative priorities (B3.2.8).
    fn ignores_bus_faults(&self) -> bool {
        self.scs.has(ccr::BFHFNMIGN) && self.execution_priority() < 0
    }
}

/// Whether a halfword is the first of two.
#[inline(always)]
pub(crate) fn is_wide(first: u16) -> bool {
    first >> 11 > 0x1c
}

/// The private peripheral bus, for privileged accesses only (B3.1).
fn is_private(address: u32) -> bool {
    address >> 20 == 0xe00
}

/// The parts within the core: system control space and DWT.
fn is_system_control(address: u32) -> bool {
    matches!(address >> 12, 0xe000e | 0xe0001)
}
