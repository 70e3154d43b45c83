//! Data races: words that several write without an order between them, and what came of it. docs/hunt.md has the rules.
//!
//! It watches words of which it is known that they are shared, since the same run was executed before ([`super::Touched`]).

use crate::core::profile::order::{Clock, Order, join};
use crate::core::profile::quick_map::QuickMap;
use crate::core::profile::registers::Registers;
use crate::core::profile::torn::{Single, Torn};
use crate::core::profile::transfers::Transfers;
use crate::core::profile::{Doer, Frame};
use crate::core::time::Cycle;
use std::collections::BTreeMap;

/// Whose accesses follow one another in the order of the program: those of a task, wherever it is executed; of a core without
/// tasks; of a handler of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    /// The core; of a task, 0.
    core: u8,
    root: Frame,
}

impl Who {
    pub(super) fn new(core: u8, root: Frame) -> Self {
        Self { core: if matches!(root, Frame::Task(1..)) { 0 } else { core }, root }
    }
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RaceKind {
    /// Two have stored to a word without an order.
    Unordered,
    /// What one has stored, the other one overwrites, and has loaded the word before.
    LostUpdate,
    /// One loads a part of what the other one has stored, and another part of what was there before.
    Torn,
    /// Nothing keeps one from doing so.
    MayTear,
    /// One loads what a transfer, which the other one has started, is yet to store.
    Early,
}

/// A data race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// What is wrong.
    pub kind: RaceKind,
    /// The first byte of it.
    pub address: u32,
    /// How many there are.
    pub bytes: u32,
    /// The load of who has the last word in it, if it comes before the other one; what a transfer stores.
    pub before: Option<Doer>,
    /// What the other one did, a store.
    pub other: Doer,
    /// What comes last.
    pub last: Doer,
    /// Whether it did happen, and not only might have.
    pub happened: bool,
    /// How often.
    pub times: u64,
}

/// Kinds, words and functions of races that are told apart, at most.
const MAX_RACES: usize = 256;
/// Accesses that are looked at, at most, before [`Races::look_again`] permits more, and by how many, so that the time of a hunt
/// has a limit: each takes as long as executing some 250 cycles.
const MOST_ACCESSES: u64 = 200_000;
const MORE_ACCESSES: u64 = 10_000;
/// Values of a word that says whose turn it is, at most.
const MAX_VALUES: usize = 16;
/// Lost updates that change nothing after which they are believed: two cores may well set the same flag.
const MANY: u32 = 3;
/// Cycles from a load to the store that depends on it, where the order of a core says nothing.
const SHORTLY: Cycle = 300;
/// Both cores, a bit each.
const BOTH: u8 = 3;
/// Loads of a word by different ones that are remembered.
const MAX_LOADS: usize = 8;

/// Who accesses a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct By {
    pub who: Who,
    pub doer: Doer,
    /// First address of the function.
    pub function: u32,
    /// Which call of it.
    pub call: u32,
    /// When the handler that it is began; 0 outside handlers.
    pub since: Cycle,
    /// Cycles that the core has spent in handlers up to then.
    pub handled: Cycle,
    /// It is probably on the stack of whoever accesses it.
    pub on_stack: bool,
}

impl By {
    /// Whether both are of the same call, or of the same time that a handler was entered, with only some cycles in between, but
    /// for those of handlers.
    fn is_shortly_before(&self, later: &Self) -> bool {
        if self.doer.core != later.doer.core {
            return false; // a task that has changed the core meanwhile
        }
        let handled = later.handled.saturating_sub(self.handled);
        let own = later.doer.cycle.saturating_sub(self.doer.cycle + handled);
        self.call == later.call && self.doer.cycle >= later.since && own <= SHORTLY
    }

    /// Whether one is done with the word when another one comes to use it, since it is of a stack: of both, or, on one core, of
    /// one, where a kernel saves what it has interrupted.
    fn is_of_a_stack(&self, other: &Self) -> bool {
        let same_core = self.doer.core == other.doer.core;
        if same_core { self.on_stack || other.on_stack } else { self.on_stack && other.on_stack }
    }
}

#[derive(Clone, Copy, Debug)]
struct Load {
    by: By,
    value: u32,
}

#[derive(Clone, Copy, Debug)]
struct Store {
    by: By,
    epoch: u32,
}

/// Whether a word says whose turn it is to change it: the cores alternate, and one has waited for the other one; or each value is
/// one that only one of them changes, or both do while they hold the same spinlock; or zero is, and all others are.
#[derive(Clone, Debug)]
struct Turns {
    alternate: bool,
    waited: bool,
    /// None if there are too many.
    by_value: Option<Vec<Turn>>,
    /// Of zero and of all other values, the cores that change them, a bit each.
    by_zero: [u8; 2],
}

/// A value, the cores that change it to another one, a bit each, and the spinlocks that each of them has held then.
#[derive(Clone, Copy, Debug)]
struct Turn {
    value: u32,
    changed_by: u8,
    locks: u32,
}

impl Turns {
    const fn new() -> Self {
        Self { alternate: true, waited: false, by_value: Some(Vec::new()), by_zero: [0; 2] }
    }

    fn are_taken(&self) -> bool {
        let is_ones = |turn: &Turn| turn.changed_by != BOTH || turn.locks != 0;
        let by_value = || self.by_value.as_ref().is_some_and(|turns| turns.iter().all(is_ones));
        self.alternate && self.waited || !self.by_zero.contains(&BOTH) || by_value()
    }

    /// A core that holds some spinlocks changes a value.
    fn take(&mut self, value: u32, core: u8, locks: u32) {
        self.by_zero[usize::from(value != 0)] |= 1 << core;
        let Some(known) = &mut self.by_value else { return };
        if let Some(one) = known.iter_mut().find(|one| one.value == value) {
            one.changed_by |= 1 << core;
            one.locks &= locks;
        } else if known.len() < MAX_VALUES {
            known.push(Turn { value, changed_by: 1 << core, locks });
        } else {
            self.by_value = None;
        }
    }
}

/// As many bytes of a word as are stored at once.
#[derive(Clone, Debug)]
struct Part {
    value: Option<u32>,
    last: Option<Store>,
    /// What those who have stored to it knew then.
    released: Clock,
    /// By whom it was loaded last.
    loads: Vec<Load>,
    /// The cores that have changed it, a bit each.
    changed_by: u8,
    turns: Turns,
    /// Updates that were lost, but changed nothing: the other one had stored the same.
    repeated: u32,
}

impl Part {
    const fn new() -> Self {
        Self {
            value: None,
            last: None,
            released: [0; 2],
            loads: Vec::new(),
            changed_by: 0,
            turns: Turns::new(),
            repeated: 0,
        }
    }

    /// Whether it hands over what was done before: one core writes it, or each when it is its turn.
    fn synchronises(&self) -> bool {
        self.changed_by != BOTH || self.turns.are_taken()
    }

    /// The same of a part of it.
    fn narrow(&self, shift: u32, mask: u32) -> Self {
        let mut part = self.clone();
        part.value = self.value.map(|value| value >> shift & mask);
        for load in &mut part.loads {
            load.value = load.value >> shift & mask;
        }
        part.turns = Turns::new();
        part
    }

    /// Its last load by somebody.
    fn load_of(&self, who: Who) -> Option<Load> {
        self.loads.iter().rev().find(|load| load.by.who == who).copied()
    }

    fn load(&mut self, by: By, value: u32, order: &mut Order) {
        self.value = Some(value);
        self.turns.waited |= self.changed_by == BOTH && self.is_last(by.doer.core);
        if self.synchronises() {
            order.acquire(usize::from(by.doer.core & 1), self.released);
        }
        self.loads.retain(|load| load.by.who != by.who);
        if self.loads.len() == MAX_LOADS {
            self.loads.remove(0);
        }
        self.loads.push(Load { by, value });
    }

    /// Whether the core that stores has loaded what the other one has stored, in another function: it has looked, and it is no
    /// load whose value it changes and stores again.
    fn is_seen(&self, last: &Store, by: &By) -> bool {
        let mut loads = self.loads.iter().filter(|load| load.by.doer.core == by.doer.core);
        let mut since = loads.clone().filter(|load| load.by.doer.cycle > last.by.doer.cycle);
        since.any(|load| load.by.function != by.function) && !loads.any(|load| load.by.function == by.function)
    }

    /// A store, and what is wrong with it: the load before it, if there is one, and what was stored meanwhile.
    fn store(&mut self, by: By, value: u32, order: &mut Order) -> Option<(RaceKind, Option<Doer>, Doer)> {
        let core = usize::from(by.doer.core & 1);
        let silent = self.value == Some(value);
        let load = self.load_of(by.who).filter(|load| load.by.function == by.function);
        let others = |last: &Store| last.by.who != by.who && !last.by.is_of_a_stack(&by);
        let found = self.last.filter(others).and_then(|last| {
            let other = usize::from(last.by.doer.core & 1);
            let ordered = order.knows(core, other, last.epoch);
            let unseen = core == other || !self.is_seen(&last, &by);
            let overtaken = load.filter(|load| load.by.doer.cycle < last.by.doer.cycle && load.value != value);
            let lost = overtaken.filter(|load| if core == other { load.by.is_shortly_before(&by) } else { !ordered });
            if silent {
                lost?;
                self.repeated += 1;
                if self.repeated < MANY {
                    return None;
                }
            }
            let kind = if lost.is_some() { RaceKind::LostUpdate } else { RaceKind::Unordered };
            (lost.is_some() || !ordered && unseen).then_some((kind, lost.map(|load| load.by.doer), last.by.doer))
        });
        if !silent {
            self.change(by, core, value, order);
        }
        self.loads.retain(|load| load.by.who != by.who);
        if !self.synchronises() {
            return found;
        }
        order.acquire(core, self.released);
        join(&mut self.released, order.release(core));
        // Whoever's turn it is need not have looked: it may be a handler that the other core has set an alarm for.
        found.filter(|(kind, ..)| *kind == RaceKind::LostUpdate)
    }

    /// It is not known what was done to it meanwhile.
    fn miss(&mut self) {
        self.value = None;
        self.last = None;
        self.loads.clear();
    }

    /// Whether a core was the last to change it.
    fn is_last(&self, core: u8) -> bool {
        self.last.is_some_and(|last| last.by.doer.core & 1 == core & 1)
    }

    /// The value becomes another one.
    fn change(&mut self, by: By, core: usize, value: u32, order: &Order) {
        let number = core as u8;
        self.turns.alternate &= self.changed_by != BOTH || !self.is_last(number);
        if let Some(before) = self.value {
            self.turns.take(before, number, order.held(core));
        }
        self.changed_by |= 1 << number;
        self.last = Some(Store { by, epoch: order.epoch(core) });
        self.value = Some(value);
    }
}

/// A word, in parts of as many bytes as are stored at once.
#[derive(Clone, Debug)]
struct Word {
    bytes: u32,
    parts: Vec<Part>,
}

fn mask(bytes: u32) -> u32 {
    u32::MAX >> (32 - 8 * bytes.clamp(1, 4))
}

impl Word {
    fn new() -> Self {
        Self { bytes: 4, parts: vec![Part::new()] }
    }

    /// So many bytes are stored by themselves.
    fn split(&mut self, bytes: u32) {
        while self.bytes > bytes {
            self.bytes /= 2;
            let (bits, mask) = (8 * self.bytes, mask(self.bytes));
            self.parts = self.parts.iter().flat_map(|part| [part.narrow(0, mask), part.narrow(bits, mask)]).collect();
        }
    }

    /// The parts that an access touches, and what each has of the value.
    fn parts(&mut self, address: u32, bytes: u32, value: u32) -> impl Iterator<Item = (&mut Part, u32)> {
        let own = self.bytes;
        let first = (address & 3) / own;
        let count = bytes.div_ceil(own) as usize;
        let parts = self.parts.iter_mut().skip(first as usize).take(count).enumerate();
        parts.map(move |(number, part)| (part, value >> (8 * own * number as u32) & mask(own)))
    }
}

/// Kind and address of a race, and the instructions of both.
type Key = (RaceKind, u32, u32, u32);

/// See the module.
#[derive(Clone, Debug)]
pub struct Races {
    words: QuickMap<u32, Word>,
    pub(super) order: Order,
    torn: Torn,
    transfers: Transfers,
    registers: Registers,
    found: BTreeMap<Key, Race>,
    left: u64,
    is_complete: bool,
}

impl Races {
    /// On some words.
    pub fn new(words: impl IntoIterator<Item = u32>) -> Self {
        Self {
            words: words.into_iter().map(|word| (word & !3, Word::new())).collect(),
            order: Order::default(),
            torn: Torn::default(),
            transfers: Transfers::default(),
            registers: Registers::default(),
            found: BTreeMap::new(),
            left: MOST_ACCESSES,
            is_complete: true,
        }
    }

    /// Whether it has looked at all accesses.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Permits some more accesses. Whether there were none any more: then what was done meanwhile is taken to have an order, that
    /// after all before and before all that comes.
    pub(crate) fn look_again(&mut self) -> bool {
        let resumes = self.left == 0;
        self.left = (self.left + MORE_ACCESSES).min(MOST_ACCESSES);
        if resumes {
            self.words.values_mut().flat_map(|word| &mut word.parts).for_each(Part::miss);
            self.order.meet();
        }
        resumes
    }

    /// What it has found, with what might still turn out to be noticed by the program.
    pub fn found(&self) -> Vec<Race> {
        let mut all = self.found.clone();
        for race in self.torn.pending().chain(self.transfers.pending()) {
            add(&mut all, race);
        }
        all.into_values().collect()
    }

    /// Words that are watched.
    pub(super) fn watched(&self) -> impl Iterator<Item = u32> {
        self.words.keys().copied().filter(|_| self.left > 0)
    }

    /// Whether a word is watched.
    pub(super) fn watches(&self, address: u32) -> bool {
        self.left > 0 && self.words.contains_key(&(address & !3))
    }

    /// A word, or a part of it, is loaded or stored. Whether that was the last one that is looked at for now.
    pub(super) fn access(&mut self, by: By, address: u32, bytes: u32, write: bool) -> bool {
        if self.left == 0 {
            return false;
        }
        let Some(word) = self.words.get_mut(&(address & !3)) else { return false };
        let value = by.doer.value & mask(bytes);
        let epoch = self.order.epoch(usize::from(by.doer.core & 1));
        let single = |silent| Single { address, doer: by.doer, function: by.function, epoch, silent, paired: false };
        if write {
            word.split(bytes);
            let whole = bytes == 4;
            let silent = word.parts(address, bytes, value).all(|(part, value)| part.value == Some(value));
            let wrong: Vec<_> = word
                .parts(address, bytes, value)
                .filter_map(|(part, value)| part.store(by, value, &mut self.order))
                .collect();
            if whole {
                self.torn.store(by.who, single(silent), &self.order);
            }
            if let Some((kind, before, other)) = wrong.into_iter().max_by_key(|(kind, ..)| *kind) {
                let happened = kind == RaceKind::LostUpdate;
                self.add(Race { kind, address, bytes, before, other, last: by.doer, happened, times: 1 });
            }
        } else {
            for (part, value) in word.parts(address, bytes, value) {
                part.load(by, value, &mut self.order);
            }
            self.transfers.load(by, address, bytes);
            if bytes == 4 {
                for race in self.torn.load(by.who, single(false), &self.order) {
                    self.add(race);
                }
            }
        }
        self.left -= 1;
        if self.left > 0 {
            return false;
        }
        self.is_complete = false;
        for race in std::mem::take(&mut self.torn).pending() {
            self.add(race);
        }
        true
    }

    /// A channel of the DMA, by number, stores a value.
    pub(super) fn transferred(&mut self, channel: usize, address: u32, bytes: u32, value: u32, now: Cycle) {
        if let Some(word) = self.words.get_mut(&(address & !3)) {
            for part in &mut word.parts {
                part.value = None;
            }
            self.transfers.store(channel, address, bytes, value, now);
        }
    }

    /// A core accesses a register of a peripheral.
    pub(super) fn register(&mut self, by: By, address: u32, write: bool) {
        if write {
            for race in self.transfers.started(by.doer, address) {
                self.add(race);
            }
        }
        if let Some(race) = self.registers.access(by, address, write, &self.order) {
            self.add(race);
        }
    }

    /// A core accesses a register so many bytes behind that to which it writes words for the other core.
    pub(super) fn fifo(&mut self, doer: Doer, offset: u32, write: bool) {
        let core = usize::from(doer.core & 1);
        match (offset, write) {
            (0, true) => self.order.send(core, doer.value),
            (4, false) => self.order.receive(core, doer.value),
            _ => {}
        }
    }

    fn add(&mut self, race: Race) {
        add(&mut self.found, race);
    }
}

/// A race is one more, or one that is known.
fn add(found: &mut BTreeMap<Key, Race>, race: Race) {
    let key = (race.kind, race.address, race.last.pc, race.other.pc);
    let full = found.len() >= MAX_RACES;
    match found.get_mut(&key) {
        Some(known) => {
            known.times += 1;
            if race.happened && !known.happened {
                *known = Race { times: known.times, ..race };
            }
        }
        None if !full => {
            found.insert(key, race);
        }
        None => {}
    }
}
