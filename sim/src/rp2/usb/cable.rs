//! The device and the host at the other end of its cable: what the outside does to both.

use super::control::{Failure, Request};
use super::device::Device;
use super::host::Host;
use crate::core::time::Cycle;
use crate::core::uart_frame::SentByte;
use crate::rp2::clock::Clocks;
use crate::rp2::peripheral::Context;
use std::hash::{Hash, Hasher};

/// Both ends of the cable.
#[derive(Clone, Debug)]
pub struct Cable {
    pub(super) device: Device,
    pub(super) host: Host,
    /// The number of the device's interrupt.
    irq: u8,
    /// Whether all input is for the port over USB, or none; if nobody has said so, it is once that is open.
    pub takes_input: Option<bool>,
}

/// Who gets the input is a matter of those who give it.
impl Hash for Cable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.device, &self.host).hash(state);
    }
}

impl Cable {
    /// A device at power-on and a host that has not seen it yet.
    pub(super) fn new(device: Device, irq: u8) -> Self {
        Self { device, host: Host::new(Clocks::at_power_on().sys()), irq, takes_input: None }
    }

    /// Has the host follow what firmware did to the device.
    pub(super) fn device_changed(&mut self, context: &mut Context<'_>) {
        self.host.device_changed(&mut self.device, context.now);
        self.update_interrupt(context);
    }

    /// Sets the level of the interrupt line.
    pub fn update_interrupt(&self, context: &mut Context<'_>) {
        context.irq.set(self.irq, self.device.interrupts() != 0);
    }

    /// Text from the device that nobody has taken.
    pub fn sent(&self) -> &[SentByte] {
        self.host.sent()
    }

    /// Takes so many of the oldest characters.
    pub fn take_oldest(&mut self, count: usize) -> Vec<SentByte> {
        self.host.take_oldest(count)
    }

    /// Whether the host has opened a serial port, so that input is for it.
    pub fn is_open(&self) -> bool {
        self.host.is_open()
    }

    /// Whether it has opened one since the last call.
    pub fn take_opened(&mut self) -> bool {
        self.host.take_opened()
    }

    /// Characters for the serial port that wait.
    pub fn waiting(&self) -> usize {
        self.host.waiting()
    }

    /// Has a character for the first serial port.
    pub fn send(&mut self, byte: u8, now: Cycle) {
        self.host.send(byte, &self.device, now);
    }

    /// Puts the cable into the host, or pulls it; a chip begins with it in the host.
    pub fn plug(&mut self, plugged: bool, now: Cycle) {
        self.host.plug(plugged, &mut self.device, now);
    }

    /// Has the host sleep, or wake up.
    pub fn sleep(&mut self, sleeps: bool, now: Cycle) {
        self.host.sleep(sleeps, &mut self.device, now);
    }

    /// Has the host reset the device and begin anew with it.
    pub fn reset_bus(&mut self, now: Cycle) {
        self.host.reset(&mut self.device, now);
    }

    /// Has the host make a request with data for the device, when the device is configured and earlier requests are over.
    pub fn request(&mut self, setup: [u8; 8], data: Vec<u8>, now: Cycle) {
        self.host.request(Request::raw(setup, data), &self.device, now);
    }

    /// What the device sent for each such request since the last call, or why it failed.
    pub fn take_answers(&mut self) -> Vec<Result<Vec<u8>, &'static str>> {
        self.host.take_answers().into_iter().map(|answer| answer.map_err(Failure::sentence)).collect()
    }

    /// Takes over what is outside of a chip that is reset.
    pub fn keep_host(&mut self, old: &mut Self) {
        self.host.keep_outside(&mut old.host);
        self.takes_input = old.takes_input;
    }
}
