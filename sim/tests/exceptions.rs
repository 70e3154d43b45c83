//! Exceptions: what they do, and what they cost. Sources at the constants of `cpu::exception`.

mod common;
use common::{CODE, NOP, STACK, STAY, VECTORS, machine, put, put_word, times};
use intercore_sim::cpu::exception::RECOGNITION;
use intercore_sim::machine::{Machine, Stop};

const HANDLER: u32 = 0x2000_1000;
const SECOND: u32 = 0x2000_2000;
const BX_LR: u16 = 0x4770;

/// A machine with a vector table: exception `number` at `HANDLER`, which is `handler`.
fn with_handler(code: &[u16], number: u32, handler: &[u16]) -> Machine {
    let mut machine = machine(code);
    put_word(&mut machine, VECTORS + 4 * number, HANDLER | 1);
    put(&mut machine, HANDLER, handler);
    machine.core_mut(0).set_vector_table(VECTORS);
    machine
}

/// R3 points at `NVIC_ISER`; ICSR is at `ED04`.
fn enable(machine: &mut Machine, interrupts: u32) {
    machine.core_mut(0).enable_interrupts(interrupts);
}

#[test]
fn an_interrupt_reaches_its_handler_in_fifteen_cycles() {
    // TRM 3.6.1: 15 cycles with zero wait states.
    let mut machine = with_handler(&[NOP; 400], 16 + 26, &[NOP, BX_LR]);
    enable(&mut machine, 1 << 26);
    machine.run_until(100);
    machine.raise_interrupt(0, 26);
    let found = times(&mut machine, 0, &[HANDLER], 200);
    assert_eq!(found[0] - 100, 15);
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
    // Entry without recognition 12, return 13 (BX included).
    assert_eq!(found - quiet, 15 - RECOGNITION + 13);
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
    machine.core_mut(0).set_interrupt_priority(26, 3);
    machine.run_until(100);
    machine.raise_interrupt(0, 26);
    machine.run_until(106);
    machine.raise_interrupt(0, 27);
    let found = times(&mut machine, 0, &[SECOND, HANDLER], 300);
    assert_eq!(found[0] - 100, 15, "at the time of the first");
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
        machine.core_mut(0).set_interrupt_priority(26, priority);
        machine.run_until(100);
        machine.raise_interrupt(0, 26);
        machine.run_until(130);
        machine.raise_interrupt(0, 27);
        let found = times(&mut machine, 0, &[SECOND, HANDLER + 120], 400);
        assert_eq!(found[0] < found[1], nests);
        assert_eq!(machine.core(0).register(13), STACK);
    }
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
    assert_eq!(found[1] - found[0], 1 + 15 - RECOGNITION, "right after CPSIE");
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
    let code = [0x6001, 0x6042, 0x6083, STAY]; // str r1, [r0]; str r2, [r0, #4]; ... set up from outside instead
    let mut machine = with_handler(&code, 15, &[BX_LR, NOP]);
    put(&mut machine, CODE, &[0x6042, 0x6081, 0x6003, NOP, STAY]);
    let core = machine.core_mut(0);
    core.set_register(0, 0xe000_e010);
    core.set_register(2, 99);
    core.set_register(1, 0);
    core.set_register(3, 7);
    let probe = machine.bus.watch.probe(intercore_sim::probe::Watch::Execute, HANDLER, 1);
    machine.run_until(10_000);
    let hits = machine.bus.watch.hits(probe);
    assert!(hits.len() > 90);
    for pair in hits.windows(2).skip(1) {
        let gap = pair[1].cycle - pair[0].cycle;
        assert!((99..=101).contains(&gap), "{gap}: B . is a two-cycle instruction");
    }
    assert_eq!(hits[hits.len() - 1].cycle.abs_diff(hits[1].cycle + 100 * (hits.len() as u64 - 2)) / 3, 0);
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

#[test]
fn sev_wakes_the_other_core() {
    let mut machine = machine(&[0xbf20, NOP, NOP, STAY]);
    let other = CODE + 0x100;
    let mut code = vec![NOP; 50];
    code.extend([0xbf40, STAY]);
    put(&mut machine, other, &code);
    machine.start_core(1, other | 1, 0x2004_1800);
    let probe = machine.bus.watch.probe(intercore_sim::probe::Watch::Execute, CODE + 2, 1);
    let sev = times(&mut machine, 1, &[other + 100], 300)[0];
    assert_eq!(machine.bus.watch.hits(probe)[0].cycle - sev, 4, "event, wake, last cycle of WFE (assumed latencies)");
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
fn a_breakpoint_stops_before_its_instruction_and_changes_no_time() {
    let code = [NOP, NOP, NOP, NOP, NOP, STAY];
    let mut plain = machine(&code);
    let mut stopped = machine(&code);
    stopped.bus.watch.add_breakpoint(CODE + 4);
    assert_eq!(stopped.run_until(100), Stop::Breakpoint { core: 0, pc: CODE + 4 });
    assert_eq!(stopped.core(0).register(15), CODE + 4);
    stopped.bus.watch.remove_breakpoint(CODE + 4);
    assert_eq!(stopped.run_until(100), Stop::Limit);
    plain.run_until(100);
    assert_eq!(plain.state_hash(), stopped.state_hash());
}
