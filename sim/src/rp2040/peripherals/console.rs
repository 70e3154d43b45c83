//! The serial ports of the chip as the outside has them: UART0, UART1, and the port over USB, in this order.

use crate::core::time::Cycle;
use crate::core::uart_frame::SentByte;
use crate::rp2040::peripherals::usb::Usb;
use crate::rp2040::peripherals::{Context, Peripherals};

/// The number of the port over USB.
pub const USB_PORT: usize = 2;

impl Peripherals {
    /// Puts a character from the outside on the line to a UART, not before cycle `not_before`; or into the hands of the
    /// host on USB. The bits set in `flipped` (the start bit is bit 0) arrive inverted at a UART.
    pub fn inject(&mut self, port: usize, byte: u8, flipped: u16, not_before: Cycle, now: Cycle) {
        if port == USB_PORT {
            self.usb.send(byte, now);
        } else {
            let uart = &mut self.uarts[port & 1];
            uart.line.send(byte, flipped, not_before);
            uart.schedule(now);
        }
        self.schedule();
    }

    /// Has the host on USB do something to the device, beside its text.
    pub fn with_usb<T>(&mut self, act: impl FnOnce(&mut Usb, Cycle) -> T, context: &mut Context<'_>) -> T {
        let result = act(&mut self.usb, context.now);
        self.usb.update_interrupt(context);
        self.schedule();
        result
    }

    /// The port that input is for: unless somebody has said so, the one over USB once the host has opened it, and UART0
    /// before that.
    pub fn input_port(&self) -> usize {
        if self.usb.takes_input.unwrap_or_else(|| self.usb.is_open()) { USB_PORT } else { 0 }
    }

    /// Characters that wait to get into the chip where input goes.
    pub fn waiting_input(&self) -> usize {
        if self.input_port() == USB_PORT { self.usb.waiting() } else { self.uarts[0].line.waiting() }
    }

    /// What a port has sent and nobody has taken.
    pub fn sent(&self, port: usize) -> &[SentByte] {
        if port == USB_PORT { self.usb.sent() } else { self.uarts[port & 1].sent() }
    }

    /// Takes so many of the characters that a port sent first.
    pub fn take_oldest(&mut self, port: usize, count: usize) -> Vec<SentByte> {
        if port == USB_PORT { self.usb.take_oldest(count) } else { self.uarts[port & 1].take_oldest(count) }
    }

    /// When the host has opened the port over USB: what UART0 has not received yet goes there.
    pub(super) fn move_input(&mut self, now: Cycle) {
        if self.usb.take_opened() && self.input_port() == USB_PORT {
            for byte in self.uarts[0].line.take_waiting() {
                self.usb.send(byte, now);
            }
            self.uarts[0].schedule(now);
        }
    }
}
