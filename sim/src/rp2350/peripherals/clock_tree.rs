//! The clock generators of the RP2350 (DS 8.1.7).

use crate::rp2::clocks::Source::{Clk, Gpin, Lposc, Off, PllSys, PllUsb, Rosc, Xosc};
use crate::rp2::clocks::{self, ClockTree, GPOUT_CTRL, Generator, REF, SYS, Source};
use crate::rp2::peripheral::Block;
use crate::rp2350::irq::Irq;
use crate::rp2350::peripherals::ROSC_NOMINAL;

/// `CLOCKS`.
pub const CLOCKS: Block = Block { base: 0x4001_0000, interrupts: &[Irq::Clocks as u8], ..clocks::CLOCKS };

const PERI: usize = 6;
const HSTX: usize = 7;
const USB: usize = 8;
const ADC: usize = 9;

const GPOUT: Generator = Generator {
    aux: &[
        PllSys,
        Gpin(0),
        Gpin(1),
        PllUsb,
        Off,
        Rosc,
        Xosc,
        Lposc,
        Clk(SYS),
        Clk(USB),
        Clk(ADC),
        Clk(REF),
        Clk(PERI),
        Clk(HSTX),
    ],
    ctrl: GPOUT_CTRL,
    div: !0,
};
const USB_AUX: &[Source] = &[PllUsb, PllSys, Rosc, Xosc, Gpin(0), Gpin(1)];

/// The RP2350's clock generators.
#[derive(Clone, Debug, Hash)]
pub struct Rp2350;

impl ClockTree for Rp2350 {
    const GENERATORS: [Generator; clocks::GENERATORS] = [
        GPOUT,
        GPOUT,
        GPOUT,
        GPOUT,
        Generator { aux: &[PllUsb, Gpin(0), Gpin(1)], ctrl: 0x63, div: 0xff_0000 },
        Generator { aux: &[PllSys, PllUsb, Rosc, Xosc, Gpin(0), Gpin(1)], ctrl: 0xe1, div: !0 },
        Generator { aux: &[Clk(SYS), PllSys, PllUsb, Rosc, Xosc, Gpin(0), Gpin(1)], ctrl: 0xce0, div: 0x3_0000 },
        Generator { aux: &[Clk(SYS), PllSys, PllUsb, Gpin(0), Gpin(1)], ctrl: 0x13_0ce0, div: 0x3_0000 },
        Generator { aux: USB_AUX, ctrl: 0x13_0ce0, div: 0xf_0000 },
        Generator { aux: USB_AUX, ctrl: 0x13_0ce0, div: 0xf_0000 },
    ];
    const FRACTION_BITS: u32 = 16;
    const PERI: usize = PERI;
    const USB: usize = USB;
    const ADC: usize = ADC;
    const RTC: Option<usize> = None;
    const COUNTED: &'static [Source] = &[
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
        Clk(HSTX),
        Lposc,
    ];
    const REST: u32 = 0x84;
    const ENABLES: [u32; 2] = [0xffff_ffff, 0x7fff_ffff];
    /// `clk_sys` runs from the ring oscillator, by its auxiliary mux.
    const AT_RESET: [u32; 2] = [0, 0x41];
    const ROSC: u64 = ROSC_NOMINAL;
}
