//! Memory as GDB sees it: nothing is disturbed by looking.

use crate::core::bus::Slave;
use crate::rp2040::boot::FLASH;
use crate::rp2040::bus::locate;
use crate::rp2040::bus::slave::{APB, FAST_PERIPHERALS, ROM};
use crate::rp2040::machine::Machine;
use crate::rp2040::peripherals::Peripherals;

/// What GDB may touch, and how (datasheet 2.2). Flash is written in sectors, by `load`; GDB sets hardware breakpoints there.
pub const MAP: &str = r#"<?xml version="1.0"?>
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

/// Fills `bytes` from `start` on, as one core sees it, up to the first address where there is nothing; how many there are.
pub fn read(machine: &Machine, core: usize, start: u32, bytes: &mut [u8]) -> usize {
    let mut count = 0;
    for (byte, at) in bytes.iter_mut().zip(start..=u32::MAX) {
        let Some(word) = peek(machine, core, at & !3) else { break };
        *byte = word.to_le_bytes()[at as usize & 3];
        count += 1;
    }
    count
}

fn peek(machine: &Machine, core: usize, address: u32) -> Option<u32> {
    match locate(address).0 {
        APB | FAST_PERIPHERALS => Peripherals::is_modelled(address).then(|| machine.peek_register(address)),
        Slave::IO if address < 0xd000_1000 => {
            Some(machine.bus.peripherals.sio.peek(core, address & 0xfff, machine.now()))
        }
        Slave::PRIVATE if address >> 12 == 0xe000e => {
            let core = machine.core(core);
            let now = core.private_time(machine.now());
            let is_systick = (0x10..0x20).contains(&(address & 0xfff));
            Some(if is_systick { core.systick.read(address, now) } else { core.peek_private(address) })
        }
        _ => machine.peek(address),
    }
}

/// Writes memory, or registers of peripherals and of a core's own bus if these are whole words. False if there is nothing to
/// write to, or only ROM.
pub fn write(machine: &mut Machine, core: usize, start: u32, bytes: &[u8]) -> bool {
    let Some(end) = start.checked_add(bytes.len() as u32) else { return false };
    let (words, rest) = bytes.as_chunks();
    match locate(start).0 {
        APB | FAST_PERIPHERALS | Slave::IO | Slave::PRIVATE if start.is_multiple_of(4) && rest.is_empty() => {
            words.iter().zip((start..end).step_by(4)).all(|(word, at)| write_register(machine, core, at, *word))
        }
        ROM => false,
        _ => (start..end).all(|at| machine.peek(at).is_some()) && machine.load(start, bytes),
    }
}

fn write_register(machine: &mut Machine, core: usize, address: u32, bytes: [u8; 4]) -> bool {
    let (value, now) = (u32::from_le_bytes(bytes), machine.now());
    match locate(address).0 {
        Slave::IO => {
            machine.write_io(core, address, value);
            true
        }
        Slave::PRIVATE if address >> 12 == 0xe000e => {
            machine.write_private(core, address, value);
            true
        }
        Slave::PRIVATE => false,
        _ => {
            // The cores hear of it before they go on.
            machine.bus.fabric.requests.touch(now);
            machine.bus.fabric.requests.registers_written = true;
            machine.write_register(address, value)
        }
    }
}

/// Erases flash: all ones. False if not all of it is flash.
pub fn erase(machine: &mut Machine, start: u32, length: u32) -> bool {
    let Some(end) = start.checked_add(length) else { return false };
    start >= FLASH.start && end <= FLASH.end && (start..end).all(|at| machine.load(at, &[0xff]))
}
