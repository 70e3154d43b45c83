//! A device on an I2C bus: registers that are read and written through a pointer, described by a TOML file.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::hash::Hash;

/// Addresses that are no device's: those below 0x08 and from 0x78 on have other meanings (I2C specification, 3.1.12).
const ADDRESSES: std::ops::RangeInclusive<u8> = 0x08..=0x77;
/// Registers of a device whose pointer has two bytes, at most.
const REGISTERS: usize = 1 << 16;

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
    registers: BTreeMap<String, Content>,
}

fn one() -> u8 {
    1
}

fn yes() -> bool {
    true
}

/// What a register holds, or several from it on.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    One(u8),
    Several(Vec<u8>),
}

/// A device and its state.
#[derive(Clone, Debug, Hash)]
pub struct Device {
    address: u8,
    pointer_bytes: u8,
    auto_increment: bool,
    registers: Vec<u8>,
    read_only: Vec<bool>,
    pointer: usize,
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
        let found: Description = toml::from_str(text).map_err(|why| why.to_string().trim_end().to_owned())?;
        if !ADDRESSES.contains(&found.address) {
            return Err(format!("address {:#04x}: devices have 0x08 to 0x77", found.address));
        }
        let size = match found.pointer_bytes {
            0 => 1,
            1 => 1 << 8,
            2 => REGISTERS,
            other => return Err(format!("pointer_bytes = {other}: expected 0, 1 or 2")),
        };
        let (mut registers, mut read_only) = (vec![0; size], vec![false; size]);
        for (key, content) in &found.registers {
            let (first, bytes) = (number(key)?, if let Content::Several(all) = content { all } else { &vec![] });
            let bytes = if let Content::One(byte) = content { std::slice::from_ref(byte) } else { bytes };
            let place = registers.get_mut(first..first + bytes.len());
            let place = place.ok_or_else(|| format!("register {key}: there are only {size} registers"))?;
            place.copy_from_slice(bytes);
        }
        for key in &found.read_only {
            let register = read_only.get_mut(number(key)?);
            *register.ok_or_else(|| format!("read_only register {key}: there are only {size} registers"))? = true;
        }
        Ok(Self {
            address: found.address,
            pointer_bytes: found.pointer_bytes,
            auto_increment: found.auto_increment,
            registers,
            read_only,
            pointer: 0,
            awaited: 0,
        })
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
            self.pointer = (self.pointer << 8 | usize::from(byte)) % self.registers.len();
            return;
        }
        if !self.read_only[self.pointer] {
            self.registers[self.pointer] = byte;
        }
        self.advance();
    }

    /// Gives a byte.
    pub fn read(&mut self) -> u8 {
        let byte = self.registers[self.pointer];
        self.advance();
        byte
    }

    fn advance(&mut self) {
        if self.auto_increment {
            self.pointer = (self.pointer + 1) % self.registers.len();
        }
    }
}

/// A number, decimal or with `0x`.
fn number(text: &str) -> Result<usize, String> {
    let found = text.strip_prefix("0x").map_or_else(|| text.parse(), |digits| usize::from_str_radix(digits, 16));
    found.ok().filter(|&found| found < REGISTERS).ok_or_else(|| format!("{text:?} is no number of a register"))
}
