//! The model: what each core asks of the bus in each of its cycles, and one arbiter per port, advanced cycle by cycle.
//!
//! It is written from the documents and knows nothing of the simulator. TRM is the Cortex-M0+ technical reference manual
//! (DDI 0484C), DS the RP2040 datasheet. What it shares with the simulator are the inferences of `docs/simulator.md`, "When
//! a core fetches": no document gives them.

use std::collections::HashMap;

/// One core cycle: what it puts on the bus, and whether the program reads `SysTick` in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slot {
    pub access: Option<Access>,
    pub stamp: bool,
}

/// An address on the AHB-Lite port.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub address: u32,
    pub write: bool,
}

impl Slot {
    pub const IDLE: Self = Self { access: None, stamp: false };

    pub fn fetch(address: u32) -> Self {
        Self::read(address & !3)
    }

    pub fn read(address: u32) -> Self {
        Self { access: Some(Access { address, write: false }), stamp: false }
    }

    pub fn write(address: u32) -> Self {
        Self { access: Some(Access { address, write: true }), stamp: false }
    }
}

/// The ports that masters share (DS 2.1.1), numbered as the simulator numbers them in its statistics; `None` for what is
/// inside a core: SIO and the private peripheral bus (DS 2.4.3.4).
pub fn port(address: u32) -> Option<usize> {
    let linear = |base: u32| 2 + (address - base) as usize / 0x1_0000;
    match address {
        0x0000_0000..0x0000_4000 => Some(0),
        0x1000_0000..0x1900_0000 => Some(1),
        // Word-striped over SRAM0 to 3: table 153.
        0x2000_0000..0x2004_0000 => Some(2 + (address as usize / 4) % 4),
        0x2004_0000..0x2004_1000 => Some(6),
        0x2004_1000..0x2004_2000 => Some(7),
        0x2100_0000..0x2104_0000 => Some(linear(0x2100_0000)),
        0x5000_0000..0x5050_0000 => Some(8),
        0x4000_0000..0x4007_0000 => Some(9),
        _ => None,
    }
}

const PORTS: usize = 10;

/// The flash behind the XIP port.
pub struct Flash {
    /// Cycles of a word on the wire.
    wire: u64,
    /// Lines of each set, the one used last at the end: tag, and which of its two words are there.
    sets: HashMap<u32, Vec<(u32, [bool; 2])>>,
}

impl Flash {
    /// A flash that takes `wire` cycles to give a word, with an empty cache before it.
    pub fn new(wire: u64) -> Self {
        Self { wire, sets: HashMap::new() }
    }

    /// Cycles of the data phase of a read. 16 kB in two ways of 8-byte lines, 1 cycle on a hit (DS 2.6.3.1); a miss fills one
    /// 4-byte word (pico-feedback issue 307); an empty way, else the one used least recently, is used (assumption).
    fn read(&mut self, address: u32) -> u64 {
        if address >> 24 != 0x10 {
            return 1 + self.wire;
        }
        let (word, tag) = ((address / 4 % 2) as usize, address / 8192);
        let set = self.sets.entry(address / 8 % 1024).or_default();
        let mut line = match set.iter().position(|line| line.0 == tag) {
            Some(way) => set.remove(way),
            None => (tag, [false; 2]),
        };
        let hit = std::mem::replace(&mut line.1[word], true);
        set.push(line);
        if set.len() > 2 {
            set.remove(0);
        }
        if hit { 1 } else { 1 + self.wire }
    }

    /// Cycles of the data phase of any access.
    fn cycles(&mut self, access: Access) -> u64 {
        match (port(access.address), access.write) {
            (Some(1), false) => self.read(access.address),
            (Some(1), true) => {
                // Deletes the line (DS 2.6.3.2, table 155).
                self.sets.entry(access.address / 8 % 1024).or_default().retain(|line| line.0 != access.address / 8192);
                1
            }
            // APB: two cycles, and the bridge adds one to reads and two to writes (DS 2.1.3).
            (Some(9), false) => 3,
            (Some(9), true) => 4,
            _ => 1,
        }
    }
}

/// A copy by DMA, one word per transfer, unpaced. That a read is asked for in the cycle after the trigger, and a write two cycles
/// after its read was granted, was measured; that four words fit between them is an assumption.
#[derive(Clone, Debug)]
pub struct Copy {
    pub from: u32,
    pub to: u32,
    pub words: usize,
}

impl Copy {
    fn read(&self, word: usize) -> Option<Access> {
        (word < self.words).then(|| Access { address: self.from + 4 * word as u32, write: false })
    }

    fn write(&self, word: usize) -> Access {
        Access { address: self.to + 4 * word as u32, write: true }
    }
}

/// A master on the bus.
#[derive(Default)]
struct Master {
    /// First cycle in which it may ask.
    ready: u64,
    done: usize,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Cycles in which each core read `SysTick`.
    pub stamps: [Vec<u64>; 2],
    /// Cycles that each core has waited for another master, by port.
    pub lost: [[u64; PORTS]; 2],
}

/// Runs both cores from the cycles `start` on, and the DMA from cycle 0 on, until the cores are done; `high` are the masters
/// of high priority.
pub fn run(cores: [&[Slot]; 2], start: [u64; 2], high: u8, copy: Option<&Copy>, mut flash: Flash) -> Outcome {
    let mut outcome = Outcome::default();
    let mut masters: [Master; 4] = Default::default();
    for (master, ready) in masters.iter_mut().zip([start[0], start[1], 1, 0]) {
        master.ready = ready;
    }
    // From which cycle on each word that the DMA has read can be written.
    let mut read: Vec<u64> = Vec::new();
    let mut busy = [0; PORTS];
    let mut last = [2; PORTS];
    for cycle in 0.. {
        let ready: Vec<usize> = (0..4).filter(|&i| masters[i].ready <= cycle).collect();
        let mut wanted: [Option<Access>; 4] = [None; 4];
        for &i in &ready {
            wanted[i] = match i {
                0 | 1 => cores[i].get(masters[i].done).and_then(|slot| slot.access),
                2 => {
                    // A word leaves when its write is over.
                    let written = masters[3].done - usize::from(masters[3].ready > cycle);
                    copy.filter(|_| read.len() - written < 4).and_then(|copy| copy.read(read.len()))
                }
                _ => copy
                    .filter(|_| read.get(masters[3].done).is_some_and(|&from| from <= cycle))
                    .map(|copy| copy.write(masters[3].done)),
            };
        }
        let asks = wanted.map(|access| access.and_then(|access| port(access.address)));
        for &i in &ready {
            if asks[i].is_some_and(|port| busy[port] > cycle || winner(asks, port, high, last[port]) != i) {
                if i < 2 {
                    outcome.lost[i][asks[i].unwrap_or(0)] += 1;
                }
                continue;
            }
            if i >= 2 && wanted[i].is_none() {
                continue;
            }
            if i < 2 && cores[i].get(masters[i].done).is_some_and(|slot| slot.stamp) {
                outcome.stamps[i].push(cycle);
            }
            let cycles = wanted[i].map_or(1, |access| flash.cycles(access));
            masters[i].ready = cycle + cycles;
            masters[i].done += 1;
            if i == 2 {
                read.push(cycle + cycles + 1);
            }
        }
        for &i in &ready {
            if let Some(port) = asks[i].filter(|_| masters[i].ready > cycle) {
                (busy[port], last[port]) = (masters[i].ready, i);
            }
        }
        if (0..2).all(|i| masters[i].done >= cores[i].len()) {
            return outcome;
        }
    }
    unreachable!("cycles have no end")
}

/// The order in which masters have their turn: both cores, the writes of the DMA, its reads.
const TURNS: [usize; 4] = [0, 1, 3, 2];

/// Who gets a port: high priority first; among equals the next in the ring after the one last granted (DS 2.1.1.1).
fn winner(asks: [Option<usize>; 4], port: usize, high: u8, last: usize) -> usize {
    let turn = TURNS.iter().position(|&i| i == last).unwrap_or(0);
    let ring: Vec<usize> = (1..=4).map(|step| TURNS[(turn + step) % 4]).filter(|&i| asks[i] == Some(port)).collect();
    ring.iter().copied().find(|&i| high >> i & 1 == 1).unwrap_or(ring[0])
}
