//! What the cores had done by the times at which a place was executed.

use crate::core::chip::Chip;
use crate::core::statistics::Statistics;
use crate::core::time::Cycle;

/// One time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The chip's time up to which everything had happened.
    pub at: Cycle,
    /// The core that was about to execute the instruction.
    pub core: u8,
    /// Its registers r0 to r3: at the first instruction of a function, what it is called with.
    pub arguments: [u32; 4],
    /// Of core 0 and core 1.
    pub statistics: [Statistics; 2],
}

/// An instruction, and the times at which it was about to be executed since the tally was placed.
#[derive(Clone, Debug)]
pub struct Tally {
    address: u32,
    counts: Vec<Count>,
    /// Times that were not kept.
    lost: u64,
}

/// Times that a tally keeps until somebody takes them: 15 MB, and more than a measurement has.
pub const KEPT_COUNTS: usize = 1 << 15;

impl Tally {
    /// Has the chip stop before the instruction at `address`: whoever runs it is to tell `pass` and to go on.
    pub fn new(chip: &mut impl Chip, address: u32) -> Self {
        chip.watch_mut().add_breakpoint(address);
        Self { address: address & !1, counts: Vec::new(), lost: 0 }
    }

    /// Counts if this is where a core stands; whether it is.
    pub fn pass<C: Chip>(&mut self, chip: &C, core: u8, pc: u32) -> bool {
        if pc != self.address {
            return false;
        }
        if self.counts.len() >= KEPT_COUNTS {
            self.lost += 1;
            return true;
        }
        self.counts.push(Count {
            at: chip.now(),
            core,
            arguments: [0, 1, 2, 3]
                .map(|number| chip.register(usize::from(core), C::REGISTERS.argument(number)) as u32),
            statistics: [0, 1].map(|number| chip.statistics(number)),
        });
        true
    }

    /// Takes the counts, the first [`KEPT_COUNTS`], and how many times came after those.
    pub fn take(&mut self) -> (Vec<Count>, u64) {
        (std::mem::take(&mut self.counts), std::mem::take(&mut self.lost))
    }
}
