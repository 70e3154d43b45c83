//! The serial interface to the flash: how long a word takes on the wire, and enough registers for a second stage boot
//! loader to set it up (DS 4.10).

use crate::core::diagnostics::Diagnostics;
use crate::core::time::Cycle;
use crate::rp2040::peripherals::aliased;
use std::collections::VecDeque;

/// Cycles of `clk_sys` that a transfer takes beside those of the serial clock: chip select, synchronisation, FIFO. Not
/// documented; assumed.
pub const OVERHEAD: Cycle = 4;
/// Divider that `boot2` sets unless a board says otherwise (pico-sdk, `boot2_w25q080.S`, `PICO_FLASH_SPI_CLKDIV`).
pub const BOOT2_DIVIDER: u32 = 4;
/// Depth of the FIFOs (DS 4.10.3).
const DEPTH: usize = 16;

/// `DW_apb_ssi`, as far as flash needs it.
#[derive(Clone, Debug, Hash)]
pub struct Ssi {
    ctrlr0: u32,
    ctrlr1: u32,
    enabled: bool,
    slave_enable: u32,
    baud: u32,
    sample_delay: u32,
    spi_ctrlr0: u32,
    /// Bytes received and not yet read.
    received: VecDeque<u32>,
    /// Command of the transaction under way.
    command: Option<u8>,
    busy_until: Cycle,
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
            received: VecDeque::new(),
            command: None,
            busy_until: 0,
        }
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

    /// Serial clocks of one 32-bit read in the present mode.
    pub fn transfer_clocks(&self) -> u32 {
        let lanes = match self.ctrlr0 >> 21 & 3 {
            1 => 2,
            2 => 4,
            _ => 1,
        };
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

    /// Wait states of `clk_sys` of a cache miss.
    pub fn transfer_cycles(&self) -> Cycle {
        let divider = if self.baud == 0 { BOOT2_DIVIDER } else { self.baud };
        Cycle::from(self.transfer_clocks() * divider) + OVERHEAD
    }

    pub(crate) fn read(&mut self, offset: u32, now: Cycle, diagnostics: &mut Diagnostics) -> u32 {
        match offset {
            0x00 => self.ctrlr0,
            0x04 => self.ctrlr1,
            0x08 => u32::from(self.enabled),
            0x10 => self.slave_enable,
            0x14 => self.baud,
            0x24 => self.received.len() as u32,
            // SR: TFE, TFNF, RFNE, BUSY. What is sent leaves the FIFO at once.
            0x28 => {
                6 | u32::from(!self.received.is_empty()) << 3
                    | u32::from(self.received.len() == DEPTH) << 4
                    | u32::from(now < self.busy_until)
            }
            0x58 => 0x5153_5049,
            0x5c => 0x3430_312a,
            0x60 => self.received.pop_front().unwrap_or(0),
            0xf0 => self.sample_delay,
            0xf4 => self.spi_ctrlr0,
            0x18..=0x20 | 0x2c..=0x48 => 0,
            _ => {
                diagnostics.unmodelled("SSI", offset, "reading", now);
                0
            }
        }
    }

    pub(crate) fn write(&mut self, offset: u32, value: u32, now: Cycle, diagnostics: &mut Diagnostics) {
        let set = |register: &mut u32, mask: u32| *register = aliased(offset, *register, value) & mask;
        match offset & 0xfc {
            0x00 => set(&mut self.ctrlr0, 0x017f_ffff),
            0x04 => set(&mut self.ctrlr1, 0xffff),
            0x08 => {
                self.enabled = aliased(offset, u32::from(self.enabled), value) & 1 != 0;
                self.received.clear();
                self.command = None;
            }
            0x10 => set(&mut self.slave_enable, 1),
            0x14 => set(&mut self.baud, 0xfffe),
            0x60 => self.send(value, now),
            0xf0 => set(&mut self.sample_delay, 0xff),
            0xf4 => set(&mut self.spi_ctrlr0, 0xff07_fb3f),
            0x18 | 0x1c | 0x2c | 0x4c..=0x54 | 0xf8 => {}
            other => diagnostics.unmodelled("SSI", other, "writing", now),
        }
    }

    /// One frame out, one frame in. A frame sent while none is under way or waiting begins a command.
    fn send(&mut self, value: u32, now: Cycle) {
        if !self.enabled {
            return;
        }
        if now >= self.busy_until && self.received.is_empty() {
            self.command = None;
        }
        let answer = match self.command {
            // Status register 2: quad enabled, so that boot2 need not set it; status register 1: idle.
            Some(0x35) => 2,
            _ => 0,
        };
        self.command.get_or_insert(value as u8);
        if self.received.len() < DEPTH {
            self.received.push_back(answer);
        }
        let bits = (self.ctrlr0 >> 16 & 31) + 1;
        self.busy_until = self.busy_until.max(now) + Cycle::from(bits * self.baud.max(2));
    }
}
