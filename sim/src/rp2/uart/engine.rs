//! What a UART does by itself: characters that leave, characters that arrive, and silence (datasheet 4.2.3, 4.2.6).

use crate::core::time::{Cycle, NEVER};
use crate::core::uart_frame::SentByte;
use crate::rp2::clock::Clocks;
use crate::rp2::uart::line::LineRate;
use crate::rp2::uart::{
    CR_LBE, CR_RXE, CR_TXE, LCR_H_BRK, OE, RIS_RT, RIS_RX, RIS_TX, SAMPLE_TICK, TICKS_PER_BIT, TIMEOUT_BITS, Uart,
    fifo_entry,
};

impl Uart {
    /// Carries out what is due up to `now`, in the order in which it happens.
    pub(super) fn run(&mut self, now: Cycle, clocks: &Clocks) {
        while self.event <= now {
            let at = self.event;
            self.finish_sending(at);
            self.start_receiving(at, clocks);
            self.finish_receiving(at);
            if self.timeout.is_some_and(|tick| self.baud16.cycle_of(tick) <= at) {
                self.timeout = None;
                self.ris |= RIS_RT;
            }
            self.start_sending(at);
            self.schedule(at);
        }
    }

    pub(crate) fn schedule(&mut self, now: Cycle) {
        let cycle = |tick: Option<u64>| tick.map_or(NEVER, |tick| self.baud16.cycle_of(tick));
        let mut event = cycle(self.shifting.map(|(_, end)| end)).min(cycle(self.timeout));
        match &self.arriving {
            Some((_, last_sample)) => event = event.min(cycle(Some(*last_sample))),
            None if self.listening() => event = event.min(self.line.next_start().unwrap_or(NEVER).max(now)),
            None => {}
        }
        self.event = event;
    }

    /// Whether the next character from the outside can begin: one that follows the UART waits until the receiver is on.
    fn listening(&self) -> bool {
        let ready = self.enabled(CR_RXE) && self.divisor >= 64 && self.peri > 0 && self.cr & CR_LBE == 0;
        ready || self.line.rate != LineRate::Follow
    }

    /// Moves a character to the shift register if that is free; its start bit begins with the next tick.
    pub(super) fn start_sending(&mut self, now: Cycle) {
        if self.shifting.is_some() || !self.enabled(CR_TXE) {
            return;
        }
        let Some(byte) = self.tx.pop_front() else { return };
        let follows = self.baud16.cycle_of(self.tx_free) == now;
        let begin = if follows { self.tx_free } else { self.baud16.count(now).saturating_add(1) };
        self.shifting = Some((byte, begin + u64::from(self.format().bits()) * TICKS_PER_BIT));
        // "based on a transition through a level, rather than on the level itself" (4.2.6.3)
        let level = if self.fifos_enabled() { self.interrupt_level(0) } else { 0 };
        if self.tx.len() == level {
            self.ris |= RIS_TX;
        }
    }

    fn finish_sending(&mut self, now: Cycle) {
        let Some((byte, end)) = self.shifting else { return };
        if self.baud16.cycle_of(end) > now {
            return;
        }
        self.shifting = None;
        self.tx_free = end;
        let format = self.format();
        let levels = if self.lcr_h & LCR_H_BRK != 0 { 0 } else { format.encode(byte) };
        let frame = format.decode(levels);
        if self.cr & CR_LBE == 0 {
            let rate = self.peri * 64 / (self.divisor.max(1) * TICKS_PER_BIT);
            let rate = if self.divisor < 64 { 0 } else { u32::try_from(rate).unwrap_or(u32::MAX) };
            self.sent.0.push(SentByte { at: now, byte: frame.data, rate });
        } else if self.enabled(CR_RXE) {
            self.receive(fifo_entry(frame), now);
        }
    }

    /// The level of the line that it sends on, in cycle `at`: high if nothing is sent. Breaks are low, and loop-back keeps it
    /// high (4.2.8).
    pub(crate) fn sends_high(&self, at: Cycle) -> bool {
        if self.cr & CR_LBE != 0 {
            return true;
        }
        if self.lcr_h & LCR_H_BRK != 0 {
            return false;
        }
        let Some((byte, begin)) = self.sending() else { return true };
        let ticks = self.baud16.count(at).checked_sub(begin);
        ticks.is_none_or(|ticks| self.format().encode(byte) >> (ticks / TICKS_PER_BIT).min(15) & 1 == 1)
    }

    /// The first cycle after `at` with which a bit begins of the character that is being sent.
    pub(crate) fn next_bit(&self, at: Cycle) -> Cycle {
        let Some((_, begin)) = self.sending().filter(|_| self.cr & CR_LBE == 0) else { return NEVER };
        let sent = (self.baud16.count(at) + 1).checked_sub(begin).map_or(0, |ticks| ticks.div_ceil(TICKS_PER_BIT));
        self.baud16.cycle_of(begin + sent * TICKS_PER_BIT)
    }

    /// Whether it sends a character.
    pub(crate) fn is_shifting(&self) -> bool {
        self.shifting.is_some()
    }

    /// The character in the shift register, and the tick at which its start bit begins.
    fn sending(&self) -> Option<(u8, u64)> {
        self.shifting.map(|(byte, end)| (byte, end.saturating_sub(u64::from(self.format().bits()) * TICKS_PER_BIT)))
    }

    fn start_receiving(&mut self, now: Cycle, clocks: &Clocks) {
        let due = self.line.next_start().is_some_and(|start| start <= now);
        if self.arriving.is_some() || !due || !self.listening() {
            return;
        }
        let format = self.format();
        let Some(arriving) = self.line.start(now, clocks, (format, self.bit_time())) else { return };
        if self.enabled(CR_RXE) && self.cr & CR_LBE == 0 && self.divisor >= 64 && self.peri > 0 {
            let samples = u64::from(format.sampled_bits() - 1) * TICKS_PER_BIT + SAMPLE_TICK;
            self.arriving = Some((arriving, self.baud16.count(now) + samples));
        }
    }

    fn finish_receiving(&mut self, now: Cycle) {
        let Some((arriving, last_sample)) = self.arriving else { return };
        if self.baud16.cycle_of(last_sample) > now {
            return;
        }
        self.arriving = None;
        let format = self.format();
        let mut levels = 0;
        for index in 0..format.sampled_bits() {
            let back = u64::from(format.sampled_bits() - 1 - index) * TICKS_PER_BIT;
            let at = self.baud16.cycle_of(last_sample.saturating_sub(back));
            levels |= u16::from(arriving.level(index, at)) << index;
        }
        // A start bit that is gone when it is sampled was none (4.2.3.2.2).
        if levels & 1 == 0 && self.enabled(CR_RXE) {
            self.receive(fifo_entry(format.decode(levels)), now);
        }
    }

    fn receive(&mut self, mut entry: u16, now: Cycle) {
        if self.rx.len() >= self.depth() {
            self.overrun = true;
            self.rsr |= u32::from(OE >> 8);
            self.ris |= u32::from(OE >> 1);
            return;
        }
        if std::mem::take(&mut self.overrun) {
            entry |= OE;
        }
        self.ris |= u32::from(entry >> 1) & 0x380;
        self.rx.push_back(entry);
        let level = if self.fifos_enabled() { self.interrupt_level(3) } else { 1 };
        if self.rx.len() >= level {
            self.ris |= RIS_RX;
        }
        self.timeout = Some(self.baud16.count(now) + TIMEOUT_BITS * TICKS_PER_BIT);
    }
}
