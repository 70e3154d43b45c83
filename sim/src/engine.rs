//! How a chip gets through its cycles: both cores together ([`lockstep`], the reference), or each by itself for as long as
//! that makes no difference ([`decoupled`]), with the same result.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

pub mod access_tags;
pub(crate) mod contended_sets;
pub(crate) mod cpu;
pub(crate) mod decoupled;
pub mod fast_bus;
pub(crate) mod gate;
pub(crate) mod grant_log;
pub(crate) mod known_registers;
pub(crate) mod lockstep;
pub mod mru_words;
pub(crate) mod policy;
pub(crate) mod replay;
pub(crate) mod trace;

use crate::core::time::Cycle;

/// A core that does nothing for so many cycles is left to them.
pub(crate) const LONG_STALL_CYCLES: Cycle = 8;

/// How a machine gets through its cycles. The results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Each core by itself for as long as that makes no difference: several times as fast.
    #[default]
    Decoupled,
    /// Both cores through each cycle together: what the other one is compared with.
    LockStep,
}
