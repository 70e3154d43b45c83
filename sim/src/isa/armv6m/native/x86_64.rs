//! Code for x86-64.
//!
//! R0 to R7 of the core are in R8D to R15D, all else of it stays where it is, behind RBX. RBP is the log, RCX the cycle of
//! the quantum in which the block began, corrected by what was lost since. RAX, RDX, RSI and RDI are free.

#![allow(clippy::useless_conversion, clippy::used_underscore_binding)] // what `dynasm!` becomes
#![allow(clippy::many_single_char_names)] // the operands of instructions

mod branch;
mod compute;
mod memory;
mod registers;
mod time;
mod trace;

use crate::engine::contended_sets::ContendedSets;
use crate::engine::gate::{self, CALLEE_SAVED};
use crate::engine::grant_log::{BusGrantLog, NativeContext, SLAVES};
use crate::engine::policy::Role;
use crate::isa::armv6m::Core;
use crate::isa::armv6m::code_cache::CodeView;
use crate::isa::armv6m::cycles;
use crate::isa::armv6m::native::region::{Block, BlockEnd};
use crate::isa::armv6m::native::{NativeExit, RegionContext};
use crate::isa::thumb::decode::{Code, Op, Reg};
use compute::live;
use dynasmrt::x64::Assembler;
use dynasmrt::{AssemblyOffset, DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use std::mem::offset_of;

const PC: i32 = offset_of!(Core<()>, pc) as i32;
const REGS: i32 = offset_of!(Core<()>, regs) as i32;
const SP: i32 = REGS + 4 * 13;
const LR: i32 = REGS + 4 * 14;
const NZ: i32 = offset_of!(Core<()>, nz) as i32;
const C: i32 = offset_of!(Core<()>, c) as i32;
const V: i32 = offset_of!(Core<()>, v) as i32;
const LIST: i32 = offset_of!(Core<()>, list) as i32;
const WRITEBACK: i32 = offset_of!(Core<()>, writeback) as i32;
const LOADS_BASE: i32 = offset_of!(Core<()>, loads_base) as i32;

const CONTEXT: i32 = offset_of!(BusGrantLog, native) as i32;
const END: i32 = offset_of!(BusGrantLog, end) as i32;
const LIMIT: i32 = offset_of!(BusGrantLog, limit) as i32;
const READ: i32 = offset_of!(BusGrantLog, read) as i32;
const WRITTEN: i32 = offset_of!(BusGrantLog, written) as i32;
const OVERWRITTEN: i32 = offset_of!(BusGrantLog, overwritten) as i32;
const LAST_REQUESTED: i32 = offset_of!(BusGrantLog, last_requested) as i32;
const LAST_GRANTED: i32 = offset_of!(BusGrantLog, last_granted) as i32;
const LOST: i32 = offset_of!(BusGrantLog, lost) as i32;
const SPECULATIVE_LOST: i32 = offset_of!(BusGrantLog, speculative_lost) as i32;
const REQUESTED: i32 = offset_of!(BusGrantLog, requested) as i32;
const PREVIOUS_REQUEST: i32 = offset_of!(BusGrantLog, previous_request) as i32;
const OVERWRITES: i32 = offset_of!(BusGrantLog, overwrites) as i32;
const CLOCK: i32 = CONTEXT + offset_of!(NativeContext, clock) as i32;
const COUNTS: i32 = CONTEXT + offset_of!(NativeContext, counts) as i32;
const RAM: i32 = CONTEXT + offset_of!(NativeContext, ram) as i32;
const TAGS: i32 = CONTEXT + offset_of!(NativeContext, tags) as i32;
const FLASH_AT: i32 = CONTEXT + offset_of!(NativeContext, flash) as i32;
const FLASH_BYTES: i32 = CONTEXT + offset_of!(NativeContext, flash_bytes) as i32;
const MRU: i32 = CONTEXT + offset_of!(NativeContext, mru) as i32;
const CODE: i32 = CONTEXT + offset_of!(NativeContext, code) as i32;
const TARGET: i32 = CONTEXT + offset_of!(NativeContext, target) as i32;
const TARGET_CODE: i32 = CONTEXT + offset_of!(NativeContext, target_code) as i32;
const USABLE_FROM: i32 = CONTEXT + offset_of!(NativeContext, usable_from) as i32;
const REGISTERS: i32 = offset_of!(BusGrantLog, registers) as i32;
const QUANTUM: i32 = CONTEXT + offset_of!(NativeContext, quantum) as i32;
const CONTENDED: i32 = offset_of!(BusGrantLog, contended) as i32;
const CONTENDED_NUMBER: i32 = CONTENDED + offset_of!(ContendedSets, number_of) as i32;

const TOUCHED: i32 = CONTEXT + offset_of!(NativeContext, touched) as i32;
const TOUCH: i32 = CONTEXT + offset_of!(NativeContext, touch) as i32;

const RAX: u8 = 0;
const RDX: u8 = 2;

/// Flags, a bit each.
const N_AND_Z: u8 = 1;
const CARRY: u8 = 2;
const OVERFLOW: u8 = 4;
const ALL: u8 = 7;

/// Where code begins and ends that is entered from Rust.
pub(crate) struct NativeEntry {
    enter: AssemblyOffset,
    leave: DynamicLabel,
}

impl NativeEntry {
    pub fn new(to: &mut Assembler) -> Self {
        let enter = to.offset();
        let leave = to.new_dynamic_label();
        for register in CALLEE_SAVED {
            dynasm!(to ; .arch x64 ; push Rq(register));
        }
        dynasm!(to ; .arch x64 ; mov rbx, rdi ; mov rbp, rsi ; mov ecx, [rbp + CLOCK]);
        for number in 0..8 {
            let at = REGS + 4 * i32::from(number);
            dynasm!(to ; .arch x64 ; mov Rd(8 + number), [rbx + at]);
        }
        dynasm!(to ; .arch x64 ; jmp rdx ; =>leave ; mov [rbp + CLOCK], ecx);
        for number in 0..8 {
            let at = REGS + 4 * i32::from(number);
            dynasm!(to ; .arch x64 ; mov [rbx + at], Rd(8 + number));
        }
        for register in CALLEE_SAVED.into_iter().rev() {
            dynasm!(to ; .arch x64 ; pop Rq(register));
        }
        dynasm!(to ; .arch x64 ; ret);
        Self { enter, leave }
    }

    /// Runs the code at an offset from `base`, where all code is. The number of the exit.
    pub fn enter<B>(&self, base: usize, offset: usize, core: &mut Core<B>, log: &mut BusGrantLog) -> u32 {
        gate::enter(base + self.enter.0, core, log, base + offset)
    }
}

/// How far a block has got, in what is not in the log yet.
#[derive(Clone, Copy, Default)]
struct BlockPosition {
    /// Cycles since the block began, those not counted that RCX was corrected by.
    cycle: i32,
    instructions: i32,
    /// The value of `cycle` when the last of them ended.
    begun: i32,
    /// Hits in the flash cache.
    hits: i32,
    /// The block stands in the trace.
    is_traced: bool,
    /// By slave, the cycle of the block in which the speculative core last asked for it, if that is not in the log yet.
    last_requested: [Option<i32>; SLAVES],
    /// Cycles that there was time for when the block began.
    room: i32,
}

impl BlockPosition {
    fn end_instruction(&mut self) {
        self.instructions += 1;
        self.begun = self.cycle;
    }
}

/// The slave that an access asks for.
#[derive(Clone, Copy)]
pub(crate) enum RequestedSlave {
    Known(u8),
    /// The one whose number is in RDI.
    NumberInRdi,
}

/// Code that is seldom executed, placed behind that of all blocks: its label, where the block was left, and what makes it.
type ColdPath<'a> = (DynamicLabel, BlockPosition, Box<dyn FnOnce(&mut Translator<'a>)>);

/// What the last comparison or result was, for the branch that follows it.
#[derive(Clone, Copy)]
enum Flags {
    InMemory,
    /// Of the comparison of a register with an immediate or with another register.
    Compared(Reg, Option<Reg>, i32),
    /// Of a register's value, but for C and V.
    Result(Reg),
}

/// Makes code of the blocks of a region, for one of the two cores of a quantum.
pub(crate) struct Translator<'a> {
    to: &'a mut Assembler,
    native_entry: &'a NativeEntry,
    role: Role,
    context: &'a RegionContext<'a>,
    cold_paths: Vec<ColdPath<'a>>,
    at: BlockPosition,
    /// For an instruction that may access a register: by which number a profile is told of the block up to it.
    up_to: Option<u32>,
    flags: Flags,
}

fn host_register(register: Reg) -> u8 {
    8 + register as u8
}

fn is_low(register: Reg) -> bool {
    (register as u8) < 8
}

fn register_offset(register: Reg) -> i32 {
    REGS + 4 * i32::from(register as u8)
}

impl<'a> Translator<'a> {
    pub fn new(
        to: &'a mut Assembler,
        native_entry: &'a NativeEntry,
        role: Role,
        context: &'a RegionContext<'a>,
    ) -> Self {
        Self {
            to,
            native_entry,
            role,
            context,
            cold_paths: Vec::new(),
            at: BlockPosition::default(),
            up_to: None,
            flags: Flags::InMemory,
        }
    }

    /// All blocks, in order of address.
    pub fn region(&mut self, blocks: &[Block]) {
        for (number, block) in blocks.iter().enumerate() {
            self.block(block, blocks.get(number + 1).map(|next| next.pc));
        }
        while let Some((label, at, make)) = self.cold_paths.pop() {
            dynasm!(self.to ; .arch x64 ; =>label);
            self.at = at;
            make(self);
        }
    }

    fn block(&mut self, block: &Block, next: Option<u32>) {
        let Some(label) = (self.context.label)(block.pc, self.role) else { return };
        dynasm!(self.to ; .arch x64 ; =>label);
        let (cycles, requests) = block.cycles();
        let waits = if self.role == Role::Replaying { requests } else { 0 };
        let room = (cycles + waits) as i32;
        self.at = BlockPosition { room, ..BlockPosition::default() };
        self.flags = Flags::InMemory;
        // There is time for it.
        let late = self.exit(block.pc, NativeExit::Stop);
        dynasm!(self.to ; .arch x64 ; lea eax, [rcx + room] ; cmp eax, [rbp + END] ; ja =>late);
        if self.context.place == CodeView::Flash {
            let words = super::fetched(block);
            if !words.is_empty() {
                let unknown = self.exit(block.pc, NativeExit::Unknown);
                self.require_mru(words, unknown);
            }
        }
        if self.context.traces && block.instructions() > 0 {
            let Some(number) = block.number else { return self.leave(block.pc, NativeExit::Stop) };
            self.trace_block(number);
        }
        let live = live(block);
        let mut pc = block.pc;
        for (number, (op, live)) in block.ops.iter().zip(live).enumerate() {
            self.up_to = block.up_to.get(number).copied().flatten();
            self.instruction(op, pc, live);
            pc = pc.wrapping_add(2);
        }
        match block.end {
            BlockEnd::Next => {
                self.flush_position();
                self.go_to(pc, next);
            }
            BlockEnd::Branch(op, target) => self.branch(&op, pc, target, next),
            BlockEnd::Call(op, target) => self.call(&op, pc, target),
            BlockEnd::Jump(op) if op.code == Code::PopPc => self.load_store_multiple(&op, pc),
            BlockEnd::Jump(op) => self.exchange(&op, pc),
            BlockEnd::Untranslated(_) => {
                self.flush_position();
                self.leave(pc, NativeExit::SlowPath);
            }
            BlockEnd::Undecoded => {
                self.flush_position();
                self.go_to(pc, None);
            }
        }
    }

    /// What one instruction does, and its last cycle.
    fn instruction(&mut self, op: &Op, pc: u32, live: u8) {
        match op.code {
            Code::LoadImm | Code::LoadReg | Code::LdrLiteral | Code::StoreImm | Code::StoreReg => self.access(op, pc),
            Code::Push | Code::Pop | Code::Stm | Code::Ldm => self.load_store_multiple(op, pc),
            _ => self.compute(op, pc, live),
        }
        self.finish(op, pc);
    }

    /// The cycles behind what an instruction computes or moves.
    fn finish(&mut self, op: &Op, pc: u32) {
        self.idle(cycles::of(op.code).idle);
        self.fetch(op.fetch, pc.wrapping_add(4));
        self.at.end_instruction();
    }

    /// Goes on at an address, where a block of this or another region may begin, after `flush_position`.
    fn go_to(&mut self, pc: u32, next: Option<u32>) {
        match (self.context.label)(pc, self.role) {
            Some(_) if next == Some(pc) => {}
            Some(label) => dynasm!(self.to ; .arch x64 ; jmp =>label),
            None => {
                // There may be code by then.
                let none = self.to.new_dynamic_label();
                let index = pc.wrapping_sub(self.context.source.base) as usize >> 1;
                if index < self.context.halves {
                    let target = self.context.targets[self.role as usize] + 4 * index;
                    dynasm!(self.to
                        ; .arch x64
                        ; mov rax, QWORD target as i64
                        ; mov eax, [rax]
                        ; test eax, eax
                        ; jz =>none
                        ; add rax, [rbp + CODE]
                        ; jmp rax
                    );
                }
                dynasm!(self.to ; .arch x64 ; =>none);
                self.leave(pc, NativeExit::Branch);
            }
        }
    }

    /// Leaves, after `flush_position`.
    fn leave(&mut self, pc: u32, exit: NativeExit) {
        let leave = self.native_entry.leave;
        dynasm!(self.to
            ; .arch x64
            ; mov DWORD [rbx + PC], pc as i32
            ; mov eax, exit as i32
            ; jmp =>leave
        );
    }

    /// Leaves a block before the instruction at `pc`.
    fn leave_block(&mut self, pc: u32, exit: NativeExit) {
        self.trace_end();
        self.flush_position();
        self.leave(pc, exit);
    }

    /// The label of a way out before the instruction at `pc`.
    fn exit(&mut self, pc: u32, exit: NativeExit) -> DynamicLabel {
        self.cold_path(move |to| to.leave_block(pc, exit))
    }

    /// The label of code that is made after all blocks, as if it stood here.
    fn cold_path(&mut self, make: impl FnOnce(&mut Self) + 'static) -> DynamicLabel {
        let label = self.to.new_dynamic_label();
        self.cold_paths.push((label, self.at, Box::new(make)));
        label
    }
}
