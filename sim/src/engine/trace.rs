//! What both cores of a quantum do, for a profile. It is told once it is certain, in the words of lock-step: what each core
//! begins in its order, and each lost cycle when both cores are where it is lost. Native code writes here, too: a whole block
//! at a time.

use crate::core::bus::{Bus, Slave};
use crate::core::profile::{Accessor, Begun, LOG_CYCLES, LockAccess, Lost, Masks, Quantum, STEPS, Wait, When};
use crate::core::time::Cycle;
use crate::engine::access_tags::AccessTag;
use crate::engine::cpu::{Cpu, FastCpu, IoAccess, Pipeline as _};
use crate::engine::fast_bus::FastBus;
use crate::engine::grant_log::{BusGrantLog, FIRST, IoChange, SLAVES};
use crate::engine::known_registers::NativeStore;
use crate::engine::mru_words::MruWords;
use crate::engine::policy::{PeerPolicy, Role};

/// See the module's description.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Trace {
    /// How much the speculative core, or one alone, and the replaying core have begun.
    pub count: [u32; 2],
    /// How many cycles were lost, times the bytes of each.
    pub lost_bytes: u32,
    /// What the replaying core asks for.
    pub address: u32,
    /// See `count`.
    pub begun: [[Begun; STEPS]; 2],
    /// In the order of time: one for each core in a cycle, at most.
    pub lost: [Lost; 2 * STEPS],
    /// By cycle, what the speculative core asked for.
    pub addresses: [u32; LOG_CYCLES],
    /// Accesses to spinlocks, as `begun`.
    locks: [Vec<LockAccess>; 2],
    /// Wait states, as `begun`, and how many entries there are.
    pub waits: [[Wait; STEPS]; 2],
    pub waited: [u32; 2],
    /// By core, the number of the instruction that was begun last, if it was not in a block.
    noted: [u64; 2],
}

/// No instruction has this number.
const NOTHING: u64 = u64::MAX;

/// Where in `Trace::begun` the core of a role is.
pub(crate) const fn side(role: Role) -> usize {
    matches!(role, Role::Replaying) as usize
}

impl Trace {
    #[allow(clippy::large_stack_arrays)] // once, and not too large
    pub const fn new() -> Self {
        const WAIT: Wait = Wait { cycles: 0, slave: 0, begun: 0 };
        const LOST: Lost =
            Lost { cycle: 0, beside_others: 0, slave: 0, by_speculative: false, behind: 0, address: 0, begun: 0 };
        Self {
            count: [0; 2],
            lost_bytes: 0,
            address: 0,
            begun: [[Begun::NOTHING; STEPS]; 2],
            lost: [LOST; 2 * STEPS],
            addresses: [0; LOG_CYCLES],
            locks: [Vec::new(), Vec::new()],
            waits: [[WAIT; STEPS]; 2],
            waited: [0; 2],
            noted: [NOTHING; 2],
        }
    }

    /// Begins with the next instruction of the core in a role. What the replaying core does comes behind the speculative core.
    pub fn begin(&mut self, role: Role) {
        let from = side(role);
        self.count[from] = 0;
        self.noted[from] = NOTHING;
        self.locks[from].clear();
        self.waited[from] = 0;
        if role != Role::Speculative {
            (self.count[1], self.noted[1], self.lost_bytes) = (0, NOTHING, 0);
            self.locks[1].clear();
            self.waited[1] = 0;
        }
    }

    /// A core is about to begin the instruction of this number, which has this first halfword.
    #[inline(always)]
    pub fn note(&mut self, role: Role, number: u64, (pc, half): (u32, u16), cycle: u32) {
        self.forget_unless_begun(role, number);
        let (count, begun) = (&mut self.count[side(role)], &mut self.begun[side(role)]);
        begun[*count as usize & (STEPS - 1)] = Begun::instruction(pc, half, cycle);
        *count += 1;
        self.noted[side(role)] = number;
    }

    /// The same of one that its pipeline has fetched, maybe before it was overwritten.
    pub fn note_next<C: FastCpu<B>, B: FastBus>(&mut self, role: Role, core: &C, pipeline: &C::Pipeline, cycle: u32) {
        self.note(role, core.begun(), (pipeline.next_pc(), pipeline.next_half()), cycle);
    }

    /// The last instruction is forgotten if it has this number, which the core has not begun.
    #[inline(always)]
    pub fn forget_unless_begun(&mut self, role: Role, number: u64) {
        let noted = &mut self.noted[side(role)];
        if *noted == number {
            *noted = NOTHING;
            self.count[side(role)] -= 1;
        }
    }

    /// A core asks for an address in a cycle of the quantum.
    #[inline(always)]
    pub fn ask_for(&mut self, role: Role, address: u32, cycle: u32) {
        match role {
            Role::Replaying => self.address = address,
            Role::Speculative => self.addresses[cycle as usize & (LOG_CYCLES - 1)] = address,
            Role::Solo => {}
        }
    }

    /// The instruction that a core has begun last waits so many cycles for a slave.
    pub fn wait(&mut self, role: Role, slave: Slave, cycles: u32) {
        let begun = self.count[side(role)];
        let waited = &mut self.waited[side(role)];
        self.waits[side(role)][*waited as usize & (STEPS - 1)] =
            Wait { cycles: cycles as u16, slave: slave.0.into(), begun };
        *waited += 1;
    }

    /// A core accesses its I/O port in the instruction that it has begun last, which is noted of spinlocks. What is noted of the
    /// core's other accesses from then on, if that may be something else than before.
    pub fn access_io<B: Bus>(
        &mut self,
        bus: &mut B,
        role: Role,
        by: Accessor,
        (io, value): (IoAccess, u32),
        at: When,
    ) -> Option<Masks> {
        let IoAccess { address, writes: write } = io;
        let profile = bus.fabric_mut().watch.profile.as_mut().filter(|profile| profile.is_lock(address))?;
        let begun = self.count[side(role)];
        self.locks[side(role)].push(LockAccess { by, address, write, value, at, begun });
        profile.touch_lock(by, address, write, value)
    }

    /// A cycle is lost, while the replaying core executes no block; where others than cores ask for the slave, to this master.
    pub fn lose(&mut self, cycle: u32, slave: Slave, by_speculative: bool, beside_others: Option<u8>) {
        let lost = Lost {
            cycle: cycle as u16,
            beside_others: beside_others.map_or(0, |winner| u16::from(winner) + 1),
            slave: slave.0,
            by_speculative,
            behind: 0,
            address: self.address,
            begun: self.count[1],
        };
        self.lost[self.losses() & (2 * STEPS - 1)] = lost;
        self.lost_bytes += size_of::<Lost>() as u32;
    }

    fn losses(&self) -> usize {
        self.lost_bytes as usize / size_of::<Lost>()
    }

    /// Tells what both cores of a quantum that began in cycle `began` of the chip have done, the speculative one first; or one
    /// alone, with another that has begun nothing.
    pub fn tell<C: FastCpu<B>, B: FastBus>(&mut self, bus: &mut B, cores: [&C; 2], began: Cycle) {
        let Some(mut profile) = bus.fabric_mut().watch.profile.take() else { return };
        for (role, core) in [Role::Speculative, Role::Replaying].into_iter().zip(cores) {
            self.forget_unless_begun(role, core.begun());
        }
        let noted = [0, 1].map(|side: usize| &self.begun[side][..self.count[side] as usize]);
        let quantum = Quantum {
            start: began.wrapping_sub(Cycle::from(FIRST)),
            cores: cores.map(Cpu::id),
            begun: noted,
            lost: &self.lost[..self.losses()],
            locks: [&self.locks[0], &self.locks[1]],
            waits: [0, 1].map(|side: usize| &self.waits[side][..self.waited[side] as usize]),
            addresses: &self.addresses,
        };
        profile.quantum(&quantum);
        bus.fabric_mut().watch.profile = Some(profile);
    }
}

/// A policy all of whose instructions and lost cycles are noted.
pub(crate) struct Traced<'a, P>(pub &'a mut P);

impl<P: PeerPolicy> Traced<'_, P> {
    /// A cycle in which a slave is requested, in the way that the policy has.
    #[inline(always)]
    fn note_lost(&mut self, clock: P::Clock, slave: Slave, request: impl Fn(&mut P) -> P::Clock) -> P::Clock {
        if P::ROLE != Role::Replaying {
            return request(self.0);
        }
        let number = slave.number() & (SLAVES - 1);
        let lost = |peer: &mut P| (peer.log().lost[number], peer.log().speculative_lost[number]);
        let before = lost(self.0);
        let after = request(self.0);
        let now = lost(self.0);
        if now != before {
            let cycle = self.0.cycle(clock);
            let log = self.0.log();
            if now.0 != before.0 {
                log.trace.lose(cycle, slave, false, None);
            }
            if now.1 != before.1 {
                log.trace.lose(log.last_granted[number], slave, true, None);
            }
        }
        after
    }
}

impl<P: PeerPolicy> PeerPolicy for Traced<'_, P> {
    type Clock = P::Clock;
    const ROLE: Role = P::ROLE;
    const TRACES: bool = true;

    #[inline(always)]
    fn begin(&mut self, number: u64, pc: u32, half: impl FnOnce() -> u16, clock: P::Clock) {
        let cycle = self.0.cycle(clock);
        self.0.log().trace.note(P::ROLE, number, (pc, half()), cycle);
    }

    #[inline(always)]
    fn forget_unless_begun(&mut self, number: u64) {
        self.0.log().trace.forget_unless_begun(P::ROLE, number);
    }

    #[inline(always)]
    fn ask_for(&mut self, address: u32, clock: P::Clock) {
        let cycle = self.0.cycle(clock);
        self.0.log().trace.ask_for(P::ROLE, address, cycle);
    }

    fn cycle(&self, clock: P::Clock) -> u32 {
        self.0.cycle(clock)
    }

    fn chip_cycle(&self, clock: P::Clock) -> Option<Cycle> {
        self.0.chip_cycle(clock)
    }

    fn distance_from_limit(&self, cycle: Cycle) -> Option<i32> {
        self.0.distance_from_limit(cycle)
    }

    fn cycle_at_distance(&self, from_limit: i32) -> Cycle {
        self.0.cycle_at_distance(from_limit)
    }

    fn log(&mut self) -> &mut BusGrantLog {
        self.0.log()
    }

    #[inline(always)]
    fn has_room(&self, clock: P::Clock, cycles: u32) -> bool {
        self.0.has_room(clock, cycles)
    }

    #[inline(always)]
    fn request(&mut self, clock: P::Clock, slave: Slave) -> P::Clock {
        self.note_lost(clock, slave, |peer| peer.request(clock, slave))
    }

    #[inline(always)]
    fn request_flash(&mut self, clock: P::Clock, flash: Slave) -> P::Clock {
        self.note_lost(clock, flash, |peer| peer.request_flash(clock, flash))
    }

    #[inline(always)]
    fn may_read(&mut self, tag: &mut AccessTag) -> bool {
        self.0.may_read(tag)
    }

    #[inline(always)]
    fn may_write(&mut self, tag: &mut AccessTag) -> bool {
        self.0.may_write(tag)
    }

    #[inline(always)]
    fn record_write(&mut self, index: u32, old: u32) {
        self.0.record_write(index, old);
    }

    #[inline(always)]
    fn mru(&mut self) -> &mut MruWords {
        self.0.mru()
    }

    #[inline(always)]
    fn may_hit(&mut self, set: usize, way: u32) -> bool {
        self.0.may_hit(set, way)
    }

    #[inline(always)]
    fn record_hit(&mut self, set: usize, way: u32, was_lru: bool) {
        self.0.record_hit(set, way, was_lru);
    }

    fn may_treat_as_mru(&mut self, set: usize, way: u32) -> bool {
        self.0.may_treat_as_mru(set, way)
    }

    fn other_changes_io(&self, shared: u64) -> bool {
        self.0.other_changes_io(shared)
    }

    fn may_read_io(&mut self, shared: u64) -> bool {
        self.0.may_read_io(shared)
    }

    fn may_change_io(&mut self, shared: u64) -> bool {
        self.0.may_change_io(shared)
    }

    fn record_io(&mut self, address: u32, value: Option<u32>, clock: P::Clock) {
        self.0.record_io(address, value, clock);
    }

    fn record_native_store(&mut self, store: NativeStore) {
        self.0.record_native_store(store);
    }

    fn note_grant(&mut self, slave: Slave) {
        self.0.note_grant(slave);
    }

    fn next_io_change(&self) -> u32 {
        self.0.next_io_change()
    }

    fn pass_io_change(&mut self, clock: P::Clock) -> Option<IoChange> {
        self.0.pass_io_change(clock)
    }

    fn run_native(&mut self, clock: &mut P::Clock, run: impl FnOnce(&mut BusGrantLog)) {
        self.0.run_native(clock, run);
    }
}
