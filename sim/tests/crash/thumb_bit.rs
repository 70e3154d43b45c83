//! xPSR.T: clear from a branch to an even address on, and on the stack of the fault that this is.

use intercore_sim::core::stop::Stop;
use intercore_sim::rp2040::machine::Machine;

use super::{BX_LR, HANDLER, UDF, with_handler};
use crate::machine_code::{CODE, NOP, STACK, STAY, VECTORS, put, put_word};

const SECOND: u32 = HANDLER + 0x100;

/// xPSR.T is bit 24 (ARMv6-M B1.4.2); the word is the last of the frame (B1.5.6).
fn stacked_t(machine: &Machine) -> (u32, u32) {
    let frame = machine.core(0).register(13);
    let word = |index: u32| machine.peek(frame + 4 * index).expect("a frame");
    (word(7) >> 24 & 1, word(6))
}

#[test]
fn a_branch_to_an_even_address_faults_there_with_t_clear_on_the_stack() {
    const TARGET: u32 = CODE + 0x80;
    // BX r0; BLX r0; POP {PC}.
    for (branch, sp) in [(0x4700, STACK), (0x4780, STACK), (0xbd00, STACK - 4)] {
        let mut machine = with_handler(&[NOP, branch, NOP, STAY], &[STAY]);
        put_word(&mut machine, STACK - 4, TARGET);
        machine.core_mut(0).set_register(0, TARGET);
        machine.core_mut(0).set_register(13, sp);
        machine.run_until(200);
        assert_eq!(machine.core(0).register(15), HANDLER, "{branch:#x}");
        assert_eq!(stacked_t(&machine), (0, TARGET), "{branch:#x}");
        assert_eq!(machine.core(0).xpsr() >> 24 & 1, 1, "the handler's own");
    }
    // Any other fault has it set.
    let mut machine = with_handler(&[NOP, UDF, NOP, STAY], &[STAY]);
    machine.run_until(200);
    assert_eq!(stacked_t(&machine), (1, CODE + 2));
}

#[test]
fn an_even_vector_faults_within_its_exception_with_t_clear_on_the_stack() {
    let mut machine = with_handler(&[NOP, 0xdf00, NOP, STAY], &[STAY]);
    put_word(&mut machine, VECTORS + 4 * 11, CODE + 0x80);
    machine.run_until(200);
    assert_eq!(stacked_t(&machine), (0, CODE + 0x80));
    let psr = machine.peek(machine.core(0).register(13) + 28).expect("a frame");
    assert_eq!(psr & 0x3f, 11, "SVCall is active");
    // That of HardFault itself locks up.
    let mut machine = with_handler(&[NOP, UDF, NOP, STAY], &[STAY]);
    put_word(&mut machine, VECTORS + 12, HANDLER);
    assert_eq!(machine.run_until(200), Stop::Lockup { core: 0, pc: HANDLER });
    assert_eq!(machine.core(0).xpsr() >> 24 & 1, 0);
}

#[test]
fn a_return_to_a_frame_with_t_clear_faults_with_t_clear_on_the_stack() {
    // SVC's handler clears bit 24 of the frame: LDR r0, [sp, #28]; EORS r0, r1; STR r0, [sp, #28]; BX LR.
    let mut machine = with_handler(&[NOP, 0xdf00, NOP, STAY], &[STAY]);
    put_word(&mut machine, VECTORS + 4 * 11, SECOND | 1);
    put(&mut machine, SECOND, &[0x9807, 0x4048, 0x9007, BX_LR]);
    machine.core_mut(0).set_register(1, 1 << 24);
    machine.run_until(300);
    assert_eq!(machine.core(0).register(15), HANDLER);
    assert_eq!(stacked_t(&machine), (0, CODE + 4));
}
