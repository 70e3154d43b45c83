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

// Bits 3:2 of an address, where they stand in it, times 8 are the offset of a known register, and times 1 that of an address
// that may be written.
const _: () = assert!(size_of::<KnownRegister>() == 32 && KNOWN == 4);
const SLOT: i32 = 4 * (KNOWN as i32 - 1);
// A store is found by a shift.
const _: () = assert!(size_of::<NativeStore>() == 1 << STORE_SHIFT);
const STORE_SHIFT: i8 = 4;

impl Translator<'_> {
    /// The label of code that accesses the register at the address in RAX, if it is known, and goes on at `done`, or at `slow` if it
    /// is not.
    pub(crate) fn known_register(&mut self, op: &Op, slow: DynamicLabel, done: DynamicLabel) -> DynamicLabel {
        let op = *op;
        if self.context.traces || op.width != Width::Word {
            return slow;
        }
        match (self.role, is_load(&op)) {
            (_, true) => self.cold_path(move |to| to.read_known_register(&op, slow, done)),
            (Role::Speculative | Role::Solo, false) => {
                self.cold_path(move |to| to.write_known_register(&op, slow, done))
            }
            _ => slow,
        }
    }

    fn read_known_register(&mut self, op: &Op, slow: DynamicLabel, done: DynamicLabel) {
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
            let room = self.room;
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
        }
        dynasm!(self.to
            ; .arch x64
            ; add DWORD [rsi + TIMES], 1
            ; add DWORD [rbp + READS], 1
            ; mov Rd(d), [rsi + VALUE]
            ; jmp =>done
        );
    }

    fn write_known_register(&mut self, op: &Op, slow: DynamicLabel, done: DynamicLabel) {
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
            ; jmp =>done
        );
    }
}
