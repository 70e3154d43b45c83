//! The clock generators of the RP2040 (datasheet 2.15.7).

use crate::rp2::clocks::Source::{Clk, Gpin, Off, PllSys, PllUsb, Rosc, Xosc};
use crate::rp2::clocks::{self, ClockTree, GPOUT_CTRL, Generator, REF, SYS, Source};
use crate::rp2::peripheral::Block;
use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::rosc;

/// `CLOCKS`.
pub const CLOCKS: Block = Block { base: 0x4000_8000, interrupts: &[Irq::Clocks as u8], ..clocks::CLOCKS };

const PERI: usize = 6;
const USB: usize = 7;
const ADC: usize = 8;
const RTC: usize = 9;

const GPOUT: Generator = Generator {
    aux: &[PllSys, Gpin(0), Gpin(1), PllUsb, Rosc, Xosc, Clk(SYS), Clk(USB), Clk(ADC), Clk(RTC), Clk(REF)],
    ctrl: GPOUT_CTRL,
    div: !0,
};
const USB_AUX: &[Source] = &[PllUsb, PllSys, Rosc, Xosc, Gpin(0), Gpin(1)];

/// The RP2040's clock generators.
#[derive(Clone, Debug, Hash)]
pub struct Rp2040;

impl ClockTree for Rp2040 {
    const GENERATORS: [Generator; clocks::GENERATORS] = [
        GPOUT,
        GPOUT,
        GPOUT,
        GPOUT,
        Generator { aux: &[PllUsb, Gpin(0), Gpin(1)], ctrl: 0x63, div: 0x300 },
        Generator { aux: &[PllSys, PllUsb, Rosc, Xosc, Gpin(0), Gpin(1)], ctrl: 0xe1, div: !0 },
        Generator { aux: &[Clk(SYS), PllSys, PllUsb, Rosc, Xosc, Gpin(0), Gpin(1)], ctrl: 0xce0, div: 0 },
        Generator { aux: USB_AUX, ctrl: 0x13_0ce0, div: 0x300 },
        Generator { aux: USB_AUX, ctrl: 0x13_0ce0, div: 0x300 },
        Generator { aux: USB_AUX, ctrl: 0x13_0ce0, div: !0 },
    ];
    const FRACTION_BITS: u32 = 8;
    const PERI: usize = PERI;
    const USB: usize = USB;
    const ADC: usize = ADC;
    const RTC: Option<usize> = Some(RTC);
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
        Clk(RTC),
    ];
    const REST: u32 = 0x78;
    const ENABLES: [u32; 2] = [0xffff_ffff, 0x7fff];
    const AT_RESET: [u32; 2] = [0; 2];
    const ROSC: u64 = rosc::NOMINAL;
}
