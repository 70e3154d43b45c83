//! A hunt for faults: the same whichever engine runs it, and the same run as without it.

use intercore_sim::core::profile::{Hunt, InterruptUse};
use intercore_sim::engine::Engine;
use intercore_sim::image::Image;
use intercore_sim::rp2040::{boot, bootrom, machine::Machine};

const CYCLES: u64 = 1_500_000;

fn machine(image: &Image, engine: Engine) -> Machine {
    let mut machine = Machine::new();
    machine.engine = engine;
    machine.boot(image, &bootrom::ours()).expect("it fits");
    machine
}

fn seen(hunt: &Hunt) -> String {
    let Hunt { interrupts, words, suspicions, stacks, .. } = hunt;
    format!("{interrupts:?} {words:?} {suspicions:?} {stacks:?}")
}

#[test]
fn a_hunt_finds_the_same_with_both_engines_and_disturbs_nothing() {
    for (name, memory) in [("fifo_interrupt", "sram"), ("spinlock", "sram"), ("both_cores", "flash"), ("alarm", "sram")]
    {
        let Some(elf) = crate::compiler::build_example(name, memory, "hunt") else { return };
        let image = Image::open(&elf, None, &boot::IMAGES).expect("it was built");
        let mut alone = machine(&image, Engine::Decoupled);
        alone.run_until(CYCLES);
        let mut found = Vec::new();
        for engine in [Engine::Decoupled, Engine::LockStep] {
            let mut hunted = machine(&image, engine);
            hunted.start_hunt_again(&image, [0x2000_0400, 0x2000_0800], []);
            hunted.run_until(CYCLES);
            assert_eq!(hunted.state_hash(), alone.state_hash(), "{name}");
            let waits = hunted.waits();
            assert_eq!(hunted.state_hash(), alone.state_hash(), "to look at {name} changes nothing");
            let profile = hunted.take_profile().expect("it was started");
            found.push((seen(profile.hunt.as_ref().expect("it is one")), waits));
        }
        assert_eq!(found[0], found[1], "{name} in {memory}");
    }
}

#[test]
fn races_are_the_same_with_both_engines_and_disturb_nothing() {
    for (name, define) in
        [("COUNTER", true), ("TORN", true), ("LAZY", true), ("EARLY", true), ("PINS", true), ("LIST", false)]
    {
        let more =
            ["-g", "-Wno-unused-function", "-Wno-unused-variable", "-Wno-unused-parameter", &format!("-D{name}")];
        let more = more.into_iter().chain((!define).then_some("-DMENDED")).chain(["chip.c", "faults/races.c"]);
        let Some(elf) = crate::compiler::build(&format!("races-{name}"), "sram", &more.collect::<Vec<_>>()) else {
            return;
        };
        let image = Image::open(&elf, None, &boot::IMAGES).expect("it was built");
        let mut first = machine(&image, Engine::Decoupled);
        first.start_hunt(&image);
        first.run_until(CYCLES);
        let profile = first.take_profile().expect("it was started");
        let touched = profile.hunt.and_then(|hunt| hunt.touched).expect("it is a first run");
        let shared = touched.shared();
        assert!((1..2000).contains(&shared.len()), "{name}: {}", shared.len());
        let found = [Engine::Decoupled, Engine::LockStep].map(|engine| {
            let mut again = machine(&image, engine);
            again.start_hunt_again(&image, [], shared.iter().copied());
            again.run_until(CYCLES);
            assert_eq!(again.state_hash(), first.state_hash(), "{name}");
            let profile = again.take_profile().expect("it was started");
            profile.hunt.and_then(|hunt| hunt.races).expect("it looked for them").found()
        });
        assert_eq!(found[0], found[1], "{name}");
        assert_eq!(found[0].is_empty(), !define, "{name}: {:?}", found[0]);
    }
}

#[test]
fn handlers_are_counted_with_their_times() {
    let Some(elf) = crate::compiler::build_example("fifo_interrupt", "sram", "hunt-times") else { return };
    let image = Image::open(&elf, None, &boot::IMAGES).expect("it was built");
    let mut machine = machine(&image, Engine::Decoupled);
    machine.start_hunt(&image);
    machine.run_until(CYCLES);
    let profile = machine.take_profile().expect("it was started");
    let hunt = profile.hunt.as_ref().expect("it is one");
    let all: Vec<InterruptUse> = hunt.interrupts.values().copied().collect();
    assert!(!all.is_empty());
    assert!(all.iter().all(|used| used.longest <= used.total && used.total <= used.count * used.longest), "{all:?}");
    // From where it is pending to its vector: 1 to be recognised, up to 3 of an instruction, 8 stores.
    assert!(all.iter().all(|used| used.latency >= 9), "{all:?}");
}
