//! Clocks of blocks by core, resets of blocks, and reset causes (RM0399 sections 9.5.10 and 9.7.27 to 9.7.56).

use crate::stm32h745::peripherals::Reset;
use crate::stm32h745::peripherals::address_map::{Bus, Gate};
use crate::stm32h745::peripherals::context::Context;
use crate::stm32h745::{M4, M7};

/// Registers of peripheral clocks: AHB3, 1, 2, 4, APB3, 1L, 1H, 2, 4.
const BUSES: usize = 9;

/// `RCC_AHB3RSTR` to `RCC_APB4RSTR`.
const RSTR: u32 = 0x7c;
/// The bank of the accessing core, at the same addresses for both: RSR, ENR, and LPENR (9.7.1).
const BANK: u32 = 0xd0;
/// The same registers of CPU1 and CPU2, for either core.
const BANKS: [u32; 2] = [0x130, 0x190];
const BANK_SIZE: u32 = 0x50;
/// Offsets in a bank of the enable registers, and of those for CSLEEP.
const ENR: u32 = 0x04;
const LPENR: u32 = 0x2c;

/// `RCC_RSR` after power-on (Table 69), and its bits (Table 57).
const RSR_POWER_ON: u32 = 0x00fe_0000;
const RMVF: u32 = 1 << 16;
const CORES: u32 = 3 << 17;
const PIN: u32 = 1 << 22;

/// `RCC_APB3LPENR`, `RCC_APB1LLPENR` and `RCC_APB1HLPENR` after reset (Tables 83 to 85): what has a clock keeps it in
/// CSLEEP. Of the others only that was read, not the value: all their bits read as 1 here.
const LPENR_RESET: [u32; BUSES] = [MAX, MAX, MAX, MAX, 0x58, 0xe8ff_cbff, 0x0136, MAX, MAX];
const MAX: u32 = u32::MAX;

/// Enable bits that a core has not, since the memories are its own (9.7.39, 9.7.41).
const RESERVED: [(Bus, u32); 2] = [(Bus::Ahb3, 0xf000_0100), (Bus::Ahb2, 0xe000_0000)];

/// One core's bank.
#[derive(Clone, Debug, Hash)]
struct Bank {
    rsr: u32,
    enabled: [u32; BUSES],
    in_sleep: [u32; BUSES],
}

/// All of them.
#[derive(Clone, Debug, Hash)]
pub struct Gates {
    banks: [Bank; 2],
    resets: [u32; BUSES],
}

impl Default for Gates {
    /// After power-on: no clock is on.
    fn default() -> Self {
        let bank = Bank { rsr: RSR_POWER_ON, enabled: [0; BUSES], in_sleep: LPENR_RESET };
        Self { banks: [bank.clone(), bank], resets: [0; BUSES] }
    }
}

impl Gates {
    /// After a reset of the system: both cores and the pin are reset with it (Table 57).
    #[must_use]
    pub fn after_reset(&self, why: Reset) -> Self {
        let reason = match why {
            Reset::Pin => 0,
            Reset::Software(core) => 1 << (24 + core),
            Reset::IndependentWatchdog(core) => 1 << (26 + core),
        };
        let mut gates = Self::default();
        for core in [M7, M4] {
            gates.banks[core].rsr = self.banks[core].rsr | reason | PIN | CORES;
        }
        gates
    }

    /// A register, as a core sees it.
    pub fn peek(&self, offset: u32, core: usize) -> Option<u32> {
        if let Some(bus) = bus_of_reset(offset) {
            return Some(self.resets[bus]);
        }
        let (owner, place) = banked(offset, core)?;
        let bank = &self.banks[owner];
        Some(match place {
            0 => bank.rsr,
            ENR..LPENR if place < ENR + 4 * BUSES as u32 => bank.enabled[((place - ENR) / 4) as usize],
            LPENR.. => bank.in_sleep[((place - LPENR) / 4) as usize],
            _ => return None,
        })
    }

    /// A write to a register that `peek` has.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        if let Some(bus) = bus_of_reset(offset) {
            self.resets[bus] = value;
            return;
        }
        let Some((owner, place)) = banked(offset, context.core) else { return };
        let bank = &mut self.banks[owner];
        match place {
            0 if value & RMVF != 0 => bank.rsr = RMVF,
            0 => bank.rsr &= !RMVF,
            ENR..LPENR if place < ENR + 4 * BUSES as u32 => {
                let index = ((place - ENR) / 4) as usize;
                let (bus, bits) = RESERVED[owner];
                let reserved = if index == bus as usize { bits } else { 0 };
                if value & reserved != 0 {
                    context.warn(format!(
                        "bits {:#010x} of RCC_C{}_{}ENR are reserved: these memories are the core's own",
                        value & reserved,
                        owner + 1,
                        format!("{bus:?}").to_uppercase()
                    ));
                }
                bank.enabled[index] = value & !reserved;
            }
            LPENR.. => bank.in_sleep[((place - LPENR) / 4) as usize] = value,
            _ => {}
        }
    }

    /// The cores that enable the clock of a block.
    pub fn enabled_by(&self, gate: Gate) -> [bool; 2] {
        [M7, M4].map(|core| gate.is_set(&self.banks[core].enabled))
    }

    /// Whether a block is clocked: a core that enables it runs, or keeps it on in CSLEEP.
    pub fn is_clocked(&self, gate: Gate, asleep: [bool; 2]) -> bool {
        let mut banks = self.banks.iter().zip(asleep);
        banks.any(|(bank, asleep)| gate.is_set(&bank.enabled) && (!asleep || gate.is_set(&bank.in_sleep)))
    }

    /// Whether a block is held in reset.
    pub fn is_held_in_reset(&self, gate: Gate) -> bool {
        gate.is_set(&self.resets)
    }
}

fn bus_of_reset(offset: u32) -> Option<usize> {
    (RSTR..RSTR + 4 * BUSES as u32).contains(&offset).then(|| ((offset - RSTR) / 4) as usize)
}

/// The core whose bank an offset is in, for an accessing core, and the offset there.
fn banked(offset: u32, core: usize) -> Option<(usize, u32)> {
    [(BANK, core), (BANKS[M7], M7), (BANKS[M4], M4)]
        .into_iter()
        .find(|(base, _)| (*base..*base + BANK_SIZE).contains(&offset))
        .map(|(base, owner)| (owner, offset - base))
}
