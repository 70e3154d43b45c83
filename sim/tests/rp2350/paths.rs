//! However the machine gets through its cycles, it comes to the same state.

use crate::hazard3::assembler::{Dice, addi, branch, csr, i_type, jal, lui, r_type, store};
use intercore_sim::core::chip::Chip as _;
use intercore_sim::core::watch::Watch;
use intercore_sim::image::Image;
use intercore_sim::rp2350::boot::IMAGES;
use intercore_sim::rp2350::machine::Machine;

const SRAM: u32 = 0x2000_0000;
const SIO: u32 = 0xd000_0000;
const TIMER0: u32 = 0x400b_0000;
const DMA: u32 = 0x5000_0000;
/// Where core 1 begins, and where the handlers of traps are, from the lowest address on.
const OTHER: u32 = 0x1000;
const HANDLERS: [u32; 2] = [0x2000, 0x2100];
/// Core 1's code may be in flash.
const FLASH: u32 = 0x1000_0000;
/// Words that both cores use.
const DATA: u32 = 0x4000;
const WFI: u32 = 0x1050_0073;
const BLOCK: u32 = 0x0000_2033;
const UNBLOCK: u32 = 0x0010_2033;
const MRET: u32 = 0x3020_0073;
const FREE: [u32; 6] = [10, 11, 12, 13, 14, 15];

fn li(rd: u32, value: u32) -> [u32; 2] {
    let low = (value << 20) as i32 >> 20;
    [lui(rd, value.wrapping_sub(low as u32)), addi(rd, rd, low)]
}

/// Launches core 1 (DS 5.3).
fn launch(code: &mut Vec<u32>, entry: u32) {
    for word in [0, 0, 1, SRAM, SRAM + 0x8000, entry] {
        code.extend(li(9, word));
        code.extend([store(2, 8, 9, 0x54), UNBLOCK]);
        code.extend([
            i_type(3, 2, 5, 8, 0x50),
            i_type(0x13, 7, 5, 5, 1),
            branch(0, 5, 0, -8),
            i_type(3, 2, 5, 8, 0x58),
        ]);
    }
}

/// What a core executes without end: SIO is in x8, what both share in x7, a timer in x6; an interrupt comes from MTIME and a doorbell.
fn core(dice: &mut Dice, number: usize, entry: u32) -> Vec<u32> {
    let mut code = li(8, SIO).to_vec();
    if number == 0 {
        launch(&mut code, entry);
    }
    code.extend(li(7, SRAM + DATA));
    code.extend(li(6, TIMER0));
    code.extend(li(5, SRAM + HANDLERS[number]));
    code.extend([csr(1, 0, 0x305, 5)]);
    code.extend(li(5, 0x880));
    code.extend([csr(1, 0, 0x304, 5)]);
    // The doorbell's line, SIO_IRQ_BELL, is 26: bit 10 of the second window of `meiea`.
    code.extend(li(5, 0x0400_0001));
    code.extend([csr(2, 0, 0xbe0, 5)]);
    code.extend([addi(5, 0, 3), store(2, 8, 5, 0x1a4), store(2, 8, 0, 0x1bc), i_type(3, 2, 5, 8, 0x1b0)]);
    code.extend([addi(5, 5, 500), store(2, 8, 5, 0x1b8), csr(6, 0, 0x300, 8)]);
    let start = code.len();
    for _ in 0..4 + dice.below(8) {
        code.push(addi(30, 0, 1 + dice.below(9) as i32));
        let head = code.len();
        for _ in 0..=dice.below(7) {
            instruction(dice, &mut code);
        }
        code.push(addi(30, 30, -1));
        let back = (head as i32 - code.len() as i32) * 4;
        code.push(branch(1, 30, 0, back));
    }
    let back = (start as i32 - code.len() as i32) * 4;
    code.push(jal(0, back));
    code
}

fn instruction(dice: &mut Dice, code: &mut Vec<u32>) {
    let (rd, rs) = (dice.one_of(&FREE), dice.one_of(&FREE));
    let offset = 4 * dice.below(12);
    match dice.below(25) {
        0..4 => code.push(i_type(3, dice.one_of(&[0, 1, 2, 4]), rd, 7, offset)),
        4..7 => code.push(store(dice.below(3), 7, rs, offset)),
        7..12 => code.push(r_type(0x33, dice.below(8), 0, rd, rs, dice.one_of(&FREE))),
        12 => code.push(r_type(0x33, 4 + dice.below(4), 1, rd, rs, dice.one_of(&FREE))),
        13 => code.push(branch(1, rd, rs, 8)),
        14 => code.push(r_type(0x2f, 2, dice.one_of(&[0x00, 0x04, 0x30]), rd, 7, rs)),
        15 => code.extend([r_type(0x2f, 2, 0x08, rd, 7, 0), addi(rd, rd, 1), r_type(0x2f, 2, 0x0c, rs, 7, rd)]),
        16 => code.push(i_type(3, 2, rd, 8, dice.one_of(&[0x50, 0x58, 0x114, 0x1b0]))),
        17 => code.extend([store(2, 8, rs, dice.one_of(&[0x54, 0x114])), UNBLOCK]),
        18 => code.extend([addi(rd, 0, 1), store(2, 8, rd, 0x180)]),
        19 => code.push(i_type(3, 2, rd, 6, 0x28)),
        20 => code.push(csr(2, rd, dice.one_of(&[0xb00, 0xb02, 0x344, 0xf14]), 0)),
        21 => code.push(dice.one_of(&[WFI, BLOCK])),
        // Code that changes itself: `auipc`, and an addition that gets another immediate.
        22 => code.extend([0x17 | 9 << 7, store(1, 9, rs, 10), addi(rd, rs, 1)]),
        23 => code.extend([lui(9, FLASH + 0x1000), i_type(3, 2, rd, 9, 4 * dice.below(256))]),
        _ => code.push(jal(rd, 4)),
    }
}

/// Goes on with the next interrupt of the timer, and takes the doorbell back.
fn handler() -> Vec<u32> {
    let mut code = vec![csr(1, 0, 0x340, 31), addi(31, 0, 1), store(2, 8, 31, 0x18c), i_type(3, 2, 31, 8, 0x1b0)];
    code.extend([addi(31, 31, 700), store(2, 8, 31, 0x1b8), csr(1, 31, 0x340, 0), MRET]);
    code
}

fn machine(seed: u64) -> Machine {
    let mut dice = Dice::new(0x5eed ^ seed.wrapping_mul(0x9e37_79b9));
    let entry = dice.one_of(&[SRAM, FLASH]) + OTHER;
    let mut bytes = vec![0; 0x4100];
    let other = core(&mut dice, 1, entry);
    let in_flash: Vec<_> = other.iter().flat_map(|word| word.to_le_bytes()).collect();
    let zero = core(&mut dice, 0, entry);
    for (at, words) in [(0, zero), (OTHER, other), (HANDLERS[0], handler()), (HANDLERS[1], handler())] {
        for (place, word) in bytes[at as usize..].chunks_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
    let image = Image::parse(&bytes, Some(SRAM), &IMAGES).unwrap();
    let mut machine = Machine::booted(&image, Some(150_000_000)).unwrap();
    assert!(machine.load(FLASH + OTHER, &in_flash));
    if dice.below(2) == 0 {
        copy_without_end(&mut machine, &mut dice);
    }
    machine
}

/// The DMA copies words from a ring of eight to a shared one, at once or as its timer says.
fn copy_without_end(machine: &mut Machine, dice: &mut Dice) {
    // At full speed it would leave nobody any time for flash.
    let (source, request) = dice.one_of(&[(SRAM + DATA, 63), (SRAM + DATA, 59), (FLASH + OTHER, 59)]);
    let ctrl = 1 | 2 << 2 | 1 << 4 | 5 << 8 | request << 17;
    for (address, value) in [
        (0x4002_3000, 1 << 2),
        (DMA + 0x440, 1 << 16 | (50 + dice.below(100))),
        (DMA, source),
        (DMA + 4, SRAM + DATA + 4 * dice.below(8)),
        (DMA + 8, dice.one_of(&[0x1000_0003, 0xf000_0001])),
        (DMA + 0xc, ctrl),
    ] {
        assert!(machine.write_register(address, value));
    }
}

#[test]
fn comes_to_the_same_state_however_it_is_run() {
    for seed in 0..u64::from(crate::machine_code::cases(200)) / 8 {
        let mut dice = Dice::new(seed);
        let mut quick = machine(seed);
        // With a breakpoint anywhere, each cycle is gone through by itself, and nothing is known from before.
        let mut slow = quick.clone();
        slow.watch_mut().add_breakpoint(SRAM + 0x3ffe);
        let mut watched = quick.clone();
        let probes = [&mut slow, &mut watched].map(|machine| {
            [(Watch::Execute, OTHER + 0x60), (Watch::Write, DATA), (Watch::Read, DATA + 4)]
                .map(|(watch, at)| machine.watch_mut().probe(watch, SRAM + at, 4))
        });
        let mut at = 0;
        while at < 30_000 {
            let most = dice.one_of(&[20, 6000]);
            at += 1 + u64::from(dice.below(most));
            for machine in [&mut quick, &mut slow, &mut watched] {
                _ = machine.run_until(at);
                machine.advance_to(at);
            }
            let [one, other, third] = [&quick, &slow, &watched].map(Machine::state_hash);
            assert_eq!((one, third), (other, other), "program {seed} at cycle {at}");
        }
        let of = |machine: &Machine| [0, 1].map(|core| machine.statistics(core));
        assert_eq!((of(&quick), of(&watched)), (of(&slow), of(&slow)), "program {seed}");
        assert!(of(&quick).iter().all(|told| told.instructions > 300 && told.exceptions > 5), "program {seed} idles");
        for (one, other) in probes[0].iter().zip(&probes[1]) {
            assert_eq!(slow.watch().hits(*one), watched.watch().hits(*other), "program {seed}");
        }
    }
}
