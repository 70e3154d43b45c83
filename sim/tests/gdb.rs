//! GDB debugs both cores: the real `gdb-multiarch` on the examples, and packets on a bare socket.

mod common;
mod compiler;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use common::{CODE, STAY, machine as small_machine};
use compiler::build_example;
use intercore_sim::bootrom;
use intercore_sim::gdb::{Outcome, serve};
use intercore_sim::image::Image;
use intercore_sim::machine::{Machine, Stop};
use intercore_sim::probe::Watch;
use proptest::prelude::*;

// ---------------------------------------------------------------------------------------------------------------------
// The simulator's process, and GDB's.

/// Builds an example. Tests run at once, and each builds what it needs. None where there is no compiler.
fn build(name: &str, memory: &str) -> Option<PathBuf> {
    let test = std::thread::current().name().unwrap_or("test").to_owned();
    build_example(name, memory, &format!("gdb-{test}"))
}

/// Writes a raw image for SRAM: a vector table, and the code behind it.
fn image(name: &str, code: &[u16]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gdb-{name}.bin"));
    let mut bytes: Vec<u8> = [0x2004_0000_u32, 0x2000_0009].iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(common::bytes(code));
    std::fs::write(&path, bytes).expect("written");
    path
}

struct Simulator {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// Where it waits for GDB.
    address: String,
}

impl Simulator {
    fn start(image: &Path, options: &[&str], input: Stdio) -> Self {
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

    /// Waits for the end: exit code, standard output, standard error after the first line.
    fn end(mut self) -> (Option<i32>, String, String) {
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

fn simulator() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_intercore-sim"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// GDB, about to execute commands.
fn gdb(file: Option<&Path>, address: &str, commands: &[&str]) -> Command {
    const MISSING: &str = "there is no gdb-multiarch here: apt-get install gdb-multiarch";
    assert!(Command::new("gdb-multiarch").arg("--version").output().is_ok(), "{MISSING}");
    let mut command = Command::new("timeout");
    // In the foreground it passes a signal on once, not to the whole group as well.
    command.args(["--foreground", "100", "gdb-multiarch", "--batch", "-nx", "-iex", "set debuginfod enabled off"]);
    command.args(["-iex", "set remotetimeout 20"]).args(file).args(["-ex", &format!("target remote {address}")]);
    command.args(commands.iter().flat_map(|command| ["-ex", command]));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// What GDB says to commands on a file, and how the simulator ends.
fn debug(file: &Path, options: &[&str], commands: &[&str]) -> (String, (Option<i32>, String, String)) {
    let simulator = Simulator::start(file, options, Stdio::null());
    let symbols = (!options.contains(&"--base")).then_some(file);
    let said = text(&gdb(symbols, &simulator.address, commands).output().expect("GDB runs"));
    (said, simulator.end())
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

/// The numbers that `print/x` has printed.
fn printed(said: &str) -> Vec<u32> {
    said.lines()
        .filter(|line| line.starts_with('$'))
        .filter_map(|line| u32::from_str_radix(line.split("= 0x").nth(1)?, 16).ok())
        .collect()
}

/// The registers that `info registers` has listed, one list for each time.
fn registers(said: &str) -> Vec<Vec<(String, u32)>> {
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
fn registers_of(machine: &Machine, number: usize) -> Vec<(String, u32)> {
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
fn in_library(elf: &Path, function: &str) -> (Machine, u32) {
    let image = Image::open(elf, None).expect("an image");
    let mut machine = Machine::new();
    machine.boot(&image, &bootrom::ours()).expect("it fits");
    (machine, image.symbol(function).expect("it is there"))
}

/// The same, about to execute the function on a core.
fn stopped_in_library(elf: &Path, function: &str, core: u8) -> Machine {
    let (mut machine, pc) = in_library(elf, function);
    machine.bus.watch.add_breakpoint(pc);
    assert_eq!(machine.run_until(100_000_000), Stop::Breakpoint { core, pc });
    machine.bus.watch.remove_breakpoint(pc);
    machine
}

/// No options.
const NO_OPTIONS: &[&str] = &[];
/// Those of a raw image.
const BASE: &[&str] = &["--base", "0x20000000"];

#[test]
fn a_breakpoint_stops_core_1_in_its_function() {
    for memory in ["sram", "flash"] {
        let Some(elf) = build("fifo_polled", memory) else { return };
        let commands = ["info threads", "break pong", "continue", "backtrace", "info threads", "delete", "continue"];
        let (said, (code, out, _)) = debug(&elf, NO_OPTIONS, &commands);
        contains(
            &said,
            &[
                "Thread 1.1 (core 0: running)",
                "Thread 1.2 (core 1: running)",
                "Thread 2 hit Breakpoint 1, pong () at fifo_polled.c:",
                "#0  pong () at fifo_polled.c:",
                "in core_1 () at chip.c:",
                "exited normally",
            ],
        );
        assert_eq!((code, out.as_str()), (Some(0), "100 round trips: 1601\n"));
    }
}

#[test]
fn registers_and_time_are_those_of_the_library() {
    let Some(elf) = build("fifo_polled", "sram") else { return };
    let commands = ["break pong", "continue", "thread 1", "info registers", "thread 2", "info registers"];
    let (said, _) = debug(&elf, NO_OPTIONS, &[&commands[..], &["monitor cycles", "kill"]].concat());
    let machine = stopped_in_library(&elf, "pong", 1);
    assert_eq!(registers(&said), [registers_of(&machine, 0), registers_of(&machine, 1)]);
    contains(&said, &[&format!("cycle {} of clk_sys", machine.now())]);
}

#[test]
fn a_step_is_one_instruction_and_the_other_core_runs_along() {
    const STEPS: usize = 40;
    let Some(elf) = build("fifo_polled", "sram") else { return };
    let mut commands = vec!["break pong", "continue", "delete"];
    commands.extend(["stepi", "print/x $pc"].repeat(STEPS));
    commands.extend(["thread 1", "info registers", "thread 2", "info registers", "monitor cycles", "kill"]);
    let (said, _) = debug(&elf, NO_OPTIONS, &commands);

    let mut machine = stopped_in_library(&elf, "pong", 1);
    let mut free = machine.clone();
    let probe = free.bus.watch.probe(Watch::Execute, 0, u32::MAX);
    free.run_until(machine.now() + 1000);
    let begun: Vec<_> = free.bus.watch.hits(probe).iter().filter(|hit| hit.core == 1).map(|hit| hit.pc).collect();
    assert_eq!(printed(&said), begun[1..=STEPS]);
    for _ in 0..STEPS {
        assert_eq!(machine.step(1), Stop::Stepped);
    }
    assert_eq!(registers(&said), [registers_of(&machine, 0), registers_of(&machine, 1)]);
    contains(&said, &[&format!("cycle {} of clk_sys", machine.now())]);
}

#[test]
fn a_watchpoint_stops_right_behind_the_instruction_and_tells_the_values() {
    let Some(elf) = build("fifo_polled", "flash") else { return };
    let commands = ["watch core_1_function", "continue", "x/i $pc-2", "delete", "rwatch core_1_function", "continue"];
    let rest = ["x/i $pc-2", "delete", "awatch *(char *)((char *)&core_1_function + 2)", "monitor reset"];
    let flush = ["maintenance flush register-cache", "continue", "delete", "continue"];
    let (said, (_, out, _)) = debug(&elf, NO_OPTIONS, &[&commands[..], &rest, &flush].concat());
    contains(
        &said,
        &[
            "Thread 1 hit Hardware watchpoint 1: core_1_function",
            "New value = (void (*)(void)) 0x20041001 <pong>",
            "<start_core_1+4>:\tstr\tr0, [r3, #0]",
            "Thread 2 hit Hardware read watchpoint 2: core_1_function",
            "Value = (void (*)(void)) 0x20041001 <pong>",
            "<core_1+24>:\tldr\tr3, [r3, #0]",
            "hit Hardware access (read/write) watchpoint 3",
        ],
    );
    assert_eq!(out, "100 round trips: 1601\n");
}

#[test]
fn no_core_passes_a_breakpoint_while_gdb_steps_the_other_one_past_it() {
    let Some(elf) = build("both_cores", "sram") else { return };
    let (machine, at) = in_library(&elf, "work_in_sram4");
    // WFI, and the instruction behind it, which both cores begin in the same cycle.
    for offset in [6, 8] {
        let mut machine = machine.clone();
        let probe = machine.bus.watch.probe(Watch::Execute, at + offset, 1);
        while machine.run_until(machine.now() + 1_000_000) == Stop::Limit {}
        let hits = machine.bus.watch.hits(probe).len();
        let place = format!("break *{:#x}", at + offset);
        let (said, (_, out, _)) = debug(&elf, NO_OPTIONS, &[&place, "ignore 1 99", "continue", "info breakpoints"]);
        contains(&said, &[&format!("breakpoint already hit {hits} times")]);
        assert!(hits == 4 && out.contains("one bank, later: 4003\n"), "{hits}: {out}");
    }
}

#[test]
fn memory_is_read_without_side_effects_and_written() {
    let Some(elf) = build("fifo_polled", "flash") else { return };
    let commands = [
        "break example",
        "continue",
        "print/x *(unsigned *)0x00000010", // ROM
        "print/x *(unsigned *)0x4000c008", // RESETS.RESET_DONE
        "print/x *(unsigned *)0xe000ed00", // CPUID of the core
        "print/x *(unsigned *)0xd0000100", // a spinlock: a core's read would take it
        "print/x *(unsigned *)0xd0000100",
        "set var core_1_function = (void *)0x12345678",
        "print/x core_1_function",
        "set var *(char *)0x20040fff = 0x5a",
        "print/x *(unsigned char *)0x20040fff",
        "set var *(unsigned *)0x4005800c = 0x87654321", // WATCHDOG.SCRATCH0
        "print/x *(unsigned *)0x4005800c",
        "set var $r7 = 0xcafe",
        "print/x $r7",
        "set var $psp = 0x20003000",
        "print/x $psp",
        "print/x *(unsigned *)0x30000000",
        "print/x *(unsigned *)0x20042000",
        "kill",
    ];
    let (said, _) = debug(&elf, NO_OPTIONS, &commands);
    let machine = stopped_in_library(&elf, "example", 0);
    let expected = [
        machine.peek(0x10).expect("ROM"),
        machine.peek_register(0x4000_c008),
        0x410c_c601,
        1,
        1,
        0x1234_5678,
        0x5a,
        0x8765_4321,
        0xcafe,
        0x2000_3000,
    ];
    assert_eq!(printed(&said), expected, "{said}");
    contains(&said, &["Cannot access memory at address 0x30000000", "Cannot access memory at address 0x20042000"]);
}

#[test]
fn gdb_loads_an_image_and_starts_it() {
    for memory in ["sram", "flash"] {
        let Some(elf) = build("spinlock", memory) else { return };
        let Some(other) = build("fifo_polled", memory) else { return };
        let simulator = Simulator::start(&elf, NO_OPTIONS, Stdio::null());
        let commands = ["load", "compare-sections", "monitor reset", "maintenance flush register-cache", "continue"];
        let said = text(&gdb(Some(&other), &simulator.address, &commands).output().expect("GDB runs"));
        assert!(!said.contains("MIS-MATCHED"), "{said}");
        assert_eq!(simulator.end().1, "100 round trips: 1601\n", "{said}");
    }
}

#[test]
fn a_session_changes_neither_time_nor_output() {
    // All that is told at the end, but for how long it took here, and what GDB's coming and going adds before.
    let statistics = |text: &str| {
        let table = text.lines().skip_while(|line| !line.starts_with("simulated, not measured"));
        let table: Vec<_> = table.filter(|line| !line.starts_with("emulated")).map(str::to_owned).collect();
        assert!(table.len() > 3, "{text}");
        table
    };
    let echo: &[&str] = &["--input-after", "ready\n"];
    for (name, options, input, core_1_works) in [
        ("fifo_polled", NO_OPTIONS, "", true),
        ("uart_echo", echo, "hello\n", false),
        ("both_cores", NO_OPTIONS, "", true),
    ] {
        let Some(elf) = build(name, "flash") else { return };
        let input_file = elf.with_extension("input");
        std::fs::write(&input_file, input).expect("written");
        let stdin = || std::fs::File::open(&input_file).expect("there");
        let plain = simulator().args(options).arg(&elf).stdin(stdin()).output().expect("it runs");
        let simulator = Simulator::start(&elf, options, stdin().into());
        let mut commands = vec!["tbreak start", "continue", "hbreak example", "continue"];
        commands.extend(["stepi"; 20]);
        if core_1_works {
            commands.extend(["thread 2", "stepi", "stepi", "thread 1", "next"]);
            commands.extend(["rwatch *(int *)0xd0000058", "continue"]);
        }
        commands.extend(["info threads", "backtrace", "info registers", "x/8xw 0xd0000050", "x/8xw 0xe000e010"]);
        commands.extend(["delete", "thread 1", "break print", "continue", "finish", "delete", "continue"]);
        let said = text(&gdb(Some(&elf), &simulator.address, &commands).output().expect("GDB runs"));
        let (code, out, err) = simulator.end();
        assert_eq!(code, Some(0), "{said}{err}");
        assert_eq!(said.contains("hit Hardware read watchpoint"), core_1_works, "{said}");
        contains(&said, &["hit Breakpoint", "print (text="]);
        assert_eq!(out, String::from_utf8_lossy(&plain.stdout), "{name}");
        assert_eq!(statistics(&err), statistics(&String::from_utf8_lossy(&plain.stderr)), "{name}\n{said}");
    }
}

#[test]
fn the_exit_code_is_told_to_gdb_and_to_the_shell() {
    // MOVS r0, #0x20 (SYS_EXIT_EXTENDED); ADR r1; BKPT 0xAB; {0x20026, 42}
    let image = image("exit", &[0x2020, 0xA101, 0xBEAB, 0xBF00, 0x0026, 0x0002, 42, 0]);
    let (said, (code, ..)) = debug(&image, BASE, &["continue"]);
    contains(&said, &["exited with code 052"]); // octal
    assert_eq!(code, Some(42));
}

#[test]
fn lockup_dead_end_and_the_limit_are_stops_with_a_reason() {
    let (said, (code, _, err)) = debug(&image("udf", &[0xDE00]), BASE, &["continue", "info threads", "kill"]);
    contains(&said, &["core 0 locked up at 0x", "Thread 1 received signal SIGSEGV", "(core 0: locked up)"]);
    assert_eq!(code, Some(1));
    contains(&err, &["killed by GDB"]);
    let (said, _) = debug(&image("wfi", &[0xBF30, 0xE7FD]), BASE, &["continue", "info threads", "kill"]);
    contains(&said, &["dead end: both cores sleep for good", "SIGSTOP", "(core 0: asleep)"]);
    let limited = ["--base", "0x20000000", "--max-cycles", "200000"];
    let (said, (code, _, err)) = debug(&image("stay", &[STAY]), &limited, &["continue"]);
    contains(&said, &["Program terminated with signal SIGXCPU"]);
    assert_eq!(code, Some(1));
    contains(&err, &["cycle 200000: the limit of --max-cycles is reached"]);
}

#[test]
fn after_detaching_the_chip_runs_on() {
    let Some(elf) = build("uart_echo", "sram") else { return };
    let input = elf.with_extension("input");
    std::fs::write(&input, "hello\n").expect("written");
    let file = std::fs::File::open(&input).expect("there");
    let simulator = Simulator::start(&elf, &["--input-after", "ready\n"], file.into());
    // Stopped while the text that lets the input go is on its way.
    let commands = ["break wait", "continue", "detach"];
    let said = text(&gdb(Some(&elf), &simulator.address, &commands).output().expect("GDB runs"));
    contains(&said, &["hit Breakpoint 1"]);
    assert!(simulator.end().1.starts_with("ready\nhello\nbytes: 6\n"), "{said}");
    let Some(elf) = build("fifo_polled", "sram") else { return };
    let (_, (code, out, _)) = debug(&elf, NO_OPTIONS, &["break pong", "watch core_1_function", "continue", "detach"]);
    assert_eq!((code, out.as_str()), (Some(0), "100 round trips: 1601\n"));
}

#[test]
fn ctrl_c_interrupts_a_run() {
    let image = image("interrupt", &[STAY]);
    let simulator = Simulator::start(&image, BASE, Stdio::null());
    let commands = ["monitor cycles", "continue", "print 1234", "kill"];
    let child = gdb(None, &simulator.address, &commands).spawn().expect("GDB runs");
    std::thread::sleep(Duration::from_secs(2));
    // `timeout` passes it on.
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("it runs").success());
    let said = text(&child.wait_with_output().expect("it ends"));
    contains(&said, &["received signal SIGINT", "$1 = 1234"]);
    assert_eq!(simulator.end().0, Some(1));
}

#[test]
fn what_is_wrong_with_the_address_is_a_sentence() {
    let image = image("address", &[STAY]);
    let holder = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = holder.local_addr().expect("an address").to_string();
    let cases = [
        ("nonsense", "invalid socket address"),
        ("127.0.0.1:99999", "invalid"),
        ("192.0.2.1:1", "annot assign requested address"),
        (&taken, "ddress already in use"),
    ];
    for (address, why) in cases {
        let output = simulator().args(BASE).args(["--gdb", address]).arg(&image).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        contains(&said, &[&format!("intercore-sim: GDB cannot connect to {address}: "), why]);
    }
}

#[test]
fn a_client_that_vanishes_ends_the_run_with_a_sentence() {
    let image = image("vanish", &[STAY]);
    for start in ["", "$vCont;c#a8"] {
        let simulator = Simulator::start(&image, BASE, Stdio::null());
        let mut client = TcpStream::connect(&simulator.address).expect("it listens");
        client.write_all(start.as_bytes()).expect("it reads");
        drop(client);
        let (code, _, err) = simulator.end();
        assert_eq!(code, Some(1));
        contains(&err, &["the run ends, since the connection to GDB is lost"]);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Packets on a socket, and a machine in this process.

struct Client(TcpStream);

impl Client {
    fn send(&mut self, body: &str) {
        let sum = body.bytes().fold(0, u8::wrapping_add);
        self.0.write_all(format!("${body}#{sum:02x}").as_bytes()).expect("it reads");
    }

    /// The next reply, without acknowledgements, run lengths expanded.
    fn reply(&mut self) -> String {
        let mut byte = [0];
        let mut body = String::new();
        let mut next = || {
            self.0.read_exact(&mut byte).expect("it answers");
            char::from(byte[0])
        };
        while next() != '$' {}
        loop {
            match next() {
                '#' => break,
                '*' => {
                    let count = next() as usize - 29;
                    let last = body.chars().last().expect("something to repeat");
                    body.extend(std::iter::repeat_n(last, count));
                }
                other => body.push(other),
            }
        }
        // The checksum.
        next();
        next();
        body
    }

    fn ask(&mut self, body: &str) -> String {
        self.send(body);
        self.reply()
    }
}

fn served(mut machine: Machine) -> (Client, JoinHandle<(Outcome, Machine)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let client = TcpStream::connect(listener.local_addr().expect("an address")).expect("it listens");
    client.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
    let (stream, _) = listener.accept().expect("a client");
    (Client(client), std::thread::spawn(move || (serve(stream, &mut machine), machine)))
}

#[test]
fn an_interrupt_is_answered_within_a_fifth_of_a_second() {
    // Both cores busy: the slowest case.
    let mut machine = small_machine(&[0x3001, 0x3101, STAY - 2]);
    machine.start_core(1, CODE | 1, 0x2004_1800);
    let (mut client, server) = served(machine);
    for _ in 0..5 {
        client.send("vCont;c");
        std::thread::sleep(Duration::from_millis(100));
        let asked = Instant::now();
        client.0.write_all(&[3]).expect("it reads");
        assert_eq!(client.reply(), "T02thread:01;");
        assert!(asked.elapsed() < Duration::from_millis(200), "{:?}", asked.elapsed());
    }
    assert_eq!(client.ask("D"), "OK");
    assert_eq!(server.join().expect("no panic").0, Outcome::Detached);
}

#[test]
fn a_watchpoint_tells_the_address_within_what_is_watched() {
    // STR r0, [r1] of a word, of which one byte is watched; then ADDS and a loop.
    let mut machine = small_machine(&[0x6008, 0x3001, STAY]);
    machine.core_mut(0).set_register(1, 0x2000_4000);
    let (mut client, server) = served(machine);
    assert_eq!(client.ask("Z2,20004002,1"), "OK");
    assert_eq!(client.ask("vCont;c"), "T05thread:01;watch:20004002;");
    // It stands behind the store.
    assert_eq!(client.ask("pf"), "02000020");
    assert_eq!(client.ask("z2,20004002,1"), "OK");
    // The step that GDB asks for to get past the instruction is done already; the next one is not.
    assert_eq!(client.ask("vCont;s:1"), "T05thread:01;");
    assert_eq!(client.ask("pf"), "02000020");
    assert_eq!(client.ask("vCont;s:1;c"), "T05thread:01;");
    assert_eq!(client.ask("pf"), "04000020");
    client.send("k");
    assert_eq!(server.join().expect("no panic").0, Outcome::Killed);
}

#[test]
fn both_kinds_of_breakpoints_are_told_apart() {
    let (mut client, server) = served(small_machine(&[0xbf00, 0xbf00, 0xbf00, STAY]));
    assert_eq!(client.ask("Z0,20000002,2"), "OK");
    assert_eq!(client.ask("Z1,20000004,2"), "OK");
    assert_eq!(client.ask("vCont;c"), "T05thread:01;swbreak:;");
    assert_eq!(client.ask("vCont;c"), "T05thread:01;hwbreak:;");
    assert_eq!(client.ask("z1,20000004,2"), "OK");
    assert_eq!(client.ask("z1,20000004,2"), "E16");
    drop(client);
    let (outcome, mut machine) = server.join().expect("no panic");
    assert!(matches!(outcome, Outcome::Lost(_)));
    assert!(!machine.bus.watch.in_use(), "a debugger that is gone leaves nothing behind");
    assert_eq!(machine.run_until(1000), Stop::Limit);
}

#[test]
fn a_core_that_sleeps_can_be_sent_elsewhere_but_not_one_that_is_off() {
    // Core 0 sleeps; core 1 is held in reset. At 4: ADDS r0, #1; B to itself.
    let (mut client, server) = served(small_machine(&[0xbf30, STAY, 0x3001, STAY]));
    client.send("vCont;c");
    assert!(client.reply().starts_with('O'), "a person is told why");
    assert_eq!(client.reply(), "T11thread:01;"); // SIGSTOP, as GDB counts
    assert_eq!(client.ask("qThreadExtraInfo,1"), hex("core 0: asleep"));
    assert_eq!(client.ask("qThreadExtraInfo,2"), hex("core 1: off"));
    assert_eq!(client.ask("Hg2"), "OK");
    assert_eq!(client.ask("Pf=04000020"), "E79");
    assert_eq!(client.ask("Hg1"), "OK");
    assert_eq!(client.ask("Pf=04000020"), "OK");
    assert_eq!(client.ask("vCont;s:1;c"), "T05thread:01;");
    assert_eq!(client.ask("p0"), "01000000");
    assert_eq!(client.ask("D"), "OK");
    let machine = server.join().expect("no panic").1;
    assert!(machine.now() < 100, "it goes on when it is sent, not before or long after: {}", machine.now());
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

fn packet() -> impl Strategy<Value = Vec<u8>> {
    let number = || prop_oneof!["[0-9a-f]{0,9}", Just("20000000".to_owned()), Just("10000000".to_owned())];
    let command = prop_oneof![
        "[?gcsDkCSGTHmMXpPvqQZzRbt!][ -~]{0,20}",
        ("[mMXZz][0-4]?", number(), number(), "[,:;]{0,2}", "[ -~]{0,9}")
            .prop_map(|(letter, first, second, separator, rest)| format!("{letter}{first},{second}{separator}{rest}")),
        ("[pPGT]", number(), "=?", number()).prop_map(|(a, b, c, d)| a + &b + &c + &d),
        ("H[gc]", "p?[0-9-]{0,3}[.]?[0-9-]{0,3}").prop_map(|(a, b)| a + &b),
        "vCont;[csCSrt][0-9a-f]{0,2}(:p?[0-9-]{1,2}([.][0-9-]{1,2})?)?(;[cs](:[0-9]{1,2})?)?",
        ("qXfer:(memory-map|features):read:(target.xml)?:", number(), number())
            .prop_map(|(what, offset, length)| format!("{what}{offset},{length}")),
        ("vFlash(Erase|Write|Done):", number(), number(), "[,:]{0,1}[ -~]{0,9}")
            .prop_map(|(what, first, second, rest)| format!("{what}{first},{second}{rest}")),
        "qRcmd,[0-9a-f]{0,20}",
        "qRcmd,7265736574",
        "qSupported(:[a-z+;=-]{0,30})?",
        "(qfThreadInfo|qsThreadInfo|qThreadExtraInfo,[0-9a-fp.-]{0,6}|QStartNoAckMode|qAttached|vMustReplyEmpty)",
    ];
    let framed = command.prop_map(|body| {
        let sum = body.bytes().fold(0, u8::wrapping_add);
        format!("${body}#{sum:02x}").into_bytes()
    });
    prop_oneof![
        12 => framed,
        1 => Just(vec![3]),
        1 => Just(b"+".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_in_a_session_ends_without_a_panic(packets in proptest::collection::vec(packet(), 0..12)) {
        let mut machine = small_machine(&[0x6008, 0x3001, 0xbf20, STAY - 4]);
        machine.core_mut(0).set_register(1, 0x2000_4000);
        let (client, server) = served(machine);
        let mut reader = client.0.try_clone().expect("a socket");
        // Answers are taken, so that nobody waits for anybody.
        let answers = std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
        for bytes in packets {
            if (&client.0).write_all(&bytes).is_err() {
                break;
            }
        }
        // The server may have closed it.
        let _ = client.0.shutdown(std::net::Shutdown::Write);
        prop_assert!(server.join().is_ok());
        let _ = answers.join();
    }
}
