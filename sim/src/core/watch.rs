//! Truth probes: what happened at an address, in the one global time; breakpoints; the timeline.

use crate::core::bus::Slave;
use crate::core::profile::{Accessor, Bounds, NewTask, Noted, Profile, Races};
use crate::core::stop::Stop;
use crate::core::time::Cycle;
use std::collections::BTreeMap;
use std::ops::Range;

/// What a probe watches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Watch {
    /// The instruction at the address begins.
    Execute,
    /// A load touches the address.
    Read,
    /// A store touches the address.
    Write,
}

/// Number of a probe, for asking for its hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProbeId(pub usize);

/// One hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hit {
    /// Global cycle: first cycle of the instruction, or that in which the access was granted.
    pub cycle: Cycle,
    /// Core that did it.
    pub core: u8,
    /// Address of the instruction.
    pub pc: u32,
    /// Value loaded or stored; 0 for execution.
    pub value: u32,
    /// Where it was loaded from or stored to; 0 for execution.
    pub address: u32,
}

/// Something in the life of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoreEvent {
    /// Falls asleep.
    Sleeps,
    /// Wakes up.
    Wakes,
    /// Enters an exception, by number.
    Enters(u8),
    /// Leaves an exception, by number.
    Leaves(u8),
    /// Loses cycles from now on because another master holds the slave.
    Conflicts(Slave, Cycle),
    /// Loses cycles from now on to the slave's own wait states.
    Waits(Slave, Cycle),
    /// These wait states are a miss of the flash cache.
    Misses,
    /// Locks up.
    LocksUp,
    /// Comes out of reset.
    Starts,
    /// Goes into reset.
    Stops,
    /// Stops executing, for a fault asked for.
    Sticks,
    /// Goes on as it was before it got stuck; one that slept then falls asleep.
    Resumes,
}

#[derive(Clone, Debug)]
struct Probe {
    watch: Watch,
    first: u32,
    last: u32,
    hits: Vec<Hit>,
    /// Hits since they were last taken, if all probes had more than are kept: none is left of those.
    lost: Option<u64>,
}

/// Hits of all probes together that are kept until somebody takes them: 96 MB, and many times what a measurement has.
pub const KEPT_HITS: usize = 4 << 20;

impl Probe {
    /// Hits are put in the order of time, and of cores within a cycle, where the simulator comes to a lost cycle first.
    /// Whether it is kept.
    fn record(&mut self, hit: Hit) -> bool {
        if let Some(lost) = &mut self.lost {
            *lost += 1;
            return false;
        }
        let after = |other: &&Hit| (other.cycle, other.core) > (hit.cycle, hit.core);
        let at = self.hits.len() - self.hits.iter().rev().take_while(after).count();
        self.hits.insert(at, hit);
        true
    }
}

/// Everything that is being watched.
#[derive(Clone, Debug, Default)]
pub struct Watchpoints {
    probes: Vec<Probe>,
    /// Hits that all probes hold.
    held: usize,
    /// How many they may hold together, if somebody has less room than for [`KEPT_HITS`].
    pub max_hits: Option<usize>,
    /// Addresses that are as if in memories of their own, one for each range.
    apart: Vec<Range<u32>>,
    /// Breakpoints and how many asked for each.
    breakpoints: BTreeMap<u32, usize>,
    /// Data watchpoints: a hit stops the machine once the instruction that made it is done.
    stops: Vec<(Watch, u32, u32)>,
    /// Address of the last hit of a watchpoint that has not stopped its core yet, by core.
    pending_hit: [Option<u32>; 2],
    /// The core that is to execute one instruction, and whether that has begun.
    step: Option<(u8, bool)>,
    timeline: Option<Vec<(Cycle, u8, CoreEvent)>>,
    /// What cores spend their time on, if somebody wants to know.
    pub profile: Option<Box<Profile>>,
    /// How often probes and breakpoints have changed, and how often that was for more than loads and stores.
    changes: u64,
    code_changes: u64,
    /// What no probe and no breakpoint can have to do with.
    executed: AddressFilter,
    accessed: AddressFilter,
}

/// Addresses, as far as some bits can tell them apart: whether there is any whose word has the same place modulo `PLACES`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AddressFilter([u64; 16]);

/// Bits of a filter.
const PLACES: u32 = 1024;

impl AddressFilter {
    fn of(ranges: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut places = [0; 16];
        for (first, last) in ranges {
            let (first, last) = (first >> 2, last >> 2);
            for word in first..=last.min(first + PLACES - 1) {
                places[(word % PLACES / 64) as usize] |= 1 << (word % 64);
            }
        }
        Self(places)
    }

    #[inline]
    fn may_have(&self, address: u32) -> bool {
        let word = address >> 2;
        self.0[(word % PLACES / 64) as usize] >> (word % 64) & 1 != 0
    }

    /// Bits, from the lowest one of the first number on; the place of an address is that of its word, modulo how many they are.
    pub(crate) fn bits(&self) -> &[u64; 16] {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0 == [0; 16]
    }
}

impl Watchpoints {
    /// Probes or breakpoints have changed.
    fn change(&mut self) {
        self.code_changes += 1;
        self.executed = AddressFilter::of(self.executed());
        self.change_accessed();
    }

    /// Other words are watched for loads and stores.
    fn change_accessed(&mut self) {
        self.changes += 1;
        self.accessed = AddressFilter::of(self.ranges(|watch| watch != Watch::Execute));
    }

    /// Whether cores must look here at each instruction and access.
    pub fn in_use(&self) -> bool {
        !self.probes.is_empty()
            || !self.breakpoints.is_empty()
            || !self.stops.is_empty()
            || self.step.is_some()
            || self.timeline.is_some()
            || self.profile.is_some()
            || !self.apart.is_empty()
    }

    /// Whether anything could stop a core before an instruction.
    pub(crate) fn may_stop(&self) -> bool {
        !self.breakpoints.is_empty() || !self.stops.is_empty() || self.step.is_some()
    }

    /// Sets code and data apart: an access to them takes one cycle, and no other master is in its way.
    pub(crate) fn set_apart(&mut self, ranges: Vec<Range<u32>>) {
        self.apart = ranges;
        self.changes += 1;
        self.code_changes += 1;
    }

    /// The memory of its own that an address is as if in.
    fn apart(&self, address: u32) -> Option<usize> {
        self.apart.iter().position(|range| range.contains(&address))
    }

    /// Whether an address is as if in a memory of its own.
    #[inline]
    pub(crate) fn is_apart(&self, address: u32) -> bool {
        !self.apart.is_empty() && self.apart(address).is_some()
    }

    /// Whether accesses to two addresses of one slave are as if to different memories.
    #[inline]
    pub(crate) fn are_apart(&self, one: u32, other: u32) -> bool {
        !self.apart.is_empty() && self.apart(one) != self.apart(other)
    }

    /// Whether it is enough to look here when an address is executed or accessed that is watched (`executed`, `accessed`).
    pub(crate) fn concerns_addresses(&self, unseen_regions: &[u32]) -> bool {
        let within = |probe: &Probe, region: u32| (probe.first >> 28..=probe.last >> 28).contains(&region);
        let unseen =
            |probe: &Probe| probe.watch != Watch::Execute && unseen_regions.iter().any(|&region| within(probe, region));
        let all_seen = !self.probes.iter().any(unseen);
        let others = self.step.is_some() || self.timeline.is_some() || self.profile.is_some();
        self.stops.is_empty() && !others && self.apart.is_empty() && all_seen
    }

    /// Addresses that may be watched for loads and stores, if `concerns_addresses`.
    pub(crate) fn accessed_filter(&self) -> &AddressFilter {
        &self.accessed
    }

    /// Whether nothing is in use but a profile.
    pub(crate) fn is_only_profiled(&self) -> bool {
        let others = self.stops.len() + self.probes.len() + self.breakpoints.len() + self.apart.len();
        self.profile.is_some() && others == 0 && self.step.is_none() && self.timeline.is_none()
    }

    /// Whether a profile has to be told of each access to an address of a core's I/O port at once.
    pub(crate) fn is_told_at_once(&self, address: u32) -> bool {
        self.profile.as_ref().is_some_and(|profile| profile.is_told_at_once(address))
    }

    /// How often probes and breakpoints have changed.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// How often they have changed for more than loads and stores.
    pub(crate) fn code_changes(&self) -> u64 {
        self.code_changes
    }

    /// First and last address of all that is watched for execution.
    pub(crate) fn executed(&self) -> impl Iterator<Item = (u32, u32)> {
        let breakpoints = self.breakpoints.keys().map(|&address| (address, address));
        breakpoints.chain(self.ranges(|watch| watch == Watch::Execute))
    }

    /// First and last address of all that is watched for loads or stores.
    pub(crate) fn accessed(&self) -> impl Iterator<Item = (u32, u32)> {
        let of_profile = self.profile.iter().flat_map(|profile| profile.watched());
        self.ranges(|watch| watch != Watch::Execute).chain(of_profile)
    }

    /// Words that are watched for stores.
    pub(crate) fn stored(&self) -> impl Iterator<Item = u32> {
        self.profile.iter().flat_map(|profile| profile.tasks.words())
    }

    /// Profiles what the cores spend their time on from now on, or not any more. The profile up to now.
    pub(crate) fn set_profile(&mut self, profile: Option<Profile>) -> Option<Box<Profile>> {
        let before = std::mem::replace(&mut self.profile, profile.map(Box::new));
        self.change();
        before
    }

    /// Looks at some more accesses for data races, if they are looked for.
    pub fn look_again_for_races(&mut self) {
        let hunt = self.profile.as_mut().and_then(|profile| profile.hunt.as_mut());
        if hunt.and_then(|hunt| hunt.races.as_mut()).is_some_and(Races::look_again) {
            self.change_accessed();
        }
    }

    fn ranges(&self, kind: impl Fn(Watch) -> bool) -> impl Iterator<Item = (u32, u32)> {
        self.probes.iter().filter(move |probe| kind(probe.watch)).map(|probe| (probe.first, probe.last))
    }

    /// Watchpoints `bytes` bytes from `address` on.
    pub fn probe(&mut self, watch: Watch, address: u32, bytes: u32) -> ProbeId {
        let last = address.saturating_add(bytes.max(1) - 1);
        self.probes.push(Probe { watch, first: address, last, hits: Vec::new(), lost: None });
        self.change();
        ProbeId(self.probes.len() - 1)
    }

    /// Hits of a probe so far, in the order of time; in one cycle core 0 comes first. None of them, if some are `lost`.
    pub fn hits(&self, probe: ProbeId) -> &[Hit] {
        self.probes.get(probe.0).map_or(&[], |probe| &probe.hits)
    }

    /// How many hits a probe had since they were last taken, if all probes together had more than are kept. Then none of
    /// any probe is left: which ones came too late would depend on which core an engine lets run ahead.
    pub fn lost(&self, probe: ProbeId) -> Option<u64> {
        self.probes.get(probe.0)?.lost
    }

    /// Takes the hits of a probe, leaving it empty; what it lost is forgotten.
    pub fn take_hits(&mut self, probe: ProbeId) -> Vec<Hit> {
        let Some(probe) = self.probes.get_mut(probe.0) else { return Vec::new() };
        probe.lost = None;
        self.held -= probe.hits.len();
        std::mem::take(&mut probe.hits)
    }

    fn record(&mut self, hit: Hit, concerns: impl Fn(&Probe) -> bool) {
        for probe in &mut self.probes {
            if concerns(probe) {
                self.held += usize::from(probe.record(hit));
            }
        }
        if self.held > self.max_hits.unwrap_or(KEPT_HITS) {
            for probe in &mut self.probes {
                *probe.lost.get_or_insert(0) += std::mem::take(&mut probe.hits).len() as u64;
            }
            self.held = 0;
        }
    }

    /// Stops before the instruction at `address`.
    pub fn add_breakpoint(&mut self, address: u32) {
        *self.breakpoints.entry(address & !1).or_default() += 1;
        self.change();
    }

    /// Whether a core may stop before the instruction at `address`.
    #[inline]
    pub(crate) fn has_breakpoint(&self, address: u32) -> bool {
        self.executed.may_have(address) && self.breakpoints.contains_key(&address)
    }

    /// Takes one `add_breakpoint` back.
    pub fn remove_breakpoint(&mut self, address: u32) {
        if let Some(count) = self.breakpoints.get_mut(&(address & !1)) {
            *count -= 1;
            if *count == 0 {
                self.breakpoints.remove(&(address & !1));
            }
            self.change();
        }
    }

    /// Stops after the instruction that accesses one of `bytes` bytes from `address` on.
    pub fn add_watchpoint(&mut self, watch: Watch, address: u32, bytes: u32) {
        self.stops.push((watch, address, address.saturating_add(bytes.max(1) - 1)));
    }

    /// Takes `add_watchpoint` back.
    pub fn remove_watchpoint(&mut self, watch: Watch, address: u32, bytes: u32) {
        let last = address.saturating_add(bytes.max(1) - 1);
        if let Some(at) = self.stops.iter().position(|&stop| stop == (watch, address, last)) {
            self.stops.remove(at);
        }
        if self.stops.is_empty() {
            self.pending_hit = [None; 2];
        }
    }

    /// Stops a core before the second of the instructions that it begins from now on; breakpoints at the first do not count.
    pub fn step(&mut self, core: u8) {
        self.step = Some((core, false));
    }

    /// Takes `step` back.
    pub fn end_step(&mut self) {
        self.step = None;
    }

    /// A core has a task from now on, by this name; its stack, if it has not run yet. Whether other words are watched now.
    pub(crate) fn begins_task(&mut self, begun: NewTask, name: String, stack: Option<Bounds>) -> bool {
        let changes = self.profile.as_mut().is_some_and(|profile| profile.begins_task(begun, name, stack));
        if changes {
            self.change_accessed();
        }
        changes
    }

    /// Why a core stands before an instruction, if not for a breakpoint.
    pub(crate) fn take_stop(&mut self, core: u8) -> Option<Stop> {
        if let Some(address) = self.pending_hit[usize::from(core)].take() {
            return Some(Stop::Watchpoint { core, address });
        }
        self.step.take_if(|step| *step == (core, true)).map(|_| Stop::Stepped)
    }

    /// Records what [`CoreEvent`] tells from now on; what is recorded is to be taken now and then, since it grows.
    pub fn record_timeline(&mut self) {
        self.timeline.get_or_insert_default();
    }

    /// Takes what was recorded.
    pub fn take_timeline(&mut self) -> Vec<(Cycle, u8, CoreEvent)> {
        self.timeline.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Whether `begin_instruction` has to be asked before an instruction at an address.
    #[inline]
    pub fn may_watch(&self, pc: u32) -> bool {
        self.executed.may_have(pc) || !self.stops.is_empty() || self.step.is_some()
    }

    /// Whether a load or store of an address may concern a probe or a watchpoint.
    pub(crate) fn may_watch_access(&self, address: u32) -> bool {
        self.accessed.may_have(address) || !self.stops.is_empty()
    }

    /// An instruction begins, unless the core is to stop here: after a hit of a watchpoint or a step, or for a breakpoint
    /// that is not to be passed. True if it is.
    pub(crate) fn begin_instruction(&mut self, cycle: Cycle, core: u8, pc: u32, pass: bool) -> bool {
        let stops = self.stops_before(core, pc, pass);
        if !stops {
            self.record_execution(cycle, core, pc);
        }
        stops
    }

    /// The same, but that the instruction begins is not recorded.
    pub(crate) fn stops_before(&mut self, core: u8, pc: u32, pass: bool) -> bool {
        self.pending_hit[usize::from(core)].is_some()
            || match &mut self.step {
                Some((stepping, begun)) if *stepping == core => std::mem::replace(begun, true),
                _ => !pass && self.breakpoints.contains_key(&pc),
            }
    }

    /// An instruction begins.
    pub(crate) fn record_execution(&mut self, cycle: Cycle, core: u8, pc: u32) {
        self.record(Hit { cycle, core, pc, value: 0, address: 0 }, |probe| {
            probe.watch == Watch::Execute && (probe.first..=probe.last).contains(&pc)
        });
    }

    /// A load or store, and what a profile wants done about it.
    #[allow(clippy::too_many_arguments)] // all that a hit is made of
    pub(crate) fn record_access(
        &mut self,
        cycle: Cycle,
        by: Accessor,
        address: u32,
        bytes: u32,
        write: bool,
        value: u32,
    ) -> Noted {
        let noted = match &mut self.profile {
            Some(profile) => profile.access(by, cycle, (address, bytes), write, value),
            None => Noted::default(),
        };
        if noted.changes_watch {
            self.change_accessed();
        }
        if !self.accessed.may_have(address) && self.stops.is_empty() {
            return noted; // an access never goes over the end of a word
        }
        let Accessor { core, pc, .. } = by;
        let watch = if write { Watch::Write } else { Watch::Read };
        let last = address + (bytes - 1);
        self.record(Hit { cycle, core, pc, value, address }, |probe| {
            probe.watch == watch && probe.first <= last && address <= probe.last
        });
        if self.stops.iter().any(|&(kind, first, end)| kind == watch && first <= last && address <= end) {
            self.pending_hit[usize::from(core)] = Some(address);
        }
        noted
    }

    pub(crate) fn core_event(&mut self, cycle: Cycle, core: u8, what: CoreEvent) {
        if let Some(profile) = &mut self.profile {
            profile.event(core, cycle, what);
        }
        if let Some(timeline) = &mut self.timeline {
            timeline.push((cycle, core, what));
        }
    }
}
