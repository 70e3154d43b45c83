//! The clock generators (datasheet 2.15): from oscillators and PLLs to the rate of everything.

use crate::core::time::{Cycle, NEVER};
use crate::rp2040::clock::{Clocks, FS, Rates};
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::frequency_counter::FrequencyCounter;
use crate::rp2040::peripherals::rosc;
use crate::rp2040::peripherals::{Block, Context, Effect, Peripheral};

/// Register offsets (2.15.7): ten generators of CTRL, DIV and SELECTED each, then the rest.
const STRIDE: u32 = 12;
const RESUS_CTRL: u32 = 0x78;
const RESUS_STATUS: u32 = 0x7c;
const FC0_REF_KHZ: u32 = 0x80;
const FC0_RESULT: u32 = 0x9c;
const WAKE_EN0: u32 = 0xa0;
const SLEEP_EN1: u32 = 0xac;
const ENABLED0: u32 = 0xb0;
const ENABLED1: u32 = 0xb4;
const INTR: u32 = 0xb8;
const INTE: u32 = 0xbc;
const INTF: u32 = 0xc0;
const INTS: u32 = 0xc4;

/// Generators, in the order of their registers.
const GENERATORS: usize = 10;
const REF: usize = 4;
const SYS: usize = 5;
const PERI: usize = 6;
const USB: usize = 7;
const ADC: usize = 8;
const RTC: usize = 9;

/// `CLK_x_CTRL` fields.
const CTRL_ENABLE: u32 = 1 << 11;
const CTRL_KILL: u32 = 1 << 10;
const AUXSRC_SHIFT: u32 = 5;
/// Writable bits of each `CTRL` and `DIV`. `clk_peri` has no divider (2.15.7).
const CTRL_MASKS: [u32; GENERATORS] =
    [0x131de0, 0x131de0, 0x131de0, 0x131de0, 0x63, 0xe1, 0xce0, 0x130ce0, 0x130ce0, 0x130ce0];
const DIV_MASKS: [u32; GENERATORS] = [!0, !0, !0, !0, 0x300, !0, 0, 0x300, 0x300, !0];
const DIV_RESET: u32 = 0x100;

/// `CLK_SYS_RESUS_CTRL` bits.
const RESUS_CLEAR: u32 = 1 << 16;
const RESUS_FRCE: u32 = 1 << 12;
const RESUS_ENABLE: u32 = 1 << 8;
const RESUS_TIMEOUT: u32 = 0xff;
const RESUS_MASK: u32 = 0x0001_11ff;
const RESUS_RESET: u32 = 0xff;
/// Which clocks `WAKE_EN1` and its like have.
const ENABLES: [u32; 2] = [0xffff_ffff, 0x7fff];

/// Cycles of the old clock until the glitchless mux has stopped it, and of the new one until that runs (2.15.3.2).
const MUX_CYCLES: u64 = 2;

/// `CLOCKS`.
pub const CLOCKS: Block = Block {
    interrupts: &[Irq::Clocks],
    lazy: true,
    effect: Effect::Rates,
    modelled: "rates, muxes, dividers, frequency counter, outputs, resus",
    missing: "clock gating, duty cycle, resus of a clock that is only slow",
    ..Block::new("CLOCKS", 0x4000_8000)
};

/// What a generator or the frequency counter can be fed with.
#[derive(Clone, Copy)]
enum Source {
    Off,
    Rosc,
    Xosc,
    PllSys,
    PllUsb,
    /// A clock from a pin.
    Gpin(usize),
    /// The output of a generator.
    Clk(usize),
}
use Source::{Clk, Gpin, Off, PllSys, PllUsb, Rosc, Xosc};

/// Sources in the order of `AUXSRC`, and of `FC0_SRC` (2.15.7).
const REF_AUX: [Source; 3] = [PllUsb, Gpin(0), Gpin(1)];
const SYS_AUX: [Source; 6] = [PllSys, PllUsb, Rosc, Xosc, Gpin(0), Gpin(1)];
const PERI_AUX: [Source; 7] = [Clk(SYS), PllSys, PllUsb, Rosc, Xosc, Gpin(0), Gpin(1)];
const USB_AUX: [Source; 6] = [PllUsb, PllSys, Rosc, Xosc, Gpin(0), Gpin(1)];
const GPOUT_AUX: [Source; 11] =
    [PllSys, Gpin(0), Gpin(1), PllUsb, Rosc, Xosc, Clk(SYS), Clk(USB), Clk(ADC), Clk(RTC), Clk(REF)];
const FC0_SOURCES: [Source; 14] = [
    Off,
    PllSys,
    PllUsb,
    Rosc,
    Rosc,
    Xosc,
    Gpin(0),
    Gpin(1),
    Clk(REF),
    Clk(SYS),
    Clk(PERI),
    Clk(USB),
    Clk(ADC),
    Clk(RTC),
];

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
pub struct ClocksBlock {
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

impl ClocksBlock {
    /// Takes over the rates of the oscillators and PLLs.
    pub fn set_sources(&mut self, sources: Sources) {
        self.sources = sources;
    }

    /// Rates of the clocks that other blocks run on.
    pub fn rates(&self) -> Rates {
        Rates {
            sys: self.rate(SYS),
            reference: self.rate(REF),
            peri: self.rate(PERI),
            usb: self.rate(USB),
            adc: self.rate(ADC),
            rtc: self.rate(RTC),
        }
    }

    /// The rate of GPOUT0 to 3.
    pub(super) fn output_rate(&self, number: usize) -> u64 {
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
            (REF, 0) => self.source_rate(Rosc),
            (REF, 2) => self.source_rate(Xosc),
            (SYS, 0) => self.rate(REF),
            _ => 0,
        }
    }

    /// The rate of what `AUXSRC` of a generator selects.
    fn aux_input(&self, generator: usize) -> u64 {
        let (sources, mask): (&[Source], u32) = match generator {
            REF => (&REF_AUX, 3),
            SYS => (&SYS_AUX, 7),
            PERI => (&PERI_AUX, 7),
            USB | ADC | RTC => (&USB_AUX, 7),
            _ => (&GPOUT_AUX, 15),
        };
        self.selected_rate(sources, self.ctrl[generator] >> AUXSRC_SHIFT & mask)
    }

    /// The rate of the source that a field selects; values that none has stand for no clock.
    fn selected_rate(&self, sources: &[Source], field: u32) -> u64 {
        sources.get(field as usize).map_or(0, |&source| self.source_rate(source))
    }

    fn source_rate(&self, source: Source) -> u64 {
        match source {
            Off => 0,
            Rosc => self.sources.rosc,
            Xosc => self.sources.xosc,
            PllSys => self.sources.pll_sys,
            PllUsb => self.sources.pll_usb,
            Gpin(pin) => self.sources.gpin[pin],
            Clk(generator) => self.rate(generator),
        }
    }

    /// `DIV` has eight fractional bits; an integer part of 0 stands for one more than its greatest value.
    fn divided(&self, generator: usize, source: u64) -> u64 {
        let div = u64::from(self.div[generator]);
        let whole = if div >> 8 == 0 { (u64::from(DIV_MASKS[generator]) >> 8) + 1 } else { 0 };
        source * 256 / (div + whole * 256)
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
            context.diagnostics.misuse(CLOCKS.name, generator as u32 * STRIDE, what, context.now);
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
            (4, PERI) => 0,
            (4, _) => self.div[generator],
            (_, REF | SYS) => 1 << self.selected[generator - REF],
            _ => 1, // those without a glitchless mux (2.15.7)
        }
    }

    fn write_generator(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let generator = (offset / STRIDE) as usize;
        match offset % STRIDE {
            0 => {
                self.ctrl[generator] = value & CTRL_MASKS[generator];
                if matches!(generator, REF | SYS) {
                    self.start_switch(generator, context);
                }
            }
            4 if generator == PERI && value == DIV_RESET => {} // as the SDK writes it for every clock
            4 if generator == PERI => {
                context.diagnostics.unmodelled(
                    CLOCKS.name,
                    offset,
                    "the divider that clk_peri does not have,",
                    context.now,
                );
            }
            4 => self.div[generator] = value & DIV_MASKS[generator],
            _ => {}
        }
    }

    /// In how many femtoseconds a `clk_sys` that stands still is put on `clk_ref`; none if it is not.
    pub(super) fn resus_after(&self) -> Option<u128> {
        let (reference, periods) = (u128::from(self.rate(REF)), u128::from(self.resus & RESUS_TIMEOUT));
        (self.resus & RESUS_ENABLE != 0 && reference > 0).then(|| (periods * FS).div_ceil(reference))
    }

    /// Puts `clk_sys` on `clk_ref`, whatever its own registers say.
    pub(super) fn resuscitate(&mut self, context: &mut Context<'_>) {
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
        context.irq.set(Irq::Clocks, (u32::from(self.resussed) & self.inte) | self.intf != 0);
    }
}

impl Peripheral for ClocksBlock {
    fn new(_: &'static Block) -> Self {
        Self {
            sources: Sources { rosc: rosc::NOMINAL, ..Sources::default() },
            ctrl: [0; GENERATORS],
            div: [DIV_RESET; GENERATORS],
            selected: [0; 2],
            switches: [None; 2],
            resus: RESUS_RESET,
            resussed: false,
            enables: [ENABLES[0], ENABLES[1], ENABLES[0], ENABLES[1]],
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
        Some(match offset {
            0..RESUS_CTRL => self.peek_generator(offset),
            RESUS_CTRL => self.resus,
            RESUS_STATUS | INTR => u32::from(self.resussed),
            FC0_REF_KHZ..=FC0_RESULT => self.counter.peek((offset - FC0_REF_KHZ) / 4, now, clocks),
            WAKE_EN0..=SLEEP_EN1 => self.enables[((offset - WAKE_EN0) / 4) as usize],
            ENABLED0 | ENABLED1 => self.enables[((offset - ENABLED0) / 4) as usize],
            INTE => self.inte,
            INTF => self.intf,
            INTS => (u32::from(self.resussed) & self.inte) | self.intf,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        self.switch_muxes(context.now);
        match offset {
            0..RESUS_CTRL => self.write_generator(offset, value, context),
            RESUS_CTRL => self.write_resus(value, context),
            FC0_REF_KHZ..=FC0_RESULT => {
                let mut counter = self.counter.clone();
                let register = (offset - FC0_REF_KHZ) / 4;
                counter.write(register, value, context.now, context.clocks, |source| {
                    self.selected_rate(&FC0_SOURCES, source)
                });
                self.counter = counter;
            }
            WAKE_EN0..=SLEEP_EN1 => {
                let register = ((offset - WAKE_EN0) / 4) as usize;
                self.enables[register] = value & ENABLES[register % 2];
                if value & ENABLES[register % 2] != ENABLES[register % 2] {
                    context.diagnostics.unmodelled(CLOCKS.name, offset, "clock gating by", context.now);
                }
            }
            INTE => self.inte = value & 1,
            INTF => self.intf = value & 1,
            RESUS_STATUS | ENABLED0 | ENABLED1 | INTR | INTS => {}
            _ => context.diagnostics.unmodelled(CLOCKS.name, offset, "write to", context.now),
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
