//! Cores that do not go through each cycle together, with the same result as if they did.
//!
//! A core that is alone runs in bursts (`cpu::burst`). Of two cores, one leads: it runs ahead for a stretch of cycles as if it
//! were alone, and notes in each of its cycles whom it asked. The other one follows through the same stretch, and each time
//! that it asks for what the leader asked for in that cycle, the arbiter decides. If the follower loses, it waits a cycle. If
//! the leader loses, all that it does from there on comes a cycle later; as a wait freezes the whole pipeline of a core
//! (docs/simulator.md), that is all that it changes.
//!
//! What the leader read or wrote is marked (`Decoded`). Where the follower would meet those marks, or would do anything that
//! a burst cannot, it stops; the leader is then taken back to where the stretch began and runs again, up to that cycle only.
//! From there on both go cycle by cycle (`schedule`) until they have got past it.

mod company;

use crate::chip::bus::{Bus, Slave};
use crate::chip::clock::Cycle;
use crate::chip::cpu::burst::ledger::{FIRST, Ledger};
use crate::chip::cpu::burst::{Company, SHORT};
use crate::chip::cpu::decode::Width;
use crate::chip::cpu::lane::Lane;
use crate::chip::cpu::nvic::bits;
use crate::chip::cpu::{Core, Phase};
use company::{Alone, Follower, Leader};

/// Cycles in the longest stretch.
const STRETCH: u32 = 4000;
/// Cycles of the shortest stretch that is worth the trouble.
const WORTH: u32 = 48;
/// The same if all that ended it was that the leader needed to know the time.
const SHORT_TURN: u32 = 16;
/// The longest pause, in cycles that both cores go through together, after a stretch that was not worth it.
const PAUSE: Cycle = 2048;
const SETS: usize = 1024;

/// What is kept from stretch to stretch. It changes how fast a run is, and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Decoupling {
    ledger: Box<Ledger>,
    /// Marks of the sets of the flash cache.
    ways: Vec<u32>,
    /// What the leader has changed of the flash cache: a set, and the way that was its oldest.
    aged: Vec<(usize, u8)>,
    /// Sets of the flash cache that the follower has read, and the ways.
    hit: Vec<(usize, u8)>,
    /// The core that is to lead next: the one that ended the last stretch, or led to its end.
    leader: usize,
    /// The leader stopped the last time as it needed to know the time: it may follow now.
    led_up_to_time: bool,
    /// Cycles that the leader runs ahead of the follower: as many as the follower can probably follow through.
    ahead: u32,
    /// No stretch begins before this cycle.
    rests_until: Cycle,
    pause: Cycle,
}

impl Default for Decoupling {
    fn default() -> Self {
        Self {
            ledger: Ledger::new(),
            ways: vec![0; SETS],
            aged: Vec::new(),
            hit: Vec::new(),
            leader: 0,
            led_up_to_time: false,
            ahead: STRETCH,
            rests_until: 0,
            pause: WORTH as Cycle,
        }
    }
}

fn shared() -> impl Iterator<Item = Slave> {
    Slave::ALL.into_iter().filter(|slave| slave.is_shared())
}

impl Decoupling {
    /// Cycles from `now` up to, not including, `until`, of a core while the other one asks for nothing: as many as a burst can.
    pub fn run_alone(&mut self, core: &mut Core, bus: &mut Bus, now: Cycle, until: Cycle) {
        if until.saturating_sub(now) < Cycle::from(SHORT) || !core.can_burst(bus) {
            return;
        }
        let ready = bus.is_flash_ready(now);
        let (t, asked) = core.burst(bus, &mut Alone { ledger: &mut self.ledger, end: until }, (now, 0), ready);
        core.t = t;
        for slave in bits(u64::from(asked)) {
            let slave = Slave::ALL[usize::from(slave) % Slave::COUNT];
            if slave.is_shared() {
                bus.granted(core.id, slave);
            }
        }
    }

    /// Cycles from `now` on, before `until`, of both cores, which ask for nothing but SRAM and hits in the flash cache. False
    /// if nothing was done, since it is not worth it.
    pub fn run<const WATCH: bool>(
        &mut self,
        [zero, one]: [&mut Core; 2],
        bus: &mut Bus,
        now: Cycle,
        until: Cycle,
    ) -> bool {
        // The leader may lose a cycle for each of its own.
        let room = until.saturating_sub(now) / 2;
        let equals = matches!(bus.priority & 3, 0 | 3);
        if now < self.rests_until || room < Cycle::from(WORTH) || !equals || bus.xip.counts_to_the_end(STRETCH * 4) {
            return false;
        }
        // Who needs the time does not lead.
        let leads = [&*zero, &*one].map(|core| core.can_burst(bus) && !core.needs_the_time(&bus.memory.decoded));
        let cores = match (self.leader, leads) {
            (0, [true, _]) | (1, [true, false]) => [zero, one],
            (_, [_, true]) => [one, zero],
            _ => {
                if !zero.is_where_bursts_are() && !one.is_where_bursts_are() {
                    self.rests_until = now + PAUSE;
                }
                return false;
            }
        };
        let done = self.stretch::<WATCH>(cores, bus, now, room.min(Cycle::from(self.ahead)) as u32);
        let worth = if self.led_up_to_time { SHORT_TURN } else { WORTH };
        if done < worth {
            self.rests_until = now + Cycle::from(done) + self.pause;
            self.pause = (self.pause * 2).min(PAUSE);
        } else {
            self.pause = Cycle::from(WORTH);
        }
        true
    }

    /// The cycle before which no stretch begins.
    pub fn rests_until(&self) -> Cycle {
        self.rests_until
    }

    /// One stretch from cycle `now` on, of up to `ahead` cycles of the leader. Returns how many there were.
    fn stretch<const WATCH: bool>(&mut self, cores: [&mut Core; 2], bus: &mut Bus, now: Cycle, ahead: u32) -> u32 {
        let [leader, follower] = cores;
        let at_begin = leader.clone();
        let stretch = bus.memory.decoded.marks.begin_stretch();
        let flash_ready = bus.is_flash_ready(now);
        let (before, _) = bus.xip.counters();
        let end = self.lead(leader, bus, FIRST + ahead, stretch, flash_ready);
        let led = self.ledger.led;
        let hits = bus.xip.counters().0 - before;
        self.hit.clear();
        self.ledger.follow(end, |slave| bus.arbitrate_cores(slave) == leader.id);
        let mut company =
            Follower { ledger: &mut self.ledger, ways: &mut self.ways, hit: &mut self.hit, stretch, began: now };
        let cycle = follow::<WATCH>(follower, &mut company, bus, flash_ready);
        let time = company.now(cycle);
        let leader_waits = shared().any(|slave| self.ledger.is_lost_by_leader(cycle, slave));
        let leader_ended = cycle == end && end + SHORT <= FIRST + ahead;
        if !leader_ended {
            self.ahead = (3 * (cycle - FIRST)).clamp(2 * WORTH, STRETCH);
        }
        if cycle < end {
            self.take_back(bus);
            bus.xip.uncount_hits(hits);
            *leader = at_begin;
            self.lead_up_to(leader, bus, cycle, time, stretch, flash_ready);
            if leader_waits && leader.phase == Phase::Start {
                // It has begun its next instruction and lost its first cycle.
                leader.begin::<false>(bus);
            }
        } else {
            leader.t = time;
        }
        for slave in shared() {
            let number = slave as usize;
            let ledger = &self.ledger;
            leader.lost_some(slave, ledger.leader_lost[number]);
            follower.lost_some(slave, ledger.lost[number]);
            let last = ledger.followed[number];
            if led[number] != 0 && (last.max(FIRST)..cycle).rev().any(|before| ledger.meets(before, slave)) {
                bus.granted(leader.id, slave);
            } else if last >= FIRST {
                bus.granted(follower.id, slave);
            }
        }
        self.leader = usize::from(if cycle == end { leader.id } else { follower.id });
        self.led_up_to_time = leader_ended && leader.needs_the_time(&bus.memory.decoded);
        cycle - FIRST
    }

    /// Runs the leader as if it were alone, up to cycle `end` of the stretch or a few cycles less. The cycle that it has come to.
    fn lead(&mut self, core: &mut Core, bus: &mut Bus, end: u32, stretch: u32, flash_ready: bool) -> u32 {
        self.ledger.lead(end);
        self.ledger.read = bus.memory.decoded.marks.read();
        self.ledger.written = bus.memory.decoded.marks.written();
        self.aged.clear();
        let mut company = Leader { ledger: &mut self.ledger, aged: &mut self.aged, ways: &mut self.ways, stretch };
        core.burst(bus, &mut company, FIRST, flash_ready)
    }

    /// Makes undone what the leader did to memory and the flash cache; what the follower did stays.
    fn take_back(&mut self, bus: &mut Bus) {
        for (index, word) in self.ledger.kept() {
            bus.memory.sram.write(index, 0, Width::Word, word);
        }
        for &(set, way) in self.aged.iter().rev() {
            bus.xip.set_oldest(set, way);
        }
        for &(set, way) in &self.hit {
            bus.xip.set_oldest(set, way ^ 1);
        }
    }

    /// Runs the leader again, up to cycle `end` of the stretch, not including it, which is cycle `time` of the chip.
    fn lead_up_to(&mut self, core: &mut Core, bus: &mut Bus, end: u32, time: Cycle, stretch: u32, flash_ready: bool) {
        let reached = self.lead(core, bus, end, stretch, flash_ready);
        core.t = time - Cycle::from(end - reached);
        while core.t < time {
            if core.phase == Phase::Start {
                core.begin::<false>(bus);
            } else {
                core.perform::<false>(bus);
            }
        }
    }
}

/// Runs the follower to where the leader is, or up to a cycle that is not for it to do alone. The cycle that it has come to.
fn follow<const WATCH: bool>(core: &mut Core, company: &mut Follower, bus: &mut Bus, flash_ready: bool) -> u32 {
    let mut cycle = FIRST;
    let attention = core.attention;
    // It is an exception's turn earlier once they are no longer masked.
    while cycle < company.ledger.end && core.attention == attention {
        if company.has_room(cycle, SHORT) && core.can_burst(bus) {
            cycle = core.burst(bus, company, cycle, flash_ready);
            core.t = company.now(cycle);
        }
        let goes_on;
        (cycle, goes_on) = follow_in_lane::<WATCH>(core, company, bus, cycle);
        if !goes_on {
            break;
        }
    }
    cycle
}

/// As `follow`, cycle by cycle, to the end or until a burst can begin. Whether it can go on from there.
fn follow_in_lane<const WATCH: bool>(
    core: &mut Core,
    company: &mut Follower,
    bus: &mut Bus,
    mut cycle: u32,
) -> (u32, bool) {
    let mut lane = Lane::of(core, company.now(cycle));
    let mut begun = false;
    while cycle < company.ledger.end && !(begun && lane.is_ready() && company.has_room(cycle, SHORT)) {
        let now = company.now(cycle);
        if WATCH && lane.is_ready() && bus.watch.has_breakpoint(lane.pc()) {
            // It may end the run, and which core comes first in a cycle is not for the follower to say.
            core.stop::<WATCH>(&mut lane, now, bus);
            return (cycle, false);
        }
        if !core.issue::<WATCH>(&mut lane, now, bus) {
            return (cycle, false);
        }
        begun = true;
        if lane.slave == Slave::Internal {
            cycle += 1;
            continue;
        }
        let allowed = if lane.is_posted() { core.reads_apb() } else { company.allows(&lane, bus) };
        if !allowed {
            lane.post(core, now);
            return (cycle, false);
        }
        if company.ledger.meets(cycle, lane.slave) && company.ledger.waits(cycle, lane.slave) {
            core.lose::<WATCH>(&mut lane, now, bus);
            cycle += 1;
        } else {
            let (address, place) = lane.place();
            if lane.slave == Slave::Xip {
                company.hits(&bus.xip, address, place);
            }
            let slave = lane.slave;
            core.complete::<WATCH>(&mut lane, now, bus);
            debug_assert!(!bus.touched, "something that others must hear of");
            cycle = company.ask(cycle, slave);
        }
    }
    core.stop::<WATCH>(&mut lane, company.now(cycle), bus);
    (cycle, true)
}
