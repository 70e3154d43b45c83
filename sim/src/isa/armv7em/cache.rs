//! The data cache of a Cortex-M7: lines hold data of their own, stale where software omits maintenance.
//!
//! 4 ways of 32-byte lines; the policy of an address is the MPU's ([`super::mpu`]). The replacement policy is documented as
//! "pseudo-random" only (Cortex-M7 TRM 5.4): here it is round robin. There is no prefetch. The instruction cache is not
//! modelled: code is always fetched from memory.

use crate::core::access::{Width, merge};
use crate::isa::armv7em::bus::{Bus, BusError, Event};
use crate::isa::armv7em::mpu::Policy;

/// Bytes of a line.
pub const LINE: u32 = 32;
const WAYS: usize = 4;

/// Maintenance operations of the system control space, by set and way or by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maintenance {
    Invalidate,
    Clean,
    CleanAndInvalidate,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Line {
    /// Address of its first byte.
    address: u32,
    valid: bool,
    dirty: bool,
    words: [u32; (LINE / 4) as usize],
}

/// The cache's lines.
#[derive(Clone, Debug, Hash)]
pub struct Cache {
    /// Set by set.
    lines: Vec<Line>,
    /// The way of each set to be evicted next.
    victims: Vec<u8>,
    /// Lines that have not been invalidated since the reset.
    uninvalidated: Vec<bool>,
}

impl Cache {
    /// A cache of `bytes` bytes (a power of two, at least 128) after reset.
    pub(crate) fn new(bytes: u32) -> Self {
        let lines = (bytes / LINE) as usize;
        Self { lines: vec![Line::default(); lines], victims: vec![0; lines / WAYS], uninvalidated: vec![true; lines] }
    }

    fn sets(&self) -> usize {
        self.victims.len()
    }

    /// The set of an address; there are 2^n of them.
    #[inline]
    fn set(&self, address: u32) -> usize {
        (address / LINE) as usize & (self.sets() - 1)
    }

    /// CCSIDR: write-through, write-back, read and write allocation; sets, ways, words of a line.
    pub(crate) fn size_id(&self) -> u32 {
        0xf << 28 | (self.sets() as u32 - 1) << 13 | (WAYS as u32 - 1) << 3 | 1
    }

    /// Whether some line has not been invalidated since the reset.
    pub(crate) fn has_uninvalidated_lines(&self) -> bool {
        self.uninvalidated.contains(&true)
    }

    fn find(&self, address: u32) -> Option<usize> {
        let first = self.set(address) * WAYS;
        let wanted = address & !(LINE - 1);
        (first..first + WAYS).find(|&at| self.lines[at].valid && self.lines[at].address == wanted)
    }

    /// The cached word at an address, without side effects.
    pub(crate) fn peek(&self, address: u32) -> Option<u32> {
        self.find(address).map(|at| self.lines[at].words[word_of(address)])
    }

    /// Changes a byte without any effect, if its line is here.
    pub(crate) fn poke(&mut self, address: u32, byte: u8) {
        if let Some(at) = self.find(address) {
            let word = &mut self.lines[at].words[word_of(address)];
            *word = merge(*word, address, Width::Byte, u32::from(byte));
        }
    }

    pub(crate) fn read(&mut self, address: u32, width: Width, bus: &mut impl Bus) -> Result<u32, BusError> {
        let at = match self.find(address) {
            Some(at) => {
                bus.observe(Event::LineRead(address));
                at
            }
            None => self.fill(address, bus)?,
        };
        let part = self.lines[at].words[word_of(address)] >> ((address & 3) * 8);
        Ok(part & u32::MAX >> (32 - 8 * width.bytes()))
    }

    pub(crate) fn write(
        &mut self,
        address: u32,
        width: Width,
        value: u32,
        policy: Policy,
        bus: &mut impl Bus,
    ) -> Result<(), BusError> {
        let found = match (self.find(address), policy) {
            (None, Policy::WriteBackAndAllocate) => Some(self.fill(address, bus)?),
            (found, _) => found,
        };
        if let Some(at) = found {
            let (shift, mask) = ((address & 3) * 8, u32::MAX >> (32 - 8 * width.bytes()));
            let word = &mut self.lines[at].words[word_of(address)];
            *word = *word & !(mask << shift) | (value & mask) << shift;
            if policy != Policy::WriteThrough {
                if !std::mem::replace(&mut self.lines[at].dirty, true) {
                    bus.observe(Event::LineDirty(address));
                }
                return Ok(());
            }
        }
        bus.write(address, width, value)
    }

    /// Fills a line, evicting another one where the set is full.
    fn fill(&mut self, address: u32, bus: &mut impl Bus) -> Result<usize, BusError> {
        let set = self.set(address);
        let way = (0..WAYS).find(|way| !self.lines[set * WAYS + way].valid).unwrap_or_else(|| {
            let way = self.victims[set];
            self.victims[set] = (way + 1) % WAYS as u8;
            usize::from(way)
        });
        let at = set * WAYS + way;
        self.clean(at, bus);
        self.drop_line(at, bus);
        let first = address & !(LINE - 1);
        let mut words = [0; (LINE / 4) as usize];
        for (word, place) in words.iter_mut().zip((first..).step_by(4)) {
            *word = bus.read(place, Width::Word)?;
        }
        self.lines[at] = Line { address: first, valid: true, dirty: false, words };
        bus.observe(Event::LineFilled(first));
        Ok(at)
    }

    /// Writes a dirty line back. The data are lost where the bus answers with an error.
    fn clean(&mut self, at: usize, bus: &mut impl Bus) {
        let line = &mut self.lines[at];
        if line.valid && std::mem::take(&mut line.dirty) {
            for (word, place) in line.words.iter().zip((line.address..).step_by(4)) {
                let _ = bus.write(place, Width::Word, *word);
            }
            bus.observe(Event::LineCleaned(line.address));
        }
    }

    fn drop_line(&mut self, at: usize, bus: &mut impl Bus) {
        let line = &mut self.lines[at];
        if std::mem::take(&mut line.valid) {
            bus.observe(Event::LineInvalidated(line.address));
        }
    }

    fn maintain(&mut self, at: usize, operation: Maintenance, bus: &mut impl Bus) {
        if operation != Maintenance::Invalidate {
            self.clean(at, bus);
        }
        if operation != Maintenance::Clean {
            self.drop_line(at, bus);
            self.uninvalidated[at] = false;
        }
    }

    /// Maintains the line that holds an address.
    pub(crate) fn maintain_address(&mut self, address: u32, operation: Maintenance, bus: &mut impl Bus) {
        if let Some(at) = self.find(address) {
            self.maintain(at, operation, bus);
        }
    }

    /// Maintains the line of a `DCxSW` value: way in bits 31:30, set from bit 5 up.
    pub(crate) fn maintain_set_and_way(&mut self, value: u32, operation: Maintenance, bus: &mut impl Bus) {
        let set = self.set(value);
        self.maintain(set * WAYS + (value >> 30) as usize, operation, bus);
    }
}

fn word_of(address: u32) -> usize {
    (address % LINE / 4) as usize
}
