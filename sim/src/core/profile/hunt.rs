//! What a hunt for faults of two cores wants to know beyond where the cycles went: interrupts and what delayed them, who got
//! a lock or wrote a word last, and by which calls.

use crate::core::cortex_m::PEND_SV;
use crate::core::profile::stacks::{InTask, StackFinder, Stacks};
use crate::core::profile::suspicions::{Ports, Suspicions};
use crate::core::profile::{Bounds, Races, Touched};
use crate::core::time::Cycle;
use std::collections::BTreeMap;

/// Why the handler of an interrupt did not begin at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delay {
    /// It did, or as soon as an instruction or a sleep lets it.
    #[default]
    None,
    /// The handler of this exception was executed.
    Handler(u8),
    /// Interrupts were masked; the function (by its first address) that was executed when they no longer were.
    Masked(u32),
}

/// The handler of an exception on a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterruptUse {
    /// How often it was entered.
    pub count: u64,
    /// Cycles from its entry to its end, with those that interrupted it.
    pub total: Cycle,
    /// The most at a time.
    pub longest: Cycle,
    /// The most cycles from where it became pending to its vector.
    pub latency: Cycle,
    /// Why those were so many.
    pub delay: Delay,
}

/// Cycles to the vector from which on something else than the bus delayed a handler: TRM 3.6.1 has 15 to its first instruction,
/// but the core may have to wait for two words of flash before, and for the other core.
const PROMPT: Cycle = 160;

/// Cycles between two handlers in which a core that they leave no time executes an instruction or two, at most.
const BETWEEN: Cycle = 64;

/// Handlers that a core executes one after the other, with no time for what they interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storm {
    /// The last exception.
    pub exception: u8,
    /// Since when.
    pub since: Cycle,
    /// How many.
    pub entries: u64,
}

/// Who was the last to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doer {
    /// The core.
    pub core: u8,
    /// The cycle.
    pub cycle: Cycle,
    /// Of the instruction; 0 if that is not known.
    pub pc: u32,
    /// The node of the core's tree of calls.
    pub node: usize,
    /// What it wrote, if it wrote.
    pub value: u32,
}

/// What a core does against what the datasheet of its chip says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suspicion {
    /// `SysTick` is read on a core on which it is off.
    SysTickOff,
    /// A result of the divider is read whose operands somebody else on the core has written meanwhile.
    DividerShared,
    /// A core that runs a program is asked to start once more.
    StartedTwice,
    /// Code or data are read from flash while it is being erased or programmed, or cannot be read for another reason.
    FlashBusy,
}

/// How often, and where first.
#[derive(Clone, Copy, Debug)]
pub struct Suspected {
    /// How often.
    pub times: u64,
    /// The first time.
    pub first: Doer,
}

/// Kinds of suspicions that are told apart, at most.
const MAX_SUSPICIONS: usize = 1 << 10;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Hunt {
    /// By core and number of the exception.
    pub interrupts: BTreeMap<(u8, u8), InterruptUse>,
    /// Words whose last writer somebody wants to know, and that one.
    pub words: BTreeMap<u32, Option<Doer>>,
    /// By kind, core, and first address of the function.
    pub suspicions: BTreeMap<(Suspicion, u8, u32), Suspected>,
    /// Handlers that a core is in: exception, and since when.
    entered: [Vec<(u8, Cycle)>; 2],
    /// Cycles that each core has spent in handlers that it has left.
    handled: [Cycle; 2],
    /// The exception that a core has left last, and when.
    left: [Option<(u8, Cycle)>; 2],
    /// When what a core enters became pending.
    pended: [Cycle; 2],
    storms: [Option<Storm>; 2],
    /// How often each core began anew, and where it was before.
    pub resets: [Option<Suspected>; 2],
    pub(super) seen: Suspicions,
    /// How deep stacks get.
    pub stacks: Stacks,
    /// Who accesses which words; none once it is known which are shared.
    pub touched: Option<Touched>,
    /// Data races on those.
    pub races: Option<Races>,
    finder: StackFinder,
}

impl Hunt {
    /// Of a program whose first stack begins at `sp`, if that is known. It is to find out which words are shared.
    pub fn new(ports: Ports, finder: StackFinder, sp: Option<u32>) -> Self {
        let mut stacks = Stacks::default();
        stacks.begin(0, sp.and_then(|sp| finder.find(sp)));
        let touched = finder.banks.first().map(|&ram| Touched::new(ram));
        Self { seen: Suspicions::new(ports), stacks, finder, touched, ..Self::default() }
    }

    /// The same once it is known, for the last writers of some words, and data races on those that are shared. How deep stacks
    /// get is known by then.
    #[must_use]
    pub fn again(self, words: impl IntoIterator<Item = u32>, shared: impl IntoIterator<Item = u32>) -> Self {
        let words = words.into_iter().map(|word| (word & !3, None)).collect();
        let races = Some(Races::new(shared));
        Self { words, touched: None, races, stacks: Stacks::default(), finder: StackFinder::default(), ..self }
    }

    /// A core has started the other one: that has a stack from now on.
    pub(super) fn launched(&mut self, by: u8) {
        if let Some(touched) = &mut self.touched {
            touched.begin_sharing();
        }
        if let Some((sp, _)) = self.launch(usize::from(by)) {
            self.stacks.begin(usize::from(by ^ 1), self.finder.find(sp));
        }
    }

    /// A core has a task, whose stack is used down to the top of these bounds. Whether other words are to be watched.
    pub(super) fn begins_task(&mut self, number: u32, stack: Option<Bounds>) -> bool {
        if self.races.is_some() {
            return false;
        }
        let changes = self.stacks.begin_task(number, stack);
        // Whenever a task is created, its stack is as empty as it was the first time, and never later.
        let is_new = |stack: &Bounds| self.stacks.tasks.get(&number).is_some_and(|known| known.bounds.top == stack.top);
        if let (Some(touched), Some(stack)) = (&mut self.touched, stack.filter(is_new)) {
            touched.begin_stack(&stack);
        }
        changes
    }

    /// What a core has started the other one with: its stack, and its first function.
    pub fn launch(&self, core: usize) -> Option<(u32, u32)> {
        self.seen.launches[core & 1].done
    }

    /// The exception that a core is about to enter became pending in this cycle.
    pub(super) fn pended(&mut self, core: u8, since: Cycle) {
        self.pended[usize::from(core & 1)] = since;
    }

    /// A core enters the handler of an exception; it interrupts a function.
    pub(super) fn enters(&mut self, core: u8, now: Cycle, exception: u8, interrupted: u32) {
        let number = usize::from(core & 1);
        if self.entered[number].is_empty() {
            let before = self.storms[number].filter(|_| self.left[number].is_some_and(|(_, at)| now <= at + BETWEEN));
            let (since, entries) = before.map_or((now, 0), |storm| (storm.since, storm.entries));
            self.storms[number] = Some(Storm { exception, since, entries: entries + 1 });
        }
        self.entered[number].push((exception, now));
        self.seen.enters(core, exception);
        let used = self.interrupts.entry((core, exception)).or_default();
        used.count += 1;
        let since = self.pended[number];
        // What a core does to itself begins at once.
        let waited = if exception >= PEND_SV { now.saturating_sub(since) } else { 0 };
        if waited > used.latency {
            used.latency = waited;
            used.delay = match self.left[number].filter(|&(_, at)| at > since) {
                _ if waited <= PROMPT => Delay::None,
                Some((other, _)) => Delay::Handler(other),
                None => Delay::Masked(interrupted),
            };
        }
    }

    /// When the handler that a core is in began; 0 if it is in none.
    pub(super) fn handler_since(&self, core: u8) -> Cycle {
        self.entered[usize::from(core & 1)].last().map_or(0, |&(_, since)| since)
    }

    /// Cycles that a core has spent in handlers that it has left.
    pub(super) fn handled(&self, core: u8) -> Cycle {
        self.handled[usize::from(core & 1)]
    }

    /// A core leaves a handler.
    pub(super) fn leaves(&mut self, core: u8, now: Cycle, exception: u8) {
        let number = usize::from(core & 1);
        self.left[number] = Some((exception, now));
        if let Some((entered, since)) = self.entered[number].pop()
            && let Some(used) = self.interrupts.get_mut(&(core, entered))
        {
            used.total += now - since;
            used.longest = used.longest.max(now - since);
            if self.entered[number].is_empty() {
                self.handled[number] += now - since;
            }
        }
    }

    /// The handlers that a core has had no time beside, up to cycle `now`.
    pub fn storm(&self, core: usize, now: Cycle) -> Option<Storm> {
        let goes_on = !self.entered[core].is_empty() || self.left[core].is_some_and(|(_, at)| now <= at + BETWEEN);
        self.storms[core].filter(|_| goes_on)
    }

    /// A core comes out of reset, in which it did not go on with this.
    pub(super) fn restarts(&mut self, doer: Doer) {
        let core = doer.core;
        self.resets[usize::from(core & 1)].get_or_insert(Suspected { times: 0, first: doer }).times += 1;
        self.entered[usize::from(core & 1)].clear();
        self.seen.restarts(core);
        // The boot ROM has one of its own, and starts core 1 anew with any.
        self.stacks.end(core);
        self.stops(core);
    }

    /// A core goes into reset.
    pub(super) fn stops(&mut self, core: u8) {
        if let Some(races) = &mut self.races {
            races.order.resets(usize::from(core & 1));
        }
    }

    /// All that is left open ends.
    pub(super) fn finish(&mut self, now: Cycle) {
        for core in [0, 1_u8] {
            while let Some(&(exception, _)) = self.entered[usize::from(core)].last() {
                self.leaves(core, now, exception);
            }
        }
    }

    /// A core has written to a word, while its stack pointer is at `sp`. Whether the word need not be watched any more.
    pub(super) fn written(&mut self, address: u32, sp: u32, doer: Doer, task: InTask) -> bool {
        let unwatch = self.stacks.stored(address, sp, doer, task);
        if let Some(last) = self.words.get_mut(&(address & !3)) {
            *last = Some(doer);
        }
        unwatch && !self.is_wanted(address)
    }

    /// Whether a word that a core reads need not be watched any more.
    pub(super) fn read(&self, address: u32) -> bool {
        self.stacks.is_read_for_good(address) && !self.is_wanted(address)
    }

    /// Whether each access to a word has to be known.
    fn is_wanted(&self, address: u32) -> bool {
        self.words.contains_key(&(address & !3)) || self.races.as_ref().is_some_and(|races| races.watches(address))
    }

    /// First and last address of what it has to know each store to.
    pub(super) fn watched(&self) -> impl Iterator<Item = (u32, u32)> {
        let shared = self.races.iter().flat_map(Races::watched);
        self.words.keys().copied().chain(shared).map(|word| (word, word)).chain(self.stacks.watched())
    }

    /// Something suspicious in a function.
    pub(super) fn suspect(&mut self, what: Suspicion, function: u32, doer: Doer) {
        let key = (what, doer.core, function);
        if self.suspicions.len() < MAX_SUSPICIONS || self.suspicions.contains_key(&key) {
            self.suspicions.entry(key).or_insert(Suspected { times: 0, first: doer }).times += 1;
        }
    }
}
