//! USART3 as an asynchronous transmitter and receiver (RM0399 section 51).
//!
//! Modelled: word lengths, parity and stop bits, the baud rate with its prescaler and oversampling, both FIFOs with
//! their thresholds, the receiver's timeout, and their interrupts. The bits of `RXFTIE` and `TXFTIE` are
//! those of 51.8.4, with which ST's header agrees; the text of 51.8.9 names others. Not modelled: noise, idle lines and
//! breaks, flow control, DMA, and every other mode (synchronous, single-wire, LIN, `IrDA`, smartcard, Modbus, mute,
//! automatic baud rate).

use crate::core::uart_frame::{Format, Frame, Parity, SentByte};
use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::peripherals::line::{Arrived, Line};
use crate::stm32h745::{NEVER, SECOND, Time};
use std::collections::VecDeque;

/// Register offsets.
const CR1: u32 = 0x00;
const CR2: u32 = 0x04;
const CR3: u32 = 0x08;
const BRR: u32 = 0x0c;
const RTOR: u32 = 0x14;
const RQR: u32 = 0x18;
pub(super) const ISR: u32 = 0x1c;
const ICR: u32 = 0x20;
pub(super) const RDR: u32 = 0x24;
const TDR: u32 = 0x28;
const PRESC: u32 = 0x2c;

/// `USART_CR1`.
const UE: u32 = 1;
const RE: u32 = 1 << 2;
const TE: u32 = 1 << 3;
const RXNEIE: u32 = 1 << 5;
const TCIE: u32 = 1 << 6;
const TXEIE: u32 = 1 << 7;
const PEIE: u32 = 1 << 8;
const PS: u32 = 1 << 9;
const PCE: u32 = 1 << 10;
const M0: u32 = 1 << 12;
const OVER8: u32 = 1 << 15;
const RTOIE: u32 = 1 << 26;
const M1: u32 = 1 << 28;
const FIFOEN: u32 = 1 << 29;
const TXFEIE: u32 = 1 << 30;
const RXFFIE: u32 = 1 << 31;
/// Bits that may be changed only with UE = 0; and bits that are not modelled: IDLEIE, mute mode, character match, blocks.
const CR1_WHILE_OFF: u32 = PS | PCE | M0 | OVER8 | M1 | FIFOEN;
const CR1_UNMODELLED: u32 = 1 << 4 | 1 << 13 | 1 << 14 | 1 << 27;
/// `USART_CR2`: STOP and RTOEN; other bits are not modelled.
const STOP_SHIFT: u32 = 12;
const STOP: u32 = 3 << STOP_SHIFT;
const RTOEN: u32 = 1 << 23;
/// `USART_CR3`: EIE, ONEBIT and OVRDIS, and the FIFOs' thresholds. ONEBIT and OVRDIS may be changed only with UE = 0.
const EIE: u32 = 1;
const OVRDIS: u32 = 1 << 12;
const TXFTIE: u32 = 1 << 23;
const RXFTCFG_SHIFT: u32 = 25;
const RXFTIE: u32 = 1 << 28;
const TXFTCFG_SHIFT: u32 = 29;
const CR3_FREE: u32 = EIE | TXFTIE | 7 << RXFTCFG_SHIFT | RXFTIE | 7 << TXFTCFG_SHIFT;
const CR3_WHILE_OFF: u32 = 1 << 11 | OVRDIS;
/// `USART_ISR` and `USART_ICR`.
const ISR_PE: u32 = 1;
const ISR_FE: u32 = 1 << 1;
const ORE: u32 = 1 << 3;
const RXNE: u32 = 1 << 5;
const TC: u32 = 1 << 6;
const TXE: u32 = 1 << 7;
const RTOF: u32 = 1 << 11;
const TEACK: u32 = 1 << 21;
const REACK: u32 = 1 << 22;
const TXFE: u32 = 1 << 23;
const RXFF: u32 = 1 << 24;
const RXFT: u32 = 1 << 26;
const TXFT: u32 = 1 << 27;
/// `USART_RQR.RXFRQ`.
const RXFRQ: u32 = 1 << 3;
/// Entries of each FIFO (51.4), beside which `USART_RDR` has one more (51.8.9, RXFT).
const FIFO: usize = 16;
/// FIFO thresholds (51.5.4): received entries, or free ones for transmission.
const THRESHOLDS: [usize; 8] = [2, 4, 8, 12, 14, 16, usize::MAX, usize::MAX];
/// Divisors of the kernel clock by `USART_PRESC`; reserved values act as the last.
const PRESCALERS: [u64; 12] = [1, 2, 4, 6, 8, 10, 12, 16, 32, 64, 128, 256];

/// Receiver tolerance to a baud rate deviation, in 1/1000, with 8 bits and 16 samples (Table 422).
const TOLERANCE: u64 = 33;

/// The USART with the line to it.
#[derive(Clone, Debug)]
pub struct Usart {
    cr1: u32,
    cr2: u32,
    cr3: u32,
    brr: u32,
    rtor: u32,
    presc: u32,
    /// Latched flags: PE, FE, ORE, TC and RTOF.
    flags: u32,
    transmit_fifo: VecDeque<u8>,
    /// The shift register, and the end of its last stop bit.
    shifting: Option<(u8, Time)>,
    receive_fifo: VecDeque<Frame>,
    /// Last character read from `USART_RDR`: reads return it while the FIFO is empty.
    last: Frame,
    /// End of the last received character, while the receiver timeout has not elapsed.
    idle_since: Option<Time>,
    /// The line to the USART.
    pub line: Line,
    sent: Vec<SentByte>,
    /// Rate of the kernel clock in Hz; 0 while it is gated.
    pub(super) kernel: u64,
    /// The board's TX pin has this USART's alternate function.
    pub(super) connected: bool,
}

impl std::hash::Hash for Usart {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.cr1, self.cr2, self.cr3, self.brr, self.rtor, self.presc, self.flags, self.idle_since).hash(state);
        (&self.transmit_fifo, self.shifting, &self.receive_fifo, self.last, &self.line, self.kernel, self.connected)
            .hash(state);
    }
}

impl Usart {
    /// After reset, with a line at a baud rate.
    #[must_use]
    pub fn new(rate: u32) -> Self {
        Self {
            cr1: 0,
            cr2: 0,
            cr3: 0,
            brr: 0,
            rtor: 0,
            presc: 0,
            flags: TC,
            transmit_fifo: VecDeque::new(),
            shifting: None,
            receive_fifo: VecDeque::new(),
            last: Frame::default(),
            idle_since: None,
            line: Line::new(rate),
            sent: Vec::new(),
            kernel: 0,
            connected: false,
        }
    }

    /// Resets the registers; the line stays.
    pub fn reset(&mut self) {
        let old = std::mem::replace(self, Self::new(0));
        (self.line, self.sent, self.kernel, self.connected) = (old.line, old.sent, old.kernel, old.connected);
    }

    /// What was sent and nobody has taken.
    pub fn sent(&self) -> &[SentByte] {
        &self.sent
    }

    /// Takes so many of those that left first.
    pub fn take_sent(&mut self, count: usize) -> Vec<SentByte> {
        self.sent.drain(..count.min(self.sent.len())).collect()
    }

    /// When the character ends that is being sent.
    pub fn sending_until(&self) -> Option<Time> {
        self.shifting.map(|(_, end)| end)
    }

    /// Whether it raises an interrupt for what it receives.
    pub fn listens(&self) -> bool {
        self.cr1 & RXNEIE != 0 || self.cr3 & RXFTIE != 0
    }

    /// Bit time in picoseconds as a fraction (51.5.7); `None` without a valid baud rate.
    fn bit(&self) -> Option<(u128, u128)> {
        let divider = if self.cr1 & OVER8 != 0 { self.brr & 0xfff0 | self.brr << 1 & 0xf } else { self.brr };
        let clocks_per_rate = if self.cr1 & OVER8 != 0 { 2 } else { 1 };
        let prescaler = PRESCALERS[(self.presc as usize).min(PRESCALERS.len() - 1)];
        let valid = self.kernel > 0 && divider >= 16;
        valid.then(|| {
            let picoseconds = u128::from(SECOND) * u128::from(divider) * u128::from(prescaler);
            (picoseconds, u128::from(self.kernel) * clocks_per_rate)
        })
    }

    /// Baud rate; 0 if it is not valid.
    pub fn baud(&self) -> u32 {
        self.bit().map_or(0, |(picoseconds, parts)| (u128::from(SECOND) * parts / picoseconds) as u32)
    }

    fn format(&self) -> Format {
        let word = match (self.cr1 & M1 != 0, self.cr1 & M0 != 0) {
            (true, _) => 7,
            (false, true) => 9,
            (false, false) => 8,
        };
        let parity = match (self.cr1 & PCE != 0, self.cr1 & PS != 0) {
            (false, _) => Parity::None,
            (true, false) => Parity::Even,
            (true, true) => Parity::Odd,
        };
        let data_bits = word - u32::from(parity != Parity::None);
        Format { data_bits, parity, stop_bits: if self.cr2 & STOP == 0 { 1 } else { 2 } }
    }

    /// Depth of the transmit FIFO.
    fn transmit_depth(&self) -> usize {
        if self.cr1 & FIFOEN != 0 { FIFO } else { 1 }
    }

    /// Depth of the receive FIFO.
    fn receive_depth(&self) -> usize {
        if self.cr1 & FIFOEN != 0 { FIFO + 1 } else { 1 }
    }

    fn status(&self) -> u32 {
        let mut status = self.flags;
        let mut put = |flag: u32, is: bool| status |= if is { flag } else { 0 };
        put(TXE, self.transmit_fifo.len() < self.transmit_depth());
        put(RXNE, !self.receive_fifo.is_empty());
        put(TEACK, self.cr1 & (UE | TE) == UE | TE);
        put(REACK, self.cr1 & (UE | RE) == UE | RE);
        let fifo = self.cr1 & FIFOEN != 0;
        let threshold = |shift: u32| THRESHOLDS[(self.cr3 >> shift & 7) as usize];
        put(TXFE, fifo && self.transmit_fifo.is_empty());
        put(RXFF, fifo && self.receive_fifo.len() > FIFO);
        put(RXFT, fifo && self.receive_fifo.len() >= threshold(RXFTCFG_SHIFT));
        put(TXFT, fifo && FIFO - self.transmit_fifo.len().min(FIFO) >= threshold(TXFTCFG_SHIFT));
        status
    }

    /// A register, without side effects.
    pub fn peek(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            CR1 => self.cr1,
            CR2 => self.cr2,
            CR3 => self.cr3,
            BRR => self.brr,
            RTOR => self.rtor,
            ISR => self.status(),
            RQR | ICR | TDR => 0,
            RDR => u32::from(self.receive_fifo.front().unwrap_or(&self.last).data),
            PRESC => self.presc,
            _ => return None,
        })
    }

    /// A read; of `USART_RDR` it takes a character.
    pub fn read(&mut self, offset: u32, context: &mut Context<'_>) -> u32 {
        let value = self.peek(offset).unwrap_or_else(|| context.unmodelled());
        if offset == RDR {
            self.last = self.receive_fifo.pop_front().unwrap_or(self.last);
            self.latch_errors();
        }
        value
    }

    /// A write.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            CR1 => self.control(value, context),
            CR2 => {
                self.cr2 = self.cr2 & !RTOEN | value & RTOEN;
                let unmodelled = value & !(STOP | RTOEN);
                self.write_if_disabled("USART3_CR2", value & (STOP | RTOEN), |it| &mut it.cr2, unmodelled, context);
            }
            CR3 => {
                self.cr3 = self.cr3 & !CR3_FREE | value & CR3_FREE;
                let (value, unmodelled) = (value & (CR3_FREE | CR3_WHILE_OFF), value & !(CR3_FREE | CR3_WHILE_OFF));
                self.write_if_disabled("USART3_CR3", value, |it| &mut it.cr3, unmodelled, context);
            }
            BRR => self.write_if_disabled("USART3_BRR", value & 0xffff, |it| &mut it.brr, 0, context),
            PRESC => self.write_if_disabled("USART3_PRESC", value & 0xf, |it| &mut it.presc, 0, context),
            RTOR => self.rtor = value,
            RQR if value & RXFRQ != 0 => self.receive_fifo.clear(),
            RQR if value != 0 => context.warn("USART3_RQR: only RXFRQ is modelled"),
            ICR => self.flags &= !value,
            TDR => self.send(value as u8, context),
            RQR | ISR | RDR => {}
            _ => _ = context.unmodelled(),
        }
    }

    /// Writes a register that may be changed only with UE = 0.
    fn write_if_disabled(
        &mut self,
        name: &str,
        value: u32,
        register: impl Fn(&mut Self) -> &mut u32,
        unmodelled: u32,
        context: &mut Context<'_>,
    ) {
        if unmodelled != 0 {
            context.warn(format!("{name} is written with {unmodelled:#x}, of modes that are not modelled"));
        }
        let on = self.cr1 & UE != 0;
        if !on {
            *register(self) = value;
        } else if *register(self) != value {
            context.warn(format!("{name} is changed while the USART is on (UE = 1): ignored"));
        }
    }

    fn control(&mut self, value: u32, context: &mut Context<'_>) {
        if value & CR1_UNMODELLED != 0 {
            context.warn(format!("USART3_CR1 asks for {:#x}, which is not modelled", value & CR1_UNMODELLED));
        }
        let mut value = value;
        if self.cr1 & UE != 0 && (value ^ self.cr1) & CR1_WHILE_OFF != 0 {
            context.warn(
                "USART3_CR1 changes word length, parity, oversampling or FIFOs while the USART is on (UE = 1): ignored",
            );
            value = value & !CR1_WHILE_OFF | self.cr1 & CR1_WHILE_OFF;
        }
        if value & (M0 | M1 | PCE) == M0 {
            context.warn("USART3_CR1: words of 9 data bits are not modelled: the ninth is lost");
        }
        if self.cr1 & UE != 0 && value & UE == 0 && self.shifting.is_some() {
            context.warn("USART3 is switched off while it sends, before TC: what was sent is lost");
        }
        self.cr1 = value;
        if value & UE == 0 {
            self.shifting = None;
            self.transmit_fifo.clear();
            self.flags = TC;
        } else if self.bit().is_none() {
            context.warn(format!(
                "USART3 is on without a rate: its clock has {} Hz, and USARTDIV must be 16 or more (BRR = {:#x})",
                self.kernel, self.brr
            ));
        }
        self.begin(context.now);
    }

    fn send(&mut self, byte: u8, context: &mut Context<'_>) {
        if self.cr1 & (UE | TE) != UE | TE {
            context.warn("USART3_TDR is written while the transmitter is off (UE, TE)");
        }
        if !self.connected {
            context.warn("USART3 sends, but the pin of the board that is its TX has not its alternate function");
        }
        let rate = u64::from(self.baud());
        let wanted = u64::from(self.line.rate());
        if rate != 0 && rate.abs_diff(wanted) * 1000 > wanted * TOLERANCE {
            context.warn(format!("USART3 sends at {rate} bits per second, but its line has {wanted}"));
        }
        if self.transmit_fifo.len() >= self.transmit_depth() {
            context.warn("USART3_TDR is written while it is full: a character is lost");
            self.transmit_fifo.pop_back();
        }
        self.transmit_fifo.push_back(byte);
        self.flags &= !TC;
        self.begin(context.now);
    }

    /// Moves the next character to the shift register, if that is empty.
    fn begin(&mut self, now: Time) {
        if self.shifting.is_some() || self.cr1 & (UE | TE) != UE | TE {
            return;
        }
        if let (Some((picoseconds, parts)), Some(&byte)) = (self.bit(), self.transmit_fifo.front()) {
            self.transmit_fifo.pop_front();
            let length = picoseconds * u128::from(self.format().bits()) / parts;
            self.shifting = Some((byte, now.saturating_add(length as Time)));
        }
    }

    /// When the receiver timeout of `USART_RTOR` elapses (51.8.7).
    fn receiver_timeout(&self) -> Time {
        match (self.idle_since, self.bit()) {
            (Some(since), Some((picoseconds, parts))) if self.cr2 & RTOEN != 0 => {
                let bits = u128::from(self.rtor & 0x00ff_ffff) + 1;
                let end = since.saturating_add((picoseconds * bits / parts) as Time);
                if self.line.is_busy(end) { NEVER } else { end }
            }
            _ => NEVER,
        }
    }

    /// Time of the next event.
    pub fn next_event(&self) -> Time {
        let sent = self.shifting.map_or(NEVER, |(_, end)| end);
        sent.min(self.line.next_event()).min(self.receiver_timeout())
    }

    /// Processes events up to `now`.
    pub fn advance(&mut self, now: Time) {
        while let Some((byte, end)) = self.shifting.filter(|(_, end)| *end <= now) {
            if self.connected {
                self.sent.push(SentByte { at: end, byte, rate: self.baud() });
            }
            self.shifting = None;
            self.flags |= if self.transmit_fifo.is_empty() { TC } else { 0 };
            self.begin(end);
        }
        while let Some((arrived, end)) = self.line.take(now) {
            self.receive(arrived);
            self.idle_since = Some(end);
        }
        if self.receiver_timeout() <= now {
            self.idle_since = None;
            self.flags |= if self.cr1 & RE != 0 { RTOF } else { 0 };
        }
    }

    /// Receives a character, sampled at the receiver's baud rate.
    fn receive(&mut self, arrived: Arrived) {
        if self.cr1 & (UE | RE) != UE | RE {
            return;
        }
        let Some(bit) = self.bit() else { return };
        let frame = arrived.sampled(bit, self.format());
        if self.receive_fifo.len() < self.receive_depth() {
            self.receive_fifo.push_back(frame);
            self.latch_errors();
        } else if self.cr3 & OVRDIS == 0 {
            self.flags |= ORE;
        } else {
            self.receive_fifo.pop_back();
            self.receive_fifo.push_back(frame);
        }
    }

    /// Sets PE and FE of the character in `USART_RDR`.
    fn latch_errors(&mut self) {
        if let Some(frame) = self.receive_fifo.front() {
            self.flags |= if frame.parity_error { ISR_PE } else { 0 } | if frame.framing_error { ISR_FE } else { 0 };
        }
    }

    /// The level of the interrupt line.
    pub fn interrupt(&self) -> bool {
        let status = self.status();
        let enabled = |enable: u32, flags: u32| self.cr1 & enable != 0 && status & flags != 0;
        enabled(RXNEIE, RXNE | ORE)
            || enabled(TCIE, TC)
            || enabled(TXEIE, TXE)
            || enabled(PEIE, ISR_PE)
            || enabled(TXFEIE, TXFE)
            || enabled(RXFFIE, RXFF)
            || enabled(RTOIE, RTOF)
            || self.cr3 & RXFTIE != 0 && status & RXFT != 0
            || self.cr3 & TXFTIE != 0 && status & TXFT != 0
            || self.cr3 & EIE != 0 && status & (ISR_FE | ORE) != 0
    }
}
