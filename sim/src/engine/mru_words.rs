//! Words of flash that the fast path has found to be most recently used, so that it need not look for them again.

use crate::engine::fast_bus::{FastBus, FlashCache};

/// Lines of the flash cache that others than the fast path have made the least recently used of their sets, or taken away:
/// [`MruWords`] must know. It decides nothing about a run.
#[derive(Clone, Debug)]
pub struct DemotedLines {
    /// Addresses in them.
    lines: Vec<u32>,
    /// There are too many to list.
    all: bool,
}

impl DemotedLines {
    /// Lines of which each is removed by itself; of more, all words are removed at once.
    const MOST: usize = 128;

    /// Adds the line of an address.
    #[inline]
    pub fn add(&mut self, address: u32) {
        if self.lines.len() < Self::MOST {
            self.lines.push(address);
        } else {
            self.all = true;
        }
    }

    /// Adds all lines.
    pub fn add_all(&mut self) {
        self.all = true;
    }
}

impl Default for DemotedLines {
    fn default() -> Self {
        Self { lines: Vec::new(), all: true }
    }
}

impl std::hash::Hash for DemotedLines {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// Stands for a word of a set that both cores use both lines of ([`crate::engine::contended_sets`]): the cache has it.
const CACHED: u32 = u32::MAX - 1;

/// Words of flash whose line is the most recently used one of its set in the cache: reading it again is a hit that changes
/// nothing. Also the words that the speculative core has read in this quantum because they were known to be such.
#[derive(Clone, Debug)]
pub struct MruWords {
    /// First address of flash.
    flash: u32,
    /// By word of flash, the number of the last quantum in which it was found to be one, or read by the speculative core;
    /// `CACHED` for a word of a contended set.
    found_in: Vec<u32>,
    /// The indices of those that are `CACHED`.
    cached: Vec<usize>,
    /// What was found before this quantum is forgotten.
    known_from: u32,
    /// The same, but `u32::MAX` while the flash interface is busy, so that no word is one.
    pub usable_from: u32,
    /// The number of the quantum.
    pub quantum: u32,
    /// In this quantum all was forgotten, and with it what the speculative core has read.
    reads_are_lost: bool,
}

impl MruWords {
    /// None are known of a flash that begins at an address.
    pub fn new(flash: u32) -> Self {
        Self {
            flash,
            found_in: Vec::new(),
            cached: Vec::new(),
            known_from: 1,
            usable_from: 1,
            quantum: 2,
            reads_are_lost: false,
        }
    }

    /// A quantum begins, in which the speculative core has read nothing yet.
    pub fn begin_quantum(&mut self) {
        self.next_number();
        self.reads_are_lost = false;
    }

    fn next_number(&mut self) {
        if self.quantum >= CACHED - 2 {
            self.found_in.fill(0);
            self.cached.clear();
            (self.known_from, self.usable_from, self.quantum) = (1, 1, 1);
        }
        self.quantum += 1;
    }

    /// Before a run on the fast path: forgets what others have changed. `ready` if the interface of the flash is not busy.
    #[inline]
    pub fn sync<B: FastBus>(&mut self, bus: &mut B, ready: bool) {
        let words = bus.flash().len();
        if self.found_in.len() < words {
            self.found_in.resize(words, 0);
        }
        let demoted = bus.cache_mut().demoted();
        if demoted.all || !demoted.lines.is_empty() {
            self.forget(bus.cache_mut());
        }
        self.usable_from = if ready { self.known_from } else { u32::MAX };
    }

    #[inline(never)]
    fn forget<C: FlashCache>(&mut self, cache: &mut C) {
        let mut lines = std::mem::take(&mut cache.demoted().lines);
        if std::mem::take(&mut cache.demoted().all) {
            self.next_number();
            self.next_number();
            self.reads_are_lost = true;
            self.known_from = self.quantum - 1;
            lines.clear();
            for index in self.cached.drain(..) {
                self.found_in[index] = 0;
            }
        }
        for word in lines.drain(..).flat_map(|line| [line & !7, line | 4]) {
            let index = self.index(word);
            let Some(found_in) = self.found_in.get_mut(index) else { continue };
            if *found_in != CACHED {
                *found_in = 0;
            } else if cache.way_of(word).is_none() {
                *found_in = 0;
                self.cached.retain(|&cached| cached != index);
            }
        }
        cache.demoted().lines = lines;
    }

    /// Whether the word at an address is known to be one.
    #[inline(always)]
    pub fn has(&self, address: u32) -> bool {
        self.found_in.get(self.index(address)).is_some_and(|found_in| (self.usable_from..CACHED).contains(found_in))
    }

    /// Whether the speculative core may have read a word of the line of an address in this quantum, because it is one.
    pub fn was_read(&self, address: u32) -> bool {
        let first = self.index(address & !7);
        self.reads_are_lost || self.found_in.iter().skip(first).take(2).any(|&found_in| found_in == self.quantum)
    }

    /// Where the numbers are that native code compares with `usable_from`.
    pub fn address(&mut self) -> usize {
        self.found_in.as_mut_ptr() as usize
    }

    /// The word at an address is one from now on, and is `read` by the speculative core, or not.
    #[inline(always)]
    pub fn insert(&mut self, address: u32, read: bool) {
        let (index, quantum) = (self.index(address), self.quantum);
        if let Some(found_in) = self.found_in.get_mut(index) {
            *found_in = if read { quantum } else { quantum - 1 };
        }
    }

    /// The cache has the word at an address, which is one of a contended set.
    pub fn insert_cached(&mut self, address: u32) {
        let index = self.index(address);
        if let Some(found_in) = self.found_in.get_mut(index)
            && *found_in != CACHED
        {
            *found_in = CACHED;
            self.cached.push(index);
        }
    }

    /// Both words of the line of an address are none any more.
    pub fn remove_line(&mut self, address: u32) {
        let first = self.index(address & !7);
        for found_in in self.found_in.iter_mut().skip(first).take(2) {
            *found_in = 0;
        }
    }

    /// The same of both lines of a set of the cache.
    pub fn remove_set<C: FlashCache>(&mut self, set: usize, cache: &C) {
        for way in 0..2 {
            self.remove_line(cache.line(set, way));
        }
    }

    fn index(&self, address: u32) -> usize {
        (address.wrapping_sub(self.flash) >> 2) as usize
    }
}
