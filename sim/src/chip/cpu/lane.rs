//! What a core does in a cycle: asks the bus for something (`issue`), and deals with what it was given (`complete`).

#![allow(clippy::trivially_copy_pass_by_ref)] // of a decoded instruction, only what is needed is then read: measured, see bench/sim

use super::decode::{Code, Op, TABLE, Width};
use super::execute::{End, Then};
use super::step::extract;
use super::{Core, Phase};
use crate::chip::bus::{Bus, Slave};
use crate::chip::clock::Cycle;

/// What the next cycle of a lane is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The first of an instruction.
    Ready,
    /// The same again, lost to the other core.
    Waits,
    /// The last of an instruction, in which nothing is asked for.
    Rests,
    /// The last of an instruction, in which the next word is fetched.
    Last,
    /// The one in which the word is fetched where execution goes on.
    Refill,
    /// The next element of LDM or POP.
    LoadNext,
    /// The next element of STM or PUSH.
    StoreNext,
    /// What the core has posted, since it is more than a lane can hold.
    Posted,
}

/// A core that does nothing for so many cycles is left to them.
pub(crate) const FAR: Cycle = 8;

/// What changes with every cycle, kept out of a `Core` while cycles follow each other in which nothing but SRAM and hits in
/// the flash cache is asked for. All else is posted in the core meanwhile, and carried out there (`Core::perform`).
#[derive(Clone, Copy)]
pub(crate) struct Lane {
    pc: u32,
    /// Halfwords that have been fetched, the one at `pc` lowest.
    queue: u64,
    /// What is asked of the bus in this cycle.
    phase: Phase,
    /// The slave that is asked; `Internal` if there is nothing to do in this cycle; `None` if there is, but not on the bus.
    pub slave: Slave,
    address: u32,
    /// Place in the slave, see `Bus::at_once`.
    index: u32,
    /// Of a load or store.
    register: u8,
    width: Width,
    state: State,
}

impl Lane {
    /// Where a core stands in cycle `now`, which is not behind its next step.
    pub fn of(core: &Core, now: Cycle) -> Self {
        let begins = core.phase == Phase::Start && core.t == now;
        Self {
            pc: core.pc,
            queue: core.queue,
            phase: core.phase,
            slave: core.slave,
            address: core.address,
            index: core.index,
            register: core.register,
            width: core.width,
            state: if begins { State::Ready } else { State::Posted },
        }
    }

    /// Puts back into the core what was issued for cycle `now`.
    pub fn post(&self, core: &mut Core, now: Cycle) {
        if self.state == State::Posted {
            return;
        }
        if self.slave != Slave::Internal {
            self.put_back(core, now);
            core.post(self.address, self.phase);
            return;
        }
        self.put_back(core, now + 1);
        if self.state == State::Refill {
            core.post(self.pc & !3, Phase::Target);
        } else {
            core.post_internal(Phase::Start);
        }
    }

    /// Whether the next cycle is the first of an instruction.
    pub fn is_ready(&self) -> bool {
        self.state == State::Ready
    }

    /// Whether what is next stands in the core, and is for `Core::perform` to do.
    pub fn is_posted(&self) -> bool {
        self.state == State::Posted
    }

    /// The address of the next instruction.
    pub fn pc(&self) -> u32 {
        self.pc
    }

    /// Whether what is asked of the bus is a write.
    pub fn writes(&self) -> bool {
        matches!(self.phase, Phase::Store | Phase::StoreMany)
    }

    /// The address that is asked for, and its place in the slave: see `Bus::at_once`.
    pub fn place(&self) -> (u32, u32) {
        (self.address, self.index)
    }

    /// Nothing is asked of the bus.
    #[inline(always)]
    fn asks_nothing(&mut self) -> bool {
        self.slave = Slave::Internal;
        true
    }

    /// What is next stands in the core. It may be due in this cycle already.
    fn leave_to(&mut self, core: &Core, now: Cycle) {
        self.state = State::Posted;
        self.slave = match core.slave {
            _ if core.t > now => Slave::Internal,
            Slave::Internal => Slave::None,
            slave => slave,
        };
    }

    /// One cycle is left of an instruction.
    #[inline(always)]
    fn end(&mut self) {
        self.state = if self.pc & 2 == 0 { State::Rests } else { State::Last };
    }

    fn put_back(&self, core: &mut Core, now: Cycle) {
        core.t = now;
        core.pc = self.pc;
        core.queue = self.queue;
        if matches!(self.phase, Phase::Load | Phase::Store) {
            core.register = self.register;
            core.width = self.width;
        }
    }
}

impl Core {
    /// Whether the next element of POP is the program counter: more than a lane can hold.
    #[inline(always)]
    fn loads_pc(&self) -> bool {
        self.phase == Phase::LoadMany && self.list == 1 << 15
    }

    /// Begins cycle `now`: all that needs no bus is done, and the lane has what is asked of it. False if the core does nothing
    /// for a while, or stops before its next instruction.
    #[inline(always)]
    pub(crate) fn issue<const WATCH: bool>(&mut self, lane: &mut Lane, now: Cycle, bus: &mut Bus) -> bool {
        if lane.state != State::Ready {
            return self.go_on::<WATCH>(lane, now, bus);
        }
        if now >= self.attention && self.attends(lane, now) {
            return self.resume::<WATCH>(lane, now, bus);
        }
        let op = &TABLE[(lane.queue & 0xffff) as usize];
        let pc = lane.pc;
        if WATCH && bus.watch.may_concern(pc) {
            lane.put_back(self, now);
            if self.watch_execution(bus) {
                return false;
            }
        }
        match self.execute(op, pc) {
            Then::Next => {
                self.pass(lane);
                self.fetch_if_due(lane, now, bus)
            }
            Then::Branch => {
                self.stats.instructions += 1;
                lane.pc = pc.wrapping_add(4).wrapping_add(op.immediate as i32 as u32);
                self.ask(lane, lane.pc & !3, Phase::Target, now, bus)
            }
            Then::Load(address) => self.transfer(lane, op, address, Phase::Load, now, bus),
            Then::Store(address) => self.transfer(lane, op, address, Phase::Store, now, bus),
            Then::Rare => self.issue_rarely::<WATCH>(lane, now, bus),
        }
    }

    /// Begins a cycle that is not the first of an instruction.
    #[inline(always)]
    fn go_on<const WATCH: bool>(&mut self, lane: &mut Lane, now: Cycle, bus: &mut Bus) -> bool {
        match std::mem::replace(&mut lane.state, State::Ready) {
            State::Ready | State::Rests => lane.asks_nothing(),
            State::Waits => true,
            State::Last => self.fetch_if_due(lane, now, bus),
            State::Refill => self.ask(lane, lane.pc & !3, Phase::Target, now, bus),
            State::LoadNext => self.next_element(lane, Phase::LoadMany, now, bus),
            State::StoreNext => self.next_element(lane, Phase::StoreMany, now, bus),
            State::Posted => self.resume::<WATCH>(lane, now, bus),
        }
    }

    /// Whether an exception is entered instead of the instruction that the lane is before.
    #[cold]
    fn attends(&mut self, lane: &mut Lane, now: Cycle) -> bool {
        lane.put_back(self, now);
        self.attend()
    }

    /// Begins cycle `now` with what is posted. The lane takes it over if it can.
    #[inline(never)]
    fn resume<const WATCH: bool>(&mut self, lane: &mut Lane, now: Cycle, bus: &mut Bus) -> bool {
        if now < self.t {
            lane.leave_to(self, now);
            return self.t - now < FAR;
        }
        *lane = Lane::of(self, now);
        if lane.state == State::Ready {
            return self.issue::<WATCH>(lane, now, bus);
        }
        let moves_many = matches!(self.phase, Phase::LoadMany | Phase::StoreMany);
        if self.phase.is_plain() && !(moves_many && (self.loads_pc() || now >= self.attention)) {
            lane.state = State::Ready;
            return self.ask(lane, lane.address, lane.phase, now, bus);
        }
        lane.leave_to(self, now);
        true
    }

    /// Deals with what the lane has got in cycle `now`.
    #[inline(always)]
    pub(crate) fn complete<const WATCH: bool>(&mut self, lane: &mut Lane, now: Cycle, bus: &mut Bus) {
        if lane.state == State::Posted {
            return self.complete_posted::<WATCH>(lane, now, bus);
        }
        bus.granted(self.id, lane.slave);
        if WATCH {
            self.count(bus, lane.slave);
        }
        match lane.phase {
            Phase::Fetch => lane.queue |= u64::from(word(lane, bus)) << 16,
            Phase::Load => {
                let value = extract(word(lane, bus), lane.address, lane.width);
                self.set_number(lane.register, value);
                self.see::<WATCH>(lane, now, bus, false, value);
                lane.end();
            }
            Phase::Store => {
                let value = self.regs[(lane.register & 15) as usize];
                bus.memory.write_sram(lane.index, lane.address, lane.width, value);
                self.see::<WATCH>(lane, now, bus, true, value);
                lane.end();
            }
            Phase::Target => {
                lane.queue = u64::from(word(lane, bus)) >> ((lane.pc & 2) * 8);
                lane.end();
            }
            Phase::FetchThenTarget => {
                word(lane, bus);
                lane.state = State::Refill;
            }
            Phase::LoadMany => {
                let value = word(lane, bus);
                self.see::<WATCH>(lane, now, bus, false, value);
                lane.state = if self.element_loaded(value) { State::Last } else { State::LoadNext };
            }
            Phase::StoreMany => {
                let value = self.next_element_to_store();
                bus.memory.write_sram(lane.index, lane.address, Width::Word, value);
                self.see::<WATCH>(lane, now, bus, true, value);
                lane.state = if self.element_stored() { State::Last } else { State::StoreNext };
            }
            _ => unreachable!("a lane asks for nothing else"),
        }
    }

    /// The same of what is posted.
    #[inline(never)]
    fn complete_posted<const WATCH: bool>(&mut self, lane: &mut Lane, now: Cycle, bus: &mut Bus) {
        self.perform::<WATCH>(bus);
        // A lockup is of the cycle of the fault that led to it.
        if self.t == now && self.phase == Phase::Lockup && !bus.touched {
            self.perform::<WATCH>(bus);
        }
        *lane = Lane::of(self, now + 1);
    }

    /// Stops before cycle `now`, whether the lane has something to ask for already or not.
    pub(crate) fn stop<const WATCH: bool>(&mut self, lane: &mut Lane, now: Cycle, bus: &mut Bus) {
        match lane.state {
            State::Ready => {
                lane.put_back(self, now);
                self.post_internal(Phase::Start);
            }
            State::Posted => {}
            _ => {
                if self.issue::<WATCH>(lane, now, bus) {
                    lane.post(self, now);
                }
            }
        }
    }

    /// Begins the instruction at boundary `t`, or an exception before it, without doing anything on the bus.
    #[inline(never)]
    pub(crate) fn begin<const WATCH: bool>(&mut self, bus: &mut Bus) {
        let now = self.t;
        let mut lane = Lane::of(self, now);
        if self.issue::<WATCH>(&mut lane, now, bus) {
            lane.post(self, now);
        }
    }

    /// The cycle is lost to the other core.
    #[inline(always)]
    pub(crate) fn lose<const WATCH: bool>(&mut self, lane: &mut Lane, now: Cycle, bus: &mut Bus) {
        match lane.phase {
            _ if lane.state == State::Posted => self.lose_cycle::<WATCH>(bus),
            // It may be abandoned before it is asked for again.
            Phase::LoadMany | Phase::StoreMany => {
                lane.post(self, now);
                lane.state = State::Posted;
                self.lose_cycle::<WATCH>(bus);
            }
            _ => {
                lane.state = State::Waits;
                self.lost::<WATCH>(lane.slave, now, bus);
            }
        }
    }

    /// The instruction at the lane's place is begun.
    #[inline(always)]
    fn pass(&mut self, lane: &mut Lane) {
        self.stats.instructions += 1;
        lane.pc = lane.pc.wrapping_add(2);
        lane.queue >>= 16;
    }

    /// Asks for memory. It is posted instead if others have to do with it.
    #[inline(always)]
    fn ask(&mut self, lane: &mut Lane, address: u32, phase: Phase, now: Cycle, bus: &mut Bus) -> bool {
        lane.phase = phase;
        lane.address = address;
        if let Some((slave, index)) = bus.at_once(address, matches!(phase, Phase::Store | Phase::StoreMany), now) {
            lane.slave = slave;
            lane.index = index;
            return true;
        }
        lane.put_back(self, now);
        self.post(address, phase);
        lane.leave_to(self, now);
        true
    }

    /// The last cycle of an instruction: the next word is asked for if the lower halfword was executed.
    #[inline(always)]
    fn fetch_if_due(&mut self, lane: &mut Lane, now: Cycle, bus: &mut Bus) -> bool {
        if lane.pc & 2 == 0 {
            return lane.asks_nothing();
        }
        self.ask(lane, lane.pc.wrapping_add(2), Phase::Fetch, now, bus)
    }

    /// The first cycle of a load or store.
    #[inline(always)]
    fn transfer(&mut self, lane: &mut Lane, op: &Op, address: u32, phase: Phase, now: Cycle, bus: &mut Bus) -> bool {
        self.pass(lane);
        lane.register = op.d as u8;
        lane.width = op.width;
        lane.phase = phase;
        lane.address = address;
        if address & op.width.misaligned() == 0
            && let Some((slave, index)) = bus.at_once(address, phase == Phase::Store, now)
        {
            lane.slave = slave;
            lane.index = index;
            return true;
        }
        lane.put_back(self, now);
        self.address = address;
        self.post_transfer(op, address, phase);
        lane.leave_to(self, now);
        true
    }

    /// LDM, POP, STM, PUSH go on.
    #[inline(always)]
    fn next_element(&mut self, lane: &mut Lane, phase: Phase, now: Cycle, bus: &mut Bus) -> bool {
        let address = lane.address.wrapping_add(4);
        if self.list == 1 << 15 || now >= self.attention {
            lane.put_back(self, now);
            self.post(address, phase);
            lane.leave_to(self, now);
            return true;
        }
        self.ask(lane, address, phase, now, bus)
    }

    /// Instructions that are not worth a place in the hot loop. If all that one does in its first cycle is to ask for memory,
    /// the lane goes on with it.
    #[inline(never)]
    fn issue_rarely<const WATCH: bool>(&mut self, lane: &mut Lane, now: Cycle, bus: &mut Bus) -> bool {
        let halfword = lane.queue as u16;
        let op = &TABLE[usize::from(halfword)];
        let pc = lane.pc;
        self.pass(lane);
        lane.phase = Phase::Start;
        lane.put_back(self, now);
        self.post_internal(Phase::Start);
        if matches!(op.code, Code::Push | Code::Pop | Code::PopPc | Code::Stm | Code::Ldm) {
            self.address = self.reg(op.n);
        }
        let end = match op.code {
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
            _ => self.rare(op, pc, halfword),
        };
        if end == End::Boundary {
            self.post_internal(Phase::Start);
            *lane = Lane::of(self, now + 1);
            return lane.asks_nothing();
        }
        if self.t == now + 1 && self.phase == Phase::Target {
            // BL in an upper halfword.
            lane.pc = self.pc;
            lane.state = State::Refill;
            return lane.asks_nothing();
        }
        self.resume::<WATCH>(lane, now, bus)
    }

    /// Tells probes of a load or store.
    #[inline(always)]
    fn see<const WATCH: bool>(&self, lane: &Lane, now: Cycle, bus: &mut Bus, write: bool, value: u32) {
        if WATCH {
            let pc = lane.pc.wrapping_sub(2);
            bus.watch.data(now, self.id, pc, lane.address, lane.width.bytes(), write, value);
        }
    }
}

/// The word that a lane is given.
#[inline(always)]
fn word(lane: &Lane, bus: &mut Bus) -> u32 {
    if lane.slave == Slave::Xip { bus.hit_flash(lane.address, lane.index) } else { bus.memory.sram(lane.index) }
}
