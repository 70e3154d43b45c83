//! Which instructions are translated together: all that follow from one place by branches whose targets stand in them.

use crate::core::access::Width;
use crate::core::bus::Slave;
use crate::isa::armv6m::cycles::{self, BRANCH, CALL, POP_PC};
use crate::isa::armv6m::wide::branch_target;
use crate::isa::thumb::decode::{Code, Op, Reg};
use std::collections::BTreeSet;

/// Blocks of the largest region.
const BLOCKS: usize = 64;
/// Instructions of the longest block. There must be time for all of a block when it begins, so that long ones end a run of code
/// early; from eight on, the beginnings of blocks cost nothing that could be measured.
const LENGTH: usize = 8;

/// Instructions that follow each other.
pub(crate) struct Block {
    /// The address of the first one.
    pub pc: u32,
    /// Each of two bytes.
    pub ops: Vec<Op>,
    pub end: BlockEnd,
    /// By which number a profile is told of it; none if there is no profile, or if it must be told of each instruction.
    pub number: Option<u32>,
    /// The same of a block that ends with one of the instructions, for those that may access a register.
    pub up_to: Vec<Option<u32>>,
}

/// What follows the instructions of a block.
pub(crate) enum BlockEnd {
    /// Those of another block, at this address.
    Next,
    /// A branch: if its condition holds, it goes to the target.
    Branch(Op, u32),
    /// BL.
    Call(Op, u32),
    /// BX, or POP with PC.
    Jump(Op),
    /// An instruction that is not translated, of so many bytes.
    Untranslated(u32),
    /// Nothing that was decoded.
    Undecoded,
}

impl Block {
    /// The address behind its instructions, of what ends it.
    pub fn end_pc(&self) -> u32 {
        self.pc.wrapping_add(2 * self.ops.len() as u32)
    }

    /// Instructions that are translated.
    pub fn instructions(&self) -> usize {
        let ends = matches!(self.end, BlockEnd::Branch(..) | BlockEnd::Call(..) | BlockEnd::Jump(_));
        self.ops.len() + usize::from(ends)
    }

    /// By instruction, cycles from the beginning of the block on, waits not counted.
    pub fn begins(&self) -> Vec<u16> {
        let each = self.ops.iter().map(|op| cycles::of(op.code).count() as u16 + words_moved(op) as u16);
        let ends = each.scan(0, |sum, cycles| {
            *sum += cycles;
            Some(*sum)
        });
        std::iter::once(0).chain(ends).take(self.instructions()).collect()
    }

    /// Cycles that it takes at most, waits not counted, and in how many of them it asks for something.
    pub fn cycles(&self) -> (u32, u32) {
        let last = match self.end {
            BlockEnd::Next | BlockEnd::Untranslated(_) | BlockEnd::Undecoded => 0,
            BlockEnd::Branch(..) => BRANCH.count(),
            BlockEnd::Call(..) => CALL.count(),
            BlockEnd::Jump(op) => POP_PC.count() + words_moved(&op) as u32,
        };
        let moved: u32 = self.ops.iter().map(|op| words_moved(op) as u32).sum();
        let behind: u32 = self.ops.iter().map(|op| cycles::of(op.code).count()).sum();
        let fetches = self.ops.iter().filter(|op| op.fetch != Slave::INTERNAL).count() as u32;
        (moved + behind + last, moved + fetches + last)
    }
}

/// Whether it loads or stores a word that may be a register.
pub(crate) fn may_access_register(op: &Op) -> bool {
    let moves_word = matches!(op.code, Code::LoadImm | Code::LoadReg | Code::StoreImm | Code::StoreReg);
    moves_word && op.width == Width::Word && op.n != Reg::Sp
}

/// How many words of data an instruction moves.
pub(crate) fn words_moved(op: &Op) -> usize {
    match op.code {
        Code::LoadImm | Code::LoadReg | Code::LdrLiteral | Code::StoreImm | Code::StoreReg => 1,
        Code::Push | Code::Pop | Code::Stm | Code::Ldm => op.immediate.count_ones() as usize,
        Code::PopPc => op.immediate.count_ones() as usize + 1,
        _ => 0,
    }
}

/// Whether LDM, STM, PUSH or POP moves something, and does not load the register that it counts up.
fn moves_plainly(op: &Op) -> bool {
    let loads_base = op.code == Code::Ldm && op.immediate as u16 >> op.n as u16 & 1 != 0;
    matches!(op.code, Code::Push | Code::Pop | Code::Stm | Code::Ldm) && op.immediate != 0 && !loads_base
}

/// What was decoded of a place, and the address of the first.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub ops: &'a [Op],
    pub base: u32,
}

impl Source<'_> {
    /// The number of the halfword at an address.
    pub fn index(&self, pc: u32) -> usize {
        (pc.wrapping_sub(self.base) >> 1) as usize
    }

    fn op(&self, pc: u32) -> Option<Op> {
        let op = self.ops.get(self.index(pc))?;
        (op.code != Code::Undecoded).then_some(*op)
    }

    /// Where a branch goes, if it was ever taken or followed.
    pub fn is_decoded(&self, pc: u32) -> bool {
        self.op(pc).is_some()
    }
}

/// The region that begins at `entry`, its blocks by address. `half` reads memory; what `is_known` was translated before.
pub(crate) fn discover(
    source: Source,
    entry: u32,
    half: impl Fn(u32) -> Option<u16>,
    is_known: impl Fn(u32) -> bool,
) -> Vec<Block> {
    let mut starts = BTreeSet::from([entry]);
    let mut waiting = vec![entry];
    while let Some(start) = waiting.pop() {
        let block = block(source, start, &half, &|_| false);
        for next in follows(&block) {
            if starts.len() < BLOCKS && source.is_decoded(next) && !is_known(next) && starts.insert(next) {
                waiting.push(next);
            }
        }
    }
    starts.iter().map(|&start| block(source, start, &half, &|pc| starts.contains(&pc) || is_known(pc))).collect()
}

/// The addresses where execution goes on, or comes back to.
fn follows(block: &Block) -> impl Iterator<Item = u32> {
    let pc = block.end_pc();
    let (after, target) = match block.end {
        BlockEnd::Next => (Some(pc), None),
        BlockEnd::Branch(op, target) if op.code == Code::B => (None, Some(target)),
        BlockEnd::Branch(_, target) => (Some(pc.wrapping_add(2)), Some(target)),
        BlockEnd::Call(_, target) => (Some(pc.wrapping_add(4)), Some(target)),
        BlockEnd::Untranslated(bytes) => (Some(pc.wrapping_add(bytes)), None),
        BlockEnd::Jump(_) | BlockEnd::Undecoded => (None, None),
    };
    after.into_iter().chain(target)
}

/// The block at an address, up to where another one begins.
fn block(source: Source, start: u32, half: &impl Fn(u32) -> Option<u16>, begins: &impl Fn(u32) -> bool) -> Block {
    let mut ops = Vec::new();
    let mut pc = start;
    let end = loop {
        if ops.len() == LENGTH || (pc != start && begins(pc)) {
            break BlockEnd::Next;
        }
        let Some(op) = source.op(pc) else { break BlockEnd::Undecoded };
        match op.code {
            Code::Wide => {
                let second = half(pc.wrapping_add(2));
                let target = second.and_then(|second| branch_target(pc, op.immediate as u16, second));
                break target.map_or(BlockEnd::Untranslated(4), |target| BlockEnd::Call(op, target));
            }
            code if code.branches_directly() => {
                break BlockEnd::Branch(op, pc.wrapping_add(4).wrapping_add(op.immediate as i32 as u32));
            }
            Code::Bx | Code::PopPc => break BlockEnd::Jump(op),
            code if code.needs_slow_path() && !moves_plainly(&op) => break BlockEnd::Untranslated(2),
            _ => ops.push(op),
        }
        pc = pc.wrapping_add(2);
    };
    Block { pc: start, ops, end, number: None, up_to: Vec::new() }
}
