//! How an image and a boot ROM get into the chip and start.

use std::ops::Range;

use crate::image::{Architecture, Boot, Image, Segment, Target, word};
use crate::rp2040::bootrom;
use crate::rp2040::machine::Machine;

/// Flash, by its address in the XIP window that is cached (datasheet 2.2).
pub const FLASH: Range<u32> = 0x1000_0000..0x1100_0000;
/// The XIP cache's memory while it serves as SRAM.
pub const XIP_SRAM: Range<u32> = 0x1500_0000..0x1500_4000;
/// SRAM banks 0 to 3 striped, then 4 and 5.
pub const SRAM: Range<u32> = 0x2000_0000..0x2004_2000;

/// What images for the RP2040 are.
pub const IMAGES: Target = Target {
    chip: "RP2040",
    memories: &[FLASH, XIP_SRAM, SRAM],
    named: "flash (0x10000000) or SRAM (0x20000000 to 0x20042000)",
    architecture: Architecture::Arm(&[11, 12]),
    uf2_family: Some(0xe48b_ff56),
    boot: |segments, entry| entry.map_or_else(|| boot_without_entry(segments), |entry| boot_at(segments, entry)),
};

/// Scratch registers 4 to 7, through which the boot ROM is told what to start (datasheet 2.8.1.1).
const WATCHDOG_SCRATCH4: u32 = 0x4005_801c;
/// Address of the vector table (ARMv6-M B3.2.5).
const VTOR: u32 = 0xe000_ed08;

impl Machine {
    /// A chip with an image and a boot ROM, ours if none is given, that was just switched on. `clock` is as for
    /// [`Machine::set_clock`].
    ///
    /// # Errors
    /// With the address of what does not fit into the memories of this chip.
    pub fn booted(image: &Image, rom: Option<&bootrom::Bootrom>, clock: Option<u64>) -> Result<Self, u32> {
        let mut machine = Self::new();
        machine.boot(image, rom.unwrap_or(&bootrom::ours()))?;
        if let Some(rate) = clock {
            machine.set_clock(rate);
        }
        machine.host_setup = Some((image.boot, clock));
        Ok(machine)
    }

    /// After a reset of the chip: what the host did when it was first started. Memory keeps what it holds.
    pub(super) fn boot_again(&mut self) {
        if let Some((boot, clock)) = self.host_setup {
            self.ask_boot(boot);
            if let Some(rate) = clock {
                self.set_clock(rate);
            }
        }
    }

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
        if let Boot::Table(table) = self.boot_by_rom(image.boot).1 {
            self.write_private(0, VTOR, table);
        }
        Ok(())
    }

    /// Puts what the flash held at the end of another run into it, except where the image is.
    pub fn load_flash(&mut self, content: &[u8], image: &Image) {
        self.load(FLASH.start, content);
        for segment in image.segments.iter().filter(|segment| FLASH.contains(&segment.address)) {
            self.load(segment.address, &segment.bytes);
        }
    }

    /// What the flash holds: 2 MB, as a W25Q16JV has, or as much as was put into it.
    pub fn flash_content(&self) -> Vec<u8> {
        const SIZE: usize = 2 << 20;
        let mut content = self.bus.memory.flash.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
        content.resize(content.len().max(SIZE), u8::MAX);
        content
    }

    /// What the ROM can be asked for. That of the chip knows no boot through a vector table in SRAM: as a debugger does, the
    /// loader looks up the entry, and sets the table's address itself.
    fn boot_by_rom(&self, boot: Boot) -> (Boot, Boot) {
        match boot {
            Boot::Table(table) if !self.has_our_rom() => {
                let word = |at: u32| self.peek(at).unwrap_or(0);
                (Boot::Direct { entry: word(table + 4), stack: word(table) }, boot)
            }
            boot => (boot, Boot::Flash),
        }
    }

    /// Whether our own boot ROM is in it.
    pub(crate) fn has_our_rom(&self) -> bool {
        self.peek_bytes(0, bootrom::SIZE)[..] == bootrom::ours()[..]
    }

    /// Tells the boot ROM, before it runs, how to start what is in memory: as whoever loaded it does.
    pub fn ask_boot(&mut self, boot: Boot) {
        let boot = self.boot_by_rom(boot).0;
        for (word, address) in bootrom::scratch(boot).into_iter().zip((WATCHDOG_SCRATCH4..).step_by(4)) {
            self.write_register(address, word);
        }
    }
}

/// How an image that names no entry is started: from flash, as at power-on, or as the boot ROM starts UF2 images in SRAM:
/// it begins at its lowest address in SRAM, if it is for SRAM (datasheet 2.8.4.2).
fn boot_without_entry(segments: &[Segment]) -> Boot {
    if segments.iter().any(|segment| FLASH.contains(&segment.address)) {
        return Boot::Flash;
    }
    let lowest_in = |memory: Range<u32>| segments.iter().map(|s| s.address).find(|address| memory.contains(address));
    let lowest = lowest_in(SRAM).or_else(|| lowest_in(XIP_SRAM)).unwrap_or(SRAM.start);
    if vector_table(segments, lowest).is_some() { Boot::Table(lowest) } else { direct(lowest) }
}

/// An ELF image starts at its entry point; if that is the reset vector of a table at its lowest address, through that.
fn boot_at(segments: &[Segment], entry: u32) -> Boot {
    if FLASH.contains(&entry) {
        return Boot::Flash;
    }
    segments
        .iter()
        .map(|segment| segment.address)
        .find(|address| vector_table(segments, *address).is_some_and(|reset| reset | 1 == entry | 1))
        .map_or(direct(entry), Boot::Table)
}

fn direct(entry: u32) -> Boot {
    Boot::Direct { entry: entry | 1, stack: SRAM.end }
}

/// The reset vector, if there is what looks like a vector table at `address`.
fn vector_table(segments: &[Segment], address: u32) -> Option<u32> {
    let segment = segments.iter().find(|segment| segment.contains(address))?;
    let offset = (address - segment.address) as usize;
    let (stack, reset) = (word(&segment.bytes, offset)?, word(&segment.bytes, offset + 4)?);
    let is_table = address.is_multiple_of(256)
        && stack % 4 == 0
        && (SRAM.start + 1..=SRAM.end).contains(&stack)
        && reset & 1 == 1
        && segments.iter().any(|segment| segment.contains(reset & !1));
    is_table.then_some(reset)
}
