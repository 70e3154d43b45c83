//! Requests of the host to end point 0, each with its stages (USB 2.0, 8.5.3).

use super::descriptors::{Function, REPORT};
use super::device::{Answer, Token};
use super::dpram::Endpoint;

/// `bmRequestType` (USB 2.0 table 9-2): data for the host; standard, or of a class, to an interface.
const TO_HOST: u8 = 0x80;
const INTERFACE: u8 = 0x01;
const CLASS_INTERFACE: u8 = 0x21;
/// `bRequest` (USB 2.0 table 9-4, PSTN 1.2 table 13, HID 1.11 section 7.2).
const SET_ADDRESS: u8 = 5;
const GET_DESCRIPTOR: u8 = 6;
const SET_CONFIGURATION: u8 = 9;
const SET_LINE_CODING: u8 = 0x20;
const SET_CONTROL_LINE_STATE: u8 = 0x22;
const SET_IDLE: u8 = 0x0a;
/// 115,200 bits per second, one stop bit, no parity, 8 bits; the terminal is ready and wants to send.
const LINE_CODING: [u8; 7] = [0x00, 0xc2, 0x01, 0x00, 0, 0, 8];
const DTR_RTS: u16 = 3;
/// Bits of full speed after which a request has failed (USB 2.0, 9.2.6.1): 5 s.
const LIMIT: u64 = 60_000_000;

/// A request, with data for the device.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    setup: [u8; 8],
    data: Vec<u8>,
}

impl Request {
    fn new(kind: u8, request: u8, value: u16, index: u16, length: u16) -> Self {
        let [value, index, length] = [value, index, length].map(u16::to_le_bytes);
        let setup = [kind, request, value[0], value[1], index[0], index[1], length[0], length[1]];
        Self { setup, data: Vec::new() }
    }

    /// One that somebody has written down, with data for the device.
    pub fn raw(setup: [u8; 8], data: Vec<u8>) -> Self {
        Self { setup, data }
    }

    /// For so many bytes of a descriptor.
    pub fn descriptor(kind: u8, number: u8, language: u16, length: u16) -> Self {
        Self::new(TO_HOST, GET_DESCRIPTOR, u16::from_le_bytes([number, kind]), language, length)
    }

    /// Gives the device an address.
    pub fn set_address(address: u8) -> Self {
        Self::new(0, SET_ADDRESS, address.into(), 0, 0)
    }

    /// Chooses a configuration.
    pub fn set_configuration(value: u8) -> Self {
        Self::new(0, SET_CONFIGURATION, value.into(), 0, 0)
    }

    /// What a driver asks of a function when it begins.
    pub fn of_function(function: &Function) -> Vec<Self> {
        match *function {
            Function::Serial { interface, .. } => {
                let length = LINE_CODING.len() as u16;
                let coding = Self::new(CLASS_INTERFACE, SET_LINE_CODING, 0, interface.into(), length);
                let state = Self::new(CLASS_INTERFACE, SET_CONTROL_LINE_STATE, DTR_RTS, interface.into(), 0);
                vec![Self { data: LINE_CODING.to_vec(), ..coding }, state]
            }
            Function::Hid { interface, report_length, .. } => {
                let idle = Self::new(CLASS_INTERFACE, SET_IDLE, 0, interface.into(), 0);
                let kind = u16::from_le_bytes([0, REPORT]);
                vec![idle, Self::new(TO_HOST | INTERFACE, GET_DESCRIPTOR, kind, interface.into(), report_length)]
            }
            Function::Other => Vec::new(),
        }
    }

    fn is_to_host(&self) -> bool {
        self.setup[0] & TO_HOST != 0
    }

    fn length(&self) -> usize {
        usize::from(u16::from_le_bytes([self.setup[6], self.setup[7]]))
    }
}

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    Stalled,
    Silent,
    TooLate,
    TooLong,
    WrongPid,
}

impl Failure {
    /// The same as a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Stalled => "the device refuses (STALL) a request of the host that it must carry out",
            Self::Silent => "the device does not answer the host",
            Self::TooLate => "the device has not carried out a request of the host within 5 s",
            Self::TooLong => "the device sends more than the host asked for",
            Self::WrongPid => "the device sends a packet with the wrong PID (DATA0 or DATA1) from end point 0",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    Setup,
    DataIn,
    DataOut,
    StatusIn,
    StatusOut,
}

/// What comes after a transaction.
#[derive(Debug)]
pub enum Next {
    /// Another one.
    Goes,
    /// The request is over, with what the device sent.
    Over(Result<Vec<u8>, Failure>),
}

/// A request under way.
#[derive(Clone, Debug, Hash)]
pub struct Control {
    request: Request,
    stage: Stage,
    data1: bool,
    /// Bytes so far of the data stage.
    received: Vec<u8>,
    sent: usize,
    failures: u8,
    /// When it has failed.
    pub deadline: u64,
    /// When its next transaction may begin.
    pub not_before: u64,
}

impl Control {
    /// Begins.
    pub fn new(request: Request, time: u64) -> Self {
        let (stage, deadline) = (Stage::Setup, time + LIMIT);
        Self { request, stage, data1: false, received: Vec::new(), sent: 0, failures: 0, deadline, not_before: 0 }
    }

    /// The first packet of its request.
    pub fn setup(&self) -> [u8; 8] {
        self.request.setup
    }

    /// What its next transaction is.
    pub fn next_token(&self) -> (Endpoint, Token) {
        let token = match self.stage {
            Stage::Setup => Token::Setup,
            Stage::DataIn | Stage::StatusIn => Token::In,
            Stage::DataOut | Stage::StatusOut => Token::Out,
        };
        (Endpoint { number: 0, out: token != Token::In }, token)
    }

    /// The PID of its next packet, DATA1 or not, and the packet if the host sends it.
    pub fn packet(&self, max_packet: usize) -> (bool, Vec<u8>) {
        let data = match self.stage {
            Stage::Setup => self.request.setup.to_vec(),
            Stage::DataOut => self.request.data.iter().skip(self.sent).take(max_packet).copied().collect(),
            Stage::DataIn | Stage::StatusIn | Stage::StatusOut => Vec::new(),
        };
        (self.data1, data)
    }

    /// Goes on after an answer.
    pub fn answered(&mut self, answer: &Answer, max_packet: usize, attempts: u8) -> Next {
        match answer {
            Answer::Nak => return Next::Goes,
            Answer::Silence => {
                self.failures += 1;
                return if self.failures < attempts { Next::Goes } else { Next::Over(Err(Failure::Silent)) };
            }
            Answer::Stall => return Next::Over(Err(Failure::Stalled)),
            Answer::Data { data1, .. } if *data1 != self.data1 => return Next::Over(Err(Failure::WrongPid)),
            Answer::Ack | Answer::Data { .. } => self.failures = 0,
        }
        self.data1 = !self.data1;
        match (self.stage, answer) {
            (Stage::Setup, _) if self.request.length() == 0 => self.go_to_status(Stage::StatusIn),
            (Stage::Setup, _) if self.request.is_to_host() => self.stage = Stage::DataIn,
            (Stage::Setup, _) => self.stage = Stage::DataOut,
            (Stage::DataIn, Answer::Data { bytes, .. }) => {
                self.received.extend(bytes);
                if bytes.len() > max_packet || self.received.len() > self.request.length() {
                    return Next::Over(Err(Failure::TooLong));
                }
                if bytes.len() < max_packet || self.received.len() == self.request.length() {
                    self.go_to_status(Stage::StatusOut);
                }
            }
            (Stage::DataIn, _) => {}
            (Stage::DataOut, _) => {
                self.sent += max_packet;
                if self.sent >= self.request.data.len() {
                    self.go_to_status(Stage::StatusIn);
                }
            }
            (Stage::StatusIn, Answer::Data { bytes, .. }) if !bytes.is_empty() => {
                return Next::Over(Err(Failure::TooLong));
            }
            (Stage::StatusIn | Stage::StatusOut, _) => return Next::Over(Ok(std::mem::take(&mut self.received))),
        }
        Next::Goes
    }

    fn go_to_status(&mut self, stage: Stage) {
        (self.stage, self.data1) = (stage, true);
    }
}
