//! What the host asks a device that it has found, one request after the other, and what it makes of the answers.

use super::pipe::{Pipe, Use};
use super::{ATTEMPTS, Host, IDLE, MILLISECOND, Phase};
use crate::core::diagnostics::Diagnostics;
use crate::rp2::usb::control::{Control, Failure, Request};
use crate::rp2::usb::descriptors::{self, CONFIGURATION, DEVICE, Function, STRING};
use crate::rp2::usb::device::Device;

/// The address that the device gets, and how long the host leaves it alone then (USB 2.0, 9.2.6.3).
const ADDRESS: u8 = 1;
const ADDRESS_RECOVERY: u64 = 2 * MILLISECOND;

/// What the host is about to ask next, in this order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Head,
    Address,
    Device,
    ConfigurationHead,
    Configuration,
    Languages,
    String(usize),
    Configure,
    Class,
    Done,
}

impl Host {
    /// Asks what is next.
    pub(super) fn ask(&mut self, time: u64, diagnostics: &mut Diagnostics) {
        let request = match self.step {
            Step::Head => Request::descriptor(DEVICE, 0, 0, 64),
            Step::Address => Request::set_address(ADDRESS),
            Step::Device => Request::descriptor(DEVICE, 0, 0, 18),
            Step::ConfigurationHead => Request::descriptor(CONFIGURATION, 0, 0, 9),
            Step::Configuration => Request::descriptor(CONFIGURATION, 0, 0, self.learned),
            Step::Languages => Request::descriptor(STRING, 0, 0, 255),
            Step::String(i) => {
                let Some(&index) = self.strings.get(i) else {
                    return self.go_on(Step::Configure, time, diagnostics);
                };
                Request::descriptor(STRING, index, self.learned, 255)
            }
            Step::Configure => Request::set_configuration(self.configuration.as_ref().map_or(1, |found| found.value)),
            Step::Class => {
                let Some(request) = self.requests.pop_front() else {
                    self.open();
                    return self.go_on(Step::Done, time, diagnostics);
                };
                request
            }
            Step::Done => {
                let Some(request) = self.asked.pop_front() else { return };
                request
            }
        };
        self.control = Some(Control::new(request, time));
    }

    fn go_on(&mut self, step: Step, time: u64, diagnostics: &mut Diagnostics) {
        self.step = step;
        self.ask(time, diagnostics);
    }

    /// Deals with what became of a request.
    pub(super) fn conclude(
        &mut self,
        result: Result<Vec<u8>, Failure>,
        time: u64,
        device: &mut Device,
        diagnostics: &mut Diagnostics,
    ) {
        let now = self.bits.cycle_of(time);
        let data = match (&self.step, result) {
            // A device may refuse these.
            (Step::Languages | Step::String(_) | Step::Class, Err(_)) => Vec::new(),
            (Step::Done, answer) => {
                self.answers.push(answer);
                Vec::new()
            }
            (_, Ok(data)) => data,
            (_, Err(failure)) => {
                diagnostics.remark("USB", failure.sentence(), now);
                return self.give_up(time, device, diagnostics);
            }
        };
        match self.understand(&data, time) {
            Ok(step) => self.go_on(step, time, diagnostics),
            Err(why) => {
                diagnostics.remark("USB", why, now);
                self.give_up(time, device, diagnostics);
            }
        }
    }

    /// Takes what the device said, and yields what to ask next.
    fn understand(&mut self, data: &[u8], time: u64) -> Result<Step, &'static str> {
        Ok(match self.step {
            Step::Head => {
                let &[_, DEVICE, _, _, _, _, _, size @ (8 | 16 | 32 | 64), ..] = data else {
                    return Err("the device's descriptor is none, or has packets of other than 8, 16, 32 or 64 bytes");
                };
                self.max_packet_0 = usize::from(size);
                Step::Address
            }
            Step::Address => {
                self.address = ADDRESS;
                self.phase = Phase::Runs { from: time + ADDRESS_RECOVERY };
                Step::Device
            }
            Step::Device => {
                let &[_, DEVICE, _, _, _, _, _, _, _, _, _, _, _, _, maker, product, serial, configurations] = data
                else {
                    return Err("the device's descriptor is too short");
                };
                if configurations == 0 {
                    return Err("the device has no configuration");
                }
                self.strings = [maker, product, serial].into_iter().filter(|&index| index != 0).collect();
                Step::ConfigurationHead
            }
            Step::ConfigurationHead => {
                let &[_, CONFIGURATION, low, high, ..] = data else {
                    return Err("the configuration's descriptor is none");
                };
                self.learned = u16::from_le_bytes([low, high]);
                Step::Configuration
            }
            Step::Configuration => {
                if data.len() != usize::from(self.learned) {
                    return Err("the configuration is shorter than its descriptor says");
                }
                self.configuration = Some(descriptors::parse(data)?);
                Step::Languages
            }
            Step::Languages => {
                self.learned = if let &[_, STRING, low, high, ..] = data { u16::from_le_bytes([low, high]) } else { 0 };
                if self.learned == 0 { Step::Configure } else { Step::String(0) }
            }
            Step::String(i) => Step::String(i + 1),
            Step::Configure => {
                let functions = self.configuration.iter().flat_map(|configuration| &configuration.functions);
                self.requests = functions.flat_map(Request::of_function).collect();
                Step::Class
            }
            Step::Class => Step::Class,
            Step::Done => Step::Done,
        })
    }

    /// Resets the device, or lets it be.
    fn give_up(&mut self, time: u64, device: &mut Device, diagnostics: &mut Diagnostics) {
        self.attempts += 1;
        if self.attempts < ATTEMPTS {
            return self.begin_reset(time, device);
        }
        self.forget_device();
        self.phase = Phase::Disabled { suspended: false };
        self.timer = time + IDLE;
        let what = "the host does not use the device: it has reset it three times";
        diagnostics.remark("USB", what, self.bits.cycle_of(time));
    }

    /// Begins to use the end points.
    fn open(&mut self) {
        let Some(configuration) = &self.configuration else { return };
        for function in &configuration.functions {
            let (endpoints, is_serial) = match function {
                Function::Serial { endpoints, .. } => (endpoints, true),
                Function::Hid { endpoints, .. } => (endpoints, false),
                Function::Other => continue,
            };
            for &endpoint in endpoints {
                let is_bulk = endpoint.interval == 0;
                let purpose = match (is_serial && is_bulk, endpoint.out) {
                    (true, false) => Use::Output,
                    (true, true) if self.pipes.iter().all(|pipe| pipe.purpose != Use::Input) => Use::Input,
                    (_, true) => continue,
                    (false, false) => Use::Dropped,
                };
                self.opened |= purpose == Use::Input;
                self.pipes.push(Pipe::new(endpoint, purpose));
            }
        }
    }
}
