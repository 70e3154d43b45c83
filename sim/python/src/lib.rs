//! The Python module `intercore._native`: the simulated chips for `intercore.sim`, and distributions for
//! `intercore.statistics.probability`, which are the faces of them. Errors are
//! `SimulatorError` where the caller could not know better, `ValueError` where an argument is out of range.

mod chip;
mod distributions;
mod events;
mod guard;
mod hunt;
mod profile;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use chip::{Chip, Counted, PythonChip, Tallied, all_registers, uart_number};
use guard::{Guarded, core_number, run_long};
use intercore_sim::core::chip::Chip as _;
use intercore_sim::core::names::Names;
use intercore_sim::core::stop::Stop;
use intercore_sim::core::time::Cycle;
use intercore_sim::core::watch::{KEPT_HITS, ProbeId, Watch};
use intercore_sim::fault::Fault;
use intercore_sim::image::{Image, Symbol, Target};
use intercore_sim::observe::tally::Tally;
use intercore_sim::rp2::usb::cable::Cable;
use intercore_sim::session::{End, StopAddress, Text, Until};
use intercore_sim::{rp2040, rp2350, stm32h745};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

pyo3::import_exception!(intercore.errors, SimulatorError);

/// What a simulated RP2350 says when it is asked for a profile.
const NO_PROFILE: &str = "the simulated RP2350 records no profile yet";

/// What the names of core 1's image begin with, where it has one.
const OTHER_IMAGE: &str = "core_1.";

/// Numbers of probes: none is given twice, so that one that a restored snapshot does not have is known as such.
static NEXT_PROBE: AtomicU64 = AtomicU64::new(0);

/// Everything that a snapshot holds.
#[derive(Clone)]
#[allow(clippy::large_enum_variant)] // one of a kind, and what it holds is on the heap
enum State {
    Rp2040(Chip<rp2040::machine::Machine>),
    Rp2350(Chip<rp2350::machine::Machine>),
    Stm32h745(Chip<stm32h745::machine::Machine>),
}

/// Does the same with each kind of chip.
macro_rules! on {
    ($state:expr, $chip:ident => $action:expr) => {
        match $state {
            State::Rp2040($chip) => $action,
            State::Rp2350($chip) => $action,
            State::Stm32h745($chip) => $action,
        }
    };
}

impl State {
    fn moment(&self) -> String {
        on!(self, chip => chip.session.chip.moment())
    }
}

/// One simulated chip.
#[pyclass(frozen, module = "intercore._native")]
struct Machine(Guarded);

/// A chip at rest, to be restored any number of times.
#[pyclass(frozen, module = "intercore._native")]
struct Snapshot(Box<State>);

/// Kind, core, address, exit code, time, sentence.
type Ended = (&'static str, Option<u8>, Option<u32>, Option<i64>, Cycle, String);
/// Bytes, times, rates.
type Taken<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);
/// Name, address, size, whether it is a function.
type Named = (String, u32, u32, bool);
/// Names and contents; what the core does.
type Registers = (Vec<(String, u64)>, &'static str);
/// What the device sent for a request of the host on USB, or why that failed.
type Answered = (Option<Vec<u8>>, &'static str);

impl Machine {
    fn with_cable<T>(&self, act: impl FnOnce(&mut Cable, Cycle) -> T) -> PyResult<T> {
        self.0.with(|state| match state {
            State::Rp2040(chip) => Ok(chip.session.chip.with_cable(act)),
            State::Rp2350(chip) => Ok(chip.session.chip.with_cable(act)),
            State::Stm32h745(_) => Err(SimulatorError::new_err("USB is not modelled on the STM32H745")),
        })
    }
}

#[pymethods]
impl Machine {
    /// An RP2040 with `image`, a path or the contents of a file, just switched on; `name` is what errors call it.
    #[staticmethod]
    fn rp2040(
        py: Python<'_>,
        image: ImageSource,
        name: &str,
        base: Option<u32>,
        clock: Option<u64>,
        bootrom: Option<PathBuf>,
    ) -> PyResult<Self> {
        let state = py.detach(|| {
            let image = image.parse(name, base, &rp2040::boot::IMAGES)?;
            let rom = bootrom.map(|path| rp2040::bootrom::open(&path)).transpose().map_err(|why| why.to_string())?;
            let mut machine = rp2040::machine::Machine::booted(&image, rom.as_ref(), clock)
                .map_err(|at| format!("{name}: there is no memory in this chip at {at:#010x}"))?;
            // `send` says which port it is for.
            machine.bus.peripherals.usb.cable.takes_input = Some(false);
            Ok(State::Rp2040(Chip::new(machine, vec![image])))
        });
        Ok(Self(Guarded(Mutex::new(state.map_err(SimulatorError::new_err::<String>)?))))
    }

    /// An RP2350 with its RISC-V cores and `image`, likewise.
    #[staticmethod]
    fn rp2350(py: Python<'_>, image: ImageSource, name: &str, base: Option<u32>, clock: Option<u64>) -> PyResult<Self> {
        let state = py.detach(|| {
            let image = image.parse(name, base, &rp2350::boot::IMAGES)?;
            let mut machine = rp2350::machine::Machine::booted(&image, clock)
                .map_err(|at| format!("{name}: there is no memory in this chip at {at:#010x}"))?;
            machine.bus.peripherals.usb.cable.takes_input = Some(false);
            Ok(State::Rp2350(Chip::new(machine, vec![image])))
        });
        Ok(Self(Guarded(Mutex::new(state.map_err(SimulatorError::new_err::<String>)?))))
    }

    /// A board with an STM32H745 that has these images in its flash, by core, just switched on; `names` is what errors call
    /// them. `supply` is how the core is supplied: "smps" or "ldo".
    #[staticmethod]
    #[allow(clippy::needless_pass_by_value)] // Python's lists come by value
    fn stm32h745(py: Python<'_>, images: Vec<ImageSource>, names: Vec<String>, supply: &str) -> PyResult<Self> {
        let supply = chip::supply(supply)?;
        let state = py.detach(|| {
            let parsed = images.into_iter().zip(&names);
            let target = &stm32h745::memory::IMAGES;
            let parsed = parsed.map(|(image, name)| image.parse(name, None, target)).collect::<Result<Vec<_>, _>>()?;
            let machine = stm32h745::machine::Machine::booted(&parsed, supply)
                .map_err(|at| format!("there is no memory in this chip at {at:#010x}"))?;
            Ok(State::Stm32h745(Chip::new(machine, parsed)))
        });
        Ok(Self(Guarded(Mutex::new(state.map_err(SimulatorError::new_err::<String>)?))))
    }

    /// Runs to a time, or until something else ends it. Signals raise what their handlers raise, between two cycles.
    fn run(
        &self,
        py: Python<'_>,
        limit: Cycle,
        address: Option<u32>,
        core: Option<u8>,
        text: Option<&[u8]>,
        uart: u8,
    ) -> PyResult<Ended> {
        core.map(core_number).transpose()?;
        self.0.with(|state| {
            on!(state, chip => {
                let text = text.map(|bytes| Ok::<_, PyErr>(Text { uart: uart_number(chip, uart)?, bytes })).transpose()?;
                let until = Until { limit, stop_address: address.map(|address| StopAddress { address, core }), text };
                let end = run_long(py, |go_on| chip.session.run(&until, go_on))?;
                Ok(ended(chip, &end))
            })
        })
    }

    /// After a dead end: lets time pass to a point, or to what happens before it.
    fn advance(&self, at: Cycle) -> PyResult<()> {
        self.0.with(|state| {
            on!(state, chip => chip.session.skip_idle_time_to(at));
            Ok(())
        })
    }

    /// The time up to which everything has happened, in the chip's unit.
    fn now(&self) -> PyResult<Cycle> {
        self.0.with(|state| on!(state, chip => Ok(chip.session.chip.now())))
    }

    /// Rates of clocks in Hz, 0 for one that stands still, and the chip's time since power-on in seconds. Of the RP2040:
    /// `clk_sys`, `clk_ref` and `clk_peri`; of the STM32H745: of core 0 and of core 1.
    #[allow(clippy::cast_precision_loss)] // seconds are for people
    fn clocks(&self) -> PyResult<(Vec<u64>, f64)> {
        self.0.with(|state| {
            on!(state, chip => {
                let chip = &chip.session.chip;
                Ok((chip.rates(), chip.femtoseconds(chip.now()) as f64 / 1e15))
            })
        })
    }

    /// Bytes of memory as a core sees them.
    fn read<'py>(&self, py: Python<'py>, address: u32, count: usize, core: u8) -> PyResult<Bound<'py, PyBytes>> {
        let core = core_number(core)?;
        self.0.with(|state| on!(state, chip => chip.read(core, address, count)).map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Puts bytes into memory, all or none, as a core would reach it.
    fn write(&self, address: u32, bytes: &[u8], core: u8) -> PyResult<()> {
        let core = core_number(core)?;
        self.0.with(|state| on!(state, chip => chip.write(core, address, bytes)))
    }

    /// A register of a peripheral, without side effects.
    fn peek_register(&self, address: u32, core: u8) -> PyResult<u32> {
        let core = core_number(core)?;
        let register = self.0.with(|state| on!(state, chip => Ok(chip.session.chip.peripheral(core, address))))?;
        register.ok_or_else(|| {
            PyValueError::new_err(format!(
                "no register at {address:#010x}: nothing is modelled there, or it is private to a core"
            ))
        })
    }

    /// Registers of a core, and what it does.
    fn registers(&self, core: u8) -> PyResult<Registers> {
        let core = core_number(core)?;
        self.0.with(|state| {
            on!(state, chip => {
                let chip = &chip.session.chip;
                let registers = all_registers(chip).map(|register| (register.name(), chip.register(core, register)));
                Ok((registers.collect(), chip.core_state(core)))
            })
        })
    }

    /// What has become of a core's program, if it has crashed or ended without semihosting.
    fn crash(&self, core: u8) -> PyResult<Option<String>> {
        let core = core_number(core)?;
        self.0.with(|state| on!(state, chip => Ok(chip.session.chip.crash(core, &*chip.images))))
    }

    /// Names in the images, by rising address; those of an image of core 1's own have its prefix.
    fn symbols(&self) -> PyResult<Vec<Named>> {
        let prefixes = ["", OTHER_IMAGE];
        let named = |prefix: &str, symbol: &Symbol| {
            (format!("{prefix}{}", symbol.name), symbol.address, symbol.size, symbol.is_function)
        };
        self.0.with(|state| {
            let images = on!(state, chip => &chip.images).iter().zip(prefixes);
            Ok(images.flat_map(|(image, prefix)| image.symbols.iter().map(move |it| named(prefix, it))).collect())
        })
    }

    /// The function an address is in, and how many bytes from its beginning.
    fn function_at(&self, address: u32) -> PyResult<Option<(String, u32)>> {
        self.0.with(|state| {
            let found = on!(state, chip => &chip.images).function_at(address);
            Ok(found.map(|(name, offset)| (name.to_owned(), offset)))
        })
    }

    /// Puts bytes on the line to a UART; the bits set in `flipped`, a mask for each of the first bytes, arrive inverted.
    fn send(&self, uart: u8, bytes: &[u8], not_before: Cycle, flipped: Vec<u16>) -> PyResult<()> {
        self.0.with(|state| {
            on!(state, chip => {
                let uart = uart_number(chip, uart)?;
                for (&byte, mask) in bytes.iter().zip(flipped.into_iter().chain(std::iter::repeat(0))) {
                    if uart == 0 && mask == 0 {
                        chip.session.send(byte, not_before);
                    } else {
                        chip.session.chip.inject(uart, byte, mask, not_before);
                    }
                }
                Ok(())
            })
        })
    }

    /// Has the line to a UART carry so many bits per second, 8N1, whatever the UART is set to; `None`, on the RP2040 alone: as
    /// it is set to.
    fn set_line_rate(&self, uart: u8, rate: Option<u32>) -> PyResult<()> {
        self.0.with(|state| {
            on!(state, chip => {
                let uart = uart_number(chip, uart)?;
                chip.session.chip.set_line_rate(uart, rate);
                Ok(())
            })
        })
    }

    /// The faults to have from now on, as the command line takes them, instead of those there were.
    fn set_faults(&self, faults: Vec<String>) -> PyResult<()> {
        let parsed = faults.into_iter().map(|fault| fault.parse::<Fault>()).collect::<Result<Vec<_>, _>>();
        let parsed = parsed.map_err(PyValueError::new_err)?;
        self.0.with(|state| on!(state, chip => chip.session.set_faults(parsed)).map_err(PyValueError::new_err))
    }

    /// What arrived of that which a UART has sent since the last call: the bytes; the times at which they ended, as 64-bit
    /// integers; the bits per second they were sent with, as 32-bit integers.
    fn take_uart<'py>(&self, py: Python<'py>, uart: u8) -> PyResult<Taken<'py>> {
        self.0.with(|state| {
            on!(state, chip => {
                let uart = uart_number(chip, uart)?;
                let (mut bytes, mut times, mut rates) = (Vec::new(), Vec::new(), Vec::new());
                for sent in chip.session.take_sent(uart) {
                    for byte in if uart == 0 { chip.session.apply_line_faults(sent.byte) } else { vec![sent.byte] } {
                        bytes.push(byte);
                        times.extend(sent.at.to_le_bytes());
                        rates.extend(sent.rate.to_le_bytes());
                    }
                }
                Ok((PyBytes::new(py, &bytes), PyBytes::new(py, &times), PyBytes::new(py, &rates)))
            })
        })
    }

    /// What the firmware has written by semihosting since the last call; nothing on the STM32H745, which has none.
    fn take_host_output<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.0.with(|state| {
            let output = match state {
                State::Rp2040(chip) => std::mem::take(&mut chip.session.chip.host_output),
                State::Rp2350(chip) => std::mem::take(&mut chip.session.chip.host_output),
                State::Stm32h745(_) => Vec::new(),
            };
            Ok(PyBytes::new(py, &output))
        })
    }

    /// Sentences about what the firmware did that is not modelled or not allowed, since the last call.
    fn take_diagnostics(&self) -> PyResult<Vec<String>> {
        self.0.with(|state| on!(state, chip => Ok(chip.session.take_notes())))
    }

    /// Watchpoints for `kind` ("execute", "read" or "write") at `size` bytes from `address` on. The number of the probe.
    fn watch(&self, kind: &str, address: u32, size: u32) -> PyResult<u64> {
        let watch = match kind {
            "execute" => Watch::Execute,
            "read" => Watch::Read,
            "write" => Watch::Write,
            _ => return Err(PyValueError::new_err(format!("cannot watch for {kind}"))),
        };
        self.0.with(|state| {
            on!(state, chip => {
                chip.session.chip.watch_mut().probe(watch, address, size);
                let number = NEXT_PROBE.fetch_add(1, Ordering::Relaxed);
                chip.probes.push(number);
                Ok(number)
            })
        })
    }

    /// Hits of a probe in the order of time, as records of time (8 bytes), address of the instruction (4), value (4),
    /// address of the access (4), core (1). With `take`, they are forgotten.
    fn hits<'py>(&self, py: Python<'py>, probe: u64, take: bool) -> PyResult<Bound<'py, PyBytes>> {
        self.0.with(|state| {
            let (probes, watch) = on!(state, chip => (&chip.probes, chip.session.chip.watch_mut()));
            let at = probes.iter().position(|&number| number == probe).map(ProbeId).ok_or_else(|| {
                SimulatorError::new_err(
                    "this probe was placed after the snapshot that was restored, or on another chip",
                )
            })?;
            if let Some(count) = watch.lost(at) {
                if take {
                    watch.take_hits(at);
                }
                let most = watch.max_hits.unwrap_or(KEPT_HITS);
                return Err(SimulatorError::new_err(format!(
                    "this probe was hit {count} times, and all probes together by more than the {most} hits that are kept: \
                     take them more often, or watch less"
                )));
            }
            let mut hits = if take { watch.take_hits(at) } else { watch.hits(at).to_vec() };
            hits.sort_by_key(|hit| (hit.cycle, hit.core));
            let mut records = Vec::with_capacity(hits.len() * 21);
            for hit in hits {
                records.extend(hit.cycle.to_le_bytes());
                records.extend(hit.pc.to_le_bytes());
                records.extend(hit.value.to_le_bytes());
                records.extend(hit.address.to_le_bytes());
                records.push(hit.core);
            }
            Ok(PyBytes::new(py, &records))
        })
    }

    /// What a core did so far.
    fn statistics(&self, core: u8) -> PyResult<Counted> {
        let core = core_number(core)?;
        self.0.with(|state| on!(state, chip => Ok(chip.counted(core))))
    }

    /// Counts what the cores did whenever one is about to execute the instruction at an address. The number of the tally.
    fn tally(&self, address: u32) -> PyResult<u64> {
        self.0.with(|state| {
            on!(state, chip => {
                let tally = Tally::new(&mut chip.session.chip, address);
                chip.session.tallies.push(tally);
                let number = NEXT_PROBE.fetch_add(1, Ordering::Relaxed);
                chip.tallies.push(number);
                Ok(number)
            })
        })
    }

    /// What was counted since the tally was placed or this was last called.
    fn take_tally(&self, tally: u64) -> PyResult<Vec<Tallied>> {
        self.0.with(|state| on!(state, chip => chip.take_tally(tally)))
    }

    /// Forgets what a probe or a tally has seen.
    fn forget(&self, number: u64) -> PyResult<()> {
        self.0.with(|state| {
            on!(state, chip => {
                if let Some(at) = chip.probes.iter().position(|&probe| probe == number) {
                    chip.session.chip.watch_mut().take_hits(ProbeId(at));
                } else if let Some(tally) = chip.tally(number) {
                    tally.take();
                }
                Ok(())
            })
        })
    }

    /// Records from now on what the cores spend their time on, instead of what was recorded so far, and times each call of
    /// the function that begins at an address.
    #[pyo3(signature = (timed=None))]
    fn start_profile(&self, timed: Option<u32>) -> PyResult<()> {
        self.0.with(|state| {
            match state {
                State::Rp2040(chip) => chip.session.chip.start_profile(&chip.images[0], timed),
                State::Rp2350(_) => return Err(SimulatorError::new_err(NO_PROFILE)),
                State::Stm32h745(chip) => chip.session.chip.start_profile(&chip.images, timed),
            }
            Ok(())
        })
    }

    /// Records a profile, and beside it what a hunt for faults wants to know.
    fn start_hunt(&self) -> PyResult<()> {
        self.0.with(hunt::start)
    }

    /// The same of a run that is hunted once more: the last writers of some words, and data races on those that are shared.
    fn start_hunt_again(&self, words: Vec<u32>, shared: Vec<u32>) -> PyResult<()> {
        self.0.with(|state| hunt::start_again(state, words, shared))
    }

    /// Words that the hunt has seen to be shared.
    fn shared_words(&self) -> PyResult<Vec<u32>> {
        self.0.with(hunt::shared_words)
    }

    /// Data races, and whether all accesses to shared words were looked at; none if they were not looked for.
    fn races(&self) -> PyResult<Option<hunt::Races>> {
        self.0.with(hunt::races)
    }

    /// Has some more accesses to shared words looked at, if there is a limit that was reached.
    fn look_again_for_races(&self) -> PyResult<()> {
        self.0.with(|state| {
            hunt::machine(state)?.watch_mut().look_again_for_races();
            Ok(())
        })
    }

    /// What the hunt has found up to now.
    fn hunted(&self) -> PyResult<hunt::Hunted> {
        self.0.with(hunt::hunted)
    }

    /// What each core is doing over and over again; none for a core that does nothing at all.
    fn waits(&self) -> PyResult<[Option<hunt::Waited>; 2]> {
        self.0.with(hunt::waits)
    }

    /// Whether nothing will happen but what the cores do.
    fn nothing_is_pending(&self) -> PyResult<bool> {
        self.0.with(|state| Ok(hunt::machine(state)?.nothing_is_pending()))
    }

    /// Uses of registers that the datasheet warns of, and that no note was taken of yet.
    fn misuses(&self) -> PyResult<Vec<(Cycle, &'static str, u32, &'static str)>> {
        self.0.with(|state| Ok(hunt::machine(state)?.bus.fabric.diagnostics.misuses()))
    }

    /// What notes call a register.
    #[staticmethod]
    fn register_name(address: u32) -> String {
        rp2040::peripherals::Peripherals::register_name(address)
    }

    /// A register of a core's private peripheral bus, without side effects.
    fn peek_private(&self, address: u32, core: u8) -> PyResult<u32> {
        let core = core_number(core)?;
        self.0.with(|state| Ok(hunt::machine(state)?.core(core).peek_private(address)))
    }

    /// What was recorded since then; the recording ends.
    fn take_profile(&self) -> PyResult<profile::Recorded> {
        self.0.with(|state| {
            let recorded = match state {
                State::Rp2350(_) => None,
                State::Rp2040(chip) => {
                    chip.session.chip.take_profile().map(|it| profile::recorded::<rp2040::machine::Machine>(&it))
                }
                State::Stm32h745(chip) => {
                    chip.session.chip.take_profile().map(|it| profile::recorded::<stm32h745::machine::Machine>(&it))
                }
            };
            recorded.ok_or_else(profile::none)
        })
    }

    /// Runs to a cycle while a profile is recorded: what each core did on the way, in the order of time.
    fn follow(&self, py: Python<'_>, until: Cycle) -> PyResult<[Vec<profile::Followed>; 2]> {
        self.0.with(|state| {
            let State::Rp2040(chip) = state else { return Err(SimulatorError::new_err(NO_PROFILE)) };
            profile::follow(py, &mut chip.session, until)
        })
    }

    /// Sets code and data apart, as if each range of addresses were in a memory of its own.
    #[allow(clippy::needless_pass_by_value)] // Python's lists come by value
    fn set_apart(&self, ranges: Vec<(u32, u32)>) -> PyResult<()> {
        self.0.with(|state| match state {
            State::Rp2040(chip) => {
                chip.session.chip.set_apart(ranges.iter().map(|&(begin, end)| begin..end).collect());
                Ok(())
            }
            State::Rp2350(_) => Err(SimulatorError::new_err(NO_PROFILE)),
            State::Stm32h745(_) => Err(SimulatorError::new_err("this chip has no time that could change")),
        })
    }

    /// Has the host on USB put the cable in (`plug`) or pull it (`pull`), sleep or wake up (`sleep`, `wake`), or reset the device.
    fn act_on_usb(&self, action: &str) -> PyResult<()> {
        self.with_cable(|usb, now| {
            match action {
                "plug" | "pull" => usb.plug(action == "plug", now),
                "sleep" | "wake" => usb.sleep(action == "sleep", now),
                "reset" => usb.reset_bus(now),
                _ => return Err(PyValueError::new_err(format!("the host on USB cannot {action}"))),
            }
            Ok(())
        })?
    }

    /// Has it make a request with data for the device, once the device is configured.
    fn request_usb(&self, setup: [u8; 8], data: Vec<u8>) -> PyResult<()> {
        self.with_cable(|usb, now| usb.request(setup, data, now))
    }

    /// What the device sent for each such request since the last call, or why it failed.
    fn take_usb_answers(&self) -> PyResult<Vec<Answered>> {
        let answers = self.with_cable(|usb, _| usb.take_answers())?;
        Ok(answers.into_iter().map(|answer| answer.map_or_else(|why| (None, why), |data| (Some(data), ""))).collect())
    }

    /// Records from now on what `take_events` tells.
    fn record_events(&self) -> PyResult<()> {
        self.0.with(|state| {
            on!(state, chip => chip.session.chip.watch_mut().record_timeline());
            Ok(())
        })
    }

    /// What happened since then or since this was last called: to be called every few 100,000 cycles, since it grows.
    fn take_events(&self) -> PyResult<events::Recorded> {
        self.0.with(|state| {
            Ok(match state {
                State::Rp2040(chip) => events::recorded(&mut chip.session.chip),
                State::Rp2350(chip) => events::recorded(&mut chip.session.chip),
                State::Stm32h745(chip) => events::recorded(&mut chip.session.chip),
            })
        })
    }

    /// The functions that instructions are in, the innermost inlined one first: name, file and line, as far as they are known.
    #[allow(clippy::needless_pass_by_value)] // Python's lists come by value
    fn source_frames(&self, addresses: Vec<u32>) -> PyResult<Vec<Vec<profile::Source>>> {
        self.0.with(|state| Ok(profile::sources(on!(state, chip => &chip.images), &addresses)))
    }

    /// A hash of the chip's state.
    fn state_hash(&self) -> PyResult<u64> {
        self.0.with(|state| on!(state, chip => Ok(chip.session.chip.state_hash())))
    }

    /// The hash of all that has happened.
    fn trace_hash(&self) -> PyResult<u64> {
        self.0.with(|state| on!(state, chip => Ok(chip.session.trace_hash())))
    }

    /// The chip as it is.
    fn snapshot(&self) -> PyResult<Snapshot> {
        self.0.with(|state| Ok(Snapshot(Box::new(state.clone()))))
    }

    /// Makes the chip what it was.
    fn restore(&self, snapshot: &Snapshot) -> PyResult<()> {
        self.0.with(|state| {
            if std::mem::discriminant(state) != std::mem::discriminant(&*snapshot.0) {
                return Err(SimulatorError::new_err("the snapshot is of another kind of chip"));
            }
            state.clone_from(&snapshot.0);
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

impl ImageSource {
    fn parse(self, name: &str, base: Option<u32>, target: &Target) -> Result<Image, String> {
        let image = match self {
            Self::Contents(bytes) => Image::parse(&bytes, base, target),
            Self::Path(path) => Image::open(&path, base, target),
        };
        image.map_err(|why| format!("{name}: {why}"))
    }
}

fn ended<C: PythonChip>(chip: &Chip<C>, end: &End) -> Ended {
    let (kind, core, pc, status) = match *end {
        End::AtStopAddress { core, pc } => ("address", Some(core), Some(pc), None),
        End::TextSent { .. } => ("text", None, None, None),
        End::Stop(Stop::Limit) => ("limit", None, None, None),
        End::Stop(Stop::Exit { core, code }) => ("exit", Some(core), None, Some(i64::from(code))),
        End::Stop(Stop::BootLoader { core }) => ("boot loader", Some(core), None, None),
        End::Stop(Stop::DeadEnd) => ("dead end", None, None, None),
        End::Stop(Stop::Lockup { core, pc }) => ("lockup", Some(core), Some(pc), None),
        _ => ("unexpected", None, None, None),
    };
    (kind, core, pc, status, chip.session.chip.now(), chip.session.explain(end, &*chip.images))
}

/// The command `intercore-sim`: its arguments, the first one its name, to its exit code.
#[pyfunction]
fn command(py: Python, arguments: Vec<OsString>) -> u8 {
    py.detach(|| intercore_sim::cli::main(arguments))
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::distributions::{
        binomial_above, binomial_quantile, chi_square_above, f_above, normal_quantile, running_mean, student_above,
        student_quantile,
    };
    #[pymodule_export]
    use super::{Machine, Snapshot, command};
}
