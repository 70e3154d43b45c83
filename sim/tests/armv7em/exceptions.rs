//! Exceptions by known answers: entry and return, priorities and masks, sleep (ARMv7-M ARM B1.5).

use super::bench::{
    AIRCR, BX_LR, Bench, CODE, DATA, LDR, NOP, SCR, STACK, SV_CALL, SVC, SYS_TICK, WFE, WFI, handler, irq,
};
use super::bench::{ICSR, PEND_SV};
use intercore_sim::core::register::Register;
use intercore_sim::isa::armv7em::Step;

#[test]
fn exception_entry_stacks_eight_words_and_sets_exc_return() {
    // B1.5.6: R0 to R3, R12, LR, the return address, xPSR.
    let mut bench = Bench::m7(&[SVC, NOP]);
    for number in [0, 1, 2, 3, 12, 14] {
        bench.set(number, 0x100 + number as u32);
    }
    assert_eq!(bench.step(), Step::Executed);
    assert_eq!(bench.step(), Step::Entered(SV_CALL));
    assert_eq!(bench.r(13), STACK - 0x20);
    let frame: Vec<u32> = (0..8).map(|index| bench.frame(index)).collect();
    assert_eq!(frame, [0x100, 0x101, 0x102, 0x103, 0x10c, 0x10e, CODE + 2, 1 << 24]);
    assert_eq!((bench.r(14), bench.r(15)), (0xffff_fff9, handler(SV_CALL)));
    assert_eq!(bench.processor.xpsr() & 0x1ff, u32::from(SV_CALL));
    bench.steps(1);
    assert_eq!((bench.r(13), bench.r(15), bench.processor.xpsr() & 0x1ff), (STACK, CODE + 2, 0));
}

#[test]
fn misaligned_stack_is_aligned_and_noted_in_the_frame() {
    // B1.5.7: bit 9 of the stacked xPSR.
    let mut bench = Bench::m7(&[SVC, NOP]);
    bench.set(13, STACK - 4);
    bench.steps(2);
    assert_eq!(bench.r(13), STACK - 0x28);
    assert_eq!(bench.frame(7), 1 << 24 | 1 << 9);
    bench.steps(1);
    assert_eq!(bench.r(13), STACK - 4);
}

#[test]
fn a_thread_with_its_own_stack_has_its_frame_there() {
    // MSR PSP, r0; MOVS r0, #3; MSR CONTROL, r0; SVC
    let mut bench = Bench::m7(&[0xf380, 0x8809, 0x2003, 0xf380, 0x8814, SVC, NOP]);
    bench.set(0, DATA);
    bench.steps(3);
    assert_eq!((bench.r(13), bench.processor.is_privileged()), (DATA, false));
    bench.steps(2);
    assert_eq!((bench.r(13), bench.r(14)), (STACK, 0xffff_fffd));
    assert_eq!((bench.register(Register::Psp), bench.processor.is_privileged()), (DATA - 0x20, true));
    assert_eq!(bench.memory.word(DATA - 0x20 + 24), CODE + 12);
    bench.steps(1);
    assert_eq!((bench.r(13), bench.register(Register::Control), bench.processor.is_privileged()), (DATA, 3, false));
}

#[test]
fn a_more_urgent_interrupt_preempts_a_handler() {
    let mut bench = Bench::m7(&[NOP; 8]);
    bench.handler(irq(1), &[NOP, BX_LR]);
    bench.enable(1, 0x80);
    bench.enable(2, 0x70);
    bench.enable(3, 0x80);
    bench.pend(1);
    assert_eq!(bench.step(), Step::Entered(irq(1)));
    bench.pend(2);
    bench.pend(3);
    assert_eq!(bench.step(), Step::Entered(irq(2)));
    assert_eq!((bench.r(14), bench.r(13)), (0xffff_fff1, STACK - 0x40));
    // Back to the handler of 1, which 3 does not preempt.
    bench.steps(1);
    assert_eq!(bench.r(15), handler(irq(1)));
    bench.steps(2);
    assert_eq!(bench.processor.xpsr() & 0x1ff, u32::from(irq(3)));
}

#[test]
fn a_pending_exception_is_chained_without_a_new_frame() {
    // B1.5.8: registers are not restored in between, and LR is the value returned by.
    let mut bench = Bench::m7(&[NOP; 8]);
    bench.handler(irq(1), &[0x2077, BX_LR]); // MOVS r0, #0x77
    bench.handler(irq(2), &[NOP, BX_LR]);
    bench.enable(1, 0);
    bench.enable(2, 0);
    bench.pend(2);
    bench.pend(1);
    bench.steps(3);
    assert_eq!((bench.r(15), bench.r(13)), (handler(irq(2)), STACK - 0x20));
    assert_eq!((bench.r(0), bench.r(14)), (0x77, 0xffff_fff9));
    bench.steps(2);
    assert_eq!((bench.r(15), bench.r(13), bench.r(0)), (CODE, STACK, 0));
}

#[test]
fn only_the_group_of_a_priority_preempts_and_the_rest_sorts() {
    // B1.5.4: PRIGROUP 5 leaves two bits of group. 0x40 and 0x60 are of one group.
    let mut bench = Bench::m7(&[NOP; 8]);
    bench.poke(AIRCR, 0x05fa_0500);
    for (interrupt, priority) in [(1, 0x60), (2, 0x40), (3, 0x60), (4, 0x30)] {
        bench.enable(interrupt, priority);
    }
    bench.handler(irq(1), &[NOP, BX_LR]);
    bench.pend(1);
    bench.steps(1);
    bench.pend(3);
    bench.pend(2);
    assert_eq!(bench.step(), Step::Executed, "2 is of the same group");
    bench.pend(4);
    assert_eq!(bench.step(), Step::Entered(irq(4)));
    bench.steps(1);
    // BX of 1: 2 comes before 3, which has been pending for longer.
    bench.steps(1);
    assert_eq!(bench.processor.xpsr() & 0x1ff, u32::from(irq(2)));
}

#[test]
fn without_the_key_the_grouping_stays() {
    let mut bench = Bench::m7(&[NOP]);
    bench.poke(AIRCR, 0x0500);
    assert_eq!(bench.peek(AIRCR), 0xfa05_0000);
}

#[test]
fn four_bits_of_a_priority_exist() {
    let mut bench = Bench::m7(&[NOP]);
    bench.poke(0xe000_e400, 0xffff_ffff);
    assert_eq!(bench.peek(0xe000_e400), 0xf0f0_f0f0);
    bench.poke(0xe000_ed20, 0xffff_ffff);
    assert_eq!(bench.peek(0xe000_ed20), 0xf0f0_00f0, "of PendSV, SysTick and DebugMonitor");
}

#[test]
fn basepri_holds_back_its_own_level_and_what_is_less_urgent() {
    // MSR BASEPRI, r0
    let mut bench = Bench::m7(&[0xf380, 0x8811, NOP, NOP, NOP]);
    bench.set(0, 0x4f);
    bench.enable(1, 0x40);
    bench.enable(2, 0x30);
    bench.steps(1);
    assert_eq!(bench.register(Register::Basepri), 0x40);
    bench.pend(1);
    assert_eq!(bench.step(), Step::Executed);
    bench.pend(2);
    assert_eq!(bench.step(), Step::Entered(irq(2)));
}

#[test]
fn basepri_max_only_raises_the_priority() {
    // MSR BASEPRI_MAX of r0, r1, r2, r3
    let mut bench = Bench::m7(&[0xf380, 0x8812, 0xf381, 0x8812, 0xf382, 0x8812, 0xf383, 0x8812]);
    for (number, value) in [(0, 0x50), (1, 0x60), (2, 0), (3, 0x20)] {
        bench.set(number, value);
    }
    for expected in [0x50, 0x50, 0x50, 0x20] {
        bench.steps(1);
        assert_eq!(bench.register(Register::Basepri), expected);
    }
}

#[test]
fn primask_holds_back_what_faultmask_does_and_nmi_passes_both() {
    // CPSID i; CPSID f
    let mut bench = Bench::m7(&[0xb672, 0xb671, NOP, NOP]);
    bench.enable(1, 0);
    bench.steps(1);
    bench.pend(1);
    assert_eq!(bench.step(), Step::Executed);
    assert_eq!(bench.step(), Step::Executed);
    bench.poke(ICSR, 1 << 31);
    assert_eq!(bench.step(), Step::Entered(2));
    bench.steps(1);
    // B1.5.8: any return but that from NMI clears FAULTMASK.
    assert_eq!((bench.register(Register::Faultmask), bench.register(Register::Primask)), (1, 1));
}

#[test]
fn the_return_from_an_interrupt_clears_faultmask() {
    let mut bench = Bench::m7(&[NOP, NOP]);
    bench.enable(1, 0);
    bench.handler(irq(1), &[0xb671, BX_LR]); // CPSID f
    bench.pend(1);
    bench.steps(2);
    assert_eq!(bench.register(Register::Faultmask), 1);
    bench.steps(1);
    assert_eq!(bench.register(Register::Faultmask), 0);
}

#[test]
fn a_line_that_stays_high_is_pending_again() {
    let mut bench = Bench::m7(&[NOP; 4]);
    bench.enable(40, 0);
    bench.processor.set_interrupt(40, true);
    assert_eq!(bench.step(), Step::Entered(irq(40)));
    bench.steps(1);
    assert_eq!(bench.r(15), handler(irq(40)), "chained to itself");
    bench.processor.set_interrupt(40, false);
    bench.steps(1);
    assert_eq!(bench.r(15), CODE);
}

#[test]
fn an_it_block_goes_on_behind_an_interrupt() {
    // CMP r0, r0; ITTE EQ; MOV r1, #1; MOV r2, #2; MOV r3, #3
    let mut bench = Bench::m7(&[0x4280, 0xbf06, 0x2101, 0x2202, 0x2303, NOP]);
    bench.enable(1, 0);
    bench.steps(3);
    bench.pend(1);
    bench.steps(1);
    // B1.4.2: what is left is in bits 26, 25 and 15 to 10.
    let psr = bench.frame(7);
    assert_eq!((psr >> 25 & 3 | psr >> 8 & 0xfc), 0x0c);
    bench.steps(3);
    assert_eq!((bench.r(1), bench.r(2), bench.r(3)), (1, 2, 0));
}

#[test]
fn an_exception_takes_the_exclusive_state_away() {
    // LDREX r0, [r1]; NOP; STREX r2, r0, [r1]
    let code = [0xe851, 0x0f00, NOP, 0xe841, 0x0200];
    for interrupted in [false, true] {
        let mut bench = Bench::m7(&code);
        bench.set(1, DATA);
        bench.enable(1, 0);
        bench.steps(1);
        if interrupted {
            bench.pend(1);
            bench.steps(2);
        }
        bench.steps(2);
        assert_eq!(bench.r(2), u32::from(interrupted));
    }
}

#[test]
fn a_return_that_does_not_fit_is_a_usage_fault() {
    // B1.5.8: from the only active exception to a handler.
    let mut bench = Bench::m7(&[SVC, NOP]);
    bench.handler(SV_CALL, &[0xf04f, 0x30ff, 0xf020, 0x000e, 0x4700]); // MOV r0, #-1; BIC r0, #14; BX r0
    bench.steps(5);
    assert_eq!(bench.processor.fault_status().cfsr, 1 << 18, "INVPC");
    assert_eq!((bench.r(15), bench.r(14)), (handler(3), 0xffff_fff1));
    assert_eq!(bench.r(13), STACK - 0x20, "the frame is still there");
}

#[test]
fn wfi_ends_for_an_interrupt_that_primask_holds_back() {
    // B1.5.19. CPSID i; WFI
    let mut bench = Bench::m7(&[0xb672, WFI, NOP, NOP]);
    bench.enable(1, 0);
    bench.steps(2);
    assert_eq!((bench.step(), bench.step()), (Step::Asleep, Step::Asleep));
    bench.pend(1);
    assert_eq!((bench.step(), bench.r(15)), (Step::Executed, CODE + 6));
}

#[test]
fn wfe_ends_for_an_event_and_takes_it() {
    // B1.5.18. SEV; WFE; WFE
    let mut bench = Bench::m7(&[0xbf40, WFE, WFE, NOP]);
    bench.steps(3);
    assert_eq!((bench.memory.events, bench.step()), (1, Step::Asleep));
    bench.processor.receive_event();
    assert_eq!(bench.step(), Step::Executed);
}

#[test]
fn sevonpend_makes_pending_interrupts_events() {
    let mut bench = Bench::m7(&[WFE, NOP, NOP]);
    bench.steps(1);
    assert_eq!(bench.step(), Step::Asleep);
    bench.processor.set_interrupt(5, true);
    assert_eq!(bench.step(), Step::Asleep, "it is not enabled");
    bench.poke(SCR, 1 << 4);
    bench.processor.set_interrupt(6, true);
    assert_eq!(bench.step(), Step::Executed);
}

#[test]
fn the_last_return_sleeps_if_scr_says_so() {
    let mut bench = Bench::m7(&[NOP, NOP]);
    bench.poke(SCR, 2);
    bench.enable(1, 0);
    bench.pend(1);
    bench.steps(2);
    assert_eq!(bench.step(), Step::Asleep);
    bench.pend(1);
    assert_eq!(bench.step(), Step::Entered(irq(1)));
}

#[test]
fn systick_raises_its_exception_each_period() {
    // LDR r0, [r1] of the counter in a loop would do as well; here only steps pass.
    let mut bench = Bench::m7(&[NOP; 64]);
    bench.poke(0xe000_e014, 9);
    bench.poke(0xe000_e018, 0);
    bench.poke(0xe000_e010, 7);
    let entered: Vec<u32> = (1..=32).filter(|_| bench.step() == Step::Entered(SYS_TICK)).collect();
    // The first reload takes a step; then 10 a period (B3.3.1).
    assert_eq!(entered, [10, 20, 30]);
}

#[test]
fn icsr_tells_what_is_pending_and_active() {
    let mut bench = Bench::m7(&[SVC, NOP]);
    bench.steps(2);
    bench.enable(7, 0);
    bench.poke(0xe000_ed20, 0x00f0_0000);
    bench.poke(ICSR, 1 << 28);
    assert_eq!(bench.peek(ICSR), 1 << 28 | u32::from(PEND_SV) << 12 | 1 << 11 | u32::from(SV_CALL));
    bench.poke(ICSR, 1 << 27);
    bench.pend(7);
    assert_eq!(bench.peek(ICSR), 1 << 22 | u32::from(irq(7)) << 12 | 1 << 11 | u32::from(SV_CALL));
}

#[test]
fn stir_pends_an_interrupt_with_usersetmpend_for_users() {
    // STR r0, [r1] to STIR by unprivileged code.
    let mut bench = Bench::m7(&[0xf382, 0x8814, super::bench::STR, LDR]);
    bench.set(0, 33);
    bench.set(1, 0xe000_ef00);
    bench.set(2, 1);
    bench.enable(33, 0);
    bench.poke(super::bench::CCR, 0x202);
    bench.steps(2);
    assert_eq!(bench.step(), Step::Entered(irq(33)));
}
