//! One cycle after the other, for both cores at once, and the arbiter between them.
//!
//! There are two ways through a cycle here, with equal results. `run` is the fast one: it keeps what changes from cycle to cycle
//! apart (`Lane`), for as long as cores ask for nothing but SRAM and hits in the flash cache and no exception is due. `cycle` is
//! the complete one: it knows everything, and what a core is about to do stands in the core.

use crate::chip::bus::{Bus, Slave};
use crate::chip::clock::Cycle;
use crate::chip::cpu::lane::Lane;
use crate::chip::cpu::{Core, Phase};
use crate::chip::machine::decoupled::{Decoupling, run_alone};

/// Cycles that cores go through one by one before it is tried again whether they can do better.
const AGAIN: Cycle = 16;
/// The same of a core whose code is in memory that no burst knows.
const ELSEWHERE: Cycle = 512;

/// Runs both cores up to, not including, cycle `limit`; returns early when the bus was touched in a way that may move the
/// limit or concern the other core.
///
/// Cores may run apart from each other for a while (`decoupled`), if `decoupling` is given.
pub(crate) fn run_cores<const WATCH: bool>(
    cores: &mut [Core; 2],
    bus: &mut Bus,
    limit: Cycle,
    mut decoupling: Option<&mut Decoupling>,
) {
    let [zero, one] = cores;
    while !bus.touched {
        let now = zero.t.min(one.t);
        if now >= limit {
            return;
        }
        let (t0, t1) = (zero.t, one.t);
        let end0 = if t0 == now && zero.is_plain() { zero.attention } else { t0 };
        let end1 = if t1 == now && one.is_plain() { one.attention } else { t1 };
        let end = limit.min(end0).min(end1);
        if end <= now {
            cycle::<WATCH>([zero, one], bus, now);
        } else if t0 == t1 {
            run_both::<WATCH>([zero, one], bus, now, end, decoupling.as_deref_mut());
        } else {
            let pair = if t1 > now { [&mut *zero, &mut *one] } else { [&mut *one, &mut *zero] };
            run_one::<WATCH>(pair, bus, now, end, decoupling.is_some());
        }
    }
}

/// Cycles from `now` up to, not including, `until`, or less, of two cores that both do something in them.
fn run_both<const WATCH: bool>(
    [zero, one]: [&mut Core; 2],
    bus: &mut Bus,
    now: Cycle,
    until: Cycle,
    decoupling: Option<&mut Decoupling>,
) {
    let Some(decoupling) = decoupling else {
        return run::<WATCH, true>([zero, one], bus, now, until);
    };
    if !decoupling.run::<WATCH>([zero, one], bus, now, until) {
        // Until cores are where they can run apart, or have rested.
        let rested = decoupling.rests_until().max(now + AGAIN);
        run::<WATCH, true>([zero, one], bus, now, until.min(rested));
    }
}

/// The same of the first core alone.
fn run_one<const WATCH: bool>([core, other]: [&mut Core; 2], bus: &mut Bus, now: Cycle, until: Cycle, in_bursts: bool) {
    if !in_bursts {
        return run::<WATCH, false>([core, other], bus, now, until);
    }
    let mut until = until;
    loop {
        run_alone(core, bus, core.t, until);
        let now = core.t;
        if now >= until {
            return;
        }
        if !core.is_where_bursts_are() {
            return run::<WATCH, false>([core, other], bus, now, until.min(now + ELSEWHERE));
        }
        run_instruction::<WATCH>(core, bus, now, until);
        // What is more than SRAM and hits in the flash cache, up to the next instruction.
        while core.phase != Phase::Start && core.t < until && !bus.touched {
            core.perform::<WATCH>(bus);
        }
        until = until.min(core.attention);
        if core.phase != Phase::Start || core.t >= until || bus.touched {
            return;
        }
    }
}

/// As `run`, of one core alone, to the end of the instruction that it is at.
fn run_instruction<const WATCH: bool>(core: &mut Core, bus: &mut Bus, mut now: Cycle, until: Cycle) {
    let mut lane = Lane::of(core);
    let mut begun = false;
    while now < until && !(begun && lane.is_ready()) {
        if !core.issue::<WATCH>(&mut lane, now, bus) {
            return;
        }
        begun = true;
        if lane.slave != Slave::Internal {
            core.complete::<WATCH>(&mut lane, now, bus);
        }
        now += 1;
    }
    core.stop::<WATCH>(&mut lane, now, bus);
}

/// Cycles from `now` up to, not including, `until`, of the first core and, if `BOTH`, of the second. Ends early before or in a
/// cycle in which one of them does something that a lane cannot hold.
fn run<const WATCH: bool, const BOTH: bool>(
    [first, second]: [&mut Core; 2],
    bus: &mut Bus,
    mut now: Cycle,
    until: Cycle,
) {
    let (mut a, mut b) = (Lane::of(first), Lane::of(second));
    while now < until {
        if !first.issue::<WATCH>(&mut a, now, bus) {
            if BOTH {
                second.stop::<WATCH>(&mut b, now, bus);
            }
            return;
        }
        if BOTH && !second.issue::<WATCH>(&mut b, now, bus) {
            a.post(first, now);
            return;
        }
        if BOTH && a.slave == b.slave && a.slave != Slave::Internal {
            if bus.arbitrate(a.slave, 3) == 0 {
                first.complete::<WATCH>(&mut a, now, bus);
                second.lose::<WATCH>(&mut b, now, bus);
            } else {
                first.lose::<WATCH>(&mut a, now, bus);
                second.complete::<WATCH>(&mut b, now, bus);
            }
        } else {
            if a.slave != Slave::Internal {
                first.complete::<WATCH>(&mut a, now, bus);
            }
            if BOTH && b.slave != Slave::Internal {
                second.complete::<WATCH>(&mut b, now, bus);
            }
        }
        now += 1;
    }
    first.stop::<WATCH>(&mut a, now, bus);
    if BOTH {
        second.stop::<WATCH>(&mut b, now, bus);
    }
}

/// Cycle `now` of the cores that do something in it.
fn cycle<const WATCH: bool>([zero, one]: [&mut Core; 2], bus: &mut Bus, now: Cycle) {
    for core in [&mut *zero, &mut *one] {
        begin_core::<WATCH>(core, bus, now);
        // As in `run`: at a breakpoint of core 0, core 1 begins nothing.
        if bus.touched {
            return;
        }
    }
    if zero.t == now && one.t == now && zero.slave == one.slave && zero.slave.is_shared() {
        let loser = if bus.arbitrate(zero.slave, 3) == 0 { &mut *one } else { &mut *zero };
        loser.lose_cycle::<WATCH>(bus);
    }
    // In one cycle core 0 comes first (DS 2.3.1.3 says so of SIO).
    if zero.t == now {
        zero.perform::<WATCH>(bus);
    }
    if one.t == now && !bus.touched {
        one.perform::<WATCH>(bus);
    }
}

/// Lets cores that stand before an instruction in cycle `now` begin it, so that what they ask for in this cycle is known.
pub(crate) fn begin<const WATCH: bool>(cores: &mut [Core; 2], bus: &mut Bus, now: Cycle) {
    for core in cores {
        begin_core::<WATCH>(core, bus, now);
    }
}

fn begin_core<const WATCH: bool>(core: &mut Core, bus: &mut Bus, now: Cycle) {
    if core.t == now && core.phase == Phase::Start {
        core.begin::<WATCH>(bus);
    }
}
