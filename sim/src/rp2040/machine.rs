//! The whole chip: time, the cores, the bus, and why a run ended.

mod host;
mod liveness;
pub mod polling;
mod profile;
pub mod waits;

use crate::core::bus::Bus as _;
use crate::core::costs::{AlteredCosts, Cost};
use crate::core::semihosting::{self, Call};
use crate::core::state_hash::StableHasher;
use crate::core::stop::Stop;
use crate::core::time::{Cycle, NEVER};
use crate::core::watch::CoreEvent;
use crate::engine::Engine;
use crate::engine::cpu::CodeCache as _;
use crate::engine::decoupled::Decoupled;
use crate::engine::fast_bus::OTHER_MASTER_NUMBERS;
use crate::engine::lockstep::{NO_LIMIT, begin, run_cores};
use crate::image::Boot;
use crate::isa::armv6m;
use crate::isa::armv6m::busy_wait::BusyWaits;
use crate::isa::armv6m::exception::{EVENT, ExceptionCosts};
use crate::isa::armv6m::native::Native;
use crate::rp2::irq::IrqLines;
use crate::rp2::serial_ports::SerialPorts;
use crate::rp2::sio::FIFO_LATENCY;
use crate::rp2040::bootrom::service::{self, Service};
use crate::rp2040::bus::Crossbar;
use crate::rp2040::bus::ssi::OVERHEAD;
use crate::rp2040::irq::LINE_CYCLES;
use crate::rp2040::peripherals::blocks::{UART0, UART1};
use std::hash::{Hash, Hasher};

/// One of the chip's Cortex-M0+.
pub type Core = armv6m::Core<Crossbar>;

/// Bytes of [`Machine::host_output`] at most: a program may write 64 kB by a single instruction.
const KEPT_HOST_OUTPUT: usize = 1 << 24;

/// The simulated RP2040.
#[derive(Clone, Debug)]
pub struct Machine {
    cores: [Core; 2],
    /// Bytes of a UART, or over USB, whose sending ends a run: its number, and how many there are already.
    pub(super) listening: Option<(usize, usize)>,
    /// How it gets through its cycles; may be changed whenever the machine stands still.
    pub engine: Engine,
    decoupled: Decoupled<Core, Crossbar>,
    busy_waits: BusyWaits,
    /// Everything between and around the cores.
    pub bus: Crossbar,
    /// Time up to which everything has happened.
    now: Cycle,
    /// Interrupt lines as the cores know them.
    lines: IrqLines,
    /// What firmware wrote by semihosting, until somebody takes it.
    pub host_output: Vec<u8>,
    exit: Option<(u8, i32)>,
    /// The core that asked for the boot loader over USB.
    boot_loader: Option<u8>,
    /// The cycle before which a core does not come out of reset, for a fault that was asked for; 0 if there is none.
    pub(super) off_until: [Cycle; 2],
    /// Costs that are altered.
    altered: AlteredCosts,
    /// `LINE_CYCLES`, or what it is altered to.
    line_cycles: Cycle,
    /// How the host has the image started, and what it has the chip clocked with.
    pub(super) host_setup: Option<(Boot, Option<u64>)>,
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

impl Machine {
    /// A chip with nothing in its memories; both cores are held in reset.
    pub fn new() -> Self {
        Self {
            cores: [Core::new(0), Core::new(1)],
            listening: None,
            engine: Engine::default(),
            decoupled: Decoupled::default(),
            busy_waits: BusyWaits::default(),
            bus: Crossbar::new(),
            now: 0,
            lines: IrqLines::default(),
            host_output: Vec::new(),
            exit: None,
            boot_loader: None,
            off_until: [0; 2],
            altered: AlteredCosts::default(),
            line_cycles: LINE_CYCLES,
            host_setup: None,
        }
    }

    /// Time up to which everything has happened: no core will do anything before it.
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// A core.
    pub fn core(&self, number: usize) -> &Core {
        &self.cores[number & 1]
    }

    /// A core, to change its registers. Only while the machine stands still, as always when this can be called.
    pub fn core_mut(&mut self, number: usize) -> &mut Core {
        &mut self.cores[number & 1]
    }

    /// Puts bytes at an address of ROM, SRAM or flash, without side effects. False if there is no memory for all of them.
    pub fn load(&mut self, address: u32, bytes: &[u8]) -> bool {
        bytes.iter().zip(address..).filter(|&(&byte, at)| self.bus.poke(at, byte)).count() == bytes.len()
    }

    /// A word of memory, without side effects.
    pub fn peek(&self, address: u32) -> Option<u32> {
        self.bus.peek_word(address)
    }

    /// Bytes of memory, without side effects; ends where memory does.
    pub fn peek_bytes(&self, address: u32, count: usize) -> Vec<u8> {
        (0..count as u32).map_while(|i| self.peek_byte(address.wrapping_add(i))).collect()
    }

    fn peek_byte(&self, address: u32) -> Option<u8> {
        self.peek(address).map(|word| (word >> ((address & 3) * 8)) as u8)
    }

    /// Lets both cores out of reset: each begins at the boot ROM's reset vector.
    pub fn reset(&mut self) {
        for number in 0..2 {
            self.reset_core(number);
        }
    }

    /// Lets one core out of reset, unless it is switched off.
    pub fn reset_core(&mut self, number: usize) {
        let now = self.now;
        if self.is_switched_off(number) {
            return;
        }
        self.cores[number & 1].reset(now, &self.bus);
        self.bus.fabric.watch.core_event(now, number as u8 & 1, CoreEvent::Starts);
    }

    /// Whether a core is held in reset for a fault that was asked for.
    pub fn is_switched_off(&self, number: usize) -> bool {
        self.now < self.off_until[number & 1]
    }

    pub(super) fn hold_core(&mut self, number: usize) {
        let now = self.now;
        if !self.cores[number & 1].is_off() {
            self.bus.fabric.watch.core_event(now, number as u8 & 1, CoreEvent::Stops);
        }
        self.cores[number & 1].hold(now);
    }

    /// Resets the whole chip, as its RUN pin does (DS 2.12): all but time, what memories hold and what is outside, as the flash is. Both
    /// cores begin at the boot ROM's reset vector.
    pub fn reset_chip(&mut self) {
        let now = self.now;
        let mut old = std::mem::replace(&mut self.bus, Crossbar::new());
        old.clocks.set(now, self.bus.clocks.rates());
        let (peripherals, mut context) = old.peripherals_at(now);
        peripherals.reset_blocks(UART0.reset | UART1.reset, &mut context);
        std::mem::swap(&mut self.bus.peripherals.uarts, &mut old.peripherals.uarts);
        (self.bus.memory, self.bus.clocks) = (old.memory, old.clocks);
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        peripherals.keep_outside(&mut old.peripherals, &mut context);
        (self.bus.fabric.watch, self.bus.fabric.diagnostics) = (old.fabric.watch, old.fabric.diagnostics);
        self.bus.fifo_losses = old.fifo_losses;
        self.bus.xip.ssi.keep_flash(old.xip.ssi);
        self.alter(self.altered);
        self.pass_interrupts(now);
        self.reset();
    }

    /// Has these costs from now on, and no others altered.
    pub(super) fn alter(&mut self, altered: AlteredCosts) {
        self.altered = altered;
        self.line_cycles = altered.get(Cost::Line).unwrap_or(LINE_CYCLES);
        for core in &mut self.cores {
            core.costs = ExceptionCosts::new(&altered);
        }
        self.bus.peripherals.sio.set_fifo_latency(altered.get(Cost::Fifo).unwrap_or(FIFO_LATENCY));
        self.bus.xip.ssi.overhead = altered.get(Cost::FlashMiss).unwrap_or(OVERHEAD);
    }

    /// Sends a core to `entry` with its main stack at `sp`, out of reset.
    pub fn start_core(&mut self, number: usize, entry: u32, sp: u32) {
        let now = self.now;
        let core = &mut self.cores[number & 1];
        core.reset(now, &self.bus);
        core.set_register(13, sp);
        core.start_at(entry, now);
        self.bus.fabric.watch.core_event(now, number as u8 & 1, CoreEvent::Starts);
    }

    /// Makes code for the host of what is branched to so many times (3,000 unless told otherwise), and forgets what was made. It
    /// changes how fast a run is, and nothing else.
    pub fn translate_after(&mut self, times: u32) {
        self.decoupled.code.native = Native::new(times);
    }

    /// Takes sets of the flash cache that have ended so many quanta as contended (16 unless told otherwise), and forgets those that
    /// were. It changes how fast a run is, and nothing else.
    pub fn take_as_contended_after(&mut self, quanta: u32) {
        self.decoupled.take_as_contended_after(quanta);
    }

    /// Turns of busy waits that were not executed one by one.
    pub fn skipped_turns(&self) -> u64 {
        self.busy_waits.turns
    }

    /// Times that cores ran apart while the DMA was at work.
    pub fn quanta_with_transfers(&self) -> u64 {
        self.decoupled.quanta_with_transfers
    }

    /// Sets of the flash cache of which both cores have used both lines while they ran apart, as far as is known.
    pub fn contended_sets(&self) -> usize {
        self.decoupled.contended_sets()
    }

    /// How many blocks of instructions have become code for the host.
    pub fn translated_blocks(&self) -> usize {
        self.decoupled.code.native.blocks()
    }

    /// Runs until cycle `limit`, or until something else ends the run.
    pub fn run_until(&mut self, limit: Cycle) -> Stop {
        loop {
            if self.bus.peripherals.stands_still() {
                return self.dead_end(limit);
            }
            let event = self.bus.peripherals.next_event();
            let dma = self.bus.dma.next(&self.bus, self.now);
            let calm = limit.min(event);
            let bound = calm.min(dma);
            self.run_cores(bound, calm);
            if self.bus.fabric.requests.touched {
                // Cores that run apart may have gone beyond transfers.
                let reached = bound.max(self.bus.fabric.requests.touched_at);
                self.now = self.now.max(self.cores[0].t.min(self.cores[1].t).min(reached));
                if let Some(stop) = self.settle() {
                    return stop;
                }
                continue;
            }
            let nothing = event == NEVER && dma == NEVER && self.cores.iter().all(|core| core.t == NEVER);
            if bound == NEVER || nothing {
                return self.dead_end(limit);
            }
            self.now = bound;
            if limit == bound {
                return Stop::Limit;
            }
            if event == bound {
                self.wake_peripherals(event);
                let peripherals = &self.bus.peripherals;
                if self.listening.is_some_and(|(port, bytes)| peripherals.sent(port).len() > bytes) {
                    return Stop::ByteSent;
                }
            } else {
                self.run_dma(bound);
            }
        }
    }

    /// Nothing will happen any more, and all that has happened did so before the cores fell asleep.
    fn dead_end(&mut self, limit: Cycle) -> Stop {
        let ended = self.cores.iter().filter(|core| core.t == NEVER).map(|core| core.slept_at.min(limit)).max();
        self.now = self.now.max(ended.unwrap_or(0));
        Stop::DeadEnd
    }

    /// Runs both cores up to `bound`, or to `calm` if nothing but transfers of the DMA is in the way, which are then made.
    fn run_cores(&mut self, bound: Cycle, calm: Cycle) {
        if self.bus.is_watched() {
            self.run_watched_or_not::<true>(bound, calm);
        } else {
            self.run_watched_or_not::<false>(bound, calm);
        }
    }

    fn run_watched_or_not<const WATCH: bool>(&mut self, bound: Cycle, calm: Cycle) {
        let Self { cores, bus, decoupled, busy_waits, .. } = self;
        let runs_apart = self.engine == Engine::Decoupled && (bus.lets_cores_run_apart() || bus.is_only_profiled());
        if runs_apart {
            decoupled.code.sync_watchpoints(bus);
        }
        let mut decoupled = runs_apart.then_some(decoupled);
        loop {
            let begun = cores[0].t.min(cores[1].t);
            let reads = if runs_apart { busy_waits.reads() } else { NO_LIMIT };
            bus.fabric.reads_left = reads;
            let until = if runs_apart { busy_waits.look_at(begun, bound) } else { bound };
            if let Some(decoupled) = &mut decoupled {
                decoupled.transfers_until = if until < bound { until } else { calm };
            }
            run_cores::<WATCH, Core, Crossbar>(cores, bus, until, decoupled.as_deref_mut());
            let now = cores[0].t.min(cores[1].t);
            if bus.fabric.requests.touched || now >= bound {
                return;
            }
            let reads = reads - std::mem::replace(&mut bus.fabric.reads_left, NO_LIMIT);
            busy_waits.skip::<WATCH, Crossbar>(cores, bus, (reads, now - begun), bound);
        }
    }

    /// One cycle in which the DMA does something; then the cores that were not in its way.
    fn run_dma(&mut self, now: Cycle) {
        if self.bus.is_watched() {
            begin::<true, Core, Crossbar>(&mut self.cores, &mut self.bus, now);
        } else {
            begin::<false, Core, Crossbar>(&mut self.cores, &mut self.bus, now);
        }
        let mut dma = std::mem::take(&mut self.bus.dma);
        dma.cycle(&mut self.cores, &mut self.bus, now);
        self.bus.dma = dma;
        let touched = std::mem::take(&mut self.bus.fabric.requests.touched);
        self.run_cores(now + 1, now + 1);
        self.bus.fabric.requests.touched |= touched;
        self.now = now + 1;
    }

    /// Executes one instruction of one core to its end, and whatever the other core does meanwhile. A core that is within an
    /// instruction completes that one first.
    pub fn step(&mut self, number: usize) -> Stop {
        self.bus.fabric.watch.step(number as u8 & 1);
        let stop = self.run_until(NEVER);
        self.bus.fabric.watch.end_step();
        stop
    }

    /// Deals with what cores did that concerns more than themselves.
    fn settle(&mut self) -> Option<Stop> {
        self.bus.fabric.requests.touched = false;
        if let Some(at) = self.bus.fabric.requests.event.take() {
            // SEV sets the event register of all processors, the sender's too (ARMv6-M B1.5.18, `SendEvent`).
            for core in &mut self.cores {
                core.receive_event(at + EVENT);
            }
        }
        if std::mem::take(&mut self.bus.fabric.requests.registers_written) {
            self.take_settings();
        }
        self.pass_interrupts(self.bus.fabric.requests.touched_at);
        if let Some(core) = self.bus.fabric.requests.reset.take() {
            // SYSRESETREQ resets the core that asks, and nothing else (DS 2.4.2.9).
            self.reset_core(usize::from(core));
        }
        if let Some(core) = self.bus.fabric.requests.host_call.take() {
            self.serve(core);
        }
        if let Some((core, code)) = self.exit.take() {
            return Some(Stop::Exit { core, code });
        }
        if let Some(core) = self.boot_loader.take() {
            return Some(Stop::BootLoader { core });
        }
        if let Some(core) = self.bus.fabric.requests.locked_up.take() {
            let locked_up = &mut self.cores[usize::from(core)];
            locked_up.stop_locked_up();
            self.bus.fabric.watch.core_event(locked_up.slept_at, core, CoreEvent::LocksUp);
            return Some(Stop::Lockup { core, pc: self.cores[usize::from(core)].register(15) });
        }
        let (core, pc) = self.bus.fabric.requests.breakpoint.take()?;
        if let Some(stop) = self.bus.fabric.watch.take_stop(core) {
            return Some(stop);
        }
        let stopped = &mut self.cores[usize::from(core)];
        stopped.passes_at = stopped.t;
        Some(Stop::Breakpoint { core, pc })
    }

    /// What registers of peripherals mean for cores and arbiters.
    fn take_settings(&mut self) {
        let now = self.now;
        let bus = &mut self.bus;
        let priorities = bus.peripherals.busctrl.priorities();
        let [read, write] = OTHER_MASTER_NUMBERS;
        let masters = [0, 1, read, write].into_iter().enumerate();
        bus.fabric.arbiter.priority = masters.map(|(i, master)| ((priorities >> (4 * i) & 1) as u8) << master).sum();
        for (number, core) in self.cores.iter_mut().enumerate() {
            core.set_nmi_mask(bus.peripherals.syscfg.nmi_mask(number), now);
            core.reference_changed(now, bus.peripherals.reference_ticks());
        }
        self.take_signals();
    }

    /// Cores that the power-on state machine or the watchdog holds, lets go or resets.
    fn take_signals(&mut self) {
        let Some(signals) = self.bus.peripherals.take_signals() else { return };
        for number in 0..2 {
            let reset = signals.watchdog_reset >> (15 + number) & 1 != 0;
            let off = self.cores[number].is_off();
            if signals.core_held[number] {
                self.hold_core(number);
            } else if off || reset {
                self.reset_core(number);
            }
        }
    }

    fn serve(&mut self, number: u8) {
        let core = &self.cores[usize::from(number)];
        if let Some(service) = service::at(core.semihosting_pc(), |address| self.peek(address)) {
            return self.serve_rom(number, service);
        }
        let (operation, argument) = (core.register(0), core.register(1));
        let (call, answer) = semihosting::serve(operation, argument, |address| self.peek_byte(address));
        match call {
            Call::Exit(status) => self.exit = Some((number, status)),
            Call::Write(bytes) => {
                let room = KEPT_HOST_OUTPUT.saturating_sub(self.host_output.len());
                if bytes.len() > room {
                    let what = "nobody takes what is written: all behind 16,777,216 bytes is lost";
                    self.bus.fabric.diagnostics.output_lost("semihosting", what, self.now);
                }
                self.host_output.extend(bytes.into_iter().take(room));
            }
            Call::Nothing => {}
        }
        let core = &mut self.cores[usize::from(number)];
        core.set_register(0, answer);
        core.end_semihost();
    }

    /// What our boot ROM has the simulator do for it.
    fn serve_rom(&mut self, number: u8, service: Service) {
        let core = &mut self.cores[usize::from(number)];
        match service {
            Service::Float(function) => {
                let mut registers = [0, 1, 2, 3].map(|register| core.register(register));
                let turns = service::compute(function, &mut registers);
                for (register, value) in registers.into_iter().enumerate() {
                    core.set_register(register, value);
                }
                core.set_register(12, turns);
            }
            Service::LookupFailed => {
                let letters = core.register(1);
                self.bus.fabric.diagnostics.not_in_rom(letters, self.now);
            }
            Service::UsbBoot => self.boot_loader = Some(number),
        }
        self.cores[usize::from(number)].end_semihost();
    }

    fn pass_interrupts(&mut self, now: Cycle) {
        if self.bus.irq != self.lines {
            self.lines = self.bus.irq;
            for (number, core) in self.cores.iter_mut().enumerate() {
                core.set_lines(self.lines.of_core(number) as u32, now + self.line_cycles);
            }
        }
    }

    fn wake_peripherals(&mut self, now: Cycle) {
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        peripherals.wake(&mut context);
        self.take_signals();
        self.pass_interrupts(now);
    }

    /// Makes an interrupt pending on one core now, as a write to `NVIC_ISPR` would.
    pub fn raise_interrupt(&mut self, number: usize, interrupt: u8) {
        let now = self.now;
        self.cores[number & 1].pend(crate::core::cortex_m::IRQ0 + (interrupt & 31), now);
    }

    /// Lets time pass to `cycle` while nothing can happen: after a dead end.
    pub fn advance_to(&mut self, cycle: Cycle) {
        if self.bus.peripherals.stands_still() {
            self.now = self.now.max(cycle);
            return;
        }
        let next = self.cores.iter().map(|core| core.t).min().unwrap_or(NEVER);
        self.now = self.now.max(cycle.min(next).min(self.bus.peripherals.next_event()));
    }

    /// Cycles that a core has lost to other masters.
    pub fn conflicts(&self, number: usize) -> u64 {
        self.cores[number & 1].stats.conflicts.iter().sum()
    }

    /// Words for a core that were lost between the cores, for faults that were asked for.
    pub fn fifo_words_lost(&self, number: usize) -> u64 {
        self.bus.fifo_losses.lost(number & 1)
    }

    /// A hash of the state of the cores, memories and bus: equal for equal runs.
    pub fn state_hash(&self) -> u64 {
        let mut hasher = StableHasher::default();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// All that decides the future, and nothing of what was said or is asked from outside.
impl Hash for Machine {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let Self {
            cores,
            listening: _,
            engine: _,
            decoupled: _,
            busy_waits: _,
            bus,
            now,
            lines,
            host_output: _,
            exit: _,
            boot_loader: _,
            off_until: _,
            altered: _,
            line_cycles: _,
            host_setup: _,
        } = self;
        (cores, bus, now, lines, &bus.dma).hash(hasher);
    }
}
