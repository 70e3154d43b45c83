//! Each operation, access and branch with operands at their borders, so often that the machine makes code for the host of them: it
//! has to compute what the core in lock-step does, which tests/hazard3 hold against the RTL and QEMU.

use super::machine::{SRAM, li};
use super::paths::{BIT_OPERATIONS, launch};
use crate::hazard3::assembler::{Dice, addi, branch, csr, i_type, jal, r_type, store};
use intercore_sim::engine::Engine;
use intercore_sim::image::Image;
use intercore_sim::rp2350::boot::IMAGES;
use intercore_sim::rp2350::machine::Machine;

/// Where the handler of exceptions is: it goes on behind the instruction.
const HANDLER: u32 = 0x7f00;
/// Where core 1's code is, and what each core has of its own: results, and behind them its operands.
const OTHER: u32 = 0x8000;
const DATA: [u32; 2] = [0x1_0000, 0x1_4000];
const OPERANDS: u32 = 0x1000;
/// Turns with each pair of operands: code comes of what is met often.
const COUNT: usize = 16;
const FLASH: u32 = 0x1000_0000;
const MRET: u32 = 0x3020_0073;
const BORDERS: [u32; 8] = [0, 1, 2, 31, u32::MAX, 1 << 31, i32::MAX as u32, 0x8000_8080];

/// Registers of the program: both operands, what comes of them, what all results come to, an odd number, where results go, and the
/// places and ends of the operands.
const FIRST: u32 = 12;
const SECOND: u32 = 13;
const RESULT: u32 = 14;
const SUM: u32 = 15;
const ODD: u32 = 9;
const PLACE: u32 = 7;
const INNER: u32 = 10;
const OUTER: u32 = 11;
const END: u32 = 16;
const BEGIN: u32 = 17;

/// What computes a result from both operands, or from the first one; `INNER` is a place in the operands.
fn bodies() -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    // RV32I, M, Zba, Zbb, Zbs, Zbkb, and `h3.bextm`.
    let simple = (0..8).flat_map(|operation| [(operation, 0), (operation, 1)]).chain([(0, 0x20), (5, 0x20), (7, 0x04)]);
    for (operation, group) in simple.chain(BIT_OPERATIONS) {
        all.push(vec![r_type(0x33, operation, group, RESULT, FIRST, SECOND)]);
    }
    for bits in [1, 5, 8] {
        all.push(vec![r_type(0x0b, 0, (bits - 1) << 1, RESULT, FIRST, SECOND)]);
    }
    for operation in [0, 2, 3, 4, 6, 7] {
        for immediate in [0, 1, 0x7ff, 0x800, 0xfff] {
            all.push(vec![i_type(0x13, operation, RESULT, FIRST, immediate)]);
        }
    }
    // Shifts, and operations on single bits, by numbers.
    for (operation, group) in [(1, 0), (5, 0), (5, 0x400), (5, 0x600), (1, 0x480), (5, 0x480), (1, 0x680), (1, 0x280)] {
        for by in [0, 1, 31] {
            all.push(vec![i_type(0x13, operation, RESULT, FIRST, group | by)]);
        }
    }
    // `clz`, `ctz`, `cpop`, `sext.b`, `sext.h`, `orc.b`, `rev8`, `brev8`, `zip`, `unzip`.
    let of_one = [(1, 0x600), (1, 0x601), (1, 0x602), (1, 0x604), (1, 0x605), (5, 0x287), (5, 0x698), (5, 0x687)];
    for (operation, which) in of_one.into_iter().chain([(1, 0x08f), (5, 0x08f)]) {
        all.push(vec![i_type(0x13, operation, RESULT, FIRST, which)]);
    }
    for (width, log) in [(0, 0), (1, 1), (2, 2), (4, 0), (5, 1)] {
        for at in (0..4).step_by(1 << log) {
            all.push(vec![i_type(3, width, RESULT, INNER, at)]);
        }
    }
    for width in 0..3 {
        for at in (0..4).step_by(1 << width) {
            all.push(vec![
                store(2, PLACE, FIRST, 4),
                store(width, PLACE, SECOND, 4 + at),
                i_type(3, 2, RESULT, PLACE, 4),
            ]);
        }
    }
    // Misaligned for some operands: an exception, after which the handler gives the result.
    let place = [i_type(0x13, 7, RESULT, FIRST, 1), r_type(0x33, 0, 0, RESULT, RESULT, PLACE)];
    for width in [1, 2, 5] {
        all.push([&place[..], &[i_type(3, width, RESULT, RESULT, 4)]].concat());
    }
    for width in [1, 2] {
        all.push([&place[..], &[store(width, RESULT, SECOND, 4), i_type(3, 2, RESULT, PLACE, 4)]].concat());
    }
    for condition in [0, 1, 4, 5, 6, 7] {
        all.push(vec![addi(RESULT, 0, 3), branch(condition, FIRST, SECOND, 8), addi(RESULT, 0, 5)]);
    }
    // `auipc`, and a jump by that register.
    all.push(vec![0x17 | RESULT << 7, i_type(0x67, 0, 1, RESULT, 8)]);
    all
}

fn program(number: usize) -> Vec<u32> {
    let data = SRAM + DATA[number];
    let mut code = li(8, 0xd000_0000).to_vec();
    if number == 0 {
        launch(&mut code, SRAM + OTHER);
    }
    code.extend(li(5, SRAM + HANDLER));
    code.push(csr(1, 0, 0x305, 5));
    code.extend(li(ODD, 0x9e37_79b1));
    code.extend(li(PLACE, data));
    code.extend(li(BEGIN, data + OPERANDS));
    code.extend(li(END, data + OPERANDS + 4 * COUNT as u32));
    for body in bodies() {
        code.extend([addi(SUM, 0, 0), addi(OUTER, BEGIN, 0)]);
        let outer = code.len();
        code.extend([i_type(3, 2, FIRST, OUTER, 0), addi(INNER, BEGIN, 0)]);
        let inner = code.len();
        code.push(i_type(3, 2, SECOND, INNER, 0));
        code.extend(body);
        code.extend([r_type(0x33, 0, 1, SUM, SUM, ODD), r_type(0x33, 0, 0, SUM, SUM, RESULT), addi(INNER, INNER, 4)]);
        let back = |to: usize, from: usize| (to as i32 - from as i32) * 4;
        code.push(branch(1, INNER, END, back(inner, code.len())));
        code.push(addi(OUTER, OUTER, 4));
        code.push(branch(1, OUTER, END, back(outer, code.len())));
        code.extend([store(2, PLACE, SUM, 0), addi(PLACE, PLACE, 8)]);
    }
    code.push(jal(0, 0));
    code
}

fn machine() -> Machine {
    let mut dice = Dice::new(7);
    let mut bytes = vec![0; DATA[1] as usize + 0x2000];
    for (number, at) in [0, OTHER].into_iter().enumerate() {
        let code = program(number);
        assert!(code.len() < HANDLER as usize / 4);
        let operands = (0..COUNT).map(|i| BORDERS.get(i).copied().unwrap_or_else(|| dice.below(u32::MAX)));
        for (at, words) in [(at, code), (DATA[number] + OPERANDS, operands.collect())] {
            for (place, word) in bytes[at as usize..].chunks_mut(4).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
    }
    let handler = [csr(2, 5, 0x341, 0), addi(5, 5, 4), csr(1, 0, 0x341, 5), addi(RESULT, 0, 77), MRET];
    for (place, word) in bytes[HANDLER as usize..].chunks_mut(4).zip(handler) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    Machine::booted(&Image::parse(&bytes, Some(SRAM), &IMAGES).unwrap(), Some(150_000_000)).unwrap()
}

/// Core 1 runs a loop in flash, and then reads so much of flash that the loop is in the cache no more.
#[test]
fn code_for_the_host_waits_for_words_that_have_left_the_cache() {
    const WAY: u32 = 0x2000;
    let entry = FLASH + 0x1000;
    let mut other = li(FIRST, entry).to_vec();
    other.extend(li(ODD, WAY));
    other.push(addi(SUM, 0, 900));
    other.extend([addi(RESULT, RESULT, 3), r_type(0x33, 4, 0, RESULT, RESULT, SUM), addi(SUM, SUM, -1)]);
    other.push(branch(1, SUM, 0, -12));
    other.push(r_type(0x33, 0, 0, FIRST, FIRST, ODD));
    other.extend((0..8).map(|line| i_type(3, 2, SECOND, FIRST, 8 * line)));
    other.push(jal(0, -14 * 4));
    let mut zero = li(8, 0xd000_0000).to_vec();
    launch(&mut zero, entry);
    zero.extend([addi(RESULT, RESULT, 1), jal(0, -4)]);
    let bytes_of = |code: Vec<u32>| code.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>();
    let image = Image::parse(&bytes_of(zero), Some(SRAM), &IMAGES).unwrap();
    let mut quick = Machine::booted(&image, Some(150_000_000)).unwrap();
    assert!(quick.load(entry, &bytes_of(other)));
    let mut slow = quick.clone();
    slow.engine = Engine::LockStep;
    for at in (1..=40).map(|part| 9_000 * part) {
        for machine in [&mut quick, &mut slow] {
            _ = machine.run_until(at);
        }
        assert_eq!(quick.state_hash(), slow.state_hash(), "at cycle {at}");
    }
    let read = (slow.core(1).register(FIRST as usize) - entry) / WAY;
    assert!(read > 30, "it has read {read} times");
    if cfg!(target_arch = "x86_64") {
        assert!(quick.bus.native_cycles() > 180_000, "{} cycles were in such code", quick.bus.native_cycles());
    }
}

#[test]
fn code_for_the_host_computes_what_the_core_does() {
    let mut quick = machine();
    let mut slow = quick.clone();
    slow.engine = Engine::LockStep;
    let end = 1_200_000;
    for machine in [&mut quick, &mut slow] {
        _ = machine.run_until(end);
    }
    for (core, data) in DATA.into_iter().enumerate() {
        for (number, body) in bodies().into_iter().enumerate() {
            let at = SRAM + data + 8 * number as u32;
            let of = |machine: &Machine| u32::from_le_bytes(machine.peek_bytes(at, 4).try_into().unwrap());
            assert_eq!(of(&quick), of(&slow), "core {core}, {body:08x?}");
        }
    }
    assert_eq!(quick.state_hash(), slow.state_hash());
    assert_eq!([0, 1].map(|core| quick.statistics(core)), [0, 1].map(|core| slow.statistics(core)));
    let last = program(0).len() as u32 - 1;
    assert_eq!(slow.core(0).pc(), SRAM + 4 * last, "it has come to its end");
    if cfg!(target_arch = "x86_64") {
        assert!(quick.bus.native_cycles() > end * 3 / 4, "{} cycles were in such code", quick.bus.native_cycles());
    }
}
