//! Random instruction sequences that stay within what the architecture defines: every address they access is theirs, every
//! branch goes forward, the stack is balanced at the end, faults are those that the program skips.

use super::encodings;
use crate::random::Random;

/// Where `sequences.S` lets them load and store: within what they may touch.
pub const BASE: u32 = 0x2000_2180;
/// Where it puts their code.
const CODE: u32 = 0x2000_0000;

/// Registers that a sequence may change: not r9, which holds `BASE`, nor the stack pointer.
const WRITABLE: [u32; 13] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14];

pub struct Sequence {
    pub code: Vec<u16>,
    /// Instructions, counting those that a branch or a condition skips.
    pub instructions: u32,
    /// Of the Cortex-M7.
    double: bool,
}

impl Sequence {
    /// About `length` instructions.
    pub fn random(random: &mut Random, length: u32, double: bool) -> Self {
        let mut sequence = Self { code: Vec::new(), instructions: 0, double };
        while sequence.instructions < length {
            sequence.group(random);
        }
        if sequence.code.len() % 2 == 1 {
            sequence.put(0xbf00);
        }
        sequence
    }

    /// What `sequences.S` reads: words of code; seed; S0 to S31; FPSCR; APSR; r0 to r12, lr; code.
    pub fn encode(&self, random: &mut Random, blob: &mut Vec<u8>) {
        let mut words = vec![self.code.len() as u32 / 2, random.next() as u32 | 1];
        words.extend((0..32).map(|_| float_word(random)));
        words.extend([random.next() as u32 & 0x07c0_0000, random.next() as u32 & 0xf80f_0000]);
        words.extend((0..14).map(|register| if register == 9 { BASE } else { random.word() }));
        blob.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        blob.extend(self.code.iter().flat_map(|half| half.to_le_bytes()));
    }

    fn put(&mut self, half: u32) {
        self.code.push(half as u16);
        self.instructions += 1;
    }

    fn put_wide(&mut self, word: u32) {
        self.code.extend([(word >> 16) as u16, word as u16]);
        self.instructions += 1;
    }

    /// MOVW and MOVT.
    fn put_constant(&mut self, register: u32, value: u32) {
        for (operation, half) in [(0xf240_0000, value & 0xffff), (0xf2c0_0000, value >> 16)] {
            let fields = (half >> 12) << 16 | (half >> 11 & 1) << 26 | (half >> 8 & 7) << 12 | half & 0xff;
            self.put_wide(operation | fields | register << 8);
        }
    }

    /// One instruction without a branch, or a few that belong together.
    fn group(&mut self, random: &mut Random) {
        match random.under(32) {
            0..=7 => self.compute(random),
            8..=15 => self.float(random),
            16..=19 => self.encoded(random, encodings::MEMORY),
            20 => self.encoded(random, encodings::FLOAT_MEMORY),
            21 | 22 => self.fresh_float(random),
            23 => self.float_status(random),
            24 => self.conditional(random),
            25 => self.branch(random),
            26 => self.many(random),
            27 => self.exclusive(random),
            28 => self.table_branch(random),
            29 => self.special(random),
            30 => self.supervisor_call(random),
            _ => self.fault(random),
        }
    }

    fn compute(&mut self, random: &mut Random) {
        let table = match random.under(16) {
            0..=4 => encodings::NARROW,
            5 => encodings::REVERSALS,
            _ => encodings::WIDE,
        };
        self.encoded(random, table);
    }

    fn float(&mut self, random: &mut Random) {
        let table = match random.under(if self.double { 8 } else { 4 }) {
            0..=3 => encodings::SINGLE,
            4 => encodings::FPV5,
            5 => encodings::FPV5_UNCONDITIONAL,
            _ => encodings::DOUBLE,
        };
        self.encoded(random, table);
    }

    /// An instruction with one of these encodings; before it, what its base and index need.
    fn encoded(&mut self, random: &mut Random, table: &[&str]) {
        let encoding = random.pick(table);
        let bits: Vec<char> = encoding.chars().filter(|&bit| bit != ' ').collect();
        assert!(bits.len() == 16 || bits.len() == 32, "{encoding}");
        let width = |letter| if bits.iter().filter(|&&bit| bit == letter).count() == 3 { 3 } else { 4 };
        let register = |random: &mut Random, letter, others: &[u32]| loop {
            let register = if width(letter) == 3 { random.under(8) } else { random.pick(&WRITABLE) };
            if !others.contains(&register) {
                return register;
            }
        };
        let base = register(random, 'b', &[]);
        let d = register(random, 'd', &[base]);
        let h = register(random, 'h', &[base, d]);
        let index = register(random, 'i', &[base]);
        let m = register(random, 'm', &[]);
        if bits.contains(&'b') {
            self.put_base(base);
        }
        if bits.contains(&'i') {
            self.put_constant(index, random.under(32));
        }
        let (mut word, mut place) = (0, 0);
        while let Some(&bit) = bits.get(place) {
            let (field, width) = match bit {
                '0' => (0, 1),
                '1' => (1, 1),
                'x' => (random.under(2), 1),
                'b' => (base, width(bit)),
                'd' => (d, width(bit)),
                'h' => (h, width(bit)),
                'i' => (index, width(bit)),
                'm' => (m, width(bit)),
                't' => (register(random, bit, &[base]), width(bit)),
                _ => (register(random, bit, &[]), width(bit)),
            };
            word = word << width | field;
            place += width;
        }
        if bits.len() == 16 { self.put(word) } else { self.put_wide(word) }
    }

    fn put_base(&mut self, register: u32) {
        self.put(0x4648 | (register & 8) << 4 | register & 7); // MOV register, r9
    }

    /// An IT block, of instructions that may be in one.
    fn conditional(&mut self, random: &mut Random) {
        let (condition, mask) = (random.under(14), 1 + random.under(15));
        self.put(0xbf00 | condition << 4 | mask);
        for _ in 0..4 - mask.trailing_zeros() {
            let table = match random.under(if self.double { 9 } else { 7 }) {
                0..=2 => encodings::NARROW,
                3 | 4 => encodings::WIDE,
                5 => encodings::BASED,
                6 => encodings::SINGLE,
                7 => encodings::FPV5,
                _ => encodings::DOUBLE,
            };
            self.encoded(random, table);
        }
    }

    /// A value for the floating-point registers.
    fn fresh_float(&mut self, random: &mut Random) {
        let (register, value) = (random.pick(&WRITABLE), float_word(random));
        self.put_constant(register, value);
        let half = if random.under(2) == 0 { 0xee00_0a10 | random.under(2) << 7 } else { 0xee20_0b10 };
        self.put_wide(half | random.under(16) << 16 | register << 12); // VMOV of S, of the upper half of D
    }

    /// Modes and flags of FPSCR.
    fn float_status(&mut self, random: &mut Random) {
        let register = random.pick(&WRITABLE);
        let modes = if random.under(2) == 0 { 0x00c0_0000 } else { 0x07c0_0000 };
        self.put_constant(register, random.next() as u32 & (modes | 0xf000_009f));
        self.put_wide(0xeee1_0a10 | register << 12); // VMSR
    }

    /// What is branched over.
    fn skipped(&self, random: &mut Random) -> Self {
        let mut skipped = Self { code: Vec::new(), instructions: 0, double: self.double };
        for _ in 0..random.under(4) {
            skipped.compute(random);
        }
        skipped
    }

    fn append(&mut self, other: Self) {
        self.code.extend(other.code);
        self.instructions += other.instructions;
    }

    fn branch(&mut self, random: &mut Random) {
        let skipped = self.skipped(random);
        let halves = skipped.code.len() as u32;
        match random.under(7) {
            0 => {
                // B<c>.W; the offset is from 4 behind the branch.
                self.put_wide(0xf000_8000 | random.under(14) << 22 | halves);
            }
            1 => self.put_wide(0xf000_b800 | halves), // B.W
            2 => self.put_wide(0xf000_f800 | halves), // BL
            3 if halves > 0 => {
                let distance = halves - 1;
                self.put(0xb100 | random.under(2) << 11 | distance >> 5 << 9 | (distance & 31) << 3 | random.under(8));
            }
            4 if halves > 0 => self.put(0xd000 | random.under(14) << 8 | (halves - 1)),
            _ => {
                let register = random.pick(&WRITABLE);
                let way = random.under(4);
                // Behind the constant of four halfwords, and one or three.
                let behind = self.code.len() as u32 + 4 + [1, 1, 1, 3][way as usize] + halves;
                self.put_constant(register, CODE + 2 * behind + 1);
                match way {
                    0 => self.put(0x4700 | register << 3), // BX
                    1 => self.put(0x4780 | register << 3), // BLX
                    2 => self.put(0x4687 | register << 3), // MOV pc
                    _ => {
                        self.put_wide(0xf84d_0d04 | register << 12); // PUSH of one register
                        self.put(0xbd00); // POP {pc}
                    }
                }
            }
        }
        self.append(skipped);
    }

    /// A list of at least two registers to load or store, but for some.
    fn list(random: &mut Random, but: u32) -> u32 {
        loop {
            let list = random.next() as u32 & 0x5dff & !but;
            if list.count_ones() >= 2 {
                return list;
            }
        }
    }

    fn many(&mut self, random: &mut Random) {
        let base = random.pick(&WRITABLE);
        let list = Self::list(random, 1 << base);
        match random.under(3) {
            0 => {
                self.put_base(base);
                let form = random.pick(&[0xe880, 0xe8a0, 0xe900, 0xe920]) | random.under(2) << 4 | base;
                self.put_wide(form << 16 | list); // LDM, STM
            }
            1 => {
                let base = random.under(8);
                self.put_base(base);
                let list = 1 + random.under(255);
                // STM of a base that is not the lowest register stores what is not defined.
                let loads = random.under(2) == 1 || list & (1 << base) != 0;
                self.put(if loads { 0xc800 } else { 0xc000 } | base << 8 | list);
            }
            _ => {
                self.put_wide(0xe92d_0000 | list); // PUSH
                self.compute(random);
                let mut popped = 0_u32;
                while popped & 0x5dff != popped || popped.count_ones() != list.count_ones() {
                    popped = random.next() as u32 & 0x5dff;
                }
                self.put_wide(0xe8bd_0000 | popped); // POP
            }
        }
    }

    fn exclusive(&mut self, random: &mut Random) {
        let mut registers = WRITABLE;
        for place in 0..4 {
            let other = place + random.under((WRITABLE.len() - place) as u32) as usize;
            registers.swap(place, other);
        }
        let [base, d, h, t, ..] = registers;
        self.put_base(base);
        let (load, store) = match random.under(3) {
            0 => {
                let distance = random.under(64);
                (0xe850_0f00 | distance, 0xe840_0000 | h << 8 | distance)
            }
            1 => (0xe8d0_0f4f, 0xe8c0_0f40 | h),
            _ => (0xe8d0_0f5f, 0xe8c0_0f50 | h),
        };
        self.put_wide(load | base << 16 | d << 12);
        if random.under(4) == 0 {
            self.put_wide(0xf3bf_8f2f); // CLREX
        }
        for _ in 0..=random.under(2) {
            self.put_wide(store | base << 16 | t << 12); // the second one fails
        }
    }

    /// TBB or TBH of four entries.
    fn table_branch(&mut self, random: &mut Random) {
        let register = random.under(8);
        self.put(0x2000 | register << 8 | random.under(4)); // MOVS
        let halfwords = random.under(2);
        self.put_wide(0xe8df_f000 | halfwords << 4 | register);
        let table = if halfwords == 1 { 4 } else { 2 };
        let mut skipped = Self { code: Vec::new(), instructions: 0, double: self.double };
        let mut places = vec![table];
        for _ in 0..3 {
            skipped.compute(random);
            places.push(table + skipped.code.len() as u32);
        }
        let entries: Vec<u32> = (0..4).map(|_| random.pick(&places)).collect();
        if halfwords == 1 {
            self.code.extend(entries.iter().map(|&entry| entry as u16));
        } else {
            self.code.extend(entries.chunks(2).map(|pair| (pair[0] | pair[1] << 8) as u16));
        }
        self.append(skipped);
    }

    /// MSR of flags, masks and PSP; CPS.
    fn special(&mut self, random: &mut Random) {
        let register = random.pick(&WRITABLE);
        match random.under(5) {
            0 | 1 => self.put_wide(0xf380_8000 | register << 16 | (1 + random.under(3)) << 10), // APSR
            2 => {
                // Both chips' priorities have four bits, QEMU's have eight.
                self.put_wide(0xf000_00f0 | register << 16 | register << 8); // AND
                self.put_wide(0xf380_8811 | register << 16 | random.under(2)); // BASEPRI, BASEPRI_MAX
            }
            3 => self.put_wide(0xf380_8800 | register << 16 | random.pick(&[9, 16, 19])), // PSP, PRIMASK, FAULTMASK
            _ => self.put(random.pick(&[0xb672, 0xb671, 0xb673, 0xb662, 0xb661, 0xb663])), // CPSID, CPSIE
        }
    }

    /// What makes exceptions of priority 0 possible.
    fn unmask(&mut self, random: &mut Random) {
        let register = random.under(8);
        self.put(0xb663); // CPSIE if
        self.put(0x2000 | register << 8); // MOVS #0
        self.put_wide(0xf380_8811 | register << 16); // MSR BASEPRI
    }

    fn supervisor_call(&mut self, random: &mut Random) {
        let misaligned = random.under(2); // by a word: bit 9 of the stacked xPSR
        self.unmask(random);
        self.put(0xb080 | misaligned); // SUB sp
        if random.under(2) == 0 {
            self.put(0xbf08 | random.under(14) << 4); // IT
        }
        self.put(0xdf00 | random.under(256));
        self.put(0xb000 | misaligned); // ADD sp
    }

    /// What the program skips after it has noted the cause.
    fn fault(&mut self, random: &mut Random) {
        let base = random.under(8);
        let (d, h) = ((base + 1) % 8, (base + 2) % 8);
        self.unmask(random);
        self.put_base(base);
        self.put(0x3000 | base << 8 | (1 + random.under(3))); // ADDS: no longer aligned
        match random.under(9) {
            0 => self.put(0xde00 | random.under(256)),                             // UDF
            1 => self.put_wide(0xf7f0_a000 | random.under(16)),                    // UDF.W
            2 => self.put_wide(0xe950_0000 | base << 16 | d << 12 | h << 8),       // LDRD
            3 => self.put_wide(0xe940_0000 | base << 16 | d << 12 | h << 8),       // STRD
            4 => self.put_wide(0xe890_0000 | base << 16 | 1 << d | 1 << h),        // LDM
            5 => self.put_wide(0xe850_0f00 | base << 16 | d << 12),                // LDREX
            6 => self.put_wide(0xed90_0a00 | base << 16 | random.under(16) << 12), // VLDR
            7 => self.put_wide(0xee00_0010 | random.under(8) << 8 | d << 12),      // MCR of another coprocessor
            _ if self.double => self.put_wide(0xee70_0b00),                        // VADD of D16
            _ => self.encoded(random, encodings::DOUBLE),                          // not there
        }
    }
}

/// Half a number in double precision or a whole one in single: of all kinds.
fn float_word(random: &mut Random) -> u32 {
    let any = random.next() as u32;
    let (exponent_bits, sign) = (if random.under(2) == 0 { 8 } else { 11 }, any & 1 << 31);
    let fraction_bits = 31 - exponent_bits;
    let (fraction, bias) = (any & ((1 << fraction_bits) - 1), (1_u32 << (exponent_bits - 1)) - 1);
    let few = fraction >> (fraction_bits - 3) << (fraction_bits - 3);
    sign | match random.under(10) {
        0 => 0,
        1 => fraction,                                                 // denormal
        2 => (2 * bias + 1) << fraction_bits,                          // infinity
        3 => (2 * bias + 1) << fraction_bits | fraction | 1,           // NaN
        4 => (2 * bias - random.under(3)) << fraction_bits | fraction, // near the largest
        5 => (1 + random.under(30)) << fraction_bits | fraction,       // near the smallest
        6 => (bias - 4 + random.under(36)) << fraction_bits | few,     // whole, or nearly
        7 => (bias - 16 + random.under(48)) << fraction_bits | fraction,
        8 => random.word(),
        _ => any,
    }
}
