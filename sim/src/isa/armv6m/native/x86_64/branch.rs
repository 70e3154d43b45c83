//! Branches: whether they are taken, and what they fetch.

use crate::core::bus::Slave;
use crate::isa::armv6m::code_cache::CodeView;
use crate::isa::armv6m::native::x86_64::trace::AskedAddress;
use crate::isa::armv6m::native::x86_64::{
    C, CODE, Flags, LR, MRU, NZ, QUANTUM, RAX, RequestedSlave, TARGET, TARGET_CODE, Translator, USABLE_FROM, V,
    host_register,
};
use crate::isa::armv6m::native::{NativeExit, RegionContext, Role, fetched_by_branch};
use crate::isa::thumb::decode::{Code, Op};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

impl Translator<'_> {
    /// A branch to a target: what it fetches in its last two cycles, or a way out before it.
    pub(crate) fn go(&mut self, target: u32) {
        self.fetch(self.context.slave(target), target & !3);
        let second = target.wrapping_add(2);
        self.fetch(if target & 2 == 0 { Slave::INTERNAL } else { self.context.slave(second) }, second);
        self.at.end_instruction();
        self.flush_position();
        self.go_to(target, None);
    }

    /// Leaves if one of these words of flash, which are about to be read, is not known. Changes RAX, RDX and RDI.
    pub(crate) fn require_mru(&mut self, words: impl IntoIterator<Item = u32>, exit: DynamicLabel) {
        dynasm!(self.to ; .arch x64 ; mov rdi, [rbp + MRU] ; mov eax, [rbp + USABLE_FROM]);
        if self.role == Role::Speculative {
            dynasm!(self.to ; .arch x64 ; mov edx, [rbp + QUANTUM]);
        }
        for word in words {
            let offset = (word.wrapping_sub(self.context.layout.flash) & !3) as i32;
            dynasm!(self.to ; .arch x64 ; cmp [rdi + offset], eax ; jb =>exit);
            if self.role == Role::Speculative && self.context.contended_set(word).is_none() {
                dynasm!(self.to ; .arch x64 ; mov [rdi + offset], edx);
            }
        }
    }

    /// Leaves if what a branch to a target fetches is not known. False if it always leaves.
    pub(crate) fn require_target_mru(&mut self, pc: u32, target: u32, exit: NativeExit) -> bool {
        if !self.can_go(target) {
            self.leave_block(pc, exit);
            return false;
        }
        if self.context.place == CodeView::Flash {
            let exit = self.exit(pc, exit);
            self.require_mru(fetched_by_branch(target), exit);
        }
        true
    }

    /// Whether a branch to a target is one that can be translated.
    fn can_go(&self, target: u32) -> bool {
        let RegionContext { place, source, words, .. } = self.context;
        if (self.context.view_of)(target) != Some(*place) {
            return false;
        }
        if *place == CodeView::Flash {
            return (target.wrapping_sub(self.context.layout.flash) >> 2) as usize + 1 < *words;
        }
        // What is fetched must be what is executed: so it has to be decoded before.
        let upper = target & 2 == 0 || (self.context.locate_ram)(target.wrapping_add(2)).is_some();
        upper && source.is_decoded(target)
    }

    pub(crate) fn branch(&mut self, op: &Op, pc: u32, target: u32, next: Option<u32>) {
        if op.code == Code::B {
            self.taken(pc, target);
            return;
        }
        let taken = self.cold_path(move |to| to.taken(pc, target));
        self.jump_if(op.code, taken);
        if op.fetch == self.context.layout.flash_slave {
            let exit = self.exit(pc, NativeExit::Stop);
            self.require_mru([pc.wrapping_add(4)], exit);
        }
        self.fetch(op.fetch, pc.wrapping_add(4));
        self.at.end_instruction();
        self.flush_position();
        self.go_to(pc.wrapping_add(2), next);
    }

    pub(crate) fn taken(&mut self, pc: u32, target: u32) {
        if self.require_target_mru(pc, target, NativeExit::Stop) {
            self.go(target);
        }
    }

    pub(crate) fn call(&mut self, op: &Op, pc: u32, target: u32) {
        if self.require_target_mru(pc, target, NativeExit::SlowPath) {
            dynasm!(self.to ; .arch x64 ; mov DWORD [rbx + LR], (pc.wrapping_add(4) | 1) as i32);
            // One that begins a word asks for the next word in vain.
            self.fetch(op.fetch, pc.wrapping_add(4));
            self.go(target);
        }
    }

    /// BX, to where a register says.
    pub(crate) fn exchange(&mut self, op: &Op, pc: u32) {
        let exit = self.exit(pc, NativeExit::SlowPath);
        let value = self.value(op.m, pc, RAX);
        dynasm!(self.to ; .arch x64 ; mov esi, Rd(value));
        self.find_target(exit);
        self.go_to_target();
    }

    /// Looks for the code of the target in RSI, which has bit 0 set as in BX or POP. Leaves if there is none, or if not all that
    /// the branch fetches is known. Keeps RDX.
    pub(crate) fn find_target(&mut self, exit: DynamicLabel) {
        let RegionContext { place, source, targets, .. } = self.context;
        let table = targets[self.role as usize];
        let first = -(source.base as i32).wrapping_add(1);
        let mut halves = self.context.halves;
        if *place == CodeView::Ram {
            // Only the striped banks, and the next word is one of theirs.
            halves = halves.min(self.context.layout.striped_bytes as usize / 2 - 2);
        }
        let bytes = 2 * halves as i32;
        dynasm!(self.to
            ; .arch x64
            ; test sil, 1
            ; jz =>exit
            ; lea edi, [rsi + first]
            ; cmp edi, bytes
            ; jae =>exit
            ; mov rax, QWORD table as i64
            ; mov eax, [rax + rdi * 2]
            ; test eax, eax
            ; jz =>exit
            ; mov [rbp + TARGET], esi
            ; mov [rbp + TARGET_CODE], eax
        );
        if *place == CodeView::Flash {
            let known = self.to.new_dynamic_label();
            dynasm!(self.to
                ; .arch x64
                ; and edi, -4
                ; mov rax, [rbp + MRU]
                ; add rdi, rax
                ; mov eax, [rbp + USABLE_FROM]
                ; cmp [rdi], eax
                ; jb =>exit
                ; test sil, 2
                ; jz =>known
                ; cmp [rdi + 4], eax
                ; jb =>exit
            );
            self.note_mru_at_rdi(4);
            dynasm!(self.to ; .arch x64 ; =>known);
            self.note_mru_at_rdi(0);
        }
    }

    /// The last two cycles of a branch to the target that was found.
    pub(crate) fn go_to_target(&mut self) {
        self.flush_last_requested();
        let lower = self.to.new_dynamic_label();
        self.request_target(0);
        dynasm!(self.to ; .arch x64 ; test BYTE [rbp + TARGET], 2 ; jz =>lower);
        let at = self.at;
        self.request_target(2);
        self.enter_target();
        dynasm!(self.to ; .arch x64 ; =>lower);
        self.at = at;
        self.fetch(Slave::INTERNAL, 0);
        self.enter_target();
    }

    /// Asks for the word that is so many bytes behind the target.
    fn request_target(&mut self, behind: i32) {
        if self.context.traces {
            dynasm!(self.to ; .arch x64 ; mov eax, [rbp + TARGET] ; and eax, if behind == 0 { -4 } else { -2 } ; add eax, behind);
            self.trace_address();
        }
        let shift = match self.context.place {
            CodeView::Flash => {
                self.at.hits += 1;
                self.request(RequestedSlave::Known(self.context.layout.flash_slave.0), AskedAddress::Told);
                if self.context.contended.is_some() {
                    dynasm!(self.to ; .arch x64 ; mov esi, [rbp + TARGET] ; add esi, behind);
                    self.note_read_at_rsi();
                }
                return;
            }
            CodeView::Ram => 2,
            CodeView::Unstriped => self.context.bank_shift(),
        };
        let first_bank = i32::from(self.context.layout.first_bank.0);
        dynasm!(self.to
            ; .arch x64
            ; mov edi, [rbp + TARGET]
            ; add edi, behind
            ; shr edi, shift
            ; and edi, 3
            ; add edi, first_bank
        );
        self.request(RequestedSlave::NumberInRdi, AskedAddress::Told);
    }

    fn enter_target(&mut self) {
        self.at.end_instruction();
        self.flush_position();
        dynasm!(self.to ; .arch x64 ; mov eax, [rbp + TARGET_CODE] ; add rax, [rbp + CODE] ; jmp rax);
    }

    fn jump_if(&mut self, code: Code, taken: DynamicLabel) {
        match self.flags {
            Flags::Compared(a, Some(b), _) => {
                dynasm!(self.to ; .arch x64 ; cmp Rd(host_register(a)), Rd(host_register(b)));
            }
            Flags::Compared(a, None, immediate) => dynasm!(self.to ; .arch x64 ; cmp Rd(host_register(a)), immediate),
            Flags::Result(register) if matches!(code, Code::Beq | Code::Bne | Code::Bmi | Code::Bpl) => {
                dynasm!(self.to ; .arch x64 ; test Rd(host_register(register)), Rd(host_register(register)));
            }
            _ => self.set_host_flags(code),
        }
        match code {
            Code::Beq => dynasm!(self.to ; .arch x64 ; je =>taken),
            Code::Bne => dynasm!(self.to ; .arch x64 ; jne =>taken),
            Code::Bcs => dynasm!(self.to ; .arch x64 ; jae =>taken),
            Code::Bcc => dynasm!(self.to ; .arch x64 ; jb =>taken),
            Code::Bmi => dynasm!(self.to ; .arch x64 ; js =>taken),
            Code::Bpl => dynasm!(self.to ; .arch x64 ; jns =>taken),
            Code::Bvs => dynasm!(self.to ; .arch x64 ; jo =>taken),
            Code::Bvc => dynasm!(self.to ; .arch x64 ; jno =>taken),
            Code::Bhi => dynasm!(self.to ; .arch x64 ; ja =>taken),
            Code::Bls => dynasm!(self.to ; .arch x64 ; jbe =>taken),
            Code::Bge => dynasm!(self.to ; .arch x64 ; jge =>taken),
            Code::Blt => dynasm!(self.to ; .arch x64 ; jl =>taken),
            Code::Bgt => dynasm!(self.to ; .arch x64 ; jg =>taken),
            _ => dynasm!(self.to ; .arch x64 ; jle =>taken),
        }
    }

    /// Sets those flags of the host that its jump for a condition looks at, by the flags as the core has them.
    fn set_host_flags(&mut self, code: Code) {
        match code {
            Code::Beq | Code::Bne => dynasm!(self.to ; .arch x64 ; cmp DWORD [rbx + NZ], 0),
            // The host's carry is a borrow.
            Code::Bcs | Code::Bcc => dynasm!(self.to ; .arch x64 ; cmp BYTE [rbx + C], 1),
            Code::Bmi | Code::Bpl => dynasm!(self.to ; .arch x64 ; mov rax, [rbx + NZ] ; shr rax, 31 ; neg rax),
            Code::Bvs | Code::Bvc => dynasm!(self.to ; .arch x64 ; mov eax, [rbx + V] ; and eax, i32::MIN ; neg eax),
            Code::Bhi | Code::Bls => dynasm!(self.to
                ; .arch x64
                ; cmp DWORD [rbx + NZ], 0
                ; setne al
                ; and al, [rbx + C]
            ),
            // Two if N and V differ, from one if Z is clear: negative for LT, zero or negative for LE.
            _ => dynasm!(self.to
                ; .arch x64
                ; mov rax, [rbx + NZ]
                ; shr rax, 31
                ; setnz al
                ; mov edx, [rbx + V]
                ; shr edx, 31
                ; xor al, dl
                ; add al, al
                ; cmp DWORD [rbx + NZ], 0
                ; setne dl
                ; sub dl, al
            ),
        }
    }
}
