//! Which cores load and store each word of RAM, as far as a hunt for data races has to know to choose the words that it
//! watches.
//!
//! | bits | of core 0; those of core 1 are 6 higher |
//! |---|---|
//! | 0, 1 | it has loaded, stored the word by its stack pointer |
//! | 2, 3 | it has loaded, stored the word otherwise, outside handlers |
//! | 4, 5 | the same in handlers |
//!
//! Bit 12: the DMA has stored it. Bits 13 to 15: a core has accessed it without holding the first, second, third spinlock that
//! was claimed once both cores ran. The bits 16 higher are of the time before a core has started the other one: what it did
//! then, it did alone.
//!
//! A word that is only accessed under one spinlock need not be watched: nothing of it has no order, and what it hands over, the
//! spinlock hands over, too. Most words of a kernel are such.

use crate::core::profile::Bounds;
use crate::core::ram::{RAM_ROOM, zeroed};

/// Bits of a core.
const OF_CORE: u32 = 6;
const STORES: u32 = 0b10_1010;
const BY_STACK_POINTER: u32 = 0b11;
const IN_THREADS: u32 = 0b1100;
const IN_HANDLERS: u32 = 0b11_0000;
/// The DMA.
const TRANSFERRED: u32 = 1 << 12;
/// The first of the bits of spinlocks, and how many there are.
const UNLOCKED: u32 = 13;
const LOCKS: usize = 3;
const NO_LOCK: u32 = ((1 << LOCKS) - 1) << UNLOCKED;
/// How much higher what was before is.
const BEFORE: u32 = 16;

/// Bytes from a little below the stack pointer up within which an address is taken for one of the stack.
const NEAR: u32 = 512;
/// That little: what an instruction may push.
const PUSHED: u32 = 40;

/// Whether an address is probably of what is on the stack of the function that accesses it.
pub(super) fn is_on_stack(address: u32, sp: u32) -> bool {
    address.wrapping_sub(sp.wrapping_sub(PUSHED)) < NEAR
}

/// The bits that an access of a core sets: of a load and a store by the stack pointer, and of a load and a store otherwise.
pub(crate) type Masks = [u32; 4];

/// Those of a core, in a handler or outside, without the bits of spinlocks.
fn masks(core: u8, in_handler: bool) -> Masks {
    let others = if in_handler { 4 } else { 2 };
    [0, 1, others, others + 1].map(|bit| 1 << (bit + OF_CORE * u32::from(core & 1)))
}

/// Which of the masks an access sets.
pub(crate) const fn kind(by_stack_pointer: bool, write: bool) -> usize {
    2 * (!by_stack_pointer) as usize + write as usize
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Touched {
    ram: u32,
    /// A core has started the other one.
    is_shared: bool,
    /// Addresses of spinlocks.
    locks: Vec<u32>,
    /// By core, and whether it claimed them in a handler: the bits of those that it holds.
    held: [[u32; 2]; 2],
    by_word: Box<[u32; RAM_ROOM]>,
}

impl Touched {
    /// Nothing of the RAM that begins at an address.
    pub fn new(ram: u32) -> Self {
        Self { ram, is_shared: false, locks: Vec::new(), held: [[0; 2]; 2], by_word: zeroed() }
    }

    /// Where they are, for native code.
    pub(crate) fn address(&mut self) -> usize {
        self.by_word.as_mut_ptr() as usize
    }

    /// A core accesses a word.
    #[inline]
    pub(crate) fn touch(&mut self, address: u32, mask: u32) {
        if let Some(touched) = self.by_word.get_mut(address.wrapping_sub(self.ram) as usize >> 2) {
            *touched |= mask;
        }
    }

    /// The bits that an access of a core sets: a lock that its thread holds says nothing of its handlers.
    pub(crate) fn masks(&self, core: u8, in_handler: bool) -> Masks {
        let unlocked = NO_LOCK & !self.held[usize::from(core & 1)][usize::from(in_handler)];
        masks(core, in_handler).map(|mask| mask | unlocked)
    }

    /// The same, by an instruction that is not known.
    pub(super) fn touch_near(&mut self, (core, in_handler): (u8, bool), address: u32, sp: u32, write: bool) {
        self.touch(address, self.masks(core, in_handler)[kind(is_on_stack(address, sp), write)]);
    }

    /// A core reads a spinlock, or writes to it.
    pub(super) fn lock(&mut self, (core, in_handler): (u8, bool), address: u32, write: bool, value: u32) {
        let claims = !write && value != 0;
        if claims && (self.is_shared || core == 1) && self.locks.len() < LOCKS && !self.locks.contains(&address) {
            self.locks.push(address);
        }
        let Some(lock) = self.locks.iter().position(|&lock| lock == address) else { return };
        let bit = 1 << (UNLOCKED + lock as u32);
        if write {
            self.held.as_flattened_mut().iter_mut().for_each(|held| *held &= !bit);
        } else if claims {
            self.held[usize::from(core & 1)][usize::from(in_handler)] |= bit;
        }
    }

    /// Whether nothing but who holds it changes when a core claims or releases a spinlock.
    pub(super) fn knows(&self, lock: u32) -> bool {
        self.locks.len() == LOCKS || self.locks.contains(&lock)
    }

    /// The bits of the spinlocks that a core holds.
    pub(crate) fn held(&mut self, core: u8) -> &mut [u32; 2] {
        &mut self.held[usize::from(core & 1)]
    }

    /// A task begins to use memory as its stack: what was there before is over, and so is what was made of it for the task.
    pub(super) fn begin_stack(&mut self, stack: &Bounds) {
        let index = |address: u32| (address.wrapping_sub(self.ram) >> 2) as usize;
        if let Some(words) = self.by_word.get_mut(index(stack.limit)..index(stack.top)) {
            words.fill(0);
        }
    }

    /// The DMA stores a word.
    pub(super) fn transferred(&mut self, address: u32) {
        self.touch(address, TRANSFERRED);
    }

    /// A core starts the other one: only the first time, until then it was alone.
    pub(super) fn begin_sharing(&mut self) {
        if std::mem::replace(&mut self.is_shared, true) {
            return;
        }
        for touched in &mut self.by_word[..] {
            *touched |= *touched << BEFORE;
            *touched &= !((1 << BEFORE) - 1);
        }
    }

    /// Words that both cores have accessed, or a core in handlers and outside, or a core and the DMA, and that were stored to.
    /// Not those of stacks that nobody but a kernel's handlers accesses otherwise than by the stack pointer: they are of tasks
    /// that were interrupted, or have changed the core. Nor those that, since both cores run, were only accessed under one
    /// spinlock.
    pub fn shared(&self) -> Vec<u32> {
        let shared = self.by_word.iter().enumerate().filter(|&(_, &touched)| is_shared(touched));
        shared.map(|(index, _)| self.ram + 4 * index as u32).collect()
    }
}

fn is_shared(touched: u32) -> bool {
    let every = touched | touched >> BEFORE;
    let core = |bits: u32, core: u32| bits >> (OF_CORE * core) & ((1 << OF_CORE) - 1);
    let (zero, one) = (core(touched, 0), core(touched, 1));
    // Of a stack, a kernel's handlers save and restore what a task has pushed.
    let others = if (zero | one) & BY_STACK_POINTER & STORES != 0 { IN_THREADS } else { IN_THREADS | IN_HANDLERS };
    let by_cores = zero != 0 && one != 0 && (zero | one) & STORES != 0 && (zero | one) & others != 0;
    let by_handlers = [core(every, 0), core(every, 1)].into_iter().any(|bits| {
        let is_of_stack = bits & BY_STACK_POINTER & STORES != 0;
        bits & IN_THREADS != 0 && bits & IN_HANDLERS != 0 && bits & STORES & !BY_STACK_POINTER != 0 && !is_of_stack
    });
    let by_dma = every & TRANSFERRED != 0 && every & !STORES & !(STORES << OF_CORE) & (TRANSFERRED - 1) != 0;
    let is_locked = touched & (TRANSFERRED - 1) != 0 && touched & NO_LOCK != NO_LOCK;
    (by_cores || by_handlers) && !is_locked || by_dma
}
