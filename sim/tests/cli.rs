//! The command line: its exit codes, its messages, and its ways to the UART. Images are small enough to write by hand.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

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
    let mut command = Command::new(env!("CARGO_BIN_EXE_intercore-sim"));
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

#[test]
fn the_cycle_limit_tells_where_the_cores_are() {
    let output = run("forever", &[0xE7FE], &[]);
    fails(&output, 1, &["cycle 1000000: the limit", "core 0 is running at 0x20000008", "core 1 is asleep", "xpsr"]);
}

#[test]
fn a_dead_end_is_told() {
    fails(&run("sleep", &[0xBF30, 0xE7FD], &[]), 1, &["dead end", "core 0 is asleep"]);
}

#[test]
fn a_lockup_is_told_with_its_cause() {
    fails(&run("undefined", &[0xDE00], &[]), 1, &["core 0 locked up"]);
    // LDR of an address where there is nothing: MOVS r0, #0x90; LSLS r0, #24; LDR r0, [r0]
    fails(&run("unmapped", &[0x2090, 0x0600, 0x6800], &[]), 1, &["locked up", "r0 90000000"]);
}

#[test]
fn a_bad_image_is_refused() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("text");
    std::fs::write(&path, "no image").expect("written");
    fails(&simulator().arg(&path).output().expect("it runs"), 2, &["neither an ELF nor a UF2 file"]);
    fails(&simulator().arg("/nowhere").output().expect("it runs"), 2, &["cannot read /nowhere"]);
    let outside = ["--base", "0x20041ffc"];
    fails(&simulator().args(outside).arg(&path).output().expect("it runs"), 2, &["not within flash"]);
    fails(&simulator().arg("--bootrom").args([&path, &path]).output().expect("it runs"), 2, &["neither"]);
}

#[test]
fn a_wrong_command_line_is_refused() {
    fails(&simulator().output().expect("it runs"), 2, &["IMAGE"]);
    fails(&simulator().args(["--uart", "lpt", "x"]).output().expect("it runs"), 2, &["stdio, pty or tcp"]);
    fails(&simulator().args(["--max-cycles=-1", "x"]).output().expect("it runs"), 2, &["whole number"]);
    fails(&simulator().args(["--max-cycles=1.5", "x"]).output().expect("it runs"), 2, &["whole number"]);
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
