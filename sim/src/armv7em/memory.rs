//! Accesses to memory: alignment, protection, the private peripheral bus, and the bus outside (B3.1).

use super::Processor;
use super::bus::Bus;
use super::fault::Fault;
use super::mpu::Access;
use crate::chip::cpu::decode::Width;

impl Processor {
    /// A halfword of code.
    pub(crate) fn fetch(&mut self, address: u32, bus: &mut impl Bus) -> Result<u16, Fault> {
        if !self.permits(address, self.is_privileged(), Access::Execute) {
            return Err(Fault::ProtectedCode);
        }
        bus.fetch(address).map_err(|_| Fault::RefusedCode)
    }

    /// A load of any alignment, with the sign of its width.
    pub(crate) fn load(
        &mut self,
        address: u32,
        width: Width,
        privileged: bool,
        bus: &mut impl Bus,
    ) -> Result<u32, Fault> {
        let value = if address & width.misaligned() == 0 {
            self.read(address, width, privileged, bus)?
        } else {
            self.check_unaligned(address, width)?;
            let mut value = 0;
            for byte in 0..width.bytes() {
                value |= self.read(address.wrapping_add(byte), Width::Byte, privileged, bus)? << (8 * byte);
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
            return self.write(address, width, value, privileged, bus);
        }
        self.check_unaligned(address, width)?;
        for byte in 0..width.bytes() {
            self.write(address.wrapping_add(byte), Width::Byte, value >> (8 * byte) & 0xff, privileged, bus)?;
        }
        Ok(())
    }

    /// A word of an instruction that takes no other alignment.
    pub(crate) fn load_aligned(&mut self, address: u32, bus: &mut impl Bus) -> Result<u32, Fault> {
        if address & 3 != 0 {
            return Err(Fault::Unaligned);
        }
        let privileged = self.is_privileged();
        self.read(address, Width::Word, privileged, bus)
    }

    /// The same to memory.
    pub(crate) fn store_aligned(&mut self, address: u32, value: u32, bus: &mut impl Bus) -> Result<(), Fault> {
        if address & 3 != 0 {
            return Err(Fault::Unaligned);
        }
        let privileged = self.is_privileged();
        self.write(address, Width::Word, value, privileged, bus)
    }

    /// An unaligned access faults if `CCR.UNALIGN_TRP` says so, and anywhere but in normal memory, where the architecture leaves
    /// open what happens.
    fn check_unaligned(&self, address: u32, width: Width) -> Result<(), Fault> {
        let last = address.wrapping_add(width.bytes() - 1);
        let allowed = !self.scs.traps_unaligned() && self.is_normal(address) && self.is_normal(last);
        if allowed { Ok(()) } else { Err(Fault::Unaligned) }
    }

    /// An aligned read, without a sign.
    pub(crate) fn read(
        &mut self,
        address: u32,
        width: Width,
        privileged: bool,
        bus: &mut impl Bus,
    ) -> Result<u32, Fault> {
        if !self.permits(address, privileged, Access::Read) {
            return Err(Fault::Protected(address));
        }
        let answer = if is_private(address) && !privileged {
            None
        } else if is_system_control(address) {
            Some(self.read_system_control(address, width))
        } else {
            bus.read(address, width).ok()
        };
        match answer {
            Some(value) => Ok(value),
            None if self.ignores_bus_faults() => Ok(0),
            None => Err(Fault::Refused(address)),
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
        if !self.permits(address, privileged, Access::Write) {
            return Err(Fault::Protected(address));
        }
        let taken = if is_private(address) && !privileged && !self.lets_user_trigger(address) {
            false
        } else if is_system_control(address) {
            self.write_system_control(address, width, value);
            true
        } else {
            bus.write(address, width, value).is_ok()
        };
        if taken || self.ignores_bus_faults() { Ok(()) } else { Err(Fault::Refused(address)) }
    }

    /// `CCR.BFHFNMIGN`: handlers of `HardFault` and NMI go on after a refused access (B3.2.8).
    fn ignores_bus_faults(&self) -> bool {
        self.scs.ignores_bus_faults_of_handlers() && self.execution_priority() < 0
    }
}

/// The private peripheral bus, for privileged accesses only (B3.1).
fn is_private(address: u32) -> bool {
    address >> 20 == 0xe00
}

fn is_system_control(address: u32) -> bool {
    address >> 12 == 0xe000e
}
