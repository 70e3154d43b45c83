//! Profiles as Python takes them.

use intercore_sim::core::bus::Slave;
use intercore_sim::core::chip::Chip;
use intercore_sim::core::profile::{Activity, Costs, CostsOfNodes, Culprit, Frame, LockUse, Profile, TimedCalls};
use intercore_sim::core::time::Cycle;
use intercore_sim::image::Image;
use intercore_sim::observe::course::{Course, Lost, Stretch};
use intercore_sim::observe::timeline::exception;
use intercore_sim::rp2040::machine::Machine;
use intercore_sim::session::{Session, Until};
use pyo3::prelude::*;

use crate::SimulatorError;
use crate::guard::run_long;

/// Calls, instructions, cycles, asleep, switching; cycles lost to other masters and to wait states, by slave.
type Spent = ([u64; 5], Vec<Cycle>, Vec<Cycle>);
/// Parent or -1; kind and value of the frame, of a task its number; of a handler, its name; costs.
type Node = (i64, &'static str, u32, Option<String>, Spent);
/// Address; executed, cycles, conflicts, waits, asleep.
type Line = (u32, [u64; 5]);
/// Core, number of the node, and its costs.
type SpentIn = Vec<(u8, usize, Spent)>;
/// When a call began, its cycles, those in which its task was on no core, and costs.
type Call = (Cycle, Cycle, Cycle, SpentIn);
/// Cycles of each call of the timed function; how many more there were, and how many had not returned; cycles in which
/// the tasks of calls were on no core, and costs of all; the longest one.
type Timed = (Vec<Cycle>, u64, u64, Cycle, SpentIn, Option<Call>);
/// End; cycles in which it did nothing; whether the tree is truncated; nodes; lines; calls of the timed function.
type Core = (Cycle, Cycle, bool, Vec<Node>, Vec<Line>, Timed);
/// Core, slave, function, object; who took it, its function and object; times and cycles.
type Loss = (u8, &'static str, u32, u32, &'static str, u32, u32, u64, Cycle);
/// Lock, core, function; claims, waits, held, longest held, waited, longest wait, most claims of the other core in a wait.
type Lock = (u8, u8, u32, [u64; 7]);
/// Lock, core, function; the core that held it, and its function; times and cycles.
type Wait = (u8, u8, u32, u8, u32, u64, Cycle);
/// Begin and end; both cores; names of the slaves; losses; locks; waits for locks; lost cycles of kinds
/// beyond those that are told apart; control block and name of each task by its number, that of no task first.
pub type Recorded = (Cycle, Cycle, Vec<Core>, Vec<&'static str>, Vec<Loss>, Vec<Lock>, Vec<Wait>, Cycle, Vec<Task>);
type Task = (u32, String);
/// First cycle and how many; node of the tree of calls; what the core did, and the slave and kind of loss of its cycles if they
/// were lost; how many losses began.
pub type Followed = (Cycle, Cycle, usize, &'static str, Option<(&'static str, bool)>, u64);
/// Function, file, line.
pub type Source = (Option<String>, Option<String>, Option<u32>);

pub fn none() -> PyErr {
    SimulatorError::new_err("no profile is being recorded: start one before the run")
}

fn name(slave: u8) -> &'static str {
    Machine::slave_name(Slave(slave)).unwrap_or_default()
}

fn spent(costs: &Costs) -> Spent {
    let sums = [costs.calls, costs.instructions, costs.cycles, costs.asleep, costs.switching];
    (sums, costs.conflicts.to_vec(), costs.waits.to_vec())
}

fn spent_in(costs: &CostsOfNodes) -> SpentIn {
    let mut all: Vec<_> = costs.iter().map(|(&(core, node), costs)| (core, node, spent(costs))).collect();
    all.sort_unstable_by_key(|&(core, node, _)| (core, node));
    all
}

fn timed(timed: &TimedCalls) -> Timed {
    let longest = timed.longest.as_ref();
    (
        timed.calls.iter().map(|call| call.cycles).collect(),
        timed.more,
        timed.unfinished,
        timed.away,
        spent_in(&timed.costs),
        longest.map(|(call, costs, away)| (call.begun, call.cycles, *away, spent_in(costs))),
    )
}

fn node<C: Chip>(parent: Option<usize>, frame: Frame, costs: &Costs) -> Node {
    let (kind, value) = match frame {
        Frame::Task(number) => ("task", number),
        Frame::Handler(number) => ("handler", u32::from(number)),
        Frame::Function(start) => ("function", start),
    };
    let name = if let Frame::Handler(number) = frame { Some(exception::<C>(number)) } else { None };
    (parent.map_or(-1, |parent| i64::try_from(parent).unwrap_or(-1)), kind, value, name, spent(costs))
}

/// All of a profile, in an order that does not depend on anything else.
pub fn recorded<C: Chip>(profile: &Profile) -> Recorded {
    let cores = profile.cores.iter().map(|core| {
        let nodes = core.nodes().iter().map(|it| node::<C>(it.parent, it.frame, &it.costs)).collect();
        let lines = core.lines().map(|(pc, it)| (pc, [it.executed, it.cycles, it.conflicts, it.waits, it.asleep]));
        (core.until, core.off, core.is_truncated(), nodes, lines.collect(), timed(core.timed()))
    });
    let contention = &profile.contention;
    let mut losses: Vec<_> = contention.losses.iter().collect();
    losses.sort_unstable();
    let losses = losses.into_iter().map(|(loss, &(times, cycles))| {
        let (to, function, object) = match loss.to {
            Culprit::Core { function, object } => ("core", function, object),
            Culprit::Dma => ("DMA", 0, 0),
            Culprit::Itself => ("itself", 0, 0),
            Culprit::Eviction { function, object } => ("eviction", function, object),
            Culprit::Nobody => ("nobody", 0, 0),
        };
        (loss.core, name(loss.slave), loss.function, loss.object, to, function, object, times, cycles)
    });
    let mut locks: Vec<_> = contention.locks.iter().collect();
    locks.sort_unstable_by_key(|(key, _)| **key);
    let locks = locks.into_iter().map(|(&(lock, core, function), used)| {
        let LockUse { claims, waits, held, longest_held, waited, longest_wait, overtaken } = *used;
        let sums = [claims, waits, held, longest_held, waited, longest_wait, overtaken];
        (lock, core, function, sums)
    });
    let mut waits: Vec<_> = contention.lock_waits.iter().collect();
    waits.sort_unstable();
    let waits = waits.into_iter().map(|(wait, &(times, cycles))| {
        (wait.lock, wait.core, wait.function, wait.holder, wait.holder_function, times, cycles)
    });
    let slaves = Slave::all().map(|slave| name(slave.0)).collect();
    (
        profile.begun,
        profile.ended,
        cores.collect(),
        slaves,
        losses.collect(),
        locks.collect(),
        waits.collect(),
        contention.untold,
        profile.tasks.all().map(|(block, name)| (block, name.to_owned())).collect(),
    )
}

/// Runs to a cycle, and returns what each core did on the way.
pub fn follow(py: Python<'_>, session: &mut Session<Machine>, until: Cycle) -> PyResult<[Vec<Followed>; 2]> {
    let course = run_long(py, |go_on| {
        let mut course = Course::new(&session.chip);
        while session.chip.now() < until && go_on() {
            let begun = session.chip.now();
            session.run(&Until { limit: begun + 1, stop_address: None, text: None }, || true);
            session.skip_idle_time_to(begun + 1);
            if session.chip.now() == begun {
                break;
            }
            course.pass(&session.chip);
        }
        course
    })?;
    Ok(course.stretches.map(|one| one.iter().map(followed).collect()))
}

fn followed(it: &Stretch) -> Followed {
    let doing = match it.activity {
        Activity::Off => "off",
        Activity::Executes => "executes",
        Activity::Switches => "switches",
        Activity::Sleeps => "sleeps",
    };
    let lost = it.lost.map(|lost| match lost {
        Lost::Conflict(slave) => (name(slave.0), true),
        Lost::Wait(slave) => (name(slave.0), false),
    });
    (it.begin, it.cycles, it.node, doing, lost, it.losses)
}

/// The functions that instructions are in, of the first image that knows.
pub fn sources(images: &[Image], addresses: &[u32]) -> Vec<Vec<Source>> {
    let mut found = vec![Vec::new(); addresses.len()];
    for image in images {
        for (known, frames) in found.iter_mut().zip(image.lines.frames(addresses)) {
            if known.is_empty() {
                known.extend(frames.into_iter().map(|frame| {
                    let (file, line) = frame.line.map_or((None, None), |(file, line)| (Some(file), Some(line)));
                    (frame.function, file, line)
                }));
            }
        }
    }
    found
}
