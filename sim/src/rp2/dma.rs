//! The DMA controller (RP2040 datasheet 2.5, RP2350 datasheet 12.6): channels that share one read and one write master.
//!
//! The engine does not touch the bus. The machine asks in each cycle what either master wants, arbitrates it with the
//! cores, and reports how it ended. A transfer has four phases, which overlap with those of others: the address and the data
//! of its read, the address and the data of its write (A. Wren, raspberrypi/pico-feedback issue 202).

pub mod channel;
pub mod requests;
pub mod sniffer;

use crate::core::bits::set_bits;
use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::{Block, Context, Dreq, Effect, Peripheral};
use channel::{CTRL_EN, CTRL_HIGH_PRIORITY, CTRL_IRQ_QUIET, CTRL_READ_ERROR, CTRL_SNIFF_EN, CTRL_WRITE_ERROR};
use channel::{Channel, Register, TREQ_PERMANENT};
use sniffer::Sniffer;
use std::collections::VecDeque;
use std::marker::PhantomData;

/// Registers of a channel, and offsets of those for each interrupt line (RP2040 datasheet 2.5.7, RP2350 datasheet 12.6.10).
const CHANNEL_STRIDE: u32 = 0x40;
const INTERRUPTS: u32 = 0x400;
const LINE_STRIDE: u32 = 0x10;
const INTR: u32 = 0x0;
const INTE: u32 = 0x4;
const INTF: u32 = 0x8;
const INTS: u32 = 0xc;
/// Offsets of those behind these.
const TIMER0: u32 = 0x00;
const TIMER3: u32 = 0x0c;
const MULTI_CHAN_TRIGGER: u32 = 0x10;
const SNIFF_CTRL: u32 = 0x14;
const SNIFF_DATA: u32 = 0x18;
const FIFO_LEVELS: u32 = 0x20;
const CHAN_ABORT: u32 = 0x24;
const N_CHANNELS: u32 = 0x28;
const DEBUG: u32 = 0x800;
/// Most interrupt lines.
const LINES: usize = 4;

/// Cycles from the data phase of the write that triggers a channel, or that completes the one which chains to it, to the
/// address of the first read. Measured: 50,000 words and the start of the next channel take 50,003 cycles
/// (github.com/pipatron/pico-dma-copy-buffer-alignment).
const START_CYCLES: Cycle = 1;
/// Cycles from the data phase of a read to the address phase of its write. Measured: that is where read and write meet in a
/// bank (same place).
const READ_TO_WRITE_CYCLES: Cycle = 1;
/// Transfers that can be between the masters. Assumed from "not more than 3 transfers later" (2.5.7, `READ_ERROR`).
const FIFO_DEPTH: usize = 4;

/// What is the same of the controllers. Their own request signals are their pacing timers (RP2040 datasheet 2.5.5.1).
pub const DMA: Block = Block { dreqs: &[59, 60, 61, 62], effect: Effect::Triggers, ..Block::new("DMA", 0x5000_0000) };

/// In what the controllers of the chips differ, beside channels and interrupt lines.
pub trait Model: Clone + std::fmt::Debug + std::hash::Hash + 'static {
    /// Addresses can go backward, counts have modes, a channel with an error does not start, and chains go to channel 0 after reset
    /// (RP2350 datasheet 12.6.1).
    const REVERSES: bool;

    /// Whether a block that is modelled has a request signal.
    fn has_request(treq: u32) -> bool;
}

/// Where a register is.
enum Place {
    Channel(usize),
    /// Offset among those of an interrupt line, and its number.
    Line(u32, usize),
    /// Offset behind these.
    Other(u32),
    Debug(usize),
    Nowhere,
}

/// An access that a master of the DMA wants to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DmaAccess {
    /// The channel it is for.
    pub channel: usize,
    /// Where.
    pub address: u32,
    /// 1, 2 or 4.
    pub bytes: u32,
    /// What to write, in all byte lanes; 0 for a read.
    pub value: u32,
}

/// The access ended with a bus error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusError;

/// Data between the masters.
#[derive(Clone, Copy, Debug, Hash)]
struct Datum {
    channel: usize,
    value: u32,
    ready_at: Cycle,
}

/// The DMA controller.
#[derive(Clone, Debug, Hash)]
pub struct Dma<M, const CHANNELS: usize> {
    model: PhantomData<M>,
    block: &'static Block,
    channels: [Channel; CHANNELS],
    /// Channels whose sequences are in progress.
    busy: u32,
    reading: Option<DmaAccess>,
    /// The channel of the read in progress was halted: its data is to be dropped.
    abandoned: bool,
    fifo: VecDeque<Datum>,
    /// Channels to be triggered by others that are complete, from `chain_at` on.
    chained: u32,
    chain_at: Cycle,
    last_served: usize,
    intr: u32,
    inte: [u32; LINES],
    intf: [u32; LINES],
    timers: [u32; 4],
    /// Pulses of the pacing timers: X / Y per cycle, at most one (2.5.5.1).
    timer_ticks: [Ticks; 4],
    sniffer: Sniffer,
    /// Channels that were triggered and of whose request signal the pulses so far are to be noted.
    started: u32,
}

impl<M: Model, const CHANNELS: usize> Dma<M, CHANNELS> {
    const CHANNEL_MASK: u32 = (1 << CHANNELS) - 1;

    /// What is at an offset.
    fn place(&self, offset: u32) -> Place {
        let index = (offset % INTERRUPTS / CHANNEL_STRIDE) as usize;
        let behind = INTERRUPTS + LINE_STRIDE * self.block.interrupts.len() as u32;
        match offset {
            _ if offset < INTERRUPTS && index < CHANNELS => Place::Channel(index),
            INTERRUPTS.. if offset < behind => {
                Place::Line(offset % LINE_STRIDE, ((offset - INTERRUPTS) / LINE_STRIDE) as usize)
            }
            INTERRUPTS..DEBUG => offset.checked_sub(behind).map_or(Place::Nowhere, Place::Other),
            DEBUG.. if index < CHANNELS => Place::Debug(index),
            _ => Place::Nowhere,
        }
    }

    /// A channel.
    pub fn channel(&self, index: usize) -> &Channel {
        &self.channels[index % CHANNELS]
    }

    /// A channel, to note its request pulses.
    pub fn channel_mut(&mut self, index: usize) -> &mut Channel {
        &mut self.channels[index % CHANNELS]
    }

    /// Channels whose sequences are in progress.
    pub fn busy(&self) -> impl Iterator<Item = usize> + use<M, CHANNELS> {
        set_bits(u64::from(self.busy)).map(usize::from)
    }

    /// Channels that were triggered since the last call.
    pub fn take_started(&mut self) -> u32 {
        std::mem::take(&mut self.started)
    }

    /// Whether there is anything to do at all: nothing is, for most of a run.
    #[inline]
    pub fn idle(&self) -> bool {
        self.reading.is_none() && self.fifo.is_empty() && self.chained == 0 && self.busy == 0
    }

    /// The next cycle, from `now` on, in which it reads without a request signal, or triggers a channel; channels in `paced`
    /// wait for a signal.
    pub fn next_read(&self, now: Cycle, paced: u32) -> Cycle {
        let mut next = if self.reading.is_some() { now } else { NEVER };
        if self.chained != 0 {
            next = next.min(self.chain_at);
        }
        if self.has_room() {
            let waiting = set_bits(u64::from(self.busy & !paced)).map(|index| self.channel(index.into()));
            next = waiting.filter_map(Channel::wants).fold(next, Cycle::min);
        }
        next.max(now)
    }

    /// The same of a write.
    pub fn next_write(&self, now: Cycle) -> Cycle {
        self.fifo.front().map_or(NEVER, |datum| datum.ready_at.max(now))
    }

    /// The read under way.
    pub fn reading(&self) -> Option<DmaAccess> {
        self.reading
    }

    /// Whether a channel is about to end its sequence in cycle `now`, or to trigger another one.
    pub fn is_about_to_end(&self, now: Cycle) -> bool {
        let ends = |datum: &Datum| datum.ready_at <= now && self.channels[datum.channel].is_at_its_last();
        self.chained != 0 || self.fifo.front().is_some_and(ends)
    }

    /// Whether all channels in progress are in a memory, and no other block says when they transfer.
    pub fn paces_itself_in(&self, is_memory: impl Fn(u32) -> bool) -> bool {
        let mut busy = self.busy().map(|index| self.channel(index));
        busy.all(|channel| channel.treq() >= u32::from(DMA.dreqs[0]) && channel.addresses().into_iter().all(&is_memory))
    }

    /// Triggers the channels that others chain to; to be called in each cycle before the masters are asked.
    pub fn chain(&mut self, context: &mut Context<'_>) {
        if self.chained != 0 && self.chain_at <= context.now {
            let chained = std::mem::take(&mut self.chained);
            for index in (0..CHANNELS).filter(|index| chained >> index & 1 == 1) {
                self.trigger(index, context.now);
            }
            self.update_lines(context);
        }
    }

    /// Whether the read master may begin another read.
    pub fn may_issue_read(&self) -> bool {
        self.reading.is_none() && self.has_room()
    }

    fn has_room(&self) -> bool {
        self.fifo.len() < FIFO_DEPTH
    }

    /// What the read master wants in cycle `now`; `requested` are the channels whose request signal allows a transfer.
    /// Until `read_done` is called the answer stays the same.
    pub fn read_wanted(&mut self, now: Cycle, requested: u32) -> Option<DmaAccess> {
        if self.may_issue_read() && requested != 0 {
            let (mut ready, mut high) = (0, 0);
            for index in set_bits(u64::from(requested)) {
                let channel = self.channel(index.into());
                let is_ready = channel.wants().is_some_and(|from| from <= now);
                ready |= u32::from(is_ready) << index;
                high |= u32::from(is_ready && channel.has(CTRL_HIGH_PRIORITY)) << index;
            }
            // Round robin among those of high priority, then among the others (2.5.5).
            let candidates = if high == 0 { ready } else { high };
            let behind = candidates & (u32::MAX << (self.last_served + 1));
            let index = set_bits(u64::from(if behind == 0 { candidates } else { behind })).next()?.into();
            self.last_served = index;
            let channel = &mut self.channels[index];
            let address = channel.issue_read();
            self.reading = Some(DmaAccess { channel: index, address, bytes: channel.bytes(), value: 0 });
        }
        self.reading
    }

    /// The read is done; its data was there in cycle `data_at`.
    pub fn read_done(&mut self, result: Result<u32, BusError>, data_at: Cycle, context: &mut Context<'_>) {
        let Some(access) = self.reading.take() else { return };
        if std::mem::take(&mut self.abandoned) {
            return;
        }
        let channel = &self.channels[access.channel];
        match result {
            Ok(value) => {
                let value = channel.arrange(value);
                if channel.has(CTRL_SNIFF_EN) {
                    self.sniffer.sniff(access.channel, value, access.bytes);
                }
                let ready_at = data_at.saturating_add(READ_TO_WRITE_CYCLES);
                self.fifo.push_back(Datum { channel: access.channel, value, ready_at });
            }
            Err(BusError) => self.fail(access.channel, CTRL_READ_ERROR, context),
        }
    }

    /// What the write master wants in cycle `now`. Until `write_done` is called the answer stays the same.
    pub fn write_wanted(&self, now: Cycle) -> Option<DmaAccess> {
        let datum = self.fifo.front().filter(|datum| datum.ready_at <= now)?;
        let channel = &self.channels[datum.channel];
        let (address, bytes) = (channel.write_addr, channel.bytes());
        Some(DmaAccess { channel: datum.channel, address, bytes, value: datum.value })
    }

    /// The write is done.
    pub fn write_done(&mut self, result: Result<(), BusError>, context: &mut Context<'_>) {
        let Some(datum) = self.fifo.pop_front() else { return };
        match result {
            Ok(()) => {
                if self.channels[datum.channel].written() {
                    self.busy &= !(1 << datum.channel);
                    self.complete(datum.channel, context.now);
                    self.update_lines(context);
                }
            }
            Err(BusError) => self.fail(datum.channel, CTRL_WRITE_ERROR, context),
        }
    }

    fn fail(&mut self, index: usize, error: u32, context: &mut Context<'_>) {
        self.halt(1 << index, error);
        self.intr |= 1 << index; // whatever IRQ_QUIET says (2.5.7, `AHB_ERROR`)
        self.update_lines(context);
    }

    fn complete(&mut self, index: usize, now: Cycle) {
        let channel = &self.channels[index];
        if !channel.has(CTRL_IRQ_QUIET) {
            self.intr |= 1 << index;
        }
        let triggers_self = channel.triggers_self();
        let next = channel.chain_to();
        if next != index && next < CHANNELS {
            self.chained |= 1 << next;
            self.chain_at = now;
        }
        if triggers_self {
            self.trigger(index, now);
        }
    }

    fn trigger(&mut self, index: usize, now: Cycle) {
        let has_failed = self.channels[index].has(CTRL_READ_ERROR | CTRL_WRITE_ERROR);
        if M::REVERSES && has_failed {
            return;
        }
        let was_busy = self.channels[index].is_busy();
        if self.channels[index].trigger(now.saturating_add(START_CYCLES)) {
            self.complete(index, now);
        } else if !was_busy && self.channels[index].is_busy() {
            self.busy |= 1 << index;
            self.started |= 1 << index;
        }
    }

    fn write_channel(&mut self, index: usize, offset: u32, value: u32, context: &mut Context<'_>) {
        let (register, trigger) = Register::at(offset);
        self.channels[index].write(register, value, M::REVERSES);
        if trigger && value != 0 {
            self.trigger(index, context.now);
        } else if trigger && self.channels[index].has(CTRL_IRQ_QUIET) {
            self.intr |= 1 << index; // null trigger (2.5.2.3)
        }
        let treq = self.channels[index].treq();
        let is_on = register == Register::Ctrl && value & CTRL_EN != 0;
        if is_on && treq != TREQ_PERMANENT && !M::has_request(treq) {
            let what = "the request signal (TREQ_SEL) chosen by";
            context.diagnostics.unmodelled(self.block.name, offset, what, context.now);
        }
    }

    /// Ends the sequences of channels. In-flight transfers are dropped at once, but for a read on the bus.
    fn halt(&mut self, channels: u32, error: u32) {
        self.busy &= !channels;
        for (index, channel) in self.channels.iter_mut().enumerate() {
            if channels >> index & 1 == 1 {
                channel.halt(error);
            }
        }
        self.fifo.retain(|datum| channels >> datum.channel & 1 == 0);
        self.abandoned |= self.reading.is_some_and(|access| channels >> access.channel & 1 == 1);
    }

    fn ints(&self, line: usize) -> u32 {
        (self.intr & self.inte[line]) | self.intf[line]
    }

    fn update_lines(&self, context: &mut Context<'_>) {
        for (line, &irq) in self.block.interrupts.iter().enumerate() {
            context.irq.set(irq, self.ints(line) != 0);
        }
    }
}

impl<M: Model, const CHANNELS: usize> Peripheral for Dma<M, CHANNELS> {
    fn new(block: &'static Block) -> Self {
        Self {
            model: PhantomData,
            block,
            channels: std::array::from_fn(|index| Channel::new(if M::REVERSES { 0 } else { index })),
            reading: None,
            abandoned: false,
            busy: 0,
            fifo: VecDeque::with_capacity(FIFO_DEPTH),
            chained: 0,
            chain_at: NEVER,
            last_served: CHANNELS - 1,
            intr: 0,
            inte: [0; LINES],
            intf: [0; LINES],
            timers: [0; 4],
            timer_ticks: std::array::from_fn(|_| Ticks::stopped()),
            sniffer: Sniffer::default(),
            started: 0,
        }
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match self.place(offset) {
            Place::Channel(index) => self.channels[index].peek(Register::at(offset).0, M::REVERSES),
            Place::Line(INTR, _) => self.intr,
            Place::Line(INTE, line) => self.inte[line],
            Place::Line(INTF, line) => self.intf[line],
            Place::Line(_, line) => self.ints(line),
            Place::Other(timer @ TIMER0..=TIMER3) => self.timers[(timer / 4) as usize],
            Place::Other(SNIFF_CTRL) => self.sniffer.ctrl,
            Place::Other(SNIFF_DATA) => self.sniffer.data(),
            Place::Other(FIFO_LEVELS) => self.fifo.len() as u32,
            Place::Other(N_CHANNELS) => CHANNELS as u32,
            Place::Other(MULTI_CHAN_TRIGGER..=FIFO_LEVELS | CHAN_ABORT) => 0,
            Place::Debug(index) => self.channels[index].debug(offset),
            Place::Other(_) | Place::Nowhere => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let now = context.now;
        match self.place(offset) {
            Place::Channel(index) => self.write_channel(index, offset, value, context),
            Place::Line(INTR | INTS, _) => self.intr &= !value,
            Place::Line(INTE, line) => self.inte[line] = value & Self::CHANNEL_MASK,
            Place::Line(INTF, line) => self.intf[line] = value & Self::CHANNEL_MASK,
            Place::Other(timer @ TIMER0..=TIMER3) => {
                let timer = (timer / 4) as usize;
                let (x, y) = (u64::from(value >> 16), u64::from(value & 0xffff));
                self.timers[timer] = value;
                self.timer_ticks[timer].set_rate(now, x.min(y), y);
                self.timer_ticks[timer].restart(now);
            }
            Place::Other(MULTI_CHAN_TRIGGER) => {
                for index in (0..CHANNELS).filter(|index| value >> index & 1 == 1) {
                    self.trigger(index, now);
                }
            }
            Place::Other(SNIFF_CTRL) => {
                if !self.sniffer.set_ctrl(value) {
                    context.diagnostics.unmodelled(self.block.name, offset, "the reserved SNIFF_CTRL.CALC in", now);
                }
            }
            Place::Other(SNIFF_DATA) => self.sniffer.data = value,
            // The interrupt that erratum RP2040-E13 gives does not come.
            Place::Other(CHAN_ABORT) => self.halt(value & Self::CHANNEL_MASK, 0),
            Place::Other(FIFO_LEVELS | N_CHANNELS) => {}
            _ => context.diagnostics.unmodelled(self.block.name, offset, "write to", now),
        }
        self.update_lines(context);
    }

    fn dreq(&self, line: usize, now: Cycle) -> Dreq {
        Dreq::Pulses(self.timer_ticks[line].count(now))
    }

    fn cycle_of_dreq_pulse(&self, line: usize, pulses: u64, _now: Cycle) -> Cycle {
        self.timer_ticks[line].cycle_of(pulses)
    }
}
