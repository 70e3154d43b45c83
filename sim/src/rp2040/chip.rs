//! The RP2040 as those see it who run it, watch it and debug it.

use crate::core::bus::Slave;
use crate::core::chip::{Chip, ExitState};
use crate::core::names::Names;
use crate::core::register::Register;
use crate::core::statistics::Statistics;
use crate::core::stop::Stop;
use crate::core::time::{Cycle, Unit};
use crate::core::uart_frame::SentByte;
use crate::core::watch::Watchpoints;
use crate::rp2::serial_ports::{self, SerialPorts};
use crate::rp2040::bootrom;
use crate::rp2040::bus::slave;
use crate::rp2040::crash::CrashReport;
use crate::rp2040::machine::Machine;

/// Interrupts as the datasheet's table 80 names them.
const INTERRUPTS: [&str; 26] = [
    "TIMER_IRQ_0",
    "TIMER_IRQ_1",
    "TIMER_IRQ_2",
    "TIMER_IRQ_3",
    "PWM_IRQ_WRAP",
    "USBCTRL_IRQ",
    "XIP_IRQ",
    "PIO0_IRQ_0",
    "PIO0_IRQ_1",
    "PIO1_IRQ_0",
    "PIO1_IRQ_1",
    "DMA_IRQ_0",
    "DMA_IRQ_1",
    "IO_IRQ_BANK0",
    "IO_IRQ_QSPI",
    "SIO_IRQ_PROC0",
    "SIO_IRQ_PROC1",
    "CLOCKS_IRQ",
    "SPI0_IRQ",
    "SPI1_IRQ",
    "UART0_IRQ",
    "UART1_IRQ",
    "ADC_IRQ_FIFO",
    "I2C0_IRQ",
    "I2C1_IRQ",
    "RTC_IRQ",
];

impl Chip for Machine {
    const NAME: &'static str = "RP2040";
    const UNIT: Unit = Unit::Cycles("clk_sys");
    const SLICE: Cycle = 100_000;
    const UARTS: &'static [&'static str] = serial_ports::NAMES;
    const CONSOLE: &'static [usize] = serial_ports::CONSOLE;

    fn now(&self) -> Cycle {
        Self::now(self)
    }

    fn femtoseconds(&self, at: Cycle) -> u128 {
        self.bus.clocks.femtoseconds(at)
    }

    fn run_until(&mut self, limit: Cycle) -> Stop {
        Self::run_until(self, limit)
    }

    fn advance_to(&mut self, at: Cycle) {
        Self::advance_to(self, at);
    }

    fn watch(&self) -> &Watchpoints {
        &self.bus.fabric.watch
    }

    fn watch_mut(&mut self) -> &mut Watchpoints {
        &mut self.bus.fabric.watch
    }

    fn core_state(&self, core: usize) -> &'static str {
        self.core(core).state()
    }

    fn next_step(&self, core: usize) -> Cycle {
        self.core(core).cycle()
    }

    fn register(&self, core: usize, register: Register) -> u64 {
        let core = self.core(core);
        u64::from(match register {
            Register::R(number) => core.register(usize::from(number)),
            Register::Xpsr => core.xpsr(),
            Register::Msp => core.msp(),
            Register::Psp => core.psp(),
            Register::Primask => u32::from(core.primask()),
            Register::Control => core.control(),
            _ => 0,
        })
    }

    fn statistics(&self, core: usize) -> Statistics {
        Self::statistics(self, core)
    }

    fn lost_between_cores(&self, core: usize) -> u64 {
        self.fifo_words_lost(core)
    }

    fn peek_bytes(&self, _: usize, address: u32, count: usize) -> Vec<u8> {
        Self::peek_bytes(self, address, count)
    }

    fn sent(&self, uart: usize) -> &[SentByte] {
        self.bus.peripherals.sent(uart)
    }

    fn take_sent(&mut self, uart: usize, count: usize) -> Vec<SentByte> {
        self.bus.peripherals.take_oldest(uart, count)
    }

    fn stop_on_output(&mut self, uart: Option<usize>) {
        self.listening = uart.map(|uart| (uart, self.sent(uart).len()));
    }

    fn report_uncollected_output(&mut self, uart: usize) {
        let (now, name) = (self.now(), Self::UARTS[uart % Self::UARTS.len()]);
        let what = "nobody takes what is sent: the oldest characters are lost";
        self.bus.fabric.diagnostics.output_lost(name, what, now);
    }

    fn take_notes(&mut self) -> Vec<String> {
        self.bus.fabric.diagnostics.take()
    }

    fn take_note_counts(&mut self) -> Vec<String> {
        self.bus.fabric.diagnostics.take_suppressed_counts()
    }

    fn state_hash(&self) -> u64 {
        Self::state_hash(self)
    }

    fn slave_name(slave: Slave) -> Option<&'static str> {
        slave::name(slave)
    }

    fn interrupt_name(interrupt: u8) -> Option<&'static str> {
        INTERRUPTS.get(usize::from(interrupt)).copied()
    }

    fn is_switched_off(&self, core: usize) -> bool {
        Self::is_switched_off(self, core)
    }

    fn place(&self, address: u32, names: &dyn Names) -> String {
        match names.place(address) {
            None if address < bootrom::SIZE as u32 => format!("{address:#010x} (boot ROM)"),
            place => place.unwrap_or_else(|| format!("{address:#010x}")),
        }
    }

    fn exit_state(&self, core: usize, names: &dyn Names) -> ExitState {
        CrashReport { machine: self, names }.exit_state(core)
    }

    fn crash(&self, core: usize, names: &dyn Names) -> Option<String> {
        CrashReport { machine: self, names }.tell(core)
    }

    fn dead_end(&self, names: &dyn Names) -> String {
        CrashReport { machine: self, names }.dead_end()
    }
}
