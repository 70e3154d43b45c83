//! The peripherals of the RP2040: one file each, with the datasheet's register names; what they have in common
//! ([`Peripheral`]); and the address map over them.

mod address_map;
pub mod busctrl;
pub mod clocks;
pub mod divider;
pub mod dma;
mod effects;
pub mod frequency_counter;
pub mod interpolator;
pub mod io_bank;
pub mod pads;
mod peripheral;
pub mod pll;
pub mod psm;
pub mod pwm;
pub mod resets;
pub mod rosc;
pub mod sio;
mod start_up;
pub mod syscfg;
pub mod sysinfo;
pub mod tbman;
pub mod timer;
pub mod uart;
pub mod vreg_and_chip_reset;
pub mod watchdog;
pub mod xosc;

use crate::core::time::{Cycle, NEVER, Ticks};
use crate::rp2040::clock::Clocks;
use crate::rp2040::irq::Irq;
use address_map::{Block, Decoded, aliased, decode, is_alias};
use uart::Uart;

pub use peripheral::{Context, Peripheral};

/// What the machine has to do because of something that firmware did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signals {
    /// Which cores the power-on state machine holds in reset.
    pub core_held: [bool; 2],
    /// Stages of the power-on state machine that the watchdog resets, as in `PSM.DONE`; 0 if it does not. The peripherals
    /// among them are reset already; the cores (bits 15 and 16) are for the machine.
    pub watchdog_reset: u32,
}

/// All peripherals.
#[derive(Clone, Debug, Hash)]
#[allow(missing_docs)] // the datasheet's names
pub struct Peripherals {
    pub sio: sio::Sio,
    pub sysinfo: sysinfo::Sysinfo,
    pub syscfg: syscfg::Syscfg,
    pub clocks: clocks::ClocksBlock,
    pub resets: resets::Resets,
    pub psm: psm::Psm,
    pub io_bank0: io_bank::IoBank0,
    pub io_qspi: io_bank::IoQspi,
    pub pads_bank0: pads::PadsBank0,
    pub pads_qspi: pads::PadsQspi,
    pub xosc: xosc::Xosc,
    pub pll_sys: pll::Pll,
    pub pll_usb: pll::Pll,
    pub busctrl: busctrl::Busctrl,
    pub uarts: [Uart; 2],
    pub pwm: pwm::Pwm,
    pub timer: timer::Timer,
    pub watchdog: watchdog::Watchdog,
    pub rosc: rosc::Rosc,
    pub vreg_and_chip_reset: vreg_and_chip_reset::VregAndChipReset,
    pub tbman: tbman::Tbman,
    pub dma: dma::Dma,
    /// Rates in Hz of clocks that the outside drives into pins.
    gpin: [u64; 2],
    next: Cycle,
    signals: Option<Signals>,
}

/// Does something with the peripheral that a block stands for; `$borrow` is `&` or `&mut`.
macro_rules! with {
    ([$($borrow:tt)+] $self:ident, $block:expr, $it:ident => $action:expr) => {
        match $block {
            Block::Sysinfo => { let $it = $($borrow)+ $self.sysinfo; $action }
            Block::Syscfg => { let $it = $($borrow)+ $self.syscfg; $action }
            Block::Clocks => { let $it = $($borrow)+ $self.clocks; $action }
            Block::Resets => { let $it = $($borrow)+ $self.resets; $action }
            Block::Psm => { let $it = $($borrow)+ $self.psm; $action }
            Block::IoBank0 => { let $it = $($borrow)+ $self.io_bank0; $action }
            Block::IoQspi => { let $it = $($borrow)+ $self.io_qspi; $action }
            Block::PadsBank0 => { let $it = $($borrow)+ $self.pads_bank0; $action }
            Block::PadsQspi => { let $it = $($borrow)+ $self.pads_qspi; $action }
            Block::Xosc => { let $it = $($borrow)+ $self.xosc; $action }
            Block::PllSys => { let $it = $($borrow)+ $self.pll_sys; $action }
            Block::PllUsb => { let $it = $($borrow)+ $self.pll_usb; $action }
            Block::Busctrl => { let $it = $($borrow)+ $self.busctrl; $action }
            Block::Uart0 => { let $it = $($borrow)+ $self.uarts[0]; $action }
            Block::Uart1 => { let $it = $($borrow)+ $self.uarts[1]; $action }
            Block::Pwm => { let $it = $($borrow)+ $self.pwm; $action }
            Block::Timer => { let $it = $($borrow)+ $self.timer; $action }
            Block::Watchdog => { let $it = $($borrow)+ $self.watchdog; $action }
            Block::Rosc => { let $it = $($borrow)+ $self.rosc; $action }
            Block::Vreg => { let $it = $($borrow)+ $self.vreg_and_chip_reset; $action }
            Block::Tbman => { let $it = $($borrow)+ $self.tbman; $action }
            Block::Dma => { let $it = $($borrow)+ $self.dma; $action }
        }
    };
}

impl Default for Peripherals {
    fn default() -> Self {
        Self::new()
    }
}

const HELD: &str = "accessed while held in reset: it reads as 0 and ignores writes";

impl Peripherals {
    /// The peripherals at power-on: everything runs from the ring oscillator, and `RESETS` holds what it can.
    #[must_use]
    pub fn new() -> Self {
        let clocks = Clocks::at_power_on();
        let rosc = rosc::Rosc::default();
        let sources = clocks::Sources { rosc: rosc.rate(), ..clocks::Sources::default() };
        Self {
            sio: sio::Sio::new(),
            sysinfo: sysinfo::Sysinfo,
            syscfg: syscfg::Syscfg::default(),
            clocks: clocks::ClocksBlock::new(sources),
            resets: resets::Resets::default(),
            psm: psm::Psm::default(),
            io_bank0: io_bank::IoBank0::default(),
            io_qspi: io_bank::IoQspi::default(),
            pads_bank0: pads::PadsBank0::default(),
            pads_qspi: pads::PadsQspi::default(),
            xosc: xosc::Xosc::default(),
            pll_sys: pll::Pll::default(),
            pll_usb: pll::Pll::default(),
            busctrl: busctrl::Busctrl::default(),
            uarts: [Uart::new(Irq::Uart0, &clocks), Uart::new(Irq::Uart1, &clocks)],
            pwm: pwm::Pwm::new(),
            timer: timer::Timer::new(),
            watchdog: watchdog::Watchdog::new(&clocks),
            rosc,
            vreg_and_chip_reset: vreg_and_chip_reset::VregAndChipReset::default(),
            tbman: tbman::Tbman,
            dma: dma::Dma::default(),
            gpin: [0; 2],
            next: NEVER,
            signals: None,
        }
    }

    /// Reads a word from the APB or AHB-Lite peripherals; `None` where there is nothing, which is a bus error. (SIO is
    /// apart: `sio.read`.)
    pub fn read(&mut self, address: u32, context: &mut Context<'_>) -> Option<u32> {
        let (block, offset) = match decode(address) {
            Decoded::Modelled(block, offset) => (block, offset),
            Decoded::Unmodelled(name) => {
                context.diagnostics.unmodelled_block(name, context.now);
                return Some(0);
            }
            Decoded::Nothing => return None,
        };
        if self.is_held(block) {
            context.diagnostics.misuse(with!([&] self, block, it => name_of(it)), 0, HELD, context.now);
            return Some(0);
        }
        let value = with!([&mut] self, block, it => it.read(offset, context));
        // Reads change what is next only if they carry out what is due, or take data from a UART.
        if self.next <= context.now || is_data(block, offset) {
            self.schedule();
        }
        Some(value)
    }

    /// Whether a read from an address takes data, which a DMA channel may wait for room or more of.
    #[must_use]
    pub fn takes_data(address: u32) -> bool {
        matches!(decode(address), Decoded::Modelled(block, offset) if is_data(block, offset))
    }

    /// Reads a word without any effect.
    #[must_use]
    pub fn peek(&self, address: u32, now: Cycle, clocks: &Clocks) -> u32 {
        match decode(address) {
            Decoded::Modelled(block, offset) if !self.is_held(block) => {
                with!([&] self, block, it => it.peek(offset, now, clocks))
            }
            _ => 0,
        }
    }

    /// Writes a word to the APB or AHB-Lite peripherals, or to an atomic alias of them; `None` where there is nothing.
    pub fn write(&mut self, address: u32, value: u32, context: &mut Context<'_>) -> Option<()> {
        let (block, offset) = match decode(address) {
            Decoded::Modelled(block, offset) => (block, offset),
            Decoded::Unmodelled(name) => {
                context.diagnostics.unmodelled_block(name, context.now);
                return Some(());
            }
            Decoded::Nothing => return None,
        };
        if self.is_held(block) {
            context.diagnostics.misuse(with!([&] self, block, it => name_of(it)), 0, HELD, context.now);
            return Some(());
        }
        let value = if !is_alias(address) || block.write_one_clears(offset) {
            value
        } else {
            let old = with!([&] self, block, it => it.peek(offset, context.now, context.clocks));
            aliased(address, old, value)
        };
        let held = self.resets.held();
        with!([&mut] self, block, it => it.write(offset, value, context));
        self.after_write(block, held, context);
        self.schedule();
        Some(())
    }

    /// Whether the block at an address is modelled.
    #[must_use]
    pub fn is_modelled(address: u32) -> bool {
        matches!(decode(address), Decoded::Modelled(..))
    }

    /// The next cycle in which a peripheral does something that others could see. DMA is apart: `dma_next`.
    #[inline]
    #[must_use]
    pub fn next_event(&self) -> Cycle {
        self.next.min(self.sio.next_event())
    }

    /// Does what is due at `context.now`. To be called for every cycle that `next_event` gives, in order.
    pub fn wake(&mut self, context: &mut Context<'_>) {
        let now = context.now;
        if self.sio.next_event() <= now {
            self.sio.wake(context);
        }
        if self.next > now {
            return;
        }
        if self.clocks.next_event() <= now {
            self.clocks.wake(context);
            self.update_clocks(context);
        }
        self.timer.wake(context);
        for uart in &mut self.uarts {
            if uart.next_event() <= now {
                uart.wake(context);
            }
        }
        if self.pwm.next_event() <= now {
            self.pwm.wake(context);
        }
        if self.watchdog.next_event() <= now {
            self.watchdog.wake(context);
            self.take_watchdog(context);
        }
        self.schedule();
    }

    /// What the machine has to do, if something came up since the last call.
    #[inline]
    pub fn take_signals(&mut self) -> Option<Signals> {
        self.signals.take()
    }

    /// The ticks that `SysTick` counts when its clock source is the reference (2.4.5.1.1).
    #[must_use]
    pub fn reference_ticks(&self) -> &Ticks {
        self.watchdog.ticks()
    }

    /// Puts a character from the outside on the line to a UART, not before cycle `not_before`. The bits set in `flipped`
    /// (the start bit is bit 0) arrive inverted.
    pub fn inject(&mut self, uart: usize, byte: u8, flipped: u16, not_before: Cycle, now: Cycle) {
        let uart = &mut self.uarts[uart & 1];
        uart.line_mut().send(byte, flipped, not_before);
        uart.line_changed(now);
        self.schedule();
    }

    /// Drives a clock into a pin from the outside, at `rate` Hz.
    pub fn set_gpin(&mut self, index: usize, rate: u32, context: &mut Context<'_>) {
        self.gpin[index & 1] = u64::from(rate);
        self.update_clocks(context);
        self.schedule();
    }

    fn is_held(&self, block: Block) -> bool {
        self.resets.held() & block.reset_bit() != 0
    }

    fn schedule(&mut self) {
        self.next = self
            .timer
            .next_event()
            .min(self.uarts[0].next_event())
            .min(self.uarts[1].next_event())
            .min(self.pwm.next_event())
            .min(self.clocks.next_event())
            .min(self.watchdog.next_event());
    }
}

fn is_data(block: Block, offset: u32) -> bool {
    offset == 0 && matches!(block, Block::Uart0 | Block::Uart1)
}

fn name_of<P: Peripheral>(_: &P) -> &'static str {
    P::NAME
}
