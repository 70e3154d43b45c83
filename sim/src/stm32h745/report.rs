//! Mistakes of software, told to whoever runs it.

use super::{SECOND, Time};
use std::collections::BTreeSet;
use std::fmt;

/// What software did that the chip would not forgive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Report {
    /// The core that did it, where one can be named.
    pub core: Option<usize>,
    /// The address of the access, or of the register that the mistake is in.
    pub address: u32,
    /// When.
    pub time: Time,
    /// What it did, as a sentence for people.
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

/// Different reports that are kept: software that makes a new mistake each time does not fill the memory.
const KEPT: usize = 1000;

/// Reports, each of which is told once.
#[derive(Clone, Debug, Default, Hash)]
pub struct Reports {
    told: BTreeSet<(Option<usize>, u32, String)>,
    pending: Vec<Report>,
}

impl Reports {
    /// Tells of a mistake, unless the same core was told the same about the same address.
    pub fn tell(&mut self, core: Option<usize>, address: u32, time: Time, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if self.told.len() < KEPT && self.told.insert((core, address, sentence.clone())) {
            self.pending.push(Report { core, address, time, sentence });
        }
    }

    /// Reports since the last call.
    pub fn take(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.pending)
    }
}
