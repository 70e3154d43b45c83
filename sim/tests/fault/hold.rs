//! A core that is held before an instruction.

use intercore_sim::core::stop::Stop;
use intercore_sim::engine::Engine;
use intercore_sim::fault::Fault;
use intercore_sim::image::Image;
use intercore_sim::rp2040::{boot, bootrom, machine::Machine};
use intercore_sim::session::{End, Session, Until};
use proptest::prelude::*;

fn session(image: &Image, engine: Engine, faults: &[String]) -> Session<Machine> {
    let mut machine = Machine::new();
    machine.engine = engine;
    machine.boot(image, &bootrom::ours()).expect("it fits");
    let mut session = Session::new(machine);
    let parsed = faults.iter().map(|text| text.parse::<Fault>().expect(text));
    session.set_faults(parsed).expect("faults of this chip");
    session
}

fn run(session: &mut Session<Machine>, to: u64) -> End {
    session.run(&Until { limit: to, stop_address: None, text: None }, || true)
}

/// The address of a function.
fn function(image: &Image, name: &str) -> u32 {
    image.symbols.iter().find(|symbol| symbol.name == name).expect("the example has it").address
}

#[test]
fn it_stands_there_once_for_so_many_cycles() {
    let Some(elf) = crate::compiler::build_example("fifo_polled", "sram", "hold") else { return };
    let image = Image::open(&elf, None, &boot::IMAGES).expect("it was built");
    let pc = function(&image, "pong");
    let mut held = session(&image, Engine::Decoupled, &[format!("hold:core=1,pc={pc:#x},cycles=5000@0")]);
    for at in (0..2_000_000).step_by(1000) {
        if !held.chip.core(1).is_stuck() {
            run(&mut held, at);
        }
    }
    assert!(held.chip.core(1).is_stuck());
    let (begun, there) = (held.chip.now(), held.chip.core(1).register(15));
    assert_eq!(there, pc);
    run(&mut held, begun + 3999);
    assert!(held.chip.core(1).is_stuck());
    run(&mut held, begun + 5001);
    assert!(!held.chip.core(1).is_stuck());
    let now = held.chip.now();
    run(&mut held, now + 100_000);
    assert!(!held.chip.core(1).is_stuck(), "it is held once");
}

/// Nothing happens on the chip until the core goes on, which is behind the end of this run.
#[test]
fn a_run_that_ends_while_a_core_is_held_comes_to_its_limit_and_not_to_a_dead_end() {
    let Some(elf) = crate::compiler::build_example("spinlock", "sram", "hold") else { return };
    let image = Image::open(&elf, None, &boot::IMAGES).expect("it was built");
    let pc = function(&image, "example");
    let mut held = session(&image, Engine::Decoupled, &[format!("hold:core=0,pc={pc:#x},cycles=5000@0")]);
    let mut at = 0;
    while !held.chip.core(0).is_stuck() {
        at += 500;
        assert_eq!(run(&mut held, at), End::Stop(Stop::Limit));
    }
    assert_eq!(run(&mut held, at + 1000), End::Stop(Stop::Limit));
    assert_eq!((held.chip.now(), held.chip.core(0).is_stuck()), (at + 1000, true));
    run(&mut held, at + 6000);
    assert!(!held.chip.core(0).is_stuck());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn both_engines_and_runs_in_pieces_do_the_same(
        holds in prop::collection::vec((0..2_usize, 0..4_usize, 0..12_u32, 0..6000_u64, 0..50_000_u64), 1..4),
        piece in 1000..50_000_u64,
    ) {
        const END: u64 = 1_500_000;
        for (name, memory) in [
            ("spinlock", "sram"),
            ("fifo_polled", "flash"),
        ] {
            let Some(elf) = crate::compiler::build_example(name, memory, "hold-engines") else { return Ok(()) };
            let image = Image::open(&elf, None, &boot::IMAGES).expect("it was built");
            let known = ["ping", "pong", "example", "print_number"].map(|name| function(&image, name));
            let mut faults: Vec<String> = holds.iter().map(|&(core, which, halfwords, cycles, from)| {
                // In the loops behind their first instructions; half of a long instruction is never executed.
                let pc = known[which] + 2 * halfwords;
                format!("hold:core={core},pc={pc:#x},cycles={cycles}@{from}")
            }).collect();
            faults.push("flash-cache@20_000".to_owned());
            faults.push("power-on:seed=3".to_owned());
            let mut hashes = Vec::new();
            for engine in [Engine::Decoupled, Engine::LockStep] {
                let mut whole = session(&image, engine, &faults);
                run(&mut whole, END);
                hashes.push(whole.trace_hash());
                let mut pieces = session(&image, engine, &faults);
                // The program ends before that; then it has ended in the same cycle.
                for at in (piece..END).step_by(piece as usize) {
                    if run(&mut pieces, at) != End::Stop(Stop::Limit) {
                        break;
                    }
                }
                hashes.push(pieces.trace_hash());
            }
            prop_assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{name}: {hashes:x?}");
        }
    }
}
