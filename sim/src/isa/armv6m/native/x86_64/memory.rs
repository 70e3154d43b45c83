//! Loads and stores: of RAM and of what is known of flash.

use crate::core::access::Width;
use crate::core::profile::touch_kind;
use crate::engine::access_tags::STORES_WATCHED;
use crate::engine::fast_bus::MemoryLayout;
use crate::isa::armv6m::cycles;
use crate::isa::armv6m::native::region::words_moved;
use crate::isa::armv6m::native::x86_64::registers::Then;
use crate::isa::armv6m::native::x86_64::trace::AskedAddress;
use crate::isa::armv6m::native::x86_64::{
    COUNTS, FLASH_AT, FLASH_BYTES, Flags, LIST, LOADS_BASE, LR, MRU, OVERWRITES, OVERWRITTEN, RAM, RAX, READ,
    RequestedSlave, SP, TAGS, TOUCH, TOUCHED, Translator, USABLE_FROM, WRITEBACK, WRITTEN, host_register,
};
use crate::isa::armv6m::native::{NativeExit, Role};
use crate::isa::thumb::decode::{Code, Op, Reg};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

impl Translator<'_> {
    /// A load or store, without the last cycle.
    pub(crate) fn access(&mut self, op: &Op, pc: u32) {
        let immediate = i32::from(op.immediate);
        let (n, m) = (host_register(op.n), host_register(op.m));
        // Whom an access asks is known only then.
        self.flush_last_requested();
        match op.code {
            Code::LdrLiteral => {
                let address = (pc.wrapping_add(4) & !3).wrapping_add(immediate as u32);
                dynasm!(self.to ; .arch x64 ; mov eax, address as i32);
            }
            Code::LoadReg | Code::StoreReg => dynasm!(self.to ; .arch x64 ; lea eax, [Rq(n) + Rq(m)]),
            _ if op.n == Reg::Sp => dynasm!(self.to ; .arch x64 ; mov eax, [rbx + SP] ; add eax, immediate),
            _ => dynasm!(self.to ; .arch x64 ; lea eax, [Rq(n) + immediate]),
        }
        self.trace_address();
        let exit = self.exit(pc, NativeExit::Stop);
        let misaligned = op.width.misaligned() as i8;
        if misaligned != 0 {
            dynasm!(self.to ; .arch x64 ; test al, misaligned ; jnz =>exit);
        }
        let (back, done, op, up_to) = (self.to.new_dynamic_label(), self.to.new_dynamic_label(), *op, self.up_to);
        let label = self.cold_path(move |to| to.outside_striped_ram(&op, pc, up_to, [back, done]));
        let (ram, striped) = self.context.ram();
        dynasm!(self.to
            ; .arch x64
            ; lea edx, [rax - ram]
            ; cmp edx, striped
            ; jae =>label
            ; =>back
        );
        self.access_ram(&op, exit, true);
        dynasm!(self.to ; .arch x64 ; =>done);
        if is_load(&op) {
            self.written(op.d);
        }
    }

    /// An access to the word of RAM at the offset in RDX, of the striped banks or the others.
    pub(crate) fn access_ram(&mut self, op: &Op, exit: DynamicLabel, striped: bool) {
        dynasm!(self.to
            ; .arch x64
            ; mov esi, edx
            ; and esi, -4
            ; mov rax, [rbp + TAGS]
            ; mov edi, [rax + rsi]
        );
        self.check_tag(is_load(op), exit);
        if self.role == Role::Speculative {
            if !is_load(op) {
                dynasm!(self.to ; .arch x64 ; mov edi, [rbp + WRITTEN]);
            }
            dynasm!(self.to ; .arch x64 ; mov [rax + rsi], edi);
        }
        if self.context.touches && op.code != Code::LdrLiteral {
            let mask = TOUCH + 4 * touch_kind(op.n == Reg::Sp, !is_load(op)) as i32;
            dynasm!(self.to ; .arch x64 ; mov rax, [rbp + TOUCHED] ; mov edi, [rbp + mask] ; or [rax + rsi], edi);
        }
        if self.role == Role::Speculative && !is_load(op) {
            self.keep_overwritten();
        }
        dynasm!(self.to ; .arch x64 ; mov edi, edx);
        self.bank(striped);
        let d = host_register(op.d);
        if is_load(op) {
            self.request(RequestedSlave::NumberInRdi, AskedAddress::Told);
            dynasm!(self.to ; .arch x64 ; mov rax, [rbp + RAM]);
            self.load(op);
        } else {
            dynasm!(self.to ; .arch x64 ; mov rax, [rbp + RAM]);
            match op.width {
                Width::Word => dynasm!(self.to ; .arch x64 ; mov [rax + rdx], Rd(d)),
                Width::Half | Width::SignedHalf => dynasm!(self.to ; .arch x64 ; mov WORD [rax + rdx], Rw(d)),
                Width::Byte | Width::SignedByte => dynasm!(self.to ; .arch x64 ; mov BYTE [rax + rdx], Rb(d)),
            }
            self.request(RequestedSlave::NumberInRdi, AskedAddress::Told);
        }
    }

    /// Leaves if the word whose tag is in EDI may not be read or written. The tag of one that is read becomes what it is to be.
    fn check_tag(&mut self, loads: bool, exit: DynamicLabel) {
        match (self.role, loads) {
            (Role::Speculative, true) => dynasm!(self.to
                ; .arch x64
                ; test edi, edi
                ; js =>exit
                ; cmp edi, [rbp + READ]
                ; cmovb edi, [rbp + READ]
            ),
            (Role::Solo, true) => dynasm!(self.to ; .arch x64 ; test edi, edi ; js =>exit),
            (Role::Speculative | Role::Solo, false) => {
                dynasm!(self.to ; .arch x64 ; cmp edi, STORES_WATCHED as i32 ; jae =>exit);
            }
            (Role::Replaying, true) => dynasm!(self.to
                ; .arch x64
                ; cmp edi, [rbp + WRITTEN]
                ; je =>exit
                ; test edi, edi
                ; js =>exit
            ),
            (Role::Replaying, false) => dynasm!(self.to ; .arch x64 ; cmp edi, [rbp + READ] ; jae =>exit),
        }
    }

    /// Keeps what is in the word at the offset in RSI: see `BusGrantLog::record_overwrite`. Changes RAX, RSI and RDI.
    fn keep_overwritten(&mut self) {
        dynasm!(self.to
            ; .arch x64
            ; mov eax, [rbp + OVERWRITTEN]
            ; lea edi, [rax + 1]
            ; mov [rbp + OVERWRITTEN], edi
            ; mov rdi, [rbp + RAM]
            ; mov edi, [rdi + rsi]
            ; shr esi, 2
            ; mov [rbp + rax * 8 + OVERWRITES], esi
            ; mov [rbp + rax * 8 + (OVERWRITES + 4)], edi
        );
    }

    /// RDI, an offset, becomes the number of its bank.
    fn bank(&mut self, striped: bool) {
        let first = i32::from(self.context.layout.first_bank.0);
        if striped {
            dynasm!(self.to ; .arch x64 ; shr edi, 2 ; and edi, 3 ; add edi, first);
        } else {
            let second_bank = (self.context.layout.striped_bytes + self.context.layout.bank_bytes) as i32;
            let first = first + 4;
            dynasm!(self.to
                ; .arch x64
                ; cmp edi, second_bank
                ; setae dil
                ; movzx edi, dil
                ; add edi, first
            );
        }
    }

    /// The destination gets what is at the offset RDX of the memory at RAX.
    pub(crate) fn load(&mut self, op: &Op) {
        let d = host_register(op.d);
        match op.width {
            Width::Word => dynasm!(self.to ; .arch x64 ; mov Rd(d), [rax + rdx]),
            Width::Half => dynasm!(self.to ; .arch x64 ; movzx Rd(d), WORD [rax + rdx]),
            Width::Byte => dynasm!(self.to ; .arch x64 ; movzx Rd(d), BYTE [rax + rdx]),
            Width::SignedHalf => dynasm!(self.to ; .arch x64 ; movsx Rd(d), WORD [rax + rdx]),
            Width::SignedByte => dynasm!(self.to ; .arch x64 ; movsx Rd(d), BYTE [rax + rdx]),
        }
    }

    /// An access to what is not the striped view of RAM: RAX is the address, RDX the offset that it would have there.
    pub(crate) fn outside_striped_ram(
        &mut self,
        op: &Op,
        pc: u32,
        up_to: Option<u32>,
        [back, done]: [DynamicLabel; 2],
    ) {
        let (exit, slow) = (self.exit(pc, NativeExit::Stop), self.exit(pc, NativeExit::SlowPath));
        let then = match up_to {
            Some(number) => Then::PartEnds { number, pc },
            None => Then::GoesOn(done),
        };
        let slow = self.known_register(op, slow, then);
        let (not_small, not_linear) = (self.to.new_dynamic_label(), self.to.new_dynamic_label());
        let at = self.at;
        let MemoryLayout { ram_bytes, striped_bytes, unstriped, flash, flash_slave, .. } = self.context.layout;
        let (ram_bytes, striped_bytes, unstriped) = (ram_bytes as i32, striped_bytes as i32, unstriped as i32);
        let (shift, in_bank, flash) = (self.context.bank_shift(), striped_bytes / 4 - 1, flash as i32);
        dynasm!(self.to ; .arch x64 ; cmp edx, ram_bytes ; jae =>not_small);
        self.access_ram(op, exit, false);
        self.at = at;
        dynasm!(self.to
            ; .arch x64
            ; jmp =>done
            ; =>not_small
            ; lea edx, [rax - unstriped]
            ; cmp edx, striped_bytes
            ; jae =>not_linear
            // The same word in the striped view: the bits that choose the bank become bits 3:2.
            ; mov esi, edx
            ; shr esi, shift
            ; and edx, in_bank
            ; mov edi, edx
            ; and edi, -4
            ; and edx, 3
            ; lea edx, [rdx + rdi * 4]
            ; lea edx, [rdx + rsi * 4]
            ; jmp =>back
            ; =>not_linear
        );
        if !is_load(op) {
            dynasm!(self.to ; .arch x64 ; jmp =>slow);
            return;
        }
        dynasm!(self.to
            ; .arch x64
            ; lea edx, [rax - flash]
            ; cmp edx, [rbp + FLASH_BYTES]
            ; jae =>slow
            ; mov esi, edx
            ; and esi, -4
            ; mov rdi, [rbp + MRU]
            ; add rdi, rsi
            ; mov eax, [rbp + USABLE_FROM]
            ; cmp [rdi], eax
            ; jb =>exit
        );
        self.note_mru_at_rdi(0);
        self.request(RequestedSlave::Known(flash_slave.0), AskedAddress::Told);
        self.flush_last_requested();
        if op.code == Code::LdrLiteral {
            self.note_read((pc.wrapping_add(4) & !3).wrapping_add(op.immediate as i32 as u32));
        } else {
            dynasm!(self.to ; .arch x64 ; lea esi, [rdx + flash]);
            self.note_read_at_rsi();
        }
        dynasm!(self.to ; .arch x64 ; add DWORD [rbp + COUNTS], 1 ; mov rax, [rbp + FLASH_AT]);
        self.load(op);
        dynasm!(self.to ; .arch x64 ; jmp =>done);
    }

    /// LDM, STM, PUSH or POP, without the last cycle; or POP with PC, to its end.
    pub(crate) fn load_store_multiple(&mut self, op: &Op, pc: u32) {
        let bytes = 4 * words_moved(op) as i32;
        self.flush_last_requested();
        let exit = self.exit(pc, NativeExit::Stop);
        let (done, op) = (self.to.new_dynamic_label(), *op);
        let label = self.cold_path(move |to| to.multiple_outside_striped_ram(&op, pc, done));
        let base = self.value(op.n, pc, RAX);
        dynasm!(self.to ; .arch x64 ; mov eax, Rd(base));
        if op.code == Code::Push {
            dynasm!(self.to ; .arch x64 ; sub eax, bytes);
        }
        let (ram, striped) = self.context.ram();
        dynasm!(self.to
            ; .arch x64
            ; test al, 3
            ; jnz =>exit
            ; lea edx, [rax - ram]
            ; cmp edx, striped - bytes
            ; ja =>label
        );
        self.move_multiple(&op, exit, true);
        dynasm!(self.to ; .arch x64 ; =>done);
    }

    /// The same in the two banks that are not striped.
    pub(crate) fn multiple_outside_striped_ram(&mut self, op: &Op, pc: u32, done: DynamicLabel) {
        let bytes = 4 * words_moved(op) as i32;
        let exit = self.exit(pc, NativeExit::Stop);
        let (_, striped) = self.context.ram();
        let end = self.context.layout.ram_bytes as i32 - bytes;
        dynasm!(self.to
            ; .arch x64
            ; cmp edx, striped
            ; jb =>exit
            ; cmp edx, end
            ; ja =>exit
        );
        self.move_multiple(op, exit, false);
        if op.code != Code::PopPc {
            dynasm!(self.to ; .arch x64 ; jmp =>done);
        }
    }

    /// Moves words from the offset in RDX on.
    fn move_multiple(&mut self, op: &Op, exit: DynamicLabel, striped: bool) {
        let list = op.immediate as u16 | if op.code == Code::PopPc { 1 << 15 } else { 0 };
        let loads = !matches!(op.code, Code::Push | Code::Stm);
        let registers = (0..16u8).filter(|number| list >> number & 1 != 0);
        let offsets = (0i32..).step_by(4);
        let bytes = 4 * words_moved(op) as i32;
        dynasm!(self.to ; .arch x64 ; mov rax, [rbp + TAGS]);
        for offset in offsets.clone().take(words_moved(op)) {
            dynasm!(self.to ; .arch x64 ; mov edi, [rax + rdx + offset]);
            self.check_tag(loads, exit);
            if self.role == Role::Speculative && loads {
                dynasm!(self.to ; .arch x64 ; mov [rax + rdx + offset], edi);
            }
        }
        if self.context.touches {
            let mask = TOUCH + 4 * touch_kind(op.n == Reg::Sp, !loads) as i32;
            dynasm!(self.to ; .arch x64 ; mov rax, [rbp + TOUCHED] ; mov edi, [rbp + mask]);
            for offset in offsets.clone().take(words_moved(op)) {
                dynasm!(self.to ; .arch x64 ; or [rax + rdx + offset], edi);
            }
        }
        if op.code == Code::PopPc {
            let target = bytes - 4;
            dynasm!(self.to ; .arch x64 ; mov rax, [rbp + RAM] ; mov esi, [rax + rdx + target]);
            self.find_target(exit);
        }
        for (register, offset) in registers.zip(offsets) {
            if !loads {
                self.store_of_multiple(register, offset);
            }
            self.trace_element(offset);
            dynasm!(self.to ; .arch x64 ; lea edi, [rdx + offset]);
            self.bank(striped);
            self.request(RequestedSlave::NumberInRdi, AskedAddress::Told);
            if loads && register < 15 {
                let d = 8 + register;
                dynasm!(self.to ; .arch x64 ; mov rax, [rbp + RAM] ; mov Rd(d), [rax + rdx + offset]);
                self.flags = Flags::InMemory;
            }
        }
        let after = self.context.ram().0 + if op.code == Code::Push { 0 } else { bytes };
        dynasm!(self.to
            ; .arch x64
            ; lea eax, [rdx + after]
            ; mov [rbx + WRITEBACK], eax
            ; mov WORD [rbx + LIST], 0
            ; mov BYTE [rbx + LOADS_BASE], 0
        );
        self.set_high(op.n);
        if op.code == Code::PopPc {
            self.idle(cycles::POP_PC.idle);
            self.go_to_target();
        }
    }

    /// A word at an offset from RDX is about to be asked for.
    fn trace_element(&mut self, offset: i32) {
        if self.context.traces {
            let address = self.context.ram().0.wrapping_add(offset);
            dynasm!(self.to ; .arch x64 ; lea eax, [rdx + address]);
            self.trace_address();
        }
    }

    /// A register, by number, is stored at an offset from RDX.
    fn store_of_multiple(&mut self, register: u8, offset: i32) {
        if self.role == Role::Speculative {
            dynasm!(self.to
                ; .arch x64
                ; lea esi, [rdx + offset]
                ; mov rax, [rbp + TAGS]
                ; mov edi, [rbp + WRITTEN]
                ; mov [rax + rsi], edi
            );
            self.keep_overwritten();
        }
        dynasm!(self.to ; .arch x64 ; mov rax, [rbp + RAM]);
        if register < 8 {
            let d = 8 + register;
            dynasm!(self.to ; .arch x64 ; mov [rax + rdx + offset], Rd(d));
        } else {
            dynasm!(self.to ; .arch x64 ; mov edi, [rbx + LR] ; mov [rax + rdx + offset], edi);
        }
    }
}

pub(crate) fn is_load(op: &Op) -> bool {
    matches!(op.code, Code::LoadImm | Code::LoadReg | Code::LdrLiteral)
}
