//! Profiles: every cycle belongs to one function, and what is lost is told with who took it.

use crate::engines::found::that_overwrite_what_was_fetched;
use crate::engines::setting::{HANDLER, SHARED, Setting, of_transfers, setting};
use crate::machine_code::{BANK, CODE, LDR, NOP, OWN, STACK, STAY, VECTORS, VTOR, cases, machine, put, put_word};
use intercore_sim::core::bus::Slave;
use intercore_sim::core::profile::{CoreProfile, Costs, CostsOfNodes, Culprit, Frame, Profile};
use intercore_sim::core::statistics::Statistics;
use intercore_sim::core::stop::Stop;
use intercore_sim::core::time::Cycle;
use intercore_sim::engine::Engine;
use intercore_sim::image::{Boot, Image, Lines, Symbol};
use intercore_sim::rp2040::bus::slave::{SRAM0, XIP};
use intercore_sim::rp2040::machine::Machine;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;

/// An image with nothing but these functions and objects.
pub fn image(functions: &[(&str, u32, u32)], objects: &[(&str, u32, u32)]) -> Image {
    let symbol = |&(name, address, size): &(&str, u32, u32), is_function| Symbol {
        name: name.to_owned(),
        address,
        size,
        is_function,
    };
    let mut symbols: Vec<_> = functions.iter().map(|it| symbol(it, true)).collect();
    symbols.extend(objects.iter().map(|it| symbol(it, false)));
    Image { segments: Vec::new(), boot: Boot::Flash, symbols, lines: Lines::default() }
}

/// Runs a machine up to cycle `limit`, with a profile.
fn profiled(machine: &mut Machine, image: &Image, limit: Cycle) -> Box<Profile> {
    timed(machine, image, limit, None)
}

/// The same, with the calls of a function timed.
fn timed(machine: &mut Machine, image: &Image, limit: Cycle, function: Option<u32>) -> Box<Profile> {
    machine.start_profile(image, function);
    machine.run_until(limit);
    machine.take_profile().expect("one was started")
}

/// All that a profile tells, in an order of its own.
pub fn contents(profile: &Profile) -> String {
    let contention = &profile.contention;
    let mut losses: Vec<_> = contention.losses.iter().collect();
    let mut locks: Vec<_> = contention.locks.iter().collect();
    let mut waits: Vec<_> = contention.lock_waits.iter().collect();
    losses.sort_unstable();
    locks.sort_unstable_by_key(|(key, _)| **key);
    waits.sort_unstable();
    let cores = profile.cores.iter().map(|core| {
        let lines: Vec<_> = core.lines().collect();
        format!("{} {} {:#?} {lines:#?}", core.until, core.off, core.nodes())
    });
    format!("{}{losses:#?} {locks:#?} {waits:#?}", cores.collect::<String>())
}

/// Frames from the root to a node, and what it cost by itself.
fn paths(core: &CoreProfile) -> Vec<(Vec<Frame>, Costs)> {
    let nodes = core.nodes();
    let path = |at: usize| {
        let mut frames = vec![nodes[at].frame];
        let mut parent = nodes[at].parent;
        while let Some(at) = parent {
            frames.insert(0, nodes[at].frame);
            parent = nodes[at].parent;
        }
        frames
    };
    (0..nodes.len()).map(|at| (path(at), nodes[at].costs)).collect()
}

fn costs(core: &CoreProfile, path: &[Frame]) -> Costs {
    let found = paths(core);
    found.iter().find(|(frames, _)| frames == path).unwrap_or_else(|| panic!("{path:?}: {found:?}")).1
}

/// BL, from its own address to another one.
fn bl(from: u32, to: u32) -> [u16; 2] {
    let offset = to.wrapping_sub(from + 4);
    [0xf000 | (offset >> 12 & 0x7ff) as u16, 0xf800 | (offset >> 1 & 0x7ff) as u16]
}

/// What was counted since an earlier time.
fn since(now: &Statistics, before: &Statistics) -> Statistics {
    let minus = |now: &[Cycle; Slave::COUNT], before: &[Cycle; Slave::COUNT]| {
        std::array::from_fn(|slave| now[slave] - before[slave])
    };
    Statistics {
        instructions: now.instructions - before.instructions,
        asleep: now.asleep - before.asleep,
        exceptions: now.exceptions - before.exceptions,
        conflicts: minus(&now.conflicts, &before.conflicts),
        waits: minus(&now.waits, &before.waits),
    }
}

/// Cycles that a core may have gone further than the chip, at most.
const AHEAD: Cycle = 5000;

/// Compares the sums of a profile with the counters of the chip, from power-on on.
fn check_sums(profile: &Profile, machine: &Machine) -> Result<(), TestCaseError> {
    check_sums_since(profile, machine, &Default::default())
}

/// The same, with the counters that there were when the profile began.
fn check_sums_since(profile: &Profile, machine: &Machine, before: &[Statistics; 2]) -> Result<(), TestCaseError> {
    for (number, core) in profile.cores.iter().enumerate() {
        let mut sum = Costs::default();
        let mut of_lines = [0; 5];
        for node in core.nodes() {
            sum.instructions += node.costs.instructions;
            sum.cycles += node.costs.cycles;
            sum.asleep += node.costs.asleep;
            sum.switching += node.costs.switching;
            for slave in 0..Slave::COUNT {
                sum.conflicts[slave] += node.costs.conflicts[slave];
                sum.waits[slave] += node.costs.waits[slave];
            }
        }
        for (_, line) in core.lines() {
            let all = [line.executed, line.cycles, line.conflicts, line.waits, line.asleep];
            of_lines.iter_mut().zip(all).for_each(|(sum, one)| *sum += one);
        }
        let counted = since(&machine.statistics(number), &before[number]);
        prop_assert_eq!(sum.cycles + core.off, core.until - profile.begun, "core {}", number);
        prop_assert!((profile.ended..profile.ended + AHEAD).contains(&core.until), "core {}", number);
        prop_assert_eq!(sum.instructions, counted.instructions, "core {}", number);
        let roots = core.nodes().iter().filter(|node| node.parent.is_none());
        let of_roots = roots.map(|node| node.costs.cycles).sum::<Cycle>();
        prop_assert_eq!(of_lines[1] + of_roots, sum.cycles, "core {}", number);
        prop_assert_eq!(of_lines[0], counted.instructions, "core {}", number);
        prop_assert_eq!(sum.asleep, counted.asleep, "core {}", number);
        prop_assert_eq!(sum.conflicts, counted.conflicts, "core {}", number);
        prop_assert_eq!(sum.waits, counted.waits, "core {}", number);
    }
    let lost = |of: fn(&Costs) -> [Cycle; Slave::COUNT]| {
        let nodes = profile.cores.iter().flat_map(CoreProfile::nodes);
        nodes.flat_map(|node| of(&node.costs)).sum::<Cycle>()
    };
    let told = |misses: bool| {
        let is_miss = |to: &Culprit| matches!(to, Culprit::Eviction { .. } | Culprit::Nobody);
        let losses = profile.contention.losses.iter().filter(|(loss, _)| is_miss(&loss.to) == misses);
        losses.map(|(_, (_, cycles))| cycles).sum::<Cycle>()
    };
    check_timed_calls(profile)?;
    prop_assert_eq!(told(false), lost(|costs| costs.conflicts));
    prop_assert!(told(true) <= lost(|costs| costs.waits));
    Ok(())
}

/// All cycles of a call are those that its core spent, and those in which its task was on no core.
fn check_timed_calls(profile: &Profile) -> Result<(), TestCaseError> {
    let sum = |costs: &CostsOfNodes| costs.values().map(|costs| costs.cycles).sum::<Cycle>();
    for timed in profile.cores.iter().map(CoreProfile::timed) {
        prop_assert_eq!(sum(&timed.costs) + timed.away, timed.calls.iter().map(|call| call.cycles).sum::<Cycle>());
        let longest = timed.longest.as_ref();
        prop_assert_eq!(timed.calls.iter().map(|call| call.cycles).max(), longest.map(|(call, ..)| call.cycles));
        if let Some((call, costs, away)) = longest {
            prop_assert_eq!(sum(costs) + away, call.cycles);
        }
    }
    Ok(())
}

/// The first line that differs, with those before it.
fn first_difference(one: &str, other: &str) -> String {
    let (one, other): (Vec<_>, Vec<_>) = (one.lines().collect(), other.lines().collect());
    let at = one.iter().zip(&other).position(|(one, other)| one != other).unwrap_or_default();
    format!("{}\nnot {}", one[at.saturating_sub(40)..=at].join("\n"), other[at])
}

/// Runs a setting without a profile, and with one in each engine, which begins before one of the pieces and times one function
/// or none. Quanta of profiled cores in which the DMA did something.
fn compare(setting: &Setting, begins: usize, function: Option<usize>) -> Result<u64, TestCaseError> {
    let mut plain = setting.machine();
    let mut watched = vec![plain.clone(), plain.clone()];
    watched[0].engine = Engine::LockStep;
    watched[1].translate_after(setting.translated_after);
    let mut before = Default::default();
    let mut quanta = 0;
    // Functions of 16 bytes, which programs enter in all ways.
    let starts = (0..32).map(|at| setting.code(at / 16) + 16 * (at as u32 % 16)).chain([HANDLER]);
    let functions: Vec<_> = starts.map(|start| ("", start, 16)).collect();
    for (number, piece) in setting.pieces.iter().enumerate() {
        if number == begins % setting.pieces.len() {
            before = [0, 1].map(|core| plain.statistics(core));
            quanta = watched[1].quanta_with_transfers();
            let mut image = image(&functions, &[]);
            if begins.is_multiple_of(2) {
                let name = "pxCurrentTCBs".to_owned();
                image.symbols.push(Symbol { name, address: SHARED, size: 8, is_function: false });
            }
            for machine in &mut watched {
                machine.start_profile(&image, function.map(|function| functions[function].1));
            }
        }
        let stop = piece.run(&mut plain);
        for machine in &mut watched {
            prop_assert_eq!(&stop, &piece.run(machine), "in {:?}", piece);
        }
    }
    let mut contents_by_engine = Vec::new();
    for machine in &mut watched {
        prop_assert_eq!(plain.state_hash(), machine.state_hash());
        prop_assert_eq!(plain.now(), machine.now());
        let profile = machine.take_profile().expect("it was started");
        check_sums_since(&profile, &plain, &before)?;
        contents_by_engine.push(contents(&profile));
    }
    let [lockstep, apart] = [&contents_by_engine[0], &contents_by_engine[1]];
    prop_assert!(lockstep == apart, "{}", first_difference(lockstep, apart));
    Ok(watched[1].quanta_with_transfers() - quanta)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(300)))]

    #[test]
    fn a_profile_changes_nothing_and_accounts_for_each_cycle(
        setting in setting(),
        begins in 0..8usize,
        function in proptest::option::of(0..33usize),
    ) {
        compare(&setting, begins, function)?;
    }
}

/// Where cores run apart, and lose cycles to the DMA meanwhile.
#[test]
fn a_profile_of_cores_beside_transfers_accounts_for_each_cycle() {
    let cases = cases(200);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    let met = Cell::new(0);
    let done = runner.run(&(of_transfers(), 0..8usize), |(setting, begins)| {
        met.set(met.get() + compare(&setting, begins, None)?);
        Ok(())
    });
    assert!(done.is_ok(), "{}", done.expect_err("it is none"));
    // Or else this says nothing of them.
    assert!(met.get() > u64::from(cases), "{} quanta with transfers", met.get());
}

#[test]
fn an_instruction_that_was_overwritten_after_it_was_fetched_counts_as_it_was() {
    compare(&that_overwrite_what_was_fetched(), 5, None).expect("both engines come to the same");
}

/// `main` calls `outer` in a loop, which calls `inner` twice, the second time by a branch from its end.
#[test]
fn calls_returns_and_tail_calls_are_told_apart() {
    let (main, outer, inner) = (CODE, CODE + 0x20, CODE + 0x40);
    let [call, from_outer] = [bl(main, outer), bl(outer + 2, inner)];
    let to_inner = |from: u32| 0xe000 | ((inner.wrapping_sub(from + 4)) >> 1 & 0x7ff) as u16;
    let fresh = || {
        let mut machine = machine(&[call[0], call[1], 0xe7fc, STAY]); // bl outer; b main
        // push {lr}; bl inner; pop {r0}; mov lr, r0; b inner
        put(&mut machine, outer, &[0xb500, from_outer[0], from_outer[1], 0xbc01, 0x4686, to_inner(outer + 10)]);
        put(&mut machine, inner, &[0x3101, 0x4770]); // adds r1, #1; bx lr
        machine
    };
    let mut machine = fresh();
    let image = image(&[("main", main, 8), ("outer", outer, 12), ("inner", inner, 4)], &[]);
    let profile = profiled(&mut machine, &image, 10_000);
    let core = &profile.cores[0];
    let [task, main, outer, inner] =
        [Frame::Task(0), Frame::Function(main), Frame::Function(outer), Frame::Function(inner)];
    let turns = costs(core, &[task, main, outer]).calls;
    assert!(turns > 100, "{turns}");
    assert_eq!(costs(core, &[task, main]).calls, 1);
    let [called, jumped_to] = [&[task, main, outer, inner][..], &[task, main, inner]].map(|path| costs(core, path));
    assert!(turns - called.calls <= 1 && turns - jumped_to.calls <= 1, "{called:?} {jumped_to:?}");
    // adds 1, bx 2, and a wait for nothing.
    assert_eq!(called.cycles, 3 * called.calls);
    assert_eq!(core.nodes().len(), 5, "{:?}", paths(core));
    check_sums(&profile, &machine).unwrap();
    // Each call of inner alone; those of outer go on up to main, and have both calls of inner.
    for (function, cycles) in [(inner, 3), (outer, costs(core, &[task, main, outer]).cycles / turns + 6)] {
        let Frame::Function(start) = function else { unreachable!() };
        let mut machine = fresh();
        let profile = timed(&mut machine, &image, 10_000, Some(start));
        let timed = profile.cores[0].timed();
        assert!(timed.calls.len() as u64 >= turns - 1 && timed.unfinished <= 1, "{timed:?}");
        assert!(timed.calls.iter().all(|call| call.cycles == cycles), "{cycles} {timed:?}");
        check_sums(&profile, &machine).unwrap();
    }
}

/// `main` ends with a call, which comes back to the first instruction of `next`.
#[test]
fn what_is_behind_the_last_call_of_a_function_belongs_to_the_next_one() {
    let (main, next, inner) = (CODE, CODE + 4, CODE + 0x20);
    let call = bl(main, inner);
    let mut machine = machine(&[call[0], call[1], 0x3001, 0xe7fb]); // bl inner; adds r0, #1; b main
    put(&mut machine, inner, &[0x4770]); // bx lr
    let image = image(&[("main", main, 4), ("next", next, 4), ("inner", inner, 2)], &[]);
    let profile = profiled(&mut machine, &image, 10_000);
    let core = &profile.cores[0];
    let instructions = |function| costs(core, &[Frame::Task(0), Frame::Function(function)]).instructions;
    let turns = instructions(main);
    assert!(turns > 100 && (2 * turns - 2..=2 * turns).contains(&instructions(next)), "{:?}", paths(core));
    check_sums(&profile, &machine).unwrap();
}

/// A loop through so many blocks that not all of them are counted together.
#[test]
fn each_block_of_a_large_function_is_counted_by_itself() {
    const BLOCKS: u32 = 400;
    // adds r0, #1; b to the next one. At the end: b main.
    let mut code = [0x3001, 0xe7ff].repeat(BLOCKS as usize);
    code.push((0xe000 | (0_u32.wrapping_sub(4 * BLOCKS + 4) >> 1 & 0x7ff)) as u16);
    let mut machine = machine(&code);
    machine.translate_after(1);
    let profile = profiled(&mut machine, &image(&[("main", CODE, 4 * BLOCKS + 2)], &[]), 200_000);
    check_sums(&profile, &machine).unwrap();
    let executed: Vec<_> = profile.cores[0].lines().map(|(_, line)| line.executed).collect();
    assert_eq!(executed.len() as u32, 2 * BLOCKS + 1);
    let (least, most) = (executed.iter().min().unwrap(), executed.iter().max().unwrap());
    assert!(*least > 50 && most - least <= 1, "from {least} to {most}");
}

/// A function without a size goes up to the next one, whatever labels it has.
#[test]
fn labels_are_no_functions() {
    let mut machine = machine(&[0x3001, 0x3002, 0xe7fc]); // adds r0, #1; adds r0, #2; b back
    let mut image = image(&[("main", CODE, 0), ("next", CODE + 0x20, 4)], &[]);
    let label = |name: &str, address| Symbol { name: name.to_owned(), address, size: 0, is_function: false };
    image.symbols.extend([label("loop", CODE + 2), label("end", CODE + 0x10)]);
    let profile = profiled(&mut machine, &image, 1000);
    let functions: Vec<_> = profile.cores[0].nodes().iter().map(|node| node.frame).collect();
    assert_eq!(functions, [Frame::Task(0), Frame::Function(CODE)]);
}

#[test]
fn a_handler_has_its_own_entry_and_exit() {
    let handler = CODE + 0x100;
    // The timer of SysTick fires each 200 cycles: adds r7, #1 in an endless loop, and a handler of nops.
    let mut machine = machine(&[0x3701, 0xe7fd]);
    put(&mut machine, handler, &[NOP, NOP, 0x4770]);
    put_word(&mut machine, VECTORS + 4 * 15, handler | 1);
    for (address, value) in [(VTOR, VECTORS), (0xe000_e014, 199), (0xe000_e018, 0), (0xe000_e010, 7)] {
        machine.write_private(0, address, value);
    }
    let image = image(&[("main", CODE, 4), ("isr", handler, 6)], &[]);
    let profile = timed(&mut machine, &image, 20_000, Some(handler));
    let core = &profile.cores[0];
    let root = costs(core, &[Frame::Handler(15)]);
    let times = root.calls;
    assert!((95..=100).contains(&times), "{times}");
    let isr = costs(core, &[Frame::Handler(15), Frame::Function(handler)]);
    assert_eq!(isr.calls, times);
    // Two nops and the first cycle of BX; all else of the 13 cycles of a return, and of the 12 of an entry, is switching.
    assert_eq!((isr.switching, root.switching), (0, root.cycles));
    assert_eq!(root.cycles + isr.cycles, times * (12 + 2 + 13), "{root:?} {isr:?}");
    let calls = &core.timed().calls;
    assert_eq!(calls.len() as u64, times - core.timed().unfinished);
    assert!(calls.iter().all(|call| call.cycles == 3), "{calls:?}");
    check_sums(&profile, &machine).unwrap();
}

/// Both cores in loops: code of their own, and a word each of one bank.
#[test]
fn objects_that_two_cores_lose_cycles_for_are_named() {
    let (ours, theirs) = (BANK[0] + 0x1000, BANK[0] + 0x2000);
    let mut machine = Machine::new();
    for (core, object) in [ours, theirs].into_iter().enumerate() {
        put(&mut machine, OWN[core], &[LDR, LDR, 0xe7fc]);
        machine.start_core(core, OWN[core] | 1, STACK);
        machine.core_mut(core).set_register(0, object);
    }
    let image = image(&[("a", OWN[0], 6), ("b", OWN[1], 6)], &[("mine", ours, 4), ("yours", theirs, 4)]);
    let profile = profiled(&mut machine, &image, 10_000);
    assert!(!profile.contention.losses.is_empty());
    for loss in profile.contention.losses.keys() {
        let (function, object, other) = [(OWN[0], ours, theirs), (OWN[1], theirs, ours)][usize::from(loss.core)];
        assert_eq!((loss.slave, loss.function, loss.object), (SRAM0.0, function, object));
        let by = OWN[usize::from(1 - loss.core)];
        assert_eq!(loss.to, Culprit::Core { function: by, object: other });
    }
    check_sums(&profile, &machine).unwrap();
}

/// Three lines that have one set of the flash cache, which has two ways: core 0 reads two of them in turn, core 1 the third now
/// and then.
#[test]
fn lines_that_two_cores_evict_from_the_flash_cache_are_named() {
    let flash = |line: u32| 0x1000_0100 + line * 0x2000;
    let mut machine = Machine::new();
    assert!(machine.load(flash(0), &vec![0; 0x6000]));
    // ldr r2, [r0]; ldr r2, [r1]; b back
    put(&mut machine, OWN[0], &[LDR, 0x680a, 0xe7fc]);
    // ldr r2, [r0]; movs r3, #200; wait: subs r3, #1; bne wait; b back
    put(&mut machine, OWN[1], &[LDR, 0x23c8, 0x3b01, 0xd1fd, 0xe7fa]);
    for (core, lines) in [[0, 1], [2, 2]].into_iter().enumerate() {
        machine.start_core(core, OWN[core] | 1, STACK);
        machine.core_mut(core).set_register(0, flash(lines[0]));
        machine.core_mut(core).set_register(1, flash(lines[1]));
    }
    let objects = [("x", flash(0), 8), ("y", flash(1), 8), ("z", flash(2), 8)];
    let profile = profiled(&mut machine, &image(&[("a", OWN[0], 6), ("b", OWN[1], 10)], &objects), 100_000);
    let misses = |core: u8, of: fn(&Culprit) -> bool| {
        let all = profile.contention.losses.iter().filter(|(loss, _)| loss.core == core && of(&loss.to));
        all.map(|(_, (times, _))| *times).sum::<u64>()
    };
    let evicted = |core: u8| misses(core, |to| matches!(to, Culprit::Eviction { .. }));
    let by_nobody = |core: u8| misses(core, |to| *to == Culprit::Nobody);
    assert!(evicted(1) > 50 && by_nobody(1) == 1, "core 1 replaces nothing of its own: {:?}", profile.contention);
    assert!(evicted(0) > 50 && by_nobody(0) > 50, "{:?}", profile.contention);
    for loss in profile.contention.losses.keys() {
        let (function, objects) = [(OWN[0], [flash(0), flash(1)]), (OWN[1], [flash(2); 2])][usize::from(loss.core)];
        assert_eq!((loss.slave, loss.function), (XIP.0, function));
        assert!(objects.contains(&loss.object), "{loss:?}");
        if let Culprit::Eviction { function, object } = loss.to {
            assert_eq!(function, OWN[usize::from(1 - loss.core)]);
            assert!([flash(0), flash(1), flash(2)].contains(&object) && !objects.contains(&object), "{loss:?}");
        }
    }
    check_sums(&profile, &machine).unwrap();
}

/// Both cores claim `SPINLOCK5`, hold it for a while, and give it back.
#[test]
fn spinlocks_are_told_with_who_held_them() {
    let mut machine = Machine::new();
    for (core, own) in OWN.into_iter().enumerate() {
        // try: ldr r2, [r0]; cmp r2, #0; beq try; movs r3, #20; hold: subs r3, #1; bne hold; str r2, [r0]; b try
        put(&mut machine, own, &[LDR, 0x2a00, 0xd0fc, 0x2314, 0x3b01, 0xd1fd, 0x6002, 0xe7f7]);
        machine.start_core(core, own | 1, STACK);
        machine.core_mut(core).set_register(0, 0xd000_0100 + 4 * 5);
    }
    let profile = profiled(&mut machine, &image(&[("a", OWN[0], 16), ("b", OWN[1], 16)], &[]), 20_000);
    let contention = &profile.contention;
    for core in 0..2u8 {
        let used = contention.locks[&(5, core, OWN[usize::from(core)])];
        assert!(used.claims > 50, "{used:?}");
        // From the load to the store: ldr 1, cmp 1, beq 1, movs 1, twenty turns of 3 cycles but for the last branch, str.
        assert_eq!(used.longest_held, 63, "{used:?}");
    }
    let waited: u64 = contention.lock_waits.values().map(|(_, cycles)| cycles).sum();
    assert_eq!(waited, contention.locks.values().map(|used| used.waited).sum::<u64>());
    assert!(waited > 1000, "{contention:?}");
    for wait in contention.lock_waits.keys() {
        assert_eq!((wait.lock, wait.holder), (5, 1 - wait.core));
        assert_eq!(wait.holder_function, OWN[usize::from(wait.holder)]);
    }
    check_sums(&profile, &machine).unwrap();
}

/// Two cores read a spinlock again and again, with code in one bank. Turns are accounted for so many at once that a sum of some
/// of these, and then one alone, has more lost cycles than 32 bits tell.
#[test]
fn cycles_of_a_long_busy_wait_are_all_told() {
    let mut machine = Machine::new();
    for core in 0..2 {
        // again: ldr r2, [r0]; b again
        let own = OWN[0] + 0x10 * core as u32;
        put(&mut machine, own, &[LDR, 0xe7fd]);
        machine.start_core(core, own | 1, STACK);
        machine.core_mut(core).set_register(0, 0xd000_0100 + 4 * 5);
    }
    let image = image(&[("a", OWN[0], 16), ("b", OWN[0] + 0x10, 16)], &[]);
    machine.start_profile(&image, None);
    for end in [4, 8, 12, 16, 20, 24, 28, 32, 100] {
        machine.run_until(end * 1_000_000_000);
    }
    let profile = machine.take_profile().expect("one was started");
    let most = profile.contention.losses.values().map(|&(_, cycles)| cycles).max();
    assert!(most.is_some_and(|most| most > 1 << 32), "{most:?}");
    check_sums(&profile, &machine).unwrap();
}

#[test]
fn a_core_that_sleeps_or_is_off_says_so() {
    let mut machine = machine(&[0xbf30, 0xe7fd]); // wfi; b back
    machine.start_profile(&image(&[("main", CODE, 4)], &[]), None);
    assert_eq!(machine.run_until(5000), Stop::DeadEnd);
    machine.advance_to(5000);
    let profile = machine.take_profile().expect("one was started");
    let asleep = costs(&profile.cores[0], &[Frame::Task(0), Frame::Function(CODE)]).asleep;
    assert!(asleep > 4900, "{asleep}");
    assert_eq!(profile.cores[1].off, 5000);
    check_sums(&profile, &machine).unwrap();
}

/// Core 1 tries to get `SPINLOCK5` now and then, which core 0 has for good and looks at again itself.
#[test]
fn who_only_tries_or_has_a_spinlock_does_not_wait_for_it() {
    let mut machine = Machine::new();
    // ldr r2, [r0]; movs r3, #200; pause: subs r3, #1; bne pause; b back
    for (core, own) in OWN.into_iter().enumerate() {
        put(&mut machine, own, &[LDR, 0x23c8, 0x3b01, 0xd1fd, 0xe7fa]);
        machine.start_core(core, own | 1, STACK);
        machine.core_mut(core).set_register(0, 0xd000_0100 + 4 * 5);
    }
    let profile = profiled(&mut machine, &image(&[("a", OWN[0], 10), ("b", OWN[1], 10)], &[]), 20_000);
    let contention = &profile.contention;
    assert_eq!(contention.locks.values().map(|used| used.claims).sum::<u64>(), 1);
    assert!(contention.lock_waits.is_empty(), "{contention:?}");
    check_sums(&profile, &machine).unwrap();
}
