//! What GDB is told of a core: the registers of the M profile, and how they are read and set.

use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};

use crate::core::time::NEVER;
use crate::rp2040::machine::Core;
use crate::rp2040::machine::Machine;

/// R0 to R15, xPSR, MSP, PSP, PRIMASK, CONTROL: the order of the description below.
const COUNT: usize = 21;
const PC: usize = 15;
const DESCRIPTION: &str = r#"<?xml version="1.0"?>
<!DOCTYPE target SYSTEM "gdb-target.dtd">
<target version="1.0">
  <architecture>armv6s-m</architecture>
  <feature name="org.gnu.gdb.arm.m-profile">
    <reg name="r0" bitsize="32"/><reg name="r1" bitsize="32"/><reg name="r2" bitsize="32"/>
    <reg name="r3" bitsize="32"/><reg name="r4" bitsize="32"/><reg name="r5" bitsize="32"/>
    <reg name="r6" bitsize="32"/><reg name="r7" bitsize="32"/><reg name="r8" bitsize="32"/>
    <reg name="r9" bitsize="32"/><reg name="r10" bitsize="32"/><reg name="r11" bitsize="32"/>
    <reg name="r12" bitsize="32"/>
    <reg name="sp" bitsize="32" type="data_ptr"/>
    <reg name="lr" bitsize="32"/>
    <reg name="pc" bitsize="32" type="code_ptr"/>
    <reg name="xpsr" bitsize="32"/>
  </feature>
  <feature name="org.gnu.gdb.arm.m-system">
    <reg name="msp" bitsize="32" type="data_ptr"/>
    <reg name="psp" bitsize="32" type="data_ptr"/>
    <reg name="primask" bitsize="32" group="system"/>
    <reg name="control" bitsize="32" group="system"/>
  </feature>
</target>
"#;

/// Armv6-M as GDB sees it.
#[derive(Debug)]
pub enum Armv6M {}

impl Arch for Armv6M {
    type Usize = u32;
    type Registers = All;
    type BreakpointKind = usize;
    type RegId = Register;

    fn target_description_xml() -> Option<&'static str> {
        Some(DESCRIPTION)
    }
}

/// All registers of a core.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct All(pub [u32; COUNT]);

impl Registers for All {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        self.0[PC]
    }

    fn gdb_serialize(&self, mut write: impl FnMut(Option<u8>)) {
        for byte in self.0.iter().flat_map(|value| value.to_le_bytes()) {
            write(Some(byte));
        }
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        let (words, rest) = bytes.as_chunks();
        if words.len() != COUNT || !rest.is_empty() {
            return Err(());
        }
        for (value, word) in self.0.iter_mut().zip(words) {
            *value = u32::from_le_bytes(*word);
        }
        Ok(())
    }
}

/// Number of a register in the description.
#[derive(Clone, Copy, Debug)]
pub struct Register(usize);

impl Register {
    /// All of them, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..COUNT).map(Self)
    }

    pub fn read(self, core: &Core) -> u32 {
        match self.0 {
            0..=PC => core.register(self.0),
            16 => core.xpsr(),
            17 => core.msp(),
            18 => core.psp(),
            19 => u32::from(core.primask()),
            _ => core.control(),
        }
    }

    /// Sets the register, unless it has that value: a core whose PC is set forgets what it was about to do. False for what
    /// cannot be set: CONTROL, and the PC of a core that is off.
    pub fn write(self, machine: &mut Machine, core: usize, value: u32) -> bool {
        let now = machine.now();
        let core = machine.core_mut(core);
        if self.read(core) == value {
            return true;
        }
        match self.0 {
            PC if core.is_off() => return false,
            PC => {
                let at = if core.t == NEVER { now } else { core.t };
                core.passes_at = NEVER;
                core.start_at(value, at);
            }
            0..PC => core.set_register(self.0, value),
            // Which exception is active is not for a debugger to say.
            16 => core.set_apsr(value),
            17 | 18 => {
                let in_use = (self.0 == 18) == core.uses_psp();
                *(if in_use { &mut core.regs[13] } else { &mut core.other_sp }) = value & !3;
            }
            19 => {
                core.primask = value & 1 != 0;
                core.update_exception_check();
                core.schedule_wake(now);
            }
            _ => return false,
        }
        true
    }
}

impl RegId for Register {
    fn from_raw_id(number: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        (number < COUNT).then_some((Self(number), NonZeroUsize::new(4)))
    }
}
