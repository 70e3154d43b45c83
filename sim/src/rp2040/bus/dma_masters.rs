//! The two masters of the DMA on the bus: they ask, wait and are granted as cores are.

use crate::core::access::Width;
use crate::core::bus::{Access, Bus as _, Fault, Slave};
use crate::core::time::{Cycle, NEVER};
use crate::engine::cpu::{Cpu as _, Request};
use crate::engine::fast_bus::OTHER_MASTER_NUMBERS;
use crate::isa::armv6m::Core;
use crate::rp2::dma::requests::{CREDIT_CYCLES, NextRead, Requesters as _};
use crate::rp2040::bus::{Crossbar, locate, locate_sram, slave};
use crate::rp2040::peripherals::dma::{BusError, DmaAccess};
use std::hash::{Hash, Hasher};

/// The masters.
const READ: usize = 0;
const WRITE: usize = 1;

/// An access whose wait states are running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Waiting {
    access: DmaAccess,
    done_at: Cycle,
}

/// What the two masters are doing.
#[derive(Clone, Debug, Default)]
pub(crate) struct DmaMasters {
    waiting: [Option<Waiting>; 2],
    /// The access that is asked for has had to wait for another master.
    contested: [bool; 2],
    /// While cores run apart: the next cycle in which each master asks for something.
    due: [Cycle; 2],
    /// The cycle before it in which a request is to be noted that allows the read; `NEVER` if there is none.
    notes_at: Cycle,
}

impl Hash for DmaMasters {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self { waiting, contested, due: _, notes_at: _ } = self;
        (waiting, contested).hash(hasher);
    }
}

impl DmaMasters {
    /// The next cycle, not before `now`, in which a master does something.
    pub fn next(&self, bus: &Crossbar, now: Cycle) -> Cycle {
        let wanted = bus.peripherals.dma_next(now);
        if wanted == NEVER && self.waiting == [const { None }; 2] {
            return NEVER;
        }
        let done = self.waiting.iter().flatten().map(|waiting| waiting.done_at).min().unwrap_or(NEVER);
        // A master that waits asks for nothing, but the other one may.
        if self.waiting.iter().all(Option::is_some) { done } else { wanted.min(done) }
    }

    /// Cycle `now` of both masters, and of the arbiters where they ask for what a core asks for. Cores have been run up to
    /// `now`, and have lost the cycle if they lose.
    pub fn cycle(&mut self, cores: &mut [Core<Crossbar>; 2], bus: &mut Crossbar, now: Cycle) {
        for side in [READ, WRITE] {
            if let Some(waiting) = self.waiting[side].take_if(|waiting| waiting.done_at <= now) {
                finish(bus, side, waiting.access, now);
            }
        }
        if self.waiting[READ].is_some() {
            bus.peripherals.note_requests(now);
        }
        let wanted = [READ, WRITE].map(|side| if self.waiting[side].is_some() { None } else { wanted(bus, side, now) });
        for side in [READ, WRITE] {
            let Some(access) = wanted[side] else { continue };
            let slave = locate(access.address).0;
            if slave.is_shared() && winner(cores, bus, wanted, slave, now) != OTHER_MASTER_NUMBERS[side] {
                self.contested[side] = true;
                continue;
            }
            self.grant(bus, side, slave, access, now);
        }
    }

    /// The address phase. What it does to RAM nobody can see in between, and is done at once.
    fn grant(&mut self, bus: &mut Crossbar, side: usize, slave: Slave, access: DmaAccess, now: Cycle) {
        let master = OTHER_MASTER_NUMBERS[side];
        let Access::Takes(cycles) = bus.begin(master, slave, access.address, side == WRITE, now) else {
            self.contested[side] = true;
            return;
        };
        bus.count(slave, std::mem::take(&mut self.contested[side]));
        if slave::is_sram(slave) {
            transfer(bus, side, access, now);
            bus.fabric.requests.touch(now);
        } else {
            self.waiting[side] = Some(Waiting { access, done_at: now + cycles });
        }
    }
}

/// Transfers of which nothing but the DMA and SRAM hears, for cores that run apart.
impl Crossbar {
    /// The next cycle, not before `now`, in which a master does something.
    pub(super) fn next_quiet_transfer(&mut self, now: Cycle) -> Cycle {
        if self.dma.waiting != [const { None }; 2] {
            return now;
        }
        self.dma.due = [self.next_quiet_read(now), self.peripherals.dma.next_write(now)];
        self.dma.due[READ].min(self.dma.due[WRITE])
    }

    /// The same of the read master.
    fn next_quiet_read(&mut self, now: Cycle) -> Cycle {
        let NextRead { notes_at, reads_at } = self.peripherals.dma_next_read(now);
        // Nobody sees a request of the DMA's own timers that is noted in the cycle behind it, before the read.
        let is_alone = notes_at < reads_at;
        self.dma.notes_at = if is_alone { notes_at } else { NEVER };
        if is_alone { reads_at.min(notes_at + CREDIT_CYCLES) } else { reads_at }
    }

    /// Notes the request that is to be noted before `now`, if there is one.
    pub(super) fn note_quiet_request(&mut self, now: Cycle) {
        if self.dma.notes_at < now {
            let at = std::mem::replace(&mut self.dma.notes_at, NEVER);
            self.peripherals.note_all(at);
        }
    }

    /// The same if nothing has happened since the last call but what these transfers are.
    pub(super) fn next_quiet_transfer_after(&mut self, [reads, writes]: [bool; 2], now: Cycle) -> Cycle {
        // A write may make room for a read, and a request be noted without one.
        if reads || self.dma.due[READ] < now || writes && self.peripherals.dma.next_write(now) != NEVER {
            self.dma.due[READ] = self.next_quiet_read(now);
        }
        self.dma.due[WRITE] = self.peripherals.dma.next_write(now);
        self.dma.due[READ].min(self.dma.due[WRITE])
    }

    /// What both masters ask for in cycle `now`, if it is that.
    #[inline(always)]
    pub(super) fn quiet_transfers(&mut self, now: Cycle) -> Option<[Option<Request>; 2]> {
        if self.dma.waiting != [const { None }; 2] || self.peripherals.dma.is_about_to_end(now) {
            return None;
        }
        self.note_quiet_request(now + 1);
        let mut all = [None; 2];
        let due = self.dma.due.map(|due| due <= now);
        for (side, request) in all.iter_mut().enumerate().filter(|&(side, _)| due[side]) {
            if let Some(access) = wanted(self, side, now) {
                let (slave, place) = locate_sram(access.address)?;
                *request = Some(Request { slave, address: access.address, place, writes: side == WRITE });
            }
        }
        Some(all)
    }

    /// A master gets what it asks for.
    pub(super) fn make_quiet_transfer(&mut self, side: usize, now: Cycle) {
        self.dma.contested[side] = false;
        let dma = &self.peripherals.dma;
        if let Some(access) = if side == READ { dma.reading() } else { dma.write_wanted(now) } {
            transfer(self, side, access, now);
        }
    }

    /// A master has to wait for another one.
    pub(super) fn put_off_quiet_transfer(&mut self, side: usize) {
        self.dma.contested[side] = true;
    }
}

fn wanted(bus: &mut Crossbar, side: usize, now: Cycle) -> Option<DmaAccess> {
    let (peripherals, mut context) = bus.peripherals_at(now);
    if side == READ { peripherals.dma_read_wanted(&mut context) } else { peripherals.dma.write_wanted(now) }
}

/// Who gets a slave that at least one DMA master asks for; cores that do not, lose the cycle.
fn winner(
    cores: &mut [Core<Crossbar>; 2],
    bus: &mut Crossbar,
    wanted: [Option<DmaAccess>; 2],
    slave: Slave,
    now: Cycle,
) -> u8 {
    let mut asking = 0;
    for core in &*cores {
        let asks = core.t == now && core.deferred_slave() == slave && !bus.fabric.watch.is_apart(core.address);
        asking |= u8::from(asks) << core.id;
    }
    for (side, access) in wanted.iter().enumerate() {
        let asks = access.is_some_and(|access| locate(access.address).0 == slave);
        asking |= u8::from(asks) << OTHER_MASTER_NUMBERS[side];
    }
    let winner = bus.fabric.arbiter.arbitrate(slave, asking);
    if let Some(profile) = &mut bus.fabric.watch.profile {
        profile.contend(now, winner, [0; 2]);
    }
    let [zero, one] = cores;
    let loses = |core: &Core<Crossbar>| asking >> core.id & 1 != 0 && core.id != winner;
    if loses(zero) {
        zero.perform_stalled_cycle::<true>(bus);
    }
    if loses(one) {
        // In one cycle core 0 comes first at the I/O ports (DS 2.3.1.3), whether or not it gets what else it asks for.
        if zero.t == now {
            zero.access_io_first::<true>(bus);
        }
        one.perform_stalled_cycle::<true>(bus);
    }
    winner
}

/// The last cycle of a data phase, of which the machine is to hear. A write whose channel was aborted does not come to it.
fn finish(bus: &mut Crossbar, side: usize, access: DmaAccess, now: Cycle) {
    let is_left = |wanted: DmaAccess| wanted.channel == access.channel;
    if side == READ || bus.peripherals.dma.write_wanted(now).is_some_and(is_left) {
        transfer(bus, side, access, now);
    }
    bus.fabric.requests.touch(now);
}

/// What an access does, as far as the DMA goes in its data phase: that of RAM is the next cycle.
fn transfer(bus: &mut Crossbar, side: usize, access: DmaAccess, now: Cycle) {
    let (slave, _) = locate(access.address);
    let data_at = now + Cycle::from(slave::is_sram(slave));
    let width = match access.bytes {
        1 => Width::Byte,
        2 => Width::Half,
        _ => Width::Word,
    };
    if side == READ {
        // A narrow read takes its data from the pipelines of its address.
        let result = bus.read(slave, access.address, now).map(|word| word >> (8 * (access.address & 3)));
        let result = result.map_err(|Fault| BusError);
        let (peripherals, mut context) = bus.peripherals_at(data_at);
        peripherals.dma.read_done(result, data_at, &mut context);
    } else {
        if let Some(profile) = &mut bus.fabric.watch.profile {
            profile.transferred(access.channel, (access.address, access.bytes), access.value, now);
        }
        let result = bus.write(slave, access.address, access.value, width, now).map_err(|Fault| BusError);
        let (peripherals, mut context) = bus.peripherals_at(data_at);
        peripherals.dma.write_done(result, &mut context);
    }
}
