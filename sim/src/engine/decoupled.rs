//! Cores that run apart, a quantum at a time, with the same result as in lock-step.
//!
//! A core whose neighbour is idle runs on the fast path by itself. Of two active cores, one speculates: it runs ahead for a
//! quantum as if it were alone and logs which slave it requests in each cycle ([`BusGrantLog`]). The other one replays the
//! same cycles. Where both request the same slave in the same cycle, the arbiter decides. If the replaying core loses, it waits
//! a cycle. If the speculative core loses, all that it does from there on comes a cycle later: a wait freezes the whole
//! pipeline of a core (docs/simulator.md), so nothing else changes.
//!
//! What the speculative core changes at its I/O port of what both cores share there, spinlocks and pins, is logged with its
//! cycle. It is taken back before the replay, and made again when the replaying core comes to that cycle.
//!
//! Words that the speculative core read or wrote carry an access tag. Where the replaying core would access one of them in a
//! way that matters, or needs more than the fast path can do, the quantum ends: the speculative core is rolled back to its
//! beginning and runs again, up to that cycle only. From there both go in lock-step until they have passed it.

use crate::core::access::Width;
use crate::core::bits::set_bits;
use crate::core::bus::Slave;
use crate::core::profile::{Touched, When};
use crate::core::time::{Cycle, NEVER};
use crate::engine::contended_sets::ContendedSets;
use crate::engine::cpu::{CodeCache as _, FastCpu, Pipeline as _};
use crate::engine::fast_bus::{FastBus, FlashCache};
use crate::engine::grant_log::{BusGrantLog, FIRST};
use crate::engine::mru_words::MruWords;
use crate::engine::policy::{Replaying, Role, SOLO_LONGEST, Solo, Speculative};
use crate::engine::replay::{Course, replay};
use crate::engine::trace::Traced;

/// Cycles in the longest quantum.
const MAX_QUANTUM: u32 = 4000;
/// Cycles of the shortest quantum that pays for its own overhead.
const MIN_QUANTUM: u32 = 32;
/// The same if it ended only because the speculative core needed to know the time.
const MIN_SHORT_QUANTUM: u32 = 12;
/// The shortest and the longest pause, in cycles of lock-step, after quanta that were too short.
const LEAST_PAUSE: Cycle = 24;
const PAUSE: Cycle = 2048;
/// Cycles that the speculative core is expected to lose at least for each of its own, times 2^16.
const LEAST_LOSS: u32 = 1 << 10;
/// Quanta after which it is tried again whether both cores still contend for what they share at their I/O ports.
const FORGIVEN: u32 = 64;

/// What the engine keeps from quantum to quantum. It affects the speed of a run and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Decoupled<C: FastCpu<B>, B: FastBus> {
    /// Instructions that are held decoded.
    pub code: C::CodeCache,
    log: Box<BusGrantLog>,
    /// Tags of the sets of the flash cache.
    ways: Vec<u32>,
    mru: MruWords,
    /// Replacement states that the speculative core has changed: a set, and the way that was its least recently used.
    lru_changes: Vec<(usize, u8)>,
    /// Sets and ways of the flash cache that the replaying core has read.
    hit: Vec<(usize, u8)>,
    /// What cores shared at their I/O ports before the speculative core changed any of it.
    io: B::SharedIo,
    /// The core that speculates next: the one that ended the last quantum, or speculated to its end.
    speculative: usize,
    /// By core, after how many cycles it needed to know the time when it last speculated; more, the longer ago that was.
    reach: [u32; 2],
    /// The speculative core stopped the last time as it needed to know the time: it may follow now.
    stopped_for_the_time: bool,
    /// Cycles that the speculative core runs ahead of the replaying core: as many as the replaying core can probably follow through.
    ahead: u32,
    /// Cycles that it lost of late for each of its own, times 2^16.
    loss: u32,
    /// No quantum begins before this cycle,
    rests_until: Cycle,
    /// or before a handler of interrupts is left that the last quantum was in.
    rests_in_handler: bool,
    /// The cycle up to which quanta may go beyond what limits lock-step, if nothing but transfers from and to RAM is in the way.
    pub transfers_until: Cycle,
    /// How long it rests next time, by whether a core is in a handler.
    pauses: [Cycle; 2],
    /// Quanta in which other masters than cores did something, so far.
    pub quanta_with_transfers: u64,
}

impl<C: FastCpu<B>, B: FastBus> Default for Decoupled<C, B> {
    fn default() -> Self {
        Self {
            code: C::CodeCache::default(),
            log: BusGrantLog::new(),
            ways: vec![0; B::Cache::SETS],
            mru: MruWords::new(B::MEMORY.flash),
            lru_changes: Vec::new(),
            hit: Vec::new(),
            io: B::SharedIo::default(),
            speculative: 0,
            reach: [MAX_QUANTUM; 2],
            stopped_for_the_time: false,
            ahead: MAX_QUANTUM,
            loss: 0,
            rests_until: 0,
            rests_in_handler: false,
            transfers_until: 0,
            pauses: [LEAST_PAUSE; 2],
            quanta_with_transfers: 0,
        }
    }
}

fn shared() -> impl Iterator<Item = Slave> {
    Slave::all().filter(|slave| slave.is_shared())
}

impl<C: FastCpu<B>, B: FastBus> Decoupled<C, B> {
    /// Takes sets of the flash cache as contended that have ended so many quanta, and no others.
    pub fn take_as_contended_after(&mut self, quanta: u32) {
        self.log.contended = ContendedSets::new(quanta);
        self.code.retranslate();
        self.mru = MruWords::new(B::MEMORY.flash);
    }

    /// How many sets of the flash cache are known as contended.
    pub fn contended_sets(&self) -> usize {
        self.log.contended.count()
    }

    /// Runs a core on the fast path from cycle `now` up to, not including, `until`, while its neighbour is idle.
    pub fn run_alone(&mut self, core: &mut C, bus: &mut B, now: Cycle, until: Cycle) {
        let traced = bus.fabric().watch.profile.is_some();
        let until = until.min(now + if traced { Cycle::from(MAX_QUANTUM) } else { SOLO_LONGEST });
        if until.saturating_sub(now) < Cycle::from(C::MAX_CYCLES) || !core.can_run_fast(bus) || !may_trace(bus) {
            return;
        }
        self.code.drop_stale(bus);
        let ready = bus.is_flash_ready(now);
        self.mru.sync(bus, ready);
        let mut policy = Solo { log: &mut self.log, mru: &mut self.mru, began: now, end: until };
        let (t, asked) = if traced {
            policy.log.trace.begin(Role::Solo);
            let end = core.run_fast(bus, &mut self.code, &mut Traced(&mut policy), (now, 0), ready);
            self.log.trace.tell(bus, [&*core; 2], now);
            end
        } else {
            core.run_fast(bus, &mut self.code, &mut policy, (now, 0), ready)
        };
        self.log.contended.settle(bus.cache_mut());
        core.set_next_cycle(t);
        for slave in set_bits(u64::from(asked)) {
            let slave = Slave(slave);
            if slave.is_shared() {
                bus.fabric_mut().arbiter.grant(core.id(), slave);
            }
        }
    }

    /// Cycles from `now` on, before `until`, of both cores, which ask for nothing but SRAM and hits in the flash cache. False
    /// if nothing was done, since it is not worth it.
    pub fn run<const WATCH: bool>(&mut self, [zero, one]: [&mut C; 2], bus: &mut B, now: Cycle, until: Cycle) -> bool {
        let in_handler = zero.is_in_handler() || one.is_in_handler();
        if self.rests_in_handler && !in_handler {
            self.rests_until = now;
        }
        self.rests_in_handler &= in_handler && now < self.rests_until;
        let may_go_beyond = !WATCH || bus.fabric().watch.profile.as_ref().is_some_and(|profile| profile.hunt.is_none());
        let (until, transfers_at) = if may_go_beyond && self.transfers_until > until && now >= self.rests_until {
            self.beyond_transfers([zero, one], bus, now, until)
        } else {
            (until, NEVER)
        };
        // Before the last cycle, since the speculative core may begin an instruction that it has lost the first cycle of.
        let time = until.saturating_sub(now + 1).min(Cycle::from(2 * MAX_QUANTUM)) as u32;
        // Arbitration will probably cost the speculative core as many cycles as before, and a half more.
        let room = (u64::from(time) << 16) / u64::from((1 << 16) + self.loss + self.loss / 2 + LEAST_LOSS);
        let equals = matches!(bus.fabric().arbiter.priority & 3, 0 | 3);
        if now < self.rests_until
            || room < u64::from(MIN_QUANTUM)
            || !equals
            || bus.cache().nears_counter_end(MAX_QUANTUM * 4)
            || !may_trace(bus)
        {
            return false;
        }
        // A core that needs the time cannot speculate.
        let leads = [&*zero, &*one]
            .map(|core| core.can_run_fast(bus) && !core.needs_the_time(&self.code, bus, self.log.io_contended));
        let traced = bus.fabric().watch.profile.is_some();
        let can_replay = |core: &C| core.can_replay() && !(traced && core.is_pure_bridge_read());
        // A handler will soon write to a register: there the speculative core stops, but the replaying core ends the quantum.
        let first = match [zero.is_in_handler(), one.is_in_handler()] {
            [true, false] => 0,
            [false, true] => 1,
            // One that polls something stops soon.
            _ if self.reach[self.speculative] < MIN_QUANTUM && self.reach[0] != self.reach[1] => {
                usize::from(self.reach[1] > self.reach[0])
            }
            _ => self.speculative,
        };
        let cores = match (first, leads) {
            (0, [true, _]) | (1, [true, false]) if can_replay(one) => [zero, one],
            (_, [_, true]) if can_replay(zero) => [one, zero],
            _ => {
                if !zero.is_in_fast_memory() && !one.is_in_fast_memory() {
                    self.rests_until = now + PAUSE;
                }
                return false;
            }
        };
        let ahead = if cores[1].is_in_handler() { self.ahead.min(3 * MIN_QUANTUM) } else { self.ahead };
        let done = self.quantum::<WATCH>(cores, bus, (now, transfers_at), [ahead.min(room as u32), time]);
        let worthwhile = if self.stopped_for_the_time { MIN_SHORT_QUANTUM } else { MIN_QUANTUM };
        let pause = &mut self.pauses[usize::from(in_handler)];
        if done < worthwhile {
            (self.rests_until, self.rests_in_handler) = (now + Cycle::from(done) + *pause, in_handler);
            *pause = (*pause * 2).min(PAUSE);
        } else {
            *pause = LEAST_PAUSE;
        }
        true
    }

    /// The cycle, after `now`, before which cores need not be asked again to run apart.
    pub fn tries_at(&self, now: Cycle) -> Cycle {
        if self.rests_in_handler { now + LEAST_PAUSE } else { self.rests_until }
    }

    /// As far as a quantum can go in spite of transfers that would end it before, and the cycle of the first of them, `NEVER` if it
    /// cannot.
    fn beyond_transfers(&self, cores: [&C; 2], bus: &mut B, now: Cycle, until: Cycle) -> (Cycle, Cycle) {
        let calm = cores[0].exceptions_from().min(cores[1].exceptions_from()).min(self.transfers_until);
        if calm <= until || !bus.transfers_stay_in_ram() {
            return (until, NEVER);
        }
        let transfers_at = bus.next_transfer(now);
        // Where others are at work all the time, lock-step is no slower.
        if transfers_at < now + Cycle::from(MIN_QUANTUM) { (until, NEVER) } else { (calm, transfers_at) }
    }

    /// One quantum from cycle `now` on, with transfers from `transfers_at` on, of up to `ahead` cycles of the speculative core, and
    /// not more than `time` cycles of the chip. Returns how many there were.
    fn quantum<const WATCH: bool>(
        &mut self,
        cores: [&mut C; 2],
        bus: &mut B,
        (now, transfers_at): (Cycle, Cycle),
        [ahead, time]: [u32; 2],
    ) -> u32 {
        let [speculative, replaying] = cores;
        let at_begin = speculative.clone();
        self.code.drop_stale(bus);
        let quantum = bus.tags().begin_quantum();
        let flash_ready = bus.is_flash_ready(now);
        let before = bus.cache().hits();
        self.mru.sync(bus, flash_ready);
        self.mru.begin_quantum();
        self.io = bus.shared_io_state();
        let traced = bus.fabric().watch.profile.is_some();
        let held = touched(bus).map(|touched| *touched.held(speculative.id()));
        let end = self.speculate(speculative, bus, FIRST + ahead, quantum, flash_ready, traced);
        let last_requested = self.log.last_requested;
        // The replaying core finds what there is at the I/O ports in its time.
        bus.restore_io(&self.io, self.log.io_changed);
        let hits = bus.cache().hits() - before;
        self.hit.clear();
        self.forget_lru_changes(bus);
        self.log.replay(|slave| bus.fabric().arbiter.arbitrate_cores(slave) == speculative.id());
        let mut course = Course { end, time, transfers_at, transferred: false };
        course.go_on(&mut self.log, now);
        let mut policy = Replaying {
            log: &mut self.log,
            mru: &mut self.mru,
            ways: &mut self.ways,
            hit: &mut self.hit,
            quantum,
            began: now,
        };
        let cycle = if traced {
            policy.log.trace.begin(Role::Replaying);
            replay::<false, true, C, B>(replaying, &mut policy, bus, &mut self.code, &mut course, flash_ready)
        } else {
            replay::<WATCH, false, C, B>(replaying, &mut policy, bus, &mut self.code, &mut course, flash_ready)
        };
        let time = policy.now(cycle);
        // The replaying core has just won this cycle's arbitration for what the speculative core requested.
        let log = &self.log;
        let speculative_waits = log.speculative_waits(cycle);
        let speculative_ended = cycle == end && end + C::MAX_CYCLES <= FIRST + ahead;
        self.choose_lead(cycle, end);
        let mut begins_lost = false;
        if cycle < end {
            self.roll_back(bus, at_begin.id(), held);
            bus.cache_mut().uncount_hits(hits);
            *speculative = at_begin;
            self.speculate_up_to(speculative, bus, cycle, time, quantum, flash_ready, traced);
            if speculative_waits && speculative.is_at_boundary() {
                // It has begun its next instruction and lost its first cycle.
                self.begin(speculative, bus, cycle);
                begins_lost = true;
            }
        } else {
            for change in &self.log.io_changes[self.log.io_passed..] {
                change.make(bus, speculative.id());
            }
            speculative.set_next_cycle(time);
        }
        self.log.contended.settle(bus.cache_mut());
        if self.log.contended.note_end::<B::Cache>() {
            self.code.retranslate();
            bus.cache_mut().demoted().add_all();
        }
        for slave in shared() {
            let number = slave.number();
            let log = &self.log;
            speculative.count_conflicts(slave, log.speculative_lost[number]);
            replaying.count_conflicts(slave, log.lost[number]);
            let requested = log.last_requested_before(slave, cycle, last_requested[number]);
            if let Some(last) = log.last_master(slave, |from| requested >= from) {
                bus.fabric_mut().arbiter.grant(last, slave);
            }
        }
        self.quanta_with_transfers += u64::from(course.transferred);
        if transfers_at != NEVER {
            bus.end_transfers(time);
        }
        if traced {
            self.log.trace.tell(bus, [&*speculative, &*replaying], now);
        }
        if begins_lost && traced {
            speculative.access_io_in_lost_cycle::<true>(bus);
        } else if begins_lost {
            speculative.access_io_in_lost_cycle::<false>(bus);
        }
        self.speculative = usize::from(if cycle == end { speculative.id() } else { replaying.id() });
        // Not before the speculative core has run again, which has to stop where it did.
        self.log.io_contended |= std::mem::take(&mut self.log.io_refused);
        if quantum.is_multiple_of(FORGIVEN) {
            self.log.io_contended = 0;
        }
        self.stopped_for_the_time =
            speculative_ended && speculative.needs_the_time(&self.code, bus, self.log.io_contended);
        let reach = if self.stopped_for_the_time { cycle - FIRST } else { MAX_QUANTUM };
        if cycle == end {
            self.reach[usize::from(speculative.id())] = reach;
        }
        let other = &mut self.reach[usize::from(replaying.id())];
        *other = (*other + *other / 8 + 1).min(MAX_QUANTUM);
        cycle - FIRST
    }

    /// How far the speculative core is to run ahead from now on, after a quantum in which the replaying core has come to `cycle`
    /// where it had come to `end`.
    fn choose_lead(&mut self, cycle: u32, end: u32) {
        let follows = (3 * (cycle - FIRST)).clamp(3 * MIN_QUANTUM, MAX_QUANTUM);
        if cycle == end {
            self.ahead = self.ahead.max(follows);
        } else if self.log.end == end {
            self.ahead = follows;
        }
        let waits: u32 = self.log.speculative_lost.iter().sum();
        let share = (u64::from(waits) << 16) / u64::from((cycle - FIRST).max(1));
        self.loss = (7 * self.loss + share.min(1 << 16) as u32) / 8;
    }

    /// Runs the speculative core as if it were alone, up to cycle `end` of the quantum or a few cycles less. The cycle that it has come to.
    fn speculate(&mut self, core: &mut C, bus: &mut B, end: u32, quantum: u32, flash_ready: bool, traced: bool) -> u32 {
        self.log.speculate(end);
        self.log.speculative = core.id();
        self.log.read = bus.tags().read();
        self.log.written = bus.tags().written();
        self.lru_changes.clear();
        let mut policy = Speculative {
            log: &mut self.log,
            mru: &mut self.mru,
            lru_changes: &mut self.lru_changes,
            ways: &mut self.ways,
            quantum,
        };
        if traced {
            policy.log.trace.begin(Role::Speculative);
            return core.run_fast(bus, &mut self.code, &mut Traced(&mut policy), FIRST, flash_ready);
        }
        core.run_fast(bus, &mut self.code, &mut policy, FIRST, flash_ready)
    }

    /// Makes undone what the speculative core did to memory and the flash cache, and brings back which spinlocks it is known to
    /// hold; what the replaying core did stays.
    fn roll_back(&mut self, bus: &mut B, core: u8, held: Option<[u32; 2]>) {
        if let (Some(touched), Some(held)) = (touched(bus), held) {
            *touched.held(core) = held;
        }
        for (index, word) in self.log.overwrites() {
            bus.write_ram(index, 0, Width::Word, word);
        }
        bus.restore_io(&self.io, self.log.io_changed);
        for &(set, way) in self.lru_changes.iter().rev() {
            bus.cache_mut().set_lru(set, way);
        }
        for &(set, way) in &self.hit {
            bus.cache_mut().set_lru(set, way ^ 1);
        }
        self.forget_lru_changes(bus);
        self.log.contended.undo_reads();
    }

    /// Forgets what is most recently used of sets in which the speculative core has changed it: for the replaying core it may
    /// not have happened yet.
    fn forget_lru_changes(&mut self, bus: &B) {
        for &(set, _) in &self.lru_changes {
            self.mru.remove_set(set, bus.cache());
        }
    }

    /// Runs the speculative core again, up to cycle `end` of the quantum, not including it, which is cycle `time` of the chip.
    #[allow(clippy::too_many_arguments)] // as `speculate`
    fn speculate_up_to(
        &mut self,
        core: &mut C,
        bus: &mut B,
        end: u32,
        time: Cycle,
        quantum: u32,
        flash_ready: bool,
        traced: bool,
    ) {
        let reached = self.speculate(core, bus, end, quantum, flash_ready, traced);
        core.set_next_cycle(time - Cycle::from(end - reached));
        while core.next_cycle() < time {
            let cycle = end - (time - core.next_cycle()) as u32;
            if core.is_at_boundary() {
                self.begin(core, bus, cycle);
                continue;
            }
            let io = if traced { core.pending_io() } else { None };
            let asked = core.pipeline(core.next_cycle()).request();
            core.perform_deferred::<false>(bus);
            self.log.contended.note_request::<B>(Role::Speculative, asked, cycle + 1);
            if let Some(io) = io {
                let (by, value) = core.io_accessor();
                self.log.trace.access_io(bus, Role::Speculative, by, (io, value), When::Quantum(cycle));
            }
        }
    }

    /// The speculative core begins an instruction in a cycle of the quantum, outside the fast path.
    fn begin(&mut self, core: &mut C, bus: &mut B, cycle: u32) {
        self.log.trace.note_next(Role::Speculative, core, &core.pipeline(core.next_cycle()), cycle);
        core.begin::<false>(bus);
        // Native code has noted that of the I/O port before it left this to others.
        let asked = core.pipeline(core.next_cycle()).request();
        self.log.trace.ask_for(Role::Speculative, asked.address, cycle);
    }
}

/// Where it is noted who accesses which word, if it is.
fn touched<B: FastBus>(bus: &mut B) -> Option<&mut Touched> {
    bus.fabric_mut().watch.profile.as_mut()?.touched()
}

/// Whether a profile, if there is one, follows cores that run apart.
fn may_trace<B: FastBus>(bus: &B) -> bool {
    bus.fabric().watch.profile.as_ref().is_none_or(|profile| profile.lets_cores_run_apart())
}
