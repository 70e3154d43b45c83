//! Random instruction sequences that stay within what the architecture defines: every address they access is theirs, every
//! branch goes forward, the stack is balanced at the end.

use crate::random::Random;

/// Where `sequences.S` lets them load and store: the middle of what they may touch.
pub const BASE: u32 = 0x2000_2080;

/// Registers that a sequence may change: not r9, which holds `BASE`, nor the stack pointer.
const WRITABLE: [u16; 13] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14];

pub struct Sequence {
    pub code: Vec<u16>,
    /// Instructions, counting those that a branch skips.
    pub instructions: u32,
    literals: Vec<(usize, u32)>,
}

impl Sequence {
    /// About `length` instructions.
    pub fn random(random: &mut Random, length: u32) -> Self {
        let mut sequence = Self { code: Vec::new(), instructions: 0, literals: Vec::new() };
        while sequence.instructions < length {
            sequence.group(random);
        }
        sequence.finish();
        sequence
    }

    /// What `sequences.S` reads: lengths, seed, registers, code.
    pub fn encode(&self, random: &mut Random, blob: &mut Vec<u8>) {
        let mut words = vec![self.code.len() as u32 / 2, random.next() as u32 | 1];
        words.extend((0..13).map(|register| if register == 9 { BASE } else { random.word() }));
        words.extend([random.word(), random.word() & 0xF000_0000]);
        blob.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        blob.extend(self.code.iter().flat_map(|half| half.to_le_bytes()));
    }

    fn put(&mut self, half: u16) {
        self.code.push(half);
        self.instructions += 1;
    }

    fn put_wide(&mut self, first: u16, second: u16) {
        self.code.extend([first, second]);
        self.instructions += 1;
    }

    /// One instruction without a branch, or a few that belong together.
    fn group(&mut self, random: &mut Random) {
        match random.below(24) {
            0..=9 => self.compute(random),
            10..=12 => self.access(random),
            13 => self.access_by_register(random),
            14 => self.access_many(random),
            15 => self.push_and_pop(random),
            16 => self.access_stack(random),
            17 | 18 => self.branch_if(random),
            19 => self.branch(random),
            20 => self.branch_to_register(random),
            21 => self.special_register(random),
            22 => self.hint_or_barrier(random),
            _ => self.literal(random),
        }
    }

    /// One instruction of 16 bits between registers.
    fn compute(&mut self, random: &mut Random) {
        let any = random.next() as u16;
        let half = match random.below(8) {
            0 => 0x2000 | any & 0x1FFF,               // MOVS, CMP, ADDS, SUBS with 8 bits
            1 => random.below(3) << 11 | any & 0x7FF, // shifts by a constant
            2 => 0x1800 | any & 0x7FF,                // ADDS, SUBS with a register or 3 bits
            3 | 4 => 0x4000 | any & 0x3FF,            // the sixteen operations on two registers
            5 => random.pick(&[0xB200, 0xB240, 0xB280, 0xB2C0, 0xBA00, 0xBA40, 0xBAC0]) | any & 0x3F,
            6 => random.pick(&[0xA000, 0xA800]) | any & 0x7FF, // addresses from PC or SP
            _ => Self::high_registers(random),
        };
        self.put(half);
    }

    fn high_registers(random: &mut Random) -> u16 {
        let operands = |to: u16, from: u16| (to & 8) << 4 | from << 3 | to & 7;
        match random.below(3) {
            0 => 0x4400 | operands(random.pick(&WRITABLE), random.below(16)), // ADD
            1 => {
                // CMP of two low registers has no such encoding, and none has the PC.
                let (high, other) = (8 + random.below(7), random.below(15));
                0x4500 | if random.below(2) == 0 { operands(high, other) } else { operands(other, high) }
            }
            _ => 0x4600 | operands(random.pick(&WRITABLE), random.below(16)), // MOV
        }
    }

    fn base_to(&mut self, register: u16) {
        self.put(0x4648 | register); // MOV register, r9
    }

    fn access(&mut self, random: &mut Random) {
        let base = random.below(8);
        self.base_to(base);
        let kind = random.pick(&[0x6000, 0x6800, 0x7000, 0x7800, 0x8000, 0x8800]);
        self.put(kind | random.below(32) << 6 | base << 3 | random.below(8));
    }

    fn access_by_register(&mut self, random: &mut Random) {
        let base = random.below(8);
        let offset = (base + 1 + random.below(7)) % 8;
        let kind = random.below(8); // STR STRH STRB LDRSB LDR LDRH LDRB LDRSH
        let scale = [4, 2, 1, 1, 4, 2, 1, 2][kind as usize];
        self.base_to(base);
        let distance = random.below(128 / scale) * scale;
        self.put(0x2000 | offset << 8 | distance);
        if random.below(2) == 0 {
            self.put(0x4240 | offset << 3 | offset); // RSBS: below the base
        }
        self.put(0x5000 | kind << 9 | offset << 6 | base << 3 | random.below(8));
    }

    fn access_many(&mut self, random: &mut Random) {
        let base = random.below(8);
        self.base_to(base);
        let mut list = 1 + random.below(255);
        if random.below(2) == 0 {
            // STM of a base that is not the lowest register stores what is not defined.
            if list & (1 << base) != 0 {
                list &= !((1 << base) - 1);
            }
            self.put(0xC000 | base << 8 | list);
        } else {
            self.put(0xC800 | base << 8 | list);
        }
    }

    fn push_and_pop(&mut self, random: &mut Random) {
        let pushed = 1 + random.below(255);
        let with_lr = random.below(2);
        self.put(0xB400 | with_lr << 8 | pushed);
        for _ in 0..random.below(3) {
            self.compute(random);
        }
        let mut count = pushed.count_ones() + u32::from(with_lr);
        if count > 8 {
            self.put(0xB001); // ADD sp, #4: there are no more than eight registers to pop into
            count = 8;
        }
        let mut popped = 0_u16;
        while popped.count_ones() < count {
            popped |= 1 << random.below(8);
        }
        self.put(0xBC00 | popped);
    }

    fn access_stack(&mut self, random: &mut Random) {
        let room = 1 + random.below(8);
        self.put(0xB080 | room);
        for _ in 0..=random.below(3) {
            self.put(random.pick(&[0x9000, 0x9800]) | random.below(8) << 8 | random.below(room));
        }
        self.put(0xB000 | room);
    }

    /// Instructions to branch over; how many halfwords they are.
    fn skipped(&mut self, random: &mut Random) -> Vec<u16> {
        let mut skipped = Self { code: Vec::new(), instructions: 0, literals: Vec::new() };
        for _ in 0..random.below(4) {
            skipped.compute(random);
        }
        self.instructions += skipped.instructions;
        skipped.code
    }

    fn branch_if(&mut self, random: &mut Random) {
        let skipped = self.skipped(random);
        // The distance counts from two halfwords on; -1 is the instruction that follows.
        self.put(0xD000 | random.below(14) << 8 | (skipped.len() as u16).wrapping_sub(1) & 0xFF);
        self.code.extend(skipped);
    }

    fn branch(&mut self, random: &mut Random) {
        let skipped = self.skipped(random);
        let length = skipped.len() as u16;
        if random.below(2) == 0 {
            self.put(0xE000 | length.wrapping_sub(1) & 0x7FF);
        } else {
            self.put_wide(0xF000, 0xF800 | length); // BL
        }
        self.code.extend(skipped);
    }

    fn branch_to_register(&mut self, random: &mut Random) {
        let register = random.below(8);
        let skipped = self.skipped(random);
        let bytes = 2 * skipped.len() as u16;
        let from_pc = |sequence: &mut Self, distance: u16| {
            sequence.put(0x4678 | register); // MOV register, pc
            sequence.put(0x3000 | register << 8 | distance); // ADDS
        };
        match random.below(5) {
            0 => {
                from_pc(self, bytes + 3);
                self.put(0x4700 | register << 3); // BX
            }
            1 => {
                from_pc(self, bytes + 3);
                self.put(0x4780 | register << 3); // BLX
            }
            2 => {
                from_pc(self, bytes + 2 + random.below(2));
                self.put(0x4687 | register << 3); // MOV pc
            }
            3 => {
                self.put(0x2000 | register << 8 | bytes);
                self.put(0x3800 | register << 8 | 2); // SUBS: may become -2
                self.put(0x4487 | register << 3); // ADD pc
            }
            _ => {
                from_pc(self, bytes + 5);
                self.put(0xB400 | 1 << register);
                self.put(0xBD00); // POP {pc}
            }
        }
        self.code.extend(skipped);
    }

    fn special_register(&mut self, random: &mut Random) {
        match random.below(4) {
            // MRS of the program status, the stack pointers, PRIMASK, CONTROL
            0 | 1 => {
                let special = random.pick(&[0, 1, 2, 3, 5, 6, 7, 8, 9, 16, 20]);
                self.put_wide(0xF3EF, 0x8000 | random.pick(&WRITABLE) << 8 | special);
            }
            2 => {
                // QEMU keeps bit 27, which is Q in other architectures and reserved here: make it 0.
                let register = random.below(8);
                self.put(0x0800 | 28 << 6 | register << 3 | register); // LSRS #28
                self.put(28 << 6 | register << 3 | register); // LSLS #28
                self.put_wide(0xF380 | register, 0x8800 | random.below(4)); // MSR of flags
            }
            _ => self.put_wide(0xF380 | random.pick(&WRITABLE), 0x8800 | random.pick(&[9, 16])), // PSP, PRIMASK
        }
    }

    fn hint_or_barrier(&mut self, random: &mut Random) {
        match random.below(8) {
            0 => self.put_wide(0xF3BF, 0x8F40 | 0xF), // DSB
            1 => self.put_wide(0xF3BF, 0x8F50 | 0xF), // DMB
            2 => self.put_wide(0xF3BF, 0x8F60 | 0xF), // ISB
            3 => self.put(0xB672),                    // CPSID i
            4 => {
                let misaligned = random.below(2); // by a word, which the frame then has to tell
                self.put(0xB662); // CPSIE i, without which SVC faults
                self.put(0xB080 | misaligned); // SUB sp
                self.put(0xDF00 | random.below(256));
                self.put(0xB000 | misaligned); // ADD sp
            }
            _ => self.put(random.pick(&[0xBF00, 0xBF10, 0xBF40])), // NOP YIELD SEV
        }
    }

    fn literal(&mut self, random: &mut Random) {
        self.literals.push((self.code.len(), random.word()));
        self.put(0x4800 | random.below(8) << 8);
    }

    /// Ends with a branch over the literals to what `sequences.S` puts behind.
    fn finish(&mut self) {
        let aligned = self.code.len() % 2 == 1;
        let literals = std::mem::take(&mut self.literals);
        self.put(0xE000 | (2 * literals.len() as u16 + u16::from(!aligned)).wrapping_sub(1) & 0x7FF);
        if !aligned {
            self.put(0xBF00);
        }
        for (place, value) in literals {
            let from = (place / 2 + 1) * 2; // the PC, two halfwords on, rounded down to a word
            self.code[place] |= ((self.code.len() - from) / 2) as u16;
            self.code.extend([value as u16, (value >> 16) as u16]);
        }
    }
}
