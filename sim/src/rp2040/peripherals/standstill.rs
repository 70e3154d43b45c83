//! A `clk_sys` that stops, and starts again: because the resus circuit puts it on `clk_ref` (datasheet 2.15.5), or because
//! dormant oscillators are woken (2.11.5.2). No cycle passes meanwhile, only real time.

use crate::core::time::Cycle;
use crate::rp2040::peripherals::{Context, Peripheral, Peripherals};

/// What ends a standstill, or may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Resus,
    Board,
    Alarm,
}

impl Peripherals {
    /// Whether `clk_sys` has stopped for good.
    pub fn stands_still(&self) -> bool {
        self.stopped
    }

    /// Lets time pass until `clk_sys` has a source again. False if it never will.
    pub(super) fn outlast_standstill(&mut self, context: &mut Context<'_>) -> bool {
        loop {
            if self.wake_oscillators(context) {
                // The crystal's clock comes when it is stable.
                let wait = self.xosc.unstable_for(context.now, context.clocks);
                self.pass(wait, context);
                self.update_sources();
                if self.clocks.rates().sys != 0 {
                    return true;
                }
            }
            let dormant = self.rosc.is_dormant() || self.xosc.is_dormant();
            let events = [
                (self.clocks.resus_after(), Event::Resus),
                (self.board.next_after(context.now, context.clocks).filter(|_| dormant), Event::Board),
                (self.rtc.alarm_after(context.now, self.clocks.rates().rtc).filter(|_| dormant), Event::Alarm),
            ];
            let Some((after, event)) = events.into_iter().filter_map(|(after, event)| Some((after?, event))).min()
            else {
                return false;
            };
            self.pass(after, context);
            match event {
                Event::Resus => {
                    self.clocks.resuscitate(context);
                    return true;
                }
                Event::Board => {
                    self.wake_board(context);
                    // There is no clock that the synchronisers could wait for.
                    self.io_bank0.interrupts.advance(Cycle::MAX);
                    self.io_bank0.wake(context);
                }
                Event::Alarm => {}
            }
        }
    }

    /// Wakes the dormant oscillators, if there are any and something wakes them.
    pub(super) fn wake_oscillators(&mut self, context: &mut Context<'_>) -> bool {
        if !(self.rosc.is_dormant() || self.xosc.is_dormant()) {
            return false;
        }
        let wakes = self.io_bank0.interrupts.wakes() || self.io_qspi.interrupts.wakes() || self.rtc.interrupts();
        if wakes {
            self.rosc.wake_up();
            self.xosc.wake_up(context);
        }
        wakes
    }

    /// Real time passes, and no cycle.
    fn pass(&mut self, femtoseconds: u128, context: &mut Context<'_>) {
        context.clocks.pass(context.now, femtoseconds);
        self.board.clocks_changed(context.clocks);
        self.rtc.pass(femtoseconds, self.clocks.rates().rtc, context);
    }
}
