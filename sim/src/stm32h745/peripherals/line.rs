//! The far end of USART3's line: a terminal that sends and receives 8 bits without parity at one rate.

use crate::core::uart_frame::{Format, Frame};
use crate::stm32h745::{NEVER, SECOND, Time};
use std::collections::VecDeque;

/// Format at the far end.
const FORMAT: Format = Format::EIGHT_N_ONE;

/// A received character: the levels of its bits, the start bit in bit 0, and the baud rate that it was sent at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrived {
    levels: u16,
    rate: u32,
}

/// Characters on the line to the chip.
#[derive(Clone, Debug, Hash)]
pub struct Line {
    rate: u32,
    /// Characters, when their start bits begin, and when their stop bits end.
    waiting: VecDeque<(Arrived, Time, Time)>,
    free: Time,
}

impl Line {
    /// A line at a baud rate.
    #[must_use]
    pub fn new(rate: u32) -> Self {
        Self { rate: rate.max(1), waiting: VecDeque::new(), free: 0 }
    }

    /// Baud rate.
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// Changes the baud rate of characters sent from now on.
    pub fn set_rate(&mut self, rate: u32) {
        self.rate = rate.max(1);
    }

    /// Characters on their way.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Queues a character, to be sent not before a time. The bits set in `flipped` (bit 0: start bit) arrive inverted.
    pub fn send(&mut self, byte: u8, flipped: u16, not_before: Time) {
        let length = u64::from(FORMAT.bits()) * SECOND / u64::from(self.rate);
        let begin = self.free.max(not_before);
        self.free = begin.saturating_add(length);
        let levels = FORMAT.encode(byte) ^ flipped;
        self.waiting.push_back((Arrived { levels, rate: self.rate }, begin, self.free));
    }

    /// End of the next character.
    pub fn next_event(&self) -> Time {
        self.waiting.front().map_or(NEVER, |(_, _, end)| *end)
    }

    /// Whether the start bit of a character has begun by a time.
    pub fn is_busy(&self, at: Time) -> bool {
        self.waiting.front().is_some_and(|(_, begin, _)| *begin <= at)
    }

    /// Takes the next character that has ended by `now`, with its end.
    pub fn take(&mut self, now: Time) -> Option<(Arrived, Time)> {
        if self.next_event() <= now { self.waiting.pop_front().map(|(arrived, _, end)| (arrived, end)) } else { None }
    }
}

impl Arrived {
    /// Samples it in the middle of each bit; `bit` is the receiver's bit time in picoseconds, as a fraction.
    pub fn sampled(self, bit: (u128, u128), format: Format) -> Frame {
        let sampled = (0..format.sampled_bits()).fold(0, |sampled, index| {
            let half_bits = u128::from(2 * index + 1);
            let at = bit.0 * half_bits * u128::from(self.rate) / (2 * bit.1 * u128::from(SECOND));
            sampled | (self.levels >> at.min(15) & 1) << index
        });
        format.decode(sampled)
    }
}
