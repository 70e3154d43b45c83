//! What each instruction cost.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/sim

use crate::core::time::Cycle;
use std::collections::BTreeMap;

/// What the executions of one instruction cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// How often it was executed.
    pub executed: u64,
    /// Cycles, up to the next instruction.
    pub cycles: Cycle,
    /// Those of them that were lost to another master.
    pub conflicts: Cycle,
    /// Those of them that were lost to wait states.
    pub waits: Cycle,
    /// Those of them that the core slept.
    pub asleep: Cycle,
}

/// Halfwords of a page.
const PAGE: usize = 256;
/// Pages that are found without a search.
const RECENT: usize = 64;

/// Costs of instructions, in pages of memory that hold any.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    /// By number of the page, the place of its first line.
    index: BTreeMap<u32, usize>,
    all: Vec<Line>,
    /// Pages by the last bits of their numbers: number and first place.
    recent: [(u32, usize); RECENT],
    /// Place of the instruction that is executed.
    current: usize,
}

impl Default for Lines {
    fn default() -> Self {
        // Time may have to be accounted for before the first instruction begins; no address has this page.
        Self { index: BTreeMap::new(), all: vec![Line::default(); PAGE], recent: [(u32::MAX, 0); RECENT], current: 0 }
    }
}

impl Lines {
    /// The instruction at an address, which is the current one from now on.
    #[inline(always)]
    pub fn at(&mut self, pc: u32) -> &mut Line {
        let number = pc / (2 * PAGE as u32);
        let (page, first) = self.recent[number as usize % RECENT];
        let first = if page == number { first } else { self.page(number) };
        self.current = first + pc as usize / 2 % PAGE;
        self.current()
    }

    /// The place of the first line of a page.
    #[cold]
    fn page(&mut self, number: u32) -> usize {
        let all = &mut self.all;
        let first = *self.index.entry(number).or_insert_with(|| {
            all.resize(all.len() + PAGE, Line::default());
            all.len() - PAGE
        });
        self.recent[number as usize % RECENT] = (number, first);
        first
    }

    /// The instruction at an address, while another one is executed.
    pub fn aside(&mut self, pc: u32) -> &mut Line {
        let current = self.current;
        self.at(pc);
        let place = std::mem::replace(&mut self.current, current);
        &mut self.all[place]
    }

    /// The current instruction.
    #[inline(always)]
    pub fn current(&mut self) -> &mut Line {
        &mut self.all[self.current]
    }

    /// All that were executed, by address.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Line)> {
        self.index.iter().flat_map(|(&number, &first)| {
            let lines = self.all[first..first + PAGE].iter().enumerate();
            lines
                .filter(|(_, line)| line.executed > 0)
                .map(move |(at, line)| (number * 2 * PAGE as u32 + 2 * at as u32, line))
        })
    }
}
