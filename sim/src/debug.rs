//! A debugger's way in: GDB's remote protocol over TCP. Both cores are threads of one process, 1 and 2.
//!
//! Time belongs to the chip. It stands still while GDB looks, and passes for both cores when one of them goes on or steps: so
//! a run that was stopped a thousand times takes the same cycles as one that never was. The core that is reported stands
//! between two instructions; the other is wherever it was in that cycle, maybe within an instruction whose effect is then
//! not complete.
//!
//! What this does not do: if both cores are at adjacent breakpoints within a few cycles, the second may go unreported, since
//! GDB moves one core past its breakpoint at a time and cannot hear of the other meanwhile (see `chip::Chip::proceed`).

mod memory;
mod monitor;
mod registers;
mod target;
mod wire;

use std::convert::Infallible;
use std::net::TcpStream;

use gdbstub::common::Signal;
use gdbstub::stub::state_machine::GdbStubStateMachine as State;
use gdbstub::stub::{DisconnectReason, GdbStub, GdbStubBuilderError, GdbStubError, MultiThreadStopReason};

use crate::core::stop::Stop;
use crate::rp2040::crash::CrashReport;
use crate::rp2040::machine::Machine;
use crate::session::why_stopped;
use target::{Chip, thread};
use wire::Wire;

/// Longest packet, in bytes: what GDB sends of an image at once.
const PACKET: usize = 1 << 14;

/// What is debugged: a machine, and whoever carries to and fro what goes into it and comes out.
pub trait Debuggee {
    /// The machine.
    fn machine(&self) -> &Machine;

    /// The machine, to change it.
    fn machine_mut(&mut self) -> &mut Machine;

    /// Lets the machine run for some milliseconds of the host's time at most: GDB interrupts it in between only. None: it
    /// may go on. A limit is the end of the run, as an exit is; after any other stop GDB has the word.
    fn proceed(&mut self) -> Option<Stop>;
}

/// A machine by itself, to which nobody talks.
impl Debuggee for Machine {
    fn machine(&self) -> &Machine {
        self
    }

    fn machine_mut(&mut self) -> &mut Machine {
        self
    }

    fn proceed(&mut self) -> Option<Stop> {
        const SLICE: u64 = 100_000;
        Some(self.run_until(self.now() + SLICE)).filter(|stop| *stop != Stop::Limit)
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
    let mut chip = Chip::new(debuggee);
    let outcome = converse(stream, &mut chip).unwrap_or_else(|why| Outcome::Lost(why.0));
    chip.leave();
    outcome
}

/// Why a session broke down.
struct Broken(String);

impl From<std::io::Error> for Broken {
    fn from(why: std::io::Error) -> Self {
        Self(format!("the connection to GDB is lost: {why}"))
    }
}

impl From<GdbStubBuilderError> for Broken {
    fn from(why: GdbStubBuilderError) -> Self {
        Self(why.to_string())
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

fn converse<D: Debuggee>(stream: TcpStream, chip: &mut Chip<'_, D>) -> Result<Outcome, Broken> {
    let mut packet = vec![0; PACKET];
    let stub = GdbStub::builder(Wire::new(stream)?).with_packet_buffer(&mut packet).build()?;
    let mut state = stub.run_state_machine(chip)?;
    let mut end = Stop::Limit;
    loop {
        state = match state {
            State::Idle(mut stub) => {
                let byte = stub.borrow_conn().wait()?;
                stub.incoming_data(chip, byte)?
            }
            State::Running(mut stub) => match stub.borrow_conn().poll()? {
                Some(byte) => stub.incoming_data(chip, byte)?,
                None => match chip.proceed() {
                    None => stub.into(),
                    Some(stop) => {
                        let (reason, comment) = explain(chip, &stop);
                        stub.borrow_conn().say(&comment);
                        end = stop;
                        stub.report_stop(chip, reason)?
                    }
                },
            },
            State::CtrlCInterrupt(stub) => {
                let reason =
                    MultiThreadStopReason::SignalWithThread { tid: chip.last_thread(), signal: Signal::SIGINT };
                stub.interrupt_handled(chip, Some(reason))?
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

/// GDB has the names itself, and the ROM may be any.
fn crash_report<'a, D: Debuggee>(chip: &'a Chip<'_, D>) -> CrashReport<'a> {
    CrashReport { machine: chip.debuggee.machine(), image: None, own_rom: false }
}

/// A stop in GDB's words, and what else a person should read; empty if nothing.
fn explain<D: Debuggee>(chip: &mut Chip<'_, D>, stop: &Stop) -> (MultiThreadStopReason<u32>, String) {
    let signal = |tid, signal| MultiThreadStopReason::SignalWithThread { tid, signal };
    let cycle = chip.debuggee.machine().now();
    match *stop {
        Stop::Breakpoint { core, pc } => (chip.at_breakpoint(core, pc), String::new()),
        Stop::Watchpoint { core, address } => (chip.at_watchpoint(core, address), String::new()),
        Stop::Stepped => (signal(chip.last_thread(), Signal::SIGTRAP), String::new()),
        Stop::Exit { code, .. } => (MultiThreadStopReason::Exited(code.to_le_bytes()[0]), String::new()),
        Stop::Lockup { core, pc } => {
            chip.turn_to(core);
            (
                signal(thread(core), Signal::SIGSEGV),
                format!("cycle {cycle}: {}\n", why_stopped(&Stop::Lockup { core, pc }, &crash_report(chip))),
            )
        }
        Stop::DeadEnd => {
            let why = why_stopped(stop, &crash_report(chip));
            (signal(chip.last_thread(), Signal::SIGSTOP), format!("cycle {cycle}: {why}\n"))
        }
        Stop::Limit | Stop::Heard => {
            (MultiThreadStopReason::Terminated(Signal::SIGXCPU), format!("cycle {cycle}: the run is limited to that\n"))
        }
    }
}
