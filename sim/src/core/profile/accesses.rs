//! What a profile, and a hunt for faults, make of single accesses of the cores.

use crate::core::profile::races::By;
use crate::core::profile::stacks::InTask;
use crate::core::profile::touched::is_on_stack;
use crate::core::profile::{Bounds, Doer, Masks, NewTask, Profile, Suspicion, Who, turns::Told};
use crate::core::time::Cycle;

/// The instruction that loads or stores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accessor {
    pub core: u8,
    pub pc: u32,
    /// The stack pointer.
    pub sp: u32,
    /// Whether it is of a handler of an exception, as far as that matters.
    pub in_handler: bool,
    /// That is the process stack's, on which a kernel has its tasks.
    pub in_task: bool,
}

/// When a core accesses a spinlock.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// A cycle of the chip.
    Chip(Cycle),
    /// A cycle of the quantum, of the speculative core.
    Quantum(u32),
}

/// An access to a spinlock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LockAccess {
    pub by: Accessor,
    pub address: u32,
    pub write: bool,
    pub value: u32,
    pub at: When,
    /// How much the core had begun in the quantum.
    pub begun: u32,
}

/// What is to be done after an access.
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub(crate) struct Noted {
    /// A core has begun a task.
    pub begins_task: bool,
    /// The word need not be watched any more.
    pub unwatch: bool,
    /// Other words are to be watched.
    pub changes_watch: bool,
}

impl Noted {
    /// Whether `follow_up` has to be called.
    #[inline]
    pub fn calls_for_something(self) -> bool {
        self.begins_task || self.unwatch
    }
}

impl Profile {
    /// Whether it has to be told of each access to an address of a core's I/O port at once, and not when a quantum is over.
    pub(crate) fn is_told_at_once(&self, address: u32) -> bool {
        let Some(hunt) = &self.hunt else { return false };
        if self.contention.is_lock(address) {
            return hunt.touched.as_ref().is_some_and(|touched| !touched.knows(address));
        }
        hunt.is_told_of(address)
    }

    /// Whether it has to be told of each access to an address: those to spinlocks.
    pub(crate) fn is_lock(&self, address: u32) -> bool {
        self.contention.is_lock(address)
    }

    /// A core accesses a spinlock in a quantum, and may yet have to do so once more. What it notes of its accesses from now on.
    pub(crate) fn touch_lock(&mut self, by: Accessor, address: u32, write: bool, value: u32) -> Option<Masks> {
        let touched = self.touched()?;
        touched.lock((by.core, by.in_handler), address, write, value);
        Some(touched.masks(by.core, by.in_handler))
    }

    /// A core has accessed a spinlock, in a function and its node.
    pub(super) fn lock(&mut self, access: &LockAccess, now: Cycle, function: (u32, usize)) {
        let &LockAccess { by, address, write, value, .. } = access;
        self.contention.lock(by.core, now, address, write, value, function);
        if let Some(races) = self.hunt.as_mut().and_then(|hunt| hunt.races.as_mut()) {
            races.order.lock(usize::from(by.core & 1), address, write, value);
        }
    }

    /// The exception whose handler a core is about to begin became pending in this cycle.
    pub(crate) fn pended(&mut self, core: u8, since: Cycle) {
        if let Some(hunt) = &mut self.hunt {
            hunt.pended(core, since);
        }
    }

    /// A core loads or stores a value, and what is to be done about it.
    pub(crate) fn access(
        &mut self,
        by: Accessor,
        now: Cycle,
        (address, bytes): (u32, u32),
        write: bool,
        value: u32,
    ) -> Noted {
        let core = by.core;
        if self.contention.is_lock(address) {
            self.keep(Told::Reads { by, now, address, value });
            let calls = &self.cores[usize::from(core & 1)].calls;
            let function = (calls.function(), calls.node());
            self.lock(&LockAccess { by, address, write, value, at: When::Chip(now), begun: 0 }, now, function);
            self.touch_lock(by, address, write, value);
            return Noted::default();
        }
        let mut noted = Noted::default();
        if let Some(hunt) = &mut self.hunt {
            let calls = &self.cores[usize::from(core & 1)].calls;
            let doer = Doer { core, cycle: now, pc: by.pc, node: calls.node(), value };
            let accessor = By {
                who: Who::new(core, calls.root()),
                doer,
                function: calls.function(),
                call: calls.call_number(),
                since: hunt.handler_since(core),
                handled: hunt.handled(core),
                on_stack: is_on_stack(address, by.sp),
            };
            if address >> 28 >= 4
                && let Some(races) = &mut hunt.races
            {
                races.register(accessor, address, write);
            }
            if address >> 28 >= 0xd {
                noted.changes_watch = hunt.access(doer, calls.root(), calls.functions(), address, write);
            } else {
                let task = InTask { number: self.tasks.current[usize::from(core & 1)], on_its_stack: by.in_task };
                noted.unwatch = if write { hunt.written(address, by.sp, doer, task) } else { hunt.read(address) };
                if let Some(touched) = &mut hunt.touched {
                    touched.touch_near((core, by.in_handler), address, by.sp, write);
                }
                if let Some(races) = &mut hunt.races {
                    noted.changes_watch = races.access(accessor, address, bytes, write);
                }
            }
        }
        noted.begins_task = write && self.tasks.written(usize::from(core & 1), now, address, value);
        noted
    }

    /// A channel of the DMA stores a value, of which each lane has a copy.
    pub(crate) fn transferred(&mut self, channel: usize, (address, bytes): (u32, u32), value: u32, now: Cycle) {
        let Some(hunt) = &mut self.hunt else { return };
        if let Some(touched) = &mut hunt.touched {
            touched.transferred(address);
        }
        if let Some(races) = &mut hunt.races {
            races.transferred(channel, address, bytes, value, now);
        }
    }

    /// Whether it is recorded for data races alone. Then it has to be told of each load of a register; what cycles were lost for,
    /// the same run has shown before.
    pub(crate) fn is_of_races(&self) -> bool {
        self.hunt.as_ref().is_some_and(|hunt| hunt.races.is_some())
    }

    /// A core has a task from now on, by this name; its stack, if it has not run yet. Whether other words are to be watched.
    pub(crate) fn begins_task(&mut self, begun: NewTask, name: String, stack: Option<Bounds>) -> bool {
        let core = begun.core & 1;
        self.tasks.set(begun, name);
        let number = self.tasks.current[core];
        self.hunt.as_mut().is_some_and(|hunt| number != 0 && hunt.begins_task(number, stack))
    }

    /// A core needs a word of flash that cannot be read now.
    pub(crate) fn reads_busy_flash(&mut self, core: u8, now: Cycle) {
        let Some(hunt) = &mut self.hunt else { return };
        let calls = &self.cores[usize::from(core & 1)].calls;
        let doer = Doer { core, cycle: now, pc: 0, node: calls.node(), value: 0 };
        hunt.suspect(Suspicion::FlashBusy, calls.function(), doer);
    }
}
