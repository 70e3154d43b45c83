//! What firmware does that the model cannot follow or the datasheet warns of, for whoever runs it.

use crate::core::address_log::{AddressLog, MAX_NAMED};
use crate::core::time::Cycle;
use std::collections::BTreeMap;

/// What is wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Problem {
    /// Nothing of the block is modelled.
    Block,
    /// What the access turns on is not modelled.
    Feature,
    /// The register is not modelled.
    Register,
    /// The datasheet warns of it.
    Misuse,
    /// More is sent than is kept.
    Output,
}

/// A block, and what was done with it: together with what is wrong, a kind of note.
type Kind = (Problem, &'static str, &'static str);

/// What firmware did that the chip would not have liked or that is not modelled: notes of a bounded number of places.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    kinds: BTreeMap<Kind, AddressLog>,
}

impl Diagnostics {
    fn note(&mut self, kind: Kind, offset: u32, now: Cycle) {
        self.kinds.entry(kind).or_default().note(offset, now);
    }

    /// Notes the first access to a block of which nothing is modelled, and counts all of them.
    pub fn unmodelled_block(&mut self, block: &'static str, now: Cycle) {
        self.note((Problem::Block, block, ""), 0, now);
    }

    /// By block of which nothing is modelled, how often firmware accessed it; those without an access are left out.
    #[must_use]
    pub fn unmodelled_blocks(&self) -> BTreeMap<&'static str, u64> {
        let blocks = self.kinds.iter().filter(|((problem, ..), _)| *problem == Problem::Block);
        blocks.map(|((_, block, _), places)| (*block, places.accesses())).collect()
    }

    /// Notes, the first time, something that firmware turns on and that is not modelled.
    pub fn ignored(&mut self, block: &'static str, what: &'static str, now: Cycle) {
        self.note((Problem::Feature, block, what), 0, now);
    }

    /// Notes an access to a register that is not modelled.
    pub fn unmodelled(&mut self, block: &'static str, offset: u32, what: &'static str, now: Cycle) {
        self.note((Problem::Register, block, what), offset, now);
    }

    /// Notes something that firmware did with a register and that the datasheet warns of.
    pub fn misuse(&mut self, block: &'static str, offset: u32, what: &'static str, now: Cycle) {
        self.note((Problem::Misuse, block, what), offset, now);
    }

    /// Notes, the first time, that nobody has taken what was sent, so that some of it is lost.
    pub fn output_lost(&mut self, by: &'static str, what: &'static str, now: Cycle) {
        self.note((Problem::Output, by, what), 0, now);
    }

    /// Notes that were not taken yet as sentences, in the order of time: each place once, and of each kind the first
    /// [`MAX_NAMED`] places.
    #[must_use]
    pub fn pending(&self) -> Vec<String> {
        let fresh = |(&kind, places): (&Kind, &AddressLog)| {
            places.fresh().map(move |(cycle, offset)| (cycle, kind, offset)).collect::<Vec<_>>()
        };
        let mut notes: Vec<_> = self.kinds.iter().flat_map(fresh).collect();
        notes.sort_unstable();
        notes.into_iter().map(|(cycle, kind, offset)| sentence(cycle, kind, offset)).collect()
    }

    /// Takes those.
    pub fn take(&mut self) -> Vec<String> {
        let notes = self.pending();
        for places in self.kinds.values_mut() {
            places.take();
        }
        notes
    }

    /// Sentences on the kinds of which there are more places than are named, if there was an access since the last call.
    pub fn take_counts(&mut self) -> Vec<String> {
        let counts = self.kinds.iter_mut().filter_map(|(&(problem, block, what), places)| {
            let accesses = places.take_count()?;
            let what =
                if problem == Problem::Register { format!("{what} {block}") } else { format!("{block}: {what}") };
            Some(format!("{what}: {accesses} times in all, at more than the {MAX_NAMED} offsets that are named"))
        });
        counts.collect()
    }
}

fn sentence(cycle: Cycle, (problem, block, what): Kind, offset: u32) -> String {
    let note = match problem {
        Problem::Block => {
            format!("{block} is not modelled: its registers read as 0 and ignore writes (further accesses are counted)")
        }
        Problem::Feature => format!("{block} is not modelled: {what}"),
        Problem::Register => {
            format!("{what} {block} offset {offset:#05x} is not modelled; it reads as 0 and ignores writes")
        }
        Problem::Misuse => format!("{block} offset {offset:#05x}: {what}"),
        Problem::Output => format!("{block}: {what}"),
    };
    format!("cycle {cycle}: {note}")
}
