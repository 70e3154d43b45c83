//! The examples in `sim/examples`, built with `arm-none-eabi-gcc` and run by the command-line tool, print the cycles that
//! follow from the documents; each example's head derives its numbers. Says so and passes where there is no compiler,
//! unless `INTERCORE_NO_SKIP` is set.

use crate::compiler::build_example;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Builds an example for `sram` or `flash`. None where there is no compiler.
fn build(name: &str, memory: &str) -> Option<PathBuf> {
    build_example(name, memory, "examples")
}

/// Runs an image with some input; what it prints.
fn run(elf: &Path, options: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_intercore-sim-tested"))
        .args(["--max-cycles", "1e8", "--quiet"])
        .args(options)
        .arg(elf)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the simulator runs");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("the simulator ends");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "ended with {}\n{out}\n{err}", output.status);
    assert_eq!(err, "", "nothing to complain about");
    out.into_owned()
}

fn prints(name: &str, memories: &[&str], expected: &[&str]) {
    for memory in memories {
        let Some(elf) = build(name, memory) else { return };
        assert_eq!(run(&elf, &[], "").lines().collect::<Vec<_>>(), expected, "{name} in {memory}");
    }
}

const EITHER: &[&str] = &["sram", "flash"];

#[test]
fn two_cores_take_the_cycles_of_one_unless_they_share_a_bank() {
    let expected = [
        "alone, core 0: 4002",
        "a bank each, sooner: 4002",
        "a bank each, later: 4002",
        "one bank, sooner: 4002",
        "one bank, later: 4003",
    ];
    prints("both_cores", EITHER, &expected);
}

#[test]
fn two_cores_reading_from_one_bank_take_turns() {
    let expected = [
        "alone, core 0: 163",
        "a bank each, sooner: 163",
        "a bank each, later: 163",
        "one bank, sooner: 259",
        "one bank, later: 260",
    ];
    prints("bank_conflict", EITHER, &expected);
}

#[test]
fn a_polled_round_trip_through_the_fifos_takes_16_cycles() {
    prints("fifo_polled", EITHER, &["100 round trips: 1601"]);
}

#[test]
fn a_round_trip_by_interrupts_takes_46_cycles() {
    prints("fifo_interrupt", EITHER, &["100 round trips: 4618"]);
}

#[test]
fn a_spinlock_goes_to_and_fro_in_13_cycles_on_average() {
    prints("spinlock", EITHER, &["100 rounds: 1301"]);
}

#[test]
fn a_cache_hit_takes_2_cycles_and_a_miss_a_word_of_the_flash() {
    let expected = ["miss: 2755", "hit: 67", "other half, miss: 2755", "other half, hit: 67", "around the cache: 2755"];
    prints("xip", &["flash"], &expected);
}

#[test]
fn uart_bytes_arrive_at_the_line_rate() {
    for memory in EITHER {
        let Some(elf) = build("uart_echo", memory) else { return };
        let output = run(&elf, &["--input-after", "ready\n"], "hello\n");
        let expected = ["ready", "hello", "bytes: 6", "cycles from the first to the last: 54250"];
        assert_eq!(output.lines().collect::<Vec<_>>(), expected, "in {memory}");
    }
}

/// Damage where it hurts: in the header, the table of sections, and the symbols, which are at the end.
fn damaged(file: &[u8], damage: &[(usize, u8, bool)]) -> Vec<u8> {
    let mut file = file.to_vec();
    for &(offset, value, at_the_end) in damage {
        let at = if at_the_end { file.len() - 1 - offset % file.len() } else { offset % 256 };
        file[at] = value;
    }
    file
}

#[test]
fn a_damaged_image_with_symbols_is_refused_or_runs_but_never_panics() {
    use intercore_sim::core::names::Names as _;
    use intercore_sim::image::Image;
    use intercore_sim::rp2040::machine::Machine;
    use proptest::prelude::*;
    let Some(elf) = build("uart_echo", "sram") else { return };
    let file = std::fs::read(elf).expect("it is there");
    let damage = proptest::collection::vec((0_usize..20_000, any::<u8>(), any::<bool>()), 1..6);
    let rom = intercore_sim::rp2040::bootrom::ours();
    proptest!(ProptestConfig::with_cases(2000), |(damage in damage, cut in prop::option::of(0..file.len()))| {
        let bytes = damaged(&file, &damage);
        if let Ok(image) = Image::parse(&bytes[..cut.unwrap_or(bytes.len())], None, &intercore_sim::rp2040::boot::IMAGES) {
            let mut machine = Machine::new();
            prop_assert_eq!(machine.boot(&image, &rom), Ok(()));
            machine.run_until(2000);
            let _ = image.function_at(machine.core(0).register(15));
        }
    });
}

#[test]
fn pio_blocks_send_receive_move_and_count() {
    let expected = ["bytes over a line: 32", "wrong: 0", "words through a pipe: 64", "wrong: 0", "edges: 100"];
    prints("pio", EITHER, &expected);
}

/// The host finds the device, and the text comes and goes in whole packets; both engines do the same in the same cycles.
#[test]
fn a_serial_port_over_usb_sends_back_what_it_gets() {
    use intercore_sim::core::stop::Stop;
    use intercore_sim::engine::Engine;
    use intercore_sim::image::Image;
    use intercore_sim::rp2040::{boot, bootrom, machine::Machine};
    const USB_PORT: usize = 2;
    for memory in EITHER {
        let Some(elf) = build("usb_echo", memory) else { return };
        let image = Image::open(&elf, None, &boot::IMAGES).expect("an image");
        let [fast, slow] = [Engine::Decoupled, Engine::LockStep].map(|engine| {
            let mut machine = Machine::new();
            machine.engine = engine;
            machine.boot(&image, &bootrom::ours()).expect("it fits");
            for byte in "Hello, world! ".repeat(5).bytes().chain(*b"\n") {
                machine.send_uart(USB_PORT, byte, 0);
            }
            assert_eq!(machine.run_until(50_000_000), Stop::Exit { core: 0, code: 0 }, "{engine:?} in {memory}");
            assert_eq!(machine.bus.fabric.diagnostics.pending(), [""; 0], "{engine:?} in {memory}");
            let texts = [USB_PORT, 0].map(|port| String::from_utf8(machine.take_uart(port)).expect("ASCII"));
            (machine.now(), [0, 1].map(|core| machine.statistics(core)), texts)
        });
        assert_eq!(fast, slow, "in {memory}");
        let [usb, uart] = fast.2;
        assert_eq!(usb, "HELLO, WORLD! ".repeat(5) + "\n", "in {memory}");
        assert_eq!(uart, "bytes: 71\npackets: 2\n", "in {memory}");
    }
}
