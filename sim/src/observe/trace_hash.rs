//! A number for a whole run: two runs with the same number did the same, cycle by cycle as far as the outside and
//! snapshots of the state can tell.

use crate::core::chip::Chip;
use crate::core::state_hash::StableHasher;
use crate::core::time::Cycle;
use crate::core::uart_frame::SentByte;
use std::hash::Hasher;

/// Slices of a run between two snapshots of the state, unless asked otherwise.
const SLICES: Cycle = 100;

/// The hash of a run: of the state of the chip at every multiple of an interval and at the end, and of every byte its
/// UARTs send, with its time. It does not depend on how the run is cut into calls of [`Chip::run_until`], as long as
/// one of them ends at each multiple.
#[derive(Clone, Debug)]
pub struct TraceHash {
    interval: Cycle,
    next: Cycle,
    states: StableHasher,
    uarts: Vec<StableHasher>,
}

impl TraceHash {
    /// Nothing of a chip of this kind yet.
    pub fn new<C: Chip>() -> Self {
        Self::with_interval::<C>(SLICES * C::SLICE)
    }

    /// The same with so much of the chip's time (at least 1) between two snapshots.
    pub fn with_interval<C: Chip>(interval: Cycle) -> Self {
        let interval = interval.max(1);
        let uarts = C::UARTS.iter().map(|_| StableHasher::default()).collect();
        Self { interval, next: interval, states: StableHasher::default(), uarts }
    }

    /// The time up to which the chip may run before `state` is to be called.
    pub fn next(&self) -> Cycle {
        self.next
    }

    /// Takes a snapshot if one is due.
    pub fn state(&mut self, chip: &impl Chip) {
        if chip.now() >= self.next {
            self.states.write_u64(chip.state_hash());
            self.next = (chip.now() / self.interval + 1).saturating_mul(self.interval);
        }
    }

    /// Takes note of what a UART has sent, in the order in which it did.
    pub fn sent(&mut self, uart: usize, bytes: &[SentByte]) {
        let Some(hash) = self.uarts.get_mut(uart) else { return };
        for sent in bytes {
            hash.write_u64(sent.at);
            hash.write_u8(sent.byte);
        }
    }

    /// The hash, with the present state as the last one.
    pub fn finish(&self, chip: &impl Chip) -> u64 {
        let mut whole = self.states.clone();
        whole.write_u64(chip.state_hash());
        for uart in &self.uarts {
            whole.write_u64(uart.finish());
        }
        whole.finish()
    }
}
