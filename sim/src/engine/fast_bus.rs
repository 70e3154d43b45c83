//! What a core reaches without asking for the bus cycle by cycle, if the chip has it: RAM, hits in the cache of the flash, and
//! registers whose reading or writing concerns nobody else.

use crate::core::access::Width;
use crate::core::bus::{Bus, Slave};
use crate::core::time::Cycle;
use crate::engine::access_tags::{AccessTag, AccessTags, CODE};
use crate::engine::cpu::Request;
use crate::engine::mru_words::DemotedLines;

/// Where memories are that code may be executed from.
#[derive(Clone, Copy, Debug)]
pub struct MemoryLayout {
    /// First address of RAM, in the view in which its words follow each other by index.
    pub ram: u32,
    /// Bytes of RAM.
    pub ram_bytes: u32,
    /// Of these, bytes of the first four banks, which take turns word by word; a power of two.
    pub striped_bytes: u32,
    /// Bytes of each bank behind them.
    pub bank_bytes: u32,
    /// The first bank; the others have the numbers behind it.
    pub first_bank: Slave,
    /// First address of a view of the striped banks one after the other.
    pub unstriped: u32,
    /// First address of flash, in the view that is read through its cache.
    pub flash: u32,
    /// The flash behind its cache.
    pub flash_slave: Slave,
}

impl MemoryLayout {
    /// Words of the striped banks.
    pub const fn striped_words(&self) -> u32 {
        self.striped_bytes / 4
    }

    /// Where a word of the striped banks, by index, stands in the unstriped view: in words from its beginning.
    pub const fn unstriped_word(&self, index: u32) -> u32 {
        (index & 3) * (self.striped_words() / 4) + index / 4
    }
}

/// Words from which instructions were decoded that are held no longer to be what memory holds. Whoever writes to memory notes
/// them here, and whoever holds decoded instructions drops them before it uses any.
#[derive(Clone, Debug, Default)]
pub struct StaleCode {
    /// Words of RAM, by index.
    pub ram: Vec<u32>,
    /// First and last offset of what was changed of the flash.
    pub flash: Option<(u32, u32)>,
}

impl StaleCode {
    /// A word of RAM is about to be written: if an instruction relies on it, that is noted.
    #[inline(always)]
    pub fn note_ram(&mut self, tags: &mut AccessTags, index: u32) {
        let tag = tags.of(index);
        if *tag & CODE != 0 {
            self.note_code(tag, index);
        }
    }

    #[cold]
    fn note_code(&mut self, tag: &mut AccessTag, index: u32) {
        *tag &= !CODE;
        self.ram.push(index);
    }

    /// The byte at an offset of the flash is another one.
    pub fn note_flash(&mut self, offset: u32) {
        let (first, last) = self.flash.unwrap_or((offset, offset));
        self.flash = Some((first.min(offset), last.max(offset)));
    }

    /// Whether nothing is noted.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.ram.is_empty() && self.flash.is_none()
    }
}

/// A cache of the flash with two ways in each set, of which the least recently used one is replaced, and counters of its hits
/// and accesses that stop at their ends.
pub trait FlashCache {
    /// Bytes of a line, a power of two.
    const LINE_BYTES: u32;
    /// How many sets there are, a power of two.
    const SETS: usize;

    /// The set that an address belongs to.
    #[inline(always)]
    fn set_of(address: u32) -> usize {
        (address / Self::LINE_BYTES) as usize & (Self::SETS - 1)
    }

    /// The way that has the word at an address, if no flush is under way.
    fn way_of(&self, address: u32) -> Option<u32>;

    /// The address of the line in a way of a set, or one that is no flash if there is none.
    fn line(&self, set: usize, way: u32) -> u32;

    /// The least recently used way of a set.
    fn lru(&self, set: usize) -> u8;

    /// Makes a way of a set the least recently used one.
    fn set_lru(&mut self, set: usize, way: u8);

    /// Lines that became the least recently used of their sets, or were taken away, other than by `set_lru`.
    fn demoted(&mut self) -> &mut DemotedLines;

    /// Hits counted so far.
    fn hits(&self) -> u32;

    /// Accesses counted so far.
    fn accesses(&self) -> u32;

    /// Counts hits, which are accesses, too.
    fn count_hits(&mut self, hits: u32);

    /// Undoes `count_hits`. No counter has reached its end since.
    fn uncount_hits(&mut self, hits: u32);

    /// Whether so many more accesses could take a counter to its end.
    fn nears_counter_end(&self, accesses: u32) -> bool;
}

/// Masters beside the two cores: one that reads, and one that writes.
pub(crate) const OTHER_MASTERS: usize = 2;
/// Their numbers, which say whose turn comes first. That the write master's does was measured: who waits where both meet in a bank
/// that a core had last (github.com/pipatron/pico-dma-copy-buffer-alignment).
pub(crate) const OTHER_MASTER_NUMBERS: [u8; OTHER_MASTERS] = [3, 2];

/// A bus with memories whose words a core may have without asking for each cycle.
pub trait FastBus: Bus {
    /// Where its memories are.
    const MEMORY: MemoryLayout;
    /// The cache of its flash.
    type Cache: FlashCache;
    /// The state of what both cores share of their I/O ports.
    type SharedIo: Clone + std::fmt::Debug + Default;

    /// The bank and index of the word of an address in RAM; none if it is elsewhere.
    fn locate_ram(address: u32) -> Option<(Slave, u32)>;

    /// Writes to a word of RAM from which no instruction was decoded; what was there.
    fn write_ram(&mut self, index: u32, address: u32, width: Width, value: u32) -> u32;

    /// Where words of RAM are, for native code.
    fn ram_address(&mut self) -> usize;

    /// The words of the flash.
    fn flash(&self) -> &[u32];

    /// Who relies on words of RAM.
    fn tags(&mut self) -> &mut AccessTags;

    /// What is held decoded and should not be.
    fn stale_code(&mut self) -> &mut StaleCode;

    /// The cache of the flash.
    fn cache(&self) -> &Self::Cache;

    /// The same, to change it.
    fn cache_mut(&mut self) -> &mut Self::Cache;

    /// Whether a hit in the flash cache would take no longer than its cycle, at cycle `now`.
    fn is_flash_ready(&self, now: Cycle) -> bool;

    /// Whether an address is one of the core's own I/O port.
    fn is_io(address: u32) -> bool;

    /// The port of the registers that an address is among, and the cycles that a read holds it.
    fn register_port(address: u32) -> Option<(Slave, u32)>;

    /// Whether reading or writing an address of a core's I/O port has no effect outside it: no interrupt, no later event. It stays
    /// so for as long as no register behind a bridge is written, but for those of `write_register`.
    fn is_event_free_io(&self, address: u32) -> bool;

    /// Whether that gives and changes the same whatever the time is.
    fn is_timeless_io(address: u32) -> bool;

    /// What both cores share of what an access to an address reads or changes at the I/O port, a bit each.
    fn shared_io(address: u32) -> u64;

    /// The state of that.
    fn shared_io_state(&self) -> Self::SharedIo;

    /// Brings some of it back.
    fn restore_io(&mut self, state: &Self::SharedIo, shared: u64);

    /// A register of a core's I/O port that stays as it is for as long as nobody changes anything there.
    fn read_stable_io(&self, core: u8, address: u32) -> Option<u32>;

    /// A core reads its I/O port in cycle `now`, which is event-free.
    fn read_event_free_io(&mut self, core: u8, address: u32, now: Cycle) -> u32;

    /// The same of a write.
    fn write_event_free_io(&mut self, core: u8, address: u32, value: u32, now: Cycle);

    /// Whether a core may read so many registers of a port, one after the other from cycle `now` on: the port is free, and the
    /// reads concern nobody else, as they take nothing away and no peripheral does anything meanwhile.
    fn may_read_registers(&self, first: u32, count: u32, now: Cycle) -> bool;

    /// Whether a register of a port always reads as `peek_register` says: reading it takes nothing away, and latches nothing.
    fn may_peek_register(address: u32) -> bool;

    /// What a register reads as in cycle `at`, if nothing is due before.
    fn peek_register(&self, address: u32, at: Cycle) -> u32;

    /// The first cycle after `at` in which a register may read as something else, if nothing is due before.
    fn register_stays_until(&self, address: u32, at: Cycle) -> Cycle;

    /// The cycle in which something at a register is next due.
    fn next_register_event(&self) -> Cycle;

    /// Whether a register that is read many times has to `catch_up` each time. It only saves time: `peek_register` would go all
    /// the way from the last access again and again.
    fn must_catch_up(address: u32) -> bool;

    /// A register was read in cycle `at`, last of many times.
    fn catch_up_register(&mut self, address: u32, at: Cycle);

    /// Whether writes to a register of a port may concern nobody else.
    fn may_write_register(address: u32) -> bool;

    /// A core writes a register of a port, which it holds for cycle `now`: the port. None, and nothing is done, if that takes
    /// longer or concerns others.
    fn write_register(&mut self, address: u32, width: Width, value: u32, now: Cycle) -> Option<Slave>;

    /// One of them: its address phase is in cycle `now`, and its data comes in the last of the cycles that it takes.
    fn read_register(&mut self, address: u32, now: Cycle) -> Option<u32>;

    /// The next cycle, not before `now`, in which another master than a core does something.
    fn next_transfer(&mut self, now: Cycle) -> Cycle;

    /// The same, if masters have done nothing since the last call but what `transfers` has then said of these.
    fn next_transfer_after(&mut self, asked: [bool; OTHER_MASTERS], now: Cycle) -> Cycle;

    /// Whether all that such masters are at work on is in RAM.
    fn transfers_stay_in_ram(&self) -> bool;

    /// What such masters ask for in cycle `now`, all of it in RAM. None if anything comes of it beside that: an interrupt, or the
    /// begin of something else. The answer stays the same until they get it.
    fn transfers(&mut self, now: Cycle) -> Option<[Option<Request>; OTHER_MASTERS]>;

    /// One of them gets what it asks for in cycle `now`.
    fn make_transfer(&mut self, master: usize, now: Cycle);

    /// A quantum that may have gone beyond `next_transfer` ends before cycle `now`: what such masters do beside transfers is to be
    /// done up to there, and the machine is to look for what they do next.
    fn end_transfers(&mut self, now: Cycle);

    /// One of them has lost the cycle.
    fn put_off_transfer(&mut self, master: usize);
}
