//! Accesses to memory: alignment, protection, the private peripheral bus, and the bus outside (B3.1).

use crate::core::access::Width;
use crate::isa::armv7em::Processor;
use crate::isa::armv7em::bus::{Bus, BusError, Event};
use crate::isa::armv7em::cache::{Cache, Maintenance};
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::mpu::{Access, Policy};
use crate::isa::armv7em::scs::ccr;

/// The software trigger interrupt register.
const STIR: u32 = 0xe000_ef00;

impl Processor {
    /// Fetches a halfword of code.
    pub(crate) fn fetch(&mut self, address: u32, bus: &mut impl Bus) -> Result<u16, Fault> {
        if self.misses_barrier(address, self.is_privileged(), Access::Execute) {
            bus.observe(Event::MissingMpuBarrier { address, code: true });
        }
        if !self.permits(address, self.is_privileged(), Access::Execute) {
            return Err(Fault::InstructionAccessViolation);
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
        if self.misses_barrier(address, privileged, Access::Read) {
            bus.observe(Event::MissingMpuBarrier { address, code: false });
        }
        if !self.permits(address, privileged, Access::Read) {
            return Err(Fault::DataAccessViolation(address));
        }
        let answer = if is_private(address) && !privileged {
            None
        } else if is_system_control(address) {
            Some(self.read_system_control(address, width))
        } else {
            self.read_memory(address, width, bus).ok()
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
        if self.misses_barrier(address, privileged, Access::Write) {
            bus.observe(Event::MissingMpuBarrier { address, code: false });
        }
        if !self.permits(address, privileged, Access::Write) {
            return Err(Fault::DataAccessViolation(address));
        }
        // Unprivileged code may write STIR with `CCR.USERSETMPEND`.
        let allowed = privileged || address == STIR && self.scs.has(ccr::USERSETMPEND);
        let taken = if is_private(address) && !allowed {
            false
        } else if is_system_control(address) {
            self.write_system_control(address, width, value);
            self.maintain_caches(address, value, bus);
            true
        } else {
            self.write_memory(address, width, value, bus).is_ok()
        };
        if taken || self.ignores_bus_faults() { Ok(()) } else { Err(Fault::DataBusError(address)) }
    }

    /// The data cache and the policy of an address, if it is cached.
    fn cached(&mut self, address: u32) -> Option<(&mut Cache, Policy)> {
        if !self.scs.has(ccr::DC) {
            return None;
        }
        let policy = self.policy(address);
        self.cache.as_mut().filter(|_| policy != Policy::NotCached).map(|cache| (cache, policy))
    }

    fn read_memory(&mut self, address: u32, width: Width, bus: &mut impl Bus) -> Result<u32, BusError> {
        match self.cached(address) {
            Some((cache, _)) => cache.read(address, width, bus),
            None => bus.read(address, width),
        }
    }

    fn write_memory(&mut self, address: u32, width: Width, value: u32, bus: &mut impl Bus) -> Result<(), BusError> {
        match self.cached(address) {
            Some((cache, policy)) => cache.write(address, width, value, policy, bus),
            None => bus.write(address, width, value),
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

/// The private peripheral bus, for privileged accesses only (B3.1).
fn is_private(address: u32) -> bool {
    address >> 20 == 0xe00
}

/// The parts within the core: system control space and DWT.
fn is_system_control(address: u32) -> bool {
    matches!(address >> 12, 0xe000e | 0xe0001)
}
