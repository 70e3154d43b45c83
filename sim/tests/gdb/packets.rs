//! Packets on a socket, and a machine in this process.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::machine_code::{CODE, STAY, machine as small_machine};
use intercore_sim::core::stop::Stop;
use intercore_sim::debug::{Debuggee, Outcome, serve};
use intercore_sim::rp2040::machine::Machine;
use proptest::prelude::*;

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

fn served<D: Debuggee + Send + 'static>(mut debuggee: D) -> (Client, JoinHandle<(Outcome, D)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let client = TcpStream::connect(listener.local_addr().expect("an address")).expect("it listens");
    client.set_read_timeout(Some(Duration::from_secs(100))).expect("a socket");
    let (stream, _) = listener.accept().expect("a client");
    (Client(client), std::thread::spawn(move || (serve(stream, &mut debuggee), debuggee)))
}

/// A machine whose turns others can count.
struct Counted {
    machine: Machine,
    turns: Arc<AtomicU32>,
}

impl Debuggee for Counted {
    type Chip = Machine;

    fn chip(&self) -> &Machine {
        &self.machine
    }

    fn chip_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }

    fn proceed(&mut self) -> Option<Stop> {
        let before = self.machine.now();
        let stop = self.machine.proceed();
        assert!(self.machine.now() - before <= 100_000, "until an interrupt is looked for");
        self.turns.fetch_add(1, Ordering::Release);
        stop
    }
}

#[test]
fn an_interrupt_is_looked_for_in_every_hundred_thousand_cycles() {
    let turns = Arc::new(AtomicU32::new(0));
    let mut machine = small_machine(&[0x3001, 0x3101, STAY - 2]);
    machine.start_core(1, CODE | 1, 0x2004_1800);
    let (mut client, server) = served(Counted { machine, turns: Arc::clone(&turns) });
    for _ in 0..5 {
        let before = turns.load(Ordering::Acquire);
        client.send("vCont;c");
        while turns.load(Ordering::Acquire) == before {
            std::thread::yield_now();
        }
        client.0.write_all(&[3]).expect("it reads");
        assert_eq!(client.reply(), "T02thread:01;");
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
    assert!(!machine.bus.fabric.watch.in_use(), "a debugger that is gone leaves nothing behind");
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
