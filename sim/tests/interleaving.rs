//! However a run is cut or watched, it is the same: random programs on both cores, once in one piece, once cut into single
//! cycles, which starts anew from what stands in the cores, once with a probe. And probes are told the same by both engines.

use crate::machine_code::{CODE, cases, put};
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;
use intercore_sim::engine::Engine;
use intercore_sim::rp2040::machine::Machine;
use proptest::prelude::*;

const DATA: u32 = 0x2000_4000;
const SIO: u32 = 0xd000_0000;

/// Instructions that cannot leave the program: registers 0 to 5 are free, 6 points at data, 7 at SIO.
fn instruction() -> impl Strategy<Value = Vec<u16>> {
    let low = 0u16..6;
    prop_oneof![
        // Data processing on low registers.
        (0x4000u16..0x4400, low.clone(), low.clone()).prop_map(|(op, d, m)| vec![op & 0xffc0 | m << 3 | d]),
        // MOVS, CMP, ADDS, SUBS with an immediate.
        (0u16..4, low.clone(), 0u16..256).prop_map(|(op, d, i)| vec![0x2000 | op << 11 | d << 8 | i]),
        // Loads and stores in the data both cores share, of all widths.
        (0u16..6, low.clone(), 0u16..8).prop_map(|(op, d, i)| {
            let base = [0x6000, 0x6800, 0x7000, 0x7800, 0x8000, 0x8800][op as usize];
            vec![base | i << 6 | 6 << 3 | d]
        }),
        // Spinlocks, CPUID, FIFO status.
        (0u16..3, low.clone()).prop_map(|(i, d)| vec![0x6800 | [0, 20, 21][i as usize] << 6 | 7 << 3 | d]),
        // LDM and STM.
        (1u16..64, any::<bool>()).prop_map(|(list, load)| {
            let list = if load { list & 0x3f } else { list };
            vec![if load { 0xce00 } else { 0xc600 } | list, 0x3e80]
        }),
        // SEV, NOP, barriers, MRS.
        Just(vec![0xbf40]),
        Just(vec![0xf3bf, 0x8f5f]),
        Just(vec![0xf3ef, 0x8300]),
        // Branches over the next instruction.
        (0u16..14).prop_map(|condition| vec![0xd000 | condition << 8, 0xbf00]),
        Just(vec![0xe000, 0xbf00]),
    ]
}

fn program() -> impl Strategy<Value = Vec<u16>> {
    proptest::collection::vec(instruction(), 1..40).prop_map(|parts| {
        let mut code: Vec<u16> = Vec::new();
        for part in parts {
            // R6 is set anew before each use of it: LDM and STM move it.
            code.extend([0x464e]);
            code.extend(part);
        }
        let back = code.len() as u16 + 2;
        code.push(0xe000 | (0u16.wrapping_sub(back) & 0x7ff));
        code
    })
}

fn machine(programs: &[Vec<u16>; 2], apart: u32) -> Machine {
    let mut machine = Machine::new();
    for (core, program) in programs.iter().enumerate() {
        let at = CODE + (0x1000 + apart) * core as u32;
        put(&mut machine, at, program);
        machine.start_core(core, at | 1, 0x2004_1000);
        machine.core_mut(core).set_register(9, DATA);
        machine.core_mut(core).set_register(7, SIO);
    }
    machine
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(200)))]

    #[test]
    fn how_a_run_is_cut_changes_nothing(first in program(), second in program(), apart in 0u32..8) {
        const END: u64 = 1500;
        let programs = [first, second];
        let apart = apart * 2;
        let mut fast = machine(&programs, apart);
        prop_assert_eq!(fast.run_until(END), Stop::Limit);
        let mut slow = machine(&programs, apart);
        for cycle in 1..=END {
            prop_assert_eq!(slow.run_until(cycle), Stop::Limit);
        }
        prop_assert_eq!(fast.state_hash(), slow.state_hash());
        let mut watched = machine(&programs, apart);
        watched.bus.fabric.watch.probe(Watch::Write, DATA, 64);
        prop_assert_eq!(watched.run_until(END), Stop::Limit);
        prop_assert_eq!(fast.state_hash(), watched.state_hash());
    }

    #[test]
    fn both_engines_tell_probes_the_same(first in program(), second in program()) {
        let programs = [first, second];
        let [ours, theirs] = [Engine::Decoupled, Engine::LockStep].map(|engine| {
            let mut machine = machine(&programs, 0);
            machine.engine = engine;
            let places = [(Watch::Read, SIO, 0x180), (Watch::Read, DATA, 64), (Watch::Execute, CODE + 8, 2)];
            let probes = places.map(|(watch, address, bytes)| machine.bus.fabric.watch.probe(watch, address, bytes));
            let stop = machine.run_until(4000);
            let told = probes.map(|probe| format!("{:?}", machine.bus.fabric.watch.hits(probe)));
            (stop, told)
        });
        prop_assert_eq!(ours, theirs);
    }
}
