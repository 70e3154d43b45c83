//! What the protection unit, the caches and the bus say of an address, remembered by page until one of them says otherwise.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::cortex_m::{HARD_FAULT, NMI};
use crate::isa::armv7em::Processor;
use crate::isa::armv7em::bus::{Bus, PAGE};
use crate::isa::armv7em::mpu::{Access, Policy};
use std::hash::{Hash, Hasher};

/// Pages that are remembered.
const PLACES: usize = 64;

/// What is the same for all addresses of a page, for one privilege.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Page {
    /// Its number, and in bit 0 the privilege.
    tag: u32,
    /// Where the bus has its memory; None for what is no memory.
    pub place: Option<u32>,
    /// Which accesses are permitted and need no check, by [`Access`].
    permits: [bool; 3],
    /// Whether stores to `place` change it.
    pub writable: bool,
    /// Of the data cache, if it is on.
    pub policy: Policy,
}

impl Page {
    const NONE: Self =
        Self { tag: u32::MAX, place: None, permits: [false; 3], writable: false, policy: Policy::NotCached };

    /// Whether an access is permitted for certain. If not, each address has to be looked at.
    #[inline(always)]
    pub fn permits(&self, access: Access) -> bool {
        self.permits[access as usize]
    }

    /// The place of an address of it.
    #[inline(always)]
    pub fn place_of(&self, address: u32) -> Option<u32> {
        self.place.map(|place| place | address & (PAGE - 1))
    }
}

/// See the module's description.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    all: [Page; PLACES],
    /// That of the last fetch if it is memory: its tag, and its place.
    code: (u32, u32),
}

impl Pages {
    pub fn new() -> Self {
        Self { all: [Page::NONE; PLACES], code: (u32::MAX, 0) }
    }

    /// The MPU, the priority or a cache have changed.
    #[cold]
    pub fn forget(&mut self) {
        *self = Self::new();
    }
}

/// They are no state: what they say follows from it.
impl Hash for Pages {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[inline(always)]
fn tag(address: u32, privileged: bool) -> u32 {
    (address / PAGE) << 1 | u32::from(privileged)
}

impl Processor {
    /// The page of an address.
    #[inline(always)]
    pub(crate) fn page(&mut self, address: u32, privileged: bool, bus: &impl Bus) -> Page {
        let tag = tag(address, privileged);
        let page = &self.pages.all[(tag.wrapping_mul(0x9e37_79b1) >> 26) as usize];
        if page.tag == tag { *page } else { self.look_up_page(address, privileged, bus) }
    }

    /// The place of the instruction at PC, if all of it is in memory from which it may be fetched.
    #[inline(always)]
    pub(crate) fn code_place(&mut self, bus: &impl Bus) -> Option<u32> {
        let offset = self.pc % PAGE;
        let known = self.pages.code.0 == tag(self.pc, self.is_privileged()) || self.enter_code_page(bus);
        (known && offset <= PAGE - 4).then_some(self.pages.code.1 | offset)
    }

    /// Execution goes on in another page. Whether that is memory from which it may be fetched.
    #[inline(never)]
    fn enter_code_page(&mut self, bus: &impl Bus) -> bool {
        let page = self.page(self.pc, self.is_privileged(), bus);
        let place = page.place.filter(|_| page.permits(Access::Execute));
        self.pages.code = place.map_or((u32::MAX, 0), |place| (page.tag, place));
        place.is_some()
    }

    /// The same, remembered from now on; while a change of the MPU is not effective yet nothing is certain, nor where it
    /// changes within the page.
    #[cold]
    fn look_up_page(&mut self, address: u32, privileged: bool, bus: &impl Bus) -> Page {
        let first = address & !(PAGE - 1);
        if self.mpu.is_changing() || !self.mpu.is_uniform(first, first + (PAGE - 1)) {
            return Page::NONE;
        }
        let memory = bus.memory(first);
        let tag = tag(address, privileged);
        let page = Page {
            tag,
            place: memory.map(|memory| memory.place),
            permits: [Access::Read, Access::Write, Access::Execute]
                .map(|access| self.permits(first, privileged, access)),
            writable: memory.is_some_and(|memory| memory.writable),
            policy: self.cache_policy(first),
        };
        self.pages.all[(tag.wrapping_mul(0x9e37_79b1) >> 26) as usize] = page;
        page
    }

    /// With FAULTMASK, too, the MPU may be off.
    pub(crate) fn change_faultmask(&mut self, set: bool) {
        if std::mem::replace(&mut self.faultmask, set) != set {
            self.pages.forget();
        }
    }

    /// An exception becomes active or no longer is: the MPU may be off in those of negative priority.
    pub(crate) fn forget_pages_of(&mut self, exception: u8) {
        if matches!(exception, NMI | HARD_FAULT) {
            self.pages.forget();
        }
    }
}
