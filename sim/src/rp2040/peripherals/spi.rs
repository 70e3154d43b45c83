//! The serial ports SPI0 and SPI1, Arm PL022 (datasheet 4.4), frame by frame: a frame is sent, and another one received, in
//! the time that its bits take; the levels of the lines within it are computed when somebody looks.

pub mod device;
mod flash;
mod slave;

use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::{Block, Context, Dreq, Effect, Peripheral};
use device::Device;
use slave::Selected;
pub(super) use slave::Wiring;
use std::collections::VecDeque;

/// Register offsets (4.4.4).
const SSPCR0: u32 = 0x00;
const SSPCR1: u32 = 0x04;
const SSPDR: u32 = 0x08;
const SSPSR: u32 = 0x0c;
const SSPCPSR: u32 = 0x10;
const SSPIMSC: u32 = 0x14;
const SSPRIS: u32 = 0x18;
const SSPMIS: u32 = 0x1c;
const SSPICR: u32 = 0x20;
const SSPDMACR: u32 = 0x24;
const SSPPERIPHID0: u32 = 0xfe0;
/// `SSPPERIPHID0-3` and `SSPPCELLID0-3`.
const IDENTIFICATION: [u8; 8] = [0x22, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

/// `SSPCR0` fields.
const SPO: u32 = 1 << 6;
const SPH: u32 = 1 << 7;
const MICROWIRE: u32 = 2;
const MOTOROLA: u32 = 0;
/// `SSPCR1` bits.
const LBM: u32 = 1 << 0;
const SSE: u32 = 1 << 1;
const MS: u32 = 1 << 2;
const SOD: u32 = 1 << 3;
/// Bits of the interrupt registers: receive overrun, receive time-out, receive FIFO, transmit FIFO.
const ROR: u32 = 1 << 0;
const RT: u32 = 1 << 1;
const RX: u32 = 1 << 2;
const TX: u32 = 1 << 3;
/// `SSPDMACR` bits.
const RXDMAE: u32 = 1 << 0;
const TXDMAE: u32 = 1 << 1;

/// Entries of each FIFO, and the level of their interrupts (4.4.2.3, 4.4.2.4, 4.4.3.3).
const FIFO_DEPTH: usize = 8;
const HALF: usize = 4;
/// Half periods of the serial clock: of a pause between two frames of Motorola's format with SPH=0, in which `CSn` goes
/// high and low again (4.4.3.9; how long it is high is an assumption); of silence after which data is announced (4.4.3.4).
const PAUSE: u64 = 3;
const TIMEOUT: u64 = 64;

/// `SPI0`. Its request signals are those of its transmit and of its receive FIFO.
pub const SPI0: Block = Block {
    instance: "0",
    reset: 1 << 16,
    interrupts: &[Irq::Spi0 as u8],
    dreqs: &[16, 17],
    clock: Clock::Peri,
    data: &[SSPDR],
    lazy: true,
    effect: Effect::Shifts,
    modelled: "PL022: formats of Motorola and TI, FIFOs, rates, interrupts, DMA requests, loop-back, a wire from TX to RX, devices by `--spi`, slave mode by wires from the other SPI, levels of its pins",
    missing: "Microwire, CSn in TI's format, slave mode with other masters, levels of a slave's TX",
    ..Block::new("SPI", 0x4003_c000)
};
/// `SPI1`.
pub const SPI1: Block = Block {
    instance: "1",
    base: 0x4004_0000,
    reset: 1 << 17,
    interrupts: &[Irq::Spi1 as u8],
    dreqs: &[18, 19],
    ..SPI0
};

/// What the receiving line is connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The transmitting line.
    Own,
    /// Devices, and the pulls of its pin: it has this level while no device is selected.
    Level(bool),
    /// No pin: it is low.
    None,
}

/// How a port is connected to pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Connection {
    pub input: Input,
    /// A pin puts out its clock: otherwise no device notices a frame.
    pub clock: bool,
    /// A pin puts out its data: otherwise devices receive zeros.
    pub data: bool,
    /// Pins that select it as a slave.
    pub select: u32,
    /// Wires to the other port, as a master.
    pub wiring: Wiring,
}

impl Connection {
    const NONE: Self = Self {
        input: Input::None,
        clock: false,
        data: false,
        select: 0,
        wiring: Wiring { clock: false, there: false, back: false },
    };
}

/// A line that a master drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// `SSPFSSOUT`.
    Select,
    /// `SSPCLKOUT`.
    Clock,
    /// `SSPTXD`.
    Data,
}

/// A frame in the shift register, and the half periods that it begins and ends with.
#[derive(Clone, Copy, Debug, Hash)]
struct Frame {
    sent: u32,
    begin: u64,
    end: u64,
    /// What devices have answered that are not selected any more.
    answer: Option<u32>,
}

/// One PL022.
#[derive(Clone, Debug, Hash)]
pub struct Spi {
    irq: u8,
    /// Rates of `clk_sys` and `clk_peri` in Hz.
    sys: u64,
    peri: u64,
    /// Half periods of the serial clock.
    halves: Ticks,
    cr0: u32,
    cr1: u32,
    cpsr: u32,
    imsc: u32,
    dmacr: u32,
    /// Interrupts that stay until they are cleared: of an overrun, of a time-out.
    latched: u32,
    tx: VecDeque<u32>,
    rx: VecDeque<u32>,
    frame: Option<Frame>,
    timeout: Option<u64>,
    connection: Connection,
    devices: Vec<Device>,
    selected: Selected,
}

impl Spi {
    /// Connects its lines.
    pub(super) fn connect(&mut self, connection: Connection) {
        self.connection = connection;
    }

    /// Puts a device on its bus. False if another one has the same chip select.
    pub fn attach(&mut self, device: Device) -> bool {
        let is_free = self.devices.iter().all(|other| other.select() != device.select());
        if is_free {
            self.devices.push(device);
        }
        is_free
    }

    /// Takes the devices of another chip's port.
    pub(super) fn keep_devices(&mut self, old: &mut Self) {
        self.devices = std::mem::take(&mut old.devices);
    }

    /// Pins that select devices, or the slave that it is.
    pub(super) fn selects(&self) -> u32 {
        let own = if self.is_master() { 0 } else { self.connection.select };
        self.devices.iter().fold(own, |pins, device| pins | 1 << device.select())
    }

    /// The levels of all pins from cycle `from` on, of which some select devices.
    pub(super) fn set_selects(&mut self, levels: u32, from: Cycle, context: &mut Context<'_>) {
        // Its bits are through, and it is in the pause in which `CSn` goes high.
        let half = self.halves.count(from);
        if let Some(Frame { sent, begin, answer: None, .. }) = self.frame
            && half >= begin + 2 * u64::from(self.bits())
        {
            let answer = self.ask_devices(sent, context);
            self.frame = self.frame.map(|frame| Frame { answer, ..frame });
        }
        for device in &mut self.devices {
            device.set_select(levels >> device.select() & 1 == 1, from, context);
        }
    }

    /// Whether it drives its lines.
    pub(super) fn is_master(&self) -> bool {
        self.cr1 & MS == 0
    }

    /// Whether its lines move.
    pub(super) fn is_sending(&self) -> bool {
        self.frame.is_some()
    }

    /// The level of a line that a master drives, in cycle `at` (4.4.3.5 to 4.4.3.12).
    pub(super) fn is_high(&self, line: Line, at: Cycle) -> bool {
        let half = self.halves.count(at);
        let frame = self.frame.filter(|frame| (frame.begin..frame.end).contains(&half));
        let Some(frame) = frame else {
            // Idle: 4.4.3.9.
            return match line {
                Line::Select => self.format() == MOTOROLA,
                Line::Clock => self.cr0 & SPO != 0 && self.format() == MOTOROLA,
                Line::Data => false,
            };
        };
        let (half, bits) = (half - frame.begin, u64::from(self.bits()));
        let is_in_pause = half >= 2 * bits;
        match line {
            Line::Select => self.format() == MOTOROLA && half > 2 * bits,
            Line::Clock => {
                let motorola = self.format() == MOTOROLA;
                // A bit is put out for a period, and captured in its middle.
                let high = !is_in_pause && (half & 1 == 1) == (motorola && self.cr0 & SPH == 0);
                high != (motorola && self.cr0 & SPO != 0)
            }
            Line::Data => !is_in_pause && frame.sent >> (bits - 1 - half / 2) & 1 == 1,
        }
    }

    /// The first cycle after `at` in which a line may have another level.
    pub(super) fn next_edge(&self, at: Cycle) -> Cycle {
        match self.frame {
            Some(frame) => self.halves.cycle_of((self.halves.count(at) + 1).max(frame.begin)),
            None => NEVER,
        }
    }

    fn bits(&self) -> u32 {
        (self.cr0 & 0xf) + 1
    }

    fn format(&self) -> u32 {
        self.cr0 >> 4 & 3
    }

    /// The serial clock has `clk_peri` / (CPSDVSR x (1 + SCR)) (4.4.3.4).
    fn set_rate(&mut self, now: Cycle) {
        let divisor = u64::from(self.cpsr) * (1 + u64::from(self.cr0 >> 8));
        let rate = if divisor == 0 { 0 } else { 2 * self.peri };
        self.halves.set_rate(now, rate, self.sys * divisor.max(1));
    }

    /// Begins the next frame not before a half period.
    fn begin(&mut self, at: u64) {
        if self.cr1 & (SSE | MS) != SSE || self.frame.is_some() || self.format() == MICROWIRE {
            return;
        }
        let Some(sent) = self.tx.pop_front() else { return };
        let pause = if self.format() == MOTOROLA && self.cr0 & SPH == 0 { PAUSE } else { 0 };
        self.frame = Some(Frame { sent, begin: at, end: at + 2 * u64::from(self.bits()) + pause, answer: None });
    }

    /// Does all that is due.
    fn run(&mut self, context: &mut Context<'_>) {
        let count = self.halves.count(context.now);
        while !self.is_heard()
            && let Some(frame) = self.ended(context.now)
        {
            self.end(frame, None, context);
        }
        if self.timeout.is_some_and(|at| at <= count) {
            self.timeout = None;
            self.latched |= RT;
        }
    }

    /// The frame whose time is over.
    fn ended(&self, now: Cycle) -> Option<Frame> {
        self.frame.filter(|frame| frame.end <= self.halves.count(now))
    }

    /// Ends a frame, to which a slave may have sent another one.
    fn end(&mut self, frame: Frame, of_slave: Option<u32>, context: &mut Context<'_>) {
        self.frame = None;
        self.receive(frame, of_slave, context);
        self.begin(frame.end);
    }

    fn receive(&mut self, frame: Frame, of_slave: Option<u32>, context: &mut Context<'_>) {
        let mask = (1 << self.bits()) - 1;
        let answer = frame.answer.or_else(|| self.ask_devices(frame.sent, context));
        let answer = [answer, of_slave].into_iter().flatten().reduce(|one, other| one & other);
        let received = match self.connection.input {
            _ if self.cr1 & LBM != 0 => frame.sent,
            Input::Own => frame.sent,
            Input::Level(high) => answer.unwrap_or(u32::from(high).wrapping_neg()),
            Input::None => 0,
        };
        self.keep(received & mask, frame.end);
    }

    /// Takes what was received up to a half period. It ends the announcement of what came before (Arm PL022, SSPRTINTR).
    fn keep(&mut self, received: u32, end: u64) {
        self.latched &= !RT;
        self.timeout = Some(end + TIMEOUT);
        if self.rx.len() == FIFO_DEPTH {
            self.latched |= ROR;
        } else {
            self.rx.push_back(received);
        }
    }

    /// What devices that are selected answer to a frame; none if there are none. Of several, the zeros win.
    fn ask_devices(&mut self, sent: u32, context: &mut Context<'_>) -> Option<u32> {
        let Connection { clock, data, .. } = self.connection;
        let bytes = self.bits() / 8;
        if !clock || !self.bits().is_multiple_of(8) {
            return None;
        }
        let sent = if data { sent } else { 0 };
        let answers = self.devices.iter_mut().filter(|device| device.is_selected()).map(|device| {
            let bytes = (0..bytes).rev().map(|byte| (sent >> (8 * byte)) as u8);
            bytes.fold(0, |answer, byte| answer << 8 | u32::from(device.exchange(byte, context)))
        });
        answers.reduce(|one, other| one & other)
    }

    fn write_data(&mut self, value: u32, context: &mut Context<'_>) {
        self.note_solitude(context);
        let selected = self.devices.iter().any(Device::is_selected);
        for (is_so, what) in [
            (
                selected && !self.bits().is_multiple_of(8),
                "a frame of other than 8 or 16 bits is sent to a device, which ignores it",
            ),
            (!selected && !self.devices.is_empty(), "a frame is sent while no device has its chip select low"),
        ] {
            if is_so {
                context.diagnostics.misuse(SPI0.name, SSPDR, what, context.now);
            }
        }
        if self.tx.len() == FIFO_DEPTH {
            context.diagnostics.misuse(SPI0.name, SSPDR, "written while the transmit FIFO is full", context.now);
            return;
        }
        self.tx.push_back(value & ((1 << self.bits()) - 1));
        self.begin(self.halves.count(context.now) + 1);
        if self.frame.is_some() && self.halves.rate().0 == 0 {
            let what = "a frame is sent without a clock: clk_peri is off, or SSPCPSR is 0";
            context.diagnostics.misuse(SPI0.name, SSPDR, what, context.now);
        }
    }

    fn set_line(&self, context: &mut Context<'_>) {
        context.irq.set(self.irq, self.raw() & self.imsc != 0);
    }

    fn raw(&self) -> u32 {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        self.latched | flag(self.rx.len() >= HALF, RX) | flag(self.tx.len() <= HALF, TX)
    }

    fn status(&self) -> u32 {
        u32::from(self.tx.is_empty())
            | u32::from(self.tx.len() < FIFO_DEPTH) << 1
            | u32::from(!self.rx.is_empty()) << 2
            | u32::from(self.rx.len() == FIFO_DEPTH) << 3
            | u32::from(self.frame.is_some() || !self.tx.is_empty()) << 4
    }
}

impl Peripheral for Spi {
    fn new(block: &'static Block) -> Self {
        let clocks = Clocks::at_power_on();
        Self {
            irq: block.interrupts[0],
            sys: clocks.sys(),
            peri: clocks.peri(),
            halves: Ticks::stopped(),
            cr0: 0,
            cr1: 0,
            cpsr: 0,
            imsc: 0,
            dmacr: 0,
            latched: 0,
            tx: VecDeque::with_capacity(FIFO_DEPTH),
            rx: VecDeque::with_capacity(FIFO_DEPTH),
            frame: None,
            timeout: None,
            connection: Connection::NONE,
            devices: Vec::new(),
            selected: Selected::NEVER,
        }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        self.run(context);
        let value = self.peek(offset, context.now, context.clocks);
        if offset == SSPSR {
            self.note_solitude(context);
        }
        if offset == SSPDR && self.rx.pop_front().is_some() {
            self.timeout = (!self.rx.is_empty()).then(|| self.halves.count(context.now) + TIMEOUT);
            if self.rx.is_empty() {
                self.latched &= !RT;
            }
        }
        self.set_line(context);
        value
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        Some(match offset {
            SSPCR0 => self.cr0,
            SSPCR1 => self.cr1,
            SSPDR => self.rx.front().copied().unwrap_or(0),
            SSPSR => self.status(),
            SSPCPSR => self.cpsr,
            SSPIMSC => self.imsc,
            SSPRIS => self.raw(),
            SSPMIS => self.raw() & self.imsc,
            SSPDMACR => self.dmacr,
            SSPPERIPHID0..=0xfff => u32::from(IDENTIFICATION[((offset - SSPPERIPHID0) / 4 % 8) as usize]),
            SSPICR => 0,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let now = context.now;
        self.run(context);
        match offset {
            SSPCR0 => {
                self.cr0 = value & 0xffff;
                self.set_rate(now);
            }
            SSPCR1 => {
                self.cr1 = value & 0xf;
                if self.cr1 & SSE != 0 && self.format() == MICROWIRE {
                    context.diagnostics.unmodelled(SPI0.name, offset, "the Microwire format of", now);
                }
                self.begin(self.halves.count(now) + 1);
            }
            SSPDR => self.write_data(value, context),
            SSPCPSR => {
                self.cpsr = value & 0xfe;
                self.set_rate(now);
            }
            SSPIMSC => self.imsc = value & 0xf,
            SSPICR => self.latched &= !value,
            SSPDMACR => self.dmacr = value & 3,
            SSPSR | SSPRIS | SSPMIS => {}
            _ => context.diagnostics.unmodelled(SPI0.name, offset, "write to", now),
        }
        self.set_line(context);
    }

    fn next_event(&self) -> Cycle {
        let frame = self.frame.map(|frame| frame.end);
        [frame, self.timeout].into_iter().flatten().map(|at| self.halves.cycle_of(at)).min().unwrap_or(NEVER)
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.run(context);
        self.set_line(context);
    }

    fn reset(&mut self, block: &'static Block, context: &mut Context<'_>) {
        let mut old = std::mem::replace(self, Self::new(block));
        self.connection = old.connection;
        self.keep_devices(&mut old);
        self.clocks_changed(context.now, context.clocks);
    }

    fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        (self.sys, self.peri) = (clocks.sys(), clocks.peri());
        self.set_rate(now);
    }

    fn dreq(&self, line: usize, _now: Cycle) -> Dreq {
        match line {
            0 if self.dmacr & TXDMAE != 0 => Dreq::Room((FIFO_DEPTH - self.tx.len()) as u32),
            0 => Dreq::Room(0),
            _ if self.dmacr & RXDMAE != 0 => Dreq::Data(self.rx.len() as u32),
            _ => Dreq::Data(0),
        }
    }
}
