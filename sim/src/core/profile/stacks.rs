//! How deep each core's stack gets, and who leaves it.
//!
//! What is below the lowest word that a core has stored to is watched, so that it costs nothing to look: a word is watched
//! until it is stored to for the first time.

use crate::core::profile::hunt::Doer;
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes below a stack that are watched, at most.
const BELOW: u32 = 0x4000;
/// Those that are watched also if data are there.
const NEAR: u32 = 0x400;
/// Bytes below the stack pointer that an instruction may store to: PUSH of all registers, or the frame of an exception.
const PUSHED: u32 = 40;
/// What is below the first one is another store into the same stack.
const MAX_INTRUSIONS: usize = 16;

/// Where the stack of a core is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The lowest address of it.
    pub limit: u32,
    /// The address behind it.
    pub top: u32,
    /// The end of the data below it.
    pub data_end: u32,
}

/// Bytes that whoever starts a core puts on its stack beforehand, at most.
const PREPARED: u32 = 64;

/// What an image says of stacks.
#[derive(Clone, Debug, Default)]
pub struct StackFinder {
    /// Those that its linker script names.
    pub named: Vec<Range<u32>>,
    /// Its data, and code in RAM.
    pub data: Vec<Range<u32>>,
    /// Where banks of RAM begin, and where the last one ends. In all but the first, a stack needs no name.
    pub banks: &'static [u32],
}

impl StackFinder {
    /// The stack of a core whose stack pointer begins at an address; none if nothing says where it ends.
    pub fn find(&self, sp: u32) -> Option<Bounds> {
        let inside = sp.checked_sub(4)?;
        let has_it = |range: &&Range<u32>| range.contains(&inside);
        let bank = self.banks.windows(2).find(|bank| (bank[0]..bank[1]).contains(&inside))?[0];
        let data_end = |limit: u32| {
            let ends = self.data.iter().map(|range| range.end).filter(|&end| end <= limit);
            ends.max().unwrap_or(0).max(self.banks[0])
        };
        let named = self.named.iter().filter(|range| range.end.saturating_sub(sp) <= PREPARED).find(has_it);
        let range = match named.or_else(|| self.data.iter().find(has_it)) {
            Some(range) => range.clone(),
            // A heap may be between the data and a stack at the end of main memory.
            None if bank == self.banks[0] => return None,
            None => data_end(sp).max(bank)..sp,
        };
        Some(Bounds { limit: range.start, top: range.end, data_end: data_end(range.start) })
    }
}

/// The stack of a core.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// Where it is.
    pub bounds: Bounds,
    /// The lowest word that the core has stored to.
    pub low: u32,
    /// Who did so.
    pub deepest: Option<Doer>,
    /// Who was the first to store below it, and where.
    pub overflow: Option<(Doer, u32)>,
}

impl Stack {
    fn new(bounds: Bounds) -> Self {
        Self { bounds, low: bounds.top, deepest: None, overflow: None }
    }

    /// What is in use.
    fn used(&self) -> Range<u32> {
        self.low..self.bounds.top
    }

    /// Somebody stores below it, perhaps as part of it.
    fn leave(&mut self, address: u32, sp: u32, doer: Doer) {
        let Bounds { limit, top, .. } = self.bounds;
        let pushed = address < sp && address >= sp.saturating_sub(PUSHED);
        let on_it = sp <= top && sp.saturating_add(BELOW) > limit;
        if address < limit && on_it && (sp < limit || pushed) && self.guard().contains(&address) {
            self.low = limit;
            self.overflow = Some((doer, address));
        }
    }

    /// What is watched.
    fn guard(&self) -> Range<u32> {
        let Bounds { limit, data_end, .. } = self.bounds;
        let below = limit.saturating_sub(BELOW).max(data_end).min(limit.saturating_sub(NEAR));
        if self.overflow.is_some() { 0..0 } else { below..self.low }
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    /// By core; none before it has one that is known.
    pub of: [Option<Stack>; 2],
    /// Stores of a core into a part of the other one's stack that the other one has not used, and the address.
    pub intrusions: Vec<(Doer, u32)>,
    /// Of a kernel's tasks, by their numbers.
    pub tasks: BTreeMap<u32, Stack>,
}

/// The task of a core that stores.
#[derive(Clone, Copy, Debug)]
pub(super) struct InTask {
    /// 0 without a task.
    pub number: u32,
    /// Its stack is in use, and not a handler's.
    pub on_its_stack: bool,
}

impl Stacks {
    /// A core has a stack from now on.
    pub(super) fn begin(&mut self, core: usize, bounds: Option<Bounds>) {
        self.of[core & 1] = bounds.map(Stack::new);
    }

    /// A core has no stack that is known any more; if it is core 0, which begins the program anew, no core has.
    pub(super) fn end(&mut self, core: u8) {
        for stack in &mut self.of[usize::from(core & 1)..] {
            *stack = None;
        }
    }

    /// A core has a task for the first time, if the task's stack is not known yet. Whether other words are to be watched.
    pub(super) fn begin_task(&mut self, number: u32, bounds: Option<Bounds>) -> bool {
        // One that was created again may have its control block where it was, and its stack elsewhere.
        let is_known =
            |bounds: &Bounds| self.tasks.get(&number).is_some_and(|stack| stack.bounds.limit == bounds.limit);
        let Some(bounds) = bounds.filter(|bounds| !is_known(bounds)) else { return false };
        // Memory of a task that was deleted.
        self.tasks.retain(|_, stack| stack.bounds.top <= bounds.limit || bounds.top <= stack.bounds.limit);
        self.tasks.insert(number, Stack::new(bounds));
        true
    }

    fn all(&self) -> impl Iterator<Item = &Stack> {
        self.of.iter().flatten().chain(self.tasks.values())
    }

    /// What is watched: first and last address.
    pub(super) fn watched(&self) -> impl Iterator<Item = (u32, u32)> {
        let guards = self.all().map(Stack::guard).filter(|guard| !guard.is_empty());
        guards.map(|guard| (guard.start, guard.end - 1))
    }

    /// Whether a word that a core reads need not be watched any more: it is somebody's data below a stack, or of the part of a
    /// stack that is in use.
    pub(super) fn is_read_for_good(&self, address: u32) -> bool {
        self.all().any(|stack| {
            let is_data = stack.guard().contains(&address) && address < stack.bounds.limit;
            is_data || stack.used().contains(&address)
        })
    }

    /// A core stores to a word while its stack pointer is at `sp`. Whether the word was watched, and need not be any more.
    pub(super) fn stored(&mut self, address: u32, sp: u32, doer: Doer, task: InTask) -> bool {
        let number = usize::from(doer.core & 1);
        let mut watched = self.stored_by_task(address, sp, doer, task);
        if let Some(stack) = &mut self.of[number] {
            watched |= stack.guard().contains(&address);
            if (stack.bounds.limit..stack.low).contains(&address) {
                (stack.low, stack.deepest) = (address & !3, Some(doer));
            } else if !task.on_its_stack {
                // Else its stack pointer is one of another stack.
                stack.leave(address, sp, doer);
            }
            // Also what lies between words that were stored to.
            watched |= stack.used().contains(&address);
        }
        if let Some(other) = &self.of[1 - number]
            && (other.bounds.limit..other.low).contains(&address)
            && self.of[number].is_none_or(|own| !(own.bounds.limit..own.bounds.top).contains(&address))
            // Else the stacks of both cores are in one array.
            && !(other.bounds.limit..=other.bounds.top).contains(&sp)
        {
            watched = true;
            if other.low < other.bounds.top && self.intrusions.len() < MAX_INTRUSIONS {
                self.intrusions.push((doer, address));
            }
        }
        watched
    }

    /// The same of the stacks of tasks. What another task or a handler stores below one, or to a part that it has not used, is no
    /// fault: a kernel gives memory of tasks that it has deleted to others.
    fn stored_by_task(&mut self, address: u32, sp: u32, doer: Doer, task: InTask) -> bool {
        let mut watched = false;
        for (&number, stack) in &mut self.tasks {
            if !stack.guard().contains(&address) && !stack.used().contains(&address) {
                continue;
            }
            watched = true;
            if number != task.number {
                continue;
            }
            if (stack.bounds.limit..stack.low).contains(&address) {
                (stack.low, stack.deepest) = (address & !3, Some(doer));
            } else if task.on_its_stack && stack.low < stack.bounds.top {
                stack.leave(address, sp, doer);
            }
        }
        watched
    }
}
