//! The pins of bank 0 (datasheet 2.19): who drives them, by `IO_BANK0` and `PADS_BANK0`, and what level they have then. Of the
//! QSPI bank, SIO sees the pin that selects the flash.

use crate::core::time::{Cycle, NEVER};
use crate::rp2040::peripherals::{Context, Peripherals, io_bank, moving_pins, pio, spi};
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// Pins of bank 0.
const COUNT: usize = 30;
/// `FUNCSEL` of SIO, PIO0 and PIO1 (2.19.2).
const FUNCTIONS: [u32; 3] = [5, 6, 7];
/// `FUNCSEL` of the SPIs, and which of four pins are their lines RX, `CSn`, SCK and TX; eight pins are of SPI0, the
/// next eight of SPI1.
const SPI_FUNCTION: u32 = 1;
const SPI_RX: usize = 0;
const SPI_CSN: usize = 1;
const SPI_SCK: usize = 2;
const SPI_TX: usize = 3;

/// What a block drives onto pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Outputs {
    /// Levels.
    pub levels: u32,
    /// Which pins it drives at all.
    pub enables: u32,
}

/// A wire between two pins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wire(u32);

impl Wire {
    /// Both pins, a bit each; none if that is no two pins of bank 0.
    pub fn new(one: u32, other: u32) -> Option<Self> {
        (one != other && one.max(other) < COUNT as u32).then_some(Self(1 << one | 1 << other))
    }
}

/// `2:3`.
impl FromStr for Wire {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pins = text.split_once(':').and_then(|(one, other)| Some((one.parse().ok()?, other.parse().ok()?)));
        let wire = pins.and_then(|(one, other)| Self::new(one, other));
        wire.ok_or_else(|| "expected two pins of GPIO 0 to 29, such as 2:3".to_owned())
    }
}

/// Wires at most.
pub const WIRES: usize = 15;

/// What the registers of pins and pads do to all that is driven, bit by bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pads {
    out: Override,
    enable: Override,
    input: Override,
    output_disable: u32,
    input_enable: u32,
    /// Levels of pins that nobody drives.
    floating: u32,
    wires: [Wire; WIRES],
    wire_count: usize,
}

/// The four choices of OUTOVER, OEOVER and INOVER (2.19.6.1): as it is, inverted, low, high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Override {
    kept: u32,
    inverted: u32,
}

impl Override {
    const NONE: Self = Self { kept: u32::MAX, inverted: 0 };

    fn set(&mut self, pin: usize, choice: u32) {
        self.kept = self.kept & !(1 << pin) | u32::from(choice < 2) << pin;
        self.inverted = self.inverted & !(1 << pin) | (choice & 1) << pin;
    }

    #[inline]
    fn of(self, levels: u32) -> u32 {
        (levels & self.kept) ^ self.inverted
    }
}

impl Default for Pads {
    fn default() -> Self {
        let none = Override::NONE;
        Self {
            out: none,
            enable: none,
            input: none,
            output_disable: 0,
            input_enable: u32::MAX,
            floating: 0,
            wires: [Wire::default(); WIRES],
            wire_count: 0,
        }
    }
}

impl Pads {
    /// The levels that inputs see.
    #[inline]
    pub fn level(&self, driven: Outputs) -> u32 {
        self.input.of(self.pad_levels(driven)) & ((1 << COUNT) - 1)
    }

    /// What goes to the pads, after the overrides.
    pub(super) fn overridden(&self, driven: Outputs) -> Outputs {
        Outputs { levels: self.out.of(driven.levels), enables: self.enable.of(driven.enables) }
    }

    /// The levels that come from the pads, before the overrides.
    #[inline]
    pub(super) fn pad_levels(&self, driven: Outputs) -> u32 {
        self.line_levels(driven) & self.input_enable & ((1 << COUNT) - 1)
    }

    /// Pins that are driven.
    #[inline]
    fn enabled(&self, driven: Outputs) -> u32 {
        self.enable.of(driven.enables) & !self.output_disable
    }

    /// The levels outside, which do not depend on whether the pads let them in.
    #[inline]
    fn line_levels(&self, driven: Outputs) -> u32 {
        let mut enables = self.enabled(driven);
        let mut level = (self.out.of(driven.levels) & enables) | (self.floating & !enables);
        for &Wire(pins) in self.wires() {
            // Who pulls a pin up loses against who drives it; of two that drive it, the lower one is taken.
            let driven = enables & pins;
            let high = if driven == 0 { level & pins != 0 } else { level & driven == driven };
            level = if high { level | pins } else { level & !pins };
            enables |= if driven == 0 { 0 } else { pins };
        }
        level
    }
}

impl Pads {
    fn wires(&self) -> &[Wire] {
        &self.wires[..self.wire_count]
    }

    /// Pins, and those that wires connect them with.
    pub(super) fn joined(&self, pins: u32) -> u32 {
        self.wires().iter().fold(pins, |pins, wire| if pins & wire.0 == 0 { pins } else { pins | wire.0 })
    }
}

/// How the pins are connected, as the registers of their functions and pads say: nothing of its own.
#[derive(Clone, Copy, Debug)]
pub struct Pins {
    pads: Pads,
    /// Pins of SIO, PIO0 and PIO1.
    of: [u32; 3],
    /// Pins that the outside drives, and to what levels.
    outside: Outputs,
    /// Pins that move by themselves, and when one of them next does so at which others look.
    moving: u32,
    next_move: Cycle,
    /// What the PIO blocks drove when SIO was last told.
    told: [Outputs; 2],
}

impl Default for Pins {
    fn default() -> Self {
        Self {
            pads: Pads::default(),
            of: [0; 3],
            outside: Outputs::default(),
            moving: 0,
            next_move: NEVER,
            told: [Outputs::default(); 2],
        }
    }
}

/// What decides it is in the registers; and what comes from outside shows in what SIO reads.
impl Hash for Pins {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl Peripherals {
    /// What the outside drives onto pins 0 to 29. Pins that it does not drive have the level of their pulls.
    pub fn set_outside(&mut self, outside: Outputs, context: &mut Context<'_>) {
        self.pins.outside = outside;
        self.connect_pins(context);
        self.schedule();
    }

    /// What the outside drives.
    pub(super) fn outside(&self) -> Outputs {
        self.pins.outside
    }

    pub(super) fn pads(&self) -> &Pads {
        &self.pins.pads
    }

    /// What is driven onto each pin in cycle `now`.
    pub(super) fn driven_at(&self, now: Cycle) -> Outputs {
        self.driven_from(now, now)
    }

    /// The same, with what moves by itself as it is in cycle `at`.
    pub(super) fn driven_from(&self, now: Cycle, at: Cycle) -> Outputs {
        self.driven(self.sio.outputs(), [0, 1].map(|pio| self.pios[pio].outputs_at(now)), at)
    }

    /// Pins that move by themselves.
    pub(super) fn moving(&self) -> u32 {
        self.pins.moving
    }

    /// When a pin next moves by itself at which others look.
    pub(super) fn next_watched_move(&self) -> Cycle {
        self.pins.next_move
    }

    /// Passes on what has moved by itself.
    pub(super) fn follow_moves(&mut self, context: &mut Context<'_>) {
        if self.pins.next_move <= context.now {
            self.update_pins(context.now, context);
        }
    }

    /// After a block has changed what it does to its pins over time.
    pub(super) fn update_moves(&mut self, from: Cycle, context: &mut Context<'_>) {
        if self.pins.moving != 0 || self.pwm.counts_pins() {
            self.update_pins(from, context);
        }
    }

    /// Connects two pins for good. False if there are too many wires.
    pub fn add_wire(&mut self, wire: Wire, context: &mut Context<'_>) -> bool {
        let pads = &mut self.pins.pads;
        if pads.wire_count == WIRES {
            return false;
        }
        pads.wires[pads.wire_count] = wire;
        pads.wire_count += 1;
        self.connect_pins(context);
        self.schedule();
        true
    }

    /// Has what was outside of another chip.
    pub fn keep_outside(&mut self, other: &mut Self, context: &mut Context<'_>) {
        self.pins = other.pins;
        self.board = other.board.clone();
        self.adc.keep_inputs(&other.adc);
        for (i2c, other) in self.i2cs.iter_mut().zip(&mut other.i2cs) {
            i2c.keep_devices(other);
        }
        for (spi, other) in self.spis.iter_mut().zip(&mut other.spis) {
            spi.keep_devices(other);
        }
        self.usb.cable.keep_host(&mut other.usb.cable);
        self.connect_pins(context);
        self.schedule();
    }

    /// The levels of pins 0 to 29 at cycle `now`, as inputs see them.
    pub fn pin_levels(&self, now: Cycle) -> u32 {
        self.pins.pads.level(self.driven_at(now))
    }

    /// After a write to registers of pins or pads, or a reset of a block that drives pins.
    pub(super) fn connect_pins(&mut self, context: &mut Context<'_>) {
        let Pins { outside, pads: Pads { wires, wire_count, .. }, .. } = self.pins;
        let (mut pads, mut of, mut moving) = (Pads { wires, wire_count, ..Pads::default() }, [0; 3], 0);
        for pin in 0..COUNT {
            let (control, pad) = (self.io_bank0.control(pin), self.pads_bank0.pad(pin));
            for (function, pins) in FUNCTIONS.into_iter().zip(&mut of) {
                *pins |= u32::from(control & 0x1f == function) << pin;
            }
            moving |= u32::from(moving_pins::is_moved(pin, control & 0x1f)) << pin;
            pads.out.set(pin, control >> 8 & 3);
            pads.enable.set(pin, control >> 12 & 3);
            pads.input.set(pin, control >> 16 & 3);
            // OD, IE, PUE (2.19.6.3).
            pads.output_disable |= (pad >> 7 & 1) << pin;
            pads.input_enable &= !(u32::from(pad >> 6 & 1 == 0) << pin);
            pads.floating |= (pad >> 3 & 1) << pin;
        }
        pads.floating = (pads.floating & !outside.enables) | (outside.levels & outside.enables);
        self.pins = Pins { pads, of, outside, moving, next_move: NEVER, told: self.pins.told };
        self.connect_spi();
        self.connect_i2c();
        self.sio.set_selected(of[0]);
        self.sio.set_input_high(u32::from(self.io_qspi.forced(io_bank::QSPI_SS) != Some(false)) << io_bank::QSPI_SS);
        for (pio, pins) in self.pios.iter_mut().zip(&of[1..]) {
            pio.connect(pads, *pins, context.now);
        }
        self.update_pins(context.now + 1, context);
    }

    /// Connects the lines of the SPIs: the receiving one by a wire to the transmitting one, or to devices; all of them to those of
    /// the other port.
    fn connect_spi(&mut self) {
        let pads = self.pins.pads;
        let lines = [0, 1].map(|number| {
            [SPI_RX, SPI_CSN, SPI_SCK, SPI_TX].map(|line| {
                let pins = (0..COUNT).filter(|pin| pin % 4 == line && pin / 8 % 2 == number);
                pins.filter(|&pin| self.io_bank0.control(pin) & 0x1f == SPI_FUNCTION)
                    .fold(0, |pins, pin| pins | 1 << pin)
            })
        });
        let wired = |one: u32, other: u32| pads.joined(one) & other != 0;
        for (number, spi) in self.spis.iter_mut().enumerate() {
            let ([rx, select, clock, tx], [other_rx, _, other_clock, other_tx]) = (lines[number], lines[1 - number]);
            let input = match rx {
                _ if wired(rx, tx) => spi::Input::Own,
                0 => spi::Input::None,
                _ => spi::Input::Level(pads.floating & rx == rx),
            };
            let wiring =
                spi::Wiring { clock: wired(clock, other_clock), there: wired(tx, other_rx), back: wired(rx, other_tx) };
            spi.connect(spi::Connection { input, clock: clock != 0, data: tx != 0, select, wiring });
        }
    }

    /// Whether nobody but a core that reads them notices what SIO drives onto pins.
    pub fn nobody_follows_sio(&self) -> bool {
        let others_look = self.pins.pads.wire_count > 0 || self.io_bank0.interrupts.is_used() || self.pwm.counts_pins();
        !others_look && self.selects() == 0 && !self.pios.iter().any(pio::Pio::is_in_use)
    }

    /// After a write to the outputs of SIO.
    pub fn update_sio_pins(&mut self, context: &mut Context<'_>) {
        if !self.nobody_follows_sio() {
            self.update_pins(context.now + 1, context);
            self.schedule();
        }
    }

    /// Tells each PIO block what the others drive, from cycle `from` on, and which of its pins they look at.
    pub(super) fn update_pins(&mut self, from: Cycle, context: &mut Context<'_>) {
        let now = context.now;
        let mut unknown = [0; 2];
        let counted = self.counted();
        let selects = self.selects();
        let wanted = self.io_bank0.interrupts.wanted() as u32 | counted | selects;
        for pio in 0..2 {
            let read = self.pins.pads.joined(self.pios[1 - pio].pins_read() | wanted);
            unknown[1 - pio] = self.pios[pio].watch_pins(read, now) & self.pins.pads.joined(self.pins.of[1 + pio]);
        }
        for pio in 0..2 {
            if self.pios[pio].is_in_use() {
                let mut outputs = [Outputs::default(); 2];
                outputs[1 - pio] = self.pios[1 - pio].outputs();
                let others = self.driven(self.sio.outputs(), outputs, from);
                self.pios[pio].set_others(others, now, from);
                if unknown[pio] != 0 {
                    let past = self.pios[1 - pio].past();
                    self.pios[pio].recall(unknown[pio], past);
                }
            }
        }
        self.update_input(now);
        self.update_pin_interrupts(now, from);
        // A slice whose B pin is not connected has a low one.
        if self.pwm.counts_pins() {
            let levels = self.pins.pads.level(self.driven_from(now, from));
            let high = self.counted_high(levels);
            self.pwm.set_inputs(high, now, from);
        }
        if selects != 0 {
            let driven = self.driven_from(now, from);
            let Pins { pads, outside, .. } = &self.pins;
            // A device pulls its chip select up, against the pad's weaker pull.
            let levels = pads.line_levels(driven) | !pads.joined(pads.enabled(driven) | outside.enables);
            let inside = pads.level(driven);
            for spi in &mut self.spis {
                spi.set_selects(levels, from, context);
                spi.set_own_select(inside, from);
            }
        }
        let read = wanted | self.pios[0].pins_read() | self.pios[1].pins_read();
        self.pins.next_move = self.next_move(self.pins.pads.joined(read), from);
    }

    /// Pins that select devices of the SPIs.
    fn selects(&self) -> u32 {
        self.spis[0].selects() | self.spis[1].selects()
    }

    /// Brings what SIO reads of the pins up to cycle `now`.
    pub fn update_gpio_in(&mut self, now: Cycle) {
        if self.has_pins_that_move() {
            for pio in &mut self.pios {
                pio.advance(now);
            }
            self.update_input(now);
        }
    }

    /// Whether pins may change that nobody writes to, or have done so since SIO was told of them.
    pub fn has_pins_that_move(&self) -> bool {
        self.any_pin_moves() || self.pios.iter().map(pio::Pio::outputs).ne(self.pins.told)
    }

    fn any_pin_moves(&self) -> bool {
        self.pios.iter().any(pio::Pio::drives_pins) || self.pins.moving != 0 && self.moves_pins()
    }

    /// Whether no pin will move by itself, and no PIO block will do anything, as things are.
    pub fn pins_stand_still(&self) -> bool {
        !self.any_pin_moves() && self.pios.iter().all(pio::Pio::is_still)
    }

    /// What SIO reads of the pins at cycle `now`.
    pub fn gpio_in_at(&self, now: Cycle) -> u32 {
        self.sio.gpio_in(self.input([0, 1].map(|pio| self.pios[pio].outputs_at(now)), now))
    }

    fn update_input(&mut self, now: Cycle) {
        self.pins.told = [0, 1].map(|pio| self.pios[pio].outputs());
        self.sio.set_input(self.input(self.pins.told, now));
    }

    /// The levels of pins that SIO does not drive; unless a wire comes from there, they do not depend on those that it does.
    fn input(&self, pios: [Outputs; 2], now: Cycle) -> u32 {
        let sio = if self.pins.pads.wire_count > 0 { self.sio.outputs() } else { Outputs::default() };
        self.pins.pads.level(self.driven(sio, pios, now))
    }

    /// What is driven onto each pin by the block that it is given to.
    fn driven(&self, sio: Outputs, pios: [Outputs; 2], at: Cycle) -> Outputs {
        let all = [sio, pios[0], pios[1]];
        let moved = if self.pins.moving == 0 { Outputs::default() } else { self.moved(at) };
        all.into_iter().zip(self.pins.of).fold(moved, |driven, (outputs, pins)| Outputs {
            levels: driven.levels | outputs.levels & pins,
            enables: driven.enables | outputs.enables & pins,
        })
    }
}
