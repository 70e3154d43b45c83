//! The downstream ports of the crossbar (DS 2.1.1).

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::core::bus::Slave;
use crate::rp2040::peripherals::busctrl::Port;

/// Boot ROM.
pub const ROM: Slave = Slave(0);
/// Flash, its cache, and their control registers.
pub const XIP: Slave = Slave(1);
/// The first of the four large banks of SRAM, which have the numbers 2 to 5.
pub const SRAM0: Slave = Slave(2);
/// The first small bank of SRAM.
pub const SRAM4: Slave = Slave(6);
/// The second small bank of SRAM.
pub const SRAM5: Slave = Slave(7);
/// DMA, USB, PIO and XIP auxiliary registers, behind one port.
pub const FAST_PERIPHERALS: Slave = Slave(8);
/// The bridge to APB.
pub const APB: Slave = Slave(9);

/// A name for people.
pub fn name(slave: Slave) -> Option<&'static str> {
    const NAMES: [&str; 14] = [
        "ROM", "XIP", "SRAM0", "SRAM1", "SRAM2", "SRAM3", "SRAM4", "SRAM5", "FASTPERI", "APB", "SIO", "PPB",
        "unmapped", "internal",
    ];
    NAMES.get(slave.number()).copied()
}

#[inline(always)]
pub(super) fn is_sram(slave: Slave) -> bool {
    (SRAM0.0..=SRAM5.0).contains(&slave.0)
}

/// The crossbar's port, as the performance counters number it.
pub(super) fn port(slave: Slave) -> Option<Port> {
    const PORTS: [Port; Slave::SHARED as usize] = [
        Port::Rom,
        Port::XipMain,
        Port::Sram0,
        Port::Sram1,
        Port::Sram2,
        Port::Sram3,
        Port::Sram4,
        Port::Sram5,
        Port::Fastperi,
        Port::Apb,
    ];
    PORTS.get(slave.number()).copied()
}

/// Whether instructions may be fetched there: not from devices, nor from what is not on the bus (DS 2.4.3.4, ARMv6-M
/// B3.1 default memory map).
pub(super) fn holds_code(slave: Slave, address: u32) -> bool {
    match slave {
        ROM => true,
        XIP => address < 0x1800_0000 && address >> 24 != 0x14,
        other => is_sram(other),
    }
}
