//! Blocks and instructions in the tree of calls of a core. What comes behind one is found out once, and from then on only
//! counted.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/sim

use crate::core::profile::blocks::{Begun, Blocks};
use crate::core::profile::calls::{Context, Function, MAX_DEPTH, Tree};
use crate::core::profile::lines::Lines;
use crate::core::time::Cycle;
use std::collections::HashMap;

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
    /// See `Begun::what`.
    what: u32,
    /// The number of the next visit.
    to: u32,
    by: Move,
}

impl Next {
    /// Nothing is executed at this address.
    const NOTHING: Self = Self { what: u32::MAX - 1, to: 0, by: Move::Stay };
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
    /// How often it was executed.
    executed: u64,
    /// How often its function was entered by it.
    entered: u64,
    /// Cycles from the beginning of its last instruction on, with a wrap: some are added later than others.
    cycles: Cycle,
    /// Cycles up to the last instruction, if none is lost.
    to_last: u16,
    /// Whether it is no block: then its code can change.
    is_instruction: bool,
}

/// Where a visit is.
#[derive(Clone, Debug)]
struct Place {
    function: Function,
    what: Begun,
    /// Its first address.
    pc: u32,
    /// How many instructions.
    instructions: u16,
    /// The address of the last one, and the two halfwords there.
    last: (u32, u32),
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Visits {
    all: Vec<Visit>,
    places: Vec<Place>,
    /// By node and function, and what is executed.
    numbers: HashMap<(usize, u32, u32, u16, u32), u32>,
}

impl Visits {
    /// Visits that are kept, at most: 32 MB.
    const MAX: usize = 1 << 18;

    /// Whether there is no room for those of another quantum.
    pub fn is_full(&self) -> bool {
        self.all.len() > Self::MAX
    }

    /// A core begins something behind a visit, in these calls: the next visit, if it is known.
    #[inline(always)]
    pub fn next(&mut self, from: u32, begun: Begun, context: &mut Context, op_at: impl Fn(u32) -> u32) -> Option<u32> {
        let visit = &self.all[from as usize];
        // The host guesses which one it is, and goes on meanwhile.
        let next = if visit.next[0].what == begun.what { visit.next[0] } else { visit.next[1] };
        if next.what != begun.what || begun.executed != 0 {
            return None;
        }
        let to = &mut self.all[next.to as usize];
        let place = &self.places[next.to as usize];
        if to.is_instruction && op_at(place.pc) != place.last.1 || !next.by.is_made(context, place.pc, &place.function)
        {
            return None;
        }
        to.executed += 1;
        to.entered += u64::from(next.by.enters());
        Some(next.to)
    }

    /// So many cycles go by from the beginning of a visit to that of the next one.
    #[inline(always)]
    pub fn spend(&mut self, visit: u32, cycles: Cycle) {
        let visit = &mut self.all[visit as usize];
        visit.cycles = visit.cycles.wrapping_add(cycles).wrapping_sub(Cycle::from(visit.to_last));
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
        let pc = begun.pc(blocks);
        let is_instruction = begun.block().is_none();
        let op = if is_instruction { op_at(pc) } else { 0 };
        let key = (function.node, function.start, begun.what, begun.executed, op);
        let Self { all, places, numbers } = self;
        let to = *numbers.entry(key).or_insert_with(|| {
            let (instructions, to_last) = begun.length(blocks);
            let last = begun.last(blocks).unwrap_or_else(|pc| (pc, op_at(pc)));
            places.push(Place { function, what: begun, pc, instructions, last });
            let (next, executed, entered, cycles) = ([Next::NOTHING; 2], 0, 0, 0);
            all.push(Visit { next, executed, entered, cycles, to_last, is_instruction });
            all.len() as u32 - 1
        });
        all[to as usize].executed += 1;
        if let Some(before) = before
            && begun.executed == 0
            && !matches!(by, Move::Other { .. })
        {
            let next = &mut all[before as usize].next;
            next.swap(0, 1);
            next[0] = Next { what: begun.what, to, by };
        }
        to
    }

    /// Cycles up to the last instruction of a visit, if none is lost.
    #[inline(always)]
    pub fn to_last(&self, visit: u32) -> Cycle {
        Cycle::from(self.all[visit as usize].to_last)
    }

    /// The address of the last instruction of a visit, and the two halfwords there.
    pub fn last(&self, visit: u32) -> (u32, u32) {
        self.places[visit as usize].last
    }

    /// The first address of the function of a visit.
    #[inline(always)]
    pub fn function(&self, visit: u32) -> u32 {
        self.places[visit as usize].function.start
    }

    /// Where an instruction of a visit is: the node, its address, and whether another one comes behind it in the visit.
    #[inline(always)]
    pub fn place(&self, visit: u32, instruction: Instruction, blocks: &Blocks) -> (usize, u32, bool) {
        let place = &self.places[visit as usize];
        let number = match instruction {
            Instruction::InCycle(cycle) => place.what.instruction_at(cycle, blocks),
            Instruction::Number(number) => usize::from(number),
        };
        (place.function.node, place.pc.wrapping_add(2 * number as u32), number + 1 < usize::from(place.instructions))
    }

    /// Adds what was counted to nodes and lines, and forgets all visits.
    pub fn settle(&mut self, tree: &mut Tree, lines: &mut Lines, blocks: &Blocks) {
        self.numbers.clear();
        for (visit, place) in self.all.drain(..).zip(self.places.drain(..)) {
            let costs = tree.costs(place.function.node);
            costs.calls += visit.entered;
            costs.instructions += visit.executed * u64::from(place.instructions);
            costs.cycles += (visit.executed * Cycle::from(visit.to_last)).wrapping_add(visit.cycles);
            for number in 0..usize::from(place.instructions) {
                let line = lines.aside(place.pc.wrapping_add(2 * number as u32));
                line.executed += visit.executed;
                let is_last = number + 1 == usize::from(place.instructions);
                let cycles = if is_last { visit.cycles } else { visit.executed * place.what.cycles(number, blocks) };
                line.cycles = line.cycles.wrapping_add(cycles);
            }
        }
    }
}
