//! What each instruction cost.

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
    index: BTreeMap<u32, usize>,
    pages: Vec<Box<[Line; PAGE]>>,
    /// Pages by the last bits of their numbers: number and place.
    recent: [(u32, usize); RECENT],
    /// Place of the instruction that is executed.
    current: (usize, usize),
}

impl Default for Lines {
    fn default() -> Self {
        // Time may have to be accounted for before the first instruction begins; no address has this page.
        Self {
            index: BTreeMap::new(),
            pages: vec![Box::new([Line::default(); PAGE])],
            recent: [(u32::MAX, 0); RECENT],
            current: (0, 0),
        }
    }
}

impl Lines {
    /// The instruction at an address, which is the current one from now on.
    #[inline]
    pub fn at(&mut self, pc: u32) -> &mut Line {
        let number = pc / (2 * PAGE as u32);
        let recent = &mut self.recent[number as usize % RECENT];
        if recent.0 != number {
            let pages = &mut self.pages;
            let place = *self.index.entry(number).or_insert_with(|| {
                pages.push(Box::new([Line::default(); PAGE]));
                pages.len() - 1
            });
            *recent = (number, place);
        }
        self.current = (recent.1, pc as usize / 2 % PAGE);
        self.current()
    }

    /// The current instruction.
    #[inline]
    pub fn current(&mut self) -> &mut Line {
        let (page, line) = self.current;
        &mut self.pages[page][line]
    }

    /// All that were executed, by address.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Line)> {
        self.index.iter().flat_map(|(&number, &place)| {
            let lines = self.pages[place].iter().enumerate();
            lines
                .filter(|(_, line)| line.executed > 0)
                .map(move |(at, line)| (number * 2 * PAGE as u32 + 2 * at as u32, line))
        })
    }
}
