//! The simulated STM32H745.

use crate::guard::{Guarded, Timed, core_number, run_long};
use crate::{Counted, Ended, ImageSource, Named, Registers, SimulatorError, Taken};
use intercore_sim::core::stop::Stop;
use intercore_sim::fault::{Fault, Faults};
use intercore_sim::image::Image;
use intercore_sim::stm32h745::Time;
use intercore_sim::stm32h745::crash;
use intercore_sim::stm32h745::machine::Machine;
use intercore_sim::stm32h745::memory::IMAGES;
use intercore_sim::stm32h745::peripherals::board::{Board, OptionBytes, Supply};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Time between two looks at what is outside the simulation: a millisecond of the chip's.
const SLICE: Time = 1_000_000_000;
/// What the names of core 1's image begin with.
const OTHER_IMAGE: &str = "core_1.";

/// Everything that a snapshot holds.
#[derive(Clone)]
struct State {
    machine: Machine,
    /// By core.
    images: Arc<Vec<Image>>,
    faults: Faults<Machine>,
}

impl Timed for State {
    fn moment(&self) -> String {
        format!("{} ps", self.machine.now())
    }
}

impl State {
    fn boot(images: Vec<Image>, supply: Supply) -> Result<Self, String> {
        let mut machine = Machine::new(OptionBytes::default(), Board { supply, ..Board::default() });
        for (core, image) in images.iter().enumerate() {
            for segment in &image.segments {
                if !machine.load(core, segment.address, &segment.bytes) {
                    return Err(format!("there is no memory in this chip at {:#010x}", segment.address));
                }
            }
        }
        machine.start();
        Ok(Self { machine, images: Arc::new(images), faults: Faults::default() })
    }

    /// Runs to a time or until something else ends the run, through the faults that are due on the way.
    fn run(&mut self, time: Time, go_on: &mut (dyn FnMut() -> bool + Send)) -> Stop {
        let last = time.max(self.machine.now());
        loop {
            self.faults.apply(&mut self.machine);
            let limit = last.min(self.machine.now() + SLICE).min(self.faults.next().max(self.machine.now()));
            match self.machine.run_until(limit) {
                Stop::Limit if self.machine.now() < last && go_on() => {}
                stop => return stop,
            }
        }
    }

    /// The image that an address is in.
    fn function_at(&self, address: u32) -> Option<(&str, u32)> {
        self.images.iter().find_map(|image| image.function_at(address))
    }

    fn explain(&self, stop: &Stop) -> String {
        let what = match stop {
            Stop::Lockup { core, .. } => {
                let told = crash::describe(&self.machine, usize::from(*core), |pc| self.function_at(pc));
                told.unwrap_or_else(|| format!("core {core} locked up"))
            }
            _ => "the limit is reached".to_owned(),
        };
        format!("{}: {what}", self.moment())
    }
}

/// One simulated chip, for function only.
#[pyclass(frozen, module = "intercore._sim")]
pub struct Stm32h745 {
    state: Guarded<State>,
}

/// A chip at rest, to be restored any number of times.
#[pyclass(frozen, module = "intercore._sim")]
pub struct Stm32h745Snapshot {
    state: Box<State>,
}

fn no_memory(address: u32, count: usize) -> PyErr {
    PyValueError::new_err(format!("{count} bytes at {address:#010x} are not within memory of this core"))
}

#[pymethods]
impl Stm32h745 {
    /// A board with these images in its flash, by core, and power just given to it; `names` is what errors call them.
    /// `supply` is how the core is supplied: "smps" or "ldo".
    #[new]
    #[pyo3(signature = (images, names, supply))]
    #[allow(clippy::needless_pass_by_value)] // Python's lists come by value
    fn new(py: Python<'_>, images: Vec<ImageSource>, names: Vec<String>, supply: &str) -> PyResult<Self> {
        let supply = match supply {
            "smps" => Supply::Smps,
            "ldo" => Supply::Ldo,
            other => return Err(PyValueError::new_err(format!("there is no supply {other}, but smps and ldo"))),
        };
        let state = py.detach(|| {
            let mut parsed = Vec::new();
            for (image, name) in images.into_iter().zip(&names) {
                let image = match image {
                    ImageSource::Contents(bytes) => Image::parse(&bytes, None, &IMAGES),
                    ImageSource::Path(path) => Image::open(&path, None, &IMAGES),
                };
                parsed.push(image.map_err(|why| format!("{name}: {why}"))?);
            }
            State::boot(parsed, supply)
        });
        Ok(Self { state: Guarded::new(state.map_err(SimulatorError::new_err::<String>)?) })
    }

    /// Runs to a time, or until something else ends it. Signals raise what their handlers raise.
    fn run(&self, py: Python<'_>, time: Time) -> PyResult<Ended> {
        self.state.with(|state| {
            let stop = run_long(py, |go_on| state.run(time, go_on))?;
            let (kind, core, pc) = match stop {
                Stop::Lockup { core, pc } => ("lockup", Some(core), Some(pc)),
                _ => ("limit", None, None),
            };
            Ok((kind, core, pc, None, state.machine.now(), state.explain(&stop)))
        })
    }

    /// The time up to which everything has happened, in picoseconds since power-on.
    fn now(&self) -> PyResult<Time> {
        self.state.with(|state| Ok(state.machine.now()))
    }

    /// Rates of the clocks of core 0 and core 1 in Hz; 0 for one that stands still.
    fn clocks(&self) -> PyResult<[u64; 2]> {
        self.state.with(|state| Ok(state.machine.shared.peripherals.clocks().cpu))
    }

    /// Bytes of memory as a core sees them.
    fn read<'py>(&self, py: Python<'py>, address: u32, count: usize, core: u8) -> PyResult<Bound<'py, PyBytes>> {
        let core = core_number(core)?;
        self.state.with(|state| {
            let bytes = state.machine.peek(core, address, count);
            if bytes.len() < count { Err(no_memory(address, count)) } else { Ok(PyBytes::new(py, &bytes)) }
        })
    }

    /// Registers of a core, and what it does.
    fn registers(&self, core: u8) -> PyResult<Registers> {
        let number = core_number(core)?;
        self.state.with(|state| {
            let core = state.machine.core(number);
            let processor = &core.processor;
            let numbered = std::array::from_fn(|register| processor.register(register));
            let (msp, psp, primask) = (processor.msp(), processor.psp(), processor.primask());
            Ok((numbered, processor.xpsr(), msp, psp, primask, processor.control(), core.state()))
        })
    }

    /// What has become of a core's program, if it has crashed.
    fn crash(&self, core: u8) -> PyResult<Option<String>> {
        let core = core_number(core)?;
        self.state.with(|state| Ok(crash::describe(&state.machine, core, |pc| state.function_at(pc))))
    }

    /// Names in the images; those of core 1's have its prefix.
    fn symbols(&self) -> PyResult<Vec<Named>> {
        self.state.with(|state| {
            let prefixes = ["", OTHER_IMAGE];
            let all = state.images.iter().zip(prefixes).flat_map(|(image, prefix)| {
                let named = move |symbol: &intercore_sim::image::Symbol| {
                    (format!("{prefix}{}", symbol.name), symbol.address, symbol.size, symbol.is_function)
                };
                image.symbols.iter().map(named)
            });
            Ok(all.collect())
        })
    }

    /// The function an address is in, and how many bytes from its beginning.
    fn function_at(&self, address: u32) -> PyResult<Option<(String, u32)>> {
        self.state.with(|state| Ok(state.function_at(address).map(|(name, offset)| (name.to_owned(), offset))))
    }

    /// Puts bytes on the line to USART3; the bits set in `flipped`, a mask for each of the first bytes, arrive inverted.
    fn send(&self, bytes: &[u8], not_before: Time, flipped: Vec<u16>) -> PyResult<()> {
        self.state.with(|state| {
            for (&byte, mask) in bytes.iter().zip(flipped.into_iter().chain(std::iter::repeat(0))) {
                if mask == 0 {
                    state.faults.send(&mut state.machine, byte, not_before);
                } else {
                    state.machine.send(byte, mask, not_before);
                }
            }
            Ok(())
        })
    }

    /// Has the line to USART3 carry so many bits per second, 8N1, whatever it is set to.
    fn set_line_rate(&self, rate: u32) -> PyResult<()> {
        self.state.with(|state| {
            state.machine.shared.peripherals.set_line_rate(rate);
            Ok(())
        })
    }

    /// The faults to have from now on, as the command line takes them, instead of those there were.
    fn set_faults(&self, faults: Vec<String>) -> PyResult<()> {
        let parsed = faults.into_iter().map(|fault| fault.parse::<Fault>()).collect::<Result<Vec<_>, _>>();
        let parsed = parsed.map_err(PyValueError::new_err)?;
        self.state.with(|state| {
            state.faults = Faults::new(parsed, &mut state.machine).map_err(PyValueError::new_err)?;
            Ok(())
        })
    }

    /// What arrived of that which USART3 has sent since the last call: the bytes; the times at which they ended, as 64-bit
    /// integers; the bits per second they were sent with, as 32-bit integers.
    fn take_uart<'py>(&self, py: Python<'py>) -> PyResult<Taken<'py>> {
        self.state.with(|state| {
            let (mut bytes, mut times, mut rates) = (Vec::new(), Vec::new(), Vec::new());
            for sent in state.machine.shared.peripherals.uart_output() {
                for byte in state.faults.hear(&state.machine, sent.byte) {
                    bytes.push(byte);
                    times.extend(sent.at.to_le_bytes());
                    rates.extend(sent.rate.to_le_bytes());
                }
            }
            Ok((PyBytes::new(py, &bytes), PyBytes::new(py, &times), PyBytes::new(py, &rates)))
        })
    }

    /// Sentences about what software did that the chip would not forgive, since the last call.
    fn take_diagnostics(&self) -> PyResult<Vec<String>> {
        self.state.with(|state| Ok(state.machine.take_reports().iter().map(ToString::to_string).collect()))
    }

    /// What a core did so far.
    fn statistics(&self, core: u8) -> PyResult<Counted> {
        let number = core_number(core)?;
        self.state.with(|state| {
            let did = state.machine.statistics(number);
            let lost = state.machine.shared.peripherals.interrupts_lost(number);
            Ok((did.instructions, did.exceptions, did.asleep, Vec::new(), Vec::new(), lost))
        })
    }

    /// A hash of the chip's state.
    fn state_hash(&self) -> PyResult<u64> {
        self.state.with(|state| Ok(state.machine.state_hash()))
    }

    /// The chip as it is.
    fn snapshot(&self) -> PyResult<Stm32h745Snapshot> {
        self.state.with(|state| Ok(Stm32h745Snapshot { state: Box::new(state.clone()) }))
    }

    /// Makes the chip what it was.
    fn restore(&self, snapshot: &Stm32h745Snapshot) -> PyResult<()> {
        self.state.with(|state| {
            state.clone_from(&snapshot.state);
            Ok(())
        })
    }
}
