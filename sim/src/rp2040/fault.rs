//! How the RP2040 has faults.

use crate::core::costs::AlteredCosts;
use crate::core::loss::{InterCoreChannel, Loss};
use crate::core::random::SplitMix64;
use crate::core::time::Cycle;
use crate::core::uart_frame::Format;
use crate::core::watch::CoreEvent;
use crate::fault::FaultTarget;
use crate::isa::armv6m::Stuck;
use crate::rp2::flash::Times;
use crate::rp2::serial_ports::SerialPorts;
use crate::rp2::uart::format;
use crate::rp2040::bus::memory::SRAM_WORDS;
use crate::rp2040::machine::Machine;

/// First address of SRAM (DS 2.2).
const SRAM: u32 = 0x2000_0000;
/// `UARTLCR_H` of UART0 (DS 4.2.8).
const UARTLCR_H: u32 = 0x4003_402c;

impl FaultTarget for Machine {
    type Stuck = Stuck;

    const CHANNEL: InterCoreChannel = InterCoreChannel::Fifo;

    fn reset_chip(&mut self) {
        Self::reset_chip(self);
        self.boot_again();
    }

    fn reset_core_alone(&mut self, core: usize) {
        if !self.bus.peripherals.psm.core_held(core) {
            self.reset_core(core);
        }
    }

    fn switch_off(&mut self, core: usize, until: Cycle) {
        self.off_until[core] = self.off_until[core].max(until);
        self.hold_core(core);
    }

    fn end_forced_resets(&mut self) {
        self.off_until = [0; 2];
    }

    fn stick_core(&mut self, core: usize) -> Option<Stuck> {
        let now = self.now();
        let stuck = self.core_mut(core).stick(now)?;
        self.bus.fabric.watch.core_event(now, core as u8, CoreEvent::Sticks);
        Some(stuck)
    }

    fn unstick_core(&mut self, core: usize, stuck: Stuck) {
        let now = self.now();
        if self.core_mut(core).unstick(stuck, now) {
            self.bus.fabric.watch.core_event(now, core as u8, CoreEvent::Resumes);
            if self.core(core).is_asleep() {
                self.bus.fabric.watch.core_event(now, core as u8, CoreEvent::Sleeps);
            }
        }
    }

    fn empty_flash_cache(&mut self) -> bool {
        self.bus.xip.flush();
        true
    }

    fn power_on_by_chance(&mut self, seed: u64) -> bool {
        self.bus.peripherals.rosc.chance = seed;
        let mut random = SplitMix64(seed);
        let contents: Vec<u8> = (0..SRAM_WORDS / 2).flat_map(|_| random.next_u64().to_le_bytes()).collect();
        // An image in SRAM is what a debugger or the boot loader has put there since.
        if self.peek_bytes(SRAM, contents.len()).iter().all(|&byte| byte == 0) {
            self.load(SRAM, &contents);
        }
        true
    }

    fn set_losses(&mut self, losses: Vec<Loss>) {
        self.bus.fifo_losses.set(losses);
    }

    fn set_slow_flash(&mut self, slow: bool) -> bool {
        self.bus.xip.ssi.set_flash_times(if slow { Times::MAXIMUM } else { Times::TYPICAL });
        true
    }

    fn set_costs(&mut self, altered: AlteredCosts) -> bool {
        self.alter(altered);
        let flash = &mut self.bus.xip.ssi;
        flash.set_flash_times(flash.flash_times().altered(&altered));
        true
    }

    fn console_format(&self) -> Format {
        format(self.peek_register(UARTLCR_H))
    }

    fn send_console(&mut self, byte: u8, flipped: u16, not_before: Cycle) {
        let now = self.now();
        let port = self.bus.peripherals.input_port();
        self.bus.peripherals.inject(port, byte, flipped, not_before, now);
    }
}
