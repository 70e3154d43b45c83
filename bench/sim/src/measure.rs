//! Runs a case in both simulators by turns, and compares speed and results.

use crate::programs::{Case, Chip, Work};
use crate::simulators::{Counts, Simulator, rp2040, rp2040_emu, rp2350};
use intercore_sim::engine::Engine;
use rustix::time::{ClockId, clock_gettime};
use std::fmt;

/// Turns of each simulator: short ones, so that what disturbs the machine mostly disturbs both turns of a pair.
const TURNS: usize = 60;
/// Cycles between two looks at the results: a round of work is longer.
const LOOK: u64 = 20_000;
/// Cycles within which a program must have got going.
const START: u64 = 50_000_000;
/// Rounds of each core before the measurement begins.
const WARM: usize = 2;

/// Seconds that this thread was on a processor: others on the machine then disturb less.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// What stood when a core was seen to have completed a round.
#[derive(Clone, Copy)]
struct Mark {
    cycles: u64,
    rounds: usize,
    counts: Option<Counts>,
}

/// One core's progress.
struct Progress {
    /// Address of the results.
    at: u32,
    checksums: Vec<u32>,
    first: Mark,
    last: Mark,
}

impl Progress {
    fn new(at: u32) -> Self {
        let mark = Mark { cycles: 0, rounds: 0, counts: None };
        Self { at, checksums: Vec::new(), first: mark, last: mark }
    }

    fn look(&mut self, core: usize, simulator: &dyn Simulator) {
        let rounds = simulator.word(self.at + 4) as usize;
        if rounds == self.checksums.len() {
            return;
        }
        assert_eq!(rounds, self.checksums.len() + 1, "rounds are shorter than {LOOK} cycles");
        self.checksums.push(simulator.word(self.at));
        self.last = Mark { cycles: simulator.cycles(), rounds, counts: simulator.counts(core) };
        if rounds == WARM {
            self.first = self.last;
        }
    }

    /// Of the chip, for a round of this core.
    fn cycles_per_round(&self) -> f64 {
        (self.last.cycles - self.first.cycles) as f64 / (self.last.rounds - self.first.rounds) as f64
    }

    /// Instructions in a round, and the share of cycles lost to others.
    fn counted(&self) -> Option<(f64, f64)> {
        let (before, after) = (self.first.counts?, self.last.counts?);
        let instructions = (after.instructions - before.instructions) as f64;
        let lost = (after.lost - before.lost) as f64 / (self.last.cycles - self.first.cycles) as f64;
        Some((instructions / (self.last.rounds - self.first.rounds) as f64, lost))
    }
}

/// One simulator at work.
struct Contestant {
    simulator: Box<dyn Simulator>,
    cores: Vec<Progress>,
    /// Of each turn.
    mhz: Vec<f64>,
}

impl Contestant {
    fn new(mut simulator: Box<dyn Simulator>, case: &Case) -> Result<Self, String> {
        (case.start)(simulator.as_mut());
        let cores = case.results.iter().map(|&at| Progress::new(at)).collect();
        let mut contestant = Self { simulator, cores, mhz: Vec::new() };
        while contestant.cores.iter().any(|core| core.checksums.len() < WARM) {
            contestant.advance()?;
            if contestant.simulator.cycles() > START {
                return Err(format!("{} does not get the program going", contestant.simulator.name()));
            }
        }
        Ok(contestant)
    }

    fn advance(&mut self) -> Result<(), String> {
        self.simulator.run(LOOK)?;
        for (number, core) in self.cores.iter_mut().enumerate() {
            core.look(number, self.simulator.as_ref());
        }
        Ok(())
    }

    fn turn(&mut self, seconds: f64) -> Result<(), String> {
        let (begun, before) = (cpu_seconds(), self.simulator.cycles());
        let mut passed = 0.0;
        while passed < seconds {
            self.advance()?;
            passed = cpu_seconds() - begun;
        }
        self.mhz.push((self.simulator.cycles() - before) as f64 / passed / 1e6);
        Ok(())
    }
}

/// Checks that two simulators came to the same results; how many rounds both have done.
fn same_results(ours: &Contestant, theirs: &Contestant) -> Result<usize, String> {
    let mut rounds = 0;
    for (core, (ours, theirs)) in ours.cores.iter().zip(&theirs.cores).enumerate() {
        let mut pairs = ours.checksums.iter().zip(&theirs.checksums);
        rounds += pairs.len();
        if let Some(round) = pairs.position(|(ours, theirs)| ours != theirs) {
            return Err(format!("in round {} of core {core} the simulators differ", round + 1));
        }
    }
    Ok(rounds)
}

/// Checks that cores with the same work came to the same results; how many rounds they have done.
fn rounds_alike(cores: &[Progress]) -> Result<usize, String> {
    let rounds = cores.iter().map(|core| core.checksums.len()).min().unwrap_or(0);
    let differs = |core: &Progress| core.checksums[..rounds] != cores[0].checksums[..rounds];
    if cores.iter().any(differs) { Err("the cores differ".to_owned()) } else { Ok(rounds) }
}

/// How the simulators did: ours, ours with both cores in lock-step, and the peer.
pub struct Comparison {
    ours: Speed,
    others: Vec<Other>,
    /// Why the peer is not among them.
    absent: Option<String>,
    rounds: usize,
}

/// One that ours is compared with.
struct Other {
    speed: Speed,
    /// Of ours to it, in emulated MHz: of each turn.
    ratios: Vec<f64>,
}

struct Speed {
    name: &'static str,
    mhz: Vec<f64>,
    /// Cycles of the chip per instruction of each core.
    per_instruction: Vec<f64>,
    /// Share of the cycles that each core lost to others, where that is known.
    lost: Vec<Option<f64>>,
}

/// Runs a case for so many seconds.
pub fn measure(case: &Case, seconds: f64) -> Result<Comparison, String> {
    let mut all = Vec::new();
    for engine in [Engine::Decoupled, Engine::LockStep] {
        let simulator: Box<dyn Simulator> = match case.chip {
            Chip::Rp2040 => Box::new(rp2040(engine)),
            Chip::Rp2350 => Box::new(rp2350(engine)),
        };
        all.push(Contestant::new(simulator, case)?);
    }
    let peer =
        (case.chip == Chip::Rp2040 && case.work == Work::Same).then(|| Contestant::new(Box::new(rp2040_emu()), case));
    let absent = match peer {
        Some(Ok(peer)) => {
            all.push(peer);
            None
        }
        Some(Err(why)) => Some(why),
        None => None,
    };
    let turn = seconds / (all.len() * TURNS) as f64;
    for number in 0..TURNS {
        // Whoever goes first goes last next time, so that a machine that slows down is no one's advantage.
        let mut order: Vec<usize> = (0..all.len()).collect();
        if number % 2 == 1 {
            order.reverse();
        }
        for contestant in order {
            all[contestant].turn(turn)?;
        }
    }
    let ours = all.remove(0);
    let mut rounds = if all.is_empty() { rounds_alike(&ours.cores)? } else { usize::MAX };
    for other in &all {
        rounds = rounds.min(same_results(&ours, other)?);
    }
    // A round is the same instructions in all; ours counts them.
    let counted: Vec<(f64, f64)> = ours.cores.iter().filter_map(Progress::counted).collect();
    let instructions: Vec<f64> = counted.iter().map(|&(instructions, _)| instructions).collect();
    let others = all.into_iter().map(|other| {
        let ratios = ours.mhz.iter().zip(&other.mhz).map(|(ours, theirs)| ours / theirs).collect();
        Other { speed: Speed::new(other, &instructions), ratios }
    });
    let others = others.collect();
    Ok(Comparison { ours: Speed::new(ours, &instructions), others, absent, rounds })
}

impl Speed {
    fn new(contestant: Contestant, instructions: &[f64]) -> Self {
        let cores = &contestant.cores;
        let per_instruction = cores.iter().zip(instructions).map(|(core, count)| core.cycles_per_round() / count);
        Self {
            name: contestant.simulator.name(),
            per_instruction: per_instruction.collect(),
            lost: cores.iter().map(|core| core.counted().map(|(_, lost)| lost)).collect(),
            mhz: contestant.mhz,
        }
    }

    /// Instructions that the cores execute in a cycle, together.
    fn per_cycle(&self) -> f64 {
        self.per_instruction.iter().map(|cycles| 1.0 / cycles).sum()
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let Spread { low, median, high, best } = Spread::of(&self.mhz);
        write!(to, "  {:<10} {median:6.1} MHz ({low:.1} to {high:.1}, best {best:.1})", self.name)?;
        write!(to, ", {:.1} million instructions/s; cycles/instruction", median * self.per_cycle())?;
        for (core, (cycles, lost)) in self.per_instruction.iter().zip(&self.lost).enumerate() {
            write!(to, "{} core {core}: {cycles:.3}", if core > 0 { "," } else { "" })?;
            if let Some(lost) = lost {
                write!(to, " ({:.1} % lost)", lost * 100.0)?;
            }
        }
        writeln!(to)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "{}", self.ours)?;
        for other in &self.others {
            write!(to, "{}", other.speed)?;
        }
        for Other { speed, ratios } in &self.others {
            let Spread { low, median, high, .. } = Spread::of(ratios);
            let instructions = median * self.ours.per_cycle() / speed.per_cycle();
            write!(to, "  to {:<10} {median:6.2} times in MHz ({low:.2} to {high:.2}), ", speed.name)?;
            writeln!(to, "{instructions:.2} in instructions/s")?;
        }
        if let Some(why) = &self.absent {
            writeln!(to, "  {why}")?;
        }
        writeln!(to, "  equal results of {} rounds", self.rounds)
    }
}

/// Quartiles, and the greatest.
struct Spread {
    low: f64,
    median: f64,
    high: f64,
    best: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let quartile = |number| sorted[(sorted.len() - 1) * number / 4];
        Self { low: quartile(1), median: quartile(2), high: quartile(3), best: quartile(4) }
    }
}
