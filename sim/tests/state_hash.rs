//! Equal runs have equal hashes of their state, and what differs in the state differs in the hash.

mod machine_code;
use intercore_sim::chip::machine::Machine;
use intercore_sim::observe::probe::Watch;
use machine_code::{CODE, STACK, load_loop, put};

#[test]
fn runs_repeat_and_do_not_depend_on_how_they_are_cut() {
    let build = || {
        let mut machine = Machine::new();
        for core in 0..2 {
            put(&mut machine, CODE + 0x100 * core as u32, &load_loop(200));
            machine.start_core(core, (CODE + 0x100 * core as u32) | 1, STACK);
            machine.core_mut(core).set_register(1, CODE + 0x1000);
        }
        machine
    };
    let mut whole = build();
    whole.run_until(900);
    for cut in [1, 3, 7, 64] {
        let mut pieces = build();
        let mut at = 0;
        while at < 900 {
            at = (at + cut).min(900);
            pieces.run_until(at);
        }
        assert_eq!(pieces.state_hash(), whole.state_hash(), "cut into pieces of {cut}");
    }
    let mut copy = build();
    copy.run_until(333);
    let mut later = copy.clone();
    later.run_until(900);
    assert_eq!(later.state_hash(), whole.state_hash(), "through a snapshot");
    let mut watched = build();
    watched.bus.watch.probe(Watch::Execute, CODE, 1);
    watched.run_until(900);
    assert_eq!(watched.state_hash(), whole.state_hash(), "a probe changes nothing");
}
