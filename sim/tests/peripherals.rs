//! Behaviour of the peripherals, each alone: against models, against the datasheet, and against whatever firmware writes.

// Models compute with whatever is shortest; registers are written as shifted fields.
#![allow(clippy::cast_possible_wrap, clippy::cast_precision_loss, clippy::cast_sign_loss)]
#![allow(clippy::decimal_bitwise_operands)]

mod adc;
mod bench;
mod clocks;
mod dma;
mod fuzz;
mod i2c;
mod moving_pins;
mod pins;
pub mod pio;
mod pwm;
mod rtc;
mod sio;
mod spi;
mod standstill;
mod timer;
mod uart;
mod usb;
