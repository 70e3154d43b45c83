//! The timeline: read back by a decoder of its own, its slices nest, its times never go back, and it adds up to the
//! statistics. Recording it takes no time of the chip's.

use crate::machine_code::{STAY, put, put_word};
use intercore_sim::core::bus::Slave;
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;
use intercore_sim::observe::timeline::{Mark, Timeline};
use intercore_sim::rp2040::bus::slave;
use intercore_sim::rp2040::machine::Machine;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// A protocol buffer's fields: number, and value or bytes.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (&first, rest) = bytes.split_first().expect("a whole number");
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first < 0x80 {
            break;
        }
    }
    value
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            2 => {
                let length = varint(&mut bytes) as usize;
                let (inner, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(inner)
            }
            other => panic!("wire type {other}"),
        };
        all.push((key >> 3, field));
    }
    all
}

fn number(fields: &[(u64, Field<'_>)], which: u64) -> Option<u64> {
    fields.iter().find_map(|(at, field)| match field {
        Field::Number(value) if *at == which => Some(*value),
        _ => None,
    })
}

fn bytes<'a>(fields: &[(u64, Field<'a>)], which: u64) -> Vec<&'a [u8]> {
    let of = |(at, field): &(u64, Field<'a>)| match field {
        Field::Bytes(inner) if *at == which => Some(*inner),
        _ => None,
    };
    fields.iter().filter_map(of).collect()
}

fn text(fields: &[(u64, Field<'_>)], which: u64) -> String {
    bytes(fields, which).first().map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default()
}

/// What a trace holds.
#[derive(Default)]
pub struct Read {
    /// By track and name: how many slices, and their length in cycles.
    pub slices: BTreeMap<(String, String), (u64, u64)>,
    /// By track and name: arguments.
    pub instants: BTreeMap<(String, String), Vec<BTreeMap<String, u64>>>,
    /// Deepest nesting by track.
    depth: BTreeMap<String, usize>,
    /// Nanoseconds and cycles of all events.
    pub times: Vec<(u64, u64)>,
}

/// Reads a trace, and checks that slices nest, that all are ended and that time never goes back on a track.
pub fn read(file: &[u8]) -> Read {
    let mut tracks = BTreeMap::new();
    let mut open: BTreeMap<String, Vec<(String, u64)>> = BTreeMap::new();
    let mut last: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut all = Read::default();
    for packet in bytes(&fields(file), 1).into_iter().map(fields) {
        if let [track] = bytes(&packet, 60)[..] {
            let descriptor = fields(track);
            tracks.insert(number(&descriptor, 1), text(&descriptor, 2));
            continue;
        }
        let event = fields(bytes(&packet, 11)[0]);
        let track = tracks[&number(&event, 11)].clone();
        let annotations = bytes(&event, 4).into_iter().map(fields);
        let arguments: BTreeMap<_, _> =
            annotations.map(|note| (text(&note, 10), number(&note, 3).unwrap_or_default())).collect();
        let kind = number(&event, 9);
        let unit = if arguments.keys().any(|name| name.ends_with("cycle")) { "cycle" } else { "ps" };
        let cycle = arguments[&if kind == Some(2) { format!("end {unit}") } else { unit.to_owned() }];
        let time = (number(&packet, 8).expect("a time"), cycle);
        let before = last.insert(track.clone(), time).unwrap_or_default();
        assert!(before.0 <= time.0 && before.1 <= time.1, "{track}: {before:?}, then {time:?}");
        all.times.push(time);
        let stack = open.entry(track.clone()).or_default();
        match kind {
            Some(1) => {
                stack.push((text(&event, 23), cycle));
                let deepest = all.depth.entry(track).or_default();
                *deepest = stack.len().max(*deepest);
            }
            Some(2) => {
                let (name, begun) = stack.pop().expect("an end has a beginning");
                let sum = all.slices.entry((track, name)).or_default();
                *sum = (sum.0 + 1, sum.1 + cycle - begun);
            }
            Some(3) => all.instants.entry((track, text(&event, 23))).or_default().push(arguments),
            other => panic!("{other:?}"),
        }
    }
    assert!(open.values().all(Vec::is_empty), "{open:?} is never ended");
    all
}

/// The slices of a core add up to its statistics.
fn adds_up(read: &Read, machine: &Machine) {
    for number in 0..2 {
        let statistics = machine.statistics(number);
        let track = format!("core {number} state");
        let total = |name: String| read.slices.get(&(track.clone(), name)).map_or(0, |sum| sum.1);
        assert_eq!(total("asleep".to_owned()), statistics.asleep, "core {number}");
        for slave in Slave::all() {
            let (name, at) = (slave::name(slave).unwrap_or_default(), slave.number());
            assert_eq!(total(format!("{name}: other master")), statistics.conflicts[at], "core {number}, {name}");
            assert_eq!(total(format!("{name}: wait states")), statistics.waits[at], "core {number}, {name}");
        }
    }
}

const CORE_1: u32 = 0x2000_0100;
const HANDLER: u32 = 0x2000_0200;
const VECTORS: u32 = 0x2000_0800;

/// Two cores that fight for a bank and ask the APB; core 1 sleeps until `SysTick` wakes it every 500 cycles.
fn machine() -> Machine {
    let mut machine = Machine::new();
    machine.set_clock(125_000_000);
    // LDR r1, [r0]; STR r2, [r0]; LDR r3, [r4]; ADDS r2, #1; B back
    put(&mut machine, 0x2000_0000, &[0x6801, 0x6002, 0x6823, 0x3201, 0xe7fa]);
    // WFI; LDR r1, [r0]; LDR r1, [r0]; B back
    put(&mut machine, CORE_1, &[0xbf30, 0x6801, 0x6801, 0xe7fb]);
    // LDR r1, [r0]; BX lr
    put(&mut machine, HANDLER, &[0x6801, 0x4770, STAY]);
    put_word(&mut machine, VECTORS + 4 * 15, HANDLER | 1);
    for core in 0..2 {
        machine.start_core(core, [0x2000_0000, CORE_1][core] | 1, 0x2004_0800 + 0x1000 * core as u32);
        machine.core_mut(core).set_register(0, 0x2000_1000);
        machine.core_mut(core).set_register(4, 0x4000_0000);
    }
    machine
}

/// Lets core 1 set its vector table and `SysTick` up, by instructions ahead of its loop.
fn with_ticks() -> Machine {
    let mut machine = machine();
    // LDR r5, =VTOR; LDR r6, =VECTORS; STR; LDR r5, =SYST_CSR; LDR r6, =499; STR [r5, #4]; MOVS r6, #7; STR [r5]; B CORE_1
    let at = 0x2000_0300;
    put(&mut machine, at, &[0x4d04, 0x4e05, 0x602e, 0x4d05, 0x4e05, 0x606e, 0x2607, 0x602e, 0xe6f6, 0xbf00]);
    for (index, word) in [0xe000_ed08, VECTORS, 0xe000_e010, 499].into_iter().enumerate() {
        put_word(&mut machine, at + 20 + 4 * index as u32, word);
    }
    machine.core_mut(1).set_register(15, at);
    machine
}

/// Runs to cycle 50,000 in slices, with a timeline.
fn traced(machine: &mut Machine, slice: u64, marks: Vec<Mark>) -> Vec<u8> {
    let mut timeline = Timeline::new(machine, marks, Vec::new()).expect("a Vec takes everything");
    while machine.now() < 50_000 {
        machine.run_until((machine.now() + slice).min(50_000));
        timeline.drain(machine).expect("a Vec takes everything");
    }
    timeline.finish(machine).expect("a Vec takes everything")
}

#[test]
fn the_timeline_adds_up_to_the_statistics() {
    let mut machine = with_ticks();
    let read = read(&traced(&mut machine, 10_000, Vec::new()));
    adds_up(&read, &machine);
    let of = |track: &str, name: &str| read.slices.get(&(track.to_owned(), name.to_owned())).copied().unwrap_or((0, 0));
    assert!(of("core 1 state", "asleep").0 > 90, "{:?}", read.slices);
    assert!(of("core 1 exceptions", "SysTick").0 > 90, "{:?}", read.slices);
    assert!(machine.conflicts(1) > 0 && of("core 0 state", "APB: wait states").0 > 1000, "{:?}", read.slices);
    let running = of("core 0 state", "running");
    assert!(running.0 == 1 && running.1.abs_diff(50_000) <= 8, "{running:?}");
}

#[test]
fn the_run_is_the_same_with_and_without_a_timeline() {
    let mut plain = with_ticks();
    plain.run_until(50_000);
    let mut recorded = with_ticks();
    traced(&mut recorded, 50_000, vec![Mark { name: "w".into(), watch: Watch::Write, address: 0, bytes: u32::MAX }]);
    assert_eq!(plain.state_hash(), recorded.state_hash());
}

#[test]
fn the_timeline_does_not_depend_on_how_often_it_is_drained() {
    let slices = |slice| read(&traced(&mut with_ticks(), slice, Vec::new())).slices;
    assert_eq!(slices(50_000), slices(777));
}

#[test]
fn times_are_the_chips_own() {
    let read = read(&traced(&mut machine(), 10_000, Vec::new()));
    assert!(read.times.iter().all(|&(nanoseconds, cycle)| nanoseconds == cycle * 8), "125 MHz");
}

#[test]
fn marks_show_executions_and_values_written() {
    let marks = vec![
        Mark { name: "handler".into(), watch: Watch::Execute, address: HANDLER, bytes: 1 },
        Mark { name: "value".into(), watch: Watch::Write, address: 0x2000_1000, bytes: 4 },
    ];
    let mut machine = with_ticks();
    let read = read(&traced(&mut machine, 10_000, marks));
    let handled = &read.instants[&("core 1 marks".to_owned(), "handler".to_owned())];
    assert_eq!(handled.len() as u64, machine.statistics(1).exceptions);
    assert!(handled.iter().all(|arguments| arguments["pc"] == u64::from(HANDLER)));
    let values = &read.instants[&("core 0 marks".to_owned(), "value".to_owned())];
    assert!(values.len() > 1000 && (0..).zip(values).all(|(index, arguments)| arguments["value"] == index));
}

#[test]
fn a_core_in_reset_or_stuck_is_shown_as_such() {
    use intercore_sim::fault::{Fault, Faults};
    let mut machine = with_ticks();
    let mut timeline = Timeline::new(&mut machine, [], Vec::new()).expect("written");
    let stuck = Fault::Stuck { core: 0, from: 10_000, until: 20_000 };
    let mut faults =
        Faults::new([stuck, Fault::Stuck { core: 1, from: 12_345, until: 22_345 }], &mut machine).expect("faults");
    while machine.now() < 50_000 {
        faults.apply(&mut machine);
        if machine.run_until(faults.next().min(50_000)) == Stop::DeadEnd {
            machine.advance_to(faults.next());
        }
    }
    timeline.drain(&mut machine).expect("written");
    let read = read(&timeline.finish(&mut machine).expect("written"));
    adds_up(&read, &machine);
    for core in 0..2 {
        let slices = read.slices.get(&(format!("core {core} state"), "stuck".to_owned()));
        assert!(slices.is_some_and(|sum| sum.0 == 1 && sum.1.abs_diff(10_000) <= 8), "{:?}", read.slices);
    }
}

/// Runs the command line on a loop, with a timeline; what it ends with.
fn command(name: &str, code: &[u16], options: &[&str], interrupt: bool) -> (Option<i32>, Vec<u8>, String) {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (image, trace) = (folder.join(name), folder.join(format!("{name}.pftrace")));
    let mut contents = Vec::new();
    contents.extend(0x2004_0000_u32.to_le_bytes());
    contents.extend(0x2000_0009_u32.to_le_bytes());
    contents.extend(crate::machine_code::bytes(code));
    std::fs::write(&image, contents).expect("written");
    // One of an earlier run must not look like a beginning of this one.
    let _ = std::fs::remove_file(&trace);
    let child = Command::new(env!("CARGO_BIN_EXE_intercore-sim-tested"))
        .args(["--base", "0x20000000", "--trace"])
        .arg(&trace)
        .args(options)
        .arg(&image)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    if interrupt {
        // Until something is in the file the handler may not be there yet.
        let started = |trace| std::fs::metadata(trace).is_ok_and(|file| file.len() > 0);
        while !started(&trace) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.expect("kill is there").success());
    }
    let output = child.wait_with_output().expect("it ends");
    let trace = std::fs::read(trace).expect("it is there");
    (output.status.code(), trace, String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_timeline_is_whole_however_the_run_ends() {
    // MOVS r0, #0x40; LSLS r0, #24; LDR r1, [r0]; B back: a loop with an access to the APB, so that the file grows.
    let busy = [0x2040, 0x0600, 0x6801, 0xe7fd];
    let (code, trace, said) = command("limit", &busy, &["--max-cycles", "1e5"], false);
    assert_eq!(code, Some(1), "{said}");
    assert!(read(&trace).times.len() > 1000);
    // MOVS r0, #0x18 (SYS_EXIT); LDR r1, =0x20026; BKPT 0xAB
    let (code, trace, said) = command("exit-trace", &[0x2018, 0x4901, 0xbeab, 0xbf00, 0x0026, 0x0002], &[], false);
    assert_eq!(code, Some(0), "{said}");
    read(&trace);
    let (code, trace, said) = command("lockup-trace", &[0xde00], &[], false);
    assert_eq!(code, Some(1), "{said}");
    assert!(read(&trace).slices.contains_key(&("core 0 state".to_owned(), "locked up".to_owned())));
    let (code, trace, said) = command("interrupted", &busy, &[], true);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("interrupted") && said.contains("core 0 is running") && said.contains("instructions"));
    assert!(read(&trace).times.len() > 1000);
}
