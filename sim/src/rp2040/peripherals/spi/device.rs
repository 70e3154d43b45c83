//! A device on an SPI bus, described by a TOML file: registers that are read and written while its chip select is low, or a flash
//! chip.

use super::flash::Chip;
use crate::core::time::Cycle;
use crate::rp2040::peripherals::Context;
use crate::rp2040::peripherals::register_map::{Contents, RegisterMap, parse};
use serde::Deserialize;
use std::hash::Hash;

/// Pins of bank 0, of which one selects it.
const PINS: u8 = 30;
/// The bit of a register's number that most devices take for a read.
const READ_BIT: u8 = 0x80;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    select: u8,
    flash: Option<FlashType>,
    registers: Option<Contents>,
    read_bit: Option<u8>,
    auto_increment: Option<bool>,
    #[serde(default)]
    read_only: Vec<String>,
}

/// Flash chips.
#[derive(Deserialize)]
enum FlashType {
    W25Q16JV,
}

/// What the next byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Next {
    /// None: it is not selected.
    Nothing,
    /// The number of a register, and whether it is to be read.
    Number,
    Read,
    Write,
}

/// A device and its state.
#[derive(Clone, Debug, Hash)]
pub struct Device {
    select: u8,
    kind: Kind,
}

#[derive(Clone, Debug, Hash)]
enum Kind {
    Registers { read_bit: u8, map: RegisterMap, next: Next },
    Flash(Chip),
}

impl Device {
    /// Reads a description. Keys of `registers` and entries of `read_only` are numbers, decimal or with `0x`; the bit that asks
    /// for a read may be set in them, as it is in the data sheets of some devices.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and where.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let description: Description = parse(text)?;
        let select = description.select;
        if select >= PINS {
            return Err(format!("select = {select}: pins are GPIO 0 to {}", PINS - 1));
        }
        Ok(Self { select, kind: description.kind()? })
    }

    /// The pin of bank 0 that selects it while it is low.
    pub fn select(&self) -> u8 {
        self.select
    }

    /// Whether it is selected.
    pub(super) fn is_selected(&self) -> bool {
        match &self.kind {
            Kind::Registers { next, .. } => *next != Next::Nothing,
            Kind::Flash(chip) => chip.is_selected(),
        }
    }

    /// The level of its chip select from cycle `from` on.
    pub(super) fn set_select(&mut self, high: bool, from: Cycle, context: &mut Context<'_>) {
        match &mut self.kind {
            Kind::Registers { next, .. } if high => *next = Next::Nothing,
            Kind::Registers { next: next @ Next::Nothing, .. } => *next = Next::Number,
            Kind::Registers { .. } => {}
            Kind::Flash(chip) => chip.set_select(high, from, context),
        }
    }

    /// Takes a byte, and gives one at the same time. It gives 0 while it learns what is asked for.
    pub(super) fn exchange(&mut self, byte: u8, context: &mut Context<'_>) -> u8 {
        let (read_bit, map, next) = match &mut self.kind {
            Kind::Flash(chip) => return chip.exchange(byte, context),
            Kind::Registers { read_bit, map, next } => (*read_bit, map, next),
        };
        match next {
            Next::Nothing => return 0,
            Next::Number => {
                map.point_to(usize::from(byte & !read_bit));
                *next = if byte & read_bit != 0 { Next::Read } else { Next::Write };
            }
            Next::Read => return map.read(),
            Next::Write => map.write(byte),
        }
        0
    }
}

impl Description {
    fn kind(self) -> Result<Kind, String> {
        let Self { flash, registers, read_bit, auto_increment, read_only, .. } = self;
        let registers = match (flash, registers) {
            (Some(FlashType::W25Q16JV), None)
                if read_bit.is_none() && auto_increment.is_none() && read_only.is_empty() =>
            {
                return Ok(Kind::Flash(Chip::new()));
            }
            (None, Some(registers)) => registers,
            (None, None) => return Err("expected registers, or flash = \"W25Q16JV\"".to_owned()),
            (Some(_), _) => {
                return Err("flash: the chip has no registers, so only select stands beside it".to_owned());
            }
        };
        let read_bit = read_bit.unwrap_or(READ_BIT);
        if read_bit.count_ones() > 1 {
            return Err(format!(
                "read_bit = {read_bit:#04x}: expected one bit, such as 0x80, or 0 for a device without reads"
            ));
        }
        let auto_increment = auto_increment.unwrap_or(true);
        let map = RegisterMap::new(1 << 8, usize::from(read_bit), &registers, &read_only, auto_increment)?;
        Ok(Kind::Registers { read_bit, map, next: Next::Nothing })
    }
}
