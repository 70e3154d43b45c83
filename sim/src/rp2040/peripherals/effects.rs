//! What a write to one block means for the others: clocks that change, blocks that are reset, the watchdog.

use crate::rp2040::irq::Irq;
use crate::rp2040::peripherals::address_map::Block;
use crate::rp2040::peripherals::resets::bit;
use crate::rp2040::peripherals::{Context, Peripheral};
use crate::rp2040::peripherals::{Peripherals, Signals};
use crate::rp2040::peripherals::{busctrl, clocks, dma, io_bank, pads, pll, psm, pwm, resets, sio, syscfg, timer};

impl Peripherals {
    /// What a write to one block means for others; `held` is what was held in reset before it.
    pub(super) fn after_write(&mut self, block: Block, held: u32, context: &mut Context<'_>) {
        match block {
            Block::Clocks | Block::Xosc | Block::Rosc | Block::PllSys | Block::PllUsb => self.update_clocks(context),
            // Going into reset, for the lines; coming out of it, because no time passes inside.
            Block::Resets => self.reset_blocks(self.resets.held() ^ held, context),
            Block::Watchdog => {
                self.timer.set_ticks(self.watchdog.ticks(), context.now);
                self.take_watchdog(context);
            }
            Block::Psm => self.signal(0),
            Block::IoBank0 => self.sio.set_selected(self.io_bank0.sio_pins()),
            Block::Dma => self.note_started(context.now),
            _ => {}
        }
    }

    /// Computes all rates anew and tells those that depend on them.
    pub(super) fn update_clocks(&mut self, context: &mut Context<'_>) {
        let xosc = self.xosc.rate();
        self.clocks.set_sources(clocks::Sources {
            rosc: self.rosc.rate(),
            xosc,
            pll_sys: self.pll_sys.rate(xosc),
            pll_usb: self.pll_usb.rate(xosc),
            gpin: self.gpin,
        });
        let (sys, reference, peri) = self.clocks.rates();
        let rates = &context.clocks;
        if (sys.max(1), reference.max(1), peri) == (rates.sys(), rates.reference(), rates.peri()) {
            return;
        }
        if sys == 0 {
            let what = "clk_sys has lost its source: the chip would stand still";
            context.diagnostics.misuse(clocks::ClocksBlock::NAME, 0, what, context.now);
        }
        let now = context.now;
        context.clocks.set(now, sys, reference, peri);
        self.watchdog.clocks_changed(now, context.clocks);
        self.timer.set_ticks(self.watchdog.ticks(), now);
        for uart in &mut self.uarts {
            uart.clocks_changed(now, context.clocks);
        }
    }

    pub(super) fn take_watchdog(&mut self, context: &mut Context<'_>) {
        if !self.watchdog.take_reset() {
            return;
        }
        let stages = self.psm.watchdog();
        // In the order of the stages (2.13.2): clk_sys leaves the PLLs before they stop.
        if stages & psm::bit::CLOCKS != 0 {
            self.clocks = clocks::ClocksBlock::new(clocks::Sources::default());
            self.update_clocks(context);
        }
        let mut blocks = self.resets.watchdog();
        if stages & psm::bit::RESETS != 0 {
            self.resets = resets::Resets::default();
            blocks = resets::ALL;
        }
        self.reset_blocks(blocks, context);
        if stages & psm::bit::SIO != 0 {
            self.sio = sio::Sio::new();
            self.sio.set_selected(self.io_bank0.sio_pins());
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
    fn reset_blocks(&mut self, blocks: u32, context: &mut Context<'_>) {
        let is = |bit: u32| blocks & bit != 0;
        if is(bit::TIMER) {
            self.timer = timer::Timer::new();
            self.timer.set_ticks(self.watchdog.ticks(), context.now);
            for irq in [Irq::Timer0, Irq::Timer1, Irq::Timer2, Irq::Timer3] {
                context.irq.set(irq, false);
            }
        }
        for (uart, (bit, irq)) in self.uarts.iter_mut().zip([(bit::UART0, Irq::Uart0), (bit::UART1, Irq::Uart1)]) {
            if is(bit) {
                uart.reset(context.clocks);
                context.irq.set(irq, false);
            }
        }
        if is(bit::PWM) {
            self.pwm = pwm::Pwm::new();
            context.irq.set(Irq::PwmWrap, false);
        }
        if is(bit::DMA) {
            self.dma = dma::Dma::default();
            context.irq.set(Irq::Dma0, false);
            context.irq.set(Irq::Dma1, false);
        }
        if is(bit::BUSCTRL) {
            self.busctrl = busctrl::Busctrl::default();
        }
        if is(bit::SYSCFG) {
            self.syscfg = syscfg::Syscfg::default();
        }
        self.reset_pins(blocks);
        if is(bit::PLL_SYS | bit::PLL_USB) {
            if is(bit::PLL_SYS) {
                self.pll_sys = pll::Pll::default();
            }
            if is(bit::PLL_USB) {
                self.pll_usb = pll::Pll::default();
            }
            self.update_clocks(context);
        }
    }

    fn reset_pins(&mut self, blocks: u32) {
        if blocks & bit::IO_BANK0 != 0 {
            self.io_bank0 = io_bank::IoBank0::default();
            self.sio.set_selected(0);
        }
        if blocks & bit::IO_QSPI != 0 {
            self.io_qspi = io_bank::IoQspi::default();
        }
        if blocks & bit::PADS_BANK0 != 0 {
            self.pads_bank0 = pads::PadsBank0::default();
        }
        if blocks & bit::PADS_QSPI != 0 {
            self.pads_qspi = pads::PadsQspi::default();
        }
    }
}
