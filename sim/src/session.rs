//! Running a machine the way people ask for it: until an address is executed, until the firmware has said something.
//!
//! A run goes in slices, between which somebody may look at the clock or the keyboard; that is not seen in what is
//! simulated.

use crate::core::stop::Stop;
use crate::core::time::Cycle;
use crate::image::Image;
use crate::observe::tally::Tally;
use crate::observe::trace_hash::TraceHash;
use crate::rp2040::bootrom;
use crate::rp2040::bootrom::Bootrom;
use crate::rp2040::crash::CrashReport;
use crate::rp2040::machine::Machine;
use crate::rp2040::peripherals::Peripherals;
use crate::rp2040::peripherals::sio;
use crate::rp2040::peripherals::uart::SentByte;

/// Cycles between two looks at what is outside the simulation: a few milliseconds of a person's time.
const SLICE: Cycle = 100_000;
/// Characters that a UART has sent and that are kept until somebody takes them, at least: 16 MB. Of twice as many the
/// oldest are dropped.
const KEPT_CHARACTERS: usize = 1 << 20;

/// An instruction to stop before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    /// Of the instruction; the Thumb bit does not matter.
    pub address: u32,
    /// The core that is to execute it; either if none is given.
    pub core: Option<u8>,
}

/// Something to wait for at a UART.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// 0 or 1.
    pub uart: usize,
    /// At least one byte.
    pub bytes: &'a [u8],
}

/// What ends a run, if nothing else does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Until<'a> {
    /// The last cycle to run to. One that has passed is taken for the present.
    pub cycle: Cycle,
    /// Stop before an instruction. A run that begins before it, because the last one ended there, goes on.
    pub execution: Option<Execution>,
    /// Stop when a UART has sent a text since the last one that was found, or since its output was last taken.
    pub text: Option<Text<'a>>,
}

/// What ended a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The machine.
    Stop(Stop),
    /// A core is about to execute the instruction.
    Executes {
        /// Which core.
        core: u8,
        /// Where.
        pc: u32,
    },
    /// The text was sent.
    Said {
        /// By which UART.
        uart: usize,
        /// The cycle in which its last byte ended.
        cycle: Cycle,
    },
    /// Somebody outside wanted it to end.
    Interrupted,
}

/// A machine that was booted, and how far the text it sends has been searched.
#[derive(Clone, Debug)]
pub struct Session {
    /// The machine. Output of the UARTs is to be taken with `take_sent`.
    pub machine: Machine,
    /// Places at which it is counted what the cores did. They end no run.
    pub tallies: Vec<Tally>,
    /// Characters that each UART has sent and that are kept until they are taken, at least: 2^20 unless somebody has less
    /// room.
    pub kept_characters: usize,
    own_rom: bool,
    /// By UART, bytes among those not taken in which a text was found.
    heard: [usize; 2],
    hash: TraceHash,
}

impl Session {
    /// Boots an image with a boot ROM, ours if none is given. `clock` is as for [`Machine::set_clock`].
    ///
    /// # Errors
    /// With the address of what does not fit into the memories of this chip.
    pub fn new(image: &Image, rom: Option<&Bootrom>, clock: Option<u64>) -> Result<Self, u32> {
        let mut machine = Machine::new();
        machine.boot(image, rom.unwrap_or(&bootrom::ours()))?;
        if let Some(rate) = clock {
            machine.set_clock(rate);
        }
        let (own_rom, hash) = (rom.is_none(), TraceHash::default());
        let (tallies, heard) = (Vec::new(), [0; 2]);
        Ok(Self { machine, tallies, kept_characters: KEPT_CHARACTERS, own_rom, heard, hash })
    }

    /// Runs until something ends the run. Every few milliseconds `go_on` is asked whether to go on.
    pub fn run(&mut self, until: &Until<'_>, mut go_on: impl FnMut() -> bool) -> End {
        if let Some(execution) = until.execution {
            self.machine.bus.fabric.watch.add_breakpoint(execution.address);
        }
        let end = self.run_slices(until, &mut go_on);
        if let Some(execution) = until.execution {
            self.machine.bus.fabric.watch.remove_breakpoint(execution.address);
        }
        end
    }

    fn run_slices(&mut self, until: &Until<'_>, go_on: &mut impl FnMut() -> bool) -> End {
        let last = until.cycle.max(self.machine.now());
        let mut look = self.machine.now() + SLICE;
        let mut searched = 0;
        loop {
            if self.machine.now() >= look {
                look = self.machine.now() + SLICE;
                if !go_on() {
                    return End::Interrupted;
                }
            }
            if let Some(end) = until.text.and_then(|text| self.find(text, &mut searched)) {
                return end;
            }
            self.drop_oldest(until.text, &mut searched);
            let limit = look.min(self.hash.next()).min(last);
            self.machine.listen(until.text.map(|text| text.uart));
            let mut stop = self.machine.run_until(limit);
            self.machine.listen(None);
            if stop == Stop::Heard {
                // Whoever reads it is told in the cycle after the one in which it ended.
                stop = self.machine.run_until(limit.min(self.machine.now() + 1));
            }
            self.hash.state(&self.machine);
            match stop {
                stop if stop == Stop::DeadEnd || stop == Stop::Limit && self.machine.now() >= last => {
                    let said = until.text.and_then(|text| self.find(text, &mut searched));
                    if let (Some(End::Said { cycle, .. }), Stop::DeadEnd) = (&said, &stop) {
                        self.machine.advance_to(cycle + 1);
                    }
                    return said.unwrap_or(End::Stop(stop));
                }
                Stop::Limit => {}
                Stop::Breakpoint { core, pc } => {
                    let counted = self.count(core, pc);
                    match until.execution {
                        Some(Execution { address, core: wanted })
                            if (address & !1 == pc || !counted) && wanted.is_none_or(|wanted| wanted == core) =>
                        {
                            return End::Executes { core, pc };
                        }
                        None if !counted => return End::Stop(stop),
                        _ => {}
                    }
                }
                stop => return End::Stop(stop),
            }
        }
    }

    /// A core is about to execute an instruction. Whether that is the place of a tally.
    fn count(&mut self, core: u8, pc: u32) -> bool {
        let mut counted = false;
        for tally in &mut self.tallies {
            counted |= tally.pass(&self.machine, core, pc);
        }
        counted
    }

    /// Looks for a text in what was sent; `searched` bytes of what was not heard yet are known not to begin it.
    fn find(&mut self, text: Text<'_>, searched: &mut usize) -> Option<End> {
        let uart = text.uart & 1;
        let unheard = self.machine.bus.peripherals.uarts[uart].sent().get(self.heard[uart]..)?;
        let rest = unheard.get(*searched..)?;
        let matches = |window: &[SentByte]| window.iter().map(|sent| sent.byte).eq(text.bytes.iter().copied());
        let Some(at) = rest.windows(text.bytes.len().max(1)).position(matches) else {
            *searched = unheard.len().saturating_sub(text.bytes.len().saturating_sub(1)).max(*searched);
            return None;
        };
        let end = *searched + at + text.bytes.len();
        let cycle = unheard[end - 1].cycle;
        self.heard[uart] += end;
        Some(End::Said { uart, cycle })
    }

    /// Drops what a UART has sent and nobody takes, once that is too much. The search for a text goes on where it was.
    fn drop_oldest(&mut self, text: Option<Text<'_>>, searched: &mut usize) {
        for (uart, name) in ["UART0", "UART1"].into_iter().enumerate() {
            let now = self.machine.now();
            let bus = &mut self.machine.bus;
            let held = bus.peripherals.uarts[uart].sent().len();
            if held < 2 * self.kept_characters {
                continue;
            }
            let dropped = bus.peripherals.uarts[uart].take_oldest(held - self.kept_characters);
            let what = "nobody takes what is sent: the oldest characters are lost";
            bus.fabric.diagnostics.output_lost(name, what, now);
            self.hash.sent(uart, &dropped);
            if text.is_some_and(|text| text.uart & 1 == uart) {
                *searched = searched.saturating_sub(dropped.len().saturating_sub(self.heard[uart]));
            }
            self.heard[uart] = self.heard[uart].saturating_sub(dropped.len());
        }
    }

    /// What the firmware did that is not modelled or not allowed, since the last call: sentences.
    pub fn take_notes(&mut self) -> Vec<String> {
        let diagnostics = &mut self.machine.bus.fabric.diagnostics;
        let mut notes = diagnostics.take();
        notes.extend(diagnostics.take_counts());
        notes
    }

    /// The bytes a UART has sent since the last call, and when each ended.
    pub fn take_sent(&mut self, uart: usize) -> Vec<SentByte> {
        self.heard[uart & 1] = 0;
        let sent = self.machine.bus.peripherals.uarts[uart & 1].take_sent();
        self.hash.sent(uart, &sent);
        sent
    }

    /// The hash of all that has happened since the start, as the command line prints it.
    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        let mut hash = self.hash.clone();
        for (uart, line) in self.machine.bus.peripherals.uarts.iter().enumerate() {
            hash.sent(uart, line.sent());
        }
        hash.finish(&self.machine)
    }

    /// Puts bytes into memory, all or none. False if there is no memory for all of them.
    pub fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        let last = u64::from(address) + bytes.len() as u64;
        let mut words = (u64::from(address & !3)..last).step_by(4);
        words.all(|word| u32::try_from(word).is_ok_and(|word| self.machine.peek(word).is_some()))
            && self.machine.load(address, bytes)
    }

    /// A register of a peripheral or, as a core sees it, of SIO, without side effects; none where none is modelled.
    #[must_use]
    pub fn register(&self, core: usize, address: u32) -> Option<u32> {
        if address >> 28 == 0xd {
            return Some(self.machine.bus.peripherals.sio.peek(core & 1, sio::offset(address), self.machine.now()));
        }
        Peripherals::is_modelled(address).then(|| self.machine.peek_register(address & !3))
    }

    /// What is known of how the firmware ended; `image` is what was booted.
    #[must_use]
    pub fn crash_report<'a>(&'a self, image: &'a Image) -> CrashReport<'a> {
        CrashReport { machine: &self.machine, image: Some(image), own_rom: self.own_rom }
    }

    /// What ended a run, as a sentence; `image` is what was booted.
    #[must_use]
    pub fn explain(&self, end: &End, image: &Image) -> String {
        let what = match end {
            End::Executes { core, pc } => format!("core {core} is about to execute {pc:#010x}"),
            End::Said { uart, cycle } => format!("UART{uart} has sent the text, in cycle {cycle}"),
            End::Interrupted => "interrupted".to_owned(),
            End::Stop(Stop::Limit) => "the limit is reached".to_owned(),
            End::Stop(Stop::Exit { core, code }) => format!("core {core} ended the program with exit code {code}"),
            End::Stop(stop) => why_stopped(stop, &self.crash_report(image)),
        };
        format!("cycle {}: {what}", self.machine.now())
    }
}

/// Why a machine stopped by itself, in words.
#[must_use]
pub fn why_stopped(stop: &Stop, crash_report: &CrashReport<'_>) -> String {
    let machine = crash_report.machine;
    match stop {
        Stop::DeadEnd if (0..2).any(|core| machine.core(core).is_stuck()) => {
            "dead end: a core is stuck, as asked, and nothing goes on".to_owned()
        }
        Stop::DeadEnd if (0..2).any(|core| machine.is_switched_off(core)) => {
            "dead end: a core is held in reset, as asked, and nothing goes on".to_owned()
        }
        Stop::DeadEnd => crash_report.dead_end(),
        Stop::Lockup { core, pc } => {
            crash_report.tell(usize::from(*core)).unwrap_or_else(|| format!("core {core} locked up at {pc:#010x}"))
        }
        other => format!("stopped unexpectedly: {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rp2040::boot::IMAGES;

    /// What nobody takes is dropped, and neither the search for a text nor the hash of the run sees that.
    #[test]
    fn output_that_nobody_takes_is_dropped_from_its_beginning_and_a_note_says_so() {
        // STRB r0, [r1]; ADDS r0, #1; a delay of r2 turns; back: the bytes 0, 1, 2, … at UART0's data register.
        let code: [u16; 7] = [0x7008, 0x3001, 0x0013, 0x3b01, 0xd1fd, 0xe7f9, 0xbf00];
        let mut sessions = [1 << 20, 8].map(|kept| {
            let vectors = [0x2000_1000_u32, 0x2000_0009].map(u32::to_le_bytes).concat();
            let code = code.iter().flat_map(|half| half.to_le_bytes());
            let image = Image::parse(&vectors.into_iter().chain(code).collect::<Vec<_>>(), Some(0x2000_0000), &IMAGES);
            let image = image.expect("vectors and code");
            let mut session = Session::new(&image, None, Some(125_000_000)).expect("it fits");
            let machine = &mut session.machine;
            for (register, value) in
                [(0x4000_f000, 1 << 22), (0x4003_4024, 1), (0x4003_402c, 3 << 5), (0x4003_4030, 1 | 1 << 8 | 1 << 9)]
            {
                assert!(machine.write_register(register, value));
            }
            machine.start_core(0, 0x2000_0009, 0x2000_1000);
            for (register, value) in [(0, 0), (1, 0x4003_4000), (2, 1000)] {
                machine.core_mut(0).set_register(register, value);
            }
            session.kept_characters = kept;
            session
        });
        let text = Text { uart: 0, bytes: &[0xf0, 0xf1] };
        let ends = sessions.each_mut().map(|session| {
            let found = session.run(&Until { cycle: 10_000_000, execution: None, text: Some(text) }, || true);
            let end = session.run(&Until { cycle: 2_000_000, execution: None, text: None }, || true);
            (found, end, session.trace_hash())
        });
        assert!(matches!(ends[0].0, End::Said { .. }), "{ends:?}");
        assert_eq!(ends[0], ends[1]);
        let [all, few] = sessions.each_mut().map(|session| (session.take_sent(0), session.take_notes()));
        assert!(few.0.len() < 2 * 8 + 100 && all.0.ends_with(&few.0), "{} of {}", few.0.len(), all.0.len());
        assert!(all.1.is_empty() && few.1.iter().any(|note| note.contains("UART0")), "{:?}", few.1);
    }
}
