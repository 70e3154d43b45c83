//! Instructions that native code executes one after the other: a profile is told of all of them at once.

#![allow(clippy::inline_always)] // the hot loop of a profile: measured, see bench/observation.py

use crate::core::profile::calls::may_leave;
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
    /// How many instructions of a block were executed, if not all; of one instruction, its first halfword.
    pub(crate) detail: u16,
}

/// Blocks that are told apart, at most.
const MAX_BLOCKS: usize = 1 << 26;

/// Of BL, the only instruction of ARMv6-M of two halfwords that calls, what tells the second one from others.
const WIDE: u32 = 0xd000;

/// MOVS R0, R0.
const GOES_ON: u16 = 0;

/// An instruction of ARMv6-M as `Profile::instruction` is told of it, by its first halfword: the second one may not have come yet.
#[inline(always)]
pub(crate) fn op_of(half: u16) -> u32 {
    u32::from(half) | WIDE << 16
}

impl Begun {
    pub const NOTHING: Self = Self { what: 0, cycle: 0, detail: 0 };

    /// One instruction, by its first halfword.
    #[inline(always)]
    pub fn instruction(pc: u32, half: u16, cycle: u32) -> Self {
        Self { what: pc, cycle: cycle as u16, detail: half }
    }

    /// What native code says of a block.
    pub const fn what(block: u32) -> u32 {
        block << 1 | 1
    }

    /// By which this is told from all others.
    #[inline(always)]
    pub(super) fn key(self) -> u64 {
        u64::from(self.what) | u64::from(self.detail) << 32
    }

    /// The number of the block, if it is one.
    #[inline]
    pub fn block(self) -> Option<u32> {
        (self.what & 1 != 0).then_some(self.what >> 1)
    }

    /// The address of the first instruction.
    #[inline]
    pub(super) fn pc(self, blocks: &Blocks) -> u32 {
        self.block().map_or(self.what, |number| blocks.all[number as usize].pc)
    }

    /// How many instructions, and cycles up to the last one, if none is lost.
    pub(super) fn length(self, blocks: &Blocks) -> (u16, u16) {
        let Some(number) = self.block() else { return (1, 0) };
        let begins = &blocks.all[number as usize].begins;
        let executed = if self.detail == 0 { begins.len() } else { usize::from(self.detail) };
        (executed as u16, begins[executed - 1])
    }

    /// The address of the last instruction, and the instruction: any that goes on to the next one, if a block was left early.
    pub(super) fn last(self, blocks: &Blocks) -> (u32, u32) {
        let Some(number) = self.block() else { return (self.what, op_of(self.detail)) };
        let block = &blocks.all[number as usize];
        let last = block.pc.wrapping_add(2 * (u32::from(self.length(blocks).0) - 1));
        (last, op_of(if self.detail == 0 { block.last_half } else { GOES_ON }))
    }

    /// The number of the instruction that is executed so many cycles after the beginning, if none is lost.
    pub(super) fn instruction_at(self, cycle: usize, blocks: &Blocks) -> usize {
        let Some(number) = self.block() else { return 0 };
        blocks.all[number as usize].begins.partition_point(|&begins| usize::from(begins) <= cycle) - 1
    }

    /// Cycles of an instruction but the last one, by number, if none is lost.
    pub(super) fn cycles(self, instruction: usize, blocks: &Blocks) -> Cycle {
        let Some(number) = self.block() else { return 0 };
        let begins = &blocks.all[number as usize].begins;
        Cycle::from(begins[instruction + 1] - begins[instruction])
    }
}

/// A cycle that one core has lost to the other, or to another master.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Lost {
    /// The cycle of the quantum.
    pub cycle: u16,
    /// The number of the master that took it, plus one, if another one than a core asked for the slave, too; else 0.
    pub beside_others: u16,
    pub slave: u8,
    /// Whether the speculative core has lost it.
    pub by_speculative: bool,
    /// Cycles from the beginning of the block that the replaying core executes to that of its instruction, if none is lost.
    pub behind: u16,
    /// What the replaying core asked for.
    pub address: u32,
    /// How much the replaying core had begun.
    pub begun: u32,
}

/// Cycles that a core has waited for a slave in the last instruction of what it had begun.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Wait {
    pub cycles: u16,
    pub slave: u16,
    /// How much it had begun.
    pub begun: u32,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BlockShape {
    /// The address of the first instruction. All but the last one have two bytes.
    pub pc: u32,
    /// By instruction, cycles from the beginning of the first one on, if none is lost.
    pub begins: Vec<u16>,
    /// The first halfword of the last one.
    pub last_half: u16,
}

/// Where a block is among those of its function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Where the function begins, or the memory around the block that no function has.
    pub range: u32,
    /// Two times its number among them, plus one if its last instruction calls, or may return.
    how: u32,
}

impl Member {
    /// Its number among those of its function.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.how >> 1
    }

    /// Whether its last instruction calls, or may return.
    #[inline(always)]
    pub fn may_leave(self) -> bool {
        self.how & 1 != 0
    }
}

/// All blocks that a profile has been told of.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    all: Vec<BlockShape>,
    members: Vec<Member>,
    /// By the beginning of a function, the numbers of its blocks.
    of_function: HashMap<u32, Vec<u32>>,
    numbers: HashMap<BlockShape, u32>,
}

impl Blocks {
    /// The number of a block; none if it is not all in one function, or not in one place.
    pub fn number(&mut self, shape: &BlockShape, places: &Places) -> Option<u32> {
        let last = shape.pc.wrapping_add(2 * (shape.begins.len() as u32).checked_sub(1)?);
        let range = places.find(shape.pc).map_or_else(|gap| gap, |place| place.range.clone());
        if !range.contains(&last) {
            return None;
        }
        if let Some(&number) = self.numbers.get(shape) {
            return Some(number);
        }
        if self.all.len() >= MAX_BLOCKS {
            return None;
        }
        let number = self.all.len() as u32;
        self.all.push(shape.clone());
        let of_function = self.of_function.entry(range.start).or_default();
        let how = (of_function.len() as u32) << 1 | u32::from(may_leave(op_of(shape.last_half)));
        self.members.push(Member { range: range.start, how });
        of_function.push(number);
        self.numbers.insert(shape.clone(), number);
        Some(number)
    }

    /// Where a block is in its function, if it is one and was executed to its end.
    #[inline(always)]
    pub fn member(&self, begun: Begun) -> Option<Member> {
        if begun.what & 1 == 0 || begun.detail != 0 {
            None
        } else {
            self.members.get(begun.what as usize >> 1).copied()
        }
    }

    /// The numbers of all blocks of a function, by where it begins.
    pub fn of_function(&self, range: u32) -> &[u32] {
        self.of_function.get(&range).map_or(&[], Vec::as_slice)
    }
}
