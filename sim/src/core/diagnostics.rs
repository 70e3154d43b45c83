//! Diagnostics of firmware: accesses that are not modelled, or that the datasheet warns of.

use crate::core::address_log::{AddressLog, MAX_NAMED};
use crate::core::time::Cycle;
use std::collections::BTreeMap;

/// What is wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Problem {
    /// The feature that the access enables is not modelled.
    Feature,
    /// The register is not modelled.
    Register,
    /// The datasheet warns of it.
    Misuse,
    /// Output was dropped.
    Output,
    /// What is outside does not get on with the program.
    Remark,
    /// A device that is no block of registers was sent a command, which stands for the offset, and does nothing.
    Command,
    /// The boot ROM has nothing of that code, which stands for the offset.
    Lookup,
}

/// A kind of diagnostic: problem, block, and message.
type Kind = (Problem, &'static str, &'static str);

/// Diagnostics, bounded in number.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    kinds: BTreeMap<Kind, AddressLog>,
}

impl Diagnostics {
    fn note(&mut self, kind: Kind, offset: u32, now: Cycle) {
        self.kinds.entry(kind).or_default().note(offset, now);
    }

    /// How often the program used what is not modelled, by block: registers, features, commands, functions of the boot ROM.
    pub fn unmodelled_uses(&self) -> BTreeMap<&'static str, u64> {
        let mut uses = BTreeMap::new();
        for ((problem, block, _), places) in &self.kinds {
            if !matches!(problem, Problem::Misuse | Problem::Output | Problem::Remark) {
                *uses.entry(*block).or_default() += places.accesses();
            }
        }
        uses
    }

    /// How often any of them was noted.
    pub(crate) fn count(&self) -> u64 {
        self.kinds.values().map(AddressLog::accesses).sum()
    }

    /// Notes, the first time, that firmware enables a feature that is not modelled.
    pub fn ignored(&mut self, block: &'static str, what: &'static str, now: Cycle) {
        self.note((Problem::Feature, block, what), 0, now);
    }

    /// Notes an access to a register that is not modelled.
    pub fn unmodelled(&mut self, block: &'static str, offset: u32, what: &'static str, now: Cycle) {
        self.note((Problem::Register, block, what), offset, now);
    }

    /// Notes a use of a register that the datasheet warns of.
    pub fn misuse(&mut self, block: &'static str, offset: u32, what: &'static str, now: Cycle) {
        self.note((Problem::Misuse, block, what), offset, now);
    }

    /// Notes, the first time, that output was not taken in time and is lost.
    pub fn output_lost(&mut self, by: &'static str, what: &'static str, now: Cycle) {
        self.note((Problem::Output, by, what), 0, now);
    }

    /// Notes, the first time, what is outside of the chip has met with.
    pub fn remark(&mut self, block: &'static str, what: &'static str, now: Cycle) {
        self.note((Problem::Remark, block, what), 0, now);
    }

    /// Notes a command to a device beside the chip that does not do what it is for.
    pub fn command(&mut self, device: &'static str, command: u8, what: &'static str, now: Cycle) {
        self.note((Problem::Command, device, what), command.into(), now);
    }

    /// Notes that firmware looked up a code of two letters, the first in the lowest byte, that the boot ROM does not have.
    pub fn not_in_rom(&mut self, code: u32, now: Cycle) {
        self.note((Problem::Lookup, "boot ROM", ""), code, now);
    }

    /// Diagnostics not taken yet as sentences, in order of time: each offset once, and of each kind the first [`MAX_NAMED`]
    /// offsets.
    pub fn pending(&self) -> Vec<String> {
        let fresh = |(&kind, places): (&Kind, &AddressLog)| {
            places.fresh().map(move |(cycle, offset)| (cycle, kind, offset)).collect::<Vec<_>>()
        };
        let mut notes: Vec<_> = self.kinds.iter().flat_map(fresh).collect();
        notes.sort_unstable();
        notes.into_iter().map(|(cycle, kind, offset)| sentence(cycle, kind, offset)).collect()
    }

    /// Uses of registers that the datasheet warns of, not taken yet: cycle, block, offset, and what is wrong.
    pub fn misuses(&self) -> Vec<(Cycle, &'static str, u32, &'static str)> {
        let misuses = self.kinds.iter().filter(|((problem, ..), _)| *problem == Problem::Misuse);
        let mut all: Vec<_> = misuses
            .flat_map(|(&(_, block, what), places)| places.fresh().map(move |(cycle, at)| (cycle, block, at, what)))
            .collect();
        all.sort_unstable();
        all
    }

    /// Takes them.
    pub fn take(&mut self) -> Vec<String> {
        let notes = self.pending();
        for places in self.kinds.values_mut() {
            places.take();
        }
        notes
    }

    /// Sentences on kinds at more offsets than are named, if there was an access since the last call.
    pub fn take_suppressed_counts(&mut self) -> Vec<String> {
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
        Problem::Feature => format!("{block} is not modelled: {what}"),
        Problem::Register => {
            format!("{what} {block} offset {offset:#05x} is not modelled; it reads as 0 and ignores writes")
        }
        Problem::Misuse => format!("{block} offset {offset:#05x}: {what}"),
        Problem::Output | Problem::Remark => format!("{block}: {what}"),
        Problem::Command => format!("{block}: command {offset:02X}h {what}"),
        Problem::Lookup => {
            let letters: String = offset.to_le_bytes()[..2].iter().map(|&byte| byte as char).collect();
            format!("the {block} has no function or data '{}': the answer is 0", letters.escape_default())
        }
    };
    format!("cycle {cycle}: {note}")
}
