//! What the command line can say.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::cli::chip::ChipKind;
use crate::cli::console::OutputSink;
use crate::cli::without_codes;
use crate::core::time::cycles;
use crate::core::watch::Watch;
use crate::fault::Fault;
use crate::image::Image;
use crate::observe::timeline::Mark;
use crate::rp2040::peripherals::adc::INPUTS;
use crate::rp2040::peripherals::adc::signal::Signal;
use crate::rp2040::peripherals::board::Change;
use crate::rp2040::peripherals::pins::Wire;
use crate::rp2040::peripherals::{i2c, spi};

const EXAMPLES: &str = "\
Examples:
  intercore-sim firmware.elf
      runs the firmware until it exits via semihosting; UART0 is this terminal
  intercore-sim --max-cycles 125e6 --clock 125e6 --hash firmware.elf < input.txt
      runs one second of the firmware; every run is identical, cycle for cycle
  intercore-sim --trace run.pftrace --mark sent=message_send --mark depth=w:queue_depth firmware.elf
      writes a timeline of both cores, with each call of a function and each value of a variable
  intercore-sim --quiet --stats run.json firmware.elf
      writes the statistics to a file for a script
  intercore-sim --fault uart-in:flip=0.001,seed=7 --fault reset@2e6 firmware.elf
      runs the firmware with bit errors on the UART and with a reset
  intercore-sim --chip stm32h745 --max-cycles 1e12 m7.elf m4.elf
      runs one second of the two programs of an STM32H745

Exit codes:
  the firmware's, if the firmware exits via semihosting (SYS_EXIT, SYS_EXIT_EXTENDED) or calls _exit()
  0 if the firmware restarts the chip into its USB boot loader
  1 after a crash; if no core can run any more; if a core polls a value that nothing can change; at the cycle limit;
    or if output cannot be written
  2 for an invalid image or a wrong command line
  3 with --strict, if the results depend on anything that is not modelled
  130 after Ctrl-C";

/// Run firmware on an RP2040 that is simulated cycle by cycle, or on a simulated STM32H745, whose timing is not modelled. The
/// console's UART is connected to standard input and output.
#[derive(clap::Parser)]
#[command(name = "intercore-sim", version, max_term_width = 100, after_help = EXAMPLES)]
#[allow(clippy::doc_markdown)] // the comments are what --help prints
#[allow(clippy::struct_excessive_bools)] // a flag is one
pub struct Arguments {
    /// ELF or UF2 file, or with --base a raw binary. For the STM32H745: one ELF file for each core, the Cortex-M7's first
    #[arg(required_unless_present = "list", num_args = 1..=2, value_name = "IMAGE")]
    pub images: Vec<PathBuf>,
    /// Chip to simulate
    #[arg(long, value_enum, default_value = "rp2040")]
    pub chip: ChipKind,
    /// Load the image as a raw binary at this address, such as 0x20000000
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub base: Option<u32>,
    /// Where to connect the console's UART (UART0; on the STM32H745, USART3): stdio, pty, or tcp:ADDRESS:PORT to listen
    /// on (the simulation starts when a client connects)
    #[arg(long, value_name = "CONNECTION", default_value = "stdio")]
    pub uart: OutputSink,
    /// Send no input to the firmware until the firmware has printed this text
    #[arg(long, value_name = "TEXT")]
    pub input_after: Option<String>,
    /// Send all input to one serial port [default: UART0, until the firmware has a serial port over USB; then that port]
    #[arg(long, value_enum, value_name = "PORT")]
    pub input_to: Option<InputPort>,
    /// Stop after this number of cycles of clk_sys, such as 1e9 (for the STM32H745: picoseconds)
    #[arg(long, value_name = "CYCLES|PS", value_parser = cycles)]
    pub max_cycles: Option<u64>,
    /// Frequency in Hz of clk_sys and clk_peri until the firmware sets its clocks, such as 125e6 [default: 6.5e6, the
    /// ring oscillator's frequency, with clk_peri off]
    #[arg(long, value_name = "HERTZ", value_parser = cycles)]
    pub clock: Option<u64>,
    /// Boot ROM to use instead of the simulator's: a file of 16 KiB, such as one read from a chip
    #[arg(long, value_name = "FILE")]
    pub bootrom: Option<PathBuf>,
    /// Keep the contents of the flash in this file. At the start, the simulator reads the file, if it exists, and then loads
    /// the image over its contents. At the end, the simulator writes the file
    #[arg(long, value_name = "FILE")]
    pub flash: Option<PathBuf>,
    /// Connect two pins with a wire, such as 2:3 for GPIO 2 and GPIO 3. Repeat the option for each wire
    #[arg(long, value_name = "PIN:PIN")]
    pub wire: Vec<Wire>,
    /// Drive a pin from outside: to 0 or 1, from the start or from a given time (5=1, 5=0@10ms), or release it (5=z@2e6). Repeat
    /// the option for each change
    ///
    /// A time is a number of cycles of clk_sys, or a time since power-on with the unit s, ms, us or ns.
    #[arg(long, value_name = "PIN=LEVEL[@TIME]")]
    pub gpio: Vec<Change>,
    /// Put a device on the bus of I2C0 or I2C1. Repeat the option for each device
    ///
    /// FILE is TOML: `address = 0x68`, and `[registers]` with lines such as `0x75 = 0x68` or `0x3b = [1, 2]` for two registers.
    /// The firmware writes a register's number, then reads or writes from there on. `pointer_bytes`, the length of a register's
    /// number, is 0, 1 (default) or 2, `auto_increment = false` stays at one register, `read_only = ["0x75"]` ignores writes.
    #[arg(long, value_name = "BUS=FILE", value_parser = i2c_device)]
    pub i2c: Vec<(usize, i2c::device::Device)>,
    /// Put a device on the bus of SPI0 or SPI1. Repeat the option for each device
    ///
    /// FILE is TOML: `select = 17` is the GPIO of the device's chip select (active low), and `[registers]` is as for `--i2c`. The
    /// first byte after the chip select has gone low is a register's number. If its bit `read_bit` is set (default 0x80; 0
    /// for a device without reads), the device sends the contents from this register on, otherwise it stores what follows.
    /// `auto_increment` and `read_only` are as for `--i2c`. `flash = "W25Q16JV"` instead of the registers is for a flash chip.
    #[arg(long, value_name = "BUS=FILE", value_parser = spi_device)]
    pub spi: Vec<(usize, spi::device::Device)>,
    /// Connect an input of the ADC (0 to 3 are GPIO 26 to 29, 4 is the temperature sensor) to a voltage. Repeat the option
    /// for each input
    ///
    /// SIGNAL is a number of volts (0=1.65), a wave with its frequency in Hz and its lowest and highest voltage
    /// (1=sine:1000:0:3.3, also triangle and square), or a file (2=recorded.csv) with lines of seconds,volts.
    #[arg(long, value_name = "INPUT=SIGNAL", value_parser = adc_input)]
    pub adc: Vec<(usize, Signal)>,
    /// Write a timeline for ui.perfetto.dev, with the activity of the cores, stalls, exceptions and marks
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Show in the timeline each execution of a symbol or address. Prefix w: shows each write there with its value, prefix
    /// r: each read. Needs --trace
    #[arg(long, value_name = "NAME=[w:|r:]WHERE", requires = "trace")]
    pub mark: Vec<MarkArgument>,
    /// Print a hash of the run at the end. Two runs have the same hash if they did the same things in the same cycles
    #[arg(long)]
    pub hash: bool,
    /// Advance both cores one cycle at a time, never one ahead of the other. Slower, with the same result. For tests of the
    /// simulator itself
    #[arg(long)]
    pub lock_step: bool,
    /// Wait for GDB at this address, and let GDB debug both cores, as threads 1 and 2
    ///
    /// For example, run `intercore-sim --gdb 127.0.0.1:3333 firmware.elf` in one terminal, and `gdb-multiarch firmware.elf
    /// -ex 'target remote :3333'` in another. With port 0, the simulator chooses a free port and prints its number. The
    /// chip's time stands still while GDB has stopped it. If GDB detaches, the chip continues to run. If GDB kills the run
    /// or its connection is lost, the run ends with exit code 1. `monitor help` in GDB lists further commands.
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with_all = ["trace", "hash", "fault"])]
    pub gdb: Option<String>,
    /// Inject a fault, such as reset@1e6. May be repeated
    ///
    /// UART errors: uart-in:flip=0.01,lose=0.001,double=0.001,seed=7 or the same with uart-out: (flip is the probability per
    /// bit, lose and double per byte). Reset: reset@1e6 of the chip, or reset:core=1@2e6 of one core. A core held in reset:
    /// off:core=1@0..2e6. A core that executes nothing: stuck:core=1@2e6 or stuck:core=1@2e6..3e6. A core that
    /// is held before an instruction: hold:core=1,pc=0x20000304,cycles=5000@2e6. An empty flash cache: flash-cache@2e6. Random
    /// contents of SRAM and bits of the ring oscillator: power-on:seed=7. Lost words of the FIFO to core 1: fifo:to=1,lose=0.01,seed=7 or fifo:to=1,word=3. Lost interrupts of semaphores on the STM32H745:
    /// hsem:to=1,lose=0.01,seed=7 or hsem:to=1,interrupt=3. A cycle or a range of cycles follows the @, which is optional
    /// for fifo and hsem. For the STM32H745, picoseconds follow the @.
    #[arg(long, value_name = "FAULT")]
    pub fault: Vec<Fault>,
    /// List the blocks of the RP2040, what is modelled of each, and what is not
    #[arg(long, exclusive = true)]
    pub list: bool,
    /// Exit with status 3 if the results depend on anything that is not modelled
    #[arg(long)]
    pub strict: bool,
    /// Write the statistics to this file as JSON
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
    /// Overwrite the files of --trace and --stats, even if they were not written by an earlier run with the same option
    #[arg(long)]
    pub force: bool,
    /// Do not print statistics, or notes about accesses to peripherals that are not modelled
    #[arg(long)]
    pub quiet: bool,
}

/// A serial port that takes input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum InputPort {
    /// UART0
    Uart0,
    /// The first serial port of the USB device that the firmware implements
    Usb,
}

/// An input of the ADC and what is connected to it; reads the file of a recording.
fn adc_input(text: &str) -> Result<(usize, Signal), String> {
    let (input, signal) = text.split_once('=').ok_or("expected an input and a signal, such as 0=1.65")?;
    let number = input.parse().ok().filter(|&number| number < INPUTS);
    let number = number.ok_or_else(|| format!("the ADC has inputs 0 to {}, not {input:?}", INPUTS - 1))?;
    if Path::new(signal).extension().is_none_or(|extension| extension != "csv") {
        return Ok((number, signal.parse()?));
    }
    let content =
        std::fs::read_to_string(signal).map_err(|why| without_codes(&format!("cannot read {signal}: {why}")))?;
    Ok((number, Signal::from_csv(&content).map_err(|why| format!("{signal}: {why}"))?))
}

fn i2c_device(text: &str) -> Result<(usize, i2c::device::Device), String> {
    device(text, "I2C", i2c::device::Device::from_toml)
}

fn spi_device(text: &str) -> Result<(usize, spi::device::Device), String> {
    device(text, "SPI", spi::device::Device::from_toml)
}

/// The number of a bus of a kind, and the device that a file describes.
fn device<D>(text: &str, kind: &str, from_toml: impl Fn(&str) -> Result<D, String>) -> Result<(usize, D), String> {
    let (bus, path) = text.split_once('=').ok_or("expected a bus and a file, such as 0=sensor.toml")?;
    let number = bus.parse().ok().filter(|&number| number < 2);
    let number = number.ok_or_else(|| format!("there are {kind}0 and {kind}1: expected 0 or 1, not {bus:?}"))?;
    let content = std::fs::read_to_string(path).map_err(|why| without_codes(&format!("cannot read {path}: {why}")))?;
    Ok((number, from_toml(&content).map_err(|why| format!("{path}: {why}"))?))
}

fn address(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "expected an address such as 0x20000000".to_owned())
}

/// A mark as it is asked for, before it is known where the symbol is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkArgument {
    /// What the timeline calls it.
    pub name: String,
    /// What it is of.
    pub watch: Watch,
    /// A symbol, or an address.
    pub place: String,
}

/// Bytes that are watched from an address of data on, or at a symbol of unknown size: a word.
const WORD: u32 = 4;

impl FromStr for MarkArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, place) = match text.split_once('=') {
            Some((name, place)) if !name.is_empty() => (name, place),
            _ => return Err("expected NAME=SYMBOL, NAME=0x10000200, or NAME=w:SYMBOL for writes".to_owned()),
        };
        let (watch, place) = match (place.strip_prefix("w:"), place.strip_prefix("r:")) {
            (Some(place), _) => (Watch::Write, place),
            (_, Some(place)) => (Watch::Read, place),
            _ => (Watch::Execute, place),
        };
        Ok(Self { name: name.to_owned(), watch, place: place.to_owned() })
    }
}

impl MarkArgument {
    /// Finds the place in an image.
    ///
    /// # Errors
    ///
    /// If none has the symbol.
    pub fn find(&self, images: &[Image]) -> Result<Mark, String> {
        let Self { name, watch, place } = self;
        let symbol = images.iter().flat_map(|image| &image.symbols).find(|symbol| symbol.name == *place);
        let (at, bytes) = match symbol {
            Some(symbol) => (symbol.address, if symbol.size == 0 { WORD } else { symbol.size }),
            None => (address(place).map_err(|_| format!("--mark {name}: the image has no symbol {place}"))?, WORD),
        };
        Ok(match watch {
            Watch::Execute => Mark { name: name.clone(), watch: *watch, address: at & !1, bytes: 1 },
            Watch::Read | Watch::Write => Mark { name: name.clone(), watch: *watch, address: at, bytes },
        })
    }
}
