//! The registers of a device on a bus, as a TOML file describes them.

use serde::Deserialize;
use std::collections::BTreeMap;

/// Registers of a device whose pointer has two bytes, the most that there are.
const MOST: usize = 1 << 16;

/// What the table `registers` of a file holds, by number.
pub(super) type Contents = BTreeMap<String, Content>;

/// What a register holds, or several from it on.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Content {
    One(u8),
    Several(Vec<u8>),
}

/// Registers that are read and written through a pointer.
#[derive(Clone, Debug, Hash)]
pub(super) struct RegisterMap {
    registers: Vec<u8>,
    read_only: Vec<bool>,
    pointer: usize,
    auto_increment: bool,
}

impl RegisterMap {
    /// So many registers, a power of two. Keys of `contents` and entries of `read_only` are numbers, decimal or with `0x`, of
    /// which the bits in `ignored` do not count.
    ///
    /// # Errors
    ///
    /// What is wrong, and where.
    pub fn new(
        size: usize,
        ignored: usize,
        contents: &Contents,
        read_only: &[String],
        auto_increment: bool,
    ) -> Result<Self, String> {
        let mut map = Self { registers: vec![0; size], read_only: vec![false; size], pointer: 0, auto_increment };
        for (key, content) in contents {
            let bytes = match content {
                Content::One(byte) => std::slice::from_ref(byte),
                Content::Several(bytes) => bytes,
            };
            let first = number(key)? & !ignored;
            let place = map.registers.get_mut(first..first + bytes.len());
            let place = place.ok_or_else(|| format!("register {key}: there are only {size} registers"))?;
            place.copy_from_slice(bytes);
        }
        for key in read_only {
            let register = map.read_only.get_mut(number(key)? & !ignored);
            *register.ok_or_else(|| format!("read_only register {key}: there are only {size} registers"))? = true;
        }
        Ok(map)
    }

    /// Points to another register.
    pub fn point_to(&mut self, register: usize) {
        self.pointer = register % self.registers.len();
    }

    /// The pointer gets another byte, its lowest.
    pub fn shift_pointer(&mut self, byte: u8) {
        self.point_to(self.pointer << 8 | usize::from(byte));
    }

    /// Writes to the register that it points to.
    pub fn write(&mut self, byte: u8) {
        if !self.read_only[self.pointer] {
            self.registers[self.pointer] = byte;
        }
        self.advance();
    }

    /// Reads the register that it points to.
    pub fn read(&mut self) -> u8 {
        let byte = self.registers[self.pointer];
        self.advance();
        byte
    }

    fn advance(&mut self) {
        if self.auto_increment {
            self.point_to(self.pointer + 1);
        }
    }
}

/// For fields of a description that are true unless the file says otherwise.
pub(super) fn yes() -> bool {
    true
}

/// Reads a description.
///
/// # Errors
///
/// What is wrong with it, and where.
pub(super) fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|why| why.to_string().trim_end().to_owned())
}

/// A number, decimal or with `0x`.
fn number(text: &str) -> Result<usize, String> {
    let found = text.strip_prefix("0x").map_or_else(|| text.parse(), |digits| usize::from_str_radix(digits, 16));
    found.ok().filter(|&found| found < MOST).ok_or_else(|| format!("{text:?} is no number of a register"))
}
