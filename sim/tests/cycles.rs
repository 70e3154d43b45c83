//! Cycle counts of every instruction class, without wait states: Cortex-M0+ TRM (DDI 0484C) 3.3, table 3-1, the same as
//! RP2040 datasheet 2.4.3.3, table 81.

mod common;
use common::{CODE, NOP, STACK, STAY, cycles, machine, put_word, times};
use intercore_sim::machine::Machine;

/// Registers point where loads and stores are harmless: R0 SRAM4, R1 SIO, R2 a small number, R3 NVIC registers.
fn registers(machine: &mut Machine) {
    let core = machine.core_mut(0);
    core.set_register(0, 0x2004_0100);
    core.set_register(1, 0xd000_0000);
    core.set_register(2, 4);
    core.set_register(3, 0xe000_ed00);
    core.set_register(4, 0x2004_0120);
}

/// Cycles of one instruction, in both halves of a word, with every kind of neighbour. They must agree.
fn both_halves(instruction: &[u16]) -> u64 {
    let mut found = Vec::new();
    for lead in 0..4 {
        let mut code = vec![NOP; 4 + lead];
        let from = code.len() as u32;
        code.extend_from_slice(instruction);
        let to = code.len() as u32;
        code.extend_from_slice(&[NOP, NOP, NOP, NOP, STAY]);
        found.push(cycles(&code, from, to, registers));
    }
    assert!(found.iter().all(|&count| count == found[0]), "{instruction:04x?}: {found:?}");
    found[0]
}

#[test]
fn data_processing_takes_one_cycle() {
    let instructions: &[(u16, &str)] = &[
        (0x0081, "lsls r1, r0, #2"),
        (0x0881, "lsrs r1, r0, #2"),
        (0x1081, "asrs r1, r0, #2"),
        (0x1885, "adds r5, r0, r2"),
        (0x1a85, "subs r5, r0, r2"),
        (0x1d45, "adds r5, r0, #5"),
        (0x1f45, "subs r5, r0, #5"),
        (0x2507, "movs r5, #7"),
        (0x2d07, "cmp r5, #7"),
        (0x3507, "adds r5, #7"),
        (0x3d07, "subs r5, #7"),
        (0x4015, "ands r5, r2"),
        (0x4055, "eors r5, r2"),
        (0x4095, "lsls r5, r2"),
        (0x40d5, "lsrs r5, r2"),
        (0x4115, "asrs r5, r2"),
        (0x4155, "adcs r5, r2"),
        (0x4195, "sbcs r5, r2"),
        (0x41d5, "rors r5, r2"),
        (0x4215, "tst r5, r2"),
        (0x4255, "rsbs r5, r2, #0"),
        (0x4295, "cmp r5, r2"),
        (0x42d5, "cmn r5, r2"),
        (0x4315, "orrs r5, r2"),
        (0x4355, "muls r5, r2"),
        (0x4395, "bics r5, r2"),
        (0x43d5, "mvns r5, r2"),
        (0x4490, "add r8, r2"),
        (0x4590, "cmp r8, r2"),
        (0x4690, "mov r8, r2"),
        (0xa501, "adr r5, .+8"),
        (0xad01, "add r5, sp, #4"),
        (0xb002, "add sp, #8"),
        (0xb082, "sub sp, #8"),
        (0xb215, "sxth r5, r2"),
        (0xb255, "sxtb r5, r2"),
        (0xb295, "uxth r5, r2"),
        (0xb2d5, "uxtb r5, r2"),
        (0xba15, "rev r5, r2"),
        (0xba55, "rev16 r5, r2"),
        (0xbad5, "revsh r5, r2"),
        (0xbf00, "nop"),
        (0xbf10, "yield"),
        (0xbf40, "sev"),
        (0xb672, "cpsid i"),
        (0xb662, "cpsie i"),
    ];
    for &(instruction, name) in instructions {
        assert_eq!(both_halves(&[instruction]), 1, "{name}");
    }
}

#[test]
fn a_load_or_store_takes_two_cycles_on_the_bus() {
    for (instruction, name) in [
        (0x6805, "ldr r5, [r0]"),
        (0x7805, "ldrb r5, [r0]"),
        (0x8805, "ldrh r5, [r0]"),
        (0x5885, "ldr r5, [r0, r2]"),
        (0x5685, "ldrsb r5, [r0, r2]"),
        (0x5e85, "ldrsh r5, [r0, r2]"),
        (0x4d00, "ldr r5, [pc]"),
        (0x9d00, "ldr r5, [sp]"),
        (0x6005, "str r5, [r0]"),
        (0x7005, "strb r5, [r0]"),
        (0x8005, "strh r5, [r0]"),
        (0x9500, "str r5, [sp]"),
    ] {
        assert_eq!(both_halves(&[instruction]), 2, "{name}");
    }
}

#[test]
fn an_access_to_the_private_peripheral_bus_takes_two_cycles() {
    assert_eq!(both_halves(&[0x681d]), 2, "ldr r5, [r3] (CPUID)");
    assert_eq!(both_halves(&[0x609a]), 2, "str r2, [r3, #8] (VTOR)");
}

#[test]
fn an_access_to_the_single_cycle_port_takes_one_cycle() {
    assert_eq!(both_halves(&[0x680d]), 1, "ldr r5, [r1]");
    assert_eq!(both_halves(&[0x610d]), 1, "str r5, [r1, #16]");
    assert_eq!(both_halves(&[0x680d, 0x680d, 0x680d, 0x680d, 0x680d]), 5);
}

#[test]
fn loads_and_stores_of_n_registers_take_one_and_n_cycles() {
    assert_eq!(both_halves(&[0xc820]), 2, "ldm r0!, {{r5}}");
    assert_eq!(both_halves(&[0xc8e0]), 4, "ldm r0!, {{r5-r7}}");
    assert_eq!(both_halves(&[0xc0e0]), 4, "stm r0!, {{r5-r7}}");
    assert_eq!(both_halves(&[0xb4e0]), 4, "push {{r5-r7}}");
    assert_eq!(both_halves(&[0xb5e0]), 5, "push {{r5-r7, lr}}");
    assert_eq!(both_halves(&[0xbce0]), 4, "pop {{r5-r7}}");
}

#[test]
fn system_instructions_take_three_cycles() {
    for (instruction, name) in [
        ([0xf3ef, 0x8500], "mrs r5, apsr"),
        ([0xf382, 0x8800], "msr apsr, r2"),
        ([0xf3bf, 0x8f5f], "dmb"),
        ([0xf3bf, 0x8f4f], "dsb"),
        ([0xf3bf, 0x8f6f], "isb"),
    ] {
        assert_eq!(both_halves(&instruction), 3, "{name}");
    }
}

#[test]
fn a_wait_that_does_not_sleep_takes_two_cycles() {
    // SEV sets the core's own event register too.
    let code = [0xbf40, NOP, NOP, NOP, 0xbf20, NOP, NOP, STAY];
    assert_eq!(cycles(&code, 4, 5, registers), 2);
    let code = [0xbf40, NOP, NOP, NOP, NOP, 0xbf20, NOP, NOP, STAY];
    assert_eq!(cycles(&code, 5, 6, registers), 2);
}

/// Cycles of an instruction at `at` that goes to `target`, for all four alignments of the two.
fn branches(assemble: impl Fn(u32, u32) -> Vec<u16>, prepare: impl Fn(&mut Machine, u32)) -> u64 {
    let mut found = Vec::new();
    for at in [4, 5] {
        for target in [20, 21] {
            let mut code = vec![NOP; 30];
            code[29] = STAY;
            for (i, &half) in assemble(at, target).iter().enumerate() {
                code[at as usize + i] = half;
            }
            found.push(cycles(&code, at, target, |machine| {
                registers(machine);
                prepare(machine, CODE + 2 * target);
            }));
        }
    }
    assert!(found.iter().all(|&count| count == found[0]), "{found:?}");
    found[0]
}

#[test]
fn a_taken_branch_takes_two_cycles_to_any_alignment() {
    let offset = |at: u32, target: u32| (target - at - 2) as u16;
    assert_eq!(branches(|at, target| vec![0xe000 | offset(at, target)], |_, _| ()), 2, "b");
    assert_eq!(
        branches(
            |at, target| vec![0xd100 | offset(at, target)],
            |machine, _| {
                machine.core_mut(0).set_apsr(0);
            }
        ),
        2,
        "bne"
    );
    let goes_there = |machine: &mut Machine, target: u32| machine.core_mut(0).set_register(6, target | 1);
    assert_eq!(branches(|_, _| vec![0x4730], goes_there), 2, "bx r6");
    assert_eq!(branches(|_, _| vec![0x47b0], goes_there), 2, "blx r6");
    assert_eq!(branches(|_, _| vec![0x46b7], goes_there), 2, "mov pc, r6");
}

#[test]
fn a_branch_not_taken_takes_one_cycle() {
    let code = [0x2500, NOP, NOP, NOP, 0xd101, NOP, NOP, STAY];
    assert_eq!(cycles(&code, 4, 5, registers), 1);
}

#[test]
fn a_branch_with_link_takes_three_cycles() {
    let assemble = |at: u32, target: u32| vec![0xf000, 0xf800 | (target - at - 2) as u16];
    assert_eq!(branches(assemble, |_, _| ()), 3);
}

#[test]
fn a_pop_of_the_program_counter_takes_three_and_n_cycles() {
    let on_stack =
        |place: u32| move |machine: &mut Machine, target: u32| put_word(machine, STACK + 4 * place, target | 1);
    assert_eq!(branches(|_, _| vec![0xbd00], on_stack(0)), 4, "pop {{pc}}");
    assert_eq!(branches(|_, _| vec![0xbd30], on_stack(2)), 6, "pop {{r4, r5, pc}}");
}

#[test]
fn a_busy_loop_takes_three_cycles_a_turn() {
    // pico-sdk, busy_wait_at_least_cycles: 1: subs r0, #3; bcs 1b.
    for lead in 0..2 {
        let mut code = vec![NOP; 2 + lead];
        code.extend_from_slice(&[0x2064, 0x3801, 0xd1fd, NOP, STAY]);
        let mut machine = machine(&code);
        let at = CODE + 2 * (2 + lead as u32);
        let times = times(&mut machine, 0, &[at + 2, at + 6], 1000);
        assert_eq!(times[1] - times[0], 300 - 1, "the last branch is not taken");
    }
}
