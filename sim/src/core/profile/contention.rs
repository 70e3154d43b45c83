//! What cores lost to each other: cycles at a slave, lines of the flash cache, and waiting for spinlocks.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/observation.py

use crate::core::bus::Slave;
use crate::core::profile::counts::{Count, Counts, Taken};
use crate::core::profile::places::{Places, RecentObjects};
use crate::core::profile::quick_map::QuickMap;
use crate::core::time::Cycle;
use std::ops::Range;

/// Who a core lost cycles to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Culprit {
    /// The other core, in a function, which accessed an object or code.
    Core {
        /// First address of the function.
        function: u32,
        /// First address of the object or function that it accessed; 0 if that is not known.
        object: u32,
    },
    /// The DMA.
    Dma,
    /// An earlier access of its own.
    Itself,
    /// The other core, which had the line of the flash cache replaced.
    Eviction {
        /// First address of the function.
        function: u32,
        /// First address of the object or function whose line came instead.
        object: u32,
    },
    /// Nobody: the line of the flash cache was never there, or the core had replaced it itself.
    Nobody,
}

/// What a core asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The slave.
    pub slave: Slave,
    /// The address.
    pub address: u32,
}

/// Cycles that a core lost in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Loss {
    /// The core.
    pub core: u8,
    /// The slave that it asked for.
    pub slave: u8,
    /// First address of the function that it executed.
    pub function: u32,
    /// First address of the object or function that it accessed.
    pub object: u32,
    /// To whom.
    pub to: Culprit,
}

/// What a core did with a spinlock in a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockUse {
    /// How often it got the lock.
    pub claims: u64,
    /// How often it had to wait for it.
    pub waits: u64,
    /// Cycles in which it had it, from the read that got it to the write that gave it back.
    pub held: Cycle,
    /// The most at a time.
    pub longest_held: Cycle,
    /// Cycles from the first read in vain to the one that got it, or to the last one before it gave up.
    pub waited: Cycle,
    /// The most at a time.
    pub longest_wait: Cycle,
    /// How often the other core got it during one wait, at most.
    pub overtaken: u64,
}

/// A wait for a spinlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockWait {
    /// Number of the lock.
    pub lock: u8,
    /// The core that waited.
    pub core: u8,
    /// First address of the function that waited.
    pub function: u32,
    /// The core that had it when the wait began.
    pub holder: u8,
    /// First address of the function that had got it.
    pub holder_function: u32,
}

/// A core waits for a spinlock.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    since: Cycle,
    /// Its last read in vain.
    last: Cycle,
    /// How often the other core had got it before.
    others: u64,
    wait: LockWait,
}

/// Who has a spinlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The core.
    pub core: u8,
    /// Since when.
    pub since: Cycle,
    /// First address of the function that got it.
    pub function: u32,
    /// The node of the core's tree of calls.
    pub node: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Lock {
    holder: Option<Holder>,
    /// How often each core got it.
    claims: [u64; 2],
    /// By core.
    waiting: [Option<Waiting>; 2],
}

impl Loss {
    fn of(taken: Taken) -> Self {
        let (slave, core, winner) = taken.how();
        let to = match winner {
            winner if winner == core => Culprit::Itself,
            0 | 1 => {
                let [function, object] = taken.of(winner);
                Culprit::Core { function, object }
            }
            _ => Culprit::Dma,
        };
        let [function, object] = taken.of(core);
        Self { core, slave, function, object, to }
    }
}

/// Kinds of losses and waits that are told apart, at most: 100 MB.
const MAX_KINDS: usize = 1 << 20;

/// See the module.
#[derive(Clone, Debug)]
pub struct Contention {
    /// By kind: how often, and cycles.
    pub losses: QuickMap<Loss, (u64, Cycle)>,
    /// By number of the lock, core, and function.
    pub locks: QuickMap<(u8, u8, u32), LockUse>,
    /// By kind: how often, and cycles.
    pub lock_waits: QuickMap<LockWait, (u64, Cycle)>,
    /// Cycles of kinds beyond those that are told apart.
    pub untold: Cycle,
    at: Range<u32>,
    state: Vec<Lock>,
    /// The master that got what cores asked for in a cycle, and the addresses at which these did.
    pub(super) winner: Option<(Cycle, u8, [u32; 2])>,
    /// Losses that are not in `losses` yet.
    seen: Counts,
    pub(super) objects: RecentObjects,
    /// How often what is told happens: more than once only while turns of a busy wait are accounted for.
    pub(super) weight: u64,
    /// Lines of the flash cache that were replaced: core, its function, and for which address.
    evicted: QuickMap<u32, (u8, u32, u32)>,
}

/// Cycles between two reads of a spinlock in one wait, at most. A core that comes back later had given up, as one that only
/// tries to get it does.
const APART: Cycle = 256;

/// Bytes of a line of the flash cache.
const LINE: u32 = 8;

impl Contention {
    pub(super) fn new(locks: Range<u32>) -> Self {
        Self {
            losses: QuickMap::default(),
            locks: QuickMap::default(),
            lock_waits: QuickMap::default(),
            untold: 0,
            state: vec![Lock::default(); locks.len() / 4],
            at: locks,
            winner: None,
            seen: Counts::default(),
            objects: RecentObjects::default(),
            weight: 1,
            evicted: QuickMap::default(),
        }
    }

    /// The master that got what cores asked for in a cycle, and its address; none if that was not told.
    pub(super) fn winner_at(&self, now: Cycle) -> Option<(u8, u32)> {
        let (_, winner, addresses) = self.winner.filter(|(cycle, ..)| *cycle == now)?;
        Some((winner, addresses.get(usize::from(winner)).copied().unwrap_or(0)))
    }

    /// A core loses cycles, so often and so many in all.
    #[inline(always)]
    pub(super) fn lose(&mut self, taken: Taken, times: u64, cycles: Cycle) {
        if cycles > Count::MOST {
            self.add_loss(Loss::of(taken), times, cycles);
        } else if self.seen.add(taken, Count::new(times, cycles)) {
            self.finish();
        }
    }

    /// A core that waits for a lock has read it in vain all through so many more cycles.
    pub(super) fn went_on_waiting(&mut self, core: u8, address: u32, cycles: Cycle) {
        let number = (address - self.at.start) / 4;
        let lock = self.state.get_mut(number as usize);
        if let Some(waiting) = lock.and_then(|lock| lock.waiting[usize::from(core & 1)].as_mut()) {
            waiting.last += cycles;
        }
    }

    /// Puts all losses where they are read.
    #[cold]
    pub(super) fn finish(&mut self) {
        for (taken, times, cycles) in self.seen.take() {
            self.add_loss(Loss::of(taken), times, cycles);
        }
    }

    fn add_loss(&mut self, loss: Loss, times: u64, cycles: Cycle) {
        if self.losses.len() >= MAX_KINDS && !self.losses.contains_key(&loss) {
            self.untold += cycles;
            return;
        }
        let sum = self.losses.entry(loss).or_default();
        sum.0 += times;
        sum.1 += cycles;
    }

    /// A miss of the flash cache, and the address whose line it replaces.
    pub(super) fn miss(
        &mut self,
        core: u8,
        Access { slave, address }: Access,
        cycles: Cycle,
        replaced: Option<u32>,
        function: u32,
        places: &Places,
    ) {
        let to = match self.evicted.remove(&(address / LINE)) {
            Some((by, function, instead)) if by != core => {
                Culprit::Eviction { function, object: places.object_at(instead) }
            }
            _ => Culprit::Nobody,
        };
        if let Some(replaced) = replaced {
            self.evicted.insert(replaced / LINE, (core, function, address));
        }
        self.add_loss(Loss { core, slave: slave.0, function, object: places.object_at(address), to }, 1, cycles);
    }

    /// Who has each spinlock, by its number.
    pub fn holders(&self) -> impl Iterator<Item = Option<Holder>> {
        self.state.iter().map(|lock| lock.holder)
    }

    /// Since when a core has waited for a spinlock, if it still does in cycle `now`, and how often the other one got it meanwhile.
    pub fn waits_since(&self, core: u8, lock: usize, now: Cycle) -> Option<(Cycle, u64)> {
        let lock = self.state.get(lock)?;
        let waiting = lock.waiting[usize::from(core & 1)].filter(|waiting| now <= waiting.last + APART)?;
        Some((waiting.since, lock.claims[usize::from(core & 1 ^ 1)] - waiting.others))
    }

    pub(super) fn is_lock(&self, address: u32) -> bool {
        self.at.contains(&address)
    }

    /// A core reads or writes a spinlock.
    pub(super) fn lock(
        &mut self,
        core: u8,
        now: Cycle,
        address: u32,
        write: bool,
        value: u32,
        (function, node): (u32, usize),
    ) {
        let number = ((address - self.at.start) / 4) as u8;
        let Some(lock) = self.state.get_mut(usize::from(number)) else { return };
        if write {
            // Whoever writes gives it back; it counts for the core that had it.
            if let Some(holder) = lock.holder.take() {
                let held = now.saturating_sub(holder.since);
                let used = self.locks.entry((number, holder.core, holder.function)).or_default();
                used.held += held;
                used.longest_held = used.longest_held.max(held);
            }
            return;
        }
        let waiting = &mut lock.waiting[usize::from(core & 1)];
        let goes_on = waiting.filter(|waiting| now <= waiting.last + APART);
        let gave_up = if goes_on.is_some() { None } else { waiting.take() };
        let others = lock.claims[usize::from(core & 1 ^ 1)];
        if value == 0 {
            let holder = lock.holder.unwrap_or(Holder { core: core ^ 1, since: now, function: 0, node: 0 });
            // It looks again at a lock that it has: a kernel counts how often it took it.
            if holder.core != core {
                let wait =
                    LockWait { lock: number, core, function, holder: holder.core, holder_function: holder.function };
                waiting.get_or_insert(Waiting { since: now, last: now, others, wait }).last = now;
            }
        } else {
            lock.holder = Some(Holder { core, since: now, function, node });
            lock.claims[usize::from(core & 1)] += 1;
            waiting.take();
            self.locks.entry((number, core, function)).or_default().claims += 1;
            if let Some(waited) = goes_on {
                self.waited(waited.wait, now - waited.since, others - waited.others);
            }
        }
        if let Some(waited) = gave_up {
            self.waited(waited.wait, waited.last - waited.since, others - waited.others);
        }
    }

    /// A core has waited for a spinlock.
    fn waited(&mut self, wait: LockWait, cycles: Cycle, overtaken: u64) {
        if cycles == 0 {
            return;
        }
        let used = self.locks.entry((wait.lock, wait.core, wait.function)).or_default();
        used.waits += 1;
        used.waited += cycles;
        used.longest_wait = used.longest_wait.max(cycles);
        used.overtaken = used.overtaken.max(overtaken);
        if self.lock_waits.len() < MAX_KINDS || self.lock_waits.contains_key(&wait) {
            let sum = self.lock_waits.entry(wait).or_default();
            sum.0 += 1;
            sum.1 += cycles;
        }
    }
}
