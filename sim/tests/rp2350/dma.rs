//! The DMA of the RP2350: what differs from that of the RP2040, and its two managers on the bus.

use super::machine::{register, run_for};
use intercore_sim::core::register::Register;
use intercore_sim::debug::DebugTarget as _;
use intercore_sim::image::Image;
use intercore_sim::rp2350::boot::IMAGES;
use intercore_sim::rp2350::machine::Machine;

const SRAM: u32 = 0x2000_0000;
/// The alias of RESETS.RESET that clears bits.
const RELEASE: u32 = 0x4002_3000;
const DMA: u32 = 0x5000_0000;
const BUSCTRL: u32 = 0x4006_8000;
const PERFCTR_EN: u32 = BUSCTRL + 8;
const SYSINFO: u32 = 0x4000_0000;
const INTE2: u32 = DMA + 0x424;
const INTS2: u32 = DMA + 0x42c;
const EN: u32 = 1;
const WORD: u32 = 2 << 2;
const READ_ON: u32 = 1 << 4;
const READ_BACK: u32 = 1 << 5;
const WRITE_ON: u32 = 1 << 6;
const WRITE_BACK: u32 = 1 << 7;
const AT_ONCE: u32 = 63 << 17;
const BUSY: u32 = 1 << 26;
const READ_ERROR: u32 = 1 << 30;
/// `jal x0, 0`: both cores go on with that, or core 1 sleeps.
const FOR_EVER: u32 = 0x0000_006f;

fn chain_to(channel: u32) -> u32 {
    channel << 13
}

/// Ten words, 1 to 10, at SRAM + 0x100; the DMA and the control of the bus are out of reset.
fn machine() -> Machine {
    let image = Image::parse(&FOR_EVER.to_le_bytes(), Some(SRAM), &IMAGES).unwrap();
    let mut machine = Machine::booted(&image, Some(150_000_000)).unwrap();
    for word in 0..10 {
        assert!(machine.load(SRAM + 0x100 + 4 * word, &(word + 1).to_le_bytes()));
    }
    assert!(machine.write_register(RELEASE, 1 << 1 | 1 << 2));
    machine
}

fn configure(machine: &mut Machine, channel: u32, [read, write, count, ctrl]: [u32; 4]) {
    for (offset, value) in [(0x0, read), (0x4, write), (0x8, count), (0xc, ctrl)] {
        assert!(machine.write_register(DMA + 0x40 * channel + offset, value));
    }
}

fn words(machine: &Machine, at: u32, count: usize) -> Vec<u32> {
    let bytes = machine.peek_bytes(at, 4 * count);
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn addresses_go_forward_backward_and_by_twos() {
    for (ctrl, write, expected) in [
        (READ_ON | WRITE_ON, 0x200, [1, 2, 3, 4]),
        (READ_ON | WRITE_ON | WRITE_BACK, 0x20c, [4, 3, 2, 1]),
        (READ_BACK | WRITE_ON, 0x200, [1, 3, 5, 7]),
        (READ_ON | WRITE_BACK, 0x200, [1, 0, 2, 0]),
        (WRITE_ON, 0x200, [1, 1, 1, 1]),
    ] {
        let mut machine = machine();
        configure(&mut machine, 15, [SRAM + 0x100, SRAM + write, 4, ctrl | EN | WORD | AT_ONCE | chain_to(15)]);
        run_for(&mut machine, 50);
        assert_eq!(words(&machine, SRAM + 0x200, 4), expected, "{ctrl:#x}");
    }
}

#[test]
fn a_word_moves_in_each_cycle_but_where_a_core_has_its_turn() {
    let mut machine = machine();
    assert!(machine.write_register(INTE2, 1));
    // The core fetches from SRAM0 to 3.
    let count = 100;
    let ctrl = EN | WORD | AT_ONCE | chain_to(0);
    configure(&mut machine, 0, [SRAM + 0x4_0104, SRAM + 0x4_0208, count, ctrl]);
    let begin = machine.now();
    while machine.bus.irq.of_core(0) >> 12 & 1 == 0 {
        run_for(&mut machine, 1);
    }
    // A cycle to the first read, one until its data are there, one to the write, one until they are there: as measured on an
    // RP2040 (see `rp2::dma`). Of an RP2350 no figure is known.
    assert_eq!(machine.now() - begin, u64::from(count) + 4);
    assert_eq!(register(&mut machine, INTS2), 1);
    let lost = machine.statistics(0).conflicts.iter().sum::<u64>();
    configure(&mut machine, 0, [SRAM, SRAM + 0x200, count, ctrl]);
    run_for(&mut machine, 300);
    assert!(machine.statistics(0).conflicts.iter().sum::<u64>() > lost + 50, "now it loses turns");
}

#[test]
fn counts_have_modes() {
    let mut machine = machine();
    let ctrl = EN | WORD | READ_ON | AT_ONCE | chain_to(3);
    configure(&mut machine, 3, [SRAM + 0x100, SRAM + 0x200, 1 << 28 | 2, ctrl]);
    run_for(&mut machine, 40);
    let [read] = words(&machine, SRAM + 0x200, 1)[..] else { panic!() };
    assert!(read != 2, "it has begun again");
    assert_eq!(register(&mut machine, DMA + 0x400), 1 << 3, "and has told that it was done");
    assert_eq!(register(&mut machine, DMA + 0xcc) & BUSY, BUSY);
    configure(&mut machine, 4, [SRAM + 0x100, SRAM + 0x204, 15 << 28 | 2, EN | WORD | READ_ON | AT_ONCE | chain_to(4)]);
    run_for(&mut machine, 400);
    assert!(register(&mut machine, DMA + 0x100) > SRAM + 0x200, "without end");
    assert_eq!(register(&mut machine, DMA + 0x108), 15 << 28 | 2);
    assert_eq!(register(&mut machine, DMA + 0x400), 1 << 3);
    assert!(machine.write_register(DMA + 0x464, 1 << 4));
    assert_eq!(register(&mut machine, DMA + 0x10c) & BUSY, 0);
}

#[test]
fn a_channel_with_an_error_starts_again_when_that_is_cleared() {
    let mut machine = machine();
    let ctrl = EN | WORD | READ_ON | AT_ONCE | chain_to(1);
    // SIO is the cores' own.
    configure(&mut machine, 1, [0xd000_0000, SRAM + 0x200, 1, ctrl]);
    run_for(&mut machine, 20);
    assert_eq!(register(&mut machine, DMA + 0x4c) >> 29, 0b110);
    configure(&mut machine, 1, [SRAM + 0x100, SRAM + 0x200, 1, ctrl]);
    run_for(&mut machine, 20);
    assert_eq!(words(&machine, SRAM + 0x200, 1), [0]);
    configure(&mut machine, 1, [SRAM + 0x100, SRAM + 0x200, 1, ctrl | READ_ERROR]);
    run_for(&mut machine, 20);
    assert_eq!(words(&machine, SRAM + 0x200, 1), [1]);
}

#[test]
fn chains_go_to_channel_0_unless_told_otherwise_and_wake_a_core_that_sleeps() {
    let mut machine = machine();
    configure(&mut machine, 0, [SRAM + 0x108, SRAM + 0x204, 1, 0]);
    assert!(machine.write_register(DMA + 0x10, EN | WORD | AT_ONCE));
    let wfi = 0x1050_0073_u32;
    assert!(machine.load(SRAM, &wfi.to_le_bytes()) && machine.set_register(0, Register::Pc, u64::from(SRAM)));
    configure(&mut machine, 9, [SRAM + 0x100, SRAM + 0x200, 1, EN | WORD | AT_ONCE]);
    run_for(&mut machine, 100);
    assert_eq!(words(&machine, SRAM + 0x200, 2), [1, 3]);
    assert_eq!(register(&mut machine, DMA + 0x400), 1 | 1 << 9);
}

/// Selects events by number.
fn select(machine: &mut Machine, events: [u32; 4]) {
    for (offset, event) in (0xc..).step_by(8).zip(events) {
        assert!(machine.write_register(BUSCTRL + offset, 0) && machine.write_register(BUSCTRL + offset + 4, event));
    }
}

fn counted(machine: &mut Machine) -> [u32; 4] {
    [0xc, 0x14, 0x1c, 0x24].map(|offset| register(machine, BUSCTRL + offset))
}

#[test]
fn counters_tell_accesses_and_stalls_by_port_once_they_are_enabled() {
    let mut machine = machine();
    let copy = |machine: &mut Machine, from: u32, count: u32| {
        configure(machine, 0, [from, SRAM + 0x4_0208, count, EN | WORD | AT_ONCE | chain_to(0)]);
        run_for(machine, 600);
    };
    // Accesses to SRAM5, 6 and 7; contested ones to SRAM5.
    select(&mut machine, [0x23, 0x1f, 0x1b, 0x22]);
    copy(&mut machine, SRAM + 0x4_0104, 100);
    assert_eq!(counted(&mut machine), [0; 4]);
    assert!(machine.write_register(PERFCTR_EN, 1));
    copy(&mut machine, SRAM + 0x4_0104, 100);
    assert_eq!(counted(&mut machine), [100, 100, 0, 0]);
    // At APB, where a read takes three cycles.
    select(&mut machine, [0x08, 0x09, 0x0a, 0x0b]);
    copy(&mut machine, SYSINFO, 10);
    assert_eq!(counted(&mut machine), [20, 20, 0, 10]);
    // At SRAM0, from which core 0 fetches: who waits there waits for the other.
    select(&mut machine, [0x34, 0x35, 0x36, 0x37]);
    copy(&mut machine, SRAM, 100);
    let [upstream, downstream, contested, accesses] = counted(&mut machine);
    assert!(downstream == 0 && contested > 50 && upstream >= contested, "{upstream} {downstream} {contested}");
    assert!(accesses > 250, "100 of the DMA, and each third cycle of the core's, at least: {accesses}");
}
