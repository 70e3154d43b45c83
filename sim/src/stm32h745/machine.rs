//! The whole chip: both cores, interleaved by instruction, in one global time.

use crate::core::state_hash::StableHasher;
use crate::core::statistics::Statistics;
use crate::core::stop::Stop;
use crate::core::watch::CoreEvent;
use crate::image::Image;
use crate::isa::armv7em::Step;
use crate::isa::armv7em::model::Model;
use crate::stm32h745::busy_wait::Poll;
use crate::stm32h745::core::{Core, PowerState};
use crate::stm32h745::peripherals::board::{Board, OptionBytes, Supply};
use crate::stm32h745::peripherals::interrupts::{INTERRUPTS, InterruptLines};
use crate::stm32h745::peripherals::{Peripherals, Reset};
use crate::stm32h745::port::{Port, Shared};
use crate::stm32h745::report::Report;
use crate::stm32h745::{M4, M7, NEVER, Time};
use std::hash::{Hash, Hasher};

/// The simulated STM32H745.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(super) cores: [Core; 2],
    pub(super) statistics: [Statistics; 2],
    /// Memories and peripherals.
    pub shared: Shared,
    /// Levels of the interrupt lines as last passed to the cores.
    lines: [InterruptLines; 2],
    /// Global time.
    pub(super) now: Time,
    /// Until then an injected fault holds a core in reset.
    pub(super) off_until: [Time; 2],
    locked_up: Option<usize>,
    /// A core that stands before an instruction at which it is to stop.
    stopped: Option<usize>,
    /// By core, the time of the step that goes on at a breakpoint, without stopping there again.
    passes_at: [Time; 2],
    /// Characters that USART3 has sent and nobody has taken: one more ends a run.
    pub(super) listening: Option<usize>,
}

impl Machine {
    /// A chip on its board at power-on, with erased flash.
    #[must_use]
    pub fn new(option_bytes: OptionBytes, board: Board) -> Self {
        let models = [Model::cortex_m7(u32::from(INTERRUPTS)), Model::cortex_m4(u32::from(INTERRUPTS))];
        let mut machine = Self {
            cores: models.map(Core::new),
            statistics: Default::default(),
            shared: Shared::new(Peripherals::new(option_bytes, board)),
            lines: [InterruptLines::default(); 2],
            now: 0,
            off_until: [0; 2],
            locked_up: None,
            stopped: None,
            passes_at: [NEVER; 2],
            listening: None,
        };
        machine.update_clocks();
        machine
    }

    /// A board with images in its flash, just switched on: each is loaded as the core sees memory that it is for.
    ///
    /// # Errors
    /// With the address of what does not fit into the memories of this chip.
    pub fn booted(images: &[Image], supply: Supply) -> Result<Self, u32> {
        let mut machine = Self::new(OptionBytes::default(), Board { supply, ..Board::default() });
        for (core, image) in images.iter().enumerate() {
            for segment in &image.segments {
                if !machine.load(core, segment.address, &segment.bytes) {
                    return Err(segment.address);
                }
            }
        }
        machine.start();
        Ok(machine)
    }

    /// A core: 0 the Cortex-M7, 1 the Cortex-M4.
    pub fn core(&self, number: usize) -> &Core {
        &self.cores[number & 1]
    }

    /// Takes the reports of software errors since the last call.
    pub fn take_reports(&mut self) -> Vec<Report> {
        let mut all = self.shared.reports.take();
        all.extend(self.shared.peripherals.reports.take());
        all.sort_by_key(|report| report.time);
        all
    }

    /// Writes bytes to flash or RAM, as a debug probe does. False, and nothing is written, if some have no memory.
    pub fn load(&mut self, core: usize, address: u32, bytes: &[u8]) -> bool {
        let places = || bytes.iter().zip(0..).map(|(&byte, i)| (address.wrapping_add(i), byte));
        if places().any(|(at, _)| self.shared.locate(core, at).is_none()) {
            return false;
        }
        for (at, byte) in places() {
            if let Some(place) = self.shared.locate(core, at) {
                self.shared.memory.poke(place, byte);
                self.cores[core & 1].processor.poke_cache(at, byte);
            }
        }
        true
    }

    /// Runs to `limit`, or until a lockup, a breakpoint or a watchpoint, or until no event can occur any more.
    pub fn run_until(&mut self, limit: Time) -> Stop {
        self.shared.is_watched = self.shared.watch.in_use();
        loop {
            if let Some(core) = self.locked_up.take() {
                let pc = self.cores[core].processor.register(15);
                return Stop::Lockup { core: core as u8, pc };
            }
            let event = self.shared.peripherals.next_event();
            let bound = limit.min(event);
            self.run_cores(bound);
            if std::mem::take(&mut self.shared.touched) {
                self.now = self.now.max(self.shared.now);
                self.handle_requests();
                if let Some(core) = self.stopped.take() {
                    return self.why_stopped_before_instruction(core);
                }
            } else if bound == NEVER {
                return Stop::DeadEnd;
            } else {
                self.now = self.now.max(bound);
                if event == bound {
                    self.shared.peripherals.advance(event);
                    self.handle_requests();
                }
                if limit == bound {
                    return Stop::Limit;
                }
            }
            if self.listening.is_some_and(|characters| self.shared.peripherals.usart3.sent().len() > characters) {
                return Stop::ByteSent;
            }
        }
    }

    fn why_stopped_before_instruction(&mut self, number: usize) -> Stop {
        if let Some(stop) = self.shared.watch.take_stop(number as u8) {
            return stop;
        }
        let core = &self.cores[number];
        self.passes_at[number] = core.next;
        Stop::Breakpoint { core: number as u8, pc: core.processor.register(15) }
    }

    /// Steps the core that is due first, up to `bound` or until the machine has requests to handle.
    fn run_cores(&mut self, bound: Time) {
        while !self.shared.touched {
            let number = usize::from(self.cores[M4].next < self.cores[M7].next);
            if self.cores[number].next >= bound {
                return;
            }
            if self.shared.is_watched || self.cores[number].power_state != PowerState::Running {
                self.step(number);
            } else {
                // In the same instant the Cortex-M7 comes first.
                let turn = self.cores[1 - number].next.saturating_add(u64::from(number == M7));
                self.run_core(number, bound.min(turn));
            }
        }
    }

    /// Steps a core that is awake, up to `end` or until the machine has requests to handle.
    fn run_core(&mut self, number: usize, end: Time) {
        let core = &mut self.cores[number];
        let mut port = Port { shared: &mut self.shared, core: number };
        let mut instructions = 0;
        let mut other = None;
        let mut poll = Poll::default();
        while core.next < end && !port.shared.touched {
            port.shared.now = core.next;
            match core.processor.step(&mut port) {
                Step::Executed => instructions += 1,
                Step::Entered(_) => {}
                step => {
                    other = Some(step);
                    break;
                }
            }
            core.stepped();
            if std::mem::take(&mut port.shared.polled) {
                instructions += poll.skip(core, &port, end);
            }
        }
        self.statistics[number].instructions += instructions;
        if let Some(step) = other {
            self.end_step(number, step);
        }
    }

    fn step(&mut self, number: usize) {
        let core = &mut self.cores[number];
        self.shared.now = core.next;
        if core.power_state == PowerState::Asleep {
            let counting = self.shared.peripherals.dbgmcu.counts_in_sleep(number);
            core.catch_up(core.next, counting);
        }
        let mut port = Port { shared: &mut self.shared, core: number };
        let begun = core.processor.begin_step(&mut port);
        if begun.is_none() && self.shared.is_watched && self.stops_before_instruction(number) {
            return;
        }
        let core = &mut self.cores[number];
        let mut port = Port { shared: &mut self.shared, core: number };
        let step = begun.unwrap_or_else(|| core.processor.execute(&mut port));
        self.end_step(number, step);
    }

    /// Does what follows from a step.
    fn end_step(&mut self, number: usize, step: Step) {
        let core = &mut self.cores[number];
        match step {
            Step::Executed | Step::Entered(_) => {
                self.statistics[number].instructions += u64::from(step == Step::Executed);
                core.stepped();
                if core.power_state == PowerState::Asleep {
                    self.wake(number);
                }
            }
            // There is no debugger.
            Step::Breakpoint(_) => {
                let mut port = Port { shared: &mut self.shared, core: number };
                if core.processor.escalate_breakpoint(&mut port) == Step::LockedUp {
                    self.lock_up(number);
                } else {
                    core.stepped();
                }
            }
            Step::Asleep => {
                core.stepped();
                self.fall_asleep(number);
            }
            Step::LockedUp => self.lock_up(number),
            Step::ResetRequested => self.reset(Reset::Software(number)),
        }
    }

    /// A core is about to execute an instruction that somebody may watch. Whether it is to stop before it.
    fn stops_before_instruction(&mut self, number: usize) -> bool {
        let core = &self.cores[number];
        let (pc, at) = (core.processor.register(15), core.next);
        self.shared.pc = pc;
        if self.shared.watch.profile.is_some() {
            self.note_task();
            let halves = [0, 2].map(|offset| self.shared.code_half(number, pc + offset));
            if let Some(profile) = &mut self.shared.watch.profile {
                profile.instruction(number as u8, at, pc, halves[0] | halves[1] << 16);
            }
        }
        let watch = &mut self.shared.watch;
        if !watch.may_watch(pc) || !watch.begin_instruction(at, number as u8, pc, self.passes_at[number] == at) {
            return false;
        }
        let core = &mut self.cores[number];
        core.processor.stop_before_instruction();
        if core.power_state == PowerState::Asleep {
            self.wake(number);
        }
        self.stopped = Some(number);
        self.shared.touched = true;
        true
    }

    fn lock_up(&mut self, number: usize) {
        self.cores[number].next = NEVER;
        self.locked_up = Some(number);
        self.shared.core_event(number, CoreEvent::LocksUp);
        self.shared.touched = true;
    }

    fn fall_asleep(&mut self, number: usize) {
        let core = &mut self.cores[number];
        if core.power_state != PowerState::Asleep {
            core.power_state = PowerState::Asleep;
            core.slept_at = self.shared.now;
            let deep = core.processor.sleeps_deeply();
            self.shared.peripherals.set_asleep(number, true, deep, self.shared.now);
            self.shared.core_event(number, CoreEvent::Sleeps);
            self.shared.touched = true;
        }
        self.cores[number].sleep_until_tick();
    }

    fn wake(&mut self, number: usize) {
        let core = &mut self.cores[number];
        core.power_state = PowerState::Running;
        self.statistics[number].asleep += self.shared.now.saturating_sub(core.slept_at);
        self.shared.peripherals.set_asleep(number, false, false, self.shared.now);
        self.shared.core_event(number, CoreEvent::Wakes);
        self.shared.touched = true;
    }

    /// Handles resets, events, clock changes and interrupts after a core or peripheral has requested it.
    pub(super) fn handle_requests(&mut self) {
        if let Some(why) = self.shared.peripherals.reset_request(self.now) {
            self.reset(why);
        }
        for number in [M7, M4] {
            if std::mem::take(&mut self.shared.event_sent[number]) {
                self.shared.peripherals.send_event(number, self.now);
            }
        }
        for number in [M7, M4] {
            if self.shared.peripherals.exti.take_event(number) {
                let core = &mut self.cores[number];
                core.processor.receive_event();
                if core.power_state == PowerState::Asleep {
                    core.wake_at(self.now);
                }
            }
        }
        self.update_clocks();
        self.update_interrupt_lines();
        self.start();
    }

    fn update_clocks(&mut self) {
        for (number, core) in self.cores.iter_mut().enumerate() {
            let rate = self.shared.peripherals.conditions.clocks.cpu[number];
            if rate != core.rate() {
                core.set_rate(rate, self.now, self.shared.peripherals.dbgmcu.counts_in_sleep(number));
            }
        }
    }

    fn update_interrupt_lines(&mut self) {
        for (number, core) in self.cores.iter_mut().enumerate() {
            let new = self.shared.peripherals.interrupts[number];
            let old = std::mem::replace(&mut self.lines[number], new);
            if new == old {
                continue;
            }
            for (word, (is, was)) in (0..).zip(new.0.into_iter().zip(old.0)) {
                for bit in (0..32).filter(|bit| (is ^ was) >> bit & 1 != 0) {
                    core.processor.set_interrupt(32 * word + bit, is >> bit & 1 != 0);
                }
            }
            if core.power_state == PowerState::Asleep {
                core.wake_at(self.now);
            }
        }
    }

    /// Starts the cores that are in reset and whose boot gates are open: after power-on those that the option bytes boot,
    /// with the images in flash.
    pub fn start(&mut self) {
        for number in [M7, M4] {
            let waits = self.cores[number].power_state == PowerState::InReset && self.off_until[number] <= self.now;
            if waits && self.shared.peripherals.is_released(number) {
                self.start_core(number);
            }
        }
    }

    fn start_core(&mut self, number: usize) {
        let vectors = self.shared.peripherals.boot_address(number);
        let core = &mut self.cores[number];
        core.catch_up(self.now, true);
        core.processor.reset(vectors, &mut Port { shared: &mut self.shared, core: number });
        core.power_state = PowerState::Running;
        core.wake_at(self.now);
        self.core_event(number, CoreEvent::Starts);
    }

    /// Something is done to a core now from outside.
    pub(super) fn core_event(&mut self, number: usize, what: CoreEvent) {
        self.shared.watch.core_event(self.now, number as u8, what);
    }

    /// Resets both cores and the peripherals; RAM keeps its contents.
    pub(super) fn reset(&mut self, why: Reset) {
        self.now = self.now.max(self.shared.now);
        self.shared.peripherals.reset(why, self.now);
        self.shared.clear_history();
        for number in [M7, M4] {
            self.hold_in_reset(number);
        }
        self.locked_up = None;
        self.shared.touched = true;
    }

    pub(super) fn hold_in_reset(&mut self, number: usize) {
        let core = &mut self.cores[number];
        core.catch_up(self.now, true);
        core.next = NEVER;
        if std::mem::replace(&mut core.power_state, PowerState::InReset) != PowerState::InReset {
            self.core_event(number, CoreEvent::Stops);
        }
    }

    /// Sends a core elsewhere, for a debugger. False for one that is off or stuck.
    pub(super) fn send_core_to(&mut self, number: usize, address: u32) -> bool {
        let number = number & 1;
        if matches!(self.cores[number].power_state, PowerState::InReset | PowerState::Stuck) {
            return false;
        }
        self.shared.now = self.now;
        if self.cores[number].power_state == PowerState::Asleep {
            self.wake(number);
        }
        self.passes_at[number] = NEVER;
        let core = &mut self.cores[number];
        core.processor.send_to(address);
        core.wake_at(self.now);
        true
    }

    /// Resets one core alone: only as an injected fault, the chip has no such reset (RM0399 9.4).
    pub fn reset_core(&mut self, number: usize) {
        let number = number & 1;
        self.hold_in_reset(number);
        self.start();
    }

    /// A hash of the state of the cores, memories and peripherals: equal for equal runs.
    pub fn state_hash(&self) -> u64 {
        let mut hasher = StableHasher::default();
        let Self {
            cores,
            shared,
            lines,
            now,
            statistics: _,
            off_until: _,
            locked_up: _,
            stopped: _,
            passes_at: _,
            listening: _,
        } = self;
        (cores, &shared.memory, &shared.peripherals, lines, now).hash(&mut hasher);
        hasher.finish()
    }
}
