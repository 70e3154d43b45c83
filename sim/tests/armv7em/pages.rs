//! What a core remembers of pages changes nothing: where the bus offers pages of memory, it does in each step what it does
//! where each access is looked at, whatever its code does to itself, to the MPU, the privilege or FAULTMASK.

use super::bench::{BX_LR, Bench, CCR, CODE, DATA, HANDLERS, SHCSR, STACK, SV_CALL};
use super::memory::{Memory, RAM, models};
use crate::random::Random;
use intercore_sim::core::access::Width;
use intercore_sim::core::register::Register;
use intercore_sim::core::state_hash::StableHasher;
use intercore_sim::isa::armv7em::Processor;
use intercore_sim::isa::armv7em::bus::{self, Bus, BusError, Event, PAGE};
use intercore_sim::isa::armv7em::model::Model;
use proptest::prelude::*;
use std::hash::{Hash, Hasher};

const MPU: u32 = 0xe000_ed90;
/// The page that cannot be written.
const CONSTANTS: u32 = 0x7000;
/// Places of pages of RAM.
const IN_RAM: u32 = 1 << 20;

/// Memories with or without pages, and what the core has reported.
struct Paged {
    memory: Memory,
    offers_pages: bool,
    events: Vec<Event>,
}

impl Paged {
    fn address(place: u32) -> u32 {
        if place & IN_RAM == 0 { place } else { RAM + (place - IN_RAM) }
    }
}

impl Bus for Paged {
    fn fetch(&mut self, address: u32) -> Result<u16, BusError> {
        self.memory.fetch(address)
    }

    fn read(&mut self, address: u32, width: Width) -> Result<u32, BusError> {
        self.memory.read(address, width)
    }

    fn write(&mut self, address: u32, width: Width, value: u32) -> Result<(), BusError> {
        if address & !(PAGE - 1) == CONSTANTS {
            return Err(BusError);
        }
        self.memory.write(address, width, value)
    }

    fn memory(&self, page: u32) -> Option<bus::Memory> {
        let (begin, place, bytes) =
            if page < RAM { (0, 0, self.memory.low.len()) } else { (RAM, IN_RAM, self.memory.ram.len()) };
        let there = self.offers_pages && ((page - begin) as usize) < bytes;
        there.then_some(bus::Memory { place: place + (page - begin), writable: page != CONSTANTS })
    }

    fn fetch_at(&self, place: u32) -> u32 {
        let (memory, offset) =
            if place & IN_RAM == 0 { (&self.memory.low, place) } else { (&self.memory.ram, place - IN_RAM) };
        memory[offset as usize..].first_chunk().map_or(0, |&bytes| u32::from_le_bytes(bytes))
    }

    fn read_at(&mut self, place: u32, address: u32, width: Width) -> u32 {
        assert_eq!(Self::address(place), address);
        self.memory.read(address, width).expect("memory")
    }

    fn write_at(&mut self, place: u32, address: u32, width: Width, value: u32) {
        assert_eq!(Self::address(place), address);
        self.memory.write(address, width, value).expect("memory");
    }

    fn observe(&mut self, event: Event) {
        self.events.push(event);
    }
}

/// A region of some kind somewhere where the program is or its data are.
fn region(random: &mut Random) -> [(u32, u32); 2] {
    let base = random.pick(&[0, CODE, HANDLERS, DATA, RAM, CONSTANTS, STACK - 0x100]);
    let size = random.pick(&[5, 8, 10, 12, 13, 15, 31]);
    let access = random.pick(&[3, 3, 3, 1, 2, 6, 0]) << 24 | u32::from(random.under(8) == 0) << 28;
    let attributes = access | random.under(64) << 16 | random.under(4) << 8 | (size - 1) << 1 | 1;
    let number = random.under(8);
    [(MPU + 0xc, base & !((1 << size) - 1) | 0x10 | number), (MPU + 0x10, attributes)]
}

/// An instruction, or anything at all.
fn instruction(random: &mut Random) -> Vec<u16> {
    match random.under(16) {
        // LDR, STR, LDRB, STRH with base r0 to r7 and small offsets; of which some change code or the MPU
        0..=5 => {
            let operation = random.pick(&[0x6800, 0x6000, 0x7800, 0x8000]);
            vec![(operation | random.under(4) << 6 | random.under(64)) as u16]
        }
        // MSR CONTROL, FAULTMASK, PRIMASK, r0 to r7
        6 => vec![0xf380 | random.under(8) as u16, 0x8800 | random.pick(&[20, 19, 16])],
        // DSB, ISB, DMB
        7 => vec![0xf3bf, random.pick(&[0x8f4f, 0x8f6f, 0x8f5f])],
        // CPSID f, CPSIE f, SVC, PUSH, POP
        8 => vec![random.pick(&[0xb671, 0xb661, 0xdf00, 0xb4ff, 0xbcff])],
        // LDRT and STRT
        9 => vec![random.pick(&[0xf850, 0xf840]) | random.under(8) as u16, 0x0e00 | (random.under(8) << 12) as u16],
        // STM, LDM
        10 => vec![random.pick(&[0xc000, 0xc800]) | random.under(0x800) as u16],
        11 => vec![random.next() as u16, random.next() as u16],
        _ => vec![random.under(0xb000) as u16],
    }
}

struct Pair {
    cores: [(Processor, Paged); 2],
}

impl Pair {
    fn new(model: Model, random: &mut Random) -> Self {
        let code: Vec<u16> = (0..0x200).flat_map(|_| instruction(random)).collect();
        let cores = [false, true].map(|offers_pages| {
            let mut bench = Bench::new(model, &[]);
            // MSR CONTROL, r0
            bench.handler(SV_CALL, &[0xf380, 0x8814, BX_LR]);
            let Bench { mut memory, processor } = bench;
            // Up to the end of the page and into the next one.
            for (half, at) in code.iter().zip((0x1e00..0x1ffe).step_by(2)) {
                memory.low[at..at + 2].copy_from_slice(&half.to_le_bytes());
            }
            (processor, Paged { memory, offers_pages, events: Vec::new() })
        });
        let mut pair = Self { cores };
        pair.poke(SHCSR, 7 << 16);
        pair
    }

    fn poke(&mut self, address: u32, value: u32) {
        for (processor, _) in &mut self.cores {
            processor.poke_system_control(address, value);
        }
    }

    /// What a debugger does, or what the next instructions need to find something.
    fn disturb(&mut self, random: &mut Random) {
        match random.under(6) {
            0 => region(random).into_iter().for_each(|(address, value)| self.poke(address, value)),
            1 => self.poke(MPU + 4, random.pick(&[0, 1, 4, 5, 5, 7, 7])),
            2 => self.poke(CCR, 1 << 9 | random.under(2) << 16),
            3 => self.set(Register::Faultmask, random.under(2)),
            _ => {
                let places = [CODE, 0x1f00, 0x1ff8, DATA, STACK, RAM, CONSTANTS, MPU + 4, MPU + 0xc, 0xe000_ef50, 1, 0];
                let register = random.under(8) as u8;
                self.set(Register::R(register), random.pick(&places) + random.under(3) * random.under(9));
            }
        }
    }

    fn set(&mut self, register: Register, value: u32) {
        for (processor, _) in &mut self.cores {
            processor.poke_register(register, u64::from(value));
        }
    }

    fn send_to(&mut self, address: u32) {
        for (processor, _) in &mut self.cores {
            processor.send_to(address);
        }
    }

    /// A step of both, and what each has done.
    fn step(&mut self) -> [(String, Vec<Event>); 2] {
        self.cores
            .each_mut()
            .map(|(processor, bus)| (format!("{:?}", processor.step(bus)), std::mem::take(&mut bus.events)))
    }

    /// The state of each, which takes longer to hash than a step takes.
    fn states(&self) -> [u64; 2] {
        self.cores.each_ref().map(|(processor, _)| {
            let mut hasher = StableHasher::default();
            processor.hash(&mut hasher);
            hasher.finish()
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn pages_change_nothing(seed in any::<u64>(), m7 in any::<bool>()) {
        let mut random = Random(seed);
        let mut pair = Pair::new(models()[usize::from(m7)].1, &mut random);
        for count in 0..1500 {
            if random.under(4) == 0 {
                pair.disturb(&mut random);
            }
            if count % 16 == 0 {
                pair.send_to(0x1e00 + 2 * random.under(0x100));
            }
            let [plain, paged] = pair.step();
            prop_assert_eq!(plain, paged, "step {}", count);
            if count % 10 == 9 {
                let [plain, paged] = pair.states();
                prop_assert_eq!(plain, paged, "after step {}", count);
            }
        }
        let [plain, paged] = &pair.cores;
        prop_assert!(plain.1.memory.low == paged.1.memory.low && plain.1.memory.ram == paged.1.memory.ram);
    }
}
