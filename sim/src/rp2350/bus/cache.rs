//! The cache of external memory: 16 kB, two ways, lines of 8 bytes, random replacement (DS 4.4.1).

use crate::core::random::SplitMix64;
use std::hash::{Hash, Hasher};

/// Lines of a way.
const SETS: usize = 1024;
const WAYS: usize = 2;
/// Bytes of a line.
pub const LINE: u32 = 8;
/// Address bits that external memory has, in each of its windows.
const SPACE: u32 = 0x3ff_ffff;

/// What a line of the cache holds: its number in external memory, above two bits, 0 if it holds nothing.
#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
pub struct Line(u32);

const CLEAN: u32 = 1;
const PINNED: u32 = 2;

impl Line {
    const INVALID: Self = Self(0);

    /// One that holds what is at an address, and may be replaced.
    fn clean(address: u32) -> Self {
        Self(number(address) << 2 | CLEAN)
    }

    fn pinned(address: u32) -> Self {
        Self(number(address) << 2 | PINNED)
    }

    fn is_pinned(self) -> bool {
        self.0 & PINNED != 0
    }

    fn holds(self, number: u32) -> bool {
        self != Self::INVALID && self.0 >> 2 == number
    }
}

/// What an access to the cache finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The line.
    Line,
    /// Nothing: the line was fetched, and replaces another.
    Fetched,
    /// Nothing, and the line was not fetched, because a pinned one is where it should go.
    Uncached,
}

/// See the module. Which way is replaced comes from a generator with a fixed seed: the chip's is not documented.
#[derive(Clone, Debug)]
pub struct Cache {
    lines: Box<[[Line; WAYS]; SETS]>,
    /// What pinned lines hold, by way and set.
    words: Box<[u32; WAYS * SETS * 2]>,
    random: SplitMix64,
}

impl Default for Cache {
    fn default() -> Self {
        Self {
            lines: Box::new([[Line::default(); WAYS]; SETS]),
            words: Box::new([0; WAYS * SETS * 2]),
            random: SplitMix64(0x2350),
        }
    }
}

fn number(address: u32) -> u32 {
    (address & SPACE) / LINE
}

fn word(way: usize, address: u32) -> usize {
    (way * SETS + number(address) as usize % SETS) * 2 + (address >> 2 & 1) as usize
}

impl Cache {
    fn way(&self, address: u32) -> Option<usize> {
        let number = number(address);
        self.lines[number as usize % SETS].iter().position(|line| line.holds(number))
    }

    /// Where lines are, for native code.
    pub fn lines(&self) -> usize {
        self.lines.as_ptr() as usize
    }

    /// The offset from there of the ways for an address, and what one of them holds if a read of it is a hit that is not pinned.
    pub fn ways(address: u32) -> ([usize; WAYS], u32) {
        let set = number(address) as usize % SETS;
        ([0, 1].map(|way| size_of::<Line>() * (WAYS * set + way)), Line::clean(address).0)
    }

    /// Whether the line of an address is in it.
    pub fn holds(&self, address: u32) -> bool {
        self.way(address).is_some()
    }

    /// The place of a word in the cache, if its line is pinned.
    pub fn peek_place(&self, address: u32) -> Option<usize> {
        let way = self.way(address)?;
        let line = self.lines[number(address) as usize % SETS][way];
        line.is_pinned().then(|| word(way, address))
    }

    /// A word whose line is pinned.
    pub fn peek(&self, address: u32) -> Option<u32> {
        self.peek_place(address).map(|place| self.words[place])
    }

    /// An access to an address.
    pub fn access(&mut self, address: u32) -> Found {
        let number = number(address);
        let set = number as usize % SETS;
        if self.way(address).is_some() {
            return Found::Line;
        }
        let way = self.lines[set].iter().position(|&line| line == Line::INVALID);
        let way = way.unwrap_or_else(|| (self.random.next_u64() >> 63) as usize);
        if self.lines[set][way].is_pinned() {
            return Found::Uncached;
        }
        self.lines[set][way] = Line::clean(address);
        Found::Fetched
    }

    /// A word of a pinned line.
    pub fn word_mut(&mut self, place: usize) -> &mut u32 {
        &mut self.words[place % (WAYS * SETS * 2)]
    }

    /// A write to the maintenance window (DS 4.4.1.1). Nothing is ever dirty: writes go past the cache.
    pub fn maintain(&mut self, address: u32) {
        let (set, way) = (number(address) as usize % SETS, (address >> 13 & 1) as usize);
        match address & 7 {
            0 => self.lines[set][way] = Line::INVALID,
            2 | 7 => {
                if let Some(found) = self.way(address) {
                    self.lines[set][found] = Line::INVALID;
                }
                if address & 7 == 7 {
                    self.lines[set][way] = Line::pinned(address);
                }
            }
            _ => {}
        }
    }
}

impl Hash for Cache {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { lines, words, random } = self;
        (lines, words, random.0).hash(hasher);
    }
}
