//! A chip as those see it who run it, watch it and debug it.

use crate::core::bus::Slave;
use crate::core::names::Names;
use crate::core::register::{Register, RegisterSet};
use crate::core::statistics::Statistics;
use crate::core::stop::Stop;
use crate::core::time::{Cycle, NEVER, Unit};
use crate::core::uart_frame::SentByte;
use crate::core::watch::Watchpoints;

/// Cores of a chip.
pub const CORES: usize = 2;

/// What has become of a core's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitState {
    /// It goes on, sleeps, or was never started.
    Alive,
    /// It called `_exit`, as start-up code does when `main` returns, with this status.
    Returned(i32),
    /// It is in the handler of a `HardFault`, or of another fault.
    Faulted,
    /// It is locked up.
    LockedUp,
}

/// Time lost at each slave of a chip's bus that takes time, with its name.
pub fn by_slave<C: Chip>(lost: &[Cycle; Slave::COUNT]) -> impl Iterator<Item = (&'static str, Cycle)> {
    Slave::all().filter_map(|slave| Some((C::slave_name(slave)?, lost[slave.number()])))
}

/// A simulated chip with its memories, cores and peripherals. Cores and UARTs are numbered from 0. Whatever only looks has no
/// effect on what is simulated.
pub trait Chip: Clone + std::fmt::Debug {
    /// What it is called.
    const NAME: &'static str;
    /// The unit of its time.
    const UNIT: Unit;
    /// Time of the chip's that a run goes through between two looks at what is outside: a few milliseconds of the host's.
    const SLICE: Cycle;
    /// Which registers its cores have.
    const REGISTERS: RegisterSet = RegisterSet::Arm;
    /// Names of the UARTs whose output is kept; the first is the console's.
    const UARTS: &'static [&'static str];
    /// Those of them whose output is that of the program.
    const CONSOLE: &'static [usize] = &[0];

    /// Time up to which everything has happened.
    fn now(&self) -> Cycle;

    /// That time in words: `cycle 7`, `7 ps`.
    fn moment(&self) -> String {
        Self::UNIT.moment(self.now())
    }

    /// Real time since power-on at a point in the chip's time.
    fn femtoseconds(&self, at: Cycle) -> u128;

    /// Runs to a time, or until something else ends the run.
    fn run_until(&mut self, limit: Cycle) -> Stop;

    /// Lets time pass while nothing can happen: after a dead end.
    fn advance_to(&mut self, at: Cycle);

    /// Probes, breakpoints, watchpoints and the timeline.
    fn watch(&self) -> &Watchpoints;

    /// The same, to change them.
    fn watch_mut(&mut self) -> &mut Watchpoints;

    /// What a core does: `running`, `asleep`, `off`, `stuck` or `locked up`.
    fn core_state(&self, core: usize) -> &'static str;

    /// When a core makes its next step, `NEVER` if only others can wake it.
    fn next_step(&self, core: usize) -> Cycle;

    /// Up to when it is known what a core does: it may have gone a little further than the chip has.
    fn core_time(&self, core: usize) -> Cycle {
        match self.next_step(core) {
            NEVER => self.now(),
            _ if self.core_state(core) == "asleep" => self.now(),
            next => next.max(self.now()),
        }
    }

    /// What a register of a core holds; 0 for one that it does not have.
    fn register(&self, core: usize, register: Register) -> u64;

    /// What a core did so far, a sleep that goes on included.
    fn statistics(&self, core: usize) -> Statistics;

    /// What was for a core and was lost on its way from the other one, for faults that were asked for.
    fn lost_between_cores(&self, core: usize) -> u64;

    /// Bytes of memory as a core sees them; ends where memory does.
    fn peek_bytes(&self, core: usize, address: u32, count: usize) -> Vec<u8>;

    /// What a UART has sent and nobody has taken.
    fn sent(&self, uart: usize) -> &[SentByte];

    /// Takes the oldest of those characters, as many as are asked for.
    fn take_sent(&mut self, uart: usize, count: usize) -> Vec<SentByte>;

    /// Ends runs when a UART has sent a byte beyond those it has sent now; none: no longer.
    fn stop_on_output(&mut self, uart: Option<usize>);

    /// Notes that characters which a UART has sent are lost, since nobody took them.
    fn report_uncollected_output(&mut self, uart: usize);

    /// What the program did that is not modelled or not allowed, since the last call: sentences, of each kind a bounded number.
    fn take_notes(&mut self) -> Vec<String>;

    /// How often it did those things of which there are more than `take_notes` names, if it did since the last call.
    fn take_note_counts(&mut self) -> Vec<String>;

    /// A hash of the state of cores, memories and peripherals: equal for equal runs.
    fn state_hash(&self) -> u64;

    /// A name for a slave of its bus, if accesses to it take time.
    fn slave_name(slave: Slave) -> Option<&'static str>;

    /// What its manual calls an interrupt.
    fn interrupt_name(interrupt: u8) -> Option<&'static str>;

    /// Whether a core is held in reset for a fault that was asked for.
    fn is_switched_off(&self, core: usize) -> bool;

    /// An address with what is there: function and line, as far as they are known.
    fn place(&self, address: u32, names: &dyn Names) -> String {
        names.place(address).unwrap_or_else(|| format!("{address:#010x}"))
    }

    /// What has become of a core's program.
    fn exit_state(&self, core: usize, names: &dyn Names) -> ExitState;

    /// The same in a clause; none for a core that is alive.
    fn crash(&self, core: usize, names: &dyn Names) -> Option<String>;

    /// Why nothing more can happen to a chip that has come to its end, a clause.
    fn dead_end(&self, names: &dyn Names) -> String;

    /// Why the chip stopped by itself, a clause.
    fn why_stopped(&self, stop: &Stop, names: &dyn Names) -> String {
        let mut cores = 0..CORES;
        match stop {
            Stop::DeadEnd if cores.clone().any(|core| self.core_state(core) == "stuck") => {
                "dead end: a core is stuck, as asked, and nothing goes on".to_owned()
            }
            Stop::DeadEnd if cores.any(|core| self.is_switched_off(core)) => {
                "dead end: a core is held in reset, as asked, and nothing goes on".to_owned()
            }
            Stop::DeadEnd => self.dead_end(names),
            Stop::BootLoader { core } => {
                let at = self.place(self.register(usize::from(*core), Self::REGISTERS.link()) as u32 & !1, names);
                format!(
                    "core {core} restarted the chip into its boot loader, which waits for a host on USB (from {at})"
                )
            }
            Stop::Lockup { core, pc } => {
                let crash = self.crash(usize::from(*core), names);
                crash.unwrap_or_else(|| format!("core {core} locked up at {pc:#010x}"))
            }
            other => format!("stopped unexpectedly: {other:?}"),
        }
    }
}
