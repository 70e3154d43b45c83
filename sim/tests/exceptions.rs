//! Exceptions: what they do, and what they cost. Sources at the constants of `cpu::exception`.

use crate::machine_code::{CODE, NOP, NVIC_ISER, STACK, STAY, VECTORS, VTOR, machine, put, put_word, times};
use intercore_sim::core::stop::Stop;
use intercore_sim::fault::{Fault, Faults};
use intercore_sim::isa::armv6m::exception::DECISION;
use intercore_sim::rp2040::irq::LINE_CYCLES;
use intercore_sim::rp2040::machine::Machine;

/// Frame, vector and refill: what the longest instruction, of 3 cycles, leaves of the 15 of TRM 3.6.1.
const ENTRY: u64 = 12;
/// From the assertion of an interrupt to its handler.
const LATENCY: u64 = DECISION + ENTRY;

const HANDLER: u32 = 0x2000_1000;
const SECOND: u32 = 0x2000_2000;
const BX_LR: u16 = 0x4770;

/// A machine with a vector table: exception `number` at `HANDLER`, which is `handler`.
fn with_handler(code: &[u16], number: u32, handler: &[u16]) -> Machine {
    let mut machine = machine(code);
    put_word(&mut machine, VECTORS + 4 * number, HANDLER | 1);
    put(&mut machine, HANDLER, handler);
    machine.write_private(0, VTOR, VECTORS);
    machine
}

/// R3 points at `NVIC_ISER`; ICSR is at `ED04`.
fn enable(machine: &mut Machine, interrupts: u32) {
    machine.write_private(0, NVIC_ISER, interrupts);
}

/// Sets the priority of an interrupt, which has the highest after reset (ARMv6-M B3.4.7).
fn set_priority(machine: &mut Machine, interrupt: u8, level: u8) {
    let (register, byte) = (0xe000_e400 + u32::from(interrupt & !3), u32::from(interrupt & 3));
    let others = machine.core(0).peek_private(register);
    machine.write_private(0, register, others | u32::from(level) << (8 * byte + 6));
}

#[test]
fn an_interrupt_reaches_its_handler_in_fifteen_cycles() {
    let mut machine = with_handler(&[NOP; 400], 16 + 26, &[NOP, BX_LR]);
    enable(&mut machine, 1 << 26);
    machine.run_until(100);
    machine.raise_interrupt(0, 26);
    let found = times(&mut machine, 0, &[HANDLER], 200);
    assert_eq!(found[0] - 100, 15);
}

/// What `machine` does with other costs than those assumed.
fn altered(mut machine: Machine, costs: &str) -> Machine {
    let fault: Fault = costs.parse().unwrap();
    Faults::new([fault], &mut machine).unwrap();
    machine
}

#[test]
fn altered_costs_of_an_exception_are_what_it_costs() {
    let mut machine = with_handler(&[NOP; 400], 16 + 26, &[BX_LR, NOP]);
    enable(&mut machine, 1 << 26);
    let reached = |costs: &str, address: u32| {
        let mut machine = altered(machine.clone(), costs);
        machine.run_until(100);
        machine.raise_interrupt(0, 26);
        times(&mut machine, 0, &[address], 1000)[0] - 100
    };
    assert_eq!(reached("costs:decision=5", HANDLER), reached("costs:decision=3", HANDLER) + 2);
    let back = reached("costs:exception_return=13", CODE + 600);
    assert_eq!(reached("costs:exception_return=12", CODE + 600) + 1, back);
    assert_eq!(reached("costs:exception_return=20,decision=4", CODE + 600), back + 8);
}

#[test]
fn a_handler_that_returns_at_once_costs_what_entry_and_return_cost() {
    let code = vec![NOP; 400];
    let mut machine = with_handler(&code, 16 + 26, &[BX_LR, NOP]);
    let quiet = {
        let mut copy = machine.clone();
        times(&mut copy, 0, &[CODE + 600], 1000)[0]
    };
    enable(&mut machine, 1 << 26);
    machine.run_until(100);
    machine.raise_interrupt(0, 26);
    let found = times(&mut machine, 0, &[CODE + 600], 1000)[0];
    // From the boundary that takes it, a cycle behind the interrupt; return 13 (BX included).
    assert_eq!(found - quiet, LATENCY - 1 + 13);
}

#[test]
fn pending_exceptions_are_chained_without_a_frame() {
    let mut machine = with_handler(&[NOP; 400], 16 + 26, &[BX_LR, NOP]);
    put_word(&mut machine, VECTORS + 4 * (16 + 27), SECOND | 1);
    put(&mut machine, SECOND, &[NOP, BX_LR]);
    enable(&mut machine, 3 << 26);
    machine.run_until(100);
    machine.raise_interrupt(0, 26);
    machine.raise_interrupt(0, 27);
    let found = times(&mut machine, 0, &[HANDLER, SECOND], 300);
    assert_eq!(found[1] - found[0], 6, "from BX LR to the next handler");
    assert_eq!(machine.core(0).register(13), STACK, "both are left");
}

#[test]
fn a_late_and_more_urgent_interrupt_is_taken_first() {
    let mut machine = with_handler(&[NOP; 400], 16 + 26, &[BX_LR, NOP]);
    put_word(&mut machine, VECTORS + 4 * (16 + 27), SECOND | 1);
    put(&mut machine, SECOND, &[NOP, BX_LR]);
    enable(&mut machine, 3 << 26);
    set_priority(&mut machine, 26, 3);
    machine.run_until(100);
    machine.raise_interrupt(0, 26);
    machine.run_until(106);
    machine.raise_interrupt(0, 27);
    let found = times(&mut machine, 0, &[SECOND, HANDLER], 300);
    assert_eq!(found[0] - 100, LATENCY, "at the time of the first");
    assert_eq!(found[1] - found[0], 1 + 6, "NOP, then chained");
}

#[test]
fn a_more_urgent_interrupt_nests_and_an_equal_one_waits() {
    for (priority, nests) in [(3, true), (0, false)] {
        let mut handler = vec![NOP; 60];
        handler.push(BX_LR);
        let mut machine = with_handler(&[NOP; 600], 16 + 26, &handler);
        put_word(&mut machine, VECTORS + 4 * (16 + 27), SECOND | 1);
        put(&mut machine, SECOND, &[NOP, BX_LR]);
        enable(&mut machine, 3 << 26);
        set_priority(&mut machine, 26, priority);
        machine.run_until(100);
        machine.raise_interrupt(0, 26);
        machine.run_until(130);
        machine.raise_interrupt(0, 27);
        let found = times(&mut machine, 0, &[SECOND, HANDLER + 120], 400);
        assert_eq!(found[0] < found[1], nests);
        assert_eq!(machine.core(0).register(13), STACK);
    }
}

/// Cycles from an interrupt to its handler, for every cycle in which it can meet a stream of one instruction.
fn latencies(instruction: &[u16]) -> Vec<u64> {
    (100..112)
        .map(|at| {
            let mut machine = with_handler(&instruction.repeat(200), 16 + 26, &[NOP, STAY]);
            machine.core_mut(0).set_register(0, 0x2004_0100);
            enable(&mut machine, 1 << 26);
            machine.run_until(at);
            machine.raise_interrupt(0, 26);
            times(&mut machine, 0, &[HANDLER], 200)[0] - at
        })
        .collect()
}

/// "The worst case interrupt latency ... is 15 cycles" (TRM 3.6.1), and the exact number, too (see `DECISION`): whatever is
/// executed, since load and store multiple are abandoned and nothing else takes more than 3 cycles.
#[test]
fn an_interrupt_takes_as_long_whatever_it_meets() {
    for (instruction, name) in [
        (&[NOP][..], "nop"),
        (&[0x6801], "ldr r1, [r0]"),
        (&[0xe7ff], "b .+2"),
        (&[0xf000, 0xf800], "bl .+4"),
        (&[0xf3ef, 0x8110], "mrs r1, primask"),
        (&[0xf3bf, 0x8f5f], "dmb"),
        (&[0xb4ff, 0xb088, 0xb008, 0xbcff], "push {{r0-r7}}; sub sp, #32; add sp, #32; pop {{r0-r7}}"),
    ] {
        let found = latencies(instruction);
        assert_eq!(found, [15; 12], "{name}");
    }
}

/// TRM 3.6.1: abandoned, and begun again after the return; its base register is as before (ARMv6-M B1.5.10).
#[test]
fn load_and_store_multiple_are_abandoned_and_begun_again() {
    for (instruction, base, first) in
        [(0xc8fe, 0, 0x2004_0100), (0xc0fe, 0, 0x2004_0100), (0xb4fe, 13, STACK - 28), (0xbcfe, 13, STACK)]
    {
        let code = [NOP, NOP, NOP, NOP, instruction, NOP, STAY];
        // The instruction begins in cycle 6; an interrupt in cycle 7 is recognised in cycle 8, before the third element.
        let mut machine = with_handler(&code, 16 + 26, &[BX_LR, NOP]);
        enable(&mut machine, 1 << 26);
        machine.core_mut(0).set_register(0, 0x2004_0100);
        for word in 0..7 {
            put_word(&mut machine, first + 4 * word, 100 + word);
        }
        let watches = [intercore_sim::core::watch::Watch::Read, intercore_sim::core::watch::Watch::Write];
        let probes = watches.map(|watch| machine.bus.fabric.watch.probe(watch, first, 28));
        machine.run_until(7);
        machine.raise_interrupt(0, 26);
        let found = times(&mut machine, 0, &[HANDLER, CODE + 10], 300);
        let accesses: usize = probes.iter().map(|&probe| machine.bus.fabric.watch.hits(probe).len()).sum();
        assert_eq!(accesses, 2 + 7, "{instruction:04x}: two elements, then all seven");
        // The return takes 13, then the instruction 1 + 7.
        assert_eq!(found, [7 + LATENCY, 7 + LATENCY + 13 + 8]);
        let end = if instruction == 0xb4fe { first } else { first + 28 };
        assert_eq!(machine.core(0).register(base), end);
        assert_eq!(machine.core(0).register(7), if instruction >> 8 & 8 != 0 { 106 } else { 0 });
    }
}

/// Every word of the frame, the vector and the handler's first word is an access of its own (TRM 2.2.1): each waits for its
/// slave.
#[test]
fn an_entry_waits_for_its_stack_its_vector_and_its_handler() {
    const WIRE: u64 = 20 * 4 + 4; // as in `contention`
    let entry = |vectors: u32, handler: u32| {
        let mut machine = machine(&[NOP; 400]);
        machine.bus.xip.ssi.configure(4);
        put_word(&mut machine, vectors + 4 * 42, handler | 1);
        put(&mut machine, handler, &[NOP, STAY]);
        machine.write_private(0, VTOR, vectors);
        enable(&mut machine, 1 << 26);
        machine.run_until(100);
        machine.raise_interrupt(0, 26);
        times(&mut machine, 0, &[handler], 500)[0] - 100
    };
    assert_eq!(entry(VECTORS, HANDLER), LATENCY);
    assert_eq!(entry(0x1300_0000, HANDLER), LATENCY + WIRE, "vector in flash, around the cache");
    assert_eq!(entry(VECTORS, 0x1300_1000), LATENCY + WIRE, "handler in flash");
    assert_eq!(entry(VECTORS, 0x1300_1002), LATENCY + 2 * WIRE, "in an upper halfword: it needs the next word too");
}

/// Lowest priority value first; of equals the lowest exception number (ARMv6-M B1.5.4).
#[test]
fn pending_interrupts_are_taken_in_order_of_priority_then_number() {
    let order = |levels: [u8; 3]| {
        let mut machine = with_handler(&[NOP; 400], 16 + 24, &[BX_LR, NOP]);
        let handlers = [HANDLER, SECOND, SECOND + 0x100];
        for (interrupt, handler) in (24u8..).zip(handlers) {
            put_word(&mut machine, VECTORS + 4 * (16 + u32::from(interrupt)), handler | 1);
            put(&mut machine, handler, &[BX_LR, NOP]);
            set_priority(&mut machine, interrupt, levels[usize::from(interrupt) - 24]);
        }
        enable(&mut machine, 7 << 24);
        machine.run_until(100);
        for interrupt in [26, 25, 24] {
            machine.raise_interrupt(0, interrupt);
        }
        let found = times(&mut machine, 0, &handlers, 300);
        let mut order = [24, 25, 26];
        order.sort_by_key(|interrupt| found[interrupt - 24]);
        order
    };
    assert_eq!(order([0, 0, 0]), [24, 25, 26]);
    assert_eq!(order([3, 2, 1]), [26, 25, 24]);
    assert_eq!(order([1, 0, 1]), [25, 24, 26]);
}

/// A level that is still there when its handler returns makes it pending again (ARMv6-M B3.4.1), and is
/// entered again at once: chained, 6 cycles from one BX LR to the next.
#[test]
fn a_level_that_stays_interrupts_again() {
    let mut machine = with_handler(&[0x6141, NOP, STAY], 16 + 16, &[BX_LR, NOP]); // str r1, [r0, #0x14]
    // Core 0 sends a word to core 1, which does not take it: SIO_PROC1 is high (DS 2.3.1.4).
    put(&mut machine, SECOND, &[STAY]);
    machine.core_mut(0).set_register(0, 0xd000_0040);
    machine.start_core(1, SECOND | 1, 0x2004_1800);
    machine.write_private(1, VTOR, VECTORS);
    machine.write_private(1, NVIC_ISER, 1 << 16);
    let probe = machine.bus.fabric.watch.probe(intercore_sim::core::watch::Watch::Execute, HANDLER, 1);
    machine.run_until(200);
    let hits = machine.bus.fabric.watch.hits(probe);
    // Written in cycle 2, seen by core 1 in cycle 3 (assumption).
    assert_eq!(hits[0].cycle, 3 + LINE_CYCLES + LATENCY, "{hits:?}");
    assert!(hits.len() > 5 && hits.windows(2).all(|pair| pair[1].cycle - pair[0].cycle == 6), "{hits:?}");
    assert!(hits.iter().all(|hit| hit.core == 1));
}

/// WFE sleeps while PRIMASK keeps back what would wake it, but with SEVONPEND (DS 2.4.8, SCR) anything that becomes pending is
/// an event, enabled or not. WFI wakes either way (ARMv6-M B1.5.19).
#[test]
fn what_wakes_a_masked_core() {
    let wakes = |wait: u16, send_event: bool, enabled: bool| {
        // str r2, [r1]: SCR; cpsid i
        let mut machine = machine(&[0x600a, 0xb672, NOP, wait, NOP, 0xbf30, STAY]);
        machine.core_mut(0).set_register(1, 0xe000_ed10);
        machine.core_mut(0).set_register(2, if send_event { 16 } else { 0 });
        if enabled {
            enable(&mut machine, 1 << 26);
        }
        machine.run_until(100);
        assert!(machine.core(0).is_asleep());
        machine.raise_interrupt(0, 26);
        machine.run_until(200);
        machine.core(0).register(15) > CODE + 8
    };
    let (wfe, wfi) = (0xbf20, 0xbf30);
    assert!(!wakes(wfe, false, true));
    assert!(wakes(wfe, true, true));
    assert!(wakes(wfe, true, false), "a disabled interrupt is an event too");
    assert!(wakes(wfi, false, true));
    assert!(!wakes(wfi, true, false), "no reason for WFI");
}

/// What wakes a WFE sets the event register, and so does an exception return (ARMv6-M B1.5.18).
#[test]
fn a_return_from_an_exception_keeps_the_next_wfe_from_sleeping() {
    let mut machine = with_handler(&[0xdf00, 0xbf20, 0xbf20, NOP, STAY], 11, &[BX_LR, NOP]); // svc, wfe, wfe
    assert_eq!(machine.run_until(1000), Stop::DeadEnd);
    assert_eq!(machine.core(0).register(15), CODE + 6, "the second WFE sleeps");
}

/// SYSCFG `PROC0_NMI_MASK` (DS 2.21): NMI is taken whatever PRIMASK says (ARMv6-M B1.5.4).
#[test]
fn a_line_in_the_nmi_mask_is_not_held_back() {
    // cpsid i; ...; str r1, [r0, #0x14]: FIFO_WR, which raises SIO_PROC1 once core 1 has put it into the mask.
    let code = [&[0xb672], &[NOP; 20][..], &[0x6141, NOP, NOP, STAY]].concat();
    let mut machine = with_handler(&code, 2, &[STAY]);
    assert!(machine.write_register(0x4000_f000, 1 << 18), "RESETS: let go of SYSCFG");
    put(&mut machine, SECOND, &[0x6002, STAY]); // str r2, [r0]
    machine.core_mut(0).set_register(0, 0xd000_0040);
    machine.start_core(1, SECOND | 1, 0x2004_1800);
    machine.core_mut(1).set_register(0, 0x4000_4000);
    machine.core_mut(1).set_register(2, 1 << 16);
    times(&mut machine, 0, &[HANDLER], 300);
    assert_eq!(machine.core(0).xpsr() & 0x3f, 2);
}

/// DS 2.4.2.9: SYSRESETREQ resets the core that asks, and nothing else.
#[test]
fn a_core_resets_itself_alone() {
    let mut machine = machine(&[0x6001, NOP, STAY]); // str r1, [r0]
    put_word(&mut machine, 0, STACK);
    put_word(&mut machine, 4, SECOND | 1);
    put(&mut machine, SECOND, &[STAY]);
    put(&mut machine, CODE + 0x100, &[STAY]);
    machine.core_mut(0).set_register(0, 0xe000_ed0c);
    machine.core_mut(0).set_register(1, 0x05fa_0004);
    machine.core_mut(0).set_register(5, 5);
    machine.start_core(1, (CODE + 0x100) | 1, STACK);
    machine.core_mut(1).set_register(5, 5);
    times(&mut machine, 0, &[SECOND], 100);
    assert_eq!((machine.core(0).register(5), machine.core(1).register(5)), (0, 5));
    assert_eq!(machine.core(1).register(15), CODE + 0x100);
}

#[test]
fn svc_calls_its_handler_and_comes_back() {
    let mut code = vec![NOP; 20];
    code[4] = 0xdf05;
    code[19] = STAY;
    let mut machine = with_handler(&code, 11, &[0x2007, BX_LR]);
    let found = times(&mut machine, 0, &[CODE + 8, HANDLER, CODE + 10], 300);
    assert_eq!(found[1] - found[0], 15, "as an interrupt (assumption)");
    assert_eq!(found[2] - found[1], 1 + 13);
    // R0 is restored from the frame.
    assert_eq!(machine.core(0).register(0), 0);
}

#[test]
fn primask_holds_interrupts_back() {
    let mut code = vec![NOP; 200];
    code[0] = 0xb672;
    code[100] = 0xb662;
    let mut machine = with_handler(&code, 16 + 26, &[BX_LR, NOP]);
    enable(&mut machine, 1 << 26);
    machine.run_until(50);
    machine.raise_interrupt(0, 26);
    let found = times(&mut machine, 0, &[CODE + 200, HANDLER], 500);
    assert_eq!(found[1] - found[0], 1 + ENTRY, "right after CPSIE");
}

#[test]
fn an_interrupt_wakes_a_sleeping_core_in_the_same_time() {
    for lead in 0..2 {
        let mut code = vec![NOP; 8 + lead];
        code.extend([0xbf30, NOP, NOP, NOP, STAY]);
        let mut machine = with_handler(&code, 16 + 26, &[BX_LR, NOP]);
        enable(&mut machine, 1 << 26);
        assert_eq!(machine.run_until(100), Stop::DeadEnd);
        assert!(machine.core(0).is_asleep());
        machine.advance_to(100);
        machine.raise_interrupt(0, 26);
        let found = times(&mut machine, 0, &[HANDLER], 300);
        assert_eq!(found[0] - 100, 15);
    }
}

#[test]
fn systick_interrupts_with_its_period() {
    // 99 in RVR: every 100 cycles.
    // str r2, [r0, #4]; str r1, [r0, #8]; str r3, [r0]: RVR, CVR, CSR
    let mut machine = with_handler(&[0x6042, 0x6081, 0x6003, NOP, STAY], 15, &[BX_LR, NOP]);
    let core = machine.core_mut(0);
    core.set_register(0, 0xe000_e010);
    core.set_register(2, 99);
    core.set_register(1, 0);
    core.set_register(3, 7);
    let probe = machine.bus.fabric.watch.probe(intercore_sim::core::watch::Watch::Execute, HANDLER, 1);
    machine.run_until(10_000);
    let hits = machine.bus.fabric.watch.hits(probe);
    assert!(hits.len() > 90);
    for pair in hits.windows(2).skip(1) {
        let gap = pair[1].cycle - pair[0].cycle;
        assert!((99..=101).contains(&gap), "{gap}: B . is a two-cycle instruction");
    }
    assert_eq!(hits[hits.len() - 1].cycle.abs_diff(hits[1].cycle + 100 * (hits.len() as u64 - 2)) / 3, 0);
}

/// CLKSOURCE 0 counts the ticks of the watchdog (DS 2.4.5.1.1): none after reset, and as many as TICK.CYCLES gives.
#[test]
fn systick_counts_the_ticks_of_the_watchdog() {
    let counted = |tick: u32| {
        // str r2, [r0, #4]; str r1, [r0, #8]; str r3, [r0]: RVR, CVR, CSR; str r4, [r5]: WATCHDOG.TICK
        let mut machine = machine(&[0x6042, 0x6081, 0x602c, 0x6003, STAY]);
        for (register, value) in [0xe000_e010, 0, 0xff_ffff, 1, tick, 0x4005_802c].into_iter().enumerate() {
            machine.core_mut(0).set_register(register, value);
        }
        machine.run_until(10_000);
        u64::from(0u32.wrapping_sub(machine.core(0).peek_private(0xe018)) & 0xff_ffff)
    };
    assert_eq!(counted(1 << 9), 0, "no cycles set");
    // clk_ref and clk_sys are one clock after reset: a tick in every 12 or 100 cycles.
    assert!((10_000 / 12 - 2..=10_000 / 12 + 1).contains(&counted(1 << 9 | 0xc)));
    assert!((10_000 / 100 - 2..=10_000 / 100 + 1).contains(&counted(1 << 9 | 0x64)));
}

#[test]
fn an_undefined_instruction_faults_and_a_fault_in_the_fault_handler_locks_up() {
    let mut code = vec![NOP; 8];
    code[4] = 0xde00;
    let mut machine = with_handler(&code, 3, &[NOP, 0xde00]);
    let stop = machine.run_until(1000);
    assert!(matches!(stop, Stop::Lockup { core: 0, .. }), "{stop:?}");
    assert_eq!(machine.peek(STACK - 8), Some(CODE + 8), "stacked address");
}

#[test]
fn a_load_from_nowhere_and_one_that_is_not_aligned_fault() {
    for address in [0x3000_0000, 0x2000_0001] {
        let mut machine = with_handler(&[NOP, NOP, 0x6801, NOP, STAY], 3, &[STAY]);
        machine.core_mut(0).set_register(0, address);
        let found = times(&mut machine, 0, &[CODE + 4, HANDLER], 200);
        assert!(found[1] > found[0]);
    }
}

/// The chip has an MPU of 8 regions (DS 2.4.6.1): `MPU_TYPE.DREGION` is in bits 15 to 8 (ARMv6-M B3.5).
#[test]
fn a_program_that_enables_the_mpu_is_told_once_that_it_is_not_modelled() {
    // r0 is MPU_TYPE. LDR r2, [r0]; STR r1, [r0, #8], [r0, #12], [r0, #16]; STR r1, [r0, #4] twice; LDR r3, [r0, #4]; B .
    let code = [NOP, 0x6802, 0x6081, 0x60c1, 0x6101, 0x6041, 0x6041, 0x6843, STAY];
    for (value, notes) in [(1, 1), (0, 0), (4, 0)] {
        let mut machine = machine(&code);
        machine.core_mut(0).set_register(0, 0xe000_ed90);
        machine.core_mut(0).set_register(1, value);
        machine.run_until(200);
        assert_eq!((machine.core(0).register(2), machine.core(0).register(3)), (0x800, 0));
        let said = machine.bus.fabric.diagnostics.pending();
        assert_eq!(said.len(), notes, "{said:?}");
        assert!(said.iter().all(|note| note.contains("MPU is not modelled: MPU_CTRL.ENABLE is ignored")), "{said:?}");
    }
}

#[test]
fn sev_wakes_the_other_core() {
    let mut machine = machine(&[0xbf20, NOP, NOP, STAY]);
    let other = CODE + 0x100;
    let mut code = vec![NOP; 50];
    code.extend([0xbf40, STAY]);
    put(&mut machine, other, &code);
    machine.start_core(1, other | 1, 0x2004_1800);
    let probe = machine.bus.fabric.watch.probe(intercore_sim::core::watch::Watch::Execute, CODE + 2, 1);
    let sev = times(&mut machine, 1, &[other + 100], 300)[0];
    assert_eq!(
        machine.bus.fabric.watch.hits(probe)[0].cycle - sev,
        4,
        "event, wake, last cycle of WFE (assumed latencies)"
    );
    assert!(machine.core(0).statistics().asleep > 40);
}

#[test]
fn both_cores_asleep_for_good_are_a_dead_end() {
    let mut machine = machine(&[0xbf30, NOP, STAY]);
    assert_eq!(machine.run_until(1_000_000), Stop::DeadEnd);
}

#[test]
fn semihosting_ends_the_run_and_writes_text() {
    let mut machine = machine(&[0xbeab, 0x2018, 0x1c11, 0xbeab, STAY]);
    assert!(machine.load(0x2000_0200, b"hello\n\0"));
    let core = machine.core_mut(0);
    core.set_register(0, 4);
    core.set_register(1, 0x2000_0200);
    core.set_register(2, 0x20026);
    assert_eq!(machine.run_until(1000), Stop::Exit { core: 0, code: 0 });
    assert_eq!(machine.host_output, b"hello\n");
}

#[test]
fn what_is_written_by_semihosting_without_end_is_kept_up_to_a_bound_and_a_note_says_so() {
    // BKPT 0xAB: SYS_WRITE0, again and again, of a string that goes on to the end of SRAM.
    let mut machine = machine(&[0x1c18, 0xbeab, 0xe7fc]);
    assert!(machine.load(0x2000_0200, &vec![b'x'; 0x4_0000 - 0x200]));
    let core = machine.core_mut(0);
    core.set_register(3, 4);
    core.set_register(1, 0x2000_0200);
    machine.run_until(10_000);
    assert_eq!(machine.host_output.len(), 1 << 24);
    let notes = machine.bus.fabric.diagnostics.take();
    assert!(matches!(&notes[..], [note] if note.contains("semihosting")), "{notes:?}");
    machine.host_output.clear();
    machine.run_until(10_100);
    assert!(!machine.host_output.is_empty(), "there is room again");
}

#[test]
fn a_breakpoint_stops_before_its_instruction_and_changes_no_time() {
    let code = [NOP, NOP, NOP, NOP, NOP, STAY];
    let mut plain = machine(&code);
    let mut stopped = machine(&code);
    stopped.bus.fabric.watch.add_breakpoint(CODE + 4);
    assert_eq!(stopped.run_until(100), Stop::Breakpoint { core: 0, pc: CODE + 4 });
    assert_eq!(stopped.core(0).register(15), CODE + 4);
    stopped.bus.fabric.watch.remove_breakpoint(CODE + 4);
    assert_eq!(stopped.run_until(100), Stop::Limit);
    plain.run_until(100);
    assert_eq!(plain.state_hash(), stopped.state_hash());
}
