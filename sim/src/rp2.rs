//! What the RP2040 and the RP2350 have in common: clocks, interrupt lines, and blocks of peripherals that are the same on both.

pub mod busctrl;
pub mod clock;
pub mod clocks;
pub mod dma;
pub(crate) mod flash;
pub mod frequency_counter;
pub mod interpolator;
pub mod irq;
pub mod peripheral;
pub mod pin_interrupts;
pub mod pll;
pub mod psm;
pub mod pwm;
pub(crate) mod registration;
pub mod resets;
pub mod serial_ports;
pub(crate) mod sio;
pub(crate) mod tick_generator;
pub mod timer;
pub mod uart;
pub mod usb;
pub mod watchdog;
pub mod xosc;
