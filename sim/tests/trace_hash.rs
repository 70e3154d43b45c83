//! The hash of a run: it covers every state and every byte sent, and nothing of how the run is cut.

use intercore_sim::core::time::Cycle;
use intercore_sim::core::uart_frame::SentByte;
use intercore_sim::observe::trace_hash::TraceHash;
use intercore_sim::rp2040::machine::Machine;

/// Firmware that counts: ADDS r0, #1; STR r0, [sp]; B back.
fn counting() -> Machine {
    let mut machine = Machine::new();
    assert!(machine.load(0x2000_0000, &[0x01, 0x30, 0x00, 0x90, 0xfc, 0xe7]));
    machine.start_core(0, 0x2000_0001, 0x2000_1000);
    machine
}

fn hash(cuts: &[Cycle], change: impl Fn(&mut Machine)) -> u64 {
    let (mut machine, mut hash) = (counting(), TraceHash::with_interval::<Machine>(1000));
    for &cut in cuts {
        while machine.now() < cut {
            machine.run_until(cut.min(hash.next()));
            hash.state(&machine);
        }
        change(&mut machine);
    }
    hash.finish(&machine)
}

#[test]
fn the_hash_does_not_depend_on_how_a_run_is_cut() {
    assert_eq!(hash(&[5000], |_| {}), hash(&[1, 17, 999, 1000, 2500, 4999, 5000], |_| {}));
    assert_ne!(hash(&[5000], |_| {}), hash(&[5001], |_| {}));
}

#[test]
fn the_hash_tells_runs_apart_that_only_differed_for_a_while() {
    let short = |machine: &mut Machine| {
        let value = if machine.now() == 1500 { 7 } else { 0 };
        machine.load(0x2000_2000, &[value]);
    };
    assert_ne!(hash(&[1500, 2500, 5000], |_| {}), hash(&[1500, 2500, 5000], short));
}

#[test]
fn a_byte_and_its_cycle_both_count() {
    let of = |uart, sent: &[SentByte]| {
        let mut hash = TraceHash::new::<Machine>();
        hash.sent(uart, sent);
        hash.finish(&counting())
    };
    let one = SentByte { at: 5, byte: 65, rate: 115_200 };
    let all = [
        of(0, &[]),
        of(0, &[one]),
        of(1, &[one]),
        of(0, &[SentByte { at: 6, ..one }]),
        of(0, &[SentByte { byte: 66, ..one }]),
    ];
    for (index, hash) in all.iter().enumerate() {
        assert!(!all[..index].contains(hash));
    }
}
