//! What a debugger does to the RP2040. Nothing is disturbed by looking.

use crate::core::bus::Slave;
use crate::core::register::Register;
use crate::core::time::NEVER;
use crate::debug::DebugTarget;
use crate::rp2040::boot::FLASH;
use crate::rp2040::bus::locate;
use crate::rp2040::bus::slave::{APB, FAST_PERIPHERALS, ROM};
use crate::rp2040::machine::Machine;
use crate::rp2040::peripherals::Peripherals;

impl DebugTarget for Machine {
    const ARCHITECTURE: &'static str = "armv6s-m";
    const OTHER_REGISTERS: &'static [Register] = &[Register::Msp, Register::Psp, Register::Primask, Register::Control];
    /// Datasheet 2.2. Flash is written in sectors, by `load`; GDB sets hardware breakpoints there.
    const MEMORY_MAP: &'static str = r#"<?xml version="1.0"?>
<!DOCTYPE memory-map PUBLIC "+//IDN gnu.org//DTD GDB Memory Map V1.0//EN" "http://sourceware.org/gdb/gdb-memory-map.dtd">
<memory-map>
  <memory type="rom" start="0x00000000" length="0x4000"/>
  <memory type="flash" start="0x10000000" length="0x1000000"><property name="blocksize">0x1000</property></memory>
  <memory type="rom" start="0x11000000" length="0x3000000"/>
  <memory type="ram" start="0x15000000" length="0x4000"/>
  <memory type="ram" start="0x20000000" length="0x42000"/>
  <memory type="ram" start="0x21000000" length="0x40000"/>
  <memory type="ram" start="0x40000000" length="0x70000"/>
  <memory type="ram" start="0x50000000" length="0x400000"/>
  <memory type="ram" start="0xd0000000" length="0x1000"/>
  <memory type="ram" start="0xe000e000" length="0x1000"/>
</memory-map>
"#;

    /// CONTROL cannot be set, nor the PC of a core that is off.
    fn set_register(&mut self, core: usize, register: Register, value: u64) -> bool {
        let (value, now) = (value as u32, self.now());
        let core = self.core_mut(core);
        match register {
            Register::R(15) if core.is_off() => return false,
            Register::R(15) => {
                let at = if core.t == NEVER { now } else { core.t };
                core.passes_at = NEVER;
                core.start_at(value, at);
            }
            Register::R(number) => core.set_register(usize::from(number), value),
            // Which exception is active is not for a debugger to say.
            Register::Xpsr => core.set_apsr(value),
            Register::Msp | Register::Psp => {
                let in_use = (register == Register::Psp) == core.uses_psp();
                *(if in_use { &mut core.regs[13] } else { &mut core.other_sp }) = value & !3;
            }
            Register::Primask => {
                core.primask = value & 1 != 0;
                core.update_exception_check();
                core.schedule_wake(now);
            }
            _ => return false,
        }
        true
    }

    fn peek_word(&self, core: usize, address: u32) -> Option<u32> {
        match locate(address).0 {
            APB | FAST_PERIPHERALS => Peripherals::is_modelled(address).then(|| self.peek_register(address)),
            Slave::IO if address < 0xd000_1000 => {
                Some(self.bus.peripherals.sio.peek(core, address & 0xfff, self.now()))
            }
            Slave::PRIVATE if address >> 12 == 0xe000e => {
                let core = self.core(core);
                let now = core.private_time(self.now());
                let is_systick = (0x10..0x20).contains(&(address & 0xfff));
                Some(if is_systick { core.systick.read(address, now) } else { core.peek_private(address) })
            }
            _ => self.peek(address),
        }
    }

    fn write_memory(&mut self, core: usize, start: u32, bytes: &[u8]) -> bool {
        let Some(end) = start.checked_add(bytes.len() as u32) else { return false };
        let (words, rest) = bytes.as_chunks();
        match locate(start).0 {
            APB | FAST_PERIPHERALS | Slave::IO | Slave::PRIVATE if start.is_multiple_of(4) && rest.is_empty() => {
                words.iter().zip((start..end).step_by(4)).all(|(word, at)| self.poke_register(core, at, *word))
            }
            ROM => false,
            _ => (start..end).all(|at| self.peek(at).is_some()) && self.load(start, bytes),
        }
    }

    fn erase_flash(&mut self, start: u32, length: u32) -> bool {
        let Some(end) = start.checked_add(length) else { return false };
        start >= FLASH.start && end <= FLASH.end && (start..end).all(|at| self.load(at, &[0xff]))
    }

    fn reset_keeping_memory(&mut self, at_power_on: &Self) {
        let mut fresh = at_power_on.clone();
        std::mem::swap(&mut fresh.bus.memory, &mut self.bus.memory);
        std::mem::swap(&mut fresh.bus.fabric.watch, &mut self.bus.fabric.watch);
        *self = fresh;
    }
}

impl Machine {
    fn poke_register(&mut self, core: usize, address: u32, bytes: [u8; 4]) -> bool {
        let (value, now) = (u32::from_le_bytes(bytes), self.now());
        match locate(address).0 {
            Slave::IO => {
                self.write_io(core, address, value);
                true
            }
            Slave::PRIVATE if address >> 12 == 0xe000e => {
                self.write_private(core, address, value);
                true
            }
            Slave::PRIVATE => false,
            _ => {
                // The cores hear of it before they go on.
                self.bus.fabric.requests.touch(now);
                self.bus.fabric.requests.registers_written = true;
                self.write_register(address, value)
            }
        }
    }
}
