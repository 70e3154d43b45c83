//! Running a machine the way people ask for it: until an address is executed, until the firmware has said something.
//!
//! A run goes in slices, between which somebody may look at the clock or the keyboard; that is not seen in what is
//! simulated.

use crate::chip::clock::Cycle;
use crate::chip::machine::{Machine, Stop};
use crate::chip::peripherals::Peripherals;
use crate::chip::peripherals::sio;
use crate::chip::peripherals::uart::SentByte;
use crate::firmware::bootrom::{self, Bootrom};
use crate::firmware::crash::Inquest;
use crate::firmware::image::Image;
use crate::observe::tally::Tally;
use crate::observe::trace_hash::TraceHash;

/// Cycles between two looks at what is outside the simulation: a few milliseconds of a person's time.
const SLICE: Cycle = 100_000;
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
        Ok(Self { machine, tallies: Vec::new(), own_rom, heard: [0; 2], hash })
    }

    /// Runs until something ends the run. Every few milliseconds `go_on` is asked whether to go on.
    pub fn run(&mut self, until: &Until<'_>, mut go_on: impl FnMut() -> bool) -> End {
        if let Some(execution) = until.execution {
            self.machine.bus.watch.add_breakpoint(execution.address);
        }
        let end = self.run_slices(until, &mut go_on);
        if let Some(execution) = until.execution {
            self.machine.bus.watch.remove_breakpoint(execution.address);
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
    pub fn inquest<'a>(&'a self, image: &'a Image) -> Inquest<'a> {
        Inquest { machine: &self.machine, image: Some(image), own_rom: self.own_rom }
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
            End::Stop(stop) => why_stopped(stop, &self.inquest(image)),
        };
        format!("cycle {}: {what}", self.machine.now())
    }
}

/// Why a machine stopped by itself, in words.
#[must_use]
pub fn why_stopped(stop: &Stop, inquest: &Inquest<'_>) -> String {
    let machine = inquest.machine;
    match stop {
        Stop::DeadEnd if (0..2).any(|core| machine.core(core).is_stuck()) => {
            "dead end: a core is stuck, as asked, and nothing goes on".to_owned()
        }
        Stop::DeadEnd if (0..2).any(|core| machine.is_switched_off(core)) => {
            "dead end: a core is held in reset, as asked, and nothing goes on".to_owned()
        }
        Stop::DeadEnd => inquest.dead_end(),
        Stop::Lockup { core, pc } => {
            inquest.tell(usize::from(*core)).unwrap_or_else(|| format!("core {core} locked up at {pc:#010x}"))
        }
        other => format!("stopped unexpectedly: {other:?}"),
    }
}
