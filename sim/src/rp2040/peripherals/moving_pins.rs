//! Pins that move by themselves: outputs of PWM and of clocks, and what UARTs and SPIs send (datasheet 2.19.2).

use crate::core::bits::set_bits;
use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2::clock::Clocks;
use crate::rp2040::peripherals::Peripherals;
use crate::rp2040::peripherals::pins::Outputs;
use crate::rp2040::peripherals::spi::{Line, Spi};

/// `FUNCSEL` values (2.19.2).
const SPI: u32 = 1;
const UART: u32 = 2;
const PWM: u32 = 4;
const CLOCK: u32 = 8;
/// The pins of GPOUT0 to 3.
const CLOCK_PINS: [usize; CLOCK_OUTPUTS] = [21, 23, 24, 25];
const CLOCK_OUTPUTS: usize = 4;
/// Of each four pins the first one sends, in turn for these UARTs.
const UART_PINS: usize = 4;
const UARTS: [usize; 4] = [0, 1, 1, 0];
/// Pins that the slices of PWM have, one by one: A and B of each; behind the last slice the first one follows.
const PWM_PINS: usize = 16;

/// Of each four pins the last three are lines of an SPI; eight pins are of SPI0, the next eight of SPI1.
const SPI_LINES: [Line; 3] = [Line::Select, Line::Clock, Line::Data];

/// What moves a pin.
#[derive(Clone, Copy, Debug)]
enum Mover {
    Uart(usize),
    Spi { number: usize, line: Line },
    Pwm { slice: usize, channel: usize },
    Clock(usize),
}

/// Who moves a pin with a function; none if nobody does.
fn mover(pin: usize, function: u32) -> Option<Mover> {
    match function {
        SPI if !pin.is_multiple_of(4) => Some(Mover::Spi { number: pin / 8 % 2, line: SPI_LINES[pin % 4 - 1] }),
        UART if pin.is_multiple_of(UART_PINS) => Some(Mover::Uart(UARTS[pin / UART_PINS % UARTS.len()])),
        PWM => Some(Mover::Pwm { slice: pin % PWM_PINS / 2, channel: pin % 2 }),
        CLOCK => CLOCK_PINS.iter().position(|&clock| clock == pin).map(Mover::Clock),
        _ => None,
    }
}

/// Whether a pin with a function is moved.
pub(super) fn is_moved(pin: usize, function: u32) -> bool {
    mover(pin, function).is_some()
}

/// The clocks that are put out: half periods. A period is half high, whatever the divider.
#[derive(Clone, Debug, Hash)]
pub struct ClockOutputs([Ticks; CLOCK_OUTPUTS]);

impl Default for ClockOutputs {
    fn default() -> Self {
        Self([const { Ticks::stopped() }; CLOCK_OUTPUTS])
    }
}

impl Peripherals {
    /// Pins of SPIs that are slaves, to which others drive these lines.
    fn slave_lines(&self) -> u32 {
        if self.spis.iter().all(Spi::is_master) {
            return 0;
        }
        let slaves = bits(self.moving()).filter(|&pin| match self.mover(pin) {
            Some(Mover::Spi { number, .. }) => !self.spis[number].is_master(),
            _ => false,
        });
        slaves.fold(0, |pins, pin| pins | 1 << pin)
    }

    /// Pins that a slice of PWM counts by.
    pub(super) fn counted(&self) -> u32 {
        if self.moving() == 0 || !self.pwm.counts_pins() {
            return 0;
        }
        let pins = bits(self.moving()).filter(|&pin| self.counting_slice(pin).is_some());
        pins.fold(0, |pins, pin| pins | 1 << pin)
    }

    /// The slices whose B pins are high. Of two pins that a slice has, either does (4.5.2.5).
    pub(super) fn counted_high(&self, levels: u32) -> u32 {
        let slices = bits(levels & self.moving()).filter_map(|pin| self.counting_slice(pin));
        slices.fold(0, |high, slice| high | 1 << slice)
    }

    /// The slice that counts by a pin.
    fn counting_slice(&self, pin: usize) -> Option<usize> {
        match self.mover(pin) {
            Some(Mover::Pwm { slice, channel: 1 }) => Some(slice).filter(|&slice| self.pwm.counts_pin(slice)),
            _ => None,
        }
    }

    /// What is driven onto pins that move by themselves in cycle `at`.
    pub(super) fn moved(&self, at: Cycle) -> Outputs {
        let enables = self.moving() & !self.counted() & !self.slave_lines();
        let levels = bits(enables).fold(0, |levels, pin| levels | u32::from(self.is_moved_high(pin, at)) << pin);
        Outputs { levels, enables }
    }

    /// The first cycle after `at` in which one of these pins may move by itself.
    pub(super) fn next_move(&self, pins: u32, at: Cycle) -> Cycle {
        bits(pins & self.moving() & !self.counted()).map(|pin| self.next_edge(pin, at)).min().unwrap_or(NEVER)
    }

    /// Whether any pin moves by itself as things are.
    pub(super) fn moves_pins(&self) -> bool {
        bits(self.moving()).any(|pin| match self.mover(pin) {
            Some(Mover::Uart(number)) => self.uarts[number].is_shifting(),
            Some(Mover::Spi { number, .. }) => self.spis[number].is_sending(),
            Some(Mover::Pwm { slice, .. }) => self.pwm.counts(slice),
            Some(Mover::Clock(number)) => self.clock_outputs.0[number].rate().0 != 0,
            None => false,
        })
    }

    /// Follows a change of the clocks that are put out.
    pub(super) fn update_clock_outputs(&mut self, now: Cycle, clocks: &Clocks) {
        for (number, output) in self.clock_outputs.0.iter_mut().enumerate() {
            output.set_rate(now, 2 * self.clocks.output_rate(number), clocks.sys());
        }
    }

    fn mover(&self, pin: usize) -> Option<Mover> {
        mover(pin, self.io_bank0.control(pin) & 0x1f)
    }

    fn is_moved_high(&self, pin: usize, at: Cycle) -> bool {
        match self.mover(pin) {
            Some(Mover::Uart(number)) => self.uarts[number].sends_high(at),
            Some(Mover::Spi { number, line }) => self.spis[number].is_high(line, at),
            Some(Mover::Pwm { slice, channel }) => self.pwm.slice(slice, at).is_high(channel),
            Some(Mover::Clock(number)) => self.clock_outputs.0[number].count(at) & 1 == 1,
            None => false,
        }
    }

    fn next_edge(&self, pin: usize, at: Cycle) -> Cycle {
        match self.mover(pin) {
            Some(Mover::Uart(number)) => self.uarts[number].next_bit(at),
            Some(Mover::Spi { number, .. }) => self.spis[number].next_edge(at),
            Some(Mover::Pwm { slice, channel }) => self.pwm.slice(slice, at).next_edge(channel),
            Some(Mover::Clock(number)) => {
                let output = &self.clock_outputs.0[number];
                output.cycle_of(output.count(at) + 1)
            }
            None => NEVER,
        }
    }
}

fn bits(pins: u32) -> impl Iterator<Item = usize> {
    set_bits(u64::from(pins)).map(usize::from)
}
