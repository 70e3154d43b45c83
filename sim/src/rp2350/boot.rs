//! How an image and a boot ROM get into the chip and start.

use std::ops::Range;

use crate::image::{Architecture, Boot, Image, Segment, Target};
use crate::rp2350::bootrom;
use crate::rp2350::machine::Machine;

/// Flash, by its address in the XIP window that is cached (DS 2.2.2).
pub const FLASH: Range<u32> = 0x1000_0000..0x1100_0000;
/// SRAM banks 0 to 7, striped, then 8 and 9.
pub const SRAM: Range<u32> = 0x2000_0000..0x2008_2000;

/// What images for the RP2350's RISC-V cores are.
pub const IMAGES: Target = Target {
    chip: "RP2350",
    memories: &[FLASH, SRAM],
    named: "flash (0x10000000) or SRAM (0x20000000 to 0x20082000)",
    architecture: Architecture::Riscv,
    uf2_family: Some(0xe48b_ff5a),
    boot,
};

/// Scratch registers 4 to 7, through which the boot ROM is told what to start (DS 5.2.4).
const WATCHDOG_SCRATCH4: u32 = 0x400d_801c;

/// An image in SRAM is started at its entry point, or else at its lowest address; one in flash by its definition.
fn boot(segments: &[Segment], entry: Option<u32>) -> Boot {
    let in_flash = |address: u32| FLASH.contains(&address);
    let lowest = segments.iter().map(|segment| segment.address).find(|address| SRAM.contains(address));
    match entry {
        Some(entry) if in_flash(entry) => Boot::Flash,
        None if segments.iter().any(|segment| in_flash(segment.address)) => Boot::Flash,
        entry => Boot::Direct { entry: entry.or(lowest).unwrap_or(SRAM.start), stack: SRAM.end },
    }
}

impl Machine {
    /// A chip with an image that was just switched on.
    ///
    /// # Errors
    /// With the address of what does not fit into the memories of this chip.
    pub fn booted(image: &Image, clock: Option<u64>) -> Result<Self, u32> {
        let mut machine = Self::new();
        machine.load(0, bootrom::ROM);
        machine.load(bootrom::LOOK_UP_POINTER, bootrom::look_up());
        for segment in &image.segments {
            if !machine.load(segment.address, &segment.bytes) {
                return Err(segment.address);
            }
        }
        machine.host_setup = Some((image.boot, clock));
        machine.boot_again();
        machine.reset();
        Ok(machine)
    }

    /// What the host does whenever the chip is started: it tells the ROM what to start, and maybe sets the clock.
    pub(super) fn boot_again(&mut self) {
        let Some((boot, clock)) = self.host_setup else { return };
        for (word, address) in bootrom::scratch(boot).into_iter().zip((WATCHDOG_SCRATCH4..).step_by(4)) {
            self.write_register(address, word);
        }
        if let Some(rate) = clock {
            self.set_clock(rate);
        }
    }
}
