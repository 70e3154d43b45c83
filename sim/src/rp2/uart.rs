//! The UARTs, Arm PL011 (datasheet 4.2).
//!
//! All that happens on the line happens on ticks of `Baud16`, sixteen to a bit; they are counted from the moment the
//! divisors are set, so that bit times are exact to the cycle over any length.

mod engine;
pub mod line;

use crate::core::time::{Cycle, NEVER, Ticks};
use crate::core::uart_frame::{Format, Frame, Parity, SentByte};
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2::peripheral::{Block, Context, Dreq, Effect, Peripheral};
use line::{Arriving, Line};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// Register offsets (4.2.8).
const UARTDR: u32 = 0x000;
const UARTRSR: u32 = 0x004;
const UARTFR: u32 = 0x018;
const UARTILPR: u32 = 0x020;
const UARTIBRD: u32 = 0x024;
const UARTFBRD: u32 = 0x028;
const UARTLCR_H: u32 = 0x02c;
const UARTCR: u32 = 0x030;
const UARTIFLS: u32 = 0x034;
const UARTIMSC: u32 = 0x038;
const UARTRIS: u32 = 0x03c;
const UARTMIS: u32 = 0x040;
const UARTICR: u32 = 0x044;
const UARTDMACR: u32 = 0x048;
const UARTPERIPHID0: u32 = 0xfe0;
/// `UARTPERIPHID0-3` and `UARTPCELLID0-3` (4.2.8).
const IDENTIFICATION: [u8; 8] = [0x11, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

/// `UARTFR` bits.
const FR_BUSY: u32 = 1 << 3;
const FR_RXFE: u32 = 1 << 4;
const FR_TXFF: u32 = 1 << 5;
const FR_RXFF: u32 = 1 << 6;
const FR_TXFE: u32 = 1 << 7;
/// `UARTLCR_H` bits.
const LCR_H_BRK: u32 = 1 << 0;
const LCR_H_PEN: u32 = 1 << 1;
const LCR_H_EPS: u32 = 1 << 2;
const LCR_H_STP2: u32 = 1 << 3;
const LCR_H_FEN: u32 = 1 << 4;
const LCR_H_WLEN_SHIFT: u32 = 5;
const LCR_H_SPS: u32 = 1 << 7;
/// Error bits of `UARTDR`: framing, parity, break, overrun.
const FE: u16 = 1 << 8;
const PE: u16 = 1 << 9;
const BE: u16 = 1 << 10;
const OE: u16 = 1 << 11;
/// `UARTCR` bits.
const CR_UARTEN: u32 = 1 << 0;
const CR_SIREN: u32 = 1 << 1;
const CR_LBE: u32 = 1 << 7;
const CR_TXE: u32 = 1 << 8;
const CR_RXE: u32 = 1 << 9;
const CR_FLOW_CONTROL: u32 = 1 << 15 | 1 << 14;
const CR_MASK: u32 = 0xff87;
/// `UARTRIS` bits; those of the errors are bits 11:8 of `UARTDR` shifted down by one.
const RIS_RX: u32 = 1 << 4;
const RIS_TX: u32 = 1 << 5;
const RIS_RT: u32 = 1 << 6;
const RIS_MASK: u32 = 0x7ff;
/// `UARTDMACR` bits.
const DMACR_RXDMAE: u32 = 1 << 0;
const DMACR_TXDMAE: u32 = 1 << 1;

/// Entries of each FIFO (4.2.2).
pub const FIFO_DEPTH: usize = 32;
/// `Baud16` ticks of a bit, and after which one a bit is sampled (4.2.3.2.2).
const TICKS_PER_BIT: u64 = 16;
const SAMPLE_TICK: u64 = 8;
/// Bit periods of silence after which data is announced (4.2.6.4).
const TIMEOUT_BITS: u64 = 32;
/// FIFO levels that `UARTIFLS` selects (4.2.8): 1/8, 1/4, 1/2, 3/4, 7/8; reserved values act as the last.
const LEVELS: [usize; 8] = [4, 8, 16, 24, 28, 28, 28, 28];

/// What is the same of all UARTs. Their request signals are those of the transmit and of the receive FIFO.
pub const UART: Block = Block {
    clock: Clock::Peri,
    data: &[UARTDR],
    effect: Effect::Moves,
    modelled: "PL011: FIFOs, framing, parity, breaks, overruns, time-out, DMA requests, loop-back",
    missing: "flow control, modem lines, infrared",
    ..Block::new("UART", 0)
};

/// What left on the line: it is of the past, and may have been taken or not, so that it is no part of the state.
#[derive(Clone, Debug, Default)]
struct Sent(Vec<SentByte>);

impl Hash for Sent {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// One PL011.
#[derive(Clone, Debug, Hash)]
pub struct Uart {
    block: &'static Block,
    /// Rates of `clk_sys` and `clk_peri` in Hz.
    sys: u64,
    peri: u64,
    baud16: Ticks,
    ibrd: u32,
    fbrd: u32,
    /// 64 x the divisor, as latched by the last write to `UARTLCR_H`.
    divisor: u64,
    lcr_h: u32,
    cr: u32,
    ifls: u32,
    imsc: u32,
    ris: u32,
    dmacr: u32,
    ilpr: u32,
    rsr: u32,
    tx: VecDeque<u8>,
    /// The character in the shift register and the tick at which its last stop bit ends.
    shifting: Option<(u8, u64)>,
    /// The tick at which the last character ended: the next start bit may begin with it.
    tx_free: u64,
    sent: Sent,
    rx: VecDeque<u16>,
    overrun: bool,
    /// The line from the outside.
    pub line: Line,
    arriving: Option<(Arriving, u64)>,
    /// The tick at which received data is announced, if it is not read before.
    timeout: Option<u64>,
    event: Cycle,
}

impl Uart {
    /// Takes the characters that left on the line since the last call.
    pub fn take_sent(&mut self) -> Vec<SentByte> {
        std::mem::take(&mut self.sent.0)
    }

    /// The characters that left on the line and were not taken.
    pub fn sent(&self) -> &[SentByte] {
        &self.sent.0
    }

    /// Takes so many of those that left first.
    pub fn take_oldest(&mut self, count: usize) -> Vec<SentByte> {
        self.sent.0.drain(..count.min(self.sent.0.len())).collect()
    }

    /// Free places that DMA may fill; 0 if it is not asked to.
    fn tx_dma_room(&self) -> u32 {
        let asked = self.dmacr & DMACR_TXDMAE != 0 && self.cr & CR_UARTEN != 0;
        if asked { (self.depth() - self.tx.len().min(self.depth())) as u32 } else { 0 }
    }

    /// Characters that DMA may take; 0 if it is not asked to.
    fn rx_dma_words(&self) -> u32 {
        let asked = self.dmacr & DMACR_RXDMAE != 0 && self.cr & CR_UARTEN != 0;
        if asked { self.rx.len() as u32 } else { 0 }
    }

    fn enabled(&self, direction: u32) -> bool {
        self.cr & (CR_UARTEN | direction) == CR_UARTEN | direction
    }

    fn fifos_enabled(&self) -> bool {
        self.lcr_h & LCR_H_FEN != 0
    }

    fn depth(&self) -> usize {
        if self.fifos_enabled() { FIFO_DEPTH } else { 1 }
    }

    fn format(&self) -> Format {
        format(self.lcr_h)
    }

    /// A tick of `Baud16` comes every IBRD + FBRD / 64 cycles of `clk_peri` (4.2.3.2.1).
    fn set_baud16(&mut self, now: Cycle) {
        let rate = if self.divisor < 64 { 0 } else { self.peri * 64 };
        self.baud16.set_rate(now, rate, self.sys * self.divisor.max(1));
    }

    /// Cycles of `clk_sys` per bit, as a fraction.
    fn bit_time(&self) -> (u64, u64) {
        (self.sys * self.divisor * TICKS_PER_BIT, (self.peri * 64).max(1))
    }

    fn interrupt_level(&self, shift: u32) -> usize {
        LEVELS[(self.ifls >> shift & 7) as usize]
    }

    fn take_data(&mut self) {
        let Some(entry) = self.rx.pop_front() else { return };
        self.rsr = (self.rsr & u32::from(OE >> 8)) | u32::from((entry & !OE) >> 8);
        let level = if self.fifos_enabled() { self.interrupt_level(3) } else { 1 };
        if self.rx.len() < level {
            self.ris &= !RIS_RX;
        }
        if self.rx.is_empty() {
            self.ris &= !RIS_RT;
            self.timeout = None;
        }
    }

    fn write_data(&mut self, value: u32, context: &mut Context<'_>) {
        if self.tx.len() >= self.depth() {
            context.diagnostics.misuse(self.block.name, UARTDR, "written while the transmit FIFO is full", context.now);
            return;
        }
        self.tx.push_back(value as u8);
        let level = if self.fifos_enabled() { self.interrupt_level(0) } else { 0 };
        if self.tx.len() > level {
            self.ris &= !RIS_TX;
        }
        self.start_sending(context.now);
    }

    /// Whether it raises an interrupt for what it receives.
    pub fn listens(&self) -> bool {
        self.imsc & (RIS_RX | RIS_RT) != 0
    }

    /// Whether it has characters to send or is sending one: `UARTFR.BUSY` (datasheet 4.2.8).
    pub fn is_sending(&self) -> bool {
        self.shifting.is_some() || !self.tx.is_empty()
    }

    fn flags(&self) -> u32 {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        flag(self.is_sending(), FR_BUSY)
            | flag(self.rx.is_empty(), FR_RXFE)
            | flag(self.tx.len() >= self.depth(), FR_TXFF)
            | flag(self.rx.len() >= self.depth(), FR_RXFF)
            | flag(self.tx.is_empty(), FR_TXFE)
    }
}

impl Peripheral for Uart {
    fn new(block: &'static Block) -> Self {
        let clocks = Clocks::at_power_on();
        Self {
            block,
            sys: clocks.sys(),
            peri: clocks.peri(),
            baud16: Ticks::stopped(),
            ibrd: 0,
            fbrd: 0,
            divisor: 0,
            lcr_h: 0,
            cr: CR_TXE | CR_RXE,
            ifls: 0x12,
            imsc: 0,
            ris: 0,
            dmacr: 0,
            ilpr: 0,
            rsr: 0,
            tx: VecDeque::with_capacity(FIFO_DEPTH),
            shifting: None,
            tx_free: 0,
            sent: Sent::default(),
            rx: VecDeque::with_capacity(FIFO_DEPTH),
            overrun: false,
            line: Line::default(),
            arriving: None,
            timeout: None,
            event: NEVER,
        }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        self.run(context.now, context.clocks);
        let value = self.peek(offset, context.now, context.clocks);
        if offset == UARTDR {
            self.take_data();
            self.schedule(context.now);
        }
        context.irq.set(self.block.interrupts[0], self.ris & self.imsc != 0);
        value
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            UARTDR => self.rx.front().copied().map_or(0, u32::from),
            UARTRSR => self.rsr,
            UARTFR => self.flags(),
            UARTILPR => self.ilpr,
            UARTIBRD => self.ibrd,
            UARTFBRD => self.fbrd,
            UARTLCR_H => self.lcr_h,
            UARTCR => self.cr,
            UARTIFLS => self.ifls,
            UARTIMSC => self.imsc,
            UARTRIS => self.ris,
            UARTMIS => self.ris & self.imsc,
            UARTDMACR => self.dmacr,
            UARTPERIPHID0..=0xfff => u32::from(IDENTIFICATION[((offset - UARTPERIPHID0) / 4 % 8) as usize]),
            _ if offset <= UARTDMACR => 0,
            _ => return None,
        })
    }

    fn stays_until(&self, _offset: u32, _now: Cycle) -> Cycle {
        NEVER
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let now = context.now;
        self.run(now, context.clocks);
        match offset {
            UARTDR => self.write_data(value, context),
            UARTRSR => self.rsr = 0,
            UARTFR | UARTRIS | UARTMIS => {}
            UARTILPR => self.ilpr = value & 0xff,
            UARTIBRD => self.ibrd = value & 0xffff,
            UARTFBRD => self.fbrd = value & 0x3f,
            UARTLCR_H => {
                if self.fifos_enabled() && value & LCR_H_FEN == 0 {
                    self.tx.clear();
                    self.rx.clear();
                }
                self.lcr_h = value & 0xff;
                self.divisor = u64::from(self.ibrd << 6 | self.fbrd);
                self.set_baud16(now);
            }
            UARTCR => {
                self.cr = value & CR_MASK;
                if value & CR_SIREN != 0 {
                    context.diagnostics.unmodelled(self.block.name, offset, "infrared mode (SIREN) of", now);
                }
                if value & CR_FLOW_CONTROL != 0 {
                    context.diagnostics.unmodelled(self.block.name, offset, "flow control (RTSEN, CTSEN) by", now);
                }
                self.start_sending(now);
            }
            UARTIFLS => self.ifls = value & 0x3f,
            UARTIMSC => self.imsc = value & RIS_MASK,
            UARTICR => self.ris &= !value,
            UARTDMACR => self.dmacr = value & 7,
            _ => context.diagnostics.unmodelled(self.block.name, offset, "write to", now),
        }
        self.schedule(context.now);
        context.irq.set(self.block.interrupts[0], self.ris & self.imsc != 0);
    }

    fn next_event(&self) -> Cycle {
        self.event
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.run(context.now, context.clocks);
        context.irq.set(self.block.interrupts[0], self.ris & self.imsc != 0);
    }

    /// Resets the registers. What the outside is sending, and what it has got, stays.
    fn reset(&mut self, block: &'static Block, context: &mut Context<'_>) {
        let (sent, line) = (std::mem::take(&mut self.sent), std::mem::take(&mut self.line));
        let (sys, peri) = (context.clocks.sys(), context.clocks.peri());
        *self = Self { sys, peri, sent, line, ..Self::new(block) };
    }

    /// A bit under way keeps the part of it that is done.
    fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        (self.sys, self.peri) = (clocks.sys(), clocks.peri());
        self.set_baud16(now);
        self.schedule(now);
    }

    fn dreq(&self, line: usize, _now: Cycle) -> Dreq {
        if line == 0 { Dreq::Room(self.tx_dma_room()) } else { Dreq::Data(self.rx_dma_words()) }
    }
}

/// The format that `UARTLCR_H` selects.
pub fn format(lcr_h: u32) -> Format {
    let parity = match (lcr_h & LCR_H_PEN != 0, lcr_h & LCR_H_SPS != 0, lcr_h & LCR_H_EPS != 0) {
        (false, _, _) => Parity::None,
        (true, false, false) => Parity::Odd,
        (true, false, true) => Parity::Even,
        (true, true, false) => Parity::Mark,
        (true, true, true) => Parity::Space,
    };
    Format {
        data_bits: 5 + (lcr_h >> LCR_H_WLEN_SHIFT & 3),
        parity,
        stop_bits: if lcr_h & LCR_H_STP2 != 0 { 2 } else { 1 },
    }
}

/// A received character as an entry of the receive FIFO: bits 11:0 of `UARTDR`.
fn fifo_entry(frame: Frame) -> u16 {
    let flag = |is: bool, bit: u16| if is { bit } else { 0 };
    u16::from(frame.data) | flag(frame.framing_error, FE) | flag(frame.parity_error, PE) | flag(frame.is_break, BE)
}

const _: () = assert!(FE >> 1 == 1 << 7, "UARTRIS.FERIS is bit 7");
