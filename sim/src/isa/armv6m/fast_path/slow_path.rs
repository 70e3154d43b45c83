//! The slow path of the fast path: instructions that the hot loop leaves out because they are rare. Lists of registers, branches
//! through a register, 32-bit instructions, registers of peripherals.

use super::FastPathExit;
use super::memory::{FastMemory, half_at};
use crate::core::access::Width;
use crate::core::bus::Slave;
use crate::core::profile::{When, touch_kind};
use crate::core::time::Cycle;
use crate::engine::cpu::IoAccess;
use crate::engine::fast_bus::FastBus;
use crate::engine::policy::PeerPolicy;
use crate::isa::armv6m::code_cache::Instructions;
use crate::isa::armv6m::cycles::{self, BRANCH, CALL, POP_PC, SYSTEM};
use crate::isa::armv6m::{Core, Phase, wide};
use crate::isa::thumb::decode::{Code, Op, Reg};

impl<B: FastBus> Core<B> {
    /// Executes an instruction that the hot loop leaves out because it is rare.
    ///
    /// # Errors
    /// Why the fast path cannot execute it.
    #[inline(never)]
    pub(crate) fn run_slow_path<P: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        all: &Instructions,
        clock: &mut P::Clock,
        op: Op,
    ) -> Result<(), FastPathExit> {
        let half = || half_at(self.pc, &*fast.bus).unwrap_or(0);
        fast.policy.begin(self.stats.instructions, self.pc, half, *clock);
        (self.pc, *clock) = self.slow_path(fast, all, *clock, &op)?;
        self.stats.instructions += 1;
        Ok(())
    }

    /// The address of the next instruction, and the time.
    #[inline(always)]
    fn slow_path<P: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        all: &Instructions,
        mut clock: P::Clock,
        op: &Op,
    ) -> Result<(u32, P::Clock), FastPathExit> {
        let pc = self.pc;
        match op.code {
            Code::Push | Code::Stm => {
                let list = op.immediate as u16;
                let downwards = op.code == Code::Push;
                let first = self.reg(op.n).wrapping_sub(if downwards { 4 * list.count_ones() } else { 0 });
                fast.may_access_all(clock, first, list, P::may_write).ok_or(FastPathExit::Stop)?;
                fast.note_touched(first, list.count_ones(), touch_kind(op.n == Reg::Sp, true));
                self.post_store_multiple(op, downwards);
                clock = self.store_elements(fast, clock, first).ok_or(FastPathExit::Stop)?;
            }
            Code::Pop | Code::Ldm => {
                let (first, list) = (self.reg(op.n), op.immediate as u16);
                if B::register_port(first).is_some() {
                    let port = fast.may_read_registers(clock, first, list.count_ones()).ok_or(FastPathExit::Stop)?;
                    self.waited_for_registers(port, list.count_ones(), Phase::LoadMultiple);
                    fast.note_waits(port, list.count_ones());
                } else {
                    fast.may_access_all(clock, first, list, P::may_read).ok_or(FastPathExit::Stop)?;
                    fast.note_touched(first, list.count_ones(), touch_kind(op.n == Reg::Sp, false));
                }
                clock = self.load_elements(fast, clock, op, 0).ok_or(FastPathExit::Stop)?;
            }
            Code::PopPc => {
                let list = op.immediate as u16 | 1 << 15;
                let base = self.reg(op.n);
                fast.may_access_all(clock, base, list, P::may_read).ok_or(FastPathExit::Stop)?;
                let of_pc = base.wrapping_add(4 * (list.count_ones() - 1));
                let (slave, index) = B::locate_ram(of_pc).ok_or(FastPathExit::Stop)?;
                let target = self.exchangeable(fast.bus.read_ram(index)).ok_or(FastPathExit::Stop)?;
                let refill = fast.refill_or_exit(all, target)?;
                clock = self.load_elements(fast, clock, op, 1 << 15).ok_or(FastPathExit::Stop)?;
                clock = fast.ask(clock, slave, of_pc);
                self.list = 0;
                self.regs[13] = self.writeback;
                return Ok((target, fast.finish_at(clock, POP_PC, (op, pc), (target, refill))));
            }
            Code::Bx | Code::Blx | Code::MovPc | Code::AddPc => {
                let value = self.high(op.m, pc);
                let target = match op.code {
                    Code::MovPc => value & !1,
                    Code::AddPc => pc.wrapping_add(4).wrapping_add(value) & !1,
                    _ => self.exchangeable(value).ok_or(FastPathExit::Stop)?,
                };
                let refill = fast.refill_or_exit(all, target)?;
                if op.code == Code::Blx {
                    self.regs[14] = pc.wrapping_add(2) | 1;
                }
                return Ok((target, fast.finish_at(clock, BRANCH, (op, pc), (target, refill))));
            }
            Code::Wide => return self.slow_path_wide(fast, all, clock, op),
            Code::Cps => {
                self.apply_unless_unmasking(|core| {
                    core.set_primask(op.immediate != 0);
                    true
                })?;
            }
            Code::LoadImm | Code::LoadReg if op.width == Width::Word => {
                let address = self.effective_address(op);
                let value;
                // That of the I/O port, which is not the bus, comes in the same cycle as the next word.
                (clock, value) = self.read_register(fast, clock, address).ok_or(FastPathExit::Stop)?;
                self.set(op.d, value);
            }
            Code::StoreImm | Code::StoreReg if B::register_port(self.effective_address(op)).is_some() => {
                let (address, value) = (self.effective_address(op), self.reg(op.d));
                if address & op.width.misaligned() != 0 {
                    return Err(FastPathExit::Stop);
                }
                clock = fast.write_register(clock, address, op.width, value).ok_or(FastPathExit::Stop)?;
            }
            Code::StoreImm | Code::StoreReg if op.width == Width::Word => {
                let address = self.effective_address(op);
                let value = self.reg(op.d);
                fast.write_io(clock, self.id, address, value).ok_or(FastPathExit::Stop)?;
                self.tell_of_io(fast, clock, IoAccess { address, writes: true }, value);
                (self.io_address, self.resume) = (address, Phase::Store);
            }
            _ => return Err(FastPathExit::Stop),
        }
        Ok((pc.wrapping_add(2), fast.finish(clock, cycles::of(op.code), op, pc, true)))
    }

    /// The same of a 32-bit instruction.
    #[inline(always)]
    fn slow_path_wide<P: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        all: &Instructions,
        clock: P::Clock,
        op: &Op,
    ) -> Result<(u32, P::Clock), FastPathExit> {
        let pc = self.pc;
        let (first, next) = (op.immediate as u16, pc.wrapping_add(4));
        let second = half_at(pc.wrapping_add(2), fast.bus).ok_or(FastPathExit::Stop)?;
        let branch = wide::branch_target(pc, first, second);
        let target = branch.unwrap_or(next);
        let refill = fast.refill_or_exit(all, target)?;
        let (first, second) = (u32::from(first), u32::from(second));
        if branch.is_some() {
            self.regs[14] = next | 1;
        } else {
            self.apply_unless_unmasking(|core| core.system_instruction(first, second))?;
        }
        let cycles = if branch.is_some() || wide::refills(first, second) { CALL } else { SYSTEM };
        Ok((target, fast.finish_at(clock, cycles, (op, pc), (target, refill))))
    }

    /// Stores all registers of STM or PUSH from an address on.
    fn store_elements<P: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        mut clock: P::Clock,
        mut address: u32,
    ) -> Option<P::Clock> {
        loop {
            let (slave, index) = B::locate_ram(address)?;
            let value = self.next_element_to_store();
            clock = fast.write(clock, slave, index, address, Width::Word, value);
            address = address.wrapping_add(4);
            if self.element_stored() {
                return Some(clock);
            }
        }
    }

    /// Reads a register for LDR: the time after its data cycles, of which one of the I/O port has none, and its value.
    fn read_register<P: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        clock: P::Clock,
        address: u32,
    ) -> Option<(P::Clock, u32)> {
        if B::is_io(address) {
            fast.bus.fabric_mut().count_register_read();
            let value = fast.read_io(clock, self.id, address)?;
            self.tell_of_io(fast, clock, IoAccess { address, writes: false }, value);
            (self.io_address, self.resume) = (address, Phase::Load);
            return Some((clock, value));
        }
        let port = fast.may_read_registers(clock, address, 1)?;
        self.waited_for_registers(port, 1, Phase::Load);
        fast.note_waits(port, 1);
        fast.read_register(clock, address)
    }

    /// Notes that the instruction has written or read a value at the I/O port, if a profile has to be told.
    fn tell_of_io<P: PeerPolicy>(&self, fast: &mut FastMemory<B, P>, clock: P::Clock, io: IoAccess, value: u32) {
        if !P::TRACES {
            return;
        }
        let by = self.accessor(self.pc.wrapping_add(2));
        let at = fast.policy.chip_cycle(clock).map_or(When::Quantum(fast.policy.cycle(clock)), When::Chip);
        let FastMemory { bus, policy, touch, .. } = fast;
        *touch = policy.log().trace.access_io(&mut **bus, P::ROLE, by, (io, value), at).unwrap_or(*touch);
    }

    /// The bus gets to know what native code has read and written of registers.
    #[cold]
    pub(crate) fn catch_up_registers<P: PeerPolicy>(&mut self, fast: &mut FastMemory<B, P>) {
        let (reads, stores) = {
            let registers = &mut fast.policy.log().registers;
            (registers.take_reads(), registers.take_stores())
        };
        for read in reads {
            let port = B::register_port(read.address);
            // One of them is counted below, or by the bus.
            fast.bus.fabric_mut().count_register_reads(read.reads - u32::from(port.is_some()));
            let Some(port) = port else {
                (self.io_address, self.resume) = (read.address, Phase::Load);
                continue;
            };
            self.waited_for_registers(port, read.reads, Phase::Load);
            let value = fast.bus.read_register(read.address, fast.policy.cycle_at_distance(read.read_at));
            debug_assert_eq!(value, Some(read.value), "of {:#x}, by native code", read.address);
            // The other core, which does not know the time, has asked for none.
            fast.policy.note_grant(port.0);
        }
        for store in stores {
            fast.policy.record_native_store(store);
            fast.bus.write_event_free_io(self.id, store.address, store.value, 0);
            (self.io_address, self.resume) = (store.address, Phase::Store);
        }
    }

    /// Counts the wait states of so many words read from a port in a phase.
    fn waited_for_registers(&mut self, (port, cycles): (Slave, u32), count: u32, phase: Phase) {
        if cycles > 1 {
            self.stats.waits[port.number()] += Cycle::from(count * (cycles - 1));
            self.resume = phase;
        }
    }

    /// Loads all registers of LDM or POP but PC, which is the one in `more`.
    fn load_elements<P: PeerPolicy>(
        &mut self,
        fast: &mut FastMemory<B, P>,
        mut clock: P::Clock,
        op: &Op,
        more: u16,
    ) -> Option<P::Clock> {
        let mut address = self.reg(op.n);
        self.post_load_multiple(op, more);
        while self.list & 0x7fff != 0 {
            let word;
            (clock, word) = if let Some((slave, index)) = B::locate_ram(address) {
                (fast.ask(clock, slave, address), fast.bus.read_ram(index))
            } else {
                fast.read_register(clock, address)?
            };
            address = address.wrapping_add(4);
            self.element_loaded(word);
        }
        Some(clock)
    }

    /// Applies `action` unless it unmasks a pending exception: then it is rolled back.
    ///
    /// # Errors
    /// If it was, or if `action` has failed.
    fn apply_unless_unmasking(&mut self, action: impl FnOnce(&mut Self) -> bool) -> Result<(), FastPathExit> {
        let (primask, exceptions_from) = (self.primask, self.exceptions_from);
        let succeeded = action(self);
        if self.exceptions_from != exceptions_from {
            (self.primask, self.exceptions_from) = (primask, exceptions_from);
            return Err(FastPathExit::Stop);
        }
        if succeeded { Ok(()) } else { Err(FastPathExit::Stop) }
    }

    /// The target of BX, BLX or POP; none if it returns from an exception, or faults.
    fn exchangeable(&self, target: u32) -> Option<u32> {
        let returns = target >> 28 == 15 && self.ipsr != 0;
        (target & 1 != 0 && !returns).then_some(target & !1)
    }
}
