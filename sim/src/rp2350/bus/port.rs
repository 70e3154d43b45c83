//! The downstream ports of the crossbar (DS 2.1), and which address is behind which.

use crate::core::bus::Slave;

/// Boot ROM.
pub const ROM: Slave = Slave(0);
/// The first of the two ports of the XIP cache, for even lines of 8 bytes; the other one is for odd lines (DS 4.4).
pub const XIP0: Slave = Slave(1);
/// The first of the ten banks of SRAM.
pub const SRAM0: Slave = Slave(3);
/// The first of the two small banks.
pub const SRAM8: Slave = Slave(11);
/// The last bank.
pub const SRAM9: Slave = Slave(12);
/// DMA, USB, PIO, XIP and HSTX FIFOs, behind one port.
pub const FAST_PERIPHERALS: Slave = Slave(13);
/// The bridge to APB.
pub const APB: Slave = Slave(14);
/// SIO, on a port of each core's own, and what answers where nothing is.
pub const SIO: Slave = Slave(15);

/// Ports that managers share.
pub const SHARED: usize = 15;

const NAMES: [&str; 16] = [
    "ROM", "XIP0", "XIP1", "SRAM0", "SRAM1", "SRAM2", "SRAM3", "SRAM4", "SRAM5", "SRAM6", "SRAM7", "SRAM8", "SRAM9",
    "FASTPERI", "APB", "SIO",
];

/// A name for people.
pub fn name(slave: Slave) -> Option<&'static str> {
    NAMES.get(slave.number()).copied()
}

/// Address of SRAM.
pub const SRAM: u32 = 0x2000_0000;
/// Bytes of SRAM: eight banks of 64 kB, two of 4 kB (DS 4.2).
pub const SRAM_BYTES: u32 = 0x8_2000;
/// Bytes of the eight large banks.
const SRAM_STRIPED: u32 = 0x8_0000;
/// Bytes of boot ROM (DS 4.1).
pub const ROM_BYTES: u32 = 0x8000;

/// Whether a port is one of the two of the XIP cache.
pub fn is_external(slave: Slave) -> bool {
    slave == XIP0 || slave.0 == XIP0.0 + 1
}

/// The port that an address is behind; none where nothing is. SRAM0-3 and SRAM4-7 are striped by bits 3:2 (DS 2.2.3).
#[inline(always)]
pub fn of(address: u32) -> Option<Slave> {
    let striped = address.wrapping_sub(SRAM);
    if striped < SRAM_STRIPED {
        return Some(Slave(SRAM0.0 + (striped >> 18 << 2 | striped >> 2 & 3) as u8));
    }
    elsewhere(address)
}

fn elsewhere(address: u32) -> Option<Slave> {
    let offset = address & 0x0fff_ffff;
    Some(match address >> 28 {
        0 if offset < ROM_BYTES => ROM,
        1 => Slave(XIP0.0 + (address >> 3 & 1) as u8),
        2 if offset < SRAM_BYTES => Slave(SRAM8.0 + (offset >> 12 & 1) as u8),
        4 if offset < 0x20_0000 => APB,
        5 if offset < 0x80_0000 => FAST_PERIPHERALS,
        0xd if offset < 0x4_0000 => SIO,
        _ => return None,
    })
}

/// Whether a port is that of a bank of SRAM.
pub fn is_sram(slave: Slave) -> bool {
    (SRAM0.0..=SRAM9.0).contains(&slave.0)
}

/// Whether a port is that of a memory: reading it has no effect, and instructions can be fetched from it (DS 2.1).
pub fn is_memory(slave: Slave) -> bool {
    slave.0 < FAST_PERIPHERALS.0
}
