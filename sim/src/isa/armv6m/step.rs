//! Carries out the step deferred to a core, and determines the next one.

use crate::core::access::{Width, extract, replicate};
use crate::core::bus::{Access, Bus, Slave};
use crate::core::profile::{self, Accessor};
use crate::core::time::{Cycle, NEVER};
use crate::core::watch::CoreEvent;
use crate::isa::armv6m::cycles::{LOAD, LOAD_MULTIPLE, POP_PC, STORE, STORE_MULTIPLE};
use crate::isa::armv6m::{Core, Phase};

/// What a fetch that the bus refused delivers: undefined as a 16-bit instruction and as either half of a 32-bit one, so
/// that it faults when it is executed, not when it is fetched in vain (ARMv6-M B1.5.14, table B1-6: both are `HardFault`).
const FETCH_FAULT_OPCODE: u32 = 0xe8e8_e8e8;

impl<B: Bus> Core<B> {
    /// Cycle `t` of the deferred step, whose request was granted if other masters made the same one.
    #[inline(never)]
    pub(crate) fn perform_deferred_cycle<const WATCH: bool>(&mut self, bus: &mut B) {
        match self.phase {
            Phase::Load
            | Phase::LoadMultiple
            | Phase::Store
            | Phase::StoreMultiple
            | Phase::Vector
            | Phase::Push
            | Phase::Unstack => self.access_data::<WATCH>(bus),
            Phase::Fetch | Phase::Target | Phase::FetchEarly | Phase::FetchMiddle | Phase::FetchThenTarget => {
                self.fetch::<WATCH>(bus);
            }
            Phase::Delayed => self.end_wait_states::<WATCH>(bus),
            Phase::Start => unreachable!("`begin` has been here"),
            Phase::Idle => self.end_instruction(),
            Phase::Io => {
                self.access_io_port::<WATCH>(bus);
                let cycles = self.io_cycles();
                if cycles.idle == 0 { self.fetch_or_end_instruction::<WATCH>(bus) } else { self.finish(cycles) }
            }
            Phase::Sev => {
                bus.fabric_mut().requests.send_event(self.t);
                self.fetch_or_end_instruction::<WATCH>(bus);
            }
            Phase::Doze => self.sleep_unless_woken(bus),
            Phase::Asleep => self.wake(bus),
            Phase::Semihost => {
                bus.fabric_mut().requests.ask_host(self.id);
            }
            Phase::Return => self.tail_chain_or_unstack(bus),
            // Its time stands still until the machine has dealt with it.
            Phase::Lockup => {
                bus.fabric_mut().requests.lock_up(self.id);
            }
            Phase::Off | Phase::Stuck => {
                self.t = NEVER;
            }
        }
    }

    /// What a fetch has got.
    fn end_fetch(&mut self, word: u32) {
        match self.phase {
            Phase::Target => {
                self.queue = u64::from(word) >> ((self.pc & 2) * 8);
                return self.end_cycle();
            }
            Phase::FetchEarly => {
                self.queue = u64::from(word);
                self.t += 1;
                self.post_internal(Phase::Idle);
                return;
            }
            Phase::FetchThenTarget => {
                self.post(self.pc & !3, Phase::Target);
                return;
            }
            Phase::FetchMiddle => self.t += 1,
            _ => {}
        }
        // One halfword is still to be executed.
        self.queue |= u64::from(word) << 16;
        self.post_internal(Phase::Start);
    }

    /// What a read of data has got.
    fn end_read(&mut self, bus: &mut B, word: u32) {
        let phase = self.phase;
        match phase {
            Phase::Load => {
                self.set_number(self.register, extract(word, self.address, self.width));
                self.finish(LOAD);
            }
            Phase::LoadMultiple if self.list == 1 << 15 => {
                self.list = 0;
                self.regs[13] = self.writeback;
                self.t += Cycle::from(POP_PC.idle);
                self.branch_exchange(word, self.began);
            }
            Phase::LoadMultiple if self.element_loaded(word) => self.finish(LOAD_MULTIPLE),
            Phase::LoadMultiple => self.post(self.address.wrapping_add(4), Phase::LoadMultiple),
            Phase::Vector => self.end_vector(word),
            _ => self.end_unstack(bus, word),
        }
    }

    fn end_write(&mut self, bus: &mut B) {
        let phase = self.phase;
        match phase {
            Phase::Store => self.finish(STORE),
            Phase::StoreMultiple if self.element_stored() => self.finish(STORE_MULTIPLE),
            Phase::StoreMultiple => self.post(self.address.wrapping_add(4), Phase::StoreMultiple),
            _ => self.end_push(bus),
        }
    }

    /// A fetch deferred beside something else, if one is due.
    fn fetch_or_end_instruction<const WATCH: bool>(&mut self, bus: &mut B) {
        if self.pc & 2 == 0 {
            return self.end_instruction();
        }
        self.phase = Phase::Fetch;
        self.fetch::<WATCH>(bus);
    }

    /// What happens in a lost cycle all the same: the I/O port and events are not the bus.
    #[inline(never)]
    pub(crate) fn perform_stalled_cycle<const WATCH: bool>(&mut self, bus: &mut B) {
        self.profile_entry::<WATCH>(bus);
        self.access_before_fetch::<WATCH>(bus);
        self.record_stall_cycles::<WATCH>(self.access(), 1, self.t, bus);
        self.t += 1;
    }

    /// Does what goes together with a fetch: only that is left.
    pub(crate) fn access_before_fetch<const WATCH: bool>(&mut self, bus: &mut B) {
        match self.phase {
            Phase::Io => {
                self.access_io_port::<WATCH>(bus);
                self.phase = Phase::Fetch;
            }
            Phase::Sev => {
                bus.fabric_mut().requests.send_event(self.t);
                self.phase = Phase::Fetch;
            }
            _ => {}
        }
    }

    /// Does this cycle's access to the I/O port, if there is one, whatever becomes of the cycle; the whole cycle where that is all.
    pub(crate) fn access_io_first<const WATCH: bool>(&mut self, bus: &mut B) {
        if self.slave.is_shared() {
            self.access_before_fetch::<WATCH>(bus);
        } else if matches!(self.phase, Phase::Io | Phase::Sev) {
            self.perform_deferred_cycle::<WATCH>(bus);
        }
    }

    /// So many cycles from `now` on are lost to another master of `slave`.
    #[inline(always)]
    pub(crate) fn record_stall_cycles<const WATCH: bool>(
        &mut self,
        at: profile::Access,
        cycles: Cycle,
        now: Cycle,
        bus: &mut B,
    ) {
        self.stats.conflicts[at.slave.number()] += cycles;
        self.contested = true;
        if WATCH {
            let fabric = bus.fabric_mut();
            fabric.watch.core_event(now, self.id, CoreEvent::Conflicts(at.slave, cycles));
            if let Some(profile) = &mut fabric.watch.profile {
                profile.loses(self.id, now, at, cycles, fabric.arbiter.last[at.slave.number()]);
            }
        }
    }

    /// What the deferred step asks for.
    fn access(&self) -> profile::Access {
        profile::Access { slave: self.slave, address: self.address }
    }

    /// Tells the performance counters of an access that is granted.
    #[inline(always)]
    pub(crate) fn count<const WATCH: bool>(&mut self, bus: &mut B, slave: Slave) {
        if WATCH && bus.counts() {
            bus.count(slave, std::mem::take(&mut self.contested));
        }
    }

    fn access_io_port<const WATCH: bool>(&mut self, bus: &mut B) {
        let write = self.resume == Phase::Store;
        if write && self.width != Width::Word {
            bus.note_narrow_io(self.io_address, self.t);
        }
        if !write {
            let word = bus.read_io(self.id, self.io_address, self.t);
            self.set_number(self.register, extract(word, self.io_address, self.width));
        }
        let value = self.regs[(self.register & 15) as usize];
        if write {
            bus.write_io(self.id, self.io_address, value, self.t);
        }
        self.watch_data::<WATCH>(bus, self.io_address, write, value);
    }

    /// Fetches the deferred word, unless the core has to wait for it.
    fn fetch<const WATCH: bool>(&mut self, bus: &mut B) {
        let word = if B::is_ram(self.slave) {
            self.record_ram_grant::<WATCH>(bus);
            bus.read_ram(self.index)
        } else if !B::holds_code(self.slave, self.address) {
            FETCH_FAULT_OPCODE
        } else if self.begin_transfer_if_ready::<WATCH>(bus, false) {
            bus.read(self.slave, self.address, self.t).unwrap_or(FETCH_FAULT_OPCODE)
        } else {
            return;
        };
        self.t += 1;
        self.end_fetch(word);
    }

    /// Makes the deferred data access, unless the core has to wait for it, abandons it, or it faults.
    fn access_data<const WATCH: bool>(&mut self, bus: &mut B) {
        if matches!(self.phase, Phase::LoadMultiple | Phase::StoreMultiple) && self.abandons() {
            return;
        }
        self.profile_entry::<WATCH>(bus);
        let in_ram = B::is_ram(self.slave);
        if in_ram {
            self.record_ram_grant::<WATCH>(bus);
        } else if !self.begin_transfer_if_ready::<WATCH>(bus, self.phase.writes()) {
            return;
        }
        self.transfer_data::<WATCH>(bus, in_ram);
    }

    /// Tells a profile of an exception whose first word is about to be stored.
    fn profile_entry<const WATCH: bool>(&self, bus: &mut B) {
        if WATCH
            && (self.phase, self.count) == (Phase::Push, 0)
            && let Some(profile) = &mut bus.fabric_mut().watch.profile
        {
            profile.enters(self.id, self.t, self.frame_at);
        }
    }

    /// The data phase of a read or write.
    fn transfer_data<const WATCH: bool>(&mut self, bus: &mut B, in_ram: bool) {
        if self.phase.writes() {
            let value = match self.phase {
                Phase::Store => self.regs[(self.register & 15) as usize],
                Phase::StoreMultiple => self.next_element_to_store(),
                _ => self.frame[self.count as usize & 7],
            };
            if in_ram {
                bus.store_ram(self.index, self.address, self.width, value);
            } else if !self.write_data(bus, value) {
                return;
            }
            self.watch_deferred::<WATCH>(bus, value);
            self.t += 1;
            return self.end_write(bus);
        }
        let word = if in_ram { Some(bus.read_ram(self.index)) } else { self.read_data(bus) };
        let Some(word) = word else { return };
        self.watch_deferred::<WATCH>(bus, extract(word, self.address, self.width));
        self.t += 1;
        self.end_read(bus, word);
    }

    /// A bank of RAM grants its cycle.
    fn record_ram_grant<const WATCH: bool>(&mut self, bus: &mut B) {
        let fabric = bus.fabric_mut();
        if !(WATCH && fabric.watch.is_apart(self.address)) {
            fabric.arbiter.grant(self.id, self.slave);
        }
        self.count::<WATCH>(bus, self.slave);
    }

    /// Asks a slave that may be busy or slow. False: the core stops again later.
    #[inline(never)]
    fn begin_transfer_if_ready<const WATCH: bool>(&mut self, bus: &mut B, write: bool) -> bool {
        let profiled = WATCH && bus.fabric().watch.profile.is_some();
        let replaced = if profiled { bus.line_replaced_for(self.address) } else { None };
        match bus.begin(self.id, self.slave, self.address, write, self.t) {
            Access::Busy(until) => {
                self.record_stall_cycles::<WATCH>(self.access(), until - self.t, self.t, bus);
                self.t = until;
                false
            }
            Access::Takes(1) => {
                self.count::<WATCH>(bus, self.slave);
                true
            }
            Access::Takes(cycles) => {
                self.stats.waits[self.slave.number()] += cycles - 1;
                self.count::<WATCH>(bus, self.slave);
                if WATCH {
                    bus.fabric_mut().watch.core_event(self.t, self.id, CoreEvent::Waits(self.slave, cycles - 1));
                }
                if WATCH && B::is_cached(self.slave, self.address) {
                    let readable = bus.is_cache_filled(self.t);
                    let watch = &mut bus.fabric_mut().watch;
                    watch.core_event(self.t, self.id, CoreEvent::Misses);
                    if let Some(profile) = &mut watch.profile {
                        profile.misses(self.id, self.access(), cycles - 1, replaced);
                        if !readable {
                            profile.reads_busy_flash(self.id, self.t);
                        }
                    }
                }
                self.resume = self.phase;
                self.delayed = self.slave;
                self.post_internal(Phase::Delayed);
                self.t += cycles - 1;
                false
            }
        }
    }

    /// The last wait state is over: the access happens.
    fn end_wait_states<const WATCH: bool>(&mut self, bus: &mut B) {
        self.slave = self.delayed;
        self.phase = self.resume;
        if self.phase.fetches() {
            let word = bus.read(self.slave, self.address, self.t).unwrap_or(FETCH_FAULT_OPCODE);
            self.t += 1;
            return self.end_fetch(word);
        }
        self.transfer_data::<WATCH>(bus, false);
    }

    #[inline(never)]
    fn read_data(&mut self, bus: &mut B) -> Option<u32> {
        let answer = match self.slave {
            Slave::PRIVATE => self.read_private(bus),
            Slave::IO => Ok(bus.read_io(self.id, self.address, self.t)),
            slave => bus.read(slave, self.address, self.t),
        };
        if answer.is_err() {
            self.data_fault(bus);
        }
        answer.ok()
    }

    #[inline(never)]
    fn write_data(&mut self, bus: &mut B, value: u32) -> bool {
        let answer = match self.slave {
            Slave::PRIVATE => self.write_private(bus, value),
            Slave::IO => {
                bus.write_io(self.id, self.address, value, self.t);
                Ok(())
            }
            slave => bus.write(slave, self.address, replicate(value, self.width), self.width, self.t),
        };
        if answer.is_err() {
            self.data_fault(bus);
        }
        answer.is_ok()
    }

    /// Who makes an access while PC is this.
    pub(crate) fn accessor(&self, pc: u32) -> Accessor {
        Accessor {
            core: self.id,
            pc: pc.wrapping_sub(2),
            sp: self.regs[13],
            in_handler: self.ipsr != 0,
            in_task: self.uses_psp(),
        }
    }

    /// Records an access by an instruction for probes and watchpoints; those of exceptions do not count.
    fn watch_deferred<const WATCH: bool>(&self, bus: &mut B, value: u32) {
        if matches!(self.phase, Phase::Load | Phase::LoadMultiple | Phase::Store | Phase::StoreMultiple) {
            self.watch_data::<WATCH>(bus, self.address, self.phase.writes(), value);
        }
    }

    fn watch_data<const WATCH: bool>(&self, bus: &mut B, address: u32, write: bool, value: u32) {
        if WATCH {
            let by = self.accessor(self.pc);
            let bytes = self.width.bytes();
            let noted = bus.fabric_mut().watch.record_access(self.t, by, address, bytes, write, value);
            if noted.calls_for_something() {
                profile::follow_up(bus, address, noted);
            }
        }
    }

    /// Whether execution stops here for a breakpoint.
    pub(crate) fn watch_execution(&mut self, bus: &mut B) -> bool {
        let pass = self.passes_at == self.t;
        if bus.fabric_mut().watch.begin_instruction(self.t, self.id, self.pc, pass) {
            self.post_internal(Phase::Start);
            bus.fabric_mut().requests.stop_at_breakpoint(self.id, self.pc);
            return true;
        }
        false
    }
}
