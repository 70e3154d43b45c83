//! HSEM: 32 semaphores, and interrupts when one becomes free (RM0399 section 11).
//!
//! All of it is modelled. Accesses narrower than a word are bus errors (11.4; see `decode_access`).

use crate::stm32h745::peripherals::context::Context;

/// COREID of CPU1 and CPU2 (Table 95).
const CORE_ID: [u32; 2] = [3, 1];

/// Base address.
pub const BASE: u32 = 0x5802_6400;

/// `HSEM_Rx.LOCK`.
const LOCK: u32 = 1 << 31;
/// `HSEM_Rx.COREID` and `PROCID`.
const OWNER: u32 = 0xfff;
/// Lowest bit of COREID.
const CORE_ID_SHIFT: u32 = 8;

/// Register offsets (11.4.9).
const RLR: u32 = 0x080;
const INTERRUPTS: u32 = 0x100;
const CR: u32 = 0x140;
const KEYR: u32 = 0x144;

/// The semaphores.
#[derive(Clone, Debug, Default, Hash)]
pub struct Hsem {
    /// COREID and PROCID of each semaphore's owner.
    owners: [Option<u32>; 32],
    /// `HSEM_CnIER` by core.
    enabled: [u32; 2],
    /// `HSEM_CnISR` by core.
    status: [u32; 2],
    key: u32,
}

impl Hsem {
    /// Whether a store releases a semaphore by `HSEM_Rx`, which may interrupt the other core (11.3.5).
    pub fn is_release(address: u32, value: u32) -> bool {
        (BASE..BASE + RLR).contains(&address) && value & LOCK == 0
    }

    /// A register, without side effects.
    pub fn peek(&self, offset: u32) -> Option<u32> {
        let semaphore = |index: u32| self.owners[index as usize % 32].map_or(0, |owner| LOCK | owner);
        Some(match offset {
            0..RLR => semaphore(offset / 4),
            RLR..INTERRUPTS => semaphore((offset - RLR) / 4),
            INTERRUPTS..0x120 => {
                let core = (offset >> 4 & 1) as usize;
                match offset & 0xc {
                    0x0 => self.enabled[core],
                    0x4 => 0,
                    0x8 => self.status[core],
                    _ => self.masked(core),
                }
            }
            CR => 0,
            KEYR => self.key,
            _ => return None,
        })
    }

    /// A read; of `HSEM_RLRx` it is the 1-step lock (11.3.3).
    pub fn read(&mut self, offset: u32, context: &mut Context<'_>) -> u32 {
        if (RLR..INTERRUPTS).contains(&offset) {
            let owner = &mut self.owners[((offset - RLR) / 4) as usize];
            *owner = owner.or(Some(CORE_ID[context.core] << CORE_ID_SHIFT));
        }
        self.peek(offset).unwrap_or_else(|| context.unmodelled())
    }

    /// A write.
    pub fn write(&mut self, offset: u32, value: u32, context: &mut Context<'_>) {
        match offset {
            0..RLR => self.lock_or_release((offset / 4) as usize, value, context),
            RLR..INTERRUPTS => context.warn("HSEM_RLRx is written: it is read-only, and locks when it is read"),
            INTERRUPTS..0x120 => {
                let core = (offset >> 4 & 1) as usize;
                match offset & 0xc {
                    0x0 => self.enabled[core] = value,
                    0x4 => self.status[core] &= !value,
                    _ => {}
                }
            }
            CR => self.clear(value, context),
            KEYR => self.key = value & 0xffff_0000,
            _ => _ = context.unmodelled(),
        }
    }

    /// 2-step lock and unlock (11.3.3, 11.3.5).
    fn lock_or_release(&mut self, index: usize, value: u32, context: &mut Context<'_>) {
        let written = value & OWNER;
        let core_id = written >> CORE_ID_SHIFT;
        if core_id != CORE_ID[context.core] {
            let own = CORE_ID[context.core];
            context.warn(format!("HSEM_R{index} is written with COREID {core_id}, but this core's is {own}: ignored"));
            return;
        }
        match (value & LOCK != 0, self.owners[index]) {
            (true, None) => self.owners[index] = Some(written),
            (true, Some(_)) => {}
            (false, Some(owner)) if owner == written => self.free(index, context),
            (false, Some(owner)) => context.warn(format!(
                "semaphore {index} is released by COREID {core_id} with PROCID {}, but COREID {} with PROCID {} holds \
                     it: ignored",
                written & 0xff,
                owner >> CORE_ID_SHIFT,
                owner & 0xff
            )),
            (false, None) => {
                context.warn(format!("semaphore {index} is released while it is free: no interrupt comes of it"));
            }
        }
    }

    /// Releases all semaphores of a COREID (11.3.6).
    fn clear(&mut self, value: u32, context: &mut Context<'_>) {
        if value & 0xffff_0000 != self.key {
            context.warn("HSEM_CR is written with another key than HSEM_KEYR has: ignored");
            return;
        }
        for index in 0..32 {
            if self.owners[index].is_some_and(|owner| owner >> CORE_ID_SHIFT == value >> CORE_ID_SHIFT & 0xf) {
                self.free(index, context);
            }
        }
    }

    /// Releases a semaphore: sets its status bit for each core (11.3.7), unless an injected fault loses the interrupt.
    fn free(&mut self, index: usize, context: &mut Context<'_>) {
        self.owners[index] = None;
        let bit = 1 << index;
        for (core, status) in self.status.iter_mut().enumerate() {
            let interrupts = self.enabled[core] & bit != 0 && *status & bit == 0;
            if !(interrupts && context.losses.loses_next(core, context.now)) {
                *status |= bit;
            }
        }
    }

    /// `HSEM_CnMISR`: the interrupt line of a core is high while one of its bits is set (11.3.7).
    pub fn masked(&self, core: usize) -> u32 {
        self.status[core] & self.enabled[core]
    }
}
