//! 16-bit instructions (A5.2). In an IT block only comparisons set flags.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::access::Width;
use crate::isa::armv7em::arithmetic::Shift;
use crate::isa::armv7em::bus::Bus;
use crate::isa::armv7em::data::Operation;
use crate::isa::armv7em::fault::Fault;
use crate::isa::armv7em::{ExecutionResult, Processor};
use crate::isa::thumb::decode::{Code, Op, TABLE};

impl Processor {
    #[inline(always)]
    pub(crate) fn execute_narrow(&mut self, half: u16, bus: &mut impl Bus) -> ExecutionResult {
        let op = TABLE[usize::from(half)];
        let (d, n, m) = (op.d as u32, op.n as u32, op.m as u32);
        let immediate = i32::from(op.immediate) as u32;
        let flags = !self.conditional;
        match op.code {
            Code::LslImm => self.shift(d, m, Shift::Lsl(immediate)),
            Code::LsrImm => self.shift(d, m, Shift::Lsr(immediate)),
            Code::AsrImm => self.shift(d, m, Shift::Asr(immediate)),
            Code::Lsl => self.shift(d, d, Shift::by_register(0, self.low(m))),
            Code::Lsr => self.shift(d, d, Shift::by_register(1, self.low(m))),
            Code::Asr => self.shift(d, d, Shift::by_register(2, self.low(m))),
            Code::Ror => self.shift(d, d, Shift::by_register(3, self.low(m))),
            Code::AddReg => self.compute(Operation::Add, d, n, self.low(m)),
            Code::SubReg => self.compute(Operation::Sub, d, n, self.low(m)),
            Code::AddImm => self.compute(Operation::Add, d, n, immediate),
            Code::SubImm => self.compute(Operation::Sub, d, n, immediate),
            Code::And => self.compute(Operation::And, d, d, self.low(m)),
            Code::Eor => self.compute(Operation::Eor, d, d, self.low(m)),
            Code::Adc => self.compute(Operation::Adc, d, d, self.low(m)),
            Code::Sbc => self.compute(Operation::Sbc, d, d, self.low(m)),
            Code::Rsb => self.compute(Operation::Rsb, d, m, 0),
            Code::Orr => self.compute(Operation::Orr, d, d, self.low(m)),
            Code::Bic => self.compute(Operation::Bic, d, d, self.low(m)),
            Code::MovImm => self.move_to(d, immediate, flags),
            Code::Mvn => self.move_to(d, !self.low(m), flags),
            Code::Mul => self.move_to(d, self.low(d).wrapping_mul(self.low(m)), flags),
            Code::Tst => self.compare(Operation::And, d, self.low(m)),
            Code::CmpImm => self.compare(Operation::Sub, n, immediate),
            Code::Cmp => self.compare(Operation::Sub, d, self.low(m)),
            Code::CmpHi => {
                let (n, m) = (self.reg(n), self.reg(m));
                self.operate(Operation::Sub, (n, m, false), true);
            }
            Code::Cmn => self.compare(Operation::Add, d, self.low(m)),
            Code::AddHi => self.set(d, self.reg(d).wrapping_add(self.reg(m))),
            Code::MovHi => self.set(d, self.reg(m)),
            Code::Adr => self.set(d, self.literal_base().wrapping_add(immediate)),
            Code::AddSp => self.set(d, self.r[13].wrapping_add(immediate)),
            Code::MoveSp => self.set(13, self.r[13].wrapping_add(immediate)),
            Code::Sxth => self.set_low(d, self.low(m) as i16 as u32),
            Code::Sxtb => self.set_low(d, self.low(m) as i8 as u32),
            Code::Uxth => self.set_low(d, self.low(m) & 0xffff),
            Code::Uxtb => self.set_low(d, self.low(m) & 0xff),
            Code::Rev => self.set_low(d, self.low(m).swap_bytes()),
            Code::Rev16 => self.set_low(d, self.low(m).swap_bytes().rotate_left(16)),
            Code::Revsh => self.set_low(d, (self.low(m) as u16).swap_bytes() as i16 as u32),
            Code::Nop | Code::Wfe | Code::Wfi | Code::Sev => self.hint(u32::from(half) & 0xff, bus),
            Code::Cps => self.change_processor_state(u32::from(half)),
            Code::AddPc => self.branch(self.reg(15).wrapping_add(self.reg(m))),
            Code::MovPc => self.branch(self.reg(m)),
            Code::B => self.branch(self.reg(15).wrapping_add(immediate)),
            Code::Bx => self.branch_exchange(self.reg(m)),
            Code::Blx => {
                let target = self.reg(m);
                self.set(14, self.next | 1);
                self.thumb = target & 1 != 0;
                self.branch(target);
            }
            Code::Svc => return self.supervisor_call(),
            Code::Bkpt => return Err(Fault::Breakpoint(half as u8)),
            Code::Beq => self.branch_if(self.flags.z, immediate),
            Code::Bne => self.branch_if(!self.flags.z, immediate),
            Code::Bcs => self.branch_if(self.flags.c, immediate),
            Code::Bcc => self.branch_if(!self.flags.c, immediate),
            Code::Bmi => self.branch_if(self.flags.n, immediate),
            Code::Bpl => self.branch_if(!self.flags.n, immediate),
            Code::Bvs => self.branch_if(self.flags.v, immediate),
            Code::Bvc => self.branch_if(!self.flags.v, immediate),
            Code::Bhi => self.branch_if(self.flags.c && !self.flags.z, immediate),
            Code::Bls => self.branch_if(!self.flags.c || self.flags.z, immediate),
            Code::Bge => self.branch_if(self.flags.n == self.flags.v, immediate),
            Code::Blt => self.branch_if(self.flags.n != self.flags.v, immediate),
            Code::Bgt => self.branch_if(!self.flags.z && self.flags.n == self.flags.v, immediate),
            Code::Ble => self.branch_if(self.flags.z || self.flags.n != self.flags.v, immediate),
            // CBZ, CBNZ and IT are not in ARMv6-M.
            Code::Udf if half & 0xf500 == 0xb100 => self.compare_and_branch(u32::from(half)),
            Code::Udf if half & 0xff00 == 0xbf00 => self.it = half as u8,
            _ => return self.narrow_transfer(op, bus),
        }
        Ok(())
    }

    /// Whether a comparison or shift is at PC, and a conditional branch behind it.
    pub(crate) fn tests_and_branches(&mut self, bus: &impl Bus) -> bool {
        let Some(place) = self.code_place(bus) else { return false };
        let word = bus.fetch_at(place);
        let [first, second] = [word as u16, (word >> 16) as u16].map(|half| TABLE[usize::from(half)].code);
        let tests = matches!(first, Code::LslImm | Code::LsrImm | Code::Tst | Code::CmpImm | Code::Cmp | Code::And);
        tests && second.branches_directly()
    }

    #[inline(always)]
    fn narrow_transfer(&mut self, op: Op, bus: &mut impl Bus) -> ExecutionResult {
        let (d, n, immediate) = (op.d as u32, op.n as u32, i32::from(op.immediate) as u32);
        let list = immediate & 0xffff;
        match op.code {
            Code::LdrLiteral => self.load_to(d, self.literal_base().wrapping_add(immediate), Width::Word, bus),
            Code::LoadReg => self.load_to(d, self.reg(n).wrapping_add(self.reg(op.m as u32)), op.width, bus),
            Code::LoadImm => self.load_to(d, self.reg(n).wrapping_add(immediate), op.width, bus),
            Code::StoreReg => self.store_from(d, self.reg(n).wrapping_add(self.reg(op.m as u32)), op.width, bus),
            Code::StoreImm => self.store_from(d, self.reg(n).wrapping_add(immediate), op.width, bus),
            Code::Push => self.store_multiple(13, list, true, true, bus),
            Code::Pop => self.load_multiple(13, list, false, true, bus),
            Code::PopPc => self.load_multiple(13, list | 1 << 15, false, true, bus),
            Code::Stm => self.store_multiple(n, list, false, true, bus),
            // No write-back if the base is in the list.
            Code::Ldm => self.load_multiple(n, list, false, list >> n & 1 == 0, bus),
            _ => Err(Fault::Undefined),
        }
    }

    #[inline(always)]
    fn compare_and_branch(&mut self, half: u32) {
        let zero = self.reg(half & 7) == 0;
        if zero != (half & 0x800 != 0) {
            self.branch(self.reg(15).wrapping_add((half >> 9 & 1) << 6 | (half >> 3 & 31) << 1));
        }
    }

    #[inline(always)]
    fn branch_if(&mut self, holds: bool, offset: u32) {
        if holds {
            self.branch(self.reg(15).wrapping_add(offset));
        }
    }

    #[inline(always)]
    fn shift(&mut self, d: u32, from: u32, shift: Shift) {
        let (value, carry) = shift.apply(self.low(from), self.flags.c);
        let value = self.operate(Operation::Orr, (0, value, carry), !self.conditional);
        self.set_low(d, value);
    }

    #[inline(always)]
    fn compute(&mut self, operation: Operation, d: u32, n: u32, operand: u32) {
        let carry = self.flags.c;
        let value = self.operate(operation, (self.low(n), operand, carry), !self.conditional);
        self.set_low(d, value);
    }

    #[inline(always)]
    fn compare(&mut self, operation: Operation, n: u32, operand: u32) {
        let carry = self.flags.c;
        self.operate(operation, (self.low(n), operand, carry), true);
    }

    #[inline(always)]
    fn move_to(&mut self, d: u32, value: u32, sets_flags: bool) {
        self.set_low(d, value);
        if sets_flags {
            self.flags.set_nz(value);
        }
    }

    /// R0 to R7.
    #[inline(always)]
    fn low(&self, number: u32) -> u32 {
        self.r[number as usize & 7]
    }

    #[inline(always)]
    fn set_low(&mut self, number: u32, value: u32) {
        self.r[number as usize & 7] = value;
    }
}
