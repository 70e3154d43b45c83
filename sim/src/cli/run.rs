//! A run: the machine, what is connected to it, and what is left behind.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter};
use std::time::Instant;

use crate::cli::arguments::Arguments;
use crate::cli::chip::Runnable;
use crate::cli::console::Console;
use crate::cli::interrupt::Interrupt;
use crate::cli::lines::Lines;
use crate::cli::output::{self, unwritable};
use crate::cli::statistics::Statistics;
use crate::cli::{INTERRUPTED, STOPPED, UNMODELLED, debugger, print, print_message};
use crate::core::chip::{CORES, Chip, ExitState};
use crate::core::names::Names;
use crate::core::register::{Register, RegisterSet};
use crate::core::stop::Stop;
use crate::core::time::{Cycle, NEVER};
use crate::core::uart_frame::SentByte;
use crate::fault::Faults;
use crate::image::Image;
use crate::observe::timeline::Timeline;
use crate::observe::trace_hash::TraceHash;
use crate::rp2040::machine::polling::{LOOK_EVERY, LOOKS, Polling};

/// Characters of input that wait on the line, or for the text that lets them go: a slice takes 625 at the highest rate of
/// a UART, a sixteenth of `clk_peri`.
const INPUT_CAPACITY: usize = 4096;

/// Why a run ended.
#[derive(Debug)]
enum End {
    /// The machine stopped.
    Machine(Stop),
    /// Nobody listens to the console's UART any more.
    OutputClosed,
    /// A core polls what nothing will change.
    Polls(Polling),
    /// Ctrl-C.
    Interrupted,
    /// The timeline cannot be written.
    Unwritable(io::Error),
}

impl End {
    /// For scripts. A run that has come to a dead end is called after what became of the cores.
    fn name(&self, exit_states: [ExitState; 2]) -> &'static str {
        match self {
            Self::Machine(Stop::Exit { .. }) => "exit",
            Self::Machine(Stop::BootLoader { .. }) => "boot loader",
            Self::Machine(Stop::DeadEnd) if exit_states.contains(&ExitState::LockedUp) => "lockup",
            Self::Machine(Stop::DeadEnd) if exit_states.contains(&ExitState::Faulted) => "fault",
            Self::Machine(Stop::DeadEnd) if returned(exit_states).is_some() => "returned",
            Self::Machine(Stop::DeadEnd) => "dead end",
            Self::Machine(_) => "limit",
            Self::OutputClosed => "unheard",
            Self::Polls(_) => "polling",
            Self::Interrupted => "interrupted",
            Self::Unwritable(_) => "unwritable",
        }
    }

    fn exit_code(&self, exit_states: [ExitState; 2]) -> u8 {
        match self {
            Self::Machine(Stop::Exit { code, .. }) => code.to_le_bytes()[0],
            Self::Machine(Stop::BootLoader { .. }) => 0,
            Self::Machine(Stop::DeadEnd) => returned(exit_states).map_or(STOPPED, |status| status.to_le_bytes()[0]),
            Self::Interrupted => INTERRUPTED,
            _ => STOPPED,
        }
    }
}

/// A sentence on what is not modelled and was used, so many times; none if nothing was.
fn dependence(uses: &BTreeMap<&'static str, u64>) -> Option<String> {
    let times =
        |(block, count): (&&str, &u64)| format!("{block} (used {count} time{})", if *count == 1 { "" } else { "s" });
    let mut listed: Vec<_> = uses.iter().map(times).collect();
    let verb = if listed.len() == 1 { "is" } else { "are" };
    let last = listed.pop()?;
    let all = if listed.is_empty() { last } else { format!("{} and {last}", listed.join(", ")) };
    Some(format!("the results depend on {all}, which {verb} not modelled, or not in full"))
}

/// The status that a program ended with which called `_exit`, if no core crashed.
fn returned(exit_states: [ExitState; 2]) -> Option<i32> {
    if exit_states.iter().any(|exit_state| matches!(exit_state, ExitState::LockedUp | ExitState::Faulted)) {
        return None;
    }
    exit_states
        .iter()
        .find_map(|exit_state| if let ExitState::Returned(status) = exit_state { Some(*status) } else { None })
}

#[allow(clippy::struct_excessive_bools)] // each is of a matter of its own
pub struct Run<C: Runnable> {
    pub(super) chip: C,
    images: Vec<Image>,
    pub(super) console: Console,
    /// Input held back, and the text that lets it go.
    held_input: Option<(Vec<u8>, String)>,
    /// The end of what the firmware has sent, while input is held back.
    recent_output: Vec<u8>,
    lines: Lines,
    /// Something was put on the line since the machine last ran.
    pub(super) input_is_new: bool,
    pub(super) max_cycles: Cycle,
    faults: Faults<C>,
    timeline: Option<Timeline<BufWriter<File>>>,
    hash: Option<TraceHash>,
    interrupt: Interrupt,
    quiet: bool,
    /// By core, whether it was told that it crashed.
    crash_reported: [bool; 2],
    /// Nothing more will come of the run than what UARTs still have to send.
    lost: bool,
    /// A core that polls what nothing will change, and how often it was found to.
    polls: Option<(Polling, u32)>,
}

impl<C: Runnable> Run<C> {
    pub fn new(arguments: &Arguments) -> Result<Self, String> {
        let (mut chip, images) = C::switch_on(arguments)?;
        let marks: Vec<_> = arguments.mark.iter().map(|mark| mark.find(&images)).collect::<Result<_, _>>()?;
        let timeline = match &arguments.trace {
            None => None,
            Some(path) => {
                let file = output::create(path, output::timeline, arguments.force)?;
                let timeline = Timeline::new(&mut chip, marks, BufWriter::new(file));
                Some(timeline.map_err(|why| unwritable(path, &why))?)
            }
        };
        if let Some(path) = &arguments.stats {
            // Tried now, rather than after a long run.
            output::create(path, output::statistics, arguments.force)?;
        }
        let faults = Faults::new(arguments.fault.iter().copied(), &mut chip)?;
        let uart = C::UARTS[0];
        let console = Console::open(&arguments.uart, uart).map_err(|why| format!("{uart}: {why}"))?;
        Ok(Self {
            chip,
            images,
            console,
            held_input: arguments.input_after.clone().map(|text| (Vec::new(), text)),
            recent_output: Vec::new(),
            lines: Lines::default(),
            input_is_new: false,
            max_cycles: arguments.max_cycles.unwrap_or(NEVER),
            faults,
            timeline,
            hash: arguments.hash.then(TraceHash::new::<C>),
            interrupt: Interrupt::listen().map_err(|why| format!("cannot listen for Ctrl-C: {why}"))?,
            quiet: arguments.quiet,
            crash_reported: [false; 2],
            lost: false,
            polls: None,
        })
    }

    /// Runs, reports, and gives the exit code.
    pub fn finish(mut self, arguments: &Arguments) -> u8 {
        let began = Instant::now();
        let mut end = match &arguments.gdb {
            None => self.run(),
            Some(address) => match debugger::run(&mut self, address) {
                Ok(stop) => End::Machine(stop),
                Err((code, why)) => {
                    print_message(&why);
                    return code;
                }
            },
        };
        let took = began.elapsed();
        // If nobody listens, that has been told.
        let _ = self.console.write(&self.lines.finish());
        if let Some(timeline) = self.timeline.take()
            && let Err(why) = timeline.finish(&mut self.chip)
        {
            end = End::Unwritable(why);
        }
        if !self.quiet {
            self.chip.take_note_counts().iter().for_each(|sentence| print_message(sentence));
        }
        let mut flash_is_kept = true;
        let dependence = dependence(&self.chip.unmodelled_uses());
        if let Some(sentence) = dependence.as_ref().filter(|_| !self.quiet || arguments.strict) {
            print_message(sentence);
        }
        if let Some(path) = &arguments.flash
            && let Err(why) = std::fs::write(path, self.chip.flash())
        {
            print_message(&unwritable(path, &why));
            flash_is_kept = false;
        }
        let exits = matches!(end, End::Machine(Stop::Exit { .. } | Stop::BootLoader { .. }));
        for number in 0..2 {
            // A program that ends by semihosting may be in `_exit`, of course.
            if !(exits && matches!(self.chip.exit_state(number, &self.images), ExitState::Returned(_))) {
                self.report_crash(number);
            }
        }
        if !matches!(end, End::Machine(Stop::Exit { .. })) {
            print_message(&self.explain(&end, arguments));
        }
        let exit_states = [0, 1].map(|number| self.chip.exit_state(number, &self.images));
        if !exits && returned(exit_states).is_none() {
            print(&registers(&self.chip, &self.images));
        }
        let mut code = match dependence {
            _ if !flash_is_kept => STOPPED,
            Some(_) if arguments.strict => UNMODELLED,
            _ => end.exit_code(exit_states),
        };
        let hash = self.hash.as_ref().map(|hash| format!("{:016x}", hash.finish(&self.chip)));
        let statistics = Statistics::new(&self.chip, took, end.name(exit_states), code, hash.clone());
        if let Some(path) = &arguments.stats
            && let Err(why) = std::fs::write(path, statistics.json())
        {
            print_message(&unwritable(path, &why));
            code = STOPPED;
        }
        if !self.quiet {
            print(&statistics.table());
        }
        if let Some(hash) = hash {
            print(&format!("hash: {hash}\n"));
        }
        code
    }

    fn run(&mut self) -> End {
        while !self.interrupt.asked() {
            self.faults.apply(&mut self.chip);
            self.read_input();
            self.input_is_new = false;
            let stop = self.run_chip(self.limit());
            if let Some(hash) = &mut self.hash {
                hash.state(&self.chip);
            }
            let heard = self.forward();
            if let Err(why) = self.drain_timeline() {
                return End::Unwritable(why);
            }
            if self.is_over(&stop) {
                return End::Machine(Stop::DeadEnd);
            }
            if let Some(polling) = self.polls_for_good() {
                return End::Polls(polling);
            }
            match stop {
                // The other core goes on.
                Stop::Lockup { .. } => {}
                Stop::Limit if self.chip.now() >= self.max_cycles => return End::Machine(stop),
                Stop::Limit if heard => {}
                Stop::Limit => return End::OutputClosed,
                Stop::DeadEnd if self.input_is_new => {}
                Stop::DeadEnd if self.faults.next() < self.max_cycles => self.chip.advance_to(self.faults.next()),
                Stop::DeadEnd if self.chip.wakes_on_input() => match self.console.wait(&self.interrupt) {
                    Some(input) => self.send(input),
                    None if self.interrupt.asked() => {}
                    None => return End::Machine(stop),
                },
                _ => return End::Machine(stop),
            }
        }
        End::Interrupted
    }

    pub(super) fn run_chip(&mut self, limit: Cycle) -> Stop {
        match self.chip.run_until(limit) {
            Stop::Limit if limit < self.max_cycles && self.chip.is_at_dead_end() => Stop::DeadEnd,
            stop => stop,
        }
    }

    /// The time at which to look again at what is outside.
    fn limit(&self) -> Cycle {
        let slice = (self.chip.now() / C::SLICE + 1).saturating_mul(C::SLICE);
        let snapshot = self.hash.as_ref().map_or(NEVER, TraceHash::next);
        let character = self.chip.next_character().filter(|_| self.lost).unwrap_or(NEVER);
        slice.min(snapshot).min(self.faults.next()).min(self.max_cycles).min(character)
    }

    /// Whether nothing more will come of the run after this stop, and nothing is left to be sent. Tells of cores that have
    /// crashed. It looks at ends of slices only, and at lock-ups: so the end does not depend on what else a run stops for.
    pub(super) fn is_over(&mut self, stop: &Stop) -> bool {
        if matches!(stop, Stop::Lockup { .. }) || self.chip.now().is_multiple_of(C::SLICE) {
            for number in 0..2 {
                if self.chip.has_crashed(number) {
                    self.report_crash(number);
                } else {
                    self.crash_reported[number] = false;
                }
            }
            self.lost = self.faults.next() == NEVER && self.chip.is_lost();
        }
        self.lost && self.chip.next_character().is_none()
    }

    /// The loop in which a core has been polling for a while what nothing will change.
    fn polls_for_good(&mut self) -> Option<Polling> {
        if !self.chip.now().is_multiple_of(LOOK_EVERY) {
            return None;
        }
        let hopeless = self.faults.next() == NEVER && !self.input_is_new;
        let found = hopeless
            .then(|| self.chip.polling())
            .flatten()
            .filter(|polling| self.console.has_ended() || !self.chip.wakes_on_input() && !polling.may_wait_for_input());
        self.polls = match (found, self.polls.take()) {
            (Some(found), Some((before, looks))) if found == before => Some((found, looks + 1)),
            (found, _) => found.map(|found| (found, 1)),
        };
        self.polls.take_if(|(_, looks)| *looks == LOOKS).map(|(polling, _)| polling)
    }

    /// Says what has become of a core, once, if that is the end of its program.
    fn report_crash(&mut self, number: usize) {
        if self.crash_reported[number] {
            return;
        }
        if let Some(sentence) = self.chip.crash(number, &self.images) {
            print_message(&format!("{}: {sentence}", self.chip.moment()));
            self.crash_reported[number] = true;
        }
    }

    /// Puts input on the line, as far as there is any: the line holds more than goes over it until this is called again.
    pub(super) fn read_input(&mut self) {
        let held = self.held_input.as_ref().map_or(0, |(held, _)| held.len());
        let waiting = self.chip.waiting_input() + held;
        let input = self.console.read(INPUT_CAPACITY.saturating_sub(waiting));
        self.send(input);
    }

    /// Writes what the timeline has recorded.
    pub(super) fn drain_timeline(&mut self) -> io::Result<()> {
        self.timeline.as_mut().map_or(Ok(()), |timeline| timeline.drain(&mut self.chip))
    }

    /// Puts bytes on the line to the console's UART, which carries them at its rate.
    pub(super) fn send(&mut self, bytes: Vec<u8>) {
        if let Some((held, _)) = &mut self.held_input {
            held.extend(bytes);
            return;
        }
        let now = self.chip.now();
        self.input_is_new |= !bytes.is_empty();
        for byte in bytes {
            self.faults.send(&mut self.chip, byte, now);
        }
    }

    /// Passes on what the firmware has said. False if nobody is there to hear it.
    pub(super) fn forward(&mut self) -> bool {
        for sentence in self.chip.take_notes() {
            if !self.quiet {
                print_message(&sentence);
            }
        }
        let mut bytes = self.chip.take_host_output();
        let mut said = Vec::new();
        for uart in 0..C::UARTS.len() {
            let sent = self.chip.take_sent(uart, usize::MAX);
            if let Some(hash) = &mut self.hash {
                hash.sent(uart, &sent);
            }
            if uart == 0 {
                for SentByte { at, byte, .. } in sent {
                    let arrived = self.faults.apply_line_faults(&self.chip, byte);
                    said.extend(arrived.into_iter().map(|byte| (at, uart, byte)));
                }
            } else if C::CONSOLE.contains(&uart) {
                said.extend(sent.iter().map(|sent| (sent.at, uart, sent.byte)));
            }
        }
        said.sort_by_key(|(at, ..)| *at);
        bytes.extend(self.lines.add(said.into_iter().map(|(_, uart, byte)| (uart, byte))));
        if bytes.is_empty() {
            return true;
        }
        self.release_input(&bytes);
        self.console.write(&bytes).is_ok()
    }

    pub(super) fn release_input(&mut self, bytes: &[u8]) {
        let Some((held, text)) = &mut self.held_input else { return };
        self.recent_output.extend(bytes);
        if text.is_empty() || self.recent_output.windows(text.len()).any(|window| window == text.as_bytes()) {
            let held = std::mem::take(held);
            self.held_input = None;
            self.recent_output = Vec::new();
            self.send(held);
        } else {
            let rest = self.recent_output.len().saturating_sub(text.len());
            self.recent_output.drain(..rest);
        }
    }

    fn explain(&self, end: &End, arguments: &Arguments) -> String {
        let why = match end {
            End::OutputClosed => format!("the connection to {} was closed", C::UARTS[0]),
            End::Polls(polling) => polling.explain(&self.chip.place(polling.pc(), &self.images)),
            End::Interrupted => "interrupted".to_owned(),
            End::Unwritable(why) => arguments.trace.as_ref().map_or_else(String::new, |path| unwritable(path, why)),
            End::Machine(Stop::Limit) => "the limit set by --max-cycles is reached".to_owned(),
            End::Machine(stop) => self.chip.why_stopped(stop, &self.images),
        };
        format!("{}: {why}", self.chip.moment())
    }
}

/// Registers of all cores, with the functions they are in.
fn registers<C: Chip>(chip: &C, names: &dyn Names) -> String {
    let mut text = String::new();
    for core in 0..CORES {
        let register = |register| chip.register(core, register);
        let place = chip.place(register(C::REGISTERS.pc()) as u32, names);
        // Writing to a String does not fail.
        let _ = write!(text, "core {core} is {} at {place}", chip.core_state(core));
        let all = C::REGISTERS.common().filter(|&shown| shown != Register::Xpsr);
        for (number, shown) in all.enumerate() {
            let separator = if number % 4 == 0 { "\n   " } else { "" };
            let _ = write!(text, "{separator} {:>4} {:08x}", shown.name(), register(shown));
        }
        if C::REGISTERS == RegisterSet::Arm {
            let _ = write!(
                text,
                "\n    xpsr {:08x}  msp {:08x}  psp {:08x} primask {} control {}",
                register(Register::Xpsr),
                register(Register::Msp),
                register(Register::Psp),
                register(Register::Primask),
                register(Register::Control)
            );
        }
        text.push('\n');
    }
    text
}
