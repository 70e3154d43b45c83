//! The end points that the host uses once the device is configured.

use super::{ATTEMPTS, FRAME, Host};
use crate::core::diagnostics::Diagnostics;
use crate::core::time::Cycle;
use crate::core::uart_frame::SentByte;
use crate::rp2::usb::descriptors::EndpointDescriptor;
use crate::rp2::usb::device::Answer;
use crate::rp2::usb::dpram::Endpoint;

/// `bmRequestType` and `bRequest` (USB 2.0 table 9-3).
const SET_CONFIGURATION: (u8, u8) = (0, 9);
const SET_INTERFACE: (u8, u8) = (1, 11);
const CLEAR_FEATURE: (u8, u8) = (2, 1);

/// What the host does with an end point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// Its text is output.
    Output,
    /// It gets the input.
    Input,
    /// What comes is dropped.
    Dropped,
}

/// An end point in use.
#[derive(Clone, Debug, Hash)]
pub struct Pipe {
    pub endpoint: EndpointDescriptor,
    pub purpose: Use,
    /// The PID of the next packet is DATA1.
    pub data1: bool,
    /// When the host looks again.
    pub next: u64,
    failures: u8,
    pub stopped: bool,
}

impl Pipe {
    /// One that has not been used.
    pub fn new(endpoint: EndpointDescriptor, purpose: Use) -> Self {
        Self { endpoint, purpose, data1: false, next: 0, failures: 0, stopped: false }
    }

    /// Its name for the device.
    pub fn endpoint(&self) -> Endpoint {
        Endpoint { number: self.endpoint.number, out: self.endpoint.out }
    }

    /// When the host looks at it, not before a time: at an interrupt end point in the frames of its interval.
    pub fn first_look(&self, soonest: u64) -> u64 {
        if self.endpoint.interval == 0 || soonest <= self.next {
            return soonest.max(self.next);
        }
        let period = u64::from(self.endpoint.interval) * FRAME;
        let frame = soonest / FRAME * FRAME;
        soonest.max(self.next + frame.saturating_sub(self.next).div_ceil(period) * period)
    }
}

impl Host {
    /// After a request that has the device begin anew with end points, so does the host (USB 2.0, 9.4.5, 9.4.7, 9.4.10).
    pub(super) fn restart_pipes(&mut self, setup: [u8; 8]) {
        let [kind, request, .., low, _, _, _] = setup;
        for pipe in &mut self.pipes {
            let address = pipe.endpoint.number | if pipe.endpoint.out { 0 } else { 0x80 };
            if matches!((kind, request), SET_CONFIGURATION | SET_INTERFACE)
                || (kind, request) == CLEAR_FEATURE && address == low
            {
                (pipe.data1, pipe.stopped, pipe.failures) = (false, false, 0);
            }
        }
    }

    /// Deals with the end of a transaction with an end point; `sent` bytes of input were in it.
    pub(super) fn end_of_pipe(
        &mut self,
        i: usize,
        answer: Answer,
        sent: usize,
        now: Cycle,
        diagnostics: &mut Diagnostics,
    ) {
        self.turn = (i + 1) % self.pipes.len().max(1);
        let Some(pipe) = self.pipes.get_mut(i) else { return };
        pipe.next = match pipe.endpoint.interval {
            0 if answer == Answer::Nak => self.frame,
            0 => 0,
            interval => self.frame + (u64::from(interval) - 1) * FRAME,
        };
        if answer == Answer::Silence {
            pipe.failures += 1;
        } else {
            pipe.failures = 0;
        }
        match answer {
            Answer::Ack => {
                pipe.data1 = !pipe.data1;
                self.input.drain(..sent.min(self.input.len()));
            }
            Answer::Data { bytes, .. } if bytes.len() > usize::from(pipe.endpoint.max_packet) => {
                pipe.stopped = true;
                diagnostics.remark(
                    "USB",
                    "a packet of the device is longer than its end point's descriptor allows",
                    now,
                );
            }
            Answer::Data { data1, .. } if data1 != pipe.data1 => {
                diagnostics.remark("USB", "the host drops a packet with the wrong PID (DATA0 or DATA1)", now);
            }
            Answer::Data { bytes, .. } => {
                pipe.data1 = !pipe.data1;
                if pipe.purpose == Use::Output {
                    self.sent.0.extend(bytes.into_iter().map(|byte| SentByte { at: now, byte, rate: 0 }));
                }
            }
            Answer::Stall => {
                pipe.stopped = true;
                diagnostics.remark("USB", "an end point answers STALL: the host no longer uses it", now);
            }
            Answer::Silence if pipe.failures == ATTEMPTS => {
                pipe.stopped = true;
                diagnostics.remark("USB", "an end point does not answer: the host no longer uses it", now);
            }
            Answer::Silence | Answer::Nak => {}
        }
    }
}
