//! Faults by known answers: which exception, which status, which address (ARMv7-M ARM B1.5.14, B3.2).

use super::bench::{
    BUS_FAULT, BX_LR, Bench, CCR, CODE, DATA, HARD_FAULT, ICSR, LDR, MEM_MANAGE, NOP, SHCSR, STACK, STR, SV_CALL, SVC,
    UDF, USAGE_FAULT, handler,
};
use intercore_sim::isa::armv7em::Step;

const VTOR: u32 = 0xe000_ed08;
/// HFSR.FORCED.
const FORCED: u32 = 1 << 30;
/// Nothing is there, in SRAM's part of the map and in that of devices.
const NOWHERE: u32 = 0x2800_0000;
const DEVICE: u32 = 0x4000_0000;

/// A program with `MemManage`, `BusFault` and `UsageFault` enabled.
fn with_faults(code: &[u16]) -> Bench {
    let mut bench = Bench::m7(code);
    bench.poke(SHCSR, 7 << 16);
    bench
}

/// Executes the program up to its first exception, which is this one.
fn falls_into(bench: &mut Bench, exception: u8) {
    for _ in 0..16 {
        match bench.step() {
            Step::Executed => {}
            step => {
                assert_eq!(step, Step::Entered(exception), "{:x?}", bench.processor.fault_status());
                return;
            }
        }
    }
    panic!("no exception");
}

#[test]
fn an_undefined_instruction_is_a_usage_fault_at_its_own_address() {
    let mut bench = with_faults(&[NOP, UDF]);
    falls_into(&mut bench, USAGE_FAULT);
    assert_eq!((bench.processor.fault_status().cfsr, bench.frame(6)), (1 << 16, CODE + 2));
}

#[test]
fn a_fault_that_is_not_enabled_is_a_hard_fault() {
    let mut bench = Bench::m7(&[UDF]);
    falls_into(&mut bench, HARD_FAULT);
    let status = bench.processor.fault_status();
    assert_eq!((status.cfsr, status.hfsr), (1 << 16, FORCED));
}

#[test]
fn a_fault_in_a_handler_of_its_own_priority_is_a_hard_fault() {
    let mut bench = with_faults(&[UDF]);
    bench.handler(USAGE_FAULT, &[UDF]);
    falls_into(&mut bench, USAGE_FAULT);
    falls_into(&mut bench, HARD_FAULT);
    assert_eq!((bench.r(14), bench.frame(6)), (0xffff_fff1, handler(USAGE_FAULT)));
}

#[test]
fn a_fault_in_the_handler_of_hard_fault_locks_up_for_good() {
    let mut bench = Bench::m7(&[UDF]);
    bench.handler(HARD_FAULT, &[UDF]);
    falls_into(&mut bench, HARD_FAULT);
    assert_eq!((bench.step(), bench.step()), (Step::LockedUp, Step::LockedUp));
    assert!(bench.processor.is_locked_up());
}

#[test]
fn a_supervisor_call_that_is_masked_is_a_hard_fault() {
    let mut bench = Bench::m7(&[0xb672, SVC]); // CPSID i
    falls_into(&mut bench, HARD_FAULT);
    assert_eq!((bench.processor.fault_status().hfsr, bench.frame(6)), (FORCED, CODE + 2));
}

#[test]
fn a_division_by_zero_is_zero_unless_it_is_trapped() {
    for (ccr, trapped) in [(0x200, false), (0x210, true)] {
        let mut bench = with_faults(&[0xfbb0, 0xf0f1, NOP]); // UDIV r0, r0, r1
        bench.poke(CCR, ccr);
        bench.set(0, 5);
        bench.steps(1);
        assert_eq!(bench.r(0), if trapped { 5 } else { 0 });
        assert_eq!(bench.processor.fault_status().cfsr, u32::from(trapped) << 25);
    }
}

#[test]
fn unaligned_load_works_in_normal_memory_unless_trapped() {
    for (address, ccr, fault) in [(DATA + 1, 0x200, false), (DATA + 1, 0x208, true), (DEVICE + 1, 0x200, true)] {
        let mut bench = with_faults(&[LDR, NOP]);
        bench.poke(CCR, ccr);
        bench.memory.put_word(DATA, 0x4433_2211);
        bench.memory.put_word(DATA + 4, 0x8877_6655);
        bench.set(1, address);
        bench.steps(1);
        assert_eq!(bench.processor.fault_status().cfsr, u32::from(fault) << 24, "{address:x}");
        assert_eq!(bench.r(0), if fault { 0 } else { 0x5544_3322 });
    }
}

#[test]
fn an_unaligned_list_is_a_fault_and_changes_nothing() {
    let mut bench = with_faults(&[0xc90c, NOP]); // LDM r1!, {r2, r3}
    bench.set(1, DATA + 2);
    falls_into(&mut bench, USAGE_FAULT);
    assert_eq!((bench.processor.fault_status().cfsr, bench.r(1)), (1 << 24, DATA + 2));
}

#[test]
fn bus_error_of_a_load_is_precise_with_its_address() {
    for (code, width) in [(LDR, 4), (STR, 4)] {
        let mut bench = with_faults(&[code, NOP]);
        bench.set(1, NOWHERE);
        falls_into(&mut bench, BUS_FAULT);
        let status = bench.processor.fault_status();
        assert_eq!((status.cfsr, status.bfar, width), (1 << 9 | 1 << 15, NOWHERE, 4));
        assert_eq!(bench.frame(6), CODE);
    }
}

#[test]
fn a_handler_of_hard_fault_can_have_its_bus_faults_ignored() {
    // B3.2.8, BFHFNMIGN.
    let mut bench = Bench::m7(&[UDF]);
    bench.handler(HARD_FAULT, &[LDR, BX_LR]);
    bench.poke(CCR, 0x300);
    bench.set(1, NOWHERE);
    falls_into(&mut bench, HARD_FAULT);
    assert_eq!(bench.step(), Step::Executed);
}

#[test]
fn the_system_control_space_is_for_privileged_code() {
    let mut bench = with_faults(&[0xf382, 0x8814, LDR, NOP]); // MSR CONTROL, r2
    bench.set(1, SHCSR);
    bench.set(2, 1);
    falls_into(&mut bench, BUS_FAULT);
    assert_eq!(bench.processor.fault_status().bfar, SHCSR);
}

#[test]
fn fetch_from_device_or_unmapped_memory_faults() {
    for (address, exception, bits) in [(DEVICE, MEM_MANAGE, 1), (NOWHERE, BUS_FAULT, 1 << 8)] {
        let mut bench = with_faults(&[0x4708]); // BX r1
        bench.set(1, address | 1);
        falls_into(&mut bench, exception);
        assert_eq!((bench.processor.fault_status().cfsr, bench.frame(6)), (bits, address));
    }
}

#[test]
fn a_branch_to_an_even_address_is_an_invalid_state_there() {
    let mut bench = with_faults(&[0x4708, NOP, NOP]); // BX r1
    bench.set(1, CODE + 4);
    falls_into(&mut bench, USAGE_FAULT);
    assert_eq!(bench.processor.fault_status().cfsr, 1 << 17);
    assert_eq!((bench.frame(6), bench.frame(7) & 1 << 24), (CODE + 4, 0));
}

#[test]
fn bkpt_stops_first_and_escalates_to_hard_fault() {
    let mut bench = Bench::m7(&[0xbeab, 0xbe01, NOP]);
    assert_eq!((bench.step(), bench.step()), (Step::Breakpoint(0xab), Step::Breakpoint(0xab)));
    bench.processor.skip_breakpoint();
    assert_eq!(bench.step(), Step::Breakpoint(1));
    assert_eq!(bench.processor.escalate_breakpoint(&mut bench.memory), Step::Entered(HARD_FAULT));
    let status = bench.processor.fault_status();
    assert_eq!((status.hfsr, status.dfsr, bench.frame(6)), (1 << 31, 2, CODE + 2));
}

#[test]
fn a_vector_that_cannot_be_read_is_a_hard_fault_without_one() {
    let mut bench = Bench::m7(&[SVC, NOP]);
    bench.poke(VTOR, NOWHERE);
    bench.steps(1);
    assert_eq!(bench.step(), Step::LockedUp);
    assert_eq!(bench.processor.fault_status().hfsr, 1 << 1, "VECTTBL");
}

#[test]
fn an_nmi_whose_vector_cannot_be_read_locks_up() {
    let mut bench = Bench::m7(&[NOP]);
    bench.poke(VTOR, NOWHERE);
    bench.poke(ICSR, 1 << 31);
    assert_eq!(bench.step(), Step::LockedUp);
}

#[test]
fn a_frame_that_cannot_be_written_lets_the_bus_fault_go_first() {
    // B1.5.11: BusFault is the more urgent one, and SVCall stays pending.
    let mut bench = with_faults(&[SVC, NOP]);
    bench.poke(0xe000_ed1c, 0x80 << 24);
    bench.set(13, NOWHERE);
    bench.steps(1);
    assert_eq!(bench.step(), Step::Entered(BUS_FAULT));
    assert_eq!(bench.processor.fault_status().cfsr, 1 << 12, "STKERR, and no address");
    assert_eq!(bench.peek(SHCSR) & 1 << 15, 1 << 15);
}

#[test]
fn a_frame_that_cannot_be_read_back_chains_a_bus_fault() {
    let mut bench = with_faults(&[SVC, NOP]);
    bench.handler(SV_CALL, &[0x468d, BX_LR]); // MOV sp, r1
    bench.set(1, NOWHERE);
    bench.steps(3);
    assert_eq!(bench.step(), Step::Executed);
    assert_eq!(bench.processor.xpsr() & 0x1ff, u32::from(BUS_FAULT));
    assert_eq!((bench.processor.fault_status().cfsr, bench.r(14)), (1 << 11, 0xffff_fff9));
}

#[test]
fn fault_status_is_cleared_by_ones_a_byte_at_a_time() {
    // STRB r0, [r1] to the second byte of CFSR's upper half.
    let mut bench = with_faults(&[UDF, 0x7008, NOP]);
    bench.handler(USAGE_FAULT, &[0x7008, BX_LR]);
    bench.set(0, 0xff);
    bench.set(1, 0xe000_ed29);
    bench.steps(2);
    assert_eq!(bench.processor.fault_status().cfsr, 1 << 16, "another byte");
    bench.set(1, 0xe000_ed2a);
    bench.set(15, handler(USAGE_FAULT));
    bench.steps(1);
    assert_eq!((bench.processor.fault_status().cfsr, bench.r(13)), (0, STACK - 0x20));
}
