//! Breakpoints that a program can set by itself: four addresses at which an instruction traps before it is executed (RP2350 datasheet
//! 3.8.9, `tdata1`).

const COUNT: usize = 4;
/// Matches of an address, exactly.
const TYPE: u32 = 2 << 28;
const FOR_DEBUGGER: u32 = 1 << 12;
const MACHINE_MODE: u32 = 1 << 6;
const USER_MODE: u32 = 1 << 3;
const EXECUTE: u32 = 1 << 2;

#[derive(Clone, Copy, Debug, Default, Hash, PartialEq, Eq)]
struct Trigger {
    settings: u32,
    address: u32,
}

/// See the module.
#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
pub struct Triggers {
    all: [Trigger; COUNT],
    selected: usize,
    /// In machine mode, and user mode, they work only if this is set: not in the handler of a trap.
    is_enabled: bool,
    was_enabled: bool,
}

impl Triggers {
    /// Whether the instruction at an address traps.
    pub fn matches(&self, pc: u32, machine_mode: bool) -> bool {
        let mode = if machine_mode { MACHINE_MODE } else { USER_MODE };
        let hits = |trigger: &Trigger| {
            trigger.settings & (FOR_DEBUGGER | EXECUTE | mode) == EXECUTE | mode && trigger.address == pc
        };
        self.is_enabled && self.all.iter().any(hits)
    }

    /// Whether there may be any that matches.
    pub fn are_enabled(&self) -> bool {
        self.is_enabled
    }

    /// A trap is entered.
    pub fn enter(&mut self) {
        self.was_enabled = std::mem::take(&mut self.is_enabled);
    }

    /// `mret`.
    pub fn leave(&mut self) {
        self.is_enabled = self.was_enabled;
    }

    /// A CSR. None if it is not one of these.
    pub fn read(&self, number: u16) -> Option<u32> {
        let trigger = self.all[self.selected];
        Some(match number {
            0x7a0 => self.selected as u32,
            0x7a1 => TYPE | trigger.settings,
            0x7a2 => trigger.address,
            0x7a4 => 1 << 2,
            0x7a5 => u32::from(self.was_enabled) << 7 | u32::from(self.is_enabled) << 3,
            _ => return None,
        })
    }

    /// A CSR is written.
    pub fn write(&mut self, number: u16, value: u32) {
        let trigger = &mut self.all[self.selected];
        match number {
            0x7a0 => self.selected = value as usize % COUNT,
            0x7a1 => trigger.settings = value & (FOR_DEBUGGER | MACHINE_MODE | USER_MODE | EXECUTE),
            0x7a2 => trigger.address = value,
            0x7a5 => (self.was_enabled, self.is_enabled) = (value >> 7 & 1 != 0, value >> 3 & 1 != 0),
            _ => {}
        }
    }
}
