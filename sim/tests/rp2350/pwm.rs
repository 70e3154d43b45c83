//! The PWM block of the RP2350: what differs from that of the RP2040, whose slices tests/peripherals/pwm.rs compares with a model.

use super::machine::{booted, register, run_for};
use intercore_sim::rp2350::irq::Irq;
use intercore_sim::rp2350::machine::Machine;

const SRAM: u32 = 0x2000_0000;
/// The alias of RESETS.RESET that clears bits.
const RELEASE: u32 = 0x4002_3000;
const DMA: u32 = 0x5000_0000;
const PWM: u32 = 0x400a_8000;
const EN: u32 = PWM + 0xf0;
const INTR: u32 = PWM + 0xf4;
/// INTE, INTF and INTS of both interrupts.
const LINES: [[u32; 3]; 2] = [[PWM + 0xf8, PWM + 0xfc, PWM + 0x100], [PWM + 0x104, PWM + 0x108, PWM + 0x10c]];
const CSR: u32 = 0x00;
const CTR: u32 = 0x08;
const TOP: u32 = 0x10;
/// The first slice, one in between, and the last one.
const SLICES: [u32; 3] = [0, 8, 11];
/// `jal x0, 0`: core 0 goes on with that.
const FOR_EVER: u32 = 0x0000_006f;

fn of(slice: u32, register: u32) -> u32 {
    PWM + 0x14 * slice + register
}

/// Three slices that wrap each 100, 300 and 500 cycles, off.
fn machine() -> Machine {
    let mut machine = booted(&[FOR_EVER]);
    assert!(machine.write_register(RELEASE, 1 << 2 | 1 << 16));
    for (slice, period) in SLICES.into_iter().zip([100, 300, 500]) {
        assert!(machine.write_register(of(slice, TOP), period - 1));
    }
    machine
}

fn is_raised(machine: &Machine, irq: Irq) -> bool {
    machine.bus.irq.of_core(0) >> u8::from(irq) & 1 != 0
}

#[test]
fn slices_that_are_enabled_together_count_together_and_those_of_the_rp2040_are_not_all() {
    let mut machine = machine();
    assert!(machine.write_register(EN, 1 << 0 | 1 << 8 | 1 << 11));
    assert_eq!(register(&mut machine, of(11, CSR)) & 1, 1);
    run_for(&mut machine, 1_234);
    for (slice, counter) in SLICES.into_iter().zip([34, 34, 234]) {
        assert_eq!(register(&mut machine, of(slice, CTR)), counter, "slice {slice}");
    }
    assert_eq!(register(&mut machine, INTR), 1 << 0 | 1 << 8 | 1 << 11);
    assert_eq!(register(&mut machine, of(1, CTR)), 0, "it is off");
}

#[test]
fn each_interrupt_has_slices_of_its_own() {
    let mut machine = machine();
    assert!(machine.write_register(LINES[0][0], 1 << 11));
    assert!(machine.write_register(LINES[1][0], 1 << 8));
    assert!(machine.write_register(EN, 1 << 0 | 1 << 8 | 1 << 11));
    let levels = |machine: &Machine| [Irq::PwmWrap0, Irq::PwmWrap1].map(|irq| is_raised(machine, irq));
    run_for(&mut machine, 299);
    assert_eq!(levels(&machine), [false, false]);
    run_for(&mut machine, 2);
    assert_eq!(levels(&machine), [false, true]);
    assert!(machine.write_register(INTR, 1 << 8));
    assert_eq!(levels(&machine), [false, false]);
    run_for(&mut machine, 200);
    assert_eq!(levels(&machine), [true, false]);
    assert_eq!(register(&mut machine, LINES[0][2]), 1 << 11);
    assert_eq!(register(&mut machine, LINES[1][2]), 0);
    assert!(machine.write_register(LINES[1][1], 1 << 3));
    assert_eq!(levels(&machine), [true, true], "one is forced");
}

#[test]
fn the_last_slice_paces_the_dma() {
    let mut machine = machine();
    let (word, increment, enabled) = (2 << 2, 1 << 6, 1);
    let ctrl = 43 << 17 | word | increment | enabled;
    assert!(machine.write_register(EN, 1 << 11));
    for (offset, value) in [(0x0, SRAM), (0x4, SRAM + 0x100), (0x8, 10), (0xc, ctrl)] {
        assert!(machine.write_register(DMA + offset, value));
    }
    run_for(&mut machine, 3_600);
    let bytes = machine.peek_bytes(SRAM + 0x100, 40);
    let copied = bytes.chunks(4).filter(|word| *word == FOR_EVER.to_le_bytes()).count();
    assert_eq!(copied, 7, "one each 500 cycles");
}

#[test]
fn to_count_by_a_pin_is_told_not_to_be_modelled() {
    let mut machine = machine();
    assert!(machine.write_register(of(2, CSR), 2 << 4 | 1));
    run_for(&mut machine, 1_000);
    let notes = machine.bus.diagnostics.take();
    assert!(notes.iter().any(|note| format!("{note:?}").contains("PWM")), "{notes:?}");
    assert_eq!(register(&mut machine, of(2, CTR)), 0);
}
