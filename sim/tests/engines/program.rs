//! Random programs of two cores: loops of all that a core can do, in ways that meet the other core often.

use super::pio;
use proptest::prelude::*;

/// R9: data of this core. R10: data of both. R11: SIO. R12: code of the program that may be overwritten. R6, R7: free for
/// addresses, R0 to R5 for values. R8 counts the turns of a loop.
#[derive(Clone, Debug)]
pub enum Part {
    /// Instructions with nothing before them.
    Plain(Vec<u16>),
    /// An access by R6, which is made from one of R9 to R12 before.
    Access { base: u16, code: Vec<u16> },
    /// So many turns of what is within.
    Loop { turns: u8, body: Vec<Part> },
    /// A function of what is within, called right here: BL over it, and back by POP or BX.
    Call { body: Vec<Part>, pops: bool },
}

/// What there is to do at all, by its weight in the program.
#[derive(Clone, Copy, Debug)]
pub struct Taste {
    /// SIO, APB, PPB, system instructions.
    pub outside: u32,
    /// Registers of PIO.
    pub pio: u32,
    /// Spinlocks and pins, whose values are kept.
    pub io: u32,
    /// Accesses to what the other core accesses, too.
    pub shared: u32,
    /// Overwriting code.
    pub modifying: u32,
    /// Whatever halfword comes.
    pub wild: u32,
}

pub const OWN_DATA: u16 = 9;
pub const SHARED_DATA: u16 = 10;
pub const SIO: u16 = 11;
pub const PATCHED: u16 = 12;

fn plain() -> impl Strategy<Value = Vec<u16>> {
    let low = 0u16..6;
    prop_oneof![
        4 => (0x4000u16..0x4400, low.clone(), low.clone()).prop_map(|(op, d, m)| vec![op & 0xffc0 | m << 3 | d]),
        4 => (0u16..4, low.clone(), 0u16..256).prop_map(|(op, d, i)| vec![0x2000 | op << 11 | d << 8 | i]),
        4 => (0u16..0x1c00, low.clone(), low.clone()).prop_map(|(op, d, m)| vec![op & 0x1dc0 | m << 3 | d]),
        2 => (0x1800u16..0x1a00, low.clone(), low.clone(), low.clone())
            .prop_map(|(op, d, n, m)| vec![op & 0x1e00 | m << 6 | n << 3 | d]),
        1 => (0u16..16, low.clone(), low.clone()).prop_map(|(op, d, m)| vec![0xb200 | op << 6 & 0xc0 | m << 3 | d]),
        1 => (0u16..3, low.clone(), low.clone())
            .prop_map(|(op, d, m)| vec![0xba00 | [0, 1, 3][op as usize] << 6 | m << 3 | d]),
        // ADD, CMP, MOV with any register on the right.
        2 => (0u16..3, low.clone(), 0u16..16).prop_map(|(op, d, m)| vec![0x4400 | op << 8 | m << 3 | d]),
        1 => (low.clone(), 0u16..8).prop_map(|(d, i)| vec![0xa800 | d << 8 | i, 0x4600 | 13 << 3 | d]),
        2 => (0u16..14).prop_map(|condition| vec![0xd000 | condition << 8, 0xbf00]),
        1 => Just(vec![0xe000, 0xbf00]),
        1 => Just(vec![0xbf00]),
        // LDR from behind the instruction, up to 1 kB: code is data, too.
        1 => (low.clone(), 0u16..4).prop_map(|(d, i)| vec![0x4800 | d << 8 | i]),
        1 => (low, 0u16..256).prop_map(|(d, i)| vec![0x4800 | d << 8 | i]),
        // PUSH and POP.
        2 => (1u16..64).prop_map(|list| vec![0xb400 | list, 0xbc00 | list]),
        // ADD, SUB of SP.
        1 => Just(vec![0xb084, 0xb004]),
        // LDR from the flash, from 0x10000100, 0x10002100 or 0x10004100 on: of three lines of a set of its cache, two fit.
        2 => (0u16..3, 0u16..32, 0u16..2).prop_map(|(line, i, high)| {
            vec![0x2610, 0x0636, 0x2701 | line << 5, 0x023f, 0x19f6, 0x3600 | high << 7, 0x6830 | i << 6]
        }),
    ]
}

fn access() -> impl Strategy<Value = Vec<u16>> {
    let low = 0u16..6;
    prop_oneof![
        6 => (0u16..6, low, 0u16..32).prop_map(|(op, d, i)| {
            let base = [0x6000, 0x6800, 0x7000, 0x7800, 0x8000, 0x8800][op as usize];
            vec![base | i << 6 | 6 << 3 | d]
        }),
        // By register, sign-extending and other.
        2 => (0u16..8, 0u16..6).prop_map(|(op, d)| vec![0x2700 | d, 0x5000 | op << 9 | 7 << 6 | 6 << 3 | d]),
        2 => (1u16..64).prop_map(|list| vec![0xce00 | list]),
        2 => (1u16..64).prop_map(|list| vec![0xc600 | list]),
        1 => (0x41u16..0x80).prop_map(|list| vec![0xce00 | list]),
    ]
}

/// A spin for a bit of a word to be set, or clear.
fn spin() -> impl Strategy<Value = Vec<u16>> {
    // LDR R0, [R6, #..]; LSLS R0, #..; BMI or BPL back.
    (0u16..32, 0u16..32, 0u16..2).prop_map(|(i, bit, clear)| vec![0x6830 | i << 6, bit << 6, 0xd4fc | clear << 8])
}

fn outside() -> impl Strategy<Value = Part> {
    let sio = |code| Part::Access { base: SIO, code };
    prop_oneof![
        // CPUID, FIFO status, FIFO words, a spinlock, the divider.
        4 => (0u16..6).prop_map(move |i| sio(vec![0x6800 | [0, 20, 21, 22, 24, 28][i as usize] << 6 | 6 << 3])),
        2 => (0u16..3).prop_map(move |i| sio(vec![0x6000 | [21, 24, 25][i as usize] << 6 | 6 << 3])),
        // A spinlock is taken and let go of: SIO + 0x100.
        2 => Just(sio(vec![0x36ff, 0x3601, 0x6830, 0x6030])),
        // It is spun for, and let go of; then let go of by whoever it belongs to.
        2 => Just(sio(vec![0x36ff, 0x3601, 0x6830, 0x2800, 0xd0fc, 0x6030])),
        2 => Just(sio(vec![0x36ff, 0x3601, 0x6030])),
        // The same of three more.
        3 => (1u16..4, any::<bool>()).prop_map(move |(lock, spins)| {
            let claim = if spins { &[0x6830 | lock << 6, 0x2800, 0xd0fc][..] } else { &[0x6830 | lock << 6] };
            sio([&[0x36ff, 0x3601], claim].concat())
        }),
        3 => (0u16..4).prop_map(move |lock| sio(vec![0x36ff, 0x3601, 0x6030 | lock << 6])),
        // SPINLOCK_ST; an interpolator's accumulator is written and taken from: SIO + 0x80.
        1 => Just(sio(vec![0x6df0])),
        1 => Just(sio(vec![0x3680, 0x6030, 0x6970])),
        // Registers that are not modelled, another one in each turn of a loop: of SIO, from 4 kB on; of the PPB, from
        // 0xe000e500 on; of the timer, from 0x40054048 on. SIO as a halfword, which it does not take.
        1 => (1u16..64, 0u16..2).prop_map(move |(at, load)| {
            sio(vec![0x2700 | at, 0x033f, 0x19f6, 0x4647, 0x00bf, 0x19f6, 0x6030 | load << 11])
        }),
        1 => (0xe5u16..0xed, 0u16..2).prop_map(|(at, load)| {
            let base = [0x26e0, 0x0636, 0x2700 | at, 0x023f, 0x19f6];
            Part::Plain([&base[..], &[0x4647, 0x00bf, 0x19f6, 0x6030 | load << 11]].concat())
        }),
        1 => (18u16..32).prop_map(|at| {
            Part::Plain(vec![0x2640, 0x0236, 0x3605, 0x0136, 0x3604, 0x0336, 0x6830 | at << 6])
        }),
        1 => (0u16..32).prop_map(move |at| sio(vec![0x8830 | at << 6])),
        // GPIO_IN, GPIO_OUT, GPIO_HI_OUT; GPIO_OUT, GPIO_OUT_XOR, GPIO_OE, GPIO_HI_OUT.
        3 => (0u16..3).prop_map(move |i| sio(vec![0x6830 | [1, 4, 12][i as usize] << 6])),
        3 => (0u16..4).prop_map(move |i| sio(vec![0x6030 | [4, 7, 8, 12][i as usize] << 6])),
        // STATUS of pins 0 to 7, from 0x40014000 on.
        2 => (0u16..8).prop_map(|pin| {
            Part::Plain(vec![0x2640, 0x0236, 0x3601, 0x0136, 0x3604, 0x0336, 0x6830 | pin << 7])
        }),
        // FSTAT, FDEBUG, FLEVEL, RXF0 to RXF3, IRQ, DBG_PADOUT of a PIO block, at 0x50200000 or 0x50300000; TXF0 to TXF3, IRQ,
        // IRQ_FORCE.
        2 => (0u16..2, 0u16..9).prop_map(|(block, i)| {
            let at = [1, 2, 3, 8, 9, 10, 11, 12, 15][i as usize];
            Part::Plain(vec![0x2650, 0x0236, 0x3620 + 16 * block, 0x0436, 0x6830 | at << 6])
        }),
        2 => (0u16..2, 0u16..6).prop_map(|(block, i)| {
            let at = [4, 5, 6, 7, 12, 13][i as usize];
            Part::Plain(vec![0x2650, 0x0236, 0x3620 + 16 * block, 0x0436, 0x6030 | at << 6])
        }),
        // SEV; then WFE, which need not sleep long, as the other core or an interrupt comes along.
        1 => Just(Part::Plain(vec![0xbf40])),
        1 => Just(Part::Plain(vec![0xbf40, 0xbf20])),
        1 => Just(Part::Plain(vec![0xbf20])),
        // B to itself, which stays there but for interrupts.
        1 => Just(Part::Plain(vec![0xe7fe])),
        // DMB, ISB, MRS PSP, MRS XPSR, CPSID, CPSIE, SVC.
        1 => Just(Part::Plain(vec![0xf3bf, 0x8f5f])),
        1 => Just(Part::Plain(vec![0xf3bf, 0x8f6f])),
        1 => Just(Part::Plain(vec![0xf3ef, 0x8309])),
        1 => Just(Part::Plain(vec![0xf3ef, 0x8403])),
        1 => Just(Part::Plain(vec![0xb672, 0xb662])),
        // CPSID; MRS R3, PRIMASK; MOVS R4, #0; MSR PRIMASK, R4: something may become pending in between.
        1 => Just(Part::Plain(vec![0xb672, 0xf3ef, 0x8310, 0x2400, 0xf384, 0x8810])),
        1 => Just(Part::Plain(vec![0xdf01])),
        // TIMERAWL, which is 0x40054028, alone or with TIMERAWH; UARTFR, at 0x40034018; CH0_CTR of PWM, at 0x40050008, once more as a halfword: all
        // behind APB. SYST_CVR, at 0xe000e018. ROM.
        2 => Just(Part::Plain(vec![0x2640, 0x0236, 0x3605, 0x0136, 0x3604, 0x0336, 0x6ab0])),
        2 => Just(Part::Plain(vec![0x2640, 0x0236, 0x3605, 0x0136, 0x3604, 0x0336, 0x3624, 0xce03])),
        2 => Just(Part::Plain(vec![0x2640, 0x0236, 0x3603, 0x0136, 0x3604, 0x0336, 0x69b0])),
        6 => Just(Part::Plain(vec![0x2640, 0x0236, 0x3605, 0x0436, 0x68b0])),
        2 => Just(Part::Plain(vec![0x2640, 0x0236, 0x3605, 0x0436, 0x8930, 0x68b1])),
        1 => Just(Part::Plain(vec![0x26e0, 0x0636, 0x27e0, 0x023f, 0x19f6, 0x69b0])),
        1 => Just(Part::Plain(vec![0x2600, 0x6830, 0x6875])),
    ]
}

/// What both cores share at their I/O ports: pins and spinlocks. What is read is stored in the core's own data.
fn io() -> impl Strategy<Value = Part> {
    // MOV R7, R9; STR R0, [R7, #..].
    let keep = |code: &[u16], at: u16| [code, &[0x464f, 0x6038 | at << 6]].concat();
    let sio = |code| Part::Access { base: SIO, code };
    prop_oneof![
        // GPIO_IN, GPIO_OUT, SPINLOCK_ST.
        3 => (0usize..3, 0u16..32).prop_map(move |(i, at)| sio(keep(&[0x6830 | [1, 4, 23][i] << 6], at))),
        // GPIO_OUT, GPIO_OUT_XOR, GPIO_OE.
        4 => (0usize..3, 0u16..256)
            .prop_map(move |(i, value)| sio(vec![0x2000 | value, 0x6030 | [4, 7, 8][i] << 6])),
        3 => (0u16..4, 0u16..32)
            .prop_map(move |(lock, at)| sio(keep(&[0x36ff, 0x3601, 0x6830 | lock << 6], at))),
        3 => (0u16..4).prop_map(move |lock| sio(vec![0x36ff, 0x3601, 0x6030 | lock << 6])),
        // A lock is spun for and let go of soon, and the turns are kept: ADDS R5, #1; maybe LDR R1, [R7]; LDR R0; CMP R0, #0;
        // BEQ; NOPs; STR R0. Only behind a load do both cores meet in a cycle in which both fetch from one bank.
        6 => (0u16..2, 0usize..2, 0usize..6, 0u16..32).prop_map(move |(lock, loads, nops, at)| {
            let back = 0xd0fb - loads as u16;
            let begin = [&[0x36ff, 0x3601, 0x464f, 0x3501], &[0x6839].repeat(loads)[..]].concat();
            let claim = [0x6830 | lock << 6, 0x2800, back];
            sio([&begin[..], &claim, &[0xbf00].repeat(nops), &[0x6030 | lock << 6, 0x603d | at << 6]].concat())
        }),
        // STATUS of pins 0 to 7, from 0x40014000 on.
        1 => (0u16..8, 0u16..32).prop_map(move |(pin, at)| {
            let status = [0x2640, 0x0236, 0x3601, 0x0136, 0x3604, 0x0336, 0x6830 | pin << 7];
            Part::Plain(keep(&status, at))
        }),
    ]
}

fn part(taste: Taste) -> impl Strategy<Value = Part> {
    let leaf = prop_oneof![
        12 => plain().prop_map(Part::Plain),
        6 => access().prop_map(|code| Part::Access { base: OWN_DATA, code }),
        taste.shared => prop_oneof![8 => access().boxed(), 1 => spin().boxed()]
            .prop_map(|code| Part::Access { base: SHARED_DATA, code }),
        taste.outside => outside(),
        taste.pio => pio::access().prop_map(Part::Plain),
        taste.io => io(),
        taste.modifying => (0u16..32, 0u16..6).prop_map(|(at, d)| {
            // MOVS R0 to R5 or NOP over an instruction of the patch.
            Part::Access { base: PATCHED, code: vec![0x20bf | d << 8, 0x0200 | d << 3 | d, 0x8000 | at << 6 | 6 << 3 | d] }
        }),
        taste.wild => any::<u16>().prop_map(|half| Part::Plain(vec![half])),
    ];
    leaf.prop_recursive(3, 24, 8, |inner| {
        prop_oneof![
            (1u8..40, proptest::collection::vec(inner.clone(), 1..8))
                .prop_map(|(turns, body)| Part::Loop { turns, body }),
            (proptest::collection::vec(inner, 1..8), any::<bool>()).prop_map(|(body, pops)| Part::Call { body, pops }),
        ]
    })
}

pub fn program(taste: Taste) -> impl Strategy<Value = Vec<Part>> {
    proptest::collection::vec(part(taste), 1..24)
}

/// Machine code of a program, which goes on for ever: with itself, or so many bytes from its beginning.
pub fn assemble(parts: &[Part], next: u32) -> Vec<u16> {
    let mut code = Vec::new();
    for part in parts {
        append(part, &mut code);
    }
    // Over a reach of 2 kB, no more than that is asked for.
    code.truncate(1000);
    if next == 0 {
        let back = code.len() as u16 + 2;
        code.push(0xe000 | 0u16.wrapping_sub(back) & 0x7ff);
    } else {
        let offset = next.wrapping_sub(2 * code.len() as u32 + 4);
        code.extend(call(offset >> 1 | offset & 1 << 31));
    }
    code
}

/// BL over so many halfwords, less than 2^21 of them.
fn call(halves: u32) -> [u16; 2] {
    // Bits 23 and 22 of the offset are XORed with its sign.
    let sign = halves >> 31;
    let [j1, j2] = [halves >> 22, halves >> 21].map(|bit| (bit ^ sign ^ 1) as u16 & 1);
    [
        0xf000 | (sign as u16) << 10 | (halves >> 11 & 0x3ff) as u16,
        0xd000 | j1 << 13 | j2 << 11 | (halves & 0x7ff) as u16,
    ]
}

fn append(part: &Part, code: &mut Vec<u16>) {
    match part {
        Part::Plain(halves) => code.extend(halves),
        Part::Access { base, code: halves } => {
            code.push(0x4606 | base << 3);
            code.extend(halves);
        }
        Part::Loop { turns, body } => {
            // The turns of an outer loop are on the stack meanwhile.
            code.extend([0x4647, 0xb480, 0x2700 | u16::from(*turns), 0x46b8]);
            let begin = code.len();
            for part in body {
                append(part, code);
            }
            let back = code.len() + 3 + 2 - begin;
            code.extend([0x4647, 0x3f01, 0x46b8]);
            if back < 120 {
                code.push(0xd100 | 0u8.wrapping_sub(back as u8) as u16);
            }
            code.extend([0xbc80, 0x46b8]);
        }
        Part::Call { body, pops } => {
            let mut function = Vec::new();
            function.push(if *pops { 0xb510 } else { 0xbf00 });
            for part in body {
                append(part, &mut function);
            }
            function.push(if *pops { 0xbd10 } else { 0x4770 });
            let length = function.len() as u16;
            // B over the function, then BL back to it; where it would nest, only functions that keep LR may call.
            code.push(0xe000 | (length - 1) & 0x7ff);
            code.extend(&function);
            let offset = 0u32.wrapping_sub(u32::from(length) + 2);
            code.extend([0xf000 | 0x400 | (offset >> 11 & 0x3ff) as u16, 0xf800 | (offset & 0x7ff) as u16]);
        }
    }
}
