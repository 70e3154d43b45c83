//! Running a machine the way people ask for it: until an address is executed, until the firmware has said something.
//!
//! A run goes in slices, between which somebody may look at the clock or the keyboard; that is not seen in what is
//! simulated.

use crate::core::names::Names;
use crate::core::stop::Stop;
use crate::core::time::{Cycle, NEVER};
use crate::core::uart_frame::SentByte;
use crate::fault::{Breakpoint, Fault, FaultTarget, Faults};
use crate::observe::tally::Tally;
use crate::observe::trace_hash::TraceHash;

/// Characters that a UART has sent and that are kept until somebody takes them, at least: 16 MB. Of twice as many the
/// oldest are dropped.
const KEPT_CHARACTERS: usize = 1 << 20;

/// An instruction to stop before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopAddress {
    /// Of the instruction; the Thumb bit does not matter.
    pub address: u32,
    /// The core that is to execute it; either if none is given.
    pub core: Option<u8>,
}

/// Something to wait for at a UART.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// Its number.
    pub uart: usize,
    /// At least one byte.
    pub bytes: &'a [u8],
}

/// What ends a run, if nothing else does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until<'a> {
    /// The time to run to at most. One that has passed is taken for the present.
    pub limit: Cycle,
    /// Stop before an instruction. A run that begins before it, because the last one ended there, goes on.
    pub stop_address: Option<StopAddress>,
    /// Stop when a UART has sent a text since the last one that was found, or since its output was last taken.
    pub text: Option<Text<'a>>,
}

/// What ended a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The machine.
    Stop(Stop),
    /// A core is about to execute the instruction.
    AtStopAddress {
        /// Which core.
        core: u8,
        /// Where.
        pc: u32,
    },
    /// The text was sent.
    TextSent {
        /// By which UART.
        uart: usize,
        /// When its last byte ended.
        at: Cycle,
    },
    /// Somebody outside wanted it to end.
    Interrupted,
}

/// A chip with its program, and how far the text it sends has been searched.
#[derive(Clone, Debug)]
pub struct Session<C: FaultTarget> {
    /// The chip. Output of the UARTs is to be taken with `take_sent`.
    pub chip: C,
    /// Places at which it is counted what the cores did. They end no run.
    pub tallies: Vec<Tally>,
    /// Characters that each UART has sent and that are kept until they are taken, at least: 2^20 unless somebody has less
    /// room.
    pub kept_characters: usize,
    faults: Faults<C>,
    /// By UART, bytes among those not taken in which a text was found.
    matched: Vec<usize>,
    hash: TraceHash,
}

impl<C: FaultTarget> Session<C> {
    /// Begins with a chip that has its program in it and has not run yet.
    pub fn new(chip: C) -> Self {
        Self {
            chip,
            tallies: Vec::new(),
            kept_characters: KEPT_CHARACTERS,
            faults: Faults::default(),
            matched: vec![0; C::UARTS.len()],
            hash: TraceHash::new::<C>(),
        }
    }

    /// Has these faults from now on, instead of those there were.
    ///
    /// # Errors
    /// If the chip cannot have one of them.
    pub fn set_faults(&mut self, faults: impl IntoIterator<Item = Fault>) -> Result<(), &'static str> {
        let faults = Faults::new(faults, &mut self.chip)?;
        std::mem::replace(&mut self.faults, faults).end(&mut self.chip);
        Ok(())
    }

    /// Runs until something ends the run, through the faults that are due on the way. Every few milliseconds `go_on` is asked
    /// whether to go on.
    pub fn run(&mut self, until: &Until<'_>, mut go_on: impl FnMut() -> bool) -> End {
        if let Some(stop) = until.stop_address {
            self.chip.watch_mut().add_breakpoint(stop.address);
        }
        let end = loop {
            self.faults.apply(&mut self.chip);
            let fault = self.faults.next();
            let limit = fault.min(until.limit);
            match self.run_slices(&Until { limit, ..*until }, &mut go_on) {
                None => {} // a core is held: until when is another fault
                Some(End::Stop(Stop::Limit)) if fault < until.limit => {}
                // A fault that is due later may end what looks like a dead end, as when a core is held.
                Some(End::Stop(Stop::DeadEnd)) if fault < NEVER => {
                    self.chip.advance_to(limit);
                    if limit == until.limit {
                        break End::Stop(Stop::Limit);
                    }
                }
                Some(end) => break end,
            }
        };
        if let Some(stop) = until.stop_address {
            self.chip.watch_mut().remove_breakpoint(stop.address);
        }
        end
    }

    /// After a dead end: lets time pass to a point, or to what happens before it.
    pub fn skip_idle_time_to(&mut self, at: Cycle) {
        self.chip.advance_to(at.min(self.faults.next()));
    }

    /// Puts a byte on the line from the host to the console's UART, not before a time; the line has the faults that were
    /// asked for.
    pub fn send(&mut self, byte: u8, not_before: Cycle) {
        self.faults.send(&mut self.chip, byte, not_before);
    }

    /// What the host gets of a byte that the console's UART has sent.
    pub fn apply_line_faults(&mut self, byte: u8) -> Vec<u8> {
        self.faults.apply_line_faults(&self.chip, byte)
    }

    /// Runs until something ends the run; none if a core has come to where a fault holds it.
    fn run_slices(&mut self, until: &Until<'_>, go_on: &mut impl FnMut() -> bool) -> Option<End> {
        let last = until.limit.max(self.chip.now());
        let mut look = self.chip.now() + C::SLICE;
        let mut searched = 0;
        loop {
            if self.chip.now() >= look {
                look = self.chip.now() + C::SLICE;
                if !go_on() {
                    return Some(End::Interrupted);
                }
            }
            if let Some(end) = until.text.and_then(|text| self.find(text, &mut searched)) {
                return Some(end);
            }
            self.drop_oldest(until.text, &mut searched);
            let limit = look.min(self.hash.next()).min(last);
            self.chip.stop_on_output(until.text.map(|text| text.uart));
            let mut stop = self.chip.run_until(limit);
            self.chip.stop_on_output(None);
            if stop == Stop::ByteSent {
                // Whoever reads it is told in the cycle after the one in which it ended.
                stop = self.chip.run_until(limit.min(self.chip.now() + 1));
            }
            self.hash.state(&self.chip);
            match stop {
                stop if stop == Stop::DeadEnd || stop == Stop::Limit && self.chip.now() >= last => {
                    let said = until.text.and_then(|text| self.find(text, &mut searched));
                    if let (Some(End::TextSent { at, .. }), Stop::DeadEnd) = (&said, &stop) {
                        self.chip.advance_to(at + 1);
                    }
                    return Some(said.unwrap_or(End::Stop(stop)));
                }
                Stop::Limit => {}
                Stop::Breakpoint { core, pc } => {
                    let held = self.faults.at_breakpoint(&mut self.chip, core, pc);
                    if held == Breakpoint::Holds {
                        return None;
                    }
                    let tallied =
                        self.tallies.iter_mut().fold(false, |any, tally| tally.pass(&self.chip, core, pc) | any);
                    let counted = tallied || held == Breakpoint::Passes;
                    match until.stop_address {
                        Some(StopAddress { address, core: wanted })
                            if (address & !1 == pc || !counted) && wanted.is_none_or(|wanted| wanted == core) =>
                        {
                            return Some(End::AtStopAddress { core, pc });
                        }
                        None if !counted => return Some(End::Stop(stop)),
                        _ => {}
                    }
                }
                stop => return Some(End::Stop(stop)),
            }
        }
    }

    /// Looks for a text in what was sent; `searched` bytes of what was not heard yet are known not to begin it.
    fn find(&mut self, text: Text<'_>, searched: &mut usize) -> Option<End> {
        let uart = text.uart;
        let unmatched = self.chip.sent(uart).get(*self.matched.get(uart)?..)?;
        let rest = unmatched.get(*searched..)?;
        let matches = |window: &[SentByte]| window.iter().map(|sent| sent.byte).eq(text.bytes.iter().copied());
        let Some(found) = rest.windows(text.bytes.len().max(1)).position(matches) else {
            *searched = unmatched.len().saturating_sub(text.bytes.len().saturating_sub(1)).max(*searched);
            return None;
        };
        let end = *searched + found + text.bytes.len();
        let at = unmatched[end - 1].at;
        self.matched[uart] += end;
        Some(End::TextSent { uart, at })
    }

    /// Drops what a UART has sent and nobody takes, once that is too much. The search for a text goes on where it was.
    fn drop_oldest(&mut self, text: Option<Text<'_>>, searched: &mut usize) {
        for uart in 0..C::UARTS.len() {
            let held = self.chip.sent(uart).len();
            if held < 2 * self.kept_characters {
                continue;
            }
            let dropped = self.chip.take_sent(uart, held - self.kept_characters);
            self.chip.report_uncollected_output(uart);
            self.hash.sent(uart, &dropped);
            if text.is_some_and(|text| text.uart == uart) {
                *searched = searched.saturating_sub(dropped.len().saturating_sub(self.matched[uart]));
            }
            self.matched[uart] = self.matched[uart].saturating_sub(dropped.len());
        }
    }

    /// What the firmware did that is not modelled or not allowed, since the last call: sentences.
    pub fn take_notes(&mut self) -> Vec<String> {
        let mut notes = self.chip.take_notes();
        notes.extend(self.chip.take_note_counts());
        notes
    }

    /// The bytes a UART has sent since the last call, and when each ended.
    pub fn take_sent(&mut self, uart: usize) -> Vec<SentByte> {
        if let Some(matched) = self.matched.get_mut(uart) {
            *matched = 0;
        }
        let sent = self.chip.take_sent(uart, usize::MAX);
        self.hash.sent(uart, &sent);
        sent
    }

    /// The hash of all that has happened since the start, as the command line prints it.
    pub fn trace_hash(&self) -> u64 {
        let mut hash = self.hash.clone();
        for uart in 0..C::UARTS.len() {
            hash.sent(uart, self.chip.sent(uart));
        }
        hash.finish(&self.chip)
    }

    /// What ended a run, as a sentence.
    pub fn explain(&self, end: &End, names: &dyn Names) -> String {
        let what = match end {
            End::AtStopAddress { core, pc } => format!("core {core} is about to execute {pc:#010x}"),
            End::TextSent { uart, at } => {
                let (name, moment) = (C::UARTS.get(*uart).copied().unwrap_or_default(), C::UNIT.moment(*at));
                format!("{name} has sent the text, in {moment}")
            }
            End::Interrupted => "interrupted".to_owned(),
            End::Stop(Stop::Limit) => "the limit is reached".to_owned(),
            End::Stop(Stop::Exit { core, code }) => format!("core {core} ended the program with exit code {code}"),
            End::Stop(stop) => self.chip.why_stopped(stop, names),
        };
        format!("{}: {what}", self.chip.moment())
    }
}
