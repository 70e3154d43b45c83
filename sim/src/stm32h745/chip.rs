//! The STM32H745 as those see it who run it, watch it and debug it.

use crate::core::access::Width;
use crate::core::bus::Slave;
use crate::core::chip::{CORES, Chip, ExitState};
use crate::core::names::Names;
use crate::core::register::Register;
use crate::core::statistics::Statistics;
use crate::core::stop::Stop;
use crate::core::time::Unit;
use crate::core::uart_frame::SentByte;
use crate::core::watch::Watchpoints;
use crate::stm32h745::core::PowerState;
use crate::stm32h745::machine::Machine;
use crate::stm32h745::peripherals::interrupts::{HSEM_INTERRUPT, TIMER_INTERRUPTS, USART3_INTERRUPT};
use crate::stm32h745::{Time, crash};

impl Chip for Machine {
    const NAME: &'static str = "STM32H745";
    const UNIT: Unit = Unit::Picoseconds;
    const SLICE: Time = 1_000_000_000;
    const UARTS: &'static [&'static str] = &["USART3"];

    fn now(&self) -> Time {
        self.now
    }

    fn femtoseconds(&self, at: Time) -> u128 {
        1000 * u128::from(at)
    }

    fn run_until(&mut self, limit: Time) -> Stop {
        Self::run_until(self, limit)
    }

    fn advance_to(&mut self, at: Time) {
        Self::run_until(self, at);
    }

    fn watch(&self) -> &Watchpoints {
        &self.shared.watch
    }

    fn watch_mut(&mut self) -> &mut Watchpoints {
        &mut self.shared.watch
    }

    fn core_state(&self, core: usize) -> &'static str {
        self.core(core).state()
    }

    fn next_step(&self, core: usize) -> Time {
        self.core(core).next
    }

    fn register(&self, core: usize, register: Register) -> u64 {
        self.core(core).processor.peek_register(register)
    }

    fn statistics(&self, core: usize) -> Statistics {
        let mut statistics = self.statistics[core & 1].clone();
        statistics.exceptions = self.shared.exceptions[core & 1];
        let core = self.core(core);
        if core.power_state == PowerState::Asleep {
            statistics.asleep += self.now.saturating_sub(core.slept_at);
        }
        statistics
    }

    fn lost_between_cores(&self, core: usize) -> u64 {
        self.shared.peripherals.losses.lost(core)
    }

    /// Through the core's data cache.
    fn peek_bytes(&self, core: usize, address: u32, count: usize) -> Vec<u8> {
        let byte = |i| {
            let at: u32 = address.wrapping_add(i);
            let place = self.shared.locate(core, at)?;
            let cached = self.core(core).processor.peek_cache(at);
            Some(cached.map_or_else(
                || self.shared.memory.read(place, Width::Byte) as u8,
                |word| (word >> ((at & 3) * 8)) as u8,
            ))
        };
        (0..count.min(u32::MAX as usize) as u32).map_while(byte).collect()
    }

    fn sent(&self, _: usize) -> &[SentByte] {
        self.shared.peripherals.usart3.sent()
    }

    fn take_sent(&mut self, _: usize, count: usize) -> Vec<SentByte> {
        self.shared.peripherals.usart3.take_sent(count)
    }

    fn stop_on_output(&mut self, uart: Option<usize>) {
        self.listening = uart.map(|_| self.shared.peripherals.usart3.sent().len());
    }

    fn report_uncollected_output(&mut self, _: usize) {
        self.shared.peripherals.report_uncollected_output(self.now);
    }

    fn take_notes(&mut self) -> Vec<String> {
        self.take_reports().iter().map(ToString::to_string).collect()
    }

    /// They come with the notes.
    fn take_note_counts(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn state_hash(&self) -> u64 {
        Self::state_hash(self)
    }

    /// How long its bus takes is not modelled.
    fn slave_name(_: Slave) -> Option<&'static str> {
        None
    }

    fn interrupt_name(interrupt: u8) -> Option<&'static str> {
        const TIMERS: [&str; 4] = ["TIM2", "TIM3", "TIM4", "TIM5"];
        match interrupt {
            6..=10 => Some(["EXTI0", "EXTI1", "EXTI2", "EXTI3", "EXTI4"][usize::from(interrupt) - 6]),
            23 => Some("EXTI9_5"),
            40 => Some("EXTI15_10"),
            USART3_INTERRUPT => Some("USART3"),
            _ if interrupt == HSEM_INTERRUPT[0] => Some("HSEM1"),
            _ if interrupt == HSEM_INTERRUPT[1] => Some("HSEM2"),
            _ => TIMER_INTERRUPTS.iter().position(|&timer| timer == interrupt).map(|timer| TIMERS[timer]),
        }
    }

    fn is_switched_off(&self, core: usize) -> bool {
        self.now < self.off_until[core & 1]
    }

    fn exit_state(&self, core: usize, _: &dyn Names) -> ExitState {
        crash::exit_state(self, core)
    }

    fn crash(&self, core: usize, names: &dyn Names) -> Option<String> {
        crash::tell(self, core, names)
    }

    fn dead_end(&self, names: &dyn Names) -> String {
        let crashes = (0..CORES).filter_map(|core| self.crash(core, names)).collect::<Vec<_>>();
        match crashes.as_slice() {
            [] => "dead end: both cores sleep for good: nothing is pending that could wake one".to_owned(),
            crashes => format!("nothing more can happen: {}", crashes.join("; ")),
        }
    }
}
