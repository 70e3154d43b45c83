//! A Cortex-M0+ core as a state machine that stops before everything another master could see or delay.
//!
//! # How time passes
//! The core is a sequence of *core cycles*. In each it may put one address on its AHB-Lite port (a data access or the fetch
//! of one aligned word), or none. An access asked for in cycle `c` and granted in cycle `g >= c` by a slave that needs `w`
//! wait states lets the next core cycle happen at `g + 1 + w`: HREADY low freezes the whole pipeline. (DS = RP2040
//! datasheet, TRM = Cortex-M0+ technical reference manual DDI 0484C.)
//! * One port for instructions and data, all transfers single words: TRM 2.2.1 = DS 2.4.2.6.
//! * A fetch reads one aligned 32-bit word, fetch-ahead at most 32 bits: TRM 2.2.1, DS 2.4.1.2. From that limit the model
//!   infers *when*: the next word is asked for while the lower halfword of the present one executes, in the first core
//!   cycle of that instruction whose address slot is free. So straight 16-bit code fetches in every second cycle; a word
//!   behind a taken branch in an upper halfword has been fetched in vain, as in any two-stage pipeline.
//! * A taken branch fetches its target in its first cycle (BL: second), and if the target is an upper halfword, the word
//!   after it in the next cycle. (Inferred: it is the only order that gives table 3-1 for every alignment.)
//! * Cycle counts without wait states: TRM 3.3, table 3-1.
//! * That wait states freeze the pipeline, rather than only the instruction that needs the word, is an assumption.
//!
//! # Why runs repeat to the cycle
//! Both cores go through the same cycle at the same time: first each says what it asks of the bus (`issue`), then those who
//! ask for the same are arbitrated, then each that was granted deals with what it got (`complete`). Nobody runs ahead, see
//! `schedule`. What a cycle raises is seen by instruction boundaries of later cycles only.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim
#![allow(clippy::trivially_copy_pass_by_ref)] // of a decoded instruction, only what is needed is then read: measured likewise
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)] // a register is signed or not as its instruction says

pub(crate) mod busy_wait;
pub(crate) mod code_cache;
pub(crate) mod cycles;
pub mod exception;
pub mod execute;
pub(crate) mod fast_path;
pub mod hard_fault;
pub(crate) mod native;
pub mod nvic;
pub(crate) mod pipeline;
pub mod step;
pub mod wide;

use crate::core::access::Width;
use crate::core::bus::{Bus, Slave};
use crate::core::cortex_m::systick::SysTick;
use crate::core::costs::AlteredCosts;
use crate::core::statistics::Statistics;
use crate::core::time::{Cycle, NEVER};
use exception::ExceptionCosts;
use hard_fault::HardFault;
use nvic::Nvic;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// What the core waits for at cycle `t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    /// An instruction boundary: nothing of the instruction has happened.
    Start,
    /// The next word in sequence, in the last cycle of an instruction.
    Fetch,
    /// The next word in sequence, in the first of three cycles.
    FetchEarly,
    /// The next word in sequence, in the second of three cycles.
    FetchMiddle,
    /// The last of several cycles without an address.
    Idle,
    /// The next word in sequence, then the target of a BL (or ISB).
    FetchThenTarget,
    /// The word of a branch target.
    Target,
    /// A load of one register.
    Load,
    /// A store of one register.
    Store,
    /// A load or store at the single-cycle I/O port, beside a fetch if one is due.
    Io,
    /// The next element of LDM or POP.
    LoadMultiple,
    /// The next element of STM or PUSH.
    StoreMultiple,
    /// SEV, beside a fetch if one is due.
    Sev,
    /// Second cycle of WFI or WFE: asleep from here or not.
    Doze,
    /// Asleep until `t`.
    Asleep,
    /// BKPT 0xAB: the host serves it.
    Semihost,
    /// The next word of an exception frame being written.
    Push,
    /// The vector of an exception.
    Vector,
    /// A return from an exception, before it is known whether the next is chained to it.
    Return,
    /// The next word of an exception frame being read back.
    Unstack,
    /// Behind a bridge or a cache miss: the access itself happens now; then `resume`.
    Delayed,
    /// Held in reset or powered off.
    Off,
    /// Executes nothing, for a fault asked for.
    Stuck,
    /// Lockup: a fault where faults cannot be handled (ARMv6-M B1.5.15).
    Lockup,
}

impl Phase {
    /// Whether it is a write of data.
    #[inline(always)]
    pub(crate) fn writes(self) -> bool {
        matches!(self, Phase::Store | Phase::StoreMultiple | Phase::Push)
    }

    /// Whether a load of one register, or an access behind a bridge or a cache miss, is under way.
    pub(crate) fn loads(self) -> bool {
        matches!(self, Phase::Load | Phase::Io | Phase::Delayed)
    }

    pub(crate) fn fetches(self) -> bool {
        use Phase::{Fetch, FetchEarly, FetchMiddle, FetchThenTarget, Target};
        matches!(self, Fetch | FetchEarly | FetchMiddle | FetchThenTarget | Target)
    }

    /// Whether it is an access that `Core::complete` can deal with, if its place is SRAM or a hit in the flash cache.
    #[inline(always)]
    pub(crate) fn is_plain(self) -> bool {
        use Phase::{Fetch, FetchThenTarget, Load, LoadMultiple, Store, StoreMultiple, Target};
        matches!(self, Fetch | FetchThenTarget | Target | Load | Store | LoadMultiple | StoreMultiple)
    }
}

/// Where a core got stuck.
#[derive(Clone, Copy, Debug)]
pub struct Stuck {
    /// Cycles to the step that was due next.
    left: Cycle,
    phase: Phase,
    slave: Slave,
}

/// One Cortex-M0+ with its NVIC, system control block and `SysTick`.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // flags of the architecture
#[repr(C)] // what every instruction needs comes first: a short distance makes short code
pub struct Core<B> {
    pub(crate) regs: [u32; 16],
    /// The flags N and Z: N is set if any of bits 31 up is, Z if none of bits 31 down is. So a result stands for itself.
    pub(crate) nz: u64,
    /// Bit 31 is the V flag.
    pub(crate) v: u32,
    pub(crate) c: bool,
    /// Number of the core, 0 or 1.
    pub(crate) id: u8,
    pub(crate) stats: Statistics,
    /// When the access is requested, or the deferred step is due.
    pub(crate) t: Cycle,
    /// From this cycle on, an instruction boundary looks at exceptions.
    pub(crate) exceptions_from: Cycle,
    /// Where the access goes.
    pub(crate) address: u32,
    pub(crate) index: u32,
    /// Where an access at the I/O port goes.
    pub(crate) io_address: u32,
    pub(crate) slave: Slave,
    pub(crate) phase: Phase,
    pub(crate) resume: Phase,
    /// Slave of an access whose wait states are running.
    pub(crate) delayed: Slave,
    pub(crate) width: Width,
    /// Register of a load or store; base register of a multiple one.
    pub(crate) register: u8,
    pub(crate) pc: u32,
    /// Halfwords that have been fetched, the one at `pc` lowest.
    pub(crate) queue: u64,
    /// Registers still to move in LDM, STM, PUSH, POP (bit 15: PC).
    pub(crate) list: u16,
    /// Base register's value after LDM, STM, PUSH, POP.
    pub(crate) writeback: u32,
    /// Value loaded into the base register of an LDM: kept apart, since an interrupt restarts the instruction.
    pub(crate) loaded_base: u32,
    /// There is such a value.
    pub(crate) loads_base: bool,
    pub(crate) primask: bool,
    /// EPSR.T: clear from a branch to an even address up to the entry to the fault that this is.
    pub(crate) thumb: bool,
    /// CONTROL.SPSEL: thread mode uses the process stack.
    pub(crate) spsel: bool,
    /// CONTROL.nPRIV: thread mode is unprivileged.
    pub(crate) unprivileged: bool,
    pub(crate) ipsr: u8,
    /// The stack pointer that is not in use.
    pub(crate) other_sp: u32,
    /// Exception being entered, and its frame.
    pub(crate) entering: u8,
    pub(crate) frame: [u32; 8],
    pub(crate) frame_at: u32,
    pub(crate) count: u8,
    /// Where an abandoned or faulting instruction began.
    pub(crate) began: u32,
    /// `EXC_RETURN` value of the return under way.
    pub(crate) returning: u32,
    /// From this cycle on the event register is set.
    pub(crate) event_at: Cycle,
    /// The sleep, if any, is WFE's.
    pub(crate) waits_for_event: bool,
    pub(crate) slept_at: Cycle,
    pub(crate) nvic: Nvic,
    pub(crate) systick: SysTick,
    /// What it costs to enter and to leave exceptions, as far as it is assumed.
    pub(crate) costs: ExceptionCosts,
    /// The sleep, if any, followed a return from an exception.
    pub(crate) resume_from_exit: bool,
    /// The access that is asked for has had to wait for another master.
    pub(crate) contested: bool,
    /// The cycle in which execution resumes at a breakpoint, without stopping there again.
    pub(crate) passes_at: Cycle,
    /// The `HardFault` that was taken and not returned from, and the fault that led to lockup.
    hard_fault: Option<Box<HardFault>>,
    lockup_fault: Option<Box<HardFault>>,
    bus: PhantomData<fn() -> B>,
}

impl<B: Bus> Core<B> {
    /// A core held in reset.
    pub fn new(id: u8) -> Self {
        Self {
            t: NEVER,
            exceptions_from: NEVER,
            address: 0,
            index: 0,
            io_address: 0,
            slave: Slave::INTERNAL,
            phase: Phase::Off,
            resume: Phase::Start,
            delayed: Slave::INTERNAL,
            id,
            width: Width::Word,
            register: 0,
            pc: 0,
            regs: [0; 16],
            nz: 1,
            c: false,
            v: 0,
            queue: 0,
            stats: Statistics::default(),
            list: 0,
            writeback: 0,
            loaded_base: 0,
            loads_base: false,
            primask: false,
            thumb: true,
            spsel: false,
            unprivileged: false,
            ipsr: 0,
            other_sp: 0,
            entering: 0,
            frame: [0; 8],
            frame_at: 0,
            count: 0,
            began: 0,
            returning: 0,
            event_at: NEVER,
            waits_for_event: false,
            slept_at: 0,
            nvic: Nvic::new(),
            systick: SysTick::new(),
            costs: ExceptionCosts::new(&AlteredCosts::default()),
            resume_from_exit: false,
            contested: false,
            passes_at: NEVER,
            hard_fault: None,
            lockup_fault: None,
            bus: PhantomData,
        }
    }

    /// Lets the core out of reset at cycle `now`: it reads its stack pointer and first instruction from address 0, the boot
    /// ROM (ARMv6-M B1.5.5; VTOR resets to 0: DS 2.4.8).
    pub fn reset(&mut self, now: Cycle, bus: &B) {
        let lines = self.nvic.lines;
        self.count_sleep(now);
        *self = Self { stats: std::mem::take(&mut self.stats), costs: self.costs, ..Self::new(self.id) };
        self.nvic.lines = lines;
        self.regs[14] = 0xffff_ffff;
        self.regs[13] = bus.peek_word(0).unwrap_or(0) & !3;
        let entry = bus.peek_word(4).unwrap_or(0);
        self.nvic.set_lines(lines, 0, now);
        // Two reads of the table come before the first fetch.
        self.start_at(entry, now + 2);
    }

    /// Counts the sleep, if any, that something from outside ends at cycle `now`.
    fn count_sleep(&mut self, now: Cycle) {
        if self.is_asleep() {
            self.stats.asleep += now.saturating_sub(self.slept_at);
        }
    }

    /// Stops the core at cycle `now`, for good or until `reset`.
    pub fn hold(&mut self, now: Cycle) {
        self.count_sleep(now);
        self.phase = Phase::Off;
        self.t = NEVER;
        self.slave = Slave::INTERNAL;
    }

    /// Sends the core to `entry` at cycle `now`, as a branch would.
    pub fn start_at(&mut self, entry: u32, now: Cycle) {
        self.pc = entry & !1;
        self.thumb = true;
        self.t = now;
        self.post(self.pc & !3, Phase::Target);
    }

    /// Makes the core execute nothing from cycle `now` on, until it is reset or `unstick` is called with what this returns.
    /// None if there is nothing to stop: it is in reset, locked up or stuck already.
    pub(crate) fn stick(&mut self, now: Cycle) -> Option<Stuck> {
        if matches!(self.phase, Phase::Off | Phase::Lockup | Phase::Stuck) {
            return None;
        }
        self.count_sleep(now);
        let stuck = Stuck { left: self.t.saturating_sub(now), phase: self.phase, slave: self.slave };
        self.post_internal(Phase::Stuck);
        self.t = NEVER;
        Some(stuck)
    }

    /// Lets a stuck core go on at cycle `now`. False if it was reset in between.
    pub(crate) fn unstick(&mut self, stuck: Stuck, now: Cycle) -> bool {
        if self.phase != Phase::Stuck {
            return false;
        }
        self.phase = stuck.phase;
        self.slave = stuck.slave;
        self.t = now.saturating_add(stuck.left);
        if self.is_asleep() {
            self.slept_at = now;
            self.schedule_wake(now);
        }
        true
    }

    /// Whether the core was made to execute nothing.
    pub fn is_stuck(&self) -> bool {
        self.phase == Phase::Stuck
    }

    /// Whether the core is in reset or powered off.
    pub fn is_off(&self) -> bool {
        self.phase == Phase::Off
    }

    /// Whether the core sleeps in WFI or WFE.
    pub fn is_asleep(&self) -> bool {
        self.phase == Phase::Asleep
    }

    /// Whether the core is locked up.
    pub fn is_locked_up(&self) -> bool {
        self.phase == Phase::Lockup
    }

    /// What the core is doing, in a word or two: `off` (in reset or without power), `stuck` (for a fault asked for), `locked up`,
    /// `asleep`, `running`.
    pub fn state(&self) -> &'static str {
        match self.phase {
            Phase::Off => "off",
            Phase::Stuck => "stuck",
            Phase::Lockup => "locked up",
            Phase::Asleep => "asleep",
            _ => "running",
        }
    }

    /// The cycle the core has reached: of its next step, or the end of time if it will do none by itself.
    pub fn cycle(&self) -> Cycle {
        self.t
    }

    /// What the core did so far.
    pub fn statistics(&self) -> &Statistics {
        &self.stats
    }

    /// A register: 0 to 12, 13 SP in use, 14 LR, 15 address of the next instruction.
    pub fn register(&self, number: usize) -> u32 {
        if number == 15 { self.pc } else { self.regs[number & 15] }
    }

    /// Sets a register from outside; PC sends the core there, whatever it was doing.
    pub fn set_register(&mut self, number: usize, value: u32) {
        match number {
            15 => {
                let now = if self.t == NEVER { self.slept_at } else { self.t };
                self.start_at(value, now);
            }
            13 => self.regs[13] = value & !3,
            _ => self.regs[number & 15] = value,
        }
    }

    /// xPSR: flags, Thumb bit, exception number.
    pub fn xpsr(&self) -> u32 {
        self.flags() | u32::from(self.thumb) << 24 | u32::from(self.ipsr)
    }

    /// APSR flags as in xPSR.
    pub(crate) fn flags(&self) -> u32 {
        u32::from(self.negative()) << 31
            | u32::from(self.zero()) << 30
            | u32::from(self.c) << 29
            | u32::from(self.overflow()) << 28
    }

    /// Sets the flags from the top four bits of `psr`.
    pub fn set_apsr(&mut self, psr: u32) {
        self.nz = u64::from(psr >> 31) << 32 | u64::from(psr & 1 << 30 == 0);
        self.c = psr & 1 << 29 != 0;
        self.v = psr << 3;
    }

    /// Main stack pointer.
    pub fn msp(&self) -> u32 {
        if self.uses_psp() { self.other_sp } else { self.regs[13] }
    }

    /// Process stack pointer.
    pub fn psp(&self) -> u32 {
        if self.uses_psp() { self.regs[13] } else { self.other_sp }
    }

    /// PRIMASK.
    pub fn primask(&self) -> bool {
        self.primask
    }

    /// CONTROL.
    pub fn control(&self) -> u32 {
        u32::from(self.spsel) << 1 | u32::from(self.unprivileged)
    }

    pub(crate) fn uses_psp(&self) -> bool {
        self.spsel && self.ipsr == 0
    }

    /// Posts an access to `address`, asked for at `t`.
    #[inline(always)]
    pub(crate) fn post(&mut self, address: u32, phase: Phase) {
        let (slave, index) = B::locate(address);
        self.address = address;
        self.slave = slave;
        self.index = index;
        self.phase = phase;
    }

    /// Posts a step at `t` that asks nothing of the bus.
    pub(crate) fn post_internal(&mut self, phase: Phase) {
        self.slave = Slave::INTERNAL;
        self.phase = phase;
    }
}

/// All that decides the future of the core. The fields that are left out follow from the instruction under way, or are left
/// over from an earlier one and need not be the same in another run that comes to the same state.
impl<B: Bus> Hash for Core<B> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self {
            regs,
            nz: _, // the flags are below, as the architecture has them
            v: _,
            c: _,
            id: _,
            stats,
            t,
            exceptions_from,
            address,
            index: _,
            io_address: _,
            slave,
            phase,
            resume,
            delayed: _,
            width: _,
            register: _,
            pc,
            queue,
            list,
            writeback,
            loaded_base,
            loads_base,
            primask,
            thumb: _, // where it is clear, it stands in the frame
            spsel,
            unprivileged,
            ipsr,
            other_sp,
            entering,
            frame,
            frame_at,
            count,
            began: _,
            returning,
            event_at,
            waits_for_event: _,
            slept_at: _,
            nvic,
            systick,
            resume_from_exit: _,
            contested: _,
            passes_at: _,
            hard_fault: _, // for people
            lockup_fault: _,
            costs: _, // from outside, as faults are
            bus: _,
        } = self;
        // Without a deferred step, these are left over from an access that another run may not have deferred.
        let deferred = *phase == Phase::Delayed || *slave != Slave::INTERNAL;
        (t, exceptions_from, deferred.then_some(address), phase, resume, pc).hash(hasher);
        (regs, self.flags(), queue, list, writeback).hash(hasher);
        let loaded_base = loads_base.then_some(loaded_base);
        (loaded_base, primask, spsel, unprivileged, ipsr, other_sp).hash(hasher);
        (entering, frame, frame_at, count, returning, event_at).hash(hasher);
        (nvic, systick, stats).hash(hasher);
    }
}
