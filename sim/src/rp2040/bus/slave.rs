//! Who answers on the bus.

#![allow(clippy::inline_always)] // the hot loop: measured, see bench/sim

use crate::rp2040::peripherals::busctrl::Port;

/// A downstream port of the crossbar (DS 2.1.1), or one of the places that are not on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Slave {
    Rom = 0,
    Xip = 1,
    Sram0 = 2,
    Sram1 = 3,
    Sram2 = 4,
    Sram3 = 5,
    Sram4 = 6,
    Sram5 = 7,
    /// DMA, USB, PIO and XIP auxiliary registers, behind one port.
    FastPeripherals = 8,
    Apb = 9,
    /// The core's own I/O port.
    Sio = 10,
    /// The core's own private peripheral bus.
    Private = 11,
    /// No slave has this address.
    None = 12,
    /// Nothing is asked of the bus.
    Internal = 13,
}

impl Slave {
    /// How many there are.
    pub const COUNT: usize = 14;

    /// All slaves, in order of number.
    pub const ALL: [Slave; Self::COUNT] = [
        Slave::Rom,
        Slave::Xip,
        Slave::Sram0,
        Slave::Sram1,
        Slave::Sram2,
        Slave::Sram3,
        Slave::Sram4,
        Slave::Sram5,
        Slave::FastPeripherals,
        Slave::Apb,
        Slave::Sio,
        Slave::Private,
        Slave::None,
        Slave::Internal,
    ];

    /// A name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        [
            "ROM", "XIP", "SRAM0", "SRAM1", "SRAM2", "SRAM3", "SRAM4", "SRAM5", "FASTPERI", "APB", "SIO", "PPB",
            "unmapped", "internal",
        ][self as usize]
    }

    #[inline(always)]
    pub(crate) fn is_sram(self) -> bool {
        (Slave::Sram0 as u8..=Slave::Sram5 as u8).contains(&(self as u8))
    }

    /// The crossbar's port, as the performance counters number it.
    pub(super) fn port(self) -> Option<Port> {
        Some(match self {
            Slave::Rom => Port::Rom,
            Slave::Xip => Port::XipMain,
            Slave::Sram0 => Port::Sram0,
            Slave::Sram1 => Port::Sram1,
            Slave::Sram2 => Port::Sram2,
            Slave::Sram3 => Port::Sram3,
            Slave::Sram4 => Port::Sram4,
            Slave::Sram5 => Port::Sram5,
            Slave::FastPeripherals => Port::Fastperi,
            Slave::Apb => Port::Apb,
            Slave::Sio | Slave::Private | Slave::None | Slave::Internal => return None,
        })
    }

    /// Whether masters share it, one access at a time.
    #[inline(always)]
    pub(crate) fn is_shared(self) -> bool {
        self as u8 <= Slave::Apb as u8
    }

    /// Whether instructions may be fetched there: not from devices, nor from what is not on the bus (DS 2.4.3.4, ARMv6-M
    /// B3.1 default memory map).
    pub(crate) fn holds_code(self, address: u32) -> bool {
        match self {
            Slave::Rom => true,
            Slave::Xip => address < 0x1800_0000 && address >> 24 != 0x14,
            other => other.is_sram(),
        }
    }
}
