//! What the host does to the chip from outside: read its counters, write its registers, talk to its UARTs.

use crate::core::bus::Bus as _;
use crate::core::statistics::Statistics;
use crate::core::time::Cycle;
use crate::rp2::clock::Rates;
use crate::rp2::serial_ports::SerialPorts;
use crate::rp2::usb::cable::Cable;
use crate::rp2::xosc::CRYSTAL;
use crate::rp2040::machine::Machine;
use crate::rp2040::peripherals::Peripherals;
use crate::rp2040::peripherals::board::Change;
use crate::rp2040::peripherals::divider::DIVIDE_CYCLES;
use crate::rp2040::peripherals::pins::Wire;
use crate::rp2040::peripherals::sio;
use crate::rp2040::peripherals::sio::{DIV_SDIVISOR, DIV_UDIVIDEND, Sio};

impl Machine {
    /// What a core did so far, a sleep that goes on included.
    pub fn statistics(&self, number: usize) -> Statistics {
        let core = self.core(number);
        let mut statistics = core.stats.clone();
        if core.is_asleep() {
            statistics.asleep += self.now().saturating_sub(core.slept_at);
        }
        statistics
    }

    /// Writes a register of a peripheral as a core would, in no time. False if there is none at the address.
    pub fn write_register(&mut self, address: u32, value: u32) -> bool {
        let now = self.now();
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        let written = peripherals.write(address, value, &mut context).is_some();
        self.take_settings();
        self.pass_interrupts(now);
        written
    }

    /// A register of a peripheral, read without side effects.
    pub fn peek_register(&self, address: u32) -> u32 {
        self.bus.peripherals.peek(address, self.now(), &self.bus.clocks)
    }

    /// Writes a register of SIO as a core would. Time stands still for whoever does this, so a division that it begins is
    /// over at once.
    pub(crate) fn write_io(&mut self, core: usize, address: u32, value: u32) {
        let operand = (DIV_UDIVIDEND..=DIV_SDIVISOR).contains(&(address & 0xfff));
        let ago = if operand { DIVIDE_CYCLES + 1 } else { 0 };
        let now = self.now();
        self.bus.write_io(core as u8 & 1, address, value, now.saturating_sub(ago));
        self.bus.fabric.requests.touch(now);
    }

    /// Writes a register of a core's private peripheral bus (NVIC, SCB, `SysTick`) as the core would, in no time.
    pub fn write_private(&mut self, core: usize, address: u32, value: u32) {
        let now = self.now();
        self.cores[core & 1].poke_private(address, value, now, &mut self.bus);
        // The machine looks before any core goes on.
        self.bus.fabric.requests.touch(now);
    }

    /// Puts bytes into memory, all or none. False if there is no memory for all of them.
    pub fn write(&mut self, address: u32, bytes: &[u8]) -> bool {
        let last = u64::from(address) + bytes.len() as u64;
        let mut words = (u64::from(address & !3)..last).step_by(4);
        words.all(|word| u32::try_from(word).is_ok_and(|word| self.peek(word).is_some())) && self.load(address, bytes)
    }

    /// A register of a peripheral or, as a core sees it, of SIO, without side effects; none where none is modelled.
    pub fn peripheral_register(&self, core: usize, address: u32) -> Option<u32> {
        if address >> 28 == 0xd {
            let (offset, peripherals) = (sio::offset(address), &self.bus.peripherals);
            return Some(if Sio::is_input(offset) {
                peripherals.gpio_in_at(self.now())
            } else {
                peripherals.sio.peek(core & 1, offset, self.now())
            });
        }
        Peripherals::is_modelled(address).then(|| self.peek_register(address & !3))
    }

    /// Puts a byte on the line to a UART, behind those that are on it, and not before cycle `not_before`.
    pub fn send_uart(&mut self, uart: usize, byte: u8, not_before: Cycle) {
        let now = self.now();
        self.bus.peripherals.inject(uart, byte, 0, not_before, now);
    }

    /// Connects two pins for good. False if there are too many wires already.
    pub fn add_wire(&mut self, wire: Wire) -> bool {
        let now = self.now();
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        peripherals.add_wire(wire, &mut context)
    }

    /// Has a pin get a level from outside, now or later.
    pub fn add_change(&mut self, change: Change) {
        let now = self.now();
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        peripherals.add_change(change, &mut context);
    }

    /// The bytes a UART, or 2: the port over USB, has sent since the last call.
    pub fn take_uart(&mut self, uart: usize) -> Vec<u8> {
        self.bus.peripherals.take_oldest(uart, usize::MAX).into_iter().map(|sent| sent.byte).collect()
    }

    /// Has the host on USB do something to the device, beside its text.
    pub fn with_cable<T>(&mut self, act: impl FnOnce(&mut Cable, Cycle) -> T) -> T {
        let now = self.now();
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        peripherals.with_cable(act, &mut context)
    }

    /// Sets `clk_sys` and `clk_peri`, and `clk_ref` to that of the crystal, as if start-up code had done so. What the
    /// clock registers say stays, and counts again once firmware writes one of them.
    pub fn set_clock(&mut self, rate: u64) {
        let now = self.now();
        let rates = Rates { sys: rate, reference: CRYSTAL, peri: rate, ..self.bus.clocks.rates() };
        self.bus.clocks.set(now, rates);
        self.bus.peripherals.clocks_changed(now, &self.bus.clocks);
    }
}
