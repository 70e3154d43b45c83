//! Loads and stores of registers that are known ([`KnownRegisters`]).

use crate::core::access::Width;
use crate::engine::known_registers::{KNOWN, KnownRegister, KnownRegisters, NativeStore, STORES};
use crate::engine::policy::Role;
use crate::isa::armv6m::native::x86_64::memory::is_load;
use crate::isa::armv6m::native::x86_64::{END, LIMIT, REGISTERS, Translator, host_register};
use crate::isa::thumb::decode::Op;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use std::mem::{offset_of, size_of};

const KNOWN_AT: i32 = REGISTERS + offset_of!(KnownRegisters, known) as i32;
const WRITABLE: i32 = REGISTERS + offset_of!(KnownRegisters, writable) as i32;
const STORES_AT: i32 = REGISTERS + offset_of!(KnownRegisters, stores) as i32;
const STORED: i32 = REGISTERS + offset_of!(KnownRegisters, stored) as i32;
const READS: i32 = REGISTERS + offset_of!(KnownRegisters, reads) as i32;
const ADDRESS: i32 = offset_of!(KnownRegister, address) as i32;
const VALUE: i32 = offset_of!(KnownRegister, value) as i32;
const BEFORE: i32 = offset_of!(KnownRegister, before) as i32;
const BEFORE_LIMIT: i32 = offset_of!(KnownRegister, before_limit) as i32;
const MORE_CYCLES: i32 = offset_of!(KnownRegister, more_cycles) as i32;
const TIMES: i32 = offset_of!(KnownRegister, reads) as i32;
const READ_AT: i32 = offset_of!(KnownRegister, read_at) as i32;
const WAIT: i32 = offset_of!(KnownRegister, wait) as i32;

// Bits 3:2 of an address, where they stand in it, times 8 are the offset of a known register, and times 1 that of an address
// that may be written.
const _: () = assert!(size_of::<KnownRegister>() == 32 && KNOWN == 4);
const SLOT: i32 = 4 * (KNOWN as i32 - 1);
// A store is found by a shift.
const _: () = assert!(size_of::<NativeStore>() == 1 << STORE_SHIFT);
const STORE_SHIFT: i8 = 4;

/// What comes behind an access to a register.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// The rest of the block, at this label.
    GoesOn(DynamicLabel),
    /// In a traced run, the code for the next instruction: the access, at `pc`, is the last one of a block of this number. So
    /// cycles that it waits are those of a last instruction.
    PartEnds { number: u32, pc: u32 },
}

impl Translator<'_> {
    /// The label of code that accesses the register at the address in RAX, if it is known, or goes on at `slow` if it is not.
    pub(crate) fn known_register(&mut self, op: &Op, slow: DynamicLabel, then: Then) -> DynamicLabel {
        let op = *op;
        let is_told = !self.context.traces || matches!(then, Then::PartEnds { .. });
        if !is_told || op.width != Width::Word {
            return slow;
        }
        match (self.role, is_load(&op)) {
            (_, true) => self.cold_path(move |to| to.read_known_register(&op, slow, then)),
            (Role::Speculative | Role::Solo, false) => {
                self.cold_path(move |to| to.write_known_register(&op, slow, then))
            }
            _ => slow,
        }
    }

    /// The rest of an instruction that has accessed a known register.
    fn end_access(&mut self, op: &Op, then: Then) {
        match then {
            Then::GoesOn(done) => dynasm!(self.to ; .arch x64 ; jmp =>done),
            Then::PartEnds { number, pc } => {
                self.trace_part(number);
                self.at.cycle += 1;
                self.finish(op, pc);
                self.flush_position();
                self.go_to(pc.wrapping_add(2), None);
            }
        }
    }

    fn read_known_register(&mut self, op: &Op, slow: DynamicLabel, then: Then) {
        let (cycle, d) = (self.at.cycle, host_register(op.d));
        dynasm!(self.to
            ; .arch x64
            ; mov esi, eax
            ; and esi, SLOT
            ; lea rsi, [rbp + rsi * 8 + KNOWN_AT]
            ; cmp [rsi + ADDRESS], eax
            ; jne =>slow
        );
        if self.role == Role::Speculative {
            // It knows registers of its I/O port only, which stay as they are for as long as it runs ahead.
            dynasm!(self.to ; .arch x64 ; add ecx, [rsi + MORE_CYCLES]);
        } else {
            let room = self.at.room; // of this block: cold paths are made after all of them
            dynasm!(self.to
                ; .arch x64
                ; lea edx, [rcx + cycle]
                ; cmp edx, [rsi + BEFORE]
                ; jae =>slow
                ; sub edx, [rbp + LIMIT]
                ; cmp edx, [rsi + BEFORE_LIMIT]
                ; jge =>slow
                ; mov edi, [rsi + MORE_CYCLES]
                ; add edi, ecx
                ; lea eax, [rdi + room]
                ; cmp eax, [rbp + END]
                ; ja =>slow
                ; mov ecx, edi
                ; mov [rsi + READ_AT], edx
            );
            if self.context.traces {
                self.trace_wait(WAIT);
            }
        }
        dynasm!(self.to
            ; .arch x64
            ; add DWORD [rsi + TIMES], 1
            ; add DWORD [rbp + READS], 1
            ; mov Rd(d), [rsi + VALUE]
        );
        self.end_access(op, then);
    }

    fn write_known_register(&mut self, op: &Op, slow: DynamicLabel, then: Then) {
        let (cycle, d) = (self.at.cycle, host_register(op.d));
        dynasm!(self.to
            ; .arch x64
            ; mov esi, eax
            ; and esi, SLOT
            ; cmp [rbp + rsi + WRITABLE], eax
            ; jne =>slow
            ; mov esi, [rbp + STORED]
            ; cmp esi, STORES as i32
            ; jae =>slow
            ; add DWORD [rbp + STORED], 1
            ; shl esi, STORE_SHIFT
            ; lea edx, [rcx + cycle]
            ; mov [rbp + rsi + STORES_AT], edx
            ; mov [rbp + rsi + (STORES_AT + 4)], eax
            ; mov [rbp + rsi + (STORES_AT + 8)], Rd(d)
            ; sub ecx, 1
        );
        self.end_access(op, then);
    }
}
