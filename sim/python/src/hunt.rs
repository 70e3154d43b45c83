//! What a hunt for faults has found, as Python takes it.

use crate::{SimulatorError, State, profile};
use intercore_sim::core::chip::Chip as _;
use intercore_sim::core::profile::{
    CoreProfile, Delay, Doer, Frame, Profile, RaceKind, Stack as Used, Suspicion, Touched,
};
use intercore_sim::core::time::Cycle;
use intercore_sim::observe::timeline::exception;
use intercore_sim::rp2040::machine::Machine;
use intercore_sim::rp2040::machine::waits::{FifoWait, Wait};
use pyo3::PyResult;

/// Kind and value of a frame of a call path, of a task its number; of a handler, its name.
type Step = (&'static str, u32, Option<String>);
/// From a task or handler to the function that is executed.
type Path = Vec<Step>;
/// Core, cycle, address of the instruction, value, calls.
type Done = (u8, Cycle, u32, u32, Path);
/// Core, exception and its name; count, cycles, longest, latency; what delayed it, and its function or name.
type Interrupt = (u8, u8, String, [u64; 4], &'static str, u32, Option<String>);
/// What, times, and where first.
type Suspected = (&'static str, u64, Done);
/// Lock, core, since when, calls.
type Holder = (usize, u8, Cycle, Path);
/// Where both cores are: the calls of the task or handler that is executed, last, and of those it interrupted.
type Stacks = Vec<Vec<Path>>;
/// By the core that started the other one: stack pointer and entry.
type Launches = Vec<Option<(u32, u32)>>;
/// Lock, core, since when it waits, and how often the other core got it meanwhile.
type Waiting = (usize, u8, Cycle, u64);
/// Lowest address, end, lowest word stored to and by whom; who went below it, and where.
type Stack = (u32, u32, u32, Option<Done>, Option<(Done, u32)>);
/// A task: control block, name, since when it is on no core (0 if it is on one), its stack, and the functions that it is in if
/// it is on no core.
type Task = (u32, String, Cycle, Option<Stack>, Vec<u32>);
/// The stack of each core, stores into that of the other core, and tasks.
type StackUse = (Vec<Option<Stack>>, Vec<(Done, u32)>, Vec<Task>);
/// By core: how often it began anew, and where it was before; and the exception whose handlers leave it no time, since when,
/// and how many there were.
type Troubles = Vec<(Option<(u64, Done)>, Option<(String, Cycle, u64)>)>;
/// All of a hunt. Words with their last writer.
pub type Hunted = (
    Stacks,
    Vec<Interrupt>,
    Vec<Suspected>,
    Vec<(u32, Option<Done>)>,
    Vec<Holder>,
    Vec<Waiting>,
    Launches,
    StackUse,
    Troubles,
);
/// Kind, address, bytes; a load before, what the other one did, what came last; whether it happened, and how often.
type Race = (&'static str, u32, u32, Option<Done>, Done, Done, bool, u64);
/// Data races, and whether all accesses to shared words were looked at.
pub type Races = (Vec<Race>, bool);
/// Whether it returns, whether it repeats, whether it acts; code, registers, words, locals; what of its FIFOs ends it.
pub type Waited = (bool, bool, bool, Vec<u32>, Vec<u32>, Vec<u32>, Vec<u32>, &'static str);

fn step(frame: Frame) -> Step {
    match frame {
        Frame::Task(number) => ("task", number, None),
        Frame::Handler(number) => ("handler", u32::from(number), Some(exception::<Machine>(number))),
        Frame::Function(start) => ("function", start, None),
    }
}

fn path(core: &CoreProfile, node: usize) -> Path {
    let nodes = core.nodes();
    let up = std::iter::successors(nodes.get(node), |node| node.parent.and_then(|parent| nodes.get(parent)));
    let mut path: Path = up.map(|node| step(node.frame)).collect();
    path.reverse();
    path
}

fn done(profile: &Profile, doer: &Doer) -> Done {
    let core = &profile.cores[usize::from(doer.core & 1)];
    (doer.core, doer.cycle, doer.pc, doer.value, path(core, doer.node))
}

type Chip = crate::chip::Chip<Machine>;

/// The chip whose faults are hunted.
fn chip(state: &mut State) -> PyResult<&mut Chip> {
    match state {
        State::Rp2040(chip) => Ok(chip),
        State::Rp2350(_) | State::Stm32h745(_) => {
            Err(SimulatorError::new_err("faults are hunted on the simulated RP2040 only"))
        }
    }
}

/// What is simulated of it.
pub fn machine(state: &mut State) -> PyResult<&mut Machine> {
    Ok(&mut chip(state)?.session.chip)
}

/// Begins a hunt.
pub fn start(state: &mut State) -> PyResult<()> {
    let chip = chip(state)?;
    chip.session.chip.start_hunt(&chip.images[0]);
    Ok(())
}

/// Begins the second hunt of the same run.
pub fn start_again(state: &mut State, words: Vec<u32>, shared: Vec<u32>) -> PyResult<()> {
    let chip = chip(state)?;
    chip.session.chip.start_hunt_again(&chip.images[0], words, shared);
    Ok(())
}

/// Words that are shared, as far as a first hunt has seen.
pub fn shared_words(state: &mut State) -> PyResult<Vec<u32>> {
    let hunt = machine(state)?.watch().profile.as_ref().and_then(|profile| profile.hunt.as_ref());
    Ok(hunt.and_then(|hunt| hunt.touched.as_ref()).map(Touched::shared).unwrap_or_default())
}

/// What each core is doing over and over again; none for a core that does nothing at all.
pub fn waits(state: &mut State) -> PyResult<[Option<Waited>; 2]> {
    Ok(machine(state)?.waits().map(|wait| wait.map(waited)))
}

/// All that was found up to now.
pub fn hunted(state: &mut State) -> PyResult<Hunted> {
    let machine = machine(state)?;
    let now = machine.now();
    let profile = machine.watch().profile.as_ref().ok_or_else(profile::none)?;
    let hunt = profile.hunt.as_ref().ok_or_else(profile::none)?;
    let stacks = profile.cores.iter().map(|core| core.path().map(|node| path(core, node)).collect());
    let interrupts = hunt.interrupts.iter().map(|(&(core, number), used)| {
        let (why, function, name) = match used.delay {
            Delay::None => ("", 0, None),
            Delay::Handler(number) => ("handler", u32::from(number), Some(exception::<Machine>(number))),
            Delay::Masked(function) => ("masked", function, None),
        };
        let sums = [used.count, used.total, used.longest, used.latency];
        (core, number, exception::<Machine>(number), sums, why, function, name)
    });
    let suspicions = hunt.suspicions.iter().map(|(&(what, ..), seen)| {
        let what = match what {
            Suspicion::SysTickOff => "SysTick off",
            Suspicion::DividerShared => "divider shared",
            Suspicion::StartedTwice => "started twice",
            Suspicion::FlashBusy => "flash busy",
        };
        (what, seen.times, done(profile, &seen.first))
    });
    let words = hunt.words.iter().map(|(&word, last)| (word, last.as_ref().map(|doer| done(profile, doer))));
    let contention = &profile.contention;
    let holders = contention.holders().enumerate().filter_map(|(lock, holder)| {
        let holder = holder?;
        let core = &profile.cores[usize::from(holder.core & 1)];
        Some((lock, holder.core, holder.since, path(core, holder.node)))
    });
    let all = (0..contention.holders().count()).flat_map(|lock| [(lock, 0_u8), (lock, 1)]);
    let waiting = all.filter_map(|(lock, core)| {
        let (since, overtaken) = contention.waits_since(core, lock, now)?;
        Some((lock, core, since, overtaken))
    });
    let used = |stack: &Used| {
        let overflow = stack.overflow.as_ref().map(|(doer, address)| (done(profile, doer), *address));
        let deepest = stack.deepest.as_ref().map(|doer| done(profile, doer));
        (stack.bounds.limit, stack.bounds.top, stack.low, deepest, overflow)
    };
    let own = hunt.stacks.of.iter().map(|stack| stack.as_ref().map(used));
    let known = (1..).zip(profile.tasks.all().skip(1).zip(profile.tasks.away_since()));
    let tasks = known.map(|(number, ((block, name), since))| {
        let stack = hunt.stacks.tasks.get(&number);
        let functions = stack.map(|stack| profile.functions_of_task(&(stack.bounds.limit..stack.bounds.top)));
        (block, name.to_owned(), since, stack.map(used), functions.unwrap_or_default())
    });
    let intrusions = hunt.stacks.intrusions.iter().map(|(doer, address)| (done(profile, doer), *address));
    let troubles = (0..2).map(|core| {
        let reset = hunt.resets[core].as_ref().map(|reset| (reset.times, done(profile, &reset.first)));
        let storm =
            hunt.storm(core, now).map(|storm| (exception::<Machine>(storm.exception), storm.since, storm.entries));
        (reset, storm)
    });
    Ok((
        stacks.collect(),
        interrupts.collect(),
        suspicions.collect(),
        words.collect(),
        holders.collect(),
        waiting.collect(),
        (0..2).map(|core| hunt.launch(core)).collect(),
        (own.collect(), intrusions.collect(), tasks.collect()),
        troubles.collect(),
    ))
}

/// Data races; none if they were not looked for.
pub fn races(state: &mut State) -> PyResult<Option<Races>> {
    let Some(profile) = machine(state)?.watch().profile.as_ref() else { return Ok(None) };
    let Some(races) = profile.hunt.as_ref().and_then(|hunt| hunt.races.as_ref()) else { return Ok(None) };
    let found = races.found().into_iter().map(|race| {
        let kind = match race.kind {
            RaceKind::Unordered => "unordered",
            RaceKind::LostUpdate => "lost update",
            RaceKind::Torn => "torn",
            RaceKind::MayTear => "may tear",
            RaceKind::Early => "early",
        };
        let before = race.before.map(|doer| done(profile, &doer));
        let [other, last] = [race.other, race.last].map(|doer| done(profile, &doer));
        (kind, race.address, race.bytes, before, other, last, race.happened, race.times)
    });
    Ok(Some((found.collect(), races.is_complete())))
}

/// What a core is doing over and over again.
fn waited(wait: Wait) -> Waited {
    let Wait { returns, repeats, acts, code, registers, words, locals, fifo } = wait;
    let fifo = match fifo {
        Some(FifoWait::Word) => "word",
        Some(FifoWait::Room) => "room",
        None => "",
    };
    (returns, repeats, acts, code, registers, words, locals, fifo)
}
