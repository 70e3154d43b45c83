//! The analogue-to-digital converter (datasheet 4.9): a multiplexer of five inputs, a converter, and a FIFO.

pub mod signal;

use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2::clock::{Clock, Clocks};
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::{Block, Context, Dreq, Peripheral};
use signal::Signal;
use std::collections::VecDeque;

/// Register offsets (4.9.6).
const CS: u32 = 0x00;
const RESULT: u32 = 0x04;
const FCS: u32 = 0x08;
const FIFO: u32 = 0x0c;
const DIV: u32 = 0x10;
const INTR: u32 = 0x14;
const INTE: u32 = 0x18;
const INTF: u32 = 0x1c;
const INTS: u32 = 0x20;

/// `CS` bits.
const EN: u32 = 1 << 0;
const TS_EN: u32 = 1 << 1;
const START_ONCE: u32 = 1 << 2;
const START_MANY: u32 = 1 << 3;
const READY: u32 = 1 << 8;
const AINSEL_SHIFT: u32 = 12;
const AINSEL_MASK: u32 = 7 << AINSEL_SHIFT;
const RROBIN_SHIFT: u32 = 16;
const CS_MASK: u32 = EN | TS_EN | START_MANY | AINSEL_MASK | 0x1f << RROBIN_SHIFT;
/// `FCS` bits.
const FIFO_EN: u32 = 1 << 0;
const SHIFT: u32 = 1 << 1;
const DREQ_EN: u32 = 1 << 3;
const EMPTY: u32 = 1 << 8;
const FULL: u32 = 1 << 9;
const UNDER: u32 = 1 << 10;
const OVER: u32 = 1 << 11;
const LEVEL_SHIFT: u32 = 16;
const THRESH_SHIFT: u32 = 24;
const FCS_MASK: u32 = 0xf << THRESH_SHIFT | 0xf;
const DIV_MASK: u32 = 0x00ff_ffff;

/// Inputs: GPIO 26 to 29, and the temperature sensor (4.9.2).
pub const INPUTS: usize = 5;
const TEMPERATURE: usize = 4;
/// Entries of the FIFO (4.9).
const FIFO_DEPTH: usize = 4;
/// Cycles of `clk_adc` that a conversion takes (4.9.2).
const CONVERSION: u64 = 96;
/// The reference: `ADC_AVDD` of a Pico.
const REFERENCE_UV: u32 = 3_300_000;
/// Codes of 12 bits.
const CODES: u32 = 1 << 12;
/// The sensor's voltage at 27 degrees (4.9.5).
const SENSOR_UV: i32 = 706_000;

/// `ADC`.
pub const ADC: Block = Block {
    reset: 1 << 0,
    interrupts: &[Irq::AdcFifo as u8],
    dreqs: &[36],
    clock: Clock::Adc,
    data: &[FIFO],
    lazy: true,
    modelled: "single and free-running conversions, round robin, divider, FIFO, interrupt, DMA requests, temperature sensor",
    missing: "noise, non-linearity, conversion errors",
    ..Block::new("ADC", 0x4004_c000)
};

/// What it is doing; times are ticks of `clk_adc`.
#[derive(Clone, Copy, Debug, Hash)]
enum Phase {
    Idle,
    /// A conversion starts with this tick; a single one was asked for.
    Waits {
        start: u64,
        once: bool,
    },
    /// A conversion ends with this tick, and gives this code.
    Converts {
        end: u64,
        code: u32,
    },
}

/// The converter.
#[derive(Clone, Debug, Hash)]
pub struct Adc {
    /// Cycles of `clk_adc`.
    ticks: Ticks,
    cs: u32,
    result: u32,
    fcs: u32,
    fifo: VecDeque<u32>,
    div: u32,
    inte: u32,
    intf: u32,
    phase: Phase,
    /// When the divider last let a conversion start, in 256ths of a tick.
    paced: u64,
    inputs: [Signal; INPUTS],
}

impl Adc {
    /// Connects an input.
    pub fn connect(&mut self, input: usize, signal: Signal) {
        self.inputs[input % INPUTS] = signal;
    }

    /// Takes over what is connected to a chip that is reset.
    pub(super) fn keep_inputs(&mut self, old: &Self) {
        self.inputs.clone_from(&old.inputs);
    }

    fn selected(&self) -> usize {
        ((self.cs & AINSEL_MASK) >> AINSEL_SHIFT) as usize
    }

    /// What the converter makes of the selected input at a time in femtoseconds. An input that does not exist, or whose
    /// sensor is off, is at 0 V (assumption).
    fn sample(&self, femtoseconds: u128) -> u32 {
        let input = self.selected();
        let microvolts = match self.inputs.get(input) {
            Some(_) if input == TEMPERATURE && self.cs & TS_EN == 0 => 0,
            Some(signal) => signal.at(femtoseconds),
            None => 0,
        };
        let code = u64::from(u32::try_from(microvolts).unwrap_or(0)) * u64::from(CODES) / u64::from(REFERENCE_UV);
        (code as u32).min(CODES - 1)
    }

    /// Does all that is due by cycle `now`.
    fn run(&mut self, now: Cycle, clocks: &Clocks) {
        let count = self.ticks.count(now);
        loop {
            match self.phase {
                Phase::Waits { start, .. } if start <= count => {
                    let code = self.sample(clocks.femtoseconds(self.ticks.cycle_of(start)));
                    self.phase = Phase::Converts { end: start + CONVERSION, code };
                }
                Phase::Converts { end, code } if end <= count => self.finish(end, code),
                _ => break,
            }
        }
    }

    fn finish(&mut self, end: u64, code: u32) {
        self.result = code;
        if self.fcs & FIFO_EN != 0 {
            if self.fifo.len() == FIFO_DEPTH {
                self.fcs |= OVER;
            } else {
                self.fifo.push_back(if self.fcs & SHIFT == 0 { code } else { code >> 4 });
            }
        }
        let others = self.cs >> RROBIN_SHIFT & 0x1f;
        if others != 0 {
            let mut after = (1..=INPUTS).map(|step| (self.selected() + step) % INPUTS);
            let next = after.find(|input| others >> input & 1 == 1).unwrap_or(0);
            self.cs = self.cs & !AINSEL_MASK | (next as u32) << AINSEL_SHIFT;
        }
        self.phase = if self.cs & START_MANY == 0 {
            Phase::Idle
        } else {
            Phase::Waits { start: self.next_start(end), once: false }
        };
    }

    /// The tick at which a free run goes on: at once, or when the divider, which counts periods of 1 + INT + FRAC / 256,
    /// next lets it (4.9.2.2). What it does during a conversion is lost.
    fn next_start(&mut self, end: u64) -> u64 {
        if self.div == 0 {
            return end;
        }
        let period = u64::from(self.div) + 256;
        // The first whose tick, to which fractions are rounded up, is not before the end.
        let periods = ((end - 1) * 256).saturating_sub(self.paced) / period + 1;
        self.paced += periods * period;
        self.paced.div_ceil(256)
    }

    /// Starts what `CS` asks for, with the next tick.
    fn start(&mut self, once: bool, context: &mut Context<'_>) {
        let start = self.ticks.count(context.now) + 1;
        self.paced = start * 256;
        self.phase = Phase::Waits { start, once };
        if self.ticks.rate().0 == 0 {
            context.diagnostics.misuse(ADC.name, CS, "a conversion is started while clk_adc is off", context.now);
        }
    }

    fn write_cs(&mut self, value: u32, context: &mut Context<'_>) {
        self.cs = value & CS_MASK;
        if self.cs & EN == 0 {
            self.phase = Phase::Idle;
            return;
        }
        let once = value & START_ONCE != 0 && self.cs & START_MANY == 0;
        match self.phase {
            Phase::Idle if once || self.cs & START_MANY != 0 => self.start(once, context),
            // The free run is over.
            Phase::Waits { once: false, .. } if self.cs & START_MANY == 0 => {
                self.phase = Phase::Idle;
                if once {
                    self.start(true, context);
                }
            }
            _ => {}
        }
    }

    fn is_ready(&self) -> bool {
        self.cs & EN != 0 && matches!(self.phase, Phase::Idle | Phase::Waits { once: false, .. })
    }

    fn threshold(&self) -> usize {
        (self.fcs >> THRESH_SHIFT) as usize
    }

    fn raw(&self) -> u32 {
        u32::from(self.fifo.len() >= self.threshold())
    }

    fn interrupts(&self) -> u32 {
        self.raw() & self.inte | self.intf
    }
}

impl Peripheral for Adc {
    fn new(_: &'static Block) -> Self {
        let mut inputs = <[Signal; INPUTS]>::default();
        inputs[TEMPERATURE] = Signal::level(SENSOR_UV);
        Self {
            ticks: Ticks::stopped(),
            cs: 0,
            result: 0,
            fcs: 0,
            fifo: VecDeque::with_capacity(FIFO_DEPTH),
            div: 0,
            inte: 0,
            intf: 0,
            phase: Phase::Idle,
            paced: 0,
            inputs,
        }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        self.run(context.now, context.clocks);
        let value = self.peek(offset, context.now, context.clocks);
        if offset == FIFO && self.fifo.pop_front().is_none() {
            self.fcs |= UNDER;
        }
        context.irq.set(Irq::AdcFifo, self.interrupts() != 0);
        value
    }

    fn peek(&self, offset: u32, _now: Cycle, _clocks: &Clocks) -> Option<u32> {
        let level = self.fifo.len();
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        Some(match offset {
            CS => self.cs | flag(self.is_ready(), READY),
            RESULT => self.result,
            FCS => self.fcs | flag(level == 0, EMPTY) | flag(level == FIFO_DEPTH, FULL) | (level as u32) << LEVEL_SHIFT,
            FIFO => self.fifo.front().copied().unwrap_or(0),
            DIV => self.div,
            INTR => self.raw(),
            INTE => self.inte,
            INTF => self.intf,
            INTS => self.interrupts(),
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        self.run(context.now, context.clocks);
        match offset {
            CS => self.write_cs(value, context),
            FCS => self.fcs = value & FCS_MASK | self.fcs & (UNDER | OVER) & !value,
            DIV => {
                self.div = value & DIV_MASK;
                self.paced = self.ticks.count(context.now) * 256;
            }
            INTE => self.inte = value & 1,
            INTF => self.intf = value & 1,
            RESULT | FIFO | INTR | INTS => {}
            _ => context.diagnostics.unmodelled(ADC.name, offset, "write to", context.now),
        }
        context.irq.set(Irq::AdcFifo, self.interrupts() != 0);
    }

    fn next_event(&self) -> Cycle {
        match self.phase {
            Phase::Idle => NEVER,
            Phase::Waits { start: tick, .. } | Phase::Converts { end: tick, .. } => self.ticks.cycle_of(tick),
        }
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.run(context.now, context.clocks);
        context.irq.set(Irq::AdcFifo, self.interrupts() != 0);
    }

    fn reset(&mut self, block: &'static Block, context: &mut Context<'_>) {
        let old = std::mem::replace(self, Self::new(block));
        self.keep_inputs(&old);
        self.clocks_changed(context.now, context.clocks);
    }

    fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        self.ticks.set_rate(now, clocks.rates().adc, clocks.sys());
    }

    fn dreq(&self, _line: usize, _now: Cycle) -> Dreq {
        let asks = self.fcs & DREQ_EN != 0 && self.fifo.len() >= self.threshold();
        Dreq::Data(if asks { self.fifo.len() as u32 } else { 0 })
    }
}
