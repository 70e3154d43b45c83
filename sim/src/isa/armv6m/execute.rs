//! What instructions do: to registers and flags at once, and what they then want of the bus.

use crate::core::access::Width;
use crate::core::bus::{Bus, Slave};
use crate::core::time::Cycle;
use crate::isa::armv6m::cycles::{BRANCH, Cycles, LOAD, Last, STORE};
use crate::isa::armv6m::{Core, Phase};
use crate::isa::thumb::decode::{Code, Op, Reg};

/// What an instruction does beyond registers.
pub(crate) enum Effect {
    /// Nothing: the next one follows.
    Next,
    /// It goes on as far away as its immediate says.
    Branch,
    /// It loads from an address.
    Load(u32),
    /// It stores to an address.
    Store(u32),
    /// More than is worth a place in the hot loop.
    SlowPath,
}

impl<B: Bus> Core<B> {
    /// Does what an instruction at `pc` does to registers and flags, and says what is left of it.
    #[inline(always)]
    #[allow(clippy::too_many_lines)] // one line per instruction
    pub(crate) fn execute(&mut self, op: &Op, pc: u32) -> Effect {
        let immediate = op.immediate as i32 as u32;
        match op.code {
            Code::MovImm => self.set_nz(op.d, immediate),
            Code::AddImm => self.add(op.d, self.reg(op.n), immediate, false),
            Code::SubImm => self.add(op.d, self.reg(op.n), !immediate, true),
            Code::AddReg => self.add(op.d, self.reg(op.n), self.reg(op.m), false),
            Code::SubReg => self.add(op.d, self.reg(op.n), !self.reg(op.m), true),
            Code::CmpImm => _ = self.add_with_carry(self.reg(op.n), !immediate, true),
            Code::Cmp => _ = self.add_with_carry(self.reg(op.n), !self.reg(op.m), true),
            Code::Cmn => _ = self.add_with_carry(self.reg(op.n), self.reg(op.m), false),
            Code::CmpHi => _ = self.add_with_carry(self.high(op.n, pc), !self.high(op.m, pc), true),
            Code::Adc => self.add(op.d, self.reg(op.n), self.reg(op.m), self.c),
            Code::Sbc => self.add(op.d, self.reg(op.n), !self.reg(op.m), self.c),
            Code::Rsb => self.add(op.d, !self.reg(op.m), 0, true),
            Code::And => self.set_nz(op.d, self.reg(op.n) & self.reg(op.m)),
            Code::Eor => self.set_nz(op.d, self.reg(op.n) ^ self.reg(op.m)),
            Code::Orr => self.set_nz(op.d, self.reg(op.n) | self.reg(op.m)),
            Code::Bic => self.set_nz(op.d, self.reg(op.n) & !self.reg(op.m)),
            Code::Mvn => self.set_nz(op.d, !self.reg(op.m)),
            Code::Mul => self.set_nz(op.d, self.reg(op.n).wrapping_mul(self.reg(op.m))),
            Code::Tst => self.nz = u64::from(self.reg(op.n) & self.reg(op.m)),
            Code::LslImm => {
                let value = u64::from(self.reg(op.m)) << immediate;
                if immediate != 0 {
                    self.c = value >> 32 & 1 != 0;
                }
                self.set_nz(op.d, value as u32);
            }
            // By 1 to 32.
            Code::LsrImm => self.shift_right(op.d, u64::from(self.reg(op.m)) << 32 >> (immediate & 63)),
            Code::AsrImm => {
                self.shift_right(op.d, (i64::from(self.reg(op.m) as i32) << 32 >> (immediate & 63)) as u64);
            }
            Code::Lsl => self.lsl(op.d, self.reg(op.n), self.reg(op.m) & 0xff),
            Code::Lsr => self.lsr(op.d, self.reg(op.n), self.reg(op.m) & 0xff),
            Code::Asr => self.asr(op.d, self.reg(op.n), self.reg(op.m) & 0xff),
            Code::Ror => self.ror(op.d, self.reg(op.n), self.reg(op.m) & 0xff),
            Code::AddHi => self.set_high(op.d, self.high(op.d, pc).wrapping_add(self.high(op.m, pc))),
            Code::MovHi => self.set_high(op.d, self.high(op.m, pc)),
            Code::Adr => self.set(op.d, (pc.wrapping_add(4) & !3).wrapping_add(immediate)),
            Code::AddSp => self.set(op.d, self.regs[13].wrapping_add(immediate)),
            Code::MoveSp => self.regs[13] = self.regs[13].wrapping_add(immediate),
            Code::Sxth => self.set(op.d, self.reg(op.m) as i16 as u32),
            Code::Sxtb => self.set(op.d, self.reg(op.m) as i8 as u32),
            Code::Uxth => self.set(op.d, self.reg(op.m) & 0xffff),
            Code::Uxtb => self.set(op.d, self.reg(op.m) & 0xff),
            Code::Rev => self.set(op.d, self.reg(op.m).swap_bytes()),
            Code::Rev16 => self.set(op.d, self.reg(op.m).swap_bytes().rotate_left(16)),
            Code::Revsh => self.set(op.d, (self.reg(op.m) as u16).swap_bytes() as i16 as u32),
            Code::Nop => {}
            Code::LoadImm => return Effect::Load(self.reg(op.n).wrapping_add(immediate)),
            Code::LoadReg => return Effect::Load(self.reg(op.n).wrapping_add(self.reg(op.m))),
            Code::LdrLiteral => return Effect::Load((pc.wrapping_add(4) & !3).wrapping_add(immediate)),
            Code::StoreImm => return Effect::Store(self.reg(op.n).wrapping_add(immediate)),
            Code::StoreReg => return Effect::Store(self.reg(op.n).wrapping_add(self.reg(op.m))),
            Code::B => return branch_if(true),
            Code::Beq => return branch_if(self.zero()),
            Code::Bne => return branch_if(!self.zero()),
            Code::Bcs => return branch_if(self.c),
            Code::Bcc => return branch_if(!self.c),
            Code::Bmi => return branch_if(self.negative()),
            Code::Bpl => return branch_if(!self.negative()),
            Code::Bvs => return branch_if(self.overflow()),
            Code::Bvc => return branch_if(!self.overflow()),
            Code::Bhi => return branch_if(self.c && !self.zero()),
            Code::Bls => return branch_if(!self.c || self.zero()),
            Code::Bge => return branch_if(!self.less()),
            Code::Blt => return branch_if(self.less()),
            Code::Bgt => return branch_if(!self.zero() && !self.less()),
            Code::Ble => return branch_if(self.zero() || self.less()),
            Code::AddPc
            | Code::MovPc
            | Code::Bx
            | Code::Blx
            | Code::Push
            | Code::Pop
            | Code::PopPc
            | Code::Stm
            | Code::Ldm
            | Code::Cps
            | Code::Bkpt
            | Code::Wfe
            | Code::Wfi
            | Code::Sev
            | Code::Svc
            | Code::Wide
            | Code::Udf
            | Code::Undecoded
            | Code::Watched => return Effect::SlowPath,
        }
        Effect::Next
    }

    /// The address of a load or store that is not relative to PC.
    pub(crate) fn effective_address(&self, op: &Op) -> u32 {
        let by_register = matches!(op.code, Code::LoadReg | Code::StoreReg);
        self.reg(op.n).wrapping_add(if by_register { self.reg(op.m) } else { op.immediate as u32 })
    }

    /// Posts a load or store, unless it faults.
    #[inline(never)]
    pub(crate) fn post_transfer(&mut self, op: &Op, address: u32, phase: Phase) {
        if address & op.width.misaligned() != 0 {
            return self.fault(self.pc.wrapping_sub(2), self.misaligned());
        }
        self.register = op.d as u8;
        self.width = op.width;
        self.post(address, phase);
        if self.slave == Slave::IO {
            // The single-cycle I/O port is not the bus: an access there takes no cycle of its own, but goes together with the
            // first of those behind data (TRM 2.2.2, table 3-1 note b).
            (self.io_address, self.resume) = (address, phase);
            if self.io_cycles().idle == 0 {
                self.post_with_fetch(Phase::Io);
            } else {
                self.post_internal(Phase::Io);
            }
        }
    }

    /// The cycles behind an access to the I/O port.
    pub(crate) fn io_cycles(&self) -> Cycles {
        if self.resume == Phase::Store { STORE } else { LOAD }
    }

    /// Posts what goes together with a fetch, if one is due.
    pub(crate) fn post_with_fetch(&mut self, phase: Phase) {
        if self.pc & 2 == 0 {
            self.post_internal(phase);
        } else {
            self.post(self.pc.wrapping_add(2), phase);
        }
    }

    /// The cycles of an instruction behind those of its data, from cycle `t` on: execution goes on at `pc`.
    #[inline(always)]
    pub(crate) fn finish(&mut self, cycles: Cycles) {
        self.t += Cycle::from(cycles.idle);
        match cycles.last {
            Last::Fetch => self.end_cycle(),
            Last::Refill => self.post(self.pc & !3, Phase::Target),
            Last::FetchThenRefill | Last::FetchTwice => unreachable!("of 32-bit instructions: see `finish_wide`"),
        }
    }

    /// Ends an instruction's last cycle: asks for the next word if the lower halfword was executed.
    pub(crate) fn end_cycle(&mut self) {
        if self.pc & 2 == 0 {
            self.end_instruction();
        } else {
            self.post(self.pc.wrapping_add(2), Phase::Fetch);
        }
    }

    /// Cycle `t` is the last of an instruction, and asks for nothing.
    #[inline(always)]
    pub(crate) fn end_instruction(&mut self) {
        self.t += 1;
        self.post_internal(Phase::Start);
    }

    /// Goes to `target` (bit 0 of no meaning), whose word is asked for in this cycle.
    #[inline(always)]
    pub(crate) fn branch_to(&mut self, target: u32) {
        self.pc = target & !1;
        self.finish(BRANCH);
    }

    /// LDM, POP: posts the first element.
    pub(crate) fn post_load_multiple(&mut self, op: &Op, more: u16) {
        let list = op.immediate as u16 | more;
        self.post_multiple(op.n as u8, list, self.reg(op.n), Phase::LoadMultiple);
    }

    /// STM, PUSH: posts the first element.
    pub(crate) fn post_store_multiple(&mut self, op: &Op, downwards: bool) {
        let list = op.immediate as u16;
        let base = self.reg(op.n);
        let first = if downwards { base.wrapping_sub(4 * list.count_ones()) } else { base };
        self.post_multiple(op.n as u8, list, first, Phase::StoreMultiple);
        if downwards {
            self.writeback = first;
        }
    }

    fn post_multiple(&mut self, base: u8, list: u16, first: u32, phase: Phase) {
        self.began = self.pc.wrapping_sub(2);
        // An empty list is UNPREDICTABLE (A6.7.25); a fault is the kindest reading.
        if first & 3 != 0 || list == 0 {
            return self.fault(self.began, self.misaligned());
        }
        self.list = list;
        self.register = base;
        self.width = Width::Word;
        self.loads_base = false;
        self.writeback = first.wrapping_add(4 * list.count_ones());
        self.post(first, phase);
    }

    pub(crate) fn next_element_to_store(&self) -> u32 {
        self.regs[self.list.trailing_zeros() as usize & 15]
    }

    /// An element of STM or PUSH is stored. True if it was the last.
    pub(crate) fn element_stored(&mut self) -> bool {
        self.list &= self.list.wrapping_sub(1);
        let last = self.list == 0;
        if last {
            self.set_number(self.register, self.writeback);
        }
        last
    }

    /// An element of LDM or POP, not PC, is loaded. True if it was the last.
    pub(crate) fn element_loaded(&mut self, word: u32) -> bool {
        let number = self.list.trailing_zeros() as u8;
        self.list &= self.list.wrapping_sub(1);
        if number == self.register {
            (self.loads_base, self.loaded_base) = (true, word);
        } else {
            self.set_number(number, word);
        }
        let last = self.list == 0;
        if last {
            let base = if self.loads_base { self.loaded_base } else { self.writeback };
            self.set_number(self.register, base);
        }
        last
    }
}

/// Registers, flags, and the arithmetic on them (ARMv6-M A2.2.1, A2.3).
impl<B: Bus> Core<B> {
    #[inline(always)]
    pub(crate) fn reg(&self, register: Reg) -> u32 {
        self.regs[register as usize]
    }

    /// A register that may be PC, which reads as the instruction's address + 4.
    #[inline(always)]
    pub(crate) fn high(&self, register: Reg, pc: u32) -> u32 {
        if register == Reg::Pc { pc.wrapping_add(4) } else { self.reg(register) }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, register: Reg, value: u32) {
        self.regs[register as usize] = value;
    }

    #[inline(always)]
    pub(crate) fn set_number(&mut self, number: u8, value: u32) {
        self.regs[(number & 15) as usize] = value;
    }

    #[inline(always)]
    pub(crate) fn set_high(&mut self, register: Reg, value: u32) {
        self.set(register, if register == Reg::Sp { value & !3 } else { value });
    }

    #[inline(always)]
    pub(crate) fn set_nz(&mut self, register: Reg, value: u32) {
        self.nz = u64::from(value);
        self.set(register, value);
    }

    #[inline(always)]
    pub(crate) fn negative(&self) -> bool {
        self.nz >> 31 != 0
    }

    #[inline(always)]
    pub(crate) fn zero(&self) -> bool {
        self.nz as u32 == 0
    }

    #[inline(always)]
    pub(crate) fn overflow(&self) -> bool {
        self.v >> 31 != 0
    }

    /// N and V differ: the first of two signed numbers compared was the smaller one.
    #[inline(always)]
    pub(crate) fn less(&self) -> bool {
        self.negative() != self.overflow()
    }

    /// `AddWithCarry` of the manual (A2.2.1), flags included.
    #[inline(always)]
    pub(crate) fn add_with_carry(&mut self, a: u32, b: u32, carry: bool) -> u32 {
        let wide = u64::from(a) + u64::from(b) + u64::from(carry);
        let value = wide as u32;
        self.c = wide >> 32 != 0;
        self.v = (a ^ value) & (b ^ value);
        self.nz = u64::from(value);
        value
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, d: Reg, a: u32, b: u32, carry: bool) {
        let value = self.add_with_carry(a, b, carry);
        self.set(d, value);
    }

    /// LSL by 0 to 255.
    pub(crate) fn lsl(&mut self, d: Reg, value: u32, by: u32) {
        let wide = u64::from(value) << by.min(63);
        if by != 0 {
            self.c = wide >> 32 & 1 != 0;
        }
        self.set_nz(d, wide as u32);
    }

    /// LSR by 0 to 255.
    pub(crate) fn lsr(&mut self, d: Reg, value: u32, by: u32) {
        match by {
            0 => self.set_nz(d, value),
            _ => self.shift_right(d, u64::from(value) << 32 >> by.min(63)),
        }
    }

    /// ASR by 0 to 255.
    pub(crate) fn asr(&mut self, d: Reg, value: u32, by: u32) {
        match by {
            0 => self.set_nz(d, value),
            _ => self.shift_right(d, (i64::from(value as i32) << 32 >> by.min(63)) as u64),
        }
    }

    /// The end of a shift to the right: the upper half of `wide` is the result, the bit below was shifted out last.
    #[inline(always)]
    pub(crate) fn shift_right(&mut self, d: Reg, wide: u64) {
        self.c = wide >> 31 & 1 != 0;
        self.set_nz(d, (wide >> 32) as u32);
    }

    pub(crate) fn ror(&mut self, d: Reg, value: u32, by: u32) {
        let result = value.rotate_right(by & 31);
        if by != 0 {
            self.c = result >> 31 != 0;
        }
        self.set_nz(d, result);
    }
}

#[inline(always)]
fn branch_if(condition: bool) -> Effect {
    if condition { Effect::Branch } else { Effect::Next }
}
