//! The log of a quantum: which slave the speculative core requested in which cycle, what it has overwritten, and which cycles
//! arbitration cost both cores.

use crate::core::bus::{Arbiter, Slave};
use crate::core::profile::Masks;
use crate::engine::access_tags::AccessTag;
use crate::engine::contended_sets::{ContendedSets, PATIENCE};
use crate::engine::fast_bus::FastBus;
use crate::engine::known_registers::KnownRegisters;
use crate::engine::trace::Trace;

/// Number of the first cycle of a quantum. Lower numbers stand for grants before it.
pub(crate) const FIRST: u32 = 2;
/// Cycles that the log has room for: a power of two, so that an index needs no check.
pub(crate) const LOG_CYCLES: usize = crate::core::profile::LOG_CYCLES;
/// Slaves that it has room for, likewise.
pub(crate) const SLAVES: usize = 16;
/// No slave is requested.
pub(crate) const NO_SLAVE: u8 = 15;

/// What native code needs to know of the chip. Addresses are the host's.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct NativeContext {
    /// The cycle of the quantum.
    pub clock: u32,
    /// Instructions, times 2^16, and hits in the flash cache. There are fewer than `LOG_CYCLES` of each in a quantum.
    pub counts: u32,
    /// Words of RAM, and their access tags.
    pub ram: usize,
    /// See `ram`.
    pub tags: usize,
    /// The flash.
    pub flash: usize,
    /// How much of it there is.
    pub flash_bytes: u32,
    /// See `MruWords`.
    pub usable_from: u32,
    pub quantum: u32,
    pub mru: usize,
    /// Where code is.
    pub code: usize,
    /// Where BX or POP goes.
    pub target: u32,
    /// The offset of the code for that.
    pub target_code: u32,
    /// Where it is noted who accesses which word, if it is, and what is noted of this core: see `Touched`.
    pub touched: usize,
    pub touch: Masks,
}

/// A change at a core's I/O port that is the same at any time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IoChange {
    /// The cycle of the quantum.
    pub cycle: u32,
    pub address: u32,
    /// What is written; none if it is read.
    pub value: Option<u32>,
}

impl IoChange {
    /// Makes it, once more, for a core.
    pub fn make<B: FastBus>(self, bus: &mut B, core: u8) {
        match self.value {
            Some(value) => bus.write_event_free_io(core, self.address, value, 0),
            None => {
                bus.read_event_free_io(core, self.address, 0);
            }
        }
    }
}

/// Cycles in which an earlier request is looked for before all later ones are gone through.
const NEAR: u32 = 64;

/// See the module's description. Native code reads and writes it, too.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct BusGrantLog {
    /// The core stops before this cycle.
    pub end: u32,
    /// The cycle that will be the last one in time, unless the speculative core loses more cycles: `end` is not behind it.
    pub limit: u32,
    /// Cycles of the chip from the beginning of the quantum to `limit`.
    pub time: u32,
    /// The tags of words that the speculative core has read, and written.
    pub read: AccessTag,
    pub written: AccessTag,
    /// What native code needs to know of the chip.
    pub(crate) native: NativeContext,
    /// What the speculative core has read and changed of what both cores share at their I/O ports ([`FastBus::shared_io`]).
    pub io_read: u64,
    pub io_changed: u64,
    /// What of it ended the quantum, as both cores change it; and what did so of late, for which the speculative core stops.
    pub io_refused: u64,
    pub io_contended: u64,
    /// How the speculative core has changed it, in order; and how many of these changes the replaying core has come by.
    pub io_changes: Vec<IoChange>,
    pub io_passed: usize,
    /// The core that speculates.
    pub speculative: u8,
    /// Words that the speculative core has overwritten.
    pub(crate) overwritten: u32,
    /// By slave, the cycle of the speculative core's last request; 0 if there is none.
    pub last_requested: [u32; SLAVES],
    /// By slave, the cycle in which it was last granted to the replaying core; before the quantum: 1 if that core had it last.
    pub last_granted: [u32; SLAVES],
    /// By slave, cycles that the replaying core has lost to the speculative core, and the other way round.
    pub lost: [u32; SLAVES],
    pub speculative_lost: [u32; SLAVES],
    /// By slave, the cycle in which it was granted to another master than a core, and to which one, if no core had it afterwards as
    /// far as lock-step knows; cycle 0 if there is none.
    pub transferred: [(u32, u8); SLAVES],
    /// The last cycle that the speculative core has lost to such a master.
    pub stalled_at: u32,
    /// Registers that native code may access.
    pub(crate) registers: KnownRegisters,
    pub(crate) contended: ContendedSets,
    /// By cycle, the number of the slave that the speculative core requested.
    pub(crate) requested: [u8; LOG_CYCLES],
    /// By cycle, the speculative core's previous request of the same slave; 0 if there is none in this quantum.
    pub(crate) previous_request: [u16; LOG_CYCLES],
    /// Words that the speculative core has overwritten, in order: index in RAM and old value.
    pub(crate) overwrites: [(u32, u32); LOG_CYCLES],
    /// What is to be told to a profile, if there is one.
    pub(crate) trace: Trace,
}

impl BusGrantLog {
    #[allow(clippy::large_stack_arrays)] // once, and not too large
    pub fn new() -> Box<Self> {
        Box::new(Self {
            end: 0,
            limit: 0,
            time: 0,
            read: 0,
            written: 0,
            native: NativeContext::default(),
            registers: KnownRegisters::default(),
            contended: ContendedSets::new(PATIENCE),
            io_read: 0,
            io_changed: 0,
            io_refused: 0,
            io_contended: 0,
            io_changes: Vec::new(),
            io_passed: 0,
            speculative: 0,
            overwritten: 0,
            last_requested: [0; SLAVES],
            last_granted: [0; SLAVES],
            lost: [0; SLAVES],
            speculative_lost: [0; SLAVES],
            transferred: [(0, 0); SLAVES],
            stalled_at: 0,
            requested: [NO_SLAVE; LOG_CYCLES],
            previous_request: [0; LOG_CYCLES],
            overwrites: [(0, 0); LOG_CYCLES],
            trace: Trace::new(),
        })
    }

    /// Begins speculation up to cycle `end`, at most `LOG_CYCLES`.
    pub fn speculate(&mut self, end: u32) {
        self.end = end;
        self.overwritten = 0;
        (self.io_read, self.io_changed, self.io_passed) = (0, 0, 0);
        self.io_changes.clear();
        self.last_requested = [0; SLAVES];
    }

    /// Begins the replay. `had` says for each slave whether it was last granted to the replaying core.
    pub fn replay(&mut self, had: impl Fn(usize) -> bool) {
        self.last_granted = std::array::from_fn(|slave| u32::from(had(slave)));
        self.lost = [0; SLAVES];
        self.speculative_lost = [0; SLAVES];
        self.transferred = [(0, 0); SLAVES];
        self.stalled_at = 0;
    }

    /// The replay goes up to cycle `end`, or less where more than `time` cycles of the chip would have passed since the quantum
    /// began.
    pub fn set_limit(&mut self, end: u32, time: u32) {
        self.time = time;
        self.limit = FIRST + time - self.speculative_lost.iter().sum::<u32>();
        self.end = end.min(self.limit);
    }

    /// Records a request of the speculative core; `NO_SLAVE` for a cycle without one.
    #[inline(always)]
    pub fn record(&mut self, cycle: u32, slave: u8) {
        let at = cycle as usize & (LOG_CYCLES - 1);
        let last = &mut self.last_requested[slave as usize & (SLAVES - 1)];
        self.requested[at] = slave;
        self.previous_request[at] = *last as u16;
        *last = cycle;
    }

    /// Whether the speculative core requested a slave in a cycle.
    #[inline(always)]
    pub fn collides(&self, cycle: u32, slave: Slave) -> bool {
        self.requested[cycle as usize & (LOG_CYCLES - 1)] == slave.0
    }

    /// Whether the speculative core has lost a cycle and asks for the same again in this one.
    pub fn speculative_waits(&self, cycle: u32) -> bool {
        let slave = Slave(self.requested[cycle as usize & (LOG_CYCLES - 1)]);
        self.is_stalled(cycle) || slave.is_shared() && self.last_granted[slave.number()] == cycle
    }

    /// Whether that was lost to another master than a core.
    pub fn is_stalled(&self, cycle: u32) -> bool {
        self.stalled_at == cycle
    }

    /// The speculative core loses a cycle to another master than a core.
    pub fn stall(&mut self, cycle: u32, slave: Slave) {
        self.speculative_lost[slave.number()] += 1;
        self.limit -= 1;
        self.stalled_at = cycle;
    }

    /// A slave is granted to another master than a core. Then it is core 0's turn.
    pub fn note_transfer(&mut self, cycle: u32, slave: Slave, master: u8) {
        self.last_granted[slave.number()] = if self.speculative == 0 { cycle } else { 0 };
        self.transferred[slave.number()] = (cycle, master);
    }

    /// A slave is granted to the replaying core in lock-step.
    pub fn note_grant(&mut self, cycle: u32, slave: Slave) {
        self.last_granted[slave.number()] = cycle;
        self.forget_transfer(slave);
    }

    /// The replaying core has got a slave in lock-step, maybe in the cycle of the quantum in which another master had it before.
    pub fn forget_transfer(&mut self, slave: Slave) {
        self.transferred[slave.number()].0 = 0;
    }

    /// Who was granted a slave last before a cycle, when the speculative core had requested it since the others had it, or not;
    /// none if nobody was in this quantum.
    pub fn last_master(&self, slave: Slave, requested_since: impl Fn(u32) -> bool) -> Option<u8> {
        let (transferred, master) = self.transferred[slave.number()];
        let last = self.last_granted[slave.number()];
        if requested_since(last.max(transferred).max(FIRST)) {
            Some(self.speculative)
        } else if transferred != 0 && last <= transferred {
            Some(master)
        } else {
            (last >= FIRST).then_some(self.speculative ^ 1)
        }
    }

    /// Who gets a slave in a cycle that all `asking` request, among them another master than a core.
    pub fn arbitrate(&self, cycle: u32, slave: Slave, asking: u8, arbiter: &mut Arbiter) -> u8 {
        if asking.is_power_of_two() {
            return asking.trailing_zeros() as u8;
        }
        let requested_since = |from: u32| self.requested[from as usize..cycle as usize].contains(&slave.0);
        if let Some(last) = self.last_master(slave, requested_since) {
            arbiter.grant(last, slave);
        }
        arbiter.arbitrate(slave, asking)
    }

    /// The speculative core's next change at its I/O port, if it comes before what the replaying core does there in a cycle: in
    /// one cycle core 0 comes first, and who waits for the bus has had the port in the first cycle of its wait.
    pub fn pass_io_change(&mut self, cycle: u32) -> Option<IoChange> {
        let change = *self.io_changes.get(self.io_passed)?;
        let passed =
            change.cycle < cycle || change.cycle == cycle && (self.speculative == 0 || self.speculative_waits(cycle));
        self.io_passed += usize::from(passed);
        passed.then_some(change)
    }

    /// The speculative core's last request of a slave before a cycle, of those up to `last`; 0 if there is none in this quantum.
    pub fn last_requested_before(&self, slave: Slave, cycle: u32, last: u32) -> u32 {
        if last < cycle {
            return last;
        }
        // Mostly there is one near; from the last one on, there may be thousands of steps.
        let mut near = cycle.saturating_sub(NEAR).max(FIRST)..cycle;
        if let Some(request) = near.rfind(|&near| self.collides(near, slave)) {
            return request;
        }
        let mut request = last;
        while request >= cycle {
            request = u32::from(self.previous_request[request as usize & (LOG_CYCLES - 1)]);
        }
        request
    }

    /// Whether the replaying core waits in a cycle in which both request the same slave: round robin makes the core wait that had
    /// it last.
    #[inline(always)]
    pub fn waits(&self, cycle: u32, slave: Slave) -> bool {
        let before = u32::from(self.previous_request[cycle as usize & (LOG_CYCLES - 1)]);
        self.last_granted[slave.number() & (SLAVES - 1)] > before
    }

    /// The replaying core requests a slave that the speculative core may have requested, too. The time after the cycle in which it
    /// is granted. (Without a branch: collisions are hard to predict.)
    #[inline(always)]
    pub fn collide(&mut self, cycle: u32, slave: Slave) -> u32 {
        let number = slave.number() & (SLAVES - 1);
        let waits = u32::from(self.collides(cycle, slave) & self.waits(cycle, slave));
        self.lost[number] += waits;
        let got = cycle + waits;
        self.last_granted[number] = got;
        // After a wait it is the replaying core's turn, if the speculative core requests it again.
        let speculative_waits = u32::from(self.collides(got, slave));
        self.speculative_lost[number] += speculative_waits;
        self.limit -= speculative_waits;
        self.end = self.end.min(self.limit);
        got + 1 - speculative_waits
    }

    /// Records that the speculative core overwrites a word of RAM that held `old`.
    #[inline(always)]
    pub fn record_overwrite(&mut self, index: u32, old: u32) {
        self.overwrites[self.overwritten as usize & (LOG_CYCLES - 1)] = (index, old);
        self.overwritten += 1;
    }

    /// Words that the speculative core has overwritten, last first: index and old value.
    pub fn overwrites(&self) -> impl Iterator<Item = (u32, u32)> {
        self.overwrites[..self.overwritten as usize].iter().rev().copied()
    }

    /// Lets native code go on from a cycle, which it advances.
    pub fn run_native(&mut self, cycle: &mut u32, run: impl FnOnce(&mut Self)) {
        self.native.clock = *cycle;
        run(self);
        *cycle = self.native.clock;
    }
}
