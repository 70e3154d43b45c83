//! What a simulated chip is in Python, whichever it is, and what each kind says for itself.

use crate::SimulatorError;
use intercore_sim::core::chip::by_slave;
use intercore_sim::core::register::Register;
use intercore_sim::core::statistics::Statistics;
use intercore_sim::core::time::Cycle;
use intercore_sim::core::uart_frame::Format;
use intercore_sim::debug::DebugTarget;
use intercore_sim::fault::FaultTarget;
use intercore_sim::image::Image;
use intercore_sim::observe::tally::{KEPT_COUNTS, Tally};
use intercore_sim::rp2::serial_ports::SerialPorts;
use intercore_sim::rp2::uart::line::LineRate;
use intercore_sim::session::Session;
use intercore_sim::stm32h745::peripherals::Peripherals;
use intercore_sim::stm32h745::peripherals::board::Supply;
use intercore_sim::{rp2040, rp2350, stm32h745};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;

/// Instructions, exceptions, time asleep; time lost to other masters and to wait states, by slave; words or
/// interrupts for it that were lost on purpose.
pub type Counted = (u64, u64, u64, Vec<(&'static str, u64)>, Vec<(&'static str, u64)>, u64);
/// Time, core, r0 to r3, what core 0 and core 1 did.
pub type Tallied = (Cycle, u8, [u32; 4], Counted, Counted);

/// What each kind of chip says for itself.
pub trait PythonChip: FaultTarget + DebugTarget {
    /// Where it has memory, for an error: the end of its sentence.
    const MEMORY: &'static str;

    /// Rates of its clocks in Hz.
    fn rates(&self) -> Vec<u64>;

    /// Puts bytes into memory, all or none. False if there is no memory for all of them.
    fn put(&mut self, core: usize, address: u32, bytes: &[u8]) -> bool;

    /// A register of a peripheral, without side effects; none where there is none.
    fn peripheral(&self, core: usize, address: u32) -> Option<u32>;

    /// Puts a byte on the line to a UART; the bits set in `flipped` arrive inverted.
    fn inject(&mut self, _uart: usize, byte: u8, flipped: u16, not_before: Cycle) {
        self.send_console(byte, flipped, not_before);
    }

    /// Has that line carry so many bits per second; `None`: as many as the UART is set to, where it can.
    fn set_line_rate(&mut self, uart: usize, rate: Option<u32>);
}

impl PythonChip for rp2040::machine::Machine {
    const MEMORY: &'static str =
        ": ROM (0 to 0x4000), flash (0x10000000 to 0x11000000, and its aliases), SRAM (0x20000000 to 0x20042000)";

    fn rates(&self) -> Vec<u64> {
        let clocks = &self.bus.clocks;
        vec![clocks.sys(), clocks.reference(), clocks.peri()]
    }

    fn put(&mut self, _: usize, address: u32, bytes: &[u8]) -> bool {
        self.write(address, bytes)
    }

    fn peripheral(&self, core: usize, address: u32) -> Option<u32> {
        self.peripheral_register(core, address)
    }

    fn inject(&mut self, uart: usize, byte: u8, flipped: u16, not_before: Cycle) {
        let now = self.now();
        self.bus.peripherals.inject(uart, byte, flipped, not_before, now);
    }

    fn set_line_rate(&mut self, uart: usize, rate: Option<u32>) {
        // USB has no rate.
        let Some(uart) = self.bus.peripherals.uarts.get_mut(uart) else { return };
        uart.line.rate = line_rate(rate);
    }
}

impl PythonChip for rp2350::machine::Machine {
    const MEMORY: &'static str =
        ": ROM (0 to 0x8000), flash (0x10000000 to 0x11000000), SRAM (0x20000000 to 0x20082000)";

    fn rates(&self) -> Vec<u64> {
        let clocks = &self.bus.clocks;
        vec![clocks.sys(), clocks.reference(), clocks.peri()]
    }

    fn put(&mut self, _: usize, address: u32, bytes: &[u8]) -> bool {
        self.peek_bytes(address, bytes.len()).len() == bytes.len() && self.load(address, bytes)
    }

    fn peripheral(&self, core: usize, address: u32) -> Option<u32> {
        let is_register = matches!(address >> 28, 4 | 5 | 0xd);
        is_register.then(|| self.peek_word(core, address)).flatten()
    }

    fn inject(&mut self, uart: usize, byte: u8, flipped: u16, not_before: Cycle) {
        let now = self.now();
        self.bus.peripherals.inject(uart, byte, flipped, not_before, now);
    }

    fn set_line_rate(&mut self, uart: usize, rate: Option<u32>) {
        let Some(uart) = self.bus.peripherals.uarts.get_mut(uart) else { return };
        uart.line.rate = line_rate(rate);
    }
}

fn line_rate(rate: Option<u32>) -> LineRate {
    match rate {
        None => LineRate::Follow,
        Some(rate) => LineRate::Baud { rate, format: Format::EIGHT_N_ONE },
    }
}

impl PythonChip for stm32h745::machine::Machine {
    const MEMORY: &'static str = " of this core";

    fn rates(&self) -> Vec<u64> {
        self.shared.peripherals.conditions.clocks.cpu.to_vec()
    }

    fn put(&mut self, core: usize, address: u32, bytes: &[u8]) -> bool {
        self.load(core, address, bytes)
    }

    fn peripheral(&self, core: usize, address: u32) -> Option<u32> {
        Peripherals::covers(address).then(|| self.peek_word(core, address)).flatten()
    }

    fn set_line_rate(&mut self, _: usize, rate: Option<u32>) {
        if let Some(rate) = rate {
            self.shared.peripherals.usart3.line.set_rate(rate);
        }
    }
}

/// How the core of an STM32H745 is supplied, by its name.
pub fn supply(name: &str) -> PyResult<Supply> {
    match name {
        "smps" => Ok(Supply::Smps),
        "ldo" => Ok(Supply::Ldo),
        other => Err(PyValueError::new_err(format!("there is no supply {other}, but smps and ldo"))),
    }
}

/// A chip with its images, and what Python has placed on it.
#[derive(Clone)]
pub struct Chip<C: PythonChip> {
    pub session: Session<C>,
    /// By core, or one for both.
    pub images: Arc<Vec<Image>>,
    /// Number of each probe, in the order of the chip's own.
    pub probes: Vec<u64>,
    /// The same of its tallies.
    pub tallies: Vec<u64>,
}

impl<C: PythonChip> Chip<C> {
    pub fn new(chip: C, images: Vec<Image>) -> Self {
        Self { session: Session::new(chip), images: Arc::new(images), probes: Vec::new(), tallies: Vec::new() }
    }

    /// Bytes of memory as a core sees them.
    pub fn read(&self, core: usize, address: u32, count: usize) -> PyResult<Vec<u8>> {
        let bytes = self.session.chip.peek_bytes(core, address, count);
        if bytes.len() < count { Err(no_memory::<C>(address, count)) } else { Ok(bytes) }
    }

    /// Puts bytes into memory.
    pub fn write(&mut self, core: usize, address: u32, bytes: &[u8]) -> PyResult<()> {
        let put = self.session.chip.put(core, address, bytes);
        if put { Ok(()) } else { Err(no_memory::<C>(address, bytes.len())) }
    }

    /// What a core did so far.
    pub fn counted(&self, core: usize) -> Counted {
        let chip = &self.session.chip;
        counted::<C>(&chip.statistics(core), chip.lost_between_cores(core))
    }

    /// A tally by its number.
    pub fn tally(&mut self, number: u64) -> Option<&mut Tally> {
        let at = self.tallies.iter().position(|&tally| tally == number)?;
        self.session.tallies.get_mut(at)
    }

    /// What a tally has counted.
    pub fn take_tally(&mut self, number: u64) -> PyResult<Vec<Tallied>> {
        let Some(tally) = self.tally(number) else {
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
        let tallied = counts.into_iter().map(|one| {
            let [first, second] = one.statistics.map(|core| counted::<C>(&core, 0));
            (one.at, one.core, one.arguments, first, second)
        });
        Ok(tallied.collect())
    }
}

pub fn counted<C: PythonChip>(core: &Statistics, lost: u64) -> Counted {
    let [conflicts, waits] = [&core.conflicts, &core.waits].map(|cycles| by_slave::<C>(cycles).collect());
    (core.instructions, core.exceptions, core.asleep, conflicts, waits, lost)
}

/// All registers of a core of a chip.
pub fn all_registers<C: PythonChip>(_: &C) -> impl Iterator<Item = Register> {
    C::REGISTERS.common().chain(C::OTHER_REGISTERS.iter().copied())
}

/// The number of a UART of a chip.
pub fn uart_number<C: PythonChip>(_: &Chip<C>, number: u8) -> PyResult<usize> {
    let none = || PyValueError::new_err(format!("UART {number}: there are {} from 0 on", C::UARTS.len()));
    Some(usize::from(number)).filter(|&uart| uart < C::UARTS.len()).ok_or_else(none)
}

pub fn no_memory<C: PythonChip>(address: u32, count: usize) -> PyErr {
    PyValueError::new_err(format!("{count} bytes at {address:#010x} are not within memory{}", C::MEMORY))
}
