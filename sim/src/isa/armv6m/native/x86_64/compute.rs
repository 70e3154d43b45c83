//! What instructions do to registers and flags: what `Core::execute` does for a fast run.

use crate::isa::armv6m::native::region::{Block, words_moved};
use crate::isa::armv6m::native::x86_64::{
    ALL, C, CARRY, Flags, N_AND_Z, NZ, OVERFLOW, RAX, RDX, SP, Translator, V, host_register, is_low, register_offset,
};
use crate::isa::thumb::decode::{Code, Op, Reg};
use dynasmrt::x64::Assembler;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

impl Translator<'_> {
    /// The number of the host's register that has the value of one: RAX or RDX if it had to be fetched.
    pub(crate) fn value(&mut self, register: Reg, pc: u32, into: u8) -> u8 {
        if is_low(register) {
            return host_register(register);
        }
        if register == Reg::Pc {
            dynasm!(self.to ; .arch x64 ; mov Rd(into), pc.wrapping_add(4) as i32);
        } else {
            let place = register_offset(register);
            dynasm!(self.to ; .arch x64 ; mov Rd(into), [rbx + place]);
        }
        into
    }

    /// A register has another value.
    pub(crate) fn written(&mut self, register: Reg) {
        let stale = match self.flags {
            Flags::InMemory => false,
            Flags::Compared(a, b, _) => a == register || b == Some(register),
            Flags::Result(a) => a == register,
        };
        if stale {
            self.flags = Flags::InMemory;
        }
    }

    /// Keeps those flags that matter: of the host's last operation, whose result is in a register.
    pub(crate) fn keep_flags(&mut self, live: u8, result: u8, subtracted: bool) {
        if live & CARRY != 0 {
            if subtracted {
                dynasm!(self.to ; .arch x64 ; setae BYTE [rbx + C]);
            } else {
                dynasm!(self.to ; .arch x64 ; setb BYTE [rbx + C]);
            }
        }
        if live & OVERFLOW != 0 {
            dynasm!(self.to ; .arch x64 ; seto sil ; shl esi, 31 ; mov [rbx + V], esi);
        }
        self.keep_nz(live, result);
    }

    pub(crate) fn keep_nz(&mut self, live: u8, result: u8) {
        if live & N_AND_Z != 0 {
            dynasm!(self.to ; .arch x64 ; mov [rbx + NZ], Rq(result));
        }
    }

    #[allow(clippy::too_many_lines)] // one case per instruction
    pub(crate) fn compute(&mut self, op: &Op, pc: u32, live: u8) {
        let immediate = i32::from(op.immediate);
        let (d, n, m) = (host_register(op.d), host_register(op.n), host_register(op.m));
        match op.code {
            Code::MovImm => {
                dynasm!(self.to ; .arch x64 ; mov Rd(d), immediate);
                self.keep_nz(live, d);
                self.flags = Flags::Result(op.d);
            }
            Code::AddImm | Code::SubImm => {
                let subtracts = op.code == Code::SubImm;
                if d != n {
                    dynasm!(self.to ; .arch x64 ; mov Rd(d), Rd(n));
                }
                if subtracts {
                    dynasm!(self.to ; .arch x64 ; sub Rd(d), immediate);
                } else {
                    dynasm!(self.to ; .arch x64 ; add Rd(d), immediate);
                }
                self.keep_flags(live, d, subtracts);
                self.flags = Flags::Result(op.d);
            }
            Code::AddReg | Code::SubReg | Code::Adc | Code::Sbc => {
                let subtracts = matches!(op.code, Code::SubReg | Code::Sbc);
                dynasm!(self.to ; .arch x64 ; mov eax, Rd(n));
                match op.code {
                    Code::AddReg => dynasm!(self.to ; .arch x64 ; add eax, Rd(m)),
                    Code::SubReg => dynasm!(self.to ; .arch x64 ; sub eax, Rd(m)),
                    Code::Adc => dynasm!(self.to
                        ; .arch x64
                        ; mov dl, [rbx + C]
                        ; add dl, -1
                        ; adc eax, Rd(m)
                    ),
                    _ => dynasm!(self.to ; .arch x64 ; cmp BYTE [rbx + C], 1 ; sbb eax, Rd(m)),
                }
                dynasm!(self.to ; .arch x64 ; mov Rd(d), eax);
                self.keep_flags(live, d, subtracts);
                self.flags = Flags::Result(op.d);
            }
            Code::Rsb => {
                dynasm!(self.to ; .arch x64 ; xor eax, eax ; sub eax, Rd(m) ; mov Rd(d), eax);
                self.keep_flags(live, d, true);
                self.flags = Flags::Result(op.d);
            }
            Code::CmpImm => {
                if live != 0 {
                    dynasm!(self.to ; .arch x64 ; mov eax, Rd(n) ; sub eax, immediate);
                    self.keep_flags(live, RAX, true);
                }
                self.flags = Flags::Compared(op.n, None, immediate);
            }
            Code::Cmp => {
                if live != 0 {
                    dynasm!(self.to ; .arch x64 ; mov eax, Rd(n) ; sub eax, Rd(m));
                    self.keep_flags(live, RAX, true);
                }
                self.flags = Flags::Compared(op.n, Some(op.m), 0);
            }
            Code::CmpHi => {
                let a = self.value(op.n, pc, RAX);
                let b = self.value(op.m, pc, RDX);
                dynasm!(self.to ; .arch x64 ; mov eax, Rd(a) ; sub eax, Rd(b));
                self.keep_flags(live, RAX, true);
                self.flags = Flags::InMemory;
            }
            Code::Cmn => {
                dynasm!(self.to ; .arch x64 ; mov eax, Rd(n) ; add eax, Rd(m));
                self.keep_flags(live, RAX, false);
                self.flags = Flags::InMemory;
            }
            Code::Tst => {
                dynasm!(self.to ; .arch x64 ; mov eax, Rd(n) ; and eax, Rd(m));
                self.keep_nz(live, RAX);
                self.flags = Flags::InMemory;
            }
            Code::And | Code::Eor | Code::Orr | Code::Bic | Code::Mvn | Code::Mul => {
                match op.code {
                    Code::And => dynasm!(self.to ; .arch x64 ; mov eax, Rd(n) ; and eax, Rd(m)),
                    Code::Eor => dynasm!(self.to ; .arch x64 ; mov eax, Rd(n) ; xor eax, Rd(m)),
                    Code::Orr => dynasm!(self.to ; .arch x64 ; mov eax, Rd(n) ; or eax, Rd(m)),
                    Code::Bic => dynasm!(self.to ; .arch x64 ; mov eax, Rd(m) ; not eax ; and eax, Rd(n)),
                    Code::Mvn => dynasm!(self.to ; .arch x64 ; mov eax, Rd(m) ; not eax),
                    _ => dynasm!(self.to ; .arch x64 ; mov eax, Rd(n) ; imul eax, Rd(m)),
                }
                dynasm!(self.to ; .arch x64 ; mov Rd(d), eax);
                self.keep_nz(live, d);
                self.flags = Flags::Result(op.d);
            }
            Code::LslImm | Code::LsrImm | Code::AsrImm => self.shift(op, live),
            Code::Lsl | Code::Lsr | Code::Asr | Code::Ror => self.shift_by_register(op, live),
            Code::AddHi | Code::MovHi => {
                let m = self.value(op.m, pc, RDX);
                if op.code == Code::AddHi {
                    let d = self.value(op.d, pc, RAX);
                    dynasm!(self.to ; .arch x64 ; lea eax, [Rq(d) + Rq(m)]);
                } else {
                    dynasm!(self.to ; .arch x64 ; mov eax, Rd(m));
                }
                self.set_high(op.d);
            }
            Code::Adr => {
                let address = (pc.wrapping_add(4) & !3).wrapping_add(immediate as u32);
                dynasm!(self.to ; .arch x64 ; mov Rd(d), address as i32);
                self.written(op.d);
            }
            Code::AddSp => {
                dynasm!(self.to ; .arch x64 ; mov Rd(d), [rbx + SP] ; lea Rd(d), [Rq(d) + immediate]);
                self.written(op.d);
            }
            Code::MoveSp => dynasm!(self.to ; .arch x64 ; add DWORD [rbx + SP], immediate),
            Code::Sxth => self.extended(op, |to, d, m| dynasm!(to ; .arch x64 ; movsx Rd(d), Rw(m))),
            Code::Sxtb => self.extended(op, |to, d, m| dynasm!(to ; .arch x64 ; movsx Rd(d), Rb(m))),
            Code::Uxth => self.extended(op, |to, d, m| dynasm!(to ; .arch x64 ; movzx Rd(d), Rw(m))),
            Code::Uxtb => self.extended(op, |to, d, m| dynasm!(to ; .arch x64 ; movzx Rd(d), Rb(m))),
            Code::Rev => self.extended(op, |to, d, m| {
                dynasm!(to ; .arch x64 ; mov Rd(d), Rd(m) ; bswap Rd(d));
            }),
            Code::Rev16 => self.extended(op, |to, d, m| {
                dynasm!(to ; .arch x64 ; mov Rd(d), Rd(m) ; bswap Rd(d) ; rol Rd(d), 16);
            }),
            Code::Revsh => self.extended(op, |to, d, m| {
                dynasm!(to ; .arch x64 ; mov eax, Rd(m) ; rol ax, 8 ; movsx Rd(d), ax);
            }),
            Code::Nop => {}
            _ => unreachable!("a block has nothing else"),
        }
    }

    pub(crate) fn extended(&mut self, op: &Op, make: impl Fn(&mut Assembler, u8, u8)) {
        make(self.to, host_register(op.d), host_register(op.m));
        self.written(op.d);
    }

    /// A register that may be a high one gets the value in RAX.
    pub(crate) fn set_high(&mut self, register: Reg) {
        if is_low(register) {
            let d = host_register(register);
            dynasm!(self.to ; .arch x64 ; mov Rd(d), eax);
        } else {
            if register == Reg::Sp {
                dynasm!(self.to ; .arch x64 ; and eax, -4);
            }
            let place = register_offset(register);
            dynasm!(self.to ; .arch x64 ; mov [rbx + place], eax);
        }
        self.written(register);
    }

    pub(crate) fn shift(&mut self, op: &Op, live: u8) {
        let (d, m) = (host_register(op.d), host_register(op.m));
        let by = op.immediate as i8;
        if d != m {
            dynasm!(self.to ; .arch x64 ; mov Rd(d), Rd(m));
        }
        match (op.code, by) {
            (Code::LslImm, 0) => {}
            (Code::LslImm, _) => dynasm!(self.to ; .arch x64 ; shl Rd(d), by),
            (Code::LsrImm, 32) => dynasm!(self.to ; .arch x64 ; bt Rd(d), 31 ; mov Rd(d), 0),
            (Code::LsrImm, _) => dynasm!(self.to ; .arch x64 ; shr Rd(d), by),
            (_, 32) => dynasm!(self.to ; .arch x64 ; sar Rd(d), 31 ; bt Rd(d), 0),
            _ => dynasm!(self.to ; .arch x64 ; sar Rd(d), by),
        }
        let kept = if by == 0 { live & !CARRY } else { live };
        self.keep_flags(kept & !OVERFLOW, d, false);
        self.flags = Flags::Result(op.d);
    }

    pub(crate) fn shift_by_register(&mut self, op: &Op, live: u8) {
        let (d, n, m) = (host_register(op.d), host_register(op.n), host_register(op.m));
        let (few, done) = (self.to.new_dynamic_label(), self.to.new_dynamic_label());
        // RCX is needed for the distance.
        dynasm!(self.to
            ; .arch x64
            ; mov rsi, rcx
            ; mov eax, Rd(n)
            ; movzx ecx, Rb(m)
            ; test ecx, ecx
            ; jz =>done
        );
        if op.code != Code::Ror {
            dynasm!(self.to ; .arch x64 ; cmp ecx, 63 ; jbe =>few ; mov ecx, 63 ; =>few);
        }
        match op.code {
            Code::Lsl => dynasm!(self.to ; .arch x64 ; shl rax, cl ; bt rax, 32 ; setb [rbx + C]),
            Code::Lsr | Code::Asr => {
                dynasm!(self.to ; .arch x64 ; shl rax, 32);
                if op.code == Code::Lsr {
                    dynasm!(self.to ; .arch x64 ; shr rax, cl);
                } else {
                    dynasm!(self.to ; .arch x64 ; sar rax, cl);
                }
                dynasm!(self.to ; .arch x64 ; bt rax, 31 ; setb [rbx + C] ; shr rax, 32);
            }
            _ => dynasm!(self.to ; .arch x64 ; ror eax, cl ; bt eax, 31 ; setb [rbx + C]),
        }
        dynasm!(self.to ; .arch x64 ; =>done ; mov Rd(d), eax ; mov rcx, rsi);
        self.keep_nz(live, d);
        self.flags = Flags::Result(op.d);
    }
}

/// For each instruction of a block, the flags that matter behind it.
pub(crate) fn live(block: &Block) -> Vec<u8> {
    let mut live = vec![ALL; block.ops.len()];
    let mut needed = ALL;
    for (op, live) in block.ops.iter().zip(&mut live).rev() {
        *live = needed;
        needed = match op.code {
            // It may be left before them.
            _ if words_moved(op) > 0 => ALL,
            Code::AddImm
            | Code::SubImm
            | Code::AddReg
            | Code::SubReg
            | Code::Rsb
            | Code::CmpImm
            | Code::Cmp
            | Code::CmpHi
            | Code::Cmn => 0,
            Code::Adc | Code::Sbc => CARRY,
            Code::MovImm | Code::And | Code::Eor | Code::Orr | Code::Bic | Code::Mvn | Code::Mul | Code::Tst => {
                needed & !N_AND_Z
            }
            Code::LslImm if op.immediate == 0 => needed & !N_AND_Z,
            Code::LslImm | Code::LsrImm | Code::AsrImm => needed & !(N_AND_Z | CARRY),
            // By zero, C stays.
            Code::Lsl | Code::Lsr | Code::Asr | Code::Ror => needed & !N_AND_Z,
            _ => needed,
        };
    }
    live
}
