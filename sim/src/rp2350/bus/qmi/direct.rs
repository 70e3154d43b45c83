//! Direct mode: serial transfers that software makes, frame by frame (DS 12.14.5).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2::flash::{Flash, Surroundings, Times};
use crate::rp2350::bus::content::Content;
use crate::rp2350::bus::qmi::QMI;
use std::collections::VecDeque;

/// The Pico 2's W25Q32RV has 4 MB.
const FLASH_SIZE: u8 = 22;
/// Depth of the FIFOs (DS 12.14.6: levels of 3 bits).
const DEPTH: usize = 4;

/// Bits of `DIRECT_CSR` (DS 12.14.6).
const EN: u32 = 1 << 0;
const BUSY: u32 = 1 << 1;
const ASSERT_CS0N: u32 = 1 << 2;
const AUTO_CS0N: u32 = 1 << 6;
const TXFULL: u32 = 1 << 10;
const TXEMPTY: u32 = 1 << 11;
const TXLEVEL: u32 = 12;
const RXEMPTY: u32 = 1 << 16;
const RXFULL: u32 = 1 << 17;
const RXLEVEL: u32 = 18;
const CLKDIV: u32 = 22;
/// Bits that are written: the rest is state.
const WRITTEN: u32 = 0xffc0_00cd;

/// Bits of `DIRECT_TX`: the width on the pins, two bytes instead of one, and no answer.
const IWIDTH: u32 = 3 << 16;
const DWIDTH: u32 = 1 << 18;
const NOPUSH: u32 = 1 << 20;

type Around<'a> = Surroundings<'a, Content>;

/// `DIRECT_CSR`, the FIFOs and the flash. What is on the wire is caught up with when somebody looks.
#[derive(Clone, Debug, Hash)]
pub struct Direct {
    control: u32,
    /// What was written to `DIRECT_TX`, and when, as far as it is not on the wire.
    sent: VecDeque<(u32, Cycle)>,
    received: VecDeque<u32>,
    /// The wire has been free since then.
    free_at: Cycle,
    flash: Flash,
}

impl Default for Direct {
    fn default() -> Self {
        Self {
            control: 6 << CLKDIV,
            sent: VecDeque::new(),
            received: VecDeque::new(),
            free_at: 0,
            flash: Flash::new("flash", FLASH_SIZE),
        }
    }
}

impl Direct {
    /// After a reset of the chip: the flash is as it was, but for being selected.
    pub fn keep_flash(&mut self, old: Self) {
        self.flash = old.flash;
        self.flash.abandon();
    }

    /// How long the flash takes to erase and to program from now on.
    pub(crate) fn set_flash_times(&mut self, times: Times) {
        self.flash.set_times(times);
    }

    /// Whether flash cannot be read by addresses, because software has its pins: the bus answers with an error.
    pub fn has_pins(&self) -> bool {
        self.control & EN != 0
    }

    /// Whether flash can be read by addresses, and needs no look at what it does.
    pub fn is_at_rest(&self) -> bool {
        !self.has_pins() && !self.flash.may_work()
    }

    /// Whether the flash erases or programs.
    pub fn flash_works(&mut self, now: Cycle, clocks: &Clocks) -> bool {
        self.flash.works(now, clocks)
    }

    /// `DIRECT_CSR`, as far as it has been caught up with.
    pub fn control(&self) -> u32 {
        let flag = |is_set: bool, bits: u32| if is_set { bits } else { 0 };
        let (sent, received) = (self.sent.len(), self.received.len());
        self.control
            | flag(self.is_busy(), BUSY)
            | flag(sent == DEPTH, TXFULL)
            | flag(sent == 0, TXEMPTY)
            | (sent as u32) << TXLEVEL
            | flag(received == 0, RXEMPTY)
            | flag(received == DEPTH, RXFULL)
            | (received as u32) << RXLEVEL
    }

    fn is_busy(&self) -> bool {
        self.has_pins() && !self.sent.is_empty()
    }

    /// A write to `DIRECT_CSR`.
    pub(crate) fn set_control(&mut self, value: u32, now: Cycle, around: &mut Around<'_>) {
        self.advance(now, around);
        if value & EN != 0 && !self.has_pins() {
            self.free_at = self.free_at.max(now);
        }
        self.control = value & WRITTEN;
        self.select(now, around);
    }

    /// Lets the chip select follow what it depends on.
    fn select(&mut self, now: Cycle, around: &mut Around<'_>) {
        if self.control & ASSERT_CS0N != 0 || self.control & AUTO_CS0N != 0 && self.is_busy() {
            self.flash.select();
        } else {
            self.flash.deselect(now, around);
        }
    }

    /// What happened on the wire up to cycle `now`.
    pub(crate) fn advance(&mut self, now: Cycle, around: &mut Around<'_>) {
        let divisor = match self.control >> CLKDIV & 0xff {
            0 => 256,
            divisor => Cycle::from(divisor),
        };
        while self.has_pins()
            && let Some(&(frame, since)) = self.sent.front()
        {
            let (is_wide, is_serial) = (frame & DWIDTH != 0, frame & IWIDTH == 0);
            let bits = if is_wide { 16 } else { 8 };
            let end = self.free_at.max(since) + (bits >> (frame >> 16 & 3).min(2)) * divisor;
            // It waits for room for the answer.
            if end > now || frame & NOPUSH == 0 && self.received.len() == DEPTH {
                break;
            }
            let mut answer = 0;
            if is_serial {
                for byte in frame.to_be_bytes().into_iter().skip(if is_wide { 2 } else { 3 }) {
                    answer = answer << 8 | u32::from(self.flash.exchange(byte, end, around));
                }
            } else {
                around.diagnostics.ignored(QMI.name, "direct transfers over two or four lines", end);
            }
            self.sent.pop_front();
            self.free_at = end;
            if frame & NOPUSH == 0 {
                self.received.push_back(answer);
            }
            self.select(end, around);
        }
    }

    /// A write to `DIRECT_TX`; what finds no room is lost.
    pub(crate) fn send(&mut self, frame: u32, now: Cycle, around: &mut Around<'_>) {
        self.advance(now, around);
        if self.sent.len() < DEPTH {
            self.sent.push_back((frame, now));
            self.select(now, around);
        }
    }

    /// A read of `DIRECT_RX`.
    pub(crate) fn receive(&mut self, now: Cycle, around: &mut Around<'_>) -> u32 {
        self.advance(now, around);
        if self.received.len() == DEPTH {
            self.free_at = self.free_at.max(now);
        }
        self.received.pop_front().unwrap_or(0)
    }

    /// What a read of `DIRECT_RX` would give.
    pub fn peek_received(&self) -> u32 {
        self.received.front().copied().unwrap_or(0)
    }
}
