//! Instructions that are not worth a place in the hot loop of a burst: lists of registers, branches to where a register says,
//! 32-bit instructions, registers of peripherals.

#![allow(clippy::trivially_copy_pass_by_ref)] // as in `execute`

use super::ground::{Ground, half_at, unreachable};
use super::{APB, Company, IO, Left};
use crate::chip::bus::decoded::{Instructions, Place};
use crate::chip::bus::{APB_READ, Slave, locate_sram};
use crate::chip::clock::Cycle;
use crate::chip::cpu::decode::{Code, Op, Width};
use crate::chip::cpu::{Core, Phase, wide};

impl Core {
    /// Executes an instruction that is not worth a place in the hot loop. Why a burst cannot, if so.
    #[inline(never)]
    pub(super) fn burst_rarely<C: Company>(
        &mut self,
        ground: &mut Ground<C>,
        all: &Instructions,
        clock: &mut C::Clock,
        op: Op,
        place: Place,
    ) -> Result<(), Left> {
        (self.pc, *clock) = if place == Place::Flash {
            self.rare_burst::<C, true>(ground, all, *clock, op)?
        } else {
            self.rare_burst::<C, false>(ground, all, *clock, op)?
        };
        self.stats.instructions += 1;
        Ok(())
    }

    /// The address of the next instruction, and the time.
    #[inline(always)]
    fn rare_burst<C: Company, const IN_FLASH: bool>(
        &mut self,
        ground: &mut Ground<C>,
        all: &Instructions,
        mut clock: C::Clock,
        op: Op,
    ) -> Result<(u32, C::Clock), Left> {
        let pc = self.pc;
        let next = match op.code {
            Code::Push | Code::Stm => {
                let list = op.immediate as u16;
                let downwards = op.code == Code::Push;
                let first = self.reg(op.n).wrapping_sub(if downwards { 4 * list.count_ones() } else { 0 });
                ground.all(clock, first, list, C::may_write).ok_or(Left::Ends)?;
                self.store_many(&op, downwards);
                clock = self.store_elements(ground, clock, first).ok_or(Left::Ends)?;
                clock = ground.fetch(clock, &op, pc, IN_FLASH);
                pc.wrapping_add(2)
            }
            Code::Pop | Code::Ldm => {
                let (first, list) = (self.reg(op.n), op.immediate as u16);
                if first >> 28 == APB {
                    ground.all_registers(clock, first, list.count_ones()).ok_or(Left::Ends)?;
                    self.waited_for_registers(list.count_ones(), Phase::LoadMany);
                } else {
                    ground.all(clock, first, list, C::may_read).ok_or(Left::Ends)?;
                }
                clock = self.load_elements(ground, clock, &op, 0).ok_or(Left::Ends)?;
                clock = ground.fetch(clock, &op, pc, IN_FLASH);
                pc.wrapping_add(2)
            }
            Code::PopPc => {
                let list = op.immediate as u16 | 1 << 15;
                let base = self.reg(op.n);
                ground.all(clock, base, list, C::may_read).ok_or(Left::Ends)?;
                let (slave, index) = locate_sram(base.wrapping_add(4 * (list.count_ones() - 1))).ok_or(Left::Ends)?;
                let target = self.exchangeable(ground.sram.word(index)).ok_or(Left::Ends)?;
                let refill = ground.refill(all, Place::Sram, target).ok_or_else(|| unreachable(target))?;
                clock = self.load_elements(ground, clock, &op, 1 << 15).ok_or(Left::Ends)?;
                clock = ground.company.ask(clock, slave);
                self.list = 0;
                self.regs[13] = self.writeback;
                clock = ground.company.ask(clock, Slave::Internal);
                clock = ground.go(clock, target, refill);
                target
            }
            Code::Bx | Code::Blx => {
                let target = self.exchangeable(self.high(op.m, pc)).ok_or(Left::Ends)?;
                let refill = ground.refill(all, Place::Sram, target).ok_or_else(|| unreachable(target))?;
                if op.code == Code::Blx {
                    self.regs[14] = pc.wrapping_add(2) | 1;
                }
                clock = ground.go(clock, target, refill);
                target
            }
            Code::MovPc | Code::AddPc => {
                let value = self.high(op.m, pc);
                let target = if op.code == Code::MovPc { value } else { pc.wrapping_add(4).wrapping_add(value) } & !1;
                let refill = ground.refill(all, Place::Sram, target).ok_or_else(|| unreachable(target))?;
                clock = ground.go(clock, target, refill);
                target
            }
            Code::Wide => return self.wide_burst::<C, IN_FLASH>(ground, all, clock, &op),
            Code::Cps => {
                let peaceful = self.in_peace(|core| {
                    core.mask(op.immediate != 0);
                    true
                });
                if !peaceful {
                    return Err(Left::Ends);
                }
                clock = ground.fetch(clock, &op, pc, IN_FLASH);
                pc.wrapping_add(2)
            }
            Code::LoadImm | Code::LoadReg if op.width == Width::Word => {
                let offset = if op.code == Code::LoadReg { self.reg(op.m) } else { op.immediate as u32 };
                let address = self.reg(op.n).wrapping_add(offset);
                let value;
                // That of the I/O port, which is not the bus, comes in the same cycle as the next word.
                (clock, value) = self.read_register(ground, clock, address).ok_or(Left::Ends)?;
                self.set(op.d, value);
                clock = ground.fetch(clock, &op, pc, IN_FLASH);
                pc.wrapping_add(2)
            }
            Code::StoreImm | Code::StoreReg if op.width == Width::Word => {
                let offset = if op.code == Code::StoreReg { self.reg(op.m) } else { op.immediate as u32 };
                let address = self.reg(op.n).wrapping_add(offset);
                ground.write_io(clock, self.id, address, self.reg(op.d)).ok_or(Left::Ends)?;
                (self.io_address, self.resume) = (address, Phase::Store);
                clock = ground.fetch(clock, &op, pc, IN_FLASH);
                pc.wrapping_add(2)
            }
            _ => return Err(Left::Ends),
        };
        Ok((next, clock))
    }

    /// The same of a 32-bit instruction.
    #[inline(always)]
    fn wide_burst<C: Company, const IN_FLASH: bool>(
        &mut self,
        ground: &mut Ground<C>,
        all: &Instructions,
        mut clock: C::Clock,
        op: &Op,
    ) -> Result<(u32, C::Clock), Left> {
        let pc = self.pc;
        let (first, next) = (op.immediate as u16, pc.wrapping_add(4));
        let second = half_at(pc.wrapping_add(2), ground.sram, ground.flash).ok_or(Left::Ends)?;
        let branch = wide::branch_target(pc, first, second);
        let target = branch.unwrap_or(next);
        let refill = ground.refill(all, Place::Sram, target).ok_or_else(|| unreachable(target))?;
        let (first, second) = (u32::from(first), u32::from(second));
        if branch.is_some() {
            self.regs[14] = next | 1;
        } else if !self.in_peace(|core| core.system_instruction(first, second)) {
            return Err(Left::Ends);
        }
        // A branch that begins a word asks for the next word in vain.
        clock = ground.fetch(clock, op, pc, IN_FLASH);
        if branch.is_some() || wide::refills(first, second) {
            clock = ground.go(clock, target, refill);
        } else {
            let middle = if pc & 2 == 0 { Slave::Internal } else { refill[1] };
            clock = ground.ask(clock, middle, next.wrapping_add(2));
            clock = ground.company.ask(clock, Slave::Internal);
        }
        Ok((target, clock))
    }

    /// Stores all registers of STM or PUSH from an address on.
    fn store_elements<C: Company>(
        &mut self,
        ground: &mut Ground<C>,
        mut clock: C::Clock,
        mut address: u32,
    ) -> Option<C::Clock> {
        loop {
            let (slave, index) = locate_sram(address)?;
            let value = self.next_element_to_store();
            clock = ground.write(clock, slave, index, address, Width::Word, value);
            address = address.wrapping_add(4);
            if self.element_stored() {
                return Some(clock);
            }
        }
    }

    /// What LDR gets from a register, and the time behind its first cycles: of I/O none are its own.
    fn read_register<C: Company>(
        &mut self,
        ground: &mut Ground<C>,
        clock: C::Clock,
        address: u32,
    ) -> Option<(C::Clock, u32)> {
        if address >> 28 == IO {
            let value = ground.read_io(clock, self.id, address)?;
            (self.io_address, self.resume) = (address, Phase::Load);
            return Some((clock, value));
        }
        ground.all_registers(clock, address, 1)?;
        self.waited_for_registers(1, Phase::Load);
        ground.read_register(clock, address)
    }

    /// Takes note of waits for so many words from behind the APB bridge, read in a phase.
    fn waited_for_registers(&mut self, count: u32, phase: Phase) {
        self.stats.waits[Slave::Apb as usize] += Cycle::from(count) * (APB_READ - 1);
        self.resume = phase;
    }

    /// Loads all registers of LDM or POP but PC, which `more` has.
    fn load_elements<C: Company>(
        &mut self,
        ground: &mut Ground<C>,
        mut clock: C::Clock,
        op: &Op,
        more: u16,
    ) -> Option<C::Clock> {
        let mut address = self.reg(op.n);
        self.load_many(op, more);
        while self.list & 0x7fff != 0 {
            let word;
            (clock, word) = if let Some((slave, index)) = locate_sram(address) {
                (ground.company.ask(clock, slave), ground.sram.word(index))
            } else {
                ground.read_register(clock, address)?
            };
            address = address.wrapping_add(4);
            self.element_loaded(word);
        }
        Some(clock)
    }

    /// Does something after which exceptions are taken at the same time as before it. False, and nothing is done, if they are
    /// not, or if it cannot be done.
    fn in_peace(&mut self, action: impl FnOnce(&mut Self) -> bool) -> bool {
        let (primask, attention) = (self.primask, self.attention);
        let done = action(self);
        let peaceful = self.attention == attention;
        if !peaceful {
            (self.primask, self.attention) = (primask, attention);
        }
        done && peaceful
    }

    /// Where BX, BLX or POP goes; none if it returns from an exception, or faults.
    fn exchangeable(&self, target: u32) -> Option<u32> {
        let returns = target >> 28 == 15 && self.ipsr != 0;
        (target & 1 != 0 && !returns).then_some(target & !1)
    }
}
