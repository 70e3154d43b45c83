//! The far end of a serial line: characters that the outside sends to a UART, at its own rate and with its own faults.

use crate::core::time::Cycle;
use crate::core::uart_frame::Format;
use crate::rp2::clock::Clocks;
use std::collections::VecDeque;

/// How the outside sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineRate {
    /// With the rate and format that the UART is set to, and not before its receiver is on: a terminal that fits.
    Follow,
    /// With this many bits per second, whatever the UART is set to; a receiver that is off loses what comes.
    Baud {
        /// Bits per second.
        rate: u32,
        /// How characters look.
        format: Format,
    },
}

/// A character on its way to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sent {
    byte: u8,
    /// Bits of the character, the start bit in bit 0, that arrive inverted.
    flipped: u16,
    not_before: Cycle,
}

/// Characters waiting to be sent by the outside, and when the line is free.
#[derive(Clone, Debug, Hash)]
pub struct Line {
    /// How the outside sends from now on.
    pub rate: LineRate,
    waiting: VecDeque<Sent>,
    free: Cycle,
}

/// A character whose start bit has begun.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Arriving {
    start: Cycle,
    levels: u16,
    /// Cycles per bit as a fraction; `None` if the line follows the receiver.
    bit: Option<(u64, u64)>,
}

impl Arriving {
    /// The level of the line when the receiver samples its bit `index`, at cycle `at`.
    pub fn level(&self, index: u32, at: Cycle) -> bool {
        let bit = match self.bit {
            None => u64::from(index),
            Some((numerator, denominator)) => {
                let bits = u128::from(at.saturating_sub(self.start)) * u128::from(denominator);
                (bits / u128::from(numerator.max(1))).min(15) as u64
            }
        };
        self.levels >> bit.min(15) & 1 == 1
    }
}

impl Default for Line {
    fn default() -> Self {
        Self { rate: LineRate::Follow, waiting: VecDeque::new(), free: 0 }
    }
}

impl Line {
    /// Puts a character behind those waiting; it starts when the line is free, not before `not_before`. The bits set in
    /// `flipped` (the start bit is bit 0) arrive inverted.
    pub fn send(&mut self, byte: u8, flipped: u16, not_before: Cycle) {
        self.waiting.push_back(Sent { byte, flipped, not_before });
    }

    /// Characters whose start bit has not begun.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Takes the characters whose start bit has not begun.
    pub fn take_waiting(&mut self) -> impl Iterator<Item = u8> {
        std::mem::take(&mut self.waiting).into_iter().map(|sent| sent.byte)
    }

    /// When the next character could start.
    pub fn next_start(&self) -> Option<Cycle> {
        self.waiting.front().map(|sent| sent.not_before.max(self.free))
    }

    /// Starts the next character at cycle `now`. `follow` is what the receiver is set to: the format, and the cycles that
    /// a bit takes as a fraction.
    pub fn start(&mut self, now: Cycle, clocks: &Clocks, follow: (Format, (u64, u64))) -> Option<Arriving> {
        let sent = self.waiting.pop_front()?;
        let (format, cycles, bit) = match self.rate {
            LineRate::Follow => (follow.0, follow.1, None),
            LineRate::Baud { rate, format } => {
                let cycles = (clocks.sys(), u64::from(rate.max(1)));
                (format, cycles, Some(cycles))
            }
        };
        let whole = u128::from(format.bits()) * u128::from(cycles.0);
        let length = u64::try_from(whole.div_ceil(u128::from(cycles.1.max(1)))).unwrap_or(u64::MAX);
        self.free = now.saturating_add(length);
        Some(Arriving { start: now, levels: format.encode(sent.byte) ^ sent.flipped, bit })
    }
}
