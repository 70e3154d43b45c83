//! Tasks of a kernel, with the names that they had when a core began them: later, a task may be deleted, and its control
//! block be that of another one.

use crate::core::bus::Bus;
use crate::core::profile::Noted;
use crate::core::profile::stacks::Bounds;
use crate::core::time::Cycle;
use std::collections::HashMap;

/// Characters of a name, at most.
const LONGEST: u32 = 24;
/// Tasks at most: a program that is no kernel may write anything where a kernel's task would be. All others are as no task.
const MOST: usize = 1 << 16;

/// Bytes of registers on the stack of a task that has not run: all but the stack pointer.
const SAVED: u32 = 64;
/// More than any stack has.
const LARGEST_STACK: u32 = 1 << 18;

/// Where a kernel keeps what a profile has to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kernel {
    /// Where each core's current task is, by the address of its control block; 0 without a kernel.
    pub current: [u32; 2],
    /// Where in a control block the name may be: the first place with a text is it.
    pub names_at: &'static [u32],
    /// How far before the name the lowest address of the stack is.
    pub stack_before: u32,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    kernel: Kernel,
    /// Control block and name of each, by its number less 1.
    all: Vec<(u32, String)>,
    numbers: HashMap<(u32, String), u32>,
    /// When each was last taken off a core, by its number less 1; 0 if never.
    left: Vec<Cycle>,
    /// The number of each core's task; 0 without one.
    pub(super) current: [u32; 2],
    /// What a core has begun, and `set` has not been told yet.
    begun: Option<NewTask>,
}

/// A core has begun the task of a control block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewTask {
    pub core: usize,
    block: u32,
    kernel: Kernel,
    at: Cycle,
}

impl NewTask {
    /// The name of the task, empty if it has none; `peek` reads the words of the core's memory.
    pub fn name(self, peek: impl Fn(u32) -> Option<u32>) -> String {
        self.named(peek).map(|(_, name)| name).unwrap_or_default()
    }

    /// The stack of a task that has not run yet: it ends behind the registers that the kernel has put there for it.
    fn stack(self, peek: impl Fn(u32) -> Option<u32>) -> Option<Bounds> {
        let (name_at, _) = self.named(&peek)?;
        let limit = peek(self.block.wrapping_add(name_at.checked_sub(self.kernel.stack_before)?))?;
        let top = peek(self.block)?.checked_add(SAVED)?;
        (limit < top && top - limit < LARGEST_STACK).then_some(Bounds { limit, top, data_end: limit })
    }

    fn named(self, peek: impl Fn(u32) -> Option<u32>) -> Option<(u32, String)> {
        let byte = |address: u32| Some(peek(address & !3)?.to_le_bytes()[(address & 3) as usize]);
        let text = |offset: &u32| {
            let start = self.block.wrapping_add(*offset);
            let bytes = (0..LONGEST).map_while(|at| byte(start.wrapping_add(at)));
            let name: String = bytes.take_while(|&byte| byte != 0).map(char::from).collect();
            let is_text = !name.is_empty() && name.chars().all(|one| one == ' ' || one.is_ascii_graphic());
            is_text.then_some((*offset, name))
        };
        self.kernel.names_at.iter().find_map(text)
    }
}

impl Tasks {
    /// Of a kernel, or of no kernel.
    pub fn new(kernel: Kernel) -> Self {
        Self { kernel, ..Self::default() }
    }

    /// Control block and name of each task that a core has had, by its number; first 0 and no name, for no task.
    pub fn all(&self) -> impl Iterator<Item = (u32, &str)> {
        std::iter::once((0, "")).chain(self.all.iter().map(|(block, name)| (*block, name.as_str())))
    }

    /// Since when each task has been on no core, by its number less 1: 0 if it is on one, or has been on none.
    pub fn away_since(&self) -> impl Iterator<Item = Cycle> {
        let is_current = |number: u32| self.current.contains(&number);
        (1..).zip(&self.left).map(move |(number, &left)| if is_current(number) { 0 } else { left })
    }

    /// Where each core's current task is, if there is a kernel.
    pub(crate) fn words(&self) -> impl Iterator<Item = u32> {
        self.kernel.current.into_iter().filter(|&address| address != 0)
    }

    /// A core has the task of a control block from now on; `peek` reads the words of its memory.
    pub fn begin(&mut self, core: usize, block: u32, peek: impl Fn(u32) -> Option<u32>) {
        let begun = NewTask { core, block, kernel: self.kernel, at: 0 };
        self.set(begun, begun.name(peek));
    }

    /// A core has this task from now on, by this name.
    pub(crate) fn set(&mut self, begun: NewTask, name: String) {
        let all = &mut self.all;
        let task = (begun.block, name);
        let core = begun.core & 1;
        if let Some(left) = (self.current[core] as usize).checked_sub(1).and_then(|before| self.left.get_mut(before)) {
            *left = begun.at;
        }
        self.current[core] = match self.numbers.get(&task) {
            _ if begun.block == 0 => 0,
            Some(&number) => number,
            None if all.len() == MOST => 0,
            None => {
                all.push(task.clone());
                self.left.push(0);
                let number = all.len() as u32;
                self.numbers.insert(task, number);
                number
            }
        };
    }

    /// A core has written a value to an address. Whether it has begun a task, and `note_task` must be called.
    #[inline]
    pub(super) fn written(&mut self, core: usize, now: Cycle, address: u32, value: u32) -> bool {
        let current = self.kernel.current;
        if !current.contains(&address) {
            return false;
        }
        // Two kernels may have theirs at one address, each in memory of its core.
        let of = if current[core] == address { core } else { 1 - core };
        self.begun = Some(NewTask { core: of, block: value, kernel: self.kernel, at: now });
        true
    }

    /// What a core has begun, once.
    #[inline]
    pub(crate) fn take_begun(&mut self) -> Option<NewTask> {
        self.begun.take()
    }
}

/// Does what an access to an address calls for.
#[cold]
pub(crate) fn follow_up<B: Bus>(bus: &mut B, address: u32, noted: Noted) {
    if noted.unwatch {
        bus.unwatch(address);
    }
    if noted.begins_task {
        note_task(bus);
    }
}

/// Takes note of the task that a core has just begun.
fn note_task<B: Bus>(bus: &mut B) {
    let begun = bus.fabric_mut().watch.profile.as_mut().and_then(|profile| profile.tasks.take_begun());
    if let Some(begun) = begun {
        let peek = |address| bus.peek_word(address);
        let (name, stack) = (begun.name(peek), begun.stack(peek));
        let fabric = bus.fabric_mut();
        if fabric.watch.begins_task(begun, name, stack) {
            fabric.requests.touch(begun.at);
        }
    }
}
