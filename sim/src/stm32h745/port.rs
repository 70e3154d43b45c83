//! A core's port to memories and peripherals, with checks of memory that both cores use.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::access::Width;
use crate::core::profile::Accessor;
use crate::core::watch::{CoreEvent, Watchpoints};
use crate::isa::armv7em::bus::{Bus, BusError, Event, Memory as Page};
use crate::isa::armv7em::cache::LINE;
use crate::stm32h745::memory::{BANK, Location, Memory, Place, locate, of_core, use_flag};
use crate::stm32h745::peripherals::hsem::Hsem;
use crate::stm32h745::peripherals::{BACKUP_RAM, Peripherals};
use crate::stm32h745::report::Reports;
use crate::stm32h745::{M4, Time};

/// CCR, which enables the data cache (ARMv7-M B3.2.8).
const CCR: u32 = 0xe000_ed14;

// Software errors in memory that the two cores share, as sentences about the core.
const STALE_CACHE_LINE: &str =
    "loads from its data cache what the Cortex-M4 has stored to in memory since: it sees what was there before";
const UNCLEANED_CACHE_LINE: &str = "\
    loads from memory what the Cortex-M7 has stored in its data cache and not written back: it sees what was there \
    before";
const STORE_UNDER_DIRTY_LINE: &str =
    "stores to memory what the Cortex-M7 has changed in its data cache: the cache will write over it";
const STORE_OVERWRITTEN: &str = "writes back a line of its data cache over what the Cortex-M4 has stored there since";
const EXCLUSIVE_BETWEEN_CORES: &str = "\
    uses LDREX or STREX on memory that the other core uses: each core's monitor sees that core alone, so that the \
    access is not atomic between them";
const EXCLUSIVE_ON_SHAREABLE: &str =
    "uses LDREX or STREX on Shareable memory, which nothing monitors on this chip: STREX never succeeds";
const UNINVALIDATED_CACHE: &str =
    "switches its data cache on and has not invalidated all of it since the reset: what it holds is unknown";
const UNCLOCKED_MEMORY: &str = "uses memory that it has not enabled for itself (RM0399 9.5.9)";
const STORE_WITHOUT_SUPPLY: &str =
    "stores to RAM before the supply is configured and its voltage valid (PWR_CSR1.ACTVOSRDY; RM0399 7.4.1)";
const PROGRAMMED_TWICE: &str = "programs a flash word that is not erased: its ECC is wrong now";
const RELEASE_WITHOUT_BARRIER: &str = "\
    gives a hardware semaphore back and has executed neither DMB nor DSB since it stored to memory that the other core \
    uses: that core may see the semaphore first (PM0214 2.2.4)";
const SEV_WITHOUT_DSB: &str = "\
    executes SEV and has not executed DSB since it stored to memory that the other core uses: that core may wake \
    before it sees what was stored (PM0214 2.2.4)";
const UNALIGNED_FRAME: &str = "\
    returns from an exception to a frame that is not aligned to 8 bytes, as every entry aligns it: the stack pointer \
    is wrong from now on (ARMv7-M B1.5.7)";
const MISSING_DSB: &str = "\
    uses memory whose protection it has changed and has not executed DSB since: the access may still find what the \
    protection was (Arm DUI 0553A, page 4-45)";
const MISSING_ISB: &str = "\
    executes code in memory whose protection it has changed and has not executed DSB and then ISB since: the fetch may \
    still find what the protection was (Arm DUI 0553A, page 4-45)";

/// Barriers since a core's last store to memory that the other core uses. Stores are never delayed here, but can be on the
/// chip (PM0214, ST's programming manual of the Cortex-M4, 2.2.2 and 2.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastStore {
    /// No store, or DSB since.
    Complete,
    /// DMB since: observed before later stores.
    Ordered(u32),
    /// No barrier since: later stores may be observed first.
    Unordered(u32),
}

/// All that both cores share.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each may be true alone
pub struct Shared {
    /// Memories.
    pub memory: Memory,
    /// Peripherals.
    pub peripherals: Peripherals,
    /// Time of the current step.
    pub(crate) now: Time,
    /// The machine has requests to handle before the next step.
    pub(crate) touched: bool,
    /// A core has loaded a status that stays as it is until the next event.
    pub(crate) polled: bool,
    /// SEV, by core.
    pub(crate) event_sent: [bool; 2],
    /// By core.
    last_store: [LastStore; 2],
    /// The supply is valid: RAM may be written.
    supplied: bool,
    pub(super) reports: Reports,
    /// Probes, breakpoints, timeline.
    pub(crate) watch: Watchpoints,
    /// Whether there are any.
    pub(crate) is_watched: bool,
    /// The instruction that is being executed, while there are.
    pub(crate) pc: u32,
    /// Exceptions entered, by core.
    pub(crate) exceptions: [u64; 2],
}

impl Shared {
    pub(crate) fn new(peripherals: Peripherals) -> Self {
        Self {
            memory: Memory::new(),
            peripherals,
            now: 0,
            touched: false,
            polled: false,
            event_sent: [false; 2],
            last_store: [LastStore::Complete; 2],
            supplied: false,
            reports: Reports::default(),
            watch: Watchpoints::default(),
            is_watched: false,
            pc: 0,
            exceptions: [0; 2],
        }
    }

    /// Forgets accesses and events before a reset of both cores.
    pub(crate) fn clear_history(&mut self) {
        self.memory.clear_use_flags();
        self.event_sent = [false; 2];
        self.last_store = [LastStore::Complete; 2];
    }

    /// Something in the life of a core, at the time of the step that is being executed.
    pub(crate) fn core_event(&mut self, core: usize, what: CoreEvent) {
        self.watch.core_event(self.now, core as u8, what);
    }

    /// Reports a software error, once per 32-byte line.
    fn warn(&mut self, mistake: &'static str, core: usize, address: u32) {
        self.reports.record(Some(core), address & !(LINE - 1), self.now, mistake);
    }

    /// Reports a store to RAM before the supply is valid.
    #[inline]
    fn check_supply(&mut self, core: usize, address: u32) {
        if self.supplied {
            return;
        }
        self.supplied = self.peripherals.pwr.is_supplied(self.now);
        if !self.supplied {
            self.warn(STORE_WITHOUT_SUPPLY, core, address);
        }
    }

    /// Decodes an address of `core`, with flash banks swapped as configured.
    pub(crate) fn locate(&self, core: usize, address: u32) -> Option<Location> {
        match locate(core, address)? {
            Location::Flash(offset) if self.peripherals.options.swap_banks => Some(Location::Flash(offset ^ BANK)),
            location => Some(location),
        }
    }

    fn is_clocked(&mut self, core: usize, address: u32) -> bool {
        let clocked = self.peripherals.is_memory_clocked(core, address);
        if !clocked {
            self.warn(UNCLOCKED_MEMORY, core, address);
        }
        clocked
    }

    /// Checks an access to RAM against the other core's use of it. Where a core alone uses it there is nothing to check.
    #[inline]
    fn check_use(&mut self, core: usize, offset: usize, address: u32, stores: bool) {
        if *self.memory.use_flags(offset) != of_core(use_flag::USED, core) {
            self.check_sharing(core, offset, address, stores);
        }
    }

    fn check_sharing(&mut self, core: usize, offset: usize, address: u32, stores: bool) {
        let flags = self.memory.use_flags(offset);
        let before = *flags;
        *flags = before | of_core(use_flag::USED, core);
        if stores && before & of_core(use_flag::USED, 1 - core) != 0 {
            self.last_store[core] = LastStore::Unordered(address);
        }
        if before & !(use_flag::USED | use_flag::USED << 1) == 0 {
            return;
        }
        if core == M4 && stores && before & use_flag::CACHED != 0 {
            *flags |= use_flag::STALE;
        }
        if before & of_core(use_flag::EXCLUSIVE, 1 - core) != 0 {
            self.warn(EXCLUSIVE_BETWEEN_CORES, 1 - core, address);
        }
        if core == M4 && before & use_flag::DIRTY != 0 {
            self.warn(if stores { STORE_UNDER_DIRTY_LINE } else { UNCLEANED_CACHE_LINE }, core, address);
        }
    }
}

/// One core's bus port.
pub(crate) struct Port<'a> {
    pub(crate) shared: &'a mut Shared,
    pub(crate) core: usize,
}

impl Port<'_> {
    fn touch(&mut self) {
        self.shared.touched = true;
    }

    fn change_flags(&mut self, address: u32, set: u8, clear: u8) -> u8 {
        match self.shared.locate(self.core, address) {
            Some(Location::Ram(offset)) => {
                let flags = self.shared.memory.use_flags(offset);
                let before = *flags;
                *flags = before & !clear | set;
                before
            }
            _ => 0,
        }
    }

    fn warn(&mut self, mistake: &'static str, address: u32) {
        self.shared.warn(mistake, self.core, address);
    }

    /// Does what the flash's registers were asked for.
    fn change_flash(&mut self, address: u32) {
        if let Some(change) = self.shared.peripherals.flash.take_change()
            && !self.shared.memory.change_flash(change)
        {
            self.warn(PROGRAMMED_TWICE, address);
        }
    }

    fn exclusive(&mut self, address: u32, shareable: bool) {
        if shareable {
            self.warn(EXCLUSIVE_ON_SHAREABLE, address);
        }
        let before = self.change_flags(address, of_core(use_flag::EXCLUSIVE, self.core), 0);
        if before & of_core(use_flag::USED, 1 - self.core) != 0 {
            self.warn(EXCLUSIVE_BETWEEN_CORES, address);
        }
    }
}

impl Bus for Port<'_> {
    fn fetch(&mut self, address: u32) -> Result<u16, BusError> {
        let location = self.shared.locate(self.core, address).ok_or(BusError)?;
        Ok(self.shared.memory.read(location, Width::Half) as u16)
    }

    fn read(&mut self, address: u32, width: Width) -> Result<u32, BusError> {
        if Peripherals::covers(address) {
            if Peripherals::changes_when_read(address) {
                self.touch();
            }
            self.shared.polled |= self.shared.peripherals.is_polled(self.core, address);
            let now = self.shared.now;
            return self.shared.peripherals.read(self.core, address, width.bytes(), now);
        }
        let location = self.shared.locate(self.core, address).ok_or(BusError)?;
        if let Location::Ram(offset) = location {
            if !self.shared.is_clocked(self.core, address) {
                return Ok(0);
            }
            self.shared.check_sharing(self.core, offset, address, false);
        }
        Ok(self.shared.memory.read(location, width))
    }

    fn write(&mut self, address: u32, width: Width, value: u32) -> Result<(), BusError> {
        if Peripherals::covers(address) {
            self.touch();
            if let LastStore::Unordered(_) = self.shared.last_store[self.core]
                && Hsem::is_release(address, value)
            {
                self.warn(RELEASE_WITHOUT_BARRIER, address);
            }
            let now = self.shared.now;
            self.shared.peripherals.write(self.core, address, value, width.bytes(), now)?;
            self.change_flash(address);
            return Ok(());
        }
        let offset = match self.shared.locate(self.core, address).ok_or(BusError)? {
            Location::Ram(offset) => offset,
            Location::Flash(offset) => {
                let bytes = &value.to_le_bytes()[..width.bytes() as usize];
                if let Some(mistake) = self.shared.peripherals.flash.store(offset, bytes) {
                    self.warn(mistake, address);
                }
                self.change_flash(address);
                return Ok(());
            }
        };
        if self.shared.is_clocked(self.core, address) {
            self.shared.check_supply(self.core, address);
            self.shared.check_sharing(self.core, offset, address, true);
            self.shared.memory.set_ram(offset, width, value);
        }
        Ok(())
    }

    /// All but the backup RAM, which has a clock of its own.
    fn memory(&self, page: u32) -> Option<Page> {
        let location = self.shared.locate(self.core, page)?;
        let writable = matches!(location, Location::Ram(_));
        (page != BACKUP_RAM).then_some(Page { place: Place::from(location).0, writable })
    }

    #[inline(always)]
    fn fetch_at(&self, place: u32) -> u32 {
        self.shared.memory.word_at(Place(place))
    }

    #[inline(always)]
    fn read_at(&mut self, place: u32, address: u32, width: Width) -> u32 {
        let place = Place(place);
        if let Some(offset) = place.ram() {
            self.shared.check_use(self.core, offset, address, false);
        }
        self.shared.memory.read_at(place, width)
    }

    #[inline(always)]
    fn write_at(&mut self, place: u32, address: u32, width: Width, value: u32) {
        if let Some(offset) = Place(place).ram() {
            self.shared.check_supply(self.core, address);
            self.shared.check_use(self.core, offset, address, true);
            self.shared.memory.set_ram(offset, width, value);
        }
    }

    fn observe(&mut self, event: Event) {
        match event {
            Event::LineFilled(address) => {
                self.change_flags(address, use_flag::CACHED, use_flag::DIRTY | use_flag::STALE);
            }
            Event::LineRead(address) => {
                if self.change_flags(address, 0, 0) & use_flag::STALE != 0 {
                    self.warn(STALE_CACHE_LINE, address);
                }
            }
            Event::LineDirty(address) => {
                self.change_flags(address, use_flag::DIRTY, 0);
            }
            Event::LineCleaned(address) => {
                if self.change_flags(address, 0, use_flag::DIRTY) & use_flag::STALE != 0 {
                    self.warn(STORE_OVERWRITTEN, address);
                }
            }
            Event::LineInvalidated(address) => {
                self.change_flags(address, 0, use_flag::CACHED | use_flag::DIRTY | use_flag::STALE);
            }
            Event::UninvalidatedCacheEnabled => self.warn(UNINVALIDATED_CACHE, CCR),
            Event::Exclusive { address, shareable } => self.exclusive(address, shareable),
            Event::DataMemoryBarrier => {
                if let LastStore::Unordered(address) = self.shared.last_store[self.core] {
                    self.shared.last_store[self.core] = LastStore::Ordered(address);
                }
            }
            Event::FrameStacked(frame) => {
                if let Some(profile) = &mut self.shared.watch.profile {
                    profile.enters(self.core as u8, self.shared.now, frame);
                }
            }
            Event::FrameUnstacked(frame) => {
                if let Some(profile) = &mut self.shared.watch.profile {
                    profile.returns(self.core as u8, frame);
                }
            }
            Event::ExceptionEntered(exception) => {
                self.shared.exceptions[self.core] += 1;
                self.shared.core_event(self.core, CoreEvent::Enters(exception));
            }
            Event::ExceptionReturned(exception) => self.shared.core_event(self.core, CoreEvent::Leaves(exception)),
            Event::DataSynchronizationBarrier => self.shared.last_store[self.core] = LastStore::Complete,
            Event::MissingMpuBarrier { address, code: false } => self.warn(MISSING_DSB, address),
            Event::MissingMpuBarrier { address, code: true } => self.warn(MISSING_ISB, address),
            Event::UnalignedReturnFrame(address) => self.warn(UNALIGNED_FRAME, address),
        }
    }

    fn accessed(&mut self, address: u32, width: Width, write: bool, value: u32) {
        if self.shared.is_watched {
            let Shared { watch, now, pc, .. } = &mut *self.shared;
            // A task is taken note of before the next instruction, where caches can be looked into.
            let by = Accessor { core: self.core as u8, pc: *pc, sp: 0, in_handler: false, in_task: false };
            let _ = watch.record_access(*now, by, address, width.bytes(), write, value);
        }
    }

    /// RM0399 describes no global monitor.
    fn has_global_monitor(&self) -> bool {
        false
    }

    fn send_event(&mut self) {
        if let LastStore::Unordered(address) | LastStore::Ordered(address) = self.shared.last_store[self.core] {
            self.warn(SEV_WITHOUT_DSB, address);
        }
        self.shared.event_sent[self.core] = true;
        self.touch();
    }
}
