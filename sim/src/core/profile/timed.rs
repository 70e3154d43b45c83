//! Calls of one function, each with its time, and where the time of the longest one went.

use crate::core::profile::calls::Costs;
use crate::core::time::Cycle;
use std::collections::HashMap;

/// Calls whose times are kept, at most: 24 MB.
const MAX_CALLS: usize = 1 << 20;

/// Costs by core and node of its tree.
pub type CostsOfNodes = HashMap<(u8, usize), Costs>;

/// A call that goes on.
#[derive(Clone, Debug)]
pub(super) struct TimedCall {
    /// Calls that its task or handler was in when it began, itself among them.
    depth: usize,
    begun: Cycle,
    /// Cycles in which its task was on no core.
    pub away: Cycle,
    /// When its task was last replaced by another one.
    pub left_at: Cycle,
    /// What the core did meanwhile, also in interrupts.
    pub costs: CostsOfNodes,
}

/// A call that has returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// The core that it returned on.
    pub core: u8,
    /// When its first instruction began.
    pub begun: Cycle,
    /// Cycles up to the first instruction behind it.
    pub cycles: Cycle,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct TimedCalls {
    function: Option<u32>,
    /// All of them, in the order in which they returned.
    pub calls: Vec<Timed>,
    /// How many more there were than are kept.
    pub more: u64,
    /// Calls that had not returned when the profile or, by a reset, the core ended.
    pub unfinished: u64,
    /// What all of them cost together.
    pub costs: CostsOfNodes,
    /// Cycles in which the task of a call was on no core, of all of them.
    pub away: Cycle,
    /// The longest one: what it cost, and cycles in which its task was on no core.
    pub longest: Option<(Timed, CostsOfNodes, Cycle)>,
}

impl TimedCalls {
    pub(super) fn new(function: Option<u32>) -> Self {
        Self { function, ..Self::default() }
    }

    /// Whether any function is timed.
    #[inline]
    pub(super) fn is_in_use(&self) -> bool {
        self.function.is_some()
    }

    /// The task or handler that may be in a call begins an instruction of `function` in cycle `now`, `depth` calls deep.
    pub(super) fn follow(
        &mut self,
        call: &mut Option<Box<TimedCall>>,
        depth: usize,
        function: u32,
        core: u8,
        now: Cycle,
    ) {
        if let Some(ended) = call.take_if(|call| depth < call.depth) {
            self.end(*ended, core, now);
        }
        if call.is_none() && self.function == Some(function) {
            let costs = CostsOfNodes::new();
            *call = Some(Box::new(TimedCall { depth, begun: now, away: 0, left_at: 0, costs }));
        }
    }

    /// A call has returned in cycle `now`.
    pub(super) fn end(&mut self, call: TimedCall, core: u8, now: Cycle) {
        let timed = Timed { core, begun: call.begun, cycles: now - call.begun };
        if self.calls.len() < MAX_CALLS {
            self.calls.push(timed);
        } else {
            self.more += 1;
        }
        for (node, costs) in &call.costs {
            self.costs.entry(*node).or_default().add(costs);
        }
        self.away += call.away;
        if self.longest.as_ref().is_none_or(|(longest, ..)| timed.cycles > longest.cycles) {
            self.longest = Some((timed, call.costs, call.away));
        }
    }
}
