//! What the command line needs of a chip beyond what everybody does, and which chips there are.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::arguments::{Arguments, InputPort};
use crate::cli::output;
use crate::core::chip::{CORES, Chip};
use crate::core::time::{Cycle, NEVER};
use crate::debug::DebugTarget;
use crate::engine::Engine;
use crate::fault::FaultTarget;
use crate::image::{Image, ImageError, Target};
use crate::rp2::serial_ports::SerialPorts;
use crate::rp2040::machine::polling::Polling;
use crate::rp2040::peripherals::pins::WIRES;
use crate::rp2040::{self, bootrom};
use crate::rp2350;
use crate::stm32h745;
use crate::stm32h745::peripherals::board::Supply;

/// The chips that images can be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ChipKind {
    /// Two Cortex-M0+; every cycle is counted
    Rp2040,
    /// A Cortex-M7 and a Cortex-M4, an image for each; FUNCTION ONLY, times mean nothing
    Stm32h745,
    /// Two Hazard3 (RISC-V); every cycle is counted
    Rp2350,
}

/// A chip that the command line can run.
pub trait Runnable: DebugTarget + FaultTarget {
    /// Switches a chip on with the images and settings that are asked for.
    fn switch_on(arguments: &Arguments) -> Result<(Self, Vec<Image>), String>;

    /// What its times are, for the statistics.
    const CLAIM: &'static str;

    /// Whether a core has crashed: nothing of its program goes on.
    fn has_crashed(&self, core: usize) -> bool;

    /// Whether a core has crashed and no core will ever do anything else.
    fn is_lost(&self) -> bool;

    /// Whether nothing is pending that could wake a core, on a chip whose runs go on nevertheless.
    fn is_at_dead_end(&self) -> bool {
        false
    }

    /// The loop in which a core waits, if nothing is pending that could end it.
    fn polling(&self) -> Option<Polling> {
        None
    }

    /// While a UART sends: a time at which it has got further.
    fn next_character(&self) -> Option<Cycle>;

    /// Characters that wait on the line to the console's UART.
    fn waiting_input(&mut self) -> usize;

    /// Whether input could wake the program: the console's UART raises an interrupt for what it receives.
    fn wakes_on_input(&self) -> bool;

    /// What the program wrote by semihosting since the last call.
    fn take_host_output(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// What its flash holds, if that can be kept.
    fn flash(&self) -> Vec<u8> {
        Vec::new()
    }

    /// By block, how often the program used what is not modelled of it.
    fn unmodelled_uses(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::new()
    }
}

fn opened(path: &Path, base: Option<u32>, target: &Target) -> Result<Image, String> {
    Image::open(path, base, target).map_err(|why| match why {
        ImageError::Unreadable { .. } => why.to_string(), // it has the path
        ImageError::OutOfRange { .. } => format!("{}: {why}{}", path.display(), hint(base, target)),
        _ => format!("{}: {why}", path.display()),
    })
}

/// What the user may have meant where an image is outside of all memories: 0x20000000 by --base 20000000, or another chip.
fn hint(base: Option<u32>, target: &Target) -> String {
    let Some(base) = base else { return ": was the image built for another chip?".to_owned() };
    match u32::from_str_radix(&base.to_string(), 16) {
        Ok(meant) if target.memories.iter().any(|memory| memory.contains(&meant)) => {
            format!(": for a hexadecimal address, write --base {meant:#x}")
        }
        _ => String::new(),
    }
}

impl Runnable for rp2040::machine::Machine {
    const CLAIM: &'static str = "simulated, not measured";

    fn switch_on(arguments: &Arguments) -> Result<(Self, Vec<Image>), String> {
        let [path] = arguments.images.as_slice() else {
            return Err("the RP2040 has one image for both cores: give one file".to_owned());
        };
        let image = opened(path, arguments.base, &rp2040::boot::IMAGES)?;
        let rom = arguments.bootrom.as_deref().map(bootrom::open).transpose().map_err(|why| why.to_string())?;
        let machine = Self::booted(&image, rom.as_ref(), arguments.clock);
        let mut machine = machine.map_err(|at| {
            format!("{}: the image has data for {at:#010x}, where this chip has no memory", path.display())
        })?;
        if let Some(path) = &arguments.flash
            && let Some(content) = output::flash(path)?
        {
            machine.load_flash(&content, &image);
        }
        if !arguments.wire.iter().all(|&wire| machine.add_wire(wire)) {
            return Err(format!("--wire is given too often: at most {WIRES} wires are possible"));
        }
        for &change in &arguments.gpio {
            machine.add_change(change);
        }
        for (input, signal) in &arguments.adc {
            machine.bus.peripherals.adc.connect(*input, signal.clone());
        }
        for (bus, device) in &arguments.i2c {
            if !machine.bus.peripherals.i2cs[*bus].attach(device.clone()) {
                return Err(format!("--i2c: two devices of I2C{bus} have the address {:#04x}", device.address()));
            }
        }
        for (bus, device) in &arguments.spi {
            if !machine.bus.peripherals.spis[*bus].attach(device.clone()) {
                return Err(format!("--spi: two devices of SPI{bus} have the chip select GPIO {}", device.select()));
            }
        }
        machine.bus.peripherals.usb.cable.takes_input = arguments.input_to.map(|port| port == InputPort::Usb);
        machine.engine = engine(arguments);
        Ok((machine, vec![image]))
    }

    fn has_crashed(&self, core: usize) -> bool {
        Self::has_crashed(self, core)
    }

    fn is_lost(&self) -> bool {
        Self::is_lost(self)
    }

    fn polling(&self) -> Option<Polling> {
        Self::polling(self)
    }

    fn next_character(&self) -> Option<Cycle> {
        Self::next_character(self)
    }

    fn waiting_input(&mut self) -> usize {
        self.bus.peripherals.waiting_input()
    }

    fn wakes_on_input(&self) -> bool {
        self.bus.peripherals.listens() && !self.bus.peripherals.stands_still()
    }

    fn take_host_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.host_output)
    }

    fn flash(&self) -> Vec<u8> {
        self.flash_content()
    }

    fn unmodelled_uses(&self) -> BTreeMap<&'static str, u64> {
        self.bus.fabric.diagnostics.unmodelled_uses()
    }
}

impl Runnable for rp2350::machine::Machine {
    const CLAIM: &'static str = "simulated, not measured";

    fn switch_on(arguments: &Arguments) -> Result<(Self, Vec<Image>), String> {
        refuse(
            "RP2040",
            &[
                (arguments.bootrom.is_some(), "--bootrom"),
                (arguments.flash.is_some(), "--flash"),
                (!arguments.wire.is_empty(), "--wire"),
                (!arguments.gpio.is_empty(), "--gpio"),
                (!arguments.adc.is_empty(), "--adc"),
                (!arguments.i2c.is_empty(), "--i2c"),
                (!arguments.spi.is_empty(), "--spi"),
            ],
        )?;
        let [path] = arguments.images.as_slice() else {
            return Err("the RP2350 has one image for both cores: give one file".to_owned());
        };
        let image = opened(path, arguments.base, &rp2350::boot::IMAGES)?;
        let mut machine = Self::booted(&image, arguments.clock).map_err(|at| {
            format!("{}: the image has data for {at:#010x}, where this chip has no memory", path.display())
        })?;
        machine.bus.peripherals.usb.cable.takes_input = arguments.input_to.map(|port| port == InputPort::Usb);
        machine.engine = engine(arguments);
        Ok((machine, vec![image]))
    }

    fn has_crashed(&self, core: usize) -> bool {
        Self::has_crashed(self, core)
    }

    fn is_lost(&self) -> bool {
        (0..CORES).any(|core| self.has_crashed(core))
            && (0..CORES).all(|core| self.has_crashed(core) || self.is_off(core) || self.is_asleep(core))
            && self.bus.peripherals.next_event() == NEVER
    }

    fn next_character(&self) -> Option<Cycle> {
        Self::next_character(self)
    }

    fn waiting_input(&mut self) -> usize {
        self.bus.peripherals.waiting_input()
    }

    fn wakes_on_input(&self) -> bool {
        self.bus.peripherals.listens()
    }

    fn take_host_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.host_output)
    }

    fn unmodelled_uses(&self) -> BTreeMap<&'static str, u64> {
        self.bus.diagnostics.unmodelled_uses()
    }
}

fn engine(arguments: &Arguments) -> Engine {
    if arguments.lock_step { Engine::LockStep } else { Engine::Decoupled }
}

/// Refuses options that only another chip has.
fn refuse(chip: &str, options: &[(bool, &str)]) -> Result<(), String> {
    match options.iter().find(|(given, _)| *given) {
        Some((_, option)) => Err(format!("{option} applies only to the {chip}: omit {option}")),
        None => Ok(()),
    }
}

impl Runnable for stm32h745::machine::Machine {
    const CLAIM: &'static str = "FUNCTION ONLY, times mean nothing";

    fn switch_on(arguments: &Arguments) -> Result<(Self, Vec<Image>), String> {
        refuse(
            "RP2040",
            &[
                (arguments.base.is_some(), "--base"),
                (arguments.bootrom.is_some(), "--bootrom"),
                (arguments.flash.is_some(), "--flash"),
                (arguments.clock.is_some(), "--clock"),
                (!arguments.wire.is_empty(), "--wire"),
                (!arguments.gpio.is_empty(), "--gpio"),
                (!arguments.adc.is_empty(), "--adc"),
                (!arguments.i2c.is_empty(), "--i2c"),
                (!arguments.spi.is_empty(), "--spi"),
                (arguments.lock_step, "--lock-step"),
                (arguments.strict, "--strict"),
                (arguments.input_to.is_some(), "--input-to"),
            ],
        )?;
        let target = &stm32h745::memory::IMAGES;
        let images = arguments.images.iter().map(|path| opened(path, None, target)).collect::<Result<Vec<_>, _>>()?;
        let machine = Self::booted(&images, Supply::Smps);
        let machine =
            machine.map_err(|at| format!("an image has data for {at:#010x}, where this chip has no memory"))?;
        Ok((machine, images))
    }

    fn has_crashed(&self, core: usize) -> bool {
        Self::has_crashed(self, core)
    }

    fn is_lost(&self) -> bool {
        let ended = |core| self.has_crashed(core) || matches!(self.core_state(core), "off" | "stuck");
        (0..CORES).any(|core| self.has_crashed(core))
            && (0..CORES).all(ended)
            && !self.shared.peripherals.is_watchdog_running()
    }

    fn is_at_dead_end(&self) -> bool {
        (0..CORES).all(|core| self.next_step(core) == NEVER) && self.shared.peripherals.next_event() == NEVER
    }

    fn next_character(&self) -> Option<Cycle> {
        self.shared.peripherals.usart3.sending_until().map(|end| end.max(self.now()) + 1)
    }

    fn waiting_input(&mut self) -> usize {
        self.shared.peripherals.usart3.line.waiting()
    }

    fn wakes_on_input(&self) -> bool {
        self.shared.peripherals.usart3.listens()
    }
}
