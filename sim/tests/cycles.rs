//! Cycle counts of every instruction class, without wait states: Cortex-M0+ TRM (DDI 0484C) 3.3, table 3-1, the same as
//! RP2040 datasheet 2.4.3.3, table 81. Headings in quotes are rows of that table, whose notes have the letters of the TRM.
//! MULS takes one cycle: the RP2040 has the fast multiplier (datasheet 2.4.1.2). How instructions of all classes mix is
//! tested in `lockstep`.

use crate::machine_code::{CODE, NOP, NVIC_ISER, STACK, STAY, cycles, machine, put_word, times};
use intercore_sim::rp2040::machine::Machine;

/// Registers point where loads and stores are harmless: R0 SRAM4, R1 SIO, R2 a small number, R3 system control block, R4
/// SRAM4 again.
fn registers(machine: &mut Machine) {
    let core = machine.core_mut(0);
    core.set_register(0, 0x2004_0100);
    core.set_register(1, 0xd000_0000);
    core.set_register(2, 4);
    core.set_register(3, 0xe000_ed00);
    core.set_register(4, 0x2004_0120);
}

/// Cycles of one instruction, in both halves of a word, after instructions that leave the bus and the fetched words in
/// different states. They must agree.
fn both_halves(instruction: &[u16]) -> u64 {
    const BEFORE: [&[u16]; 5] = [
        &[],
        &[0x6826],         // ldr r6, [r4]
        &[0x680e],         // ldr r6, [r1], at SIO
        &[0xe7ff],         // b .+2
        &[0xf3bf, 0x8f5f], // dmb
    ];
    let mut found = Vec::new();
    for (lead, before) in (0..2).flat_map(|lead| BEFORE.map(|before| (lead, before))) {
        let mut code = vec![NOP; 4 + lead];
        code.extend_from_slice(before);
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
        (0x4485, "add sp, r0"),
        (0x4490, "add r8, r2"),
        (0x4590, "cmp r8, r2"),
        (0x4690, "mov r8, r2"),
        (0x4685, "mov sp, r0"),
        (0x467d, "mov r5, pc"),
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

/// "Load, store: word, halfword, byte": 2 to AHB (note b).
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
        (0x5c85, "ldrb r5, [r0, r2]"),
        (0x5a85, "ldrh r5, [r0, r2]"),
        (0x6005, "str r5, [r0]"),
        (0x7005, "strb r5, [r0]"),
        (0x8005, "strh r5, [r0]"),
        (0x5085, "str r5, [r0, r2]"),
        (0x5485, "strb r5, [r0, r2]"),
        (0x5285, "strh r5, [r0, r2]"),
        (0x9500, "str r5, [sp]"),
    ] {
        assert_eq!(both_halves(&[instruction]), 2, "{name}");
    }
}

/// Note a: 2 cycles to the system control space, which is in the core and not on the bus.
#[test]
fn an_access_to_the_private_peripheral_bus_takes_two_cycles() {
    assert_eq!(both_halves(&[0x681d]), 2, "ldr r5, [r3] (CPUID)");
    assert_eq!(both_halves(&[0x609a]), 2, "str r2, [r3, #8] (VTOR)");
}

/// Note a of the table: 1 cycle at the single-cycle I/O port, which an access and a fetch use side by side (datasheet 2.3.1).
#[test]
fn an_access_to_the_single_cycle_port_takes_one_cycle() {
    assert_eq!(both_halves(&[0x680d]), 1, "ldr r5, [r1]");
    assert_eq!(both_halves(&[0x610d]), 1, "str r5, [r1, #16]");
    assert_eq!(both_halves(&[0x680d, 0x680d, 0x680d, 0x680d, 0x680d]), 5);
}

/// "Load multiple, store multiple, push, pop": 1 + N (notes b and c; N counts LR).
#[test]
fn loads_and_stores_of_n_registers_take_one_and_n_cycles() {
    for registers in 1u16..=8 {
        let list = 0xff >> (8 - registers);
        let cycles = 1 + u64::from(registers);
        assert_eq!(both_halves(&[0xcc00 | list]), cycles, "ldm r4!, {list:#x}");
        assert_eq!(both_halves(&[0xc000 | list]), cycles, "stm r0!, {list:#x}");
        assert_eq!(both_halves(&[0xb400 | list]), cycles, "push {list:#x}");
        assert_eq!(both_halves(&[0xbc00 | list]), cycles, "pop {list:#x}");
        assert_eq!(both_halves(&[0xb500 | list]), cycles + 1, "push {list:#x} and lr");
    }
    assert_eq!(both_halves(&[0xb500]), 2, "push {{lr}}");
}

/// The exception for the port is that of single loads and stores (note b). The SDK's `divider_helper.S` agrees: four single
/// stores to SIO are quicker than one STM of four.
#[test]
fn load_and_store_multiple_at_the_single_cycle_port_take_as_long_as_on_the_bus() {
    let stm = [0xc1e0]; // stm r1!, {r5-r7}, at CPUID, GPIO_IN and GPIO_HI_IN, which ignore it
    assert_eq!(both_halves(&stm), 4);
    assert_eq!(both_halves(&[0xc9e0]), 4, "ldm r1!, {{r5-r7}}");
}

/// "State change: MRS, MSR", "Barriers": 3.
#[test]
fn system_instructions_take_three_cycles() {
    for (instruction, name) in [
        ([0xf3ef, 0x8500], "mrs r5, apsr"),
        ([0xf3ef, 0x8510], "mrs r5, primask"),
        ([0xf3ef, 0x8508], "mrs r5, msp"),
        ([0xf3ef, 0x8514], "mrs r5, control"),
        ([0xf382, 0x8800], "msr apsr, r2"),
        ([0xf380, 0x8809], "msr psp, r0"),
        ([0xf382, 0x8810], "msr primask, r2"),
        ([0xf3bf, 0x8f5f], "dmb"),
        ([0xf3bf, 0x8f4f], "dsb"),
        ([0xf3bf, 0x8f6f], "isb"),
    ] {
        assert_eq!(both_halves(&instruction), 3, "{name}");
    }
}

/// "Hint: WFE, WFI": 2, without the time asleep (note g).
#[test]
fn a_wait_that_does_not_sleep_takes_two_cycles() {
    // SEV sets the core's own event register too.
    assert_eq!(both_halves(&[0xbf40, NOP, NOP, 0xbf20]), 3 + 2, "wfe");
    // An interrupt that is pending while PRIMASK is set ends WFI, and is not taken: `str r2, [r6]` sets it in NVIC_ISPR.
    for lead in 0..2 {
        let mut code = vec![NOP; 4 + lead];
        code.extend([0xb672, 0x6032, NOP, NOP, NOP, NOP, 0xbf30, NOP, NOP, STAY]);
        let wfi = 10 + lead as u32;
        let waits = cycles(&code, wfi, wfi + 1, |machine| {
            registers(machine);
            machine.core_mut(0).set_register(6, 0xe000_e200);
            machine.write_private(0, NVIC_ISER, 4);
        });
        assert_eq!(waits, 2, "wfi");
    }
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

/// "Branch: conditional": 2 if taken, 1 if not; "unconditional": 2.
#[test]
fn a_branch_takes_two_cycles_to_any_alignment_and_one_if_it_is_not_taken() {
    let offset = |at: u32, target: u32| target.wrapping_sub(at + 2) as u16;
    assert_eq!(branches(|at, target| vec![0xe000 | offset(at, target)], |_, _| ()), 2, "b");
    // Flags N Z C V with which each condition holds, and with which it does not (ARMv6-M A6.3).
    let (n, z, c, v) = (8, 4, 2, 1);
    let holds = [
        (z, 0),
        (0, z),
        (c, 0),
        (0, c),
        (n, 0),
        (0, n),
        (v, 0),
        (0, v),
        (c, z),
        (z, c),
        (n | v, n),
        (n, 0),
        (0, z),
        (z, 0),
    ];
    for (condition, (yes, no)) in (0u16..).zip(holds) {
        let with = |flags: u32| move |machine: &mut Machine, _: u32| machine.core_mut(0).set_apsr(flags << 28);
        let assemble = |at: u32, target: u32| vec![0xd000 | condition << 8 | offset(at, target)];
        assert_eq!(branches(assemble, with(yes)), 2, "condition {condition} taken");
        let code = |at: u32| {
            let mut code = vec![NOP; at as usize];
            code.extend([0xd004 | condition << 8, NOP, NOP, STAY]);
            code
        };
        for at in [4, 5] {
            let taken = cycles(&code(at), at, at + 1, |machine| with(no)(machine, 0));
            assert_eq!(taken, 1, "condition {condition} not taken");
        }
    }
}

/// "Branch: with exchange, with link and exchange": 2. "Move: any to PC", "Add: any to PC": 2.
#[test]
fn a_branch_through_a_register_takes_two_cycles() {
    let goes_there = |machine: &mut Machine, target: u32| machine.core_mut(0).set_register(6, target | 1);
    assert_eq!(branches(|_, _| vec![0x4730], goes_there), 2, "bx r6");
    assert_eq!(branches(|_, _| vec![0x47b0], goes_there), 2, "blx r6");
    assert_eq!(branches(|_, _| vec![0x46b7], goes_there), 2, "mov pc, r6");
    for at in [4, 5] {
        for target in [20, 21] {
            let mut code = vec![NOP; 30];
            (code[at as usize], code[29]) = (0x44b7, STAY); // add pc, r6
            let distance = 2 * (target - at) - 4;
            assert_eq!(
                cycles(&code, at, target, |machine| machine.core_mut(0).set_register(6, distance)),
                2,
                "add pc, r6"
            );
        }
    }
}

/// "Branch: with link": 3.
#[test]
fn a_branch_with_link_takes_three_cycles() {
    let assemble = |at: u32, target: u32| vec![0xf000, 0xf800 | (target - at - 2) as u16];
    assert_eq!(branches(assemble, |_, _| ()), 3);
}

/// "Pop: with PC": 3 + N, where N counts PC (note d).
#[test]
fn a_pop_of_the_program_counter_takes_three_and_n_cycles() {
    let on_stack =
        |place: u32| move |machine: &mut Machine, target: u32| put_word(machine, STACK + 4 * place, target | 1);
    assert_eq!(branches(|_, _| vec![0xbd00], on_stack(0)), 4, "pop {{pc}}");
    assert_eq!(branches(|_, _| vec![0xbd30], on_stack(2)), 6, "pop {{r4, r5, pc}}");
    assert_eq!(branches(|_, _| vec![0xbdff], on_stack(8)), 12, "pop {{r0-r7, pc}}");
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
