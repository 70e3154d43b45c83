//! Instructions that native code executes one after the other: a profile is told of all of them at once.

use crate::core::profile::calls::may_leave;
use crate::core::profile::lines::Lines;
use crate::core::profile::places::Places;
use crate::core::time::Cycle;
use std::collections::HashMap;

/// What a core has begun: one instruction, or a block of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Begun {
    /// The address of an instruction, or two times the number of a block, plus one.
    pub(crate) what: u32,
    /// The cycle of the quantum.
    pub(crate) cycle: u16,
    /// How many instructions of a block were executed, if not all.
    pub(crate) executed: u16,
}

impl Begun {
    pub const NOTHING: Self = Self { what: 0, cycle: 0, executed: 0 };

    /// One instruction.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the hot loop of a profile
    pub fn instruction(pc: u32, cycle: u32) -> Self {
        Self { what: pc, cycle: cycle as u16, executed: 0 }
    }

    /// What native code says of a block.
    pub const fn what(block: u32) -> u32 {
        block << 1 | 1
    }

    /// The number of the block, if it is one.
    #[inline]
    pub fn block(self) -> Option<u32> {
        (self.what & 1 != 0).then_some(self.what >> 1)
    }

    /// The same with all that is known of a block.
    #[inline]
    pub(super) fn of(self, blocks: &Blocks) -> What<'_> {
        let Some(number) = self.block() else { return What::Instruction(self.what) };
        let block = &blocks.all[number as usize];
        What::Block(block, if self.executed == 0 { block.begins.len() } else { usize::from(self.executed) })
    }
}

/// What a core has begun.
#[derive(Clone, Copy)]
pub(super) enum What<'a> {
    /// The instruction at an address.
    Instruction(u32),
    /// A block, of which so many instructions were executed.
    Block(&'a Block, usize),
}

impl What<'_> {
    /// The address of the first instruction.
    #[inline]
    pub fn pc(self) -> u32 {
        match self {
            Self::Instruction(pc) => pc,
            Self::Block(block, _) => block.pc,
        }
    }

    /// The address of the last instruction, and the halfwords there if they are known.
    #[inline]
    pub fn last(self) -> (u32, Option<u32>) {
        match self {
            Self::Instruction(pc) => (pc, None),
            Self::Block(block, executed) if executed == block.begins.len() => (block.last.0, Some(block.last.1)),
            Self::Block(block, executed) => (block.address(executed - 1), None),
        }
    }

    /// Whether its last instruction may call or return, as far as is known.
    #[inline]
    pub fn may_leave(self) -> bool {
        !matches!(self, Self::Block(block, executed) if executed == block.begins.len() && !block.may_leave)
    }
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BlockShape {
    /// The address of the first instruction. All but the last one have two bytes.
    pub pc: u32,
    /// By instruction, cycles from the beginning of the first one on, if none is lost.
    pub begins: Vec<u16>,
    /// The halfwords of the last one, the first one lowest.
    pub last_op: u32,
}

/// A block, and where a profile counts it.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub pc: u32,
    /// The address of the last instruction, and the two halfwords there.
    pub last: (u32, u32),
    /// Whether that may call or return.
    pub may_leave: bool,
    /// Cycles up to that, if none is lost.
    pub to_last: u16,
    /// See `BlockShape::begins`.
    pub begins: Vec<u16>,
    /// By cycle, up to the one in which the last instruction begins, the number of the instruction that is executed.
    by_cycle: Vec<u8>,
    /// By core, its place among the lines: times, and cycles of the last instruction.
    pub line: [usize; 2],
}

impl Block {
    /// The number of the instruction that is executed so many cycles after the beginning, if none is lost.
    pub fn instruction_at(&self, cycle: u32) -> usize {
        usize::from(self.by_cycle[(cycle as usize).min(self.by_cycle.len() - 1)])
    }

    /// The address of an instruction, by number.
    #[inline]
    pub fn address(&self, instruction: usize) -> u32 {
        self.pc.wrapping_add(2 * instruction as u32)
    }

    /// Cycles of an instruction but the last one, by number, if none is lost.
    pub fn cycles(&self, instruction: usize) -> Cycle {
        Cycle::from(self.begins[instruction + 1] - self.begins[instruction])
    }
}

/// All blocks that a profile has been told of.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub all: Vec<Block>,
    numbers: HashMap<BlockShape, u32>,
}

impl Blocks {
    /// The number of a block; none if it is not all in one function, or not in one place.
    pub fn number(&mut self, shape: &BlockShape, places: &Places, lines: [&mut Lines; 2]) -> Option<u32> {
        let &BlockShape { pc, ref begins, last_op } = shape;
        let to_last = *begins.last()?;
        let last = pc.wrapping_add(2 * (begins.len() as u32 - 1));
        let range = places.find(pc).map_or_else(|gap| gap, |place| place.range.clone());
        if !range.contains(&last) {
            return None;
        }
        if let Some(&number) = self.numbers.get(shape) {
            return Some(number);
        }
        let number = self.all.len() as u32;
        let line = lines.map(Lines::add);
        let (may_leave, last) = (may_leave(last_op), (last, last_op));
        let by_cycle = (0..=to_last).map(|cycle| begins.partition_point(|&begins| begins <= cycle) as u8 - 1).collect();
        self.all.push(Block { pc, last, may_leave, to_last, begins: begins.clone(), by_cycle, line });
        self.numbers.insert(shape.clone(), number);
        Some(number)
    }
}
