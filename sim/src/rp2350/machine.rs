//! The whole chip: time, the cores, the bus, and why a run ended.

use crate::core::access::Width;
use crate::core::semihosting::{self, Call};
use crate::core::state_hash::StableHasher;
use crate::core::statistics::Statistics;
use crate::core::stop::Stop;
use crate::core::time::{Cycle, NEVER};
use crate::core::watch::CoreEvent;
use crate::engine::Engine;
use crate::image::Boot;
use crate::isa::hazard3::Core;
use crate::isa::hazard3::csr::Trap;
use crate::isa::hazard3::op::Cause;
use crate::isa::hazard3::ports::Lines;
use crate::rp2::clock::Rates;
use crate::rp2::peripheral::Peripheral;
use crate::rp2::serial_ports::SerialPorts;
use crate::rp2::usb::cable::Cable;
use crate::rp2::xosc::CRYSTAL;
use crate::rp2350::bus::stretch::Stretch;
use crate::rp2350::bus::{Fabric, ResetBy, port};
use std::hash::{Hash, Hasher};

/// Where a core begins after reset. (That of the chip is not documented.)
const RESET_VECTOR: u32 = 0;
/// The vector of traps after reset (DS 3.8.9): the end of the ROM, where nothing is.
const ROM_VECTOR: u32 = 0x7ffc;
/// Bytes of [`Machine::host_output`] at most: a program may write 64 kB by a single instruction.
const KEPT_HOST_OUTPUT: usize = 1 << 24;

/// `ebreak`, and the hints before and behind it that make it a call of the host (RISC-V semihosting 1.0, 2.1).
const EBREAK: u32 = 0x0010_0073;
const BEFORE_CALL: u32 = 0x01f0_1013;
const BEHIND_CALL: u32 = 0x4070_5013;

/// Traps within traps that are remembered: a program may never leave one.
const NESTED: usize = 16;
/// In the number of a trap, as an event has it: it is an interrupt.
const INTERRUPT: u8 = 0x80;

/// What a core did, beside what its own counters have.
#[derive(Clone, Debug, Default)]
struct Account {
    instructions: u64,
    asleep: u64,
    traps: u64,
    /// `mcause` and `mepc` of the first trap that led to the vector of the boot ROM.
    lost_at: Option<(u32, u32)>,
    /// Traps that were entered and not left, the last one last.
    entered: Vec<u8>,
    /// The cycle since which it sleeps.
    slept_at: Option<Cycle>,
}

/// The simulated RP2350.
#[derive(Clone, Debug)]
pub struct Machine {
    cores: [Core; 2],
    /// Held in reset.
    is_off: [bool; 2],
    /// Executes nothing, for a fault that was asked for.
    is_stuck: [bool; 2],
    accounts: [Account; 2],
    /// How it gets through its cycles: with the default, it remembers what cores did in each state, and makes code of that.
    pub engine: Engine,
    /// Everything between and around the cores.
    pub bus: Fabric,
    /// Time up to which everything has happened.
    now: Cycle,
    /// What firmware wrote by semihosting, until somebody takes it.
    pub host_output: Vec<u8>,
    exit: Option<(u8, i32)>,
    /// Bytes of a UART whose sending ends a run: its number, and how many there are already.
    pub(super) listening: Option<(usize, usize)>,
    /// The cycle before which a core does not come out of reset, for a fault that was asked for; 0 if there is none.
    pub(super) off_until: [Cycle; 2],
    /// How the host has the image started, and what it has the chip clocked with.
    pub(super) host_setup: Option<(Boot, Option<u64>)>,
    /// The lines with which a core is known to rest.
    rests_with: [Option<Lines>; 2],
    /// Whether a core has stopped at the breakpoint before which it stands.
    passes: [bool; 2],
    /// Whether it was found that a core may execute the instruction before which it stands.
    is_let_through: [bool; 2],
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
            cores: [Core::new(0, RESET_VECTOR), Core::new(1, RESET_VECTOR)],
            is_off: [true; 2],
            is_stuck: [false; 2],
            accounts: <[Account; 2]>::default(),
            engine: Engine::default(),
            bus: Fabric::new(),
            now: 0,
            host_output: Vec::new(),
            exit: None,
            listening: None,
            off_until: [0; 2],
            host_setup: None,
            rests_with: [None; 2],
            passes: [false; 2],
            is_let_through: [false; 2],
        }
    }

    /// Time up to which everything has happened.
    pub fn now(&self) -> Cycle {
        self.now
    }

    /// A core.
    pub fn core(&self, number: usize) -> &Core {
        &self.cores[number & 1]
    }

    /// A core, to change its registers.
    pub fn core_mut(&mut self, number: usize) -> &mut Core {
        self.rests_with[number & 1] = None;
        &mut self.cores[number & 1]
    }

    /// Whether a core is held in reset.
    pub fn is_off(&self, number: usize) -> bool {
        self.is_off[number & 1]
    }

    /// Whether a core waits to be woken.
    pub fn is_asleep(&self, number: usize) -> bool {
        !self.is_off(number) && self.accounts[number & 1].slept_at.is_some()
    }

    /// Whether a core executes nothing, for a fault that was asked for.
    pub(super) fn is_stuck(&self, number: usize) -> bool {
        self.is_stuck[number & 1]
    }

    pub(super) fn set_stuck(&mut self, number: usize, is_stuck: bool) {
        self.is_stuck[number & 1] = is_stuck;
    }

    /// Sends a core elsewhere, for a debugger.
    pub(super) fn send_core_to(&mut self, number: usize, address: u32) {
        self.bus.drop_transfers(number & 1);
        self.core_mut(number).send_to(address);
    }

    /// Whether a core has taken a trap that only the boot ROM's vector was there for, which leads nowhere.
    pub fn has_crashed(&self, number: usize) -> bool {
        self.trap_without_vector(number).is_some()
    }

    /// The first such trap: `mcause` and `mepc`.
    pub(super) fn trap_without_vector(&self, number: usize) -> Option<(u32, u32)> {
        self.accounts[number & 1].lost_at
    }

    /// Puts bytes at an address of ROM, SRAM or flash, without side effects. False if there is no memory for all of them.
    pub fn load(&mut self, address: u32, bytes: &[u8]) -> bool {
        bytes.iter().zip(address..).filter(|&(&byte, at)| self.bus.poke(at, byte)).count() == bytes.len()
    }

    /// Bytes of memory, without side effects; ends where memory does.
    pub fn peek_bytes(&self, address: u32, count: usize) -> Vec<u8> {
        (0..count as u32).map_while(|i| self.peek_byte(address.wrapping_add(i))).collect()
    }

    fn peek_byte(&self, address: u32) -> Option<u8> {
        self.bus.peek_memory(address).map(|word| (word >> ((address & 3) * 8)) as u8)
    }

    /// Lets both cores out of reset: each begins in the boot ROM.
    pub fn reset(&mut self) {
        for number in 0..2 {
            self.reset_core(number);
        }
    }

    /// Lets one core out of reset, unless it is switched off.
    pub fn reset_core(&mut self, number: usize) {
        if self.is_switched_off(number) {
            return;
        }
        self.hold_core(number);
        self.is_off[number] = false;
        self.bus.watch.core_event(self.now, number as u8, CoreEvent::Starts);
    }

    /// Whether a core is held in reset for a fault that was asked for.
    pub fn is_switched_off(&self, number: usize) -> bool {
        self.now < self.off_until[number & 1]
    }

    pub(super) fn hold_core(&mut self, number: usize) {
        if !std::mem::replace(&mut self.is_off[number], true) {
            self.bus.watch.core_event(self.now, number as u8, CoreEvent::Stops);
        }
        self.wakes_up(number);
        (self.is_stuck[number], self.accounts[number].lost_at) = (false, None);
        self.bus.drop_transfers(number);
        *self.core_mut(number) = Core::new(number as u32, RESET_VECTOR);
    }

    /// Resets the whole chip: all but time, what memories hold and what is outside.
    pub fn reset_chip(&mut self, by: ResetBy) {
        self.bus.reset(self.now, by);
        for number in 0..2 {
            self.hold_core(number);
        }
        self.reset();
    }

    /// Runs until cycle `limit`, or until something else ends the run.
    pub fn run_until(&mut self, limit: Cycle) -> Stop {
        let stop = self.run_on(limit);
        self.bus.settle(&mut self.cores);
        stop
    }

    fn run_on(&mut self, limit: Cycle) -> Stop {
        let may_stop = self.bus.watch.may_stop();
        while self.now < limit {
            if self.bus.peripherals.next_event() <= self.now
                && let Some(stop) = self.wake_peripherals()
            {
                return stop;
            }
            let resting = [self.is_at_rest(0), self.is_at_rest(1)];
            let dma = self.bus.dma_next(self.now);
            let event = self.bus.peripherals.next_event();
            let mut until = event.min(limit);
            if dma > self.now {
                until = until.min(dma);
                if resting == [true; 2] {
                    if event == NEVER && dma == NEVER {
                        return Stop::DeadEnd;
                    }
                    self.sleep(until);
                    continue;
                }
            }
            let in_lock_step = may_stop || self.engine == Engine::LockStep;
            if in_lock_step {
                self.bus.settle(&mut self.cores);
            }
            if may_stop && let Some(stop) = self.stop_before_instruction() {
                return stop;
            }
            self.cycles(resting, until, in_lock_step || dma <= self.now || self.bus.counts_events());
            if let Some((core, code)) = self.exit.take() {
                return Stop::Exit { core, code };
            }
            if std::mem::take(&mut self.bus.touched) {
                self.settle();
            }
        }
        Stop::Limit
    }

    fn wake_peripherals(&mut self) -> Option<Stop> {
        let now = self.now;
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        peripherals.wake(&mut context);
        self.settle();
        let heard = |(port, bytes): (usize, usize)| self.bus.peripherals.sent(port).len() > bytes;
        self.listening.is_some_and(heard).then_some(Stop::ByteSent)
    }

    /// What registers of peripherals mean for cores.
    fn settle(&mut self) {
        self.bus.take_settings();
        if self.bus.peripherals.take_reset() {
            self.reset_chip(ResetBy::Watchdog);
        }
        if let Some(held) = self.bus.peripherals.take_held_cores() {
            for (number, held) in held.into_iter().enumerate() {
                if held {
                    self.hold_core(number);
                } else if self.is_off[number] {
                    self.reset_core(number);
                }
            }
        }
    }

    fn lines(&self, number: usize) -> Lines {
        Lines {
            external: self.bus.irq.of_core(number),
            timer: self.bus.peripherals.sio.timer(number),
            software: self.bus.peripherals.sio.software(number),
            unblocked: false,
        }
    }

    /// Whether a core does nothing in this cycle, nor in any other for as long as its lines are the same.
    fn is_at_rest(&mut self, number: usize) -> bool {
        if self.is_off[number] || self.is_stuck[number] {
            return true;
        }
        if !self.cores[number].is_asleep() || self.bus.has_lost_reservation(number) {
            return false;
        }
        let lines = self.lines(number);
        if self.rests_with[number] != Some(lines) {
            let rests = self.bus.is_idle(number) && self.cores[number].rests(&lines);
            self.rests_with[number] = rests.then_some(lines);
        }
        self.rests_with[number].is_some()
    }

    /// Lets cores sleep until a cycle.
    fn sleep(&mut self, until: Cycle) {
        for number in 0..2 {
            if !self.is_off[number] && !self.is_stuck[number] {
                self.cores[number].sleep_for(until - self.now);
            }
        }
        self.now = until;
    }

    /// At least one cycle, and up to `until` those in which nothing happens but that cores compute, and reach memory.
    fn cycles(&mut self, resting: [bool; 2], until: Cycle, one_by_one: bool) {
        let mut lines = [self.lines(0), self.lines(1)];
        // `h3.unblock` reaches both cores (DS 3.4).
        let unblocks = self.cores.iter().any(Core::unblocks);
        for (number, lines) in lines.iter_mut().enumerate() {
            lines.unblocked = unblocks | self.bus.take_lost_reservation(number);
        }
        let is_on = [0, 1].map(|number| !self.is_off[number] && !self.is_stuck[number]);
        let runs = [0, 1].map(|number| is_on[number] && (!resting[number] || lines[number].unblocked));
        let watched = self.bus.watch.in_use();
        let begin = self.now;
        let may_stretch =
            !one_by_one && (0..2).all(|number| !runs[number] || self.cores[number].has_lines(&lines[number]));
        let mut is_quiet = may_stretch;
        loop {
            let mut rest = runs;
            if is_quiet {
                let Stretch { cycles, executed, has_begun } = self.bus.cycles(&mut self.cores, runs, self.now, until);
                self.now += cycles;
                for number in (0..2).filter(|&number| executed[number] > 0) {
                    (self.passes[number], self.is_let_through[number]) = (false, false);
                    self.accounts[number].instructions += executed[number];
                }
                if std::mem::take(&mut self.bus.stirred) || self.now >= until {
                    break;
                }
                rest[0] &= !has_begun;
            }
            is_quiet = may_stretch;
            let now = self.now;
            let executed = self.bus.cycle(&mut self.cores, rest, &lines, now);
            for number in 0..2 {
                if let Some((pc, word)) = executed[number] {
                    (self.passes[number], self.is_let_through[number]) = (false, false);
                    self.accounts[number].instructions += 1;
                    if watched && self.bus.watch.may_watch(pc) {
                        self.bus.watch.record_execution(now, number as u8, pc);
                    }
                    if word == EBREAK && self.is_host_call(pc) {
                        self.serve(number);
                    }
                }
                if runs[number] && !self.cores[number].is_on_its_way() {
                    is_quiet = false;
                    self.rests_with[number] = None;
                    self.note_trap(number);
                    self.note_sleep(number);
                }
            }
            self.now = now + 1;
            if std::mem::take(&mut self.bus.stirred) || !is_quiet || self.now >= until {
                break;
            }
        }
        for number in 0..2 {
            if is_on[number] && !runs[number] {
                self.cores[number].sleep_for(self.now - begin);
            }
        }
    }

    fn note_trap(&mut self, number: usize) {
        let Some(trap) = self.cores[number].take_trap() else { return };
        let event = match trap {
            Trap::Exception(Cause::Return) => CoreEvent::Leaves(self.accounts[number].entered.pop().unwrap_or(0)),
            Trap::Exception(cause) => CoreEvent::Enters(cause as u8),
            Trap::Interrupt(cause) => CoreEvent::Enters(cause as u8 | INTERRUPT),
        };
        if let CoreEvent::Enters(trap) = event {
            let core = &self.cores[number];
            let leads_nowhere = (ROM_VECTOR..port::ROM_BYTES).contains(&core.pc());
            let trap_taken = core.csrs.last_trap();
            let Account { traps, entered, lost_at, .. } = &mut self.accounts[number];
            *traps += 1;
            if leads_nowhere {
                lost_at.get_or_insert(trap_taken);
            }
            if entered.len() == NESTED {
                entered.remove(0);
            }
            entered.push(trap);
        }
        self.bus.watch.core_event(self.now, number as u8, event);
    }

    fn note_sleep(&mut self, number: usize) {
        let sleeps = self.cores[number].is_asleep();
        let account = &mut self.accounts[number];
        if sleeps && account.slept_at.is_none() {
            account.slept_at = Some(self.now + 1);
            self.bus.watch.core_event(self.now + 1, number as u8, CoreEvent::Sleeps);
        } else if !sleeps && account.slept_at.is_some() {
            self.wakes_up(number);
        }
    }

    fn wakes_up(&mut self, number: usize) {
        let account = &mut self.accounts[number];
        if let Some(since) = account.slept_at.take() {
            account.asleep += (self.now + 1).saturating_sub(since);
            self.bus.watch.core_event(self.now + 1, number as u8, CoreEvent::Wakes);
        }
    }

    /// Why a core stands before the instruction that it would begin in this cycle.
    fn stop_before_instruction(&mut self) -> Option<Stop> {
        for number in 0..2 {
            let Some(pc) = self.cores[number].begins_instruction().filter(|_| !self.is_off[number]) else { continue };
            // An instruction may wait for a while: it is asked about once.
            if std::mem::replace(&mut self.is_let_through[number], true) || !self.bus.watch.may_watch(pc) {
                continue;
            }
            let core = number as u8;
            if !self.bus.watch.stops_before(core, pc, self.passes[number]) {
                continue;
            }
            self.is_let_through[number] = false;
            if let Some(stop) = self.bus.watch.take_stop(core) {
                return Some(stop);
            }
            self.passes[number] = true;
            return Some(Stop::Breakpoint { core, pc });
        }
        None
    }

    fn is_host_call(&self, pc: u32) -> bool {
        let word = |at: u32| {
            let bytes = self.peek_bytes(at, 4);
            bytes.try_into().map_or(0, u32::from_le_bytes)
        };
        word(pc.wrapping_sub(4)) == BEFORE_CALL && word(pc.wrapping_add(4)) == BEHIND_CALL
    }

    fn serve(&mut self, number: usize) {
        let core = &self.cores[number];
        let (call, answer) =
            semihosting::serve(core.register(10), core.register(11), |address| self.peek_byte(address));
        match call {
            Call::Exit(status) => self.exit = Some((number as u8, status)),
            Call::Write(bytes) => {
                let room = KEPT_HOST_OUTPUT.saturating_sub(self.host_output.len());
                if bytes.len() > room {
                    let what = "nobody takes what is written: all behind 16,777,216 bytes is lost";
                    self.bus.diagnostics.output_lost("semihosting", what, self.now);
                }
                self.host_output.extend(bytes.into_iter().take(room));
            }
            Call::Nothing => {}
        }
        let core = &mut self.cores[number];
        core.end_host_call();
        core.set_register(10, answer);
    }

    /// What a core did so far, a sleep that goes on included.
    pub fn statistics(&self, number: usize) -> Statistics {
        let (account, lost) = (&self.accounts[number & 1], &self.bus.lost[number & 1]);
        let sleeps = account.slept_at.map_or(0, |since| self.now.saturating_sub(since));
        Statistics {
            instructions: account.instructions,
            asleep: account.asleep + sleeps,
            exceptions: account.traps,
            conflicts: lost.conflicts,
            waits: lost.waits,
        }
    }

    /// Writes a register of a peripheral as a core would, in no time. False if there is none at the address.
    pub fn write_register(&mut self, address: u32, value: u32) -> bool {
        let now = self.now;
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        let written = peripherals.write(address, Width::Word, value, &mut context).is_some();
        self.settle();
        written
    }

    /// Has the host on USB do something to the device, beside its text.
    pub fn with_cable<T>(&mut self, act: impl FnOnce(&mut Cable, Cycle) -> T) -> T {
        let now = self.now;
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        peripherals.with_cable(act, &mut context)
    }

    /// Sets `clk_sys` and `clk_peri`, and `clk_ref` to that of the crystal, as if start-up code had done so. What the clock
    /// registers say stays, and counts again once firmware writes one of them.
    pub fn set_clock(&mut self, rate: u64) {
        let now = self.now;
        let (peripherals, mut context) = self.bus.peripherals_at(now);
        let rates = Rates { sys: rate, reference: CRYSTAL, peri: rate, ..context.clocks.rates() };
        context.clocks.set(now, rates);
        peripherals.clocks_changed(&mut context);
    }

    /// While a UART sends: a cycle at which it has got further.
    pub fn next_character(&self) -> Option<Cycle> {
        let sending = self.bus.peripherals.uarts.iter().filter(|uart| uart.is_sending());
        let next = sending.map(Peripheral::next_event).min().unwrap_or(NEVER);
        (next != NEVER).then(|| next.max(self.now) + 1)
    }

    /// Lets time pass to `cycle` while nothing can happen: after a dead end.
    pub fn advance_to(&mut self, cycle: Cycle) {
        let until = cycle.min(self.bus.peripherals.next_event());
        if until > self.now {
            self.sleep(until);
        }
    }

    /// A hash of the state of the cores, memories and bus: equal for equal runs.
    pub fn state_hash(&self) -> u64 {
        let mut hasher = StableHasher::default();
        let Self {
            cores,
            is_off,
            is_stuck,
            accounts: _,
            engine: _,
            bus,
            now,
            host_output: _,
            exit: _,
            listening: _,
            off_until: _,
            host_setup: _,
            rests_with: _,
            passes: _,
            is_let_through: _,
        } = self;
        (cores, is_off, is_stuck, bus, now).hash(&mut hasher);
        hasher.finish()
    }
}
