//! However the machine gets through its cycles, it comes to the same state.

use crate::hazard3::assembler::{Dice, addi, branch, csr, i_type, jal, lui, r_type, store};
use intercore_sim::core::chip::Chip as _;
use intercore_sim::core::watch::Watch;
use intercore_sim::engine::Engine;
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
/// Where words may be that both cores use: in SRAM0 to 3, SRAM4 to 7, SRAM8, SRAM9.
const SHARED: [u32; 4] = [SRAM + 0x4000, SRAM + 0x4_4000, SRAM + 0x8_0100, SRAM + 0x8_1100];
/// Bytes of them, and some more.
const SHARED_BYTES: usize = 0x100;
const WFI: u32 = 0x1050_0073;
const BLOCK: u32 = 0x0000_2033;
const UNBLOCK: u32 = 0x0010_2033;
const MRET: u32 = 0x3020_0073;
const FREE: [u32; 6] = [10, 11, 12, 13, 14, 15];

fn li(rd: u32, value: u32) -> [u32; 2] {
    let low = (value << 20) as i32 >> 20;
    [lui(rd, value.wrapping_sub(low as u32)), addi(rd, rd, low)]
}

/// Launches core 1 (DS 5.3). SIO is in x8.
pub fn launch(code: &mut Vec<u32>, entry: u32) {
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
/// Core 0 launches core 1 at an entry.
fn core(dice: &mut Dice, number: usize, entry: u32, shared: u32, kind: Kind) -> Vec<u32> {
    let mut code = li(8, SIO).to_vec();
    if number == 0 {
        launch(&mut code, entry);
    }
    code.extend(li(7, shared));
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
        code.extend(li(dice.one_of(&FREE), any_word(dice)));
        code.push(addi(30, 0, 1 + dice.below(kind.turns()) as i32));
        let head = code.len();
        for _ in 0..=dice.below(7) {
            if kind == Kind::Computes && dice.below(40) > 0 {
                calm_instruction(dice, &mut code);
            } else {
                instruction(dice, &mut code);
            }
        }
        code.push(addi(30, 30, -1));
        let back = (head as i32 - code.len() as i32) * 4;
        code.push(branch(1, 30, 0, back));
    }
    let back = (start as i32 - code.len() as i32) * 4;
    code.push(jal(0, back));
    code
}

/// Any number; often one at which operations have their borders.
fn any_word(dice: &mut Dice) -> u32 {
    let any = dice.below(0x1_0000) << 16 | dice.below(0x1_0000);
    dice.one_of(&[any, any, any, 0, 1, u32::MAX, 1 << 31, i32::MAX as u32])
}

/// Zba, Zbb, Zbs and `pack`, between registers: `funct3` and `funct7`.
pub const BIT_OPERATIONS: [(u32, u32); 17] = [
    (2, 0x10),
    (4, 0x10),
    (6, 0x10),
    (7, 0x20),
    (6, 0x20),
    (4, 0x20),
    (4, 0x05),
    (5, 0x05),
    (6, 0x05),
    (7, 0x05),
    (1, 0x30),
    (5, 0x30),
    (1, 0x24),
    (5, 0x24),
    (1, 0x34),
    (1, 0x14),
    (4, 0x04),
];

/// What programs mostly do.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// All there is.
    Anything,
    /// They compute, and share memory.
    Computes,
}

impl Kind {
    /// Turns of a loop, at most.
    fn turns(self) -> u32 {
        if self == Self::Computes { 300 } else { 9 }
    }
}

/// An instruction that reaches nothing but registers and SRAM, or two of 16 bits.
fn calm_instruction(dice: &mut Dice, code: &mut Vec<u32>) {
    let (rd, rs, other) = (dice.one_of(&FREE), dice.one_of(&FREE), dice.one_of(&FREE));
    match dice.below(17) {
        0..3 => {
            let width = dice.one_of(&[0, 1, 2, 4, 5]);
            code.push(i_type(3, width, rd, 7, mostly_aligned(dice, width & 3)));
        }
        3..5 => {
            let width = dice.below(3);
            code.push(store(width, 7, rs, mostly_aligned(dice, width)));
        }
        5 => code.push(i_type(0x13, dice.one_of(&[0, 2, 3, 4, 6, 7]), rd, rs, dice.below(4096))),
        6 => {
            let (operation, arithmetic) = dice.one_of(&[(1, 0), (5, 0), (5, 0x400)]);
            code.push(i_type(0x13, operation, rd, rs, arithmetic | dice.below(32)));
        }
        7 => {
            let (width, by) =
                dice.one_of(&[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (0, 0x20), (5, 0x20)]);
            code.push(r_type(0x33, width, by, rd, rs, other));
        }
        // Zba, Zbb, Zbs and `pack`.
        8..10 => {
            let (operation, group) = dice.one_of(&BIT_OPERATIONS);
            code.push(r_type(0x33, operation, group, rd, rs, other));
        }
        10 => code.push(r_type(0x33, dice.below(8), 1, rd, rs, other)),
        // `sext.b`, `sext.h`, `rev8`, `orc.b`, `clz`.
        11 => {
            let (operation, which) = dice.one_of(&[(1, 0x604), (1, 0x605), (5, 0x698), (5, 0x287), (1, 0x600)]);
            code.push(i_type(0x13, operation, rd, rs, which));
        }
        12 => code.push(branch(dice.one_of(&[0, 1, 4, 5, 6, 7]), rd, rs, 8)),
        // `auipc`, and a jump by that register to what comes next.
        13 => code.extend([0x17 | 9 << 7, i_type(0x67, 0, 1, 9, 8)]),
        // `c.addi`, twice.
        14 => {
            let narrow = |rd: u32, dice: &mut Dice| 1 | rd << 7 | dice.below(31).max(1) << 2;
            code.push(narrow(rd, dice) | narrow(rs, dice) << 16);
        }
        // MTIME, or its upper half.
        15 => code.push(i_type(3, 2, rd, 8, dice.one_of(&[0x1b0, 0x1b4]))),
        _ => code.push(jal(rd, 4)),
    }
}

/// An offset for an access of 2^`width` bytes.
fn mostly_aligned(dice: &mut Dice, width: u32) -> u32 {
    let any = dice.below(48);
    if dice.once_in(20) { any } else { any & !((1 << width) - 1) }
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

/// Goes on with the next interrupt of the timer, and takes the doorbell back; or goes on behind an access that is misaligned.
fn handler() -> Vec<u32> {
    let mut code = vec![csr(1, 0, 0x340, 31), csr(2, 31, 0x342, 0), branch(5, 31, 0, 32)];
    code.extend([addi(31, 0, 1), store(2, 8, 31, 0x18c), i_type(3, 2, 31, 8, 0x1b0)]);
    code.extend([addi(31, 31, 700), store(2, 8, 31, 0x1b8), csr(1, 31, 0x340, 0), MRET]);
    code.extend([csr(2, 31, 0x341, 0), addi(31, 31, 4), csr(1, 0, 0x341, 31), csr(1, 31, 0x340, 0), MRET]);
    code
}

/// The machine, and where the words are that both cores use.
fn machine(seed: u64, kind: Kind) -> (Machine, u32) {
    let mut dice = Dice::new(0x5eed ^ seed.wrapping_mul(0x9e37_79b9));
    let shared = dice.one_of(&SHARED);
    let entry = dice.one_of(&[SRAM, FLASH]) + OTHER;
    let mut bytes = vec![0; 0x4000];
    let other = core(&mut dice, 1, entry, shared, kind);
    let in_flash: Vec<_> = other.iter().flat_map(|word| word.to_le_bytes()).collect();
    let zero = core(&mut dice, 0, entry, shared, kind);
    for (at, words) in [(0, zero), (OTHER, other), (HANDLERS[0], handler()), (HANDLERS[1], handler())] {
        for (place, word) in bytes[at as usize..].chunks_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
    }
    let image = Image::parse(&bytes, Some(SRAM), &IMAGES).unwrap();
    let mut machine = Machine::booted(&image, Some(150_000_000)).unwrap();
    assert!(machine.load(FLASH + OTHER, &in_flash));
    let words: Vec<_> = (0..SHARED_BYTES / 4).flat_map(|_| any_word(&mut dice).to_le_bytes()).collect();
    assert!(machine.load(shared, &words));
    match kind {
        Kind::Anything if dice.below(2) == 0 => copy_without_end(&mut machine, shared, &mut dice),
        // Which core comes first at ports (`BUS_PRIORITY`).
        Kind::Computes => assert!(machine.write_register(0x4006_8000, dice.one_of(&[0, 0, 1, 0x10, 0x11]))),
        Kind::Anything => {}
    }
    (machine, shared)
}

/// The DMA copies words from a ring of eight to a shared one, at once or as its timer says.
fn copy_without_end(machine: &mut Machine, shared: u32, dice: &mut Dice) {
    // At full speed it would leave nobody any time for flash.
    let (source, request) = dice.one_of(&[(shared, 63), (shared, 59), (FLASH + OTHER, 59)]);
    let ctrl = 1 | 2 << 2 | 1 << 4 | 5 << 8 | request << 17;
    for (address, value) in [
        (0x4002_3000, 1 << 2),
        (DMA + 0x440, 1 << 16 | (50 + dice.below(100))),
        (DMA, source),
        (DMA + 4, shared + 4 * dice.below(8)),
        (DMA + 8, dice.one_of(&[0x1000_0003, 0xf000_0001])),
        (DMA + 0xc, ctrl),
    ] {
        assert!(machine.write_register(address, value));
    }
}

#[test]
fn comes_to_the_same_state_however_it_is_run() {
    compare(Kind::Anything, 30_000);
}

#[test]
fn comes_to_the_same_state_in_code_for_the_host() {
    let native = compare(Kind::Computes, 150_000);
    if cfg!(target_arch = "x86_64") {
        assert!(native > 0.5, "{native} of all cycles were in such code");
    }
}

/// Runs programs in all ways, for so many cycles. The share of cycles that code for the host has gone through.
fn compare(kind: Kind, cycles: u64) -> f64 {
    let seeds = u64::from(crate::machine_code::cases(200)) / 8;
    let mut native = 0;
    for seed in 0..seeds {
        let mut dice = Dice::new(seed);
        let (mut quick, shared) = machine(seed, kind);
        let mut slow = quick.clone();
        slow.engine = Engine::LockStep;
        let mut watched = quick.clone();
        let probes = [&mut slow, &mut watched].map(|machine| {
            [(Watch::Execute, SRAM + OTHER + 0x60), (Watch::Write, shared), (Watch::Read, shared + 4)]
                .map(|(watch, at)| machine.watch_mut().probe(watch, at, 4))
        });
        let mut at = 0;
        while at < cycles {
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
        native += quick.bus.native_cycles();
    }
    native as f64 / (seeds * cycles) as f64
}
