//! Decoding of an access, and its dispatch to a block.

use crate::isa::armv7em::bus::BusError;
use crate::stm32h745::peripherals::Peripherals;
use crate::stm32h745::peripherals::address_map::{Block, Region, region};
use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::{M7, Time};

/// USART3's TX pin to the debug probe on NUCLEO-H745ZI-Q: port D, pin 8, alternate function 7.
const TX: (usize, u32, u32) = (3, 8, 7);

impl Peripherals {
    /// The block at an address, after events up to `now`. HSEM takes words only (11.4).
    pub(super) fn decode_access(&mut self, address: u32, size: u32, now: Time) -> Result<&'static Region, BusError> {
        self.advance(now);
        let region = region(address).ok_or(BusError)?;
        if region.block == Block::Hsem && size != 4 {
            return Err(BusError);
        }
        if matches!(region.block, Block::Timer(_)) {
            self.timers.run(now);
        }
        Ok(region)
    }

    /// Whether a block is modelled, clocked and out of reset. Reports it if not.
    pub(super) fn is_accessible(&mut self, core: usize, region: &Region, address: u32, now: Time) -> bool {
        if region.block == Block::Other {
            let sentence = format!("{} is not modelled: its registers read as 0 and ignore writes", region.name);
            self.reports.record(None, region.base, now, sentence);
            return false;
        }
        let Some(gate) = region.gate else { return true };
        let (name, held, clocked) =
            (region.name, self.rcc.gates.is_held_in_reset(gate), self.rcc.gates.enabled_by(gate));
        let sentence = if held {
            format!("{name} is accessed while RCC holds it in reset: it does nothing")
        } else if clocked == [false; 2] {
            format!("{name} is accessed without its clock: it does nothing")
        } else if !clocked[core] {
            let other = if core == M7 { "Cortex-M4" } else { "Cortex-M7" };
            format!("{name} is accessed by a core that has not enabled it in RCC: only the {other} keeps its clock")
        } else {
            return true;
        };
        self.reports.record(Some(core), address, now, sentence);
        !held && clocked != [false; 2]
    }

    pub(super) fn peek_block(&self, region: &Region, core: usize, offset: u32, now: Time) -> Option<u32> {
        match region.block {
            Block::Rcc => self.rcc.peek(offset, core, now),
            Block::Pwr => self.pwr.peek(offset, now),
            Block::Flash => self.flash.peek(offset, &self.options),
            Block::Syscfg => self.syscfg.peek(offset, &self.options),
            Block::Hsem => self.hsem.peek(offset),
            Block::Exti => self.exti.peek(offset),
            Block::Dbgmcu => self.dbgmcu.peek(offset),
            Block::Art | Block::AxiInterconnect => self.accelerators.peek(region.base + offset),
            Block::Usart3 => self.usart3.peek(offset),
            Block::Gpio(port) => self.gpios[port].peek(offset),
            Block::Timer(index) => self.timers.0[index].peek(offset),
            Block::Iwdg(index) => self.iwdgs[index].peek(offset, now),
            Block::Other => None,
        }
    }

    pub(super) fn read_block(&mut self, region: &Region, core: usize, address: u32, lanes: u32, now: Time) -> u32 {
        let offset = address - region.base;
        let peeked = self.peek_block(region, core, offset, now);
        let block = region.name;
        let mut context =
            Context { core, block, address, lanes, now, reports: &mut self.reports, losses: &mut self.losses };
        match region.block {
            Block::Hsem => self.hsem.read(offset, &mut context),
            Block::Usart3 => self.usart3.read(offset, &mut context),
            _ => peeked.unwrap_or_else(|| context.unmodelled()),
        }
    }

    pub(super) fn write_block(
        &mut self,
        region: &Region,
        core: usize,
        address: u32,
        value: u32,
        lanes: u32,
        now: Time,
    ) {
        let offset = address - region.base;
        let released = self.is_released(1 - core);
        let block = region.name;
        let mut context =
            Context { core, block, address, lanes, now, reports: &mut self.reports, losses: &mut self.losses };
        let context = &mut context;
        match region.block {
            Block::Rcc => self.rcc.write(offset, value, self.pwr.backup_writable(), context),
            Block::Pwr => self.pwr.write(offset, value, context),
            Block::Flash => self.flash.write(offset, value, context),
            Block::Syscfg => {
                self.syscfg.write(offset, value, context);
                self.pwr.set_overdrive(self.syscfg.overdrive(), context);
            }
            Block::Hsem => self.hsem.write(offset, value, context),
            Block::Exti => self.exti.write(offset, value, context),
            Block::Dbgmcu => self.dbgmcu.write(offset, value, context),
            Block::Art | Block::AxiInterconnect => self.accelerators.write(value, context),
            Block::Usart3 => self.usart3.write(offset, value, context),
            Block::Gpio(port) => {
                let before = self.gpios[port].levels();
                self.gpios[port].write(offset, value, context);
                let after = self.gpios[port].levels();
                let pins = self.syscfg.exti_pins(port);
                self.exti.follow_edges(after & !before & pins, before & !after & pins);
            }
            Block::Timer(index) => self.timers.write(index, offset, value, context),
            Block::Iwdg(index) => self.iwdgs[index].write(offset, value, context),
            Block::Other => {}
        }
        if !released && self.rcc.is_released(1 - core, &self.options) && !self.pwr.is_supplied(now) {
            context.warn("RCC_GCR lets the other core run before PWR_CSR1.ACTVOSRDY says that the supply is valid");
        }
        if region.block == Block::Gpio(TX.0) {
            self.usart3.connected = self.gpios[TX.0].alternate_function(TX.1) == Some(TX.2);
        }
        if matches!(region.block, Block::Rcc | Block::Pwr | Block::Flash | Block::Syscfg) {
            self.clocks_changed_by = core;
            self.hold_in_reset();
            self.update_clocks_and_check_limits(now);
        }
    }
}

/// The word address of an access, the shift of its data in the word, and the mask of its byte lanes.
pub(super) fn lanes(address: u32, size: u32) -> (u32, u32, u32) {
    let shift = 8 * (address & 3);
    let mask = if size >= 4 { u32::MAX } else { (1 << (8 * size)) - 1 };
    (address & !3, shift, mask << shift)
}
