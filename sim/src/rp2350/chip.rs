//! The RP2350 as those see it who run it, watch it and debug it.

use crate::core::bus::Slave;
use crate::core::chip::{Chip, ExitState};
use crate::core::names::Names;
use crate::core::register::{Register, RegisterSet};
use crate::core::statistics::Statistics;
use crate::core::stop::Stop;
use crate::core::time::{Cycle, NEVER, Unit};
use crate::core::uart_frame::SentByte;
use crate::core::watch::Watchpoints;
use crate::rp2::serial_ports::{self, SerialPorts};
use crate::rp2350::bus::port;
use crate::rp2350::machine::Machine;
use crate::rp2350::{bootrom, irq};

/// Where C libraries leave a program for good, with its status in a0.
const EXIT: &str = "_exit";

impl Chip for Machine {
    const NAME: &'static str = "RP2350";
    const UNIT: Unit = Unit::Cycles("clk_sys");
    const SLICE: Cycle = 100_000;
    const REGISTERS: RegisterSet = RegisterSet::Riscv;
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
        &self.bus.watch
    }

    fn watch_mut(&mut self) -> &mut Watchpoints {
        &mut self.bus.watch
    }

    fn core_state(&self, core: usize) -> &'static str {
        match () {
            () if self.is_off(core) => "off",
            () if self.is_stuck(core) => "stuck",
            () if self.is_asleep(core) => "asleep",
            () => "running",
        }
    }

    fn next_step(&self, core: usize) -> Cycle {
        if self.is_off(core) || self.is_asleep(core) { NEVER } else { Self::now(self) }
    }

    fn register(&self, core: usize, register: Register) -> u64 {
        let core = self.core(core);
        u64::from(match register {
            Register::X(number) => core.register(usize::from(number)),
            Register::Pc => core.pc(),
            _ => 0,
        })
    }

    fn statistics(&self, core: usize) -> Statistics {
        Self::statistics(self, core)
    }

    fn lost_between_cores(&self, core: usize) -> u64 {
        self.bus.losses.lost(core & 1)
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
        self.bus.diagnostics.output_lost(name, what, now);
    }

    fn take_notes(&mut self) -> Vec<String> {
        self.bus.diagnostics.take()
    }

    fn take_note_counts(&mut self) -> Vec<String> {
        self.bus.diagnostics.take_suppressed_counts()
    }

    fn state_hash(&self) -> u64 {
        Self::state_hash(self)
    }

    fn slave_name(slave: Slave) -> Option<&'static str> {
        port::name(slave)
    }

    fn interrupt_name(interrupt: u8) -> Option<&'static str> {
        irq::NAMES.get(usize::from(interrupt)).copied()
    }

    fn is_switched_off(&self, core: usize) -> bool {
        Self::is_switched_off(self, core)
    }

    fn place(&self, address: u32, names: &dyn Names) -> String {
        match names.place(address) {
            None if address < port::ROM_BYTES => format!("{address:#010x} (boot ROM)"),
            place => place.unwrap_or_else(|| format!("{address:#010x}")),
        }
    }

    fn exit_state(&self, core: usize, names: &dyn Names) -> ExitState {
        let has_ended = names.function_at(self.core(core).pc()).is_some_and(|(name, _)| name == EXIT);
        match () {
            () if self.has_crashed(core) => ExitState::Faulted,
            () if has_ended && !self.is_off(core) => ExitState::Returned(self.core(core).register(10).cast_signed()),
            () => ExitState::Alive,
        }
    }

    fn crash(&self, core: usize, names: &dyn Names) -> Option<String> {
        match self.exit_state(core, names) {
            ExitState::Returned(status) => Some(format!(
                "core {core} has ended its program: it called {EXIT}, as when main returns, with status {status}"
            )),
            ExitState::Faulted => {
                let (cause, pc) = self.trap_without_vector(core)?;
                let place = self.place(pc, names);
                Some(format!(
                    "core {core} has no trap vector of its own, and took a trap (mcause {cause:#x}) at {place}"
                ))
            }
            _ => None,
        }
    }

    fn dead_end(&self, _: &dyn Names) -> String {
        let rom_says = (0..2).find_map(|core| bootrom::why_stopped(self.core(core).pc()));
        let why = rom_says.unwrap_or("nothing is pending that could wake one");
        format!("dead end: both cores sleep for good: {why}")
    }
}
