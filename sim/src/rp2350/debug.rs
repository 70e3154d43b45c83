//! What a debugger does to the RP2350. Nothing is disturbed by looking.

use crate::core::register::Register;
use crate::debug::DebugTarget;
use crate::rp2350::boot::FLASH;
use crate::rp2350::bus::port::{self, APB, FAST_PERIPHERALS, ROM, SIO};
use crate::rp2350::bus::qmi;
use crate::rp2350::machine::Machine;
use crate::rp2350::peripherals::sio;

impl DebugTarget for Machine {
    const ARCHITECTURE: &'static str = "riscv:rv32";
    const OTHER_REGISTERS: &'static [Register] = &[];
    /// DS 2.2. Flash is written in sectors, by `load`.
    const MEMORY_MAP: &'static str = r#"<?xml version="1.0"?>
<!DOCTYPE memory-map PUBLIC "+//IDN gnu.org//DTD GDB Memory Map V1.0//EN" "http://sourceware.org/gdb/gdb-memory-map.dtd">
<memory-map>
  <memory type="rom" start="0x00000000" length="0x8000"/>
  <memory type="flash" start="0x10000000" length="0x1000000"><property name="blocksize">0x1000</property></memory>
  <memory type="rom" start="0x14000000" length="0x1000000"/>
  <memory type="ram" start="0x20000000" length="0x82000"/>
  <memory type="ram" start="0x40000000" length="0x200000"/>
  <memory type="ram" start="0x50000000" length="0x800000"/>
  <memory type="ram" start="0xd0000000" length="0x1000"/>
</memory-map>
"#;

    /// The PC of a core that is off cannot be set.
    fn set_register(&mut self, core: usize, register: Register, value: u64) -> bool {
        match register {
            Register::X(number) => self.core_mut(core).set_register(number, value as u32),
            Register::Pc if !self.is_off(core) => self.send_core_to(core, value as u32),
            _ => return false,
        }
        true
    }

    fn peek_word(&self, core: usize, address: u32) -> Option<u32> {
        let now = self.now();
        match port::of(address)? {
            SIO => self.bus.peripherals.sio.peek(core, sio::offset(address), now),
            APB if qmi::has(address) => self.bus.qmi.peek(address),
            APB | FAST_PERIPHERALS => self.bus.peripherals.peek(address, now, &self.bus.clocks),
            _ => self.bus.peek_memory(address),
        }
    }

    fn write_memory(&mut self, core: usize, start: u32, bytes: &[u8]) -> bool {
        let Some(end) = start.checked_add(bytes.len() as u32) else { return false };
        let (words, rest) = bytes.as_chunks();
        match port::of(start) {
            Some(APB | FAST_PERIPHERALS | SIO) if start.is_multiple_of(4) && rest.is_empty() => words
                .iter()
                .zip((start..end).step_by(4))
                .all(|(&word, at)| self.poke_register(core, at, u32::from_le_bytes(word))),
            Some(ROM) | None => false,
            _ => (start..end).all(|at| self.bus.peek_memory(at).is_some()) && self.load(start, bytes),
        }
    }

    fn erase_flash(&mut self, start: u32, length: u32) -> bool {
        let Some(end) = start.checked_add(length) else { return false };
        start >= FLASH.start && end <= FLASH.end && (start..end).all(|at| self.load(at, &[0xff]))
    }

    fn reset_keeping_memory(&mut self, at_power_on: &Self) {
        let mut fresh = at_power_on.clone();
        fresh.bus.keep_memory(&mut self.bus);
        *self = fresh;
    }
}

impl Machine {
    fn poke_register(&mut self, core: usize, address: u32, value: u32) -> bool {
        if port::of(address) != Some(SIO) {
            return self.write_register(address, value);
        }
        let now = self.now();
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        peripherals.sio.write(core, sio::offset(address), value, &mut context);
        true
    }
}
