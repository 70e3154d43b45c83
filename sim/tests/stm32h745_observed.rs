//! The STM32H745 observed and debugged, by the same code as the RP2040: probes, breakpoints, statistics, tallies, faults,
//! hash of a run, timeline and GDB.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use intercore_sim::core::chip::Chip as _;
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;
use intercore_sim::debug::{Outcome, serve};
use intercore_sim::fault::{Fault, Faults};
use intercore_sim::observe::tally::Tally;
use intercore_sim::observe::timeline::{Mark, Timeline};
use intercore_sim::observe::trace_hash::TraceHash;
use intercore_sim::stm32h745::machine::Machine;
use intercore_sim::stm32h745::peripherals::board::{Board, OptionBytes};
use intercore_sim::stm32h745::{M4, M7, Time};

use crate::timeline::read;

/// Begins of the programs.
const CODE: [u32; 2] = [0x0800_0100, 0x0810_0100];
/// Where the Cortex-M4 handles `SysTick`.
const HANDLER: u32 = 0x0810_0200;
/// A period of a clock of 64 MHz.
const PERIOD: Time = 15_625;
const MICROSECOND: Time = 64 * PERIOD;
const DTCM: u32 = 0x2000_0300;

fn bytes(code: &[u16]) -> Vec<u8> {
    code.iter().flat_map(|half| half.to_le_bytes()).collect()
}

/// The Cortex-M7 counts in a word of its DTCM; the Cortex-M4 sleeps, and its `SysTick` wakes it every 500 steps.
fn machine() -> Machine {
    let options = OptionBytes { boot: [true, true], ..OptionBytes::default() };
    let mut machine = Machine::new(options, Board::default());
    // LDR r0, =DTCM; loop: ADDS r2, #1; STR r2, [r0]; LDR r3, [r0]; B loop; the address
    let m7 = [0x4802, 0x3201, 0x6002, 0x6803, 0xe7fb, 0xbf00, DTCM as u16, (DTCM >> 16) as u16];
    // LDR r5, =SYST_CSR; MOVW r6, #499; STR r6, [r5, #4]; MOVS r6, #7; STR r6, [r5]; loop: WFI; NOP; B loop
    let m4 = [0x4d04, 0xf240, 0x16f3, 0x606e, 0x2607, 0x602e, 0xbf30, 0xbf00, 0xe7fc, 0xbf00, 0xe010, 0xe000];
    for ((base, stack), code) in
        [(0x0800_0000, 0x2000_1000), (0x0810_0000, 0x3800_1000)].into_iter().zip([&m7[..], &m4])
    {
        let mut image: Vec<u8> = [stack, base + 0x101].into_iter().flat_map(u32::to_le_bytes).collect();
        image.resize(4 * 15, 0);
        image.extend((HANDLER | 1).to_le_bytes());
        image.resize(0x100, 0);
        image.extend(bytes(code));
        assert!(machine.load(M7, base, &image));
    }
    // MOVS r7, #1; BX lr
    assert!(machine.load(M7, HANDLER, &bytes(&[0x2701, 0x4770])));
    machine.start();
    machine
}

#[test]
fn probes_see_executions_loads_and_stores_and_change_nothing() {
    let (mut plain, mut watched) = (machine(), machine());
    let [begins, stores, loads] = [(Watch::Execute, CODE[M7] + 2), (Watch::Write, DTCM), (Watch::Read, DTCM)]
        .map(|(watch, at)| watched.watch_mut().probe(watch, at, 4));
    let end = 100 * MICROSECOND;
    assert_eq!([&mut plain, &mut watched].map(|machine| machine.run_until(end)), [Stop::Limit, Stop::Limit]);
    assert_eq!(plain.state_hash(), watched.state_hash());
    let hits = |probe| watched.watch().hits(probe).to_vec();
    let (begins, stores, loads) = (hits(begins), hits(stores), hits(loads));
    // 6,400 steps of 64 MHz: 4 instructions for each turn.
    assert!((1599..=1601).contains(&stores.len()), "{}", stores.len());
    for (turn, hit) in (1..).zip(&stores) {
        assert_eq!((hit.core, hit.pc, hit.value), (M7 as u8, CODE[M7] + 4, turn));
    }
    assert!(stores.windows(2).all(|pair| pair[1].cycle - pair[0].cycle == 4 * PERIOD));
    assert!(stores.iter().zip(&loads).all(|(store, load)| {
        (load.value, load.pc, load.cycle) == (store.value, CODE[M7] + 6, store.cycle + PERIOD)
    }));
    // 4 bytes of code are two instructions.
    assert!(begins.chunks(2).zip(&stores).all(|(pair, store)| {
        pair.iter().map(|hit| hit.pc).eq([CODE[M7] + 2, CODE[M7] + 4]) && pair[1].cycle == store.cycle
    }));
}

#[test]
fn a_run_that_is_stopped_and_stepped_is_the_same_run() {
    let (mut plain, mut stopped) = (machine(), machine());
    plain.run_until(100 * MICROSECOND);
    stopped.watch_mut().add_breakpoint(HANDLER);
    let mut stops = 0;
    loop {
        match stopped.run_until(100 * MICROSECOND) {
            Stop::Limit => break,
            stop => assert_eq!(stop, Stop::Breakpoint { core: M4 as u8, pc: HANDLER }),
        }
        stops += 1;
        assert_eq!(stopped.core(M4).processor.register(15), HANDLER);
        stopped.watch_mut().step(M4 as u8);
        assert_eq!(stopped.run_until(200 * MICROSECOND), Stop::Stepped);
        stopped.watch_mut().end_step();
        assert_eq!(stopped.core(M4).processor.register(15), HANDLER + 2);
    }
    assert_eq!(stops, plain.statistics(M4).exceptions);
    assert!((11..=13).contains(&stops), "{stops}");
    assert_eq!(plain.state_hash(), stopped.state_hash());
}

#[test]
fn a_watchpoint_stops_behind_the_instruction() {
    let mut machine = machine();
    machine.watch_mut().add_watchpoint(Watch::Write, DTCM + 2, 1);
    assert_eq!(machine.run_until(MICROSECOND), Stop::Watchpoint { core: M7 as u8, address: DTCM });
    assert_eq!(machine.core(M7).processor.register(15), CODE[M7] + 6);
}

#[test]
fn tallies_and_the_hash_of_a_run_are_those_of_the_chip() {
    let mut tallied = machine();
    let mut tally = Tally::new(&mut tallied, HANDLER);
    while let Stop::Breakpoint { core, pc } = tallied.run_until(100 * MICROSECOND) {
        assert!(tally.pass(&tallied, core, pc));
    }
    let (counts, lost) = tally.take();
    assert_eq!((counts.len() as u64, lost), (tallied.statistics(M4).exceptions, 0));
    for (before, after) in counts.iter().zip(&counts[1..]) {
        let [m7, m4] = [M7, M4].map(|core| after.statistics[core].instructions - before.statistics[core].instructions);
        assert_eq!((after.at - before.at, m7), (500 * PERIOD, 500));
        assert_eq!(m4, 5, "the handler's two, NOP, B and WFI");
        assert!(after.statistics[M4].asleep > before.statistics[M4].asleep + 400 * PERIOD);
    }
    let hash = |cuts: &[Time]| {
        let (mut machine, mut hash) = (machine(), TraceHash::with_interval::<Machine>(MICROSECOND));
        for &cut in cuts {
            while machine.now() < cut {
                machine.run_until(cut.min(hash.next()));
                hash.state(&machine);
            }
        }
        hash.finish(&machine)
    };
    let end = 20 * MICROSECOND;
    assert_eq!(hash(&[end]), hash(&[1, MICROSECOND + 7, end]));
    assert_ne!(hash(&[end]), hash(&[end + PERIOD]));
}

/// Runs 1 ms in slices, with faults and a timeline.
fn traced(machine: &mut Machine, faults: &[&str], slice: Time) -> Vec<u8> {
    let mark = Mark { name: "tick".into(), watch: Watch::Execute, address: HANDLER, bytes: 1 };
    let mut timeline = Timeline::new(machine, [mark], Vec::new()).expect("a Vec takes everything");
    let parsed: Vec<Fault> = faults.iter().map(|text| text.parse().expect("a fault")).collect();
    let mut faults = Faults::new(parsed, machine).expect("faults of this chip");
    let end = 1000 * MICROSECOND;
    while machine.now() < end {
        faults.apply(machine);
        machine.run_until((machine.now() + slice).min(faults.next()).min(end));
        timeline.drain(machine).expect("a Vec takes everything");
    }
    timeline.finish(machine).expect("a Vec takes everything")
}

#[test]
fn the_timeline_adds_up_to_the_statistics_and_is_that_of_the_chips_time() {
    let mut machine = machine();
    let read = read(&traced(&mut machine, &[], 100 * MICROSECOND));
    let of = |track: &str, name: &str| read.slices.get(&(track.to_owned(), name.to_owned())).copied().unwrap_or((0, 0));
    let statistics = machine.statistics(M4);
    assert_eq!(of("core 1 state", "asleep").1, statistics.asleep);
    assert_eq!(of("core 1 exceptions", "SysTick").0, statistics.exceptions);
    assert_eq!(read.instants[&("core 1 marks".to_owned(), "tick".to_owned())].len() as u64, statistics.exceptions);
    assert!(of("core 0 state", "running").1 >= 1000 * MICROSECOND);
    assert!(read.times.iter().all(|&(nanoseconds, ps)| nanoseconds == ps / 1000));
}

#[test]
fn faults_are_shown_in_the_timeline() {
    let faults = ["stuck:core=0@1e8..3e8", "off:core=1@4e8..6e8"];
    let slices = |slice| read(&traced(&mut machine(), &faults, slice)).slices;
    let all = slices(100 * MICROSECOND);
    let of = |track: &str, name: &str| all.get(&(track.to_owned(), name.to_owned())).copied().unwrap_or((0, 0));
    assert_eq!(of("core 0 state", "stuck"), (1, 200_000_000));
    assert_eq!(of("core 1 state", "off"), (1, 200_000_000));
    assert_eq!(all, slices(7 * MICROSECOND));
}

#[test]
fn a_lockup_is_in_the_timeline_and_told_with_its_cause() {
    let mut machine = machine();
    // The Cortex-M7's vector table has no handler of a fault: UDF.
    assert!(machine.load(M7, CODE[M7], &bytes(&[0xde00])));
    let mut timeline = Timeline::new(&mut machine, [], Vec::new()).expect("a Vec takes everything");
    let stop = machine.run_until(MICROSECOND);
    assert!(matches!(stop, Stop::Lockup { core: 0, .. }), "{stop:?}");
    assert!(machine.why_stopped(&stop, &()).contains("an undefined instruction"));
    machine.run_until(2 * MICROSECOND);
    timeline.drain(&mut machine).expect("a Vec takes everything");
    let read = read(&timeline.finish(&mut machine).expect("a Vec takes everything"));
    assert!(read.slices[&("core 0 state".to_owned(), "locked up".to_owned())].1 > MICROSECOND);
}

/// A GDB that says packets, one after the other; what comes back.
struct Gdb(TcpStream);

impl Gdb {
    fn ask(&mut self, body: &str) -> String {
        let sum = body.bytes().fold(0, u8::wrapping_add);
        self.0.write_all(format!("${body}#{sum:02x}").as_bytes()).expect("it reads");
        let mut byte = [0];
        let mut next = || {
            self.0.read_exact(&mut byte).expect("it answers");
            char::from(byte[0])
        };
        while next() != '$' {}
        let mut reply = String::new();
        loop {
            match next() {
                '#' => break,
                '*' => {
                    let count = next() as usize - 29;
                    let last = reply.chars().last().expect("something to repeat");
                    reply.extend(std::iter::repeat_n(last, count));
                }
                other => reply.push(other),
            }
        }
        next();
        next();
        reply
    }
}

#[test]
fn gdb_debugs_both_cores() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let client = TcpStream::connect(listener.local_addr().expect("an address")).expect("it listens");
    client.set_read_timeout(Some(Duration::from_secs(100))).expect("a socket");
    let (stream, _) = listener.accept().expect("a client");
    let server = std::thread::spawn(move || {
        let mut machine = machine();
        (serve(stream, &mut machine), machine)
    });
    let mut gdb = Gdb(client);
    let description = gdb.ask("qXfer:features:read:target.xml:0,fff");
    for part in ["<architecture>armv7e-m", "m-profile", "arm.vfp", "name=\"d15\" bitsize=\"64\"", "\"faultmask\""] {
        assert!(description.contains(part), "{part}: {description}");
    }
    assert!(gdb.ask("qXfer:memory-map:read::0,fff").contains("0x24000000"));
    // Both cores are threads; the Cortex-M4 comes to its handler.
    assert_eq!(gdb.ask("Z1,8100200,2"), "OK");
    assert_eq!(gdb.ask("vCont;c"), "T05thread:02;hwbreak:;");
    assert_eq!(gdb.ask("z1,8100200,2"), "OK");
    assert_eq!(gdb.ask("Hg2"), "OK");
    assert_eq!(gdb.ask("pf"), "00021008");
    assert_eq!(gdb.ask("vCont;s:2;c"), "T05thread:02;");
    assert_eq!(gdb.ask("pf"), "02021008");
    assert_eq!(gdb.ask("p7"), "01000000");
    // Registers of floating point, and special ones.
    assert_eq!(gdb.ask("P11=0102030405060708"), "OK");
    assert_eq!(gdb.ask("p11"), "0102030405060708");
    assert_eq!(gdb.ask("P25=f0000000"), "OK", "BASEPRI");
    assert_eq!(gdb.ask("p25"), "f0000000");
    assert_eq!(gdb.ask("P27=01000000"), "E79", "CONTROL");
    // Memory as each core has it: DTCM is the Cortex-M7's alone; CPUID is each core's own.
    assert!(gdb.ask("m20000300,4").starts_with('E'));
    assert_eq!(gdb.ask("me000ed00,4"), "41c20f41");
    assert_eq!(gdb.ask("Hg1"), "OK");
    assert_eq!(gdb.ask("me000ed00,4"), "71c21f41");
    assert_eq!(gdb.ask("M20000300,4:78563412"), "OK");
    assert_eq!(gdb.ask("m20000300,4"), "78563412");
    // A watchpoint of the Cortex-M7, which stands behind its store.
    assert_eq!(gdb.ask("Z2,20000300,4"), "OK");
    assert_eq!(gdb.ask("vCont;c"), "T05thread:01;watch:20000300;");
    assert_eq!(gdb.ask("pf"), "06010008");
    assert_eq!(gdb.ask("z2,20000300,4"), "OK");
    assert_eq!(gdb.ask("Pf=02010008"), "OK", "sent elsewhere");
    assert_eq!(gdb.ask("pf"), "02010008");
    assert_eq!(gdb.ask("D"), "OK");
    let (outcome, machine) = server.join().expect("no panic");
    assert_eq!(outcome, Outcome::Detached);
    assert!(!machine.watch().in_use(), "a debugger that has left leaves nothing behind");
}

#[test]
fn the_command_line_runs_both_programs() {
    use std::process::Command;
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let elf = |name: &str, base: u32, code: &[u16]| {
        let mut contents: Vec<u8> = [0x2000_1000, base + 9].into_iter().flat_map(u32::to_le_bytes).collect();
        contents.extend(bytes(code));
        let path = folder.join(name);
        std::fs::write(&path, crate::elf::file(base + 9, &[(base, &contents)])).expect("written");
        path
    };
    // The Cortex-M7 counts for ever, the Cortex-M4 locks up.
    let images = [elf("m7.elf", 0x0800_0000, &[0x3001, 0xe7fd]), elf("m4.elf", 0x0810_0000, &[0xde00])];
    let [trace, stats] = ["h745.pftrace", "h745.json"].map(|name| folder.join(name));
    let output = Command::new(env!("CARGO_BIN_EXE_intercore-sim-tested"))
        .args(["--chip", "stm32h745", "--max-cycles", "1e9", "--hash", "--trace"])
        .arg(&trace)
        .arg("--stats")
        .arg(&stats)
        .args(&images)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in ["core 1 locked up at", "FUNCTION ONLY", "the limit set by --max-cycles", "hash: ", "core 0 is running"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(
        read(&std::fs::read(trace).expect("there")).slices.contains_key(&("core 1 state".into(), "locked up".into()))
    );
    let stats = std::fs::read_to_string(stats).expect("there");
    assert!(stats.contains("\"chip\": \"STM32H745\"") && stats.contains("\"instructions\": 64000"), "{stats}");
}
