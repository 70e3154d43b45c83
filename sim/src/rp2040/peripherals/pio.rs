//! The PIO blocks (datasheet 3): four state machines each, that share 32 instructions, 8 IRQ flags and the pins.
//!
//! A block is exact to the cycle, but does not follow time cycle by cycle. Its state stays behind until somebody asks for it.
//! Only if the chip would notice something by itself (an interrupt, a FIFO that the DMA waits for, a pin that the other block
//! reads) a copy of the state runs ahead to where that happens, and that is the next event. An access before then leaves the
//! copy unused.
//!
//! The conventions: a register written in cycle `n` is there from cycle `n + 1` on, an instruction from cycle `n + 2` on; a read
//! in cycle `n` sees what all cycles before have done. Outputs are registers as well, so that a level which cycle `n` makes is
//! at the pad in cycle `n + 1`.

mod alone;
pub mod divider;
pub mod fifo;
pub mod instruction;
pub mod machine;
pub mod setup;
pub mod shared;
pub mod state;
mod turns;
pub mod uses;

use crate::core::time::{Cycle, NEVER};
use crate::rp2::clock::Clocks;
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::pins::{Outputs, Pads};
use crate::rp2040::peripherals::{Block, Context, Dreq, Effect, Peripheral};
use divider::Divider;
use fifo::DEPTH;
use machine::{RXUNDER, TXOVER};
use setup::{INSTRUCTIONS, MACHINES, Settings, Setup, is_reserved};
use state::{Past, State, Visible, Watch};
use std::borrow::Cow;
use std::hash::{Hash, Hasher};

/// Register offsets (3.7).
const CTRL: u32 = 0x000;
const FSTAT: u32 = 0x004;
const FDEBUG: u32 = 0x008;
const FLEVEL: u32 = 0x00c;
const TXF0: u32 = 0x010;
const RXF0: u32 = 0x020;
const IRQ: u32 = 0x030;
const IRQ_FORCE: u32 = 0x034;
const INPUT_SYNC_BYPASS: u32 = 0x038;
const DBG_PADOUT: u32 = 0x03c;
const DBG_PADOE: u32 = 0x040;
const DBG_CFGINFO: u32 = 0x044;
const INSTR_MEM0: u32 = 0x048;
const SM0_CLKDIV: u32 = 0x0c8;
const INTR: u32 = 0x128;
const IRQ0_INTE: u32 = 0x12c;
const IRQ1_INTS: u32 = 0x140;
/// Bytes between the registers of two state machines, and offsets among them.
const STRIDE: u32 = 0x18;
const SM_ADDR: u32 = 0x0c;
const SM_INSTR: u32 = 0x10;
const SM_PINCTRL: u32 = 0x14;

const EXEC_STALLED: u32 = 1 << 31;
const INTERRUPTS: u32 = 0xfff;
const FDEBUG_MASK: u32 = 0x0f0f_0f0f;
/// The RP2040 has 30 pins.
const PINS: u32 = (1 << 30) - 1;

/// `PIO0`.
pub const PIO0: Block = Block {
    instance: "0",
    reset: 1 << 10,
    interrupts: &[Irq::Pio0_0 as u8, Irq::Pio0_1 as u8],
    dreqs: &[0, 1, 2, 3, 4, 5, 6, 7],
    write_one_clears: &[FDEBUG, IRQ],
    data: &[RXF0, RXF0 + 4, RXF0 + 8, RXF0 + 12],
    quiet: &[FDEBUG, TXF0, TXF0 + 4, TXF0 + 8, TXF0 + 12, IRQ, IRQ_FORCE],
    stays_behind: true,
    effect: Effect::Drives,
    modelled: "all: programs, FIFOs, dividers, interrupts, DMA requests, pins with their synchronisers",
    ..Block::new("PIO", 0x5020_0000)
};
/// `PIO1`.
pub const PIO1: Block = Block {
    instance: "1",
    base: 0x5030_0000,
    reset: 1 << 11,
    interrupts: &[Irq::Pio1_0 as u8, Irq::Pio1_1 as u8],
    dreqs: &[8, 9, 10, 11, 12, 13, 14, 15],
    ..PIO0
};

/// How far a copy of the state runs ahead at first, and at most.
const SHORT: Cycle = 64;
const LONG: Cycle = 4096;

/// A PIO block.
#[derive(Clone, Debug)]
pub struct Pio {
    block: &'static Block,
    setup: Box<Setup>,
    state: Box<State>,
    watch: Watch,
    /// What the rest of the chip was last told.
    told: Visible,
    /// The state in which it is in cycle `event`, if nobody comes before.
    ahead: Box<State>,
    event: Cycle,
    horizon: Cycle,
    /// Firmware has written to it.
    in_use: bool,
    /// It does not know the pins yet.
    is_new: bool,
}

/// A block to which nobody has written adds nothing; nor does what only saves time.
impl Hash for Pio {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        if self.in_use {
            (&self.setup, &self.state, &self.watch, &self.told, self.event).hash(hasher);
        }
    }
}

impl Pio {
    /// Executes all cycles before `now`.
    pub fn advance(&mut self, now: Cycle) {
        if self.state.at < now {
            self.state.run(&self.setup, now);
        }
    }

    /// The state at cycle `now`, which nobody is to notice.
    fn state_at(&self, now: Cycle) -> Cow<'_, State> {
        if self.state.stays_until(&self.setup, now) {
            return Cow::Borrowed(&self.state);
        }
        let mut state = (*self.state).clone();
        state.run(&self.setup, now);
        Cow::Owned(state)
    }

    /// What it drives, as far as its time has come.
    pub fn outputs(&self) -> Outputs {
        self.state.outputs()
    }

    /// What it drives in cycle `now`.
    pub fn outputs_at(&self, now: Cycle) -> Outputs {
        self.state_at(now).outputs()
    }

    /// Whether firmware has written to it.
    pub fn is_in_use(&self) -> bool {
        self.in_use
    }

    /// Whether nothing will happen in it unless others do something.
    pub fn is_still(&self) -> bool {
        !self.in_use || self.state.is_still(&self.setup)
    }

    /// Whether it may change the level of a pin.
    pub fn drives_pins(&self) -> bool {
        self.setup.mine != 0 && !self.state.is_still(&self.setup)
    }

    /// Pins that its programs may look at.
    pub fn pins_read(&self) -> u32 {
        self.setup.reads
    }

    /// Others look at these pins, no more and no less; which of them they did not look at before.
    pub fn watch_pins(&mut self, pins: u32, now: Cycle) -> u32 {
        let before = std::mem::replace(&mut self.watch.pins, pins);
        if before != pins {
            self.advance(now);
            self.told.pins = self.state.visible(&self.setup, &self.watch).pins;
            self.schedule();
        }
        pins & !before
    }

    /// DMA channels wait for these FIFOs: TX 0 to 3, RX 0 to 3.
    pub fn watch_fifos(&mut self, fifos: u8, now: Cycle) {
        if self.watch.fifos != fifos {
            self.advance(now);
            self.watch.fifos = fifos;
            self.schedule();
        }
    }

    /// The pads, and the pins that are given to this block, from the cycle after `now` on.
    pub fn connect(&mut self, pads: Pads, mine: u32, now: Cycle) {
        if (pads, mine) != (self.setup.pads, self.setup.mine) {
            self.advance(now + 1);
            (self.setup.pads, self.setup.mine) = (pads, mine);
            self.setup.find_uses(&self.state.machines);
            self.state.reconnect(&self.setup);
            self.schedule();
        }
    }

    /// What others drive onto the pins, from cycle `from` on, which is `now` or the next one.
    pub fn set_others(&mut self, outputs: Outputs, now: Cycle, from: Cycle) {
        self.advance(now);
        let is_new = std::mem::take(&mut self.is_new);
        if self.state.set_others(&self.setup, outputs, from) || is_new {
            if is_new {
                self.state.fill(&self.setup);
            }
            self.schedule();
        }
    }

    /// The levels at the pads of late.
    pub fn past(&self) -> Past {
        self.state.past()
    }

    /// Pins that the other block drives, and that this one has not looked at before.
    pub fn recall(&mut self, pins: u32, past: Past) {
        self.state.recall(pins, past);
        self.schedule();
    }

    /// Finds the next cycle in which the rest of the chip would notice something.
    fn schedule(&mut self) {
        let visible = self.state.visible(&self.setup, &self.watch);
        if (visible.lines, visible.pins) != (self.told.lines, self.told.pins) {
            self.event = self.state.at;
        } else if !self.watch.is_any() || self.state.is_still(&self.setup) {
            self.event = NEVER;
        } else {
            (*self.ahead).clone_from(&self.state);
            self.ahead.run_until_visible(&self.setup, self.state.at + self.horizon, &self.watch);
            let ends = self.ahead.is_still(&self.setup) && self.ahead.visible(&self.setup, &self.watch) == visible;
            self.event = if ends { NEVER } else { self.ahead.at };
        }
    }

    /// A write to `TXFx`.
    fn put(&mut self, number: usize, word: u32, now: Cycle) {
        // Whether there is room is a matter of the cycle of the write; what was there before has not gone.
        let mut has_room = !self.state.machines[number].tx.is_full();
        if !has_room {
            self.advance(now);
            has_room = !self.state.machines[number].tx.is_full();
        }
        self.advance(now + 1);
        self.state.change(&self.setup, number, |machine, shared| {
            if has_room {
                machine.tx.push(word);
            } else {
                shared.fdebug |= TXOVER << number;
            }
        });
        self.horizon = SHORT;
        self.schedule();
    }

    fn write_ctrl(&mut self, value: u32) {
        let at = self.state.at;
        for (number, machine) in self.state.machines.iter_mut().enumerate() {
            machine.enabled = value >> number & 1 == 1;
            if value >> (4 + number) & 1 == 1 {
                machine.restart();
            }
            if value >> (8 + number) & 1 == 1 {
                machine.divider = Divider::restarted(at);
            }
        }
    }

    fn write_machine(&mut self, number: usize, register: u32, value: u32) {
        let machine = &mut self.state.machines[number];
        match register {
            SM_ADDR => {}
            // It comes a cycle later than other registers: `pio_sm_drain_tx_fifo` of the SDK only leaves the OSR empty if `FSTAT`, read
            // behind the write, still has the level of before.
            SM_INSTR => machine.force(value as u16, self.state.at + 1),
            _ => {
                let mut registers = self.setup.machines[number].registers();
                let joins = registers[2] >> 30;
                registers[(register / 4).min(3) as usize] = value;
                self.setup.configure(number, Settings::of(registers));
                let (joined, rx_joins_tx, tx_joins_rx) =
                    (registers[2] >> 30, registers[2] >> 30 & 1, registers[2] >> 31);
                if joined != joins {
                    let depth = |joins, gives| if gives == 1 { 0 } else { DEPTH << joins };
                    machine.tx.flush(depth(rx_joins_tx, tx_joins_rx));
                    machine.rx.flush(depth(tx_joins_rx, rx_joins_tx));
                }
            }
        }
    }
}

/// Flags of all state machines, with those of one kind side by side, a byte a kind.
fn flags(state: &State, of: impl Fn(&machine::StateMachine) -> [bool; 4]) -> u32 {
    state.machines.iter().enumerate().fold(0, |flags, (number, machine)| {
        let set = of(machine).into_iter().enumerate();
        set.fold(flags, |flags, (field, set)| flags | u32::from(set) << (8 * field + number))
    })
}

/// Which state machine a register belongs to, and its offset among those of the machine.
fn machine_register(offset: u32) -> (usize, u32) {
    let offset = offset - SM0_CLKDIV;
    ((offset / STRIDE) as usize, offset % STRIDE)
}

impl Peripheral for Pio {
    fn new(block: &'static Block) -> Self {
        Self {
            block,
            setup: Box::default(),
            state: Box::default(),
            watch: Watch::default(),
            told: Visible::default(),
            ahead: Box::default(),
            event: NEVER,
            horizon: SHORT,
            in_use: false,
            is_new: true,
        }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        let now = context.now;
        self.advance(now);
        let value = self.peek(offset, now, context.clocks);
        if self.block.data.contains(&offset) {
            let number = (offset - RXF0) as usize / 4;
            let is_empty = self.state.machines[number].rx.is_empty();
            // The state machine still finds the FIFO as it was.
            self.advance(now + 1);
            self.state.change(&self.setup, number, |machine, shared| {
                if is_empty {
                    shared.fdebug |= RXUNDER << number;
                } else {
                    machine.rx.pop();
                }
            });
            self.in_use = true;
            self.horizon = SHORT;
            self.schedule();
        }
        value
    }

    fn peek(&self, offset: u32, now: Cycle, _clocks: &Clocks) -> Option<u32> {
        let state = &*self.state_at(now);
        Some(match offset {
            CTRL => flags(state, |machine| [machine.enabled, false, false, false]),
            FSTAT => flags(state, |machine| {
                [machine.rx.is_full(), machine.rx.is_empty(), machine.tx.is_full(), machine.tx.is_empty()]
            }),
            FDEBUG => state.shared.fdebug,
            FLEVEL => state.machines.iter().rev().fold(0, |levels, machine| {
                levels << 8 | u32::from(machine.rx.len()) << 4 | u32::from(machine.tx.len())
            }),
            RXF0..IRQ => state.machines[(offset - RXF0) as usize / 4].rx.front(),
            IRQ => u32::from(state.shared.irq),
            INPUT_SYNC_BYPASS => self.setup.sync_bypass,
            DBG_PADOUT => state.shared.out & PINS,
            DBG_PADOE => state.shared.dirs & PINS,
            DBG_CFGINFO => (INSTRUCTIONS as u32) << 16 | (MACHINES as u32) << 8 | u32::from(DEPTH),
            SM0_CLKDIV..INTR => {
                let (number, register) = machine_register(offset);
                let machine = &state.machines[number];
                match register {
                    SM_ADDR => u32::from(machine.pc),
                    SM_INSTR => u32::from(self.setup.memory[usize::from(machine.pc)]),
                    SM_PINCTRL => self.setup.machines[number].pinctrl,
                    _ => {
                        let stalled = register == 4 && machine.is_exec_stalled();
                        let register = self.setup.machines[number].registers()[register as usize / 4];
                        register | if stalled { EXEC_STALLED } else { 0 }
                    }
                }
            }
            INTR => state.intr(),
            IRQ0_INTE..=IRQ1_INTS => {
                let (line, register) = ((offset - IRQ0_INTE) as usize / 12, (offset - IRQ0_INTE) % 12);
                match register {
                    0 => self.watch.inte[line],
                    4 => self.watch.intf[line],
                    _ => state.intr() & self.watch.inte[line] | self.watch.intf[line],
                }
            }
            // They can only be written.
            TXF0..RXF0 | IRQ_FORCE | INSTR_MEM0..SM0_CLKDIV => 0,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        self.in_use = true;
        if (TXF0..RXF0).contains(&offset) {
            return self.put((offset - TXF0) as usize / 4, value, context.now);
        }
        self.advance(context.now + 1);
        self.state.settle(&self.setup);
        let shared = &mut self.state.shared;
        match offset {
            CTRL => self.write_ctrl(value),
            FDEBUG => shared.fdebug &= !(value & FDEBUG_MASK),
            IRQ => shared.irq &= !(value as u8),
            IRQ_FORCE => shared.irq |= value as u8,
            INPUT_SYNC_BYPASS => self.setup.sync_bypass = value,
            INSTR_MEM0..SM0_CLKDIV => {
                self.setup.write_instruction((offset - INSTR_MEM0) as usize / 4, value as u16);
            }
            SM0_CLKDIV..INTR => {
                let (number, register) = machine_register(offset);
                self.write_machine(number, register, value);
            }
            IRQ0_INTE..=IRQ1_INTS => {
                let (line, register) = ((offset - IRQ0_INTE) as usize / 12, (offset - IRQ0_INTE) % 12);
                match register {
                    0 => self.watch.inte[line] = value & INTERRUPTS,
                    4 => self.watch.intf[line] = value & INTERRUPTS,
                    _ => {}
                }
            }
            // They can only be read.
            FSTAT | FLEVEL | TXF0..IRQ | DBG_PADOUT..INSTR_MEM0 | INTR => {}
            _ => context.diagnostics.unmodelled(self.block.name, offset, "write to", context.now),
        }
        let is_instruction = match offset {
            INSTR_MEM0..SM0_CLKDIV => true,
            SM0_CLKDIV..INTR => machine_register(offset).1 == SM_INSTR,
            _ => false,
        };
        if is_instruction && is_reserved(value as u16) {
            let what = "an instruction whose meaning is reserved (3.4)";
            context.diagnostics.misuse(self.block.name, offset, what, context.now);
        }
        if offset == CTRL || (INSTR_MEM0..INTR).contains(&offset) {
            self.setup.find_uses(&self.state.machines);
        }
        self.state.wake_all(&self.setup);
        self.horizon = SHORT;
        self.schedule();
    }

    fn is_followed(&self) -> bool {
        self.watch.is_any() || self.watch.intf != [0; 2]
    }

    fn next_event(&self) -> Cycle {
        self.event
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        if self.ahead.at == context.now && self.state.at < context.now {
            std::mem::swap(&mut self.state, &mut self.ahead);
        } else {
            self.advance(context.now);
        }
        self.told = self.state.visible(&self.setup, &self.watch);
        for (&irq, level) in self.block.interrupts.iter().zip(self.told.lines) {
            context.irq.set(irq, level);
        }
        self.horizon = (2 * self.horizon).min(LONG);
        self.schedule();
    }

    fn dreq(&self, line: usize, _now: Cycle) -> Dreq {
        let machine = &self.state.machines[line % MACHINES];
        if line < MACHINES { Dreq::Room(machine.tx.room().into()) } else { Dreq::Data(machine.rx.len().into()) }
    }
}
