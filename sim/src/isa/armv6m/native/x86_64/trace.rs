//! What a profile will be told: blocks as they begin, and cycles that are lost in them.

use crate::core::profile::{Begun, Lost, STEPS, Wait};
use crate::engine::grant_log::BusGrantLog;
use crate::engine::policy::Role;
use crate::engine::trace::{Trace, side};
use crate::isa::armv6m::native::x86_64::{RequestedSlave, Translator};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use std::mem::{offset_of, size_of};

const TRACE: i32 = offset_of!(BusGrantLog, trace) as i32;
const COUNT: i32 = TRACE + offset_of!(Trace, count) as i32;
const BEGUN: i32 = TRACE + offset_of!(Trace, begun) as i32;
const ADDRESS: i32 = TRACE + offset_of!(Trace, address) as i32;
const ADDRESSES: i32 = TRACE + offset_of!(Trace, addresses) as i32;
const LOST_BYTES: i32 = TRACE + offset_of!(Trace, lost_bytes) as i32;
const LOST: i32 = TRACE + offset_of!(Trace, lost) as i32;
const WAITED: i32 = TRACE + offset_of!(Trace, waited) as i32;
const WAITS: i32 = TRACE + offset_of!(Trace, waits) as i32;

const CYCLE: i32 = offset_of!(Begun, cycle) as i32;
const DETAIL: i32 = offset_of!(Begun, detail) as i32;
const _: () = assert!(size_of::<Begun>() == 8 && DETAIL == CYCLE + 2, "code writes both halves at once");

/// The address that is asked for in a cycle.
#[derive(Clone, Copy)]
pub(crate) enum AskedAddress {
    Known(u32),
    /// The one that `trace_address` was told.
    Told,
}

impl Translator<'_> {
    /// Where the number of what this core has begun is, and the first of it.
    fn begun(&self) -> (i32, i32) {
        let side = side(self.role);
        (COUNT + 4 * side as i32, BEGUN + (side * STEPS * size_of::<Begun>()) as i32)
    }

    /// The block of this number begins. Changes RAX.
    pub(crate) fn trace_block(&mut self, number: u32) {
        let (count, begun) = self.begun();
        self.at.is_traced = true;
        dynasm!(self.to
            ; .arch x64
            ; mov eax, [rbp + count]
            ; mov DWORD [rbp + rax * 8 + begun], Begun::what(number) as i32
            ; mov [rbp + rax * 8 + (begun + CYCLE)], ecx
            ; add eax, 1
            ; mov [rbp + count], eax
        );
    }

    /// It ends here, before its end. Changes RAX.
    pub(crate) fn trace_end(&mut self) {
        if !self.at.is_traced {
            return;
        }
        let (count, begun) = self.begun();
        let executed = self.at.instructions as i16;
        if executed == 0 {
            dynasm!(self.to ; .arch x64 ; sub DWORD [rbp + count], 1);
        } else {
            let last = begun + DETAIL - size_of::<Begun>() as i32;
            dynasm!(self.to ; .arch x64 ; mov eax, [rbp + count] ; mov WORD [rbp + rax * 8 + last], executed);
        }
    }

    /// It ends here, with the last instruction of a block of another number. Changes RAX.
    pub(crate) fn trace_part(&mut self, number: u32) {
        let (count, begun) = self.begun();
        let last = begun - size_of::<Begun>() as i32;
        dynasm!(self.to
            ; .arch x64
            ; mov eax, [rbp + count]
            ; mov DWORD [rbp + rax * 8 + last], Begun::what(number) as i32
        );
    }

    /// What has begun last waits for as long as the known register behind RSI has it wait, if it does. Changes RAX, RDX and RDI.
    pub(crate) fn trace_wait(&mut self, wait: i32) {
        const {
            assert!(size_of::<Wait>() == 8 && offset_of!(Wait, slave) == 2 && offset_of!(Wait, begun) == 4);
        }
        let side = side(self.role);
        let (count, waited) = (self.begun().0, WAITED + 4 * side as i32);
        let waits = WAITS + (side * STEPS * size_of::<Wait>()) as i32;
        let none = self.to.new_dynamic_label();
        dynasm!(self.to
            ; .arch x64
            ; mov edi, [rsi + wait]
            ; test edi, edi
            ; jz =>none
            ; mov eax, [rbp + waited]
            ; mov edx, [rbp + count]
            ; mov [rbp + rax * 8 + waits], edi
            ; mov [rbp + rax * 8 + (waits + 4)], edx
            ; add eax, 1
            ; mov [rbp + waited], eax
            ; =>none
        );
    }

    /// The next cycle in which something is asked for is for the address in RAX.
    pub(crate) fn trace_address(&mut self) {
        if !self.context.traces {
            return;
        }
        match self.role {
            Role::Speculative => {
                let at = ADDRESSES + 4 * self.at.cycle;
                dynasm!(self.to ; .arch x64 ; mov [rbp + rcx * 4 + at], eax);
            }
            Role::Replaying => dynasm!(self.to ; .arch x64 ; mov [rbp + ADDRESS], eax),
            Role::Solo => {}
        }
    }

    /// The speculative core asks for an address in this cycle.
    pub(crate) fn trace_request(&mut self, address: AskedAddress) {
        if self.context.traces
            && let AskedAddress::Known(address) = address
        {
            let at = ADDRESSES + 4 * self.at.cycle;
            dynasm!(self.to ; .arch x64 ; mov DWORD [rbp + rcx * 4 + at], address as i32);
        }
    }

    /// One core loses `cycle` of the block, in which the replaying core asks for an address of the slave in RDI. Changes RAX and RSI.
    pub(crate) fn trace_lost(
        &mut self,
        cycle: i32,
        by_speculative: bool,
        (asked, address): (RequestedSlave, AskedAddress),
    ) {
        if !self.context.traces {
            return;
        }
        const {
            assert!(offset_of!(Lost, by_speculative) == 5 && offset_of!(Lost, behind) == 6);
            assert!(
                offset_of!(Lost, cycle) == 0 && offset_of!(Lost, beside_others) == 2 && offset_of!(Lost, slave) == 4
            );
        }
        let (address_at, begun_at) = (LOST + offset_of!(Lost, address) as i32, LOST + offset_of!(Lost, begun) as i32);
        let slave = if let RequestedSlave::Known(slave) = asked { i32::from(slave) } else { 0 };
        let how = self.at.begun << 16 | i32::from(by_speculative) << 8 | slave;
        let count = self.begun().0;
        dynasm!(self.to
            ; .arch x64
            ; mov eax, [rbp + LOST_BYTES]
            ; lea esi, [rcx + cycle]
            ; mov [rbp + rax + LOST], esi
            ; mov DWORD [rbp + rax + (LOST + 4)], how
            ; mov esi, [rbp + count]
            ; mov [rbp + rax + begun_at], esi
        );
        if let RequestedSlave::NumberInRdi = asked {
            dynasm!(self.to ; .arch x64 ; mov BYTE [rbp + rax + (LOST + 4)], dil);
        }
        match address {
            AskedAddress::Known(address) => {
                dynasm!(self.to ; .arch x64 ; mov DWORD [rbp + rax + address_at], address as i32);
            }
            AskedAddress::Told => {
                dynasm!(self.to ; .arch x64 ; mov esi, [rbp + ADDRESS] ; mov [rbp + rax + address_at], esi);
            }
        }
        dynasm!(self.to ; .arch x64 ; add eax, size_of::<Lost>() as i32 ; mov [rbp + LOST_BYTES], eax);
    }
}
