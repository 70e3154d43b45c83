//! The memory protection unit by known answers (ARMv7-M ARM B3.5).

use super::bench::{BX_LR, Bench, CODE, DATA, HARD_FAULT, LDR, MEM_MANAGE, NOP, SHCSR, STR, SVC, handler};
use super::memory::{RAM, models};
use intercore_sim::isa::armv7em::Step;
use intercore_sim::isa::armv7em::mpu::{Mpu, Region};
use proptest::prelude::*;

const MPU_TYPE: u32 = 0xe000_ed90;
const MPU_CTRL: u32 = 0xe000_ed94;
const MPU_RNR: u32 = 0xe000_ed98;
const MPU_RBAR: u32 = 0xe000_ed9c;
const MPU_RASR: u32 = 0xe000_eda0;

/// `MPU_CTRL`: on; with the default map behind it for privileged code; for handlers of faults too.
const ENABLE: u32 = 1;
const PRIVDEFENA: u32 = 4;
const HFNMIENA: u32 = 2;
/// `MPU_RASR`: normal memory, everything allowed; nothing executed.
const FULL: u32 = 3 << 24 | 1 << 17;
const NOTHING: u32 = 0;
const XN: u32 = 1 << 28;

/// A region of 2 to the `size` bytes.
fn region(bench: &mut Bench, number: u32, base: u32, size: u32, attributes: u32) {
    bench.poke(MPU_RBAR, base | 1 << 4 | number);
    bench.poke(MPU_RASR, attributes | (size - 1) << 1 | 1);
}

/// A program in a region for code, with r1 at `DATA`, r2 = 1, `MemManage` enabled.
fn bench(code: &[u16]) -> Bench {
    let mut bench = Bench::m7(code);
    bench.poke(SHCSR, 1 << 16);
    bench.set(1, DATA);
    bench.set(2, 1);
    region(&mut bench, 0, 0, 15, FULL);
    bench
}

/// What one instruction does to `DATA` with privilege or without: whether it is allowed.
fn allows(bench: &mut Bench, instruction: &[u16], privileged: bool) -> bool {
    let drop = if privileged { [NOP, NOP] } else { [0xf382, 0x8814] }; // MSR CONTROL, r2
    bench.put(CODE, &[&drop[..], instruction, &[NOP]].concat());
    bench.set(15, CODE);
    bench.steps(if privileged { 2 } else { 1 });
    match bench.step() {
        Step::Executed => true,
        Step::Entered(MEM_MANAGE) => {
            let status = bench.processor.fault_status();
            assert_eq!((status.cfsr, status.mmfar), (1 << 1 | 1 << 7, bench.r(1)), "DACCVIOL and MMARVALID");
            false
        }
        step => panic!("{step:?}"),
    }
}

#[test]
fn the_type_tells_how_many_regions_there_are() {
    for ((name, model), regions) in models().into_iter().zip([8, 16]) {
        assert_eq!(Bench::new(model, &[NOP]).peek(MPU_TYPE), regions << 8, "{name}");
    }
}

#[test]
fn permissions_are_those_of_the_table() {
    // The table of access permissions: AP, then read and write with privilege, read and write without.
    let table = [
        (0, [false, false, false, false]),
        (1, [true, true, false, false]),
        (2, [true, true, true, false]),
        (3, [true, true, true, true]),
        (5, [true, false, false, false]),
        (6, [true, false, true, false]),
        (7, [true, false, true, false]),
    ];
    for (ap, expected) in table {
        let found = [(true, LDR), (true, STR), (false, LDR), (false, STR)].map(|(privileged, instruction)| {
            let mut bench = bench(&[]);
            // The stack, for the frame of the fault.
            region(&mut bench, 1, RAM, 12, FULL);
            region(&mut bench, 2, DATA, 8, ap << 24 | 1 << 17);
            bench.poke(MPU_CTRL, ENABLE);
            allows(&mut bench, &[instruction], privileged)
        });
        assert_eq!(found, expected, "AP {ap}");
    }
}

#[test]
fn ldrt_is_checked_as_unprivileged() {
    // LDRT r0, [r1]
    let mut bench = bench(&[]);
    region(&mut bench, 1, RAM, 12, FULL);
    region(&mut bench, 2, DATA, 8, 1 << 24 | 1 << 17);
    bench.poke(MPU_CTRL, ENABLE);
    assert!(!allows(&mut bench, &[0xf851, 0x0e00], true));
}

#[test]
fn privdefena_applies_to_privileged_code_only() {
    for (control, privileged, expected) in
        [(ENABLE, true, false), (ENABLE | PRIVDEFENA, true, true), (ENABLE | PRIVDEFENA, false, false)]
    {
        let mut bench = bench(&[]);
        region(&mut bench, 1, RAM, 12, FULL);
        bench.poke(MPU_CTRL, control);
        assert_eq!(allows(&mut bench, &[LDR], privileged), expected, "{control} {privileged}");
    }
}

#[test]
fn the_region_with_the_highest_number_decides() {
    for (low, high, expected) in [(FULL, NOTHING, false), (NOTHING, FULL, true)] {
        let mut bench = bench(&[]);
        region(&mut bench, 1, RAM, 12, FULL);
        region(&mut bench, 15, DATA, 8, high);
        region(&mut bench, 14, DATA, 10, low);
        bench.poke(MPU_CTRL, ENABLE);
        assert_eq!(allows(&mut bench, &[LDR], true), expected);
    }
}

#[test]
fn a_region_ends_where_its_size_says() {
    for (offset, expected) in [(0, true), (28, true), (32, false), (0_u32.wrapping_sub(4), false)] {
        let mut bench = bench(&[]);
        region(&mut bench, 1, RAM, 12, FULL);
        region(&mut bench, 2, DATA, 5, FULL);
        bench.poke(MPU_CTRL, ENABLE);
        bench.set(1, DATA.wrapping_add(offset));
        assert_eq!(allows(&mut bench, &[LDR], true), expected, "{offset}");
    }
}

#[test]
fn disabled_subregion_falls_through_to_lower_region() {
    // Eighths of a region of 256 bytes or more; the third one is off.
    for (offset, expected) in [(0x20, false), (0x40, true), (0x5c, true), (0x60, false)] {
        let mut bench = bench(&[]);
        region(&mut bench, 1, RAM, 14, FULL);
        region(&mut bench, 2, DATA, 8, NOTHING | 1 << (8 + 2));
        bench.poke(MPU_CTRL, ENABLE);
        bench.set(1, DATA + offset);
        assert_eq!(allows(&mut bench, &[LDR], true), expected, "{offset:x}");
    }
}

#[test]
fn a_region_of_less_than_256_bytes_has_no_subregions() {
    let mut bench = bench(&[]);
    region(&mut bench, 1, RAM, 14, FULL);
    region(&mut bench, 2, DATA, 7, NOTHING | 0xff << 8);
    bench.poke(MPU_CTRL, ENABLE);
    assert!(!allows(&mut bench, &[LDR], true));
}

#[test]
fn code_is_not_executed_from_a_region_that_forbids_it() {
    // BX r1
    let mut bench = bench(&[0x4708]);
    region(&mut bench, 1, RAM, 14, FULL | XN);
    bench.poke(MPU_CTRL, ENABLE);
    bench.set(1, DATA | 1);
    bench.steps(1);
    assert_eq!(bench.step(), Step::Entered(MEM_MANAGE));
    assert_eq!((bench.processor.fault_status().cfsr, bench.frame(6)), (1, DATA), "IACCVIOL");
}

#[test]
fn mpu_ignores_fault_handlers_without_hfnmiena() {
    // LDR in the handler of HardFault, of what no region has.
    for (control, expected) in [(ENABLE, Step::Executed), (ENABLE | HFNMIENA, Step::LockedUp)] {
        let mut bench = bench(&[0xde00]);
        bench.poke(SHCSR, 0);
        bench.handler(HARD_FAULT, &[LDR, BX_LR]);
        region(&mut bench, 1, RAM, 12, FULL);
        bench.poke(MPU_CTRL, control);
        assert_eq!(bench.step(), Step::Entered(HARD_FAULT));
        assert_eq!(bench.step(), expected);
    }
}

#[test]
fn a_frame_on_a_forbidden_stack_is_a_fault_of_stacking() {
    let mut bench = bench(&[SVC, NOP]);
    bench.poke(0xe000_ed1c, 0x80 << 24);
    region(&mut bench, 1, RAM, 12, 6 << 24 | 1 << 17);
    bench.poke(MPU_CTRL, ENABLE);
    bench.steps(1);
    assert_eq!(bench.step(), Step::Entered(MEM_MANAGE));
    assert_eq!((bench.processor.fault_status().cfsr, bench.r(15)), (1 << 4, handler(MEM_MANAGE)), "MSTKERR");
}

#[test]
fn the_private_peripheral_bus_is_not_the_units() {
    let mut bench = bench(&[LDR, NOP]);
    bench.poke(MPU_CTRL, ENABLE);
    bench.set(1, MPU_TYPE);
    assert_eq!((bench.step(), bench.r(0)), (Step::Executed, 16 << 8));
}

#[test]
fn registers_of_regions_are_chosen_by_number_or_by_their_base() {
    let mut bench = Bench::m7(&[NOP]);
    bench.poke(MPU_RNR, 3);
    bench.poke(MPU_RBAR, 0x2000_0000);
    bench.poke(MPU_RBAR, 0x1000_0000 | 1 << 4 | 5);
    assert_eq!((bench.peek(MPU_RNR), bench.peek(MPU_RBAR)), (5, 0x1000_0005));
    bench.poke(MPU_RNR, 3);
    assert_eq!(bench.peek(MPU_RBAR), 0x2000_0003);
    bench.poke(MPU_RNR, 16);
    assert_eq!(bench.peek(MPU_RNR), 3, "there is no such region");
}

/// Enabled or not, anywhere, of any size, with any subregions left out.
fn regions() -> impl Strategy<Value = Vec<Region>> {
    let region = |(base, attributes)| Region { base: base & !31, attributes: attributes & 0x173f_ff3f };
    proptest::collection::vec((any::<u32>(), any::<u32>()).prop_map(region), 1..12)
}

proptest! {
    #[test]
    fn the_map_says_of_each_address_what_the_last_region_does_that_has_it(
        regions in regions(),
        addresses in proptest::collection::vec(any::<u32>(), 20),
    ) {
        let mut mpu = Mpu::new(regions.len() as u32);
        for (number, region) in (0..).zip(&regions) {
            mpu.write(MPU_RBAR, region.base | 1 << 4 | number);
            mpu.write(MPU_RASR, region.attributes);
        }
        let bounds = regions.iter().flat_map(|region| region.bounds()).flat_map(|at| [at, at.wrapping_sub(1)]);
        for address in addresses.into_iter().chain(bounds) {
            let decides = regions.iter().rev().find(|region| region.has(address)).copied();
            prop_assert_eq!(mpu.region(address), decides);
        }
    }
}
