//! Carries out what a core has posted, and posts the next.

use crate::core::access::Width;
use crate::core::access::{extract, replicate};
use crate::core::bus::{Access, Bus, Slave};
use crate::core::time::{Cycle, NEVER};
use crate::core::watch::CoreEvent;
use crate::isa::armv6m::cycles::{LOAD, LOAD_MULTIPLE, POP_PC, STORE, STORE_MULTIPLE};
use crate::isa::armv6m::execute::Progress;
use crate::isa::armv6m::{Core, Phase};

/// What a fetch that the bus refused delivers: undefined as a 16-bit instruction and as either half of a 32-bit one, so
/// that it faults when it is executed, not when it is fetched in vain (ARMv6-M B1.5.14, table B1-6: both are `HardFault`).
const REFUSED: u32 = 0xe8e8_e8e8;

impl<B: Bus> Core<B> {
    /// Cycle `t` for what is posted, which has been granted if others wanted the same.
    #[inline(never)]
    pub(crate) fn perform_posted<const WATCH: bool>(&mut self, bus: &mut B) {
        let end = match self.phase {
            Phase::Fetch => self.fetch::<WATCH>(bus).map_or(Progress::Posted, |word| self.end_fetch(word)),
            Phase::Target => self.fetch::<WATCH>(bus).map_or(Progress::Posted, |word| self.end_target(word)),
            Phase::FetchEarly | Phase::FetchMiddle | Phase::FetchThenTarget => {
                self.fetch::<WATCH>(bus).map_or(Progress::Posted, |word| self.end_wide_fetch(word))
            }
            Phase::Load => self.read::<WATCH>(bus).map_or(Progress::Posted, |word| self.end_load(word)),
            Phase::Store => {
                if self.write::<WATCH>(bus, self.regs[(self.register & 15) as usize]) {
                    self.finish(STORE)
                } else {
                    Progress::Posted
                }
            }
            Phase::LoadMany => self.load_next::<WATCH>(bus),
            Phase::StoreMany => self.store_next::<WATCH>(bus),
            Phase::Start => unreachable!("`begin` has been here"),
            Phase::Idle => {
                self.t += 1;
                Progress::Boundary
            }
            Phase::Io => {
                self.access_io_port::<WATCH>(bus);
                let cycles = self.io_cycles();
                if cycles.idle == 0 { self.fetch_with_io::<WATCH>(bus) } else { self.finish(cycles) }
            }
            Phase::Sev => {
                bus.fabric_mut().requests.send_event(self.t);
                self.fetch_with_io::<WATCH>(bus)
            }
            Phase::Doze => self.sleep_unless_woken(bus),
            Phase::Asleep => self.wake(bus),
            Phase::Semihost => {
                bus.fabric_mut().requests.ask_host(self.id);
                Progress::Posted
            }
            Phase::Push => {
                if self.write::<WATCH>(bus, self.frame[self.count as usize & 7]) {
                    self.end_push(bus)
                } else {
                    Progress::Posted
                }
            }
            Phase::Vector => self.read::<WATCH>(bus).map_or(Progress::Posted, |word| self.end_vector(word)),
            Phase::Return => self.chain_or_unstack(bus),
            Phase::Unstack => self.read::<WATCH>(bus).map_or(Progress::Posted, |word| self.end_unstack(bus, word)),
            Phase::Delayed => self.end_delay::<WATCH>(bus),
            // Its time stands still until the machine has heard of it.
            Phase::Lockup => {
                bus.fabric_mut().requests.lock_up(self.id);
                Progress::Posted
            }
            Phase::Off | Phase::Stuck => {
                self.t = NEVER;
                Progress::Posted
            }
        };
        if end == Progress::Boundary {
            self.post_internal(Phase::Start);
        }
    }

    /// Whether what is posted is part of reading registers behind a bridge, from which nothing is taken by that.
    pub(crate) fn reads_registers(&self) -> bool {
        let (slave, phase) =
            if self.phase == Phase::Delayed { (self.delayed, self.resume) } else { (self.slave, self.phase) };
        B::is_bridge(slave) && matches!(phase, Phase::Load | Phase::LoadMany) && !B::takes_data(self.address)
    }

    fn load_next<const WATCH: bool>(&mut self, bus: &mut B) -> Progress {
        if self.abandons() {
            return Progress::Posted;
        }
        self.read::<WATCH>(bus).map_or(Progress::Posted, |word| self.end_load_many(word))
    }

    fn store_next<const WATCH: bool>(&mut self, bus: &mut B) -> Progress {
        if self.abandons() || !self.write::<WATCH>(bus, self.next_element_to_store()) {
            return Progress::Posted;
        }
        self.end_store_many()
    }

    fn end_wide_fetch(&mut self, word: u32) -> Progress {
        match self.phase {
            Phase::FetchEarly => {
                self.queue = u64::from(word);
                self.t += 1;
                self.post_internal(Phase::Idle);
                Progress::Posted
            }
            Phase::FetchMiddle => {
                self.t += 1;
                self.end_fetch(word)
            }
            _ => {
                self.post(self.pc & !3, Phase::Target);
                Progress::Posted
            }
        }
    }

    /// The next word in sequence has come, while one halfword is still to be executed.
    fn end_fetch(&mut self, word: u32) -> Progress {
        self.queue |= u64::from(word) << 16;
        Progress::Boundary
    }

    /// A load's data has come, in its last cycle, in which the next word may be asked for.
    fn end_load(&mut self, word: u32) -> Progress {
        let value = extract(word, self.address, self.width);
        self.set_number(self.register, value);
        self.finish(LOAD)
    }

    fn end_load_many(&mut self, word: u32) -> Progress {
        if self.list == 1 << 15 {
            self.list = 0;
            self.regs[13] = self.writeback;
            self.t += Cycle::from(POP_PC.idle);
            return self.branch_exchange(word, self.began);
        }
        if self.element_loaded(word) {
            return self.finish(LOAD_MULTIPLE);
        }
        self.post(self.address.wrapping_add(4), Phase::LoadMany);
        Progress::Posted
    }

    fn end_store_many(&mut self) -> Progress {
        if self.element_stored() {
            return self.finish(STORE_MULTIPLE);
        }
        self.post(self.address.wrapping_add(4), Phase::StoreMany);
        Progress::Posted
    }

    /// A fetch posted beside something else, if one is due.
    fn fetch_with_io<const WATCH: bool>(&mut self, bus: &mut B) -> Progress {
        if self.pc & 2 == 0 {
            self.t += 1;
            return Progress::Boundary;
        }
        self.phase = Phase::Fetch;
        match self.fetch::<WATCH>(bus) {
            Some(word) => self.end_fetch(word),
            None => Progress::Posted,
        }
    }

    /// What happens in a lost cycle all the same: the I/O port and events are not the bus.
    #[inline(never)]
    pub(crate) fn lose_cycle<const WATCH: bool>(&mut self, bus: &mut B) {
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
        self.lost::<WATCH>(self.slave, self.t, bus);
        self.t += 1;
    }

    /// Cycle `now` is lost to another master of `slave`.
    #[inline(always)]
    pub(crate) fn lost<const WATCH: bool>(&mut self, slave: Slave, now: Cycle, bus: &mut B) {
        self.stats.conflicts[slave.number()] += 1;
        self.contested = true;
        if WATCH {
            bus.fabric_mut().watch.core_event(now, self.id, CoreEvent::Conflicts(slave, 1));
        }
    }

    /// Tells the performance counters of an access that is granted.
    pub(crate) fn count(&mut self, bus: &mut B, slave: Slave) {
        if bus.counts() {
            bus.count(slave, std::mem::take(&mut self.contested));
        }
    }

    fn access_io_port<const WATCH: bool>(&mut self, bus: &mut B) {
        if self.width != Width::Word {
            bus.note_narrow_io(self.io_address, self.t);
        }
        let write = self.resume == Phase::Store;
        let value = self.regs[(self.register & 15) as usize];
        let seen = if write {
            bus.write_io(self.id, self.io_address, value, self.t);
            value
        } else {
            let word = bus.read_io(self.id, self.io_address, self.t);
            let value = extract(word, self.io_address, self.width);
            self.set_number(self.register, value);
            value
        };
        if WATCH {
            bus.fabric_mut().watch.data(
                self.t,
                self.id,
                self.pc.wrapping_sub(2),
                self.io_address,
                self.width.bytes(),
                write,
                seen,
            );
        }
    }

    /// Fetches the posted word. None: the core waits and asks again.
    fn fetch<const WATCH: bool>(&mut self, bus: &mut B) -> Option<u32> {
        if B::is_ram(self.slave) {
            bus.fabric_mut().arbiter.grant(self.id, self.slave);
            if WATCH {
                self.count(bus, self.slave);
            }
            self.t += 1;
            return Some(bus.read_ram(self.index));
        }
        self.fetch_slow::<WATCH>(bus)
    }

    #[inline(never)]
    fn fetch_slow<const WATCH: bool>(&mut self, bus: &mut B) -> Option<u32> {
        if !B::holds_code(self.slave, self.address) {
            self.t += 1;
            return Some(REFUSED);
        }
        self.request_slave::<WATCH>(bus, false).then(|| {
            self.t += 1;
            bus.read(self.slave, self.address, self.t - 1).unwrap_or(REFUSED)
        })
    }

    /// Reads the posted word. None: the core waits, or has faulted.
    fn read<const WATCH: bool>(&mut self, bus: &mut B) -> Option<u32> {
        let word = if B::is_ram(self.slave) {
            bus.fabric_mut().arbiter.grant(self.id, self.slave);
            if WATCH {
                self.count(bus, self.slave);
            }
            bus.read_ram(self.index)
        } else {
            if !self.request_slave::<WATCH>(bus, false) {
                return None;
            }
            self.read_data(bus)?
        };
        if WATCH {
            self.watch_read(bus, word);
        }
        self.t += 1;
        Some(word)
    }

    /// Writes to the posted address. False: the core waits, or has faulted.
    fn write<const WATCH: bool>(&mut self, bus: &mut B, value: u32) -> bool {
        if B::is_ram(self.slave) {
            bus.fabric_mut().arbiter.grant(self.id, self.slave);
            if WATCH {
                self.count(bus, self.slave);
            }
            bus.store_ram(self.index, self.address, self.width, value);
        } else if !self.request_slave::<WATCH>(bus, true) || !self.write_data(bus, value) {
            return false;
        }
        if WATCH {
            self.watch_write(bus, value);
        }
        self.t += 1;
        true
    }

    /// Asks a slave that may be busy or slow. False: the core stops again later.
    #[inline(never)]
    fn request_slave<const WATCH: bool>(&mut self, bus: &mut B, write: bool) -> bool {
        match bus.begin(self.id, self.slave, self.address, write, self.t) {
            Access::Busy(until) => {
                self.stats.conflicts[self.slave.number()] += until - self.t;
                self.contested = true;
                if WATCH {
                    bus.fabric_mut().watch.core_event(
                        self.t,
                        self.id,
                        CoreEvent::Conflicts(self.slave, until - self.t),
                    );
                }
                self.t = until;
                false
            }
            Access::Takes(1) => {
                if WATCH {
                    self.count(bus, self.slave);
                }
                true
            }
            Access::Takes(cycles) => {
                self.stats.waits[self.slave.number()] += cycles - 1;
                if WATCH {
                    self.count(bus, self.slave);
                    bus.fabric_mut().watch.core_event(self.t, self.id, CoreEvent::Waits(self.slave, cycles - 1));
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
    fn end_delay<const WATCH: bool>(&mut self, bus: &mut B) -> Progress {
        self.slave = self.delayed;
        self.phase = self.resume;
        match self.phase {
            Phase::Store | Phase::StoreMany | Phase::Push => self.end_delayed_write::<WATCH>(bus),
            Phase::Load | Phase::LoadMany | Phase::Vector | Phase::Unstack => self.end_delayed_read::<WATCH>(bus),
            _ => {
                let word = bus.read(self.slave, self.address, self.t).unwrap_or(REFUSED);
                self.t += 1;
                match self.phase {
                    Phase::Target => self.end_target(word),
                    Phase::Fetch => self.end_fetch(word),
                    _ => self.end_wide_fetch(word),
                }
            }
        }
    }

    fn end_delayed_write<const WATCH: bool>(&mut self, bus: &mut B) -> Progress {
        let value = match self.phase {
            Phase::Store => self.regs[(self.register & 15) as usize],
            Phase::StoreMany => self.next_element_to_store(),
            _ => self.frame[self.count as usize & 7],
        };
        if !self.write_data(bus, value) {
            return Progress::Posted;
        }
        if WATCH {
            self.watch_write(bus, value);
        }
        self.t += 1;
        match self.phase {
            Phase::Store => self.finish(STORE),
            Phase::StoreMany => self.end_store_many(),
            _ => self.end_push(bus),
        }
    }

    fn end_delayed_read<const WATCH: bool>(&mut self, bus: &mut B) -> Progress {
        let Some(word) = self.read_data(bus) else { return Progress::Posted };
        if WATCH {
            self.watch_read(bus, word);
        }
        self.t += 1;
        match self.phase {
            Phase::Load => self.end_load(word),
            Phase::LoadMany => self.end_load_many(word),
            Phase::Vector => self.end_vector(word),
            _ => self.end_unstack(bus, word),
        }
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

    fn watch_read(&self, bus: &mut B, word: u32) {
        if matches!(self.phase, Phase::Load | Phase::LoadMany) {
            let value = extract(word, self.address, self.width);
            bus.fabric_mut().watch.data(
                self.t,
                self.id,
                self.pc.wrapping_sub(2),
                self.address,
                self.width.bytes(),
                false,
                value,
            );
        }
    }

    fn watch_write(&self, bus: &mut B, value: u32) {
        if matches!(self.phase, Phase::Store | Phase::StoreMany) {
            bus.fabric_mut().watch.data(
                self.t,
                self.id,
                self.pc.wrapping_sub(2),
                self.address,
                self.width.bytes(),
                true,
                value,
            );
        }
    }

    /// Whether execution stops here for a breakpoint.
    pub(crate) fn watch_execution(&mut self, bus: &mut B) -> bool {
        let pass = self.passes_at == self.t;
        if bus.fabric_mut().watch.execution(self.t, self.id, self.pc, pass) {
            self.post_internal(Phase::Start);
            bus.fabric_mut().requests.stop_at_breakpoint(self.id, self.pc);
            return true;
        }
        false
    }
}
