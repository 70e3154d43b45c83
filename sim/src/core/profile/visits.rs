//! Blocks and instructions in the tree of calls of a core. Within a function, a block is found by its number there; what comes
//! behind a call, a return, or a single instruction is found out once, and from then on only counted.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/sim

use crate::core::bus::Slave;
use crate::core::profile::CoreProfile;
use crate::core::profile::blocks::{Begun, Blocks};
use crate::core::profile::calls::{Context, Function, MAX_DEPTH};
use crate::core::profile::quantum::STEPS;
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

/// The visit behind another one.
#[derive(Clone, Copy, Debug)]
struct Next {
    /// See `Begun::key`.
    key: u64,
    /// The number of the next visit.
    to: u32,
    by: Move,
}

impl Next {
    /// Nothing is executed at this address.
    const NOTHING: Self = Self { key: u64::MAX, to: 0, by: Move::Stay };
}

/// What is counted of a block, or an instruction, in a node of the tree.
#[derive(Clone, Debug)]
#[repr(C, align(32))]
struct Visit {
    /// How often it was executed.
    executed: u64,
    /// Cycles from its beginning on, with a wrap: some are added later than others.
    cycles: Cycle,
    /// Where its function begins.
    function: u32,
    /// The number of its function in its node.
    group: u32,
    /// The first of its numbers in `Visits::lost`.
    lost: u32,
    /// Cycles up to its last instruction, if none is lost.
    to_last: u16,
    /// See `Begun::detail`.
    detail: u16,
}

impl Visit {
    /// It was executed in so many cycles.
    #[inline(always)]
    fn pass(&mut self, cycles: Cycle) {
        self.executed += 1;
        self.cycles = self.cycles.wrapping_add(cycles);
    }

    /// Counts a cycle that was lost at a slave so many behind the beginning.
    #[inline(always)]
    fn lose(&self, lost: &mut [Cycle], in_groups: &mut [Cycle], behind: u16, slave: u8) {
        lost[self.lost as usize + usize::from(behind.min(self.to_last))] += 1;
        in_groups[self.group as usize * Slave::COUNT + usize::from(slave)] += 1;
    }
}

/// What comes behind a visit: a line of the host's cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Link {
    next: [Next; 2],
    here: Here,
    /// See `Begun::what`.
    what: u32,
}

/// How far a core can go on behind a visit without a look at its calls: through blocks of the same function in the same node.
#[derive(Clone, Copy, Debug)]
struct Here {
    /// See `Member::range`.
    range: u32,
    /// The first visit of the function's blocks, and how many there are: none if the last instruction may leave the function.
    first: u32,
    count: u32,
}

/// A function in a node.
#[derive(Clone, Debug)]
struct Group {
    function: Function,
    /// How often it was entered.
    entered: u64,
    /// The core.
    core: u8,
    /// The first visit of its blocks, and how many there are.
    first: u32,
    count: u32,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Visits {
    all: Vec<Visit>,
    links: Vec<Link>,
    groups: Vec<Group>,
    /// Cycles that were lost, by visit and cycle from its beginning to that of its last instruction.
    lost: Vec<Cycle>,
    /// The same, by group and slave.
    lost_in_groups: Vec<Cycle>,
    /// By core, node and function, its number in `groups`.
    functions: QuickMap<(u8, usize, u32), u32>,
    /// By group and what is executed, the visits that are not of all of a block.
    singles: QuickMap<(u32, u64), u32>,
}

impl Visits {
    /// Visits that are kept, at most: 25 MB.
    const MAX: usize = 1 << 18;
    /// Numbers in `lost` and `lost_in_groups`, at most: 16 MB.
    const MAX_LOST: usize = 1 << 21;
    /// Those after which a quantum adds none but the one that it visits.
    const MOST_FOR_GROUPS: usize = 2 * Self::MAX;
    /// Those that there are at the end of a quantum, at most.
    pub const MOST_IN_ALL: usize = Self::MOST_FOR_GROUPS + Self::MAX_GROUP + 2 * STEPS;
    /// Blocks that a function may have for a group: of more, few are executed in any node.
    const MAX_GROUP: usize = 256;

    /// Whether there is no room for those of another quantum.
    pub fn is_full(&self) -> bool {
        self.all.len() > Self::MAX || self.lost.len() + self.lost_in_groups.len() > Self::MAX_LOST
    }

    fn group(&self, visit: u32) -> &Group {
        &self.groups[self.all[visit as usize].group as usize]
    }

    /// What a visit executes.
    fn begun(&self, visit: u32) -> Begun {
        Begun { what: self.links[visit as usize].what, cycle: 0, detail: self.all[visit as usize].detail }
    }

    /// A core goes on within its function, up to what may leave it, as far as `more` is there: how much of it, each a visit. `at`
    /// is the one that it was in since cycle `since`.
    #[inline(always)]
    pub fn go_on(
        &mut self,
        (at, since): (&mut u32, &mut u16),
        more: &[Begun],
        blocks: &Blocks,
        visited: &mut [u32],
    ) -> usize {
        let Here { range, first, count } = self.links[*at as usize].here;
        if count == 0 {
            return 0;
        }
        let Some(group) = self.all.get_mut(first as usize..(first + count) as usize) else { return 0 };
        let (mut in_group, mut begun_at) = ((*at - first) as usize, *since);
        let mut done = 0;
        for (&begun, visited) in more.iter().zip(visited) {
            let Some(member) = blocks.member(begun).filter(|member| member.range == range) else { break };
            let next = member.number() as usize;
            if next >= group.len() {
                break;
            }
            group[in_group].pass(begun.cycle.wrapping_sub(begun_at).into());
            (in_group, begun_at) = (next, begun.cycle);
            *visited = first + member.number();
            done += 1;
            if member.may_leave() {
                break;
            }
        }
        (*at, *since) = (first + in_group as u32, begun_at);
        done
    }

    /// A core begins something behind a visit, in these calls: the next visit, if it is known.
    #[inline(always)]
    pub fn next(&mut self, from: u32, begun: Begun, context: &mut Context, blocks: &Blocks) -> Option<u32> {
        let link = &self.links[from as usize];
        // The host guesses which one it is, and goes on meanwhile.
        let key = begun.key();
        let next = if link.next[0].key == key { link.next[0] } else { link.next[1] };
        if next.key != key {
            return None;
        }
        if next.by != Move::Stay {
            let group = &mut self.groups[self.all[next.to as usize].group as usize];
            if !next.by.is_made(context, begun.pc(blocks), &group.function) {
                return None;
            }
            group.entered += u64::from(next.by.enters());
        }
        Some(next.to)
    }

    /// A core has executed what is in a visit, in so many cycles.
    #[inline(always)]
    pub fn pass(&mut self, visit: u32, cycles: Cycle) {
        self.all[visit as usize].pass(cycles);
    }

    /// So many more cycles go by in a visit.
    #[inline(always)]
    pub fn spend(&mut self, visit: u32, cycles: Cycle) {
        let visit = &mut self.all[visit as usize];
        visit.cycles = visit.cycles.wrapping_add(cycles);
    }

    /// One of two cores loses a cycle at a slave, each in a visit and so many cycles behind its beginning: the first one, or the
    /// second. Where their functions begin.
    #[inline(always)]
    pub fn lose(&mut self, at: [(u32, u16); 2], slave: u8, by_first: bool) -> [u32; 2] {
        let all = self.all.as_mut_slice();
        let [(first, behind_first), (second, behind_second)] = at.map(|(visit, behind)| (visit as usize, behind));
        // In the quantum's cycles, a wait of the second core took time, and one of the first core took none.
        for visit in [first, second] {
            all[visit].cycles = all[visit].cycles.wrapping_add(by_first.into());
        }
        let functions = [all[first].function, all[second].function];
        let (loser, behind) = if by_first { (&all[first], behind_first) } else { (&all[second], behind_second) };
        loser.lose(&mut self.lost, &mut self.lost_in_groups, behind, slave);
        functions
    }

    /// As `lose`, of a core while the other one is in no visit.
    pub fn lose_alone(&mut self, (visit, behind): (u32, u16), slave: u8) {
        self.all[visit as usize].lose(&mut self.lost, &mut self.lost_in_groups, behind, slave);
    }

    /// A core has come by a move, behind a visit or something else, to what it executes in a function: the number of the visit.
    pub fn learn(
        &mut self,
        (core, function): (u8, Option<&Function>),
        before: Option<u32>,
        by: Move,
        begun: Begun,
        blocks: &Blocks,
    ) -> u32 {
        let group = self.group_of(core, function.cloned().unwrap_or_else(Function::none));
        let Group { ref function, first, count, .. } = self.groups[group as usize];
        let of_function = blocks.of_function(function.range.start);
        let to = match blocks.member(begun) {
            Some(member)
                if member.range == function.range.start
                    && of_function.len() <= Self::MAX_GROUP
                    && self.all.len() < Self::MOST_FOR_GROUPS =>
            {
                if member.number() < count {
                    first + member.number()
                } else {
                    // What was counted of fewer blocks before stays where it is.
                    let (first, count) = (self.all.len() as u32, of_function.len() as u32);
                    let here = Here { range: function.range.start, first, count };
                    (self.groups[group as usize].first, self.groups[group as usize].count) = (first, count);
                    for &block in of_function {
                        self.add(group, Begun { what: Begun::what(block), cycle: 0, detail: 0 }, here, blocks);
                    }
                    first + member.number()
                }
            }
            _ => {
                let key = (group, begun.key());
                if let Some(&visit) = self.singles.get(&key) {
                    visit
                } else {
                    let visit = self.all.len() as u32;
                    self.add(group, begun, Here { range: 0, first: 0, count: 0 }, blocks);
                    self.singles.insert(key, visit);
                    visit
                }
            }
        };
        if let Some(before) = before
            && !matches!(by, Move::Other { .. })
        {
            let next = &mut self.links[before as usize].next;
            next.swap(0, 1);
            next[0] = Next { key: begun.key(), to, by };
        }
        to
    }

    /// The number of a function in a node of a core.
    fn group_of(&mut self, core: u8, function: Function) -> u32 {
        let next = self.groups.len() as u32;
        let group = *self.functions.entry((core, function.node, function.start)).or_insert(next);
        if group == next {
            self.groups.push(Group { function, entered: 0, core, first: 0, count: 0 });
            self.lost_in_groups.resize(self.groups.len() * Slave::COUNT, 0);
        }
        group
    }

    /// Adds a visit of a group, behind which a core can go on so far if its last instruction stays in the function.
    fn add(&mut self, group: u32, begun: Begun, here: Here, blocks: &Blocks) {
        let Begun { what, detail, .. } = begun;
        let (_, to_last) = begun.length(blocks);
        let lost = self.lost.len() as u32;
        self.lost.resize(self.lost.len() + usize::from(to_last) + 1, 0);
        let function = self.groups[group as usize].function.start;
        self.all.push(Visit { executed: 0, cycles: 0, function, group, lost, to_last, detail });
        let stays = blocks.member(begun).is_some_and(|member| !member.may_leave());
        let here = if stays { here } else { Here { count: 0, ..here } };
        self.links.push(Link { next: [Next::NOTHING; 2], here, what });
    }

    /// Cycles up to the last instruction of a visit, if none is lost.
    pub fn to_last(&self, visit: u32) -> Cycle {
        self.all[visit as usize].to_last.into()
    }

    /// The address of the last instruction of a visit, and the instruction.
    pub fn last(&self, visit: u32, blocks: &Blocks) -> (u32, u32) {
        self.begun(visit).last(blocks)
    }

    /// The first address of the function of a visit.
    #[inline(always)]
    pub fn function(&self, visit: u32) -> u32 {
        self.all[visit as usize].function
    }

    /// The same, and its node.
    pub fn function_in(&self, visit: u32) -> (u32, usize) {
        let function = &self.group(visit).function;
        (function.start, function.node)
    }

    /// Adds what was counted to nodes and lines, and forgets all visits.
    pub fn settle(&mut self, cores: &mut [CoreProfile; 2], blocks: &Blocks) {
        let Self { all, links, groups, lost, lost_in_groups, .. } = std::mem::take(self);
        for (group, lost) in groups.iter().zip(lost_in_groups.chunks(Slave::COUNT)) {
            let costs = cores[usize::from(group.core & 1)].calls.tree().costs(group.function.node);
            costs.calls += group.entered;
            costs.conflicts.iter_mut().zip(lost).for_each(|(sum, lost)| *sum += lost);
        }
        let executed = |(visit, _): &(&Visit, &Link)| visit.executed != 0 || visit.cycles != 0;
        for (visit, link) in all.iter().zip(&links).filter(executed) {
            let group = &groups[visit.group as usize];
            let begun = Begun { what: link.what, cycle: 0, detail: visit.detail };
            let (instructions, to_last) = begun.length(blocks);
            let CoreProfile { calls, lines, .. } = &mut cores[usize::from(group.core & 1)];
            let costs = calls.tree().costs(group.function.node);
            costs.instructions += visit.executed * u64::from(instructions);
            costs.cycles = costs.cycles.wrapping_add(visit.cycles);
            let line_of = |number: usize| begun.pc(blocks).wrapping_add(2 * number as u32);
            let last = usize::from(instructions) - 1;
            for number in 0..last {
                let line = lines.aside(line_of(number));
                line.executed += visit.executed;
                line.cycles += visit.executed * begun.cycles(number, blocks);
            }
            // What is counted for the visit is that of its last instruction, but for what is known of the others.
            let mut cycles = visit.cycles.wrapping_sub(visit.executed * Cycle::from(to_last));
            let all_lost = &lost[visit.lost as usize..=visit.lost as usize + usize::from(to_last)];
            for (behind, &lost) in all_lost.iter().enumerate().filter(|&(_, &lost)| lost != 0) {
                let number = begun.instruction_at(behind, blocks);
                let line = lines.aside(line_of(number));
                line.conflicts += lost;
                if number < last {
                    line.cycles = line.cycles.wrapping_add(lost);
                    cycles = cycles.wrapping_sub(lost);
                }
            }
            let line = lines.aside(line_of(last));
            line.executed += visit.executed;
            line.cycles = line.cycles.wrapping_add(cycles);
        }
    }
}
