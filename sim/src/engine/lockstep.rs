//! Lock-step: both cores go through the same cycle together, with the arbiter between them.
//!
//! What changes from cycle to cycle is kept apart ([`Pipeline`]) for as long as a core asks for nothing but memory without wait
//! states. All else is deferred to the core, which carries it out in the cycle that it is due.

use crate::core::bus::{Bus, Slave};
use crate::core::time::Cycle;
use crate::engine::LONG_STALL_CYCLES;
use crate::engine::cpu::{Cpu, FastCpu, Pipeline};
use crate::engine::decoupled::Decoupled;
use crate::engine::fast_bus::FastBus;

/// Lock-step cycles to run before the fast path is tried again.
const RETRY_AFTER: Cycle = 3;
/// The same for a core whose code is in memory that the fast path cannot execute from.
const UNCACHEABLE_RETRY_AFTER: Cycle = 512;

/// Reads of registers ([`Fabric::reads_left`]) where nobody wants to know of them.
///
/// [`Fabric::reads_left`]: crate::core::bus::Fabric::reads_left
pub(crate) const NO_LIMIT: i64 = i64::MAX;

/// Lock-step cycles after which a machine that counts reads of registers looks at how many there were.
const COUNTED: Cycle = 256;

/// Runs both cores up to, not including, cycle `limit`; returns early when the bus was touched in a way that may move the
/// limit or concern the other core, or when registers were read as often as the machine wants to know.
///
/// With `decoupled`, cores may run apart from each other for a while.
pub(crate) fn run_cores<const WATCH: bool, C: FastCpu<B>, B: FastBus>(
    cores: &mut [C; 2],
    bus: &mut B,
    limit: Cycle,
    mut decoupled: Option<&mut Decoupled<C, B>>,
) {
    let [zero, one] = cores;
    while !bus.fabric().requests.touched && bus.fabric().reads_left > 0 {
        let now = zero.next_cycle().min(one.next_cycle());
        if now >= limit {
            return;
        }
        // Reads of registers are counted, and nothing but the end of a piece looks at how many there were.
        let counts = decoupled.is_none() && bus.fabric().reads_left < NO_LIMIT / 2;
        let limit = if counts { limit.min(now + COUNTED) } else { limit };
        if zero.next_cycle().max(one.next_cycle()) - now < LONG_STALL_CYCLES {
            run_both::<WATCH, C, B>([zero, one], bus, now, limit, decoupled.as_deref_mut());
        } else {
            let pair = if one.next_cycle() > now { [&mut *zero, &mut *one] } else { [&mut *one, &mut *zero] };
            run_one::<WATCH, C, B>(pair, bus, now, limit, decoupled.as_deref_mut());
        }
    }
}

/// Cycles from `now` up to, not including, `until`, or less, of two cores that both do something in them.
fn run_both<const WATCH: bool, C: FastCpu<B>, B: FastBus>(
    [zero, one]: [&mut C; 2],
    bus: &mut B,
    now: Cycle,
    until: Cycle,
    decoupled: Option<&mut Decoupled<C, B>>,
) {
    let Some(decoupled) = decoupled else {
        return run::<WATCH, true, C, B>([zero, one], bus, now, until);
    };
    let calm = until.min(zero.exceptions_from()).min(one.exceptions_from());
    if zero.next_cycle() != one.next_cycle() || !decoupled.run::<WATCH>([zero, one], bus, now, calm) {
        // Until cores are where they can run apart, or the pause is over.
        let rested = decoupled.tries_at(now).max(now + RETRY_AFTER);
        // Lock-step counts reads of registers for a profile, and nothing but its end looks at how many there were.
        let rested = if WATCH { rested.min(now + COUNTED) } else { rested };
        run::<WATCH, true, C, B>([zero, one], bus, now, until.min(rested));
    }
}

/// The same of the first core, while the other one does nothing.
fn run_one<const WATCH: bool, C: FastCpu<B>, B: FastBus>(
    [core, other]: [&mut C; 2],
    bus: &mut B,
    now: Cycle,
    limit: Cycle,
    decoupled: Option<&mut Decoupled<C, B>>,
) {
    let until = limit.min(other.next_cycle());
    let Some(decoupled) = decoupled else {
        return run::<WATCH, false, C, B>([core, other], bus, now, until);
    };
    while core.next_cycle() < until && !bus.fabric().requests.touched && bus.fabric().reads_left > 0 {
        decoupled.run_alone(core, bus, core.next_cycle(), until.min(core.exceptions_from()));
        let now = core.next_cycle();
        if now >= until {
            return;
        }
        if !core.is_in_fast_memory() {
            return run::<WATCH, false, C, B>([core, other], bus, now, until.min(now + UNCACHEABLE_RETRY_AFTER));
        }
        run_instruction::<WATCH, C, B>(core, bus, until);
    }
}

/// As `run`, of one core alone, to the end of the instruction that it is at.
fn run_instruction<const WATCH: bool, C: Cpu<B>, B: Bus>(core: &mut C, bus: &mut B, until: Cycle) {
    let mut now = core.next_cycle();
    let mut pipeline = core.pipeline(now);
    let mut begun = false;
    while now < until && !(begun && pipeline.is_at_boundary()) {
        if !core.begin_cycle::<WATCH>(&mut pipeline, now, bus) {
            return;
        }
        if pipeline.is_deferred() {
            // Nobody sees the cycles in between.
            while !core.is_at_boundary() && core.next_cycle() < until && !bus.fabric().requests.touched {
                core.perform_deferred::<WATCH>(bus);
            }
            return;
        }
        begun = true;
        if pipeline.slave() != Slave::INTERNAL {
            core.complete::<WATCH>(&mut pipeline, now, bus);
        }
        now += 1;
    }
    core.stop::<WATCH>(&mut pipeline, now, bus);
}

/// Cycles from `now` up to, not including, `until`, of the first core and, if `BOTH`, of the second. Ends early if a core does
/// nothing for a while, or after something that the machine must see.
fn run<const WATCH: bool, const BOTH: bool, C: Cpu<B>, B: Bus>(
    [first, second]: [&mut C; 2],
    bus: &mut B,
    mut now: Cycle,
    until: Cycle,
) {
    let (mut a, mut b) = (first.pipeline(now), second.pipeline(now));
    while now < until && !bus.fabric().requests.touched {
        if !first.begin_cycle::<WATCH>(&mut a, now, bus) {
            if BOTH {
                second.stop::<WATCH>(&mut b, now, bus);
            }
            return;
        }
        if BOTH && !second.begin_cycle::<WATCH>(&mut b, now, bus) {
            first.defer(&a, now);
            return;
        }
        let clash = BOTH
            && a.slave() == b.slave()
            && a.slave().is_shared()
            && !(WATCH && bus.fabric().watch.are_apart(a.request().address, b.request().address));
        let winner = if clash { bus.fabric().arbiter.arbitrate(a.slave(), 3) } else { 0 };
        if WATCH
            && clash
            && let Some(profile) = &mut bus.fabric_mut().watch.profile
        {
            profile.contend(now, winner, [a.request().address, b.request().address]);
        }
        // In one cycle core 0 comes first (DS 2.3.1.3 says so of SIO), also if one of them loses the cycle on the bus.
        if clash && winner != 0 {
            first.lose::<WATCH>(&mut a, now, bus);
        } else if a.slave() != Slave::INTERNAL {
            first.complete::<WATCH>(&mut a, now, bus);
        }
        if clash && winner == 0 {
            second.lose::<WATCH>(&mut b, now, bus);
        } else if BOTH && b.slave() != Slave::INTERNAL {
            if bus.fabric().requests.touched {
                second.defer(&b, now);
                return first.stop::<WATCH>(&mut a, now + 1, bus);
            }
            second.complete::<WATCH>(&mut b, now, bus);
        }
        now += 1;
    }
    first.stop::<WATCH>(&mut a, now, bus);
    if BOTH {
        second.stop::<WATCH>(&mut b, now, bus);
    }
}

/// Lets cores that stand before an instruction in cycle `now` begin it, so that what they ask for in this cycle is known.
pub(crate) fn begin<const WATCH: bool, C: Cpu<B>, B: Bus>(cores: &mut [C; 2], bus: &mut B, now: Cycle) {
    for core in cores {
        if core.next_cycle() == now && core.is_at_boundary() {
            core.begin::<WATCH>(bus);
        }
    }
}
