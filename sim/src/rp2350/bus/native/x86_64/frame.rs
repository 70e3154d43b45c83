//! What all routines share: how they are entered and left, what comes behind each core's part of a cycle, and arbitration.

use super::{DATA, LAST, PORT};
use crate::engine::gate::{self, CALLEE_SAVED};
use crate::isa::hazard3::Core;
use crate::rp2350::bus::PORTS;
use crate::rp2350::bus::native::{Context, Data, ENTRY_BYTES, Left, ROUTINES};
use crate::rp2350::bus::port::SHARED;
use dynasmrt::x64::Assembler;
use dynasmrt::{AssemblyOffset, DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use std::mem::offset_of;

const ASKS: i32 = offset_of!(Context, asks) as i32;
const LOSERS: i32 = offset_of!(Context, losers) as i32;
const CONFLICTS: i32 = offset_of!(Context, conflicts) as i32;
const ENTRIES: i32 = offset_of!(Context, entries) as i32;
const CODE: i32 = offset_of!(Context, code) as i32;
const LEFT: i32 = offset_of!(Context, left) as i32;
const EXECUTED: i32 = offset_of!(Context, executed) as i32;
const NEXT: i32 = offset_of!(Context, next) as i32;
const CONTESTED: i32 = offset_of!(Context, contested) as i32;
const SRAM_AT: i32 = offset_of!(Context, sram) as i32;

/// Bytes of the entries of a state.
const ROUTINE_BYTES: usize = ROUTINES * ENTRY_BYTES as usize;
// What a state asks for is found by a shift, and the routine for a port that waits by a number of entries.
const _: () = assert!(ROUTINE_BYTES.is_power_of_two() && ENTRY_BYTES == 4);

/// What all routines share.
pub(in crate::rp2350::bus::native) struct Frame {
    enter: AssemblyOffset,
    ways_out: [DynamicLabel; 2],
    contested: DynamicLabel,
    /// By core, the code that leaves before its part of a cycle, and that for a core which does nothing.
    pub unknown: [AssemblyOffset; 2],
    pub resting: [AssemblyOffset; 2],
}

impl Frame {
    pub fn new(to: &mut Assembler) -> Self {
        let enter = to.offset();
        let leave = to.new_dynamic_label();
        for register in CALLEE_SAVED {
            dynasm!(to ; .arch x64 ; push Rq(register));
        }
        dynasm!(to
            ; .arch x64
            ; mov rbx, rdi
            ; mov rbp, rsi
            ; mov r15, [rbp + SRAM_AT]
            ; mov r10, [rbp + ENTRIES]
            ; mov r11, [rbp + CODE]
            ; mov r14, [rbp + LEFT]
            ; mov r12d, [rbp + NEXT]
            ; mov r13d, [rbp + NEXT + 4]
            ; xor r8d, r8d
            ; jmp rdx
            ; =>leave
            ; mov [rbp + NEXT], r12d
            ; mov [rbp + NEXT + 4], r13d
            ; mov [rbp + LEFT], r14
            ; mov [rbp + EXECUTED], r8
        );
        for register in CALLEE_SAVED.into_iter().rev() {
            dynasm!(to ; .arch x64 ; pop Rq(register));
        }
        dynasm!(to ; .arch x64 ; ret);
        let unknown = [to.offset(); 2];
        let [before, before_core_1, contested] = [(); 3].map(|()| to.new_dynamic_label());
        let mut frame = Self { enter, ways_out: [before, before_core_1], contested, unknown, resting: unknown };
        for (number, label) in frame.ways_out.into_iter().enumerate() {
            frame.unknown[number] = to.offset();
            dynasm!(to ; .arch x64 ; =>label ; mov eax, number as i32 ; jmp =>leave);
        }
        frame.resting[0] = to.offset();
        dynasm!(to ; .arch x64 ; xor esi, esi ; xor edi, edi);
        frame.end_of_part(to, 0);
        frame.resting[1] = to.offset();
        dynasm!(to ; .arch x64 ; mov eax, esi);
        frame.end_of_part(to, 1);
        dynasm!(to ; .arch x64 ; =>contested);
        frame.arbitrate(to);
        frame
    }

    /// Runs routines, core 0's at an offset from `base` first.
    pub fn enter(&self, base: usize, offset: usize, cores: &mut [Core; 2], context: &mut Context) -> Left {
        Left::of(gate::enter(base + self.enter.0, cores, context, base + offset))
    }

    pub(super) fn way_out(&self, left: Left) -> DynamicLabel {
        self.ways_out[left as usize]
    }

    /// The end of a core's part of a cycle; behind that of core 1, whose sum is in EAX, the end of the cycle.
    pub(super) fn end_of_part(&self, to: &mut Assembler, core: usize) {
        if core == 0 {
            dynasm!(to ; .arch x64 ; mov eax, [r10 + r13] ; add rax, r11 ; jmp rax);
        } else {
            let contested = self.contested;
            dynasm!(to ; .arch x64 ; cmp eax, edi ; jne =>contested);
            self.next_cycle(to);
        }
    }

    fn next_cycle(&self, to: &mut Assembler) {
        let over = self.way_out(Left::Before);
        dynasm!(to ; .arch x64 ; dec r14 ; jz =>over ; mov eax, [r10 + r12] ; add rax, r11 ; jmp rax);
    }

    /// The end of a cycle in which some port is asked for more than once: cores go on with routines for ports that wait.
    fn arbitrate(&self, to: &mut Assembler) {
        const MASKS: [u8; 4] = [6, 7, 8, 9]; // ESI, EDI, R8D, R9D: what each of the ports asks for
        let again = to.new_dynamic_label();
        let routine_bits = ROUTINE_BYTES.trailing_zeros() as i8;
        dynasm!(to ; .arch x64 ; mov [rbp + EXECUTED], r8 ; mov rax, [rbp + ASKS]);
        for (core, next) in [12, 13].into_iter().enumerate() {
            let (fetch, data) = (MASKS[2 * core], MASKS[2 * core + 1]);
            let port = DATA + (core * size_of::<Data>()) as i32 + PORT;
            let no_access = to.new_dynamic_label();
            dynasm!(to
                ; .arch x64
                ; mov ecx, Rd(next)
                ; shr ecx, routine_bits
                ; mov Rd(fetch), [rax + rcx * 4]
                ; xor Rd(data), Rd(data)
                ; btr Rd(fetch), 31
                ; jnc =>no_access
                ; mov ecx, [rbp + port]
                ; bts Rd(data), ecx
                ; =>no_access
            );
        }
        // In EAX, the ports that are asked for more than once.
        dynasm!(to ; .arch x64 ; xor eax, eax ; xor ecx, ecx);
        for mask in MASKS {
            dynasm!(to ; .arch x64 ; mov edx, ecx ; and edx, Rd(mask) ; or eax, edx ; or ecx, Rd(mask));
        }
        dynasm!(to ; .arch x64 ; mov [rbp + CONTESTED], eax ; =>again ; bsf ecx, [rbp + CONTESTED] ; xor edx, edx);
        for mask in MASKS.into_iter().rev() {
            dynasm!(to ; .arch x64 ; bt Rd(mask), ecx ; adc edx, edx);
        }
        dynasm!(to
            ; .arch x64
            ; movzx eax, BYTE [rbp + rcx + LAST]
            ; shl eax, PORTS as i8
            ; add eax, edx
            ; add rax, [rbp + LOSERS]
            ; movzx eax, BYTE [rax]
        );
        for (core, next) in [12, 13].into_iter().enumerate() {
            let conflicts = CONFLICTS + (core * size_of::<[u32; SHARED + 1]>()) as i32;
            // Two bits are as many as their number less half of it.
            dynasm!(to
                ; .arch x64
                ; mov edx, eax
                ; and edx, 3
                ; lea Rd(next), [Rq(next) + rdx * 4]
                ; add [rbp + rcx * 4 + conflicts], edx
                ; shr edx, 1
                ; sub [rbp + rcx * 4 + conflicts], edx
                ; shr eax, 2
            );
        }
        dynasm!(to
            ; .arch x64
            ; mov eax, [rbp + CONTESTED]
            ; btr eax, ecx
            ; mov [rbp + CONTESTED], eax
            ; test eax, eax
            ; jnz =>again
            ; mov r8, [rbp + EXECUTED]
        );
        self.next_cycle(to);
    }
}
