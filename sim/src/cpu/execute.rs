//! Executes instructions up to the next one that must stop.

use super::decode::{Code, Op, TABLE, Width};
use super::step::extract;
use super::{Core, Phase};
use crate::bus::{Bus, Slave};
use crate::schedule::Horizon;

/// How an instruction, or its posted part, ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It has one more cycle, its last, in which the next word may be fetched.
    LastCycle,
    /// It is done: `t` is the boundary to the next instruction.
    Boundary,
    /// Something is posted.
    Posted,
}

impl Core {
    /// Runs from an instruction boundary at `t` to the next stop that must wait for others. What SRAM can give at once needs
    /// no posting.
    #[inline(always)]
    pub(crate) fn run<const WATCH: bool>(&mut self, bus: &mut Bus, until: Horizon) {
        loop {
            if self.t >= self.attention && self.attend() {
                return;
            }
            let pc = self.pc;
            if WATCH && self.watch_execution(bus) {
                return;
            }
            let half = (self.word >> ((pc & 2) * 8)) as u16;
            let op = TABLE[half as usize];
            self.pc = pc.wrapping_add(2);
            self.stats.instructions += 1;
            let end = self.execute::<WATCH>(op, pc, bus, until);
            let posted = match end {
                End::LastCycle => self.end_cycle_now(bus, until) == End::Posted,
                End::Boundary => false,
                End::Posted => true,
            };
            if posted {
                return;
            }
        }
    }

    /// Ends an instruction's last cycle: asks for the next word if the lower halfword was executed.
    #[inline(always)]
    pub(crate) fn end_cycle(&mut self) -> End {
        if self.pc & 2 == 0 {
            self.word = self.next;
            self.t += 1;
            End::Boundary
        } else {
            self.post(self.pc.wrapping_add(2), Phase::Fetch);
            End::Posted
        }
    }

    /// As `end_cycle`, with the fetch at once if that is possible.
    #[inline(always)]
    fn end_cycle_now(&mut self, bus: &mut Bus, until: Horizon) -> End {
        if self.pc & 2 == 0 {
            self.word = self.next;
            self.t += 1;
            return End::Boundary;
        }
        self.post(self.pc.wrapping_add(2), Phase::Fetch);
        if until.allows(self.t, self.slave) && self.slave.is_sram() {
            self.next = self.take_sram(bus);
            return End::Boundary;
        }
        End::Posted
    }

    /// The posted word, which is in SRAM and free.
    #[inline(always)]
    pub(crate) fn take_sram(&mut self, bus: &mut Bus) -> u32 {
        bus.granted(self.id, self.slave);
        self.t += 1;
        bus.memory.sram(self.index)
    }

    /// Executes one instruction at `pc`.
    #[inline(always)]
    #[allow(clippy::too_many_lines)] // one line per instruction
    fn execute<const WATCH: bool>(&mut self, op: Op, pc: u32, bus: &mut Bus, until: Horizon) -> End {
        let immediate = op.immediate as i32 as u32;
        match op.code {
            Code::MovImm => self.set_nz(op.d, immediate),
            Code::AddImm => self.add(op.d, self.reg(op.n), immediate, false),
            Code::SubImm => self.add(op.d, self.reg(op.n), !immediate, true),
            Code::AddReg => self.add(op.d, self.reg(op.n), self.reg(op.m), false),
            Code::SubReg => self.add(op.d, self.reg(op.n), !self.reg(op.m), true),
            Code::CmpImm => self.compare(self.reg(op.n), !immediate, true),
            Code::Cmp => self.compare(self.reg(op.n), !self.reg(op.m), true),
            Code::Cmn => self.compare(self.reg(op.n), self.reg(op.m), false),
            Code::CmpHi => self.compare(self.high(op.n, pc), !self.high(op.m, pc), true),
            Code::Adc => self.add(op.d, self.reg(op.n), self.reg(op.m), self.c),
            Code::Sbc => self.add(op.d, self.reg(op.n), !self.reg(op.m), self.c),
            Code::Rsb => self.add(op.d, !self.reg(op.m), 0, true),
            Code::And => self.set_nz(op.d, self.reg(op.n) & self.reg(op.m)),
            Code::Eor => self.set_nz(op.d, self.reg(op.n) ^ self.reg(op.m)),
            Code::Orr => self.set_nz(op.d, self.reg(op.n) | self.reg(op.m)),
            Code::Bic => self.set_nz(op.d, self.reg(op.n) & !self.reg(op.m)),
            Code::Mvn => self.set_nz(op.d, !self.reg(op.m)),
            Code::Mul => self.set_nz(op.d, self.reg(op.n).wrapping_mul(self.reg(op.m))),
            Code::Tst => {
                self.n = self.reg(op.n) & self.reg(op.m);
                self.z = self.n;
            }
            Code::LslImm => {
                let value = u64::from(self.reg(op.m)) << immediate;
                if immediate != 0 {
                    self.c = value >> 32 & 1 != 0;
                }
                self.set_nz(op.d, value as u32);
            }
            Code::LsrImm => self.lsr(op.d, self.reg(op.m), immediate),
            Code::AsrImm => self.asr(op.d, self.reg(op.m), immediate),
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
            Code::LoadImm => return self.load::<WATCH>(op, self.high(op.n, pc).wrapping_add(immediate), bus, until),
            Code::LoadReg => return self.load::<WATCH>(op, self.reg(op.n).wrapping_add(self.reg(op.m)), bus, until),
            Code::LdrLiteral => {
                return self.load::<WATCH>(op, (pc.wrapping_add(4) & !3).wrapping_add(immediate), bus, until);
            }
            Code::StoreImm => return self.store::<WATCH>(op, self.high(op.n, pc).wrapping_add(immediate), bus, until),
            Code::StoreReg => return self.store::<WATCH>(op, self.reg(op.n).wrapping_add(self.reg(op.m)), bus, until),
            Code::Push => return self.store_many(op, true),
            Code::Stm => return self.store_many(op, false),
            Code::Ldm | Code::Pop => return self.load_many(op, 0),
            Code::PopPc => return self.load_many(op, 1 << 15),
            Code::B => return self.branch::<WATCH>(pc, immediate, bus, until),
            Code::Beq => {
                if self.z == 0 {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bne => {
                if self.z != 0 {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bcs => {
                if self.c {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bcc => {
                if !self.c {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bmi => {
                if self.negative() {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bpl => {
                if !self.negative() {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bvs => {
                if self.v {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bvc => {
                if !self.v {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bhi => {
                if self.c && self.z != 0 {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bls => {
                if !self.c || self.z == 0 {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bge => {
                if self.negative() == self.v {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Blt => {
                if self.negative() != self.v {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Bgt => {
                if self.z != 0 && self.negative() == self.v {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::Ble => {
                if self.z == 0 || self.negative() != self.v {
                    return self.branch::<WATCH>(pc, immediate, bus, until);
                }
            }
            Code::MovPc => return self.branch_to(self.high(op.m, pc)),
            Code::AddPc => return self.branch_to(pc.wrapping_add(4).wrapping_add(self.high(op.m, pc))),
            Code::Bx => return self.branch_exchange(self.high(op.m, pc), pc),
            Code::Blx => {
                let target = self.high(op.m, pc);
                self.regs[14] = pc.wrapping_add(2) | 1;
                return self.branch_exchange(target, pc);
            }
            Code::Wide => return self.wide(pc),
            Code::Cps | Code::Bkpt | Code::Wfe | Code::Wfi | Code::Sev | Code::Svc | Code::Udf => {
                return self.rare(op, pc);
            }
        }
        End::LastCycle
    }

    #[inline(always)]
    fn reg(&self, number: u8) -> u32 {
        self.regs[(number & 15) as usize]
    }

    /// A register that may be PC, which reads as the instruction's address + 4.
    #[inline(always)]
    fn high(&self, number: u8, pc: u32) -> u32 {
        if number == 15 { pc.wrapping_add(4) } else { self.reg(number) }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, number: u8, value: u32) {
        self.regs[(number & 15) as usize] = value;
    }

    #[inline(always)]
    fn set_high(&mut self, number: u8, value: u32) {
        self.set(number, if number == 13 { value & !3 } else { value });
    }

    #[inline(always)]
    fn set_nz(&mut self, number: u8, value: u32) {
        self.n = value;
        self.z = value;
        self.set(number, value);
    }

    #[inline(always)]
    fn negative(&self) -> bool {
        self.n >> 31 != 0
    }

    /// `AddWithCarry` of the manual (A2.2.1), flags included.
    #[inline(always)]
    fn compare_value(&mut self, a: u32, b: u32, carry: bool) -> u32 {
        let wide = u64::from(a) + u64::from(b) + u64::from(carry);
        let value = wide as u32;
        self.c = wide >> 32 != 0;
        self.v = ((a ^ value) & (b ^ value)) >> 31 != 0;
        self.n = value;
        self.z = value;
        value
    }

    #[inline(always)]
    fn compare(&mut self, a: u32, b: u32, carry: bool) {
        self.compare_value(a, b, carry);
    }

    #[inline(always)]
    fn add(&mut self, d: u8, a: u32, b: u32, carry: bool) {
        let value = self.compare_value(a, b, carry);
        self.set(d, value);
    }

    fn lsl(&mut self, d: u8, value: u32, by: u32) {
        if by != 0 {
            self.c = by <= 32 && u64::from(value) << by >> 32 & 1 != 0;
        }
        self.set_nz(d, if by < 32 { value << by } else { 0 });
    }

    fn lsr(&mut self, d: u8, value: u32, by: u32) {
        if by != 0 {
            self.c = by <= 32 && value >> (by - 1) & 1 != 0;
        }
        self.set_nz(d, if by < 32 { value >> by } else { 0 });
    }

    fn asr(&mut self, d: u8, value: u32, by: u32) {
        if by != 0 {
            self.c = (value as i32) >> (by - 1).min(31) & 1 != 0;
        }
        self.set_nz(d, ((value as i32) >> by.min(31)) as u32);
    }

    fn ror(&mut self, d: u8, value: u32, by: u32) {
        let result = value.rotate_right(by & 31);
        if by != 0 {
            self.c = result >> 31 != 0;
        }
        self.set_nz(d, result);
    }

    #[inline(always)]
    fn load<const WATCH: bool>(&mut self, op: Op, address: u32, bus: &mut Bus, until: Horizon) -> End {
        if self.transfer(op, address, Phase::Load) && !WATCH && until.allows(self.t, self.slave) && self.slave.is_sram()
        {
            let word = self.take_sram(bus);
            self.set(op.d, extract(word, address, op.width));
            return End::LastCycle;
        }
        End::Posted
    }

    #[inline(always)]
    fn store<const WATCH: bool>(&mut self, op: Op, address: u32, bus: &mut Bus, until: Horizon) -> End {
        if self.transfer(op, address, Phase::Store)
            && !WATCH
            && until.allows(self.t, self.slave)
            && self.slave.is_sram()
        {
            bus.granted(self.id, self.slave);
            bus.memory.write_sram(self.index, address, op.width, self.reg(op.d));
            self.t += 1;
            return End::LastCycle;
        }
        End::Posted
    }

    /// Posts a load or store. False if it faults, or goes to the I/O port.
    #[inline(always)]
    fn transfer(&mut self, op: Op, address: u32, phase: Phase) -> bool {
        if address & op.width.misaligned() != 0 {
            self.fault(self.pc.wrapping_sub(2));
            return false;
        }
        self.register = op.d;
        self.width = op.width;
        self.post(address, phase);
        if self.slave == Slave::Sio {
            self.transfer_io(phase);
            return false;
        }
        true
    }

    /// The single-cycle I/O port is not the bus: an access there and a fetch go together (TRM 2.2.1, table 3-1 note a).
    fn transfer_io(&mut self, direction: Phase) {
        self.io_address = self.address;
        self.resume = direction;
        if self.pc & 2 == 0 {
            self.post_internal(Phase::Io);
        } else {
            self.post(self.pc.wrapping_add(2), Phase::Io);
        }
    }

    #[inline(always)]
    fn branch<const WATCH: bool>(&mut self, pc: u32, offset: u32, bus: &mut Bus, until: Horizon) -> End {
        self.branch_to(pc.wrapping_add(4).wrapping_add(offset));
        if until.allows(self.t, self.slave) && self.slave.is_sram() {
            let word = self.take_sram(bus);
            return self.end_target(word);
        }
        End::Posted
    }

    /// Goes to `target` (bit 0 of no meaning), whose word is asked for in this cycle.
    #[inline(always)]
    pub(crate) fn branch_to(&mut self, target: u32) -> End {
        self.pc = target & !1;
        self.post(target & !3, Phase::Target);
        End::Posted
    }

    /// Ends the first cycle of a branch whose target word has come.
    #[inline(always)]
    pub(crate) fn end_target(&mut self, word: u32) -> End {
        self.word = word;
        if self.pc & 2 == 0 {
            self.t += 1;
            return End::Boundary;
        }
        self.post(self.pc.wrapping_add(2), Phase::TargetNext);
        End::Posted
    }

    /// LDM, POP: posts the first element.
    fn load_many(&mut self, op: Op, more: u16) -> End {
        let list = op.immediate as u16 | more;
        self.start_many(op.n, list, self.reg(op.n), Phase::LoadMany)
    }

    /// STM, PUSH: posts the first element.
    fn store_many(&mut self, op: Op, downwards: bool) -> End {
        let list = op.immediate as u16;
        let base = self.reg(op.n);
        let first = if downwards { base.wrapping_sub(4 * list.count_ones()) } else { base };
        let posted = self.start_many(op.n, list, first, Phase::StoreMany);
        if downwards {
            self.writeback = first;
        }
        posted
    }

    fn start_many(&mut self, base: u8, list: u16, first: u32, phase: Phase) -> End {
        self.began = self.pc.wrapping_sub(2);
        // An empty list is UNPREDICTABLE (A6.7.25); a fault is the kindest reading.
        if first & 3 != 0 || list == 0 {
            return self.fault(self.began);
        }
        self.list = list;
        self.register = base;
        self.width = Width::Word;
        self.loaded_base = None;
        self.writeback = first.wrapping_add(4 * list.count_ones());
        self.post(first, phase);
        End::Posted
    }
}
