//! A device on an SPI bus: registers that are read and written while its chip select is low, described by a TOML file.

use crate::rp2040::peripherals::register_map::{Contents, RegisterMap, parse, yes};
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
    #[serde(default = "read_bit")]
    read_bit: u8,
    #[serde(default = "yes")]
    auto_increment: bool,
    #[serde(default)]
    read_only: Vec<String>,
    registers: Contents,
}

fn read_bit() -> u8 {
    READ_BIT
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
    read_bit: u8,
    map: RegisterMap,
    next: Next,
}

impl Device {
    /// Reads a description. Keys of `registers` and entries of `read_only` are numbers, decimal or with `0x`; the bit that asks
    /// for a read may be set in them, as it is in the data sheets of some devices.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and where.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let Description { select, read_bit, auto_increment, read_only, registers } = parse(text)?;
        if select >= PINS {
            return Err(format!("select = {select}: pins are GPIO 0 to {}", PINS - 1));
        }
        if read_bit.count_ones() > 1 {
            return Err(format!(
                "read_bit = {read_bit:#04x}: expected one bit, such as 0x80, or 0 for a device without reads"
            ));
        }
        let map = RegisterMap::new(1 << 8, usize::from(read_bit), &registers, &read_only, auto_increment)?;
        Ok(Self { select, read_bit, map, next: Next::Nothing })
    }

    /// The pin of bank 0 that selects it while it is low.
    pub fn select(&self) -> u8 {
        self.select
    }

    /// Whether it is selected.
    pub(super) fn is_selected(&self) -> bool {
        self.next != Next::Nothing
    }

    /// The level of its chip select.
    pub(super) fn set_select(&mut self, high: bool) {
        if high {
            self.next = Next::Nothing;
        } else if self.next == Next::Nothing {
            self.next = Next::Number;
        }
    }

    /// Takes a byte, and gives one at the same time. It gives 0 while it learns what is asked for.
    pub(super) fn exchange(&mut self, byte: u8) -> u8 {
        match self.next {
            Next::Nothing => return 0,
            Next::Number => {
                self.map.point_to(usize::from(byte & !self.read_bit));
                self.next = if byte & self.read_bit != 0 { Next::Read } else { Next::Write };
            }
            Next::Read => return self.map.read(),
            Next::Write => self.map.write(byte),
        }
        0
    }
}
