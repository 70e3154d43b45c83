//! Blocks and instructions in the tree of calls of a core. Within a function, a block is found by its number there; what comes
//! behind a call, a return, or a single instruction is found out once, and from then on only counted.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/sim

use crate::core::profile::blocks::{Begun, Blocks, Member};
use crate::core::profile::calls::{Context, Function, MAX_DEPTH, Tree};
use crate::core::profile::lines::Lines;
use crate::core::profile::quick_map::QuickMap;
use crate::core::time::Cycle;

/// How a core comes from one instruction to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// Within a function.
    Stay,
    /// By a call, which returns to an address.
    Call { return_to: u32 },
    /// To where the last call returns.
    Return,
    /// Into a function that replaces another one, as which it is called by this node.
    Jump { caller: u32 },
    /// In a way that depends on more than the last call.
    Other { enters: bool },
}

impl Move {
    /// Whether a function is entered.
    pub fn enters(self) -> bool {
        matches!(self, Self::Call { .. } | Self::Jump { .. } | Self::Other { enters: true })
    }

    /// Whether a core in these calls makes it to an address in a function; its calls are those there then.
    #[inline(always)]
    fn is_made(self, context: &mut Context, pc: u32, function: &Function) -> bool {
        let Context { calls, function: current, .. } = context;
        match self {
            Self::Stay => return true,
            Self::Call { return_to } if calls.len() < MAX_DEPTH => {
                let caller = std::mem::replace(current, function.clone());
                context.call(caller, return_to);
            }
            Self::Return => {
                let Some(call) = calls.pop_if(|call| call.return_to == pc && call.caller.node == function.node) else {
                    return false;
                };
                *current = call.caller;
            }
            Self::Jump { caller } if calls.last().is_some_and(|call| call.caller.node == caller as usize) => {
                *current = function.clone();
            }
            _ => return false,
        }
        true
    }
}

/// What comes behind a visit.
#[derive(Clone, Copy, Debug)]
struct Next {
    /// See `Begun::key`.
    key: u32,
    /// The number of the next visit.
    to: u32,
    by: Move,
}

impl Next {
    /// Nothing is executed at this address.
    const NOTHING: Self = Self { key: u32::MAX - 1, to: 0, by: Move::Stay };
}

/// An instruction of a visit.
#[derive(Clone, Copy)]
pub(super) enum Instruction {
    /// The one that is executed so many cycles after the beginning, if none is lost.
    InCycle(u32),
    /// By number.
    Number(u16),
}

/// What is counted of a block, or an instruction, in a node of the tree: a line of the host's cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Visit {
    next: [Next; 2],
    /// See `Begun::what`.
    what: u32,
    /// The number of its group.
    group: u32,
    /// How often it was executed.
    executed: u64,
    /// How often its function was entered by it.
    entered: u64,
    /// Cycles from its beginning on, with a wrap: some are added later than others.
    cycles: Cycle,
}

/// All blocks of a function in a node, or one visit that is not all of a block.
#[derive(Clone, Debug)]
struct Group {
    function: Function,
    /// The number of the first visit, and how many there are.
    first: u32,
    count: u32,
    /// See `Begun::executed`.
    executed: u16,
    /// The halfwords of the last instruction, unless that is a block's.
    op: u32,
}

/// How far a core can go on without a look at its calls.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here {
    /// See `Member::range`.
    range: u32,
    /// The first visit of the function's blocks, and how many there are; none behind what may leave the function.
    first: u32,
    count: u32,
}

impl Here {
    /// Nowhere.
    const NOWHERE: Self = Self { range: 0, first: 0, count: 0 };

    /// The same behind a block of the function.
    #[inline(always)]
    pub fn behind(self, member: Member) -> Self {
        if member.may_leave { Self::NOWHERE } else { self }
    }

    /// The visit to a block of the same function that comes next.
    #[inline(always)]
    pub fn next(self, member: Member) -> Option<u32> {
        (member.range == self.range && member.number < self.count).then(|| self.first + member.number)
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Visits {
    all: Vec<Visit>,
    groups: Vec<Group>,
    /// By node and function, the group of its blocks.
    functions: QuickMap<(usize, u32), u32>,
    /// By node and function, what is executed, and its last instruction, the visits that are in no such group.
    singles: QuickMap<(usize, u32, u32, u16, u32), u32>,
}

impl Visits {
    /// Visits that are kept, at most: 16 MB.
    const MAX: usize = 1 << 18;
    /// Blocks that a function may have for a group: of more, few are executed in any node.
    const MAX_GROUP: usize = 256;

    /// Whether there is no room for those of another quantum.
    pub fn is_full(&self) -> bool {
        self.all.len() > Self::MAX
    }

    fn group(&self, visit: u32) -> &Group {
        &self.groups[self.all[visit as usize].group as usize]
    }

    /// What a visit executes.
    fn begun(&self, visit: u32) -> Begun {
        Begun { what: self.all[visit as usize].what, cycle: 0, executed: self.group(visit).executed }
    }

    /// How far a core can go on behind a visit.
    pub fn here(&self, visit: u32, blocks: &Blocks) -> Here {
        match (self.group(visit), blocks.member(self.begun(visit))) {
            (&Group { ref function, first, count, .. }, Some(member)) if !member.may_leave => {
                Here { range: function.range.start, first, count }
            }
            _ => Here::NOWHERE,
        }
    }

    /// A core begins what it executes in a visit.
    #[inline(always)]
    pub fn execute(&mut self, visit: u32) {
        self.all[visit as usize].executed += 1;
    }

    /// A core begins something behind a visit, in these calls: the next visit, if it is known.
    #[inline(always)]
    pub fn next(
        &mut self,
        from: u32,
        begun: Begun,
        context: &mut Context,
        blocks: &Blocks,
        op_at: impl Fn(u32) -> u32,
    ) -> Option<u32> {
        let visit = &self.all[from as usize];
        // The host guesses which one it is, and goes on meanwhile.
        let key = begun.key();
        let next = if visit.next[0].key == key { visit.next[0] } else { visit.next[1] };
        if next.key != key {
            return None;
        }
        let to = &mut self.all[next.to as usize];
        let group = &self.groups[to.group as usize];
        // Of a block, the last instruction stays as it is, unless it was not executed to there.
        let may_change = begun.block().is_none() || begun.executed != 0;
        if may_change && begun.last(blocks).is_err_and(|pc| op_at(pc) != group.op)
            || next.by != Move::Stay && !next.by.is_made(context, begun.pc(blocks), &group.function)
        {
            return None;
        }
        to.executed += 1;
        to.entered += u64::from(next.by.enters());
        Some(next.to)
    }

    /// So many cycles go by in a visit.
    #[inline(always)]
    pub fn spend(&mut self, visit: u32, cycles: Cycle) {
        let visit = &mut self.all[visit as usize];
        visit.cycles = visit.cycles.wrapping_add(cycles);
    }

    /// A core has come by a move, behind a visit or something else, to what it executes in a function: the number of the visit.
    pub fn learn(
        &mut self,
        before: Option<u32>,
        by: Move,
        begun: Begun,
        blocks: &Blocks,
        function: Option<&Function>,
        op_at: impl Fn(u32) -> u32,
    ) -> u32 {
        let function = function.cloned().unwrap_or_else(Function::none);
        let of_function = blocks.of_function(function.range.start);
        let to = match blocks.member(begun) {
            Some(member) if member.range == function.range.start && of_function.len() <= Self::MAX_GROUP => {
                let key = (function.node, function.start);
                let known = self.functions.get(&key).map(|&group| &self.groups[group as usize]);
                let first = if let Some(group) = known.filter(|group| member.number < group.count) {
                    group.first
                } else {
                    // What was counted of fewer blocks before stays where it is.
                    self.functions.insert(key, self.groups.len() as u32);
                    self.add(function, of_function.iter().map(|&block| Begun::what(block)), 0, 0)
                };
                first + member.number
            }
            _ => {
                let op = begun.last(blocks).map_or_else(&op_at, |_| 0);
                let key = (function.node, function.start, begun.what, begun.executed, op);
                if let Some(&visit) = self.singles.get(&key) {
                    visit
                } else {
                    let visit = self.add(function, [begun.what].into_iter(), begun.executed, op);
                    self.singles.insert(key, visit);
                    visit
                }
            }
        };
        self.execute(to);
        if let Some(before) = before
            && !matches!(by, Move::Other { .. })
        {
            let next = &mut self.all[before as usize].next;
            next.swap(0, 1);
            next[0] = Next { key: begun.key(), to, by };
        }
        to
    }

    /// Adds a group: the number of its first visit.
    fn add(&mut self, function: Function, what: impl Iterator<Item = u32>, executed: u16, op: u32) -> u32 {
        let (first, group) = (self.all.len() as u32, self.groups.len() as u32);
        let new = |what| Visit { next: [Next::NOTHING; 2], what, group, executed: 0, entered: 0, cycles: 0 };
        self.all.extend(what.map(new));
        self.groups.push(Group { function, first, count: self.all.len() as u32 - first, executed, op });
        first
    }

    /// Cycles up to the last instruction of a visit, if none is lost.
    pub fn to_last(&self, visit: u32, blocks: &Blocks) -> Cycle {
        Cycle::from(self.begun(visit).length(blocks).1)
    }

    /// The address of the last instruction of a visit, and the two halfwords there.
    pub fn last(&self, visit: u32, blocks: &Blocks) -> (u32, u32) {
        self.begun(visit).last(blocks).unwrap_or_else(|pc| (pc, self.group(visit).op))
    }

    /// The first address of the function of a visit.
    #[inline(always)]
    pub fn function(&self, visit: u32) -> u32 {
        self.group(visit).function.start
    }

    /// The same, and its node.
    pub fn function_in(&self, visit: u32) -> (u32, usize) {
        let function = &self.group(visit).function;
        (function.start, function.node)
    }

    /// Where an instruction of a visit is: the node, its address, and whether another one comes behind it in the visit.
    #[inline(always)]
    pub fn place(&self, visit: u32, instruction: Instruction, blocks: &Blocks) -> (usize, u32, bool) {
        let begun = self.begun(visit);
        let number = match instruction {
            Instruction::InCycle(cycle) => begun.instruction_at(cycle, blocks),
            Instruction::Number(number) => usize::from(number),
        };
        let is_before_last = number + 1 < usize::from(begun.length(blocks).0);
        (self.group(visit).function.node, begun.pc(blocks).wrapping_add(2 * number as u32), is_before_last)
    }

    /// Adds what was counted to nodes and lines, and forgets all visits.
    pub fn settle(&mut self, tree: &mut Tree, lines: &mut Lines, blocks: &Blocks) {
        let Self { all, groups, functions, singles } = std::mem::take(self);
        drop((functions, singles));
        for visit in all.into_iter().filter(|visit| visit.executed != 0 || visit.cycles != 0) {
            let group = &groups[visit.group as usize];
            let begun = Begun { what: visit.what, cycle: 0, executed: group.executed };
            let (instructions, to_last) = begun.length(blocks);
            let costs = tree.costs(group.function.node);
            costs.calls += visit.entered;
            costs.instructions += visit.executed * u64::from(instructions);
            costs.cycles = costs.cycles.wrapping_add(visit.cycles);
            for number in 0..usize::from(instructions) {
                let line = lines.aside(begun.pc(blocks).wrapping_add(2 * number as u32));
                line.executed += visit.executed;
                let is_last = number + 1 == usize::from(instructions);
                let cycles = if is_last {
                    visit.cycles.wrapping_sub(visit.executed * Cycle::from(to_last))
                } else {
                    visit.executed * begun.cycles(number, blocks)
                };
                line.cycles = line.cycles.wrapping_add(cycles);
            }
        }
    }
}
