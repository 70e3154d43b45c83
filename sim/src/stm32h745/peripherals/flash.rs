//! The registers of the embedded flash memory (RM0399 sections 4.3.8 and 4.9).
//!
//! Modelled: wait states and their required minimum, the locks, option bytes for reading; sectors and banks are erased
//! and flash words programmed, in no time. Not modelled: changing option bytes, write protection, forced writes (FW),
//! CRC and interrupts. A wrong key is reported; the chip answers with a bus error (4.7.12).

use crate::stm32h745::memory::BANK;
use crate::stm32h745::peripherals::board::OptionBytes;
use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::peripherals::pwr::Scale;
use std::ops::Range;

/// Register offsets; those of bank 2 begin at 0x100.
const ACR: u32 = 0x00;
const KEYR: u32 = 0x04;
const OPTKEYR: u32 = 0x08;
const CR: u32 = 0x0c;
const SR: u32 = 0x10;
const CCR: u32 = 0x14;
const OPTCR: u32 = 0x18;
const OPTSR_CUR: u32 = 0x1c;
const OPTSR_PRG: u32 = 0x20;
const BOOT7_CUR: u32 = 0x40;
const BOOT7_PRG: u32 = 0x44;
const BOOT4_CUR: u32 = 0x48;
const BOOT4_PRG: u32 = 0x4c;
const BANK2: u32 = 0x100;

/// `FLASH_ACR` after reset (4.9.1): seven wait states and the longest programming delay.
const ACR_RESET: u32 = 0x37;
/// `FLASH_CR` after reset: locked, 64 bits at a time (4.9.4).
const CR_RESET: u32 = 0x31;
const LOCK: u32 = 1;
/// Bits of `FLASH_CR` (4.9.4): stores program flash words; a sector, or a bank, is erased; begin to erase.
const PG: u32 = 1 << 1;
const SER: u32 = 1 << 2;
const BER: u32 = 1 << 3;
const START: u32 = 1 << 7;
/// Sector to erase, from this bit on.
const SNB: u32 = 8;
/// What is not modelled: FW, and the CRC of a bank.
const NOT_MODELLED: u32 = 0x8040;
/// Bits of `FLASH_SR` (4.9.5): the write buffer waits for the rest of a flash word; a store without PG; one that
/// belongs to another flash word than the last one.
const WBNE: u32 = 1 << 1;
const PGSERR: u32 = 1 << 18;
const INCERR: u32 = 1 << 21;
/// Bytes of a sector, and of a flash word, which is programmed as a whole with its ECC (4.3.4).
const SECTOR: usize = 128 << 10;
const FLASH_WORD: usize = 32;
/// Keys of `FLASH_KEYRx` and `FLASH_OPTKEYR` (4.9.2, 4.9.3).
const KEYS: [u32; 2] = [0x4567_0123, 0xcdef_89ab];
const OPTION_KEYS: [u32; 2] = [0x0819_2a3b, 0x4c5d_6e7f];

/// A lock that two keys open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Lock {
    Locked,
    /// The first key has been written.
    FirstKey,
    Open,
    /// A wrong key: locked until reset.
    LockedUntilReset,
}

impl Lock {
    fn key(self, key: u32, keys: [u32; 2]) -> Self {
        match self {
            Self::Locked if key == keys[0] => Self::FirstKey,
            Self::FirstKey if key == keys[1] => Self::Open,
            _ => Self::LockedUntilReset,
        }
    }

    fn bit(self) -> u32 {
        u32::from(self != Self::Open)
    }
}

/// What becomes of the memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// These bytes are erased.
    Erase(Range<usize>),
    /// This flash word is programmed: bits can only be cleared.
    Program(usize, [u8; FLASH_WORD]),
}

/// A bank's write buffer.
#[derive(Clone, Debug, Hash)]
struct WriteBuffer {
    /// Offset of its flash word in both banks.
    offset: usize,
    bytes: [u8; FLASH_WORD],
    /// Which bytes have been stored, one bit each.
    stored: u32,
}

/// The registers.
#[derive(Clone, Debug, Hash)]
pub struct Flash {
    acr: u32,
    cr: [u32; 2],
    errors: [u32; 2],
    buffers: [Option<WriteBuffer>; 2],
    locks: [Lock; 2],
    option_lock: Lock,
    change: Option<Change>,
}

impl Default for Flash {
    fn default() -> Self {
        Self {
            acr: ACR_RESET,
            cr: [CR_RESET; 2],
            errors: [0; 2],
            buffers: [None, None],
            locks: [Lock::Locked; 2],
            option_lock: Lock::Locked,
            change: None,
        }
    }
}

impl Flash {
    /// A register.
    pub fn peek(&self, offset: u32, options: &OptionBytes) -> Option<u32> {
        let bank = (offset / BANK2) as usize;
        Some(match offset % BANK2 {
            _ if bank > 1 => return None,
            ACR => self.acr,
            KEYR | OPTKEYR | CCR => 0,
            SR => self.errors[bank] | if self.buffers[bank].is_some() { WBNE } else { 0 },
            CR => self.cr[bank] & !LOCK | self.locks[bank].bit(),
            OPTCR => u32::from(options.swap_banks) << 31 | self.option_lock.bit(),
            OPTSR_CUR | OPTSR_PRG => options.optsr(),
            BOOT7_CUR | BOOT7_PRG => options.boot_register(0),
            BOOT4_CUR | BOOT4_PRG => options.boot_register(1),
            _ => return None,
        })
    }

    /// A write.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        let bank = (offset / BANK2) as usize;
        match offset % BANK2 {
            _ if bank > 1 => _ = context.unmodelled(),
            ACR => self.acr = value & 0x3f,
            KEYR => self.locks[bank] = unlock(self.locks[bank], value, KEYS, context),
            OPTKEYR => self.option_lock = unlock(self.option_lock, value, OPTION_KEYS, context),
            CR if self.locks[bank] != Lock::Open => context.warn("FLASH_CR is written while it is locked: ignored"),
            CR => self.control(bank, value, context),
            OPTCR if value & LOCK != 0 && self.option_lock == Lock::Open => self.option_lock = Lock::Locked,
            CCR => self.errors[bank] &= !value,
            SR | OPTSR_CUR | BOOT7_CUR | BOOT4_CUR => {}
            _ => _ = context.unmodelled(),
        }
    }

    fn control(&mut self, bank: usize, value: u32, context: &mut Context<'_>) {
        if value & NOT_MODELLED != 0 {
            context.warn("FLASH_CR forces a write, or asks for a CRC, which is not modelled: nothing happens");
        }
        if value & START != 0 {
            let sector = (value >> SNB & 7) as usize;
            let (first, count) = if value & BER != 0 { (0, BANK / SECTOR) } else { (sector, 1) };
            if value & (BER | SER) == 0 || value & PG != 0 {
                context.warn("FLASH_CR.START is set without SER or BER, or beside PG: nothing is erased");
            } else {
                let begin = bank * BANK + first * SECTOR;
                self.change = Some(Change::Erase(begin..begin + count * SECTOR));
            }
        }
        if value & PG == 0 && self.buffers[bank].take().is_some() {
            context.warn("FLASH_CR.PG is cleared with part of a flash word stored: it is not programmed");
        }
        self.cr[bank] = value & !(START | NOT_MODELLED);
        if value & LOCK != 0 {
            self.locks[bank] = Lock::Locked;
        }
    }

    /// A store of bytes to the memory, within one flash word. The mistake in it, if there is one.
    pub fn store(&mut self, offset: usize, bytes: &[u8]) -> Option<&'static str> {
        let bank = offset / BANK;
        if self.cr[bank] & PG == 0 {
            self.errors[bank] |= PGSERR;
            return Some("stores to flash without FLASH_CR.PG: nothing is programmed");
        }
        let word = offset / FLASH_WORD * FLASH_WORD;
        let empty = WriteBuffer { offset: word, bytes: [0xff; FLASH_WORD], stored: 0 };
        let buffer = self.buffers[bank].get_or_insert(empty);
        if buffer.offset != word {
            self.errors[bank] |= INCERR;
            return Some("stores to another flash word before the last one is complete: this store is lost");
        }
        for (&byte, at) in bytes.iter().zip(offset - word..) {
            buffer.bytes[at] = byte;
            buffer.stored |= 1 << at;
        }
        if buffer.stored == u32::MAX {
            self.change = self.buffers[bank].take().map(|full| Change::Program(full.offset, full.bytes));
        }
        None
    }

    /// Takes what is to become of the memory.
    pub fn take_change(&mut self) -> Option<Change> {
        self.change.take()
    }

    /// Wait states of a read.
    pub fn latency(&self) -> u32 {
        self.acr & 0xf
    }
}

fn unlock(lock: Lock, key: u32, keys: [u32; 2], context: &mut Context<'_>) -> Lock {
    let lock = lock.key(key, keys);
    if lock == Lock::LockedUntilReset {
        context.warn("a key of FLASH is wrong, or comes while the register is open: it is locked until reset");
    }
    lock
}

/// Highest AXI clock in MHz for 0, 1, 2, … wait states, by scale (Table 16).
const AXI_LIMITS: [(Scale, &[u64]); 4] = [
    (Scale::Vos3, &[45, 90, 135, 180, 225]),
    (Scale::Vos2, &[55, 110, 165, 225]),
    (Scale::Vos1, &[70, 140, 210, 225]),
    (Scale::Vos0, &[70, 140, 210, 225, 240]),
];

/// Wait states of flash required at an AXI clock in Hz; `None` if it is too fast for any.
pub fn wait_states(axi: u64, scale: Scale) -> Option<u32> {
    let (_, limits) = AXI_LIMITS.iter().find(|(of, _)| *of == scale)?;
    limits.iter().position(|&limit| axi <= limit * 1_000_000).map(|states| states as u32)
}
