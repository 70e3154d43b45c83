//! Who called whom: a tree of calls for each core, followed from branch to branch.
//!
//! A call is BL or BLX; a return is BX, POP or MOV to where a call said. Any other way into another function replaces the
//! function that it leaves, as a tail call does. What an exception interrupts is found again by the address of its frame,
//! so a task goes on where it was, on whichever core.

use crate::core::bus::Slave;
use crate::core::profile::places::Places;
use crate::core::profile::quick_map::QuickMap;
use crate::core::profile::timed::{TimedCall, TimedCalls};
use crate::core::profile::visits::Move;
use crate::core::time::Cycle;
use std::collections::HashMap;
use std::ops::Range;

/// What a node of the tree stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Frame {
    /// All outside of exception handlers: the number of the task in `Profile::tasks`, 0 without a task.
    Task(u32),
    /// A handler, by the number of its exception; 0 for an exception that was not chosen before the run ended.
    Handler(u8),
    /// A function, by its first address; one without a symbol by the address at which it was entered.
    Function(u32),
}

/// What a function cost, without those that it called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// How often it was called; of a handler, how often it was entered.
    pub calls: u64,
    /// Instructions begun.
    pub instructions: u64,
    /// All cycles.
    pub cycles: Cycle,
    /// Those of them that the core slept.
    pub asleep: Cycle,
    /// Those of them in which an exception was entered or left, without what was lost to others meanwhile.
    pub switching: Cycle,
    /// Those of them that were lost to other masters, by slave.
    pub conflicts: [Cycle; Slave::COUNT],
    /// Those of them that were lost to wait states, by slave.
    pub waits: [Cycle; Slave::COUNT],
}

impl Costs {
    pub(super) fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.instructions += other.instructions;
        self.cycles += other.cycles;
        self.asleep += other.asleep;
        self.switching += other.switching;
        for slave in 0..Slave::COUNT {
            self.conflicts[slave] += other.conflicts[slave];
            self.waits[slave] += other.waits[slave];
        }
    }
}

/// A function as it was called by way of its ancestors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The caller's; none for a task or handler.
    pub parent: Option<usize>,
    /// What it stands for.
    pub frame: Frame,
    /// What it cost by itself.
    pub costs: Costs,
}

/// Nodes of a core's tree, at most: 64 MB.
const MAX_NODES: usize = 1 << 17;
/// Calls within one another that are followed.
pub(super) const MAX_DEPTH: usize = 1024;
/// Interrupted tasks that are remembered; there are more only in a program that makes up frames.
const MAX_PARKED: usize = 1 << 14;

#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    index: QuickMap<(usize, Frame), usize>,
    truncated: bool,
}

/// Parent of tasks and handlers in the index.
const NO_NODE: usize = usize::MAX;

impl Tree {
    /// What a node costs by itself.
    #[inline]
    pub fn costs(&mut self, node: usize) -> &mut Costs {
        &mut self.nodes[node].costs
    }

    fn child(&mut self, parent: usize, frame: Frame) -> usize {
        if let Some(&node) = self.index.get(&(parent, frame)) {
            return node;
        }
        if self.nodes.len() >= MAX_NODES && parent != NO_NODE {
            self.truncated = true;
            return parent;
        }
        let caller = (parent != NO_NODE).then_some(parent);
        self.nodes.push(Node { parent: caller, frame, costs: Costs::default() });
        self.index.insert((parent, frame), self.nodes.len() - 1);
        self.nodes.len() - 1
    }
}

/// The function that is executed.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub node: usize,
    pub start: u32,
    pub range: Range<u32>,
}

impl Function {
    /// None, in a node that is always there.
    pub const fn none() -> Self {
        Self { node: 0, start: 0, range: 0..0 }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub caller: Function,
    pub return_to: u32,
    /// No other call of the task or handler has it.
    number: u32,
}

/// A task or handler, and the calls that it is in.
#[derive(Clone, Debug)]
pub(super) struct Context {
    root: Frame,
    pub calls: Vec<Call>,
    /// Those that there were so far.
    made: u32,
    pub function: Function,
    /// Address of the last instruction, and the two halfwords there, the first one lowest; none before the first.
    last: Option<(u32, u32)>,
    /// The visit whose last instruction that is, if it is one's.
    visit: Option<u32>,
    /// Where the frame is, once it is interrupted.
    frame_at: u32,
    /// The call of the timed function that it is in.
    timed: Option<Box<TimedCall>>,
}

impl Context {
    fn new(tree: &mut Tree, root: Frame) -> Self {
        let node = tree.child(NO_NODE, root);
        let function = Function { node, start: 0, range: 0..0 };
        Self { root, calls: Vec::new(), made: 0, function, last: None, visit: None, frame_at: 0, timed: None }
    }

    /// A function is called.
    pub fn call(&mut self, caller: Function, return_to: u32) {
        self.made = self.made.wrapping_add(1);
        self.calls.push(Call { caller, return_to, number: self.made });
    }

    /// The last instruction was here. What was it before?
    fn set_last(&mut self, pc: u32, op: u32) -> Option<(u32, u32)> {
        self.visit = None;
        self.last.replace((pc, op))
    }

    /// Gives it another root, or another tree.
    fn rebase(&mut self, tree: &mut Tree, root: Frame) {
        self.root = root;
        self.visit = None;
        let mut node = tree.child(NO_NODE, root);
        let functions = self.calls.iter_mut().map(|call| &mut call.caller).chain([&mut self.function]);
        let mut before = None;
        for function in functions.filter(|function| !function.range.is_empty()) {
            if before != Some(function.start) {
                node = tree.child(node, Frame::Function(function.start));
            }
            before = Some(function.start);
            function.node = node;
        }
        if self.function.range.is_empty() {
            self.function.node = node;
        }
    }

    /// The function at an address is executed from now on, called by a node.
    fn enter(&mut self, tree: &mut Tree, caller: usize, pc: u32, places: &Places) {
        let (start, range) = match places.find(pc) {
            Ok(place) => (place.range.start, place.range.clone()),
            Err(gap) => (pc, gap),
        };
        // A function that calls itself is one node.
        let recursive = tree.nodes[caller].frame == Frame::Function(start);
        let node = if recursive { caller } else { tree.child(caller, Frame::Function(start)) };
        self.function = Function { node, start, range };
    }

    /// The function at an address replaces the one that is executed. The node of the caller of both.
    fn jump(&mut self, tree: &mut Tree, pc: u32, places: &Places) -> usize {
        let caller = match self.calls.last() {
            Some(call) => call.caller.node,
            None => tree.child(NO_NODE, self.root),
        };
        self.enter(tree, caller, pc, places);
        caller
    }
}

/// Tasks that were interrupted and that no core executes now, by the addresses of their frames.
#[derive(Clone, Debug, Default)]
pub(super) struct Parked(HashMap<u32, Context>);

impl Parked {
    /// Calls of the timed function that these tasks are in.
    pub fn timed(&self) -> u64 {
        self.0.values().filter(|context| context.timed.is_some()).count() as u64
    }

    /// First addresses of the functions that the task with a stack was in when it was interrupted, the outermost one first.
    pub fn functions(&self, stack: &Range<u32>) -> Vec<u32> {
        let context = self.0.values().find(|context| stack.contains(&context.frame_at));
        let calls = context.map(|context| context.calls.iter().map(|call| &call.caller).chain([&context.function]));
        calls.into_iter().flatten().map(|function| function.start).filter(|&start| start != 0).collect()
    }
}

/// The calls of a core.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    core: u8,
    tree: Tree,
    /// Calls of the one function that is timed.
    pub timed: TimedCalls,
    /// How often all that is told happens: more than once only while turns of a busy wait are accounted for.
    pub weight: u64,
    /// What is executed, the last one, and what that has interrupted.
    contexts: Vec<Context>,
    /// A frame is being read back from an address.
    unstacking: Option<u32>,
}

const BLX: u32 = 0x4780;
const BX: u32 = 0x4700;
const MOV_PC: u32 = 0x4687;
const REGISTER_BRANCH: u32 = 0xff87;
const POP_PC: u32 = 0xbd00;
/// BL; of its second halfword above, the bits that tell it from other branches and from barriers (ARMv7-M A7.7.18).
const BL: u32 = 0xd000_f000;
const BL_BITS: u32 = 0xd000_f800;
/// POP.W of registers that PC is among, and of PC alone (ARMv7-M A7.7.99).
const WIDE_POP: u32 = 0x8000_e8bd;
const WIDE_POP_BITS: u32 = 0x8000_ffff;
const WIDE_POP_PC: u32 = 0xfb04_f85d;

/// Whether an instruction may return from a function.
fn may_return(op: u32) -> bool {
    matches!(op & REGISTER_BRANCH, BX | MOV_PC)
        || op & 0xff00 == POP_PC
        || op & WIDE_POP_BITS == WIDE_POP
        || op == WIDE_POP_PC
}

/// Where a call returns to, if it is one that goes to `pc`.
fn return_address(last: u32, op: u32, pc: u32) -> Option<u32> {
    let is_wide = op & BL_BITS == BL;
    if op & REGISTER_BRANCH == BLX {
        Some(last.wrapping_add(2))
    } else {
        let next = last.wrapping_add(4);
        (is_wide && pc != next).then_some(next)
    }
}

/// Whether an instruction calls, or may return.
pub(super) fn may_leave(op: u32) -> bool {
    may_return(op) || op & REGISTER_BRANCH == BLX || op & BL_BITS == BL
}

/// Whether the instruction `op` at `last`, behind which comes the one at `pc`, calls or may return.
#[inline]
fn leaves(last: u32, op: u32, pc: u32) -> bool {
    may_return(op) || return_address(last, op, pc).is_some()
}

impl Calls {
    pub fn new(core: u8, task: u32, timed: Option<u32>) -> Self {
        let mut tree = Tree { nodes: Vec::new(), index: QuickMap::default(), truncated: false };
        let context = Context::new(&mut tree, Frame::Task(task));
        Self { core, tree, timed: TimedCalls::new(timed), weight: 1, contexts: vec![context], unstacking: None }
    }

    pub fn nodes(&self) -> &[Node] {
        &self.tree.nodes
    }

    pub fn is_truncated(&self) -> bool {
        self.tree.truncated
    }

    fn current(&mut self) -> (&mut Context, &mut Tree) {
        let Self { contexts, tree, .. } = self;
        if contexts.is_empty() {
            contexts.push(Context::new(tree, Frame::Task(0)));
        }
        let last = contexts.len() - 1;
        (&mut contexts[last], tree)
    }

    /// Adds to the costs of the function that is executed, and to those of all timed calls that the core is in.
    #[inline]
    pub fn spend(&mut self, add: impl Fn(&mut Costs)) {
        let (context, tree) = self.current();
        let node = context.function.node;
        add(&mut tree.nodes[node].costs);
        if self.timed.is_in_use() {
            for call in self.contexts.iter_mut().filter_map(|context| context.timed.as_mut()) {
                add(call.costs.entry((self.core, node)).or_default());
            }
        }
    }

    /// Whether a function is executed, and not only a task or a handler that has not come to one.
    pub fn is_in_function(&self) -> bool {
        self.contexts.last().is_some_and(|context| !context.function.range.is_empty())
    }

    /// The function that is executed, as it was called; none before any task or handler.
    pub fn called(&self) -> Option<&Function> {
        self.contexts.last().map(|context| &context.function)
    }

    /// The first address of the function that is executed; 0 between functions.
    pub fn function(&self) -> u32 {
        self.contexts.last().map_or(0, |context| context.function.start)
    }

    /// What no other call of a function in this task or handler has.
    pub fn call_number(&self) -> u32 {
        self.contexts.last().and_then(|context| context.calls.last()).map_or(0, |call| call.number)
    }

    /// The node of what is executed.
    pub fn node(&self) -> usize {
        self.contexts.last().map_or(0, |context| context.function.node)
    }

    /// The task or handler that is executed.
    pub fn root(&self) -> Frame {
        self.contexts.last().map_or(Frame::Task(0), |context| context.root)
    }

    /// First addresses of the function that called the one that is executed, and of that one; 0 where there is none.
    pub fn functions(&self) -> [u32; 2] {
        let caller = self.contexts.last().and_then(|context| context.calls.last());
        [caller.map_or(0, |call| call.caller.start), self.function()]
    }

    /// The first address of the function that the handler which is being entered interrupts, or that the last one did.
    pub fn interrupted(&self) -> u32 {
        let before = self.contexts.len().checked_sub(2);
        before.map_or(0, |number| self.contexts[number].function.start)
    }

    /// What is executed, the last one, and what that has interrupted: the node of each.
    pub fn path(&self) -> impl Iterator<Item = usize> {
        self.contexts.iter().map(|context| context.function.node)
    }

    /// The core comes out of reset, or the profile ends: no call returns any more.
    pub fn restart(&mut self) {
        self.timed.unfinished += self.contexts.iter().filter(|context| context.timed.is_some()).count() as u64;
        self.contexts.clear();
        self.unstacking = None;
    }

    /// Whether an instruction at `pc` is in the function that is executed, and comes neither by a call nor by a return.
    #[inline]
    pub fn stays(&self, pc: u32) -> bool {
        let Some(context) = self.contexts.last() else { return false };
        let Some((last, before)) = context.last else { return false };
        self.unstacking.is_none()
            && context.function.range.contains(&pc)
            && (pc == last.wrapping_add(2) || !leaves(last, before, pc))
    }

    /// The last instruction was in the function that is executed.
    pub fn set_last(&mut self, pc: u32, op: u32) {
        if let Some(context) = self.contexts.last_mut() {
            context.set_last(pc, op);
        }
    }

    /// The task or handler that is executed.
    #[inline]
    pub fn context(&mut self) -> Option<&mut Context> {
        self.contexts.last_mut()
    }

    /// The visit whose last instruction was the last one, and the task or handler that it is in. None if the next instruction
    /// may be elsewhere.
    pub fn visited(&mut self) -> Option<(u32, &mut Context)> {
        let context = self.contexts.last_mut().filter(|_| self.unstacking.is_none())?;
        Some((context.visit?, context))
    }

    /// No visits are known any more.
    pub fn forget_visits(&mut self) {
        for context in &mut self.contexts {
            context.visit = None;
        }
    }

    /// As `set_last`, of the last instruction of a visit.
    pub fn set_visited(&mut self, visit: u32, (pc, op): (u32, u32)) {
        if let Some(context) = self.contexts.last_mut() {
            context.set_last(pc, op);
            context.visit = Some(visit);
        }
    }

    /// The tree of calls.
    pub fn tree(&mut self) -> &mut Tree {
        &mut self.tree
    }

    /// The instruction `op` begins at `pc` in cycle `now`, in a task if it is in none of the handlers. How it came there.
    pub fn advance(&mut self, now: Cycle, pc: u32, op: u32, task: u32, places: &Places, parked: &mut Parked) -> Move {
        self.end_unstacking(now, task, parked);
        let by = self.follow(pc, op, task, places);
        let Self { contexts, timed, core, .. } = self;
        if timed.is_in_use()
            && let Some(context) = contexts.last_mut()
        {
            timed.follow(&mut context.timed, context.calls.len(), context.function.start, *core, now);
        }
        if by.enters() {
            let weight = self.weight;
            self.spend(|costs| costs.calls += weight);
        }
        by
    }

    /// See `advance`.
    fn follow(&mut self, pc: u32, op: u32, task: u32, places: &Places) -> Move {
        let in_task = self.contexts.len() <= 1;
        let (context, tree) = self.current();
        let Some((last, before)) = context.set_last(pc, op) else {
            let root = context.function.node;
            context.enter(tree, root, pc, places);
            return Move::Other { enters: true };
        };
        // An instruction that was abandoned begins again.
        if pc == last || pc == last.wrapping_add(2) && context.function.range.contains(&pc) {
            return Move::Stay;
        }
        if let Some(return_to) = return_address(last, before, pc) {
            let caller = context.function.clone();
            let node = caller.node;
            let is_followed = context.calls.len() < MAX_DEPTH;
            if is_followed {
                context.call(caller, return_to);
            }
            context.enter(tree, node, pc, places);
            return if is_followed { Move::Call { return_to } } else { Move::Other { enters: true } };
        }
        let depends_on_calls = may_return(before);
        if depends_on_calls {
            if let Some(at) = context.calls.iter().rposition(|call| call.return_to == pc) {
                let is_last = at + 1 == context.calls.len();
                context.function = context.calls.swap_remove(at).caller;
                context.calls.truncate(at);
                // A call may be the last instruction of its function.
                let is_behind = !context.function.range.contains(&pc);
                if is_behind {
                    context.jump(tree, pc, places);
                }
                return if is_last && !is_behind { Move::Return } else { Move::Other { enters: is_behind } };
            }
            // A kernel starts its first task by a branch.
            if in_task && context.root != Frame::Task(task) {
                context.calls.clear();
                context.timed = None;
                context.root = Frame::Task(task);
                context.jump(tree, pc, places);
                return Move::Other { enters: true };
            }
        }
        if context.function.range.contains(&pc) {
            return if depends_on_calls { Move::Other { enters: false } } else { Move::Stay };
        }
        let caller = context.jump(tree, pc, places) as u32;
        if depends_on_calls { Move::Other { enters: true } } else { Move::Jump { caller } }
    }

    /// Whether a task is executed, and no handler.
    pub fn is_in_task(&self) -> bool {
        matches!(self.root(), Frame::Task(number) if number != 0)
    }

    /// Whether an exception is entered that has not been chosen yet.
    pub fn is_entering(&self) -> bool {
        self.contexts.last().is_some_and(|context| context.root == Frame::Handler(0))
    }

    /// Whether the core comes back from an exception, and has not begun an instruction yet.
    pub fn is_unstacking(&self) -> bool {
        self.unstacking.is_some()
    }

    /// What is executed is interrupted, and its frame stored at an address.
    pub fn interrupt(&mut self, now: Cycle, frame_at: u32, task: u32, parked: &mut Parked) {
        self.end_unstacking(now, task, parked);
        let (context, tree) = self.current();
        context.frame_at = frame_at;
        let handler = Context::new(tree, Frame::Handler(0));
        self.contexts.push(handler);
    }

    /// The handler of an exception begins: the one that was entered, or one behind another.
    pub fn begin_handler(&mut self, exception: u8) {
        let (context, tree) = self.current();
        let unknown = (context.root == Frame::Handler(0)).then_some(context.function.node);
        let so_far = unknown.map(|node| std::mem::take(&mut tree.nodes[node].costs)).unwrap_or_default();
        *context = Context { frame_at: context.frame_at, ..Context::new(tree, Frame::Handler(exception)) };
        let node = context.function.node;
        let costs = &mut tree.nodes[node].costs;
        costs.add(&so_far);
        costs.calls += 1;
        for call in self.contexts.iter_mut().filter_map(|context| context.timed.as_mut()) {
            let so_far = unknown.and_then(|node| call.costs.remove(&(self.core, node))).unwrap_or_default();
            let costs = call.costs.entry((self.core, node)).or_default();
            costs.add(&so_far);
            costs.calls += 1;
        }
    }

    /// A handler has returned in cycle `now`: what follows is not its function's any more.
    pub fn end_handler(&mut self, now: Cycle) {
        let call = self.contexts.last_mut().and_then(|context| context.timed.take());
        if let Some(call) = call {
            self.timed.end(*call, self.core, now);
        }
        let (context, tree) = self.current();
        let frame_at = context.frame_at;
        *context = Context { frame_at, ..Context::new(tree, context.root) };
    }

    /// The frame at an address is read back.
    pub fn unstack(&mut self, frame_at: u32) {
        self.unstacking = Some(frame_at);
    }

    /// Goes on with what the frame that was read back belongs to.
    fn end_unstacking(&mut self, now: Cycle, task: u32, parked: &mut Parked) {
        let Some(frame_at) = self.unstacking.take() else { return };
        if self.contexts.len() > 1 {
            self.contexts.pop();
        }
        let in_task = self.contexts.len() <= 1;
        let (context, tree) = self.current();
        if !in_task {
            return;
        }
        if context.frame_at != frame_at {
            let known = parked.0.remove(&frame_at);
            if parked.0.len() >= MAX_PARKED {
                parked.0.clear();
            }
            let mut next = known.unwrap_or_else(|| Context::new(tree, Frame::Task(task)));
            if let Some(call) = &mut next.timed {
                call.away += now.saturating_sub(call.left_at);
            }
            let mut before = std::mem::replace(context, next);
            if let Some(call) = &mut before.timed {
                call.left_at = now;
            }
            parked.0.insert(before.frame_at, before);
            // It may come from the other core's tree.
            context.rebase(tree, Frame::Task(task));
        } else if context.root != Frame::Task(task) {
            context.rebase(tree, Frame::Task(task));
        }
    }
}
