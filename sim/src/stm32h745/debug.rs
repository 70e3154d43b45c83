//! What a debugger does to the STM32H745. Nothing is disturbed by looking.

use crate::core::chip::{CORES, Chip as _};
use crate::core::register::Register;
use crate::debug::DebugTarget;
use crate::stm32h745::core::PowerState;
use crate::stm32h745::machine::Machine;
use crate::stm32h745::memory::{BANK, FLASH};
use crate::stm32h745::peripherals::Peripherals;

const fn d(number: u8) -> Register {
    Register::D(number)
}

/// The system control space (ARMv7-M B3.2).
fn is_system_control(address: u32) -> bool {
    address >> 12 == 0xe000e
}

impl DebugTarget for Machine {
    const ARCHITECTURE: &'static str = "armv7e-m";
    #[rustfmt::skip]
    const OTHER_REGISTERS: &'static [Register] = &[
        d(0), d(1), d(2), d(3), d(4), d(5), d(6), d(7), d(8), d(9), d(10), d(11), d(12), d(13), d(14), d(15),
        Register::Fpscr, Register::Msp, Register::Psp, Register::Primask, Register::Basepri, Register::Faultmask,
        Register::Control,
    ];
    /// RM0399 2.3.2; flash in sectors of 128 KiB.
    const MEMORY_MAP: &'static str = r#"<?xml version="1.0"?>
<!DOCTYPE memory-map PUBLIC "+//IDN gnu.org//DTD GDB Memory Map V1.0//EN" "http://sourceware.org/gdb/gdb-memory-map.dtd">
<memory-map>
  <memory type="ram" start="0x00000000" length="0x10000"/>
  <memory type="flash" start="0x08000000" length="0x200000"><property name="blocksize">0x20000</property></memory>
  <memory type="ram" start="0x10000000" length="0x48000"/>
  <memory type="ram" start="0x20000000" length="0x20000"/>
  <memory type="ram" start="0x24000000" length="0x80000"/>
  <memory type="ram" start="0x30000000" length="0x48000"/>
  <memory type="ram" start="0x38000000" length="0x10000"/>
  <memory type="ram" start="0x38800000" length="0x1000"/>
  <memory type="ram" start="0x40000000" length="0x20000000"/>
  <memory type="ram" start="0xe000e000" length="0x1000"/>
</memory-map>
"#;

    /// CONTROL cannot be set, nor the PC of a core that is off or stuck.
    fn set_register(&mut self, core: usize, register: Register, value: u64) -> bool {
        if register == Register::R(15) {
            return self.send_core_to(core, value as u32);
        }
        let set = self.cores[core & 1].processor.poke_register(register, value);
        self.recheck_wake_up(core);
        set
    }

    fn peek_word(&self, core: usize, address: u32) -> Option<u32> {
        if is_system_control(address) {
            return Some(self.core(core).processor.peek_system_control(address));
        }
        if Peripherals::covers(address) {
            return self.shared.peripherals.peek(core, address, 4, self.now).ok();
        }
        let bytes = self.peek_bytes(core, address, 4);
        bytes.first_chunk().map(|&bytes| u32::from_le_bytes(bytes))
    }

    fn write_memory(&mut self, core: usize, start: u32, bytes: &[u8]) -> bool {
        if !is_system_control(start) && !Peripherals::covers(start) {
            return self.load(core, start, bytes);
        }
        let (words, rest) = bytes.as_chunks();
        let whole = start.is_multiple_of(4) && rest.is_empty();
        whole && words.iter().zip((start..).step_by(4)).all(|(&word, at)| self.poke(core, at, u32::from_le_bytes(word)))
    }

    fn erase_flash(&mut self, start: u32, length: u32) -> bool {
        let Some(offset) = start.checked_sub(FLASH) else { return false };
        u64::from(offset) + u64::from(length) <= 2 * BANK as u64 && self.load(0, start, &vec![0xff; length as usize])
    }

    fn reset_keeping_memory(&mut self, at_power_on: &Self) {
        let mut fresh = at_power_on.clone();
        std::mem::swap(&mut fresh.shared.memory, &mut self.shared.memory);
        std::mem::swap(&mut fresh.shared.watch, &mut self.shared.watch);
        *self = fresh;
        // What is in flash now says where they begin.
        for core in 0..CORES {
            self.reset_core(core);
        }
    }
}

impl Machine {
    fn poke(&mut self, core: usize, address: u32, value: u32) -> bool {
        if is_system_control(address) {
            self.cores[core & 1].processor.poke_system_control(address, value);
            self.recheck_wake_up(core);
            return true;
        }
        let now = self.now;
        // The cores hear of it before they go on.
        self.shared.touched = true;
        self.shared.peripherals.write(core & 1, address, value, 4, now).is_ok()
    }

    /// A core that sleeps looks whether what was changed wakes it.
    fn recheck_wake_up(&mut self, core: usize) {
        let now = self.now;
        let core = &mut self.cores[core & 1];
        if core.power_state == PowerState::Asleep {
            core.wake_at(now);
        }
    }
}
