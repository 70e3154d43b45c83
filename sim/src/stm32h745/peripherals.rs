//! The peripherals of the STM32H745 that are outside of its cores: one file each, with the names of ST's reference manual.

pub mod board;
pub mod clocks;
pub mod interrupts;
pub mod report;

use super::{NEVER, Time};
use crate::armv7em::bus::Refused;
use board::{Board, OptionBytes};
use clocks::Clocks;
use interrupts::InterruptLines;
use report::Report;

/// Why the system is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reset {
    /// A core has set `AIRCR.SYSRESETREQ`.
    Software(usize),
    /// A core's independent watchdog has run out.
    IndependentWatchdog(usize),
    /// A core's window watchdog has run out, or was fed too early.
    WindowWatchdog(usize),
}

/// All of them.
#[derive(Clone, Debug, Hash)]
pub struct Peripherals {
    option_bytes: OptionBytes,
    board: Board,
    clocks: Clocks,
    interrupts: [InterruptLines; 2],
    reports: Vec<Report>,
}

impl Peripherals {
    /// The peripherals after power-on reset.
    #[must_use]
    pub fn new(option_bytes: OptionBytes, board: Board) -> Self {
        Self { option_bytes, board, clocks: Clocks::default(), interrupts: Default::default(), reports: Vec::new() }
    }

    /// Whether an address is one of a peripheral: 0x40000000 to 0x5FFFFFFF.
    #[must_use]
    pub const fn covers(address: u32) -> bool {
        address >> 29 == 2
    }

    /// What a load of `size` bytes (1, 2 or 4) by `core` gets.
    ///
    /// # Errors
    /// If nothing is there.
    pub fn read(&mut self, _core: usize, _address: u32, _size: u32, now: Time) -> Result<u32, Refused> {
        self.advance(now);
        Ok(0)
    }

    /// Stores the low `size` bytes of `value`.
    ///
    /// # Errors
    /// If nothing is there.
    pub fn write(&mut self, _core: usize, _address: u32, _value: u32, _size: u32, now: Time) -> Result<(), Refused> {
        self.advance(now);
        Ok(())
    }

    /// What `read` would get, without any effect: for debuggers.
    ///
    /// # Errors
    /// If nothing is there.
    pub fn peek(&self, core: usize, address: u32, size: u32, now: Time) -> Result<u32, Refused> {
        self.clone().read(core, address, size, now)
    }

    /// Does what is due until `now`: timers that overflow, bits on a line, oscillators that become ready.
    pub fn advance(&mut self, _now: Time) {}

    /// When something next changes that a core may see without looking: an interrupt line, a clock, a gate; or `NEVER`.
    #[must_use]
    pub fn next_event(&self) -> Time {
        NEVER
    }

    /// The levels of the lines to a core's interrupt controller.
    #[must_use]
    pub fn interrupts(&self, core: usize) -> &InterruptLines {
        &self.interrupts[core]
    }

    /// `core` has executed SEV. (The other core's event register is set by the machine as well; this is the interrupt.)
    pub fn send_event(&mut self, _core: usize, now: Time) {
        self.advance(now);
    }

    /// Whether an event for `core`, such as one of EXTI's, has come since the last call.
    pub fn take_event(&mut self, _core: usize) -> bool {
        false
    }

    /// Tells the power controller that `core` sleeps (WFI, WFE) or runs; `deep` is its `SCR.SLEEPDEEP`.
    pub fn set_asleep(&mut self, _core: usize, _asleep: bool, _deep: bool, now: Time) {
        self.advance(now);
    }

    /// The rates of the clocks.
    #[must_use]
    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// Whether `core` may leave reset: an option byte or the other core let it.
    #[must_use]
    pub fn released(&self, core: usize) -> bool {
        self.option_bytes.released[core]
    }

    /// Where the vector table of `core` is when it leaves reset.
    #[must_use]
    pub fn boot_address(&self, core: usize) -> u32 {
        u32::from(self.option_bytes.boot_address[core][usize::from(self.board.boot0)]) << 16
    }

    /// Whether the two banks of flash have changed their places.
    #[must_use]
    pub fn banks_swapped(&self) -> bool {
        self.option_bytes.swap_banks
    }

    /// Whether `core` may use the RAM or flash at an address: its clock is on for that core. (RAM that is not
    /// clocked reads as zero and takes nothing.)
    #[must_use]
    pub fn memory_clocked(&self, _core: usize, _address: u32) -> bool {
        true
    }

    /// A reset of the whole system that a peripheral asks for.
    pub fn take_reset_request(&mut self) -> Option<Reset> {
        None
    }

    /// Resets what a reset of the system resets; RCC remembers why.
    pub fn reset(&mut self, _why: Reset, now: Time) {
        self.advance(now);
    }

    /// What software did that the chip would not forgive, since the last call. Each place is told once.
    pub fn take_reports(&mut self) -> Vec<Report> {
        std::mem::take(&mut self.reports)
    }

    /// Bytes that came out of USART3's pin, at the rate that the line has.
    pub fn uart_output(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Sends bytes to USART3's pin, one after the other at the rate that the line has.
    pub fn uart_input(&mut self, _bytes: &[u8], now: Time) {
        self.advance(now);
    }
}
