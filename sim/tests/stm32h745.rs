//! The STM32H745: its peripherals one by one, with answers from ST's manual RM0399, and reports of software errors.

mod access;
mod clocks;
mod exti;
mod flash;
mod gates;
mod gpio;
mod hsem;
mod iwdg;
mod mistakes;
mod power;
mod random;
mod resets;
mod start_up;
mod timers;
mod usart;
