//! The clock generators: from oscillators and PLLs to the rate of everything (RP2040 datasheet 2.15, RP2350 datasheet 8.1).

use crate::core::time::{Cycle, NEVER};
use crate::rp2::clock::{Clocks, FS, Rates};
use crate::rp2::frequency_counter::FrequencyCounter;
use crate::rp2::peripheral::{Block, Context, Effect, Peripheral};
use std::marker::PhantomData;

/// Registers of a generator: CTRL, DIV and SELECTED. Ten generators come first.
const STRIDE: u32 = 12;
const GENERATORS_END: u32 = STRIDE * GENERATORS as u32;
/// Registers behind the generators and what else a chip has there, from `CLK_SYS_RESUS_CTRL` on.
const RESUS_CTRL: u32 = 0x00;
const RESUS_STATUS: u32 = 0x04;
const FC0_REF_KHZ: u32 = 0x08;
const FC0_RESULT: u32 = 0x24;
const WAKE_EN0: u32 = 0x28;
const SLEEP_EN1: u32 = 0x34;
const ENABLED0: u32 = 0x38;
const ENABLED1: u32 = 0x3c;
const INTR: u32 = 0x40;
const INTE: u32 = 0x44;
const INTF: u32 = 0x48;
const INTS: u32 = 0x4c;

/// Generators, in the order of their registers: the outputs to pins are the first four.
pub const GENERATORS: usize = 10;
/// `clk_ref`.
pub const REF: usize = 4;
/// `clk_sys`.
pub const SYS: usize = 5;

/// `CLK_x_CTRL` fields.
const CTRL_ENABLE: u32 = 1 << 11;
const CTRL_KILL: u32 = 1 << 10;
const AUXSRC_SHIFT: u32 = 5;
const AUXSRC: u32 = 0x1e0;
/// Writable bits of `CTRL` of an output to a pin.
pub const GPOUT_CTRL: u32 = 0x13_1de0;

/// `CLK_SYS_RESUS_CTRL` bits.
const RESUS_CLEAR: u32 = 1 << 16;
const RESUS_FRCE: u32 = 1 << 12;
const RESUS_ENABLE: u32 = 1 << 8;
const RESUS_TIMEOUT: u32 = 0xff;
const RESUS_MASK: u32 = 0x0001_11ff;
const RESUS_RESET: u32 = 0xff;

/// Cycles of the old clock until the glitchless mux has stopped it, and of the new one until that runs (RP2040 datasheet 2.15.3.2).
const MUX_CYCLES: u64 = 2;
/// Rate of the low-power oscillator in Hz (RP2350 datasheet 8.4).
const LPOSC: u64 = 32_768;

/// What is the same of the clocks blocks.
pub const CLOCKS: Block = Block {
    lazy: true,
    effect: Effect::Rates,
    modelled: "rates, muxes, dividers, frequency counter, outputs, resus",
    missing: "clock gating, duty cycle, resus of a clock that is only slow",
    ..Block::new("CLOCKS", 0)
};

/// What a generator or the frequency counter can be fed with.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // the datasheets' names
pub enum Source {
    Off,
    Rosc,
    Xosc,
    Lposc,
    PllSys,
    PllUsb,
    /// A clock from a pin.
    Gpin(usize),
    /// The output of a generator.
    Clk(usize),
}

/// A clock generator.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// Sources in the order of `AUXSRC`.
    pub aux: &'static [Source],
    /// Writable bits of `CTRL`.
    pub ctrl: u32,
    /// Writable bits of `DIV`; 0 if it has no divider.
    pub div: u32,
}

/// The generators of a chip.
pub trait ClockTree: Clone + std::fmt::Debug + 'static {
    /// In the order of their registers.
    const GENERATORS: [Generator; GENERATORS];
    /// Fractional bits of `DIV`.
    const FRACTION_BITS: u32;
    /// The generator of `clk_peri`.
    const PERI: usize;
    /// The generator of `clk_usb`.
    const USB: usize;
    /// The generator of `clk_adc`.
    const ADC: usize;
    /// The generator of `clk_rtc`.
    const RTC: Option<usize>;
    /// What the frequency counter can count, in the order of `FC0_SRC`.
    const COUNTED: &'static [Source];
    /// Offset of `CLK_SYS_RESUS_CTRL`.
    const REST: u32;
    /// Which clocks `WAKE_EN0` and `WAKE_EN1` have.
    const ENABLES: [u32; 2];
    /// `CTRL` of `clk_ref` and `clk_sys` after reset.
    const AT_RESET: [u32; 2];
    /// Nominal rate of the ring oscillator in Hz.
    const ROSC: u64;
}

/// Rates in Hz of what the generators are fed with; 0 is off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sources {
    /// Ring oscillator.
    pub rosc: u64,
    /// Crystal oscillator.
    pub xosc: u64,
    /// System PLL.
    pub pll_sys: u64,
    /// USB PLL.
    pub pll_usb: u64,
    /// Clocks from pins.
    pub gpin: [u64; 2],
}

/// A change of a glitchless mux that is under way.
#[derive(Clone, Copy, Debug, Hash)]
struct Switch {
    source: u32,
    done: Cycle,
}

/// The clocks block.
#[derive(Clone, Debug, Hash)]
pub struct ClocksBlock<T> {
    block: &'static Block,
    tree: PhantomData<T>,
    sources: Sources,
    ctrl: [u32; GENERATORS],
    div: [u32; GENERATORS],
    /// What the glitchless muxes of `clk_ref` and `clk_sys` pass on.
    selected: [u32; 2],
    switches: [Option<Switch>; 2],
    resus: u32,
    resussed: bool,
    enables: [u32; 4],
    inte: u32,
    intf: u32,
    counter: FrequencyCounter,
}

impl<T: ClockTree> ClocksBlock<T> {
    const DIV_RESET: u32 = 1 << T::FRACTION_BITS;

    /// Takes over the rates of the oscillators and PLLs.
    pub fn set_sources(&mut self, sources: Sources) {
        self.sources = sources;
    }

    /// Rates of the clocks that other blocks run on.
    pub fn rates(&self) -> Rates {
        Rates {
            sys: self.rate(SYS),
            reference: self.rate(REF),
            peri: self.rate(T::PERI),
            usb: self.rate(T::USB),
            adc: self.rate(T::ADC),
            rtc: T::RTC.map_or(0, |generator| self.rate(generator)),
        }
    }

    /// The rate of GPOUT0 to 3.
    pub(crate) fn output_rate(&self, number: usize) -> u64 {
        self.rate(number)
    }

    fn rate(&self, generator: usize) -> u64 {
        let ctrl = self.ctrl[generator];
        let source = match generator {
            REF | SYS => self.mux_input(generator, self.selected[generator - REF]),
            _ if ctrl & CTRL_ENABLE == 0 || ctrl & CTRL_KILL != 0 => 0,
            _ => self.aux_input(generator),
        };
        self.divided(generator, source)
    }

    /// The rate at an input of a glitchless mux.
    fn mux_input(&self, generator: usize, source: u32) -> u64 {
        match (generator, source) {
            (_, 1) => self.aux_input(generator),
            (REF, 0) => self.source_rate(Source::Rosc),
            (REF, 2) => self.source_rate(Source::Xosc),
            (REF, 3) => self.source_rate(Source::Lposc),
            (SYS, 0) => self.rate(REF),
            _ => 0,
        }
    }

    /// The rate of what `AUXSRC` of a generator selects.
    fn aux_input(&self, generator: usize) -> u64 {
        let Generator { aux, ctrl, .. } = T::GENERATORS[generator];
        self.selected_rate(aux, (self.ctrl[generator] & ctrl & AUXSRC) >> AUXSRC_SHIFT)
    }

    /// The rate of the source that a field selects; values that none has stand for no clock.
    fn selected_rate(&self, sources: &[Source], field: u32) -> u64 {
        sources.get(field as usize).map_or(0, |&source| self.source_rate(source))
    }

    fn source_rate(&self, source: Source) -> u64 {
        match source {
            Source::Off => 0,
            Source::Rosc => self.sources.rosc,
            Source::Xosc => self.sources.xosc,
            Source::PllSys => self.sources.pll_sys,
            Source::PllUsb => self.sources.pll_usb,
            Source::Lposc => LPOSC,
            Source::Gpin(pin) => self.sources.gpin[pin],
            Source::Clk(generator) => self.rate(generator),
        }
    }

    /// `DIV` has fractional bits; an integer part of 0 stands for one more than its greatest value.
    fn divided(&self, generator: usize, source: u64) -> u64 {
        let bits = T::FRACTION_BITS;
        let (div, mask) = (u64::from(self.div[generator]), u64::from(T::GENERATORS[generator].div));
        let whole = if div >> bits == 0 { (mask >> bits) + 1 } else { 0 };
        (source << bits) / (div + (whole << bits))
    }

    /// Begins to move a glitchless mux to what `CTRL.SRC` asks for, if that runs.
    fn start_switch(&mut self, generator: usize, context: &mut Context<'_>) {
        let mux = generator - REF;
        let source = self.ctrl[generator] & if generator == REF { 3 } else { 1 };
        self.switches[mux] = None;
        if source == self.selected[mux] {
            return;
        }
        let (old, new) = (self.mux_input(generator, self.selected[mux]), self.mux_input(generator, source));
        if new == 0 {
            let what = "a glitchless mux is told to take a clock that is off: it would wait for it for ever";
            context.diagnostics.misuse(self.block.name, generator as u32 * STRIDE, what, context.now);
            return;
        }
        let sys = context.clocks.sys();
        let delay = (MUX_CYCLES * sys).div_ceil(old.max(1)) + (MUX_CYCLES * sys).div_ceil(new);
        self.switches[mux] = Some(Switch { source, done: context.now.saturating_add(delay) });
    }

    /// Ends the changes of muxes that are done by `now`.
    fn switch_muxes(&mut self, now: Cycle) {
        for mux in 0..2 {
            if let Some(switch) = self.switches[mux].filter(|switch| switch.done <= now) {
                self.selected[mux] = switch.source;
                self.switches[mux] = None;
            }
        }
    }

    fn peek_generator(&self, offset: u32) -> u32 {
        let generator = (offset / STRIDE) as usize;
        match (offset % STRIDE, generator) {
            (0, _) => self.ctrl[generator],
            (4, _) if T::GENERATORS[generator].div == 0 => 0,
            (4, _) => self.div[generator],
            (_, REF | SYS) => 1 << self.selected[generator - REF],
            _ => 1, // those without a glitchless mux (2.15.7)
        }
    }

    fn write_generator(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let generator = (offset / STRIDE) as usize;
        match offset % STRIDE {
            0 => {
                self.ctrl[generator] = value & T::GENERATORS[generator].ctrl;
                if matches!(generator, REF | SYS) {
                    self.start_switch(generator, context);
                }
            }
            4 if T::GENERATORS[generator].div == 0 && value == Self::DIV_RESET => {} // as the SDK writes it for every clock
            4 if T::GENERATORS[generator].div == 0 => {
                context.diagnostics.unmodelled(
                    self.block.name,
                    offset,
                    "the divider that clk_peri does not have,",
                    context.now,
                );
            }
            4 => self.div[generator] = value & T::GENERATORS[generator].div,
            _ => {}
        }
    }

    /// In how many femtoseconds a `clk_sys` that stands still is put on `clk_ref`; none if it is not.
    pub(crate) fn resus_after(&self) -> Option<u128> {
        let (reference, periods) = (u128::from(self.rate(REF)), u128::from(self.resus & RESUS_TIMEOUT));
        (self.resus & RESUS_ENABLE != 0 && reference > 0).then(|| (periods * FS).div_ceil(reference))
    }

    /// Puts `clk_sys` on `clk_ref`, whatever its own registers say.
    pub(crate) fn resuscitate(&mut self, context: &mut Context<'_>) {
        self.resussed = true;
        self.switches[1] = None;
        self.selected[1] = 0;
        self.update_line(context);
    }

    fn write_resus(&mut self, value: u32, context: &mut Context<'_>) {
        self.resus = value & RESUS_MASK;
        if value & RESUS_FRCE != 0 {
            self.resuscitate(context);
        } else if value & RESUS_CLEAR != 0 && std::mem::take(&mut self.resussed) {
            self.start_switch(SYS, context);
        }
    }

    fn update_line(&self, context: &mut Context<'_>) {
        context.irq.set(self.block.interrupts[0], (u32::from(self.resussed) & self.inte) | self.intf != 0);
    }
}

impl<T: ClockTree> Peripheral for ClocksBlock<T> {
    fn new(block: &'static Block) -> Self {
        let mut ctrl = [0; GENERATORS];
        ctrl[REF..=SYS].copy_from_slice(&T::AT_RESET);
        Self {
            block,
            tree: PhantomData,
            sources: Sources { rosc: T::ROSC, ..Sources::default() },
            ctrl,
            div: [Self::DIV_RESET; GENERATORS],
            selected: [T::AT_RESET[0] & 3, T::AT_RESET[1] & 1],
            switches: [None; 2],
            resus: RESUS_RESET,
            resussed: false,
            enables: [T::ENABLES[0], T::ENABLES[1], T::ENABLES[0], T::ENABLES[1]],
            inte: 0,
            intf: 0,
            counter: FrequencyCounter::default(),
        }
    }

    fn read(&mut self, offset: u32, context: &mut Context<'_>) -> Option<u32> {
        self.switch_muxes(context.now);
        self.peek(offset, context.now, context.clocks)
    }

    fn peek(&self, offset: u32, now: Cycle, clocks: &Clocks) -> Option<u32> {
        if offset < GENERATORS_END {
            return Some(self.peek_generator(offset));
        }
        Some(match offset.checked_sub(T::REST)? {
            RESUS_CTRL => self.resus,
            RESUS_STATUS | INTR => u32::from(self.resussed),
            FC0_REF_KHZ..=FC0_RESULT => self.counter.peek((offset - T::REST - FC0_REF_KHZ) / 4, now, clocks),
            WAKE_EN0..=SLEEP_EN1 => self.enables[((offset - T::REST - WAKE_EN0) / 4) as usize],
            ENABLED0 | ENABLED1 => self.enables[((offset - T::REST - ENABLED0) / 4) as usize],
            INTE => self.inte,
            INTF => self.intf,
            INTS => (u32::from(self.resussed) & self.inte) | self.intf,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        self.switch_muxes(context.now);
        let Some(register) = offset.checked_sub(T::REST) else {
            if offset < GENERATORS_END {
                self.write_generator(offset, value, context);
            } else {
                context.diagnostics.unmodelled(self.block.name, offset, "write to", context.now);
            }
            return self.update_line(context);
        };
        match register {
            RESUS_CTRL => self.write_resus(value, context),
            FC0_REF_KHZ..=FC0_RESULT => {
                let mut counter = self.counter.clone();
                let register = (register - FC0_REF_KHZ) / 4;
                counter.write(register, value, context.now, context.clocks, |source| {
                    self.selected_rate(T::COUNTED, source)
                });
                self.counter = counter;
            }
            WAKE_EN0..=SLEEP_EN1 => {
                let register = ((register - WAKE_EN0) / 4) as usize;
                self.enables[register] = value & T::ENABLES[register % 2];
                if value & T::ENABLES[register % 2] != T::ENABLES[register % 2] {
                    context.diagnostics.unmodelled(self.block.name, offset, "clock gating by", context.now);
                }
            }
            INTE => self.inte = value & 1,
            INTF => self.intf = value & 1,
            RESUS_STATUS | ENABLED0 | ENABLED1 | INTR | INTS => {}
            _ => context.diagnostics.unmodelled(self.block.name, offset, "write to", context.now),
        }
        self.update_line(context);
    }

    fn next_event(&self) -> Cycle {
        self.switches.iter().flatten().map(|switch| switch.done).min().unwrap_or(NEVER)
    }

    fn wake(&mut self, context: &mut Context<'_>) {
        self.switch_muxes(context.now);
    }
}
