//! The replaying core's way through a quantum: on the fast path where that is possible, else in lock-step with what the log says
//! of the speculative core, and with what other masters transfer from and to RAM meanwhile.

use crate::core::bus::Slave;
use crate::core::time::Cycle;
use crate::engine::access_tags::WATCHED;
use crate::engine::cpu::{FastCpu, Pipeline as _, Request};
use crate::engine::fast_bus::{FastBus, FlashCache, OTHER_MASTER_NUMBERS, OTHER_MASTERS};
use crate::engine::grant_log::{BusGrantLog, FIRST};
use crate::engine::policy::{PeerPolicy, Replaying, Role};
use crate::engine::trace::Traced;

/// Where the replay ends, and what other masters do up to there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    /// The cycle that the speculative core has come to.
    pub end: u32,
    /// Cycles of the chip that may pass.
    pub time: u32,
    /// The cycle of the chip in which other masters next do something; `NEVER` if the quantum ends before.
    pub transfers_at: Cycle,
    /// Whether they have done something.
    pub transferred: bool,
}

impl Course {
    /// Lets the replay go on up to the next transfer, or the end, of a quantum that began in cycle `began` of the chip.
    pub fn go_on(&self, log: &mut BusGrantLog, began: Cycle) {
        let time = (self.transfers_at - began).min(Cycle::from(self.time)) as u32;
        log.set_limit(self.end, time);
    }
}

/// Runs the replaying core to where the speculative core is, or up to a cycle that is not for it to do alone. The cycle that it has come to.
pub(crate) fn replay<const WATCH: bool, const TRACES: bool, C: FastCpu<B>, B: FastBus>(
    core: &mut C,
    policy: &mut Replaying,
    bus: &mut B,
    decoded: &mut C::CodeCache,
    course: &mut Course,
    flash_ready: bool,
) -> u32 {
    let mut cycle = FIRST;
    let exceptions_from = core.exceptions_from();
    // It is an exception's turn earlier once they are no longer masked.
    while cycle < policy.log.end && core.exceptions_from() == exceptions_from {
        if core.can_run_fast(bus) && policy.has_room(cycle, C::MAX_CYCLES) {
            policy.mru.sync(bus, flash_ready);
            cycle = if TRACES {
                core.run_fast(bus, decoded, &mut Traced(policy), cycle, flash_ready)
            } else {
                core.run_fast(bus, decoded, policy, cycle, flash_ready)
            };
            core.set_next_cycle(policy.now(cycle));
        }
        let goes_on;
        (cycle, goes_on) =
            replay_in_lockstep::<WATCH, TRACES, C, B>(core, policy, bus, course, (cycle, exceptions_from));
        if !goes_on {
            return cycle;
        }
    }
    cycle
}

/// As `replay`, in lock-step, to the end or until the fast path can go on: the cycle, and whether the replay can go on from it.
fn replay_in_lockstep<const WATCH: bool, const TRACES: bool, C: FastCpu<B>, B: FastBus>(
    core: &mut C,
    policy: &mut Replaying,
    bus: &mut B,
    course: &mut Course,
    (mut cycle, exceptions_from): (u32, Cycle),
) -> (u32, bool) {
    let mut pipeline = core.pipeline(policy.now(cycle));
    let mut begun = false;
    let may_leave = |policy: &Replaying, cycle| policy.has_room(cycle, C::MAX_CYCLES) && !policy.log.is_stalled(cycle);
    while !(begun && pipeline.is_at_boundary() && may_leave(policy, cycle)) {
        let now = policy.now(cycle);
        if (WATCH || TRACES) && pipeline.is_deferred() && core.next_cycle() == now {
            pipeline = core.pipeline(now); // It may be at a boundary now.
        }
        if cycle >= policy.log.end {
            let is_due = now == course.transfers_at && now < policy.began + Cycle::from(course.time);
            if !is_due || cycle >= course.end || core.exceptions_from() != exceptions_from {
                break;
            }
            let Some(wanted) = transfers(policy, bus, now) else {
                policy.log.set_limit(course.end, course.time);
                core.stop::<WATCH>(&mut pipeline, now, bus);
                return (cycle, false);
            };
            let next = replay_beside_transfers::<TRACES, C, B>(core, &mut pipeline, policy, bus, (cycle, &wanted));
            let Some(next) = next else {
                policy.log.set_limit(course.end, course.time);
                return (cycle, false);
            };
            course.transferred = true;
            course.transfers_at = bus.next_transfer_after(wanted.map(|request| request.is_some()), now + 1);
            course.go_on(policy.log, policy.began);
            (cycle, begun) = (next, true);
            continue;
        }
        if WATCH && pipeline.is_at_boundary() && bus.fabric().watch.has_breakpoint(pipeline.next_pc()) {
            // It may end the run, and which core comes first in a cycle is not for the replaying core to say.
            core.stop::<WATCH>(&mut pipeline, now, bus);
            return (cycle, false);
        }
        if TRACES && pipeline.is_at_boundary() {
            policy.log.trace.note_next(Role::Replaying, core, &pipeline, cycle);
        }
        let Some(asked) = ask::<WATCH, TRACES, C, B>(core, &mut pipeline, policy, bus, cycle) else {
            return (cycle, false);
        };
        begun = true;
        let slave = asked.request.slave;
        if slave == Slave::INTERNAL {
            cycle += 1;
            continue;
        }
        let (collides, loses) = (policy.log.collides(cycle, slave), policy.log.waits(cycle, slave));
        if TRACES && collides {
            policy.log.trace.address = asked.request.address;
            policy.log.trace.lose(cycle, slave, !loses, None);
        }
        if collides && loses {
            core.lose::<WATCH>(&mut pipeline, now, bus);
            cycle += 1;
        } else {
            get::<WATCH, C, B>(core, &mut pipeline, policy, bus, asked, now);
            cycle = policy.request(cycle, slave);
            policy.log.forget_transfer(slave);
            policy.log.contended.note_request::<B>(Role::Replaying, asked.request, cycle);
        }
    }
    core.stop::<WATCH>(&mut pipeline, policy.now(cycle), bus);
    (cycle, true)
}

/// What other masters ask for in cycle `now`. None if that needs the speculative core to be where it is.
#[inline(always)]
fn transfers<B: FastBus>(policy: &mut Replaying, bus: &mut B, now: Cycle) -> Option<[Option<Request>; OTHER_MASTERS]> {
    let wanted = bus.transfers(now)?;
    let [read, write] = wanted.map(|request| request.map(|request| request.slave));
    let meet = read.is_some() && read == write;
    (!meet && wanted.iter().all(|request| request.is_none_or(|request| policy.allows(request, bus)))).then_some(wanted)
}

/// A cycle of both cores in which other masters ask for something: the next cycle. None, and nothing is done, if what the core asks
/// for needs the speculative core to be where it is.
fn replay_beside_transfers<const TRACES: bool, C: FastCpu<B>, B: FastBus>(
    core: &mut C,
    pipeline: &mut C::Pipeline,
    policy: &mut Replaying,
    bus: &mut B,
    (cycle, wanted): (u32, &[Option<Request>; OTHER_MASTERS]),
) -> Option<u32> {
    let now = policy.now(cycle);
    if TRACES && pipeline.is_at_boundary() {
        policy.log.trace.note_next(Role::Replaying, core, pipeline, cycle);
    }
    let asked = ask::<false, TRACES, C, B>(core, pipeline, policy, bus, cycle)?;
    let slave = asked.request.slave;
    let [other, own] = [policy.log.speculative, core.id()];
    let collides = policy.log.collides(cycle, slave);
    let mut loses = collides && policy.log.waits(cycle, slave);
    let mut other_loses = (collides && !loses).then_some(slave);
    // By whether it is the other core: whom the slave went to that another master asked for, too.
    let mut beside_others = [None; 2];
    for (side, request) in wanted.iter().enumerate() {
        let Some(request) = request else { continue };
        let (asks, other_asks) = (slave == request.slave, policy.log.collides(cycle, request.slave));
        let master = OTHER_MASTER_NUMBERS[side];
        let asking = 1 << master | u8::from(other_asks) << other | u8::from(asks) << own;
        let winner = policy.log.arbitrate(cycle, request.slave, asking, &mut bus.fabric_mut().arbiter);
        if asks {
            loses = winner != own;
            beside_others[0] = Some(winner);
        }
        if other_asks {
            other_loses = (winner != other).then_some(request.slave);
            beside_others[1] = Some(winner);
        }
        if winner == master {
            bus.make_transfer(side, now);
            policy.log.note_transfer(cycle, request.slave, master);
        } else {
            bus.put_off_transfer(side);
        }
    }
    if TRACES {
        policy.log.trace.address = asked.request.address;
        if slave != Slave::INTERNAL && loses {
            policy.log.trace.lose(cycle, slave, false, beside_others[0]);
        }
        if let Some(slave) = other_loses {
            policy.log.trace.lose(cycle, slave, true, beside_others[1]);
        }
    }
    if slave != Slave::INTERNAL && loses {
        core.lose::<false>(pipeline, now, bus);
    } else if slave != Slave::INTERNAL {
        get::<false, C, B>(core, pipeline, policy, bus, asked, now);
        policy.log.note_grant(cycle, slave);
        // The speculative core, should it have lost the cycle, asks for RAM in it.
        policy.log.contended.note_request::<B>(Role::Replaying, asked.request, cycle + 1);
    }
    if let Some(slave) = other_loses {
        policy.log.stall(cycle, slave);
        return Some(cycle);
    }
    Some(cycle + 1)
}

/// What the replaying core asks for in a cycle.
#[derive(Clone, Copy)]
struct Asked {
    request: Request,
    /// It accesses its I/O port at the same time.
    with_io: bool,
}

/// Begins a cycle. None if what the core asks for is not for it to have alone: it is deferred.
#[inline(always)]
fn ask<const WATCH: bool, const TRACES: bool, C: FastCpu<B>, B: FastBus>(
    core: &mut C,
    pipeline: &mut C::Pipeline,
    policy: &mut Replaying,
    bus: &mut B,
    cycle: u32,
) -> Option<Asked> {
    let now = policy.now(cycle);
    if !core.begin_cycle::<WATCH>(pipeline, now, bus) {
        return None;
    }
    if pipeline.slave() == Slave::INTERNAL
        || !TRACES && !pipeline.is_deferred() && policy.allows(pipeline.request(), bus)
    {
        return Some(Asked { request: pipeline.request(), with_io: false });
    }
    ask_for_more::<TRACES, C, B>(core, pipeline, policy, bus, cycle)
}

/// The same of what is seldom asked for.
#[inline(never)]
fn ask_for_more<const TRACES: bool, C: FastCpu<B>, B: FastBus>(
    core: &mut C,
    pipeline: &C::Pipeline,
    policy: &mut Replaying,
    bus: &mut B,
    cycle: u32,
) -> Option<Asked> {
    let now = policy.now(cycle);
    let io = if pipeline.is_deferred() { core.pending_io() } else { None };
    let request = match io {
        Some(_) => beside_io(pipeline.request(), now, bus),
        None => Some(pipeline.request()),
    };
    let allowed = request.filter(|&request| match (TRACES, io) {
        (true, Some(io)) if has_to_tell(io.address, bus) => false,
        (_, Some(io)) => policy.allows_io((core.id(), io), request, cycle, bus),
        (false, None) if pipeline.is_deferred() => {
            core.is_pure_bridge_read() && !policy.other_changes_io(B::shared_io(request.address))
        }
        // Lock-step tells a profile of what the word of a current task becomes.
        (true, _) if pipeline.is_deferred() || is_watched(request, bus) => false,
        _ => policy.allows(request, bus),
    });
    if allowed.is_none() {
        core.defer(pipeline, now);
    }
    allowed.map(|request| Asked { request, with_io: io.is_some() })
}

/// The core is given what it has asked for in cycle `now`.
#[inline(always)]
fn get<const WATCH: bool, C: FastCpu<B>, B: FastBus>(
    core: &mut C,
    pipeline: &mut C::Pipeline,
    policy: &mut Replaying,
    bus: &mut B,
    asked: Asked,
    now: Cycle,
) {
    let Request { slave, address, place, .. } = asked.request;
    if slave == B::MEMORY.flash_slave && policy.log.contended.number::<B::Cache>(address).is_none() {
        let set = B::Cache::set_of(address);
        policy.record_hit(set, place, u32::from(bus.cache().lru(set)) == place);
    }
    core.complete::<WATCH>(pipeline, now, bus);
    if asked.with_io && slave.is_shared() {
        bus.fabric_mut().arbiter.release(slave);
    }
    debug_assert!(!bus.fabric().requests.touched, "something that others must hear of");
}

/// What a core fetches while it accesses its I/O port, with its place; none if it would have to wait for it.
fn beside_io<B: FastBus>(request: Request, now: Cycle, bus: &B) -> Option<Request> {
    if request.slave == Slave::NONE {
        return Some(request);
    }
    bus.at_once(request.address, false, now).map(|(_, place)| Request { place, ..request })
}

/// Whether a profile has to be told of accesses to an address of a core's I/O port: here, nothing is noted of them.
fn has_to_tell<B: FastBus>(address: u32, bus: &B) -> bool {
    bus.fabric().watch.profile.as_ref().is_some_and(|profile| profile.is_lock(address))
}

/// Whether somebody watches the word of RAM that a core asks for.
fn is_watched<B: FastBus>(request: Request, bus: &mut B) -> bool {
    B::is_ram(request.slave) && *bus.tags().of(request.place) & WATCHED != 0
}
