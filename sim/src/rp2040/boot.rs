//! How an image and a boot ROM get into the chip and start.

use crate::image::{Boot, Image};
use crate::rp2040::bootrom;
use crate::rp2040::machine::Machine;

/// Scratch registers 4 to 7, through which the boot ROM is told what to start (datasheet 2.8.1.1).
const WATCHDOG_SCRATCH4: u32 = 0x4005_801c;

impl Machine {
    /// Puts a boot ROM and an image into memory and lets both cores out of reset, so that the ROM starts the image.
    ///
    /// # Errors
    /// With the address of what does not fit into the memories of this chip.
    pub fn boot(&mut self, image: &Image, rom: &[u8; bootrom::SIZE]) -> Result<(), u32> {
        self.load(0, rom);
        for segment in &image.segments {
            if !self.load(segment.address, &segment.bytes) {
                return Err(segment.address);
            }
        }
        self.ask_boot(image.boot);
        self.reset();
        Ok(())
    }

    /// Tells the boot ROM, before it runs, how to start what is in memory: as whoever loaded it does.
    pub fn ask_boot(&mut self, boot: Boot) {
        for (word, address) in bootrom::scratch(boot).into_iter().zip((WATCHDOG_SCRATCH4..).step_by(4)) {
            self.write_register(address, word);
        }
    }
}
