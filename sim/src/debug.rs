//! A debugger's way in: GDB's remote protocol over TCP. Both cores are threads of one process, 1 and 2.
//!
//! Time belongs to the chip. It stands still while GDB looks, and passes for both cores when one of them goes on or steps: so
//! a run that was stopped a thousand times takes the same cycles as one that never was. The core that is reported stands
//! between two instructions; the other is wherever it was in that cycle, maybe within an instruction whose effect is then
//! not complete.
//!
//! What this does not do: if both cores are at adjacent breakpoints within a few cycles, the second may go unreported, since
//! GDB moves one core past its breakpoint at a time and cannot hear of the other meanwhile (see `target::GdbTarget::proceed`).

mod monitor;
mod registers;
mod target;
mod wire;

use std::convert::Infallible;
use std::net::TcpStream;

use gdbstub::common::Signal;
use gdbstub::stub::state_machine::GdbStubStateMachine as State;
use gdbstub::stub::{DisconnectReason, GdbStub, GdbStubError, MultiThreadStopReason};

use crate::core::chip::Chip;
use crate::core::register::Register;
use crate::core::stop::Stop;
use target::{GdbTarget, thread};
use wire::GdbConnection;

/// Longest packet, in bytes: what GDB sends of an image at once.
const PACKET: usize = 1 << 14;

/// A chip that can be debugged: what GDB reads and changes of it.
pub trait DebugTarget: Chip {
    /// What GDB calls the architecture of its cores.
    const ARCHITECTURE: &'static str;
    /// Registers of each core beside R0 to R15 and xPSR.
    const OTHER_REGISTERS: &'static [Register];
    /// What GDB may touch, and how: GDB's XML.
    const MEMORY_MAP: &'static str;

    /// Sets a register of a core. False if that cannot be.
    fn set_register(&mut self, core: usize, register: Register, value: u64) -> bool;

    /// The word at an address that is a multiple of 4, of memory or a register, as one core sees it, without side effects;
    /// None where there is nothing.
    fn peek_word(&self, core: usize, address: u32) -> Option<u32>;

    /// Writes memory, or registers of peripherals and of a core's own bus if these are whole words. False if there is nothing
    /// to write to, or only ROM.
    fn write_memory(&mut self, core: usize, start: u32, bytes: &[u8]) -> bool;

    /// Erases flash: all ones. False if not all of it is flash.
    fn erase_flash(&mut self, start: u32, length: u32) -> bool;

    /// Makes the chip what it was at power-on. Memories keep what they hold, so that an image which GDB has loaded is what
    /// starts; breakpoints and probes stay.
    fn reset_keeping_memory(&mut self, at_power_on: &Self);

    /// Fills `bytes` from `start` on, as one core sees it, up to the first address where there is nothing; how many there
    /// are.
    fn read_memory(&self, core: usize, start: u32, bytes: &mut [u8]) -> usize {
        let mut count = 0;
        for (byte, at) in bytes.iter_mut().zip(start..=u32::MAX) {
            let Some(word) = self.peek_word(core, at & !3) else { break };
            *byte = word.to_le_bytes()[at as usize & 3];
            count += 1;
        }
        count
    }
}

/// What is debugged: a chip, and whoever carries to and fro what goes into it and comes out.
pub trait Debuggee {
    /// The chip's kind.
    type Chip: DebugTarget;

    /// The chip.
    fn chip(&self) -> &Self::Chip;

    /// The chip, to change it.
    fn chip_mut(&mut self) -> &mut Self::Chip;

    /// Lets the chip run for some milliseconds of the host's time at most: GDB interrupts it in between only. None: it
    /// may go on. A limit is the end of the run, as an exit is; after any other stop GDB has the word.
    fn proceed(&mut self) -> Option<Stop>;
}

/// A chip by itself, to which nobody talks.
impl<C: DebugTarget> Debuggee for C {
    type Chip = C;

    fn chip(&self) -> &C {
        self
    }

    fn chip_mut(&mut self) -> &mut C {
        self
    }

    fn proceed(&mut self) -> Option<Stop> {
        Some(self.run_until(self.now() + C::SLICE)).filter(|stop| *stop != Stop::Limit)
    }
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// GDB has detached: the machine is to run on by itself.
    Detached,
    /// GDB has killed the run.
    Killed,
    /// The run has come to its end, and GDB knows.
    Ended(Stop),
    /// The connection broke, or carried what GDB would not send: a sentence.
    Lost(String),
}

/// Serves a debugger that has connected, until it leaves or the run ends.
pub fn serve(stream: TcpStream, debuggee: &mut impl Debuggee) -> Outcome {
    let mut target = GdbTarget::new(debuggee);
    let outcome = run_protocol(stream, &mut target).unwrap_or_else(|why| Outcome::Lost(why.0));
    target.remove_all_breakpoints();
    outcome
}

/// Why a session broke down.
struct Broken(String);

impl From<std::io::Error> for Broken {
    fn from(why: std::io::Error) -> Self {
        Self(format!("the connection to GDB is lost: {why}"))
    }
}

impl From<GdbStubError<Infallible, std::io::Error>> for Broken {
    fn from(why: GdbStubError<Infallible, std::io::Error>) -> Self {
        if why.is_connection_error() {
            return Self(format!("the connection to GDB is lost: {why}"));
        }
        Self(format!("what came in was not sent by a GDB for this chip: {why}"))
    }
}

fn run_protocol<D: Debuggee>(stream: TcpStream, debugged: &mut GdbTarget<'_, D>) -> Result<Outcome, Broken> {
    let mut packet = vec![0; PACKET];
    let stub = GdbStub::builder(GdbConnection::new(stream)?).with_packet_buffer(&mut packet).build();
    let stub = stub.map_err(|why| Broken(why.to_string()))?;
    let mut state = stub.run_state_machine(debugged)?;
    let mut end = Stop::Limit;
    loop {
        state = match state {
            State::Idle(mut stub) => {
                let byte = stub.borrow_conn().wait()?;
                stub.incoming_data(debugged, byte)?
            }
            State::Running(mut stub) => match stub.borrow_conn().poll()? {
                Some(byte) => stub.incoming_data(debugged, byte)?,
                None => match debugged.proceed() {
                    None => stub.into(),
                    Some(stop) => {
                        let (reason, comment) = explain(debugged, &stop);
                        stub.borrow_conn().say(&comment);
                        end = stop;
                        stub.report_stop(debugged, reason)?
                    }
                },
            },
            State::CtrlCInterrupt(stub) => {
                let tid = thread(debugged.last);
                let reason = MultiThreadStopReason::SignalWithThread { tid, signal: Signal::SIGINT };
                stub.interrupt_handled(debugged, Some(reason))?
            }
            State::Disconnected(mut stub) => {
                return Ok(match stub.get_reason() {
                    DisconnectReason::Disconnect => Outcome::Detached,
                    DisconnectReason::Kill => {
                        stub.borrow_conn().confirm_kill();
                        Outcome::Killed
                    }
                    _ => Outcome::Ended(end),
                });
            }
        }
    }
}

/// A stop in GDB's words, and what else a person should read; empty if nothing.
fn explain<D: Debuggee>(debugged: &mut GdbTarget<'_, D>, stop: &Stop) -> (MultiThreadStopReason<u32>, String) {
    let signal = |tid, signal| MultiThreadStopReason::SignalWithThread { tid, signal };
    // GDB has the names itself.
    let why =
        || format!("{}: {}\n", debugged.debuggee.chip().moment(), debugged.debuggee.chip().why_stopped(stop, &()));
    match *stop {
        Stop::Breakpoint { core, pc } => (debugged.at_breakpoint(core, pc), String::new()),
        Stop::Watchpoint { core, address } => (debugged.at_watchpoint(core, address), String::new()),
        Stop::Stepped => (signal(thread(debugged.last), Signal::SIGTRAP), String::new()),
        Stop::Exit { code, .. } => (MultiThreadStopReason::Exited(code.to_le_bytes()[0]), String::new()),
        Stop::Lockup { core, .. } => {
            let why = why();
            debugged.last = core;
            (signal(thread(core), Signal::SIGSEGV), why)
        }
        Stop::BootLoader { core } => (signal(thread(core), Signal::SIGTERM), why()),
        Stop::DeadEnd => (signal(thread(debugged.last), Signal::SIGSTOP), why()),
        Stop::Limit | Stop::ByteSent => {
            let moment = debugged.debuggee.chip().moment();
            (MultiThreadStopReason::Terminated(Signal::SIGXCPU), format!("{moment}: the run is limited to that\n"))
        }
    }
}
