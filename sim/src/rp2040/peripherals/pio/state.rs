//! What changes in a PIO block while time passes, and how it does: cycle by cycle where there is something to do.

use crate::core::time::{Cycle, NEVER};
use crate::rp2040::peripherals::pins::Outputs;
use crate::rp2040::peripherals::pio::machine::{Stall, StateMachine};
use crate::rp2040::peripherals::pio::setup::{MACHINES, Setup};
use crate::rp2040::peripherals::pio::shared::Shared;

/// What the rest of the chip can notice of a block without asking it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Visible {
    /// Levels of the two interrupt lines.
    pub lines: [bool; 2],
    /// Levels of pins that others look at.
    pub pins: u32,
    /// Levels of FIFOs that the DMA waits for, a byte each: TX 0 to 3, RX 0 to 3.
    pub fifos: u64,
}

/// What of a block the rest of the chip takes notice of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Watch {
    /// `IRQ0_INTE`, `IRQ1_INTE`.
    pub inte: [u32; 2],
    /// `IRQ0_INTF`, `IRQ1_INTF`.
    pub intf: [u32; 2],
    /// Pins.
    pub pins: u32,
    /// FIFOs: TX 0 to 3, RX 0 to 3.
    pub fifos: u8,
}

impl Watch {
    /// Whether anything that happens in the block could be noticed.
    pub fn is_any(&self) -> bool {
        self.inte != [0; 2] || self.pins != 0 || self.fifos != 0
    }
}

/// The levels at the pads in a cycle and in the two before.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    at: Cycle,
    pads: [u32; 3],
}

impl Past {
    fn pads_in(self, cycle: Cycle) -> u32 {
        self.pads[self.at.saturating_sub(cycle).min(2) as usize]
    }
}

/// The state of a block at the beginning of cycle `at`.
#[derive(Clone, Debug, Hash)]
pub struct State {
    /// All cycles before this one are done.
    pub at: Cycle,
    /// The state machines.
    pub machines: [StateMachine; MACHINES],
    /// What they share.
    pub shared: Shared,
    /// What others drive onto the pins, and what they will from a cycle on.
    others: Outputs,
    pending: Option<(Cycle, Outputs)>,
    /// Levels at the pads in this cycle, in the last one and in the one before: the synchronisers (3.5.6.3).
    pads: [u32; 3],
    /// Pins that a state machine continues to assert may have been overwritten.
    reasserts: bool,
}

/// What a step has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// There is nothing to do before the end.
    Ended,
    /// A cycle was executed.
    Done,
    /// And has moved a word, or changed an IRQ flag or a level.
    Changed,
}

impl Default for State {
    fn default() -> Self {
        Self {
            at: 0,
            machines: std::array::from_fn(StateMachine::new),
            shared: Shared::default(),
            others: Outputs::default(),
            pending: None,
            pads: [0; 3],
            reasserts: false,
        }
    }
}

impl State {
    /// What the block drives.
    pub fn outputs(&self) -> Outputs {
        self.shared.outputs()
    }

    /// `INTR`.
    pub fn intr(&self) -> u32 {
        self.machines.iter().enumerate().fold(u32::from(self.shared.irq & 15) << 8, |intr, (number, machine)| {
            intr | u32::from(!machine.rx.is_empty()) << number | u32::from(!machine.tx.is_full()) << (4 + number)
        })
    }

    /// What can be noticed of it.
    pub fn visible(&self, setup: &Setup, watch: &Watch) -> Visible {
        let lines = if watch.inte == [0; 2] && watch.intf == [0; 2] {
            [false; 2]
        } else {
            let intr = self.intr();
            [0, 1].map(|line| intr & watch.inte[line] | watch.intf[line] != 0)
        };
        let mut fifos = 0;
        if watch.fifos != 0 {
            for (number, machine) in self.machines.iter().enumerate() {
                for (fifo, len) in [(number, machine.tx.len()), (number + MACHINES, machine.rx.len())] {
                    fifos |= (u64::from(watch.fifos >> fifo & 1) * u64::from(len)) << (8 * fifo);
                }
            }
        }
        let pins = if watch.pins == 0 { 0 } else { self.pads[0] & watch.pins & setup.mine };
        Visible { lines, pins, fifos }
    }

    /// Executes all cycles before `end`.
    pub fn run(&mut self, setup: &Setup, end: Cycle) {
        while self.at < end {
            if self.can_run_apart(setup) {
                return self.run_apart(setup, end);
            }
            if self.step(setup, end) == Step::Ended {
                return;
            }
        }
    }

    /// The same, but stops behind the first cycle after which something else can be noticed.
    pub fn run_until_visible(&mut self, setup: &Setup, end: Cycle, watch: &Watch) {
        let before = self.visible(setup, watch);
        loop {
            match self.step(setup, end) {
                Step::Ended => return,
                Step::Changed if self.visible(setup, watch) != before => return,
                _ => {}
            }
        }
    }

    /// Whether state machines can be run one after the other, each to the end: none notices another one, and the pins that they
    /// look at have come to rest.
    fn can_run_apart(&self, setup: &Setup) -> bool {
        let [now, before, earlier] = self.pads;
        let moves = (now ^ before) | (before ^ earlier) | (now ^ self.shared.input);
        setup.apart
            && moves & setup.reads == 0
            && self.pending.is_none()
            && self.machines.iter().all(|machine| machine.forced_from() == NEVER)
    }

    /// Executes all cycles before `end`, one state machine after the other. Pads are followed for the last cycles only.
    fn run_apart(&mut self, setup: &Setup, end: Cycle) {
        if self.machines.iter().all(|machine| machine.next >= end) {
            return self.skip_to(setup, end);
        }
        let mut earlier = [self.outputs(); 2];
        for (number, machine) in self.machines.iter_mut().enumerate() {
            if machine.next < end {
                let (settings, program) = (&setup.machines[number], setup.programs.of_machine(number));
                machine.run_alone(end, settings, program, &mut self.shared, &mut earlier);
            }
        }
        let now = self.outputs();
        let level = self.level(setup);
        let [one, two] = earlier.map(|outputs| if outputs == now { level } else { self.level_of(setup, outputs) });
        self.pads = match end - self.at {
            1 => [level, self.pads[0], self.pads[1]],
            _ => [level, one, two],
        };
        self.at = end;
    }

    /// Whether nothing will ever happen unless others do something.
    pub fn is_still(&self, setup: &Setup) -> bool {
        self.next(setup) == NEVER
    }

    /// Levels behind the synchronisers, or around them, of pins that somebody looks at.
    #[inline]
    fn input(&self, setup: &Setup) -> u32 {
        ((self.pads[0] & setup.sync_bypass) | (self.pads[2] & !setup.sync_bypass)) & setup.reads
    }

    /// Whether nothing happens before cycle `now` or comes with it, so that no copy has to run there.
    pub fn stays_until(&self, setup: &Setup, now: Cycle) -> bool {
        self.at >= now || self.next(setup) > now
    }

    /// The next cycle in which there is something to do; the present one at the earliest.
    fn next(&self, setup: &Setup) -> Cycle {
        if self.reasserts {
            return self.at;
        }
        // Who waits for a pin looks in each cycle until the synchronisers have come to rest; all others look when they want.
        if self.machines.iter().any(|machine| machine.stalled == Some(Stall::Pins)) {
            let moves = (self.pads[0] ^ self.pads[1]) | (self.pads[1] ^ self.pads[2]);
            if moves & setup.reads != 0 || self.input(setup) != self.shared.input {
                return self.at;
            }
        }
        let pending = self.pending.map_or(NEVER, |(from, _)| from);
        let next = |machine: &StateMachine| machine.next.min(machine.forced_from());
        self.machines.iter().map(next).fold(pending, Cycle::min).max(self.at)
    }

    /// Goes to the next cycle in which there is something to do, and executes it unless that is `end` or later.
    #[inline]
    fn step(&mut self, setup: &Setup, end: Cycle) -> Step {
        if self.at >= end {
            return Step::Ended;
        }
        let next = self.next(setup);
        self.skip_to(setup, next.min(end));
        if next >= end {
            return Step::Ended;
        }
        if self.execute(setup) { Step::Changed } else { Step::Done }
    }

    fn skip_to(&mut self, setup: &Setup, cycle: Cycle) {
        match cycle - self.at {
            0 => {}
            1 => self.pads = [self.pads[0], self.pads[0], self.pads[1]],
            _ => self.pads = [self.pads[0]; 3],
        }
        self.arrive(setup, cycle);
    }

    /// Comes to a cycle: what was to come then has come.
    fn arrive(&mut self, setup: &Setup, cycle: Cycle) {
        self.at = cycle;
        if let Some((_, outputs)) = self.pending.take_if(|(from, _)| *from <= cycle) {
            self.others = outputs;
            self.pads[0] = self.level(setup);
        }
        for (machine, settings) in self.machines.iter_mut().zip(&setup.machines) {
            machine.take_written(cycle, settings.divisor);
        }
    }

    fn level(&self, setup: &Setup) -> u32 {
        self.level_of(setup, self.outputs())
    }

    /// The levels at the pads with what this block drives.
    fn level_of(&self, setup: &Setup, mine: Outputs) -> u32 {
        setup.pads.level(Outputs {
            levels: self.others.levels & !setup.mine | mine.levels & setup.mine,
            enables: self.others.enables & !setup.mine | mine.enables & setup.mine,
        })
    }

    /// One cycle. Whether it has moved a word, or changed an IRQ flag or a level.
    fn execute(&mut self, setup: &Setup) -> bool {
        let now = self.at;
        let input = self.input(setup);
        let shared = &mut self.shared;
        if input != shared.input {
            shared.input = input;
            wake(&mut self.machines, setup, Stall::Pins, now);
        }
        let before = (shared.out, shared.dirs);
        let mut sticky = false;
        for (number, machine) in self.machines.iter_mut().enumerate() {
            let settings = &setup.machines[number];
            if settings.out_sticky {
                sticky = true;
                machine.reassert(shared);
            }
            if machine.next == now {
                machine.cycle(now, settings, setup.programs.of_machine(number), shared);
            }
        }
        let mut changed = std::mem::take(&mut shared.moved) != 0;
        let wrote_pins = std::mem::take(&mut shared.wrote_pins);
        if shared.change_irqs() {
            changed = true;
            wake(&mut self.machines, setup, Stall::Irq, now + 1);
        }
        let shared = &self.shared;
        self.reasserts = sticky && (wrote_pins || before != (shared.out, shared.dirs));
        let level = if before == (shared.out, shared.dirs) { self.pads[0] } else { self.level(setup) };
        changed |= level != self.pads[0];
        self.pads = [level, self.pads[0], self.pads[1]];
        self.arrive(setup, now + 1);
        changed
    }

    /// Before the system changes something from cycle `at` on.
    pub fn settle(&mut self, setup: &Setup) {
        for (machine, settings) in self.machines.iter_mut().zip(&setup.machines) {
            machine.settle(self.at, settings.divisor);
        }
    }

    /// The system changes something of one state machine alone.
    pub fn change(&mut self, setup: &Setup, number: usize, change: impl FnOnce(&mut StateMachine, &mut Shared)) {
        let (machine, divisor) = (&mut self.machines[number], setup.machines[number].divisor);
        machine.settle(self.at, divisor);
        change(machine, &mut self.shared);
        machine.wake(self.at, divisor);
    }

    /// After it has done so.
    pub fn wake_all(&mut self, setup: &Setup) {
        for (machine, settings) in self.machines.iter_mut().zip(&setup.machines) {
            machine.wake(self.at, settings.divisor);
        }
        self.reasserts = setup.machines.iter().any(|settings| settings.out_sticky);
    }

    /// What others drive onto the pins, from cycle `from` on, which must not be before `at`. Whether that is something else.
    pub fn set_others(&mut self, setup: &Setup, outputs: Outputs, from: Cycle) -> bool {
        let before = (self.others, self.pending.take());
        self.pending = (outputs != self.others).then_some((from, outputs));
        let changed = before != (self.others, self.pending);
        self.skip_to(setup, self.at);
        changed
    }

    /// The levels at the pads of the present cycle and of the two before.
    pub fn past(&self) -> Past {
        Past { at: self.at, pads: self.pads }
    }

    /// All pins had the level before that they have now, or will have next.
    pub fn fill(&mut self, setup: &Setup) {
        self.others = self.pending.take().map_or(self.others, |(_, outputs)| outputs);
        self.pads = [self.level(setup); 3];
    }

    /// These pins had the levels that another block knows, of which this one knew nothing.
    pub fn recall(&mut self, pins: u32, past: Past) {
        for (ago, pads) in (0..).zip(&mut self.pads) {
            *pads = *pads & !pins | past.pads_in(self.at.saturating_sub(ago)) & pins;
        }
    }

    /// The pads are connected in another way from now on.
    pub fn reconnect(&mut self, setup: &Setup) {
        self.pads[0] = self.level(setup);
    }
}

/// State machines that wait for something that has changed try again, from cycle `from` on.
fn wake(machines: &mut [StateMachine; MACHINES], setup: &Setup, stall: Stall, from: Cycle) {
    for (machine, settings) in machines.iter_mut().zip(&setup.machines) {
        if machine.stalled == Some(stall) {
            machine.wake(from, settings.divisor);
        }
    }
}
