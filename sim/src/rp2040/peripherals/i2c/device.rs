//! A device on an I2C bus: registers that are read and written through a pointer, described by a TOML file.

use crate::rp2040::peripherals::register_map::{Contents, RegisterMap, parse, yes};
use serde::Deserialize;
use std::hash::Hash;

/// Addresses that are no device's: those below 0x08 and from 0x78 on have other meanings (I2C specification, 3.1.12).
const ADDRESSES: std::ops::RangeInclusive<u8> = 0x08..=0x77;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    address: u8,
    #[serde(default = "one")]
    pointer_bytes: u8,
    #[serde(default = "yes")]
    auto_increment: bool,
    #[serde(default)]
    read_only: Vec<String>,
    registers: Contents,
}

fn one() -> u8 {
    1
}

/// A device and its state.
#[derive(Clone, Debug, Hash)]
pub struct Device {
    address: u8,
    pointer_bytes: u8,
    map: RegisterMap,
    /// Bytes of the pointer that the transfer under way has still to bring.
    awaited: u8,
}

impl Device {
    /// Reads a description. Keys of `registers` and entries of `read_only` are numbers, decimal or with `0x`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and where.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let Description { address, pointer_bytes, auto_increment, read_only, registers } = parse(text)?;
        if !ADDRESSES.contains(&address) {
            return Err(format!("address {address:#04x}: devices have 0x08 to 0x77"));
        }
        let size = match pointer_bytes {
            0 => 1,
            1 => 1 << 8,
            2 => 1 << 16,
            other => return Err(format!("pointer_bytes = {other}: expected 0, 1 or 2")),
        };
        let map = RegisterMap::new(size, 0, &registers, &read_only, auto_increment)?;
        Ok(Self { address, pointer_bytes, map, awaited: 0 })
    }

    /// Its address, of seven bits.
    pub fn address(&self) -> u8 {
        self.address
    }

    /// Is addressed; what is written then begins with the pointer.
    pub fn start(&mut self) {
        self.awaited = self.pointer_bytes;
    }

    /// Takes a byte.
    pub fn write(&mut self, byte: u8) {
        if self.awaited > 0 {
            self.awaited -= 1;
            self.map.shift_pointer(byte);
        } else {
            self.map.write(byte);
        }
    }

    /// Gives a byte.
    pub fn read(&mut self) -> u8 {
        self.map.read()
    }
}
