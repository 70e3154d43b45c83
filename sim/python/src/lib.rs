//! The Python module `intercore._sim`: the simulated chips for `intercore.sim`, which is the face of them. Here is the RP2040. Errors are
//! `SimulatorError` where the caller could not know better, `ValueError` where an argument is out of range.

mod guard;
mod stm32h745;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use guard::{Guarded, Timed, core_number, run_long};
use intercore_sim::core::bus::Slave;
use intercore_sim::core::stop::Stop;
use intercore_sim::core::time::Cycle;
use intercore_sim::core::uart_frame::Format;
use intercore_sim::core::watch::{ProbeId, Watch};
use intercore_sim::fault::{Fault, Faults};
use intercore_sim::image::{Image, Symbol};
use intercore_sim::isa::armv6m::Statistics;
use intercore_sim::observe::tally::{KEPT_COUNTS, Tally};
use intercore_sim::rp2040::boot::IMAGES;
use intercore_sim::rp2040::bootrom;
use intercore_sim::rp2040::bus::slave;
use intercore_sim::rp2040::peripherals::uart::line::LineRate;
use intercore_sim::session::{End, Execution, Session, Text, Until};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

pyo3::import_exception!(intercore.errors, SimulatorError);

/// Numbers of probes: none is given twice, so that one that a restored snapshot does not have is known as such.
static NEXT_PROBE: AtomicU64 = AtomicU64::new(0);

/// Everything that a snapshot holds.
#[derive(Clone)]
struct State {
    session: Session,
    image: Arc<Image>,
    /// Number of each probe, in the order of the machine's own.
    probes: Vec<u64>,
    /// The same of its tallies.
    tallies: Vec<u64>,
    /// What it was told to be clocked with, for a chip that is reset.
    clock: Option<u64>,
    faults: Faults<intercore_sim::rp2040::machine::Machine>,
}

impl State {
    /// Runs until something ends the run, through the faults that are due on the way.
    fn run(&mut self, until: &Until<'_>, mut go_on: impl FnMut() -> bool) -> End {
        loop {
            if self.faults.apply(&mut self.session.machine) {
                self.session.machine.ask_boot(self.image.boot);
                if let Some(rate) = self.clock {
                    self.session.machine.set_clock(rate);
                }
            }
            let fault = self.faults.next();
            if fault >= until.cycle {
                return self.session.run(until, go_on);
            }
            match self.session.run(&Until { cycle: fault, ..*until }, &mut go_on) {
                End::Stop(Stop::Limit) => {}
                End::Stop(Stop::DeadEnd) => self.session.machine.advance_to(fault),
                end => return end,
            }
        }
    }
}

impl Timed for State {
    fn moment(&self) -> String {
        format!("cycle {}", self.session.machine.now())
    }
}

/// One simulated chip.
#[pyclass(frozen, module = "intercore._sim")]
struct Machine {
    state: Guarded<State>,
}

/// A chip at rest, to be restored any number of times.
#[pyclass(frozen, module = "intercore._sim")]
struct Snapshot {
    state: Box<State>,
}

/// Kind, core, address, exit code, cycle, sentence.
type Ended = (&'static str, Option<u8>, Option<u32>, Option<i64>, Cycle, String);
/// Bytes, cycles, rates.
type Taken<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);
/// Name, address, size, whether it is a function.
type Named = (String, u32, u32, bool);
/// Instructions, exceptions, cycles asleep; cycles lost to other masters and to wait states, by slave; words or
/// interrupts for it that were lost on purpose.
type Counted = (u64, u64, u64, Vec<(&'static str, u64)>, Vec<(&'static str, u64)>, u64);
/// Cycle, core, r0 to r3, what core 0 and core 1 did.
type Tallied = (Cycle, u8, [u32; 4], Counted, Counted);
/// r0 to r12, sp, lr, pc; xpsr, msp, psp, PRIMASK, CONTROL; what the core does.
type Registers = ([u32; 16], u32, u32, u32, bool, u32, &'static str);

impl Machine {
    fn with<T>(&self, action: impl FnOnce(&mut State) -> PyResult<T>) -> PyResult<T> {
        self.state.with(action)
    }
}

fn counted(core: &Statistics, lost: u64) -> Counted {
    let by_slave = |lost: &[u64; Slave::COUNT]| {
        Slave::all().map(|slave| (slave::name(slave), lost[slave.number()])).collect::<Vec<_>>()
    };
    (core.instructions, core.exceptions, core.asleep, by_slave(&core.conflicts), by_slave(&core.waits), lost)
}

fn uart_number(uart: u8) -> PyResult<usize> {
    if uart < 2 { Ok(usize::from(uart)) } else { Err(PyValueError::new_err(format!("UART {uart}: there are 0 and 1"))) }
}

fn no_memory(address: u32, count: usize) -> PyErr {
    PyValueError::new_err(format!(
        "{count} bytes at {address:#010x} are not within memory: ROM (0 to 0x4000), flash (0x10000000 to 0x11000000, and \
         its aliases), SRAM (0x20000000 to 0x20042000)"
    ))
}

#[pymethods]
impl Machine {
    /// Boots `image`, a path or the contents of a file; `name` is what errors call it.
    #[new]
    #[pyo3(signature = (image, name, base, clock, bootrom))]
    fn new(
        py: Python<'_>,
        image: ImageSource,
        name: &str,
        base: Option<u32>,
        clock: Option<u64>,
        bootrom: Option<PathBuf>,
    ) -> PyResult<Self> {
        let state = py.detach(|| {
            let image = match image {
                ImageSource::Contents(bytes) => Image::parse(&bytes, base, &IMAGES),
                ImageSource::Path(path) => Image::open(&path, base, &IMAGES),
            };
            let image = image.map_err(|why| format!("{name}: {why}"))?;
            let rom = bootrom.map(|path| bootrom::open(&path)).transpose().map_err(|why| why.to_string())?;
            let session = Session::new(&image, rom.as_ref(), clock)
                .map_err(|at| format!("{name}: there is no memory in this chip at {at:#010x}"))?;
            let (probes, tallies) = (Vec::new(), Vec::new());
            Ok(State { session, image: Arc::new(image), probes, tallies, clock, faults: Faults::default() })
        });
        let state = state.map_err(SimulatorError::new_err::<String>)?;
        Ok(Self { state: Guarded::new(state) })
    }

    /// Runs to `cycle`, or until something else ends it. Signals raise what their handlers raise, between two cycles.
    #[pyo3(signature = (cycle, address, core, text, uart))]
    fn run(
        &self,
        py: Python<'_>,
        cycle: Cycle,
        address: Option<u32>,
        core: Option<u8>,
        text: Option<&[u8]>,
        uart: u8,
    ) -> PyResult<Ended> {
        core.map(core_number).transpose()?;
        let uart = uart_number(uart)?;
        self.with(|state| {
            let text = text.map(|bytes| Text { uart, bytes });
            let until = Until { cycle, execution: address.map(|address| Execution { address, core }), text };
            let end = run_long(py, |go_on| state.run(&until, go_on))?;
            Ok(ended(&state.session, &state.image, &end))
        })
    }

    /// After a dead end: lets time pass to `cycle`, or to what happens before it.
    fn advance(&self, cycle: Cycle) -> PyResult<()> {
        self.with(|state| {
            let cycle = cycle.min(state.faults.next());
            state.session.machine.advance_to(cycle);
            Ok(())
        })
    }

    /// The cycle up to which everything has happened.
    fn now(&self) -> PyResult<Cycle> {
        self.with(|state| Ok(state.session.machine.now()))
    }

    /// Rates of `clk_sys`, `clk_ref` and `clk_peri` in Hz, and the chip's time since power-on in seconds.
    #[allow(clippy::cast_precision_loss)] // seconds are for people
    fn clocks(&self) -> PyResult<(u64, u64, u64, f64)> {
        self.with(|state| {
            let machine = &state.session.machine;
            let clocks = &machine.bus.clocks;
            let seconds = clocks.femtoseconds(machine.now()) as f64 / 1e15;
            Ok((clocks.sys(), clocks.reference(), clocks.peri(), seconds))
        })
    }

    /// Bytes of memory.
    fn read<'py>(&self, py: Python<'py>, address: u32, count: usize) -> PyResult<Bound<'py, PyBytes>> {
        self.with(|state| {
            let bytes = state.session.machine.peek_bytes(address, count);
            if bytes.len() < count {
                return Err(no_memory(address, count));
            }
            Ok(PyBytes::new(py, &bytes))
        })
    }

    /// Puts bytes into memory, all or none.
    fn write(&self, address: u32, bytes: &[u8]) -> PyResult<()> {
        self.with(
            |state| {
                if state.session.write(address, bytes) { Ok(()) } else { Err(no_memory(address, bytes.len())) }
            },
        )
    }

    /// A register of a peripheral, without side effects.
    fn peek_register(&self, address: u32, core: u8) -> PyResult<u32> {
        let core = core_number(core)?;
        self.with(|state| {
            state.session.register(core, address).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "no register at {address:#010x}: nothing is modelled there, or it is private to a core"
                ))
            })
        })
    }

    /// Registers of a core, and what it does.
    fn registers(&self, core: u8) -> PyResult<Registers> {
        let number = core_number(core)?;
        self.with(|state| {
            let core = state.session.machine.core(number);
            let numbered = std::array::from_fn(|register| core.register(register));
            Ok((numbered, core.xpsr(), core.msp(), core.psp(), core.primask(), core.control(), core.state()))
        })
    }

    /// What has become of a core's program, if it has crashed or ended without semihosting.
    fn crash(&self, core: u8) -> PyResult<Option<String>> {
        let number = core_number(core)?;
        self.with(|state| Ok(state.session.crash_report(&state.image).tell(number)))
    }

    /// Names in the image, by rising address.
    fn symbols(&self) -> PyResult<Vec<Named>> {
        let named = |symbol: &Symbol| (symbol.name.clone(), symbol.address, symbol.size, symbol.is_function);
        self.with(|state| Ok(state.image.symbols.iter().map(named).collect()))
    }

    /// The function an address is in, and how many bytes from its beginning.
    fn function_at(&self, address: u32) -> PyResult<Option<(String, u32)>> {
        self.with(|state| Ok(state.image.function_at(address).map(|(name, offset)| (name.to_owned(), offset))))
    }

    /// Puts bytes on the line to a UART; the bits set in `flipped`, a mask for each of the first bytes, arrive inverted.
    fn send(&self, uart: u8, bytes: &[u8], not_before: Cycle, flipped: Vec<u16>) -> PyResult<()> {
        let uart = uart_number(uart)?;
        self.with(|state| {
            let machine = &mut state.session.machine;
            let now = machine.now();
            for (&byte, mask) in bytes.iter().zip(flipped.into_iter().chain(std::iter::repeat(0))) {
                if uart == 0 && mask == 0 {
                    state.faults.send(machine, byte, not_before);
                } else {
                    machine.bus.peripherals.inject(uart, byte, mask, not_before, now);
                }
            }
            Ok(())
        })
    }

    /// Has the line to a UART carry so many bits per second, 8N1, whatever the UART is set to; `None`: as it is set to.
    fn set_line_rate(&self, uart: u8, rate: Option<u32>) -> PyResult<()> {
        let uart = uart_number(uart)?;
        self.with(|state| {
            state.session.machine.bus.peripherals.uarts[uart].line_mut().set_rate(match rate {
                None => LineRate::Follow,
                Some(rate) => LineRate::Baud { rate, format: Format::EIGHT_N_ONE },
            });
            Ok(())
        })
    }

    /// The faults to have from now on, as the command line takes them, instead of those there were.
    fn set_faults(&self, faults: Vec<String>) -> PyResult<()> {
        let parsed = faults.into_iter().map(|fault| fault.parse::<Fault>()).collect::<Result<Vec<_>, _>>();
        let parsed = parsed.map_err(PyValueError::new_err)?;
        self.with(|state| {
            state.faults = Faults::new(parsed, &mut state.session.machine).map_err(PyValueError::new_err)?;
            Ok(())
        })
    }

    /// What arrived of that which a UART has sent since the last call: the bytes; the cycles in which they ended, as 64-bit
    /// integers; the bits per second they were sent with, as 32-bit integers.
    fn take_uart<'py>(&self, py: Python<'py>, uart: u8) -> PyResult<Taken<'py>> {
        let uart = uart_number(uart)?;
        self.with(|state| {
            let (mut bytes, mut cycles, mut rates) = (Vec::new(), Vec::new(), Vec::new());
            for sent in state.session.take_sent(uart) {
                let heard =
                    if uart == 0 { state.faults.hear(&state.session.machine, sent.byte) } else { vec![sent.byte] };
                for byte in heard {
                    bytes.push(byte);
                    cycles.extend(sent.cycle.to_le_bytes());
                    rates.extend(sent.rate.to_le_bytes());
                }
            }
            Ok((PyBytes::new(py, &bytes), PyBytes::new(py, &cycles), PyBytes::new(py, &rates)))
        })
    }

    /// What the firmware has written by semihosting since the last call.
    fn take_host_output<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.with(|state| Ok(PyBytes::new(py, &std::mem::take(&mut state.session.machine.host_output))))
    }

    /// Sentences about what the firmware did that is not modelled or not allowed, since the last call.
    fn take_diagnostics(&self) -> PyResult<Vec<String>> {
        self.with(|state| Ok(state.session.take_notes()))
    }

    /// Watchpoints for `kind` ("execute", "read" or "write") at `size` bytes from `address` on. The number of the probe.
    fn watch(&self, kind: &str, address: u32, size: u32) -> PyResult<u64> {
        let watch = match kind {
            "execute" => Watch::Execute,
            "read" => Watch::Read,
            "write" => Watch::Write,
            _ => return Err(PyValueError::new_err(format!("cannot watch for {kind}"))),
        };
        self.with(|state| {
            state.session.machine.bus.fabric.watch.probe(watch, address, size);
            let number = NEXT_PROBE.fetch_add(1, Ordering::Relaxed);
            state.probes.push(number);
            Ok(number)
        })
    }

    /// Hits of a probe in the order of time, as records of cycle (8 bytes), address of the instruction (4), value (4),
    /// core (1). With `take`, they are forgotten.
    fn hits<'py>(&self, py: Python<'py>, probe: u64, take: bool) -> PyResult<Bound<'py, PyBytes>> {
        self.with(|state| {
            let at = state.probes.iter().position(|&number| number == probe).map(ProbeId).ok_or_else(|| {
                SimulatorError::new_err(
                    "this probe was placed after the snapshot that was restored, or on another chip",
                )
            })?;
            let watch = &mut state.session.machine.bus.fabric.watch;
            if let Some(count) = watch.lost(at) {
                if take {
                    watch.take_hits(at);
                }
                let most = watch.kept_hits;
                return Err(SimulatorError::new_err(format!(
                    "this probe was hit {count} times, and all probes together by more than the {most} hits that are kept: \
                     take them more often, or watch less"
                )));
            }
            let mut hits = if take { watch.take_hits(at) } else { watch.hits(at).to_vec() };
            hits.sort_by_key(|hit| (hit.cycle, hit.core));
            let mut records = Vec::with_capacity(hits.len() * 17);
            for hit in hits {
                records.extend(hit.cycle.to_le_bytes());
                records.extend(hit.pc.to_le_bytes());
                records.extend(hit.value.to_le_bytes());
                records.push(hit.core);
            }
            Ok(PyBytes::new(py, &records))
        })
    }

    /// What a core did so far.
    fn statistics(&self, core: u8) -> PyResult<Counted> {
        let number = core_number(core)?;
        self.with(|state| {
            let machine = &state.session.machine;
            let core = machine.statistics(number);
            Ok(counted(&core, machine.fifo_words_lost(number)))
        })
    }

    /// Counts what the cores did whenever one is about to execute the instruction at an address. The number of the tally.
    fn tally(&self, address: u32) -> PyResult<u64> {
        self.with(|state| {
            let tally = Tally::new(&mut state.session.machine, address);
            state.session.tallies.push(tally);
            let number = NEXT_PROBE.fetch_add(1, Ordering::Relaxed);
            state.tallies.push(number);
            Ok(number)
        })
    }

    /// What was counted since the tally was placed or this was last called.
    fn take_tally(&self, tally: u64) -> PyResult<Vec<Tallied>> {
        self.with(|state| {
            let at = state.tallies.iter().position(|&number| number == tally);
            let Some(tally) = at.and_then(|at| state.session.tallies.get_mut(at)) else {
                return Err(SimulatorError::new_err(
                    "this tally was placed after the snapshot that was restored, or on another chip",
                ));
            };
            let (counts, lost) = tally.take();
            if lost > 0 {
                return Err(SimulatorError::new_err(format!(
                    "this tally was passed {lost} times more than the {KEPT_COUNTS} times that are kept: take them more often"
                )));
            }
            let counted = counts.into_iter().map(|one| {
                let [first, second] = one.statistics.map(|core| counted(&core, 0));
                (one.cycle, one.core, one.arguments, first, second)
            });
            Ok(counted.collect())
        })
    }

    /// Forgets what a probe or a tally has seen.
    fn forget(&self, number: u64) -> PyResult<()> {
        self.with(|state| {
            let State { session, probes, tallies, .. } = state;
            if let Some(at) = probes.iter().position(|&probe| probe == number) {
                session.machine.bus.fabric.watch.take_hits(ProbeId(at));
            } else if let Some(at) = tallies.iter().position(|&tally| tally == number)
                && let Some(tally) = session.tallies.get_mut(at)
            {
                tally.take();
            }
            Ok(())
        })
    }

    /// A hash of the chip's state.
    fn state_hash(&self) -> PyResult<u64> {
        self.with(|state| Ok(state.session.machine.state_hash()))
    }

    /// The hash of all that has happened.
    fn trace_hash(&self) -> PyResult<u64> {
        self.with(|state| Ok(state.session.trace_hash()))
    }

    /// The chip as it is.
    fn snapshot(&self) -> PyResult<Snapshot> {
        self.with(|state| Ok(Snapshot { state: Box::new(state.clone()) }))
    }

    /// Makes the chip what it was.
    fn restore(&self, snapshot: &Snapshot) -> PyResult<()> {
        self.with(|state| {
            state.clone_from(&snapshot.state);
            Ok(())
        })
    }
}

/// Where an image is.
#[derive(FromPyObject)]
enum ImageSource {
    Contents(Vec<u8>),
    Path(PathBuf),
}

fn ended(session: &Session, image: &Image, end: &End) -> Ended {
    let (kind, core, pc, status) = match *end {
        End::Executes { core, pc } => ("address", Some(core), Some(pc), None),
        End::Said { .. } => ("text", None, None, None),
        End::Stop(Stop::Limit) => ("limit", None, None, None),
        End::Stop(Stop::Exit { core, code }) => ("exit", Some(core), None, Some(i64::from(code))),
        End::Stop(Stop::DeadEnd) => ("dead end", None, None, None),
        End::Stop(Stop::Lockup { core, pc }) => ("lockup", Some(core), Some(pc), None),
        _ => ("unexpected", None, None, None),
    };
    (kind, core, pc, status, session.machine.now(), session.explain(end, image))
}

/// The command `intercore-sim`: its arguments, the first one its name, to its exit code.
#[pyfunction]
fn command(py: Python, arguments: Vec<OsString>) -> u8 {
    py.detach(|| intercore_sim::cli::main(arguments))
}

#[pymodule]
mod _sim {
    #[pymodule_export]
    use super::stm32h745::{Stm32h745, Stm32h745Snapshot};
    #[pymodule_export]
    use super::{Machine, Snapshot, command};
}
