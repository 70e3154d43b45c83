//! The host at the other end of the cable: it gives power, finds the device, reads what the device says of itself,
//! configures it, and opens its serial ports as a terminal does. Its time is in bits of full speed, 1/12 µs, by a clock
//! that is exact.

mod enumeration;
mod pipe;

use super::control::{Control, Failure, Next, Request};
use super::descriptors;
use super::device::{Answer, Device, Token};
use super::dpram::Endpoint;
use crate::core::diagnostics::Diagnostics;
use crate::core::time::{Cycle, NEVER, Ticks};
use crate::core::uart_frame::SentByte;
use enumeration::Step;
use pipe::{Pipe, Use};
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

/// Bits per second at full speed, and bits of a frame (USB 2.0, 7.1.11, 7.1.12).
const RATE: u64 = 12_000_000;
const FRAME: u64 = 12_000;
const MILLISECOND: u64 = 12_000;
/// Bits of packets: SYNC, PID, what is in it, CRC, end (USB 2.0, 8.4). Stuffed bits are not counted.
const TOKEN: u64 = 8 + 8 + 11 + 5 + 3;
const DATA: u64 = 8 + 8 + 16 + 3;
const HANDSHAKE: u64 = 8 + 8 + 3;
/// Bits between two packets, of 2 to 6.5 (USB 2.0, 7.1.18), and in which an answer must have begun (7.1.19).
const TURN: u64 = 4;
const TIME_OUT: u64 = 18;
/// How long the host waits until the contacts of the plug are steady (USB 2.0, 7.1.7.3: TATTDB), drives a reset (TDRST)
/// and leaves the device alone after it (TRSTRCY); how long lines are idle until a device suspends (7.1.7.6).
const DEBOUNCE: u64 = 100 * MILLISECOND;
const RESET: u64 = 10 * MILLISECOND;
const RECOVERY: u64 = 10 * MILLISECOND;
const IDLE: u64 = 3 * MILLISECOND;
/// How long the host drives lines to wake a device, and leaves it alone after it (USB 2.0, 7.1.7.7: TDRSMDN, TRSMRCY).
const RESUME: u64 = 20 * MILLISECOND;
const RESUME_RECOVERY: u64 = 10 * MILLISECOND;
/// How long both lines are low until a device sees a reset: 2.5 µs.
const RESET_SEEN: u64 = 30;
/// How often the host resets a device that does not do what it must, and how often it repeats what is not answered.
const ATTEMPTS: u8 = 3;

/// What left the device: it is of the past, and may have been taken or not, so that it is no part of the state.
#[derive(Clone, Debug, Default)]
struct Sent(Vec<SentByte>);

impl Hash for Sent {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// How far the host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    /// There is no device.
    Detached,
    /// The plug may still bounce.
    Attached { suspended: bool },
    /// Both lines are low.
    Reset { seen: bool },
    /// Frames begin each millisecond; requests and data go from the time on.
    Runs { from: u64 },
    /// The host has given up, and sends no frames.
    Disabled { suspended: bool },
    /// The host sleeps, and sends no frames.
    Sleeps { suspended: bool },
    /// The host has awoken, and drives the lines until frames begin again.
    Resumes,
    /// The cable is not in the host; the device is on, from elsewhere.
    Unplugged { suspended: bool },
}

/// Who a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Owner {
    Control,
    Pipe(usize),
}

/// A transaction on the bus.
#[derive(Clone, Debug, Hash)]
struct Transaction {
    owner: Owner,
    endpoint: Endpoint,
    token: Token,
    data1: bool,
    data: Vec<u8>,
    answer: Answer,
    end: u64,
}

/// The host.
#[derive(Clone, Debug, Hash)]
pub struct Host {
    bits: Ticks,
    phase: Phase,
    /// Whether the cable is in the host; whether the host sleeps.
    plugged: bool,
    sleeps: bool,
    /// When the phase goes on; when the next frame begins; when the bus is free.
    timer: u64,
    frame: u64,
    free: u64,
    /// The first bit after firmware or the outside last did something.
    changed: u64,
    transaction: Option<Transaction>,
    event: Cycle,
    attempts: u8,
    address: u8,
    max_packet_0: usize,
    step: Step,
    control: Option<Control>,
    /// Bytes of the configuration; then the language of its strings.
    learned: u16,
    strings: Vec<u8>,
    configuration: Option<descriptors::Configuration>,
    requests: VecDeque<Request>,
    /// Requests from outside, and what became of them.
    asked: VecDeque<Request>,
    answers: Vec<Result<Vec<u8>, Failure>>,
    pipes: Vec<Pipe>,
    turn: usize,
    input: VecDeque<u8>,
    sent: Sent,
    opened: bool,
}

impl Host {
    /// A host without a device, on a chip with this rate of `clk_sys`.
    pub fn new(sys: u64) -> Self {
        let mut bits = Ticks::stopped();
        bits.set_rate(0, RATE, sys);
        Self {
            bits,
            phase: Phase::Detached,
            plugged: true,
            sleeps: false,
            timer: 0,
            frame: 0,
            free: 0,
            changed: 0,
            transaction: None,
            event: NEVER,
            attempts: 0,
            address: 0,
            max_packet_0: 64,
            step: Step::Head,
            control: None,
            learned: 0,
            strings: Vec::new(),
            configuration: None,
            requests: VecDeque::new(),
            asked: VecDeque::new(),
            answers: Vec::new(),
            pipes: Vec::new(),
            turn: 0,
            input: VecDeque::new(),
            sent: Sent::default(),
            opened: false,
        }
    }

    /// Follows a change of `clk_sys`, in cycles of which the chip's time is.
    pub fn set_rate(&mut self, now: Cycle, sys: u64, device: &Device) {
        self.bits.set_rate(now, RATE, sys);
        self.plan(device);
    }

    /// Follows what firmware did to the device.
    pub fn device_changed(&mut self, device: &mut Device, now: Cycle) {
        self.changed = self.time(now);
        let was_there = !matches!(self.phase, Phase::Detached | Phase::Unplugged { .. });
        match (device.is_attached(), self.plugged) {
            (true, true) if !was_there => {
                device.set_connected(true);
                self.attempts = 0;
                self.phase = Phase::Attached { suspended: false };
                self.timer = self.changed + IDLE;
            }
            (true, false) if !matches!(self.phase, Phase::Unplugged { .. }) => {
                self.lose(device, Phase::Unplugged { suspended: false });
                self.timer = self.changed + IDLE;
            }
            (false, _) if self.phase != Phase::Detached => self.lose(device, Phase::Detached),
            _ => {}
        }
        self.plan(device);
    }

    fn lose(&mut self, device: &mut Device, phase: Phase) {
        device.set_connected(false);
        self.forget_device();
        self.phase = phase;
    }

    /// Puts the cable into the host, or pulls it.
    pub fn plug(&mut self, plugged: bool, device: &mut Device, now: Cycle) {
        self.plugged = plugged;
        self.device_changed(device, now);
    }

    /// Goes to sleep once no transaction is under way, or wakes up.
    pub fn sleep(&mut self, sleeps: bool, device: &mut Device, now: Cycle) {
        self.sleeps = sleeps;
        self.changed = self.time(now);
        if !sleeps && matches!(self.phase, Phase::Sleeps { .. }) {
            device.resume();
            self.phase = Phase::Resumes;
            self.timer = self.changed + RESUME;
        }
        self.plan(device);
    }

    /// Resets a device that is there, and begins anew with it.
    pub fn reset(&mut self, device: &mut Device, now: Cycle) {
        self.changed = self.time(now);
        if !matches!(self.phase, Phase::Detached | Phase::Unplugged { .. } | Phase::Attached { .. }) {
            self.attempts = 0;
            self.begin_reset(self.changed, device);
        }
        self.plan(device);
    }

    /// Has a request for the device, once it is configured and earlier ones are over.
    pub fn request(&mut self, request: Request, device: &Device, now: Cycle) {
        self.asked.push_back(request);
        self.changed = self.time(now);
        if self.step == Step::Done && self.control.is_none() {
            self.control = self.asked.pop_front().map(|request| Control::new(request, self.changed));
        }
        self.plan(device);
    }

    /// What became of such requests since the last call.
    pub fn take_answers(&mut self) -> Vec<Result<Vec<u8>, Failure>> {
        std::mem::take(&mut self.answers)
    }

    /// The next cycle in which something happens on the bus.
    pub fn next_event(&self) -> Cycle {
        self.event
    }

    /// Text from the device that nobody has taken.
    pub fn sent(&self) -> &[SentByte] {
        &self.sent.0
    }

    /// Takes so many of the oldest characters.
    pub fn take_oldest(&mut self, count: usize) -> Vec<SentByte> {
        self.sent.0.drain(..count.min(self.sent.0.len())).collect()
    }

    /// Text for the device that waits.
    pub fn waiting(&self) -> usize {
        self.input.len()
    }

    /// Whether text is for a serial port of the device: one is open.
    pub fn is_open(&self) -> bool {
        self.pipes.iter().any(|pipe| pipe.purpose == Use::Input)
    }

    /// Whether one has been opened since the last call.
    pub fn take_opened(&mut self) -> bool {
        std::mem::take(&mut self.opened)
    }

    /// Has text for the first serial port.
    pub fn send(&mut self, byte: u8, device: &Device, now: Cycle) {
        self.input.push_back(byte);
        self.changed = self.time(now);
        self.plan(device);
    }

    /// Takes over what is outside of a chip that is reset.
    pub fn keep_outside(&mut self, old: &mut Self) {
        self.sent = std::mem::take(&mut old.sent);
        self.input = std::mem::take(&mut old.input);
        (self.plugged, self.sleeps) = (old.plugged, old.sleeps);
    }

    /// The first bit that begins after a cycle.
    fn time(&self, now: Cycle) -> u64 {
        self.bits.count(now) + 1
    }

    fn forget_device(&mut self) {
        self.transaction = None;
        self.control = None;
        self.step = Step::Head;
        (self.address, self.max_packet_0) = (0, 64);
        self.pipes.clear();
        self.requests.clear();
        self.asked.clear();
        self.strings.clear();
        self.configuration = None;
    }

    /// Decides when there is next something to do.
    fn plan(&mut self, device: &Device) {
        self.event = self.next_time(device).map_or(NEVER, |time| self.bits.cycle_of(time));
    }

    fn next_time(&self, device: &Device) -> Option<u64> {
        match self.phase {
            Phase::Detached
            | Phase::Disabled { suspended: true }
            | Phase::Sleeps { suspended: true }
            | Phase::Unplugged { suspended: true } => None,
            Phase::Attached { .. }
            | Phase::Reset { .. }
            | Phase::Disabled { .. }
            | Phase::Sleeps { .. }
            | Phase::Unplugged { .. }
            | Phase::Resumes => Some(self.timer),
            Phase::Runs { .. } => {
                let transaction = match &self.transaction {
                    Some(transaction) => Some(transaction.end),
                    None if self.sleeps => Some(self.free.max(self.changed)),
                    None => self.next_transaction(device).map(|(start, _)| start),
                };
                Some(transaction.map_or(self.frame, |time| time.min(self.frame)))
            }
        }
    }

    /// When the next transaction begins, and whose it is: requests come first, then end points in turns.
    fn next_transaction(&self, device: &Device) -> Option<(u64, Owner)> {
        let Phase::Runs { from } = self.phase else { return None };
        let soonest = self.free.max(from).max(self.changed);
        if let Some(control) = &self.control {
            let (endpoint, token) = control.next_token();
            let waits = device.answer(self.address, endpoint, token) == Answer::Nak;
            let start =
                if waits && !device.reports_naks(endpoint) { None } else { Some(soonest.max(control.not_before)) };
            return start.map(|start| (start, Owner::Control));
        }
        let count = self.pipes.len();
        let candidates = (0..count).map(|i| (self.turn + i) % count).filter_map(|i| {
            let pipe = &self.pipes[i];
            if pipe.stopped || pipe.purpose == Use::Input && self.input.is_empty() {
                return None;
            }
            let token = if pipe.endpoint.out { Token::Out } else { Token::In };
            let waits = device.answer(self.address, pipe.endpoint(), token) == Answer::Nak;
            let looks = !waits || device.reports_naks(pipe.endpoint());
            looks.then(|| (pipe.first_look(soonest), Owner::Pipe(i)))
        });
        candidates.min_by_key(|&(start, _)| start)
    }

    /// Does what is due.
    pub fn wake(&mut self, device: &mut Device, diagnostics: &mut Diagnostics, now: Cycle) {
        let present = self.bits.count(now);
        while let Some(time) = self.next_time(device).filter(|&time| time <= present) {
            self.act(time, now, device, diagnostics);
        }
        self.plan(device);
    }

    fn act(&mut self, time: u64, now: Cycle, device: &mut Device, diagnostics: &mut Diagnostics) {
        match self.phase {
            Phase::Detached
            | Phase::Disabled { suspended: true }
            | Phase::Sleeps { suspended: true }
            | Phase::Unplugged { suspended: true } => {}
            Phase::Disabled { .. } => {
                device.suspend();
                self.phase = Phase::Disabled { suspended: true };
            }
            Phase::Sleeps { .. } => {
                device.suspend();
                self.phase = Phase::Sleeps { suspended: true };
            }
            Phase::Unplugged { .. } => {
                device.suspend();
                self.phase = Phase::Unplugged { suspended: true };
            }
            Phase::Resumes => self.begin_frames(time, RESUME_RECOVERY),
            Phase::Attached { suspended: false } => {
                device.suspend();
                self.phase = Phase::Attached { suspended: true };
                self.timer = time + DEBOUNCE - IDLE;
            }
            Phase::Attached { suspended: true } => self.begin_reset(time, device),
            Phase::Reset { seen: false } => {
                device.bus_reset();
                self.phase = Phase::Reset { seen: true };
                self.timer = time + RESET - RESET_SEEN;
            }
            Phase::Reset { seen: true } => {
                device.hold_low(false);
                self.begin_frames(time, RECOVERY);
                self.ask(time, diagnostics);
            }
            Phase::Runs { .. } => self.run(time, now, device, diagnostics),
        }
    }

    /// Begins to send frames, and requests and data some time later.
    fn begin_frames(&mut self, time: u64, later: u64) {
        self.frame = (time / FRAME + 1) * FRAME;
        self.free = time;
        self.phase = Phase::Runs { from: time + later };
    }

    fn begin_reset(&mut self, time: u64, device: &mut Device) {
        self.forget_device();
        device.hold_low(true);
        self.phase = Phase::Reset { seen: false };
        self.timer = time + RESET_SEEN;
    }

    fn run(&mut self, time: u64, now: Cycle, device: &mut Device, diagnostics: &mut Diagnostics) {
        if let Some(transaction) = self.transaction.take_if(|transaction| transaction.end <= time) {
            return self.end(transaction, now, device, diagnostics);
        }
        if self.sleeps && self.transaction.is_none() {
            self.phase = Phase::Sleeps { suspended: false };
            self.timer = time + IDLE;
            return;
        }
        if self.frame <= time {
            self.free = self.free.max(self.frame + TOKEN + TURN);
            device.start_of_frame((self.frame / FRAME) as u32);
            self.frame += FRAME;
            if self.control.as_ref().is_some_and(|control| control.deadline <= time) {
                self.control = None;
                self.conclude(Err(Failure::TooLate), time, device, diagnostics);
            }
            return;
        }
        let Some((start, owner)) = self.next_transaction(device).filter(|next| next.0 <= time) else {
            return;
        };
        self.begin(start, owner, device);
    }

    /// Begins a transaction, or puts it off to the next frame if this one has no room for it.
    fn begin(&mut self, start: u64, owner: Owner, device: &mut Device) {
        let (endpoint, token, data1, data) = match owner {
            Owner::Control => {
                let Some(control) = &self.control else { return };
                let (endpoint, token) = control.next_token();
                let (data1, data) = control.packet(self.max_packet_0);
                (endpoint, token, data1, data)
            }
            Owner::Pipe(i) => {
                let pipe = &self.pipes[i];
                let token = if pipe.endpoint.out { Token::Out } else { Token::In };
                let most = if pipe.endpoint.out { usize::from(pipe.endpoint.max_packet) } else { 0 };
                (pipe.endpoint(), token, pipe.data1, self.input.iter().take(most).copied().collect())
            }
        };
        let answer = device.answer(self.address, endpoint, token);
        let data_bits = if token == Token::In { 0 } else { TURN + DATA + 8 * data.len() as u64 };
        let answer_bits = match &answer {
            Answer::Silence => TIME_OUT,
            Answer::Nak | Answer::Stall | Answer::Ack => TURN + HANDSHAKE,
            Answer::Data { bytes, .. } => TURN + DATA + 8 * bytes.len() as u64 + TURN + HANDSHAKE,
        };
        let end = start + TOKEN + data_bits + answer_bits;
        if end > self.frame {
            self.free = self.frame;
            return;
        }
        device.begin(endpoint);
        self.transaction = Some(Transaction { owner, endpoint, token, data1, data, answer, end });
    }

    fn end(&mut self, done: Transaction, now: Cycle, device: &mut Device, diagnostics: &mut Diagnostics) {
        let Transaction { owner, endpoint, token, data1, data, answer, end } = done;
        device.end(endpoint, token, &answer, data1, &data);
        self.free = end + TURN;
        match owner {
            Owner::Control => {
                let Some(control) = &mut self.control else { return };
                if answer == Answer::Nak {
                    control.not_before = self.frame;
                }
                if let Next::Over(result) = control.answered(&answer, self.max_packet_0, ATTEMPTS) {
                    let setup = control.setup();
                    self.control = None;
                    if result.is_ok() {
                        self.restart_pipes(setup);
                    }
                    self.conclude(result, end, device, diagnostics);
                }
            }
            Owner::Pipe(i) => self.end_of_pipe(i, answer, data.len(), now, diagnostics),
        }
    }
}
