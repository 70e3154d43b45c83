//! What firmware does that the model cannot follow or the datasheet warns of, told to whoever runs it.

use super::clock::Cycle;
use std::collections::BTreeSet;

/// What firmware did that the chip would not have liked or that is not modelled; each place is told once.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    told: BTreeSet<(&'static str, u32, &'static str)>,
    /// Sentences not yet taken.
    pub pending: Vec<String>,
}

impl Diagnostics {
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
