//! Reports of software errors.

use crate::core::address_log::{AddressLog, MAX_NAMED};
use crate::stm32h745::{SECOND, Time};
use std::collections::BTreeMap;
use std::fmt;

/// A software error: something that fails on the chip.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Report {
    /// The core, where it is known.
    pub core: Option<usize>,
    /// Address of the access, or of the register concerned.
    pub address: u32,
    /// When.
    pub time: Time,
    /// The error as a sentence.
    pub sentence: String,
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { core, address, time, sentence } = self;
        let (seconds, rest) = (time / SECOND, time % SECOND);
        write!(out, "{seconds}.{rest:012} s, ")?;
        if let Some(core) = core {
            write!(out, "core {core}, ")?;
        }
        write!(out, "{address:#010x}: {sentence}")
    }
}

/// Kinds of reports that are kept, at most: bounds the memory if each report differs.
pub const MAX_KINDS: usize = 256;

/// Core and sentence: reports of one kind differ in address and time only.
type Kind = (Option<usize>, String);

/// Reports: of each kind the first [`MAX_NAMED`] addresses, each once, and a count if there are more.
#[derive(Clone, Debug, Default, Hash)]
pub struct Reports {
    kinds: BTreeMap<Kind, AddressLog>,
    /// Errors of further kinds.
    others: u64,
    /// Address and time of the last error.
    last: (u32, Time),
}

impl Reports {
    /// Records an error, unless the same one of this core was recorded for this address.
    pub fn record(&mut self, core: Option<usize>, address: u32, time: Time, sentence: impl Into<String>) {
        let kind = (core, sentence.into());
        if self.kinds.len() < MAX_KINDS || self.kinds.contains_key(&kind) {
            self.kinds.entry(kind).or_default().note(address, time);
        } else {
            self.others += 1;
        }
        self.last = (address, time);
    }

    /// Takes the reports since the last call.
    pub fn take(&mut self) -> Vec<Report> {
        let mut all = Vec::new();
        let (last, latest) = self.last;
        for ((core, sentence), places) in &mut self.kinds {
            let report = |time, address, sentence| Report { core: *core, address, time, sentence };
            all.extend(places.take().into_iter().map(|(time, address)| report(time, address, sentence.clone())));
            all.extend(places.take_count().map(|count| {
                let rest =
                    format!("{count} times in all, at more than the {MAX_NAMED} addresses that are named: {sentence}");
                report(latest, last, rest)
            }));
        }
        let others = std::mem::take(&mut self.others);
        if others > 0 {
            let sentence = format!("{others} mistakes more, of other kinds than the {MAX_KINDS} that are reported");
            all.push(Report { core: None, address: last, time: latest, sentence });
        }
        all.sort_by_key(|report| report.time);
        all
    }
}
