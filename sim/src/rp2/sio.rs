//! What is the same of SIO on both chips: the FIFOs between the cores, and pins.

use crate::core::time::Cycle;

/// `FIFO_ST` bits (RP2040 datasheet 2.3.1.7, RP2350 datasheet 3.1.11).
pub(crate) const VLD: u32 = 1 << 0;
const RDY: u32 = 1 << 1;
pub(crate) const WOF: u32 = 1 << 2;
pub(crate) const ROE: u32 = 1 << 3;

/// Cycles from a FIFO access by one core until the other core sees the change. Not documented: one clock edge is
/// assumed, which also makes both directions behave alike whichever core is stepped first.
pub(crate) const FIFO_LATENCY: Cycle = 1;

/// One direction between the cores. The far end sees a push or pop one cycle later; since an end is used by one core
/// and a core makes one access per cycle, the cycle of the latest push and pop is all that has to be remembered.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Fifo<const DEPTH: usize> {
    entries: [u32; DEPTH],
    head: usize,
    len: usize,
    /// The first cycle in which the reader sees the latest push, and the writer the latest pop.
    pushed: Cycle,
    popped: Cycle,
    /// `FIFO_LATENCY`, or what it is altered to.
    pub latency: Cycle,
    /// It was written while it was full.
    pub wof: bool,
    /// It was read while it was empty.
    pub roe: bool,
}

impl<const DEPTH: usize> Default for Fifo<DEPTH> {
    fn default() -> Self {
        Self {
            entries: [0; DEPTH],
            head: 0,
            len: 0,
            pushed: 0,
            popped: 0,
            latency: FIFO_LATENCY,
            wof: false,
            roe: false,
        }
    }
}

impl<const DEPTH: usize> Fifo<DEPTH> {
    /// One of the same latency, as after reset.
    pub fn emptied(&self) -> Self {
        Self { latency: self.latency, ..Self::default() }
    }

    pub fn readable(&self, now: Cycle) -> usize {
        self.len - usize::from(now < self.pushed && self.len > 0)
    }

    pub fn push(&mut self, value: u32, now: Cycle) {
        if self.is_full(now) {
            self.wof = true;
            return;
        }
        self.entries[(self.head + self.len) % DEPTH] = value;
        self.len += 1;
        self.pushed = now.saturating_add(self.latency);
    }

    /// When the reader sees the latest push, if it does not yet.
    pub fn next_arrival(&self, now: Cycle) -> Option<Cycle> {
        (now < self.pushed).then_some(self.pushed)
    }

    /// What a read yields: when empty the old value at the read pointer, as a memory would give it (undocumented).
    pub fn front(&self) -> u32 {
        self.entries[self.head]
    }

    pub fn pop(&mut self, now: Cycle) -> u32 {
        let value = self.front();
        if self.readable(now) == 0 {
            self.roe = true;
            return value;
        }
        self.head = (self.head + 1) % DEPTH;
        self.len -= 1;
        self.popped = now.saturating_add(self.latency);
        value
    }

    pub fn is_full(&self, now: Cycle) -> bool {
        self.len + usize::from(now < self.popped) >= DEPTH
    }
}

/// `FIFO_ST` of the core that reads one FIFO and writes the other.
pub(crate) fn status<const DEPTH: usize>(incoming: &Fifo<DEPTH>, outgoing: &Fifo<DEPTH>, now: Cycle) -> u32 {
    let flag = |set: bool, bit: u32| if set { bit } else { 0 };
    flag(incoming.readable(now) > 0, VLD)
        | flag(!outgoing.is_full(now), RDY)
        | flag(outgoing.wof, WOF)
        | flag(incoming.roe, ROE)
}

/// The pins of one bank.
#[derive(Clone, Debug, Default, Hash)]
pub(crate) struct Pins {
    /// Levels.
    pub out: u32,
    /// Which of them are driven.
    pub oe: u32,
}

impl Pins {
    /// Reads a register by its number: four for the levels, then four for the enables.
    pub fn read(&self, register: u32) -> u32 {
        match register {
            0 => self.out,
            4 => self.oe,
            _ => 0, // SET, CLR and XOR are write-only
        }
    }

    /// Writes a register by its number.
    pub fn write(&mut self, register: u32, value: u32, mask: u32) {
        let target = if register < 4 { &mut self.out } else { &mut self.oe };
        *target = mask
            & match register % 4 {
                0 => value,
                1 => *target | value,
                2 => *target & !value,
                _ => *target ^ value,
            };
    }
}
