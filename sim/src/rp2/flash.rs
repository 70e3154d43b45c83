//! A flash chip, a W25Q16JV (Winbond's data sheet, revision H) or a larger one of the kind, as far as serial commands go: the one
//! that is also read by XIP, and others on SPI.

use crate::core::costs::{AlteredCosts, Cost};
use crate::core::diagnostics::Diagnostics;
use crate::core::time::Cycle;
use crate::rp2::clock::{Clocks, FS};

/// What keeps the content of a flash chip.
pub(crate) trait Cells {
    /// A byte.
    fn byte(&self, address: u32) -> u8;

    /// Sets bytes to ones.
    fn erase(&mut self, from: u32, bytes: u32);

    /// Clears the bits that are clear in `page`.
    fn program(&mut self, from: u32, page: &[u8]);
}

/// Clears the bits that are clear in `page`, in words that each hold four bytes.
pub(crate) fn program_words(words: &mut [u32], page: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(page.chunks_exact(4)) {
        *word &= bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
}

/// What a command may use.
pub(crate) struct Surroundings<'a, M> {
    pub(crate) memory: &'a mut M,
    pub(crate) clocks: &'a Clocks,
    pub(crate) diagnostics: &'a mut Diagnostics,
}

/// Commands (section 8.1.2).
const WRITE_ENABLE: u8 = 0x06;
const WRITE_DISABLE: u8 = 0x04;
const STATUS_1: u8 = 0x05;
const STATUS_2: u8 = 0x35;
const READ: u8 = 0x03;
const FAST_READ: u8 = 0x0b;
const PAGE_PROGRAM: u8 = 0x02;
const SECTOR_ERASE: u8 = 0x20;
const BLOCK_ERASE_32K: u8 = 0x52;
const BLOCK_ERASE_64K: u8 = 0xd8;
const CHIP_ERASE: [u8; 2] = [0xc7, 0x60];
const JEDEC_ID: u8 = 0x9f;
const UNIQUE_ID: u8 = 0x4b;
/// All ones end a continuous read and are no command (section 8.2.15). Zeros are no command either: as the boot ROM sends them
/// (`flash_exit_xip`), the pads are turned off and pulled up, so that the flash sees ones.
const NOTHING: u8 = 0xff;
const NOTHING_SENT: u8 = 0x00;

/// Manufacturer Winbond, type SPI (section 8.1.1). The third byte is the size.
const JEDEC: [u8; 2] = [0xef, 0x40];
/// Each chip has another one; this is the simulated one's.
const UNIQUE: [u8; 8] = [0x1c, 0x0d, 0xe0, 0x00, 0x00, 0x00, 0x20, 0x40];
/// Quad enable: set in the factory (section 7.1.8).
const QUAD_ENABLE: u8 = 2;

/// Bytes of a page.
const PAGE: usize = 256;
const MILLISECOND: u128 = FS / 1000;

/// How long the flash takes (section 9.6): tPP, tSE, tBE1, tBE2, tCE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Times {
    page: u128,
    sector: u128,
    block_32k: u128,
    block_64k: u128,
    chip: u128,
}

impl Times {
    /// Typical times.
    pub(crate) const TYPICAL: Self = Self::of([4, 450, 1200, 1500, 50_000]);
    /// Maximum times: a worn chip.
    pub(crate) const MAXIMUM: Self = Self::of([30, 4000, 16_000, 20_000, 250_000]);

    /// With another time of a sector to erase, or of a page to program, in µs.
    pub(crate) fn altered(self, altered: &AlteredCosts) -> Self {
        let time = |cost, assumed| altered.get(cost).map_or(assumed, |us| u128::from(us) * (MILLISECOND / 1000));
        Self { page: time(Cost::FlashProgram, self.page), sector: time(Cost::FlashErase, self.sector), ..self }
    }

    /// In tenths of a millisecond.
    const fn of([page, sector, block_32k, block_64k, chip]: [u128; 5]) -> Self {
        const TENTH: u128 = MILLISECOND / 10;
        Self {
            page: page * TENTH,
            sector: sector * TENTH,
            block_32k: block_32k * TENTH,
            block_64k: block_64k * TENTH,
            chip: chip * TENTH,
        }
    }
}

const NOT_MODELLED: &str = "is not modelled: it reads as 0 and does nothing";
const NOT_ENABLED: &str = "comes without a write enable (06h): it does nothing";
const BUSY: &str = "comes while the flash erases or programs: it does nothing";

/// The chip: what was sent since it was selected, and what it is busy with.
#[derive(Clone, Debug, Hash)]
pub(crate) struct Flash {
    /// What notes call it.
    name: &'static str,
    /// Its size in bytes is 2 to the power of this.
    size: u8,
    selected: bool,
    command: u8,
    /// Bytes since it was selected.
    count: u32,
    address: u32,
    page: Vec<u8>,
    write_enabled: bool,
    times: Times,
    /// Real time in femtoseconds at which it has erased or programmed.
    ready_at: u128,
}

impl Flash {
    pub(crate) fn new(name: &'static str, size: u8) -> Self {
        Self {
            name,
            size,
            selected: false,
            command: NOTHING,
            count: 0,
            address: 0,
            page: vec![u8::MAX; PAGE],
            write_enabled: false,
            times: Times::TYPICAL,
            ready_at: 0,
        }
    }

    /// How long it takes from the next command on.
    pub(crate) fn set_times(&mut self, times: Times) {
        self.times = times;
    }

    pub(crate) fn times(&self) -> Times {
        self.times
    }

    /// Whether /CS is low.
    pub(crate) fn is_selected(&self) -> bool {
        self.selected
    }

    /// /CS goes low: a command begins.
    pub(crate) fn select(&mut self) {
        if !self.selected {
            (self.selected, self.command, self.count, self.address) = (true, NOTHING, 0, 0);
        }
    }

    fn is_busy<M>(&self, at: Cycle, around: &Surroundings<'_, M>) -> bool {
        self.is_at_work(at, around.clocks)
    }

    /// Whether it erases or programs.
    pub(crate) fn is_at_work(&self, at: Cycle, clocks: &Clocks) -> bool {
        self.ready_at != 0 && clocks.femtoseconds(at) < self.ready_at
    }

    /// Whether it has erased or programmed lately: `is_at_work` is to be asked.
    pub(crate) fn may_work(&self) -> bool {
        self.ready_at != 0
    }

    /// Whether it erases or programs; if not, `may_work` need not be asked again until the next command.
    pub(crate) fn works(&mut self, at: Cycle, clocks: &Clocks) -> bool {
        let works = self.is_at_work(at, clocks);
        if !works {
            self.ready_at = 0;
        }
        works
    }

    /// A byte in, a byte out.
    pub(crate) fn exchange<M: Cells>(&mut self, byte: u8, at: Cycle, around: &mut Surroundings<'_, M>) -> u8 {
        if !self.selected {
            return 0;
        }
        let index = self.count;
        self.count = self.count.saturating_add(1);
        if index == 0 {
            self.begin(byte, at, around);
            return 0;
        }
        if index < 4 {
            self.address = self.address << 8 | u32::from(byte);
        }
        let read = |first: u32| around.memory.byte(self.address.wrapping_add(index - first) & 0xff_ffff);
        match self.command {
            // It is write-enabled until it has erased or programmed (section 7.1.2).
            STATUS_1 if self.is_busy(at, around) => 3,
            STATUS_1 => u8::from(self.write_enabled) << 1,
            STATUS_2 => QUAD_ENABLE,
            READ if index >= 4 => read(4),
            FAST_READ if index >= 5 => read(5),
            JEDEC_ID => [JEDEC[0], JEDEC[1], self.size][(index as usize - 1) % 3],
            UNIQUE_ID if index >= 5 => UNIQUE[(index as usize - 5) % UNIQUE.len()],
            PAGE_PROGRAM if index >= 4 => {
                // Beyond its end a page begins again (section 8.2.13).
                let at = (self.address as usize).wrapping_add(index as usize - 4) % PAGE;
                self.page[at] = byte;
                0
            }
            _ => 0,
        }
    }

    fn begin<M>(&mut self, command: u8, at: Cycle, around: &mut Surroundings<'_, M>) {
        self.command = command;
        let status = matches!(command, STATUS_1 | STATUS_2 | NOTHING | NOTHING_SENT);
        if !status && self.is_busy(at, around) {
            around.diagnostics.command(self.name, command, BUSY, at);
            self.command = NOTHING;
            return;
        }
        match command {
            PAGE_PROGRAM => self.page.fill(u8::MAX),
            WRITE_ENABLE | WRITE_DISABLE | READ | FAST_READ | JEDEC_ID | UNIQUE_ID | SECTOR_ERASE | BLOCK_ERASE_32K
            | BLOCK_ERASE_64K => {}
            _ if status || CHIP_ERASE.contains(&command) => {}
            _ => around.diagnostics.command(self.name, command, NOT_MODELLED, at),
        }
    }

    /// /CS goes high within a command, which has no effect then.
    pub(crate) fn abandon(&mut self) {
        self.selected = false;
    }

    /// /CS goes high: commands that change something do so now.
    pub(crate) fn deselect<M: Cells>(&mut self, at: Cycle, around: &mut Surroundings<'_, M>) {
        if !std::mem::take(&mut self.selected) {
            return;
        }
        let erased = |address: u32, size: u32| (address & !(size - 1), size);
        let (time, range) = match (self.command, self.count) {
            (WRITE_ENABLE, 1) => {
                self.write_enabled = true;
                return;
            }
            (WRITE_DISABLE, 1) => {
                self.write_enabled = false;
                return;
            }
            (PAGE_PROGRAM, 5..) => (self.times.page, None),
            (SECTOR_ERASE, 4) => (self.times.sector, Some(erased(self.address, 1 << 12))),
            (BLOCK_ERASE_32K, 4) => (self.times.block_32k, Some(erased(self.address, 1 << 15))),
            (BLOCK_ERASE_64K, 4) => (self.times.block_64k, Some(erased(self.address, 1 << 16))),
            (command, 1) if CHIP_ERASE.contains(&command) => (self.times.chip, Some((0, 1 << 24))),
            _ => return,
        };
        if !std::mem::take(&mut self.write_enabled) {
            around.diagnostics.command(self.name, self.command, NOT_ENABLED, at);
            return;
        }
        match range {
            Some((from, bytes)) => around.memory.erase(from, bytes),
            None => around.memory.program(self.address & 0xff_ff00, &self.page),
        }
        self.ready_at = around.clocks.femtoseconds(at) + time;
    }
}
