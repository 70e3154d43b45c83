//! What both cores of a quantum do, for a profile. It is told once it is certain, in the words of lock-step: the instructions
//! of each core in their order, and each lost cycle when both cores are where it is lost.

use crate::core::bus::Slave;
use crate::core::profile::{Access, Profile};
use crate::core::time::Cycle;
use crate::core::watch::CoreEvent;
use crate::engine::access_tags::AccessTag;
use crate::engine::cpu::FastCpu;
use crate::engine::fast_bus::FastBus;
use crate::engine::grant_log::{BusGrantLog, FIRST, LOG_CYCLES, SLAVES};
use crate::engine::mru_words::MruWords;
use crate::engine::policy::{PeerPolicy, Role};

/// Instructions that there is room for, a power of two. The replaying core may begin some while the speculative core waits.
const STEPS: usize = 2 * LOG_CYCLES;

/// Instructions that a core begins.
#[derive(Clone, Debug)]
struct Steps {
    /// The number of the first one.
    first: u64,
    /// Addresses, and cycles of the quantum.
    begun: Box<[(u32, u32); STEPS]>,
}

#[allow(clippy::unnecessary_box_returns)] // too large for a stack
fn room<T: Copy, const COUNT: usize>(value: T) -> Box<[T; COUNT]> {
    vec![value; COUNT].try_into().unwrap_or_else(|_| unreachable!("it has this length"))
}

impl Steps {
    fn new() -> Self {
        Self { first: 0, begun: room((0, 0)) }
    }

    /// An instruction is about to begin; one of the same number that was not executed is forgotten.
    #[inline(always)]
    fn note(&mut self, number: u64, pc: u32, cycle: u32) -> u32 {
        let at = number.wrapping_sub(self.first) as usize & (STEPS - 1);
        self.begun[at] = (pc, cycle);
        at as u32 + 1
    }

    /// All up to the one that has a number.
    fn up_to(&self, number: u64) -> &[(u32, u32)] {
        self.begun.get(..number.wrapping_sub(self.first) as usize).unwrap_or_default()
    }
}

/// A cycle that one core has lost to the other.
#[derive(Clone, Copy, Debug)]
struct Lost {
    /// The cycle of the quantum.
    cycle: u32,
    /// Whether the speculative core has lost it.
    by_speculative: bool,
    slave: Slave,
    /// What the replaying core asked for.
    address: u32,
    /// Instructions that the replaying core had begun.
    begun: u32,
}

/// See the module's description.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    speculative: Steps,
    replaying: Steps,
    /// By cycle, what the speculative core asked for.
    addresses: Box<[u32; LOG_CYCLES]>,
    /// In the order of time.
    lost: Vec<Lost>,
}

impl Default for Trace {
    fn default() -> Self {
        Self { speculative: Steps::new(), replaying: Steps::new(), addresses: room(0), lost: Vec::new() }
    }
}

impl Trace {
    /// Begins with the next instruction of a core in a role.
    pub fn begin<C: FastCpu<B>, B: FastBus>(&mut self, role: Role, core: &C) {
        self.steps(role).first = core.begun();
        self.lost.clear();
    }

    fn steps(&mut self, role: Role) -> &mut Steps {
        if role == Role::Replaying { &mut self.replaying } else { &mut self.speculative }
    }

    /// As a policy, and what is done is noted.
    pub fn of<'a, P: PeerPolicy>(&'a mut self, peer: &'a mut P) -> Traced<'a, P> {
        Traced { peer, trace: self, address: 0, begun: 0 }
    }

    /// The replaying core begins an instruction outside the fast path.
    pub fn begin_replayed<C: FastCpu<B>, B: FastBus>(&mut self, core: &C, pc: u32, cycle: u32) {
        self.replaying.note(core.begun(), pc, cycle);
    }

    /// A core has lost a cycle outside the fast path.
    pub fn lose_replayed<C: FastCpu<B>, B: FastBus>(
        &mut self,
        replaying: &C,
        cycle: u32,
        by_speculative: bool,
        at: Access,
    ) {
        let begun = (replaying.begun() - self.replaying.first) as u32;
        self.lost.push(Lost { cycle, by_speculative, slave: at.slave, address: at.address, begun });
    }

    /// Tells what both cores of a quantum that began in cycle `began` of the chip have done.
    pub fn tell<C: FastCpu<B>, B: FastBus>(&mut self, bus: &mut B, [speculative, replaying]: [&C; 2], began: Cycle) {
        let Some(mut profile) = bus.fabric_mut().watch.profile.take() else { return };
        let mut cores = [
            Telling { id: speculative.id(), steps: self.speculative.up_to(speculative.begun()) },
            Telling { id: replaying.id(), steps: self.replaying.up_to(replaying.begun()) },
        ];
        let replayed = cores[1].steps.len();
        let mut start = began.wrapping_sub(Cycle::from(FIRST));
        for lost in &self.lost {
            let done = replayed - cores[1].steps.len();
            let due = cores[0].steps.iter().take_while(|(_, cycle)| *cycle <= lost.cycle).count();
            cores[0].tell::<C, B>(&mut profile, bus, start, due);
            cores[1].tell::<C, B>(&mut profile, bus, start, lost.begun as usize - done);
            let addresses = [self.addresses[lost.cycle as usize & (LOG_CYCLES - 1)], lost.address];
            let ids = [&cores[0], &cores[1]].map(|core| core.id);
            tell_lost(&mut profile, lost, start.wrapping_add(Cycle::from(lost.cycle)), ids, addresses);
            start = start.wrapping_add(Cycle::from(lost.by_speculative));
        }
        for core in &mut cores {
            core.tell::<C, B>(&mut profile, bus, start, core.steps.len());
        }
        bus.fabric_mut().watch.profile = Some(profile);
    }

    /// The same of a core alone.
    pub fn tell_alone<C: FastCpu<B>, B: FastBus>(&mut self, bus: &mut B, core: &C, began: Cycle) {
        let Some(mut profile) = bus.fabric_mut().watch.profile.take() else { return };
        let steps = self.speculative.up_to(core.begun());
        profile.instructions(core.id(), began, steps, |pc| C::op_at(pc, bus));
        bus.fabric_mut().watch.profile = Some(profile);
    }
}

/// Instructions of a core that a profile has not been told yet.
struct Telling<'a> {
    id: u8,
    steps: &'a [(u32, u32)],
}

impl Telling<'_> {
    /// Tells of so many instructions. Cycle 0 of the quantum is `start`.
    #[inline(always)]
    fn tell<C: FastCpu<B>, B: FastBus>(&mut self, profile: &mut Profile, bus: &B, start: Cycle, count: usize) {
        let (due, later) = self.steps.split_at(count);
        profile.instructions(self.id, start, due, |pc| C::op_at(pc, bus));
        self.steps = later;
    }
}

/// Tells of a cycle that was lost in cycle `now` of the chip; numbers and addresses are those of the speculative core first.
fn tell_lost(profile: &mut Profile, lost: &Lost, now: Cycle, ids: [u8; 2], addresses: [u32; 2]) {
    let loser = usize::from(!lost.by_speculative);
    let (core, winner) = (ids[loser], ids[1 - loser]);
    let by_core = if ids[0] == 0 { addresses } else { [addresses[1], addresses[0]] };
    profile.contend(now, winner, by_core);
    profile.event(core, now, CoreEvent::Conflicts(lost.slave, 1));
    profile.loses(core, now, Access { slave: lost.slave, address: addresses[loser] }, 1, winner);
}

/// A policy all of whose instructions and lost cycles are noted.
pub(crate) struct Traced<'a, P> {
    peer: &'a mut P,
    trace: &'a mut Trace,
    /// What the replaying core asks for.
    address: u32,
    /// Instructions that it has begun.
    begun: u32,
}

impl<P: PeerPolicy> Traced<'_, P> {
    /// A cycle in which a slave is requested, in the way that the policy has.
    #[inline(always)]
    fn note_lost(&mut self, clock: P::Clock, slave: Slave, request: impl Fn(&mut P) -> P::Clock) -> P::Clock {
        if P::ROLE != Role::Replaying {
            return request(self.peer);
        }
        let number = slave.number() & (SLAVES - 1);
        let lost = |peer: &P| (peer.log().lost[number], peer.log().speculative_lost[number]);
        let before = lost(self.peer);
        let after = request(self.peer);
        let now = lost(self.peer);
        if now != before {
            let (address, begun) = (self.address, self.begun);
            let all = &mut self.trace.lost;
            let one = |cycle, by_speculative| Lost { cycle, by_speculative, slave, address, begun };
            if now.0 != before.0 {
                all.push(one(self.peer.cycle(clock), false));
            }
            if now.1 != before.1 {
                all.push(one(self.peer.log().last_granted[number], true));
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
    fn begin(&mut self, number: u64, pc: u32, clock: P::Clock) {
        let cycle = self.peer.cycle(clock);
        self.begun = self.trace.steps(P::ROLE).note(number, pc, cycle);
    }

    #[inline(always)]
    fn ask_for(&mut self, address: u32, clock: P::Clock) {
        self.address = address;
        if P::ROLE == Role::Speculative {
            self.trace.addresses[self.peer.cycle(clock) as usize & (LOG_CYCLES - 1)] = address;
        }
    }

    fn cycle(&self, clock: P::Clock) -> u32 {
        self.peer.cycle(clock)
    }

    fn log(&self) -> &BusGrantLog {
        self.peer.log()
    }

    #[inline(always)]
    fn has_room(&self, clock: P::Clock, cycles: u32) -> bool {
        self.peer.has_room(clock, cycles)
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
        self.peer.may_read(tag)
    }

    #[inline(always)]
    fn may_write(&mut self, tag: &mut AccessTag) -> bool {
        self.peer.may_write(tag)
    }

    #[inline(always)]
    fn record_write(&mut self, index: u32, old: u32) {
        self.peer.record_write(index, old);
    }

    #[inline(always)]
    fn mru(&mut self) -> &mut MruWords {
        self.peer.mru()
    }

    #[inline(always)]
    fn may_hit(&mut self, set: usize, way: u32) -> bool {
        self.peer.may_hit(set, way)
    }

    #[inline(always)]
    fn record_hit(&mut self, set: usize, way: u32, was_lru: bool) {
        self.peer.record_hit(set, way, was_lru);
    }

    /// Registers are left to lock-step, which tells of them itself.
    fn may_change_io(&mut self, _: u64) -> bool {
        false
    }

    /// No native code is run.
    fn run_native(&mut self, _: &mut P::Clock, _: impl FnOnce(&mut BusGrantLog)) {}
}
