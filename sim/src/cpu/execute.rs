//! Executes instructions up to the next one that must stop.

#![allow(clippy::trivially_copy_pass_by_ref)] // of a decoded instruction, only what is needed is then read: measured, see bench/sim

use super::decode::{Code, Op, Reg, TABLE, Width};
use super::step::extract;
use super::{Core, Phase};
use crate::bus::{Bus, Slave, locate_bank};
use crate::clock::{Cycle, NEVER};
use crate::schedule::Horizon;

/// How a part of an instruction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The instruction has one more cycle, its last, in which the next word may be fetched.
    LastCycle,
    /// It is done: `t` is the boundary to the next instruction.
    Boundary,
    /// Something is posted.
    Posted,
}

/// What changes with every instruction, kept out of memory while instructions are executed: the cycle, the address of the
/// instruction, and the halfwords from it on.
#[derive(Clone, Copy)]
struct Front {
    t: Cycle,
    pc: u32,
    queue: u64,
}

/// A load or store.
macro_rules! transfer {
    ($how:ident, $core:ident, $op:ident, $address:expr, $front:ident, $bus:ident, $until:ident) => {{
        let address = $address;
        if $core.$how::<WATCH>($op, address, &mut $front, $bus, $until) == End::Posted {
            return;
        }
    }};
}

/// A branch, if the condition holds.
macro_rules! branch {
    ($condition:expr, $core:ident, $immediate:ident, $front:ident, $bus:ident, $until:ident) => {
        if $condition {
            if $core.branch::<WATCH>(&mut $front, $immediate, $bus, $until) == End::Posted {
                return;
            }
            continue;
        }
    };
}

impl Core {
    /// Runs from an instruction boundary at `t` to the next stop that must wait for others. What SRAM can give at once needs
    /// no posting.
    #[inline(always)]
    #[allow(clippy::too_many_lines)] // one line per instruction
    pub(crate) fn run<const WATCH: bool>(&mut self, bus: &mut Bus, until: Horizon) {
        let mut front = Front { t: self.t, pc: self.pc, queue: self.queue };
        // An instruction that begins again has looked at exceptions already.
        let begun = if self.phase == Phase::Again { front.t } else { NEVER };
        let mut look = until.looks(self.attention);
        loop {
            if (WATCH || front.t >= look) && front.t != begun {
                self.leave(front);
                if !until.knows(front.t) {
                    self.post_internal(Phase::Start);
                    return;
                }
                if (front.t >= self.attention && self.attend()) || (WATCH && self.watch_execution(bus)) {
                    return;
                }
                look = until.looks(self.attention);
            }
            let pc = front.pc;
            let op = &TABLE[(front.queue & 0xffff) as usize];
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
                Code::Tst => self.nz = u64::from(self.reg(op.n) & self.reg(op.m)),
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
                Code::LoadImm => transfer!(load, self, op, self.reg(op.n).wrapping_add(immediate), front, bus, until),
                Code::LoadReg => {
                    transfer!(load, self, op, self.reg(op.n).wrapping_add(self.reg(op.m)), front, bus, until);
                }
                Code::LdrLiteral => {
                    transfer!(load, self, op, (pc.wrapping_add(4) & !3).wrapping_add(immediate), front, bus, until);
                }
                Code::StoreImm => transfer!(store, self, op, self.reg(op.n).wrapping_add(immediate), front, bus, until),
                Code::StoreReg => {
                    transfer!(store, self, op, self.reg(op.n).wrapping_add(self.reg(op.m)), front, bus, until);
                }
                Code::B => branch!(true, self, immediate, front, bus, until),
                Code::Beq => branch!(self.zero(), self, immediate, front, bus, until),
                Code::Bne => branch!(!self.zero(), self, immediate, front, bus, until),
                Code::Bcs => branch!(self.c, self, immediate, front, bus, until),
                Code::Bcc => branch!(!self.c, self, immediate, front, bus, until),
                Code::Bmi => branch!(self.negative(), self, immediate, front, bus, until),
                Code::Bpl => branch!(!self.negative(), self, immediate, front, bus, until),
                Code::Bvs => branch!(self.overflow(), self, immediate, front, bus, until),
                Code::Bvc => branch!(!self.overflow(), self, immediate, front, bus, until),
                Code::Bhi => branch!(self.c && !self.zero(), self, immediate, front, bus, until),
                Code::Bls => branch!(!self.c || self.zero(), self, immediate, front, bus, until),
                Code::Bge => branch!(!self.less(), self, immediate, front, bus, until),
                Code::Blt => branch!(self.less(), self, immediate, front, bus, until),
                Code::Bgt => branch!(!self.zero() && !self.less(), self, immediate, front, bus, until),
                Code::Ble => branch!(self.zero() || self.less(), self, immediate, front, bus, until),
                _ => {
                    self.leave_behind(front);
                    match self.execute_rarely(op, pc) {
                        End::Posted => return,
                        // The rest is done below.
                        End::LastCycle => {
                            self.stats.instructions -= 1;
                            look = until.looks(self.attention);
                        }
                        End::Boundary => {
                            front = Front { t: self.t, pc: self.pc, queue: self.queue };
                            continue;
                        }
                    }
                }
            }
            self.stats.instructions += 1;
            front.pc = pc.wrapping_add(2);
            front.queue >>= 16;
            if front.pc & 2 != 0 {
                let Some(word) = self.take::<WATCH>(front.pc.wrapping_add(2), front.t, bus, until) else {
                    self.leave(front);
                    self.post_fetch();
                    return;
                };
                front.queue |= u64::from(word) << 16;
            }
            front.t += 1;
        }
    }

    /// Puts what `run` keeps apart back where all else finds it.
    #[inline(always)]
    fn leave(&mut self, front: Front) {
        self.t = front.t;
        self.pc = front.pc;
        self.queue = front.queue;
    }

    /// As `leave`, with the instruction begun.
    #[inline(always)]
    fn leave_behind(&mut self, front: Front) {
        self.stats.instructions += 1;
        self.leave(Front { t: front.t, pc: front.pc.wrapping_add(2), queue: front.queue >> 16 });
    }

    /// Puts the instruction off until a bank is free; then it begins again.
    #[inline(always)]
    fn put_off(&mut self, front: Front, bank: u32, quiet: Cycle) -> End {
        self.leave(front);
        self.slave = Slave::bank(bank);
        self.phase = Phase::Again;
        self.ahead = 1 + quiet;
        End::Posted
    }

    /// One of the large banks is had.
    #[inline(always)]
    fn granted<const WATCH: bool>(&mut self, bus: &mut Bus, bank: u32) {
        bus.granted_bank(self.id, bank);
        if WATCH {
            self.count(bus, Slave::bank(bank));
        }
    }

    /// The word at an address, at once, if it is in one of the large banks and nobody is in the way.
    #[inline(always)]
    fn take<const WATCH: bool>(&mut self, address: u32, now: Cycle, bus: &mut Bus, until: Horizon) -> Option<u32> {
        let (bank, index) = locate_bank(address)?;
        until.allows(now, bank).then(|| {
            self.granted::<WATCH>(bus, bank);
            bus.memory.sram(index)
        })
    }

    /// Index of the word that a load or store is for, if it is had at once; else the instruction waits, or has faulted.
    #[inline(always)]
    fn begin_transfer<const WATCH: bool>(
        &mut self,
        op: &Op,
        address: u32,
        phase: Phase,
        front: Front,
        bus: &mut Bus,
        until: Horizon,
    ) -> Option<u32> {
        let place = locate_bank(address).filter(|_| address & op.width.misaligned() == 0);
        let Some((bank, index)) = place else {
            self.leave_behind(front);
            self.post_transfer(op, address, phase);
            return None;
        };
        if !until.allows(front.t, bank) {
            self.put_off(front, bank, quiet_after(front.pc));
            return None;
        }
        self.granted::<WATCH>(bus, bank);
        Some(index)
    }

    #[inline(always)]
    fn load<const WATCH: bool>(
        &mut self,
        op: &Op,
        address: u32,
        front: &mut Front,
        bus: &mut Bus,
        until: Horizon,
    ) -> End {
        let Some(index) = self.begin_transfer::<WATCH>(op, address, Phase::Load, *front, bus, until) else {
            return End::Posted;
        };
        let value = extract(bus.memory.sram(index), address, op.width);
        if WATCH {
            bus.watch.data(front.t, self.id, front.pc, address, op.width.bytes(), false, value);
        }
        self.set(op.d, value);
        front.t += 1;
        End::LastCycle
    }

    #[inline(always)]
    fn store<const WATCH: bool>(
        &mut self,
        op: &Op,
        address: u32,
        front: &mut Front,
        bus: &mut Bus,
        until: Horizon,
    ) -> End {
        let Some(index) = self.begin_transfer::<WATCH>(op, address, Phase::Store, *front, bus, until) else {
            return End::Posted;
        };
        let value = self.reg(op.d);
        bus.memory.write_sram(index, address, op.width, value);
        if WATCH {
            bus.watch.data(front.t, self.id, front.pc, address, op.width.bytes(), true, value);
        }
        front.t += 1;
        End::LastCycle
    }

    /// Posts a load or store, unless it faults.
    #[inline(never)]
    fn post_transfer(&mut self, op: &Op, address: u32, phase: Phase) -> End {
        if address & op.width.misaligned() != 0 {
            return self.fault(self.pc.wrapping_sub(2));
        }
        self.register = op.d as u8;
        self.width = op.width;
        self.post(address, phase);
        if self.slave == Slave::Sio {
            self.transfer_io(phase);
        }
        End::Posted
    }

    /// The single-cycle I/O port is not the bus: an access there and a fetch go together (TRM 2.2.1, table 3-1 note a).
    fn transfer_io(&mut self, direction: Phase) {
        self.io_address = self.address;
        self.resume = direction;
        if self.pc & 2 == 0 {
            self.post_internal(Phase::Io);
        } else {
            self.post(self.pc.wrapping_add(2), Phase::Io);
            self.ahead = 0;
        }
    }

    /// A relative branch by `offset`: at once if its target is in a large bank and nobody is in the way.
    #[inline(always)]
    fn branch<const WATCH: bool>(&mut self, front: &mut Front, offset: u32, bus: &mut Bus, until: Horizon) -> End {
        let target = front.pc.wrapping_add(4).wrapping_add(offset);
        let Some((bank, index)) = locate_bank(target & !3) else {
            self.leave_behind(*front);
            return self.branch_to(target);
        };
        if !until.allows(front.t, bank) {
            return self.put_off(*front, bank, 0);
        }
        self.granted::<WATCH>(bus, bank);
        self.stats.instructions += 1;
        let word = u64::from(bus.memory.sram(index));
        *front = Front { t: front.t + 1, pc: target, queue: word };
        if target & 2 != 0 {
            front.queue = word >> 16;
            let Some(word) = self.take::<WATCH>(target.wrapping_add(2), front.t, bus, until) else {
                self.leave(*front);
                self.post(target.wrapping_add(2), Phase::TargetNext);
                return End::Posted;
            };
            front.queue |= u64::from(word) << 16;
        }
        front.t += 1;
        End::Boundary
    }

    /// Instructions that are not worth a place in the hot loop.
    #[inline(never)]
    fn execute_rarely(&mut self, op: &Op, pc: u32) -> End {
        match op.code {
            Code::Push => self.store_many(op, true),
            Code::Stm => self.store_many(op, false),
            Code::Ldm | Code::Pop => self.load_many(op, 0),
            Code::PopPc => self.load_many(op, 1 << 15),
            Code::MovPc => self.branch_to(self.high(op.m, pc)),
            Code::AddPc => self.branch_to(pc.wrapping_add(4).wrapping_add(self.high(op.m, pc))),
            Code::Bx => self.branch_exchange(self.high(op.m, pc), pc),
            Code::Blx => {
                let target = self.high(op.m, pc);
                self.regs[14] = pc.wrapping_add(2) | 1;
                self.branch_exchange(target, pc)
            }
            Code::Wide => self.wide(pc, op.immediate as u16),
            _ => self.rare(op, pc),
        }
    }

    /// Ends an instruction's last cycle: asks for the next word if the lower halfword was executed.
    #[inline(always)]
    pub(crate) fn end_cycle(&mut self) -> End {
        if self.pc & 2 == 0 {
            self.t += 1;
            return End::Boundary;
        }
        self.post_fetch();
        End::Posted
    }

    /// Posts the fetch that is due while the lower halfword executes.
    #[inline(always)]
    fn post_fetch(&mut self) {
        self.post(self.pc.wrapping_add(2), Phase::Fetch);
        // What follows is known already, unless an exception comes first.
        let quiet = TABLE[(self.queue & 0xffff) as usize].quiet && self.attention > self.t + 1;
        self.ahead += Cycle::from(quiet && self.slave.is_memory());
    }

    #[inline(always)]
    fn reg(&self, register: Reg) -> u32 {
        self.regs[register as usize]
    }

    /// A register that may be PC, which reads as the instruction's address + 4.
    #[inline(always)]
    fn high(&self, register: Reg, pc: u32) -> u32 {
        if register == Reg::Pc { pc.wrapping_add(4) } else { self.reg(register) }
    }

    #[inline(always)]
    fn set(&mut self, register: Reg, value: u32) {
        self.regs[register as usize] = value;
    }

    #[inline(always)]
    pub(crate) fn set_number(&mut self, number: u8, value: u32) {
        self.regs[(number & 15) as usize] = value;
    }

    #[inline(always)]
    fn set_high(&mut self, register: Reg, value: u32) {
        self.set(register, if register == Reg::Sp { value & !3 } else { value });
    }

    #[inline(always)]
    fn set_nz(&mut self, register: Reg, value: u32) {
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
    fn less(&self) -> bool {
        self.negative() != self.overflow()
    }

    /// `AddWithCarry` of the manual (A2.2.1), flags included.
    #[inline(always)]
    fn add_with_carry(&mut self, a: u32, b: u32, carry: bool) -> u32 {
        let wide = u64::from(a) + u64::from(b) + u64::from(carry);
        let value = wide as u32;
        self.c = wide >> 32 != 0;
        self.v = (a ^ value) & (b ^ value);
        self.nz = u64::from(value);
        value
    }

    #[inline(always)]
    fn compare(&mut self, a: u32, b: u32, carry: bool) {
        self.add_with_carry(a, b, carry);
    }

    #[inline(always)]
    fn add(&mut self, d: Reg, a: u32, b: u32, carry: bool) {
        let value = self.add_with_carry(a, b, carry);
        self.set(d, value);
    }

    fn lsl(&mut self, d: Reg, value: u32, by: u32) {
        if by != 0 {
            self.c = by <= 32 && u64::from(value) << by >> 32 & 1 != 0;
        }
        self.set_nz(d, if by < 32 { value << by } else { 0 });
    }

    fn lsr(&mut self, d: Reg, value: u32, by: u32) {
        if by != 0 {
            self.c = by <= 32 && value >> (by - 1) & 1 != 0;
        }
        self.set_nz(d, if by < 32 { value >> by } else { 0 });
    }

    fn asr(&mut self, d: Reg, value: u32, by: u32) {
        if by != 0 {
            self.c = (value as i32) >> (by - 1).min(31) & 1 != 0;
        }
        self.set_nz(d, ((value as i32) >> by.min(31)) as u32);
    }

    fn ror(&mut self, d: Reg, value: u32, by: u32) {
        let result = value.rotate_right(by & 31);
        if by != 0 {
            self.c = result >> 31 != 0;
        }
        self.set_nz(d, result);
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
        if self.pc & 2 == 0 {
            self.queue = u64::from(word);
            self.t += 1;
            return End::Boundary;
        }
        self.queue = u64::from(word >> 16);
        self.post(self.pc.wrapping_add(2), Phase::TargetNext);
        End::Posted
    }

    /// LDM, POP: posts the first element.
    fn load_many(&mut self, op: &Op, more: u16) -> End {
        let list = op.immediate as u16 | more;
        self.start_many(op.n as u8, list, self.reg(op.n), Phase::LoadMany)
    }

    /// STM, PUSH: posts the first element.
    fn store_many(&mut self, op: &Op, downwards: bool) -> End {
        let list = op.immediate as u16;
        let base = self.reg(op.n);
        let first = if downwards { base.wrapping_sub(4 * list.count_ones()) } else { base };
        let posted = self.start_many(op.n as u8, list, first, Phase::StoreMany);
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

/// Cycles after the access of a load or store at `pc` in which it asks for nothing: its last, unless the next word is due.
#[inline(always)]
fn quiet_after(pc: u32) -> Cycle {
    Cycle::from(pc & 2 != 0)
}
