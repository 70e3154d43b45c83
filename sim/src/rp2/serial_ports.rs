//! The serial ports of a chip as the outside has them: UART0, UART1, and the port over USB, in this order.

use crate::core::time::Cycle;
use crate::core::uart_frame::SentByte;
use crate::rp2::peripheral::Context;
use crate::rp2::uart::Uart;
use crate::rp2::usb::cable::Cable;

/// The number of the port over USB.
pub const USB_PORT: usize = 2;
/// Names of the ports.
pub const NAMES: &[&str] = &["UART0", "UART1", "USB"];
/// Those of them whose output is that of the program.
pub const CONSOLE: &[usize] = &[0, USB_PORT];

/// Peripherals of a chip with two UARTs and USB.
pub trait SerialPorts {
    /// Both UARTs, and the cable of USB.
    fn ports(&self) -> (&[Uart; 2], &Cable);

    /// The same, to change them.
    fn ports_mut(&mut self) -> (&mut [Uart; 2], &mut Cable);

    /// Is called after changes: a port may now be the next peripheral that does something.
    fn ports_changed(&mut self);

    /// Puts a character from the outside on the line to a UART, not before cycle `not_before`; or into the hands of the
    /// host on USB. The bits set in `flipped` (the start bit is bit 0) arrive inverted at a UART.
    fn inject(&mut self, port: usize, byte: u8, flipped: u16, not_before: Cycle, now: Cycle) {
        let (uarts, cable) = self.ports_mut();
        if port == USB_PORT {
            cable.send(byte, now);
        } else {
            let uart = &mut uarts[port & 1];
            uart.line.send(byte, flipped, not_before);
            uart.schedule(now);
        }
        self.ports_changed();
    }

    /// Has the host on USB do something to the device, beside its text.
    fn with_cable<T>(&mut self, act: impl FnOnce(&mut Cable, Cycle) -> T, context: &mut Context<'_>) -> T {
        let (_, cable) = self.ports_mut();
        let result = act(cable, context.now);
        cable.update_interrupt(context);
        self.ports_changed();
        result
    }

    /// The port that input is for: unless somebody has said so, the one over USB once the host has opened it, and UART0
    /// before that.
    fn input_port(&self) -> usize {
        let (_, cable) = self.ports();
        if cable.takes_input.unwrap_or_else(|| cable.is_open()) { USB_PORT } else { 0 }
    }

    /// Characters that wait to get into the chip where input goes.
    fn waiting_input(&self) -> usize {
        let (uarts, cable) = self.ports();
        if self.input_port() == USB_PORT { cable.waiting() } else { uarts[0].line.waiting() }
    }

    /// Whether input could wake the program.
    fn listens(&self) -> bool {
        let (uarts, cable) = self.ports();
        uarts[0].listens() || cable.is_open()
    }

    /// What a port has sent and nobody has taken.
    fn sent(&self, port: usize) -> &[SentByte] {
        let (uarts, cable) = self.ports();
        if port == USB_PORT { cable.sent() } else { uarts[port & 1].sent() }
    }

    /// Takes so many of the characters that a port sent first.
    fn take_oldest(&mut self, port: usize, count: usize) -> Vec<SentByte> {
        let (uarts, cable) = self.ports_mut();
        if port == USB_PORT { cable.take_oldest(count) } else { uarts[port & 1].take_oldest(count) }
    }

    /// When the host has opened the port over USB: what UART0 has not received yet goes there.
    fn move_input(&mut self, now: Cycle) {
        if self.ports_mut().1.take_opened() && self.input_port() == USB_PORT {
            let (uarts, cable) = self.ports_mut();
            for byte in uarts[0].line.take_waiting() {
                cable.send(byte, now);
            }
            uarts[0].schedule(now);
        }
    }
}
