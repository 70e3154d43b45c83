//! Busy waits: cores that do nothing but read registers, compare and branch, until what they read is something else.
//!
//! It may call functions that store nothing, and mask exceptions for a while, as one that reads a clock of several registers does.
//! Such a loop takes the same path in the same cycles each time. So one turn of it is executed cycle by cycle and recorded, for
//! both cores at once if both are awake. After that, only what its instructions do to registers and flags is computed, turn by
//! turn, with the values that the registers have in the cycles in which they are read. This goes on for as long as each branch goes
//! where it went, and each load reads from where it did. All that counts cycles then gets what it would have counted.

use crate::core::access::{Width, extract};
use crate::core::bits::set_bits;
use crate::core::bus::Slave;
use crate::core::time::{Cycle, NEVER};
use crate::core::watch::Watchpoints;
use crate::engine::fast_bus::{FastBus, FlashCache};
use crate::engine::lockstep::run_cores;
use crate::isa::armv6m::execute::Effect;
use crate::isa::armv6m::wide::branch_target;
use crate::isa::armv6m::{Core, Phase};
use crate::isa::thumb::decode::{Code, Op, Reg, TABLE};
use std::ops::Range;

/// Reads of registers after which a loop is looked for, and how many more for each cycle in which none was found, since looking
/// takes long.
const FEW: i64 = 64;
const MORE: i64 = 8;
/// Times that this is doubled, at most, as looks are in vain.
const PATIENCE: u32 = 3;
/// Cycles between two reads in a loop, at most.
const APART: Cycle = 64;
/// Cycles of the longest turn that is found.
const LONGEST: Cycle = 256;
/// Cycles from one look for a loop that reads no register to the next one: at least, and at most, as looks are in vain.
const SOONEST: Cycle = 256;
const LATEST: Cycle = 1 << 20;
/// Turns one after the other that change something although each register reads as in the turn before, at most.
const CHANGES: u32 = 2;
/// Cycles that are skipped for each one that a look has taken, at least, if it was not in vain.
const SKIPPED_FOR_EACH: Cycle = 6;
/// Cycles that pay for a look.
const WORTH_A_LOOK: Cycle = 2048;
/// What MRS and MSR of PRIMASK have in their second halfword, apart from a register.
const PRIMASK: u32 = 0x8010;

/// Looks for busy waits. It affects the speed of a run and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct BusyWaits {
    reads: i64,
    /// Looks in vain, one after the other, up to `PATIENCE`.
    in_vain: u32,
    /// The cycle of the next look that does not wait for reads, and how long before it the last one was.
    look_at: Cycle,
    pause: Cycle,
    /// Turns skipped so far.
    pub turns: u64,
}

impl Default for BusyWaits {
    fn default() -> Self {
        Self { reads: FEW, in_vain: 0, look_at: 0, pause: SOONEST, turns: 0 }
    }
}

impl BusyWaits {
    /// Reads of registers after which `skip` may find a loop.
    pub fn reads(&self) -> i64 {
        self.reads
    }

    /// The cycle from `now` on in which `skip` looks for a loop that reads no register, if there is time for one before `until`.
    pub fn look_at(&self, now: Cycle, until: Cycle) -> Cycle {
        let look_at = self.look_at.max(now);
        if until.saturating_sub(look_at) < WORTH_A_LOOK { until } else { look_at }
    }

    /// Skips turns of a loop that the cores are in, before cycle `until`, if there is one: in the last `cycles`, they have made
    /// `reads` reads of registers, or it is time for a look.
    pub fn skip<const WATCH: bool, B: FastBus>(
        &mut self,
        cores: &mut [Core<B>; 2],
        bus: &mut B,
        (reads, cycles): (i64, Cycle),
        until: Cycle,
    ) {
        let begun = next_cycle(cores);
        let looks = begun >= self.look_at;
        if !looks && cycles > reads.unsigned_abs() * APART {
            return;
        }
        // A core that does nothing for as long as a turn may take does nothing up to the end.
        let awake = begun.saturating_add(LONGEST);
        let ends = cores.each_ref().map(|core| if core.t < awake { core.exceptions_from } else { core.t });
        let until = until.min(ends[0]).min(ends[1]);
        if WATCH && let Some(profile) = &mut bus.fabric_mut().watch.profile {
            profile.begin_turns();
        }
        let (turns, skipped) = Turn::record::<WATCH, B>(cores, bus, until).map_or((0, 0), |turn| {
            let turns = turn.repeat(cores, bus, until);
            (turns, turns * turn.period)
        });
        if WATCH && let Some(profile) = &mut bus.fabric_mut().watch.profile {
            profile.end_turns();
        }
        let now = next_cycle(cores);
        self.turns += turns;
        if looks {
            self.pause = if now - begun < WORTH_A_LOOK { (self.pause * 2).min(LATEST) } else { SOONEST };
            self.look_at = now + self.pause;
        } else {
            let executed = now.min(begun + skipped + LONGEST) - begun - skipped;
            let pays = skipped >= SKIPPED_FOR_EACH * executed;
            let in_vain = if pays { 0 } else { executed };
            self.reads = FEW + ((MORE * in_vain as i64) << self.in_vain);
            self.in_vain = if pays { 0 } else { (self.in_vain + 1).min(PATIENCE) };
        }
    }
}

fn next_cycle<B>(cores: &[Core<B>; 2]) -> Cycle {
    cores[0].t.min(cores[1].t)
}

/// What a core does in a cycle.
#[derive(Clone, Copy, Debug)]
struct Event {
    at: Cycle,
    core: usize,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// An instruction at an address begins, which loads from another one or from nowhere, and behind which comes a third one.
    Begins { pc: u32, op: Op, loads: Option<u32>, next: u32 },
    /// An instruction at an address begins that does the same in each turn, to a register or to none, if some bits of another
    /// one are the same.
    Repeats { pc: u32, needs: Option<(Reg, u32, u32)>, sets: Option<(Reg, u32)> },
    /// A register of the core gets what is at an address.
    Loaded(Load),
    /// A register of the core gets a value that is the same in each turn.
    Set { register: Reg, value: u32 },
}

/// A load of one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Load {
    address: u32,
    width: Width,
    register: Reg,
}

/// What a core is about to load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loading {
    /// Nothing.
    Nothing,
    /// What LDR loads.
    One(Load),
    /// These registers from an address on, and then another register gets the address behind.
    Many(u16, u32, Reg),
}

impl Loading {
    /// Whether a probe or a watchpoint may be at what is loaded.
    fn may_be_watched(self, watch: &Watchpoints) -> bool {
        let (first, count) = match self {
            Self::Nothing => (0, 0),
            Self::One(load) => (load.address, 1),
            Self::Many(list, first, _) => (first, list.count_ones()),
        };
        (first..).step_by(4).take(count as usize).any(|address| watch.may_watch_access(address))
    }

    /// What an instruction loads that begins.
    fn by<B: FastBus>(core: &Core<B>, what: &What) -> Self {
        let op = &TABLE[usize::from(core.queue as u16)];
        match *what {
            What::Begins { ref op, loads: Some(address), .. } => {
                Self::One(Load { address, width: op.width, register: op.d })
            }
            What::Repeats { .. } if matches!(op.code, Code::Ldm | Code::Pop) => {
                Self::Many(op.immediate as u16, core.reg(op.n), op.n)
            }
            _ => Self::Nothing,
        }
    }

    /// What a core has got in a cycle in which it did something.
    fn take<B: FastBus>(&mut self, core: &Core<B>) -> [Option<What>; 2] {
        match *self {
            Self::One(load) if !core.phase.loads() => {
                *self = Self::Nothing;
                [Some(What::Loaded(load)), None]
            }
            Self::Many(list, address, base) if list & !core.list != 0 => {
                let (rest, behind) = (list & (list - 1), address.wrapping_add(4));
                *self = if rest == 0 { Self::Nothing } else { Self::Many(rest, behind, base) };
                let register = Reg::of(list.trailing_zeros() as u16);
                let written_back = What::Set { register: base, value: behind };
                [
                    Some(What::Loaded(Load { address, width: Width::Word, register })),
                    (rest == 0).then_some(written_back),
                ]
            }
            _ => [None; 2],
        }
    }
}

/// Where the chip stands at an instruction of the core that the turn is looked for by.
struct Mark<B: FastBus> {
    at: Cycle,
    cores: [Core<B>; 2],
    /// The first cycle in which each slave is free, and who had it last.
    slaves: [(Cycle, u8); Slave::COUNT],
    /// Hits and accesses of the flash cache.
    cache: (u32, u32),
    /// Diagnostics so far: what is noted in a turn would be noted in each.
    notes: u64,
    loading: [Loading; 2],
    /// Events before it.
    events: usize,
    /// What a profile had been told before it.
    told: usize,
}

impl<B: FastBus> Mark<B> {
    fn new(at: Cycle, cores: &[Core<B>; 2], bus: &B, loading: [Loading; 2], events: usize) -> Self {
        let arbiter = &bus.fabric().arbiter;
        let slaves = std::array::from_fn(|slave| (arbiter.free_at[slave], arbiter.last[slave]));
        let cache = (bus.cache().hits(), bus.cache().accesses());
        let told = bus.fabric().watch.profile.as_ref().map_or(0, |profile| profile.told());
        let notes = bus.fabric().diagnostics.count();
        Self { at, cores: cores.clone(), slaves, cache, notes, loading, events, told }
    }

    /// Whether all goes on from here as it did from an earlier mark, apart from what registers and flags hold, up to cycle `until`.
    fn repeats(&self, earlier: &Self, until: Cycle) -> bool {
        let misses = |mark: &Self| mark.cache.1.wrapping_sub(mark.cache.0);
        let period = self.at - earlier.at;
        let waits = |mark: &Self| mark.slaves.map(|(free_at, last)| (free_at.saturating_sub(mark.at), last));
        waits(self) == waits(earlier)
            && self.loading == earlier.loading
            && misses(self) == misses(earlier)
            && self.notes == earlier.notes
            && self.cores.iter().zip(&earlier.cores).all(|(core, earlier)| {
                core.is_where(earlier)
                    && (core.t.checked_sub(earlier.t) == Some(period) || core.t == earlier.t && core.t >= until)
            })
    }
}

impl Event {
    /// The same with the value of a load that no turn changes: nothing is stored in a turn. None if it cannot be read.
    fn with_constant<B: FastBus>(mut self, bus: &B) -> Option<Self> {
        if let What::Loaded(Load { address, width, register }) = self.what
            && B::register_port(address).is_none()
        {
            let io = B::is_io(address);
            let word = if io { bus.read_stable_io(self.core as u8, address) } else { bus.peek_word(address & !3) };
            self.what = What::Set { register, value: extract(word?, address, width) };
        }
        Some(self)
    }
}

/// One turn of the loop of each core that is awake.
struct Turn {
    /// No core looked at exceptions before this cycle.
    calm: Cycle,
    begun: Cycle,
    period: Cycle,
    /// In the order in which they happen.
    events: Vec<Event>,
    /// Of each core: instructions, and cycles lost by slave to other masters and to wait states.
    counted: [(u64, [(u64, u64); Slave::COUNT]); 2],
    /// Slaves that had wait states.
    waited: [bool; Slave::COUNT],
    hits: u32,
    /// What a profile was told.
    told: Range<usize>,
}

impl Turn {
    /// Executes cycles until the cores have been through a turn. None if that does not happen soon.
    fn record<const WATCH: bool, B: FastBus>(cores: &mut [Core<B>; 2], bus: &mut B, until: Cycle) -> Option<Self> {
        let end = until.min(cores[0].t.min(cores[1].t).saturating_add(LONGEST));
        let leader = usize::from(cores[0].t >= end);
        let (mut marks, mut events): (Vec<Mark<B>>, Vec<Event>) = (Vec::new(), Vec::new());
        let mut loading = [Loading::Nothing; 2];
        let mut calm = until;
        // Each call of a function that is timed is executed.
        let calls = !WATCH || bus.fabric().watch.profile.as_ref().is_none_or(|profile| !profile.times_calls());
        loop {
            let now = cores[0].t.min(cores[1].t);
            if now >= end {
                return None;
            }
            if cores[leader].t == now && cores[leader].phase == Phase::Start && bus.is_flash_ready(now) {
                let mark = Mark::new(now, cores, bus, loading, events.len());
                if let Some(first) = marks.iter().find(|first| mark.repeats(first, until)) {
                    return Self::between(first, &mark, events, calm);
                }
                marks.push(mark);
            }
            let steps = [0, 1].map(|number| cores[number].t == now);
            for number in (0..2).filter(|&number| steps[number]) {
                let core = &cores[number];
                match core.phase {
                    Phase::Start => {
                        let what = core.begins_harmless(calls)?;
                        loading[number] = Loading::by(core, &what);
                        let watch = &bus.fabric().watch;
                        if WATCH && (watch.may_watch(core.pc) || loading[number].may_be_watched(watch)) {
                            return None;
                        }
                        events.push(Event { at: now, core: number, what });
                    }
                    phase if phase.loads() || phase.fetches() => {}
                    Phase::Idle | Phase::LoadMultiple => {}
                    _ => return None,
                }
            }
            run_cores::<WATCH, Core<B>, B>(cores, bus, now + 1, None);
            if bus.fabric().requests.touched {
                return None;
            }
            for number in (0..2).filter(|&number| steps[number]) {
                let got = loading[number].take(&cores[number]).into_iter().flatten();
                events.extend(got.map(|what| Event { at: now, core: number, what }));
                calm = calm.min(cores[number].exceptions_from);
            }
        }
    }

    /// The turn between two marks, if each core that is awake begins an instruction in it.
    fn between<B: FastBus>(first: &Mark<B>, last: &Mark<B>, mut events: Vec<Event>, calm: Cycle) -> Option<Self> {
        events.drain(..first.events);
        for number in 0..2 {
            // What comes next, from the end on: after the last instruction, the first one again.
            let first_pc = events.iter().find_map(|event| match event.what {
                What::Begins { pc, .. } | What::Repeats { pc, .. } if event.core == number => Some(pc),
                _ => None,
            });
            let Some(mut after) = first_pc else {
                if last.cores[number].t != first.cores[number].t {
                    return None;
                }
                continue;
            };
            for event in events.iter_mut().rev().filter(|event| event.core == number) {
                match &mut event.what {
                    What::Begins { pc, next, .. } => (*next, after) = (after, *pc),
                    What::Repeats { pc, .. } => after = *pc,
                    _ => {}
                }
            }
        }
        let counted = [0, 1].map(|number| {
            let [before, after] = [first, last].map(|mark| &mark.cores[number].stats);
            let by_slave = std::array::from_fn(|slave| {
                (after.conflicts[slave] - before.conflicts[slave], after.waits[slave] - before.waits[slave])
            });
            (after.instructions - before.instructions, by_slave)
        });
        let waited = std::array::from_fn(|slave| first.slaves[slave].0 != last.slaves[slave].0);
        let hits = last.cache.0.wrapping_sub(first.cache.0);
        let told = first.told..last.told;
        Some(Self { calm, begun: last.at, period: last.at - first.at, events, counted, waited, hits, told })
    }

    /// How many turns follow the one that is so much later, before a register is read in them that may have changed by then.
    fn turns_as_the_last<B: FastBus>(&self, reads: &[(Cycle, u32)], bus: &B, later: Cycle) -> u64 {
        let time_left =
            |&(at, address): &(Cycle, u32)| bus.register_stays_until(address, at + later) - 1 - (at + later);
        reads.iter().map(time_left).min().unwrap_or(NEVER) / self.period
    }

    /// Whether in the turn that is so much later a register may read as something else than in the one before.
    fn reads_anew<B: FastBus>(&self, reads: &[(Cycle, u32)], bus: &B, later: Cycle) -> bool {
        let before = later - self.period;
        reads.iter().any(|&(at, address)| bus.register_stays_until(address, at + before) <= at + later)
    }

    /// Repeats the turn until something would be different, or cycle `until` is reached. How often it did so.
    fn repeat<B: FastBus>(&self, cores: &mut [Core<B>; 2], bus: &mut B, until: Cycle) -> u64 {
        let Some(events) = self.events.iter().map(|event| event.with_constant(bus)).collect::<Option<Vec<_>>>() else {
            return 0;
        };
        let registers = |event: &Event| match event.what {
            What::Loaded(load) if B::register_port(load.address).is_some() => Some((event.at, load.address & !3)),
            _ => None,
        };
        let mut of_cores = [0, 1].map(|core| OfCore::new(core, &events, bus, registers));
        let reads: Vec<_> = events.iter().filter_map(registers).collect();
        let each_turn: Vec<_> = reads.iter().copied().filter(|read| B::must_catch_up(read.1)).collect();
        let most = until.min(self.calm).saturating_sub(self.begun) / self.period;
        // With a profile, native code has to tell of each cycle that is lost.
        let goes_on = !reads.is_empty() && bus.fabric().watch.profile.is_some();
        let mut changes = 0;
        let mut turns = 0;
        // For how many turns more a core does what it did in the last one.
        let mut same = [0; 2];
        while turns < most {
            let later = (turns + 1) * self.period;
            let does = |of: &&mut OfCore| same[of.core & 1] == 0;
            for of in of_cores.iter_mut().filter(does) {
                of.keep(&cores[of.core & 1]);
            }
            let mut happens_in = |of: &mut OfCore| {
                let core = &mut cores[of.core & 1];
                of.events.iter().all(|event| happens(core, bus, &event.what, event.at + later))
            };
            if !of_cores.iter_mut().filter(does).all(&mut happens_in) {
                for of in of_cores.iter_mut().filter(does) {
                    of.restore(&mut cores[of.core & 1]);
                }
                break;
            }
            for &(at, address) in &each_turn {
                bus.catch_up_register(address, at + later);
            }
            turns += 1;
            for of in &of_cores {
                let same = &mut same[of.core & 1];
                if *same > 0 {
                    *same -= 1;
                } else if of.may_stay && of.is_still(&cores[of.core & 1]) {
                    *same = self.turns_as_the_last(&of.reads, bus, later);
                }
            }
            let at_once = same[0].min(same[1]).min(most - turns);
            if at_once > 0 {
                turns += at_once;
                same = same.map(|same| same - at_once);
                changes = 0;
            } else if goes_on || self.reads_anew(&reads, bus, later) {
                changes = 0;
            } else if changes < CHANGES {
                changes += 1;
            } else {
                // Native code goes through these faster than through turns.
                break;
            }
        }
        if turns == 0 {
            return 0;
        }
        let later = turns * self.period;
        for (at, address) in reads {
            bus.catch_up_register(address, at + later);
        }
        for (core, (instructions, lost)) in cores.iter_mut().zip(&self.counted) {
            if *instructions > 0 {
                core.t += later;
            }
            core.stats.instructions += turns * instructions;
            for (slave, (conflicts, waits)) in lost.iter().enumerate() {
                core.stats.conflicts[slave] += turns * conflicts;
                core.stats.waits[slave] += turns * waits;
            }
        }
        for (free_at, waited) in bus.fabric_mut().arbiter.free_at.iter_mut().zip(self.waited) {
            *free_at += if waited { later } else { 0 };
        }
        let hits = u64::from(self.hits).saturating_mul(turns).min(u64::from(u32::MAX));
        bus.cache_mut().count_hits(hits as u32);
        if let Some(profile) = &mut bus.fabric_mut().watch.profile {
            profile.repeat(self.told.clone(), turns, self.period);
        }
        turns
    }
}

/// Does what an event does in cycle `at`, if it is as it was.
#[inline(always)]
fn happens<B: FastBus>(core: &mut Core<B>, bus: &B, what: &What, at: Cycle) -> bool {
    match *what {
        What::Begins { pc, ref op, loads, next } => match core.execute(op, pc) {
            Effect::Next => loads.is_none() && next == pc.wrapping_add(2),
            Effect::Branch => next == pc.wrapping_add(4).wrapping_add(op.immediate as i32 as u32),
            Effect::Load(address) => loads == Some(address) && next == pc.wrapping_add(2),
            Effect::Store(_) | Effect::SlowPath => false,
        },
        What::Repeats { needs, sets, .. } => {
            let differs = |(register, mask, value): (Reg, u32, u32)| (core.reg(register) ^ value) & mask != 0;
            if needs.is_some_and(differs) {
                return false;
            }
            if let Some((register, value)) = sets {
                core.set(register, value);
            }
            true
        }
        What::Loaded(Load { address, width, register }) => {
            core.set(register, extract(bus.peek_register(address & !3, at), address, width));
            true
        }
        What::Set { register, value } => {
            core.set(register, value);
            true
        }
    }
}

/// What a core does in a turn, and what it computes with, as far as a turn changes it, at its beginning. (Registers are kept one by
/// one: a wider load of what was just stored would have to wait.)
struct OfCore {
    core: usize,
    events: Vec<Event>,
    /// Reads of registers: when, and where.
    reads: Vec<(Cycle, u32)>,
    /// Once a turn changes nothing that reads no register, or none that changes, the next ones change nothing either.
    may_stay: bool,
    registers: Vec<(usize, u32)>,
    flags: (u64, u32, bool),
}

impl OfCore {
    /// Of what these events change: of an instruction's registers, it is the destination, or the stack pointer.
    fn new<B: FastBus>(core: usize, events: &[Event], bus: &B, read: impl Fn(&Event) -> Option<(Cycle, u32)>) -> Self {
        let events: Vec<_> = events.iter().filter(|event| event.core == core).copied().collect();
        let reads: Vec<_> = events.iter().filter_map(read).collect();
        let may_stay = reads.iter().all(|&(at, address)| bus.register_stays_until(address, at) > at + 1);
        let changed = events.iter().fold(0u16, |changed, event| {
            changed
                | match event.what {
                    What::Begins { ref op, .. } => 1 << op.d as u16 | 1 << Reg::Sp as u16,
                    What::Repeats { sets, .. } => sets.map_or(0, |(register, _)| 1 << register as u16),
                    What::Loaded(Load { register, .. }) | What::Set { register, .. } => 1 << register as u16,
                }
        });
        let registers = set_bits(changed.into()).map(|register| (register.into(), 0)).collect();
        Self { core, events, reads, may_stay, registers, flags: (0, 0, false) }
    }

    fn keep<B>(&mut self, core: &Core<B>) {
        for (register, before) in &mut self.registers {
            *before = core.regs[*register & 15];
        }
        self.flags = (core.nz, core.v, core.c);
    }

    fn restore<B>(&self, core: &mut Core<B>) {
        for &(register, before) in &self.registers {
            core.regs[register & 15] = before;
        }
        (core.nz, core.v, core.c) = self.flags;
    }

    /// Whether all that is kept is what it was.
    fn is_still<B>(&self, core: &Core<B>) -> bool {
        self.registers.iter().all(|&(register, before)| core.regs[register & 15] == before)
            && self.flags == (core.nz, core.v, core.c)
    }
}

impl<B: FastBus> Core<B> {
    /// The instruction that begins, if it is one of a busy wait.
    fn begins_harmless(&self, calls: bool) -> Option<What> {
        let op = TABLE[usize::from(self.queue as u16)];
        if op.code.needs_slow_path() {
            return if calls { self.begins_repeating(&op) } else { None };
        }
        let loads = match self.clone().execute(&op, self.pc) {
            Effect::Next | Effect::Branch => None,
            Effect::Load(address) if address & op.width.misaligned() == 0 && is_readable::<B>(address) => Some(address),
            _ => return None,
        };
        Some(What::Begins { pc: self.pc, op, loads, next: 0 })
    }

    /// The same of an instruction that calls or returns, masks exceptions, or loads several registers.
    fn begins_repeating(&self, op: &Op) -> Option<What> {
        let (pc, first, second) = (self.pc, self.queue as u32 & 0xffff, (self.queue >> 16) as u32 & 0xffff);
        let (needs, sets) = match op.code {
            Code::Bx => {
                let target = self.high(op.m, pc);
                let leaves_handler = target >> 28 == 15;
                (op.m != Reg::Pc && target & 1 != 0 && !leaves_handler)
                    .then_some((Some((op.m, u32::MAX, target)), None))?
            }
            Code::Cps => (None, None),
            Code::Ldm | Code::Pop => {
                let (base, list) = (self.reg(op.n), op.immediate as u16);
                let mut words = (base..).step_by(4).take(list.count_ones() as usize);
                let moves =
                    base.is_multiple_of(4) && list != 0 && list >> op.n as u16 & 1 == 0 && words.all(is_readable::<B>);
                moves.then_some((Some((op.n, u32::MAX, base)), None))?
            }
            Code::Wide => {
                let after = pc.wrapping_add(4);
                match (first & 0xffe0, second & 0xf0ff) {
                    _ if branch_target(pc, first as u16, second as u16).is_some() => (None, Some((Reg::Lr, after | 1))),
                    (0xf3e0, PRIMASK) => {
                        let masked = self.primask && self.is_privileged();
                        (None, Some((Reg::of((second >> 8) as u16), u32::from(masked))))
                    }
                    (0xf380, PRIMASK) => {
                        let register = Reg::of(first as u16);
                        (Some((register, 1, self.reg(register))), None)
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(What::Repeats { pc, needs, sets })
    }

    /// Whether it is where it was, apart from what registers and flags hold.
    fn is_where(&self, earlier: &Self) -> bool {
        (self.phase, self.resume, self.slave, self.delayed)
            == (earlier.phase, earlier.resume, earlier.slave, earlier.delayed)
            && (self.pc, self.queue, self.address, self.index)
                == (earlier.pc, earlier.queue, earlier.address, earlier.index)
            && (self.io_address, self.width, self.register) == (earlier.io_address, earlier.width, earlier.register)
            && (self.list, self.began, self.contested) == (earlier.list, earlier.began, earlier.contested)
            && (self.primask, self.thumb, self.ipsr) == (earlier.primask, earlier.thumb, earlier.ipsr)
            && self.exceptions_from == earlier.exceptions_from
            && self.stats.exceptions == earlier.stats.exceptions
    }
}

/// Whether a load from an address only depends on the cycle that it is in, and takes nothing away.
fn is_readable<B: FastBus>(address: u32) -> bool {
    if B::is_io(address) {
        return true; // if its value is stable
    }
    if B::register_port(address).is_some() {
        return B::may_peek_register(address & !3);
    }
    B::locate_ram(address).is_some() || address.wrapping_sub(B::MEMORY.flash) < 0x0100_0000
}
