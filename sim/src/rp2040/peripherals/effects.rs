//! What a write to one block means for the others: clocks that change, blocks that are reset, the watchdog.

use crate::core::time::Cycle;
use crate::rp2::clock::{Clocks, Rates};
use crate::rp2::clocks::Sources;
use crate::rp2::dma::requests::Requesters as _;
use crate::rp2::serial_ports::SerialPorts as _;
use crate::rp2040::peripherals::{Context, Effect, Peripheral, Peripherals, Signals};
use crate::rp2040::peripherals::{blocks, clock_tree, io_bank, pads, pio, pwm, sio, spi};

impl Peripherals {
    /// What a write to one block means for others; `held` is what was held in reset before it.
    pub(super) fn after_write(&mut self, effect: Effect, held: u32, context: &mut Context<'_>) {
        match effect {
            Effect::Lines | Effect::Console => {}
            Effect::Rates => self.update_clocks(context),
            // Going into reset, for the lines; coming out of it, because no time passes inside.
            Effect::Resets => self.reset_blocks(self.resets.held() ^ held, context),
            Effect::Ticks => {
                self.timer.set_ticks(self.watchdog.ticks(), context.now);
                self.take_watchdog(context);
            }
            Effect::Cores => self.signal(0),
            Effect::Wakes => self.wake_dormant(context),
            Effect::Pins => {
                self.connect_pins(context);
                self.wake_dormant(context);
            }
            Effect::Drives => self.update_pins(context.now + 1, context),
            Effect::Moves => self.update_moves(context.now + 1, context),
            Effect::Shifts => {
                self.exchange_spi(context);
                self.update_moves(context.now + 1, context);
            }
            Effect::Talks => self.exchange_i2c(context),
            Effect::Triggers => {
                self.note_started(context.now);
                self.watch_fifos(context.now);
            }
        }
    }

    /// What it means for others that a block has done what was due.
    pub(super) fn after_wake(&mut self, effect: Effect, context: &mut Context<'_>) {
        match effect {
            Effect::Rates => self.update_clocks(context),
            Effect::Ticks => self.take_watchdog(context),
            Effect::Wakes | Effect::Pins => self.wake_dormant(context),
            Effect::Drives => self.update_pins(context.now, context),
            Effect::Moves => self.update_moves(context.now, context),
            Effect::Shifts => {
                self.exchange_spi(context);
                self.update_moves(context.now, context);
            }
            Effect::Console => self.move_input(context.now),
            Effect::Talks => self.exchange_i2c(context),
            _ => {}
        }
    }

    /// Computes all rates, and passes them on to the blocks that depend on them.
    pub(super) fn update_clocks(&mut self, context: &mut Context<'_>) {
        self.update_rates(context);
        self.update_clock_outputs(context.now, context.clocks);
        self.update_moves(context.now + 1, context);
    }

    /// Tells the outside, and the blocks that have a clock beside `clk_sys`, what the rates are from cycle `now` on.
    pub(in crate::rp2040) fn clocks_changed(&mut self, now: Cycle, clocks: &Clocks) {
        self.board.clocks_changed(clocks);
        self.clock_blocks(now, clocks);
    }

    fn update_rates(&mut self, context: &mut Context<'_>) {
        self.update_sources();
        let stopped = self.clocks.rates().sys == 0;
        self.stopped = stopped && (self.stopped || !self.outlast_standstill(context));
        let (rates, old) = (self.clocks.rates(), context.clocks.rates());
        if (Rates { sys: rates.sys.max(1), reference: rates.reference.max(1), ..rates }) == old {
            return;
        }
        if rates.sys == 0 {
            let what = "clk_sys has lost its source, and nothing will start it: the chip stands still";
            context.diagnostics.misuse(clock_tree::CLOCKS.name, 0, what, context.now);
        }
        let now = context.now;
        context.clocks.set(now, rates);
        self.clocks_changed(now, context.clocks);
        self.timer.set_ticks(self.watchdog.ticks(), now);
    }

    /// Tells the clock generators what feeds them.
    pub(super) fn update_sources(&mut self) {
        let xosc = self.xosc.enabled_frequency();
        self.clocks.set_sources(Sources {
            rosc: self.rosc.rate(),
            xosc,
            pll_sys: self.pll_sys.rate(xosc),
            pll_usb: self.pll_usb.rate(xosc),
            gpin: self.gpin,
        });
    }

    /// Wakes dormant oscillators, if there is a reason to.
    fn wake_dormant(&mut self, context: &mut Context<'_>) {
        if self.wake_oscillators(context) {
            self.update_clocks(context);
        }
    }

    pub(super) fn take_watchdog(&mut self, context: &mut Context<'_>) {
        if !self.watchdog.take_reset() {
            return;
        }
        let stages = self.psm.watchdog();
        // In the order of the stages (2.13.2): clk_sys leaves the PLLs before they stop.
        if stages & blocks::stage::CLOCKS != 0 {
            self.clocks.reset(&clock_tree::CLOCKS, context);
            self.update_clocks(context);
        }
        let mut blocks = self.resets.watchdog();
        if stages & blocks::stage::RESETS != 0 {
            self.resets.reset(&blocks::RESETS, context);
            blocks = blocks::ALL_RESETS;
        }
        self.reset_blocks(blocks, context);
        if stages & blocks::stage::SIO != 0 {
            self.sio = sio::Sio::new();
            self.connect_pins(context);
            self.sio.wake(context);
        }
        self.signal(stages);
    }

    fn signal(&mut self, watchdog_reset: u32) {
        let watchdog_reset = watchdog_reset | self.signals.map_or(0, |signals| signals.watchdog_reset);
        let core_held = [self.psm.core_held(0), self.psm.core_held(1)];
        self.signals = Some(Signals { core_held, watchdog_reset });
    }

    /// Puts blocks into their power-on state, with their interrupt lines low.
    pub(in crate::rp2040) fn reset_blocks(&mut self, blocks: u32, context: &mut Context<'_>) {
        self.reset_listed(blocks, context);
        if blocks::TIMER.is_reset_by(blocks) {
            self.timer.set_ticks(self.watchdog.ticks(), context.now);
        }
        let with_pins = [
            io_bank::IO_BANK0,
            io_bank::IO_QSPI,
            pads::PADS_BANK0,
            pio::PIO0,
            pio::PIO1,
            pwm::PWM,
            spi::SPI0,
            spi::SPI1,
            blocks::UART0,
            blocks::UART1,
        ];
        if with_pins.iter().any(|block| block.is_reset_by(blocks)) {
            self.connect_pins(context);
        }
        // DMA channels wait for nothing any more; or a PIO block does not know yet that some do.
        self.watch_fifos(context.now);
        if blocks::PLL_SYS.is_reset_by(blocks) || blocks::PLL_USB.is_reset_by(blocks) {
            self.update_clocks(context);
        }
    }
}
