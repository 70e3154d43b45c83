//! The simulator's process, GDB's, and what GDB says.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

use crate::compiler::build_example;
use intercore_sim::core::stop::Stop;
use intercore_sim::image::Image;
use intercore_sim::rp2040::bootrom;
use intercore_sim::rp2040::machine::Machine;

/// Builds an example. Tests run at once, and each builds what it needs. None where there is no compiler.
pub fn build(name: &str, memory: &str) -> Option<PathBuf> {
    let test = std::thread::current();
    let test = test.name().and_then(|path| path.rsplit("::").next()).unwrap_or("test");
    build_example(name, memory, &format!("gdb-{test}"))
}

/// Writes a raw image for SRAM: a vector table, and the code behind it.
pub fn image(name: &str, code: &[u16]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gdb-{name}.bin"));
    let mut bytes: Vec<u8> = [0x2004_0000_u32, 0x2000_0009].iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(crate::machine_code::bytes(code));
    std::fs::write(&path, bytes).expect("written");
    path
}

pub struct Simulator {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// Where it waits for GDB.
    pub address: String,
}

impl Simulator {
    pub fn start(image: &Path, options: &[&str], input: Stdio) -> Self {
        let mut command = simulator();
        command.args(options).args(["--gdb", "127.0.0.1:0"]).arg(image).stdin(input);
        let mut child = command.spawn().expect("it runs");
        let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("it speaks");
        let address = line.trim().rsplit(' ').next().expect("an address").to_owned();
        assert!(line.contains("waiting for GDB: target remote 127.0.0.1:"), "{line}");
        Self { child, stderr, address }
    }

    /// Of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end: exit code, standard output, standard error after the first line.
    pub fn end(mut self) -> (Option<i32>, String, String) {
        let (mut out, mut err) = (String::new(), String::new());
        self.stderr.read_to_string(&mut err).expect("text");
        self.child.stdout.take().expect("piped").read_to_string(&mut out).expect("text");
        (self.child.wait().expect("it ends").code(), out, err)
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // It has ended, unless the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn simulator() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_intercore-sim-tested"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// GDB, about to execute commands.
pub fn gdb(file: Option<&Path>, address: &str, commands: &[&str]) -> Command {
    const MISSING: &str = "there is no gdb-multiarch here: apt-get install gdb-multiarch";
    assert!(Command::new("gdb-multiarch").arg("--version").output().is_ok(), "{MISSING}");
    let mut command = Command::new("timeout");
    // In the foreground it passes a signal on once, not to the whole group as well.
    command.args(["--foreground", "600", "gdb-multiarch", "--batch", "-nx", "-iex", "set debuginfod enabled off"]);
    command.args(["-iex", "set remotetimeout 100"]).args(file).args(["-ex", &format!("target remote {address}")]);
    command.args(commands.iter().flat_map(|command| ["-ex", command]));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Waits until the chip runs, and GDB has nothing to do but wait for it: before, an interrupt would end a command of GDB's.
pub fn wait_until_gdb_waits(timeout: u32, simulator: u32) {
    const BUSY: u64 = 30;
    // Sent to `timeout`, the signal goes to its child.
    let children = format!("/proc/{timeout}/task/{timeout}/children");
    loop {
        std::thread::sleep(Duration::from_millis(20));
        let child = std::fs::read_to_string(&children).expect("it lives");
        let Ok(gdb) = child.trim().parse() else { continue };
        // The simulator is hardly at work until the chip runs. What made it run was GDB's last message.
        if work(simulator).1 > BUSY && work(gdb).0 == 'S' {
            return;
        }
    }
}

/// What a process does (R: it runs or wants to, S: it waits), and the CPU time that it has had, in hundredths of a second: see
/// proc(5).
fn work(id: u32) -> (char, u64) {
    let said = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("it lives");
    let (_, rest) = said.rsplit_once(") ").expect("a name in brackets");
    let words: Vec<&str> = rest.split(' ').collect();
    let ticks = |word: &str| word.parse::<u64>().expect("a number");
    (words[0].chars().next().expect("a letter"), ticks(words[11]) + ticks(words[12]))
}

pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// What GDB says to commands on a file, and how the simulator ends.
pub fn debug(file: &Path, options: &[&str], commands: &[&str]) -> (String, (Option<i32>, String, String)) {
    let simulator = Simulator::start(file, options, Stdio::null());
    let symbols = (!options.contains(&"--base")).then_some(file);
    let said = text(&gdb(symbols, &simulator.address, commands).output().expect("GDB runs"));
    (said, simulator.end())
}

pub fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

/// The numbers that `print/x` has printed.
pub fn printed(said: &str) -> Vec<u32> {
    said.lines()
        .filter(|line| line.starts_with('$'))
        .filter_map(|line| u32::from_str_radix(line.split("= 0x").nth(1)?, 16).ok())
        .collect()
}

/// The registers that `info registers` has listed, one list for each time.
pub fn registers(said: &str) -> Vec<Vec<(String, u32)>> {
    let mut lists: Vec<Vec<_>> = Vec::new();
    for line in said.lines() {
        let mut words = line.split_whitespace();
        let (Some(name), Some(value)) = (words.next(), words.next()) else { continue };
        let Some(Ok(value)) = value.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16)) else { continue };
        match (name, lists.last_mut()) {
            (name, _) if name.starts_with('#') => {}
            ("r0", _) => lists.push(vec![(name.to_owned(), value)]),
            (_, Some(list)) => list.push((name.to_owned(), value)),
            (_, None) => {}
        }
    }
    lists
}

/// What they should be.
pub fn registers_of(machine: &Machine, number: usize) -> Vec<(String, u32)> {
    let core = machine.core(number);
    let names = (0..13).map(|i| format!("r{i}")).chain(["sp", "lr", "pc"].map(str::to_owned));
    let others = [
        ("xpsr", core.xpsr()),
        ("msp", core.msp()),
        ("psp", core.psp()),
        ("primask", u32::from(core.primask())),
        ("control", core.control()),
    ];
    names
        .enumerate()
        .map(|(i, name)| (name, core.register(i)))
        .chain(others.map(|(name, value)| (name.to_owned(), value)))
        .collect()
}

/// An example in the library, and the address of one of its functions.
pub fn in_library(elf: &Path, function: &str) -> (Machine, u32) {
    let image = Image::open(elf, None, &intercore_sim::rp2040::boot::IMAGES).expect("an image");
    let mut machine = Machine::new();
    machine.boot(&image, &bootrom::ours()).expect("it fits");
    (machine, image.symbol(function).expect("it is there"))
}

/// The same, about to execute the function on a core.
pub fn stopped_in_library(elf: &Path, function: &str, core: u8) -> Machine {
    let (mut machine, pc) = in_library(elf, function);
    machine.bus.fabric.watch.add_breakpoint(pc);
    assert_eq!(machine.run_until(100_000_000), Stop::Breakpoint { core, pc });
    machine.bus.fabric.watch.remove_breakpoint(pc);
    machine
}

/// No options.
pub const NO_OPTIONS: &[&str] = &[];
/// Those of a raw image.
pub const BASE: &[&str] = &["--base", "0x20000000"];
