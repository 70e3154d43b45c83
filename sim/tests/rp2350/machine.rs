//! What the parts of the chip do, as programs see them.

use crate::hazard3::assembler::{addi, branch, csr, i_type, jal, lui, store};
use intercore_sim::core::chip::Chip as _;
use intercore_sim::core::register::Register;
use intercore_sim::core::stop::Stop;
use intercore_sim::core::watch::Watch;
use intercore_sim::image::Image;
use intercore_sim::rp2350::boot::IMAGES;
use intercore_sim::rp2350::bus::arbiter::Arbiter;
use intercore_sim::rp2350::bus::port::ROM;
use intercore_sim::rp2350::machine::Machine;

pub const SRAM: u32 = 0x2000_0000;
const SIO: u32 = 0xd000_0000;
/// `slt x0, x0, x1`: unblocks both cores.
const UNBLOCK: u32 = 0x0010_2033;
/// A call of the host, and what is before and behind it.
const HOST_CALL: [u32; 3] = [0x01f0_1013, 0x0010_0073, 0x4070_5013];

pub fn lw(rd: u32, rs1: u32, offset: i32) -> u32 {
    i_type(3, 2, rd, rs1, offset as u32 & 0xfff)
}

pub fn sw(rs2: u32, rs1: u32, offset: i32) -> u32 {
    store(2, rs1, rs2, offset as u32)
}

/// `value` in a register.
pub fn li(rd: u32, value: u32) -> [u32; 2] {
    let low = (value << 20) as i32 >> 20;
    [lui(rd, value.wrapping_sub(low as u32)), addi(rd, rd, low)]
}

/// A program in SRAM that has just been switched on.
pub fn booted(words: &[u32]) -> Machine {
    let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let image = Image::parse(&bytes, Some(SRAM), &IMAGES).unwrap();
    Machine::booted(&image, Some(150_000_000)).unwrap()
}

pub fn run_for(machine: &mut Machine, cycles: u64) {
    let end = machine.now() + cycles;
    _ = machine.run_until(end);
}

/// What a register of a peripheral reads as, with whatever that does.
pub fn register(machine: &mut Machine, address: u32) -> u32 {
    let now = machine.now();
    let (peripherals, mut context) = machine.bus.peripherals_at(now);
    peripherals.read(address, &mut context).unwrap()
}

/// Exits with `a1` as its argument: a block of three words.
pub fn exit(words: &mut Vec<u32>) {
    words.extend(li(10, 0x18));
    words.extend(HOST_CALL);
}

#[test]
fn a_program_ends_by_semihosting() {
    let mut words = li(11, 0x20026).to_vec();
    exit(&mut words);
    assert_eq!(booted(&words).run_until(100_000), Stop::Exit { core: 0, code: 0 });
}

#[test]
fn core_1_is_launched_by_the_fifo_and_spinlocks_count_both_cores() {
    // Core 0 sends {0, 0, 1, vector table, stack pointer, entry}, and waits for each word to come back.
    let mut words = li(8, SIO).to_vec();
    let entry = SRAM + 0x400;
    for word in [0, 0, 1, SRAM, SRAM + 0x2000, entry] {
        words.extend(li(9, word));
        words.extend([sw(9, 8, 0x54), UNBLOCK]);
        words.extend([lw(5, 8, 0x50), i_type(0x13, 7, 5, 5, 1), branch(0, 5, 0, -8), lw(5, 8, 0x58)]);
    }
    // Then for what core 1 sends.
    words.extend([lw(5, 8, 0x50), i_type(0x13, 7, 5, 5, 1), branch(0, 5, 0, -8), lw(11, 8, 0x58)]);
    exit(&mut words);
    words.resize(0x100, 0);
    // Core 1 takes spinlock 5 once, and in vain; it sends the sum, which is 0x20 and makes the exit's argument wrong.
    words.extend(li(8, SIO));
    words.extend([lw(5, 8, 0x114), lw(6, 8, 0x114), 0x0062_82b3, sw(5, 8, 0x54), UNBLOCK, 0x1050_0073, jal(0, -4)]);
    let mut machine = booted(&words);
    assert_eq!(machine.run_until(1_000_000), Stop::Exit { core: 0, code: 1 });
    assert_eq!(machine.core(0).register(11), 1 << 5);
    assert_eq!((machine.core(1).register(5), machine.core_state(1)), (1 << 5, "asleep"));
}

#[test]
fn an_apb_read_takes_three_cycles_and_a_write_four() {
    // DS 2.1.4. `mcycle` before and behind ten accesses to a scratch register of the watchdog, which follow each other.
    for (access, cycles) in [(lw(0, 8, 0x0c), 3), (sw(0, 8, 0x0c), 4)] {
        let mut words = li(8, 0x400d_8000).to_vec();
        words.extend([csr(5, 0, 0x320, 0), csr(2, 5, 0xb00, 0)]);
        words.extend([access; 10]);
        // A load behind the last one ends with it.
        words.extend([lw(7, 8, 0x10), addi(0, 7, 0), csr(2, 6, 0xb00, 0)]);
        let first = words.len();
        exit(&mut words);
        let mut longer = words.clone();
        longer.splice(first - 3..first - 3, [access; 10]);
        let took = |words: &[u32]| {
            let mut machine = booted(words);
            assert!(matches!(machine.run_until(100_000), Stop::Exit { .. }));
            machine.core(0).register(6) - machine.core(0).register(5)
        };
        assert_eq!(took(&longer) - took(&words), 10 * cycles);
    }
}

#[test]
fn mtime_counts_cycles_and_interrupts_when_it_is_reached() {
    let mut words = li(8, SIO).to_vec();
    words.extend([addi(5, 0, 3), sw(5, 8, 0x1a4)]); // enabled, full speed
    words.extend([lw(6, 8, 0x1b0), addi(6, 6, 200), sw(0, 8, 0x1bc), sw(6, 8, 0x1b8)]);
    words.extend([addi(5, 0, 0x80), csr(2, 0, 0x304, 5), 0x1050_0073]); // mie.MTIE; wfi
    words.push(lw(11, 8, 0x1b0));
    exit(&mut words);
    let mut machine = booted(&words);
    assert!(matches!(machine.run_until(100_000), Stop::Exit { .. }));
    let late = machine.core(0).register(11) - machine.core(0).register(6);
    assert!((1..12).contains(&late), "{late} cycles behind the moment");
}

#[test]
fn a_pin_that_sio_drives_interrupts_by_the_edges_that_its_pad_lets_in() {
    // RESETS lets go of IO_BANK0 and PADS_BANK0; pin 3 is SIO's, an output, and both of its edges interrupt core 0.
    const BOTH: u32 = 0xc000;
    let (io, pad, edges, sio) = (8, 9, 18, 19);
    let mut words = Vec::new();
    for (register, value) in [(5, 0x4002_3000), (6, 1 << 6 | 1 << 9), (io, 0x4002_8000), (pad, 0x4003_8000), (sio, SIO)]
    {
        words.extend(li(register, value));
    }
    words.push(sw(6, 5, 0));
    words.extend(li(6, 5));
    words.push(sw(6, io, 8 * 3 + 4));
    words.extend(li(7, 1 << 3));
    words.push(sw(7, sio, 0x38));
    words.extend(li(edges, BOTH));
    words.push(sw(edges, io, 0x248));
    // Into each of four registers, the edges that interrupt: with the pad as it is after reset, then with its input on.
    for (result, pad_bits) in [(20, 0x116), (21, 0x40), (22, 0x40), (23, 0x0c0)] {
        words.extend(li(6, pad_bits));
        words.extend([sw(6, pad, 4 + 4 * 3), sw(edges, io, 0x230), sw(7, sio, 0x28), addi(0, 0, 0), addi(0, 0, 0)]);
        words.push(lw(result, io, 0x278));
    }
    exit(&mut words);
    let mut machine = booted(&words);
    let _ = machine.run_until(100_000);
    let seen = [20, 21, 22, 23].map(|register| machine.core(0).register(register));
    assert_eq!(seen, [0, 1 << 14, 1 << 15, 0]);
}

#[test]
fn a_write_to_a_doorbell_releases_the_spinlock_of_erratum_e2() {
    // SPINLOCK0 is at 0x100, DOORBELL_OUT_SET at 0x180.
    let mut words = li(8, SIO).to_vec();
    words.extend([lw(5, 8, 0x100), sw(0, 8, 0x180), lw(6, 8, 0x100), lw(7, 8, 0x100)]);
    exit(&mut words);
    let mut machine = booted(&words);
    assert!(matches!(machine.run_until(100_000), Stop::Exit { .. }));
    assert_eq!([5, 6, 7].map(|number| machine.core(0).register(number)), [1, 1, 0]);
}

#[test]
fn flash_without_an_image_for_riscv_is_a_dead_end_that_says_so() {
    let image = Image::parse(&[0; 64], Some(0x1000_0000), &IMAGES).unwrap();
    let mut machine = Machine::booted(&image, None).unwrap();
    assert_eq!(machine.run_until(10_000_000), Stop::DeadEnd);
    let nothing: Vec<Image> = Vec::new();
    assert!(machine.dead_end(&nothing).contains("no image for RISC-V cores"));
}

#[test]
fn a_port_serves_managers_in_turn_and_those_of_high_priority_first() {
    let mut arbiter = Arbiter::default();
    let mut served = |asking: u8| {
        let next = arbiter.next(0, asking);
        arbiter.hold(ROM, next, 0, 1);
        next
    };
    assert_eq!([0b1111; 5].map(&mut served), [0, 1, 2, 3, 0]);
    assert_eq!([0b1001, 0b1001, 0b0100].map(&mut served), [3, 0, 2]);
    let mut arbiter = Arbiter::default();
    arbiter.set_priorities(1 << 4); // core 1
    assert_eq!((arbiter.next(0, 0b1111), arbiter.next(0, 0b1011), arbiter.next(0, 0b0011)), (2, 3, 0));
}

#[test]
fn a_debugger_steps_and_stops_at_places_and_accesses() {
    let at = |number: u32| SRAM + 4 * number;
    let mut words = li(8, SRAM + 0x1000).to_vec();
    words.extend([addi(5, 0, 7), sw(5, 8, 0), addi(6, 5, 1), jal(0, -8)]);
    let mut machine = booted(&words);
    machine.watch_mut().add_breakpoint(at(2));
    assert_eq!(machine.run_until(100_000), Stop::Breakpoint { core: 0, pc: at(2) });
    machine.watch_mut().remove_breakpoint(at(2));
    for next in [3, 4, 5] {
        machine.watch_mut().step(0);
        assert_eq!(machine.run_until(100_000), Stop::Stepped);
        machine.watch_mut().end_step();
        assert_eq!(machine.register(0, Register::Pc), u64::from(at(next)));
    }
    machine.watch_mut().add_watchpoint(Watch::Write, SRAM + 0x1000, 4);
    assert_eq!(machine.run_until(100_000), Stop::Watchpoint { core: 0, address: SRAM + 0x1000 });
}

#[test]
fn a_word_in_the_fifo_interrupts_though_the_other_core_writes_in_the_same_cycle() {
    let mut machine = Machine::new();
    let (peripherals, mut context) = machine.bus.peripherals_at(10);
    peripherals.sio.write(0, 0x54, 7, &mut context);
    peripherals.sio.write(1, 0x10, 1, &mut context);
    assert_eq!(peripherals.next_event(), 11);
    let (peripherals, mut context) = machine.bus.peripherals_at(11);
    peripherals.wake(&mut context);
    assert_eq!([0, 1].map(|core| machine.bus.irq.of_core(core) >> 25 & 1), [0, 1]);
}

#[test]
fn the_watchdog_boots_what_its_scratch_registers_say_and_tells_why() {
    let entry = SRAM + 0x100;
    let magic: u32 = 0xb007_c0d3;
    let mut words = li(8, 0x400d_8000).to_vec();
    for (offset, value) in [(0x1c, magic), (0x20, entry ^ magic.wrapping_neg()), (0x24, SRAM + 0x2000), (0x28, entry)] {
        words.extend(li(9, value));
        words.push(sw(9, 8, offset));
    }
    words.extend([lui(9, 1 << 31), sw(9, 8, 0), jal(0, 0)]); // CTRL.TRIGGER
    words.resize(0x40, 0);
    words.extend(li(8, 0x400d_8000));
    words.push(lw(12, 8, 8)); // REASON
    exit(&mut words);
    let mut machine = booted(&words);
    assert!(matches!(machine.run_until(100_000), Stop::Exit { .. }));
    assert_eq!(machine.core(0).register(12), 2);
}

#[test]
fn a_trap_without_a_vector_is_told() {
    // An illegal instruction; `mtvec` is that of the ROM.
    let mut machine = booted(&[addi(5, 0, 1), 0]);
    machine.run_until(1000);
    let nothing: Vec<Image> = Vec::new();
    assert!(machine.has_crashed(0));
    let said = machine.crash(0, &nothing).unwrap();
    assert!(said.contains("mcause 0x2") && said.contains("0x20000004"), "{said}");
}

#[test]
fn a_snapshot_goes_on_as_the_chip_did() {
    let mut words = li(8, SRAM + 0x1000).to_vec();
    words.extend([lw(5, 8, 0), addi(5, 5, 1), sw(5, 8, 0), jal(0, -12)]);
    let mut machine = booted(&words);
    machine.run_until(5000);
    let mut copy = machine.clone();
    assert_eq!(machine.state_hash(), copy.state_hash());
    machine.run_until(20_000);
    assert_ne!(machine.state_hash(), copy.state_hash());
    for at in (5000..=20_000).step_by(7) {
        copy.run_until(at);
    }
    copy.run_until(20_000);
    assert_eq!(machine.state_hash(), copy.state_hash());
}
