//! The floating-point context by known answers: access control and stacking (ARMv7-M ARM B1.5.7, B3.2).

use super::bench::{
    BUS_FAULT, BX_LR, Bench, CODE, CPACR, DATA, FPCAR, FPCCR, FPDSCR, NOP, SHCSR, STACK, SV_CALL, SVC, USAGE_FAULT,
    VMOV, handler,
};
use super::memory::models;
use intercore_sim::core::register::Register;
use intercore_sim::isa::armv7em::Step;

/// VMOV s0, r0; SVC; NOP
const USES_AND_CALLS: [u16; 4] = [VMOV[0], VMOV[1], SVC, NOP];
/// FPCCR.LSPACT.
const LSPACT: u32 = 1;

/// A program that has used floating point and then called, up to its handler.
fn called(code: &[u16], handler: &[u16]) -> Bench {
    let mut bench = Bench::m7(code).with_float();
    bench.handler(SV_CALL, handler);
    bench.set(0, 0x3f80_0000);
    bench.steps(3);
    bench
}

#[test]
fn the_first_instruction_begins_a_context_with_the_default_modes() {
    // VMOV s0, r0; VMRS r1, FPSCR
    let mut bench = Bench::m7(&[VMOV[0], VMOV[1], 0xeef1, 0x1a10]).with_float();
    bench.poke(FPDSCR, 0xffff_ffff);
    assert_eq!(bench.register(Register::Control), 0);
    bench.steps(2);
    assert_eq!((bench.register(Register::Control), bench.r(1)), (4, 0x07c0_0000));
}

#[test]
fn fp_instructions_without_cpacr_are_nocp_faults() {
    // CPACR: 0 nobody, 1 privileged code, 3 all. MSR CONTROL, r2; VMOV
    for (access, unprivileged, fault) in [(0, 0, true), (1, 0, false), (1, 1, true), (3, 1, false)] {
        let mut bench = Bench::m7(&[0xf382, 0x8814, VMOV[0], VMOV[1]]);
        bench.poke(SHCSR, 1 << 18);
        bench.poke(CPACR, access << 20 | access << 22);
        bench.set(2, unprivileged);
        bench.steps(1);
        assert_eq!(bench.step(), if fault { Step::Entered(USAGE_FAULT) } else { Step::Executed });
        assert_eq!(bench.processor.fault_status().cfsr, u32::from(fault) << 19, "NOCP");
    }
}

#[test]
fn a_cortex_m4_has_no_double_precision() {
    // VADD.F64 d0, d0, d0
    for ((name, model), undefined) in models().into_iter().zip([true, false]) {
        let mut bench = Bench::new(model, &[0xee30, 0x0b00]).with_float();
        bench.poke(SHCSR, 1 << 18);
        bench.steps(1);
        assert_eq!(bench.processor.fault_status().cfsr, u32::from(undefined) << 16, "{name}");
    }
}

#[test]
fn lazy_entry_reserves_space_and_sets_fpcar() {
    let mut bench = called(&USES_AND_CALLS, &[NOP, BX_LR]);
    assert_eq!((bench.r(14), bench.r(13)), (0xffff_ffe9, STACK - 0x68));
    assert_eq!(bench.peek(FPCAR), STACK - 0x68 + 0x20);
    // LSPACT, THREAD, HFRDY; BusFault and MemManage are not enabled.
    assert_eq!(bench.peek(FPCCR), 0xc000_0000 | LSPACT | 1 << 3 | 1 << 4);
    assert_eq!(bench.memory.word(STACK - 0x68 + 0x20), 0, "nothing is written yet");
    assert_eq!(bench.register(Register::Control), 0, "the handler has no context");
}

#[test]
fn handler_without_fp_leaves_lazy_context_unsaved() {
    let mut bench = called(&USES_AND_CALLS, &[BX_LR]);
    bench.steps(1);
    assert_eq!((bench.r(13), bench.r(15), bench.register(Register::Control)), (STACK, CODE + 6, 4));
    assert_eq!((bench.peek(FPCCR) & LSPACT, bench.register(Register::D(0))), (0, 0x3f80_0000));
    assert_eq!(bench.memory.word(STACK - 0x68 + 0x20), 0, "nothing was written at all");
}

#[test]
fn the_first_instruction_in_a_handler_saves_the_context() {
    // MOVS r0, #5; VMOV s0, r0; BX lr
    let mut bench = called(&USES_AND_CALLS, &[0x2005, VMOV[0], VMOV[1], BX_LR]);
    bench.steps(2);
    assert_eq!((bench.peek(FPCCR) & LSPACT, bench.register(Register::Control)), (0, 4));
    assert_eq!(bench.memory.word(STACK - 0x68 + 0x20), 0x3f80_0000);
    assert_eq!(bench.register(Register::D(0)), 5);
    bench.steps(1);
    assert_eq!((bench.register(Register::D(0)), bench.r(13)), (0x3f80_0000, STACK));
}

#[test]
fn without_laziness_the_context_is_written_at_once() {
    let mut bench = Bench::m7(&USES_AND_CALLS).with_float();
    bench.poke(FPCCR, 1 << 31);
    bench.set(0, 0x3f80_0000);
    bench.steps(3);
    assert_eq!((bench.peek(FPCCR), bench.r(13)), (1 << 31, STACK - 0x68));
    assert_eq!(bench.memory.word(STACK - 0x68 + 0x20), 0x3f80_0000);
}

#[test]
fn without_automatic_preservation_there_is_no_context_to_stack() {
    let mut bench = Bench::m7(&USES_AND_CALLS).with_float();
    bench.poke(FPCCR, 0);
    bench.steps(3);
    assert_eq!((bench.r(14), bench.r(13)), (0xffff_fff9, STACK - 0x20));
}

#[test]
fn a_long_frame_is_aligned_even_if_others_are_not() {
    // B1.5.7: CCR.STKALIGN is 0.
    let mut bench = Bench::m7(&USES_AND_CALLS).with_float();
    bench.poke(super::bench::CCR, 0);
    bench.set(13, STACK - 4);
    bench.steps(3);
    assert_eq!((bench.r(13), bench.frame(7) & 1 << 9), (STACK - 0x70, 1 << 9));
    bench.steps(1);
    assert_eq!(bench.r(13), STACK - 4);
}

#[test]
fn failed_lazy_save_is_a_bus_fault_with_lsperr() {
    // The handler moves FPCAR to where nothing is: VMOV s0, r0 faults before it has an effect.
    let mut bench = Bench::m7(&USES_AND_CALLS).with_float();
    bench.poke(SHCSR, 1 << 17);
    bench.poke(0xe000_ed1c, 0x80 << 24);
    bench.handler(SV_CALL, &[VMOV[0], VMOV[1], BX_LR]);
    bench.steps(3);
    assert_eq!(bench.peek(FPCCR) & 1 << 6, 1 << 6, "BFRDY");
    bench.poke(FPCAR, 0x2800_0000);
    bench.set(0, 7);
    assert_eq!(bench.step(), Step::Entered(BUS_FAULT));
    assert_eq!((bench.processor.fault_status().cfsr, bench.frame(6)), (1 << 13, handler(SV_CALL)), "LSPERR");
    assert_eq!((bench.peek(FPCCR) & LSPACT, bench.register(Register::D(0))), (0, 0));
}

#[test]
fn lazy_stacking_fault_without_ready_bit_is_a_hard_fault() {
    let mut bench = called(&USES_AND_CALLS, &[VMOV[0], VMOV[1], BX_LR]);
    bench.poke(FPCAR, 0x2800_0000);
    assert_eq!(bench.step(), Step::Entered(super::bench::HARD_FAULT));
    assert_eq!((bench.processor.fault_status().hfsr, bench.processor.fault_status().cfsr), (1 << 30, 1 << 13));
}

#[test]
fn vldm_that_faults_loads_nothing() {
    // VLDM r1, {s0-s3} across the end of memory.
    let mut bench = Bench::m7(&[0xec91, 0x0a04]).with_float();
    bench.set(1, 0x2000_8000 - 8);
    bench.memory.put_word(0x2000_8000 - 8, DATA);
    assert_eq!(bench.step(), Step::Entered(super::bench::HARD_FAULT));
    assert_eq!(bench.register(Register::D(0)), 0);
}
