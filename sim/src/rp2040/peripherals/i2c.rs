//! The serial buses I2C0 and I2C1, Synopsys `DW_apb_i2c` (datasheet 4.3), byte by byte: a byte and its acknowledgement take nine
//! periods of SCL; the levels of the lines within it are not there.

pub mod device;
mod master;
pub mod slave;

use crate::core::time::{Cycle, NEVER};
use crate::rp2::clock::Clocks;
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::{Block, Context, Dreq, Effect, Peripheral};
use device::Device;
use master::{Answering, Step};
use slave::Role;
use std::collections::VecDeque;

/// Register offsets (4.3.17).
const CON: u32 = 0x00;
const TAR: u32 = 0x04;
const SAR: u32 = 0x08;
const DATA_CMD: u32 = 0x10;
const SS_SCL_HCNT: u32 = 0x14;
const FS_SCL_LCNT: u32 = 0x20;
const INTR_STAT: u32 = 0x2c;
const INTR_MASK: u32 = 0x30;
const RAW_INTR_STAT: u32 = 0x34;
const RX_TL: u32 = 0x38;
const TX_TL: u32 = 0x3c;
const CLR_INTR: u32 = 0x40;
const CLR_RX_UNDER: u32 = 0x44;
const CLR_GEN_CALL: u32 = 0x68;
const ENABLE: u32 = 0x6c;
const STATUS: u32 = 0x70;
const TXFLR: u32 = 0x74;
const RXFLR: u32 = 0x78;
const SDA_HOLD: u32 = 0x7c;
const TX_ABRT_SOURCE: u32 = 0x80;
const SLV_DATA_NACK_ONLY: u32 = 0x84;
const DMA_CR: u32 = 0x88;
const DMA_TDLR: u32 = 0x8c;
const DMA_RDLR: u32 = 0x90;
const SDA_SETUP: u32 = 0x94;
const ACK_GENERAL_CALL: u32 = 0x98;
const ENABLE_STATUS: u32 = 0x9c;
const FS_SPKLEN: u32 = 0xa0;
const CLR_RESTART_DET: u32 = 0xa8;
const COMP_PARAM_1: u32 = 0xf4;
const COMP_VERSION: u32 = 0xf8;
const COMP_TYPE: u32 = 0xfc;

/// `CON` bits and its reset value.
const CON_MASTER: u32 = 1 << 0;
const CON_SPEED_STANDARD: u32 = 1;
const CON_RESTART_EN: u32 = 1 << 5;
const CON_SLAVE_DISABLE: u32 = 1 << 6;
const CON_TX_EMPTY_CTRL: u32 = 1 << 8;
const CON_10BIT_MASTER: u32 = 1 << 4;
const CON_MASK: u32 = 0x07ff;
const CON_RESET: u32 = 0x65;
/// `DATA_CMD` bits of a command, and the one of the first byte that was received.
const CMD_READ: u32 = 1 << 8;
const CMD_STOP: u32 = 1 << 9;
const CMD_RESTART: u32 = 1 << 10;
const FIRST_DATA_BYTE: u32 = 1 << 11;
/// Interrupts (4.3.17): bits of `RAW_INTR_STAT` and its like.
const RX_UNDER: u32 = 1 << 0;
const RX_OVER: u32 = 1 << 1;
const RX_FULL: u32 = 1 << 2;
const TX_OVER: u32 = 1 << 3;
const TX_EMPTY: u32 = 1 << 4;
const RD_REQ: u32 = 1 << 5;
const TX_ABRT: u32 = 1 << 6;
const RX_DONE: u32 = 1 << 7;
const ACTIVITY: u32 = 1 << 8;
const STOP_DET: u32 = 1 << 9;
const START_DET: u32 = 1 << 10;
const RESTART_DET: u32 = 1 << 12;
const INTR_MASK_RESET: u32 = 0x8ff;
const INTR_BITS: u32 = 0x1fff;
/// What a read of `CLR_RX_UNDER` and the registers behind it clears.
const CLEARED: [u32; 10] =
    [RX_UNDER, RX_OVER, TX_OVER, RD_REQ, TX_ABRT, RX_DONE, ACTIVITY, STOP_DET, START_DET, 1 << 11];
/// `TX_ABRT_SOURCE` bits.
const ABRT_7B_ADDR_NOACK: u32 = 1 << 0;
const ABRT_TXDATA_NOACK: u32 = 1 << 3;
const ABRT_GCALL_NOACK: u32 = 1 << 4;
const ABRT_SLVFLUSH_TXFIFO: u32 = 1 << 13;
const ABRT_USER: u32 = 1 << 16;
const TX_FLUSH_CNT_SHIFT: u32 = 23;
/// `ENABLE` bits.
const ENABLED: u32 = 1 << 0;
const ABORT: u32 = 1 << 1;
const BLOCKED: u32 = 1 << 2;
/// `DMA_CR` bits.
const RDMAE: u32 = 1 << 0;
const TDMAE: u32 = 1 << 1;

/// Entries of each FIFO (4.3).
const FIFO_DEPTH: usize = 16;
/// `I2C0`. Its request signals are those of its transmit and of its receive FIFO.
pub const I2C0: Block = Block {
    instance: "0",
    reset: 1 << 3,
    interrupts: &[Irq::I2c0 as u8],
    dreqs: &[32, 33],
    data: &[DATA_CMD, CLR_INTR, 0x44, 0x48, 0x4c, 0x50, 0x54, 0x58, 0x5c, 0x60, 0x64, CLR_GEN_CALL, CLR_RESTART_DET],
    lazy: true,
    effect: Effect::Talks,
    modelled: "master and slave with addresses of 7 bits: rates, FIFOs, restarts, aborts, interrupts, DMA requests; devices by `--i2c`; wires from one to the other",
    missing: "addresses of 10 bits, general calls, several masters, levels of its pins",
    ..Block::new("I2C", 0x4004_4000)
};
/// `I2C1`.
pub const I2C1: Block =
    Block { instance: "1", base: 0x4004_8000, reset: 1 << 4, interrupts: &[Irq::I2c1 as u8], dreqs: &[34, 35], ..I2C0 };

/// One `DW_apb_i2c`.
#[derive(Clone, Debug, Hash)]
pub struct I2c {
    irq: u8,
    con: u32,
    tar: u32,
    sar: u32,
    /// `SS_SCL_HCNT`, `SS_SCL_LCNT`, `FS_SCL_HCNT`, `FS_SCL_LCNT`.
    counts: [u32; 4],
    spike: u32,
    sda_hold: u32,
    sda_setup: u32,
    general_call: u32,
    mask: u32,
    /// Interrupts that stay until they are cleared.
    latched: u32,
    abort_source: u32,
    thresholds: [u32; 2],
    dma: u32,
    dma_levels: [u32; 2],
    enable: u32,
    tx: VecDeque<u32>,
    rx: VecDeque<u32>,
    step: Step,
    until: Cycle,
    /// The direction of the transfer under way, and whether it has brought a byte.
    reads: bool,
    has_first: bool,
    /// Who acknowledged its address.
    answering: Option<Answering>,
    devices: Vec<Device>,
    /// Both lines are wired to those of the other block.
    wired: bool,
    /// What the slave there has sent of the byte under way.
    incoming: u8,
    /// What it has not heard yet: `START_DET`, `RX_DONE`, `STOP_DET`.
    unheard: u32,
    role: Role,
}

impl I2c {
    /// Puts a device on the bus. False if there is one with its address.
    pub fn attach(&mut self, device: Device) -> bool {
        let is_free = self.devices.iter().all(|other| other.address() != device.address());
        if is_free {
            self.devices.push(device);
        }
        is_free
    }

    /// Takes over what is on the bus of a chip that is reset.
    pub(super) fn keep_devices(&mut self, old: &mut Self) {
        self.devices = std::mem::take(&mut old.devices);
    }

    fn is_enabled(&self) -> bool {
        self.enable & (ENABLED | BLOCKED) == ENABLED
    }

    /// Takes a byte, as a master or as a slave.
    fn receive(&mut self, byte: u8) {
        let first = if self.has_first { 0 } else { FIRST_DATA_BYTE };
        self.has_first = true;
        if self.rx.len() == FIFO_DEPTH {
            self.latched |= RX_OVER;
        } else {
            self.rx.push_back(u32::from(byte) | first);
        }
    }

    fn raw(&self) -> u32 {
        let [receive, transmit] = self.thresholds.map(|level| level as usize);
        let done = self.con & CON_TX_EMPTY_CTRL == 0 || !self.is_busy();
        let is_empty = self.enable & ENABLED != 0 && self.tx.len() <= transmit && done;
        self.latched | if self.rx.len() > receive { RX_FULL } else { 0 } | if is_empty { TX_EMPTY } else { 0 }
    }

    /// Whether it has to do with what is on the bus, as a master and as a slave.
    fn activity(&self) -> [bool; 2] {
        [!matches!(self.step, Step::Free), self.role.is_addressed()]
    }

    fn status(&self) -> u32 {
        let [active, addressed] = self.activity().map(u32::from);
        (active | addressed)
            | u32::from(self.tx.len() < FIFO_DEPTH) << 1
            | u32::from(self.tx.is_empty()) << 2
            | u32::from(!self.rx.is_empty()) << 3
            | u32::from(self.rx.len() == FIFO_DEPTH) << 4
            | active << 5
            | addressed << 6
    }

    fn write_command(&mut self, value: u32, now: Cycle) {
        // The FIFO stays empty until an abort is cleared; and so it does while the block is off.
        if self.enable & ENABLED == 0 || self.latched & TX_ABRT != 0 {
            return;
        }
        if self.tx.len() == FIFO_DEPTH {
            self.latched |= TX_OVER;
        } else {
            self.tx.push_back(value & 0x7ff);
            self.next_command(now);
        }
    }

    fn write_enable(&mut self, value: u32, now: Cycle) {
        let was_enabled = self.enable & ENABLED != 0;
        self.enable = value & (ENABLED | BLOCKED);
        if was_enabled && self.enable & ENABLED == 0 {
            // What was received stays to be read. A master that holds the bus keeps it, as the SDK's bursts need it: they set
            // `TAR` between two of them.
            self.tx.clear();
            self.role = Role::default();
            if self.step != Step::Held {
                self.step = Step::Free;
                self.latched &= !ACTIVITY;
            }
        } else if value & ABORT != 0 && !matches!(self.step, Step::Free | Step::Stop) {
            self.abort(ABRT_USER, now);
        }
        self.next_command(now);
    }

    /// What a read of a register clears.
    fn clear(&mut self, offset: u32) {
        let mut bits = match offset {
            CLR_INTR => INTR_BITS & !(RX_FULL | TX_EMPTY),
            CLR_RX_UNDER..=CLR_GEN_CALL => CLEARED[((offset - CLR_RX_UNDER) / 4) as usize],
            CLR_RESTART_DET => RESTART_DET,
            _ => return,
        };
        // What is still going on continues to be told (4.3.17, `CLR_ACTIVITY`).
        if self.activity() != [false; 2] {
            bits &= !ACTIVITY;
        }
        self.latched &= !bits;
        if bits & TX_ABRT != 0 {
            self.abort_source = 0;
        }
    }

    fn set_line(&self, context: &mut Context<'_>) {
        context.irq.set(self.irq, self.raw() & self.mask != 0);
    }
}

impl Peripheral for I2c {
    fn new(block: &'static Block) -> Self {
        Self {
            irq: block.interrupts[0],
            con: CON_RESET,
            tar: 0x55,
            sar: 0x55,
            counts: [0x28, 0x2f, 0x06, 0x0d],
            spike: 7,
            sda_hold: 1,
            sda_setup: 0x64,
            general_call: 1,
            mask: INTR_MASK_RESET,
            latched: 0,
            abort_source: 0,
            thresholds: [0; 2],
            dma: 0,
            dma_levels: [0; 2],
            enable: 0,
            tx: VecDeque::with_capacity(FIFO_DEPTH),
            rx: VecDeque::with_capacity(FIFO_DEPTH),
            step: Step::Free,
            until: 0,
            reads: false,
            has_first: false,
            answering: None,
            devices: Vec::new(),
            wired: false,
            incoming: 0,
            unheard: 0,
            role: Role::default(),
        }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        self.run(context.now);
        let value = self.peek(offset, context.now, context.clocks);
        if offset == DATA_CMD && self.rx.pop_front().is_none() {
            self.latched |= RX_UNDER;
        }
        self.clear(offset);
        self.set_line(context);
        value
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            CON => self.con,
            TAR => self.tar,
            SAR => self.sar,
            DATA_CMD => self.rx.front().copied().unwrap_or(0),
            SS_SCL_HCNT..=FS_SCL_LCNT => self.counts[((offset - SS_SCL_HCNT) / 4) as usize],
            INTR_STAT => self.raw() & self.mask,
            INTR_MASK => self.mask,
            RAW_INTR_STAT => self.raw(),
            RX_TL => self.thresholds[0],
            TX_TL => self.thresholds[1],
            CLR_INTR..=CLR_GEN_CALL | CLR_RESTART_DET | SLV_DATA_NACK_ONLY | COMP_PARAM_1 => 0,
            ENABLE => self.enable,
            STATUS => self.status(),
            TXFLR => self.tx.len() as u32,
            RXFLR => self.rx.len() as u32,
            SDA_HOLD => self.sda_hold,
            TX_ABRT_SOURCE => self.abort_source,
            DMA_CR => self.dma,
            DMA_TDLR | DMA_RDLR => self.dma_levels[((offset - DMA_TDLR) / 4) as usize],
            SDA_SETUP => self.sda_setup,
            ACK_GENERAL_CALL => self.general_call,
            ENABLE_STATUS => self.enable & ENABLED | u32::from(self.step == Step::Held),
            FS_SPKLEN => self.spike,
            COMP_VERSION => 0x3230_312a,
            COMP_TYPE => 0x4457_0140,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let now = context.now;
        self.run(now);
        match offset {
            CON => {
                self.con = value & CON_MASK;
                if (value & CON_SLAVE_DISABLE == 0) == (value & CON_MASTER != 0) {
                    let what =
                        "MASTER_MODE and IC_SLAVE_DISABLE differ, so that it is neither master nor slave (4.3.2.2)";
                    context.diagnostics.misuse(I2C0.name, offset, what, now);
                }
                for (is_set, what) in [
                    (value & CON_10BIT_MASTER != 0, "addresses of 10 bits of"),
                    (value & CON_RESTART_EN == 0, "transfers without restarts of"),
                ] {
                    if is_set {
                        context.diagnostics.unmodelled(I2C0.name, offset, what, now);
                    }
                }
            }
            TAR => {
                self.tar = value & 0xfff;
                if value & 0xc00 != 0 {
                    context.diagnostics.unmodelled(I2C0.name, offset, "general calls by", now);
                }
            }
            SAR => self.sar = value & 0x3ff,
            DATA_CMD => self.write_command(value, now),
            SS_SCL_HCNT..=FS_SCL_LCNT => self.counts[((offset - SS_SCL_HCNT) / 4) as usize] = value & 0xffff,
            INTR_MASK => self.mask = value & INTR_BITS,
            RX_TL => self.thresholds[0] = (value & 0xff).min(FIFO_DEPTH as u32),
            TX_TL => self.thresholds[1] = (value & 0xff).min(FIFO_DEPTH as u32),
            ENABLE => self.write_enable(value, now),
            SDA_HOLD => self.sda_hold = value & 0x00ff_ffff,
            DMA_CR => self.dma = value & 3,
            DMA_TDLR | DMA_RDLR => self.dma_levels[((offset - DMA_TDLR) / 4) as usize] = value & 0xf,
            SDA_SETUP => self.sda_setup = value & 0xff,
            ACK_GENERAL_CALL => self.general_call = value & 1,
            FS_SPKLEN => self.spike = value & 0xff,
            _ if offset <= COMP_TYPE => {}
            _ => context.diagnostics.unmodelled(I2C0.name, offset, "write to", now),
        }
        self.set_line(context);
    }

    fn next_event(&self) -> Cycle {
        if matches!(self.step, Step::Free | Step::Held | Step::Asks(..)) { NEVER } else { self.until }
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.run(context.now);
        self.set_line(context);
    }

    fn reset(&mut self, block: &'static Block, _context: &mut Context<'_>) {
        let mut old = std::mem::replace(self, Self::new(block));
        self.keep_devices(&mut old);
        self.wired = old.wired;
    }

    fn dreq(&self, line: usize, _now: Cycle) -> Dreq {
        let [transmit, receive] = self.dma_levels.map(|level| level as usize);
        if line == 0 {
            let asks = self.dma & TDMAE != 0 && self.tx.len() <= transmit;
            Dreq::Room(if asks { (FIFO_DEPTH - self.tx.len()) as u32 } else { 0 })
        } else {
            let asks = self.dma & RDMAE != 0 && self.rx.len() > receive;
            Dreq::Data(if asks { self.rx.len() as u32 } else { 0 })
        }
    }
}
