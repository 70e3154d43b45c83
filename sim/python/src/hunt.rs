//! What a hunt for faults has found, as Python takes it.

use intercore_sim::core::chip::Chip;
use intercore_sim::core::profile::{self, CoreProfile, Delay, Doer, Frame, Profile, RaceKind, Suspicion};
use intercore_sim::core::time::Cycle;
use intercore_sim::observe::timeline::exception;
use intercore_sim::rp2040::machine::waits::{FifoWait, Wait};

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

fn step<C: Chip>(frame: Frame) -> Step {
    match frame {
        Frame::Task(number) => ("task", number, None),
        Frame::Handler(number) => ("handler", u32::from(number), Some(exception::<C>(number))),
        Frame::Function(start) => ("function", start, None),
    }
}

fn path<C: Chip>(core: &CoreProfile, node: usize) -> Path {
    let nodes = core.nodes();
    let up = std::iter::successors(nodes.get(node), |node| node.parent.and_then(|parent| nodes.get(parent)));
    let mut path: Path = up.map(|node| step::<C>(node.frame)).collect();
    path.reverse();
    path
}

fn done<C: Chip>(profile: &Profile, doer: &Doer) -> Done {
    let core = &profile.cores[usize::from(doer.core & 1)];
    (doer.core, doer.cycle, doer.pc, doer.value, path::<C>(core, doer.node))
}

/// All of it, up to cycle `now`; none without a hunt.
pub fn hunted<C: Chip>(profile: &Profile, now: Cycle) -> Option<Hunted> {
    let hunt = profile.hunt.as_ref()?;
    let stacks = profile.cores.iter().map(|core| core.path().map(|node| path::<C>(core, node)).collect());
    let interrupts = hunt.interrupts.iter().map(|(&(core, number), used)| {
        let (why, function, name) = match used.delay {
            Delay::None => ("", 0, None),
            Delay::Handler(number) => ("handler", u32::from(number), Some(exception::<C>(number))),
            Delay::Masked(function) => ("masked", function, None),
        };
        let sums = [used.count, used.total, used.longest, used.latency];
        (core, number, exception::<C>(number), sums, why, function, name)
    });
    let suspicions = hunt.suspicions.iter().map(|(&(what, ..), seen)| {
        let what = match what {
            Suspicion::SysTickOff => "SysTick off",
            Suspicion::DividerShared => "divider shared",
            Suspicion::StartedTwice => "started twice",
            Suspicion::FlashBusy => "flash busy",
        };
        (what, seen.times, done::<C>(profile, &seen.first))
    });
    let words = hunt.words.iter().map(|(&word, last)| (word, last.as_ref().map(|doer| done::<C>(profile, doer))));
    let contention = &profile.contention;
    let holders = contention.holders().enumerate().filter_map(|(lock, holder)| {
        let holder = holder?;
        let core = &profile.cores[usize::from(holder.core & 1)];
        Some((lock, holder.core, holder.since, path::<C>(core, holder.node)))
    });
    let all = (0..contention.holders().count()).flat_map(|lock| [(lock, 0_u8), (lock, 1)]);
    let waiting = all.filter_map(|(lock, core)| {
        let (since, overtaken) = contention.waits_since(core, lock, now)?;
        Some((lock, core, since, overtaken))
    });
    let used = |stack: &profile::Stack| {
        let overflow = stack.overflow.as_ref().map(|(doer, address)| (done::<C>(profile, doer), *address));
        let deepest = stack.deepest.as_ref().map(|doer| done::<C>(profile, doer));
        (stack.bounds.limit, stack.bounds.top, stack.low, deepest, overflow)
    };
    let own = hunt.stacks.of.iter().map(|stack| stack.as_ref().map(used));
    let known = (1..).zip(profile.tasks.all().skip(1).zip(profile.tasks.away_since()));
    let tasks = known.map(|(number, ((block, name), since))| {
        let stack = hunt.stacks.tasks.get(&number);
        let functions = stack.map(|stack| profile.functions_of_task(&(stack.bounds.limit..stack.bounds.top)));
        (block, name.to_owned(), since, stack.map(used), functions.unwrap_or_default())
    });
    let intrusions = hunt.stacks.intrusions.iter().map(|(doer, address)| (done::<C>(profile, doer), *address));
    let troubles = (0..2).map(|core| {
        let reset = hunt.resets[core].as_ref().map(|reset| (reset.times, done::<C>(profile, &reset.first)));
        let storm = hunt.storm(core, now).map(|storm| (exception::<C>(storm.exception), storm.since, storm.entries));
        (reset, storm)
    });
    Some((
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
pub fn races<C: Chip>(profile: &Profile) -> Option<Races> {
    let races = profile.hunt.as_ref()?.races.as_ref()?;
    let found = races.found().into_iter().map(|race| {
        let kind = match race.kind {
            RaceKind::Unordered => "unordered",
            RaceKind::LostUpdate => "lost update",
            RaceKind::Torn => "torn",
            RaceKind::MayTear => "may tear",
            RaceKind::Early => "early",
        };
        let before = race.before.map(|doer| done::<C>(profile, &doer));
        let [other, last] = [race.other, race.last].map(|doer| done::<C>(profile, &doer));
        (kind, race.address, race.bytes, before, other, last, race.happened, race.times)
    });
    Some((found.collect(), races.is_complete()))
}

/// What a core is doing over and over again.
pub fn waited(wait: Wait) -> Waited {
    let Wait { returns, repeats, acts, code, registers, words, locals, fifo } = wait;
    let fifo = match fifo {
        Some(FifoWait::Word) => "word",
        Some(FifoWait::Room) => "room",
        None => "",
    };
    (returns, repeats, acts, code, registers, words, locals, fifo)
}
