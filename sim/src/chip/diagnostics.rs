//! What firmware does that the model cannot follow or the datasheet warns of, told to whoever runs it.

use super::clock::Cycle;
use std::collections::{BTreeMap, BTreeSet};

/// What firmware did that the chip would not have liked or that is not modelled; each place is told once.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    told: BTreeSet<(&'static str, u32, &'static str)>,
    blocks: BTreeMap<&'static str, u64>,
    /// Sentences not yet taken.
    pub pending: Vec<String>,
}

impl Diagnostics {
    /// Tells of the first access to a block of which nothing is modelled, and counts all of them.
    pub fn unmodelled_block(&mut self, block: &'static str, now: Cycle) {
        let accesses = self.blocks.entry(block).or_default();
        *accesses += 1;
        if *accesses == 1 {
            self.pending.push(format!(
                "cycle {now}: {block} is not modelled: its registers read as 0 and ignore writes (further accesses are counted)"
            ));
        }
    }

    /// By block of which nothing is modelled, how often firmware accessed it; those without an access are left out.
    #[must_use]
    pub fn unmodelled_blocks(&self) -> &BTreeMap<&'static str, u64> {
        &self.blocks
    }

    /// Tells, the first time, of something that firmware turns on and that is not modelled.
    pub fn ignored(&mut self, block: &'static str, what: &'static str, now: Cycle) {
        if self.told.insert((block, 0, what)) {
            self.pending.push(format!("cycle {now}: {block} is not modelled: {what}"));
        }
    }

    /// Tells of an access to a register that is not modelled.
    pub fn unmodelled(&mut self, block: &'static str, offset: u32, what: &'static str, now: Cycle) {
        if self.told.insert((block, offset, what)) {
            self.pending.push(format!(
                "cycle {now}: {what} {block} offset {offset:#05x} is not modelled; it reads as 0 and ignores writes"
            ));
        }
    }

    /// Tells of something that firmware did with a register and that the datasheet warns of.
    pub fn misuse(&mut self, block: &'static str, offset: u32, what: &'static str, now: Cycle) {
        if self.told.insert((block, offset, what)) {
            self.pending.push(format!("cycle {now}: {block} offset {offset:#05x}: {what}"));
        }
    }
}
