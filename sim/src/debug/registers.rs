//! What GDB is told of a core: its registers, in which order, and how wide they are.

use std::fmt::Write as _;
use std::marker::PhantomData;
use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};

use crate::core::register::Register;
use crate::debug::DebugTarget;

/// All registers of a core, in the order in which GDB numbers them.
pub fn gdb_registers<C: DebugTarget>() -> impl Iterator<Item = Register> {
    C::REGISTERS.common().chain(C::OTHER_REGISTERS.iter().copied())
}

fn bytes(register: Register) -> usize {
    if matches!(register, Register::D(_)) { 8 } else { 4 }
}

/// What else GDB is told of a register than its name and width.
fn described(register: Register) -> &'static str {
    match register {
        Register::R(13) | Register::X(2) | Register::Msp | Register::Psp => r#" type="data_ptr""#,
        Register::R(15) | Register::Pc => r#" type="code_ptr""#,
        Register::Primask | Register::Basepri | Register::Faultmask | Register::Control => r#" group="system""#,
        Register::D(_) => r#" type="ieee_double""#,
        Register::Fpscr => r#" type="int" group="float""#,
        _ => "",
    }
}

/// The feature of GDB's that a register belongs to.
fn feature(register: Register) -> &'static str {
    match register {
        Register::X(_) | Register::Pc => "org.gnu.gdb.riscv.cpu",
        Register::R(_) | Register::Xpsr => "org.gnu.gdb.arm.m-profile",
        Register::D(_) | Register::Fpscr => "org.gnu.gdb.arm.vfp",
        _ => "org.gnu.gdb.arm.m-system",
    }
}

/// The description of a core, as GDB reads it.
pub fn description<C: DebugTarget>() -> String {
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n\
         <architecture>{}</architecture>\n",
        C::ARCHITECTURE
    );
    let mut open = "";
    for register in gdb_registers::<C>() {
        let end = if open.is_empty() { "" } else { "</feature>\n" };
        // Writing to a String does not fail.
        if feature(register) != open {
            open = feature(register);
            let _ = writeln!(text, "{end}<feature name=\"{open}\">");
        }
        let (name, more) = (register.name(), described(register));
        let _ = writeln!(text, "<reg name=\"{name}\" bitsize=\"{}\"{more}/>", 8 * bytes(register));
    }
    text + "</feature>\n</target>\n"
}

/// The cores of a chip as GDB sees them.
#[derive(Debug)]
pub struct GdbArch<C>(PhantomData<C>);

impl<C: DebugTarget> Arch for GdbArch<C> {
    type Usize = u32;
    type Registers = RegisterValues<C>;
    type BreakpointKind = usize;
    type RegId = RegisterNumber<C>;
}

/// What all registers of a core hold.
#[derive(Clone, Debug)]
pub struct RegisterValues<C>(pub Vec<u64>, PhantomData<C>);

impl<C: DebugTarget> Default for RegisterValues<C> {
    fn default() -> Self {
        Self(vec![0; gdb_registers::<C>().count()], PhantomData)
    }
}

impl<C> PartialEq for RegisterValues<C> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<C: DebugTarget> Registers for RegisterValues<C> {
    type ProgramCounter = u32;

    fn pc(&self) -> u32 {
        let pc = C::REGISTERS.common().position(|register| register == C::REGISTERS.pc());
        pc.map_or(0, |place| self.0[place]) as u32
    }

    fn gdb_serialize(&self, mut write: impl FnMut(Option<u8>)) {
        for (register, value) in gdb_registers::<C>().zip(&self.0) {
            value.to_le_bytes()[..bytes(register)].iter().for_each(|&byte| write(Some(byte)));
        }
    }

    fn gdb_deserialize(&mut self, mut from: &[u8]) -> Result<(), ()> {
        for (register, value) in gdb_registers::<C>().zip(&mut self.0) {
            let (first, rest) = from.split_at_checked(bytes(register)).ok_or(())?;
            *value = little_endian(first);
            from = rest;
        }
        if from.is_empty() { Ok(()) } else { Err(()) }
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// A register by GDB's number.
#[derive(Debug)]
pub struct RegisterNumber<C>(Register, PhantomData<C>);

impl<C: DebugTarget> RegisterNumber<C> {
    /// Puts what it holds into `to`, lowest byte first; how many bytes these are. None if there is no room for them.
    pub fn read(&self, chip: &C, core: usize, to: &mut [u8]) -> Option<usize> {
        let count = bytes(self.0);
        to.get_mut(..count)?.copy_from_slice(&chip.register(core, self.0).to_le_bytes()[..count]);
        Some(count)
    }

    /// Sets it. False if it cannot be set.
    pub fn write(&self, chip: &mut C, core: usize, from: &[u8]) -> bool {
        from.len() == bytes(self.0) && set_if_changed(chip, core, self.0, little_endian(from))
    }
}

impl<C: DebugTarget> RegId for RegisterNumber<C> {
    fn from_raw_id(number: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        let register = gdb_registers::<C>().nth(number)?;
        Some((Self(register, PhantomData), NonZeroUsize::new(bytes(register))))
    }
}

/// Sets a register, unless it has that value: a core whose PC is set forgets what it was about to do. False if it cannot be
/// set.
pub fn set_if_changed<C: DebugTarget>(chip: &mut C, core: usize, register: Register, value: u64) -> bool {
    chip.register(core, register) == value || chip.set_register(core, register, value)
}
