//! Code for the host, made of states of cores ([`Memo`]) in which they often are: a routine for each state of each core, which does what
//! the core does in a cycle and goes on with that of the other core, so that both are in the same cycle all the time.
//!
//! Routines know SRAM, code in flash that is in the cache, the arbitration of both, and MTIME. They leave before all else.
//!
//! # Why running it is sound
//! Code reads and writes both cores' registers, by number, and a `Context`. It reaches SRAM by addresses that were compared with its
//! size, and words of flash and lines of the cache at offsets that were, when it was made; none of these gets smaller. All of them live and
//! are borrowed for as long as it runs. It goes on with routines by a table that has an entry for each state that code names.

#![allow(clippy::cast_possible_wrap)] // instructions of the host have signed constants

mod x86_64;

use crate::core::access::Width;
use crate::core::time::{Cycle, NEVER};
use crate::engine::gate::RUNS_HERE;
use crate::isa::hazard3::Core;
use crate::isa::hazard3::memo::{Memo, NONE};
use crate::isa::hazard3::op::Memory;
use crate::isa::hazard3::ports::Access;
use crate::rp2350::bus::arbiter::PLACES;
use crate::rp2350::bus::port::{self, SHARED, SIO, SRAM};
use crate::rp2350::bus::transfer::{IDLE, Transfer};
use crate::rp2350::bus::{CACHED, Fabric, content, window};
use crate::rp2350::peripherals::sio;
use dynasmrt::AssemblyOffset;
use dynasmrt::DynasmApi as _;
use dynasmrt::x64::Assembler;
use x86_64::{Frame, Translator};

/// How often a core is in a state, while there is no routine for that, before one is made.
const HOT: u8 = 60;
/// Routines that are made at once, at most.
const TOGETHER: usize = 400;
/// Bytes of code after which all is forgotten, and what is hot by then is translated again.
const MOST_CODE: usize = 32 << 20;
/// Cycles that code goes through at once, at most: counts of them have 32 bits.
const LONGEST: Cycle = 1 << 30;
/// Cycles that there must be time for, or code is not entered.
const SHORTEST: Cycle = 8;

/// Why code was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Left {
    /// Before a cycle.
    Before,
    /// In a cycle, when core 0 had done its part of it.
    BeforeCore1,
}

impl Left {
    fn of(number: u32) -> Self {
        [Self::Before, Self::BeforeCore1][number as usize & 1]
    }
}

/// A load or store of a core that its port has taken.
#[derive(Debug, Default)]
#[repr(C)]
struct Data {
    address: u32,
    value: u32,
    port: u32,
    pc: u32,
}

/// An instruction that was executed, where that is watched.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Hit {
    /// Cycles that there were left, that of the instruction included.
    left: u64,
    core: u32,
    pc: u32,
}

/// Hits that there is room for.
const HITS: usize = 64;

/// What code reads and writes beside the cores. Addresses are the host's.
#[derive(Debug, Default)]
#[repr(C)]
struct Context {
    /// Where address 0 would be if SRAM began there that early.
    sram: usize,
    flash: usize,
    lines: usize,
    entries: usize,
    asks: usize,
    code: usize,
    one_of_core_1: u64,
    left: u64,
    /// MTIME when no cycle is left, or 0 if it does not count each cycle.
    clock: u64,
    executed: u64,
    next: [u32; 2],
    data: [Data; 2],
    last: [u8; PLACES],
    /// See `Arbiter::losers`.
    losers: usize,
    /// Ports that are asked for more than once in this cycle.
    contested: u32,
    /// Words that are watched, see `AddressFilter`.
    watched: usize,
    /// Cycles that cores have lost at ports.
    conflicts: [[u32; SHARED + 1]; 2],
    /// The hits, and how many there are.
    hits: usize,
    hit_count: u32,
}

/// A routine: of a core in a state, when its ports of instructions and of data have an answer or wait for one.
#[derive(Clone, Copy, Debug)]
struct Routine {
    core: usize,
    /// `RESTING` for a core that does nothing.
    state: u32,
    waits: [bool; 2],
}

/// Before the first state.
const RESTING: u32 = NONE;
/// Routines of a state.
const ROUTINES: usize = 8;
const ENTRY_BYTES: u32 = 4;

impl Routine {
    /// Its place among entries.
    fn index(self) -> usize {
        let waits = usize::from(self.waits[0]) | usize::from(self.waits[1]) << 1;
        self.state.wrapping_add(1) as usize * ROUTINES + self.core * 4 + waits
    }

    fn offset(self) -> u32 {
        self.index() as u32 * ENTRY_BYTES
    }

    fn at(offset: u32) -> Self {
        let index = offset / ENTRY_BYTES;
        let waits = [0, 1].map(|bit| index >> bit & 1 != 0);
        Self { core: (index >> 2 & 1) as usize, state: (index / ROUTINES as u32).wrapping_sub(1), waits }
    }
}

/// Where a word of code is.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// At an address.
    Sram(i32),
    /// At an offset.
    Flash(i32),
}

/// A word of code.
#[derive(Clone, Copy, Debug)]
struct Word {
    place: Place,
    value: u32,
}

struct Code {
    assembler: Assembler,
    frame: Frame,
    /// Where code is.
    base: usize,
    /// By routine, its offset in code.
    entries: Vec<u32>,
    /// By state, the port that is asked for a word of code, a bit each, and `ACCESSES`; before that, what a core asks for that rests.
    asks: Vec<u32>,
    /// By routine, how often a core was there while there was no code.
    heat: Vec<u8>,
    hits: Box<[Hit; HITS]>,
}

/// There is a load or store.
const ACCESSES: u32 = 1 << 31;

impl Code {
    fn new() -> Option<Self> {
        let mut assembler = Assembler::new().ok()?;
        let frame = Frame::new(&mut assembler);
        Some(Self {
            assembler,
            frame,
            base: 0,
            entries: Vec::new(),
            asks: vec![0],
            heat: Vec::new(),
            hits: Box::new([Hit::default(); HITS]),
        })
    }

    /// Makes room for all states.
    fn grow(&mut self, memo: &Memo) {
        let states = memo.len();
        let new = (self.asks.len() - 1..states).filter_map(|number| memo.state(number as u32));
        self.asks.extend(new.map(|(_, control)| {
            let fetched = control.fetching.and_then(port::of).map_or(0, |slave| 1 << slave.0);
            fetched | if control.accessing { ACCESSES } else { 0 }
        }));
        if self.entries.len() < (states + 1) * ROUTINES {
            let states = states.next_power_of_two();
            let unknown = self.frame.unknown.map(|offset| offset.0 as u32);
            let begin = self.entries.len();
            self.entries.extend((begin..(states + 1) * ROUTINES).map(|index| unknown[index >> 2 & 1]));
            self.heat.resize(self.entries.len(), 0);
            for (core, offset) in self.frame.resting.iter().enumerate() {
                self.entries[Routine { core, state: RESTING, waits: [false; 2] }.index()] = offset.0 as u32;
            }
        }
    }

    fn is_known(&self, routine: Routine) -> bool {
        let unknown = self.frame.unknown[routine.core].0 as u32;
        self.entries.get(routine.index()).is_some_and(|&entry| entry != unknown)
    }

    /// Forgets the routines of a state, which will be made anew soon.
    fn forget(&mut self, state: u32) {
        for core in 0..2 {
            let first = Routine { core, state, waits: [false; 2] }.index();
            self.entries[first..first + ROUTINES / 2].fill(self.frame.unknown[core].0 as u32);
            self.heat[first..first + ROUTINES / 2].fill(HOT / 2);
        }
    }

    /// Makes a routine, and those that it leads to.
    fn make(&mut self, first: Routine, memo: &Memo, chip: &Fabric) -> Option<()> {
        let (mut todo, mut made) = (vec![first], 0);
        while let Some(routine) = todo.pop()
            && made < TOGETHER
        {
            if self.is_known(routine) {
                continue;
            }
            let Self { assembler, frame, .. } = self;
            let Some((offset, next)) = Translator::make(assembler, frame, memo, routine, chip) else { continue };
            self.entries[routine.index()] = offset.0 as u32;
            made += 1;
            let waits = [[false, false], [true, false], [false, true], [true, true]];
            todo.extend(next.into_iter().flat_map(|state| waits.map(|waits| Routine { state, waits, ..routine })));
        }
        self.assembler.commit().ok()?;
        self.base = self.assembler.reader().lock().ptr(AssemblyOffset(0)) as usize;
        Some(())
    }
}

/// All that was translated. It is no part of a chip's state, and a copy of it begins with nothing.
#[derive(Default)]
pub(super) struct Native {
    code: Option<Box<Code>>,
    is_impossible: bool,
    /// Cycles that code has gone through.
    cycles: Cycle,
    /// How often it had changed what is watched when code was made.
    watch_changes: u64,
}

impl Clone for Native {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl std::fmt::Debug for Native {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let bytes = self.code.as_ref().map(|code| code.assembler.offset().0);
        f.debug_struct("Native").field("bytes", &bytes).finish_non_exhaustive()
    }
}

/// What came of running code.
#[derive(Debug)]
pub(super) struct Ran {
    pub left: Left,
    /// Whole cycles.
    pub cycles: Cycle,
    /// Instructions of each core, those of a cycle that was begun included.
    pub executed: [u64; 2],
}

/// Whether an address is one of flash behind its cache.
fn is_cacheable(address: u32) -> bool {
    window(address) == CACHED
}

impl Fabric {
    /// Cycles that code for the host has gone through, since the chip was reset or copied.
    pub fn native_cycles(&self) -> Cycle {
        self.native.cycles
    }

    /// Whether code may run at all until something else happens than cycles of cores.
    pub(super) fn may_run_native(&self, native: &mut Native) -> bool {
        if native.watch_changes != self.watch.changes() {
            // It looks only at what was watched when it was made.
            (native.code, native.watch_changes) = (None, self.watch.changes());
        }
        let is_watched = self.watch.in_use() && !self.watch.concerns_addresses(&[]);
        RUNS_HERE && !native.is_impossible && !is_watched && self.qmi.direct.is_at_rest() && !self.monitor.holds_any()
    }

    /// Runs code from cycle `now` to `until` at most, if there is any for the states of the cores that run.
    #[inline(always)]
    pub(super) fn run_native(
        &mut self,
        native: &mut Native,
        cores: &mut [Core; 2],
        memo: &mut Memo,
        runs: [bool; 2],
        now: Cycle,
        until: Cycle,
    ) -> Option<Ran> {
        if until < now + SHORTEST || now < self.slow_until {
            return None;
        }
        let routines =
            [self.routine(0, &cores[0], runs[0], now, until)?, self.routine(1, &cores[1], runs[1], now, until)?];
        let are_known =
            native.code.as_ref().is_some_and(|code| routines.into_iter().all(|routine| code.is_known(routine)));
        if !are_known || memo.has_extended() {
            native.is_impossible = self.warm_up(native, memo, &routines).is_none();
            return None;
        }
        self.run(native, cores, memo, routines, now, until)
    }

    /// The routine with which a core goes on; none if that needs more to be looked at.
    #[inline(always)]
    fn routine(&self, core: usize, of: &Core, runs: bool, now: Cycle, until: Cycle) -> Option<Routine> {
        if !runs {
            return Some(Routine { core, state: RESTING, waits: [false; 2] });
        }
        let [fetch, data] = [&self.transfers[2 * core], &self.transfers[2 * core + 1]];
        let is_fit = (fetch.slave == IDLE || port::is_memory(fetch.slave) && fetch.access.machine_mode)
            && (data.slave == IDLE
                || (port::is_sram(data.slave) || self.is_steady_clock(data.access, now, until))
                    && data.access.machine_mode
                    && !data.access.is_exclusive
                    && !self.watch.may_watch_access(data.access.address));
        let waits = [fetch, data].map(|transfer| transfer.ends == NEVER);
        let in_time = [fetch, data].iter().all(|transfer| transfer.ends == NEVER || transfer.ends <= now);
        let is_plain = !port::is_external(fetch.slave) || self.cache.peek_place(fetch.access.address).is_none();
        (is_fit && in_time && is_plain).then_some(Routine { core, state: of.state_number(), waits })
    }

    /// Whether an access is a read of MTIME while that counts each cycle.
    fn is_steady_clock(&self, access: Access, now: Cycle, until: Cycle) -> bool {
        access.width == Width::Word
            && !access.writes
            && access.address & !sio::MTIME_HALVES == sio::MTIME_ADDRESS
            && self.peripherals.sio.steady_time(now, until.min(now + LONGEST)).is_some()
    }

    /// Cores are where there may be no code yet. None if the host does not let code be made.
    #[inline(never)]
    fn warm_up(&self, native: &mut Native, memo: &mut Memo, routines: &[Routine]) -> Option<()> {
        if native.code.as_ref().is_some_and(|code| code.assembler.offset().0 > MOST_CODE) {
            native.code = None;
        }
        if native.code.is_none() {
            native.code = Some(Box::new(Code::new()?));
        }
        let code = native.code.as_mut()?;
        code.grow(memo);
        for state in memo.take_extended() {
            code.forget(state);
        }
        for &routine in routines.iter().filter(|routine| routine.state != RESTING) {
            let heat = &mut code.heat[routine.index()];
            *heat = heat.saturating_add(1);
            if *heat == HOT && !code.is_known(routine) {
                code.make(routine, memo, self)?;
            }
        }
        Some(())
    }

    /// A word of code, if routines know how to look at it.
    fn word(&self, address: u32) -> Option<Word> {
        let slave = port::of(address)?;
        let place = match slave {
            slave if port::is_sram(slave) => Place::Sram(address as i32),
            slave if port::is_external(slave) && is_cacheable(address) => {
                let offset = address as usize % content::LIMIT;
                (offset / 4 < self.flash.words().len()).then_some(Place::Flash(offset as i32))?
            }
            _ => return None,
        };
        let value = if let Place::Flash(_) = place { self.flash.word(address) } else { self.peek_memory(address)? };
        Some(Word { place, value })
    }

    #[inline(never)]
    fn run(
        &mut self,
        native: &mut Native,
        cores: &mut [Core; 2],
        memo: &mut Memo,
        routines: [Routine; 2],
        now: Cycle,
        until: Cycle,
    ) -> Option<Ran> {
        let code = native.code.as_mut()?;
        let entry = *code.entries.get(routines[0].index())?;
        let data = [0, 1].map(|core| {
            let Transfer { access, slave, pc, .. } = self.transfers[2 * core + 1];
            // Each core has a port of SIO of its own.
            let port = u32::from(slave.0) + if slave == SIO { core as u32 } else { 0 };
            Data { address: access.address, value: cores[core].stored(), port, pc }
        });
        let until = until.min(now + LONGEST);
        let mut context = Context {
            sram: (self.sram.as_mut_ptr() as usize).wrapping_sub(SRAM as usize),
            flash: self.flash.words().as_ptr() as usize,
            lines: self.cache.lines(),
            entries: code.entries.as_ptr() as usize,
            asks: code.asks.as_ptr() as usize,
            code: code.base,
            one_of_core_1: 1 << 32,
            left: until - now,
            clock: self.peripherals.sio.steady_time(now, until).unwrap_or(0),
            executed: 0,
            next: routines.map(Routine::offset),
            data,
            last: self.arbiter.last,
            losers: self.arbiter.losers().as_ptr() as usize,
            contested: 0,
            watched: self.watch.accessed_filter().bits().as_ptr() as usize,
            conflicts: Default::default(),
            hits: code.hits.as_mut_ptr() as usize,
            hit_count: 0,
        };
        let wanted = context.left;
        let left = code.frame.enter(code.base, entry as usize, cores, &mut context);
        self.arbiter.last = context.last;
        let cycles = wanted - context.left;
        for &Hit { left, core, pc } in code.hits.iter().take(context.hit_count as usize) {
            self.watch.record_execution(until - left, core as u8, pc);
        }
        native.cycles += cycles;
        let now = now + cycles;
        for (core, of) in cores.iter_mut().enumerate() {
            if context.conflicts[core] != [0; SHARED + 1] {
                for (lost, conflicts) in self.lost[core].conflicts.iter_mut().zip(context.conflicts[core]) {
                    *lost += Cycle::from(conflicts);
                }
            }
            let begun = left == Left::BeforeCore1 && core == 0;
            self.take_back(core, of, memo, &context, (!begun).then_some(now));
        }
        let stands = Routine::at(context.next[usize::from(left == Left::BeforeCore1)]);
        if context.left > 0 && !code.is_known(stands) {
            native.is_impossible = self.warm_up(native, memo, &[stands]).is_none();
        }
        Some(Ran { left, cycles, executed: [context.executed & u64::from(u32::MAX), context.executed >> 32] })
    }

    /// A core's state and transfers when code was left. They were granted in the cycle before `granted`, or all of them ask.
    fn take_back(&mut self, core: usize, of: &mut Core, memo: &Memo, context: &Context, granted: Option<Cycle>) {
        let Routine { state, waits, .. } = Routine::at(context.next[core]);
        let Some((_, control)) = memo.state(state) else { return };
        let ends = waits.map(|waits| granted.filter(|_| !waits).unwrap_or(NEVER));
        let fetch = &mut self.transfers[2 * core];
        if fetch.fetch(control.fetching.map(|address| (address, true))) {
            fetch.ends = ends[0];
            if ends[0] != NEVER {
                self.arbiter.serve(fetch.slave, 2 * core);
            }
        }
        let Data { address, value, pc, .. } = context.data[core];
        let access = control.accessing.then(|| Access {
            address,
            width: control.memory.width(),
            writes: matches!(control.memory, Memory::Store(_)),
            is_exclusive: false,
            machine_mode: true,
        });
        let data = &mut self.transfers[2 * core + 1];
        if data.access(access, pc) {
            data.ends = ends[1];
            if ends[1] != NEVER {
                self.arbiter.serve(data.slave, 2 * core + 1);
            }
        }
        of.set_state(state, access.map(|access| (address, value, access.width)));
        for (port, ends) in ends.into_iter().enumerate() {
            let number = 2 * core + port;
            let waits = ends == NEVER && self.transfers[number].slave != IDLE;
            self.waiting = self.waiting & !(1 << number) | u32::from(waits) << number;
        }
    }
}
