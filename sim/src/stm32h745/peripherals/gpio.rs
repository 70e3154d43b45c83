//! A GPIO port (RM0399 section 12.4).
//!
//! Modelled: the registers, pins that are outputs or alternate functions, and inputs with their pull resistors: nothing
//! outside of the chip drives a pin. Not modelled: open drain (a floating pin reads as 0 without a pull-up), and
//! the lock of `GPIOx_LCKR`.

use crate::stm32h745::peripherals::context::Context;

/// Register offsets.
const MODER: u32 = 0x00;
const OTYPER: u32 = 0x04;
const OSPEEDR: u32 = 0x08;
const PUPDR: u32 = 0x0c;
const IDR: u32 = 0x10;
const ODR: u32 = 0x14;
const BSRR: u32 = 0x18;
const AFRL: u32 = 0x20;
const AFRH: u32 = 0x24;

/// A port of sixteen pins.
#[derive(Clone, Debug, Hash)]
pub struct Gpio {
    moder: u32,
    otyper: u32,
    ospeedr: u32,
    pupdr: u32,
    odr: u32,
    afr: [u32; 2],
}

impl Gpio {
    /// A port after reset; A is 0. Ports A and B have the pins of the debugger.
    #[must_use]
    pub fn new(port: usize) -> Self {
        let (moder, ospeedr, pupdr) = match port {
            0 => (0xabff_ffff, 0x0c00_0000, 0x6400_0000),
            1 => (0xffff_febf, 0x0000_00c0, 0x0000_0100),
            _ => (0xffff_ffff, 0, 0),
        };
        Self { moder, otyper: 0, ospeedr, pupdr, odr: 0, afr: [0; 2] }
    }

    /// A register.
    pub fn peek(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            MODER => self.moder,
            OTYPER => self.otyper,
            OSPEEDR => self.ospeedr,
            PUPDR => self.pupdr,
            IDR => self.levels(),
            ODR => self.odr,
            BSRR => 0,
            AFRL => self.afr[0],
            AFRH => self.afr[1],
            _ => return None,
        })
    }

    /// A write.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            MODER => self.moder = value,
            OTYPER => self.otyper = value & 0xffff,
            OSPEEDR => self.ospeedr = value,
            PUPDR => self.pupdr = value,
            IDR => {}
            ODR => self.odr = value & 0xffff,
            // Setting has priority over resetting (12.4.7).
            BSRR => self.odr = self.odr & !(value >> 16) | value & 0xffff,
            AFRL => self.afr[0] = value,
            AFRH => self.afr[1] = value,
            _ => _ = context.unmodelled(),
        }
    }

    fn mode(&self, pin: u32) -> u32 {
        self.moder >> (2 * pin) & 3
    }

    /// Pin levels; analogue pins read as 0.
    pub fn levels(&self) -> u32 {
        let high = |pin: u32| match self.mode(pin) {
            0 => self.pupdr >> (2 * pin) & 3 == 1,
            1 => self.odr >> pin & 1 != 0,
            _ => false,
        };
        (0..16).filter(|&pin| high(pin)).fold(0, |levels, pin| levels | 1 << pin)
    }

    /// Output pins, and the levels that they are driven to.
    pub fn outputs(&self) -> (u16, u16) {
        let driven = (0..16).filter(|&pin| self.mode(pin) == 1).fold(0, |pins, pin| pins | 1 << pin);
        (driven, driven & self.odr as u16)
    }

    /// A pin's alternate function; None in other modes.
    pub fn alternate_function(&self, pin: u32) -> Option<u32> {
        (self.mode(pin) == 2).then(|| self.afr[pin as usize / 8 % 2] >> (4 * (pin % 8)) & 0xf)
    }
}
