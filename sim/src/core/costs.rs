//! Costs that no document states, altered to see what follows from other ones.

use crate::core::time::Cycle;
use std::ops::RangeInclusive;

/// A cost of the RP2040 that no document states (docs/simulator.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// `LINE_CYCLES`: an interrupt, from its block to the core.
    Line,
    /// `DECISION`: from there to the first store of its frame.
    Decision,
    /// `EXCEPTION_RETURN`: from the return's branch to the next instruction.
    ExceptionReturn,
    /// `TAIL_CHAIN`: from the return's branch to the first instruction of the next handler.
    TailChain,
    /// `FIFO_LATENCY`: a word between the cores.
    Fifo,
    /// `OVERHEAD` of a miss of the flash cache.
    FlashMiss,
    /// The flash erases a sector, in µs.
    FlashErase,
    /// The flash programs a page, in µs.
    FlashProgram,
}

/// How each is called, and the range that it can have.
pub const COSTS: [(&str, Cost, RangeInclusive<Cycle>); 8] = [
    ("line", Cost::Line, 1..=50),
    ("decision", Cost::Decision, 1..=50),
    ("exception_return", Cost::ExceptionReturn, 12..=62),
    ("tail_chain", Cost::TailChain, 6..=56),
    ("fifo", Cost::Fifo, 1..=50),
    ("flash_miss", Cost::FlashMiss, 0..=200),
    ("flash_erase", Cost::FlashErase, 100..=1_000_000),
    ("flash_program", Cost::FlashProgram, 1..=100_000),
];

/// Costs that are others than usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlteredCosts([Option<Cycle>; COSTS.len()]);

impl AlteredCosts {
    /// A cost, if it is altered.
    pub fn get(&self, cost: Cost) -> Option<Cycle> {
        self.0[cost as usize]
    }

    /// Reads `line=4,fifo=2`.
    ///
    /// # Errors
    /// If there is no such cost, or it cannot have the value.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut all = Self::default();
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or("expected costs:line=4,fifo=2")?;
            let Some((_, cost, range)) = COSTS.iter().find(|(known, ..)| *known == name) else {
                let names: Vec<&str> = COSTS.iter().map(|(known, ..)| *known).collect();
                return Err(format!("there is no cost '{name}': the costs are {}", names.join(", ")));
            };
            let value = value.parse().ok().filter(|value| range.contains(value));
            let (least, most) = (range.start(), range.end());
            all.0[*cost as usize] =
                Some(value.ok_or_else(|| format!("{name} is a whole number from {least} to {most}"))?);
        }
        Ok(all)
    }
}
