//! The serial interface to the flash: how long a word takes on the wire, and commands to the flash byte by byte (DS 4.10).

use crate::core::time::Cycle;
use crate::rp2::clock::Clocks;
use crate::rp2::flash::{Flash, Surroundings, Times};
use crate::rp2::registration::aliased;
use crate::rp2040::bus::memory::Memory;
use std::collections::VecDeque;

/// Cycles of `clk_sys` that a transfer takes beside those of the serial clock: chip select, synchronisation, FIFO. Not
/// documented; assumed.
pub const OVERHEAD: Cycle = 4;
/// Divider that `boot2` sets unless a board says otherwise (pico-sdk, `boot2_w25q080.S`, `PICO_FLASH_SPI_CLKDIV`).
pub const BOOT2_DIVIDER: u32 = 4;
/// The Pico's W25Q16JV has 2 MB.
const FLASH_SIZE: u8 = 21;
/// Depth of the FIFOs (DS 4.10.3).
const DEPTH: usize = 16;
/// `CTRLR0.TMOD` (DS 4.10.13); above them is EEPROM read.
const TRANSMIT_ONLY: u32 = 1;
const RECEIVE_ONLY: u32 = 2;

/// `DW_apb_ssi`, as far as flash needs it. What is on the wire is caught up with when somebody looks.
#[derive(Clone, Debug, Hash)]
pub struct Ssi {
    ctrlr0: u32,
    ctrlr1: u32,
    enabled: bool,
    slave_enable: u32,
    baud: u32,
    sample_delay: u32,
    spi_ctrlr0: u32,
    /// Frames in the transmit FIFO and, in front, on the wire.
    sent: VecDeque<Frame>,
    /// Frames received and not yet read.
    received: VecDeque<u32>,
    /// What the pin's override says instead of the SSI: whether the flash is selected (DS 2.19.2).
    forced: Option<bool>,
    flash: Flash,
    /// `OVERHEAD`, or what it is altered to.
    pub(in crate::rp2040) overhead: Cycle,
}

/// A frame that is sent, and when it has been.
#[derive(Clone, Copy, Debug, Hash)]
struct Frame {
    value: u32,
    end: Cycle,
}

impl Ssi {
    pub(crate) fn new() -> Self {
        Self {
            ctrlr0: 0,
            ctrlr1: 0,
            enabled: false,
            slave_enable: 0,
            baud: 0,
            sample_delay: 0,
            spi_ctrlr0: 0x0300_0000,
            sent: VecDeque::new(),
            received: VecDeque::new(),
            forced: None,
            flash: Flash::new("flash", FLASH_SIZE),
            overhead: OVERHEAD,
        }
    }

    /// After a reset of the chip: the flash is as it was, but for being selected.
    pub(in crate::rp2040) fn keep_flash(&mut self, old: Self) {
        self.flash = old.flash;
        self.flash.abandon();
    }

    /// How long the flash takes to erase and to program from now on.
    pub(in crate::rp2040) fn set_flash_times(&mut self, times: Times) {
        self.flash.set_times(times);
    }

    pub(in crate::rp2040) fn flash_times(&self) -> Times {
        self.flash.times()
    }

    /// Sets what `boot2_w25q080` sets, with the given (even) divider: quad, 8 clocks of address and mode, 4 of waiting.
    pub fn configure(&mut self, divider: u32) {
        self.baud = divider.max(2) & !1;
        self.ctrlr0 = 2 << 21 | 31 << 16 | 3 << 8;
        self.ctrlr1 = 0;
        self.spi_ctrlr0 = 0xa0 << 24 | 4 << 11 | 8 << 2 | 2;
        self.slave_enable = 1;
        self.enabled = true;
    }

    /// Whether a word could be read over the wire.
    pub fn is_configured(&self) -> bool {
        self.enabled && self.baud != 0
    }

    fn lanes(&self) -> u32 {
        match self.ctrlr0 >> 21 & 3 {
            1 => 2,
            2 => 4,
            _ => 1,
        }
    }

    /// Serial clocks of one 32-bit read in the present mode.
    pub fn transfer_clocks(&self) -> u32 {
        let lanes = self.lanes();
        let instruction = [0, 4, 8, 16][(self.spi_ctrlr0 >> 8 & 3) as usize];
        let address = (self.spi_ctrlr0 >> 2 & 15) * 4;
        let wait = self.spi_ctrlr0 >> 11 & 31;
        let (instruction_lanes, address_lanes) = match self.spi_ctrlr0 & 3 {
            0 => (1, 1),
            1 => (1, lanes),
            _ => (lanes, lanes),
        };
        // Standard SPI sends a command and 24 address bits as data frames.
        if lanes == 1 {
            return 32 + 32;
        }
        instruction / instruction_lanes + address / address_lanes + wait + 32 / lanes
    }

    /// How a word in the data register begins a read of many: how many words, the cycles to the first and from each to the
    /// next. None unless the word holds an address and nothing else is sent, over several lanes.
    pub fn bulk_read(&self) -> Option<(u32, Cycle, Cycle)> {
        let has_instruction = self.spi_ctrlr0 >> 8 & 3 != 0;
        if !self.is_configured() || self.lanes() == 1 || has_instruction || self.transfer_mode() < RECEIVE_ONLY {
            return None;
        }
        Some((self.ctrlr1 + 1, self.transfer_cycles(), Cycle::from(32 / self.lanes() * self.baud)))
    }

    /// Wait states of `clk_sys` of a cache miss.
    pub fn transfer_cycles(&self) -> Cycle {
        let divider = if self.baud == 0 { BOOT2_DIVIDER } else { self.baud };
        Cycle::from(self.transfer_clocks() * divider) + self.overhead
    }

    /// Whether frames go to the flash byte by byte: standard SPI, and not the transfers of XIP.
    fn is_serial(&self) -> bool {
        self.lanes() == 1 && self.transfer_mode() < RECEIVE_ONLY
    }

    /// Whether flash can be read over the wire: it is not given commands, and neither erases nor programs.
    pub(in crate::rp2040) fn serves_xip(&self, now: Cycle, clocks: &Clocks) -> bool {
        let commanded = self.enabled && self.baud != 0 && self.is_serial();
        !commanded && !self.flash.is_at_work(now, clocks)
    }

    fn transfer_mode(&self) -> u32 {
        self.ctrlr0 >> 8 & 3
    }

    /// What happened on the wire up to cycle `now`.
    fn advance(&mut self, now: Cycle, around: &mut Surroundings<'_, Memory>) {
        while let Some(frame) = self.sent.front().copied()
            && frame.end <= now
        {
            self.sent.pop_front();
            let serial = self.is_serial();
            let answer = if serial { self.flash.exchange(frame.value as u8, frame.end, around) } else { 0 };
            if self.received.len() < DEPTH && self.transfer_mode() != TRANSMIT_ONLY {
                self.received.push_back(u32::from(answer));
            }
            if self.sent.is_empty() && self.forced.is_none() {
                self.flash.deselect(frame.end, around);
            }
        }
    }

    /// The override of the chip select pin is written: whether the flash is selected by it, if it is not left to the SSI.
    pub(in crate::rp2040) fn force_select(
        &mut self,
        forced: Option<bool>,
        now: Cycle,
        around: &mut Surroundings<'_, Memory>,
    ) {
        if forced == self.forced {
            return;
        }
        self.advance(now, around);
        self.forced = forced;
        if forced.unwrap_or(!self.sent.is_empty()) {
            self.flash.select();
        } else {
            self.flash.deselect(now, around);
        }
    }

    pub(super) fn read(&mut self, offset: u32, now: Cycle, around: &mut Surroundings<'_, Memory>) -> u32 {
        self.advance(now, around);
        let waiting = self.sent.len().saturating_sub(1);
        match offset {
            0x00 => self.ctrlr0,
            0x04 => self.ctrlr1,
            0x08 => u32::from(self.enabled),
            0x10 => self.slave_enable,
            0x14 => self.baud,
            0x20 => waiting as u32,
            0x24 => self.received.len() as u32,
            // SR: BUSY, TFNF, TFE, RFNE, RFF.
            0x28 => {
                u32::from(!self.sent.is_empty())
                    | u32::from(waiting < DEPTH) << 1
                    | u32::from(waiting == 0) << 2
                    | u32::from(!self.received.is_empty()) << 3
                    | u32::from(self.received.len() == DEPTH) << 4
            }
            0x58 => 0x5153_5049,
            0x5c => 0x3430_312a,
            0x60 => self.received.pop_front().unwrap_or(0),
            0xf0 => self.sample_delay,
            0xf4 => self.spi_ctrlr0,
            0x18 | 0x1c | 0x2c..=0x54 => 0,
            _ => {
                around.diagnostics.unmodelled("SSI", offset, "reading", now);
                0
            }
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, now: Cycle, around: &mut Surroundings<'_, Memory>) {
        self.advance(now, around);
        let set = |register: &mut u32, mask: u32| *register = aliased(offset, *register, value) & mask;
        match offset & 0xfc {
            0x00 => set(&mut self.ctrlr0, 0x017f_ffff),
            0x04 => set(&mut self.ctrlr1, 0xffff),
            0x08 => {
                self.enabled = aliased(offset, u32::from(self.enabled), value) & 1 != 0;
                self.sent.clear();
                self.received.clear();
                if self.forced.is_none() {
                    self.flash.deselect(now, around);
                }
            }
            0x10 => set(&mut self.slave_enable, 1),
            0x14 => set(&mut self.baud, 0xfffe),
            0x60 => self.send(value, now, around),
            0xf0 => set(&mut self.sample_delay, 0xff),
            0xf4 => set(&mut self.spi_ctrlr0, 0xff07_fb3f),
            0x18 | 0x1c | 0x2c | 0x4c..=0x54 | 0xf8 => {} // requests: `xip_stream/bulk_read.rs`
            other => around.diagnostics.unmodelled("SSI", other, "writing", now),
        }
    }

    /// Puts a frame into the FIFO. The flash is selected while there are any.
    fn send(&mut self, value: u32, now: Cycle, around: &mut Surroundings<'_, Memory>) {
        if !self.enabled || self.sent.len() > DEPTH {
            return;
        }
        if self.lanes() == 1 && self.transfer_mode() >= RECEIVE_ONLY {
            let what = "transfers of its data register that only receive, or read as from an EEPROM";
            around.diagnostics.ignored("SSI", what, now);
        }
        if self.forced.is_none() && self.is_serial() {
            self.flash.select();
        }
        let begin = self.sent.back().map_or(now, |frame| frame.end);
        let bits = (self.ctrlr0 >> 16 & 31) + 1;
        self.sent.push_back(Frame { value, end: begin + Cycle::from(bits * self.baud.max(2)) });
    }
}
