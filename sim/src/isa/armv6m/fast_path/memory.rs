//! The memory that a core on the fast path reaches at once, and what each access means for the other core.

use super::FastPathExit;
use crate::core::access::Width;
use crate::core::bus::Slave;
use crate::core::profile::{Masks, Touched, touch_kind};
use crate::core::time::Cycle;
use crate::engine::access_tags::AccessTag;
use crate::engine::fast_bus::{FastBus, FlashCache};
use crate::engine::grant_log::NativeContext;
use crate::engine::known_registers::KnownRegister;
use crate::engine::policy::{PeerPolicy, Role};
use crate::isa::armv6m::code_cache::{CodeView, Instructions};
use crate::isa::armv6m::cycles::{Cycles, Last, MAX_CYCLES};
use crate::isa::thumb::decode::{Code, Op, Reg};

/// What the fast path needs of the bus.
pub(crate) struct FastMemory<'a, B, P> {
    pub bus: &'a mut B,
    /// The flash interface is not busy with a miss or a flush.
    pub flash_ready: bool,
    /// Hits in the flash cache that are not counted yet.
    pub hits: u32,
    pub policy: &'a mut P,
    /// What is noted of this core's accesses, if they are.
    pub touch: Masks,
}

/// Cycles for which a core that is alone may read registers without a look for a busy wait.
const SOLO_LOOKS: Cycle = 2000;

/// The slaves that are requested in the last two cycles of a branch.
pub(crate) type RefillSlaves = [Slave; 2];

/// A word to be loaded, and its slave.
pub(crate) struct LoadedWord {
    pub slave: Slave,
    pub word: u32,
}

impl<B: FastBus, P: PeerPolicy> FastMemory<'_, B, P> {
    /// Whether a word of flash is known to be the most recently used one of its set. It is about to be read if so.
    #[inline(always)]
    pub fn has_mru(&mut self, address: u32) -> bool {
        let has = self.policy.mru().has(address);
        debug_assert!(!has || self.is_mru_in_cache(address), "{address:#x} is not most recently used");
        if has && P::ROLE == Role::Speculative {
            self.policy.mru().insert(address, true);
        }
        has
    }

    fn is_mru_in_cache(&self, address: u32) -> bool {
        let (cache, set) = (self.bus.cache(), B::Cache::set_of(address));
        self.flash_ready && cache.way_of(address).is_some_and(|way| u32::from(cache.lru(set)) != way)
    }

    /// Whether the flash cache has a word that may be read.
    #[inline(always)]
    pub fn may_hit(&mut self, address: u32) -> bool {
        self.has_mru(address) || self.may_hit_unknown(address)
    }

    #[inline(never)]
    pub fn may_hit_unknown(&mut self, address: u32) -> bool {
        let Some(way) = self.bus.cache().way_of(address).filter(|_| self.flash_ready) else { return false };
        let set = B::Cache::set_of(address);
        if self.contended_set(address).is_some() {
            return true;
        }
        self.policy.may_hit(set, way) && !(P::ROLE == Role::Replaying && self.was_read(set, way ^ 1))
    }

    /// Whether the speculative core may have read the line in a way of a set without telling so by `may_hit`.
    fn was_read(&mut self, set: usize, way: u32) -> bool {
        self.policy.mru().was_read(self.bus.cache().line(set, way))
    }

    /// A cycle in which a word is read that the flash cache has.
    #[inline(always)]
    pub fn hit(&mut self, clock: P::Clock, address: u32) -> P::Clock {
        if self.has_mru(address) { self.hit_known(clock, address) } else { self.hit_unknown(clock, address) }
    }

    /// The same of the most recently used word of a set.
    #[inline(always)]
    fn hit_known(&mut self, clock: P::Clock, address: u32) -> P::Clock {
        self.hits += 1;
        self.policy.ask_for(address, clock);
        self.policy.request_flash(clock, B::MEMORY.flash_slave)
    }

    /// The same of another word.
    #[inline(never)]
    pub fn hit_unknown(&mut self, clock: P::Clock, address: u32) -> P::Clock {
        let Some(number) = self.contended_set(address) else {
            self.make_mru(address);
            return self.hit_known(clock, address);
        };
        self.policy.mru().insert_cached(address);
        let clock = self.hit_known(clock, address);
        let after = self.policy.cycle(clock);
        self.policy.log().contended.note_read(P::ROLE, number, address, after);
        clock
    }

    /// The number of the contended set of the flash cache that an address belongs to, if it does.
    fn contended_set(&mut self, address: u32) -> Option<usize> {
        self.policy.log().contended.number::<B::Cache>(address)
    }

    /// A word becomes the most recently used one of its set, which is not contended.
    fn make_mru(&mut self, address: u32) {
        // It does: nothing leaves the cache on the fast path.
        let Some(way) = self.bus.cache().way_of(address) else { return };
        let set = B::Cache::set_of(address);
        let was_lru = u32::from(self.bus.cache().lru(set)) == way;
        self.policy.record_hit(set, way, was_lru);
        if was_lru {
            if P::ROLE == Role::Speculative && self.was_read(set, way ^ 1) {
                self.policy.may_hit(set, way ^ 1);
            }
            self.policy.mru().remove_line(self.bus.cache().line(set, way ^ 1));
            self.bus.cache_mut().set_lru(set, way as u8 ^ 1);
        }
        self.policy.mru().insert(address, P::ROLE == Role::Speculative);
    }

    /// A turn of a short loop: whether there were so many that the machine is to look for a busy wait. Where the replaying core
    /// stops, it would have all rolled back.
    pub fn is_to_look_for_a_wait(&mut self) -> bool {
        let fabric = self.bus.fabric_mut();
        fabric.count_register_read();
        fabric.reads_left <= 0 && P::ROLE != Role::Replaying
    }

    /// Notes accesses to so many words from an address on, if that is asked for; `kind` is that of `Masks`.
    #[inline(always)]
    pub fn note_touched(&mut self, first: u32, count: u32, kind: usize) {
        let mask = self.touch[kind & 3];
        if P::TRACES
            && let Some(touched) = self.touched()
        {
            for number in 0..count {
                touched.touch(first.wrapping_add(4 * number), mask);
            }
        }
    }

    /// The same of an instruction that moves one word. Literals are no data.
    #[inline(always)]
    pub fn note_touched_by(&mut self, op: &Op, address: u32, stores: bool) {
        if op.code != Code::LdrLiteral {
            self.note_touched(address, 1, touch_kind(op.n == Reg::Sp, stores));
        }
    }

    fn touched(&mut self) -> Option<&mut Touched> {
        self.bus.fabric_mut().watch.profile.as_mut()?.touched()
    }

    pub fn native_context(&mut self) -> NativeContext {
        let touched = if P::TRACES { self.touched().map_or(0, Touched::address) } else { 0 };
        let mru = self.policy.mru();
        NativeContext {
            clock: 0,
            counts: 0,
            ram: self.bus.ram_address(),
            tags: self.bus.tags().address(),
            flash: self.bus.flash().as_ptr() as usize,
            flash_bytes: 4 * self.bus.flash().len() as u32,
            usable_from: mru.usable_from,
            quantum: mru.quantum,
            mru: mru.address(),
            touched,
            touch: self.touch,
            ..NativeContext::default()
        }
    }

    /// Whether a word of flash is known as most recently used, or can be made so because reading it changes no state.
    pub fn ensure_mru(&mut self, address: u32) -> bool {
        if self.has_mru(address) {
            return true;
        }
        let Some(way) = self.bus.cache().way_of(address).filter(|_| self.flash_ready) else { return false };
        if self.contended_set(address).is_some() {
            self.policy.mru().insert_cached(address);
            return true;
        }
        let set = B::Cache::set_of(address);
        let is_mru = u32::from(self.bus.cache().lru(set)) != way && self.policy.may_treat_as_mru(set, way);
        if is_mru {
            self.policy.mru().insert(address, P::ROLE == Role::Speculative);
        }
        is_mru
    }

    #[inline(always)]
    pub fn idle(&mut self, clock: P::Clock, cycles: u32) -> P::Clock {
        (0..cycles).fold(clock, |clock, _| self.policy.request(clock, Slave::INTERNAL))
    }

    /// The cycles after the data of the instruction at `pc`, which does not branch.
    #[inline(always)]
    pub fn finish(&mut self, clock: P::Clock, cycles: Cycles, op: &Op, pc: u32, in_flash: bool) -> P::Clock {
        debug_assert!(cycles.last == Last::Fetch, "else it branches");
        let clock = self.idle(clock, cycles.idle);
        self.fetch(clock, op, pc, in_flash)
    }

    /// The same of one that goes on at `target`, fetched from the slaves of `refill`.
    #[inline(always)]
    pub fn finish_at(
        &mut self,
        clock: P::Clock,
        cycles: Cycles,
        (op, pc): (&Op, u32),
        (target, refill): (u32, RefillSlaves),
    ) -> P::Clock {
        let clock = self.idle(clock, cycles.idle);
        match cycles.last {
            Last::Fetch => self.fetch(clock, op, pc, true),
            Last::Refill => self.refill_cycles(clock, target, refill),
            Last::FetchThenRefill => {
                let clock = self.fetch(clock, op, pc, true);
                self.refill_cycles(clock, target, refill)
            }
            Last::FetchTwice => {
                let clock = self.fetch(clock, op, pc, true);
                let middle = if pc & 2 == 0 { Slave::INTERNAL } else { refill[1] };
                let clock = self.request(clock, middle, target.wrapping_add(2));
                self.policy.request(clock, Slave::INTERNAL)
            }
        }
    }

    /// The last cycle of the instruction at `pc`, which fetches the next word if one is due; with `in_flash`, maybe from flash.
    #[inline(always)]
    pub fn fetch(&mut self, clock: P::Clock, op: &Op, pc: u32, in_flash: bool) -> P::Clock {
        if in_flash && op.fetch == B::MEMORY.flash_slave {
            return self.hit(clock, pc.wrapping_add(4));
        }
        self.ask(clock, op.fetch, pc.wrapping_add(4))
    }

    /// The same if the next word, should it be one of flash, is most recently used.
    #[inline(always)]
    pub fn fetch_known(&mut self, clock: P::Clock, op: &Op, pc: u32, in_flash: bool) -> P::Clock {
        if in_flash && op.fetch == B::MEMORY.flash_slave {
            self.hit_known(clock, pc.wrapping_add(4))
        } else {
            self.ask(clock, op.fetch, pc.wrapping_add(4))
        }
    }

    /// Whether all words that a branch to `target` fetches are most recently used ones of flash.
    #[inline(always)]
    pub fn is_mru(&mut self, target: u32) -> bool {
        self.has_mru(target) && (target & 2 == 0 || self.has_mru(target.wrapping_add(2)))
    }

    /// The last two cycles of a branch to such a target.
    #[inline(always)]
    pub fn refill_cycles_from_mru(&mut self, clock: P::Clock, target: u32) -> P::Clock {
        let clock = self.hit_known(clock, target & !3);
        if target & 2 == 0 {
            self.policy.request(clock, Slave::INTERNAL)
        } else {
            self.hit_known(clock, target.wrapping_add(2))
        }
    }

    /// What a branch to `target` fetches, most likely in the view `near`. None if the fast path cannot go on there, or not yet
    /// (`unreachable`).
    #[inline(always)]
    pub fn refill(&mut self, all: &Instructions, near: CodeView, target: u32) -> Option<RefillSlaves> {
        match all.at::<B>(near, target) {
            Some(op) => refill_from_ram::<B>(op, target),
            None => self.refill_from_elsewhere(all, target),
        }
    }

    /// The same for a branch most likely to RAM.
    ///
    /// # Errors
    /// What there is to do where there is none.
    #[inline(always)]
    pub fn refill_or_exit(&mut self, all: &Instructions, target: u32) -> Result<RefillSlaves, FastPathExit> {
        self.refill(all, CodeView::Ram, target).ok_or_else(|| unreachable::<B>(target))
    }

    #[inline(never)]
    fn refill_from_elsewhere(&mut self, all: &Instructions, target: u32) -> Option<RefillSlaves> {
        let view = CodeView::of::<B>(target)?;
        if view != CodeView::Flash {
            return refill_from_ram::<B>(all.at::<B>(view, target)?, target);
        }
        if !self.may_hit(target & !3) {
            return None;
        }
        if target & 2 == 0 {
            return Some([B::MEMORY.flash_slave, Slave::INTERNAL]);
        }
        self.may_hit(target.wrapping_add(2)).then_some([B::MEMORY.flash_slave; 2])
    }

    /// The last two cycles of a branch.
    #[inline(always)]
    pub fn refill_cycles(&mut self, mut clock: P::Clock, target: u32, refill: RefillSlaves) -> P::Clock {
        for (number, address) in [target & !3, target.wrapping_add(2)].into_iter().enumerate() {
            clock = self.request(clock, refill[number], address);
        }
        clock
    }

    /// The word at an address, if a load may read it.
    #[inline(always)]
    pub fn readable_word(&mut self, address: u32) -> Option<LoadedWord> {
        if let Some((slave, index)) = B::locate_ram(address) {
            let readable = self.policy.may_read(self.bus.tags().of(index));
            return readable.then(|| LoadedWord { slave, word: self.bus.read_ram(index) });
        }
        self.may_hit(address)
            .then(|| LoadedWord { slave: B::MEMORY.flash_slave, word: word_of_flash(address, self.bus) })
    }

    /// A cycle in which a slave is requested for a word, or none is.
    #[inline(always)]
    pub fn request(&mut self, clock: P::Clock, slave: Slave, address: u32) -> P::Clock {
        if slave == B::MEMORY.flash_slave { self.hit(clock, address) } else { self.ask(clock, slave, address) }
    }

    /// A cycle in which a slave is requested that is not the flash cache.
    #[inline(always)]
    pub fn ask(&mut self, clock: P::Clock, slave: Slave, address: u32) -> P::Clock {
        self.policy.ask_for(address, clock);
        self.policy.request(clock, slave)
    }

    /// The port of so many registers if there is time to read them, and the bus allows it ([`FastBus::may_read_registers`]).
    pub fn may_read_registers(&mut self, clock: P::Clock, first: u32, count: u32) -> Option<(Slave, u32)> {
        let (port, cycles) = B::register_port(first)?;
        let now = self.policy.chip_cycle(clock)?;
        let profile = self.bus.fabric().watch.profile.as_ref().filter(|_| P::TRACES);
        if profile.is_some_and(|profile| profile.is_of_races()) {
            return None; // lock-step tells of each of them
        }
        // And one more cycle, at most with a wait.
        let has_room = self.policy.has_room(clock, count * cycles + MAX_CYCLES) && self.may_go_on_reading();
        let may = count > 0 && has_room && self.bus.may_read_registers(first, count, now);
        let shared = (first..).step_by(4).take(count as usize).fold(0, |all, address| all | B::shared_io(address));
        (may && !self.policy.other_changes_io(shared)).then_some((port, cycles))
    }

    /// Notes the wait states of so many words of a port, if a profile has to be told.
    pub fn note_waits(&mut self, (port, cycles): (Slave, u32), count: u32) {
        if P::TRACES && cycles > 1 {
            self.policy.log().trace.wait(P::ROLE, port, count * (cycles - 1));
        }
    }

    /// Reads one of them: the time after it, and its value.
    pub fn read_register(&mut self, clock: P::Clock, address: u32) -> Option<(P::Clock, u32)> {
        let (port, cycles) = B::register_port(address)?;
        let now = self.policy.chip_cycle(clock)?;
        let value = self.bus.read_register(address, now)?;
        if B::shared_io(address) == 0 && B::may_peek_register(address) {
            let stays_until = self.bus.register_stays_until(address, now + Cycle::from(cycles - 1));
            let changes_at = stays_until.min(self.bus.next_register_event()).saturating_sub((cycles - 1).into());
            let until = changes_at.min(self.next_look(clock));
            let wait = if cycles > 1 { (cycles - 1) | u32::from(port.0) << 16 } else { 0 };
            let more_cycles = cycles as i32 - 1;
            let known = KnownRegister { address, value, more_cycles, wait, ..KnownRegister::default() };
            self.know(known, (u32::MAX, until));
        }
        let clock = self.policy.request(clock, port);
        Some((self.idle(clock, cycles - 1), value))
    }

    /// Whether registers may be read before the machine looks for a busy wait. Where the replaying core stops, all that the other
    /// one did would be rolled back.
    fn may_go_on_reading(&self) -> bool {
        self.bus.fabric().reads_left > 0 || P::ROLE == Role::Replaying
    }

    /// Reads a register of the I/O port. None if the fast path may not, or not at this time.
    pub fn read_io(&mut self, clock: P::Clock, core: u8, address: u32) -> Option<u32> {
        if !self.may_go_on_reading() {
            return None;
        }
        self.pass_io_changes(clock, core);
        let shared = B::shared_io(address);
        if let Some(value) = self.bus.read_stable_io(core, address) {
            let may = self.policy.may_read_io(shared);
            if may {
                let before = self.policy.next_io_change();
                let known = KnownRegister { address, value, more_cycles: -1, ..KnownRegister::default() };
                self.know(known, (before, self.next_look(clock)));
            }
            return may.then_some(value);
        }
        let now = self.io_cycle(clock, address)?;
        if !self.policy.may_change_io(shared) {
            return None;
        }
        self.policy.record_io(address, None, clock);
        self.policy.log().registers.forget();
        Some(self.bus.read_event_free_io(core, address, now))
    }

    /// The cycle in which it is to be asked again whether a core that is alone `may_go_on_reading`.
    fn next_look(&self, clock: P::Clock) -> Cycle {
        match (P::ROLE, self.policy.chip_cycle(clock)) {
            (Role::Solo, Some(now)) => now + SOLO_LOOKS,
            _ => Cycle::MAX,
        }
    }

    /// A register was read that stays as it is before a cycle of the quantum and one of the chip, in which a read begins.
    fn know(&mut self, known: KnownRegister, (before, until): (u32, Cycle)) {
        if !self.is_told_of(known.address) {
            let before_limit = self.policy.distance_from_limit(until).unwrap_or(i32::MAX);
            self.policy.log().registers.know(KnownRegister { before, before_limit, ..known });
        }
    }

    /// Whether a profile has to be told of each access to a register.
    fn is_told_of(&self, address: u32) -> bool {
        P::TRACES && self.bus.fabric().watch.profile.as_ref().is_some_and(|profile| profile.is_lock(address))
    }

    /// Writes a register of the I/O port. None if the fast path may not.
    pub fn write_io(&mut self, clock: P::Clock, core: u8, address: u32, value: u32) -> Option<()> {
        let now = self.io_cycle(clock, address)?;
        self.pass_io_changes(clock, core);
        if !self.policy.may_change_io(B::shared_io(address)) {
            return None;
        }
        self.policy.record_io(address, Some(value), clock);
        self.bus.write_event_free_io(core, address, value, now);
        let is_told = P::ROLE == Role::Replaying || !B::is_timeless_io(address) || self.is_told_of(address);
        let registers = &mut self.policy.log().registers;
        if is_told {
            registers.forget();
        } else {
            registers.let_write(address);
        }
        Some(())
    }

    /// The cycle in which a core accesses its I/O port, if that is event-free; any, if all are the same.
    fn io_cycle(&self, clock: P::Clock, address: u32) -> Option<Cycle> {
        let timeless = B::is_timeless_io(address).then_some(0);
        self.policy.chip_cycle(clock).or(timeless).filter(|_| self.bus.is_event_free_io(address))
    }

    /// Makes the changes of the other core that come before what `core` does at its I/O port.
    fn pass_io_changes(&mut self, clock: P::Clock, core: u8) {
        while let Some(change) = self.policy.pass_io_change(clock) {
            change.make(self.bus, core ^ 1);
        }
    }

    /// Writes a register: the time after it. None if the fast path may not.
    pub fn write_register(&mut self, clock: P::Clock, address: u32, width: Width, value: u32) -> Option<P::Clock> {
        let now = self.policy.chip_cycle(clock).filter(|_| !P::TRACES)?;
        if !self.policy.may_change_io(B::shared_io(address)) {
            return None;
        }
        self.policy.log().registers.forget();
        let port = self.bus.write_register(address, width, value, now)?;
        Some(self.policy.request(clock, port))
    }

    /// The bank and index of a word of RAM that may be written.
    #[inline(always)]
    pub fn writable_word(&mut self, address: u32) -> Option<(Slave, u32)> {
        let (slave, index) = B::locate_ram(address)?;
        self.policy.may_write(self.bus.tags().of(index)).then_some((slave, index))
    }

    #[inline(always)]
    pub fn write(
        &mut self,
        clock: P::Clock,
        slave: Slave,
        index: u32,
        address: u32,
        width: Width,
        value: u32,
    ) -> P::Clock {
        let old = self.bus.write_ram(index, address, width, value);
        self.policy.record_write(index, old);
        self.ask(clock, slave, address)
    }

    /// Some if there is time for LDM, STM and the like, and they `may` access all words that they move, from an aligned address on.
    #[inline(always)]
    pub fn may_access_all(
        &mut self,
        clock: P::Clock,
        first: u32,
        list: u16,
        may: impl Fn(&mut P, &mut AccessTag) -> bool,
    ) -> Option<()> {
        let count = list.count_ones();
        // One more cycle, and the two of a branch if PC is among them.
        if first & 3 != 0 || count == 0 || !self.policy.has_room(clock, count + MAX_CYCLES) {
            return None;
        }
        for number in 0..count {
            let (_, index) = B::locate_ram(first.wrapping_add(4 * number))?;
            if !may(self.policy, self.bus.tags().of(index)) {
                return None;
            }
        }
        Some(())
    }
}

#[inline(always)]
fn refill_from_ram<B: FastBus>(op: &Op, target: u32) -> Option<RefillSlaves> {
    // What is fetched must be what is executed: so it has to be decoded before.
    if op.code == Code::Undecoded {
        return None;
    }
    let second = if target & 2 == 0 { Slave::INTERNAL } else { bank::<B>(target.wrapping_add(2))? };
    Some([bank::<B>(target)?, second])
}

/// The bank that an address is in.
#[inline(always)]
fn bank<B: FastBus>(address: u32) -> Option<Slave> {
    B::locate_ram(address).map(|(bank, _)| bank)
}

/// Why a branch to a target has no `RefillSlaves`: in RAM it was not decoded yet.
#[cold]
pub(crate) fn unreachable<B: FastBus>(target: u32) -> FastPathExit {
    if matches!(CodeView::of::<B>(target), Some(CodeView::Ram | CodeView::Unstriped)) {
        FastPathExit::Undecoded(target)
    } else {
        FastPathExit::Stop
    }
}

fn word_of_flash<B: FastBus>(address: u32, bus: &B) -> u32 {
    bus.flash().get((address & 0xff_ffff) as usize / 4).copied().unwrap_or(u32::MAX)
}

/// A word of the memories that the fast path can execute from.
pub(crate) fn word_at<B: FastBus>(address: u32, bus: &B) -> Option<u32> {
    match CodeView::of::<B>(address)? {
        CodeView::Ram | CodeView::Unstriped => B::locate_ram(address).map(|(_, index)| bus.read_ram(index)),
        CodeView::Flash => Some(word_of_flash(address, bus)),
    }
}

pub(crate) fn half_at<B: FastBus>(address: u32, bus: &B) -> Option<u16> {
    word_at(address, bus).map(|word| (word >> ((address & 2) * 8)) as u16)
}

/// What a core has fetched when it begins the instruction at `pc`, if memory has not changed since: the rest of the word, and
/// for an upper halfword the next word.
pub(crate) fn prefetched<B: FastBus>(pc: u32, bus: &B) -> Option<u64> {
    if pc & 2 == 0 {
        return word_at(pc, bus).map(u64::from);
    }
    Some(u64::from(word_at(pc, bus)? >> 16) | u64::from(word_at(pc.wrapping_add(2), bus)?) << 16)
}
