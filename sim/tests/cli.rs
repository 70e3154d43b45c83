//! The command line: its exit codes, its messages, and its ways to the UART. Images are small enough to write by hand.

mod board;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use intercore_sim::cli::arguments::MarkArgument;
use intercore_sim::core::watch::Watch;
use intercore_sim::rp2040::peripherals::Peripherals;

/// Writes a raw image for SRAM: a vector table whose reset vector is the code behind it.
fn image(name: &str, code: &[u16]) -> PathBuf {
    let mut bytes = Vec::new();
    for word in [0x2004_0000_u32, 0x2000_0009] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(code.iter().flat_map(|half| half.to_le_bytes()));
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("written");
    path
}

fn simulator() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_intercore-sim-tested"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(name: &str, code: &[u16], options: &[&str]) -> Output {
    let image = image(name, code);
    simulator()
        .args(["--base", "0x20000000", "--max-cycles", "1e6"])
        .args(options)
        .arg(image)
        .output()
        .expect("it runs")
}

fn fails(output: &Output, code: i32, words: &[&str]) {
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{message}");
    for words in words {
        assert!(message.contains(words), "{words} is not in: {message}");
    }
}

#[test]
fn firmware_chooses_the_exit_code() {
    // MOVS r0, #0x20 (SYS_EXIT_EXTENDED); ADR r1; BKPT 0xAB; {0x20026, 42}
    let code = [0x2020, 0xA101, 0xBEAB, 0xBF00, 0x0026, 0x0002, 42, 0];
    assert_eq!(run("exit", &code, &[]).status.code(), Some(42));
}

/// BL to `reset_usb_boot` by its address in the ROM.
#[test]
fn a_restart_into_the_boot_loader_is_told_and_is_no_failure() {
    let rom = intercore_sim::rp2040::bootrom::ours();
    let half = |at: usize| u16::from_le_bytes([rom[at], rom[at + 1]]);
    let mut at = usize::from(half(0x14));
    while rom[at..at + 2] != *b"UB" {
        at += 4;
    }
    // LDR r0, [pc, #0]; BLX r0
    let output = run("usb-boot", &[0x4800, 0x4780, half(at + 2), 0], &[]);
    fails(&output, 0, &["core 0 restarted the chip into its boot loader, which waits for a host on USB"]);
}

#[test]
fn the_cycle_limit_tells_where_the_cores_are() {
    let output = run("forever", &[0xE7FE], &[]);
    fails(&output, 1, &["cycle 1000000: the limit", "core 0 is running at 0x20000008", "core 1 is asleep", "xpsr"]);
}

/// 64 looks, each 5 million cycles: longer than a second of any clock that a Pico has.
#[test]
fn a_run_in_which_nothing_can_change_ends() {
    // MOVS r0, #0x20; LSLS r0, #24; LDR r1, [r0, #0x40]; CMP r1, #0; BNE -6
    for (name, code) in [("forever", &[0xE7FE][..]), ("unset", &[0x2020, 0x0600, 0x6C01, 0x2900, 0xD1FC, 0xE7FB])] {
        let stats = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("polling.json");
        let output = simulator()
            .args(["--base", "0x20000000", "--max-cycles", "1e9", "--force", "--stats"])
            .args([&stats, &image(name, code)])
            .output()
            .expect("it runs");
        fails(&output, 1, &["cycle 320000000: core 0 stays in the loop at 0x2000", "that could end it"]);
        let stats = std::fs::read_to_string(&stats).expect("statistics");
        assert!(stats.contains("\"polling\""), "{stats}");
    }
}

/// As from `yes`: what the line does not carry yet stays with who sends it.
#[test]
fn input_without_end_is_read_as_fast_as_the_line_carries_it() {
    let image = image("deaf", &[0xE7FE]);
    let options = ["--base", "0x20000000", "--max-cycles", "3e7"];
    let mut run = simulator().args(options).arg(image).stdin(Stdio::piped()).spawn().expect("it runs");
    let mut input = run.stdin.take().expect("a pipe");
    let lines = [b'y'; 4096];
    // It ends with the run, which closes the pipe.
    let written = (0..10_000).take_while(|_| input.write_all(&lines).is_ok()).count() * lines.len();
    drop(input);
    assert_eq!(run.wait().expect("it ends").code(), Some(1));
    assert!(written < 1_000_000, "{written} bytes");
}

#[test]
fn a_dead_end_is_told() {
    fails(&run("sleep", &[0xBF30, 0xE7FD], &[]), 1, &["dead end", "core 0 is asleep"]);
}

#[test]
fn a_lockup_is_told_with_its_cause() {
    let words = [
        "branch to the even address 0x00000000 (xPSR.T is 0), where faults cannot be handled; before that, in cycle ",
        "undefined instruction 0xde00 at 0x20000008",
    ];
    fails(&run("undefined", &[0xDE00], &[]), 1, &words);
    // LDR of an address where there is nothing: MOVS r0, #0x90; LSLS r0, #24; LDR r0, [r0]
    fails(
        &run("unmapped", &[0x2090, 0x0600, 0x6800], &[]),
        1,
        &["locked up", "bus error: load from 0x90000000", "r0 90000000"],
    );
}

/// An ELF header and one segment of 64 bytes for 0x20000000.
fn elf() -> Vec<u8> {
    let mut file = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file.extend([2, 0, 40, 0]);
    for field in [1, 0x2000_0001, 52, 0, 0x0500_0200] {
        file.extend(u32::to_le_bytes(field));
    }
    for field in [52_u16, 32, 1, 40, 0, 0] {
        file.extend(field.to_le_bytes());
    }
    for field in [1, 84, 0x2000_0000, 0x2000_0000, 64, 64, 5, 4] {
        file.extend(u32::to_le_bytes(field));
    }
    file.resize(84 + 64, 0);
    file
}

/// A UF2 file of one block for 0x10000000.
fn uf2(family: u32) -> Vec<u8> {
    let mut block = Vec::new();
    for field in [0x0A32_4655, 0x9E5D_5157, 0x2000, 0x1000_0000, 256, 0, 1, family] {
        block.extend(u32::to_le_bytes(field));
    }
    block.resize(0x1FC, 0);
    block.extend(0x0AB1_6F30_u32.to_le_bytes());
    block
}

const RP2040: u32 = 0xE48B_FF56;

/// Runs what a file holds; nothing but a message may come of it.
fn refused(name: &str, contents: &[u8], words: &str) {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, contents).expect("written");
    let output = simulator().arg(&path).output().expect("it runs");
    fails(&output, 2, &[name, words]);
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "one line, and it is not a panic");
}

#[test]
fn a_bad_image_is_refused_with_what_is_wrong() {
    let changed = |offset: usize, value: u8| {
        let mut file = elf();
        file[offset] = value;
        file
    };
    refused("text", b"no image", "the file is neither an ELF nor a UF2 file");
    refused("empty", b"", "the file is empty");
    refused("64-bit", &changed(4, 2), "64-bit");
    refused("big-endian", &changed(5, 2), "big-endian");
    refused("x86", &changed(18, 62), "machine 62, but the RP2040 runs Arm");
    refused("object", &changed(16, 1), "of type 1, not a linked program");
    refused("elsewhere", &changed(52 + 15, 0x30), "at 0x30000000 are not within flash");
    refused("no-entry", &changed(27, 0x30), "entry point 0x30000001");
    refused("cut", &elf()[..100], "damaged");
    refused("cut-header", &elf()[..30], "damaged");
    refused("cut.uf2", &uf2(RP2040)[..500], "truncated");
    refused("other-chip.uf2", &uf2(0xE48B_FF59), "the first family in the file is 0xe48bff59");
    let mut more = uf2(RP2040);
    more[24] = 2;
    refused("incomplete.uf2", &more, "block 1 of 2 is missing");
}

#[test]
fn what_cannot_be_read_or_written_is_told() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    fails(&simulator().arg("/nowhere").output().expect("it runs"), 2, &["sim: cannot read /nowhere: No such file"]);
    fails(&simulator().arg(folder).output().expect("it runs"), 2, &["cannot read", "Is a directory"]);
    let path = image("readable", &[0xE7FE]);
    let outside = ["--base", "0x20041ffc"];
    fails(&simulator().args(outside).arg(&path).output().expect("it runs"), 2, &["not within flash"]);
    let decimal = ["--base", "20000000"];
    fails(&simulator().args(decimal).arg(&path).output().expect("it runs"), 2, &["write --base 0x20000000"]);
    let rom = path.display().to_string();
    fails(&run("readable", &[0xE7FE], &["--bootrom", &rom]), 2, &["a boot ROM has 16384 bytes"]);
    for option in ["--trace", "--stats"] {
        fails(&run("readable", &[0xE7FE], &[option, "/nowhere/file"]), 2, &["cannot write /nowhere/file"]);
        fails(&run("readable", &[0xE7FE], &[option, folder]), 2, &["cannot write", "Is a directory"]);
    }
    // Every write to it fails.
    fails(&run("readable", &[0xE7FE], &["--trace", "/dev/full"]), 1, &["cannot write /dev/full", "core 0 is"]);
    fails(&run("readable", &[0xE7FE], &["--stats", "/dev/full"]), 1, &["cannot write /dev/full"]);
}

#[test]
fn an_output_replaces_an_older_one_and_neither_the_image_nor_a_persons_file() {
    let program = image("kept", &[0xE7FE]);
    let other = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kept.txt");
    for option in ["--trace", "--stats"] {
        for kept in [&program, &other] {
            std::fs::write(&other, "a person's").expect("written");
            let before = std::fs::read(kept).expect("it is there");
            let path = kept.display().to_string();
            fails(&run("kept", &[0xE7FE], &[option, &path]), 2, &[&path, "--force"]);
            assert_eq!(std::fs::read(kept).expect("it is there"), before);
        }
        let path = other.display().to_string();
        for force in [true, false] {
            // The first replaces what the person wrote, the second what the first has.
            let options = [option, &path, "--force"];
            let output = run("kept", &[0xE7FE], &options[..2 + usize::from(force)]);
            fails(&output, 1, &["--max-cycles"]);
            assert_ne!(std::fs::read(&other).expect("written"), b"a person's");
        }
    }
}

#[test]
fn a_file_without_permission_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let path = image("secret", &[0xE7FE]);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o000)).expect("it is ours");
    if std::fs::read(&path).is_ok() {
        eprintln!("skipped: this user may read everything");
    } else {
        fails(&simulator().arg(&path).output().expect("it runs"), 2, &["cannot read", "Permission denied"]);
    }
    std::fs::remove_file(&path).expect("it is ours");
}

#[test]
fn a_wrong_command_line_is_refused() {
    fails(&simulator().output().expect("it runs"), 2, &["IMAGE"]);
    fails(&simulator().args(["--uart", "lpt", "x"]).output().expect("it runs"), 2, &["stdio, pty or tcp"]);
    fails(&simulator().args(["--max-cycles=-1", "x"]).output().expect("it runs"), 2, &["whole number"]);
    fails(&simulator().args(["--max-cycles=1.5", "x"]).output().expect("it runs"), 2, &["whole number"]);
}

#[test]
fn a_list_has_each_block_within_80_columns() {
    let output = simulator().arg("--list").output().expect("it runs");
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    for (names, modelled, missing) in Peripherals::coverage() {
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&format!("{names} {modelled}")) && words.contains(missing), "{names}: {said}");
    }
    fails(&simulator().args(["--list", "x"]).output().expect("it runs"), 2, &["--list"]);
}

#[test]
fn statistics_are_printed_unless_told_to_be_quiet() {
    let output = run("statistics", &[0xE7FE], &[]);
    fails(&output, 1, &["simulated, not measured: 1000000 cycles", "instructions", "cycles asleep", "emulated at"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
    let output = run("statistics", &[0xE7FE], &["--quiet"]);
    fails(&output, 1, &["the limit"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("instructions"));
}

/// LDR r0, =CLOCKS (0x40008000); MOVS r2, #0xa0; ADDS r0, r2; MOVS r1, #0; stores to `WAKE_EN0` and `WAKE_EN1`; B .
#[test]
fn what_is_not_modelled_is_named_with_how_often_the_results_depend_on_it() {
    let code = [0x4803, 0x22A0, 0x1880, 0x2100, 0x6001, 0x6041, 0x6041, 0xE7FE, 0x8000, 0x4000];
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("unmodelled.json");
    let output = run("unmodelled", &code, &["--stats", &path.display().to_string()]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let notes: Vec<_> = said.lines().filter(|line| line.contains("it reads as 0 and ignores writes")).collect();
    assert_eq!(notes.len(), 2, "each register once: {said}");
    assert!(notes[0].contains("clock gating by CLOCKS offset 0x0a0 is not modelled"), "{said}");
    let depends = "the results depend on CLOCKS (used 3 times), which is not modelled";
    assert!(said.contains(depends), "{said}");
    fails(&run("unmodelled", &code, &["--strict", "--quiet"]), 3, &[depends]);
    let all_is_modelled = run("modelled", &[0xE7FE], &["--strict"]);
    fails(&all_is_modelled, 1, &["the limit"]);
    assert!(!String::from_utf8_lossy(&all_is_modelled.stderr).contains("depend"));
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).expect("written")).expect("JSON");
    assert_eq!(json["unmodelled_uses"], serde_json::json!({"CLOCKS": 3}));
}

#[test]
fn statistics_are_written_for_scripts() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("statistics.json");
    let output = run("script", &[0xE7FE], &["--quiet", "--hash", "--stats", &path.display().to_string()]);
    fails(&output, 1, &["hash: "]);
    let text = std::fs::read_to_string(path).expect("written");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&json["format"], &json["simulated"]), (&2.into(), &true.into()));
    assert_eq!((&json["end"], &json["exit_code"], &json["cycles"]), (&"limit".into(), &1.into(), &1_000_000.into()));
    assert_eq!((&json["cores"][0]["state"], &json["cores"][1]["state"]), (&"running".into(), &"asleep".into()));
    // Core 1 sleeps in the boot ROM from nearly the beginning on, and still does.
    assert!(json["cores"][1]["asleep_cycles"].as_u64().is_some_and(|asleep| (999_000..1_000_000).contains(&asleep)));
    assert!(String::from_utf8_lossy(&output.stderr).contains(json["hash"].as_str().expect("a hash")));
}

/// The line of a hash in what was said.
fn hash(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find_map(|line| line.strip_prefix("hash: "));
    line.unwrap_or_else(|| panic!("no hash in: {said}")).to_owned()
}

#[test]
fn equal_runs_have_equal_hashes() {
    let first = hash(&run("hash", &[0xE7FE], &["--hash"]));
    assert_eq!(first, hash(&run("hash", &[0xE7FE], &["--hash", "--quiet"])));
    assert_ne!(first, hash(&run("hash", &[0xE7FE], &["--hash", "--fault", "stuck:core=0@5e5..500_001"])));
    assert_ne!(first, hash(&run("hash2", &[0x3001, 0xE7FD], &["--hash"])));
}

#[test]
fn a_reset_starts_the_firmware_again_and_keeps_what_memory_holds() {
    // LDR r0, =0x20001000; LDR r1, [r0]; ADDS r1, #1; STR r1, [r0]; B .
    let code = [0x4802, 0x6801, 0x3101, 0x6001, 0xE7FE, 0xBF00, 0x1000, 0x2000];
    let faults = ["--fault", "reset@1e5", "--fault", "reset@3e5"];
    fails(&run("reset", &code, &faults), 1, &["cycle 1000000", "core 0 is running at 0x20000010", "r1 00000003"]);
}

#[test]
fn a_stuck_core_does_nothing_until_it_is_let_go() {
    // MOVS r0, #0; ADDS r0, #1; B back: 3 cycles a round
    let code = [0x2000, 0x3001, 0xE7FD];
    let count = |faults: &[&str]| {
        let output = run("stuck", &code, faults);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let at = said.find("r0 ").expect("registers") + 3;
        (said.clone(), i64::from_str_radix(&said[at..at + 8], 16).expect("a register"))
    };
    let (_, free) = count(&[]);
    let (_, held) = count(&["--fault", "stuck:core=0@200_000..500_000"]);
    assert!((free - held - 100_000).abs() <= 1, "{free} - {held}");
    let (said, stuck) = count(&["--fault", "stuck:core=0@250000"]);
    assert!(said.contains("cycle 250000: dead end: a core is stuck"), "{said}");
    assert!(said.contains("core 0 is stuck") && stuck < 250_000 / 3, "{said}");
    // After a dead end a reset still comes.
    let (said, _) = count(&["--fault", "stuck:core=0@250000", "--fault", "reset@5e5"]);
    assert!(said.contains("core 0 is running"), "{said}");
}

#[test]
fn words_that_are_lost_between_the_cores_are_told_at_the_end() {
    // MOVS r0, #0xd0; LSLS r0, #24; STR r0, [r0, #0x54] to FIFO_WR, ten times; B .
    let mut code = vec![0x20D0, 0x0600];
    code.extend([0x6540; 10]);
    code.push(0xE7FE);
    let stats = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lost.json").display().to_string();
    let all = run("lost", &code, &["--fault", "fifo:to=1@0", "--stats", &stats]);
    let said = String::from_utf8_lossy(&all.stderr).into_owned();
    let row = said.lines().find(|line| line.starts_with("words for it lost on purpose")).expect("a row");
    assert_eq!(row.split_whitespace().collect::<Vec<_>>()[6..], ["0", "10"]);
    let written = std::fs::read_to_string(stats).expect("written");
    assert!(written.contains("\"fifo_words_lost\": 10"), "{written}");
    let none = run("lost", &code, &["--fault", "fifo:to=1,word=11"]);
    assert!(!String::from_utf8_lossy(&none.stderr).contains("lost on purpose"));
    // What holds a dead end up is told.
    let off = run("lost", &[0xE7FE], &["--fault", "off:core=0@0", "--fault", "off:core=1@0"]);
    fails(&off, 1, &["cycle 0: dead end: a core is held in reset, as asked", "core 0 is off"]);
}

#[test]
fn a_wrong_fault_or_mark_is_refused() {
    let trace = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("refused.pftrace").display().to_string();
    fails(&run("wrong", &[0xE7FE], &["--fault", "fire"]), 2, &["expected uart-in"]);
    fails(&run("wrong", &[0xE7FE], &["--fault", "uart-in:flip=7"]), 2, &["'7' is not a probability"]);
    fails(&run("wrong", &[0xE7FE], &["--fault", "stuck:core=2@1"]), 2, &["no core 2"]);
    fails(&run("wrong", &[0xE7FE], &["--fault", "off:core=1@3..2"]), 2, &["ends before it begins"]);
    fails(&run("wrong", &[0xE7FE], &["--fault", "fifo:lose=0.5"]), 2, &["expected fifo:to=1"]);
    fails(&run("wrong", &[0xE7FE], &["--fault", "hsem:to=1"]), 2, &["this chip has no hardware semaphores"]);
    fails(&run("wrong", &[0xE7FE], &["--mark", "a=main"]), 2, &["--trace"]);
    fails(&run("wrong", &[0xE7FE], &["--trace", &trace, "--mark", "main"]), 2, &["NAME=SYMBOL"]);
    fails(&run("wrong", &[0xE7FE], &["--trace", &trace, "--mark", "a=main"]), 2, &["no symbol main"]);
}

/// Enables UART0 at a rate that suits any clock, and echoes what it gets.
const ECHO: &[u16] = &[
    0x4809, // LDR r0, =RESETS + CLR alias
    0x490A, // LDR r1, =1 << 22
    0x6001, // STR r1, [r0]: UART0 out of reset
    0x480A, // LDR r0, =UART0
    0x2101, // MOVS r1, #1
    0x6241, // STR r1, [r0, #IBRD]
    0x2170, // MOVS r1, #0x70
    0x62C1, // STR r1, [r0, #LCR_H]
    0x4908, // LDR r1, =0x301
    0x6301, // STR r1, [r0, #CR]
    0x2210, // MOVS r2, #RXFE
    0x6981, // LDR r1, [r0, #FR]
    0x4211, // TST r1, r2
    0xD1FC, // BNE back to LDR
    0x6801, // LDR r1, [r0, #DR]
    0x6001, // STR r1, [r0, #DR]
    0xE7F9, // B back to LDR
    0xBF00, // NOP
    0xBF00, 0xBF00, //
    0xF000, 0x4000, // RESETS + CLR alias 0x4000f000
    0x0000, 0x0040, // 1 << 22
    0x4000, 0x4003, // UART0
    0x0301, 0x0000, //
];

#[test]
fn uart_0_can_be_a_tcp_connection() {
    let image = image("tcp", ECHO);
    let mut child = simulator()
        .args(["--base", "0x20000000", "--clock", "125e6", "--max-cycles", "1e9", "--uart", "tcp:127.0.0.1:0"])
        .arg(image)
        .spawn()
        .expect("it runs");
    let mut stderr = child.stderr.take().expect("piped");
    let mut said = String::new();
    let address = loop {
        let mut byte = [0];
        stderr.read_exact(&mut byte).expect("it says where it listens");
        if byte[0] == b'\n' {
            break said.rsplit("tcp:").next().expect("an address").to_owned();
        }
        said.push(char::from(byte[0]));
    };
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(b"Hello").expect("it reads");
    let mut answer = [0; 5];
    stream.read_exact(&mut answer).expect("it answers");
    assert_eq!(&answer, b"Hello");
    child.kill().expect("it still ran");
    child.wait().expect("it ended");
}

#[test]
fn uart_0_can_be_a_pseudo_terminal() {
    let image = image("pty", ECHO);
    let mut child = simulator()
        .args(["--base", "0x20000000", "--clock", "125e6", "--max-cycles", "1e9", "--uart", "pty"])
        .arg(image)
        .spawn()
        .expect("it runs");
    let mut stderr = child.stderr.take().expect("piped");
    let mut said = String::new();
    while !said.ends_with('\n') {
        let mut byte = [0];
        stderr.read_exact(&mut byte).expect("it says which");
        said.push(char::from(byte[0]));
    }
    let path = said.trim().rsplit(' ').next().expect("a path");
    let mut terminal = std::fs::File::options().read(true).write(true).open(path).expect("it is there");
    terminal.write_all(b"Hello").expect("it reads");
    let mut answer = [0; 5];
    terminal.read_exact(&mut answer).expect("it answers");
    assert_eq!(&answer, b"Hello");
    child.kill().expect("it still ran");
    child.wait().expect("it ended");
}

/// What ECHO sends back of some input, with faults.
fn echoed(name: &str, input: &[u8], faults: &[&str]) -> Vec<u8> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.in"));
    std::fs::write(&file, input).expect("written");
    let output = simulator()
        .args(["--base", "0x20000000", "--clock", "125e6", "--max-cycles", "3e6", "--quiet"])
        .args(faults)
        .arg(image(name, ECHO))
        .stdin(std::fs::File::open(file).expect("there"))
        .output()
        .expect("it runs");
    fails(&output, 1, &["the limit"]);
    output.stdout
}

#[test]
fn a_bad_line_damages_what_it_should_and_the_same_each_time() {
    let input: Vec<u8> = (0..4000_u32).map(|i| ((i * 37) >> 3) as u8).collect();
    assert_eq!(echoed("clean", &input, &[]), input);
    let none = ["--fault", "uart-in:seed=5", "--fault", "uart-out:seed=6"];
    assert_eq!(echoed("none", &input, &none), input, "no fault is asked for");
    for line in ["uart-in", "uart-out"] {
        let with = |rates: &str| echoed(line, &input, &["--fault", &format!("{line}:{rates}")]);
        assert!(with("lose=1").is_empty());
        assert_eq!(with("double=1"), input.iter().flat_map(|&byte| [byte; 2]).collect::<Vec<_>>());
        let lost = with("lose=0.1,seed=7");
        assert!((3486..=3714).contains(&lost.len()), "{}: 3600 and 6 standard deviations", lost.len());
        assert_eq!(lost, with("lose=0.1,seed=7"));
        assert_ne!(lost, with("lose=0.1,seed=8"));
        let flipped = with("flip=0.002,seed=7");
        assert!(flipped != input && flipped.len() > 3900, "{}", flipped.len());
    }
}

#[test]
fn marks_are_for_executions_unless_they_say_otherwise() {
    let mark = |watch, place: &str| MarkArgument { name: "a".to_owned(), watch, place: place.to_owned() };
    assert_eq!("a=main".parse(), Ok(mark(Watch::Execute, "main")));
    assert_eq!("a=w:x".parse(), Ok(mark(Watch::Write, "x")));
    assert_eq!("a=r:0x20000000".parse(), Ok(mark(Watch::Read, "0x20000000")));
    assert!("main".parse::<MarkArgument>().is_err());
    assert!("=main".parse::<MarkArgument>().is_err());
}
