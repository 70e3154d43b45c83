//! `intercore-sim firmware.elf`: runs an image on the simulated RP2040.

mod cli;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use cli::console::{Console, Place};
use cli::{debugger, report};
use intercore_sim::bootrom;
use intercore_sim::image::Image;
use intercore_sim::machine::{Machine, Stop};

/// Runs firmware on a simulated RP2040 that is exact in time. UART0 is standard input and output.
///
/// The exit code is the firmware's, if it ends by semihosting (SYS_EXIT, SYS_EXIT_EXTENDED); 1 for a lockup, a dead end,
/// or the cycle limit; 2 for a bad image or a wrong command line.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
#[allow(clippy::doc_markdown)] // the comments are what --help prints
struct Arguments {
    /// ELF or UF2 file; with --base a raw image
    image: PathBuf,
    /// Address of a raw image, such as 0x20000000
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    base: Option<u32>,
    /// Where UART0 goes: stdio, pty, or tcp:ADDRESS:PORT to listen at
    #[arg(long, value_name = "PLACE", default_value = "stdio")]
    uart: Place,
    /// Hold input back until the firmware has sent this text
    #[arg(long, value_name = "TEXT")]
    input_after: Option<String>,
    /// Stop after so many cycles of clk_sys, such as 1e9
    #[arg(long, value_name = "CYCLES", value_parser = number)]
    max_cycles: Option<u64>,
    /// Rate of clk_sys and clk_peri in Hz until the firmware sets its clocks, such as 125e6 [default: the ring
    /// oscillator's 6.5e6, and no clk_peri]
    #[arg(long, value_name = "HERTZ", value_parser = number)]
    clock: Option<u64>,
    /// Boot ROM to use instead of our own: 16 KiB, for instance saved from a chip
    #[arg(long, value_name = "FILE")]
    bootrom: Option<PathBuf>,
    /// Let GDB debug both cores, as threads 1 and 2: the chip stands still until it connects
    ///
    /// For example, `--gdb 127.0.0.1:3333` here and `gdb-multiarch firmware.elf -ex 'target remote :3333'` elsewhere; port 0
    /// is any free one, which is printed. Debugging takes no time of the chip's. If GDB detaches, the chip runs on; if it
    /// kills the run or is gone without a word, the run ends with exit code 1. `monitor help` in GDB lists what else there is.
    #[arg(long, value_name = "ADDRESS:PORT")]
    gdb: Option<String>,
    /// Write a timeline for Perfetto
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Print cycles, instructions and stalls at the end, on standard error
    #[arg(long)]
    stats: bool,
}

/// A whole number, as people write large ones: 1000000, 1_000_000, 1e6, 1.5e6.
fn number(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    if let Ok(number) = plain.parse() {
        return Ok(number);
    }
    match plain.parse::<f64>() {
        #[allow(clippy::cast_sign_loss)] // checked
        Ok(number) if (1.0..1e18).contains(&number) && number.fract() == 0.0 => Ok(number as u64),
        _ => Err("expected a whole number such as 125e6".to_owned()),
    }
}

fn address(text: &str) -> Result<u32, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "expected an address such as 0x20000000".to_owned())
}

/// Exit codes of our own.
const STOPPED: u8 = 1;
const REFUSED: u8 = 2;

/// Cycles between two looks at the input: often enough for a person, and for 115200 baud at 125 MHz.
const SLICE: u64 = 100_000;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match Run::new(&arguments) {
        Ok(run) => ExitCode::from(run.finish(&arguments)),
        Err(why) => {
            eprintln!("intercore-sim: {why}");
            ExitCode::from(REFUSED)
        }
    }
}

struct Run {
    machine: Machine,
    image: Image,
    own_rom: bool,
    console: Console,
    /// Input held back, and the text that lets it go.
    held: Option<(Vec<u8>, String)>,
    /// The end of what the firmware has sent, while input is held back.
    said: Vec<u8>,
    /// Something was put on the line since the machine last ran.
    input_is_new: bool,
    max_cycles: u64,
}

impl Run {
    fn new(arguments: &Arguments) -> Result<Self, String> {
        let file = arguments.image.display();
        let image = Image::open(&arguments.image, arguments.base).map_err(|why| format!("{file}: {why}"))?;
        let rom = match &arguments.bootrom {
            Some(path) => bootrom::open(path).map_err(|why| why.to_string())?,
            None => bootrom::ours(),
        };
        let mut machine = Machine::new();
        machine.boot(&image, &rom).map_err(|at| format!("{file}: there is no memory in this chip at {at:#010x}"))?;
        if let Some(rate) = arguments.clock {
            machine.set_clock(rate);
        }
        if let Some(path) = &arguments.trace {
            return Err(format!("cannot write {}: timelines are not built in yet", path.display()));
        }
        let console = Console::open(&arguments.uart).map_err(|why| format!("UART0: {why}"))?;
        let held = arguments.input_after.clone().map(|text| (Vec::new(), text));
        Ok(Self {
            machine,
            image,
            own_rom: arguments.bootrom.is_none(),
            console,
            held,
            said: Vec::new(),
            input_is_new: false,
            max_cycles: arguments.max_cycles.unwrap_or(u64::MAX),
        })
    }

    /// Runs, reports, and gives the exit code.
    fn finish(mut self, arguments: &Arguments) -> u8 {
        let began = Instant::now();
        let stop = match &arguments.gdb {
            None => self.run(),
            Some(address) => match debugger::run(&mut self, address) {
                Ok(stop) => stop,
                Err((code, why)) => {
                    eprintln!("intercore-sim: {why}");
                    return code;
                }
            },
        };
        let code = match stop {
            Stop::Exit { code, .. } => code.to_le_bytes()[0],
            other => {
                eprintln!("intercore-sim: {}", self.explain(&other));
                eprint!("{}", report::registers(&self.machine, &self.image));
                STOPPED
            }
        };
        if arguments.stats {
            eprint!("{}", report::statistics(&self.machine, began.elapsed()));
        }
        code
    }

    fn run(&mut self) -> Stop {
        loop {
            let input = self.console.read();
            self.send(input);
            self.input_is_new = false;
            let limit = (self.machine.now() / SLICE + 1).saturating_mul(SLICE).min(self.max_cycles);
            let stop = self.machine.run_until(limit);
            let heard = self.forward();
            match stop {
                Stop::Limit if limit < self.max_cycles && heard => {}
                Stop::DeadEnd if self.input_is_new => {}
                Stop::DeadEnd if self.listens() => match self.console.wait() {
                    Some(input) => self.send(input),
                    None => return stop,
                },
                _ => return stop,
            }
        }
    }

    /// Puts bytes on the line to UART0, which carries them at its rate.
    fn send(&mut self, bytes: Vec<u8>) {
        if let Some((held, _)) = &mut self.held {
            held.extend(bytes);
            return;
        }
        let now = self.machine.now();
        self.input_is_new |= !bytes.is_empty();
        for byte in bytes {
            self.machine.send_uart(0, byte, now);
        }
    }

    /// Passes on what the firmware has said. False if nobody is there to hear it.
    fn forward(&mut self) -> bool {
        for sentence in self.machine.bus.diagnostics.pending.drain(..) {
            eprintln!("intercore-sim: {sentence}");
        }
        let mut bytes = std::mem::take(&mut self.machine.host_output);
        bytes.extend(self.machine.take_uart(0));
        if bytes.is_empty() {
            return true;
        }
        self.release_input(&bytes);
        self.console.write(&bytes).is_ok()
    }

    fn release_input(&mut self, bytes: &[u8]) {
        let Some((held, text)) = &mut self.held else { return };
        self.said.extend(bytes);
        if text.is_empty() || self.said.windows(text.len()).any(|window| window == text.as_bytes()) {
            let held = std::mem::take(held);
            self.held = None;
            self.said = Vec::new();
            self.send(held);
        } else {
            let rest = self.said.len().saturating_sub(text.len());
            self.said.drain(..rest);
        }
    }

    /// Whether input could wake the firmware: UART0 raises an interrupt for what it receives.
    fn listens(&self) -> bool {
        const UARTIMSC: u32 = 0x4003_4038;
        const RECEIVE: u32 = 1 << 4 | 1 << 6;
        self.machine.peek_register(UARTIMSC) & RECEIVE != 0
    }

    fn explain(&self, stop: &Stop) -> String {
        let cycle = self.machine.now();
        let in_rom = |core: usize| {
            let pc = self.machine.core(core).register(15);
            bootrom::why_stopped(pc).filter(|_| self.own_rom)
        };
        match stop {
            Stop::Limit if cycle < self.max_cycles => format!("cycle {cycle}: nobody listens to UART0 any more"),
            Stop::Limit => format!("cycle {cycle}: the limit of --max-cycles is reached"),
            Stop::DeadEnd => {
                let why = in_rom(0).or_else(|| in_rom(1)).unwrap_or("nothing is pending that could wake one");
                format!("cycle {cycle}: dead end: both cores sleep for good: {why}")
            }
            Stop::Lockup { core, pc } => {
                let why = in_rom(usize::from(*core)).unwrap_or("a fault where faults cannot be handled");
                format!("cycle {cycle}: core {core} locked up at {pc:#010x}: {why}")
            }
            Stop::Reset => format!("cycle {cycle}: the chip was reset"),
            other => format!("cycle {cycle}: stopped unexpectedly: {other:?}"),
        }
    }
}
