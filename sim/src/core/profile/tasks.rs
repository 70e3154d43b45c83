//! Tasks of a kernel, with the names that they had when a core began them: later, a task may be deleted, and its control
//! block be that of another one.

use crate::core::bus::Bus;
use crate::core::profile::Noted;
use std::collections::HashMap;

/// Characters of a name, at most.
const LONGEST: u32 = 24;
/// Tasks at most: a program that is no kernel may write anything where a kernel's task would be. All others are as no task.
const MOST: usize = 1 << 16;

/// Where a kernel keeps what a profile has to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kernel {
    /// Where each core's current task is, by the address of its control block; 0 without a kernel.
    pub current: [u32; 2],
    /// Where in a control block the name may be: the first place with a text is it.
    pub names_at: &'static [u32],
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    kernel: Kernel,
    /// Control block and name of each, by its number less 1.
    all: Vec<(u32, String)>,
    numbers: HashMap<(u32, String), u32>,
    /// The number of each core's task; 0 without one.
    pub(super) current: [u32; 2],
    /// What a core has begun, and `set` has not been told yet.
    begun: Option<Begun>,
}

/// A core has begun the task of a control block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub core: usize,
    block: u32,
    names_at: &'static [u32],
}

impl Begun {
    /// The name of the task, empty if it has none; `peek` reads the words of the core's memory.
    pub fn name(self, peek: impl Fn(u32) -> Option<u32>) -> String {
        let byte = |address: u32| Some(peek(address & !3)?.to_le_bytes()[(address & 3) as usize]);
        let text = |offset: &u32| {
            let start = self.block.wrapping_add(*offset);
            let bytes = (0..LONGEST).map_while(|at| byte(start.wrapping_add(at)));
            let name: String = bytes.take_while(|&byte| byte != 0).map(char::from).collect();
            (!name.is_empty() && name.chars().all(|one| one == ' ' || one.is_ascii_graphic())).then_some(name)
        };
        self.names_at.iter().find_map(text).unwrap_or_default()
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

    /// Where each core's current task is, if there is a kernel.
    pub(super) fn words(&self) -> impl Iterator<Item = u32> {
        self.kernel.current.into_iter().filter(|&address| address != 0)
    }

    /// A core has the task of a control block from now on; `peek` reads the words of its memory.
    pub fn begin(&mut self, core: usize, block: u32, peek: impl Fn(u32) -> Option<u32>) {
        let begun = Begun { core, block, names_at: self.kernel.names_at };
        self.set(begun, begun.name(peek));
    }

    /// A core has this task from now on, by this name.
    pub(crate) fn set(&mut self, begun: Begun, name: String) {
        let all = &mut self.all;
        let task = (begun.block, name);
        self.current[begun.core & 1] = match self.numbers.get(&task) {
            _ if begun.block == 0 => 0,
            Some(&number) => number,
            None if all.len() == MOST => 0,
            None => {
                all.push(task.clone());
                let number = all.len() as u32;
                self.numbers.insert(task, number);
                number
            }
        };
    }

    /// A core has written a value to an address. Whether it has begun a task, and `note_task` must be called.
    #[inline]
    pub(super) fn written(&mut self, core: usize, address: u32, value: u32) -> bool {
        let current = self.kernel.current;
        if !current.contains(&address) {
            return false;
        }
        // Two kernels may have theirs at one address, each in memory of its core.
        let of = if current[core] == address { core } else { 1 - core };
        self.begun = Some(Begun { core: of, block: value, names_at: self.kernel.names_at });
        true
    }

    /// What a core has begun, once.
    #[inline]
    pub(crate) fn take_begun(&mut self) -> Option<Begun> {
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
        let name = begun.name(|address| bus.peek_word(address));
        if let Some(profile) = &mut bus.fabric_mut().watch.profile {
            profile.tasks.set(begun, name);
        }
    }
}
