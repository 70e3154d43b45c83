//! Execute in place: the flash window, its cache, and what a miss costs (DS 2.6.3, 4.10).

use crate::core::access::Width;
use crate::core::access::merge;
use crate::core::diagnostics::Diagnostics;
use crate::core::time::Cycle;
use crate::engine::fast_bus::FlashCache;
use crate::engine::mru_words::DemotedLines;
use crate::rp2::flash::Surroundings;
use crate::rp2::registration::aliased;
use crate::rp2040::bus::memory::Memory;
use crate::rp2040::bus::ssi::Ssi;
use crate::rp2040::bus::{APB_READ, APB_WRITE, Fault, INTERPOSED};

/// First address of flash, in the view that is read through the cache.
pub(crate) const FLASH: u32 = 0x1000_0000;
/// Bits 31:24 of the addresses of `XIP_CTRL`, and of the SSI.
pub(crate) const XIP_CTRL: u32 = 0x14;
pub(crate) const XIP_SSI: u32 = 0x18;
/// Sets of the cache: 16 kB in two ways of 8-byte lines.
const SETS: usize = 1024;
const LINE_BYTES: u32 = 8;
/// Cycles that a flush holds the cache: one per set and a little (DS 2.6.3.2: "just over 1024 cycles").
const FLUSH: Cycle = SETS as Cycle + 1;
const FLASH_BUSY: &str = "code or data are read from flash while it is given commands, erases or programs: all bits read as \
                         1 (flash-busy)";
/// A tag that no address has: lines are empty after reset.
const EMPTY: u16 = u16::MAX;

/// One line: a tag, and for each of its two words whether it is there. The serial interface transfers no more than 32 bits
/// at a time, so that a miss fills one word (A. Wren, raspberrypi/pico-feedback issue 307).
#[derive(Clone, Copy, Debug, Hash)]
struct Line {
    tag: u16,
    present: u8,
}

/// Cache, its control registers, and the serial interface behind it.
#[derive(Clone, Debug, Hash)]
#[allow(clippy::struct_excessive_bools)] // three are bits of CTRL
pub struct Xip {
    lines: Box<[[Line; 2]; SETS]>,
    /// Way to replace next, by set. (The policy is not documented; an empty way, else the least recently used one, is assumed.)
    oldest: Box<[u8; SETS]>,
    enabled: bool,
    bad_write_faults: bool,
    powered_down: bool,
    flushed_at: Cycle,
    hits: u32,
    accesses: u32,
    /// The cache memory was written in the cycle before this one.
    wrote_until: Cycle,
    demoted: DemotedLines,
    /// The read of the window that is under way gets no answer from the flash.
    unanswered: bool,
    /// The serial interface.
    pub ssi: Ssi,
}

impl Xip {
    pub(crate) fn new() -> Self {
        let empty = Line { tag: EMPTY, present: 0 };
        Self {
            lines: Box::new([[empty; 2]; SETS]),
            oldest: Box::new([0; SETS]),
            enabled: true,
            bad_write_faults: true,
            powered_down: false,
            flushed_at: 0,
            hits: 0,
            accesses: 0,
            wrote_until: 0,
            demoted: DemotedLines::default(),
            unanswered: false,
            ssi: Ssi::new(),
        }
    }

    /// Hits and accesses counted so far, as `CTR_HIT` and `CTR_ACC`.
    pub fn counters(&self) -> (u32, u32) {
        (self.hits, self.accesses)
    }

    /// Empties the cache, at no cost in time.
    pub fn flush(&mut self) {
        self.lines.fill([Line { tag: EMPTY, present: 0 }; 2]);
        self.demoted.add_all();
    }

    /// Address phase: cycles of the data phase. Whether the flash `answers` if it has to.
    pub(crate) fn begin(&mut self, address: u32, write: bool, now: Cycle, answers: bool) -> Cycle {
        match address >> 24 {
            0x10..=0x13 => {
                let wait = self.flushed_at.saturating_sub(now);
                wait + if write { 1 } else { self.lookup(address, answers) }
            }
            // A read right after a write waits a cycle (DS 2.6.3.1).
            0x15 if write => {
                self.wrote_until = now + 2;
                1
            }
            0x15 => 1 + self.wrote_until.saturating_sub(now).min(1),
            0x14 if !write && address & 0xff == 0x04 => 1 + self.flushed_at.saturating_sub(now),
            // The serial interface is an APB block; that its bridge costs what the other one does is an assumption. Its atomic
            // aliases are an interposer's work (DS 2.1.2).
            0x18 if write && address >> 12 & 3 != 0 => APB_WRITE + INTERPOSED,
            0x18 if write => APB_WRITE,
            0x18 => APB_READ,
            _ => 1,
        }
    }

    /// Whether a read in cycle `now` is a hit, and in which way.
    #[inline]
    pub(crate) fn holds(&self, address: u32, now: Cycle) -> Option<u32> {
        if self.is_ready(now) { self.way_of(address) } else { None }
    }

    /// Whether no flush is under way in cycle `now`, so that a hit takes no longer.
    pub(crate) fn is_ready(&self, now: Cycle) -> bool {
        now >= self.flushed_at
    }

    /// A read of what a way of the cache `holds`.
    #[inline]
    pub(crate) fn hit(&mut self, address: u32, way: u32) {
        self.count_hits(1);
        self.use_way(Self::set_of(address), way as usize);
    }

    /// Makes a way the most recently used one of its set.
    #[inline]
    fn use_way(&mut self, set: usize, way: usize) {
        let other = way as u8 ^ 1;
        if self.oldest[set] != other {
            self.oldest[set] = other;
            self.demoted.add(self.line(set, u32::from(other)));
        }
    }

    /// A read of the window: 1 cycle for a hit ("1 cycle hit", DS 2.6.3.1), else the wire.
    fn lookup(&mut self, address: u32, answers: bool) -> Cycle {
        self.accesses = self.accesses.saturating_add(1);
        let miss = 1 + self.ssi.transfer_cycles();
        let (checks, allocates) = match address >> 24 {
            0x10 => (true, true),
            0x11 => (true, false),
            0x12 => (false, true),
            _ => (false, false),
        };
        self.unanswered = !answers;
        if !self.enabled {
            return miss;
        }
        let (set, tag, half) = split(address);
        let found = self.lines[set].iter().position(|line| line.tag == tag);
        let hit = found.is_some_and(|way| self.lines[set][way].present & half != 0);
        if checks && hit {
            self.unanswered = false;
            self.hits = self.hits.saturating_add(1);
        }
        if (checks && hit) || (allocates && answers) {
            self.touch(set, tag, half, found);
        }
        if checks && hit { 1 } else { miss }
    }

    /// The address of the line that the one of an address would replace, if that has to come.
    pub(crate) fn line_replaced_for(&self, address: u32) -> Option<u32> {
        let (set, tag, _) = split(address);
        let lines = &self.lines[set];
        let old = lines[usize::from(self.oldest[set])].tag;
        let replaces = old != EMPTY && lines.iter().all(|line| line.tag != tag);
        replaces.then(|| self.line(set, u32::from(self.oldest[set])))
    }

    /// Makes a word present and its line the youngest of its set.
    fn touch(&mut self, set: usize, tag: u16, half: u8, found: Option<usize>) {
        let way = found.unwrap_or_else(|| {
            let way = usize::from(self.oldest[set]);
            self.demoted.add(self.line(set, way as u32));
            self.lines[set][way] = Line { tag, present: 0 };
            way
        });
        self.lines[set][way].present |= half;
        self.use_way(set, way);
    }

    /// Forgets the line of an address, so that its place is the next to be used.
    pub(crate) fn forget(&mut self, address: u32) {
        let (set, tag, _) = split(address);
        if let Some(way) = self.lines[set].iter().position(|line| line.tag == tag) {
            self.demoted.add(self.line(set, way as u32));
            self.lines[set][way] = Line { tag: EMPTY, present: 0 };
            self.oldest[set] = way as u8;
        }
    }

    pub(crate) fn read(
        &mut self,
        address: u32,
        now: Cycle,
        around: &mut Surroundings<'_, Memory>,
    ) -> Result<u32, Fault> {
        match address >> 24 {
            // Its pads float; ones are assumed. So is that the cache does not keep them: who does this flushes it.
            0x10..=0x13 if std::mem::take(&mut self.unanswered) => {
                around.diagnostics.remark("XIP", FLASH_BUSY, now);
                Ok(u32::MAX)
            }
            0x10..=0x13 => Ok(around.memory.flash(address & 0xff_ffff)),
            0x15 if !self.enabled => Ok(around.memory.cache[address as usize >> 2 & 0xfff]),
            0x14 => Ok(self.read_control(address & 0xfc, now, around.diagnostics)),
            0x18 => Ok(self.ssi.read(address & 0xfc, now, around)),
            _ => Err(Fault),
        }
    }

    /// A word of flash or of the cache's memory, without side effects.
    pub(crate) fn peek(address: u32, memory: &Memory) -> Option<u32> {
        match address >> 24 {
            0x10..=0x13 => Some(memory.flash(address & 0xff_ffff)),
            0x15 => Some(memory.cache[address as usize >> 2 & 0xfff]),
            _ => None,
        }
    }

    pub(crate) fn write(
        &mut self,
        address: u32,
        value: u32,
        width: Width,
        now: Cycle,
        around: &mut Surroundings<'_, Memory>,
    ) -> Result<(), Fault> {
        match address >> 24 {
            0x10 => self.forget(address),
            0x11..=0x13 if self.bad_write_faults => return Err(Fault),
            0x11..=0x13 => {}
            0x15 if !self.enabled => {
                let word = &mut around.memory.cache[address as usize >> 2 & 0xfff];
                let pipeline = value >> ((address & 3) * 8);
                *word = merge(*word, address, width, pipeline);
            }
            0x14 => self.write_control(address & 0x30fc, value, now, around.diagnostics),
            0x18 => self.ssi.write(address & 0x30fc, value, now, around),
            _ => return Err(Fault),
        }
        Ok(())
    }

    /// Control registers by offset: table 157.
    fn read_control(&self, offset: u32, now: Cycle, diagnostics: &mut Diagnostics) -> u32 {
        match offset {
            0x00 => u32::from(self.enabled) | u32::from(self.bad_write_faults) << 1 | u32::from(self.powered_down) << 3,
            // FLUSH; the registers of streaming are in `peripherals/xip_stream.rs`.
            0x04 | 0x14..=0x1c => 0,
            // STAT.FLUSH_READY.
            0x08 => u32::from(now >= self.flushed_at),
            0x0c => self.hits,
            0x10 => self.accesses,
            _ => {
                diagnostics.unmodelled("XIP_CTRL", offset, "reading", now);
                0
            }
        }
    }

    fn write_control(&mut self, offset: u32, value: u32, now: Cycle, diagnostics: &mut Diagnostics) {
        match offset & 0xfc {
            0x00 => {
                let old = self.read_control(0, now, diagnostics);
                let value = aliased(offset, old, value);
                self.enabled = value & 1 != 0;
                self.bad_write_faults = value & 2 != 0;
                self.powered_down = value & 8 != 0;
                self.demoted.add_all();
            }
            0x04 => {
                self.flush();
                self.flushed_at = now + FLUSH;
            }
            0x0c => self.hits = 0,
            0x10 => self.accesses = 0,
            0x08 | 0x14..=0x1c => {}
            other => diagnostics.unmodelled("XIP_CTRL", other, "writing", now),
        }
    }
}

impl FlashCache for Xip {
    const LINE_BYTES: u32 = LINE_BYTES;
    const SETS: usize = SETS;

    #[inline]
    fn way_of(&self, address: u32) -> Option<u32> {
        let (set, tag, half) = split(address);
        let [zero, one] = self.lines[set];
        let plain = address >> 24 == 0x10 && self.enabled;
        if plain && zero.tag == tag && zero.present & half != 0 {
            return Some(0);
        }
        (plain && one.tag == tag && one.present & half != 0).then_some(1)
    }

    fn line(&self, set: usize, way: u32) -> u32 {
        let set = set & (SETS - 1);
        u32::from(self.lines[set][way as usize & 1].tag) << 13 | (set as u32) << 3 | FLASH
    }

    #[inline]
    fn lru(&self, set: usize) -> u8 {
        self.oldest[set & (SETS - 1)]
    }

    #[inline]
    fn set_lru(&mut self, set: usize, way: u8) {
        self.oldest[set & (SETS - 1)] = way;
    }

    #[inline]
    fn demoted(&mut self) -> &mut DemotedLines {
        &mut self.demoted
    }

    fn hits(&self) -> u32 {
        self.hits
    }

    fn accesses(&self) -> u32 {
        self.accesses
    }

    fn count_hits(&mut self, hits: u32) {
        self.accesses = self.accesses.saturating_add(hits);
        self.hits = self.hits.saturating_add(hits);
    }

    fn uncount_hits(&mut self, hits: u32) {
        self.accesses -= hits;
        self.hits -= hits;
    }

    fn nears_counter_end(&self, accesses: u32) -> bool {
        self.hits.max(self.accesses) > u32::MAX - accesses
    }
}

/// Set, tag, and bit of the word in its line.
fn split(address: u32) -> (usize, u16, u8) {
    (Xip::set_of(address), (address >> 13 & 0x7ff) as u16, 1 << (address >> 2 & 1))
}
