//! What is run: for each core, rounds of the same work without end. After each round a core stores the round's checksum
//! and, in the next word, adds one to its number of rounds.

use crate::simulators::{Entry, Simulator};

/// A matrix product, a sort and a CRC: position-independent code of gcc -O2. R0 is its data.
const KERNEL: &[u32] = &include!("kernel.in");
/// Where in its data the kernel stores the checksum of a round.
const CHECKSUM: u32 = 0x1f3c;
const STACKS: u32 = 0x2004_1000;

/// Puts a program into a simulator and starts it.
pub type Start = Box<dyn Fn(&mut dyn Simulator)>;

/// Whether a round is the same instructions however long they take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Same,
    /// Or as many as there is time for, so that simulators that differ in time cannot be compared.
    ByTime,
}

/// What runs a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Chip {
    Rp2040,
    /// Its RISC-V cores, which no other simulator has.
    Rp2350,
}

pub struct Case {
    pub name: &'static str,
    pub chip: Chip,
    /// By core, where the checksum of its last round is; as many as there are cores at work.
    pub results: Vec<u32>,
    pub work: Work,
    pub start: Start,
}

/// The kernel on each core, in four places that differ in how much the cores meet.
pub fn kernels() -> Vec<Case> {
    let striped = [0x2000_0000, 0x2000_8000];
    let data = [0x2001_0000, 0x2002_0000];
    vec![
        kernel("one core, striped SRAM", &striped[..1], &data[..1]),
        kernel("both cores, striped SRAM", &striped, &data),
        kernel("both cores, one copy of the code", &[striped[0]; 2], &data),
        kernel("both cores, banks of their own", &[0x2100_0000, 0x2102_0000], &[0x2101_0000, 0x2103_0000]),
    ]
}

fn kernel(name: &'static str, code: &[u32], data: &[u32]) -> Case {
    let places: Vec<(u32, u32)> = code.iter().copied().zip(data.iter().copied()).collect();
    let results = data.iter().map(|data| data + CHECKSUM).collect();
    let start = move |simulator: &mut dyn Simulator| {
        let bytes: Vec<u8> = KERNEL.iter().flat_map(|word| word.to_le_bytes()).collect();
        for (core, stack) in (0..places.len()).zip((STACKS..).step_by(0x1000)) {
            let (code, argument) = places[core];
            simulator.load(code, &bytes);
            simulator.start(&Entry { core, code, stack, argument });
        }
    };
    Case { name, chip: Chip::Rp2040, results, work: Work::Same, start: Box::new(start) }
}
