//! Registers, flags, and the arithmetic on them (ARMv6-M A2.2.1, A2.3).

use crate::core::bus::Bus;
use crate::isa::armv6m::Core;
use crate::isa::armv6m::decode::Reg;

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

    /// The N flag.
    #[inline(always)]
    pub(crate) fn negative(&self) -> bool {
        self.nz >> 31 != 0
    }

    /// The Z flag.
    #[inline(always)]
    pub(crate) fn zero(&self) -> bool {
        self.nz as u32 == 0
    }

    /// The V flag.
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
