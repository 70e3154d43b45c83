//! A number for a whole run: two runs with the same number did the same, cycle by cycle as far as the outside and
//! snapshots of the state can tell.

use crate::core::state_hash::StableHasher;
use crate::core::time::Cycle;
use crate::rp2040::machine::Machine;
use crate::rp2040::peripherals::uart::SentByte;
use std::hash::Hasher;

/// Cycles between two snapshots of the state, unless asked otherwise.
pub const INTERVAL: Cycle = 10_000_000;

/// The hash of a run: of the state of the machine at every multiple of an interval and at the end, and of every byte its
/// UARTs send, with its cycle. It does not depend on how the run is cut into calls of [`Machine::run_until`], as long as
/// one of them ends at each multiple.
#[derive(Clone, Debug)]
pub struct TraceHash {
    interval: Cycle,
    next: Cycle,
    states: StableHasher,
    uarts: [StableHasher; 2],
}

impl Default for TraceHash {
    fn default() -> Self {
        Self::new(INTERVAL)
    }
}

impl TraceHash {
    /// Nothing yet, with so many cycles (at least 1) between two snapshots.
    #[must_use]
    pub fn new(interval: Cycle) -> Self {
        let interval = interval.max(1);
        Self { interval, next: interval, states: StableHasher::default(), uarts: Default::default() }
    }

    /// The cycle up to which the machine may run before `state` is to be called.
    #[must_use]
    pub fn next(&self) -> Cycle {
        self.next
    }

    /// Takes a snapshot if one is due.
    pub fn state(&mut self, machine: &Machine) {
        if machine.now() >= self.next {
            self.states.write_u64(machine.state_hash());
            self.next = (machine.now() / self.interval + 1).saturating_mul(self.interval);
        }
    }

    /// Takes note of what a UART has sent, in the order in which it did.
    pub fn sent(&mut self, uart: usize, bytes: &[SentByte]) {
        for sent in bytes {
            self.uarts[uart & 1].write_u64(sent.cycle);
            self.uarts[uart & 1].write_u8(sent.byte);
        }
    }

    /// The hash, with the present state as the last one.
    #[must_use]
    pub fn finish(&self, machine: &Machine) -> u64 {
        let mut whole = self.states.clone();
        whole.write_u64(machine.state_hash());
        for uart in &self.uarts {
            whole.write_u64(uart.finish());
        }
        whole.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Firmware that counts: ADDS r0, #1; STR r0, [sp]; B back.
    fn machine() -> Machine {
        let mut machine = Machine::new();
        assert!(machine.load(0x2000_0000, &[0x01, 0x30, 0x00, 0x90, 0xfc, 0xe7]));
        machine.start_core(0, 0x2000_0001, 0x2000_1000);
        machine
    }

    fn hash(cuts: &[Cycle], change: impl Fn(&mut Machine)) -> u64 {
        let (mut machine, mut hash) = (machine(), TraceHash::new(1000));
        for &cut in cuts {
            while machine.now() < cut {
                machine.run_until(cut.min(hash.next()));
                hash.state(&machine);
            }
            change(&mut machine);
        }
        hash.finish(&machine)
    }

    #[test]
    fn the_hash_does_not_depend_on_how_a_run_is_cut() {
        assert_eq!(hash(&[5000], |_| {}), hash(&[1, 17, 999, 1000, 2500, 4999, 5000], |_| {}));
        assert_ne!(hash(&[5000], |_| {}), hash(&[5001], |_| {}));
    }

    #[test]
    fn the_hash_tells_runs_apart_that_only_differed_for_a_while() {
        let short = |machine: &mut Machine| {
            let value = if machine.now() == 1500 { 7 } else { 0 };
            machine.load(0x2000_2000, &[value]);
        };
        assert_ne!(hash(&[1500, 2500, 5000], |_| {}), hash(&[1500, 2500, 5000], short));
    }

    #[test]
    fn a_byte_and_its_cycle_both_count() {
        let of = |uart, sent: &[SentByte]| {
            let mut hash = TraceHash::default();
            hash.sent(uart, sent);
            hash.finish(&machine())
        };
        let one = SentByte { cycle: 5, byte: 65, rate: 115_200 };
        let all = [
            of(0, &[]),
            of(0, &[one]),
            of(1, &[one]),
            of(0, &[SentByte { cycle: 6, ..one }]),
            of(0, &[SentByte { byte: 66, ..one }]),
        ];
        for (index, hash) in all.iter().enumerate() {
            assert!(!all[..index].contains(hash));
        }
    }
}
